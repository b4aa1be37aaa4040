"""Rows with an estimate and an outcome, such as LGDs, become ordinal counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts import Dropped
from capcurve.counts.ordinal import OrdinalCounts, check_classes
from capcurve.counts.settings import as_rankable
from capcurve.counts.table import refuse_too_many
from capcurve.input.arrays import Missing, Rules
from capcurve.input.arrays.checks import account_names, missing_message
from capcurve.input.columns import Column, as_column, check_same_rows
from capcurve.input.frames import grouped_columns
from capcurve.input.rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.ordinal import Classes, Closed
    from capcurve.counts.types import Floats, Ints
    from capcurve.input.columns import ColumnLike, Data


def count_classes(
    realised: ColumnLike,
    estimated: ColumnLike,
    *,
    data: Data = None,
    classes: Classes | Sequence[float] = "ecb",
    closed: Closed | None = None,
    missing: Missing = "raise",
) -> OrdinalCounts:
    """Count cases by class of estimate and class of outcome, such as estimated and realised LGDs.

    Parameters
    ----------
    realised
        What came out, a number per case; with `data`, the name of that column.
    estimated
        What was expected, a number per case; with `data`, the name of that column.
    data
        A data frame or relation, a mapping of columns, a path, glob or list of paths, or `Files`,
        as in `count_scores`. None when columns are given.
    classes
        "ecb": with at most 20 different estimates each is a grade, and an outcome belongs to the
        lowest grade that it does not exceed, or to one more class above all; with more, both are
        put into the segments below .05, .1, .2, ..., .9, 1 and from 1 on. "values": every
        different number is a class of its own. Or the edges between classes, ascending, the same
        for both.
    closed
        Which end belongs to a class between two edges: "left" (the default) or "right".
    missing
        "raise", or "drop" to leave out rows that lack a number and keep the account.

    Returns
    -------
    OrdinalCounts
        The counts; `OrdinalCounts.table` has a row per class of estimates and a column per class
        of outcomes.

    Raises
    ------
    ValueError, TypeError
        For anything that is not a finite number; the message says what was found.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, annex 3.2.
    Outcomes below 0, of which the annex does not speak, join the first class.

    Examples
    --------
    Grades .2 and .6: outcomes up to .2, up to .6, and above.

    >>> count_classes([0.1, 0.7, 0.2, 0.5], [0.2, 0.2, 0.6, 0.6]).table
    array([[1, 0, 1],
           [1, 1, 0]])
    """
    Rules(missing=missing)
    chosen, ends = check_classes(classes, closed)
    columns, repeats = _columns(realised, estimated, data)
    check_same_rows(columns)
    values = [_as_numbers(column) for column in columns]
    cases = np.ones(len(values[0]), dtype=np.int64) if repeats is None else repeats
    present, dropped = _present(columns, values, cases, missing)
    outcomes, estimates = (found[present] for found in values)
    refuse_too_many(int(cases.sum()))
    return OrdinalCounts.from_rows(
        estimates, outcomes, cases[present], classes=chosen, closed=ends, dropped=dropped
    )


def _columns(
    realised: ColumnLike, estimated: ColumnLike, data: Data
) -> tuple[list[Column], Ints | None]:
    """Return both columns, and how many rows stand for each if an engine has grouped them."""
    if data is None:
        return [as_column(realised, "realised"), as_column(estimated, "estimated")], None
    names = [realised, estimated]
    found, repeats = columns_of(data, names), None
    if isinstance(found, nw.LazyFrame):
        found, repeats = grouped_columns(found, names)
    return [found[name] for name in names], repeats


def _as_numbers(column: Column) -> Floats:
    """Return a float for each row, NaN where it has none, or raise for what is no number."""
    values: Any = column.values
    if values.dtype.kind in "OSUmM" and len(values):
        kept = values if column.missing is None else values[~column.missing]
        text = next((item for item in kept if isinstance(item, str | bytes)), None)
        if text is not None:
            raise TypeError(
                f"{column.name} holds text such as {text!r}; pass numbers, for a grade its LGD"
            )
    numbers = as_rankable(values, column.name, None, "positive", column.missing)
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize < np.dtype(np.float64).itemsize:
        # As they are written: .7 of 32 bits is below .7 of 64, and would fall into another class.
        numbers = numbers.astype(str)
    found: Floats = numbers.astype(np.float64)
    if column.missing is not None:
        found[column.missing] = np.nan
    if np.isinf(found).any():
        row = int(np.flatnonzero(np.isinf(found))[0])
        raise ValueError(f"{column.name} is infinite in row {row}; leave such rows out")
    return found


def _present(
    columns: Sequence[Column], values: Sequence[Floats], cases: Ints, missing: Missing
) -> tuple[Any, Dropped | None]:
    """Return which rows have both numbers, with the account of the others if they are dropped."""
    gone = [np.isnan(found) for found in values]
    names = account_names([("realised", columns[0].name), ("estimated", columns[1].name)])
    lost = {n: int(cases[rows].sum()) for n, rows in zip(names, gone, strict=True) if rows.any()}
    either = gone[0] | gone[1]
    if missing == "drop":
        return ~either, Dropped(int(cases[either].sum()), lost)
    if lost:
        raise ValueError(missing_message(lost, int(cases.sum())))
    return ~either, None
