"""Limits that are printed beside an adjusted p-value agree with it, whatever is compared."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import capcurve as cap

NAMES = ("a", "b", "c", "d")


def scores_of(rng, outcome):
    """Return four scores, of which the first two are nearly alike and the last is a copy."""
    base = rng.normal(size=len(outcome)) + 0.8 * outcome
    noise = {"a": 0.1, "b": 0.3, "c": 1.5}
    found = {
        name: np.round(base + rng.normal(0, each, len(outcome)), 1) for name, each in noise.items()
    }
    return {**found, "d": found["c"]}


def joint_of(design, rng):
    """Return the counts of four scores of the same rows, of some design."""
    y = np.append((rng.random(120) < 0.3).astype(int), [0, 0, 1, 1])
    scores = scores_of(rng, y)
    if design == "weights":
        return cap.count_joint(y, scores, weight=rng.exponential(size=124), weight_kind="sampling")
    if design == "clusters":
        return cap.count_joint(y, scores, cluster=rng.integers(0, 40, 124))
    if design == "amounts":
        return cap.count_joint_values(y * rng.exponential(size=124), scores)
    if design == "PDs":
        chances = {name: 1 / (1 + np.exp(-each)) for name, each in scores.items()}
        return cap.count_joint(y, chances)
    if design == "trial":
        arm = np.arange(124) % 2
        return cap.count_joint_uplift(y, arm, scores)
    return cap.count_joint(y, scores)


ASKED = [
    ("plain", {"metric": "accuracy_ratio"}),
    ("plain", {"metric": "roc_auc", "law": "normal"}),
    ("plain", {"metric": "average_precision"}),
    ("plain", {"metric": "captured_response", "q": 0.2}),
    ("plain", {"metric": "lift", "q": 0.1}),
    ("plain", {"metric": "selective_risk", "coverage": 0.6}),
    ("PDs", {"metric": "brier_score"}),
    ("PDs", {"metric": "net_benefit", "threshold": 0.4}),
    ("weights", {"metric": "roc_auc"}),
    ("weights", {"metric": "average_precision"}),
    ("clusters", {"metric": "accuracy_ratio"}),
    ("clusters", {"metric": "captured_response", "q": 0.2}),
    ("amounts", {"metric": "accuracy_ratio"}),
    ("trial", {"metric": "qini"}),
    ("trial", {"metric": "autoc"}),
]


@pytest.mark.turns(4)
@pytest.mark.parametrize(("design", "asked"), ASKED)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), level=st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_limits_of_all_pairs_leave_out_0_exactly_where_the_adjusted_p_value_says_so(
    design, asked, seed, level
):
    joint = joint_of(design, np.random.default_rng(seed))
    found = cap.compare(joint, level=level, **asked)
    assert len(found.pairs) == 6
    for pair in found.pairs:
        assert pair.p_adjusted == min(1.0, 6 * pair.p_value)
        if abs(pair.p_adjusted - (1 - level)) > 1e-9:
            assert (pair.low > 0 or pair.high < 0) == (pair.p_adjusted < 1 - level)


def test_limits_of_all_pairs_are_those_of_a_pair_alone_at_a_higher_level():
    joint = joint_of("plain", np.random.default_rng(1))
    several = cap.compare(joint, level=0.94).pairs[1]  # a minus c
    names = ("a", "c")
    pair = {name: range(1, len(joint.margin(name)) + 1) for name in names}
    (alone,) = cap.compare(joint.joined(pair), level=0.99).pairs
    assert alone.p_adjusted is None
    assert (several.low, several.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert several.p_value == pytest.approx(alone.p_value, rel=1e-9)
    assert (several.level, several.se) == (0.94, alone.se)


def test_sentences_say_for_how_many_pairs_limits_and_p_values_hold():
    joint = joint_of("plain", np.random.default_rng(1))
    said = cap.compare(joint).sentences_on_pairs
    assert all(each.endswith(" after allowing for 6 comparisons).") for each in said)
    assert "c and d rank all cases identically" in said[5]
    assert not any("Holm" in each for each in said)


def test_challengers_are_as_many_as_are_named():
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.3).astype(int)
    scores = scores_of(rng, y)
    joint = cap.count_joint(y, {name: scores[name] for name in "abc"})
    sheet = cap.validate(joint.margin("a"), joint=joint)
    for name in "bc":
        one = sheet.tests[f"challenger.{name}"]
        (alone,) = cap.compare(y, {"a": scores["a"], name: scores[name]}, level=0.975).pairs
        assert (one.low, one.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
        assert one.p_adjusted == pytest.approx(min(1.0, 2 * alone.p_value), rel=1e-9)
        assert one.level == 0.95
