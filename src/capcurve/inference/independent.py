"""Comparing AUCs of separate samples, and one with the first validation."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from capcurve.counts import Ranking
from capcurve.gate.alike import OUTCOME, refuse_unlike
from capcurve.gate.given import as_ranking
from capcurve.gate.taking import INDEPENDENT, about_classes, of_two_columns
from capcurve.inference import differences, records, variances
from capcurve.inference.designs import effective_sizes, freedom_text
from capcurve.inference.differences import Alternative, Joined, Question, Spread, spread_along
from capcurve.inference.horizon import all_left_out, horizon_estimates
from capcurve.inference.limits import CERTIFICATE
from capcurve.inference.ranking import default_interval
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.metrics import METRICS, roc_auc
from capcurve.numbers.arguments import as_open_share, as_word, refused, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.inference.variances import Variance


Law = Literal["mover", "welch", "normal"]
MOST_GRADES_COMPARED = 30
ALL_POSSIBLE = (
    "the sample shows no spread, so the variance is the largest that the metric's range allows"
)
NO_SPREAD_APART = (
    "a sample ranks every pair alike and so shows no spread; its variance is that of Hanley & "
    "McNeil, half a pair from the end"
)
KNOWN_INITIAL = (
    "the initial value is treated as known. If it was estimated on as many cases, a 5% test "
    "raises a false alarm in 12.2% of samples"
)


@of_two_columns(INDEPENDENT)
def compare_independent(
    first: Ranking,
    second: Ranking,
    *,
    metric: str = "accuracy_ratio",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    law: Law = "mover",
    variance: Variance = "delong",
) -> Test:
    """Test the difference between the AUCs of two independent samples.

    For scores on the same rows use `compare`, which knows what they have in common.

    Parameters
    ----------
    first, second
        What was counted on different cases: two segments, two periods, two banks. Scores may be
        on another scale in each, outcomes are by the same horizon. When both have clusters,
        clusters that are in both (an obligor in two periods) are accounted for.
    metric
        "accuracy_ratio" ("ar"), "roc_auc" ("auc"), or another metric that tells how far each case
        moves it, such as "average_precision" ("ap"), by name or as its function: what the
        difference and `margin` are measured in.
    level
        Confidence level of the two-sided limits.
    margin
        The difference that matters, zero or more.
    alternative
        What to show of the first against the second, as in `compare`.
    law
        "mover": the limits are those of `confidence_interval` of each sample, joined (the method
        of variance estimates recovery): of two sides, or where the alternative has one side
        one-sided ones, which are certificates. The p-value is one less the largest level at which
        they exclude what is asked; "welch": Student's t with
        (v1 + v2)²/(v1²/(N1 - 1) + v2²/(N2 - 1)) degrees of freedom, N all cases of a sample, as
        R's pROC has it; "normal". When both samples have clusters, "mover" is Welch's t of the
        jackknife.
    variance
        Formula for the variance of each AUC, as in `auc_variance`; of clustered counts always
        the jackknife over groups of clusters.

    Returns
    -------
    Test
        The difference, first less second. With "mover" the statistic is the normal quantile
        that goes with the p-value.

    Raises
    ------
    ValueError
        With fewer than two cases in a class, a margin that fits no alternative, or weights
        of unknown kind.

    Notes
    -----
    Zou & Donner (2008), Stat. Med. 27, 1693-1702; Newcombe (1998), Stat. Med. 17, 873-890. Welch's
    t rejects a true null hypothesis of 5% in up to 19% of samples of 8 against 150 positives.

    Examples
    --------
    Both AUCs are 3/4 with variance 1/8, those of the accuracy ratios four times as much.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> found = compare_independent(counts, counts, law="welch")
    >>> found.estimate, found.se, found.df, found.p_value
    (0.0, 1.0, 6.0, 1.0)
    """
    as_word(law, "law", get_args(Law), either=True)
    first, second = (
        as_ranking(each, "compare_independent", instead="confidence_interval")
        for each in (first, second)
    )
    refuse_unlike([first, second], ["first", "second"], OUTCOME)
    question = differences.ask(alternative, margin, metric, as_open_share(level, "level"))
    metric, spread = question.metric, spread_between(first, second, variance, law, question)
    values = {"first": records.auc_or(first, metric), "second": records.auc_or(second, metric)}
    difference = values["first"] - values["second"]
    method = f"different rows, {spread.method}, {law_of_spread(spread)}"
    return differences.difference_test(
        "first - second", values, difference, spread, question, method
    )


def spread_between(
    first: Ranking, second: Ranking, variance: Variance, law: Law, about: Question
) -> Spread:
    """Return how the difference of two samples varies, by one of the laws."""
    metric, allowance = about.metric, about.allowance
    if first.groups is not None and second.groups is not None:
        found = _spread_of_clusters((first, second), (1.0, -1.0), variance, metric)
        return replace(found, df=None) if law == "normal" else found
    parts = [spread_of_one(counts, variance, metric) for counts in (first, second)]
    total = sum(part.variance for part in parts)
    methods = " and ".join(dict.fromkeys(part.method for part in parts))
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    if law == "mover":
        known = records.influenced(metric)
        limited = [default_interval(each, variance, known, allowance) for each in (first, second)]
        return Joined(total, None, methods, notes, *limited)
    df = total**2 / sum(part.variance**2 / (part.df or math.inf) for part in parts)
    return Spread(total, df if law == "welch" else None, methods, notes)


def law_of_spread(spread: Spread) -> str:
    """Return the law by which a difference is tested."""
    if isinstance(spread, differences.ByLimits):
        return "joined intervals (MOVER)"
    if isinstance(spread, differences.BySigns):
        return "signs"
    return "normal" if spread.df is None else f"t({freedom_text(spread.df)})"


def difference_limits(
    first: Ranking | Interval | float, second: Ranking | Interval | float, confidence: float
) -> Interval:
    """Return limits of a difference of accuracy ratios, each one-sided with this confidence."""
    # As `compare_independent`: limits of both samples are joined, Zou & Donner (2008), Stat. Med.
    # 27.
    if not as_open_share(confidence, "confidence") >= 0.5:  # noqa: PLR2004 - the median
        raise ValueError(f"confidence must be 0.5 or more, got {confidence}")
    if isinstance(first, Ranking) and isinstance(second, Ranking):
        spread = spread_between(first, second, "delong", "mover", Question("superior"))
        difference = roc_auc(first) - roc_auc(second)
    else:
        several = [_limits_of_auc(sample) for sample in (first, second)]
        ends = [limited(Confidence.at(0.0)) for limited in several]
        difference = ends[0].estimate - ends[1].estimate
        se = math.hypot(*(end.se or 0.0 for end in ends))
        spread = Joined(se**2, None, "limits", (), *several)
    one_sided, factor = Confidence(confidence, "lower"), records.factor_of("accuracy_ratio")
    (low, high), notes = differences.scaled_limits(spread, difference, one_sided, "accuracy_ratio")
    estimate, se = factor * difference, factor * math.sqrt(spread.variance)
    notes = (*spread.notes, *notes)
    return Interval(low, estimate, high, one_sided.level, law_of_spread(spread), se, notes)


def _limits_of_auc(sample: Ranking | Interval | float) -> Callable[[Confidence], Interval]:
    """Return the limits of an AUC, at any confidence, of counts or of a known accuracy ratio."""
    if isinstance(sample, Ranking):
        return default_interval(sample, allowance=CERTIFICATE)
    if isinstance(sample, Interval):
        return partial(_at_another_level, sample.as_auc())
    return _known(_as_auc(sample, "accuracy_ratio"))


def _known(value: float) -> Callable[[Confidence], Interval]:
    return lambda confidence: confidence.certain(value, "known without error")


def _at_another_level(known: Interval, confidence: Confidence) -> Interval:
    """Return an interval of an AUC at another level: distances grow with the normal quantile."""
    # On the scale ln(A/(1 - A)), which limits of an AUC are nearly symmetric on; where a limit or
    # the AUC is 0 or 1, as they are.
    from scipy.special import expit, logit as log_odds

    times = confidence.z / Confidence(known.level).z
    limits = []
    for limit in (known.low, known.high):
        if 0 < limit < 1 and 0 < known.estimate < 1:
            middle = log_odds(known.estimate)
            limits.append(float(expit(middle + times * (log_odds(limit) - middle))))
        else:
            moved = known.estimate + times * (limit - known.estimate)
            limits.append(min(max(moved, 0.0), 1.0))
    return replace(known, low=limits[0], high=limits[1])


def spread_of_one(
    counts: Ranking, variance: Variance = "delong", metric: str = "roc_auc"
) -> Spread:
    """Return the variance of one AUC, or metric, above zero, of clustered rows or others."""
    if counts.groups is not None:
        return _spread_of_clusters((counts,), (1.0,), variance, metric)
    known = records.influenced(metric)
    if known is not None:
        if variance != "delong":
            raise ValueError(f'variance="{variance}" is a formula for AUCs; leave it out')
        found = variances.metric_estimates(counts.every_score(), known)
        return spread_along(found, [1.0], ALL_POSSIBLE)[1]
    if counts.times is not None and variance == "delong":
        return spread_along(horizon_estimates(counts), [1.0], NO_SPREAD_APART)[1]
    value, careful = variance_above_zero(counts, variance)
    df, notes = sum(effective_sizes(counts)) - 1, (NO_SPREAD_APART,) if careful else ()
    return Spread(value, df, f"{variances.VARIANCES[variance]} variances", notes)


def spread_by_limits(counts: Ranking) -> Spread:
    """Return how one AUC varies, by its default limits, against a value that is known."""
    found = spread_of_one(counts)
    limited = default_interval(counts)
    return Joined(found.variance, None, found.method, found.notes, limited, _known(0.0))


def _spread_of_clusters(
    several: Sequence[Ranking], weights: Sequence[float], variance: Variance, metric: str
) -> Spread:
    if variance != "delong":
        raise ValueError(
            f'variance="{variance}" treats rows as independent, and these are clustered; '
            "leave it out for the jackknife over groups of clusters"
        )
    held = [counts.every_score() for counts in several]
    without_spread = ALL_POSSIBLE if records.influenced(metric) else differences.NO_SPREAD_OF_GROUPS
    found = all_left_out(held, metric)
    return spread_along(found, weights, without_spread, apart=len(held) > 1)[1]


def variance_above_zero(counts: Ranking, variance: Variance) -> tuple[float, bool]:
    """Return the variance of the AUC, and whether it had to be taken from the AUC alone."""
    value = variances.auc_variance(counts, variance)
    if value > 0:
        return value, False
    return variances.careful_variance(roc_auc(counts), *effective_sizes(counts)), True


@about_classes("confidence_interval")
def test_against_initial(
    counts: Ranking,
    initial: float | Ranking,
    *,
    metric: str = "roc_auc",  # noqa: PT028 - not a test of this project
    variance: Variance = "delong",  # noqa: PT028 - not a test of this project
) -> Test:
    """Test for a fall since the initial validation: whether a model ranks worse than at first.

    `estimate` is the loss, initial less current; a small p-value says it is not chance.

    Parameters
    ----------
    counts
        Today's cases, by rating grade.
    initial
        The value at first validation, in `metric`: taken as known, as the ECB prescribes. Or
        the counts of that sample, counted alike: its own chance is then taken into account.
    metric
        "roc_auc", or "accuracy_ratio" or another metric with influences when `initial` is one.
    variance
        Formula for the variance of the AUC; the ECB's is "delong". Clustered counts take the
        jackknife over groups of clusters, with Student's t.

    Raises
    ------
    ValueError, TypeError
        With fewer than two cases in a class, an initial value that is none, or weights of
        unknown kind.

    Warns
    -----
    UserWarning
        Above 30 distinct scores: the ECB wants rating grades, which lie below the score.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5.4.1:
    S = (AUC_init - AUC_curr)/s with s from the current sample, p = 1 - Φ(S). When the initial
    value was itself estimated on as many cases, 12.2% rather than 5% of unchanged models fall
    below p = 5%: 1 - Φ(1.645/√2). The two-sample form joins the limits of both samples, as
    `compare_independent` does, and keeps the 5%.

    Examples
    --------
    The AUC is 3/4 with variance 1/8, so 0.95 lies 0.2/√(1/8) standard errors above.

    >>> from capcurve import count_scores
    >>> found = test_against_initial(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), initial=0.95)
    >>> round(found.estimate, 12), round(found.se**2, 12), round(found.statistic, 4)
    (0.2, 0.125, 0.5657)
    """
    question = differences.ask("superior", None, metric)
    metric, two = question.metric, isinstance(initial, Ranking)
    current = records.auc_or(counts, metric)
    if isinstance(initial, Ranking):
        refuse_unlike([initial, counts], ["the initial sample", "the current one"])
        before = records.auc_or(initial, metric)
        spread = spread_between(initial, counts, variance, "mover", question)
    else:
        before, spread = _as_auc(initial, metric), spread_of_one(counts, variance, metric)
        if counts.groups is None:
            spread = replace(spread, df=None)
    notes = (*spread.notes, *(() if two else (KNOWN_INITIAL,)), *_about_grades(counts))
    found = differences.difference_test(
        "initial - current",
        {"initial": before, "current": current},
        before - current,
        replace(spread, notes=notes),
        question,
        f"{'two samples' if two else 'initial value known (ECB)'}, {spread.method}, "
        f"{law_of_spread(spread)}",
    )
    return replace(found, alternative="the current one is lower")


# Else pytest would take the function for a test wherever it is imported.
test_against_initial.__test__ = False  # type: ignore[attr-defined]  # read by pytest


def _as_auc(initial: object, metric: str) -> float:
    (low, high), label = METRICS[metric].ends, METRICS[metric].label
    if isinstance(initial, bool) or not isinstance(initial, int | float | np.number):
        raise TypeError(
            f"{refused('initial')} be counts or the {label} as a number, got {told(initial)}"
        )
    if not low <= initial <= high:
        within = f"[{low:g}, {high:g}]"
        raise ValueError(f"{refused('initial')} be the {label}, in {within}, got {told(initial)}")
    return (1 + float(initial)) / 2 if metric == "accuracy_ratio" else float(initial)


def _about_grades(counts: Ranking) -> list[str]:
    if len(counts) <= MOST_GRADES_COMPARED:
        return []
    found = (
        f"there are {len(counts)} distinct scores; the ECB test is made on rating grades, and "
        "on scores it compares another number"
    )
    # That of the call of the test, beyond what resolves its first argument.
    warnings.warn(found, UserWarning, stacklevel=4)
    return [found]
