"""The frame of a chart in SVG: where its axes begin and end, their ticks and their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.report.markup import escape
from capcurve.view.format import tick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.view.chart import Bars, Chart, ScoreTicks

WIDTH, HEIGHT = 360, 320
# Of charts with names along x.
BROAD = 420
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 12, 44
TICKS = 5
# What y has beyond the highest and the lowest value, as a share of its length.
ROOM = 0.08
# From where on ticks are in units, these, and their letters.
UNITS = ((1e12, 1e12, "T"), (1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "K"))
LINE_OF_NAMES = 13


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axes of a chart begin and end, in its own units, and how wide the picture is."""

    left: float
    right: float
    bottom: float
    top: float
    width: int = WIDTH

    def x(self, value: float) -> float:
        """Return how far from the left of the picture a value stands."""
        part = (value - self.left) / (self.right - self.left)
        return round(LEFT + part * (self.width - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """Return how far from the top of the picture a value stands."""
        part = (value - self.bottom) / (self.top - self.bottom)
        return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)


def frame_of(chart: Chart) -> Frame:
    """Return axes from 0, or from the lowest value, to the whole or a little above the highest."""
    drawn = [np.asarray(line.y, dtype=np.float64) for line in chart.lines]
    drawn += [np.asarray(each, dtype=np.float64) for b in chart.bands for each in (b.low, b.high)]
    drawn += [each for bars in chart.bars for each in _heights_of(bars)]
    least = min(float(np.nanmin(values, initial=0)) for values in drawn)
    most = max(float(np.nanmax(values, initial=0)) for values in drawn)
    room = ROOM * (most - least)
    top = chart.y.whole if chart.y.whole is not None else most + (room if most else 0.0)
    bottom = least - room if least < 0 else 0.0
    left, right = chart.x.ends or (0.0, float(chart.x.whole or 1))
    bottom, top = chart.y.ends or (bottom, float(top))
    return Frame(left, right, bottom, top, WIDTH if _names(chart) is None else BROAD)


def _heights_of(bars: Bars) -> Iterator[np.ndarray]:
    """Yield all heights between which bars and their whiskers stand."""
    shares = np.asarray(bars.shares, dtype=np.float64)
    yield shares if bars.base is None else shares + bars.base
    yield from (each for each in (bars.base, bars.low, bars.high) if each is not None)


def _names(chart: Chart) -> ScoreTicks | None:
    """Return the names along x, if it has names."""
    found = chart.scores
    return None if found is None or found.names is None else found


def grid_of(chart: Chart, frame: Frame) -> list[str]:
    """Return rules, ticks and the names of the axes."""
    rule = 'stroke="currentColor" stroke-opacity=".14"'
    parts = []
    named = _names(chart)
    across, up = heights(frame.right, frame.left), heights(frame.top, frame.bottom)
    for value, text in zip(across, _ticks(chart.x.kind, across), strict=True):
        if named is None:
            x = frame.x(value)
            parts += [
                f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" {rule}/>',
                f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{text}</text>',
            ]
    for height, text in zip(up, _ticks(chart.y.kind, up), strict=True):
        y = frame.y(height)
        parts += [
            f'<path d="M{LEFT} {y}H{frame.width - RIGHT}" {rule}/>',
            f'<text x="{LEFT - 5}" y="{y + 4}" text-anchor="end">{text}</text>',
        ]
    middle_x, middle_y = (LEFT + frame.width - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    return [
        *parts,
        *([] if named is None else _named(named, frame)),
        centred(f'x="{middle_x}" y="{HEIGHT - 10}"', chart.x.title),
        centred(f'transform="translate(11 {middle_y}) rotate(-90)"', chart.y.title),
    ]


def _named(scores: ScoreTicks, frame: Frame) -> list[str]:
    """Return names along x, line by line."""
    return [
        centred(f'x="{frame.x(at)}" y="{HEIGHT - BOTTOM + 14 + LINE_OF_NAMES * place}"', line)
        for at, name in zip(scores.at.tolist(), scores.names or (), strict=True)
        for place, line in enumerate(name.split("\n"))
    ]


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
