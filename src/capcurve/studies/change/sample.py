"""What is given as segments, and one sample laid out by them: whom the cases of a cell outrank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from capcurve.counts import Ranking, ScoreCounts
from capcurve.gate.given import Segmented, as_ranking, is_amounts, segments as counts_by_segment
from capcurve.inference.designs import require_rows
from capcurve.numbers.exact import cumulated, quotient
from capcurve.numbers.order import places_in
from capcurve.numbers.plain import plain
from capcurve.results.findings import rows_of_classes
from capcurve.results.summary import segment_name
from capcurve.show.table import label_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.numbers.types import Array, Bools, Floats, Ints, Places

Segments: TypeAlias = "Mapping[Any, ScoreCounts]"
Both: TypeAlias = "tuple[Segments, Segments]"
ALL = "all"
SEGMENTS_OF_SAMPLE = Segmented(
    "{name} must be counts by segment, got {kind}: write attribute_change(y1, p1, y2, p2, "
    "by=(part1, part2)), or pass evaluation.segments[score]",
    "{name} has no segments; count them with by=",
    "{name} has the segments of several scores, {names}; pass those of one",
)


def as_segments(given: Any, name: str) -> Segments:
    """Return counts by segment, of an evaluation or of one count if that is given."""
    if isinstance(given, ScoreCounts):
        return {ALL: given}
    held: Segments = counts_by_segment(given, name, SEGMENTS_OF_SAMPLE)
    for key, counts in held.items():
        place = f"{name}[{key!r}]"
        if is_amounts(counts):
            raise TypeError(f"{place} ranks amounts; a change is explained for two classes")
        if not isinstance(counts, ScoreCounts):
            raise TypeError(
                f"{place} must be ScoreCounts, got {type(counts).__name__}: "
                "write count_segments(y, p, by=...)"
            )
    return held


def as_whole_sample(given: Any) -> Ranking | None:
    """Return counts of all cases, also those of an evaluation without segments; else None."""
    if isinstance(given, Ranking):
        return given
    unsegmented = getattr(given, "segments", None) == {} and hasattr(given, "counts")
    return as_ranking(given, "attribute_change") if unsegmented else None


def keys_of(both: Both) -> list[Any]:
    """Return all segments, those of the first sample first."""
    return list(dict.fromkeys([*both[0], *both[1]]))


def segment_names(keys: Sequence[Any]) -> Array:
    """Return the names of segments as a column of a table."""
    return label_column(plain(segment_name(key)) for key in keys)


def small_segments(both: Both, least: int) -> tuple[Any, ...]:
    """Return the segments that have fewer rows of a class than this in a sample they are in."""
    small = {
        key
        for one in both
        for key, counts in one.items()
        if len(counts) and min(rows_of_classes(counts)) < least
    }
    return tuple(key for key in keys_of(both) if key in small)


def unseen_segments(both: Both, least: int) -> tuple[Any, ...]:
    """Return the segments in both samples that have fewer rows of a class in one than this."""
    shared = [key for key in keys_of(both) if all(len(one.get(key, ())) for one in both)]
    return tuple(key for key in small_segments(both, least) if key in shared)


def pooled(both: Both, small: Sequence[Any]) -> Both:
    """Return both samples with small segments put together as one."""
    found = []
    for segments in both:
        kept = {key: counts for key, counts in segments.items() if key not in small}
        inside = [segments[key] for key in small if key in segments]
        if inside:
            kept[f"{len(small)} small segments"] = ScoreCounts.merge(inside)
        found.append(kept)
    return found[0], found[1]


@dataclass(frozen=True, slots=True, eq=False)
class OfGroups:
    """Which part of each cell lies in which group of clusters."""

    group: Places
    cell: Ints  # the place of a cell in the sample
    cases: tuple[Floats, Floats]  # positives and negatives of the group there
    groups: int  # how many groups there are


@dataclass(frozen=True, slots=True, eq=False)
class SegmentedSample:
    """The cells of all segments of one sample, segment after segment."""

    whole: ScoreCounts  # all segments together
    # Segment, place: of each cell: the number of its segment, ascending, and how many distinct
    # scores of the sample rank above its own; shape (cells,).
    segment: Ints
    place: Ints
    scores: int  # how many distinct scores there are
    # The power of two that weights are divided by below, so that none is large or small; else 0.
    exponent: int
    cases: tuple[Floats, Floats]  # positives and negatives of each cell; each of shape (cells,)
    # Positives and negatives of each segment, also of those without cells; shape (segments,).
    totals: tuple[Floats, Floats]
    # What squared influences of the cases of a cell weigh in a variance, by class; None where it is
    # not known what one case is, or a class has a single one.
    masses: tuple[Floats, Floats] | None
    groups: OfGroups | None  # groups of clusters, or None

    @classmethod
    def of(cls, segments: Segments, keys: Sequence[Any]) -> Self:
        """Lay out the segments in the order of the keys, of which some may have no cases here."""
        found = [(number, segments[key]) for number, key in enumerate(keys) if key in segments]
        held = [(number, counts) for number, counts in found if len(counts)]
        parts = [counts for _, counts in held] or [counts for _, counts in found[:1]]
        number = np.array([each for each, _ in held or found[:1]], dtype=np.int64)
        whole = ScoreCounts.merge(parts)
        segment = np.repeat(number, [len(counts) for counts in parts])
        score = np.concatenate([counts.score.astype(whole.score.dtype) for counts in parts])
        exponent = 0 if whole.is_whole else int(np.frexp(float(whole.n))[1])
        cases = _both_classes(parts, exponent)
        place = segment.astype(np.intp, copy=False)
        first, second = (np.bincount(place, each, minlength=len(keys)) for each in cases)
        return cls(
            whole,
            segment,
            places_in(whole, score),
            len(whole),
            exponent,
            cases,
            (first.astype(np.float64), second.astype(np.float64)),
            _masses(whole, parts),
            _groups(parts, exponent) if whole.groups is not None else None,
        )

    def as_cases(self, sums: Floats) -> Ints | Floats:
        """Return sums of cases as whole numbers, unless they are weights."""
        return sums.astype(np.int64) if self.whole.is_whole else np.ldexp(sums, self.exponent)

    def total(self, side: int) -> float:
        """Return all cases of a class: positives at 0, negatives at 1."""
        return float(self.totals[side].sum())

    def present(self, side: int) -> Bools:
        """Return which segments have cases of a class."""
        return self.totals[side] > 0

    def shares(self, side: int) -> Floats:
        """Return which share of a class each segment holds."""
        return self.totals[side] / self.total(side)

    def placements(self, side: int, weights: Floats) -> Floats:
        """Return how much of the other class, weighed by segment, each cell outranks, ties half."""
        # Positives win against the negatives below, negatives lose to the positives above.
        other = 1 - side
        each = quotient(self.cases[other], self.totals[other][self.segment]) * weights[self.segment]
        sums = cumulated(np.bincount(self.place, each, minlength=self.scores))
        middle = (sums[:-1] + sums[1:]) / 2
        return (sums[-1] - middle if side == 0 else middle)[self.place]

    def own_placements(self, side: int) -> Floats:
        """Return the same within the segment of each cell: a share of its other class."""
        cases = self.cases[1 - side]
        sums = cumulated(cases)
        starts = self.starts()
        lengths = np.diff(starts, append=len(cases))
        first, last = sums[starts], sums[starts + lengths]
        middle = (sums[:-1] + sums[1:]) / 2
        end = np.repeat(last if side == 0 else first, lengths)
        return quotient(np.abs(end - middle), np.repeat(last - first, lengths))

    def starts(self) -> Places:
        """Return where the cells of each segment that has any begin."""
        return np.flatnonzero(np.diff(self.segment, prepend=-1))

    def means(self, side: int, values: Floats) -> Floats:
        """Return means over the cases of a class in each segment, 0 where there are none."""
        sums, starts = np.zeros(len(self.totals[0])), self.starts()
        sums[self.segment[starts]] = np.add.reduceat(self.cases[side] * values, starts)
        return quotient(sums, self.totals[side])


def _both_classes(parts: Sequence[ScoreCounts], exponent: int) -> tuple[Floats, Floats]:
    """Return positives and negatives of all cells, divided by a power of two."""
    positives, negatives = (
        np.concatenate([getattr(counts, name).astype(np.float64) for counts in parts])
        for name in ("positives", "negatives")
    )
    return np.ldexp(positives, -exponent), np.ldexp(negatives, -exponent)


def _masses(whole: ScoreCounts, parts: Sequence[ScoreCounts]) -> tuple[Floats, Floats] | None:
    """Return Σw² of each cell over (Σw)² of its class; without weights by DeLong's n - 1."""
    try:
        require_rows(whole)
    except ValueError:
        return None
    if min(rows_of_classes(whole)) < 2:  # noqa: PLR2004 - a spread needs two
        return None
    sizes = (whole.n1, whole.n0)
    if whole.weights is None:
        columns = zip(_both_classes(parts, 0), sizes, strict=True)
        first, second = (column / size / (size - 1) for column, size in columns)
        return first, second
    roots = [
        [getattr(c.weights, f"{name}_roots") for c in parts] for name in ("positive", "negative")
    ]
    weights = zip(map(np.concatenate, roots), sizes, strict=True)
    first, second = ((root / float(size)) ** 2 for root, size in weights)
    return first, second


def _groups(parts: Sequence[ScoreCounts], exponent: int) -> OfGroups:
    """Return which part of each cell lies in which group of clusters."""
    group, cell, held = [], [], []
    before = 0
    for counts in parts:
        for number, part in enumerate(counts.groups or ()):
            if not len(part):
                continue
            group.append(np.full(len(part), number, dtype=np.intp))
            cell.append(before + places_in(counts, part.score))
            held.append(part)
        before += len(counts)
    most, cases = max(len(counts.groups or ()) for counts in parts), _both_classes(held, exponent)
    return OfGroups(np.concatenate(group), np.concatenate(cell), cases, most)
