"""What inference gives back: intervals, tests, comparisons and bands, and how sure to be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

import numpy as np

from capcurve.inference.designs import Resampling
from capcurve.metrics import METRICS, Metric, roc_auc
from capcurve.numbers.arguments import arg, as_name, as_open_share, as_word
from capcurve.show.chart import NO_DIFFERENCE, Chart, interval_chart
from capcurve.show.columns import formed
from capcurve.show.format import (
    LONGEST_TICK,
    Form,
    bare_chance,
    capitalised,
    chance_text,
    joined,
    limits,
    listed,
    number,
    plain_names,
    plain_text,
    signed,
    stated_percent,
)
from capcurve.show.presentation import UNDEFINED, Figure, Presentation
from capcurve.show.result import OneRow, Result
from capcurve.show.table import Table, label_column, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Floats


Side = Literal["both", "lower", "upper"]
# What limits allow for cases of a kind of which the sample has none; None is each number's own.
Unseen = Literal["worst", "none"]
RankingMetric = Literal["roc_auc", "accuracy_ratio"]
Limits = tuple[float, float]
TEST_NUMBERS: dict[str, tuple[str, Form]] = {
    "estimate": ("estimate", "plain"),
    "se": ("standard error", "plain"),
    "statistic": ("statistic", "plain"),
    "df": ("degrees of freedom", "plain"),
    "p_value": ("p-value", "p"),
    "p_adjusted": ("p-value, adjusted", "p"),
}
LIMIT_FIELDS = ("low", "high", "level", "method", "notes")
Limit = TypeVar("Limit")
# Between the names of what is subtracted.
LESS = " minus "
# A difference whose limits are both smaller is written with four digits.
SMALL_DIFFERENCE = 0.02
LARGE_DIFFERENCE = 1000.0
# The p-value up to which scores are said not to be all equal.
ALL_EQUAL = 0.05
SURE = 3.29  # standard errors that chance alone exceeds in one of a thousand samples
# Samples of a bootstrap, unless one asks for more or fewer.
REPLICATES = 2000
# On which sides of zero the margin of an alternative lies.
MARGINS: dict[str, tuple[int, ...]] = {
    "superior": (1,),
    "inferior": (-1,),
    "non-inferior": (-1,),
    "equivalent": (-1, 1),
}


def _is_undefined(value: float | None) -> bool:
    return value is None or math.isnan(value)


class _Number(OneRow):
    """A number with what chance leaves of it; a file of csv has one row."""

    __slots__ = ()

    def __str__(self) -> str:
        return repr(self)  # one line, as in the middle of a sentence

    def _shown(self, title: str, sentence: str) -> Presentation:
        """Return all numbers that there are, and the estimate between its limits."""
        held: dict[str, Any] = {
            name: getattr(self, name, None) for name in (*TEST_NUMBERS, *LIMIT_FIELDS)
        }
        low, value, high, level = (held[name] for name in ("low", "estimate", "high", "level"))
        around = {"estimate": (low, high)}
        notes = (f"Method: {held['method']}.", *(f"{capitalised(each)}." for each in held["notes"]))
        limited = all(not _is_undefined(each) for each in (low, value, high))
        label = f"{stated_percent(level or 0.0)} interval"
        charts = interval_chart(title, {label: (low, value, high)}, label) if limited else ()
        return Presentation(
            title=title,
            sentences=(sentence,),
            figures=tuple(
                Figure(name, label, label, held[name], form, *around.get(name, (None, None)))
                for name, (label, form) in TEST_NUMBERS.items()
                if held[name] is not None
            ),
            level=level if limited else None,
            charts=charts,
            notes=notes,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interval(_Number):
    """A confidence interval around an estimate.

    It unpacks into its limits, and is written with as many digits as one asks for.

    Attributes
    ----------
    low, high
        The limits. A one-sided interval reaches to the end of the scale on its open side.
    estimate
        The number itself.
    level
        Confidence level, in (0, 1).
    method
        How the limits were found.
    se
        Standard error of the estimate; None where the method has none.
    notes
        What a reader must know: a fallback, a clipped limit, a known bias.
    replicates
        The number itself in each sample of a bootstrap, shape (replicates,), without those in which
        it is undefined; None by other methods. Not in `to_dict`.

    Examples
    --------
    >>> from capcurve import confidence_interval, count_scores
    >>> interval = confidence_interval(count_scores([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]), "ar")
    >>> low, high = interval
    >>> (low, high) == (interval.low, interval.high)
    True
    >>> f"{interval:.2f}"
    '0.67 [-0.93, 1.00]'
    """

    _left_out = frozenset({"replicates"})

    low: float
    estimate: float
    high: float
    level: float
    method: str
    se: float | None
    notes: tuple[str, ...] = ()
    replicates: Floats | None = None

    @property
    def limits(self) -> Limits:
        """Both limits."""
        return self.low, self.high

    def __iter__(self) -> Iterator[float]:
        """Return both limits one after the other: `low, high = interval`."""
        return iter(self.limits)

    def __format__(self, form: str) -> str:
        """Return the estimate and its limits, each number in the form: `f"{interval:.3f}"`."""
        if not form:
            return str(self)
        low, high = (format(limit, form) for limit in self)
        return f"{self.estimate:{form}} [{low}, {high}]"

    def presentation(self) -> Presentation:
        """Return what the interval shows: the estimate between its limits."""
        low, value, high = (plain_text(each) for each in (self.low, self.estimate, self.high))
        level = stated_percent(self.level)
        said = f"The estimate is {value} [{low}, {high}] ({level} interval)."
        if _is_undefined(self.estimate):
            said = f"The estimate is {UNDEFINED}."
        elif _is_undefined(self.low) or _is_undefined(self.high):
            said = f"The estimate is {value}, and its {level} interval is {UNDEFINED}."
        return self._shown("Confidence interval", said)

    def __repr__(self) -> str:
        shown = limits("plain", *self) or f"limits {UNDEFINED}"
        return f"{plain_text(self.estimate)} {shown}, {stated_percent(self.level)}, {self.method}"

    def with_notes(self, *notes: str) -> Interval:
        """Return the interval with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def of_weights(self, own: Interval, *notes: str) -> Interval:
        """Return these limits, of rows as they are, for a number of rows that weigh alike."""
        low, high = min(self.low, own.estimate), max(self.high, own.estimate)
        found = replace(self, low=low, estimate=own.estimate, high=high, se=own.se)
        return found.with_notes(*notes)

    def over(self, share: float, estimate: float) -> Interval:
        """Return the interval of the number over a constant, as lift is captured over q."""
        se = None if self.se is None else self.se / share
        low, high = min(self.low / share, estimate), max(self.high / share, estimate)
        drawn = None if self.replicates is None else self.replicates / share
        return replace(self, low=low, estimate=estimate, high=high, se=se, replicates=drawn)

    def complement(self) -> Interval:
        """Return the interval of 1 less the share."""
        low, estimate, high = 1 - self.high, 1 - self.estimate, 1 - self.low
        drawn = None if self.replicates is None else 1 - self.replicates
        return replace(self, low=low, estimate=estimate, high=high, replicates=drawn)

    def as_ratio(self, estimate: float) -> Interval:
        """Return the interval of an accuracy ratio from that of its AUC: 2·AUC - 1."""
        se = None if self.se is None else 2 * self.se
        low, high = 2 * self.low - 1, 2 * self.high - 1
        drawn = None if self.replicates is None else 2 * self.replicates - 1
        return replace(self, low=low, estimate=estimate, high=high, se=se, replicates=drawn)

    def as_auc(self) -> Interval:
        """Return the interval of the AUC from that of its accuracy ratio: (1 + AR)/2."""
        se = None if self.se is None else self.se / 2
        low, estimate, high = ((1 + each) / 2 for each in (self.low, self.estimate, self.high))
        return replace(self, low=low, estimate=estimate, high=high, se=se)


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an interval is asked to be, and on which side it is open."""

    level: float = 0.95  # how often the interval holds the true value
    side: Side = "both"  # "both", or the side that has a limit
    # How often each limit misses it, where a level so near to 1 has lost the digits.
    missed: float | None = None

    def __post_init__(self) -> None:
        if self.missed is None:
            object.__setattr__(self, "level", as_open_share(self.level, "level"))
        as_word(self.side, "side", get_args(Side), either=True)

    @classmethod
    def at(cls, z: float, side: Side = "both") -> Confidence:
        """Return the confidence whose limits leave the normal tail beyond z out on each side."""
        from scipy.special import ndtr

        tail = float(ndtr(-z))
        return cls(1 - (2 if side == "both" else 1) * tail, side, tail)

    @property
    def tail(self) -> float:
        """Return the chance that each limit may miss the true value by."""
        if self.missed is not None:
            return self.missed
        return (1 - self.level) / 2 if self.side == "both" else 1 - self.level

    @property
    def z(self) -> float:
        """Return the normal quantile that leaves one tail out."""
        from scipy.special import ndtri

        return float(-ndtri(self.tail))

    def t(self, degrees_of_freedom: float) -> float:
        """Return the quantile of Student's t that leaves one tail out."""
        from scipy.special import stdtrit

        # Of a tail of 1e-300 scipy has the right size, infinity, with the wrong sign.
        return abs(float(stdtrit(degrees_of_freedom, self.tail)))

    def for_one(self) -> Confidence:
        """Return how sure the one limit is that an unseen kind of cases moves."""
        # It may miss what both limits may. Simulated: 1.25 times as often, as not all samples miss.
        missed = min(1.25 * (2 if self.side == "both" else 1) * self.tail, max(self.tail, 0.5))
        return replace(self, missed=missed)

    def opened(self, limits: tuple[Limit, Limit], ends: tuple[Limit, Limit]) -> tuple[Limit, Limit]:
        """Return the limits, that of an open side moved to the end of the scale."""
        low, high = limits
        return (ends[0] if self.side == "upper" else low, ends[1] if self.side == "lower" else high)

    def interval(
        self,
        estimate: float,
        limits: Limits,
        ends: Limits,
        method: str,
        se: float | None,
        notes: Sequence[str] = (),
    ) -> Interval:
        """Return the interval with such limits on a scale that has these ends."""
        low, high = self.opened(limits, ends)
        return Interval(low, estimate, high, self.level, method, se, tuple(notes))

    def certain(self, value: float, note: str) -> Interval:
        """Return the interval of a number that is the same in any sample."""
        return Interval(value, value, value, self.level, "definition", 0.0, (note,))


@dataclass(frozen=True, slots=True)
class IntervalRequest:
    """An interval that was asked for; each option that it was told is an attribute."""

    counts: Any  # of classes or amounts
    name: Any  # of the metric
    method: str | None
    confidence: Confidence
    # By name, as the signature of `confidence_interval` declares them, once and for all.
    options: Mapping[str, Any]

    def __getattr__(self, option: str) -> Any:
        if option != "options" and option in self.options:
            return self.options[option]
        raise AttributeError(f"an interval is told no {option!r}")

    def told(self, **options: Any) -> IntervalRequest:
        """Return the same with other options."""
        return replace(self, options={**self.options, **options})

    @property
    def place(self) -> dict[str, Any]:
        """The share of all cases, if any, as metrics take it."""
        return {} if self.q is None else {"q": self.q}

    @property
    def fixed_seed(self) -> Any:
        """The seed; without one the same counts give the same interval too."""
        seed = self.options.get("seed")
        return 0 if seed is None else seed

    def samples(self, usual: int = REPLICATES) -> int:
        """Return how many samples to draw: so many unless asked."""
        return self.options.get("replicates") or usual

    def resampling(self, counts: ScoreCounts, usual: int = REPLICATES) -> Resampling:
        """Return how to draw other samples of such counts."""
        return Resampling(counts, self.samples(usual), self.fixed_seed)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Test(_Number):
    """The result of a test: what was tested, the statistic and its p-value.

    Attributes
    ----------
    name
        What was tested.
    statistic, p_value
        The number compared with chance, and how often chance alone reaches it.
    df
        Degrees of freedom, or None when the law has none.
    estimate
        The number that the question is about: a difference, an AUC, a gap.
    se
        Its standard error, or None.
    low, high, level
        Its two-sided confidence limits and their level, or None.
    p_adjusted
        The p-value after adjustment for all tests made together, or None.
    estimates
        The named numbers behind the estimate.
    metric
        What estimates are measured in: "roc_auc", "accuracy_ratio" (twice as wide), or None.
    alternative
        What the test looked for.
    method
        How the p-value came about.
    notes
        What a reader must know about it.
    """

    # Else pytest would take the class for a test case wherever it is imported.
    __test__: ClassVar[bool] = False

    name: str
    statistic: float
    p_value: float
    method: str
    alternative: str = "two-sided"
    df: float | None = None
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    p_adjusted: float | None = None
    metric: str | None = None
    estimates: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the test shows: its numbers, and the estimate between its limits."""
        # Of a difference the names are those of scores, which stay as they were typed.
        named = self.name == LESS.join(self.estimates)
        title = self.name if named else capitalised(self.name)
        around = limits("plain", self.low, self.high)
        value = "" if _is_undefined(self.estimate) else f"{plain_text(self.estimate)} {around}"
        chance = "" if math.isnan(self.p_value) else chance_text(self.p_value)
        said = ", ".join(filter(None, (value.rstrip(), chance))) or UNDEFINED
        shown = self._shown(title, f"{title}: {said} ({self.alternative}).")
        if not self.estimates:
            return shown
        numbers = np.array(list(self.estimates.values()), dtype=np.float64)
        columns = {"name": label_column(self.estimates), "value": numbers}
        return replace(shown, tables=(Table("Estimates", columns),))


def as_metric(metric: object, *, or_influenced: bool = False, or_at_share: bool = False) -> Any:
    """Return the name of the AUC's metric, or one with influences, that is meant by any name."""
    known = get_args(RankingMetric)
    if metric in known:  # asked for every one of very many pairs
        return metric
    if or_influenced:
        of_cases = filter(influenced, METRICS)
        known += tuple(m for m in of_cases if or_at_share or not METRICS[m].needs)
    known += tuple(m for m in METRICS if METRICS[m].compared_at) if or_at_share else ()
    return as_name(METRICS.name_of(metric), "metric", known, METRICS.aliases)


def factor_of(metric: object, *, or_influenced: bool = False) -> int:
    """Return what an AUC less 1/2 is multiplied with to be in a metric, else raise ValueError."""
    # Of a metric with influences, where one is taken, the number itself is at hand.
    known = METRICS.get(metric) if isinstance(metric, str) else None
    if or_influenced and known and (known.compared_at or influenced(metric)):
        return 1
    return 2 if as_metric(metric, or_influenced=or_influenced) == "accuracy_ratio" else 1


def in_metric(auc: float, metric: str) -> float:
    """Return an AUC in a metric: 2·AUC - 1 as accuracy ratio, else as it is."""
    return 2 * auc - 1 if metric == "accuracy_ratio" else auc


def influenced(metric: object) -> Metric | None:
    """Return a metric that tells how far each case moves it, which is not the AUC's alone."""
    known = METRICS.get(metric) if isinstance(metric, str) else None
    return known if known and known.influence and metric not in get_args(RankingMetric) else None


def auc_or(counts: Ranking, metric: str) -> float:
    """Return such a metric of counts, else the AUC, which accuracy ratios are compared by."""
    known = influenced(metric)
    return known.value(counts.every_score()) if known else roc_auc(counts)


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
        One test per pair, first less second, in the order of `names`; with more than two
        scores limits and `p_adjusted` hold for all pairs at once.
    overall
        Two scores: the test of the pair. More: chi-square of all being equal, or of the
        contrast that was asked for.
    margin
        The difference that matters, in `metric`, if one was given; not in `to_dict`.
    q
        The share of cases at which captured response or lift is compared, else None; not in
        `to_dict`, whose methods name it.
    threshold
        The PD cut-off at which net benefit is compared, else None; not in `to_dict`.
    alone
        The interval of each score by itself, or none; not in `to_dict`.
    """

    _schema_version = None
    _added = ()
    _left_out = frozenset({"margin", "q", "threshold", "alone"})

    names: tuple[str, ...]
    metric: str
    estimates: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    pairs: tuple[Test, ...]
    overall: Test
    margin: float | None = None
    q: float | None = None
    threshold: float | None = None
    alone: tuple[Interval, ...] = ()

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
