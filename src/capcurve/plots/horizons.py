"""The accuracy ratio and the incidence against the horizon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.times import Competing, as_text
from capcurve.inference.horizons import horizon_table
from capcurve.show.canvas import FIGURE_SIZE, drawing
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    DASHES,
    THIN,
    Axis,
    Chart,
    ChartBand,
    Line,
    Marker,
    ScoreTicks,
    Style,
)
from capcurve.show.format import amount, percent, stated_percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from capcurve.counts import TimeCounts
    from capcurve.show.table import Table


def plot_horizons(
    times: TimeCounts,
    horizons: Iterable[float],
    *,
    ax: Axes | None = None,
    level: float = 0.95,
    competing: Competing = "negative",
    title: str | None = None,
) -> Axes:
    """Draw the accuracy ratio against the horizon, with limits, and the incidence beside it.

    Below each horizon stand the rows followed to it, and the share censored before.

    Parameters
    ----------
    times, horizons, level, competing
        As in `horizon_table`, which also says what is refused.
    ax, title
        As in `plot_cap`.

    Examples
    --------
    >>> from capcurve import count_times
    >>> times = count_times(time=[3, 5, 8, 8, 9], event=[1, 0, 1, 0, 0], score=[9, 5, 1, 2, 3])
    >>> plot_horizons(times, [4, 8]).get_xlabel()
    'Horizon, rows followed to it, share censored before'
    """
    table = horizon_table(times, horizons, level=level, competing=competing)
    chart = horizon_chart(table, times.n, level)
    with drawing(ax, FIGURE_SIZE) as canvas:
        return canvas.draw(chart, title)


def horizon_chart(table: Table, n: int, level: float) -> Chart:
    """Return the accuracy ratio and the incidence of `n` rows by horizon as a chart."""
    x, ratio, low, high = (table[n] for n in ("horizon", "accuracy_ratio", "low", "high"))
    known = ~(low != low)  # noqa: PLR0124 - NaN where a class is missing
    held = zip(x, table["at_risk"], table["unknown"], strict=True)
    names = [f"{as_text(at)}\n{amount(int(k))}\n{percent(gone / n)}" for at, k, gone in held]
    room = 0.06 * float(np.ptp(x)) or 1.0
    ends = float(x.min()) - room, float(x.max()) + room
    dashed, marker = Style(COLOURS[1], DASHES[1]), Marker("o", 0.7)
    limits = f"{stated_percent(level)} limits at each horizon"
    told = zip(x[known], ratio[known], low[known], high[known], strict=True)
    return Chart(
        title="Accuracy ratio by horizon",
        x=Axis("Horizon, rows followed to it, share censored before", "score", ends=ends),
        y=Axis("Accuracy ratio, incidence", "number"),
        lines=[
            Line(x[known], ratio[known], "Accuracy ratio", Style(BLUE), marker=marker),
            Line(x, table["incidence"], "Incidence", dashed, width=THIN, marker=Marker("s", 0.6)),
        ],
        bands=[ChartBand(x[known], low[known], high[known], limits, BLUE)],
        scores=ScoreTicks(x, names),
        rising=True,
        description="; ".join(
            f"by {as_text(t)} the accuracy ratio is {value:.3f}, from {a:.3f} to {b:.3f}"
            for t, value, a, b in told
        ),
    )
