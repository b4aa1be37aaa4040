"""A digest of cells that come block by block, in the order in which counts hold them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.cells import LARGEST_EXACT_IN_FLOAT
from capcurve.counts.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

FLOATS, WHOLE, UNSIGNED = "f8", "i8", "u8"
NARROW = 4  # whole numbers of so many bytes are floats without loss


class Fingerprint:
    """The SHA-256 of cells by value: 1, 1.0 and True are the same score.

    Whole numbers that floats would round are hashed as integers, all other scores as floats.
    Which of the two it is shows only at the end, so both are followed while both are possible.
    """

    def __init__(self, cell: str) -> None:
        self.cell = cell
        self.cells = 0
        self.low: Any = 0
        self.high: Any = 0
        self.sums: list[Any] = []
        self.scores = {kind: hashlib.sha256() for kind in (FLOATS, WHOLE)}

    def add(self, score: NDArray[Any], *columns: NDArray[Any]) -> None:
        """Take the next cells: positives, negatives and what else is known of each."""
        if not len(score):
            return
        self.cells += len(score)
        self.sums = self.sums or [hashlib.sha256() for _ in columns]
        for found, column in zip(self.sums, columns, strict=True):
            found.update(np.ascontiguousarray(column, dtype="<" + self.cell).data)
        if score.dtype.kind == "b":
            score = score.astype(np.uint8)
        low, high = (bound.item() for bound in (score.min(), score.max()))
        self.low, self.high = min(self.low, low), max(self.high, high)
        for kind in [kind for kind in self.scores if not _holds(kind, score, low, high)]:
            del self.scores[kind]
        for kind, found in self.scores.items():
            # The bytes of an unsigned number are those of a signed one, where that holds it.
            dtype = UNSIGNED if kind == WHOLE and score.dtype.kind == "u" else kind
            found.update(np.ascontiguousarray(score, dtype="<" + dtype).data)

    def hexdigest(self, settings: Mapping[str, object]) -> str:
        """Return 64 hexadecimal digits for the cells and what they were counted with."""
        large = max(self.high, -self.low) > LARGEST_EXACT_IN_FLOAT
        kind = WHOLE if large and WHOLE in self.scores else FLOATS
        name = UNSIGNED if kind == WHOLE and self.high >= 2**63 else kind
        header = {**settings, "score": name, "cell": self.cell, "k": self.cells}
        text = json.dumps(plain(header), sort_keys=True, default=str)
        whole = hashlib.sha256(text.encode())
        for found in (self.scores[kind], *(self.sums or (hashlib.sha256(), hashlib.sha256()))):
            whole.update(found.digest())
        return whole.hexdigest()


def _holds(kind: str, score: NDArray[Any], low: Any, high: Any) -> bool:
    """Return whether scores are hashed as this kind without losing a digit."""
    if score.dtype.kind == "f":
        if kind == FLOATS:
            return True
        # Below 2^63, since floats that reach it are no int64.
        whole = kind == WHOLE and low > -(2.0**63) and high < 2.0**63
        return whole and bool((score == np.floor(score)).all())
    if kind == FLOATS:
        return bool(low >= -LARGEST_EXACT_IN_FLOAT and high <= LARGEST_EXACT_IN_FLOAT)
    return score.dtype.itemsize > NARROW
