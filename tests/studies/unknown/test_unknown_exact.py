"""Bounds are those of trying every outcome: published cases, random ones, and large numbers."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from every_outcome import joint_of, of_one_score, of_two_scores, partial_of
from hypothesis import given, strategies as st

import capcurve as cap

LOANS = Path(__file__).parents[3] / "src" / "capcurve" / "datasets" / "loans.csv"
ORACLE = json.loads((Path(__file__).parent / "unknown_outcomes.json").read_text())
small = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=4
).filter(lambda cells: sum(map(sum, cells)) > 1)
near = {"rel": 0, "abs": 1e-12}


def columns(cells):
    return [list(column) for column in zip(*cells, strict=True)]


def limits_of(case):
    return {"positives": (case["least"], case["most"])}


@pytest.mark.turns(3)
@pytest.mark.parametrize("case", ORACLE["bounds"])
def test_bounds_of_published_cases(case):
    partial = partial_of(case["positives"], case["negatives"], case["unknown"])
    found = cap.unknown_bounds(partial, **limits_of(case))
    assert found.low == pytest.approx(float(Fraction(case["ar_low"])), **near)
    assert found.high == pytest.approx(float(Fraction(case["ar_high"])), **near)
    assert found.positives_at_low == min(case["positives_among_unknown_at_low"])
    assert found.positives_at_high == min(case["positives_among_unknown_at_high"])
    auc = cap.unknown_bounds(partial, "roc_auc", **limits_of(case))
    assert (auc.low, auc.high) == pytest.approx(((1 + found.low) / 2, (1 + found.high) / 2), **near)
    q = float(Fraction(case["q"]))
    top = cap.unknown_bounds(partial, "captured_response", q=q, **limits_of(case))
    assert top.low == pytest.approx(float(Fraction(case["captured_low"])), **near)
    assert top.high == pytest.approx(float(Fraction(case["captured_high"])), **near)


@pytest.mark.parametrize("case", ORACLE["difference"])
def test_differences_of_published_cases(case):
    new, old, *classes = ([cell[name] for cell in case["cells"]] for name in case["cells"][0])
    joint = joint_of(new, old, *classes)
    found = cap.unknown_bounds(joint, **limits_of(case))
    assert found.low == pytest.approx(float(Fraction(case["low"])), **near)
    assert found.high == pytest.approx(float(Fraction(case["high"])), **near)
    auc = cap.unknown_bounds(joint, "auc", **limits_of(case))
    assert (auc.low, auc.high) == pytest.approx((found.low / 2, found.high / 2), **near)


@pytest.mark.parametrize("case", ORACLE["odds"])
@pytest.mark.parametrize("pooled", [None, False])
def test_odds_of_published_cases(case, pooled):
    """The published cases take rates as they stand, and so do few scores unless it is said."""
    partial = partial_of(case["positives"], case["negatives"], case["unknown"])
    expected = {
        float(odds): float(Fraction(ratio)) for odds, ratio in case["ar_at_odds_ratio"].items()
    }
    assert len(expected) == 3
    for odds, exact in expected.items():
        ratio = pytest.approx(exact, **near)
        assert cap.accuracy_ratio(partial.completed(odds, pooled=pooled)) == ratio
        found = cap.unknown_bounds(partial, odds=odds, pooled=pooled)
        assert (found.low, found.high) == (ratio, ratio)
        assert found.same_odds == pytest.approx(expected[1], **near)
        assert found.assumptions.pooled is False


@pytest.mark.parametrize("case", ORACLE["odds"])
def test_pooled_odds_are_those_of_rates_that_fall(case):
    """Pooled rates differ from those of the published cases unless these fall."""
    partial = partial_of(case["positives"], case["negatives"], case["unknown"])
    rates = np.divide(case["positives"], np.add(case["positives"], case["negatives"]))
    found = cap.unknown_bounds(partial, odds=1, pooled=True)
    assert found.low == cap.accuracy_ratio(partial.completed(1, pooled=True)) == found.same_odds
    published = float(Fraction(case["ar_at_odds_ratio"]["1"]))
    assert (found.low == pytest.approx(published, **near)) == (np.diff(rates) <= 0).all()


def loans():
    with LOANS.open(newline="") as file:
        rows = [(int(row["y"]), int(row["grade_rank"])) for row in csv.DictReader(file)]
    target = [None if grade >= 26 else y for y, grade in rows]
    return cap.count_partial(target, [grade for _, grade in rows])


def test_bounds_of_rejected_loans():
    case, partial = ORACLE["lending_rejected_from_grade_26"], loans()
    found = cap.unknown_bounds(partial)
    assert (found.n_unknown, found.known_positives) == (case["unknown"], case["known_positives"])
    assert found.low == float(Fraction(case["ar_low_exact"]))
    assert found.high == float(Fraction(case["ar_high_exact"]))
    assert found.known_only == pytest.approx(case["ar_known_only"], **near)
    counted = cap.unknown_bounds(partial, positives=70)
    assert [counted.low, counted.high] == pytest.approx(case["with_70_positives"], **near)
    assert "between 0.398 and 0.689 whatever they are" in found.presentation().sentences[0]


@given(small, st.integers(0, 8), st.integers(0, 8))
def test_bounds_are_those_of_every_outcome(cells, some, other):
    partial = partial_of(*columns(cells))
    n = sum(columns(cells)[2])
    least, most = sorted(min(each, n) for each in (some, other))
    expected = of_one_score(*columns(cells), least=least, most=most)
    if not expected:
        with pytest.raises(ValueError, match=r"undefined|positives="):
            cap.unknown_bounds(partial, positives=(least, most))
        return
    found = cap.unknown_bounds(partial, positives=(least, most))
    for end, value, fewest in (
        (min, found.low, found.positives_at_low),
        (max, found.high, found.positives_at_high),
    ):
        best = end(value for value, _ in expected)
        assert value == float(best)
        assert fewest == min(m for value, m in expected if value == best)


@given(small, st.sampled_from([0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0]))
def test_captured_shares_are_those_of_every_outcome(cells, q):
    expected = of_one_score(*columns(cells), q=Fraction(repr(q)))
    if not expected:
        return
    found = cap.unknown_bounds(partial_of(*columns(cells)), "captured_response", q=q)
    values = [value for value, _ in expected]
    assert found.low == pytest.approx(float(min(values)), **near)
    assert found.high == pytest.approx(float(max(values)), **near)


@given(
    st.lists(
        st.tuples(*[st.integers(0, 2)] * 2, *[st.integers(0, 3)] * 2, st.integers(0, 2)),
        min_size=1,
        max_size=4,
    )
)
def test_differences_are_those_of_every_outcome(cells):
    first, second, *classes = columns(cells)
    expected = of_two_scores(first, second, *classes)
    if not expected or not sum(classes[2]):
        return
    found = cap.unknown_bounds(joint_of(first, second, *classes))
    assert found.low == pytest.approx(float(min(v for v, _ in expected)), **near)
    assert found.high == pytest.approx(float(max(v for v, _ in expected)), **near)
    assert found.low_counts.n == found.n_known + found.n_unknown


@given(small, st.integers(-4, 4).map(lambda k: k / 4), st.sampled_from(["ar", "auc", "captured"]))
def test_the_tipping_point_is_the_fewest_positives_that_break_a_minimum(cells, minimum, metric):
    q = 0.3 if metric == "captured" else None
    expected = of_one_score(*columns(cells), q=None if q is None else Fraction(3, 10))
    if not expected:
        return
    values = [((1 + value) / 2 if metric == "auc" else value, m) for value, m in expected]
    broken = [m for value, m in values if value < Fraction(minimum)]
    found = cap.tipping_point(partial_of(*columns(cells)), minimum, metric, q=q)
    assert found.positives == min(broken, default=None)


def test_a_minimum_is_the_decimal_that_was_typed():
    # 1/10 of the pairs more are won than lost; 0.1 as a float is a little more than that.
    partial = partial_of([6, 5], [5, 5], [0, 0])
    assert cap.accuracy_ratio(partial.known) < 0.1
    table = partial_of([11, 9], [9, 11], [0, 0])
    assert cap.accuracy_ratio(table.known) == 0.1
    assert cap.tipping_point(table, 0.1).positives is None
    assert cap.tipping_point(table, 0.1 + 1e-12).positives == 0


@pytest.mark.parametrize("factor", [1, 7, 2**31, 2**52])
def test_the_turn_between_two_scores_is_found_at_any_size(factor):
    """The best number of positives lies inside a score: both whole numbers beside it are tried."""
    p, n, u = [3, 2, 1], [2, 8, 40], [30, 20, 9]
    table = [[factor * each for each in column] for column in (p, n, u)]
    found = cap.unknown_bounds(partial_of(*table))
    ends = found.positives_at_low, found.positives_at_high
    for m, value, highest in zip(ends, (found.low, found.high), (False, True), strict=True):
        assert value == float(filled(*table, m, highest=highest))
        for other in (m - 1, m + 1, m // 2, 2 * m, 0, factor):
            if 0 <= other <= sum(table[2]):
                rival = filled(*table, other, highest=highest)
                better = filled(*table, m, highest=highest)
                assert (rival <= better) if highest else (rival >= better)


def filled(positives, negatives, unknown, m, *, highest):
    """Return the accuracy ratio with m positives among the unknown, from one end on."""
    order = range(len(unknown)) if highest else reversed(range(len(unknown)))
    p, n = list(positives), [a + b for a, b in zip(negatives, unknown, strict=True)]
    for place in order:
        added = min(m, unknown[place])
        p[place], n[place], m = p[place] + added, n[place] - added, m - added
    won = sum(p[i] * (sum(n[i + 1 :]) - sum(n[:i])) for i in range(len(p)))
    return Fraction(won, sum(p) * sum(n))


@pytest.mark.parametrize("size", [10**5, pytest.param(10**6, marks=pytest.mark.merge)])
def test_both_ends_of_very_many_scores(size):
    rng = np.random.default_rng(3)
    kind = rng.choice(3, size=size, p=[0.05, 0.9, 0.05])
    partial = partial_of(*((kind == each).astype(int) for each in range(3)))
    found = cap.unknown_bounds(partial)
    assert found.low < found.known_only < found.high
    assert found.n_unknown == (kind == 2).sum()
    whole = [(kind == each).astype(int).tolist() for each in range(3)]
    m = found.positives_at_high
    near_m = [float(quick(whole, other)) for other in (m - 1, m, m + 1)]
    assert max(near_m) == near_m[1] == found.high


def quick(columns_of, m):
    """Return the accuracy ratio with the first m unknown positive, in one pass."""
    n1 = n0 = won = 0
    positives, _, unknown = columns_of
    for p, u in zip(positives, unknown, strict=True):
        positive = p or (u and m > 0)
        m -= bool(u)
        if positive:
            n1, won = n1 + 1, won - n0
        else:
            n0, won = n0 + 1, won + n1
    return Fraction(won, n1 * n0)
