"""Tests on real data, as R's pROC and ks.test, SAS and exact laws have them."""

import functools

import numpy as np
import pytest
from oracle_files import oracle

import capcurve as cap
from capcurve.inference import (
    discrimination_test,
    ks_test,
    smirnov_critical_value,
    test_against_initial,
)
from capcurve.inference.discrimination import gap_chance

# In AUC and by the normal law, as the independent numbers are.
compare = functools.partial(cap.compare, metric="roc_auc", law="normal")


def close(value, rel=1e-10):
    return pytest.approx(value, rel=rel, abs=1e-300)


def joint(file, event, *scores):
    columns = oracle(file)
    return cap.count_joint(columns[event], {name: columns[name] for name in scores})


@pytest.fixture
def ovarian():
    return joint("delong1988_ovarian_sas.csv", "popind", "alb", "tp", "totscore")


def test_the_contrast_of_delong_1988(ovarian):
    found = compare(ovarian, contrast=[[1, 0, -1], [0, 1, -1]]).overall
    assert found.statistic == close(2.5339779262141442)
    assert found.df == 2
    assert found.p_value == close(0.28167849048888721)
    assert compare(ovarian).overall.statistic == close(2.5339779262141442)


def test_one_contrast_of_delong_1988(ovarian):
    pair = compare(ovarian).pairs[1]
    assert pair.name == "alb minus totscore"
    assert pair.se == close(0.095343617730093796)
    assert pair.statistic**2 == close(0.012718937968679593)
    assert compare(ovarian, contrast=[1, 0, -1]).overall.statistic == close(0.012718937968679593)


def test_the_ecb_test_of_german_grades():
    columns = oracle("german_credit_scores.csv")
    found = test_against_initial(cap.count_scores(columns["y"], columns["grade"]), initial=0.80)
    # The source prints seven and five digits.
    assert round(found.statistic, 6) == 2.859788
    assert round(found.p_value, 7) == 0.0021196


def test_the_exact_ks_law_is_named():
    columns = oracle("scipy6435_ks_ties.csv")
    found = ks_test(cap.count_scores(columns["y"], columns["score"]))
    assert found.method == "exact, given the ties"


@pytest.mark.parametrize(
    ("n", "n1", "critical"),
    [(20, 6, 9 / 14), (100, 10, 4 / 9), (1000, 40, 0.215625), (500, 250, 0.124), (5, 3, None)],
)
def test_critical_values_of_the_null_band(n, n1, critical):
    assert smirnov_critical_value(n, n1, 0.05) == critical


@pytest.mark.parametrize(("n", "n1", "chance"), [(20, 6, 0.0373), (100, 10, 0.0422)])
def test_how_often_the_null_band_is_left(n, n1, chance):
    gap = round(smirnov_critical_value(n, n1, 0.05) * n1 * (n - n1))
    found = gap_chance(np.ones(n, dtype=np.int64), n1, gap, "two-sided")
    assert found == pytest.approx(chance, abs=5e-5)


def test_null_standard_deviations():
    # 12 Var0 of AUC is (n + 1)/(n1·n0) without ties; at 1000 cases and 40 positives AR's is .0932.
    counts = cap.count_scores([1] * 40 + [0] * 960, np.arange(1000))
    found = discrimination_test(counts, metric="accuracy_ratio")
    assert round(found.se, 4) == 0.0932
