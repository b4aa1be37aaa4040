"""Interval: a number with the range that chance leaves it, and how that was found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from capcurve.counts.arguments import as_open_share
from capcurve.counts.plain import plain

Side = Literal["both", "lower", "upper"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval around an estimate.

    Attributes
    ----------
    low, high
        The limits. A one-sided interval reaches to the end of the scale on its open side.
    estimate
        The number itself.
    level
        Confidence level, in (0, 1).
    method
        How the limits were found.
    se
        Standard error of the estimate; None where the method has none.
    notes
        What a reader must know: a fallback, a clipped limit, a known bias.
    """

    low: float
    estimate: float
    high: float
    level: float
    method: str
    se: float | None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as values that strict JSON can hold."""
        written: dict[str, Any] = plain(asdict(self))
        return written


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an interval is asked to be, and on which side it is open.

    Raises
    ------
    ValueError
        For a level outside (0, 1) or an unknown side.
    """

    level: float = 0.95
    side: Side = "both"

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", as_open_share(self.level, "level"))
        if self.side not in get_args(Side):
            raise ValueError(f'side must be "both", "lower" or "upper", got {self.side!r}')

    @property
    def tail(self) -> float:
        """Return the chance that each limit may miss the true value by."""
        return (1 - self.level) / 2 if self.side == "both" else 1 - self.level

    @property
    def z(self) -> float:
        """Return the normal quantile that leaves one tail out."""
        from scipy.special import ndtri

        return float(-ndtri(self.tail))

    def t(self, degrees_of_freedom: float) -> float:
        """Return the quantile of Student's t that leaves one tail out."""
        from scipy.special import stdtrit

        return float(-stdtrit(degrees_of_freedom, self.tail))

    def opened(self, limits: tuple[Any, Any], ends: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return the limits, that of an open side moved to the end of the scale."""
        low, high = limits
        return (ends[0] if self.side == "upper" else low, ends[1] if self.side == "lower" else high)


def within(
    limits: tuple[float, float], ends: tuple[float, float], what: str
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return limits cut off at the ends of the scale, and a note for each that was."""
    low, high = limits
    notes = []
    if low < ends[0]:
        notes.append(f"the lower limit of {what} was {low:.4g}; cut off at {ends[0]:g}")
    if high > ends[1]:
        notes.append(f"the upper limit of {what} was {high:.4g}; cut off at {ends[1]:g}")
    return (min(max(low, ends[0]), ends[1]), max(min(high, ends[1]), ends[0])), tuple(notes)


def with_notes(interval: Interval, *notes: str) -> Interval:
    """Return the interval with further notes."""
    return replace(interval, notes=(*interval.notes, *notes))
