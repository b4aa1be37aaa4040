"""What the edges of data do: amounts below zero, nothing at all, no exposure, any size."""

import math

import amount_strategies as some
import numpy as np
import pytest
from exact_amounts import Exact
from hypothesis import given, strategies as st

import capcurve as cap

SHARES_AND_INDICES = {
    "concentration_index": cap.concentration_index,
    "captured_response": lambda v: cap.captured_response(v, 0.3),
    "captured_between": lambda v: cap.captured_between(v, 0.1, 0.3),
    "lift": lambda v: cap.lift(v, 0.3),
    "local_lift": lambda v: cap.local_lift(v, 0.3),
    "cap_curve": cap.cap_curve,
    "perfect_cap": cap.perfect_cap,
    "lorenz_curve": cap.lorenz_curve,
    "lift_curve": cap.lift_curve,
    "local_lift_curve": cap.local_lift_curve,
    "interval of the index": lambda v: cap.confidence_interval(v, "concentration_index"),
    "interval of a share": lambda v: cap.confidence_interval(v, "captured_response", q=0.3),
    "interval of a lift": lambda v: cap.confidence_interval(v, "lift", q=0.3),
}
RATIOS = {
    "accuracy_ratio": cap.accuracy_ratio,
    "gini": cap.gini,
    "interval": lambda v: cap.confidence_interval(v, "accuracy_ratio"),
}


def refused(call, match, error=ValueError):
    """Return the one line that a call is answered with."""
    with pytest.raises(error, match=match) as raised:
        call()
    told = str(raised.value)
    assert "\n" not in told
    assert 15 < len(told) < 400
    return told


# Amounts below zero


LOSS = {"amount": [30.0, -10.0, 0.0, 50.0, -20.0], "score": [5, 4, 3, 2, 1]}


@pytest.mark.parametrize("name", SHARES_AND_INDICES)
@pytest.mark.parametrize("exposure", [None, [1.0, 2.0, 1.0, 3.0, 1.0]])
def test_shares_of_signed_amounts_are_refused(name, exposure):
    values = cap.count_values(LOSS["amount"], LOSS["score"], exposure=exposure)
    told = refused(lambda: SHARES_AND_INDICES[name](values), "below (zero|0)|negative")
    assert "accuracy_ratio" in told or "absolute=True" in told


def test_what_signed_amounts_have():
    values = cap.count_values(LOSS["amount"], LOSS["score"])
    exact = Exact.of(LOSS["amount"], LOSS["score"])
    assert cap.accuracy_ratio(values) == float(exact.accuracy_ratio)
    assert cap.cap_curve(values, absolute=True).y.tolist() == [0, 30, 20, 20, 70, 50]
    assert cap.perfect_cap(values, absolute=True).y.tolist() == [0, 50, 80, 80, 70, 50]
    assert cap.random_cap(values, absolute=True).y.tolist() == [0, 50]
    found = cap.confidence_interval(values, "accuracy_ratio")
    assert (found.low, found.high) == pytest.approx(exact.ratio_limits(), rel=1e-9)
    joint = cap.count_joint_values(LOSS["amount"], {"a": LOSS["score"], "b": [3, 5, 1, 4, 2]})
    assert math.isfinite(cap.compare(joint).pairs[0].p_value)
    assert cap.profit_curve(values, value=1, cost=0).y.tolist() == [0, 30, 20, 20, 70, 50]
    assert cap.mean_amount(values) == 10


@pytest.mark.parametrize("total", [0, -100])
def test_a_total_of_zero_or_less_has_an_accuracy_ratio(total):
    amount = [30.0, -10.0, 40.0, total - 60.0]
    values = cap.count_values(amount, [4, 3, 2, 1])
    assert values.amount == total
    exact = Exact.of(amount, [4, 3, 2, 1])
    assert cap.accuracy_ratio(values) == float(exact.accuracy_ratio)
    found = cap.confidence_interval(values, "accuracy_ratio")
    assert (found.low, found.high) == pytest.approx(exact.ratio_limits(), rel=1e-9)
    for call in SHARES_AND_INDICES.values():
        refused(lambda call=call: call(values), "below (zero|0)|negative")


# Nothing at all


@pytest.mark.parametrize("name", [*SHARES_AND_INDICES, *RATIOS])
@pytest.mark.parametrize("exposure", [None, [1.0, 2.0, 0.5]])
def test_no_amount_at_all_is_refused(name, exposure):
    values = cap.count_values([0.0, -0.0, 0.0], [3, 2, 1], exposure=exposure)
    call = {**SHARES_AND_INDICES, **RATIOS}[name]
    refused(lambda: call(values), "amount")


def test_no_amount_at_all_is_a_flat_line():
    values = cap.count_values([0.0, -0.0, 0.0], [3, 2, 1], exposure=[1.0, 2.0, 0.5])
    curve = cap.cap_curve(values, absolute=True)
    assert (curve.x.tolist(), curve.y.tolist()) == ([0, 1, 3, 3.5], [0, 0, 0, 0])
    assert (values.amount, values.m, values.n) == (0, 0, 3)
    assert cap.mean_amount(values) == 0


@pytest.mark.parametrize("name", [*SHARES_AND_INDICES, *RATIOS])
def test_no_rows_at_all_are_refused(name):
    values = cap.count_values([], [])
    call = {**SHARES_AND_INDICES, **RATIOS}[name]
    refused(lambda: call(values), "rows|cases|amount")
    refused(lambda: cap.mean_amount(values), "rows|cases|amount|exposure")


# Equal rates


EQUAL = [
    ([5.0], None, [1.0]),
    ([5.0], [2.0], [1.0]),
    ([2.0, 4.0, 1.0], [2.0, 4.0, 1.0], [3.0, 1.0, 2.0]),
    ([7.0, 7.0, 7.0], None, [1.0, 2.0, 2.0]),
    ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]),
    ([0.07, 0.21, 0.35, 0.77], [0.1, 0.3, 0.5, 1.1], [3.0, 1.0, 2.0, 4.0]),
]


@pytest.mark.parametrize(("amount", "exposure", "score"), EQUAL)
def test_rates_that_are_all_equal_leave_nothing_to_rank(amount, exposure, score):
    values = cap.count_values(amount, score, exposure=exposure)
    for call in RATIOS.values():
        refused(lambda call=call: call(values), "equal|same|alike|only (one )?positives|negatives")
    assert cap.concentration_index(values) == pytest.approx(0, abs=1e-15)
    for q in (0.1, 0.5, 1.0):
        assert cap.captured_response(values, q) == pytest.approx(q, rel=1e-12)
    assert cap.perfect_cap(values).at(0.3) == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("exposure", [None, [1.0, 2.0, 1.0, 3.0]])
def test_a_constant_score_is_worth_nothing_whatever_the_row_order(exposure):
    for amount in ([9.0, 0.0, 3.0, 1.0], [0.0, 1.0, 3.0, 9.0], [-9.0, 0.0, 3.0, 9.0]):
        values = cap.count_values(amount, [0.5] * 4, exposure=exposure)
        assert cap.accuracy_ratio(values) == 0.0
        assert math.copysign(1, cap.accuracy_ratio(values)) == 1
        if min(amount) >= 0:
            assert cap.concentration_index(values) == 0.0
        found = cap.confidence_interval(values, "accuracy_ratio")
        assert found.low <= 0 <= found.high


# Rows without exposure, and what is no number


def test_rows_without_exposure_and_amount_are_left_out_with_an_account():
    values = cap.count_values(
        [5.0, 0.0, 0.0, 3.0, -0.0], [5, 4, 3, 2, 1], exposure=[1.0, 0.0, 2.0, 1.0, -0.0]
    )
    kept = cap.count_values([5.0, 0.0, 3.0], [5, 3, 2], exposure=[1.0, 2.0, 1.0])
    assert values.n == 3
    assert values == kept
    assert values.digest() == kept.digest()
    assert values.dropped.rows == 2
    assert "exposure" in " ".join(values.dropped.columns)
    assert kept.dropped is None or kept.dropped.rows == 0


BAD = {
    "an amount on no exposure": (
        [5.0, 2.0, 3.0],
        [1.0, 0.0, 0.0],
        r"\b2\b.*exposure|exposure.*\b2\b",
    ),
    "exposure below zero": ([5.0, 0.0, 3.0], [1.0, -1.0, -2.5], r"\b2\b"),
    "minus zero exposure, amount": ([5.0, 0.0, 3.0], [1.0, 1.0, -0.0], r"\b1\b"),
    "infinite exposure": ([5.0, 0.0, 3.0], [1.0, math.inf, 1.0], r"\b1\b"),
    "infinite amount": ([math.inf, 0.0, -math.inf], [1.0, 1.0, 1.0], r"\b2\b"),
    "NaN amount": ([math.nan, 0.0, 3.0], [1.0, 1.0, 1.0], r"\b1\b"),
    "NaN exposure": ([1.0, 0.0, 3.0], [1.0, math.nan, math.nan], r"\b2\b"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_counted_is_refused_with_how_many(case):
    amount, exposure, many = BAD[case]
    told = refused(lambda: cap.count_values(amount, [3, 2, 1], exposure=exposure), many)
    assert ("exposure" in told) == (exposure != [1.0, 1.0, 1.0])
    assert ("amount" in told) or exposure != [1.0, 1.0, 1.0]


@pytest.mark.parametrize("case", [c for c in BAD if "NaN" not in c])
def test_dropping_what_is_missing_drops_nothing_that_is_wrong(case):
    amount, exposure, many = BAD[case]
    score = [3, 2, 1]
    refused(lambda: cap.count_values(amount, score, exposure=exposure, missing="drop"), many)


def test_missing_values_are_dropped_when_asked_for():
    columns = {
        "a": [5.0, math.nan, 3.0, 2.0, 0.0, 0.0],
        "s": [6.0, 5.0, math.nan, 3.0, 2.0, 1.0],
        "e": [1.0, 1.0, 1.0, math.nan, 0.0, 2.0],
    }
    told = refused(lambda: cap.count_values("a", "s", exposure="e", data=columns), "missing")
    assert all(f"{name} is missing" in told for name in columns)
    values = cap.count_values("a", "s", exposure="e", data=columns, missing="drop")
    assert values == cap.count_values([5.0, 0.0], [6.0, 1.0], exposure=[1.0, 2.0])
    assert values.dropped.rows == 4
    assert {"a": 1, "s": 1, "e": 1}.items() <= dict(values.dropped.columns).items()


def test_columns_of_unlike_length_are_refused():
    refused(lambda: cap.count_values([1.0, 2.0], [1, 2, 3]), "2.*3|3.*2")
    refused(lambda: cap.count_values([1.0, 2.0], [1, 2], exposure=[1.0]), "exposure|1.*2|2.*1")


@pytest.mark.parametrize("amount", [["a", "b"], [1j, 2j], [[1.0], [2.0]], ["1,5", "2"]])
def test_amounts_that_are_no_numbers_are_refused(amount):
    refused(lambda: cap.count_values(amount, [2, 1]), "amount", (ValueError, TypeError))


def test_booleans_are_amounts_of_0_and_1():
    values = cap.count_values([True, False, True], [3, 2, 1])
    assert values == cap.count_values([1, 0, 1], [3, 2, 1])


def test_whole_amounts_that_floats_do_not_hold_are_refused():
    refused(lambda: cap.count_values([2**53 + 1, 0], [2, 1]), "amount")
    assert cap.count_values([2**60, 0], [2, 1]).amount == 2**60


# Any size


SIZES = [1e300, 1e-300, 2.0**-1000, 2.0**900, 1e-320]
NUMBERS = {
    "accuracy ratio": cap.accuracy_ratio,
    "concentration index": cap.concentration_index,
    "captured": lambda v: cap.captured_response(v, 0.25),
    "between": lambda v: cap.captured_between(v, 0.1, 0.6),
    "lift": lambda v: cap.lift(v, 0.25),
    "area": lambda v: cap.cap_curve(v).area,
    "perfect area": lambda v: cap.perfect_cap(v).area,
    "limits of AR": lambda v: limits(v, "accuracy_ratio"),
    "limits of G": lambda v: limits(v, "concentration_index"),
    "limits of captured": lambda v: limits(v, "captured_response", q=0.25),
    "limits of lift": lambda v: limits(v, "lift", q=0.25),
}
AMOUNT = np.array([120.0, 0, 30, 0, 250, 0, 10, 0, 40, 0, 0, 5])
SCORE = np.array([9, 9, 7, 7, 7, 5, 5, 4, 2, 2, 1, 1])
EXPOSURE = np.array([2.0, 1, 4, 2, 1, 3, 3, 1, 5, 2, 6, 1])


def limits(values, metric, **options):
    found = cap.confidence_interval(values, metric, **options)
    return [found.low, found.estimate, found.high, found.se]


@pytest.mark.turns(3)
@pytest.mark.parametrize("of_amounts", [*SIZES, 1.0])
@pytest.mark.parametrize("of_exposures", [*SIZES, 1.0])
def test_units_of_any_size(of_amounts, of_exposures):
    tolerance = 1e-2 if 1e-320 in {of_amounts, of_exposures} else 1e-9
    scaled = cap.count_values(AMOUNT * of_amounts, SCORE, exposure=EXPOSURE * of_exposures)
    plain = cap.count_values(AMOUNT, SCORE, exposure=EXPOSURE)
    for name, number in NUMBERS.items():
        expected = pytest.approx(number(plain), rel=tolerance, abs=tolerance)
        assert number(scaled) == expected, name


@pytest.mark.parametrize("exposure", [None, EXPOSURE, EXPOSURE * 1e-300])
def test_money_of_any_size(exposure):
    values = cap.count_values(AMOUNT * 1e300, SCORE, exposure=exposure)
    assert values.amount == pytest.approx(4.55e302, rel=1e-15)
    profit = cap.profit_curve(values, value=1e-300, cost=0)
    assert profit.y[-1] == pytest.approx(455, rel=1e-12)
    if exposure is None:
        assert cap.mean_amount(values) == pytest.approx(4.55e302 / 12, rel=1e-15)


@some.few
@given(some.rows(some.uneven, st.sampled_from([1.0, 0.5, 3.0])))
def test_huge_and_tiny_amounts_in_one_ranking(rows):
    exact, values = rows.exact(), rows.count()
    assert cap.accuracy_ratio(values) == pytest.approx(float(exact.accuracy_ratio), abs=1e-12)
    index = float(exact.concentration_index)
    assert cap.concentration_index(values) == pytest.approx(index, abs=1e-12)
    for q in (0.1, 0.5):
        captured = float(exact.captured(q))
        assert cap.captured_response(values, q) == pytest.approx(captured, rel=1e-9)
    in_range(values)


@some.few
@given(some.rows(some.uneven, st.sampled_from([1e-300, 1e300, 1.0])))
def test_huge_and_tiny_exposures_in_one_ranking(rows):
    """Rates then differ by more than floats can tell apart; what is answered is in range."""
    try:
        in_range(rows.count())
    except ValueError as refused:
        assert "\n" not in str(refused)  # noqa: PT017


def in_range(values):
    for metric in ("accuracy_ratio", "concentration_index"):
        found = cap.confidence_interval(values, metric)
        assert -1 <= found.low <= found.estimate <= found.high <= 1
        assert found.se is None or math.isfinite(found.se)


@some.few
@given(some.rows(some.uneven, None), st.randoms(use_true_random=False))
def test_huge_and_tiny_in_any_order(rows, random):
    order = list(range(len(rows.amount)))
    random.shuffle(order)
    one, other = rows.count(), rows.take(order).count()
    half = len(order) // 2
    parts = rows.take(order[:half]).count() + rows.take(order[half:]).count()
    for values in (other, parts):
        assert values.digest() == one.digest()
        assert values.amount == one.amount
        assert cap.accuracy_ratio(values) == cap.accuracy_ratio(one)
        assert limits(values, "accuracy_ratio") == limits(one, "accuracy_ratio")


def test_a_sum_beyond_floats_is_refused():
    values = cap.count_values([1.7e308, 1.6e308, 0.0], [3, 2, 1])
    refused(lambda: values.amount, "float|scale")
    refused(lambda: cap.accuracy_ratio(values), "float|scale")
    # Equal amounts are a yes/no outcome, which needs no total.
    assert cap.accuracy_ratio(cap.count_values([1.7e308, 1.7e308, 0.0], [3, 2, 1])) == 1.0


def test_cents_add_up():
    """Ten times ten cents, and all in any order, are the same total in every shard."""
    amount = [0.1] * 10 + [1e16, -1e16]
    straight = cap.count_values(amount, range(12))
    turned = cap.count_values(amount[::-1], range(11, -1, -1))
    assert straight == turned
    assert straight.amount == turned.amount == pytest.approx(1.0, abs=1e-15)
