"""The parts that one command shows: scores, and their segments where there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from capcurve.cli import writing
from capcurve.cli.failing import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from capcurve.cli.reading import Counted
    from capcurve.counts import ScoreCounts

Made = TypeVar("Made")
NO_SEGMENT = "(none)"


def by_part(found: Counted) -> Iterator[tuple[dict[str, Any], ScoreCounts]]:
    """Yield all counts, each with the columns that say whose they are."""
    several = len(found.whole) > 1
    for name, whole in found.whole.items():
        of_score = {"score": name} if several else {}
        if name not in found.segments:
            yield of_score, whole
        for key, part in found.segments.get(name, {}).items():
            yield {**of_score, "segment": key}, part


def called(whose: Mapping[str, Any]) -> str:
    """Name a part in a legend or a message."""
    return " ".join(NO_SEGMENT if value is None else str(value) for value in whose.values())


def made_by_part(
    found: Counted, make: Callable[[ScoreCounts], Made]
) -> tuple[list[tuple[dict[str, Any], Made]], dict[str, str]]:
    """Make something of every part; a segment without positives or negatives is left out.

    Returns
    -------
    tuple
        What was made, each with whose it is; and why which segments are left out.

    Raises
    ------
    ValueError
        When nothing can be made of a score, of a segment that has both classes, or of any.
    """
    made: list[tuple[dict[str, Any], Made]] = []
    left_out: dict[str, str] = {}
    for whose, counts in by_part(found):
        try:
            made.append((whose, make(counts)))
        except ValueError as error:
            if "segment" not in whose or (counts.n1 > 0 and counts.n0 > 0):
                raise
            left_out[called(whose)] = str(error)
    if not made and left_out:
        name, why = next(iter(left_out.items()))
        raise Failure(f"no segment can be shown; {name}: {why}")
    return made, left_out


def tell_left_out(left_out: Mapping[str, str]) -> None:
    """Say on stderr which segments are not shown, and why."""
    for name, why in left_out.items():
        writing.note(f"segment {name} is left out: {why}")
