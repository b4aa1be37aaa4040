"""Intervals of metrics that tell how far each case moves them, whichever these are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from capcurve.curves.shares import require, sample_rate
from capcurve.curves.simplify import grouped_neighbours
from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes, LeftOut
from capcurve.inference.limits import (
    UNSEEN_WEIGHTS,
    ByError,
    around,
    cut_at_ends,
    envelope,
    kind_unseen,
    percentiles,
    share_unseen,
)
from capcurve.inference.rates import both_limits
from capcurve.inference.variances import Deviations, deviations, groups_left_out, moves_of
from capcurve.metrics import METRICS, Metric
from capcurve.metrics.registry import MetricFrame
from capcurve.numbers.exact import Real, summed_parts
from capcurve.show.format import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import ScoreCounts
    from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits, Unseen
    from capcurve.numbers.types import Amount, Floats, MovesAtScores

STATED = (
    "rows of each class weigh alike, so intervals are those of the prevalence their weights state"
)
PERFECT_SCORE = (
    "the score is perfect here, and the interval allows for cases of a kind that was not seen"
)
LIMIT_OF_UNSEEN = (
    'the {} limit is what the number would be {}; without such a kind (unseen="none") it is {}'
)
# With fewer cases that are won, or lost, a standard error may miss what the next ones do.
FEW_OF_A_KIND = 4
# A row that weighs so many times as much as its class is all there is.
HEAVIEST = 1e9
# From here on the square of a sum of squares is a float of full precision.
LEAST_SQUARES = 1e-140


@dataclass(frozen=True, slots=True, eq=False)
class CaseMoves:
    """How far the cases at each score move a number; what is added up of it is, part by part."""

    counts: ScoreCounts
    moves: tuple[MovesAtScores, MovesAtScores]  # of a positive and of a negative, shapes (K,)
    totals: tuple[Amount, Amount]
    sizes: ClassSizes

    @classmethod
    def of(cls, counts: ScoreCounts, metric: Metric) -> Self:
        """Return how far each independent row moves a metric."""
        designs.require_two(counts, "a standard error")
        moves = (metric.influence or deviations)(counts)
        return cls(counts, moves, designs.class_totals(counts), designs.effective_sizes(counts))

    def se(self) -> float:
        """Return the standard error of the number."""
        return self._se(self._powers()[:2])

    def se_and_freedom(self) -> tuple[float, float]:
        """Return it, and the degrees of freedom that the fourth powers of the moves leave."""
        powers, size = self._powers(), 1.0
        if 0 < powers[:2].sum() < LEAST_SQUARES:  # whose fourth powers are no floats
            size = 1 / float(np.sqrt(powers[:2].sum()))
            powers = self._powers(size)
        total = float(powers[:2].sum())
        fourths = float(powers[2:].sum()) / total**2 if total > 0 else 0.0
        df = designs.freedom_of_share(fourths, designs.effective_cases(self.counts), self.freedom())
        return self._se(powers[:2]) / size, max(1.0, df)

    def freedom(self) -> float:
        """Return the most degrees of freedom: one less than the rarer class has."""
        return max(self.sizes.rarer - 1.0, 1.0)

    @property
    def of_positives(self) -> bool:
        """Whether the rarer class is that of the positives."""
        return self.sizes.positives <= self.sizes.negatives

    def last(self, share: float) -> float:
        """Return how far such a share of the rarer class moves it at the wrong end of scores."""
        # It takes the places of the cases that are last, or of negatives first, one place each.
        which, step = (designs.POSITIVES, -1) if self.of_positives else (designs.NEGATIVES, 1)
        cases = np.asarray(self.counts.sums[which], np.float64)
        moved, whole = np.asarray(self.moves[which]), float(self.totals[which])
        there = (self.counts.positives + self.counts.negatives)[::step]
        taken = np.clip(share * whole - (np.cumsum(there, dtype=np.float64) - there), 0.0, there)
        return float((taken * moved[::step]).sum() - share * (cases * moved).sum()) / whole

    def _se(self, squares: Floats) -> float:
        # Each class has the variance of as many cases as it has, less one.
        sizes = np.array(self.sizes)
        unbiased = squares * sizes / np.maximum(sizes - 1, designs.LEAST_BEYOND_ONE)
        return float(np.sqrt(unbiased.sum()))

    def _powers(self, size: float = 1.0) -> Floats:
        """Return sums of the squared moves of positives and of negatives, then of fourth powers."""

        def of_class(which: int, cells: slice) -> tuple[Real, Real]:
            moved = self.moves[which][cells] * size
            squares = moved * moved
            squares *= designs.squared_masses_of(self.counts, which, self.totals[which], cells)
            fourths = squares**2 / designs.equal_rows_of(self.counts, which, cells)
            return squares.sum(), fourths.sum()

        def part(start: int, end: int) -> Floats:
            cells, classes = slice(start, end), (designs.POSITIVES, designs.NEGATIVES)
            return np.array([of_class(which, cells) for which in classes]).T.ravel()

        return np.asarray(summed_parts(len(self.counts), part))


@dataclass(frozen=True, slots=True)
class MetricSpread:
    """What the limits of a metric are made of, at any level."""

    value: float
    cautious: float  # an estimate that few cases do not make too high
    ends: Limits
    scale: Limits  # between which limits are symmetric in log odds
    worthless: float
    perfect: float
    as_rate: bool  # whether the part of the perfect value is like a rate of cases
    cases: float  # how many of the rarer class it is about, as if equally weighted, or groups
    se: float = 0.0
    df: float = 1.0
    most_df: float = 1.0  # the same if all cases moved the number equally far
    further: float = 0.0  # what one further row of each class, if heavy, makes it worse by
    moves: CaseMoves | None = None  # of independent rows
    unseen: str = "none"  # how a kind ranks of which the sample has none: "random", "worst"
    asked: bool = False  # whether the user says so

    @property
    def width(self) -> float:
        """How far values can lie apart."""
        return self.scale[1] - self.scale[0]

    @property
    def worse(self) -> int:
        """In which direction a worse score lies."""
        return -1 if self.perfect > self.worthless else 1

    def limits(self, method: str, confidence: Confidence) -> Limits:
        """Return limits by the standard error alone, by one scale or as an envelope."""
        t = confidence.t(self.most_df if method in {"wald", "logit_t"} else self.df)
        found = ByError(self.value, self.se, t, self.scale)
        if method == "wald":
            return found.plain
        if method == "jackknife":
            return found.steady
        if method == "logit_t":
            return found.scaled or found.plain
        both = envelope(found.plain, found.steady)
        cautious = replace(found, value=self.cautious)
        low = min(both[0], cautious.plain[0], cautious.steady[0])
        return self._moved_out((low, both[1]), confidence)

    def _moved_out(self, limits: Limits, confidence: Confidence) -> Limits:
        """Return limits that allow for a further heavy row of each class besides."""
        reach = confidence.z * self.further
        if not reach:
            return limits
        if self.worse < 0:
            return self.value - float(np.hypot(self.value - limits[0], reach)), limits[1]
        return limits[0], self.value + float(np.hypot(limits[1] - self.value, reach))

    def allowed(self, method: str, confidence: Confidence) -> Limits:
        """Return limits that allow for kinds of cases of which the sample may hold none."""
        share, ranks = self._unseen(confidence), self._ranks(confidence)
        moved = share * (self.worthless - self.value) if ranks == "random" else 0.0
        if ranks == "worst" and self.moves:
            moved = self.moves.last(share)
        most = self.value + (moved if 0 < self.worse * moved < np.inf else 0.0)
        found = around((most, most), self.value)
        if method == "logit_t":
            return found
        return self._moved_out(envelope(found, self._of_few(confidence)), confidence)

    def _ranks(self, confidence: Confidence) -> str:
        """Return how an unseen kind ranks: last in a certificate, which one-sided limits are."""
        certified = self.unseen == "random" and confidence.side != "both"
        return "worst" if certified else self.unseen

    def _unseen(self, confidence: Confidence) -> float:
        """Return which share of the rarer class may be of a kind of which the sample has none."""
        # Clopper & Pearson (1934), Biometrika 26. Ranked last, more would say nothing any more.
        if self._ranks(confidence) == "worst":
            sure = confidence if self.asked else confidence.for_one()
            return share_unseen(self.cases, sure.tail)
        return 1.0 - float(confidence.tail ** (1 / self.cases))

    def allowing(
        self, limits: Limits, method: str, confidence: Confidence
    ) -> tuple[Limits, tuple[str, ...]]:
        """Return limits that allow for such kinds too, and a note if they decide."""
        without, found = (
            envelope(limits, confidence.opened(each.allowed(method, confidence), (self.value,) * 2))
            for each in (replace(self, unseen="none"), self)
        )
        at = 0 if self.worse < 0 else 1
        if found[at] == without[at]:
            return found, ()
        positives = self.moves is None or self.moves.of_positives
        last = "below" if positives else "above"
        rank = last if self._ranks(confidence) == "worst" else "at random"
        kind = kind_unseen(self._unseen(confidence), self.cases, positives, rank)
        plain = number(cut_at_ends(without, self.ends, "")[0][at])
        return found, (LIMIT_OF_UNSEEN.format(("lower", "upper")[at], kind, plain),)

    def _of_few(self, confidence: Confidence) -> Limits:
        """Return limits of a rate where few of the cases are won, or lost, of those it is about."""
        low = high = self.value
        most = self.perfect
        if self.worse > 0 or not self.as_rate or not np.isfinite(most):
            return low, high
        won = min(max(self.value, 0.0) / most, 1.0) * self.cases
        rates = both_limits(won, self.cases, "clopper_pearson", confidence.for_one())
        if self.cases - won < FEW_OF_A_KIND:
            low = min(low, most * float(rates[0]))
        if won < FEW_OF_A_KIND:
            high = max(high, most * float(rates[1]))
        return low, high


def metric_interval(
    counts: ScoreCounts, metric: Metric, method: str = "envelope", unseen: Unseen | None = None
) -> Callable[[Confidence], Interval]:
    """Return the interval of any metric that tells its influences, at any confidence."""
    # Of clustered rows by leaving out groups of them. Without a spread all is possible.
    require(counts, "positives", "negatives")
    rows = min(designs.rows_per_class(counts))
    enough = rows >= designs.LEAST_GROUPS
    plain = designs.as_stated(counts) if method == "envelope" and enough else None
    if plain and metric.prevalence is None and "prevalence" in metric.options:
        stated = metric_interval(plain[0], metric.given(prevalence=plain[1]), method, unseen)
        own, said = metric_interval(counts, metric, "wald"), (STATED,) if plain[1] else ()
        return lambda sure: stated(sure).of_weights(own(sure), *said)
    if counts.groups is not None:
        rows, method = int(designs.groups_per_class(counts).rarer), "jackknife"
    found: LeftOut | CaseMoves | None = None
    if rows >= designs.LEAST_GROUPS:
        clustered = counts.groups is not None
        found = groups_left_out([counts], metric) if clustered else CaseMoves.of(counts, metric)
    spread, asked = _spread(counts, metric, found), unseen is not None
    spread = replace(spread, unseen=unseen or metric.unseen, asked=asked)
    scale = min(abs(spread.value), spread.width) or 1.0
    of_weights = counts.weights is not None and counts.times is None
    heavy = (UNSEEN_WEIGHTS,) if of_weights and method == "envelope" else ()
    of_few = (*found.sizes.few(), *heavy) if found else ()
    if isinstance(found, LeftOut):
        of_few = found.notes(spread.df, found.sizes.rarer)
    of_few += metric.about(counts) if metric.about else ()

    def interval(confidence: Confidence) -> Interval:
        value, what = spread.value, f"the {metric.label}"
        ends = around(spread.ends, value)  # which rounding may have put beyond its ends
        if found is None or not spread.se > designs.ERROR_ROUNDING * scale:
            limits, note = ends, "the sample shows no spread, so the interval is the whole range"
            perfect = abs(value - spread.perfect) <= designs.ERROR_ROUNDING * scale
            if found is not None and perfect and spread.unseen != "none":
                limits, note = spread.allowed(method, confidence), PERFECT_SCORE
            limits, _ = cut_at_ends(limits, ends, what)
            return confidence.interval(value, limits, ends, "definition", None, (note,))
        said: tuple[str, ...] = ()
        limits = spread.limits(method, confidence)
        if method != "wald":
            limits, said = spread.allowing(limits, method, confidence)
        limits, cut = cut_at_ends(limits, ends, what)
        limits, notes = around(limits, value), (*of_few, *said, *cut)
        return confidence.interval(value, limits, ends, method, spread.se, notes)

    return interval


def influences_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of any metric that tells how far each case moves it."""
    # "jackknife" leaves out groups of clusters; "bootstrap" takes quantiles of the metric in
    # samples whose cases are dealt anew: each class apart, but where the prevalence moves it.
    counts, confidence = request.counts.every_score(), request.confidence
    metric = METRICS[request.name]
    told = {name: getattr(request, name) for name in (*metric.needs, *metric.options)}
    metric = metric.given(**told)
    if method == "jackknife":
        return metric_interval(counts, metric, unseen=request.unseen)(confidence)
    alone = replace(counts, groups=None) if counts.groups is not None else counts
    if method != "bootstrap":
        return metric_interval(alone, metric, method, request.unseen)(confidence)
    few = grouped_neighbours(alone, designs.GROUPED_CELLS)
    apart = not metric.moved_by_prevalence
    drawn = request.resampling(few).draw(designs.of_counts(few, metric.value), stratified=apart)
    known, estimate = drawn[~np.isnan(drawn)], metric.value(alone)
    se = designs.standard_error(known) if len(known) > 1 else None
    if se is None:
        return metric_interval(alone, metric)(confidence)
    if few is not alone:  # what putting scores together takes off is put back
        known = np.clip(known + (estimate - metric.value(few)), *metric.ends)
    how = "each class kept its size" if apart else "drawn from all cases together"
    note = f"{len(drawn)} replicates, {how}; quantiles of type 7"
    limits = around(percentiles(known, confidence), estimate)
    return confidence.interval(estimate, limits, metric.ends, "bootstrap", se, (note,), known)


def _spread(counts: ScoreCounts, metric: Metric, found: LeftOut | CaseMoves | None) -> MetricSpread:
    """Return what the limits are made of; `found` is None where too few rows show a spread."""
    value, frame = metric.value(counts), _frame(counts, metric)
    cases, moves = designs.effective_sizes(counts).rarer, None
    if isinstance(found, CaseMoves):
        moves = found
    elif found is not None:
        # As many as would vary as much if they were independent, and at least the groups.
        moves = CaseMoves.of(replace(counts, groups=None), metric)
        naive = moves.se()
        effect = max((found.se() / naive) ** 2, 1.0) if naive > 0 else np.inf
        cases = max(cases / effect, designs.groups_per_class(counts).rarer)
    if metric.looks_at is not None:
        cases = min(cases, metric.looks_at() * designs.effective_cases(counts))
    spread = MetricSpread(
        value=value,
        cautious=value if metric.cautious is None else metric.cautious(counts),
        ends=frame.ends or metric.ends,
        scale=metric.scale or metric.ends,
        worthless=frame.worthless,
        perfect=frame.perfect,
        as_rate=metric.as_rate,
        cases=max(cases, 1.0),
    )
    if found is None:
        return spread
    if isinstance(found, LeftOut):
        se, df = found.se(), found.freedom()
    else:
        se, df = found.se_and_freedom()
    spread = replace(spread, se=se, df=df, most_df=found.freedom(), moves=moves)
    return spread if counts.groups is not None else _with_uneven_rows(spread, counts, metric)


def _with_uneven_rows(spread: MetricSpread, counts: ScoreCounts, metric: Metric) -> MetricSpread:
    """Return what allows for rows that count for more than others, and may be missing."""
    if counts.weights is None and metric.prevalence is None:
        return spread
    few, worse = grouped_neighbours(counts, designs.GROUPED_CELLS), spread.worse
    reaches = moves_of(few, metric)
    down = partial(_made_worse, few, metric, reaches, worse)
    if counts.weights is not None:
        further = float(np.hypot(*down(_heavier(few, reaches, worse))))
        spread = replace(spread, further=further)
    if metric.prevalence is not None and worse < 0:
        shift = sum(down(_half_a_row(few, metric.prevalence)))
        spread = replace(spread, cautious=min(spread.cautious, spread.value - shift))
    return spread


def _frame(counts: ScoreCounts, metric: Metric) -> MetricFrame:
    """Return what a worthless and a perfect order have."""
    if metric.frame is not None:
        return metric.frame(counts)
    worthless = metric.worthless
    if worthless is None:
        worthless = sample_rate(counts) if metric.moved_by_prevalence else metric.ends[0]
        worthless = worthless if metric.prevalence is None else metric.prevalence
    return MetricFrame(worthless, metric.ends[1] if metric.perfect is None else metric.perfect)


def _heavier(counts: ScoreCounts, reaches: Deviations, worse: int) -> tuple[float, float]:
    """Return by how much an unseen row of each class may be heavier than the average one."""
    # Where heavy weights go with rare scores, most samples miss the few rows that would lower the
    # number most, and their standard errors, which allow for rows of average weight, miss them too.
    (rows,) = designs.further_rows(counts, designs.factor_of_weights(counts), reaches, worse)
    pairs = zip(rows, designs.squared_masses(counts), strict=True)
    first, second = (float(min(max(row - each.sum(), 0.0), HEAVIEST)) for row, each in pairs)
    return first, second


def _half_a_row(counts: ScoreCounts, prevalence: float) -> tuple[float, float]:
    """Return what half a row of the class whose rows stand for more cases is more than for one."""
    # Of heavy rows few are ranked high, and next to none before the first of them: of a place that
    # j of n others are ahead of, (j + 1/2)/n are.
    sizes, odds = designs.effective_sizes(counts), prevalence / (1 - prevalence)
    times = odds * sizes.negatives / sizes.positives
    return max(1 - 1 / times, 0.0) / sizes.positives / 2, max(1 - times, 0.0) / sizes.negatives / 2


def _made_worse(
    counts: ScoreCounts,
    metric: Metric,
    reaches: Deviations,
    worse: int,
    shares: tuple[float, float],
) -> tuple[float, float]:
    """Return how much worse such further shares of each class make a metric at the worst place."""
    # They are parts of cases, of which no rows are known; so all is measured in parts of cases.
    size = designs.unit(counts) * float(np.pi)
    columns = [np.tile(sums / size, (3, 1)) for sums in counts.sums]
    for own, share in enumerate(shares):
        place = int((worse * reaches[own]).argmax())
        columns[own][own + 1, place] += share * columns[own][0].sum()
    values = designs.of_counts(counts, metric.value)(columns[0], columns[1])
    first, second = np.maximum(worse * (values[1:] - values[0]), 0.0).tolist()
    return first, second
