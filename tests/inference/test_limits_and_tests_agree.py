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
        # The copy of c counts once, so there are three distinct pairs, and the first two scores
        # are so much alike that they count as less.
        assert pair.p_value <= pair.p_adjusted <= min(1.0, 3 * pair.p_value) * (1 + 1e-9)
        if abs(pair.p_adjusted - (1 - level)) > 1e-9:
            assert (pair.low > 0 or pair.high < 0) == (pair.p_adjusted < 1 - level)


def test_limits_of_all_pairs_are_those_of_a_pair_alone_at_a_higher_level():
    joint = joint_of("plain", np.random.default_rng(1))
    found = cap.compare(joint, level=0.94)
    several = found.pairs[1]  # a minus c
    names = ("a", "c")
    pair = {name: range(1, len(joint.margin(name)) + 1) for name in names}
    (alone,) = cap.compare(joint.joined(pair), level=found.pair_level).pairs
    assert alone.p_adjusted is None
    assert 0.94 < found.pair_level < 0.98  # that of Bonferroni for three distinct pairs
    assert (several.low, several.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert several.p_value == pytest.approx(alone.p_value, rel=1e-9)
    assert several.se == pytest.approx(alone.se, rel=1e-12)
    assert several.level == 0.94


def test_sentences_say_for_how_many_pairs_limits_and_p_values_hold():
    joint = joint_of("plain", np.random.default_rng(1))
    said = cap.compare(joint).sentences_on_pairs
    assert all(each.endswith((", 6 pairs).", ", 6 pairs)).")) for each in said)
    assert "c and d rank all cases identically" in said[5]
    one = cap.compare(joint, alternative="superior").sentences_on_pairs
    assert all("one-sided p " in each for each in one[:5])


def test_challengers_are_as_many_as_are_named():
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.3).astype(int)
    scores = scores_of(rng, y)
    joint = cap.count_joint(y, {name: scores[name] for name in "abc"})
    sheet = cap.validate(joint.margin("a"), joint=joint)
    for name in "bc":
        one = sheet.tests[f"challenger.{name}"]
        sides = {name: scores[name], "a": scores["a"]}
        found = cap.compare(y, {other: scores[other] for other in "abc"}, against="a")
        (turned,) = (pair for pair in found.pairs if pair.name == f"{name} minus a")
        (alone,) = cap.compare(y, sides, level=found.pair_level).pairs
        assert 0.95 < found.pair_level < 0.975
        assert (one.low, one.high) == pytest.approx((-turned.high, -turned.low), rel=1e-9)
        assert (-one.high, -one.low) == pytest.approx((alone.low, alone.high), rel=1e-9)
        assert one.p_adjusted == pytest.approx(turned.p_adjusted, rel=1e-9)
        assert alone.p_value < one.p_adjusted < 2 * alone.p_value
        assert one.level == 0.95
