"""How many errors are left where the surest cases alone are answered: risk at all coverages."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from capcurve.counts.arguments import as_share, as_word
from capcurve.curves import captured_response_curve
from capcurve.curves.risk import Errors, as_errors
from capcurve.curves.shares import require, sample_rate
from capcurve.metrics.areas import RankedCells, by_class
from capcurve.metrics.ranking import count_pairs, share
from capcurve.metrics.registry import Metric, MetricFrame
from capcurve.metrics.retrieval import (
    digamma_between,
    one_case_each,
    quotients,
    scales_of,
    squared_weights,
)
from capcurve.metrics.selection import height
from capcurve.taking import takes_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Floats

    Moves = tuple[Floats, Floats]  # of each error, and of each right answer, per score

# Cases beyond so many times those of the score need a series: 1 - (s/r)·ln(1 + r/s) loses digits.
FEW_AFTER_MANY = 2e-4


@takes_counts
def aurc(counts: Ranking, *, errors: Errors = "positives") -> float:
    """Return the area under the risk-coverage curve: the mean error rate of the surest cases.

    The mean over k = 1 to n of the error rate of the k surest; lower is better, and that of all
    cases is what a score has that says nothing. In [0, 1]. Raises `ValueError` for no cases,
    `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. The positives are the errors and
        the score is an uncertainty, or with `higher_is="negative"` a confidence.
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
    require(counts)
    cells = as_errors(counts, errors).every_score()
    return cells.known("aurc", lambda: _area(cells))


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
    rows: Floats = squares[1] / (sums[0] + sums[1]) / whole
    return rows


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
    found: Floats = cells.events * own + cells.events_before * steps
    return found


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


@takes_counts
def excess_aurc(counts: Ranking, *, errors: Errors = "positives") -> float:
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
    counted = as_errors(counts, errors)
    if not (counted.n1 > 0 and counted.n0 > 0):
        return 0.0
    pairs = count_pairs(counted)
    return max(found - least_area(counted), 0.0) if pairs.lost or pairs.tied else 0.0


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


@takes_counts
def augrc(counts: Ranking, *, errors: Errors = "positives") -> float:
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
    require(counts)
    as_word(errors, "errors", get_args(Errors), either=True)
    rate = float((counts.n1 if errors == "positives" else counts.n0) / counts.n)
    if not (counts.n1 > 0 and counts.n0 > 0):
        return rate / 2
    pairs = count_pairs(counts)
    return rate * (1 - rate) * share(2 * pairs.lost + pairs.tied, 2 * pairs.total) + rate**2 / 2


@takes_counts
def selective_risk(
    counts: Ranking,
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
    require(counts)
    as_word(errors, "errors", get_args(Errors), either=True)
    found = rate = float((counts.n1 if errors == "positives" else counts.n0) / counts.n)
    if coverage < 1 and rate > 0:
        q = coverage if errors == "negatives" else 1 - coverage
        captured = height(counts, captured_response_curve(counts, of=errors), q)
        found = rate * (captured if errors == "negatives" else 1 - captured)
    return found if generalised else min(found / coverage, 1.0)


def of_classes(counts: ScoreCounts, errors: Errors, moves: Moves) -> Moves:
    """Return how far each positive and negative moves a number, from errors and right answers."""
    wrong, right = by_class(sample_rate(as_errors(counts, errors)), moves)
    return (wrong, right) if errors == "positives" else (right[::-1], wrong[::-1])


def _moved_area(counts: ScoreCounts) -> Moves:
    """Return how far each case moves the AURC, along straight lines: its weight is -ln x."""
    cells = RankedCells.of(counts, from_the_end=True)
    first, second = cells.moved(_mean_log(cells), -np.log(cells.upto))
    return first[::-1], second[::-1]


def _mean_log(cells: RankedCells) -> Floats:
    """Return the mean of -ln x over each score."""
    growth = quotients(cells.cases, cells.before)
    slowing = np.divide(np.log1p(growth), growth, out=np.zeros(len(growth)), where=growth > 0)
    found: Floats = 1 - np.log(cells.upto) - slowing
    return found


def _moved_excess(counts: ScoreCounts) -> Moves:
    rate, (first, second) = sample_rate(counts), _moved_area(counts)
    moved = math.log1p(-rate)
    return first + moved * (1 - rate), second - moved * rate


def _moved_generalised(counts: ScoreCounts) -> Moves:
    cells = RankedCells.of(counts, from_the_end=True)
    first, second = cells.moved(1 - cells.before - cells.cases / 2, 1 - cells.upto)
    return first[::-1], second[::-1]


def _influences(find: Callable[[ScoreCounts], Moves]) -> Callable[..., Moves]:
    """Return how far each positive and each negative moves a number of errors."""

    def influences(counts: ScoreCounts, *, errors: Errors = "positives") -> Moves:
        return of_classes(counts, errors, find(as_errors(counts, errors).every_score()))

    return influences


def _frame(find: Callable[[float, float], MetricFrame]) -> Callable[..., MetricFrame]:
    """Return what a random and the best order have, by the error rate and the best AURC."""

    def frame(counts: ScoreCounts, *, errors: Errors = "positives") -> MetricFrame:
        turned = as_errors(counts, errors)
        return find(sample_rate(turned), least_area(turned))

    return frame


def _moved_accuracy(counts: ScoreCounts) -> Moves:
    first, second = _moved_area(counts)
    return -first, -second


_OfErrors = partial(Metric, options=("errors",), worthless=None, moved_by_prevalence=True)
METRICS = (
    _OfErrors(
        function=aurc,
        label="area under the risk-coverage curve",
        short="AURC",
        influence=_influences(_moved_area),
        frame=_frame(MetricFrame),
        perfect=0.0,
    ),
    _OfErrors(
        function=excess_aurc,
        label="excess AURC",
        short="E-AURC",
        aliases=("e_aurc", "eaurc"),
        scale=(0.0, math.inf),
        influence=_influences(_moved_excess),
        frame=_frame(lambda rate, best: MetricFrame(rate - best, 0.0)),
        perfect=0.0,
    ),
    _OfErrors(
        function=auarc,
        label="area under the accuracy-rejection curve",
        short="AUARC",
        influence=_influences(_moved_accuracy),
        frame=_frame(lambda rate, best: MetricFrame(1 - rate, 1 - best)),
        as_rate=False,
    ),
    _OfErrors(
        function=augrc,
        label="area under the generalised risk-coverage curve",
        short="AUGRC",
        influence=_influences(_moved_generalised),
        frame=_frame(lambda rate, _: MetricFrame(rate / 2, rate**2 / 2)),
        perfect=0.0,
    ),
    _OfErrors(
        function=selective_risk,
        label="selective risk",
        form="share",
        needs=("coverage",),
        perfect=0.0,
    ),
)
