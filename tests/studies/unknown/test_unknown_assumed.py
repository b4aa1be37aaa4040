"""Bounds under assumptions are those of linear programmes: odds, rates in order, numbers."""

from itertools import pairwise

import numpy as np
import pytest
from every_outcome import joint_of, partial_of
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

import capcurve as cap
from capcurve.counts.completing import OutcomeCells, _pools, known_rates

cells = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=5
).filter(lambda rows: all(sum(row[place] for row in rows) for place in range(3)))
multiples = st.sampled_from([(0.5, 2), (1, 1), (0, 3), (0.2, float("inf")), (1.5, 4)])


def pav_rates(p, n):
    """Return rates of the known that fall, by pooling neighbours until they do."""
    pools = [[a, a + b, 1] for a, b in zip(p, n, strict=True) if a + b]
    done = []
    for pool in pools:
        done.append(pool)
        while len(done) > 1 and done[-2][0] * done[-1][1] <= done[-1][0] * done[-2][1]:
            worse = done.pop()
            done[-1] = [sum(pair) for pair in zip(done[-1], worse, strict=True)]
    rates = [a / t for a, t, scores in done for _ in range(scores)]
    full = [place for place in range(len(p)) if p[place] + n[place]]
    found = []
    for place in range(len(p)):
        above = [rate for at, rate in zip(full, rates, strict=True) if at <= place]
        below = [rate for at, rate in zip(full, rates, strict=True) if at >= place]
        found.append(
            ((above or below)[-1 if above else 0] + (below or above)[0 if below else -1]) / 2
        )
    return np.array(found)


def rates_as_they_stand(p, n):
    """Return the rate of the known at each score, the pooled one where there are none."""
    return np.array(
        [a / (a + b) if a + b else rate for a, b, rate in zip(p, n, pav_rates(p, n), strict=True)]
    )


def box_of(rates, unknown, odds):
    """Return the fewest and most positives among the unknown of each score."""
    ends = []
    for each in odds:
        with np.errstate(invalid="ignore"):
            rate = each * rates / (each * rates + 1 - rates)
        ends.append(
            unknown * (np.ones_like(rates) if each == float("inf") else np.nan_to_num(rate))
        )
    return ends[0], ends[1]


class Programme:
    """The lowest and highest accuracy ratio with m positives among the unknown, by a solver."""

    def __init__(self, table, lower, upper, *, ordered=False):
        p, n, u = (np.array(column, dtype=float) for column in zip(*table, strict=True))
        t = p + n + u
        self.costs = t.sum() - np.cumsum(t) - (np.cumsum(t) - t)
        self.known, self.n1, self.n0 = p @ self.costs, p.sum(), (n + u).sum()
        self.bounds = list(zip(lower, np.maximum(lower, upper), strict=True))
        some = np.flatnonzero(u)
        # The rate of each score less that of the next better: x/u of the worse may not be more.
        self.rows = np.zeros((len(some) - 1, len(u))) if ordered and len(some) > 1 else None
        if self.rows is not None:
            for row, (worse, better) in enumerate(pairwise(some)):
                self.rows[row, better], self.rows[row, worse] = 1 / u[better], -1 / u[worse]

    def ends(self, m):
        """Return the lowest and highest ratio, or None where no outcome has so many positives."""
        found = []
        for sign in (1, -1):
            limits = None if self.rows is None else np.zeros(len(self.rows))
            solved = linprog(
                sign * self.costs,
                A_ub=self.rows,
                b_ub=limits,
                A_eq=np.ones((1, len(self.costs))),
                b_eq=[m],
                bounds=self.bounds,
            )
            if solved.status:
                return None
            found.append((self.known + sign * solved.fun) / ((self.n1 + m) * (self.n0 - m)))
        return found

    def over(self, numbers):
        """Return the lowest and highest over several numbers of positives."""
        pairs = [pair for pair in map(self.ends, numbers) if pair]
        return min(low for low, _ in pairs), max(high for _, high in pairs)


def columns(table):
    return [list(column) for column in zip(*table, strict=True)]


@settings(max_examples=settings.default.max_examples // 3)
@given(cells, multiples, st.booleans(), st.booleans())
def test_bounds_with_odds_are_those_of_linear_programmes(table, odds, ordered, pooled):
    p, n, u = columns(table)
    pooled = ordered or pooled
    found = cap.unknown_bounds(partial_of(p, n, u), odds=odds, ordered=ordered, pooled=pooled)
    rates = pav_rates(p, n) if pooled else rates_as_they_stand(p, n)
    lower, upper = box_of(rates, np.array(u), odds)
    programme = Programme(table, lower, upper, ordered=ordered)
    m = [found.positives_at_low, found.positives_at_high]
    numbers = [*np.linspace(lower.sum(), upper.sum(), 7), *m]
    inside = [min(max(each, lower.sum()), upper.sum()) for each in numbers]
    low, high = programme.over(inside)
    assert found.low == pytest.approx(low, abs=1e-7)
    assert found.high == pytest.approx(high, abs=1e-7)
    for each in inside[:7]:
        ends = programme.ends(each)
        assert ends is None or found.low - 1e-7 <= min(ends) <= max(ends) <= found.high + 1e-7


@settings(max_examples=settings.default.max_examples // 2)
@given(cells, st.integers(0, 9), st.integers(0, 9))
def test_bounds_of_rates_in_order_are_those_of_linear_programmes(table, some, other):
    p, n, u = columns(table)
    least, most = sorted(min(each, sum(u)) for each in (some, other))
    found = cap.unknown_bounds(partial_of(p, n, u), ordered=True, positives=(least, most))
    programme = Programme(table, np.zeros(len(u)), np.array(u, dtype=float), ordered=True)
    low, high = programme.over(range(least, most + 1))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-7)
    assert least <= found.positives_at_low <= most


def test_the_low_end_of_rates_in_order_is_one_rate():
    partial = partial_of([1, 2, 0], [3, 1, 9], [4, 6, 2])
    found = cap.unknown_bounds(partial, ordered=True)
    added = found.low_counts.positives - np.array([1, 2, 0])
    assert added / [4, 6, 2] == pytest.approx([found.positives_at_low / 12] * 3)
    assert found.high == cap.unknown_bounds(partial).high
    assert cap.unknown_bounds(partial).low < found.low


def test_odds_and_order_and_numbers_together():
    partial = partial_of([3, 2, 1, 1], [2, 4, 6, 9], [5, 5, 5, 5])
    wide = cap.unknown_bounds(partial, odds=(0.1, 9))
    for narrower in ({"ordered": True}, {"positives": (2, 4)}, {"ordered": True, "positives": 7}):
        found = cap.unknown_bounds(partial, odds=(0.1, 9), **narrower)
        assert wide.low < found.low <= found.high <= wide.high
    seven = cap.unknown_bounds(partial, odds=(0.1, 9), ordered=True, positives=7)
    assert seven.positives_at_low == seven.positives_at_high == 7
    with pytest.raises(
        ValueError, match=r"positives= asks for 19 to 20 .* odds= leaves 1.02718 to 14.2461"
    ):
        cap.unknown_bounds(partial, odds=(0.1, 9), positives=(19, 20))


def test_shares_and_numbers_of_positives():
    partial = partial_of([4, 2, 1], [1, 3, 9], [10, 10, 20])
    for given_so, numbers in (
        ((0.1, 0.2), (4, 8)),
        ((0.0, 1.0), (0, 40)),
        ((0, 1), (0, 1)),
        ((0, 0.06), (0, 2)),
        (0.1, (4, 4)),
        (0.26, (10, 10)),
        ((0.26, 0.265), (10, 10)),
        (7, (7, 7)),
        (np.int64(7), (7, 7)),
        (np.array([3, 5]), (3, 5)),
        ([3, 5], (3, 5)),
    ):
        found = cap.unknown_bounds(partial, positives=given_so)
        assert found.assumptions.positives == numbers
        assert found.low == cap.unknown_bounds(partial, positives=numbers).low
    assert cap.unknown_bounds(partial).assumptions.positives is None


@pytest.mark.parametrize("n", [3, 30, 341, 10**6 + 3])
def test_a_share_of_so_many_cases_holds_these(n):
    """No float is 1/3, and a float a little below it must not cost a case."""
    partial = partial_of([4, 2], [1, 9], [n, 0])
    for k in {0, 1, 2, n // 3, n - 1, n}:
        found = cap.unknown_bounds(partial, positives=(0.0, k / n))
        assert found.assumptions.positives == (0, k)
    below = cap.unknown_bounds(partial, positives=(0.0, 2 / n - 1e-12))
    assert below.assumptions.positives == (0, 1)


@pytest.mark.parametrize(
    "positives",
    [(3, 1), 41, -1, (0, 1.5), (2.0, 3.0), 40.5, "4", (0.1, 2), True, (1, 2, 3), np.nan],
)
def test_what_no_number_of_positives_is(positives):
    partial = partial_of([4, 2, 1], [1, 3, 9], [10, 10, 20])
    with pytest.raises(ValueError, match=r"positives must be two whole numbers .* from 0 to 40"):
        cap.unknown_bounds(partial, positives=positives)


def test_odds_without_limits_assume_nothing():
    partial = partial_of([4, 2, 1], [1, 3, 9], [10, 10, 20])
    free, any_odds = cap.unknown_bounds(partial), cap.unknown_bounds(partial, odds=(0, np.inf))
    assert (free.low, free.high) == (any_odds.low, any_odds.high)
    assert any_odds.assumptions.odds is None
    one = cap.unknown_bounds(partial, odds=1)
    assert one.low == one.high == one.same_odds
    for wrong in ((2, 1), -1, "x", np.nan, (0.5, None)):
        with pytest.raises(ValueError, match="odds"):
            cap.unknown_bounds(partial, odds=wrong)


@given(cells)
def test_known_rates_fall_as_pooling_one_by_one_has_them(table):
    p, n, u = columns(table)
    partial = partial_of(p, n, u)
    found = OutcomeCells.of(partial.known, partial.unknown.held)
    held = [place for place in range(len(p)) if p[place] + n[place] + u[place]]
    expected = [pav_rates(p, n)[place] for place in held]
    assert known_rates(found, pooled=True)[::-1] == pytest.approx(expected, abs=1e-12)
    expected = [rates_as_they_stand(p, n)[place] for place in held]
    assert known_rates(found, pooled=False)[::-1] == pytest.approx(expected, abs=1e-12)


def test_rates_where_nothing_is_known():
    # Known rates are 3/4 and 1/4; unknown stand above, between and below them.
    partial = partial_of([0, 3, 0, 1, 0], [0, 1, 0, 3, 0], [4, 0, 4, 0, 4])
    assert partial.completed(1).positives.tolist() == [3, 3, 2, 1, 1]
    assert partial.completed(0).positives.tolist() == [0, 3, 0, 1, 0]
    assert partial.completed(float("inf")).positives.tolist() == [4, 3, 4, 1, 4]


@pytest.mark.merge
def test_pools_of_many_scores_are_corners_of_the_concave_line():
    rng = np.random.default_rng(5)
    cases = rng.integers(1, 9, 3000)
    positives = rng.binomial(cases, np.linspace(0.6, 0.1, 3000))
    ends = _pools(positives, cases)
    starts = np.append(0, ends[:-1])
    rates = np.add.reduceat(positives, starts) / np.add.reduceat(cases, starts)
    assert (np.diff(rates) < 0).all()
    means = pav_rates(positives.tolist(), (cases - positives).tolist())
    assert np.repeat(rates, np.diff(np.append(0, ends))) == pytest.approx(means)


@pytest.mark.parametrize(("scores", "pooled"), [(50, False), (51, True)])
def test_grades_have_odds_of_their_own_and_many_scores_are_pooled(scores, pooled):
    p, n = [1, 3] + [0] * (scores - 2), [3, 1] + [1] * (scores - 2)
    partial = partial_of(p, n, [2] + [0] * (scores - 1))
    found = cap.unknown_bounds(partial, odds=1)
    assert found.assumptions.pooled is pooled
    # A quarter of the known at the top are positive, half of those at the top two scores.
    assert found.positives_at_low == pytest.approx(1.0 if pooled else 0.5)
    assert partial.completed(1).positives[0] == pytest.approx(2.0 if pooled else 1.5)
    assert any("where a score has none" in note for note in found.notes) is not pooled
    same_odds = [note for note in found.presentation().notes if note.startswith("At the same odds")]
    assert ["PAV" in note for note in same_odds] == [pooled]
    assert cap.unknown_bounds(partial, odds=1, ordered=True).assumptions.pooled


def test_the_unknown_beside_known_cases_of_one_outcome_are_told():
    partial = partial_of([2, 3, 1], [8, 0, 9], [5, 4, 2])
    found = cap.unknown_bounds(partial, odds=(0.5, 2))
    told = [each for each in found.findings if each.code == "known_of_one_outcome"]
    assert [each.severity for each in told] == ["warning"]
    assert told[0].message.startswith("4 of 11 unknown cases have scores at which the rate of")
    assert told[0].advice == "pool rates with those of neighbouring scores"
    at_low, at_high = (counts.positives[1] for counts in (found.low_counts, found.high_counts))
    assert at_low == at_high == 3 + 4
    for options in ({"pooled": True}, {"odds": 1}, {"odds": (0, np.inf)}):
        found = cap.unknown_bounds(partial, **{"odds": (0.5, 2), **options})
        assert "known_of_one_outcome" not in {each.code for each in found.findings}
    # At the last score pooling does not help: no known case there or below is positive.
    found = cap.unknown_bounds(partial_of([5, 0], [5, 9], [1, 3]), odds=(0.5, 2))
    told = [each for each in found.findings if each.code == "known_of_one_outcome"]
    assert told[0].message.startswith("3 of 4 unknown cases")
    assert "pooled=True" not in told[0].advice


def test_what_pooled_odds_are_not_for():
    partial = partial_of([4, 2, 1], [1, 3, 9], [1, 1, 2])
    with pytest.raises(TypeError, match="pooled must be True, False or None, got 1"):
        cap.unknown_bounds(partial, pooled=1)
    with pytest.raises(ValueError, match=r"need pooled rates.*pass pooled=True"):
        cap.unknown_bounds(partial, odds=(1, 2), ordered=True, pooled=False)
    with pytest.raises(ValueError, match="pooled is about odds, and the worst outcomes need none"):
        partial.completed("worst", pooled=True)
    joint = joint_of([1, 2], [2, 1], [1, 2], [2, 1], [1, 0])
    with pytest.raises(ValueError, match=r"pooled= is about the rates along one score"):
        cap.unknown_bounds(joint, pooled=True)
