"""Ranges of exact tables: the oracles, and every ranking of a few cases."""

from fractions import Fraction
from time import process_time

import pytest
from audit_cases import (
    auc_of,
    audited,
    captured_by,
    ends,
    fractions,
    gaps_of,
    named,
    rankings,
)
from hypothesis import assume, given, strategies as st

import capcurve as cap
from capcurve.studies.audit.bins import standard_error_at, within_sd
from capcurve.studies.audit.claims import of_the_ratio


@pytest.mark.parametrize("case", **named("exact"))
def test_ranges_agree_with_exact_answers(case):
    audit, expected = audited(case), case["expected"]
    assert audit.fits
    for name, metric in (("auc", "roc_auc"), ("accuracy_ratio", "accuracy_ratio")):
        found = getattr(audit, metric)
        assert list(found.exact) == fractions(expected[name])
        assert [found.low, found.table, found.high] == [float(Fraction(x)) for x in expected[name]]
        assert found.sharp
    assert ends(audit.ks) == fractions(expected["ks"])
    assert ends(audit.ks_positive) == fractions(expected["ks_positive_side"])
    assert ends(audit.ks_negative) == fractions(expected["ks_negative_side"])
    for name in ("captured", "lift"):
        for q, answer in expected[name].items():
            found = getattr(audit, name)(Fraction(q))
            assert list(found.exact) == fractions(answer)
            assert getattr(audit, name)(float(Fraction(q))) == found
    assert audit.tpr(1).low == 1


@pytest.mark.parametrize("case", **named("exact"))
def test_errors_agree_with_exact_answers(case):
    bins = bins_of(case)
    answers = case["expected"]["standard_errors_of_ar"]
    for end in ("low", "table", "high"):
        assert standard_error_at(bins, end) == pytest.approx(answers[end], rel=1e-13, abs=1e-15)
    assert within_sd(bins) == pytest.approx(answers["within_sd"], rel=1e-13, abs=1e-15)
    audit = audited(case)
    interval = audit.interval()
    reach = 1.959963984540054
    low = audit.accuracy_ratio.low - reach * answers["low"]
    assert interval.low == pytest.approx(max(low, -1))
    high = audit.accuracy_ratio.high + reach * answers["high"]
    assert interval.high == pytest.approx(min(high, 1))
    assert audit.interval("auc").low == pytest.approx((1 + interval.low) / 2)


@pytest.mark.parametrize("case", **named("exact"))
def test_numbers_taken_for_the_accuracy_ratio(case):
    found = dict(of_the_ratio(bins_of(case)))
    words = {
        "auc": "the AUC of the table",
        "area_over_perfect_area": "the area under the CAP over that under the perfect CAP",
        "cap_area": "the area under the CAP",
        "origin_left_out": "the accuracy ratio with the curve's start at the origin left out",
        "lorenz_gini": "the Gini coefficient of the table's Lorenz curve, (1 - prevalence)·AR",
    }
    answers = case["expected"]["numbers_that_pass_for_the_accuracy_ratio"]
    assert {name: found[words[name]] for name in answers} == {
        name: Fraction(answer) for name, answer in answers.items()
    }


def bins_of(case):
    audit = audited(case)
    return audit.allowed.tables.only


SMALL = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=3
)


@given(SMALL, st.fractions(0, 1, max_denominator=12))
def test_ranges_are_those_of_every_ranking(table, q):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    audit = cap.audit_table({"n": n, "positives": positives}, cases=sum(n))
    orders = list(rankings(n, positives))
    aucs = [auc_of(order) for order in orders]
    assert ends(audit.roc_auc) == [min(aucs), max(aucs)]
    if q:
        shares = [captured_by(order, q * sum(n)) for order in orders]
        low, high = ends(audit.captured(q))
        assert (low <= min(shares), max(shares) <= high) == (True, True)
        if (q * sum(n)).denominator == 1:
            assert [low, high] == [min(shares), max(shares)]
    sides = [gaps_of(order) for order in orders]
    # Cases of a bin with one score show no gap inside it: the low ends are those of ties.
    at_ends = [gaps_at_ends(n, positives)]
    for i, side in enumerate((audit.ks_positive, audit.ks_negative)):
        assert ends(side) == [at_ends[0][i], max(gap[i] for gap in sides)]
    assert ends(audit.ks) == [max(at_ends[0]), max(max(gap) for gap in sides)]


def gaps_at_ends(n, positives):
    """Return the gaps of both sides at the ends of bins."""
    n1, n0 = sum(positives), sum(n) - sum(positives)
    p = m = 0
    gaps = [Fraction(0)]
    for size, of_them in zip(n, positives, strict=True):
        p, m = p + of_them, m + size - of_them
        gaps.append(Fraction(p, n1) - Fraction(m, n0))
    return max(gaps), -min(gaps)


@given(SMALL, st.fractions(0, 1, max_denominator=12))
def test_rates_at_a_false_positive_rate_are_those_of_every_ranking(table, fpr):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    found = cap.audit_table({"n": n, "positives": positives}, cases=sum(n)).tpr(fpr)
    rates = [rate_at(order, fpr) for order in rankings(n, positives)]
    assert ends(found) == [min(rates), max(rates)]


def rate_at(labels, fpr):
    """Return the share of positives above the lowest cut-off that lets no more negatives pass."""
    n1, n0 = sum(labels), len(labels) - sum(labels)
    p = m = 0
    for label in labels:
        if m + 1 - label > fpr * n0:
            break
        p, m = p + label, m + 1 - label
    return Fraction(p, n1)


def test_nothing_is_lost_of_large_counts():
    n, positives = [10**12, 10**12 + 1, 3], [10**11, 7, 1]
    audit = cap.audit_table({"n": n, "positives": positives}, cases=sum(n))
    n1 = sum(positives)
    n0 = sum(n) - n1
    won = 10**11 * (n0 - 9 * 10**11) + 7 * 2
    assert audit.roc_auc.exact[0] == Fraction(won, n1 * n0)
    thousandfold = cap.audit_table(
        {"n": [3000 * 10**9, 3000 * 10**9], "positives": [2000 * 10**9, 1000 * 10**9]},
        assume="concave",
    )
    assert thousandfold.accuracy_ratio.exact[2] == Fraction(5, 9)


@given(SMALL, st.integers(2, 9))
def test_counts_times_a_number_change_nothing(table, times):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    one = cap.audit_table({"n": n, "positives": positives}, cases=sum(n))
    many = cap.audit_table(
        {"n": [times * each for each in n], "positives": [times * each for each in positives]},
        cases=times * sum(n),
    )
    for name in ("accuracy_ratio", "roc_auc", "ks", "ks_positive", "ks_negative"):
        assert getattr(one, name) == getattr(many, name)
    assert one.captured(0.3) == many.captured(0.3)
    assert one.precision(0.3) == many.precision(0.3)


@given(SMALL.filter(lambda table: len(table) > 1))
def test_finer_bins_nest(table):
    positives = [p for p, _ in table]
    n = [p + m for p, m in table]
    assume(0 < sum(positives) < sum(n))
    fine = cap.audit_table({"n": n, "positives": positives}, cases=sum(n))
    coarse = cap.audit_table(
        {"n": [n[0] + n[1], *n[2:]], "positives": [positives[0] + positives[1], *positives[2:]]}
    )
    for name in ("accuracy_ratio", "ks_positive", "ks_negative", "ks"):
        (low, high), (least, most) = ends(getattr(fine, name)), ends(getattr(coarse, name))
        assert least <= low <= high <= most
    (low, high), (least, most) = ends(fine.captured(0.4)), ends(coarse.captured(0.4))
    assert least <= low <= high <= most


def test_random_order_inside_bins_lifts_the_low_ends_to_the_table():
    table = {"n": [954, 989, 1165], "positives": [145, 101, 92]}
    free, random = cap.audit_table(table), cap.audit_table(table, assume="random")
    assert random.accuracy_ratio.low == random.accuracy_ratio.table == free.accuracy_ratio.table
    assert random.accuracy_ratio.high == free.accuracy_ratio.high
    assert random.captured(0.1).low == free.captured(0.1).table
    assert random.captured(0.1).high == free.captured(0.1).high
    assert random.ks_negative.high == 0 < free.ks_negative.high


def test_bins_without_cases_and_columns_of_both_classes():
    table = {"positives": [2, 0, 1], "negatives": [1, 0, 2]}
    audit = cap.audit_table(table)
    assert audit.roc_auc.exact == (Fraction(4, 9), Fraction(2, 3), Fraction(8, 9))


def test_refusals_are_one_line():
    with pytest.raises(ValueError, match=r"3 of 3 cases are said to be positive"):
        cap.audit_table({"n": [1, 2], "captured": ["30%", "100%"]}, positives=3)
    with pytest.raises(ValueError, match="how many cases are in each bin"):
        cap.audit_table({"captured": ["30%", "100%"]}, positives=3)
    with pytest.raises(ValueError, match="rounding must be one of"):
        cap.audit_table({"n": [1, 2], "positives": [1, 0]}, rounding="up")
    with pytest.raises(ValueError, match='assume must be "random", "concave" or None'):
        cap.audit_table({"n": [1, 2], "positives": [1, 0]}, assume="convex")
    with pytest.raises(ValueError, match="say so with prevalence="):
        cap.audit_table({"selected": ["50%", "100%"], "captured": ["70%", "100%"]})
    audit = cap.audit_table({"n": [3, 3], "positives": [2, 1]})
    with pytest.raises(ValueError, match=r"must be in \(0, 1\]"):
        audit.captured(0)
    with pytest.raises(ValueError, match="metric must be one of"):
        audit.interval("ks")
    with pytest.raises(ValueError, match="positives holds counts, but of the cases only shares"):
        cap.audit_table({"selected": ["50%", "100%"], "positives": [2, 1]}, prevalence="50%")
    with pytest.raises(ValueError, match="the number of positives is known, but of the cases only"):
        cap.audit_table({"selected": ["50%", "100%"], "captured": ["70%", "100%"]}, positives=3)
    with pytest.raises(ValueError, match="the bins hold 1 cases in all"):
        cap.audit_table({"n": [1], "positives": [1]})


@pytest.mark.merge
def test_many_cases_and_headings_of_several_meanings_take_no_minutes():
    """Ten bins of 10,000 cases, one lift and one KS misprinted, nothing said of the positives."""
    table = {
        "Cases": [10_000] * 10,
        "Lift": ["2.91", "2.14", "3.30", "0.97", "0.78", "0.58", "0.39", "0.29", "0.15", "0.05"],
        "KS": ["21.3", "34.1", "39.2", "39.0", "11.0", "32.0", "25.2", "17.4", "8.5", "0.0"],
        "Good %": ["7.8", "8.7", "9.5", "10.0", "10.3", "10.5", "10.7", "10.8", "11.0", "11.1"],
        "% bads": ["29.1", "21.4", "14.6", "9.7", "7.8", "5.8", "3.9", "2.9", "1.5", "0.5"],
    }
    started = process_time()
    assert not cap.audit_table(table).fits
    assert process_time() - started < 15
