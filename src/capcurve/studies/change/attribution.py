"""attribute_change: how much of a change is mix of segments, ranking within and between them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

import numpy as np

from capcurve.curves.shares import require
from capcurve.curves.simplify import few_cells
from capcurve.gate.alike import OUTCOME, refuse_unlike
from capcurve.gate.taking import CHANGED, of_two_columns
from capcurve.inference import compare_independent
from capcurve.inference.designs import (
    Resampling,
    leave_out,
    require_rows,
    require_two,
    rows_per_class,
)
from capcurve.inference.differences import p_value_of
from capcurve.inference.implied import Matching, implied_parts
from capcurve.inference.records import (
    Confidence,
    Interval,
    RankingMetric,
    Test,
    factor_of,
    in_metric,
)
from capcurve.inference.samples import OfShare, Rate, rates_at_share
from capcurve.metrics import METRICS, roc_auc
from capcurve.numbers.arguments import arg, as_name, as_open_share, as_share, as_whole, told
from capcurve.numbers.exact import LARGEST_INT64
from capcurve.results.known import interval_or_none
from capcurve.show.columns import formed
from capcurve.show.table import Table
from capcurve.studies.change.pairs import (
    AFTER,
    BEFORE,
    PartSpread,
    SegmentPairs,
    parts_of_change,
    spread_of,
    squares_of_groups,
)
from capcurve.studies.change.sample import (
    Both,
    SegmentedSample,
    Segments,
    as_segments,
    as_whole_sample,
    keys_of,
    pooled,
    segment_names,
    small_segments,
    unseen_segments,
)
from capcurve.studies.change.shown import (
    FEW_OF_A_CLASS_SHOWN,
    TOO_FEW,
    Attribution,
    ChangeMetric,
    findings_of_change,
)
from capcurve.studies.grades.scales import as_two_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Floats

    BothRankings = tuple[Ranking, Ranking]
    BothSamples = tuple[SegmentedSample, SegmentedSample]

# With fewer rows of a class in a segment limits were seen to hold in 63 to 90% of samples at 95%.
FEWEST_OF_A_CLASS = 2
SEGMENTS_UNSEEN = (
    "no intervals of the ranking within and between segments: of those in both samples {} fewer "
    f"than {FEWEST_OF_A_CLASS} positives or negatives in one, which do not show how the ranking "
    "there varies"
)
AFTER_LESS_BEFORE = "after - before"
# Positives and negatives of several draws of a sample, shape (draws, scores) each.
Draws: TypeAlias = "tuple[Floats, Floats]"
SEGMENT_REPLICATES = 1000
ATTRIBUTION_SEED = 0


@of_two_columns(CHANGED)
def attribute_change(
    before: Segments | Ranking,
    after: Segments | Ranking,
    *,
    metric: ChangeMetric = "accuracy_ratio",
    q: float | None = None,
    level: float = 0.95,
    least: int = 0,
    pd: Any = None,
    calibration: Matching = "matched",
    by: str = "segment",
    labels: tuple[str, str] = ("before", "after"),
) -> Attribution:
    """Attribute a change of the accuracy ratio to mix, ranking within and ranking between segments.

    Without segments the change is shown alone, with its limits and test. Raises `ValueError`
    without both classes in both samples.

    Parameters
    ----------
    before, after
        Counts by segment of two samples, as `count_segments` returns them, such as two periods by
        product; or of all cases of each, as `count_scores` does. Scores may be on another scale in
        each.
    metric
        What to explain: "accuracy_ratio" or "roc_auc"; "captured_response", "lift" or "precision"
        of the top share `q`, which change with the ranking and with the prevalence.
    q
        The share of cases selected, for the latter three.
    level
        Confidence level of all limits.
    least
        Put segments together that have fewer cases of a class than this in a sample.
    pd
        In place of segments: the PDs of the cases, "score" or a mapping of score or grade to PD.
        The change is then split into that of what the PDs promise ("portfolio") and that of what
        is realised beyond it ("model"), as `implied_accuracy_ratio` has them.
    calibration
        With `pd`: "matched" or "stated", as in `implied_accuracy_ratio`.
    by
        What the segments are called together, such as "product"; of columns also the segment of
        each row.
    labels
        What the two samples are called.

    Notes
    -----
    AUC = Σ a_i·b_j·A_ij over pairs of segments, with a and b their shares of positives and of
    negatives and A_ij the chance that a positive of i outranks a negative of j. Mix is the change
    of a·b at the mean A, ranking that of A at the mean of both a·b: Kitagawa (1955), J. Am. Stat.
    Assoc. 50, on pairs. Prevalence plays no part. A segment that lacks a class in one sample takes
    its A from the other, so that coming and going is mix. Standard errors are those of influence
    functions; of clustered samples they are summed over groups of clusters in both samples.

    Examples
    --------
    One segment wins 3 of 4 pairs before and all 4 after: all of the change is within it.

    >>> score, one = [4, 3, 2, 1], ["all"] * 4
    >>> by = (one, one)
    >>> why = attribute_change([1, 0, 1, 0], score, [1, 1, 0, 0], score, by=by, metric="roc_auc")
    >>> why.change.estimate, why.parts["within"].estimate, why.parts["mix"].estimate
    (0.25, 0.25, 0.0)
    """
    metric = cast(
        "ChangeMetric", as_name(metric, "metric", get_args(ChangeMetric), METRICS.aliases)
    )
    level = as_open_share(level, "level")
    q = _depth(metric, q)
    whole = (as_whole_sample(before), as_whole_sample(after))
    alone = q is None and pd is None and None not in whole
    _refuse_unused(metric, least, pd, calibration, alone=alone)
    labels = as_two_labels(labels)
    if not isinstance(by, str) or not by.strip():
        raise TypeError(f'by must say what the segments are, such as "product", got {told(by)}')
    if alone:
        of_area = cast("RankingMetric", metric)
        found = _without_segments(cast("BothRankings", whole), of_area, level, labels)
        return replace(found, labels=labels, findings=findings_of_change(found))
    if q is None and pd is None and whole != (None, None):
        raise ValueError(
            f"one sample has segments and the other has none; count both with {arg('by')}, or both "
            "without"
        )
    both = (as_segments(before, "before"), as_segments(after, "after"))
    named = [
        (f"{label} ({key})", each[key])
        for label, each in zip(labels, both, strict=True)
        for key in each
    ]
    refuse_unlike([counts for _, counts in named], [name for name, _ in named], OUTCOME)
    together = small_segments(both, as_whole(least, "least", 0, LARGEST_INT64))
    if len(together) == 1:  # which has nothing to be put together with
        together = ()
    both = pooled(both, together)
    keys = keys_of(both)
    samples = (_sample(both[BEFORE], keys, labels[0]), _sample(both[AFTER], keys, labels[1]))
    if q is not None:
        found = _at_depth(samples, cast("OfShare", metric), q, level)
    elif pd is not None:
        of_pds = {"pd": pd, "calibration": calibration}
        found = _by_pds(samples, cast("RankingMetric", metric), level, **of_pds)
    else:
        found = _by_segments(samples, both, cast("RankingMetric", metric), level)
    first, last = (interval_or_none(each.whole, metric, level=level, q=q) for each in samples)
    found = replace(
        found,
        q=q,
        by=by,
        labels=labels,
        intervals=(first, last),
        pooled=together,
        small=small_segments(both, FEW_OF_A_CLASS_SHOWN) if found.segments is not None else (),
    )
    return replace(found, findings=findings_of_change(found))


def _refuse_unused(
    metric: ChangeMetric, least: int, pd: Any, calibration: Matching, *, alone: bool
) -> None:
    """Raise ValueError where something is asked that this way to split has no use for."""
    at_depth = metric in get_args(OfShare)
    if pd is None and calibration != "matched":
        raise ValueError("calibration is for PDs; pass pd, or leave it out")
    if pd is not None and at_depth:
        raise ValueError(f"pd splits a change of accuracy_ratio or roc_auc, not of {metric}")
    if pd is not None and least:
        raise ValueError("pd takes the place of segments; leave out least")
    if at_depth and least:
        raise ValueError(f"{metric} is split without segments; leave out least")
    if alone and least:
        raise ValueError(f"least is of segments; count them with {arg('by')}, or leave it out")


def _without_segments(
    whole: BothRankings, metric: RankingMetric, level: float, labels: tuple[str, str]
) -> Attribution:
    """Return the change of an AUC or accuracy ratio alone, which no part explains."""
    refuse_unlike(whole, labels, OUTCOME)
    for counts, label in zip(whole, labels, strict=True):
        _require_both(counts, label)
    before, after = (interval_or_none(counts, metric, level=level) for counts in whole)
    return Attribution(**_tested(whole, metric, level), parts={}, intervals=(before, after))


def _require_both(counts: Ranking, name: str) -> None:
    """Raise ValueError naming a sample that lacks a class."""
    try:
        require(counts, "positives", "negatives")
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _sample(segments: Segments, keys: Sequence[Any], name: str) -> SegmentedSample:
    """Return a sample that has both classes, or raise ValueError naming it."""
    found = SegmentedSample.of(segments, keys)
    _require_both(found.whole, name)
    return found


def _depth(metric: ChangeMetric, q: float | None) -> float | None:
    """Return the depth that a metric needs, or raise ValueError."""
    if metric not in get_args(OfShare):
        if q is not None:
            raise ValueError(f"q is for {', '.join(get_args(OfShare))}; {metric} has no depth")
        return None
    if q is None:
        raise ValueError(f"{metric} is read at a depth; pass q=, the share of cases selected")
    return as_share(q, "q", some=True)


def _by_segments(
    samples: BothSamples, both: Both, metric: RankingMetric, level: float
) -> Attribution:
    """Return the change of an AUC or accuracy ratio as mix, and ranking within and between."""
    pairs, factor, parts = SegmentPairs.of(*samples), factor_of(metric), parts_of_change()
    estimates = [factor * part.of(pairs) for part in parts.values()]
    spread = spread_of(pairs, list(parts.values()))
    intervals = _intervals(samples, level, "influence functions", estimates, spread, factor)
    return Attribution(
        **_tested((samples[BEFORE].whole, samples[AFTER].whole), metric, level),
        parts=_with_limits_seen(dict(zip(parts, intervals, strict=True)), both),
        segments=_by_segment(pairs, keys_of(both), metric),
    )


def _intervals(
    samples: BothSamples,
    level: float,
    method: str,
    estimates: Sequence[float],
    spread: PartSpread | None,
    factor: float = 1.0,
) -> list[Interval]:
    """Return estimates with limits by Student's t; `factor` is the unit of the spread."""
    clustered = any(sample.groups is not None for sample in samples)
    method = f"{method}{' over groups of clusters' if clustered else ''}, Student's t"
    if spread is None:
        nan, why = math.nan, (TOO_FEW,)
        return [Interval(nan, each, nan, level, method, None, why) for each in estimates]
    quantiles = [Confidence(level).t(df) for df in spread.df.tolist()]
    errors = (factor * np.sqrt(spread.variance)).tolist()
    return [
        Interval(value - t * se, value, value + t * se, level, method, se)
        for value, se, t in zip(estimates, errors, quantiles, strict=True)
    ]


def _with_limits_seen(parts: Mapping[str, Interval], both: Both) -> Mapping[str, Interval]:
    """Return the parts without the limits of those that rest on rankings no sample shows."""
    unseen = len(unseen_segments(both, FEWEST_OF_A_CLASS))
    if not unseen:
        return parts
    note = SEGMENTS_UNSEEN.format(f"{unseen} {'has' if unseen == 1 else 'have'}")
    found = dict(parts)
    for name in ("within", "between"):
        notes = (*parts[name].notes, note)
        found[name] = replace(parts[name], low=math.nan, high=math.nan, notes=notes)
    return found


def _tested(whole: BothRankings, metric: RankingMetric, level: float) -> dict[str, Any]:
    """Return the number before and after, and the test of the change, after less before."""
    before, after = whole
    auc = {"before": roc_auc(before), "after": roc_auc(after)}
    estimates = {when: in_metric(value, metric) for when, value in auc.items()}
    try:
        for counts in whole:
            require_two(counts, "a test")
    except ValueError:  # such as weights of which nobody said what they mean
        change = _untested(level, metric, estimates)
    else:
        change = compare_independent(after, before, metric=metric, level=level)
        change = replace(change, name=AFTER_LESS_BEFORE, estimates=estimates)
    return {"metric": metric, "level": level, **estimates, "change": change}


def _untested(level: float, metric: RankingMetric | None, estimates: Mapping[str, float]) -> Test:
    return Test(
        name=AFTER_LESS_BEFORE,
        statistic=math.nan,
        p_value=math.nan,
        method="not tested",
        estimate=estimates["after"] - estimates["before"],
        level=level,
        metric=metric,
        estimates=estimates,
        notes=(TOO_FEW,),
    )


def _by_segment(pairs: SegmentPairs, keys: Sequence[Any], metric: RankingMetric) -> Table:
    """Return what each segment has in each part, beside its size and its own number."""
    factor, own = factor_of(metric), [each.means[pairs.own_place] for each in pairs.placed[0]]
    columns: dict[str, Any] = {"segment": segment_names(keys)}
    ways = ("before", "after")
    for when, sample in zip(ways, pairs.samples, strict=True):
        n1, n0 = sample.totals
        columns |= {f"n_{when}": sample.as_cases(n1 + n0), f"n1_{when}": sample.as_cases(n1)}
    for when, aucs, there in zip(ways, own, pairs.both, strict=True):
        inside = aucs if metric == "roc_auc" else 2 * aucs - 1
        columns[f"ratio_{when}"] = np.where(there, inside, np.nan)
    parts = {**pairs.mixed(), **pairs.ranked()}
    parts["total"] = parts["mix"] + parts["within"] + parts["between"]
    # Adding 0 makes -0 0.
    columns |= {name: factor * part + 0.0 for name, part in parts.items()}
    words = {"n": "cases", "n1": "positives", "ratio": "own"}
    heads = {f"{name}_{when}": f"{said} {when}" for name, said in words.items() for when in ways}
    sizes, ratios = "n_before n1_before n_after n1_after", "ratio_before ratio_after"
    known = formed(columns, heads, count=sizes, ratio=ratios, signed=" ".join(parts))
    return Table("change by segment", known)


def _by_pds(
    samples: BothSamples, metric: RankingMetric, level: float, *, pd: Any, calibration: Matching
) -> Attribution:
    """Return the change of an AUC or accuracy ratio as the portfolio's and the model's."""
    first, last = (sample.whole for sample in samples)
    found = implied_parts(first, last, pd=pd, calibration=calibration, level=level)
    if metric == "roc_auc":
        found = {
            name: each.as_auc() if "implied" in name else each.over(2, each.estimate / 2)
            for name, each in found.items()
        }
    return Attribution(
        **_tested((first, last), metric, level),
        parts={name: found[name] for name in ("portfolio", "model")},
        implied=(found["implied_before"], found["implied_after"]),
    )


def _at_depth(samples: BothSamples, metric: OfShare, q: float, level: float) -> Attribution:
    """Return the change of a number at a depth, and how much is the ranking or the prevalence."""
    before, after = (sample.whole for sample in samples)
    values = _values_at_depth(_as_draw(before), _as_draw(after), metric, q)
    known = all(sample.masses is not None for sample in samples)
    spread = _spread_at_depth(before, after, metric, q) if known else None
    estimates = _parts_at_depth(values)[0].tolist()
    ranking, prevalence, change = _intervals(
        samples, level, "each sample drawn anew", estimates, spread
    )
    first, last = float(values[0, 0, 0]), float(values[0, 1, 1])
    return Attribution(
        metric=metric,
        before=first,
        after=last,
        change=_tested_at_depth(change, {"before": first, "after": last}, spread),
        parts={"ranking": ranking, "prevalence": prevalence},
        level=level,
    )


def _tested_at_depth(
    change: Interval, estimates: Mapping[str, float], spread: PartSpread | None
) -> Test:
    """Return the test of a change, which is the last of the numbers of a spread."""
    untested = _untested(change.level, None, estimates)
    if change.se is None or spread is None:
        return untested
    df, statistic = float(spread.df[-1]), 0.0
    if change.estimate:
        statistic = change.estimate / change.se if change.se else math.inf
    names = ("estimate", "se", "low", "high", "method")
    return replace(
        untested,
        statistic=statistic,
        p_value=p_value_of(statistic, df, "two-sided"),
        df=df,
        notes=(),
        **{name: getattr(change, name) for name in names},
    )


def _values_at_depth(before: Draws, after: Draws, metric: OfShare, q: float) -> Floats:
    """Return a metric with the ranking of one sample and the prevalence of one: (draws, 2, 2)."""
    both = (before, after)
    which: Rate = "precision" if metric == "precision" else "captured_response"
    # A draw without one of the classes has no value, which whoever draws leaves out.
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = [[column.sum(axis=1, keepdims=True) for column in classes] for classes in both]
        rates = [positives / (positives + negatives) for positives, negatives in sums]
        rows = [[rates_at_share(p, n, q, which, rate) for rate in rates] for p, n in both]
        draws = max(len(p) for p, _ in both)
        found = np.array([[np.broadcast_to(values, draws) for values in row] for row in rows])
        return found.transpose(2, 0, 1) / (q if metric == "lift" else 1)


def _parts_at_depth(values: Floats) -> Floats:
    """Return ranking, prevalence, each in the mean of both orders, and the change: (draws, 3)."""
    change = values[:, 1, 1] - values[:, 0, 0]
    early, late = values[:, 1, 0] - values[:, 0, 0], values[:, 1, 1] - values[:, 0, 1]
    ranking = (early + late) / 2
    return np.stack([ranking, change - ranking, change], axis=1)


def _as_draw(counts: ScoreCounts) -> Draws:
    """Return the sample itself, as one draw."""
    return counts.positives[None].astype(np.float64), counts.negatives[None].astype(np.float64)


def _spread_at_depth(
    before: ScoreCounts, after: ScoreCounts, metric: OfShare, q: float
) -> PartSpread:
    """Return how far chance moves ranking, prevalence and change, one sample drawn at a time."""
    for counts in (before, after):
        require_rows(counts)
    samples = [few_cells(before), few_cells(after)]
    found: list[tuple[Floats, float]] = []
    moves = []
    for u, counts in enumerate(samples):
        fixed = _as_draw(samples[1 - u])

        def parts(p: Floats, n: Floats, u: int = u, fixed: Draws = fixed) -> Floats:
            both = ((p, n), fixed) if u == 0 else (fixed, (p, n))
            return _parts_at_depth(_values_at_depth(*both, metric, q))

        if counts.groups is None:
            sampling = Resampling(counts, SEGMENT_REPLICATES, ATTRIBUTION_SEED)
            spread = np.nanvar(sampling.draw(parts, stratified=False), axis=0)
            found.append((spread, min(rows_per_class(counts)) - 1.0))
        else:  # each group of clusters is left out, of both samples at once
            moves.append(leave_out(counts, parts).moves[0].T)
    if moves:
        squares, groups = squares_of_groups(moves)
        found.append(((groups - 1) / groups * squares, groups - 1.0))
    return PartSpread.of(found)
