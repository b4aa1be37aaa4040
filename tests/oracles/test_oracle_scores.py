"""AUC, AR and KS of real scores, as R's pROC and exact fractions have them."""

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

EXPECTED = json.loads((DATA / "expected.json").read_text())


def close(value):
    return pytest.approx(float(value), rel=1e-12)


def name(case):
    return f"{case['data'].removesuffix('.csv')}-{case['score']}"


@pytest.fixture(params=EXPECTED, ids=name)
def case(request):
    return request.param


@pytest.fixture
def counts(case):
    columns = oracle(case["data"])
    direction = {"event": "positive", "non-event": "negative"}[case["higher_is"]]
    return cap.count_scores(
        columns[case["event_column"]], columns[case["score"]], higher_is=direction
    )


def test_sizes(case, counts):
    assert (counts.n, counts.n1, len(counts)) == (case["n"], case["n1"], case["distinct"])


def test_auc_and_ar_are_the_nearest_floats(case, counts):
    assert cap.roc_auc(counts) == float(Fraction(case["auc_exact"]))
    assert cap.accuracy_ratio(counts) == float(Fraction(case["ar_exact"]))
    assert cap.somers_d(counts) == float(Fraction(case["ar_exact"]))


def test_auc_and_ar_as_the_tool_prints_them(case, counts):
    assert cap.roc_auc(counts) == close(case["auc"])
    assert cap.accuracy_ratio(counts) == close(case["ar"])


def test_ks(case, counts):
    assert cap.ks(counts).statistic == close(case["ks"])
    assert cap.pietra_index(counts, convention="ks") == close(case["ks"])


def test_areas_give_the_same_ar(case, counts):
    model, best = cap.cap_curve(counts).area, cap.perfect_cap(counts).area
    assert (model - 0.5) / (best - 0.5) == pytest.approx(case["ar"], rel=1e-12)
    assert cap.roc_curve(counts).area == close(case["auc"])


PRINTED = [
    ("lending_club_scores.csv", "y", "grade_rank", "positive", 7173707 / 9657560),
    ("lending_club_scores.csv", "y", "int_rate", "positive", 0.74195656045626435),
    ("german_credit_scores.csv", "y", "pd1", "positive", 0.75928095238095239),
    ("german_credit_scores.csv", "y", "score", "negative", 0.75903333333333334),
    ("german_credit_scores.csv", "y", "score", "positive", 1 - 0.75903333333333334),
    ("german_credit_scores.csv", "y", "grade", "positive", 79081 / 105000),
    ("credit_data_numeric.csv", "y", "Seniority", "positive", 0.30735946700102029),
    ("credit_data_numeric.csv", "y", "Seniority", "negative", 1 - 0.30735946700102029),
    ("credit_data_numeric.csv", "y", "Income", "positive", 0.36626907183879603),
    ("credit_data_numeric.csv", "y", "Income", "negative", 1 - 0.36626907183879603),
    ("credit_data_numeric.csv", "y", "Amount", "positive", 0.59420661862274526),
    ("credit_data_numeric.csv", "y", "Debt", "positive", 0.49780337834296995),
    ("two_class_example.csv", "y", "Class1", "positive", 19549 / 20812),
    ("delong1988_ovarian_sas.csv", "popind", "alb", "positive", 0.73655913978494625),
    ("delong1988_ovarian_sas.csv", "popind", "tp", "positive", 0.64784946236559138),
    ("delong1988_ovarian_sas.csv", "popind", "totscore", "positive", 0.72580645161290325),
    ("sklearn_breast_cancer_3scores.csv", "y", "radius", "positive", 0.93751651604037844),
    ("sklearn_breast_cancer_3scores.csv", "y", "concave", "positive", 0.9644376618571957),
    ("hanley_mcneil_1982.csv", "disease", "rating", "positive", 1321 / 1479),
]


@pytest.mark.parametrize("line", PRINTED, ids=lambda line: "-".join(line[1:4]))
def test_auc_to_all_printed_digits(line):
    file, target, score, higher_is, auc = line
    columns = oracle(file)
    counts = cap.count_scores(columns[target], columns[score], higher_is=higher_is)
    assert cap.roc_auc(counts) == close(auc)
    assert cap.accuracy_ratio(counts) == pytest.approx(2 * auc - 1, rel=1e-12, abs=5e-16)


def test_a_misdirected_score_keeps_its_negative_ar():
    columns = oracle("credit_data_numeric.csv")
    counts = cap.count_scores(columns["y"], columns["Seniority"])
    assert cap.accuracy_ratio(counts) < -0.38
    ks = cap.ks(counts)
    assert ks.side == "-"
    assert ks.statistic > 0.25


def test_lending_club_ar_and_ks():
    columns = oracle("lending_club_scores.csv")
    for score in ("grade_rank", "int_rate"):
        counts = cap.count_scores(columns["y"], columns[score])
        assert cap.ks(counts).statistic == close(0.37594009252854754)
    counts = cap.count_scores(columns["y"], columns["grade_rank"])
    assert cap.accuracy_ratio(counts) == close(0.48561479297048105)


def test_gain_capture_of_the_two_class_example():
    columns = oracle("two_class_example.csv")
    by_name = cap.count_scores(columns["truth"], columns["Class1"], pos_label="Class1")
    assert cap.accuracy_ratio(by_name) == close(0.87862771477993462)
    assert cap.ks(by_name).statistic == close(0.72768915369338205)
    other = cap.count_scores(columns["truth"], columns["Class1"], pos_label="Class2")
    assert cap.accuracy_ratio(other) == -cap.accuracy_ratio(by_name)


def test_exposure_weights_move_the_auc():
    columns = oracle("lending_club_scores.csv")
    counts = cap.count_scores(
        columns["y"], columns["grade_rank"], weight=columns["funded_amnt"], weight_kind="exposure"
    )
    assert cap.roc_auc(counts) == close(0.75057038780848451)
    table = oracle("lending_club_subgrade_table.csv")
    cells = cap.ScoreCounts.from_counts(
        np.arange(1, 36), table["bad_exposure"], table["exposure"] - table["bad_exposure"]
    )
    assert cap.roc_auc(cells) == close(0.75057038780848451)


def test_partial_auc_of_high_specificities():
    columns = oracle("sklearn_breast_cancer_3scores.csv")
    counts = cap.count_scores(columns["y"], columns["radius"])
    partial = cap.partial_auc(counts, 0.1)
    assert partial == close(0.07367607420326619)
    least, most = 0.1**2 / 2, 0.1
    mcclish = (1 + (0.07367607420326619 - least) / (most - least)) / 2
    assert cap.partial_auc(counts, 0.1, standardized=True) == close(mcclish)


def test_ks_of_scipys_tied_data():
    columns = oracle("scipy6435_ks_ties.csv")
    counts = cap.count_scores(columns["y"], columns["score"])
    assert cap.ks(counts).statistic == close(0.17101894521249361)


def test_grade_names_rank_as_their_numbers_do():
    columns = oracle("lending_club_scores.csv")
    riskiest_first = [f"{letter}{number}" for letter in "GFEDCBA" for number in "54321"]
    named = cap.count_scores(columns["y"], columns["sub_grade"], levels=riskiest_first)
    ranked = cap.count_scores(columns["y"], columns["grade_rank"])
    assert named.positives.tolist() == ranked.positives.tolist()
    assert named.negatives.tolist() == ranked.negatives.tolist()
    assert cap.roc_auc(named) == float(Fraction(7173707, 9657560))
    assert cap.ks(named).statistic == close(0.37594009252854754)
