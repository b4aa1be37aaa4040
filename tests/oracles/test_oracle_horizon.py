"""Counts at a horizon against exact fractions, R and scikit-survival."""

import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle
from scipy import special, stats

import capcurve as cap

EXPECTED = json.loads((DATA / "horizon.json").read_text())
R, SKSURV = EXPECTED["from_r"], EXPECTED["scikit_survival"]


def times_of(case, score=None):
    rows = oracle(case["file"])
    status = rows["status"]
    if case.get("competing_as_censored"):
        status = np.where(status == 2, 0, status)
    stratum = case.get("stratum")
    return cap.count_times(
        rows["time"],
        status,
        rows[score or case["score"]],
        stratum=None if stratum is None else rows[stratum],
        higher_is=case.get("higher_is", "positive"),
    )


def named(case):
    words = [case["file"][8:-4], case["score"], f"{case['horizon']:g}", case["competing"]]
    return " ".join(words + ["single"] * case["competing_as_censored"])


@pytest.fixture(params=EXPECTED["cases"], ids=named)
def case(request):
    return request.param


@pytest.fixture
def times(case):
    return times_of(case)


@pytest.fixture
def counts(case, times):
    return times.at(case["horizon"], competing=case["competing"])


@pytest.fixture
def expected(case):
    return case["expected"]


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-14)


def test_the_estimates(counts, expected):
    assert counts.n == close(expected["weight"])
    assert counts.prevalence == close(expected["incidence"])
    if expected["incidence_fraction"] is not None:
        assert counts.prevalence == close(float(Fraction(expected["incidence_fraction"])))
    assert cap.roc_auc(counts) == close(expected["roc_auc"])
    assert cap.accuracy_ratio(counts) == close(expected["accuracy_ratio"])
    assert cap.ks(counts).statistic == close(expected["ks"])
    for q, held in expected["captured"].items():
        found = cap.captured_response(counts, float(Fraction(q)))
        assert found == close(held["value"])


def test_the_rows(times, counts, expected):
    assert times.n == expected["rows"]
    if not expected["unknown"]:
        assert type(counts) is cap.ScoreCounts
        assert (counts.n1, counts.n0) == (expected["cases"], expected["negatives"])
        return
    assert counts.known_rows == (expected["cases"], expected["negatives"])
    assert counts.unknown == expected["unknown"]
    assert counts.largest_weight == close(expected["largest_weight"])
    assert counts.effective_positives == close(expected["effective_cases"])


def test_without_the_assumption(case, times, expected):
    if "accuracy_ratio_bounds" not in expected:
        return
    found = cap.unknown_bounds(times.known_at(case["horizon"]))
    assert (found.low, found.high) == close(tuple(expected["accuracy_ratio_bounds"]))


@pytest.mark.parametrize("file", R)
@pytest.mark.parametrize("which", ["competing", "single"])
def test_r(file, which):
    held, single = R[file][which], which == "single"
    for score, model in (("s1", "a"), ("s2", "b")):
        for name, time, auc in zip(
            *(held["score"][c] for c in ("model", "times", "AUC")), strict=True
        ):
            if name == model:
                case = {"file": file, "score": score, "competing_as_censored": single}
                found = times_of(case).at(time)
                assert cap.roc_auc(found) == close(auc)
    incidence = held.get("incidence", {"times": [], "value": []})
    case = {"file": file, "score": "s1", "competing_as_censored": single}
    for time, value in zip(incidence["times"], incidence["value"], strict=True):
        assert times_of(case).at(time).prevalence == close(value)


def test_scikit_survival():
    held = SKSURV["horizon_untied.csv"]
    times = times_of({"file": "horizon_untied.csv", "score": "s1"})
    found = [cap.roc_auc(times.at(horizon)) for horizon in held["horizons"]]
    assert found == pytest.approx(held["auc"], abs=5e-9)


@pytest.mark.parametrize("case", EXPECTED["refused"], ids=lambda case: case["name"])
def test_what_is_refused(case):
    time = [np.nan if t is None else float(t) for t in case["time"]]
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        cap.count_times(time, case["event"], case["score"]).at(case["horizon"])


@pytest.mark.parametrize("case", EXPECTED["plain"], ids=lambda case: case["name"])
def test_nothing_unknown_is_plain(case):
    found = cap.count_times(case["time"], case["event"], case["score"]).at(case["horizon"])
    plain = cap.count_scores(case["plain_target"], case["score"])
    assert found == plain
    assert found.digest() == plain.digest()


def near(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def within(limits):
    return pytest.approx(tuple(limits), rel=1e-7, abs=1e-7)


def test_limits_of_the_accuracy_ratio(counts, expected):
    if not expected["unknown"]:
        return
    auc = cap.confidence_interval(counts, "roc_auc")
    ratio = cap.confidence_interval(counts, "ar")
    assert auc.se == near(expected["roc_auc_se"])
    assert ratio.se == near(expected["accuracy_ratio_se"])
    assert ratio.estimate == close(expected["accuracy_ratio"])
    value, se = expected["roc_auc"], expected["roc_auc_se"]
    if not 0 < value < 1 or not se:
        return
    # By the normal law, in log odds and symmetric, as in R.
    reach = stats.norm.ppf(0.975) * se * np.array([-1, 1])
    by_log_odds = special.expit(special.logit(value) + reach / value / (1 - value))
    found = cap.confidence_interval(counts, "roc_auc", method="logit")
    assert found.limits == within(by_log_odds)
    ends = np.clip(value + reach, 0, 1)
    assert cap.confidence_interval(counts, "roc_auc", method="wald").limits == within(ends)


@pytest.mark.turns(3)
def test_limits_at_a_share(counts, expected):
    if not expected["unknown"]:
        return
    for share, held in expected["captured"].items():
        q = float(Fraction(share))
        found = cap.confidence_interval(counts, "captured", q=q)
        assert found.estimate == close(held["value"])
        lift = cap.confidence_interval(counts, "lift", q=q)
        assert lift.limits == within(each / q for each in found.limits)
        # The reference allows for weights that are estimated, and has one slope of the CAP.
        if expected["rows"] > 100:
            assert found.se == pytest.approx(held["se"], rel=0.2)


def test_the_incidence_varies_as_greenwood_has_it(counts, expected):
    if not expected["unknown"] or expected["incidence_se"] is None:
        return
    found = cap.confidence_interval(counts, "prevalence")
    assert found.estimate == close(expected["incidence"])
    assert found.se == near(expected["incidence_se"])


@pytest.mark.parametrize("file", R)
@pytest.mark.parametrize("which", ["competing", "single"])
def test_standard_errors_of_r(file, which):
    held = R[file][which]
    incidence = held.get("incidence", {"times": [], "se": []})
    case = {"file": file, "score": "s1", "competing_as_censored": which == "single"}
    for time, se in zip(incidence["times"], incidence["se"], strict=True):
        assert cap.confidence_interval(times_of(case).at(time), "prevalence").se == near(se)


@pytest.mark.parametrize("case", EXPECTED["pairs"], ids=lambda case: f"{case['horizon']}")
def test_differences_of_two_scores(case):
    rows = oracle(case["file"])
    status = rows["status"]
    if case["competing_as_censored"]:
        status = np.where(status == 2, 0, status)
    joint = cap.count_joint_times(rows["time"], status, {s: rows[s] for s in case["scores"]})
    found = cap.compare(joint.at(case["horizon"])).pairs[0]
    assert found.estimate == close(case["difference_ar"])
    assert found.se == near(case["se_ar"])
    assert found.df == near(case["df"])
    assert found.statistic == near(case["statistic"])
    assert found.p_value == near(case["p_value"])
    assert (found.low, found.high) == within(case["interval95"])


@pytest.mark.parametrize("place", range(len(EXPECTED["integrated"])))
def test_the_integrated_accuracy_ratio(place):
    case = EXPECTED["integrated"][place]
    found = cap.integrated_accuracy_ratio(times_of(case), case["horizons"])
    assert found.estimate == close(case["value"])
    assert found.se == near(case["se"])
    assert found.low < case["value"] - 1.9 * case["se"]
    assert found.high > case["value"] + 1.6 * case["se"]
    assert 3.8 < (found.high - found.low) / case["se"] < 4.5


def test_the_mean_auc_of_scikit_survival():
    held = SKSURV["horizon_untied.csv"]
    times = times_of({"file": "horizon_untied.csv", "score": "s1"})
    found = cap.integrated_accuracy_ratio(times, held["horizons"])
    assert (1 + found.estimate) / 2 == pytest.approx(held["mean_auc"], rel=1e-9)


def test_whether_censoring_follows_the_score(case, times, expected):
    if expected.get("censoring_test") is None:
        return
    found = cap.censoring_test(times, case["horizon"])
    assert found.statistic == near(expected["censoring_test"]["z"])
    assert found.p_value == near(expected["censoring_test"]["p_value"])


@pytest.mark.parametrize("file", R)
def test_the_score_test_of_r(file):
    case = {"file": file, "score": "s1"}
    for held in R[file]["censoring"]:
        found = cap.censoring_test(times_of(case), held["t"])
        assert found.statistic**2 == pytest.approx(held["chisq"], rel=1e-9)
        assert np.sign(found.statistic) == held["sign"]
