"""Band: how far a whole curve could lie elsewhere by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.plain import plain
from capcurve.counts.types import FrozenRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["simultaneous", "pointwise"]


@dataclass(frozen=True, slots=True, eq=False)
class Band(FrozenRecord):
    """Limits around a curve along the share of cases selected.

    Attributes
    ----------
    name
        What the band is around: "random" or "cap" or "difference".
    kind
        "simultaneous": the whole curve lies inside with the stated frequency; "pointwise":
        each point by itself does, so a curve may well leave it somewhere by chance.
    q
        Shares of cases selected, ascending from 0 to 1, shape (m,).
    low, estimate, high
        Limits and middle at each q, shape (m,).
    level
        The stated frequency.
    method
        How the limits were found.
    notes
        What a reader must know.
    """

    name: str
    kind: Kind
    q: NDArray[np.float64]
    low: NDArray[np.float64]
    estimate: NDArray[np.float64]
    high: NDArray[np.float64]
    level: float
    method: str
    notes: tuple[str, ...] = ()

    def outside(self, q: Any, value: Any) -> NDArray[np.bool_]:
        """Return where points lie outside the band; between its points the band is straight."""
        low, high = np.interp(q, self.q, self.low), np.interp(q, self.q, self.high)
        return np.asarray((value < low) | (value > high), dtype=np.bool_)

    def to_dict(self) -> dict[str, Any]:
        """Return the band as values that strict JSON can hold."""
        names = ("name", "kind", "q", "low", "estimate", "high", "level", "method", "notes")
        written: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        return written


def check_kind(kind: object) -> Kind:
    """Return the kind of a band, else raise ValueError."""
    if kind not in ("simultaneous", "pointwise"):
        raise ValueError(f'kind must be "simultaneous" or "pointwise", got {kind!r}')
    return kind
