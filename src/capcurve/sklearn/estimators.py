"""The scores that a fitted classifier gives to rows, by the public interface of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.sklearn.parts import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.input.columns import ColumnLike

TWO = 2
METHODS = ("predict_proba", "decision_function")


def scores_of(
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
    methods = METHODS if response_method == "auto" else (response_method,)
    caught: list[Any] = []

    def catch(_: Any, y_score: Any, **__: Any) -> float:
        caught.append(y_score)
        return 0.0

    # A scorer picks the column of the positive class, or the sign of the decision values.
    scorer = part("sklearn.metrics.make_scorer")(catch, response_method=methods, pos_label=positive)
    scorer(estimator, X, None)
    return caught[0], positive


def check_target(y_true: ColumnLike, name: str = "y") -> None:
    """Raise ValueError when labels are not of two classes."""
    kind = part("sklearn.utils.multiclass.type_of_target")(y_true)
    if kind != "binary":
        raise ValueError(f"The target {name} is not binary. Got {kind} type of target.")


def check_lengths(*columns: Any) -> None:
    """Raise ValueError when columns are of different numbers of rows."""
    part("sklearn.utils.check_consistent_length")(*columns)


def check_folds(cv_results: Mapping[str, Any], X: Any) -> None:  # noqa: N803 - scikit-learn's name
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


def is_positive(y_true: ColumnLike, pos_label: object) -> NDArray[np.bool_]:
    """Return which labels are the positive one, of a fold that may lack it."""
    return np.asarray([label == pos_label for label in np.ravel(y_true).tolist()], np.bool_)


def picked(values: Any, rows: Any) -> Any:
    """Return these rows of an array, sparse matrix, data frame, series or list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    frame = nw.from_native(values, pass_through=True, allow_series=True, eager_only=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[np.asarray(rows).tolist()].to_native()
    return [values[row] for row in rows] if isinstance(values, list | tuple) else values[rows]
