"""Every number of a ranking of amounts, beside exact fractions and the laws it obeys."""

from fractions import Fraction
from itertools import pairwise

import amount_strategies as some
import numpy as np
import pytest
from exact_amounts import concentration
from hypothesis import assume, given, strategies as st

import capcurve as cap

whole_rows = some.rows(some.whole, some.EXPOSURES["whole"])
whole_cases = some.rows(some.whole, None)


def close(value, tolerance=1e-12, largest=1.0):
    """Return what a number agrees with: it may be a rounding of its axis away from 0."""
    return pytest.approx(float(value), rel=tolerance, abs=1e-13 * float(largest))


def heights_at(points, curve):
    """Return a curve at the shares of some points, of which its rounded rates may tie several."""
    return np.interp([float(x) for x, _ in points], curve.x, curve.y).tolist()


def index_close(value):
    """Return what an index agrees with: it is a difference of numbers about 1."""
    return pytest.approx(float(value), rel=1e-12, abs=1e-13)


@some.few
@given(some.rows(), some.directions)
def test_numbers_are_those_of_the_definitions(rows, higher_is):
    values, exact = rows.count(higher_is=higher_is), rows.exact(higher_is)
    assert cap.accuracy_ratio(values) == index_close(exact.accuracy_ratio)
    assert cap.concentration_index(values) == index_close(exact.concentration_index)
    for q in (0.1, 0.25, 0.5, 0.77, 1.0):
        assert cap.captured_response(values, q) == close(exact.captured(q))
        assert cap.lift(values, q) == close(exact.lift(q))
        assert cap.mean_amount(values, q) == close(exact.mean_amount(q), largest=max(exact.rates))
    assert cap.mean_amount(values) == close(exact.amount / exact.exposure)


@pytest.mark.parametrize("kind", [whole_rows, whole_cases], ids=["exposure", "cases"])
def test_whole_amounts_are_rounded_once(kind):
    @given(kind, some.directions)
    def check(rows, higher_is):
        values, exact = rows.count(higher_is=higher_is), rows.exact(higher_is)
        assert cap.accuracy_ratio(values) == float(exact.accuracy_ratio)
        assert cap.concentration_index(values) == float(exact.concentration_index)
        assert values.amount == exact.amount
        assert values.exposure == exact.exposure

    check()


@some.few
@given(some.rows(some.whole), some.directions)
def test_curves_go_through_the_points_of_the_definitions(rows, higher_is):
    values, exact = rows.count(higher_is=higher_is), rows.exact(higher_is)
    for curve, points in ((cap.cap_curve, exact.points), (cap.perfect_cap, exact.perfect_points)):
        absolute, relative = curve(values, absolute=True), curve(values)
        ends = [(x / exact.exposure, y / exact.amount) for x, y in points]
        for drawn, expected in ((absolute, points), (relative, ends)):
            assert heights_at(expected, drawn) == [close(y) for _, y in expected]
            assert len(drawn) <= len(expected)
        if curve is cap.cap_curve:
            assert absolute.x.tolist() == [close(x, 1e-15) for x, _ in points]
            assert relative.x.tolist() == [close(x) for x, _ in ends]
    assert [*cap.random_cap(values, absolute=True).x] == [0, close(exact.exposure)]
    assert [*cap.random_cap(values, absolute=True).y] == [0, close(exact.amount)]


@some.few
@given(some.rows())
def test_areas_give_both_indices(rows):
    values = rows.count()
    model, best = cap.cap_curve(values).area, cap.perfect_cap(values).area
    assert 2 * model - 1 == index_close(cap.concentration_index(values))
    assume(best - 0.5 > 1e-6)
    ratio = (model - 0.5) / (best - 0.5)
    assert ratio == pytest.approx(cap.accuracy_ratio(values), abs=1e-9)


@some.few
@given(some.rows(some.whole))
def test_reversing_the_score_negates_both_indices(rows):
    one, other = rows.count(higher_is="positive"), rows.count(higher_is="negative")
    turned = rows._replace(score=-rows.score).count()
    for number in (cap.accuracy_ratio, cap.concentration_index):
        assert number(other) == index_close(-number(one))
        assert number(turned) == number(other)
    if rows.exposure is None or (rows.exposure % 1 == 0).all():
        assert cap.accuracy_ratio(other) == -cap.accuracy_ratio(one)


@some.few
@given(some.rows(), st.floats(-5, 5))
def test_a_constant_score_is_worth_nothing(rows, constant):
    values = rows._replace(score=np.full(len(rows.score), constant)).count()
    assert cap.accuracy_ratio(values) == 0.0
    assert cap.concentration_index(values) == 0.0
    for q in (0.1, 0.5, 1.0):
        assert cap.captured_response(values, q) == close(q)
        assert cap.lift(values, q) == close(1)
    assert len(cap.cap_curve(values)) == 2


@some.few
@given(some.rows(some.signed), st.floats(-5, 5))
def test_a_constant_score_is_worth_nothing_of_signed_amounts(rows, constant):
    values = rows._replace(score=np.full(len(rows.score), constant)).count()
    assert cap.accuracy_ratio(values) == 0.0


SCALES = st.sampled_from([2.0, 0.25, 3.0, 0.1, 1e-7, 1e9, 2.0**-300, 2.0**300])


@some.few
@given(some.rows(), SCALES, SCALES)
def test_units_do_not_matter(rows, money, time):
    values = rows.count()
    scaled = rows._replace(amount=rows.amount * money, exposure=rows.exposures * time).count()
    assert cap.accuracy_ratio(scaled) == index_close(cap.accuracy_ratio(values))
    assert cap.concentration_index(scaled) == index_close(cap.concentration_index(values))
    for q in (0.1, 0.5):
        assert cap.captured_response(scaled, q) == close(cap.captured_response(values, q))
        assert cap.lift(scaled, q) == close(cap.lift(values, q))
        mean = cap.mean_amount(values, q) * money / time
        assert cap.mean_amount(scaled, q) == close(mean, largest=max(rows.rates) * money / time)


@some.few
@given(some.rows(some.whole, some.EXPOSURES["whole"]), st.integers(-3, 9), some.directions)
def test_an_amount_for_each_unit_of_exposure_changes_no_accuracy_ratio(rows, more, higher_is):
    shifted = rows.with_amount(rows.amount + more * rows.exposure)
    found = cap.accuracy_ratio(shifted.count(higher_is=higher_is))
    assert found == cap.accuracy_ratio(rows.count(higher_is=higher_is))


@some.few
@given(some.rows(some.signed), some.directions)
def test_signed_amounts_have_an_accuracy_ratio(rows, higher_is):
    exact = rows.exact(higher_is)
    assume(exact.best_theta != 0)
    values = rows.count(higher_is=higher_is)
    assert cap.accuracy_ratio(values) == index_close(exact.accuracy_ratio)
    assert -1 <= cap.accuracy_ratio(values) <= 1
    drawn = cap.cap_curve(values, absolute=True)
    assert drawn.y == pytest.approx([float(y) for _, y in exact.points], abs=1e-12)
    best = cap.perfect_cap(values, absolute=True)
    points = exact.perfect_points
    assert heights_at(points, best) == pytest.approx([float(y) for _, y in points], abs=1e-12)
    assert len(best) <= len(points)


@some.few
@given(some.rows(some.signed, some.EXPOSURES["whole"]))
def test_a_profit_of_nothing_in_all_has_an_accuracy_ratio(rows):
    """Two rows bring the total to exactly 0; shares of it mean nothing."""
    amount = np.round(rows.amount)
    amount = np.append(amount, -amount.sum())
    balanced = some.Rows(amount, np.append(rows.score, 0.0), np.append(rows.exposure, 1.0))
    exact, values = balanced.exact(), balanced.count()
    assert exact.amount == 0
    assume(exact.best_theta != 0)
    assert cap.accuracy_ratio(values) == float(exact.accuracy_ratio)


@some.few
@given(some.rows(some.whole, some.EXPOSURES["whole"]))
def test_an_accuracy_ratio_of_1_is_the_order_of_the_rates(rows):
    rates = rows.rates
    found = cap.accuracy_ratio(rows.count())
    pairs = [(s, r) for s, r in zip(rows.score, rates, strict=True)]
    ordered = all(r >= t for s, r in pairs for u, t in pairs if s >= u)
    assert (found == 1.0) == ordered
    ranks = {rate: place for place, rate in enumerate(sorted(set(rates)))}
    by_rate = rows._replace(score=np.array([float(ranks[rate]) for rate in rates]))
    assert cap.accuracy_ratio(by_rate.count()) == 1.0
    assert cap.accuracy_ratio(by_rate.count(higher_is="negative")) == -1.0


@some.few
@given(some.rows(), some.directions)
def test_no_curve_lies_above_the_perfect_one(rows, higher_is):
    values = rows.count(higher_is=higher_is)
    curve, best = cap.cap_curve(values), cap.perfect_cap(values)
    for q in [*curve.x, *best.x, 0.1, 0.5]:
        assert curve.at(q) <= best.at(q) + 1e-12
    ratio = cap.accuracy_ratio(values)
    assert -1 <= ratio <= 1
    if ratio > 0:
        assert cap.concentration_index(values) <= ratio


@some.few
@given(some.rows())
def test_the_perfect_curve_is_concave(rows):
    best = cap.perfect_cap(rows.count())
    slopes = np.diff(best.y) / np.diff(best.x)
    assert (np.diff(slopes) <= 1e-9 * slopes[:-1]).all()


@some.few
@given(some.rows(), some.shares(), some.shares())
def test_more_exposure_holds_no_less(rows, p, q):
    values = rows.count()
    low, high = sorted((p, q))
    between = cap.captured_between(values, low, high)
    captured = cap.captured_response(values, low), cap.captured_response(values, high)
    assert 0 <= captured[0] <= captured[1] <= 1
    assert between == pytest.approx(captured[1] - captured[0], abs=1e-12)
    assert cap.captured_response(values, 0) == 0
    assert cap.captured_response(values, 1) == 1


@some.few
@given(some.rows(), some.shares())
def test_lorenz_reads_the_curve_from_the_other_end(rows, p):
    values = rows.count()
    lorenz = cap.lorenz_curve(values)
    assert lorenz.at(p) == pytest.approx(1 - cap.cap_curve(values).at(1 - p), abs=1e-12)
    assert 1 - 2 * lorenz.area == index_close(cap.concentration_index(values))


@some.few
@given(some.rows(), some.shares())
def test_lift_is_captured_over_the_share(rows, q):
    values = rows.count()
    if q > 0:
        expected = cap.captured_response(values, q) / q
        assert cap.lift(values, q) == pytest.approx(expected, rel=1e-12)
    assert cap.lift_curve(values).at(q) == cap.lift(values, q)
    assert cap.lift(values, 1) == pytest.approx(1, rel=1e-15)


@some.few
@given(some.rows())
def test_local_lifts_add_up_to_everything(rows):
    values = rows.count()
    local = cap.local_lift_curve(values)
    assert local.area == pytest.approx(1, rel=1e-12)
    assert local.step
    captured = cap.cap_curve(values)
    slopes = np.diff(captured.y) / np.diff(captured.x)
    assert local.y[1:] == pytest.approx(slopes, rel=1e-9, abs=1e-12)
    for q, slope in zip(captured.x[1:], local.y[1:], strict=True):
        assert cap.local_lift(values, float(q)) == slope


@some.few
@given(some.rows(some.whole, some.EXPOSURES["whole"]), st.integers(2, 4))
def test_every_row_several_times_is_the_same_ranking(rows, times):
    many, once = rows.take(np.repeat(np.arange(len(rows.amount)), times)).count(), rows.count()
    for number in (cap.accuracy_ratio, cap.concentration_index, cap.mean_amount):
        assert number(many) == number(once)
    for q in (0.1, 0.5, 0.9):
        assert cap.captured_response(many, q) == cap.captured_response(once, q)


@some.few
@given(some.rows(), st.integers(1, 5), st.integers(1, 5), some.inner_shares)
def test_profit_is_value_brought_less_cost_of_exposure(rows, value, cost, q):
    values, exact = rows.count(), rows.exact()
    curve = cap.profit_curve(values, value=value, cost=cost)
    expected = [value * y - cost * x for x, y in exact.points]
    scale = value * float(exact.amount) + cost * float(exact.exposure)
    assert curve.y == pytest.approx([float(p) for p in expected], abs=1e-13 * scale)
    inside = exact.captured(q) * exact.amount * value - Fraction(q) * exact.exposure * cost
    assert curve.at(q) == pytest.approx(float(inside), abs=1e-12 * scale)


@some.few
@given(some.rows(some.signed), st.integers(1, 5), st.integers(1, 5))
def test_profit_of_signed_amounts(rows, value, cost):
    curve = cap.profit_curve(rows.count(), value=value, cost=cost)
    expected = [value * y - cost * x for x, y in rows.exact().points]
    assert curve.y == pytest.approx([float(p) for p in expected], abs=1e-9)


@some.few
@given(some.rows(some.whole, some.EXPOSURES["whole"]), st.integers(1, 5), st.integers(1, 5))
def test_the_best_profit_is_the_largest(rows, value, cost):
    values, exact = rows.count(), rows.exact()
    profits = [value * y - cost * x for x, y in exact.points]
    best = cap.best_thresholds(values, "profit", value=value, cost=cost)
    ends = [float(x / exact.exposure) for x, _ in exact.points]
    expected = [q for q, profit in zip(ends, profits, strict=True) if profit == max(profits)]
    assert [point.q for point in best] == [close(q) for q in expected]


@some.few
@given(some.rows(), st.integers(1, 6))
def test_the_gains_table_adds_up(rows, bins):
    values = rows.count()
    exact = rows.exact()
    for asked in (bins, "score"):
        table = cap.gains_table(values, bins=asked)
        assert sum(table["n"]) == values.n
        assert sum(table["amount"]) == close(exact.amount)
        if rows.exposure is not None:
            assert sum(table["exposure"]) == close(exact.exposure)
        ends = {float(x / exact.exposure): y for x, y in exact.points}
        for q, captured in zip(table["selected"], table["captured"], strict=True):
            assert captured == close(exact.captured(Fraction(q)), 1e-9)
            assert min(abs(q - end) for end in ends) < 1e-12  # ties are never split
        assert [*table["selected"]] == sorted(table["selected"])
        assert table["captured"][-1] == close(1)
    exposure = table["n"] if rows.exposure is None else table["exposure"]
    assert table["mean_amount"] == pytest.approx(table["amount"] / exposure, rel=1e-12)
    assert len(table) == len(values)


@some.few
@given(some.rows(some.whole))
def test_no_row_order_lies_above_the_perfect_index(rows):
    """The reference itself: a row's rate orders best, whatever the score."""
    exact = rows.exact()
    for keys in (exact.scores, exact.amounts, [-e for e in exact.exposures]):
        assert concentration(exact.amounts, exact.exposures, keys) <= exact.best_theta
    ends = [y for _, y in exact.perfect_points]
    assert all(one <= other for one, other in pairwise(ends))


def test_readings_speak_of_what_was_counted():
    columns = {"claims": [40.0, 0.0, 10.0, 0.0], "years": [1.0, 1.0, 2.0, 4.0], "s": [4, 3, 2, 1]}
    values = cap.count_values("claims", "s", exposure="years", data=columns)
    point = cap.operating_point(values, q=0.25)
    assert (point.q, point.amount, point.captured) == (0.25, 40, 0.8)
    said = cap.reading(point, words=values.words)
    assert said == "the top 25% of years contain 80.0% of all claims"
    assert cap.cap_curve(values).y_label == "share of all claims captured"
    assert cap.cap_curve(values).x_label == "share of all years selected"
