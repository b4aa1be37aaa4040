"""Summarizing: every number of a report read off the counts, and what chance leaves of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capcurve import metrics
from capcurve.counts.arguments import as_open_share
from capcurve.curves import cap_curve, lift_curve
from capcurve.curves.shares import sample_rate
from capcurve.summary.chance import HEADLINES, QUICK, SHARES, intervals_of
from capcurve.summary.findings import BINS, findings_of, without_intervals
from capcurve.summary.known import (
    MANY_CELLS,
    about_totals,
    begun,
    heights,
    known,
    outline,
    small_cells,
)
from capcurve.summary.summary import Summary, weight_text
from capcurve.summary.verdict import verdict_of
from capcurve.tables import gains_table
from capcurve.tables.steps import percent, reading

if TYPE_CHECKING:
    from capcurve.counts import Ranking


def summarize(
    counts: Ranking,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
) -> Summary:
    """Return every number of a report about one score, with what chance leaves of it.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    name
        What to call the score.
    prevalence
        Re-weight the classes to a population in which this share is positive.
    level
        Confidence level of the intervals, in (0, 1).

    Returns
    -------
    Summary
        With counts that lack a class, the numbers that need it are None and `undefined` says
        why: a month without defaults does not stop a report. Where it is not known what one
        case is, as with weights without a `weight_kind`, there are no intervals, and
        `intervals_undefined` says why.

    Raises
    ------
    ValueError
        For a level outside (0, 1).

    Examples
    --------
    >>> from capcurve import count_scores
    >>> found = summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    >>> found.roc_auc == 2 / 3, found.verdict.sentence
    (True, 'not distinguishable from a random score (p = 0.800)')
    """
    found = _numbers(counts, name, prevalence, HEADLINES, level)
    if found.undefined is not None:
        return found
    return replace(found, verdict=verdict_of(counts, found.level))


def summarize_segment(
    counts: Ranking,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
) -> Summary:
    """Return the summary of one of many segments: without KS's interval and the verdict.

    These two resample or count orders, which for thousands of segments nobody waits for.
    """
    return _numbers(counts, name, prevalence, QUICK, level)


def _numbers(
    counts: Ranking,
    name: str,
    prevalence: float | None,
    intervals: tuple[str, ...],
    level: float,
) -> Summary:
    level = as_open_share(level, "level")
    prevalence = None if prevalence is None else as_open_share(prevalence, "prevalence")
    digest = begun(counts.digest) if len(counts) >= MANY_CELLS else counts.digest
    near = outline(counts, SHARES, bins=BINS, prevalence=prevalence)
    base = {**_base(counts, near, name, prevalence), "level": level}
    undefined = _why_undefined(counts)
    if undefined is not None:
        sentence = f"The numbers are undefined: {undefined}."
        return Summary(
            **base,
            digest=digest(),
            undefined=undefined,
            intervals_undefined=undefined,
            sentence=sentence,
        )
    numbers = _estimates(counts, near, prevalence)
    base["findings"] += about_totals(counts, numbers)
    found, why = intervals_of(counts, near, intervals, level=level, prevalence=prevalence)
    base["findings"] += without_intervals(counts, why)
    sentence = _sentence(counts, numbers)
    return Summary(
        **base,
        **numbers,
        digest=digest(),
        intervals=found,
        intervals_undefined=why,
        sentence=sentence,
    )


def _estimates(counts: Ranking, near: Ranking, prevalence: float | None) -> dict[str, Any]:
    bounds = metrics.accuracy_ratio_bounds(counts)
    captured, lift = (
        heights(near, curve, SHARES)
        for curve in (cap_curve(near, prevalence=prevalence), _lift(near, prevalence))
    )
    return {
        "accuracy_ratio": metrics.accuracy_ratio(counts),
        "accuracy_ratio_low": bounds.low,
        "accuracy_ratio_high": bounds.high,
        "roc_auc": metrics.roc_auc(counts),
        "ks": metrics.ks(near),
        "tie_mass": metrics.tie_mass(counts),
        "somers_d": metrics.somers_d(counts),
        "kendall_tau_b": known(counts, metrics.kendall_tau_b) if len(counts) > 1 else None,
        "pietra_index": metrics.pietra_index(near),
        "bayesian_error_rate": known(near, metrics.bayesian_error_rate, prior=prevalence),
        "conditional_information_entropy_ratio": known(
            counts, metrics.conditional_information_entropy_ratio
        ),
        "information_value": known(counts, metrics.information_value),
        "captured": captured,
        "lift": lift,
        "gains": known(near, gains_table, bins=BINS, prevalence=prevalence),
    }


def _lift(counts: Ranking, prevalence: float | None) -> Any:
    return lift_curve(counts, prevalence=prevalence)


def _base(counts: Ranking, near: Ranking, name: str, prevalence: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "n": counts.n,
        "n1": counts.n1,
        "n0": counts.n0,
        "prevalence": sample_rate(counts, prevalence) if len(counts) else None,
        "stated_prevalence": prevalence,
        "distinct_scores": len(counts),
        "small_cells": small_cells(counts),
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "weight_kind": counts.weight_kind,
        "weighted": not counts.is_whole,
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "findings": findings_of(counts, near),
    }


def _why_undefined(counts: Ranking) -> str | None:
    if not len(counts):
        return "there are no cases"
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return f"there are no {name} among the {counts.n:,} cases"
    return None


def _sentence(counts: Ranking, numbers: dict[str, Any]) -> str:
    top = SHARES[0]
    captured = numbers["captured"].get(top)
    first = None if captured is None else reading((top, captured))
    cases = (
        f"{counts.n:,} cases with {counts.n1:,} positives"
        if counts.is_whole
        else f"a weight of {weight_text(counts.n)}, {percent(counts.n1 / counts.n)} of it positive"
    )
    said = f"{first}; the" if first else "the"
    return (
        f"{said[0].upper()}{said[1:]} accuracy ratio is {numbers['accuracy_ratio']:.3f} on {cases}."
    )
