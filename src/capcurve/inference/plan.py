"""A plan for a test: what is expected, how it will be tested, and how likely that succeeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from capcurve.inference.asking import Alternative, Question
from capcurve.inference.binormal import binormal_variance
from capcurve.inference.record import Metric, check_open, factor_of

if TYPE_CHECKING:
    from collections.abc import Callable

Design = Literal["one score", "paired", "unpaired"]


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
        return math.sqrt(own + other - 2 * self.correlation * math.sqrt(own * other))

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
            return float(ndtr((difference - limit) / spread))

        def below(limit: float) -> float:
            return float(ndtr((limit - difference) / spread))

        chances: dict[Alternative, Callable[[], float]] = {
            "two-sided": lambda: above(reach) + below(-reach),
            "superior": lambda: above(margin + reach),
            "inferior": lambda: below(-margin - reach),
            "non-inferior": lambda: above(-margin + reach),
            "equivalent": lambda: max(0.0, above(-margin + reach) + below(margin - reach) - 1),
        }
        return min(1.0, chances[self.question.alternative]())


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
    if correlation is not None and not -1 < correlation < 1:
        raise ValueError(f"correlation must lie between -1 and 1, got {correlation}")
    if not 0 < spread < math.inf:
        raise ValueError(f"spread must be above zero, got {spread}")
    aucs = [
        0.5 if given is None else check_open(given if factor == 1 else (1 + given) / 2, name)
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
