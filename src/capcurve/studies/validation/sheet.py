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
from capcurve.show.columns import formed
from capcurve.show.elements import (
    LONGEST_IN_PAGE,
    document,
    escape,
    in_frame,
    lead,
    mark,
    said_in_page,
)
from capcurve.show.format import MISSING, capitalised, counted, listed, shortened, stated_percent
from capcurve.show.html import figure_html, folded_html
from capcurve.show.presentation import LIGHTS, SEVERITY, Finding, Light, Presentation, gravest_first
from capcurve.show.result import Result
from capcurve.show.svg import SIDE
from capcurve.show.table import Table, columns_in_words
from capcurve.show.text import defused, to_csv, to_json
from capcurve.show.wording import in_words
from capcurve.studies.validation.given import LONGEST_VALUE, data_of, inputs_table, settings_table
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
    p_text,
)
from capcurve.studies.validation.parts import (
    as_sentence,
    cells_html,
    cut_table,
    each_once,
    items_html,
    line_html,
    pairs_html,
    part_html,
    row_of_test,
    section_html,
    small_html,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from capcurve.studies.validation.ecb import EcbTable
    from capcurve.studies.validation.given import Given, Input
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
LONGEST_TITLE, LONGEST_SUBJECT = 66, 24
LETTERS_OF_FINDINGS, LETTERS_OF_GAPS = 1050, 450
MOST_ECB_LETTERS = 100
MOST_LOW_SEGMENTS = 8
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
    given
        The counts that `ecb` computes from; not in JSON or the digest.
    ecb_table
        The ECB's lines as page and workbook show them; `ecb()` where left out.
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
    given: Given | None = field(default=None, repr=False, compare=False)
    ecb_table: EcbTable | None = field(default=None, repr=False, compare=False)

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
        subject = "; ".join(f"{name}: {value}" for name, value in self.subject.items())
        parts = self.sections
        return Presentation(
            title=sheet_title(self),
            sentences=(
                _headline_of(self),
                *_below_headline(self),
                *([f"{capitalised(subject)}."] if subject else []),
                *_said(self),
            ),
            light=_light_of_all(self),
            findings=_beside_headline(self),
            charts=each_once(
                *(chart for part in parts for chart in part.front),
                *(chart for part in parts for chart in part.charts),
            ),
            tables=(
                table_of_tests(self),
                *(table for part in parts for table in part.tables),
                inputs_table(self.inputs),
            ),
            notes=(
                *_how_lit(self),
                *_on_gaps(self),
                f"Digest of the sheet: {self.digest()[:DIGITS_OF_DIGEST]}.",
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the sheet as values that strict JSON can hold, as `schema()` describes them."""
        return _as_values(self)

    def to_json(self) -> str:
        """Return the sheet as JSON; equal sheets are equal text."""
        return to_json(self.to_dict())

    def digest(self) -> str:
        """Return the fingerprint of the sheet: the SHA-256 of all its other values."""
        return str(self.to_dict()["digest"])

    def ecb(
        self,
        *,
        exposure: Mapping[Any, float] | None = None,
        statuses: Mapping[Any, str] | None = None,
        best_first: bool = False,
        initial_dates: tuple[object, object] | None = None,
        periods: int = 1,
    ) -> EcbTable:
        """Return each number that the ECB asks for in a PD model's yearly validation.

        A line without a number names the argument that it needs. Raises `ValueError` for counts at
        a horizon, and for arguments that do not fit the sample.

        Parameters
        ----------
        exposure
            Original exposure at the beginning of the year by grade.
        statuses
            What became of customers with a label of `validate(outside=)`: "default", "other model"
            or "terminated".
        best_first
            Whether grade 1 is the best one; the two bandwidths then change places.
        initial_dates
            First and last day of the initial sample, such as ("2021-01-01", "2021-12-31").
        periods
            1, or 3 if the AUC is that of three periods: those of the sheet are pooled, and without
            any the sample is taken as pooled.

        Notes
        -----
        ECB (2019), Instructions for reporting the validation results of internal models, 2.4.3, 2.5
        and annex 3.1. Grades are those at the beginning of the year.

        Examples
        --------
        >>> from capcurve import ScoreCounts, validate
        >>> now = ScoreCounts.from_counts(["B", "A"], [1, 1], [9, 9], levels=["B", "A"])
        >>> validate(now, pd={"B": 0.1, "A": 0.1}).ecb(exposure={"B": 500, "A": 500}).filled
        24
        """
        from capcurve.studies.validation.ecb_lines import ecb_of_pds

        if self.given is None:
            raise ValueError("this sheet does not hold its counts; make it with validate(...)")
        return ecb_of_pds(self.given, exposure, statuses, best_first, initial_dates, periods)

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


def _below_headline(sheet: ValidationSheet) -> tuple[str, ...]:
    """Return which scores rank better, and what the lights and the tests are."""
    tally = [said for said in [_on_lights(sheet)] if said != _headline_of(sheet)]
    return (*_favours(sheet), *tally, *_on_others(sheet), _on_tests(sheet))


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
    said = f"{counted(len(tests), 'test')} without a limit"
    for side, favours in {"against": False, "for": True}.items():
        names = [test.name.partition(" (")[0] for test in low if favours_score(test) == favours]
        if names:
            some = listed(names, MOST_LOW_SEGMENTS)
            said += f", {len(names)} {side} the score with p < {LOW_P:g} ({some})"
    return [f"{said}."]


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
            "tests": [
                {name: value for name, value in asdict(test).items() if name != NOT_SAVED}
                for test in tests_of(sheet)
            ],
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


def _table_values(table: Table, section: int) -> dict[str, Any]:
    """Return a table; its columns are a list, as the keys of a JSON object have no order."""
    columns = [{"name": name, "values": cells} for name, cells in table.values().items()]
    return {"section": section, "name": table.name, "note": table.note, "columns": columns}


def write_as_workbook(sheet: ValidationSheet, path: Path) -> None:
    """Write a sheet as a workbook."""
    from capcurve.studies.validation.workbook import write_sheet_workbook

    front = Presentation(
        title=sheet_title(sheet),
        sentences=(_headline_of(sheet), *_below_headline(sheet)),
        light=_light_of_all(sheet),
        findings=_beside_headline(sheet),
        charts=[chart for section in sheet.sections for chart in section.front],
        notes=tuple(_on_gaps(sheet)),
    )
    data, speaks = data_of(sheet.subject, sheet.inputs, sheet.settings), sheet.speaks
    behind = [
        (name, columns_in_words(columns, speaks), note)
        for name, columns, note in _tables_behind(sheet)
    ]
    shown = in_words((front, data, tests_of(sheet), behind), speaks)
    write_sheet_workbook(*shown, ecb=ecb_shown(sheet), speaks=speaks, path=path)


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
    terms = "".join(map(line_html, (*_how_lit(sheet), *_on_gaps(sheet))))
    title, short = shortened(sheet_title(sheet), LONGEST_IN_PAGE), digest[:DIGITS_OF_DIGEST]
    everything = items_html(map(_signed, _beside_headline(sheet)))
    settings = folded_html(settings_table(_settings(sheet)), cut_table)
    origin = f"{pairs_html(sheet.subject.items())}{cut_table(inputs_table(sheet.inputs))}{settings}"
    behind = (
        *map(section_html, sheet.sections),
        _ecb_part(sheet),
        part_html("All findings", everything if _lines_of_findings(sheet)[1] else ""),
        part_html("Lights, and what is left open", terms),
        part_html("Inputs and settings", origin, " class=tables"),
    )
    return document(
        title=escape(title),
        head="",
        main=f"<article class=front>{_front(sheet, digest)}</article>{''.join(behind)}",
        foot=f"<p>Digest of the sheet: {short}. Written by capcurve {__version__}.</p>",
        running=f"{sheet_title(sheet)} · digest {short}",
    )


def ecb_shown(sheet: ValidationSheet) -> EcbTable | None:
    """Return the ECB's lines, where PDs or migrations are known that most of them are about."""
    if sheet.ecb_table is not None:
        return sheet.ecb_table
    given = sheet.given
    if given is None or given.now.times is not None:
        return None
    return None if given.pd is None and given.moves is None else sheet.ecb()


def _ecb_part(sheet: ValidationSheet) -> str:
    """Return the part of the page with the ECB's lines: those of grades and cells as tables."""
    if (found := ecb_shown(sheet)) is None:
        return ""
    shown = in_words(found.presentation(), found.speaks)
    lines = (shown.tables[0], *shown.more)
    tables = "".join(cut_table(table, MOST_ECB_LETTERS) for table in lines)
    body = f"{line_html(shown.sentences[0])}{tables}{items_html(map(_signed, shown.findings))}"
    return part_html(found.name, body, " class=tables")


def _front(sheet: ValidationSheet, digest: str) -> str:
    charts = [chart for section in sheet.sections for chart in section.front][:MOST_CHARTS]
    blanks = "<span>Date</span><span>Signature</span>"
    signed = "".join(f"<div><span>{who}</span>{blanks}</div>" for who in SIGNED_BY)
    pictures = "".join(figure_html(chart, SIDE) for chart in charts)
    drawn = f"<div class=small>{pictures}</div>" if charts else ""
    beside = f"<div class=numbers-and-charts>{_front_tests(sheet)}{drawn}</div>"
    room = max(0, MOST_TESTS - len(tests_of(sheet))) // 2  # a sentence takes that of two tests
    results = f"{beside}{line_html(_on_tests(sheet))}{items_html(_said(sheet)[:room])}"
    return (
        f"<h1>{escape(shortened(sheet_title(sheet), LONGEST_TITLE))}</h1>"
        f"{_top(sheet)}{''.join(map(line_html, _on_others(sheet)))}"
        f"{part_html('1. Results', results)}"
        f"{_front_findings(sheet)}{_data(sheet)}{_front_gaps(sheet)}"
        f"{part_html('Signatures', signed, ' class=sign')}"
        f"<p class='soft made'>{escape(_made(sheet, digest[:DIGITS_OF_DIGEST]))}</p>"
    )


def _made(sheet: ValidationSheet, digest: str) -> str:
    """Return what the sheet was made by and with."""
    seed = "" if sheet.seed is None else f", seed {sheet.seed}"
    return f"capcurve {__version__}, level {stated_percent(sheet.level)}{seed}. Digest: {digest}."


def _data(sheet: ValidationSheet) -> str:
    """Return what was validated on which data, in pairs."""
    data = data_of(sheet.subject, sheet.inputs, sheet.settings)
    return pairs_html((shortened(a, LONGEST_SUBJECT), shortened(b, LONGEST_VALUE)) for a, b in data)


def _top(sheet: ValidationSheet) -> str:
    """Return the message, and how many tests have each light, in colour."""
    better = "".join(lead(said) for said in _favours(sheet))
    if not any(sheet.lights.values()):
        return f"{lead(_headline_of(sheet), _light_of_all(sheet))}{better}"
    alarmed = any(test.alarm is not None for test in tests_of(sheet))
    above = lead(_headline_of(sheet), "red") if alarmed else ""
    kinds = {light: small_html(_kinds(sheet, light).strip(" ()")) for light in _tally(sheet)}
    said = "".join(
        f"<li>{mark(light)}<b>{count}</b> {light}{kinds[light]}</li>"
        for light, count in _tally(sheet).items()
    )
    return f'{above}{better}<ul class=lights aria-label="Lights">{said}</ul>'


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
    head = f"<tr>{cells_html('th scope=col', heads)}</tr>"
    later = {id(test) for test in tests} - {id(test) for test in printed}
    body = "".join(
        f"<tbody>{''.join(row_of_test(test, later=id(test) in later) for test in group)}</tbody>"
        for _, group in groupby(tests, key=lambda test: test.section)
    )
    more = counted(len(later), "more test")
    said = f"<p class='soft on-paper'>{more} on the following pages.</p>"
    table = f"<table class=tests><caption>Tests</caption><thead>{head}</thead>{body}</table>"
    return f"<div>{in_frame('Tests', table)}{said if later else ''}</div>"


def _with_room(lines: Sequence[str], letters: int) -> tuple[list[str], int]:
    """Return the first lines that take so many letters together, and how many more there are."""
    taken = np.cumsum([len(line) for line in lines])
    kept = [line for line, sum_ in zip(lines, taken, strict=True) if sum_ <= letters]
    return kept, len(lines) - len(kept)


def _lines_of_findings(sheet: ValidationSheet) -> tuple[list[str], int]:
    """Return the gravest findings, each whole, and how many more there are."""
    return _with_room([*map(_signed, _beside_headline(sheet))], LETTERS_OF_FINDINGS)


def _signed(found: Finding) -> str:
    """Return a finding with its advice, unless that is about a command or an argument."""
    advice = "" if OF_A_COMMAND.search(found.advice) else f"; {found.advice}"
    return as_sentence(f"{found.message}{advice}")


def _front_findings(sheet: ValidationSheet) -> str:
    """Return the gravest findings, each whole."""
    kept, left = _lines_of_findings(sheet)
    more = f"<p class=soft>{left} more on the following pages.</p>" if left else ""
    return part_html("2. Findings", f"{items_html(kept)}{more}" or "<p>None.</p>")


def _front_gaps(sheet: ValidationSheet) -> str:
    """Return what was not done and what is not covered."""
    gaps = {"Not performed": [what for what, _ in sheet.not_done], "Not covered": sheet.not_covered}
    said = ""
    for name, lines in gaps.items():
        kept, left = _with_room(lines, LETTERS_OF_GAPS)
        told = "; ".join([*kept, *([f"{left} more on the following pages"] if left else [])])
        said += f"<p><b>{name}:</b> {escape(told)}.</p>" if told else ""
    return f"<section class=gaps>{said}</section>" if said else ""
