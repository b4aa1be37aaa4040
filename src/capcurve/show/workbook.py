"""Workbooks for spreadsheets: values are written as what they are, no text becomes a formula."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from itertools import count
from typing import TYPE_CHECKING, Any

from capcurve.numbers.arguments import arg, installing
from capcurve.show.chart import BLUE, GREY
from capcurve.show.columns import form_of, heading
from capcurve.show.format import cutoff_text, shortened, writable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from capcurve.show.table import Speaks

# A spreadsheet shows 15 digits of a number, and holds none beyond this.
LARGEST_INTEGER = 10**15
LARGEST_NUMBER = 9.99999999999999e307
LONGEST_TEXT = 32_000
LONGEST_ROWS = 1_048_575
USUAL_ALPHAS = (0.1, 0.05, 0.01)
SHEET_DIGITS = 15
# What Excel allows on a tab.
LONGEST_TAB = 31
NOT_ON_TABS = re.compile(r"[\[\]:*?/\\\s]+")
QUOTES = "' "
# Without a date in them, equal workbooks are equal files.
NO_DATE = datetime(1980, 1, 1)  # noqa: DTZ001 - the writer takes no time zone
BOOK_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
INK, SOFT, RULE, SHADE, INPUT = "#1B1F24", "#57606A", "#8C959F", "#EEF3F8", "#FFF8DC"
GRID_LINE = "#E3E7EB"
FONT: dict[str, Any] = {"color": INK, "size": 9}
HEAD: dict[str, Any] = {
    "bold": True,
    "bg_color": SHADE,
    "bottom": 1,
    "bottom_color": RULE,
    "text_wrap": True,
}
NUMBER_FORMATS = {
    "general": "General",
    "count": "#,##0",
    "weight": "#,##0.0##",
    "share": "0.0%",
    "ratio": "0.000",
    "lift": "0.00",
    "fine": "0.0000",
    "tiny": "0.00E+00",
    "p": '[<0.001]"< 0.001";0.000',
}
LOOKS_OF_NUMBERS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "total ": {"bold": True, "top": 1},
    "input ": {"bg_color": INPUT, "font_color": "#0000C0", "border": 1, "border_color": RULE},
}
STYLES: Mapping[str, Mapping[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "subtitle": {"bold": True, "font_size": 11},
    "head": {**HEAD, "align": "left", "valign": "top"},
    "head indented": {**HEAD, "align": "left", "valign": "top", "indent": 1},
    "head right": {**HEAD, "align": "right", "valign": "top"},
    "text": {"align": "left"},
    "text indented": {"align": "left", "indent": 1},
    "right": {"align": "right"},
    "light green": {"bold": True, "font_color": "#00745A"},
    "light amber": {"bold": True, "font_color": "#7D6200"},
    "light red": {"bold": True, "font_color": "#C81E1E"},
    "light grey": {"bold": True, "font_color": SOFT},
    "bold": {"bold": True},
    "total text": {"align": "left", "bold": True, "top": 1},
    "note": {"font_color": SOFT},
    "note indented": {"font_color": SOFT, "align": "left", "indent": 1},
    "wrapped": {"text_wrap": True, "valign": "top"},
    "wrapped indented": {"text_wrap": True, "valign": "top", "align": "left", "indent": 1},
    "soft wrapped": {"text_wrap": True, "valign": "top", "font_color": SOFT},
    **{
        f"{kind}{name}": {"num_format": form, "align": "right", **look}
        for kind, look in LOOKS_OF_NUMBERS.items()
        for name, form in NUMBER_FORMATS.items()
    },
}
# Of the forms that are written otherwise than numbers of cases.
OF_FORMS = {"share": "share", "ratio": "ratio", "lift": "lift"}
OF_FORMS |= {"p": "p", "fine": "fine", "signed": "ratio", "statistic": "lift"}
OF_FORMS |= dict.fromkeys(("score", "name", "coordinate"), "general")
# How many letters a column has room for.
NARROWEST, WIDEST = 10, 44
# On a page of paper, text keeps 9 points with so many letters side by side; of a long table so many
# rows are printed.
LETTERS_ON_A_PAGE, MOST_ROWS_PRINTED = 170, 400
# Below a gains table: columns that add up, rates that follow from two of them, and its chart.
SUMS = ("n", "positives", "exposure", "amount")
RATES = {
    "rate": ("positives", "n", "0%", "Rate of positives by bin"),
    "mean_amount": ("amount", "exposure", "General", "Mean amount by bin"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Worksheet:
    """One sheet of a workbook; rows and columns are counted from 0."""

    name: str  # what stands on its tab
    raw: Any  # the sheet of the library that writes it
    styles: Mapping[str, Any]
    cached: Callable[[float], float]  # what is stored of a formula's value
    speaks: Speaks | None = None

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
        self.raw.write_string(row, column, safe_text(_said(words, self.speaks)), self.styles[style])

    def formula(
        self, row: int, column: int, words: str, value: float | str, style: str = "general"
    ) -> None:
        """Write a formula of ours with its value, which previews show without calculating."""
        # A number that no spreadsheet holds, such as an infinite score, is stored as its text.
        held = value
        if not isinstance(value, str):
            known = abs(float(value)) <= LARGEST_NUMBER
            held = self.cached(float(value)) if known else cutoff_text(value)
        self.raw.write_formula(row, column, words, self.styles[style], held)

    def heads(self, row: int, words: Iterable[str], left: int = 1, start: int = 0) -> None:
        """Write the head of a table whose first `left` columns are aligned to the left."""
        for place, head in enumerate(words):
            self.text(row, start + place, head, "head" if place < left else "head right")

    def paragraph(self, row: int, words: str, last: int, letters: int, style: str = "text") -> int:
        """Write text across columns up to `last`, in a row high enough; return the next row."""
        words = safe_text(_said(words, self.speaks))
        wrapped = "soft wrapped" if style == "note" else "wrapped"
        self.raw.merge_range(row, 0, row, last, "", self.styles[wrapped])
        self.raw.write_string(row, 0, words, self.styles[wrapped])
        self.high(row, lines_of(words, letters))
        return row + 1

    def fill(self, top: int, columns: Mapping[str, Sequence[Any]], count: str = "count") -> None:
        """Write columns of values side by side; numbers of cases take the style `count`."""
        for place, (name, column) in enumerate(columns.items()):
            cells = written_scores(column) if form_of(name) == "score" else column
            for row, value in enumerate(cells, start=top):
                style = style_of(name, value, count)
                if isinstance(value, str):
                    style = "wrapped" if len(value) > WIDEST else style
                    style += " indented" if place else ""  # apart from numbers before it
                self.put(row, place, value, style)

    def high(self, row: int, lines: int) -> None:
        """Make a row high enough for some lines."""
        self.raw.set_row(row, 15 * lines + 1)

    def widths(self, *characters: float) -> None:
        """Set the widths of the first columns."""
        for column, width in enumerate(characters):
            self.raw.set_column(column, column, width)

    def printed(
        self,
        *,
        repeated: int | None = None,
        title: str | None = None,
        across: int = 1,
        upright: bool = False,
    ) -> None:
        """Print across a page or several, with the row of heads repeated on each, below a title."""
        (self.raw.set_portrait if upright else self.raw.set_landscape)()
        self.raw.set_paper(9)  # A4
        self.raw.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.7)
        self.raw.fit_to_pages(across, 0)
        if across > 1:
            self.raw.repeat_columns(0)
        self.raw.set_footer("&L&9&A&R&9&P / &N")
        if title is not None:
            self.raw.set_header(f"&L&9 {safe_text(shortened(title, 200)).replace('&', '&&')}")
        self.raw.hide_gridlines(2)
        if repeated is not None:
            self.raw.repeat_rows(repeated)


def _said(words: str, speaks: Speaks | None) -> str:
    return words if speaks is None else speaks.said(words)


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A workbook being written; `cached` may plant other values than those of the formulas."""

    raw: Any
    file: BytesIO
    styles: Mapping[str, Any]
    cached: Callable[[float], float] = field(default=float)
    speaks: Speaks | None = None

    @classmethod
    def begun(
        cls, title: str, cached: Callable[[float], float] = float, speaks: Speaks | None = None
    ) -> Book:
        """Return an empty workbook."""
        writer = require_writer()
        file = BytesIO()
        raw = writer.Workbook(file, BOOK_OPTIONS)
        raw.set_properties({"title": safe_text(title), "created": NO_DATE})
        styles = {
            name: raw.add_format({"font_color": INK, "valign": "top", **s})
            for name, s in STYLES.items()
        }
        return cls(raw, file, styles, cached, speaks)

    def sheet(self, name: str) -> Worksheet:
        """Add a sheet under a name of ours."""
        raw = self.raw.add_worksheet(name)
        return Worksheet(name, raw, self.styles, self.cached, self.speaks)

    def chart_of_shares(self, title: str, lines: Iterable[Mapping[str, Any]], y: str) -> Any:
        """Return a chart of lines along the share of cases."""
        chart = self._chart({"type": "scatter", "subtype": "straight"}, title, lines)
        x = "Share of all cases selected"
        for name, axis in ((x, chart.set_x_axis), (y, chart.set_y_axis)):
            axis({"name": _said(name, self.speaks), **UNIT_RANGE, **SHARE_AXIS, **AXIS})
        chart.set_legend({"position": "bottom", "font": FONT})
        return chart

    def chart_of_bins(self, title: str, columns: Mapping[str, Any], x: str, form: str) -> Any:
        """Return a chart with a column for each bin, as high as its share or mean."""
        chart = self._chart({"type": "column"}, title, [{**columns, "gap": 40}])
        chart.set_legend({"none": True})
        chart.set_x_axis({"name": x, **AXIS})
        chart.set_y_axis({"min": 0, **SHARE_AXIS, **AXIS, "num_format": form})
        return chart

    def _chart(self, kind: dict[str, str], title: str, series: Iterable[Mapping[str, Any]]) -> Any:
        chart = self.raw.add_chart(kind)
        for each in series:
            name = each.get("name")
            said = _said(name, self.speaks) if isinstance(name, str) else name
            chart.add_series({**each, "name": said})
        look = {"name_font": {"color": INK, "size": 11, "bold": True}, "overlay": False}
        chart.set_title({"name": _said(title, self.speaks), **look})
        return chart

    def finished(self) -> bytes:
        """Return the workbook as a file."""
        self.raw.close()
        return self.file.getvalue()


AXIS: dict[str, Any] = {
    "name_font": {**FONT, "bold": False},
    "num_font": FONT,
    "line": {"color": GREY},
}
UNIT_RANGE: dict[str, Any] = {"min": 0, "max": 1, "major_unit": 0.2}
SHARE_AXIS: dict[str, Any] = {
    "num_format": "0%",
    "major_gridlines": {"visible": True, "line": {"color": GRID_LINE, "width": 0.75}},
}


def series(
    name: str | list[Any], sheet: str, rows: tuple[int, int], x: int, y: int, **look: Any
) -> dict[str, Any]:
    """Return what a chart shows of two columns, in the rows from the first to the last."""
    # A name is a cell where it is not ours: text given as a name would be a formula if it began
    # like one.
    first, last = rows
    cells = {"categories": [sheet, first, x, last, x], "values": [sheet, first, y, last, y]}
    return {"name": name, **cells, **look}


def place_chart(
    sheet: Worksheet, chart: Any, at: tuple[int, int], size: tuple[int, int], said: str, **how: int
) -> None:
    """Put a chart among the cells, with what is read out in its place."""
    chart.set_size({"width": size[0], "height": size[1]})
    words = {"object_position": 2, "description": _said(said, sheet.speaks)}
    sheet.raw.insert_chart(*at, chart, {**words, **how})


def write_table(
    title: str,
    columns: Mapping[str, Sequence[Any]],
    path: Path,
    *,
    source: str | None = None,
    added_up: bool = False,
    speaks: Speaks | None = None,
    more: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
) -> None:
    """Write columns as a workbook below title and source, with a sheet for each further table."""
    # `added_up`: with a row of all bins below them, and a chart of their rates.
    book = Book.begun(title, speaks=speaks)
    above = (title, f"Source: {source}" if source else "")
    sheet, top = write_columns(book, "Table", columns, set(), above=above)
    if added_up:
        write_total(book, sheet, columns, top + 1)
    for name, others in (more or {}).items():
        write_columns(book, name, others, {"table"})
    path.write_bytes(book.finished())


def write_total(
    book: Book,
    sheet: Worksheet,
    columns: Mapping[str, Sequence[Any]],
    first: int,
    count: str = "count",
) -> None:
    """Write the row of all bins below their rows, which begin at `first`, and draw their rates."""
    place = {str(name): column for column, name in enumerate(columns)}
    end = first + len(next(iter(columns.values())))
    for column in place.values():
        sheet.put(end, column, None, "total general")
    sheet.text(end, 0, "all", "total text")
    sums = {name: sum(columns[name]) for name in SUMS if name in place}
    for name, value in sums.items():
        at, style = letters(place[name]), style_of(name, value, count)
        sheet.formula(end, place[name], f"=SUM({at}{first + 1}:{at}{end})", value, f"total {style}")
    for name in RATES.keys() & place.keys():
        part, whole, form, said = RATES[name]
        whole = whole if whole in sums else "n"
        per, of = (f"{letters(place[each])}{end + 1}" for each in (part, whole))
        # At a stated prevalence the rates are not those of the counts.
        if math.isclose(columns[name][0] * columns[whole][0], columns[part][0]):
            style = f"total {style_of(name, columns[name][0])}"
            sheet.formula(end, place[name], f"={per}/{of}", sums[part] / sums[whole], style)
        named = heading(name), sheet.name, (first, end - 1), place.get("bin", 0), place[name]
        bars = series(*named, fill={"color": BLUE})
        chart = book.chart_of_bins(said, bars, "from the first bin down", form)
        place_chart(sheet, chart, (end + 2, 0), (620, 280), f"{said}, a column for each.")


def _free_tab(name: str, taken: Container[str]) -> str:
    """Return a name that a tab may have and no other has, whatever the case of its letters."""
    plain = NOT_ON_TABS.sub(" ", writable(name)).strip(QUOTES)
    ends = ("" if place == 1 else f" {place}" for place in count(1))
    tabs = (f"{plain[: LONGEST_TAB - len(end)].strip(QUOTES) or 'Table'}{end}" for end in ends)
    return next(tab for tab in tabs if tab.lower() not in taken)


def write_columns(
    book: Book,
    name: str,
    columns: Mapping[str, Sequence[Any]],
    taken: set[str],
    note: str | None = None,
    title: str | None = None,
    above: Sequence[str] = (),
) -> tuple[Worksheet, int]:
    """Write columns as a sheet; return it with the row of its heads, which `above` is above."""
    rows = len(next(iter(columns.values()), ()))
    if rows > LONGEST_ROWS:
        raise ValueError(
            f"the table has {rows:,} rows and a sheet holds {LONGEST_ROWS:,}; write it as csv, or "
            f"count with {arg('resolution')}"
        )
    tab = _free_tab(name, taken)
    taken.add(tab.lower())
    sheet, top = book.sheet(tab), len(above) + bool(above)
    for row, said in enumerate(above):
        sheet.text(row, 0, said, "note" if row else "title")
    for place, (head, column) in enumerate(columns.items()):
        right = any(isinstance(value, int | float) for value in column)
        words = heading(head).replace("_", " ")
        style = "head right" if right else "head indented" if place else "head"
        sheet.text(top, place, words, style)
    sheet.fill(top + 1, columns)
    sheet.raw.freeze_panes(top + 1, 0)
    widths = [_width(head, column) for head, column in columns.items()]
    sheet.widths(*widths)
    for row, cells in enumerate(zip(*columns.values(), strict=True), start=top + 1):
        lines = max((lines_of(each, WIDEST) for each in cells if isinstance(each, str)), default=1)
        if lines > 1:
            sheet.high(row, lines)
    if note:  # as wide as the table, so that it is printed no smaller
        last = max(len(widths) - 1, 1)
        sheet.paragraph(top + rows + 2, note, last, max(sum(widths), WIDEST), "note")
    called = title or (None if above else name)
    if rows > MOST_ROWS_PRINTED:
        sheet.raw.print_area(0, 0, top + MOST_ROWS_PRINTED, len(widths) - 1)
        called = f"{title or [*above, name][0]}, the first {MOST_ROWS_PRINTED} of {rows:,} rows"
    across = max(1, math.ceil(sum(widths) / LETTERS_ON_A_PAGE))
    sheet.printed(repeated=top, title=called, across=across)
    return sheet, top


def _width(head: str, column: Sequence[Any]) -> int:
    """Return how wide a column must be for the words of its head and for its text."""
    words = [*heading(head).split("_"), *heading(head).split()]
    cells = [value for value in column if isinstance(value, str)]
    if form_of(head) == "quantity":  # money, whose sum may stand below
        sums = (abs(value or 0) for value in column if not isinstance(value, str))
        cells.append(f"{sum(sums):,.2f}")
    longest = max((len(text) for text in (*words, *cells)), default=0)
    return min(max(longest + 2, NARROWEST), WIDEST)


def style_of(column: str, value: object, count: str = "count") -> str:
    """Return how a value of a column is shown.

    >>> style_of("rate", 0.25), style_of("n", 12), style_of("n", 2.5), style_of("score", 0.5)
    ('share', 'count', 'weight', 'general')
    >>> style_of("ks", 0.00004), style_of("p_value", 0.0497), style_of("p_value", 0.0512)
    ('tiny', 'tiny', 'p')
    """
    if isinstance(value, str):
        return "text"
    form = form_of(column)
    if form in OF_FORMS or column == "bin":
        style = OF_FORMS.get(form, "general")
        return "tiny" if _reads_as_another(style, value) else style
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return count if whole else "weight"


def _reads_as_another(style: str, value: object) -> bool:
    """Return whether a number would read as 0, or a p-value as the bound it is held to."""
    decimals, bounds = {"ratio": (3, (0.0,)), "fine": (4, (0.0,)), "p": (3, USUAL_ALPHAS)}.get(
        style, (0, ())
    )
    if not isinstance(value, float):
        return False
    return any(
        value != each and f"{value:.{decimals}f}" == f"{each:.{decimals}f}" for each in bounds
    )


def require_writer() -> Any:
    """Return the library that writes workbooks; ModuleNotFoundError says what to install."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise ModuleNotFoundError(
            f"a workbook needs XlsxWriter: {installing('excel')}", name="xlsxwriter"
        ) from error
    return xlsxwriter


def written_scores(scores: Sequence[object]) -> list[object]:
    """Return scores as they are written: as text where a spreadsheet would not tell them apart.

    >>> written_scores([0.25, 0.5]), written_scores([2**60 + 1, 2**60])
    ([0.25, 0.5], ['1152921504606846977', '1152921504606846976'])
    """
    there = [value for value in scores if value is not None]
    if _told_apart(there):
        return list(scores)
    return [None if value is None else cutoff_text(value) for value in scores]


def _told_apart(scores: Sequence[Any]) -> bool:
    """Tell whether a spreadsheet shows every score as what it is."""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in scores):
        return False
    different = set(scores)
    large = max(map(abs, different), default=0) > LARGEST_INTEGER
    if large and all(float(value).is_integer() for value in different):
        return False
    return len({f"{value:.{SHEET_DIGITS}g}" for value in different}) == len(different)


def is_number(value: object) -> bool:
    """Tell whether a spreadsheet holds a value as a number, and shows all digits of whole ones.

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

    >>> safe_text("=1+1"), safe_text("<r>bold</r>"), safe_text("a\x00b") == "a\ufffdb"
    ('=1+1', '<r>bold</r> ', True)
    """
    held = shortened(writable(words), LONGEST_TEXT)
    return f"{held} " if held.startswith("<r>") and held.rstrip().endswith("</r>") else held


def lines_of(words: str, letters: int) -> int:
    """Return how many lines text takes where one holds so many letters.

    >>> lines_of("five words that are short", 10), lines_of("a", 10)
    (3, 1)
    """
    return sum(math.ceil((len(line) + 1) / letters) for line in words.split("\n"))


def address(row: int, column: int) -> str:
    """Return the fixed address of a cell.

    >>> address(0, 0), address(3, 27)
    ('$A$1', '$AB$4')
    """
    return f"${letters(column)}${row + 1}"


def letters(column: int) -> str:
    """Return the letters of a column."""
    before = letters(column // 26 - 1) if column >= 26 else ""  # noqa: PLR2004 - letters
    return before + chr(ord("A") + column % 26)
