"""What stands beside a table of cut-offs: every number of the score as a formula on its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.show.format import cutoff_text
from capcurve.studies.evaluation.workbook.book import address, is_number, letters, safe_text
from capcurve.studies.evaluation.workbook.layout import (
    CAPTURED,
    CUM_N,
    GAP,
    HEAD_ROW,
    INSIDE,
    LABEL,
    NOBODY,
    PREVALENCE,
    SCORE,
    VALUE,
    N,
    P,
    Q,
    Span,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.results import Summary
    from capcurve.studies.evaluation.workbook.book import Sheet
    from capcurve.studies.evaluation.workbook.shares import Shares
    from capcurve.studies.evaluation.workbook.stretches import Rows

    Cells = dict[str, tuple[str, float]]

FREE_SHARE = 0.25
FREE = "The share in the coloured cell may be changed."


@dataclass(frozen=True, slots=True)
class Number:
    """A number beside the table; without a formula it is a value."""

    key: str
    label: str
    formula: str | None
    value: Any
    style: str


def write_numbers(sheet: Sheet, rows: Rows, shares: Shares, summary: Summary) -> Cells:
    """Write the numbers of a score; return where each stands, by key, and its value."""
    sheet.heads(HEAD_ROW, ["number", "value"], start=LABEL)
    cells: Cells = {}
    row = HEAD_ROW
    for number in (*_totals(rows, summary), *_ranking(rows, shares)):
        row += 1
        sheet.text(row, LABEL, number.label)
        if number.formula is None:
            sheet.put(row, VALUE, number.value, number.style)
        else:
            sheet.formula(row, VALUE, number.formula, number.value, number.style)
        cells[number.key] = address(row, VALUE), float(number.value)
    _write_place_of_ks(sheet, row + 1, rows, shares)
    return cells | _write_captured(sheet, row + 3, rows, shares, list(summary.captured))


def _totals(rows: Rows, summary: Summary) -> list[Number]:
    """Return the numbers of cases; the names of the first three stand for them elsewhere."""
    span, style, stated = Span.of_rows(rows), rows.style, summary.stated_prevalence
    found = [
        Number("n", "cases", "=Positives+Negatives", rows.n1 + rows.n0, style),
        Number("n1", "positives", f"=SUM({span.of(P)})", rows.n1, style),
        Number("n0", "negatives", f"=SUM({span.of(N)})", rows.n0, style),
    ]
    if stated is None:
        rate = rows.n1 / (rows.n1 + rows.n0)
        found.append(Number("prevalence", "prevalence", "=Positives/Cases", rate, "share"))
    else:
        found.append(Number("prevalence", "prevalence, as stated", None, stated, "share"))
    if rows.inside is not None or rows.rest is not None:
        inside = None if rows.inside is None else f"=SUM({span.of(INSIDE)})"
        found.append(Number("inside", "pairs inside rows", inside, rows.unseen, style))
    return found


def _ranking(rows: Rows, shares: Shares) -> list[Number]:
    """Return the accuracy ratio, AUC and KS."""
    span, several = Span.of_rows(rows), rows.inside is not None or rows.rest is not None
    first = HEAD_ROW + (6 if several else 5)
    won = f"SUMPRODUCT({span.of(P)},Negatives-2*{span.of(CUM_N)}+{span.of(N)})"
    won = f"({won}+{address(first - 1, VALUE)})" if several else won
    ratio, gap = rows.accuracy_ratio, span.of(GAP)
    auc = f"=({address(first, VALUE)}+1)/2"
    ks = f"=MAX(MAX({gap}),-MIN({gap}))"
    return [
        Number("accuracy_ratio", "accuracy ratio", f"={won}/(Positives*Negatives)", ratio, "ratio"),
        Number("roc_auc", "ROC AUC", auc, (ratio + 1) / 2, "ratio"),
        Number("ks", "KS", ks, shares.ks, "ratio"),
    ]


def _write_place_of_ks(sheet: Sheet, row: int, rows: Rows, shares: Shares) -> None:
    """Write the first score at which KS is reached."""
    span, place = Span.of_rows(rows), shares.place_of_ks
    gap, score = span.of(GAP), span.of(SCORE)
    high, low = (f"INDEX({score},MATCH({side}({gap}),{gap},0))" for side in ("MAX", "MIN"))
    found: Any = rows.score[place - 1] if place else "none"
    if not is_number(found):  # as it stands in its column
        found = safe_text(cutoff_text(found))
    sheet.text(row, LABEL, "KS at score")
    sheet.formula(row, VALUE, f"=IF(MAX({gap})>=-MIN({gap}),{high},{low})", found)


def _write_captured(
    sheet: Sheet, row: int, rows: Rows, shares: Shares, asked: Sequence[float]
) -> Cells:
    """Write what the top shares capture, and one share that the reader may change."""
    sheet.heads(row, ["top share", "captured", "lift", "row"], 0, LABEL)
    cells: Cells = {}
    for q in asked:
        row += 1
        _write_share(sheet, row, Span.of_rows(rows), shares, q)
        sheet.put(row, LABEL, q, "share")
        found = shares.height(q)
        cells[f"captured_{round(100 * q)}"] = address(row, VALUE), found
        cells[f"lift_{round(100 * q)}"] = address(row, VALUE + 1), found / q
    _write_share(sheet, row + 1, Span.of_rows(rows), shares, FREE_SHARE)
    sheet.put(row + 1, LABEL, FREE_SHARE, "input share")
    sheet.text(row + 2, LABEL, FREE, "note")
    return cells


def _write_share(sheet: Sheet, row: int, span: Span, shares: Shares, q: float) -> None:
    """Write what a share of cases captures: the row before it, and the line to the next."""
    share, captured, place = (f"{letters(LABEL + c)}{row + 1}" for c in (0, 1, 3))
    x, y = span.of(Q), span.of(CAPTURED)
    run = f"({share}-INDEX({x},{place}))/(INDEX({x},{place}+1)-INDEX({x},{place}))"
    height = f"INDEX({y},{place})+{run}*(INDEX({y},{place}+1)-INDEX({y},{place}))"
    found = shares.height(q)
    before = int(np.searchsorted(shares.q, q, side="right"))
    sheet.formula(row, VALUE, f"=IF({share}>=1,1,{height})", found, "share")
    sheet.formula(row, VALUE + 1, f"={captured}/{share}", found / q, "lift")
    sheet.formula(row, VALUE + 2, f"=MATCH({share},{x},1)", before, "count")


def write_reference(sheet: Sheet, prevalence: float) -> int:
    """Write the points of the perfect and the random CAP; return the first of their rows."""
    top = NOBODY + 21
    sheet.heads(top, ["share of cases", "perfect", "random"], 0, LABEL)
    for row, height in enumerate((0.0, 1.0, 1.0), start=top + 1):
        sheet.put(row, LABEL + 1, height, "share")
        x = (0.0, prevalence, 1.0)[row - top - 1]
        sheet.formula(row, LABEL + 2, f"={letters(LABEL)}{row + 1}", x, "share")
    sheet.put(top + 1, LABEL, 0.0, "share")
    sheet.formula(top + 2, LABEL, f"={PREVALENCE}", prevalence, "share")
    sheet.put(top + 3, LABEL, 1.0, "share")
    return top + 1
