"""How many cases of each class an uncertainty may count on, and when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import JointCounts, RankTotals, ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import Ranked

LEAST_FOR_A_VARIANCE = 2


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """How many equally weighted cases of each class would be as informative.

    Attributes
    ----------
    positives, negatives
        (Σw)²/Σw² of the class; its number of cases when there are no weights.
    """

    positives: float
    negatives: float

    @property
    def rarer(self) -> float:
        """The size of the smaller class."""
        return min(self.positives, self.negatives)


def effective_sizes(counts: Ranked | JointCounts) -> ClassSizes:
    """Return the effective sample size of each class: what weights leave of the rows.

    Parameters
    ----------
    counts
        What was counted.

    Returns
    -------
    ClassSizes
        (Σw)²/Σw² per class (Kish 1965, Survey Sampling); the cases themselves without weights.

    Raises
    ------
    ValueError
        When the counts carry weights of which it was not said what they mean.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores(
    ...     [1, 1, 0, 0], [4, 2, 3, 1], weight=[1.0, 3.0, 1.0, 1.0], weight_kind="sampling"
    ... )
    >>> effective_sizes(counts)
    ClassSizes(positives=1.6, negatives=2.0)
    """
    require_rows(counts)
    if counts.weights is None:
        return ClassSizes(*(float(cases) for cases in rows_per_class(counts)))
    return ClassSizes(
        _effective(counts.positives, counts.weights.positive_roots),
        _effective(counts.negatives, counts.weights.negative_roots),
    )


def _effective(sums: NDArray[Any], roots: NDArray[np.float64]) -> float:
    wide = np.asarray(sums, dtype=np.longdouble)
    total = wide.sum()
    # Divided before squaring: a weight such as 1e300 has no square in floating point.
    return float(1 / ((roots / total) ** 2).sum()) if total > 0 else 0.0


def require_rows(counts: Ranked | JointCounts) -> None:
    """Raise ValueError unless it is known what one case of these counts is."""
    if isinstance(counts, RankTotals):
        return
    fractional = counts.positives.dtype.kind == "f" or counts.negatives.dtype.kind == "f"
    if counts.weights is None:
        if fractional:
            raise ValueError(
                "these counts are fractions, and a variance needs the rows behind them; "
                "count the rows with weight= and weight_kind="
            )
        return
    if counts.weights.kind is None:
        raise ValueError(
            "these counts are weighted, and what the weights mean decides the variance: "
            'pass weight_kind="frequency", "sampling" or "exposure" when counting'
        )


def rows_per_class(counts: Ranked | JointCounts) -> tuple[int, int]:
    """Return how many rows of each class there are, positives first."""
    require_rows(counts)
    if counts.weights is not None:
        return counts.weights.positive_rows, counts.weights.negative_rows
    if isinstance(counts, ScoreCounts | RankTotals):
        return counts.n1, counts.n0
    return int(counts.positives.sum(dtype=np.int64)), int(counts.negatives.sum(dtype=np.int64))


def require_joint(joint: object) -> None:
    """Raise TypeError unless these are the joint counts of several scores."""
    if not isinstance(joint, JointCounts):
        found = type(joint).__name__
        raise TypeError(
            f"comparing scores of the same rows needs count_joint(...), got {found}; "
            "scores of different rows are for compare_independent"
        )


def require_two(counts: Ranked | JointCounts, what: str) -> None:
    """Raise ValueError unless both classes have the two rows that a spread needs."""
    rows = rows_per_class(counts)
    for name, found in zip(("positives", "negatives"), rows, strict=True):
        if found < LEAST_FOR_A_VARIANCE:
            some = "is 1" if found == 1 else f"are {found}"
            raise ValueError(f"{what} needs at least two {name}; there {some}")


def squared_masses(counts: ScoreCounts | JointCounts) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return Σw² per cell over (Σw)² of the class, positives first; shapes (K,).

    These are what a squared influence is weighed with. Without weights a cell of p of n1
    positives has p/n1².
    """
    require_rows(counts)
    found = []
    for name in ("positive", "negative"):
        sums = getattr(counts, f"{name}s")
        if counts.weights is None:
            cases = int(sums.sum(dtype=np.int64))
            found.append(sums / cases / cases)
        else:
            total = sums.astype(np.longdouble).sum()
            found.append((getattr(counts.weights, f"{name}_roots") / total) ** 2)
    return found[0], found[1]
