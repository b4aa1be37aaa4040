"""Scores on the same rows: DeLong's test, its contrasts, margins, and where nothing differs."""

import functools
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import capcurve as cap
from capcurve.inference import Test, test_against_initial
from capcurve.inference.differences import holm
from capcurve.inference.variances import auc_variance, metric_estimates

# In AUC, as the independent numbers are.
compare = functools.partial(cap.compare, metric="roc_auc")


def close(value, rel=1e-11):
    return pytest.approx(float(value), rel=rel, abs=1e-14)


@st.composite
def joints(draw, scores=2, least=2):
    """Draw labels and tied scores on the same rows, at least two of each class."""
    rows = st.tuples(st.integers(0, 1), *[st.integers(0, 5)] * scores)
    found = draw(st.lists(rows, max_size=14))
    for label in (0, 1):
        found += [(label, *draw(st.tuples(*[st.integers(0, 5)] * scores))) for _ in range(least)]
    columns = np.array(found).T
    return columns[0], {f"s{i}": column for i, column in enumerate(columns[1:])}


def placements(y, s):
    """V10 of every positive and V01 of every negative, from all pairs."""
    pairs = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    return pairs.mean(axis=1), pairs.mean(axis=0)


@given(joints(scores=3))
def test_covariance_is_delongs_from_all_pairs(data):
    y, scores = data
    found = compare(cap.count_joint(y, scores))
    placed = [placements(y, s) for s in scores.values()]
    n1, n0 = (y == 1).sum(), (y == 0).sum()
    expected = np.cov([p for p, _ in placed]) / n1 + np.cov([n for _, n in placed]) / n0
    assert np.allclose(found.covariance, expected, rtol=1e-11, atol=1e-14)
    assert np.allclose(
        found.covariance, metric_estimates(cap.count_joint(y, scores)).covariance(), atol=1e-15
    )
    assert found.estimates == tuple(cap.roc_auc(cap.count_scores(y, s)) for s in scores.values())


@given(joints())
def test_a_pair_is_the_difference_over_its_standard_error(data):
    y, scores = data
    pair = compare(cap.count_joint(y, scores)).pairs[0]
    (p0, n0), (p1, n1) = (placements(y, s) for s in scores.values())
    variance = np.var(p0 - p1, ddof=1) / len(p0) + np.var(n0 - n1, ddof=1) / len(n0)
    assert pair.estimate == close(p0.mean() - p1.mean())
    if variance > 1e-12:
        assert pair.se == close(math.sqrt(variance))
        assert pair.statistic == close(pair.estimate / pair.se)
        assert pair.df == min(len(p0), len(n0)) - 1
        assert pair.p_value == close(2 * stats.t.sf(abs(pair.statistic), pair.df), rel=1e-9)
        usual = compare(cap.count_joint(y, scores), law="normal").pairs[0]
        assert usual.p_value == close(2 * stats.norm.sf(abs(pair.statistic)), rel=1e-9)
        assert usual.df is None
    assert 0 <= pair.p_value <= 1
    assert -1 <= pair.low <= pair.estimate <= pair.high <= 1


@given(joints(scores=1))
def test_equal_rankings_differ_in_nothing(data):
    y, scores = data
    (s,) = scores.values()
    joint = cap.count_joint(y, {"a": s, "b": np.exp(s) - 7.0})
    found = compare(joint)
    assert (found.pairs[0].estimate, found.pairs[0].se, found.pairs[0].p_value) == (0, 0, 1)
    assert found.p_value == 1
    assert any("identically" in note for note in found.pairs[0].notes)
    three = compare(cap.count_joint(y, {"a": s, "b": 3 * s, "c": s + 0.5}))
    assert (three.p_value, three.overall.statistic, three.overall.df) == (1, 0, 0)


def test_equal_placements_are_equal_rankings():
    # The scores break a tie of two negatives differently: no pair with a positive changes.
    joint = cap.count_joint([1, 1, 0, 0, 0], {"a": [5, 3, 4, 2, 2], "b": [5, 3, 4, 2, 1]})
    assert compare(joint).pairs[0].p_value == 1


def test_a_difference_without_spread_is_not_certain():
    y = [1] * 3 + [0] * 4
    found = compare(cap.count_joint(y, {"perfect": y, "constant": [0] * 7}))
    pair = found.pairs[0]
    assert pair.estimate == 0.5
    assert 0.01 < pair.p_value < 0.5
    assert any("no spread" in note for note in pair.notes)
    many = [1] * 300 + [0] * 400
    sure = compare(cap.count_joint(many, {"perfect": many, "constant": [0] * 700}))
    assert sure.p_value < 1e-6
    three = compare(cap.count_joint(y, {"perfect": y, "constant": [0] * 7, "other": [1] * 7}))
    assert 0.01 < three.p_value < 0.9
    assert any("no spread" in note for note in three.overall.notes)


@pytest.fixture
def joint():
    rng = np.random.default_rng(5)
    y = (rng.random(300) < 0.3).astype(int)
    base = rng.normal(size=300)
    scores = {
        name: np.round(base + 0.8 * rng.normal(size=300) + shift * y, 1)
        for name, shift in (("new", 1.5), ("old", 1.0), ("third", 0.8))
    }
    return cap.count_joint(y, scores)


@pytest.fixture
def two(joint):
    return cap.JointCounts(
        joint.names[:2],
        joint.scores[:2],
        joint.positives,
        joint.negatives,
        joint.higher_is[:2],
        joint.levels[:2],
    )


def test_two_scores_have_one_test(two):
    found = compare(two)
    assert found.overall == found.pairs[0]
    assert found.pairs[0].p_adjusted is None
    as_contrast = compare(two, contrast=[1, -1]).overall
    assert as_contrast.statistic == close(found.pairs[0].statistic ** 2)
    assert as_contrast.p_value == close(found.p_value, rel=1e-9)
    assert as_contrast.df == 1


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"metric": "roc_auc"},
        {"metric": "lift", "q": 0.3},
        {"metric": "captured_response", "q": 0.3},
    ],
)
def test_a_reversed_score_is_not_silent(asked):
    y = [1, 0, 0] * 60
    good, chance = (
        [10 * each + i % 7 for i, each in enumerate(y)],
        [i * 37 % 101 for i in range(180)],
    )
    scores = {"good": good, "turned": [-each for each in good], "chance": chance}
    notes = [n for n in cap.compare(y, scores, **asked).presentation().notes if "random" in n]
    assert [note.split()[0] for note in notes] == ["turned"]
    assert "higher_is" in notes[0]


def test_swapping_scores_changes_the_sign_only(two):
    swapped = cap.JointCounts(
        two.names[::-1],
        two.scores[::-1],
        two.positives,
        two.negatives,
        two.higher_is,
        two.levels,
    )
    one, other = compare(two).pairs[0], compare(swapped).pairs[0]
    assert (one.name, other.name) == ("new minus old", "old minus new")
    assert (other.estimate, other.statistic) == (-one.estimate, -one.statistic)
    assert (other.low, other.high) == (-one.high, -one.low)
    assert other.p_value == one.p_value


def test_accuracy_ratios_differ_twice_as_much(joint):
    area, ratio = compare(joint), compare(joint, metric="accuracy_ratio")
    for a, r in zip(area.pairs, ratio.pairs, strict=True):
        for key in ("estimate", "se", "low", "high"):
            assert getattr(r, key) == close(2 * getattr(a, key))
        assert (r.statistic, r.p_value) == (close(a.statistic), close(a.p_value))
        assert (a.metric, r.metric) == ("roc_auc", "accuracy_ratio")
    assert ratio.estimates == tuple(2 * value - 1 for value in area.estimates)
    assert np.allclose(ratio.covariance, 4 * np.array(area.covariance), rtol=1e-12)
    assert ratio.p_value == close(area.p_value)
    assert ratio.overall.estimates["row 1"] == close(2 * area.overall.estimates["row 1"])


def test_limits_are_a_quantile_of_the_law_away(two):
    laws = {"t": stats.t(two.n1 - 1), "normal": stats.norm}
    for level, (law, named) in itertools.product((0.9, 0.99), laws.items()):
        pair = compare(two, level=level, law=law).pairs[0]
        half = named.ppf((1 + level) / 2) * pair.se
        assert (pair.low, pair.high) == (close(pair.estimate - half), close(pair.estimate + half))
        assert pair.level == level


def test_few_positives_give_the_few_degrees_of_freedom_that_they_have():
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [5, 60])
    joint = cap.count_joint(y, {name: y + rng.normal(size=65) for name in ("new", "old", "third")})
    found = compare(joint)
    assert [pair.df for pair in found.pairs] == [4, 4, 4]
    assert found.pairs[0].method == "DeLong, same rows, t(4)"
    # Hotelling's T² of two differences with 4 degrees of freedom: 3/(4·2)·Q is F(2, 3).
    overall = found.overall
    assert overall.p_value == close(stats.f.sf(3 / 8 * overall.statistic, 2, 3), 1e-9)
    usual = compare(joint, law="normal").overall
    assert usual.p_value == close(stats.chi2.sf(overall.statistic, 2), 1e-9)
    for pair in found.pairs:
        assert pair.p_value < pair.p_adjusted < 3 * pair.p_value


@pytest.mark.parametrize("metric", ["roc_auc", "accuracy_ratio"])
def test_margins_move_what_is_tested(two, metric):
    margin = 0.03
    plain = compare(two, metric=metric).pairs[0]
    d, se = plain.estimate, plain.se
    law = stats.t(plain.df)
    expected = {
        ("superior", None): law.sf(d / se),
        ("superior", margin): law.sf((d - margin) / se),
        ("inferior", None): law.cdf(d / se),
        ("inferior", margin): law.cdf((d + margin) / se),
        ("non-inferior", margin): law.sf((d + margin) / se),
        ("equivalent", margin): max(law.sf((d + margin) / se), law.cdf((d - margin) / se)),
        ("equivalent", 0.3): max(law.sf((d + 0.3) / se), law.cdf((d - 0.3) / se)),
    }
    for (alternative, given_margin), p in expected.items():
        found = compare(two, metric=metric, alternative=alternative, margin=given_margin).pairs[0]
        assert found.p_value == close(p, rel=1e-9)
        assert found.alternative == alternative
        assert (found.low, found.high) == (plain.low, plain.high)


def test_non_inferior_is_what_the_interval_says(two):
    # One-sided at 2.5% rejects just when the two-sided 95% limit lies above minus the margin.
    low = compare(two).pairs[0].low
    for margin in (abs(low) * 0.99, abs(low) * 1.01):
        found = compare(two, alternative="non-inferior", margin=margin).pairs[0]
        assert (found.p_value < 0.025) == (low > -margin)


def test_equal_rankings_are_equivalent_and_never_superior():
    joint = cap.count_joint([1, 1, 0, 0], {"a": [4, 2, 3, 1], "b": [40, 20, 30, 10]})
    p = {
        (alternative, margin): compare(joint, alternative=alternative, margin=margin).p_value
        for alternative, margin in (
            ("superior", None),
            ("superior", 0.1),
            ("inferior", None),
            ("non-inferior", 0.1),
            ("equivalent", 0.1),
        )
    }
    assert [p[key] for key in p] == [1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"margin": 0.1}, "needs a direction"),
        ({"alternative": "non-inferior"}, "needs a margin"),
        ({"alternative": "equivalent", "margin": 0}, "needs a margin"),
        ({"alternative": "superior", "margin": -0.1}, "zero or more"),
        ({"alternative": "better"}, "must be one of"),
        ({"metric": "ks"}, "metric"),
        ({"law": "welch"}, 'law must be "t" or "normal"'),
        ({"level": 95}, "level"),
        ({"level": None}, "level"),
        ({"contrast": [1, -1]}, "3 columns"),
        ({"contrast": [1, 1, -1]}, "add up to 1"),
        ({"contrast": [[1, -1, 0], [0, 0, 0]]}, "not all zero"),
        ({"contrast": [1, -1, np.nan]}, "finite"),
    ],
)
def test_questions_without_sense_are_refused(joint, words, message):
    with pytest.raises(ValueError, match=message):
        compare(joint, **words)


def test_one_score_cannot_be_compared():
    with pytest.raises(ValueError, match="at least two scores"):
        compare(cap.count_joint([1, 1, 0, 0], {"a": [4, 2, 3, 1]}))
    with pytest.raises(ValueError, match="at least two positives"):
        compare(cap.count_joint([1, 0, 0], {"a": [4, 2, 3], "b": [1, 2, 3]}))


def test_all_contrasts_that_say_equal_agree(joint):
    base = compare(joint).overall
    assert base.df == 2
    for rows in (
        [[1, -1, 0], [0, 1, -1]],
        [[1, 0, -1], [0, 2, -2]],
        [[1, -1, 0], [0, 1, -1], [1, 0, -1]],
        [[1, -0.5, -0.5], [0, 1, -1]],
    ):
        found = compare(joint, contrast=rows).overall
        assert (found.statistic, found.df) == (close(base.statistic, 1e-9), 2)
        assert found.p_value == close(base.p_value, 1e-9)
    freedom = joint.n1 - 1
    form = base.statistic * (freedom - 1) / (2 * freedom)
    assert base.p_value == close(stats.f.sf(form, 2, freedom - 1), 1e-9)


def test_a_repeated_score_costs_no_degree_of_freedom(two):
    names = ("a", "b", "again")
    scores = (two.scores[0], two.scores[1], 2 * two.scores[0] - 5)
    three = cap.JointCounts(
        names, scores, two.positives, two.negatives, ("positive",) * 3, (None,) * 3
    )
    found = compare(three)
    assert found.overall.df == 1
    assert found.overall.statistic == close(compare(two).pairs[0].statistic ** 2, 1e-9)
    mean = compare(three, contrast=[0.5, -1, 0.5]).overall
    assert mean.statistic == close(found.overall.statistic, 1e-9)


def test_holm_multiplies_the_smallest_by_all():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


def test_many_pairs_are_adjusted(joint):
    found = compare(joint)
    for pair in found.pairs:
        assert pair.p_value < pair.p_adjusted < 3 * pair.p_value
    assert "p_adjusted" in found.table.columns
    assert [p.name for p in found.pairs] == ["new minus old", "new minus third", "old minus third"]


def test_frequency_weights_are_repetition():
    y, a, b, w = [1, 1, 0, 0, 1], [5, 3, 4, 1, 2], [5, 2, 1, 4, 3], [1, 3, 2, 2, 1]
    weighted = cap.count_joint(y, {"a": a, "b": b}, weight=w, weight_kind="frequency")
    repeated = cap.count_joint(np.repeat(y, w), {"a": np.repeat(a, w), "b": np.repeat(b, w)})
    assert compare(weighted) == compare(repeated)


def test_sampling_weights_take_the_robust_covariance():
    y = np.array([1, 1, 0, 0, 1])
    a, b = np.array([5, 3, 4, 1, 2]), np.array([5, 2, 1, 4, 3])
    w = np.array([1.0, 2.5, 1.5, 2.0, 0.5])
    joint = cap.count_joint(y, {"a": a, "b": b}, weight=w, weight_kind="sampling")
    w1, w0 = w[y == 1] / w[y == 1].sum(), w[y == 0] / w[y == 0].sum()
    moved = []
    for s in (a, b):
        pairs = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        area = w1 @ pairs @ w0
        moved.append((pairs @ w0 - area, w1 @ pairs - area))
    (p0, n0), (p1, n1) = moved
    variance = (w1**2 * (p0 - p1) ** 2).sum() + (w0**2 * (n0 - n1) ** 2).sum()
    assert compare(joint).pairs[0].se == close(math.sqrt(variance))
    same = cap.count_joint(y, {"a": a, "b": a * 2}, weight=w, weight_kind="sampling")
    assert compare(same).p_value == 1
    unsaid = cap.count_joint(y, {"a": a, "b": b}, weight=w)
    with pytest.raises(ValueError, match="weight_kind"):
        compare(unsaid)


def test_a_pair_far_apart_in_few_cases_keeps_its_limits_in_range():
    y = [1, 1, 1, 0, 0, 0]
    joint = cap.count_joint(y, {"up": [6, 5, 3, 4, 2, 1], "down": [1, 2, 4, 3, 5, 6]})
    pair = compare(joint, level=0.999).pairs[0]
    assert pair.high == 1
    assert any("limit" in note for note in pair.notes)
    assert any("fewer than 50" in note for note in pair.notes)


def test_the_row_order_never_matters():
    rng = np.random.default_rng(0)
    y, a, b = rng.integers(0, 2, 60), rng.integers(0, 9, 60), rng.integers(0, 9, 60)
    order = rng.permutation(60)
    one = compare(cap.count_joint(y, {"a": a, "b": b}))
    other = compare(cap.count_joint(y[order], {"a": a[order], "b": b[order]}))
    assert one == other


def test_low_scores_may_be_the_likely_ones(two):
    turned = cap.JointCounts(
        two.names,
        (two.scores[0], -two.scores[1]),
        two.positives,
        two.negatives,
        ("positive", "negative"),
        two.levels,
    )
    assert compare(turned).pairs[0].statistic == close(compare(two).pairs[0].statistic)


def test_a_comparison_is_plain_json(joint):
    found = compare(joint, alternative="non-inferior", margin=0.02)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["names"] == ["new", "old", "third"]
    assert written["pairs"][0]["p_value"] == found.pairs[0].p_value
    assert written["overall"]["df"] == 2
    assert "Hotelling F(2, " in repr(found)
    assert "chi-square(2)" in repr(compare(joint, law="normal"))


def test_importing_the_names_collects_no_tests():
    assert Test.__test__ is False
    assert test_against_initial.__test__ is False


def test_unweighted_variance_of_each_score_is_on_the_diagonal(joint):
    found = compare(joint)
    for i, name in enumerate(joint.names):
        assert found.covariance[i][i] == close(auc_variance(joint.margin(name)))


def test_cells_of_a_million_million_do_not_overflow():
    scores = {"a": [3, 3, 2, 2, 1, 1], "b": [3, 2, 3, 1, 2, 1]}
    y = [1, 0, 1, 0, 1, 0]
    found = []
    for cases in (10**4, 10**12):
        weight = [5 * cases, 2 * cases, 3 * cases, 6 * cases, cases, 7 * cases]
        joint = cap.count_joint(y, scores, weight=weight, weight_kind="frequency")
        found.append(compare(joint))
    small, large = found
    assert large.estimates == tuple(close(auc) for auc in small.estimates)
    assert large.pairs[0].se * 1e4 == pytest.approx(small.pairs[0].se, rel=1e-3)
    assert large.pairs[0].statistic == pytest.approx(1e4 * small.pairs[0].statistic, rel=1e-3)
    one = test_against_initial(joint.margin("a"), initial=large.estimates[0] + 1e-6)
    assert one.statistic == pytest.approx(1e-6 / auc_variance(joint.margin("a")) ** 0.5, rel=1e-6)


def test_counts_of_one_score_are_refused():
    counts = cap.count_scores([1, 1, 0, 0], [4, 3, 2, 1])
    with pytest.raises(TypeError, match=r"got ScoreCounts: write compare\(y, \[p1, p2\]\)"):
        cap.compare(counts)


@pytest.mark.parametrize(
    ("alternative", "margin", "expected"),
    [
        ("two-sided", None, []),
        ("superior", None, []),
        ("superior", 0.1, [0.1]),
        ("inferior", 0.1, [-0.1]),
        ("non-inferior", 0.1, [-0.1]),
        ("equivalent", 0.1, [-0.1, 0.1]),
    ],
)
def test_a_picture_has_the_margin_on_the_side_that_is_tested(two, alternative, margin, expected):
    chart, *own = compare(two, alternative=alternative, margin=margin).presentation().charts
    drawn = [line for line in chart.lines if line.label.startswith("Margin of")]
    assert [line.x[0] for line in drawn] == expected
    assert {line.label for line in drawn} <= {"Margin of 0.1 AUC"}
    low, high = chart.x.ends
    assert all(low < place < high for place in expected)
    assert len(own) == (margin is not None)  # without a margin there is nothing to compare with


@pytest.mark.parametrize("how", ["plain", "weighted", "clustered"])
@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc", "average_precision"])
def test_each_score_has_the_interval_that_it_has_alone_and_the_best_comes_first(how, metric):
    rng = np.random.default_rng(4)
    y = rng.random(900) < 0.4
    scores = {"weak": y + 3 * rng.normal(size=900), "good": y + rng.normal(size=900)}
    scores["poor"] = y + 9 * rng.normal(size=900)
    weights = {"weight": rng.integers(1, 4, 900).astype(float), "weight_kind": "sampling"}
    clusters = {"cluster": np.arange(900) // 3}
    asked = {"plain": {}, "weighted": weights, "clustered": clusters}[how]
    joint = cap.count_joint(y, scores, **asked)
    found = compare(joint, metric=metric)
    for name, own in zip(found.names, found.alone, strict=True):
        known = cap.confidence_interval(joint.margin(name), metric)
        numbers = known.low, known.estimate, known.high
        assert (own.low, own.estimate, own.high) == pytest.approx(numbers, rel=1e-14)
    shown = found.presentation()
    values = [figure.value for figure in shown.figures]
    assert values == sorted(found.estimates, reverse=True)
    assert shown.sentences[0].startswith("good ranks best: ")
    (chart,) = shown.charts
    assert chart.scores.names[0] == "good"
    (dots,) = (line for line in chart.lines if line.marker)
    assert dots.y.tolist() == pytest.approx(values, rel=1e-14)


def test_of_errors_the_smallest_is_best_and_below_the_next():
    rng = np.random.default_rng(5)
    p = rng.beta(2, 5, 3000)
    y = rng.random(3000) < p
    pds = {"flat": np.full(3000, y.mean()), "right": p, "wrong": 1 - p}
    shown = compare(cap.count_joint(y, pds), metric="brier_score").presentation()
    assert shown.sentences[0].startswith("right is best: Brier 0.")
    assert " shown to be worse, the nearest, flat, by 0.0" in shown.sentences[0]
    assert shown.figures[0].label == "Brier of right"


def captured_by_hand(y, score, weight, q):
    """The share of positive weight in the top share q, ties in proportion."""
    left, captured = q * weight.sum(), 0.0
    for grade in np.unique(score)[::-1]:
        here = score == grade
        part = min(left / weight[here].sum(), 1.0)
        captured += part * weight[here & (y == 1)].sum()
        left -= part * weight[here].sum()
    return captured / weight[y == 1].sum()


def test_shares_captured_differ_by_what_each_row_moves_both():
    rng = np.random.default_rng(8)
    y = (rng.random(400) < 0.3).astype(int)
    scores = {name: np.round(rng.normal(size=400) + y).clip(-1, 2) for name in ("new", "old")}
    joint, q, step = cap.count_joint(y, scores), 0.25, 1e-6
    moved = []
    for row in range(400):
        weight = np.ones(400)
        ends = []
        for way in (step, -step):
            weight[row] = 1 + way
            new, old = (captured_by_hand(y, scores[each], weight, q) for each in ("new", "old"))
            ends.append(new - old)
        moved.append((ends[0] - ends[1]) / (2 * step))
    moved, n1 = np.array(moved), y.sum()
    variance = (moved[y == 1] ** 2).sum() * n1 / (n1 - 1)
    variance += (moved[y == 0] ** 2).sum() * (400 - n1) / (399 - n1)
    found = cap.compare(joint, metric="captured_response", q=q)
    (pair,) = found.pairs
    each = [cap.captured_response(joint.margin(name), q) for name in ("new", "old")]
    assert found.estimates == pytest.approx(each, abs=1e-12)
    assert pair.estimate == pytest.approx(each[0] - each[1], abs=1e-12)
    assert pair.se**2 == pytest.approx(variance, rel=1e-6)
    lifts = cap.compare(joint, metric="lift", q=q).pairs[0]
    assert lifts.estimate == pytest.approx(pair.estimate / q)
    assert (lifts.low, lifts.high) == pytest.approx((pair.low / q, pair.high / q))
    assert lifts.p_value == pytest.approx(pair.p_value)
    assert "captured at the top 25%" in found.presentation().sentences[0]


def test_a_share_is_named_where_it_is_needed_and_nowhere_else():
    joint = cap.count_joint([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})
    for asked, why in (
        ({"metric": "lift"}, r'metric="lift" needs q='),
        ({"q": 0.1}, 'q= is not used by metric="accuracy_ratio"'),
        ({"metric": "captured_response", "q": 2}, "q must be between 0 and 1"),
        ({"metric": "lift", "q": 0.3, "coverage": 0.5}, r'coverage= is not used by metric="lift"'),
        ({"metric": "net_benefit"}, r'metric="net_benefit" needs threshold='),
        ({"metric": "profit", "q": 0.3}, "metric must be one of"),
    ):
        with pytest.raises(ValueError, match=why):
            cap.compare(joint, **asked)
    with pytest.raises(ValueError, match="metric must be one of"):
        cap.compare_independent(joint.margin("a"), joint.margin("b"), metric="lift")
