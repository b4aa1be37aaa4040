"""Findings about a control chart: what to do after an alarm, and what a chart cannot see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.sizes import groups_per_class
from capcurve.show.finding import Finding, gravest_first
from capcurve.show.format import counted, listed, number, plain_names, stated_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.studies.monitoring.records import Monitored
    from capcurve.studies.monitoring.samples import Initial, Periods

# With fewer cases of a class the accuracy ratio of a single period says little.
FEW = 10
# A period that varies by less than this part of the drop alarms from about half the drop on.
SMALL_PART = 0.25
MOST_NAMED = 5
INDEPENDENT = (
    "Periods are taken as independent of each other and of the initial sample. Overlapping windows "
    "and obligors that recur raise more false alarms than stated; count with cluster= then."
)
CLUSTERED = (
    "Periods vary together as leaving out groups of clusters from all of them at once shows; the "
    "normal law is taken for that."
)
APART = (
    "The initial sample was counted without clusters, and is taken as independent of the periods."
)
VALUE_ALONE = (
    "Of the initial sample only its accuracy ratio is known: how chance moves it is simulated from "
    "the periods that the limit is made from. Store the limit, or it changes with each new period."
)
KNOWN = (
    "The initial value is taken as known. If it was estimated, false alarms are more frequent than "
    "stated: 12% in place of 5% for one found on 500 positives and 24 months of 30. Pass the "
    "counts, or the sizes of the initial sample."
)
NOT_SET_BACK = "After an alarm C is not set back to 0."


def findings_of(chart: Monitored, periods: Periods) -> tuple[Finding, ...]:
    """Return what there is to know about a chart, the gravest first."""
    return gravest_first(
        [
            *_about_alarm(chart),
            *_about_horizon(chart),
            *_about_order(periods),
            *_about_rows(periods),
            *_about_classes(chart),
            *_about_small(chart),
            *_about_large(chart),
            *_about_groups(periods),
        ]
    )


def notes_on(chart: Monitored, periods: Periods, initial: Initial) -> tuple[str, ...]:
    """Return what a chart takes for granted."""
    found = [CLUSTERED if periods.clustered else INDEPENDENT]
    if initial.counts is None:
        found.append(VALUE_ALONE)
    elif periods.clustered and initial.counts.groups is None:
        found.append(APART)
    if initial.sizes is None:
        found.append(KNOWN)
    if chart.alarmed:
        found.append(NOT_SET_BACK)
    return tuple(found)


def _about_alarm(chart: Monitored) -> Iterator[Finding]:
    if not chart.alarmed or chart.run_mean is None:
        return
    start, end = (plain_names([name])[0] for name in (chart.run_start, chart.alarm))
    when = f"in {end}" if start == end else f"from {start} to {end}"
    yield Finding(
        "alarm",
        "warning",
        f"the accuracy ratio was {number(chart.run_mean)} {when}, {number(chart.initial_ar)} "
        f"initially; {_false_alarms(chart)}",
        "find out whether the model or the portfolio changed: compare these periods with the "
        "initial sample by the population stability index of the positives and of the negatives, "
        "and by attribute_change",
    )


def _false_alarms(chart: Monitored) -> str:
    """Return how often there is an alarm without a fall."""
    if chart.alarms is None or chart.horizon is None:
        return "how often an unchanged score raises an alarm is not known for this limit"
    often, horizon = stated_percent(chart.alarms), counted(chart.horizon, "period")
    return f"an unchanged score raises an alarm in {often} of series of {horizon}"


def _about_horizon(chart: Monitored) -> Iterator[Finding]:
    given = len(chart.table)
    if chart.horizon is None or given <= chart.horizon:
        return
    share = "" if chart.alarms is None else f" to {stated_percent(chart.alarms)}"
    yield Finding(
        "horizon_used_up",
        "warning",
        f"the limit keeps false alarms{share} within {counted(chart.horizon, 'period')}, and there "
        f"are {given}",
        "begin a new chart: validate the model again, and make a new limit for the periods to come",
    )


def _about_order(periods: Periods) -> Iterator[Finding]:
    """Warn where periods that sort as time does stand in another order."""
    keys = list(periods.counts)
    text = [isinstance(key, str) for key in keys]
    if any(text) and not all(isinstance(key, str) and key[:4].isdigit() for key in keys):
        return
    try:
        in_order = keys == sorted(keys)
    except TypeError:  # of several types
        return
    if not in_order:
        yield Finding(
            "order",
            "warning",
            "the periods do not stand in ascending order, and a chart adds them up as they come",
            "pass them in order of time",
        )


def _about_rows(periods: Periods) -> Iterator[Finding]:
    if periods.without:
        yield Finding(
            "without_period",
            "warning",
            f"{counted(periods.without, 'case')} without a period left out",
            "fill in when these cases were observed",
        )


def _about_classes(chart: Monitored) -> Iterator[Finding]:
    lacking = np.isnan(chart.table["accuracy_ratio"])
    if lacking.any():
        yield Finding(
            "without_a_class",
            "info",
            f"no accuracy ratio in {_named(chart, lacking)}, for lack of positives or of "
            "negatives: C stays where it was",
            "put periods together if there are many of these",
        )


def _about_small(chart: Monitored) -> Iterator[Finding]:
    cases = np.minimum(chart.table["n1"], chart.table["n0"])
    small = (cases > 0) & (cases < FEW)
    if small.any():
        yield Finding(
            "small_periods",
            "info",
            f"fewer than {FEW} positives or negatives in {_named(chart, small)}",
            "judge by the chart, which adds periods up, and not by single accuracy ratios",
        )


def _about_large(chart: Monitored) -> Iterator[Finding]:
    table = chart.table
    half = (table["high"] - table["low"])[~np.isnan(table["high"])] / 2
    if len(half) and float(np.median(half)) <= 2 * SMALL_PART * chart.drop:
        yield Finding(
            "tolerance",
            "info",
            f"periods are so large that a lasting fall beyond about {chart.drop / 2:g}, half "
            "of drop, leads to an alarm",
            "set drop to twice the fall that matters",
        )


def _about_groups(periods: Periods) -> Iterator[Finding]:
    """Warn where few groups of clusters tell how clustered periods vary."""
    if not periods.clustered:
        return
    held = min(groups_per_class(each.every_score()).rarer for each in periods.known)
    if held < FEW:
        yield Finding(
            "few_groups",
            "warning",
            f"in some periods only {held:g} groups of clusters hold the rarer class, so the limit "
            "is rough",
            "put periods together, such as months into quarters",
        )


def _named(chart: Monitored, which: np.ndarray) -> str:
    return listed(plain_names(chart.table["period"][which].tolist()), MOST_NAMED)
