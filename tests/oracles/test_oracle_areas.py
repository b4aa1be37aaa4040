"""Weighted areas of the CAP of real and simulated scores, as exact fractions and rows have them."""

import json
from fractions import Fraction

import pytest
from oracle_files import DATA, oracle

import capcurve as cap

EXPECTED = json.loads((DATA / "areas.json").read_text())
OF_ERRORS = ("aurc", "auarc", "excess_aurc", "augrc", "selective_risk")
OTHER = {"positive": "negative", "negative": "positive"}


def close(value, rel=1e-11):
    return pytest.approx(value, rel=rel, abs=1e-15)


@pytest.fixture(params=EXPECTED["areas"], ids=lambda case: case["name"])
def case(request):
    return request.param


def counted(case, *, swapped=False):
    columns, weights = oracle(case["file"]), {}
    if case.get("weight"):
        weights = {"weight": columns[case["weight"]], "weight_kind": case["weight_kind"]}
    target = columns[case["target"]] == case["pos_label"]
    higher = case["higher_is"]
    if swapped:
        target, higher = ~target, OTHER[higher]
    return cap.count_scores(target, columns[case["score"]], higher_is=higher, **weights)


def test_estimates(case):
    counts = counted(case)
    for known in case["values"]:
        found = getattr(cap, known["metric"])(counts, **known["options"])
        assert found == close(known["estimate"]), known["metric"]
    for name, text in case.get("fractions", {}).items():
        if name in OF_ERRORS:
            assert getattr(cap, name)(counts) == close(float(Fraction(text)), 1e-14)


def test_positives_that_are_right_answers_give_the_same(case):
    errors, right = counted(case), counted(case, swapped=True)
    for known in case["values"]:
        name, options = known["metric"], known["options"]
        if name in OF_ERRORS:
            function = getattr(cap, name)
            expected = close(function(errors, **options), 1e-12)
            assert function(right, errors="negatives", **options) == expected
            if not case["weight"]:
                pair = [
                    cap.confidence_interval(counts, name, errors=of, **options)
                    for counts, of in ((errors, "positives"), (right, "negatives"))
                ]
                assert pair[1].limits == pytest.approx(pair[0].limits, rel=1e-9, abs=1e-12)


def test_they_are_the_mean_over_random_orders_of_ties(case):
    counts = counted(case)
    for name, (mean, se) in case.get("random_orders_of_ties", {}).items():
        if name != "average_precision":
            assert getattr(cap, name)(counts) == pytest.approx(mean, abs=5 * se)


def test_limits(case):
    counts = counted(case)
    for known in case["values"]:
        if known.get("se") is None:
            continue
        name, options = known["metric"], known["options"]
        if name == "selective_risk":  # limits of a rate, no longer those by standard error
            found = cap.confidence_interval(counts, name, **options)
            assert found.se == close(known["se"], 1e-7)
            assert found.low <= found.estimate < found.high
            continue
        options = options | {"unseen": "none"} if name in OF_ERRORS[:3] else options
        found = cap.confidence_interval(counts, name, **options)
        assert found.se == close(known["se"], 1e-7)
        pairs = [(found.low, known["interval95"][0], -1), (found.high, known["interval95"][1], 1)]
        for side, sign in (("lower", -1), ("upper", 1)):
            if (expected := known.get(f"{side}95")) is not None:
                # One-sided limits are certificates by default.
                certified = {"unseen": "none"}
                one = cap.confidence_interval(counts, name, side=side, **(options | certified))
                pairs.append((one.low if side == "lower" else one.high, expected, sign))
        for limit, expected, sign in pairs:
            if case["weight"]:
                # They allow for a further heavy row too, and for how unevenly rows weigh.
                assert -1e-7 <= sign * (limit - expected) < 0.006, name
            elif name in OF_ERRORS or case["name"] == "tiny":
                # Near an end limits by log odds no longer run away.
                assert sign * (limit - expected) <= 1e-7, name
            else:
                assert limit == pytest.approx(expected, rel=1e-7, abs=1e-12), name


@pytest.mark.parametrize("case", EXPECTED["compare"], ids=lambda case: case["file"])
def test_two_scores_of_the_same_rows(case):
    columns = oracle(case["file"])
    target = columns[case["target"]] == case["pos_label"]
    scores = {name: columns[name] for name in case["scores"]}
    joint = cap.count_joint(target, scores, higher_is=case["scores"])
    for known in case["pairs"]:
        found = cap.compare(joint, metric=known["metric"], **known["options"]).pairs[0]
        assert found.estimate == close(known["estimate"])
        assert found.p_value == close(known["p_value"], 1e-9)
        for field in ("se", "low", "high"):
            assert getattr(found, field) == close(known[field], 1e-7)


def test_aliases_are_other_names_of_lift_and_the_accuracy_ratio(case):
    counts = counted(case)
    for known in case["values"]:
        if known["metric"] == "lift":
            found = cap.confidence_interval(counts, "enrichment_factor", **known["options"])
            assert found.estimate == close(known["estimate"])
    if not case["weight"]:
        assert cap.confidence_interval(counts, "prr").estimate == close(case["accuracy_ratio"])


@pytest.mark.parametrize(
    "known", EXPECTED["amounts"], ids=lambda known: f"{known['score']} {known['exposure']}"
)
def test_amounts(known):
    columns = oracle(known["file"])
    exposure = {"exposure": columns[known["exposure"]]} if known["exposure"] else {}
    amounts, score = columns[known["amount"]], columns[known["score"]]
    values = cap.count_values(amounts, score, higher_is=known["higher_is"], **exposure)
    for name in ("aurc", "excess_aurc", "augrc"):
        if name in known:
            assert getattr(cap, name)(values) == close(known[name])
    if "aurc_se" in known:
        found = cap.confidence_interval(values, "aurc")
        assert found.se == close(known["aurc_se"], 1e-9)
        assert found.limits == pytest.approx(known["aurc_interval95"], rel=1e-9)
