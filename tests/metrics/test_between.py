"""Cross AUCs and the area between two ROCs."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import capcurve as cap
from capcurve import ScoreCounts, abroca, roc_auc, xauc

RNG = np.random.default_rng(3)
SIZE = 400
Y = RNG.random(SIZE) < 0.3
GROUP = RNG.integers(0, 3, SIZE)
SCORE = (RNG.normal(size=SIZE) + Y * (0.5 + 0.4 * GROUP) + 0.3 * GROUP).round(1)
PARTS = cap.count_segments(Y, SCORE, by=GROUP)


def of(group):
    return SCORE[(group == GROUP) & Y], SCORE[(group == GROUP) & ~Y]


@pytest.mark.parametrize(("first", "second"), [*product(range(3), repeat=2)])
def test_a_cross_auc_compares_every_positive_of_one_with_every_negative_of_the_other(first, second):
    positives, negatives = of(first)[0][:, None], of(second)[1][None, :]
    won = (positives > negatives).mean() + (positives == negatives).mean() / 2
    assert xauc(PARTS[first], PARTS[second]) == pytest.approx(won, abs=1e-14)


def test_of_a_group_and_itself_it_is_the_auc():
    for counts in PARTS.values():
        assert xauc(counts, counts) == roc_auc(counts)


def test_the_auc_of_all_is_the_mean_of_all_cross_aucs():
    whole = ScoreCounts.merge(PARTS.values())
    parts = [
        float(a.n1 / whole.n1 * (b.n0 / whole.n0)) * xauc(a, b)
        for a, b in product(PARTS.values(), repeat=2)
    ]
    assert sum(parts) == pytest.approx(roc_auc(whole), abs=1e-13)


def test_a_score_turned_round_has_the_same_numbers():
    turned = cap.count_segments(Y, -SCORE, by=GROUP, higher_is="negative")
    assert xauc(turned[0], turned[1]) == xauc(PARTS[0], PARTS[1])
    assert abroca(turned[0], turned[1]) == abroca(PARTS[0], PARTS[1])


def test_weights_and_clusters_of_both_groups_count():
    twice = cap.count_segments(
        Y, SCORE, by=GROUP, weight=np.full(SIZE, 2.0), weight_kind="sampling"
    )
    assert xauc(twice[0], twice[2]) == pytest.approx(xauc(PARTS[0], PARTS[2]), abs=1e-13)
    clustered = cap.count_segments(Y, SCORE, by=GROUP, cluster=np.arange(SIZE) // 3)
    assert xauc(clustered[0], clustered[2]) == xauc(PARTS[0], PARTS[2])


def exact_abroca(first, second):
    """Return the area between two polygons in fractions, at all their points and crossings."""

    def points(counts):
        p, n = np.cumsum(counts.positives.astype(int)), np.cumsum(counts.negatives.astype(int))
        return [(Fraction(0), Fraction(0))] + [
            (Fraction(int(b), int(n[-1])), Fraction(int(a), int(p[-1])))
            for a, b in zip(p, n, strict=True)
        ]

    def height(line, x, right):
        """Return the height just right, or left, of x."""
        inside = [
            (a, b)
            for a, b in pairwise(line)
            if a[0] < b[0] and (a[0] <= x < b[0] if right else a[0] < x <= b[0])
        ]
        ((x0, y0), (x1, y1)) = inside[0]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)

    lines = points(first), points(second)
    ends = sorted({x for line in lines for x, _ in line})
    area = Fraction(0)
    for left, right in pairwise(ends):
        d0 = height(lines[0], left, True) - height(lines[1], left, True)
        d1 = height(lines[0], right, False) - height(lines[1], right, False)
        size = abs(d0) + abs(d1)
        crossing = d0 * d1 < 0
        area += (right - left) * ((d0**2 + d1**2) / size if crossing else size) / 2
    return area


@pytest.mark.parametrize("seed", range(12))
def test_the_area_between_two_rocs_is_exact(seed):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(0, 4, (2, 7)) + [[1], [1]] * (np.arange(7) == 3) for _ in range(2)]
    first, second = (ScoreCounts.from_counts(range(7), *each) for each in cells)
    exact = exact_abroca(first, second)
    assert abroca(first, second) == pytest.approx(float(exact), abs=1e-14)
    assert abroca(second, first) == abroca(first, second)
    assert exact >= abs(Fraction(roc_auc(first)) - Fraction(roc_auc(second))) - Fraction(1, 10**12)


def test_vertical_steps_have_two_heights():
    """The best scores of one group are all positive, those of the other all negative."""
    best = ScoreCounts.from_counts([3, 2, 1], [2, 0, 1], [0, 2, 1])
    worst = ScoreCounts.from_counts([3, 2, 1], [0, 2, 1], [2, 0, 1])
    assert abroca(best, worst) == pytest.approx(float(exact_abroca(best, worst)), abs=1e-15)


def test_abroca_is_blind_to_increasing_changes_of_the_scores_of_one_group():
    moved = cap.count_scores(Y[GROUP == 1], 3 * SCORE[GROUP == 1] + 7)
    assert abroca(PARTS[0], moved) == abroca(PARTS[0], PARTS[1])
    assert abroca(PARTS[0], PARTS[0]) == 0


def test_where_rocs_do_not_cross_it_is_the_difference_of_the_aucs():
    good = ScoreCounts.from_counts([3, 2, 1], [6, 3, 1], [1, 3, 6])
    poor = ScoreCounts.from_counts([3, 2, 1], [4, 3, 3], [3, 3, 4])
    assert abroca(good, poor) == pytest.approx(roc_auc(good) - roc_auc(poor), abs=1e-15)


def test_columns_do_as_well_as_counts():
    one, other = GROUP == 0, GROUP == 1
    columns = (Y[one], SCORE[one], Y[other], SCORE[other])
    assert xauc(*columns) == xauc(PARTS[0], PARTS[1])
    assert abroca(*columns) == abroca(PARTS[0], PARTS[1])


def test_what_is_missing_is_said():
    none = ScoreCounts.from_counts([2, 1], [0, 0], [1, 1])
    with pytest.raises(ValueError, match="no positives"):
        xauc(none, PARTS[0])
    assert xauc(PARTS[0], none) >= 0
    with pytest.raises(ValueError, match="no positives"):
        abroca(PARTS[0], none)
    turned = cap.count_scores(Y, SCORE, higher_is="negative")
    with pytest.raises(ValueError, match="higher_is"):
        xauc(PARTS[0], turned)
    amounts = cap.count_values(SCORE + 9, SCORE)
    with pytest.raises(TypeError, match="two classes"):
        xauc(PARTS[0], amounts)
