"""The smallest two-sided KS that tables show: the largest gap at the ends of their bins."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from capcurve.audit.bins import MOST_COMPARED, ks_side, most
from capcurve.audit.known_sizes import KnownSizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.audit.bins import Amount, Bins
    from capcurve.audit.tables import Problem, Tables

HALVINGS = 60


def smallest_gap(problem: Problem, tables: Tables) -> tuple[Fraction, bool]:
    """Return the smallest two-sided KS among tables, and whether one has it."""
    best: Fraction | None = None
    for part in _by_bound(tables):
        bound = _bound(part)
        if best is None or bound < best:
            found = _of_one(problem, part, bound)
            best = found if best is None else min(best, found)
        elif len(tables) > MOST_COMPARED:
            break
    if best is None:
        raise ValueError("no table fits")
    return best, tables.sharp and isinstance(problem, KnownSizes)


def _by_bound(tables: Tables) -> Iterator[Tables]:
    """Yield the tables of each number of positives, those that may have the smallest gap first."""
    if len(tables) <= MOST_COMPARED:
        return tables.each()
    bounds = _bound_of(tables.least.as_floats(), tables.greatest.as_floats())
    return map(tables.at, np.argsort(bounds, kind="stable").tolist())


def _bound(tables: Tables) -> Fraction:
    """Return what the gap is at least: of the fewest positives, or of the fewest negatives."""
    return Fraction(_bound_of(tables.least, tables.greatest))


def _bound_of(least: Bins, greatest: Bins) -> Amount:
    return most(ks_side(least, "low"), ks_side(greatest.swapped, "low"))


def _of_one(problem: Problem, tables: Tables, bound: Fraction) -> Fraction:
    """Return the smallest gap with one number of positives, halving where it may lie."""
    if not isinstance(problem, KnownSizes) or problem.within_gap(tables, bound) is not None:
        return bound
    unit = (
        Fraction(1, tables.least.n1 * tables.least.n0)
        if problem.whole
        else Fraction(1, 2**HALVINGS)
    )
    low: int = bound // unit
    high: int = -(-_bound_of(tables.least, tables.least) // unit)
    while high - low > 1:
        middle = (low + high) // 2
        if problem.within_gap(tables, middle * unit) is None:
            low = middle
        else:
            high = middle
    return high * unit
