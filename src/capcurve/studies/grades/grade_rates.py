"""Rates of grades: adjacent_grades and grade_homogeneity_test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import require
from capcurve.gate.alike import OUTCOME, SCALE
from capcurve.gate.given import as_ranking, counts_alike, segments
from capcurve.gate.taking import about_classes, taking_segments
from capcurve.inference.designs import chi_square
from capcurve.inference.differences import holm, quadratic
from capcurve.inference.rates import (
    RatesMethod,
    TwoGroups,
    limits_of_difference,
    one_sided,
    two_sided,
)
from capcurve.inference.records import Confidence, Test
from capcurve.numbers.arguments import as_open_share
from capcurve.numbers.exact import quotient
from capcurve.numbers.plain import plain
from capcurve.results.findings import MOST_PARTS_NAMED
from capcurve.show.columns import formed
from capcurve.show.format import cutoff_text, first_of, stated_percent
from capcurve.show.table import Table, label_column, score_column
from capcurve.studies.grades.scales import GRADES_OF_CLUSTERS, grade_sums, on_one_scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Floats, Ints

METHOD_LABELS = {"mid_p": "mid-p", "z": "pooled z", "fisher": "Fisher's exact"}
TWO = 2
SIGNS_CANCEL = (
    "the test adds up differences over the grades: effects of opposite signs cancel, so read the "
    "table, too"
)
GRADES_LEFT_OUT = "grades in which fewer than two segments have cases, or all cases one outcome: {}"
SEGMENTS_APART = "segments that share no grade with others are not compared: {}"


@about_classes("gains_table")
def adjacent_grades(
    counts: Ranking, *, method: RatesMethod = "mid_p", level: float = 0.95
) -> Table:
    """Test for each pair of adjacent grades whether the riskier one has the higher rate.

    Raises `ValueError` without cases, for a single grade and for more than 1,000, and for weighted
    rows.

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
    confidence = Confidence(level)
    require(counts)
    held = counts.every_score()
    if not counts_alike(held):
        raise ValueError(
            "neighbouring grades are compared by dealing positives to cases that count alike, and "
            "the rows are weighted; use rate_table, which gives intervals of weighted rates"
        )
    scale = on_one_scale([held], ["counts"])
    (positives,), (cases,) = grade_sums(scale, [held])
    full = np.flatnonzero(cases)
    if len(full) < TWO:
        raise ValueError("there is one grade with cases, and a pair takes two")
    p, n = positives[full], cases[full]
    names = score_column(held.thresholds)
    columns = {"riskier": names[:-1], "safer": names[1:], **_tests(p, n, method, confidence)}
    limits = f"two-sided {stated_percent(level)} Newcombe intervals of each pair"
    said = [f"one-sided {METHOD_LABELS[method]} tests, {limits}, adjusted p-values by Holm"]
    if empty := [grade for grade, n in zip(scale.grades, cases, strict=True) if not n]:
        said.append(f"without cases: {first_of(map(cutoff_text, empty), MOST_PARTS_NAMED)}")
    if held.groups is not None:
        said.append(GRADES_OF_CLUSTERS)
    known = formed(
        columns,
        share="rate_riskier rate_safer",
        signed="difference",
        ratio="low high",
        p="p_reversed p_reversed_adjusted",
    )
    return Table("neighbouring grades", known, "; ".join(said))


def _tests(p: Ints, n: Ints, method: RatesMethod, confidence: Confidence) -> dict[str, Array]:
    """Return the columns of rates, limits and tests of each grade with cases and the next one."""
    (upper, lower), (n_upper, n_lower) = (p[:-1], p[1:]), (n[:-1], n[1:])
    low, high = limits_of_difference((upper, lower), (n_upper, n_lower), confidence)
    pairs = [one_sided(groups, method) for groups in _pairs(upper, n_upper, lower, n_lower)]
    higher, less = (list(each) for each in zip(*pairs, strict=True))
    return {
        "n_riskier": n_upper,
        "n_safer": n_lower,
        "positives_riskier": upper,
        "positives_safer": lower,
        "rate_riskier": upper / n_upper,
        "rate_safer": lower / n_lower,
        "difference": upper / n_upper - lower / n_lower,
        "low": low,
        "high": high,
        "p_value": np.array(higher),
        "p_adjusted": np.array(holm(higher)),
        "p_reversed": np.array(less),
        "p_reversed_adjusted": np.array(holm(less)),
    }


def _pairs(*columns: Ints) -> Iterator[TwoGroups]:
    """Yield the two groups of each row of positives and cases of one group and of the other."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return (TwoGroups(*row) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GradeHomogeneity(Test):
    """The test of homogeneity: whether segments have the same rates within each grade.

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


@taking_segments
def grade_homogeneity_test(
    segments: Mapping[Any, ScoreCounts], *, level: float = 0.95
) -> GradeHomogeneity:
    """Test the homogeneity of grades: whether each has the same rate of positives in all segments.

    Not to be confused with `heterogeneity_test`, which asks whether a score ranks as well in every
    segment.

    Raises `ValueError` with fewer than two segments that share a grade with both outcomes, for
    weighted rows, and when scores do not mean the same.

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
    scale = on_one_scale(list(counts.values()), names, (*OUTCOME, *SCALE))
    p, n = grade_sums(scale, list(counts.values()))
    expected, variances, covariance = _under_equal_rates(p, n)
    surplus = (p - expected).sum(axis=1)
    # Of a segment that shares no grade with others nothing is expected but what it has.
    compared = np.diag(covariance) > 0
    statistic, df, _ = quadratic(surplus[compared], covariance[np.ix_(compared, compared)])
    if not df:
        raise ValueError(
            "no grade has cases of two segments and of both outcomes, so there is nothing to test"
        )
    sums = zip(names, p.sum(axis=1).tolist(), expected.sum(axis=1).tolist(), strict=True)
    return GradeHomogeneity(
        name="equal rates of all segments within each grade",
        statistic=statistic,
        p_value=chi_square(statistic, df)[0],
        df=float(df),
        method="generalised Cochran-Mantel-Haenszel",
        estimates={name: seen / awaited for name, seen, awaited in sums if awaited > 0},
        notes=tuple(_notes(counts, scale.grades, variances, np.flatnonzero(~compared).tolist())),
        table=_table(list(counts), label_column(map(plain, scale.grades)), (p, n), level),
    )


def _checked(given: Any) -> dict[Any, ScoreCounts]:
    """Return counts of every score of segments that hold cases, which count alike."""
    held = segments(given, "grade_homogeneity_test")
    every = {key: as_ranking(each, "grade_homogeneity_test") for key, each in held.items()}
    found = {key: each.every_score() for key, each in every.items() if len(each)}
    if len(found) < TWO:
        raise ValueError(
            f"comparing segments needs at least two with cases; {len(found)} of {len(held)} "
            "have some"
        )
    for key, each in found.items():
        if not counts_alike(each):
            raise ValueError(
                f"segment {key!r} is weighted, and the test deals positives to cases that count "
                "alike; count without weight"
            )
    return found


def _under_equal_rates(p: Ints, n: Ints) -> tuple[Floats, Floats, Floats]:
    """Return expected positives, shape (G, K), their variances, and covariances over all grades."""
    total, positives = n.sum(axis=0), p.sum(axis=0)
    share = quotient(n, total)
    spread, some = np.zeros(len(total)), total > 1
    # p·q·N²/(N - 1) in shares: whole numbers would leave 64 bits.
    rate = positives[some] / total[some]
    spread[some] = rate * (1 - rate) * total[some] / (total[some] - 1) * total[some]
    variances = spread * share * (1 - share)
    covariance = -(spread * share) @ share.T
    np.fill_diagonal(covariance, variances.sum(axis=1))
    return share * positives, variances, covariance


def _notes(
    counts: Mapping[Any, ScoreCounts], grades: tuple[Any, ...], variances: Floats, apart: list[int]
) -> Iterator[str]:
    silent = [grade for grade, each in zip(grades, variances.T, strict=True) if not each.any()]
    yield SIGNS_CANCEL
    if silent:
        yield GRADES_LEFT_OUT.format(first_of(map(cutoff_text, silent), MOST_PARTS_NAMED))
    if apart:
        names = list(map(str, counts))
        yield SEGMENTS_APART.format(first_of((names[place] for place in apart), MOST_PARTS_NAMED))
    if any(each.groups is not None for each in counts.values()):
        yield GRADES_OF_CLUSTERS


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
    tests = list(map(two_sided, _pairs(p[here], n[here], p_rest[here], n_rest[here])))
    low, high = limits_of_difference(
        (p[here], p_rest[here]), (n[here], n_rest[here]), Confidence(level)
    )
    names = label_column("(none)" if each is None else plain(each) for each in segments)
    rate, rest = p[here] / n[here], p_rest[here] / n_rest[here]
    columns = {
        "grade": grades[grade],
        "segment": names[segment],
        "n": n[here],
        "positives": p[here],
        "rate": rate,
        "rate_rest": rest,
        "difference": rate - rest,
        "low": low,
        "high": high,
        "p_value": np.array(tests),
        "p_adjusted": np.array(holm(tests)),
    }
    known = formed(columns, share="rate_rest", signed="difference", ratio="low high")
    return Table("segments within grades", known)
