"""decompose: how much of an accuracy ratio comes from within segments and from between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from capcurve.counts.arguments import as_name
from capcurve.curves.shares import require
from capcurve.inference.records import Metric, in_metric
from capcurve.metrics import roc_auc
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.change.pairs import NEGATIVES, POSITIVES
from capcurve.studies.change.records import Decomposed
from capcurve.studies.change.sample import Sample
from capcurve.studies.change.segments import Segments, as_segments, segment_column
from capcurve.studies.change.shown import presentation_of_decomposition

if TYPE_CHECKING:
    from capcurve.counts.types import Floats
    from capcurve.show.presentation import Presentation


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Decomposition(Decomposed, Result):
    """An accuracy ratio, within segments and between them.

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

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of_decomposition(self)


def decompose(
    segments: Segments, *, metric: Metric = "accuracy_ratio", by: str = "segment"
) -> Decomposition:
    """Split an accuracy ratio into ranking within segments and ranking between them.

    Parameters
    ----------
    segments
        Counts by segment, as `count_segments` returns them.
    metric
        "accuracy_ratio" or "roc_auc".
    by
        What the segments are called together, such as "product".

    Returns
    -------
    Decomposition
        `whole` = `pairs_within`·`within` + (1 - `pairs_within`)·`between`, and a row per segment.

    Raises
    ------
    ValueError, TypeError
        Without both classes, or when something other than counts by segment is given.

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
    metric = cast("Metric", as_name(metric, "metric", get_args(Metric), {}))
    given = as_segments(segments, "segments")
    sample = Sample.of(given, list(given))
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
    aucs = {
        "ratio": np.where(both, own, np.nan),
        "of_positives": np.where(n1 > 0, rows, np.nan),
        "of_negatives": np.where(n0 > 0, columns, np.nan),
        "without": _without(sample, auc, rows, columns, own),
    }
    return Decomposition(
        metric=metric,
        pairs_within=share,
        segments=_table(sample, list(given), {k: _in(metric, v) for k, v in aucs.items()}),
        by=by,
        **{name: in_metric(value, metric) for name, value in found.items()},
    )


def _table(sample: Sample, keys: list[Any], numbers: dict[str, Floats]) -> Table:
    """Return a row per segment: its name, its cases and its numbers."""
    n1, n0 = sample.totals
    columns = {
        "segment": segment_column(keys),
        "n": sample.as_cases(n1 + n0),
        "positives": sample.as_cases(n1),
    }
    return Table("segments", {**columns, **numbers})


def _without(sample: Sample, auc: float, rows: Floats, columns: Floats, own: Floats) -> Floats:
    """Return the AUC of all other segments together, each segment left out in turn."""
    (n1, n0), all1, all0 = sample.totals, sample.total(POSITIVES), sample.total(NEGATIVES)
    won = auc * all1 * all0 - n1 * rows * all0 - n0 * columns * all1 + n1 * n0 * own
    pairs = (all1 - n1) * (all0 - n0)
    found: Floats = np.full(len(n1), np.nan)
    np.divide(won, pairs, out=found, where=pairs > 0)
    return found


def _ratio(value: float, share: float) -> float:
    return value / share if share > 0 else float("nan")


def _in(metric: Metric, aucs: Floats) -> Floats:
    return aucs if metric == "roc_auc" else 2 * aucs - 1
