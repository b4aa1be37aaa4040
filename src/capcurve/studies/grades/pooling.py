"""pool_periods: several periods as one sample, each case by its rank within its own period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals, ScoreCounts
from capcurve.gate.given import Segmented, segments
from capcurve.gate.taking import taking_segments
from capcurve.numbers.arguments import told
from capcurve.numbers.exact import cumulated, scaled
from capcurve.numbers.order import places_in
from capcurve.studies.grades.grading import recoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.numbers.types import Floats

PERIODS_TO_POOL = Segmented(
    "pool_periods takes counts by period, got {kind}: write pool_periods(y, p, by=period)",
    "there are no periods; pass counts by period, {{name: counts}}",
    "periods has those of several scores, {names}; pass evaluation.segments[score]",
)


@taking_segments
def pool_periods(periods: Mapping[Any, ScoreCounts]) -> ScoreCounts:
    """Pool periods into one sample, by the rank of each case within its own period.

    So the scale of the score may change from period to period, and so may its mean.

    Raises `ValueError` without a period, when only some periods have clusters, or when their
    weights differ in kind.

    Parameters
    ----------
    periods
        Counts of each period by its name, as `count_segments` returns them.

    Returns
    -------
    ScoreCounts
        The cases of all periods. A case's score is the share of its period's cases that are rated
        no better than it: in (0, 1], the riskiest lowest, hence `higher_is="negative"`. Cases of
        one period that share a score share its end, and equal shares of two periods are ties.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, annex 1: AUC
    and DeLong's variance of the result are those of all periods. i/n and j/m are equal as floats
    exactly when they are equal, while n·m < 2^53. Cases that recur in several periods are not
    independent: count every period with `cluster=`, the id of the case, and the groups stay
    together.

    Examples
    --------
    Three cases in one period and two in the other: ranks 1/3, 2/3, 1 and 1/2, 1.

    >>> from capcurve import count_scores
    >>> pooled = pool_periods(
    ...     {2024: count_scores([1, 0, 0], [9, 5, 2]), 2025: count_scores([1, 0], [0.7, 0.1])}
    ... )
    >>> pooled.score.round(3).tolist(), pooled.positives.tolist(), pooled.higher_is
    ([0.333, 0.5, 0.667, 1.0], [1, 1, 0, 0], 'negative')
    """
    held = segments(periods, "pool_periods", PERIODS_TO_POOL)
    for name, counts in held.items():
        if not isinstance(counts, ScoreCounts | RankTotals):
            raise TypeError(
                f"period {told(name)} must be ScoreCounts, got {type(counts).__name__}: write "
                "pool_periods(y, p, by=period)"
            )
    return ScoreCounts.merge([_ranked(counts.every_score()) for counts in held.values()])


def _ranked(counts: ScoreCounts) -> ScoreCounts:
    """Return the same cases with their ranks for scores; cells and groups stay as they are."""
    share = _shares(counts)
    # Of weights a share may be too small to change the sum: such scores have one rank.
    ends = np.flatnonzero(share != np.append(share[1:], np.inf)) + 1
    if len(ends) < len(share):
        counts, share = counts.joined(ends), share[ends - 1]
    own = {"higher_is": "negative", "levels": None, "resolution": None}
    ranked: ScoreCounts = recoded(counts, lambda score: share[places_in(counts, score)], **own)
    return ranked


def _shares(counts: ScoreCounts) -> Floats:
    """Return the share of cases rated no better than each score, which ends at 1."""
    if counts.is_whole:
        upto = cumulated(counts.positives) + cumulated(counts.negatives)
    else:
        # Halves of weights add up without leaving the range of floats.
        upto = cumulated(scaled(counts.positives / 2 + counts.negatives / 2))
    return np.asarray(upto[1:] / upto[-1:], dtype=np.float64)
