"""The curves themselves: which running sum goes on which axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.curve import Curve
from capcurve.curves.shares import Axis, OfClass, check_class, require, sample_rate, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

SELECTED = "share of all cases selected"
CAPTURED = "share of all positives captured"


def cap_curve(
    counts: ScoreCounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show which share of all positives the top share of cases holds: the CAP.

    Also called cumulative gains, captured response or power curve. One point per distinct
    score, straight in between: the average over all orders inside a tie.

    Parameters
    ----------
    counts
        What was counted.
    absolute
        Put numbers of cases and positives on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1), K + 1 points.

    Raises
    ------
    ValueError
        When there are no positives.

    Notes
    -----
    Sobehart, Keenan & Stein (2000), "Benchmarking quantitative default risk models".

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> cap_curve(counts).at(0.4) == 2 / 3
    True
    >>> cap_curve(counts, absolute=True).y
    array([0., 1., 2., 2., 2., 3.])
    """
    require(counts, "positives")
    _check_absolute(absolute, prevalence)
    sums = shares(counts, prevalence)
    return _line("cap", counts, sums.cases, sums.positives, absolute=absolute)


def perfect_cap(
    counts: ScoreCounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP of a score that puts every positive before every negative.

    It rises straight to 1 at the share of positives, n1/n, and stays there.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> perfect_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    1.0
    """
    require(counts, "positives")
    _check_absolute(absolute, prevalence)
    n1, n0 = counts.n1, counts.n0
    if prevalence is not None:
        rate = sample_rate(counts, prevalence)
        cases = Axis(np.array([0.0, rate, 1.0]), 1.0)
    else:
        cases = Axis(np.array([0, n1, n1 + n0]), n1 + n0)
    return _line("perfect", None, cases, Axis(np.array([0, n1, n1]), n1), absolute=absolute)


def random_cap(
    counts: ScoreCounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP that a score without information has on average: the diagonal.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> random_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    0.25
    """
    require(counts, "positives")
    _check_absolute(absolute, prevalence)
    cases = Axis(np.array([0, counts.n]), counts.n)
    positives = Axis(np.array([0, counts.n1]), counts.n1)
    return _line("random", None, cases, positives, absolute=absolute)


def roc_curve(counts: ScoreCounts) -> Curve:
    """Show the true positive rate at each false positive rate: the ROC.

    Raises
    ------
    ValueError
        When a class is missing.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> roc_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(0.5)
    1.0
    """
    require(counts, "positives", "negatives")
    sums = shares(counts)
    labels = ("false positive rate", "true positive rate")
    return _curve("roc", counts, sums.negatives, sums.positives, labels)


def lift_curve(counts: ScoreCounts, *, prevalence: float | None = None) -> Curve:
    """Show how many times more positives the top share holds than a random one: CAP(q)/q.

    This is the cumulative lift; the lift of single grades is `local_lift_curve`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lift_curve(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.5)
    2.0
    """
    require(counts, "positives")
    sums = shares(counts, prevalence)
    labels = (SELECTED, "cumulative lift")
    return _curve("lift", counts, sums.cases, sums.positives, labels, over=sums.cases)


def local_lift_curve(
    counts: ScoreCounts, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Show the lift of each grade alone: the slope of the captured response.

    Parameters
    ----------
    of
        "positives", or "negatives" for (1 - π·lift) / (1 - π).

    Returns
    -------
    Curve
        A step per distinct score; its area is 1.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> local_lift_curve(count_scores([1, 0, 0, 0], [2, 2, 1, 1])).y
    array([2., 2., 0.])
    """
    which = check_class(of)
    require(counts, which)
    sums = shares(counts, prevalence)
    axis = sums.of(which)
    name = "local-lift" if which == "positives" else "local-lift-of-negatives"
    return Curve(
        name,
        sums.cases.sums,
        sums.cases.total,
        _steps(axis.sums),
        axis.total,
        _steps(sums.cases.sums),
        sums.cases.total,
        counts.thresholds,
        step=True,
        x_label=SELECTED,
        y_label=f"lift of each score, {which}",
    )


def captured_response_curve(
    counts: ScoreCounts, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Show which share of a class the top share of cases holds.

    For positives this is the CAP, CR1; for negatives it is CR0 = (q - π·CR1) / (1 - π).

    Examples
    --------
    >>> from capcurve import count_scores
    >>> captured_response_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), of="negatives").at(0.5)
    0.5
    """
    which = check_class(of)
    require(counts, which)
    sums = shares(counts, prevalence)
    labels = (SELECTED, f"share of all {which} captured")
    name = "captured-response" if which == "positives" else "captured-response-of-negatives"
    return _curve(name, counts, sums.cases, sums.of(which), labels)


def ks_curve(counts: ScoreCounts, *, prevalence: float | None = None) -> Curve:
    """Show the gap CR1 - CR0 along the share selected; KS is its largest distance from 0.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> ks_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).y
    array([0. , 0.5, 0. , 0.5, 0. ])
    """
    require(counts, "positives", "negatives")
    sums = shares(counts, prevalence)
    gap = sums.positives.sums / sums.positives.total - sums.negatives.sums / sums.negatives.total
    labels = (SELECTED, "positives captured minus negatives captured")
    return _curve("ks", counts, sums.cases, Axis(gap, 1.0), labels)


def precision_recall_curve(counts: ScoreCounts, *, prevalence: float | None = None) -> Curve:
    """Show the precision at each share of positives captured.

    Between two scores cases are added in proportion, so the curve bends there (Davis &
    Goadrich 2006); a straight line between its points would promise too much.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> precision_recall_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(1.0) == 2 / 3
    True
    """
    require(counts, "positives")
    sums = shares(counts, prevalence)
    rate = sample_rate(counts, prevalence)
    positives = sums.positives
    found = Axis(positives.sums, positives.total / rate if prevalence else sums.cases.total)
    labels = (CAPTURED, "precision: share of selected cases that are positive")
    return _curve("precision-recall", counts, positives, found, labels, over=sums.cases)


def lorenz_curve(counts: ScoreCounts, *, prevalence: float | None = None) -> Curve:
    """Show which share of positives the least likely share of cases holds: 1 - CAP(1 - p).

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lorenz_curve(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).at(0.6) == 1 / 3
    True
    """
    require(counts, "positives")
    sums = shares(counts, prevalence)
    return Curve(
        "lorenz",
        _from_the_end(sums.cases.sums),
        sums.cases.total,
        _from_the_end(sums.positives.sums),
        sums.positives.total,
        thresholds=counts.thresholds[::-1],
        x_label="share of all cases, least likely positive first",
        y_label="share of all positives among them",
    )


def profit_curve(
    counts: ScoreCounts, *, value: float, cost: float, prevalence: float | None = None
) -> Curve:
    """Show the profit of acting on the top share of cases.

    Parameters
    ----------
    value
        What one captured positive brings.
    cost
        What selecting one case costs.

    Returns
    -------
    Curve
        value x positives captured - cost x cases selected, in the unit of money given.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> profit_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), value=10, cost=2).y
    array([ 0.,  8.,  6., 14., 12.])
    """
    require(counts, "positives")
    if not (np.isfinite(value) and np.isfinite(cost)):
        raise ValueError(f"value and cost must be finite, got {value} and {cost}")
    sums = shares(counts, prevalence)
    n, rate = counts.n, sample_rate(counts, prevalence)
    captured = sums.positives.sums * (n * rate / sums.positives.total if prevalence else 1)
    profit = value * captured - cost * (sums.cases.sums * (n / sums.cases.total))
    return _curve("profit", counts, sums.cases, Axis(profit, 1.0), (SELECTED, "profit"))


def _check_absolute(absolute: bool, prevalence: float | None) -> None:
    if absolute and prevalence is not None:
        raise ValueError("absolute=True counts the cases there are; leave out prevalence")


def _line(
    name: str, counts: ScoreCounts | None, cases: Axis, positives: Axis, *, absolute: bool
) -> Curve:
    if not absolute:
        return _curve(name, counts, cases, positives, (SELECTED, CAPTURED))
    labels = ("cases selected", "positives captured")
    return _curve(name, counts, Axis(cases.sums, 1), Axis(positives.sums, 1), labels)


def _curve(
    name: str,
    counts: ScoreCounts | None,
    x: Axis,
    y: Axis,
    labels: tuple[str, str],
    over: Axis | None = None,
) -> Curve:
    return Curve(
        name,
        x.sums,
        x.total,
        y.sums,
        y.total,
        None if over is None else over.sums,
        1 if over is None else over.total,
        None if counts is None else counts.thresholds,
        x_label=labels[0],
        y_label=labels[1],
    )


def _steps(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what each segment adds; the first point takes the value of the first segment."""
    added = np.diff(sums)
    return np.concatenate([added[:1], added])


def _from_the_end(sums: NDArray[Any]) -> NDArray[Any]:
    reflected: NDArray[Any] = (sums[-1] - sums)[::-1]
    return reflected
