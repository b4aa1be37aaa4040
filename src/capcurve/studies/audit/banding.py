"""What binning a score costs: the accuracy ratio of the score, of its bins, and inside each bin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import require
from capcurve.gate.taking import takes_counts
from capcurve.numbers.exact import exact_dot
from capcurve.show.chart import BLUE, Axis, Bars, Chart, ScoreTicks, Style
from capcurve.show.columns import formed
from capcurve.show.format import number
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import Result
from capcurve.tables import gains_table
from capcurve.tables.gains import ends_of_bins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking
    from capcurve.numbers.types import Array
    from capcurve.show.table import Table


@dataclass(frozen=True, slots=True, repr=False)
class BandingLoss(Result):
    """The banding loss: how much of the accuracy ratio is lost when only the bins are known.

    Attributes
    ----------
    accuracy_ratio
        Of the score.
    of_bins
        Of its bins, as a gains table shows them: straight lines between the points.
    loss
        The first less the second.
    table
        One row per bin: its scores, cases and positives, its weight (its share of all pairs of a
        positive and a negative), the accuracy ratio inside it, and weight times that: its loss.
    """

    _added = ()

    accuracy_ratio: float
    of_bins: float
    loss: float
    table: Table

    def presentation(self) -> Presentation:
        """Return what the loss shows: both accuracy ratios, and what is lost inside each bin."""
        whole, bins = number(self.accuracy_ratio), number(self.of_bins)
        verb = "loses" if self.loss > 0 else "gains"
        lost = f"{verb} {number(abs(self.loss), 4)}" if self.loss else "loses nothing"
        at = np.arange(len(self.table), dtype=np.float64)
        said = f"Binning {lost} of the accuracy ratio ({whole}, and {bins} with {len(at)} bins)."
        chart = Chart(
            title="Accuracy ratio lost inside each bin",
            x=Axis("Bin", "score", ends=(-0.6, len(at) - 0.4)),
            y=Axis("Loss", "number"),
            bars=[Bars(self.table["loss"], "Loss", Style(BLUE), at=at, width=0.8)],
            scores=ScoreTicks(at, [str(each) for each in self.table["bin"].tolist()]),
            description=said,
        )
        return Presentation(
            title="Banding loss",
            sentences=(said,),
            figures=(
                Figure("accuracy_ratio", "AR of the score", "AR", self.accuracy_ratio, "ratio"),
                Figure("of_bins", "AR of its bins", "AR of bins", self.of_bins, "ratio"),
                Figure("loss", "lost by binning", "loss", self.loss, "fine"),
            ),
            charts=(chart,),
            tables=(replace(self.table, name="Banding loss by bin"),),
        )

    def __repr__(self) -> str:
        return f"{self.sentence}\n\n{self.table!r}"


@takes_counts
def banding_loss(counts: Ranking, *, bins: int | str | Sequence[Any] = 10) -> BandingLoss:
    """Return the banding loss: how much of the accuracy ratio is lost when a score is binned.

    AR = AR of the bins + Σ w_b·AR_b over the bins b, where AR_b is the accuracy ratio inside bin b
    and w_b = p_b·m_b / (n1·n0) its share of all pairs of a positive and a negative. Each number is
    rounded once. Raises `ValueError` when a class is missing, or when `bins` makes no sense.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    bins
        As in `gains_table`: how many bins of about equal size, "score", or cut points.

    Notes
    -----
    The sum over pairs of cases, split into those of one bin and those of two: exact for any bins.

    Examples
    --------
    Of the 9 pairs, 6 are in order and 3 are not. Between two bins of three cases 4 pairs are in
    order, 1 is not; inside each bin 1 is in order and 1 is not.

    >>> from capcurve import count_scores
    >>> found = banding_loss(count_scores([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]), bins=2)
    >>> found.accuracy_ratio == 3 / 9, found.of_bins == 3 / 9, found.loss
    (True, True, 0.0)
    """
    require(counts, "positives", "negatives")
    ends, _ = ends_of_bins(counts, bins)
    every = counts.every_score()
    p, m = (_in_whole_units(column) for column in (every.positives, every.negatives))
    pairs = Fraction(int(p.sum()) * int(m.sum()))
    starts = [0, *ends.tolist()]
    inside = [_won_less_lost(p[a:b], m[a:b]) for a, b in pairwise(starts)]
    tied = [int(p[a:b].sum()) * int(m[a:b].sum()) for a, b in pairwise(starts)]
    whole, lost = Fraction(_won_less_lost(p, m)) / pairs, Fraction(sum(inside)) / pairs
    gains = gains_table(counts, bins=bins)
    ratios = [float(Fraction(d, t)) if t else np.nan for d, t in zip(inside, tied, strict=True)]
    columns = {
        **{name: gains[name] for name in ("bin", "score_from", "score_to", "n", "positives")},
        "weight": np.array([float(Fraction(each) / pairs) for each in tied]),
        "accuracy_ratio": np.array(ratios),
        "loss": np.array([float(Fraction(each) / pairs) for each in inside]),
    }
    table = replace(gains, name="banding loss", columns=formed(columns, fine="weight loss"))
    return BandingLoss(float(whole), float(whole - lost), float(lost), table)


def _in_whole_units(column: Array) -> Array:
    """Return a column in whole numbers, weights in units of their last binary digit."""
    if column.dtype.kind != "f":
        return column.astype(np.int64)
    ratios = [value.as_integer_ratio() for value in column.tolist()]
    unit = max(below for _, below in ratios)
    return np.array([above * (unit // below) for above, below in ratios], dtype=object)


def _won_less_lost(positives: Array, negatives: Array) -> int:
    """Return pairs in order less pairs out of order, of cases from the top down."""
    above = np.cumsum(negatives)
    # Below a cell are all negatives but those down to it, above it those before it.
    rest = negatives.sum() - above - (above - negatives)
    return int(np.dot(positives, rest)) if rest.dtype == object else exact_dot(positives, rest)
