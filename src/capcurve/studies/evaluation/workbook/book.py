"""A workbook in which every value is written as what it is: no text becomes a formula or a link."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

from capcurve.show.format import cutoff_text, shortened, writable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# A spreadsheet shows 15 digits of a number, and holds none beyond this.
LARGEST_INTEGER = 10**15
LARGEST_NUMBER = 9.99999999999999e307
LONGEST_TEXT = 32_000
# Without a date in them, equal workbooks are equal files.
NO_DATE = datetime(1980, 1, 1)  # noqa: DTZ001 - the writer takes no time zone
OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
INK, SOFT, RULE, SHADE, INPUT = "#1B1F24", "#57606A", "#8C959F", "#EEF3F8", "#FFF8DC"
HEAD = {"bold": True, "bg_color": SHADE, "bottom": 1, "bottom_color": RULE, "text_wrap": True}
NUMBERS = {
    "general": "General",
    "count": "#,##0",
    "weight": "#,##0.0##",
    "share": "0.0%",
    "ratio": "0.000",
    "lift": "0.00",
    "fine": "0.0000",
    "tiny": "0.00E+00",
}
STYLES: Mapping[str, Mapping[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "subtitle": {"bold": True, "font_size": 11},
    "head": {**HEAD, "align": "left", "valign": "top"},
    "head indented": {**HEAD, "align": "left", "valign": "top", "indent": 1},
    "head right": {**HEAD, "align": "right", "valign": "top"},
    "text": {"align": "left"},
    "bold": {"bold": True},
    "total text": {"align": "left", "bold": True, "top": 1},
    "note": {"font_color": SOFT},
    "note indented": {"font_color": SOFT, "indent": 1},
    "wrapped": {"text_wrap": True, "valign": "top"},
    "soft wrapped": {"text_wrap": True, "valign": "top", "font_color": SOFT},
    **{name: {"num_format": form, "align": "right"} for name, form in NUMBERS.items()},
    **{
        f"total {name}": {"num_format": form, "align": "right", "bold": True, "top": 1}
        for name, form in NUMBERS.items()
    },
    **{
        f"input {name}": {
            "num_format": form,
            "align": "right",
            "bg_color": INPUT,
            "font_color": "#0000C0",
            "border": 1,
            "border_color": RULE,
        }
        for name, form in NUMBERS.items()
    },
}


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """One sheet; rows and columns are counted from 0.

    Attributes
    ----------
    name
        What stands on its tab.
    raw
        The sheet of the library that writes it.
    styles
        Formats by name.
    cached
        What is stored of a formula's value.
    """

    name: str
    raw: Any
    styles: Mapping[str, Any]
    cached: Callable[[float], float]

    def put(self, row: int, column: int, value: object, style: str = "general") -> None:
        """Write a value: a number a spreadsheet holds as a number, all else as text."""
        if value is None:
            self.raw.write_blank(row, column, None, self.styles[style])
        elif is_number(value):
            self.raw.write_number(row, column, value, self.styles[style])
        else:
            self.text(row, column, cutoff_text(value), "text" if style == "general" else style)

    def text(self, row: int, column: int, words: str, style: str = "text") -> None:
        """Write text, whatever it begins with."""
        self.raw.write_string(row, column, safe_text(words), self.styles[style])

    def formula(
        self, row: int, column: int, words: str, value: float | str, style: str = "general"
    ) -> None:
        """Write a formula of ours with its value, which previews show without calculating.

        A number that no spreadsheet holds, such as an infinite score, is stored as its text.
        """
        held = value
        if not isinstance(value, str):
            known = abs(float(value)) <= LARGEST_NUMBER
            held = self.cached(float(value)) if known else cutoff_text(value)
        self.raw.write_formula(row, column, words, self.styles[style], held)

    def heads(self, row: int, words: Iterable[str], left: int = 1, start: int = 0) -> None:
        """Write the head of a table whose first `left` columns are aligned to the left."""
        for place, head in enumerate(words):
            self.text(row, start + place, head, "head" if place < left else "head right")

    def paragraph(self, row: int, words: str, last: int, letters: int, style: str = "text") -> None:
        """Write text across columns up to `last`, in a row high enough for it."""
        words = safe_text(words)
        wrapped = "soft wrapped" if style == "note" else "wrapped"
        self.raw.merge_range(row, 0, row, last, "", self.styles[wrapped])
        self.raw.write_string(row, 0, words, self.styles[wrapped])
        self.high(row, lines_of(words, letters))

    def high(self, row: int, lines: int) -> None:
        """Make a row high enough for some lines."""
        self.raw.set_row(row, 15 * lines + 1)

    def widths(self, *characters: float) -> None:
        """Set the widths of the first columns."""
        for column, width in enumerate(characters):
            self.raw.set_column(column, column, width)

    def printed(self, *, repeated: int | None = None) -> None:
        """Print across one page, with the row of heads repeated on each."""
        self.raw.set_landscape()
        self.raw.set_paper(9)  # A4
        self.raw.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
        self.raw.fit_to_pages(1, 0)
        self.raw.set_footer("&L&9&A&R&9&P / &N")
        self.raw.hide_gridlines(2)
        if repeated is not None:
            self.raw.repeat_rows(repeated)


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A workbook being written; `cached` may plant other values than those of the formulas."""

    raw: Any
    file: BytesIO
    styles: Mapping[str, Any]
    cached: Callable[[float], float] = field(default=float)

    @classmethod
    def begun(cls, title: str, cached: Callable[[float], float] = float) -> Book:
        """Return an empty workbook."""
        writer = writer_of_workbooks()
        file = BytesIO()
        raw = writer.Workbook(file, OPTIONS)
        raw.set_properties({"title": safe_text(title), "created": NO_DATE})
        styles = {name: raw.add_format({"font_color": INK, **s}) for name, s in STYLES.items()}
        return cls(raw, file, styles, cached)

    def sheet(self, name: str) -> Sheet:
        """Add a sheet under a name of ours."""
        return Sheet(name, self.raw.add_worksheet(name), self.styles, self.cached)

    def finished(self) -> bytes:
        """Return the workbook as a file."""
        self.raw.close()
        return self.file.getvalue()


def writer_of_workbooks() -> Any:
    """Return the library that writes workbooks; ModuleNotFoundError says what to install."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise ModuleNotFoundError(
            'a workbook needs XlsxWriter: pip install "capcurve[excel]"', name="xlsxwriter"
        ) from error
    return xlsxwriter


def is_number(value: object) -> bool:
    """Tell whether a spreadsheet holds a value as a number, and shows all digits of whole ones.

    Examples
    --------
    >>> [is_number(value) for value in (3, 2.5, 10**15, 10**15 + 1, float("nan"), True, "3")]
    [True, True, True, False, False, False, False]
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, int):
        return abs(value) <= LARGEST_INTEGER
    return abs(value) <= LARGEST_NUMBER


def safe_text(words: str) -> str:
    r"""Return text that a workbook holds, and that its writer does not take for markup.

    Examples
    --------
    >>> safe_text("=1+1"), safe_text("<r>bold</r>"), safe_text("a\x00b") == "a\ufffdb"
    ('=1+1', '<r>bold</r> ', True)
    """
    held = shortened(writable(words), LONGEST_TEXT)
    return f"{held} " if held.startswith("<r>") and held.rstrip().endswith("</r>") else held


def lines_of(words: str, letters: int) -> int:
    """Return how many lines text takes where one holds so many letters.

    Examples
    --------
    >>> lines_of("five words that are short", 10), lines_of("a", 10)
    (3, 1)
    """
    return sum(math.ceil((len(line) + 1) / letters) for line in words.split("\n"))


def address(row: int, column: int) -> str:
    """Return the fixed address of a cell.

    Examples
    --------
    >>> address(0, 0), address(3, 27)
    ('$A$1', '$AB$4')
    """
    return f"${letters(column)}${row + 1}"


def letters(column: int) -> str:
    """Return the letters of a column."""
    before = letters(column // 26 - 1) if column >= 26 else ""  # noqa: PLR2004 - letters
    return before + chr(ord("A") + column % 26)
