"""The picture of an audit: the band of all CAPs that fit, and the table's own line between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
    edges = _edges(least)
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


def _edges(table: Table) -> Floats:
    """Return the share of cases down to the end of each bin."""
    running: Floats = np.array([float(value) for value in table["cum_n"].tolist()])
    return running / running[-1]


def _depths(edges: Floats, least: Table, greatest: Table) -> Floats:
    """Return where the band is read off: at the ends of bins, its corners inside, and between."""
    starts = np.concatenate([[0.0], edges[:-1]])
    found = [edges]
    for table in (least, greatest):
        positives = np.diff(_running(table, "cum_positives"), prepend=0.0)
        cases = np.diff(_running(table, "cum_n"), prepend=0.0)
        part = np.divide(positives, cases, out=np.zeros_like(cases), where=cases > 0)
        width = edges - starts
        found += [starts + part * width, starts + (1 - part) * width]
    for each in range(1, INSIDE) if INSIDE * len(edges) <= MOST_POINTS else ():
        found.append(starts + (edges - starts) * each / INSIDE)
    depths = np.unique(np.concatenate(found))
    return depths[(depths > 0) & (depths <= 1)]


def _running(table: Table, name: str) -> Floats:
    return np.array([float(value) for value in table[name].tolist()])


def _own(edges: Floats, own: list[float], ratio: Range | None) -> Line:
    x, y = np.concatenate([[0.0], edges]), np.array([0.0, *own])
    said = "" if ratio is None else f"  AR {number(sum(ratio.straight) / 2, 4)}"
    marker = Marker("o", 0.5) if len(edges) <= MOST_POINTS / INSIDE else None
    return Line(x, y, f"Straight lines between its points{said}", Style(BLUE), marker=marker)


def _label(ratio: Range | None, assume: str | None) -> str:
    said = "" if ratio is None else f"  AR {number(ratio.low)} to {number(ratio.high)}"
    return f"Curves that fit{ASSUMED[assume]}{said}"


def _references(table: Table) -> list[Line]:
    positives, cases = _running(table, "cum_positives")[-1], _running(table, "cum_n")[-1]
    share = float(positives / cases)
    return [
        reference([0, share, 1], [0, 1, 1], "Perfect", dashed=False),
        reference([0, 1], [0, 1], "Random"),
    ]
