"""Axes with their sizes, and where legends and labels stand on them: where they cover nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.numbers.arguments import installing
from capcurve.show.chart import SCORES, Corner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.path import Path
    from matplotlib.transforms import BboxBase

# Curves may give up so much of their height to a legend above them.
MOST_ABOVE = 0.4
STEPS_UPWARDS = 12
CORNERS: tuple[Corner, ...] = ("lower right", "upper left", "upper right", "lower left")
NARROW_INCHES = 4.0
MOST_COLUMNS = 4
# Of the height of axes that are given, so much stays when a legend moves below them.
LEAST_KEPT = 0.75
GAP_POINTS = 4.0
SMALLEST_AXES = 0.05
# On axes that are given, text may shrink to this share of its size, not below so many points.
SMALLER, SMALLEST_TEXT = 0.78, 6.5
SMALLEST_TITLE = 0.8
# Lines are as thick as this on the screen, and text that touches them is hard to read.
NEAREST_POINTS = 2.0


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes with the sizes that suit their width."""

    ax: Axes  # where to draw
    size: float  # text size in points
    line: float  # width of a score's line in points
    narrow: bool  # whether the axes are of the width of one column, so that names are cut shorter
    own: bool  # whether the figure was made for this picture, so that it may grow

    @classmethod
    def on(cls, ax: Axes | None, figsize: tuple[float, float]) -> Self:
        """Prepare the axes given, or those of a new figure."""
        own = ax is None
        ax = new_axes(figsize) if ax is None else ax
        import matplotlib as mpl

        inches = ax.bbox.width / ax.figure.dpi
        scale = float(np.clip(0.58 + 0.065 * inches, 0.72, 0.95))
        size = scale * mpl.rcParams["font.size"]
        ax.grid(visible=True, linewidth=0.5, alpha=0.35)
        ax.set_axisbelow(True)
        ax.tick_params(labelsize=size, length=2.5, width=0.6)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        narrow = bool(inches < NARROW_INCHES)
        return cls(ax, size, 1.5 if narrow else 1.9, narrow, own)


def new_axes(figsize: tuple[float, float] | None) -> Axes:
    """Return the axes of a new figure, of matplotlib's own size for None."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"pictures need matplotlib: {installing('plot')}") from error
    _, ax = plt.subplots(figsize=figsize, layout="constrained")
    return ax


def fit_title(ax: Axes) -> None:
    """Write the name of y in smaller letters where it is longer than its axis."""
    label = ax.yaxis.label
    share = ax.bbox.height / max(label.get_window_extent().height, 1.0)
    if share < 1:
        label.set_fontsize(float(label.get_fontsize()) * max(share, SMALLEST_TITLE))


def place_legend(
    panel: Panel, title: str, loc: Corner, *, columns: int = 1, rising: bool = False
) -> None:
    """Draw the legend, headed by what the picture stands on, where it covers nothing."""
    # It stands in a corner, `loc` before the others; where `rising`, y may reach higher to give it
    # room; else it goes below the axes.
    before = panel.ax.get_legend()
    heads = before.get_title().get_text().split("\n") if before else []
    if before:
        before.remove()
    _lay_out(panel)
    head = "\n".join(dict.fromkeys([*heads, *title.split("\n")]))
    corners = [loc] if rising else [loc, *(corner for corner in CORNERS if corner != loc)]
    for size in (panel.size,) if panel.own else (panel.size, SMALLER * panel.size):
        if size >= SMALLEST_TEXT or size == panel.size:
            legend = _legend(replace(panel, size=size), head, columns, loc=loc)
            if _settles(panel, legend, corners) or (rising and _rise(panel, legend)):
                return
    _place_below(panel, head)


def _settles(panel: Panel, legend: Legend, corners: Sequence[Corner]) -> bool:
    """Put the legend into the first corner where it covers nothing, if there is one."""
    for corner in corners:
        legend.set_loc(corner)
        if _is_free(panel, legend):
            return True
    return False


def _legend(panel: Panel, title: str, columns: int, **where: Any) -> Legend:
    handles, labels = panel.ax.get_legend_handles_labels()
    listed = sorted(zip(handles, labels, strict=True), key=lambda entry: _level(entry[0]))
    legend = panel.ax.legend(
        *(zip(*listed, strict=True) if listed else ((), ())),
        title=title,
        fontsize=panel.size,
        title_fontsize=panel.size,
        alignment="left",
        frameon=True,
        framealpha=0.9,
        edgecolor="none",
        handlelength=2.2 if panel.narrow else 2.8,
        handletextpad=0.6,
        columnspacing=1.2,
        ncols=columns,
        labelspacing=0.35,
        **where,
    )
    legend.set_zorder(5)
    return legend


def _is_free(panel: Panel, legend: Legend) -> bool:
    box, axes = legend.get_window_extent(), panel.ax.bbox
    inside = box.x0 >= axes.x0 and box.y0 >= axes.y0 and box.x1 <= axes.x1 and box.y1 <= axes.y1
    return inside and not Drawn.on(panel.ax).covered_by(box)


def _rise(panel: Panel, legend: Legend) -> bool:
    """Raise the top of y until the legend is free; leave it where that takes too much."""
    # With `auto` as it was, what is drawn later on the same axes still raises them.
    low, high = panel.ax.get_ylim()
    for share in np.linspace(0, MOST_ABOVE, STEPS_UPWARDS + 1)[1:]:
        panel.ax.set_ylim(low, low + (high - low) / (1 - share), auto=None)
        if _is_free(panel, legend):
            return True
    panel.ax.set_ylim(low, high, auto=None)
    return False


def _place_below(panel: Panel, title: str) -> None:
    """Put the legend below the axes, in as many columns as fit, and make room for it."""
    from matplotlib.transforms import ScaledTranslation

    ax, figure = panel.ax, panel.ax.figure
    low, left = ax.xaxis.get_tightbbox(), ax.yaxis.get_tightbbox()
    down = 0.0 if low is None else max(0.0, ax.bbox.y0 - low.y0)
    aside = 0.0 if left is None else max(0.0, ax.bbox.x0 - left.x0)
    gap = GAP_POINTS / 72
    shift = ScaledTranslation(-aside / figure.dpi, -down / figure.dpi - gap, figure.dpi_scale_trans)
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0)}
    where |= {"bbox_transform": ax.transAxes + shift, "borderaxespad": 0, "borderpad": 0}
    for columns in range(MOST_COLUMNS, 0, -1):
        legend = _legend(panel, title, columns, **where)
        box = legend.get_window_extent()
        if box.width <= ax.bbox.width + aside:
            break
    _make_room(panel, box.height / figure.dpi + 2 * gap, down / figure.dpi)


def _make_room(panel: Panel, legend: float, labels: float) -> None:
    """Let the figure grow, or the axes shrink, by the inches of a legend below them."""
    # `labels` is how far the ticks and the name of x reach down.
    root = panel.ax.get_figure(root=True)
    if root is None:
        return
    width, height = root.get_size_inches()
    kept = 1.0 if panel.own else LEAST_KEPT
    spare = (1 - kept) * panel.ax.bbox.height / panel.ax.figure.dpi
    if len(root.axes) == 1:
        root.set_size_inches(width, height + max(0.0, legend - spare))
    if root.get_layout_engine() is None:
        _shrink(panel, legend, labels)
    _lay_out(panel)


def _shrink(panel: Panel, legend: float, labels: float) -> None:
    """Raise the lower end of axes that no layout engine places."""
    ax, spec = panel.ax, panel.ax.get_subplotspec()
    box = spec.get_position(ax.figure) if spec else ax.get_position(original=True)  # type: ignore[arg-type]  # a part of a figure has a layout too
    whole = ax.figure.bbox.height / ax.figure.dpi
    low = max(box.y0 + legend / whole, (legend + labels) / whole)
    low = min(low, box.y1 - SMALLEST_AXES)
    ax.set_position((box.x0, low, box.width, box.y1 - low))
    ax.set_in_layout(True)  # which setting a position ends


def _lay_out(panel: Panel) -> None:
    """Let the figure find the places of its axes, on which all measuring depends."""
    root = panel.ax.get_figure(root=True)
    engine = None if root is None else root.get_layout_engine()
    if root is not None and engine is not None:
        engine.execute(root)


def _level(handle: Any) -> tuple[bool, float]:
    """Order a legend: scores, marks on them, then what they are compared with."""
    level = (handle.patches[0] if hasattr(handle, "patches") else handle).get_zorder()
    return level != SCORES, -level


@dataclass(frozen=True, slots=True)
class Drawn:
    """What stands on axes, in pixels."""

    lines: tuple[Path, ...]  # curves, with steps as they are drawn
    areas: tuple[Path, ...]  # bars, shaded areas and bands
    texts: tuple[BboxBase, ...]  # the boxes of labels
    near: float  # pixels from which a box is too near

    @classmethod
    def on(cls, ax: Axes) -> Drawn:
        """Read what is on the axes now."""
        dpi = ax.figure.dpi
        lines = [path for line in ax.lines if line.get_visible() for path in _paths(line, dpi)]
        areas = [patch.get_path().transformed(patch.get_transform()) for patch in ax.patches]
        for collection in ax.collections:
            moved = collection.get_transform()
            areas += [path.transformed(moved) for path in collection.get_paths()]
        texts = [text.get_window_extent() for text in ax.texts]
        return cls(tuple(lines), tuple(areas), tuple(texts), NEAREST_POINTS * dpi / 72)

    def crossed_by(self, box: BboxBase) -> bool:
        """Tell whether a box covers a line or a label; it may stand on an area."""
        near = box.padded(self.near)
        crossing = any(path.intersects_bbox(near, filled=False) for path in self.lines)
        return crossing or any(text.overlaps(box) for text in self.texts)

    def covered_by(self, box: BboxBase) -> bool:
        """Tell whether a box covers a line, an area or a label."""
        near = box.padded(self.near)
        return self.crossed_by(box) or any(
            path.intersects_bbox(near, filled=True) for path in self.areas
        )


def _paths(line: Line2D, dpi: float) -> list[Path]:
    """Return a line as it runs on the screen; of marks alone, each by itself."""
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.path import Path

    x, y = (np.asarray(values, dtype=np.float64) for values in line.get_data(orig=False))
    moved = line.get_transform()
    if line.get_linestyle() == "None":
        half = line.get_markersize() / 2 * dpi / 72
        marks = moved.transform(np.column_stack([x, y]))
        return [Path([mark - half, mark + half]) for mark in marks]
    steps = STEP_LOOKUP_MAP[line.get_drawstyle()](x, y)
    return [Path(np.column_stack([np.asarray(steps[0]), np.asarray(steps[1])])).transformed(moved)]
