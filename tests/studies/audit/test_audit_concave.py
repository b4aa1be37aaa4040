"""Concave curves: exact answers, linear programmes, and what they say of a sample."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from audit_cases import audited, ends, fractions, named
from hypothesis import assume, given, settings, strategies as st
from scipy.optimize import linprog

import capcurve as cap
from capcurve.studies.audit.bins import Bins, ratio_of_bins
from capcurve.studies.audit.concave import (
    concave_accuracy_ratio,
    concave_captured,
    concave_ks,
    highest_concave,
)
from capcurve.studies.audit.tables import Tables


@pytest.mark.parametrize("case", **named("exact"))
def test_ranges_agree_with_exact_answers(case):
    expected = case["expected"]["concave"]
    if expected is None:
        first = case["expected"]["rate_rises_after_bin"][0]
        with pytest.raises(ValueError, match=rf"rises from bin {first} to bin {first + 1} "):
            audited(case, assume="concave")
        return
    audit = audited(case, assume="concave")
    assert ends(audit.accuracy_ratio) == fractions(expected["accuracy_ratio"])
    assert audit.accuracy_ratio.high <= float(Fraction(expected["not_sharp_sum_of_triangles"]))
    assert ends(audit.ks) == fractions(expected["ks"])
    assert (audit.ks_negative.low, audit.ks_negative.high) == (0, 0)
    for q, answer in expected["captured"].items():
        assert ends(audit.captured(Fraction(q))) == fractions(answer)
    assert audit.roc_auc.exact[2] == (1 + audit.accuracy_ratio.exact[2]) / 2


@pytest.mark.parametrize("case", **named("concave_rounded"))
def test_windows_agree_with_exact_answers(case):
    audit, expected = audited(case, assume="concave"), case["expected"]
    low, high = expected["accuracy_ratio_high_certified"]
    assert audit.accuracy_ratio.low == float(Fraction(expected["accuracy_ratio_low"]))
    assert low - 1e-9 <= audit.accuracy_ratio.high <= high + 1e-9


def test_lending_club():
    case = next(c for c in named("exact")["argvalues"] if c["name"] == "lending_int_rate_deciles")
    free, concave = audited(case), audited(case, assume="concave")
    found = free.accuracy_ratio
    assert [round(x, 4) for x in (found.low, found.table, found.high)] == [0.3771, 0.4755, 0.5740]
    assert round(concave.accuracy_ratio.high, 4) == 0.4909
    assert found.low < concave.accuracy_ratio.low < 0.4839 < concave.accuracy_ratio.high
    # The sample's own KS is .3759: a concave population has less.
    assert round(concave.ks.high, 4) == 0.3736
    assert "population" in {finding.code for finding in concave.findings}
    (claim,) = audited(case, assume="concave", claims={"ks": "0.376"}).claims
    assert claim.possible
    assert "A population with a concave curve has 0.365 to 0.374" in claim.message


@st.composite
def falling(draw):
    """Draw a table whose rate never rises."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=1, max_size=6
        )
    )
    rows.sort(key=lambda row: Fraction(row[0], sum(row)), reverse=True)
    p, m = (tuple(accumulate(column)) for column in zip(*rows, strict=True))
    assume(p[-1] and m[-1])
    return Bins(p, m)


def tables_of(bins):
    steps = tuple(p - p0 for p0, p, *_ in bins.each())
    return Tables(bins, bins, steps, steps)


@settings(max_examples=settings.default.max_examples // 2)
@given(falling())
def test_the_linear_programme_agrees_with_the_chain_of_apexes(bins):
    exact = concave_accuracy_ratio(bins)
    assert ratio_of_bins(bins, "table") <= exact <= ratio_of_bins(bins, "high")
    assert highest_concave(tables_of(bins)) == pytest.approx(float(exact), abs=1e-8)


@given(falling(), st.fractions(0, 1, max_denominator=9))
def test_no_concave_curve_on_a_grid_does_better(bins, q):
    n = bins.n
    points = 6 * n
    area, curve = best_on_a_grid(bins, points)
    assert area <= float(concave_accuracy_ratio(bins)) + 1e-7
    # Between grid points the best curve has corners that the grid cuts.
    assert area >= float(concave_accuracy_ratio(bins)) - 0.1
    t = np.linspace(0, 1, points + 1)
    gaps = curve / bins.n1 - (t * n - curve) / bins.n0
    assert gaps.max() <= float(concave_ks(bins, bins)) + 1e-7
    if q:
        here = np.interp(float(q), t, curve)
        assert here <= float(concave_captured(bins, bins, q * n)) + 1e-6


def best_on_a_grid(bins, points):
    """Return the accuracy ratio of the largest concave curve on a grid, and the curve."""
    step = bins.n / points
    edges = [0, *(p + m for p, m in zip(bins.positives, bins.negatives, strict=True))]
    fixed = dict(zip([round(x / step) for x in edges], [0, *bins.positives], strict=True))
    bounds = [(fixed[i], fixed[i]) if i in fixed else (0, bins.n1) for i in range(points + 1)]
    rows = np.zeros((points + 1, points + 1))
    for i in range(1, points):
        rows[i, i - 1 : i + 2] = [1, -2, 1]
    rows[0, :2] = [-1, 1]
    limit = np.zeros(points + 1)
    limit[0] = step
    weights = np.full(points + 1, step)
    weights[[0, -1]] = step / 2
    found = linprog(-weights, rows, limit, bounds=bounds)
    ratio = (2 * -found.fun - bins.n * bins.n1) / (bins.n1 * bins.n0)
    return ratio, found.x


@given(falling(), st.integers(2, 9))
def test_counts_times_a_number_change_nothing(bins, times):
    many = Bins(*(tuple(times * x for x in column) for column in (bins.positives, bins.negatives)))
    assert concave_accuracy_ratio(many) == concave_accuracy_ratio(bins)


@settings(max_examples=settings.default.max_examples // 2)
@given(falling(), st.integers(0, 2))
def test_windows_hold_the_exact_answer(bins, digits):
    steps = [(p - p0, p - p0 + m - m0) for p0, p, m0, m in bins.each()]
    captured = [f"{float(Fraction(p, bins.n1)):.{digits}f}" for p in bins.positives]
    table = {"n": [n for _, n in steps], "captured": captured}
    audit = cap.audit_table(table, positives=bins.n1, assume="concave", rounding="any")
    assert audit.accuracy_ratio.low <= float(ratio_of_bins(bins, "table")) + 1e-12
    assert audit.accuracy_ratio.high >= float(concave_accuracy_ratio(bins)) - 1e-9
    assert audit.ks.high >= float(concave_ks(bins, bins)) - 1e-12
    for q in (0.1, 0.5):
        exact = concave_captured(bins, bins, Fraction(str(q)) * bins.n)
        assert audit.captured(q).high >= float(Fraction(exact, bins.n1)) - 1e-12


def test_grouped_incomes_have_the_bounds_of_gastwirth():
    # Two groups of three with rates 2/3 and 1/3: with these as limits nothing is gained.
    bins = Bins((2, 3), (1, 3))
    assert concave_accuracy_ratio(bins) == Fraction(5, 9)
    assert ratio_of_bins(bins, "table") == Fraction(1, 3)


def test_concave_needs_known_sizes_and_few_totals():
    with pytest.raises(ValueError, match="needs the number or the exact share of the cases"):
        cap.audit_table(
            {"selected": ["31%", "100%"], "captured": ["60%", "100%"]},
            positives=40,
            cases=997,
            assume="concave",
        )
    with pytest.raises(ValueError, match="takes too long: say how many"):
        cap.audit_table({"n": [100, 100], "captured": ["60%", "100%"]}, assume="concave")
    with pytest.raises(ValueError, match="the rate of positives rises at the end of bin"):
        cap.audit_table(
            {"n": [1000, 1000, 1000], "captured": ["10%", "60%", "100%"]},
            positives=500,
            assume="concave",
        )
