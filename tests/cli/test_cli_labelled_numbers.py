"""`capcurve bounds --labelled` and `capcurve check --min-kappa`: the numbers of the library."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import capcurve as cap
from cli_calls import call, done, refused

ROWS = 240
SCORE = [1 + i * 7 % 5 for i in range(ROWS)]
OTHER = [1 + i * 11 % 4 for i in range(ROWS)]
LABEL = [int((SCORE[i] * 3 + i * 5 % 7) > 10) if i % 3 == 0 else None for i in range(ROWS)]
BATCH = ["one" if i < 90 else "two" for i in range(ROWS)]
PARTIAL = cap.count_partial(LABEL, SCORE)
ASKED = ("rows.csv", "-t", "label", "-s", "score")
LABELLED = (*ASKED, "--labelled", "at-random")
KNOWN = ("known.csv", "-t", "label", "-s", "score")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {"score": SCORE, "other": OTHER, "label": pd.array(LABEL, "Int64"), "batch": BATCH}
    rows = pd.DataFrame(columns)
    rows.to_csv("rows.csv", index=False)
    rows.dropna().to_csv("known.csv", index=False)
    rows.assign(score=["_edcba"[score] for score in SCORE]).to_csv("grades.csv", index=False)


def numbers(*words):
    return json.loads(done("bounds", *words, "-f", "json").stdout)


def plain(found):
    return json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize(
    ("words", "metric", "how"),
    [
        ((), "accuracy_ratio", {}),
        (("--metric", "auc", "--of", "cases"), "roc_auc", {"of": "cases"}),
        (("--metric", "captured-response", "--at", "0.2"), "captured_response", {"q": 0.2}),
        (("--metric", "captured-response", "--cutoff", "4"), "captured_response", {"threshold": 4}),
        (("--metric", "lift", "--at", "0.2"), "lift", {"q": 0.2}),
        (("--metric", "precision", "--cutoff", "3"), "precision", {"threshold": 3}),
        (("--metric", "kappa", "--cutoff", "4", "--level", "0.9"), "kappa", {"threshold": 4}),
    ],
)
def test_intervals_are_those_of_the_library(words, metric, how):
    level = {"level": 0.9} if "--level" in words else {}
    found = cap.confidence_interval(PARTIAL, metric, labelled="at random", **how, **level)
    body = numbers(*LABELLED, *words)
    labelled = body["labelled"]
    assert {name: labelled[name] for name in found.to_dict()} == plain(found)
    assert (labelled["labels"], labelled["cases"]) == (80, 240)
    assert (labelled["assumption"], labelled["of"]) == ("at random", how.get("of", "population"))
    bounded = "--cutoff" not in words and metric != "lift"
    assert ("low" in body) is bounded
    if bounded:
        asked = [each for each in words if each not in ("--of", "cases")]
        assert {**body, "labelled": None} == {**numbers(*ASKED, *asked), "labelled": None}


def test_the_share_has_cells_strata_and_odds():
    found = plain(cap.estimate_rate(PARTIAL, labelled="by score", odds=(0.5, 2)))
    words = (*ASKED, "--labelled", "by-score", "--metric", "prevalence")
    body = numbers(*words, "--odds", "0.5:2")
    for name in ("estimate", "low", "high", "se", "cells", "labels_alone", "at_odds", "findings"):
        assert body["labelled"][name] == found[name]
    assert [body["low"], body["high"]] == found["bounds"]
    data = pd.read_csv("rows.csv")
    strata = {key: cap.count_partial("label", "score", data=d) for key, d in data.groupby("batch")}
    body = numbers(*words, "--by", "batch")
    whole = cap.estimate_rate(strata, labelled="by score")
    assert body["labelled"]["estimate"] == whole.estimate
    assert [body["labelled"][end] for end in ("low", "high")] == [*whole]
    assert [each["stratum"] for each in body["strata"]] == ["one", "two"]
    each = cap.estimate_rate(strata["two"], labelled="by score")
    assert body["strata"][1]["estimate"] == each.estimate
    cells = plain(cap.estimate_rate(strata, labelled="by score"))["cells"]
    assert body["labelled"]["cells"] == cells


def test_counts_with_strata_are_read():
    table = []
    for key in ("one", "two"):
        at = [i for i in range(ROWS) if BATCH[i] == key]
        part = cap.count_partial([LABEL[i] for i in at], [SCORE[i] for i in at])
        frame = pd.DataFrame(part.readable_columns())
        table.append(frame.assign(segment=key))
    pd.concat(table).to_csv("counts.csv", index=False)
    words = ("--labelled", "by-score", "--metric", "prevalence", "--by")
    found = numbers("counts.csv", "--counts", *words, "segment")
    assert found["labelled"] == {
        **numbers(*ASKED, *words, "batch")["labelled"],
    }


def test_two_scores_are_compared():
    partial = cap.count_partial(LABEL, {"score": SCORE, "other": OTHER})
    found = cap.compare(partial, labelled="at random").overall
    labelled = numbers(*LABELLED, "-s", "other")["labelled"]
    assert labelled["estimate"] == found.estimate
    assert [labelled["low"], labelled["high"]] == [found.low, found.high]


def test_a_grade_is_a_cut_off():
    grades = ("grades.csv", *LABELLED[1:], "--levels", "a,b,c,d,e", "--metric", "kappa")
    found = numbers(*grades, "--cutoff", "b")["labelled"]
    expected = numbers(*LABELLED, "--metric", "kappa", "--cutoff", "4")["labelled"]
    assert found["estimate"] == pytest.approx(expected["estimate"])
    assert "'q' is not among the grades" in refused("bounds", *grades, "--cutoff", "q")


def test_sentences_begin_with_the_number_from_labels():
    shown = done("bounds", *LABELLED).stdout
    assert "The accuracy ratio of all 240 cases is " in shown
    assert "from 80 labels at random." in shown
    done("bounds", *LABELLED, "--metric", "kappa", "--cutoff", "4", "-o", "k.html")
    page = Path("k.html").read_text(encoding="utf-8")
    assert "Score and label agree on" in page
    assert "kappa moves with the share of positives" in page
    csv = done("bounds", *LABELLED, "-f", "csv").stdout.splitlines()
    assert csv[0] == "estimate,low,high,se,labels,cases"
    shares = done(
        "bounds", *LABELLED, "--metric", "prevalence", "--by", "batch", "-f", "csv"
    ).stdout
    assert shares.startswith("batch,cases,labels,rate,low,high\none,90,30,")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*ASKED, "--metric", "kappa"), "--metric kappa needs --labelled at-random or by-score"),
        ((*ASKED, "--metric", "prevalence"), "--metric prevalence needs --labelled"),
        ((*ASKED, "--of", "cases"), "--of goes with --labelled"),
        ((*ASKED, "--metric", "lift", "--cutoff", "4"), "--cutoff goes with --labelled"),
        ((*ASKED, "--by", "batch"), "--by is for --labelled with --metric prevalence"),
        ((*LABELLED, "--by", "batch"), "--by is for --labelled with --metric prevalence"),
        ((*LABELLED, "--metric", "kappa"), "--metric kappa needs --cutoff, such as --cutoff 4"),
        ((*LABELLED, "--metric", "kappa", "--at", "0.1"), "not kappa"),
        ((*LABELLED, "--metric", "lift"), "--metric lift is read at a depth"),
        ((*LABELLED, "--cutoff", "4"), "--cutoff is for --metric captured-response, lift"),
        (
            (*LABELLED, "--metric", "lift", "--cutoff", "4", "--at", "0.1"),
            "--at and --cutoff both say what is selected; give one",
        ),
        ((*LABELLED, "--metric", "kappa", "--cutoff", "9"), "--cutoff 9 selects no case"),
        ((*LABELLED, "--metric", "kappa", "--cutoff", "4,5"), "--cutoff must be a score"),
        ((*LABELLED, "--metric", "kappa", "--cutoff", "4", "--ordered"), "has none; leave it out"),
        ((*LABELLED, "--metric", "prevalence", "--minimum", "0.1"), "--minimum narrows bounds"),
        ((*LABELLED, "--metric", "lift", "--at", ".1", "--odds", "1:2"), "--odds narrows bounds"),
        (
            (*LABELLED, "--metric", "kappa", "--cutoff", "4", "-s", "other"),
            "--metric kappa with --labelled is for one score; pass one --score",
        ),
        ((*LABELLED, "--labelled", "somehow"), "'somehow' is not one of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words, said):
    assert said in refused("bounds", *words)


def test_a_stratum_without_labels_is_named():
    rows = pd.read_csv("rows.csv")
    rows.loc[rows["batch"] == "two", "label"] = None
    rows.to_csv("bare.csv", index=False)
    words = (*LABELLED[1:], "--metric", "prevalence", "--by", "batch")
    assert refused("bounds", "bare.csv", *words).startswith("two: no case has a label")


def test_kappa_is_judged_by_its_lower_limit():
    counts = cap.count_scores(*(pd.read_csv("known.csv")[name] for name in ("label", "score")))
    for counted, words in ((counts, KNOWN), (PARTIAL, LABELLED)):
        how = {} if counted is counts else {"labelled": "at random"}
        found = cap.confidence_interval(counted, "kappa", threshold=4, side="lower", **how)
        assert found.low < found.estimate
        for minimum, code in ((found.low - 0.01, 0), (found.low + 0.01, 1)):
            rule = ("--min-kappa", f"{minimum:.4f}", "--cutoff", "4", "-f", "json")
            result = call("check", *words, *rule)
            (check,) = json.loads(result.stdout)["checks"]
            assert (result.exit_code, check["low"]) == (code, found.low)
            assert check["threshold"] == 4


def test_other_minimums_are_judged_by_labels():
    rules = ("--min-ar", "0.1", "--min-auc", "0.5", "--min-captured", "0.2=0.1", "--min-lift")
    result = call("check", *LABELLED, *rules, "0.2=0.9", "-f", "json")
    checks = {each["metric"]: each for each in json.loads(result.stdout)["checks"]}
    for metric, q in (("accuracy_ratio", None), ("roc_auc", None), ("lift", 0.2)):
        how = {"labelled": "at random", "side": "lower", "q": q}
        found = cap.confidence_interval(PARTIAL, metric, **how)
        assert (checks[metric]["estimate"], checks[metric]["low"]) == (found.estimate, found.low)
    both = done("check", *LABELLED, "-s", "other", "--min-ar", "-1").stdout
    assert "PASS other: accuracy ratio" in both
    assert "from 80 labels at random" in both


def test_labels_that_are_not_random_are_told():
    rows = pd.read_csv("rows.csv")
    rows.loc[rows["score"] < 3, "label"] = None
    rows.to_csv("top.csv", index=False)
    for words in (("bounds",), ("check", "--min-ar", "-1")):
        found = call(words[0], "top.csv", *LABELLED[1:], *words[1:])
        assert found.exit_code == 0
        assert "random within a score, say --labelled by-score" in found.stderr
    rows.assign(label=None).to_csv("none.csv", index=False)
    said = refused("check", "none.csv", *LABELLED[1:], "--min-ar", "0.1")
    assert said.endswith("bounds still exist: capcurve bounds without --labelled")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*KNOWN, "--min-kappa", "0.6"), "--min-kappa needs --cutoff, such as --cutoff 4"),
        ((*KNOWN, "--min-ar", "0.6", "--cutoff", "4"), "--cutoff goes with --min-kappa"),
        ((*KNOWN, "--min-kappa", "2", "--cutoff", "4"), "--min-kappa must be between -1 and 1"),
        ((*ASKED, "--min-ar", "0.6"), "if only some cases are labelled say how with --labelled"),
        ((*LABELLED, "--min-ks", "0.1"), "--min-ks does not go with --labelled; leave it out"),
        ((*LABELLED, "--min-ar", "0.1", "--by", "batch"), "--by does not go with --labelled"),
        ((*LABELLED, "--min-kappa", "0.1", "--cutoff", "9"), "--cutoff 9 selects no case"),
        (LABELLED, "no rule was given"),
    ],
)
def test_checks_that_make_no_sense_are_refused(words, said):
    assert said in refused("check", *words)
