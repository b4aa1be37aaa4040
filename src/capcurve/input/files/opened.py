"""A file that is ready to be asked for its columns."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.files.sources import Kind

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Opened:
    """One file as an SQL relation whose columns are c0, c1, ... in the file's own order.

    Attributes
    ----------
    label
        What to call the file.
    kind
        How it is written.
    names
        Its exact column names.
    relation
        SQL to select from.
    types
        What DuckDB calls each column's type; empty for text, which has none.
    delimiter
        What separates the fields of a csv file.
    more
        Whether a csv file holds more than its names.
    """

    label: str
    kind: Kind
    names: tuple[str, ...]
    relation: str
    types: tuple[str, ...] = ()
    delimiter: str = ""
    more: bool = False

    def position(self, name: str) -> int:
        """Find a column by its exact name.

        Parameters
        ----------
        name
            The name, matched letter by letter.

        Returns
        -------
        int
            Where the column stands in the file.

        Raises
        ------
        ValueError
            When no column, or more than one, has this name.
        """
        count = self.names.count(name)
        if count == 1:
            return self.names.index(name)
        if count:
            raise ValueError(f"{self.label} has {count} columns named {name!r}; rename all but one")
        if self.kind == "csv" and all(map(is_number, self.names)):
            raise headless(self.label, self.names)
        close = difflib.get_close_matches(name, self.names, n=1, cutoff=0.6)
        folded = [other for other in self.names if other.strip().lower() == name.strip().lower()]
        likely = [*folded, *close]
        guess = f"did you mean {likely[0]!r}? Its" if likely else "its"
        raise ValueError(
            f"{self.label} has no column {name!r}; {guess} columns are {show(self.names)}"
        )


def headless(label: str, names: Sequence[str]) -> ValueError:
    """Say that a first line of numbers cannot be a line of names."""
    return ValueError(
        f"{label} has no column names: its first line is {show(names)}; "
        f"put a line with the names before it"
    )


def is_number(word: str) -> bool:
    """Whether a word in the first line is data, not a name."""
    try:
        float(word.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def show(names: Sequence[str]) -> str:
    """List names in a message, each in quotes so that blanks can be seen."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more
