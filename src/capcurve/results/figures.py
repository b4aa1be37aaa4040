"""The headline numbers of a summary, as they are written wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.results.chance import MEAN_OF_TOP, TOP
from capcurve.results.implied import implied_sentence
from capcurve.show.figure import Figure
from capcurve.show.format import (
    amount,
    chance_text,
    cut_off,
    form_of,
    limits,
    number,
    outward,
    percent,
    show,
    stated_percent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.inference import Interval, Test
    from capcurve.metrics import KS
    from capcurve.results import Summary, ValueSummary
    from capcurve.show.format import Form


def figures(summary: Summary | ValueSummary) -> list[Figure]:
    """Return the headline numbers in the order in which they are read.

    Examples
    --------
    >>> from capcurve import count_scores, summarize
    >>> found = figures(summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])))
    >>> [f"{figure.label}: {figure.text}" for figure in found[:4]]
    ['cases: 5', 'positives: 3', 'prevalence: 60.0%', 'accuracy ratio (Gini): 0.333']
    """
    if summary.kind == "amounts":
        return _of_amounts(summary)
    ratio, auc, found = summary.accuracy_ratio, summary.roc_auc, summary.ks
    if ratio is None or auc is None or found is None:
        undefined = Figure("accuracy_ratio", "accuracy ratio", "accuracy ratio", None, "ratio")
        return [*_cases(summary), undefined, *_implied(summary)]
    return [
        *_cases(summary),
        _figure(
            summary,
            *("accuracy_ratio", "accuracy ratio (Gini)", "accuracy ratio", ratio, "ratio"),
            note=_by_tie_order(summary),
        ),
        *_implied(summary),
        _figure(summary, "roc_auc", "ROC AUC", "AUC", auc, "ratio"),
        _figure(
            summary, "ks", "KS", "KS", found.statistic, "ratio", note=place_of_ks(summary, found)
        ),
        *_at_shares(summary),
    ]


def _figure(
    summary: Summary | ValueSummary,
    metric: str,
    label: str,
    short: str,
    value: float | None,
    form: Form,
    note: str = "",
) -> Figure:
    """Return a number of a summary with its interval, if it has one."""
    intervals: Mapping[str, Interval] = summary.intervals
    found = intervals.get(metric)
    low, high = (None, None) if found is None else (found.low, found.high)
    return Figure(metric, label, short, value, form, low, high, note)


def _implied(summary: Summary) -> list[Figure]:
    """Return the accuracy ratio that PDs promise, if they were given."""
    found = summary.implied
    if found is None or "implied" not in found.estimates:
        return []
    low, high = implied_limits(found)
    note = "" if low is None else f"if the PDs hold; {chance_text(found.p_value)}"
    names = ("implied_accuracy_ratio", "implied accuracy ratio", "implied AR")
    return [Figure(*names, found.estimates["implied"], "ratio", low, high, note)]


def implied_limits(test: Test) -> tuple[float | None, float | None]:
    """Return between which limits the accuracy ratio lies if the PDs hold."""
    if test.estimate is None or test.low is None or test.high is None:
        return None, None
    value, half = test.estimates["implied"], (test.high - test.low) / 2
    return max(value - half, -1.0), min(value + half, 1.0)


def pd_sentence(summary: Summary | ValueSummary) -> str:
    """Return what the test of the PDs says as a sentence of its own, or nothing."""
    if summary.kind == "amounts" or summary.implied is None:
        return ""
    return implied_sentence(summary.implied)


def _of_amounts(summary: ValueSummary) -> list[Figure]:
    """Return the headline numbers of amounts; those that are undefined are left out."""
    found = _sums(summary)
    ratio, index = summary.accuracy_ratio, summary.concentration_index
    if ratio is None:
        found.append(Figure("accuracy_ratio", "accuracy ratio", "accuracy ratio", None, "ratio"))
    else:
        names = ("accuracy_ratio", "accuracy ratio (Gini)", "accuracy ratio")
        found.append(_figure(summary, *names, ratio, "ratio"))
    if index is not None:
        names = ("concentration_index", "concentration index", "concentration index")
        found.append(_figure(summary, *names, index, "ratio"))
    if summary.shares_undefined is None:
        found += _at_shares(summary)
    if TOP in summary.mean_of_top:
        names = (
            MEAN_OF_TOP,
            f"mean of the top {stated_percent(TOP)}",
            f"mean of top {stated_percent(TOP)}",
        )
        found.append(_figure(summary, *names, summary.mean_of_top[TOP], "quantity"))
    return found


def _sums(summary: ValueSummary) -> list[Figure]:
    """Return how many cases there are, what exposure and amount they add up to, and the mean."""
    words, per = summary.words, "per case"
    distinct = f"{amount(summary.distinct_scores)} distinct scores"
    found = [Figure("n", "cases", "cases", summary.n, "count", note=distinct)]
    if summary.m != summary.n:
        label, share = f"with {words.a_captured}", percent(summary.m / max(summary.n, 1))
        found.append(Figure("m", label, label, summary.m, "count", note=f"{share} of cases"))
    if summary.has_exposure:
        per = f"per unit of {words.selected}"
        exposure = words.selected
        found.append(Figure("exposure", exposure, exposure, summary.exposure, "quantity"))
    captured = words.captured
    found.append(Figure("amount", captured, captured, summary.amount, "quantity"))
    if summary.mean_amount is not None:
        mean, label = summary.mean_amount, f"mean {captured}"
        found.append(Figure("mean_amount", label, label, mean, "quantity", note=per))
    return found


def _cases(summary: Summary) -> list[Figure]:
    weight = " (weight)" if summary.weighted else ""
    distinct = f"{amount(summary.distinct_scores)} distinct scores"
    found = [
        Figure("n", f"cases{weight}", f"cases{weight}", summary.n, "count", note=distinct),
        Figure("n1", f"positives{weight}", f"positives{weight}", summary.n1, "count"),
    ]
    if summary.prevalence is not None:
        label = "prevalence" if summary.stated_prevalence is None else "prevalence, as stated"
        found.append(Figure("prevalence", label, label, summary.prevalence, "share"))
    return found


def _at_shares(summary: Summary | ValueSummary) -> list[Figure]:
    """Return what the top shares capture, and their lift; totals may not tell them all."""
    numbers: tuple[tuple[str, Form, Mapping[float, float]], ...] = (
        ("captured", "share", summary.captured),
        ("lift", "lift", summary.lift),
    )
    return [
        _figure(
            summary,
            f"{name}_{round(100 * q)}",
            f"{name} in the top {stated_percent(q)}",
            f"{name} at {stated_percent(q)}",
            value,
            form,
        )
        for name, form, found in numbers
        for q, value in found.items()
    ]


def headlines(summary: Summary | ValueSummary) -> list[Figure]:
    """Return the headline numbers with the lift of the first share alone."""
    first = f"lift_{round(100 * TOP)}"
    return [f for f in figures(summary) if not f.metric.startswith("lift_") or f.metric == first]


def limits_of(summary: Summary | ValueSummary, key: str) -> str:
    """Return the interval of a headline number, or nothing."""
    intervals: Mapping[str, Interval] = summary.intervals
    found = intervals.get(key)
    return "" if found is None else limits(form_of(key), found.low, found.high)


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
    return f"{' to '.join(outward(low, high))} by tie order"


def verdict_sentence(summary: Summary | ValueSummary) -> str:
    """Return the verdict as a sentence of its own, or nothing."""
    if summary.verdict is None:
        return ""
    said = summary.verdict.sentence
    return f"{said[0].upper()}{said[1:]}."
