"""A whole evaluation, or one table, as a workbook."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from capcurve.show.format import writable
from capcurve.studies.evaluation.workbook.book import Book, writer_of_workbooks
from capcurve.studies.evaluation.workbook.classes import of_classes
from capcurve.studies.evaluation.workbook.cutoffs import write_cutoffs
from capcurve.studies.evaluation.workbook.definitions import write_definitions
from capcurve.studies.evaluation.workbook.gains import write_gains
from capcurve.studies.evaluation.workbook.headlines import write_summary
from capcurve.studies.evaluation.workbook.layout import Scored
from capcurve.studies.evaluation.workbook.tables import (
    write_columns,
    write_comparison,
    write_segments,
)
from capcurve.studies.evaluation.workbook.validation import write_validation

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from capcurve.studies.evaluation.content import Content

# What Excel allows on a tab.
LONGEST_TAB = 31
NOT_ON_TABS = re.compile(r"[\[\]:*?/\\\s]+")
QUOTES = "' "


def write_workbook(
    content: Content, path: Path, *, cached: Callable[[float], float] = float
) -> None:
    """Write an evaluation as a workbook whose numbers are formulas on its counts."""
    shown = of_classes(content)
    book = Book.begun(shown.title, cached)
    first = book.sheet("Summary")
    write_gains(book, shown.summaries)
    defined = [name for name, s in shown.summaries.items() if s.accuracy_ratio is not None]
    live = {
        name: write_cutoffs(book, Scored(name, shown.counts[name], shown.summaries[name], place))
        for place, name in enumerate(defined)
    }
    write_summary(book, first, shown, live)
    if len(shown.summaries) > 1:
        write_comparison(book, shown)
    if any(shown.segment_summaries.values()):
        write_segments(book, shown)
    if live:
        write_validation(book, list(live.values()))
    write_definitions(book, shown)
    path.write_bytes(book.finished())


def write_table(title: str, columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns as a workbook of one sheet."""
    book = Book.begun(title)
    write_columns(book, "Table", columns)
    path.write_bytes(book.finished())


def write_tables(
    title: str,
    tables: Iterable[tuple[str, Mapping[str, Sequence[Any]]]],
    path: Path,
    widths: Mapping[str, int],
) -> None:
    """Write several tables as a workbook, a sheet for each."""
    book, taken = Book.begun(title), set[str]()
    for name, columns in tables:
        tab = _free_tab(name, taken)
        taken.add(tab.lower())
        write_columns(book, tab, columns, widths)
    path.write_bytes(book.finished())


def _free_tab(name: str, taken: Container[str]) -> str:
    """Return a name that a tab may have and no other has, whatever the case of its letters."""
    plain = NOT_ON_TABS.sub(" ", writable(name)).strip(QUOTES)
    ends = ("" if place == 1 else f" {place}" for place in count(1))
    tabs = (f"{plain[: LONGEST_TAB - len(end)].strip(QUOTES) or 'Table'}{end}" for end in ends)
    return next(tab for tab in tabs if tab.lower() not in taken)


def require_writer() -> None:
    """Raise ModuleNotFoundError, which says what to install, unless XlsxWriter is there."""
    writer_of_workbooks()
