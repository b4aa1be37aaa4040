"""A validation sheet as JSON, with its digest and schema, and as a workbook."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain
from capcurve.show.workbook import write_tables
from capcurve.studies.validation.shown import (
    inputs_table,
    sentences_on_gaps,
    tests_in_full,
    tests_of,
    title_of,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from capcurve.show.table import Table
    from capcurve.studies.validation.records import Section, Sheet, SheetTest

SCHEMA = "capcurve.validation"
SCHEMA_VERSION = 1
WIDTHS = {"id": 28, "name": 40, "method": 40, "reference": 30, "notes": 60, "value": 50}
WIDTHS |= {"finding": 90, "advice": 60, "digest": 66, "subject": 24, "input": 24}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that the JSON of every validation sheet follows.

    Examples
    --------
    >>> schema()["properties"]["schema"]
    {'const': 'capcurve.validation'}
    """
    text = (files("capcurve.studies.validation") / "schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def as_values(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as values that strict JSON can hold, keys in order, with their digest."""
    body = plain(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "version": __version__,
            "subject": dict(sheet.subject),
            "settings": {
                **sheet.settings,
                "level": sheet.level,
                "seed": sheet.seed,
                "limits": {name: asdict(own) for name, own in sheet.limits.items()},
            },
            "inputs": [asdict(each) for each in sheet.inputs],
            "sections": [_section(each) for each in sheet.sections],
            "tests": [_test(each) for each in tests_of(sheet)],
            "tables": [_table(t, s.number) for s in sheet.sections for t in s.tables],
            "findings": [found.to_dict() for found in sheet.findings],
            "not_done": [{"what": what, "why": why} for what, why in sheet.not_done],
            "not_covered": list(sheet.not_covered),
        }
    )
    found: dict[str, Any] = _sorted({**body, "digest": digest_of(body)})
    return found


def digest_of(values: dict[str, Any]) -> str:
    """Return the SHA-256 of values: of their JSON, keys sorted, without blanks, as UTF-8."""
    text = json.dumps(
        values, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _section(section: Section) -> dict[str, Any]:
    return {
        "number": section.number,
        "title": section.title,
        "sentences": list(section.sentences),
    }


def _test(test: SheetTest) -> dict[str, Any]:
    values = {item.name: getattr(test, item.name) for item in fields(test)}
    return values | {"limits": None if test.limits is None else asdict(test.limits)}


def _table(table: Table, section: int) -> dict[str, Any]:
    """Return a table; its columns are a list, as the keys of a JSON object have no order."""
    columns = [{"name": name, "values": cells} for name, cells in table.values().items()]
    return {"section": section, "name": table.name, "note": table.note, "columns": columns}


def _sorted(value: Any) -> Any:
    """Return values with the keys of every object in order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def write_workbook(sheet: Sheet, path: Path) -> None:
    """Write the sheet as a workbook; equal sheets are equal files."""
    parts: list[tuple[str, Mapping[str, Sequence[object]]]] = [
        ("Tests", tests_in_full(sheet)),
        ("Subject", {"subject": list(sheet.subject), "value": list(sheet.subject.values())}),
        ("Findings", _findings_and_gaps(sheet)),
        ("Inputs", inputs_table(sheet).values()),
    ]
    tables = [(section, table) for section in sheet.sections for table in section.tables]
    parts += [(f"{section.number} {table.name}", table.values()) for section, table in tables]
    write_tables(title_of(sheet), parts, path, WIDTHS)


def _findings_and_gaps(sheet: Sheet) -> dict[str, list[object]]:
    gaps = list(sentences_on_gaps(sheet))
    return {
        "severity": [*(each.severity for each in sheet.findings), *("left open" for _ in gaps)],
        "finding": [*(each.message for each in sheet.findings), *gaps],
        "advice": [*(each.advice for each in sheet.findings), *(None for _ in gaps)],
    }
