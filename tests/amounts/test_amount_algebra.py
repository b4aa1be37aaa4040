"""What counts of amounts tell: the same however their rows came, and what tells them apart."""

import amount_strategies as some
import numpy as np
import pytest
from hypothesis import given, strategies as st

import capcurve as cap

SHARES = (0.1, 0.25, 0.5, 0.9)


def numbers(values):
    """Every number here is compared to the last bit."""
    found = [values.n, values.m, values.amount, values.exposure, values.largest, len(values)]
    if values.amount:
        found += [cap.concentration_index(values), cap.perfect_cap(values).area]
        found += [cap.captured_response(values, q) for q in SHARES]
        found += [cap.lift(values, q) for q in SHARES] + [cap.mean_amount(values, 0.3)]
        found += [*cap.cap_curve(values).x, *cap.cap_curve(values, absolute=True).y]
    return found


def defined(values):
    return cap.perfect_cap(values).area > 0.5


def limits(values):
    """Return every default interval, to the last bit."""
    asked = [("concentration_index", {}), ("captured_response", {"q": 0.3}), ("lift", {"q": 0.3})]
    asked += [("accuracy_ratio", {})]
    found = [cap.confidence_interval(values, metric, **more) for metric, more in asked]
    return [(each.low, each.estimate, each.high, each.se) for each in found]


def same(one, other):
    return one == other and one.digest() == other.digest() and numbers(one) == numbers(other)


@some.few
@given(some.rows(), st.randoms(use_true_random=False), some.directions)
def test_row_order_never_matters(rows, random, higher_is):
    order = list(range(len(rows.amount)))
    random.shuffle(order)
    straight = rows.count(higher_is=higher_is)
    shuffled = rows.take(order).count(higher_is=higher_is)
    assert same(straight, shuffled)
    assert cap.accuracy_ratio(straight) == cap.accuracy_ratio(shuffled)
    assert limits(straight) == limits(shuffled)


@some.few
@given(some.shards(many=2), some.directions)
def test_counting_two_parts_and_adding_is_counting_the_whole(parts, higher_is):
    first, second = (part.count(higher_is=higher_is) for part in parts)
    whole = some.together(*parts).count(higher_is=higher_is)
    assert same(first + second, whole)


@some.few
@given(some.rows(amounts=some.whole))
def test_subtraction_tells_amounts_of_one_score_apart(rows):
    values, moved = rows.count(), rows.with_amount(rows.amount + 100).count()
    with pytest.raises(ValueError, match=r"negative|below zero|not (contained|part)|more"):
        values - moved


@some.few
@given(some.rows())
def test_counts_know_their_totals(rows):
    values = rows.count()
    exact = rows.exact()
    assert (values.n, values.m) == (len(rows.amount), (rows.amount != 0).sum())
    assert values.amount == pytest.approx(float(exact.amount), rel=1e-15)
    assert values.exposure == pytest.approx(float(exact.exposure), rel=1e-15)
    assert values.largest == rows.amount.max()
    assert len(values) == len(set(rows.score.tolist()))
    assert values.has_exposure is (rows.exposure is not None)
    assert values.signed is False


@some.few
@given(some.rows(amounts=some.signed))
def test_counts_know_whether_any_amount_is_below_zero(rows):
    values = rows.count()
    assert values.signed is bool((rows.amount < 0).any())
    assert values.largest == np.abs(rows.amount).max()
    assert (values.n, values.m) == (len(rows.amount), (rows.amount != 0).sum())


@some.few
@given(some.rows(), st.integers(0, 10**6))
def test_the_digest_sees_one_changed_row(rows, where):
    values, row = rows.count(), where % len(rows.amount)
    for column, change in (("amount", 1), ("score", 50), ("exposure", 1)):
        if getattr(rows, column) is None:
            continue
        changed = np.where(np.isinf(getattr(rows, column)), 0.0, getattr(rows, column))
        before = rows._replace(**{column: changed.copy()}).count()
        changed[row] += change
        other = rows._replace(**{column: changed}).count()
        assert before != other
        assert before.digest() != other.digest()
    assert values == rows.count()


@some.few
@given(some.rows(exposures=None))
def test_the_digest_sees_who_got_an_amount(rows):
    """Totals of scores and the list of amounts are alike, the pairs of both are not."""
    one = cap.count_values([3, 1, 2], [2, 2, 1], exposure=[1, 2, 1])
    other = cap.count_values([1, 3, 2], [2, 2, 1], exposure=[1, 2, 1])
    assert one != other
    assert one.digest() != other.digest()
    values = rows.count()
    assert values.digest() != rows._replace(exposure=2 * rows.exposures).count().digest()


def test_both_zeros_are_one():
    plus, minus = (cap.count_values([0.0, 1.0, z], [1.0, 2.0, z]) for z in (0.0, -0.0))
    assert plus == minus
    assert plus.digest() == minus.digest()
    assert minus.m == 1


def test_values_not_types_are_counted():
    of_floats = cap.count_values([0.0, 1.0, 5.0], [1.0, 2.0, 3.0], exposure=[1.0, 2.0, 3.0])
    for amount, score, exposure in (
        ([0, 1, 5], [1, 2, 3], [1, 2, 3]),
        (np.array([0, 1, 5], np.int8), np.array([1, 2, 3], np.uint16), np.float32([1, 2, 3])),
    ):
        found = cap.count_values(amount, score, exposure=exposure)
        assert found == of_floats
        assert found.digest() == of_floats.digest()


@some.few
@given(some.rows(), st.integers(2, 5))
def test_equal_rows_are_held_once(rows, times):
    many = rows.take(np.repeat(np.arange(len(rows.amount)), times)).count()
    assert many == cap.ValueCounts.merge([rows.count()] * times)
    assert many.n == times * len(rows.amount)
    assert len(many.cells()[0]) == len(rows.count().cells()[0])


@some.few
@given(some.rows(), some.directions)
def test_cells_are_in_canonical_order_and_count_again(rows, higher_is):
    values = rows.count(higher_is=higher_is)
    score, amount, exposure, n = values.cells()
    exposure = np.ones(len(score)) if exposure is None else exposure
    n = np.ones(len(score), int) if n is None else n
    turned = -score if higher_is == "positive" else score
    cells = list(zip(turned.tolist(), amount.tolist(), exposure.tolist(), strict=True))
    assert len(set(cells)) == len(cells)
    assert sum(n.tolist()) == values.n
    again = some.Rows(
        np.repeat(amount, n),
        np.repeat(score, n),
        None if rows.exposure is None else np.repeat(exposure, n),
    )
    assert same(again.count(higher_is=higher_is), values)


@some.few
@given(some.rows(), st.lists(st.sampled_from(["jan", "feb", "mar"]), min_size=14, max_size=14))
def test_segments_sum_to_the_whole(rows, months):
    by = np.array(months[: len(rows.amount)])
    segments = cap.count_value_segments(rows.amount, rows.score, exposure=rows.exposure, by=by)
    assert set(segments) == set(by.tolist())
    assert same(cap.ValueCounts.merge(segments.values()), rows.count())
    for month, values in segments.items():
        assert same(values, rows.take(by == month).count())


@some.few
@given(some.rows(), st.sampled_from([0.25, 0.5, 2.0]))
def test_a_grid_may_be_laid_later(rows, step):
    finite = rows._replace(score=np.where(np.isinf(rows.score), 1.0, rows.score))
    assert same(finite.count().at_resolution(step), finite.count(resolution=step))
    assert finite.count(resolution=step).resolution == step
    floored = finite._replace(score=np.floor(finite.score / step))
    assert numbers(floored.count()) == numbers(finite.count(resolution=step))
