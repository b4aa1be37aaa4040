"""Cut-offs: what selecting everything at or above a score means, and which one to choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_share, told
from capcurve.counts.exact import DoubleDouble, cumulated, rounded_by_blocks, share_of
from capcurve.counts.given import takes_counts
from capcurve.curves.shares import require
from capcurve.tables.table import Table, score_column

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Amount, Array, Floats


@dataclass(frozen=True, slots=True)
class OperatingPoint:
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


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """Every cut-off of the counts, from selecting nobody to selecting everybody."""

    counts: ScoreCounts
    tp: Array
    fp: Array

    @classmethod
    def of(cls, counts: ScoreCounts) -> Cutoffs:
        """List the cut-offs of counts in which both classes occur."""
        require(counts, "positives", "negatives")
        return cls(counts, cumulated(counts.positives), cumulated(counts.negatives))

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
        selected = self.tp + self.fp
        some = selected > 0
        return np.where(some, self.tp / np.where(some, selected, 1), np.nan)

    def lift(self) -> Floats:
        """Return captured over q; NaN where none is selected."""
        n1, n, cases = self.n1, self.n1 + self.n0, self.tp + self.fp
        none = int(np.searchsorted(cases, 0, side="right"))
        some = rounded_by_blocks(
            lambda tp, selected: _lift(tp, selected, n1, n), self.tp[none:], cases[none:]
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
            lift=float(_lift(tp, selected, self.n1, n).high) if selected else None,
            tp=tp,
            fp=fp,
            tn=self.n0 - fp,
            fn=self.n1 - tp,
        )


def _lift(tp: Amount, selected: Amount, n1: Amount, n: Amount) -> DoubleDouble:
    """Return captured over q."""
    return share_of(tp, n1) / share_of(selected, n)


def _score(counts: ScoreCounts, place: int) -> Any:
    if not 0 <= place < len(counts):
        return None
    value = counts.thresholds[place]
    return value.item() if isinstance(value, np.generic) else value


@takes_counts
def threshold_table(counts: ScoreCounts) -> Table:
    """Return every cut-off there is: selecting nobody, each distinct score, everybody.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.

    Returns
    -------
    Table
        K + 1 rows. A cut-off anywhere from `threshold` to short of `next_score` selects the
        same cases: tp, fp, tn, fn, tpr, fpr, precision, lift, q.

    Raises
    ------
    ValueError
        When a class is missing.

    Examples
    --------
    Low scores are bad here: cases at 100 and 300 of five.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0, 0], [100, 200, 300, 400, 500], higher_is="negative")
    >>> threshold_table(counts)["tpr"]
    array([0. , 0.5, 0.5, 1. , 1. , 1. ])
    """
    cuts = Cutoffs.of(counts)
    place = np.arange(len(counts) + 1)
    columns = {
        "threshold": score_column(counts.thresholds, place > 0),
        "next_score": score_column(counts.thresholds, place < len(counts)),
        "tp": cuts.tp,
        "fp": cuts.fp,
        "tn": cuts.n0 - cuts.fp,
        "fn": cuts.n1 - cuts.tp,
        "tpr": cuts.captured(),
        "fpr": cuts.fpr(),
        "precision": cuts.precision(),
        "lift": cuts.lift(),
        "q": cuts.q(),
    }
    sign = ">=" if counts.higher_is == "positive" else "<="
    return Table("thresholds", columns, f"a case is selected when its score {sign} the cut-off")


@takes_counts
def operating_point(
    counts: ScoreCounts,
    *,
    q: float | None = None,
    captured: float | None = None,
    precision: float | None = None,
    fpr: float | None = None,
    threshold: Any = None,
) -> OperatingPoint:
    """Return the attainable cut-off for one coordinate: give exactly one.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    q, fpr
        At most this share of cases, of negatives, is selected.
    captured, precision
        At least this share of positives is captured; the selection is at least this pure.
    threshold
        A score or grade name; the cases on its side are selected.

    Returns
    -------
    OperatingPoint
        The deepest cut-off that stays within q, fpr or precision; for `captured` the
        shallowest that reaches it, since going deeper would select cases for nothing.

    Raises
    ------
    ValueError
        When no cut-off fulfils it, or not exactly one coordinate is given.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])
    >>> operating_point(counts, captured=0.6).threshold
    0.7
    """
    given = {
        "q": q,
        "captured": captured,
        "precision": precision,
        "fpr": fpr,
        "threshold": threshold,
    }
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) != 1:
        found = ", ".join(asked) or "none"
        raise ValueError(f"give exactly one of {', '.join(given)}; got {found}")
    name, value = next(iter(asked.items()))
    cuts = Cutoffs.of(counts)
    if name == "threshold":
        return cuts.point(selected_at(counts, value))
    return cuts.point(_place_of_share(cuts, name, as_share(value, name)))


def _place_of_share(cuts: Cutoffs, name: str, value: float) -> int:
    along = getattr(cuts, name)()
    if name in {"q", "fpr"}:
        return int(np.searchsorted(along, value, side="right")) - 1
    if name == "captured":
        return int(np.searchsorted(along, value))
    pure = np.flatnonzero(along[1:] >= value)
    if not len(pure):
        best = float(np.nanmax(along))
        raise ValueError(f"no cut-off reaches a precision of {value}; the best has {best:.4g}")
    return int(pure[-1]) + 1


def selected_at(counts: ScoreCounts, threshold: Any, name: str = "threshold") -> int:
    """Return how many distinct scores stand on the selected side of a cut-off.

    Python compares whole numbers and fractions of any size exactly, which arrays of floats do not;
    a binary search needs few such comparisons.
    """
    if counts.levels is not None:
        if isinstance(threshold, np.ndarray) or threshold not in counts.levels:
            raise ValueError(
                f"{name} {told(threshold)} is not among the grades {list(counts.levels)}"
            )
        code = len(counts.levels) - 1 - counts.levels.index(threshold)
        return int((counts.score >= code).sum())
    cut = _plain(threshold)
    if isinstance(cut, str) or cut != cut:  # noqa: PLR0124 - NaN
        raise ValueError(f"{name} must be a score, got {told(threshold)}")
    low, high, scores = 0, len(counts), counts.thresholds
    try:
        while low < high:
            middle = (low + high) // 2
            score = _plain(scores[middle])
            inside = score >= cut if counts.higher_is == "positive" else score <= cut
            low, high = (middle + 1, high) if inside else (low, middle)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a score, got {told(threshold)}") from None
    return low


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
