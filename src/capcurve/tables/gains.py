"""The gains table: cases in bins from the most likely positive down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import every_score, require, sample_rate, shares
from capcurve.metrics.binning import bin_ends
from capcurve.tables.selecting import selected_at
from capcurve.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import Ranked, ScoreCounts


def gains_table(
    counts: Ranked, *, bins: int | str | Sequence[Any] = 10, prevalence: float | None = None
) -> Table:
    """Return cases, positives, captured share and lift in bins from the top down.

    Parameters
    ----------
    counts
        What was counted.
    bins
        How many bins of about equal size; "score" for one per distinct score; or cut points:
        scores that each start a new bin below them, the score itself still above.
    prevalence
        Re-weight the classes to a population in which this share is positive: rate and lift
        move, counted cases stay.

    Returns
    -------
    Table
        Columns bin, score_from, score_to, n, positives, rate, cum_n, cum_positives,
        captured, lift, cum_lift, ks. Ties are never split between bins, so sizes may be
        uneven, which the note says.

    Raises
    ------
    ValueError
        When a class is missing or `bins` makes no sense.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> table = gains_table(count_scores([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1]), bins=3)
    >>> table["cum_lift"]
    array([2., 1., 1.])
    """
    require(counts, "positives", "negatives")
    ends, asked = ends_of_bins(counts, bins)
    counts = counts.vertices
    sums, rate = shares(counts, prevalence), sample_rate(counts, prevalence)
    starts = np.concatenate([[0], ends[:-1]])
    p, n = sums.positives, sums.negatives
    here_p = p.sums[ends] - p.sums[starts]
    here_n = here_p + n.sums[ends] - n.sums[starts]
    # Shares in the widest float, so that their ratios are those of `lift` to the last digit.
    cases = sums.cases.sums.astype(np.longdouble) / sums.cases.total
    positives = p.sums.astype(np.longdouble) / p.total
    lift = _ratio(positives[ends] - positives[starts], cases[ends] - cases[starts])
    cum_lift = _ratio(positives[ends], cases[ends])
    captured = p.sums[ends] / p.total
    columns = {
        "bin": np.arange(1, len(ends) + 1),
        "score_from": _score_at(counts, starts, ends, starts),
        "score_to": _score_at(counts, starts, ends, ends - 1),
        "n": here_n,
        "positives": here_p,
        "rate": lift * rate,
        "cum_n": p.sums[ends] + n.sums[ends],
        "cum_positives": p.sums[ends],
        "captured": captured,
        "lift": lift,
        "cum_lift": cum_lift,
        "ks": captured - n.sums[ends] / n.total,
    }
    return Table("gains", columns, _note(here_n, asked))


def ends_of_bins(
    counts: Ranked, bins: int | str | Sequence[Any]
) -> tuple[NDArray[Any], int | None]:
    """Return how many distinct scores each bin and those before it hold, and the bins asked for."""
    if isinstance(bins, str):
        if bins != "score":
            raise ValueError(f'bins must be a number, "score" or cut points, got {bins!r}')
        return np.arange(1, len(every_score(counts)) + 1), None
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        return bin_ends(counts, int(bins)), int(bins)
    if isinstance(bins, bool | float) or not hasattr(bins, "__iter__"):
        raise ValueError(f'bins must be a whole number, "score" or cut points, got {bins!r}')
    counts = every_score(counts)
    return np.array([*_cut_places(counts, list(bins)), len(counts)]), None


def _cut_places(counts: ScoreCounts, cuts: list[Any]) -> list[int]:
    """Return how many distinct scores are selected at each cut point."""
    places = [selected_at(counts, cut, "cut point") for cut in cuts]
    if len(set(cuts)) < len(cuts):
        raise ValueError("a cut point is given twice; give each once")
    return sorted(places)


def _score_at(
    counts: ScoreCounts, starts: NDArray[Any], ends: NDArray[Any], places: NDArray[Any]
) -> NDArray[Any]:
    """Return the score at each place; None for a bin without cases."""
    inside = np.clip(places, 0, len(counts) - 1)
    scores: NDArray[Any] = counts.thresholds[inside]
    if (ends > starts).all():
        return scores
    shown: NDArray[Any] = scores.astype(object)
    shown[ends <= starts] = None
    return shown


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    full = whole > 0
    ratio = np.where(full, part / np.where(full, whole, 1), np.nan)
    return ratio.astype(np.float64)


def _note(sizes: NDArray[Any], asked: int | None) -> str | None:
    if asked is None:
        return None
    if len(sizes) < asked:
        return f"{len(sizes)} bins instead of {asked}: ties are never split between bins"
    uneven = sizes.max() - sizes.min() > 1
    return "bins differ in size: ties are never split between bins" if uneven else None
