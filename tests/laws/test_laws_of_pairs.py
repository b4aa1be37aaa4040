"""All pairs of many scores together: limits, adjusted p-values and ranks say one thing."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

import capcurve as cap

OPTIONS = {
    "captured_response": {"q": 0.2},
    "lift": {"q": 0.3},
    "selective_risk": {"coverage": 0.8},
    "partial_accuracy_ratio": {"max_q": 0.4},
    "net_benefit": {"threshold": 0.3},
}
OF_CLASSES = (
    "accuracy_ratio",
    "roc_auc",
    "average_precision",
    "captured_response",
    "lift",
    "partial_accuracy_ratio",
    "bedroc",
    "rie",
    "aurc",
    "auarc",
    "augrc",
    "excess_aurc",
    "selective_risk",
)
OF_PDS = ("brier_score", "log_loss", "net_benefit")
OF_TRIALS = ("qini", "autoc")
LOWER_IS_BETTER = ("brier_score", "log_loss", "aurc", "augrc", "excess_aurc", "selective_risk")


def scores_of(rng, n, scores):
    """Return labels and tied scores, some nearly as good as each other, some worse."""
    y = (rng.random(n) < 0.35).astype(int)
    y[:4] = [1, 0, 1, 0]
    base = rng.normal(size=n) + 1.2 * y
    spread = rng.uniform(0.2, 2.5, size=scores)
    columns = {
        f"s{i}": np.round(base + wide * rng.normal(size=n), 1) for i, wide in enumerate(spread)
    }
    return y, columns


def as_pds(columns):
    return {
        name: np.clip(np.round(1 / (1 + np.exp(1 - column)), 3), 0.001, 0.999)
        for name, column in columns.items()
    }


def plain(_, y, s):
    return cap.count_joint(y, s)


def weighted(kind):
    def counted(rng, y, s):
        weight = rng.integers(1, 4, len(y)) if kind == "frequency" else rng.uniform(1, 3, len(y))
        return cap.count_joint(y, s, weight=weight, weight_kind=kind)

    counted.__name__ = kind
    return counted


def clustered(_, y, s):
    return cap.count_joint(y, s, cluster=np.arange(len(y)) // 2)


def pds(_, y, s):
    return cap.count_joint(y, as_pds(s))


def pds_weighted(rng, y, s):
    weight = rng.uniform(1, 3, len(y))
    return cap.count_joint(y, as_pds(s), weight=weight, weight_kind="sampling")


def amounts_of(rng, y):
    return np.round(y * np.exp(rng.normal(size=len(y))), 1) + y


def amounts(rng, y, s):
    return cap.count_joint_values(amounts_of(rng, y), s)


def amounts_exposed(rng, y, s):
    exposure = np.round(rng.uniform(1, 3, len(y)), 1)
    return cap.count_joint_values(amounts_of(rng, y), s, exposure=exposure)


def amounts_clustered(rng, y, s):
    return cap.count_joint_values(amounts_of(rng, y), s, cluster=np.arange(len(y)) // 2)


def horizon(rng, y, s):
    times = np.ceil(rng.exponential(8, len(y)) * (2 - y)) + 1
    followed = (rng.random(len(y)) < 0.8).astype(int)
    followed[:4] = 1
    times[:4] = [2, 30, 3, 31]
    return cap.count_joint_times(times, followed, s).at(9)


def trial(rng, y, s):
    treated = (rng.random(len(y)) < 0.5).astype(int)
    return cap.count_joint_uplift(y, treated, s)


def trial_of_amounts(rng, y, s):
    treated = (rng.random(len(y)) < 0.5).astype(int)
    return cap.count_joint_uplift_values(amounts_of(rng, y), treated, s)


KINDS = {
    plain: OF_CLASSES,
    weighted("frequency"): ("accuracy_ratio", "captured_response"),
    weighted("sampling"): ("accuracy_ratio", "average_precision"),
    weighted("exposure"): ("accuracy_ratio",),
    clustered: ("accuracy_ratio", "average_precision"),
    pds: OF_PDS,
    pds_weighted: ("log_loss", "net_benefit"),
    amounts: ("accuracy_ratio",),
    amounts_exposed: ("accuracy_ratio",),
    amounts_clustered: ("accuracy_ratio",),
    horizon: ("accuracy_ratio",),
    trial: ("qini",),
    trial_of_amounts: OF_TRIALS,
}
ASKED = [(kind, metric) for kind, metrics in KINDS.items() for metric in metrics]
NAMED = [f"{kind.__name__} {metric}" for kind, metric in ASKED]
each_kind = pytest.mark.parametrize(("kind", "metric"), ASKED, ids=NAMED)
levels = st.one_of(st.floats(0.5, 0.999), st.sampled_from([0.8, 0.9, 0.95, 0.99]))


def counted(kind, seed, scores=4, n=70):
    rng = np.random.default_rng(seed)
    return kind(rng, *scores_of(rng, n, scores))


def compared(joint, metric="accuracy_ratio", **asked):
    return cap.compare(joint, metric=metric, **OPTIONS.get(metric, {}), **asked)


def leaves_out_0(pair):
    return pair.low > 0 or pair.high < 0


def numbers(test):
    return (test.estimate, test.se, test.p_value, test.p_adjusted, test.low, test.high)


def by_pair(found):
    """Return the numbers of each pair by its two names, whichever of them is first."""
    named = {}
    for pair in found.pairs:
        first, second = pair.name.split(" minus ")
        named[first, second] = numbers(pair)
        estimate, se, p_value, p_adjusted, low, high = numbers(pair)
        named[second, first] = (-estimate, se, p_value, p_adjusted, -high, -low)
    return named


def rows_of(ranks):
    """Return the estimate, ranks and tier of each score by its name."""
    values = ranks.values()
    names = values.pop("score")
    return dict(zip(names, zip(*values.values(), strict=True), strict=True))


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def same(one, other):
    """Say that the numbers of two comparisons are the same, of whichever pairs both have."""
    first, second = by_pair(one), by_pair(other)
    shared = first.keys() & second.keys()
    assert shared
    for pair in sorted(shared):
        assert first[pair] == close(second[pair]), pair
    assert one.pair_level == close(other.pair_level)


def ranks_by_definition(found, level):
    """Return the rows of `ranks` from estimates and adjusted p-values of two-sided tests."""
    worse = -1 if found.metric in LOWER_IS_BETTER else 1
    above = set()
    for pair in found.pairs:
        first, second = pair.name.split(" minus ")
        if pair.p_adjusted <= 1 - level:
            above.add((first, second) if worse * pair.estimate > 0 else (second, first))
    m, estimates = len(found.names), dict(zip(found.names, found.estimates, strict=True))
    best_first = sorted(found.names, key=lambda name: -worse * estimates[name])
    rows, leader, tier = {}, None, 0
    for name in best_first:
        if leader is None or (leader, name) in above:
            leader, tier = name, tier + 1
        from_ = 1 + sum((other, name) in above for other in found.names)
        to = m - sum((name, other) in above for other in found.names)
        rows[name] = (estimates[name], from_, to, tier)
    return rows


def say_one_thing(kind, metric, seed, level):
    joint = counted(kind, seed)
    found = compared(joint, metric, level=level)
    k = len(found.pairs)
    assert 0 < 1 - found.pair_level <= 1 - level + 1e-12
    for pair in found.pairs:
        assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        assert pair.low <= pair.estimate <= pair.high
        assert pair.p_value * (1 - 1e-9) <= pair.p_adjusted <= min(1, k * pair.p_value) + 1e-12
    assert rows_of(found.ranks) == ranks_by_definition(found, level)
    ordered = sorted(found.pairs, key=lambda pair: pair.p_value)
    adjusted = [pair.p_adjusted for pair in ordered]
    assert adjusted == sorted(adjusted)


@each_kind
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_leave_out_0_where_the_adjusted_p_value_is_small(kind, metric, level):
    say_one_thing(kind, metric, 7, level)


@given(st.sampled_from(ASKED), st.integers(0, 2**32), levels)
def test_limits_and_adjusted_p_values_agree_whatever_is_counted(asked, seed, level):
    say_one_thing(*asked, seed, level)


@pytest.mark.turns(2)
@each_kind
def test_limits_turn_at_the_level_that_the_adjusted_p_value_names(kind, metric):
    """A hair above it they contain 0 and a hair below it they do not."""
    joint = counted(kind, 3, scores=3)
    found = compared(joint, metric)
    assert compared(joint, metric, level=0.8).pairs[0].p_adjusted == found.pairs[0].p_adjusted
    for i, pair in enumerate(found.pairs):
        if 0.002 < pair.p_adjusted < 0.8:
            wide = compared(joint, metric, level=1 - pair.p_adjusted * (1 - 1e-4))
            narrow = compared(joint, metric, level=1 - pair.p_adjusted * (1 + 1e-4))
            assert not leaves_out_0(wide.pairs[i])
            assert leaves_out_0(narrow.pairs[i])


JOINT_LAW = [
    (kind, metric)
    for kind, metric in ASKED
    if metric != "net_benefit" and kind not in (trial, trial_of_amounts)
]


@pytest.mark.parametrize(
    ("kind", "metric"), JOINT_LAW, ids=[f"{kind.__name__} {metric}" for kind, metric in JOINT_LAW]
)
def test_the_law_is_that_of_the_smallest_of_normal_p_values(kind, metric):
    """By plain draws of scores with the covariance that the comparison gives."""
    found = compared(counted(kind, 11, scores=5, n=90), metric)
    rng = np.random.default_rng(5)
    drawn = rng.multivariate_normal(np.zeros(5), found.covariance, size=60_000)
    firsts, seconds = zip(*itertools.combinations(range(5), 2), strict=True)
    contrast = np.eye(5)[list(firsts)] - np.eye(5)[list(seconds)]
    spread = np.sqrt(np.diag(contrast @ found.covariance @ contrast.T))
    largest = (abs(drawn @ contrast.T) / spread).max(axis=1)
    for pair in found.pairs:
        reached = (largest >= stats.norm.isf(pair.p_value / 2)).mean()
        assert pair.p_adjusted == pytest.approx(reached, rel=0.06, abs=0.004)
    quantile = stats.norm.isf((1 - found.pair_level) / 2)
    assert (largest >= quantile).mean() == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize(("seed", "level"), [(1, 0.95), (2, 0.8), (3, 0.6)])
def test_net_benefit_is_adjusted_by_bonferroni(seed, level):
    found = compared(counted(pds, seed), "net_benefit", level=level)
    assert found.pair_level == close(1 - (1 - level) / 6)
    for pair in found.pairs:
        assert pair.p_adjusted == close(min(1, 6 * pair.p_value))


def test_net_benefit_says_whose_adjustment_it_has():
    found = compared(counted(pds, 1), "net_benefit")
    assert "Bonferroni" in found.to_text()
    assert "Bonferroni" not in compared(counted(pds, 1), "brier_score").to_text()


@each_kind
def test_two_scores_have_one_test_as_if_nothing_else_were_asked(kind, metric):
    joint = counted(kind, 2, scores=2)
    found = compared(joint, metric, level=0.9)
    (pair,) = found.pairs
    assert (pair.p_adjusted, found.pair_level, pair.level) == (None, 0.9, 0.9)
    assert found.overall == pair
    alone = compared(joint, metric, level=0.9, together=False).pairs[0]
    assert numbers(alone) == numbers(pair)
    assert leaves_out_0(pair) == (pair.p_value <= 0.1)
    better = -1 if metric in LOWER_IS_BETTER else 1
    first, second = pair.name.split(" minus ")
    best, other = (first, second) if better * pair.estimate >= 0 else (second, first)
    ranks = rows_of(found.ranks)
    assert list(ranks) == [best, other]
    shown = leaves_out_0(pair)
    assert [row[1:] for row in ranks.values()] == (
        [(1, 1, 1), (2, 2, 2)] if shown else [(1, 2, 1), (1, 2, 1)]
    )


@pytest.mark.parametrize(
    "kind", [plain, clustered, amounts, horizon, pds], ids=lambda k: k.__name__
)
def test_the_order_of_scores_moves_nothing(kind):
    metric = "brier_score" if kind is pds else "accuracy_ratio"
    rng = np.random.default_rng(8)
    y, s = scores_of(rng, 80, 5)
    state = rng.bit_generator.state
    one = compared(kind(rng, y, s), metric)
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        rng.bit_generator.state = state
        other = compared(kind(rng, y, {f"s{i}": s[f"s{i}"] for i in order}), metric)
        same(one, other)
        assert rows_of(one.ranks).keys() == rows_of(other.ranks).keys()
        assert other.overall.p_value == close(one.overall.p_value)


def mirrored(rng, n=50):
    """Return scores of which any two have, by symmetry, one estimate and one variance."""
    y = (rng.random(n) < 0.4).astype(int)
    parts = [np.round(rng.normal(size=n) + y, 1) for _ in range(4)]
    turns = [[*parts[i:], *parts[:i]] for i in range(4)]
    return np.tile(y, 4), {f"s{i}": np.concatenate(turn) for i, turn in enumerate(turns)}


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_scores_moves_nothing_where_all_are_equally_good(seed):
    y, s = mirrored(np.random.default_rng(seed))
    s["t"] = np.round(s["s0"] + np.random.default_rng(9).normal(size=len(y)), 1)
    one = cap.compare(y, s)
    for order in itertools.islice(itertools.permutations(s), 5, 120, 40):
        same(one, cap.compare(y, {name: s[name] for name in order}))


def test_equal_estimates_are_ranked_in_the_order_given():
    y, s = mirrored(np.random.default_rng(1))
    for order in (["s2", "s0", "s3", "s1"], ["s3", "s2", "s1", "s0"]):
        found = cap.compare(y, {name: s[name] for name in order})
        assert len(set(found.estimates)) == 1
        assert list(rows_of(found.ranks)) == order


@given(seed=st.integers(0, 2**32))
def test_names_mean_nothing(seed):
    y, s = scores_of(np.random.default_rng(seed), 70, 4)
    assume(len(set(cap.compare(y, s).estimates)) == 4)
    one = cap.compare(y, s)
    other = cap.compare(y, dict(zip(["z", "champion", "b b", "a"], s.values(), strict=True)))
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert numbers(a) == close(numbers(b))
    assert list(rows_of(one.ranks).values()) == list(rows_of(other.ranks).values())


COPIES = {"itself": lambda s: s, "monotone": lambda s: np.exp(s / 3) - 5}


@pytest.mark.parametrize("copy", COPIES)
@given(seed=st.integers(0, 2**32))
def test_a_copy_of_a_score_moves_nothing_of_others(copy, seed):
    y, s = scores_of(np.random.default_rng(seed), 70, 4)
    level = 0.9
    one = cap.compare(y, s, level=level)
    for place in (0, 3):
        columns = list(s.items())
        columns.insert(place, ("copy", COPIES[copy](s["s1"])))
        other = cap.compare(y, dict(columns), level=level)
        same(one, other)
        pairs = by_pair(other)
        assert pairs["copy", "s1"][:4] == (0, 0, 1, 1)
        for name in ("s0", "s2", "s3"):
            assert pairs["copy", name] == close(pairs["s1", name])
        ranks = rows_of(other.ranks)
        assert ranks["copy"] == ranks["s1"]
        for name, (estimate, first, last, tier) in rows_of(one.ranks).items():
            assert ranks[name][0] == estimate
            if len(set(one.estimates)) == 4:  # those of equal scores go by the order given
                assert ranks[name][3] == tier
            assert first <= ranks[name][1] <= first + 1
            assert last <= ranks[name][2] <= last + 1


def test_copies_alone_share_all_ranks_and_one_tier():
    y, s = scores_of(np.random.default_rng(4), 60, 1)
    copies = {"a": s["s0"], "b": s["s0"] * 2, "c": np.exp(s["s0"]), "d": s["s0"] + 7}
    found = cap.compare(y, copies, level=0.9)
    assert found.pair_level == pytest.approx(0.9, rel=1e-12)
    for pair in found.pairs:
        assert (pair.estimate, pair.se, pair.p_value, pair.p_adjusted) == (0, 0, 1, 1)
        assert any("identically" in note for note in pair.notes)
    assert {row[1:] for row in rows_of(found.ranks).values()} == {(1, 4, 1)}
    assert list(rows_of(found.ranks)) == list("abcd")


def test_one_pair_and_copies_are_one_pair():
    y, s = scores_of(np.random.default_rng(4), 60, 2)
    alone = cap.compare(y, s)
    found = cap.compare(y, {**s, "copy": s["s0"], "again": np.exp(s["s1"])})
    assert found.pair_level == pytest.approx(0.95, rel=1e-9)
    pair = by_pair(found)["s0", "s1"]
    assert pair[3] == close(alone.pairs[0].p_value)
    assert pair[4:] == close((alone.pairs[0].low, alone.pairs[0].high))


def test_differences_that_differ_in_sign_count_once():
    """Two scores and their negatives have four distinct differences and not six."""
    y, s = scores_of(np.random.default_rng(6), 80, 2)
    both = {**s, "n0": -s["s0"], "n1": -s["s1"]}
    for alternative in ("two-sided", "superior", "inferior"):
        found = cap.compare(y, both, alternative=alternative)
        for pair in found.pairs:
            assert pair.p_adjusted <= min(1, 4 * pair.p_value) + 1e-12
    pairs = by_pair(cap.compare(y, both))
    assert pairs["s0", "s1"][1:4] == close(pairs["n0", "n1"][1:4])


@pytest.mark.turns(2)
@each_kind
def test_rank_intervals_nest(kind, metric):
    joint = counted(kind, 9, n=100)
    inner, *outer = (
        rows_of(compared(joint, metric, level=each).ranks) for each in (0.8, 0.95, 0.99)
    )
    for wider in outer:
        for name, (_, first, last, _) in inner.items():
            assert wider[name][1] <= first <= last <= wider[name][2]
        inner = wider


def test_tiers_walk_down_and_intervals_contain_the_own_rank():
    for seed in range(5):
        y, s = scores_of(np.random.default_rng(seed), 150, 8)
        rows = list(rows_of(cap.compare(y, s, level=0.8).ranks).values())
        tiers = [row[3] for row in rows]
        assert tiers[0] == 1
        assert all(b - a in (0, 1) for a, b in itertools.pairwise(tiers))
        for place, (_, first, last, _) in enumerate(rows, 1):
            assert first <= place <= last


def stay_inside(kind, metric, seed, level):
    joint = counted(kind, seed)
    all_pairs = compared(joint, metric, level=level)
    for champion in ("s0", "s2"):
        few = compared(joint, metric, level=level, against=champion)
        others = [name for name in few.names if name != champion]
        assert [pair.name for pair in few.pairs] == [f"{each} minus {champion}" for each in others]
        assert few.ranks is None
        assert few.against == champion
        assert few.pair_level <= all_pairs.pair_level + 0.01 * (1 - level)
        wide = by_pair(all_pairs)
        for pair in few.pairs:
            outer = wide[tuple(pair.name.split(" minus "))]
            hair = 0.02 * pair.se  # what chance leaves of the directions
            assert outer[4] - hair <= pair.low <= pair.high <= outer[5] + hair
            assert pair.p_adjusted <= outer[3] * 1.03 + 1e-3
            assert (pair.estimate, pair.se, pair.p_value) == close(outer[:3])
            assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
            assert pair.p_adjusted <= min(1, 3 * pair.p_value) + 1e-12


@each_kind
def test_against_one_score_limits_are_inside_those_of_all_pairs(kind, metric):
    stay_inside(kind, metric, 4, 0.9)


@given(st.sampled_from(ASKED), st.integers(0, 2**32), levels)
def test_fewer_pairs_have_limits_inside_whatever_is_counted(asked, seed, level):
    stay_inside(*asked, seed, level)


def test_a_pair_of_a_trial_has_one_error_whatever_it_is_beside():
    stay_inside(trial_of_amounts, "autoc", 188246826, 0.9)


@pytest.mark.turns(2)
@each_kind
def test_each_alone_is_each_pair_counted_alone(kind, metric):
    seed, level = 5, 0.9
    rng = np.random.default_rng(seed)
    y, s = scores_of(rng, 70, 3)
    state = rng.bit_generator.state
    found = compared(kind(rng, y, s), metric, level=level, together=False)
    assert (found.pair_level, found.ranks, found.together) == (level, None, False)
    for pair in found.pairs:
        rng.bit_generator.state = state
        names = pair.name.split(" minus ")
        alone = compared(kind(rng, y, {name: s[name] for name in names}), metric, level=level)
        assert pair.p_adjusted is None
        assert numbers(pair)[:3] == close(numbers(alone.pairs[0])[:3])
        assert (pair.low, pair.high) == close((alone.pairs[0].low, alone.pairs[0].high))


def test_each_alone_says_how_many_limits_miss():
    y, s = scores_of(np.random.default_rng(5), 120, 20)
    notes = " ".join(cap.compare(y, s, together=False).presentation().notes)
    assert "190" in notes
    assert "about 10 miss" in notes
    alone = cap.compare(y, s, together=False).pairs[3]
    together = cap.compare(y, s).pairs[3]
    assert numbers(alone)[:3] == numbers(together)[:3]
    assert together.low < alone.low < alone.high < together.high


@given(seed=st.integers(0, 2**32))
def test_the_auc_is_half_the_accuracy_ratio(seed):
    joint = counted(plain, seed)
    area, ratio = compared(joint, "roc_auc"), compared(joint)
    assert area.pair_level == close(ratio.pair_level)
    for a, r in zip(area.pairs, ratio.pairs, strict=True):
        assert (r.p_value, r.p_adjusted) == close((a.p_value, a.p_adjusted))
        assert (r.estimate, r.se, r.low, r.high) == close(
            (2 * a.estimate, 2 * a.se, 2 * a.low, 2 * a.high)
        )
    assert [row[1:] for row in rows_of(area.ranks).values()] == [
        row[1:] for row in rows_of(ratio.ranks).values()
    ]


@pytest.mark.parametrize("metric", LOWER_IS_BETTER)
def test_the_least_is_best_where_lower_is_better(metric):
    rng = np.random.default_rng(3)
    n = 400
    y = (rng.random(n) < 0.4).astype(int)
    s = {f"s{i}": np.round(y + d * rng.normal(size=n), 1) for i, d in enumerate((2.5, 0.3, 1))}
    found = compared(pds(rng, y, s), metric)
    ranks = rows_of(found.ranks)
    estimates = [row[0] for row in ranks.values()]
    assert list(ranks) == ["s1", "s2", "s0"]
    assert estimates == sorted(estimates)
    assert [row[1:] for row in ranks.values()] == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
    by_ratio = compared(plain(rng, y, s))
    assert list(rows_of(by_ratio.ranks)) == list(ranks)
    assert found.sentence.startswith("s1")


@given(seed=st.integers(0, 2**32))
def test_negative_scores_of_the_other_direction_are_the_same(seed):
    y, s = scores_of(np.random.default_rng(seed), 70, 4)
    one = cap.compare(cap.count_joint(y, s))
    turned = {name: -column for name, column in s.items()}
    other = cap.compare(cap.count_joint(y, turned, higher_is="negative"))
    same(one, other)
    assert rows_of(one.ranks) == rows_of(other.ranks)


@given(seed=st.integers(0, 2**32), level=levels)
def test_rows_twice_never_widen_ranks(seed, level):
    y, s = scores_of(np.random.default_rng(seed), 70, 5)
    once = rows_of(cap.compare(y, s, level=level).ranks)
    doubled = {name: np.tile(column, 2) for name, column in s.items()}
    twice = rows_of(cap.compare(np.tile(y, 2), doubled, level=level).ranks)
    for name, (estimate, first, last, _) in once.items():
        assert twice[name][0] == close(estimate)
        assert first <= twice[name][1] <= twice[name][2] <= last


@pytest.mark.turns(2)
@each_kind
def test_json_has_pairs_and_ranks(kind, metric):
    found = compared(counted(kind, 3), metric)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert saved == found.to_dict()
    assert saved["pair_level"] == found.pair_level
    ranks = found.ranks.values()
    assert saved["ranks"] == [
        dict(zip(ranks, row, strict=True)) for row in zip(*ranks.values(), strict=True)
    ]
    assert [pair["p_adjusted"] for pair in saved["pairs"]] == [p.p_adjusted for p in found.pairs]
    assert list(found.ranks.to_frame("polars")["score"]) == ranks["score"]
    unranked = compared(counted(kind, 3), metric, against="s1").to_dict()
    assert unranked["ranks"] is None
    assert len(found.to_frame("polars")) == len(found.pairs)


def test_a_copy_moves_nothing_where_a_variance_is_careful():
    y = np.array([1, 1, 0, 0])
    scores = {"perfect": y, "reversed": -y}
    alone = cap.compare(y, scores)
    found = cap.compare(y, {**scores, "also perfect": [3, 2, 1, 0]})
    assert found.pair_level == close(0.95)
    pair = by_pair(found)["perfect", "reversed"]
    assert pair[3] == close(alone.pairs[0].p_value)
    assert pair[4:] == close((alone.pairs[0].low, alone.pairs[0].high))


def careful(positives=5, negatives=9):
    """Return a perfect, a reversed, two constant scores and one in between."""
    n = positives + negatives
    y = np.repeat([1, 0], [positives, negatives])
    middling = np.arange(n)[::-1] % 4
    return y, {
        "perfect": y,
        "reversed": -y,
        "constant": np.zeros(n),
        "also constant": np.ones(n),
        "middling": middling,
    }


@pytest.mark.parametrize(("positives", "negatives"), [(2, 2), (2, 9), (5, 9), (40, 90)])
@pytest.mark.parametrize("metric", ["accuracy_ratio", "average_precision", "captured_response"])
def test_scores_without_spread_have_finite_limits(positives, negatives, metric):
    y, s = careful(positives, negatives)
    for level in (0.5, 0.8, 0.95, 0.99):
        found = compared(cap.count_joint(y, s), metric, level=level)
        assert len(found.pairs) == 10
        assert level <= found.pair_level < 1
        for pair in found.pairs:
            assert np.isfinite([pair.low, pair.high]).all()
            assert pair.low <= pair.estimate <= pair.high
            assert 0 <= pair.p_value <= pair.p_adjusted <= min(1, 10 * pair.p_value) + 1e-12
            assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        assert rows_of(found.ranks) == ranks_by_definition(found, level)
        json.dumps(found.to_dict(), allow_nan=False)
        assert str(found)
    assert by_pair(found)["constant", "also constant"][:4] == (0, 0, 1, 1)


@given(seed=st.integers(0, 2**32), level=levels)
def test_two_positives_among_tied_scores_are_no_crash(seed, level):
    rng = np.random.default_rng(seed)
    y = np.zeros(12, dtype=int)
    y[:2] = 1
    s = {f"s{i}": rng.integers(0, 3, 12) for i in range(4)}
    found = cap.compare(y, s, level=level)
    for pair in found.pairs:
        assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        assert pair.p_value <= pair.p_adjusted * (1 + 1e-9)
    assert rows_of(found.ranks) == ranks_by_definition(found, level)


def test_two_pairs_at_a_low_level_have_a_law():
    """Where a level of 80% and two pairs leave the search for it little room."""
    for seed, level in itertools.product(range(6), (0.05, 0.3, 0.5, 0.8, 0.999999)):
        found = compared(counted(plain, seed, scores=3), level=level, against="s1")
        assert level <= found.pair_level <= 1 - (1 - level) / 2 + 1e-12
        for pair in found.pairs:
            assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)


@pytest.mark.parametrize("alternative", ["superior", "inferior", "non-inferior", "equivalent"])
def test_ranks_and_limits_are_of_two_sides_whatever_is_to_be_shown(alternative):
    margin = 0.15 if alternative in ("non-inferior", "equivalent") else None
    for seed in range(8):
        joint = counted(plain, seed, n=150)
        usual = compared(joint)
        found = compared(joint, alternative=alternative, margin=margin)
        assert found.pair_level == close(usual.pair_level)
        for pair, two_sided in zip(found.pairs, usual.pairs, strict=True):
            assert (pair.low, pair.high) == close((two_sided.low, two_sided.high))
            assert pair.p_value <= pair.p_adjusted <= min(1, 6 * pair.p_value) + 1e-12
        assert rows_of(found.ranks) == rows_of(usual.ranks)


def test_of_one_side_the_adjusted_p_value_is_the_smaller_of_two_bounds():
    for seed in range(5):
        joint = counted(plain, seed)
        usual = {pair.name: pair for pair in compared(joint).pairs}
        for pair in compared(joint, alternative="superior").pairs:
            two_sided = usual[pair.name]
            if pair.estimate > 0:  # then G(2p) is what two sides have
                assert two_sided.p_value == close(2 * pair.p_value)
                bound = min(6 * pair.p_value, two_sided.p_adjusted)
                assert pair.p_adjusted == close(bound)


def test_the_users_own_random_numbers_do_not_matter():
    joint = counted(plain, 1)
    np.random.seed(1)
    one = compared(joint)
    np.random.seed(2)
    np.random.random(7)
    before = np.random.get_state()[1].copy()
    assert compared(joint) == one
    assert (np.random.get_state()[1] == before).all()


def test_contrasts_change_the_overall_test_only():
    joint = counted(plain, 1)
    usual, found = compared(joint), compared(joint, contrast=[1, -1, 0, 0])
    assert found.pairs == usual.pairs
    assert found.ranks == usual.ranks
    assert found.overall != usual.overall


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"against": "s9"}, ValueError, ["against", "s9", "s0"]),
        ({"against": 3}, (TypeError, ValueError), ["against", "3"]),
        ({"against": ["s0"]}, (TypeError, ValueError), ["against"]),
        ({"together": "no"}, TypeError, ["together", "no"]),
        ({"together": 1}, TypeError, ["together", "1"]),
        ({"together": None}, TypeError, ["together", "None"]),
        ({"against": "s0", "contrast": [1, -1, 0, 0]}, ValueError, ["against", "contrast"]),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(asked, error, words):
    with pytest.raises(error) as refused:
        compared(counted(plain, 1), **asked)
    message = str(refused.value)
    assert all(word in message for word in words)
    assert "\n" not in message


def test_one_score_and_one_positive_are_refused_as_before():
    y, s = scores_of(np.random.default_rng(1), 30, 3)
    with pytest.raises(ValueError, match="at least two scores"):
        cap.compare(y, {"s0": s["s0"]})
    lonely = np.zeros(30, dtype=int)
    lonely[3] = 1
    with pytest.raises(ValueError, match="at least two positives; there is 1"):
        cap.compare(lonely, s)
    assert cap.evaluate(lonely, s).comparison is None
