"""Labels, scores and weights as scikit-learn hands them over become counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.input import count_scores
from capcurve.input.arrays.labels import label_values, positive_choices
from capcurve.input.columns import as_column, by_position
from capcurve.input.query import advising_on_data
from capcurve.sklearn.parts import warn_undefined

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.input.columns import ColumnLike

COLUMN = 2


def counted(
    y_true: ColumnLike,
    y_score: ColumnLike,
    sample_weight: ColumnLike = None,
    pos_label: object = None,
) -> ScoreCounts:
    """Return the counts of these rows; those of weight zero are left out."""
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
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


def one_column(values: ColumnLike, name: str) -> Any:
    """Return one value per row by position; shape (n, 1) is flattened, as scikit-learn does."""
    shape = np.shape(values)
    if len(shape) != COLUMN or hasattr(values, "toarray"):  # sparse ones are refused later
        return by_position(values)
    if shape[1] != 1:
        what = (
            f"; pass the column of the positive class, {name}[:, 1]" if shape[1] == COLUMN else ""
        )
        raise ValueError(f"{name} must hold one value per row, got shape {shape}{what}")
    return np.asarray(values).ravel()


def is_defined(counts: Ranking, metric: str) -> bool:
    """Return whether both classes have cases; warn, as scikit-learn does, when one has none."""
    if counts.n1 > 0 and counts.n0 > 0:
        return True
    lacking = "positive" if not counts.n1 > 0 else "negative"
    warn_undefined(f"No {lacking} cases in y_true, so {metric} is not defined and nan is returned.")
    return False


def positive_label(y_true: ColumnLike, pos_label: object) -> object:
    """Return the label of the positive class: the one given, or 1 where labels speak for it."""
    if pos_label is not None:
        return pos_label
    labels = labels_of(y_true)
    if set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
        return 1
    shown = ", ".join(map(repr, labels))
    raise ValueError(
        f"y_true takes value in {{{shown}}} and pos_label is not specified: say which label is "
        f"the positive class, {positive_choices(labels)}"
    )


def labels_of(y_true: ColumnLike) -> list[object]:
    """Return the distinct labels."""
    return label_values(as_column(one_column(y_true, "y_true"), "y_true"))
