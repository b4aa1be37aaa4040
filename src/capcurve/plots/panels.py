"""Pictures of one score each, beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from capcurve.plots.pictures import FOR_SEVERAL, PICTURE_KINDS
from capcurve.show.canvas import literal
from capcurve.show.format import plain_names
from capcurve.show.legends import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Beside each other; more would be too small to read.
MOST_PANELS, PANELS_IN_A_ROW, PANEL = 12, 3, (4.4, 4.2)


def draw_each(kind: str, counts: Any, **options: Any) -> Axes:
    """Draw scores on one pair of axes, or each on its own where the picture is of one score."""
    draw = PICTURE_KINDS[kind]
    if kind in FOR_SEVERAL or not isinstance(counts, Mapping) or len(counts) == 1:
        return draw(counts, **options)
    if len(counts) > MOST_PANELS:
        raise ValueError(f"{kind} is drawn of up to {MOST_PANELS} scores, got {len(counts)}")
    columns = min(len(counts), PANELS_IN_A_ROW)
    rows = -(-len(counts) // columns)
    figure = new_axes((PANEL[0] * columns, PANEL[1] * rows)).figure
    figure.clear()
    for place, name in enumerate(counts):
        ax = figure.add_subplot(rows, columns, place + 1)
        draw(counts[name], ax=ax, title=literal(plain_names([name])[0]), **options)
    return ax
