"""Grades and their rates, segments, and how the portfolio moves across grades: sections 6 to 8."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import CaseCounts
from capcurve.inference import monotonicity_test, rate_table
from capcurve.inference.stability import is_sparse
from capcurve.results.comparing import (
    orders_of_segments,
    segments_alike,
    undefined_segments,
    unlike_segments,
)
from capcurve.show.format import chance_text, cutoff_text, first_of, number, percent
from capcurve.studies.grades import (
    adjacent_grades,
    grade_concentration,
    grade_homogeneity_test,
    migration_table,
    population_stability,
)
from capcurve.studies.validation.ranking import of_test, ratios_of, undefined
from capcurve.studies.validation.records import Section, SheetTest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from capcurve.counts.types import Floats
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table
    from capcurve.studies.grades import Concentration, Migration, Stability
    from capcurve.studies.validation.given import Given

BEYOND_CHANCE = (
    "the limits are those of the PSI of the two populations: what chance adds to that of samples "
    "is taken off, so that they may lie below it"
)
LOW_IS_GOOD = "a low p-value is good here: it shows that the riskier grade of each pair is riskier"
EBA = "EBA handbook, 43 to 47"
# Where p-values differ by so little, relatively, they are one.
SAME = 1e-9
MOST_NAMED = 5


def grades(given: Given) -> Section:
    """Return section 6: the rate of each grade, neighbours, and whether rates fall."""
    now = given.now
    tests: list[SheetTest] = []
    tables: list[Table] = []
    try:
        # The lower limit of a two-sided 90% interval is the one-sided one at 95%.
        rates = rate_table(now, level=2 * given.level - 1)
        tables.append(replace(rates, name="Rates of grades"))
        neighbours = adjacent_grades(now, level=given.level)
    except ValueError as why:
        tests += [undefined(f"grades.{name}", str(why)) for name in ("neighbours", "reversed")]
    else:
        tables.append(replace(neighbours, name="Neighbouring grades"))
        tests += _of_neighbours(neighbours)
    tests.append(_attempted("grades.monotone", lambda: monotonicity_test(now)))
    return Section(number=6, title="Grades", tests=tuple(tests), tables=tuple(tables))


def _attempted(test_id: str, make: Callable[[], Any], **more: Any) -> SheetTest:
    """Return a test of the sheet, or why there is none."""
    try:
        return of_test(test_id, make(), **more)
    except ValueError as why:
        return undefined(test_id, str(why))


def _of_neighbours(table: Table) -> Iterator[SheetTest]:
    """Yield the largest p-value of neighbours that differ and the smallest of reversed ones.

    That all differ is shown when each pair is, so that nothing is adjusted; that some pair is
    reversed is looked for among all of them.
    """
    differ, reversed_ = (np.asarray(table[name]) for name in ("p_value", "p_reversed"))
    if not len(differ):
        for name in ("neighbours", "reversed"):
            yield undefined(f"grades.{name}", "there is one grade, and so no neighbours")
        return
    last, first = (_alike_to(differ, np.nanmax(differ)), _alike_to(reversed_, np.nanmin(reversed_)))
    yield SheetTest.of(
        "grades.neighbours",
        p_value=float(differ[last[0]]),
        alternative="the riskier grade has the higher rate",
        method=f"mid-p of each pair, not adjusted; the largest is that of {_pairs(table, last)}",
        reference=EBA,
        notes=(LOW_IS_GOOD,),
    )
    # Holm's values of several pairs may be alike where their own are not; the least is that of
    # the pair with the least of its own.
    yield SheetTest.of(
        "grades.reversed",
        p_value=float(reversed_[first[0]]),
        p_adjusted=float(table["p_reversed_adjusted"][first[0]]),
        alternative="the riskier grade has the lower rate",
        method=f"mid-p of each pair, Holm; the smallest is that of {_pairs(table, first)}",
        reference=EBA,
    )


def _alike_to(p_values: Floats, value: float) -> list[int]:
    """Return where p-values are this one, but for rounding: no pair is named for its place."""
    return np.flatnonzero(np.isclose(p_values, value, rtol=SAME, atol=0)).tolist()


def _pairs(table: Table, places: Sequence[int]) -> str:
    """Return the names of some pairs of neighbours."""
    grades = [[cutoff_text(table[side][at]) for side in ("riskier", "safer")] for at in places]
    return first_of((" and ".join(pair) for pair in grades), MOST_NAMED)


def homogeneity(given: Given, whole: Iterable[Finding]) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 7, rates of segments within grades and how well the score ranks in each.

    With it comes what there is to know about segments beyond what was found of the `whole`.
    """
    parts, tests, tables = given.segments, [], []
    told = orders_of_segments(parts, whole)
    if given.is_graded:
        try:
            found = grade_homogeneity_test(parts)
        except ValueError as why:
            tests.append(undefined("homogeneity.grades", str(why)))
        else:
            tests.append(of_test("homogeneity.grades", found, reference=EBA))
            tables.append(replace(found.table, name="Segments within grades"))
    else:
        tests.append(undefined("homogeneity.grades", _no_grades(given)))
    common = "the value is the mean of the segments, weighted by precision"
    try:
        alike = segments_alike(parts, given.seed)
    except ValueError as why:
        tests.append(undefined("segments.accuracy_ratio", str(why)))
    else:
        tests.append(of_test("segments.accuracy_ratio", alike, reference=common))
        told += unlike_segments(alike)
    tables.append(ratios_of(parts, "Segments", "segment", given.level))
    section = Section(
        number=7,
        title="Homogeneity and segments",
        tests=tuple(tests),
        tables=tuple(tables),
    )
    return section, (*told, *undefined_segments(parts))


def _no_grades(given: Given) -> str:
    return f"there are {len(given.now):,} distinct scores, which are no grades"


def stability(given: Given) -> Section:
    """Return section 8: the portfolio against the earlier one, its concentration, and migration."""
    tests: list[SheetTest] = []
    tables: list[Table] = []
    charts: list[Any] = []
    sentences: list[str] = []
    earlier = given.earlier
    if earlier is not None:
        for name, of in _parts_of(earlier):
            try:
                found = population_stability(earlier, given.now, of=of, level=given.level)
            except ValueError as why:
                tests.append(undefined(f"stability.{name}", str(why)))
                continue
            tests.append(_of_stability(name, found))
            if of == "cases":
                tables.append(replace(found.table, name="Shares of cases, before and now"))
                charts += found.presentation().charts
                sentences += found.presentation().sentences[:1]
    if given.is_graded:
        kept = grade_concentration(given.now, earlier, level=given.level)
        tests += _of_concentration(kept)
        tables.append(replace(kept.table, name="Concentration over grades"))
    if given.joint is not None and given.start is not None:
        moved = migration_table(given.joint, given.start, given.score, outside=given.outside)
        tests += _of_migration(moved)
        tables += [
            replace(moved.table, name=f"Migration from {given.start}"),
            replace(moved.cells, name="Cells of the migration, each against its nearer neighbour"),
        ]
        sentences += moved.presentation().sentences[:1]
    return Section(
        number=8,
        title="Stability",
        tests=tuple(tests),
        tables=tuple(tables),
        charts=tuple(charts),
        sentences=tuple(sentences),
    )


def _parts_of(earlier: Any) -> list[tuple[str, Any]]:
    """Return whose stability there is: of cases, and of each class where outcomes are known."""
    found: list[tuple[str, Any]] = [("psi", "cases")]
    if not isinstance(earlier, CaseCounts):
        found += [("psi_positives", "positives"), ("psi_negatives", "negatives")]
    return found


def _of_stability(name: str, found: Stability) -> SheetTest:
    empty = f"empty on one side: {', '.join(map(str, found.empty))}" if found.empty else ""
    expected = found.expected_if_unchanged
    sparse = found.low is not None and is_sparse(found.table["before"], found.table["after"])
    return SheetTest.of(
        f"stability.{name}",
        estimate=found.psi,
        low=found.low,
        # Of few cases the upper limit is too low: nothing shows that the index is small.
        high=None if sparse else found.high,
        level=found.level,
        statistic=found.chi2,
        df=found.df,
        p_value=found.p_value,
        alternative=None if found.p_value is None else "two-sided",
        method=f"{len(found.table)} bins, Pearson's chi-square, noncentral interval",
        reference="" if expected is None else f"{number(expected)} expected if nothing changed",
        notes=(*((empty,) if empty else ()), BEYOND_CHANCE, *found.notes),
    )


def _of_concentration(found: Concentration) -> Iterator[SheetTest]:
    before = found.initial_effective_grades
    yield SheetTest.of(
        "concentration.effective_grades",
        estimate=found.effective_grades,
        low=found.effective_low,
        high=found.effective_high,
        level=found.level,
        method=f"1/HHI over {found.grades} grades",
        reference="" if before is None else f"{number(before, 2)} before",
        notes=found.notes,
    )
    if found.p_value is not None:
        yield SheetTest.of(
            "concentration.change",
            statistic=found.statistic,
            p_value=found.p_value,
            alternative="concentration has grown",
            method="whether HHI grew; multinomial sampling of both portfolios",
            reference=""
            if found.ecb_p is None
            else f"ECB (2019), 2.5.5.3: {chance_text(found.ecb_p)}, never a gate",
        )


def _of_migration(found: Migration) -> Iterator[SheetTest]:
    for name, value in (("upper", found.mwb_upper), ("lower", found.mwb_lower)):
        way = "to better grades" if name == "upper" else "to worse grades"
        notes = () if value is not None else (f"no case moved {way}",)
        yield SheetTest.of(
            f"migration.{name}",
            estimate=value,
            method=f"matrix weighted bandwidth of moves {way}",
            reference="ECB (2019), 2.5.5.1",
            notes=notes,
        )
    moved = found.moved
    yield SheetTest.of(
        "migration.unchanged",
        estimate=found.unchanged,
        low=None if moved is None else 1 - moved.high,
        high=None if moved is None else 1 - moved.low,
        level=None if moved is None else moved.level,
        method=f"{percent(found.within_one)} within one grade",
        notes=found.notes,
    )
