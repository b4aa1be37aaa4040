"""Two periods of one data set, counted each on its own; rows of others are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from capcurve.cli.errors import Failure
from capcurve.cli.output import note, waiting
from capcurve.cli.reading import SHOWN, Counted, label_of, labels_of, query_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.input import Query
    from capcurve.input.columns import Column
    from capcurve.input.files import Files

Both: TypeAlias = "tuple[Counted, Counted]"


def counted_in_periods(
    request: Request, name: str, start: str | None, end: str | None
) -> tuple[Both, tuple[str, str]]:
    """Count the rows of two periods, and return what the periods are called.

    They are named as the column holds them; left out, they are its first and its last.
    """
    from capcurve.counts.ranking import refuse_small_cells
    from capcurve.view.format import cutoff_text

    if request.counts:
        raise click.UsageError("--period is for rows, and --counts reads counts; leave one out")
    with query_of(request) as query, waiting("counting"):
        from capcurve.input.files import read_columns

        names = [query.target, *query.scores.values(), *query.extra, name]
        columns = read_columns(cast("Files", query.data), names)
        chosen = _chosen(columns[name], start, end)
        before, after = (_counted(query, columns, columns[name], each) for each in chosen)
    for found in (before, after):
        refuse_small_cells(request.min_cell, found.whole, found.segments)
    labels = (cutoff_text(chosen[0]), cutoff_text(chosen[1]))
    _tell(columns[name], labels, start, end)
    return (before, after), labels


def _chosen(column: Column, start: str | None, end: str | None) -> tuple[object, object]:
    """Return the two periods that are asked for, as the column holds them."""
    labels = _ordered(labels_of(column))
    if len(labels) < 2:  # noqa: PLR2004 - before and after
        found = "none" if not labels else f"one, {_listed(labels)}"
        raise Failure(f"--period {column.name} needs two periods, and the column holds {found}")
    first = labels[0] if start is None else _named(labels, start, "--from", column.name)
    last = labels[-1] if end is None else _named(labels, end, "--to", column.name)
    if first == last:
        raise Failure(f"--from and --to are the same period, {_listed([first])}; name two")
    return first, last


def _tell(column: Column, labels: tuple[str, str], start: str | None, end: str | None) -> None:
    """Say which periods were taken where they were not named, and how many rows have none."""
    from capcurve.view.format import counted

    flags = [flag for flag, said in (("--from", start), ("--to", end)) if said is None]
    if flags:
        how = "name others" if len(flags) > 1 else "names another"
        note(f"{column.name}: from {labels[0]} to {labels[1]}; {' and '.join(flags)} {how}")
    if column.missing is not None and column.missing.any():
        rows = counted(int(column.missing.sum()), "row")
        note(f"left out for lack of a {column.name}: {rows}")


def _ordered(labels: Mapping[object, int]) -> list[Any]:
    """Return periods in their order: that of numbers, dates or text."""
    return sorted(cast("Any", labels), key=lambda label: (isinstance(label, str), label))


def _named(labels: Sequence[object], word: str, flag: str, column: str) -> object:
    """Return the period that a word stands for."""
    found = label_of(labels, word)
    if found is None:
        raise Failure(f"{flag} {word} is not in {column!r}, which holds {_listed(labels)}")
    return found


def _listed(labels: Sequence[object]) -> str:
    """Return the names of periods, of many the first and the last."""
    from capcurve.view.format import cutoff_text

    texts = [cutoff_text(label) for label in labels]
    if len(texts) <= SHOWN:
        return ", ".join(texts)
    half = SHOWN // 2
    return f"{', '.join(texts[:half])}, ... {', '.join(texts[-half:])} ({len(texts)} in all)"


def _counted(
    query: Query, columns: Mapping[str, Column], periods: Column, chosen: object
) -> Counted:
    """Count the rows of one period."""
    import numpy as np

    from capcurve.input import count_each

    rows = periods.values == np.array(chosen, dtype=periods.values.dtype)
    if periods.missing is not None:
        rows &= ~periods.missing
    data = {name: _picked(column, rows) for name, column in columns.items()}
    return Counted(*count_each(replace(query, data=data)))


def _picked(column: Column, rows: Any) -> Any:
    """Return some rows of a column, which lack a value where they did."""
    import numpy as np

    values = column.values[rows]
    return values if column.missing is None else np.ma.array(values, mask=column.missing[rows])
