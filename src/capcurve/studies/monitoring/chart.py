"""control_chart: whether the accuracy ratio fell below its initial value, period after period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.gate.taking import taking_segments
from capcurve.inference import confidence_interval
from capcurve.inference.designs import groups_per_class, require_rows
from capcurve.inference.planning import drop_if_detectable
from capcurve.metrics import accuracy_ratio
from capcurve.numbers.arguments import arg, as_number, as_open_share, as_whole, refused, told
from capcurve.numbers.plain import plain
from capcurve.results.findings import MOST_PARTS_NAMED, looking_reversed
from capcurve.show.chart import (
    REFERENCE_DASHES,
    Axis,
    Chart,
    Line,
    Marker,
    Style,
    across_periods,
    along_periods,
    dotted,
    marks,
    period_ticks,
    whiskers,
)
from capcurve.show.columns import formed
from capcurve.show.elements import LIGHT_SIGNS
from capcurve.show.format import counted, listed, number, plain_names, stated_percent, statistic
from capcurve.show.presentation import Figure, Finding, Presentation, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.monitoring.control_limit import (
    CHART_REPLICATES,
    LARGEST_SEED,
    MOST_PERIODS,
    ControlLimit,
    Initial,
    Periods,
    as_initial,
    as_limit,
    as_periods,
    cusum_of,
    simulated_limit,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.counts import Ranking
    from capcurve.numbers.types import Bools, Floats

# Left out, the seed is always this one: the same counts must give the same verdict again.
SEED = 1
INITIAL = "the initial sample"
OTHER_SCORE = "check that it has the same score, in the same direction, as today's sample"
# With fewer cases of a class the accuracy ratio of a single period says little.
FEW_IN_A_PERIOD = 10
# A period that varies by less than this part of the drop alarms from about half the drop on.
SMALL_PART = 0.25
PERIODS_INDEPENDENT = (
    "The chart assumes independent periods. If the same borrowers recur, pass their id as the "
    "cluster; otherwise false alarms are more frequent."
)
PERIODS_OF_CLUSTERS = (
    "The chart allows for clusters that recur: a jackknife shows how periods vary together, and "
    "the limit assumes the normal law."
)
INITIAL_APART = (
    "The initial sample was counted without clusters. The chart assumes that it is independent of "
    "the periods."
)
VALUE_ALONE = (
    "Only the accuracy ratio of the initial sample is known. The limit is simulated from the "
    "periods themselves and changes with each new one: store it."
)
INITIAL_KNOWN = (
    "The initial value is taken as exact. If it is an estimate, false alarms are more frequent: "
    "12% instead of 5% for 500 positives and 24 months of 30. Pass the counts, or the sizes of the "
    "initial sample."
)
NOT_SET_BACK = "After an alarm the CUSUM does not return to 0."
RED = LIGHT_SIGNS["red"][1]
# What y has beyond what is drawn, as a share of its length.
ROOM_ABOVE_AND_BELOW = 0.08
LEAST_CHART_LENGTH = 1e-3
CUSUM_MEANING = (
    "The CUSUM adds up how far the accuracy ratio is below its initial value minus {half} (half of "
    "the fall looked for), scaled by the variance of each period. It never falls below 0."
)
GIVEN_LIMIT = "The limit was given as a number."
ON_LIMIT = "A score that ranks as before exceeds the limit in {often} of series of {horizon}."
ON_TABLE = "alarm: the CUSUM is above its limit"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ControlChart(Result):
    """The CUSUM control chart of the accuracy ratio, judged over all periods together.

    Attributes
    ----------
    initial_ar
        The accuracy ratio of the initial sample.
    initial_sizes
        Its positives and negatives; None for a value known without error.
    drop
        The fall that the chart looks for.
    limit
        The chart alarms where its cumulative sum (CUSUM) is above this.
    alarms
        How often an unchanged score raises any alarm within the horizon; None where that is not
        known of a limit that was given.
    horizon
        The number of periods that the limit is for, or None.
    level
        Confidence level of the limits of each accuracy ratio.
    table
        A row per period: n, n1 and n0, the accuracy ratio with its limits, the CUSUM (`cusum`),
        and whether it is above the limit (`alarm`).
    alarm
        The first period in alarm, or None.
    run_start
        The most likely start of the fall, or None: of the periods since the CUSUM was last 0, the
        one from which up to the alarm the accuracy ratio is most standard errors too low.
    run_mean
        The accuracy ratio from there up to the alarm: the mean weighted by precision, or None.
    alarmed
        Whether there is an alarm in any period.
    detectable
        The true fall below the initial value that a single period of mean size shows, with a
        probability of 80%, in a test at 5%; None where none is shown, and for clustered counts.
    method
        How the limit was found.
    saved_limit
        The limit and what it is for, as plain values; `limit=` takes it back, so that the verdicts
        on earlier periods stay.
    findings
        What a careful reader would notice.
    notes
        What the chart takes for granted.
    """

    _added = ("alarmed", "sentence")
    _as_rows = frozenset({"table"})
    _renamed = (("table", "periods"),)

    initial_ar: float
    initial_sizes: tuple[int, int] | None
    drop: float
    limit: float
    alarms: float | None
    horizon: int | None
    level: float
    table: Table
    alarm: Any
    run_start: Any
    run_mean: float | None
    detectable: float | None
    method: str
    saved_limit: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def alarmed(self) -> bool:
        """Whether the chart went above its limit in any period."""
        return self.alarm is not None

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        said, cases = np.where(self.table["alarm"], "alarm", ""), int(self.table["n"].sum())
        table = replace(self.table, columns={**self.table.columns, "alarm": said}, note=ON_TABLE)
        meaning = CUSUM_MEANING.format(half=f"{self.drop / 2:g}")
        return Presentation(
            title="Control chart of the accuracy ratio",
            sentences=(verdict(self), *_since(self)),
            light="red" if self.alarmed else "green",
            source=f"{counted(len(self.table), 'period')} of {counted(cases, 'case')}",
            figures=tuple(_figures(self)),
            level=self.level,
            findings=tuple(each for each in self.findings if each.code != "alarm"),
            charts=(_chart_of_sums(self), _chart_of_ratios(self)),
            tables=(table,),
            notes=(meaning, f"Method: {self.method}.", *self.notes),
        )


@taking_segments
def control_chart(
    periods: Mapping[Any, Ranking],
    initial: Any,
    *,
    drop: float | None = None,
    alarms: float | None = None,
    horizon: int | None = None,
    limit: Any = None,
    seed: int | None = None,
    level: float = 0.95,
) -> ControlChart:
    """Return the CUSUM control chart of the accuracy ratio, with few false alarms over all periods.

    Parameters
    ----------
    periods
        Counts by period, as `count_segments` returns them. Their names are read in time, such as
        2024-03, Mar-2024 or 31.03.2024; plain numbers are in the order given. A period without
        positives or without negatives leaves the chart where it is.
    initial
        Counts of the initial sample. Or its accuracy ratio with its positives and negatives,
        such as (0.6, 500, 9500); or the accuracy ratio alone, which is then taken as known.
        How chance moves the ratio is then taken from all periods together, with scores on one
        scale, so that the limit depends on the periods it is made from.
    drop
        The fall of the accuracy ratio to look for; 0.05 when left out, or that of a stored limit.
        With large periods it is a tolerance: a lasting fall beyond about half of it alarms.
    alarms
        How often an unchanged score may raise any alarm within the horizon; 0.05 when left out.
    horizon
        For how many periods the limit is to hold, those given among them; those when left out.
        Further ones are taken to have the mean size.
    limit
        `saved_limit` of an earlier chart of the same initial sample, or a number. Left out, the
        limit is found by simulation.
    seed
        A whole number with which the simulation begins. Left out, always the same one.
    level
        Confidence level of the limits of the accuracy ratio in each period.

    Raises
    ------
    ValueError, TypeError
        Without a period that has both classes, for weighted counts, samples that were counted in
        different ways, a stored limit of another sample, more than 20 clustered periods, or a
        value alone and fewer than two cases of a class in all periods.

    Notes
    -----
    C = max(0, C + drop·(initial - AR - drop/2)/v), the CUSUM of Page (1954), Biometrika 41, with
    v = 4·(s1²/n1 + s0²/n0) from the placement variances of the initial sample and the sizes of the
    period. The limit is the (1 - alarms) quantile of the highest C in 4,000 series, each of an
    initial sample and periods drawn from the initial sample's cells. Clustered periods are
    drawn from the normal law that leaving out groups of clusters gives them. C is not set back
    after an alarm.

    Without counts of an initial sample v takes scores as normal with equal variances, and series
    are drawn from the cells of all periods together, about the accuracy ratio of these cells.
    Where it is above the initial value, a share 1 - AUC/(AUC of the periods) of the rarer class
    is first moved to the worst place, beyond all of the other class, so that both are equal.
    Otherwise periods that happen to contain few badly ranked cases would set the limit too low.

    Examples
    --------
    The accuracy ratio was 1/2 with s1² = s0² = 1/8, and v = 4·(1/16 + 1/16) = 1/2. Then it is 0,
    so C = 0.1·(0.5 - 0 - 0.05)/0.5 = 0.09.

    >>> from capcurve import count_scores
    >>> initial = count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> now = count_scores([1, 0, 0, 1], [4, 3, 2, 1])
    >>> chart = control_chart({"2024": now}, initial, drop=0.1, limit=2.5)
    >>> chart.table["cusum"].round(12).tolist(), chart.alarmed
    ([0.09], False)
    """
    sample = as_initial(initial)
    parts = as_periods(periods, sample)
    asked = {
        "drop": None if drop is None else _as_drop(drop),
        "alarms": None if alarms is None else as_open_share(alarms, "alarms"),
        "horizon": None if horizon is None else as_whole(horizon, "horizon", 1, MOST_PERIODS),
    }
    level = as_open_share(level, "level")
    if limit is None:
        seed = SEED if seed is None else as_whole(seed, "seed", 0, LARGEST_SEED)
        known = simulated_limit(sample, parts, asked, seed)
        how = "jackknife over groups of clusters" if parts.clustered else "simulated samples"
        method = f"{how}, {CHART_REPLICATES:,} series"
    else:
        if seed is not None:
            raise ValueError(
                f"seed makes a limit, and {arg('limit')} gives one; leave one of the two out"
            )
        known, method = as_limit(limit, sample, asked), "limit as given"
    found = _charted(sample, parts, known, level, method)
    findings = gravest_first(_findings(found, parts, sample))
    return replace(found, findings=findings, notes=tuple(_notes(found, parts, sample)))


def _as_drop(given: Any) -> float:
    drop = as_number(given, "drop")
    if not 1e-6 <= drop < 1:  # noqa: PLR2004 - its square is a float
        raise ValueError(
            f"{refused('drop')} be a fall of the accuracy ratio below 1, got {told(given)}"
        )
    return drop


def _charted(
    initial: Initial, periods: Periods, known: ControlLimit, level: float, method: str
) -> ControlChart:
    """Return the chart without its findings and notes."""
    counts = list(periods.counts.values())
    sizes = {
        name: np.array([int(getattr(c, name)) for c in counts], np.int64)
        for name in ("n", "n1", "n0")
    }
    variances = np.array([initial.variance(int(c.n1), int(c.n0)) for c in counts])
    found = zip(*(_ratio(each, level) for each in counts), strict=True)
    ratios, low, high = (np.array(column) for column in found)
    cusum = cusum_of(ratios, initial.ratio, variances, known.drop)
    names = label_column(map(plain, periods.counts))
    columns = {"period": names, **sizes, "accuracy_ratio": ratios, "low": low, "high": high}
    columns |= {"cusum": cusum, "alarm": cusum > known.limit}
    shown = formed(columns, {"cusum": "CUSUM"}, ratio="low high", statistic="cusum")
    start = alarm = mean = detectable = None
    if run := _run(cusum, known.limit, (initial.ratio - ratios) / variances, 1 / variances):
        start, alarm = plain(names[run[0]]), plain(names[run[1] - 1])
        seen = np.arange(*run)[~np.isnan(ratios[slice(*run)])]
        mean = float(np.average(ratios[seen], weights=1 / variances[seen]))
    if not periods.clustered:
        detectable = drop_if_detectable(*periods.mean_size, initial.ratio, initial=initial.sizes)
    return ControlChart(
        initial_ar=initial.ratio,
        initial_sizes=initial.sizes,
        **{name: getattr(known, name) for name in ("drop", "limit", "alarms", "horizon")},
        level=level,
        table=Table("Accuracy ratio and control chart by period", shown),
        alarm=alarm,
        run_start=start,
        run_mean=mean,
        detectable=detectable,
        method=method,
        saved_limit=known.to_dict(),
    )


def _ratio(counts: Ranking, level: float) -> tuple[float, float, float]:
    """Return the accuracy ratio of a period with its limits; NaN without a class."""
    require_rows(counts)
    if not (counts.n1 > 0 and counts.n0 > 0):
        return np.nan, np.nan, np.nan
    limits = confidence_interval(counts, accuracy_ratio, level=level)
    return accuracy_ratio(counts), limits.low, limits.high


def _run(cusum: Floats, limit: float, lost: Floats, weight: Floats) -> tuple[int, int] | None:
    """Return where the fall most likely began, and where the first alarm is, one beyond it."""
    above = np.flatnonzero(cusum > limit)
    if not len(above):
        return None
    alarm = int(above[0])
    zeros = np.flatnonzero(cusum[:alarm] == 0)
    first = int(zeros[-1]) + 1 if len(zeros) else 0
    seen = np.arange(first, alarm + 1)[~np.isnan(lost[first : alarm + 1])]
    # From each period on: the mean shortfall, weighted by precision, in its standard errors.
    sums, weights = (np.cumsum(each[seen][::-1])[::-1] for each in (lost, weight))
    return int(seen[np.argmax(sums / np.sqrt(weights))]), alarm + 1


# What there is to know about it


def _notes(chart: ControlChart, periods: Periods, initial: Initial) -> Iterator[str]:
    """Yield what a chart takes for granted."""
    if chart.alarms is None or chart.horizon is None:
        yield GIVEN_LIMIT
    else:
        often, series = stated_percent(chart.alarms), counted(chart.horizon, "period")
        yield ON_LIMIT.format(often=often, horizon=series)
    yield PERIODS_OF_CLUSTERS if periods.clustered else PERIODS_INDEPENDENT
    if initial.counts is None:
        yield VALUE_ALONE
    elif periods.clustered and initial.counts.groups is None:
        yield INITIAL_APART
    if initial.sizes is None:
        yield INITIAL_KNOWN
    if chart.alarmed:
        yield NOT_SET_BACK


def _findings(chart: ControlChart, periods: Periods, initial: Initial) -> Iterator[Finding]:
    """Yield what there is to know about a chart."""
    if chart.alarmed:
        advice = (
            "find out whether the scores of the positives moved in these periods, and what "
            "explains the change of the accuracy ratio"
        )
        yield Finding("alarm", "warning", f"{alarm_text(chart)}: {_fallen(chart)}", advice)
    yield from _about_periods(chart, periods)
    yield from _about_sizes(chart)
    if initial.counts is not None:  # no fall is seen from one that ranks worse than chance
        yield from looking_reversed({INITIAL: initial.counts}, OTHER_SCORE)


def _about_periods(chart: ControlChart, periods: Periods) -> Iterator[Finding]:
    """Warn of too many periods, of their order, of cases without one, and of few groups."""
    given = len(chart.table)
    if chart.horizon is not None and given > chart.horizon:
        share = "" if chart.alarms is None else f" to {stated_percent(chart.alarms)}"
        yield Finding(
            "horizon_used_up",
            "warning",
            f"the limit keeps false alarms{share} within {counted(chart.horizon, 'period')}, and "
            f"there are {given}",
            "begin a new chart: validate the model again, and make a new limit for the periods to "
            "come",
        )
    if not _in_order(list(periods.counts)):
        found = (
            "the periods are not in ascending order, and a chart adds them up as they are passed"
        )
        yield Finding("order", "warning", found, "pass them in order of time")
    if periods.without:
        found = f"{counted(periods.without, 'case')} without a period left out"
        advice = "fill in when these cases were observed"
        yield Finding("without_period", "warning", found, advice)
    clustered = periods.known if periods.clustered else ()
    rarer = [groups_per_class(each.every_score()).rarer for each in clustered]
    if rarer and min(rarer) < FEW_IN_A_PERIOD:
        found = (
            f"in some periods only {min(rarer):g} groups of clusters contain the rarer class, so "
            "the limit is rough"
        )
        advice = "join periods, such as months into quarters"
        yield Finding("few_groups", "warning", found, advice)


def _in_order(keys: list[Any]) -> bool:
    """Return whether periods stand in order, which only numbers may not."""
    try:
        return keys == sorted(keys, key=float)
    except (TypeError, ValueError):
        return True


def _about_sizes(chart: ControlChart) -> Iterator[Finding]:
    """Say which periods lack a class or have few cases of one, and where all are large."""
    table = chart.table
    lacking = np.isnan(table["accuracy_ratio"])
    if lacking.any():
        have, leave = ("have", "leave") if lacking.sum() > 1 else ("has", "leaves")
        yield Finding(
            "without_a_class",
            "info",
            f"{_named(chart, lacking)} {have} no accuracy ratio, for lack of positives or of "
            f"negatives, and {leave} the CUSUM as it was",
            "join periods if there are many of these",
        )
    cases = np.minimum(table["n1"], table["n0"])
    small = (cases > 0) & (cases < FEW_IN_A_PERIOD)
    if small.any():
        found = f"fewer than {FEW_IN_A_PERIOD} positives or negatives in {_named(chart, small)}"
        advice = "judge by the chart, which adds periods up, and not by single accuracy ratios"
        yield Finding("small_periods", "info", found, advice)
    half = (table["high"] - table["low"])[~np.isnan(table["high"])] / 2
    if len(half) and float(np.median(half)) <= 2 * SMALL_PART * chart.drop:
        yield Finding(
            "tolerance",
            "info",
            "periods are so large that any lasting fall beyond about "
            f"{chart.drop / 2:g}, half of the fall looked for, leads to an alarm",
            "look for twice the fall that matters",
        )


def _named(chart: ControlChart, which: Bools) -> str:
    return listed(plain_names(chart.table["period"][which].tolist()), MOST_PARTS_NAMED)


# What it shows


def verdict(found: ControlChart) -> str:
    """Return in one sentence whether there is an alarm."""
    highest, limit = statistic(float(np.max(found.table["cusum"]))), statistic(found.limit)
    if not found.alarmed:
        periods = counted(len(found.table), "period")
        return f"No alarm in {periods}: the CUSUM reached {highest}, its limit is {limit}."
    return f"{alarm_text(found).replace('alarm', 'ALARM')}: {_fallen(found)}."


def alarm_text(found: ControlChart) -> str:
    """Return since when there is an alarm, or in which period there was one."""
    lasts = bool(found.table["alarm"][found.table["period"].tolist().index(found.alarm) :].all())
    return f"alarm {'since' if lasts else 'in'} {plain_names([found.alarm])[0]}"


def _fallen(found: ControlChart) -> str:
    """Return how far the accuracy ratio fell up to the alarm."""
    ends = (found.run_start, found.alarm, found.table["period"][-1])
    start, end, last = (plain_names([name])[0] for name in ends)
    since = f" on average since {start}" if end == last else f" on average from {start} to {end}"
    since = "" if found.run_start == found.alarm else since
    mean = number(np.nan if found.run_mean is None else found.run_mean)
    return f"accuracy ratio {mean}{since}, {number(found.initial_ar)} initially"


def _since(found: ControlChart) -> list[str]:
    """Return what became of an alarm in later periods."""
    if not found.alarmed:
        return []
    sums = found.table["cusum"]
    highest, last = statistic(float(sums.max())), statistic(float(sums[-1]))
    said = f"The CUSUM reached {highest}, above its limit of {statistic(found.limit)}"
    if found.table["alarm"][-1]:
        return [f"{said}."]
    return [f"{said}; after the last period it is {last}, below the limit again."]


def _figures(found: ControlChart) -> Iterator[Figure]:
    table = found.table
    last = int(np.flatnonzero(~np.isnan(table["accuracy_ratio"]))[-1])
    name = plain_names([table["period"][last]])[0]
    ratio, low, high, cusum = (
        float(table[column][last]) for column in ("accuracy_ratio", "low", "high", "cusum")
    )
    sizes = "known" if found.initial_sizes is None else f"{found.initial_sizes[0]:,} positives"
    initial = ("initial", "initial accuracy ratio", "initial AR")
    yield Figure("cusum", f"CUSUM, {name}", f"CUSUM, {name}", cusum, "statistic")
    promise = "as given"
    if found.alarms is not None and found.horizon is not None:
        often, periods = stated_percent(found.alarms), counted(found.horizon, "period")
        promise = f"{often} false alarms in {periods}"
    yield Figure("limit", "CUSUM limit", "CUSUM limit", found.limit, "statistic", note=promise)
    yield Figure("last", f"accuracy ratio, {name}", f"AR, {name}", ratio, "ratio", low, high)
    yield Figure(*initial, found.initial_ar, "ratio", note=sizes)
    if found.detectable is not None:
        label = "fall one period can detect"
        yield Figure("detectable", label, label, found.detectable, "lift", note="80% power")


def _chart_of_sums(found: ControlChart) -> Chart:
    """Return the chart of the CUSUM with its limit."""
    sums, alarm = found.table["cusum"], found.table["alarm"]
    at = np.arange(len(sums), dtype=np.float64)
    top = max(float(sums.max()), found.limit)
    limit = across_periods(len(at), found.limit, f"Limit {statistic(found.limit)}")
    lines: list[Line] = [
        replace(limit, style=Style(RED, REFERENCE_DASHES), width=1.0, opacity=None),
        *dotted(at, sums, "CUSUM"),
    ]
    if alarm.any():
        lines.append(marks(at[alarm], sums[alarm], "Above the limit", RED, Marker("D", 0.75)))
    return Chart(
        title="CUSUM: accumulated evidence of a fall",
        x=along_periods(len(at)),
        y=Axis("CUSUM", "number", ends=(0.0, top * (1 + ROOM_ABOVE_AND_BELOW))),
        lines=lines,
        scores=period_ticks(found.table["period"].tolist()),
        corner="upper left",
        rising=True,
        description=verdict(found),
    )


def _chart_of_ratios(found: ControlChart) -> Chart:
    """Return the chart of the accuracy ratio of each period with its limits."""
    ratios, low, high = (found.table[name] for name in ("accuracy_ratio", "low", "high"))
    at = np.arange(len(ratios), dtype=np.float64)
    known = ~np.isnan(ratios)
    ends = [*low[known], *high[known], found.initial_ar]
    room = ROOM_ABOVE_AND_BELOW * max(max(ends) - min(ends), LEAST_CHART_LENGTH)
    label = f"Accuracy ratio, {stated_percent(found.level)} intervals"
    return Chart(
        title="Accuracy ratio by period",
        x=along_periods(len(at)),
        y=Axis("Accuracy ratio", "number", ends=(min(ends) - room, max(ends) + room)),
        lines=[
            across_periods(len(at), found.initial_ar, f"Initially {number(found.initial_ar)}"),
            *whiskers(at[known], low[known], high[known]),
            *dotted(at[known], ratios[known], label),
        ],
        scores=period_ticks(found.table["period"].tolist()),
        corner="lower left",
        rising=True,
        description=f"{label}, beside {number(found.initial_ar)} initially",
    )
