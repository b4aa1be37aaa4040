"""The curve of profit: what acting on the top share of cases brings, less what it costs."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_finite
from capcurve.counts.exact import DoubleDouble, rounded_by_blocks
from capcurve.curves.axes import SELECTED, curve_of
from capcurve.curves.shares import Axis, require, sample_rate, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranking
    from capcurve.curves.curve import Curve

# The difference of two profits below this is a float too.
LARGEST_PROFIT = 8e307


def profit_curve(
    counts: Ranking, *, value: float, cost: float, prevalence: float | None = None
) -> Curve:
    """Show the profit of acting on the top share of cases.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    value
        What one captured positive brings, in any unit of money.
    cost
        What selecting one case costs, in the same unit.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Curve
        value x positives captured - cost x cases selected, in that unit.

    Raises
    ------
    ValueError
        When there are no positives, or value or cost is not finite.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> profit_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), value=10, cost=2).y
    array([ 0.,  8.,  6., 14., 12.])
    """
    require(counts, "positives")
    counts = counts.vertices
    value, cost = as_finite(value, "value"), as_finite(cost, "cost")
    sums = shares(counts, prevalence)
    n, rate = counts.n, sample_rate(counts, prevalence)
    p, brought, spent = sums.positives, Fraction(value), Fraction(cost)
    if prevalence is not None:
        cases = Fraction(n)
        brought, spent = brought * cases * Fraction(rate) / Fraction(p.total), spent * cases
    profit = _less(p.sums, brought, sums.cases.sums, spent)
    if not (np.abs(profit) < LARGEST_PROFIT).all():
        raise ValueError("the profit is beyond what a float holds; scale weights or money down")
    return curve_of("profit", counts, sums.cases, Axis(profit, 1.0), (SELECTED, "profit"))


def _less(
    found: NDArray[Any], value: Fraction, selected: NDArray[Any], cost: Fraction
) -> NDArray[np.float64]:
    """Return value·found - cost·selected, rounded once, of weights and money of any size."""
    cases = int(np.frexp(float(selected[-1]))[1])
    largest = max(abs(value), abs(cost))
    money = largest.numerator.bit_length() - largest.denominator.bit_length()
    prices = [DoubleDouble.of(price / Fraction(2) ** money) for price in (value, cost)]

    def profit(*sums: NDArray[Any]) -> DoubleDouble:
        brought, spent = (
            DoubleDouble.of(column).ldexp(-cases) * price
            for column, price in zip(sums, prices, strict=True)
        )
        return (brought - spent).ldexp(money + cases)

    with np.errstate(over="ignore"):
        return rounded_by_blocks(profit, found, selected)
