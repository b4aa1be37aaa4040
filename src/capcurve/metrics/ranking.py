"""How well the score orders positives before negatives: AR, AUC and their relatives.

All of them are quotients of pairs of one positive and one negative: won, tied and lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.sums import advantage
from capcurve.curves import roc_curve
from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import require, require_amount
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import about_classes, takes_amounts, takes_counts, takes_rankings
from capcurve.metrics.registry import OF_AMOUNTS, OF_BOTH, Metric
from capcurve.numbers.arguments import as_share
from capcurve.numbers.exact import BLOCK, DoubleDouble, exponent_of, quotient, running, shifted
from capcurve.numbers.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking, ScoreCounts, SegmentCounts
    from capcurve.numbers.types import Floats


# So many pairs, twice, are whole numbers that floats hold.
LARGEST_PAIRS = 2.0**51
# Rates whose best order gains no more than this part of the whole differ by rounding alone.
ORDER_ROUNDING = Fraction(1, 2**50)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of one positive and one negative: how many the score orders rightly, ties, and all."""

    # Python integers for whole counts; fractions for weights, each class scaled by a power of two.

    won: Any
    tied: Any
    total: Any

    @property
    def lost(self) -> Any:
        """Pairs in which the negative is ranked as the more likely positive."""
        return self.total - self.won - self.tied


def count_pairs(counts: Ranking) -> Pairs:
    """Count the pairs; in integers of any size for whole counts."""
    require(counts, "positives", "negatives")
    if counts.is_whole:
        totals = counts.totals()
        return Pairs(totals.won, totals.tied, counts.n1 * counts.n0)
    weighted = counts.every_score()
    return weighted.known("pairs", lambda: _weighted_pairs(weighted))


def _weighted_pairs(counts: ScoreCounts) -> Pairs:
    """Sum pairs of weights, each class scaled near 1: 1e300 times 1e300 has no float."""
    # Won and lost are summed on their own, so that neither is what rounding left of the other:
    # over cells of the class in fewer of them, of which there are few where rows are positives.
    columns = counts.positives, counts.negatives
    fewer = int(np.count_nonzero(columns[1] != 0) < np.count_nonzero(columns[0] != 0))
    own, others = columns[fewer], columns[1 - fewer]
    scales = -exponent_of(own), -exponent_of(others)

    def beyond(step: int) -> tuple[DoubleDouble, DoubleDouble]:
        """Return the pairs with the others above, below where `step` is -1, and those tied."""
        pairs, tied, passed = (DoubleDouble.of(0.0) for _ in range(3))
        first, second = own[::step], others[::step]
        for start in range(0, len(counts), BLOCK):
            cells = slice(start, start + BLOCK)
            here, there = shifted(first[cells], scales[0]), shifted(second[cells], scales[1])
            sums, some = running(there, passed), np.flatnonzero(here != 0)
            if len(some):
                pairs += (DoubleDouble.of(here[some]) * sums[some]).sum()
            both = some[there[some] > 0]
            if len(both):
                tied += (DoubleDouble.of(here[both]) * DoubleDouble.of(there[both])).sum()
            passed = sums[-1]
        return pairs, tied

    (above, tied), (below, _) = at_once(beyond, (1, -1), len(counts))
    won, lost = (above, below) if fewer else (below, above)
    sums = [part.exact() for part in (won, tied, lost)]
    return Pairs(sums[0], sums[1], sum(sums))


def share(part: Any, total: Any) -> float:
    """Return part/total as a float, rounded once."""
    return float(part / total)


@takes_rankings
def accuracy_ratio(counts: Ranking | Amounts) -> float:
    """Return the accuracy ratio (Gini): how much of the perfect score's advantage this one has.

    The area between the CAP and the diagonal, divided by that of the perfect CAP; 1 is
    perfect, 0 is random, below 0 is reversed. Also called Gini coefficient of the score,
    Somers' D of score given target, gain capture; of amounts loss capture ratio. With ties
    grouped and straight segments it equals 2·AUC - 1 of two classes exactly.

    In [-1, 1]; correctly rounded for whole counts and amounts. Raises `ValueError` when a class is
    missing, or when all amounts are equal (with an exposure, all rates), so that no order is better
    than another.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.

    Notes
    -----
    Engelmann, Hayden & Tasche (2003), "Testing rating accuracy", Risk 16.

    Examples
    --------
    Of the 6 pairs, 4 are in order and 2 are not: (4 - 2) / 6.

    >>> from capcurve import count_scores
    >>> accuracy_ratio(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])) == 1 / 3
    True
    """
    if is_amounts(counts):
        classes = counts.as_classes()
        return share(*advantages(counts)) if classes is None else accuracy_ratio(classes)
    pairs = count_pairs(counts)
    return share(pairs.won - pairs.lost, pairs.total)


gini = accuracy_ratio


def advantages(values: Amounts) -> tuple[Fraction, Fraction]:
    """Return what the score's order, and the best one, gain over a random order."""
    # Both are twice an area between curve and diagonal, in units of amount times exposure.
    require_amount(values, absolute=True)
    own, most = map(Fraction, values.areas())
    size = Fraction(values.exposure) * Fraction(values.largest) * max(values.m, 1)
    if not most > (0 if values.is_whole else ORDER_ROUNDING * size):
        why = _why_no_order(values)
        raise ValueError(f"{why}, so no order is better than another and this is undefined")
    return own, most


def _why_no_order(values: Amounts) -> str:
    """Say why the best order of amounts gains nothing but rounding over a random one."""
    if not values.m:
        return "no row holds an amount"
    if not values.has_exposure:
        return "all rows have the same amount"
    rate = values.by_rate().rate
    if rate[0] - rate[-1] > ORDER_ROUNDING * np.abs(rate).max():
        return "all but next to none of the exposure has the same amount per unit"
    return "all rows have the same amount per unit of exposure"


@takes_amounts
def concentration_index(values: Amounts) -> float:
    """Return the concentration index of the amount in the top: twice the area less one.

    It is 0 where every share of the exposure holds the same share of the amount. Also called
    Gini index of the ordered Lorenz curve; of cases, concentration coefficient. Unlike the
    accuracy ratio it is not divided by what the best order reaches.

    In [-1, 1]; correctly rounded for whole amounts and exposures. Raises `ValueError` when there is
    no amount, or some amounts are below zero.

    Parameters
    ----------
    values
        Result of `count_values`, or `evaluate(...).counts[name]`.

    Notes
    -----
    Kakwani, Wagstaff & van Doorslaer (1997), J. Econometrics 77; Frees, Meyers & Cummings (2011),
    JASA 106. With amounts of 0 and 1 it is AR·(1 - π).

    Examples
    --------
    The first of two cases holds all: the curve rises to 1 at 0.5, an area of 3/4.

    >>> from capcurve import count_values
    >>> concentration_index(count_values([10, 0], [2, 1]))
    0.5
    """
    require_amount(values)
    whole = Fraction(values.amount) * Fraction(values.exposure)
    sums = values.by_stretch()
    return share(Fraction(advantage(sums.exposures, sums.amounts)), whole)


@dataclass(frozen=True, slots=True)
class AccuracyRatioBounds:
    """The lowest and highest accuracy ratio that other orders inside ties could show.

    Attributes
    ----------
    low
        With negatives first in every tie.
    high
        With positives first in every tie.
    """

    low: float
    high: float


@takes_counts
def accuracy_ratio_bounds(counts: Ranking) -> AccuracyRatioBounds:
    """Return the lowest and highest accuracy ratio that breaking ties by row order could give.

    Tools that break ties by row order report some number in this range; the accuracy ratio is its
    middle, and half its width is `tie_mass`. Both are in [-1, 1]. Raises `ValueError` when a class
    is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> accuracy_ratio_bounds(ScoreCounts.from_counts([1], [5], [5]))
    AccuracyRatioBounds(low=-1.0, high=1.0)
    """
    pairs = count_pairs(counts)
    middle = pairs.won - pairs.lost
    ends = (middle - pairs.tied, middle + pairs.tied)
    return AccuracyRatioBounds(*(share(end, pairs.total) for end in ends))


@about_classes("accuracy_ratio")
def roc_auc(counts: Ranking) -> float:
    """Return the ROC AUC: the chance that a positive outranks a negative; ties count half.

    The area under the ROC, also called AUC, AUROC, concordance or c-statistic. In [0, 1]; correctly
    rounded for whole counts. Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> roc_auc(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])) == 2 / 3
    True
    """
    pairs = count_pairs(counts)
    return share(2 * pairs.won + pairs.tied, 2 * pairs.total)


@takes_counts
def tie_mass(counts: Ranking) -> float:
    """Return the tie mass: the chance that a positive and a negative have the same score.

    No order inside ties, and no rounding that led to these ties, moves the accuracy ratio by more
    than this. In [0, 1]. Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> tie_mass(ScoreCounts.from_counts([2, 1], [1, 1], [1, 1]))
    0.5
    """
    pairs = count_pairs(counts)
    return share(pairs.tied, pairs.total)


@about_classes("captured_response")
def partial_auc(counts: Ranking, max_fpr: float, *, standardized: bool = False) -> float:
    """Return the partial AUC: the area under the ROC up to a false positive rate.

    Raw: from 0 to max_fpr; inside a tie the ROC is a straight line. Raises `ValueError` when a
    class is missing or max_fpr lies outside (0, 1].

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    max_fpr
        Where to stop, in (0, 1].
    standardized
        Scale so that a random score has 0.5 and a perfect one 1 (McClish 1989,
        "Analyzing a portion of the ROC curve").

    Examples
    --------
    >>> from capcurve import count_scores
    >>> partial_auc(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), 0.5)
    0.25
    """
    max_fpr = as_share(max_fpr, "max_fpr", some=True)
    curve = roc_curve(counts.every_score())
    x, y = curve.x, curve.y
    inside = int(np.searchsorted(curve.x, max_fpr, side="right"))
    area = (np.diff(x[:inside]) * (y[1:inside] + y[: inside - 1])).sum() / 2
    if inside < len(x):
        start, end = x[inside - 1], x[inside]
        part = (max_fpr - start) / (end - start)
        rise = (y[inside] - y[inside - 1]) * part
        area += (max_fpr - start) * (y[inside - 1] + rise / 2)
    area = min(float(area), max_fpr)
    if not standardized:
        return area
    least = max_fpr**2 / 2
    return min((1 + (area - least) / (max_fpr - least)) / 2, 1.0)


SIGNED_ENDS = (-1.0, 1.0)


def aucs_of_segments(counts: SegmentCounts) -> Floats:
    """Return the AUC of each segment, NaN where a class is missing; each is rounded once."""
    return _over_pairs(counts, lambda won, tied, pairs: (2 * won + tied, 2 * pairs))


def ratios_of_segments(counts: SegmentCounts) -> Floats:
    """Return the accuracy ratio of each segment, NaN where a class is missing."""
    return _over_pairs(counts, lambda won, tied, pairs: (2 * won + tied - pairs, pairs))


def _over_pairs(counts: SegmentCounts, parts: Callable[[Any, Any, Any], tuple[Any, Any]]) -> Floats:
    """Return quotients of pairs won, tied and all of them, of each segment."""
    cells = SegmentCells.of(counts)
    f, of1 = cells.m - cells.e, cells.positives
    of0 = cells.cases - of1
    if float(of1.max(initial=0)) * float(of0.max(initial=0)) < LARGEST_PAIRS:
        part, whole = parts(cells.total(f * cells.before_e), cells.total(f * cells.e), of1 * of0)
        return quotient(part, whole, np.nan)
    # Of more pairs than floats tell apart each quotient is one of whole numbers of any size.
    found = np.full(len(counts), np.nan)
    for at in np.flatnonzero((of1 > 0) & (of0 > 0)).tolist():
        pairs = count_pairs(counts.at(at))
        found[at] = share(*parts(pairs.won, pairs.tied, pairs.total))
    return found


RANKING_METRICS = (
    Metric(
        function=accuracy_ratio,
        label="accuracy ratio",
        short="AR",
        headline="accuracy ratio (Gini)",
        flag="ar",
        aliases=("ar", "gini", "prr", "prediction_rejection_ratio"),
        of=OF_BOTH,
        ends=SIGNED_ENDS,
        in_summary=True,
        of_segments=ratios_of_segments,
    ),
    Metric(
        function=roc_auc,
        label="AUC",
        headline="ROC AUC",
        flag="auc",
        aliases=("auc", "auroc", "c_statistic"),
        worthless=0.5,
        in_summary=True,
        of_segments=aucs_of_segments,
    ),
    Metric(
        function=concentration_index,
        label="concentration index",
        flag="index",
        of=OF_AMOUNTS,
        ends=SIGNED_ENDS,
        in_summary=True,
        requires=(),
    ),
    Metric(
        function=partial_auc,
        label="partial AUC",
        aliases=("pauc",),
        needs=("max_fpr",),
        worthless=None,
    ),
    Metric(function=tie_mass, label="tied pairs", form="share", worthless=None),
)
