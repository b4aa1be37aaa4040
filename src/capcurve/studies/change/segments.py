"""What is given as segments: counts by segment, one count, or an evaluation that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from capcurve.counts import ScoreCounts
from capcurve.counts.given import is_amounts
from capcurve.counts.plain import plain
from capcurve.show.table import label_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array

Segments: TypeAlias = "Mapping[Any, ScoreCounts]"
Both: TypeAlias = "tuple[Segments, Segments]"
ALL = "all"


def as_segments(given: Any, name: str) -> Segments:
    """Return counts by segment, of an evaluation or of one count if that is given."""
    if isinstance(given, ScoreCounts):
        return {ALL: given}
    held = getattr(given, "segments", given)
    if isinstance(held, Mapping) and held and all(isinstance(v, Mapping) for v in held.values()):
        if len(held) > 1:
            names = ", ".join(map(repr, held))
            raise ValueError(
                f"{name} has the segments of several scores, {names}; pass those of one"
            )
        held = next(iter(held.values()))
    if not isinstance(held, Mapping):
        raise TypeError(
            f"{name} must be counts by segment, got {type(given).__name__}: "
            "write count_segments(y, p, by=...), or evaluation.segments[score]"
        )
    if not held:
        raise ValueError(f"{name} has no segments; count them with by=")
    for key, counts in held.items():
        _check(counts, f"{name}[{key!r}]")
    return held


def _check(counts: object, place: str) -> None:
    if isinstance(counts, ScoreCounts):
        return
    if is_amounts(counts):
        raise TypeError(f"{place} ranks amounts; a change is explained for two classes")
    raise TypeError(
        f"{place} must be ScoreCounts, got {type(counts).__name__}: "
        "write count_segments(y, p, by=...)"
    )


def keys_of(both: Both) -> list[Any]:
    """Return all segments, those of the first sample first."""
    return list(dict.fromkeys([*both[0], *both[1]]))


def segment_column(keys: Sequence[Any]) -> Array:
    """Return the names of segments as a column of a table."""
    return label_column("(none)" if key is None else plain(key) for key in keys)


def small_segments(both: Both, least: int) -> tuple[Any, ...]:
    """Return the segments that have fewer rows of a class than this in a sample they are in."""
    return tuple(
        key for key in keys_of(both) if any(_is_small(one.get(key), least) for one in both)
    )


def unseen_segments(both: Both, least: int) -> tuple[Any, ...]:
    """Return the segments in both samples that have fewer rows of a class in one than this."""
    shared = [key for key in keys_of(both) if all(len(one.get(key, ())) for one in both)]
    return tuple(key for key in small_segments(both, least) if key in shared)


def pooled(both: Both, small: Sequence[Any]) -> Both:
    """Return both samples with small segments put together as one."""
    name = f"{len(small)} small segments"
    first, second = (_put_together(one, small, name) for one in both)
    return first, second


def _is_small(counts: ScoreCounts | None, least: int) -> bool:
    if counts is None or not len(counts):
        return False
    sizes = (counts.n1, counts.n0)
    if counts.weights is not None:
        sizes = (counts.weights.positive_rows, counts.weights.negative_rows)
    return bool(min(sizes) < least)


def _put_together(segments: Segments, small: Sequence[Any], name: str) -> Segments:
    kept = {key: counts for key, counts in segments.items() if key not in small}
    inside = [segments[key] for key in small if key in segments]
    return {**kept, name: ScoreCounts.merge(inside)} if inside else kept
