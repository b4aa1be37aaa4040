"""The picture of an audit: the band of all CAPs that fit, and the table's own line between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.audit.words import outward
from capcurve.view.chart import BLUE, Axis, Band, Chart, Line, Marker, Style, reference
from capcurve.view.format import number

if TYPE_CHECKING:
    from capcurve.audit.audited import Audited
    from capcurve.audit.records import Range
    from capcurve.counts.types import Floats
    from capcurve.tables import Table

# Points inside each bin at which the band is read off, and as many as are drawn in all.
INSIDE, MOST_POINTS = 6, 400
ASSUMED = {None: "", "concave": ", rates falling", "random": ", no bin worse than random"}


def picture(audit: Audited, least: Table, greatest: Table) -> Chart:
    """Return the band between the lowest and the highest CAP that fit."""
    edges = _column(least, "selected")
    depths = _depths(edges, least, greatest)
    found = [audit.captured(float(q)) for q in depths]
    own = [sum(audit.captured(float(q)).straight) / 2 for q in edges]
    ratio = audit.accuracy_ratio
    x, low, high = (
        np.array([0.0, *values])
        for values in (depths, [each.low for each in found], [each.high for each in found])
    )
    return Chart(
        title="CAP curves that the table allows",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[_own(edges, own, ratio), *_references(least)],
        bands=[Band(x, low, high, _label(ratio, audit.assume), BLUE)],
        corner="upper left" if ratio is not None and ratio.high < 0 else "lower right",
    )


def _column(table: Table, name: str) -> Floats:
    return np.array(table[name].tolist(), dtype=np.float64)


def _depths(edges: Floats, least: Table, greatest: Table) -> Floats:
    """Return where the band is read off: at the ends of bins, its corners inside, and between."""
    starts = np.concatenate([[0.0], edges[:-1]])
    width = edges - starts
    found = [edges]
    for table in (least, greatest):
        positives = np.nan_to_num(_column(table, "rate")) * width
        found += [starts + positives, edges - positives]
    if INSIDE * len(edges) <= MOST_POINTS:
        found += [starts + width * each / INSIDE for each in range(1, INSIDE)]
    depths = np.unique(np.concatenate(found))
    return depths[(depths > 0) & (depths <= 1)]


def _own(edges: Floats, own: list[float], ratio: Range | None) -> Line:
    x, y = np.concatenate([[0.0], edges]), np.array([0.0, *own])
    said = "" if ratio is None else f"  AR {_middle(ratio)}"
    marker = Marker("o", 0.5) if len(edges) <= MOST_POINTS / INSIDE else None
    return Line(x, y, f"Straight lines between its points{said}", Style(BLUE), marker=marker)


def _middle(ratio: Range) -> str:
    low, high = ratio.straight
    return number(low, 4) if low == high else f"about {number((low + high) / 2)}"


def _label(ratio: Range | None, assume: str | None) -> str:
    said = "" if ratio is None else f"  AR {' to '.join(outward(ratio.low, ratio.high))}"
    return f"Curves that fit{ASSUMED[assume]}{said}"


def _references(table: Table) -> list[Line]:
    share = float(
        np.nansum(_column(table, "rate") * np.diff(_column(table, "selected"), prepend=0))
    )
    return [
        reference([0, share, 1], [0, 1, 1], "Perfect", dashed=False),
        reference([0, 1], [0, 1], "Random"),
    ]
