"""How many cases to select: the cut-off with the largest profit, with what chance leaves open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts
from capcurve.gate.given import is_amounts
from capcurve.numbers.exact import cumulated
from capcurve.numbers.meeting import selected_at
from capcurve.results.known import interval_or_none
from capcurve.show.format import (
    SMALL_SUM,
    cut_off,
    money,
    percent,
    quantity,
    stated_percent,
    true_minus,
)
from capcurve.show.result import Record
from capcurve.tables import best_thresholds
from capcurve.tables.thresholds import ValuePoint, as_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts.settings import Words
    from capcurve.results.summary import Summary, ValueSummary

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class BestProfit(Record):
    """The cut-off of one score with the largest profit; of several the one that selects fewest.

    Attributes
    ----------
    value, cost
        What a captured positive (a unit of the amount) brings, and selecting a case (a unit of
        exposure) costs.
    threshold
        Lowest-ranked score still selected; None where it is best to select nobody.
    q, selected, total
        Share and number of cases (exposure) selected, and number of all.
    profit, low, high
        The profit with its limits; these are None where there are none.
    q_low, q_high
        What the first and the last cut-off select whose profit is not significantly lower, as
        shares; None of amounts, of weighted or clustered rows and of totals.
    level
        The confidence level of both.
    rule, words
        The cut-off as it is typed, and what is selected.
    """

    _left_out = frozenset({"rule", "words"})

    value: float
    cost: float
    threshold: Any
    q: float
    selected: float
    total: float
    profit: float
    low: float | None
    high: float | None
    q_low: float | None
    q_high: float | None
    level: float
    rule: str
    words: Words

    @property
    def sentence(self) -> str:
        """How many to select, what it brings, and between which shares it is hardly less."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in single sentences."""
        of, per = self.words.selected, self.words.captured
        case = "case" if of == "cases" else f"unit of {of}"
        found = "positive found" if per == "positives" else f"unit of {per}"
        terms = f"at {quantity(self.value)} per {found} and {quantity(self.cost)} per {case}"
        if self.threshold is None:
            return (f"Selecting anybody loses money {terms}.", *self._nearly)
        top = self.words.all_selected if self.q == 1 else f"the top {percent(self.q)} of {of}"
        made = f"{_in_millions(self.profit)}{self._interval}, {terms}"
        said = f"Profit is highest if you select {top}, {self.rule} ({made})."
        return (said, *self._nearly)

    @property
    def _interval(self) -> str:
        """The limits of the profit, rather too wide than too narrow where they are rounded."""
        if self.low is None or self.high is None:
            return ""
        large = max(abs(self.low), abs(self.high)) >= MILLION
        steps = 100 / MILLION if large else 1 if self.high >= SMALL_SUM else 100
        low, high = math.floor(self.low * steps) / steps, math.ceil(self.high * steps) / steps
        ends = " to ".join(map(_in_millions if large else money, (low, high)))
        return f", {stated_percent(self.level)} interval {ends}"

    @property
    def _nearly(self) -> tuple[str, ...]:
        """Between which shares the profit is not significantly lower, where that is known."""
        if self.q_low is None or self.q_high is None or self.q_low == self.q_high:
            return ()
        first = f"from the top {percent(self.q_low)} to" if self.q_low else "up to"
        return (f"Anything {first} the top {percent(self.q_high)} does about as well.",)


def _in_millions(value: float) -> str:
    """Return a sum of money, a large one in millions.

    >>> _in_millions(2796750), _in_millions(-1000000.0), _in_millions(8.0)
    ('2.80 million', '−1.00 million', '8')
    """
    large = abs(value) >= MILLION
    return true_minus(f"{value / MILLION:.2f} million") if large else money(value)


def best_profits(
    counts: Mapping[str, Ranking | Amounts],
    summaries: Mapping[str, Summary | ValueSummary],
    value: float,
    cost: float,
) -> dict[str, BestProfit]:
    """Return the best cut-off of each score that ranks; none under a stated prevalence."""
    return {
        name: best_profit(counts[name], value, cost, summary.level, name)
        for name, summary in summaries.items()
        if summary.accuracy_ratio is not None
        and not (summary.kind == "classes" and summary.stated_prevalence is not None)
    }


def best_profit(
    counts: Ranking | Amounts, value: float, cost: float, level: float, name: str | None = None
) -> BestProfit:
    """Return the cut-off with the largest profit.

    >>> from capcurve import count_scores
    >>> found = best_profit(count_scores([1, 1, 0, 1, 0], [5, 4, 3, 2, 1]), 10, 6, 0.95)
    >>> found.threshold, found.selected, found.profit, found.q_low, found.q_high
    (4, 2, 8.0, 0.0, 1.0)
    """
    point = best_thresholds(counts, "profit", value=value, cost=cost)[0]
    interval = interval_or_none(counts, "profit", value=value, cost=cost, level=level)
    low, high = interval or (None, None)
    q_low, q_high = as_good(counts, point.threshold, value, cost, level)
    threshold = as_shown(counts, point.threshold)
    return BestProfit(
        value=value,
        cost=cost,
        threshold=threshold,
        q=point.q,
        selected=point.exposure if isinstance(point, ValuePoint) else point.tp + point.fp,
        total=counts.by_score().exposures.sum().item() if is_amounts(counts) else counts.n,
        profit=cast("float", point.profit),
        low=low,
        high=high,
        q_low=q_low,
        q_high=q_high,
        level=level,
        rule=cut_off(threshold, counts.higher_is, graded=counts.levels is not None, name=name),
        words=counts.words,
    )


def as_good(
    counts: Ranking | Amounts, threshold: object, value: float, cost: float, level: float
) -> tuple[float | None, float | None]:
    """Return the shares of the first and last cut-off whose profit is not significantly lower."""
    # What lies between such a cut-off and the best one pays neither significantly less than it
    # costs nor more: an exact binomial test of its rate of positives against cost over value.
    if not isinstance(counts, ScoreCounts) or counts.weights is not None or counts.groups:
        return None, None
    if not (counts.is_whole and 0 < cost < value):
        return None, None
    from scipy.special import bdtr, bdtrc

    best = 0 if threshold is None else selected_at(counts, threshold)
    captured = cumulated(counts.positives)
    selected = captured + cumulated(counts.negatives)
    positives, cases = np.abs(captured - captured[best]), np.abs(selected - selected[best])
    rate = cost / value
    few = bdtr(positives[best:], cases[best:], rate)
    before = positives[:best]
    many = np.where(before > 0, bdtrc(np.maximum(before - 1, 0), cases[:best], rate), 1.0)
    kept = np.flatnonzero(np.concatenate([many, few]) > (1 - level) / 2)
    n = selected[-1].item()
    return selected[kept[0]].item() / n, selected[kept[-1]].item() / n
