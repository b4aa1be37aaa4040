"""Fingerprints of counts: the same for equal scores, whatever type or engine held them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.settings import settings_of
from capcurve.numbers.exact import BLOCK
from capcurve.numbers.order import LARGEST_EXACT_IN_FLOAT
from capcurve.numbers.plain import plain

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Floats

# Of a digest this much is shown; JSON has all of it.
DIGITS_OF_DIGEST = 16
FLOATS, WHOLE, UNSIGNED = "f8", "i8", "u8"
NARROW_BYTES = 4  # whole numbers of so many bytes are floats without loss


class Fingerprint:
    """The SHA-256 of cells by value: 1, 1.0 and True are the same score."""

    # Whole numbers that floats would round are hashed as integers, all other scores as floats.
    # Which of the two it is shows only at the end, so both are followed while both are possible.

    def __init__(self, cell: str) -> None:
        self.cell = cell
        self.cells: int = 0
        self.low: Any = 0
        self.high: Any = 0
        self.sums: list[Any] = []
        self.scores: dict[str, Any] = {kind: hashlib.sha256() for kind in (FLOATS, WHOLE)}

    def add(self, score: Array, *columns: Array) -> None:
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


def _holds(kind: str, score: Array, low: Any, high: Any) -> bool:
    """Return whether scores are hashed as this kind without losing a digit."""
    if score.dtype.kind == "f":
        if kind == FLOATS:
            return True
        # Below 2^63, since floats that reach it are no int64.
        whole = kind == WHOLE and low > -(2.0**63) and high < 2.0**63
        return whole and bool((score == np.floor(score)).all())
    if kind == FLOATS:
        return bool(low >= -LARGEST_EXACT_IN_FLOAT and high <= LARGEST_EXACT_IN_FLOAT)
    return score.dtype.itemsize > NARROW_BYTES


def canonical(score: Array) -> Array:
    """Return scores in the one type their values have everywhere: 1, 1.0 and True are equal."""
    if not len(score):
        return np.zeros(0)
    if score.dtype.kind in "fb":
        wide = score.astype(np.float64)
        return wide.astype(np.int64) if _large_integers(wide) else wide
    low, high = int(score.min()), int(score.max())
    if low >= -LARGEST_EXACT_IN_FLOAT and high <= LARGEST_EXACT_IN_FLOAT:
        return score.astype(np.float64)
    return score.astype(np.int64 if high <= np.iinfo(np.int64).max else np.uint64)


def _large_integers(wide: Floats) -> bool:
    """Return whether floats are such whole numbers as integers would not hold as floats."""
    largest = np.abs(wide).max()
    return bool(LARGEST_EXACT_IN_FLOAT < largest < 2.0**63 and (wide == np.floor(wide)).all())


def same_scores(one: Array, other: Array) -> bool:
    """Return whether two arrays hold the same scores, by value."""
    first, second = canonical(one), canonical(other)
    return first.dtype == second.dtype and np.array_equal(first, second)


def digest(counts: Any) -> str:
    """Return the SHA-256 of the canonical cells and settings, as 64 hexadecimal digits."""
    return _of_cells(counts, counts.score, settings_of(counts))


def joint_digest(counts: Any) -> str:
    """Return the fingerprint of counts of several scores, which tells them apart by name."""
    alone = [_of_cells(counts, score, settings_of(counts)) for score in counts.keys]
    return digest_of("joint", *alone)


def _of_cells(counts: Any, score: Array, settings: Mapping[str, object]) -> str:
    found, weights = Fingerprint("i8" if counts.is_whole else "f8"), counts.weights
    columns, rows = [score, counts.positives, counts.negatives], {}
    if weights is not None:
        columns += [weights.positive_roots, weights.negative_roots]
        rows = {"rows": [weights.positive_rows, weights.negative_rows]}
    for start in range(0, len(score), BLOCK):
        cells = slice(start, start + BLOCK)
        found.add(*(column[cells] for column in columns))
    return found.hexdigest({**settings, **rows})


def digest_of(kind: str, *parts: str) -> str:
    """Return the SHA-256 of what kind of counts these are, and of the digests of their parts."""
    return hashlib.sha256(" ".join([kind, *parts]).encode()).hexdigest()


# The whole of a saved form, of which a digest leaves out dropped rows, words and clusters


def sealed(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return a saved form with the seal that shows whether it was changed afterwards."""
    body = {name: value for name, value in saved.items() if name != "seal"}
    text = json.dumps(_by_value(body), sort_keys=True)
    return {**body, "seal": hashlib.sha256(text.encode()).hexdigest()}


def is_sealed(saved: Any) -> bool:
    """Whether a saved form is as it was written."""
    try:
        return bool(sealed(saved)["seal"] == saved.get("seal"))
    except (AttributeError, TypeError, ValueError, RecursionError):
        return False


def _by_value(value: Any) -> Any:
    """Return values of JSON with 1 for 1.0, which not every reader tells apart."""
    if isinstance(value, Mapping):
        return {name: _by_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_by_value(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
