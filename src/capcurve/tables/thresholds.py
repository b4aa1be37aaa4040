"""Cut-offs: what selecting everything at or above a score means, and which one to choose."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from capcurve.counts import ValueCounts
from capcurve.counts.settings import AMOUNTS, Words
from capcurve.curves.kinds import means
from capcurve.curves.shares import require, require_amount
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import about_classes, takes_rankings
from capcurve.metrics.depth import share_selected
from capcurve.numbers.arguments import as_finite, as_share
from capcurve.numbers.exact import cumulated, lift_of, quotient, rounded_by_blocks
from capcurve.numbers.frame import Backend, data_frame
from capcurve.numbers.meeting import as_written, rounded_to, selected_at
from capcurve.show.columns import form_of
from capcurve.show.format import Worded, cutoff_text, shortest_cutoff
from capcurve.show.table import Table, score_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Amounts, Ranking, ScoreCounts
    from capcurve.counts.sums import ValueSums
    from capcurve.gate.taking import Column
    from capcurve.input.columns import ColumnLike
    from capcurve.numbers.types import Amount, Array, Floats, Places

# Longer tables show scores in full: each shorter text takes its time, and nobody reads them all.
MOST_SHORTENED = 1000


class CutOff:
    """A cut-off that shows its profit where it was found by one."""

    __slots__ = ()

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame of one row, a column for each number.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; the first of these that is installed when left out.

        Examples
        --------
        >>> from capcurve import best_thresholds
        >>> (best,) = best_thresholds([1, 0, 1], [3, 2, 1], "profit", value=5, cost=3)
        >>> best.to_frame("polars").select("threshold", "value", "cost", "profit").rows()
        [(3, 5.0, 3.0, 2.0)]
        """
        return data_frame({name: [value] for name, value in self._shown().items()}, backend)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({shown})"

    def _shown(self) -> dict[str, Any]:
        """Return the fields, without those of a profit where there is none."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]  # of dataclasses
        left_out = ("words", *(("value", "cost", "profit") if values["profit"] is None else ()))
        return {name: value for name, value in values.items() if name not in left_out}


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(CutOff):
    """One cut-off and what selecting the cases on its side brings.

    Attributes
    ----------
    threshold
        Lowest-ranked score still selected; None when none is.
    next_score
        Highest-ranked score no longer selected; None when all are, or where totals of a ranking
        do not hold it. Any cut-off from `threshold` to short of `next_score` selects the same
        cases.
    q
        Share of cases selected.
    captured
        Share of positives selected: true positive rate, recall.
    fpr
        Share of negatives selected: false positive rate.
    precision
        Share of selected cases that are positive; None when none is selected.
    lift
        Precision over prevalence; None when none is selected.
    tp, fp, tn, fn
        The confusion matrix: cases, or their weight.
    value, cost, profit
        What a captured positive brings, a selected case costs, and value·tp - cost·(tp + fp),
        infinite beyond the largest float; None but of the cut-offs that `best_thresholds` finds by
        "profit".
    """

    threshold: Any
    next_score: Any
    q: float
    captured: float
    fpr: float
    precision: float | None
    lift: float | None
    tp: Amount
    fp: Amount
    tn: Amount
    fn: Amount
    value: float | None = None
    cost: float | None = None
    profit: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ValuePoint(CutOff):
    """One cut-off and which amount selecting the cases on its side brings.

    Attributes
    ----------
    threshold, next_score
        As in an `OperatingPoint`.
    q
        Share of the exposure selected; of the cases where none was given.
    captured
        Share of the amount selected; None where amounts below 0 leave it undefined.
    mean_amount
        Mean amount per unit of exposure of the cases selected; None when none is.
    lift
        That over the mean of all; None when none is selected, or where `captured` is None.
    n, exposure, amount
        Cases, exposure and amount selected.
    words
        What is selected and captured, for `reading`.
    value, cost, profit
        What a unit of the amount brings, a unit of exposure costs, and value·amount -
        cost·exposure; None but of the cut-offs that `best_thresholds` finds by "profit".
    """

    threshold: Any
    next_score: Any
    q: float
    captured: float | None
    mean_amount: float | None
    lift: float | None
    n: int
    exposure: Amount
    amount: Amount
    words: Words = AMOUNTS
    value: float | None = None
    cost: float | None = None
    profit: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class UpliftPoint(CutOff):
    """One cut-off of a trial and what treating the cases on its side gains.

    Attributes
    ----------
    threshold, next_score
        As in an `OperatingPoint`.
    q
        Share of cases treated.
    uplift
        Uplift among them; None when nobody is treated.
    gain
        Gain per case of the list, q times the uplift.
    value, cost, profit
        What one more outcome brings, treating a case costs, and value·gain - cost·q.
    """

    threshold: Any
    next_score: Any
    q: float
    uplift: float | None
    gain: float
    value: float
    cost: float
    profit: float


@dataclass(frozen=True, slots=True)
class ClassCutoffs:
    """Every cut-off of the counts, from selecting nobody to selecting everybody."""

    counts: ScoreCounts
    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @classmethod
    def of(cls, counts: ScoreCounts) -> ClassCutoffs:
        """List the cut-offs of counts in which both classes occur."""
        require(counts, "positives", "negatives")
        columns = (counts.positives, counts.negatives)
        # From the other end, as a difference has lost a small weight beside a large one.
        rest = (cumulated(column[::-1])[::-1] for column in columns)
        return cls(counts, *map(cumulated, columns), *rest)

    @property
    def n1(self) -> Amount:
        """All positives."""
        return self.tp[-1].item()

    @property
    def n0(self) -> Amount:
        """All negatives."""
        return self.fp[-1].item()

    def captured(self) -> Floats:
        """Return the share of positives selected at each cut-off."""
        return np.asarray(self.tp / self.n1, dtype=np.float64)

    def fpr(self) -> Floats:
        """Return the share of negatives selected at each cut-off."""
        return np.asarray(self.fp / self.n0, dtype=np.float64)

    def q(self) -> Floats:
        """Return the share of cases selected at each cut-off."""
        return np.asarray((self.tp + self.fp) / (self.n1 + self.n0), dtype=np.float64)

    def precision(self) -> Floats:
        """Return the share of selected cases that are positive; NaN where none is selected."""
        return quotient(self.tp, self.tp + self.fp, np.nan)

    def lift(self) -> Floats:
        """Return captured over q; NaN where none is selected."""
        n1, n, cases = self.n1, self.n1 + self.n0, self.tp + self.fp
        none = int(np.searchsorted(cases, 0, side="right"))
        some = rounded_by_blocks(
            lambda tp, selected: lift_of(tp, n1, selected, n), self.tp[none:], cases[none:]
        )
        return np.concatenate([np.full(none, np.nan), some])

    def point(self, place: int) -> OperatingPoint:
        """Return one cut-off: that after so many distinct scores."""
        tp, fp = self.tp[place].item(), self.fp[place].item()
        selected, n = tp + fp, self.n1 + self.n0
        return OperatingPoint(
            threshold=_score(self.counts, place - 1),
            next_score=_score(self.counts, place),
            q=selected / n,
            captured=tp / self.n1,
            fpr=fp / self.n0,
            precision=tp / selected if selected else None,
            lift=float(lift_of(tp, self.n1, selected, n).high) if selected else None,
            tp=tp,
            fp=fp,
            tn=self.tn[place].item(),
            fn=self.fn[place].item(),
        )


@dataclass(frozen=True, slots=True)
class ValueCutoffs:
    """Every cut-off of amounts, from selecting nobody to selecting everybody."""

    sums: ValueSums
    cases: Array
    exposure: Array
    amount: Array

    @classmethod
    def of(cls, values: Amounts) -> ValueCutoffs:
        """List the cut-offs of amounts of which some are not 0."""
        require_amount(values, absolute=values.signed)
        sums = values.by_score()
        return cls(sums, *map(cumulated, (sums.rows, sums.exposures, sums.amounts)))

    def q(self) -> Floats:
        """Return the share of the exposure selected at each cut-off."""
        return np.asarray(self.exposure / self.exposure[-1].item(), dtype=np.float64)

    def captured(self) -> Floats:
        """Return the share of the amount selected at each cut-off, or raise ValueError."""
        require_amount(self.sums)
        return np.asarray(self.amount / self.amount[-1].item(), dtype=np.float64)

    def mean_amount(self) -> Floats:
        """Return the mean amount of the cases selected at each cut-off; NaN where none is."""
        return means(self.amount, self.exposure)

    def point(self, place: int) -> ValuePoint:
        """Return one cut-off: that after so many distinct scores."""
        amount, exposure = self.amount[place].item(), self.exposure[place].item()
        total, whole = self.amount[-1].item(), self.exposure[-1].item()
        shares = not self.sums.signed
        mean = means(self.amount[[place]], self.exposure[[place]]).item() if place else None
        lift = float(lift_of(amount, total, exposure, whole).high) if place and shares else None
        return ValuePoint(
            threshold=_score(self.sums, place - 1),
            next_score=_score(self.sums, place),
            q=exposure / whole,
            captured=amount / total if shares else None,
            mean_amount=mean,
            lift=lift,
            n=self.cases[place].item(),
            exposure=exposure,
            amount=amount,
            words=self.sums.words,
        )


def each_score(counts: Ranking | Amounts) -> ScoreCounts | ValueSums:
    """Return what there is at each distinct score."""
    return counts.by_score() if is_amounts(counts) else counts.every_score()


def _score(counts: ScoreCounts | ValueSums, place: int) -> Any:
    if not 0 <= place < len(counts):
        return None
    score = counts.thresholds[place]
    return as_written(score).item() if isinstance(score, np.generic) else score


@about_classes('gains_table(values, bins="score")')
def threshold_table(counts: ScoreCounts) -> Table:
    """Return the table of all cut-offs: selecting nobody, each distinct score, everybody.

    Raises `ValueError` when a class is missing.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    Table
        K + 1 rows. A cut-off anywhere from `threshold` to short of `next_score` selects the
        same cases: tp, fp, tn, fn, tpr, fpr, precision, lift, q.

    Examples
    --------
    Low scores are bad here: cases at 100 and 300 of five.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")
    >>> threshold_table(counts)["tpr"]
    array([0. , 0.5, 0.5, 1. , 1. , 1. ])
    """
    cuts = ClassCutoffs.of(counts)
    place = np.arange(len(counts) + 1)
    columns = {
        "threshold": score_column(counts.thresholds, place > 0),
        "next_score": score_column(counts.thresholds, place < len(counts)),
        "tp": cuts.tp,
        "fp": cuts.fp,
        "tn": cuts.tn,
        "fn": cuts.fn,
        "tpr": cuts.captured(),
        "fpr": cuts.fpr(),
        "precision": cuts.precision(),
        "lift": cuts.lift(),
        "q": cuts.q(),
    }
    sign = ">=" if counts.higher_is == "positive" else "<="
    note = f"a case is selected when its score {sign} the cut-off"
    return with_cutoffs(Table("thresholds", columns, note), counts)


@overload
def operating_point(
    counts: Ranking,
    *,
    q: float | None = None,
    k: int | None = None,
    captured: float | None = None,
    precision: float | None = None,
    fpr: float | None = None,
    threshold: Any = None,
) -> OperatingPoint: ...
@overload
def operating_point(
    counts: Amounts,
    *,
    q: float | None = None,
    k: int | None = None,
    captured: float | None = None,
    mean_amount: float | None = None,
    threshold: Any = None,
) -> ValuePoint: ...
@overload
def operating_point(
    amount: Column, score: Column, /, *, exposure: ColumnLike, **words: Any
) -> ValuePoint: ...
@overload
def operating_point(
    target: Column,
    score: Column,
    /,
    *,
    q: float | None = None,
    k: int | None = None,
    captured: float | None = None,
    precision: float | None = None,
    fpr: float | None = None,
    threshold: Any = None,
    **rows: Any,
) -> OperatingPoint: ...
@takes_rankings
def operating_point(
    counts: Ranking | Amounts,
    *,
    q: float | None = None,
    k: int | None = None,
    captured: float | None = None,
    precision: float | None = None,
    fpr: float | None = None,
    mean_amount: float | None = None,
    threshold: Any = None,
) -> OperatingPoint | ValuePoint:
    """Return the operating point, an attainable cut-off, for one coordinate: give exactly one.

    Raises `ValueError` when no cut-off fulfils it, or not exactly one coordinate is given.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    q, fpr
        At most this share of cases (with amounts: of the exposure), of negatives, is selected.
    k
        At most so many cases are selected.
    captured, precision
        At least this share of positives (of the amount) is captured; the selection is at least
        this pure.
    mean_amount
        The cases selected have at least this mean amount per unit of exposure.
    threshold
        A score or grade name; the cases on its side are selected.

    Returns
    -------
    OperatingPoint or ValuePoint
        The deepest cut-off that stays within q, k, fpr, precision or mean_amount; for `captured`
        the shallowest that reaches it, since going deeper would select cases for nothing.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> operating_point(counts, captured=0.6).threshold
    0.7
    """
    scores = each_score(counts)
    cuts = ValueCutoffs.of(scores) if is_amounts(scores) else ClassCutoffs.of(scores)
    given: dict[str, Any] = {"q": q, "k": k, "captured": captured}
    given |= {"precision": precision, "fpr": fpr, "mean_amount": mean_amount}
    given["threshold"] = threshold
    known = {name: value for name, value in given.items() if name in COORDINATES[type(cuts)]}
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) != 1 or not asked.keys() <= known.keys():
        found = ", ".join(asked) or "none"
        raise ValueError(f"give exactly one of {', '.join(known)}; got {found}")
    name, value = next(iter(asked.items()))
    if name == "k":
        name, value = "q", share_selected(counts, None, value)
    if name == "threshold":
        return cuts.point(selected_at(scores, value))
    wanted = as_finite(value, name) if name == "mean_amount" else as_share(value, name)
    return cuts.point(_place_of_share(cuts, name, wanted))


def nearest_point(
    counts: ScoreCounts | ValueSums, q: float
) -> tuple[int, OperatingPoint | ValuePoint]:
    """Return the cut-off that selects nearest to a share, and how many distinct scores it selects.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> nearest_point(counts, 0.45)[1].threshold
    0.7
    """
    cuts = ValueCutoffs.of(counts) if is_amounts(counts) else ClassCutoffs.of(counts)
    place = 1 + int(np.argmin(np.abs(cuts.q()[1:] - q)))
    return place, cuts.point(place)


# What a cut-off may be asked for by.
COORDINATES: dict[type, tuple[str, ...]] = {
    ClassCutoffs: ("q", "k", "captured", "precision", "fpr", "threshold"),
    ValueCutoffs: ("q", "k", "captured", "mean_amount", "threshold"),
}


def _place_of_share(cuts: ClassCutoffs | ValueCutoffs, name: str, value: float) -> int:
    along = getattr(cuts, name)()
    if name in {"q", "fpr"}:
        return int(np.searchsorted(along, value, side="right")) - 1
    if name == "captured":
        return int(np.searchsorted(along, value))
    pure = np.flatnonzero(along[1:] >= value)
    if not len(pure):
        best = float(np.nanmax(along))
        what = name.replace("_", " ")
        raise ValueError(f"no cut-off reaches a {what} of {value:g}; the best has {best:.4g}")
    return int(pure[-1]) + 1


def selected_at_each(counts: ScoreCounts | ValueSums, thresholds: Sequence[float]) -> Places:
    """Return how many distinct scores stand on the selected side of each of several cut-offs."""
    scores, falls = counts.thresholds, counts.higher_is == "positive"
    if scores.dtype.kind != "f":
        return np.array([selected_at(counts, each) for each in thresholds], dtype=np.intp)
    cuts = rounded_to(thresholds, scores.dtype)
    if falls:
        return len(scores) - np.searchsorted(scores[::-1], cuts)
    return np.searchsorted(scores, cuts, side="right")


def as_shown(counts: Ranking | Amounts, threshold: Any) -> Any:
    """Return a cut-off that reads as the shortest decimal that selects the same cases.

    Only numbers of many digits are shortened, and of totals none, as they lack the scores between.

    >>> from capcurve import count_scores
    >>> as_shown(count_scores([1, 0, 1], [0.7000000012, 0.4, 0.2]), 0.7000000012).text
    '0.7'
    """
    return shown_each(counts, [threshold])[0]


def shown_each(counts: Ranking | Amounts, thresholds: Sequence[Any]) -> list[Any]:
    """Return several cut-offs that read so."""
    shown = [*thresholds]
    if not (is_amounts(counts) or counts.is_complete):
        return shown
    places = [place for place, each in enumerate(shown) if isinstance(each, float)]
    cuts = [shown[place] for place in places]
    if isinstance(counts, ValueCounts) and counts.is_of_floats:
        following = [counts.score_after(each) for each in cuts]
    else:
        scores = each_score(counts)
        if scores.score.dtype != np.float64 or scores.levels is not None:
            return shown  # narrow ones have few digits
        following = [_score(scores, int(after)) for after in selected_at_each(scores, cuts)]
    falls = counts.higher_is == "positive"
    for place, cut, after in zip(places, cuts, following, strict=True):
        text = shortest_cutoff(cut, after, falls=falls)
        if text != cutoff_text(cut):
            shown[place] = Worded(cut, text)
    return shown


def with_cutoffs(table: Table, counts: Ranking | Amounts) -> Table:
    """Return a table whose scores read as short as the counts of all scores allow."""
    scores = dict.fromkeys(
        score
        for name, column in table.columns.items()
        if form_of(name) == "score" and len(column) <= MOST_SHORTENED
        for score in column.tolist()
        if score == score  # noqa: PLR0124 - NaN
    )
    shown = shown_each(counts, [*scores])
    texts = {float(each): each.text for each in shown if isinstance(each, Worded)}
    return replace(table, cutoffs=texts)
