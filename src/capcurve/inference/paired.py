"""Scores compared on the same rows: what is known of each pair, and which scores may be best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.records import LESS, Interval, Test
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg
from capcurve.show.chart import NO_DIFFERENCE, Chart, interval_chart
from capcurve.show.columns import formed
from capcurve.show.format import (
    LONGEST_TICK,
    bare_chance,
    capitalised,
    chance_text,
    joined,
    listed,
    number,
    plain_names,
    signed,
    stated_percent,
)
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from capcurve.numbers.types import Bools

# Of more scores than these their ranks are shown, and pairs only where there is room for all.
MOST_IN_PAIRS = 5
# So many of those that may be best are named.
MOST_BEST_NAMED = 6
# A difference whose limits are both smaller is written with four digits.
SMALL_DIFFERENCE = 0.02
LARGE_DIFFERENCE = 1000.0
# The p-value up to which scores are said not to be all equal.
ALL_EQUAL = 0.05
SURE = 3.29  # standard errors that chance alone exceeds in one of a thousand samples
# On which sides of zero the margin of an alternative lies.
MARGINS: dict[str, tuple[int, ...]] = {
    "superior": (1,),
    "inferior": (-1,),
    "non-inferior": (-1,),
    "equivalent": (-1, 1),
}


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """Several scores on the same rows, compared.

    Attributes
    ----------
    names
        The scores.
    metric
        What all estimates and differences are measured in.
    estimates
        The metric of each score.
    covariance
        How the estimates vary together, a row per score.
    pairs
        One test per pair, first less second, in the order of `names`, or of each other score less
        the one they are compared `against`; of several pairs limits and `p_adjusted` hold for all
        at once, unless each was tested alone.
    overall
        Two scores: the test of the pair. More: chi-square of all being equal, or of the
        contrast that was asked for.
    pair_level
        The level at which each pair has limits by itself, so that all hold together: 0.9996.
    margin
        The difference that matters, in `metric`, if one was given; not in `to_dict`.
    q
        The share of cases at which captured response or lift is compared, else None; not in
        `to_dict`, whose methods name it.
    threshold
        The PD cut-off at which net benefit is compared, else None; not in `to_dict`.
    alone
        The interval of each score by itself, or none; not in `to_dict`.
    against
        The score that the others are compared with, else None; not in `to_dict`.
    together
        Whether limits hold for all pairs at once; not in `to_dict`.
    """

    _schema_version = None
    _added = ("ranks",)
    _as_rows = frozenset({"ranks"})
    _left_out = frozenset({"margin", "q", "threshold", "alone", "against", "together"})

    names: tuple[str, ...]
    metric: str
    estimates: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    pairs: tuple[Test, ...]
    overall: Test
    pair_level: float = 0.95
    margin: float | None = None
    q: float | None = None
    threshold: float | None = None
    alone: tuple[Interval, ...] = ()
    against: str | None = None
    together: bool = True

    @property
    def _unit(self) -> str:
        """What differences are measured in, in few words."""
        unit = METRICS[self.metric].short
        if self.threshold is not None:
            return f"{unit} at {stated_percent(self.threshold)}"
        return unit if self.q is None else f"{unit} at the top {stated_percent(self.q)}"

    @property
    def p_value(self) -> float:
        """The p-value of the overall test."""
        return self.overall.p_value

    @property
    def table(self) -> Table:
        """The pairs as a table."""
        shown = ("estimate", "se", "low", "high", "statistic", "p_value", "p_adjusted")
        columns = {"difference": np.array([pair.name for pair in self.pairs], dtype=object)}
        for key in shown:
            found = [getattr(pair, key) for pair in self.pairs]
            if None not in found:
                columns[key] = np.array(found)
        asked = self.pairs[0].alternative
        side = "" if asked == "two-sided" else f" ({asked})"
        unit, method = METRICS[self.metric].label, self.overall.method
        note = f"differences in {unit}; {method}: p = {self.p_value:.4g}{side}"
        columns = formed(columns, ratio="estimate low high", fine="se", statistic="statistic")
        return Table("comparison", columns, note)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.values()

    @property
    def sentences_on_pairs(self) -> tuple[str, ...]:
        """What the test of each pair shows."""
        about = self.margin, self._unit, len(self.pairs)
        return tuple(f"{difference_sentence(each, *about)}." for each in self.pairs)

    @property
    def best_first(self) -> list[int]:
        """The places of the scores, the best one first."""
        direction = METRICS[self.metric].direction
        return sorted(range(len(self.names)), key=lambda place: -direction * self.estimates[place])

    @property
    def _is_two_sided(self) -> bool:
        return self.pairs[0].alternative == "two-sided"

    @property
    def many(self) -> bool:
        """Whether ranks are shown in place of pairs, for which there are too many scores."""
        return len(self.names) > MOST_IN_PAIRS and self.ranks is not None

    def above(self) -> Bools:
        """Return which score is shown to rank above which other one, shape (m, m)."""
        # By limits and not by p-values, so that it is the same whatever the alternative.
        place = {name: at for at, name in enumerate(self.names)}
        found = np.zeros((len(self.names), len(self.names)), dtype=bool)
        rises = METRICS[self.metric].direction > 0
        for pair in self.pairs:
            first, second = (place[name] for name in pair.estimates)
            lower, higher = (pair.high or 0.0) < 0, (pair.low or 0.0) > 0
            found[first, second], found[second, first] = (
                (higher, lower) if rises else (lower, higher)
            )
        return found

    @property
    def ranks(self) -> Table | None:
        """Which ranks each score may have, the best first; None where not all pairs hold together.

        Columns score, estimate, rank_from and rank_to, which leave out only what is shown, and
        tier, a reading aid: a score opens the next tier where it is shown to rank below the score
        that opened the one before.
        """
        if self.against is not None or not self.together:
            return None
        above, order = self.above(), self.best_first
        leader, tiers = order[0], [1]
        for place in order[1:]:
            tiers.append(tiers[-1] + int(above[leader, place]))
            leader = place if above[leader, place] else leader
        columns = {
            "score": np.array([self.names[place] for place in order], dtype=object),
            "estimate": np.array([self.estimates[place] for place in order]),
            "rank_from": 1 + above.sum(axis=0)[order],
            "rank_to": len(order) - above.sum(axis=1)[order],
            "tier": np.array(tiers),
        }
        heads = {"estimate": self._unit, "rank_from": "rank from", "rank_to": "to"}
        return Table("ranks", formed(columns, heads, ratio="estimate", count="rank_from rank_to"))

    def presentation(self) -> Presentation:
        """Return what the comparison shows: each score, which is best, and the differences."""
        metric, title = METRICS[self.metric], f"Comparison of {listed(plain_names(self.names), 4)}"
        notes = dict.fromkeys(note for test in (*self.pairs, self.overall) for note in test.notes)
        said, single = self.sentences_on_pairs, len(self.pairs) == 1
        if not single and self.pairs[0].alternative == "two-sided":
            said = (f"{best_sentence(self)}.",)
        if self.overall not in self.pairs:
            said += (overall_sentence(self.overall, self._unit),)
            notes = {f"overall test: {self.overall.method}": None, **notes}
        figures = []
        for place in self.best_first:
            called = f"{self._unit} of {self.names[place]}"
            value, around = self.estimates[place], self.alone[place : place + 1]
            ends = around[0].limits if around else ()
            figures.append(Figure(self.metric, called, called, value, metric.form, *ends))
        note = f"differences in {metric.label}; {self.pairs[0].method}"
        return Presentation(
            title=title,
            sentences=said,
            figures=tuple(figures),
            level=self.alone[0].level if self.alone else None,
            charts=self._charts(),
            tables=(labelled("Differences", difference_columns(self), note),),
            notes=(*self._about_reversals(), *(f"{capitalised(note)}." for note in notes)),
        )

    def _about_reversals(self) -> Iterator[str]:
        """Say which scores rank worse than at random, by more than chance explains."""
        metric = METRICS[self.metric]
        random = self.q if self.metric == "captured_response" else metric.worthless
        random = None if metric.direction < 0 else random
        for place, name in enumerate(self.names if self.covariance else ()):
            least = self.estimates[place] + SURE * math.sqrt(self.covariance[place][place])
            if random is not None and least < random:
                likely = "large effects" if metric.compared_at == "trial" else "likely positives"
                yield (
                    f"{name} ranks worse than a random score (p < 0.001). If low scores mean "
                    f"{likely}, give {arg('higher_is')} for it."
                )

    def _charts(self) -> tuple[Chart, ...]:
        """Return the pictures of the scores, best first, and of differences beside a margin."""
        level, unit = f"{stated_percent(self.pairs[0].level or 0.0)} interval", self._unit
        short = dict(zip(self.names, plain_names(self.names), strict=True))
        around = {}
        for place in self.best_first if self.alone else ():
            limited = self.alone[place]
            around[short[self.names[place]]] = (limited.low, limited.estimate, limited.high)
        called = capitalised(METRICS[self.metric].label)
        own = interval_chart(f"{called} by score", around, level, called)
        if own and self.margin is None:
            return own
        found = {}
        for pair in self.pairs:
            first, second = (short[name] for name in pair.estimates)
            between = " " if len(first + LESS + second) <= LONGEST_TICK else "\n"
            found[f"{first} minus{between}{second}"] = (pair.low, pair.estimate, pair.high)
        heights = MARGINS.get(self.pairs[0].alternative, ()) if self.margin else ()
        margin = self.margin or 0.0
        lines = {f"Margin of {margin:g} {unit}": [sign * margin for sign in heights]}
        of, beside = f"Difference in {unit}", {**NO_DIFFERENCE, **lines}
        return *interval_chart(of, found, level, of, references=beside), *own

    def __repr__(self) -> str:
        return repr(self.table)


def difference_columns(comparison: Comparison) -> dict[str, list[Any]]:
    """Return one row per pair of scores: difference, interval and p-value.

    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> difference_columns(compare(joint, metric="accuracy_ratio"))["95% interval"]
    ['[−1.130, +1.574]']
    """
    unit = METRICS[comparison.metric].short
    pairs = comparison.pairs
    level, for_all = pairs[0].level or 0.0, f" for all {len(pairs)} pairs" if len(pairs) > 1 else ""
    columns: dict[str, list[Any]] = {
        "difference": [" minus ".join(pair.estimates) for pair in pairs],
        f"in {unit}": [signed(pair.estimate or 0.0, _digits(pair)) for pair in pairs],
        f"{stated_percent(level)} interval{for_all}": [_limits(pair) for pair in pairs],
        "p": [bare_chance(pair.p_value) for pair in pairs],
    }
    if for_all:
        columns[f"p{for_all}"] = [bare_chance(pair.p_adjusted or 0.0) for pair in pairs]
    return columns


def _digits(pair: Test) -> int:
    """Return how many digits tell small limits from zero, and none of large amounts of money."""
    furthest = max(abs(pair.low or 0.0), abs(pair.high or 0.0))
    if furthest >= LARGE_DIFFERENCE:
        return 0
    return 3 if furthest >= SMALL_DIFFERENCE else 4


def _limits(pair: Test, sign: int = 1, write: Callable[[float, int], str] = signed) -> str:
    low, high = sorted((sign * (pair.low or 0.0), sign * (pair.high or 0.0)))
    return f"[{write(low, _digits(pair))}, {write(high, _digits(pair))}]"


def difference_sentence(
    test: Test, margin: float | None = None, unit: str | None = None, pairs: int = 1
) -> str:
    """Return what the test of a pair shows, in one plain sentence; it may be one of several.

    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> print(difference_sentence(compare(joint, metric="accuracy_ratio").pairs[0]))
    The data do not show which of new and old ranks better (difference +0.222 AR [−1.130, +1.574],
    p = 0.553)
    """
    first, second = test.estimates
    unit = unit or METRICS[test.metric or "roc_auc"].short
    said = _chance(test, pairs)
    difference, digits = test.estimate or 0.0, _digits(test)
    shown = _p_value(test) <= 1 - (test.level or 0.95)
    metric = METRICS[test.metric or "roc_auc"]
    does = "is" if metric.of_pds else "ranks"
    if test.se == 0:
        alike = "differ on no case" if metric.of_pds else "rank all cases identically"
        return f"{first} and {second} {alike} ({said})"
    if test.alternative == "two-sided" and shown:
        sign = 1 if difference > 0 else -1
        better, other = (first, second) if sign * metric.direction > 0 else (second, first)
        by = f"{number(abs(difference), digits)} {unit} {_limits(test, sign, number)}"
        return f"{better} {does} better than {other} by {by} ({said})"
    numbers = f"(difference {signed(difference, digits)} {unit} {_limits(test)}, {said})"
    if test.alternative == "two-sided":
        return f"The data do not show which of {first} and {second} {does} better {numbers}"
    claim = _claim(test.alternative, first, second, f"{margin:g} {unit}" if margin else None)
    return f"The data {'show' if shown else 'do not show'} that {claim} {numbers}"


def _chance(test: Test, pairs: int) -> str:
    """Return a p-value, and for how many comparisons it allows."""
    allowing = f" after allowing for {pairs:,} comparisons" if pairs > 1 else ""
    return f"{chance_text(_p_value(test))}{allowing}"


def overall_sentence(test: Test, unit: str) -> str:
    """Return whether the data show that not all scores are equal, or not all contrasts 0."""
    differ = f"the {unit} differs between the scores"
    if test.name != "all scores equal":
        differ = "not all contrasts are 0"
    said = "show" if test.p_value <= ALL_EQUAL else "do not show"
    return f"The data {said} that {differ} ({chance_text(test.p_value)})."


def best_sentence(comparison: Comparison) -> str:
    """Return which of several scores is best, and how far ahead of the next one, in one sentence.

    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1], "odd": [1, 2, 3, 4, 5, 6]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> best_sentence(compare(joint, metric="accuracy_ratio")).partition(" (")[0]
    'new has the best AR, 1.000, but the data do not show that it beats old and odd'
    """
    if len(comparison.pairs) == 1:
        return difference_sentence(comparison.pairs[0])
    metric = METRICS[comparison.metric]
    best, second, *others = (comparison.names[place] for place in comparison.best_first)
    value = comparison.estimates[comparison.names.index(best)]
    rivals = {
        name: pair
        for name in (second, *others)
        for pair in comparison.pairs
        if {best, name} == {*pair.estimates}
    }
    alike = [
        name
        for name, pair in rivals.items()
        if not pair.se or _p_value(pair) > 1 - (pair.level or 0.95)
    ]
    nearest = rivals[second]
    sign = metric.direction * (1 if next(iter(nearest.estimates)) == best else -1)
    gap, write = sign * (nearest.estimate or 0.0), signed if alike else number
    beyond = "above" if metric.direction > 0 else "below"
    by = f"{number(gap, _digits(nearest))} {beyond} {second} {_limits(nearest, sign, write)}"
    chance, written = _chance(nearest, len(comparison.pairs)), f"{metric.short} {number(value)}"
    if not alike:
        return f"{best} {'is' if metric.of_pds else 'ranks'} best with {written}, {by} ({chance})"
    return (
        f"{best} has the best {metric.short}, {number(value)}, but the data do not show that it "
        f"beats {joined(alike)} ({by}, {chance})"
    )


def _p_value(test: Test) -> float:
    """Return the p-value, adjusted where several tests were made together."""
    return test.p_value if test.p_adjusted is None else test.p_adjusted


def _claim(alternative: str, first: str, second: str, margin: str | None) -> str:
    by = f" by more than {margin}" if margin else ""
    return {
        "superior": f"{first} ranks better than {second}{by}",
        "inferior": f"{first} ranks worse than {second}{by}",
        "non-inferior": f"{first} is not worse than {second} by more than {margin}",
        "equivalent": f"{first} and {second} differ by less than {margin}",
    }[alternative]
