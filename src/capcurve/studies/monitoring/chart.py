"""control_chart: whether the accuracy ratio fell below its initial value, period after period."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_number, as_open_share, as_whole, told
from capcurve.counts.plain import plain
from capcurve.inference import confidence_interval, detectable_drop
from capcurve.inference.sizes import require_rows
from capcurve.metrics import accuracy_ratio
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.monitoring.findings import findings_of, notes_on
from capcurve.studies.monitoring.limits import (
    ALARMS,
    DROP,
    LARGEST_SEED,
    REPLICATES,
    Limit,
    as_limit,
    cusum_of,
    limit_of,
    simulated,
    simulated_clustered,
)
from capcurve.studies.monitoring.records import Monitored
from capcurve.studies.monitoring.samples import (
    MOST_CLUSTERED,
    MOST_PERIODS,
    as_initial,
    as_periods,
    quiet_cells,
)
from capcurve.studies.monitoring.shown import presentation_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import Ranking
    from capcurve.counts.types import Array, Floats
    from capcurve.show.presentation import Presentation
    from capcurve.studies.monitoring.samples import Initial, Periods

POWER = 0.8
# Left out, the seed is always this one: the same counts must give the same verdict again.
SEED = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ControlChart(Monitored, Result):
    """Whether the accuracy ratio fell below its initial value, judged over all periods together.

    Attributes
    ----------
    initial_ar
        The accuracy ratio of the initial sample.
    initial_sizes
        Its positives and negatives; None for a value known without error.
    drop
        The fall that the chart looks for.
    limit
        The chart alarms where its cumulative sum C is above this.
    alarms
        How often an unchanged score raises any alarm within the horizon; None where that is not
        known of a limit that was given.
    horizon
        The number of periods that the limit is for, or None.
    level
        Confidence level of the limits of each accuracy ratio.
    table
        A row per period: n, n1 and n0, the accuracy ratio with its limits, C (`cusum`), and
        whether C is above the limit (`alarm`).
    alarm
        The first period in alarm, or None.
    run_start
        The first period after C was last 0 before that alarm, or None: since when C has risen.
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

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of(self)


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
    """Say whether a score ranks worse than it did at first, with few false alarms over all periods.

    Parameters
    ----------
    periods
        Counts by period, in order of time, as `count_segments` returns them. A period without
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

    Returns
    -------
    ControlChart
        `alarmed`, `alarm` and `run_start`, the `table` of periods, `limit`; it shows itself as
        text, pictures and page.

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
    drop = None if drop is None else _as_drop(drop)
    alarms = None if alarms is None else as_open_share(alarms, "alarms")
    horizon = None if horizon is None else as_whole(horizon, "horizon", 1, MOST_PERIODS)
    level = as_open_share(level, "level")
    if limit is None:
        seed = SEED if seed is None else as_whole(seed, "seed", 0, LARGEST_SEED)
        known = _simulated(sample, parts, drop, alarms, horizon, seed)
    else:
        if seed is not None:
            raise ValueError("seed makes a limit, and limit= gives one; leave one of the two out")
        known = as_limit(limit, sample, drop, alarms, horizon)
    found = _charted(sample, parts, known, level, made=limit is None)
    return replace(found, findings=findings_of(found, parts), notes=notes_on(found, parts, sample))


def _as_drop(given: Any) -> float:
    drop = as_number(given, "drop")
    if not 1e-6 <= drop < 1:  # noqa: PLR2004 - its square is a float
        raise ValueError(f"drop must be a fall of the accuracy ratio below 1, got {told(given)}")
    return drop


def _simulated(
    initial: Initial,
    periods: Periods,
    drop: float | None,
    alarms: float | None,
    horizon: int | None,
    seed: int,
) -> Limit:
    """Return the limit that so many alarms go with, found by simulation."""
    given = len(periods.counts)
    drop, alarms = DROP if drop is None else drop, ALARMS if alarms is None else alarms
    horizon = given if horizon is None else horizon
    if horizon < given:
        raise ValueError(
            f"horizon must be at least the {given} periods given, got {horizon}; or pass the limit "
            "that was stored for it"
        )
    if periods.clustered:
        _check_clustered(given, horizon)
        known = [each.every_score() for each in periods.known]
        charts = simulated_clustered(initial, known, drop, seed)
    else:
        cells = quiet_cells(initial, periods)
        charts = simulated(initial, cells, periods.sizes(horizon), drop, seed)
    return Limit(
        limit=limit_of(charts, alarms),
        drop=drop,
        alarms=alarms,
        horizon=horizon,
        seed=seed,
        replicates=REPLICATES,
        initial_ar=initial.ratio,
        initial_digest=initial.digest,
    )


def _check_clustered(given: int, horizon: int) -> None:
    """Raise ValueError for more clustered periods than a covariance can be known of."""
    if given > MOST_CLUSTERED:
        raise ValueError(
            f"of at most {MOST_CLUSTERED} clustered periods it is known how they vary together, "
            f"and there are {given}; put periods together, such as months into quarters"
        )
    if horizon > given:
        raise ValueError(
            "how clustered periods to come vary together with these is not known; leave out "
            "horizon, and make the limit anew when there are more periods"
        )


def _charted(
    initial: Initial, periods: Periods, known: Limit, level: float, *, made: bool
) -> ControlChart:
    """Return the chart without its findings and notes."""
    counts = list(periods.counts.values())
    variances = np.array([initial.variance(int(c.n1), int(c.n0)) for c in counts])
    found = [_ratio(each, level) for each in counts]
    ratios, low, high = (np.array(column) for column in zip(*found, strict=True))
    cusum = cusum_of(ratios, initial.ratio, variances, known.drop)
    names = label_column(map(plain, periods.counts))
    run = _run(cusum, known.limit)
    seen = slice(*run) if run is not None else slice(0, 0)
    return ControlChart(
        initial_ar=initial.ratio,
        initial_sizes=initial.sizes,
        drop=known.drop,
        limit=known.limit,
        alarms=known.alarms,
        horizon=known.horizon,
        level=level,
        table=_table(names, counts, (ratios, low, high), cusum, known.limit),
        alarm=None if run is None else plain(names[run[1] - 1]),
        run_start=None if run is None else plain(names[run[0]]),
        run_mean=None if run is None else _mean(ratios[seen], variances[seen]),
        detectable=None if periods.clustered else _detectable(initial, periods),
        method=_method(periods, made=made),
        saved_limit=known.to_dict(),
    )


def _ratio(counts: Ranking, level: float) -> tuple[float, float, float]:
    """Return the accuracy ratio of a period with its limits; NaN without a class."""
    require_rows(counts)
    if not (counts.n1 > 0 and counts.n0 > 0):
        return np.nan, np.nan, np.nan
    limits = confidence_interval(counts, "accuracy_ratio", level=level)
    return accuracy_ratio(counts), limits.low, limits.high


def _run(cusum: Floats, limit: float) -> tuple[int, int] | None:
    """Return where the rise to the first alarm begins, and where it ends, one beyond the alarm."""
    above = np.flatnonzero(cusum > limit)
    if not len(above):
        return None
    alarm = int(above[0])
    zeros = np.flatnonzero(cusum[:alarm] == 0)
    return int(zeros[-1]) + 1 if len(zeros) else 0, alarm + 1


def _mean(ratios: Floats, variances: Floats) -> float:
    known = ~np.isnan(ratios)
    return float(np.average(ratios[known], weights=1 / variances[known]))


def _table(
    names: Array,
    counts: Sequence[Ranking],
    found: tuple[Floats, Floats, Floats],
    cusum: Floats,
    limit: float,
) -> Table:
    columns = {
        "period": names,
        "n": np.array([int(each.n) for each in counts]),
        "n1": np.array([int(each.n1) for each in counts]),
        "n0": np.array([int(each.n0) for each in counts]),
        **dict(zip(("accuracy_ratio", "low", "high"), found, strict=True)),
        "cusum": cusum,
        "alarm": cusum > limit,
    }
    return Table("Accuracy ratio and control chart by period", columns)


def _detectable(initial: Initial, periods: Periods) -> float | None:
    """Return the fall that one period of mean size shows; None where none is shown."""
    if not -1 < initial.ratio < 1:
        return None
    try:
        return detectable_drop(
            *periods.mean_size, initial.ratio, power=POWER, initial=initial.sizes
        )
    except ValueError:  # no fall, however large
        return None


def _method(periods: Periods, *, made: bool) -> str:
    if not made:
        return "limit as given"
    series = f"{REPLICATES:,} series"
    if periods.clustered:
        return f"jackknife over groups of clusters, {series}"
    return f"simulated samples, {series}"
