"""unknown_bounds and tipping_point: between which ends a number lies whatever is unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_finite, as_open_share, told
from capcurve.counts.completing import Allowed, Completions, with_odds
from capcurve.counts.outcomes import Cells
from capcurve.show.result import Result
from capcurve.studies.unknown.findings import findings_of
from capcurve.studies.unknown.question import Question, as_assumptions, as_partial, as_rows
from capcurve.studies.unknown.records import Bounded, TippingPoint
from capcurve.studies.unknown.shown import presentation_of

if TYPE_CHECKING:
    from capcurve.counts import PartialCounts
    from capcurve.show.presentation import Presentation
    from capcurve.studies.unknown.records import Assumptions, BoundedMetric

MEDIAN = 0.5
ONE_OF_EACH = (
    "without a positive, or without a negative, the number is undefined: the bounds are those of "
    "outcomes with at least one of each"
)
ONE_POSITIVE = (
    "without a positive the number is undefined: the bounds are those of outcomes with at least one"
)
OF_WEIGHTS = (
    "a weight may be divided between the classes, so that the bounds hold for every row but may "
    "be a little wider than whole rows reach"
)
EXPECTED = "with odds the positives are expected numbers, not whole"
OF_ODDS = (
    "odds are multiples of those of the known at each score as they stand; a score without known "
    f"cases has those of rates pooled until they fall with the score (PAV); {EXPECTED}"
)
OF_POOLED_ODDS = (
    "odds are multiples of those of the known at the same score, whose rates are pooled until they "
    f"fall with the score (PAV); {EXPECTED}"
)
OF_ORDER = (
    "if their rate does not rise with better scores, the low end is reached by one rate at all "
    "scores, the high end by all positives at the top"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Bounds(Bounded, Result):
    """The lowest and the highest value that unknown outcomes leave possible; both are reached.

    Attributes
    ----------
    metric, q
        What is bounded: "accuracy_ratio", "roc_auc" or "captured_response", and its depth.
    names
        With two scores, whose difference is bounded, first less second; else none.
    low, high
        The lowest and highest value. No outcomes of the unknown that fit the assumptions give a
        number beyond them.
    positives_at_low, positives_at_high
        How many of the unknown are positive there: whole numbers, except with odds or weights.
    low_counts, high_counts
        All cases with the outcomes of either end: `ScoreCounts`, or `JointCounts` of two scores.
    known_only
        The number of the known cases alone; None where it is undefined.
    same_odds
        The number if the unknown have the odds of the known at each score; None where that is
        undefined, and for two scores.
    low_limit, high_limit
        One-sided confidence limits of the number at the low and at the high end (DeLong): the
        bounds with chance; None where there are none.
    level
        Confidence level of either limit.
    n_known, n_unknown, known_positives
        Cases with and without outcome, and the positives among the former.
    assumptions
        What was taken for granted: `positives`, `odds`, `ordered` and `pooled`.
    findings
        What a careful reader would notice.
    notes
        What a reader must know: definitions and methods.
    partial
        The counts that the bounds are of.
    """

    _left_out = frozenset({"low_counts", "high_counts", "partial"})

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of(self)


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
    """Bound a number when some outcomes are unknown, such as those of rejected applicants.

    The bounds are exact: each is reached by some outcomes of the unknown cases, and none go beyond.

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

    Returns
    -------
    Bounds
        `low` and `high`, the counts of both ends, the number of the known alone, and limits with
        chance; it shows itself as text, picture and page.

    Raises
    ------
    ValueError, TypeError
        When a class is missing whatever the unknown are, when no outcome fits the assumptions, or
        when something other than partial counts is given.

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
    question = Question.of(partial, metric, q)
    level = _as_level(level)
    cells = _cells(partial)
    assumptions = as_assumptions(partial, cells, positives, odds, ordered, pooled)
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
        same_odds=_at_same_odds(question, cells, pooled=assumptions.pooled),
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
    return replace(found, findings=findings_of(found, cells))


def _as_level(level: object) -> float:
    found = as_open_share(level, "level")
    if found <= MEDIAN:
        raise ValueError(f"the level of a one-sided limit must be above 0.5, got {told(level)}")
    return found


def _cells(partial: PartialCounts) -> Cells:
    cells = Cells.of(partial.known, partial.unknown.held)
    if not len(cells):
        raise ValueError("there are no cases, known or unknown: the counts are empty")
    return cells


def _completions(cells: Cells, question: Question, assumed: Assumptions) -> Completions:
    least, most = assumed.positives or (0, cells.held.n0)
    allowed = Allowed(least, most, assumed.odds, assumed.ordered, assumed.pooled)
    return Completions(cells, question.costs(cells), allowed)


def _at_same_odds(question: Question, cells: Cells, *, pooled: bool) -> float | None:
    """Return the number if the unknown have the odds of the known; None where that says nothing."""
    if question.names or not (cells.known.n1 > 0 and cells.known.n0 > 0):
        return None
    return question.value(with_odds(cells, 1.0, pooled=pooled))


def _notes(completions: Completions, assumptions: Assumptions) -> tuple[str, ...]:
    allowed, notes = completions.allowed, []
    # Sums of weights differ by their rounding, and so do ends that nothing moved.
    if completions.is_whole and completions.reach != (allowed.least, allowed.most):
        notes.append(ONE_OF_EACH if completions.sizes.pairs else ONE_POSITIVE)
    if not completions.cells.is_whole:
        notes.append(OF_WEIGHTS)
    if assumptions.odds is not None:
        notes.append(OF_POOLED_ODDS if assumptions.pooled else OF_ODDS)
    if assumptions.ordered:
        notes.append(OF_ORDER)
    return tuple(notes)


def tipping_point(
    partial: PartialCounts,
    minimum: float,
    metric: BoundedMetric = "accuracy_ratio",
    *,
    q: float | None = None,
) -> TippingPoint:
    """Say how many positives among the unknown outcomes, placed worst, break a minimum.

    Parameters
    ----------
    partial
        Counts with unknown outcomes, from `count_partial`; of two scores the difference, first
        less second, is what should reach the minimum.
    minimum
        What the number should reach.
    metric, q
        As in `unknown_bounds`.

    Returns
    -------
    TippingPoint
        `positives`, the fewest that break the minimum, or None if none do; as `share` of the
        unknown; and a `sentence`.

    Raises
    ------
    ValueError, TypeError
        As `unknown_bounds`, and for a minimum that is no number.

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
    question = Question.of(partial, metric, q)
    wanted = as_finite(minimum, "minimum")
    cells = _cells(partial)
    free = as_assumptions(partial, cells)
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
