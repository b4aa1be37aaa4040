"""A column of weights as numbers that can be added up: finite, zero or more, of some class each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.algebra import refuse_too_many
from capcurve.counts.grades import as_rankable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.counts import WeightKind
    from capcurve.input.columns import Column


def as_weight(column: Column, kind: WeightKind | None) -> NDArray[np.float64]:
    """Return a weight for each row, NaN where it has none, or raise for what weighs nothing."""
    values = _numbers(column)
    weight = values.astype(np.float64)
    if column.missing is not None:
        weight[column.missing] = np.nan
    wrong = (weight < 0) | np.isinf(weight)
    rule = "weights are finite numbers, zero or more"
    if kind == "frequency":
        wrong |= (weight != np.floor(weight)) & ~np.isnan(weight)
        rule = "frequency weights are whole numbers, zero or more"
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{column.name} holds {weight[row]:g} in row {row} ({int(wrong.sum())} such rows); "
            + rule
        )
    return weight


def _numbers(column: Column) -> NDArray[Any]:
    values = column.values
    if values.ndim != 1:
        raise ValueError(f"{column.name} must have one dimension, got shape {values.shape}")
    if values.dtype.kind == "O":
        present = values if column.missing is None else values[~column.missing]
        text = next((item for item in present if isinstance(item, str | bytes)), None)
        if text is not None:
            raise TypeError(f"{column.name} holds text such as {text!r}; weights are numbers")
        values = as_rankable(values, column.name, None, "positive", column.missing)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{column.name} must be numbers, got {values.dtype}")
    return values


def as_frequencies(column: Column, weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whole weights exactly: integers beyond 2^53 do not pass through floats."""
    gone = np.isnan(weight)
    values = _numbers(column)
    refuse_too_many(sum(int(item) for item in values[~gone].tolist()))
    exact = np.zeros(len(weight), dtype=np.int64)
    exact[~gone] = values[~gone]
    return exact


def check_class_weights(
    positive: NDArray[np.bool_],
    weight: NDArray[Any],
    column: Column,
    lost: Mapping[str, NDArray[np.bool_]],
) -> None:
    """Raise ValueError when a class has rows, and none of them any weight."""
    kept = ~np.logical_or.reduce([np.zeros(len(positive), np.bool_), *lost.values()])
    for rows, name in ((positive & kept, "positives"), (~positive & kept, "negatives")):
        if rows.any() and not (weight[rows] > 0).any():
            raise ValueError(
                f"{column.name} is zero for all {int(rows.sum())} {name}; "
                "each class needs some weight"
            )
