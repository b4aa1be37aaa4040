"""A chart as it is drawn anywhere: lines, marks, areas, bars, axes, and what its legend says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Values: TypeAlias = NDArray[np.float64]
Dashes: TypeAlias = tuple[float, ...]
Corner = Literal["lower right", "upper left", "upper right", "lower left"]

# Okabe & Ito (2008), told apart by every kind of colour vision; the strongest on white first.
BLUE = "#0072B2"
COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
# Of negatives alone, whatever the chart.
RASPBERRY = "#B3245D"
GREY = "#808080"
# The colour of the text around a chart.
INK = ""
# In widths of a score's line.
THIN, HAIRLINE = 0.5, 0.3
MARKER_SHAPES = "osD^vP"
# Strokes and gaps in widths of the line; dashes tell lines apart also in grey.
SOLID: Dashes = ()
DASHES: tuple[Dashes, ...] = (
    SOLID,
    (5, 1.6),
    (1.4, 1.4),
    (7, 1.6, 1.4, 1.6),
    (2.8, 1.2),
    (1, 2.6),
)
NEGATIVE_DASHES: Dashes = (8, 2, 2, 2, 2, 2)
REFERENCE_DASHES: Dashes = (3.5, 2.5)
GUIDE_DASHES: Dashes = (2, 2)

# From back to front; legends list the scores, marks on them, then what they are compared with.
BANDS, SIMULATED, AREAS, REFERENCES, SCORES, GUIDES, MARKS = 1.2, 1.4, 1.5, 2.2, 3.0, 3.5, 4.0


@dataclass(frozen=True, slots=True)
class Style:
    """What tells one line from the others: never its colour alone."""

    colour: str
    dashes: Dashes = SOLID


POSITIVES = Style(BLUE)
NEGATIVES = Style(RASPBERRY, NEGATIVE_DASHES)


def model_style(position: int) -> Style:
    """Return the style of the score at this position; 36 differ before one returns."""
    colours, dashes = len(COLOURS), len(DASHES)
    return Style(COLOURS[position % colours], DASHES[(position + position // colours) % dashes])


@dataclass(frozen=True, slots=True)
class Marker:
    """The sign at points of a line.

    Attributes
    ----------
    shape
        As matplotlib names it: "o", "s", "D", ...
    size
        In letters.
    at
        Which points have it; None: all.
    hollow
        Whether the ground shows through.
    edge
        How thick the outline is, in widths of a score's line; None: as usual.
    """

    shape: str = "o"
    size: float = 0.6
    at: tuple[int, ...] | None = None
    hollow: bool = False
    edge: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Points that are joined, or marked, or both.

    Attributes
    ----------
    x, y
        The points.
    label
        Its entry in the legend; none when empty.
    style
        Colour and dashes.
    width
        In widths of a score's line; 0 leaves marks alone.
    opacity
        From 0 to 1.
    steps
        Whether a value holds until ("post") or since ("pre") the next point.
    marker
        The sign at its points, or None.
    level
        How far in front it stands.
    shared
        Whether charts on the same axes have it in common.
    """

    x: Values | Sequence[float]
    y: Values | Sequence[float]
    label: str = ""
    style: Style = Style(INK)
    width: float = 1.0
    opacity: float | None = None
    steps: Literal["default", "pre", "post"] = "default"
    marker: Marker | None = None
    level: float = SCORES
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """What lies between two heights at each x."""

    x: Values
    low: Values
    high: Values
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class Area:
    """A shaded area, with a letter where there is room for it."""

    x: Values
    y: Values
    label: str
    colour: str
    opacity: float
    letter: tuple[str, float, float] | None


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares of the cases beside each other: bars, or with `edges` outlines that touch."""

    shares: Values
    label: str
    style: Style | None
    edges: Values | None = None
    at: Values | None = None
    width: float = 1.0
    hatch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: its name, and how far it goes.

    Attributes
    ----------
    title
        What it shows.
    whole
        Where it ends, counted from 0; None: at what is drawn.
    kind
        How ticks are written: shares in percent or as numbers, of which none is beyond 1; numbers
        of cases; sums of money; plain numbers.
    from_zero
        Whether it starts at 0 where it is fitted to what is drawn.
    heights
        Where ticks are wanted, if there is room.
    """

    title: str
    kind: Literal["percent", "share", "gap", "amount", "money", "number", "score"] = "percent"
    whole: float | None = None
    from_zero: bool = False
    heights: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class ScoreTicks:
    """Where scores stand along x: each by its name, or as numbers between infinite ends."""

    at: Values
    names: Sequence[str] | None = None
    infinite: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All that is drawn on one pair of axes.

    Attributes
    ----------
    title
        What the chart is called.
    x, y
        The axes.
    lines, bands, areas, bars
        What is drawn; each says itself how far in front it stands.
    head
        What stands above the legend: the sample behind the chart.
    corner
        Where the legend belongs.
    rising
        Whether y may reach higher to give the legend room.
    columns
        Of the legend.
    scores
        Where scores stand along x, when they do.
    numbers
        Points that are numbered where there is room: number, x and y.
    """

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line] = ()
    bands: Sequence[Band] = ()
    areas: Sequence[Area] = ()
    bars: Sequence[Bars] = ()
    head: str = ""
    corner: Corner = "upper right"
    rising: bool = False
    columns: int = 1
    scores: ScoreTicks | None = None
    numbers: Sequence[tuple[str, float, float]] = field(default_factory=tuple)


def reference(
    x: Values | Sequence[float], y: Values | Sequence[float], label: str, *, dashed: bool = True
) -> Line:
    """Return a thin line to compare with."""
    return Line(
        x=x,
        y=y,
        label=label,
        style=Style(INK, REFERENCE_DASHES if dashed else SOLID),
        width=THIN,
        opacity=0.55,
        level=REFERENCES,
        shared=True,
    )
