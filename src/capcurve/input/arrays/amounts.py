"""Amounts and exposures of rows: finite numbers that a float holds, and rows that have neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.settings import as_rankable
from capcurve.input.columns import LARGEST_EXACT_IN_FLOAT

if TYPE_CHECKING:
    from capcurve.counts.types import Array, Bools, Floats, Ints
    from capcurve.input.columns import Column

# What the account calls rows that are left out because both their exposure and amount are 0.
AMOUNTS = (
    "amounts are plain numbers: take out currency signs and thousands separators, and write "
    "decimals with a point"
)
UNEXPOSED = "what has an amount needs an exposure above 0: correct these rows or take them out"
EXPOSURES = "exposures are finite numbers, zero or more"


@dataclass(frozen=True, slots=True)
class Held:
    """Which rows have an amount that is not 0, the amounts of these, and which rows lack one."""

    rows: Bools
    amount: Floats
    absent: Bools | None


def held_amounts(column: Column, repeats: Ints | None = None) -> Held:
    """Return the amounts of rows, or raise saying which are no finite numbers.

    `repeats` is how many rows each row stands for.
    """
    amount = _exact_floats(column, AMOUNTS)
    absent = np.isnan(amount)
    held = amount != 0 if column.held is None else column.held
    if infinite := _places(np.isinf(amount), column):
        raise ValueError(
            f"{column.name} is infinite in {_rows(*infinite, repeats)}; amounts are finite numbers"
        )
    if not absent.any():
        return Held(held, amount[held] if column.held is None else amount, None)
    if column.held is None:
        lacking = absent
    else:
        lacking = np.zeros(len(held), dtype=np.bool_)
        lacking[held] = absent
    held = held & ~lacking
    return Held(held, amount[held] if column.held is None else amount[~absent], lacking)


def as_exposure(column: Column, repeats: Ints | None = None) -> Floats:
    """Return the exposure of each row, NaN where it has none, or raise for what is none."""
    exposure = _exact_floats(column, EXPOSURES)
    wrong = (exposure < 0) | np.isinf(exposure)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{column.name} holds {exposure[first]:g}: it is negative or infinite in "
            f"{_rows(first, wrong, repeats)}; {EXPOSURES}"
        )
    return exposure


def unexposed(
    exposure: Floats, held: Held, name: str, amount: str, repeats: Ints | None = None
) -> Bools | None:
    """Return the rows without exposure or amount, which are left out; None when there are none.

    Raises ValueError for rows that have an amount and no exposure.
    """
    nothing: Bools = exposure == 0
    if held.absent is not None:
        nothing &= ~held.absent
    if not nothing.any():
        return None
    wrong = nothing & held.rows
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name} is 0 where {amount} is not in {_rows(first, wrong, repeats)}; {UNEXPOSED}"
        )
    return nothing


def plain_numbers(column: Column, rule: str) -> Array:
    """Return the values of a column of numbers, or raise saying what was found and the rule."""
    values = column.values
    if values.ndim != 1:
        raise ValueError(f"{column.name} must have one dimension, got shape {values.shape}")
    if values.dtype.kind == "O":
        present = values if column.missing is None else values[~column.missing]
        texts = [item for item in present if isinstance(item, str | bytes)]
        if texts:
            text = next((item for item in texts if not _reads_as_number(item)), texts[0])
            raise TypeError(f"{column.name} holds text such as {text!r}; {rule}")
        values = as_rankable(values, column.name, None, "positive", column.missing)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{column.name} must be numbers, got {values.dtype}")
    return values


def _reads_as_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _exact_floats(column: Column, rule: str) -> Floats:
    """Return numbers as floats, NaN where there is none; refuse digits that a float has not."""
    values = plain_numbers(column, rule)
    if values.dtype.kind == "f":
        values = as_rankable(values, column.name, None, "positive")
    floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and len(values):
        _refuse_rounded(column, values, floats)
    if column.missing is not None:
        floats[column.missing] = np.nan
    return floats


def _refuse_rounded(column: Column, values: Array, floats: Floats) -> None:
    """Raise ValueError for whole numbers that are not what a float makes of them."""
    if max(int(values.max()), -int(values.min())) <= LARGEST_EXACT_IN_FLOAT:
        return
    large = np.flatnonzero((values > LARGEST_EXACT_IN_FLOAT) | (values < -LARGEST_EXACT_IN_FLOAT))
    exact = np.array([int(floats[i]) == int(values[i]) for i in large], dtype=np.bool_)
    if column.missing is not None:
        exact |= column.missing[large]
    if not exact.all():
        lost = large[~exact]
        raise ValueError(
            f"{column.name} holds {values[lost[0]]}, which a float would round ({len(lost)} such "
            f"{'row' if len(lost) == 1 else 'rows'}); scale it to whole numbers up to 2^53"
        )


def _places(wrong: Bools, column: Column) -> tuple[int, Bools] | None:
    """Return the first row of those that are wrong, and which they are among all rows."""
    if not wrong.any():
        return None
    rows = wrong
    if column.held is not None:
        rows = np.zeros(len(column), dtype=np.bool_)
        rows[column.held] = wrong
    return int(np.flatnonzero(rows)[0]), rows


def _rows(first: int, rows: Bools, repeats: Ints | None) -> str:
    """Say how many rows these are and, where rows stand for themselves, which is the first."""
    if repeats is not None:
        return f"{int(repeats[rows].sum())} of {int(repeats.sum())} rows"
    return f"{int(rows.sum())} of {len(rows)} rows, first in row {first}"
