"""Scores floored to a grid by an engine's own arithmetic: the cells that the library finds."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from capcurve.numbers.order import (
    GRID_SLACK,
    LARGEST_SLACK,
    grid_fraction,
)
from capcurve.sql.names import about

if TYPE_CHECKING:
    from capcurve.sql.dialects import Dialect

# Up to here a whole score on a whole grid falls into the same cell in floats and in integers.
LARGEST_WHOLE_ON_GRID = 2**49
# From here on the middle of a cell may be read as another one, as its product and quotient round.
MOST_CELLS_TOLD_APART = 2**50
QUOTIENT, LINE, START_OF_CELL = "capcurve_quotient", "capcurve_line", "capcurve_floored"


def table_on_grid(
    table: exp.Expression,
    where: exp.Expression | None,
    score: exp.Column,
    resolution: float,
    dialect: Dialect,
) -> exp.Expression:
    """Return the rows of a table with `START_OF_CELL`: where the grid cell of each score begins."""
    # The cells are those of `capcurve.numbers.order.grid_index`. What is no number has none. Rows
    # are chosen in the table itself, which alone has what `*` leaves out: ids of rows, partitions.
    alias = score.args["table"]
    steps = {
        QUOTIENT: _quotient(resolution, dialect),
        LINE: _line(dialect),
        START_OF_CELL: _floored(resolution, dialect),
    }
    found = table
    for name, words in steps.items():
        every = exp.Column(this=exp.Star(), table=alias.copy())
        column = exp.alias_(about(words, score, dialect), name)
        rows = exp.select(every, column).from_(found)
        if found is table and where is not None:
            rows = rows.where(where)
        found = exp.Subquery(this=rows, alias=exp.TableAlias(this=alias.copy()))
    return found


def _quotient(resolution: float, dialect: Dialect) -> str:
    """Return the score in cells, or NULL where it has none."""
    bare = f"{dialect.double} / {_double(resolution)}"
    if dialect.is_text is not None:
        refused = [f"WHEN {dialect.is_text} THEN NULL"]
    else:  # what tells NaN takes no text, where a cast would read it as numbers
        refused = [f"WHEN {dialect.is_nan} THEN {dialect.double}"]
    if resolution.is_integer():
        # Whole numbers are divided as such, which floats beyond cannot repeat.
        far = _double(LARGEST_WHOLE_ON_GRID / resolution)
        refused.append(f"WHEN {dialect.is_exact} AND ABS({bare}) >= {far} THEN NULL")
    return f"CASE {' '.join(refused)} ELSE {bare} END"


def _line(dialect: Dialect) -> str:
    """Return the number of the cell; NULL where cells are no wider than what a double tells apart.

    Beyond 2^40 a cell's beginning would not be found in it again; its middle is.
    """
    slack = (
        f"CASE WHEN {QUOTIENT} < 0 THEN {_double(1 - GRID_SLACK)} "
        f"ELSE {_double(1 + GRID_SLACK)} END"
    )
    near, far = (
        _of(dialect.double, _of(dialect.floor, each))
        for each in (f"({QUOTIENT} * {slack})", QUOTIENT)
    )
    return (
        f"CASE WHEN ABS({QUOTIENT}) < {_double(LARGEST_SLACK)} THEN {near} + 0E0 "
        f"WHEN ABS({QUOTIENT}) < {_double(MOST_CELLS_TOLD_APART)} THEN {far} + 5E-1 END"
    )


def _floored(resolution: float, dialect: Dialect) -> str:
    """Return where the cell begins, and a score whose cell is itself as it is."""
    line = LINE
    if dialect.narrowed is not None:
        # The next line may be this very score in as few bits, unless its own line is.
        own, following = (
            _of(dialect.narrowed, _edge(each, resolution)) for each in (LINE, f"({LINE} + 1)")
        )
        is_narrow = f"NOT ({dialect.is_exact}) AND {_is_narrow(dialect)}"
        moved = f"CASE WHEN {own} <> it AND {following} <= it THEN 1 ELSE 0 END"
        line = f"({LINE} + CASE WHEN {is_narrow} THEN {moved} ELSE 0 END)"
    return (
        f"CASE WHEN {QUOTIENT} IS NULL THEN NULL WHEN {LINE} IS NULL THEN {dialect.double} "
        f"ELSE {_edge(line, resolution)} END"
    )


def _is_narrow(dialect: Dialect) -> str:
    """Return whether a float has 32 bits: it loses the last digit of 2^24 + 1."""
    if dialect.is_narrow is not None:
        return dialect.is_narrow
    largest, one = (_of(dialect.narrowed or "it", number) for number in ("16777216", "1"))
    return f"(it - it) + {largest} + {one} = {largest}"


def _edge(line: str, resolution: float) -> str:
    times, parts = grid_fraction(resolution)
    return f"{line} * {_double(times)} / {_double(parts)}"


def _of(words: str, inner: str) -> str:
    """Return words about `it` about other words."""
    return re.sub(r"\bit\b", lambda _: inner, words)


def _double(number: float) -> str:
    """Return a number as all dialects write a double.

    >>> _double(0.25), _double(2**40)
    ('2.5E-1', '1.099511627776E+12')
    """
    return f"{Decimal(repr(number)).normalize():E}"
