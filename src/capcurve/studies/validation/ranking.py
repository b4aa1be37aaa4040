"""How well the score ranks today, against its first validation, and period by period."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.inference import compare_independent, confidence_interval, test_against_initial
from capcurve.inference.comparing import spread_of_one
from capcurve.metrics import accuracy_ratio, roc_auc, tie_mass
from capcurve.plots.cap import Scale, cap
from capcurve.plots.models import models_of
from capcurve.results import summarize
from capcurve.show.format import stated_percent, statistic
from capcurve.show.table import Table
from capcurve.studies.monitoring import control_chart
from capcurve.studies.monitoring.limits import LimitError
from capcurve.studies.validation.given import called, clusters_of
from capcurve.studies.validation.records import Section, SheetTest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.counts import ScoreCounts
    from capcurve.inference import Interval, Test
    from capcurve.results import Summary
    from capcurve.show.finding import Finding
    from capcurve.studies.monitoring import ControlChart
    from capcurve.studies.validation.given import Given

ECB_INITIAL = "ECB (2019), 2.5.4"
# What a column of the samples would say that is empty in all of them.
ABSENT = {
    "left_out": "no account of rows left out",
    "unknown": "no unknown outcomes given",
    "groups_of_clusters": "no clusters",
    "weights": "no weights",
}
DISCRIMINATION = ("accuracy_ratio", "roc_auc", "ks")


def of_interval(test_id: str, found: Interval, **more: Any) -> SheetTest:
    """Return a test of the sheet that is an estimate with its limits."""
    return SheetTest.of(
        test_id,
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        level=found.level,
        **{"method": found.method, "notes": found.notes, **more},
    )


def of_test(test_id: str, found: Test, **more: Any) -> SheetTest:
    """Return a test of the sheet from a test of this library."""
    names = ("estimate", "low", "high", "level", "statistic", "df")
    names_of_p = ("p_value", "p_adjusted", "alternative", "method", "notes")
    numbers = {name: getattr(found, name) for name in (*names, *names_of_p)}
    return SheetTest.of(test_id, **{**numbers, **more})


def undefined(test_id: str, why: str) -> SheetTest:
    """Return a test of the sheet that has no number, and says why."""
    return SheetTest.of(test_id, notes=(why,))


def data(given: Given) -> Section:
    """Return section 3: the samples, how they were counted, and what was left out of them."""
    samples = {"now": given.now}
    if given.initial_counts is not None:
        samples["initial"] = given.initial_counts
    samples |= {f"period {called(name)}": counts for name, counts in given.periods.items()}
    samples |= {f"segment {called(name)}": counts for name, counts in given.segments.items()}
    rows = [_row(role, counts) for role, counts in samples.items()]
    if given.partial is not None:
        unknown = given.partial.unknown.n
        known = cast("ScoreCounts", given.partial.known)
        rows.append({**_row("with unknown outcomes", known), "unknown": unknown})
    held = {name: [row[name] for row in rows] for name in rows[0]}
    columns = {
        name: np.array(column, dtype=object)
        for name, column in held.items()
        if any(value is not None for value in column)
    }
    note = "; ".join([_scale(given), *(ABSENT[name] for name in ABSENT if name not in columns)])
    return Section(number=3, title="Data", tables=(Table("Samples", columns, note),))


def _row(role: str, counts: ScoreCounts) -> dict[str, Any]:
    """Return what is known of a sample; of the two that are compared also the error of the AUC."""
    dropped = counts.dropped
    return {
        "sample": role,
        "n": counts.n,
        "positives": counts.n1,
        "negatives": counts.n0,
        "rate": counts.prevalence,
        "left_out": None if dropped is None else dropped.rows,
        "unknown": None,
        "groups_of_clusters": clusters_of(counts) or None,
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


def _scale(given: Given) -> str:
    now = given.now
    if now.levels is not None:
        named = ", ".join(map(str, now.levels))
        return f"grades, most likely positive first: {named}"
    return (
        "a higher score makes a case more likely "
        f"{now.higher_is}; ties count half, whatever the order of the rows"
    )


def discrimination(given: Given) -> tuple[Section, tuple[Finding, ...]]:
    """Return section 4, how well the score ranks today, and what there is to know about it."""
    found = summarize(given.now, name=given.score, level=given.level)
    samples = {"now": given.now}
    if given.initial_counts is not None:
        samples["initial"] = given.initial_counts
    drawable = {name: counts for name, counts in samples.items() if counts.n1 and counts.n0}
    charts = (cap(models_of(drawable), Scale(), interval=None),) if drawable else ()
    return (
        Section(
            number=4,
            title="Discrimination",
            tests=tuple(_headline(found, name) for name in DISCRIMINATION),
            sentences=(found.sentence,),
            tables=() if found.gains is None else (replace(found.gains, name="Gains"),),
            charts=charts,
            front=charts,
        ),
        found.findings,
    )


def _headline(found: Summary, name: str) -> SheetTest:
    test_id = f"discrimination.{name}"
    if found.undefined is not None:
        return undefined(test_id, found.undefined)
    interval = found.intervals.get(name)
    if interval is not None:
        return of_interval(test_id, interval)
    value = getattr(found, name)
    estimate = value.statistic if name == "ks" else value
    return SheetTest.of(test_id, estimate=estimate, notes=(found.intervals_undefined or "",))


def against_initial(given: Given) -> tuple[Section, ControlChart | None]:
    """Return section 5: today against the first validation, and the trend since."""
    tests = [*_since_initial(given)]
    chart = None
    if given.periods and given.initial is not None:
        try:
            chart = _chart(given, given.initial)
        except LimitError as why:  # a mistake of the user's
            raise ValueError(str(why).replace("limit=", "chart=")) from None
        except ValueError as why:
            tests.append(undefined("monitoring.chart", str(why)))
    tables: list[Table] = [_trend(given)] if given.periods and chart is None else []
    sentences: tuple[str, ...] = ()
    charts: tuple[Any, ...] = ()
    if chart is not None:
        shown = chart.presentation()
        tests.append(_of_chart(chart))
        tables += [chart.table]
        sentences, charts = shown.sentences, shown.charts
    return (
        Section(
            number=5,
            title="Against the initial validation",
            tests=tuple(tests),
            tables=tuple(tables),
            charts=charts,
            front=charts[:1],
            sentences=sentences,
        ),
        chart,
    )


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
        low, high = _limits_of_fall(given)
    except ValueError as why:
        yield undefined("initial.drop", str(why))
        yield undefined("initial.ecb", str(why))
        return
    yield of_test("initial.drop", fall, low=low, high=high, level=given.level)
    yield of_test("initial.ecb", ecb, reference=ECB_INITIAL)


def _limits_of_fall(given: Given) -> tuple[float | None, float | None]:
    """Return the limits of initial less current; an initial value that is given is known."""
    initial = given.initial_counts
    if initial is not None:
        found = compare_independent(initial, given.now, level=given.level)
        return found.low, found.high
    current, known = _ratio(given.now, given.level), cast("float", given.initial)
    return known - current.high, known - current.low


def _ratio(counts: ScoreCounts, level: float) -> Interval:
    return confidence_interval(counts, "accuracy_ratio", level=level)


def _chart(given: Given, initial: ScoreCounts | float) -> ControlChart:
    seed = given.seed if given.chart is None else None
    return control_chart(given.periods, initial, limit=given.chart, seed=seed, level=given.level)


def _over(reached: float, limit: float) -> float:
    """Return a value of the chart over its limit, which large periods may have at 0."""
    if limit > 0:
        return reached / limit
    return math.inf if reached > 0 else 0.0


def _of_chart(chart: ControlChart) -> SheetTest:
    """Return the test of the chart: above 1 there is an alarm, in whichever period."""
    reached = np.asarray(chart.table["cusum"], dtype=np.float64)
    highest, last = float(reached.max()), float(reached[-1])
    return SheetTest.of(
        "monitoring.chart",
        estimate=_over(highest, chart.limit),
        statistic=highest,
        method=f"{chart.method}; C is now {statistic(last)}",
        reference=f"limit {statistic(chart.limit)} for a fall of {chart.drop:g}",
        notes=chart.notes,
    )


def _trend(given: Given) -> Table:
    """Return the accuracy ratio of each period, where no initial one is there to compare with."""
    return ratios_of(given.periods, "Periods", "period", given.level)


def ratios_of(parts: Mapping[Any, ScoreCounts], name: str, what: str, level: float) -> Table:
    """Return cases and accuracy ratio of each part, NaN where a part lacks a class."""
    rows = []
    for key, counts in parts.items():
        low = ratio = high = float("nan")
        if counts.n1 > 0 and counts.n0 > 0:
            ratio = accuracy_ratio(counts)
            try:
                found = _ratio(counts, level)
                low, high = found.low, found.high
            except ValueError:  # such as weights of which nobody said what they mean
                pass
        rows.append((called(key), counts.n, counts.n1, ratio, low, high))
    names = (what, "n", "positives", "accuracy_ratio", "low", "high")
    columns = {
        name: np.array(column, dtype=object if place == 0 else None)
        for place, (name, column) in enumerate(zip(names, zip(*rows, strict=True), strict=True))
    }
    return Table(name, columns, f"limits at {stated_percent(level)}")
