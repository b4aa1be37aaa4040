"""A chart as SVG: no script, no fonts, no requests."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves.simplify import kept_points
from capcurve.report.markup import escape
from capcurve.report.svgbars import bars_of, box
from capcurve.report.svgframe import HEIGHT, LEFT, Frame, centred, frame_of, grid_of
from capcurve.view.chart import INK, REFERENCES, Band, Chart, Line
from capcurve.view.format import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PAPER, TEXT = "#fff", "#222"
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
        f'width="{frame_of(chart).width}" style="width:100%">'
    )


def draw(chart: Chart, *, on_white: bool = False) -> str:
    """Return the chart as an SVG element, in the colour of the text around it or on white."""
    frame = frame_of(chart)
    plot = [*grid_of(chart, frame), *(_band(band, frame) for band in chart.bands)]
    plot += [bars_of(each, frame) for each in chart.bars]
    plot += [_line(line, frame) for line in chart.lines]
    plot += [
        centred(f'x="{frame.x(x)}" y="{frame.y(y) - 5:.1f}"', text) for text, x, y in chart.above
    ]
    legend, height = _legend(chart)
    ink = f' color="{TEXT}"' if on_white else ""  # an image does not know the colours around it
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>' if on_white else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {frame.width} {height}" role="img" '
        f'aria-label="{escape(_description(chart))}" font-family="system-ui, sans-serif" '
        f'font-size="11" fill="currentColor"{ink}>{paper}{"".join(plot)}{legend}</svg>'
    )


def _description(chart: Chart) -> str:
    """Return what a chart shows: in its own words, or the names of what is drawn."""
    drawn = [line.label for line in chart.lines] + [band.label for band in chart.bands]
    labels = "; ".join(_plain(label) for label in drawn if label)
    return f"{chart.title}: {chart.description or labels}"


def _plain(label: str) -> str:
    """Return a label on one line, its mathematics as plain text."""
    return _MATHEMATICS.sub(lambda found: found[1].replace("_", ""), label).replace("\n", ", ")


def _band(band: Band, frame: Frame) -> str:
    """Return what lies between two heights at each x."""
    x = [frame.x(float(value)) for value in band.x]
    high = [frame.y(float(value)) for value in band.high]
    low = [frame.y(float(value)) for value in band.low]
    ends = [*zip(x, high, strict=True), *reversed([*zip(x, low, strict=True)])]
    points = "L".join(f"{a} {b}" for a, b in ends)
    return f'<path d="M{points}Z" fill="{band.colour.lower()}" fill-opacity=".18"/>'


def _line(line: Line, frame: Frame) -> str:
    x, y = np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64)
    y = np.clip(y, min(frame.bottom, float(y.min(initial=0))), frame.top)
    if not line.width:
        return "".join(_sign(line, frame.x(a), frame.y(b)) for a, b in zip(x, y, strict=True))
    height = frame.top - frame.bottom
    seen = _seen(x, y / height) if line.level != REFERENCES else slice(None)
    points = "L".join(f"{frame.x(a)} {frame.y(b)}" for a, b in zip(x[seen], y[seen], strict=True))
    return f'<path d="M{points}" fill="none" {_stroke(line)} stroke-linejoin="round"/>'


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
    for label, key in _entries(chart):
        words = escape(shortened(_plain(label)))
        sign = f'<g transform="translate({LEFT} {y})">{key}</g>'
        parts.append(f'{sign}<text x="{LEFT + 31}" y="{y}">{words}</text>')
        y += LINE_HEIGHT
    for words in chart.head.split("\n") if chart.head else ():
        parts.append(f'<text x="{LEFT}" y="{y}" opacity=".8">{escape(words)}</text>')
        y += LINE_HEIGHT
    return "".join(parts), y - LINE_HEIGHT // 2


def _entries(chart: Chart) -> Iterator[tuple[str, str]]:
    """Yield each label once with its key, which stands left of and above (0, 0)."""
    for line in {line.label: line for line in chart.lines if line.label}.values():
        yield (
            line.label,
            _sign(line, 12, -4) if not line.width else f'<path d="M0 -4h24" {_stroke(line)}/>',
        )
    for bars in {bars.label: bars for bars in chart.bars if bars.label}.values():
        yield bars.label, box(bars, (0, -9, 24, 1))
    for band in {band.label: band for band in chart.bands if band.label}.values():
        look = f'fill="{band.colour.lower()}" fill-opacity=".18"'
        yield band.label, f'<rect y="-9" width="24" height="10" {look}/>'
