"""OrdinalCounts: how many cases have each estimate and each outcome of several classes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from capcurve.counts.table import Counts, joined_columns, refuse_too_many
from capcurve.numbers.arguments import arg, as_finite, as_word, refused, told, word
from capcurve.numbers.order import add_up, sorted_runs
from capcurve.numbers.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.counts.settings import Dropped
    from capcurve.numbers.types import Array, Floats, Ints, Places

Closed = Literal["left", "right"]
# "ecb", "values", or the edges between classes, ascending.
Classes: TypeAlias = "Literal['ecb', 'values'] | tuple[float, ...]"
# Ordinal counts, or a table with a row per estimated and a column per realised class.
OrdinalTable: TypeAlias = "OrdinalCounts | Ints | Sequence[Sequence[int] | Ints]"

# ECB (2019), annex 3.2: up to so many grades are classes of their own, else these segments are.
MOST_LGD_GRADES = 20
LGD_SEGMENTS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
# An LGD above 150% is rare; where most are, they are percentages.
PERCENT = 1.5
MOST_ORDINAL_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class ClassEdges:
    """The classes of one side of a table, ascending, by the edges between them."""

    # With `each` the edges are the only values there are, and each is a class of its own.

    edges: Floats
    closed: Closed
    each: bool = False

    def __len__(self) -> int:
        return len(self.edges) + (not self.each)

    def places(self, values: Floats) -> Places:
        """Return the class of each value."""
        return np.searchsorted(self.edges, values, "right" if self.closed == "left" else "left")

    def names(self) -> tuple[str, ...]:
        """Return what to call the classes."""
        edges = [f"{edge:.15g}" for edge in self.edges]
        if self.each or not edges:
            return tuple(edges) if self.each else ("all",)
        left = self.closed == "left"
        opens, closes, below, above = ("[", ")", "<", ">=") if left else ("(", "]", "<=", ">")
        between = [f"{opens}{a}, {b}{closes}" for a, b in pairwise(edges)]
        return (f"{below} {edges[0]}", *between, f"{above} {edges[-1]}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrdinalCounts(Counts):
    """How many cases have each pair of an estimate and an outcome, such as LGDs; they add.

    Pairs are kept as they are and put into classes when the table is asked for: the ECB's
    classes depend on all estimates, so only whole pairs give shards the sum of the whole.

    Attributes
    ----------
    estimated, realised
        The distinct pairs, ascending by estimate and then by outcome, shape (K,) each.
    cases
        How many cases have each pair, shape (K,).
    classes
        "ecb", "values", or the edges between classes, ascending; as in `count_classes`.
    closed
        Which end belongs to a class between two edges; None for "ecb" and "values".
    dropped
        Rows left out for missing values, or None when that was not asked for.

    Examples
    --------
    Two grades, so realised losses have three classes: up to .2, up to .6 and above.

    >>> from capcurve import count_classes
    >>> counts = count_classes([0.1, 0.2, 0.9, 0.5], [0.2, 0.2, 0.6, 0.6])
    >>> counts.table
    array([[2, 0, 0],
           [0, 1, 1]])
    >>> (counts + counts).n
    8
    """

    NONE: ClassVar[str] = "counts to add up, so it is not known of what classes"
    FIELDS: ClassVar[tuple[str, ...]] = ("classes", "closed", "dropped")

    estimated: Floats
    realised: Floats
    cases: Ints
    classes: Classes = "ecb"
    closed: Closed | None = None
    dropped: Dropped | None = None

    @classmethod
    def from_rows(
        cls,
        estimated: Floats,
        realised: Floats,
        cases: Ints,
        *,
        classes: Classes = "ecb",
        closed: Closed | None = None,
        dropped: Dropped | None = None,
    ) -> Self:
        """Add up equal pairs: the last step of every input."""
        order, starts = sorted_runs([estimated, realised])
        # Adding 0 makes one zero of 0.0 and -0.0.
        distinct = [column[order][starts] + 0.0 for column in (estimated, realised)]
        sums = add_up(cases[order], starts)
        return cls(distinct[0], distinct[1], sums, classes, closed, dropped)

    @property
    def keys(self) -> tuple[Floats, Floats]:
        """What tells pairs apart: the estimate and the outcome."""
        return self.estimated, self.realised

    @property
    def sums(self) -> tuple[Ints]:
        """What adds up where pairs are equal: their cases."""
        return (self.cases,)

    @property
    def groups(self) -> None:
        """Counts per group of clusters: none are held."""

    def settings(self) -> dict[str, object]:
        """Return what must be equal for counts to add: the classes."""
        return {"classes": self.classes, "closed": self.closed}

    @classmethod
    def all_of(cls, many: Iterable[Self]) -> list[Self]:
        """Return all of many counts, or raise when they were counted in different classes."""
        parts = super(OrdinalCounts, cls).all_of(many)
        kinds = list(dict.fromkeys(map(_written_classes, parts)))
        if len(kinds) > 1:
            raise ValueError(
                f"counts in classes {kinds[0]} and in {kinds[1]} do not add; count all parts with "
                f"the same {arg('classes')}"
            )
        return parts

    @classmethod
    def added(cls, parts: Sequence[Self], **changed: Any) -> Self:
        """Return the sum of two or more counts with cases, all in the same classes."""
        refuse_too_many(sum(part.n for part in parts))
        estimated, realised = joined_columns([part.keys for part in parts])
        cases = np.concatenate([part.cases for part in parts])
        return cls.from_rows(estimated, realised, cases, **{**parts[0].fields(), **changed})

    @property
    def n(self) -> int:
        """All cases."""
        return int(self.cases.sum())

    @property
    def axes(self) -> tuple[ClassEdges, ClassEdges]:
        """The classes of the estimates and those of the outcomes."""
        if self.classes == "values":
            own, other = (ClassEdges(np.unique(each), "right", each=True) for each in self.keys)
            return own, other
        if self.classes != "ecb":
            both = ClassEdges(np.array(self.classes), self.closed or "left")
            return both, both
        grades = np.unique(self.estimated)
        if len(grades) <= MOST_LGD_GRADES:
            return ClassEdges(grades, "right", each=True), ClassEdges(grades, "right")
        self.refuse_percent(instead=f", or pass the edges as {arg('classes')}")
        segments = ClassEdges(np.array(LGD_SEGMENTS), "left")
        return segments, segments

    def refuse_percent(self, whose: str = "", instead: str = "") -> None:
        """Raise ValueError where most LGDs are percentages."""
        for name, values in (("estimates", self.estimated), ("outcomes", self.realised)):
            if 2 * int(self.cases[values > PERCENT].sum()) > self.n:
                raise ValueError(
                    f"most {name}{whose} are above {PERCENT:.0%}, the largest {values.max():g}: "
                    "the ECB's classes are of shares, 0.45 for 45%; divide percentages by 100"
                    f"{instead}"
                )

    @property
    def table(self) -> Ints:
        """Cases by class: a row per class of estimates, a column per class of outcomes.

        Both ascend. Raises ValueError for more than a million cells.
        """
        rows, columns = self.axes
        if len(rows) * len(columns) > MOST_ORDINAL_CELLS:
            raise ValueError(
                f"{len(rows):,} different estimates and {len(columns):,} different outcomes make a "
                f"table of more than {MOST_ORDINAL_CELLS:,} cells; pass the edges of classes as "
                f"{arg('classes')}"
            )
        place = rows.places(self.estimated) * len(columns) + columns.places(self.realised)
        table = np.zeros(len(rows) * len(columns), dtype=np.int64)
        np.add.at(table, place, self.cases)
        return table.reshape(len(rows), len(columns))

    def digest(self) -> str:
        """Return a fingerprint: the same for equal counts, whatever the order of the rows."""
        header = json.dumps([plain(self.classes), self.closed, len(self)])
        found = hashlib.sha256(header.encode())
        for column in (self.estimated, self.realised):
            found.update(np.ascontiguousarray(column, dtype="<f8").data)
        found.update(np.ascontiguousarray(self.cases, dtype="<i8").data)
        return found.hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the table and its classes as values that strict JSON can hold."""
        rows, columns = self.axes
        return {
            "n": plain(self.n),
            "estimated_classes": list(rows.names()),
            "realised_classes": list(columns.names()),
            "table": plain(self.table),
            "dropped": None if self.dropped is None else self.dropped.to_dict(),
            "digest": self.digest(),
        }

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        return f"OrdinalCounts(n={self.n}, distinct pairs={len(self)}, classes={self.classes!r})"


def _written_classes(counts: OrdinalCounts) -> str:
    closed = "" if counts.closed is None else f" closed on the {counts.closed}"
    return told(counts.classes) + closed


def check_classes(classes: Any, closed: Any) -> tuple[Classes, Closed | None]:
    """Return the classes that are asked for and how they close, else raise ValueError."""
    if closed is not None:
        as_word(closed, "closed", get_args(Closed), either=True)
    if isinstance(classes, str) and classes in ("ecb", "values"):
        if closed is not None:
            raise ValueError(
                f"{arg('closed')} is for edges, and {word(classes=classes)} has its own; leave it "
                "out"
            )
        return classes, None  # type: ignore[return-value]  # one of the two
    if isinstance(classes, str) or not hasattr(classes, "__iter__"):
        raise ValueError(f'{refused("classes")} be "ecb", "values" or edges, got {told(classes)}')
    edges = tuple(as_finite(edge, "an edge of classes") + 0.0 for edge in classes)
    if not edges or any(a >= b for a, b in pairwise(edges)):
        raise ValueError(f"the edges of classes must ascend, got {told(list(edges))}")
    return edges, closed or "left"


def is_table(given: Any) -> bool:
    """Return whether this is ordinal counts, an array with two dimensions, or rows of a table."""
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(row, list | tuple | np.ndarray) for row in given)
    return isinstance(given, OrdinalCounts) or (isinstance(given, np.ndarray) and given.ndim == 2)  # noqa: PLR2004 - rows and columns


def table_of(given: OrdinalTable) -> Ints:
    """Return the table of ordinal counts, or a plain table of whole counts that is given."""
    if isinstance(given, OrdinalCounts):
        return given.table
    if not is_table(given):
        raise TypeError(
            "a table is an array with a row per estimated and a column per realised class, got "
            f"{type(given).__name__}: write count_classes(realised, estimated), or pass "
            ".to_numpy() of a cross table"
        )
    try:
        table = np.asarray(given)
    except ValueError:
        raise ValueError("the rows of a table must be equally long") from None
    if table.ndim != 2 or table.dtype.kind not in "iuf":  # noqa: PLR2004 - rows and columns
        raise TypeError(
            f"a table has rows and columns of counts, got {table.dtype} of shape {table.shape}"
        )
    return _as_cases(table)


def _as_cases(table: Array) -> Ints:
    wrong = ~np.isfinite(table) | (table < 0) | (table != np.floor(table))
    if wrong.any():
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        raise ValueError(
            f"a table holds whole counts, zero or more; row {row}, column {column} is "
            f"{told(table[row, column])}; for columns of rows, write count_classes(realised, "
            "estimated)"
        )
    refuse_too_many(sum(int(count) for count in table.ravel().tolist()))
    return table.astype(np.int64)
