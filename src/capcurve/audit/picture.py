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

# Points at which a band is read off inside each bin, besides its corners, and at most in all.
INSIDE, MOST_POINTS = 8, 400


def picture(audit: Audited) -> Chart:
    """Return the band between the lowest and the highest CAP that fit."""
    edges = _edges(audit)
    x = _depths(audit, edges)
    found = [audit.captured(float(q)) for q in x]
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    own = np.array([0.0, *(sum(audit.captured(float(q)).straight) / 2 for q in edges[1:])])
    ratio = audit.accuracy_ratio
    return Chart(
        title="CAP curves that the table allows",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[_own(edges, own, ratio), *_references(audit)],
        bands=[Band(x, low, high, _band(ratio), BLUE)],
        corner="lower right" if ratio is None or ratio.high >= 0 else "upper left",
        description=f"{_band(ratio)}; {_line(ratio)}",
    )
