"""Bands: exact for random scores by counting all orders, and covering for real ones."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from dealing import counted, dealings, gaps, share_of
from scipy import stats

import capcurve as cap
from capcurve.inference import bands

Y = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0] * 30
S = np.random.default_rng(8).normal(size=300) + np.array(Y)


def all_random_caps(n, n1):
    """Yield the CAP of every order of n1 positives among n cases, at k/n for k from 0 to n."""
    for places in combinations(range(n), n1):
        positive = np.zeros(n)
        positive[list(places)] = 1
        yield np.concatenate([[0], np.cumsum(positive)]) / n1


@pytest.mark.parametrize(
    ("n", "n1", "half_width"),
    # Published critical values 9/14, 4/9, .124, .215625, less one step of the gap, times n0/n.
    [(20, 6, 13 / 30), (100, 10, 0.39), (500, 250, 0.06), (1000, 40, 0.206)],
)
def test_the_null_band_is_the_widest_gap_below_the_critical_one(n, n1, half_width):
    band = cap.null_band((n, n1))
    assert (band.high - band.estimate).max() == pytest.approx(half_width, abs=2e-12)
    assert (band.estimate - band.low).max() == pytest.approx(half_width, abs=2e-12)


@pytest.mark.parametrize(
    ("n", "n1"),
    [
        (9, 4),
        (16, 2),
        *(pytest.param(n, n1, marks=pytest.mark.merge) for n, n1 in ((12, 4), (13, 9))),
    ],
)
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_a_cap_leaves_the_null_band_just_where_the_ks_test_rejects(n, n1, level):
    band, q = cap.null_band((n, n1), level=level), np.arange(n + 1) / n
    left = 0
    for places in combinations(range(n), n1):
        positive = np.zeros(n, dtype=int)
        positive[list(places)] = 1
        counts = cap.ScoreCounts.from_counts(np.arange(n, 0, -1), positive, 1 - positive)
        outside = band.outside(q, np.append(0, np.cumsum(positive)) / n1).any()
        assert outside == (cap.ks_test(counts).p_value <= 1 - level + 1e-12)
        left += outside
    assert left <= (1 - level) * math.comb(n, n1) + 1e-9


def test_of_many_cases_the_null_band_holds_a_cap_that_touches_its_edge():
    # Negatives first until the gap is the widest one inside, then all positives: the lower edge.
    n, n1 = 1000, 3
    band = cap.null_band((n, n1))
    gap = cap.inference.discrimination.smirnov_reach(n, n1)
    first = round(gap * (n - n1))
    positive = np.concatenate([np.zeros(first), np.ones(n1), np.zeros(n - n1 - first)])
    q, c = np.arange(n + 1) / n, np.append(0, np.cumsum(positive)) / n1
    assert not band.outside(q, c).any()
    later = np.append(0, np.cumsum(np.roll(positive, 1))) / n1
    assert band.outside(q, later).any()


@pytest.mark.parametrize(("n", "n1", "level"), [(12, 4, 0.95), (11, 5, 0.9), (14, 3, 0.8)])
def test_the_share_of_orders_inside_is_at_least_the_level_and_no_narrower_band_has_it(n, n1, level):
    band = cap.null_band((n, n1), level=level)
    q = np.arange(n + 1) / n
    caps = list(all_random_caps(n, n1))
    inside = np.mean([not band.outside(q, c).any() for c in caps])
    reach = [np.abs(c - q).max() for c in caps]
    assert inside >= level
    width = (band.high - band.estimate).max()
    assert np.mean([r >= width - 1e-9 for r in reach]) > 1 - level


@pytest.mark.parametrize(
    ("ties", "n1", "level"),
    [
        ([1] * 12, 5, "0.95"),
        ([2, 2, 3, 1, 4], 5, "0.9"),
        ([5, 1, 1, 6], 6, "0.8"),
        ([3] * 4, 2, "0.5"),
        ([1, 10, 1], 6, "0.3"),
    ],
)
def test_every_dealing_of_the_labels_stays_inside_as_often_as_stated_as_a_fraction(ties, n1, level):
    n = sum(ties)
    held = counted(list(zip(*next(dealings(ties, n1)), strict=True)))
    band = cap.null_band(held, level=float(level))
    reach = Fraction(float((band.high - band.estimate).max())).limit_denominator(n * n1)
    # The CAP is away from the diagonal by (1 - π) times the gap, at the end of every tie.
    away = [Fraction(n - n1, n) * max(map(abs, gaps(p, m))) for p, m in dealings(ties, n1)]
    assert share_of(a <= reach for a in away) >= Fraction(level)
    if set(ties) == {1}:
        # What a narrower band would let out is more than may be.
        assert share_of(a >= reach for a in away) > 1 - Fraction(level)
    for (p, m), a in zip(dealings(ties, n1), away, strict=True):
        x = np.cumsum(np.add(p, m)) / n
        assert band.outside(x, np.cumsum(p) / n1).any() == (a > reach)


def test_pointwise_limits_are_hypergeometric_quantiles():
    band = cap.null_band((50, 20), kind="pointwise", level=0.9)
    for k, low, high in zip(np.rint(band.q * 50), band.low, band.high, strict=True):
        law = stats.hypergeom(50, 20, int(k))
        assert law.cdf(low * 20) >= 0.05
        assert law.cdf(low * 20 - 1) < 0.05
        assert law.sf(high * 20) <= 0.05
    assert "pointwise" in band.notes[0]


def test_where_no_band_exists_all_that_is_possible_is_given():
    band = cap.null_band((5, 3))
    assert "all are inside" in band.notes[0]
    assert not any(band.outside(np.arange(6) / 5, c).any() for c in all_random_caps(5, 3))


def test_a_null_band_of_counts_is_that_of_their_sizes_and_tells_of_ties():
    tied = cap.count_scores([1, 0, 0] * 20, [1, 1, 2] * 20)
    band, plain = cap.null_band(tied), cap.null_band((60, 20))
    np.testing.assert_array_equal(band.high, plain.high)
    assert "tied" in band.notes[0]


@pytest.mark.merge
def test_the_large_sample_limits_meet_the_exact_ones(monkeypatch):
    exact = cap.null_band((10_000, 500), kind="pointwise")
    monkeypatch.setattr(bands, "MOST_EXACT_CASES", 100)
    normal = cap.null_band((10_000, 500), kind="pointwise")
    assert np.abs(exact.high - normal.high).max() < 2.5 / 500


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cap.null_band((10, 0)), "both classes"),
        (lambda: cap.null_band((10, 10)), "both classes"),
        (lambda: cap.null_band((10, 5), kind="narrow"), "kind must be"),
        (lambda: cap.null_band((10, 5), level=1), "level"),
        (lambda: bands.cap_band(cap.count_scores([1, 1], [1, 2])), "no negatives"),
        (lambda: bands.cap_band(cap.count_scores(Y, S), replicates=0), "replicates"),
        (lambda: bands.cap_band(cap.count_scores(Y, S), replicates=2), "at least 100 replicates"),
        (lambda: bands.cap_band(cap.count_scores(Y, S), level=0.9999), "at least 10,000"),
        (lambda: bands.cap_band(cap.count_scores([1, 0, 0], [3, 2, 1])), "two positives"),
        (lambda: cap.roc_band(cap.count_scores([1, 0, 0], [3, 2, 1])), "two positives"),
        (lambda: cap.roc_band(cap.count_scores([1, 1, 0], [3, 2, 1])), "two negatives"),
        (lambda: cap.roc_band(cap.count_scores(Y, S), replicates=2), "at least 100 replicates"),
        (lambda: cap.simulate_random_cap(10, 0.01), "without cases"),
        (lambda: cap.simulate_random_cap(10, 0.5, curves=0), "curves"),
    ],
)
def test_bands_that_make_no_sense(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_simulated_caps_mostly_stay_inside_the_null_band():
    band = cap.null_band((500, 50))
    caps = [cap.cap_curve(c) for c in cap.simulate_random_cap(500, 0.1, curves=400, seed=3)]
    outside = np.mean([band.outside(curve.x, curve.y).any() for curve in caps])
    assert 0.015 < outside < 0.085
    again = cap.simulate_random_cap(500, 0.1, curves=2, seed=3)
    assert again[0] == cap.simulate_random_cap(500, 0.1, seed=3)[0]
    assert again[0] != again[1]


def test_the_band_of_a_cap_narrows_with_the_sample_and_widens_for_the_whole_curve():
    small, large = (
        cap.ScoreCounts.from_counts([3, 2, 1], [4 * k, 3 * k, k], [k, 3 * k, 8 * k])
        for k in (20, 320)
    )
    widths = [
        np.interp(0.5, band.q, band.high - band.low)
        for band in (
            bands.cap_band(small, seed=1),
            bands.cap_band(large, seed=1),
            bands.cap_band(large, kind="pointwise", seed=1),
        )
    ]
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.15)
    assert widths[2] < widths[1]
    ends = bands.cap_band(large, seed=1)
    assert (ends.low[0], ends.high[0], ends.low[-1], ends.high[-1]) == (0, 0, 1, 1)


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
def test_where_no_sample_shows_spread_the_band_has_the_exact_limits_of_as_many_positives(kind):
    # All 20 positives are in the upper of two grades: what lies beyond may still hold some.
    counts = cap.ScoreCounts.from_counts([2, 1], [20, 0], [30, 50])
    band = bands.cap_band(counts, kind=kind, seed=1)
    beyond = (band.q > 0.75) & (band.q < 0.99)
    assert band.low[beyond].max() <= 0.025 ** (1 / 20) + 1e-12
    assert (band.high[beyond] == 1).all()


def test_a_band_is_inside_what_a_cap_can_reach_and_nowhere_narrow_but_at_the_ends():
    rng = np.random.default_rng(11)
    y = rng.random(400) < 0.1
    band = bands.cap_band(cap.count_scores(y, rng.normal(size=400) + 3 * y), seed=1)
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()
    assert ((band.low <= band.estimate) & (band.estimate <= band.high)).all()
    # Of about 40 positives no limit is nearer than the binomial one of none among 40.
    inside = (band.q > 0.1) & (band.q < 0.99)
    assert (band.high - band.low)[inside].min() > 1 - 0.025 ** (1 / 40) - 0.02
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()


@pytest.mark.merge
def test_the_band_of_a_cap_covers_the_truth_as_a_whole():
    rng = np.random.default_rng(6)
    rates, shares = np.array([0.5, 0.2, 0.05]), np.array([0.2, 0.3, 0.5])
    cells = np.concatenate([shares * rates, shares * (1 - rates)])
    truth = cap.cap_curve(
        cap.ScoreCounts.from_counts([3, 2, 1], cells[:3] * 1000, cells[3:] * 1000)
    )
    misses = 0
    for seed in range(150):
        drawn = rng.multinomial(600, cells)
        counts = cap.ScoreCounts.from_counts([3, 2, 1], drawn[:3], drawn[3:])
        band = bands.cap_band(counts, replicates=200, seed=seed)
        misses += band.outside(band.q, truth.at(band.q)).any()
    assert misses / 150 < 0.13  # 5% stated; 13% would be four standard errors off


@pytest.mark.merge
def test_the_band_covers_where_few_positives_lie_at_the_top():
    # Exponential scores, AUC .95, 20 positives among 1,000: multiples of resampled
    # standard errors alone hold the whole CAP in 0 to 2% of samples.
    rng = np.random.default_rng(12)
    q = np.linspace(0, 1, 501)
    cuts = np.append(0, np.geomspace(1e-40, 1, 4000))  # shares of negatives selected
    truth = np.interp(q, 0.02 * cuts ** (0.05 / 0.95) + 0.98 * cuts, cuts ** (0.05 / 0.95))
    misses = 0
    for seed in range(60):
        y = rng.random(1000) < 0.02
        if y.sum() < 2:
            continue
        counts = cap.count_scores(y, rng.exponential(np.where(y, 19.0, 1.0)))
        band = bands.cap_band(counts, replicates=100, seed=seed)
        misses += band.outside(q, truth).any()
    assert misses < 11


@pytest.mark.merge
def test_the_band_of_a_difference_finds_one_and_seldom_what_is_not_there():
    rng = np.random.default_rng(13)
    left = {0.0: 0, 1.0: 0}
    for seed in range(40):
        y = rng.random(200) < 0.2
        both, own = rng.normal(size=200), rng.normal(size=(2, 200))
        for loss in left:
            a, b = both + 0.5 * own[0] + 1.5 * y, both + 0.5 * own[1] + (1.5 - loss) * y
            band = bands.difference_band(
                cap.count_joint(y, {"a": a, "b": b}), replicates=100, seed=seed
            )
            left[loss] += band.outside(band.q, np.zeros(len(band.q))).any()
    assert left[0.0] <= 7
    assert left[1.0] >= 25


def test_the_difference_of_two_caps_is_certain_where_both_begin_and_end():
    rng = np.random.default_rng(14)
    joint = cap.count_joint(Y, {"a": S, "b": rng.normal(size=300)})
    band = bands.difference_band(joint, seed=1)
    assert (band.low[0], band.high[0], band.low[-1], band.high[-1]) == (0, 0, 0, 0)
    assert (np.abs([band.low, band.high]) <= 1).all()


def test_many_scores_are_grouped_before_resampling_and_the_band_says_so():
    rng = np.random.default_rng(7)
    counts = cap.count_scores(rng.random(5000) < 0.2, rng.normal(size=5000))
    band = bands.cap_band(counts, replicates=100, seed=1)
    assert "grouped" in band.notes[-1]
    np.testing.assert_allclose(band.estimate, cap.cap_curve(counts).at(band.q))


def test_weighted_scores_are_grouped_and_their_band_is_as_wide(monkeypatch):
    rng = np.random.default_rng(7)
    y, weight = rng.random(1500) < 0.2, rng.choice([1.0, 4.0], 1500)
    counts = cap.count_scores(y, rng.normal(size=1500) + y, weight=weight, weight_kind="sampling")
    found = []
    for most in (300, 10_000):
        monkeypatch.setattr(bands, "MOST_BAND_CELLS", most)
        band = bands.cap_band(counts, replicates=500, seed=1)
        found.append(np.trapezoid(band.high - band.low, band.q))
    assert found[0] == pytest.approx(found[1], rel=0.06)


def test_no_score_differs_from_itself():
    joint = cap.count_joint(Y, {"a": S, "b": S})
    band = bands.difference_band(joint, replicates=100, seed=1)
    assert np.abs(np.array([band.low, band.estimate, band.high])).max() == 0


def test_a_better_score_lies_above_and_turning_the_pair_turns_the_band():
    rng = np.random.default_rng(9)
    joint = cap.count_joint(Y, {"good": S + 3 * np.array(Y), "chance": rng.normal(size=300)})
    band = bands.difference_band(joint, replicates=200, seed=1)
    assert band.low[30] > 0
    turned = bands.difference_band(joint, ["chance", "good"], replicates=200, seed=1)
    np.testing.assert_allclose(turned.estimate, -band.estimate)
    np.testing.assert_allclose(turned.high, -band.low, atol=1e-12)
    assert band.name == "good less chance"


def test_directions_count_in_a_difference():
    joint = cap.count_joint(Y, {"up": S, "down": -S}, higher_is={"down": "negative"})
    band = bands.difference_band(joint, replicates=100, seed=1)
    assert np.abs(band.high - band.low).max() < 1e-12


@pytest.mark.parametrize("scores", [["a"], ["a", "a"], ["a", "c"]])
def test_a_difference_needs_two_scores(scores):
    joint = cap.count_joint(Y, {"a": S, "b": S})
    with pytest.raises(ValueError, match=r"two scores|no score"):
        bands.difference_band(joint, scores)


@pytest.mark.parametrize("pair", [100, (10.5, 2), (10, 2, 1), "10"])
def test_a_null_band_takes_whole_numbers(pair):
    with pytest.raises(TypeError, match=r"\(n, n1\)"):
        cap.null_band(pair)


@pytest.mark.parametrize("n1", [5, 500, 9_000, 300_000, 1_000_000 - 7])
def test_pointwise_limits_do_not_jump_where_their_law_changes(n1):
    several = [cap.null_band((n, n1), kind="pointwise") for n in (10**6, 10**6 + 1)]
    assert several[0].method == "hypergeometric"
    assert several[1].method == ("normal" if n1 == 300_000 else "binomial")
    at = np.linspace(0.01, 0.99, 50)
    for side in ("low", "high"):
        first, second = (np.interp(at, band.q, getattr(band, side)) for band in several)
        assert np.abs(first - second).max() < max(2 / n1, 1e-3) / 2


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
def test_the_band_of_a_roc_is_around_it_rises_and_narrows_as_the_root_of_cases(kind):
    small, large = (
        cap.ScoreCounts.from_counts(
            [4, 3, 2, 1], np.array([40, 30, 20, 10]) * often, np.array([10, 20, 30, 40]) * often
        )
        for often in (1, 100)
    )
    found = [cap.roc_band(counts, kind=kind, seed=1) for counts in (small, large)]
    curve = cap.roc_curve(small)
    for band in found:
        assert (band.q[0], band.q[-1], band.low[0], band.high[-1]) == (0, 1, 0, 1)
        np.testing.assert_allclose(band.estimate, curve.at(band.q), atol=1e-9)
        assert ((band.low <= band.estimate) & (band.estimate <= band.high)).all()
        assert min(np.diff(band.low).min(), np.diff(band.high).min()) > -1e-12
    widths = [np.interp(0.4, band.q, band.high - band.low) for band in found]
    assert widths[0] / widths[1] == pytest.approx(10, rel=0.25)


def test_the_band_of_a_roc_takes_both_classes_alike():
    p, n = [18, 12, 6, 4], [5, 15, 40, 60]
    band, mirror = (
        cap.roc_band(cap.ScoreCounts.from_counts([4, 3, 2, 1], *both), replicates=4000, seed=1)
        for both in ((p, n), (n[::-1], p[::-1]))
    )
    # Read from the other end (x, y) becomes (1 - y, 1 - x), and what was above stays above.
    inner = (mirror.high > 0) & (mirror.high < 1 - 1e-9)
    back = np.interp(1 - mirror.high[inner], band.q, band.high)
    np.testing.assert_allclose(back, 1 - mirror.q[inner], atol=0.04)


def test_the_band_of_a_roc_holds_a_vertical_start_and_what_may_be_unseen_beside_it():
    # Half of the positives are above all negatives: none of 50 seen there, up to 7.1% may be.
    counts = cap.ScoreCounts.from_counts([2, 1], [20, 20], [0, 50])
    band = cap.roc_band(counts, seed=1)
    assert band.low[0] == 0
    assert band.high[0] > 0.5
    few = 1 - 0.025 ** (1 / 50)
    assert np.interp(few, band.q, band.low) < 0.5
    assert cap.roc_band(counts, seed=1, kind="pointwise").high[0] > 0.5


@pytest.mark.merge
def test_the_band_of_a_roc_holds_the_whole_true_one():
    rng = np.random.default_rng(15)
    true = cap.ScoreCounts.from_counts([3, 2, 1], [50, 30, 20], [10, 30, 60])
    truth, misses = cap.roc_curve(true), 0
    for seed in range(60):
        drawn = (rng.multinomial(60, [0.5, 0.3, 0.2]), rng.multinomial(60, [0.1, 0.3, 0.6]))
        band = cap.roc_band(
            cap.ScoreCounts.from_counts([3, 2, 1], *drawn), replicates=200, seed=seed
        )
        misses += band.outside(truth.x, truth.y).any()
    assert misses <= 9  # 3 stated; 10 or more have a chance of one in a thousand


def test_the_band_of_a_roc_with_clusters_is_wider_than_without_and_says_its_method():
    y, s, ids = (np.repeat(x, 3) for x in (Y, S, np.arange(300)))
    wide = cap.roc_band(cap.count_scores(y, s, cluster=ids), seed=1)
    naive = cap.roc_band(cap.count_scores(y, s), seed=1)
    assert "jackknife" in wide.method
    assert (wide.high - wide.low).mean() > 1.4 * (naive.high - naive.low).mean()


def test_the_band_of_a_weighted_roc_says_what_weights_may_hide():
    counts = cap.count_scores(Y, S, weight=np.where(S > 0, 1.0, 3.0), weight_kind="sampling")
    assert bands.BAND_OF_WEIGHTS in cap.roc_band(counts, replicates=100, seed=1).notes


def test_the_page_of_a_band_of_a_roc_names_its_axes():
    shown = cap.roc_band(cap.count_scores(Y, S), replicates=100, seed=1).presentation()
    chart = shown.charts[0]
    assert (chart.x.title, chart.y.title) == ("False positive rate", "True positive rate")
    assert shown.title == "95% simultaneous band of the ROC"
    assert shown.tables[0].name == "Band by false positive rate"
