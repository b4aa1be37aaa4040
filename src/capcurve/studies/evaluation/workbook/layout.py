"""Where things stand on a sheet of cut-offs: its columns, its rows, the cells of its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.studies.evaluation.workbook.book import address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Ranking
    from capcurve.results import Summary
    from capcurve.studies.evaluation.workbook.stretches import Rows

SCORE, P, N, CUM_P, CUM_N, Q, CAPTURED, FPR, GAP, PRECISION, LIFT, INSIDE = range(12)
HEAD_ROW = 3
# The first row of the table selects nobody.
NOBODY = HEAD_ROW + 1
# Beside the table: numbers and their values, with the name of the score in a cell of its own.
LABEL, VALUE = 13, 14
NAME = (2, LABEL)
PREVALENCE = address(HEAD_ROW + 4, VALUE)


@dataclass(frozen=True, slots=True)
class Span:
    """The rows of the table, as parts of formulas."""

    first: int
    last: int

    @classmethod
    def of_rows(cls, rows: Rows) -> Span:
        """Return the span of some rows below the one that selects nobody."""
        return cls(NOBODY, NOBODY + len(rows))

    def of(self, column: int) -> str:
        """Return the range of a column."""
        return f"{address(self.first, column)}:{address(self.last, column)}"


@dataclass(frozen=True, slots=True)
class Scored:
    """A score with its counts of both classes, and which of the scores it is."""

    name: str
    counts: Ranking
    summary: Summary
    place: int

    @property
    def sheet(self) -> str:
        """The name of its sheet of cut-offs."""
        return f"Cut-offs {self.place + 1}" if self.place else "Cut-offs"


@dataclass(frozen=True, slots=True)
class Live:
    """Where the numbers of a score stand that follow from the counts on its sheet."""

    scored: Scored  # the score
    # The cell of each number, by the key of the headline number, and its value.
    cells: Mapping[str, tuple[str, float]]
    span: Span  # the rows of the table
    reference: int  # first row of the three points of the perfect and the random CAP

    def linked(self, key: str) -> str:
        """Return a formula that repeats a number on another sheet."""
        return f"='{self.scored.sheet}'!{self.cells[key][0]}"
