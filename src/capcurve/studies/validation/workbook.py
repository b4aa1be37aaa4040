"""The validation sheet as a workbook: its first page, and every table behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from capcurve.show.chart import GREY, Chart, Line
from capcurve.show.elements import LIGHT_SIGNS
from capcurve.show.format import capitalised
from capcurve.show.workbook import Book, Worksheet, place_chart, series, write_columns
from capcurve.studies.validation.ecb import EcbTable, write_ecb
from capcurve.studies.validation.judgement import (
    SheetTest,
    estimate_text,
    interval_text,
    light_of,
    light_text,
    limits_text,
    p_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from capcurve.show.presentation import Light, Presentation
    from capcurve.show.table import Speaks

TEST_HEADS = ("Test", "Light", "Value", "Interval", "p", "Limits")
LAST, TEST_LETTERS = len(TEST_HEADS) - 1, 105
CAP_DATA, SIZE = "CAP data", (460, 400)
# The name of a table, its columns and its note.
NamedTable: TypeAlias = "tuple[str, Mapping[str, Sequence[object]], str | None]"


def write_sheet_workbook(
    front: Presentation,
    data: Sequence[tuple[str, str]],
    tests: Sequence[SheetTest],
    tables: Sequence[NamedTable],
    *,
    ecb: EcbTable | None,
    speaks: Speaks | None,
    path: Path,
) -> None:
    """Write a sheet as a workbook, `front` and its data first; equal sheets are equal files."""
    book, taken = Book.begun(front.title, speaks=speaks), set[str]()
    _write_first_page(book, front, data, tests)
    taken |= {"results", CAP_DATA.lower()}
    for name, columns, note in tables:
        write_columns(book, name, columns, taken, note)
    if ecb is not None:
        write_ecb(book, ecb, "ECB 2.5", taken)
    if front.charts:
        _write_points(book, front.charts[0])
    path.write_bytes(book.finished())


def _write_first_page(
    book: Book, front: Presentation, data: Sequence[tuple[str, str]], tests: Sequence[SheetTest]
) -> None:
    """Write what the printed first page says, with lights in their colours and the CAP."""
    page, (headline, *told) = book.sheet("Results"), front.sentences
    page.text(0, 0, front.title, "title")
    _write_lit(page, (1, 0), headline, front.light)
    row = 2
    for said in told:
        row = page.paragraph(row, said, LAST, TEST_LETTERS)
    for row, (name, value) in enumerate(data, start=row + 1):  # noqa: B020 - it goes on
        page.text(row, 0, name, "note")
        page.text(row, 1, value)
    row += 2
    page.heads(row, TEST_HEADS[:LAST], left=2)
    page.text(row, LAST, TEST_HEADS[LAST], "head indented")
    for row, test in enumerate(tests, start=row + 1):  # noqa: B020 - it goes on
        page.text(row, 0, test.name)
        _write_lit(page, (row, 1), light_text(test), light_of(test))
        for place, words in enumerate((estimate_text(test), interval_text(test), p_text(test))):
            page.text(row, 2 + place, words, "right")
        page.text(row, LAST, limits_text(test), "note indented")
    row += 2
    for found in front.findings:
        said = f"{capitalised(found.message)}; {found.advice}."
        row = page.paragraph(row, said, LAST, TEST_LETTERS)
    for said in front.notes:
        row = page.paragraph(row, said, LAST, TEST_LETTERS, "note")
    for who in ("Validated by", "Reviewed by"):
        row += 2
        page.text(row, 0, f"{who}, date, signature", "note")
    if front.charts:
        _draw(book, page, front.charts[0], (row + 2, 0))
    page.widths(60, 36, 10, 18, 12, 30)
    page.printed()


def _write_lit(page: Worksheet, at: tuple[int, int], words: str, light: Light | None) -> None:
    """Write words with the sign and the colour of their light, if they have one."""
    sign = "" if light is None else f"{LIGHT_SIGNS[light][0]} "
    page.text(*at, f"{sign}{words}", "note" if light is None else f"light {light}")


def _lines(chart: Chart) -> list[Line]:
    """Return the lines of a chart that have names, each name once."""
    return list({line.label: line for line in reversed(chart.lines) if line.label}.values())[::-1]


def _draw(book: Book, page: Worksheet, chart: Chart, at: tuple[int, int]) -> None:
    """Draw the lines of a chart from the sheet of their points."""
    drawn = [
        series(
            [CAP_DATA, 0, 2 * place + 1],
            CAP_DATA,
            (1, len(line.x)),
            2 * place,
            2 * place + 1,
            line={"color": line.style.colour or GREY, "width": 1.5},
        )
        for place, line in enumerate(_lines(chart))
    ]
    picture = book.chart_of_shares(chart.title, drawn, chart.y.title)
    place_chart(page, picture, at, SIZE, chart.description or chart.title)


def _write_points(book: Book, chart: Chart) -> None:
    """Write the points of the lines of a chart."""
    points = book.sheet(CAP_DATA)
    for place, line in enumerate(_lines(chart)):
        points.heads(0, [chart.x.title, line.label], start=2 * place)
        for row, ends in enumerate(zip(line.x, line.y, strict=True), start=1):
            for side, value in enumerate(ends):
                points.put(row, 2 * place + side, float(value), "share")
    points.high(0, 2)
    points.widths(*([16] * 2 * len(_lines(chart))))
    points.printed()
