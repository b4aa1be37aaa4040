"""The bootstrap: what it draws, its seeds, its quantiles, and what it shows of maxima."""

import math

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference import samples
from capcurve.inference.designs import Resampling, unit
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.limits import percentiles
from capcurve.inference.maxima import TopAreas
from capcurve.inference.ranking import resampled_aucs
from capcurve.inference.records import Confidence
from capcurve.inference.variances import auc_variance

close = pytest.approx


def grades(positives, negatives):
    return cap.ScoreCounts.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


TABLE = grades([30, 20, 10, 5], [20, 60, 120, 250])
rng = np.random.default_rng(2)
LABELS = (rng.random(400) < 0.3).astype(int)
ROWS = cap.count_scores(LABELS, rng.standard_normal(400) + LABELS)


def drawn(counts, *, replicates, seed, stratified):
    """Return all samples, not a statistic of them."""
    resampling = Resampling(counts, replicates, seed)
    both = resampling.draw(lambda p, n: np.stack([p, n], axis=1), stratified=stratified)
    return both[:, 0], both[:, 1]


@pytest.mark.parametrize("counts", [TABLE, ROWS], ids=["grades", "rows"])
def test_stratified_samples_keep_both_classes(counts):
    p, n = drawn(counts, replicates=300, seed=1, stratified=True)
    assert p.shape == (300, len(counts))
    assert set(p.sum(axis=1)) == {counts.n1}
    assert set(n.sum(axis=1)) == {counts.n0}


@pytest.mark.parametrize("counts", [TABLE, ROWS], ids=["grades", "rows"])
def test_unstratified_samples_keep_all_cases_only(counts):
    p, n = drawn(counts, replicates=4000, seed=1, stratified=False)
    assert set((p + n).sum(axis=1)) == {counts.n}
    pi = counts.prevalence
    assert p.sum(axis=1).mean() == close(counts.n1, rel=0.01)
    assert p.sum(axis=1).std() == close(math.sqrt(counts.n * pi * (1 - pi)), rel=0.05)


@pytest.mark.parametrize("counts", [TABLE, ROWS], ids=["grades", "rows"])
def test_cells_are_drawn_with_the_chances_they_have(counts):
    p, n = drawn(counts, replicates=4000, seed=2, stratified=True)
    for cells, sums in ((p, counts.positives), (n, counts.negatives)):
        assert cells.mean(axis=0) == close(sums.astype(float), rel=0.05, abs=0.09)
        spread = sums * (1 - sums / sums.sum())
        assert (cells.var(axis=0) / np.where(spread > 0, spread, 1)).mean() == close(
            (spread > 0).mean(), rel=0.05
        )


def test_weighted_samples_have_the_mean_and_the_spread_of_their_rows():
    y, s, w = [1, 1, 1, 0, 0], [3, 3, 2, 3, 1], [1.0, 1.0, 4.0, 2.0, 0.5]
    counts = cap.count_scores(y, s, weight=w, weight_kind="exposure")
    p, n = drawn(counts, replicates=40_000, seed=3, stratified=True)
    p, n = p * unit(counts), n * unit(counts)
    assert p.mean(axis=0) == close([2, 4, 0], rel=0.03)
    assert p.var(axis=0) == close([2, 16, 0], rel=0.06)
    assert n.mean(axis=0) == close([2, 0, 0.5], rel=0.03)
    assert n.var(axis=0) == close([4, 0, 0.25], rel=0.06)


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_weighted_bootstraps_agree_with_the_formulas_at_any_scale(scale):
    rng = np.random.default_rng(5)
    y = (rng.random(900) < 0.3).astype(int)
    s, w = np.floor(4 * (rng.standard_normal(900) + y)), rng.exponential(1, 900) * scale
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    for metric, options in (
        ("roc_auc", {}),
        ("precision", {"q": 0.2}),
        ("captured_response", {"q": 0.2}),
    ):
        formula = confidence_interval(counts, metric, **options)
        options |= {"method": "bootstrap", "replicates": 3000, "seed": 1}
        found = confidence_interval(counts, metric, **options)
        assert found.se == close(formula.se, rel=0.08)
        assert found.estimate == formula.estimate
    profit = {"value": 5, "cost": 1, "seed": 1}
    found = confidence_interval(counts, "profit", **profit)
    assert found.low < found.estimate < found.high
    assert found.low > 0.7 * found.estimate


def test_a_seed_gives_the_same_interval_again():
    options = {"metric": "roc_auc", "method": "bootstrap", "replicates": 200}
    first, again = (confidence_interval(TABLE, seed=7, **options) for _ in range(2))
    assert first == again
    assert first != confidence_interval(TABLE, seed=8, **options)


def test_bootstrap_errors_are_the_jackknifes():
    for counts in (TABLE, ROWS):
        found = confidence_interval(counts, "roc_auc", method="bootstrap", replicates=8000, seed=1)
        assert found.se == close(math.sqrt(auc_variance(counts, "ij")), rel=0.03)


def many_scores(shift, n1, n0, **options):
    score = np.random.default_rng(0).normal(size=n1 + n0) + shift * (y := np.arange(n1 + n0) < n1)
    return cap.count_scores(y, score, **options)


@pytest.mark.parametrize("shift", [1.0, 3.3])
def test_groups_of_scores_stand_for_single_ones(shift):
    # The same rows are drawn of both: what differs is what grouping does.
    resampling = Resampling(counts := many_scores(shift, 300, 1500), 300, seed=1)
    single = percentiles(resampling.draw(samples.aucs), Confidence())
    few = percentiles(resampled_aucs(resampling, cap.roc_auc(counts)), Confidence())
    assert few == close(single, abs=0.002 * (single[1] - single[0]))
    assert few != single


def test_groups_of_weighted_scores_keep_middle_and_spread():
    weight = 1 + np.arange(3000) % 3
    counts = many_scores(1.0, 300, 2700, weight=weight, weight_kind="sampling")
    drawn_aucs = resampled_aucs(Resampling(counts, 2000, seed=1), cap.roc_auc(counts))
    assert drawn_aucs.mean() == close(cap.roc_auc(counts), abs=0.002)
    assert drawn_aucs.std() == close(math.sqrt(auc_variance(counts)), rel=0.06)


def test_metrics_of_a_sample_are_the_metrics():
    for counts in (TABLE, ROWS, grades([3, 0, 2], [0, 4, 5])):
        p, n = (c.astype(float)[None] for c in (counts.positives, counts.negatives))
        assert samples.aucs(p, n)[0] == close(cap.roc_auc(counts), rel=1e-13)
        assert samples.ks_statistics(p, n)[0] == close(cap.ks(counts).statistic, rel=1e-12)
        for limit in (0.05, 0.4, 1.0):
            area = samples.partial_aucs(p, n, limit)[0]
            assert area == close(cap.partial_auc(counts, limit), rel=1e-12)
        for q in (0.05, 0.3, 0.9):
            for metric in (cap.captured_response, cap.precision):
                found = samples.rates_at_share(p, n, q, metric.__name__)[0]
                assert found == close(metric(counts, q), rel=1e-12)
            captured = samples.rates_at_share(p, n, q, "captured_response")[0]
            assert captured / q == close(cap.lift(counts, q), rel=1e-12)
        profits = cap.profit_curve(counts, value=10, cost=3).y[1:]
        assert samples.profits(p, n, 10, 3)[0] == close(profits)


def test_quantiles_are_of_type_7():
    values = np.array([4.0, 1.0, 3.0, 2.0])
    assert percentiles(values, Confidence(0.8)) == (close(1.3), close(3.7))


def test_the_bias_of_ks_is_named_and_taken_off_below():
    found = confidence_interval(ROWS, "ks", seed=1)  # 500 suffice for a mean
    drawn_too = Resampling(ROWS, 500, 1).draw(samples.ks_statistics)
    bias = drawn_too.mean() - found.estimate
    assert bias > 0
    assert found.notes[0].endswith("bias-corrected by a bootstrap (500 replicates)")
    assert found.se == close(drawn_too.std(ddof=1))
    assert found.low < found.estimate - bias < found.estimate < found.high
    plain = confidence_interval(ROWS, "ks", seed=1, replicates=500, method="bootstrap")
    assert (plain.low + plain.high) / 2 == close(found.estimate - bias)


def test_a_reversed_score_has_the_same_ks_interval():
    turned = grades(TABLE.positives[::-1], TABLE.negatives[::-1])
    first, other = (confidence_interval(c, "ks", seed=1, replicates=1000) for c in (TABLE, turned))
    assert first.estimate == other.estimate
    assert first.low == close(other.low, abs=0.005)
    assert first.high == close(other.high, abs=1e-12)


def test_partial_auc_stays_within_its_largest_area():
    counts = grades([20, 1, 0], [0, 10, 90])
    found = confidence_interval(counts, "partial_auc", max_fpr=0.2)
    assert 0 < found.low < found.estimate < found.high < 0.2
    perfect = confidence_interval(grades([9, 0], [0, 50]), "partial_auc", max_fpr=0.2)
    assert perfect.high == perfect.estimate == 0.2
    assert 0 <= perfect.low < 0.2
    assert perfect.se is None


def test_profit_is_in_its_own_unit():
    found = confidence_interval(TABLE, "profit", value=10, cost=2, seed=1, replicates=2000)
    again = confidence_interval(TABLE, "profit", value=1000, cost=200, seed=1, replicates=2000)
    assert found.estimate == cap.profit_curve(TABLE, value=10, cost=2).y.max()
    assert again.low == close(100 * found.low)
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize("replicates", [0, 1, 2.5, True, "many"])
def test_replicates_are_a_number_of_samples(replicates):
    with pytest.raises(ValueError, match="replicates must be"):
        confidence_interval(TABLE, "roc_auc", method="bootstrap", replicates=replicates)


def test_ks_draws_as_many_samples_as_asked():
    assert "(1000 replicates)" in confidence_interval(TABLE, "ks", replicates=1000).notes[0]
    assert "(500 replicates)" in confidence_interval(TABLE, "ks").notes[0]


REPLICATED = {
    "roc_auc": {},
    "accuracy_ratio": {},
    "ks": {},
    "captured_response": {"q": 0.3},
    "lift": {"q": 0.3},
    "partial_auc": {"max_fpr": 0.2},
    "average_precision": {},
    "aurc": {"errors": "negatives"},
    "rie": {"alpha": 10.0},
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("metric", REPLICATED)
def test_a_bootstrap_returns_its_replicates(metric):
    asked = {**REPLICATED[metric], "method": "bootstrap", "seed": 1, "replicates": 300}
    found = confidence_interval(TABLE, metric, **asked)
    drawn = found.replicates
    assert drawn.shape == (300,)
    if metric == "ks":  # limits are normal, less the bias of a maximum
        middle = (found.low + found.high) / 2
        assert middle == close(2 * found.estimate - drawn.mean(), rel=1e-9)
    else:
        assert np.quantile(drawn, [0.025, 0.975]) == close([*found.limits], rel=1e-9)
    assert drawn.std(ddof=1) == close(found.se, rel=1e-9)
    assert "replicates" not in found.to_dict()
    assert found == confidence_interval(TABLE, metric, **asked)
    assert found != confidence_interval(TABLE, metric, **{**asked, "seed": 2})


def test_other_limits_have_no_replicates():
    assert confidence_interval(TABLE, "roc_auc").replicates is None
    assert confidence_interval(TABLE, "ks").replicates is None
    values = cap.count_values([90, 0, 10, 30, 0, 5], [6, 5, 4, 3, 2, 1])
    assert confidence_interval(values, "mean_amount").replicates is None
    found = confidence_interval(values, "mean_amount", method="bootstrap", replicates=200)
    assert np.quantile(found.replicates, [0.025, 0.975]) == close([*found.limits], rel=1e-9)


def worthless(rng, positives, cases):
    return cap.count_scores(np.arange(cases) < positives, rng.random(cases))


def test_the_lower_limit_of_ks_is_above_0_only_where_the_ks_test_rejects():
    rng = np.random.default_rng(6)
    for _ in range(20):
        counts = worthless(rng, 25, 200)
        found = confidence_interval(counts, "ks", level=0.8)
        assert found.low == 0 or cap.ks_test(counts).p_value <= 0.2
    apart = cap.count_scores([1] * 20 + [0] * 100, range(120, 0, -1))
    assert confidence_interval(apart, "ks").low > 0.5


@pytest.mark.merge
def test_one_sided_limits_of_ks_stay_below_a_worthless_score():
    # Lowered once by the bias they lay above 0 in a quarter of such samples.
    rng = np.random.default_rng(7)
    above = sum(
        confidence_interval(worthless(rng, 30, 150), "ks", side="lower", replicates=100).low > 0
        for _ in range(100)
    )
    assert above <= 12


@pytest.mark.parametrize("fpr", [0.1, 0.35, 1.0])
@pytest.mark.parametrize("counts", [TABLE, ROWS], ids=["grades", "rows"])
def test_the_area_up_to_a_rate_has_the_bootstraps_error(counts, fpr):
    areas = TopAreas.of(counts, np.array([fpr]))
    assert fpr * areas.share[0] == close(cap.partial_auc(counts, fpr), rel=1e-12)
    few = confidence_interval(
        counts, "partial_auc", max_fpr=fpr, method="bootstrap", seed=1, replicates=4000
    )
    found = confidence_interval(counts, "partial_auc", max_fpr=fpr)
    assert found.method == "profile"
    assert found.se == close(few.se, rel=0.06)


def test_the_mean_height_above_a_cut_off_is_the_auc_against_the_negatives_there():
    # The first two of four grades hold a quarter of the negatives: a table of these alone.
    counts, top = grades([6, 3, 4, 2], [2, 3, 5, 10]), grades([6, 3, 6], [2, 3, 0])
    areas = TopAreas.of(counts, np.array([0.25]))
    assert areas.share[0] == close(cap.roc_auc(top))
    assert areas.se[0] == close(math.sqrt(auc_variance(top, "ij")), rel=1e-12)
    assert areas.height[0] == close(9 / 15)


def test_limits_of_the_partial_auc_hold_where_a_block_of_negatives_ends_at_the_rate():
    # Of samples of 40 + 40 the bootstrap's error lets 85 to 91 in 100 hold.
    rng, held = np.random.default_rng(9), 0
    for _ in range(40):
        y = np.arange(80) < 40
        s = np.where(rng.random(80) < np.where(y, 0.05, 0.1), 9.0, rng.normal(1.19 * y))
        found = confidence_interval(cap.count_scores(y, s), "partial_auc", max_fpr=0.1)
        held += found.low < 0.1 * 0.05 / 2 < found.high
    assert held >= 37


def test_the_partial_auc_has_limits_at_every_level():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [6, 3, 1], [4, 20, 30])
    middle = confidence_interval(counts, "partial_auc", max_fpr=0.1, level=0.5, side="lower")
    wide = confidence_interval(counts, "partial_auc", max_fpr=0.1, level=0.95, side="lower")
    assert wide.low < middle.low <= middle.estimate
