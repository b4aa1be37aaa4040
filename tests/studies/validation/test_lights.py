"""Lights of a validation sheet: green or red only where it is shown, and grey where undefined."""

import math

import pytest
from hypothesis import given, strategies as some

import capcurve as cap
from capcurve.studies.validation.judgement import (
    NO_INTERVAL,
    SheetTest,
    TestLimits,
    lit,
    meaning_of,
    read_limits,
)

RATIO, PSI, P = "discrimination.accuracy_ratio", "stability.psi", "grades.monotone"
NAN = float("nan")


def light(test_id, own, **numbers):
    return lit(SheetTest.of(test_id, **numbers), {test_id: own}).light


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.45, 0.60, "green"),  # the adverse limit is just there
        (0.44, 0.60, "amber"),
        (0.20, 0.36, "amber"),
        (0.20, 0.35, "amber"),  # the favourable limit is just not below
        (0.20, 0.34, "red"),
        (0.00, 1.00, "amber"),
        (0.50, None, "green"),  # one-sided
        (0.30, None, "amber"),
        (None, 0.30, "red"),
        (None, 0.90, "amber"),
        (NAN, 0.30, "red"),
    ],
)
def test_high_values_are_good(low, high, expected):
    assert light(RATIO, TestLimits(0.45, 0.35), estimate=0.5, low=low, high=high) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.00, 0.10, "green"),
        (0.00, 0.11, "amber"),
        (0.25, 0.90, "amber"),
        (0.26, math.inf, "red"),
        (0.02, math.inf, "amber"),
    ],
)
def test_low_values_are_good(low, high, expected):
    assert light(PSI, TestLimits(0.10, 0.25), estimate=0.2, low=low, high=high) == expected


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [(0.45, "green"), (0.449, "amber"), (0.35, "amber"), (0.349, "red"), (NAN, "grey")],
)
def test_by_the_estimate_the_interval_does_not_matter(estimate, expected):
    own = TestLimits(0.45, 0.35, "estimate")
    assert light(RATIO, own, estimate=estimate, low=-1.0, high=1.0) == expected


def test_an_infinite_number_is_a_number():
    own = TestLimits(0.10, 0.25, "estimate")
    assert light(PSI, own, estimate=math.inf) == "red"


@pytest.mark.parametrize(
    ("p_value", "p_adjusted", "expected"),
    [
        (0.05, None, "green"),
        (0.049, None, "amber"),
        (0.01, None, "amber"),
        (0.009, None, "red"),
        (0.009, 0.2, "green"),  # the adjusted one is judged
        (None, None, "grey"),
        (NAN, None, "grey"),
    ],
)
def test_p_values(p_value, p_adjusted, expected):
    own = TestLimits(0.05, 0.01, "p_value")
    numbers = {"p_value": p_value, "p_adjusted": p_adjusted, "estimate": 99.0}
    assert light(P, own, **numbers) == expected


def test_of_neighbours_a_low_p_value_is_good():
    own = TestLimits(0.05, 0.10, "p_value")
    found = [light("grades.neighbours", own, p_value=p) for p in (0.05, 0.07, 0.2)]
    assert found == ["green", "amber", "red"]


def test_without_an_interval_the_estimate_is_judged_and_that_is_said():
    test = SheetTest.of("concentration.effective_grades", estimate=7.0, notes=("as it is",))
    own = {test.id: TestLimits(6, 4)}
    found = lit(test, own)
    assert found.light == "green"
    assert found.notes == ("as it is", NO_INTERVAL)
    assert lit(found, own) == found  # once is enough
    assert NO_INTERVAL not in lit(test, {test.id: TestLimits(6, 4, "estimate")}).notes


@pytest.mark.parametrize("estimate", [None, NAN])
def test_undefined_is_grey_and_has_its_limits(estimate):
    own = TestLimits(0.45, 0.35)
    found = lit(SheetTest.of(RATIO, estimate=estimate), {RATIO: own})
    assert (found.light, found.limits) == ("grey", own)


def test_without_limits_there_is_no_light():
    test = SheetTest.of(RATIO, estimate=0.9, light="green", limits=TestLimits(0, 0))
    found = lit(test, {PSI: TestLimits(0.1, 0.25)})
    assert (found.light, found.limits) == (None, None)


def test_nothing_else_of_the_test_changes():
    test = SheetTest.of(RATIO, estimate=0.5, low=0.4, high=0.6, method="DeLong", notes=("a",))
    found = lit(test, {RATIO: TestLimits(0.3, 0.2)})
    assert found.notes == ("a",)
    assert (found.estimate, found.low, found.high) == (0.5, 0.4, 0.6)


numbers = some.floats(-1, 1)


@given(some.tuples(numbers, numbers).map(sorted), some.tuples(numbers, numbers).map(sorted))
def test_turning_the_scale_keeps_the_light(ends, limits):
    (low, high), (red, green) = ends, limits
    up = light(RATIO, TestLimits(green, red), estimate=low, low=low, high=high)
    down = light(PSI, TestLimits(-green, -red), estimate=-low, low=-high, high=-low)
    assert up == down


@given(some.tuples(numbers, numbers, numbers).map(sorted), numbers, numbers)
def test_a_narrower_interval_never_changes_the_colour_that_is_shown(ends, one, two):
    low, inside, high = ends
    own = TestLimits(max(one, two), min(one, two))
    wide = light(RATIO, own, estimate=inside, low=low, high=high)
    narrow = light(RATIO, own, estimate=inside, low=inside, high=inside)
    assert wide in ("amber", narrow)


def test_lights_of_grades_ask_for_what_is_shown():
    scale = [f"g{k:02}" for k in range(20)]
    large = cap.ScoreCounts.from_counts(scale, [20] * 20, [180] * 20, levels=scale)
    small = cap.ScoreCounts.from_counts(scale, [1] * 20, [1] * 20, levels=scale)
    limits = {"psi": {"green": 0.1, "red": 0.25}, "effective_grades": {"green": 16, "red": 10}}
    sheets = [cap.validate(now, before=large, limits=limits) for now in (large, small)]
    many, few = (sheet.tests for sheet in sheets)
    for name in ("stability.psi", "concentration.effective_grades"):
        assert many[name].light == "green"
        assert few[name].light == "amber"
    assert few["stability.psi"].high is None
    assert few["concentration.effective_grades"].low < 16


@pytest.mark.parametrize(
    ("ends", "limits", "said"),
    [
        ((0.36, 0.44), (0.45, 0.35), "between the limits"),
        ((0.36, 0.45), (0.45, 0.35), "inconclusive: could be green"),
        ((0.34, 0.44), (0.45, 0.35), "inconclusive: could be red"),
        ((0.34, 0.46), (0.45, 0.35), "inconclusive: could be green or red"),
        ((0.46, 0.5), (0.45, 0.35), ""),
    ],
)
def test_amber_says_whether_the_interval_reaches_beyond_a_limit(ends, limits, said):
    for test_id, sign in (("discrimination.accuracy_ratio", 1), ("initial.drop", -1)):
        low, high = sorted(sign * end for end in ends)
        own = {test_id: {"green": sign * limits[0], "red": sign * limits[1]}}
        test = SheetTest.of(test_id, estimate=(low + high) / 2, low=low, high=high)
        assert meaning_of(lit(test, read_limits(own))) == said
