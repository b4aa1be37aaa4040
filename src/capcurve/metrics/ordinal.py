"""Pairs of cases in and out of order where outcomes have several ordered classes, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.arguments import as_name
from capcurve.counts.exact import LARGEST_INT64

if TYPE_CHECKING:
    from capcurve.counts.types import Array, Ints

Conditioning = Literal["estimate", "target"]
OTHER_NAMES = {"score": "estimate", "estimated": "estimate", "realised": "target"}
LACKING = {
    "estimate": "all estimates are in one class, so no pair of cases differs in the estimate",
    "target": "all outcomes are in one class, so no pair of cases differs in the outcome",
}


@dataclass(frozen=True, slots=True)
class OrdinalPairs:
    """Ordered pairs of cases of a table: each unordered pair is in every sum twice."""

    concordant: int  # concordant, discordant: pairs in order (P), and out of order (Q)
    discordant: int
    differing: int  # pairs that differ in what is given (w)
    cases: int  # all cases (F)
    # Spread, fourth: the sums over cells of a·ψ² and a·ψ⁴, ψ = w·(A - D) - (P - Q)·(F - m), with a
    # the cases of a cell, A and D those in and out of order with it, and m those of its class of
    # what is given. ψ/w² is how far one case of the cell moves `won`, times F.
    spread: int
    fourth: int

    @property
    def somers_d(self) -> float:
        """Somers' D: (P - Q)/w, rounded once."""
        return (self.concordant - self.discordant) / self.differing

    @property
    def won(self) -> float:
        """(D + 1)/2: pairs in order and half of those that tie, rounded once."""
        balance = self.concordant - self.discordant
        return (balance + self.differing) / (2 * self.differing)

    @property
    def lost(self) -> float:
        """What `won` lacks to 1, rounded once too."""
        balance = self.concordant - self.discordant
        return (self.differing - balance) / (2 * self.differing)

    @property
    def se(self) -> float:
        """The standard error of `won`, by the delta method."""
        return math.sqrt(self.spread / self.differing**4)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of `se`: those of a variance estimated from such influences."""
        most = max(self.cases - 1, 1)
        excess = self.fourth / self.spread**2 - 1 / self.cases if self.spread else 0.0
        return max(1.0, 2 / excess) if excess > 2 / most else float(most)


def check_given(given: object) -> Conditioning:
    """Return what a pair has to differ in, else raise ValueError."""
    return as_name(given, "given", ("estimate", "target"), OTHER_NAMES)  # type: ignore[return-value]  # one of the two


def ordinal_pairs(table: Ints, given: Conditioning) -> OrdinalPairs:
    """Return the pairs of a table, rows ascending in the estimate and columns in the outcome.

    Goodman & Kruskal (1963), JASA 58; ECB (2019), annex 3.2, which writes a for the table, A and D
    for `in_order` and `out_of_order`, and r for the totals of rows.

    >>> found = ordinal_pairs(np.array([[80, 5], [10, 5]]), "estimate")
    >>> found.concordant, found.discordant, found.differing, found.cases
    (800, 100, 2550, 100)
    """
    cases = int(table.sum())
    if not cases:
        raise ValueError("the table holds no cases")
    # Python's integers where a sum of products might not fit into 64 bits.
    whole = table if cases**2 <= LARGEST_INT64 else table.astype(object)
    in_order, out_of_order = neighbours(whole)
    p, q = (int((whole * found).sum()) for found in (in_order, out_of_order))
    totals = whole.sum(axis=1, keepdims=True) if given == "estimate" else whole.sum(axis=0)[None]
    w = cases**2 - sum(int(total) ** 2 for total in totals.ravel())
    if not w:
        raise ValueError(LACKING[given])
    held = np.nonzero(table)
    a, ahead = _objects(whole[held]), _objects((in_order - out_of_order)[held])
    rest = cases - _objects(np.broadcast_to(totals, whole.shape)[held])
    squares = (w * ahead - (p - q) * rest) ** 2
    return OrdinalPairs(p, q, w, cases, int((a * squares).sum()), int((a * squares**2).sum()))


def neighbours(table: Array) -> tuple[Array, Array]:
    """Return for each cell how many cases are in order with its own, and how many out of it."""
    upto = np.zeros((table.shape[0] + 1, table.shape[1] + 1), dtype=table.dtype)
    upto[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
    rows, columns = upto[:, -1:], upto[-1:, :]
    lower_both = upto[:-1, :-1]
    higher_both = upto[-1, -1] - rows[1:] - columns[:, 1:] + upto[1:, 1:]
    higher_row = columns[:, :-1] - upto[1:, :-1]
    lower_row = rows[:-1] - upto[:-1, 1:]
    return lower_both + higher_both, higher_row + lower_row


def _objects(whole: Any) -> Array:
    return np.asarray(whole).astype(object)
