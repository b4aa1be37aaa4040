"""`capcurve bounds --labelled` and `check --min-kappa`: scores on all cases, labels on some."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import capcurve as cap
from cli_calls import call, done, refused

SETS = Path(__file__).parents[1] / "oracles" / "labels"
EXPECTED = json.loads((SETS / "expected.json").read_text(encoding="utf-8"))
FIRST = EXPECTED["sets"]["judge5"]["expected"]
UNSURE = EXPECTED["sets"]["unsure_first"]["expected"]
JUDGE = ("judge5.csv", "-t", "label", "-s", "score")
RANDOM = ("--labelled", "at-random")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("judge5", "unsure_first", "strata", "all_labelled", "all_positive"):
        shutil.copy(SETS / f"{name}.csv", tmp_path)


def exactly(number):
    return pytest.approx(number, rel=0, abs=1e-9)


def numbers(*words):
    return json.loads(done("bounds", *words, "-f", "json").stdout)["labelled"]


def cases_of(cells):
    """Return the cases of each cell, by row or by column."""
    if isinstance(cells, list):
        return [row["cases"] for row in cells]
    return cells.get("columns", cells)["cases"]


@pytest.mark.parametrize("of", ["population", "cases"])
def test_the_share_of_positives(of):
    words = () if of == "population" else ("--of", "cases")
    found = numbers(*JUDGE, "--metric", "prevalence", *RANDOM, *words)
    for field in ("estimate", "low", "high", "se"):
        assert found[field] == exactly(FIRST[of][field]), field
    assert (found["level"], found["of"]) == (0.95, of)
    assert (found["cases"], found["labels"]) == (400, 60)
    assert found["labels_alone"]["estimate"] == exactly(FIRST["labels_alone"])
    assert cases_of(found["cells"]) == [cell[0] for cell in FIRST["cells"]]
    assert found["method"] == "post_stratified"
    assert found["assumption"].replace("-", " ") == "at random"
    assert isinstance(found["findings"], list)


def test_labels_by_score():
    words = ("unsure_first.csv", *JUDGE[1:], "--metric", "prevalence", "--labelled", "by-score")
    found = numbers(*words)
    for field in ("estimate", "low", "high", "se"):
        assert found[field] == exactly(UNSURE["population"][field]), field
    assert [finding["code"] for finding in found["findings"]] == ["few_labels_here"]
    assert found["assumption"].replace("-", " ") == "by score"


def test_auc_and_accuracy_ratio():
    auc = numbers(*JUDGE, "--metric", "auc", *RANDOM)
    ratio = numbers(*JUDGE, "--metric", "ar", *RANDOM)
    assert auc["estimate"] == exactly(FIRST["roc_auc"]["estimate"])
    assert auc["se"] == exactly(FIRST["roc_auc"]["se_population"])
    assert ratio["estimate"] == exactly(2 * auc["estimate"] - 1)
    assert auc["low"] < auc["estimate"] < auc["high"]


@pytest.mark.parametrize("metric", ["captured-response", "lift", "precision"])
def test_numbers_at_a_share(metric):
    expected = FIRST["captured"][1]
    q = expected["q"]
    found = numbers(*JUDGE, "--metric", metric, "--at", q, *RANDOM, "--of", "cases")
    partial = cap.count_partial("label", "score", data="judge5.csv")
    name = metric.replace("-", "_")
    ours = cap.confidence_interval(partial, name, labelled="at random", of="cases", q=q)
    for field in ("estimate", "low", "high", "se"):
        assert found[field] == exactly(getattr(ours, field)), field
    if metric == "lift":
        assert found["estimate"] == exactly(expected["lift"])


def test_kappa():
    expected = FIRST["kappa"][1]
    found = numbers(*JUDGE, "--metric", "kappa", "--cutoff", "4", *RANDOM)
    for field in ("estimate", "low", "high", "se"):
        assert found[field] == exactly(expected[field]), field


def test_strata():
    words = ("strata.csv", *JUDGE[1:], "--metric", "prevalence", *RANDOM, "--by", "stratum")
    found = numbers(*words)
    for field in ("estimate", "low", "high"):
        assert found[field] == exactly(EXPECTED["strata"][field]), field


def test_other_confidence_levels():
    partial = cap.count_partial("label", "score", data="judge5.csv")
    found = numbers(*JUDGE, "--metric", "prevalence", *RANDOM, "--level", "0.9")
    ours = cap.estimate_rate(partial, level=0.9)
    assert found["level"] == 0.9
    assert [found["low"], found["high"]] == exactly([*ours])


def test_without_labelled_all_is_as_before():
    body = json.loads(done("bounds", *JUDGE, "-f", "json").stdout)
    assert "labelled" not in body
    assert body["metric"] == "accuracy_ratio"
    more = json.loads(done("bounds", *JUDGE, *RANDOM, "-f", "json").stdout)
    for name in ("low", "high", "known_only", "n_known", "n_unknown"):
        assert more[name] == body[name], name


def test_what_is_printed():
    shown = " ".join(done("bounds", *JUDGE, "--metric", "prevalence", *RANDOM).stdout.split())
    for number in ("400", "73.1%", "62.5%", "82.0%", "60", "70.0%", "57.5%", "80.1%", "95.5%"):
        assert number in shown, number


def test_odds_are_shown_beside():
    words = (*JUDGE, "--metric", "prevalence", *RANDOM, "--odds", "0.5:2")
    shown = done("bounds", *words).stdout
    for number in ("63.7%", "81.2%"):
        assert number in shown, number


@pytest.mark.parametrize(
    "name", ["rate.html", "rate.json", "rate.txt", "rate.md", "rate.csv", "rate.svg"]
)
def test_every_format_can_be_written(name):
    done("bounds", *JUDGE, "--metric", "prevalence", *RANDOM, "-o", name)
    assert Path(name).stat().st_size > 100


WRONG = {
    "another word": (
        (*JUDGE, "--metric", "prevalence", "--labelled", "random"),
        ["'random'", "at-random", "by-score"],
    ),
    "another target": (
        (*JUDGE, "--metric", "prevalence", *RANDOM, "--of", "sample"),
        ["'sample'", "cases"],
    ),
    "another metric": ((*JUDGE, "--metric", "ks", *RANDOM), ["'ks'", "prevalence", "kappa"]),
    "kappa without a cut-off": ((*JUDGE, "--metric", "kappa", *RANDOM), ["--cutoff"]),
    "kappa of nobody knows which labels": (
        (*JUDGE, "--metric", "kappa", "--cutoff", "4"),
        ["--labelled"],
    ),
    "captured without a share": ((*JUDGE, "--metric", "captured-response", *RANDOM), ["--at"]),
    "lift without a share": ((*JUDGE, "--metric", "lift", *RANDOM), ["--at"]),
    "a cut-off beyond all scores": (
        (*JUDGE, "--metric", "kappa", "--cutoff", "9", *RANDOM),
        ["9", "1", "5"],
    ),
    "odds below 0": (
        (*JUDGE, "--metric", "prevalence", *RANDOM, "--odds", "-1:2"),
        ["--odds"],
    ),
    "no such column": (
        (*JUDGE, "--metric", "prevalence", *RANDOM, "--by", "batch"),
        ["batch"],
    ),
    "one class to rank": (
        ("all_positive.csv", *JUDGE[1:], "--metric", "auc", *RANDOM),
        ["negatives"],
    ),
    "no file": (("none.csv", *JUDGE[1:], "--metric", "prevalence", *RANDOM), ["none.csv"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(name):
    words, named = WRONG[name]
    said = refused("bounds", *words)
    for each in named:
        assert each in said, said


def test_no_label_at_all():
    Path("none.csv").write_text("score,label\n1,\n2,\n3,\n", encoding="utf-8")
    said = refused("bounds", "none.csv", *JUDGE[1:], "--metric", "prevalence", *RANDOM)
    assert "label" in said


CHECK = (*JUDGE, "--cutoff", "4")


@pytest.mark.parametrize(("least", "code"), [("0.05", 0), ("0.25", 1), ("0.6", 1)])
def test_check_holds_the_lower_limit_of_kappa_against_a_minimum(least, code):
    # Kappa is .310 [.115, .467]; as of other minima the limit decides.
    assert call("check", *CHECK, "--min-kappa", least, *RANDOM).exit_code == code


def test_check_tells_kappa_and_its_limit():
    words = (*CHECK, "--min-kappa", "0.6", *RANDOM, "-f", "json")
    (check,) = json.loads(call("check", *words).stdout)["checks"]
    partial = cap.count_partial("label", "score", data="judge5.csv")
    ours = cap.confidence_interval(
        partial, "kappa", labelled="at random", threshold=4, side="lower"
    )
    assert check["metric"] == "kappa"
    assert (check["estimate"], check["low"]) == exactly((ours.estimate, ours.low))
    assert check["result"] == "fail"


def test_check_needs_no_word_on_labels_where_all_are_labelled():
    words = ("all_labelled.csv", *JUDGE[1:], "--cutoff", "4", "--min-kappa")
    assert call("check", *words, "-0.5").exit_code == 0
    assert call("check", *words, "0.6").exit_code == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((*JUDGE, "--min-kappa", "0.6", *RANDOM), "--cutoff"),
        ((*CHECK, "--min-kappa", "0.6"), "--labelled"),
        ((*CHECK, "--min-kappa", "0.6", "--labelled", "random"), "at-random"),
        ((*JUDGE, "--cutoff", "9", "--min-kappa", "0.6", *RANDOM), "9"),
    ],
)
def test_wrong_use_of_check_is_said_in_one_line(words, named):
    assert named in refused("check", *words)
