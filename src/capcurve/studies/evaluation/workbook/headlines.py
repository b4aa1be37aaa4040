"""The first sheet: headline numbers of each score, live beside those of capcurve, and the CAP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.results.figures import figures, pd_sentence, verdict_sentence
from capcurve.show.format import stated_percent
from capcurve.studies.evaluation.workbook.charts import cap_chart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.results import Summary
    from capcurve.show.figure import Figure
    from capcurve.show.finding import Finding
    from capcurve.studies.evaluation.workbook.book import Book, Sheet
    from capcurve.studies.evaluation.workbook.classes import OfClasses
    from capcurve.studies.evaluation.workbook.layout import Live

WIDTH = 5  # columns besides the first
LETTERS = 112
AT_THE_SIDE = 7
A_PAGE = 2  # scores


def write_summary(
    book: Book, sheet: Sheet, content: OfClasses, several: Mapping[str, Live]
) -> None:
    """Write every headline number as a formula, with the library's value and interval beside."""
    sheet.text(0, 0, content.title, "title")
    row = _about(sheet, content, 1)
    tops = []
    for name, summary in content.summaries.items():
        tops.append(row)
        row = _score(sheet, summary, several.get(name), row + 1)
    sheet.raw.set_h_pagebreaks(tops[A_PAGE::A_PAGE])
    row = _findings(sheet, content.about_all(), "All scores", row)
    if several:
        cap_chart(book, sheet, list(several.values()), (3, AT_THE_SIDE))
    sheet.widths(30, 13, 13, 11, 11, 44, 2)
    sheet.printed()


def _about(sheet: Sheet, content: OfClasses, row: int) -> int:
    first = next(iter(content.summaries.values()))
    made = f"{first.version} computed the values beside them."
    live = f"Formulas follow from the counts on the sheets of cut-offs; capcurve {made}"
    said = [f"Source: {content.source}"] if content.source else []
    for words in (*said, live):
        sheet.paragraph(row, words, WIDTH, LETTERS, "note")
        row += 1
    return row


def _score(sheet: Sheet, summary: Summary, live: Live | None, row: int) -> int:
    """Write the numbers of a score; return the next free row."""
    sheet.text(row, 0, summary.name, "subtitle")
    sheet.paragraph(row + 1, summary.sentence, WIDTH, LETTERS)
    row += 2
    for sentence in filter(None, (verdict_sentence(summary), pd_sentence(summary))):
        sheet.paragraph(row, sentence, WIDTH, LETTERS)
        row += 1
    if live is not None:
        sheet.heads(row, ["number", "formula", "capcurve", *_limits(summary)])
        sheet.text(row, WIDTH, "note", "head indented")
        for figure in figures(summary):
            row += 1
            _figure(sheet, row, figure, live, weighted=summary.weighted)
        row += 2
    return _findings(sheet, summary.findings, "What to know", row) + 1


def _limits(summary: Summary) -> list[str]:
    level = stated_percent(summary.level)
    return [f"{level} low", f"{level} high"]


def _figure(sheet: Sheet, row: int, figure: Figure, live: Live, *, weighted: bool) -> None:
    key = figure.metric
    # Of all the forms the sheet writes numbers of cases alone otherwise where they are weights.
    style = "weight" if figure.form == "count" and weighted else figure.form
    sheet.text(row, 0, figure.label)
    # What PDs promise follows from every PD, not from the counts at cut-offs.
    if key in live.cells:
        sheet.formula(row, 1, live.linked(key), live.cells[key][1], style)
    around = [figure.value, *(() if figure.low is None else (figure.low, figure.high))]
    for column, value in enumerate(around, 2):
        sheet.put(row, column, value, style)
    if figure.note:
        sheet.text(row, WIDTH, figure.note, "note indented")


def _findings(sheet: Sheet, found: tuple[Finding, ...], head: str, row: int) -> int:
    if not found:
        return row
    sheet.text(row, 0, head, "bold")
    for finding in found:
        row += 1
        words = f"{finding.severity}: {finding.message}; {finding.advice}"
        sheet.paragraph(row, words, WIDTH, LETTERS, "note")
    return row + 1
