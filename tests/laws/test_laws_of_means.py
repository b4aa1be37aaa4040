"""Means over segments: laws that hold for any rows, and the definitions, segment by segment."""

import itertools
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from means_by_definition import by_cluster, drawn, fixed, limits, placements, weighed
from scipy import stats
from strategies import anything, grid

import capcurve as cap

seeds = st.integers(0, 2**32)
KINDS = ("equal", "cases", "positives", "pairs")
METRICS = {
    "roc_auc": {},
    "accuracy_ratio": {},
    "average_precision": {},
    "ks": {},
    "reciprocal_rank": {},
    "reciprocal_rank at 2": {"k": 2},
    "hit_rate": {"k": 2},
    "captured_response": {"k": 3},
    "captured_response at a share": {"q": 0.25},
    "precision": {"k": 4},
    "precision at a share": {"q": 0.5},
    "ndcg": {},
    "ndcg at 3": {"k": 3},
    "lift": {"q": 0.3},
    "lift at 2": {"k": 2},
    "bedroc": {},
}
every_metric = pytest.mark.parametrize("named", METRICS)
BOUNDED = [named for named in METRICS if not named.startswith("lift")]
ALIASES = {"ks": lambda counts: cap.ks(counts).statistic}


def close(value, abs=1e-12):  # noqa: A002 - as pytest calls it
    return pytest.approx(value, rel=1e-9, abs=abs)


def ends_of(metric):
    return (-1, 1) if metric == "accuracy_ratio" else (0, 1)


def asked(named):
    """Return the metric and its options."""
    return {"metric": named.split()[0], **METRICS[named]}


def plain(named, counts):
    """Return a number of one segment, or None where it lacks a class."""
    metric = named.split()[0]
    try:
        return ALIASES.get(metric, getattr(cap, metric))(counts, **METRICS[named])
    except ValueError:
        return None


def rows_of(seed, groups=6, positives=(1, 6), negatives=(1, 9), places=1):
    """Return labels, tied scores and segments, so many of each class in each."""
    rng = np.random.default_rng(seed)
    sizes = [(rng.integers(*positives), rng.integers(*negatives)) for _ in range(groups)]
    y = np.concatenate([np.repeat([1, 0], size) for size in sizes])
    by = np.repeat([f"g{g}" for g in range(groups)], [sum(size) for size in sizes])
    score = np.round(rng.normal(size=len(y)) + y * rng.uniform(0, 2), places)
    order = rng.permutation(len(y))
    return y[order], score[order], by[order]


def segments_of(y, s, by):
    return {name: (y[by == name], s[by == name]) for name in sorted(set(by.tolist()))}


def rows_of_table(table):
    values = table.values()
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def same(one, other, exactly=True):
    """Assert that two means have the same numbers, to the last bit or but for it."""
    numbers = [(each.estimate, each.se, each.df, each.low, each.high) for each in (one, other)]
    assert numbers[0] == (numbers[1] if exactly else pytest.approx(numbers[1], rel=1e-9, abs=1e-12))
    assert one.n_segments == other.n_segments
    assert one.left_out == other.left_out


# The plain numbers and their mean


@every_metric
@given(seed=seeds)
def test_equal_weights_are_the_mean_of_the_plain_numbers(named, seed):
    y, s, by = rows_of(seed, positives=(0, 4), negatives=(0, 5))
    y[:1], s[:1] = 1, 9.0
    y, s, by = np.append(y, [1, 0]), np.append(s, [1, 0]), np.append(by, ["z", "z"])
    counts = cap.count_segments(y, s, by=by)
    values = {name: plain(named, each) for name, each in counts.items()}
    known = [value for value in values.values() if value is not None]
    found = cap.mean_over(counts, **asked(named))
    assert found.estimate == close(np.mean(known))
    assert found.n_segments == len(known)
    assert sum(found.left_out.values()) == len(values) - len(known)
    told = {row["segment"]: row for row in rows_of_table(found.table)}
    assert set(told) == set(values)
    for name, row in told.items():
        assert row["n"] == counts[name].n
        assert row["positives"] == counts[name].n1
        missing = row["value"] is None or np.isnan(row["value"])
        assert missing == (values[name] is None)
        if not missing:
            assert row["value"] == close(values[name])
            assert row["weight"] == close(1 / len(known))


@every_metric
def test_every_way_to_give_segments_gives_the_same(named):
    y, s, by = rows_of(4)
    data = {"y": y, "s": s, "part": by}
    counts = cap.count_segments(y, s, by=by)
    expected = cap.mean_over(counts, **asked(named))
    for other in (
        cap.mean_over(dict(counts), **asked(named)),
        cap.mean_over(y, s, by=by, **asked(named)),
        cap.mean_over("y", "s", by="part", data=data, **asked(named)),
    ):
        same(other, expected)
        assert other.to_dict() == expected.to_dict()


@pytest.mark.parametrize("named", BOUNDED)
@pytest.mark.parametrize("weights", KINDS)
@given(seed=seeds, level=st.sampled_from([0.8, 0.95, 0.99]))
def test_segments_that_are_drawn_vary_as_their_numbers_do(named, weights, seed, level):
    y, s, by = rows_of(seed)
    parts = segments_of(y, s, by)
    values = [plain(named, cap.count_scores(*part)) for part in parts.values()]
    sizes = [(part[0].sum(), (1 - part[0]).sum()) for part in parts.values()]
    expected = drawn(values, weighed(weights, sizes))
    found = cap.mean_over(y, s, by=by, weights=weights, level=level, **asked(named))
    mean, variance, df, _ = expected
    assert found.estimate == close(mean)
    assert found.se == close(np.sqrt(variance), 1e-8)
    assert found.df == close(df)
    metric = named.split()[0]
    most, k = 1.0, asked(named).get("k")
    if metric == "precision" and k is not None:
        shares = weighed(weights, sizes)
        most = sum(w * min(p, k) / k for w, (p, _) in zip(shares, sizes, strict=True))
    reached = limits(*expected, ends_of(metric), level, most)
    assert (found.low, found.high) == close(reached, 1e-7)
    assert found.segments == "drawn"
    assert found.weights == weights
    assert found.metric == metric


@pytest.mark.parametrize("named", ["lift", "lift at 2"])
@given(seed=seeds)
def test_limits_of_a_number_without_an_upper_end_join_those_of_its_logarithm(named, seed):
    y, s, by = rows_of(seed, groups=8)
    values = [plain(named, cap.count_scores(*part)) for part in segments_of(y, s, by).values()]
    mean, variance, df, _ = drawn(values, np.full(8, 1 / 8))
    reach = np.sqrt(variance) * stats.t.ppf(0.975, df)
    found = cap.mean_over(y, s, by=by, **asked(named))
    assert found.estimate == close(mean)
    assert found.low == close(max(0, min(mean - reach, mean * np.exp(-reach / mean))), 1e-8)
    assert found.high == close(max(mean + reach, mean * np.exp(reach / mean)), 1e-8)


@given(seed=seeds)
def test_a_mapping_of_weights_is_a_standard_population(seed):
    y, s, by = rows_of(seed, groups=4)
    given_weights = {"g0": 3, "g1": 0.5, "g2": 1, "g3": 2}
    values = [cap.roc_auc(*part) for part in segments_of(y, s, by).values()]
    weights = np.array(list(given_weights.values())) / 6.5
    turned = dict(reversed(given_weights.items()))
    for asked_for in (given_weights, turned, {name: 7 * w for name, w in given_weights.items()}):
        found = cap.mean_over(y, s, by=by, metric="roc_auc", weights=asked_for)
        mean, variance, df, effective = drawn(values, weights)
        assert found.estimate == close(mean)
        assert (found.se, found.df) == close((np.sqrt(variance), df), 1e-8)
        assert (found.low, found.high) == close(limits(mean, variance, df, effective), 1e-7)


def test_a_mapping_may_leave_a_segment_without_weight():
    y, s, by = rows_of(1, groups=3)
    parts = segments_of(y, s, by)
    found = cap.mean_over(
        y, s, by=by, metric="roc_auc", weights={"g0": 1, "g1": 0, "g2": 1}, segments="fixed"
    )
    assert found.estimate == close(np.mean([cap.roc_auc(*parts[name]) for name in ("g0", "g2")]))


# Fixed segments


FIXED = [(metric, weights) for metric in ("roc_auc", "accuracy_ratio") for weights in KINDS]


@pytest.mark.parametrize(("metric", "weights"), FIXED)
@given(seed=seeds)
def test_fixed_segments_vary_as_their_cases_do(metric, weights, seed):
    """Classes of one case in some segments borrow the spread of the others."""
    y, s, by = rows_of(seed, groups=5, positives=(1, 4), negatives=(1, 6))
    y, s, by = (
        np.append(each, more)
        for each, more in ((y, [1, 1, 0, 0]), (s, [0.3, 1, 0.5, 0]), (by, ["z"] * 4))
    )
    parts = segments_of(y, s, by).values()
    moves = [placements(*part) for part in parts]
    shares = weighed(weights, [(len(one), len(other)) for one, other in moves])
    mean, variance, df, effective = fixed(moves, shares, weights)
    found = cap.mean_over(y, s, by=by, metric=metric, segments="fixed", weights=weights)
    low, high = limits(mean, variance, df, effective, drawn=False)
    if metric == "accuracy_ratio":
        mean, variance, low, high = 2 * mean - 1, 4 * variance, 2 * low - 1, 2 * high - 1
    assert found.estimate == close(mean)
    assert found.se == close(np.sqrt(variance), 1e-10)
    assert found.df == close(df)
    assert (found.low, found.high) == close((low, high), 1e-9)
    assert found.segments == "fixed"


@pytest.mark.parametrize("single", ["positives", "negatives"])
def test_one_case_of_a_class_in_every_segment_means_drawn_segments(single):
    y, s, by = rows_of(3, groups=12, **{single: (1, 2)})
    found = cap.mean_over(y, s, by=by, metric="roc_auc", segments="fixed")
    expected = cap.mean_over(y, s, by=by, metric="roc_auc", segments="drawn")
    same(found, expected)
    assert len(found.notes) > len(expected.notes) or set(found.notes) - set(expected.notes)
    assert any("drawn" in note for note in found.notes)


def alike_twice(metric, **options):
    """Return the plain interval of some rows, and the mean over them and their copy."""
    y, s, _ = rows_of(2, groups=1, positives=(20, 21), negatives=(40, 41))
    one = cap.confidence_interval(cap.count_scores(y, s), metric, method="wald", **options)
    rows, by = (np.tile(y, 2), np.tile(s, 2)), np.repeat(["one", "two"], len(y))
    found = cap.mean_over(*rows, by=by, metric=metric, segments="fixed", **options)
    assert found.estimate == close(one.estimate)
    return one.se, found.se * np.sqrt(2)


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy_ratio", "average_precision"])
def test_fixed_segments_that_are_alike_vary_as_one_does(metric):
    one, two = alike_twice(metric)
    assert one == close(two, 1e-10)


@pytest.mark.parametrize("at", [{"q": 0.3}, {"k": 20}], ids=["q", "k"])
@pytest.mark.parametrize("metric", ["captured_response", "lift"])
def test_shares_of_fixed_segments_have_one_case_less_of_each_class(metric, at):
    """The plain interval divides by 20 positives and 40 negatives, the mean by 19 and 39."""
    one, two = alike_twice(metric, **at)
    assert 40 / 39 < (two / one) ** 2 < 20 / 19


@pytest.mark.parametrize("named", ["reciprocal_rank", "hit_rate", "ndcg", "ks"])
def test_metrics_that_do_not_say_how_far_a_case_moves_them_are_for_drawn_segments(named):
    y, s, by = rows_of(1)
    with pytest.raises(ValueError, match="drawn") as refused:
        cap.mean_over(y, s, by=by, segments="fixed", **asked(named))
    assert "\n" not in str(refused.value)


# One segment, and segments that are all alike


@every_metric
def test_one_segment_is_the_plain_number(named):
    y, s, by = rows_of(5, groups=1, positives=(9, 10), negatives=(20, 21))
    counts = cap.count_scores(y, s)
    found = cap.mean_over(y, s, by=by, **asked(named))
    expected = plain(named, counts)
    assert found.estimate == (close(expected, 1e-15) if "average" in named else expected)
    assert found.se is None
    assert found.n_segments == 1
    low, high = ends_of(named.split()[0])
    assert found.low == (0 if named.startswith("lift") else low)
    if not named.startswith("lift"):
        assert found.high == high
    assert found.notes


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy_ratio", "average_precision"])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_one_fixed_segment_has_the_plain_interval(metric, level):
    y, s, by = rows_of(5, groups=1, positives=(9, 10), negatives=(20, 21))
    expected = cap.confidence_interval(cap.count_scores(y, s), metric, level=level)
    found = cap.mean_over(y, s, by=by, metric=metric, segments="fixed", level=level)
    assert (found.estimate, found.se) == (expected.estimate, expected.se)
    assert tuple(found) == tuple(expected)


# Those that are not 1 in a segment of one positive above two negatives.
LESS = ("bedroc", "precision", "precision at a share", "captured_response at a share")


@pytest.mark.parametrize("named", [named for named in BOUNDED if named not in LESS])
@pytest.mark.parametrize("size", [2, 12])
def test_segments_that_are_all_perfect(named, size):
    by = np.repeat(np.arange(size), 3)
    y, s = np.tile([1, 0, 0], size), np.tile([2.0, 1.0, 0.0], size)
    low, high = ends_of(named.split()[0])
    best = cap.mean_over(y, s, by=by, **asked(named))
    assert (best.estimate, best.se, best.high) == (1, 0, high)
    assert best.low == close(low + (high - low) * 0.025 ** (1 / size), 1e-9)
    if named in ("roc_auc", "accuracy_ratio", "hit_rate", "reciprocal_rank at 2"):
        worst = cap.mean_over(y, -s, by=by, **asked(named))
        assert (worst.estimate, worst.se, worst.low) == (low, 0, low)
        assert worst.high == close(low + (high - low) * (1 - 0.025 ** (1 / size)), 1e-9)


@pytest.mark.parametrize("first", [(8, 0), (4, 2), (3, 4), (2, 4), (2, 5), (1, 6), (0, 8), (0, 16)])
@pytest.mark.parametrize("metric", ["hit@1", "mrr"])
def test_four_hits_are_not_few_however_they_are_rounded(metric, first):
    """Limits of Clopper and Pearson join where less than 4 are expected, at 4 they do not."""
    hits, groups = first[0], sum(first)
    by = np.repeat(np.arange(groups), 2)
    y = np.concatenate([[1, 0] if g < hits else [0, 1] for g in range(groups)])
    values = np.repeat([1.0, 0.5 if metric == "mrr" else 0.0], first)
    found = cap.mean_over(y, np.tile([2.0, 1.0], groups), by=by, metric=metric)
    expected = drawn(values, np.full(groups, 1 / groups))
    assert (found.low, found.high) == close(limits(*expected), 1e-9)


def test_constant_scores_vary_not_at_all():
    y, _, by = rows_of(7)
    for segments in ("drawn", "fixed"):
        found = cap.mean_over(y, np.zeros(len(y)), by=by, metric="roc_auc", segments=segments)
        assert (found.estimate, found.se) == (0.5, 0)
        assert found.low <= 0.5 <= found.high


# What changes nothing


LAWS = [(segments, weights) for segments in ("drawn", "fixed") for weights in ("equal", "pairs")]


@pytest.mark.parametrize(("segments", "weights"), LAWS)
@given(seed=seeds, data=st.data())
def test_order_shards_and_increasing_transforms_change_no_bit(segments, weights, seed, data):
    y, s, by = rows_of(seed, positives=(2, 6), negatives=(2, 8))
    law = {"metric": "roc_auc", "segments": segments, "weights": weights}
    expected = cap.mean_over(y, s, by=by, **law)
    order = np.array(data.draw(st.permutations(range(len(y)))))
    same(cap.mean_over(y[order], s[order], by=by[order], **law), expected)
    parts = [order[place::3] for place in range(3)]
    shards = [cap.count_segments(y[part], s[part], by=by[part]) for part in parts]
    one, two, three = data.draw(st.permutations(shards))
    same(cap.mean_over(one + (two + three), **law), expected)
    same(cap.mean_over(y, np.exp(s) - 7, by=by, **law), expected)
    same(cap.mean_over(y, np.float32(10 * s), by=by, **law), expected)
    turned = dict(reversed(dict(cap.count_segments(y, s, by=by)).items()))
    same(cap.mean_over(turned, **law), expected, exactly=False)


@every_metric
@given(seed=seeds)
def test_names_of_segments_mean_nothing(named, seed):
    y, s, by = rows_of(seed)
    expected = cap.mean_over(y, s, by=by, **asked(named))
    renamed = np.array([{"g0": 9, "g1": -4}.get(name, int(name[1:])) for name in by])
    same(cap.mean_over(y, s, by=renamed, **asked(named)), expected, exactly=False)


@every_metric
@given(seed=seeds)
def test_direction_turned_with_the_score_is_the_same(named, seed):
    y, s, by = rows_of(seed)
    turned = cap.mean_over(y, -s, by=by, higher_is="negative", **asked(named))
    same(turned, cap.mean_over(y, s, by=by, **asked(named)))


INFLUENCED = ("roc_auc", "accuracy_ratio", "average_precision", "bedroc", "lift")
REPEATED = [(named, "drawn") for named in METRICS] + [(named, "fixed") for named in INFLUENCED]


@pytest.mark.parametrize(("named", "segments"), REPEATED)
@given(seed=seeds)
def test_frequency_weights_are_repeated_rows(named, segments, seed):
    y, s, by = rows_of(seed, positives=(2, 5), negatives=(2, 5))
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    law = {"segments": segments, "weights": "cases", **asked(named)}
    weighted = cap.mean_over(y, s, by=by, weight=times, weight_kind="frequency", **law)
    rows = np.repeat(np.arange(len(y)), times)
    same(weighted, cap.mean_over(y[rows], s[rows], by=by[rows], **law), exactly=False)


@pytest.mark.parametrize("named", ["roc_auc", "captured_response", "precision", "hit_rate", "ndcg"])
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), grid, st.sampled_from(["a", "b"])), min_size=2, max_size=14
    )
)
def test_the_number_lies_between_the_best_and_the_worst_order_inside_ties(named, rows):
    y, s, by = (np.array(column) for column in zip(*[*rows, (1, 0, "a"), (0, 0, "a")], strict=True))
    found = cap.mean_over(y, s, by=by, **asked(named)).estimate
    best, worst = (
        cap.mean_over(y, s + sign * y / 1000, by=by, **asked(named)).estimate for sign in (1, -1)
    )
    assert worst - 1e-12 <= found <= best + 1e-12


@pytest.mark.parametrize(
    "named",
    [
        "roc_auc",
        "average_precision",
        "reciprocal_rank",
        "reciprocal_rank at 2",
        "hit_rate",
        "captured_response",
        "precision",
        "ndcg",
        "ndcg at 3",
        "lift at 2",
    ],
)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("ab")),
        min_size=1,
        max_size=2,
    )
)
def test_the_number_is_the_mean_over_all_orders_inside_ties(named, rows):
    rows = [*rows, (1, 0, "a"), (0, 0, "a")]
    y, s, by = (np.array(column) for column in zip(*rows, strict=True))
    found = cap.mean_over(y, s, by=by, **asked(named)).estimate
    orders = [
        cap.mean_over(y, s + np.array(order) / 100, by=by, **asked(named)).estimate
        for order in itertools.permutations(range(len(y)))
    ]
    assert found == close(np.mean(orders))


# Depths


@given(seed=seeds, beyond=st.integers(30, 2000))
def test_a_depth_beyond_every_segment_selects_all(seed, beyond):
    y, s, by = rows_of(seed)
    counts = cap.count_segments(y, s, by=by)
    at = {"k": beyond}
    assert cap.mean_over(counts, metric="captured_response", **at).estimate == 1
    assert cap.mean_over(counts, metric="hit_rate", **at).estimate == 1
    for metric in ("reciprocal_rank", "ndcg"):
        same(cap.mean_over(counts, metric=metric, **at), cap.mean_over(counts, metric=metric))
    positives = np.array([each.n1 for each in counts.values()])
    found = cap.mean_over(counts, metric="precision", **at)
    assert found.estimate == close(np.mean(positives / beyond))
    assert any("6" in note and "segments" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "metric", "options"),
    [
        ("recall@3", "captured_response", {"k": 3}),
        ("captured_response@3", "captured_response", {"k": 3}),
        ("P@2", "precision", {"k": 2}),
        ("precision@2", "precision", {"k": 2}),
        ("mrr", "reciprocal_rank", {}),
        ("mrr@4", "reciprocal_rank", {"k": 4}),
        ("hit@1", "hit_rate", {"k": 1}),
        ("success@2", "hit_rate", {"k": 2}),
        ("ndcg@3", "ndcg", {"k": 3}),
        ("lift@3", "lift", {"k": 3}),
        ("map", "average_precision", {}),
        ("auc", "roc_auc", {}),
    ],
)
def test_names_with_a_depth(name, metric, options):
    y, s, by = rows_of(8)
    found = cap.mean_over(y, s, by=by, metric=name)
    same(found, cap.mean_over(y, s, by=by, metric=metric, **options))
    assert found.metric == metric


def test_hits_of_a_constant_score_are_pass_at_k():
    """1 - C(n - c, k)/C(n, k), of c right answers of n (Chen et al. 2021)."""
    right, n, k = [0, 1, 3, 7, 10], 10, 4
    y = np.concatenate([np.repeat([1, 0], (c, n - c)) for c in right])
    by = np.repeat(np.arange(5), n)
    expected = [1 - comb(n - c, k) / comb(n, k) for c in right]
    found = cap.mean_over(y, np.zeros(50), by=by, metric="hit_rate", k=k, lacking=0)
    assert found.estimate == close(np.mean(expected))
    # Three documents of one score, one relevant, on which tools depend on names or order.
    assert cap.mean_over([1, 0, 0], [1, 1, 1], by=[1, 1, 1], metric="mrr").estimate == close(
        11 / 18
    )


# Weights that are sums


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy_ratio"])
@given(seed=seeds)
def test_positives_and_pairs_are_those_of_the_decomposition(metric, seed):
    y, s, by = rows_of(seed)
    counts = cap.count_segments(y, s, by=by)
    parts = cap.decompose(counts, metric=metric)
    for segments in ("drawn", "fixed"):
        law = {"metric": metric, "segments": segments}
        assert cap.mean_over(counts, weights="positives", **law).estimate == close(parts.adjusted)
        assert cap.mean_over(counts, weights="pairs", **law).estimate == close(parts.within)
        assert cap.mean_over(counts, **law).pooled == close(parts.whole)


@given(seed=seeds)
def test_sampling_weights_count_as_sums(seed):
    y, s, by = rows_of(seed)
    w = np.random.default_rng(seed).integers(1, 9, len(y)) / 4
    said = {"weight": w, "weight_kind": "sampling"}
    counts = cap.count_segments(y, s, by=by, **said)
    values = np.array([cap.roc_auc(each) for each in counts.values()])
    of_all = np.array([w[by == name].sum() for name in counts])
    of_positives = np.array([w[(by == name) & (y == 1)].sum() for name in counts])
    for weights, sums in (("cases", of_all), ("positives", of_positives)):
        found = cap.mean_over(y, s, by=by, metric="roc_auc", weights=weights, **said)
        expected = drawn(values, sums / sums.sum())
        assert found.estimate == close(expected[0])
        assert found.se == close(np.sqrt(expected[1]), 1e-8)
        assert found.df == close(expected[2])


@pytest.mark.parametrize("kind", ["sampling", "exposure"])
def test_a_depth_counts_rows_and_refuses_their_weights(kind):
    y, s, by = rows_of(1)
    with pytest.raises(ValueError, match=r"give q|use q|q=|\bq\b"):
        cap.mean_over(y, s, by=by, metric="recall@2", weight=np.full(len(y), 0.5), weight_kind=kind)


# What is lacking


@pytest.mark.parametrize("named", ["average_precision", "reciprocal_rank", "hit_rate", "ndcg"])
@given(seed=seeds, empty=st.integers(1, 5))
def test_lacking_segments_as_0_take_their_share(named, seed, empty):
    y, s, by = rows_of(seed)
    y, s = np.append(y, np.zeros(2 * empty, int)), np.append(s, np.zeros(2 * empty))
    by = np.append(by, np.repeat([f"h{place}" for place in range(empty)], 2))
    left = cap.mean_over(y, s, by=by, **asked(named))
    zero = cap.mean_over(y, s, by=by, lacking=0, **asked(named))
    assert dict(left.left_out) == {"no positives": empty}
    assert left.n_segments == 6
    assert zero.n_segments == 6 + empty
    assert dict(zero.left_out) == {}
    assert zero.estimate == close(left.estimate * 6 / (6 + empty))
    with pytest.raises(ValueError, match="positive"):
        cap.mean_over(y, s, by=by, lacking="raise", **asked(named))


def test_every_reason_is_counted():
    y = [1, 0, 1, 1, 0, 0, 1, 0, 1]
    by = ["a", "a", "b", "b", "c", "c", None, None, "d"]
    found = cap.mean_over(y, range(9), by=by, metric="roc_auc")
    assert dict(found.left_out) == {"no positives": 1, "no negatives": 2, "no segment": 1}
    assert found.n_segments == 1
    found = cap.mean_over(y, range(9), by=by, metric="average_precision")
    assert dict(found.left_out) == {"no positives": 1, "no segment": 1}
    found = cap.mean_over(y, range(9), by=by, metric="roc_auc", lacking=0.5)
    assert dict(found.left_out) == {"no segment": 1}
    assert found.n_segments == 4
    found = cap.mean_over(y[:2], [2, 1], by=["a", "a"], metric="roc_auc", lacking="raise")
    assert dict(found.left_out) == {}


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_rows_without_a_segment_are_no_segment(gap):
    y, s, by = rows_of(6)
    some = np.array([gap if name == "g0" else name for name in by], dtype=object)
    found = cap.mean_over(y, s, by=some, metric="roc_auc")
    own = by != "g0"
    expected = cap.mean_over(y[own], s[own], by=by[own], metric="roc_auc")
    assert found.estimate == expected.estimate
    assert (found.low, found.high, found.df) == (expected.low, expected.high, expected.df)
    assert dict(found.left_out) == {"no segment": 1}
    assert found.pooled == close(cap.roc_auc(y, s))
    named = np.where(by == "g0", "", by)
    assert cap.mean_over(y, s, by=named, metric="roc_auc").n_segments == 6


# Levels


@pytest.mark.parametrize("segments", ["drawn", "fixed"])
@given(seed=seeds)
def test_levels_nest_and_hold_the_estimate(segments, seed):
    y, s, by = rows_of(seed, positives=(2, 5), negatives=(2, 5))
    levels = [0.5, 0.8, 0.9, 0.95, 0.99]
    found = [
        cap.mean_over(y, s, by=by, metric="roc_auc", segments=segments, level=level)
        for level in levels
    ]
    for narrow, wide in itertools.pairwise(found):
        assert 0 <= wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high <= 1
    assert [each.level for each in found] == levels


# Clusters


@given(seed=seeds)
def test_a_cluster_of_whole_segments_is_drawn_as_one(seed):
    y, s, by = rows_of(seed, groups=7)
    users = {f"g{g}": f"user {g % 3}" for g in range(7)}
    ids = [users[name] for name in by]
    parts = segments_of(y, s, by)
    for metric, weights in (("roc_auc", "equal"), ("average_precision", "positives")):
        values = [getattr(cap, metric)(*part) for part in parts.values()]
        sizes = [(part[0].sum(), (1 - part[0]).sum()) for part in parts.values()]
        expected = by_cluster(values, weighed(weights, sizes), [users[name] for name in parts])
        found = cap.mean_over(y, s, by=by, cluster=ids, metric=metric, weights=weights)
        assert found.estimate == close(expected[0])
        assert found.se == close(np.sqrt(expected[1]), 1e-8)
        assert found.df == close(expected[2])
        assert (found.low, found.high) == close(limits(*expected), 1e-7)


@pytest.mark.parametrize("way", ["inside", "across"])
def test_a_cluster_that_holds_parts_of_segments_is_refused(way):
    y, s, by = rows_of(9, positives=(3, 4), negatives=(3, 4))
    ids = np.arange(len(y)) if way == "inside" else np.arange(len(y)) % 2
    with pytest.raises(ValueError, match="cluster") as refused:
        cap.mean_over(y, s, by=by, cluster=ids, metric="roc_auc")
    assert "\n" not in str(refused.value)


def test_clusters_of_fixed_segments_are_left_out_of_all_segments():
    """Two segments of the same cases in the same clusters vary as one of them does."""
    y, s, _ = rows_of(2, groups=1, positives=(40, 41), negatives=(80, 81))
    ids = np.arange(len(y)) // 3
    one = cap.confidence_interval(cap.count_scores(y, s, cluster=ids), "roc_auc")
    found = cap.mean_over(
        *(np.tile(each, 2) for each in (y, s)),
        by=np.repeat(["a", "b"], len(y)),
        cluster=np.tile(ids, 2),
        metric="roc_auc",
        segments="fixed",
    )
    assert found.estimate == close(one.estimate)
    assert found.se == close(one.se, 1e-9)


# Amounts


@given(seed=seeds)
def test_means_of_amounts(seed):
    y, s, by = rows_of(seed)
    amounts = y * np.random.default_rng(seed).integers(1, 9, len(y))
    counts = cap.count_value_segments(amounts, s, by=by)
    for metric, options in (("accuracy_ratio", {}), ("captured_response", {"q": 0.3})):
        values = [getattr(cap, metric)(each, **options) for each in counts.values()]
        found = cap.mean_over(counts, metric=metric, **options)
        assert found.estimate == close(np.mean(values))
        assert found.se == close(np.std(values, ddof=1) / np.sqrt(6), 1e-8)
    for gain in ("linear", "exponential"):
        gains = amounts if gain == "linear" else 2.0**amounts - 1
        values = [ndcg_of(gains[by == name], s[by == name], 3) for name in sorted(set(by.tolist()))]
        found = cap.mean_over(counts, metric="ndcg", k=3, gain=gain)
        assert found.estimate == close(np.mean(values))


def ndcg_of(gains, s, k):
    """Return nDCG with the mean gain of its tie at each place."""
    mean = np.array([gains[s == each].mean() for each in s])[np.argsort(-s, kind="stable")]
    discounts = 1 / np.log2(np.arange(2, len(s) + 2))
    discounts[k:] = 0
    return (mean @ discounts) / (np.sort(gains)[::-1] @ discounts)


@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_the_label_of_gains_says_which_they_are(gain):
    counts = cap.count_value_segments([3, 0, 1, 0, 2, 1], range(6), by=list("aabbcc"))
    found = cap.mean_over(counts, metric="ndcg", gain=gain)
    assert f"{gain} gain" in found.to_text()
    assert f"{gain} gain" in found.to_html()


def test_amounts_that_are_all_0_are_left_out():
    counts = cap.count_value_segments([1, 2, 0, 0, 5, 3], range(6), by=list("aabbcc"))
    found = cap.mean_over(counts, metric="ndcg")
    assert dict(found.left_out) == {"no amount": 1}
    assert found.n_segments == 2


def test_gains_below_zero_are_refused():
    counts = cap.count_value_segments([1, 2, -1, 4], range(4), by=list("aabb"))
    with pytest.raises(ValueError, match=r"below (0|zero)"):
        cap.mean_over(counts, metric="ndcg")


ANY_ROWS = st.lists(st.tuples(st.integers(0, 1), anything, st.integers(0, 3)), max_size=20)


@given(ANY_ROWS)
def test_scores_of_any_size_have_limits(rows):
    y, s, by = (np.array(column) for column in zip(*[*rows, (1, 0.0, 0), (0, 1.0, 0)], strict=True))
    for segments in ("drawn", "fixed"):
        found = cap.mean_over(y, s, by=by, metric="roc_auc", segments=segments)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
        assert found.se is None or np.isfinite(found.se)
