"""What a validation sheet shows: its tests as people read them, its sentences and its tables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, get_args

import numpy as np

from capcurve.show.format import (
    MISSING,
    amount,
    bare_chance,
    capitalised,
    number,
    percent,
    stated_percent,
)
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.studies.validation.records import Light, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capcurve.show.chart import Chart
    from capcurve.studies.validation.records import Input, Sheet, SheetTest, TestLimits

LIGHTS: tuple[Light, ...] = get_args(Light)
# What a light means, beside its name.
MEANING = {"amber": "not shown", "grey": "undefined"}
BETWEEN = "between limits"
NOT_ADJUSTED = "the lights are not adjusted for the number of tests"
HOW_LIT = {
    "limit": "By confidence limits: green when the less favourable limit keeps green, red when the "
    "more favourable one breaks red, amber when neither is shown.",
    "estimate": "By the estimate: green and red on either side of the limits, amber between.",
    "p_value": "By the p-value: green and red on either side of the limits, amber between.",
}
IN_FULL: tuple[str, ...] = (
    "id",
    "section",
    "name",
    "estimate",
    "low",
    "high",
    "level",
    "statistic",
    "df",
)
IN_FULL += ("p_value", "p_adjusted", "alternative", "method", "reference", "light")
MISSING_LIMIT = {"low": "-∞", "high": "∞"}


def tests_of(sheet: Sheet) -> tuple[SheetTest, ...]:
    """Return all tests of a sheet in order."""
    return tuple(test for section in sheet.sections for test in section.tests)


def lights_of(tests: Iterable[SheetTest]) -> dict[Light, int]:
    """Return how many tests have each light."""
    found = Counter(test.light for test in tests)
    return {light: found[light] for light in LIGHTS}


def sentence_on_lights(sheet: Sheet) -> str:
    """Return how many tests have which light, in one sentence."""
    tests = tests_of(sheet)
    found = {light: count for light, count in lights_of(tests).items() if count}
    if not found:
        return "No test has a light: set limits for the tests that must be judged."
    said = ", ".join(f"{count} {light}" for light, count in found.items())
    return f"Tests with limits: {sum(found.values())}, of which {said}."


def sentence_on_tests(sheet: Sheet) -> str:
    """Return how many tests there are and at which level, in one sentence."""
    tests = tests_of(sheet)
    made = f"{len(tests)} tests were made" if len(tests) != 1 else "1 test was made"
    # Beside two-sided limits they may say something else.
    sides = ", p-values with * are one-sided" if any(test.one_sided for test in tests) else ""
    return f"{made}, intervals at {stated_percent(sheet.level)}{sides}; {NOT_ADJUSTED}."


def value_text(test: SheetTest, value: float | None) -> str:
    """Return the estimate of a test, or a limit of it, as people read it.

    Examples
    --------
    >>> from capcurve.studies.validation.records import SheetTest
    >>> value_text(SheetTest.of("overrides.rate"), 0.041)
    '4.1%'
    """
    if value is None or np.isnan(value):
        return MISSING
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    kind = kind_of(test.id)
    form = "ratio" if kind is None else kind.form
    return percent(value) if form == "share" else number(value, 2 if form == "number" else 3)


def estimate_text(test: SheetTest) -> str:
    """Return the estimate of a test as people read it; empty where the p-value is all there is."""
    only_p = test.estimate is None and test.p_value is not None
    return "" if only_p else value_text(test, test.estimate)


def interval_text(test: SheetTest) -> str:
    """Return the confidence limits of a test; an open side is infinite."""
    if test.low is None and test.high is None:
        return ""
    ends = (
        MISSING_LIMIT[side] if value is None else value_text(test, value)
        for side, value in (("low", test.low), ("high", test.high))
    )
    return f"[{', '.join(ends)}]"


def p_text(test: SheetTest) -> str:
    """Return the p-value of a test, adjusted where it is, with a mark if it is one-sided."""
    p_value = test.p_value if test.p_adjusted is None else test.p_adjusted
    if p_value is None or np.isnan(p_value):
        return ""
    adjusted = "" if test.p_adjusted is None else " adj."
    return f"{bare_chance(p_value)}{'*' * test.one_sided}{adjusted}"


def limits_text(test: SheetTest) -> str:
    """Return the user's limits of a test, green and red; empty without limits.

    Examples
    --------
    >>> from capcurve.studies.validation.records import SheetTest, TestLimits
    >>> limits_text(SheetTest.of("stability.psi", limits=TestLimits(0.1, 0.25)))
    '≤ 0.1, red > 0.25'
    """
    own = test.limits
    if own is None:
        return ""
    keeps, breaks = ("≥", "<") if test.better == "higher" else ("≤", ">")
    green, red = (_limit(test, own, value) for value in (own.green, own.red))
    of = {"p_value": "p ", "estimate": "", "limit": ""}[own.by]
    return f"{of}{keeps} {green}, red {breaks} {red}"


def _limit(test: SheetTest, own: TestLimits, value: float) -> str:
    kind = kind_of(test.id)
    share = own.by != "p_value" and kind is not None and kind.form == "share"
    return stated_percent(value) if share else f"{value:.6g}"


def light_text(test: SheetTest) -> str:
    """Return the light of a test and what it means; empty without limits."""
    return " ".join(filter(None, (test.light, meaning_of(test) and f"({meaning_of(test)})")))


def meaning_of(test: SheetTest) -> str:
    """Return what must be said beside the name of a light."""
    by_limits = test.limits is not None and test.limits.by == "limit"
    if test.light == "amber" and not (by_limits and interval_text(test)):
        return BETWEEN
    return MEANING.get(test.light or "", "")


def tests_table(sheet: Sheet) -> Table:
    """Return the tests as people read them, one row each."""
    tests = tests_of(sheet)
    rows = {
        "test": [test.name for test in tests],
        "value": [estimate_text(test) for test in tests],
        f"{stated_percent(sheet.level)} interval": [interval_text(test) for test in tests],
        "p": [p_text(test) for test in tests],
        "green": [limits_text(test) for test in tests],
        "light": [light_text(test) for test in tests],
    }
    kept = {name: cells for name, cells in rows.items() if any(cells) or name == "test"}
    columns = {name: np.array(cells, dtype=object) for name, cells in kept.items()}
    return Table("Tests", columns)


def tests_in_full(sheet: Sheet) -> dict[str, list[object]]:
    """Return the tests by column, numbers in full, as csv and workbooks hold them."""
    tests = tests_of(sheet)
    columns = {name: [_full(getattr(test, name)) for test in tests] for name in IN_FULL}
    for name in ("green", "red", "by"):
        columns[name] = [test.limits and getattr(test.limits, name) for test in tests]
    return columns | {"notes": ["; ".join(filter(None, test.notes)) or None for test in tests]}


def _full(value: object) -> object:
    if isinstance(value, float) and np.isnan(value):
        return None
    return value or None if isinstance(value, str) else value


def inputs_table(sheet: Sheet) -> Table:
    """Return what the sheet was made from, one row each."""
    inputs = sheet.inputs
    columns = {
        "input": np.array([each.role for each in inputs], dtype=object),
        "cases": _sizes(each.n for each in inputs),
        "positives": _sizes(each.n1 for each in inputs),
        "negatives": _sizes(each.n0 for each in inputs),
        "grades": _sizes(None if each.levels is None else len(each.levels) for each in inputs),
        "digest": np.array([each.digest for each in inputs], dtype=object),
    }
    return Table("Inputs", columns)


def _sizes(values: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.array(list(values), dtype=object)


def sentence_on_inputs(sheet: Sheet) -> str:
    """Return what the sheet was made from in one line: periods and segments by their number."""
    groups: dict[str, list[Input]] = {}
    for each in sheet.inputs:
        groups.setdefault(each.role.partition(" ")[0], []).append(each)
    return f"{'; '.join(_group(role, found) for role, found in groups.items())}."


def _group(role: str, found: list[Input]) -> str:
    if len(found) > 1:
        return f"{len(found)} {role}s"
    only = found[0]
    if only.n is None:
        return role if only.n1 is None else f"{only.role}: {amount(only.n1)} positives"
    said = f"{only.role}: {amount(only.n)} cases"
    return said if only.n1 is None else f"{said}, {amount(only.n1)} positives"


def as_sentence(words: str) -> str:
    """Return words that begin with a capital and end with a full stop.

    Examples
    --------
    >>> as_sentence("a bin is empty"), as_sentence("Read on.")
    ('A bin is empty.', 'Read on.')
    """
    return f"{capitalised(words).removesuffix('.')}."


def how_lit(sheet: Sheet) -> Iterator[str]:
    """Yield how the lights come about, for each way that is used."""
    used = {test.limits.by for test in tests_of(sheet) if test.limits is not None}
    yield from (said for by, said in HOW_LIT.items() if by in used)


def sentences_on_gaps(sheet: Sheet) -> Iterator[str]:
    """Yield what was not done, and what the sheet does not cover."""
    for what, why in sheet.not_done:
        yield f"Not done: {what}; {why}."
    if sheet.not_covered:
        yield f"Not covered: {'; '.join(sheet.not_covered)}."


def once(*charts: Chart) -> tuple[Chart, ...]:
    """Return charts in order, each once."""
    return tuple({id(chart): chart for chart in charts}.values())


def title_of(sheet: Sheet) -> str:
    """Return what the sheet is called: by its model, if the subject names one."""
    model = sheet.subject.get("model")
    return f"Validation sheet: {model}" if model else "Validation sheet"


def presentation_of(sheet: Sheet, digest: str) -> Presentation:
    """Return what a sheet shows as text, Markdown, picture and notebook card."""
    subject = "; ".join(f"{name}: {value}" for name, value in sheet.subject.items())
    said = [text for section in sheet.sections for text in section.sentences]
    return Presentation(
        title=title_of(sheet),
        sentences=(
            sentence_on_lights(sheet),
            sentence_on_tests(sheet),
            *([f"{capitalised(subject)}."] if subject else []),
            *said,
        ),
        findings=sheet.findings,
        charts=once(
            *(chart for section in sheet.sections for chart in section.front),
            *(chart for section in sheet.sections for chart in section.charts),
        ),
        tables=(
            tests_table(sheet),
            *(table for section in sheet.sections for table in section.tables),
            inputs_table(sheet),
        ),
        notes=(
            *how_lit(sheet),
            *sentences_on_gaps(sheet),
            f"Digest of the sheet: {digest}.",
        ),
    )
