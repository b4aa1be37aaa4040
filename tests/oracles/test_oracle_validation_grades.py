"""Grades, stability and concentration agree with R to ten digits."""

import json

import numpy as np
import pytest
from oracle_files import DATA

import capcurve as cap

FOUND = json.loads((DATA / "grades.json").read_text())


def close(value):
    return pytest.approx(value, rel=1e-10, abs=1e-12)


def graded(grades, n, bad):
    return cap.ScoreCounts.from_counts(grades, bad, np.subtract(n, bad), levels=grades)


def portfolio(cases):
    grades = [f"grade {place}" for place in range(len(cases))]
    return cap.CaseCounts.from_counts(grades, cases, levels=grades)


@pytest.fixture(params=FOUND["grades"])
def table(request):
    found = FOUND["grades"][request.param]
    counts = found["counts"]
    return graded(counts["grade"], counts["n"], counts["bad"]), found


@pytest.mark.parametrize(
    ("method", "column", "key"),
    [
        ("mid_p", "p_value", "midp_p"),
        ("mid_p", "p_adjusted", "midp_p_holm"),
        ("mid_p", "p_reversed", "midp_p_reversed"),
        ("mid_p", "p_reversed_adjusted", "midp_p_reversed_holm"),
        ("z", "p_value", "z_pooled_p"),
        ("fisher", "p_value", "fisher_p"),
    ],
)
def test_neighbouring_grades(table, method, column, key):
    counts, found = table
    pairs = cap.adjacent_grades(counts, method=method)
    assert pairs["riskier"].tolist() == [pair["riskier"] for pair in found["adjacent"]]
    assert pairs["safer"].tolist() == [pair["safer"] for pair in found["adjacent"]]
    assert pairs[column].tolist() == close([pair[key] for pair in found["adjacent"]])


def test_one_sided_jeffreys_limits(table):
    counts, found = table
    limits = found["jeffreys_one_sided_lower_95"]
    rates = cap.rate_table(counts, side="lower")
    some = rates["positives"] > 0
    assert rates["rate_low"][some].tolist() == close(np.array(limits)[some].tolist())
    # Without positives R's quantile is above 0, and here the lower limit is 0.
    assert (rates["rate_low"][~some] == 0).all()
    assert (rates["rate_high"] == 1).all()


def test_the_pools_of_falling_rates(table):
    # The test is another one than R's, which draws again from the pooled rates: it pools alike.
    counts, found = table
    rates = found["monotone_rates"]
    grades = found["counts"]["grade"]
    runs = [k for k in range(1, len(rates)) if rates[k] == pytest.approx(rates[k - 1], rel=1e-12)]
    starts = [k - 1 for k in runs if k - 1 not in runs]
    pools = {
        f"{grades[k]} to {grades[next(j for j in range(k + 1, 99) if j + 1 not in runs)]}"
        for k in starts
    }
    test = cap.monotonicity_test(counts)
    assert set(test.estimates) == pools
    assert test.df == len(runs)


@pytest.mark.parametrize("name", [k for k, v in FOUND["psi"].items() if isinstance(v, dict)])
def test_population_stability(name):
    case = FOUND["psi"][name]
    before, after = (portfolio(case[when]) for when in ("base", "current"))
    found = cap.population_stability(before, after, level=0.9)
    assert found.psi == close(float(case["psi"]))
    assert found.psi_half == close(case["psi_half"])
    assert found.low == close(case["psi_half_lower_95_one_sided"])
    assert found.high == close(case["psi_half_upper_95_one_sided"])
    assert found.expected_if_unchanged == close(case["expected_if_unchanged"])
    assert (found.chi2, found.df) == (close(case["chi2"]), case["df"])
    assert found.p_value == close(case["chi2_p"])
    assert cap.population_stability(after, before, level=0.9).psi == found.psi


@pytest.mark.parametrize("name", FOUND["concentration"])
def test_concentration(name):
    case = FOUND["concentration"][name]
    found = cap.grade_concentration(portfolio(case["current"]), portfolio(case["initial"]))
    for prefix, when in (("", "now"), ("initial_", "at_start")):
        for field, key in (
            ("cv", "cv"),
            ("herfindahl_index", "hi"),
            ("hhi", "hhi"),
            ("effective_grades", "effective"),
        ):
            assert getattr(found, prefix + field) == close(case[when][key])
    assert found.ecb_p == close(case["ecb_p"])


@pytest.mark.parametrize("name", FOUND["homogeneity"])
def test_homogeneity(name):
    case = FOUND["homogeneity"][name]
    cells = case["cells"]
    levels = sorted({cell["grade"] for cell in cells}, reverse=True)
    segments = {}
    for segment in {cell["segment"]: None for cell in cells}:
        rows = [cell for cell in cells if cell["segment"] == segment]
        bad = [row["bad"] for row in rows]
        good = [row["n"] - row["bad"] for row in rows]
        segments[segment] = cap.ScoreCounts.from_counts(
            [row["grade"] for row in rows], bad, good, levels=levels
        )
    found = cap.grade_homogeneity_test(segments)
    assert (found.statistic, found.df) == (close(case["statistic"]), case["df"])
    assert found.p_value == close(case["p"])
