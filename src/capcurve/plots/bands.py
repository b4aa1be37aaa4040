"""Bands shaded behind the curves: how far chance could carry them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.inference.band import Band
from capcurve.plots.style import COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.plots.canvas import Canvas
    from capcurve.plots.scale import Scale

GREY = "#808080"
NAMES = {"random": "of a random score", "cap": "of the CAP"}


def bands_of(band: Band | Iterable[Band] | None, scale: Scale) -> list[Band]:
    """Return the bands to draw, or raise ValueError where they do not fit the axes."""
    single = [band] if isinstance(band, Band) else band
    bands = [] if single is None else list(single)
    if bands and (scale.absolute or scale.prevalence is not None):
        raise ValueError("a band is in shares as counted; leave out absolute and prevalence")
    return bands


def draw_bands(canvas: Canvas, bands: list[Band]) -> None:
    """Shade each band, with level and kind in the legend."""
    for band in bands:
        of = NAMES.get(band.name, f"of {band.name}")
        canvas.ax.fill_between(
            band.q,
            band.low,
            band.high,
            color=GREY if band.name == "random" else COLOURS[0],
            alpha=0.18,
            linewidth=0,
            label=f"{band.level:.0%} {band.kind} band {of}",
            zorder=1.2,
        )
