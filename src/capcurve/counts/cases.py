"""Cases whose outcome is not known: what counts of them share, of one score or of several.

They are held as counts whose cases are all negatives, so that adding, grids, weights, clusters and
fingerprints are those of every other kind of counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from capcurve.counts import algebra

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.counts.settings import Dropped
    from capcurve.counts.types import Array
    from capcurve.counts.weights import WeightKind, Weights


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cases(algebra.Summable):
    """Cases without outcome, of one score or of several.

    Attributes
    ----------
    held
        Counts in which all of these cases are negatives.
    """

    held: Any

    def __post_init__(self) -> None:
        if self.held.n1 > 0:
            raise ValueError(
                f"cases without outcome hold no positives, and these counts hold {self.held.n1:g}; "
                "take counts.cases to count both classes as cases"
            )

    @classmethod
    def merge(cls, many: Iterable[Self]) -> Self:
        """Add up any number of counts of cases, exactly and in any order.

        Raises
        ------
        ValueError
            When there are none, or when directions, grades, resolutions or kinds of weights differ.
        """
        parts = algebra.only_counts(cls, many)
        if not parts:
            raise ValueError("there are no counts of cases to add up, so it is not known of what")
        return cls(type(parts[0].held).merge([part.held for part in parts]))

    @property
    def cases(self) -> Array:
        """Cases in each cell, shape (K,): whole numbers, or weights as float64."""
        found: Array = self.held.negatives
        return found

    @property
    def n(self) -> Any:
        """All cases: an integer, or their total weight."""
        return self.held.n0

    @property
    def higher_is(self) -> Any:
        """Whether a higher score makes a case more likely "positive"; one for each of several."""
        return self.held.higher_is

    @property
    def levels(self) -> Any:
        """Grade names, most-likely-positive first, or None; one of these for each of several."""
        return self.held.levels

    @property
    def resolution(self) -> float | None:
        """Width of the grid that scores were floored to, or None."""
        step: float | None = self.held.resolution
        return step

    @property
    def weights(self) -> Weights | None:
        """What weighted counts remember of their rows, as those of negatives; or None."""
        weights: Weights | None = self.held.weights
        return weights

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""
        kind: WeightKind | None = self.held.weight_kind
        return kind

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts."""
        return bool(self.cases.dtype.kind != "f")

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""
        dropped: Dropped | None = self.held.dropped
        return dropped

    @property
    def groups(self) -> tuple[Self, ...] | None:
        """The same by hash group of clusters, which add up to these; or None."""
        groups = self.held.groups
        return None if groups is None else tuple(type(self)(group) for group in groups)

    def __len__(self) -> int:
        return len(self.held)

    def __eq__(self, other: object) -> bool:
        return bool(self.held == other.held) if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), self.held))

    def __repr__(self) -> str:
        kind = type(self.held).__name__
        shown = repr(self.held).removeprefix(kind).replace(" positives=0,", "", 1)
        return f"{type(self).__name__}{shown}"
