"""The least and the greatest of the tables that fit, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.audit.bins import accuracy_ratio, extreme
from capcurve.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.bins import Bins
    from capcurve.audit.tables import Tables
    from capcurve.counts.types import Array


def end_tables(tables: Tables, names: Sequence[str]) -> tuple[Table, Table]:
    """Return the table with the lowest and that with the highest accuracy ratio."""
    low = extreme(tables.least, lambda bins: accuracy_ratio(bins, "low"), lowest=True)[1]
    high = extreme(tables.greatest, lambda bins: accuracy_ratio(bins, "high"), lowest=False)[1]
    return _table("least", low, names), _table("greatest", high, names)


def _table(name: str, bins: Bins, names: Sequence[str]) -> Table:
    ends = list(bins.each())
    positives = [p - p0 for p0, p, *_ in ends]
    cases = [p - p0 + m - m0 for p0, p, m0, m in ends]
    running = [p + m for _, p, _, m in ends]
    columns: dict[str, Array] = {"bin": np.array(names, dtype=np.str_)}
    if bins.counted:
        columns |= {
            "n": _whole(cases),
            "positives": _whole(positives),
            "cum_n": _whole(running),
            "cum_positives": _whole(bins.positives),
        }
    columns |= {
        "rate": np.array(
            [float(p / n) if n else np.nan for p, n in zip(positives, cases, strict=True)]
        ),
        "selected": np.array([float(n / bins.n) for n in running]),
        "captured": np.array([float(p / bins.n1) for p in bins.positives]),
        "fpr": np.array([float(m / bins.n0) for m in bins.negatives]),
    }
    return Table(name, columns)


def _whole(counts: Sequence[Any]) -> Array:
    column = np.array(counts, dtype=object)
    return column.astype(np.int64) if all(abs(each) < 2**62 for each in counts) else column
