"""Whether ids repeat: rows that share one belong together, whatever else is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.input.arrays.groups import segment_codes
from capcurve.input.columns import as_column
from capcurve.input.frames import grouped_columns
from capcurve.input.gathering import columns_of


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often ids occur.

    Attributes
    ----------
    rows
        Rows that have an id.
    ids
        Different ids.
    sharing
        Rows whose id another row has too.
    """

    rows: int
    ids: int
    sharing: int


def count_repeats(row_id: Any, *, data: Any = None) -> Repeats:
    """Count rows, different ids and the rows that share theirs; rows without an id do not count.

    Parameters
    ----------
    row_id
        An id per row; with `data`, the name of that column.
    data
        As in `count_scores`.

    Examples
    --------
    >>> count_repeats(["a", "b", "a", None])
    Repeats(rows=3, ids=2, sharing=2)
    """
    if data is None:
        column, times = as_column(row_id, "id"), None
    else:
        columns = columns_of(data, [row_id])
        if isinstance(columns, nw.LazyFrame):
            columns, times = grouped_columns(columns, [row_id])
        else:
            times = None
        column = columns[row_id]
    keys, codes = segment_codes(column)
    sizes = np.bincount(codes, weights=times, minlength=len(keys)).astype(np.int64)
    known = sizes[[key is not None for key in keys]]
    known = known[known > 0]
    return Repeats(int(known.sum()), len(known), int(known[known > 1].sum()))
