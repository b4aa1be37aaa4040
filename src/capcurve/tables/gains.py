"""The gains table: cases in bins from the most likely positive down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import told
from capcurve.counts.exact import share_of
from capcurve.counts.given import takes_counts
from capcurve.curves.shares import bin_ends, require, sample_rate, shares
from capcurve.tables.cutoffs import selected_at
from capcurve.tables.table import Table, score_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.exact import DoubleDouble
    from capcurve.counts.types import Array, Floats


@takes_counts
def gains_table(
    counts: Ranking, *, bins: int | str | Sequence[Any] = 10, prevalence: float | None = None
) -> Table:
    """Return cases, positives, captured share and lift in bins from the top down.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
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
    sums = shares(counts, prevalence)
    starts = np.concatenate([[0], ends[:-1]])
    p, n = sums.positives, sums.negatives
    here_p = p.sums[ends] - p.sums[starts]
    negatives = n.sums[ends] - n.sums[starts]
    here_n = here_p + negatives
    # In double-double, so that their ratios are those of `lift` to the last digit.
    axes = [(axis.sums, axis.total) for axis in (p, sums.cases)]
    upto = [share_of(along[ends], total) for along, total in axes]
    before = [share_of(along[starts], total) for along, total in axes]
    lift = _ratio(*(end - start for end, start in zip(upto, before, strict=True)))
    cum_lift = _ratio(*upto)
    captured = p.sums[ends] / p.total
    hit, missed = here_p, negatives
    if prevalence is not None:
        pi = sample_rate(counts, prevalence)
        hit, missed = pi * (here_p / p.total), (1 - pi) * (negatives / n.total)
    rate = np.full(len(ends), np.nan)
    np.divide(hit, hit + missed, out=rate, where=ends > starts)
    columns = {
        "bin": np.arange(1, len(ends) + 1),
        "score_from": _score_at(counts, starts, ends, starts),
        "score_to": _score_at(counts, starts, ends, ends - 1),
        "n": here_n,
        "positives": here_p,
        "rate": rate,
        "cum_n": p.sums[ends] + n.sums[ends],
        "cum_positives": p.sums[ends],
        "captured": captured,
        "lift": lift,
        "cum_lift": cum_lift,
        "ks": captured - n.sums[ends] / n.total,
    }
    return Table("gains", columns, _note(here_n, asked))


def ends_of_bins(counts: Ranking, bins: int | str | Sequence[Any]) -> tuple[Array, int | None]:
    """Return how many distinct scores each bin and those before it hold, and the bins asked for."""
    if isinstance(bins, str):
        if bins != "score":
            raise ValueError(f'bins must be a number, "score" or cut points, got {bins!r}')
        return np.arange(1, len(counts.every_score()) + 1), None
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        return bin_ends(counts, int(bins)), int(bins)
    if isinstance(bins, bool | float) or not np.iterable(bins):
        raise ValueError(f'bins must be a whole number, "score" or cut points, got {told(bins)}')
    counts = counts.every_score()
    return np.array([*_cut_places(counts, list(bins)), len(counts)]), None


def _cut_places(counts: ScoreCounts, cuts: list[Any]) -> list[int]:
    """Return how many distinct scores are selected at each cut point."""
    places = [selected_at(counts, cut, "cut point") for cut in cuts]
    if len(set(cuts)) < len(cuts):
        raise ValueError("a cut point is given twice; give each once")
    return sorted(places)


def _score_at(counts: ScoreCounts, starts: Array, ends: Array, places: Array) -> Array:
    """Return the score at each place; None for a bin without cases."""
    full = ends > starts
    return score_column(counts.thresholds[places[full]], full)


def _ratio(part: DoubleDouble, whole: DoubleDouble) -> Floats:
    full = whole.high > 0
    ratio = np.full(len(full), np.nan)
    ratio[full] = (part[full] / whole[full]).high
    return ratio


def _note(sizes: Array, asked: int | None) -> str | None:
    if asked is None:
        return None
    if len(sizes) < asked:
        return f"{len(sizes)} bins instead of {asked}: ties are never split between bins"
    uneven = sizes.max() - sizes.min() > 1
    return "bins differ in size: ties are never split between bins" if uneven else None
