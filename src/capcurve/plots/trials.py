"""Pictures of a trial: what treating the top of a score gains, and what it tells of the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves import qini_curve, toc_curve, uplift_curve
from capcurve.inference.records import Confidence
from capcurve.inference.trials import limits_along
from capcurve.show.canvas import WIDE, drawing
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Style, reference
from capcurve.show.format import capitalised, percent, plain_text, stated_percent
from capcurve.taking import takes_arms, takes_trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from capcurve.counts import Trial, UpliftCounts
    from capcurve.curves import Curve

SHARES = np.linspace(0.02, 1, 50)  # where limits are looked at


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
    'Gain per case of the list'
    """
    low, high = limits_along(trial, SHARES, Confidence(level))
    x, bottom, top = (np.append(0, each) for each in (SHARES, SHARES * low, SHARES * high))
    band = ChartBand(x, bottom, top, _limits_text(level), BLUE)
    chart = _chart("Uplift curve", uplift_curve(trial), "Treated at random", band)
    with drawing(ax, WIDE) as canvas:
        return canvas.draw(chart, title)


@takes_trials
def plot_toc(
    trial: Trial, *, ax: Axes | None = None, level: float = 0.95, title: str | None = None
) -> Axes:
    """Draw the TOC: how far the uplift of each top share lies above the effect on all.

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
    >>> ax = plot_toc(UpliftCounts.from_counts([2, 1], [30, 10], [10, 30], [10, 10], [30, 30]))
    >>> ax.get_ylabel()
    'Uplift of the top less the effect'
    """
    low, high = limits_along(trial, SHARES, Confidence(level), beyond=True)
    band = ChartBand(SHARES, low, high, _limits_text(level), BLUE)
    chart = _chart("TOC", toc_curve(trial), "A score that tells nothing", band)
    with drawing(ax, WIDE) as canvas:
        return canvas.draw(chart, title)


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
    chart = _chart("Qini curve", qini_curve(trial), "Treated at random")
    with drawing(ax, WIDE) as canvas:
        return canvas.draw(chart, title)


def _limits_text(level: float) -> str:
    return f"{stated_percent(level)} limits at each share"


def _chart(title: str, curve: Curve, random: str, *bands: ChartBand) -> Chart:
    """Return a curve of a trial beside a score that orders nothing, whose end it shares."""
    x, y = curve.x, curve.y
    if curve.name == "toc":  # of few cases at the very top it is mostly chance
        x, y = x[x >= SHARES[0]], y[x >= SHARES[0]]
    told = ", ".join(f"{plain_text(curve.at(q))} at {percent(q)}" for q in (0.1, 0.3, 0.5, 1.0))
    return Chart(
        title=title,
        x=Axis("Share of cases treated, best scores first", "percent", 1.0),
        y=Axis(capitalised(curve.y_label), "number"),
        lines=[
            Line(x, y, "Treated by score", Style(BLUE)),
            reference([0, 1], [0, float(y[-1])], random),
        ],
        bands=bands,
        rising=True,
        corner="upper left",
        description=f"{capitalised(curve.y_label)}: {told}.",
    )
