"""Overrides and challengers, and what the sample can show at all: sections 9 and 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.grades import migration_table
from capcurve.inference import compare, detectable_drop
from capcurve.inference.differences import holm
from capcurve.metrics import accuracy_ratio
from capcurve.unknown import unknown_bounds
from capcurve.validation.ranking import of_interval, of_test, undefined
from capcurve.validation.records import Section, SheetTest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.counts import JointCounts
    from capcurve.summary import Finding
    from capcurve.tables import Table
    from capcurve.validation.given import Given

POWER = 0.8


def alternatives(given: Given, joint: JointCounts) -> Section:
    """Return section 9: overrides of the grade, and other scores of the same cases."""
    tests: list[SheetTest] = []
    tables: list[Table] = []
    if given.final is not None:
        moved = migration_table(joint, given.score, given.final)
        tests += [
            of_interval("overrides.rate", moved.moved),
            of_interval("overrides.up", moved.up),
            of_interval("overrides.down", moved.down),
            _ranking(given, joint, given.final),
        ]
        tables += moved.presentation().tables[:1]
    tests += _challengers(given, joint)
    return Section(
        number=9, title="Overrides and challengers", tests=tuple(tests), tables=tuple(tables)
    )


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
    """Return section 10: which fall the sample would show, and bounds where outcomes are unknown."""
    tests = [_detectable(given)]
    tables: tuple[Table, ...] = ()
    charts, sentences, findings = (), (), ()
    if given.partial is not None:
        try:
            found = unknown_bounds(given.partial, level=given.level)
        except ValueError as why:
            tests.append(undefined("unknown.accuracy_ratio", str(why)))
        else:
            shown = found.presentation()
            tables, charts, findings = shown.tables, shown.charts, found.findings
            sentences = shown.sentences[:1]
            tests.append(
                SheetTest.of(
                    "unknown.accuracy_ratio",
                    estimate=found.known_only,
                    low=found.low_limit,
                    high=found.high_limit,
                    level=found.level,
                    method=f"bounds {found.low:.3f} to {found.high:.3f} whatever the outcomes, "
                    "with one-sided DeLong limits at their ends",
                    notes=found.notes,
                )
            )
    return (
        Section(
            number=10,
            title="What the sample can show",
            tests=tuple(tests),
            tables=tables,
            charts=charts,
            sentences=sentences,
        ),
        findings,
    )


def _detectable(given: Given) -> SheetTest:
    """Return the fall of the accuracy ratio that a sample of today's size would show."""
    now, initial = given.now, given.initial_counts
    try:
        if now.weights is not None or not now.is_whole:
            raise ValueError("of weighted cases it is not known how many they are like")
        if isinstance(given.initial, float):
            versus, sizes = given.initial, None
        else:
            versus = accuracy_ratio(now if initial is None else initial)
            sizes = None if initial is None else (int(initial.n1), int(initial.n0))
        found = detectable_drop(
            int(now.n1), int(now.n0), versus, power=POWER, alpha=1 - given.level, initial=sizes
        )
    except ValueError as why:
        return undefined("power.detectable_drop", str(why))
    return SheetTest.of(
        "power.detectable_drop",
        estimate=found,
        method=f"shown in {POWER:.0%} of samples of this size, one-sided",
        reference=f"from {versus:.3f}",
        notes=("clusters are not taken into account",) if now.groups is not None else (),
    )
