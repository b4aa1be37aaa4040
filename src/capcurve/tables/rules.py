"""Rules that choose a cut-off: all the best ones, found exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.metrics.optimum import all_largest
from capcurve.tables.cutoffs import Cutoffs, OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

Rule = Literal["youden", "closest", "cost", "f_beta", "profit"]
LARGEST = 1e100
NEEDS: dict[str, tuple[str, ...]] = {
    "youden": (),
    "closest": (),
    "cost": ("cost_fn", "cost_fp"),
    "f_beta": ("beta",),
    "profit": ("value", "cost"),
}


def best_thresholds(
    counts: ScoreCounts,
    rule: Rule = "youden",
    *,
    cost_fn: float | None = None,
    cost_fp: float | None = None,
    beta: float | None = None,
    value: float | None = None,
    cost: float | None = None,
) -> tuple[OperatingPoint, ...]:
    """Return all cut-offs that are best under a rule, from the top down.

    Parameters
    ----------
    counts
        What was counted.
    rule
        "youden": largest tpr - fpr, the place of KS; "closest": nearest to (0, 1) in the
        ROC; "cost": least cost_fn·fn + cost_fp·fp; "f_beta": largest F score;
        "profit": largest value·tp - cost·(tp + fp).
    cost_fn, cost_fp
        What a missed positive and a wrongly selected negative cost, for "cost".
    beta
        How many times more captured counts than precision, for "f_beta"; 1 if left out.
    value, cost
        What a captured positive brings and a selected case costs, for "profit".

    Raises
    ------
    ValueError
        When a class is missing, the rule is unknown, or its numbers are missing or superfluous.

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
    """
    given = {"cost_fn": cost_fn, "cost_fp": cost_fp, "beta": beta, "value": value, "cost": cost}
    numbers = _numbers(rule, given)
    cuts = Cutoffs.of(counts)
    score = _objective(rule, cuts, numbers)
    places, _ = all_largest(
        score(cuts.tp.astype(np.longdouble), cuts.fp.astype(np.longdouble)),
        lambda place: score(_exact(cuts.tp[place]), _exact(cuts.fp[place])),
    )
    return tuple(cuts.point(place) for place in places)


def _numbers(rule: str, given: dict[str, float | None]) -> dict[str, Fraction]:
    if rule not in NEEDS:
        raise ValueError(f"rule must be one of {', '.join(NEEDS)}, got {rule!r}")
    if rule == "f_beta" and given["beta"] is None:
        given = {**given, "beta": 1.0}
    missing = [name for name in NEEDS[rule] if given[name] is None]
    if missing:
        raise ValueError(f"rule {rule!r} needs {' and '.join(missing)}")
    unused = [name for name, number in given.items() if number is not None]
    unused = [name for name in unused if name not in NEEDS[rule]]
    if unused:
        raise ValueError(f"rule {rule!r} does not use {', '.join(unused)}; leave it out")
    return {name: _number(name, given[name]) for name in NEEDS[rule]}


def _number(name: str, number: Any) -> Fraction:
    if isinstance(number, bool) or not isinstance(number, int | float | np.number | Fraction):
        raise ValueError(f"{name} must be a number, got {number!r}")  # noqa: TRY004 - as its range
    least = -LARGEST if name in {"value", "cost"} else 0.0
    amount = float(number)
    if not least <= amount <= LARGEST:
        raise ValueError(f"{name} must lie from {least:g} to {LARGEST:g}, got {number}")
    if name == "beta" and not amount > 0:
        raise ValueError(f"beta must be more than zero, got {number}")
    return Fraction(amount) if not isinstance(number, int | Fraction) else Fraction(number)


def _exact(sums: Any) -> Fraction:
    return Fraction(sums.item())


def _objective(rule: str, cuts: Cutoffs, numbers: dict[str, Fraction]) -> Callable[[Any, Any], Any]:
    """Return what the rule makes largest, for arrays of floats and for exact fractions."""
    n1, n0 = cuts.n1, cuts.n0
    if rule == "youden":
        return lambda tp, fp: tp / _like(n1, tp) - fp / _like(n0, fp)
    if rule == "closest":
        return lambda tp, fp: -((1 - tp / _like(n1, tp)) ** 2) - (fp / _like(n0, fp)) ** 2
    if rule == "cost":
        miss, alarm = numbers["cost_fn"], numbers["cost_fp"]
        return lambda tp, fp: -_like(miss, tp) * (_like(n1, tp) - tp) - _like(alarm, fp) * fp
    if rule == "f_beta":
        more = numbers["beta"] ** 2
        return lambda tp, fp: _like(1 + more, tp) * tp / (_like(more, tp) * _like(n1, tp) + tp + fp)
    gain, spend = numbers["value"], numbers["cost"]
    return lambda tp, fp: _like(gain, tp) * tp - _like(spend, tp) * (tp + fp)


def _like(number: Any, sums: NDArray[Any] | Fraction) -> Any:
    """Return a number as the fraction or float that the sums beside it are."""
    return Fraction(number) if isinstance(sums, Fraction) else np.longdouble(float(number))
