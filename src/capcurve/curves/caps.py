"""The CAP and its kin: what the top share of cases holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.counts.given import is_amounts, takes_rankings
from capcurve.curves.curve import SELECTED, Curve, check_absolute, curve_of, from_the_end, line
from capcurve.curves.shares import (
    Axis,
    OfClass,
    check_class,
    gained,
    held_shares,
    refuse_prevalence,
    require,
    require_amount,
    sample_rate,
)

if TYPE_CHECKING:
    from capcurve.counts import Amounts, Ranking


@takes_rankings
def cap_curve(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show which share of all positives, or of the amount, the top share of cases holds: the CAP.

    Also called cumulative gains, captured response or power curve. One point per distinct
    score, straight in between: the average over all orders inside a tie. Of amounts that have
    an exposure, x is the share of that.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives, or exposure and amount, on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1), K + 1 points.

    Raises
    ------
    ValueError
        When there are no positives, no amount, or amounts below zero.

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

    Of amounts: the first of two cases holds 90 of 100.

    >>> from capcurve import count_values
    >>> cap_curve(count_values([90, 10], [2, 1])).at(0.5)
    0.9
    """
    check_absolute(absolute, prevalence)
    sums = gained(counts, prevalence, absolute=absolute)
    axes = (sums.selected, sums.captured)
    return line("cap", sums.cells, counts.words, *axes, absolute=absolute)


@takes_rankings
def perfect_cap(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP of a score that puts every positive before every negative.

    It rises straight to 1 at the share of positives, n1/n, and stays there. Of amounts it is the
    CAP of the best order, by the rate of amount to exposure.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives, or exposure and amount, on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

    Returns
    -------
    Curve
        Three points: the origin, (n1/n, 1) exactly, and (1, 1).

    Raises
    ------
    ValueError
        When there are no positives, no amount, or amounts below zero.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> perfect_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    1.0
    """
    check_absolute(absolute, prevalence)
    axes = _best_order(counts, prevalence, absolute=absolute)
    return line("perfect", None, counts.words, *axes, absolute=absolute)


def _best_order(
    counts: Ranking | Amounts, prevalence: float | None, *, absolute: bool
) -> tuple[Axis, Axis]:
    """Return what is selected and captured when the order is the best one."""
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        require_amount(counts, absolute=absolute)
        rates = counts.by_rate().joined()
        exposure, amount = cumulated(rates.exposure), cumulated(rates.amount)
        return Axis(exposure, exposure[-1].item()), Axis(amount, amount[-1].item())
    require(counts, "positives")
    n1, n0 = counts.n1, counts.n0
    positives = Axis(np.array([0, n1, n1]), n1)
    if prevalence is not None:
        return Axis(np.array([0.0, sample_rate(counts, prevalence), 1.0]), 1.0), positives
    return Axis(np.array([0, n1, n1 + n0]), n1 + n0), positives


@takes_rankings
def random_cap(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Show the CAP that a score without information has on average: the diagonal.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives, or exposure and amount, on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

    Returns
    -------
    Curve
        Two points, the ends of the diagonal.

    Raises
    ------
    ValueError
        When there are no positives, no amount, or amounts below zero.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> random_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    0.25
    """
    check_absolute(absolute, prevalence)
    sums = gained(counts, prevalence, absolute=absolute)
    ends = (Axis(np.array([0, axis.total]), axis.total) for axis in (sums.selected, sums.captured))
    return line("random", None, counts.words, *ends, absolute=absolute)


@takes_rankings
def captured_response_curve(
    counts: Ranking | Amounts, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Show which share of a class the top share of cases holds.

    For positives this is the CAP, CR1; for negatives it is CR0 = (q - π·CR1) / (1 - π).

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    of
        "positives", or "negatives" for that class.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

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
    if is_amounts(counts):
        if which != "positives":
            raise ValueError(f"of={of!r} is a class, and amounts have none; leave it out")
        return replace(cap_curve(counts, prevalence=prevalence), name="captured-response")
    cells, sums = held_shares(counts, which, prevalence=prevalence)
    labels = (SELECTED, f"share of all {which} captured")
    name = "captured-response" if which == "positives" else "captured-response-of-negatives"
    return curve_of(name, cells, sums.cases, sums.of(which), labels)


@takes_rankings
def lorenz_curve(counts: Ranking | Amounts, *, prevalence: float | None = None) -> Curve:
    """Show which share of positives the least likely share of cases holds: 1 - CAP(1 - p).

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

    Returns
    -------
    Curve
        From (0, 0) to (1, 1), K + 1 points.

    Raises
    ------
    ValueError
        When there are no positives, no amount, or amounts below zero.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lorenz_curve(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).at(0.6) == 1 / 3
    True
    """
    sums, words = gained(counts, prevalence), counts.words
    last = "smallest expected amount" if is_amounts(counts) else "least likely positive"
    return Curve(
        "lorenz",
        from_the_end(sums.selected.sums),
        sums.selected.total,
        from_the_end(sums.captured.sums),
        sums.captured.total,
        thresholds=sums.cells.thresholds[::-1],
        x_label=f"share of {words.all_selected}, {last} first",
        y_label=f"share of {words.all_captured} among them",
    )
