"""Neighbouring grades: every dealing counted, any size, and the declared direction."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as some

import capcurve as cap
from capcurve.inference.rates import TwoGroups, one_sided, two_sided

GROUPS = some.tuples(*(some.integers(0, 25) for _ in range(4))).filter(
    lambda cells: cells[0] + cells[1] and cells[2] + cells[3]
)


def chances(a, n, b, m):
    """Return the chance of more, of as many and of fewer positives in the first group."""
    total = a + b
    ways = {x: comb(n, x) * comb(m, total - x) for x in range(max(0, total - m), min(n, total) + 1)}
    every = sum(ways.values())
    more = sum(way for x, way in ways.items() if x > a)
    return Fraction(more, every), Fraction(ways[a], every), Fraction(every - more - ways[a], every)


@given(GROUPS)
def test_every_dealing_is_counted(cells):
    a, c, b, d = cells
    groups = TwoGroups(a, a + c, b, b + d)
    more, same, fewer = chances(a, a + c, b, b + d)
    found = one_sided(groups)
    assert found[0] == pytest.approx(float(more + same / 2), rel=1e-12)
    assert found[1] == pytest.approx(float(fewer + same / 2), rel=1e-12)
    assert one_sided(groups, "fisher")[0] == pytest.approx(float(more + same), rel=1e-12)
    swapped = TwoGroups(b, b + d, a, a + c)
    assert one_sided(swapped) == pytest.approx(found[::-1], rel=1e-12)
    assert two_sided(groups) == pytest.approx(min(1.0, 2 * min(found)))


@pytest.mark.parametrize("size", [10**6, 10**9])
@pytest.mark.parametrize("surplus", [-2, 0.5, 3, 8])
def test_large_counts_follow_the_normal_law(size, surplus):
    # sqrt(2·size·0.3·0.7) is the standard deviation of the difference.
    more = round(surplus * (2 * size * 0.21) ** 0.5)
    groups = TwoGroups(3 * size // 10 + more, size, 3 * size // 10, size)
    assert one_sided(groups) == pytest.approx(one_sided(groups, "z"), rel=30 * size**-0.5)


def test_a_small_chance_keeps_its_digits():
    found = one_sided(TwoGroups(30, 30, 0, 10**9))[0]
    # All 30 positives of 10^9 + 30 cases in a group of 30: one dealing, counted half.
    assert np.log10(found) == pytest.approx(
        float(np.log10(0.5) - _log10_comb(10**9 + 30, 30)), rel=1e-12
    )


def _log10_comb(n, k):
    return sum(np.log10(n - j) - np.log10(k - j) for j in range(k))


def graded(positives, cases, grades="DCBA", **options):
    grades = list(grades)[: len(cases)]
    negatives = np.subtract(cases, positives)
    return cap.ScoreCounts.from_counts(grades, positives, negatives, levels=grades, **options)


def test_each_pair_is_a_row_with_the_riskier_grade_first():
    table = cap.adjacent_grades(graded([9, 5, 6, 1], [20, 25, 40, 50]))
    assert table["riskier"].tolist() == ["D", "C", "B"]
    assert table["safer"].tolist() == ["C", "B", "A"]
    assert table["rate_riskier"].tolist() == [0.45, 0.2, 0.15]
    assert table["rate_safer"].tolist() == [0.2, 0.15, 0.02]
    assert table["difference"].tolist() == pytest.approx([0.25, 0.05, 0.13])
    assert (table["low"] < table["difference"]).all()
    assert (table["difference"] < table["high"]).all()
    assert table["p_value"] + table["p_reversed"] == pytest.approx([1, 1, 1])
    # Holm: the smallest of three is tripled.
    assert table["p_adjusted"].min() == pytest.approx(3 * table["p_value"].min())


def test_a_reversed_pair_is_shown_by_its_own_column():
    table = cap.adjacent_grades(graded([5, 60], [100, 100]))
    assert table["p_value"][0] > 0.999
    assert table["p_reversed"][0] < 1e-9
    turned = cap.adjacent_grades(graded([60, 5], [100, 100]))
    assert turned["p_value"][0] == pytest.approx(table["p_reversed"][0])


def test_the_direction_is_the_declared_one():
    up = cap.ScoreCounts.from_counts([2, 1], [9, 1], [20, 20])
    down = cap.ScoreCounts.from_counts([2, 1], [9, 1], [20, 20], higher_is="negative")
    first, second = cap.adjacent_grades(up), cap.adjacent_grades(down)
    assert (first["riskier"][0], second["riskier"][0]) == (2, 1)
    assert first["p_value"][0] == pytest.approx(second["p_reversed"][0])


def test_grades_without_cases_are_passed_over_and_named():
    counts = cap.ScoreCounts.from_counts(["D", "B"], [5, 3], [9, 9], levels=list("DCBA"))
    table = cap.adjacent_grades(counts)
    assert (table["riskier"].tolist(), table["safer"].tolist()) == (["D"], ["B"])
    assert "without cases: C, A" in table.note


def test_cases_of_one_class_say_nothing():
    table = cap.adjacent_grades(graded([0, 0], [20, 30]))
    assert (table["p_value"][0], table["p_reversed"][0]) == (0.5, 0.5)
    assert cap.adjacent_grades(graded([0, 0], [20, 30]), method="z")["p_value"][0] == 0.5
    assert cap.adjacent_grades(graded([0, 0], [20, 30]), method="fisher")["p_value"][0] == 1


def test_what_cannot_be_tested_is_refused_in_one_line():
    y = np.array([1, 0, 1, 0])
    weighted = cap.count_scores(y, [4, 3, 2, 1], weight=[1.0, 2, 3, 4], weight_kind="sampling")
    for counts, said in (
        (weighted, "the rows are weighted; use rate_table"),
        (graded([1], [2]), "one grade with cases"),
        (cap.count_scores([], []), "no cases"),
        (cap.ScoreCounts.from_counts(range(1001), [1] * 1001, [1] * 1001), "1,001 distinct"),
    ):
        with pytest.raises(ValueError, match=said):
            cap.adjacent_grades(counts)
    with pytest.raises(ValueError, match='method must be one of "mid_p", "z", "fisher"'):
        cap.adjacent_grades(graded([1, 2], [3, 4]), method="midp")


def test_clustered_rows_have_a_note():
    rows = np.arange(60)
    counts = cap.count_scores(rows % 4 == 0, rows % 3, cluster=rows % 9)
    assert "clustered" in cap.adjacent_grades(counts).note
    plain = cap.adjacent_grades(cap.count_scores(rows % 4 == 0, rows % 3))
    assert plain["p_value"].tolist() == cap.adjacent_grades(counts)["p_value"].tolist()
