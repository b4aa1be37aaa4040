"""Labels, scores and weights as scikit-learn hands them over: metrics of them, and scorers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input import count_scores
from capcurve.input.arrays.labels import label_order, label_values, positive_choices
from capcurve.input.columns import ColumnLike, as_column, by_position
from capcurve.input.query import advising_on_data
from capcurve.metrics import accuracy_ratio, auarc, bedroc, captured_response, ks, lift, net_benefit
from capcurve.numbers.arguments import as_share, installing

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Ranking, ScoreCounts

TWO_COLUMNS = 2
TOP_SHARE = 0.1
NAN = float("nan")


def accuracy_ratio_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return the accuracy ratio (Gini): 1 for a perfect score, 0 for one without information.

    It is 2·AUC - 1, exactly, ties counted as half. In [-1, 1]; nan, with an
    `UndefinedMetricWarning`, when a class has no cases or no weight.

    Parameters
    ----------
    y_true
        Labels of two classes, shape (n,).
    y_score
        Probability of the positive class, or decision values, shape (n,); or the probabilities of
        both classes, shape (n, 2), as `predict_proba` returns them.
    sample_weight
        Weight of each row, zero or more, shape (n,).
    pos_label
        The positive class; may be left out when labels are 0/1, -1/1 or booleans.

    Raises
    ------
    ValueError
        For more than two classes, for labels that need `pos_label`, for missing values, and for
        anything else that cannot be counted.

    Examples
    --------
    Of the 6 pairs, 4 are in order and 2 are not: (4 - 2) / 6.

    >>> accuracy_ratio_score([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]) == 1 / 3
    True
    """
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return accuracy_ratio(counts) if has_both_classes(counts, "the accuracy ratio") else NAN


def ks_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return KS: the largest gap between the shares of positives and negatives selected.

    In [0, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight. Raises
    `ValueError` as `accuracy_ratio_score`.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in `accuracy_ratio_score`.

    Examples
    --------
    The first case is one of two positives and no negative: 1/2 - 0.

    >>> ks_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return ks(counts).statistic if has_both_classes(counts, "KS") else NAN


def captured_response_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    q: float = TOP_SHARE,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return which share of all positives the top share q of cases holds: CAP(q), recall at q.

    In [0, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight. Raises
    `ValueError` as `accuracy_ratio_score`, and when q lies outside [0, 1].

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in `accuracy_ratio_score`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.

    Examples
    --------
    >>> captured_response_score([1, 0, 0, 1], [4, 3, 2, 1], q=0.25)
    0.5
    """
    q = as_share(q, "q")
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return captured_response(counts, q) if has_both_classes(counts, "captured response") else NAN


def lift_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    q: float = TOP_SHARE,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return how many times more positives the top share q holds than a random share.

    From 0 to 1/π; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight.
    Raises `ValueError` as `accuracy_ratio_score`, and when q lies outside [0, 1].

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in `accuracy_ratio_score`.
    q
        Share of all cases selected, from 0 to 1, most likely positive first.

    Examples
    --------
    >>> lift_score([1, 0, 0, 0], [4, 3, 2, 1], q=0.25)
    4.0
    """
    q = as_share(q, "q")
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return lift(counts, q) if has_both_classes(counts, "lift") else NAN


def bedroc_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    alpha: float = 20.0,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return BEDROC: how early positives are found, between the worst and the best order.

    In [0, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight. Raises
    `ValueError` as `accuracy_ratio_score`, and for an alpha that is not above 0 and finite.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in `accuracy_ratio_score`.
    alpha
        How steeply the weight falls from the top: at 20 the top 8% of the cases count for 80%.

    Examples
    --------
    The positive is the second of four: (e^(-5/4) - e^(-15/4))/(1 - e^(-15/4)).

    >>> round(bedroc_score([0, 1, 0, 0], [4, 3, 2, 1], alpha=5), 4)
    0.2693
    """
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return bedroc(counts, alpha=alpha) if has_both_classes(counts, "BEDROC") else NAN


def auarc_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return the area under the accuracy-rejection curve of a confidence.

    The mean over k of the share of right answers among the k surest. In [0, 1]; nan, with an
    `UndefinedMetricWarning`, when no answer is right or none is wrong. Raises `ValueError` as
    `accuracy_ratio_score`.

    Parameters
    ----------
    y_true
        Which answers are right: the positives.
    y_score
        The confidence of each.
    sample_weight, pos_label
        As in `accuracy_ratio_score`.

    Examples
    --------
    The surest is right, one of the surest two, and two of three.

    >>> round(auarc_score([1, 0, 1], [0.9, 0.5, 0.1]), 9)
    0.722222222
    """
    counts = counts_of_rows(y_true, y_score, sample_weight, pos_label)
    return auarc(counts, errors="negatives") if has_both_classes(counts, "AUARC") else NAN


def net_benefit_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    threshold: float,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return the net benefit of acting at probabilities from a threshold on, in positives per case.

    False alarms count threshold/(1 - threshold) of a positive. As a scorer it takes
    `make_scorer(net_benefit_score, response_method="predict_proba", threshold=0.2)`. Raises
    `ValueError` as `accuracy_ratio_score`, and for probabilities or a threshold outside [0, 1].

    Parameters
    ----------
    y_true, sample_weight, pos_label
        As in `accuracy_ratio_score`.
    y_score
        Probability of the positive class, shape (n,), or of both classes, shape (n, 2).
    threshold
        The probability from which one acts, below 1.

    Examples
    --------
    Of four, one positive and one false alarm, which counts a quarter: (1 - 1/4)/4.

    >>> net_benefit_score([1, 0, 0, 1], [0.9, 0.4, 0.1, 0.1], threshold=0.2)
    0.1875
    """
    return net_benefit(counts_of_rows(y_true, y_score, sample_weight, pos_label), threshold)


SCORERS: dict[str, Callable[..., float]] = {
    "accuracy_ratio_scorer": accuracy_ratio_score,
    "ks_scorer": ks_score,
    "captured_response_scorer": captured_response_score,
    "lift_scorer": lift_score,
    "bedroc_scorer": bedroc_score,
    "auarc_scorer": auarc_score,
}


@dataclass(frozen=True, slots=True)
class OfLargerLabel:
    """A metric of what a fitted classifier says of its second class, whatever that is called."""

    # Of the scores of `classes_[1]`, the larger of the two labels, which a scorer is handed.
    metric: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.metric.__name__

    def __call__(
        self, y_true: ColumnLike, y_score: ColumnLike, *, sample_weight: ColumnLike = None
    ) -> float:
        """Return the metric, with the larger of these labels as the positive class."""
        labels = distinct_labels(y_true)
        if len(labels) == 1:
            warn_undefined(f"Only one class in y_true, so {self.__name__} is nan.")
            return NAN
        label = max(labels, default=None)  # type: ignore[type-var]  # labels of one type
        return self.metric(y_true, y_score, sample_weight=sample_weight, pos_label=label)


def scorer(name: str) -> Any:
    """Return a scorer of this name, a new one, for `set_score_request` changes its own."""
    methods = ("decision_function", "predict_proba")
    make = part("sklearn.metrics.make_scorer")
    return make(OfLargerLabel(SCORERS[name]), response_method=methods)


def counts_of_rows(
    y_true: ColumnLike,
    y_score: ColumnLike,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> ScoreCounts:
    """Return the counts of these rows; those of weight zero are left out."""
    score = of_positive_class(y_score, y_true, pos_label)
    given = {"y_true": y_true, "y_score": score, "sample_weight": sample_weight}
    columns = {name: one_column(each, name) for name, each in given.items() if each is not None}
    weight = None if sample_weight is None else "sample_weight"
    if weight is not None and len({np.shape(column) for column in columns.values()}) == 1:
        weighing = np.asarray(columns[weight]) != 0
        if not weighing.all():
            columns = {name: np.asarray(column)[weighing] for name, column in columns.items()}
    with advising_on_data(labels=False):
        counts: ScoreCounts = count_scores(
            "y_true", "y_score", data=columns, weight=weight, pos_label=pos_label
        )
    return counts


def of_positive_class(y_score: ColumnLike, y_true: ColumnLike, pos_label: object) -> ColumnLike:
    """Return of the probabilities of both classes those of the positive one, else what is given."""
    # Classifiers have a column for each class, in the order of the labels.
    shape = np.shape(y_score)
    if shape[1:] != (TWO_COLUMNS,) or hasattr(y_score, "toarray"):
        return y_score
    both = np.asarray(y_score)
    if both.dtype.kind != "f" or not np.allclose(both.sum(axis=1, dtype=float), 1, atol=1e-3):
        return y_score
    positive = np.asarray(positive_label(y_true, pos_label)).item()
    classes = sorted({*distinct_labels(y_true), positive}, key=label_order)
    if len(classes) == TWO_COLUMNS:
        return both[:, classes.index(positive)]
    return both[:, 1] if classes == [1] else y_score


def one_column(values: ColumnLike, name: str) -> Any:
    """Return one value per row by position; shape (n, 1) is flattened, as scikit-learn does."""
    shape = np.shape(values)
    if len(shape) != TWO_COLUMNS or hasattr(values, "toarray"):  # sparse ones are refused later
        return by_position(values)
    if shape[1] != 1:
        said = f"{name} must hold one value per row, got shape {shape}"
        hint = f"; pass the column of the positive class, {name}[:, 1]"
        raise ValueError(said + hint if shape[1] == TWO_COLUMNS else said)
    return np.asarray(values).ravel()


def has_both_classes(counts: Ranking, metric: str) -> bool:
    """Return whether both classes have cases; warn, as scikit-learn does, when one has none."""
    if counts.n1 > 0 and counts.n0 > 0:
        return True
    lacking = "positive" if not counts.n1 > 0 else "negative"
    warn_undefined(f"No {lacking} cases in y_true, so {metric} is not defined and nan is returned.")
    return False


def positive_label(y_true: ColumnLike, pos_label: object) -> object:
    """Return the label of the positive class: the one given, or 1 where labels speak for it."""
    if np.ndim(pos_label):  # type: ignore[arg-type]  # of anything
        raise ValueError("pos_label names one of two classes; make a column that is true for them")
    if pos_label is not None:
        return pos_label
    labels = distinct_labels(y_true)
    if set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
        return 1
    shown = ", ".join(map(repr, labels))
    raise ValueError(
        f"y_true takes value in {{{shown}}} and pos_label is not specified: say which label is "
        f"the positive class, {positive_choices(labels)}"
    )


def distinct_labels(y_true: ColumnLike) -> list[object]:
    """Return the distinct labels."""
    return label_values(as_column(one_column(y_true, "y_true"), "y_true"))


def part(path: str) -> Any:
    """Return what scikit-learn has under this path; without it, say what to install.

    >>> part("sklearn.utils.multiclass.type_of_target")([0, 1, 1])
    'binary'
    """
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        why = f"capcurve.sklearn needs scikit-learn: {installing('sklearn')}"
        raise ImportError(why) from error


def warn_undefined(message: str) -> None:
    """Warn as scikit-learn does of a metric that these labels leave undefined."""
    # The line named is that which called the metric.
    warnings.warn(message, part("sklearn.exceptions.UndefinedMetricWarning"), stacklevel=4)
