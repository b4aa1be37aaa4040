"""A validation sheet as a workbook: tests, inputs, findings and every table on a sheet each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.excel import write_tables
from capcurve.validation.shown import inputs_table, sentences_on_gaps, tests_in_full, title_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from capcurve.validation.records import Sheet

WIDTHS = {"id": 28, "name": 40, "method": 40, "reference": 30, "notes": 60, "value": 50}
WIDTHS |= {"finding": 90, "advice": 60, "digest": 66, "subject": 24, "input": 24}


def write_workbook(sheet: Sheet, path: Path) -> None:
    """Write the sheet as a workbook; equal sheets are equal files."""
    parts: list[tuple[str, Mapping[str, Sequence[object]]]] = [
        ("Tests", tests_in_full(sheet)),
        ("Subject", {"subject": list(sheet.subject), "value": list(sheet.subject.values())}),
        ("Findings", _findings(sheet)),
        ("Inputs", inputs_table(sheet).values()),
    ]
    tables = [(section, table) for section in sheet.sections for table in section.tables]
    parts += [(f"{section.number} {table.name}", table.values()) for section, table in tables]
    write_tables(title_of(sheet), parts, path, WIDTHS)


def _findings(sheet: Sheet) -> dict[str, list[object]]:
    gaps = list(sentences_on_gaps(sheet))
    return {
        "severity": [*(each.severity for each in sheet.findings), *("left open" for _ in gaps)],
        "finding": [*(each.message for each in sheet.findings), *gaps],
        "advice": [*(each.advice for each in sheet.findings), *(None for _ in gaps)],
    }
