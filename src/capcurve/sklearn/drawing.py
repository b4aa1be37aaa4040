"""How a display draws its curves, and the lines of a random and a perfect score."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict

import numpy as np

from capcurve.show.legends import Panel, fit_title, new_axes, place_legend
from capcurve.sklearn.lines import (
    Entries,
    as_curves,
    as_list,
    check_same_length,
    curve_keywords,
    line_keywords,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from capcurve.counts import Ranking
    from capcurve.counts.types import Floats

    Sums = Floats | list[Floats]

# Of the axes, beyond all and nothing; in matplotlib's order of drawing, below lines; in points.
MARGIN, BEHIND, THIN = 0.01, 1.9, 1.0


class PlotKeywords(TypedDict, total=False):
    """How a display is drawn; `plot` says what each means."""

    curve_kwargs: Mapping[str, Any] | list[Mapping[str, Any]] | None
    normalize_scale: bool
    plot_chance_level: bool
    chance_level_kwargs: Mapping[str, Any] | None
    plot_perfect: bool | None
    perfect_level_kwargs: Mapping[str, Any] | None
    despine: bool


class DrawnCurves:
    """A display of running numbers of cases and positives, one curve for each score or fold."""

    # The attribute that holds the number of each curve, and what the legend calls it.
    _statistic: ClassVar[str]
    _called: ClassVar[str]
    _size: ClassVar[tuple[float, float]]
    _corner: ClassVar[Literal["lower right", "upper right"]]
    _chance_label: ClassVar[str]
    _perfect_label: ClassVar[str]
    _shows_perfect: ClassVar[bool] = False
    # Whether y goes as far as x does, to all there is.
    _is_square: ClassVar[bool] = False

    def __init__(
        self,
        cumulative_total: Sums,
        y_true_cumulative: Sums,
        name: str | list[str] | None = None,
        pos_label: object = None,
    ) -> None:
        self.cumulative_total = cumulative_total
        self.y_true_cumulative = y_true_cumulative
        self.name = name
        self.pos_label = pos_label

    @staticmethod
    def _value_of(counts: Ranking) -> float:
        """Return the number that the legend shows."""
        raise NotImplementedError

    @staticmethod
    def _titles(*, normalize_scale: bool) -> tuple[str, str]:
        """Return what the axes show."""
        raise NotImplementedError

    @staticmethod
    def _points(
        cases: Floats, positives: Floats, *, normalize_scale: bool
    ) -> tuple[Floats, Floats]:
        """Return the curve of running cases and positives."""
        raise NotImplementedError

    @staticmethod
    def _mark(heights: Floats) -> dict[str, Any]:
        """Return how to mark a point of a single curve."""
        del heights
        return {}

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | list[str] | None = None,
        curve_kwargs: Mapping[str, Any] | list[Mapping[str, Any]] | None = None,
        normalize_scale: bool = True,
        plot_chance_level: bool = True,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        plot_perfect: bool | None = None,
        perfect_level_kwargs: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, with the lines that a random and a perfect score would have.

        Parameters
        ----------
        ax
            Where to draw; a new figure when left out.
        name
            What the legend calls the curves; the display's own `name` when left out.
        curve_kwargs
            Keywords of matplotlib's lines: one dictionary for all curves, which then share an
            entry in the legend, or a list with one for each.
        normalize_scale
            Shares on the axes; False for numbers of cases.
        plot_chance_level
            Whether to draw what a score without information has on average.
        chance_level_kwargs
            Keywords of that line.
        plot_perfect
            Whether to draw what a score has that puts every positive first; left out, only a CAP
            shows it. Of several curves, that of their mean numbers of cases and positives.
        perfect_level_kwargs
            Keywords of that line.
        despine
            Whether to leave out the lines at the top and on the right.

        Returns
        -------
        CurveDisplay
            The display itself, with `line_`, `chance_level_`, `perfect_level_`, `ax_`, `figure_`.
        """
        cases, positives, values, names = self._validate_plot_params(ax=ax, name=name)
        entries = Entries(len(cases), names, values, self._called)
        looks = curve_keywords(entries, curve_kwargs)
        self._draw_curves(cases, positives, looks, normalize_scale=normalize_scale)
        n, n1 = (float(np.mean([sums[-1] for sums in each])) for each in (cases, positives))
        chance = np.array([0, n]), np.array([0, n1])
        perfect = np.array([0, n1, n]), np.array([0, n1, n1])
        shows_perfect = self._shows_perfect if plot_perfect is None else plot_perfect
        references = (
            (plot_chance_level, chance, self._chance_label, "--", chance_level_kwargs),
            (shows_perfect, perfect, self._perfect_label, ":", perfect_level_kwargs),
        )
        self.chance_level_, self.perfect_level_ = (
            self._draw_reference(sums, label, dashes, given, normalize_scale=normalize_scale)
            if shown
            else None
            for shown, sums, label, dashes, given in references
        )
        self._finish_axes(n, n1, normalize_scale=normalize_scale, despine=despine)
        return self

    def _draw_curves(
        self,
        cases: list[Floats],
        positives: list[Floats],
        looks: list[dict[str, Any]],
        *,
        normalize_scale: bool,
    ) -> None:
        lines = []
        for total, found, look in zip(cases, positives, looks, strict=True):
            x, y = self._points(total, found, normalize_scale=normalize_scale)
            mark = self._mark(y) if len(looks) == 1 else {}
            lines += self.ax_.plot(x, y, **{**mark, **look})
        self.line_ = lines if len(lines) > 1 else lines[0]

    def _draw_reference(
        self,
        sums: tuple[Floats, Floats],
        label: str,
        dashes: str,
        given: Mapping[str, Any] | None,
        *,
        normalize_scale: bool,
    ) -> Any:
        """Draw a line to compare with and return it."""
        known = label in self.ax_.get_legend_handles_labels()[1]  # on axes that show another score
        usual = {"color": "k", "linestyle": dashes, "linewidth": THIN, "zorder": BEHIND}
        usual["label"] = None if known else label
        x, y = self._points(*sums, normalize_scale=normalize_scale)
        return self.ax_.plot(x, y, **line_keywords(usual, given))[0]

    def _finish_axes(self, n: float, n1: float, *, normalize_scale: bool, despine: bool) -> None:
        """Name the axes, set how far they go, and draw the legend."""
        from matplotlib.ticker import PercentFormatter, StrMethodFormatter

        ax, x_title, y_title = self.ax_, *self._titles(normalize_scale=normalize_scale)
        label = "" if self.pos_label is None else f"(positive label: {self.pos_label})"
        ax.set(xlabel=x_title, ylabel=f"{y_title} {label}".rstrip())
        width, height = (1.0, 1.0) if normalize_scale else (n, n1)
        ticks = PercentFormatter(1) if normalize_scale else StrMethodFormatter("{x:,.10g}")
        ax.xaxis.set_major_formatter(ticks)
        ends = {"bottom": width}
        ax.set_xlim(-MARGIN * width, (1 + MARGIN) * width)
        if self._is_square:
            ax.set_ylim(-MARGIN * height, (1 + MARGIN) * height)
            ends["left"] = height
            ax.yaxis.set_major_formatter(copy(ticks))
        if self._is_square and normalize_scale:
            ax.set_aspect("equal")
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
            for side, end in ends.items():
                ax.spines[side].set_bounds(0, end)
        if ax.get_legend_handles_labels()[1]:
            self._draw_legend()
        fit_title(ax)

    def _draw_legend(self) -> None:
        """Draw the legend where it covers nothing."""
        import matplotlib as mpl

        size = 0.9 * mpl.rcParams["font.size"]
        panel = Panel(self.ax_, size, mpl.rcParams["lines.linewidth"], narrow=False, own=self._own)
        place_legend(panel, "", self._corner, rising=not self._is_square)

    def _validate_plot_params(
        self, *, ax: Axes | None, name: str | list[str] | None
    ) -> tuple[list[Floats], list[Floats], list[float] | None, list[str] | None]:
        """Find the axes, and return the data as lists: one of each for every curve."""
        cases, positives = as_curves(self.cumulative_total), as_curves(self.y_true_cumulative)
        values = as_list(getattr(self, self._statistic))
        names = as_list(self.name if name is None else name)
        check_same_length(
            type(self).__name__,
            {"self.cumulative_total": cases, "self.y_true_cumulative": positives},
            {
                f"self.{self._statistic}": values,
                "'name' (or self.name)": None if names and len(names) == 1 else names,
            },
        )
        self._own = ax is None
        self.ax_ = new_axes(self._size) if ax is None else ax
        self.figure_ = self.ax_.figure
        return cases, positives, values, names
