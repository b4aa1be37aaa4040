"""Table: named columns of equal length, which print aligned and feed any data frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.meeting import as_written
from capcurve.numbers.nouns import Noun
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT
from capcurve.numbers.plain import plain
from capcurve.numbers.types import Array, Bools, FrozenRecord
from capcurve.show.columns import ColumnName, form_of, heading
from capcurve.show.format import Worded, cutoff_text, plain_text, quantity
from capcurve.show.markup import in_latex, to_html, to_latex, to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

T = TypeVar("T")
MOST_ROWS_SHOWN = 60
# Columns whose cells are such names.
_NAMED = frozenset({"score", "segment", "grade", "period", "threshold"})


class Speaks(Protocol):
    """Says a text in other words: with the target's own noun, or as the command line does."""

    def said(self, text: str) -> str:
        """Return the text in these words."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table(FrozenRecord):
    """A table: columns by name, in order.

    `to_frame()` makes a data frame of it; in a notebook it shows as a table.

    Attributes
    ----------
    name
        What the table is.
    columns
        One array per column, all of one length; NaN where a number is undefined, and a score
        that there is none of is NaN among numbers and empty among text.
    note
        What a reader must know about it, or None.
    square
        Whether rows and columns have one scale, as in a matrix: pages shade it along its diagonal.
    cutoffs
        Texts of scores of many digits: fewer digits that select the same cases when they are typed
        back. People read these; data frames, csv and JSON have the scores in full. Scores of 32 or
        16 bits are held as the decimals that they are written as.

    Examples
    --------
    >>> import numpy as np
    >>> Table("demo", {"bin": np.array([1, 2]), "lift": np.array([2.5, np.nan])})
    bin  lift
      1   2.5
      2     -
    """

    name: str
    columns: Mapping[str, Array]
    note: str | None = None
    square: bool = False
    cutoffs: Mapping[float, str] = field(default_factory=dict)

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as plain Python values, None where a number is undefined."""
        names = [*map(str, self.columns)]
        for row in zip(*self.values().values(), strict=True):
            yield dict(zip(names, row, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the table as values that strict JSON can hold."""
        columns = {str(name): plain(values) for name, values in self.values().items()}
        return {"name": self.name, "note": self.note, "columns": columns}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame of the table.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; the first of these that is installed when left out.

        Examples
        --------
        >>> import numpy as np
        >>> Table("demo", {"bin": np.array([1, 2])}).to_frame("polars").shape
        (2, 1)
        """
        return data_frame(self.values(), backend)

    def in_words(self, positive_word: str) -> Table:
        """Return the table whose headings call positives by another word, such as "defaults"."""
        return self.said_by(Noun.of(positive_word))

    def said_by(self, speaks: Speaks) -> Table:
        """Return the table with its name, note, headings and text in other words."""
        columns = columns_in_words(self.columns, speaks)
        note = self.note and speaks.said(self.note)
        return replace(self, name=speaks.said(self.name), columns=columns, note=note)

    def to_markdown(self) -> str:
        """Return the table in Markdown, with the numbers as people read them."""
        text = to_markdown(self.values())
        return f"{text}\n\n{self.note}" if self.note else text

    _repr_markdown_ = to_markdown

    def to_latex(self, caption: str | None = None) -> str:
        """Return the table in LaTeX, with the rules of the package booktabs."""
        note = f"\n\n{{\\footnotesize {in_latex(self.note)}}}" if self.note else ""
        return to_latex(self.values(), caption) + note

    def to_html(self, caption: str | None = None) -> str:
        """Return the table in HTML, with the numbers as people read them."""
        return to_html(self.values(), caption) + self._note_in_html()

    def _repr_html_(self) -> str:
        short = {name: column[:MOST_ROWS_SHOWN] for name, column in self.values().items()}
        left = len(self) - MOST_ROWS_SHOWN
        more = f"<p>... {left} more rows</p>" if left > 0 else ""
        return to_html(short) + more + self._note_in_html()

    def _note_in_html(self) -> str:
        return f"<p>{escape(self.note)}</p>" if self.note else ""

    def values(self) -> dict[str, list[Any]]:
        """Return the columns as plain values, None where a number is undefined."""
        return {name: self._read(name, column) for name, column in self.columns.items()}

    def _read(self, name: str, column: Array) -> list[Any]:
        """Return a column as plain values, scores of many digits with the text people read."""
        values = _values(name, column)
        if not self.cutoffs or form_of(name) != "score":
            return values
        texts = self.cutoffs
        return [Worded(value, texts[value]) if value in texts else value for value in values]

    def __repr__(self) -> str:
        shown = {
            name: _shown(name, self._read(name, column[:MOST_ROWS_SHOWN]))
            for name, column in self.columns.items()
        }
        widths = {n: max(len(n), *map(len, cells), 1) for n, cells in shown.items()}
        lines = ["  ".join(name.rjust(widths[name]) for name in shown)]
        count = min(len(self), MOST_ROWS_SHOWN)
        lines += ["  ".join(shown[n][i].rjust(widths[n]) for n in shown) for i in range(count)]
        if len(self) > count:
            lines.append(f"... {len(self) - count} more rows")
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)


def _values(name: str, column: Array) -> list[Any]:
    """Return a column as Python values, None where there is none."""
    scores = form_of(name) == "score"
    if scores and column.dtype.kind == "U":
        return [value or None for value in column.tolist()]
    values = [None if isinstance(v, float) and v != v else v for v in column.tolist()]  # noqa: PLR0124 - NaN
    if scores and column.dtype.kind == "f" and _whole(column):
        return [None if value is None else int(value) for value in values]
    return values


def _whole(column: Array) -> bool:
    """Tell whether all numbers of a column that has any are whole, as floats hold them exactly."""
    known = column[~np.isnan(column)]
    exact = np.abs(known) <= LARGEST_EXACT_IN_FLOAT
    return bool((exact & (known == np.floor(known))).all())


def score_column(scores: Array, there: Bools | None = None) -> Array:
    """Return scores or grades as a column of one type, put where they are there.

    Elsewhere stands NaN among numbers and empty text among text. Whole numbers beyond 2^53, which
    floats do not hold, and grades of mixed types stay Python objects, with None.

    >>> import numpy as np
    >>> score_column(np.array([3, 1]), np.array([False, True, True]))
    array([nan,  3.,  1.])
    >>> score_column(np.array(["B", "A"], dtype=object))
    array(['B', 'A'], dtype='<U1')
    """
    gaps = there is not None and not there.all()
    values, fill = _of_one_type(scores, gaps=gaps)
    if there is None or not gaps:
        return values
    column = np.full(len(there), fill, dtype=values.dtype)
    column[there] = values
    return column


def label_column(labels: Iterable[object]) -> Array:
    """Return the names of grades, segments or periods as a column, whatever their type.

    >>> label_column(["B", "A"]), label_column([("B", 1), ("A", 2)]).shape
    (array(['B', 'A'], dtype='<U1'), (2,))
    """
    names = list(labels)
    column = np.empty(len(names), dtype=object)
    column[:] = names
    return score_column(column)


def labelled(name: str, columns: Mapping[str, Iterable[object]], note: str | None = None) -> Table:
    """Return columns of any type as a table."""
    return Table(name, {head: label_column(cells) for head, cells in columns.items()}, note)


def _of_one_type(scores: Array, *, gaps: bool) -> tuple[Array, Any]:
    """Return scores as an array that has a value for none, if there are gaps, and that value."""
    if scores.dtype == object:
        names = scores.tolist()
        if all(isinstance(v, str) and v and not v.endswith("\0") for v in names):
            return np.array(names, dtype=np.str_), ""
        # type() and not isinstance(): True among numbers is a name of its own, not 1.
        plain_numbers = all(type(v) in {int, float} and abs(v) < np.inf for v in names)
        if not plain_numbers or any(abs(v) > LARGEST_EXACT_IN_FLOAT for v in names):
            return scores, None
        scores = np.array(names)
    if scores.dtype.kind == "f" or not gaps:
        return as_written(scores), np.nan
    if len(scores) and max(abs(int(scores.min())), int(scores.max())) > LARGEST_EXACT_IN_FLOAT:
        return scores.astype(object), None
    return scores.astype(np.float64), np.nan


def _shown(name: str, cells: list[Any]) -> list[str]:
    writers: dict[str, Callable[[Any], str]] = {"score": cutoff_text, "quantity": quantity}
    write = writers.get(form_of(name), plain_text)
    return ["-" if cell is None else write(cell) for cell in cells]


def columns_in_words(columns: Mapping[str, T], speaks: Speaks | None) -> dict[str, T]:
    """Return the columns of a table with headings in other words, and their names as they are."""
    if speaks is None:
        return dict(columns)
    return {
        ColumnName(str(name), form_of(name), speaks.said(heading(name))): held
        if str(name) in _NAMED
        else _cells(held, speaks)
        for name, held in columns.items()
    }


def _cells(column: Any, speaks: Speaks) -> Any:
    """Return a column whose cells of text are in other words."""
    if isinstance(column, list):
        return [speaks.said(cell) if type(cell) is str else cell for cell in column]
    if getattr(column, "dtype", np.dtype(float)).kind not in "OU":
        return column
    return label_column(_cells(column.tolist(), speaks))
