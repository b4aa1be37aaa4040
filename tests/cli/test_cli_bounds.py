"""`capcurve bounds`: the library's bounds from rows and tables, and one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import capcurve as cap
from capcurve.studies.unknown import tipping_point, unknown_bounds
from cli_calls import done, on_terminal, refused

ROWS = 120
UNKNOWN = {i for i in range(ROWS) if i * i % 13 == 3}
TARGET = [None if i in UNKNOWN else int(i * 7 % 11 + i / 30 > 10) for i in range(ROWS)]
SCORE = [i * 5 % 12 for i in range(ROWS)]
OTHER = [(i * 7 % 11 + i // 40) / 4 for i in range(ROWS)]
PARTIAL = cap.count_partial(TARGET, SCORE)
ASKED = ("-t", "y", "-s", "s")
BLANK = ("blank.csv", *ASKED)


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {1: "bad", 0: "good", None: "open"}
    rows = pd.DataFrame(
        {
            "y": pd.array(TARGET, "Int64"),
            "s": SCORE,
            "o": OTHER,
            "id": [i // 4 for i in range(ROWS)],
            "w": [1 + i % 2 / 2 for i in range(ROWS)],
        }
    )
    rows.to_csv("blank.csv", index=False)
    labels = [names[label] for label in TARGET]
    labels[min(UNKNOWN)] = ""
    rows.assign(y=labels).to_csv("labels.csv", index=False)
    rows.assign(y=[9 if label is None else label for label in TARGET]).to_parquet("nines.parquet")
    known, unknown = PARTIAL.known, PARTIAL.unknown
    table = pd.DataFrame(
        {"score": known.score, "bad": known.positives, "good": known.negatives}
    ).merge(pd.DataFrame({"score": unknown.score, "unknown": unknown.cases}), how="outer")
    table = table.fillna(0).astype(int)
    table.to_csv("table.csv", index=False)
    table.rename(columns={"unknown": "Rejected", "bad": "d"}).to_parquet("named.parquet")


def numbers(*words, **options):
    return json.loads(done("bounds", *words, "-f", "json", **options).stdout)


def expected(partial=PARTIAL, *asked, **how):
    return json.loads(json.dumps(unknown_bounds(partial, *asked, **how).to_dict()))


@pytest.mark.parametrize(
    "words",
    [
        BLANK,
        ("labels.csv", *ASKED, "--pos-label", "bad", "--unknown-label", "open"),
        ("nines.parquet", *ASKED, "--unknown-label", "9"),
        ("nines.parquet", *ASKED, "--unknown-label", "9.0", "--unknown-label", "9"),
        ("table.csv", "--counts"),
        ("named.parquet", "--counts", "-t", "d", "--unknown", "Rejected"),
        ("named.parquet", "--counts", "-t", "d"),
    ],
)
def test_rows_labels_and_tables_have_the_bounds_of_the_library(words):
    assert numbers(*words) == expected()


def test_standard_input_may_hold_labels_to_look_at():
    data = Path("labels.csv").read_text(encoding="utf-8")
    words = ("-", *ASKED, "--pos-label", "bad", "--unknown-label", "open")
    assert numbers(*words, data=data) == expected()


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("words", "asked", "how"),
    [
        (["--metric", "auc"], ["roc_auc"], {}),
        (["--metric", "captured-response", "--at", "0.1"], ["captured_response"], {"q": 0.1}),
        (["--positives", "2:5"], [], {"positives": (2, 5)}),
        (["--positives", "0.1:0.5"], [], {"positives": (0.1, 0.5)}),
        (["--positives", "0.0:1.0"], [], {"positives": (0.0, 1.0)}),
        (["--positives", "0:1"], [], {"positives": (0, 1)}),
        (["--positives", "3"], [], {"positives": 3}),
        (["--odds", "1:3"], [], {"odds": (1, 3)}),
        (["--odds", "1.5"], [], {"odds": 1.5}),
        (["--odds", "1:3", "--pooled"], [], {"odds": (1, 3), "pooled": True}),
        (["--odds", "1:3", "--no-pooled"], [], {"odds": (1, 3), "pooled": False}),
        (["--pooled"], [], {"pooled": True}),
        (["--ordered"], [], {"ordered": True}),
        (["--ordered", "--positives", "4:9"], [], {"ordered": True, "positives": (4, 9)}),
        (["--level", "0.9"], [], {"level": 0.9}),
    ],
)
def test_options_are_those_of_the_library(words, asked, how):
    found = numbers(*BLANK, *words)
    assert found == expected(PARTIAL, *asked, **how)
    assert found != expected()


@pytest.mark.merge
def test_details_of_reading_reach_the_counts():
    data = pd.read_csv("blank.csv")
    for words, how in (
        (["--higher-is", "negative"], {"higher_is": "negative"}),
        (["--resolution", "4"], {"resolution": 4}),
        (["--cluster", "id"], {"cluster": "id"}),
        (
            ["--weight", "w", "--weight-kind", "sampling"],
            {"weight": "w", "weight_kind": "sampling"},
        ),
        (["--levels", "11,10,9,8,7,6,5,4,3,2,1,0"], {"levels": list(range(11, -1, -1))}),
    ):
        partial = cap.count_partial("y", "s", data=data, **how)
        assert numbers(*BLANK, *words) == expected(partial)


def test_two_scores_have_a_difference_first_less_second():
    partial = cap.count_partial(TARGET, {"s": SCORE, "o": OTHER})
    found = numbers(*BLANK, "-s", "o")
    assert found == expected(partial)
    assert found["names"] == ["s", "o"]
    turned = numbers("blank.csv", "-t", "y", "-s", "o", "-s", "s")
    assert turned["low"] == pytest.approx(-found["high"], abs=1e-12)


def test_a_minimum_has_its_tipping_point():
    found = unknown_bounds(PARTIAL)
    minimum = round((found.low + found.known_only) / 2, 3)
    tipping = tipping_point(PARTIAL, minimum)
    assert tipping.positives > 0
    body = numbers(*BLANK, "--minimum", str(minimum))
    assert body["tipping_point"] == json.loads(json.dumps(tipping.to_dict()))
    first, known, _ = tipping.sentence.partition(". It is")
    assert known  # what the bounds say already
    for form in ("table", "md"):
        shown = " ".join(done("bounds", *BLANK, "--minimum", minimum, "-f", form).stdout.split())
        assert first in shown
    done("bounds", *BLANK, "--minimum", minimum, "-o", "page.html")
    assert first in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.merge
def test_every_format_can_be_written():
    sentence = unknown_bounds(PARTIAL).presentation().sentences[0]
    shown = done("bounds", *BLANK)
    assert sentence in shown.stdout
    assert "unknown" in shown.stderr  # findings
    for name, start in (
        ("b.csv", b"case,accuracy_ratio"),
        ("b.png", b"\x89PNG"),
        ("b.svg", b"<?xml"),
        ("b.html", b"<!doctype html>"),
        ("b.json", b"{"),
        ("b.txt", b"Bounds of"),
    ):
        result = done("bounds", *BLANK, "-o", name)
        assert result.stdout == ""
        written = Path(name).read_bytes()
        assert written.lower().startswith(start.lower())
        if name.endswith(".html"):
            assert b"blank.csv" in written


def test_rows_left_out_and_labels_that_nobody_has_are_told():
    found = done("bounds", *BLANK, "--unknown-label", "opne", "-f", "json")
    assert "no row of y holds the label opne of --unknown-label" in found.stderr
    assert json.loads(found.stdout) == expected()
    rows = Path("blank.csv").read_text(encoding="utf-8")
    Path("blank.csv").write_text(f"{rows}1,,2,1,1\n", encoding="utf-8")
    told = refused("bounds", *BLANK)
    assert told.startswith("s is missing in 1 of 121 rows")
    assert told.endswith("pass --missing drop to leave such rows out")
    dropped = done("bounds", *BLANK, "--missing", "drop", "-f", "json")
    assert json.loads(dropped.stdout) == expected()
    assert "1 row without a value was left out (s in 1)" in dropped.stderr
    told = done("bounds", *BLANK, "-s", "o", "--missing", "drop").stderr
    assert told.count("left out") == 2  # for each score, as everywhere


def test_several_tables_add_up():
    Path("again.csv").write_bytes(Path("table.csv").read_bytes())
    twice = numbers("table.csv", "again.csv", "--counts")
    assert twice == expected(PARTIAL + PARTIAL)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nines.parquet", *ASKED), "list labels that stand for an unknown outcome with --unknown"),
        ((*BLANK, "--positives", "a:b"), "--positives must be LEAST:MOST"),
        ((*BLANK, "--positives", "5:2"), "--positives must be two whole numbers"),
        ((*BLANK, "--positives", "0.5:9"), "--positives must be"),
        ((*BLANK, "--positives", "nan"), "--positives must be"),
        ((*BLANK, "--odds", "-1:2"), "--odds must be"),
        ((*BLANK, "--metric", "ks"), "'ks' is not one of"),
        (
            (*BLANK, "--ordered", "--odds", "1:2", "--no-pooled"),
            "known may rise with better scores; pass --pooled",
        ),
        ((*BLANK, "--min-cell", "50"), "cells of s has 10 cases, and --min-cell 50 allows"),
        ((*BLANK, "--memory-limit", "1GB"), "No such option '--memory-limit'"),
        ((*BLANK, "--by", "id"), "--by is for --labelled with --metric prevalence; leave it out"),
        ((*BLANK, "-o", "b.xlsx"), ".xlsx"),
        (("table.csv", "--counts", "--cluster", "id"), "--cluster is for rows"),
        (
            ("table.csv", "--counts", "-s", "score", "-s", "x"),
            "a table of counts contains one score",
        ),
        (("table.csv", "--counts", "--unknown", "gone"), "no column 'gone'"),
        (("blank.csv", "--counts"), "no column is named like the score"),
        (("labels.csv", *ASKED, "--pos-label", "bad"), "holds more than two classes"),
        (
            ("labels.csv", *ASKED, "--pos-label", "bad", "--unknown-label", "bad"),
            "--pos-label bad is among the unknown labels too",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, said):
    assert said in refused("bounds", *words)


@pytest.mark.parametrize(
    ("heading", "row", "said"),
    [
        ("score,n,bad,unknown", "1,9,2,3", "a column negatives, as 'n' may count the unknown or"),
        ("score,bad,unknown", "1,2,3", "there must be a column negatives; the columns are"),
        (
            "score,bad,good",
            "1,2,3",
            "no column is named like the unknown outcomes; name it with --un",
        ),
        ("score,bad,good,unknown,rejected", "1,2,3,4,5", ""),
        ("score,bad,good,rejects,rejected", "1,2,3,4,5", "could all be the unknown outcomes; name"),
        (
            "score,bad,good,unknown",
            "1,2,3,",
            "column 'unknown' has no value in 1 rows; fill them in",
        ),
        ("score,bad,good,unknown", "1,2,3,-4", "unknown holds -4; counts are never negative"),
        ("score,bad,good,unknown", "1,2,3,x", "unknown holds text such as 'x'; counts are numbers"),
        ("grade,bad,good,unknown", "A,2,3,4", "--levels naming the grades"),
        ("score,bad,good,unknown,settings", "1,2,3,4,{}", ""),
    ],
)
def test_tables_that_cannot_be_read(heading, row, said):
    Path("bad.csv").write_text(f"{heading}\n{row}\n", encoding="utf-8")
    if said:
        assert said in refused("bounds", "bad.csv", "--counts")
    else:
        assert numbers("bad.csv", "--counts")["n_unknown"] == 4


@pytest.mark.parametrize("columns", [80, 120])
def test_bounds_fit_the_terminal(columns):
    for words in (BLANK, (*BLANK, "-s", "o"), (*BLANK, "--minimum", "0.1", "--odds", "1:2")):
        shown = on_terminal("bounds", *words, env={"NO_COLOR": "1"}, columns=columns)[0].decode()
        assert [line for line in shown.splitlines() if len(line) > columns] == []
