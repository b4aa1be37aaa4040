"""evaluate: one or several scores, segments, and what is shown and saved."""

import json
import operator
import sys
import types
import webbrowser
from functools import reduce
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import capcurve as cap
from capcurve.input.engines import combinations
from capcurve.results import findings
from capcurve.results.several import at_share, orders_of_segments
from capcurve.results.summary import message
from capcurve.show.elements import unbroken
from capcurve.studies.evaluation import judge
from cli_calls import done

LOANS = "src/capcurve/datasets/loans.csv"
Y, P = [1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]


def test_one_score_from_arrays():
    found = cap.evaluate(Y, P)
    assert list(found.summaries) == ["score"]
    assert found.summaries["score"].accuracy_ratio == 1 / 3
    assert "0.333" in repr(found)


def of_sizes(*sizes):
    """Return outcomes, scores and segments of these sizes."""
    by = [f"S{place:03d}" for place, size in enumerate(sizes) for _ in range(size)]
    return [row % 2 for row in range(len(by))], list(range(len(by))), by


def test_up_to_12_segments_may_be_small_and_60_are_read():
    assert (findings.SOME_SEGMENTS, findings.MANY_SEGMENTS) == (12, 60)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("sizes", "refused"),
    [
        ([1] * 3, None),
        (
            [1] * 4,
            "4 values and looks like an id; for dependent rows use cluster='segment'",
        ),
        ([4] * 3 + [90] * 2, "5 values and looks like an id"),
        ([4] * 2 + [90] * 3, None),
        ([5] * 6, None),
        ([5] * 7, "7 values; for segments pass fewer, up to 6"),
        ([1] * 7, "7 values and looks like an id"),
    ],
)
def test_segments_that_are_people_or_too_many_are_refused(sizes, refused, monkeypatch):
    monkeypatch.setattr(findings, "SOME_SEGMENTS", 3)
    monkeypatch.setattr(findings, "MANY_SEGMENTS", 6)
    y, p, by = of_sizes(*sizes)
    if refused is not None:
        with pytest.raises(
            ValueError, match=f"^segment has {refused}.*all_segments=True to insist"
        ):
            cap.evaluate(y, p, by=by)
        assert len(cap.count_segments(y, p, by=by)) == len(sizes)
    found = cap.evaluate(y, p, by=by, all_segments=refused is not None)
    assert [part.n for part in found.segments["score"].values()] == sizes


def test_rows_make_a_segment_large_and_not_their_weights():
    y, p, by = of_sizes(*[1] * 13)
    with pytest.raises(ValueError, match="looks like an id"):
        cap.evaluate(y, p, by=by, weight=[9.5] * 13, weight_kind="exposure")
    with pytest.raises(ValueError, match="looks like an id"):
        cap.evaluate(amount=[row % 3 for row in range(13)], score=p, by=by)


@pytest.mark.parametrize("text", [False, pytest.param(True, marks=pytest.mark.merge)])
def test_days_are_refused_and_their_months_are_segments(text):
    days = pd.Series(pd.date_range("2023-01-01", periods=100))
    frame = pd.DataFrame({"y": np.arange(100) % 2, "p": np.arange(100.0) % 7})
    frame["day"] = days.astype(str) if text else days
    frame["month"] = days.dt.to_period("M")
    with pytest.raises(
        ValueError, match=r"^day has 100 values, which are days; .* their months.*period="
    ):
        cap.evaluate("y", "p", frame, by="day")
    for found in (
        cap.evaluate("y", "p", frame, by="month"),
        cap.evaluate(frame.y, {"p": frame.p}, by=frame.month),
    ):
        rows = found.to_dict()["segments"]["p"]
        assert [row["segment"] for row in rows] == sorted(set(frame.month.astype(str)))
        assert [row["n"] for row in rows][:2] == [31, 28]


@pytest.mark.turns(2)
@pytest.mark.parametrize(
    ("size", "said"), [(1, "; segments with 1 case are shown"), (5, ", no individual rows")]
)
def test_the_page_says_whether_segments_are_small(size, said):
    y, p, by = of_sizes(20, size)
    assert f"This page contains counts only{said}" in cap.evaluate(y, p, by=by).to_html()
    by_amount = cap.evaluate(amount=[row % 3 for row in y], score=p, by=by, min_cell=1).to_html()
    small = "" if size == 5 else "; segments with 1 case are shown"
    assert f"This page contains sums only{small}, and" in by_amount


def test_the_data_may_come_third():
    frame = pd.DataFrame({"y": Y, "p": P})
    assert cap.evaluate("y", "p", frame).to_dict() == cap.evaluate("y", "p", data=frame).to_dict()
    with pytest.raises(TypeError, match=r"the data comes third: evaluate\(target, score, data\)"):
        cap.evaluate(frame, "y", "p")


@pytest.mark.parametrize("role", ["target", "score", "by", "cluster", "weight"])
def test_beside_data_columns_are_names(role):
    frame = pd.DataFrame({"y": Y, "p": P, "s": list("aabba")})
    asked = {"target": "y", "score": "p", role: frame["p"]}
    message = f"given by name, got Series for {role}; add it to the data under a name, or leave out"
    with pytest.raises(TypeError, match=message):
        cap.evaluate(**asked, data=frame)


def test_clusters_are_of_one_column():
    frame = pd.DataFrame({"y": Y, "p": P, "s": list("aabba"), "m": list("ababa")})
    with pytest.raises(TypeError, match=r"cluster takes one column, got the names \['s', 'm'\];"):
        cap.evaluate("y", "p", data=frame, cluster=["s", "m"])


@pytest.mark.merge
def test_several_scores_are_judged_on_the_rows_complete_for_all():
    data = {"y": [1, 0, 1, 0], "a": [4.0, 3.0, np.nan, 1.0], "b": [1.0, 2.0, 3.0, 4.0]}
    for frame in (pd.DataFrame(data), pl.DataFrame(data).lazy(), data):
        found = cap.evaluate("y", ["a", "b"], data=frame, missing="drop")
        assert [counts.n for counts in found.counts.values()] == [3, 3]
        assert found.counts["b"].dropped.rows == 1
        assert found.counts["b"] == cap.count_scores([1, 0, 0], [1, 2, 4])


def test_directions_may_differ_by_score():
    found = cap.evaluate(
        Y, {"up": P, "down": [-p for p in P]}, higher_is={"down": "negative"}
    ).summaries
    assert found["up"].accuracy_ratio == found["down"].accuracy_ratio == 1 / 3


def test_a_direction_for_an_unknown_score_is_refused():
    with pytest.raises(ValueError, match="'dwn', which is not a score"):
        cap.evaluate(Y, {"up": P}, higher_is={"dwn": "negative"})


def test_segments_add_up_and_one_without_positives_is_told_not_raised():
    month = ["Jan", "Jan", "Jan", None, None]
    found = cap.evaluate([1, 0, 1, 0, 0], P, by=month)
    parts = found.segments["score"]
    assert set(parts) == {"Jan", None}
    assert parts["Jan"] + parts[None] == found.counts["score"]
    assert found.segment_summaries["score"][None].accuracy_ratio is None
    told = [finding for finding in found.findings if finding.code == "undefined_segments"]
    assert told[0].message == "1 of 2 segments has only one class: (none)"


def parts_of(**kinds):
    """Return counts of parts with 100 positives each, whose four grades rank as the words say."""
    positives = {"well": [60, 25, 10, 5], "reversed": [5, 10, 25, 60], "leaked": [60, 20, 12, 8]}
    return {
        name: cap.ScoreCounts.from_counts(
            [4, 3, 2, 1], positives[how], [0 if how == "leaked" else 300, 400, 600, 700]
        )
        for name, how in kinds.items()
    }


def judged(parts):
    whole = {"score": reduce(operator.add, parts.values())}
    return judge(whole, {"score": parts}, None, title="Segments", by="region")


def test_a_reversed_segment_is_named_wherever_findings_are():
    found = judged(parts_of(a="well", b="well", c="reversed"))
    turned, unlike = found.about_segments
    assert unlike.code == "unlike_segments"
    assert unlike.severity == "warning"
    assert turned.code == "segment_reversed"
    ratio = cap.accuracy_ratio(found.segments["score"]["c"])
    assert turned.message.startswith(
        f"segment c: the score looks reversed: its accuracy ratio is −{-ratio:.3f}"
    )
    assert "adjusted for 3 segments" in turned.message
    assert set(found.about_segments) <= set(found.findings)
    assert found.to_dict()["findings"][0]["code"] == "segment_reversed"
    for page in (found.to_html(), found._repr_html_()):
        assert "segment c: the score looks reversed" in page


def test_p_values_of_segments_are_adjusted_for_their_number():
    # All 4 positives behind all 4 negatives: 2 of 70 dealings are as extreme, p = 0.029.
    turned = cap.count_scores([1] * 4 + [0] * 4, range(8))
    well = cap.count_scores([0] * 4 + [1] * 4, range(8))
    assert "segment_reversed" in {f.code for f in orders_of_segments({"a": turned})}
    assert not orders_of_segments({"a": turned, "b": well})


def test_segments_that_rank_alike_are_not_told_and_of_many_the_gravest_are():
    assert judged(parts_of(a="well", b="well")).about_segments == ()
    names = {"a": "reversed", "b": "leaked", "c": "reversed", "d": "reversed", "e": "well"}
    told = judged(parts_of(**names)).about_segments
    assert [each.code for each in told[:3]] == ["segment_reversed"] * 3
    assert told[2].message.endswith("; 1 such finding not shown")
    # What the whole is, each part need not be told to be.
    every = judged(parts_of(a="reversed", b="reversed"))
    assert "reversed" in {finding.code for finding in every.findings}
    assert every.about_segments == ()


def test_a_null_segment_is_a_segment():
    frame = pl.DataFrame({"y": [1, 0, 1, 0], "p": [4, 3, 2, 1], "by": ["a", None, "a", None]})
    for data in (frame, frame.lazy()):
        found = cap.evaluate("y", "p", data=data, by="by")
        assert {key: counts.n for key, counts in found.segments["p"].items()} == {"a": 2, None: 2}


@pytest.mark.merge
def test_counts_that_are_ready():
    counts = cap.count_scores(Y, P)
    joint = cap.count_joint(Y, {"a": P, "b": P})
    assert cap.evaluate(counts).counts == {"score": counts}
    assert cap.evaluate({"pd": counts}).counts == {"pd": counts}
    assert list(cap.evaluate(joint).counts) == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cap.evaluate(Y), "needs a target and a score"),
        (lambda: cap.evaluate({}), "empty"),
        (lambda: cap.evaluate({"a": Y}), "list, not ScoreCounts"),
        (lambda: cap.evaluate(cap.count_scores(Y, P), weight=[1] * 5), "weight is about rows"),
        (lambda: cap.evaluate(cap.count_scores(Y, P), higher_is="negative"), "higher_is"),
        (lambda: cap.evaluate(cap.count_scores(Y, P), missing="drop"), "missing"),
        (lambda: cap.evaluate(Y, {}), "no score"),
        (lambda: cap.evaluate("y", "p", data=LOANS), "no column 'p'"),
    ],
)
def test_wrong_use_is_told(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_the_dictionary_holds_scores_and_segments():
    found = cap.evaluate(Y, P, by=["a", "a", "b", "b", "b"]).to_dict()
    read = json.loads(json.dumps(found, allow_nan=False))
    assert read["schema_version"] == 1
    assert read["scores"][0]["accuracy_ratio"] == 1 / 3
    assert [row["segment"] for row in read["segments"]["score"]] == ["a", "b"]


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", ["html", "json", "png", "svg", "pdf"])
def test_saving(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    assert cap.evaluate(Y, P).save(path) == path
    start = path.read_bytes()[:20]
    expected = {"html": b"<!doc", "json": b"{", "png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert start.startswith(expected[suffix])
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o044


@pytest.mark.parametrize("suffix", ["html", "json"])
def test_odd_letters_in_names_are_saved(tmp_path, suffix):
    name = "a\ud800b\x00\x1b\ufffe"
    path = cap.evaluate([1, 0], {name: [2, 1]}, title=name).save(tmp_path / f"odd.{suffix}")
    text = path.read_bytes().decode("utf-8")
    if suffix == "json":
        found = json.loads(text)
        assert (found["title"], found["scores"][0]["name"]) == (name, name)
    else:
        assert not set(name) & set(text) - set("ab")


def test_saving_under_another_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.html, \.json"):
        cap.evaluate(Y, P).save(tmp_path / "out.docx")


def test_a_failed_save_leaves_nothing_and_keeps_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("before")
    monkeypatch.setattr(
        Path, "write_bytes", lambda *_a, **_k: (_ for _ in ()).throw(OSError(28, "full"))
    )
    with pytest.raises(OSError, match="full"):
        cap.evaluate(Y, P).save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_bytes() == b"before"


def test_saving_where_no_folder_is(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        cap.evaluate(Y, P).save(tmp_path / "nowhere" / "report.html")


def test_show_opens_the_page_in_the_browser(monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    cap.evaluate(Y, P).show()
    path = Path(opened[0].removeprefix("file://"))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    path.unlink()
    path.parent.rmdir()


def test_show_in_a_notebook_is_a_sandboxed_frame(monkeypatch):
    shown = []
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    display = types.ModuleType("IPython.display")
    display.HTML = str
    display.display = shown.append
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    cap.evaluate(Y, P).show()
    assert shown[0].startswith('<div><iframe sandbox="allow-scripts allow-downloads" ')
    assert "<script" not in shown[0]


def test_segments_whose_names_look_alike_are_all_looked_at():
    turned = cap.ScoreCounts.from_counts([2, 1], [5, 95], [800, 200])
    good = cap.ScoreCounts.from_counts([2, 1], [95, 5], [200, 800])
    for segments in ({1: turned, "1": good}, {"1": good, 1: turned}, {None: turned, "": good}):
        (found,) = orders_of_segments(segments)
        assert found.code == "segment_reversed"
        assert "adjusted for 2 segments" in found.message
    assert "segment (none): " in found.message


def test_an_evaluation_is_saved_as_text_markdown_and_csv_like_every_result(tmp_path):
    """Saved text is what `to_text` returns; csv has a row per score and segment, in full."""
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.4
    found = cap.evaluate(labels, np.round(labels + rng.normal(size=200), 1), by=["x", "y"] * 100)
    for suffix, text in ((".txt", found.to_text()), (".md", found.to_markdown())):
        saved = found.save(tmp_path / f"found{suffix}").read_text("utf-8")
        assert saved == text + "\n"
        assert all(said in saved for said in message(found.summaries["score"]))
    head, *rows = found.save(tmp_path / "found.csv").read_text("utf-8").splitlines()
    ratio = dict(zip(head.split(","), rows[1].split(","), strict=True))["accuracy_ratio"]
    assert float(ratio) == found.segment_summaries["score"]["y"].accuracy_ratio
    assert len(rows) == 2
    shown = found.presentation()
    assert shown.sentences[0] == found.sentence == message(found.summaries["score"])[0]
    assert [chart.title for chart in shown.charts] == ["CAP", "Accuracy ratio by segment"]


def test_names_do_not_act_in_markdown():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [7, 4, 2], [1, 3, 9])
    name, escaped = "*a*_b_|<i>`", r"\*a\*\_b"
    said = cap.evaluate({name: counts, "other": counts}).to_markdown()
    told = [line for line in said.splitlines() if "a" in line and "b" in line and "<i>" in line]
    assert len(told) == 3  # the title, a row of the table and a sentence
    assert all(escaped in line and name not in line for line in told)


def three_scores():
    """Return labels and three scores of 400 rows: the last ranks best, the first has ties."""
    rng = np.random.default_rng(5)
    risk = rng.normal(size=400)
    y = (risk + rng.normal(size=400) > 1).astype(int)
    noise = rng.normal(size=(3, 400))
    return y, {
        "grade": np.round(0.1 * risk + noise[0], 1),
        "card": 0.2 * risk + noise[1],
        "model": 2 * risk + noise[2],
    }


@pytest.mark.merge
def test_of_several_scores_the_best_is_named_first():
    y, scores = three_scores()
    found = cap.evaluate(y, scores)
    tests = {frozenset(pair.estimates): pair for pair in found.comparison.pairs}
    pair = tests[frozenset(("grade", "model"))]
    assert pair.p_value < pair.p_adjusted < 3 * pair.p_value < 0.002
    said = f"model ranks best: AR {found.summaries['model'].accuracy_ratio:.3f}; both others "
    said += (
        f"are shown to rank below it, the nearest, grade, by {-pair.estimate:.3f} "
        f"[{-pair.high:.3f}, {-pair.low:.3f}], p = {pair.p_adjusted:.3f} (3 pairs)."
    )
    assert found.to_text().startswith(f"{found.title}\n\n{said}")
    assert found.sentence == said
    assert said.replace("<", "&lt;") in found._repr_html_().partition("<img")[0]
    page = found.to_html().replace("\N{NO-BREAK SPACE}", " ")
    assert page.index(said.replace("<", "&lt;")) < page.index("The scores, with 95% intervals")
    alike = cap.evaluate(
        y, {"model": scores["model"], "twin": scores["model"], "x": scores["card"]}
    )
    assert alike.sentence.startswith("model ranks highest: AR 0.")
    assert alike.sentence.endswith(". 2 of 3 may be best: model and twin.")


def test_what_champion_and_challenger_exchange_is_counted_row_by_row():
    y, scores = three_scores()
    found = cap.evaluate(y, scores, value=10, cost=1).at_share
    picked = {}
    for name, score in scores.items():
        ends = {cut: np.mean(score >= cut) for cut in np.unique(score)}
        cut = min(ends, key=lambda each: abs(ends[each] - 0.1))
        picked[name] = score >= cut
        (row,) = (each for each in found.scores if each["score"] == name)
        n, n1 = picked[name].sum(), y[picked[name]].sum()
        assert row["threshold"] == cut
        assert (row["n"], row["positives"]) == (n, n1)
        assert row["profit"] == 10 * n1 - n
        assert row["captured_low"] < row["captured"] == n1 / y.sum() < row["captured_high"]
    one, other = picked["grade"], picked["model"]
    parts = {"both": one & other, "grade": one & ~other, "model": other & ~one}
    expected = [(who, rows.sum(), y[rows].sum()) for who, rows in parts.items()]
    assert [tuple(row.values())[:3] for row in found.swap_set] == expected


def test_segments_of_one_class_each_have_no_trend():
    found = cap.evaluate([1, 1, 0, 0], [4, 2, 3, 1], by=[1, 1, 2, 2])
    page = found.to_html()
    assert "Accuracy ratio by" not in page
    assert found._repr_html_()
    half = cap.evaluate([1, 1, 0, 0, 1, 0], [4, 2, 3, 1, 6, 5], by=[1, 1, 2, 2, 3, 3])
    assert "Accuracy ratio by" in half.to_html()


def test_what_is_exchanged_is_that_of_the_rows_counted_together():
    y, scores = three_scores()
    found = cap.evaluate(y, scores)
    more = {name: counts + counts for name, counts in found.counts.items()}
    margins = {name: found.joint.margin(name) for name in scores}
    for whole in (found.counts, margins, more):
        assert at_share(found.joint, found.summaries, whole) == found.at_share


def test_whether_segments_differ_is_said_wherever_they_are_shown():
    apart = judged(parts_of(a="well", b="reversed"))
    (said,) = apart.about_alike
    ends = [cap.accuracy_ratio(apart.segments["score"][name]) for name in "ab"]
    assert said == (
        "The accuracy ratio differs by region more than chance explains (p < 0.001), from "
        f"\N{MINUS SIGN}{-ends[1]:.3f} in b to {ends[0]:.3f} in a."
    )
    page = apart.to_html().partition("<h2")[0]
    for shown in (repr(apart), apart.to_text(), apart._repr_html_(), page):
        assert said.replace("<", "&lt;") in shown.replace("\N{NO-BREAK SPACE}", " ").replace(
            "p < ", "p &lt; "
        )
    assert "segments differ in how well" not in page  # once is enough
    (quiet,) = judged(parts_of(a="well", b="well")).about_alike
    assert quiet == "The accuracy ratio does not differ significantly by region (p = 1.000)."


@pytest.mark.merge
def test_a_card_shows_the_trend_and_at_most_twenty_segments():
    names = [f"20{24 + month // 12}-{month % 12 + 1:02d}" for month in range(23)]
    found = judged(parts_of(**dict.fromkeys(names, "well")))
    card = found._repr_html_()
    assert card.count("<img") == 2
    assert ">2025-08<" in card
    assert ">2025-09<" not in card
    assert "... 4 more rows" in card
    assert all(name in str(found) for name in names)


def test_clusters_are_named_where_their_intervals_stand():
    y, scores = three_scores()
    said = "400 rows of 100 clusters (bank); intervals allow for repeated clusters"
    data = pd.DataFrame({"y": y, "s": scores["card"], "bank": np.arange(400) // 4})
    found = cap.evaluate("y", "s", data, cluster="bank")
    assert found.clusters == said == found.to_dict()["clusters"]
    page = found.to_html()
    assert f'"source":"{said}"' in page  # which exported pictures state
    assert said in page.partition("<dl")[0]
    assert said in found.to_text()
    assert said in found._repr_html_()
    assert cap.evaluate("y", "s", data).clusters is None


@pytest.mark.merge
def test_a_page_in_alarm_says_so_first():
    periods = {f"2024-0{month}": "well" for month in range(1, 4)}
    parts = parts_of(**periods, **{f"2024-0{month}": "reversed" for month in range(4, 8)})
    initial = parts["2024-01"]
    found = judged(parts).monitored(initial)
    (chart,) = found.control_charts.values()
    assert chart.alarmed
    first = chart.sentence.replace("<", "&lt;")
    assert found.to_text().startswith(f"{found.title}\n\n{chart.sentence}\n")
    assert found.sentence == chart.sentence
    assert found._repr_html_().index(first) < found._repr_html_().index("<img")
    page = found.to_html()
    lead = page.index('<p class="lead')
    assert unbroken(first) in page[lead:].partition("</p>")[0]
    # The chart itself begins with what follows the headline.
    assert "on average" not in page.partition("id=monitoring")[2].partition("<ul")[0]
    assert page.index("id=monitoring") < page.index("<h2 class=unseen>Curves</h2>")


def test_the_cases_of_a_page_tell_positives_and_prevalence_in_one_tile():
    page = cap.evaluate([1, 0, 1, 0], [0.4, 0.3, 0.2, 0.1]).to_html().partition("</dl>")[0]
    assert "2 positives (50.0%), 4 distinct scores" in page
    assert "<dt>prevalence" not in page
    assert "<dt>positives" not in page


def test_the_page_of_several_scores_has_the_tables_of_its_text():
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    shown = cap.evaluate(y, {"old": y + rng.random(300), "new": y + 2 * rng.random(300)})
    names = [table.name for table in shown.presentation().tables]
    assert names[0] == "Differences between the scores, on the same rows"
    assert names[1].startswith("At the cut-off nearest to the top ")
    assert names[2].startswith("Selected there by only one of old and new")
    assert all(name in shown.to_text() for name in ("Scores", *names))
    figures = shown.presentation().figures
    assert {figure.score for figure in figures} == {"old", "new"}
    ratios = {each.score: each.value for each in figures if each.metric == "accuracy_ratio"}
    assert ratios == {n: each.accuracy_ratio for n, each in shown.summaries.items()}


def test_series_are_called_by_their_names():
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "pd": [0.4, 0.1, 0.3, 0.35]})
    found = cap.evaluate(frame.y, frame.pd)
    assert (list(found), found.title) == (["pd"], "How well pd ranks y")
    assert list(cap.evaluate(frame.y, pl.Series("pd", frame.pd.to_numpy()))) == ["pd"]
    for unnamed in (frame.pd.rename(None), pl.Series(frame.pd.to_numpy()), frame.pd.to_numpy()):
        assert list(cap.evaluate(frame.y.to_numpy(), unnamed)) == ["score"]


@pytest.mark.parametrize(
    "written",
    [
        ["6,56 %", "1,2 %", None, "3\u00a0%", "-0,5%"],
        ["6.56%", "1.2%", None, "3%", "-.5%"],
    ],
)
def test_per_cent_signs_are_read_as_hundredths(tmp_path, written):
    y, plain = [1, 0, 1, 1, 0], [0.0656, 0.012, None, 0.03, -0.005]
    expected = cap.count_scores(y, plain, missing="drop")
    assert cap.count_scores(y, written, missing="drop") == expected
    columns = {"y": y, "pd": written}
    path = tmp_path / "pd.csv"
    pl.DataFrame(columns).write_csv(path, separator=";")
    pl.DataFrame(columns).write_parquet(tmp_path / "pd.parquet")
    for data in (pd.DataFrame(columns), pl.DataFrame(columns), path, tmp_path / "pd.parquet"):
        assert cap.count_scores("y", "pd", data=data, missing="drop") == expected
    grades = ["6%", "1%", "6%", "1%", "1%"]
    assert cap.count_scores(y, grades, levels=["6%", "1%"]).levels == ("6%", "1%")


@pytest.mark.merge
def test_a_target_of_all_and_nothing_in_per_cent_speaks_for_itself(tmp_path, monkeypatch):
    table = pa.table(
        {
            "y": ["0 %", "100%", None, "100.0 %", "0.0%", "0%"],
            "s": [0.1, 0.4, 0.5, 0.35, 0.3, 0.2],
        }
    )
    target, score = table["y"].to_pylist(), table["s"].to_pylist()
    expected = cap.count_scores([0, 1, None, 1, 0, 0], score, missing="drop")
    path = tmp_path / "y.csv"
    frame = pl.from_arrow(table)
    frame.write_csv(path)
    category = pd.Series(target, dtype="category")
    assert cap.count_scores(target, score, missing="drop") == expected
    assert cap.count_scores(category, score, missing="drop") == expected
    for data in (frame, frame.lazy(), table.to_pandas(), table, path):
        assert cap.count_scores("y", "s", data=data, missing="drop") == expected
    limited = cap.count_scores("y", "s", data=path, missing="drop", memory_limit="200MB")
    assert (limited.n1, limited.n0, cap.roc_auc(limited)) == (2, 3, 1.0)
    monkeypatch.setattr(combinations, "MOST_CELLS", 1)
    with duckdb.connect() as connection:
        ranked = cap.count_scores("y", "s", data=connection.from_arrow(table), missing="drop")
    assert isinstance(ranked, cap.RankTotals)
    assert (ranked.n1, ranked.n0, cap.roc_auc(ranked)) == (2, 3, 1.0)
    done("summary", path, "-t", "y", "-s", "s", "--missing", "drop")
    # A label that is given is compared by value, as for any other text.
    assert cap.count_scores(target[:2], score[:2], pos_label="0 %").n1 == 1
    with pytest.raises(ValueError, match=r"holds '0 %' \(1\), '100 %' \(1\), '50 %' \(1\)"):
        cap.count_scores(["0 %", "50 %", "100 %"], [1, 2, 3])
    with pytest.raises(ValueError, match=r"pos_label='0 %' or pos_label='50 %'"):
        cap.count_scores(["0 %", "50 %"], [1, 2])


def test_text_draws_no_curve(monkeypatch):
    found = cap.evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    drawn = []
    models = "capcurve.studies.evaluation.pictures.models"
    monkeypatch.setattr(models, lambda _: drawn.append(1) or [])
    for write in (found.to_text, found.to_markdown, found.to_latex, found.to_dict):
        write()
    assert not drawn
    found._repr_html_()
    assert drawn
