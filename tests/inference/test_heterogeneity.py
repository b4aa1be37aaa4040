"""Segments that rank alike, and segments that do not."""

import json
import math

import numpy as np
import pytest
from scipy import optimize, stats

import capcurve as cap
from capcurve.curves.simplify import grouped_neighbours
from capcurve.inference import heterogeneity_test
from capcurve.inference.heterogeneity import (
    BORROWED,
    CELLS_OF_A_SEGMENT,
    auc_spreads,
    by_score,
    dealt_within,
    stacked_segments,
)
from capcurve.inference.limits import shaped_variance
from capcurve.inference.ranking import ranking_spread
from capcurve.inference.variances import auc_variance, deviations, exponential_variance


def draws(method, replicates, seed):
    """Return how to draw, for a method that does."""
    return {} if method == "chi2" else {"replicates": replicates, "seed": seed}


def drawn(rng, n1, n0, shift, level=0.0):
    y = np.repeat([1, 0], [n1, n0])
    return cap.count_scores(y, rng.normal(size=n1 + n0) + shift * y + level)


@pytest.fixture
def segments():
    rng = np.random.default_rng(4)
    return {name: drawn(rng, n1, 80, 1.0) for name, n1 in (("a", 10), ("b", 25), ("c", 40))}


def test_chi2_is_cochrans_q_with_delong_variances(segments):
    aucs = np.array([cap.roc_auc(counts) for counts in segments.values()])
    weights = 1 / np.array([auc_variance(counts) for counts in segments.values()])
    middle = (weights * aucs).sum() / weights.sum()
    q = (weights * (aucs - middle) ** 2).sum()
    found = heterogeneity_test(segments, method="chi2")
    assert found.statistic == pytest.approx(q, rel=1e-10)
    assert found.p_value == pytest.approx(stats.chi2.sf(q, 2), rel=1e-9)
    assert found.estimate == pytest.approx(middle, rel=1e-12)
    assert found.se == pytest.approx(weights.sum() ** -0.5, rel=1e-12)
    assert found.estimates == dict(zip("abc", aucs, strict=True))
    assert "30%" in found.notes[0]


def test_two_segments_are_the_unpaired_test(segments):
    two = {key: segments[key] for key in "ab"}
    found = heterogeneity_test(two, method="chi2")
    a, b = two.values()
    expected = (cap.roc_auc(a) - cap.roc_auc(b)) ** 2 / (auc_variance(a) + auc_variance(b))
    assert found.statistic == pytest.approx(expected, rel=1e-10)


def test_the_same_seed_gives_the_same_p_value(segments):
    one, other = (heterogeneity_test(segments, replicates=300, seed=9) for _ in range(2))
    assert one == other
    if one.p_value == by_score(list(segments.values()), one.estimate):
        return
    assert one.p_value * 301 == pytest.approx(round(one.p_value * 301), abs=1e-9)


@pytest.mark.parametrize("method", ["within", "chi2"])
def test_segments_that_rank_differently_are_found(method):
    rng = np.random.default_rng(1)
    segments = {i: drawn(rng, 40, 200, shift) for i, shift in enumerate([0.2, 0.2, 2.2, 2.2])}
    found = heterogeneity_test(segments, method=method, **draws(method, 500, 0))
    assert found.p_value < 0.01
    ratio = heterogeneity_test(
        segments, method=method, **draws(method, 500, 0), metric="accuracy_ratio"
    )
    assert ratio.p_value == found.p_value
    assert ratio.estimate == pytest.approx(2 * found.estimate - 1)


def test_a_segment_of_another_level_ranks_no_differently():
    rng = np.random.default_rng(2)
    alike = {i: drawn(rng, 20, 100, 1.0) for i in range(4)}
    moved = {
        i: cap.ScoreCounts.from_counts(c.score + 3.0 * i, c.positives, c.negatives)
        for i, c in alike.items()
    }
    one, other = (heterogeneity_test(s, replicates=300, seed=3) for s in (alike, moved))
    assert one == other


def test_equal_segments_differ_in_nothing():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [9, 5, 2], [10, 20, 40])
    for method in ("within", "chi2"):
        found = heterogeneity_test({1: counts, 2: counts}, method=method, **draws(method, 50, 0))
        assert found.statistic == pytest.approx(0, abs=1e-20)
        assert found.p_value == 1


def test_perfect_segments_give_a_number():
    perfect = cap.ScoreCounts.from_counts([2, 1], [5, 0], [0, 20])
    good = cap.ScoreCounts.from_counts([2, 1], [5, 1], [2, 20])
    for method in ("within", "chi2"):
        alike = heterogeneity_test({1: perfect, 2: perfect}, method=method, **draws(method, 50, 0))
        assert alike.p_value == 1
        found = heterogeneity_test({1: perfect, 2: good}, method=method, **draws(method, 50, 0))
        assert 0 < found.p_value <= 1
        assert math.isfinite(found.statistic)


def test_segments_without_a_class_are_left_out_and_named(segments):
    empty = cap.ScoreCounts.from_counts([1, 2], [0, 0], [5, 6])
    with_empty = {**segments, "none": empty}
    found = heterogeneity_test(with_empty, replicates=50, seed=0)
    assert found.df == 2
    assert "none" not in found.estimates
    assert any("left out" in note and "none" in note for note in found.notes)
    with pytest.raises(ValueError, match="at least two"):
        heterogeneity_test({"a": segments["a"], "none": empty})


def test_one_positive_is_enough_for_dealing_anew(segments):
    single = cap.ScoreCounts.from_counts([3, 2, 1], [0, 1, 0], [4, 10, 40])
    with_single = {**segments, "single": single}
    found = heterogeneity_test(with_single, replicates=50, seed=0)
    assert 0 < found.p_value <= 1
    with pytest.raises(ValueError, match="two positives"):
        heterogeneity_test(with_single, method="chi2")


def test_what_cannot_be_dealt_anew_is_refused(segments):
    weighted = cap.count_scores(
        [1, 1, 0, 0], [4, 2, 3, 1], weight=[1.0, 2.0, 1.0, 1.5], weight_kind="sampling"
    )
    with pytest.raises(ValueError, match="weighted"):
        heterogeneity_test({"a": weighted, "b": weighted})
    assert heterogeneity_test({"a": weighted, "b": weighted}, method="chi2").p_value == 1
    with pytest.raises(ValueError, match="method"):
        heterogeneity_test(segments, method="exact")
    with pytest.raises(ValueError, match='must be one of "within", "chi2", "jackknife"'):
        heterogeneity_test(segments, method="permutation")
    with pytest.raises(ValueError, match="replicates"):
        heterogeneity_test(segments, replicates=0)


@pytest.mark.parametrize("size", [12, 3000])
def test_resampling_keeps_every_segment_to_itself(size):
    counts = [
        cap.ScoreCounts.from_counts([3, 2, 1], [size, size, size], [size, 2 * size, size]),
        cap.ScoreCounts.from_counts([2, 1], [2 * size, size], [0, 4 * size]),
    ]
    deal, expected = dealt_within(counts)
    assert expected.tolist() == [cap.roc_auc(c) for c in counts]
    both = deal(np.random.default_rng(0), 400)
    for cells, name in zip(both, ("positives", "negatives"), strict=True):
        for i, c in enumerate(counts):
            column = np.array(getattr(c, name))
            assert (cells[:, i].sum(axis=1) == column.sum()).all()
            assert cells[:, i, : len(c)].mean(axis=0) == pytest.approx(column, rel=0.05)
            variance = column * (1 - column / column.sum())
            assert cells[:, i, : len(c)].var(axis=0) == pytest.approx(variance, rel=0.35)


def test_spreads_are_those_of_placements_steadied_by_those_of_all(segments):
    counts = list(segments.values())
    aucs, variances = auc_spreads(*stacked_segments([(c.positives, c.negatives) for c in counts]))
    assert aucs == pytest.approx([cap.roc_auc(c) for c in counts], rel=1e-10)
    expected = np.zeros(len(counts))
    for which, (column, size) in enumerate((("positives", "n1"), ("negatives", "n0"))):
        sizes = np.array([getattr(c, size) for c in counts])
        squares = [(getattr(c, column) * deviations(c)[which] ** 2).sum() for c in counts]
        pooled = sum(squares) / (sizes - 1).sum()
        expected += (np.array(squares) + BORROWED * pooled) / (sizes - 1 + BORROWED) / sizes
    assert variances == pytest.approx(expected, rel=1e-10)


def test_the_p_value_is_at_least_that_of_variances_at_the_common_auc():
    # Fifteen positives above all negatives, 400 of AUC 0.88: alone such a segment shows no spread.
    perfect = cap.ScoreCounts.from_counts([2, 1], [15, 0], [0, 285])
    large = cap.ScoreCounts.from_counts([3, 2, 1], [340, 20, 40], [60, 700, 2840])
    segments = {"small": perfect, "large": large}
    found = heterogeneity_test(segments, seed=1)
    # That of exponential scores, Hanley & McNeil: the large one has its own shape, at about 0.92.
    auc = (spread := ranking_spread(large)).chance.won
    best = optimize.minimize_scalar(
        lambda a: (
            (1 - a) ** 2 / exponential_variance(a, 15, 285)
            + (auc - a) ** 2 / shaped_variance(a, 1 - a, sizes=spread.sizes, shape=spread.shape)
        ),
        bounds=(auc, 1 - 1e-6),
        method="bounded",
    )
    assert found.p_value == pytest.approx(stats.chi2.sf(best.fun, 1), rel=0.05)
    assert found.p_value > 0.05


def test_resampling_groups_of_scores_has_the_spread_of_single_ones():
    rng = np.random.default_rng(12)
    fine = {i: drawn(rng, 60, 900, shift) for i, shift in enumerate((1.0, 1.1, 1.5))}
    deal, expected = dealt_within(list(fine.values()))
    aucs, _ = auc_spreads(*deal(np.random.default_rng(1), 4000))
    assert aucs.mean(axis=0) == pytest.approx(expected, abs=0.002)
    assert aucs.std(axis=0) == pytest.approx(
        [math.sqrt(auc_variance(c)) for c in fine.values()], rel=0.04
    )
    assert len(grouped_neighbours(fine[0], CELLS_OF_A_SEGMENT)) < 2 * CELLS_OF_A_SEGMENT


def test_it_is_plain_json(segments):
    found = heterogeneity_test(segments, replicates=50, seed=0)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["estimates"]["a"] == found.estimates["a"]


def shares_rejected(designs, methods, runs, seed):
    """Draw segments of (n1, n0, shift, spread); return how often each method tells them apart."""
    rng, hits = np.random.default_rng(seed), np.zeros(len(methods))
    for _ in range(runs):
        segments = {}
        for i, (n1, n0, shift, spread) in enumerate(designs):
            scores = np.concatenate([rng.normal(shift, spread, n1), rng.normal(size=n0)])
            segments[i] = cap.count_scores(np.repeat([1, 0], [n1, n0]), scores)
        hits += [
            heterogeneity_test(segments, method=method, **draws(method, 99, rng)).p_value <= 0.05
            for method in methods
        ]
    return hits / runs


@pytest.mark.merge
def test_true_sizes_at_twelve_segments_of_ten_positives():
    designs = [(10, 60, 1.2, 1.0)] * 12
    (resampled,) = shares_rejected(designs, ("within",), runs=80, seed=8)
    (textbook,) = shares_rejected(designs, ("chi2",), runs=800, seed=8)
    assert resampled < 0.1
    assert textbook > 0.13


@pytest.mark.merge
def test_small_segments_of_another_shape_are_no_difference_to_the_default():
    # AUC 3/4 in all: 0.6745 spreads of the difference.
    designs = [
        (n1, n0, 0.6745 * math.hypot(1, spread), spread)
        for n1, n0, spread in ((100, 500, 0.67),) * 2 + ((10, 50, 3.0),) * 4
    ]
    (resampled,) = shares_rejected(designs, ("within",), runs=60, seed=2)
    assert resampled < 0.2


def test_what_draws_nothing_refuses_a_seed_and_replicates():
    part = cap.ScoreCounts.from_counts([3, 2, 1], [30, 8, 2], [20, 80, 300])
    for more in ({"seed": 1}, {"replicates": 100}):
        with pytest.raises(ValueError, match="draws no samples"):
            heterogeneity_test({"a": part, "b": part}, method="chi2", **more)


def test_a_list_is_no_segments():
    part = cap.ScoreCounts.from_counts([3, 2, 1], [30, 8, 2], [20, 80, 300])
    with pytest.raises(TypeError, match=r"takes counts by segment, got list"):
        heterogeneity_test([part, part])


def test_the_order_of_the_segments_moves_no_p_value():
    rng = np.random.default_rng(3)
    y, score, part = rng.random(400) < 0.3, rng.random(400), rng.integers(0, 3, 400)
    segments = cap.count_segments(y, score, by=part)
    found = cap.heterogeneity_test(segments, seed=1)
    turned = cap.heterogeneity_test(dict(reversed([*segments.items()])), seed=1)
    assert (turned.p_value, turned.statistic) == (found.p_value, found.statistic)
    assert turned.estimates == found.estimates
