"""grade_homogeneity_test: whether segments have the same rate of positives within each grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import as_open_share
from capcurve.counts.given import as_ranking
from capcurve.counts.plain import plain
from capcurve.inference.differences import holm
from capcurve.inference.records import Confidence, Test
from capcurve.inference.scales import grade_sums, on_one_scale
from capcurve.inference.two_rates import TwoGroups, difference_limits, two_sided
from capcurve.show.format import cutoff_text, first_of
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.adjacent import CLUSTERED, MOST_NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Array, Floats, Ints

TWO = 2
# Of the largest eigenvalue; smaller ones are rounding.
NOTHING = 1e-10
SIGNS = (
    "the test adds up differences over the grades: effects of opposite signs cancel, so read the "
    "table, too"
)
LACKING = "grades in which fewer than two segments have cases, or all cases one outcome: {}"
APART = "segments that share no grade with others are not compared: {}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeHomogeneity(Test):
    """The test that segments have the same rates within each grade, and where they do not.

    It has every attribute of a `Test`; `estimates` are the positives of each segment over those
    expected if all segments had the rates of their grades.

    Attributes
    ----------
    table
        A row per grade and segment with cases, tested against all other segments in that grade;
        of two segments the first only.
    """

    _as_rows = frozenset({"table"})

    table: Table = field(repr=False, compare=False)


def grade_homogeneity_test(
    segments: Mapping[Any, ScoreCounts], *, level: float = 0.95
) -> GradeHomogeneity:
    """Test whether cases of one grade are alike: the same rate of positives in every segment.

    Not to be confused with `heterogeneity_test`, which asks whether a score ranks as well in every
    segment.

    Parameters
    ----------
    segments
        Counts by segment, as `count_segments` returns them, of rows that count alike, by grade.
    level
        Confidence level of the limits of each difference in the table.

    Returns
    -------
    GradeHomogeneity
        A small p-value says that segments differ within grades, beyond chance. `table` has a row
        per grade and segment: n, positives and rate of the segment, the rate of all others, the
        difference with its limits low and high, p_value (two-sided mid-p) and p_adjusted (Holm,
        over all rows).

    Raises
    ------
    ValueError, TypeError
        With fewer than two segments that share a grade with both outcomes, for weighted rows, when
        scores do not mean the same, and for anything but counts by segment.

    Notes
    -----
    The generalised Cochran-Mantel-Haenszel test of segment and outcome, stratified by grade:
    Landis, Heyman & Koch (1978), International Statistical Review 46. It has as many degrees of
    freedom as segments less one, and misses effects that change sign from grade to grade. Limits
    are those of Newcombe (1998), Stat. Med. 17. Clustered rows are taken as independent, with a
    note.

    Examples
    --------
    One grade: of 4 positives among 10 cases each segment of 5 expects 2, and one has 4. The square
    of 4 - 2 over the variance 4·6·5·5/(10²·9) is 6.

    >>> from capcurve import ScoreCounts
    >>> new = ScoreCounts.from_counts([1], [4], [1])
    >>> old = ScoreCounts.from_counts([1], [0], [5])
    >>> found = grade_homogeneity_test({"new": new, "old": old})
    >>> round(found.statistic, 12), found.df, found.estimates
    (6.0, 1.0, {'new': 2.0, 'old': 0.0})
    """
    level = as_open_share(level, "level")
    counts = _checked(segments)
    names = list(map(str, counts))
    scale = on_one_scale(list(counts.values()), names)
    p, n = (np.array(each) for each in grade_sums(scale, list(counts.values())))
    n = n + p
    expected, variances, covariance = _under_equal_rates(p, n)
    surplus = (p - expected).sum(axis=1)
    statistic, df, apart = _quadratic(surplus, covariance)
    if not df:
        raise ValueError(
            "no grade has cases of two segments and of both outcomes, so there is nothing to test"
        )
    return GradeHomogeneity(
        name="equal rates of all segments within each grade",
        statistic=statistic,
        p_value=_upper_tail(statistic, df),
        df=float(df),
        method="generalised Cochran-Mantel-Haenszel",
        estimates=_ratios(names, p, expected),
        notes=tuple(_notes(counts, scale.grades, variances, apart)),
        table=_table(list(counts), _names(scale.grades), (p, n), level),
    )


def _checked(segments: Any) -> dict[Any, ScoreCounts]:
    """Return counts of every score of segments that hold cases, which count alike."""
    held = getattr(segments, "segments", segments)
    if isinstance(held, Mapping) and len(held) == 1 and held is not segments:
        held = next(iter(held.values()))
    if not isinstance(held, Mapping):
        raise TypeError(
            f"grade_homogeneity_test takes counts by segment, got {type(segments).__name__}: write "
            "grade_homogeneity_test(count_segments(y, p, by=...)), or evaluation.segments[score]"
        )
    every = {key: as_ranking(each, "grade_homogeneity_test") for key, each in held.items()}
    found = {key: each.every_score() for key, each in every.items() if len(each)}
    if len(found) < TWO:
        raise ValueError(
            f"comparing segments needs at least two with cases; {len(found)} of {len(held)} "
            "have some"
        )
    for key, each in found.items():
        if each.weights is not None or not each.is_whole:
            raise ValueError(
                f"segment {key!r} is weighted, and the test deals positives to cases that count "
                "alike; count without weight"
            )
    return found


def _under_equal_rates(p: Ints, n: Ints) -> tuple[Floats, Floats, Floats]:
    """Return expected positives, shape (G, K), their variances, and covariances over all grades."""
    total, positives = n.sum(axis=0), p.sum(axis=0)
    share = np.divide(n, total, out=np.zeros(n.shape), where=total > 0)
    spread, some = np.zeros(len(total)), total > 1
    # p·q·N²/(N - 1) in shares: whole numbers would leave 64 bits.
    rate = positives[some] / total[some]
    spread[some] = rate * (1 - rate) * total[some] / (total[some] - 1) * total[some]
    variances = spread * share * (1 - share)
    covariance = -(spread * share) @ share.T
    np.fill_diagonal(covariance, variances.sum(axis=1))
    return share * positives, variances, covariance


def _quadratic(surplus: Floats, covariance: Floats) -> tuple[float, int, list[int]]:
    """Return the statistic, its degrees of freedom, and the segments that it says nothing of."""
    scale = np.sqrt(np.diag(covariance))
    known = np.flatnonzero(scale > 0)
    apart = np.flatnonzero(scale == 0).tolist()
    if not len(known):
        return 0.0, 0, apart
    scaled = covariance[np.ix_(known, known)] / np.outer(scale[known], scale[known])
    values, vectors = np.linalg.eigh(scaled)
    kept = values > NOTHING * values.max()
    along = vectors[:, kept].T @ (surplus[known] / scale[known])
    return float((along**2 / values[kept]).sum()), int(kept.sum()), apart


def _upper_tail(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


def _ratios(names: list[str], p: Ints, expected: Floats) -> dict[str, float]:
    """Return the positives of each segment over those expected; none where none are expected."""
    sums = zip(names, p.sum(axis=1).tolist(), expected.sum(axis=1).tolist(), strict=True)
    return {name: seen / awaited for name, seen, awaited in sums if awaited > 0}


def _notes(
    counts: Mapping[Any, ScoreCounts], grades: tuple[Any, ...], variances: Floats, apart: list[int]
) -> list[str]:
    silent = [grade for grade, each in zip(grades, variances.T, strict=True) if not each.any()]
    notes = [SIGNS]
    if silent:
        notes.append(LACKING.format(first_of(map(cutoff_text, silent), MOST_NAMED)))
    if apart:
        names = list(map(str, counts))
        notes.append(APART.format(first_of((names[place] for place in apart), MOST_NAMED)))
    if any(each.groups is not None for each in counts.values()):
        notes.append(CLUSTERED)
    return notes


def _names(items: Iterable[Any]) -> Array:
    return label_column("(none)" if item is None else plain(item) for item in items)


def _table(segments: list[Any], grades: Any, sums: tuple[Ints, Ints], level: float) -> Table:
    """Return each segment against all others, grade by grade; of two segments the first."""
    p, n = sums
    p_rest, n_rest = p.sum(axis=0) - p, n.sum(axis=0) - n
    compared = (n > 0) & (n_rest > 0)
    if len(segments) == TWO:
        compared[1] = False
    # Grade by grade, and in each the segments in their order.
    grade, segment = np.nonzero(compared.T)
    here = (segment, grade)
    columns = (p[here], n[here], p_rest[here], n_rest[here])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    tests = [two_sided(TwoGroups(*row)) for row in rows]
    low, high = difference_limits(
        (p[here], p_rest[here]), (n[here], n_rest[here]), Confidence(level)
    )
    rate, rest = p[here] / n[here], p_rest[here] / n_rest[here]
    return Table(
        "segments within grades",
        {
            "grade": grades[grade],
            "segment": _names(segments)[segment],
            "n": n[here],
            "positives": p[here],
            "rate": rate,
            "rate_rest": rest,
            "difference": rate - rest,
            "low": low,
            "high": high,
            "p_value": np.array(tests),
            "p_adjusted": np.array(holm(tests)),
        },
    )
