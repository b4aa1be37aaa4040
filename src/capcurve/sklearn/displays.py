"""The displays: the CAP, the lift, and the gap between the classes, whose maximum is KS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Unpack

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts import Ranking
from capcurve.curves.shares import held_shares
from capcurve.gate.given import as_drawable, is_amounts
from capcurve.input import counts_by_score
from capcurve.metrics import METRICS
from capcurve.plots.charts import CURVE_STEPS, first_share
from capcurve.show.canvas import FIGURE_SIZE, SQUARE
from capcurve.show.chart import model_style
from capcurve.sklearn.drawing import CurvePoints, DrawnCurves, PlotKeywords
from capcurve.sklearn.scores import (
    TOP_SHARE,
    counts_of_rows,
    has_both_classes,
    part,
    positive_label,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from capcurve.input.columns import ColumnLike
    from capcurve.numbers.types import Floats

TWO = 2
RESPONSE_METHODS = ("predict_proba", "decision_function")


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

        Raises `ValueError` for a regressor, for more than two classes, and for rows that cannot be
        counted.

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
        """
        y_score, positive = _scores_of(estimator, X, response_method, pos_label)
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

        Raises `ValueError` for more than two classes, for labels that need `pos_label`, and for
        rows that cannot be counted.

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
        ax, **plot
            As in `from_estimator`.
        """
        _check_target(y_true)
        part("sklearn.utils.check_consistent_length")(y_true, y_score, sample_weight)
        positive = positive_label(y_true, pos_label)
        counts = counts_of_rows(y_true, y_score, sample_weight, positive)
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

        A fold without cases of a class has no number. With `mean=True` their mean is drawn in front
        of them, with the band that `plot` describes. Raises `ValueError` when the results lack
        estimators or indices, or are not of these rows.

        Parameters
        ----------
        cv_results
            Result of `cross_validate` with `return_estimator=True` and `return_indices=True`.
        X, y, sample_weight
            The rows that were given to it, their labels and weights.
        pos_label
            The positive class; `classes_[1]` of the estimators when left out.
        name
            What the legend calls all folds, or a list of names.
        response_method, ax, **plot
            As in `from_estimator`.
        """
        _check_folds(cv_results, X)
        _check_target(y, "`y`")
        part("sklearn.utils.check_consistent_length")(X, y, sample_weight)
        folds, positive = [], pos_label
        tested = cv_results["indices"]["test"]
        for estimator, rows in zip(cv_results["estimator"], tested, strict=True):
            y_score, positive = _scores_of(estimator, _picked(X, rows), response_method, pos_label)
            weight = None if sample_weight is None else _picked(sample_weight, rows)
            # A fold may lack a class, so its labels cannot speak for themselves.
            labels = np.ravel(_picked(y, rows)).tolist()
            target = np.asarray([label == positive for label in labels], np.bool_)
            folds.append(counts_of_rows(target, y_score, weight))
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

        Raises `ValueError` when there are no cases.

        Parameters
        ----------
        counts
            Result of `count_scores`, a mapping of names to such results, or an `Evaluation`.
        name
            What the legend calls the curve of one score.
        ax, **plot
            As in `from_estimator`.
        """
        held = as_drawable(counts, f"{cls.__name__}.from_counts")
        if isinstance(held, Ranking):
            return cls._of([held], name, None).plot(ax, **plot)
        if is_amounts(held):
            raise TypeError(f"{cls.__name__} is about two classes; draw amounts with plot_cap")
        named = counts_by_score(held)
        names: Any = list(named) if name is None else name
        looks = plot.get("curve_kwargs")
        if plot.get("mean") and not isinstance(looks, list):
            names = name  # the mean alone is in the legend
        elif len(named) > 1 and looks is None:
            plot["curve_kwargs"] = [_look(position) for position in range(len(named))]
        return cls._of(list(named.values()), names, None).plot(ax, **plot)

    @classmethod
    def _of(cls, counts: list[Any], name: str | list[str] | None, pos_label: object) -> Self:
        """Return the display of these counts, not yet drawn."""
        sums = [held_shares(each)[1] for each in counts]
        metric = METRICS[cls._statistic]
        needed = {"q": TOP_SHARE} if metric.needs else {}
        values = [
            metric.value(each, **needed) if has_both_classes(each, cls._called) else np.nan
            for each in counts
        ]
        data: dict[str, list[Any]] = {
            "cumulative_total": [each.cases.sums for each in sums],
            "y_true_cumulative": [each.positives.sums for each in sums],
            cls._statistic: values,
        }
        given = data if len(counts) > 1 else {key: column[0] for key, column in data.items()}
        return cls(**given, name=name, pos_label=pos_label)


@dataclass(kw_only=True, eq=False, repr=False)
class CAPCurveDisplay(CurveDisplay):
    """The CAP: which share of all positives the top share of cases holds, with its accuracy ratio.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`.

    Parameters
    ----------
    cumulative_total
        Running number of cases, most likely positive first, from 0; a list of arrays for several
        curves.
    y_true_cumulative
        Running number of positives among them.
    accuracy_ratio
        Accuracy ratio of each curve, for the legend.
    name
        What the legend calls the curve, or a list of names.
    pos_label
        The positive class, for the title of the axis.

    Attributes
    ----------
    line_
        The line of the curve, or a list of them.
    chance_level_, perfect_level_
        The lines of a score without information and of a perfect one; None when not drawn.
    mean_, band_
        The line of the mean of folds and the area of the band over them; None when not drawn.
    ax_, figure_
        The axes and the figure drawn on.

    Examples
    --------
    >>> display = CAPCurveDisplay.from_predictions([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> display.line_.get_label()
    'Classifier (AR = 0.33)'
    >>> display.y_true_cumulative
    array([0, 1, 2, 2, 2, 3])
    """

    _statistic, _called = "accuracy_ratio", "AR"
    _heights = "Share of all positives captured", "Positives captured"
    _size, _corner = SQUARE, "lower right"
    _chance_label, _perfect_label = "Chance level (AR = 0)", "Perfect (AR = 1)"
    _shows_perfect, _is_square = True, True

    accuracy_ratio: float | list[float] | None = None

    @staticmethod
    def _points(cases: Floats, positives: Floats, *, normalize_scale: bool) -> CurvePoints:
        if normalize_scale:
            return _share(cases), _share(positives)
        return cases, positives


@dataclass(kw_only=True, eq=False, repr=False)
class LiftCurveDisplay(CurveDisplay):
    """The cumulative lift: how many times more positives the top share holds than a random one.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`. The curve
    begins at 1% or 100 cases, whichever is more, but at most at 10%: before, it stands on too few.

    Parameters
    ----------
    cumulative_total, y_true_cumulative, name, pos_label
        As in `CAPCurveDisplay`, which also says what a display holds once it is drawn.
    lift
        Lift at 10% of the cases of each curve, for the legend.

    Examples
    --------
    The first of five cases is the only positive: the top tenth holds five times its share.

    >>> display = LiftCurveDisplay.from_predictions([1, 0, 0, 0, 0], [5, 4, 3, 2, 1])
    >>> display.line_.get_label()
    'Classifier (lift at 10% = 5.00)'
    """

    _statistic, _called = "lift", "lift at 10%"
    _heights = "Cumulative lift", "Cumulative lift"
    _size, _corner = FIGURE_SIZE, "upper right"
    _chance_label, _perfect_label = "Chance level (lift = 1)", "Perfect"
    _ends = 0.0, np.inf

    lift: float | list[float] | None = None

    @staticmethod
    def _points(cases: Floats, positives: Floats, *, normalize_scale: bool) -> CurvePoints:
        """Return the lift along the cases selected; it bends between points, so there are more."""
        share = _share(cases)
        if len(share) == 2:  # noqa: PLR2004 - one score for all, whose lift is 1 everywhere
            return (share if normalize_scale else cases), np.ones(2)
        start = first_share(float(cases[-1]))
        x = np.union1d(share[share > start], np.linspace(start, 1, CURVE_STEPS + 1))
        y = np.interp(x, share, _share(positives)) / x
        return (x, y) if normalize_scale else (x * cases[-1], y)


@dataclass(kw_only=True, eq=False, repr=False)
class KSDisplay(CurveDisplay):
    """The gap between the shares of positives and of negatives selected; KS is its maximum.

    Make it with `from_estimator`, `from_predictions`, `from_cv_results` or `from_counts`. The
    maximum of a single curve is marked.

    Parameters
    ----------
    cumulative_total, y_true_cumulative, name, pos_label
        As in `CAPCurveDisplay`, which also says what a display holds once it is drawn.
    ks
        KS of each curve, for the legend.

    Examples
    --------
    The first two cases are two of three positives and no negative: 2/3 - 0.

    >>> display = KSDisplay.from_predictions([1, 1, 0, 1, 0], [5, 4, 3, 2, 1])
    >>> display.line_.get_label()
    'Classifier (KS = 0.67)'
    """

    _statistic, _called = "ks", "KS"
    _heights = ("Gap TPR \N{MINUS SIGN} FPR",) * 2
    _size, _corner = FIGURE_SIZE, "upper right"
    _chance_label, _perfect_label = "Chance level (KS = 0)", "Perfect (KS = 1)"
    _ends = -1.0, 1.0

    ks: float | list[float] | None = None

    @staticmethod
    def _points(cases: Floats, positives: Floats, *, normalize_scale: bool) -> CurvePoints:
        gap = _share(positives) - _share(cases - positives)
        return (_share(cases) if normalize_scale else cases), gap

    @staticmethod
    def _mark(heights: Floats) -> dict[str, Any]:
        """Mark the place of the largest gap."""
        if np.isnan(heights).any():
            return {}
        return {"marker": "o", "markevery": [int(np.argmax(np.abs(heights)))]}


def _look(position: int) -> dict[str, Any]:
    style = model_style(position)
    dashes = (0, style.dashes) if style.dashes else "-"
    return {"color": style.colour, "linestyle": dashes, "alpha": 1}


def _share(sums: Floats) -> Floats:
    """Return running sums as shares of all; nan where there is nothing."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.asarray(sums) / sums[-1], dtype=np.float64)


def _scores_of(
    estimator: Any,
    X: Any,  # noqa: N803 - scikit-learn's name
    response_method: str,
    pos_label: object,
) -> tuple[Any, object]:
    """Return the scores of the positive class, and its label: the second one when left out."""
    part("sklearn.utils.validation.check_is_fitted")(estimator)
    expected = "Expected 'estimator' to be a binary classifier."
    if not part("sklearn.base.is_classifier")(estimator):
        raise ValueError(f"{expected} Got {type(estimator).__name__} instead.")
    if len(estimator.classes_) != TWO:
        raise ValueError(f"{expected} Got {len(estimator.classes_)} classes instead.")
    positive = estimator.classes_[1] if pos_label is None else pos_label
    if response_method == "predict":
        raise ValueError(
            'response_method="predict" gives labels, which rank in two grades only; '
            'leave it out, or pass "predict_proba" or "decision_function"'
        )
    methods = RESPONSE_METHODS if response_method == "auto" else (response_method,)
    caught: list[Any] = []

    def catch(_: Any, y_score: Any, **__: Any) -> float:
        caught.append(y_score)
        return 0.0

    # A scorer picks the column of the positive class, or the sign of the decision values.
    scorer = part("sklearn.metrics.make_scorer")(catch, response_method=methods, pos_label=positive)
    scorer(estimator, X, None)
    return caught[0], positive


def _check_target(y_true: ColumnLike, name: str = "y") -> None:
    """Raise ValueError when labels are not of two classes."""
    kind = part("sklearn.utils.multiclass.type_of_target")(y_true)
    if kind != "binary":
        raise ValueError(f"The target {name} is not binary. Got {kind} type of target.")


def _check_folds(cv_results: Mapping[str, Any], X: Any) -> None:  # noqa: N803 - scikit-learn's name
    """Raise ValueError when these are not the folds of these rows, with their estimators."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "`cv_results` does not contain one of the following required keys: estimator, "
            "indices. Call cross_validate with return_estimator=True and return_indices=True."
        )
    indices = cv_results["indices"]
    expected = len(indices["train"][0]) + len(indices["test"][0])
    found = X.shape[0] if hasattr(X, "shape") else len(X)
    if found != expected:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {expected}, got {found}."
        )


def _picked(values: Any, rows: Any) -> Any:
    """Return these rows of an array, sparse matrix, data frame, series or list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    frame = nw.from_native(values, pass_through=True, allow_series=True, eager_only=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[np.asarray(rows).tolist()].to_native()
    return [values[row] for row in rows] if isinstance(values, list | tuple) else values[rows]
