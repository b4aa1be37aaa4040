"""Variances, covariances and intervals of real scores, as R, SAS and the literature have them."""

import json
import math

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap
from capcurve.inference.covariance import auc_covariance
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.variances import auc_variance

EXPECTED = json.loads((DATA / "expected.json").read_text())


def close(value, rel=1e-10):
    return pytest.approx(value, rel=rel)


def counted(file, target, score, **options):
    columns = oracle(file)
    return cap.count_scores(columns[target], columns[score], **options)


def joined(file, target, scores, **options):
    columns = oracle(file)
    return cap.count_joint(columns[target], {name: columns[name] for name in scores}, **options)


def name(case):
    return f"{case['data'].removesuffix('.csv')}-{case['score']}"


@pytest.mark.parametrize("case", EXPECTED, ids=name)
def test_variances_of_every_score(case):
    direction = {"event": "positive", "non-event": "negative"}[case["higher_is"]]
    counts = counted(case["data"], case["event_column"], case["score"], higher_is=direction)
    assert auc_variance(counts) == close(case["delong_var_auc"])
    assert auc_variance(counts, "ij") == close(case["ij_var_auc"])
    ar = confidence_interval(counts, "accuracy_ratio", method="wald")
    assert ar.estimate == cap.accuracy_ratio(counts)
    assert ar.se**2 == close(case["delong_var_ar"])


CREDIT = {
    "Seniority": 8.7261434493335913e-05,
    "Income": 0.00010711195234883632,
    "Amount": 0.00010893975942078657,
    "Debt": 4.826955110256464e-05,
}


@pytest.mark.parametrize("score", CREDIT)
def test_variances_whatever_the_direction(score):
    for higher_is in ("positive", "negative"):
        counts = counted("credit_data_numeric.csv", "y", score, higher_is=higher_is)
        assert auc_variance(counts) == close(CREDIT[score])


WALD = [
    ("lending_club_scores.csv", "y", "grade_rank", 0.72238590777439227, 0.76322888519608900),
    ("german_credit_scores.csv", "y", "pd1", 0.72729789297712255, 0.79126401178478223),
    ("two_class_example.csv", "y", "Class1", 0.92026511888613316, 0.95836259589380168),
    ("hanley_mcneil_1982.csv", "disease", "rating", 0.83295232765817184, 0.95338979539794710),
]


@pytest.mark.parametrize("line", WALD, ids=lambda line: line[2])
def test_wald_intervals_of_proc(line):
    file, target, score, low, high = line
    counts = counted(file, target, score)
    found = confidence_interval(counts, "roc_auc", method="wald")
    assert (found.low, found.high) == (close(low), close(high))
    ar = confidence_interval(counts, cap.gini, method="wald")
    assert (ar.low, ar.high) == (close(2 * low - 1), close(2 * high - 1))


def test_hanley_and_mcneils_own_data():
    counts = counted("hanley_mcneil_1982.csv", "disease", "rating")
    auc = cap.roc_auc(counts)
    assert auc / (2 - auc) == close(0.80696395846059865)
    assert 2 * auc**2 / (1 + auc) == close(0.84277069448469044)
    printed = {
        "delong": 0.030724408379381115,
        "hanley_mcneil": 0.032486579607342143,
        "hanley_mcneil_table": 0.031990408194309351,
    }
    for variance, se in printed.items():
        found = confidence_interval(counts, "roc_auc", variance=variance, method="wald")
        assert found.se == close(se)


def test_covariances_of_delongs_ovarian_data():
    joint = joined("delong1988_ovarian_sas.csv", "popind", ("alb", "tp", "totscore"))
    aucs, covariance = auc_covariance(joint)
    assert aucs == close(np.array([0.73655913978494625, 0.64784946236559138, 0.72580645161290325]))
    expected = [
        [0.0085922417900825797, 0.0077445292764621587, 0.0050370598107330675],
        [0.0077445292764621587, 0.0100094773611943220, 0.0048192972913316309],
        [0.0050370598107330675, 0.0048192972913316309, 0.0105722832732458114],
    ]
    assert covariance == close(np.array(expected))
    spread = covariance[0, 0] + covariance[2, 2] - 2 * covariance[0, 2]
    assert math.sqrt(spread) == close(0.095343617730093796)


PAIRS = [
    ("lending_club_scores.csv", "grade_rank", "int_rate", 0.00010815041758419132),
    ("german_credit_scores.csv", "pd1", "pd2", 0.00015078521251116192),
    ("german_credit_scores.csv", "pd1", "grade", 0.00026432972971225898),
    ("sklearn_breast_cancer_3scores.csv", "radius", "concave", 1.6431063812170418e-05),
]


@pytest.mark.parametrize("line", PAIRS, ids=lambda line: f"{line[1]}-{line[2]}")
def test_covariances_of_pairs(line):
    file, first, second, expected = line
    _, covariance = auc_covariance(joined(file, "y", (first, second)))
    assert covariance[0, 1] == close(expected)
    assert covariance[0, 0] == close(auc_variance(counted(file, "y", first)), rel=1e-12)


def test_exposure_weights_of_lending_club():
    columns = oracle("lending_club_scores.csv")
    options = {"weight": columns["funded_amnt"], "weight_kind": "exposure"}
    counts = cap.count_scores(columns["y"], columns["grade_rank"], **options)
    assert auc_variance(counts) == close(0.00013150146084947868)
    found = confidence_interval(counts, "roc_auc")
    assert found.se**2 == close(0.00013150146084947868)
    assert found.estimate == close(0.75057038780848451)
    joint = joined("lending_club_scores.csv", "y", ("grade_rank", "int_rate"), **options)
    assert auc_covariance(joint)[1][0, 0] == close(0.00013150146084947868)


def test_the_bootstrap_finds_delongs_error():
    counts = counted("german_credit_scores.csv", "y", "grade")
    found = confidence_interval(counts, "roc_auc", method="bootstrap", replicates=20_000, seed=1)
    assert found.se == close(math.sqrt(0.000268353533421994), rel=0.02)
