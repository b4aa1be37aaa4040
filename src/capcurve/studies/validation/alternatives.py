"""Overrides and challengers, and what the sample can show at all: sections 9 and 10."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from capcurve.inference import compare, detectable_drop
from capcurve.inference.differences import holm
from capcurve.metrics import accuracy_ratio
from capcurve.show.format import number, outward, percent, stated_percent
from capcurve.studies.grades import migration_table
from capcurve.studies.unknown import unknown_bounds
from capcurve.studies.validation.ranking import of_interval, of_test, undefined
from capcurve.studies.validation.records import Section, SheetTest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts import JointCounts
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table
    from capcurve.studies.grades import Migration
    from capcurve.studies.unknown import Bounds
    from capcurve.studies.validation.given import Given

POWER = 0.8


def alternatives(given: Given, joint: JointCounts) -> Section:
    """Return section 9: overrides of the grade, and other scores of the same cases."""
    tests: list[SheetTest] = []
    tables: list[Table] = []
    if given.final is not None:
        moved = migration_table(joint, given.score, given.final)
        tests += [*_overridden(moved), _ranking(given, joint, given.final)]
        tables += [
            replace(moved.table, name=f"Overrides, from {given.score} to {given.final}"),
            replace(moved.moves, name="Overrides by their direction"),
        ]
    tests += _challengers(given, joint)
    return Section(
        number=9, title="Overrides and challengers", tests=tuple(tests), tables=tuple(tables)
    )


def _overridden(moved: Migration) -> Iterator[SheetTest]:
    """Yield the shares of cases whose grade was changed, with the rates of positives among them."""
    parts = (
        ("rate", moved.moved, 1 - moved.unchanged, None),
        ("up", moved.up, moved.upgraded, moved.positives_up),
        ("down", moved.down, moved.downgraded, moved.positives_down),
    )
    for name, share, estimate, rate in parts:
        test_id = f"overrides.{name}"
        said = "" if rate is None else f"{percent(rate.estimate)} of these are positives"
        if share is None:
            yield SheetTest.of(test_id, estimate=estimate, reference=said, notes=moved.notes)
        else:
            yield of_interval(test_id, share, reference=said)


def _ranking(given: Given, joint: JointCounts, final: str) -> SheetTest:
    try:
        found = compare(_of(joint, final, given.score), level=given.level).pairs[0]
    except ValueError as why:
        return undefined("overrides.ranking", str(why))
    return of_test("overrides.ranking", found)


def _challengers(given: Given, joint: JointCounts) -> Iterator[SheetTest]:
    """Yield the score less each challenger, with Holm's adjustment where there are several."""
    names = given.challengers
    try:
        pairs = [compare(_of(joint, given.score, n), level=given.level).pairs[0] for n in names]
    except ValueError as why:
        yield from (undefined(f"challenger.{name}", str(why)) for name in names)
        return
    adjusted = holm([pair.p_value for pair in pairs]) if len(pairs) > 1 else [None] * len(pairs)
    for name, pair, p_adjusted in zip(names, pairs, adjusted, strict=True):
        yield of_test(f"challenger.{name}", pair, p_adjusted=p_adjusted)


def _of(joint: JointCounts, first: str, second: str) -> JointCounts:
    """Return the counts of two scores alone, in this order."""
    return joint.joined({name: range(1, len(joint.margin(name)) + 1) for name in (first, second)})


def prospects(given: Given) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 10: which fall the sample would show, and bounds for unknown outcomes."""
    section = Section(number=10, title="What the sample can show", tests=(_detectable(given),))
    if given.partial is None:
        return section, ()
    try:
        found = unknown_bounds(given.partial, level=given.level)
    except ValueError as why:
        tests = (*section.tests, undefined("unknown.accuracy_ratio", str(why)))
        return replace(section, tests=tests), ()
    shown = found.presentation()
    bounded = replace(
        section,
        tests=(*section.tests, _bounded(found)),
        tables=shown.tables,
        charts=shown.charts,
        sentences=shown.sentences[:1],
    )
    return bounded, found.findings


def _bounded(found: Bounds) -> SheetTest:
    return SheetTest.of(
        "unknown.accuracy_ratio",
        estimate=found.known_only,
        low=found.low_limit,
        high=found.high_limit,
        level=found.level,
        method=f"bounds {' to '.join(outward(found.low, found.high))} whatever the outcomes, with "
        "one-sided DeLong limits at their ends",
        notes=found.notes,
    )


def _detectable(given: Given) -> SheetTest:
    """Return the fall of the accuracy ratio that a sample of today's size would show."""
    now = given.now
    if now.weights is not None or not now.is_whole:
        return undefined(
            "power.detectable_drop", "of weighted cases it is not known how many they are like"
        )
    if not (now.n1 > 0 and now.n0 > 0):
        return undefined("power.detectable_drop", "it takes positives and negatives")
    try:
        versus, sizes = _before(given)
        found = detectable_drop(
            int(now.n1), int(now.n0), versus, power=POWER, alpha=1 - given.level, initial=sizes
        )
    except ValueError as why:
        return undefined("power.detectable_drop", str(why))
    return SheetTest.of(
        "power.detectable_drop",
        estimate=found,
        method=f"shown in {stated_percent(POWER)} of samples of this size, one-sided",
        reference=f"from {number(versus)}",
        notes=("clusters are not taken into account",) if now.groups is not None else (),
    )


def _before(given: Given) -> tuple[float, tuple[int, int] | None]:
    """Return the accuracy ratio that may fall, and the sizes of its sample if they matter."""
    initial = given.initial_counts
    if isinstance(given.initial, float):
        return given.initial, None
    if initial is None:
        return accuracy_ratio(given.now), None
    return accuracy_ratio(initial), (int(initial.n1), int(initial.n0))
