"""Every curve by its name: CAP and kin, ROC, lift, precision, profit, risk and distributions."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts, UpliftCounts
from capcurve.counts.table import upward
from capcurve.curves.curve import (
    SHARE_CAPTURED,
    SHARE_SELECTED,
    TOO_UNEVEN,
    Curve,
    at_points,
    check_absolute,
    curve_of,
    line,
)
from capcurve.curves.shares import (
    OfClass,
    RunningSums,
    Shares,
    cases_at,
    check_class,
    gained,
    held_shares,
    refuse_prevalence,
    require,
    require_amount,
    sample_rate,
    shares,
)
from capcurve.curves.trials import curve_of_profits, uplift_points
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import (
    about_classes,
    takes_counts,
    takes_rankings,
    takes_rankings_or_trials,
)
from capcurve.numbers.arguments import as_finite, as_word
from capcurve.numbers.exact import (
    DoubleDouble,
    near_one,
    quotient,
    refuse_beyond,
    rounded_by_blocks,
)
from capcurve.numbers.plain import plain
from capcurve.numbers.types import Array, Floats, FrozenRecord, Ints, array_of

PRECISION_AXIS = "precision: share of selected cases that are positives"
# The difference of two profits below this is a float too.
LARGEST_PROFIT = 8e307
# A power of two below that of any product.
LOWEST = -5000


@takes_rankings
def cap_curve(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Return the CAP: the share of all positives, or of the amount, in each top share of cases.

    Also called cumulative gains, captured response or power curve. One point per distinct score,
    straight in between: the average over all orders inside a tie. Of amounts that have an exposure,
    x is the share of that. From (0, 0) to (1, 1), K + 1 points. Raises `ValueError` when there are
    no positives, no amount, or amounts below zero.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    absolute
        Put numbers of cases and positives, or exposure and amount, on the axes instead of shares.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.

    Notes
    -----
    Sobehart, Keenan & Stein (2000), "Benchmarking quantitative default risk models".

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> cap_curve(counts).at(0.4) == 2 / 3
    True
    >>> cap_curve(counts, absolute=True).y
    array([0., 1., 2., 2., 2., 3.])

    Of amounts: the first of two cases holds 90 of 100.

    >>> from capcurve import count_values
    >>> cap_curve(count_values([90, 10], [2, 1])).at(0.5)
    0.9
    """
    check_absolute(absolute, prevalence)
    sums = gained(counts, prevalence, absolute=absolute)
    axes = (sums.selected, sums.captured)
    return line("cap", sums.cells.thresholds, counts.words, *axes, absolute=absolute)


@takes_rankings
def perfect_cap(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Return the perfect CAP: that of a score which puts every positive before every negative.

    It rises straight to 1 at the share of positives, n1/n, and stays there. Of amounts it is the
    CAP of the best order, by the rate of amount to exposure. Three points: the origin, (n1/n, 1)
    exactly, and (1, 1). Raises `ValueError` where `cap_curve` does.

    Parameters
    ----------
    counts, absolute, prevalence
        As in `cap_curve`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> perfect_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    1.0
    """
    check_absolute(absolute, prevalence)
    axes = _best_order(counts, prevalence, absolute=absolute)
    return line("perfect", None, counts.words, *axes, absolute=absolute)


def _best_order(
    counts: Ranking | Amounts, prevalence: float | None, *, absolute: bool
) -> tuple[RunningSums, RunningSums]:
    """Return what is selected and captured when the order is the best one."""
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        require_amount(counts, absolute=absolute)
        rates = counts.by_rate().joined()
        return RunningSums.of(rates.exposure), RunningSums.of(rates.amount)
    require(counts, "positives")
    n1, n0 = counts.n1, counts.n0
    positives = RunningSums(array_of([0, n1, n1]), n1)
    if prevalence is not None:
        return RunningSums(np.array([0.0, sample_rate(counts, prevalence), 1.0]), 1.0), positives
    return RunningSums(array_of([0, n1, n1 + n0]), n1 + n0), positives


@takes_rankings
def random_cap(
    counts: Ranking | Amounts, *, absolute: bool = False, prevalence: float | None = None
) -> Curve:
    """Return the random CAP: the diagonal, which a score without information has on average.

    Raises `ValueError` where `cap_curve` does.

    Parameters
    ----------
    counts, absolute, prevalence
        As in `cap_curve`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> random_cap(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.25)
    0.25
    """
    check_absolute(absolute, prevalence)
    sums = gained(counts, prevalence, absolute=absolute)
    totals = (sums.selected.total, sums.captured.total)
    ends = (RunningSums(array_of([0, total]), total) for total in totals)
    return line("random", None, counts.words, *ends, absolute=absolute)


@takes_rankings
def captured_response_curve(
    counts: Ranking | Amounts, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Return the captured response curve: which share of a class each top share of cases holds.

    For positives this is the CAP, CR1; for negatives it is CR0 = (q - π·CR1) / (1 - π). From (0, 0)
    to (1, 1), K + 1 points. Raises `ValueError` when the class is missing.

    Parameters
    ----------
    counts, prevalence
        As in `cap_curve`.
    of
        "positives", or "negatives" for that class.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> captured_response_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), of="negatives").at(0.5)
    0.5
    """
    which = check_class(of, counts)
    if is_amounts(counts):
        return replace(cap_curve(counts, prevalence=prevalence), name="captured-response")
    cells, sums = held_shares(counts, which, prevalence=prevalence)
    labels = (SHARE_SELECTED, f"share of all {which} captured")
    name = "captured-response" if which == "positives" else "captured-response-of-negatives"
    return curve_of(name, cells.thresholds, sums.cases, sums.of(which), labels)


@takes_rankings
def lorenz_curve(counts: Ranking | Amounts, *, prevalence: float | None = None) -> Curve:
    """Return the ordered Lorenz curve: 1 - CAP(1 - p), the positives of the least likely cases.

    From (0, 0) to (1, 1), K + 1 points. Raises `ValueError` where `cap_curve` does.

    Parameters
    ----------
    counts, prevalence
        As in `cap_curve`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lorenz_curve(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).at(0.6) == 1 / 3
    True
    """
    sums, words = gained(counts, prevalence), counts.words
    last = "smallest expected amount" if is_amounts(counts) else "least likely positive"
    selected = f"share of {words.all_selected}, {last} first"
    labels = (selected, f"share of {words.all_captured} among them")
    axes = (sums.selected.from_the_end, sums.captured.from_the_end)
    return curve_of("lorenz", sums.cells.thresholds[::-1], *axes, labels)


@about_classes("cap_curve")
def roc_curve(counts: Ranking) -> Curve:
    """Return the ROC: the true positive rate at each false positive rate.

    From (0, 0) to (1, 1), K + 1 points; vertical where a score holds positives only. Raises
    `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> roc_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(0.5)
    1.0
    """
    cells, sums = held_shares(counts, "positives", "negatives")
    labels = ("false positive rate", "true positive rate")
    return curve_of("roc", cells.thresholds, sums.negatives, sums.positives, labels)


@takes_rankings
def lift_curve(counts: Ranking | Amounts, *, prevalence: float | None = None) -> Curve:
    """Return the lift curve: how many times more positives, or amount, than a random score's.

    This is the cumulative lift, CAP(q)/q; the lift of single grades is `local_lift_curve`. K + 1
    points; a ratio, so bent between them; at 0 the lift of the first grade. Raises `ValueError`
    where `cap_curve` does.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> lift_curve(count_scores([1, 0, 0, 0], [4, 3, 2, 1])).at(0.5)
    2.0
    """
    sums = gained(counts, prevalence)
    labels = (counts.words.share_selected, "cumulative lift")
    axes = (sums.selected, sums.captured)
    return curve_of("lift", sums.cells.thresholds, *axes, labels, over=sums.selected)


@takes_rankings
def local_lift_curve(
    counts: ScoreCounts | Amounts, *, of: OfClass = "positives", prevalence: float | None = None
) -> Curve:
    """Return the local lift curve: the lift of each grade alone.

    A step per distinct score; its area is 1. Raises `ValueError` when the class is missing.

    Parameters
    ----------
    counts, prevalence
        As in `lift_curve`.
    of
        "positives", or "negatives" for (1 - π·lift) / (1 - π).

    Examples
    --------
    >>> from capcurve import count_scores
    >>> local_lift_curve(count_scores([1, 0, 0, 0], [2, 2, 1, 1])).y
    array([2., 2., 0.])
    """
    which = check_class(of, counts)
    name = "local-lift" if which == "positives" else "local-lift-of-negatives"
    if is_amounts(counts):
        sums = gained(counts, prevalence)
        selected, captured, label = sums.selected, sums.captured, "lift of each score"
        cells = counts.vertices
        sizes, held = cells.exposures, cells.amounts
    else:
        require(counts, which)
        running = shares(counts.every_score(), prevalence)
        selected, captured, label = running.cases, running.of(which), f"lift of each score, {which}"
        sizes, held = cases_at(counts, running, prevalence), getattr(counts, which)
    found = RunningSums(at_points(held), captured.total)
    over = RunningSums(at_points(sizes), selected.total)
    labels = (counts.words.share_selected, label)
    return curve_of(name, counts.thresholds, selected, found, labels, over, step=True)


@about_classes("cap_curve")
def ks_curve(counts: Ranking, *, prevalence: float | None = None) -> Curve:
    """Return the KS curve: the gap CR1 - CR0 along the share selected, whose extreme is KS.

    From (0, 0) to (1, 0), K + 1 points, in [-1, 1]. Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> ks_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).y
    array([0. , 0.5, 0. , 0.5, 0. ])
    """
    cells, sums = held_shares(counts, "positives", "negatives", prevalence=prevalence)
    gap = sums.positives.sums / sums.positives.total - sums.negatives.sums / sums.negatives.total
    labels = (SHARE_SELECTED, "positives captured minus negatives captured")
    return curve_of("ks", cells.thresholds, sums.cases, RunningSums(gap, 1.0), labels)


@about_classes("lift_curve")
def precision_recall_curve(counts: Ranking, *, prevalence: float | None = None) -> Curve:
    """Return the precision-recall curve: the precision at each share of positives captured.

    Between two scores cases are added in proportion, so the curve bends there (Davis &
    Goadrich 2006); a straight line between its points would promise too much.

    x is the share of positives captured, y the precision; K + 1 points. Raises `ValueError` when
    there are no positives.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> precision_recall_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(1.0) == 2 / 3
    True
    """
    cells, sums = held_shares(counts, "positives", prevalence=prevalence)
    found = _positive_cases(cells, sums, prevalence)
    labels = (SHARE_CAPTURED, PRECISION_AXIS)
    return curve_of("precision-recall", cells.thresholds, sums.positives, found, labels, sums.cases)


def precision_curve(counts: Ranking, *, prevalence: float | None = None) -> Curve:
    """Show the precision at each share of cases selected."""
    cells, sums = held_shares(counts, "positives", prevalence=prevalence)
    found = _positive_cases(cells, sums, prevalence)
    labels, x = (SHARE_SELECTED, PRECISION_AXIS), sums.cases
    return curve_of("precision", cells.thresholds, x, found, labels, over=x)


def _positive_cases(counts: ScoreCounts, sums: Shares, prevalence: float | None) -> RunningSums:
    """Return running positives as a share of all cases."""
    if prevalence is None:
        return RunningSums(sums.positives.sums, sums.cases.total)
    # As in the sums of cases, so that rounding puts no positive beyond all cases.
    rate = sample_rate(counts, prevalence)
    return RunningSums(rate * (sums.positives.sums / sums.positives.total), 1.0)


@takes_rankings_or_trials
def profit_curve(
    counts: Ranking | Amounts | UpliftCounts,
    *,
    value: float,
    cost: float,
    prevalence: float | None = None,
) -> Curve:
    """Return the profit curve: the profit of acting on each top share of cases.

    It is value x positives captured - cost x cases selected, in that unit; of a trial value x gain
    - cost x share treated, per case of the list. Raises `ValueError` when
    there are no positives or rows, or value or cost is not finite.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    value
        What one captured positive, or unit of the amount, brings, in any unit of money.
    cost
        What selecting one case, or unit of exposure, costs, in the same unit.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> profit_curve(count_scores([1, 0, 1, 0], [4, 3, 2, 1]), value=10, cost=2).y
    array([ 0.,  8.,  6., 14., 12.])
    """
    value, cost = as_finite(value, "value"), as_finite(cost, "cost")
    if isinstance(counts, UpliftCounts):
        refuse_prevalence(prevalence)
        return curve_of_profits(uplift_points(counts), value, cost)
    if is_amounts(counts) and not counts.signed:
        require_amount(counts)
    sums = gained(counts, prevalence, absolute=True)
    brought, spent = Fraction(value), Fraction(cost)
    if prevalence is not None and not is_amounts(counts):
        cases = Fraction(counts.n)
        rate = Fraction(sample_rate(counts, prevalence))
        brought, spent = brought * cases * rate / Fraction(sums.captured.total), spent * cases
    profit = _less(sums.captured.sums, brought, sums.selected.sums, spent)
    if not (np.abs(profit) < LARGEST_PROFIT).all():
        raise ValueError("the profit is beyond what a float holds; scale weights or money down")
    found, labels = RunningSums(profit, 1.0), (counts.words.share_selected, "profit")
    return curve_of("profit", sums.cells.thresholds, sums.selected, found, labels)


def means(amount: Array, exposure: Array) -> Floats:
    """Return amounts over exposures, NaN where there is no exposure; or raise ValueError."""
    with np.errstate(over="ignore"):
        found = quotient(amount, exposure, np.nan)
    refuse_beyond(found, "the mean amount", TOO_UNEVEN)
    return found


def mean_amount_curve(values: Amounts) -> Curve:
    """Show the mean amount of the top share, per unit of exposure: a loss ratio, for instance."""
    sums, words = gained(values, absolute=True), values.words
    labels = (words.share_selected, f"mean {words.captured} of the top")
    axes = (sums.selected, sums.captured.in_units)
    over = sums.selected.in_units
    return curve_of("mean-amount", sums.cells.thresholds, *axes, labels, over)


def _less(found: Array, value: Fraction, selected: Array, cost: Fraction) -> Floats:
    """Return value·found - cost·selected, rounded once, of sums and money of any size."""
    prices = [_price(money) for money in (value, cost)]

    def profit(*sums: Array) -> DoubleDouble:
        (brought, i), (spent, j) = map(_times, sums, prices)
        top = np.maximum(i, j)
        return (brought.ldexp(i - top) - spent.ldexp(j - top)).ldexp(top)

    with np.errstate(over="ignore"):
        return rounded_by_blocks(profit, found, selected)


def _price(money: Fraction) -> tuple[DoubleDouble, int]:
    """Return money divided by a power of two near it, and the exponent of this."""
    exponent = money.numerator.bit_length() - money.denominator.bit_length() if money else LOWEST
    return DoubleDouble.of(money / Fraction(2) ** exponent), exponent


def _times(sums: Array, price: tuple[DoubleDouble, int]) -> tuple[DoubleDouble, Ints]:
    """Return sums times a price, each divided by a power of two, and the exponents of these."""
    scaled, exponent = near_one(sums)
    return scaled * price[0], np.where(sums == 0, LOWEST, exponent + price[1])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreDistributions(FrozenRecord):
    """Shares at each distinct score, low scores first.

    Attributes
    ----------
    score
        Distinct scores, or grade names, shape (K,).
    population, positives, negatives
        Share of all cases and of each class at each score, shape (K,); each adds up to 1.
    """

    score: Array
    population: Floats
    positives: Floats
    negatives: Floats

    def cumulative(self) -> ScoreDistributions:
        """Return the shares at or below each score."""
        running = map(np.cumsum, (self.population, self.positives, self.negatives))
        return ScoreDistributions(self.score, *(sums / sums[-1] for sums in running))

    def binned(self, bins: int) -> ScoreDistributions:
        """Return the shares in equally wide bins, with the middle of each bin as its score.

        Infinite scores fall in the outermost bins.
        """
        values = self.score.astype(np.float64)
        finite = values[np.isfinite(values)]
        low, high = (finite[0], finite[-1]) if len(finite) else (0.0, 1.0)
        edges = np.linspace(low, high if high > low else low + 1.0, bins + 1)
        place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
        middles = (edges[1:] + edges[:-1]) / 2
        columns = (self.population, self.positives, self.negatives)
        binned = (np.bincount(place, weights=s, minlength=bins) for s in columns)
        return ScoreDistributions(middles, *(s.astype(np.float64) for s in binned))

    def __repr__(self) -> str:
        return f"ScoreDistributions(distinct scores={len(self.score)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the shares as values that strict JSON can hold."""
        written: dict[str, Any] = plain({f.name: getattr(self, f.name) for f in fields(self)})
        return written


@takes_counts
def score_distributions(counts: ScoreCounts) -> ScoreDistributions:
    """Return the score distributions: shares of all cases and of each class at each score.

    Shares at each distinct score, shape (K,), low scores first. Raises `ValueError` when a class is
    missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> score_distributions(count_scores([1, 0, 1, 0], [2, 2, 3, 1])).positives
    array([0. , 0.5, 0.5])
    """
    require(counts, "positives", "negatives")
    upwards = upward(counts.higher_is)
    p, n = (each[upwards].astype(np.float64) for each in (counts.positives, counts.negatives))
    shares_of = (p + n) / counts.n, p / counts.n1, n / counts.n0
    return ScoreDistributions(counts.thresholds[upwards], *shares_of)


Errors = Literal["positives", "negatives"]
COVERAGE = "coverage: share of cases answered, the surest first"


def as_errors(counts: Ranking, errors: Errors) -> Ranking:
    """Return counts whose positives are the errors, the least sure case first."""
    as_word(errors, "errors", get_args(Errors), either=True)
    if errors == "positives":
        return counts
    cells = counts.every_score()
    return cells.known("errors", cells.turned)


@about_classes("lift_curve")
def risk_coverage_curve(
    counts: Ranking, *, errors: Errors = "positives", generalised: bool = False
) -> Curve:
    """Return the risk-coverage curve: the error rate among each share of the surest cases.

    Lenders call it strategy curve: the bad rate by the share accepted. x is the share of cases
    answered, y the errors among them; K + 1 points, between which cases are added in proportion.
    Raises `ValueError` for no cases.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. The positives are the errors and
        the score is an uncertainty, or with `higher_is="negative"` a confidence.
    errors
        "negatives" where the positives are the right answers and the score is a confidence.
    generalised
        Divide by all cases in place of those answered.

    Examples
    --------
    Of the two surest of four, one is an error.

    >>> from capcurve import count_scores
    >>> curve = risk_coverage_curve(count_scores([0, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]))
    >>> curve.at([0.25, 0.5, 1]).tolist()
    [0.0, 0.5, 0.25]
    """
    require(counts)
    held = as_errors(counts, errors).every_score()
    sums = shares(held)
    wrong = RunningSums(sums.positives.from_the_end.sums, sums.cases.total)
    accepted = sums.cases.from_the_end
    own = counts.every_score().thresholds
    thresholds = own if errors == "negatives" else own[::-1]
    of = "all" if generalised else "these"
    labels = (COVERAGE, f"risk: share of {of} cases that are errors")
    over = None if generalised else accepted
    return curve_of("risk-coverage", thresholds, accepted, wrong, labels, over)
