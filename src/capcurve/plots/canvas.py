"""The axes every picture is drawn on: text sizes, thin grid, percent axes, legend, labels."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.plots.style import COLOURS, REFERENCE_DASHES, Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

SQUARE = (5.6, 5.4)
WIDE = (6.4, 4.2)
NARROW_INCHES = 4.0
LEFT_OF_THE_CORNER = 0.2
LARGEST_TEXT = 0.6


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
        Whether the axes are of the width of one column, so that lines of text must break.
    """

    ax: Axes
    size: float
    line: float
    narrow: bool

    @classmethod
    def on(cls, ax: Axes | None, figsize: tuple[float, float]) -> Canvas:
        """Prepare the axes given, or those of a new figure."""
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
        return cls(ax, size, 1.5 if narrow else 1.9, narrow)

    @property
    def ink(self) -> Any:
        """The colour of the text on these axes."""
        return self.ax.xaxis.label.get_color()

    @property
    def first_style(self) -> int:
        """How many models are on the axes already, so that the next one looks different."""
        drawn = [line.get_color() for line in self.ax.lines]
        return len({colour for colour in drawn if isinstance(colour, str) and colour in COLOURS})

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
        how = {"linewidth": self.line, "zorder": 3.0, **more}
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

    def leave_room(self, above: float, below: float = 0.0, *, from_zero: bool = False) -> None:
        """Fit y to what is drawn, with room for so many lines of text above and below it."""
        ax = self.ax
        ax.relim()
        ax.autoscale(enable=True, axis="y")
        ax.autoscale_view(scalex=False)
        low, high = ax.get_ylim()
        low = 0.0 if from_zero else low
        top, bottom = self._share_of_height(above), self._share_of_height(below)
        unit = (high - low) / max(1 - top - bottom, 1 - LARGEST_TEXT)
        ax.set_ylim(low - bottom * unit, high + top * unit)

    def clear_corner(self, lines: float) -> None:
        """Raise the top of y until the upper right corner is free for so many lines of text."""
        low, high = self.ax.get_ylim()
        reached = [
            float(y)
            for line in self.ax.lines
            for x, y in np.column_stack([line.get_xdata(), line.get_ydata()])
            if x > LEFT_OF_THE_CORNER
        ]
        free = 1 - self._share_of_height(lines)
        self.ax.set_ylim(low, max(high, low + (max(reached, default=low) - low) / free))

    def _share_of_height(self, lines: float) -> float:
        points = self.ax.bbox.height / self.ax.figure.dpi * 72
        return float(min(lines * self.size * 1.5 / points, LARGEST_TEXT))

    def once(self, label: str) -> str:
        """Return the label, or one that stays out of the legend when it is there already."""
        _, labels = self.ax.get_legend_handles_labels()
        return "_nolegend_" if label in labels else label

    def note(self, text: str, xy: tuple[float, float], **how: Any) -> None:
        """Write next to a point, with a halo so that lines behind do not disturb."""
        from matplotlib.patheffects import withStroke

        halo = withStroke(linewidth=2.5, foreground=self.ax.get_facecolor())
        self.ax.annotate(
            text,
            xy,
            **{
                "xytext": (5, 0),
                "textcoords": "offset points",
                "va": "center",
                "fontsize": self.size,
                "path_effects": [halo],
                "zorder": 4.5,
                **how,
            },
        )

    def legend(
        self, title: str, loc: Any = "best", *, columns: int = 1, tall: bool = False
    ) -> None:
        """Draw the legend, headed by what the picture stands on.

        Where the empty corner is `tall`, the head breaks into lines on narrow axes.
        """
        before = self.ax.get_legend()
        heads = before.get_title().get_text().split("\n") if before else []
        shown = title.replace(", ", "\n", 1) if self.narrow and tall else title
        heads = list(dict.fromkeys([*heads, *shown.split("\n")]))
        legend = self.ax.legend(
            title="\n".join(heads),
            loc=loc,
            fontsize=self.size,
            title_fontsize=self.size,
            alignment="left",
            frameon=True,
            framealpha=0.9,
            edgecolor="none",
            handlelength=2.2 if self.narrow else 2.8,
            handletextpad=0.6,
            columnspacing=1.2,
            ncols=columns,
            labelspacing=0.35,
        )
        legend.set_zorder(5)


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
