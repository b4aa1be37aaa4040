"""Where the curves of a display come from: a model, predictions, folds or counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from capcurve.counts import Ranking
from capcurve.counts.given import as_drawable, is_amounts
from capcurve.curves.shares import require, shares
from capcurve.input.count import counts_by_score
from capcurve.show.chart import model_style
from capcurve.sklearn.drawing import DrawnCurves, PlotKeywords
from capcurve.sklearn.estimators import (
    check_folds,
    check_lengths,
    check_target,
    is_positive,
    picked,
    scores_of,
)
from capcurve.sklearn.samples import counted, is_defined, positive_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from capcurve.input.columns import ColumnLike


class CurveDisplay(DrawnCurves):
    """A display of running numbers of cases and positives, one curve for each score or fold."""

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
        if is_amounts(held):
            raise TypeError(f"{cls.__name__} is about two classes; draw amounts with plot_cap")
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
        values = [
            cls._value_of(each) if is_defined(each, cls._called) else np.nan for each in counts
        ]
        data: dict[str, list[Any]] = {
            "cumulative_total": [each.cases.sums for each in sums],
            "y_true_cumulative": [each.positives.sums for each in sums],
            cls._statistic: values,
        }
        given = data if len(counts) > 1 else {key: column[0] for key, column in data.items()}
        return cls(**given, name=name, pos_label=pos_label)


def _look(position: int) -> dict[str, Any]:
    """Return the look of the score at this position: its colour and its dashes are its own."""
    style = model_style(position)
    dashes = (0, style.dashes) if style.dashes else "-"
    return {"color": style.colour, "linestyle": dashes, "alpha": 1}
