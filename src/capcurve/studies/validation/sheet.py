"""ValidationSheet: all tests of how a score ranks, in one result that shows and saves itself."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.plain import plain
from capcurve.show import PICTURES
from capcurve.show.elements import (
    LONGEST_NAME,
    document,
    escape,
    found_list,
    framed,
    lead,
    mark,
    table_html,
)
from capcurve.show.finding import LIGHTS, gravest_first
from capcurve.show.format import (
    MISSING,
    amount,
    bare_chance,
    capitalised,
    plain_names,
    shortened,
    stated_percent,
    statistic,
)
from capcurve.show.html import figure_html
from capcurve.show.presentation import Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.show.text import defused, to_csv, to_json
from capcurve.studies.validation.judgement import (
    MEANING,
    SheetTest,
    estimate_text,
    interval_text,
    light_text,
    limits_text,
    meaning_of,
    p_text,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from capcurve.show.chart import Chart
    from capcurve.show.finding import Finding, Light
    from capcurve.studies.validation.judgement import TestLimits

SCHEMA = "capcurve.validation"
SCHEMA_VERSION = 1
WIDTHS = {"id": 28, "name": 40, "method": 40, "reference": 30, "notes": 60, "value": 50}
WIDTHS |= {"finding": 90, "advice": 60, "digest": 66, "subject": 24, "input": 24}
NOT_ADJUSTED = "the lights are not adjusted for the number of tests"
HOW_LIT = {
    "limit": "By confidence limits: green when the less favourable limit keeps green, red when the "
    "more favourable one breaks red, amber when neither is shown.",
    "estimate": "By the estimate: green and red on either side of the limits, amber between.",
    "p_value": "By the p-value: green and red on either side of the limits, amber between.",
}
# What csv and workbooks hold of a test as it stands.
IN_FULL = [
    each.name
    for each in fields(SheetTest)
    if each.name not in {"limits", "notes", "better", "by_p"}
]
# What the first page has room for; all else stands behind.
MOST_TESTS, MOST_FINDINGS, MOST_SUBJECTS, MOST_CHARTS = 30, 4, 6, 2
LONGEST_TITLE, LONGEST_TEST, LONGEST_SUBJECT, LONGEST_VALUE = 66, 44, 24, 56
LONGEST_FINDING, LONGEST_LINE, LONGEST_CELL = 240, 400, 40
MOST_ROWS = 100
# Which tests the first page shows first where there are too many.
URGENCY: tuple[Light | None, ...] = ("red", "grey", "amber", "green", None)
SIGNED = ("Validated by", "Reviewed by")


@dataclass(frozen=True, slots=True)
class Input:
    """Counts that the sheet was made from.

    Attributes
    ----------
    role
        What they were used as: "now", "initial", "period 2026-01" and so on.
    digest
        Fingerprint of the counts; None of a plain number.
    n, n1, n0
        Cases, positives and negatives; None where unknown.
    levels
        The grades in order, or None for numbers.
    """

    role: str
    digest: str | None
    n: float | None = None
    n1: float | None = None
    n0: float | None = None
    levels: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the sheet.

    Attributes
    ----------
    number, title
        Its place and heading.
    tests
        Its tests in order.
    sentences
        What it says in words.
    tables, charts
        What stands on the pages behind the first.
    front
        The charts, small, on the first page.
    """

    number: int
    title: str
    tests: tuple[SheetTest, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    sentences: tuple[str, ...] = ()
    front: tuple[Chart, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ValidationSheet(Result):
    """What a validator signs about how a score ranks: tests, limits, lights and what is left open.

    `save` writes .html (a page to print and sign, all tables behind), .json (as `schema()` has it),
    .xlsx (every table), .csv (the tests), .md and .txt.

    Attributes
    ----------
    subject
        What is validated, as given: model, version, period, definition of a positive, validator.
    inputs
        The counts that the sheet was made from, with their fingerprints.
    sections
        Its sections in order, each with its tests, tables and charts.
    findings
        What a careful reader would notice.
    not_done
        What was left out, and what it needs.
    not_covered
        What the sheet does not speak about.
    settings
        How the tests were made.
    level
        Confidence level of all limits.
    seed
        What random numbers began with; None if there were none.
    limits
        The user's limits by id of the test.
    """

    subject: Mapping[str, str]
    inputs: tuple[Input, ...]
    sections: tuple[Section, ...]
    findings: tuple[Finding, ...] = ()
    not_done: tuple[tuple[str, str], ...] = ()
    not_covered: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95
    seed: int | None = None
    limits: Mapping[str, TestLimits] = field(default_factory=dict)

    @property
    def tests(self) -> Mapping[str, SheetTest]:
        """The tests by id, in the order of the sheet."""
        return {test.id: test for test in _tests_of(self)}

    @property
    def lights(self) -> Mapping[Light, int]:
        """How many tests are green, amber, red and grey."""
        found = Counter(test.light for test in _tests_of(self))
        return {light: found[light] for light in LIGHTS}

    def presentation(self) -> Presentation:
        """Return what the sheet shows as text, Markdown, picture and notebook card."""
        return _presentation(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the sheet as values that strict JSON can hold, as `schema()` describes them."""
        return _as_values(self)

    def to_json(self) -> str:
        """Return the sheet as JSON; equal sheets are equal text."""
        return to_json(self.to_dict())

    def digest(self) -> str:
        """Return the fingerprint of the sheet: the SHA-256 of all its other values."""
        found: str = self.to_dict()["digest"]
        return found

    def to_html(self) -> str:
        """Return the page: one printed page to sign, all tables behind; it loads nothing."""
        return _page(self, self.digest())

    def to_csv(self) -> str:
        """Return the tests as csv, one row each, numbers in full."""
        return to_csv(defused(tests_in_full(self)))

    def _csv(self) -> str:
        return self.to_csv()

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        """Return what writes a file, by its suffix; the page, not a picture, is what is printed."""
        # A class with slots is made anew, and a bare super() knows the first one only.
        usual = super(ValidationSheet, self)._writers()
        kept = {suffix: write for suffix, write in usual.items() if suffix not in PICTURES}
        return kept | {".xlsx": partial(write_workbook, self)}


def _tests_of(sheet: ValidationSheet) -> tuple[SheetTest, ...]:
    return tuple(test for section in sheet.sections for test in section.tests)


# In words and tables


def _presentation(sheet: ValidationSheet) -> Presentation:
    subject = "; ".join(f"{name}: {value}" for name, value in sheet.subject.items())
    parts = sheet.sections
    return Presentation(
        title=_title_of(sheet),
        sentences=(
            _on_lights(sheet),
            _on_tests(sheet),
            *([f"{capitalised(subject)}."] if subject else []),
            *(said for part in parts for said in part.sentences),
        ),
        findings=sheet.findings,
        charts=_once(
            *(chart for part in parts for chart in part.front),
            *(chart for part in parts for chart in part.charts),
        ),
        tables=(
            _tests_table(sheet),
            *(table for part in parts for table in part.tables),
            _inputs_table(sheet),
        ),
        notes=(*_how_lit(sheet), *_on_gaps(sheet), f"Digest of the sheet: {sheet.digest()}."),
    )


def _title_of(sheet: ValidationSheet) -> str:
    model = sheet.subject.get("model")
    return f"Validation sheet: {model}" if model else "Validation sheet"


def _on_lights(sheet: ValidationSheet) -> str:
    found = {light: count for light, count in sheet.lights.items() if count}
    if not found:
        return "No test has a light: set limits for the tests that must be judged."
    said = ", ".join(f"{count} {light}" for light, count in found.items())
    return f"Tests with limits: {sum(found.values())}, of which {said}."


def _on_tests(sheet: ValidationSheet) -> str:
    """Return how many tests there are and at which level, in one sentence."""
    tests = _tests_of(sheet)
    made = f"{len(tests)} tests were made" if len(tests) != 1 else "1 test was made"
    # Beside two-sided limits they may say something else.
    sides = ", p-values with * are one-sided" if any(test.one_sided for test in tests) else ""
    return f"{made}, intervals at {stated_percent(sheet.level)}{sides}; {NOT_ADJUSTED}."


def _tests_table(sheet: ValidationSheet) -> Table:
    """Return the tests as people read them, one row each."""
    tests = _tests_of(sheet)
    rows = {
        "test": [test.name for test in tests],
        "value": [estimate_text(test) for test in tests],
        f"{stated_percent(sheet.level)} interval": [interval_text(test) for test in tests],
        "p": [p_text(test) for test in tests],
        "green": [limits_text(test) for test in tests],
        "light": [light_text(test) for test in tests],
    }
    kept = {name: cells for name, cells in rows.items() if any(cells) or name == "test"}
    return Table("Tests", {name: np.array(cells, dtype=object) for name, cells in kept.items()})


def tests_in_full(sheet: ValidationSheet) -> dict[str, list[object]]:
    """Return the tests by column, numbers in full, as csv and workbooks hold them."""
    tests = _tests_of(sheet)
    columns = {name: [_full(getattr(test, name)) for test in tests] for name in IN_FULL}
    for name in ("green", "red", "by"):
        columns[name] = [test.limits and getattr(test.limits, name) for test in tests]
    return columns | {"notes": ["; ".join(filter(None, test.notes)) or None for test in tests]}


def _full(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        return None
    return value or None if isinstance(value, str) else value


def _inputs_table(sheet: ValidationSheet) -> Table:
    """Return what the sheet was made from, one row each."""
    columns = {
        "input": [each.role for each in sheet.inputs],
        "cases": [each.n for each in sheet.inputs],
        "positives": [each.n1 for each in sheet.inputs],
        "negatives": [each.n0 for each in sheet.inputs],
        "grades": [None if each.levels is None else len(each.levels) for each in sheet.inputs],
        "digest": [each.digest for each in sheet.inputs],
    }
    return Table("Inputs", {name: np.array(each, dtype=object) for name, each in columns.items()})


def _on_inputs(sheet: ValidationSheet) -> str:
    """Return what the sheet was made from in one line: periods and segments by their number."""
    groups: dict[str, list[Input]] = {}
    for each in sheet.inputs:
        groups.setdefault(each.role.partition(" ")[0], []).append(each)
    return f"{'; '.join(_on_group(role, found) for role, found in groups.items())}."


def _on_group(role: str, found: list[Input]) -> str:
    if len(found) > 1:
        return f"{len(found)} {role}s"
    only = found[0]
    if only.n is None:
        return role if only.n1 is None else f"{only.role}: {amount(only.n1)} positives"
    said = f"{only.role}: {amount(only.n)} cases"
    return said if only.n1 is None else f"{said}, {amount(only.n1)} positives"


def _how_lit(sheet: ValidationSheet) -> Iterator[str]:
    """Yield how the lights come about, for each way that is used."""
    used = {test.limits.by for test in _tests_of(sheet) if test.limits is not None}
    yield from (said for by, said in HOW_LIT.items() if by in used)


def _on_gaps(sheet: ValidationSheet) -> Iterator[str]:
    """Yield what was not done, and what the sheet does not cover."""
    for what, why in sheet.not_done:
        yield f"Not done: {what}; {why}."
    if sheet.not_covered:
        yield f"Not covered: {'; '.join(sheet.not_covered)}."


def _once(*charts: Chart) -> tuple[Chart, ...]:
    """Return charts in order, each once."""
    return tuple({id(chart): chart for chart in charts}.values())


# As JSON, with its digest and schema, and as a workbook


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that the JSON of every validation sheet follows.

    Examples
    --------
    >>> schema()["properties"]["schema"]
    {'const': 'capcurve.validation'}
    """
    text = (files("capcurve.studies.validation") / "schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _as_values(sheet: ValidationSheet) -> dict[str, Any]:
    """Return a sheet as values that strict JSON can hold, keys in order, with their digest."""
    body = plain(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "version": __version__,
            "subject": dict(sheet.subject),
            "settings": {
                **sheet.settings,
                "level": sheet.level,
                "seed": sheet.seed,
                "limits": {name: asdict(own) for name, own in sheet.limits.items()},
            },
            "inputs": [asdict(each) for each in sheet.inputs],
            "sections": [
                {name: getattr(each, name) for name in ("number", "title", "sentences")}
                for each in sheet.sections
            ],
            "tests": [asdict(each) for each in _tests_of(sheet)],
            "tables": [_table_values(t, s.number) for s in sheet.sections for t in s.tables],
            "findings": [found.to_dict() for found in sheet.findings],
            "not_done": [{"what": what, "why": why} for what, why in sheet.not_done],
            "not_covered": list(sheet.not_covered),
        }
    )
    # Of their JSON, keys sorted, without blanks, as UTF-8.
    text = json.dumps(
        body, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return dict(sorted({**json.loads(text), "digest": digest}.items()))


def _table_values(table: Table, section: int) -> dict[str, Any]:
    """Return a table; its columns are a list, as the keys of a JSON object have no order."""
    columns = [{"name": name, "values": cells} for name, cells in table.values().items()]
    return {"section": section, "name": table.name, "note": table.note, "columns": columns}


def write_workbook(sheet: ValidationSheet, path: Path) -> None:
    """Write the sheet as a workbook; equal sheets are equal files."""
    from capcurve.show.workbook import write_tables

    gaps, found = list(_on_gaps(sheet)), sheet.findings
    findings: dict[str, list[object]] = {
        "severity": [*(each.severity for each in found), *("left open" for _ in gaps)],
        "finding": [*(each.message for each in found), *gaps],
        "advice": [*(each.advice for each in found), *(None for _ in gaps)],
    }
    parts: list[tuple[str, Mapping[str, Sequence[object]]]] = [
        ("Tests", tests_in_full(sheet)),
        ("Subject", {"subject": list(sheet.subject), "value": list(sheet.subject.values())}),
        ("Findings", findings),
        ("Inputs", _inputs_table(sheet).values()),
    ]
    tables = [(section, table) for section in sheet.sections for table in section.tables]
    parts += [(f"{section.number} {table.name}", table.values()) for section, table in tables]
    write_tables(_title_of(sheet), parts, path, WIDTHS)


# The page: one to print and sign, all tables on the pages behind


def _page(sheet: ValidationSheet, digest: str) -> str:
    """Return the page of a sheet as one HTML document without script, equal for equal sheets."""
    terms = "".join(f"<p>{escape(line)}</p>" for line in (*_how_lit(sheet), *_on_gaps(sheet)))
    behind = (
        *map(_section, sheet.sections),
        _part("Findings", found_list(("", each) for each in sheet.findings)),
        _part("Lights, and what is left open", terms),
        _origin(sheet),
    )
    return document(
        title=escape(shortened(_title_of(sheet), LONGEST_NAME)),
        head="",
        main=f"<article class=front>{_front(sheet, digest)}</article>{''.join(behind)}",
        foot=f"<p>Digest of the sheet: {digest}. Written by capcurve {__version__}.</p>",
    )


def _part(title: str, body: str, look: str = "") -> str:
    """Return a part of the page with its heading; nothing where there is nothing to say."""
    return f"<section{look}><h2>{title}</h2>{body}</section>" if body else ""


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with their values."""
    rows = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in pairs)
    return f"<dl class=subject>{rows}</dl>" if rows else ""


def _items(lines: Iterable[str]) -> str:
    """Return a list of lines, each cut to the room there is."""
    items = "".join(f"<li>{escape(_short(each, LONGEST_FINDING))}</li>" for each in lines)
    return f"<ul class=findings>{items}</ul>" if items else ""


def _front(sheet: ValidationSheet, digest: str) -> str:
    charts = [chart for section in sheet.sections for chart in section.front][:MOST_CHARTS]
    said = f"<p><b>Data.</b> {escape(_short(_on_inputs(sheet)))}</p>"
    data = said if sheet.inputs else ""
    signed = "".join(
        f"<div><span>{who}</span><span>Date</span><span>Signature</span></div>" for who in SIGNED
    )
    seed = "" if sheet.seed is None else f", seed {sheet.seed}"
    made = f"capcurve {__version__}, level {stated_percent(sheet.level)}{seed}. Digest: {digest}."
    drawn = f"<div class=small>{''.join(map(figure_html, charts))}</div>" if charts else ""
    return (
        f"<h1>{escape(_short(_title_of(sheet), LONGEST_TITLE))}</h1>{_subject(sheet)}"
        f"{_counted_lights(sheet)}<p>{escape(_on_tests(sheet))}</p>"
        f"{data}<div class=numbers-and-charts>{_front_tests(sheet)}{drawn}</div>"
        f"{_front_sentences(sheet)}{_front_findings(sheet)}{_front_gaps(sheet)}"
        f"{_part('Signatures', signed, ' class=sign')}"
        f"<p class='soft made'>{escape(made)}</p>"
    )


def _short(words: str, most: int = LONGEST_LINE) -> str:
    """Return words cut at the end when there are more than the page has room for."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


def _subject(sheet: ValidationSheet) -> str:
    """Return who validates what, as given, in pairs."""
    given = [(name, value) for name, value in sheet.subject.items() if name != "model"]
    return _pairs(
        (_short(capitalised(name), LONGEST_SUBJECT), _short(value, LONGEST_VALUE))
        for name, value in given[:MOST_SUBJECTS]
    )


def _counted_lights(sheet: ValidationSheet) -> str:
    """Return how many tests have each light."""
    counts = sheet.lights
    if not any(counts.values()):
        return lead(_on_lights(sheet))
    said = "".join(
        f"<li>{mark(light)}<b>{count}</b> {light}{_small(MEANING.get(light, ''))}</li>"
        for light, count in counts.items()
    )
    return f'<ul class=lights aria-label="Lights">{said}</ul>'


def _small(meaning: str) -> str:
    """Return what a light means, beside its name."""
    return f" <small>{escape(meaning)}</small>" if meaning else ""


def _front_tests(sheet: ValidationSheet) -> str:
    """Return the tests; of too many those with a light that is not green come first."""
    tests = _tests_of(sheet)
    kept = sorted(tests, key=lambda test: URGENCY.index(test.light))[:MOST_TESTS]
    shown = [test for test in tests if any(test is each for each in kept)]
    heads = ("Test", "Light", "Value", f"{stated_percent(sheet.level)} interval", "p", "Green")
    head = f"<tr>{_cells('th scope=col', heads)}</tr>"
    body = "".join(
        f"<tbody>{''.join(map(_row, group))}</tbody>"
        for _, group in groupby(shown, key=lambda test: test.section)
    )
    left = len(tests) - len(shown)
    more = f"<p class=soft>{left} more tests stand on the pages behind.</p>" if left else ""
    table = f"<table class=tests><caption>Tests</caption><thead>{head}</thead>{body}</table>"
    return f"<div>{framed('Tests', table)}{more}</div>"


def _cells(tag: str, words: Iterable[str]) -> str:
    end = tag.partition(" ")[0]
    return "".join(f"<{tag}>{escape(each)}</{end}>" for each in words)


def _row(test: SheetTest) -> str:
    light = "" if test.light is None else f"{mark(test.light)} {test.light}"
    said = _small(meaning_of(test))
    numbers = (estimate_text(test), interval_text(test), p_text(test))
    name = escape(shortened(test.name, LONGEST_TEST))
    return (
        f"<tr><th scope=row>{name}</th><td class=light>{light}{said}</td>"
        f"{_cells('td', numbers)}<td class=limits>{escape(limits_text(test))}</td></tr>"
    )


def _front_sentences(sheet: ValidationSheet) -> str:
    """Return as many sentences as there is room for: each takes that of two tests."""
    said = [text for section in sheet.sections for text in section.sentences]
    room = max(0, MOST_TESTS - len(_tests_of(sheet))) // 2
    return _part("In words", _items(said[:room]))


def _front_findings(sheet: ValidationSheet) -> str:
    """Return the gravest findings."""
    found = gravest_first(sheet.findings)
    items = _items(f"{each.message}; {each.advice}" for each in found[:MOST_FINDINGS])
    left = len(found) - MOST_FINDINGS
    more = f"<p class=soft>{left} more on the pages behind.</p>" if left > 0 else ""
    return _part("Findings", f"{items}{more}" or "<p>None.</p>")


def _front_gaps(sheet: ValidationSheet) -> str:
    """Return what was not done and what is not covered, each in one line."""
    lines = []
    if sheet.not_done:
        lines.append(("Not done", "; ".join(what for what, _ in sheet.not_done)))
    if sheet.not_covered:
        lines.append(("Not covered", "; ".join(sheet.not_covered)))
    said = "".join(f"<p><b>{name}.</b> {escape(_short(text))}.</p>" for name, text in lines)
    return f"<section class=gaps>{said}</section>" if said else ""


def _section(section: Section) -> str:
    said = "".join(f"<p>{escape(each)}</p>" for each in section.sentences)
    tests = _tests_in_detail(section.tests)
    charts = "".join(map(figure_html, _once(*section.front, *section.charts)))
    pictures = f"<div class=shown>{charts}</div>" if charts else ""
    tables = "".join(map(_table, section.tables))
    heading = f"<h2>{section.number}. {escape(section.title)}</h2>"
    return f"<section class=tables>{heading}{said}{tests}{pictures}{tables}</section>"


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
    yield " ".join(_as_sentence(f"{name}: {text}") for name, text in sources.items() if text)
    yield from (_as_sentence(note) for note in test.notes if note)


def _as_sentence(words: str) -> str:
    return f"{capitalised(words).removesuffix('.')}."


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


def _origin(sheet: ValidationSheet) -> str:
    """Return all subjects, inputs with their digests, and settings."""
    settings = {"level": sheet.level, "seed": sheet.seed, **sheet.settings}
    known = ((name, value) for name, value in settings.items() if value is not None)
    pairs = _pairs(
        (capitalised(str(name).replace("_", " ")), _setting(value))
        for name, value in (*sheet.subject.items(), *known)
    )
    return _part("Inputs and settings", _table(_inputs_table(sheet)) + pairs, " class=tables")


def _setting(value: object) -> str:
    """Return a setting on one line; of several together, each with its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_setting(each)}" for name, each in value.items())
    return ", ".join(map(_setting, value)) if isinstance(value, list | tuple) else str(value)
