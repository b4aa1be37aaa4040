"""What PDs promise of a ranking: its expected AUC, and how far chance moves it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from capcurve.counts.types import Array, Floats

# By place and by PD; a factor moves as many groups as it moves cells.
GROUPS = 40
# Of all pairs: where no more than this part can hold one case of each class, none can.
LEAST_PART = 1e-13


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cases with PDs, by the score that ranks them."""

    # Place of each cell's score, 0 the most likely positive, shape (K,); cells may share one.
    place: Array
    pd: Floats  # pD of the cases of each cell, shape (K,)
    cases: Floats  # how many cases there are in each cell, shape (K,)

    @property
    def total(self) -> float:
        """How many positives the PDs add up to."""
        return float((self.cases * self.pd).sum())

    def below(self, values: Floats) -> Floats:
        """Return for each cell the sum of values over all scores below, its own half."""
        sums = np.bincount(self.place, values)
        below: Floats = (sums[::-1].cumsum()[::-1] - sums / 2)[self.place]
        return below


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """What PDs promise of a ranking."""

    cases: float  # how many cases there are
    auc: float  # the implied AUC: expected pairs won over expected pairs, of different cases
    auc_with_self_pairs: float  # the same with each case compared with itself too, half won
    highest: float  # the implied AUC if the PDs themselves ranked
    variance: float  # of the pairs won less auc·n1·n0, over all outcomes
    # The same of its part that is uncorrelated with the number of positives, to first order.
    variance_given_total: float
    variance_of_total: float  # of the number of positives
    # How far the implied AUC moves when PDs are matched to one standard deviation more.
    se_by_total: float


def promise_of(cells: Cells) -> Promise:
    """Return what PDs promise of a ranking.

    Notes
    -----
    g = L - (E - p) - θ(n - 1 - 2(E - p)) is what a case moves pairs won less θ·n1·n0 by when it
    becomes positive, L the cases below it (ties half); and of the derivative of θ by the shift of
    all log-odds, Σ pq·g over the pairs that are expected.

    Examples
    --------
    >>> found = promise_of(Cells(np.arange(3), np.array([0.5, 0.25, 0.1]), np.ones(3)))
    >>> round(found.auc * 26, 9), round(found.variance * 130, 9)
    (21.0, 33.0)
    """
    p, cases = cells.pd, cells.cases
    spread = cases * p * (1 - p)
    n, expected, self_pairs = float(cases.sum()), cells.total, float(spread.sum())
    won, pairs = _won(cells), expected * float((cases * (1 - p)).sum())
    possible = pairs - self_pairs
    if not possible > LEAST_PART * pairs:
        raise ValueError(
            "the PDs leave no pair of a positive and a negative possible: they are all 0, all 1, "
            "or of one case"
        )
    auc = min(max((won - self_pairs / 2) / possible, 0.0), 1.0)
    others = expected - p
    moves = cells.below(cases) - 0.5 - others - auc * (n - 1 - 2 * others)
    mean = float((spread * moves).sum()) / self_pairs if self_pairs else 0.0
    both = max(self_pairs**2 - float((spread * p * (1 - p)).sum()), 0.0) / 2
    return Promise(
        cases=n,
        auc=auc,
        auc_with_self_pairs=won / pairs,
        highest=(_won(_by_pd(cells)) - self_pairs / 2) / possible,
        variance=float((spread * moves**2).sum()) + (2 * auc - 1) ** 2 * both,
        variance_given_total=float((spread * (moves - mean) ** 2).sum()),
        variance_of_total=self_pairs,
        se_by_total=abs(mean) * math.sqrt(self_pairs) / possible,
    )


def _won(cells: Cells) -> float:
    """Return the pairs that a score is expected to win, self pairs half."""
    below = cells.below(cells.cases * (1 - cells.pd))
    return float((cells.cases * cells.pd * below).sum())


def _by_pd(cells: Cells) -> Cells:
    """Return the cells ranked by their PDs."""
    distinct, place = np.unique(cells.pd, return_inverse=True)
    return replace(cells, place=len(distinct) - 1 - place.reshape(-1))


def under_factor(cells: Cells, correlation: float, factor: float) -> Cells:
    """Return the cells with the PDs that they have where one factor stands so high.

    Φ((Φ⁻¹(p) - √ρ·z)/√(1 - ρ)), with ρ the correlation of assets: Vasicek (2002), Risk 15.

    Examples
    --------
    With Φ⁻¹(p) = 0 and ρ = 1/2 it is Φ(-z).

    >>> moved = under_factor(Cells(np.arange(1), np.array([0.5]), np.ones(1)), 0.5, 1.0)
    >>> round(float(moved.pd[0]), 6)
    0.158655
    """
    from scipy.special import ndtr, ndtri

    moved = ndtri(cells.pd) - math.sqrt(correlation) * factor
    return replace(cells, pd=ndtr(moved / math.sqrt(1 - correlation)))


def grouped(cells: Cells) -> Cells:
    """Return nearly the same cells, few of them: by place and by PD, with their mean PD."""
    if len(cells.pd) <= GROUPS:
        return cells
    mass = cells.cases * (1 / float(cells.cases.sum()) + cells.pd / (cells.total or 1.0)) / 2
    labels = [
        np.minimum(GROUPS * np.bincount(at, mass).cumsum()[at], GROUPS - 1).astype(np.int64)
        for at in (cells.place, _by_pd(cells).place)
    ]
    found, group = np.unique(GROUPS * labels[0] + labels[1], return_inverse=True)
    sums = [np.bincount(group, of) for of in (cells.cases, cells.cases * cells.pd)]
    cases, positives = (np.asarray(column, dtype=np.float64) for column in sums)
    return Cells(found // GROUPS, np.minimum(positives / cases, 1.0), cases)


def at_total(cells: Cells, positives: float) -> tuple[Cells, float]:
    """Return the cells with all log-odds shifted so that the PDs add up to the positives.

    PDs of 0 and 1 stay as they are. Also returns the shift.

    Examples
    --------
    Odds of 1 to 3 become odds of 1: a shift by ln 3.

    >>> matched, shift = at_total(Cells(np.arange(1), np.array([0.25]), np.array([4.0])), 2)
    >>> matched.pd.round(12).tolist(), round(math.exp(shift), 12)
    ([0.5], 3.0)
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    inside = (cells.pd > 0) & (cells.pd < 1)
    sure = float(cells.cases[cells.pd == 1].sum())
    wanted, cases = positives - sure, cells.cases[inside]
    open_cases = float(cases.sum())
    if not open_cases and not wanted:
        return cells, 0.0
    if not 0 < wanted < open_cases:
        raise ValueError(
            f"no shift of the log-odds makes the PDs add up to the {positives:,} positives: "
            f"{sure:,.0f} cases have a PD of 1 and {open_cases:,.0f} one between 0 and 1; "
            'pass calibration="stated"'
        )
    odds, middle = logit(cells.pd[inside]), float(logit(wanted / open_cases))

    def missing(shift: float) -> float:
        return float((cases * expit(odds + shift)).sum()) - wanted

    # At these ends every PD lies below, above, the share that is wanted.
    ends = middle - float(odds.max()) - 1, middle - float(odds.min()) + 1
    shift = float(brentq(missing, *ends, xtol=1e-14))
    matched = cells.pd.copy()
    matched[inside] = expit(odds + shift)
    return replace(cells, pd=matched), shift
