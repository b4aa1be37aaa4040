"""ValidationSheet: all tests of how a score ranks, in one result that shows and saves itself."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.numbers.plain import plain
from capcurve.show import PICTURES
from capcurve.show.columns import ColumnName, form_of, formed
from capcurve.show.elements import (
    LONGEST_IN_PAGE,
    document,
    escape,
    in_frame,
    lead,
    mark,
    said_in_page,
    table_html,
)
from capcurve.show.format import (
    MISSING,
    bare_chance,
    capitalised,
    counted,
    listed,
    plain_names,
    shortened,
    stated_percent,
    statistic,
)
from capcurve.show.html import figure_html, note_of
from capcurve.show.presentation import LIGHTS, SEVERITY, Finding, Light, Presentation, gravest_first
from capcurve.show.result import Result
from capcurve.show.svg import SIDE
from capcurve.show.table import Table, columns_in_words
from capcurve.show.text import defused, to_csv, to_json
from capcurve.show.wording import in_words
from capcurve.studies.validation.judgement import (
    CHALLENGER,
    LOW_P,
    NO_LIMIT,
    NOT_SAVED,
    SheetTest,
    TestLimits,
    estimate_text,
    favour_text,
    favours_other,
    favours_score,
    in_full,
    interval_text,
    light_of,
    light_text,
    limits_text,
    low_without_limits,
    meaning_of,
    method_text,
    p_text,
    status_of,
)
from capcurve.studies.validation.origin import (
    LONGEST_VALUE,
    data_of,
    inputs_table,
    settings_table,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from capcurve.show.chart import Chart
    from capcurve.studies.validation.given import Input
    from capcurve.studies.validation.sections import Section
    from capcurve.studies.validation.workbook import NamedTable

SCHEMA = "capcurve.validation"
SHEET_SCHEMA = 2
HOW_LIT = {
    "limit": "Lights by interval: green if the whole interval is on the green side of its limit, "
    "red if the whole interval is on the red side, else amber.",
    "estimate": "Lights by estimate: green or red beyond the limits, amber between them.",
    "p_value": "Lights by p-value: green or red beyond the limits, amber between them.",
}
# What the first page has room for; all else stands behind.
MOST_TESTS, MOST_CHARTS = 28, 2
# Names are shortened there; sentences never, but of long ones there are fewer.
LONGEST_TITLE, LONGEST_CHALLENGER, LONGEST_SUBJECT = 66, 36, 24
LETTERS_OF_FINDINGS, LETTERS_OF_GAPS = 1050, 450
LONGEST_CELL = 40
MOST_TABLE_ROWS, MOST_LOW_SEGMENTS = 100, 8
MOST_BETTER = 3  # scores that rank better than the one that is signed, in the message
# Advice that speaks of what was typed, which is not what is signed.
OF_A_COMMAND = re.compile(r"--|capcurve|`|\w=|\w\(")
SIGNED_BY = ("Validated by", "Reviewed by")


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
        return {test.id: test for test in tests_of(self)}

    @property
    def lights(self) -> Mapping[Light, int]:
        """How many tests are green, amber, red and grey."""
        found = Counter(test.light for test in tests_of(self))
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
        return said_in_page(_page(self, self.digest()), self.speaks)

    def to_csv(self) -> str:
        """Return the tests as csv, one row each, numbers in full."""
        return to_csv(defused(tests_in_full(self)))

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return tests_in_full(self)

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        """Return what writes a file, by its suffix; the page, not a picture, is what is printed."""
        # A class with slots is made anew, and a bare super() knows the first one only.
        usual = super(ValidationSheet, self)._writers()
        kept = {suffix: write for suffix, write in usual.items() if suffix not in PICTURES}
        return kept | {".xlsx": lambda file: write_as_workbook(self, file)}


def tests_of(sheet: ValidationSheet) -> tuple[SheetTest, ...]:
    """Return all tests in the order of the sheet."""
    return tuple(test for section in sheet.sections for test in section.tests)


# In words and tables


def _presentation(sheet: ValidationSheet) -> Presentation:
    subject = "; ".join(f"{name}: {value}" for name, value in sheet.subject.items())
    parts, headline = sheet.sections, _headline_of(sheet)
    tally = _on_lights(sheet)
    return Presentation(
        title=sheet_title(sheet),
        sentences=(
            headline,
            *_favours(sheet),
            *([tally] if tally != headline else []),
            *_on_others(sheet),
            _on_tests(sheet),
            *([f"{capitalised(subject)}."] if subject else []),
            *_said(sheet),
        ),
        light=_light_of_all(sheet),
        findings=_beside_headline(sheet),
        charts=_once(
            *(chart for part in parts for chart in part.front),
            *(chart for part in parts for chart in part.charts),
        ),
        tables=(
            table_of_tests(sheet),
            *(table for part in parts for table in part.tables),
            inputs_table(sheet.inputs),
        ),
        notes=(
            *_how_lit(sheet),
            *_on_gaps(sheet),
            f"Digest of the sheet: {sheet.digest()[:DIGITS_OF_DIGEST]}.",
        ),
    )


def sheet_title(sheet: ValidationSheet) -> str:
    """Return what the sheet is called."""
    model = sheet.subject.get("model")
    return f"Validation sheet: {model}" if model else "Validation sheet"


def _headline_of(sheet: ValidationSheet) -> str:
    """Return what the sheet finds in one sentence: an alarm before all lights."""
    for section in sheet.sections:
        if any(test.alarm is not None for test in section.tests):
            return section.sentences[0]
    return _on_lights(sheet)


def _favours(sheet: ValidationSheet) -> list[str]:
    """Return which other scores rank better than the one that is signed, the best first."""
    better = sorted(filter(favours_other, tests_of(sheet)), key=lambda t: -abs(t.estimate or 0.0))
    said = [*map(_better_text(sheet), better[:MOST_BETTER])]
    left = len(better) - len(said)
    return [*said, *([f"{counted(left, 'more score')} rank better."] if left else [])]


def _better_text(sheet: ValidationSheet) -> Callable[[SheetTest], str]:
    """Return what writes that another score ranks better than the one of the sheet."""
    score, final = (sheet.settings.get(name) for name in ("score", "final"))
    return partial(favour_text, score=str(score or "the score"), final=final)


def _beside_headline(sheet: ValidationSheet) -> tuple[Finding, ...]:
    """Return the findings but for an alarm, which is the headline."""
    return tuple(each for each in gravest_first(sheet.findings) if each.code != "alarm")


def _light_of_all(sheet: ValidationSheet) -> Light | None:
    """Return the gravest light; what is undefined is as grave as amber."""
    found = {light_of(test) for test in tests_of(sheet)} - {None}
    order: tuple[Light, ...] = ("red", "amber", "grey", "green")
    gravest = next((light for light in order if light in found), None)
    return "amber" if gravest == "grey" else gravest


def _said(sheet: ValidationSheet) -> list[str]:
    """Return what the sections say beside the headline."""
    said = [text for section in sheet.sections for text in section.sentences]
    message = {_headline_of(sheet), *map(_better_text(sheet), tests_of(sheet))}
    return [text for text in said if text not in message]


def _on_lights(sheet: ValidationSheet) -> str:
    """Return how many tests have each light, in one sentence."""
    found = _tally(sheet)
    if not any(found.values()):
        return "No test has a light. Set limits for the tests that must be judged."
    said = ", ".join(f"{count} {light}{_kinds(sheet, light)}" for light, count in found.items())
    return f"{counted(sum(found.values()), 'test')} with limits: {said}."


def _tally(sheet: ValidationSheet) -> dict[Light, int]:
    """Return how many tests have each light, grey only where there are such."""
    return {light: count for light, count in sheet.lights.items() if count or light != "grey"}


def _kinds(sheet: ValidationSheet, light: Light) -> str:
    """Return in brackets how many amber tests are of which kind."""
    lit = (test for test in tests_of(sheet) if test.light == light == "amber")
    kinds = Counter(re.split("[:,]", meaning_of(replace(test, alarm=None)))[0] for test in lit)
    return f" ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})" if kinds else ""


def _on_others(sheet: ValidationSheet) -> list[str]:
    """Return how many tests have no limit, and which of them have a low p-value."""
    tests = [test for test in tests_of(sheet) if test.limits is None]
    if not tests or (not any(sheet.lights.values()) and not low_without_limits(tests)):
        return []
    low = sorted(low_without_limits(tests), key=lambda test: not favours_other(test))
    sides = {
        "against": [test for test in low if not favours_score(test)],
        "for": [test for test in low if favours_score(test)],
    }
    told = [
        f"{len(each)} {side} the score with p < {LOW_P:g} ({_few_names(each)})"
        for side, each in sides.items()
        if each
    ]
    said = ", ".join([f"{counted(len(tests), 'test')} without a limit", *told])
    return [f"{said}."]


def _few_names(tests: Sequence[SheetTest]) -> str:
    """Return the first names of tests, without what they have in brackets."""
    return listed((test.name.partition(" (")[0] for test in tests), MOST_LOW_SEGMENTS)


def _on_tests(sheet: ValidationSheet) -> str:
    """Return how many tests there are and at which level, in one sentence."""
    tests = tests_of(sheet)
    # Beside two-sided limits they may say something else.
    sides = "; p-values with * are one-sided" if any(test.one_sided for test in tests) else ""
    adjusted = " except where marked" if any(t.p_adjusted is not None for t in tests) else ""
    return (
        f"{counted(len(tests), 'test')}, not adjusted for their number{adjusted}; intervals at "
        f"{stated_percent(sheet.level)}{sides}."
    )


def table_of_tests(sheet: ValidationSheet, *, narrow: bool = False) -> Table:
    """Return the tests as people read them, one row each; narrow ones have lights by the names."""
    tests = tests_of(sheet)
    rows = {
        "test": [test.name for test in tests],
        "value": [estimate_text(test) for test in tests],
        f"{stated_percent(sheet.level)} interval": [interval_text(test) for test in tests],
        "p": [p_text(test) for test in tests],
        "limits": [limits_text(test) for test in tests],
        "light": [light_text(test) for test in tests],
    }
    if narrow:
        judged = zip(rows["test"], rows.pop("light"), rows.pop("limits"), strict=True)
        rows["test"] = [
            name if light == NO_LIMIT else f"{name}: {light}{limits and f'; {limits}'}"
            for name, light, limits in judged
        ]
    kept = {name: cells for name, cells in rows.items() if any(cells) or name == "test"}
    return Table("Tests", {name: np.array(cells, dtype=object) for name, cells in kept.items()})


def tests_in_full(sheet: ValidationSheet) -> dict[str, list[object]]:
    """Return the tests by column, numbers in full, as csv and workbooks hold them."""
    columns = in_full(tests_of(sheet))
    return formed(columns, ratio="estimate low high", statistic="statistic")


def _how_lit(sheet: ValidationSheet) -> Iterator[str]:
    """Yield how the lights come about, for each way that is used."""
    used = {test.limits.by for test in tests_of(sheet) if test.limits is not None}
    yield from (said for by, said in HOW_LIT.items() if by in used)


def _on_gaps(sheet: ValidationSheet) -> Iterator[str]:
    """Yield why tests have no number, what was not done, and what the sheet does not cover."""
    empty = (test for test in tests_of(sheet) if estimate_text(test) == MISSING)
    yield from (f"{test.name} is undefined: {test.notes[0]}." for test in empty if any(test.notes))
    for what, why in sheet.not_done:
        yield f"Not performed: {what}; {why}."
    if sheet.not_covered:
        yield f"Not covered: {'; '.join(sheet.not_covered)}."


def _once(*charts: Chart) -> tuple[Chart, ...]:
    """Return charts in order, each once."""
    return tuple({id(chart): chart for chart in charts}.values())


def _settings(sheet: ValidationSheet) -> dict[str, Any]:
    """Return what the sheet was made with, the level and the seed first."""
    return {"level": sheet.level, "seed": sheet.seed, **sheet.settings}


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
            "schema_version": SHEET_SCHEMA,
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
            "tests": [_test_values(each) for each in tests_of(sheet)],
            "tables": [
                _table_values(table, section.number)
                for section in sheet.sections
                for table in (*section.tables, *section.folded)
            ],
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


def _test_values(test: SheetTest) -> dict[str, Any]:
    """Return a test without what is for people alone."""
    return {name: value for name, value in asdict(test).items() if name != NOT_SAVED}


def _table_values(table: Table, section: int) -> dict[str, Any]:
    """Return a table; its columns are a list, as the keys of a JSON object have no order."""
    columns = [{"name": name, "values": cells} for name, cells in table.values().items()]
    return {"section": section, "name": table.name, "note": table.note, "columns": columns}


def write_as_workbook(sheet: ValidationSheet, path: Path) -> None:
    """Write a sheet as a workbook."""
    from capcurve.studies.validation.workbook import FrontPage, write_sheet_workbook

    tally, headline = _on_lights(sheet), _headline_of(sheet)
    charts = (chart for section in sheet.sections for chart in section.front)
    front = FrontPage(
        title=sheet_title(sheet),
        headline=headline,
        light=_light_of_all(sheet),
        told=(
            *_favours(sheet),
            *([tally] if tally != headline else []),
            *_on_others(sheet),
            _on_tests(sheet),
        ),
        data=data_of(sheet.subject, sheet.inputs, sheet.settings),
        tests=tests_of(sheet),
        findings=_beside_headline(sheet),
        gaps=tuple(_on_gaps(sheet)),
        chart=next(charts, None),
        speaks=sheet.speaks,
    )
    behind = [
        (name, columns_in_words(columns, sheet.speaks), note)
        for name, columns, note in _tables_behind(sheet)
    ]
    write_sheet_workbook(*in_words((front, behind), sheet.speaks), path)


def _tables_behind(sheet: ValidationSheet) -> list[NamedTable]:
    """Return every table behind the first page of a workbook."""
    gaps, found = list(_on_gaps(sheet)), sheet.findings
    findings: dict[str, list[object]] = {
        "severity": [*(SEVERITY[each.severity] for each in found), *["Left open"] * len(gaps)],
        "finding": [*(each.message for each in found), *gaps],
        "advice": [*(each.advice for each in found), *(None for _ in gaps)],
    }
    own = (inputs_table(sheet.inputs), settings_table(_settings(sheet)))
    return [
        ("Tests", tests_in_full(sheet), None),
        ("Findings", findings, None),
        *((table.name, table.values(), table.note) for table in own),
        *(
            (f"{section.number} {_briefly(table.name)}", table.values(), table.note)
            for section in sheet.sections
            for table in (*section.tables, *section.folded)
        ),
    ]


def _briefly(name: str) -> str:
    """Return the name of a table without what it says in brackets or behind a comma."""
    return capitalised(name.partition(" (")[0].partition(",")[0])


# The page: one to print and sign, all tables on the following pages


def _page(sheet: ValidationSheet, digest: str) -> str:
    """Return the page of a sheet as one HTML document without script, equal for equal sheets."""
    terms = "".join(f"<p>{escape(line)}</p>" for line in (*_how_lit(sheet), *_on_gaps(sheet)))
    title, short = shortened(sheet_title(sheet), LONGEST_IN_PAGE), digest[:DIGITS_OF_DIGEST]
    everything = _items(map(_signed, _beside_headline(sheet)))
    origin = _table(inputs_table(sheet.inputs)) + _folded(settings_table(_settings(sheet)))
    behind = (
        *map(_section, sheet.sections),
        _part("All findings", everything if _lines_of_findings(sheet)[1] else ""),
        _part("Lights, and what is left open", terms),
        _part("Inputs and settings", f"{_pairs(sheet.subject.items())}{origin}", " class=tables"),
    )
    return document(
        title=escape(title),
        head="",
        main=f"<article class=front>{_front(sheet, digest)}</article>{''.join(behind)}",
        foot=f"<p>Digest of the sheet: {short}. Written by capcurve {__version__}.</p>",
        running=f"{sheet_title(sheet)} · digest {short}",
    )


def _part(title: str, body: str, look: str = "") -> str:
    """Return a part of the page with its heading; nothing where there is nothing to say."""
    return f"<section{look}><h2>{title}</h2>{body}</section>" if body else ""


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with their values."""
    rows = "".join(f"<div><dt>{escape(a)}</dt><dd>{escape(b)}</dd></div>" for a, b in pairs)
    return f"<dl class=subject>{rows}</dl>" if rows else ""


def _items(lines: Iterable[str]) -> str:
    """Return a list of lines."""
    items = "".join(f"<li>{escape(each)}</li>" for each in lines)
    return f"<ul class=findings>{items}</ul>" if items else ""


def _front(sheet: ValidationSheet, digest: str) -> str:
    charts = [chart for section in sheet.sections for chart in section.front][:MOST_CHARTS]
    signed = "".join(
        f"<div><span>{who}</span><span>Date</span><span>Signature</span></div>" for who in SIGNED_BY
    )
    pictures = "".join(figure_html(chart, SIDE) for chart in charts)
    drawn = f"<div class=small>{pictures}</div>" if charts else ""
    beside = f"<div class=numbers-and-charts>{_front_tests(sheet)}{drawn}</div>"
    on_others, on_tests = (
        "".join(map(_line, each)) for each in (_on_others(sheet), [_on_tests(sheet)])
    )
    room = max(0, MOST_TESTS - len(tests_of(sheet))) // 2  # a sentence takes that of two tests
    return (
        f"<h1>{escape(shortened(sheet_title(sheet), LONGEST_TITLE))}</h1>"
        f"{_top(sheet)}{on_others}"
        f"{_part('1. Results', f'{beside}{on_tests}{_items(_said(sheet)[:room])}')}"
        f"{_front_findings(sheet)}{_data(sheet)}{_front_gaps(sheet)}"
        f"{_part('Signatures', signed, ' class=sign')}"
        f"<p class='soft made'>{escape(_made(sheet, digest[:DIGITS_OF_DIGEST]))}</p>"
    )


def _line(said: str) -> str:
    return f"<p>{escape(said)}</p>"


def _made(sheet: ValidationSheet, digest: str) -> str:
    """Return what the sheet was made by and with."""
    seed = "" if sheet.seed is None else f", seed {sheet.seed}"
    return f"capcurve {__version__}, level {stated_percent(sheet.level)}{seed}. Digest: {digest}."


def _data(sheet: ValidationSheet) -> str:
    """Return what was validated on which data, in pairs."""
    data = data_of(sheet.subject, sheet.inputs, sheet.settings)
    return _pairs((shortened(a, LONGEST_SUBJECT), shortened(b, LONGEST_VALUE)) for a, b in data)


def _top(sheet: ValidationSheet) -> str:
    """Return the message, and how many tests have each light, in colour."""
    better = "".join(lead(said) for said in _favours(sheet))
    if not any(sheet.lights.values()):
        return f"{lead(_headline_of(sheet), _light_of_all(sheet))}{better}"
    alarmed = any(test.alarm is not None for test in tests_of(sheet))
    above = lead(_headline_of(sheet), "red") if alarmed else ""
    said = "".join(
        f"<li>{mark(light)}<b>{count}</b> {light}{_small(_kinds(sheet, light).strip(' ()'))}</li>"
        for light, count in _tally(sheet).items()
    )
    return f'{above}{better}<ul class=lights aria-label="Lights">{said}</ul>'


def _small(words: str) -> str:
    """Return what there is to say beside the name of a light."""
    return f" <small>{escape(words)}</small>" if words else ""


def urgent_first(sheet: ValidationSheet) -> list[SheetTest]:
    """Return the tests that the first printed page has room for, in the order of the sheet."""
    tests = tests_of(sheet)
    better = sum(map(favours_other, tests))
    kept = sorted(tests, key=_urgency)[: max(MOST_TESTS, better)]
    return [test for test in tests if any(test is each for each in kept)]


def _urgency(test: SheetTest) -> int:
    """Return how late a test is where not all have room; another score that is better is first."""
    light = light_of(test)
    is_low = bool(low_without_limits([test])) and not favours_score(test)
    order = (
        favours_other(test),
        light == "red",
        light in {"amber", "grey"},
        is_low,
        test.id.startswith(CHALLENGER),
        light == "green",
        True,
    )
    return order.index(True)


def _front_tests(sheet: ValidationSheet) -> str:
    """Return the tests; those that the first printed page has no room for are on screens alone."""
    tests, printed = tests_of(sheet), urgent_first(sheet)
    heads = ("Test", "Light", "Value", f"{stated_percent(sheet.level)} interval", "p", "Limits")
    head = f"<tr>{_cells('th scope=col', heads)}</tr>"
    later = {id(test) for test in tests} - {id(test) for test in printed}
    body = "".join(
        f"<tbody>{''.join(_row(test, later=id(test) in later) for test in group)}</tbody>"
        for _, group in groupby(tests, key=lambda test: test.section)
    )
    said = (
        f"<p class='soft on-paper'>{counted(len(later), 'more test')} on the following pages.</p>"
    )
    table = f"<table class=tests><caption>Tests</caption><thead>{head}</thead>{body}</table>"
    return f"<div>{in_frame('Tests', table)}{said if later else ''}</div>"


def _cells(tag: str, words: Iterable[str]) -> str:
    end = tag.partition(" ")[0]
    return "".join(f"<{tag}>{escape(each)}</{end}>" for each in words)


def _row(test: SheetTest, *, later: bool = False) -> str:
    light = light_of(test)
    shown = _small(status_of(test)).strip() if light is None else f"{mark(light)} {status_of(test)}"
    said = _small(meaning_of(test))
    numbers = (estimate_text(test), interval_text(test), p_text(test))
    given = test.id.startswith(CHALLENGER)
    name = escape(shortened(test.name, LONGEST_CHALLENGER) if given else test.name)
    look = " class=alarm" if test.alarm is not None else " class=later" if later else ""
    return (
        f"<tr{look}><th scope=row>{name}</th><td class=light>{shown}{said}</td>"
        f"{_cells('td', numbers)}<td class=limits>{_whole(limits_text(test))}</td></tr>"
    )


def _whole(limits: str) -> str:
    """Return limits that break between green and red alone."""
    parts = limits.replace(", ", ",\n").split("\n")
    return " ".join(f"<span class=whole>{escape(each)}</span>" for each in parts if each)


def _with_room(lines: Sequence[str], letters: int) -> list[str]:
    """Return the first lines that take so many letters together."""
    taken = np.cumsum([len(line) for line in lines])
    return [line for line, sum_ in zip(lines, taken, strict=True) if sum_ <= letters]


def _lines_of_findings(sheet: ValidationSheet) -> tuple[list[str], int]:
    """Return the gravest findings, each whole, and how many more there are."""
    lines = [_signed(each) for each in _beside_headline(sheet)]
    kept = _with_room(lines, LETTERS_OF_FINDINGS)
    return kept, len(lines) - len(kept)


def _signed(found: Finding) -> str:
    """Return a finding with its advice, unless that is about a command or an argument."""
    advice = "" if OF_A_COMMAND.search(found.advice) else f"; {found.advice}"
    return _as_sentence(f"{found.message}{advice}")


def _front_findings(sheet: ValidationSheet) -> str:
    """Return the gravest findings, each whole."""
    kept, left = _lines_of_findings(sheet)
    more = f"<p class=soft>{left} more on the following pages.</p>" if left else ""
    return _part("2. Findings", f"{_items(kept)}{more}" or "<p>None.</p>")


def _front_gaps(sheet: ValidationSheet) -> str:
    """Return what was not done and what is not covered."""
    gaps = {"Not performed": [what for what, _ in sheet.not_done], "Not covered": sheet.not_covered}
    said = ""
    for name, lines in gaps.items():
        kept = _with_room(lines, LETTERS_OF_GAPS)
        left = len(lines) - len(kept)
        told = "; ".join([*kept, *([f"{left} more on the following pages"] if left else [])])
        said += f"<p><b>{name}:</b> {escape(told)}.</p>" if told else ""
    return f"<section class=gaps>{said}</section>" if said else ""


def _section(section: Section) -> str:
    said = "".join(f"<p>{escape(each)}</p>" for each in section.sentences)
    tests = _tests_in_detail(section.tests)
    charts = _once(*section.front, *section.charts)
    if len(charts) == 1 and charts[0].scores is None:
        # A square picture leaves room for the numbers beside it.
        tests = f"<div class=pair>{figure_html(charts[0])}<div>{tests}</div></div>"
        charts = ()
    drawn = "".join(map(figure_html, charts))
    pictures = f"<div class=shown>{drawn}</div>" if charts else ""
    tables = "".join(map(_table, section.tables))
    folded = "".join(map(_folded, section.folded))
    heading = f"<h2>{section.number}. {escape(section.title)}</h2>"
    printed = said or tests or pictures or tables
    look = "tables" if printed else "'tables later'"
    return f"<section class={look}>{heading}{said}{tests}{pictures}{tables}{folded}</section>"


def _folded(table: Table) -> str:
    """Return a table that is opened on a screen, and not printed."""
    name = escape(capitalised(table.name))
    return f"<details><summary>{name}</summary>{_table(table)}</details>"


def _tests_in_detail(tests: Sequence[SheetTest]) -> str:
    """Return what is behind each test: statistic, method, source, and notes not said before."""
    said, known = "", set[str]()
    for test in tests:
        notes = [_as_sentence(note) for note in test.notes if note and note not in known]
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
    numbers = {
        "": f"{'undefined' if value == MISSING else value} {interval_text(test)}".strip(),
        "statistic": "" if test.statistic is None else statistic(test.statistic),
        "df": "" if test.df is None else f"{test.df:g}",
        "p": "" if test.p_value is None else bare_chance(test.p_value),
        "adjusted p": "" if test.p_adjusted is None else bare_chance(test.p_adjusted),
        "one-sided:": f"{test.alternative}" if test.one_sided else "",
        "limits:": limits_text(test),
        "light:": "" if status_of(test) == NO_LIMIT else light_text(test),
    }
    yield "; ".join(f"{name} {text}".strip() for name, text in numbers.items() if text)
    sources = {"Method": method_text(test), "Against": test.reference}
    yield " ".join(_as_sentence(f"{name}: {text}") for name, text in sources.items() if text)


def _as_sentence(words: str) -> str:
    return f"{capitalised(words).removesuffix('.')}."


def _table(table: Table) -> str:
    columns = table.values()
    plain_heads = plain_names(list(columns), LONGEST_CELL)
    heads = [
        name if head == name else ColumnName(head, form_of(name), head)
        for name, head in zip(columns, plain_heads, strict=True)
    ]
    rows = {
        head: [each if head == "digest" else _cut(each) for each in column[:MOST_TABLE_ROWS]]
        for head, column in zip(heads, columns.values(), strict=True)
    }
    note = note_of(table, MOST_TABLE_ROWS)
    return table_html(rows, capitalised(table.name), note, square=table.square)


def _cut(cell: object) -> object:
    """Return what a cell has room for on paper, where a wide table would shrink all pages."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return shortened(cell, LONGEST_CELL) if isinstance(cell, str) else cell
