"""The sections of a validation sheet: the samples, their tests, and what each section shows."""

from __future__ import annotations

import math
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from capcurve.counts import CaseCounts, JointCounts, ScoreCounts
from capcurve.gate.given import counts_alike
from capcurve.inference import (
    Interval,
    Recalibration,
    Test,
    compare_independent,
    confidence_interval,
    detectable_drop,
    monotonicity_test,
    rate_table,
    test_against_initial,
)
from capcurve.inference.comparing import against
from capcurve.inference.independent import spread_of_one
from capcurve.inference.planning import POWER
from capcurve.metrics import Metric, accuracy_ratio, roc_auc, tie_mass
from capcurve.numbers.arguments import renamed
from capcurve.plots.cap import Scale, cap
from capcurve.plots.models import models_of
from capcurve.results import Summary, assess_calibration, summarize
from capcurve.results.findings import MOST_PARTS_NAMED
from capcurve.results.several import (
    orders_of_segments,
    segments_alike,
    undefined_segments,
    unlike_segments,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    chance_text,
    cutoff_text,
    first_of,
    number,
    outward,
    percent,
    plain_names,
    stated_percent,
    statistic,
)
from capcurve.show.table import Table
from capcurve.studies.grades import (
    Concentration,
    Migration,
    Stability,
    adjacent_grades,
    grade_concentration,
    grade_homogeneity_test,
    migration_table,
    population_stability,
)
from capcurve.studies.grades.migration import non_monotone
from capcurve.studies.grades.stability import WhichCases, is_sparse
from capcurve.studies.monitoring import ControlChart, control_chart
from capcurve.studies.monitoring.control_limit import LimitError
from capcurve.studies.unknown import unknown_bounds
from capcurve.studies.validation.given import Given, segment_called
from capcurve.studies.validation.judgement import (
    CHART_TEST,
    HEADLINE_METRICS,
    RANKING,
    SEGMENTS_TEST,
    TEST_KINDS,
    SheetTest,
    favour_text,
    favours_other,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from capcurve.numbers.types import Floats
    from capcurve.show.chart import Chart
    from capcurve.show.presentation import Finding

Found = TypeVar("Found")
ECB_INITIAL, ECB_GRADES = "ECB (2019), 2.5.4", "ECB (2019), 2.5.3"
# What a column of the samples would say that is empty in all of them.
ABSENT = {
    "left_out": "rows left out not recorded",
    "unknown": "no unknown outcomes given",
    "groups_of_clusters": "no clusters",
    "weights": "no weights",
}
TIES = "ties count half, whatever the order of the rows"
BEYOND_CHANCE = (
    "the interval is for the PSI of the two populations; chance adds to that of samples, so that "
    "the value may be above the interval"
)
LOW_IS_GOOD = (
    "a low p-value is good here: it shows that the riskier grade of each pair has more positives"
)
EBA = "EBA handbook, 43 to 47"
RATIO_DIGITS = 3
# Where p-values differ by so little, relatively, they are one.
SAME_P_VALUE = 1e-9


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
    folded
        Tables that say in full what others say in short: folded on the page and not printed.
    front
        The charts, small, on the first page.

    Examples
    --------
    >>> from capcurve import ScoreCounts, validate
    >>> now = ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 3, 9])
    >>> sheet = validate(now, limits={"accuracy_ratio": {"green": 0.6, "red": 0.5}})
    >>> [section.title for section in sheet.sections]
    ['Data', 'Discrimination', 'Grades', 'Stability', 'What the sample can show']
    """

    number: int = 0  # its place on a sheet, which those left out do not take
    title: str
    tests: tuple[SheetTest, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    charts: Sequence[Chart] = ()
    sentences: tuple[str, ...] = ()
    front: Sequence[Chart] = ()


STABILITY = Section(title="Stability")


def _of_test(test_id: str, found: object, **more: Any) -> SheetTest:
    """Return a test of the sheet from a result of this library, with `more` than it has."""
    numbers = ("estimate", "low", "high", "level", "statistic", "df")
    names = (*numbers, "p_value", "p_adjusted", "alternative", "method", "notes")
    known = {name: getattr(found, name) for name in names if hasattr(found, name)}
    return SheetTest.of(test_id, **known | more)


def _undefined(test_id: str, why: object) -> SheetTest:
    """Return a test of the sheet that has no number, and says why."""
    return SheetTest.of(test_id, notes=(str(why),))


def _tried(test_id: str, make: Callable[[], Found], **more: Any) -> tuple[SheetTest, Found | None]:
    """Return a test of the sheet, or why there is none, and what it was made of."""
    try:
        found = make()
    except ValueError as why:
        return _undefined(test_id, why), None
    return _of_test(test_id, found, **more), found


# Sections 3 to 5: how well the score ranks today, against its first validation, and by period


def data(given: Given) -> Section:
    """Return section 3: the samples, how they were counted, and what was left out of them."""
    rows = [_row(role, each) for role, each in given.samples.items() if each is not None]
    if given.partial is not None:
        known = cast("ScoreCounts", given.partial.known)
        rows.append({**_row("with unknown outcomes", known), "unknown": given.partial.unknown.n})
    held = {name: [row[name] for row in rows] for name in rows[0]}
    columns = {
        name: np.array(column, dtype=object)
        for name, column in held.items()
        if any(value is not None for value in column)
    }
    heads = {"tie_mass": "tied", "se_of_auc": "SE of AUC"}
    shown = formed(columns, heads, share="tie_mass", fine="se_of_auc")
    risk = "higher" if given.now.higher_is == "positive" else "lower"
    scale = f"higher score = {risk} risk (more likely {given.now.higher_is}); {TIES}"
    if given.now.levels is not None:
        scale = f"grades, most likely positive first: {', '.join(map(str, given.now.levels))}"
    note = "; ".join([scale, *(ABSENT[name] for name in ABSENT if name not in columns)])
    table = Table("Samples", shown, note)
    if given.periods or given.segments:  # the table of the inputs lists these, too
        return Section(title="Data", folded=(table,))
    return Section(title="Data", tables=(table,))


def _row(role: str, counts: ScoreCounts) -> dict[str, Any]:
    """Return what is known of a sample; of the two that are compared also the error of the AUC."""
    dropped, groups = counts.dropped, counts.groups
    return {
        "sample": role,
        "n": counts.n,
        "positives": counts.n1,
        "negatives": counts.n0,
        "rate": counts.prevalence,
        "left_out": None if dropped is None else dropped.rows,
        "unknown": None,
        "groups_of_clusters": (groups and sum(len(group) > 0 for group in groups)) or None,
        "weights": counts.weight_kind if counts.weights is not None else None,
        "distinct_scores": len(counts),
        "tie_mass": tie_mass(counts) if counts.n1 > 0 and counts.n0 > 0 else None,
        "se_of_auc": _error_of_auc(counts) if role in ("now", "initial") else None,
    }


def _error_of_auc(counts: ScoreCounts) -> float | None:
    """Return the standard error of the AUC; its square is the variance that templates ask for."""
    try:
        return math.sqrt(spread_of_one(counts).variance)
    except ValueError:  # such as a class that is missing
        return None


def discrimination(given: Given) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 4, how well the score ranks today, and what there is to know about it."""
    found = summarize(given.now, name=given.score, level=given.level)
    both = {"now": given.now, "initial": given.initial_counts}
    drawable = {name: each for name, each in both.items() if each and each.n1 and each.n0}
    charts = (cap(models_of(drawable), Scale(), interval=None),) if drawable else ()
    gains = () if found.gains is None else (replace(found.gains, name="Gains"),)
    section = Section(
        title="Discrimination",
        tests=tuple(_headline(found, each) for each in HEADLINE_METRICS.values()),
        sentences=(found.sentence,),
        # Of grades the table of their rates says the same.
        tables=() if given.is_graded else gains,
        folded=gains if given.is_graded else (),
        charts=charts,
        front=charts,
    )
    return section, found.findings


def _headline(found: Summary, metric: Metric) -> SheetTest:
    test_id = f"{RANKING}{metric.name}"
    if found.undefined is not None:
        return _undefined(test_id, found.undefined)
    interval = found.intervals.get(metric.name)
    if interval is not None:
        return _of_test(test_id, interval)
    estimate = found.value(metric.name)
    return SheetTest.of(test_id, estimate=estimate, notes=(found.intervals_undefined or "",))


def against_initial(given: Given) -> tuple[Section, ControlChart | None]:
    """Return section 5: today against the first validation, and the trend since."""
    tests = [*_since_initial(given)]
    chart = None
    if given.periods and given.initial is not None:
        seed = given.seed if given.chart is None else None
        try:
            with renamed(limit="chart"):
                chart = control_chart(
                    given.periods, given.initial, limit=given.chart, seed=seed, level=given.level
                )
        except LimitError as why:  # a mistake of the user's
            raise ValueError(str(why)) from None
        except ValueError as why:
            tests.append(_undefined(CHART_TEST, why))
    section = Section(title="Against the initial validation", tests=tuple(tests))
    if chart is not None:
        shown = chart.presentation()
        section = replace(
            section,
            tests=(*tests, _of_chart(chart)),
            tables=(replace(chart.table, name="Control chart"),),
            charts=shown.charts,
            front=shown.charts[:1],
            sentences=shown.sentences,
        )
    elif given.periods:
        trend = _ratios_of(given.periods, "Periods", "period", given.level)
        section = replace(section, tables=(trend,))
    return section, chart


def _since_initial(given: Given) -> Iterator[SheetTest]:
    """Yield the fall since the initial validation, with its limits, and the ECB's test of it."""
    now, initial = given.now, given.initial
    if initial is None:
        return
    try:
        with warnings.catch_warnings():
            # What it warns of is among the notes.
            warnings.simplefilter("ignore", UserWarning)
            fall = test_against_initial(now, initial, metric="accuracy_ratio")
            value = (1 + initial) / 2 if isinstance(initial, float) else roc_auc(initial)
            ecb = test_against_initial(now, value)
        if isinstance(initial, ScoreCounts):  # as the test beside them, which is one-sided
            found = compare_independent(initial, now, level=given.level, alternative="superior")
            limits = {"low": found.low, "high": found.high}
        else:  # a value that is given is known
            current = confidence_interval(now, accuracy_ratio, level=given.level)
            limits = {"low": initial - current.high, "high": initial - current.low}
    except ValueError as why:
        yield _undefined("initial.drop", why)
        yield _undefined("initial.ecb", why)
        return
    before = initial if isinstance(initial, float) else accuracy_ratio(initial)
    # As the difference of what a reader sees of both: rounded by itself it may be another.
    seen = round(before, RATIO_DIGITS) - round(accuracy_ratio(now), RATIO_DIGITS)
    yield _of_test("initial.drop", fall, **limits, level=given.level, shown=number(seen))
    yield _of_test("initial.ecb", ecb, reference=ECB_INITIAL)


def _of_chart(chart: ControlChart) -> SheetTest:
    """Return the test of the chart: above 1 there is an alarm, in whichever period."""
    reached = np.asarray(chart.table["cusum"], dtype=np.float64)
    highest, last = float(reached.max()), float(reached[-1])
    # Large periods may have a limit of 0.
    beyond = math.inf if highest > 0 else 0.0
    return SheetTest.of(
        CHART_TEST,
        estimate=highest / chart.limit if chart.limit > 0 else beyond,
        statistic=highest,
        alarm=None if chart.alarm is None else plain_names([chart.alarm])[0],
        method=f"{chart.method}; the CUSUM is now {statistic(last)}",
        reference=f"limit {statistic(chart.limit)} for a fall of {chart.drop:g}",
        notes=chart.notes,
    )


def _ratios_of(parts: Mapping[Any, ScoreCounts], name: str, what: str, level: float) -> Table:
    """Return cases and accuracy ratio of each part, NaN where a part lacks a class."""
    rows = []
    for key, counts in parts.items():
        low = ratio = high = float("nan")
        if counts.n1 > 0 and counts.n0 > 0:
            ratio = accuracy_ratio(counts)
            with suppress(ValueError):  # such as weights of which nobody said what they mean
                low, high = confidence_interval(counts, accuracy_ratio, level=level)
        rows.append((segment_called(key), counts.n, counts.n1, ratio, low, high))
    names = (what, "n", "positives", "accuracy_ratio", "low", "high")
    columns = {
        name: np.array(column, dtype=object if place == 0 else None)
        for place, (name, column) in enumerate(zip(names, zip(*rows, strict=True), strict=True))
    }
    return Table(name, formed(columns, ratio="low high"), f"limits at {stated_percent(level)}")


# Sections 6 to 9: grades and their rates, segments, and how the portfolio moves across grades


def grades(given: Given) -> Section:
    """Return section 6: the rate of each grade, neighbours, and whether rates fall."""
    now = given.now
    tests: list[SheetTest] = []
    tables, folded = list[Table](), list[Table]()
    try:
        # The lower limit of a two-sided 90% interval is the one-sided one at 95%.
        rates = rate_table(now, level=2 * given.level - 1)
        tables.append(replace(rates, name="Rates of grades"))
        neighbours = adjacent_grades(now, level=given.level)
    except ValueError as why:
        tests += [_undefined(f"grades.{name}", why) for name in ("neighbours", "reversed")]
    else:
        folded.append(replace(neighbours, name="Neighbouring grades"))
        tests += _of_neighbours(neighbours)
    tests.append(_tried("grades.monotone", lambda: monotonicity_test(now))[0])
    return Section(title="Grades", tests=tuple(tests), tables=tuple(tables), folded=tuple(folded))


def _of_neighbours(table: Table) -> Iterator[SheetTest]:
    """Yield the largest p-value of neighbours that differ and the smallest of reversed ones."""
    # That all differ is shown when each pair is, so that nothing is adjusted; that some pair is
    # reversed is looked for among all of them.
    differ, reversed_ = (np.asarray(table[name]) for name in ("p_value", "p_reversed"))
    if not len(differ):
        for name in ("neighbours", "reversed"):
            yield _undefined(f"grades.{name}", "there is one grade, and so no neighbours")
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
    return np.flatnonzero(np.isclose(p_values, value, rtol=SAME_P_VALUE, atol=0)).tolist()


def _pairs(table: Table, places: Sequence[int]) -> str:
    """Return the names of some pairs of neighbours."""
    grades = [[cutoff_text(table[side][at]) for side in ("riskier", "safer")] for at in places]
    return first_of((" and ".join(pair) for pair in grades), MOST_PARTS_NAMED)


def calibration(given: Given) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 7: whether the PDs are right, of grades and of all cases together."""
    rho = given.asset_correlation
    asked: dict[str, Any] = {"asset_correlation": rho, "level": given.level, "pd": given.pd}
    if given.joint is not None and given.has_own_pds:
        found = assess_calibration(given.joint, score=given.score, **asked)
    else:
        found = assess_calibration(given.now, **asked)
    why, parts, shown = "; ".join(found.notes[:1]), found.decomposition, found.presentation()
    numbers: dict[str, Test | Interval | None] = {
        "calibration.portfolio": found.of_level,
        "calibration.spiegelhalter": found.tests.get("spiegelhalter"),
        "calibration.hosmer_lemeshow": found.tests.get("hosmer_lemeshow"),
        "calibration.observed_expected": found.observed_to_expected,
    }
    tests = [
        _undefined(name, why) if each is None else _of_test(name, each, shown=_level(name, each))
        for name, each in numbers.items()
    ]
    tests += [
        _of_grades(found.grades, "" if found.tests else why),
        _of_slope(found.recalibration, why),
    ]
    part = parts.miscalibration / parts.uncertainty if parts and parts.uncertainty else None
    tests.append(SheetTest.of("calibration.miscalibration", estimate=part, method="CORP, by PAV"))
    section = Section(
        title="Calibration",
        tests=tuple(sorted(tests, key=lambda test: list(TEST_KINDS).index(test.id))),
        tables=shown.tables[:1],
        folded=shown.tables[1:],
        charts=shown.charts,
        sentences=shown.sentences,
        front=shown.charts[:1],
    )
    return section, found.findings


def _level(name: str, found: Test | Interval) -> str:
    """Return the positives that there are against those that the PDs predict, of their test."""
    if name != "calibration.portfolio" or not isinstance(found, Test):
        return ""
    return f"{found.estimates['positives']:,.0f} against {found.estimates['expected']:,.0f}"


def _of_grades(table: Table | None, why: str) -> SheetTest:
    """Return the smallest p-value of the PDs of grades, adjusted for all of them."""
    if table is None:
        return _undefined("calibration.grades", why or "the scores are too many to be grades")
    place = int(np.lexsort((table["p_value"], table["p_adjusted"]))[0])
    return SheetTest.of(
        "calibration.grades",
        p_value=float(table["p_adjusted"][place]),
        alternative="the PD is too low",
        method=f"{table.note}; the smallest is that of {cutoff_text(table['score'][place])}",
        reference=ECB_GRADES,
    )


def _of_slope(found: Recalibration | None, why: str) -> SheetTest:
    """Return Wald's test that the slope is 1."""
    from scipy.special import ndtr

    if found is None or not found.slope.se:
        return _undefined("calibration.slope", why)
    z = (found.slope.estimate - 1) / found.slope.se
    chance = 2 * float(ndtr(-abs(z)))
    more = {"statistic": z, "p_value": chance, "alternative": "two-sided"}
    return _of_test("calibration.slope", found.slope, **more)


def homogeneity(given: Given, whole: Iterable[Finding]) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 8, rates of segments within grades and how well the score ranks in each."""
    # With it comes what there is to know about segments beyond what was found of the `whole`.
    parts, folded = given.segments, []
    told = orders_of_segments(parts, whole)
    many = f"the score has {len(given.now):,} distinct values and no grades"
    graded = _undefined("homogeneity.grades", many)
    if given.is_graded:
        graded, found = _tried(
            "homogeneity.grades", lambda: grade_homogeneity_test(parts), reference=EBA
        )
        if found is not None:
            folded.append(replace(found.table, name="Segments within grades"))
    ranked, alike = _tried(SEGMENTS_TEST, lambda: segments_alike(parts, given.seed))
    if alike is not None and alike.estimate is not None:
        mean = f"the mean of the segments, weighted by precision, {number(alike.estimate)}"
        ranked = replace(ranked, reference=mean)
    if alike is not None:
        told += unlike_segments(alike)
    section = Section(
        title="Homogeneity and segments",
        tests=(graded, ranked),
        tables=(_ratios_of(parts, "Segments", "segment", given.level),),
        folded=tuple(folded),
    )
    return section, (*told, *undefined_segments(parts))


def stability(given: Given) -> Section:
    """Return section 9: the portfolio against the earlier one, its concentration, and migration."""
    parts = [STABILITY if given.earlier is None else _shifted(given, given.earlier)]
    if given.is_graded:
        kept = grade_concentration(given.now, given.earlier, level=given.level)
        table = replace(kept.table, name="Concentration over grades")
        # The shares before and now say the same as the concentration.
        held: dict[str, Any] = {"folded" if parts[0].folded else "tables": (table,)}
        parts.append(replace(STABILITY, tests=tuple(_of_concentration(kept)), **held))
    if given.joint is not None and given.moves is not None:
        parts.append(_migrated(given, given.joint, *given.moves))
    names = ("tests", "tables", "folded", "charts", "sentences")
    joined: dict[str, Any] = {
        name: tuple(chain.from_iterable(getattr(part, name) for part in parts)) for name in names
    }
    return replace(STABILITY, **joined)


def _shifted(given: Given, earlier: ScoreCounts | CaseCounts) -> Section:
    """Return how far the portfolio, and each class where outcomes are known, has moved."""
    section, tests = STABILITY, []
    known: tuple[WhichCases, ...] = ("cases", "positives", "negatives")
    for of in known[:1] if isinstance(earlier, CaseCounts) else known:
        name = "psi" if of == "cases" else f"psi_{of}"
        try:
            found = population_stability(earlier, given.now, of=of, level=given.level)
        except ValueError as why:
            tests.append(_undefined(f"stability.{name}", why))
            continue
        tests.append(_of_stability(name, found))
        if of == "cases":
            shown = found.presentation()
            section = replace(
                section,
                folded=(replace(found.table, name="Shares of cases, before and now"),),
                charts=tuple(shown.charts),
                sentences=tuple(shown.sentences[:1]),
            )
    return replace(section, tests=tuple(tests))


def _migrated(given: Given, joint: JointCounts, start: str, end: str) -> Section:
    """Return how the cases moved between grades, and whether they did so step by step."""
    moved = migration_table(joint, start, end, outside=given.outside)
    farther = non_monotone(moved)
    cells = replace(moved.cells, name="All cells of the migration, each against its neighbour")
    table = replace(moved.table, name=f"Migration from {start} to {end}")
    return replace(
        STABILITY,
        tests=tuple(_of_migration(moved)),
        tables=(table, farther) if len(farther) else (table,),
        folded=(cells,),
        sentences=tuple(moved.presentation().sentences[:1]),
    )


def _of_stability(name: str, found: Stability) -> SheetTest:
    empty = f"empty on one side: {', '.join(map(str, found.empty))}" if found.empty else ""
    if empty and found.psi_half is not None:
        empty += f"; with half a case added to every count the PSI is {number(found.psi_half)}"
    expected = found.expected_if_unchanged
    sparse = found.low is not None and is_sparse(found.table["before"], found.table["after"])
    return _of_test(
        f"stability.{name}",
        found,
        estimate=found.psi,
        # Of few cases the upper limit is too low, and no limit holds an infinite index: nothing
        # shows that it is small.
        high=None if sparse or found.empty else found.high,
        statistic=found.chi2,
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
        yield SheetTest.of(
            f"migration.{name}",
            estimate=value,
            method=f"matrix weighted bandwidth of moves {way}",
            reference="ECB (2019), 2.5.5.1",
            notes=() if value is not None else (f"no case moved {way}",),
        )
    moved = found.moved
    yield SheetTest.of(
        "migration.unchanged",
        estimate=found.unchanged,
        low=None if moved is None else 1 - moved.high,
        high=None if moved is None else 1 - moved.low,
        level=None if moved is None else moved.level,
        method=f"{percent(found.within_one)} moved at most one notch",
        notes=found.notes,
    )


# Sections 9 and 10: overrides and challengers, and what the sample can show at all


def alternatives(given: Given, joint: JointCounts) -> Section:
    """Return section 10: overrides of the grade, and other scores of the same cases."""
    tests: list[SheetTest] = []
    tables, folded = list[Table](), list[Table]()
    if (final := given.final) is not None:
        moved = migration_table(joint, given.score, final)
        ranked, _ = _tried(
            "overrides.ranking", lambda: against(joint, final, [given.score], given.level)[0]
        )
        tests += [*_overridden(moved), ranked]
        tables += [replace(moved.table, name=f"Overrides, from {given.score} to {final}")]
        folded += [replace(moved.moves, name="Overrides by their direction")]
    tests += _challengers(given, joint)
    better = filter(favours_other, tests)
    return Section(
        title="Overrides and challengers",
        tests=tuple(tests),
        tables=tuple(tables),
        folded=tuple(folded),
        sentences=tuple(favour_text(test, given.score, final) for test in better),
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
            yield _of_test(test_id, share, reference=said)


def _challengers(given: Given, joint: JointCounts) -> Iterator[SheetTest]:
    """Yield the score less each challenger, with limits and p-values that hold for all of them."""
    names = given.challengers
    try:
        pairs = against(joint, given.score, names, given.level)
    except ValueError as why:
        yield from (_undefined(f"challenger.{name}", why) for name in names)
        return
    for name, pair in zip(names, pairs, strict=True):
        yield _of_test(f"challenger.{name}", pair)


def prospects(given: Given) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 11: which fall the sample would show, and bounds for unknown outcomes."""
    section = Section(title="What the sample can show", tests=(_detectable(given),))
    if given.partial is None:
        return section, ()
    bounds = partial(unknown_bounds, given.partial, level=given.level)
    bounded, found = _tried("unknown.accuracy_ratio", bounds)
    if found is None:
        return replace(section, tests=(*section.tests, bounded)), ()
    shown = found.presentation()
    bounded = replace(
        bounded,
        estimate=found.known_only,
        low=found.low_limit,
        high=found.high_limit,
        method=f"bounds {' to '.join(outward(found.low, found.high))} whatever the outcomes, with "
        "one-sided DeLong limits at their ends",
    )
    section = replace(
        section,
        tests=(*section.tests, bounded),
        tables=shown.tables,
        charts=shown.charts,
        sentences=shown.sentences[:1],
    )
    return section, found.findings


def _detectable(given: Given) -> SheetTest:
    """Return the fall of the accuracy ratio that a sample of today's size would show."""
    now = given.now
    if not counts_alike(now):
        return _undefined("power.detectable_drop", "weighted cases have no known number")
    if not (now.n1 > 0 and now.n0 > 0):
        return _undefined("power.detectable_drop", "it needs positives and negatives")
    try:
        initial = given.initial_counts
        versus, sizes = given.initial, None
        if not isinstance(versus, float):
            versus = accuracy_ratio(now if initial is None else initial)
        if initial is not None:  # whose own chance matters
            sizes = int(initial.n1), int(initial.n0)
        found = detectable_drop(
            int(now.n1), int(now.n0), versus, alpha=1 - given.level, initial=sizes
        )
    except ValueError as why:
        return _undefined("power.detectable_drop", why)
    return SheetTest.of(
        "power.detectable_drop",
        estimate=found,
        method=f"shown in {stated_percent(POWER)} of samples of this size, one-sided",
        reference=f"from {number(versus)}",
        notes=("clusters are not taken into account",) if now.groups is not None else (),
    )
