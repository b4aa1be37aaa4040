"""The axes every picture is drawn on: text sizes, thin grid, percent axes, legend, labels."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.plots.legends import SCORES, Corner, place_legend
from capcurve.plots.placing import Drawn
from capcurve.plots.style import REFERENCE_DASHES, Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

SQUARE = (5.6, 5.4)
WIDE = (6.4, 4.2)
NARROW_INCHES = 4.0
# How a note stands to its point: "xytext" in points, "ha" and "va".
Place = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Canvas:
    """Axes with the sizes that suit their width.

    Attributes
    ----------
    ax
        Where to draw.
    size
        Text size in points.
    line
        Width of a model's line in points.
    narrow
        Whether the axes are of the width of one column, so that names are cut shorter.
    own
        Whether the figure was made for this picture, so that it may grow.
    """

    ax: Axes
    size: float
    line: float
    narrow: bool
    own: bool

    @classmethod
    def on(cls, ax: Axes | None, figsize: tuple[float, float]) -> Canvas:
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

    @property
    def ink(self) -> Any:
        """The colour of the text on these axes."""
        return self.ax.xaxis.label.get_color()

    @property
    def first_style(self) -> int:
        """How many models are on the axes already, so that the next one looks different."""
        return sum(1 for line in self.ax.lines if line.get_zorder() == SCORES)

    def titles(self, x: str, y: str) -> None:
        """Name both axes."""
        self.ax.set_xlabel(x, fontsize=self.size * 1.05)
        self.ax.set_ylabel(y, fontsize=self.size * 1.05)

    def in_percent(self, *axes: str) -> None:
        """Write the ticks of "x" and "y" in percent, over the whole range from 0 to 1."""
        from matplotlib.ticker import PercentFormatter

        for name in axes:
            axis = self.ax.xaxis if name == "x" else self.ax.yaxis
            axis.set_major_formatter(PercentFormatter(1.0))
        if "x" in axes:
            self.ax.set_xlim(0, 1.01)
            self.ax.set_xticks(np.linspace(0, 1, 6))
        if "y" in axes:
            self.ax.set_ylim(0, 1.02)
            self.ax.set_yticks(np.linspace(0, 1, 6))

    def draw(self, x: ArrayLike, y: ArrayLike, style: Style, label: str, **more: Any) -> Line2D:
        """Draw one line of a model or a class."""
        how = {"linewidth": self.line, "zorder": SCORES, **more}
        (line,) = self.ax.plot(x, y, color=style.colour, linestyle=style.dashes, label=label, **how)
        return line

    def reference(self, x: ArrayLike, y: ArrayLike, label: str, *, dashed: bool = True) -> None:
        """Draw a thin line to compare with, unless it is there already."""
        points = np.column_stack([x, y])
        if any(_same(line, points) for line in self.ax.lines):
            return
        self.ax.plot(
            x,
            y,
            color=self.ink,
            alpha=0.55,
            linewidth=0.9,
            linestyle=REFERENCE_DASHES if dashed else "-",
            label=self.once(label),
            zorder=2.2,
        )

    def fit_height(self, *, from_zero: bool = False) -> None:
        """Fit y to what is drawn."""
        self.ax.relim()
        self.ax.autoscale(enable=True, axis="y")
        self.ax.autoscale_view(scalex=False)
        if from_zero:
            self.ax.set_ylim(bottom=0)

    def ticks_to_one(self, write: Callable[[float], str]) -> None:
        """Write the ticks of y, but none beyond 1 where a legend has its room."""
        from matplotlib.ticker import FuncFormatter

        shown = FuncFormatter(lambda value, _: write(value) if abs(value) <= 1 else "")
        self.ax.yaxis.set_major_formatter(shown)

    def once(self, label: str) -> str:
        """Return the label, or one that stays out of the legend when it is there already."""
        _, labels = self.ax.get_legend_handles_labels()
        return "_nolegend_" if label in labels else label

    def note(self, text: str, xy: tuple[float, float], places: Iterable[Place]) -> None:
        """Write next to a point where nothing is covered; without such a place, nowhere."""
        from matplotlib.patheffects import withStroke

        drawn = Drawn.on(self.ax)
        halo = withStroke(linewidth=2.5, foreground=self.ax.get_facecolor())
        for place in places:
            note = self.ax.annotate(
                text,
                xy,
                **place,
                textcoords="offset points",
                fontsize=self.size,
                path_effects=[halo],
                zorder=4.5,
            )
            if not drawn.crossed_by(note.get_window_extent()):
                return
            note.remove()

    def legend(self, title: str, loc: Corner, *, columns: int = 1, rising: bool = False) -> None:
        """Draw the legend where it covers nothing; see `place_legend`."""
        place_legend(self, title, loc, columns=columns, rising=rising)


@contextmanager
def drawing(ax: Axes | None, figsize: tuple[float, float]) -> Iterator[Canvas]:
    """Draw on the axes given or on new ones, whose figure is closed again when it fails."""
    canvas = Canvas.on(ax, figsize)
    try:
        yield canvas
    except BaseException:
        if ax is None:
            import matplotlib.pyplot as plt

            plt.close(canvas.ax.figure)  # type: ignore[arg-type]  # made by new_axes
        raise


def _same(line: Line2D, points: NDArray[np.float64]) -> bool:
    return bool(np.array_equal(line.get_xydata(), points))


def new_axes(figsize: tuple[float, float]) -> Axes:
    """Return the axes of a new figure; ImportError says what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('pictures need matplotlib: pip install "capcurve[plot]"') from error
    _, ax = plt.subplots(figsize=figsize, layout="constrained")
    return ax
