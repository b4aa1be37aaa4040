"""Segments within grades: the Cochran-Mantel-Haenszel test, its table, and what is left out."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as some
from scipy import stats

import capcurve as cap
from capcurve.inference.rates import TwoGroups, two_sided

LEVELS = ["C", "B", "A"]
CELLS = some.lists(
    some.lists(some.tuples(some.integers(0, 12), some.integers(0, 12)), min_size=3, max_size=3),
    min_size=2,
    max_size=4,
)


def segment(cells, levels=LEVELS):
    positives, negatives = zip(*cells, strict=True)
    return cap.ScoreCounts.from_counts(levels[: len(cells)], positives, negatives, levels=levels)


def by_hand(p, n):
    """Return the statistic from all but the last segment, as Landis, Heyman and Koch have it."""
    surplus, whole = np.zeros(len(p) - 1), np.zeros((len(p) - 1,) * 2)
    for k in range(p.shape[1]):
        cases, bad = n[:, k].sum(), p[:, k].sum()
        if cases < 2:
            continue
        some_n = n[:-1, k].astype(float)
        surplus += p[:-1, k] - some_n * bad / cases
        spread = bad * (cases - bad) / (cases**2 * (cases - 1))
        whole += spread * (np.diag(some_n) * cases - np.outer(some_n, some_n))
    return surplus @ np.linalg.pinv(whole, rcond=1e-9, hermitian=True) @ surplus, whole


@given(CELLS)
def test_it_is_the_quadratic_form_of_surpluses_over_grades(segments):
    counts = {str(place): segment(cells) for place, cells in enumerate(segments)}
    full = [place for place, each in enumerate(counts.values()) if len(each)]
    cells = np.array(segments)[full]
    if len(full) < 2 or not by_hand(cells[..., 0], cells.sum(axis=2))[1].any():
        with pytest.raises(ValueError, match=r"nothing to test|at least two"):
            cap.grade_homogeneity_test(counts)
        return
    found = cap.grade_homogeneity_test(counts)
    statistic, whole = by_hand(cells[..., 0], cells.sum(axis=2))
    assert found.statistic == pytest.approx(statistic, rel=1e-6, abs=1e-9)
    rank = np.linalg.matrix_rank(whole, hermitian=True)
    assert found.df == rank
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, found.df), rel=1e-9)
    # Which segment comes first changes nothing.
    turned = cap.grade_homogeneity_test(dict(reversed(counts.items())))
    assert turned.statistic == pytest.approx(found.statistic, rel=1e-6, abs=1e-9)


def test_the_table_holds_each_segment_against_all_others():
    three = {
        "car": segment([(9, 11), (4, 26), (2, 48)]),
        "card": segment([(5, 15), (6, 24), (3, 47)]),
        "cash": segment([(12, 8), (9, 21), (6, 44)]),
    }
    found = cap.grade_homogeneity_test(three)
    table = found.table
    assert table["grade"].tolist() == ["C"] * 3 + ["B"] * 3 + ["A"] * 3
    assert table["segment"].tolist() == ["car", "card", "cash"] * 3
    assert table["n"][:3].tolist() == [20, 20, 20]
    assert table["rate"][2] == 0.6
    assert table["rate_rest"][2] == 14 / 40
    assert table["difference"][2] == pytest.approx(0.25)
    assert table["p_value"][2] == pytest.approx(two_sided(TwoGroups(12, 20, 14, 40)))
    assert table["p_adjusted"].min() == pytest.approx(9 * table["p_value"].min())
    assert found.estimates["cash"] == pytest.approx(27 / (26 / 3 + 19 / 3 + 11 / 3))


def test_two_segments_are_compared_once():
    two = {"new": segment([(4, 1)], ["C"]), "old": segment([(0, 5)], ["C"])}
    table = cap.grade_homogeneity_test(two).table
    assert (len(table), table["segment"][0]) == (1, "new")
    assert table["p_value"][0] == table["p_adjusted"][0]


def test_opposite_effects_cancel_in_the_test_and_show_in_the_table():
    two = {"a": segment([(30, 20), (20, 30)]), "b": segment([(20, 30), (30, 20)])}
    found = cap.grade_homogeneity_test(two)
    assert found.statistic == pytest.approx(0, abs=1e-12)
    assert found.table["p_value"].max() < 0.06
    assert "cancel" in found.notes[0]


def test_segments_lacking_in_grades_are_compared_where_they_meet():
    three = {
        "a": segment([(5, 9), (4, 30), (0, 0)]),
        "b": segment([(0, 0), (8, 20), (0, 0)]),
        "c": segment([(0, 0), (0, 0), (3, 7)]),
    }
    found = cap.grade_homogeneity_test(three)
    assert found.df == 1
    assert found.table["grade"].tolist() == ["B", "B"]
    assert "grades in which fewer than two segments" in found.notes[1]
    assert found.notes[1].endswith(": C, A")
    assert found.notes[2].endswith(": c")
    assert set(found.estimates) == {"a", "b", "c"}


def test_numbers_are_grades_too_and_segments_may_hold_others():
    a = cap.ScoreCounts.from_counts([3, 2], [4, 3], [9, 9])
    b = cap.ScoreCounts.from_counts([2, 1], [4, 1], [9, 9])
    assert cap.grade_homogeneity_test({1: a, None: b}).table["segment"].tolist() == [1]


def test_an_evaluation_by_segment_stands_for_its_segments():
    rng = np.random.default_rng(3)
    y, grade, by = rng.random(300) < 0.3, rng.integers(1, 5, 300), rng.integers(0, 2, 300)
    evaluation = cap.evaluate(y, grade, by=by)
    found = cap.grade_homogeneity_test(evaluation)
    assert found == cap.grade_homogeneity_test(cap.count_segments(y, grade, by=by))
    saved = json.loads(json.dumps(found.to_dict()))
    assert saved["table"][0]["grade"] == 4
    assert saved["p_value"] == found.p_value


def test_what_cannot_be_tested_is_refused_in_one_line():
    one = segment([(4, 5), (3, 9)])
    flat = cap.count_scores([1, 0], [2, 1], weight=[1.0, 2.0])
    for segments, said in (
        ({"a": one}, "at least two with cases; 1 of 1"),
        ({"a": one, "b": cap.count_scores([1, 0], [2, 1])}, "a has grades and b has numbers"),
        ({"a": flat, "b": flat}, "segment 'a' is weighted"),
        ({"a": segment([(0, 5)]), "b": segment([(0, 5)])}, "nothing to test"),
    ):
        with pytest.raises(ValueError, match=said) as raised:
            cap.grade_homogeneity_test(segments)
        assert "\n" not in str(raised.value)
    with pytest.raises(TypeError, match=r"grade_homogeneity_test\(y, p, by="):
        cap.grade_homogeneity_test(one)
