"""Pictures of a trial: what treating the top of a score gains, and what it tells of the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.curves import qini_curve
from capcurve.gate.taking import takes_arms, takes_trials
from capcurve.results.trials import curve_chart, toc_chart, uplift_chart
from capcurve.show.canvas import plot_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from capcurve.counts import Trial, UpliftCounts


@takes_trials
def plot_uplift(
    trial: Trial, *, ax: Axes | None = None, level: float = 0.95, title: str | None = None
) -> Axes:
    """Draw the uplift curve with limits: what treating each top share of cases gains.

    Beside it the chord, which treating as many at random gains.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.
    level
        Confidence level of the limits at each share by itself.
    ax, title
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> ax = plot_uplift(UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30]))
    >>> ax.get_ylabel()
    'Extra positives per 100 customers'
    """
    return plot_chart(uplift_chart(trial, level), ax, title)


@takes_trials
def plot_toc(
    trial: Trial, *, ax: Axes | None = None, level: float = 0.95, title: str | None = None
) -> Axes:
    """Draw the TOC: how far the uplift of each top share lies above the effect on all.

    Parameters
    ----------
    trial, level
        As in `plot_uplift`.
    ax, title
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> ax = plot_toc(UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30]))
    >>> ax.get_ylabel()
    'Uplift of the top less the effect'
    """
    return plot_chart(toc_chart(trial, level), ax, title)


@takes_arms
def plot_qini(trial: UpliftCounts, *, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw Radcliffe's Qini curve: extra outcomes among the treated of each top share of cases.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`.
    ax, title
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> ax = plot_qini(UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30]))
    >>> ax.get_ylabel()
    'Extra outcomes per treated case'
    """
    return plot_chart(curve_chart("Qini curve", qini_curve(trial), "Treated at random"), ax, title)
