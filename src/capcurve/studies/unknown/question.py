"""Which number is bounded: its value, what a positive adds to it, and how far chance moves it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from capcurve.counts import JointCounts, PartialCounts, ScoreCounts, Weights
from capcurve.counts.arguments import as_name, as_share, told
from capcurve.counts.completing import as_odds, as_pooled
from capcurve.counts.extremes import Costs, costs_of_pairs, costs_of_top
from capcurve.inference import compare, confidence_interval
from capcurve.metrics import accuracy_ratio, captured_response, roc_auc
from capcurve.show.format import amount
from capcurve.studies.unknown.records import Assumptions, BoundedMetric

if TYPE_CHECKING:
    from capcurve.counts.outcomes import Cells
    from capcurve.inference.records import Interval

ALSO = {"ar": "accuracy_ratio", "gini": "accuracy_ratio", "auc": "roc_auc"}
ALSO |= dict.fromkeys(("captured", "recall", "capture_rate"), "captured_response")
TWO = 2


def as_partial(given: Any, name: str) -> PartialCounts:
    """Return partial counts, else raise TypeError with the call to make."""
    if isinstance(given, PartialCounts):
        return given
    kind = type(given).__name__
    if isinstance(given, ScoreCounts | JointCounts):
        raise TypeError(
            f"{name} takes counts with unknown outcomes, got {kind}, in which all are known: "
            f"write {name}(count_partial(y, p)), with y empty where the outcome is unknown"
        )
    raise TypeError(
        f"{name} takes counts with unknown outcomes, got {kind}: write {name}(count_partial(y, p))"
    )


@dataclass(frozen=True, slots=True)
class Question:
    """The number that is asked for, of one score, or the difference of two."""

    metric: BoundedMetric
    q: float | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, partial: PartialCounts, metric: object, q: float | None) -> Question:
        """Return the question, or raise ValueError when it is none."""
        name = cast("BoundedMetric", as_name(metric, "metric", get_args(BoundedMetric), ALSO))
        if name != "captured_response" and q is not None:
            raise ValueError(f"q is for captured_response; {name} has no depth")
        if name == "captured_response":
            if q is None:
                raise ValueError("captured_response is read at a depth; pass q=, a share of cases")
            q = as_share(q, "q", some=True)
        if partial.names and len(partial.names) != TWO:
            raise ValueError(
                f"a difference is of two scores, and these counts have {len(partial.names)}; "
                f"count two together, or take one: partial.margin({partial.names[0]!r})"
            )
        return cls(name, q, partial.names)

    def value(self, counts: Any) -> float:
        """Return the number of counts in which every outcome is known."""
        if self.names:
            first, second = (self._of_one(counts.margin(name)) for name in self.names)
            return first - second
        return self._of_one(counts)

    def _of_one(self, counts: ScoreCounts) -> float:
        if self.metric == "captured_response":
            return captured_response(counts, cast("float", self.q))
        return roc_auc(counts) if self.metric == "roc_auc" else accuracy_ratio(counts)

    def value_or_none(self, counts: Any) -> float | None:
        """Return the number, or None where a class that it needs is missing."""
        needed = [counts.n1] if self.metric == "captured_response" else [counts.n1, counts.n0]
        return self.value(counts) if all(total > 0 for total in needed) else None

    def costs(self, cells: Cells) -> Costs:
        """Return what a positive in each cell adds to the number, up to a factor."""
        if self.metric == "captured_response":
            found = [costs_of_top(rank, cells.cases, cast("float", self.q)) for rank in cells.ranks]
        else:
            found = [costs_of_pairs(rank, cells.cases) for rank in cells.ranks]
        return found[0].minus(found[1]) if self.names else found[0]

    def limit(
        self, counts: Any, side: Literal["lower", "upper"], level: float
    ) -> tuple[float | None, str]:
        """Return the one-sided limit of the number, and how it was found or why there is none."""
        try:
            if self.names:
                return self._limit_of_difference(counts, side, level)
            metric = cast("str", self.metric)
            depth: dict[str, Any] = {} if self.q is None else {"q": self.q}
            found: Interval = confidence_interval(counts, metric, side=side, level=level, **depth)
        except ValueError as error:
            return None, f"no limits: {error}"
        return (
            found.low if side == "lower" else found.high,
            f"limits at either end: DeLong, {found.method}"
            if self.q is None
            else f"limits at either end: {found.method}",
        )

    def _limit_of_difference(
        self, counts: JointCounts, side: Literal["lower", "upper"], level: float
    ) -> tuple[float | None, str]:
        if self.metric == "captured_response":
            return None, "no limits: none are known of a difference of captured shares"
        test = compare(counts, metric=self.metric, level=2 * level - 1).pairs[0]
        return test.low if side == "lower" else test.high, f"limits at either end: {test.method}"


def as_rows(counts: Any) -> Any:
    """Return counts that limits can be computed of: a fraction of a case is as much of a row."""
    if counts.is_whole or counts.weights is not None:
        return counts
    groups = counts.groups and tuple(replace(g, weights=_rows(g)) for g in counts.groups)
    return replace(counts, weights=_rows(counts), groups=groups)


def _rows(counts: ScoreCounts) -> Weights:
    columns = counts.positives, counts.negatives
    positives, negatives = (np.sqrt(column.astype(np.float64)) for column in columns)
    rows = round(float(counts.n1)), round(float(counts.n0))
    return Weights("frequency", *rows, positives, negatives)


def as_assumptions(
    partial: PartialCounts,
    cells: Cells,
    positives: Any = None,
    odds: Any = None,
    ordered: object = False,
    pooled: object = None,
) -> Assumptions:
    """Return what is assumed of the unknown, or raise ValueError where that makes no sense."""
    if not isinstance(ordered, bool):
        raise TypeError(f"ordered must be True or False, got {told(ordered)}")
    bounds = None if positives is None else _as_positives(partial, positives)
    multiples = None if odds is None else _as_odds(odds)
    said = {"ordered=True": ordered, "odds=": multiples is not None, "pooled=": pooled is not None}
    if partial.names and any(said.values()):
        what = next(name for name, asked in said.items() if asked)
        raise ValueError(
            f"{what} is about the rates along one score, and a difference has two; narrow it with "
            f"positives=, or bound one score: partial.margin({partial.names[0]!r})"
        )
    for total, name in ((partial.known.n1, "positives"), (partial.known.n0, "negatives")):
        if multiples is not None and not total > 0:
            raise ValueError(
                f"the known have no {name}, so their odds tell nothing of the unknown; say how "
                "many are positive with positives="
            )
    together = as_pooled(pooled, cells)
    if ordered and pooled is None:
        together = True
    elif ordered and multiples is not None and not together:
        raise ValueError(
            "ordered=True and odds= need pooled rates, as those of the known may rise with better "
            "scores; pass pooled=True"
        )
    return Assumptions(positives=bounds, odds=multiples, ordered=ordered, pooled=together)


def _pair(value: Any) -> tuple[Any, Any]:
    """Return two values; one alone stands for both."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    several = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return (value[0], value[1]) if several and len(value) == TWO else (value, value)


def _as_positives(partial: PartialCounts, given: Any) -> tuple[Any, Any]:
    """Return the fewest and most positives among the unknown, of numbers of cases or shares."""
    pair, n = _pair(given), partial.unknown.n
    error = ValueError(
        f"positives must be two whole numbers of cases from 0 to {amount(n)}, such as "
        f"(0, {min(5, n):g}), or two shares of the unknown, such as (0.0, 0.2); got {told(given)}"
    )
    whole = [isinstance(v, int | np.integer) and not isinstance(v, bool) for v in pair]
    some = isinstance
    if not all(
        w or some(v, float | np.floating | Fraction | Decimal)
        for w, v in zip(whole, pair, strict=True)
    ):
        raise error
    least, most = (
        Fraction(v) if w else Fraction(repr(float(v))) if math.isfinite(v) else Fraction(-1)
        for w, v in zip(whole, pair, strict=True)
    )
    if not 0 <= least <= most <= (Fraction(n) if all(whole) else 1):
        raise error
    if not partial.is_whole:
        factor = 1.0 if all(whole) else n
        return float(least) * factor, min(float(most) * factor, n)
    if all(whole):
        return int(least), int(most)
    found = math.ceil(_cases(least, n)), math.floor(_cases(most, n))
    # Between two shares there may be no whole number of cases: the nearest then.
    return found if found[0] <= found[1] else (round((least + most) / 2 * n),) * 2


def _cases(share: Fraction, n: int) -> Fraction:
    """Return so many cases of n; whole ones where the share is their quotient, such as 5 / 30.

    >>> _cases(Fraction(repr(1 / 3)), 3), _cases(Fraction("0.25"), 6)
    (Fraction(1, 1), Fraction(3, 2))
    """
    nearest = round(share * n)
    return Fraction(nearest) if n and nearest / n == float(share) else share * n


def _as_odds(given: Any) -> tuple[float, float] | None:
    """Return the least and greatest multiple of the known odds; None where all are allowed."""
    least, most = (as_odds(value, "odds") for value in _pair(given))
    if least > most:
        raise ValueError(f"odds must run from the least to the greatest, got {told(given)}")
    return None if (least, most) == (0, math.inf) else (least, most)
