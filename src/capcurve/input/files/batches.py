"""Query results batch by batch as NumPy arrays, for what is too large to come at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.input.files.arrow import PLAIN, batches, numbers_of
from capcurve.input.files.engine import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    from numpy.typing import NDArray


def fetch_batches(
    connection: duckdb.DuckDBPyConnection, sql: str, label: str
) -> Iterator[list[NDArray[Any]]]:
    """Run one statement and bring its numbers home batch by batch, as copies.

    Parameters
    ----------
    connection
        Where to run it.
    sql
        The statement; its columns are numbers without nulls.
    label
        What to call the file.

    Yields
    ------
    list of ndarray
        One array per column.

    Raises
    ------
    ValueError
        When DuckDB cannot read the file: one line that says why.
    """
    with one_line(label):
        relation = connection.sql(sql)
        dtypes = [PLAIN[str(kind)] for kind in relation.types]
        stream = batches(relation)
    while True:
        with one_line(label):
            batch = next(stream, None)
        if batch is None:
            return
        columns = [batch.children[place].contents for place in range(len(dtypes))]
        if any(column.null_count > 0 for column in columns):
            raise ValueError(
                f"{label} changed while it was read: a value is missing that was there"
            )
        yield [numbers_of(column, dtype) for column, dtype in zip(columns, dtypes, strict=True)]
