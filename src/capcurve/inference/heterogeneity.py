"""Whether a score ranks equally well in every segment, or better in some than in others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.inference.bootstrap import check_replicates
from capcurve.inference.clustered_segments import Found, equal_aucs
from capcurve.inference.independent import variance_above_zero
from capcurve.inference.record import Metric, Test, factor_of, in_metric
from capcurve.inference.redealing import binormal, permutation, redealt, within
from capcurve.inference.segments import heterogeneity, spreads_of
from capcurve.inference.sizes import require_rows
from capcurve.metrics import roc_auc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts

Calibration = Literal["within", "permutation", "bootstrap", "chi2", "jackknife"]
LEAST_SEGMENTS = 2
REPLICATES = 2000
DRAW_NOTHING = ("chi2", "jackknife")
TEXTBOOK_SIZE = (
    "chi-square holds for large segments only: with 12 segments of 10 positives equal ones "
    "are called different in about 30% of tests at the 5% level, with 50 positives in 9 to 10%"
)
CLUSTERED = (
    "rows are clustered, and method={!r} treats them as independent: the p-value is too small"
)
OWN_SHAPE = (
    "each segment is resampled from its own cases; with fewer than 10 positives in each, equal "
    "segments are called different less often than stated"
)
SAME_SHAPE = (
    "segments are taken to separate their classes in the same way; in small segments of very "
    "different shape the p-value is too small"
)


def heterogeneity_test(
    segments: Mapping[Any, ScoreCounts],
    *,
    method: Calibration | None = None,
    metric: Metric = "roc_auc",
    replicates: int = REPLICATES,
    seed: Any = None,
) -> Test:
    """Test whether segments differ in how well the score ranks, by more than chance.

    Parameters
    ----------
    segments
        Counts by segment, as `count_segments` returns them. Those that lack a class are left
        out, with a note.
    method
        Left out, "within", and "jackknife" when all segments have clusters.
        "within": every segment is resampled from its own cases; "permutation": cases are dealt
        anew among the segments, on a scale that takes differences in level away; "bootstrap":
        segments are drawn from two normal laws of one AUC, with the sizes and ties seen;
        "chi2": the large-sample law, for large segments; "jackknife": groups of clusters are
        left out of all segments at once, so that obligors may be in several, and Hotelling's
        law.
    metric
        "roc_auc" or "accuracy_ratio": what estimates are measured in.
    replicates
        How many samples the methods but "chi2" and "jackknife" draw.
    seed
        Anything `numpy.random.default_rng` takes; the same whole number gives the same result.

    Returns
    -------
    Test
        `statistic` is Q = Σ(A - Ā)²/v over the segments, `estimate` the common Ā.

    Raises
    ------
    ValueError
        With fewer than two segments that have both classes; for weighted counts unless the
        method is "chi2"; for "chi2" with fewer than two cases of a class in a segment.

    Notes
    -----
    Cochran's Q. For "chi2" v is DeLong's variance in each segment, as in textbooks. The others
    steady the spread within each segment by that of all, as much as 20 cases' worth: in small
    segments DeLong's variance is itself so uncertain that Q says little. Two segments of 100
    positives and four of 10, of one AUC but spreads of 0.67 and 3, are called different at 5%
    in 9% of simulations by "within", in 27% by "permutation".

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> good = ScoreCounts.from_counts([3, 2, 1], [30, 8, 2], [20, 80, 300])
    >>> poor = ScoreCounts.from_counts([3, 2, 1], [12, 16, 12], [100, 150, 150])
    >>> heterogeneity_test({"good": good, "poor": poor}, seed=1).p_value < 0.01
    True
    """
    if method is not None and method not in get_args(Calibration):
        names = ", ".join(f'"{known}"' for known in get_args(Calibration))
        raise ValueError(f"method must be one of {names}; got {method!r}")
    if not isinstance(segments, Mapping):
        raise TypeError(
            f"segments must map names to counts, as count_segments returns; "
            f"got {type(segments).__name__}"
        )
    factor = factor_of(metric)
    used, left_out = _usable(segments)
    counts = list(used.values())
    clustered = [part.groups is not None for part in counts]
    method = method or ("jackknife" if all(clustered) else "within")
    if method in DRAW_NOTHING and (seed is not None or replicates != REPLICATES):
        raise ValueError(f'method="{method}" draws no samples: leave seed and replicates out')
    if method == "jackknife":
        if not all(clustered):
            raise ValueError(
                'method="jackknife" leaves out groups of clusters; count with cluster='
            )
        found, name, note = equal_aucs(counts)
    elif method == "chi2":
        found, name, note = _textbook(counts), "chi-square", TEXTBOOK_SIZE
    else:
        check_replicates(replicates)
        found = _resampled(counts, method, replicates, seed)
        name = f"{method}, {replicates} replicates"
        note = OWN_SHAPE if method == "within" else SAME_SHAPE
    aucs = [in_metric(float(auc), metric) for auc in found.aucs]
    ignored = (CLUSTERED.format(method),) if any(clustered) and method != "jackknife" else ()
    return Test(
        name="all segments equal",
        statistic=found.q,
        p_value=found.p_value,
        method=name,
        df=float(len(counts) - 1),
        estimate=in_metric(found.middle, metric),
        se=factor * found.se,
        metric=metric,
        estimates={str(key): auc for key, auc in zip(used, aucs, strict=True)},
        notes=(note, *left_out, *ignored),
    )


def _usable(segments: Mapping[Any, ScoreCounts]) -> tuple[dict[Any, ScoreCounts], tuple[str, ...]]:
    used = {key: counts for key, counts in segments.items() if counts.n1 > 0 and counts.n0 > 0}
    if len(used) < LEAST_SEGMENTS:
        raise ValueError(
            f"comparing segments needs at least two with positives and negatives; {len(used)} "
            f"of {len(segments)} have both"
        )
    for counts in used.values():
        require_rows(counts)
    lost = [str(key) for key in segments if key not in used]
    return used, (f"left out for lack of a class: {', '.join(lost)}",) if lost else ()


def _textbook(segments: Sequence[ScoreCounts]) -> Found:
    from scipy.special import chdtrc

    aucs = np.array([roc_auc(counts) for counts in segments])
    variances = np.array([variance_above_zero(counts, "delong")[0] for counts in segments])
    q, middle, se = heterogeneity(aucs, variances)
    return Found(aucs, q, middle, se, float(chdtrc(len(segments) - 1, q)))


def _resampled(
    segments: Sequence[ScoreCounts], method: Calibration, replicates: int, seed: Any
) -> Found:
    if any(counts.weights is not None for counts in segments):
        raise ValueError(f'method="{method}" deals cases anew, and these are weighted; use "chi2"')
    spreads = spreads_of(segments)
    q, middle, se = heterogeneity(spreads.aucs, spreads.variances())
    if method == "within":
        deal, expected = within(segments)
    elif method == "permutation":
        deal, expected = permutation(segments)
    else:
        deal, expected = binormal(segments, middle)
    drawn = redealt(deal, expected, replicates, seed)
    # Equal but for rounding counts as reached; so does the sample itself.
    reached = int((drawn >= q * (1 - 1e-9)).sum())
    return Found(spreads.aucs, q, middle, se, (1 + reached) / (1 + replicates))
