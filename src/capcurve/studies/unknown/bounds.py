"""unknown_bounds and tipping_point: between which ends a number lies whatever is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from capcurve.counts import JointCounts, PartialCounts, ScoreCounts, Weights
from capcurve.counts.completing import (
    AllowedOutcomes,
    Completions,
    OutcomeCells,
    as_odds,
    as_pooled,
    with_odds,
)
from capcurve.counts.times import HorizonCounts, as_text
from capcurve.gate.taking import PARTIAL, of_two_columns
from capcurve.inference import compare, confidence_interval
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import (
    arg,
    as_finite,
    as_name,
    as_open_share,
    as_share,
    refused,
    spoken,
    told,
    word,
)
from capcurve.numbers.extremes import Costs, costs_of_pairs, costs_of_top
from capcurve.show.format import amount
from capcurve.studies.unknown.shown import (
    Assumptions,
    BoundedMetric,
    Bounds,
    TippingPoint,
    findings_of_bounds,
)

if TYPE_CHECKING:
    from capcurve.inference.records import Interval, Test

MEDIAN = 0.5
ONE_OF_EACH = (
    "without a positive, or without a negative, the number is undefined: the bounds are those of "
    "outcomes with at least one of each"
)
ONE_POSITIVE = (
    "without a positive the number is undefined: the bounds are those of outcomes with at least one"
)
DIVIDED_WEIGHTS = (
    "a weight may be divided between the classes, so that the bounds hold for every row but may "
    "be a little wider than whole rows reach"
)
EXPECTED = "the positives are then expected numbers, not whole ones"
OF_ODDS = (
    "odds are multiples of those of known cases with the same score; where a score has none, rates "
    f"are pooled until they fall with the score (PAV); {EXPECTED}"
)
OF_POOLED_ODDS = (
    "odds are multiples of those of known cases, whose rates are pooled until they "
    f"fall with the score (PAV); {EXPECTED}"
)
OF_ORDER = (
    "if their rate does not rise with better scores, one rate at all scores gives the low end, and "
    "all positives at the top give the high end"
)
TWO = 2


@of_two_columns(PARTIAL)
def unknown_bounds(
    partial: PartialCounts,
    metric: BoundedMetric = "accuracy_ratio",
    *,
    q: float | None = None,
    positives: Any = None,
    odds: Any = None,
    ordered: bool = False,
    pooled: bool | None = None,
    level: float = 0.95,
) -> Bounds:
    """Return the bounds of a number when outcomes are unknown, as of rejected applicants.

    The bounds are exact: each is reached by some outcomes of the unknown cases, and none go beyond.

    Raises `ValueError` when a class is missing whatever the unknown are, and when no outcome fits
    the assumptions.

    Parameters
    ----------
    partial
        Counts with unknown outcomes, from `count_partial`. Of two scores counted together the
        difference is bounded, first less second.
    metric
        "accuracy_ratio", "roc_auc", or "captured_response" with `q`.
    q
        The share of all cases selected, known and unknown.
    positives
        The fewest and the most positives among the unknown: two whole numbers are cases, (0, 1) at
        most one; two numbers with a decimal point are shares, (0.0, 1.0) any. One number is both.
    odds
        Between how many times the odds of the known at the same score theirs lie, such as (0.5,
        2); (1, 1) takes them to be like the known. One number is both.
    ordered
        Whether to take for granted that their rate of positives does not rise with better scores.
    pooled
        Which odds of the known are meant. True: those of rates pooled over neighbouring scores
        until they fall (PAV). False: those of each score as they stand; a score without known
        cases has the pooled ones. None: as they stand where there are at most 50 distinct scores,
        which are grades, pooled where there are more or with `ordered`. Where all known cases at
        a score have one outcome no odds ratio but 0 or infinity moves the unknown there.
    level
        Confidence level of the one-sided limits at either end, above 0.5.

    Notes
    -----
    With p, n and u the positives, negatives and unknown at each score, cases are fixed, and so is
    w, the cases ranked below a score less those above it. AR = Σ(p + x)w/(n1·n0) with x of u
    positive. At a given number m of positives it is lowest and highest with them at the worst and
    the best scores; on each score it is then c1/(a + m) + c2/(b - m) up to a factor, which has one
    turn at most. Whole numbers beside the turns and the ends of scores are compared exactly. Cf.
    Manski (2003), Partial Identification of Probability Distributions; Kosinski & Barnhart (2003).

    Examples
    --------
    Of 2 positives and 2 negatives 3 of 4 pairs are in order: 1/2. One unknown case stands at the
    top. As a positive it is in order with both negatives, 5 of 6 pairs: 2/3. As a negative it is
    wrong with both positives, 3 of 6 pairs: 0.

    >>> from capcurve import PartialCounts
    >>> partial = PartialCounts.from_counts(
    ...     [5, 4, 3, 2, 1], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1], unknown=[1, 0, 0, 0, 0]
    ... )
    >>> found = unknown_bounds(partial)
    >>> found.low, round(found.high, 12), found.known_only, found.positives_at_high
    (0.0, 0.666666666667, 0.5, 1)
    """
    partial = as_partial(partial, "unknown_bounds")
    question = BoundedNumber.of(partial, metric, q)
    level = as_open_share(level, "level")
    if level <= MEDIAN:
        raise ValueError(f"the level of a one-sided limit must be above 0.5, got {told(level)}")
    cells = _cells(partial)
    assumptions = _as_assumptions(partial, cells, positives, odds, ordered, pooled)
    completions = _completions(cells, question, assumptions)
    ends = [completions.extreme(highest=highest) for highest in (False, True)]
    counts = [completions.cells.with_positives(added) for _, added in ends]
    # Expected numbers of whole cases are as good as cases; fractions that were given are not.
    rows = [as_rows(each) if partial.is_whole else each for each in counts]
    low_limit, how = question.limit(rows[0], "lower", level)
    high_limit, also = question.limit(rows[1], "upper", level)
    found = Bounds(
        metric=question.metric,
        q=question.q,
        names=question.names,
        low=question.value(counts[0]),
        high=question.value(counts[1]),
        positives_at_low=ends[0][0],
        positives_at_high=ends[1][0],
        low_counts=counts[0],
        high_counts=counts[1],
        known_only=question.value_or_none(partial.known),
        same_odds=question.at_same_odds(cells, pooled=assumptions.pooled),
        low_limit=low_limit,
        high_limit=high_limit,
        level=level,
        n_known=partial.known.n,
        n_unknown=partial.unknown.n,
        known_positives=partial.known.n1,
        partial=partial,
        assumptions=assumptions,
        notes=(*_notes(completions, assumptions), *dict.fromkeys((how, also))),
    )
    return replace(found, findings=findings_of_bounds(found, cells))


def _cells(partial: PartialCounts) -> OutcomeCells:
    cells = OutcomeCells.of(partial.known, partial.unknown.held)
    if not len(cells):
        raise ValueError("there are no cases, known or unknown: the counts are empty")
    return cells


def _completions(cells: OutcomeCells, question: BoundedNumber, assumed: Assumptions) -> Completions:
    least, most = assumed.positives or (0, cells.held.n0)
    allowed = AllowedOutcomes(least, most, assumed.odds, assumed.ordered, assumed.pooled)
    return Completions(cells, question.costs(cells), allowed)


def _notes(completions: Completions, assumptions: Assumptions) -> tuple[str, ...]:
    allowed, notes = completions.allowed, []
    # Sums of weights differ by their rounding, and so do ends that nothing moved.
    if completions.is_whole and completions.reach != (allowed.least, allowed.most):
        notes.append(ONE_OF_EACH if completions.sizes.pairs else ONE_POSITIVE)
    if not completions.cells.is_whole:
        notes.append(DIVIDED_WEIGHTS)
    if assumptions.odds is not None:
        notes.append(OF_POOLED_ODDS if assumptions.pooled else OF_ODDS)
    if assumptions.ordered:
        notes.append(OF_ORDER)
    return tuple(notes)


@of_two_columns(PARTIAL)
def tipping_point(
    partial: PartialCounts,
    minimum: float,
    metric: BoundedMetric = "accuracy_ratio",
    *,
    q: float | None = None,
) -> TippingPoint:
    """Return the tipping point: how many unknown outcomes, placed worst, break a minimum.

    `positives` is the fewest that break the minimum, or None if none do. Raises `ValueError` as
    `unknown_bounds`, and for a minimum that is no number.

    Parameters
    ----------
    partial
        Counts with unknown outcomes, from `count_partial`; of two scores the difference, first
        less second, is what should reach the minimum.
    minimum
        What the number should reach.
    metric, q
        As in `unknown_bounds`.

    Examples
    --------
    The known have an accuracy ratio of 1. Two unknown cases at the bottom are negatives at best.
    One positive there: 2 of its pairs with the 3 negatives are wrong and one is tied, and the 6
    pairs of the known positives are in order, so that it is (6 - 2)/9.

    >>> from capcurve import PartialCounts
    >>> partial = PartialCounts.from_counts([3, 2, 1], [2, 0, 0], [0, 2, 0], unknown=[0, 0, 2])
    >>> found = tipping_point(partial, 0.5)
    >>> found.positives, found.share
    (1, 0.5)
    """
    partial = as_partial(partial, "tipping_point")
    question = BoundedNumber.of(partial, metric, q)
    wanted = as_finite(minimum, "minimum")
    cells = _cells(partial)
    free = _as_assumptions(partial, cells)
    completions = _completions(cells, question, free)
    # An AUC is half an accuracy ratio and a half more; differences have no half to add.
    typed = Fraction(repr(wanted))
    if question.metric == "roc_auc":
        typed = 2 * typed - (0 if question.names else 1)
    found = completions.first_below(typed)
    return TippingPoint(
        positives=found,
        share=None if found is None else float(found / (partial.unknown.n or 1)),
        minimum=wanted,
        metric=question.metric,
        q=question.q,
        known_only=question.value_or_none(partial.known),
        n_unknown=partial.unknown.n,
        names=question.names,
        notes=_notes(completions, free),
    )


def as_partial(given: Any, name: str) -> PartialCounts:
    """Return partial counts, else raise TypeError with the call to make."""
    if isinstance(given, PartialCounts):
        return given
    kind = type(given).__name__
    if isinstance(given, HorizonCounts):
        said = as_text(given.horizon)
        said += f", {word(competing=given.competing)}" * (given.competing != "negative")
        raise TypeError(
            f"{name} takes counts with unknown outcomes, not weights that stand for them: "
            f"write {name}(times.known_at({said}))"
        )
    if isinstance(given, ScoreCounts | JointCounts):
        raise TypeError(
            f"{name} takes counts with unknown outcomes, got {kind}, in which all are known: "
            f"write {name}(y, p), or count_partial(y, p), with y empty where the outcome is unknown"
        )
    raise TypeError(f"{name} takes counts with unknown outcomes, got {kind}: write {name}(y, p)")


@dataclass(frozen=True, slots=True)
class BoundedNumber:
    """The number that is asked for, of one score, or the difference of two."""

    metric: BoundedMetric
    q: float | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, partial: PartialCounts, metric: object, q: float | None) -> BoundedNumber:
        """Return the question, or raise ValueError when it is none."""
        name = cast(
            "BoundedMetric", as_name(metric, "metric", get_args(BoundedMetric), METRICS.aliases)
        )
        if name != "captured_response" and q is not None:
            raise ValueError(f"q is for captured_response; {name} has no depth")
        if name == "captured_response":
            if q is None:
                raise ValueError("captured_response is read at a depth; pass q=, a share of cases")
            q = as_share(q, "q", some=True)
        if partial.names and len(partial.names) != TWO:
            raise ValueError(
                f"a difference is of two scores, and these counts have {len(partial.names)}; "
                f"count two together, or take one: partial.margin({partial.names[0]!r})"
            )
        return cls(name, q, partial.names)

    def value(self, counts: Any) -> float:
        """Return the number of counts in which every outcome is known."""
        metric, depth = METRICS[self.metric], {} if self.q is None else {"q": self.q}
        if self.names:
            first, second = (metric.value(counts.margin(name), **depth) for name in self.names)
            return first - second
        return metric.value(counts, **depth)

    def value_or_none(self, counts: Any) -> float | None:
        """Return the number, or None where a class that it needs is missing."""
        needed = [counts.n1] if self.metric == "captured_response" else [counts.n1, counts.n0]
        return self.value(counts) if all(total > 0 for total in needed) else None

    def at_same_odds(self, cells: OutcomeCells, *, pooled: bool) -> float | None:
        """Return it if the unknown have the odds of the known; None where that says nothing."""
        if self.names or not (cells.known.n1 > 0 and cells.known.n0 > 0):
            return None
        return self.value(with_odds(cells, 1.0, pooled=pooled))

    def costs(self, cells: OutcomeCells) -> Costs:
        """Return what a positive in each cell adds to the number, up to a factor."""
        if self.metric == "captured_response":
            found = [costs_of_top(rank, cells.cases, cast("float", self.q)) for rank in cells.ranks]
        else:
            found = [costs_of_pairs(rank, cells.cases) for rank in cells.ranks]
        return found[0].minus(found[1]) if self.names else found[0]

    def limit(
        self, counts: Any, side: Literal["lower", "upper"], level: float
    ) -> tuple[float | None, str]:
        """Return the one-sided limit of the number, and how it was found or why there is none."""
        found: Interval | Test
        try:
            if not self.names:
                metric = cast("str", self.metric)
                depth: dict[str, Any] = {} if self.q is None else {"q": self.q}
                found = confidence_interval(counts, metric, side=side, level=level, **depth)
            elif self.metric == "captured_response":
                return None, "no limits, which are not known for a difference of captured shares"
            else:
                found = compare(counts, metric=self.metric, level=2 * level - 1).pairs[0]
        except ValueError as error:
            return None, f"no interval: {error}"
        of_one = "" if self.names or self.q is not None else "DeLong, "
        how = f"interval at either end: {of_one}{found.method}"
        return found.low if side == "lower" else found.high, how


def as_rows(counts: Any) -> Any:
    """Return counts that limits can be computed of: a fraction of a case is as much of a row."""
    if counts.is_whole or counts.weights is not None:
        return counts
    groups = counts.groups and tuple(replace(g, weights=_rows(g)) for g in counts.groups)
    return replace(counts, weights=_rows(counts), groups=groups)


def _rows(counts: ScoreCounts) -> Weights:
    columns = counts.positives, counts.negatives
    positives, negatives = (np.sqrt(column.astype(np.float64)) for column in columns)
    rows = round(float(counts.n1)), round(float(counts.n0))
    return Weights("frequency", *rows, positives, negatives)


def _as_assumptions(
    partial: PartialCounts,
    cells: OutcomeCells,
    positives: Any = None,
    odds: Any = None,
    ordered: object = False,
    pooled: object = None,
) -> Assumptions:
    """Return what is assumed of the unknown, or raise ValueError where that makes no sense."""
    if not isinstance(ordered, bool):
        raise TypeError(f"ordered must be True or False, got {told(ordered)}")
    bounds = None if positives is None else _as_positives(partial, positives)
    multiples = None if odds is None else _as_odds(odds)
    said = {
        arg(ordered=True): ordered,
        arg("odds"): multiples is not None,
        arg("pooled"): pooled is not None,
    }
    if partial.names and any(said.values()):
        what = next(name for name, asked in said.items() if asked)
        raise ValueError(
            f"{what} is about the rates along one score, and a difference has two; narrow it with "
            f"{arg('positives')}, or bound one score: partial.margin({partial.names[0]!r})"
        )
    for total, name in ((partial.known.n1, "positives"), (partial.known.n0, "negatives")):
        if multiples is not None and not total > 0:
            raise ValueError(
                f"the known have no {name}, so their odds show nothing of the unknown; say how "
                f"many are positives with {arg('positives')}"
            )
    together = as_pooled(pooled, cells)
    if ordered and pooled is None:
        together = True
    elif ordered and multiples is not None and not together:
        raise ValueError(
            f"{arg(ordered=True)} and {arg('odds')} need pooled rates, as those of the known may "
            f"rise with better scores; pass {arg(pooled=True)}"
        )
    return Assumptions(positives=bounds, odds=multiples, ordered=ordered, pooled=together)


def _pair(value: Any) -> tuple[Any, Any]:
    """Return two values; one alone stands for both."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    several = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return (value[0], value[1]) if several and len(value) == TWO else (value, value)


def _as_positives(partial: PartialCounts, given: Any) -> tuple[Any, Any]:
    """Return the fewest and most positives among the unknown, of numbers of cases or shares."""
    pair, n = _pair(given), partial.unknown.n
    error = ValueError(
        f"{refused('positives')} be two whole numbers of cases from 0 to {amount(n)}, such as "
        f"{spoken(f'(0, {min(5, n):g})')}, or two shares of the unknown, such as "
        f"{spoken('(0.0, 0.2)')}; got {spoken(told(given))}"
    )
    whole = [isinstance(v, int | np.integer) and not isinstance(v, bool) for v in pair]
    parts = [isinstance(v, float | np.floating | Fraction | Decimal) for v in pair]
    if not all(w or part for w, part in zip(whole, parts, strict=True)):
        raise error
    least, most = (
        Fraction(v) if w else Fraction(repr(float(v))) if math.isfinite(v) else Fraction(-1)
        for w, v in zip(whole, pair, strict=True)
    )
    if not 0 <= least <= most <= (Fraction(n) if all(whole) else 1):
        raise error
    if not partial.is_whole:
        factor = 1.0 if all(whole) else n
        return float(least) * factor, min(float(most) * factor, n)
    if all(whole):
        return int(least), int(most)
    found = math.ceil(_cases(least, n)), math.floor(_cases(most, n))
    # Between two shares there may be no whole number of cases: the nearest then.
    return found if found[0] <= found[1] else (round((least + most) / 2 * n),) * 2


def _cases(share: Fraction, n: int) -> Fraction:
    """Return so many cases of n; whole ones where the share is their quotient, such as 5 / 30."""
    nearest = round(share * n)
    return Fraction(nearest) if n and nearest / n == float(share) else share * n


def _as_odds(given: Any) -> tuple[float, float] | None:
    """Return the least and greatest multiple of the known odds; None where all are allowed."""
    found = as_odds_range(_pair(given))
    return None if found == (0, math.inf) else found


def as_odds_range(pair: Sequence[Any]) -> tuple[float, float]:
    """Return the least and greatest multiple of the known odds."""
    least, most = (as_odds(value, "odds") for value in pair)
    if least > most:
        raise ValueError(
            f"{refused('odds')} run from the least to the greatest, got {spoken(told(pair))}"
        )
    return least, most
