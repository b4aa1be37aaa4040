"""The sheet of cut-offs of a score: counts as values, and all else as formulas on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.plots.models import SHORT_NAME
from capcurve.show.format import amount, shortened
from capcurve.studies.evaluation.workbook.book import letters
from capcurve.studies.evaluation.workbook.charts import captured_of_both
from capcurve.studies.evaluation.workbook.layout import (
    CAPTURED,
    CUM_N,
    CUM_P,
    FPR,
    GAP,
    HEAD_ROW,
    INSIDE,
    LIFT,
    NAME,
    NOBODY,
    PRECISION,
    PREVALENCE,
    SCORE,
    Live,
    N,
    P,
    Q,
    Scored,
    Span,
)
from capcurve.studies.evaluation.workbook.numbers import write_numbers, write_reference
from capcurve.studies.evaluation.workbook.shares import Shares
from capcurve.studies.evaluation.workbook.stretches import Rows, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.studies.evaluation.workbook.book import Book, Sheet

HEADS = (
    *("score", "positives", "negatives", "cum. positives", "cum. negatives", "share of cases"),
    *("captured", "false positive rate", "gap (KS)", "precision", "lift"),
)
CHART_AT = (HEAD_ROW, 18)


def write_cutoffs(book: Book, scored: Scored) -> Live:
    """Write the sheet of a score and return where its numbers stand."""
    sheet, summary = book.sheet(scored.sheet), scored.summary
    stated = summary.stated_prevalence
    rows = rows_of(scored.counts, list(summary.captured), stated)
    shares = Shares.of(rows, stated)
    _explain(sheet, scored, rows)
    _write_rows(sheet, rows, shares, stated)
    cells = write_numbers(sheet, rows, shares, summary)
    _name_totals(book, scored, cells)
    reference = write_reference(sheet, cells["prevalence"][1])
    live = Live(scored, cells, Span.of_rows(rows), reference)
    captured_of_both(book, sheet, live.span, CHART_AT)
    _look(sheet, live.span.last)
    return live


def _explain(sheet: Sheet, scored: Scored, rows: Rows) -> None:
    graded = scored.counts.levels is not None
    sign = "at or above" if scored.counts.higher_is == "positive" else "at or below"
    rule = "down to the grade of its row" if graded else f"whose score is {sign} that of its row"
    sheet.text(0, 0, f"Cut-offs of {scored.name}", "title")
    sheet.text(*NAME, shortened(scored.name, SHORT_NAME), "bold")
    sheet.text(1, 0, f"Each row selects the cases {rule}. Counts are values, all else formulas.")
    if len(rows) < rows.scores:
        held = f"{amount(rows.scores)} distinct scores in {amount(len(rows))} rows"
        told = "each holds a stretch of scores; pairs won less lost inside them keep AR exact"
        sheet.text(2, 0, f"{held}: {told}.", "note")


def _write_rows(sheet: Sheet, rows: Rows, shares: Shares, stated: float | None) -> None:
    graded = any(isinstance(score, str) for score in rows.score)
    inside = ["pairs inside"] if rows.inside is not None else []
    sheet.heads(HEAD_ROW, [*HEADS, *inside], int(graded))
    sheet.text(NOBODY, SCORE, "none", "text" if graded else "general")
    for column in (P, N, CUM_P, CUM_N):
        sheet.put(NOBODY, column, 0, rows.style)
    for place in range(len(rows) + 1):
        if place:
            _write_counts(sheet, rows, shares, place)
        _write_shares(sheet, shares, place, stated)


def _write_counts(sheet: Sheet, rows: Rows, shares: Shares, place: int) -> None:
    """Write the score and the cases of a row, and their running sums."""
    row = NOBODY + place
    sheet.put(row, SCORE, rows.score[place - 1])
    for column, cases in ((P, rows.positives), (N, rows.negatives)):
        sheet.put(row, column, cases[place - 1], rows.style)
    for column, of, sums in ((CUM_P, P, shares.tp), (CUM_N, N, shares.fp)):
        words = f"={letters(column)}{row}+{letters(of)}{row + 1}"
        sheet.formula(row, column, words, sums[place], rows.style)
    if rows.inside is not None:
        sheet.put(row, INSIDE, rows.inside[place - 1], rows.style)


def _write_shares(sheet: Sheet, shares: Shares, place: int, stated: float | None) -> None:
    """Write what follows from the running sums of a row."""
    row = NOBODY + place
    tp, fp, q, captured, fpr = (f"{letters(c)}{row + 1}" for c in (CUM_P, CUM_N, Q, CAPTURED, FPR))
    share, hit = f"=({tp}+{fp})/Cases", f"={tp}/({tp}+{fp})"
    if stated is not None:
        share = f"={PREVALENCE}*{captured}+(1-{PREVALENCE})*{fpr}"
        hit = f"={PREVALENCE}*{captured}/{q}"
    gap = f"=({tp}*Negatives-{fp}*Positives)/(Positives*Negatives)"
    sheet.formula(row, Q, share, shares.q[place], "share")
    sheet.formula(row, CAPTURED, f"={tp}/Positives", shares.captured[place], "share")
    sheet.formula(row, FPR, f"={fp}/Negatives", shares.fpr[place], "share")
    sheet.formula(row, GAP, gap, shares.gap[place], "ratio")
    if place:
        sheet.formula(row, PRECISION, hit, shares.precision[place], "share")
        sheet.formula(row, LIFT, f"={captured}/{q}", shares.lift[place], "lift")


def _name_totals(book: Book, scored: Scored, cells: Mapping[str, tuple[str, float]]) -> None:
    """Give Cases, Positives and Negatives their names; those of further scores on their sheet."""
    where = f"'{scored.sheet}'!"
    for key, name in (("n", "Cases"), ("n1", "Positives"), ("n0", "Negatives")):
        book.raw.define_name(f"{where if scored.place else ''}{name}", f"={where}{cells[key][0]}")


def _look(sheet: Sheet, last: int) -> None:
    """Set widths, what stays in sight, and what is printed."""
    sheet.widths(16, *[11] * 11, 3, 22, 12, 9, 7)
    sheet.high(HEAD_ROW, 2)
    sheet.raw.freeze_panes(NOBODY, 1)
    sheet.raw.ignore_errors({"number_stored_as_text": f"A{NOBODY + 1}:A{last + 1}"})
    sheet.raw.print_area(0, 0, last, INSIDE)
    sheet.printed(repeated=HEAD_ROW)
