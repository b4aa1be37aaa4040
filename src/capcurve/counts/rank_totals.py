"""RankTotals: exact totals of a ranking with more distinct scores than should be held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from capcurve.counts.cells import frozen
from capcurve.counts.records import FrozenRecord, freeze
from capcurve.counts.score_counts import ScoreCounts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from capcurve.counts.settings import Direction, Dropped


class NotHeldError(ValueError, AttributeError):
    """Something needs every distinct score, and of this ranking only totals are held.

    A `ValueError` of functions that are given totals, and an `AttributeError` of totals that are
    asked for a column of counts, so that `hasattr(totals, "score")` is False.
    """


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RankTotals(FrozenRecord):
    """What is known exactly of a ranking whose distinct scores were counted but not kept.

    An engine, or a stream of sorted scores, returns it when there are more distinct scores
    than memory should hold. Accuracy ratio, AUC, KS, their intervals, the curves through the
    cut-offs that were kept and the summary are read off it, with the digits that
    `ScoreCounts` would give; whatever needs every score raises and names `resolution=`.
    Totals do not add.

    Attributes
    ----------
    vertices
        The cut-offs that were kept, as counts of the cases from each one to the next; the
        score of a cell is the last one selected there.
    places
        How many distinct scores are selected at each of these cut-offs, shape (vertices,).
    won, tied
        Pairs of a positive and a negative that are in order, and that are tied.
    positive_squares
        Σ u² over positives, u twice the negatives that one outranks, a tie counting once.
    negative_squares
        Σ v² over negatives, v twice the positives that outrank one, a tie counting once.
    corners
        Whether the vertices hold every corner of the smallest concave curve above the CAP
        and of the largest convex one below it, hence every best cut-off.
    case_squares, case_cubes
        Σ t² and Σ t³ over distinct scores, t the cases at one; None when not counted.
    small_cells, smallest_cell
        Distinct scores with fewer than five cases, and the fewest at any; None as above.
    entropy
        Mean entropy of the target among cases of the same score, in nats; None as above.
    information_value
        Σ (c - d)·ln(c/d) over distinct scores; None as above.
    fingerprint
        What `ScoreCounts.digest` would give, or None when an engine cannot tell.
    dropped
        Rows left out for missing values, or None when that was not asked for.
    """

    vertices: ScoreCounts
    places: NDArray[np.int64]
    won: int
    tied: int
    positive_squares: int
    negative_squares: int
    corners: bool = False
    case_squares: int | None = None
    case_cubes: int | None = None
    small_cells: int | None = None
    smallest_cell: int | None = None
    entropy: float | None = None
    information_value: float | None = None
    fingerprint: str | None = None

    @classmethod
    def from_vertices(
        cls,
        score: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        places: ArrayLike,
        *,
        higher_is: Direction = "positive",
        resolution: float | None = None,
        dropped: Dropped | None = None,
        **totals: Any,
    ) -> Self:
        """Take the totals that an engine computed.

        Parameters
        ----------
        score
            Last score selected at each cut-off that is kept, most-likely-positive first. The
            last one selects every case; the cut-offs at which KS is reached must be here.
        positives, negatives, places
            Positives, negatives and distinct scores selected there: running sums.
        higher_is, resolution, dropped
            As in `ScoreCounts`.
        **totals
            The other attributes.

        Raises
        ------
        ValueError
            When the cut-offs are not in order, or the totals contradict them.

        Examples
        --------
        Four cases in the order positive, negative, positive, negative: 3 of 4 pairs won.

        >>> totals = RankTotals.from_vertices(
        ...     [4, 3, 2, 1], [1, 1, 2, 2], [0, 1, 1, 2], [1, 2, 3, 4],
        ...     won=3, tied=0, positive_squares=4**2 + 2**2, negative_squares=2**2 + 4**2,
        ... )
        >>> totals
        RankTotals(n=4, positives=2, distinct scores=4, higher_is='positive')
        """
        running = [np.asarray(column, dtype=np.int64) for column in (positives, negatives, places)]
        added = [np.diff(column, prepend=0) for column in running]
        if any((column < 0).any() for column in added) or not (added[2] > 0).all():
            raise ValueError("the cut-offs of a ranking must select ever more scores and cases")
        ascending = slice(None, None, -1 if higher_is == "positive" else 1)
        vertices = ScoreCounts.from_ascending(
            np.asarray(score)[ascending],
            added[0][ascending],
            added[1][ascending],
            higher_is=higher_is,
            resolution=resolution,
            dropped=dropped,
        )
        return cls(vertices=vertices, places=frozen(running[2]), **totals)

    def __post_init__(self) -> None:
        freeze(self)
        if len(self.vertices) != len(self.places):
            raise ValueError("every cut-off of a ranking must select some case")
        if not 0 <= self.won + self.tied <= self.n1 * self.n0:
            raise ValueError(
                f"{self.won} pairs won and {self.tied} tied are not among the "
                f"{self.n1 * self.n0} pairs of {self.n1} positives and {self.n0} negatives"
            )

    @property
    def n1(self) -> int:
        """All positives."""
        return int(self.vertices.n1)

    @property
    def n0(self) -> int:
        """All negatives."""
        return int(self.vertices.n0)

    @property
    def n(self) -> int:
        """All cases."""
        return self.n1 + self.n0

    @property
    def prevalence(self) -> float | None:
        """Share of cases that are positive; None when there are no cases."""
        return self.vertices.prevalence

    @property
    def higher_is(self) -> Direction:
        """Whether a higher score makes a case more likely "positive" or "negative"."""
        return self.vertices.higher_is

    @property
    def levels(self) -> None:
        """Grade names: none, since grades are few enough to be counts."""
        return

    @property
    def resolution(self) -> float | None:
        """Width of the grid that scores were floored to, or None when they are exact."""
        return self.vertices.resolution

    @property
    def dropped(self) -> Dropped | None:
        """Rows left out for missing values, or None when that was not asked for."""
        return self.vertices.dropped

    @property
    def is_whole(self) -> bool:
        """Whether these are whole counts: always."""
        return True

    @property
    def weights(self) -> None:
        """What weighted counts remember of their rows: nothing, frequencies are repetition."""
        return

    @property
    def weight_kind(self) -> None:
        """What the weights mean: nothing, as above."""
        return

    @property
    def groups(self) -> None:
        """Counts per group of clusters: none are held."""
        return

    @property
    def single(self) -> NDArray[np.bool_]:
        """Whether each vertex adds one distinct score only, so that curves are exact there."""
        alone: NDArray[np.bool_] = np.diff(self.places, prepend=0) == 1
        return alone

    def digest(self) -> str | None:
        """Return the digest that `ScoreCounts` would have, or None when it is not known."""
        return self.fingerprint

    def __len__(self) -> int:
        return int(self.places[-1]) if len(self.places) else 0

    def __add__(self, other: object) -> NoReturn:
        raise TypeError(
            "totals of a ranking do not add; count all of it at once, or count the parts with "
            "resolution=, which gives counts that add"
        )

    __radd__ = __add__

    def every_score(self) -> ScoreCounts:
        """Return counts of every distinct score where the vertices hold them all, else raise."""
        if len(self.vertices) < len(self):
            self._refuse()
        return self.vertices

    def _refuse(self) -> NoReturn:
        raise NotHeldError(
            f"of these {len(self):,} distinct scores only totals are held, and this needs every "
            "one of them; count with resolution=, such as 1e-6, or without a memory limit"
        )

    # What counts have and totals lack, under the names by which it is asked for.
    score = positives = negatives = thresholds = property(_refuse)
    joined = at_resolution = to_dict = property(_refuse)

    def __repr__(self) -> str:
        shown = repr(self.vertices).removeprefix("ScoreCounts(")
        parts = shown.replace(f"scores={len(self.vertices)}", f"scores={len(self)}", 1)
        return f"RankTotals({parts}"
