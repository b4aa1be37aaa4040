"""Ranking: what every ranking of cases tells, however many of its cut-offs are held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from capcurve.counts.settings import Described

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts.score_counts import ScoreCounts
    from capcurve.counts.settings import Direction
    from capcurve.counts.totals import Totals
    from capcurve.counts.types import Amount, Bools


@runtime_checkable
class Ranking(Described, Protocol):
    """Cases of two classes in the order of a score: `ScoreCounts`, or `RankTotals` of them."""

    @property
    def n(self) -> Amount:
        """All cases: an integer, or their total weight."""

    @property
    def prevalence(self) -> float | None:
        """Share of cases that are positive; None when there are no cases."""

    @property
    def higher_is(self) -> Direction:
        """Whether a higher score makes a case more likely "positive" or "negative"."""

    @property
    def levels(self) -> tuple[object, ...] | None:
        """Grade names, most-likely-positive first, or None."""

    @property
    def groups(self) -> tuple[ScoreCounts, ...] | None:
        """The same counts by hash group of clusters, or None."""

    @property
    def vertices(self) -> ScoreCounts:
        """The cut-offs that are held, as counts of the cases from each one to the next."""

    @property
    def is_complete(self) -> bool:
        """Whether the vertices are all cut-offs there are."""

    @property
    def single(self) -> Bools:
        """Whether each vertex adds one distinct score only, so that curves are exact there."""

    @property
    def corners(self) -> bool:
        """Whether every best cut-off is among the vertices."""

    def totals(self) -> Totals:
        """Return sums over all distinct scores, of whole counts."""

    def every_score(self) -> ScoreCounts:
        """Return counts of every distinct score, else raise `NotHeldError`."""

    def digest(self) -> str | None:
        """Return a fingerprint of the counts, or None when it is not known."""


def refuse_small_cells(
    least: int | None,
    whole: Mapping[str, Ranking],
    segments: Mapping[str, Mapping[Any, ScoreCounts]],
) -> None:
    """Raise ValueError when any distinct score, of any segment, has fewer cases than `least`."""
    if least is None:
        return
    if not isinstance(least, int | np.integer) or isinstance(least, bool) or least < 1:
        raise ValueError(f"min_cell must be a whole number from 1, got {least!r}")
    for name, counts in whole.items():
        parts = segments.get(name, {})
        _refuse(least, name, parts.values() if parts else [counts], segmented=bool(parts))


def _refuse(least: int, name: str, parts: Iterable[Ranking], *, segmented: bool) -> None:
    full = [part for part in parts if len(part)]
    smallest = min((_smallest(part, name) for part in full), default=least)
    if smallest >= least:
        return
    cases = "1 case" if smallest == 1 else f"{smallest} cases"
    where, coarser = (" by segment", ", or take fewer segments") if segmented else ("", "")
    raise ValueError(
        f"the smallest of {sum(map(len, full)):,} cells of {name}{where} has {cases}, and "
        f"min_cell={least} allows no smaller ones; make cells coarser with resolution={coarser}"
    )


def _smallest(counts: Ranking, name: str) -> int:
    if counts.weights is not None or not counts.is_whole:
        raise ValueError(f"min_cell needs cases, and of {name} each cell holds a weight")
    smallest = counts.totals().smallest_cell
    if smallest is None:
        raise ValueError(f"min_cell needs the cases of each cell, which totals of {name} lack")
    return smallest
