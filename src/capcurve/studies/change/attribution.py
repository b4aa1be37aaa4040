"""attribute_change: how much of a change is mix of segments, ranking within and between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

from capcurve.counts.arguments import as_name, as_open_share, as_share, as_whole, told
from capcurve.curves.shares import require
from capcurve.show.result import Result
from capcurve.studies.change.explained import (
    AtDepth,
    explained,
    explained_at_depth,
    explained_by_pds,
    with_limits_seen,
)
from capcurve.studies.change.findings import findings_of
from capcurve.studies.change.pairs import AFTER, BEFORE
from capcurve.studies.change.records import ChangeMetric, Explained, Mix
from capcurve.studies.change.sample import Sample
from capcurve.studies.change.segments import as_segments, keys_of, pooled, small_segments
from capcurve.studies.change.shown import presentation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.inference.implied import Calibration
    from capcurve.inference.records import Metric
    from capcurve.show.presentation import Presentation
    from capcurve.studies.change.segments import Both, Segments

ALSO = {"ar": "accuracy_ratio", "gini": "accuracy_ratio", "auc": "roc_auc"}
# With fewer of a class in a segment, limits were seen to hold in as few as 86% of samples at 95%.
FEW = 10
MOST_CASES = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Attribution(Explained, Result):
    """Why a number changed between two samples: its parts, which add up to the change.

    Attributes
    ----------
    metric
        What changed: "accuracy_ratio", "roc_auc", or at a depth "captured_response", "lift" or
        "precision".
    q
        The depth; None without one.
    mix
        How the mix is split: "classes" or "cases".
    level
        Confidence level of all limits.
    before, after
        The number in each sample.
    change
        The test of the change, after less before, with limits and p-value.
    parts
        By name, each with estimate, se, low and high: "mix", "mix_positives" and "mix_negatives"
        (or "mix_cases" and "mix_rates") that add up to it, "within" and "between". At a depth
        "ranking" and "prevalence"; with `pd` "portfolio" and "model". Limits are NaN and se is
        None where there are too few cases. Limits alone are NaN, and notes say so, of "within"
        and "between" where a segment of both samples has fewer than two positives or negatives in
        one: se is then that of the others.
    segments
        A row per segment: cases, positives and the number itself before and after, and its part of
        each part; None at a depth and with `pd`.
    findings
        What a careful reader would notice.
    by
        What the segments are.
    labels
        What the two samples are called.
    implied
        With `pd`, the number that the PDs promise, before and after; else None.
    pooled
        The segments that were put together for having fewer cases than `least`.
    small
        The segments with fewer than 10 rows of a class in a sample, whose limits do not hold.
    """

    _as_rows = frozenset({"segments"})

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of(self)


def attribute_change(
    before: Segments | ScoreCounts,
    after: Segments | ScoreCounts,
    *,
    metric: ChangeMetric = "accuracy_ratio",
    q: float | None = None,
    mix: Mix = "classes",
    level: float = 0.95,
    least: int = 0,
    pd: Any = None,
    calibration: Calibration = "matched",
    by: str = "segment",
    labels: tuple[str, str] = ("before", "after"),
) -> Attribution:
    """Say how much of a change of the accuracy ratio is the mix of segments and how much ranking.

    Parameters
    ----------
    before, after
        Counts by segment of two samples, as `count_segments` returns them, such as two periods by
        product. Scores may be on another scale in each.
    metric
        What to explain: "accuracy_ratio" or "roc_auc"; "captured_response", "lift" or "precision"
        of the top share `q`, which change with the ranking and with the prevalence.
    q
        The share of cases selected, for the latter three.
    mix
        How to split the mix: "classes", by the segments' shares of the positives and of the
        negatives; or "cases", by their shares of the cases and their rates of positives.
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
        What the segments are called together, such as "product".
    labels
        What the two samples are called.

    Returns
    -------
    Attribution
        `before`, `after`, `change` with its p-value, `parts`, `segments` and `findings`; it shows
        itself as text, picture and page.

    Raises
    ------
    ValueError, TypeError
        Without both classes in both samples, or when something other than counts is given.

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

    >>> from capcurve import count_segments
    >>> one = ["all"] * 4
    >>> before = count_segments([1, 0, 1, 0], [4, 3, 2, 1], by=one)
    >>> after = count_segments([1, 1, 0, 0], [4, 3, 2, 1], by=one)
    >>> why = attribute_change(before, after, metric="roc_auc")
    >>> why.change.estimate, why.parts["within"].estimate, why.parts["mix"].estimate
    (0.25, 0.25, 0.0)
    """
    metric = cast("ChangeMetric", as_name(metric, "metric", get_args(ChangeMetric), ALSO))
    mix = cast("Mix", as_name(mix, "mix", get_args(Mix), {}))
    level = as_open_share(level, "level")
    q = _depth(metric, q)
    _refuse_unused(metric, mix, least, pd, calibration)
    labels, by = _names(labels, by)
    both, together = _segments(before, after, least)
    keys = keys_of(both)
    samples = (_sample(both[BEFORE], keys, labels[0]), _sample(both[AFTER], keys, labels[1]))
    if q is not None:
        found = explained_at_depth(samples, cast("AtDepth", metric), q, level)
    elif pd is not None:
        of_pds = {"pd": pd, "calibration": calibration}
        found = explained_by_pds(samples, cast("Metric", metric), level, **of_pds)
    else:
        found = explained(samples, keys, cast("Metric", metric), level, swapped=mix == "cases")
        found = replace(found, parts=with_limits_seen(found.parts, both))
    answer = Attribution(
        metric=metric,
        before=found.ends[0],
        after=found.ends[1],
        change=found.change,
        parts=found.parts,
        segments=found.segments,
        level=level,
        q=q,
        mix=mix,
        by=by,
        labels=labels,
        implied=found.implied,
        pooled=together,
        small=small_segments(both, FEW) if found.segments is not None else (),
    )
    return replace(answer, findings=findings_of(answer))


def _names(labels: Any, by: Any) -> tuple[tuple[str, str], str]:
    """Return what the samples and the segments are called, else raise TypeError."""
    named = isinstance(labels, tuple | list) and all(isinstance(each, str) for each in labels)
    if not named or len(labels) != 2:  # noqa: PLR2004 - before and after
        raise TypeError(f"labels must be two names, of before and after, got {told(labels)}")
    if not isinstance(by, str) or not by.strip():
        raise TypeError(f'by must say what the segments are, such as "product", got {told(by)}')
    return (labels[0], labels[1]), by


def _segments(before: Any, after: Any, least: int) -> tuple[Both, tuple[Any, ...]]:
    """Return the segments of both samples, and which of them were put together."""
    both = (as_segments(before, "before"), as_segments(after, "after"))
    small = small_segments(both, as_whole(least, "least", 0, MOST_CASES))
    if len(small) < 2:  # noqa: PLR2004 - a single one has nothing to be put together with
        return both, ()
    return pooled(both, small), small


def _refuse_unused(
    metric: ChangeMetric, mix: Mix, least: int, pd: Any, calibration: Calibration
) -> None:
    """Raise ValueError where something is asked that this way to split has no use for."""
    of_segments, at_depth = mix != "classes" or bool(least), metric in get_args(AtDepth)
    if pd is None and calibration != "matched":
        raise ValueError("calibration is of PDs; pass pd, or leave it out")
    if pd is not None and at_depth:
        raise ValueError(f"pd splits a change of accuracy_ratio or roc_auc, not of {metric}")
    if pd is not None and of_segments:
        raise ValueError("pd takes the place of segments; leave out mix and least")
    if at_depth and of_segments:
        raise ValueError(f"{metric} is split without segments; leave out mix and least")


def _sample(segments: Segments, keys: Sequence[Any], name: str) -> Sample:
    """Return a sample that has both classes, or raise ValueError naming it."""
    found = Sample.of(segments, keys)
    try:
        require(found.whole, "positives", "negatives")
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return found


def _depth(metric: ChangeMetric, q: float | None) -> float | None:
    """Return the depth that a metric needs, or raise ValueError."""
    if metric not in get_args(AtDepth):
        if q is not None:
            raise ValueError(f"q is for {', '.join(get_args(AtDepth))}; {metric} has no depth")
        return None
    if q is None:
        raise ValueError(f"{metric} is read at a depth; pass q=, the share of cases selected")
    return as_share(q, "q", some=True)
