"""Delete-a-group jackknife: how far any number moves when a group of clusters is left out.

Clusters fall into groups by a hash, so groups are independent where clusters are, whatever goes
on inside them. What leaving out each group in turn does to a number is therefore enough for its
variance (Kott 2001, "The delete-a-group jackknife", J. Official Statistics 17).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.bootstrap import CELLS_AT_ONCE, unit
from capcurve.inference.sizes import require_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

    # Takes positives and negatives of several samples, shape (samples, K) each, and returns a
    # number, or a row of numbers, per sample.
    Statistic = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

# What a subtraction of sums of weights leaves below this part of them is rounding, not weight.
ROUNDING = 1e-12
# A standard error below this part of the number's scale is rounding too.
NOTHING = 1e-12
LEAST_GROUPS = 2
# Below so many groups that hold the rarer class limits are rough, in either direction.
FEW_GROUPS = 10
# So many draws show how much the largest of several numbers exaggerates.
DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Numbers of the whole, and without each group.

    Attributes
    ----------
    whole
        Shape (m,).
    moved
        By how much leaving out each group moves them, shape (G, m); zero for empty groups.
    groups, positives, negatives
        In how many groups there are cases, and cases of each class: there are at least so many
        clusters.
    """

    whole: NDArray[np.float64]
    moved: NDArray[np.float64]
    groups: int
    positives: int
    negatives: int

    @property
    def rarer(self) -> int:
        """In how many groups there are cases of the class that is in fewer."""
        return min(self.positives, self.negatives)

    def along(self, contrast: NDArray[Any]) -> LeftOut:
        """Return the same for weighted sums of the numbers; contrast has shape (r, m)."""
        moved = self.moved @ contrast.T
        moved[np.abs(moved) <= NOTHING] = 0
        return LeftOut(contrast @ self.whole, moved, self.groups, self.positives, self.negatives)

    def covariance(self) -> NDArray[np.float64]:
        """Return how the numbers vary together, shape (m, m): (G - 1)/G · Σ (θ₍₎ - θ)(θ₍₎ - θ)'."""
        full = max(self.groups, LEAST_GROUPS)
        found: NDArray[np.float64] = (full - 1) / full * (self.moved.T @ self.moved)
        return found

    def drawn(self) -> NDArray[np.float64]:
        """Return normal numbers around the whole that vary together as these do, (DRAWS, m)."""
        full = max(self.groups, LEAST_GROUPS)
        normal = np.random.default_rng(0).normal(size=(DRAWS, len(self.moved)))
        found: NDArray[np.float64] = self.whole + np.sqrt((full - 1) / full) * normal @ self.moved
        return found

    def se(self) -> float:
        """Return the standard error of the only number."""
        return float(np.sqrt(self.covariance()[0, 0]))

    def freedom(self, holding: int | None = None) -> float:
        """Return the degrees of freedom of the variance of the only number.

        Those of the spread of the squares, 2/(K - 1/G) with K the share of fourth powers in the
        square of squares: few clusters in unusual places say little about the variance they
        cause. At most the groups that hold the cases it is about (`holding`; those of the rarer
        class when left out), less one.
        """
        most = max((self.rarer if holding is None else holding) - 1, 1)
        squares = self.moved[:, 0] ** 2
        total = squares.sum()
        if total <= 0:
            return float(most)
        crowded = float(((squares / total) ** 2).sum()) - 1 / max(self.groups, 1)
        return float(max(1.0, min(2 / crowded, most))) if crowded > 0 else float(most)


def leave_out(counts: ScoreCounts, statistic: Statistic) -> LeftOut:
    """Return a statistic of the whole and of all but each group of clusters.

    Each group is looked up in the whole and subtracted there, so that nothing is sorted again.
    Sums of weights are measured in `unit(counts)`.
    """
    require_rows(counts)
    groups: Any = counts.groups
    size = unit(counts)
    p, n = counts.positives / size, counts.negatives / size
    whole = _rows(statistic(p[None, :], n[None, :]))[0]
    moved = np.zeros((len(groups), len(whole)))
    full = [place for place, group in enumerate(groups) if len(group)]
    step = max(1, CELLS_AT_ONCE // max(len(counts), 1))
    for start in range(0, len(full), step):
        some = full[start : start + step]
        left = [_without(counts, groups[place], (p, n), size) for place in some]
        found = statistic(np.array([a for a, _ in left]), np.array([b for _, b in left]))
        moved[some] = _rows(found) - whole
    return LeftOut(whole, moved, len(full), *holding(counts))


def holding(counts: ScoreCounts) -> tuple[int, int]:
    """Return in how many groups of clusters there are positives, and negatives."""
    groups: Sequence[ScoreCounts] = counts.groups or ()
    return sum(g.n1 > 0 for g in groups), sum(g.n0 > 0 for g in groups)


def notes_of(left: LeftOut, df: float, groups: int) -> tuple[str, ...]:
    """Return what to say of limits that rest on so many groups with cases they are about."""
    told = f"{left.groups} groups of clusters left out in turn; t with {df:.3g} degrees of freedom"
    if groups >= FEW_GROUPS:
        return (told,)
    return (told, f"only {groups} groups hold the cases this is about: the limits are rough")


def _rows(found: NDArray[np.float64]) -> NDArray[np.float64]:
    return found[:, None] if found.ndim == 1 else found


def _without(
    counts: ScoreCounts,
    group: ScoreCounts,
    cells: tuple[NDArray[np.float64], NDArray[np.float64]],
    size: float,
) -> list[NDArray[np.float64]]:
    """Return positives and negatives per score of the whole without a group."""
    values = group.score.astype(counts.score.dtype)
    if counts.higher_is == "positive":
        place = len(counts) - 1 - np.searchsorted(counts.score[::-1], values)
    else:
        place = np.searchsorted(counts.score, values)
    left = []
    for column, gone in zip(cells, (group.positives, group.negatives), strict=True):
        rest = column.copy()
        rest[place] -= gone / size
        rest[place] = np.where(rest[place] <= ROUNDING * column[place], 0.0, rest[place])
        left.append(rest)
    return left
