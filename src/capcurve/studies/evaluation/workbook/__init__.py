"""An evaluation as a workbook: counts as values, numbers as live formulas, native charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from capcurve.show.workbook import Book
from capcurve.studies.evaluation.workbook.cutoff_sheet import write_cutoffs
from capcurve.studies.evaluation.workbook.sheets import (
    write_calibration,
    write_comparison,
    write_definitions,
    write_gains,
    write_risks,
    write_segments,
    write_summary,
    write_validation,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from capcurve.show.table import Speaks
    from capcurve.studies.evaluation.content import Content
    from capcurve.studies.evaluation.workbook.sheets import ClassEvaluation

__all__ = ["write_workbook"]


def write_workbook(
    content: Content,
    path: Path,
    *,
    cached: Callable[[float], float] = float,
    speaks: Speaks | None = None,
) -> None:
    """Write an evaluation of positives and negatives; ValueError for amounts."""
    if any(summary.kind == "amounts" for summary in content.summaries.values()):
        raise ValueError(
            "the formulas of a workbook are of positives and negatives; of amounts save .html, "
            ".json or a picture, or a table such as the gains"
        )
    shown = cast("ClassEvaluation", content)
    book = Book.begun(shown.title, cached, speaks)
    first = book.sheet("Summary")
    write_gains(book, shown.summaries)
    defined = [name for name, s in shown.summaries.items() if s.accuracy_ratio is not None]
    live = {
        name: write_cutoffs(book, name, shown.counts[name], shown.summaries[name], place)
        for place, name in enumerate(defined)
    }
    write_summary(book, first, shown, live)
    if any(summary.calibration for summary in shown.summaries.values()):
        write_calibration(book, shown.summaries.values())
    if any(each.summary.selective for each in live.values()):
        write_risks(book, list(live.values()))
    if len(shown.summaries) > 1:
        write_comparison(book, shown)
    if any(shown.segment_summaries.values()):
        write_segments(book, shown)
    if live:
        write_validation(book, list(live.values()))
    write_definitions(book, shown)
    path.write_bytes(book.finished())
