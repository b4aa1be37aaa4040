"""What each column and each row of a sheet is for: bins, totals, labels, and what is neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from capcurve.audit.reading.headings import Meaning, meaning_of
from capcurve.audit.reading.meanings import ALL_QUANTITIES
from capcurve.audit.reading.numbers import is_missing, taken_apart
from capcurve.counts.arguments import told
from capcurve.summary import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.audit.reading.sheet import Row, Sheet

TOTALS = {"total", "totals", "sum", "all", "overall", "grand total", "gesamt", "summe", "insgesamt"}
TOTALS |= {"alle", "total general", "totaal", "totale", "suma", "somme", "tot", "tot.", "σ", "∑"}
OTHER_SUMMARIES = {"average", "mean", "avg", "avg.", "median", "subtotal", "min", "max", "ø"}
AMOUNTS = {"mean_amount", "cum_amount", "cum_mean_amount"}


@dataclass(frozen=True, slots=True)
class Layout:
    """What each column of a sheet is for."""

    meanings: dict[int, Meaning]
    label: int | None
    edges: tuple[int, int] | None
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a sheet by what they are."""

    bins: tuple[Row, ...]
    totals: Row | None
    remarks: tuple[Finding, ...]


def layout_of(sheet: Sheet) -> Layout:
    """Return what each column is for; a heading that is not known may name the bins."""
    if set(sheet.headings) & AMOUNTS:
        raise ValueError("the table is of amounts, and this one must be of positives; see counts")
    found = {at: meaning_of(heading) for at, heading in enumerate(sheet.headings)}
    meanings = {at: each for at, each in found.items() if each is not None and each.quantities}
    if not meanings:
        said = ", ".join(map(told, sheet.headings))
        known = ", ".join(ALL_QUANTITIES)
        raise ValueError(f"no column is known among {said}; call them by what they hold: {known}")
    _refuse_twice(sheet, meanings)
    roles = {at: each.found for at, each in found.items() if each and not each.quantities}
    label = next((at for at, role in roles.items() if role == "name"), None)
    if label is None and found[0] is None:
        label = 0
    sides = [
        next((a for a, r in roles.items() if r == s), None) for s in ("score_from", "score_to")
    ]
    edges = None if sides[0] is None or sides[1] is None else (sides[0], sides[1])
    used = {label, *(edges or ()), *meanings}
    rest = (at for at in found if at not in used and roles.get(at) != "name")
    return Layout(
        meanings, label, edges, tuple(h for h in map(sheet.headings.__getitem__, rest) if h)
    )


def _refuse_twice(sheet: Sheet, meanings: Mapping[int, Meaning]) -> None:
    headings = [sheet.headings[at] for at in meanings]
    for heading in headings:
        if headings.count(heading) > 1:
            raise ValueError(f"two columns are called {heading!r}; give each its own heading")


def sorted_out(sheet: Sheet, layout: Layout) -> Rows:
    """Return the bins and the row of totals, and what other rows are left out."""
    bins: list[Row] = []
    totals: Row | None = None
    left: list[str] = []
    for row in sheet.rows:
        kind = _kind(row, layout)
        if kind == "bin":
            bins.append(row)
        elif kind == "totals" and totals is None:
            totals = row
        elif kind != "blank":
            said = " ".join(str(cell) for cell in row.cells if not is_missing(cell))
            left.append(f"{row.place} ({told(said)})")
    remarks = []
    if left:
        message = f"rows that are not bins are left out: {', '.join(left)}"
        remarks.append(Finding("rows_left_out", "info", message, "check that no bin is among them"))
    if layout.left_out:
        message = f"columns that are not used: {', '.join(map(repr, layout.left_out))}"
        advice = "if one holds what the audit can use, call it n, positives, captured, lift or so"
        remarks.append(Finding("columns_left_out", "info", message, advice))
    return Rows(tuple(bins), totals, tuple(remarks))


def _kind(row: Row, layout: Layout) -> Literal["bin", "totals", "text", "blank"]:
    """Return what a row is: by its label, and by how many of its cells are numbers."""
    held = [row.cells[at] for at in layout.meanings if not is_missing(row.cells[at])]
    numbers = [cell for cell in held if _is_number(cell)]
    labels = {_label(cell) for at, cell in enumerate(row.cells) if at not in layout.meanings}
    if labels & TOTALS and numbers:
        return "totals"
    if labels & OTHER_SUMMARIES:
        return "text"
    if not held:
        return "text" if any(not is_missing(cell) for cell in row.cells) else "blank"
    # A sentence may hold a number; where every column is filled, each has to be one.
    full = len(held) == len(layout.meanings)
    return "bin" if full or 2 * len(numbers) > len(held) else "text"


def _is_number(cell: Any) -> bool:
    """Tell whether a cell looks like a number; what is not text is looked at later."""
    return taken_apart(cell) is not None if isinstance(cell, str) else True


def _label(cell: Any) -> str:
    return " ".join(cell.lower().strip(" :.*").split()) if isinstance(cell, str) else ""
