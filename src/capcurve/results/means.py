"""mean_over: one number inside each segment, averaged, with limits, and how it is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from capcurve.counts import SegmentCounts
from capcurve.gate.given import segments as counts_by_segment
from capcurve.gate.taking import taking_segments
from capcurve.inference.designs import freedom_text
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.means import (
    FEW_SEGMENTS,
    SegmentNumbers,
    SegmentQuestion,
    holds_both,
    mean_interval,
    notes_on_segments,
    part_at,
)
from capcurve.inference.of_segments import (
    LACKS_SEGMENT,
    MOST_DOTTED,
    called_at,
    reasons_told,
    segments_chart,
)
from capcurve.inference.records import Confidence, Interval, RankingMetric
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg, word
from capcurve.results.segments import sizes_by_segment
from capcurve.show.columns import ColumnName
from capcurve.show.format import (
    capitalised,
    counted,
    limits,
    number,
    percent,
    plain_names,
    stated_percent,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table, labelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.curves.kinds import Errors
    from capcurve.inference.means import SegmentLaw, SegmentWeights
    from capcurve.metrics.depth import Gain
    from capcurve.metrics.retrieval import Ties
    from capcurve.show.chart import Chart

# What every mean takes; all else is what metrics are told.
OF_ALL_MEANS = {"counts", "metric", "segments", "weights", "lacking", "level"}
MOST_LOWEST = 5
OF_ALL_ROWS = "All rows together"
SAYS_NOTHING = "{} says nothing of others: the limits are the whole range"
MANY_LEFT_OUT, HEAVY = 0.2, 0.5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SegmentMean(Interval):
    """The mean of one number over segments, with its confidence interval.

    It unpacks into its limits, as every interval does.

    Attributes
    ----------
    low, estimate, high, level, method, se, notes
        As in `Interval`; `se` is None of one drawn segment.
    metric
        The number inside each segment.
    segments, weights
        Whether segments are "drawn" or "fixed", and what they weigh.
    df
        Degrees of freedom of the standard error, or None.
    n_segments
        How many segments are averaged.
    left_out
        How many are not, by what they lack.
    pooled
        The number of all rows together; None at a depth of k cases, where it has no meaning.
    table
        A row per segment: its cases `n`, its positives, the value and the weight, NaN where it is
        left out. JSON has the rows of at most 60 segments.
    k, options, how
        At how many cases the number is, or None; what else the metric was told; and how segments
        are taken, in words.
    """

    _as_rows = frozenset({"table"})
    _left_out = frozenset({"replicates", "how"})

    metric: str = "accuracy_ratio"
    segments: SegmentLaw = "drawn"
    weights: Any = "equal"
    df: float | None = None
    n_segments: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    pooled: float | None = None
    how: str = ""
    table: Table = field(default_factory=lambda: Table("segments", {}))
    k: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that strict JSON can hold."""
        found = Result.to_dict(self)
        return {**found, "table": None} if len(self.table) > MOST_DOTTED else found

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.values()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.sentence

    @property
    def called(self) -> str:
        """What the number is called, such as "captured response at 10"."""
        depth = {} if self.k is None else {"k": self.k}
        return called_at(METRICS[self.metric].label, {**self.options, **depth})

    @property
    def title(self) -> str:
        """What the mean is called, such as "Mean AUC"."""
        return capitalised(f"mean {self.called.removeprefix('mean ')}")

    def presentation(self) -> Presentation:
        """Return what the mean shows: itself, what is left out, each segment."""
        form, title = METRICS[self.metric].form, self.title
        figures = [Figure("mean", title, title, self.estimate, form, self.low, self.high)]
        if self.pooled is not None:
            figures.append(Figure("pooled", OF_ALL_ROWS, OF_ALL_ROWS, self.pooled, form))
        return Presentation(
            title=title,
            sentences=tuple(self._sentences()),
            figures=tuple(figures),
            level=self.level,
            findings=gravest_first(self._findings()),
            charts=(self._chart(),),
            tables=(self._shown_table(),) if len(self.table) <= MOST_DOTTED else (),
            notes=(f"Method: {self.method}.", *(f"{capitalised(note)}." for note in self.notes)),
        )

    def _sentences(self) -> Iterator[str]:
        """Yield the mean, what is left out, how segments count, and the worst of them."""
        many, form = self._many, METRICS[self.metric].form
        over = f"{self.n_segments:,} of {many:,}" if self.n_segments < many else f"{many:,}"
        value = f"{written(form, self.estimate)} {limits(form, self.low, self.high)}".rstrip()
        yield f"{self.title} over {over} {'segment' if many == 1 else 'segments'} {value}."
        if self.se is None or self.df is None:
            yield f"{self.how}."
        else:
            free = f"{freedom_text(self.df)} degree{'s' * (self.df != 1)} of freedom"
            yield f"{self.how}; standard error {number(self.se)}, {free}."
        if worst := self._worst():
            rises = METRICS[self.metric].direction > 0
            yield f"{'Lowest' if rises else 'Highest'}: {', '.join(worst)}."

    @property
    def _many(self) -> int:
        """How many segments there are; rows without one are none."""
        return len(self.table) - self.left_out.get(LACKS_SEGMENT, 0)

    def _worst(self) -> list[str]:
        """Return the segments that are farthest on the bad side of the mean."""
        direction, values = METRICS[self.metric].direction, self.table["value"]
        order = np.argsort(direction * values, kind="stable")[: min(MOST_LOWEST, self.n_segments)]
        names, form = plain_names(self.table["segment"].tolist()), METRICS[self.metric].form
        return [
            # A name that is a number is kept apart from the value.
            f"{names[at]}{':' * names[at][:1].isdigit()} {written(form, values[at])} "
            f"({counted(self.table['n'][at], 'case')})"
            for at in order.tolist()
            if direction * (values[at] - self.estimate) < 0
        ]

    def _findings(self) -> Iterator[Finding]:
        """Yield what there is to know about the mean."""
        pooled, many = self.pooled, self._many
        ranking = self.metric in get_args(RankingMetric) and self.n_segments > 1
        if ranking and pooled is not None and not self.low <= pooled <= self.high:
            said = (
                f"all rows together have {written(METRICS[self.metric].form, pooled)}, outside the "
                "limits of the mean: scores are not on one scale across segments"
            )
            advice = "compare scores of different segments only after each is calibrated"
            yield Finding("pooled_differs", "warning", said, advice)
        if self.segments == "drawn" and self.n_segments < FEW_SEGMENTS:
            said = f"the mean is over {counted(self.n_segments, 'segment')}, taken as drawn"
            advice = f"if these segments are all there are, take {word(segments='fixed')}"
            yield Finding("few_segments", "warning", said, advice)
        reasons = {why: n for why, n in self.left_out.items() if why != LACKS_SEGMENT}
        if (lost := sum(reasons.values())) > MANY_LEFT_OUT * many:
            said = f"of {many:,} segments {lost:,} are left out: {reasons_told(reasons)}"
            count = arg(lacking=METRICS[self.metric].worthless or 0)
            advice = f"let them count, such as {count}, or say that the mean is of the others"
            yield Finding("many_left_out", "warning", said, advice)
        weights = self.table["weight"]
        heaviest = int(np.nanargmax(weights))
        if weights[heaviest] > HEAVY and self.n_segments > 1:
            name = plain_names(self.table["segment"].tolist())[heaviest]
            said = f"segment {name} has {percent(weights[heaviest])} of the weight"
            yield Finding("one_heavy_segment", "info", said, "the mean is mostly its number")

    def _shown_table(self) -> Table:
        """Return the segments as people read them."""
        heads: tuple[Any, ...] = (
            *("segment", "cases", "positives"),
            ColumnName(self.called, METRICS[self.metric].form),
            ColumnName("weight", "share"),
        )
        columns = (column.tolist() for column in self.table.columns.values())
        return labelled("Segments", dict(zip(heads, columns, strict=True)))

    def _chart(self) -> Chart:
        """Return the picture of the value of each segment, and of the mean."""
        pooled = {} if self.pooled is None else {OF_ALL_ROWS: self.pooled}
        around = (f"{stated_percent(self.level)} interval of the mean", *self.limits)
        return segments_chart(
            f"{capitalised(self.called)} by segment",
            capitalised(self.called),
            self.table["segment"].tolist(),
            self.table["value"],
            levels={"Mean": self.estimate, **pooled},
            limits=around if all(map(math.isfinite, self.limits)) else None,
        )


@taking_segments
def mean_over(
    counts: Mapping[Any, Any],
    *,
    metric: Any = "accuracy_ratio",
    segments: SegmentLaw = "drawn",
    weights: SegmentWeights | Mapping[Any, float] = "equal",
    lacking: Any = "leave_out",
    level: float = 0.95,
    k: int | None = None,
    gain: Gain | None = None,
    q: float | None = None,
    threshold: float | None = None,
    ties: Ties | None = None,
    prevalence: float | None = None,
    errors: Errors | None = None,
    coverage: float | None = None,
    captured: float | None = None,
    alpha: float | None = None,
    max_q: float | None = None,
    max_fpr: float | None = None,
    value: float | None = None,
    cost: float | None = None,
) -> SegmentMean:
    """Return the mean of one number inside each segment, with limits: folds, queries, bands.

    Such as the AUC of ten folds, mean average precision over queries, or recall by length.

    Parameters
    ----------
    counts
        Counts by segment, as `count_segments` or `count_value_segments` return them.
    metric
        Any metric of one score, by name or as its function. A name may end in a depth:
        "recall@10", "precision@5", "ndcg@10", "mrr@10", "hit@1".
    segments
        "drawn" where another sample has other segments, as queries; "fixed" where it has the same
        ones, as folds, bands or centres.
    weights
        "equal"; "cases", "positives" (of an AUC the covariate-adjusted one) or "pairs" of each
        segment; or a mapping that names the weight of every segment, such as those of a standard
        population.
    lacking
        What is done with segments that lack a class that the number needs: "leave_out", "raise",
        or the number that they count, such as 0.
    level
        Confidence level, in (0, 1).
    k
        At how many cases, for numbers at a depth.
    gain
        For nDCG: "linear" or "exponential".
    q, threshold, ties, prevalence, errors, coverage, captured, alpha, max_q, max_fpr, value, cost
        What the metric is told, as its function is.

    Returns
    -------
    SegmentMean
        An interval that also says which segments were left out and why.

    Raises
    ------
    ValueError, TypeError
        For unknown words, metrics and options, and where no segment has the number.

    Notes
    -----
    The mean is Σwθ. Drawn: variance G/(G - 1)·Σw²(θ - mean)², 1/Σw² - 1 degrees of freedom. Fixed:
    DeLong's variance inside each segment, or that of influences, and Satterthwaite's degrees of
    freedom; a class with one case in a segment borrows the spread of the others. Weights that are
    counted are sampled too. Limits join Student's t as it is, the same on the scale of the log
    odds, and Clopper-Pearson where few are won or lost. With clusters it is these that are drawn,
    and fixed segments have the jackknife. DeLong et al. (1988); Janes & Pepe (2009), Biometrika
    96; LeDell, Petersen & van der Laan (2015), Electronic Journal of Statistics 9.

    Where segments are folds, limits are for the mean of the models that were fitted, not for the
    procedure that fits them: Bengio & Grandvalet (2004), JMLR 5.

    Examples
    --------
    One pair of two is won in the first segment, both are in the second: (1/2 + 1)/2.

    >>> from capcurve import count_segments
    >>> found = count_segments([1, 0, 0, 1, 0, 0], [2, 3, 1, 3, 2, 1], by=["a"] * 3 + ["b"] * 3)
    >>> mean_over(found, metric="auc").estimate, mean_over(found, metric="mrr").estimate
    (0.75, 0.75)
    """
    options = {option: told for option, told in locals().items() if option not in OF_ALL_MEANS}
    confidence = Confidence(level)
    held = counts_by_segment(counts, "mean_over")
    question = SegmentQuestion.ask(metric, segments, weights, lacking, **options)
    numbers = SegmentNumbers.of(held, question)
    if len(numbers.margins) > 1:
        raise TypeError("mean_over takes one score, and these are several: compare(counts, ...)")
    if numbers.units == 1:
        found, df = _of_one_segment(numbers, confidence), None
    else:
        found, df = mean_interval(numbers, confidence)
    return SegmentMean(
        *(found.low, found.estimate, found.high, found.level, found.method, found.se, found.notes),
        metric=question.name,
        segments=numbers.question.law,
        weights=question.weights,
        df=df,
        n_segments=len(numbers.used),
        left_out=numbers.left_out,
        pooled=_pooled(numbers),
        how=numbers.how,
        table=_table(numbers),
        k=question.k,
        options={name: value for name, value in question.options.items() if name != "k"},
    )


def _of_one_segment(numbers: SegmentNumbers, confidence: Confidence) -> Interval:
    """Return the plain number with its plain interval, or where segments are drawn all there is."""
    question, at = numbers.question, int(numbers.weights.argmax())
    if question.law == "fixed" and holds_both(numbers)[at]:
        part, options = part_at(numbers.counts)(at), dict(question.options)
        found = confidence_interval(part, question.name, level=confidence.level, **options)
        return found.with_notes(*notes_on_segments(numbers, drawn=False))
    one = "one cluster of segments" if (numbers.weights > 0).sum() > 1 else "one segment"
    value, (low, high) = float(numbers.means()[0]), numbers.ends
    return Interval(low, value, high, confidence.level, one, None, (SAYS_NOTHING.format(one),))


def _pooled(numbers: SegmentNumbers) -> float | None:
    """Return the number of all rows together, where it has a meaning and there is one."""
    question = numbers.question
    if "k" in question.metric.options + question.metric.needs and "q" not in question.options:
        return None
    counts = numbers.counts
    try:
        if isinstance(counts, SegmentCounts):
            whole = counts.whole()
        else:
            whole = type(part_at(counts)(0)).merge(counts.values())
        return float(question.metric.value(whole, **question.options))
    except ValueError:
        return None


def _table(numbers: SegmentNumbers) -> Table:
    """Return a row for each segment, those left out too."""
    columns = {
        **sizes_by_segment(numbers.counts, numbers.cases, numbers.positives),
        "value": numbers.values[0],
        "weight": np.where(numbers.reasons == "", numbers.weights, np.nan),
    }
    return Table("segments", columns)
