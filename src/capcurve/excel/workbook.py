"""A whole evaluation, or one table, as a workbook."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from capcurve.excel.book import Book, writer_of_workbooks
from capcurve.excel.classes import of_classes
from capcurve.excel.cutoffs import write_cutoffs
from capcurve.excel.definitions import write_definitions
from capcurve.excel.gains import write_gains
from capcurve.excel.headlines import write_summary
from capcurve.excel.layout import Scored
from capcurve.excel.tables import write_columns, write_comparison, write_segments
from capcurve.excel.validation import write_validation
from capcurve.view.format import writable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from capcurve.report.content import Content

# What Excel allows on a tab.
LONGEST_TAB = 31
NOT_ON_TABS = re.compile(r"[\[\]:*?/\\\s]+")
QUOTES = "' "


def write_workbook(
    content: Content, path: Path, *, cached: Callable[[float], float] = float
) -> None:
    """Write an evaluation as a workbook whose numbers are formulas on its counts.

    Parameters
    ----------
    content
        The evaluation.
    path
        Ends in .xlsx.
    cached
        What is stored as the value of a formula; for tests, which plant wrong ones.

    Raises
    ------
    ModuleNotFoundError
        When XlsxWriter is not installed.
    ValueError
        For amounts, and for weights beyond the range of a spreadsheet.
    """
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
    """Write columns as a workbook of one sheet.

    Parameters
    ----------
    title
        What the table is; it stands in the properties of the file.
    columns
        Values by column name; the name says how they are shown.
    path
        Ends in .xlsx.
    """
    book = Book.begun(title)
    write_columns(book, "Table", columns)
    path.write_bytes(book.finished())


def write_tables(
    title: str,
    tables: Iterable[tuple[str, Mapping[str, Sequence[Any]]]],
    path: Path,
    widths: Mapping[str, int],
) -> None:
    """Write several tables as a workbook, a sheet for each.

    Parameters
    ----------
    title
        What the tables are; it stands in the properties of the file.
    tables
        The name of each table and its values by column name. Names are cut to what a tab holds,
        and numbered where they would be equal.
    path
        Ends in .xlsx.
    widths
        How many letters wide the columns of these names are; others have the usual width.
    """
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
