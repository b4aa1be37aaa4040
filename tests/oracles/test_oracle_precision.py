"""Average precision of real scores, as exact fractions, scikit-learn and rows have it."""

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

EXPECTED = json.loads((DATA / "average_precision.json").read_text())


def close(value, rel=1e-11):
    return pytest.approx(value, rel=rel)


@pytest.fixture(params=EXPECTED["areas"], ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def counts(case):
    columns, weights = oracle(case["file"]), {}
    if case["weight"]:
        weights = {"weight": columns[case["weight"]], "weight_kind": case["weight_kind"]}
    target = columns[case["target"]] == case["pos_label"]
    score = columns[case["score"]]
    return cap.count_scores(target, score, higher_is=case["higher_is"], **weights)


def test_estimates(case, counts):
    assert (counts.n1 > 0) == (case["positives"] > 0)
    for known in case["values"]:
        found = cap.average_precision(counts, **known["options"])
        assert found == close(known["estimate"]), known["options"]


def test_exact_fractions(case, counts):
    names = {"expected": "average_precision", "threshold": "average_precision_threshold"}
    for ties, name in names.items():
        if name in case.get("fractions", {}):
            exact = float(Fraction(case["fractions"][name]))
            assert cap.average_precision(counts, ties=ties) == close(exact, 1e-15)


def test_it_is_the_mean_over_random_orders_of_ties(case, counts):
    if "random_orders_of_ties" in case:
        mean, se = case["random_orders_of_ties"]
        assert cap.average_precision(counts) == pytest.approx(mean, abs=5 * se)


def test_standard_errors(case, counts):
    known = next(each["se"] for each in case["values"] if not each["options"])
    found = cap.confidence_interval(counts, "average_precision")
    assert found.se == pytest.approx(known, rel=1e-7)


def test_limits(case, counts):
    for known in case["values"]:
        asked = {"metric": "average_precision", **known["options"]}
        found = cap.confidence_interval(counts, **asked)
        assert found.se == close(known["se"], 1e-7)
        below, above = (
            cap.confidence_interval(counts, **asked, side=side) for side in ("lower", "upper")
        )
        assert (found.high, above.high) == close((known["interval95"][1], known["upper95"]), 1e-7)
        # With weights lower limits allow for a further heavy row besides: little where, as here,
        # weights do not go with the score.
        lower, expected = (found.low, below.low), (known["interval95"][0], known["lower95"])
        if case["weight"]:
            further = np.array(expected) - lower
            assert ((further > 0) & (further < 0.002)).all()
        else:
            assert lower == pytest.approx(expected, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("case", EXPECTED["compare"], ids=lambda case: case["file"])
def test_two_scores_of_the_same_rows(case):
    columns = oracle(case["file"])
    target = columns[case["target"]] == case["pos_label"]
    scores = {name: columns[name] for name in case["scores"]}
    joint = cap.count_joint(target, scores, higher_is=case["scores"])
    found, (known,) = cap.compare(joint, metric="average_precision").pairs[0], case["pairs"]
    assert found.estimate == close(known["estimate"])
    assert found.se == close(known["se"], 1e-7)
    assert np.sign(found.low) == np.sign(known["low"])
