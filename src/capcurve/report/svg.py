"""Small line charts as SVG: no script, no fonts, no requests."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.report.words import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.curves import Curve

# Okabe and Ito's colours, told apart by every kind of colour vision; dashes tell them apart too.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 2")
NEGATIVES, NEGATIVES_DASH = "#b3245d", "8 2 2 2 2 2"
GREY = "#808080"
PAPER, INK = "#fff", "#222"
TOLERANCE = 2e-3
WIDTH, HEIGHT = 360, 320
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 44
TICKS = 5
LINE_HEIGHT = 16
MOST_LABEL = 48


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: its points, its name in the legend and its look."""

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    colour: str = GREY
    dash: str = ""
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical segment, and its name in the legend: where KS is reached."""

    x: float
    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart over x from 0 to 1."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    top: float = 1.0
    percent: bool = True
    mark: Mark | None = None


def line_of(label: str, curve: Curve, colour: str, dash: str = "", width: float = 2.0) -> Line:
    """Return a curve as a line, with no more points than the eye can see."""
    short = curve.simplify(TOLERANCE)
    return Line(label, short.x, short.y, colour, dash, width)


def image(chart: Chart) -> str:
    """Return the chart as an image element, dark on white.

    Notebooks that are not trusted drop SVG elements and keep the text in them; images stay.
    """
    drawn = b64encode(draw(chart, on_white=True).encode("utf-8")).decode("ascii")
    return (
        f'<img src="data:image/svg+xml;base64,{drawn}" alt="{escape(_description(chart))}" '
        f'width="{WIDTH}" style="width:100%">'
    )


def draw(chart: Chart, *, on_white: bool = False) -> str:
    """Return the chart as an SVG element, in the colour of the text around it or on white."""
    plot = [*_grid(chart), *(_path(line, chart) for line in chart.lines)]
    if chart.mark is not None:
        plot.append(_mark(chart.mark, chart))
    ink = f' color="{INK}"' if on_white else ""  # an image does not know the colours around it
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>' if on_white else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_frame(chart)}" role="img" '
        f'aria-label="{escape(_description(chart))}" font-family="system-ui, sans-serif" '
        f'font-size="11" fill="currentColor"{ink}>{paper}{"".join(plot)}{_legend(chart)}</svg>'
    )


def _description(chart: Chart) -> str:
    return f"{chart.title}: {'; '.join(line.label for line in chart.lines)}"


def _at_x(x: float) -> float:
    return round(LEFT + x * (WIDTH - LEFT - RIGHT), 1)


def _at_y(y: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM), 1)


def _grid(chart: Chart) -> list[str]:
    rule = 'stroke="currentColor" stroke-opacity=".14"'
    parts = []
    for share in np.linspace(0, 1, TICKS + 1).tolist():
        x = _at_x(share)
        parts += [
            f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" {rule}/>',
            f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{share:.0%}</text>',
        ]
    for height in heights(chart.top):
        y = _at_y(height, chart.top)
        value = f"{height:.0%}" if chart.percent else f"{height:g}"
        parts += [
            f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" {rule}/>',
            f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{value}</text>',
        ]
    middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    return [
        *parts,
        _text(f'x="{middle_x}" y="{HEIGHT - 10}"', chart.x_label),
        _text(f'transform="translate(11 {middle_y}) rotate(-90)"', chart.y_label),
    ]


def _text(place: str, words: str) -> str:
    return f'<text {place} text-anchor="middle">{escape(words)}</text>'


def heights(top: float) -> list[float]:
    """Return round tick values from 0 up to the top, about five of them.

    Examples
    --------
    >>> heights(1.0), heights(5.2)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    """
    rough = top / TICKS
    size = 10.0 ** np.floor(np.log10(rough))
    step = float(min((s for s in (1, 2, 5, 10) if s * size >= rough * 0.8), default=10) * size)
    return [round(i * step, 10) for i in range(int(top / step + 1e-9) + 1)]


def _path(line: Line, chart: Chart) -> str:
    y = np.clip(line.y, min(0.0, float(line.y.min(initial=0))), chart.top)
    points = (f"{_at_x(a)} {_at_y(b, chart.top)}" for a, b in zip(line.x, y, strict=True))
    return (
        f'<path d="M{"L".join(points)}" fill="none" stroke="{line.colour}" '
        f'stroke-width="{line.width}" stroke-linejoin="round"{_dashed(line)}/>'
    )


def _dashed(line: Line) -> str:
    return f' stroke-dasharray="{line.dash}"' if line.dash else ""


def _mark(mark: Mark, chart: Chart) -> str:
    x, low, high = _at_x(mark.x), _at_y(mark.low, chart.top), _at_y(mark.high, chart.top)
    return f'<path d="M{x} {low}V{high}" stroke="currentColor" stroke-width="1.5"/>'


def _legend(chart: Chart) -> str:
    """Return the legend, below the axes so that it covers no curve."""
    return "".join(
        f'<path d="M{LEFT} {y - 4}h24" stroke="{colour}" stroke-width="{width}"{dash}/>'
        f'<text x="{LEFT + 31}" y="{y}">{escape(shortened(label))}</text>'
        for y, (label, colour, width, dash) in zip(
            range(HEIGHT + LINE_HEIGHT // 2, _height(chart), LINE_HEIGHT),
            _entries(chart),
            strict=True,
        )
    )


def _entries(chart: Chart) -> list[tuple[str, str, float, str]]:
    lines = [(line.label, line.colour, line.width, _dashed(line)) for line in chart.lines]
    return lines if chart.mark is None else [*lines, (chart.mark.label, "currentColor", 1.5, "")]


def _frame(chart: Chart) -> str:
    return f"0 0 {WIDTH} {_height(chart)}"


def _height(chart: Chart) -> int:
    return HEIGHT + LINE_HEIGHT * len(_entries(chart))


def shortened(text: str, most: int = MOST_LABEL) -> str:
    """Return text cut in the middle when it is longer than a legend has room for."""
    if len(text) <= most:
        return text
    tail = most // 2
    return f"{text[: most - tail - 1]}…{text[-tail:]}"


def styles(count: int) -> Sequence[tuple[str, str]]:
    """Return colour and dash for so many models."""
    return [(COLOURS[i % len(COLOURS)], DASHES[i % len(DASHES)]) for i in range(count)]
