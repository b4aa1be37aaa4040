"""EcbTable: every number that the ECB asks of a PD or LGD model, or the argument it needs."""

from __future__ import annotations

import csv
import math
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
from capcurve.show.columns import ColumnName, heading
from capcurve.show.format import MISSING, Worded, written
from capcurve.show.presentation import Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table, columns_in_words, label_column

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
WORKBOOK_WIDTHS = (9, 25, 10, 10, 13, 14, 9, 20, 32, 40, 16)
WORKBOOK_STYLES = {"count": "count", "amount": "weight", "p": "p"}


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

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.in_columns()

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
        sheet.put(row, ECB_COLUMNS.index("value"), value, WORKBOOK_STYLES.get(unit, "fine"))


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
    small = unit == "ratio" and 0 < abs(value) < SMALL_RATIO
    return Worded(value, written("coordinate" if small else FORM_OF_UNIT[unit], value))


def _of_portfolio(lines: Iterable[EcbLine]) -> Table:
    own = [line for line in lines if line["level"] == "portfolio"]
    columns = {name: [line[name] for line in own] for name in ("section", "what", "unit")}
    columns |= {"value": [_read(line) for line in own]}
    columns |= {"from": [_origin(line) for line in own]}
    order = ("section", "what", "value", "unit", "from")
    return Table("Lines of the portfolio", {name: label_column(columns[name]) for name in order})


def _origin(line: EcbLine) -> str:
    """Return where a value comes from, or why there is none."""
    undefined = "" if line["unit"] == "date" else line["text"]
    return str(line["missing"] or undefined or line["source"])


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
        items = list(dict.fromkeys(line["item"] for line in own if line["level"] == "grade"))
        of_grades = [line for line in own if line["item"] in items and not line["to"]]
        yield from _grid(name, of_grades, "item", items)
        places = list(dict.fromkeys(line["to"] for line in own if line["to"]))
        for item in dict.fromkeys(line["item"] for line in own if line["to"]):
            cells = [line for line in own if line["item"] == item and line["to"]]
            yield from _grid(f"{name}: {cells[0]['what']}", cells, "to", places)


def _grid(name: str, lines: Sequence[EcbLine], along: str, order: Sequence[str]) -> Iterator[Table]:
    """Yield lines as a table with a row per grade, if any of them has a value."""
    if all(line["value"] is None for line in lines):
        return
    cells = {(line["grade"], line[along]): line["value"] for line in lines}
    forms = {line[along]: FORM_OF_UNIT[line["unit"]] for line in lines}
    grades = list(dict.fromkeys(line["grade"] for line in lines))
    columns: dict[str, Any] = {"grade": label_column(grade or "all" for grade in grades)}
    for head in filter(forms.get, order):
        column = [cells.get((grade, head)) for grade in grades]
        shown = head if along == "to" else heading(head)  # a grade may be called "n"
        columns[ColumnName(head, forms[head], shown)] = np.array(column, dtype=np.float64)
    undefined = next((line["text"] for line in lines if line["text"]), "")
    yield Table(name, columns, undefined and f"{MISSING}: {undefined}")


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
    """Makes lines, each with its value, as text, or with what it lacks."""

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
        """Yield a line for each item; without a value it says `why`, or which source is lacking."""
        for name, value in values.items():
            item, said = _items()[section, name], value if isinstance(value, str) else ""
            number = math.nan if value is None or said else float(value)
            empty = math.isnan(number) and not said
            lacking = filter(None, map(self.lacking.get, item["source"].split(", ")))
            missing = (why or next(lacking, "")) if empty else ""
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

    def table(self, name: str, lines: Iterable[EcbLine], findings: Iterable[Finding]) -> EcbTable:
        """Return lines as a table, with those of their sections that no sample holds."""
        rows = list(lines)
        chapters = {row["section"][:3] for row in rows}
        for (section, item), known in _items().items():
            if not known["source"] and section[:3] in chapters:
                rows += self.of(section, {item: None}, YOURS)
        # By section, those of the portfolio last and in the order of the instructions.
        order = {key: place for place, key in enumerate(_items())}
        rows.sort(
            key=lambda row: (
                row["section"],
                row["level"] == "portfolio" and order[row["section"], row["item"]],
            )
        )
        columns = {
            column: np.array(
                [row[column] for row in rows], dtype=float if column == "value" else str
            )
            for column in ECB_COLUMNS
        }
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
