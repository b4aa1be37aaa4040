"""Planning: how likely a real difference is found, and how many cases that takes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from capcurve.counts.arguments import as_whole
from capcurve.inference.asking import Alternative, ask
from capcurve.inference.plan import Design, plan_of
from capcurve.inference.record import Metric, check_open

MOST_POSITIVES = 2**50
MOST_CASES = 2**62


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many cases a plan needs.

    Attributes
    ----------
    n1, n0, n
        Positives, negatives and all cases; of each sample when two are compared unpaired.
    power
        What these numbers reach: at least what was asked for.
    """

    n1: int
    n0: int
    n: int
    power: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return asdict(self)


def power(
    value: float,
    n1: int,
    n0: int,
    *,
    versus: float | None = None,
    design: Design = "one score",
    correlation: float | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    metric: Metric = "roc_auc",
    spread: float = 1.0,
) -> float:
    """Return how likely a sample of this size shows a difference that is really there.

    Parameters
    ----------
    value
        The score's true value, in `metric`.
    n1, n0
        Positives and negatives; in each of the two samples when unpaired.
    versus
        What it is compared with: a known value ("one score"; a random score when left out), or
        the true value of another score.
    design
        "one score" against a known value, two scores "paired" on the same rows, or two
        samples "unpaired".
    correlation
        Of the two estimates, for "paired" only; with similar scores often 0.5 to 0.9. Read it
        off `compare(joint).covariance` of a pilot.
    margin, alternative
        What will be shown, as in `compare`.
    alpha
        Level of the test.
    metric
        "roc_auc" or "accuracy_ratio": what `value`, `versus` and `margin` are measured in.
    spread
        Standard deviation of the positives' scores over that of the negatives'.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        For values out of range, or a design without what it needs.

    Notes
    -----
    Normal law with the variance an AUC has when both classes have normal scores. The widely
    used exponential one of Hanley & McNeil (1982) depends on which class is larger: at an AUC
    of 0.85 it asks for 46% more cases where one in six is positive. Against 1/2 the test takes
    the variance under drawing lots, as `discrimination_test` does.

    Examples
    --------
    Fifty of each show an AUC of 0.7 nearly always, and hardly ever that 0.7 is not 0.68.

    >>> round(power(0.7, 50, 50), 2), round(power(0.7, 50, 50, versus=0.68), 2)
    (0.95, 0.07)
    """
    n1, n0 = (as_whole(cases, name, 1, MOST_CASES) for name, cases in (("n1", n1), ("n0", n0)))
    return plan_of(
        value, versus, design, correlation, alpha, ask(alternative, margin), metric, spread
    ).power(n1, n0)


def sample_size(
    value: float,
    *,
    prevalence: float,
    power: float = 0.8,
    versus: float | None = None,
    design: Design = "one score",
    correlation: float | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    metric: Metric = "roc_auc",
    spread: float = 1.0,
) -> SampleSize:
    """Return how many cases it takes to show a difference that is really there.

    Parameters
    ----------
    value
        The score's true value, in `metric`.
    prevalence
        Share of cases that are positive.
    power
        How likely the difference shall be shown.
    versus, design, correlation, margin, alternative, alpha, metric, spread
        As in `power`.

    Returns
    -------
    SampleSize
        The smallest number of positives that suffices, with their negatives.

    Raises
    ------
    ValueError
        As in `power`, and when no number of cases suffices: nothing differs, or the margin
        is not met.

    Examples
    --------
    >>> sample_size(0.7, prevalence=0.5).n1
    32
    """
    prevalence = check_open(prevalence, "prevalence")
    plan = plan_of(
        value, versus, design, correlation, alpha, ask(alternative, margin), metric, spread
    )
    power = check_open(power, "power")
    if not plan.alpha < power:
        raise ValueError(f"power must be above alpha, got {power} and {plan.alpha}")

    def reached(n1: int) -> float:
        return plan.power(n1, _negatives(n1, prevalence))

    enough = 1
    while reached(enough) < power:
        enough *= 2
        if enough > MOST_POSITIVES:
            raise ValueError("no number of cases shows this: expected is what is to be refuted")
    short = enough // 2
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if reached(middle) >= power else (middle, enough)
    n0 = _negatives(enough, prevalence)
    return SampleSize(enough, n0, enough + n0, reached(enough))


def _negatives(n1: int, prevalence: float) -> int:
    return max(1, math.ceil(n1 * (1 - prevalence) / prevalence))
