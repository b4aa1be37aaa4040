"""A chart as SVG: its axes, lines, bands and bars, with no script, no fonts and no requests."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.curves.simplify import kept_points
from capcurve.show.chart import GREY, REFERENCES, TEXT_INK, Bars, Chart, ChartBand, Line, ScoreTicks
from capcurve.show.elements import escape
from capcurve.show.format import cut_lines, shortened, tick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Of an image: of its text, and of its paper, which its first box is; both as in pages.
LIGHT = "svg{color:#1b1f24}svg>rect:first-of-type{fill:#fff}"
DARK = "svg{color:#e6edf3}svg>rect:first-of-type{fill:#0f141a}"
DARK += "[stroke='#0072b2']{stroke:#62b5f0}[fill='#0072b2']{fill:#62b5f0}"
STYLE_SHEET = f"{LIGHT}@media(prefers-color-scheme:dark){{{DARK}}}"
LINE_HEIGHT = 16
# A line of a score is so wide, in pixels; points nearer to a chord than this are not seen.
LINE_WIDTH = 2.0
TOLERANCE = 2e-3
# A hollow sign, and a dot, are so large from the middle.
SIGN, DOT = 4.5, 3.0
# Width and height of the axes in pixels: as a card, in the main column of a page, on a
# phone, in a side column.
Size: TypeAlias = tuple[int, int]
CARD_SIZE, MAIN, PHONE, SIDE = (360, 320), (680, 400), (380, 320), (270, 240)
# A card with names along x is as wide as this, and a flat chart so high.
BROAD, FLAT_HEIGHT = 420, 96
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 44
# How wide letters are, in pixels, in a wide font; what the name of y takes, and is kept free of.
WIDTHS = {"%": 10.5, "−": 9.2, ".": 3.5, ",": 3.5}
LETTER, NAME_HEIGHT = 7.0, 20
TICKS = 5
# What y has beyond the highest and the lowest value, as a share of its length.
ROOM_BEYOND = 0.08
# From where on ticks are in units, these, and their letters.
UNITS = ((1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "K"))
LINE_OF_NAMES = 13
# How wide a letter of a name along x is on average, and what is kept free between two, in pixels.
LETTER_OF_NAMES, GAP_BETWEEN = 6.0, 4.0
# Between the lines of a hatch, and from the middle of a whisker to its end, in pixels.
HATCH, CAP = 6.0, 4.0
# What a key takes before its label in the legend, and what is kept free behind that.
KEY_WIDTH, APART = 31, 14
FILLED, FAINT = 0.8, 0.45


def image(chart: Chart) -> str:
    """Return the chart as an image element, light or dark as the reader's screen is."""
    # Notebooks that are not trusted drop SVG elements and keep the text in them; images stay.
    return (
        f'<img src="{data_url(chart)}" alt="{escape(_description(chart))}" '
        f'width="{frame_of(chart).width}" style="width:100%">'
    )


def data_url(chart: Chart, size: Size = CARD_SIZE) -> str:
    """Return the chart as the address of an image that stands in the address itself."""
    drawn = b64encode(draw(chart, size, alone=True).encode("utf-8")).decode("ascii")
    return f"data:image/svg+xml;base64,{drawn}"


def draw(chart: Chart, size: Size = CARD_SIZE, *, alone: bool = False, look: str = "") -> str:
    """Return the chart as an SVG element, in the colour of the text around it or in its own."""
    # `look` is the class of the element in a page.
    frame = frame_of(chart, size)
    plot = grid_of(chart, frame)
    plot += [_band(each, frame, outlined=chart.outlined) for each in chart.bands]
    plot += [bars_of(each, frame) for each in chart.bars]
    plot += [_line(line, frame) for line in chart.lines]
    plot += [
        centred(f'x="{frame.x(x)}" y="{frame.y(y) - 5:.1f}"', text) for text, x, y in chart.above
    ]
    plot += _numbers(chart, frame)
    legend, height = _legend(chart, frame)
    named = f' class="{look}"' if look else ""
    # An image does not know the colours around it.
    paper = f'<style>{STYLE_SHEET}</style><rect width="100%" height="100%"/>' if alone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{named} viewBox="0 0 {frame.width} {height}" '
        f'role="img" '
        f'aria-label="{escape(_description(chart))}" font-family="system-ui, sans-serif" '
        f'font-size="11" fill="currentColor">{paper}{"".join(plot)}{legend}</svg>'
    )


def _description(chart: Chart) -> str:
    """Return what a chart shows: in its own words, or the names of what is drawn."""
    drawn = [line.label for line in chart.lines] + [band.label for band in chart.bands]
    labels = "; ".join(_plain(label) for label in drawn if label)
    return f"{chart.title}: {chart.description or labels}"


def _plain(label: str) -> str:
    return label.replace("\n", ", ")


def _band(band: ChartBand, frame: Frame, *, outlined: bool) -> str:
    x = [frame.x(float(value)) for value in band.x]
    high = [frame.y(float(value)) for value in band.high]
    low = [frame.y(float(value)) for value in band.low]
    ends = [*zip(x, high, strict=True), *reversed([*zip(x, low, strict=True)])]
    points = "L".join(f"{a} {b}" for a, b in ends)
    return f'<path d="M{points}Z" {_shade(band, outlined=outlined)}/>'


def _shade(band: ChartBand, *, outlined: bool) -> str:
    """Return the fill of a band: lighter of a random score, and where an outline shows the band."""
    colour, opacity = band.colour.lower(), ".14" if outlined or band.colour == GREY else ".28"
    outline = f' stroke="{colour}" stroke-opacity=".6"' if outlined else ""
    return f'fill="{colour}" fill-opacity="{opacity}"{outline}'


def _line(line: Line, frame: Frame) -> str:
    x, y = np.asarray(line.x, dtype=np.float64), np.asarray(line.y, dtype=np.float64)
    y = np.clip(y, min(frame.bottom, float(y.min(initial=0))), frame.top)
    if not line.width:
        return "".join(_sign(line, frame.x(a), frame.y(b)) for a, b in zip(x, y, strict=True))
    height = frame.top - frame.bottom
    seen: Any = slice(None)
    if line.level != REFERENCES:  # those points that the eye can tell from a chord
        seen = kept_points(x, y / height, y / height, None, TOLERANCE)
    points = "L".join(f"{frame.x(a)} {frame.y(b)}" for a, b in zip(x[seen], y[seen], strict=True))
    return f'<path d="M{points}" fill="none" {_stroke(line)} stroke-linejoin="round"/>'


def _sign(line: Line, x: float, y: float) -> str:
    if line.marker is None or line.marker.hollow:
        return f'<circle cx="{x}" cy="{y}" r="{SIGN}" fill="none" {_stroke(line)}/>'
    return f'<circle cx="{x}" cy="{y}" r="{DOT}" fill="{_colour(line)}"/>'


def _numbers(chart: Chart, frame: Frame) -> Iterator[str]:
    """Yield texts left of their points, or right by the axis; not one that another covers."""
    left = top = float("-inf")
    for text, x, y in chart.numbers:
        at, height, wide = frame.x(x), frame.y(y), len(text) * LETTER
        if abs(at - left) < wide and abs(height - top) < LINE_HEIGHT:
            continue
        left, top, inside = at, height, at - wide - 2 * SIGN > frame.margin
        place = (at - 6, height - 4, "end") if inside else (at + 7, height + 5, "start")
        said = 'x="{}" y="{}" text-anchor="{}"'.format(*place)
        yield f"<text {said}>{escape(text)}</text>"


def _stroke(line: Line) -> str:
    width = round(LINE_WIDTH * (line.width or 0.75), 2)
    dashes = " ".join(f"{width * length:g}" for length in line.style.dashes)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    faint = f' stroke-opacity="{line.opacity:g}"' if line.opacity is not None else ""
    return f'stroke="{_colour(line)}" stroke-width="{width:g}"{dashed}{faint}'


def _colour(line: Line) -> str:
    return "currentColor" if line.style.colour == TEXT_INK else line.style.colour.lower()


def _legend(chart: Chart, frame: Frame) -> tuple[str, int]:
    """Return the legend, below the axes so that it covers no curve, and where it ends."""
    room = frame.width - frame.margin
    at, y = 0, frame.height + frame.below + LINE_HEIGHT // 2
    parts = []
    for label, key in _entries(chart):
        words = shortened(_plain(label), int((room - KEY_WIDTH) / LETTER_OF_NAMES))
        wide = KEY_WIDTH + round(len(words) * LETTER_OF_NAMES)
        if at and at + wide > room:
            at, y = 0, y + LINE_HEIGHT
        left = frame.margin + at
        sign = f'<g transform="translate({left} {y})">{key}</g>'
        parts.append(f'{sign}<text x="{left + KEY_WIDTH}" y="{y}">{escape(words)}</text>')
        at += wide + APART
    y += LINE_HEIGHT if at else 0
    most = int(room / LETTER_OF_NAMES)
    for words in (part for line in chart.head.split("\n") for part in wrap(line, most)):
        parts.append(f'<text x="{frame.margin}" y="{y}" opacity=".8">{escape(words)}</text>')
        y += LINE_HEIGHT
    return "".join(parts), y - LINE_HEIGHT // 2


def _entries(chart: Chart) -> Iterator[tuple[str, str]]:
    """Yield each label once with its key, which stands left of and above (0, 0)."""
    for line in {line.label: line for line in chart.lines if line.label}.values():
        path = f'<path d="M0 -4h24" {_stroke(line)}/>'
        yield line.label, path if line.width else _sign(line, 12, -4)
    for bars in {bars.label: bars for bars in chart.bars if bars.label}.values():
        yield bars.label, box(bars, (0, -9, 24, 1))
    for band in {band.label: band for band in chart.bands if band.label}.values():
        shade = _shade(band, outlined=chart.outlined)
        yield band.label, f'<rect y="-9" width="24" height="10" {shade}/>'


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axes of a chart begin and end, in its own units; how wide the picture is."""

    # `margin` is what the numbers along y and its name take on the left, `below` what names along
    # x that are turned, or have several lines above the name of x, take beyond the usual height.

    left: float
    right: float
    bottom: float
    top: float
    width: int
    height: int
    margin: int = LEFT
    below: int = 0
    turned: bool = False

    def x(self, value: float) -> float:
        """Return how far from the left of the picture a value stands."""
        part = (value - self.left) / (self.right - self.left)
        return round(self.margin + part * (self.width - self.margin - RIGHT), 1)

    def y(self, value: float) -> float:
        """Return how far from the top of the picture a value stands."""
        part = (value - self.bottom) / (self.top - self.bottom)
        return round(self.height - BOTTOM - part * (self.height - TOP - BOTTOM), 1)


def frame_of(chart: Chart, size: Size = CARD_SIZE) -> Frame:
    """Return axes from 0, or from the lowest value, to the whole or a little above the highest."""
    drawn = [np.asarray(line.y, dtype=np.float64) for line in chart.lines]
    drawn += [np.asarray(each, dtype=np.float64) for b in chart.bands for each in (b.low, b.high)]
    drawn += [each for bars in chart.bars for each in _heights_of(bars)]
    least = min(float(np.nanmin(values, initial=0)) for values in drawn)
    most = max(float(np.nanmax(values, initial=0)) for values in drawn)
    room = ROOM_BEYOND * (most - least)
    top = chart.y.whole if chart.y.whole is not None else most + (room if most else 0.0)
    bottom = least - room if least < 0 else 0.0
    left, right = chart.x.ends or (0.0, float(chart.x.whole or 1))
    bottom, top = chart.y.ends or (bottom, float(top))
    top = top if top > bottom else bottom + 1  # of a chart of zeros alone
    numbers = _ticks(chart.y.kind, heights(top, bottom))
    wide = max((sum(WIDTHS.get(each, LETTER) for each in text) for text in numbers), default=0)
    margin = max(LEFT, round(NAME_HEIGHT + wide))
    named = _names(chart)
    width, height = size[0], FLAT_HEIGHT if chart.flat else size[1]
    if size == CARD_SIZE and named is not None:
        width = BROAD
    frame = Frame(left, right, bottom, top, width, height, margin)
    if named is None:
        return frame
    if not _overlap(named, frame):
        further = max(name.count("\n") for name in (*(named.names or ()), ""))
        return replace(frame, below=LINE_OF_NAMES * further if chart.x.title else 0)
    longest = max(len(line) for name in cut_lines(named.names or ()) for line in name.split("\n"))
    below = max(round(longest * LETTER_OF_NAMES) - LINE_OF_NAMES, 1)
    return replace(frame, below=below, turned=True)


def _heights_of(bars: Bars) -> Iterator[np.ndarray]:
    """Yield all heights between which bars and their whiskers stand."""
    shares = np.asarray(bars.shares, dtype=np.float64)
    yield shares if bars.base is None else shares + bars.base
    yield from (each for each in (bars.base, bars.low, bars.high) if each is not None)


def _names(chart: Chart) -> ScoreTicks | None:
    found = chart.scores
    return None if found is None or found.names is None else found


def grid_of(chart: Chart, frame: Frame) -> list[str]:
    """Return rules, ticks and the names of the axes."""
    rule = 'stroke="currentColor" stroke-opacity=".14"'
    parts = []
    named = _names(chart)
    across, up = heights(frame.right, frame.left), heights(frame.top, frame.bottom)
    base = frame.height - BOTTOM
    for value, text in () if named else zip(across, _ticks(chart.x.kind, across), strict=True):
        x = frame.x(value)
        parts += [
            f'<path d="M{x} {TOP}V{base}" {rule}/>',
            f'<text x="{x}" y="{base + 14}" text-anchor="middle">{text}</text>',
        ]
    for height, text in () if chart.flat else zip(up, _ticks(chart.y.kind, up), strict=True):
        y = frame.y(height)
        parts += [
            f'<path d="M{frame.margin} {y}H{frame.width - RIGHT}" {rule}/>',
            f'<text x="{frame.margin - 5}" y="{y + 4}" text-anchor="end">{text}</text>',
        ]
    middle_x, middle_y = (frame.margin + frame.width - RIGHT) / 2, (TOP + base) / 2
    name = shortened(chart.y.title, int((frame.height - TOP) / LETTER))
    return [
        *parts,
        *([] if named is None else _named(named, frame)),
        centred(f'x="{middle_x}" y="{frame.height + frame.below - 10}"', chart.x.title),
        centred(f'transform="translate(11 {middle_y}) rotate(-90)"', name),
    ]


def _overlap(scores: ScoreTicks, frame: Frame) -> bool:
    """Return whether names along x would run into each other if they were written level."""
    widths = [
        (frame.x(at), max(map(len, name.split("\n"))) * LETTER_OF_NAMES)
        for at, name in zip(scores.at.tolist(), cut_lines(scores.names or ()), strict=True)
        if name
    ]
    return any(
        (width + other) / 2 + GAP_BETWEEN > right - left
        for (left, width), (right, other) in pairwise(widths)
    )


def _named(scores: ScoreTicks, frame: Frame) -> list[str]:
    """Return names along x: level, or turned and then as many as there is room for."""
    full = scores.names or ()
    named = [*zip(map(frame.x, scores.at.tolist()), cut_lines(full), full, strict=True)]
    each = 1
    if frame.turned:
        deep = LINE_OF_NAMES * max(name.count("\n") + 1 for _, name, _ in named)
        each = ceil(deep * (len(named) - 1) / (named[-1][0] - named[0][0]))
    return [_name_at(x, name, full, frame) for x, name, full in named[::each]]


def _name_at(x: float, name: str, full: str, frame: Frame) -> str:
    """Return a name below a place on x, line by line, with the full one as a hint if it is cut."""
    hint, top = "" if name == full else f"<title>{escape(full)}</title>", frame.height - BOTTOM
    lines, parts = name.split("\n"), []
    for place, line in enumerate(lines):
        where = f'x="{x}" y="{top + 14 + LINE_OF_NAMES * place}" text-anchor="middle"'
        if frame.turned:
            beside = x + LINE_OF_NAMES * (place + 0.8 - len(lines) / 2)
            where = f'transform="translate({beside:.1f} {top + 6}) rotate(-90)" text-anchor="end"'
        parts.append(f"<text {where}>{hint}{escape(line)}</text>" if line else "")
    return "".join(parts)


def centred(place: str, words: str) -> str:
    """Return text whose middle stands at a place."""
    return f'<text {place} text-anchor="middle">{escape(words)}</text>' if words else ""


def _ticks(kind: str, values: Sequence[float]) -> list[str]:
    """Return numbers along an axis; large ones in thousands and so on, for want of room."""
    largest = max(map(abs, values), default=0.0)
    found = next(((unit, letter) for start, unit, letter in UNITS if largest >= start), None)
    if kind not in {"amount", "money"} or found is None:
        return [tick(kind, value) for value in values]
    unit, letter = found
    return [f"{tick('money', value / unit)}{letter if value else ''}" for value in values]


def heights(top: float, bottom: float = 0.0) -> list[float]:
    """Return round tick values from the bottom up to the top, about five of them.

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


def bars_of(bars: Bars, frame: Frame) -> str:
    """Return bars as pieces of SVG, and those that touch as one outline, filled."""
    if bars.edges is None:
        pairs = zip(_floating(bars, frame), _whiskers(bars, frame), strict=True)
        return "".join(map("".join, pairs))
    tops = [frame.y(float(share)) for share in bars.shares]
    edges = [frame.x(float(edge)) for edge in bars.edges]
    steps = "".join(f"V{top}H{right}" for top, right in zip(tops, edges[1:], strict=True))
    return f'<path d="M{edges[0]} {frame.y(0.0)}{steps}V{frame.y(0.0)}Z" opacity=".14"/>'


def _floating(bars: Bars, frame: Frame) -> Iterator[str]:
    at = np.arange(len(bars.shares)) if bars.at is None else bars.at
    base = np.zeros(len(bars.shares)) if bars.base is None else bars.base
    for place, begin, share in zip(at.tolist(), base.tolist(), bars.shares.tolist(), strict=True):
        left, right = frame.x(place - bars.width / 2), frame.x(place + bars.width / 2)
        top, bottom = sorted((frame.y(begin), frame.y(begin + share)))
        yield box(bars, (left, top, right, bottom))


def box(bars: Bars, corners: tuple[float, float, float, float]) -> str:
    """Return one bar between these corners: left, top, right, bottom."""
    left, top, right, bottom = corners
    style = bars.style
    colour = "currentColor" if style is None or style.colour == TEXT_INK else style.colour.lower()
    size = f'x="{left}" y="{top}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    faint = FAINT if bars.hatch else FILLED
    filled = f'<rect {size} fill="{colour}" fill-opacity="{faint}" stroke="{colour}"/>'
    return f"{filled}{_hatched(corners, colour)}" if bars.hatch else filled


def _hatched(corners: tuple[float, float, float, float], colour: str) -> str:
    """Return lines that rise to the right across a box."""
    left, top, right, bottom = corners
    parts = []
    for start in np.arange(left - (bottom - top) + HATCH / 2, right, HATCH).tolist():
        # Along a line x - start = bottom - y.
        first, last = max(start, left), min(start + bottom - top, right)
        if last > first:
            a, b = bottom - (first - start), bottom - (last - start)
            parts.append(f"M{first:.1f} {a:.1f}L{last:.1f} {b:.1f}")
    return f'<path d="{"".join(parts)}" stroke="{colour}" stroke-width="1.2"/>' if parts else ""


def _whiskers(bars: Bars, frame: Frame) -> Iterator[str]:
    """Yield the whisker of each bar, or nothing where it has none."""
    if bars.low is None or bars.high is None or bars.at is None:
        yield from [""] * len(bars.shares)
        return
    for at, low, high in zip(bars.at.tolist(), bars.low.tolist(), bars.high.tolist(), strict=True):
        if not np.isfinite([low, high]).all():
            yield ""
            continue
        x, y, top = frame.x(at), frame.y(low), frame.y(high)
        path = f"M{x - CAP:.1f} {y}h{2 * CAP}M{x - CAP:.1f} {top}h{2 * CAP}M{x} {y}V{top}"
        yield f'<path d="{path}" stroke="currentColor" stroke-width="1.2" fill="none"/>'
