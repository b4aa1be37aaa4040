"""Summaries, findings and verdicts of amounts, against the oracles and worked examples."""

import json
from dataclasses import replace

import numpy as np
import pytest

from capcurve import (
    ValueSummary,
    compare,
    confidence_interval,
    count_joint_values,
    count_scores,
    count_value_segments,
    count_values,
    evaluate,
    summarize,
)
from capcurve.inference.amount_limits import ratio_test
from capcurve.results.summary import card, comparison, figures, headlines
from oracles.oracle_files import DATA, oracle
from results_shown import in_words

ANSWERS = json.loads((DATA / "amounts.json").read_text())
SHARES = {"captured_10": "1/10", "captured_50": "1/2"}


@pytest.fixture(scope="module")
def policies():
    rows = oracle("amounts_policies.csv")
    return count_values("claims", "model_a", exposure="years", data=rows)


def codes(summary):
    return [finding.code for finding in summary.findings]


@pytest.mark.parametrize(
    ("case", "data", "amount", "score", "exposure"),
    [
        ("policies, model_a, years", "amounts_policies.csv", "claims", "model_a", "years"),
        ("policies, model_b, cases", "amounts_policies.csv", "claims", "model_b", None),
        ("small, exposure", "amounts_small.csv", "amount", "score", "exposure"),
        ("visits, score disea", "amounts_visits.csv", "mdvis", "disea", None),
    ],
)
def test_a_summary_tells_the_numbers_of_the_oracle(case, data, amount, score, exposure):
    answer = ANSWERS[case]
    found = summarize(count_values(amount, score, exposure=exposure, data=oracle(data)))
    assert isinstance(found, ValueSummary)
    assert (found.n, found.distinct_scores) == (answer["n"], answer["distinct_scores"])
    assert found.amount == pytest.approx(answer["amount_total"], rel=1e-14)
    assert found.exposure == pytest.approx(answer["exposure_total"], rel=1e-14)
    for name in ("accuracy_ratio", "concentration_index"):
        assert getattr(found, name) == pytest.approx(answer[name], rel=1e-12)
        # The lower end allows for rows that the sample lacks, of which the answer knows none.
        assert found.intervals[name].high == pytest.approx(
            answer[f"{name}_interval95"][1], abs=1e-9
        )
    for key, share in SHARES.items():
        q = int(key.removeprefix("captured_")) / 100
        assert found.captured[q] == pytest.approx(answer["captured"][share], rel=1e-12)
        assert found.lift[q] == pytest.approx(answer["lift"][share], rel=1e-12)
        assert found.mean_of_top[q] == pytest.approx(answer["mean_of_top"][share], rel=1e-12)
        interval = answer["captured_interval95"][share]["interval"]
        limits = (found.intervals[key].low, found.intervals[key].high)
        assert limits == pytest.approx(interval, abs=1e-9)


def test_what_summaries_of_amounts_say(policies, golden):
    rows = oracle("amounts_policies.csv")
    claims, years = rows["claims"], rows["years"]
    exposed = {"exposure": [1, 0, 1, 1]}
    two = count_values([5, 0, np.nan, 0], [4, 3, 2, 1], missing="drop", **exposed)
    of_segments = {
        "claims": [5.0, 0.0, 2.0, 0.0, 0.0, 0.0],
        "score": [3, 1, 2, 1, 2, 3],
        "month": ["a", "a", "b", "b", "c", "c"],
    }
    cases = {
        "claims per year": policies,
        "reversed": count_values(claims, -rows["model_a"], exposure=years),
        "profit": count_values(claims - 300 * years, rows["model_a"], exposure=years),
        "without names": count_values([5, 0, 1], [3, 2, 1]),
        "no amount": count_values([0, 0, 0], [3, 2, 1]),
        "no cases": count_values([], []),
        "equal amounts": count_values([5, 5, 5, 5], [4, 3, 2, 1]),
        "equal rates": count_values([5, 10], [2, 1], exposure=[1, 2]),
        "a constant score": count_values([5, 0, 2, 1], [1, 1, 1, 1]),
        "a large amount": count_values([101, *[90] * 10, *[0] * 50], np.arange(61)),
        "a jump": count_values([3, *[1] * 98, *[0] * 50], np.arange(149)),
        "no exposure": count_values([5, 0, 1, 0], [4, 3, 2, 1], **exposed),
        "rows left out for both": two,
        "sums by score and by rate": replace(policies.by_score(), rates=policies.by_rate()),
        "sums by score": policies.by_score(),
    }
    shown = {name: summarize(values) for name, values in cases.items()}
    shown["segments"] = evaluate(amount="claims", score="score", by="month", data=of_segments)
    shown["two scores"] = evaluate(
        amount="claims", exposure="years", score=["model_a", "model_b"], data=rows
    )
    golden("ValueSummary, in cases", in_words(shown))


def test_amounts_below_zero_leave_the_ratio_and_say_what_is_undefined(policies):
    rows = oracle("amounts_policies.csv")
    profit = count_values(
        rows["claims"] - 300 * rows["years"], rows["model_a"], exposure=rows["years"]
    )
    found, before = summarize(profit), summarize(policies)
    assert found.accuracy_ratio == pytest.approx(before.accuracy_ratio, rel=1e-12)
    assert list(found.intervals) == ["accuracy_ratio"]
    assert found.intervals["accuracy_ratio"].se == pytest.approx(
        ANSWERS["policies, model_a, years"]["accuracy_ratio_se_ij"] * np.sqrt(400 / 399), rel=1e-9
    )
    assert (found.captured, found.lift, found.concentration_index) == ({}, {}, None)
    assert found.shares_undefined == "some amounts are below 0"
    assert found.undefined is None
    assert found.verdict.ranks == "better"
    assert "signed_amounts" in codes(found)
    assert "large_amount" not in codes(found)
    assert found.gains["amount"].sum() == pytest.approx(float(profit.amount), rel=1e-12)


def test_nothing_at_all_is_said_in_one_sentence():
    found = summarize(count_values([0, 0, 0], [3, 2, 1]))
    assert (found.accuracy_ratio, found.captured, found.gains, found.verdict) == (
        None,
        {},
        None,
        None,
    )
    assert codes(found) == ["no_amount"]
    assert summarize(count_values([], [])).undefined == "there are no cases"


def test_equal_amounts_have_shares_but_no_ratio():
    found = summarize(count_values([5, 5, 5, 5], [4, 3, 2, 1]))
    assert found.accuracy_ratio is None
    assert found.captured[0.5] == 0.5
    assert found.concentration_index == 0
    assert found.undefined.startswith("every case has the same amount")
    by_rate = summarize(count_values([5, 10], [2, 1], exposure=[1, 2]))
    assert by_rate.undefined.startswith("every case has the same amount per unit of exposure")


def test_a_constant_score_ranks_nothing():
    found = summarize(count_values([5, 0, 2, 1], [1, 1, 1, 1]))
    assert (found.accuracy_ratio, found.concentration_index) == (0, 0)
    assert found.verdict.ranks == "alike"
    assert "constant_score" in codes(found)


def test_one_case_with_over_a_tenth_of_the_amount_is_a_finding():
    share = [100, *[90] * 10]
    found = summarize(count_values([*share, *[0] * 50], np.arange(61)))
    assert "large_amount" not in codes(found)  # 10% exactly
    found = summarize(count_values([101, *[90] * 10, *[0] * 50], np.arange(61)))
    assert "large_amount" in codes(found)


def test_one_case_with_over_a_fiftieth_of_the_amount_is_told_as_a_jump():
    for largest, told in ((2, False), (3, True)):
        amounts = [largest, *[1] * 98, *[0] * 50]
        found = summarize(count_values(amounts, np.arange(149)))
        assert ("jump" in codes(found)) == told


def test_few_amounts_are_a_finding_and_fifty_are_not():
    for events, told in ((49, True), (50, False)):
        values = count_values([1] * events + [0] * 50, np.arange(events + 50))
        assert ("few_amounts" in codes(summarize(values))) == told


def test_a_reversed_score_is_called_so(policies):
    rows = oracle("amounts_policies.csv")
    reversed_score = count_values(rows["claims"], -rows["model_a"], exposure=rows["years"])
    found = summarize(reversed_score)
    assert found.accuracy_ratio == -summarize(policies).accuracy_ratio
    assert found.verdict.ranks == "worse"


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])
def test_the_verdict_and_the_interval_say_the_same(policies, level):
    small = count_values("amount", "score", exposure="exposure", data=oracle("amounts_small.csv"))
    for values in (policies, small):
        found = summarize(values, level=level)
        interval = found.intervals["accuracy_ratio"]
        assert (found.verdict.ranks == "better") == (interval.low > 0)


def test_the_p_value_is_that_of_the_limit_that_touches_zero(policies):
    small = count_values("amount", "score", exposure="exposure", data=oracle("amounts_small.csv"))
    for values in (policies, small):
        p_value = ratio_test(values).p_value
        touching = confidence_interval(values, "accuracy_ratio", level=1 - p_value)
        assert touching.low == pytest.approx(0, abs=1e-6)


def test_a_perfect_order_of_few_rows_may_be_luck():
    found = ratio_test(count_values([9, 5, 2, 1], [4, 3, 2, 1]))
    assert found.p_value >= 2 / 24


def test_amounts_of_one_size_have_the_verdict_of_classes():
    y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 0] * 9)
    score = np.arange(90) * 7 % 31
    classes, amounts = summarize(count_scores(y, score)), summarize(count_values(7.5 * y, score))
    assert amounts.verdict.p_value == classes.verdict.p_value
    assert amounts.accuracy_ratio == classes.accuracy_ratio
    assert amounts.intervals["accuracy_ratio"] == classes.intervals["accuracy_ratio"]
    assert amounts.captured == classes.captured


def test_a_summary_is_strict_json_and_says_what_it_is_of(policies):
    written = summarize(policies, name="a").to_dict()
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert written["kind"] == "amounts"
    assert "largest" not in written  # the amount of one case
    assert written["words"] == {"selected": "years", "captured": "claims"}
    assert written["captured"]["0.1"] == pytest.approx(0.2956905911558138)
    assert written["accuracy_ratio_low"] == written["intervals"]["accuracy_ratio"]["low"]
    assert written["gains"]["rows"][-1]["captured"] == 1
    signed = summarize(count_values([1, -1, 3], [3, 2, 1])).to_dict()
    assert json.loads(json.dumps(signed, allow_nan=False)) == signed


def test_a_prevalence_is_refused(policies):
    with pytest.raises(ValueError, match="amounts have none; leave it out"):
        summarize(policies, prevalence=0.1)
    with pytest.raises(ValueError, match="amounts have none; leave it out"):
        evaluate(policies, prevalence=0.1)


def test_the_card_shows_sums_then_numbers_with_their_limits(policies):
    lines = card(summarize(policies, name="model_a")).splitlines()
    assert lines[0] == "model_a"
    assert lines[1:6] == [
        "cases                         400  53 distinct scores",
        "with claims                    69  17.2% of cases",
        "years                       215.1",
        "claims                   62,724.7",
        "mean claims                 291.6  per unit of years",
    ]
    assert lines[7] == "accuracy ratio (Gini)       0.621  [0.363, 0.739]"
    assert any(line.endswith("lift 2.96 [1.11, 5.05]") for line in lines)
    assert lines[-1].split("  ")[-1].strip() == "better than chance (p < 0.001)"


def test_figures_leave_out_what_is_undefined():
    signed = summarize(count_values([1, -1, 3], [3, 2, 1]))
    assert [figure.metric for figure in figures(signed)] == [
        *("n", "amount", "mean_amount", "accuracy_ratio", "mean_of_top_10"),
    ]
    whole = summarize(count_values([1, 0, 3], [3, 2, 1]))
    assert [figure.metric for figure in headlines(whole) if figure.metric.startswith("lift")] == [
        "lift_10"
    ]


def test_segments_add_up_and_those_without_amounts_are_told():
    rows = {
        "claims": [5.0, 0.0, 2.0, 0.0, 0.0, 0.0],
        "score": [3, 1, 2, 1, 2, 3],
        "month": ["a", "a", "b", "b", "c", "c"],
    }
    found = evaluate(amount="claims", score="score", by="month", data=rows)
    parts = count_value_segments("claims", "score", by="month", data=rows)
    assert found.segments["score"] == parts
    assert [found.segment_summaries["score"][k].amount for k in "abc"] == [5, 2, 0]
    table = comparison(found.summaries, found.segment_summaries)
    assert table["segment"] == ["a", "b", "c", "all"]
    assert table["amount"] == [5, 2, 0, 7]
    assert table["accuracy_ratio"][2] is None


def test_an_evaluation_of_amounts_compares_its_scores():
    rows = oracle("amounts_policies.csv")
    found = evaluate(amount="claims", exposure="years", score=["model_a", "model_b"], data=rows)
    answer = ANSWERS["policies, model_a - model_b, years"]
    (test,) = found.comparison.pairs
    assert test.estimate == pytest.approx(answer["difference_ar"], rel=1e-12)
    assert test.p_value == pytest.approx(answer["p_value"], rel=0.05)
    joint = count_joint_values("claims", ["model_a", "model_b"], exposure="years", data=rows)
    assert found.joint == joint
    assert evaluate(joint).comparison.pairs == compare(joint).pairs
    assert found["model_a"] == joint.margin("model_a")
    assert found.gains("model_b")["captured"][-1] == 1


def test_an_evaluation_takes_counts_that_are_ready(policies):
    assert evaluate(policies).summaries["score"].accuracy_ratio == pytest.approx(0.62138946541)
    assert list(evaluate({"a": policies}).counts) == ["a"]
    with pytest.raises((TypeError, ValueError), match="exposure"):
        evaluate(policies, exposure=[1])
    with pytest.raises(TypeError, match="an amount and a score"):
        evaluate(score=[1, 2])


def test_an_evaluation_of_amounts_saves_what_can_be_saved(policies, tmp_path):
    found = evaluate(policies)
    written = json.loads(found.save(tmp_path / "a.json").read_text())
    assert written["scores"][0]["kind"] == "amounts"
    with pytest.raises(ValueError, match=r"^the formulas of a workbook are of positives"):
        found.save(tmp_path / "a.xlsx")
    assert not (tmp_path / "a.xlsx").exists()


def test_min_cell_looks_at_the_rows_of_each_score():
    values = count_values([1, 2, 0, 0], [2, 2, 1, 1])
    assert evaluate(values, min_cell=2)
    with pytest.raises(ValueError, match="min_cell=3"):
        evaluate(values, min_cell=3)


def test_sums_alone_give_what_they_can_and_say_what_they_cannot(policies):
    whole = summarize(policies)
    sums = replace(policies.by_score(), rates=policies.by_rate())
    found = summarize(sums)
    assert found.accuracy_ratio == whole.accuracy_ratio
    assert found.captured == whole.captured
    assert found.gains.to_dict() == whole.gains.to_dict()
    assert "accuracy_ratio" not in found.intervals
    assert found.intervals["concentration_index"].low == pytest.approx(
        whole.intervals["concentration_index"].low
    )
    assert (found.verdict, found.digest) == (None, None)
    assert summarize(policies.by_score()).undefined.startswith("only sums per score were kept")


def test_clusters_are_left_out_in_turn():
    rows = {**oracle("amounts_policies.csv"), "holder": np.arange(400) // 5}
    values = count_values("claims", "model_a", exposure="years", data=rows, cluster="holder")
    found = summarize(values)
    assert {interval.method for interval in found.intervals.values()} == {"jackknife"}
    assert found.verdict.ranks == "better"
    assert any("groups of clusters" in note for note in found.verdict.notes)


def test_scores_of_different_things_are_not_put_into_one_table(policies, tmp_path):
    rows = oracle("amounts_policies.csv")
    cases = count_values(rows["claims"], rows["model_a"])
    classes = count_scores(rows["claims"] > 0, rows["model_a"])
    with pytest.raises(ValueError, match=r"^'a' ranks amounts by exposure, 'b' ranks amounts by"):
        evaluate({"a": policies, "b": cases})
    with pytest.raises(TypeError, match="some counts are for classes, some for amounts"):
        evaluate({"a": policies, "b": classes})
    with pytest.raises(ValueError, match="of amounts save"):
        evaluate(policies, value=1, cost=1).save(tmp_path / "a.xlsx")


def test_amounts_below_zero_are_saved_as_a_picture_in_units(tmp_path):
    found = evaluate(count_values([5, -1, 2], [3, 2, 1]))
    assert found.save(tmp_path / "a.svg").exists()


def test_names_of_columns_are_prose_in_sentences_and_large_sums_are_whole():
    values = count_values([0.0, 200_000.4, 100_000.2], [1, 2, 3]).named(amount="claim_cost")
    found = summarize(values)
    assert "2 of 3 cases have claim cost, too few" in found.sentence
    assert "claim cost" in found.to_text()
    assert "300,001" in found.to_text()
    assert found.to_dict()["amount"] == pytest.approx(300_000.6)
