"""Scores on all cases and labels on some, as plain Python has it from the rows."""

import csv
import json
import math
from itertools import accumulate
from pathlib import Path

import pytest

import capcurve as cap

HERE = Path(__file__).parents[1] / "oracles" / "labels"
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
SETS = EXPECTED["sets"]
TARGETS = ("population", "cases")
RANKED = [name for name in SETS if "roc_auc" in SETS[name]["expected"]]
# The AUC is 1 there, where log odds are infinite.
DRAWN = [name for name in RANKED if SETS[name]["expected"]["roc_auc"]["estimate"] < 1]
AT_A_CUT_OFF = [(name, place) for name in SETS for place in (0, 1)]
# With labels of one class the number has no limits, as everywhere.
LIMITED = [each for each in AT_A_CUT_OFF if each[0] in RANKED]


def exactly(number):
    return pytest.approx(number, rel=0, abs=1e-9)


def columns_of(name):
    """Return the columns of a file by name, an empty cell as None."""
    with (HERE / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: [_number(row[column]) for row in rows] for column in rows[0]}


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text or None


def counted(name):
    columns = columns_of(name)
    how = {"higher_is": SETS[name]["higher_is"]}
    return cap.count_partial(columns["label"], columns["score"], **how)


def chosen(name):
    return {"labelled": SETS[name]["labelled"]}


def expected_of(name, what):
    return SETS[name]["expected"][what]


def cells_of(found):
    columns = [found.cells[name].tolist() for name in ("cases", "labels", "positives")]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("of", TARGETS)
@pytest.mark.parametrize("name", SETS)
def test_the_share_of_positives(name, of):
    partial, expected = counted(name), expected_of(name, of)
    found = cap.estimate_rate(partial, of=of, **chosen(name))
    assert (found.n, found.labels) == (SETS[name]["n"], SETS[name]["labels"])
    for field in ("estimate", "low", "high", "se"):
        assert getattr(found, field) == exactly(expected[field]), field
    assert tuple(found) == (found.low, found.high)
    lower = cap.estimate_rate(partial, of=of, side="lower", **chosen(name))
    upper = cap.estimate_rate(partial, of=of, side="upper", **chosen(name))
    assert (lower.low, lower.high) == (exactly(expected["lower_only"]), 1)
    assert (upper.low, upper.high) == (0, exactly(expected["upper_only"]))


@pytest.mark.parametrize("name", SETS)
def test_cells_labels_alone_bounds_and_odds(name):
    found = cap.estimate_rate(counted(name), odds=(0.5, 2), **chosen(name))
    assert cells_of(found) == expected_of(name, "cells")
    assert found.labels_alone.estimate == exactly(expected_of(name, "labels_alone"))
    assert found.bounds == exactly(tuple(expected_of(name, "bounds")))
    assert found.at_odds == exactly(tuple(expected_of(name, "odds")))
    assert cap.estimate_rate(counted(name), **chosen(name)).at_odds is None


@pytest.mark.parametrize("name", SETS)
def test_columns_are_estimated_as_their_counts(name):
    columns, how = columns_of(name), chosen(name)
    if SETS[name]["higher_is"] == "negative":
        columns["score"] = [-score for score in columns["score"]]
    found = cap.estimate_rate(columns["label"], columns["score"], **how)
    expected = expected_of(name, "population")
    assert [found.estimate, *found] == exactly([expected[k] for k in ("estimate", "low", "high")])


@pytest.mark.parametrize("of", TARGETS)
@pytest.mark.parametrize("name", SETS)
def test_prevalence_is_the_share_of_positives(name, of):
    partial, expected = counted(name), expected_of(name, of)
    found = cap.confidence_interval(partial, "prevalence", of=of, **chosen(name))
    for field in ("estimate", "low", "high", "se"):
        assert getattr(found, field) == exactly(expected[field]), field
    held = partial.weighted(**chosen(name))
    assert held.prevalence == exactly(expected["estimate"])


@pytest.mark.parametrize("of", TARGETS)
@pytest.mark.parametrize("name", RANKED)
def test_auc_and_accuracy_ratio(name, of):
    partial, expected = counted(name), expected_of(name, "roc_auc")
    assert cap.roc_auc(partial.weighted(**chosen(name))) == exactly(expected["estimate"])
    auc = cap.confidence_interval(partial, "roc_auc", of=of, **chosen(name))
    ratio = cap.confidence_interval(partial, "accuracy_ratio", of=of, **chosen(name))
    assert auc.estimate == exactly(expected["estimate"])
    assert ratio.estimate == exactly(2 * expected["estimate"] - 1)
    if of == "population" and not partial.unknown.n:  # the interval is the usual one
        return
    assert auc.se == exactly(expected[f"se_{of}"])
    assert ratio.se == exactly(2 * expected[f"se_{of}"])


def log_odds(share):
    return math.log(share / (1 - share))


@pytest.mark.parametrize("of", TARGETS)
@pytest.mark.parametrize("name", DRAWN)
def test_limits_are_those_of_weighted_counts_drawn_in(name, of):
    partial, expected = counted(name), expected_of(name, "roc_auc")
    usual = cap.confidence_interval(partial.weighted(**chosen(name)), "roc_auc")
    found = cap.confidence_interval(partial, "roc_auc", of=of, **chosen(name))
    ratio = cap.confidence_interval(partial, "accuracy_ratio", of=of, **chosen(name))
    middle = log_odds(expected["estimate"])
    for limit, wide, of_ratio in zip(found, usual, ratio, strict=True):
        apart = expected[f"drawn_in_{of}"] * (log_odds(wide) - middle)
        assert limit == exactly(1 / (1 + math.exp(-middle - apart)))
        assert of_ratio == pytest.approx(2 * limit - 1, abs=0.02)


@pytest.mark.parametrize(("name", "place"), AT_A_CUT_OFF)
def test_captured_response_and_lift(name, place):
    partial, expected = counted(name), expected_of(name, "captured")[place]
    q, how = expected["q"], chosen(name)
    held = partial.weighted(q=q, **how)
    assert cap.captured_response(held, q) == exactly(expected["captured_response"])
    assert cap.lift(held, q) == exactly(expected["lift"])


@pytest.mark.parametrize(("name", "place"), LIMITED)
def test_standard_errors_of_captured_response_and_lift(name, place):
    partial, expected = counted(name), expected_of(name, "captured")[place]
    q, how = expected["q"], chosen(name)
    captured, lift = (
        cap.confidence_interval(partial, metric, q=q, of="cases", **how)
        for metric in ("captured_response", "lift")
    )
    assert captured.estimate == exactly(expected["captured_response"])
    assert captured.se == exactly(expected["se_cases"])
    assert lift.estimate == exactly(expected["lift"])
    assert lift.se == exactly(expected["se_cases"] / q)


@pytest.mark.parametrize(("name", "place"), LIMITED)
def test_precision_is_lift_times_the_share(name, place):
    partial, expected = counted(name), expected_of(name, "captured")[place]
    q, cells = expected["q"], expected["cells"]
    # With cells that end at the cut-off the share may be another one.
    total = sum(cases for cases, _, _ in cells)
    share = sum(cases * k / n for cases, n, k in cells) / total
    found = cap.confidence_interval(partial, "precision", q=q, of="cases", **chosen(name))
    assert found.estimate == exactly(expected["lift"] * share)
    assert cap.precision(partial.weighted(q=q, **chosen(name)), q) == exactly(found.estimate)


@pytest.mark.parametrize(("name", "place"), AT_A_CUT_OFF)
def test_weights_end_where_the_cut_off_is(name, place):
    partial, expected = counted(name), expected_of(name, "captured")[place]
    held = partial.weighted(q=expected["q"], **chosen(name))
    cases = (held.positives + held.negatives).cumsum()
    for end in accumulate(cell[0] for cell in expected["cells"]):
        assert min(abs(cases - end)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("name", "place"), AT_A_CUT_OFF)
def test_kappa(name, place):
    partial, expected = counted(name), expected_of(name, "kappa")[place]
    asked = {"threshold": expected["threshold"], **chosen(name)}
    found = cap.confidence_interval(partial, "kappa", **asked)
    for field in ("estimate", "low", "high", "se"):
        assert getattr(found, field) == exactly(expected[field]), field
    held = partial.weighted(**asked)
    assert cap.kappa(held, threshold=expected["threshold"]) == exactly(expected["estimate"])


@pytest.mark.parametrize("case", EXPECTED["kappa_of_counts"], ids=lambda case: str(case["counts"]))
def test_kappa_of_whole_counts(case):
    tp, fp, fn, tn = case["counts"]
    counts = cap.ScoreCounts.from_counts([1, 0], [tp, fn], [fp, tn])
    assert cap.kappa(counts, threshold=1) == exactly(case["estimate"])
    found = cap.confidence_interval(counts, "kappa", threshold=1)
    # Limits hold the estimate too, beyond which half a label in each cell moves them.
    limits = min(case["low"], case["estimate"]), max(case["high"], case["estimate"])
    expected = {**case, "low": limits[0], "high": limits[1]}
    for field in ("estimate", "low", "high", "se"):
        assert getattr(found, field) == exactly(expected[field]), field


def test_kappa_of_columns():
    tp, fp, fn, tn = EXPECTED["kappa_of_counts"][0]["counts"]
    label = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    judge = [1] * (tp + fp) + [0] * (fn + tn)
    expected = EXPECTED["kappa_of_counts"][0]
    assert cap.kappa(label, judge, threshold=1) == exactly(expected["estimate"])
    found = cap.confidence_interval(label, judge, "kappa", threshold=1)
    assert [*found] == exactly([expected["low"], expected["high"]])


@pytest.mark.parametrize("case", EXPECTED["given_cells"], ids=lambda case: case["of"])
def test_limits_of_given_cells(case):
    cases, labels, positives = zip(*case["cells"], strict=True)
    negatives = [n - k for n, k in zip(labels, positives, strict=True)]
    unknown = [each - n for each, n in zip(cases, labels, strict=True)]
    partial = cap.PartialCounts.from_counts([3, 2, 1], positives, negatives, unknown)
    found = cap.estimate_rate(partial, of=case["of"])
    assert cells_of(found) == case["cells"]
    for field in ("estimate", "low", "high"):
        assert getattr(found, field) == exactly(case[field]), field


def test_one_cell_is_wilson():
    expected = EXPECTED["one_cell_is_wilson"]
    found = cap.estimate_rate(cap.PartialCounts.from_counts([1], [10], [40], [950]))
    for field in ("estimate", "low", "high"):
        assert getattr(found, field) == exactly(expected[field]), field


def test_two_judges():
    columns, expected = columns_of("two_judges"), EXPECTED["two_judges"]
    scores = {name: columns[name] for name in ("a", "b")}
    found = cap.compare(cap.count_partial(columns["label"], scores), labelled="at random")
    ratios = [expected["accuracy_ratio_a"], expected["accuracy_ratio_b"]]
    assert found.names == ("a", "b")
    assert [*found.estimates] == exactly(ratios)
    (pair,) = found.pairs
    assert pair.estimate == exactly(expected["difference"])
    assert pair.se == exactly(expected["se"])


def test_strata():
    columns, expected = columns_of("strata"), EXPECTED["strata"]
    rows = list(zip(columns["stratum"], columns["score"], columns["label"], strict=True))
    partials = {
        name: cap.count_partial(
            [label for stratum, _, label in rows if stratum == name],
            [score for stratum, score, _ in rows if stratum == name],
        )
        for name in dict.fromkeys(columns["stratum"])
    }
    found = cap.estimate_rate(partials)
    for field in ("estimate", "low", "high"):
        assert getattr(found, field) == exactly(expected[field]), field


def test_what_is_said_of_the_first_judge():
    sentence = cap.estimate_rate(counted("judge5")).to_text()
    numbers = ["73.1%", "62.5%", "82.0%", "70.0%", "57.5%", "80.1%", "10.5%", "95.5%"]
    for number in ["400", "60", *numbers]:
        assert number in sentence, number
