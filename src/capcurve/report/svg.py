"""A chart as SVG: no script, no fonts, no requests."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves.simplify import kept_points
from capcurve.report.markup import escape
from capcurve.view.chart import INK, REFERENCES, Bars, Chart, Line
from capcurve.view.format import shortened, tick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PAPER, TEXT = "#fff", "#222"
WIDTH, HEIGHT = 360, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 44
TICKS = 5
# What y has beyond the highest and the lowest value, as a share of its length.
ROOM = 0.08
# From where on ticks are in units, these, and their letters.
UNITS = ((1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "K"))
LINE_HEIGHT = 16
# A line of a score is so wide, in pixels; points nearer to a chord than this are not seen.
LINE_WIDTH = 2.0
TOLERANCE = 2e-3
SIGN = 4.5
_MATHEMATICS = re.compile(r"\$([^$]*CR_[01][^$]*)\$")


def image(chart: Chart) -> str:
    """Return the chart as an image element, dark on white.

    Notebooks that are not trusted drop SVG elements and keep the text in them; images stay.
    """
    drawn = b64encode(draw(chart, on_white=True).encode("utf-8")).decode("ascii")
    return (
        f'<img src="data:image/svg+xml;base64,{drawn}" alt="{escape(_description(chart))}" '
        f'width="{WIDTH}" style="width:100%">'
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the axes of a chart begin and end, in its own units."""

    right: float
    bottom: float
    top: float

    def x(self, value: float) -> float:
        """Return how far from the left of the picture a value stands."""
        return round(LEFT + value / self.right * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """Return how far from the top of the picture a value stands."""
        part = (value - self.bottom) / (self.top - self.bottom)
        return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)


def draw(chart: Chart, *, on_white: bool = False) -> str:
    """Return the chart as an SVG element, in the colour of the text around it or on white."""
    frame = _frame(chart)
    bars = (_bars(each, frame) for each in chart.bars)
    plot = [*_grid(chart, frame), *bars, *(_line(line, frame) for line in chart.lines)]
    legend, height = _legend(chart)
    ink = f' color="{TEXT}"' if on_white else ""  # an image does not know the colours around it
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>' if on_white else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(_description(chart))}" font-family="system-ui, sans-serif" '
        f'font-size="11" fill="currentColor"{ink}>{paper}{"".join(plot)}{legend}</svg>'
    )


def _description(chart: Chart) -> str:
    return f"{chart.title}: {'; '.join(_plain(line.label) for line in chart.lines if line.label)}"


def _plain(label: str) -> str:
    """Return a label on one line, its mathematics as plain text."""
    return _MATHEMATICS.sub(lambda found: found[1].replace("_", ""), label).replace("\n", ", ")


def _frame(chart: Chart) -> _Frame:
    """Return axes from 0, or from the lowest value, to the whole or a little above the highest."""
    drawn = [np.asarray(line.y, dtype=np.float64) for line in chart.lines]
    drawn += [np.asarray(bars.shares, dtype=np.float64) for bars in chart.bars]
    least = min(float(values.min(initial=0)) for values in drawn)
    most = max(float(values.max(initial=0)) for values in drawn)
    room = ROOM * (most - least)
    top = chart.y.whole if chart.y.whole is not None else most + (room if most else 0.0)
    return _Frame(float(chart.x.whole or 1), least - room if least < 0 else 0.0, float(top))


def _grid(chart: Chart, frame: _Frame) -> list[str]:
    rule = 'stroke="currentColor" stroke-opacity=".14"'
    parts = []
    across, up = heights(frame.right), heights(frame.top, frame.bottom)
    for value, text in zip(across, _ticks(chart.x.kind, across), strict=True):
        x = frame.x(value)
        parts += [
            f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" {rule}/>',
            f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{text}</text>',
        ]
    for height, text in zip(up, _ticks(chart.y.kind, up), strict=True):
        y = frame.y(height)
        parts += [
            f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" {rule}/>',
            f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{text}</text>',
        ]
    middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    return [
        *parts,
        _text(f'x="{middle_x}" y="{HEIGHT - 10}"', chart.x.title),
        _text(f'transform="translate(11 {middle_y}) rotate(-90)"', chart.y.title),
    ]


def _ticks(kind: str, values: Sequence[float]) -> list[str]:
    """Return numbers along an axis; large ones in thousands and so on, for want of room."""
    largest = max(map(abs, values), default=0.0)
    found = next(((unit, letter) for start, unit, letter in UNITS if largest >= start), None)
    if kind not in {"amount", "money"} or found is None:
        return [tick(kind, value) for value in values]
    unit, letter = found
    return [f"{tick('money', value / unit)}{letter if value else ''}" for value in values]


def _text(place: str, words: str) -> str:
    return f'<text {place} text-anchor="middle">{escape(words)}</text>'


def heights(top: float, bottom: float = 0.0) -> list[float]:
    """Return round tick values from the bottom up to the top, about five of them.

    Examples
    --------
    >>> heights(1.0), heights(5.2)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    >>> heights(3.0, -2.5)
    [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    """
    rough = (top - bottom) / TICKS
    size = 10.0 ** np.floor(np.log10(rough))
    step = float(min((s for s in (1, 2, 5, 10) if s * size >= rough * 0.8), default=10) * size)
    first, last = int(np.ceil(bottom / step - 1e-9)), int(np.floor(top / step + 1e-9))
    return [float(f"{place * step:.10g}") for place in range(first, last + 1)]


def _line(line: Line, frame: _Frame) -> str:
    x, y = np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64)
    y = np.clip(y, min(frame.bottom, float(y.min(initial=0))), frame.top)
    if not line.width:
        return "".join(_sign(line, frame.x(a), frame.y(b)) for a, b in zip(x, y, strict=True))
    height = frame.top - frame.bottom
    seen = _seen(x, y / height) if line.level != REFERENCES else slice(None)
    points = "L".join(f"{frame.x(a)} {frame.y(b)}" for a, b in zip(x[seen], y[seen], strict=True))
    return f'<path d="M{points}" fill="none" {_stroke(line)} stroke-linejoin="round"/>'


def _bars(bars: Bars, frame: _Frame) -> str:
    """Return bars that touch, filled; a line is their outline."""
    if bars.edges is None:
        return ""
    tops = [frame.y(float(share)) for share in bars.shares]
    edges = [frame.x(float(edge)) for edge in bars.edges]
    steps = "".join(f"V{top}H{right}" for top, right in zip(tops, edges[1:], strict=True))
    return f'<path d="M{edges[0]} {frame.y(0.0)}{steps}V{frame.y(0.0)}Z" opacity=".14"/>'


def _seen(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the points that the eye can tell from a chord."""
    return kept_points(x, y, y, None, TOLERANCE)


def _sign(line: Line, x: float, y: float) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{SIGN}" fill="none" {_stroke(line)}/>'


def _stroke(line: Line) -> str:
    colour = "currentColor" if line.style.colour == INK else line.style.colour.lower()
    width = round(LINE_WIDTH * (line.width or 0.75), 2)
    dashes = " ".join(f"{width * length:g}" for length in line.style.dashes)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    faint = f' stroke-opacity="{line.opacity:g}"' if line.opacity is not None else ""
    return f'stroke="{colour}" stroke-width="{width:g}"{dashed}{faint}'


def _legend(chart: Chart) -> tuple[str, int]:
    """Return the legend, below the axes so that it covers no curve, and where it ends."""
    y = HEIGHT + LINE_HEIGHT // 2
    parts = []
    for line in _listed(chart.lines):
        key = f'<path d="M{LEFT} {y - 4}h24" {_stroke(line)}/>'
        if not line.width:
            key = _sign(line, LEFT + 12, y - 4)
        parts.append(f'{key}<text x="{LEFT + 31}" y="{y}">{escape(_entry(line))}</text>')
        y += LINE_HEIGHT
    for words in chart.head.split("\n") if chart.head else ():
        parts.append(f'<text x="{LEFT}" y="{y}" opacity=".8">{escape(words)}</text>')
        y += LINE_HEIGHT
    return "".join(parts), y - LINE_HEIGHT // 2


def _entry(line: Line) -> str:
    return shortened(_plain(line.label))


def _listed(lines: Sequence[Line]) -> list[Line]:
    return list({line.label: line for line in lines if line.label}.values())
