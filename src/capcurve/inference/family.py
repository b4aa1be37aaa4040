"""One law for several differences at once, which their limits and p-values share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from capcurve.inference.records import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.inference.designs import Estimates
    from capcurve.numbers.types import Floats

MOST_DIRECTIONS, FEWEST_DIRECTIONS = 20_000, 2_000
# Directions times differences that are looked at, at most, and how many of them at once.
MOST_PRODUCTS, PRODUCTS_AT_ONCE = 40_000_000, 4_000_000
# The farthest directions decide small chances and stay as they are; of the others some hundred
# that reach about as far are one.
FARTHEST, ALIKE = 1 / 40, 200
# Directions that differ by less are one, and a difference that varies by less of the most does not.
SAME_DIRECTION = 1e-6
EIGENVALUE_ROUNDING = 1e-14  # parts of the largest
# Decimals of covariances by which scores of the same estimate are told apart.
ROUNDED_TO = 9


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Differences that are tested together, by the law of the smallest of their p-values."""

    # That law is how often chance alone gives a smallest p-value of p or less, where statistics
    # vary together as the estimates do: Westfall & Young (1993), min-p; Hothorn, Bretz & Westfall
    # (2008), Biom. J. 50, of normal laws. Each difference keeps its own law for its own p-value.

    tests: int  # distinct differences that vary
    dimensions: int = 0
    # How far the statistics reach along directions of standard normal numbers, and for what share
    # of all directions each stands; none where it is not known how they vary together.
    reach: Floats | None = None
    shares: Floats | None = None

    @classmethod
    def of_rows(cls, rows: Floats, careful: int = 0) -> Self:
        """Return the family of differences that are such sums of standard normal numbers."""
        # Each of the `careful` ones, whose variance is not of the sample, varies by itself.
        several = _units(rows)
        tests, dimensions = len(several) + careful, rows.shape[1] + careful
        if tests < 2:  # noqa: PLR2004 - the only difference has its own law
            return cls(tests)
        every = np.zeros((tests, dimensions))
        every[: len(several), : rows.shape[1]] = several
        every[len(several) :, rows.shape[1] :] = np.eye(careful)
        reach, shares = _few_alike(_reach(every))
        return cls(tests, dimensions, reach, shares)

    @classmethod
    def of_scores(
        cls,
        found: Estimates,
        pairs: Sequence[tuple[int, int]],
        careful: Sequence[bool],
        covariance: Floats,
    ) -> Self:
        """Return the family of pairs of scores on the same rows, first less second."""
        # Scores of no pair change nothing.
        used = sorted({score for pair in pairs for score in pair})
        copy_of, order = _distinct(found, used, covariance)
        place = {score: at for at, score in enumerate(order)}
        rows: dict[tuple[int, int], None] = {}
        alone: dict[tuple[int, int], None] = {}
        for (first, second), by_itself in zip(pairs, careful, strict=True):
            ends = place[copy_of[first]], place[copy_of[second]]
            if ends[0] != ends[1]:
                (alone if by_itself else rows)[min(ends), max(ends)] = None
        root = symmetric_root(found.covariance(less_mean=order))
        several = [root[first] - root[second] for first, second in rows]
        return cls.of_rows(np.array(several).reshape(-1, len(order)), len(alone))

    def adjusted(self, p_value: float, *, one_sided: bool = False) -> float:
        """Return how often chance gives any of the differences so small a p-value."""
        if self.tests <= 1:
            return p_value
        most = min(1.0, self.tests * p_value)
        if one_sided:
            return min(most, self._smallest(min(1.0, 2 * p_value)))
        return max(p_value, min(most, self._smallest(p_value)))

    def confidence(self, level: float) -> Confidence:
        """Return how sure the limits of each difference are where all hold together at a level."""
        from scipy.optimize import brentq

        if self.tests <= 1:
            return Confidence(level)
        found = (1 - level) / self.tests
        if self.reach is not None:
            ends = math.log(found) - 1, math.log(1 - level)
            found = math.exp(brentq(lambda p: self.adjusted(math.exp(p)) - (1 - level), *ends))
        return Confidence(1 - found, missed=found / 2)

    def _smallest(self, p_value: float) -> float:
        from scipy.special import gammaincc, ndtri

        if self.reach is None or self.shares is None:
            return min(1.0, self.tests * p_value)
        squares = (ndtri(p_value / 2) / self.reach) ** 2
        return float(self.shares @ gammaincc(self.dimensions / 2, squares / 2))


def _distinct(
    found: Estimates, used: Sequence[int], covariance: Floats
) -> tuple[dict[int, int], list[int]]:
    """Return which score each one ranks like, and those scores in an order of their own."""
    # Neither names nor the order in which scores were given change what is drawn, nor does a copy.
    copy_of, kept = {score: score for score in used}, list[int]()
    for score in used:
        alike = [other for other in kept if _are_alike(found, score, other)]
        copy_of[score] = alike[0] if alike else score
        kept += [] if alike else [score]
    covariance = covariance[np.ix_(kept, kept)]
    scale = float(np.diag(covariance).max(initial=0.0)) or 1.0
    rounded = np.round(covariance / scale, ROUNDED_TO)
    keys = np.sort(rounded, axis=1).T[::-1]
    order = np.lexsort((*keys, np.diag(rounded), -found.values[kept]))
    return copy_of, [kept[place] for place in order.tolist()]


def _units(rows: Floats) -> Floats:
    """Return the directions of sums, those that are alike or opposite once, without sums of 0."""
    sizes = np.linalg.norm(rows, axis=1)
    moving = sizes > SAME_DIRECTION * sizes.max(initial=0.0)
    units: Floats = rows[moving] / sizes[moving, None]
    if not len(units):
        return units
    first = np.argmax(np.abs(units) > SAME_DIRECTION, axis=1)[:, None]
    turned = units * np.sign(np.take_along_axis(units, first, axis=1))
    kept = np.unique((turned / SAME_DIRECTION).round(), axis=0, return_index=True)[1]
    distinct: Floats = units[np.sort(kept)]
    return distinct


def _are_alike(found: Estimates, first: int, second: int) -> bool:
    """Return whether two scores rank all cases alike, so that nothing moves their difference."""
    if abs(found.values[first] - found.values[second]) > found.rounding:
        return False
    both = zip(found.moves, found.masses, strict=True)
    # What has no mass, such as positives at a score that only negatives have, moves nothing.
    return not any(
        ((np.abs(m[first] - m[second]) > found.rounding) & (np.asarray(mass) > 0)).any()
        for m, mass in both
    )


def symmetric_root(covariance: Floats) -> Floats:
    """Return the symmetric matrix whose square is a covariance."""
    # Others, such as Cholesky's, turn with the last bit of the covariance.
    values, vectors = np.linalg.eigh(covariance)
    # Nothing but rounding, of which the root is a hundred million times as large.
    values[values < EIGENVALUE_ROUNDING * values.max(initial=0.0)] = 0.0
    root: Floats = (vectors * np.sqrt(values)) @ vectors.T
    return root


def _reach(rows: Floats) -> Floats:
    """Return the largest of the differences in each of many directions, the farthest first."""
    tests, dimensions = rows.shape
    many = max(FEWEST_DIRECTIONS, min(MOST_DIRECTIONS, MOST_PRODUCTS // tests))
    drawn = np.random.default_rng(0).normal(size=(many, dimensions))
    drawn /= np.linalg.norm(drawn, axis=1)[:, None]
    step = max(1, PRODUCTS_AT_ONCE // tests)
    blocks = [drawn[start : start + step] @ rows.T for start in range(0, many, step)]
    found = np.concatenate([np.abs(block).max(axis=1) for block in blocks])
    return np.sort(found)[::-1]


def _few_alike(reach: Floats) -> tuple[Floats, Floats]:
    """Return fewer directions, and for what share of all each stands."""
    far = int(len(reach) * FARTHEST)
    parts = np.array_split(reach[far:], ALIKE)
    sizes = np.array([1] * far + [len(part) for part in parts])
    return np.concatenate([reach[:far], [part.mean() for part in parts]]), sizes / len(reach)
