"""Gains, operating points and best cut-offs of amounts, against numbers worked out by hand."""

import json

import numpy as np
import pytest

from capcurve import (
    best_thresholds,
    cap_curve,
    captured_response,
    count_values,
    gains_table,
    lift,
    mean_amount,
    operating_point,
    reading,
    step_table,
    threshold_table,
)
from capcurve.counts import Words
from oracles.oracle_files import DATA, oracle

ANSWERS = json.loads((DATA / "amounts.json").read_text())


def of(name, score, amount, exposure=None):
    rows = oracle(name)
    return count_values(amount, score, exposure=exposure, data={k: rows[k] for k in rows})


@pytest.fixture
def small():
    return of("amounts_small.csv", "score", "amount", "exposure")


@pytest.fixture
def signed():
    rows = oracle("amounts_small.csv")
    profit = rows["amount"] - 30 * rows["exposure"]
    return count_values(profit, rows["score"], exposure=rows["exposure"])


def test_a_bin_per_score_adds_up_what_stands_at_it(small):
    table = gains_table(small, bins="score")
    assert table["score_from"].tolist() == table["score_to"].tolist() == [9, 7, 5, 4, 2, 1]
    assert table["n"].tolist() == [2, 3, 2, 1, 2, 2]
    assert table["exposure"].tolist() == [3, 7, 6, 1, 7, 7]
    assert table["amount"].tolist() == [120, 280, 10, 0, 40, 5]
    assert table["cum_amount"].tolist() == [120, 400, 410, 410, 450, 455]
    assert table["mean_amount"].tolist() == [40, 40, 10 / 6, 0, 40 / 7, 5 / 7]
    assert table["selected"].tolist() == [3 / 31, 10 / 31, 16 / 31, 17 / 31, 24 / 31, 1]
    assert table["captured"].tolist() == [120 / 455, 400 / 455, 410 / 455, 410 / 455, 450 / 455, 1]
    assert table["lift"] == pytest.approx(table["mean_amount"] * 31 / 455, rel=1e-15)
    assert table["cum_mean_amount"].tolist() == [40, 40, 410 / 16, 410 / 17, 450 / 24, 455 / 31]


def test_points_of_the_table_are_those_of_the_oracle(small):
    table = gains_table(small, bins="score")
    points = [[float(x), float(y)] for x, y in ANSWERS["small, exposure"]["points"]]
    assert np.cumsum(table["exposure"]).tolist() == [x for x, _ in points[1:]]
    assert table["cum_amount"].tolist() == [y for _, y in points[1:]]


def test_the_table_and_the_single_numbers_agree_to_the_last_digit():
    values = of("amounts_policies.csv", "model_a", "claims", "years")
    table = gains_table(values)
    curve = cap_curve(values)
    for selected, captured, times, mean in zip(
        *(table[name] for name in ("selected", "captured", "cum_lift", "cum_mean_amount")),
        strict=True,
    ):
        assert captured_response(values, selected) == curve.at(selected) == captured
        assert lift(values, selected) == times
        assert mean_amount(values, selected) == pytest.approx(mean, rel=1e-14)


def test_without_exposure_each_row_counts_one_and_no_column_says_so():
    table = gains_table(of("amounts_small.csv", "score", "amount"), bins="score")
    assert "exposure" not in table.columns
    assert table["mean_amount"].tolist() == [60, 280 / 3, 5, 0, 20, 2.5]
    assert table["selected"].tolist() == [2 / 12, 5 / 12, 7 / 12, 8 / 12, 10 / 12, 1]


def test_bins_have_about_equal_exposure_and_split_no_tie(small):
    table = gains_table(small, bins=3)
    assert table["exposure"].tolist() == [10, 14, 7]
    assert table["score_from"].tolist() == [9, 5, 1]
    assert table.note == "bins differ in size: ties are never split between bins"


def test_cut_points_start_new_bins_below_them(small):
    assert gains_table(small, bins=[7, 2])["amount"].tolist() == [400, 50, 5]


def test_signed_amounts_keep_their_sums_and_leave_shares_open(signed):
    table = gains_table(signed, bins="score")
    assert table["amount"].tolist() == [30, 70, -170, -30, -170, -205]
    assert table["cum_mean_amount"][1] == 10
    for name in ("captured", "lift", "cum_lift"):
        assert np.isnan(table[name]).all()


def test_a_table_of_no_amount_is_refused_in_one_line():
    with pytest.raises(ValueError, match=r"^none of the 2 rows holds an amount.*undefined$"):
        gains_table(count_values([0, 0], [2, 1]))


def test_a_table_of_amounts_prints_them_in_full():
    text = str(gains_table(count_values([22450.5, 0.0], [2, 1]), bins=2))
    assert "22,450.5" in text
    assert "e+" not in text


@pytest.mark.parametrize("given", ["cases", "exposure"])
def test_the_best_profit_is_that_of_the_oracle(given):
    exposure = "exposure" if given == "exposure" else None
    values = of("amounts_small.csv", "score", "amount", exposure)
    for case in ANSWERS["small, best profit"][given]:
        best, *_ = best_thresholds(values, "profit", value=case["value"], cost=case["cost"])
        gained = case["value"] * best.amount - case["cost"] * best.exposure
        assert gained == case["profit"]
        assert best.threshold == case["last_score_selected"]
        assert best.q == pytest.approx(case["q"], rel=1e-15)


def test_the_best_profit_by_policies_is_that_of_the_oracle():
    values = of("amounts_policies.csv", "model_a", "claims", "years")
    for case in ANSWERS["policies, model_a, best profit, years"]:
        (best,) = best_thresholds(values, "profit", value=case["value"], cost=case["cost"])
        gained = case["value"] * best.amount - case["cost"] * best.exposure
        assert gained == pytest.approx(case["profit"], abs=1e-9)
        assert best.threshold == case["last_score_selected"]
        assert best.q == pytest.approx(case["q"], rel=1e-12)


def test_equally_good_cut_offs_are_all_returned():
    values = count_values([10, 0, 10, 0], [4, 3, 2, 1])
    found = best_thresholds(values, "profit", value=1, cost=5)
    assert [(point.threshold, point.amount) for point in found] == [(4, 10), (2, 20)]


def test_nobody_is_selected_where_everybody_costs_more():
    (best,) = best_thresholds(count_values([1, 0], [2, 1]), "profit", value=1, cost=5)
    assert (best.threshold, best.q, best.mean_amount, best.lift, best.n) == (None, 0, None, None, 0)


@pytest.mark.parametrize(("scale", "exposure"), [(1e300, 1e200), (1e-300, 1.0)])
def test_profit_of_huge_and_tiny_amounts_finds_the_same_place(scale, exposure):
    amounts = [3 * scale, 0, scale, 0]
    values = count_values(amounts, [4, 3, 2, 1], exposure=[exposure] * 4)
    (best,) = best_thresholds(values, "profit", value=1, cost=scale / exposure)
    assert best.threshold == 4


def test_other_rules_are_about_classes():
    with pytest.raises(ValueError, match=r"^rule 'youden' needs positives and negatives; .*profit"):
        best_thresholds(count_values([1, 0], [2, 1]))


def test_operating_points_of_amounts(small):
    assert operating_point(small, q=0.4).threshold == 7
    assert operating_point(small, q=0.32).threshold == 9
    assert operating_point(small, captured=0.89).threshold == 5
    assert operating_point(small, mean_amount=18.75).threshold == 2
    at = operating_point(small, threshold=7)
    assert (at.n, at.exposure, at.amount, at.next_score) == (5, 10, 400, 5)
    assert (at.mean_amount, at.captured) == (40, 400 / 455)
    assert at.lift == pytest.approx(40 * 31 / 455, rel=1e-15)


def test_operating_points_by_what_amounts_do_not_have(small, signed):
    with pytest.raises(ValueError, match=r"^give exactly one of q, k, captured, mean_amount, th"):
        operating_point(small, fpr=0.1)
    with pytest.raises(ValueError, match=r"^no cut-off reaches a mean amount of 50; the best"):
        operating_point(small, mean_amount=50)
    with pytest.raises(ValueError, match="below zero"):
        operating_point(signed, captured=0.5)
    assert operating_point(signed, q=0.4).amount == 100


@pytest.mark.parametrize("table", [threshold_table, step_table])
def test_tables_of_classes_refuse_amounts(table, small):
    with pytest.raises(TypeError, match="about two classes"):
        table(small)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            Words("policies", "claim cost"),
            "the top 10% of policies contain 38.0% of all claim cost",
        ),
        (Words("exposure", "amount"), "the top 10% of exposure contains 38.0% of the amount"),
        (Words(), "the top 10% of cases contain 38.0% of all positives"),
    ],
)
def test_a_reading_names_what_is_selected_and_captured(words, said):
    assert reading((0.1, 0.38), words=words) == said
