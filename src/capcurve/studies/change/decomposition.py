"""decompose: how much of an accuracy ratio comes from within segments and from between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from capcurve.curves.shares import require
from capcurve.gate.taking import taking_segments
from capcurve.inference.designs import NEGATIVES, POSITIVES
from capcurve.inference.records import RankingMetric, in_metric
from capcurve.metrics import METRICS, roc_auc
from capcurve.numbers.arguments import as_name
from capcurve.numbers.exact import quotient
from capcurve.show.columns import formed
from capcurve.show.format import Form, capitalised, number, percent
from capcurve.show.presentation import UNDEFINED, Figure, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.change.sample import SegmentedSample, Segments, as_segments, segment_names
from capcurve.studies.change.shown import plural

if TYPE_CHECKING:
    from capcurve.numbers.types import Array

DECOMPOSED_FORMS: dict[str, Form] = {"pairs_within": "share"}  # all others are ratios
# Of one segment: its own number, that of its positives and negatives, and of all others.
SEGMENT_HEADS = {
    "ratio": "own",
    "of_positives": "its positives",
    "of_negatives": "its negatives",
    "without": "without it",
}
NOTE_ON_PAIRS = (
    "own: {name} of the segment alone; its positives: ranked against all negatives; its negatives: "
    "ranked against all positives; without it: {name} of all other segments together"
)
NOTE_ON_SPLIT = (
    "The {name} of all is the mean over all pairs of a positive and a negative: the share of pairs "
    "within segments times the number within, and the rest times that between. Adjusted is the "
    "mean of the segments' own numbers, weighted by their positives (Janes & Pepe 2009)."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Decomposition(Result):
    """The decomposition of an accuracy ratio: within segments and between them.

    Attributes
    ----------
    metric
        "accuracy_ratio" or "roc_auc": what all numbers but shares are in.
    whole
        The number of all segments together.
    pairs_within
        Which share of all pairs of a positive and a negative lies inside one segment; `whole` is
        this share of `within` and the rest of `between`.
    within, between
        The number over pairs inside one segment, and over pairs of two; NaN where there are none.
    adjusted
        The number within segments as the positives are spread over them: the mean over segments
        with both classes, weighted by positives (Janes & Pepe 2009).
    segments
        A row per segment: cases, positives, the number inside it (`ratio`), that of its positives
        against all negatives and of its negatives against all positives, and `without`: the number
        of all other segments together.
    by
        What the segments are.
    """

    _as_rows = frozenset({"segments"})

    metric: RankingMetric
    whole: float
    pairs_within: float
    within: float
    between: float
    adjusted: float
    segments: Table
    by: str = "segment"

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        name, of = METRICS[self.metric].short, plural(self.by)
        labels = {
            "whole": f"{name} of all",
            "within": f"within {of}",
            "pairs_within": "pairs within",
            "between": f"between {of}",
            "adjusted": f"adjusted for {of}",
        }
        figures = (
            Figure(key, label, label, getattr(self, key), DECOMPOSED_FORMS.get(key, "ratio"))
            for key, label in labels.items()
        )
        note = NOTE_ON_PAIRS.format(name=name)
        said = (
            f"{name} is {number(self.whole)} for all cases, {_known(self.within)} inside segments "
            f"({percent(self.pairs_within)} of pairs) and {_known(self.between)} between them."
        )
        return Presentation(
            title=f"{capitalised(METRICS[self.metric].label)} within and between {of}",
            sentences=(said,),
            figures=tuple(figures),
            tables=(replace(self.segments, name=f"{name} by {self.by}", note=note),),
            notes=(NOTE_ON_SPLIT.format(name=name),),
        )


@taking_segments
def decompose(
    segments: Segments, *, metric: RankingMetric = "accuracy_ratio", by: str = "segment"
) -> Decomposition:
    """Decompose an accuracy ratio into ranking within segments and ranking between them.

    `whole` = `pairs_within`·`within` + (1 - `pairs_within`)·`between`, and a row per segment.
    Raises `ValueError` without both classes.

    Parameters
    ----------
    segments
        Counts by segment, as `count_segments` returns them.
    metric
        "accuracy_ratio" or "roc_auc".
    by
        What the segments are called together, such as "product".

    Notes
    -----
    The AUC is a mean over pairs of a positive and a negative, of which some lie in one segment.
    `adjusted` is the covariate-adjusted AUC of Janes & Pepe (2009), Biometrika 96.

    Examples
    --------
    Two segments with one pair each: won in one, lost in the other; of the two pairs between them
    one is won.

    >>> from capcurve import count_segments
    >>> found = decompose(
    ...     count_segments([1, 0, 0, 1], [4, 3, 2, 1], by=["A", "A", "B", "B"]), metric="roc_auc"
    ... )
    >>> found.whole, found.pairs_within, found.within, found.between
    (0.5, 0.5, 0.5, 0.5)
    """
    metric = cast("RankingMetric", as_name(metric, "metric", get_args(RankingMetric), {}))
    given = as_segments(segments, "segments")
    sample = SegmentedSample.of(given, list(given))
    require(sample.whole, "positives", "negatives")
    auc, (n1, n0) = roc_auc(sample.whole), sample.totals
    own = sample.means(POSITIVES, sample.own_placements(POSITIVES))
    rows, columns = (
        sample.means(side, sample.placements(side, sample.shares(1 - side)))
        for side in (POSITIVES, NEGATIVES)
    )
    inside = sample.shares(POSITIVES) * sample.shares(NEGATIVES)
    share = float(inside.sum())
    within = _ratio(float(inside @ own), share)
    both = (n1 > 0) & (n0 > 0)
    found = {
        "whole": auc,
        "within": within,
        "between": _ratio(auc - float(inside @ own), 1 - share),
        "adjusted": _ratio(float(n1 @ np.where(both, own, 0.0)), float(n1 @ both)),
    }
    # Of all other segments together, each segment left out in turn.
    all1, all0 = sample.total(POSITIVES), sample.total(NEGATIVES)
    won = auc * all1 * all0 - n1 * rows * all0 - n0 * columns * all1 + n1 * n0 * own
    aucs = {
        "ratio": np.where(both, own, np.nan),
        "of_positives": np.where(n1 > 0, rows, np.nan),
        "of_negatives": np.where(n0 > 0, columns, np.nan),
        "without": quotient(won, (all1 - n1) * (all0 - n0), np.nan),
    }
    table: dict[str, Array] = {
        "segment": segment_names(list(given)),
        "n": sample.as_cases(n1 + n0),
        "positives": sample.as_cases(n1),
        **{name: v if metric == "roc_auc" else 2 * v - 1 for name, v in aucs.items()},
    }
    numbers: dict[str, Any] = {name: in_metric(value, metric) for name, value in found.items()}
    return Decomposition(
        metric=metric,
        pairs_within=share,
        segments=Table("segments", formed(table, SEGMENT_HEADS, ratio=" ".join(SEGMENT_HEADS))),
        by=by,
        **numbers,
    )


def _ratio(value: float, share: float) -> float:
    return value / share if share > 0 else math.nan


def _known(value: float) -> str:
    return UNDEFINED if math.isnan(value) else number(value)
