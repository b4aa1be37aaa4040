"""EcbTable: every number that the ECB asks for of a PD or LGD model, or what it needs."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from capcurve.numbers.arguments import spoken, told
from capcurve.numbers.plain import plain
from capcurve.show import PICTURES
from capcurve.show.columns import ColumnName
from capcurve.show.format import MISSING, Worded, written
from capcurve.show.presentation import Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table, columns_in_words, label_column, labelled

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
LONG_HEAD = r" \(| = | of the "  # what follows is too long above a column
FORM_OF_UNIT: dict[str, Any] = {"count": "count", "amount": "quantity", "p": "p"}
FORM_OF_UNIT |= dict.fromkeys(("share", "ratio", "date"), "fine")
# Of smaller ones, such as variances, four decimals show too little.
SMALL_RATIO = 0.01
WORKBOOK_WIDTHS = (9, 25, 10, 10, 13, 14, 9, 20, 32, 40, 16)
WORKBOOK_STYLES = {"quantity": "weight", "coordinate": "general"}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class EcbTable(Result):
    """The numbers that the ECB's instructions of 2019 ask for, of a PD or LGD model, to copy from.

    The ECB's own workbooks were not seen, so the order and the names of the lines are ours. `save`
    also writes .xlsx.

    Attributes
    ----------
    name
        The section of the instructions.
    table
        A row per line: `section`, `item`, `level` ("portfolio", "grade" or "cell"), `grade`, `to`,
        `value`, `unit` (count, share, amount, ratio, p, date), `source` (the arguments that it
        comes from), `missing` (what it needs, empty where it is filled), `what` it is, and `text`
        where there is no number.
    findings
        What a reader must know.

    Examples
    --------
    >>> from capcurve import ScoreCounts, validate
    >>> now = ScoreCounts.from_counts(["B", "A"], [1, 1], [9, 9], levels=["B", "A"])
    >>> found = validate(now, pd={"B": 0.1, "A": 0.1}).ecb()
    >>> found.filled, found.missing
    (20, 46)
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

    def in_columns(self) -> dict[str, list[Any]]:
        """Return the lines as csv has them, in the words of the result."""
        lines = [_counted(line) for line in self.table.rows()]
        columns = {name: [line[name] for line in lines] for name in ECB_COLUMNS}
        # A grade called "positives" is called so in any words.
        return columns_in_words(columns, self.speaks) | {"to": columns["to"]}

    _columns = in_columns

    def to_frame(self, backend: Any = None) -> Any:
        """Return a data frame of the lines, as `Table.to_frame`."""
        return self.table.to_frame(backend)

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        # A class with slots is made anew, and a bare super() knows the first one only.
        usual = super(EcbTable, self)._writers()
        kept = {suffix: write for suffix, write in usual.items() if suffix not in PICTURES}
        return kept | {".xlsx": lambda file: write_ecb_workbook(self, file)}


def write_ecb_workbook(found: EcbTable, path: Path) -> None:
    """Write the lines as a workbook."""
    from capcurve.show.workbook import Book

    book = Book.begun(found.name, speaks=found.speaks)
    write_ecb(book, found, "ECB", set())
    path.write_bytes(book.finished())


def write_ecb(book: Any, found: EcbTable, tab: str, taken: set[str]) -> None:
    """Write the lines as a sheet of a workbook, each number in the form of its unit."""
    from capcurve.show.workbook import write_columns

    cells, above = found.in_columns(), (found.name, found.sentence)
    sheet, top = write_columns(book, tab, cells, taken, above=above)
    sheet.widths(*WORKBOOK_WIDTHS)
    sheet.printed(repeated=top, title=found.name)
    for row, (value, unit) in enumerate(zip(cells["value"], cells["unit"], strict=True), top + 1):
        form = _form(value, unit)
        sheet.put(row, ECB_COLUMNS.index("value"), value, WORKBOOK_STYLES.get(form, form))


# What it shows


def _counted(line: EcbLine) -> EcbLine:
    """Return a line whose whole number of cases is one."""
    value = line["value"]
    whole = line["unit"] == "count" and value is not None and float(value).is_integer()
    return line | {"value": int(value)} if whole else line


def _sentence(found: EcbTable, lines: Sequence[EcbLine]) -> str:
    """Return how many lines are filled, and what the others need."""
    yours = sum(line["missing"] == YOURS for line in lines)
    first: dict[str, str] = {}  # of the lines that need an argument
    for line in lines:
        if line["missing"] not in ("", YOURS):
            first.setdefault(line["missing"], line["what"].partition(",")[0])
    needs = [f"{what} ({missing})" for missing, what in first.items()]
    needs += [f"{yours} that no sample holds"] if yours else []
    said = f"; missing: {', '.join(needs)}" if needs else ""
    return f"{found.filled} of {len(lines)} lines filled{said}."


def _read(line: EcbLine) -> object:
    """Return the value of a line, which is written in the form of its unit."""
    value, unit = line["value"], line["unit"]
    if value is None:
        return line["text"] if unit == "date" and line["text"] else MISSING
    return Worded(value, written(_form(value, unit), value))


def _form(value: float | None, unit: str) -> Any:
    """Return the form in which a value of a unit is written."""
    small = unit == "ratio" and value and abs(value) < SMALL_RATIO
    return "coordinate" if small else FORM_OF_UNIT[unit]


def _of_portfolio(lines: Iterable[EcbLine]) -> Table:
    """Return the lines of the portfolio: where each comes from, or why there is no number."""
    rows = []
    for line in (line for line in lines if line["level"] == "portfolio"):
        why = line["missing"] or (line["unit"] != "date" and line["text"])
        rows.append({**line, "value": _read(line), "from": why or line["source"]})
    # On a phone the first two columns are seen.
    names = ("section", "value", "what", "unit", "from")
    return labelled("Lines of the portfolio", {name: [row[name] for row in rows] for name in names})


def _of_sections(lines: Sequence[EcbLine]) -> Table:
    """Return how many lines of each section are filled."""
    every = Counter(line["section"] for line in lines)
    filled = Counter(line["section"] for line in lines if not line["missing"])
    columns = {
        "section": list(every),
        "about": [_titles()[section] for section in every],
        "lines": list(every.values()),
        "filled": [filled[section] for section in every],
    }
    return Table("Lines by section", {name: np.array(each) for name, each in columns.items()})


def _grids(lines: Sequence[EcbLine]) -> Iterator[Table]:
    """Yield the lines of grades and of cells as tables with a row per grade."""
    for section in dict.fromkeys(line["section"] for line in lines if line["grade"]):
        own = [line for line in lines if line["section"] == section]
        name = f"{section} {_titles()[section]}"
        of_grades = (line for line in own if line["level"] == "grade")
        items = {line["item"]: re.split(LONG_HEAD, line["what"])[0] for line in of_grades}
        both = [line for line in own if line["item"] in items and not line["to"]]
        yield from _grid(name, both, "item", items)
        places = {line["to"]: line["to"] for line in own if line["to"]}
        for item in dict.fromkeys(line["item"] for line in own if line["to"]):
            cells = [line for line in own if line["item"] == item and line["to"]]
            yield from _grid(f"{name}: {cells[0]['what']}", cells, "to", places)


def _grid(
    name: str, lines: Sequence[EcbLine], along: str, heads: Mapping[str, str]
) -> Iterator[Table]:
    """Yield lines as a table with a row per grade, if any of them has a value."""
    if all(line["value"] is None for line in lines):
        return
    cells = {(line["grade"], line[along]): line["value"] for line in lines}
    units = {line[along]: line["unit"] for line in lines}
    grades = list(dict.fromkeys(line["grade"] for line in lines))
    columns: dict[str, Any] = {"grade": label_column(grade or "all" for grade in grades)}
    for head in filter(units.get, heads):
        column = [cells.get((grade, head)) for grade in grades]
        named = ColumnName(head, FORM_OF_UNIT[units[head]], heads[head])
        columns[named] = np.array(column, dtype=np.float64)
    where = " off the diagonal" if along == "to" else ""
    undefined = any(line["text"] for line in lines)
    note = f"a dash{where} means {NOT_DEFINED}" if undefined else ""
    is_matrix = along == "to" and {*units.values()} <= {"share", "count"}
    yield Table(name, columns, note, square=is_matrix)


# The lines


@cache
def _items() -> dict[tuple[str, str], dict[str, str]]:
    """Return what is known of each item of the instructions, by section and name."""
    text = (files("capcurve.studies.validation") / "ecb.csv").read_text(encoding="utf-8")
    return {(row["section"], row["item"]): row for row in csv.DictReader(text.splitlines())}


def _titles() -> dict[str, str]:
    return {section: row["title"] for (section, _), row in _items().items()}


@dataclass(frozen=True, slots=True)
class EcbLines:
    """Makes lines, each with its value, its date, or with what it lacks."""

    lacking: Mapping[str, str]  # the sources that were not given, and how these are named

    def of(
        self,
        section: str,
        values: Mapping[str, Any],
        why: str = "",
        *,
        grade: str = "",
        to: str = "",
        level: str = "",
        text: str = NOT_DEFINED,
    ) -> Iterator[EcbLine]:
        """Yield a line for each item: a number, a date, or text that says why there is neither."""
        for name, value in values.items():
            item, said = _items()[section, name], why or (value if isinstance(value, str) else "")
            number = math.nan if value is None or said else float(value)
            day = said if item["unit"] == "date" else ""
            empty = math.isnan(number) and not day
            lacking = filter(None, map(self.lacking.get, item["source"].split(", ")))
            missing = (said or next(lacking, "")) if empty else ""
            yield {
                "section": section,
                "item": name,
                "level": level or ("cell" if to else "grade" if grade else "portfolio"),
                "grade": grade,
                "to": to,
                "value": number,
                "missing": missing,
                "text": text if empty and not missing else day,
                **{column: item[column] for column in ("unit", "source", "what")},
            }

    def table(self, name: str, lines: Iterable[EcbLine], findings: Iterable[Finding]) -> EcbTable:
        """Return lines as a table, with those of their sections that no sample holds."""
        rows = list(lines)
        chapters = {row["section"][:3] for row in rows}
        for (section, item), known in _items().items():
            if not known["source"] and section[:3] in chapters:
                rows += self.of(section, {item: YOURS})
        # By section, those of the portfolio last and in the order of the instructions.
        order = list(_items())
        rows.sort(
            key=lambda row: (
                row["section"],
                row["level"] == "portfolio" and order.index((row["section"], row["item"])),
            )
        )
        kinds = dict.fromkeys(ECB_COLUMNS, str) | {"value": float}
        columns = {name: np.array([row[name] for row in rows], kinds[name]) for name in kinds}
        return EcbTable(name=name, table=Table(name, columns), findings=tuple(findings))


def initial_days(given: Any) -> dict[str, str | None]:
    """Return the first and the last day of the initial sample as text, else raise ValueError."""
    start = end = None
    if given is not None:
        try:
            start, end = (_as_day(each).isoformat() for each in given)
        except (AttributeError, TypeError, ValueError):
            start, end = "wrong", ""
        if start > end:
            raise ValueError(
                f"{spoken('initial_dates=')} must be the first and the last day of the initial "
                f'sample, such as ("2021-01-01", "2021-12-31"), got {told(given)}'
            )
    return {"initial_start": start, "initial_end": end}


def _as_day(given: Any) -> date:
    day: Any = given.astype("datetime64[D]").item() if isinstance(given, np.datetime64) else given
    day = datetime.fromisoformat(day) if isinstance(day, str) else day
    return date(day.year, day.month, day.day)
