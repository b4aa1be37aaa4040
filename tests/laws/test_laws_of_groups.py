"""Groups compared: their gaps are those of independent samples, and one law holds for all."""

import itertools
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import grid, rows, shards

import capcurve as cap

CHOSEN = {"replicates": 20}  # of dealings, where their p-value is not the question
seeds = st.integers(0, 2**32)
levels = st.one_of(st.floats(0.5, 0.999), st.sampled_from([0.8, 0.9, 0.95, 0.99]))


def cases(seed, names=("a", "b", "c"), n=90):
    """Return labels, tied scores and groups, at least two of each class in each group."""
    rng = np.random.default_rng(seed)
    group = np.array(names)[rng.integers(0, len(names), n)]
    y = (rng.random(n) < 0.4).astype(int)
    least = 4 * len(names)
    group[:least] = np.repeat(names, 4)
    y[:least] = np.tile([0, 1, 1, 0], len(names))
    steep = dict(zip(names, rng.uniform(0, 2, len(names)), strict=True))
    score = rng.normal(size=n) + np.array([steep[each] for each in group]) * y
    return y, np.round(score, 1), group


def compared(drawn, names=("a", "b", "c"), **asked):
    y, score, group = cases(drawn, names)
    return cap.compare_groups(y, score, by=group, **CHOSEN | asked)


def rows_of(table):
    values = table.values()
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def leaves_out_0(pair):
    return pair.low > 0 or pair.high < 0


def numbers_of(pair):
    return (pair.estimate, pair.p_value, pair.low, pair.high)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def same(one, other):
    """Say that two comparisons have the same numbers."""
    assert [(p.metric, p.name) for p in one.pairs] == [(p.metric, p.name) for p in other.pairs]
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert numbers_of(a) == close(numbers_of(b))
        assert a.p_adjusted == close(b.p_adjusted)
    assert one.pair_level == close(other.pair_level)
    for table in ("groups", "xauc", "abroca"):
        assert rows_of(getattr(one, table)) == rows_of(getattr(other, table))


def xauc_of(first, second):
    """Return xAUC of two groups of rows, from all pairs."""
    (y1, s1), (y2, s2) = first, second
    positives, negatives = s1[y1 == 1], s2[y2 == 0]
    won = (positives[:, None] > negatives).sum() + (positives[:, None] == negatives).sum() / 2
    return won / len(positives) / len(negatives)


def roc_of(y, s):
    """Return the points of a ROC in fractions, the highest scores first."""
    n1, n0 = int(y.sum()), int(len(y) - y.sum())
    points = [(Fraction(0), Fraction(0))]
    for cut in sorted(set(s.tolist()), reverse=True):
        chosen = y[s >= cut]
        points.append((Fraction(int((chosen == 0).sum()), n0), Fraction(int(chosen.sum()), n1)))
    return points


def height(points, x, side):
    """Return the height at x, just before or after it where the ROC is vertical there."""
    at = [y for each, y in points if each == x]
    if at:
        return max(at) if side == "after" else min(at)
    (x0, y0), (x1, y1) = next(
        pair for pair in itertools.pairwise(points) if pair[0][0] < x < pair[1][0]
    )
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def abroca_of(first, second):
    """Return the area between two ROCs, from their definition and in fractions."""
    one, other = roc_of(*first), roc_of(*second)
    total = Fraction(0)
    for left, right in itertools.pairwise(sorted({x for x, _ in one + other})):
        before = height(one, left, "after") - height(other, left, "after")
        after = height(one, right, "before") - height(other, right, "before")
        width, sizes = right - left, abs(before) + abs(after)
        if before * after >= 0:
            total += width * sizes / 2
        else:
            total += width * (before**2 + after**2) / sizes / 2
    return total


def counts_of(data):
    return cap.count_scores(*data)


@given(rows(grid), rows(grid))
def test_xauc_counts_pairs_across_groups(first, second):
    a, b = counts_of(first), counts_of(second)
    assert cap.xauc(a, b) == close(xauc_of(first, second))
    assert cap.xauc(a, a) == close(cap.roc_auc(a))
    turned = [cap.count_scores(y, -s, higher_is="negative") for y, s in (first, second)]
    assert cap.xauc(*turned) == close(cap.xauc(a, b))


@given(rows(grid), rows(grid), shards(grid))
def test_shares_of_xauc_are_the_auc_of_all(first, second, third):
    groups = [each for each in (first, second, third) if 0 < each[0].sum() < len(each[0])]
    counts = [counts_of(each) for each in groups]
    whole = cap.count_scores(*(np.concatenate(parts) for parts in zip(*groups, strict=True)))
    n1, n0 = sum(each.n1 for each in counts), sum(each.n0 for each in counts)
    total = sum(
        (a.n1 / n1) * (b.n0 / n0) * cap.xauc(a, b) for a, b in itertools.product(counts, repeat=2)
    )
    assert total == close(cap.roc_auc(whole))


def test_xauc_needs_positives_of_one_and_negatives_of_the_other():
    positives, negatives = cap.count_scores([1, 1], [2, 1]), cap.count_scores([0, 0], [1, 0])
    assert cap.xauc(positives, negatives) == 0.875
    with pytest.raises(ValueError, match="positive"):
        cap.xauc(negatives, positives)


@given(rows(grid), rows(grid))
def test_abroca_is_the_area_between_two_polygons(first, second):
    a, b = counts_of(first), counts_of(second)
    found = cap.abroca(a, b)
    assert found == pytest.approx(float(abroca_of(first, second)), rel=0, abs=1e-12)
    assert found == close(cap.abroca(b, a))
    assert cap.abroca(a, a) == 0
    assert found >= abs(cap.roc_auc(a) - cap.roc_auc(b)) - 1e-12
    y, s = first
    assert cap.abroca(cap.count_scores(y, 3 * s + 7), b) == close(found)


@given(rows(grid))
def test_abroca_to_a_constant_score_is_the_area_to_the_diagonal(data):
    y = data[0]
    constant = cap.count_scores(y, np.zeros(len(y)))
    found = cap.abroca(counts_of(data), constant)
    assert found == pytest.approx(float(abroca_of(data, (y, np.zeros(len(y))))), abs=1e-12)
    perfect = cap.count_scores(y, y)
    assert cap.abroca(perfect, constant) == close(0.5)
    assert cap.abroca(perfect, cap.count_scores(y, -y)) == close(1)


def test_abroca_of_many_distinct_scores_is_exact_beyond_whole_numbers():
    """Shares of 10⁸ positives and negatives in each group are not multiples of a float's steps."""
    big = 10**8
    one = cap.ScoreCounts.from_counts([3, 2, 1], [big, 3, 0], [7, big, 1])
    other = cap.ScoreCounts.from_counts([3, 2, 1], [5, big + 1, 2], [0, big + 3, big])
    rocs = []
    for positives, negatives in (((big, 3, 0), (7, big, 1)), ((5, big + 1, 2), (0, big + 3, big))):
        shares = [
            [Fraction(sum(counts[:i]), sum(counts)) for i in range(4)]
            for counts in (negatives, positives)
        ]
        rocs.append(list(zip(*shares, strict=True)))
    total = Fraction(0)
    for left, right in itertools.pairwise(sorted({x for x, _ in rocs[0] + rocs[1]})):
        before, after = (
            height(rocs[0], x, side) - height(rocs[1], x, side)
            for x, side in ((left, "after"), (right, "before"))
        )
        sizes = abs(before) + abs(after)
        area = sizes if before * after >= 0 else (before**2 + after**2) / sizes
        total += (right - left) * area / 2
    assert cap.abroca(one, other) == pytest.approx(float(total), abs=1e-12)


@given(seeds, levels)
def test_limits_leave_out_0_where_the_adjusted_p_value_is_small(seed, level):
    numbers = ["roc_auc", "captured_response", "false_positive_rate", "xauc"]
    found = compared(seed, threshold=0.6, level=level, numbers=numbers)
    assert len(found.pairs) == 12
    assert 0 < 1 - found.pair_level <= 1 - level + 1e-12
    for pair in found.pairs:
        assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        assert pair.low <= pair.estimate <= pair.high
        assert pair.p_value * (1 - 1e-9) <= pair.p_adjusted <= min(1, 12 * pair.p_value) + 1e-12
    ordered = sorted(found.pairs, key=lambda pair: pair.p_value)
    assert [p.p_adjusted for p in ordered] == sorted(p.p_adjusted for p in ordered)


@pytest.mark.parametrize("kind", ["frequency", "sampling", "exposure", "clusters"])
@pytest.mark.parametrize("level", [0.6, 0.8, 0.95])
def test_limits_and_adjusted_p_values_agree_whatever_rows_are(kind, level):
    y, score, group = cases(5, n=120)
    rng = np.random.default_rng(2)
    weight = rng.integers(1, 4, 120) if kind == "frequency" else rng.uniform(1, 2, 120)
    rows_ = {"weight": weight, "weight_kind": kind}
    if kind == "clusters":
        rows_ = {"cluster": rng.integers(0, 40, 120)}
    found = cap.compare_groups(y, score, by=group, threshold=0.6, level=level, **rows_ | CHOSEN)
    assert len(found.pairs) == 9
    for pair in found.pairs:
        assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        assert pair.p_value * (1 - 1e-9) <= pair.p_adjusted <= min(1, 9 * pair.p_value) + 1e-12
        assert np.isfinite([pair.low, pair.high, pair.estimate]).all()


@pytest.mark.parametrize("seed", range(3))
def test_limits_turn_at_the_level_that_the_adjusted_p_value_names(seed):
    found = compared(seed, threshold=0.6)
    for i, pair in enumerate(found.pairs):
        if 0.002 < pair.p_adjusted < 0.9:
            wide = compared(seed, threshold=0.6, level=1 - pair.p_adjusted * (1 - 1e-4)).pairs[i]
            narrow = compared(seed, threshold=0.6, level=1 - pair.p_adjusted * (1 + 1e-4)).pairs[i]
            assert wide.p_adjusted == pair.p_adjusted
            assert not leaves_out_0(wide)
            assert leaves_out_0(narrow)


@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc"])
def test_a_gap_of_ranking_is_that_of_independent_samples(metric):
    y, score, group = cases(6)
    segments = cap.count_segments(y, score, by=group)
    found = cap.compare_groups(segments, metric=metric, level=0.9, **CHOSEN)
    for pair in found.pairs:
        assert pair.metric == metric
        first, second = (segments[name] for name in pair.name.split(" minus "))
        alone = cap.compare_independent(first, second, metric=metric, level=found.pair_level)
        assert numbers_of(pair) == close(numbers_of(alone))


def test_a_gap_of_xauc_is_that_of_the_crossed_samples():
    y, score, group = cases(6)
    segments = cap.count_segments(y, score, by=group)
    found = cap.compare_groups(segments, numbers="xauc", **CHOSEN)
    crossed = {}
    for name, other in itertools.permutations("abc", 2):
        own = (group == name) & (y == 1) | (group == other) & (y == 0)
        crossed[name, other] = cap.count_scores(y[own], score[own])
    for pair in found.pairs:
        first, second = pair.name.split(" minus ")
        alone = cap.compare_independent(
            crossed[first, second],
            crossed[second, first],
            metric="roc_auc",
            level=found.pair_level,
        )
        assert pair.metric == "xauc"
        assert numbers_of(pair) == close(numbers_of(alone))


@given(seeds)
def test_two_groups_and_one_number_are_compared_as_today(seed):
    y, score, group = cases(seed, names=("men", "women"))
    segments = cap.count_segments(y, score, by=group)
    found = cap.compare_groups(segments, level=0.9, **CHOSEN)
    (pair,) = found.pairs
    alone = cap.compare_independent(segments["men"], segments["women"], level=0.9)
    assert numbers_of(pair) == close(numbers_of(alone))
    assert found.pair_level == close(0.9)
    assert pair.p_adjusted in (None, pair.p_value)


@given(seeds)
def test_gaps_of_accuracy_ratios_are_twice_those_of_aucs(seed):
    areas, ratios = (
        compared(seed, threshold=0.5, metric=metric) for metric in ("auc", "accuracy_ratio")
    )
    assert areas.pair_level == close(ratios.pair_level)
    for area, ratio in zip(areas.pairs, ratios.pairs, strict=True):
        twice = 2 if area.metric == "roc_auc" else 1
        for key in ("estimate", "low", "high"):
            assert getattr(ratio, key) == close(twice * getattr(area, key))
        assert (ratio.p_value, ratio.p_adjusted) == close((area.p_value, area.p_adjusted))


def test_the_same_call_twice_has_the_same_digits():
    np.random.seed(1)
    one = compared(3, threshold=0.5, replicates=300)
    np.random.seed(2)
    other = compared(3, threshold=0.5, replicates=300)
    assert one == other
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    reseeded = compared(3, threshold=0.5, replicates=300, seed=5)
    assert reseeded.pairs == one.pairs
    assert rows_of(reseeded.abroca) != rows_of(one.abroca)


@given(seeds)
def test_the_order_of_rows_moves_nothing(seed):
    y, score, group = cases(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    one = cap.compare_groups(y, score, by=group, q=0.2, **CHOSEN)
    other = cap.compare_groups(y[order], score[order], by=group[order], q=0.2, **CHOSEN)
    same(one, other)


@given(seeds)
def test_shards_that_are_merged_are_the_whole(seed):
    y, score, group = cases(seed)
    half = np.arange(len(y)) % 2 == 0
    parts = [cap.count_segments(y[own], score[own], by=group[own]) for own in (half, ~half)]
    merged = {name: parts[0][name] + parts[1][name] for name in sorted(parts[0])}
    same(
        cap.compare_groups(y, score, by=group, threshold=0.5, **CHOSEN),
        cap.compare_groups(merged, threshold=0.5, **CHOSEN),
    )


@given(seeds)
def test_groups_that_are_merged_are_one_group(seed):
    y, score, group = cases(seed)
    segments = cap.count_segments(y, score, by=group)
    joined = {"a or b": segments["a"] + segments["b"], "c": segments["c"]}
    by = np.where(group == "c", "c", "a or b")
    same(
        cap.compare_groups(joined, threshold=0.5, **CHOSEN),
        cap.compare_groups(y, score, by=by, threshold=0.5, **CHOSEN),
    )


@pytest.mark.parametrize("order", ["bca", "cab"])
@given(seed=seeds)
def test_names_of_groups_change_signs_only(order, seed):
    y, score, group = cases(seed)
    new = dict(zip("abc", order, strict=True))
    one = cap.compare_groups(y, score, by=group, threshold=0.5, **CHOSEN)
    renamed = np.array([new[each] for each in group])
    other = cap.compare_groups(y, score, by=renamed, threshold=0.5, **CHOSEN)
    found = {(pair.metric, *pair.name.split(" minus ")): pair for pair in other.pairs}
    assert other.pair_level == pytest.approx(one.pair_level, abs=1e-3)
    for pair in one.pairs:
        first, second = (new[each] for each in pair.name.split(" minus "))
        key = (pair.metric, first, second)
        sign = 1 if key in found else -1
        twin = found[key] if sign == 1 else found[pair.metric, second, first]
        assert twin.estimate == close(sign * pair.estimate)
        assert twin.p_value == pytest.approx(pair.p_value, rel=1e-6)
        assert twin.p_adjusted == pytest.approx(pair.p_adjusted, rel=0.06, abs=2e-3)


@given(seeds)
def test_turned_scores_of_the_other_direction_are_the_same(seed):
    y, score, group = cases(seed)
    one = cap.compare_groups(y, score, by=group, threshold=0.5, **CHOSEN)
    turned = {"higher_is": "negative", "threshold": -0.5}
    other = cap.compare_groups(y, -score, by=group, **turned | CHOSEN)
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert numbers_of(a) == close(numbers_of(b))
    assert rows_of(one.groups) == rows_of(other.groups)
    assert [row["roc_auc"] for row in rows_of(one.xauc)] == close(
        [row["roc_auc"] for row in rows_of(other.xauc)]
    )


@given(seeds, levels)
def test_against_one_group_others_are_compared_with_it_alone(seed, level):
    whole = compared(seed, threshold=0.5, level=level)
    found = compared(seed, threshold=0.5, level=level, against="b")
    assert [pair.name for pair in found.pairs] == ["a minus b", "c minus b"] * 3
    assert found.pair_level <= whole.pair_level + 0.01 * (1 - level)
    assert rows_of(found.groups) == rows_of(whole.groups)
    known = {(pair.metric, pair.name): pair for pair in whole.pairs}
    for pair in found.pairs:
        assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
        if twin := known.get((pair.metric, pair.name)):
            assert pair.p_value == close(twin.p_value)
            assert pair.p_adjusted <= twin.p_adjusted * 1.03 + 1e-3


def test_frequency_weights_are_rows_repeated():
    y, score, group = cases(2)
    often = np.random.default_rng(1).integers(1, 4, len(y))
    kind = {"weight": often, "weight_kind": "frequency", "threshold": 0.5, "replicates": 500}
    same(
        cap.compare_groups(y, score, by=group, **kind),
        cap.compare_groups(
            y.repeat(often),
            score.repeat(often),
            by=group.repeat(often),
            threshold=0.5,
            replicates=500,
        ),
    )


def test_a_share_cuts_where_whole_ties_of_all_cases_come_nearest():
    y, score, group = cases(7)
    found = cap.compare_groups(y, score, by=group, q=0.2, **CHOSEN)
    shares = {cut: (score >= cut).mean() for cut in score}
    nearest = min(abs(share - 0.2) for share in shares.values())
    assert abs(shares[found.threshold] - 0.2) == close(nearest)
    at_cut = cap.compare_groups(y, score, by=group, threshold=found.threshold, **CHOSEN)
    assert at_cut.pairs == found.pairs
    for row in rows_of(found.groups):
        own = group == row["group"]
        chosen = score >= found.threshold
        assert row["selected"] == close(chosen[own].mean())
        assert row["captured_response"] == close(chosen[own & (y == 1)].mean())
        assert row["false_positive_rate"] == close(chosen[own & (y == 0)].mean())
        assert row["precision"] == close(y[own & chosen].mean())
        assert row["prevalence"] == close(y[own].mean())
    text = str(found)
    assert "20" in text
    assert "fixed" in text


def test_numbers_may_be_named_by_their_other_names():
    asked = ["tpr", "fpr", "auc"]
    found = compared(1, threshold=0.5, numbers=asked)
    assert [pair.metric for pair in found.pairs] == (
        ["captured_response"] * 3 + ["false_positive_rate"] * 3 + ["roc_auc"] * 3
    )
    assert [pair.metric for pair in compared(1).pairs] == ["accuracy_ratio"] * 3
    assert set(rows_of(compared(1).groups)[0]) == {
        "group",
        "n",
        "positives",
        "prevalence",
        "accuracy_ratio",
        "low",
        "high",
    }


def test_groups_may_be_crossed():
    y, score, group = cases(1, n=200)
    age = np.where(np.arange(200) % 2, "old", "young")
    found = cap.compare_groups(y, score, by=[group, age], **CHOSEN)
    keys = list(cap.count_segments(y, score, by=[group, age]))
    assert len(rows_of(found.groups)) == len(keys) == 6
    assert len(found.pairs) == 15


def lacking(positives=0, negatives=6):
    """Return three groups, the last of few cases of a class."""
    y, score, group = cases(4)
    y = np.concatenate([y, [1] * positives, [0] * negatives])
    score = np.concatenate([score, np.linspace(-1, 2, positives + negatives)])
    return y, score, np.concatenate([group, ["few"] * (positives + negatives)])


def codes(found):
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("missing", ["positives", "negatives"])
def test_a_group_without_a_class_is_named_and_keeps_its_other_numbers(missing):
    y, score, group = lacking(*((0, 6) if missing == "positives" else (6, 0)))
    found = cap.compare_groups(y, score, by=group, threshold=0.5, **CHOSEN)
    row = next(row for row in rows_of(found.groups) if row["group"] == "few")
    lost, kept = ("captured_response", "false_positive_rate")[
        :: 1 if missing == "positives" else -1
    ]
    assert row["accuracy_ratio"] is None
    assert row[lost] is None
    assert row[kept] is not None
    gaps = [pair.metric for pair in found.pairs if "few" in pair.name]
    assert gaps == [kept] * 3
    finding = next(each for each in found.findings if each.code == "lacks_class")
    assert finding.severity == "warning"
    assert "few" in finding.message
    assert "few" in " ".join([*found.notes, finding.message])
    rest = cap.compare_groups(y, score, by=group, threshold=0.5, numbers="ar", **CHOSEN)
    assert len(rest.pairs) == 3
    assert not any(
        "few" in (row["first"], row["second"]) and row["p_value"] for row in rows_of(found.abroca)
    )
    json.dumps(found.to_dict(), allow_nan=False)
    assert str(found)


def test_one_positive_has_a_rate_and_no_gap_of_ranking():
    y, score, group = lacking(positives=1, negatives=6)
    found = cap.compare_groups(y, score, by=group, threshold=0.5, **CHOSEN)
    gaps = [pair.metric for pair in found.pairs if "few" in pair.name]
    assert gaps == ["captured_response"] * 3 + ["false_positive_rate"] * 3
    assert any("few" in note for note in found.notes)
    finding = next(each for each in found.findings if each.code == "few_cases")
    assert finding.severity == "info"
    assert "few" in finding.message


def test_rates_of_all_and_of_none_have_limits_and_no_spread():
    y, score, group = cases(4)
    for threshold in (score.min() - 1, score.max() + 1):
        found = cap.compare_groups(y, score, by=group, threshold=threshold, **CHOSEN)
        for pair in found.pairs:
            if pair.metric != "accuracy_ratio":
                assert pair.estimate == 0
                assert pair.low < 0 < pair.high
                assert pair.p_adjusted == close(1)
            assert leaves_out_0(pair) == (pair.p_adjusted <= 0.05)
        assert np.isfinite(found.pair_level)
    apart = {
        "all": cap.count_scores([1, 1, 1, 1, 0, 0, 0, 0], [9, 9, 9, 9, 9, 9, 9, 9]),
        "none": cap.count_scores([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1]),
    }
    for level in (0.8, 0.95, 0.999):
        found = cap.compare_groups(apart, threshold=5, level=level, **CHOSEN)
        for pair in found.pairs:
            assert leaves_out_0(pair) == (pair.p_adjusted <= 1 - level)
            assert np.isfinite([pair.low, pair.high, pair.p_value]).all()


def test_a_constant_score_in_a_group_has_half_an_auc():
    y, score, group = cases(4)
    score = np.where(group == "b", 0.0, score)
    found = cap.compare_groups(y, score, by=group, metric="auc", **CHOSEN)
    row = next(row for row in rows_of(found.groups) if row["group"] == "b")
    assert row["roc_auc"] == 0.5
    alone = cap.confidence_interval(
        cap.count_scores(y[group == "b"], score[group == "b"]), "roc_auc"
    )
    assert (row["low"], row["high"]) == close((alone.low, alone.high))


@pytest.mark.parametrize("kind", ["clusters", "sampling", "exposure"])
def test_labels_are_not_dealt_where_rows_are_no_cases(kind):
    y, score, group = cases(5, n=120)
    weight = np.random.default_rng(2).uniform(1, 2, 120)
    rows_ = {"weight": weight, "weight_kind": kind}
    if kind == "clusters":
        rows_ = {"cluster": np.arange(120) // 3}
    found = cap.compare_groups(y, score, by=group, threshold=0.5, **rows_ | CHOSEN)
    for row in rows_of(found.abroca):
        assert row["abroca"] > 0
        assert row["p_value"] is None
        assert row.get("p_adjusted") is None
    words = "rows are clustered; labels cannot be dealt" if kind == "clusters" else "weight"
    assert any(words in note for note in found.notes)
    assert "ABROCA" in " ".join(found.notes)
    json.dumps(found.to_dict(), allow_nan=False)


def test_rows_without_a_group_are_one_of_their_own():
    y, score, group = cases(5)
    group = [None if each == "b" else str(each) for each in group]
    found = cap.compare_groups(y, score, by=group, **CHOSEN)
    assert len(found.pairs) == 3
    assert "no_group" in codes(found)
    assert next(f for f in found.findings if f.code == "no_group").severity == "info"


def test_levels_that_differ_without_rankings_that_do_are_found():
    rng = np.random.default_rng(1)
    n = 3000
    y = np.tile([1, 0, 0, 0], n // 4)
    group = np.repeat(["men", "women"], n // 2)
    score = np.round(rng.normal(size=n) + 1.5 * y - 0.8 * (group == "women"), 2)
    found = cap.compare_groups(y, score, by=group, metric="auc", numbers=["auc", "xauc"], **CHOSEN)
    by_metric = {pair.metric: pair for pair in found.pairs}
    assert by_metric["xauc"].p_adjusted < 0.001
    assert by_metric["roc_auc"].p_adjusted > 0.05
    finding = next(each for each in found.findings if each.code == "levels_differ")
    assert finding.severity == "info"
    assert re.search(r"women.*lower given the outcome", finding.message)
    level = cap.compare_groups(
        y, score + 0.8 * (group == "women"), by=group, numbers=["auc", "xauc"], **CHOSEN
    )
    assert "levels_differ" not in codes(level)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"threshold": 0.5, "q": 0.1}, ["threshold", "q"]),
        ({"numbers": "tpr"}, ["threshold", "q"]),
        ({"numbers": ["auc", "fpr"]}, ["threshold", "q"]),
        ({"against": "z"}, ["against", "z", "a, b, c"]),
        ({"numbers": ["auc", "ks"]}, ["numbers", "ks"]),
        ({"metric": "ks"}, ["metric", "ks"]),
        ({"q": 1.5}, ["q", "1.5"]),
        ({"q": 0}, ["q", "0"]),
        ({"level": 1}, ["level", "1"]),
        ({"replicates": 0}, ["replicates", "0"]),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(asked, words):
    y, score, group = cases(1)
    with pytest.raises(ValueError, match=r".") as refused:
        cap.compare_groups(y, score, by=group, **asked)
    message = str(refused.value)
    assert all(word in message for word in words)
    assert "\n" not in message


def test_one_group_is_refused():
    y, score, _ = cases(1)
    with pytest.raises(ValueError, match=re.escape("needs at least two groups; there is 1 (all)")):
        cap.compare_groups(y, score, by=["all"] * len(y))


def test_only_positives_and_negatives_are_compared():
    y, score, group = cases(1)
    amounts = cap.count_value_segments(y * 2.5, score, by=group)
    times = cap.count_time_segments(np.arange(1, len(y) + 1), y, score, by=group)
    at_horizon = {name: each.at(9) for name, each in times.items()}
    for segments in (amounts, times, at_horizon):
        with pytest.raises((TypeError, ValueError), match="positives and negatives only"):
            cap.compare_groups(segments)


def test_many_groups_are_shown_by_their_largest_gaps():
    y, score, group = cases(1, names=tuple(f"g{i:02d}" for i in range(13)), n=800)
    found = cap.compare_groups(y, score, by=group, **CHOSEN)
    assert len(found.pairs) == 78
    text = str(found)
    assert "78" in text
    listed = set(re.findall(r"g\d\d minus g\d\d", text))
    assert len(listed) == 5
    largest = sorted(found.pairs, key=lambda pair: -abs(pair.estimate))[:5]
    assert {pair.name for pair in largest} == listed
    assert len(found.to_frame("polars")) == 78


def test_more_than_60_groups_are_refused_unless_asked_for():
    names = tuple(f"g{i:02d}" for i in range(61))
    y, score, group = cases(1, names=names, n=700)
    segments = cap.count_segments(y, score, by=group)
    with pytest.raises(ValueError, match="all_segments"):
        cap.compare_groups(segments)
    found = cap.compare_groups(segments, all_segments=True, against="g00", **CHOSEN)
    assert len(found.pairs) == 60


def test_json_has_every_table():
    found = compared(3, threshold=0.5)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert saved["pair_level"] == found.pair_level
    for table in ("groups", "xauc", "abroca"):
        assert saved[table] == rows_of(getattr(found, table))
    assert [pair["p_adjusted"] for pair in saved["pairs"]] == [p.p_adjusted for p in found.pairs]
    assert (saved["level"], saved["threshold"]) == (0.95, 0.5)


VERDICTS = ("fair", "unfair", "bias", "biased", "discriminate", "discriminates", "passes", "80%")


@pytest.mark.parametrize("seed", range(4))
def test_no_text_is_a_verdict(seed):
    found = compared(seed, threshold=0.5, numbers=["ar", "tpr", "fpr", "xauc"])
    texts = [str(found), found.to_markdown(), json.dumps(found.to_dict()), found.to_html()]
    texts.append(cap.compare_groups.__doc__)
    for text, word in itertools.product(texts, VERDICTS[:-1]):
        assert not re.search(rf"\b{word}\b", text, re.IGNORECASE)
    said = str(found)
    assert "80% rule" not in said
    assert "Holm" not in said
    assert not re.search(r"significan", said)
    assert "chance" in said
    assert re.search(r"shown to (differ|be alike)", said)


def test_a_text_says_gaps_family_cutoff_and_chance():
    rng = np.random.default_rng(3)
    n = 2000
    group = np.where(rng.random(n) < 0.6, "men", "women")
    y = (rng.random(n) < 0.3).astype(int)
    score = np.round(rng.normal(size=n) + y * np.where(group == "men", 2.0, 0.5), 1)
    found = cap.compare_groups(y, score, by=group, threshold=1.0, metric="auc", replicates=200)
    text = str(found)
    assert re.search(r"AUC by group: 0\.\d{3} men, 0\.\d{3} women\.", text)
    assert "Men minus women" in text
    assert "3 gaps" in text
    assert "points" in text
    assert "False positive rate" in text or "false positive rate" in text
    assert re.search(r"largest difference in AUC that these limits allow is 0\.\d+", text)
    assert re.search(r"ABROCA 0\.\d{3};.*chance alone gives 0\.\d+ on average", text)
    assert [leaves_out_0(gap) for gap in found.pairs[:2]] == [True, True]
    bound = max(max(abs(p.low), abs(p.high)) for p in found.pairs if p.metric == "roc_auc")
    assert f"{bound:.3f}" in text


def test_groups_of_which_nothing_is_shown_are_not_called_alike():
    found = compared(2, names=("a", "b", "c", "d"), level=0.999)
    assert all(pair.p_adjusted > 0.001 for pair in found.pairs)
    text = str(found)
    assert "No gap between 4 groups is shown" in text
    assert "compatible with these cases" in text
    assert not re.search(r"\b(equal|same AUC|tied)\b", text)


INTERVAL = re.compile(r"\[([−+-]?[\d.]+), ([−+-]?[\d.]+)\]")


def printed(number):
    return float(number.replace("−", "-").replace("+", ""))


@pytest.mark.parametrize("hair", [1e-4, -1e-4])
def test_no_digit_contradicts_what_is_shown(hair):
    """Where a limit would round onto 0, it is printed with more digits."""
    usual = compared(5, threshold=0.6)
    place, pair = next((i, p) for i, p in enumerate(usual.pairs) if 0.005 < p.p_adjusted < 0.6)
    level = 1 - pair.p_adjusted * (1 + hair)
    found = compared(5, threshold=0.6, level=level)
    gap = found.pairs[place]
    assert leaves_out_0(gap) == (hair > 0)
    table = [line for line in str(found).splitlines() if re.search(r"  [abc] minus [abc]  ", line)]
    row = table[place]
    assert gap.name in row
    low, high = map(printed, INTERVAL.search(row).groups())
    assert (low > 0 or high < 0) == (hair > 0)
