"""The page of a validation sheet: one printed page to sign, and all tables on the pages behind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from capcurve.show.document import document
from capcurve.show.elements import LONGEST_NAME, escape, found_list, framed, table_html
from capcurve.show.format import (
    MISSING,
    bare_chance,
    capitalised,
    plain_names,
    shortened,
    stated_percent,
    statistic,
)
from capcurve.show.svg import draw
from capcurve.studies.validation.shown import (
    as_sentence,
    estimate_text,
    how_lit,
    inputs_table,
    interval_text,
    light_text,
    lights_of,
    limits_text,
    meaning_of,
    once,
    p_text,
    sentence_on_inputs,
    sentence_on_lights,
    sentence_on_tests,
    sentences_on_gaps,
    tests_of,
    title_of,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capcurve.show.chart import Chart
    from capcurve.show.table import Table
    from capcurve.studies.validation.records import Light, Section, Sheet, SheetTest

# What the first page has room for; all else stands behind.
MOST_TESTS, MOST_FINDINGS, MOST_SUBJECTS, MOST_CHARTS = 30, 4, 6, 2
LONGEST_TITLE, LONGEST_TEST, LONGEST_SUBJECT, LONGEST_VALUE = 66, 44, 24, 56
LONGEST_FINDING, LONGEST_LINE, LONGEST_CELL = 240, 400, 40
MOST_ROWS = 100
SEVEREST = ("error", "warning", "info")
# A shape for each light, as colours alone tell nothing in grey.
SHAPES: dict[Light, str] = {
    "green": '<circle cx="6" cy="6" r="5"/>',
    "amber": '<path d="M6 .8 11.6 11H.4z"/>',
    "red": '<path d="M1 1h10v10H1z"/>',
    "grey": '<circle cx="6" cy="6" r="4.2" class=hollow />',
}
SIGNED = ("Validated by", "Reviewed by")


def render_sheet(sheet: Sheet, digest: str) -> str:
    """Return the page of a sheet as one HTML document without script, equal for equal sheets."""
    return document(
        title=escape(shortened(title_of(sheet), LONGEST_NAME)),
        head="",
        main=f"<article class=front>{_front(sheet, digest)}</article>{_behind(sheet)}",
        foot=f"<p>Digest of the sheet: {digest}. Written by capcurve {__version__}.</p>",
    )


# The first page


def _front(sheet: Sheet, digest: str) -> str:
    charts = [chart for section in sheet.sections for chart in section.front][:MOST_CHARTS]
    drawn = f"<div class=small>{''.join(map(_figure, charts))}</div>" if charts else ""
    return (
        f"<h1>{escape(_short(title_of(sheet), LONGEST_TITLE))}</h1>{_subject(sheet)}"
        f"{_counted_lights(sheet)}<p>{escape(sentence_on_tests(sheet))}</p>"
        f"{_data(sheet)}<div class=numbers-and-charts>{_front_tests(sheet)}{drawn}</div>"
        f"{_front_sentences(sheet)}{_front_findings(sheet)}{_front_gaps(sheet)}{_signatures()}"
        f"<p class='soft made'>{escape(_made(sheet, digest))}</p>"
    )


def _data(sheet: Sheet) -> str:
    said = f"<b>Data.</b> {escape(_short(sentence_on_inputs(sheet)))}"
    return f"<p>{said}</p>" if sheet.inputs else ""


def _short(words: str, most: int = LONGEST_LINE) -> str:
    """Return words cut at the end when there are more than the page has room for."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


def _subject(sheet: Sheet) -> str:
    """Return who validates what, as given, in pairs."""
    given = [(name, value) for name, value in sheet.subject.items() if name != "model"]
    pairs = "".join(
        f"<div><dt>{escape(_short(capitalised(name), LONGEST_SUBJECT))}</dt>"
        f"<dd>{escape(_short(value, LONGEST_VALUE))}</dd></div>"
        for name, value in given[:MOST_SUBJECTS]
    )
    return f"<dl class=subject>{pairs}</dl>" if pairs else ""


def _mark(light: Light) -> str:
    """Return the shape of a light."""
    return f'<svg class="mark-{light}" viewBox="0 0 12 12" aria-hidden="true">{SHAPES[light]}</svg>'


def _counted_lights(sheet: Sheet) -> str:
    """Return how many tests have each light."""
    counts = lights_of(tests_of(sheet))
    if not any(counts.values()):
        return f"<p class=lead>{escape(sentence_on_lights(sheet))}</p>"
    said = "".join(
        f"<li>{_mark(light)}<b>{count}</b> {_named_light(light)}</li>"
        for light, count in counts.items()
    )
    return f'<ul class=lights aria-label="Lights">{said}</ul>'


def _named_light(light: Light) -> str:
    meaning = {"amber": "not shown", "grey": "undefined"}.get(light)
    return light if meaning is None else f"{light} <small>{meaning}</small>"


def _front_tests(sheet: Sheet) -> str:
    """Return the tests; of too many those with a light that is not green come first."""
    tests = tests_of(sheet)
    kept = sorted(tests, key=_urgency)[:MOST_TESTS]
    shown = [test for test in tests if any(test is each for each in kept)]
    head = f"<tr>{_cells('th scope=col', _heads(sheet))}</tr>"
    body = "".join(
        f"<tbody>{''.join(map(_row, group))}</tbody>"
        for _, group in groupby(shown, key=lambda test: test.section)
    )
    left = len(tests) - len(shown)
    more = f"<p class=soft>{left} more tests stand on the pages behind.</p>" if left else ""
    table = f"<table class=tests><caption>Tests</caption><thead>{head}</thead>{body}</table>"
    return f"<div>{framed('Tests', table)}{more}</div>"


def _urgency(test: SheetTest) -> int:
    return ("red", "grey", "amber", "green", None).index(test.light)


def _heads(sheet: Sheet) -> tuple[str, ...]:
    return "Test", "Light", "Value", f"{stated_percent(sheet.level)} interval", "p", "Green"


def _cells(tag: str, words: Iterable[str]) -> str:
    end = tag.partition(" ")[0]
    return "".join(f"<{tag}>{escape(each)}</{end}>" for each in words)


def _row(test: SheetTest) -> str:
    light = "" if test.light is None else f"{_mark(test.light)} {test.light}"
    meaning = meaning_of(test)
    said = f" <small>{escape(meaning)}</small>" if meaning else ""
    numbers = (estimate_text(test), interval_text(test), p_text(test))
    name = escape(shortened(test.name, LONGEST_TEST))
    return (
        f"<tr><th scope=row>{name}</th><td class=light>{light}{said}</td>"
        f"{_cells('td', numbers)}<td class=limits>{escape(limits_text(test))}</td></tr>"
    )


def _front_sentences(sheet: Sheet) -> str:
    """Return as many sentences as there is room for: each takes that of two tests."""
    said = [text for section in sheet.sections for text in section.sentences]
    room = max(0, MOST_TESTS - len(tests_of(sheet))) // 2
    items = "".join(f"<li>{escape(_short(each, LONGEST_FINDING))}</li>" for each in said[:room])
    return f"<section><h2>In words</h2><ul class=findings>{items}</ul></section>" if items else ""


def _front_findings(sheet: Sheet) -> str:
    """Return the gravest findings, each cut to the room there is."""
    if not sheet.findings:
        return "<section><h2>Findings</h2><p>None.</p></section>"
    found = sorted(sheet.findings, key=lambda each: SEVEREST.index(each.severity))
    items = "".join(
        f"<li>{escape(_short(f'{each.message}; {each.advice}', LONGEST_FINDING))}</li>"
        for each in found[:MOST_FINDINGS]
    )
    left = len(found) - MOST_FINDINGS
    more = f"<p class=soft>{left} more on the pages behind.</p>" if left > 0 else ""
    return f"<section><h2>Findings</h2><ul class=findings>{items}</ul>{more}</section>"


def _front_gaps(sheet: Sheet) -> str:
    """Return what was not done and what is not covered, each in one line."""
    lines = []
    if sheet.not_done:
        lines.append(("Not done", "; ".join(what for what, _ in sheet.not_done)))
    if sheet.not_covered:
        lines.append(("Not covered", "; ".join(sheet.not_covered)))
    said = "".join(f"<p><b>{name}.</b> {escape(_short(text))}.</p>" for name, text in lines)
    return f"<section class=gaps>{said}</section>" if said else ""


def _signatures() -> str:
    lines = "".join(
        f"<div><span>{who}</span><span>Date</span><span>Signature</span></div>" for who in SIGNED
    )
    return f"<section class=sign><h2>Signatures</h2>{lines}</section>"


def _made(sheet: Sheet, digest: str) -> str:
    seed = "" if sheet.seed is None else f", seed {sheet.seed}"
    return f"capcurve {__version__}, level {stated_percent(sheet.level)}{seed}. Digest: {digest}."


# The pages behind


def _behind(sheet: Sheet) -> str:
    return (
        f"{''.join(map(_section, sheet.sections))}{_all_findings(sheet)}{_terms(sheet)}"
        f"{_origin(sheet)}"
    )


def _section(section: Section) -> str:
    said = "".join(f"<p>{escape(each)}</p>" for each in section.sentences)
    tests = _tests_in_detail(section.tests)
    charts = "".join(map(_figure, once(*section.front, *section.charts)))
    pictures = f"<div class=shown>{charts}</div>" if charts else ""
    tables = "".join(map(_table, section.tables))
    heading = f"<h2>{section.number}. {escape(section.title)}</h2>"
    return f"<section class=tables>{heading}{said}{tests}{pictures}{tables}</section>"


def _figure(chart: Chart) -> str:
    look = "card" if chart.scores is None else "'card broad'"
    return (
        f"<figure class={look}><figcaption>{escape(chart.title)}</figcaption>{draw(chart)}</figure>"
    )


def _tests_in_detail(tests: Sequence[SheetTest]) -> str:
    """Return what is behind each test: statistic, method, source and notes."""
    said = "".join(
        f"<dl class=detail><dt>{escape(test.name)} <code>{escape(test.id)}</code></dt>"
        f"{''.join(f'<dd>{escape(line)}</dd>' for line in _lines(test) if line)}</dl>"
        for test in tests
    )
    return f"<div class=details>{said}</div>" if said else ""


def _lines(test: SheetTest) -> Iterable[str]:
    """Yield the numbers of a test, its method and source, and its notes."""
    value = estimate_text(test)
    numbers = {
        "": f"{'undefined' if value == MISSING else value} {interval_text(test)}".strip(),
        "statistic": "" if test.statistic is None else statistic(test.statistic),
        "df": "" if test.df is None else f"{test.df:g}",
        "p": "" if test.p_value is None else bare_chance(test.p_value),
        "adjusted p": "" if test.p_adjusted is None else bare_chance(test.p_adjusted),
        "one-sided:": f"{test.alternative}" if test.one_sided else "",
        "limits": limits_text(test),
        "light": light_text(test),
    }
    yield "; ".join(f"{name} {text}".strip() for name, text in numbers.items() if text)
    sources = {"Method": test.method, "Against": test.reference}
    yield " ".join(as_sentence(f"{name}: {text}") for name, text in sources.items() if text)
    yield from (as_sentence(note) for note in test.notes if note)


def _table(table: Table) -> str:
    left = len(table) - MOST_ROWS
    columns = table.values()
    heads = plain_names(list(columns), LONGEST_CELL)
    rows = {
        head: [each if head == "digest" else _cut(each) for each in column[:MOST_ROWS]]
        for head, column in zip(heads, columns.values(), strict=True)
    }
    more = f"of {len(table):,} rows the first {MOST_ROWS} are shown" if left > 0 else None
    return table_html(
        rows, capitalised(table.name), "; ".join(filter(None, (table.note, more))) or None
    )


def _cut(cell: object) -> object:
    """Return what a cell has room for on paper, where a wide table would shrink all pages."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return shortened(cell, LONGEST_CELL) if isinstance(cell, str) else cell


def _all_findings(sheet: Sheet) -> str:
    if not sheet.findings:
        return ""
    found = found_list(("", each) for each in sheet.findings)
    return f"<section><h2>Findings</h2>{found}</section>"


def _terms(sheet: Sheet) -> str:
    """Return how lights come about, what was not done, and what the sheet does not cover."""
    lines = (*how_lit(sheet), *sentences_on_gaps(sheet))
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<section><h2>Lights, and what is left open</h2>{said}</section>" if said else ""


def _origin(sheet: Sheet) -> str:
    """Return all subjects, inputs with their digests, and settings."""
    settings = {"level": sheet.level, "seed": sheet.seed, **sheet.settings}
    pairs = [*sheet.subject.items(), *(each for each in settings.items() if each[1] is not None)]
    rows = "".join(
        f"<div><dt>{escape(capitalised(str(name).replace('_', ' ')))}</dt>"
        f"<dd>{escape(_setting(value))}</dd></div>"
        for name, value in pairs
    )
    return (
        f"<section class=tables><h2>Inputs and settings</h2>{_table(inputs_table(sheet))}"
        f"<dl class=subject>{rows}</dl></section>"
    )


def _setting(value: object) -> str:
    """Return a setting on one line; of several together, each with its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(each)}" for name, each in value.items())
    return ", ".join(map(_setting, value)) if isinstance(value, list | tuple) else str(value)
