"""A whole evaluation, or one table, as a workbook."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from capcurve.report.content import Content


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


def require_writer() -> None:
    """Raise ModuleNotFoundError, which says what to install, unless XlsxWriter is there."""
    writer_of_workbooks()
