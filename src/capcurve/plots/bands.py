"""Bands to shade in the chart of a CAP or a ROC: given ones, or those of each score's own curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias, get_args

from capcurve.counts.arguments import as_word, told
from capcurve.inference import Band, cap_band, roc_band
from capcurve.inference.curve_band import BandKind
from capcurve.plots.models import Model, refuse_amounts
from capcurve.show.chart import GREY, ChartBand
from capcurve.show.format import plain_names, stated_percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal


BandsAsked: TypeAlias = "Band | Iterable[Band] | BandKind | bool | None"
SEED = 1  # the same counts have the same chart
BAND_NAMES = {"random": "of a random score", "cap": "of the CAP", "roc": "of the ROC"}
OWN = {"cap": cap_band, "roc": roc_band}


def bands_of(
    bands: BandsAsked, models: Sequence[Model], curve: Literal["cap", "roc"]
) -> list[ChartBand]:
    """Return the bands to shade around a curve, or raise where they are of another one."""
    # True, or a kind, stands for the band of each score's own curve.
    if bands is None or bands is False:
        return []
    refuse_amounts(models, "a band")
    if bands is True or isinstance(bands, str):
        known = get_args(BandKind)
        word = "simultaneous" if bands is True else bands
        kind: BandKind = as_word(word, "band", known, either=True)
        return [
            _shaded(
                OWN[curve](model.classes.every_score(), kind=kind, seed=SEED),
                BAND_NAMES[curve] if len(models) == 1 else f"of {model.label}",
                model.style.colour,
            )
            for model in models
        ]
    one = isinstance(bands, Band | Mapping) or not isinstance(bands, Iterable)
    given: Iterable[object] = [bands] if one else bands  # type: ignore[assignment]  # several
    return [
        _shaded(
            band,
            BAND_NAMES.get(band.name) or f"of {models[0].write(plain_names([band.name])[0])}",
            GREY if band.name == "random" else models[0].style.colour,
        )
        for band in (_as_band(each, curve) for each in given)
    ]


def _as_band(given: object, curve: Literal["cap", "roc"]) -> Band:
    """Return a band of this curve, else raise TypeError, or ValueError for that of the other."""
    own = f"{curve}_band"
    if not isinstance(given, Band):
        made = f"null_band or {own} return" if curve == "cap" else f"{own} returns"
        raise TypeError(
            f"band takes what {made}, several in a list, or True, "
            f'"simultaneous" or "pointwise" for the {own} of each score; got {told(given)}'
        )
    if (given.name == "roc") != (curve == "roc"):
        raise ValueError(
            f"the band of a {curve.upper()} is what {own} returns; this one is of another curve: "
            f"{given.name}"
        )
    return given


def _shaded(band: Band, of: str, colour: str) -> ChartBand:
    label = f"{stated_percent(band.level)} {band.kind} band {of}"
    return ChartBand(band.q, band.low, band.high, label, colour)
