"""Table: named columns of equal length, which print aligned and feed any data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

MOST_ROWS_SHOWN = 60


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """A table: columns by name, in order.

    `pandas.DataFrame(table.columns)` and `polars.DataFrame(table.columns)` both work.

    Attributes
    ----------
    name
        What the table is.
    columns
        One array per column, all of one length; NaN or None where a number is undefined.
    note
        What a reader must know about it, or None.

    Examples
    --------
    >>> import numpy as np
    >>> Table("demo", {"bin": np.array([1, 2]), "lift": np.array([2.5, np.nan])})
    bin  lift
      1   2.5
      2     -
    """

    name: str
    columns: Mapping[str, NDArray[Any]]
    note: str | None = None

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as plain Python values, None where a number is undefined."""
        lists = [plain_column(column) for column in self.columns.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the table as values that strict JSON can hold."""
        columns = {name: plain(plain_column(column)) for name, column in self.columns.items()}
        return {"name": self.name, "note": self.note, "columns": columns}

    def __repr__(self) -> str:
        shown = {name: _shown(column) for name, column in self.columns.items()}
        widths = {n: max(len(n), *map(len, cells), 1) for n, cells in shown.items()}
        lines = ["  ".join(name.rjust(widths[name]) for name in shown)]
        count = min(len(self), MOST_ROWS_SHOWN)
        lines += ["  ".join(shown[n][i].rjust(widths[n]) for n in shown) for i in range(count)]
        if len(self) > count:
            lines.append(f"... {len(self) - count} more rows")
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)


def plain_column(column: NDArray[Any]) -> list[Any]:
    """Return a column as Python values, None for NaN."""
    return [None if isinstance(v, float) and v != v else v for v in column.tolist()]  # noqa: PLR0124 - NaN


def _shown(column: NDArray[Any]) -> list[str]:
    cells = plain_column(column[:MOST_ROWS_SHOWN])
    return ["-" if cell is None else cell_text(cell) for cell in cells]


def cell_text(cell: Any) -> str:
    """Return one value as a person reads it: whole numbers whole, others to 4 digits.

    Examples
    --------
    >>> cell_text(9857), cell_text(0.0312345), cell_text(2.5), cell_text(float("inf"))
    ('9857', '0.03123', '2.5', 'inf')
    """
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:  # noqa: PLR2004 - exact in a float
        return str(int(cell))
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
