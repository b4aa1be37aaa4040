"""The headline numbers of a summary, as they are written wherever they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.summary.chance import TOP
from capcurve.view.format import aligned_percent, amount, cut_off, limits, number, percent, show

if TYPE_CHECKING:
    from capcurve.metrics import KS
    from capcurve.summary import Summary

UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number.

    Attributes
    ----------
    key
        A stable name, such as "accuracy_ratio".
    label, short
        What it is, and the same where there is little room.
    value
        The number.
    limits
        Its interval, "[low, high]"; empty where there is none.
    note
        What else there is to know of it, or nothing.
    """

    key: str
    label: str
    short: str
    value: str
    limits: str = ""
    note: str = ""


def figures(summary: Summary) -> list[Figure]:
    """Return the headline numbers in the order in which they are read.

    Examples
    --------
    >>> from capcurve import count_scores, summarize
    >>> found = figures(summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])))
    >>> [f"{figure.label}: {figure.value}" for figure in found[:4]]
    ['cases: 5', 'positives: 3', 'prevalence: 60.0%', 'accuracy ratio (Gini): 0.333']
    """
    if summary.accuracy_ratio is None or summary.roc_auc is None or summary.ks is None:
        undefined = Figure("accuracy_ratio", "accuracy ratio", "accuracy ratio", UNDEFINED)
        return [*_cases(summary), undefined]
    return [
        *_cases(summary),
        Figure(
            "accuracy_ratio",
            "accuracy ratio (Gini)",
            "accuracy ratio",
            number(summary.accuracy_ratio),
            limits_of(summary, "accuracy_ratio"),
            _by_tie_order(summary),
        ),
        Figure("roc_auc", "ROC AUC", "AUC", number(summary.roc_auc), limits_of(summary, "roc_auc")),
        Figure(
            "ks",
            "KS",
            "KS",
            number(summary.ks.statistic),
            limits_of(summary, "ks"),
            place_of_ks(summary, summary.ks),
        ),
        *_at_shares(summary),
    ]


def _cases(summary: Summary) -> list[Figure]:
    weight = " (weight)" if summary.weighted else ""
    distinct = f"{amount(summary.distinct_scores)} distinct scores"
    found = [
        Figure("n", f"cases{weight}", f"cases{weight}", amount(summary.n), note=distinct),
        Figure("n1", f"positives{weight}", f"positives{weight}", amount(summary.n1)),
    ]
    if summary.prevalence is not None:
        label = "prevalence" if summary.stated_prevalence is None else "prevalence, as stated"
        rate = aligned_percent(summary.prevalence)
        found.append(Figure("prevalence", label, label, rate))
    return found


def _at_shares(summary: Summary) -> list[Figure]:
    """Return what the top shares capture, and their lift; totals may not tell them all."""
    captured = [("captured", q, aligned_percent(held)) for q, held in summary.captured.items()]
    lift = [("lift", q, number(times, 2)) for q, times in summary.lift.items()]
    return [
        Figure(
            key := f"{name}_{round(100 * q)}",
            f"{name} in the top {percent(q)}",
            f"{name} at {percent(q)}",
            value,
            limits_of(summary, key),
        )
        for name, q, value in captured + lift
    ]


def headlines(summary: Summary) -> list[Figure]:
    """Return the headline numbers with the lift of the first share alone."""
    first = f"lift_{round(100 * TOP)}"
    return [f for f in figures(summary) if not f.key.startswith("lift_") or f.key == first]


def limits_of(summary: Summary, key: str) -> str:
    """Return the interval of a headline number, or nothing."""
    found = summary.intervals.get(key)
    return "" if found is None else limits(key, found.low, found.high)


def place_of_ks(summary: Summary, found: KS) -> str:
    """Return the cut-off at which KS is reached, and the share that it selects."""
    if found.threshold is None:
        return "no cut-off separates the classes"
    graded = summary.levels is not None
    cut = cut_off(found.threshold, summary.higher_is, graded=graded)
    return f"{cut if graded else f'at {cut}'}, top {show('ks_q', summary.share_at_ks)}"


def _by_tie_order(summary: Summary) -> str:
    low, high = summary.accuracy_ratio_tie_low, summary.accuracy_ratio_tie_high
    if not summary.tie_mass or low is None or high is None or number(low) == number(high):
        return ""
    return f"{number(low)} to {number(high)} by tie order"


def verdict_sentence(summary: Summary) -> str:
    """Return the verdict as a sentence of its own, or nothing."""
    if summary.verdict is None:
        return ""
    said = summary.verdict.sentence
    return f"{said[0].upper()}{said[1:]}."
