"""What inference gives back: intervals, tests and bands, and how sure to be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

import numpy as np

from capcurve.inference.designs import Resampling
from capcurve.metrics import METRICS, Metric, roc_auc
from capcurve.numbers.arguments import as_name, as_open_share, as_word, told
from capcurve.show.chart import interval_chart
from capcurve.show.format import (
    Form,
    capitalised,
    chance_text,
    limits,
    plain_text,
    stated_percent,
)
from capcurve.show.presentation import UNDEFINED, Figure, Presentation
from capcurve.show.result import OneRow
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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

Limit = TypeVar("Limit")
# Between the names of what is subtracted.
LESS = " minus "
# Samples of a bootstrap, unless one asks for more or fewer.
REPLICATES = 2000


def _is_undefined(value: float | None) -> bool:
    return value is None or math.isnan(value)


class _Number(OneRow):
    """A number with what chance leaves of it; a file of csv has one row."""

    __slots__ = ()

    def __str__(self) -> str:
        return repr(self)  # one line, as in the middle of a sentence

    def _shown(self, title: str, sentence: str) -> Presentation:
        """Return all numbers that there are, and the estimate between its limits."""
        held: Any = self  # an interval or a test
        low, value, high, level = held.low, held.estimate, held.high, held.level
        around = {"estimate": (low, high)}
        numbers = {name: getattr(held, name, None) for name in TEST_NUMBERS}
        notes = (f"Method: {held.method}.", *(f"{capitalised(each)}." for each in held.notes))
        limited = all(not _is_undefined(each) for each in (low, value, high))
        label = f"{stated_percent(level or 0.0)} interval"
        charts = interval_chart(title, {label: (low, value, high)}, label) if limited else ()
        return Presentation(
            title=title,
            sentences=(sentence,),
            figures=tuple(
                Figure(name, label, label, numbers[name], form, *around.get(name, (None, None)))
                for name, (label, form) in TEST_NUMBERS.items()
                if numbers[name] is not None
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

    def one_sided(self) -> Confidence:
        """Return this confidence, or raise ValueError where a limit would be beyond the number."""
        if self.side != "both" and self.level < 0.5:  # noqa: PLR2004 - the median
            said = "the level of a one-sided limit must be 0.5 or more"
            raise ValueError(f"{said}, got {told(self.level)}")
        return self

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
        replicates: Floats | None = None,
    ) -> Interval:
        """Return the interval with such limits on a scale that has these ends."""
        low, high = self.opened(limits, ends)
        return Interval(low, estimate, high, self.level, method, se, tuple(notes), replicates)

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
    if or_influenced and known and metric not in get_args(RankingMetric):
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
