"""`capcurve mean` and `compare --by`: the library's numbers, or one line of refusal."""

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call, done, refused
from oracles.oracle_files import DATA

MEANS = DATA.parent / "means"
QUERIES = json.loads((MEANS / "data.json").read_text("utf-8"))["queries"]
FOLDS = json.loads((MEANS / "data.json").read_text("utf-8"))["folds5"]
EXPECTED = json.loads((MEANS / "expected.json").read_text("utf-8"))
RELEVANT = [int(grade > 0) for grade in QUERIES["target"]]
USUAL = ("queries.csv", "-t", "y", "-s", "a", "--by", "query")
FOLDED = ("folds.csv", "-t", "y", "-s", "a", "--by", "fold")


def write(name, columns):
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"query": QUERIES["segment"], "y": RELEVANT, "grade": QUERIES["target"]}
    columns |= {name: QUERIES[name] for name in ("a", "b", "cluster")}
    columns |= {"c": [-score for score in QUERIES["a"]]}
    write("queries.csv", columns)
    write("gaps.csv", columns | {"query": [n if n != "q0" else "" for n in QUERIES["segment"]]})
    write("folds.csv", {"fold": FOLDS["segment"], "y": FOLDS["target"]} | {"a": FOLDS["a"]})


def asked(*options, of=USUAL):
    return json.loads(done("mean", *of, *options, "-f", "json").stdout)


def mean(**options):
    given = {"metric": "accuracy_ratio", **options}
    return cap.mean_over(RELEVANT, QUERIES["a"], by=QUERIES["segment"], **given)


def agree(found, expected):
    for name in ("estimate", "se", "df", "low", "high", "level", "n_segments", "metric"):
        assert found[name] == getattr(expected, name), name
    assert found["left_out"] == dict(expected.left_out)


WAYS = {
    "usual": ((), {}),
    "auc": (("--metric", "auc"), {"metric": "roc_auc"}),
    "map": (("--metric", "map"), {"metric": "average_precision"}),
    "mrr": (("--metric", "mrr"), {"metric": "reciprocal_rank"}),
    "recall@3": (("--metric", "recall@3"), {"metric": "captured_response", "k": 3}),
    "P@5": (("--metric", "P@5"), {"metric": "precision", "k": 5}),
    "hit@1": (("--metric", "hit@1"), {"metric": "hit_rate", "k": 1}),
    "ndcg@3": (("--metric", "ndcg@3"), {"metric": "ndcg", "k": 3}),
    "k": (("--metric", "recall", "--k", "3"), {"metric": "captured_response", "k": 3}),
    "weights": (
        ("--metric", "auc", "--weights", "pairs"),
        {"metric": "roc_auc", "weights": "pairs"},
    ),
    "lacking 0": (
        ("--metric", "mrr", "--lacking", "0"),
        {"metric": "reciprocal_rank", "lacking": 0},
    ),
    "level": (("--metric", "map", "--level", ".9"), {"metric": "average_precision", "level": 0.9}),
}


@pytest.mark.parametrize("way", WAYS)
def test_json_is_the_record_of_the_library(way):
    options, same = WAYS[way]
    expected = mean(**same)
    found = asked(*options)
    agree(found, expected)
    told = json.loads(json.dumps(expected.to_dict()))
    assert {name: found[name] for name in told} == told


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in EXPECTED["means"]
        if case["data"] == "folds5" and case["score"] == "a" and case["metric"] == "roc_auc"
    ],
    ids=lambda case: " ".join(map(str, case["options"].values())),
)
def test_folds_have_the_numbers_of_fractions(case):
    options = [word for name, value in case["options"].items() for word in (f"--{name}", value)]
    found, expected = asked("--metric", "auc", *options, of=FOLDED), case["expected"]
    assert found["estimate"] == pytest.approx(expected["estimate"], abs=1e-12)
    for name in ("se", "low", "high"):
        assert found[name] == pytest.approx(expected[name], abs=1e-9)
    assert found["df"] == pytest.approx(expected["df"], rel=1e-9)


def test_amounts_are_gains():
    of = ("queries.csv", "--amount", "grade", "-s", "a", "--by", "query", "--metric", "ndcg@3")
    for gain, estimate in (("linear", 0.756236736903636), ("exponential", 0.710402858652409)):
        found = asked("--gain", gain, of=of)
        assert found["estimate"] == pytest.approx(estimate, abs=1e-12)


def test_text_is_that_of_the_library():
    said = done("mean", *USUAL, "--metric", "mrr")
    heading, *lines = said.stdout.strip().splitlines()
    assert heading == "Mean reciprocal rank (a for y)"
    assert lines == mean(metric="reciprocal_rank").to_text().strip().splitlines()[1:]
    text = " ".join(said.stdout.split())
    assert "Mean reciprocal rank over 11 of 12 segments" in text
    assert "0.928 [0.611, 1.000]" in text
    assert "1 segment is left out: no positives." in text


def test_several_scores_have_a_row_each():
    said = done("mean", *USUAL, "-s", "b", "--metric", "map", "-f", "csv")
    rows = [*csv.DictReader(io.StringIO(said.stdout))]
    assert [row["score"] for row in rows] == ["a", "b"]
    for row in rows:
        expected = cap.mean_over(
            RELEVANT, QUERIES[row["score"]], by=QUERIES["segment"], metric="average_precision"
        )
        for name in ("estimate", "low", "high"):
            assert float(row[name]) == getattr(expected, name)
    text = done("mean", *USUAL, "-s", "b", "--metric", "map").stdout
    assert "0.834" in text
    assert "0.712" in text


def test_a_direction_of_one_score():
    turned = asked("--metric", "auc", "--higher-is", "negative", of=(*USUAL[:4], "c", *USUAL[5:]))
    agree(turned, mean(metric="roc_auc"))


def test_rows_without_a_segment_are_left_out_aloud():
    of = ("gaps.csv", *USUAL[1:])
    found = asked("--metric", "auc", of=of)
    assert found["left_out"] == {"no segment": 1, "no positives": 1, "no negatives": 2}
    assert "no segment are left out" in done("mean", *of, "--metric", "auc").stdout


def test_clusters_hold_whole_segments():
    found = asked("--metric", "map", "--cluster", "cluster")
    agree(found, mean(metric="average_precision", cluster=QUERIES["cluster"]))
    assert found["df"] == pytest.approx(2.903225806451613)


@pytest.mark.parametrize("suffix", ["html", "csv", "json", "xlsx", "md", "tex", "txt"])
def test_every_kind_of_file(suffix):
    said = done("mean", *USUAL, "--metric", "mrr", "-o", f"out.{suffix}")
    assert said.stdout == ""
    content = Path(f"out.{suffix}").read_bytes()
    assert content
    if suffix == "csv":
        rows = [*csv.DictReader(io.StringIO(content.decode()))]
        assert [*rows[0]] == ["segment", "n", "positives", "value", "weight"]
        assert len(rows) == 12
        assert {row["segment"]: row["value"] for row in rows}["q2"] == ""
    elif suffix != "xlsx":
        assert b"0.92" in content
    if suffix == "json":
        agree(json.loads(content), mean(metric="reciprocal_rank"))


def test_saved_counts_and_other_files_have_the_same_numbers():
    expected = asked("--metric", "map")
    counts = cap.count_segments(RELEVANT, QUERIES["a"], by=QUERIES["segment"])
    cap.write_counts(counts, "cells.parquet")
    found = json.loads(
        done("mean", "cells.parquet", "--counts", *("--metric", "map"), "-f", "json").stdout
    )
    for name in ("estimate", "se", "low", "high", "left_out"):
        assert found[name] == expected[name]
    data = Path("queries.csv").read_text("utf-8")
    piped = json.loads(
        done("mean", "-", *USUAL[1:], "--metric", "map", "-f", "json", data=data).stdout
    )
    assert piped["estimate"] == expected["estimate"]


def test_several_columns_are_crossed():
    found = asked("--metric", "map", "--by", "cluster")
    expected = cap.mean_over(
        RELEVANT,
        QUERIES["a"],
        by=[QUERIES["segment"], QUERIES["cluster"]],
        metric="average_precision",
    )
    assert found["estimate"] == pytest.approx(expected.estimate, abs=1e-12)


# Two scores


def compared(*options):
    said = done("compare", *USUAL, "-s", "b", *options, "-f", "json")
    return json.loads(said.stdout)


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ((), {}),
        (("--metric", "map"), {"metric": "average_precision"}),
        (("--metric", "recall@3"), {"metric": "captured_response", "k": 3}),
        (
            ("--metric", "mrr", "--weights", "positives"),
            {"metric": "reciprocal_rank", "weights": "positives"},
        ),
        (("--metric", "ndcg@5", "--lacking", "0"), {"metric": "ndcg", "k": 5, "lacking": 0}),
    ],
)
def test_a_comparison_over_segments_is_that_of_the_library(options, same):
    scores = {"a": QUERIES["a"], "b": QUERIES["b"]}
    expected = cap.compare(RELEVANT, scores, by=QUERIES["segment"], **same)
    (found,), (pair,) = compared(*options)["pairs"], expected.pairs
    for name in ("estimate", "se", "df", "low", "high", "p_value"):
        assert found[name] == getattr(pair, name), name


def test_compare_without_by_refuses_words_about_segments():
    for words in (("--segments", "fixed"), ("--weights", "cases"), ("--lacking", "0")):
        text = refused("compare", "queries.csv", "-t", "y", "-s", "a", "-s", "b", *words)
        assert "--by" in text


# What is refused


REFUSED = {
    "no segments": (("queries.csv", "-t", "y", "-s", "a"), ["--by"]),
    "a missing file": (("none.csv", *USUAL[1:]), ["none.csv"]),
    "an unknown column": ((*USUAL[:-1], "queri"), ["queri", "query"]),
    "an unknown metric": ((*USUAL, "--metric", "aucc"), ["aucc"]),
    "weights": ((*USUAL, "--weights", "size"), ["equal", "cases", "positives", "pairs"]),
    "segments": ((*USUAL, "--segments", "random"), ["drawn", "fixed"]),
    "gain": ((*USUAL, "--metric", "ndcg", "--gain", "log"), ["linear", "exponential"]),
    "lacking": ((*USUAL, "--lacking", "zero"), ["lacking"]),
    "lacking beyond": ((*USUAL, "--metric", "auc", "--lacking", "2"), ["lacking"]),
    "level": ((*USUAL, "--level", "95"), ["level"]),
    "k 0": ((*USUAL, "--metric", "recall", "--k", "0"), ["k"]),
    "k 2.5": ((*USUAL, "--metric", "recall", "--k", "2.5"), ["2.5"]),
    "k twice": ((*USUAL, "--metric", "recall@5", "--k", "5"), ["k"]),
    "k of auc": ((*USUAL, "--metric", "auc", "--k", "5"), ["k"]),
    "no k": ((*USUAL, "--metric", "hit"), ["k"]),
    "recall@x": ((*USUAL, "--metric", "recall@x"), ["recall@x"]),
    "gain of auc": ((*USUAL, "--metric", "auc", "--gain", "linear"), ["gain"]),
    "fixed mrr": ((*USUAL, "--metric", "mrr", "--segments", "fixed"), ["drawn"]),
    "a wrong ending": ((*USUAL, "-o", "out.doc"), ["out.doc"]),
    "by the target": (("queries.csv", "-t", "y", "-s", "a", "--by", "y"), ["segment"]),
    "amounts and fixed": (
        ("queries.csv", "--amount", "grade", *USUAL[3:], "--segments", "fixed"),
        ["drawn"],
    ),
    "weights of some": ((*USUAL, "--weights", "q0=1,q1=2"), ["q10", "--weights"]),
    "weights of text": ((*USUAL, "--weights", "q0=x"), ["q0=x"]),
    "at and k": ((*USUAL, "--metric", "recall", "--k", "3", "--at", ".2"), ["--at", "--k"]),
    "a cluster across": ((*USUAL, "--metric", "map", "--cluster", "b"), ["--cluster"]),
    "a grade as target": (("queries.csv", "-t", "grade", *USUAL[3:]), ["--pos-label"]),
    "lacking raise": ((*USUAL, "--metric", "map", "--lacking", "raise"), ["positive"]),
    "none left": (
        (
            "queries.csv",
            "-t",
            "y",
            "-s",
            "a",
            "--by",
            "a",
            "--by",
            "b",
            "--by",
            "query",
            "--metric",
            "auc",
            "--by",
            "grade",
        ),
        ["segment"],
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_bad_input_is_refused_in_one_line(wrong):
    words, parts = REFUSED[wrong]
    result = call("mean", *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    text = result.stderr
    assert text.startswith("capcurve: error: ")
    assert len(text.splitlines()) <= 2
    for part in parts:
        assert part in text, text
    assert not Path("out.doc").exists()


def test_options_are_named_as_they_are_typed():
    text = refused("mean", *USUAL, "--metric", "recall@5", "--k", "5")
    assert "k=" not in text
    text = refused("mean", *USUAL, "--metric", "map", "--lacking", "raise")
    assert "lacking=" not in text
    text = refused("mean", *USUAL, "--metric", "mrr", "--segments", "fixed")
    assert "segments=" not in text


def test_warnings_are_in_words_of_the_command():
    said = done("mean", *USUAL, "--metric", "auc", "-o", "out.html")
    assert "left out" in said.stderr
    assert "--lacking" in said.stderr
    assert "lacking=" not in said.stderr
    assert "segments=" not in said.stderr


def test_bad_rows_are_refused_with_their_place():
    lines = Path("queries.csv").read_text("utf-8").splitlines()
    lines[5] = lines[5].replace(f",{QUERIES['a'][4]},", ",,", 1)
    Path("queries.csv").write_text("\n".join(lines), "utf-8")
    text = refused("mean", *USUAL)
    assert "missing" in text
    kept = done("mean", *USUAL, "--missing", "drop", "--metric", "map", "-f", "json")
    assert 0 < json.loads(kept.stdout)["estimate"] < 1


def test_help_shows_what_to_type():
    said = done("mean", "--help").stdout
    for word in ("--by", "--metric", "--segments", "--weights", "--lacking", "--gain", "Examples:"):
        assert word in said
    assert "mean" in done("--help").stdout


def test_sixty_segments_and_more_leave_the_rows_out_of_json():
    rng = np.random.default_rng(1)
    by = np.repeat(np.arange(61), 4)
    y = np.tile([1, 0, 0, 1], 61)
    write("many.csv", {"q": by, "y": y, "s": rng.integers(0, 9, 244)})
    found = asked("--metric", "map", of=("many.csv", "-t", "y", "-s", "s", "--by", "q"))
    assert found["n_segments"] == 61
    assert not found.get("table")
    assert math.isfinite(found["se"])
