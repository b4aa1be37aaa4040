"""A chart as it is drawn anywhere: lines, marks, areas, bars, axes, and what its legend says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from capcurve.numbers.types import ByValue, Floats
from capcurve.show.format import percent, plain_names, tick

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Dashes: TypeAlias = tuple[float, ...]
Coordinates: TypeAlias = "Floats | Sequence[float]"
AxisKind = Literal[
    "percent", "share", "gap", "points", "amount", "money", "number", "score", "rank"
]
Corner = Literal["lower right", "upper left", "upper right", "lower left"]

# Okabe & Ito (2008), told apart by every kind of colour vision; the strongest on white first.
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# Of negatives alone, whatever the chart.
RASPBERRY = "#B3245D"
GREY = "#808080"
# The colour of the text around a chart.
TEXT_INK = ""
# In widths of a score's line.
THIN, HAIRLINE = 0.5, 0.3
MARKER_SHAPES = "osD^vP"
# Strokes and gaps in widths of the line; dashes tell lines apart also in grey.
SOLID: Dashes = ()
DASHES: tuple[Dashes, ...] = (SOLID, (5, 1.6), (1.4, 1.4), (7, 1.6, 1.4, 1.6), (2.8, 1.2), (1, 2.6))
REFERENCE_DASHES: Dashes = (3.5, 2.5)

# The line that differences are compared with.
NO_DIFFERENCE: Mapping[str, Sequence[float]] = {"No difference": (0.0,)}

# So many points of a line have signs, and so many letters of the names of periods room along x.
MOST_DOTS, LETTERS, LETTERS_BETWEEN, LONGEST_PERIOD = 36, 56, 2, 12
# So many points of each curve stand in its table.
MOST_LISTED = 21
# From back to front; legends list the scores, marks on them, then what they are compared with.
BANDS, SIMULATED, AREAS, REFERENCES, BEHIND = 1.2, 1.4, 1.5, 2.2, 2.5
SCORES, GUIDES, MARKS = 3.0, 3.5, 4.0


@dataclass(frozen=True, slots=True)
class Style:
    """What tells one line from the others: never its colour alone."""

    colour: str
    dashes: Dashes = SOLID


STYLE_OF_POSITIVES = Style(BLUE)
STYLE_OF_NEGATIVES = Style(RASPBERRY, (8, 2, 2, 2, 2, 2))


def model_style(position: int) -> Style:
    """Return the style of the score at this position; 36 differ before one returns."""
    colours, dashes = len(COLOURS), len(DASHES)
    return Style(COLOURS[position % colours], DASHES[(position + position // colours) % dashes])


@dataclass(frozen=True, slots=True)
class Marker:
    """The sign at points of a line, or at all."""

    # The shape is as matplotlib names it, the size in letters, the edge in widths of a score's
    # line.

    shape: str = "o"
    size: float = 0.6
    at: tuple[int, ...] | None = None
    hollow: bool = False
    edge: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Line(ByValue):
    """Points that are joined, or marked, or both."""

    # Without a label it has no entry in the legend; a width of 0, in widths of a score's line,
    # leaves marks alone; steps hold a value until ("post") or since ("pre") the next point; `level`
    # says how far in front it stands, and `shared` whether charts on the same axes have it in
    # common.

    x: Coordinates
    y: Coordinates
    label: str = ""
    style: Style = Style(TEXT_INK)
    width: float = 1.0
    opacity: float | None = None
    steps: Literal["default", "pre", "post"] = "default"
    marker: Marker | None = None
    level: float = SCORES
    shared: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ChartBand(ByValue):
    """What lies between two heights at each x."""

    x: Floats
    low: Floats
    high: Floats
    label: str
    colour: str


@dataclass(frozen=True, slots=True, eq=False)
class Area(ByValue):
    """A shaded area, with a letter where there is room for it."""

    x: Floats
    y: Floats
    label: str
    colour: str
    opacity: float
    letter: tuple[str, float, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class Bars(ByValue):
    """Shares of the cases beside each other: bars, or with `edges` outlines that touch."""

    # Bars begin at 0, or at the heights in `base`, and go down where a share is below 0. `low` and
    # `high` are the heights at which the whiskers of bars end, NaN where a bar has none.

    shares: Floats
    label: str
    style: Style | None
    edges: Floats | None = None
    at: Floats | None = None
    width: float = 1.0
    hatch: str = ""
    base: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Axis(ByValue):
    """One axis: what it shows, how its ticks are written, and how far it goes."""

    # It ends at the whole, counted from 0, or where what is drawn does. Of shares and gaps no tick
    # is beyond 1. `heights` are those at which ticks are wanted, top first, if there is room.
    # `ends` are where it begins and ends, if that is said.

    title: str
    kind: AxisKind = "percent"
    whole: float | None = None
    from_zero: bool = False
    heights: Sequence[float] = ()
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTicks(ByValue):
    """Where scores stand along x: each by its name, or as numbers between infinite ends."""

    # A name may have several lines.

    at: Floats
    names: Sequence[str] | None = None
    infinite: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chart(ByValue):
    """All that is drawn on one pair of axes, and where its legend stands."""

    # `head` stands above the legend: the sample behind the chart. Where `rising`, y may reach
    # higher to give the legend room. `scores` are where scores stand along x, `numbers` the points
    # that are numbered where there is room: number, x and y; `above` is what stands above points
    # whatever is there: text, x and y. `description` says in words what the picture shows, for
    # those who do not see it. Of a `flat` one nothing is read off y, so it is low.

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    bands: Sequence[ChartBand] = ()
    areas: Sequence[Area] = ()
    bars: Sequence[Bars] = ()
    head: str = ""
    corner: Corner = "upper right"
    rising: bool = False
    columns: int = 1
    scores: ScoreTicks | None = None
    numbers: Sequence[tuple[str, float, float]] = ()
    above: Sequence[tuple[str, float, float]] = ()
    description: str = ""
    flat: bool = False

    @property
    def outlined(self) -> bool:
        """Whether bands of several scores may overlap: fainter, with an outline, each is seen."""
        return len({band.colour for band in self.bands} - {GREY}) > 1


def reference(x: Coordinates, y: Coordinates, label: str, *, dashed: bool = True) -> Line:
    """Return a thin line to compare with."""
    style = Style(TEXT_INK, REFERENCE_DASHES if dashed else SOLID)
    return Line(x, y, label, style, width=THIN, opacity=0.55, level=REFERENCES, shared=True)


def marks(
    x: Coordinates, y: Coordinates, label: str, colour: str, marker: Marker, *, shared: bool = False
) -> Line:
    """Return signs at points, with no line between them."""
    return Line(x, y, label, Style(colour), width=0, marker=marker, level=MARKS, shared=shared)


def guide(x: Coordinates, y: Coordinates, label: str, colour: str, marker: Marker) -> Line:
    """Return a thin line that leads to a marked point."""
    return Line(x, y, label, Style(colour, (2, 2)), width=THIN, marker=marker, level=MARKS)


def along_periods(periods: int) -> Axis:
    """Return an axis on which every period has its place, from 0 on."""
    return Axis("", "score", ends=(-0.6, periods - 0.4))


def across_periods(periods: int, height: float, label: str) -> Line:
    """Return a line to compare all periods with."""
    return reference([-0.6, periods - 0.4], [height, height], label)


def dotted(x: Floats, y: Floats, label: str) -> list[Line]:
    """Return a line with a sign at each of its points, unless these are many."""
    line = Line(x, y, label, Style(BLUE))
    return [line] if len(x) > MOST_DOTS else [line, marks(x, y, "", BLUE, Marker("o", 0.5))]


def whiskers(x: Floats, low: Floats, high: Floats, label: str = "") -> list[Line]:
    """Return a thin line between the limits at each point, the first with a label."""
    return [
        Line([at, at], [a, b], "" if place else label, Style(BLUE), width=THIN)
        for place, (at, a, b) in enumerate(zip(x, low, high, strict=True))
    ]


def period_ticks(periods: Sequence[object]) -> ScoreTicks:
    """Return the names of as many periods as there is room for, the last one among them."""
    names = plain_names(periods, LONGEST_PERIOD)
    longest = max(map(len, names)) + LETTERS_BETWEEN
    each = -(-len(names) // max(LETTERS // longest, 1))
    last = len(names) - 1
    shown = [name if not (last - place) % each else "" for place, name in enumerate(names)]
    return ScoreTicks(np.arange(len(names), dtype=np.float64), shown)


def interval_chart(
    title: str,
    intervals: Mapping[str, tuple[float | None, ...]],
    label: str,
    of: str = "Estimate",
    *,
    whole: tuple[float, float] = (0.0, 0.0),
    references: Mapping[str, Sequence[float]] | None = None,
    beside: tuple[str, Sequence[float]] | None = None,
) -> tuple[Chart, ...]:
    """Return the picture of numbers between their limits, by name; none where a limit is open."""
    # `beside` names another number of each, and says which it is.
    # `references` are the heights of lines to compare with, by label; that at 0 is not dashed. The
    # axis of a single number goes from one end of the `whole` to the other.
    ends = np.array(list(intervals.values()), dtype=np.float64)
    if not ends.size or not np.isfinite(ends).all():
        return ()
    at = np.arange(len(ends), dtype=np.float64)
    levels = [(name, height) for name, each in (references or {}).items() for height in each]
    others = []
    if beside is not None:
        others = [marks(at, beside[1], beside[0], COLOURS[1], Marker("D", 0.8))]
    heights = [height for _, height in levels]
    seen = np.concatenate([ends.ravel(), heights, *(each.y for each in others)])
    if len(intervals) == 1:
        return (_number_line(title, (ends[0], label, of), others, levels, np.append(seen, whole)),)
    low, high = float(seen.min()), float(seen.max())
    room = max(high - low, float(np.abs(ends[:, 1]).max()) / 100, 1e-3) / 4
    names = [name.replace("\n", " ") for name in intervals]
    told = "; ".join(
        f"{name}: {value:.4g}, from {below:.4g} to {above:.4g}"
        for name, (below, value, above) in zip(names, ends.tolist(), strict=True)
    )
    lines = [
        *whiskers(at, ends[:, 0], ends[:, 2], label),
        marks(at, ends[:, 1], of, BLUE, Marker("o", 0.9)),
        *others,
        *(reference([-1, len(at)], [to, to], name, dashed=to != 0) for name, to in levels),
    ]
    x = Axis("", "score", ends=(-1.0, float(len(at))))
    y = Axis(of, "number", ends=(low - room, high + room))
    scores = ScoreTicks(at, [*intervals])
    return (Chart(title=title, x=x, y=y, lines=lines, scores=scores, description=told),)


def _number_line(
    title: str,
    number: tuple[Floats, str, str],
    others: Sequence[Line],
    levels: Sequence[tuple[str, float]],
    seen: Floats,
) -> Chart:
    """Return one number between its limits on an axis that has all that is seen."""
    (low, value, high), label, of = number
    beyond = 0.03 * float(np.ptp(seen) or 1.0)
    across = (float(seen.min()) - beyond, float(seen.max()) + beyond)
    lines = [
        Line([low, high], [0.5, 0.5], label, Style(BLUE), width=2.0),
        marks([value], [0.5], of if others else "", BLUE, Marker("o", 1.1)),
        *(replace(each, x=each.y, y=[0.5]) for each in others),
        *(reference([at, at], [0, 1], name, dashed=at != 0) for name, at in levels),
    ]
    x, y = Axis(of, "number", ends=across), Axis("", "number", ends=(0.0, 1.0))
    told = f"{value:.4g}, from {low:.4g} to {high:.4g}"
    return Chart(title=title, x=x, y=y, lines=lines, description=told, flat=True)


def points_of(chart: Chart) -> dict[str, list[str]]:
    """Return some points of each curve as columns of text; nothing where names stand along x.

    >>> line = Line([0, 0.25, 1], [0, 0.5, 1], "pd")
    >>> chart = Chart(title="CAP", x=Axis("Share", whole=1), y=Axis("Held"), lines=[line])
    >>> points_of(chart)["Held"]
    ['0.0%', '50.0%', '100.0%']
    """
    curves = [line for line in chart.lines if line.label and line.width and not line.shared]
    if chart.scores is not None or chart.flat or not curves:
        return {}
    rows = [
        (line.label, axis_number(chart.x, line.x[place]), axis_number(chart.y, line.y[place]))
        for line in curves
        for place in np.unique(np.linspace(0, len(line.x) - 1, MOST_LISTED).round().astype(int))
    ]
    names = "Curve", chart.x.title, " ".join(chart.y.title.split())
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def axis_number(axis: Axis, value: float) -> str:
    """Return a number of a curve as it is written in a table."""
    if axis.kind in {"percent", "share"}:
        return percent(value)
    return tick(axis.kind, float(f"{value:.4g}"))
