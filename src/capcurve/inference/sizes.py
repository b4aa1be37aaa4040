"""How many cases of each class an uncertainty may count on, and when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import JointCounts, ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking
    from capcurve.counts.types import Array, Floats

LEAST_FOR_A_VARIANCE = 2
# What weighs less than this part of the rest is lost beside it: one class, or cases of a class.
LEAST_PART = 1e-100


@dataclass(frozen=True, slots=True)
class ClassSizes:
    """How many independent parts hold each class: cases, as if equally weighted, or groups."""

    positives: float
    negatives: float

    @property
    def rarer(self) -> float:
        """The size of the smaller class."""
        return min(self.positives, self.negatives)


def effective_sizes(counts: Ranking | JointCounts) -> ClassSizes:
    """Return the effective sample size of each class: what weights leave of the rows.

    (Σw)²/Σw² per class (Kish 1965, Survey Sampling); the cases themselves without weights.
    """
    require_rows(counts)
    if counts.weights is None:
        return ClassSizes(*(float(cases) for cases in rows_per_class(counts)))
    cells = counts if isinstance(counts, JointCounts) else counts.every_score()
    return ClassSizes(
        _effective(cells.positives, counts.weights.positive_roots),
        _effective(cells.negatives, counts.weights.negative_roots),
    )


def _effective(sums: Array, roots: Floats) -> float:
    total = sums.sum(dtype=np.float64)
    # Divided before squaring: a weight such as 1e300 has no square in floating point.
    return float(1 / ((roots / total) ** 2).sum()) if total > 0 else 0.0


def require_rows(counts: Ranking | JointCounts) -> None:
    """Raise ValueError unless it is known what one case of these counts is."""
    if counts.weights is None:
        if not counts.is_whole:
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
    totals = [counts.n1, counts.n0]
    if 0 < min(totals) < LEAST_PART * max(totals):
        raise ValueError(
            f"the positives weigh {totals[0]:g} and the negatives {totals[1]:g}: no sample tells "
            "how chance moves classes so unequal; scale the weights of one of them"
        )
    cells = counts if isinstance(counts, JointCounts) else counts.every_score()
    columns = (cells.positives, cells.negatives)
    for name, column, whole in zip(("positives", "negatives"), columns, totals, strict=True):
        least = float(column.min(where=column > 0, initial=whole))
        if least < LEAST_PART * whole:
            raise ValueError(
                f"some {name} weigh {least:g} and all together {whole:g}: no sample tells how "
                "chance moves cases so unequal; leave out weights next to nothing"
            )


def rows_per_class(counts: Ranking | JointCounts) -> tuple[int, int]:
    """Return how many rows of each class there are, positives first."""
    require_rows(counts)
    if counts.weights is not None:
        return counts.weights.positive_rows, counts.weights.negative_rows
    return counts.n1, counts.n0


def groups_per_class(counts: ScoreCounts) -> ClassSizes:
    """Return in how many groups of clusters there are cases of each class."""
    groups: Sequence[ScoreCounts] = counts.groups or ()
    return ClassSizes(sum(g.n1 > 0 for g in groups), sum(g.n0 > 0 for g in groups))


def require_two(counts: Ranking | JointCounts, what: str) -> None:
    """Raise ValueError unless both classes have the two rows that a spread needs."""
    rows = rows_per_class(counts)
    for name, found in zip(("positives", "negatives"), rows, strict=True):
        if found < LEAST_FOR_A_VARIANCE:
            some = "is 1" if found == 1 else f"are {found}"
            raise ValueError(f"{what} needs at least two {name}; there {some}")


def squared_masses(
    counts: ScoreCounts | JointCounts,
) -> tuple[Floats, Floats]:
    """Return Σw² per cell over (Σw)² of the class, positives first; shapes (K,).

    These are what a squared influence is weighed with. Without weights a cell of p of n1
    positives has p/n1².
    """
    require_rows(counts)
    p, n, weights = counts.positives, counts.negatives, counts.weights
    if weights is None:
        n1, n0 = (int(sums.sum(dtype=np.int64)) for sums in (p, n))
        return p / n1 / n1, n / n0 / n0
    totals = [sums.sum(dtype=np.float64) for sums in (p, n)]
    return (weights.positive_roots / totals[0]) ** 2, (weights.negative_roots / totals[1]) ** 2


def squared_mass_sums(counts: ScoreCounts, parts: Sequence[slice]) -> tuple[Floats, Floats]:
    """Return the same added up over parts of the cells, positives first; shapes (parts,).

    Whole cases are divided after they are added, so that it does not matter how many cells they
    are in.
    """
    if counts.weights is not None:
        sums = [[mass[part].sum() for part in parts] for mass in squared_masses(counts)]
        return np.array(sums[0], dtype=np.float64), np.array(sums[1], dtype=np.float64)
    require_rows(counts)
    found = []
    for column, cases in ((counts.positives, counts.n1), (counts.negatives, counts.n0)):
        here = np.array([column[part].sum(dtype=np.int64) for part in parts])
        found.append(here / cases / cases)
    return found[0], found[1]


def equal_cases(hit: Floats, missed: Floats, won: Floats, lost: Floats) -> tuple[Floats, Floats]:
    """Return shares hit/(hit + missed), and how many equally weighted cases are as informative.

    `won` and `lost` are Σw² of both sides, in the square of the unit of their sums; of no cases at
    all the share is 0.
    """
    whole = hit + missed
    some = np.where(whole > 0, whole, 1.0)
    rate, rest = hit / some, missed / some
    variance, spread = won * rest**2 + lost * rate**2, won + lost
    alike = np.where(spread > 0, whole**2 / np.where(spread > 0, spread, 1.0), 0.0)
    cases = rate * rest * whole**2 / np.where(variance > 0, variance, 1.0)
    return rate, np.where(variance > 0, cases, alike)
