"""Rankings: what each tells however many of its cut-offs are held, and totals of very many."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, Self, runtime_checkable

import numpy as np

from capcurve.counts.digest import Fingerprint
from capcurve.counts.scores import ScoreCounts
from capcurve.counts.settings import Dropped, Words, check_direction, settings_of
from capcurve.counts.table import upward
from capcurve.numbers.arguments import arg, as_typed
from capcurve.numbers.exact import BLOCK
from capcurve.numbers.kept_cutoffs import FIRST_KEPT, Keeper, even_grids
from capcurve.numbers.order import frozen, run_starts
from capcurve.numbers.totals import Accumulator, BlockSums, Totals
from capcurve.numbers.types import (
    Amount,
    Array,
    Bools,
    Direction,
    FrozenRecord,
    Ints,
    array_of,
    freeze,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import ArrayLike

    from capcurve.counts.weights import WeightKind, Weights
    from capcurve.numbers.frame import Backend

    ScoreCells = tuple[Array, Ints, Ints]


class _ByType(type(Protocol)):  # type: ignore[misc]
    """Looks for members on types: before Python 3.12 a check computes properties."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return all(hasattr(type(instance), name) for name in vars(cls) if name[0] != "_")


@runtime_checkable
class Ranking(Protocol, metaclass=_ByType):
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
        """Width of the grid that scores were floored to, or None."""

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
    def times(self) -> Any:
        """The times that weights at a horizon were found from; None of all other counts."""

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

    @property
    def words(self) -> Words:
        """What is selected and what is captured: cases and positives."""

    def totals(self) -> Totals:
        """Return sums over all distinct scores, of whole counts."""

    def every_score(self) -> ScoreCounts:
        """Return counts of every distinct score, else raise `NotHeldError`."""

    def digest(self) -> str | None:
        """Return a fingerprint of the counts, or None when it is not known."""

    def __len__(self) -> int:
        """Return how many distinct scores there are."""


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
        f"{as_typed(min_cell=least)} allows no smaller ones; make cells coarser with "
        f"{arg('resolution')}{coarser}"
    )


def _smallest(counts: Any, name: str) -> int:
    if hasattr(counts, "by_score"):  # amounts
        fewest: int = counts.by_score().rows.min().item()
        return fewest
    if counts.weights is not None or not counts.is_whole:
        raise ValueError(f"min_cell needs cases, and of {name} each cell holds a weight")
    smallest: int | None = counts.totals().smallest_cell
    if smallest is None:
        raise ValueError(f"min_cell needs the cases of each cell, which totals of {name} lack")
    return smallest


class NotHeldError(ValueError, AttributeError):
    """Something needs every distinct score, and of this ranking only totals are held.

    A `ValueError` of functions that are given totals, and an `AttributeError` of totals that are
    asked for a column of counts, so that `hasattr(totals, "score")` is False.

    Examples
    --------
    >>> from capcurve import count_sorted
    >>> totals = count_sorted([([3, 2, 1], [1, 1, 0], [0, 1, 2])], n1=2, n0=3)
    >>> hasattr(totals, "score")
    False
    """


def _of_vertices(name: str) -> Any:
    def found(totals: RankTotals) -> Any:
        return getattr(totals.vertices, name)

    return property(found)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RankTotals(Totals, FrozenRecord):
    """What is known exactly of a ranking whose distinct scores were counted but not kept.

    An engine, or a stream of sorted scores, returns it when there are more distinct scores
    than memory should hold. Accuracy ratio, AUC, KS, their intervals, the curves through the
    cut-offs that were kept and the summary are read off it, with the digits that
    `ScoreCounts` would give; whatever needs every score raises and names `resolution=`.
    Totals do not add. The sums over all distinct scores are those of `Totals`.

    Attributes
    ----------
    vertices
        The cut-offs that were kept, as counts of the cases from each one to the next; the
        score of a cell is the last one selected there.
    places
        How many distinct scores are selected at each of these cut-offs, shape (vertices,).
    corners
        Whether the vertices hold every corner of the smallest concave curve above the CAP
        and of the largest convex one below it, hence every best cut-off.
    fingerprint
        What `ScoreCounts.digest` would give, or None when an engine cannot tell.
    """

    vertices: ScoreCounts
    places: Ints
    corners: bool = False
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
        ascending = upward(higher_is)
        vertices = ScoreCounts.from_ascending(
            array_of(score)[ascending],
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

    # What the cut-offs that are held tell as all would: see `ScoreCounts`.
    n1: ClassVar[Any] = _of_vertices("n1")
    n0: ClassVar[Any] = _of_vertices("n0")
    n: ClassVar[Any] = _of_vertices("n")
    prevalence: ClassVar[Any] = _of_vertices("prevalence")
    higher_is: ClassVar[Any] = _of_vertices("higher_is")
    resolution: ClassVar[Any] = _of_vertices("resolution")
    levels: ClassVar[Any] = _of_vertices("levels")
    dropped: ClassVar[Any] = _of_vertices("dropped")
    is_whole: ClassVar[Any] = _of_vertices("is_whole")
    words: ClassVar[Any] = _of_vertices("words")

    @property
    def weights(self) -> None:
        """What weighted counts remember of their rows: nothing, frequencies are repetition."""

    @property
    def groups(self) -> None:
        """Counts per group of clusters: none are held."""

    weight_kind = weights

    @property
    def times(self) -> None:
        """The times behind counts at a horizon: none, these are known by now."""

    @property
    def is_complete(self) -> bool:
        """Whether the vertices are all cut-offs there are."""
        return len(self.vertices) == len(self)

    @property
    def single(self) -> Bools:
        """Whether each vertex adds one distinct score only, so that curves are exact there."""
        alone: Bools = np.diff(self.places, prepend=0) == 1
        return alone

    def digest(self) -> str | None:
        """Return the digest that `ScoreCounts` would have, or None when it is not known."""
        return self.fingerprint

    def totals(self) -> Totals:
        """Return the sums over all distinct scores: these."""
        return self

    def __len__(self) -> int:
        return int(self.places[-1]) if len(self.places) else 0

    def __add__(self, other: object) -> NoReturn:
        raise TypeError(
            "totals of a ranking do not add; count all of it at once, or count the parts with "
            f"{arg('resolution')}, which gives counts that add"
        )

    __radd__ = __add__

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with a row for each cut-off that is held: what it adds to the last.

        Examples
        --------
        >>> totals = count_sorted([([2, 1], [1, 0], [0, 1])], n1=1, n0=1)
        >>> totals.to_frame("polars").rows()
        [(2, 1, 0), (1, 0, 1)]
        """
        return self.vertices.to_frame(backend)

    def every_score(self) -> ScoreCounts:
        """Return counts of every distinct score where the vertices hold them all, else raise."""
        if not self.is_complete:
            self._refuse()
        return self.vertices

    def _refuse(self) -> NoReturn:
        raise NotHeldError(
            f"of these {len(self):,} distinct scores only totals are held, and this needs every "
            f"one of them; count with {arg('resolution')}, such as 1e-6, or without a memory limit"
        )

    # What counts have and totals lack, under the names by which it is asked for.
    score: ClassVar[Any] = property(_refuse)
    positives: ClassVar[Any] = property(_refuse)
    negatives: ClassVar[Any] = property(_refuse)
    thresholds: ClassVar[Any] = property(_refuse)
    cases: ClassVar[Any] = property(_refuse)
    joined: ClassVar[Any] = property(_refuse)
    at_resolution: ClassVar[Any] = property(_refuse)
    to_dict: ClassVar[Any] = property(_refuse)

    def __repr__(self) -> str:
        shown = repr(self.vertices).removeprefix("ScoreCounts(")
        parts = shown.replace(f"scores={len(self.vertices)}", f"scores={len(self)}", 1)
        return f"RankTotals({parts}"


def count_sorted(
    blocks: Iterable[tuple[Any, Any, Any]],
    *,
    n1: int,
    n0: int,
    higher_is: Direction = "positive",
    resolution: float | None = None,
    dropped: Dropped | None = None,
) -> RankTotals:
    """Return the exact totals of a ranking from its cells, sorted, in constant memory.

    Parameters
    ----------
    blocks
        (score, positives, negatives) arrays, most-likely-positive first within and across
        blocks; whole counts. Equal neighbours are added up, also across blocks.
    n1, n0
        All positives and all negatives, known from a first look at the data.
    higher_is, resolution, dropped
        As in `ScoreCounts`.

    Returns
    -------
    RankTotals
        With the cut-offs at every thousandth of the cases and two-thousandth of each class,
        the first few thousand ones, all best ones and those of KS.

    Raises
    ------
    ValueError
        When blocks are out of order, hold NaN, or do not add up to n1 and n0.

    Examples
    --------
    >>> blocks = [([4, 3], [1, 0], [0, 1]), ([2, 1], [1, 0], [0, 1])]
    >>> totals = count_sorted(blocks, n1=2, n0=2)
    >>> totals.won, totals.tied, len(totals)
    (3, 0, 4)
    """
    check_direction(higher_is)
    sums, keeper = Accumulator(n1, n0), Keeper(n1, n0, even_grids(n1, n0), FIRST_KEPT)
    fingerprint = Fingerprint("i8")
    for score, p, n in _distinct(blocks, higher_is):
        tp, fp = np.cumsum(p), np.cumsum(n)
        keeper.offer(score, tp + sums.positives, fp + sums.negatives)
        sums.add(BlockSums.of(p, n, n1, n0))
        fingerprint.add(score, p, n)
    if (sums.positives, sums.negatives) != (n1, n0):
        raise ValueError(
            f"the cells hold {sums.positives} positives and {sums.negatives} negatives where {n1} "
            f"and {n0} were announced: the data changed while it was read"
        )
    kept = keeper.kept()
    totals = RankTotals.from_vertices(
        kept.score,
        kept.tp,
        kept.fp,
        kept.place + 1,
        higher_is=higher_is,
        resolution=resolution,
        dropped=dropped,
        corners=True,
        **asdict(sums.totals()),
    )
    return replace(totals, fingerprint=fingerprint.hexdigest(settings_of(totals)))


def _distinct(blocks: Iterable[tuple[Any, Any, Any]], higher_is: Direction) -> Iterator[ScoreCells]:
    """Yield blocks of up to `BLOCK` distinct scores; the last of each waits for its equals."""
    waiting: ScoreCells | None = None
    for block in blocks:
        cells = _arrays(block)
        if not len(cells[0]):
            continue
        if waiting is not None:
            cells = (_in_type(cells[0], waiting[0].dtype), *cells[1:])
            joined = zip(waiting, cells, strict=True)
            cells = tuple(np.concatenate(pair) for pair in joined)  # type: ignore[assignment]  # three of them
        score, positives, negatives = _summed(cells, higher_is)
        waiting = (score[-1:], positives[-1:], negatives[-1:])
        for start in range(0, len(score) - 1, BLOCK):
            some = slice(start, min(start + BLOCK, len(score) - 1))
            yield score[some], positives[some], negatives[some]
    if waiting is not None and waiting[1][0] + waiting[2][0]:
        yield waiting


def _in_type(score: Array, first: np.dtype[Any]) -> Array:
    """Return scores in the type of the first block, or raise ValueError when it does not hold them.

    A type that numpy would choose for both may round: integers beyond 2^53 among floats.
    """
    if score.dtype == first:
        return score
    with np.errstate(invalid="ignore"):  # a fraction or NaN that is no integer
        cast = score.astype(first)
    if cast.tolist() != score.tolist():
        raise ValueError(
            f"the blocks hold scores of types {first} and {score.dtype}, and the first does not "
            "hold all of them; give every block one type"
        )
    return cast


def _arrays(block: tuple[Any, Any, Any]) -> ScoreCells:
    score, positives, negatives = map(array_of, block)
    if score.dtype.kind == "f":
        score = score + score.dtype.type(0)  # so that zero is 0.0, also where it came as -0.0
    for column in (positives, negatives):
        if column.dtype.kind not in "iu" or len(column) != len(score):
            raise ValueError("cells need as many whole counts of each class as scores")
        if column.dtype.kind == "i" and (column < 0).any():
            raise ValueError(f"a cell holds {column.min()} cases; counts are zero or more")
    return score, positives.astype(np.int64), negatives.astype(np.int64)


def _summed(cells: ScoreCells, higher_is: Direction) -> ScoreCells:
    """Return distinct scores with their sums, or raise ValueError for scores out of order."""
    score, positives, negatives = cells
    above, below = score[:-1], score[1:]
    ordered = above >= below if higher_is == "positive" else above <= below
    if not ordered.all() or (score[:1] != score[:1]).any():  # NaN compares to nothing
        raise ValueError("the scores of a stream must come sorted, most-likely-positive first")
    starts = run_starts(score)
    if len(starts) < len(score):
        positives, negatives = (np.add.reduceat(c, starts) for c in (positives, negatives))
        score = score[starts]
    empty = (positives == 0) & (negatives == 0)
    if empty[:-1].any():
        keep = ~empty
        keep[-1] = True
        score, positives, negatives = score[keep], positives[keep], negatives[keep]
    return score, positives, negatives
