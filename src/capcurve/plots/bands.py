"""Bands shaded behind the curves: how far chance could carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.inference import Band, cap_band
from capcurve.plots.style import plain_names
from capcurve.tables.steps import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.plots.canvas import Canvas
    from capcurve.plots.models import Model
    from capcurve.plots.scale import Scale

GREY = "#808080"
NAMES = {"random": "of a random score", "cap": "of the CAP"}
SEED = 1  # the same counts have the same picture


@dataclass(frozen=True, slots=True)
class Shading:
    """A band with its name in the legend and its colour."""

    band: Band
    of: str
    colour: str


def bands_of(
    band: Band | Iterable[Band] | bool | None, models: list[Model], scale: Scale
) -> list[Shading]:
    """Return the bands to draw, or raise ValueError where they do not fit the axes.

    True stands for the band of each model's own CAP.
    """
    if band is None or band is False:
        return []
    if scale.absolute or scale.prevalence is not None:
        raise ValueError("a band is in shares as counted; leave out absolute and prevalence")
    if band is True:
        return [_own(model, alone=len(models) == 1) for model in models]
    return [
        Shading(found, _name(found), GREY if found.name == "random" else models[0].style.colour)
        for found in ([band] if isinstance(band, Band) else band)
    ]


def _own(model: Model, *, alone: bool) -> Shading:
    of = NAMES["cap"] if alone else f"of {model.label}"
    return Shading(cap_band(model.counts, seed=SEED), of, model.style.colour)


def _name(band: Band) -> str:
    return NAMES.get(band.name) or f"of {plain_names([band.name])[0]}"


def draw_bands(canvas: Canvas, bands: list[Shading]) -> None:
    """Shade each band, with level and kind in the legend."""
    for shading in bands:
        band = shading.band
        canvas.ax.fill_between(
            band.q,
            band.low,
            band.high,
            color=shading.colour,
            alpha=0.18,
            linewidth=0,
            label=f"{percent(band.level)} {band.kind} band {shading.of}",
            zorder=1.2,
        )
