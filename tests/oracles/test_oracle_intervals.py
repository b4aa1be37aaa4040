"""Variances of real scores: whatever the direction, whatever else was counted, resampled."""

import math

import pytest
from oracle_files import oracle

import capcurve as cap
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.variances import auc_variance, metric_estimates


def close(value, rel=1e-10):
    return pytest.approx(value, rel=rel)


def counted(file, target, score, **options):
    columns = oracle(file)
    return cap.count_scores(columns[target], columns[score], **options)


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


@pytest.mark.parametrize("score", ["radius", "concave", "fractal"])
def test_joint_counts_give_each_score_its_own_variance(score):
    columns = oracle("sklearn_breast_cancer_3scores.csv")
    joint = cap.count_joint(columns["y"], {"radius": columns["radius"], score: columns[score]})
    alone = auc_variance(counted("sklearn_breast_cancer_3scores.csv", "y", score))
    assert metric_estimates(joint).covariance()[-1, -1] == close(alone, rel=1e-12)


def test_the_bootstrap_finds_delongs_error():
    counts = counted("german_credit_scores.csv", "y", "grade")
    found = confidence_interval(counts, "roc_auc", method="bootstrap", replicates=20_000, seed=1)
    assert found.se == close(math.sqrt(0.000268353533421994), rel=0.02)
