"""adjacent_grades: whether each grade is riskier than the next one, as its scale says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts.given import takes_counts
from capcurve.curves.shares import require
from capcurve.inference.differences import holm
from capcurve.inference.records import Confidence
from capcurve.inference.scales import grade_sums, on_one_scale
from capcurve.inference.two_rates import TwoGroups, difference_limits, one_sided
from capcurve.show.format import cutoff_text, first_of, stated_percent
from capcurve.show.table import Table, score_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Array, Ints
    from capcurve.inference.two_rates import RatesMethod

METHODS = {"mid_p": "mid-p", "z": "pooled z", "fisher": "Fisher's exact"}
CLUSTERED = (
    "the rows are clustered, and the tests and limits treat them as independent: p-values are too "
    "small, and limits too narrow"
)
MOST_NAMED = 5


@takes_counts
def adjacent_grades(
    counts: Ranking, *, method: RatesMethod = "mid_p", level: float = 0.95
) -> Table:
    """Test for each pair of neighbouring grades whether the riskier one has the higher rate.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`, of rows that count alike, by
        grade; which way they run was stated when they were counted. Of a continuous score put
        neighbours together first, with `counts.joined` or `counts.at_resolution`.
    method
        "mid_p", "z" (pooled rate, normal law) or "fisher".
    level
        Confidence level of the limits of each difference.

    Returns
    -------
    Table
        A row per pair of neighbours that hold cases, the riskiest first: riskier, safer, n,
        positives and rate of each, difference with its limits low and high; p_value that the
        riskier one has a rate this much higher by chance, p_reversed that it has one this much
        lower; each adjusted for all pairs by Holm's method.

    Raises
    ------
    ValueError
        Without cases, for a single grade and for more than 1,000, and for weighted rows.

    Notes
    -----
    To show that all neighbours differ, each p_value must be small, without adjustment; to show
    that some pair is reversed, some p_reversed_adjusted. Grades not shown to differ are not shown
    to be equal. At 5%, in ten designs, mid-p rejects equal rates in 2.8 to 5.1% of samples,
    Fisher's test in 0.2 to 3.9%, the pooled z in 1.0 to 7.0%. Limits are those of Newcombe (1998),
    Stat. Med. 17, method 10. Clustered rows are taken as independent, which the note says.

    Examples
    --------
    Two positives among two cases of each grade, both in the riskier one: 1 dealing of 6, counted
    half.

    >>> from capcurve import ScoreCounts
    >>> table = adjacent_grades(ScoreCounts.from_counts([2, 1], [2, 0], [0, 2]))
    >>> round(float(12 * table["p_value"][0]), 12), round(float(12 * table["p_reversed"][0]), 12)
    (1.0, 11.0)
    """
    confidence, held = Confidence(level), _held(counts)
    scale = on_one_scale([held], ["counts"])
    (positives,), (negatives,) = grade_sums(scale, [held])
    full = np.flatnonzero(positives + negatives)
    if len(full) < 2:  # noqa: PLR2004 - a pair
        raise ValueError("there is one grade with cases, and a pair takes two")
    p, n = positives[full], (positives + negatives)[full]
    (upper, lower), (n_upper, n_lower) = (p[:-1], p[1:]), (n[:-1], n[1:])
    low, high = difference_limits((upper, lower), (n_upper, n_lower), confidence)
    tests = _tests((upper, n_upper, lower, n_lower), method)
    names = score_column(held.thresholds)
    columns = {
        "riskier": names[:-1],
        "safer": names[1:],
        "n_riskier": n_upper,
        "n_safer": n_lower,
        "positives_riskier": upper,
        "positives_safer": lower,
        "rate_riskier": upper / n_upper,
        "rate_safer": lower / n_lower,
        "difference": upper / n_upper - lower / n_lower,
        "low": low,
        "high": high,
        **tests,
    }
    empty = [
        grade for grade, cases in zip(scale.grades, positives + negatives, strict=True) if not cases
    ]
    return Table("neighbouring grades", columns, _note(held, method, level, empty))


def _held(counts: Ranking) -> ScoreCounts:
    """Return counts of every score, of cases that count alike, else raise ValueError."""
    require(counts)
    held = counts.every_score()
    if held.weights is not None or not held.is_whole:
        raise ValueError(
            "neighbouring grades are compared by dealing positives to cases that count alike, and "
            "the rows are weighted; use rate_table, which gives limits of weighted rates"
        )
    return held


def _tests(columns: Sequence[Ints], method: RatesMethod) -> dict[str, Array]:
    """Return the p-values of all pairs, in both directions, as they are and adjusted."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    pairs = [one_sided(TwoGroups(*row), method) for row in rows]
    higher, lower = (list(each) for each in zip(*pairs, strict=True))
    return {
        "p_value": np.array(higher),
        "p_adjusted": np.array(holm(higher)),
        "p_reversed": np.array(lower),
        "p_reversed_adjusted": np.array(holm(lower)),
    }


def _note(held: ScoreCounts, method: RatesMethod, level: float, empty: Sequence[object]) -> str:
    limits = f"two-sided {stated_percent(level)} Newcombe limits"
    said = [f"one-sided {METHODS[method]} tests, {limits}, Holm's adjustment"]
    if empty:
        said.append(f"without cases: {first_of(map(cutoff_text, empty), MOST_NAMED)}")
    if held.groups is not None:
        said.append(CLUSTERED)
    return "; ".join(said)
