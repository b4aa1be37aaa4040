"""Inference on clustered rows: the jackknife by hand, from rows, and what builds on it."""

import functools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import capcurve as cap
from capcurve.inference import (
    cap_band,
    confidence_interval,
    difference_band,
    discrimination_test,
    heterogeneity_test,
    ks_test,
    null_band,
    test_against_initial,
)
from capcurve.inference.designs import in_few_cells, leave_out
from capcurve.inference.samples import aucs, rates_at_share
from capcurve.input.arrays import cluster_groups
from capcurve.input.columns import as_column

# In AUC, as the independent numbers are.
compare = functools.partial(cap.compare, metric="roc_auc")
compare_independent = functools.partial(cap.compare_independent, metric="roc_auc")


def months(seed=0, obligors=150, digits=1):
    """Draw obligor-months: outcomes, two scores, ids."""
    rng = np.random.default_rng(seed)
    ids = np.repeat(np.arange(obligors) + 1000, 6)
    effect = rng.normal(size=obligors)[:, None]
    y = (effect + rng.normal(size=(obligors, 6)) > 1.6).astype(int)
    first = np.round(effect + rng.normal(size=(obligors, 6)) + y, digits).ravel()
    second = np.round(first + rng.normal(size=len(first)), digits)
    return y.ravel(), first, second, ids


def groups_of(ids):
    return cluster_groups(as_column(ids, "id"))[1]


def left_out(ids, number):
    """Return the number with each group of rows left out, and how many groups there are."""
    groups = groups_of(ids)
    found = np.array([number(groups != group) for group in np.unique(groups)])
    return found, len(found)


def variance_by_hand(ids, number):
    """Return (G - 1)/G times the sum of squared moves, from rows."""
    found, groups = left_out(ids, number)
    return (groups - 1) / groups * ((found - number(np.ones(len(ids), bool))) ** 2).sum()


METRICS = {
    "accuracy_ratio": ({}, cap.accuracy_ratio),
    "roc_auc": ({}, cap.roc_auc),
    "captured_response": ({"q": 0.1}, lambda c: cap.captured_response(c, 0.1)),
    "lift": ({"q": 0.1}, lambda c: cap.lift(c, 0.1)),
    "precision": ({"q": 0.1}, lambda c: cap.precision(c, 0.1)),
    "ks": ({}, lambda c: cap.ks(c).statistic),
    "partial_auc": ({"max_fpr": 0.2}, lambda c: cap.partial_auc(c, 0.2)),
}


# Every pair of a metric, a direction and weights.
PAIRS = [
    (metric, direction, (place + turn) % 2 == 1)
    for place, metric in enumerate(METRICS)
    for turn, direction in enumerate(("positive", "negative"))
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("metric", "direction", "weighted"), PAIRS)
def test_the_standard_error_is_the_jackknife_by_hand(metric, direction, weighted):
    y, s, _, ids = months()
    s = s if direction == "positive" else -s
    w = np.random.default_rng(1).random(len(y)) if weighted else None

    def count(rows, **more):
        kind = {} if w is None else {"weight": w[rows], "weight_kind": "sampling"}
        return cap.count_scores(y[rows], s[rows], higher_is=direction, **kind, **more)

    options, number = METRICS[metric]
    counts = count(np.ones(len(y), bool), cluster=ids)
    found = confidence_interval(counts, metric, **options)
    by_hand = math.sqrt(variance_by_hand(ids, lambda rows: number(count(rows))))
    assert found.se == pytest.approx(by_hand, rel=1e-9)
    assert found.method == "jackknife"
    assert found.estimate == pytest.approx(number(counts), rel=1e-12)
    assert found.low < found.estimate < found.high


def test_the_spread_of_the_best_profit_is_that_at_its_cutoff():
    y, s, _, ids = months()
    found = confidence_interval(cap.count_scores(y, s, cluster=ids), "profit", value=10, cost=1)
    profits = {cut: (10.0 * y - 1)[s >= cut].sum() for cut in np.unique(s)}
    best = max(profits, key=profits.get)

    def per_case(rows):
        return (10.0 * y - 1)[rows & (s >= best)].sum() / rows.sum()

    assert found.estimate == pytest.approx(profits[best], rel=1e-12)
    by_hand = len(y) * math.sqrt(variance_by_hand(ids, per_case))
    assert found.se == pytest.approx(by_hand, rel=1e-9)
    assert found.low < found.estimate - 2 * found.se
    assert found.high >= found.estimate + 2 * found.se


def test_no_profit_is_possible_where_no_case_can_pay():
    y, s, _, ids = months()
    found = confidence_interval(cap.count_scores(y, s, cluster=ids), "profit", value=1, cost=10)
    assert (found.low, found.estimate, found.high) == (0, 0, 0)
    assert str(found.estimate) == "0.0"
    assert found.method == "definition"


def test_the_best_profit_of_one_cluster_may_be_anything_possible():
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1], cluster=["a"] * 4)
    found = confidence_interval(counts, "profit", value=10, cost=1)
    assert (found.low, found.estimate, found.high) == (0, 17, 4 * 9)
    assert "all that is possible" in found.notes[0]


@pytest.mark.merge
@pytest.mark.parametrize(("cost", "true"), [(3, 0.0515), (6, 0.0019)])
def test_the_best_profit_is_held_where_hardly_any_cutoff_pays(cost, true):
    rng, held = np.random.default_rng(5), 0
    for _ in range(60):
        positive = rng.random(100) < 0.1
        score, y = (rng.normal(size=100) + positive).repeat(6), positive.repeat(6)
        counts = cap.count_scores(y, score, cluster=np.arange(100).repeat(6))
        found = confidence_interval(counts, "profit", value=10, cost=cost)
        held += found.low <= true * 600 <= found.high
    assert held >= 56


@pytest.mark.parametrize("metric", ["captured_response", "lift", "precision"])
def test_a_fixed_cutoff_stays_where_it_is(metric):
    y, s, _, ids = months()
    counts = cap.count_scores(y, s, cluster=ids)

    def number(rows):
        point = cap.operating_point(cap.count_scores(y[rows], s[rows]), threshold=1.5)
        value = {"captured_response": point.captured, "lift": point.lift}
        return value.get(metric, point.precision)

    scale = (lambda x: x) if metric != "lift" else math.log
    by_hand = math.sqrt(variance_by_hand(ids, lambda rows: scale(number(rows))))
    found = confidence_interval(counts, metric, threshold=1.5)
    assert found.estimate == pytest.approx(number(slice(None)))
    factor = found.estimate if metric == "lift" else 1
    assert found.se == pytest.approx(by_hand * factor, rel=1e-9)
    assert found.low < found.estimate < found.high


def test_limits_are_students_on_the_logit_scale():
    y, s, _, ids = months()
    counts = cap.count_scores(y, s, cluster=ids)
    moved, groups = left_out(ids, lambda rows: cap.roc_auc(cap.count_scores(y[rows], s[rows])))
    squares = (moved - cap.roc_auc(counts)) ** 2
    positive = len(np.unique(groups_of(ids[y == 1])))
    df = min(2 / ((squares**2).sum() / squares.sum() ** 2 - 1 / groups), positive - 1)
    auc, se = cap.roc_auc(counts), math.sqrt((groups - 1) / groups * squares.sum())
    for side, tail in (("both", 0.975), ("lower", 0.95)):
        reach = stats.t.ppf(tail, df) * se / (auc * (1 - auc))
        low = 1 / (1 + math.exp(-(math.log(auc / (1 - auc)) - reach)))
        assert confidence_interval(counts, "roc_auc", side=side).low == pytest.approx(low, rel=1e-9)
    ratio = confidence_interval(counts, "accuracy_ratio")
    both = confidence_interval(counts, "roc_auc")
    assert (ratio.low, ratio.high) == pytest.approx((2 * both.low - 1, 2 * both.high - 1))


def test_clusters_widen_what_repetition_narrows():
    y, s, _, ids = months(obligors=200)
    once = cap.count_scores(y, s, cluster=ids)
    thrice = cap.count_scores(np.tile(y, 3), np.tile(s, 3), cluster=np.tile(ids, 3))
    for metric, options in (("roc_auc", {}), ("captured_response", {"q": 0.2})):
        one, three = (confidence_interval(c, metric, **options) for c in (once, thrice))
        assert three.se == pytest.approx(one.se, rel=1e-9)
    naive = cap.count_scores(np.tile(y, 3), np.tile(s, 3))
    assert (
        confidence_interval(naive, "roc_auc").se < 0.7 * confidence_interval(thrice, "roc_auc").se
    )


def test_other_methods_say_that_they_ignore_clusters():
    y, s, _, ids = months()
    counts, plain = cap.count_scores(y, s, cluster=ids), cap.count_scores(y, s)
    for metric, options in (
        ("roc_auc", {"method": "logit_t"}),
        ("captured_response", {"method": "logit", "q": 0.1}),
        ("precision", {"method": "wilson", "threshold": 1.0}),
        ("ks", {"method": "bootstrap", "seed": 1, "replicates": 50}),
    ):
        found = confidence_interval(counts, metric, **options)
        expected = confidence_interval(plain, metric, **options)
        assert (found.low, found.high) == (expected.low, expected.high)
        assert "the rows are clustered" in found.notes[-1]
        assert options["method"] in found.notes[-1]
    with pytest.raises(ValueError, match="count the rows with cluster="):
        confidence_interval(plain, "roc_auc", method="jackknife")
    with pytest.raises(ValueError, match="variance='ij' is not used by roc_auc of clustered"):
        confidence_interval(counts, "roc_auc", variance="ij")
    with pytest.raises(ValueError, match="seed=1 is not used"):
        confidence_interval(counts, "ks", seed=1)
    with pytest.raises(ValueError, match="needs q="):
        confidence_interval(counts, "lift")


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 5), st.floats(0.1, 9)),
        min_size=1,
        max_size=20,
    ),
    st.booleans(),
)
def test_every_interval_of_every_tiny_sample_is_sensible(rows, weighted):
    rows = [*rows, (0, 1, 2, 1.0), (1, 1, 3, 2.0)]
    y, s, ids, w = (np.array(column) for column in zip(*rows, strict=True))
    kind = {"weight": w, "weight_kind": "sampling"} if weighted else {}
    counts = cap.count_scores(y, s, cluster=ids, **kind)
    asked = [(metric, options) for metric, (options, _) in METRICS.items()]
    asked += [(m, {"threshold": 1}) for m in ("captured_response", "lift", "precision")]
    asked += [("precision", {"q": 1.0}), ("lift", {"q": 1.0})]
    for metric, options in asked:
        found = confidence_interval(counts, metric, **options)
        assert found.low <= found.estimate <= found.high
        assert math.isfinite(found.low)
        assert not math.isnan(found.high)
        assert found.notes
        if metric in {"roc_auc", "captured_response", "precision", "ks"}:
            assert found.low >= 0
            assert found.high <= 1 + 1e-12


def test_few_clusters_and_perfect_scores_are_noted():
    y, s, ids = np.array([1, 1, 0, 0, 0, 0]), np.array([9, 8, 3, 2, 2, 1]), [1, 1, 2, 3, 4, 4]
    perfect = confidence_interval(cap.count_scores(y, s, cluster=ids), "roc_auc")
    assert (perfect.estimate, perfect.high, perfect.se) == (1, 1, None)
    assert 0 < perfect.low < 0.1  # positives are one cluster: as good as one case
    assert "one per group" in perfect.notes[0]
    y, s, _, ids = months(obligors=12)
    few = confidence_interval(cap.count_scores(y, s, cluster=ids), "roc_auc")
    assert any("intervals are rough" in note for note in few.notes)
    assert any("Newcombe" in note for note in few.notes)


def test_weights_leave_no_phantom_cells():
    w = np.array([0.1, 0.2, 0.3, 0.4, 0.7, 1.1, 0.9])
    y, s = np.array([1, 1, 1, 0, 0, 1, 0]), np.array([7, 7, 7, 3, 3, 2, 1])
    ids = np.array([1, 1, 1, 2, 2, 3, 4])
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling", cluster=ids)

    def number(rows):
        kept = cap.count_scores(y[rows], s[rows], weight=w[rows], weight_kind="sampling")
        return cap.lift(kept, 0.05)

    found = confidence_interval(counts, "lift", q=0.05)
    assert found.se == pytest.approx(math.sqrt(variance_by_hand(ids, number)), rel=1e-9)


def test_paired_tests_are_the_jackknife_by_hand():
    y, a, b, ids = months()
    c = np.round(b + np.random.default_rng(5).normal(size=len(b)), 1)
    found = compare(cap.count_joint(y, {"a": a, "b": b, "c": c}, cluster=ids))

    def aucs(rows):
        return np.array([cap.roc_auc(cap.count_scores(y[rows], x[rows])) for x in (a, b, c)])

    moved, groups = left_out(ids, aucs)
    moved = moved - aucs(slice(None))
    covariance = (groups - 1) / groups * moved.T @ moved
    assert np.allclose(found.covariance, covariance, rtol=1e-9, atol=0)
    pair = found.pairs[0]
    se = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert pair.se == pytest.approx(se, rel=1e-9)
    assert pair.statistic == pytest.approx((aucs(slice(None)) @ [1, -1, 0]) / se, rel=1e-9)
    assert pair.p_value == pytest.approx(2 * stats.t.sf(abs(pair.statistic), pair.df), rel=1e-9)
    assert pair.p_adjusted >= pair.p_value
    rows = np.array([[1, -1, 0], [1, 0, -1]])
    effect = rows @ aucs(slice(None))
    q = effect @ np.linalg.solve(rows @ covariance @ rows.T, effect)
    known = len(np.unique(groups_of(ids[y == 1]))) - 1
    law = stats.f(2, known - 1)
    assert found.overall.statistic == pytest.approx(q, rel=1e-8)
    assert found.p_value == pytest.approx(law.sf(q * (known - 1) / (2 * known)), rel=1e-7)
    ratio = compare(cap.count_joint(y, {"a": a, "b": b}, cluster=ids), metric="accuracy_ratio")
    assert ratio.pairs[0].se == pytest.approx(2 * se, rel=1e-9)
    assert ratio.p_value == pytest.approx(pair.p_value, rel=1e-9)


def test_equal_rankings_of_clusters_differ_in_nothing():
    y, a, _, ids = months()
    joint = cap.count_joint(y, {"a": a, "b": np.exp(a), "c": 2 * a}, cluster=ids)
    found = compare(joint)
    assert [pair.p_value for pair in found.pairs] == [1, 1, 1]
    assert found.p_value == 1
    sure = compare(joint, alternative="non-inferior", margin=0.1)
    assert sure.pairs[0].p_value == 0
    apart = compare(cap.count_joint(y, {"a": y, "b": 1 - y}, cluster=ids))
    assert 0 < apart.p_value < 1e-6
    assert any("no spread" in note for note in apart.pairs[0].notes)


def test_samples_of_the_same_obligors_are_not_independent():
    y, a, b, ids = months(obligors=300)
    first, second = cap.count_scores(y, a, cluster=ids), cap.count_scores(y, b, cluster=ids)
    found = compare_independent(first, second)
    paired = compare(cap.count_joint(y, {"a": a, "b": b}, cluster=ids))
    assert found.se == pytest.approx(paired.pairs[0].se, rel=1e-9)
    apart = compare_independent(first, cap.count_scores(y, b))
    ses = [confidence_interval(first, "roc_auc").se]
    ses.append(confidence_interval(cap.count_scores(y, b), "roc_auc", method="wald").se)
    assert apart.se == pytest.approx(math.hypot(*ses), rel=1e-9)
    with pytest.raises(ValueError, match='variance="ij" treats rows as independent'):
        compare_independent(first, second, variance="ij")


def test_other_tests_honour_the_clusters_or_say_that_they_do_not():
    y, a, _, ids = months()
    counts, plain = cap.count_scores(y, a, cluster=ids), cap.count_scores(y, a)
    interval = confidence_interval(counts, "roc_auc")
    told = discrimination_test(counts)
    assert told.se == pytest.approx(interval.se, rel=1e-12)
    assert told.statistic == pytest.approx((cap.roc_auc(counts) - 0.5) / interval.se)
    assert told.p_value == pytest.approx(2 * stats.t.sf(told.statistic, told.df), rel=1e-9)
    assert "clustered" in discrimination_test(counts, method="normal").notes[-1]
    assert not discrimination_test(plain).notes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = test_against_initial(counts, 0.95)
        both = test_against_initial(counts, counts)
    assert known.se == pytest.approx(interval.se, rel=1e-12)
    assert known.p_value == pytest.approx(stats.t.sf(known.statistic, known.df), rel=1e-9)
    assert (both.estimate, both.p_value) == (0, 1)
    assert compare_independent(counts, counts).p_value == 1
    assert "clustered" in ks_test(counts).notes[-1]
    assert "clustered" in null_band(counts).notes[0]
    assert ks_test(counts).p_value == ks_test(plain).p_value


def test_segments_lose_the_same_clusters():
    y, a, _, ids = months(obligors=400)
    by = np.tile([1, 1, 2, 2, 3, 3], 400)
    segments = cap.count_segments(y, a, by=by, cluster=ids)
    found = heterogeneity_test(segments)

    def aucs(rows):
        return np.array(
            [
                cap.roc_auc(cap.count_scores(y[m], a[m]))
                for m in (rows & (by == k) for k in (1, 2, 3))
            ]
        )

    moved, groups = left_out(ids, aucs)
    whole = aucs(np.ones(len(y), bool))
    covariance = (groups - 1) / groups * (moved - whole).T @ (moved - whole)
    rows = np.array([[1, -1, 0], [1, 0, -1]])
    q = rows @ whole @ np.linalg.solve(rows @ covariance @ rows.T, rows @ whole)
    assert found.statistic == pytest.approx(q, rel=1e-8)
    assert 0.001 < found.p_value < 1
    assert "Hotelling" in found.method
    ignoring = heterogeneity_test(segments, method="chi2")
    assert "clustered" in ignoring.notes[-1]
    with pytest.raises(ValueError, match="count with cluster="):
        heterogeneity_test(cap.count_segments(y, a, by=by), method="jackknife")


@pytest.mark.merge
def test_bands_widen_with_clusters():
    y, a, b, ids = months(obligors=200)
    y3, a3, _b3, ids3 = (np.tile(x, 4) for x in (y, a, b, ids))
    wide = cap_band(cap.count_scores(y3, a3, cluster=ids3), kind="pointwise", seed=1)
    naive = cap_band(cap.count_scores(y3, a3), kind="pointwise", seed=1)
    q = int(np.searchsorted(wide.q, 0.2 - 1e-9))
    assert (wide.high - wide.low)[q] > 1.5 * (naive.high - naive.low)[q]
    counts = cap.count_scores(y, a, cluster=ids)
    point, whole = cap_band(counts, kind="pointwise"), cap_band(counts, seed=1)
    by_hand = math.sqrt(
        variance_by_hand(
            ids, lambda rows: cap.captured_response(cap.count_scores(y[rows], a[rows]), 0.2)
        )
    )
    positive = len(np.unique(groups_of(ids[y == 1])))
    reach = stats.t.ppf(0.975, positive - 1) * by_hand
    assert point.high[q] - point.estimate[q] == pytest.approx(reach, rel=1e-9)
    assert (whole.high - whole.low)[q] > (point.high - point.low)[q]
    joint = cap.count_joint(y, {"a": a, "b": b}, cluster=ids)
    band = difference_band(joint, seed=1)
    assert "groups of clusters" in band.method
    assert ((band.low <= band.estimate) & (band.estimate <= band.high)).all()
    one = difference_band(joint, seed=1)
    assert np.array_equal(one.low, band.low)


def test_rates_and_the_verdict_say_what_takes_rows_for_independent():
    rng = np.random.default_rng(4)
    y, s = (rng.random(12) < 0.4).repeat(50), rng.normal(size=12).repeat(50)
    counts = cap.count_scores(y, s, cluster=np.arange(12).repeat(50))
    assert "treat them as independent" in cap.rate_table(counts, bins=3).note
    verdict = cap.summarize(counts).verdict
    assert verdict.ranks == "alike"
    assert verdict.outside_band
    assert verdict.sentence.startswith("not distinguishable from a random score (p = ")
    assert "the band assumes independent rows" in verdict.notes[-1]
    rows = cap.summarize(cap.count_scores(y, s)).verdict
    assert "band" in rows.sentence or rows.ranks != "alike"
    assert not rows.notes


def test_groups_are_left_out_of_few_cells_with_nearly_the_same_standard_error():
    rng = np.random.default_rng(7)
    n, obligor = 12_000, np.arange(12_000) // 4
    target = rng.random(n) < 0.1
    counts = cap.count_scores(target, rng.normal(size=n) + target, cluster=obligor)
    few = in_few_cells(counts)
    assert len(few) < 4100 < len(counts) == n
    assert in_few_cells(few) is few
    found = cap.confidence_interval(counts, "roc_auc")
    assert found.estimate == cap.roc_auc(counts)
    assert found.se == pytest.approx(leave_out(counts, aucs).se(), rel=1e-3)


@pytest.mark.parametrize("prevalence", [None, 0.4])
@pytest.mark.parametrize("q", [0.001, 0.1, 0.9])
def test_a_share_without_groups_needs_only_the_cells_about_it(q, prevalence):
    rng = np.random.default_rng(8)
    obligor = rng.geometric(0.05, 3000)
    target = rng.random(3000) < 0.1
    counts = cap.count_scores(target, rng.normal(size=3000) + target, cluster=obligor)
    for metric in ("captured_response", "precision"):
        found = confidence_interval(counts, metric, q=q, prevalence=prevalence)
        of_all = functools.partial(rates_at_share, q=q, which=metric, prevalence=prevalence)
        assert found.se == pytest.approx(leave_out(counts, of_all).se(), rel=1e-9)
