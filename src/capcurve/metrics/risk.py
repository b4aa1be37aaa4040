"""How many errors are left where the surest cases alone are answered: risk at all coverages."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from capcurve.counts.sums import Stretches, rates
from capcurve.curves import captured_response_curve
from capcurve.curves.kinds import Errors, as_errors
from capcurve.curves.shares import require, require_amount, sample_rate
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import takes_counts, takes_rankings
from capcurve.metrics.areas import TINY, RankedCells, WeightedArea
from capcurve.metrics.ranking import count_pairs, share
from capcurve.metrics.registry import OF_BOTH, Metric, MetricFrame
from capcurve.metrics.retrieval import (
    digamma_between,
    one_case_each,
    quotients,
    scales_of,
    squared_weights,
)
from capcurve.metrics.selection import captured_response, height, mean_amount
from capcurve.numbers.arguments import arg, as_share, as_word
from capcurve.numbers.exact import refuse_beyond, shifted

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueCounts, ValueSums
    from capcurve.numbers.types import Floats, Places

    Moves = tuple[Floats, Floats]  # of each error, and of each right answer, per score

# Cases beyond so many times those of the score need a series: 1 - (s/r)·ln(1 + r/s) loses digits.
FEW_AFTER_MANY = 2e-4
# Exposures beside which others are next to nothing have squares that floats do not hold.
LEAST_EXPOSURE = 1e-200


@takes_rankings
def aurc(counts: Ranking | Amounts, *, errors: Errors = "positives") -> float:
    """Return the area under the risk-coverage curve: the mean error rate of the surest cases.

    The mean over k = 1 to n of the error rate of the k surest; lower is better, and that of all
    cases is what a score has that says nothing. In [0, 1]. Raises `ValueError` for no cases,
    `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. The positives are the errors and
        the score is an uncertainty, or with `higher_is="negative"` a confidence. Of amounts such
        as losses, result of `count_values`, means take the place of error rates.
    errors
        "negatives" where the positives are the right answers and the score is a confidence.

    Notes
    -----
    Geifman & El-Yaniv (2017). Inside a tie it is the mean over all orders of its cases; tools that
    go by the order of the rows give a constant confidence any value. With weights exact where the
    rows of a tie weigh alike.

    Examples
    --------
    The one error is the second least sure of three: 0/1, 1/2 and 1/3 of the surest are errors.

    >>> from capcurve import count_scores
    >>> round(aurc(count_scores([0, 1, 0], [0.9, 0.5, 0.1])), 9)
    0.277777778
    """
    if is_amounts(counts):
        sums = _safest_first(counts, errors)
        scaled = shifted(sums.exposures, -sums.exponents[1])[::-1]
        rows = _row_shares(sums.see[::-1], scaled)
        return mean_in_money(float(_added(cells_of_amounts(sums), rows).sum()), sums)
    require(counts)
    cells = as_errors(counts, errors).every_score()
    return cells.known("aurc", lambda: _area(cells))


def _row_shares(squares: Floats, exposures: Floats) -> Floats:
    """Return the exposure of a row at each score as a share of all."""
    rows: Floats = squares / np.maximum(exposures, TINY) / exposures.sum()
    return np.maximum(rows, LEAST_EXPOSURE)


def _safest_first(values: Amounts, errors: Errors) -> ValueSums:
    """Return sums at each score, or raise ValueError where risks are undefined."""
    require_amount(values)
    if errors != "positives":
        raise ValueError(f"{arg('errors')} is for positives and negatives, and these are amounts")
    return values.by_score()


def cells_of_amounts(sums: ValueSums | Stretches) -> RankedCells:
    """Return amounts as events, the lowest expected ones first; scaled by powers of two."""
    ea, ee = sums.exponents
    columns = (shifted(sums.exposures, -ee), shifted(sums.amounts, -ea))
    return RankedCells.of_amounts(*(column[::-1] for column in columns))


def mean_in_money(found: float, sums: ValueSums | Stretches) -> float:
    """Return a mean of scaled amounts in their own units."""
    with np.errstate(over="ignore"):
        own = float(np.ldexp(found, sums.exponents[0] - sums.exponents[1]))
    refuse_beyond(np.float64(own), "this mean of amounts", "scale the amounts down")
    return own


def _area(counts: ScoreCounts) -> float:
    """Return the mean over all coverages of the share of positives among the last cases."""
    if not counts.n1 > 0:
        return 0.0
    if not counts.n0 > 0:
        return 1.0
    if one_case_each(counts):
        found = np.cumsum(counts.positives[::-1], dtype=np.float64)
        found /= np.arange(1, len(found) + 1)
        return float(found.mean())
    cells = RankedCells.of(counts, from_the_end=True)
    if (rows := _rows(counts, "all")) is None:
        return float((cells.events * _mean_log(cells)).sum())
    return float(_added(cells, rows[::-1]).sum())


def _rows(counts: ScoreCounts, of: Literal["all", "errors"]) -> Floats | None:
    """Return the weight of a row at each score as a share of all, Σw²/Σw; None where unknown."""
    scales = scales_of(counts)
    squares = squared_weights(counts, scales, slice(None))
    if squares is None:
        return None
    sums = [c * s for c, s in zip((counts.positives, counts.negatives), scales, strict=True)]
    whole = sums[0].sum() + sums[1].sum()
    if of == "errors":
        return np.array([squares[0].sum() / sums[0].sum() / whole])
    return np.asarray(squares[1] / (sums[0] + sums[1]) / whole)


def _added(cells: RankedCells, rows: Floats) -> Floats:
    """Return what each score adds to the mean: e + (E - eN/m)(H(N + m) - H(N)), of its rows."""
    start, size = cells.before / rows, np.maximum(cells.cases / rows, 1.0)
    steps = digamma_between(start + 1, size)
    own = 1 - start / size * steps
    # What few rows after many add is the difference of numbers near 1: here their series.
    late = (start >= 1 / FEW_AFTER_MANY) & (size < FEW_AFTER_MANY * start)
    s, r = start[late], size[late]
    third, fourth = r * (r + 1) ** 2 / 4, (r + 1) * (2 * r + 1) * (3 * r * r + 3 * r - 1) / 30
    first, second = (r + 1) / 2, (r + 1) * (2 * r + 1) / 6
    own[late] = (first - (second - (third - fourth / s) / s) / s) / s
    return cells.events * own + cells.events_before * steps


def least_area(counts: Ranking) -> float:
    """Return the area of the best order, all positives last."""
    cells = counts.every_score()
    rate = sample_rate(counts)
    if not 0 < rate < 1:
        return rate
    one, rest = np.array([rate]), np.array([float(cells.n0 / cells.n)])
    rows = _rows(cells, "errors")
    if rows is None:
        return float(rate + rest[0] * np.log(rest[0]))
    return float(_added(RankedCells(one, one, np.zeros(1), rest), rows)[0])


@takes_rankings
def excess_aurc(counts: Ranking | Amounts, *, errors: Errors = "positives") -> float:
    """Return the excess AURC: what the area lies above that of the best order, all errors last.

    Lower is better, 0 is perfect. Raises as `aurc`.

    Parameters
    ----------
    counts, errors
        As in `aurc`.

    Notes
    -----
    Geifman, Uziel & El-Yaniv (2019), with the best order of these cases, not of very many.

    Examples
    --------
    The mean of 0, 1/2 and 1/3, less that of 0, 0 and 1/3.

    >>> from capcurve import count_scores
    >>> round(excess_aurc(count_scores([0, 1, 0], [0.9, 0.5, 0.1])), 9)
    0.166666667
    """
    found = aurc(counts, errors=errors)
    if is_amounts(counts):
        cells, rows = by_rising_rate(counts.every_row())[:2]
        return max(found - mean_in_money(float(_added(cells, rows).sum()), counts.by_score()), 0.0)
    counted = as_errors(counts, errors)
    if not (counted.n1 > 0 and counted.n0 > 0):
        return 0.0
    pairs = count_pairs(counted)
    return max(found - least_area(counted), 0.0) if pairs.lost or pairs.tied else 0.0


def by_rising_rate(values: ValueCounts) -> tuple[RankedCells, Floats, Places]:
    """Return the best order of amounts, its rows as shares, and where each row with one stands."""
    # Rows of one rate stand together, and those without an amount first.
    (ea, ee), holding = values.by_score().exponents, values.holding
    amounts, exposures = shifted(holding.amounts, -ea), shifted(holding.exposures, -ee)
    rest = shifted(values.empty.exposures, -ee)
    columns = (exposures, rest), (amounts, np.zeros(len(rest)))
    e, a = (np.concatenate(pair) for pair in columns)
    times = np.concatenate([holding.times, values.empty.times])
    _, place = np.unique(rates(a, e), return_inverse=True)
    x, y, squares = (np.bincount(place, times * c).astype(np.float64) for c in (e, a, e * e))
    rows = _row_shares(squares, x)
    return RankedCells.of_amounts(x, y), rows, place[: len(amounts)]


@takes_counts
def auarc(counts: Ranking, *, errors: Errors = "positives") -> float:
    """Return the area under the accuracy-rejection curve: 1 less the AURC, so higher is better.

    The mean over k of the share of right answers among the k surest. Raises as `aurc`.

    Parameters
    ----------
    counts, errors
        As in `aurc`.

    Notes
    -----
    Nadeem, Zucker & Hanczar (2009), JMLR W&CP 8.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> round(auarc(count_scores([0, 1, 0], [0.9, 0.5, 0.1])), 9)
    0.722222222
    """
    return 1 - aurc(counts, errors=errors)


@takes_rankings
def augrc(counts: Ranking | Amounts, *, errors: Errors = "positives") -> float:
    """Return the AUGRC: the mean over coverages of how many of all cases are undetected errors.

    Lower is better. With the error rate π it is π(1 - π)(1 - AUC) + π²/2, and π/2 for a random
    order. Raises `ValueError` for no cases.

    Parameters
    ----------
    counts, errors
        As in `aurc`; totals of a ranking tell it too.

    Notes
    -----
    Traub et al. (2024), "Overcoming common flaws in the evaluation of selective classification".

    Examples
    --------
    One of two pairs is in order: 1/3·2/3·1/2 + (1/3)²/2.

    >>> from capcurve import count_scores
    >>> round(augrc(count_scores([0, 1, 0], [0.9, 0.5, 0.1])), 9)
    0.166666667
    """
    if is_amounts(counts):
        sums = _safest_first(counts, errors)
        cells = cells_of_amounts(sums)
        return mean_in_money(float((cells.events * _mean_rest(cells)).sum()), sums)
    require(counts)
    as_word(errors, "errors", get_args(Errors), either=True)
    rate = float((counts.n1 if errors == "positives" else counts.n0) / counts.n)
    if not (counts.n1 > 0 and counts.n0 > 0):
        return rate / 2
    pairs = count_pairs(counts)
    return rate * (1 - rate) * share(2 * pairs.lost + pairs.tied, 2 * pairs.total) + rate**2 / 2


@takes_rankings
def selective_risk(
    counts: Ranking | Amounts,
    coverage: float,
    *,
    errors: Errors = "positives",
    generalised: bool = False,
) -> float:
    """Return the selective risk: the error rate among the surest share of the cases.

    What is left wrong where only these are answered; lenders call it the bad rate of those
    accepted. In [0, 1]. Raises `ValueError` for no cases.

    Parameters
    ----------
    counts, errors
        As in `aurc`; totals of a ranking tell it where they hold the cut-off.
    coverage
        Share of all cases that is answered, the surest first, inside a tie in proportion; (0, 1].
    generalised
        Divide by all cases in place of those answered.

    Examples
    --------
    Of the two surest of four, one is an error.

    >>> from capcurve import count_scores
    >>> selective_risk(count_scores([0, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]), 0.5)
    0.5
    """
    coverage = as_share(coverage, "coverage", some=True)
    if is_amounts(counts):
        _safest_first(counts, errors)
        left = 1 - captured_response(counts, 1 - coverage) if coverage < 1 else 1.0
        return mean_amount(counts) * left / (1 if generalised else coverage)
    require(counts)
    as_word(errors, "errors", get_args(Errors), either=True)
    found = rate = float((counts.n1 if errors == "positives" else counts.n0) / counts.n)
    if coverage < 1 and rate > 0:
        q = coverage if errors == "negatives" else 1 - coverage
        captured = height(counts, captured_response_curve(counts, of=errors), q)
        found = rate * (captured if errors == "negatives" else 1 - captured)
    return found if generalised else min(found / coverage, 1.0)


def moves_of_classes(errors: Errors, moves: Moves) -> Moves:
    """Return how far each positive and negative moves a number, from errors and right answers."""
    wrong, right = moves
    return (wrong, right) if errors == "positives" else (right[::-1], wrong[::-1])


def _mean_log(cells: RankedCells) -> Floats:
    """Return the mean of -ln x over each score."""
    growth = quotients(cells.cases, cells.before)
    slowing = np.divide(np.log1p(growth), growth, out=np.zeros(len(growth)), where=growth > 0)
    return 1 - np.log(cells.upto) - slowing


def _mean_rest(cells: RankedCells) -> Floats:
    """Return the mean of 1 - x over each score."""
    return 1 - cells.before - cells.cases / 2


# The AURC and its relatives, along straight lines: what their influences are those of.
RUNNING_RISK = partial(WeightedArea, _mean_log, lambda upto: -np.log(upto), from_the_end=True)
GENERALISED = partial(WeightedArea, _mean_rest, lambda upto: 1 - upto, from_the_end=True)


def _influences(area: WeightedArea) -> Callable[..., Moves]:
    """Return how far each positive and each negative moves a number of errors."""

    def influences(counts: ScoreCounts, *, errors: Errors = "positives") -> Moves:
        return moves_of_classes(errors, area.influences(as_errors(counts, errors).every_score()))

    return influences


def _frame(find: Callable[[float, float], MetricFrame]) -> Callable[..., MetricFrame]:
    """Return what a random and the best order have, by the error rate and the best AURC."""

    def frame(counts: ScoreCounts, *, errors: Errors = "positives") -> MetricFrame:
        turned = as_errors(counts, errors)
        return find(sample_rate(turned), least_area(turned))

    return frame


_OfErrors = partial(
    Metric, options=("errors",), worthless=None, moved_by_prevalence=True, requires=()
)
RISK_METRICS = (
    _OfErrors(
        function=aurc,
        of=OF_BOTH,
        label="area under the risk-coverage curve",
        short="AURC",
        influence=_influences(RUNNING_RISK()),
        frame=_frame(MetricFrame),
        perfect=0.0,
        unseen="worst",
    ),
    _OfErrors(
        function=excess_aurc,
        of=OF_BOTH,
        label="excess AURC",
        short="E-AURC",
        aliases=("e_aurc", "eaurc"),
        scale=(0.0, math.inf),
        # Of the best order of very many cases.
        influence=_influences(RUNNING_RISK(lambda a, rate, rest: a - rate - rest * np.log(rest))),
        frame=_frame(lambda rate, best: MetricFrame(rate - best, 0.0)),
        perfect=0.0,
        unseen="worst",
    ),
    _OfErrors(
        function=auarc,
        label="area under the accuracy-rejection curve",
        short="AUARC",
        influence=_influences(RUNNING_RISK(lambda area, *_: 1 - area)),
        frame=_frame(lambda rate, best: MetricFrame(1 - rate, 1 - best)),
        as_rate=False,
        unseen="worst",
    ),
    _OfErrors(
        function=augrc,
        of=OF_BOTH,
        label="area under the generalised risk-coverage curve",
        short="AUGRC",
        influence=_influences(GENERALISED()),
        frame=_frame(lambda rate, _: MetricFrame(rate / 2, rate**2 / 2)),
        perfect=0.0,
    ),
    _OfErrors(
        function=selective_risk,
        of=OF_BOTH,
        label="selective risk",
        form="share",
        needs=("coverage",),
        compared_at="coverage",
        perfect=0.0,
    ),
)
