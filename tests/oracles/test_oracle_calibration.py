"""Calibration of PDs as R, scikit-learn, model-diagnostics and dcurves have it."""

import json

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap
from capcurve.inference.differences import holm

EXPECTED = json.loads((DATA / "calibration.json").read_text())


def close(value, rel):
    return pytest.approx(value, rel=rel, abs=1e-15)


def counted(file, score):
    columns = oracle(file)
    if "positives" in columns:
        p, n = columns["positives"], columns["n"]
        return cap.ScoreCounts.from_counts(columns[score], p, n - p)
    return cap.count_scores(columns["y"], columns[score])


def pds_of(case):
    columns = oracle(case["file"])
    if case["pd"] == "score":
        return "score"
    return dict(zip(columns[case["score"]].tolist(), columns[case["pd"]].tolist(), strict=True))


@pytest.fixture(params=EXPECTED["calibration"], ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def counts(case):
    return counted(case["file"], case["score"])


def test_decompositions(case, counts):
    for score in ("brier", "log"):
        found = cap.score_decomposition(counts, pd=pds_of(case), score=score)
        for name, value in case[f"decomposition_{score}"].items():
            assert getattr(found, name) == close(value, 1e-9), name
        mean = cap.brier_score if score == "brier" else cap.log_loss
        assert mean(counts, pd=pds_of(case)) == found.mean_score
        assert found.mean_score == close(case[f"decomposition_{score}"]["mean_score"], 1e-11)


def test_limits_of_mean_scores(case, counts):
    for metric, known in (("brier_score", "brier_limits"), ("log_loss", "log_loss_limits")):
        found = cap.confidence_interval(counts, metric, pd=pds_of(case))
        expected = case[known]
        assert found.estimate == close(expected["estimate"], 1e-11)
        assert found.se == close(expected["se"], 1e-7)
        assert [*found] == close([expected["low"], expected["high"]], 1e-7)


def test_observed_to_expected(case, counts):
    known = case["observed_to_expected"]
    assert cap.observed_to_expected(counts, pd=pds_of(case)) == close(known["estimate"], 1e-11)
    found = cap.confidence_interval(counts, "observed_to_expected", pd=pds_of(case))
    assert [*found] == close(known["interval95"], 1e-7)


def test_recalibration_and_tests_of_all_pds(case, counts):
    found = cap.logistic_recalibration(counts, pd=pds_of(case))
    for name, known in case["logistic_recalibration"].items():
        interval = getattr(found, name)
        assert interval.estimate == pytest.approx(known["estimate"], rel=1e-7, abs=1e-10), name
        assert interval.se == close(known["se"], 1e-7)
        assert [*interval] == pytest.approx(known["interval95"], rel=1e-7, abs=1e-9)
    cox = cap.calibration_test(counts, method="cox", pd=pds_of(case))
    assert (cox.statistic, cox.p_value) == pytest.approx(
        (case["cox"]["statistic"], case["cox"]["p"]), rel=1e-9, abs=1e-10
    )
    brier = cap.calibration_test(counts, pd=pds_of(case))
    assert brier.statistic == close(case["spiegelhalter"]["z"], 1e-9)
    assert brier.p_value == close(case["spiegelhalter"]["p"], 1e-9)


@pytest.fixture(params=EXPECTED["grade_tests"], ids=lambda case: case["name"])
def grades(request):
    return request.param


@pytest.fixture
def graded(grades):
    n, positives = np.array(grades["n"]), np.array(grades["positives"])
    return cap.ScoreCounts.from_counts(grades["grade"], positives, n - positives)


def test_tests_of_grades(grades, graded):
    assert graded.score.tolist() == grades["grade"]
    for method in ("jeffreys", "binomial", "mid_p", "normal"):
        found = cap.pd_tests(graded, pd=grades["pd"], method=method)
        assert found["p_value"] == close(grades[method], 1e-9), method
        # All grades together are tested by mid-p values, where each is by Jeffreys.
        of = "mid_p" if method == "jeffreys" else method
        assert found["p_adjusted"] == close(holm(grades[of]), 1e-9)
        if method != "jeffreys" and f"{method}_holm" in grades:
            assert found["p_adjusted"] == close(grades[f"{method}_holm"], 1e-9)
    assert holm(grades["jeffreys"]) == close(grades["jeffreys_holm"], 1e-9)
    high = cap.pd_tests(graded, pd=grades["pd"], method="binomial", alternative="too_high")
    assert high["p_value"] == close(grades["binomial_too_high"], 1e-9)
    for rho, known in grades["one_factor"].items():
        found = cap.pd_tests(graded, pd=grades["pd"], asset_correlation=float(rho))
        assert found["p_value"] == pytest.approx(known, rel=1e-9, abs=1e-14)


def test_tests_of_the_portfolio(grades, graded):
    for method in ("jeffreys", "binomial", "normal"):
        found = cap.calibration_test(graded, method=method, pd=grades["pd"])
        assert found.p_value == close(grades[f"portfolio_{method}"], 1e-9), method
    found = cap.calibration_test(graded, method="hosmer_lemeshow", pd=grades["pd"])
    assert found.statistic == close(grades["hosmer_lemeshow"], 1e-9)
    assert found.estimates["chi_square_p"] == close(grades["hosmer_lemeshow_p"], 1e-9)
    fitted = cap.calibration_test(graded, method="hosmer_lemeshow", pd=grades["pd"], fitted=True)
    assert fitted.estimates["chi_square_p"] == close(grades["hosmer_lemeshow_p_fitted"], 1e-9)


def test_the_table(grades, graded):
    found = cap.calibration_table(graded, pd=grades["pd"], bins="score")
    assert found["pd"] == close(grades["pd"], 1e-11)
    assert found["recalibrated"] == close(grades["recalibrated"], 1e-9)
    for name in ("rate", "band", "consistent"):
        for end in ("low", "high"):
            known = grades[f"{name}_{end}"]
            assert found[f"{name}_{end}"] == pytest.approx(known, rel=1e-7, abs=1e-12), name


@pytest.mark.parametrize("case", EXPECTED["compare_mean_scores"], ids=lambda case: case["file"])
def test_two_pds_of_the_same_rows(case):
    columns = oracle(case["file"])
    joint = cap.count_joint(columns["y"], {name: columns[name] for name in case["scores"]})
    for metric, known in (("brier_score", case["brier"]), ("log_loss", case["log"])):
        found = cap.compare(joint, metric=metric).pairs[0]
        assert found.estimate == close(known["estimate"], 1e-10)
        assert (found.se, found.df) == close((known["se"], known["df"]), 1e-7)
        assert found.p_value == close(known["p_value"], 1e-7)
        assert (found.low, found.high) == close((known["low"], known["high"]), 1e-7)


@pytest.fixture(params=EXPECTED["net_benefit"], ids=lambda case: case["file"])
def decisions(request):
    return request.param


def test_net_benefit(decisions):
    for score, rows in decisions["models"].items():
        counts = counted(decisions["file"], score)
        found = cap.decision_curve(counts, [row["threshold"] for row in rows])
        for place, row in enumerate(rows):
            asked = {"metric": "net_benefit", "threshold": row["threshold"]}
            own = cap.confidence_interval(counts, **asked)
            assert own.estimate == pytest.approx(row["net_benefit"], rel=1e-9, abs=1e-13)
            assert [*own] == pytest.approx(row["interval95"], rel=1e-7, abs=1e-10)
            over = cap.confidence_interval(counts, **asked, versus="all")
            assert over.estimate == pytest.approx(row["over_all"], rel=1e-9, abs=1e-13)
            assert [*over] == pytest.approx(row["over_all_interval95"], rel=1e-7, abs=1e-10)
            standard = cap.net_benefit(counts, row["threshold"], standardized=True)
            assert standard == pytest.approx(row["standardized"], rel=1e-9, abs=1e-13)
            for name, value in (
                ("net_benefit", own.estimate),
                ("low", own.low),
                ("high", own.high),
                ("treat_all", row["treat_all"]),
                ("over_all", over.estimate),
                ("over_all_low", over.low),
                ("over_all_high", over.high),
                ("standardized", standard),
            ):
                assert found[name][place] == pytest.approx(value, rel=1e-9, abs=1e-13), name


def test_net_benefit_of_two_models(decisions):
    columns = oracle(decisions["file"])
    joint = cap.count_joint(columns["y"], {name: columns[name] for name in decisions["models"]})
    for row in decisions["difference"]:
        found = cap.compare(joint, metric="net_benefit", threshold=row["threshold"]).pairs[0]
        assert found.estimate == pytest.approx(row["estimate"], rel=1e-9, abs=1e-13)
        assert [found.low, found.high] == pytest.approx(row["interval95"], rel=1e-7, abs=1e-10)
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)
