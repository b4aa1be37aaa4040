"""The accuracy ratio against the horizon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.times import Competing, as_text
from capcurve.inference.horizons import horizon_table
from capcurve.show.canvas import plot_chart
from capcurve.show.chart import BLUE, Axis, Chart, Line, Marker, ScoreTicks, Style, whiskers
from capcurve.show.format import percent, stated_percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from capcurve.counts import TimeCounts
    from capcurve.show.table import Table

# So many horizons are dots that no line joins: nothing is known between them.
FEW = 2


def plot_horizons(
    times: TimeCounts,
    horizons: Iterable[float],
    *,
    ax: Axes | None = None,
    level: float = 0.95,
    competing: Competing = "negative",
    title: str | None = None,
) -> Axes:
    """Draw the accuracy ratio against the horizon, with its interval at each.

    Below each horizon are the incidence and the share of rows censored before.

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
    'Horizon, incidence, share censored before'
    """
    table = horizon_table(times, horizons, level=level, competing=competing)
    return plot_chart(horizon_chart(table, times.n, level, times.time_unit), ax, title)


def horizon_chart(table: Table, n: int, level: float, unit: str | None) -> Chart:
    """Return the accuracy ratio of `n` rows by horizon as a chart."""
    x, ratio, low, high = (table[n] for n in ("horizon", "accuracy_ratio", "low", "high"))
    at, known = x, ~(low != low)  # noqa: PLR0124 - NaN where a class is missing
    held = zip(x, table["incidence"], table["unknown"], strict=True)
    names = [f"{as_text(at)}\n{percent(rate)}\n{percent(gone / n)}" for at, rate, gone in held]
    room = 0.06 * float(np.ptp(x)) or 1.0
    ends = float(x.min()) - room, float(x.max()) + room
    x, ratio, low, high = (each[known] for each in (x, ratio, low, high))
    horizon, joined = f"Horizon ({unit})" if unit else "Horizon", float(len(x) > FEW)
    return Chart(
        title="Accuracy ratio by horizon",
        x=Axis(f"{horizon}, incidence, share censored before", "score", ends=ends),
        y=Axis("Accuracy ratio", "number"),
        lines=[
            *whiskers(x, low, high, f"{stated_percent(level)} interval at each horizon"),
            Line(x, ratio, "Accuracy ratio", Style(BLUE), width=joined, marker=Marker("o", 0.7)),
        ],
        scores=ScoreTicks(at, names),
        rising=True,
        description="; ".join(
            f"within {as_text(t, unit)} the accuracy ratio is {value:.3f} [{a:.3f}, {b:.3f}]"
            for t, value, a, b in zip(x, ratio, low, high, strict=True)
        ),
    )
