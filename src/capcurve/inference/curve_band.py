"""The record of a band, limits around a curve, and the band over the curves of several folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.inference.records import Confidence
from capcurve.numbers.arguments import as_word
from capcurve.numbers.types import Bools, Floats, FrozenRecord
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Style
from capcurve.show.columns import formed
from capcurve.show.format import capitalised, plain_names, stated_percent
from capcurve.show.presentation import Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

BandKind = Literal["simultaneous", "pointwise"]
# What a band is around; else it is the difference of two scores.
AROUND = {"random": "CAP of a random score", "cap": "CAP", "roc": "ROC"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(FrozenRecord, Result):
    """Limits around a curve along the share of cases selected, or a ROC along the FPR.

    Attributes
    ----------
    name
        What the band is around: "random", "cap" or "roc", or of a difference both scores.
    kind
        "simultaneous": the whole curve lies inside with the stated frequency; "pointwise":
        each point by itself does, so a curve may well leave it somewhere by chance.
    q
        Shares of cases selected, of a ROC false positive rates, ascending from 0 to 1, shape (m,).
    low, estimate, high
        Limits and middle at each q, shape (m,).
    level
        The stated frequency.
    method
        How the limits were found.
    notes
        What a reader must know.
    """

    _schema_version = None
    _added = ()

    name: str
    kind: BandKind
    q: Floats
    low: Floats
    estimate: Floats
    high: Floats
    level: float
    method: str
    notes: tuple[str, ...] = ()

    def outside(self, q: Any, value: Any) -> Bools:
        """Return where points lie outside the band; between its points the band is straight."""
        low, high = np.interp(q, self.q, self.low), np.interp(q, self.q, self.high)
        return np.asarray((value < low) | (value > high), dtype=np.bool_)

    def presentation(self) -> Presentation:
        """Return what the band shows: the curve between its limits."""
        curve = AROUND.get(self.name) or f"difference of the CAPs ({plain_names([self.name])[0]})"
        level, one = stated_percent(self.level), self.name in AROUND
        along = "false positive rate" if self.name == "roc" else "share of cases"
        said = f"The band contains the whole {curve} in {level} of samples."
        if self.kind == "pointwise":
            said = f"At any one {along} the band contains the {curve} in {level} of samples."
        title = f"{level} {self.kind} band of the {curve}"
        x, y = "Share of all cases selected", "Share of positives captured"
        if self.name == "roc":
            x, y = "False positive rate", "True positive rate"
        wide = Axis(y, "percent", 1.0)
        chart = Chart(
            title=title,
            x=Axis(x, "percent", 1.0),
            y=wide if one else Axis("Difference in positives captured", "points"),
            lines=[Line(self.q, self.estimate, capitalised(curve), Style(BLUE))],
            bands=[ChartBand(self.q, self.low, self.high, f"{level} {self.kind} band", BLUE)],
            corner="lower right" if one else "upper right",
            rising=not one,
            description=said,
        )
        limits = {"q": self.q, "low": self.low, "estimate": self.estimate, "high": self.high}
        shares = formed(limits, share="low estimate high")
        return Presentation(
            title=title,
            sentences=(said,),
            charts=(chart,),
            tables=(Table(f"Band by {along}", shares),),
            notes=(f"Method: {self.method}.", *as_sentences(self.notes)),
        )


def check_kind(kind: object) -> BandKind:
    """Return the kind of a band, else raise ValueError."""
    return as_word(kind, "kind", ("simultaneous", "pointwise"), either=True)


LEAST_FOLDS = 3
# Of more places in all folds so many are kept, evenly: finer than a line is thick.
MOST_BAND_PLACES = 1000
FOLDS_METHOD = "vertical average of the folds; Student's t at each place"
SHARED_ROWS = (
    "folds share training rows and so are not independent; for the performance of the model in "
    "general the band is too narrow"
)


def fold_band(
    curves: Sequence[tuple[Floats, Floats]],
    level: float = 0.95,
    ends: tuple[float, float] = (0.0, 1.0),
) -> Band:
    """Return the mean height of curves (x, y), and mean ± t(k - 1) * s / sqrt(k) within `ends`.

    >>> flat = np.array([0.0, 1.0])
    >>> fold_band([(flat, np.array([0.0, top])) for top in (0.25, 0.5, 0.75)]).estimate
    array([0. , 0.5])
    """
    k = len(curves)
    if k < LEAST_FOLDS:
        raise ValueError(
            f"mean=True takes the curves of {LEAST_FOLDS} or more folds, got {k}; leave it out"
        )
    places, heights = _common(curves)
    mean = heights.mean(axis=0)
    half = Confidence(level).t(k - 1) * heights.std(axis=0, ddof=1) / np.sqrt(k)
    low, high = np.clip(mean - half, *ends), np.clip(mean + half, *ends)
    return Band("mean", "pointwise", places, low, mean, high, level, FOLDS_METHOD, (SHARED_ROWS,))


def _common(curves: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the places of all curves, and the height of each there, shape (curves, places)."""
    start, end = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    grid = np.unique(np.concatenate([x for x, _ in curves]))
    grid = grid[(grid >= start) & (grid <= end)]
    if len(grid) > MOST_BAND_PLACES:
        grid = grid[np.linspace(0, len(grid) - 1, MOST_BAND_PLACES).round().astype(np.int64)]
    # A place where a curve is vertical stands twice, so that the mean rises there and not before.
    both = np.array([_bottom_and_top(x, y, grid) for x, y in curves])
    kept = np.ones((len(grid), 2), dtype=np.bool_)
    kept[:, 1] = (both[:, 0] != both[:, 1]).any(axis=0)
    return np.repeat(grid, 2)[kept.ravel()], both.transpose(0, 2, 1)[:, kept]


def _bottom_and_top(x: Floats, y: Floats, grid: Floats) -> tuple[Floats, Floats]:
    """Return the first and the last height of a curve at each place: they differ where it rises."""
    first, after = np.searchsorted(x, grid, "left"), np.searchsorted(x, grid, "right")
    between = np.interp(grid, x, y)
    on = first < after
    return np.where(on, y[first], between), np.where(on, y[after - 1], between)
