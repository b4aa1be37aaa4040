"""Counts that are ready: what is about rows is refused beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import JointCounts, Ranked

if TYPE_CHECKING:
    from collections.abc import Mapping


def refuse_row_keywords(**given: Any) -> None:
    """Raise ValueError when something about rows is said of counts."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise ValueError(f"{', '.join(named)} is about rows, and these are counts already")


def ready_counts(ready: Ranked | JointCounts | Mapping[str, Any]) -> dict[str, Any]:
    """Return counts by score from counts, joint counts or a mapping of counts.

    Raises
    ------
    TypeError, ValueError
        When the mapping is empty or holds something else.
    """
    if isinstance(ready, Ranked):
        return {"score": ready}
    if isinstance(ready, JointCounts):
        return {name: ready.margin(name) for name in ready.names}
    for name, counts in ready.items():
        if not isinstance(counts, Ranked):
            raise TypeError(
                f"{name!r} holds {type(counts).__name__}, not ScoreCounts; with columns, pass "
                "target and score"
            )
    if not ready:
        raise ValueError("the mapping of counts is empty")
    return {str(name): counts for name, counts in ready.items()}
