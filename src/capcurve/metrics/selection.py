"""What selecting the top share of cases brings: captured, lift, precision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from capcurve.counts import (
    Amounts,
    NotHeldError,
    Ranking,
    ScoreCounts,
    SegmentCounts,
    ValueSums,
)
from capcurve.curves import (
    Curve,
    captured_response_curve,
    lift_curve,
    local_lift_curve,
    profit_curve,
)
from capcurve.curves.kinds import mean_amount_curve, means, precision_curve
from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import OfClass, require_amount, sample_rate
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import about_classes, takes_amounts, takes_counts, takes_rankings
from capcurve.metrics.depth import as_selection, share_selected
from capcurve.metrics.registry import OF_AMOUNTS, OF_BOTH, Metric
from capcurve.metrics.retrieval import over
from capcurve.numbers.arguments import LEAST_SHARE, arg, as_share

if TYPE_CHECKING:
    from capcurve.numbers.types import Floats


@about_classes("mean_amount")
def prevalence(counts: Ranking) -> float:
    """Return the prevalence (event rate, bad rate): the share of cases that are positive.

    In [0, 1]. Raises `ValueError` when there are no cases.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> prevalence(count_scores([1, 0, 0, 0], [4, 3, 2, 1]))
    0.25
    """
    return sample_rate(counts)


@takes_rankings
def captured_response(
    counts: Ranking | Amounts,
    q: float | None = None,
    *,
    k: int | None = None,
    of: OfClass = "positives",
    prevalence: float | None = None,
) -> float:
    """Return the captured response CAP(q): the top q's share of all positives, or of the amount.

    Also called recall at k, gain. Inside a grade cases are taken in proportion. Of amounts q is a
    share of the cases, or of the exposure where there is one. In [0, 1]. Raises `ValueError` when
    the class is missing or q lies outside [0, 1].

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    k
        In its place the number of cases selected, from 1; beyond all cases these are selected.
    of
        "positives", or "negatives" for that class.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> captured_response(count_scores([1, 0, 0, 1], [4, 3, 2, 1]), 0.25)
    0.5
    """
    q = share_selected(counts, q, k, prevalence)
    counts = _about(counts, q)
    return height(counts, captured_response_curve(counts, of=of, prevalence=prevalence), q)


@takes_rankings
def captured_between(
    counts: Ranking | Amounts,
    q1: float,
    q2: float,
    *,
    of: OfClass = "positives",
    prevalence: float | None = None,
) -> float:
    """Return the share of a class, or of the amount, captured between two shares of cases.

    In [0, 1]: the area under the local lift between them. Raises `ValueError` when the class is
    missing, or the shares are out of order or range.

    Parameters
    ----------
    counts, of, prevalence
        As in `captured_response`.
    q1, q2
        Shares of all cases, from 0 to 1, q1 not above q2.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> captured_between(count_scores([1, 0, 0, 1], [4, 3, 2, 1]), 0.5, 1)
    0.5
    """
    q1, q2 = as_share(q1, "q1"), as_share(q2, "q2")
    if not q1 <= q2:
        raise ValueError(f"q1 must not exceed q2, got {q1} and {q2}")
    counts = _about(counts, q1, q2)
    curve = captured_response_curve(counts, of=of, prevalence=prevalence)
    return max(height(counts, curve, q2) - height(counts, curve, q1), 0.0)


@takes_rankings
def lift(
    counts: Ranking | Amounts,
    q: float | None = None,
    *,
    k: int | None = None,
    prevalence: float | None = None,
) -> float:
    """Return the lift of the top share q: how many times more positives, or amount, than random.

    This is the cumulative lift CAP(q)/q; at q = 0 the lift of the first grade. From 0 to 1/π; 1 is
    random. Raises `ValueError` when there are no positives, no amount or some below zero, or q lies
    outside [0, 1].

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    k
        In its place the number of cases selected, from 1; beyond all cases these are selected.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lift(count_scores([1, 0, 0, 0], [4, 3, 2, 1]), 0.25)
    4.0
    """
    q = share_selected(counts, q, k, prevalence)
    counts = _about(counts, q)
    return height(counts, lift_curve(counts, prevalence=prevalence), q)


@takes_rankings
def local_lift(
    counts: ScoreCounts | Amounts,
    q: float,
    *,
    of: OfClass = "positives",
    prevalence: float | None = None,
) -> float:
    """Return the local lift: that of the score at which the top share q ends, the CAP's slope.

    Where q falls between two scores, that of the score just selected. From 0 to 1/π; 1 is random.
    Raises `ValueError` when the class is missing or q lies outside [0, 1].

    Parameters
    ----------
    counts, q, of, prevalence
        As in `captured_response`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> local_lift(count_scores([1, 0, 0, 0], [2, 2, 1, 1]), 0.75)
    0.0
    """
    return local_lift_curve(counts, of=of, prevalence=prevalence).at(q)


@about_classes("mean_amount")
def precision(
    counts: Ranking,
    q: float | None = None,
    *,
    k: int | None = None,
    prevalence: float | None = None,
) -> float:
    """Return the precision of the top share q: the share of these cases that is positive.

    Also called positive predictive value or response rate; prevalence times lift. In [0, 1]. Raises
    `ValueError` when there are no positives or q lies outside [0, 1].

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    k
        In its place the number of cases selected, from 1; of fewer cases in all it is out of k.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 0, 0], [4, 3, 2, 1])
    >>> precision(counts, 0.5), precision(counts, k=5)
    (0.5, 0.2)
    """
    share = share_selected(counts, q, k, prevalence)
    found = height(counts, precision_curve(counts, prevalence=prevalence), share)
    return found if k is None else found * min(counts.n / k, 1.0)


@takes_amounts
def mean_amount(values: Amounts, q: float | None = None) -> float:
    """Return the mean amount per unit of exposure, of the top share q or of all.

    A loss ratio when the exposure is premium, a claim cost per year when it is years; without an
    exposure the mean amount of a row. Raises `ValueError` when there are no rows or q lies outside
    [0, 1].

    Parameters
    ----------
    values
        Result of `count_values`, or `evaluate(...).counts[name]`.
    q
        Share of the exposure selected, from 0 to 1, best score first; None for all of it. At 0 that
        of the first score.

    Examples
    --------
    >>> from capcurve import count_values
    >>> values = count_values([90, 0, 10, 0], [4, 3, 2, 1])
    >>> mean_amount(values), mean_amount(values, 0.5)
    (25.0, 45.0)
    """
    require_amount(values, absolute=True)
    if q is None:
        return float(means(np.array([values.amount]), np.array([values.exposure]))[0])
    near = _about(values, q)
    return height(near, mean_amount_curve(near), q)


@overload
def _about(counts: Amounts, *shares: float) -> ValueSums: ...
@overload
def _about(counts: Ranking | Amounts, *shares: float) -> Ranking | Amounts: ...
def _about(counts: Ranking | Amounts, *shares: float) -> Ranking | Amounts:
    """Return counts that tell what shares hold; of amounts at very many scores only there."""
    return counts.about([as_share(q, "q") for q in shares]) if is_amounts(counts) else counts


def height(counts: Ranking | Amounts, curve: Curve, q: float) -> float:
    """Return a curve of these counts at a share of cases, or raise where totals do not tell it."""
    q = as_share(q, "q")
    found = curve.at(q)
    if not is_amounts(counts) and not counts.is_complete:
        points = curve.x
        end = int(np.searchsorted(points, q))
        if points[end] != q and not counts.single[end - 1]:
            near = points[end - 1], points[end]
            raise NotHeldError(
                f"of these {len(counts):,} distinct scores only some are held, and the share {q} "
                f"lies between the cut-offs at {near[0]:.6g} and {near[1]:.6g}; count with "
                f"{arg('resolution')}, such as 1e-6, or without a memory limit"
            )
    return found


@takes_counts
def specificity(counts: Ranking, q: float, *, prevalence: float | None = None) -> float:
    """Return the specificity beside the top share q: the share of negatives not among these cases.

    Also called true negative rate: 1 less the false positive rate. Inside a grade cases are taken
    in proportion. In [0, 1]. Raises `ValueError` when there are no negatives or q lies outside
    [0, 1].

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    Of the three negatives one is among the first two of five cases.

    >>> from capcurve import count_scores
    >>> round(specificity(count_scores([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]), 0.4), 9)
    0.666666667
    """
    return 1 - false_positive_rate(counts, q, prevalence=prevalence)


@takes_counts
def false_positive_rate(counts: Ranking, q: float, *, prevalence: float | None = None) -> float:
    """Return the false positive rate of the top share q: the share of negatives among its cases.

    This is the captured response of negatives. In [0, 1]. Raises `ValueError` when there are no
    negatives or q lies outside [0, 1].

    Parameters
    ----------
    counts, q, prevalence
        As in `specificity`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> round(false_positive_rate(count_scores([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]), 0.4), 9)
    0.333333333
    """
    return captured_response(counts, q, of="negatives", prevalence=prevalence)


def captured_of_segments(counts: SegmentCounts, **selected: Any) -> Floats:
    """Return the captured response of each segment, NaN without positives."""
    found, _ = _captured(counts, **selected)
    return over(found, SegmentCells.of(counts).positives)


def lift_of_segments(counts: SegmentCounts, **selected: Any) -> Floats:
    """Return the lift of each segment, NaN without positives."""
    cells, (found, depth) = SegmentCells.of(counts), _captured(counts, **selected)
    return over(over(found, cells.positives) * cells.cases, np.minimum(depth, cells.cases))


def precision_of_segments(counts: SegmentCounts, **selected: Any) -> Floats:
    """Return the precision of each segment, NaN without positives."""
    found, depth = _captured(counts, **selected)
    return over(np.where(SegmentCells.of(counts).positives > 0, found, np.nan), depth)


def _captured(
    counts: SegmentCounts, *, q: float | None = None, k: int | None = None
) -> tuple[Floats, Floats]:
    """Return how many positives of each segment are among how many cases that are selected."""
    q, k = as_selection(q, k)
    cells = SegmentCells.of(counts)
    # Next to none where none is selected, as lift and precision are then those of the first score.
    depth = np.full(len(counts), k) if q is None else max(q, LEAST_SHARE) * cells.cases
    taken = np.clip((cells.spread(depth) - cells.before_m) / cells.m, 0.0, 1.0)
    return cells.total(cells.e * taken), np.asarray(depth, np.float64)


SELECTION_METRICS = (
    Metric(
        function=captured_response,
        label="captured response",
        short="captured",
        flag="captured",
        aliases=("captured", "capture_rate", "recall", "tpr", "sensitivity", "true_positive_rate"),
        of=OF_BOTH,
        form="share",
        needs=("q",),
        compared_at="q",
        worthless=None,
        requires=("positives",),
        options=("k",),
        of_segments=captured_of_segments,
    ),
    Metric(
        function=lift,
        label="lift",
        aliases=("ef", "enrichment_factor"),
        of=OF_BOTH,
        form="lift",
        needs=("q",),
        compared_at="q",
        ends=(0.0, math.inf),
        worthless=1.0,
        requires=("positives",),
        options=("k",),
        of_segments=lift_of_segments,
    ),
    Metric(
        function=precision,
        label="precision",
        form="share",
        needs=("q",),
        worthless=None,
        requires=("positives",),
        options=("k",),
        of_segments=precision_of_segments,
    ),
    Metric(
        function=specificity,
        label="specificity",
        aliases=("tnr", "true_negative_rate"),
        form="share",
        needs=("q",),
        worthless=None,
        requires=("negatives",),
    ),
    Metric(
        function=false_positive_rate,
        label="false positive rate",
        short="FPR",
        aliases=("fpr",),
        form="share",
        needs=("q",),
        worthless=None,
        requires=("negatives",),
    ),
    Metric(
        function=mean_amount,
        label="mean amount",
        flag="mean",
        of=OF_AMOUNTS,
        form="quantity",
        ends=(-math.inf, math.inf),
        worthless=None,
        requires=(),
    ),
    Metric(
        name="profit",
        function=profit_curve,
        number=lambda curve: float(curve.y.max()),
        label="profit",
        of=OF_BOTH,
        form="quantity",
        needs=("value", "cost"),
        ends=(-math.inf, math.inf),
        worthless=None,
        requires=("positives",),
    ),
    Metric(
        function=prevalence,
        label="prevalence",
        form="share",
        worthless=None,
        requires=(),
    ),
)
