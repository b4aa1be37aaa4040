"""How a display draws its curves, and the lines of a random and a perfect score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict

import numpy as np

from capcurve.inference.curve_band import fold_band
from capcurve.numbers.types import Floats
from capcurve.plots.charts import CASES_SELECTED
from capcurve.show.chart import BANDS, SCORES
from capcurve.show.legends import Panel, fit_title, new_axes, place_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the axes, beyond all and nothing; in matplotlib's order of drawing, below lines; in points.
AXES_MARGIN, BELOW_LINES, THIN_LINE = 0.01, 1.9, 1.0
SAME_LENGTH = "should all be lists of the same length"
Keywords = Mapping[str, Any]
Sums = Floats | list[Floats]
CurvePoints = tuple[Floats, Floats]


class PlotKeywords(TypedDict, total=False):
    """How a display is drawn; `plot` says what each means."""

    curve_kwargs: Mapping[str, Any] | list[Mapping[str, Any]] | None
    normalize_scale: bool
    plot_chance_level: bool
    chance_level_kwargs: Mapping[str, Any] | None
    plot_perfect: bool | None
    perfect_level_kwargs: Mapping[str, Any] | None
    mean: bool
    mean_kwargs: Mapping[str, Any] | None
    despine: bool


@dataclass(kw_only=True, eq=False, repr=False)
class DrawnCurves:
    """A display of running numbers of cases and positives, one curve for each score or fold."""

    # The metric whose number each curve has, in an attribute of its name, and how legends call it.
    _statistic: ClassVar[str]
    _called: ClassVar[str]
    # The title of the upright axis: of shares, and of numbers of cases.
    _heights: ClassVar[tuple[str, str]]
    _size: ClassVar[tuple[float, float]]
    _corner: ClassVar[Literal["lower right", "upper right"]]
    _chance_label: ClassVar[str]
    _perfect_label: ClassVar[str]
    _shows_perfect: ClassVar[bool] = False
    # Whether y goes as far as x does, to all there is.
    _is_square: ClassVar[bool] = False
    # Between which heights a curve lies whatever the rows.
    _ends: ClassVar[tuple[float, float]] = (0.0, 1.0)

    cumulative_total: Sums
    y_true_cumulative: Sums
    name: str | list[str] | None = None
    pos_label: object = None

    @staticmethod
    def _points(cases: Floats, positives: Floats, *, normalize_scale: bool) -> CurvePoints:
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
        mean: bool = False,
        mean_kwargs: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, with the lines that a random and a perfect score would have.

        Returns the display itself, with `line_`, `chance_level_`, `perfect_level_`, `mean_`,
        `band_`, `ax_`, `figure_`. Raises `ValueError` where a mean is asked of fewer than 3 folds,
        of folds without both classes, or of numbers of cases.

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
        mean
            Whether to draw the mean of k folds at each share (vertical averaging, Fawcett 2006)
            and the 95% band mean ± t(k - 1) s/√k, with each fold thin behind them. Folds share
            training rows and so are not independent: for the performance of the model in general
            the band is too narrow (Bengio & Grandvalet 2004).
        mean_kwargs
            Keywords of the line of the mean, whose colour band and folds share.
        despine
            Whether to leave out the lines at the top and on the right.
        """
        cases, positives, values, names = self._validate_plot_params(ax=ax, name=name)
        entries = Entries(len(cases), names, values, self._called)
        curve = partial(self._points, normalize_scale=normalize_scale)
        points = [curve(total, found) for total, found in zip(cases, positives, strict=True)]
        self.mean_: Any = None
        self.band_: Any = None
        colour = None
        if mean:
            check_averaged(cases, positives, normalize_scale=normalize_scale)
            colour = self._draw_mean(points, mean_label(entries), mean_kwargs)
        looks = curve_keywords(entries, curve_kwargs, colour)
        lines: list[Any] = []
        for (x, y), look in zip(points, looks, strict=True):
            mark = self._mark(y) if len(looks) == 1 else {}
            lines += self.ax_.plot(x, y, **{**mark, **look})
        self.line_: Any = lines if len(lines) > 1 else lines[0]
        n, n1 = (float(np.mean([sums[-1] for sums in each])) for each in (cases, positives))
        chance = np.array([0, n]), np.array([0, n1])
        perfect = np.array([0, n1, n]), np.array([0, n1, n1])
        self.chance_level_: Any = None
        self.perfect_level_: Any = None
        if plot_chance_level:
            line = curve(*chance), self._chance_label, "--"
            self.chance_level_ = self._draw_reference(*line, chance_level_kwargs)
        if self._shows_perfect if plot_perfect is None else plot_perfect:
            line = curve(*perfect), self._perfect_label, ":"
            self.perfect_level_ = self._draw_reference(*line, perfect_level_kwargs)
        self._finish_axes(n, n1, normalize_scale=normalize_scale, despine=despine)
        return self

    def _draw_mean(self, points: list[CurvePoints], label: str, given: Keywords | None) -> Any:
        """Draw the mean of the folds and the band over them, and return their colour."""
        band = fold_band(points, ends=self._ends)
        usual = {"label": label, "zorder": SCORES}
        self.mean_ = self.ax_.plot(band.q, band.estimate, **line_keywords(usual, given))[0]
        colour = self.mean_.get_color()
        how: Any = {"color": colour, "alpha": 0.2, "linewidth": 0, "zorder": BANDS}
        shade = "95% band of the mean"
        self.band_ = self.ax_.fill_between(band.q, band.low, band.high, label=shade, **how)
        return colour

    def _draw_reference(
        self, points: CurvePoints, label: str, dash: str, given: Keywords | None
    ) -> Any:
        known = label in self.ax_.get_legend_handles_labels()[1]  # on axes that show another score
        usual = {"color": "k", "linestyle": dash, "linewidth": THIN_LINE, "zorder": BELOW_LINES}
        usual["label"] = None if known else label
        return self.ax_.plot(*points, **line_keywords(usual, given))[0]

    def _finish_axes(self, n: float, n1: float, *, normalize_scale: bool, despine: bool) -> None:
        import matplotlib as mpl
        from matplotlib.ticker import PercentFormatter, StrMethodFormatter

        ax, y_title = self.ax_, self._heights[0 if normalize_scale else 1]
        label = "" if self.pos_label is None else f"(positive label: {self.pos_label})"
        x_title = CASES_SELECTED if normalize_scale else "Cases selected"
        ax.set(xlabel=x_title, ylabel=f"{y_title} {label}".rstrip())
        # Another display on these axes may go further.
        right, top = (1.0, 1.0) if normalize_scale else (max(n, ax.dataLim.x1), n1)
        top = max(top, ax.dataLim.y1)
        ticks = PercentFormatter(1) if normalize_scale else StrMethodFormatter("{x:,.10g}")
        ax.xaxis.set_major_formatter(ticks)
        ends = {"bottom": right}
        ax.set_xlim(-AXES_MARGIN * right, (1 + AXES_MARGIN) * right)
        if self._is_square:
            ax.set_ylim(-AXES_MARGIN * top, (1 + AXES_MARGIN) * top)
            ends["left"] = top
            ax.yaxis.set_major_formatter(copy(ticks))
        if self._is_square and normalize_scale:
            ax.set_aspect("equal")
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
            for side, end in ends.items():
                ax.spines[side].set_bounds(0, end)
        if ax.get_legend_handles_labels()[1]:
            size, width = 0.9 * mpl.rcParams["font.size"], mpl.rcParams["lines.linewidth"]
            panel = Panel(ax, size, width, narrow=False, own=self._own)
            place_legend(panel, "", self._corner, rising=not self._is_square)
        fit_title(ax)

    def _validate_plot_params(
        self, *, ax: Axes | None, name: str | list[str] | None
    ) -> tuple[list[Floats], list[Floats], list[float] | None, list[str] | None]:
        """Find the axes, and return the data as lists: one of each for every curve."""
        cases, positives = as_curves(self.cumulative_total), as_curves(self.y_true_cumulative)
        values = as_list(getattr(self, self._statistic))
        names = as_list(self.name if name is None else name)
        each = None if names and len(names) == 1 else names
        of_each = {"self.cumulative_total": cases, "self.y_true_cumulative": positives}
        beside = {f"self.{self._statistic}": values, "'name' (or self.name)": each}
        check_same_length(type(self).__name__, {**of_each, **beside})
        self._own = ax is None
        self.ax_: Any = new_axes(self._size) if ax is None else ax
        self.figure_: Any = self.ax_.figure
        return cases, positives, values, names


@dataclass(frozen=True, slots=True)
class Entries:
    """What is known of each curve: its name and its number, either of which may be left out."""

    size: int
    names: list[str] | None
    values: list[float] | None
    called: str  # what the number is called in the legend


def as_list(value: Any) -> Any:
    """Return a list of one or more, or None."""
    return value if value is None or isinstance(value, list) else [value]


def as_curves(value: Any) -> list[Any]:
    """Return a list of arrays, of one array or of several in a list.

    >>> as_curves([0, 1, 2])
    [array([0, 1, 2])]
    """
    several = isinstance(value, list) and all(np.ndim(each) for each in value)
    return [np.asarray(each) for each in (value if several else [value])]


def check_same_length(owner: str, lists: Mapping[str, Any]) -> None:
    """Raise ValueError when lists are not of one length; those left out are None."""
    lists = {name: each for name, each in lists.items() if each is not None}
    if len({len(each) for each in lists.values()}) == 1:
        return
    *first, last = lists
    found = ", ".join(f"{name}: {len(each)}" for name, each in lists.items())
    raise ValueError(
        f"{', '.join(first)} and {last} from `{owner}` initialization, {SAME_LENGTH}. Got: {found}"
    )


def legend_label(name: str | None, called: str, value: float | None, spread: float | None) -> Any:
    """Return what the legend says of a curve, or None where there is nothing to say.

    >>> legend_label("model", "AR", 0.5, None), legend_label(None, "AR", 0.5, 0.125)
    ('model (AR = 0.50)', 'AR = 0.50 +/- 0.12')
    """
    if value is None:
        return name
    number = f"{called} = {value:.2f}" + ("" if spread is None else f" +/- {spread:.2f}")
    return number if name is None else f"{name} ({number})"


def check_averaged(cases: list[Floats], positives: list[Floats], *, normalize_scale: bool) -> None:
    """Raise ValueError where folds have no curves along the same shares."""
    if not normalize_scale:
        raise ValueError("mean=True is in shares; leave out normalize_scale=False")
    for place, (total, found) in enumerate(zip(cases, positives, strict=True), 1):
        if not 0 < found[-1] < total[-1]:
            missing = "negatives" if found[-1] else "positives"
            raise ValueError(
                f"mean=True needs both classes in each fold, and fold {place} has no {missing}; "
                "split by StratifiedKFold, or leave it out"
            )


def mean_label(entries: Entries) -> Any:
    """Return what the legend says of the mean of folds."""
    names = entries.names or []
    of = f"{names[0]}, mean" if len(names) == 1 else "Mean"
    return legend_label(f"{of} of {entries.size} folds", entries.called, *spread(entries))


def spread(entries: Entries) -> tuple[float | None, float | None]:
    """Return mean and standard deviation of the numbers of all curves, if there are any."""
    if entries.values is None:
        return None, None
    return float(np.mean(entries.values)), float(np.std(entries.values))


def labels(entries: Entries, *, each: bool) -> list[str | None]:
    """Return a label for each curve, or one for all of them with mean and spread."""
    names: Sequence[str | None] = [None] if entries.names is None else entries.names
    names = list(names) * entries.size if len(names) == 1 else names
    values: Sequence[float | None] = entries.values or [None] * entries.size
    if each or entries.size == 1:
        pairs = zip(names, values, strict=True)
        return [legend_label(name, entries.called, value, None) for name, value in pairs]
    label = legend_label(names[0], entries.called, *spread(entries))
    return [label, *[None] * (entries.size - 1)]


def curve_keywords(
    entries: Entries, given: Keywords | list[Any] | None, behind: str | None = None
) -> list[dict[str, Any]]:
    """Return what to draw each curve with: our defaults, and what is given for all or each."""
    # `behind` is the colour of the mean that the curves stand behind.
    each = isinstance(given, list)
    if isinstance(given, list) and len(given) != entries.size:
        raise ValueError(
            f"`curve_kwargs` must be None, a dictionary or a list of length {entries.size}. "
            f"Got: {given}."
        )
    if entries.names is not None and len(entries.names) > 1 and not each:
        raise ValueError(
            "To avoid labeling individual curves that have the same appearance, `curve_kwargs` "
            f"should be a list of {entries.size} dictionaries. Alternatively, set `name` to `None` "
            "or a single string to label a single legend entry for all curves."
        )
    folds = {"alpha": 0.5, "linestyle": "--", "color": "blue"} if entries.size > 1 else {}
    if behind is not None:
        folds = {"alpha": 0.3, "linewidth": THIN_LINE, "color": behind}
    wanted = given if isinstance(given, list) else [given] * entries.size
    shared = [None] * entries.size if behind is not None and not each else None
    named = zip(shared or labels(entries, each=each), wanted, strict=True)
    return [line_keywords({"label": label, **folds}, mine) for label, mine in named]


def line_keywords(usual: Keywords, given: Keywords | None) -> dict[str, Any]:
    """Return the keywords of a line, each by its full name: "c" and "color" are one."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    try:
        return {**usual, **normalize_kwargs(dict(given or {}), Line2D)}
    except TypeError as error:
        raise TypeError(str(error).replace("'", "")) from None
