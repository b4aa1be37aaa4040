"""Bars of a chart in SVG: those that touch, and those that float, with hatches and whiskers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.view.chart import INK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.report.svgframe import Frame
    from capcurve.view.chart import Bars

# Between the lines of a hatch, and from the middle of a whisker to its end, in pixels.
HATCH, CAP = 6.0, 4.0
FILLED, FAINT = 0.8, 0.45


def bars_of(bars: Bars, frame: Frame) -> str:
    """Return bars as pieces of SVG."""
    if bars.edges is not None:
        return _touching(bars, frame)
    return "".join(map("".join, zip(_floating(bars, frame), _whiskers(bars, frame), strict=True)))


def _touching(bars: Bars, frame: Frame) -> str:
    """Return bars that touch, filled; a line is their outline."""
    if bars.edges is None:
        return ""
    tops = [frame.y(float(share)) for share in bars.shares]
    edges = [frame.x(float(edge)) for edge in bars.edges]
    steps = "".join(f"V{top}H{right}" for top, right in zip(tops, edges[1:], strict=True))
    return f'<path d="M{edges[0]} {frame.y(0.0)}{steps}V{frame.y(0.0)}Z" opacity=".14"/>'


def _floating(bars: Bars, frame: Frame) -> Iterator[str]:
    """Yield each bar."""
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
    colour = "currentColor" if style is None or style.colour == INK else style.colour.lower()
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
