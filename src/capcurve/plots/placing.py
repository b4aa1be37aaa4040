"""Where there is room on axes: which boxes cover nothing that is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.path import Path
    from matplotlib.transforms import BboxBase

# Lines are as thick as this on the screen, and text that touches them is hard to read.
NEAREST_POINTS = 2.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """What stands on axes, in pixels.

    Attributes
    ----------
    lines
        Curves, with steps as they are drawn.
    areas
        Bars, shaded areas and bands.
    texts
        The boxes of labels.
    near
        Pixels from which a box is too near.
    """

    lines: tuple[Path, ...]
    areas: tuple[Path, ...]
    texts: tuple[BboxBase, ...]
    near: float

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
