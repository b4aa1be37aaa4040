"""What the axes of a CAP count: shares or cases, in the sample or another population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.curves import Curve, cap_curve, perfect_cap, random_cap

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of cases instead of shares, or shares at another prevalence."""

    absolute: bool
    prevalence: float | None

    def curve(self, counts: ScoreCounts) -> Curve:
        """Return the CAP on this scale."""
        return cap_curve(counts, absolute=self.absolute, prevalence=self.prevalence)

    def perfect(self, counts: ScoreCounts) -> Curve:
        """Return the CAP of a perfect score on this scale."""
        return perfect_cap(counts, absolute=self.absolute, prevalence=self.prevalence)

    def random(self, counts: ScoreCounts) -> Curve:
        """Return the CAP of a score without information on this scale."""
        return random_cap(counts, absolute=self.absolute, prevalence=self.prevalence)

    def size(self, counts: ScoreCounts) -> tuple[float, float]:
        """Return where both axes end."""
        return (float(counts.n), float(counts.n1)) if self.absolute else (1.0, 1.0)
