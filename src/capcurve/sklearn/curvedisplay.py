"""What all displays share: where their curves come from, and how they are drawn."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, Unpack

import numpy as np

from capcurve.counts import Ranking
from capcurve.counts.given import as_drawable
from capcurve.curves.shares import require, shares
from capcurve.input.counting import counts_by_score
from capcurve.plots.legends import Panel, new_axes, place_legend
from capcurve.sklearn.estimators import (
    check_folds,
    check_lengths,
    check_target,
    is_positive,
    picked,
    scores_of,
)
from capcurve.sklearn.lines import (
    Entries,
    as_list,
    check_same_length,
    curve_keywords,
    line_keywords,
)
from capcurve.sklearn.samples import counted, is_defined, positive_label
from capcurve.view.chart import model_style

# Of the axes, beyond all and nothing; in matplotlib's order of drawing, below lines; in points.
MARGIN, BEHIND, THIN = 0.01, 1.9, 1.0

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from capcurve.counts.types import Floats
    from capcurve.input.columns import ColumnLike

    Sums = Floats | list[Floats]


class PlotKeywords(TypedDict, total=False):
    """How a display is drawn; `plot` says what each means."""

    curve_kwargs: Mapping[str, Any] | list[Mapping[str, Any]] | None
    normalize_scale: bool
    plot_chance_level: bool
    chance_level_kwargs: Mapping[str, Any] | None
    plot_perfect: bool | None
    perfect_level_kwargs: Mapping[str, Any] | None
    despine: bool


class CurveDisplay:
    """A display of running numbers of cases and positives, one curve for each score or fold."""

    # The attribute that holds the number of each curve, and what the legend calls it.
    statistic: ClassVar[str]
    called: ClassVar[str]
    size: ClassVar[tuple[float, float]]
    corner: ClassVar[Literal["lower right", "upper right"]]
    chance_label: ClassVar[str]
    perfect_label: ClassVar[str]
    shows_perfect: ClassVar[bool] = False
    # Whether y goes as far as x does, to all there is.
    is_square: ClassVar[bool] = False

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
    def value_of(counts: Ranking) -> float:
        """Return the number that the legend shows."""
        raise NotImplementedError

    @staticmethod
    def titles(*, normalize_scale: bool) -> tuple[str, str]:
        """Return what the axes show."""
        raise NotImplementedError

    @staticmethod
    def points(cases: Floats, positives: Floats, *, normalize_scale: bool) -> tuple[Floats, Floats]:
        """Return the curve of running cases and positives."""
        raise NotImplementedError

    @staticmethod
    def mark(heights: Floats) -> dict[str, Any]:
        """Return how to mark a point of a single curve."""
        del heights
        return {}

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: ColumnLike,
        *,
        sample_weight: ColumnLike = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot: Unpack[PlotKeywords],
    ) -> Self:
        """Draw the curve of a fitted classifier on these rows.

        Parameters
        ----------
        estimator
            A fitted classifier of two classes, or a pipeline that ends in one.
        X
            Rows to score.
        y
            Their labels.
        sample_weight
            Weight of each row, zero or more.
        response_method
            "predict_proba", "decision_function", or "auto": the first of these that there is.
        pos_label
            The positive class; `estimator.classes_[1]` when left out.
        name
            What the legend calls the curve; the class of the estimator when left out.
        ax
            Where to draw; a new figure when left out.
        **plot
            As in `plot`: curve_kwargs, normalize_scale, plot_chance_level, ...

        Returns
        -------
        CurveDisplay
            A display of this class, drawn.

        Raises
        ------
        ValueError
            For a regressor, for more than two classes, and for rows that cannot be counted.
        """
        y_score, positive = scores_of(estimator, X, response_method, pos_label)
        return cls.from_predictions(
            y,
            y_score,
            sample_weight=sample_weight,
            pos_label=positive,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **plot,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ColumnLike,
        y_score: ColumnLike,
        *,
        sample_weight: ColumnLike = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **plot: Unpack[PlotKeywords],
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true
            Labels of two classes, shape (n,).
        y_score
            Probability of the positive class, or decision values, shape (n,).
        sample_weight
            Weight of each row, zero or more.
        pos_label
            The positive class; may be left out when labels are 0/1, -1/1 or booleans.
        name
            What the legend calls the curve; "Classifier" when left out.
        ax
            Where to draw; a new figure when left out.
        **plot
            As in `plot`: curve_kwargs, normalize_scale, plot_chance_level, ...

        Returns
        -------
        CurveDisplay
            A display of this class, drawn.

        Raises
        ------
        ValueError
            For more than two classes, for labels that need `pos_label`, and for rows that cannot
            be counted.
        """
        check_target(y_true)
        check_lengths(y_true, y_score, sample_weight)
        positive = positive_label(y_true, pos_label)
        counts = counted(y_true, y_score, sample_weight, positive)
        made = cls._of([counts], "Classifier" if name is None else name, positive)
        return made.plot(ax, **plot)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803 - scikit-learn's name
        y: ColumnLike,
        *,
        sample_weight: ColumnLike = None,
        response_method: str = "auto",
        pos_label: object = None,
        name: str | list[str] | None = None,
        ax: Axes | None = None,
        **plot: Unpack[PlotKeywords],
    ) -> Self:
        """Draw a curve for each fold of a cross-validation, of the rows left out of it.

        Parameters
        ----------
        cv_results
            Result of `cross_validate` with `return_estimator=True` and `return_indices=True`.
        X, y, sample_weight
            The rows that were given to it, their labels and weights.
        response_method
            "predict_proba", "decision_function", or "auto": the first of these that there is.
        pos_label
            The positive class; `classes_[1]` of the estimators when left out.
        name
            What the legend calls all folds, or a list of names.
        ax
            Where to draw; a new figure when left out.
        **plot
            As in `plot`: curve_kwargs, normalize_scale, plot_chance_level, ...

        Returns
        -------
        CurveDisplay
            A display of this class, drawn. A fold without cases of a class has no number.

        Raises
        ------
        ValueError
            When the results lack estimators or indices, or are not of these rows.
        """
        check_folds(cv_results, X)
        check_target(y, "`y`")
        check_lengths(X, y, sample_weight)
        folds, positive = [], pos_label
        tested = cv_results["indices"]["test"]
        for estimator, rows in zip(cv_results["estimator"], tested, strict=True):
            y_score, positive = scores_of(estimator, picked(X, rows), response_method, pos_label)
            weight = None if sample_weight is None else picked(sample_weight, rows)
            target = is_positive(picked(y, rows), positive)
            folds.append(counted(target, y_score, weight))
        return cls._of(folds, name, positive).plot(ax, **plot)

    @classmethod
    def from_counts(
        cls,
        counts: Ranking | Mapping[str, Ranking],
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **plot: Unpack[PlotKeywords],
    ) -> Self:
        """Draw the curve of counts, or of several as {name: counts}.

        Parameters
        ----------
        counts
            Result of `count_scores`, a mapping of names to such results, or an `Evaluation`.
        name
            What the legend calls the curve of one score.
        ax
            Where to draw; a new figure when left out.
        **plot
            As in `plot`: curve_kwargs, normalize_scale, plot_chance_level, ...

        Returns
        -------
        CurveDisplay
            A display of this class, drawn.

        Raises
        ------
        ValueError
            When there are no cases.
        """
        held = as_drawable(counts, f"{cls.__name__}.from_counts")
        if isinstance(held, Ranking):
            return cls._of([held], name, None).plot(ax, **plot)
        named = counts_by_score(held)
        if len(named) > 1 and plot.get("curve_kwargs") is None:
            plot["curve_kwargs"] = [_look(position) for position in range(len(named))]
        names = list(named) if name is None else name
        return cls._of(list(named.values()), names, None).plot(ax, **plot)

    @classmethod
    def _of(cls, counts: list[Any], name: str | list[str] | None, pos_label: object) -> Self:
        """Return the display of these counts, not yet drawn."""
        sums = []
        for each in counts:
            require(each)
            sums.append(shares(each.vertices))
        values = [cls.value_of(each) if is_defined(each, cls.called) else np.nan for each in counts]
        data: dict[str, list[Any]] = {
            "cumulative_total": [each.cases.sums for each in sums],
            "y_true_cumulative": [each.positives.sums for each in sums],
            cls.statistic: values,
        }
        given = data if len(counts) > 1 else {key: column[0] for key, column in data.items()}
        return cls(**given, name=name, pos_label=pos_label)

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
        entries = Entries(len(cases), names, values, self.called)
        looks = curve_keywords(entries, curve_kwargs)
        self._draw_curves(cases, positives, looks, normalize_scale=normalize_scale)
        n, n1 = (float(np.mean([sums[-1] for sums in each])) for each in (cases, positives))
        chance = np.array([0, n]), np.array([0, n1])
        perfect = np.array([0, n1, n]), np.array([0, n1, n1])
        shows_perfect = self.shows_perfect if plot_perfect is None else plot_perfect
        references = (
            (plot_chance_level, chance, self.chance_label, "--", chance_level_kwargs),
            (shows_perfect, perfect, self.perfect_label, ":", perfect_level_kwargs),
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
            x, y = self.points(total, found, normalize_scale=normalize_scale)
            mark = self.mark(y) if len(looks) == 1 else {}
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
        x, y = self.points(*sums, normalize_scale=normalize_scale)
        return self.ax_.plot(x, y, **line_keywords(usual, given))[0]

    def _finish_axes(self, n: float, n1: float, *, normalize_scale: bool, despine: bool) -> None:
        """Name the axes, set how far they go, and draw the legend."""
        from matplotlib.ticker import PercentFormatter, StrMethodFormatter

        ax, x_title, y_title = self.ax_, *self.titles(normalize_scale=normalize_scale)
        label = "" if self.pos_label is None else f"(positive label: {self.pos_label})"
        between = " " if self.is_square else "\n"
        ax.set(xlabel=x_title, ylabel=f"{y_title}{between}{label}".rstrip())
        width, height = (1.0, 1.0) if normalize_scale else (n, n1)
        ticks = PercentFormatter(1) if normalize_scale else StrMethodFormatter("{x:,.10g}")
        ax.xaxis.set_major_formatter(ticks)
        ends = {"bottom": width}
        ax.set_xlim(-MARGIN * width, (1 + MARGIN) * width)
        if self.is_square:
            ax.set_ylim(-MARGIN * height, (1 + MARGIN) * height)
            ends["left"] = height
            ax.yaxis.set_major_formatter(copy(ticks))
        if self.is_square and normalize_scale:
            ax.set_aspect("equal")
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
            for side, end in ends.items():
                ax.spines[side].set_bounds(0, end)
        if ax.get_legend_handles_labels()[1]:
            self._draw_legend()

    def _draw_legend(self) -> None:
        """Draw the legend: in a figure of our own, where it covers nothing."""
        import matplotlib as mpl

        if not self._own:
            self.ax_.legend(loc=self.corner)
            return
        size = 0.9 * mpl.rcParams["font.size"]
        panel = Panel(self.ax_, size, mpl.rcParams["lines.linewidth"], narrow=False, own=True)
        place_legend(panel, "", self.corner, rising=not self.is_square)

    def _validate_plot_params(
        self, *, ax: Axes | None, name: str | list[str] | None
    ) -> tuple[list[Floats], list[Floats], list[float] | None, list[str] | None]:
        """Find the axes, and return the data as lists: one of each for every curve."""
        cases, positives = as_list(self.cumulative_total), as_list(self.y_true_cumulative)
        values = as_list(getattr(self, self.statistic))
        names = as_list(self.name if name is None else name)
        check_same_length(
            type(self).__name__,
            {"self.cumulative_total": cases, "self.y_true_cumulative": positives},
            {
                f"self.{self.statistic}": values,
                "'name' (or self.name)": None if names and len(names) == 1 else names,
            },
        )
        self._own = ax is None
        self.ax_ = new_axes(self.size) if ax is None else ax
        self.figure_ = self.ax_.figure
        return cases, positives, values, names


def _look(position: int) -> dict[str, Any]:
    """Return the look of the score at this position: its colour and its dashes are its own."""
    style = model_style(position)
    dashes = (0, style.dashes) if style.dashes else "-"
    return {"color": style.colour, "linestyle": dashes, "alpha": 1}
