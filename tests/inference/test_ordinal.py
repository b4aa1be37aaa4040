"""The generalised AUC against sums over pairs, numerical derivatives and samples."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as drawn, settings, strategies as st

import capcurve as cap

WAYS = ("estimate", "target")
SEGMENTED = [[80, 5], [10, 5]]


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = draw(st.lists(st.integers(0, 4), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells).reshape(rows, columns)


def cases_of(table):
    places = np.argwhere(table > 0)
    return [tuple(p.tolist()) for p in places for _ in range(table[tuple(p)])]


def by_pairs(table, way):
    """Return the number of pairs in order, out of order and that differ, by looking at each."""
    cases, side = cases_of(table), 0 if way == "estimate" else 1
    won = lost = differ = 0
    for one in cases:
        for other in cases:
            product = (one[0] - other[0]) * (one[1] - other[1])
            won, lost = won + (product > 0), lost + (product < 0)
            differ += one[side] != other[side]
    return won, lost, differ


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@drawn(table=tables())
def test_pairs_are_those_one_counts_one_by_one(way, table):
    won, lost, differ = by_pairs(table, way)
    if not differ:
        with pytest.raises(ValueError, match=r"all (estimates|outcomes)|no cases"):
            cap.generalised_auc(table, given=way)
        return
    found = cap.generalised_auc(table, given=way)
    assert (found.concordant, found.discordant, found.differing) == (won, lost, differ)
    assert found.estimate == float(Fraction(won - lost + differ, 2 * differ))
    assert found.somers_d == float(Fraction(won - lost, differ))
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high
    assert found.test_se > 0
    turned = cap.generalised_auc(table[::-1], given=way)
    assert turned.somers_d == -found.somers_d
    assert turned.se == pytest.approx(found.se, abs=1e-15)
    assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-12)
    side = {"estimate": "target", "target": "estimate"}[way]
    other = by_pairs(table, side)[2]
    if other:
        assert cap.generalised_auc(table.T, given=side).somers_d == found.somers_d


def influence(table, way, place, step=1e-5):
    """Return how a cell moves the generalised AUC, by adding and taking a little of a case."""

    def value(cells):
        total = cells.sum(axis=1 if way == "estimate" else 0)
        rows, columns = np.indices(cells.shape)
        balance = sum(
            count * (cells * np.sign((rows - i) * (columns - j))).sum()
            for (i, j), count in np.ndenumerate(cells)
        )
        return (balance / (cells.sum() ** 2 - (total**2).sum()) + 1) / 2

    more, less = table.astype(float), table.astype(float)
    more[place] += step
    less[place] -= step
    return (value(more) - value(less)) / (2 * step)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "table", [SEGMENTED, [[6, 2, 0], [1, 4, 3], [0, 2, 7]], [[3, 1, 4, 1]] * 2]
)
def test_the_standard_error_is_that_of_the_delta_method(way, table):
    table = np.array(table)
    slopes = np.array([[influence(table, way, (i, j)) for j in range(table.shape[1])]
                       for i in range(table.shape[0])])  # fmt: skip
    centre = (table * slopes).sum() / table.sum()
    expected = math.sqrt((table * (slopes - centre) ** 2).sum())
    assert cap.generalised_auc(table, given=way).se == pytest.approx(expected, rel=1e-6)


def test_of_a_yes_no_outcome_it_is_the_auc_or_somers_d_given_the_score():
    counts = cap.ScoreCounts.from_counts([2, 1], [5, 5], [10, 80])
    found = cap.generalised_auc(SEGMENTED, given="target")
    assert found.estimate == cap.roc_auc(counts)
    uncorrected = cap.inference.variances.auc_variance(counts, "ij")
    assert found.se == pytest.approx(math.sqrt(uncorrected), rel=1e-12)
    ecb = cap.generalised_auc(SEGMENTED)
    assert ecb.somers_d == cap.somers_d(counts, given="score")
    assert (round(ecb.estimate, 3), round(found.estimate, 3)) == (0.637, 0.694)
    assert cap.somers_d(SEGMENTED) == cap.somers_d(counts)


def test_cases_beyond_64_bits_are_exact():
    table = np.array(SEGMENTED) * 10**14
    found, small = cap.generalised_auc(table), cap.generalised_auc(SEGMENTED)
    assert found.concordant == small.concordant * 10**28
    assert found.estimate == small.estimate
    assert found.se == pytest.approx(small.se / 10**7, rel=1e-14)


def test_repeating_every_case_divides_the_standard_error():
    found, small = (cap.generalised_auc(np.array(SEGMENTED) * k) for k in (4, 1))
    assert found.se == pytest.approx(small.se / 2, rel=1e-14)


@pytest.mark.parametrize(("table", "low", "high"), [
    ([[4, 0, 0], [0, 6, 0], [0, 0, 5]], 0.4, 1), ([[0, 3], [3, 0]], 0, 0.8), ([[3], [4]], 0, 1),
])  # fmt: skip
def test_where_every_pair_is_alike_the_sample_still_proves_little(table, low, high):
    found = cap.generalised_auc(table)
    assert found.se == 0
    assert low <= found.low < found.high <= high
    assert "every pair of cases is alike" in found.notes[0]
    assert 0.05 < found.test(found.estimate).p_value < 1


def test_against_an_initial_value():
    found = cap.generalised_auc(SEGMENTED)
    test = found.test(0.75)
    assert test.statistic == (0.75 - found.estimate) / found.se
    assert test.p_value == pytest.approx(0.5 * math.erfc(test.statistic / math.sqrt(2)), rel=1e-12)
    assert test.estimates == {"initial": 0.75, "current": found.estimate}
    assert found.test(0.5).p_value > 0.95
    before = cap.generalised_auc([[60, 2], [5, 9]])
    both = found.test(before)
    assert both.se == pytest.approx(math.hypot(found.se, before.se), rel=1e-12)
    assert both.p_value > found.test(before.estimate).p_value
    with pytest.raises(ValueError, match="two measures"):
        found.test(cap.generalised_auc(SEGMENTED, given="target"))
    for wrong in (1.2, -0.1, math.nan, "0.8", None):
        with pytest.raises(ValueError, match="initial must be between 0 and 1"):
            found.test(wrong)


def test_wider_limits_are_surer():
    near, far = (cap.generalised_auc(SEGMENTED, level=level) for level in (0.5, 0.99))
    assert far.low < near.low < near.estimate < near.high < far.high


def sampled(rng, n):
    """Return a table of n cases in four grades, with which a tenth of outcomes have no link."""
    grade = rng.integers(0, 4, n)
    outcome = np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), grade + rng.integers(-1, 2, n))
    table = np.zeros((4, 5), dtype=np.int64)
    np.add.at(table, (grade, np.clip(outcome, 0, 4)), 1)
    return table


@pytest.mark.merge
def test_the_test_and_the_limits_hold_their_level():
    rng = np.random.default_rng(13)
    true = cap.generalised_auc(sampled(rng, 2_000_000)).estimate
    found = [cap.generalised_auc(sampled(rng, 100)) for _ in range(600)]
    rejected = np.mean([each.test(true).p_value < 0.05 for each in found])
    held = np.mean([each.low <= true <= each.high for each in found])
    assert 0.01 < rejected < 0.09
    assert held > 0.92


@pytest.mark.parametrize(("given", "part"), [
    (np.zeros((2, 2)), "holds no cases"),
    ([[1, -1], [0, 2]], "row 0, column 1 is -1"),
    ([[1, 0.5], [0, 2]], "row 0, column 1 is 0.5"),
    ([[1, np.nan], [0, 2]], "row 0, column 1 is nan"),
    ([[1, 2], [3]], "equally long"),
    (np.full((2, 2), 2**62, dtype=np.int64), "more than the 2\\^62"),
])  # fmt: skip
def test_tables_that_are_none(given, part):
    with pytest.raises(ValueError, match=part):
        cap.generalised_auc(given)


@pytest.mark.parametrize("given", [None, 3, [1, 2], np.arange(3), [["a", "b"]], {"a": [1]}, "ab"])
def test_what_is_no_table_at_all(given):
    with pytest.raises(TypeError, match=r"^a table (is|has)"):
        cap.generalised_auc(given)


def test_which_pairs_are_looked_at_has_two_answers():
    assert cap.generalised_auc(SEGMENTED, given="score") == cap.generalised_auc(SEGMENTED)
    assert cap.generalised_auc(SEGMENTED, given="realised").given == "target"
    with pytest.raises(ValueError, match="given must be one of 'estimate', 'target'"):
        cap.generalised_auc(SEGMENTED, given="outcome")
