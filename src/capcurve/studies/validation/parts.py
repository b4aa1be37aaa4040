"""Parts of a sheet's page as HTML: its sections, its tests and its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.show.columns import ColumnName, form_of
from capcurve.show.elements import escape, mark, table_html
from capcurve.show.format import (
    MISSING,
    bare_chance,
    capitalised,
    plain_names,
    shortened,
    statistic,
)
from capcurve.show.html import figure_html, folded_html, note_of
from capcurve.studies.validation.judgement import (
    CHALLENGER,
    NO_LIMIT,
    SheetTest,
    estimate_text,
    interval_text,
    light_of,
    light_text,
    limits_text,
    meaning_of,
    method_text,
    p_text,
    status_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.show.chart import Chart
    from capcurve.show.table import Table
    from capcurve.studies.validation.sections import Section

LONGEST_CHALLENGER, LONGEST_CELL, MOST_TABLE_ROWS = 36, 40, 100


def part_html(title: str, body: str, look: str = "") -> str:
    """Return a part of the page with its heading; nothing where there is nothing to say."""
    return f"<section{look}><h2>{title}</h2>{body}</section>" if body else ""


def pairs_html(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with their values."""
    rows = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in pairs)
    return f"<dl class=subject>{rows}</dl>" if rows else ""


def items_html(lines: Iterable[str]) -> str:
    """Return a list of lines."""
    items = "".join(f"<li>{escape(each)}</li>" for each in lines)
    return f"<ul class=findings>{items}</ul>" if items else ""


def line_html(said: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(said)}</p>"


def small_html(words: str) -> str:
    """Return what there is to say beside the name of a light."""
    return f" <small>{escape(words)}</small>" if words else ""


def cells_html(tag: str, words: Iterable[str]) -> str:
    """Return cells of a table."""
    end = tag.partition(" ")[0]
    return "".join(f"<{tag}>{escape(each)}</{end}>" for each in words)


def row_of_test(test: SheetTest, *, later: bool = False) -> str:
    """Return the row of a test in the table of the first page."""
    light, status = light_of(test), status_of(test)
    shown = small_html(status).strip() if light is None else f"{mark(light)} {status}"
    said = small_html(meaning_of(test))
    numbers = (estimate_text(test), interval_text(test), p_text(test))
    given = test.id.startswith(CHALLENGER)
    name = escape(shortened(test.name, LONGEST_CHALLENGER) if given else test.name)
    look = " class=alarm" if test.alarm is not None else " class=later" if later else ""
    return (
        f"<tr{look}><th scope=row>{name}</th><td class=light>{shown}{said}</td>"
        f"{cells_html('td', numbers)}<td class=limits>{_whole(limits_text(test))}</td></tr>"
    )


def _whole(limits: str) -> str:
    """Return limits that break between green and red alone."""
    parts = limits.replace(", ", ",\n").split("\n")
    return " ".join(f"<span class=whole>{escape(each)}</span>" for each in parts if each)


def section_html(section: Section) -> str:
    """Return a section with its charts, its tests in detail and its tables."""
    said = "".join(map(line_html, section.sentences))
    tests = _tests_in_detail(section.tests)
    charts = each_once(*section.front, *section.charts)
    if len(charts) == 1 and charts[0].scores is None:
        # A square picture leaves room for the numbers beside it.
        tests = f"<div class=pair>{figure_html(charts[0])}<div>{tests}</div></div>"
        charts = ()
    drawn = "".join(map(figure_html, charts))
    pictures = f"<div class=shown>{drawn}</div>" if charts else ""
    tables = "".join(map(cut_table, section.tables))
    folded = "".join(folded_html(table, cut_table) for table in section.folded)
    heading = f"<h2>{section.number}. {escape(section.title)}</h2>"
    printed = said or tests or pictures or tables
    look = "tables" if printed else "'tables later'"
    return f"<section class={look}>{heading}{said}{tests}{pictures}{tables}{folded}</section>"


def _tests_in_detail(tests: Sequence[SheetTest]) -> str:
    """Return what is behind each test: statistic, method, source, and notes not said before."""
    said, known = "", set[str]()
    for test in tests:
        notes = [as_sentence(note) for note in test.notes if note and note not in known]
        known |= set(test.notes)
        lines = [*filter(None, _lines(test)), *notes]
        said += (
            f"<dl class=detail><dt>{escape(test.name)} <code>{escape(test.id)}</code></dt>"
            f"{''.join(f'<dd>{escape(line)}</dd>' for line in lines)}</dl>"
        )
    return f"<div class=details>{said}</div>" if said else ""


def _lines(test: SheetTest) -> Iterable[str]:
    """Yield the numbers of a test, and its method and source."""
    value = "" if test.estimate is None and not test.shown and test.p_value else estimate_text(test)
    bound = 1 - (test.level or 0.95)
    numbers = {
        "": f"{'undefined' if value == MISSING else value} {interval_text(test)}".strip(),
        "statistic": "" if test.statistic is None else statistic(test.statistic),
        "df": "" if test.df is None else f"{test.df:g}",
        "p": "" if test.p_value is None else bare_chance(test.p_value, bound),
        "adjusted p": "" if test.p_adjusted is None else bare_chance(test.p_adjusted, bound),
        "one-sided:": f"{test.alternative}" if test.one_sided else "",
        "limits:": limits_text(test),
        "light:": "" if status_of(test) == NO_LIMIT else light_text(test),
    }
    yield "; ".join(f"{name} {text}".strip() for name, text in numbers.items() if text)
    sources = {"Method": method_text(test), "Against": test.reference}
    yield " ".join(as_sentence(f"{name}: {text}") for name, text in sources.items() if text)


def as_sentence(words: str) -> str:
    """Return words as a sentence."""
    return f"{capitalised(words).removesuffix('.')}."


def cut_table(table: Table, longest: int = LONGEST_CELL) -> str:
    """Return a table with as many rows, and as long texts, as paper has room for."""
    columns = table.values()
    plain_heads = plain_names(list(columns), LONGEST_CELL)
    heads = [
        name if head == name else ColumnName(head, form_of(name), head)
        for name, head in zip(columns, plain_heads, strict=True)
    ]
    rows = {
        head: [
            each if head == "digest" else _cut(each, longest) for each in column[:MOST_TABLE_ROWS]
        ]
        for head, column in zip(heads, columns.values(), strict=True)
    }
    note = note_of(table, MOST_TABLE_ROWS)
    return table_html(rows, capitalised(table.name), note, square=table.square)


def _cut(cell: object, longest: int) -> object:
    """Return what a cell has room for on paper, where a wide table would shrink all pages."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return shortened(cell, longest) if isinstance(cell, str) else cell


def each_once(*charts: Chart) -> tuple[Chart, ...]:
    """Return charts in order, each once."""
    return tuple({id(chart): chart for chart in charts}.values())
