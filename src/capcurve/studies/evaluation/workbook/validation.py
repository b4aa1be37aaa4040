"""The sheet of the test against the first validation: type the initial AUC, read off S and p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.inference.comparing import spread_of_one
from capcurve.studies.evaluation.workbook.book import letters, lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.inference.differences import Spread
    from capcurve.studies.evaluation.workbook.book import Book, Sheet
    from capcurve.studies.evaluation.workbook.layout import Live

MOST_GRADES = 30
LETTERS = 96
NAME_LETTERS = 15
LINES = (
    "AUC now",
    "positives now",
    "negatives now",
    "variance of the AUC now",
    "degrees of freedom",
    "initial AUC",
    "variance of the initial AUC",
    "initial positives",
    "initial negatives",
    "initial less current",
    "standard error",
    "S",
    "p-value, one-sided",
)
AUC, N1, N0, VARIANCE, DF, INITIAL, FIRST_VARIANCE, FIRST_N1, FIRST_N0, LOSS, SE, S, P = range(13)
TOP = 3
HOW = (
    "Type the AUC of the first validation into the coloured cells. S is the loss over its standard "
    "error, and the p-value the chance of such a loss in an unchanged model: a small one says that "
    "the score ranks worse today."
)
KNOWN = (
    "Leave the variance of the initial AUC empty to treat that AUC as known, as the ECB's "
    "instructions for reporting validation results (2019, section 2.5.4) do; p-values are then too "
    "small where it was estimated on as many cases. With its variance, S allows for both samples "
    "by the normal law; test_against_initial in Python, with the counts of both, joins their "
    "intervals instead."
)


@dataclass(frozen=True, slots=True)
class Column:
    """The test of one score: where it stands, and how sure today's AUC is."""

    live: Live
    place: int
    spread: Spread | None
    why: str
    notes: tuple[str, ...]

    def cell(self, line: int) -> str:
        """Return the cell of a line."""
        return f"{letters(self.place)}{TOP + line + 2}"


def write_validation(book: Book, several: Sequence[Live]) -> None:
    """Write the test of each score against an AUC that the reader types in."""
    sheet = book.sheet("Validation")
    sheet.text(0, 0, "Does the score rank worse than at its first validation?", "title")
    sheet.heads(TOP, ["number", *(live.scored.name for live in several)])
    sheet.high(TOP, max(lines_of(live.scored.name, NAME_LETTERS) for live in several))
    for line, label in enumerate(LINES):
        style = "bold" if line in {S, P} else "text"
        sheet.text(TOP + 1 + line, 0, label, style)
    columns = [_column(live, place) for place, live in enumerate(several, start=1)]
    for column in columns:
        _write(sheet, column)
    row = TOP + len(LINES) + 2
    told = [f"{c.live.scored.name}: {note}." for c in columns for note in (c.why, *c.notes) if note]
    last = max(len(several), 4)
    for words in (HOW, KNOWN, *told):
        sheet.paragraph(row, words, last, LETTERS, "note")
        row += 1
    sheet.widths(30, *[18] * last)
    sheet.printed()


def _column(live: Live, place: int) -> Column:
    counts = live.scored.counts
    notes: tuple[str, ...] = ()
    if len(counts) > MOST_GRADES:
        notes = (f"{len(counts):,} distinct scores; the ECB tests the AUC of rating grades",)
    try:
        spread = spread_of_one(counts)
    except ValueError as error:
        return Column(live, place, None, str(error), notes)
    method = "DeLong" if counts.groups is None else spread.method
    return Column(live, place, spread, "", (f"variance: {method}", *spread.notes, *notes))


def _write(sheet: Sheet, column: Column) -> None:
    live, place = column.live, column.place
    weighted = live.scored.summary.weighted
    for line, key, style in (
        (AUC, "roc_auc", "fine"),
        (N1, "n1", "weight" if weighted else "count"),
        (N0, "n0", "weight" if weighted else "count"),
    ):
        sheet.formula(TOP + 1 + line, place, live.linked(key), live.cells[key][1], style)
    clustered = live.scored.counts.groups is not None
    if column.spread is None:
        sheet.text(TOP + 1 + VARIANCE, place, "unknown", "general")
    else:
        sheet.put(TOP + 1 + VARIANCE, place, column.spread.variance, "tiny")
        df = column.spread.df if clustered else None
        if df is None:
            sheet.text(TOP + 1 + DF, place, "normal law", "general")
        else:
            sheet.put(TOP + 1 + DF, place, df)
    for line, style in ((INITIAL, "fine"), (FIRST_VARIANCE, "tiny"), *_initial_sizes()):
        sheet.put(TOP + 1 + line, place, None, f"input {style}")
    spread = column.spread
    for line, words, style in formulas_of(column, clustered=clustered):
        value = "" if line != SE or spread is None else spread.variance**0.5
        sheet.formula(TOP + 1 + line, place, words, value, style)


def _initial_sizes() -> tuple[tuple[int, str], ...]:
    return ((FIRST_N1, "count"), (FIRST_N0, "count"))


def formulas_of(column: Column, *, clustered: bool) -> list[tuple[int, str, str]]:
    """Return the formulas of the test; empty text until the initial AUC is there."""
    cell = column.cell
    loss, se, s = cell(LOSS), cell(SE), cell(S)
    upper = f"1-NORMSDIST({s})"
    if clustered:
        # TDIST would cut the degrees of freedom to whole ones.
        df = cell(DF)
        half = f"BETADIST({df}/({df}+{s}^2),{df}/2,0.5)/2"
        upper = f"IF({s}>=0,{half},1-{half})"
    known = f"ISNUMBER({cell(VARIANCE)})"
    return [
        (LOSS, f'=IF(ISNUMBER({cell(INITIAL)}),{cell(INITIAL)}-{cell(AUC)},"")', "fine"),
        (SE, f'=IF({known},SQRT({cell(VARIANCE)}+N({cell(FIRST_VARIANCE)})),"")', "fine"),
        (S, f'=IF(AND(ISNUMBER({loss}),ISNUMBER({se})),{loss}/{se},"")', "ratio"),
        (P, f'=IF(ISNUMBER({s}),{upper},"")', "fine"),
    ]
