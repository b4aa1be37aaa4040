"""Selective prediction where people meet it: summaries, pages, workbooks, the command line."""

import json
import re

import numpy as np
import openpyxl
import pytest

import capcurve as cap
from cli_calls import call, done, refused
from results_shown import in_words

RNG = np.random.default_rng(5)
N = 1200
RIGHT = (RNG.random(N) < 0.75).astype(int)
SAID = np.round(RNG.normal(size=N) * 0.6 + 1.2 * RIGHT, 1)
COUNTS = cap.count_scores(RIGHT, SAID)
HOW = {"errors": "negatives"}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    rows = [f"{y},{1 - y},{s},{s % 1:.1f}" for y, s in zip(RIGHT, SAID, strict=True)]
    path.write_text("\n".join(["right,wrong,said,other", *rows]))
    return str(path)


def page_data(made):
    """Return what the script of a page draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', made.to_html())
    return json.loads(found.group(1))


@pytest.fixture(scope="module")
def found():
    return cap.summarize(COUNTS, name="said", selective=True, max_risk=0.15, **HOW)


def test_every_number_is_that_of_the_functions(found):
    shown = found.selective
    for name in ("aurc", "excess_aurc", "auarc", "augrc"):
        assert getattr(shown, name) == getattr(cap, name)(COUNTS, **HOW)
        assert shown.intervals[name] == cap.confidence_interval(COUNTS, name, **HOW)
    for coverage in (0.5, 0.8, 0.9):
        asked = {"coverage": coverage, **HOW}
        limits = cap.confidence_interval(COUNTS, "selective_risk", **asked)
        assert shown.risks[coverage] == limits.estimate == cap.selective_risk(COUNTS, **asked)
        assert shown.intervals[f"risk_{100 * coverage:.0f}"] == limits
    assert shown.certified.coverage == cap.certified_cutoff(COUNTS, 0.15, **HOW).coverage
    row = list(shown.table["coverage"]).index(0.8)
    low, high = shown.intervals["risk_80"]
    assert [shown.table[end][row] for end in ("risk_low", "risk_high")] == pytest.approx(
        [low, high], abs=1e-3
    )


def test_what_a_selective_prediction_says(found, golden):
    rng = np.random.default_rng(6)
    rows = {"selective": True, "max_risk": 0.15, **HOW}
    weights = {"weight": rng.random(N) + 0.5}
    sampled = {"weight_kind": "sampling", **weights}
    summaries = {
        "certified": found,
        "not certified": cap.summarize(COUNTS, selective=True, max_risk=0.001, **HOW),
        "not asked to certify": cap.summarize(COUNTS, selective=True, **HOW),
        "weights": cap.summarize(RIGHT, SAID, **sampled, **rows),
        "weights of no kind": cap.summarize(RIGHT, SAID, **weights, **rows),
        "clusters": cap.summarize(RIGHT, SAID, cluster=np.arange(N) // 3, **rows),
    }
    cases = {name: each.selective for name, each in summaries.items()}
    golden("SelectivePrediction, in cases", in_words(cases))


def test_a_summary_has_the_sentences_and_the_numbers(found):
    for text in (found.to_text(), found.to_markdown()):
        assert found.selective.sentence in text
    assert found.selective.certified.sentence in found.to_text()
    row = found.to_row()
    assert row["risk_90"] == cap.selective_risk(COUNTS, 0.9, **HOW)
    assert row["certified_coverage"] == found.selective.certified.coverage
    written = found.to_dict()["selective"]
    assert written["aurc"] == found.selective.aurc
    assert len(written["table"]["columns"]["coverage"]) == 40
    assert "curve" not in written


def test_without_a_certificate_a_finding_says_how_many_cases_would_do():
    found = cap.summarize(COUNTS, selective=True, max_risk=0.001, **HOW)
    (told,) = (each for each in found.findings if each.code == "no_certificate")
    needed = found.selective.certified.needed
    assert f"about {needed:,} cases like these would be enough" in told.message
    assert needed > N


def test_the_cases_that_would_do_are_more_than_there_are():
    # The 120 surest would pass alone, but no sequence of tests starts there.
    score = np.round(np.random.default_rng(5).normal(size=N), 2)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        counts = cap.count_scores(rng.random(N) < 0.1 + 0.1 * (score > 0), score)
        found = cap.certified_cutoff(counts, 0.12)
        assert found.upper is not None or found.needed is None or found.needed > N


@pytest.mark.merge
def test_weights_have_no_certificate_and_clusters_have_limits():
    weights = RNG.random(N) + 0.5
    rows = {"selective": True, "max_risk": 0.15, **HOW}
    weighted = cap.summarize(RIGHT, SAID, weight=weights, weight_kind="sampling", **rows)
    assert weighted.selective.certified is None
    unsaid = cap.summarize(RIGHT, SAID, weight=weights, **rows)
    assert unsaid.selective.intervals == {}
    assert list(unsaid.selective.table.columns) == ["coverage", "risk"]
    assert not unsaid.selective.presentation().charts[0].bands
    clustered = cap.summarize(RIGHT, SAID, cluster=np.arange(N) // 3, **rows)
    for summary in (weighted, clustered):
        (told,) = (each for each in summary.findings if each.code == "no_certificate")
        assert told.message == "no cut-off is certified: a certificate needs independent rows"
    assert clustered.selective.intervals["risk_80"].method == "jackknife"


def test_a_summary_has_it_only_where_it_is_asked_for():
    assert cap.summarize(COUNTS).selective is None
    assert cap.summarize(cap.count_scores([1, 1], [1, 2]), selective=True).selective is None
    values = cap.count_values([3, 0, 1], [1, 2, 3])
    for counts, asked, said in (
        (COUNTS, {"max_risk": 0.1}, "errors= and max_risk= are of selective=True"),
        (COUNTS, HOW, "errors= and max_risk= are of selective=True"),
        (COUNTS, {"selective": True, "prevalence": 0.1}, "risks as counted; leave out prevalence"),
        (COUNTS, {"selective": True, "errors": "x"}, 'errors must be "positives" or "negatives"'),
        (COUNTS, {"selective": True, "max_risk": 2}, "max_risk must be between 0 and 1"),
        (values, {"selective": True}, "selective= is for positives and negatives"),
    ):
        with pytest.raises(ValueError, match=said):
            cap.summarize(counts, **asked)


@pytest.mark.merge
def test_the_page_and_several_scores_show_it(found):
    two = {"said": SAID, "other": SAID % 1}
    made = cap.evaluate(RIGHT, two, selective=True, max_risk=0.15, **HOW)
    page = made.to_html()
    for name in two:
        assert f"<h2>Risk and coverage of {name}</h2>" in page
    assert "Perfect order: all errors last" in page
    assert made.summaries["said"].selective == found.selective
    frame = made.to_frame("polars")
    assert frame["aurc"].to_list() == [each.selective.aurc for each in made.summaries.values()]
    assert "errors at 80% answered" in made.to_text()


def test_what_was_asked_for_is_said_first_and_what_the_top_captures_where_it_says_anything():
    made = cap.evaluate(RIGHT, SAID, selective=True, max_risk=0.15, **HOW)
    shown, sure = made.presentation(), made.summaries["score"].selective.certified
    assert shown.sentences[0] == sure.sentence
    assert "The top 10%" not in " ".join(shown.sentences)  # three in four are positives
    first, second, *others = shown.figures
    assert (first.label, first.short) == ("answered at ≤ 15.0% errors",) * 2
    assert first.value == sure.coverage
    assert (second.label, second.short) == ("errors at 80% answered",) * 2
    assert not [each for each in others if each.metric.startswith(("captured", "lift"))]
    few = cap.evaluate(1 - RIGHT, -SAID, selective=True, max_risk=0.15, errors="negatives")
    assert "The top 10%" in " ".join(few.presentation().sentences)


def test_that_no_cut_off_is_certified_is_said_once():
    made = cap.evaluate(RIGHT, SAID, selective=True, max_risk=0.001, **HOW)
    assert made.presentation().sentences[0].startswith("No cut-off is certified at 0.1% errors")
    assert str(made.presentation().findings).count("certified") == 0
    assert any(each.code == "no_certificate" for each in made.findings)


def test_the_page_opens_at_the_share_that_is_certified():
    made = cap.evaluate(RIGHT, SAID, selective=True, max_risk=0.15, **HOW)
    sure = made.summaries["score"].selective.certified
    data = page_data(made)
    assert data["opens"] == sure.coverage
    selected = np.cumsum(data["models"][0]["tp"]) + np.cumsum(data["models"][0]["fp"])
    assert sure.n in selected.tolist()
    assert page_data(cap.evaluate(RIGHT, SAID))["opens"] is None


@pytest.mark.parametrize(("target", "errors"), [("right", "negatives"), ("wrong", "positives")])
def test_the_workbook_has_each_risk(path, tmp_path, target, errors):
    file = tmp_path / "x.xlsx"
    higher = ("--higher-is", "negative") if target == "wrong" else ()
    done("summary", path, "-t", target, "-s", "said", *higher, "--selective", "--errors", errors,
         "-o", str(file))  # fmt: skip
    sheet = openpyxl.load_workbook(file)["Risk and coverage"]
    rows = [row for row in sheet.values if isinstance(row[0], float | int)]
    assert len(rows) == 10
    for coverage, cases, wrong, *found in rows:
        assert [cases, wrong] == pytest.approx([coverage * COUNTS.n, found[0] * cases], rel=1e-9)
        asked = {"coverage": coverage, **HOW}
        expected = cap.confidence_interval(COUNTS, "selective_risk", **asked)
        assert found[:3] == pytest.approx([expected.estimate, *expected], rel=1e-12)


@pytest.mark.merge
def test_the_command_line_shows_it(path, tmp_path):
    asked = (path, "-t", "right", "-s", "said", "--selective", "--errors", "negatives")
    text = done("summary", *asked, "--max-risk", "0.15").stdout
    assert "Answering the surest 80% of cases leaves" in text
    assert "(the guarantee allows for choosing the cut-off on the same data)" in " ".join(
        text.split()
    )
    (score,) = json.loads(done("summary", *asked, "-f", "json").stdout)["scores"]
    assert score["selective"]["risks"]["0.8"] == cap.selective_risk(COUNTS, 0.8, **HOW)
    csv = done("summary", *asked, "-f", "csv").stdout
    assert "aurc" in csv.splitlines()[0].split(",")
    page = tmp_path / "x.html"
    assert call("report", *asked, "-o", str(page)).exit_code == 0
    assert "Risk and coverage of said" in page.read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--max-risk", "0.1"), "--max-risk goes with --selective; add it"),
        (("--errors", "negatives"), "--errors goes with --selective; add it"),
        (("--selective", "--prevalence", "0.1"), "leave out --prevalence"),
        (("--selective", "--max-risk", "2"), "2.0 is not in the range 0<x<1"),
    ],
)
def test_what_does_not_go_together_is_refused(path, more, said):
    assert said in refused("summary", path, "-t", "right", "-s", "said", *more)


def test_a_maximum_passes_where_the_upper_limit_keeps_it(path, tmp_path):
    asked = ("check", path, "-t", "right", "-s", "said", "--errors", "negatives")
    options = {"level": 0.95, "side": "upper", **HOW}
    area = cap.confidence_interval(COUNTS, "aurc", **options).high
    risk = cap.confidence_interval(COUNTS, "selective_risk", coverage=0.8, **options).high
    for apart, result, code in ((1e-4, "pass", 0), (-1e-4, "fail", 1)):
        bounds = ("--max-aurc", str(area + apart), "--max-selective-risk", f".8={risk + apart}")
        found = call(*asked, *bounds, "-f", "json")
        assert found.exit_code == code
        first, second = json.loads(found.stdout)["checks"]
        assert [first["result"], second["result"]] == [result, result]
        assert [first["high"], second["high"]] == pytest.approx([area, risk])
        assert second["coverage"] == 0.8
    line = done(*asked, "--max-selective-risk", "1=0.5").stdout
    assert line.startswith("PASS selective risk at 100% coverage 0.25")
    none = tmp_path / "none.csv"
    none.write_text("\n".join(["y,s", *(f"0,{s}" for s in range(60))]))
    safe = ("check", str(none), "-t", "y", "-s", "s")
    assert done(*safe, "--max-selective-risk", "1=0.05").stdout.startswith("PASS")
    assert call(*safe, "--max-aurc", "0.05").exit_code == 1
