"""The limits of a headline number, where the summary has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.summary import Summary


def range_of(summary: Summary, key: str) -> tuple[float | None, float | None]:
    """Return the lower and the upper limit of a number, or None twice."""
    found = summary.intervals.get(key)
    return (None, None) if found is None else (found.low, found.high)
