"""The record of a band: limits around a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from capcurve.counts.arguments import as_word
from capcurve.counts.types import Bools, Floats, FrozenRecord
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Style
from capcurve.show.format import Worded, capitalised, percent, plain_names, stated_percent
from capcurve.show.presentation import Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table

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
        said = f"In {level} of samples the band holds the whole {curve}."
        if self.kind == "pointwise":
            said = f"At any one {along} the band holds the {curve} in {level} of samples."
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
        limits = {"low": self.low, "estimate": self.estimate, "high": self.high}
        shares = {
            name: np.array([Worded(each, percent(each)) for each in column.tolist()], dtype=object)
            for name, column in limits.items()
        }
        return Presentation(
            title=title,
            sentences=(said,),
            charts=(chart,),
            tables=(Table(f"Limits by {along}", {"q": self.q, **shares}),),
            notes=(f"Method: {self.method}.", *(f"{capitalised(each)}." for each in self.notes)),
        )


def check_kind(kind: object) -> BandKind:
    """Return the kind of a band, else raise ValueError."""
    return as_word(kind, "kind", ("simultaneous", "pointwise"), either=True)
