"""The CAP and its kin: what the top share of cases holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.given import takes_counts
from capcurve.curves.curve import SELECTED, Curve, check_absolute, curve_of, from_the_end, line
from capcurve.curves.shares import (
    Axis,
    OfClass,
    check_class,
    held_shares,
    require,
    sample_rate,
    shares,
)

if TYPE_CHECKING:
    from capcurve.counts import Ranking


@takes_counts
def cap_curve(counts: Ranking, *, absolute: bool = False, prevalence: float | None = None) -> Curve:
    """Show which share of all positives the top share of cases holds: the CAP.

    Also called cumulative gains, captured response or power curve. One point per distinct
    score, straight in between: the average over all orders inside a tie.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
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
    counts = counts.vertices
    check_absolute(absolute, prevalence)
    sums = shares(counts, prevalence)
    return line("cap", counts, sums.cases, sums.positives, absolute=absolute)


@takes_counts
def perfect_cap(
    counts: Ranking, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP of a score that puts every positive before every negative.

    It rises straight to 1 at the share of positives, n1/n, and stays there.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Curve
        Three points: the origin, (n1/n, 1) exactly, and (1, 1).

    Raises
    ------
    ValueError
        When there are no positives.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> perfect_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    1.0
    """
    require(counts, "positives")
    check_absolute(absolute, prevalence)
    n1, n0 = counts.n1, counts.n0
    if prevalence is not None:
        rate = sample_rate(counts, prevalence)
        cases = Axis(np.array([0.0, rate, 1.0]), 1.0)
    else:
        cases = Axis(np.array([0, n1, n1 + n0]), n1 + n0)
    return line("perfect", None, cases, Axis(np.array([0, n1, n1]), n1), absolute=absolute)


@takes_counts
def random_cap(
    counts: Ranking, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP that a score without information has on average: the diagonal.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Curve
        Two points, the ends of the diagonal.

    Raises
    ------
    ValueError
        When there are no positives.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> random_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    0.25
    """
    require(counts, "positives")
    check_absolute(absolute, prevalence)
    cases = Axis(np.array([0, counts.n]), counts.n)
    positives = Axis(np.array([0, counts.n1]), counts.n1)
    return line("random", None, cases, positives, absolute=absolute)


@takes_counts
def captured_response_curve(
    counts: Ranking, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Show which share of a class the top share of cases holds.

    For positives this is the CAP, CR1; for negatives it is CR0 = (q - π·CR1) / (1 - π).

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    of
        "positives", or "negatives" for that class.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1), K + 1 points.

    Raises
    ------
    ValueError
        When the class is missing.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> captured_response_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), of="negatives").at(0.5)
    0.5
    """
    which = check_class(of)
    cells, sums = held_shares(counts, which, prevalence=prevalence)
    labels = (SELECTED, f"share of all {which} captured")
    name = "captured-response" if which == "positives" else "captured-response-of-negatives"
    return curve_of(name, cells, sums.cases, sums.of(which), labels)


@takes_counts
def lorenz_curve(counts: Ranking, *, prevalence: float | None = None) -> Curve:
    """Show which share of positives the least likely share of cases holds: 1 - CAP(1 - p).

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
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

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lorenz_curve(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).at(0.6) == 1 / 3
    True
    """
    cells, sums = held_shares(counts, "positives", prevalence=prevalence)
    return Curve(
        "lorenz",
        from_the_end(sums.cases.sums),
        sums.cases.total,
        from_the_end(sums.positives.sums),
        sums.positives.total,
        thresholds=cells.thresholds[::-1],
        x_label="share of all cases, least likely positive first",
        y_label="share of all positives among them",
    )
