"""Several horizons beside each other, one number for all of them, and a test of the censoring."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import JointTimes, TimeCounts
from capcurve.counts.times import Competing, as_horizon, as_horizons, as_text
from capcurve.inference.horizon import Horizon, auc_number, incidence_number
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.ranking import estimated_ratio
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.numbers.censoring import RiskSets, sums_after, sums_at
from capcurve.numbers.order import add_up, run_starts
from capcurve.show.columns import formed
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.numbers.types import Floats

HORIZON_COLUMNS = (
    *("horizon", "at_risk", "followed", "positives", "competing", "unknown"),
    *("incidence", "accuracy_ratio", "low", "high"),
)


def horizon_table(
    times: TimeCounts,
    horizons: Iterable[float],
    *,
    level: float = 0.95,
    competing: Competing = "negative",
) -> Table:
    """Return the incidence and the accuracy ratio at several horizons, with limits.

    Parameters
    ----------
    times
        Result of `count_times`.
    horizons
        Times by which the event may have come, ascending.
    level
        Confidence level of the limits, at each horizon alone.
    competing
        As in `TimeCounts.at`.

    Returns
    -------
    Table
        Per `horizon` the rows at risk then (`at_risk`), also those whose event comes exactly then;
        all rows, as followed through it without an event (`followed`), with the event by then
        (`positives`), with a competing one (`competing`) or censored before (`unknown`); the
        `incidence`, and the `accuracy_ratio` from `low` to `high`, NaN where a class is missing.

    Raises
    ------
    ValueError
        For horizons that do not ascend, or as `TimeCounts.at`.

    Examples
    --------
    >>> from capcurve import count_times
    >>> times = count_times(time=[3, 5, 8, 8, 9], event=[1, 0, 1, 0, 0], score=[9, 5, 1, 2, 3])
    >>> horizon_table(times, [4, 8])["incidence"]
    array([0.2       , 0.46666667])
    """
    of_one_score(times, "horizon_table")
    rows: list[tuple[Any, ...]] = []
    for horizon in ascending(horizons):
        counts = times.at(horizon, competing=competing)
        found = [np.nan] * 3
        if counts.n1 and counts.n0:
            limits = confidence_interval(counts, "accuracy_ratio", level=level)
            found = [limits.estimate, limits.low, limits.high]
        at_risk, ended = times.rows(times.time >= horizon), times.ended(horizon).values()
        rows.append((horizon, at_risk, *ended, counts.prevalence, *found))
    columns = map(np.array, zip(*rows, strict=True))
    named = dict(zip(HORIZON_COLUMNS, columns, strict=True))
    return Table("Horizons", formed(named, share="incidence", ratio="low high"))


def integrated_accuracy_ratio(
    times: TimeCounts,
    horizons: Iterable[float],
    *,
    level: float = 0.95,
    competing: Competing = "negative",
) -> Interval:
    """Return the mean accuracy ratio over several horizons, each by the events that it adds.

    Parameters
    ----------
    times, horizons, level, competing
        As in `horizon_table`.

    Raises
    ------
    ValueError
        As `horizon_table`, and where a class is missing at a horizon.

    Notes
    -----
    Σ AR(t)·ΔF(t)/F(last), F the incidence (Lambert & Chevret 2016, Stat. Methods Med. Res. 25);
    scikit-survival's mean AUC is (1 + it)/2. Limits are those of an AUC with this standard error,
    which allows for the estimated censoring and incidence.

    Examples
    --------
    >>> from capcurve import count_times
    >>> rows = {"time": [3, 4, 5, 8, 8, 9], "event": [1, 1, 0, 1, 1, 0]}
    >>> times = count_times(**rows, score=[9, 2, 5, 1, 4, 3])
    >>> round(integrated_accuracy_ratio(times, [4, 8]).estimate, 3)
    0.107
    """
    of_one_score(times, "integrated_accuracy_ratio")
    confidence, asked = Confidence(level), ascending(horizons)
    several = [
        Horizon(times, times.check_horizon(each, competing), competing, times.groups)
        for each in asked
    ]
    found = []
    for at in several:
        (counts,) = at.margins()
        found.append(at.estimates([auc_number(counts), incidence_number(counts)]))
    ratio = np.array([2 * each.values[0] - 1 for each in found])
    reached = np.array([each.values[1] for each in found])
    added, last = np.diff(reached, prepend=0.0), reached[-1]
    value = float(ratio @ added / last)
    # An event by a horizon adds to it, and takes away from the next one.
    by_incidence = (ratio - np.append(ratio[1:], value)) / last
    moves = sum(
        2 * add / last * each.moves[0][0] + slope * each.moves[0][1]
        for add, slope, each in zip(added, by_incidence, found, strict=True)
    )
    of_classes = tuple(moves[None] for _ in found[-1].moves)
    whole = replace(found[-1], values=np.array([value]), moves=of_classes)
    return estimated_ratio(whole, confidence)


def censoring_test(times: TimeCounts, horizon: float | None = None) -> Test:
    """Test whether rows with higher scores are censored earlier than others, or later.

    Where they are, weights at a horizon may be wrong: the censoring is then to be estimated within
    strata that it goes with, such as the vintage (`stratum=`).

    Parameters
    ----------
    times
        Result of `count_times`.
    horizon
        Look at censorings before this time only; at all when left out.

    Returns
    -------
    Test
        A statistic above 0 says that rows which are ranked as more likely positive leave sooner.

    Raises
    ------
    ValueError
        Where nothing was censored, or all scores are tied.

    Notes
    -----
    The log-rank score test of mid-ranks in the risk sets of censoring, events first at tied times,
    with hypergeometric variance, summed over strata: that of `coxph(ties="exact")` in R's survival.

    Examples
    --------
    >>> from capcurve import count_times
    >>> times = count_times(time=[1, 2, 3, 4], event=[0, 0, 1, 1], score=[9, 8, 2, 1])
    >>> round(censoring_test(times).statistic, 3)
    1.806
    """
    from scipy.special import ndtr

    of_one_score(times, "censoring_test")
    end = np.inf if horizon is None else as_horizon(horizon)
    cases = np.asarray(times.cases, dtype=np.float64)
    # The mid-rank of each cell, the best score the highest; cells stand best first.
    starts = run_starts(times.score)
    sizes = add_up(cases, starts)
    ranks = cases.sum() - np.cumsum(sizes) + (sizes + 1) / 2
    rank = np.repeat(ranks, np.diff(starts, append=len(cases)))
    rank -= float(rank @ cases) / max(times.n, 1)
    parts = [_log_rank(each.at(end, times.cases), rank, cases) for each in times.by_stratum()]
    excess, variance = (sum(column) for column in zip(*parts, strict=True))
    if not variance > 0:
        raise ValueError(
            "no row that others outlive was censored, or all scores are tied: nothing to test"
        )
    z = float(excess / np.sqrt(variance))
    return Test(
        name="score and censoring",
        statistic=z,
        p_value=float(2 * ndtr(-abs(z))),
        method="log-rank test of mid-ranks, hypergeometric variance",
    )


def _log_rank(risk: RiskSets, rank: Floats, cases: Floats) -> tuple[float, float]:
    """Return by how much censored rows rank above the mean of their risk sets, and its variance."""
    rank, cases, size = rank[risk.rows], cases[risk.rows], len(risk.followed)
    some, gone = risk.censored > 0, np.where(risk.unknown, cases, 0.0)
    own = [sums_at(risk.places, gone * rank**power, size)[some] for power in (0, 1, 2)]
    later = [sums_after(risk.places, cases * rank**power, size)[some] for power in (0, 1, 2)]
    at_risk, mean, spread = (one + other for one, other in zip(own, later, strict=True))
    mean /= at_risk
    spread = np.maximum(spread / at_risk - mean**2, 0.0)
    variance = own[0] * (at_risk - own[0]) / np.maximum(at_risk - 1, 1.0) * spread
    return float((own[1] - own[0] * mean).sum()), float(variance.sum())


def ascending(horizons: Any) -> list[float]:
    """Return horizons that ascend, at least one, or raise ValueError."""
    found = as_horizons(horizons)
    if any(one >= other for one, other in pairwise(found)):
        told = ", ".join(map(as_text, found))
        raise ValueError(f"horizons must be numbers that ascend, got {told}")
    return found


def of_one_score(times: Any, name: str) -> None:
    """Raise TypeError unless these are the times of one score."""
    if isinstance(times, JointTimes):
        raise TypeError(
            f'{name} takes one score: write {name}(joint.margin("{times.names[0]}"), ...)'
        )
    if not isinstance(times, TimeCounts):
        raise TypeError(
            f"{name} takes counts of times, got {type(times).__name__}: write "
            "count_times(time, event, score)"
        )
