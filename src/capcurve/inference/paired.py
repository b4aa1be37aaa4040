"""Scores compared on the same rows: what is known of each pair, and which scores may be best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference.of_segments import segments_chart
from capcurve.inference.records import LESS, Interval, Test
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg
from capcurve.numbers.types import ByValue
from capcurve.show.chart import (
    BLUE,
    NO_DIFFERENCE,
    TEXT_INK,
    Axis,
    Bars,
    Chart,
    Marker,
    ScoreTicks,
    Style,
    interval_chart,
    marks,
)
from capcurve.show.columns import ColumnName, formed
from capcurve.show.format import (
    LONGEST_TICK,
    bare_chance,
    capitalised,
    chance_text,
    counted,
    joined,
    listed,
    number,
    percent,
    plain_names,
    signed,
    stated_percent,
    told_apart,
    written,
)
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import Record, Result
from capcurve.show.table import Table, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from capcurve.numbers.types import Bools, Floats

# Of more scores than these their ranks are shown, and pairs only where there is room for all.
MOST_IN_PAIRS = 5
RANKS_LEFT_OPEN = "A rank interval is what these limits leave open."
# So many of those that may be best are named.
MOST_BEST_NAMED = 6
# A difference whose limits are both smaller is written with four digits.
SMALL_DIFFERENCE = 0.02
LARGE_DIFFERENCE = 1000.0
EQUAL = "all scores equal"  # what the overall test is called without a contrast
RANKED_ALIKE = "both scores rank all cases identically, so nothing differs"
SURE = 3.29  # standard errors that chance alone exceeds in one of a thousand samples
# On which sides of zero the margin of an alternative lies.
MARGINS: dict[str, tuple[int, ...]] = {
    "superior": (1,),
    "inferior": (-1,),
    "non-inferior": (-1,),
    "equivalent": (-1, 1),
}


@dataclass(frozen=True, slots=True, eq=False)
class MeansCompared(ByValue, Record):
    """Over which segments means are compared, and how.

    Attributes
    ----------
    called
        The number inside each segment, such as "nDCG at 10".
    segments, weights, n_segments, left_out
        As in `SegmentMean`.
    values
        The number of each score in each segment, by score, NaN where it is left out; not in
        `to_dict`.
    how, names
        The same in words, and the segments; not in `to_dict`.
    """

    _left_out = frozenset({"how", "names", "values"})

    called: str
    segments: str
    weights: Any
    n_segments: int
    left_out: Mapping[str, int]
    how: str
    names: tuple[Any, ...]
    values: Mapping[str, Floats]


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
    margin, q, threshold
        What was given, else None: the difference that matters, in `metric`; the share of cases at
        which captured response or lift is compared; the PD cut-off at which net benefit is. Not in
        `to_dict`, whose methods name q.
    alone, against, together
        The interval of each score by itself, or none; the score that the others are compared with,
        else None; whether limits hold for all pairs at once. Not in `to_dict`.
    means
        Of means over segments what they are over, else None; in `to_dict` only where there is one.
    """

    _schema_version = None
    _added = ("ranks",)
    _as_rows = frozenset({"ranks"})
    _left_out = frozenset({"margin", "q", "threshold", "alone", "against", "together", "means"})

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
    means: MeansCompared | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that strict JSON can hold."""
        means = {} if self.means is None else {"means": self.means.to_dict()}
        return {**Result.to_dict(self), **means}

    @property
    def _unit(self) -> str:
        """What differences are measured in, in few words."""
        if self.means is not None:
            return f"mean {self.means.called}"
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
        columns |= columns_of_tests(self.pairs, shown)
        asked = self.pairs[0].alternative
        side = "" if asked == "two-sided" else f" ({asked})"
        unit, method = METRICS[self.metric].label, self.overall.method
        note = f"differences in {unit}; {method}: p = {self.p_value:.4g}{side}"
        forms = {"ratio": "estimate low high", "fine": "se", "statistic": "statistic"}
        heads = {"p_adjusted": "p (all pairs)"}
        return Table("comparison", formed(columns, heads, p="p_adjusted", **forms), note)

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.values()

    @property
    def sentences_on_pairs(self) -> tuple[str, ...]:
        """What the test of each pair shows."""
        about = self.margin, self._unit, len(self.pairs) if self.together else 1
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
            if is_shown(pair):
                first, second = (place[name] for name in pair.estimates)
                better = (gap_within(pair)[1] > 0) == rises
                found[(first, second) if better else (second, first)] = True
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
        notes = [f"{capitalised(each)}." for each in self._notes()]
        called = f"All {len(self.pairs)} pairs" if self.many else "Differences"
        about = METRICS[self.metric].label if self.means is None else self._unit
        note = f"differences in {about}; {self.pairs[0].method}"
        pairs = labelled(called, difference_columns(self), note)
        return Presentation(
            title=f"Comparison of {listed(plain_names(self.names), 4)}",
            sentences=self.sentences,
            figures=() if self.many else tuple(self._figures()),
            level=self.alone[0].level if self.alone and not self.many else None,
            charts=self._charts(),
            tables=(ranks_as_read(self),) if self.many else (pairs,),
            folded=(pairs,) if self.many else (),
            notes=(*self._about_means(), *self.about_family(), *self._about_reversals(), *notes),
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the comparison shows, in words: which is best, or what each pair shows."""
        if self._is_two_sided and len(self.pairs) > 1 and self.ranks is not None:
            said = ranking_sentences(self)
        elif len(self.names) > MOST_IN_PAIRS:
            said = (self._count_of_shown(), *(ranking_sentences(self) if self.many else ()))
        else:
            said = self.sentences_on_pairs
        return (*said, *self.about_overall())

    def about_overall(self) -> Iterator[str]:
        """Yield what the overall test shows, where there is one that no pair has told already."""
        # It may fail to reject where a single pair is shown.
        alpha = 1 - (self.pairs[0].level or 0.95)
        told = self.overall.name == EQUAL and self.overall.p_value > alpha and self.above().any()
        if self.overall not in self.pairs and not told:
            unit = self._unit.replace("captured at", "captured response at")
            equal, p_value = self.overall.name == EQUAL, self.overall.p_value
            differ = (
                f"the {unit} differs between the scores" if equal else "not all contrasts are 0"
            )
            said = "show" if p_value <= alpha else "do not show"
            yield f"The data {said} that {differ} ({chance_text(p_value, alpha)})."

    def _count_of_shown(self) -> str:
        """Say of how many pairs the data show what was asked."""
        two_sided, many = self._is_two_sided, len(self.pairs)
        if two_sided and self.against is not None:
            last, above = self.names.index(self.against), self.above()
            higher, lower = int(above[:, last].sum()), int(above[last].sum())
            does = "be better" if METRICS[self.metric].of_pds else "rank above it"
            worse = "worse" if METRICS[self.metric].of_pds else "below"
            verb = "is" if higher == 1 else "are"
            found = f"{higher or 'none'} of {many} scores {verb} shown to {does}"
            return f"Against {self.against}: {found}, {lower or 'none'} {worse}."
        claim, asked = "which of the two ranks better", self.pairs[0].alternative
        if not two_sided:
            margin = f"{self.margin:g} {self._unit}" if self.margin else None
            claim = f"that {_claim(asked, 'the first score', 'the second', margin)}"
            claim += "" if asked == "equivalent" else " (one-sided p)"
        shown = sum(map(_is_as_asked, self.pairs))
        return f"For {shown} of {counted(many, 'pair')} the data show {claim}."

    def _figures(self) -> Iterator[Figure]:
        """Yield the metric of each score, the best first."""
        for place in self.best_first:
            called = capitalised(f"{self._unit} of {self.names[place]}")
            value, around = self.estimates[place], self.alone[place : place + 1]
            ends = around[0].limits if around else ()
            form = METRICS[self.metric].form
            yield Figure(self.metric, called, called, value, form, *ends)

    def about_family(self) -> Iterator[str]:
        """Yield for how many differences limits and p-values allow."""
        level, many = self.pairs[0].level or 0.95, len(self.pairs)
        alike = [joined(pair.estimates) for pair in self.pairs if pair.se == 0]
        if many == 1 or len(alike) == many:
            return
        if not self.together:
            missed = many * (1 - level)
            about = f"{math.floor(missed + 0.5):,}" if missed >= 1 else f"{missed:.2g}"
            yield f"Each pair alone: of {many:,} such limits about {about} miss."
            return
        # Of net benefit it is not known how differences vary together.
        by_number = "" if self.covariance else " (Bonferroni)"
        open_still = f" {RANKS_LEFT_OPEN}" if self.many else ""
        yield (
            f"Limits and p-values allow for all {many:,} pairs{by_number}: in "
            f"{stated_percent(level)} of samples all hold together (each alone is at "
            f"{percent(self.pair_level, 2)})."
            f"{open_still}"
        )
        none_shown = not self.above().any() and self.overall.p_value <= 1 - level
        if none_shown and self.overall.name == EQUAL and self.overall not in self.pairs:
            yield "Together the scores differ; no single pair is shown to."
        if alike:
            yield f"Scores that {_alike(self.metric)}: {'; '.join(alike[:MOST_IN_PAIRS])}."

    def _about_means(self) -> Iterator[str]:
        """Yield over which segments means are compared."""
        if self.means is not None:
            yield f"{self.means.how}. Means are over {counted(self.means.n_segments, 'segment')}."

    def _notes(self) -> Iterator[str]:
        """Yield what must be known of the tests, each thing once."""
        if self.overall not in self.pairs:
            yield f"overall test: {self.overall.method}"
        every = (note for test in (*self.pairs, self.overall) for note in test.notes)
        named = len(self.pairs) > 1  # with the family
        yield from (note for note in dict.fromkeys(every) if not named or note != RANKED_ALIKE)

    def _about_reversals(self) -> Iterator[str]:
        """Say which scores rank worse than at random, by more than chance explains."""
        metric = METRICS[self.metric]
        random = self.q if self.metric == "captured_response" else metric.worthless
        random = None if metric.direction < 0 else random
        for place, name in enumerate(self.names if self.covariance else ()):
            least = self.estimates[place] + SURE * math.sqrt(self.covariance[place][place])
            if self.means is not None:  # whose own limits know how few segments there may be
                least = max(least, self.alone[place].high)
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
        limited = [(self.names[at], self.alone[at]) for at in self.best_first if self.alone]
        around = {short[name]: (each.low, each.estimate, each.high) for name, each in limited}
        called = capitalised(METRICS[self.metric].label if self.means is None else self._unit)
        own = interval_chart(f"{called} by score", around, level, called)
        if self.many:
            return self.rank_chart(), *own
        if self.means is not None and len(self.pairs) == 1:
            return (self._segments_chart(self.means), *own)
        if own and self.margin is None:
            return own
        found = {}
        for pair in self.pairs:
            first, second = (short[name] for name in pair.estimates)
            between = " " if len(first + LESS + second) <= LONGEST_TICK else "\n"
            found[f"{first} minus{between}{second}"] = gap_within(pair)
        heights = MARGINS.get(self.pairs[0].alternative, ()) if self.margin else ()
        margin = self.margin or 0.0
        lines = {f"Margin of {margin:g} {unit}": [sign * margin for sign in heights]}
        of, beside = f"Difference in {unit}", {**NO_DIFFERENCE, **lines}
        return *interval_chart(of, found, level, of, references=beside), *own

    def _segments_chart(self, means: MeansCompared) -> Chart:
        """Return the picture of the difference of a pair in each segment."""
        (pair,), of = self.pairs, f"Difference in {means.called}"
        low, value, high = gap_within(pair)
        level = f"{stated_percent(pair.level or 0.0)} interval of the mean"
        first, second = (means.values[name] for name in pair.estimates)
        return segments_chart(
            f"By segment: {pair.name}",
            of,
            means.names,
            first - second,
            levels={"Mean": value, "No difference": 0.0},
            limits=(level, low, high),
        )

    def rank_chart(self) -> Chart:
        """Return the picture of the ranks that each score may have, the first one on top."""
        ranks: Any = self.ranks
        first, last = ranks["rank_from"].astype(float), ranks["rank_to"].astype(float)
        names, many = plain_names(ranks["score"].tolist()), len(first)
        at, bottom = np.arange(many, dtype=np.float64), -last - 0.5
        bars = Bars(last - first + 1, "Rank interval", Style(BLUE), at=at, width=0.6, base=bottom)
        told = [f"{name}: {rank}" for name, rank in ranks_of_scores(self).items()]
        return Chart(
            title="Ranks that each score may have",
            x=Axis("", "score", ends=(-1.0, float(many))),
            y=Axis("Rank", "rank", ends=(-many - 0.5, -0.5)),
            bars=[bars],
            lines=[marks(at, -at - 1, f"Place by {self._unit}", TEXT_INK, Marker("o", 0.7))],
            scores=ScoreTicks(at, names),
            description="; ".join(told),
        )

    def __repr__(self) -> str:
        return str(self) if self.many else repr(self.table)


def ranks_as_read(comparison: Comparison) -> Table:
    """Return the ranks that scores may have, as people read them."""
    ranks: Any = comparison.ranks
    metric = METRICS[comparison.metric]
    columns: dict[str, list[Any]] = {
        "score": ranks["score"].tolist(),
        ColumnName(metric.short, metric.form): ranks["estimate"].tolist(),
        "rank": [*ranks_of_scores(comparison).values()],
        "tier": ranks["tier"].tolist(),
    }
    return labelled("Ranks", columns)


def ranks_of_scores(comparison: Comparison) -> dict[str, str]:
    """Return which ranks each score may have, the best first, such as "2–9"."""
    ranks: Any = comparison.ranks
    ends = zip(ranks["rank_from"].tolist(), ranks["rank_to"].tolist(), strict=True)
    texts = [f"{first}–{last}" if first < last else f"{first}" for first, last in ends]
    return dict(zip(ranks["score"].tolist(), texts, strict=True))


def difference_columns(comparison: Comparison) -> dict[str, list[Any]]:
    """Return one row per pair of scores: difference, interval and p-value.

    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> difference_columns(compare(joint, metric="accuracy_ratio"))["95% interval"]
    ['[−1.130, +1.574]']
    """
    unit, pairs = _short(comparison), comparison.pairs
    for_all = " (all pairs)" if comparison.together and len(pairs) > 1 else ""
    level = pairs[0].level or 0.0
    one_sided = pairs[0].alternative not in {"two-sided", "equivalent"}
    p = "one-sided p" if one_sided else "p"
    columns: dict[str, list[Any]] = {
        "difference": [" minus ".join(pair.estimates) for pair in pairs],
        f"in {unit}": [signed(pair.estimate or 0.0, _digits(pair)) for pair in pairs],
        f"{stated_percent(level)} interval{for_all}": [_limits(pair) for pair in pairs],
        p: [bare_chance(pair.p_value, 1 - level) for pair in pairs],
    }
    if for_all:
        columns[f"{p}{for_all}"] = [bare_chance(own_or_adjusted(pair), 1 - level) for pair in pairs]
    return columns


def _short(comparison: Comparison) -> str:
    """Return what is compared, where there is little room."""
    means = comparison.means
    return METRICS[comparison.metric].short if means is None else f"mean {means.called}"


def _digits(pair: Test) -> int:
    """Return how many digits tell small limits from zero, and none of large amounts of money."""
    low, _, high = gap_within(pair)
    furthest = max(abs(low), abs(high))
    if furthest >= LARGE_DIFFERENCE:
        return 0
    return 3 if furthest >= SMALL_DIFFERENCE else 4


def _limits(pair: Test, sign: int = 1, write: Callable[[float, int], str] = signed) -> str:
    """Return limits with a digit more where one would read as 0, which it leaves out."""
    if pair.low is None:
        return "without limits"
    ends = sorted((sign * (pair.low or 0.0), sign * (pair.high or 0.0)))
    low, high = (told_apart(end, 0, _digits(pair), write) for end in ends)
    return f"[{low}, {high}]"


def _size(pair: Test, unit: str = "") -> str:
    """Return how large a difference is, with its limits, whichever score is the first."""
    estimate = pair.estimate or 0.0
    by = f"{number(abs(estimate), _digits(pair))} {unit}".rstrip()
    return f"{by} {_limits(pair, 1 if estimate > 0 else -1, number)}"


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
    said, shown, difference = _chance(test, pairs), _is_as_asked(test), test.estimate or 0.0
    metric = METRICS[test.metric or "roc_auc"]
    does = "is" if metric.of_pds else "ranks"
    if test.se == 0:
        return f"{first} and {second} {_alike(metric.name)} ({said})"
    if test.alternative == "two-sided" and shown:
        rises = difference > 0
        better, other = (first, second) if rises == (metric.direction > 0) else (second, first)
        return f"{better} {does} better than {other} by {_size(test, unit)} ({said})"
    numbers = f"(difference {signed(difference, _digits(test))} {unit} {_limits(test)}, {said})"
    if test.alternative == "two-sided":
        return f"The data do not show which of {first} and {second} {does} better {numbers}"
    claim = _claim(test.alternative, first, second, f"{margin:g} {unit}" if margin else None)
    return f"The data {'show' if shown else 'do not show'} that {claim} {numbers}"


def _alike(metric: str) -> str:
    return "differ on no case" if METRICS[metric].of_pds else "rank all cases identically"


def _chance(test: Test, pairs: int) -> str:
    """Return a p-value, and for how many pairs it allows."""
    side = "" if test.alternative in {"two-sided", "equivalent"} else "one-sided "
    allowing = f", {pairs:,} pairs" if pairs > 1 else ""
    return f"{side}{chance_of(test)}{allowing}"


def ranking_sentences(comparison: Comparison) -> tuple[str, ...]:
    """Return which of several scores is best, or may be, and the nearest shown to rank below it.

    >>> from capcurve import compare, count_joint
    >>> scores = {"new": [6, 5, 4, 3, 2, 1], "old": [6, 5, 3, 4, 2, 1], "odd": [1, 2, 3, 4, 5, 6]}
    >>> joint = count_joint([1, 1, 1, 0, 0, 0], scores)
    >>> ranking_sentences(compare(joint, metric="accuracy_ratio"))[0]
    'new ranks highest: AR 1.000. 2 of 3 may be best: new and old.'
    """
    if len(comparison.pairs) == 1:
        return (f"{difference_sentence(comparison.pairs[0])}.",)
    metric, above, order = METRICS[comparison.metric], comparison.above(), comparison.best_first
    names, many = comparison.names, len(comparison.names)
    does, below = ("is", "be worse") if metric.of_pds else ("ranks", "rank below")
    if not above.any():
        if all(pair.se == 0 for pair in comparison.pairs):
            return (f"{many} scores {_alike(comparison.metric)}.",)
        return (f"{many} scores; none is shown to {below}{' than' * metric.of_pds} another.",)
    best = order[0]
    value = f"{_short(comparison)} {written(metric.form, comparison.estimates[best])}"
    behind = [place for place in order if above[best, place]]
    nearest = _nearest(comparison, best, behind[0]) if behind else ""
    it = "" if metric.of_pds else " it"
    if len(behind) == many - 1:
        others = f"each of the {many - 1} others is shown to {below}{it}"
        if len(behind) == 2:  # noqa: PLR2004 - the others of three
            others = f"both others are shown to {below}{it}"
        nearest = f"the nearest, {names[behind[0]]}, {nearest}"
        return (f"{names[best]} {does} best: {value}; {others}, {nearest}.",)
    may = [names[place] for place in order if not above[:, place].any()]
    named = joined(may) if len(may) <= MOST_BEST_NAMED else listed(may, MOST_BEST_NAMED)
    does = "is ahead" if metric.of_pds else "ranks highest"
    said = [f"{names[best]} {does}: {value}. {len(may)} of {many} may be best: {named}."]
    if behind:
        said.append(f"{names[behind[0]]} is the nearest shown to {below}{it}, {nearest}.")
    return tuple(said)


def _nearest(comparison: Comparison, best: int, other: int) -> str:
    """Return by how much the best score is ahead of another one."""
    ends = {comparison.names[best], comparison.names[other]}
    pair = next(each for each in comparison.pairs if ends == {*each.estimates})
    said, pairs = f"by {_size(pair)}", f"({len(comparison.pairs):,} pairs)"
    if pair.alternative != "two-sided":  # whose p-value answers another question
        return f"{said} {pairs}"
    return f"{said}, {chance_of(pair)} {pairs}"


def columns_of_tests(tests: Sequence[Test], names: Iterable[str]) -> dict[str, Any]:
    """Return numbers of tests as columns of a table, without those that some of them lack."""
    found = {name: [getattr(test, name) for test in tests] for name in names}
    return {name: np.array(column) for name, column in found.items() if None not in column}


def own_or_adjusted(test: Test) -> float:
    """Return the p-value, adjusted where several tests were made together."""
    return test.p_value if test.p_adjusted is None else test.p_adjusted


def chance_of(test: Test) -> str:
    """Return that p-value as text, which tells it from the one that limits are held to."""
    return chance_text(own_or_adjusted(test), 1 - (test.level or 0.95))


def gap_within(test: Test) -> tuple[float, float, float]:
    """Return a difference between its limits, the lower one first; alone where it has none."""
    value = test.estimate or 0.0
    if test.low is None or test.high is None:
        return value, value, value
    return test.low, value, test.high


def is_shown(test: Test) -> bool:
    """Return whether 0 is outside the limits of a difference."""
    if test.low is None:
        return _is_as_asked(test)
    low, _, high = gap_within(test)
    return low > 0 or high < 0


def _is_as_asked(test: Test) -> bool:
    """Return whether the data show what was asked of a pair."""
    return own_or_adjusted(test) <= 1 - (test.level or 0.95)


def _claim(alternative: str, first: str, second: str, margin: str | None) -> str:
    by = f" by more than {margin}" if margin else ""
    return {
        "superior": f"{first} ranks better than {second}{by}",
        "inferior": f"{first} ranks worse than {second}{by}",
        "non-inferior": f"{first} is not worse than {second} by more than {margin}",
        "equivalent": f"{first} and {second} differ by less than {margin}",
    }[alternative]
