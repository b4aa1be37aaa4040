"""The sheet of gains tables: cases by bin as values, rates and lift as formulas on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.show.format import capitalised, form_of
from capcurve.studies.evaluation.workbook.book import letters
from capcurve.studies.evaluation.workbook.charts import rates_by_bin
from capcurve.studies.evaluation.workbook.layout import Span
from capcurve.studies.evaluation.workbook.stretches import written_scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.results import Summary
    from capcurve.studies.evaluation.workbook.book import Book, Sheet

COLUMNS = (
    *("bin", "score_from", "score_to", "n", "positives", "rate"),
    *("cum_n", "cum_positives", "captured", "lift", "cum_lift", "ks"),
)
HEADS = (
    *("bin", "score from", "score to", "cases", "positives", "rate of positives", "cum. cases"),
    *("cum. positives", "captured", "lift", "cum. lift", "gap (KS)"),
)
STYLES = {
    **dict.fromkeys(("rate", "captured"), "share"),
    **dict.fromkeys(("lift", "cum_lift"), "lift"),
    "ks": "ratio",
    "bin": "text",
}
COUNTED = ("n", "positives", "cum_n", "cum_positives")
CHART_ROWS = 16
PLACE = {name: letters(column) for column, name in enumerate(COLUMNS)}


@dataclass(frozen=True, slots=True)
class Bins:
    """The rows of one gains table, and what its formulas refer to."""

    first: int
    last: int
    stated: float | None

    def cell(self, name: str, row: int) -> str:
        """Return the cell of a column in a row."""
        return f"{PLACE[name]}{row + 1}"

    def total(self, name: str) -> str:
        """Return the cell of a column's total."""
        return f"{PLACE[name]}${self.last + 2}"


def write_gains(book: Book, summaries: Mapping[str, Summary]) -> None:
    """Write the gains table of every score below each other, each with its chart."""
    sheet = book.sheet("Gains")
    row, tops = 0, []
    for summary in summaries.values():
        tops.append(row)
        sheet.text(row, 0, f"Gains table of {summary.name}", "title")
        if summary.gains is None:
            sheet.text(row + 1, 0, _why_not(summary), "note")
            row += 3
            continue
        row = _write_table(book, sheet, summary, row + 1)
    sheet.widths(7, 13, 13, *[11] * 9)
    sheet.raw.set_h_pagebreaks(tops[1:])
    sheet.printed()


def _why_not(summary: Summary) -> str:
    return capitalised(summary.undefined or "the totals that were kept do not give bins")


def _write_table(book: Book, sheet: Sheet, summary: Summary, row: int) -> int:
    """Write one table; return the first row after its chart."""
    table = summary.gains
    assert table is not None  # noqa: S101 - the caller looked
    said = capitalised(f"{table.note}.") if table.note else ""
    if summary.stated_prevalence is not None:
        said += f" Rates and lift at the stated prevalence of {summary.stated_prevalence:g}."
    sheet.text(row, 0, said.strip(), "note")
    values = table.values()
    cells = {n: written_scores(v) if form_of(n) == "score" else v for n, v in values.items()}
    graded = any(isinstance(score, str) for score in cells["score_from"])
    sheet.heads(row + 1, HEADS, 3 if graded else 1)
    sheet.raw.set_row(row + 1, 30)
    bins = Bins(row + 2, row + 1 + len(table), summary.stated_prevalence)
    count = "weight" if summary.weighted else "count"
    for place in range(len(table)):
        _write_bin(sheet, bins, place, {name: cells[name][place] for name in COLUMNS}, count)
    _write_total(sheet, bins, values, count)
    rates_by_bin(book, sheet, Span(bins.first, bins.last), (0, 5), (bins.last + 3, 0))
    return bins.last + 3 + CHART_ROWS


def _write_bin(sheet: Sheet, bins: Bins, place: int, cells: Mapping[str, Any], count: str) -> None:
    row = bins.first + place
    formulas = formulas_of(bins, row)
    for column, name in enumerate(COLUMNS):
        style = count if name in COUNTED else STYLES.get(name, "general")
        if name in formulas and cells[name] is not None:
            sheet.formula(row, column, formulas[name], cells[name], style)
        else:
            sheet.put(row, column, cells[name], style)


def formulas_of(bins: Bins, row: int) -> dict[str, str]:
    """Return the formula of each column that follows from cases and positives."""

    def at(name: str) -> str:
        return bins.cell(name, row)

    all_n, all_p = bins.total("n"), bins.total("positives")
    found = {
        "cum_n": f"=SUM({PLACE['n']}${bins.first + 1}:{at('n')})",
        "cum_positives": f"=SUM({PLACE['positives']}${bins.first + 1}:{at('positives')})",
        "captured": f"={at('cum_positives')}/{all_p}",
        "ks": f"={at('captured')}-({at('cum_n')}-{at('cum_positives')})/({all_n}-{all_p})",
    }
    if bins.stated is None:
        return found | {
            "rate": f"={at('positives')}/{at('n')}",
            "lift": f"=({at('positives')}/{all_p})/({at('n')}/{all_n})",
            "cum_lift": f"={at('captured')}/({at('cum_n')}/{all_n})",
        }
    hit, missed = repr(bins.stated), repr(1 - bins.stated)
    own = f"{at('positives')}/{all_p}"
    other = f"({at('n')}-{at('positives')})/({all_n}-{all_p})"
    passed = f"({at('cum_n')}-{at('cum_positives')})/({all_n}-{all_p})"
    selected = f"({hit}*{own}+{missed}*{other})"
    return found | {
        "rate": f"={hit}*{own}/{selected}",
        "lift": f"=({own})/{selected}",
        "cum_lift": f"={at('captured')}/({hit}*{at('captured')}+{missed}*{passed})",
    }


def _write_total(sheet: Sheet, bins: Bins, values: Mapping[str, Sequence[Any]], count: str) -> None:
    row = bins.last + 1
    for column in range(len(COLUMNS)):
        sheet.put(row, column, None, "total general")
    sheet.text(row, 0, "all", "total text")
    for name in ("n", "positives"):
        words = f"=SUM({bins.cell(name, bins.first)}:{bins.cell(name, bins.last)})"
        sheet.formula(row, COLUMNS.index(name), words, sum(values[name]), f"total {count}")
    if bins.stated is None:
        words = f"={bins.cell('positives', row)}/{bins.cell('n', row)}"
        rate = sum(values["positives"]) / sum(values["n"])
        sheet.formula(row, COLUMNS.index("rate"), words, rate, "total share")
    else:
        sheet.put(row, COLUMNS.index("rate"), bins.stated, "total share")
