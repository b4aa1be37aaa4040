"""Basel's measures and every CAP vertex on real tables of grades."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

MEASURES = json.loads((DATA / "basel_measures.json").read_text())


def close(value):
    return pytest.approx(float(value), rel=1e-12)


@pytest.fixture(params=MEASURES, ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def counts(case):
    columns = oracle(f"{case['name']}.csv")
    if case["name"] == "hanley_mcneil_1982":
        return cap.count_scores(columns["disease"], columns["rating"])
    rank = np.arange(1, len(columns["n"]) + 1)
    return cap.ScoreCounts.from_counts(rank, columns["bad"], columns["n"] - columns["bad"])


def test_sizes(case, counts):
    assert (counts.n, counts.n1) == (case["n"], case["bad"])


def test_auc_ar_and_ks(case, counts):
    assert cap.roc_auc(counts) == float(Fraction(case["auc"]))
    assert cap.accuracy_ratio(counts) == float(Fraction(case["ar"]))
    assert cap.ks(counts).statistic == close(Fraction(case["ks"]))


def test_pietra_index(case, counts):
    wp14 = case["pietra_wp14_sqrt2_4"]
    assert cap.pietra_index(counts) == close(wp14)
    assert cap.pietra_index(counts, convention="wp14") == close(wp14)
    assert cap.pietra_index(counts, convention="half_ks") == close(case["pietra_half_ks"])
    assert cap.pietra_index(counts, convention="ks") == close(Fraction(case["ks"]))


def test_bayesian_error_rate(case, counts):
    assert cap.bayesian_error_rate(counts) == close(Fraction(case["ber"]))
    assert cap.bayesian_error_rate(counts, prior=0.5) == close(case["ber_pd50"])


def test_conditional_information_entropy_ratio(case, counts):
    assert cap.conditional_information_entropy_ratio(counts) == close(case["CIER"])
    assert case["KL_distance"] / case["H_p"] == close(case["CIER"])


def test_information_value(case, counts):
    expected = math.inf if case["IV"] is None else close(case["IV"])
    assert cap.information_value(counts) == expected


def test_every_cap_vertex(case, counts):
    vertices = [(Fraction(q), Fraction(captured)) for q, captured in case["cap_vertices"]]
    curve = cap.cap_curve(counts)
    assert curve.x.tolist() == [close(q) for q, _ in vertices]
    assert curve.y.tolist() == [close(captured) for _, captured in vertices]
    for q, captured in vertices:
        assert cap.captured_response(counts, float(q)) == close(captured)
    count = cap.cap_curve(counts, absolute=True)
    assert count.x.tolist() == [q * case["n"] for q, _ in vertices]
    assert count.y.tolist() == [captured * case["bad"] for _, captured in vertices]


def test_every_vertex_is_a_row_of_the_threshold_table(case, counts):
    table = cap.threshold_table(counts)
    vertices = [(Fraction(q), Fraction(captured)) for q, captured in case["cap_vertices"]]
    assert list(table["q"]) == [close(q) for q, _ in vertices]
    assert list(table["tpr"]) == [close(captured) for _, captured in vertices]
    assert list(table["tp"]) == [captured * case["bad"] for _, captured in vertices]
