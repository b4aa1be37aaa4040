"""`capcurve change`: the numbers of the library, of two files or periods; errors in one line."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from cli_calls import done, on_terminal, refused

RNG = np.random.default_rng(31)
MONTHS = ("2024-01", "2024-02", "2024-06")
ASK = ("-t", "y", "-s", "s", "--by", "product")


def made():
    """Return rows: outcome, score, product, month, client; products change over the months."""
    rows = []
    for place, month in enumerate(MONTHS):
        for product, size in (("card", 300 - 100 * place), ("loan", 100 + 100 * place)):
            y = RNG.random(size) < 0.2
            s = RNG.normal(size=size) + (1.5 if product == "card" else 0.5) * y
            rows += [
                (int(a), f"{b:.2f}", product, month, f"c{RNG.integers(200)}")
                for a, b in zip(y, s, strict=True)
            ]
    return rows


ROWS = made()


def text_of(rows):
    return "y,s,product,month,client\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text(text_of(ROWS))
    (tmp_path / "before.csv").write_text(text_of([r for r in ROWS if r[3] == MONTHS[0]]))
    (tmp_path / "after.csv").write_text(text_of([r for r in ROWS if r[3] == MONTHS[-1]]))


def counted(month, **options):
    rows = [row for row in ROWS if row[3] == month]
    y, s, by, _, client = map(list, zip(*rows, strict=True))
    if options.pop("cluster", False):
        options["cluster"] = client
    return cap.count_segments(y, list(map(float, s)), by=by, **options)


def expected(
    first=MONTHS[0], last=MONTHS[-1], labels=("before", "after"), cluster=False, **options
):
    samples = (counted(month, cluster=cluster) for month in (first, last))
    return cap.attribute_change(*samples, by="product", labels=labels, **options)


def read(*words):
    return json.loads(done("change", *words, "-f", "json").stdout)


def test_two_files_have_the_numbers_of_the_library():
    assert read("before.csv", "after.csv", *ASK) == expected().to_dict()


def test_two_periods_of_one_file_are_the_same_as_two_files():
    words = ["all.csv", *ASK, "--period", "month", "--from", "2024-01", "--to", "2024-06"]
    assert read(*words) == expected(labels=("2024-01", "2024-06")).to_dict()
    words[-1] = "2024-02"
    assert read(*words) == expected(MONTHS[0], MONTHS[1], ("2024-01", "2024-02")).to_dict()


def test_periods_default_to_the_first_and_the_last_and_are_told():
    result = done("change", "all.csv", *ASK, "--period", "month", "-f", "json")
    assert json.loads(result.stdout) == expected(labels=("2024-01", "2024-06")).to_dict()
    assert "note: month: from 2024-01 to 2024-06; --from and --to name others" in result.stderr
    result = done("change", "all.csv", *ASK, "--period", "month", "--to", "2024-02", "-f", "json")
    assert "note: month: from 2024-01 to 2024-02; --from names another" in result.stderr


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--metric", "auc"], {"metric": "roc_auc"}),
        (["--least", "50"], {"least": 50}),
        (["--level", "0.9"], {"level": 0.9}),
        (["--cluster", "client"], {"cluster": True}),
    ],
)
def test_every_option_reaches_the_numbers(words, options):
    plain = expected().to_dict()
    found = read("before.csv", "after.csv", *ASK, *words)
    assert found == expected(**options).to_dict()
    assert found != plain


@pytest.mark.turns(3)
@pytest.mark.parametrize("metric", ["captured-response", "lift", "precision"])
def test_at_a_depth_no_segments_are_needed(metric):
    words = ("-t", "y", "-s", "s", "--metric", metric, "--at", "0.2")
    found = read("before.csv", "after.csv", *words)
    samples = (cap.ScoreCounts.merge(counted(m).values()) for m in (MONTHS[0], MONTHS[-1]))
    name = metric.replace("-", "_")
    assert found == cap.attribute_change(*samples, metric=name, q=0.2).to_dict()
    rows = list(
        csv.DictReader(
            io.StringIO(done("change", "before.csv", "after.csv", *words, "-f", "csv").stdout)
        )
    )
    assert [row["part"] for row in rows] == ["ranking", "prevalence", "all"]
    total = float(rows[0]["change"]) + float(rows[1]["change"])
    assert total == pytest.approx(float(rows[2]["change"]), abs=1e-12)


def test_csv_has_a_row_per_segment():
    result = done("change", "before.csv", "after.csv", *ASK, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    segments = expected().segments
    assert [row["segment"] for row in rows] == ["card", "loan"]
    assert [float(row["total"]) for row in rows] == segments["total"].tolist()


def test_people_read_the_sentence_first_and_the_findings_on_stderr():
    result = done("change", "before.csv", "after.csv", *ASK)
    lines = result.stdout.splitlines()
    why = expected()
    assert lines[0].startswith(f"{why.presentation().title} (")
    assert lines[2] == why.presentation().sentences[0]
    for finding in why.findings:
        assert finding.message in result.stderr
        assert finding.message not in result.stdout


def test_findings_speak_of_options(tmp_path):
    rows = [(*row[:2], f"p{i % 40}", *row[3:]) for i, row in enumerate(ROWS)]
    (tmp_path / "many.csv").write_text(text_of(rows))
    result = done("change", "many.csv", *ASK, "--period", "month")
    assert "put them together with --least 10" in result.stderr


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "suffix",
    [
        *(".html", ".svg", ".md", ".csv", ".json", ".txt"),
        *(pytest.param(picture, marks=pytest.mark.merge) for picture in (".png", ".pdf")),
    ],
)
def test_every_suffix_is_written(tmp_path, suffix):
    result = done("change", "before.csv", "after.csv", *ASK, "-o", f"why{suffix}")
    assert result.stdout == ""
    assert f"why{suffix} (" in result.stderr
    data = (tmp_path / f"why{suffix}").read_bytes()
    if suffix == ".html":
        text = data.decode().replace("\N{NO-BREAK SPACE}", " ")
        assert expected().presentation().sentences[0] in text
        assert "before.csv, after.csv" in text
        assert "<script" not in text


def test_segments_are_the_same_whatever_type_a_file_makes_them(tmp_path):
    names = {"card": "1", "loan": "2"}
    before = [(*r[:2], names[r[2]], *r[3:]) for r in ROWS if r[3] == MONTHS[0]]
    after = [(*r[:2], names[r[2]], *r[3:]) for r in ROWS if r[3] == MONTHS[-1]]
    after += [(y, "0.10", "other", *after[0][3:]) for y in (0, 1)]
    (tmp_path / "b.csv").write_text(text_of(before))
    (tmp_path / "a.csv").write_text(text_of(after))
    found = read("b.csv", "a.csv", *ASK)
    assert [row["segment"] for row in found["segments"]] == ["1", "2", "other"]
    assert [row["n_after"] > 0 < row["n_before"] for row in found["segments"]] == [
        True,
        True,
        False,
    ]


def test_rows_of_other_periods_may_lack_values(tmp_path):
    rows = [(*r[:1], "" if r[3] == MONTHS[1] else r[1], *r[2:]) for r in ROWS]
    rows.append((1, "0.3", "card", "", "c1"))
    (tmp_path / "gaps.csv").write_text(text_of(rows))
    words = ("--period", "month", "--from", "2024-01", "--to", "2024-06")
    result = done("change", "gaps.csv", *ASK, *words, "-f", "json")
    assert json.loads(result.stdout) == expected(labels=("2024-01", "2024-06")).to_dict()
    assert "note: left out for lack of a month: 1 row" in result.stderr
    words = ("--period", "month", "--from", "2024-01", "--to", "2024-02")
    assert "missing" in refused("change", "gaps.csv", *ASK, *words)


def test_periods_may_be_dates_and_numbers(tmp_path):
    import pandas as pd

    frame = pd.read_csv("all.csv")
    frame["month"] = pd.to_datetime(frame["month"])
    frame.to_parquet(tmp_path / "dates.parquet")
    words = ("--period", "month", "--from", "2024-01-01", "--to", "2024-06-01")
    labels = ("2024-01-01", "2024-06-01")
    assert read("dates.parquet", *ASK, *words) == expected(labels=labels).to_dict()
    frame["month"] = frame["month"].dt.year * 100 + frame["month"].dt.month
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    words = ("--period", "month", "--to", "202406")
    labels = ("202401", "202406")
    assert read("numbers.csv", *ASK, *words) == expected(labels=labels).to_dict()


def test_saved_counts_are_explained_too():
    for name in ("before", "after"):
        done("counts", f"{name}.csv", *ASK, "-o", f"counts_{name}.csv")
    found = read("counts_before.csv", "counts_after.csv", "--counts", "--by", "segment")
    assert found["parts"] == expected().to_dict()["parts"]


def whole(month, cluster=False):
    y, s, _, _, client = zip(*(row for row in ROWS if row[3] == month), strict=True)
    return cap.count_scores(list(y), list(map(float, s)), cluster=client if cluster else None)


@pytest.mark.turns(3)
@pytest.mark.parametrize("words", [("--metric", "auc"), ("--cluster", "client"), ()])
@pytest.mark.parametrize("periods", [True, False])
def test_without_segments_the_change_is_that_of_two_independent_samples(words, periods):
    files = ["all.csv", "--period", "month"] if periods else ["before.csv", "after.csv"]
    first, last = (whole(month, "client" in words) for month in (MONTHS[0], MONTHS[-1]))
    metric = "roc_auc" if "auc" in words else "accuracy_ratio"
    test = cap.compare_independent(last, first, metric=metric)
    found = read(*files, *ASK[:4], *words)
    for name in ("estimate", "se", "low", "high", "p_value"):
        assert found["change"][name] == getattr(test, name)
    assert (found["parts"], found["segments"]) == ({}, None)
    limits = cap.confidence_interval(last, metric)
    assert found["intervals"][1]["low"] == limits.low
    rows = done("change", *files, *ASK[:4], *words, "-f", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(rows)))
    assert [row["sample"] for row in rows] == ["before", "after", "change"]
    assert [float(row["high"]) for row in rows[1:]] == [limits.high, test.high]


@pytest.mark.merge
def test_saved_counts_and_standard_input_have_no_need_of_segments():
    expected = read("before.csv", "after.csv", *ASK[:4])
    done("counts", "before.csv", *ASK[:4], "-o", "plain.csv")
    done("counts", "before.csv", *ASK, "-o", "segmented.csv")
    for before in ("plain.csv", "segmented.csv"):
        assert read(before, "after.csv", *ASK[:4])["change"] == expected["change"]
    done("counts", "after.csv", *ASK[:4], "-o", "plain_after.csv")
    assert read("plain.csv", "plain_after.csv", "--counts")["change"] == expected["change"]
    text = text_of([row for row in ROWS if row[3] == MONTHS[-1]])
    found = done("change", "before.csv", "-", *ASK[:4], "-f", "json", data=text).stdout
    assert json.loads(found)["change"] == expected["change"]


@pytest.mark.merge
def test_a_change_at_a_horizon_needs_no_segments():
    rng = np.random.default_rng(5)
    rows = [
        (month, int(rng.integers(1, 500)), int(rng.random() < 0.5), round(rng.normal(), 1), k % 90)
        for month in MONTHS[:2]
        for k in range(400)
    ]
    lines = [",".join(map(str, row)) + "\n" for row in rows]
    Path("times.csv").write_text("month,d,e,s,client\n" + "".join(lines))
    asked = ("--time", "d", "--event", "e", "--horizon", "200", "-s", "s", "--cluster", "client")
    found = read("times.csv", *asked, "--period", "month")
    first, last = (
        cap.count_times(**dict(zip(("time", "event", "score", "cluster"), columns, strict=True)))
        for month in MONTHS[:2]
        for columns in [list(zip(*(row[1:] for row in rows if row[0] == month), strict=True))]
    )
    test = cap.compare_independent(last.at(200), first.at(200))
    assert found["change"]["p_value"] == test.p_value
    assert "groups of clusters" in found["change"]["method"]
    refused("change", "times.csv", *asked, "--period", "month", "--by", "client")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["all.csv", *ASK], "change compares two files, BEFORE and AFTER, and got 1; for two"),
        (["all.csv", "before.csv", "after.csv", *ASK], "and got 3"),
        (
            ["before.csv", "after.csv", "-t", "y", "-s", "s", "--least", "4"],
            "--least is for segments; name their column with --by",
        ),
        (
            ["before.csv", "after.csv", *ASK[:4], "--metric", "lift", "--at", "2"],
            "is not in the range",
        ),
        (
            ["all.csv", *ASK, "--period", "month", "--from", "2023-01"],
            "--from 2023-01 is not in 'month', which holds 2024-01, 2024-02, 2024-06",
        ),
        (
            ["all.csv", *ASK, "--period", "month", "--from", "2024-06"],
            "--from and --to are the same period, 2024-06; name two",
        ),
        (
            ["before.csv", *ASK, "--period", "month"],
            "needs two periods, and the column holds one, 2024",
        ),
        (["all.csv", *ASK, "--period", "mnth"], "no column 'mnth'; did you mean 'month'?"),
        (["before.csv", "after.csv", *ASK, "-o", "after.csv"], "is also an input"),
        (["before.csv", "nope.csv", *ASK], "nope.csv"),
    ],
)
def test_bad_input_is_refused_in_one_line(words, reason):
    assert reason in refused("change", *words)


def test_of_many_periods_the_first_and_the_last_are_named(tmp_path):
    rows = [(*r[:3], 1000 + i % 30, r[4]) for i, r in enumerate(ROWS)]
    (tmp_path / "many.csv").write_text(text_of(rows))
    line = refused("change", "many.csv", *ASK, "--period", "month", "--to", "7")
    assert "1000, 1001, 1002, 1003, ... 1026, 1027, 1028, 1029 (30 in all)" in line


def test_a_sample_without_a_class_is_named(tmp_path):
    (tmp_path / "good.csv").write_text(text_of([(0, *r[1:]) for r in ROWS[:50]]))
    assert refused("change", "before.csv", "good.csv", *ASK).startswith("good: no positives")


def test_it_fits_the_terminal():
    env = {"NO_COLOR": "1"}
    shown = on_terminal("change", "before.csv", "after.csv", *ASK, env=env)[0].decode()
    assert max(map(len, shown.splitlines())) <= 80
    assert "not shown for lack of width: cases before, cases after" in shown
    assert ("positives before" in shown.replace("\n", " ")) == ("positives after" in shown)
    heads = shown.split("Change of")[1].splitlines()[1:3]
    assert [heads[0].count("positives"), heads[1].count("after")] == [2, 2]
