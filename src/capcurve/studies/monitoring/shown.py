"""What a control chart shows: sentences, numbers, two pictures and the table of periods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.show.chart import (
    BLUE,
    COLOURS,
    THIN,
    Axis,
    Chart,
    Line,
    Marker,
    ScoreTicks,
    Style,
    marks,
    reference,
)
from capcurve.show.figure import Figure
from capcurve.show.format import counted, number, plain_names, stated_percent, statistic
from capcurve.show.presentation import Presentation

if TYPE_CHECKING:
    from capcurve.show.chart import Values
    from capcurve.show.table import Table
    from capcurve.studies.monitoring.records import Monitored

ALARMS = COLOURS[1]
LONGEST_NAME = 12
# So many letters of names have room along x.
LETTERS = 56
BETWEEN = 2
# What y has beyond what is drawn, as a share of its length.
ROOM = 0.08
LEAST_LENGTH = 1e-3
MOST_DOTS = 36
MEANING = (
    "C adds up, period after period, by how much the accuracy ratio is below its initial value "
    "less half of drop ({half}), over the variance that a period of its size has; it never falls "
    "below 0. {limit}"
)
LIMIT = (
    "The limit is such that a score that ranks as before goes above it in {often} of series of "
    "{horizon}."
)
NOTE_ON_TABLE = "cusum is C after the period; an alarm is where it is above the limit"


def presentation_of(found: Monitored) -> Presentation:
    """Return what a control chart shows."""
    return Presentation(
        title="Control chart of the accuracy ratio",
        sentences=(verdict(found), *_since(found)),
        figures=tuple(_figures(found)),
        level=found.level,
        findings=found.findings,
        charts=(_chart_of_sums(found), _chart_of_ratios(found)),
        tables=(_table(found.table),),
        notes=(_meaning(found), f"Method: {found.method}.", *found.notes),
    )


def verdict(found: Monitored) -> str:
    """Return in one sentence whether there is an alarm."""
    highest, limit = statistic(float(np.max(found.table["cusum"]))), statistic(found.limit)
    periods = counted(len(found.table), "period")
    if not found.alarmed or found.run_mean is None:
        return f"No alarm in {periods}: C reached {highest} of {limit}."
    start, end = (plain_names([name])[0] for name in (found.run_start, found.alarm))
    ratio = f"the accuracy ratio was {number(found.run_mean)}"
    since = f"{ratio} in {end}" if start == end else f"{ratio} on average from {start} to {end}"
    return f"Alarm in {end}: {since}, {number(found.initial_ar)} initially."


def _since(found: Monitored) -> list[str]:
    """Return what became of an alarm in later periods."""
    alarm, last = found.table["alarm"], float(found.table["cusum"][-1])
    if not found.alarmed:
        return []
    highest = float(np.max(found.table["cusum"]))
    said = f"C reached {statistic(highest)}, above the limit of {statistic(found.limit)}"
    if alarm[-1]:
        return [f"{said}."]
    return [f"{said}; after the last period it is {statistic(last)}, below the limit again."]


def _figures(found: Monitored) -> list[Figure]:
    table = found.table
    last = int(np.flatnonzero(~np.isnan(table["accuracy_ratio"]))[-1])
    name = plain_names([table["period"][last]])[0]
    sizes = "known" if found.initial_sizes is None else f"{found.initial_sizes[0]:,} positives"
    ratio, low, high, cusum = (
        float(table[column][last]) for column in ("accuracy_ratio", "low", "high", "cusum")
    )
    limit, label = ("limit of C", "limit of C"), "fall that one period shows"
    figures = [
        Figure(
            *("initial", "initial accuracy ratio", "initial AR", found.initial_ar, "ratio"),
            note=sizes,
        ),
        Figure("last", f"accuracy ratio, {name}", f"AR, {name}", ratio, "ratio", low, high),
        Figure("cusum", f"C, {name}", f"C, {name}", cusum, "statistic"),
        Figure("limit", *limit, found.limit, "statistic", note=_promise(found)),
    ]
    if found.detectable is not None:
        said = "in 80% of periods of mean size"
        figures.append(Figure("detectable", label, label, found.detectable, "lift", note=said))
    return figures


def _promise(found: Monitored) -> str:
    """Return how often there is a false alarm, and within how many periods."""
    if found.alarms is None or found.horizon is None:
        return "as given"
    return f"{stated_percent(found.alarms)} false alarms in {counted(found.horizon, 'period')}"


def _meaning(found: Monitored) -> str:
    limit = "The limit was given as a number."
    if found.alarms is not None and found.horizon is not None:
        limit = LIMIT.format(
            often=stated_percent(found.alarms), horizon=counted(found.horizon, "period")
        )
    return MEANING.format(half=f"{found.drop / 2:g}", limit=limit)


def _table(table: Table) -> Table:
    """Return the table with words in place of truth values."""
    said = np.where(table["alarm"], "alarm", "")
    return replace(table, columns={**table.columns, "alarm": said}, note=NOTE_ON_TABLE)


def _chart_of_sums(found: Monitored) -> Chart:
    """Return the chart of C with its limit."""
    sums, alarm = found.table["cusum"], found.table["alarm"]
    at = np.arange(len(sums), dtype=np.float64)
    top = max(float(sums.max()), found.limit)
    lines = [_across(at, found.limit, f"Limit {statistic(found.limit)}"), *_dotted(at, sums, "C")]
    if alarm.any():
        sign = Marker("D", 0.9, hollow=True, edge=1.0)
        lines.append(marks(at[alarm], sums[alarm], "Alarm", ALARMS, sign))
    return Chart(
        title="Evidence of a fall, added up",
        x=_along(at),
        y=Axis("C", "number", ends=(0.0, top * (1 + ROOM))),
        lines=lines,
        scores=_names(found),
        corner="upper left",
        rising=True,
        description=verdict(found),
    )


def _chart_of_ratios(found: Monitored) -> Chart:
    """Return the chart of the accuracy ratio of each period with its limits."""
    ratios, low, high = (found.table[name] for name in ("accuracy_ratio", "low", "high"))
    at = np.arange(len(ratios), dtype=np.float64)
    known = ~np.isnan(ratios)
    ends = [*low[known], *high[known], found.initial_ar]
    room = ROOM * max(max(ends) - min(ends), LEAST_LENGTH)
    whiskers = [
        Line([x, x], [a, b], style=Style(BLUE), width=THIN)
        for x, a, b in zip(at[known], low[known], high[known], strict=True)
    ]
    label = f"Accuracy ratio, {stated_percent(found.level)} intervals"
    return Chart(
        title="Accuracy ratio by period",
        x=_along(at),
        y=Axis("Accuracy ratio", "number", ends=(min(ends) - room, max(ends) + room)),
        lines=[
            _across(at, found.initial_ar, f"Initially {number(found.initial_ar)}"),
            *whiskers,
            *_dotted(at[known], ratios[known], label),
        ],
        scores=_names(found),
        corner="lower left",
        rising=True,
        description=f"{label}, beside {number(found.initial_ar)} initially",
    )


def _along(at: Values) -> Axis:
    return Axis("", "score", ends=(-0.6, len(at) - 0.4))


def _across(at: Values, height: float, label: str) -> Line:
    return reference([-0.6, len(at) - 0.4], [height, height], label)


def _dotted(x: Values, y: Values, label: str) -> list[Line]:
    """Return a line with a sign at each of its points."""
    line = Line(x, y, label, Style(BLUE))
    return [line] if len(x) > MOST_DOTS else [line, marks(x, y, "", BLUE, Marker("o", 0.5))]


def _names(found: Monitored) -> ScoreTicks:
    """Return the names of as many periods as there is room for."""
    names = plain_names(found.table["period"].tolist(), LONGEST_NAME)
    longest = max(map(len, names)) + BETWEEN
    each = -(-len(names) // max(LETTERS // longest, 1))
    last = len(names) - 1
    shown = [name if not (last - place) % each else "" for place, name in enumerate(names)]
    return ScoreTicks(np.arange(len(names), dtype=np.float64), shown)
