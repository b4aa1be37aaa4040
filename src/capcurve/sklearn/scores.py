"""Metrics of labels and scores, and scorers for GridSearchCV and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_share
from capcurve.metrics import accuracy_ratio, captured_response, ks, lift
from capcurve.sklearn.parts import part, warn_undefined
from capcurve.sklearn.samples import counted, is_defined, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.input.columns import ColumnLike

TOP = 0.1
NAN = float("nan")


def accuracy_ratio_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return the accuracy ratio (Gini): 1 for a perfect score, 0 for one without information.

    It is 2·AUC - 1, exactly, ties counted as half.

    Parameters
    ----------
    y_true
        Labels of two classes, shape (n,).
    y_score
        Probability of the positive class, or decision values, shape (n,).
    sample_weight
        Weight of each row, zero or more, shape (n,).
    pos_label
        The positive class; may be left out when labels are 0/1, -1/1 or booleans.

    Returns
    -------
    float
        In [-1, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight.

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
    counts = counted(y_true, y_score, sample_weight, pos_label)
    return accuracy_ratio(counts) if is_defined(counts, "the accuracy ratio") else NAN


def ks_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return KS: the largest gap between the shares of positives and negatives selected.

    Parameters
    ----------
    y_true
        Labels of two classes, shape (n,).
    y_score
        Probability of the positive class, or decision values, shape (n,).
    sample_weight
        Weight of each row, zero or more, shape (n,).
    pos_label
        The positive class; may be left out when labels are 0/1, -1/1 or booleans.

    Returns
    -------
    float
        In [0, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight.

    Raises
    ------
    ValueError
        As in `accuracy_ratio_score`.

    Examples
    --------
    The first case is one of two positives and no negative: 1/2 - 0.

    >>> ks_score([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """
    counts = counted(y_true, y_score, sample_weight, pos_label)
    return ks(counts).statistic if is_defined(counts, "KS") else NAN


def captured_response_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    q: float = TOP,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return which share of all positives the top share q of cases holds: CAP(q), recall at q.

    Parameters
    ----------
    y_true
        Labels of two classes, shape (n,).
    y_score
        Probability of the positive class, or decision values, shape (n,).
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    sample_weight
        Weight of each row, zero or more, shape (n,).
    pos_label
        The positive class; may be left out when labels are 0/1, -1/1 or booleans.

    Returns
    -------
    float
        In [0, 1]; nan, with an `UndefinedMetricWarning`, when a class has no cases or no weight.

    Raises
    ------
    ValueError
        As in `accuracy_ratio_score`, and when q lies outside [0, 1].

    Examples
    --------
    >>> captured_response_score([1, 0, 0, 1], [4, 3, 2, 1], q=0.25)
    0.5
    """
    q = as_share(q, "q")
    counts = counted(y_true, y_score, sample_weight, pos_label)
    return captured_response(counts, q) if is_defined(counts, "captured response") else NAN


def lift_score(
    y_true: ColumnLike,
    y_score: ColumnLike,
    *,
    q: float = TOP,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> float:
    """Return how many times more positives the top share q holds than a random share.

    Parameters
    ----------
    y_true
        Labels of two classes, shape (n,).
    y_score
        Probability of the positive class, or decision values, shape (n,).
    q
        Share of all cases selected, from 0 to 1, most likely positive first.
    sample_weight
        Weight of each row, zero or more, shape (n,).
    pos_label
        The positive class; may be left out when labels are 0/1, -1/1 or booleans.

    Returns
    -------
    float
        From 0 to 1/π; nan, with an `UndefinedMetricWarning`, when a class has no cases or no
        weight.

    Raises
    ------
    ValueError
        As in `accuracy_ratio_score`, and when q lies outside [0, 1].

    Examples
    --------
    >>> lift_score([1, 0, 0, 0], [4, 3, 2, 1], q=0.25)
    4.0
    """
    q = as_share(q, "q")
    counts = counted(y_true, y_score, sample_weight, pos_label)
    return lift(counts, q) if is_defined(counts, "lift") else NAN


SCORERS = {
    "accuracy_ratio_scorer": accuracy_ratio_score,
    "ks_scorer": ks_score,
    "captured_response_scorer": captured_response_score,
    "lift_scorer": lift_score,
}


@dataclass(frozen=True, slots=True)
class OfLargerLabel:
    """A metric of what a fitted classifier says of its second class, whatever that is called.

    A scorer is handed the scores of `classes_[1]`, the larger of the two labels.
    """

    metric: Callable[..., float]

    @property
    def __name__(self) -> str:
        return self.metric.__name__

    def __call__(
        self, y_true: ColumnLike, y_score: ColumnLike, *, sample_weight: ColumnLike = None
    ) -> float:
        """Return the metric, with the larger of these labels as the positive class."""
        labels = labels_of(y_true)
        if len(labels) == 1:
            warn_undefined(f"Only one class in y_true, so {self.__name__} is nan.")
            return NAN
        label = max(labels, default=None)  # type: ignore[type-var]  # labels of one type
        return self.metric(y_true, y_score, sample_weight=sample_weight, pos_label=label)


def scorer(name: str) -> Any:
    """Return a new scorer of this name.

    New, because `set_score_request` changes a scorer, and nobody else's should change with it.
    """
    methods = ("decision_function", "predict_proba")
    make = part("sklearn.metrics.make_scorer")
    return make(OfLargerLabel(SCORERS[name]), response_method=methods)
