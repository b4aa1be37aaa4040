"""Native charts: the CAP, both classes captured, and the rate of positives by bin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.show.chart import COLOURS, GREY, RASPBERRY
from capcurve.studies.evaluation.workbook.layout import CAPTURED, FPR, LABEL, NAME, Q

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.studies.evaluation.workbook.book import Book, Sheet
    from capcurve.studies.evaluation.workbook.layout import Live, Span

INK, GRID = "#1B1F24", "#E3E7EB"
FONT = {"color": INK, "size": 9}
DASHES = ("solid", "long_dash", "dash_dot", "square_dot", "long_dash_dot", "dash")


def cap_chart(book: Book, sheet: Sheet, several: Sequence[Live], at: tuple[int, int]) -> None:
    """Draw the CAP of each score, with the perfect and the random ones.

    A line is called as a cell says: text given as a name would be a formula if it began like one.
    """
    chart = book.raw.add_chart({"type": "scatter", "subtype": "straight"})
    rates = set()
    for live in several:
        rate = live.cells["prevalence"][1]
        if rate not in rates:
            chart.add_series(_reference(live, 1, "perfect", {"dash_type": "dash"}))
            rates.add(rate)
    chart.add_series(_reference(several[0], 2, "random", {"dash_type": "round_dot"}))
    for live in several:
        chart.add_series(_line(live, CAPTURED, [live.scored.sheet, *NAME], live.scored.place))
    chart.set_title({"name": "Cumulative accuracy profile (CAP)", **_title()})
    _share_axes(chart, "share of cases, most likely positive first", "share of positives captured")
    chart.set_size({"width": 520, "height": 470})
    sheet.raw.insert_chart(
        *at, chart, _placed("The CAP of each score against the share of cases.", 8)
    )


def captured_of_both(book: Book, sheet: Sheet, rows: Span, at: tuple[int, int]) -> None:
    """Draw both classes captured along the share of cases; KS is the largest gap."""
    chart = book.raw.add_chart({"type": "scatter", "subtype": "straight"})
    lines = ((CAPTURED, "positives", COLOURS[0]), (FPR, "negatives", RASPBERRY))
    for column, name, colour in lines:
        chart.add_series(
            {
                "name": name,
                "categories": [sheet.name, rows.first, Q, rows.last, Q],
                "values": [sheet.name, rows.first, column, rows.last, column],
                "line": {"color": colour, "width": 2},
            }
        )
    chart.set_title({"name": "Captured of each class; KS is the largest gap", **_title()})
    _share_axes(chart, "share of cases, most likely positive first", "share captured")
    chart.set_size({"width": 480, "height": 400})
    sheet.raw.insert_chart(
        *at, chart, _placed("Shares of both classes captured along the share of cases.")
    )


def rates_by_bin(
    book: Book, sheet: Sheet, rows: Span, columns: tuple[int, int], at: tuple[int, int]
) -> None:
    """Draw the rate of positives in each bin of a gains table."""
    chart = book.raw.add_chart({"type": "column"})
    bins, rates = columns
    chart.add_series(
        {
            "name": "rate of positives",
            "categories": [sheet.name, rows.first, bins, rows.last, bins],
            "values": [sheet.name, rows.first, rates, rows.last, rates],
            "fill": {"color": COLOURS[0]},
            "gap": 40,
        }
    )
    chart.set_title({"name": "Rate of positives by bin", **_title()})
    chart.set_legend({"none": True})
    chart.set_x_axis({"name": "bin, most likely positive first", **_axis()})
    chart.set_y_axis({"num_format": "0%", "min": 0, **_axis(), "major_gridlines": _grid()})
    chart.set_size({"width": 620, "height": 280})
    sheet.raw.insert_chart(
        *at, chart, _placed("A column for each bin, as high as its rate of positives.")
    )


def _line(live: Live, column: int, name: list[Any], place: int) -> dict[str, Any]:
    first, last = live.span.first, live.span.last
    sheet = live.scored.sheet
    colours, dashes = len(COLOURS), len(DASHES)
    dash = DASHES[(place + place // colours) % dashes]
    return {
        "name": name,
        "categories": [sheet, first, Q, last, Q],
        "values": [sheet, first, column, last, column],
        "line": {"color": COLOURS[place % colours], "width": 2, "dash_type": dash},
    }


def _reference(live: Live, column: int, name: str, look: dict[str, Any]) -> dict[str, Any]:
    first, sheet = live.reference, live.scored.sheet
    return {
        "name": name,
        "categories": [sheet, first, LABEL, first + 2, LABEL],
        "values": [sheet, first, LABEL + column, first + 2, LABEL + column],
        "line": {"color": GREY, "width": 1.25, **look},
    }


def _share_axes(chart: Any, x: str, y: str) -> None:
    for name, axis in ((x, chart.set_x_axis), (y, chart.set_y_axis)):
        axis(
            {
                "name": name,
                "min": 0,
                "max": 1,
                "major_unit": 0.2,
                "num_format": "0%",
                "major_gridlines": _grid(),
                **_axis(),
            }
        )
    chart.set_legend({"position": "bottom", "font": FONT})


def _axis() -> dict[str, Any]:
    return {
        "name_font": {**FONT, "bold": False},
        "num_font": FONT,
        "line": {"color": GREY},
    }


def _grid() -> dict[str, Any]:
    return {"visible": True, "line": {"color": GRID, "width": 0.75}}


def _title() -> dict[str, Any]:
    return {"name_font": {"color": INK, "size": 11, "bold": True}, "overlay": False}


def _placed(description: str, x_offset: int = 0) -> dict[str, Any]:
    """Return how a chart stands among the cells, and what is read out in its place."""
    return {"object_position": 2, "x_offset": x_offset, "description": description}
