"""A chart drawn with matplotlib, on the axes given or on new ones."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

import numpy as np

from capcurve.show import PICTURES
from capcurve.show.chart import (
    AREAS,
    BANDS,
    GREY,
    GUIDES,
    REFERENCES,
    SCORES,
    TEXT_INK,
    THIN,
    Area,
    Axis,
    Bars,
    Chart,
    Dashes,
    Line,
    Marker,
    ScoreTicks,
)
from capcurve.show.format import amount, cut_lines, stated_percent, tick, writable
from capcurve.show.legends import LEAST_KEPT, Drawn, Panel, fit_title, place_legend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from capcurve.numbers.types import Floats

SQUARE = (5.6, 5.4)
FIGURE_SIZE, FLAT_SIZE = (6.4, 4.2), (6.4, 1.6)
# Axes in units, not in shares.
ABSOLUTE = frozenset({"amount", "money"})
# In widths of a letter, and in heights of a line of text.
WIDTH_OF_A_LETTER = 0.62
LINE_OF_TICKS = 1.2
NEAREST_TICK, A_LETTER = 0.04, 0.014
FROM_THE_LEFT = "\u200e"
DOTS_PER_INCH = 200
# Without dates in them, equal pictures are equal files.
NO_DATES: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
# What formats call the description of what is in them.
DESCRIPTION = {".svg": "Description", ".pdf": "Subject", ".png": "Description"}
# So many letters of a title stand on one line.
LONGEST_LINE = 44
# Points of a CAP have most room above them on the left, then below them on the right.
LABEL_PLACES: tuple[dict[str, Any], ...] = (
    {"xytext": (-4, 4), "ha": "right", "va": "bottom"},
    {"xytext": (4, -4), "ha": "left", "va": "top"},
    {"xytext": (0, 5), "ha": "center", "va": "bottom"},
    {"xytext": (0, -5), "ha": "center", "va": "top"},
)


def literal(name: str) -> str:
    """Keep matplotlib from reading dollar signs as formulas, or a first underscore as "hide"."""
    # Names written from right to left are marked off, or the numbers beside them would move.
    shown = name.replace("$", r"\$")
    if any(bidirectional(letter) in {"R", "AL"} for letter in shown):
        return f"{FROM_THE_LEFT}{shown}{FROM_THE_LEFT}"
    return f" {shown}" if shown.startswith("_") else shown


class Canvas(Panel):
    """Axes on which a chart is drawn."""

    __slots__ = ()

    @property
    def ink(self) -> Any:
        """The colour of the text on these axes."""
        return self.ax.xaxis.label.get_color()

    @property
    def first_style(self) -> int:
        """How many scores are on the axes already, so that the next one looks different."""
        return sum(1 for line in self.ax.lines if line.get_zorder() == SCORES)

    def draw(
        self, chart: Chart, title: str | None = None, look: Mapping[str, Any] | None = None
    ) -> Axes:
        """Draw a chart and return its axes; `look` has keywords of the lines of its scores."""
        for band in chart.bands:
            faint = chart.outlined or band.colour == GREY
            self.ax.fill_between(
                band.x,
                band.low,
                band.high,
                facecolor=(band.colour, 0.09 if faint else 0.18),
                edgecolor=(band.colour, 0.6),
                linewidth=THIN * self.line if chart.outlined else 0,
                label=band.label,
                zorder=BANDS,
            )
        for line in chart.lines:
            self._line(line, look if look and line.level == SCORES else {})
        for area in chart.areas:
            self._area(area)
        for bars in chart.bars:
            self._bars(bars)
        self._axes(chart)
        if chart.flat:
            self.ax.set_yticks([])
        if title is not None:
            self.ax.set_title(title)
        for text, x, y in chart.above:
            self._above(text, (x, y))
        place_legend(self, chart.head, chart.corner, columns=chart.columns, rising=chart.rising)
        fit_title(self.ax)
        for text, x, y in chart.numbers:
            self._note(text, (x, y))
        return self.ax

    def _line(self, line: Line, look: Mapping[str, Any]) -> None:
        points = np.column_stack([line.x, line.y])
        drawn = (np.array_equal(other.get_xydata(), points) for other in self.ax.lines)
        if line.level == REFERENCES and any(drawn):
            return
        usual = {
            "color": self.ink if line.style.colour == TEXT_INK else line.style.colour,
            "linestyle": _pattern(line.style.dashes) if line.width else "none",
            "linewidth": self.line * (line.width or 1.0),
            "alpha": line.opacity,
            "label": self._entry(line.label, shared=line.shared),
            "zorder": line.level,
            "solid_capstyle": "butt" if line.level == GUIDES else None,
            "drawstyle": "default" if line.steps == "default" else f"steps-{line.steps}",
        }
        marker = {} if line.marker is None else self._marks(line.marker)
        self.ax.plot(line.x, line.y, **{**usual, **marker, **look})

    def _marks(self, marker: Marker) -> dict[str, Any]:
        how: dict[str, Any] = {"marker": marker.shape, "markersize": marker.size * self.size}
        if marker.at is not None:
            how["markevery"] = list(marker.at)
        if marker.hollow:
            how["markerfacecolor"] = self.ax.get_facecolor()
        if marker.edge is not None:
            how["markeredgewidth"] = marker.edge * self.line
        return how

    def _entry(self, label: str, *, shared: bool = True) -> str:
        """Return a label, or one that stays out of the legend where it is there already."""
        _, labels = self.ax.get_legend_handles_labels()
        return "_nolegend_" if not label or (shared and label in labels) else label

    def _area(self, area: Area) -> None:
        colour = self.ink if area.colour == TEXT_INK else area.colour
        look: dict[str, Any] = {"color": colour, "alpha": area.opacity, "lw": 0, "zorder": AREAS}
        self.ax.fill(area.x, area.y, label=self._entry(area.label), **look)
        if area.letter is not None:
            letter, x, y = area.letter
            how: dict[str, Any] = {"fontsize": self.size, "weight": "bold", "zorder": 4.5}
            self.ax.annotate(letter, (x, y), ha="center", va="center", **how)

    def _bars(self, bars: Bars) -> None:
        style = bars.style
        if bars.edges is not None:
            look: dict[str, Any] = {"fill": True, "color": self.ink, "alpha": 0.18, "lw": 0}
            if style is not None:
                look = {"color": style.colour, "linestyle": _pattern(style.dashes)}
                look |= {"lw": self.line, "zorder": SCORES}
            self.ax.stairs(bars.shares, bars.edges, label=bars.label, **look)
        elif bars.at is not None:
            look = {"color": self.ink, "alpha": 0.25}
            if style is not None:
                look = {"color": style.colour, "hatch": bars.hatch, "zorder": SCORES}
            look |= {"edgecolor": self.ax.get_facecolor(), "linewidth": 0.4, "label": bars.label}
            self.ax.bar(bars.at, bars.shares, bars.width, bottom=bars.base, **look)
            self.ax.grid(visible=False, axis="x")
            self._whiskers(bars)

    def _whiskers(self, bars: Bars) -> None:
        """Draw what chance leaves of each bar."""
        if bars.at is None or bars.low is None or bars.high is None:
            return
        middle, half = (bars.low + bars.high) / 2, (bars.high - bars.low) / 2
        look: dict[str, Any] = {"ecolor": self.ink, "elinewidth": 0.6 * self.line, "zorder": GUIDES}
        self.ax.errorbar(bars.at, middle, half, fmt="none", capsize=0.35 * self.size, **look)

    def _axes(self, chart: Chart) -> None:
        ax = self.ax
        ax.set_xlabel(chart.x.title, fontsize=self.size * 1.05)
        ax.set_ylabel(chart.y.title, fontsize=self.size * 1.05)
        if chart.x.kind in ABSOLUTE:
            ax.set_xlim(0, 1.01 * max(chart.x.whole or 0.0, ax.dataLim.x1))
        elif chart.x.whole is not None:
            ax.set_xlim(0, 1.01)
            ax.set_xticks(np.linspace(0, 1, 6))
        if chart.x.ends is not None:
            ax.set_xlim(chart.x.ends)
        if chart.y.ends is not None:
            ax.set_ylim(chart.y.ends)
        elif chart.y.whole is None:
            self._fit_height(from_zero=chart.y.from_zero)
        elif chart.y.kind in ABSOLUTE:
            ax.set_ylim(0, 1.03 * max(chart.y.whole, ax.dataLim.y1))
        elif chart.y.kind == "percent":
            ax.set_ylim(0, 1.02)
            ax.set_yticks(np.linspace(0, 1, 6))
        self._write_ticks(chart.x, ax.xaxis)
        self._write_ticks(chart.y, ax.yaxis)
        if chart.y.heights:
            self._ticks_at_heights(chart.x, chart.y)
        if chart.scores is not None:
            self._scores(chart.scores)

    def _write_ticks(self, axis: Axis, ticks: Any) -> None:
        from matplotlib.ticker import AutoLocator, FuncFormatter, MaxNLocator

        if axis.kind == "score":
            return
        if axis.kind in {"amount", "rank"}:
            ticks.set_major_locator(MaxNLocator(nbins=6, integer=True))
        # None beyond 1, where a legend may have its room.
        most = 1 if axis.kind in {"share", "gap"} else np.inf
        if isinstance(ticks.get_major_locator(), AutoLocator):  # none at 2.5%, 7.5%, ...
            ticks.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))
        ticks.set_major_formatter(
            FuncFormatter(lambda value, _: tick(axis.kind, value) if abs(value) <= most else "")
        )

    def _fit_height(self, *, from_zero: bool) -> None:
        self.ax.relim()
        self.ax.autoscale(enable=True, axis="y")
        self.ax.autoscale_view(scalex=False)
        if from_zero:
            self.ax.set_ylim(bottom=0)

    def _ticks_at_heights(self, x: Axis, y: Axis) -> None:
        """Tick the heights, top first, that leave room for their labels."""
        height = LEAST_KEPT * self.ax.bbox.height / self.ax.figure.dpi * 72
        width, top = x.whole or 1.0, y.whole or 1.0
        kept = list(y.heights[:1])
        for each in y.heights:
            if kept[-1] - each >= LINE_OF_TICKS * self.size / height * top:
                kept.append(each)
        write = stated_percent if y.kind == "percent" else amount
        self.ax.set_yticks(kept, list(map(write, kept)))
        self.ax.set_xlim(left=-0.05 * width)
        self.ax.set_ylim(bottom=-0.02 * top, top=1.06 * top)

    def _scores(self, scores: ScoreTicks) -> None:
        """Write names or numbers along x, as many as fit."""
        if scores.names is not None:
            self._names(scores.at, scores.names)
        elif scores.infinite:
            low, high = scores.at[0], scores.at[-1]
            marked = dict(scores.infinite)
            # Of long labels, such as "> 0.15", the next number is further away.
            far = (NEAREST_TICK + A_LETTER * max(map(len, marked.values()))) * (high - low)
            inside = [
                place
                for place in self.ax.get_xticks()
                if low <= place <= high and all(abs(place - each) > far for each in marked)
            ]
            names = [tick("number", place) for place in inside]
            self.ax.set_xticks([*inside, *marked], [*names, *marked.values()])

    def _names(self, at: Floats, names: Sequence[str]) -> None:
        """Write all names level, else all upright, else every second, third, ... of them."""
        width = self.ax.bbox.width / self.ax.figure.dpi * 72 / len(names)
        longest = max(len(line.strip()) for name in names for line in name.split("\n")) + 1
        upright = longest * WIDTH_OF_A_LETTER * self.size > width
        deep = 1.2 * self.size * max(name.count("\n") + 1 for name in names)
        each = int(np.ceil(deep / width)) if upright else 1
        self.ax.set_xticks(at[::each], names[::each], rotation=90 if upright else 0)

    def _above(self, text: str, xy: tuple[float, float]) -> None:
        how: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": self.size, **self._halo}
        self.ax.annotate(text, xy, xytext=(0, 3), textcoords="offset points", **how)

    @property
    def _halo(self) -> dict[str, Any]:
        """What keeps text readable that stands on lines."""
        from matplotlib.patheffects import withStroke

        around = withStroke(linewidth=2.5, foreground=self.ax.get_facecolor())
        return {"path_effects": [around], "zorder": 4.5}

    def _note(self, text: str, xy: tuple[float, float]) -> None:
        """Write next to a point where nothing is covered; without such a place, nowhere."""
        drawn = Drawn.on(self.ax)
        for place in LABEL_PLACES:
            how: dict[str, Any] = {**self._halo, **place}
            note = self.ax.annotate(text, xy, textcoords="offset points", fontsize=self.size, **how)
            where = note.get_window_extent()
            if not drawn.crossed_by(where) and where.x0 > self.ax.bbox.x0:
                return
            note.remove()


def _pattern(dashes: Dashes) -> str | tuple[float, Dashes]:
    return (0, dashes) if dashes else "-"


@contextmanager
def drawing(ax: Axes | None, figsize: tuple[float, float]) -> Iterator[Canvas]:
    """Draw on the axes given or on new ones, whose figure is closed again when it fails."""
    if ax is not None and not hasattr(ax, "transAxes"):
        raise TypeError(f"ax must be axes of matplotlib, got {type(ax).__name__}")
    canvas = Canvas.on(ax, figsize)
    try:
        yield canvas
    except BaseException:
        if ax is None:
            import matplotlib.pyplot as plt

            plt.close(canvas.ax.figure)  # type: ignore[arg-type]  # made by new_axes
        raise


def save_picture(axes: Axes, path: Path, *, title: str = "", source: str = "") -> None:
    """Write the figure of the axes as its suffix says, and let go of it."""
    # With a title above the axes and a source below them, both also among the file's properties.
    import matplotlib as mpl
    import matplotlib.pyplot as plt
    from matplotlib.text import Text

    suffix = path.suffix.lower()
    if suffix not in PICTURES:
        raise ValueError(f"{path.name}: a picture is written as {', '.join(PICTURES)}")
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes belong to no figure")
    try:
        if title and len(figure.axes) > 1:
            figure.suptitle(literal(title), fontweight="bold")
        elif title:
            axes.set_title(fill(literal(title), LONGEST_LINE), loc="left", fontweight="bold")
        if source:
            note = fill(literal(source), LONGEST_LINE * 2)
            figure.text(0.01, -0.01, note, va="top", fontsize="x-small", alpha=0.8)
        for text in figure.findobj(Text):
            text.set_text(writable(text.get_text()))
        with mpl.rc_context({"svg.hashsalt": "capcurve"}):  # else names inside are random
            said = {"Title": writable(title), DESCRIPTION[suffix]: writable(source)}
            about = {name: words for name, words in said.items() if words}
            how: dict[str, Any] = {"metadata": NO_DATES.get(suffix, {}) | about}
            # By way of memory: what writes a PDF does not close the file that it cannot write.
            drawn = BytesIO()
            figure.savefig(drawn, format=suffix[1:], dpi=DOTS_PER_INCH, bbox_inches="tight", **how)
        path.write_bytes(drawn.getvalue())
    finally:
        plt.close(figure)


def plot_chart(chart: Chart, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a chart on the axes given, or on new ones."""
    if chart.scores is not None and (names := chart.scores.names) is not None:
        shown = [literal(name) for name in cut_lines(names)]
        chart = replace(chart, scores=replace(chart.scores, names=shown))
    square = chart.x.kind == chart.y.kind == "percent"
    with drawing(ax, FLAT_SIZE if chart.flat else SQUARE if square else FIGURE_SIZE) as canvas:
        return canvas.draw(chart, title)
