"""The numbers behind a change: its test, its parts with limits, and those of each segment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from capcurve.counts.exact import cumulated
from capcurve.curves.simplify import between_levels
from capcurve.inference import compare_independent
from capcurve.inference.designs import Resampling, leave_out
from capcurve.inference.implied import implied_parts
from capcurve.inference.records import Interval, Test, factor_of, in_metric
from capcurve.inference.samples import at_share
from capcurve.inference.sizes import require_rows, rows_per_class
from capcurve.metrics import roc_auc
from capcurve.show.table import Table
from capcurve.studies.change.influence import Spread, spread_of
from capcurve.studies.change.pairs import AFTER, BEFORE, Pairs, parts_of_change
from capcurve.studies.change.segments import segment_column, unseen_segments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats
    from capcurve.inference.implied import Calibration
    from capcurve.inference.records import Metric
    from capcurve.inference.samples import Rate
    from capcurve.studies.change.sample import Sample
    from capcurve.studies.change.segments import Both

    Samples = tuple[Sample, Sample]

TOO_FEW = "a class has fewer than two cases in a sample, or the rows behind weights are not known"
# With fewer rows of a class in a segment limits were seen to hold in 63 to 90% of samples at 95%.
FEWEST = 2
UNSEEN = (
    "no limits of the ranking within and between segments: of those in both samples {} fewer than "
    f"{FEWEST} positives or negatives in one, which do not show how the ranking there varies"
)
NAME = "after - before"
AtDepth = Literal["captured_response", "lift", "precision"]
# Positives and negatives of several draws of a sample, shape (draws, scores) each.
Draws: TypeAlias = "tuple[Floats, Floats]"
REPLICATES = 1000
SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A change, its parts, and those of each segment; `ends` are before and after."""

    ends: tuple[float, float]
    change: Test
    parts: Mapping[str, Interval]
    segments: Table | None = None
    implied: tuple[Interval, Interval] | None = None


@dataclass(frozen=True, slots=True)
class _Law:
    """How limits are made of standard errors: by Student's t."""

    level: float
    method: str

    @classmethod
    def of(cls, samples: Samples, level: float, method: str) -> _Law:
        clustered = any(sample.groups is not None for sample in samples)
        return cls(level, f"{method}{' over groups of clusters' if clustered else ''}, Student's t")

    def interval(self, estimate: float, se: float | None, df: float = math.nan) -> Interval:
        """Return an estimate with its limits."""
        if se is None:
            return Interval(math.nan, estimate, math.nan, self.level, self.method, None, (TOO_FEW,))
        from scipy.special import stdtrit

        away = se * float(stdtrit(df, (1 + self.level) / 2))
        return Interval(estimate - away, estimate, estimate + away, self.level, self.method, se)

    def intervals(
        self, estimates: Sequence[float], spread: Spread | None, factor: float = 1.0
    ) -> list[Interval]:
        """Return several estimates with their limits; `factor` is the unit of the spread."""
        if spread is None:
            return [self.interval(each, None) for each in estimates]
        errors, freedom = factor * np.sqrt(spread.variance), spread.df
        each = zip(estimates, errors.tolist(), freedom.tolist(), strict=True)
        return [self.interval(*one) for one in each]


def explained(
    samples: Samples, keys: Sequence[Any], metric: Metric, level: float, *, swapped: bool
) -> Numbers:
    """Return the change of an AUC or accuracy ratio; `swapped` splits the mix by cases, rates."""
    pairs, factor = Pairs.of(*samples, swapped=swapped), factor_of(metric)
    parts = parts_of_change(pairs)
    spread = spread_of(pairs, list(parts.values()))
    found = _Law.of(samples, level, "influence functions").intervals(
        [factor * part.of(pairs) for part in parts.values()], spread, factor
    )
    before, after = (in_metric(roc_auc(sample.whole), metric) for sample in samples)
    return Numbers(
        (before, after),
        _tested(samples, (before, after), metric, level),
        dict(zip(parts, found, strict=True)),
        by_segment(pairs, keys, metric),
    )


def with_limits_seen(parts: Mapping[str, Interval], both: Both) -> dict[str, Interval]:
    """Return the parts without the limits of those that rest on rankings no sample shows."""
    unseen = len(unseen_segments(both, FEWEST))
    if not unseen:
        return dict(parts)
    note = UNSEEN.format(f"{unseen} {'has' if unseen == 1 else 'have'}")
    return {
        name: replace(part, low=math.nan, high=math.nan, notes=(*part.notes, note))
        if name in ("within", "between")
        else part
        for name, part in parts.items()
    }


def _tested(samples: Samples, numbers: tuple[float, float], metric: Metric, level: float) -> Test:
    """Return the test of the change, after less before."""
    estimates = {"before": numbers[0], "after": numbers[1]}
    if any(sample.masses is None for sample in samples):
        return _untested(numbers[1] - numbers[0], level, metric, estimates)
    before, after = (sample.whole for sample in samples)
    found = compare_independent(after, before, metric=metric, level=level)
    return replace(found, name=NAME, estimates=estimates)


def _untested(
    change: float, level: float, metric: Metric | None, estimates: Mapping[str, float]
) -> Test:
    return Test(
        name=NAME,
        statistic=math.nan,
        p_value=math.nan,
        method="not tested",
        estimate=change,
        level=level,
        metric=metric,
        estimates=estimates,
        notes=(TOO_FEW,),
    )


def by_segment(pairs: Pairs, keys: Sequence[Any], metric: Metric) -> Table:
    """Return what each segment has in each part, beside its size and its own number."""
    factor, own = factor_of(metric), [each.means[pairs.own_place] for each in pairs.placed[0]]
    columns: dict[str, Any] = {"segment": segment_column(keys)}
    for when, sample in zip(("before", "after"), pairs.samples, strict=True):
        n1, n0 = sample.totals
        columns |= {f"n_{when}": sample.as_cases(n1 + n0), f"n1_{when}": sample.as_cases(n1)}
    for when, aucs, there in zip(("before", "after"), own, pairs.both, strict=True):
        inside = aucs if metric == "roc_auc" else 2 * aucs - 1
        columns[f"ratio_{when}"] = np.where(there, inside, np.nan)
    ranked = pairs.ranked()
    parts = {**_mixes(pairs), "within": ranked["within"], "between": ranked["between"]}
    total = parts["mix"] + parts["within"] + parts["between"]
    # Adding 0 makes -0 0.
    columns |= {name: factor * part + 0.0 for name, part in parts.items()}
    return Table("change by segment", {**columns, "total": factor * total + 0.0})


def _mixes(pairs: Pairs) -> dict[str, Floats]:
    """Return what each segment has in the mix, and in both parts of it."""
    if pairs.own_place == 2:  # noqa: PLR2004 - the mixes of two samples alone
        positives, negatives = pairs.mixed(BEFORE, AFTER)
        found = {"mix_positives": positives, "mix_negatives": negatives}
    else:
        cases = (pairs.mixed(BEFORE, 2) + pairs.mixed(3, AFTER)).sum(axis=0) / 2
        rates = (pairs.mixed(BEFORE, 3) + pairs.mixed(2, AFTER)).sum(axis=0) / 2
        found = {"mix_cases": cases, "mix_rates": rates}
    first, second = found.values()
    return {"mix": first + second, **found}


def explained_by_pds(
    samples: Samples, metric: Metric, level: float, *, pd: Any, calibration: Calibration
) -> Numbers:
    """Return the change of an AUC or accuracy ratio as the portfolio's and the model's."""
    before, after = (sample.whole for sample in samples)
    found = implied_parts(before, after, pd=pd, calibration=calibration, level=level)
    if metric == "roc_auc":
        levels = {name: found[name].as_auc() for name in ("implied_before", "implied_after")}
        halves = {name: found[name].halved() for name in ("portfolio", "model")}
        found = levels | halves
    numbers = tuple(in_metric(roc_auc(counts), metric) for counts in (before, after))
    ends = (numbers[0], numbers[1])
    return Numbers(
        ends,
        _tested(samples, ends, metric, level),
        {name: found[name] for name in ("portfolio", "model")},
        implied=(found["implied_before"], found["implied_after"]),
    )


def explained_at_depth(samples: Samples, metric: AtDepth, q: float, level: float) -> Numbers:
    """Return the change of a number at a depth, and how much is the ranking or the prevalence."""
    before, after = (sample.whole for sample in samples)
    values = _values_at_depth(_as_draw(before), _as_draw(after), metric, q)
    known = all(sample.masses is not None for sample in samples)
    spread = _spread_at_depth(before, after, metric, q) if known else None
    law = _Law.of(samples, level, "each sample drawn anew")
    ranking, prevalence, change = law.intervals(_parts_at_depth(values)[0].tolist(), spread)
    numbers = (float(values[0, 0, 0]), float(values[0, 1, 1]))
    parts = {"ranking": ranking, "prevalence": prevalence}
    return Numbers(numbers, _tested_at_depth(change, numbers, spread), parts)


def _tested_at_depth(change: Interval, numbers: tuple[float, float], spread: Spread | None) -> Test:
    """Return the test of a change, which is the last of the numbers of a spread."""
    estimates = {"before": numbers[0], "after": numbers[1]}
    if change.se is None or spread is None:
        return _untested(change.estimate, change.level, None, estimates)
    from scipy.special import stdtr

    df, statistic = float(spread.df[-1]), 0.0
    if change.estimate:
        statistic = change.estimate / change.se if change.se else math.inf
    return Test(
        name=NAME,
        statistic=statistic,
        p_value=float(2 * stdtr(df, -abs(statistic))),
        method=change.method,
        df=df,
        estimate=change.estimate,
        se=change.se,
        low=change.low,
        high=change.high,
        level=change.level,
        estimates=estimates,
    )


def _values_at_depth(before: Draws, after: Draws, metric: AtDepth, q: float) -> Floats:
    """Return a metric with the ranking of one sample and the prevalence of one: (draws, 2, 2)."""
    both = (before, after)
    # A draw without one of the classes has no value, which whoever draws leaves out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return _of_draws(both, metric, q)


def _of_draws(both: tuple[Draws, Draws], metric: AtDepth, q: float) -> Floats:
    which: Rate = "precision" if metric == "precision" else "captured_response"
    rows = [[at_share(p, n, q, which, _rate(other)) for other in both] for p, n in both]
    draws = max(len(p) for p, _ in both)
    found = np.array([[np.broadcast_to(values, draws) for values in row] for row in rows])
    return found.transpose(2, 0, 1) / (q if metric == "lift" else 1)


def _rate(classes: Draws) -> Floats:
    positives, negatives = (column.sum(axis=1, keepdims=True) for column in classes)
    found: Floats = positives / (positives + negatives)
    return found


def _parts_at_depth(values: Floats) -> Floats:
    """Return ranking, prevalence and the whole change, shape (draws, 3).

    Ranking and prevalence each in the mean of both orders, so that they add up and change sign
    when samples swap.
    """
    change = values[:, 1, 1] - values[:, 0, 0]
    early, late = values[:, 1, 0] - values[:, 0, 0], values[:, 1, 1] - values[:, 0, 1]
    ranking = (early + late) / 2
    return np.stack([ranking, change - ranking, change], axis=1)


def _as_draw(counts: ScoreCounts) -> Draws:
    """Return the sample itself, as one draw."""
    return counts.positives[None].astype(np.float64), counts.negatives[None].astype(np.float64)


def _spread_at_depth(before: ScoreCounts, after: ScoreCounts, metric: AtDepth, q: float) -> Spread:
    """Return how far chance moves ranking, prevalence and change.

    Each sample is drawn anew while the other stays; of clustered samples each group of clusters
    is left out, of both at once where both have them.
    """
    samples = [_fewer(before), _fewer(after)]
    found: list[tuple[Floats, float]] = []
    moves = []
    for u, counts in enumerate(samples):
        fixed = _as_draw(samples[1 - u])

        def parts(p: Floats, n: Floats, u: int = u, fixed: Draws = fixed) -> Floats:
            drawn = (p, n)
            both = (drawn, fixed) if u == 0 else (fixed, drawn)
            return _parts_at_depth(_values_at_depth(*both, metric, q))

        if counts.groups is None:
            drawn = Resampling(counts, REPLICATES, SEED).draw(parts, stratified=False)
            found.append((np.nanvar(drawn, axis=0), min(rows_per_class(counts)) - 1.0))
        else:
            moves.append(leave_out(counts, parts).moves[0])
    if moves:
        found.append(_of_groups(moves))
    return Spread.of(found)


def _fewer(counts: ScoreCounts) -> ScoreCounts:
    """Return counts in so few cells that drawing them is quick, which moves nothing one sees."""
    require_rows(counts)
    ends = between_levels(cumulated(counts.positives), cumulated(counts.negatives))
    return counts if len(ends) > len(counts) else counts.joined(ends[1:])


def _of_groups(moves: list[Floats]) -> tuple[Floats, float]:
    """Return the jackknife's variance, and its degrees of freedom."""
    width = max(each.shape[1] for each in moves)
    padded = [np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in moves]
    whole = np.sum(padded, axis=0)
    groups = max(int(np.any(whole, axis=0).sum()), 2)
    return (groups - 1) / groups * (whole**2).sum(axis=1), groups - 1.0
