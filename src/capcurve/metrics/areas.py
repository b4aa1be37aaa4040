"""Areas of the CAP in which the top counts for more: early recognition, and work that is saved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.curves import captured_response_curve
from capcurve.curves.shares import require, sample_rate, shares
from capcurve.gate.taking import takes_counts
from capcurve.metrics.ranking import accuracy_ratio, roc_auc
from capcurve.metrics.registry import Metric, MetricFrame
from capcurve.metrics.retrieval import quotients
from capcurve.numbers.arguments import as_number, as_share, refused, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats

# Down to it BEDROC has digits; the weights are then even, and it is the AUC.
LEAST_ALPHA = 1e-8
FEW_TOP_CASES = 10
TINY, IMAGINARY_STEP = float(np.finfo(np.float64).tiny), 1e-30


@dataclass(frozen=True, slots=True)
class RankedCells:
    """Scores in an order, as shares of all cases; shapes (K,)."""

    events: Floats  # what of all cases is an event, or per unit of exposure an amount
    cases: Floats
    events_before: Floats
    before: Floats  # cases before it

    @classmethod
    def of(cls, counts: ScoreCounts, *, from_the_end: bool = False) -> Self:
        """Return positives as events, the most likely first or, from the end, last."""
        sums, step = shares(counts), -1 if from_the_end else 1
        axes = [sums.positives, sums.cases]
        if from_the_end:
            axes = [axis.from_the_end for axis in axes]
        events = np.asarray(counts.positives[::step], np.float64)
        cases = events + counts.negatives[::step]
        whole = float(sums.cases.total)
        return cls(events / whole, cases / whole, *(axis.sums[:-1] / whole for axis in axes))

    @classmethod
    def of_amounts(cls, exposures: Floats, amounts: Floats) -> Self:
        """Return scaled amounts as events, in the order in which they are given."""
        whole, across, up = exposures.sum(), np.cumsum(exposures), np.cumsum(amounts)
        before = (up - amounts) / whole, (across - exposures) / whole
        return cls(amounts / whole, exposures / whole, *before)

    @property
    def upto(self) -> Floats:
        """Cases before it and at it; above 0 where amounts have next to no exposure."""
        return np.maximum(self.before + self.cases, TINY)


@dataclass(frozen=True, slots=True)
class WeightedArea:
    """An area under the running share of events, in which each place counts with a weight."""

    mean: Callable[..., Floats]  # of the weight over each score of cells
    end: Callable[..., Floats]  # the weight after a share of the cases
    # The number that the area and the shares of events and others give; analytic in all three.
    number: Callable[..., Any] = lambda area, *_: area
    from_the_end: bool = False

    def moved(self, cells: RankedCells, **options: Any) -> tuple[Floats, Floats]:
        """Return how far an event's own weight, and its place, move the area.

        An event counts with the mean weight of its score, and any case moves all cases after it.
        """
        mean, end = self.mean(cells, **options), self.end(cells.upto, **options)
        rate = quotients(cells.events, cells.cases)
        steps = np.append(0.0, np.diff(end))
        below = np.append(np.cumsum((rate * steps)[:0:-1])[::-1], 0.0)
        place = below + rate * (end - mean)
        area = float((cells.events * mean).sum())
        return mean, place - area - float((cells.cases * place).sum())

    def influences(self, counts: ScoreCounts, **options: Any) -> tuple[Floats, Floats]:
        """Return how far each positive and each negative moves the number."""
        cells = RankedCells.of(counts, from_the_end=self.from_the_end)
        rate, rest = sample_rate(counts), max(float(counts.n0 / counts.n), TINY)
        own, place = self.moved(cells, **options)
        area = float((cells.events * own).sum())
        # Derivatives by steps off the real axis lose no digits: Squire & Trapp (1998), SIAM Rev.
        by_area, by_rate = (
            self.number(area + along, rate + over, rest - over, **options).imag / IMAGINARY_STEP
            for along, over in ((IMAGINARY_STEP * 1j, 0.0), (0.0, IMAGINARY_STEP * 1j))
        )
        step = -1 if self.from_the_end else 1
        event = by_area * (own + place) + by_rate * (1 - rate)
        return by_class(rate, (event[::step], (by_area * place - by_rate * rate)[::step]))


def by_class(rate: float, moves: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return what cases move a number by, as means over each class: times its share of all."""
    return rate * moves[0], (1 - rate) * moves[1]


def _as_alpha(alpha: float) -> float:
    """Return how steeply the weight falls, or raise ValueError."""
    found = as_number(alpha, "alpha")
    if not 0 < found < math.inf:
        raise ValueError(f"{refused('alpha')} be above 0 and finite, got {told(alpha)}")
    return max(float(found), LEAST_ALPHA)


# What checks the numbers that metrics are told, and makes floats of them.
OPTION_CHECKS: dict[str, Callable[[float, str], float]] = {
    "alpha": lambda alpha, _: _as_alpha(alpha),
    **dict.fromkeys(("coverage", "captured", "max_q"), partial(as_share, some=True)),
}


@takes_counts
def rie(counts: Ranking, *, alpha: float = 20.0) -> float:
    """Return the robust initial enhancement: how many times more than random the very top holds.

    A lift in which the share x of the cases counts e^(-alpha·x): 1 is random, about 1/π the most.
    Raises `ValueError` without positives, `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    alpha
        How steeply the weight falls, above 0: at 20 the top 8% of the cases count for 80%.

    Notes
    -----
    Sheridan et al. (2001), J. Chem. Inf. Comput. Sci. 41; the mean over all orders inside ties.

    Examples
    --------
    A constant score enhances nothing; the better of two has (1 - e^(-1))/(1 - e^(-2))·2.

    >>> from capcurve import count_scores
    >>> rie(count_scores([1, 0], [1, 1])), round(rie(count_scores([1, 0], [2, 1]), alpha=2), 6)
    (1.0, 1.462117)
    """
    alpha = _as_alpha(alpha)
    require(counts, "positives")
    cells = counts.every_score()
    return 1.0 if len(cells) == 1 else cells.known(f"rie {alpha}", lambda: _rie(cells, alpha))


def _rie(cells: ScoreCounts, alpha: float) -> float:
    return float((_of_class(cells.positives) * _falling(RankedCells.of(cells), alpha)).sum())


def _of_class(cases: Array) -> Floats:
    """Return which share of a class has each score."""
    return np.asarray(cases / cases.sum(dtype=np.float64))


def _falling(cells: RankedCells, alpha: float = 20.0) -> Floats:
    """Return the mean of αe^(-αx)/(1 - e^(-α)) over each score."""
    size = np.maximum(cells.cases, TINY)
    found: Floats = np.exp(-alpha * cells.before) * -np.expm1(-alpha * size) / size
    return found / -math.expm1(-alpha)


def _fallen(upto: Floats, alpha: float = 20.0) -> Floats:
    return alpha * np.exp(-alpha * upto) / -math.expm1(-alpha)


def _ends_of_rie(rate: Any, rest: Any, alpha: float) -> tuple[Any, Any, Any]:
    """Return what the worst and the best order have, and how far these are apart."""
    most = np.expm1(-alpha * rate) / math.expm1(-alpha) / rate
    return np.exp(-alpha * rest) * most, most, (-np.expm1(-alpha * rest) or TINY) * most


def _rates(counts: Ranking) -> tuple[float, float]:
    """Return the shares of positives and of negatives, neither of them zero."""
    return max(sample_rate(counts), TINY), max(float(counts.n0 / counts.n), TINY)


@takes_counts
def bedroc(counts: Ranking, *, alpha: float = 20.0) -> float:
    """Return BEDROC: the robust initial enhancement on a scale from the worst order to the best.

    From 0 to 1. That of a random order depends on the prevalence and on `alpha`. Raises
    `ValueError` when a class is missing, `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts, alpha
        As in `rie`.

    Notes
    -----
    Truchon & Bayly (2007), J. Chem. Inf. Model. 47. Where alpha times the prevalence is above 1 it
    hardly tells scores apart.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> [round(bedroc(count_scores([1, 0, 0], [s, 2, 1])), 4) for s in (3, 1.5, 0)]
    [1.0, 0.0013, 0.0]
    """
    alpha = _as_alpha(alpha)
    require(counts, "positives", "negatives")
    if alpha == LEAST_ALPHA:
        return roc_auc(counts)
    least, _, apart = _ends_of_rie(*_rates(counts), alpha)
    return float(min(max((rie(counts, alpha=alpha) - least) / apart, 0.0), 1.0))


def _on_scale(area: Any, rate: Any, rest: Any, alpha: float = 20.0) -> Any:
    """Return BEDROC by the area that the robust initial enhancement divides by the rate."""
    least, _, apart = _ends_of_rie(rate, rest, alpha)
    return (area / rate - least) / apart


def _seen(alpha: float = 20.0) -> float:
    """Return the share of cases, as if equally weighted, that such weights look at."""
    return min(2 / alpha * math.tanh(alpha / 2), 1.0)


def _frame(counts: ScoreCounts, *, alpha: float = 20.0) -> MetricFrame:
    return MetricFrame(1.0, float(_ends_of_rie(*_rates(counts), alpha)[1]))


def _frame_of_bedroc(counts: ScoreCounts, *, alpha: float = 20.0) -> MetricFrame:
    least, _, apart = _ends_of_rie(*_rates(counts), alpha)
    return MetricFrame(float((1 - least) / apart), 1.0)


def _about_alpha(counts: ScoreCounts, *, alpha: float = 20.0) -> tuple[str, ...]:
    """Say where the weights tell little: of many positives, or of few cases."""
    said, looked = [], float(counts.n) * _seen(alpha)
    if (saturated := alpha * sample_rate(counts)) > 1:
        said.append(
            f"alpha times the share of positives is {saturated:.3g}, above 1, where BEDROC hardly "
            "tells scores apart; take a smaller alpha"
        )
    if looked < FEW_TOP_CASES:
        said.append(f"at this alpha it rests on about {looked:.2g} cases; take a smaller one")
    return tuple(said)


@takes_counts
def partial_accuracy_ratio(counts: Ranking, max_q: float) -> float:
    """Return the accuracy ratio of the top share: the area between CAP and diagonal up to it.

    Divided by that of the perfect CAP: 1 is perfect, 0 random, and up to 1 it is the accuracy
    ratio. Raises `ValueError` when a class is missing, `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    max_q
        Where to stop, a share of all cases in (0, 1].

    Examples
    --------
    The second of four is the positive: up to 1/2 the CAP gains 1/8 less 1/8.

    >>> from capcurve import count_scores
    >>> counts = count_scores([0, 1, 0, 0], [4, 3, 2, 1])
    >>> [round(partial_accuracy_ratio(counts, q), 6) for q in (0.5, 1)]
    [0.0, 0.333333]
    """
    max_q = as_share(max_q, "max_q", some=True)
    require(counts, "positives", "negatives")
    if max_q == 1:
        return accuracy_ratio(counts)
    cells = counts.every_score()
    return cells.known(f"partial accuracy ratio {max_q}", lambda: _partial(cells, max_q))


def _partial(counts: ScoreCounts, max_q: float) -> float:
    # Half the CAP's gain is the share of negatives times what positives lie further to the left.
    ahead = _of_class(counts.positives) - _of_class(counts.negatives)
    gained = float((ahead * _left_of(RankedCells.of(counts), max_q)).sum())
    rate, rest = _rates(counts)
    return float(min(gained * rest / _perfect_gain(rate, rest, max_q), 1.0))


def _left_of(cells: RankedCells, max_q: float) -> Floats:
    """Return the mean over each score of how far a place lies before a share, as part of it."""
    inside = np.clip(max_q - cells.before, 0.0, cells.cases)
    found: Floats = quotients(inside, cells.cases) * (max_q - cells.before - inside / 2)
    return np.maximum(found, 0.0) / max_q


def _still_left(upto: Floats, max_q: float) -> Floats:
    return np.maximum(max_q - upto, 0.0) / max_q


def _perfect_gain(rate: Any, rest: Any, max_q: float) -> Any:
    """Return the area between perfect CAP and diagonal up to a share, over it."""
    if max_q <= rate.real:
        return max_q / 2 / rate * rest
    return 1 - rate / 2 / max_q - max_q / 2


def _of_perfect(area: Any, rate: Any, rest: Any, max_q: float) -> Any:
    return (area / rate - max_q / 2) / _perfect_gain(rate, rest, max_q)


def _frame_of_partial(counts: ScoreCounts, *, max_q: float) -> MetricFrame:
    rate, rest = _rates(counts)
    worst = -max_q / 2
    if max_q > rest:
        worst = (max_q**2 - 2 * max_q + rest) / 2 / rate / max_q * rest
    return MetricFrame(0.0, 1.0, (worst / _perfect_gain(rate, rest, max_q), 1.0))


@takes_counts
def work_saved_over_sampling(counts: Ranking, *, captured: float = 0.95) -> float:
    """Return the work saved over sampling: how many fewer cases are read to find most positives.

    The share captured less the share of cases that it takes; 0 for a random order. Raises
    `ValueError` without positives, `NotHeldError` of totals of a ranking.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    captured
        Which share of the positives is to be found, in (0, 1].

    Notes
    -----
    Cohen et al. (2006), J. Am. Med. Inform. Assoc. 13; inside a tie cases are taken in proportion.

    Examples
    --------
    Half of the positives are found in one of four cases.

    >>> from capcurve import count_scores
    >>> work_saved_over_sampling(count_scores([1, 0, 0, 1], [4, 3, 2, 1]), captured=0.5)
    0.25
    """
    captured = as_share(captured, "captured", some=True)
    require(counts, "positives")
    return captured - share_needed(counts.every_score(), captured)


def share_needed(counts: ScoreCounts, captured: float) -> float:
    """Return the first share of cases that holds such a share of the positives."""
    curve = captured_response_curve(counts)
    x, y = curve.x, curve.y
    end = int(np.searchsorted(y, captured))
    part = (captured - y[end - 1]) / (y[end] - y[end - 1])
    return float(x[end - 1] + part * (x[end] - x[end - 1]))


AREA_METRICS = (
    Metric(
        function=rie,
        label="robust initial enhancement",
        short="RIE",
        form="lift",
        options=("alpha",),
        ends=(0.0, math.inf),
        worthless=1.0,
        influence=WeightedArea(_falling, _fallen, lambda a, rate, *_, **__: a / rate).influences,
        frame=_frame,
        looks_at=_seen,
        moved_by_prevalence=True,
        requires=("positives",),
    ),
    Metric(
        function=bedroc,
        label="BEDROC",
        options=("alpha",),
        worthless=None,
        influence=WeightedArea(_falling, _fallen, _on_scale).influences,
        frame=_frame_of_bedroc,
        looks_at=_seen,
        about=_about_alpha,
        moved_by_prevalence=True,
    ),
    Metric(
        function=partial_accuracy_ratio,
        label="partial accuracy ratio",
        short="pAR",
        aliases=("par",),
        needs=("max_q",),
        ends=(-math.inf, 1.0),
        scale=(-1.0, 1.0),
        influence=WeightedArea(_left_of, _still_left, _of_perfect).influences,
        frame=_frame_of_partial,
        looks_at=lambda max_q: 0.75 * max_q,
        moved_by_prevalence=True,
    ),
    Metric(
        function=work_saved_over_sampling,
        label="work saved over sampling",
        short="WSS",
        aliases=("wss",),
        form="share",
        options=("captured",),
        ends=(-1.0, 1.0),
        requires=("positives",),
    ),
)
