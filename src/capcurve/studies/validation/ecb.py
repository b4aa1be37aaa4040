"""EcbTable: every number that the ECB asks of a PD or LGD model, or the argument it needs."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from capcurve.numbers.arguments import spoken, told
from capcurve.numbers.plain import plain
from capcurve.show.format import MISSING, written
from capcurve.show.presentation import Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    # Of the table, its cells by the names of the columns.
    EcbLine: TypeAlias = dict[str, Any]

OF_PLACE = ("section", "item", "level", "grade", "to")
ECB_COLUMNS = (*OF_PLACE, "value", "unit", "source", "missing", "what", "text")
YOURS = "not in the sample: yours to add"
NOT_DEFINED = "not well defined"
FORM_OF_UNIT: Mapping[str, Any] = {
    "count": "count",
    "share": "fine",
    "ratio": "fine",
    "amount": "quantity",
    "p": "p",
}
# Of smaller ones, such as variances, four decimals show too little.
SMALL_RATIO = 0.01
WORKBOOK_STYLES = {"count": "count", "amount": "weight", "p": "p"}
KNOWN_INITIAL_VALUE = Finding(
    "initial_known",
    "info",
    "the ECB's tests take the initial value as known, so that of models that have not changed 11% "
    "to 12% fall below p = 5% where both samples are alike in size",
    "read the test of two samples beside it",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class EcbTable(Result):
    """The lines that the ECB's instructions of 2019 ask of a PD or LGD model, to copy from.

    The order and the names of the ECB's own workbooks were not seen: this is no form of theirs.
    `save` also writes .xlsx.

    Attributes
    ----------
    name
        Which section of the instructions it is of.
    table
        A row per line: `section`, `item`, `level` ("portfolio", "grade" or "cell"), `grade`, `to`,
        `value`, `unit` (count, share, amount, ratio, p, date), `source` (the arguments that it
        comes from), `missing` (what it needs, empty where it is filled), `what` it is, and `text`
        where it is no number.
    findings
        What a reader must know.

    Examples
    --------
    >>> from capcurve import ScoreCounts, validate
    >>> now = ScoreCounts.from_counts(["B", "A"], [1, 1], [9, 9], levels=["B", "A"])
    >>> found = validate(now, pd={"B": 0.1, "A": 0.1}).ecb()
    >>> found.filled, found.missing
    (16, 42)
    """

    SCHEMA: ClassVar[str] = "capcurve.ecb"

    name: str
    table: Table
    findings: tuple[Finding, ...] = ()

    @property
    def missing(self) -> int:
        """How many lines lack something."""
        return sum(map(bool, self.table["missing"].tolist()))

    @property
    def filled(self) -> int:
        """How many lines are filled; a number that is not well defined is no gap."""
        return len(self.table) - self.missing

    def presentation(self) -> Presentation:
        """Return the lines of the portfolio, and on pages those of grades and cells as tables."""
        lines = list(self.table.rows())
        return Presentation(
            title=self.name,
            sentences=(_sentence(self, lines),),
            findings=self.findings,
            tables=(_of_portfolio(lines), _of_sections(lines)),
            more=tuple(_grids(lines)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the table as values that strict JSON can hold."""
        known = {"schema": self.SCHEMA, "schema_version": 1, "filled": self.filled}
        lines = [plain(_counted(line)) for line in self.table.rows()]
        found = [each.to_dict() for each in self.findings]
        return {**known, "missing": self.missing, "lines": lines, "findings": found}

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        lines = [_counted(line) for line in self.table.rows()]
        return {name: [line[name] for line in lines] for name in ECB_COLUMNS}

    def to_frame(self, backend: Any = None) -> Any:
        """Return a data frame of the lines, as `Table.to_frame`."""
        return self.table.to_frame(backend)

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        usual = super(EcbTable, self)._writers()
        return usual | {".xlsx": self._write_workbook}

    def _write_workbook(self, path: Path) -> None:
        from capcurve.show.workbook import Book

        book = Book.begun(self.name, speaks=self.speaks)
        write_ecb(book, self, "ECB", set())
        path.write_bytes(book.finished())


def write_ecb(book: Any, found: EcbTable, tab: str, taken: set[str]) -> None:
    """Write the lines as a sheet of a workbook, each number in the form of its unit."""
    from capcurve.show.workbook import write_columns

    columns, shown = found.table.said_by(found.speaks) if found.speaks else found.table, found
    cells, above = columns.values(), (found.name, shown.sentence)
    sheet, top = write_columns(book, tab, cells, taken, above=above)
    for row, (value, unit) in enumerate(zip(cells["value"], cells["unit"], strict=True), top + 1):
        sheet.put(row, ECB_COLUMNS.index("value"), value, WORKBOOK_STYLES.get(unit, "fine"))


# What it shows


def _counted(line: EcbLine) -> EcbLine:
    """Return a line whose whole number of cases is one."""
    value = line["value"]
    whole = line["unit"] == "count" and value is not None and float(value).is_integer()
    return line | {"value": int(value)} if whole else line


def _sentence(found: EcbTable, lines: Sequence[EcbLine]) -> str:
    """Return how many lines are filled, and what the others need."""
    first = {line["missing"]: line for line in reversed(lines) if line["missing"]}
    yours = sum(line["missing"] == YOURS for line in lines)
    needs = [
        f"{line['what'].partition(',')[0]} ({line['missing']})"
        for line in reversed(first.values())
        if line["missing"] != YOURS
    ]
    needs += [f"{yours} that no sample holds"] if yours else []
    said = f"; missing: {', '.join(needs)}" if needs else ""
    return f"{found.filled} of {len(lines)} lines filled{said}."


def _shown(line: EcbLine) -> str:
    """Return the value of a line as it is read."""
    if line["value"] is None:
        return line["text"] or MISSING
    small = line["unit"] == "ratio" and 0 < abs(line["value"]) < SMALL_RATIO
    return written("coordinate" if small else FORM_OF_UNIT[line["unit"]], line["value"])


def _columns_of(rows: Sequence[Mapping[str, object]]) -> dict[str, Any]:
    return {name: np.array([row[name] for row in rows], dtype=object) for name in rows[0]}


def _of_portfolio(lines: Iterable[EcbLine]) -> Table:
    rows = [
        {
            "section": line["section"],
            "line": line["what"],
            "value": _shown(line),
            "unit": line["unit"],
            "from": line["missing"] or line["source"],
        }
        for line in lines
        if line["level"] == "portfolio"
    ]
    return Table("Lines of the portfolio", _columns_of(rows))


def _of_sections(lines: Sequence[EcbLine]) -> Table:
    """Return how many lines of each section are filled."""
    rows = []
    for section in dict.fromkeys(line["section"] for line in lines):
        missing = [bool(line["missing"]) for line in lines if line["section"] == section]
        counts = {"lines": len(missing), "filled": len(missing) - sum(missing)}
        rows.append({"section": section, "about": _titles()[section], **counts})
    return Table("Lines by section", _columns_of(rows))


def _grids(lines: Sequence[EcbLine]) -> Iterator[Table]:
    """Yield the lines of grades and of cells as tables with a row per grade."""
    for section in dict.fromkeys(line["section"] for line in lines if line["grade"]):
        own = [line for line in lines if line["section"] == section]
        items = dict.fromkeys(line["item"] for line in own if line["level"] == "grade")
        name = f"{section} {_titles()[section]}"
        if items:
            together = [line | {"grade": line["grade"] or "all"} for line in own if not line["to"]]
            yield _grid(name, [each for each in together if each["item"] in items], "item")
        for item in dict.fromkeys(line["item"] for line in own if line["to"]):
            cells = [line for line in own if line["item"] == item and line["to"]]
            yield _grid(f"{name}: {cells[0]['what']}", cells, "to")


def _grid(name: str, lines: Sequence[EcbLine], along: str) -> Table:
    cells = {(line["grade"], line[along]): _shown(line) for line in lines}
    grades, heads = (list(dict.fromkeys(key[place] for key in cells)) for place in (0, 1))
    columns = {head: [cells.get((grade, head), "") for grade in grades] for head in heads}
    return Table(
        name, {"grade": label_column(grades)} | {k: np.array(v) for k, v in columns.items()}
    )


# The lines


@cache
def _items() -> dict[tuple[str, str], dict[str, str]]:
    """Return what is known of each item of the instructions, by section and name."""
    text = (files("capcurve.studies.validation") / "ecb.csv").read_text(encoding="utf-8")
    return {(row["section"], row["item"]): row for row in csv.DictReader(text.splitlines())}


def _titles() -> dict[str, str]:
    return {section: row["title"] for (section, _), row in _items().items()}


def ecb_lines(
    section: str,
    values: Mapping[str, Any],
    needs: str | Mapping[str, str] = "",
    *,
    grade: str = "",
    to: str = "",
    level: str = "",
    text: str = NOT_DEFINED,
) -> Iterator[EcbLine]:
    """Yield a line for each item: with its value, as text, or with what it needs."""
    for name, value in values.items():
        item, said = _items()[section, name], value if isinstance(value, str) else ""
        number = math.nan if value is None or said else float(value)
        empty = math.isnan(number) and not said
        missing = (needs if isinstance(needs, str) else needs.get(name, "")) if empty else ""
        yield {
            "section": section,
            "item": name,
            "level": level or ("cell" if to else "grade" if grade else "portfolio"),
            "grade": grade,
            "to": to,
            "value": number,
            "missing": missing,
            "text": text if empty and not missing else said,
            **{column: item[column] for column in ("unit", "source", "what")},
        }


def lines_yours_to_add(section: str) -> Iterator[EcbLine]:
    """Yield the lines of a section that no sample holds."""
    known = _items().items()
    names = [name for (own, name), item in known if own == section and not item["source"]]
    yield from ecb_lines(section, dict.fromkeys(names), YOURS)


def table_of_lines(name: str, lines: Iterable[EcbLine], *, known: bool) -> EcbTable:
    """Return a table of lines; `known` says whether an initial value is taken as known."""
    rows = list(lines)
    columns = {
        column: np.array([row[column] for row in rows], dtype=None if column == "value" else str)
        for column in ECB_COLUMNS
    }
    return EcbTable(
        name=name, table=Table(name, columns), findings=(KNOWN_INITIAL_VALUE,) if known else ()
    )


def with_dates(given: Any, values: Mapping[str, Any], needs: Mapping[str, str]) -> dict[str, Any]:
    """Return values and needs of a section with the dates of its initial sample."""
    start, end = _dates(given)
    dates = {"initial_start": start, "initial_end": end}
    return {
        "values": {**values, **dates},
        "needs": {**needs, **dict.fromkeys(dates, spoken("initial_dates="))},
    }


def _as_date(given: Any) -> date:
    return date.fromisoformat(given if isinstance(given, str) else given.strftime("%Y-%m-%d"))


def _dates(given: Any) -> tuple[str | None, str | None]:
    """Return the first and the last day of the initial sample as text, else raise ValueError."""
    if given is None:
        return None, None
    try:
        start, end = (_as_date(each) for each in given)
    except (AttributeError, TypeError, ValueError):
        start, end = date.max, date.min
    if start > end:
        raise ValueError(
            f"{spoken('initial_dates=')} must be the first and the last day of the initial sample, "
            f'such as ("2021-01-01", "2021-12-31"), got {told(given)}'
        )
    return start.isoformat(), end.isoformat()
