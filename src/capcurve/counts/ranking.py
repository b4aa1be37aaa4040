"""Ranking: what every ranking of cases tells, however many of its cut-offs are held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from capcurve.counts.score_counts import ScoreCounts
    from capcurve.counts.settings import Direction, Dropped, WeightKind, Weights
    from capcurve.counts.totals import Totals
    from capcurve.counts.types import Amount, Bools


@runtime_checkable
class Ranking(Protocol):
    """Cases of two classes in the order of a score: `ScoreCounts`, or `RankTotals` of them."""

    @property
    def n1(self) -> Amount:
        """All positives: an integer, or their total weight."""

    @property
    def n0(self) -> Amount:
        """All negatives: an integer, or their total weight."""

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
    def resolution(self) -> float | None:
        """Width of the grid that scores were floored to, or None when they are exact."""

    @property
    def weights(self) -> Weights | None:
        """What weighted counts remember of their rows, or None."""

    @property
    def weight_kind(self) -> WeightKind | None:
        """What the weights mean; None without weights, or when it was not said."""

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""

    @property
    def groups(self) -> tuple[ScoreCounts, ...] | None:
        """The same counts by hash group of clusters, or None."""

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts, on which every result is exactly rounded."""

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

    def __len__(self) -> int:
        """Return how many distinct scores there are."""
