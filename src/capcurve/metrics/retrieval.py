"""Average precision: how pure the positives' ranks are, on average over the positives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, get_args

import numpy as np

from capcurve.curves.segmented import SegmentCells
from capcurve.curves.shares import RunningSums, require, shares
from capcurve.gate.taking import takes_counts
from capcurve.metrics.registry import Metric
from capcurve.numbers.arguments import as_open_share, told
from capcurve.numbers.exact import BLOCK, SMALLEST_EXPONENT, Real, summed_parts
from capcurve.numbers.threads import each_at_once

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from capcurve.counts import Ranking, ScoreCounts, SegmentCounts
    from capcurve.numbers.types import Array, Bools, Floats, Ints, MovesAtScores, Places

Ties = Literal["expected", "threshold"]
# From here on differences of the digamma function are those of logarithms, to 1e-13.
LARGE_ARGUMENT = 1000.0
# A score holds one row where all of it but this share is one positive.
ONE_ROW = 1e-9
# Rows below this share of their score are as good as a straight line.
LEAST_ROW_SHARE = 1e-15
MOST_GROWTH = 1e300
# Sums before every so many scores are kept; up to so many scores those before each may be known.
KEPT_EVERY, MOST_KNOWN_SUMS = 1 << 12, 1 << 16


@takes_counts
def average_precision(
    counts: Ranking, *, ties: Ties = "expected", prevalence: float | None = None
) -> float:
    """Return the average precision: the mean over positives of the precision at their rank.

    Unlike the accuracy ratio it depends on the prevalence, which it is near for a random order.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    ties
        "expected": the mean over all orders of the cases of each tied score, so that a tie pays
        as much as breaking it at random; "threshold": the precision at the score itself, all its
        cases selected, as scikit-learn's `average_precision_score` has it.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    float
        In (0, 1]; 1 without negatives.

    Raises
    ------
    NotHeldError
        Of totals of a ranking, which do not tell it.
    ValueError
        Without positives, for other `ties`, and for a prevalence outside (0, 1).

    Notes
    -----
    McSherry & Najork (2008), "Computing information retrieval performance measures efficiently in
    the presence of tied scores". With weights, also those at a horizon, it is exact where the rows
    of a tie weigh alike; of fractional counts, which do not tell single rows, it is the area under
    the precision along straight lines of the CAP.

    Examples
    --------
    The positives rank first and third: (1/1 + 2/3)/2. Tied at the end: 1/3 + 1/2 or 2/3 as often.

    >>> from capcurve import count_scores
    >>> round(average_precision(count_scores([1, 0, 1, 0], [4, 3, 2, 1])), 12)
    0.833333333333
    >>> tied = count_scores([1, 0, 1, 0], [4, 3, 2, 2])
    >>> [round(average_precision(tied, ties=ties), 4) for ties in ("expected", "threshold")]
    [0.7917, 0.75]
    """
    if ties not in get_args(Ties):
        raise ValueError(f'ties must be "expected" or "threshold", got {told(ties)}')
    require(counts, "positives")
    cells = counts.every_score()
    if prevalence is not None:
        return _average(cells, ties, prevalence)
    return cells.known(f"average precision, {ties}", lambda: _average(cells, ties))


def _average(cells: ScoreCounts, ties: Ties, prevalence: float | None = None) -> float:
    """Return the mean over positives of the precision at their rank."""
    if prevalence is None and one_case_each(cells):
        ranks = np.flatnonzero(cells.positives > 0) + 1
        return float((np.arange(1, len(ranks) + 1) / ranks).mean())
    places, total = _RankedScores.of(cells, scales_of(cells, prevalence)), _total(cells.positives)

    def part(start: int, end: int) -> Floats:
        found = places.with_positives(start, end)
        if ties == "threshold":
            precision = found.at_end()
        else:
            squares = squared_weights(cells, places.scales, found.held)
            precision = found.along_lines() if squares is None else found.over_orders(*squares)
        weights = cells.positives[found.held] / total
        return np.array([(weights * precision).sum(), np.count_nonzero(precision != 1)])

    mean, below_one = summed_parts(places.holding, part).tolist()
    return min(max(mean, 0.0), 1.0) if below_one else 1.0


def average_precisions(
    counts: SegmentCounts, *, ties: Ties = "expected", prevalence: float | None = None
) -> Floats:
    """Return the average precision of each segment, NaN without a class that it needs."""
    if prevalence is not None:
        both = (each if each.n1 and each.n0 else None for each in counts.values())
        known = (
            each and average_precision(each, ties=ties, prevalence=prevalence) for each in both
        )
        return np.array([*known], dtype=np.float64)
    cells = SegmentCells.of(counts)
    held, precision = np.flatnonzero(cells.e), np.zeros(len(cells.e))
    columns = (cells.e, cells.m, cells.before_e, cells.before_m)
    e, m, *before = (column[held].astype(np.float64) for column in columns)
    found = _Precisions(held, e, m, *before)
    precision[held] = found.over_orders(e, m) if ties == "expected" else found.at_end()
    return over(cells.total(cells.e * precision), cells.positives).clip(0.0, 1.0)


def over(part: Array, whole: Array) -> Floats:
    """Return quotients, NaN where both are 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(part / whole, dtype=np.float64)


def _total(column: Array) -> float:
    return float(column.sum(dtype=np.float64))


def one_case_each(counts: ScoreCounts) -> bool:
    """Say whether each score has one case, so that ranks tell all."""
    if counts.weights is not None or len(counts) != counts.n:
        return False
    return bool((counts.positives + counts.negatives == 1).all())


def scales_of(counts: ScoreCounts, prevalence: float | None = None) -> Floats:
    """Return what to multiply positives and negatives with so that squares of them are floats."""
    sums = [_total(counts.positives), _total(counts.negatives)]
    if prevalence is None:
        # A power of two rounds nothing.
        return np.full(2, math.ldexp(1.0, -max(math.frexp(max(sums))[1], SMALLEST_EXPONENT)))
    rate = as_open_share(prevalence, "prevalence")
    require(counts, "positives", "negatives")
    return np.array([rate / sums[0], (1 - rate) / sums[1]])


def squared_weights(
    counts: ScoreCounts, scales: Floats, held: Places | slice
) -> tuple[Floats, Floats] | None:
    """Return Σw² of the positives, and of all cases, of each held score; None where unknown."""
    p, n = counts.positives[held], counts.negatives[held]
    if counts.weights is not None:
        roots = (counts.weights.positive_roots[held], counts.weights.negative_roots[held])
        of1, of0 = ((root * scale) ** 2 for root, scale in zip(roots, scales, strict=True))
    elif counts.is_whole or not (np.fmod(p, 1).any() or np.fmod(n, 1).any()):
        of1, of0 = p * scales[0] ** 2, n * scales[1] ** 2
    else:
        return None
    return of1, of1 + of0


@dataclass(frozen=True, slots=True)
class _SumsBefore:
    """Sums of a column before each score; of whole counts found anew, which takes less memory."""

    column: Array
    marks: Array  # those before every `step`-th score
    step: int

    @classmethod
    def of(cls, column: Array, remembered: RunningSums | None) -> Self:
        """Take running sums that are remembered, or those at every so many scores."""
        if remembered is not None:
            return cls(column, remembered.sums, 1)
        sums = _sums_of_steps(column)
        return cls(column, np.cumsum(sums) - sums, KEPT_EVERY)

    def between(self, start: int, end: int) -> Array:
        """Return the sums before each score from one place up to another."""
        if self.step == 1:
            return self.marks[start:end]
        first = start // self.step
        sums = np.zeros(end - first * self.step, dtype=np.int64)
        np.cumsum(self.column[first * self.step : end - 1], dtype=np.int64, out=sums[1:])
        sums += self.marks[first]
        return sums[start - first * self.step :]


def _sums_of_steps(column: Array) -> Ints:
    """Return the sum of every `KEPT_EVERY` whole numbers, the last perhaps of fewer."""
    steps = len(column) // KEPT_EVERY
    sums = column[: steps * KEPT_EVERY].reshape(steps, KEPT_EVERY).sum(axis=1, dtype=np.int64)
    rest = column[steps * KEPT_EVERY :]
    return np.append(sums, rest.sum(dtype=np.int64)) if len(rest) else sums


@dataclass(frozen=True, slots=True)
class _RankedScores:
    """The scores of counts, of which any part can be looked at in the processor's cache."""

    counts: ScoreCounts
    scales: Floats
    before: tuple[_SumsBefore, _SumsBefore]  # of positives, of negatives
    passed: Ints  # how many scores with positives lie before the end of each `KEPT_EVERY` of them
    single: bool  # whether each score is one whole case

    @classmethod
    def of(cls, counts: ScoreCounts, scales: Floats) -> Self:
        """Return the places of all scores."""
        few = counts.weights is not None or not counts.is_whole or len(counts) <= MOST_KNOWN_SUMS
        sums = shares(counts) if few else None
        known = (sums.positives, sums.negatives) if sums else (None, None)
        p, n = map(_SumsBefore.of, (counts.positives, counts.negatives), known)
        passed = np.cumsum(_sums_of_steps(counts.positives > 0))
        return cls(counts, scales, (p, n), passed, counts.is_whole and one_case_each(counts))

    @property
    def holding(self) -> int:
        """How many scores have positives."""
        return int(self.passed[-1])

    def between(self, start: int, end: int) -> _Precisions:
        """Return what is selected at each score from one place up to another."""
        return self.picked(start, end, slice(None))

    @property
    def alike_between(self) -> bool:
        """Whether scores without positives move the precision as all between two with them do."""
        return self.counts.weights is None and bool(self.scales[0] == self.scales[1])

    def moved(self, start: int, end: int) -> tuple[Floats, ...]:
        """Return how these scores move the precision, or where others are alike, those of them."""
        if self.alike_between:
            return _moved(self.positives_among(start, end)[1])
        return _moved(self.between(start, end))

    def positives_among(self, start: int, end: int) -> tuple[Places, _Precisions]:
        """Return which of the scores from one place up to another have positives, and these."""
        held = np.flatnonzero(self.counts.positives[start:end] > 0)
        if not self.single:
            return held, self.picked(start, end, held)
        # Of those before each, all that are not positive are negative.
        place, e = held + start, np.full(len(held), self.scales[0])
        before = np.arange(len(held)) + self.before[0].between(start, start + 1)[0]
        before_e, before_n = before * self.scales[0], (place - before) * self.scales[1]
        return held, _Precisions(place, e, e, before_e, before_e + before_n)

    def with_positives(self, start: int, end: int) -> _Precisions:
        """Return the same of the scores with positives, numbered from 0."""
        first, last = np.searchsorted(self.passed, [start, end - 1], side="right").tolist()
        low, high = first * KEPT_EVERY, (last + 1) * KEPT_EVERY
        skipped = int(self.passed[first - 1]) if first else 0
        # Numbered, as taking half of very many by a mask takes several times as long.
        held = np.flatnonzero(self.counts.positives[low:high] > 0)
        return self.picked(low, high, held[start - skipped : end - skipped])

    def picked(self, low: int, high: int, picked: Places | slice) -> _Precisions:
        """Return the same of some of the scores from one place up to another."""
        high = min(high, len(self.counts))
        held = slice(low, high) if isinstance(picked, slice) else picked + low
        sides = zip(self.before, self.scales, strict=True)
        before_e, before_n = (sums.between(low, high)[picked] * scale for sums, scale in sides)
        e = self.counts.positives[held] * self.scales[0]
        n = self.counts.negatives[held] * self.scales[1]
        return _Precisions(held, e, e + n, before_e, before_e + before_n)


@dataclass(frozen=True, slots=True)
class _Precisions:
    """What is selected before each score and at it; shapes (K,)."""

    held: Places | slice  # which scores of the counts these are
    e: Floats  # e, m: positives and cases at the score
    m: Floats
    before_e: Floats  # before_e, before_m: those before it
    before_m: Floats

    def rates(self) -> tuple[Floats, Floats]:
        """Return the share of positives at the score, and before it, 0 where nothing is."""
        return quotients(self.e, self.m), quotients(self.before_e, self.before_m)

    def growth(self) -> Floats:
        """Return the cases at the score over those before it, 0 where there are none."""
        return np.minimum(quotients(self.m, self.before_m), MOST_GROWTH)

    def at_end(self) -> Floats:
        """Return the precision once all cases of the score are selected."""
        return quotients(self.before_e + self.e, self.before_m + self.m)

    def along_lines(self) -> Floats:
        """Return the mean precision along the straight line of the CAP through the score."""
        (rate, before), growth = self.rates(), self.growth()
        return rate + (before - rate) * self.slowing(growth, np.log1p(growth))

    def slowing(self, growth: Floats, grown: Floats) -> Floats:
        """Return the mean of 1/(1 + growth·t) over t from 0 to 1; 0 where nothing is before."""
        # `grown` is the logarithm of what the cases before the score grow by.
        if (growth > 0).all():
            return grown / growth
        found = np.where(self.before_m > 0, 1.0, 0.0)
        return np.divide(grown, growth, out=found, where=growth > 0)

    def over_orders(self, of1: Floats, of_all: Floats) -> Floats:
        """Return the mean precision over the orders of the rows of each score.

        From the sums of squared weights, of positives and of all: a positive weighs u, any other
        row v, and the share g of the others is positive. Where squares are too small for a
        float, it is that along straight lines.
        """
        tied, several, (e, m, e0, m0, u, v) = self._rows(of1, of_all)
        found = self.at_end()
        self._draw_lines(found, tied | ~(of1 > 0), several)
        g, rows = (e - u) / (m - u), 1 + (m - u) / v
        steps = digamma_between((m0 + u) / v, rows) / (rows * v)
        found[several] = g + (e0 + u - g * (m0 + u)) * steps
        return found

    def before_rows(self, of1: Floats, of_all: Floats) -> Floats:
        """Return the same mean of the precision before each positive, 1 where nothing is."""
        tied, several, (e, m, e0, m0, u, v) = self._rows(of1, of_all)
        found = np.where(self.before_m > 0, quotients(self.before_e, self.before_m), 1.0)
        self._draw_lines(found, tied, several)
        g, rows, some = (e - u) / (m - u), 1 + (m - u) / v, m0 > 0
        steps = digamma_between(np.where(some, m0, v) / v, rows) / (rows * v)
        # The first of all cases has 1, those after it what is positive of the others at the score.
        found[several] = np.where(some, g + (e0 - g * m0) * steps, g + (1 - g) / rows)
        return found

    def _rows(self, of1: Floats, of_all: Floats) -> tuple[Bools, Places, tuple[Floats, ...]]:
        """Return which scores hold several rows, which of these are known, and e to v of them."""
        u = quotients(of1, self.e)
        others = self.m - u
        tied = others > ONE_ROW * self.m
        v = (of_all - u**2) / np.where(tied, others, np.inf)
        several = np.flatnonzero(tied & (of1 > 0) & (v > LEAST_ROW_SHARE * self.m))
        columns = self.e, self.m, self.before_e, self.before_m, u, v
        return tied, several, tuple(column[several] for column in columns)

    def _draw_lines(self, found: Floats, wanted: Bools, known: Places) -> None:
        """Put what it is along straight lines where it is wanted and nothing better is known."""
        if np.count_nonzero(wanted) > len(known):
            places = np.flatnonzero(wanted)
            found[places] = self.along_lines()[places]


def quotients(part: Floats, whole: Floats) -> Floats:
    """Return quotients, 0 where the denominator is 0."""
    if (whole > 0).all():  # dividing some of them only takes several times as long
        return part / whole
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def digamma_between(start: Floats, rows: Floats) -> Floats:
    """Return ψ(start + rows) - ψ(start), the sum of 1/(start + j) over so many whole j from 0."""
    from scipy.special import digamma

    large = start >= LARGE_ARGUMENT
    if large.all():
        return _between_large(start, rows)
    found = np.empty(len(start))
    found[~large] = digamma((start + rows)[~large]) - digamma(start[~large])
    found[large] = _between_large(start[large], rows[large])
    return found


def _between_large(start: Floats, rows: Floats) -> Floats:
    middle = start - 0.5
    return np.log1p(rows / middle) - (middle**-2 - (middle + rows) ** -2) / 24


@dataclass(frozen=True, slots=True)
class StretchedMoves:
    """How far one case at each score moves a number, alike at all between two with positives.

    Of very many scores, few of which have positives, that takes a third of the memory. Slices are
    arrays, and so is the whole to numpy.
    """

    positives: Array
    passed: Ints  # how many scores with positives lie before the end of each `KEPT_EVERY` of all
    held: Floats  # the moves at scores with positives
    between: Floats | None  # those before each of them, and after the last; all 0 where None

    def __len__(self) -> int:
        return len(self.positives)

    def __getitem__(self, cells: slice) -> Floats:
        start, end, _ = cells.indices(len(self))
        step = start // KEPT_EVERY
        first = int(self.passed[step - 1]) if step else 0
        first += int(np.count_nonzero(self.positives[step * KEPT_EVERY : start]))
        places = np.flatnonzero(self.positives[start:end] > 0)
        last = first + len(places)
        if self.between is None:
            found = np.zeros(end - start)
        else:
            lengths = np.diff(places, prepend=0, append=end - start)
            found = np.repeat(self.between[first : last + 1], lengths)
        found[places] = self.held[first:last]
        return found

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self[:]


def influences(counts: ScoreCounts, scales: Floats) -> tuple[MovesAtScores, MovesAtScores]:
    """Return how far each positive and each negative moves it, along straight lines.

    A case moves the running precision at its own score and at all below. Where whole counts have
    no positive, how far one would move it is not asked for, and 0.
    """
    places, p, total = _RankedScores.of(counts, scales), counts.positives, _total(counts.positives)
    size = len(counts)
    odds = _total(counts.negatives) / total * float(scales[1] / scales[0])
    at = places.holding if places.alike_between else size
    gained, lost, between = np.empty(at), np.empty(at), np.empty(at + 1)
    # From the end, as what a case moves below its score is added up from there.
    ends = [(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK)][::-1]
    average, further, bereft = 0.0, 0.0, 0.0
    for moved in each_at_once(lambda each: places.moved(*each), ends, min(size, BLOCK)):
        weighed, precision, gain, gain_below, loss, loss_below = moved
        average += float(weighed)
        last, at = at, at - len(precision)
        below, further = _below(gain_below, further)
        here = gain + below
        here += precision
        below, following = _below(loss_below, bereft)
        loss += below
        here -= loss
        gained[at:last], lost[at:last] = here, -odds * loss
        # A score without positives loses what all below it do.
        between[at], between[at + 1 : last + 1] = -odds * following, -odds * below
        bereft = following
    gained -= average / (total * float(scales[0]))
    if not places.alike_between:
        return gained, lost
    stretched = ((gained, None), (lost, between))
    first, second = (StretchedMoves(p, places.passed, *each) for each in stretched)
    return first, second


def _moved(found: _Precisions) -> tuple[Floats, ...]:
    """Return what each score has to do with influences, as a sum and five columns.

    The sum over positives of their precision; the precision of each score; what a positive at the
    score gains there, what one above gains there; and the same of what any case loses.
    """
    (rate, before), growth = found.rates(), found.growth()
    grown = np.log1p(growth)
    slowing = found.slowing(growth, grown)
    precision = rate + (before - rate) * slowing
    # Integrals over t from 0 to 1 of 1/(N + mt) and of its square, and of these times t, t².
    whole = 1 / (1 + growth)
    part, turned = 1 - whole, np.where(found.before_m > 0, slowing - whole, 0.0)
    gained = rate * (1 - slowing)
    lost = rate * (before * turned + rate * (1 - slowing - turned))
    lost_below = rate * (before * part + rate * (grown - part))
    return (found.e * precision).sum(), precision, gained, rate * grown, lost, lost_below


def _below(column: Floats, after: float = 0.0) -> tuple[Floats, float]:
    """Return the sum of all after each, and that of all; `after` comes after the last."""
    sums = np.cumsum(np.append(after, column[::-1]))
    return sums[-2::-1], float(sums[-1])


def threshold_influences(counts: ScoreCounts, scales: Floats) -> tuple[Floats, Floats]:
    """Return the same of the precision at the score: a case moves that of its score too."""
    found = _RankedScores.of(counts, scales).between(0, len(counts))
    precision, cases = found.at_end(), found.before_m + found.m
    share = found.e / cases
    gained, lost = (_below(each)[0] + each for each in (share, share * precision))
    average = (found.e / found.e.sum() * precision).sum()
    odds = float((found.m - found.e).sum() / found.e.sum())
    return precision - average + gained - lost, -odds * lost


def influences_of(
    counts: ScoreCounts, *, ties: Ties = "expected", prevalence: float | None = None
) -> tuple[MovesAtScores, MovesAtScores]:
    """Return the influences for either rule of ties, of the classes as counted or re-weighted."""
    find = influences if ties == "expected" else threshold_influences
    first, second = find(counts, scales_of(counts, prevalence))
    if prevalence is None:
        return first, second
    first, second = np.asarray(first), np.asarray(second)
    # Chance moves no case from one class to the other, so that each class has a mean of zero.
    p, n = (column / _total(column) for column in (counts.positives, counts.negatives))
    return first - (first * p).sum(), second - (second * n).sum()


def precision_before(
    counts: ScoreCounts, *, ties: Ties = "expected", prevalence: float | None = None
) -> float:
    """Return the mean over positives of the precision without the case itself, 1 for the first.

    The case itself makes the average precision of few positives too high; this one is too low. Of
    the precision at the score, which the cases of a tie share, it is the average precision.
    """
    if ties == "threshold":
        return average_precision(counts, ties=ties, prevalence=prevalence)
    if prevalence is None and one_case_each(counts):
        before = np.flatnonzero(counts.positives)
        precisions = np.ones(len(before))
        np.divide(np.arange(len(before)), before, out=precisions, where=before > 0)
        return float(precisions.mean())
    places = _RankedScores.of(counts, scales_of(counts, prevalence))

    def of_positives(start: int, end: int) -> Real:
        return places.with_positives(start, end).e.sum()

    if counts.is_whole and prevalence is None:  # no sum of these rounds
        total = _total(counts.positives) * float(places.scales[0])
    else:
        total = float(summed_parts(places.holding, of_positives))

    def part(start: int, end: int) -> Real:
        found = places.with_positives(start, end)
        squares = squared_weights(counts, places.scales, found.held)
        precision = found.along_lines() if squares is None else found.before_rows(*squares)
        return (found.e / total * precision).sum()

    return min(max(float(summed_parts(places.holding, part)), 0.0), 1.0)


RETRIEVAL_METRICS = (
    Metric(
        function=average_precision,
        label="average precision",
        short="AP",
        aliases=("ap", "map"),
        worthless=None,
        in_summary=True,
        influence=influences_of,
        cautious=precision_before,
        options=("ties", "prevalence"),
        moved_by_prevalence=True,
        requires=("positives",),
        of_segments=average_precisions,
    ),
)
