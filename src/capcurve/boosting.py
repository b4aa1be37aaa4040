"""Metrics for gradient boosting: the accuracy ratio and its kin in XGBoost, LightGBM and CatBoost.

None of these packages is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from capcurve.input import count_scores
from capcurve.input.query import advising_on_data
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import as_name, as_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts import ScoreCounts

EvalMetric: TypeAlias = Literal["accuracy_ratio", "ks", "captured_response", "lift"]

TOP_SHARE = 0.1
RANKED = METRICS.some(get_args(EvalMetric))


@dataclass(frozen=True, slots=True)
class RankMetric:
    """One number of labels and scores, larger for the better score.

    Examples
    --------
    >>> from capcurve.boosting import RankMetric
    >>> metric = RankMetric.of("captured_response", 0.1)
    >>> metric.name
    'captured_response_10'
    """

    name: str
    metric: str
    q: float | None

    @classmethod
    def of(cls, metric: EvalMetric, q: float | None) -> RankMetric:
        """Return the metric of this name; at a share its name in logs ends with the percents."""
        known = as_name(metric, "metric", RANKED, RANKED.aliases)
        if RANKED[known].needs:
            q = as_share(TOP_SHARE if q is None else q, "q")
            return cls(f"{known}_{100 * q:g}", known, q)
        if q is not None:
            raise ValueError(f"{known} is of all cases; leave out q={q!r}")
        return cls(known, known, None)

    def value(self, labels: Any, scores: Any, weights: Any = None) -> float:
        """Return the number of these rows."""
        scores = np.asarray(scores)
        if scores.ndim == 2 and scores.shape[1] == 1:  # noqa: PLR2004 - rows and columns
            scores = scores[:, 0]
        columns = {"label": np.asarray(labels), "prediction": scores}
        if weights is not None and len(weights):
            columns["weight"] = np.asarray(weights)
        weight = "weight" if "weight" in columns else None
        with advising_on_data():
            counts: ScoreCounts = count_scores("label", "prediction", data=columns, weight=weight)
        needed = {} if self.q is None else {"q": self.q}
        return RANKED[self.metric].value(counts, **needed)


@dataclass(frozen=True, slots=True)
class _CalledMetric:
    """A metric to be called by a booster; unlike a function inside another it can be pickled."""

    ranked: RankMetric

    @property
    def __name__(self) -> str:
        return self.ranked.name


class _XGBoostMetric(_CalledMetric):
    """A metric as XGBoost calls it."""

    __slots__ = ()

    def __call__(self, predt: Any, dmatrix: Any) -> tuple[str, float]:
        labels, weights = dmatrix.get_label(), dmatrix.get_weight()
        return self.ranked.name, self.ranked.value(labels, predt, weights)


class _LightGBMMetric(_CalledMetric):
    """A metric as LightGBM calls it, which counts its parameters: three are those of arrays."""

    __slots__ = ()

    def __call__(self, first: Any, second: Any, weight: Any = None) -> tuple[str, float, bool]:
        """Return the metric's name and value, and that larger is better."""
        if hasattr(second, "get_label"):
            value = self.ranked.value(second.get_label(), first, second.get_weight())
        else:
            value = self.ranked.value(first, second, weight)
        return self.ranked.name, value, True


def xgboost_metric(
    metric: EvalMetric = "accuracy_ratio", *, q: float | None = None
) -> Callable[[Any, Any], tuple[str, float]]:
    """Return a metric for `xgboost.train(custom_metric=..., maximize=True)`.

    Without `maximize=True`, or `EarlyStopping(rounds, maximize=True)`, XGBoost stops when the
    metric rises. `XGBClassifier(eval_metric=...)` takes `capcurve.sklearn.accuracy_ratio_score`
    instead, and for early stopping needs that callback too.

    Parameters
    ----------
    metric
        "accuracy_ratio", "ks", "captured_response" or "lift".
    q
        Share of cases selected, for the last two; 10% when left out.

    Returns
    -------
    Callable
        Of predictions and a `DMatrix`: the metric's name, and its value.

    Raises
    ------
    ValueError
        For another metric, or a share outside [0, 1]; when called, for rows without cases of a
        class.

    Examples
    --------
    >>> class Matrix:
    ...     get_label = staticmethod(lambda: [1, 0, 1, 0])
    ...     get_weight = staticmethod(lambda: [])
    >>> xgboost_metric("captured_response", q=0.25)([4, 3, 2, 1], Matrix)
    ('captured_response_25', 0.5)
    """
    return _XGBoostMetric(RankMetric.of(metric, q))


def lightgbm_metric(
    metric: EvalMetric = "accuracy_ratio", *, q: float | None = None
) -> Callable[..., tuple[str, float, bool]]:
    """Return a metric for LightGBM: `eval_metric=` of its classifier, or `feval=` of its `train`.

    LightGBM watches its own metric as well, and stops early when either no longer improves:
    `metric="None"` leaves this one alone.

    Parameters
    ----------
    metric, q
        As in `xgboost_metric`.

    Returns
    -------
    Callable
        Of labels, predictions and weights, or of predictions and a `Dataset`: the metric's name,
        its value, and True, for larger is better.

    Examples
    --------
    >>> lightgbm_metric("lift", q=0.25)([1, 0, 0, 0], [4, 3, 2, 1])
    ('lift_25', 4.0, True)
    """
    return _LightGBMMetric(RankMetric.of(metric, q))


class CatBoostMetric:
    """A metric for `CatBoostClassifier(eval_metric=...)`: larger is better.

    CatBoost calls it by the name of this class in its logs, and warns once that numba, which could
    not speed it up either, is not installed.

    Parameters
    ----------
    metric, q
        As in `xgboost_metric`.

    Examples
    --------
    >>> CatBoostMetric("ks").evaluate([[4, 3, 2, 1]], [1, 0, 1, 0], None)
    (0.5, 1.0)
    """

    def __init__(self, metric: EvalMetric = "accuracy_ratio", *, q: float | None = None) -> None:
        self.metric = metric
        self.q = q
        self._ranked = RankMetric.of(metric, q)

    def evaluate(self, approxes: Sequence[Any], target: Any, weight: Any) -> tuple[float, float]:
        """Return the metric, and 1 for the number of them."""
        if len(approxes) != 1:
            raise ValueError(f"expected scores of two classes, got those of {len(approxes)}")
        return self._ranked.value(target, approxes[0], weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the metric from what `evaluate` gave."""
        return error / weight

    def is_max_optimal(self) -> bool:
        """Return that larger is better."""
        return True
