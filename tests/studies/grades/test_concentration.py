"""Concentration over grades: the scale counts empty grades, and what is undefined is None."""

import json

import numpy as np
import pytest

import capcurve as cap

SCALE = list("GFEDCBA")


def portfolio(cases, levels=None):
    levels = levels or SCALE[: len(cases)]
    return cap.CaseCounts.from_counts(levels, cases, levels=levels)


def test_grades_without_cases_are_of_the_scale():
    found = cap.grade_concentration(portfolio([0, 5, 5, 0]))
    assert (found.grades, found.hhi, found.effective_grades) == (4, 0.5, 2.0)
    assert found.cv == pytest.approx(1)  # 4 · 1/2 - 1
    assert found.herfindahl_index == pytest.approx(0.5)  # 1 - ln 2/ln 4
    assert not found.notes
    seen = cap.grade_concentration(cap.CaseCounts.from_counts([2, 1], [5, 5]))
    assert (seen.grades, seen.cv) == (2, 0)
    assert "grades seen" in seen.notes[0]


def test_one_grade_and_equal_grades_are_ends_of_the_scale():
    one = cap.grade_concentration(portfolio([9]))
    assert (one.hhi, one.cv, one.herfindahl_index) == (1, 0, None)
    even = cap.grade_concentration(portfolio([5, 5]), portfolio([5, 5]))
    assert (even.herfindahl_index, even.cv) == (0, 0)
    assert (even.ecb_p, even.statistic, even.p_value) == (None, 0, 0.5)
    assert "0/0" in even.notes[-1]
    alone = cap.grade_concentration(portfolio([0, 9]))
    # If a grade had the share 0.025^(1/9), nine of nine cases would be in it with a chance of 2.5%.
    share = 0.025 ** (1 / 9)
    most = 1 / (share**2 + (1 - share) ** 2)
    assert (alone.effective_grades, alone.effective_low) == (1, 1)
    assert alone.effective_high == pytest.approx(most)
    assert alone.herfindahl_index == 1


def test_the_note_on_the_ecb_is_true_where_its_p_value_is_small():
    found = cap.grade_concentration(portfolio([5, 5, 9]), portfolio([9, 9, 9]))
    assert found.ecb_p < 0.05
    assert "3 grades as the sample, however many cases" in found.notes[-1]


def test_the_outcome_does_not_matter():
    counts = cap.ScoreCounts.from_counts(SCALE, range(7), range(7, 0, -1), levels=SCALE)
    found = cap.grade_concentration(counts)
    assert found == cap.grade_concentration(counts.cases)
    assert found.effective_grades == pytest.approx(7)
    assert found.table["share"].tolist() == pytest.approx([1 / 7] * 7)


def test_a_grade_added_to_the_scale_counts_for_both_samples():
    now, initial = portfolio([3, 3, 4, 3]), portfolio([4, 4, 4], SCALE[1:4])
    found = cap.grade_concentration(now, initial)
    assert found.grades == 4
    assert found.initial_cv == pytest.approx((4 / 3 - 1) ** 0.5)
    assert found.statistic < 0


def test_the_rise_is_that_of_pairs_of_cases_in_one_grade():
    # Of three and one case 3 of 6 pairs share a grade, of two and two 2 of 6; no share differs
    # from its HHI by more than chance, so each variance is its second term alone:
    # (2·5/8·3/8 + 2·1/2·1/2)/2 over 4·3.
    found = cap.grade_concentration(portfolio([3, 1]), portfolio([2, 2]))
    assert found.statistic == pytest.approx((1 / 6) / (2 * 31 / 64 / 12) ** 0.5, rel=1e-12)
    alone = cap.grade_concentration(portfolio([1, 0]), portfolio([2, 2]))
    assert (alone.statistic, alone.p_value) == (None, None)
    same = cap.grade_concentration(portfolio([0, 9]), portfolio([0, 4]))
    assert (same.statistic, same.p_value) == (None, None)


@pytest.mark.parametrize(
    ("shares", "n", "m"), [([0.1] * 10, 3000, 300), ([0.95, 0.03, 0.01, 0.01], 2000, 50)]
)
def test_a_smaller_sample_alone_is_no_rise(shares, n, m):
    rng = np.random.default_rng(2311)
    both = zip(rng.multinomial(m, shares, 300), rng.multinomial(n, shares, 300), strict=True)
    levels = list(range(len(shares)))
    tests = [cap.grade_concentration(*(portfolio(c.tolist(), levels) for c in b)) for b in both]
    assert np.mean([t.p_value < 0.05 for t in tests]) < 0.09  # 21% and 12% with the bias left in


def test_limits_of_effective_grades_hold_as_often_as_stated():
    rng, shares = np.random.default_rng(7), np.array([0.05, 0.1, 0.3, 0.35, 0.2])
    true = 1 / (shares**2).sum()
    held = 0
    for _ in range(400):
        found = cap.grade_concentration(portfolio(rng.multinomial(500, shares).tolist()))
        assert found.effective_low <= found.effective_grades <= found.effective_high
        held += found.effective_low <= true <= found.effective_high
    assert 0.92 < held / 400 < 0.98


def test_limits_hold_where_many_grades_are_alike():
    rng = np.random.default_rng(11)
    scale = [f"g{k}" for k in range(35)]
    shares = np.exp(0.15 * np.sin(2 * np.arange(35)))
    shares /= shares.sum()
    true = 1 / (shares**2).sum()
    for cases in rng.multinomial(400, shares, 20):
        counts = cap.CaseCounts.from_counts(scale, cases, levels=scale)
        found = cap.grade_concentration(counts)
        assert found.effective_grades < true - 1  # as it is in every sample of this size
        assert found.effective_low < true < found.effective_high <= 35


@pytest.mark.parametrize("cases", [[1, 0, 0], [1, 1, 1], [5, 5, 5]])
def test_few_cases_do_not_fix_the_number_of_grades(cases):
    found = cap.grade_concentration(
        cap.CaseCounts.from_counts(["C", "B", "A"], cases, levels=["C", "B", "A"])
    )
    assert found.effective_low < 3
    assert found.effective_high == 3


def test_two_cases_of_a_thousand_grades_say_nothing():
    scale = [f"g{k}" for k in range(1000)]
    found = cap.grade_concentration(
        cap.CaseCounts.from_counts(scale[:2], [1, 1], levels=scale), level=0.9999
    )
    assert (found.effective_low, found.effective_high) == (1, 1000)


def test_amounts_and_weights_have_the_index_alone():
    exposure = cap.count_values([1.0, 0, 2], [3, 2, 2], exposure=[10.0, 20, 10])
    found = cap.grade_concentration(exposure)
    assert found.hhi == pytest.approx((1 / 4) ** 2 + (3 / 4) ** 2)
    assert (found.effective_low, found.p_value) == (None, None)
    amounts = cap.count_values([10.0, 20, 10], [3, 2, 2])
    assert cap.grade_concentration(amounts).hhi == found.hhi
    weighted = cap.count_scores([1, 0, 0], [3, 2, 2], weight=[10.0, 20, 10])
    both = cap.grade_concentration(weighted, weighted)
    assert (both.hhi, both.statistic, both.p_value) == (found.hhi, None, None)
    assert both.ecb_p == pytest.approx(0.5)
    with pytest.raises(ValueError, match="both of amounts"):
        cap.grade_concentration(weighted, amounts)
    with pytest.raises(ValueError, match="below 0"):
        cap.grade_concentration(cap.count_values([-1.0, 2], [2, 1]))


def test_what_has_no_shares_is_refused():
    with pytest.raises(ValueError, match="initial adds up to 0"):
        cap.grade_concentration(portfolio([1, 2]), portfolio([0, 0]))
    with pytest.raises(TypeError, match=r"takes counts, got int: write count_scores\("):
        cap.grade_concentration(3)


def test_it_is_written_as_json():
    found = cap.grade_concentration(portfolio([5, 15, 25]), portfolio([5, 5, 5])).to_dict()
    saved = json.loads(json.dumps(found))
    assert saved["table"][0] == {
        "grade": "G",
        "now": 5,
        "share": 5 / 45,
        "initial": 5,
        "share_initial": 1 / 3,
    }
    assert saved["initial_herfindahl_index"] == 0
