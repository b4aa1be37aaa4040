"""Rules that choose a cut-off: all the best ones, found exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast, overload

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts, UpliftCounts
from capcurve.curves.shares import best_cutoffs
from capcurve.curves.trials import curve_of_profits, uplift_points
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import takes_rankings_by_name
from capcurve.metrics import ks
from capcurve.numbers.arguments import as_name, as_number, refused, told
from capcurve.numbers.kept_cutoffs import MOST_KEPT_PLACES
from capcurve.numbers.meeting import as_written
from capcurve.tables.thresholds import (
    ClassCutoffs,
    OperatingPoint,
    UpliftPoint,
    ValueCutoffs,
    ValuePoint,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.gate.taking import Column, HoldsCounts
    from capcurve.input.columns import ColumnLike, Data

    RuleNumbers: TypeAlias = dict[str, Fraction]
    BestPoints: TypeAlias = (
        tuple[OperatingPoint, ...] | tuple[ValuePoint, ...] | tuple[UpliftPoint, ...]
    )

Point = TypeVar("Point", OperatingPoint, ValuePoint)
Rule = Literal["youden", "closest", "cost", "f_beta", "profit"]
LARGEST_COST = 1e100
NEEDS: dict[str, tuple[str, ...]] = {
    "youden": (),
    "closest": (),
    "cost": ("cost_fn", "cost_fp"),
    "f_beta": ("beta",),
    "profit": ("value", "cost"),
}
# Far wider than any rounding of the float values, so that no true optimum is missed.
OPTIMUM_SLACK = 1e-11


@overload
def best_thresholds(
    counts: Ranking,
    rule: Rule = "youden",
    *,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    beta: float | None = None,
    value: float | None = None,
    cost: float | None = None,
) -> tuple[OperatingPoint, ...]: ...
@overload
def best_thresholds(
    counts: Amounts, rule: Rule = "profit", *, value: float | None = None, cost: float | None = None
) -> tuple[ValuePoint, ...]: ...
@overload
def best_thresholds(
    counts: UpliftCounts,
    rule: Rule = "profit",
    *,
    value: float | None = None,
    cost: float | None = None,
) -> tuple[UpliftPoint, ...]: ...
@overload
def best_thresholds(
    counts: Mapping[Any, Ranking], rule: Rule = "youden", **numbers: float | None
) -> dict[Any, tuple[OperatingPoint, ...]]: ...
@overload
def best_thresholds(
    counts: Mapping[Any, Amounts], rule: Rule = "profit", **numbers: float | None
) -> dict[Any, tuple[ValuePoint, ...]]: ...
@overload
def best_thresholds(
    counts: HoldsCounts, rule: Rule = "youden", **numbers: float | None
) -> BestPoints | dict[Any, BestPoints]: ...
@overload
def best_thresholds(
    amount: Column,
    scores: Mapping[str, Column],
    rule: Rule = ...,
    /,
    *,
    exposure: ColumnLike,
    **words: Any,
) -> dict[str, tuple[ValuePoint, ...]]: ...
@overload
def best_thresholds(
    target: Column, scores: Mapping[str, Column], rule: Rule = "youden", /, **words: Any
) -> dict[str, tuple[OperatingPoint, ...]]: ...
@overload
def best_thresholds(
    amount: str,
    scores: list[str] | tuple[str, ...],
    rule: Rule = ...,
    /,
    *,
    data: Data,
    exposure: ColumnLike,
    **words: Any,
) -> dict[str, tuple[ValuePoint, ...]]: ...
@overload
def best_thresholds(
    target: str,
    scores: list[str] | tuple[str, ...],
    rule: Rule = "youden",
    /,
    *,
    data: Data,
    **words: Any,
) -> dict[str, tuple[OperatingPoint, ...]]: ...
@overload
def best_thresholds(
    amount: Column, score: Column, rule: Rule = ..., /, *, exposure: ColumnLike, **words: Any
) -> tuple[ValuePoint, ...]: ...
@overload
def best_thresholds(
    target: Column,
    score: Column,
    rule: Rule = "youden",
    /,
    *,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    beta: float | None = None,
    value: float | None = None,
    cost: float | None = None,
    **rows: Any,
) -> tuple[OperatingPoint, ...]: ...
@takes_rankings_by_name
def best_thresholds(
    counts: Ranking | Amounts | UpliftCounts | Mapping[Any, Ranking | Amounts],
    rule: Rule = "youden",
    *,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    beta: float | None = None,
    value: float | None = None,
    cost: float | None = None,
) -> BestPoints | dict[Any, BestPoints]:
    """Return the optimal cut-offs under a rule, from the top down.

    Raises `ValueError` when a class is missing, the rule is unknown, or its numbers
    are missing or superfluous; for totals, when a best cut-off may be one that they do not hold.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or several by name, also those of an
        evaluation; totals hold the best cut-offs of every rule but "closest".
    rule
        "youden" (or "ks"): largest tpr - fpr, the place of KS; "closest": nearest to (0, 1) in the
        ROC; "cost": least cost_fn·fn + cost_fp·fp; "f_beta": largest F score;
        "profit": largest value·tp - cost·(tp + fp), or with amounts, which have this rule
        alone, value·amount - cost·exposure selected; of a trial value·gain - cost·share treated,
        per case of the list.
    cost_fn, cost_fp
        What a missed positive and a wrongly selected negative cost, for "cost".
    beta
        How many times more captured counts than precision, for "f_beta"; 1 if left out.
    value, cost
        What a captured positive (a unit of the amount) brings and a selected case (a unit of
        exposure) costs, for "profit".

    Returns
    -------
    tuple of OperatingPoint, ValuePoint or UpliftPoint, or dict
        One or more cut-offs, each with its `profit` where that is the rule. Of several scores,
        `{"a": p1, "b": p2}` or with `data=` a list of names, a dict with the cut-offs of each.

    Notes
    -----
    Ties are settled in exact arithmetic, so equal optima are all returned.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([0, 1, 0, 0, 0, 1, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> [point.threshold for point in best_thresholds(counts, "youden")]
    [2]
    >>> [point.threshold for point in best_thresholds(counts, "closest")]
    [7]
    >>> both = best_thresholds([1, 0, 1, 0], {"new": [4, 2, 3, 1], "old": [4, 3, 2, 1]})
    >>> {name: [point.threshold for point in points] for name, points in both.items()}
    {'new': [3], 'old': [4, 2]}
    """
    rule = cast("Rule", as_name(rule, "rule", NEEDS, {"ks": "youden"}))
    given = {"cost_fn": cost_fn, "cost_fp": cost_fp, "beta": beta, "value": value, "cost": cost}
    if isinstance(counts, Mapping):
        return {name: _best(each, rule, given) for name, each in counts.items()}
    return _best(counts, rule, given)


def _best(
    counts: Ranking | Amounts | UpliftCounts, rule: Rule, given: dict[str, float | None]
) -> BestPoints:
    if rule != "profit" and not isinstance(counts, Ranking):
        what = "amounts" if is_amounts(counts) else "a trial"
        raise ValueError(f'rule {rule!r} needs positives and negatives; of {what} ask "profit"')
    numbers = _numbers(rule, given)
    if isinstance(counts, UpliftCounts):
        return _most_profit_of_trial(counts, numbers)
    if is_amounts(counts):
        return _most_profit(counts, numbers)
    cuts = ClassCutoffs.of(_cutoffs_held(counts, rule))
    score = _objective(rule, cuts, numbers)
    n1, n0 = Fraction(cuts.n1), Fraction(cuts.n0)
    places = _all_largest(
        score(cuts.captured(), cuts.fpr()),
        lambda place: score(_exact(cuts.tp[place]) / n1, _exact(cuts.fp[place]) / n0),
    )
    several = rule != "youden" or len(places) >= MOST_KEPT_PLACES
    # Cut-offs that are not held may lie, equally good, between two that are best.
    if several and not counts.single[places[0] : places[-1]].all():
        counts.every_score()
    points = tuple(_point(counts, cuts, place) for place in places)
    if rule != "profit":
        return points
    sums = ((Fraction(point.tp), Fraction(point.fp)) for point in points)
    profits = (numbers["value"] * tp - numbers["cost"] * (tp + fp) for tp, fp in sums)
    return tuple(_paid(*each, numbers) for each in zip(points, profits, strict=True))


def _paid(point: Point, profit: Fraction, numbers: RuleNumbers) -> Point:
    """Return a cut-off with its profit, and with what it is the profit of."""
    try:
        found = float(profit)
    except OverflowError:  # of weights or amounts near the largest float
        found = math.inf if profit > 0 else -math.inf
    return replace(point, value=float(numbers["value"]), cost=float(numbers["cost"]), profit=found)


def _most_profit(values: Amounts, numbers: RuleNumbers) -> tuple[ValuePoint, ...]:
    """Return the cut-offs with the largest value·amount - cost·exposure selected."""
    cuts, value, cost = ValueCutoffs.of(values), numbers["value"], numbers["cost"]
    # Amounts below zero may add up to nothing at every cut-off.
    scales = [Fraction(np.abs(sums).max().item() or 1) for sums in (cuts.amount, cuts.exposure)]
    gain, loss = _over_largest(value * scales[0], cost * scales[1])
    y, x = (sums / float(s) for sums, s in zip((cuts.amount, cuts.exposure), scales, strict=True))

    def exact(place: int) -> Fraction:
        return value * _exact(cuts.amount[place]) - cost * _exact(cuts.exposure[place])

    places = _all_largest(float(gain) * y - float(loss) * x, exact)
    return tuple(_paid(cuts.point(place), exact(place), numbers) for place in places)


def _most_profit_of_trial(trial: UpliftCounts, numbers: RuleNumbers) -> tuple[UpliftPoint, ...]:
    """Return the cut-offs with the largest value·gain - cost·share treated."""
    points, value, cost = uplift_points(trial), numbers["value"], numbers["cost"]
    profits = curve_of_profits(points, float(value), float(cost)).y
    (treated, won), (control, others) = points.arms
    cuts = as_written(points.thresholds).tolist()
    every = [*as_written(trial.rows().thresholds[:1]).tolist(), *cuts[1:], None]

    def exact(place: int) -> Fraction | float:
        if not place or won.dtype.kind == "f":
            return float(profits[place])
        sums = zip((won, others), (treated, control), strict=True)
        one, other = (_exact(found[place - 1]) / _exact(cases[place - 1]) for found, cases in sums)
        share = _exact(points.selected[place]) / points.n
        return share * (value * (one - other) - cost)

    return tuple(
        UpliftPoint(
            threshold=cuts[place - 1] if place else None,
            next_score=every[place],
            q=float(points.shares[place]),
            uplift=float(points.gains[place] / points.shares[place]) if place else None,
            gain=float(points.gains[place]),
            value=float(value),
            cost=float(cost),
            profit=float(profits[place]),
        )
        for place in _all_largest(profits, exact)
    )


def _cutoffs_held(counts: Ranking, rule: str) -> ScoreCounts:
    """Return counts that hold the best cut-offs of a rule, as far as totals do."""
    # Cost, profit and the F score are quotients or sums of both classes selected, so they are
    # largest at a corner of the CAP. The place of KS is held whatever else is.
    if rule == "closest":
        return counts.every_score()
    if rule == "youden" and not counts.corners and ks(counts).side == "+":
        return counts.vertices
    return best_cutoffs(counts)


def _point(counts: Ranking, cuts: ClassCutoffs, place: int) -> OperatingPoint:
    point = cuts.point(place)
    if point.next_score is None or counts.single[place]:
        return point
    return replace(point, next_score=None)  # some scores between the two are not held


def _numbers(rule: str, given: dict[str, float | None]) -> RuleNumbers:
    if rule == "f_beta" and given["beta"] is None:
        given = {**given, "beta": 1.0}
    missing = [name for name in NEEDS[rule] if given[name] is None]
    if missing:
        raise ValueError(f"rule {rule!r} needs {' and '.join(missing)}")
    unused = [name for name, n in given.items() if n is not None and name not in NEEDS[rule]]
    if unused:
        raise ValueError(f"rule {rule!r} does not use {', '.join(unused)}; leave it out")
    return {name: _number(name, given[name]) for name in NEEDS[rule]}


def _number(name: str, number: Any) -> Fraction:
    least = -LARGEST_COST if name in {"value", "cost"} else 0.0
    amount = as_number(number, name)
    if not least <= amount <= LARGEST_COST:
        raise ValueError(
            f"{refused(name)} be from {least:g} to {LARGEST_COST:g}, got {told(number)}"
        )
    if name == "beta" and not amount > 0:
        raise ValueError(f"beta must be more than zero, got {number}")
    return Fraction(number if isinstance(number, int | Fraction) else amount)


def _exact(sums: Any) -> Fraction:
    return Fraction(sums.item())


def _objective(rule: str, cuts: ClassCutoffs, numbers: RuleNumbers) -> Callable[[Any, Any], Any]:
    """Return what the rule makes largest, of shares captured, for floats and for fractions."""
    # Up to a factor and a constant, which keep floats near 1 however large weights or money are.
    n1, n0 = Fraction(cuts.n1), Fraction(cuts.n0)
    if rule == "closest":
        return lambda tpr, fpr: -((1 - tpr) ** 2) - fpr**2
    if rule == "f_beta":
        return partial(_f_score, *_over_largest(numbers["beta"] ** 2, Fraction(1), n0 / n1))
    if rule == "youden":
        gain, loss = Fraction(1), Fraction(1)
    elif rule == "cost":
        gain, loss = numbers["cost_fn"] * n1, numbers["cost_fp"] * n0
    else:
        gain, loss = (numbers["value"] - numbers["cost"]) * n1, numbers["cost"] * n0
    gain, loss = _over_largest(gain, loss)
    return lambda tpr, fpr: _like(gain, tpr) * tpr - _like(loss, fpr) * fpr


def _over_largest(*factors: Fraction) -> tuple[Fraction, ...]:
    """Return factors over the largest of them, unless all are zero."""
    largest = max(map(abs, factors))
    return tuple(factor / largest for factor in factors) if largest else factors


def _f_score(missed: Fraction, found: Fraction, wrong: Fraction, tpr: Any, fpr: Any) -> Any:
    """Return (1 + β²)·tp/(β²·n1 + tp + fp) up to a factor; 0 where nothing is captured."""
    if isinstance(tpr, Fraction):
        return tpr / (missed + found * tpr + wrong * fpr) if tpr else tpr
    size = float(missed) + float(found) * tpr + float(wrong) * fpr
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(tpr > 0, tpr / size, 0.0)


def _like(number: Fraction, shares: Any) -> Any:
    """Return a number as the fraction or float that the shares beside it are."""
    return number if isinstance(shares, Fraction) else float(number)


def _all_largest(
    values: NDArray[np.floating[Any]], exact: Callable[[int], Fraction | float]
) -> list[int]:
    """Return every place where a value is largest."""
    # `exact` is the value at one place, without the rounding of `values` where that is possible.
    top = values.max()
    reach = OPTIMUM_SLACK * max(1.0, abs(top)) if np.isfinite(top) else 0.0
    near = np.flatnonzero(values >= top - reach)
    settled = [exact(int(place)) for place in near]
    best = max(settled)
    return [int(p) for p, value in zip(near, settled, strict=True) if value == best]
