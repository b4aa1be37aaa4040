"""The number inside each segment, and how their mean varies: the law of drawn and of fixed ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts import (
    HorizonCounts,
    JointCounts,
    JointValues,
    ScoreCounts,
    SegmentCounts,
    ValueCounts,
)
from capcurve.counts.segments import KINDS_OF_AMOUNTS, cells_in_order, cluster_noun
from capcurve.counts.table import GROUPS, wide
from capcurve.curves.segmented import SegmentCells, segment_totals
from capcurve.inference import designs, variances
from capcurve.inference.designs import ClassSizes, Estimates, LeftOut
from capcurve.inference.limits import envelope
from capcurve.inference.of_segments import LACKS_SEGMENT, called_at, told_of_segments
from capcurve.inference.rates import both_limits
from capcurve.inference.records import Interval, RankingMetric, influenced
from capcurve.inference.top_share import metric_at_share
from capcurve.metrics import METRICS, Metric
from capcurve.metrics.areas import OPTION_CHECKS
from capcurve.metrics.depth import Gain, as_depth, at_depth
from capcurve.numbers.arguments import (
    arg,
    as_name,
    as_number,
    as_share,
    as_word,
    refused,
    told,
    word,
)
from capcurve.numbers.exact import quotient
from capcurve.show.format import counted

if TYPE_CHECKING:
    from capcurve.inference.records import Confidence, Limits
    from capcurve.numbers.types import Array, Bools, Floats, Places

SegmentLaw = Literal["drawn", "fixed"]
SegmentWeights = Literal["equal", "cases", "positives", "pairs"]
WEIGHTS = get_args(SegmentWeights)
MOST_EXPONENT = 700.0
# Numbers of amounts that lie within the same ends as those of classes.
BETWEEN_ENDS = ("accuracy_ratio", "concentration_index", "captured_response", "ndcg")
# With fewer cases that are won, or lost, a standard error may miss what the next ones do.
FEW_OF_A_KIND, ROUNDING = 4, 1e-9
# One relevant document of five is a precision of .2, and cannot be more.
LOW_MOST = 0.5
UNDEFINED_THERE = "no number"
ALONE_IN_EACH = (
    "one class has one case in every segment, so the spread inside is unknown: segments are taken "
    "as drawn"
)
# So few segments with so many positives each may be folds, or bands.
FEW_SEGMENTS, MOST_FOLDS, POSITIVES_OF_A_FOLD = 10, 20, 20
SAME_NUMBER = (
    "all segments have the same number, which has no upper end, so nothing says how far it may vary"
)
OF_MODELS = (
    "where segments are folds, the limits are for the mean of these models, not for the procedure "
    "that fits them"
)


@dataclass(frozen=True, slots=True)
class SegmentQuestion:
    """Which number is averaged over segments, how, and what is done where it is missing."""

    name: str  # of the metric
    law: SegmentLaw
    weights: SegmentWeights | Mapping[Any, float]
    lacking: float | Literal["leave_out", "raise"]
    options: Mapping[str, Any]  # what the metric is told

    @classmethod
    def ask(
        cls, metric: Any, segments: Any, weights: Any, lacking: Any, **options: Any
    ) -> SegmentQuestion:
        """Return the question, or raise ValueError when the words do not make one."""
        name, k = at_depth(metric) if isinstance(metric, str) else (metric, None)
        if k is not None and options.get("k") is not None:
            raise ValueError(f"{told(metric)} names its depth; leave {arg('k')} out")
        options["k"] = options.get("k") if k is None else k
        of = [each for each in METRICS if "trials" not in METRICS[each].of]
        name = as_name(METRICS.name_of(name), "metric", of, METRICS.aliases)
        law = as_word(segments, "segments", get_args(SegmentLaw), either=True)
        if isinstance(weights, Mapping):
            weights = dict(weights)
        else:
            as_word(weights if isinstance(weights, str) else told(weights), "weights", WEIGHTS)
        given = _options(METRICS[name], options)
        moves = name in get_args(RankingMetric) or METRICS[name].compared_at == "q"
        if law == "fixed" and not (moves or influenced(name) is not None):
            raise ValueError(
                f"{word(segments='fixed')} needs a metric that tells how far each case moves it, "
                f"and {name} does not; take {word(segments='drawn')}"
            )
        return cls(name, law, weights, _as_lacking(lacking, METRICS[name]), given)

    @property
    def metric(self) -> Metric:
        """The metric, with what it is told."""
        return METRICS[self.name]

    @property
    def k(self) -> int | None:
        """At how many cases it is, where that was said."""
        return self.options.get("k")

    def at_segment(self, cases: float) -> Metric | None:
        """Return the metric of a segment that tells how far each case moves it; None of AUCs."""
        if self.name in get_args(RankingMetric):
            return None
        if self.metric.compared_at == "q":
            return metric_at_share(self.name, self.options.get("q", (self.k or 0) / cases))
        return self.metric.given(**self.options)


def _options(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a metric is told, checked, or raise ValueError."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() - {*metric.needs, *metric.options}:
        raise ValueError(f"{arg(name)} is not used by {word(metric=metric.name)}; leave it out")
    if "k" in given:
        given["k"] = as_depth(given["k"])
        if "q" in given:
            raise ValueError(f"{arg('q')} and {arg('k')} say the same; give one of them")
    if "gain" in given:
        as_word(given["gain"], "gain", get_args(Gain), either=True)
    instead = "k" in given and "k" in metric.options
    for name in () if instead else metric.needs:
        if name not in given:
            either = f" or {arg('k')}" if name == "q" and "k" in metric.options else ""
            raise ValueError(f"{word(metric=metric.name)} needs {arg(name)}{either}")
    checks: dict[str, Any] = {**OPTION_CHECKS, "q": as_share}
    return given | {name: checks[name](given[name], name) for name in given.keys() & checks.keys()}


def _as_lacking(lacking: Any, metric: Metric) -> Any:
    """Return what is done with segments that lack a class, or the number that they count."""
    if isinstance(lacking, str):
        return as_word(lacking, "lacking", ("leave_out", "raise"), either=True)
    (low, high), number = metric.ends, isinstance(lacking, Real) and not isinstance(lacking, bool)
    if not number or not low <= lacking <= high:
        words = word(lacking=("leave_out", "raise"))
        raise ValueError(
            f"{refused('lacking')} be a number from {low:g} to {high:g}, or {words}; got "
            f"{told(lacking)}"
        )
    return float(lacking)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentNumbers:
    """What every segment holds, the number of one score or several inside it, and its weight."""

    counts: Any  # by segment: a table, or a mapping where there is none
    margins: tuple[Any, ...]  # those of each score
    question: SegmentQuestion
    cases: Floats  # cases, positives: shape (G,)
    positives: Floats
    reasons: Array  # why a segment is left out, shape (G,); empty where it is not
    values: Floats  # shape (m, G), NaN where a segment is left out
    weights: Floats  # shape (G,), adding up to 1; 0 where it is left out
    filled: Mapping[str, int] = field(default_factory=dict)  # how many count as a number, and why
    stands_in: bool = False  # whether fixed segments are taken as drawn, as nothing else is known

    @classmethod
    def of(cls, counts: Any, question: SegmentQuestion) -> SegmentNumbers:
        """Return the numbers of every segment, or raise ValueError where none has one."""
        table: Any = as_segment_table(counts)
        if question.law == "fixed" and (_of_amounts(table) or not isinstance(table, SegmentCounts)):
            what = "amounts" if _of_amounts(table) else "counts at a horizon"
            raise ValueError(f"segments of {what} are drawn ones: take {word(segments='drawn')}")
        if _of_amounts(table) and "gain" in question.metric.options:
            question = replace(question, options={"gain": "linear", **question.options})
        margins: tuple[Any, ...] = (table,)
        if isinstance(table, SegmentCounts) and "names" in table.settings:
            margins = tuple(table.margin(name) for name in table.settings["names"])
        cases, positives = sizes_of_segments(margins[0])
        reasons = lacking_in(margins[0], question.metric, cases, positives)
        reasons[[name is None for name in margins[0]]] = LACKS_SEGMENT
        known = reasons == ""
        values = np.array([values_of_segments(each, question, known) for each in margins])
        # Such as amounts that are all alike.
        reasons[known & np.isnan(values).any(axis=0)] = UNDEFINED_THERE
        lacks, filled = (reasons != "") & (reasons != LACKS_SEGMENT), dict[str, int]()
        if question.lacking == "raise" and lacks.any():
            at = int(np.argmax(lacks))
            raise ValueError(
                f"segment {told([*table][at])} has {reasons[at]}; {word(lacking='leave_out')} "
                "leaves such segments out"
            )
        if not isinstance(question.lacking, str):
            filled = dict(Counter(reasons[lacks].tolist()))
            values[:, lacks], reasons[lacks] = question.lacking, ""
        weights = _weights(table, question.weights, cases, positives, reasons == "")
        found = cls(table, margins, question, cases, positives, reasons, values, weights, filled)
        if question.law == "fixed" and table.groups is None:
            of_classes = (sizes[weights > 0] for sizes in _masses(found)[1])
            if any(sizes.any() and (sizes <= 1).all() for sizes in of_classes):
                return replace(found, question=replace(question, law="drawn"), stands_in=True)
        return found

    @property
    def used(self) -> Places:
        """The places of the segments that are averaged."""
        return np.flatnonzero(self.reasons == "")

    def of_score(self, score: int) -> SegmentNumbers:
        """Return the numbers of one of several scores."""
        margin, own = self.margins[score], self.values[score : score + 1]
        return replace(self, counts=margin, margins=(margin,), values=own)

    @property
    def ends(self) -> Limits:
        """Between which values the number lies."""
        low, high = self.question.metric.ends
        high = self.question.options.get("max_fpr", high)  # of a partial AUC
        if not _of_amounts(self.counts) or self.question.name in BETWEEN_ENDS:
            return low, high
        signed = bool((self.counts.cells[1] < 0).any())
        return -math.inf if signed else low, math.inf

    @property
    def left_out(self) -> dict[str, int]:
        """How many segments are left out, by what they lack."""
        return dict(sorted(Counter(filter(None, self.reasons.tolist())).items()))

    @property
    def how(self) -> str:
        """What is left out, how segments are taken and what they weigh, in words."""
        question = self.question
        said = told_of_segments(question.law, question.weights, self.left_out)
        for why, many in self.filled.items():
            said = f"{counted(many, 'segment')} with {why} count as {question.lacking:g}. {said}"
        return said

    @property
    def units(self) -> int:
        """How many segments have weight, or clusters of them where these are drawn."""
        at = np.flatnonzero(self.weights > 0)
        owners = _owners(self) if self.question.law == "drawn" else None
        return len(at) if owners is None else len(np.unique(owners[at]))

    @property
    def called(self) -> str:
        """What the number is called where there is little room."""
        return called_at(self.question.metric.short, self.question.options)

    def means(self) -> Floats:
        """Return the mean of each score, shape (m,), added up in no order."""
        at = self.used
        if self.question.weights == "equal":  # a sum of shares of one would be rounded
            return np.array([math.fsum(each[at]) / len(at) for each in self.values])
        sums = np.array([math.fsum(self.weights[at] * each[at]) for each in self.values])
        # Shares add up to 1 but for rounding, which must not carry a mean beyond all numbers.
        own = self.values[:, at]
        within: Floats = np.clip(sums, own.min(axis=1), own.max(axis=1))
        return within


def as_segment_table(counts: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return counts by segment as one table, or as they are where no table holds them."""
    if isinstance(counts, SegmentCounts):
        return counts
    for name, each in counts.items():
        if not isinstance(each, ScoreCounts | ValueCounts | JointCounts | JointValues):
            found = f"segment {told(name)} holds {type(each).__name__}"
            raise TypeError(f"{found}, not counts of positives or amounts")
    if all(isinstance(each, HorizonCounts) for each in counts.values()) and counts:
        return counts
    return SegmentCounts.of(counts)


def sizes_of_segments(counts: Mapping[Any, Any]) -> tuple[Floats, Floats]:
    """Return the cases, and the positives or rows with an amount, of every segment."""
    if not isinstance(counts, SegmentCounts):
        pairs = [(each.n, each.n1) for each in counts.values()]
        cases, positives = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
        return cases, positives
    sums = [wide(column) for column in counts.sums]
    if counts.kind in KINDS_OF_AMOUNTS:
        held = counts.cells[1] != 0
        sums = [np.where(held, sums[0], 0), np.where(held, 0, sums[0])]
    first, second = (segment_totals(counts, column).astype(np.float64) for column in sums)
    return first + second, first


def _of_amounts(counts: Any) -> bool:
    return isinstance(counts, SegmentCounts) and counts.kind in KINDS_OF_AMOUNTS


def lacking_in(
    counts: Mapping[Any, Any], metric: Metric, cases: Floats, positives: Floats
) -> Array:
    """Return what each segment lacks; nothing where it has a number."""
    sizes = {"positives": positives, "negatives": cases - positives}
    needs = {need: sizes[need] for need in metric.requires}
    if _of_amounts(counts):
        needs = {"amount": positives} if needs else {}
    found = np.full(len(cases), "", dtype=object)
    for need, size in reversed({"rows": cases, **needs}.items()):
        found[size <= 0] = f"no {need}"
    return found


def values_of_segments(counts: Any, question: SegmentQuestion, known: Bools) -> Floats:
    """Return the number of each segment that has one, NaN in place of others."""
    metric, options = question.metric, question.options
    at_once, table = metric.of_segments, isinstance(counts, SegmentCounts)
    graded = _of_amounts(counts) and "gain" in metric.options
    if at_once and table and counts.is_whole and (graded or counts.kind is ScoreCounts):
        return np.where(known, np.asarray(at_once(counts, **options), np.float64), np.nan)
    found, part, wrong = np.full(len(known), np.nan), part_at(counts), list[ValueError]()
    for at in np.flatnonzero(known).tolist():
        try:
            found[at] = metric.value(part(at), **options)
        except ValueError as error:  # such as amounts that are all alike, or a kappa of one class
            wrong.append(error)
    some = _of_amounts(counts) or not (metric.requires or metric.of_pds)
    if wrong and (not some or np.isnan(found).all()):
        raise wrong[0]
    return found


def part_at(counts: Any) -> Callable[[int], Any]:
    """Return what gives the counts of the segment at a place."""
    if isinstance(counts, SegmentCounts):
        return counts.at
    return [*counts.values()].__getitem__


def _weights(counts: Any, asked: Any, cases: Floats, positives: Floats, used: Bools) -> Floats:
    """Return what each segment weighs, all together 1, or raise ValueError."""
    if not len(used):
        raise ValueError(f"there are no segments; count them with {arg('by')}")
    if not used.any():
        raise ValueError("no segment has the number, so there is no mean")
    if isinstance(asked, Mapping):
        found = _as_weights(asked, list(counts), used)
    else:
        numbers = {"equal": np.ones(len(cases)), "cases": cases, "positives": positives}
        numbers["pairs"] = positives * (cases - positives)
        found = np.where(used, numbers[asked], 0.0)
    if not found.max() > 0:
        raise ValueError(f"all segments weigh 0, so there is no mean; give other {arg('weights')}")
    found = found / found.max()  # sums of very large ones are no floats
    shares: Floats = found / math.fsum(found)
    return shares


def _as_weights(asked: Mapping[Any, Any], names: Sequence[Any], used: Bools) -> Floats:
    """Return the weights of a mapping, which names every segment that is averaged."""
    if unknown := [*asked.keys() - {*names}]:
        raise ValueError(f"{arg('weights')} names {told(unknown[0])}, which is no segment")
    found = np.zeros(len(names))
    for at in np.flatnonzero(used).tolist():
        name = names[at]
        if name not in asked:
            raise ValueError(f"{arg('weights')} names no weight for segment {told(name)}")
        what = f"the weight of {told(name)}"
        found[at] = as_number(asked[name], what)
        if not 0 <= found[at] < math.inf:
            raise ValueError(f"{what} must be zero or more, got {found[at]:g}")
    return found


# How the means vary


@dataclass(frozen=True, slots=True, eq=False)
class SegmentEstimates(Estimates):
    """Means over segments of one score or several, and how far each part moves them."""

    # Of the moves of each kind: which part each is of, and the degrees of freedom of the parts;
    # None of those that are no part of their own.
    parts: tuple[tuple[Array, Floats] | None, ...] = field(default=(), kw_only=True)
    df: float | None = field(default=None, kw_only=True)  # where it does not depend on the moves
    size: float = field(default=1.0, kw_only=True)  # as how many equal ones they count
    segments: int = field(default=0, kw_only=True)  # how many are drawn; 0 where they are fixed
    said: tuple[str, ...] = field(default=(), kw_only=True)

    def freedom(self) -> float:
        """Return the degrees of freedom of the variance of the only number."""
        if self.df is not None:
            return self.df
        crowded = 0.0
        for moved, mass, part in zip(self.moves, self.masses, self.parts, strict=True):
            if part is not None:
                codes, freedom = part
                each = np.bincount(codes, moved[0] ** 2 * mass, minlength=len(freedom))
                crowded += float((each**2 / np.maximum(freedom, 1e-9))[each > 0].sum())
        total = float(self.variances()[0])
        return max(1.0, total**2 / crowded if crowded > 0 else self.size - 1)

    def few(self) -> tuple[str, ...]:
        """Return what to say of how the means vary."""
        return self.said


def mean_estimates(numbers: SegmentNumbers) -> Estimates:
    """Return the means and how they vary, by the law that was asked for."""
    if numbers.question.law == "drawn":
        return _drawn(numbers)
    if numbers.counts.groups is not None:
        return _without_groups(numbers)
    return _fixed(numbers)


def _estimates(
    numbers: SegmentNumbers, moves: Any, masses: Any, method: str, size: float, **said: Any
) -> SegmentEstimates:
    said |= {"size": size, "width": numbers.question.metric.width}
    parts, rounding = ClassSizes(size, size), variances.REORDERED
    return SegmentEstimates(numbers.means(), moves, masses, parts, rounding, method, **said)


def _drawn(numbers: SegmentNumbers) -> SegmentEstimates:
    """Return the means where another sample has other segments."""
    at, weights = numbers.used, numbers.weights[numbers.used]
    away = numbers.values[:, at] - numbers.means()[:, None]
    moves, many, what = weights * away, len(at), "segments"
    if (owners := _owners(numbers)) is not None:
        clusters, place = np.unique(owners[at], return_inverse=True)
        many, what = len(clusters), cluster_noun(owners)
        moves = np.array([np.bincount(place, row, minlength=many) for row in moves])
        weights = np.asarray(np.bincount(place, weights, minlength=many), np.float64)
    squares, alike = float((weights**2).sum()), bool((weights == weights[0]).all())
    return _estimates(
        numbers,
        (moves,),
        (many / (many - 1) if many > 1 else 0.0,),
        f"{many:,} {what} drawn",
        1 / squares,
        df=float(many - 1) if alike and many > 1 else max(1.0, 1 / squares - 1),
        segments=numbers.units,
        said=(ALONE_IN_EACH,) * numbers.stands_in,
    )


def _owners(numbers: SegmentNumbers) -> Array | None:
    """Return the cluster that each segment is in, or raise where it is in several."""
    owners: tuple[Array, ...] = getattr(numbers.counts, "owners", ())
    if not owners:
        return None
    several = np.flatnonzero((owners[0] != owners[1]) & (numbers.weights > 0))
    if len(several):
        raise ValueError(
            f"segment {told([*numbers.counts][several[0]])} has rows of several clusters, and "
            f"where segments are drawn each is in one; count without {arg('cluster')}, or take "
            f"{word(segments='fixed')}"
        )
    return owners[0]


def _fixed(numbers: SegmentNumbers) -> SegmentEstimates:
    """Return the means where another sample has the same segments."""
    table, weights = numbers.counts, numbers.weights
    held, (of_cells, sizes) = weights > 0, _masses(numbers)
    codes, found = table.by_cell(np.arange(len(weights))), list[tuple[Any, Any, Any]]()
    # Weighted AUCs have the infinitesimal jackknife, all else divides by one case less.
    corrected = table.is_whole or numbers.question.name not in get_args(RankingMetric)
    for moved, of_cell, size in zip(_class_moves(numbers), of_cells, sizes, strict=True):
        several = size > 1
        own = weights**2 * (quotient(size, size - 1) if corrected else 1.0)
        mass = table.by_cell(np.where(several, own, 0.0)) * of_cell
        found.append((moved, mass, (codes, size - 1)))
        alone = float((weights[~several & (size > 0)] ** 2).sum())
        if alone > 0:  # the spread inside all others together
            several &= held
            known = float((size[several] - 1).sum())
            mass = table.by_cell(np.where(several, size**2, 0.0)) * of_cell * (alone / known)
            found.append((moved, mass, (np.zeros_like(codes), np.array([known]))))
    if (mass := _spread_of_weights(numbers)) is not None:
        away = np.where(held, numbers.values - numbers.means()[:, None], 0.0)
        found.append((away, mass, None))
    moves, masses, parts = zip(*found, strict=True)
    alike = _equal_cases(weights, np.minimum(*sizes))
    return _estimates(numbers, moves, masses, "fixed segments", alike, parts=parts)


def _equal_cases(weights: Floats, rarer: Floats) -> float:
    """Return as how many cases alike those of the rarer class in each segment count."""
    counted = (weights > 0) & (rarer > 0)
    return 1 / float((weights[counted] ** 2 / rarer[counted]).sum())


def _spread_of_weights(numbers: SegmentNumbers) -> Any:
    """Return what squared distances from the mean weigh where weights are counted too."""
    n, of1 = (np.where(numbers.weights > 0, each, 0) for each in (numbers.cases, numbers.positives))
    of0, asked = n - of1, numbers.question.weights
    if asked == "positives":
        return of1 / of1.sum() ** 2
    if asked == "cases":
        return n / n.sum() ** 2
    if asked == "pairs":
        return (of1 * of0**2 + of0 * of1**2) / (of1 * of0).sum() ** 2
    return None


def _class_moves(numbers: SegmentNumbers) -> list[Floats]:
    """Return how far positives, and negatives, move the mean of each score; shapes (m, K)."""
    moved = []
    for at, (margin, values) in enumerate(zip(numbers.margins, numbers.values, strict=True)):
        found = _moves(margin, values, numbers)
        if len(numbers.margins) > 1:
            places = _places_in(numbers.counts, at)
            found = [each[places] for each in found]
        moved.append(found)
    return [np.array(each) for each in zip(*moved, strict=True)]


def _places_in(table: SegmentCounts, score: int) -> Places:
    """Return where the cells of several scores stand in the table of one of them."""
    falls = table.settings["higher_is"][score] == "positive"
    codes = table.by_cell(np.arange(len(table)))
    order, starts = cells_in_order(codes, [table.cells[score]], falls=falls)
    found = np.empty(len(order), dtype=np.intp)
    found[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return found


def _moves(margin: SegmentCounts, values: Floats, numbers: SegmentNumbers) -> list[Floats]:
    """Return how far a positive, and a negative, of each cell move the number of its segment."""
    question = numbers.question
    factor = 2.0 if question.name == "accuracy_ratio" else 1.0
    if question.name in get_args(RankingMetric) and margin.is_whole:
        known = np.nan_to_num(values)  # those that are left out weigh nothing
        aucs = (known + 1) / 2 if factor == 2 else known  # noqa: PLR2004 - of an AR
        return [factor * each for each in placements_by_segment(margin, aucs)]
    found = [np.zeros(len(margin.cells[0])) for _ in range(2)]
    for at in np.flatnonzero(holds_both(numbers)).tolist():
        cells, part = slice(*margin.starts[at : at + 2].tolist()), margin.at(at)
        if question.k is None or question.k < part.n:
            both = variances.moves_of(part, question.at_segment(part.n))
            for column, each in zip(found, both, strict=True):
                column[cells] = factor * each
    return found


def holds_both(numbers: SegmentNumbers) -> Bools:
    """Return which of the segments that are averaged have both classes."""
    both = (numbers.positives > 0) & (numbers.cases > numbers.positives)
    return both & (numbers.weights > 0)


def placements_by_segment(counts: SegmentCounts, aucs: Floats) -> tuple[Floats, Floats]:
    """Return placements less the AUC of the segment, of positives and of negatives of each cell."""
    # As `deviations` has them; 0 where a segment lacks a class.
    cells = SegmentCells.of(counts)
    f, of1 = cells.m - cells.e, cells.spread(cells.positives)
    of0, above = cells.spread(cells.cases) - of1, cells.before_m - cells.before_e
    auc, held = cells.spread(aucs), (of1 > 0) & (of0 > 0)
    over1 = quotient(2 * (of0 - above - f) + f, 2 * of0) - auc
    over0 = quotient(2 * cells.before_e + cells.e, 2 * of1) - auc
    return np.where(held, over1, 0.0), np.where(held, over0, 0.0)


def _masses(numbers: SegmentNumbers) -> tuple[list[Floats], list[Floats]]:
    """Return Σw² of each cell over the square of its class in the segment, and effective sizes."""
    table, both = numbers.counts, holds_both(numbers)
    negatives = numbers.cases - numbers.positives
    sizes = [np.where(both, each, 0.0) for each in (numbers.positives, negatives)]
    if table.is_whole:
        squares = (table.by_cell(each) ** 2 for each in sizes)
        return [quotient(c, s) for c, s in zip(table.sums, squares, strict=True)], sizes
    masses = [np.zeros(len(table.cells[0])) for _ in range(2)]
    for at in np.flatnonzero(both).tolist():
        cells, part = slice(*table.starts[at : at + 2].tolist()), table.at(at)
        kish = designs.effective_sizes(part)
        sizes[0][at], sizes[1][at] = kish.positives, kish.negatives
        masses[0][cells], masses[1][cells] = designs.squared_masses(part)
    return masses, sizes


def _without_groups(numbers: SegmentNumbers) -> LeftOut:
    """Return the means without each group of clusters, left out of all segments at once."""
    at, table = numbers.used, numbers.counts
    factor = 2.0 if numbers.question.name == "accuracy_ratio" else 1.0
    moved = np.zeros((len(numbers.margins), len(at), GROUPS))
    for score, margin in enumerate(numbers.margins):
        for place, segment in enumerate(at.tolist()):
            part = margin.at(segment)
            if part.n1 > 0 and part.n0 > 0:
                left = variances.groups_left_out([part], numbers.question.at_segment(part.n))
                moved[score, place] = factor * left.moves[0][0]
    weights = np.array([_weights_without(numbers, group)[at] for group in table.groups])
    without = numbers.values[:, at, None] + moved
    change = (without * weights.T).sum(axis=1) - numbers.means()[:, None]
    groups = sum(len(group.cells[0]) > 0 for group in table.groups)
    held = designs.groups_per_class(numbers.margins[0].whole())
    found = designs.left_out(numbers.means(), change.T, groups, held)
    return replace(found, width=numbers.question.metric.width)


def _weights_without(numbers: SegmentNumbers, group: SegmentCounts) -> Floats:
    """Return the weights of segments without a group of clusters."""
    asked = numbers.question.weights
    if asked == "equal" or isinstance(asked, Mapping):
        return numbers.weights
    cases, positives = sizes_of_segments(group)
    rest = numbers.cases - cases, numbers.positives - positives
    return _weights(numbers.counts, asked, *rest, numbers.weights > 0)


def effective_size(numbers: SegmentNumbers, found: Estimates) -> float:
    """Return as how many cases, or drawn segments, a rate would be known so well."""
    if isinstance(found, SegmentEstimates):
        return found.size
    cases, positives = np.array(
        [sizes_of_segments(group) for group in numbers.counts.groups]
    ).swapaxes(0, 1)
    rarer = np.minimum((positives > 0).sum(axis=0), (cases > positives).sum(axis=0))
    return _equal_cases(numbers.weights, rarer)


def mean_limits(
    estimate: float,
    se: float,
    df: float,
    size: float,
    ends: Limits,
    confidence: Confidence,
    *,
    drawn: bool = False,
) -> Limits:
    """Return the outer limits of a mean: of Student's t as it is and on a scale, and of a rate."""
    # The scale is that of log odds between the ends, or of the logarithm above the lower one.
    from scipy.special import expit, logit as log_odds

    (low, high), reach = ends, confidence.t(df) * se
    found = (estimate - reach, estimate + reach)
    if math.isinf(low):
        return found
    if math.isinf(high):
        above = estimate - low
        times = math.exp(min(reach / above, MOST_EXPONENT)) if above > 0 else 1.0
        lower, upper = envelope(found, (low + above / times, low + above * times))
        return max(lower, low), upper
    width = high - low
    x, step = (estimate - low) / width, reach / width
    several = [(x - step, x + step), _of_few(x, size, confidence)]
    if 0 < x < 1:
        middle, away = log_odds(x), step / (x * (1 - x))
        several.append((float(expit(middle - away)), float(expit(middle + away))))
    if step <= ROUNDING and drawn:  # segments of another kind may be as many as so few can lack
        left = confidence.tail ** (1 / size)
        several.append((x * left, 1 - (1 - x) * left))
    lower, upper = envelope(*several)
    return low + width * max(lower, 0.0), low + width * min(upper, 1.0)


def _of_few(x: float, size: float, confidence: Confidence) -> Limits:
    """Return Clopper-Pearson's limits of a rate where few of the parts are won, or lost."""
    rates = both_limits(size * x, size, "clopper_pearson", confidence)
    low, high = map(float, rates)
    few = FEW_OF_A_KIND - ROUNDING
    return low if size * (1 - x) < few else x, high if size * x < few else x


def mean_interval(numbers: SegmentNumbers, confidence: Confidence) -> tuple[Interval, float]:
    """Return the mean of one score between its limits, and the degrees of freedom behind them."""
    found, ends = mean_estimates(numbers), numbers.ends
    estimate, se, df = float(found.values[0]), found.se(), found.freedom()
    drawn = isinstance(found, SegmentEstimates) and found.segments > 0
    size, cautious = effective_size(numbers, found), numbers.question.metric.cautious
    low, high = mean_limits(estimate, se, df, size, ends, confidence, drawn=drawn)
    if (most := _attainable(numbers)) < LOW_MOST:  # then few are lost of that, and not of 1
        low = min(low, most * _of_few(min(estimate / most, 1.0), size, confidence)[0])
    if cautious is not None and not drawn:
        low = min(low, mean_limits(_cautious(numbers), se, df, size, ends, confidence)[0])
    unlimited = se == 0 and math.inf in ends
    notes = (*found.few(), *(SAME_NUMBER,) * unlimited, *notes_on_segments(numbers, drawn=drawn))
    return Interval(low, estimate, high, confidence.level, found.method, se, notes), df


def _attainable(numbers: SegmentNumbers) -> float:
    """Return the mean of the largest precision that segments of so few positives allow."""
    k = numbers.question.k
    if k is None or numbers.question.name != "precision":
        return math.inf
    most = np.minimum(numbers.positives, k) / k
    return math.fsum((numbers.weights * most)[numbers.used])


def _cautious(numbers: SegmentNumbers) -> float:
    """Return the mean of a second estimate, which few cases do not make too high."""
    cautious: Any = numbers.question.metric.given(**numbers.question.options).cautious
    part, held = part_at(numbers.counts), holds_both(numbers)
    own = numbers.values[0].copy()
    for at in np.flatnonzero(held).tolist():
        own[at] = cautious(part(at))
    return math.fsum((numbers.weights * own)[numbers.used])


def notes_on_segments(numbers: SegmentNumbers, *, drawn: bool) -> Iterator[str]:
    """Yield what a reader must know: what limits are for, and segments of fewer than k cases."""
    at, k = numbers.used, numbers.question.k
    positives = numbers.positives[at].min()
    if not drawn:
        yield OF_MODELS
    elif FEW_SEGMENTS <= len(at) <= MOST_FOLDS and positives >= POSITIVES_OF_A_FOLD:
        yield f"if these segments are folds or bands, {word(segments='fixed')} gives their limits"
    short = int(np.count_nonzero(numbers.cases[at] < k)) if k else 0
    if short:
        verb = "has" if short == 1 else "have"
        yield f"{counted(short, 'segment')} {verb} fewer than {k:,} cases: all are selected there"
