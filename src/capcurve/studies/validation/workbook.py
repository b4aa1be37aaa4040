"""The validation sheet as a workbook: its first page, and every table behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.show.chart import GREY
from capcurve.show.elements import SIGNS
from capcurve.show.format import capitalised
from capcurve.show.workbook import Book, place_chart, series, write_columns
from capcurve.studies.validation.judgement import (
    estimate_text,
    interval_text,
    light_of,
    light_text,
    limits_text,
    p_text,
)
from capcurve.studies.validation.sheet import (
    data_of,
    headline_of,
    inputs_table,
    light_of_all,
    on_gaps,
    on_lights,
    on_others,
    on_tests,
    settings_table,
    tests_in_full,
    tests_of,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from capcurve.show.chart import Chart, Line
    from capcurve.show.finding import Light
    from capcurve.show.workbook import Worksheet
    from capcurve.studies.validation.sheet import ValidationSheet

HEADS = ("Test", "Light", "Value", "Interval", "p", "Limits")
LAST, LETTERS = len(HEADS) - 1, 105
POINTS, SIZE = "CAP data", (460, 400)


def write_workbook(sheet: ValidationSheet, path: Path) -> None:
    """Write the sheet as a workbook; equal sheets are equal files."""
    book, taken = Book.begun(title_of(sheet)), set[str]()
    _write_first_page(book, sheet)
    taken |= {"results", POINTS.lower()}
    for name, columns, note in _tables(sheet):
        write_columns(book, name, columns, taken, note)
    if charts := [chart for section in sheet.sections for chart in section.front]:
        _write_points(book, charts[0])
    path.write_bytes(book.finished())


def _tables(
    sheet: ValidationSheet,
) -> list[tuple[str, Mapping[str, Sequence[object]], str | None]]:
    """Return the name, columns and note of every table behind the first page."""
    gaps, found = list(on_gaps(sheet)), sheet.findings
    findings: dict[str, list[object]] = {
        "severity": [*(each.severity for each in found), *("left open" for _ in gaps)],
        "finding": [*(each.message for each in found), *gaps],
        "advice": [*(each.advice for each in found), *(None for _ in gaps)],
    }
    own = (inputs_table(sheet), settings_table(sheet))
    return [
        ("Tests", tests_in_full(sheet), None),
        ("Findings", findings, None),
        *((table.name, table.values(), table.note) for table in own),
        *(
            (f"{section.number} {_short(table.name)}", table.values(), table.note)
            for section in sheet.sections
            for table in (*section.tables, *section.folded)
        ),
    ]


def _short(name: str) -> str:
    """Return the name of a table without what it says in brackets or behind a comma."""
    return capitalised(name.partition(" (")[0].partition(",")[0])


def _write_first_page(book: Book, sheet: ValidationSheet) -> None:
    """Write what the printed first page says, with lights in their colours and the CAP."""
    page = book.sheet("Results")
    page.text(0, 0, title_of(sheet), "title")
    light, headline = light_of_all(sheet), headline_of(sheet)
    page.text(1, 0, f"{_sign(light)}{headline}", _style(light))
    tally = on_lights(sheet)
    row = 2
    for said in (*([tally] if tally != headline else []), *on_others(sheet), on_tests(sheet)):
        row = page.paragraph(row, said, LAST, LETTERS)
    for row, (name, value) in enumerate(data_of(sheet), start=row + 1):  # noqa: B020 - it goes on
        page.text(row, 0, name, "note")
        page.text(row, 1, value)
    row += 2
    page.heads(row, HEADS[:LAST], left=2)
    page.text(row, LAST, HEADS[LAST], "head indented")
    top = row
    for row, test in enumerate(tests_of(sheet), start=row + 1):  # noqa: B020 - it goes on
        page.text(row, 0, test.name)
        page.text(row, 1, f"{_sign(light_of(test))}{light_text(test)}", _style(light_of(test)))
        for place, words in enumerate((estimate_text(test), interval_text(test), p_text(test))):
            page.text(row, 2 + place, words, "right")
        page.text(row, LAST, limits_text(test), "note indented")
    row += 2
    for found in sheet.findings:
        row = page.paragraph(row, f"{capitalised(found.message)}; {found.advice}.", LAST, LETTERS)
    for said in on_gaps(sheet):
        row = page.paragraph(row, said, LAST, LETTERS, "note")
    for who in ("Validated by", "Reviewed by"):
        row += 2
        page.text(row, 0, f"{who}, date, signature", "note")
    charts = [chart for section in sheet.sections for chart in section.front]
    if charts:
        _draw(book, page, charts[0], (top, LAST + 2))
    page.widths(58, 42, 10, 20, 12, 30)
    page.printed()
    page.raw.print_area(0, 0, row, LAST + (9 if charts else 0))


def _sign(light: Light | None) -> str:
    return "" if light is None else f"{SIGNS[light][0]} "


def _style(light: Light | None) -> str:
    return "note" if light is None else f"light {light}"


def _lines(chart: Chart) -> list[Line]:
    """Return the lines of a chart that have names, each name once."""
    return list({line.label: line for line in reversed(chart.lines) if line.label}.values())[::-1]


def _draw(book: Book, page: Worksheet, chart: Chart, at: tuple[int, int]) -> None:
    """Draw the lines of a chart from the sheet of their points."""
    drawn = [
        series(
            [POINTS, 0, 2 * place + 1],
            POINTS,
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
    points = book.sheet(POINTS)
    for place, line in enumerate(_lines(chart)):
        points.heads(0, [chart.x.title, line.label], start=2 * place)
        for row, ends in enumerate(zip(line.x, line.y, strict=True), start=1):
            for side, value in enumerate(ends):
                points.put(row, 2 * place + side, float(value), "share")
    points.printed()
