"""MasterScale: grades of a continuous score, by the bounds between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import numpy as np

from capcurve.counts.ordinal import ClassEdges
from capcurve.numbers.meeting import rounded_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.numbers.types import Array, Direction, Ints

# Nobody reads more grades than these, and each costs a row of a table.
MOST_GRADES_OF_SCALE = 1000


@dataclass(frozen=True, slots=True)
class MasterScale:
    """Grades of a continuous score such as a PD, by the bounds between them.

    Whatever takes `levels` takes a master scale, and each score becomes the grade that it falls in.
    A grade holds its lower bound: lower <= score < upper.

    Attributes
    ----------
    grades
        Names of the grades, from the lowest scores to the highest.
    bounds
        The bounds between them, ascending: one less than there are grades.
    low, high
        The ends of the scale; scores beyond them are refused. The last grade holds `high` too.
    """

    grades: tuple[str, ...]
    bounds: tuple[float, ...]
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        ends = (self.low, *self.bounds, self.high)
        if any(not a < b for a, b in pairwise(ends)):
            shown = ", ".join(f"{bound:g}" for bound in ends if math.isfinite(bound))
            raise ValueError(f"the bounds of a scale ascend, got {shown}")
        if len(self.grades) != len(self.bounds) + 1:
            raise ValueError(
                f"{len(self.bounds)} bounds part {len(self.bounds) + 1} grades, got "
                f"{len(self.grades)} names"
            )
        if len(self.grades) > MOST_GRADES_OF_SCALE:
            raise ValueError(
                f"a scale has at most {MOST_GRADES_OF_SCALE} grades, got {len(self.grades)}"
            )
        if len(set(self.grades)) < len(self.grades):
            twice = next(name for name in self.grades if self.grades.count(name) > 1)
            raise ValueError(f"the scale names the grade {twice!r} twice")

    def __iter__(self) -> Iterator[object]:
        """Return the grades as `levels` lists them where a higher score makes a positive likely."""
        return reversed(self.grades)

    @classmethod
    def of_cuts(cls, cuts: Sequence[float]) -> Self:
        """Return a scale whose grades are named by the bounds that part them."""
        edges = ClassEdges(np.asarray(cuts, dtype=np.float64), "left")
        return cls(edges.names(), tuple(float(cut) for cut in cuts))

    def graded(
        self, values: Array, name: str, higher_is: Direction
    ) -> tuple[Ints, tuple[object, ...]]:
        """Return the codes and levels of scores: the largest code is the most likely positive.

        Scores that are NaN get any code; the caller leaves them out.
        """
        low, *bounds, high = rounded_to([self.low, *self.bounds, self.high], values.dtype)
        for beyond, where in (
            (values < low, f"below {self.low:g}, where the scale begins"),
            (values > high, f"above {self.high:g}, where the scale ends"),
        ):
            if beyond.any():
                raise ValueError(f"{name} holds {values[beyond][0].item()!r}, {where}")
        codes = np.searchsorted(bounds, values, side="right")
        if higher_is == "negative":
            return len(self.bounds) - codes, self.grades
        return codes, self.grades[::-1]
