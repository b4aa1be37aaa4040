"""Questions about a difference: equal, better, worse, not worse, equivalent; and their p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from capcurve.counts.arguments import as_number

if TYPE_CHECKING:
    from collections.abc import Callable

Alternative = Literal["two-sided", "superior", "inferior", "non-inferior", "equivalent"]
NEED_A_MARGIN = ("non-inferior", "equivalent")


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be shown about a difference, first less second.

    Attributes
    ----------
    alternative
        "two-sided": it is not zero; "superior": it is above the margin; "inferior": it is
        below minus the margin; "non-inferior": it is above minus the margin; "equivalent":
        it lies within the margin on both sides.
    margin
        How large a difference matters, 0 or more.
    """

    alternative: Alternative
    margin: float

    def without_spread(self) -> tuple[float, float]:
        """Return the test of a difference that is zero in every case: no sample could differ."""
        return (math.inf, 0.0) if self.alternative in NEED_A_MARGIN else (0.0, 1.0)


def ask(alternative: object, margin: float | None) -> Question:
    """Return the question, or raise ValueError when the words do not make one."""
    if alternative not in get_args(Alternative):
        names = ", ".join(repr(name) for name in get_args(Alternative))
        raise ValueError(f"alternative must be one of {names}, got {alternative!r}")
    margin = None if margin is None else as_number(margin, "margin")
    if margin is not None and not 0 <= margin < math.inf:
        raise ValueError(
            f"margin must be zero or more, got {margin}; alternative= says in which direction"
        )
    if alternative == "two-sided" and margin is not None:
        raise ValueError(
            'a margin needs a direction: alternative="superior", "inferior", "non-inferior" '
            'or "equivalent"'
        )
    if alternative in NEED_A_MARGIN and not margin:
        raise ValueError(
            f'alternative="{alternative}" needs a margin above zero: the largest difference '
            "that does not matter"
        )
    return Question(alternative, float(margin or 0))  # type: ignore[arg-type]  # checked above


def answer(
    difference: float, se: float, question: Question, below: Callable[[float], float]
) -> tuple[float, float]:
    """Return the statistic and p-value of a question about a difference.

    `below` is the law of the statistic when nothing differs: symmetric about zero. Without a
    standard error there is no difference in any case.
    """
    margin = question.margin
    if se == 0:
        return question.without_spread()
    if question.alternative == "two-sided":
        z = difference / se
        return z, min(1.0, 2 * below(-abs(z)))
    if question.alternative == "superior":
        z = (difference - margin) / se
        return z, below(-z)
    if question.alternative == "inferior":
        z = (difference + margin) / se
        return z, below(z)
    above_low, below_high = (difference + margin) / se, (difference - margin) / se
    if question.alternative == "non-inferior":
        return above_low, below(-above_low)
    # Two one-sided tests: the weaker of them decides.
    return min((above_low, below_high), key=abs), max(below(-above_low), below(below_high))


def holm(p_values: list[float]) -> list[float]:
    """Return p-values adjusted for being the smallest of many.

    Holm (1979), "A simple sequentially rejective multiple test procedure".

    Examples
    --------
    >>> holm([0.04, 0.01, 0.03])
    [0.06, 0.03, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted
