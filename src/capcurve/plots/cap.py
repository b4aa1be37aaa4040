"""The CAP of one or several scores as a chart; and bands to shade around it, or around a ROC."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from capcurve.counts.times import taken_by
from capcurve.curves import Curve, cap_curve, perfect_cap, random_cap
from capcurve.curves.simplify import few_cells
from capcurve.gate.given import is_amounts
from capcurve.inference import Band, cap_band, roc_band
from capcurve.inference.curve_band import BandKind
from capcurve.metrics import accuracy_ratio, captured_response
from capcurve.numbers.arguments import as_word, told
from capcurve.plots.models import Model, as_drawn, check_few, refuse_amounts, sample_with_level
from capcurve.show.chart import (
    GREY,
    HAIRLINE,
    MARKER_SHAPES,
    RASPBERRY,
    SIMULATED,
    TEXT_INK,
    Area,
    Axis,
    AxisKind,
    Chart,
    ChartBand,
    Line,
    Marker,
    guide,
    marks,
    reference,
)
from capcurve.show.format import capitalised, number, percent, plain_names, stated_percent

if TYPE_CHECKING:
    from capcurve.counts import Amounts, Ranking
    from capcurve.numbers.types import Floats

    Path: TypeAlias = tuple[Floats, Floats]

MOST_NUMBERED_POINTS = 50
NEAREST_NUMBERS = 0.06
ROOM_FOR_A_LETTER = 0.07
LEAST_GAP = 1e-9  # of the height: what rounding leaves is no area


@dataclass(frozen=True, slots=True)
class Scale:
    """The axes of a CAP: numbers of cases instead of shares, or shares at another prevalence."""

    absolute: bool = False
    prevalence: float | None = None

    def of(self, curve: Callable[..., Curve], counts: Ranking | Amounts) -> Curve:
        """Return the CAP of a score, or a perfect or random one, on this scale."""
        return curve(counts, absolute=self.absolute, prevalence=self.prevalence)

    def size(self, counts: Ranking | Amounts) -> tuple[float, float]:
        """Return where both axes end."""
        if not self.absolute:
            return 1.0, 1.0
        if is_amounts(counts):
            return float(counts.exposure), float(counts.amount)
        return float(counts.n), float(counts.n1)


def cap(
    models: Sequence[Model],
    scale: Scale,
    *,
    shares: Sequence[float] = (),
    shade: bool = False,
    point_numbers: bool = False,
    perfect: bool = True,
    random: bool = True,
    simulated: Sequence[Ranking] = (),
    bands: BandsAsked = None,
    interval: float | None = None,
) -> Chart:
    """Return the CAP of each score, with what it is compared with."""
    curves = [as_drawn(scale.of(cap_curve, model.few())) for model in models]
    formula, apart = (" = A/(A + B)", "\n" if models[0].narrow else "  ") if shade else ("", "  ")
    shaded = bands_to_shade(bands, models, "cap")
    if shaded and (scale.absolute or scale.prevalence is not None):
        raise ValueError("a band is in shares as counted; leave out absolute and prevalence")
    lines = _simulated(simulated, scale)
    for model, curve in zip(models, curves, strict=True):
        ratio = model.with_limits(accuracy_ratio, interval, formula)
        held = f"; {_held(model, scale, shares)}" if shares and len(models) > 1 else ""
        lines.append(model.line(curve.x, curve.y, f"{model.label}{apart}AR {ratio}{held}"))
    for model in models:
        lines += _guides(model, scale, shares, named=len(models) == 1)
    full = None
    if point_numbers:
        check_few(models[0].counts, MOST_NUMBERED_POINTS, "point_numbers=True")
        full = scale.of(cap_curve, models[0].few())
        lines.append(marks(full.x, full.y, "", models[0].style.colour, Marker(".", 1.0)))
    x, y = _axes(models, scale, full)
    ranks = np.mean([model.value(accuracy_ratio) for model in models]) >= 0
    return Chart(
        title="CAP",
        x=x,
        y=y,
        lines=[*lines, *_references(models, scale, perfect=perfect, random=random)],
        bands=shaded,
        areas=_areas(models[0], scale, curves[0]) if shade else (),
        head=sample_with_level(models, accuracy_ratio, interval, scale.prevalence),
        corner="lower right" if ranks else "upper left",
        numbers=() if full is None else _numbered(full),
    )


def _axes(models: Sequence[Model], scale: Scale, full: Curve | None) -> tuple[Axis, Axis]:
    """Return both axes; those of numbered points have ticks at their heights."""
    sizes = [scale.size(model.counts) for model in models]
    width, height = (max(ends) for ends in zip(*sizes, strict=True))
    heights = () if full is None else np.unique(full.y)[::-1].tolist()
    amounts = [model.counts for model in models if is_amounts(model.counts)]
    kind: AxisKind = "percent" if not scale.absolute else "money" if amounts else "amount"
    named = scale.of(cap_curve, models[0].few())
    # Amounts below 0 take the curve below and above its ends.
    whole = None if any(values.signed for values in amounts) else height
    return (
        Axis(capitalised(named.x_label), kind, width),
        Axis(capitalised(named.y_label), kind, whole, heights=heights),
    )


def _simulated(simulated: Sequence[Ranking], scale: Scale) -> list[Line]:
    name = f"{len(simulated)} simulated random score{'s' if len(simulated) > 1 else ''}"
    curves = [as_drawn(scale.of(cap_curve, few_cells(counts))) for counts in simulated]
    return [
        Line(curve.x, curve.y, "" if place else name, width=HAIRLINE, opacity=0.3, level=SIMULATED)
        for place, curve in enumerate(curves)
    ]


def _held(model: Model, scale: Scale, shares: Sequence[float]) -> str:
    """Say what a score captures at each share."""
    captured = [captured_response(model.counts, q, prevalence=scale.prevalence) for q in shares]
    pairs = zip(captured, shares, strict=True)
    return ", ".join(f"{percent(held)} at {stated_percent(q)}" for held, q in pairs)


def _guides(model: Model, scale: Scale, shares: Sequence[float], *, named: bool) -> list[Line]:
    """Return lines from a share of cases up to the curve and on to what it captures."""
    width, height = scale.size(model.counts)
    lines = []
    for place, share in enumerate(shares):
        captured = captured_response(model.counts, share, prevalence=scale.prevalence)
        held = percent(captured)
        alone = f" of {model.words.captured},\n" if len(shares) == 1 else ", "
        text = f"Top {stated_percent(share)} contains {held}{alone}"
        text += f"{number(captured / share, 2) if share else 0} times random"
        x, y = [share * width, share * width, 0], [0, captured * height, captured * height]
        marker = Marker(MARKER_SHAPES[place % len(MARKER_SHAPES)], 0.55, (1,))
        lines.append(guide(x, y, text if named else "", model.style.colour, marker))
    return lines


def _numbered(curve: Curve) -> list[tuple[str, float, float]]:
    """Return the points that are not too close to the last one numbered before them."""
    x, y = curve.x / curve.x[-1], curve.y / curve.y[-1]
    kept = [0]
    for place in range(1, len(x)):
        if np.hypot(x[place] - x[kept[-1]], y[place] - y[kept[-1]]) >= NEAREST_NUMBERS:
            kept.append(place)
    return [(str(place), float(curve.x[place]), float(curve.y[place])) for place in kept]


def _references(
    models: Sequence[Model], scale: Scale, *, perfect: bool, random: bool
) -> list[Line]:
    """Return the random line, and the perfect ones: all of horizons, else the two extreme ones."""
    timed = all(taken_by(each.counts) or getattr(each.summary, "horizon", None) for each in models)
    compared = models if scale.absolute or timed else _extremes(models)
    lines = []
    if perfect:
        ideal = [as_drawn(scale.of(perfect_cap, model.counts)) for model in compared]
        apart = timed and len({curve.x[1] for curve in ideal}) > 1
        for curve in ideal:  # which turns at the share of positives
            of = f" at {percent(curve.x[1] / curve.x[-1])} positives" if apart else ""
            lines.append(reference(curve.x, curve.y, f"Perfect{of}", dashed=False))
    if random:
        chance = (scale.of(random_cap, model.counts) for model in compared)
        lines += [reference(curve.x, curve.y, "Random") for curve in chance]
    return list({(line.label, *line.x, *line.y): line for line in lines}.values())


def _extremes(models: Sequence[Model]) -> tuple[Model, Model]:
    """Return the scores of the sample with the lowest and with the highest perfect curve."""

    def room(model: Model) -> float:
        counts = model.counts
        return -perfect_cap(counts).area if is_amounts(counts) else counts.n1 / counts.n

    ranked = sorted(models, key=room)
    return ranked[0], ranked[-1]


def _areas(model: Model, scale: Scale, curve: Curve) -> list[Area]:
    """Return what lies between random and model, A, and between model and perfect, B."""
    chance, ideal = scale.of(random_cap, model.counts), scale.of(perfect_cap, model.counts)
    x, y = _with_crossings(curve, chance)
    base, blue = np.interp(x, chance.x, chance.y), model.style.colour
    above, below = np.maximum(y, base), np.minimum(y, base)
    subtracted = "\N{MINUS SIGN}A  below random, subtracted"
    found = [
        ("A  between random and model", blue, 0.22, (x, base), (x, above)),
        (subtracted, RASPBERRY, 0.22, (x, base), (x, below)),
        ("B  between model and perfect", TEXT_INK, 0.10, (curve.x, curve.y), (ideal.x, ideal.y)),
    ]
    none = subtracted if np.allclose(below, base, rtol=0, atol=LEAST_GAP * base[-1]) else ""
    return [
        Area(
            np.concatenate([one[0], other[0][::-1]]),
            np.concatenate([one[1], other[1][::-1]]),
            label,
            colour,
            opacity,
            _letter_inside(label.split()[0], one, other),
        )
        for label, colour, opacity, one, other in found
        if label != none
    ]


def _with_crossings(curve: Curve, line: Curve) -> Path:
    """Return the points of a curve, and those where it crosses a straight line."""
    gap = curve.y - np.interp(curve.x, line.x, line.y)
    left = np.flatnonzero(np.sign(gap[:-1]) * np.sign(gap[1:]) < 0)
    part = gap[left] / (gap[left] - gap[left + 1])
    x, y = (
        np.insert(column, left + 1, column[left] + part * np.diff(column)[left])
        for column in (curve.x, curve.y)
    )
    return x, y


def _letter_inside(letter: str, one: Path, other: Path) -> tuple[str, float, float] | None:
    """Return a letter and where the area between two lines has its weight, when it fits."""
    x = np.linspace(0, one[0][-1], 201)
    low, high = (np.interp(x, *each) for each in (one, other))
    gap = np.abs(high - low)
    if not gap.any():
        return None
    middle = float((x * gap).sum() / gap.sum())
    ends = [float(np.interp(middle, *each)) for each in (one, other)]
    if abs(ends[1] - ends[0]) < ROOM_FOR_A_LETTER * one[1][-1]:
        return None
    return letter, middle, sum(ends) / 2


BandsAsked: TypeAlias = "Band | Iterable[Band] | BandKind | bool | None"
SEED = 1  # the same counts have the same chart
BAND_NAMES = {"random": "of a random score", "cap": "of the CAP", "roc": "of the ROC"}
OWN = {"cap": cap_band, "roc": roc_band}


def bands_to_shade(
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
