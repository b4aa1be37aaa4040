"""A plan for a test: what is expected, how it will be tested, and how likely that succeeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from capcurve.counts.arguments import as_number, told
from capcurve.inference.asking import Alternative, Question
from capcurve.inference.binormal import binormal_variance
from capcurve.inference.record import Metric, check_open, factor_of

if TYPE_CHECKING:
    from collections.abc import Callable

Design = Literal["one score", "paired", "unpaired"]


# Its square, and one over that, are floats next to which 1 still counts.
LARGEST_SPREAD = 1e6


@dataclass(frozen=True, slots=True)
class Plan:
    """What is expected and how it will be tested, in AUC."""

    auc: float
    versus: float
    design: Design
    correlation: float
    alpha: float
    question: Question
    spread: float

    def standard_error(self, n1: float, n0: float) -> float:
        """Return how far the estimated difference will vary."""
        own = binormal_variance(self.auc, n1, n0, self.spread)
        if self.design == "one score":
            return math.sqrt(own)
        other = binormal_variance(self.versus, n1, n0, self.spread)
        return math.sqrt(max(own + other - 2 * self.correlation * math.sqrt(own * other), 0.0))

    def power(self, n1: float, n0: float) -> float:
        """Return the chance that the test shows what it is asked to show."""
        from scipy.special import ndtr, ndtri

        spread = self.standard_error(n1, n0)
        # Against 1/2 the test knows the spread under drawing lots; else it estimates its own.
        lots = self.design == "one score" and self.versus == 0.5  # noqa: PLR2004 - drawing lots
        used = math.sqrt((n1 + n0 + 1) / 12 / n1 / n0) if lots else spread
        difference, margin = self.auc - self.versus, self.question.margin
        two_sided = self.question.alternative == "two-sided"
        reach = -ndtri(self.alpha / 2 if two_sided else self.alpha) * used

        def above(limit: float) -> float:
            return float(ndtr(_in_units(difference - limit, spread)))

        def below(limit: float) -> float:
            return float(ndtr(_in_units(limit - difference, spread)))

        chances: dict[Alternative, Callable[[], float]] = {
            "two-sided": lambda: above(reach) + below(-reach),
            "superior": lambda: above(margin + reach),
            "inferior": lambda: below(-margin - reach),
            "non-inferior": lambda: above(-margin + reach),
            "equivalent": lambda: max(0.0, above(-margin + reach) + below(margin - reach) - 1),
        }
        return min(1.0, chances[self.question.alternative]())


def _in_units(distance: float, spread: float) -> float:
    """Return a distance in standard errors; without any error it is infinitely many."""
    return distance / spread if spread > 0 else math.copysign(math.inf, distance)


def _as_auc(given: float, name: str, factor: int) -> float:
    if factor == 1:
        return check_open(given, name)
    ratio = as_number(given, name)
    if not -1 < ratio < 1:
        raise ValueError(f"{name} must lie between -1 and 1, got {told(given)}")
    return (1 + ratio) / 2


def plan_of(
    value: float,
    versus: float | None,
    design: Design,
    correlation: float | None,
    alpha: float,
    question: Question,
    metric: Metric,
    spread: float,
) -> Plan:
    """Return a plan in AUC, or raise ValueError when its parts do not fit together."""
    factor = factor_of(metric)
    if design not in ("one score", "paired", "unpaired"):
        raise ValueError(f'design must be "one score", "paired" or "unpaired", got {design!r}')
    if versus is None and design != "one score":
        raise ValueError(f'design="{design}" needs versus=, the value of the other score')
    if (correlation is not None) != (design == "paired"):
        raise ValueError('correlation= belongs to design="paired", which needs it')
    correlation = None if correlation is None else as_number(correlation, "correlation")
    if correlation is not None and not -1 < correlation < 1:
        raise ValueError(f"correlation must lie between -1 and 1, got {correlation}")
    spread = as_number(spread, "spread")
    if not 1 / LARGEST_SPREAD <= spread <= LARGEST_SPREAD:
        raise ValueError(
            f"spread must lie from {1 / LARGEST_SPREAD:g} to {LARGEST_SPREAD:g}, got {spread:g}"
        )
    aucs = [
        0.5 if given is None else _as_auc(given, name, factor)
        for given, name in ((value, "value"), (versus, "versus"))
    ]
    return Plan(
        aucs[0],
        aucs[1],
        design,
        correlation or 0.0,
        check_open(alpha, "alpha"),
        Question(question.alternative, question.margin / factor),
        spread,
    )
