"""Intervals, comparisons and leaving out clusters, beside exact influences and brute force."""

import math

import amount_strategies as some
import numpy as np
import pytest
from exact_amounts import NO_ERROR, Difference, Exact, quantile
from hypothesis import assume, example, given, settings, strategies as st
from scipy import stats
from scipy.special import stdtr, stdtrit

import capcurve as cap
from capcurve.input.arrays import cluster_groups
from capcurve.input.columns import as_column
from capcurve.numbers import threads

levels = st.sampled_from([0.95, 0.8, 0.99])


def limits(found):
    return found.low, found.high


def near(expected, of=0.0, most=1.0):
    """Return what limits of a number agree with, whose float keeps few digits of a small lack."""
    lack = 1 - abs(of) / most
    return pytest.approx(expected, rel=1e-9, abs=1e-9 + (1e-13 / lack if lack > 0 else 0.0))


def alike(se):
    """Return what a standard error agrees with; one row with an amount has none."""
    return None if se is None else pytest.approx(se, rel=1e-9, abs=1e-12)


def several_amounts(rows):
    """Say whether rows differ in more than whether they hold something."""
    held = {float(a) for a in rows.amount if a}
    return len(held) > 1 or (rows.exposure is not None and len(set(rows.exposure.tolist())) > 1)


def agrees(found, spread, expected):
    """Say that an interval has the estimate, standard error and limits of the definitions."""
    assert found.estimate == pytest.approx(float(spread.estimate), rel=1e-12, abs=1e-13)
    assert found.se == pytest.approx(spread.se, rel=1e-9, abs=1e-9)
    assert limits(found) == near(expected, found.estimate)
    assert found.low <= found.estimate <= found.high


@some.few
@given(some.rows(each=2, unlike=True), some.directions, levels)
def test_the_accuracy_ratio(rows, higher_is, level):
    exact = rows.exact(higher_is)
    values = rows.count(higher_is=higher_is)
    found = cap.confidence_interval(values, "accuracy_ratio", level=level)
    agrees(found, exact.of_ratio, exact.ratio_limits(level))


@pytest.mark.turns(2)
@pytest.mark.parametrize("digits", [2, 16])
def test_the_accuracy_ratio_of_rows_that_several_threads_share(monkeypatch, digits):
    monkeypatch.setattr(threads, "processors", lambda: 3)
    rng = np.random.default_rng(4)
    n = threads.WORTH_A_THREAD + 12_345
    amount, score = rng.lognormal(size=n), np.round(rng.normal(size=n), digits)

    def gained(key):
        """Return by how much each row moves twice the area of an order when it weighs more."""
        place = np.unique(-key, return_inverse=True)[1]
        held, rows = np.bincount(place, weights=amount), np.bincount(place)
        y, x = np.cumsum(held) - held / 2, np.cumsum(rows) - rows / 2
        return amount * (n - 2 * x[place]) - (amount.sum() - 2 * y[place])

    own, best = gained(score), gained(amount)
    ratio = own.sum() / best.sum()
    moved = (own - ratio * best) / (best.sum() / 2)
    squares = (moved**2).sum()
    freedom = 2 / ((moved**4).sum() / squares**2 - 1 / n)
    freedom = min(freedom, amount.sum() ** 2 / (amount**2).sum() - 1)
    se = np.sqrt(squares * n / (n - 1))
    found = cap.confidence_interval(
        cap.count_values(amount, score), "accuracy_ratio", method="wald"
    )
    half = stdtrit(freedom, 0.975) * se
    assert (found.estimate, found.se) == (near(ratio), pytest.approx(se, rel=1e-9))
    assert found.high - found.low == pytest.approx(2 * half, rel=1e-9)


def test_no_limit_is_nearer_to_a_perfect_ranking_than_with_unseen_rows():
    """Forty rows ranked all but perfectly show next to no spread."""
    rng = np.random.default_rng(2)
    amount = np.round(rng.gamma(3, 10, 40))
    score = np.round(amount + rng.normal(size=40))
    exact, values = Exact.of(amount.tolist(), score.tolist()), cap.count_values(amount, score)
    moved = quantile(0.95, exact.of_ratio.df) * exact.of_ratio.se
    assert 0.98 < exact.accuracy_ratio < 1
    found = cap.confidence_interval(values, "accuracy_ratio")
    assert found.low < float(exact.accuracy_ratio) - 2 * moved
    assert limits(found) == near(exact.ratio_limits())
    turned = cap.count_values(amount, score, higher_is="negative")
    index = cap.confidence_interval(turned, "concentration_index")
    expected = Exact.of(amount.tolist(), score.tolist(), higher_is="negative")
    assert limits(index) == near(expected.index_limits())


@some.few
@given(some.rows(each=2, unlike=True), some.directions, levels)
def test_the_concentration_index(rows, higher_is, level):
    exact = rows.exact(higher_is)
    values = rows.count(higher_is=higher_is)
    found = cap.confidence_interval(values, "concentration_index", level=level)
    agrees(found, exact.of_index, exact.index_limits(level))


@some.few
@given(
    some.rows(each=2, unlike=True), some.directions, levels, st.sampled_from([0.1, 0.25, 0.5, 0.9])
)
def test_what_the_top_holds(rows, higher_is, level, q):
    exact = rows.exact(higher_is)
    values = rows.count(higher_is=higher_is)
    found = cap.confidence_interval(values, "captured_response", q=q, level=level)
    spread, expected = exact.of_captured(q), exact.captured_limits(q, level)
    agrees(found, spread, expected)
    lift = cap.confidence_interval(values, "lift", q=q, level=level)
    assert lift.estimate == cap.lift(values, q)
    assert limits(lift) == near([limit / q for limit in expected], lift.estimate, 1 / q)
    assert lift.se == pytest.approx(spread.se / q, rel=1e-9, abs=1e-9)


@some.few
@given(some.rows(some.signed, each=2), some.directions)
def test_the_accuracy_ratio_of_signed_amounts(rows, higher_is):
    exact = rows.exact(higher_is)
    assume(exact.signed)
    assume(exact.best_theta != 0)
    found = cap.confidence_interval(rows.count(higher_is=higher_is), "accuracy_ratio")
    agrees(found, exact.of_ratio, exact.ratio_limits())


@some.few
@given(some.rows(some.whole, some.EXPOSURES["whole"]), st.integers(7, 12), st.integers(13, 20))
def test_an_amount_less_its_cost_has_the_same_interval_whatever_the_cost(rows, one, other):
    """Costs above every amount make all amounts negative, so nothing tells the two apart."""
    shifted = [rows.with_amount(rows.amount - cost * rows.exposure) for cost in (one, other)]
    assume(all((each.amount < 0).all() for each in shifted))
    found = [cap.confidence_interval(each.count(), "accuracy_ratio") for each in shifted]
    assert found[0].estimate == found[1].estimate
    assert found[0].se == pytest.approx(found[1].se, rel=1e-9, abs=1e-12)
    # The largest case, which a ratio of 1 is held against, grows with the cost; all else is alike.
    if abs(found[0].estimate) < 1:
        assert limits(found[0]) == near(limits(found[1]), found[0].estimate)


# The best quarter of the exposure ends with a score, up to the rounding of sums.
AT_AN_END = some.Rows(
    np.array([1.0, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
    np.array([0, 0, 0, 0, 0, 2, 2, 3, 0, 1.0]),
    np.array([3.0, 3, 1, 2, 4, 1, 4, 1, 4, 1]),
)


@example(AT_AN_END, 3.0, 1e-6)
@settings(max_examples=settings.default.max_examples // 2)
@given(some.rows(), st.sampled_from([3.0, 0.1, 1e9, 2.0**-200]), st.sampled_from([7.0, 1e-6]))
def test_units_do_not_matter(rows, money, time):
    scaled = rows._replace(amount=rows.amount * money, exposure=rows.exposures * time)
    assume(several_amounts(rows))
    for metric, options in ALL.items():
        one, other = (
            cap.confidence_interval(each.count(), metric, **options) for each in (rows, scaled)
        )
        assert limits(other) == near(limits(one), one.estimate, WHOLE_RANGE[metric][1])
        assert other.se == alike(one.se)


ALL = {
    "accuracy_ratio": {},
    "concentration_index": {},
    "captured_response": {"q": 0.25},
    "lift": {"q": 0.25},
}
WHOLE_RANGE = {
    "accuracy_ratio": (-1, 1),
    "concentration_index": (-1, 1),
    "captured_response": (0, 1),
    "lift": (0, 4),
}


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("exposure", [None, [1.0, 2.0, 0.5, 1.0]])
def test_one_row_with_an_amount_tells_nothing(metric, exposure):
    if exposure is None:  # else these are yes/no numbers
        exposure = [1.0, 1.0, 1.0, 1.25]
    values = cap.count_values([0, 250.0, 0, 0], [4, 3, 2, 1], exposure=exposure)
    found = cap.confidence_interval(values, metric, **ALL[metric])
    assert limits(found) == WHOLE_RANGE[metric]
    assert found.low <= found.estimate <= found.high
    assert any("one" in note for note in found.notes)


@some.few
@given(some.rows(), st.sampled_from(list(ALL)))
def test_one_sided_limits_are_limits_of_the_wider_level(rows, metric):
    values = rows.count()
    assume(several_amounts(rows))
    both = cap.confidence_interval(values, metric, level=0.9, **ALL[metric])
    low, high = WHOLE_RANGE[metric]
    lower = cap.confidence_interval(values, metric, level=0.95, side="lower", **ALL[metric])
    upper = cap.confidence_interval(values, metric, level=0.95, side="upper", **ALL[metric])
    assert limits(lower) == near((both.low, high))
    assert limits(upper) == near((low, both.high))


@some.few
@given(some.rows(each=2, unlike=True), some.directions)
def test_the_verdict_is_that_of_the_interval(rows, higher_is):
    """At the level of the p-value a limit of the accuracy ratio just touches zero."""
    values = rows.count(higher_is=higher_is)
    verdict, found = (
        cap.summarize(values).verdict,
        cap.confidence_interval(values, "accuracy_ratio"),
    )
    assert (verdict.p_value < 0.05) == (found.low > 0 or found.high < 0)
    if not (0 < abs(found.estimate) < 1 and 1e-12 < verdict.p_value < 1 - 1e-9):
        return  # of few rows nearly every verdict is that anything may be chance
    touching = cap.confidence_interval(values, "accuracy_ratio", level=1 - verdict.p_value)
    reached = touching.low if found.estimate > 0 else touching.high
    assert reached == pytest.approx(0, abs=1e-6)


@pytest.mark.merge
def test_a_verdict_on_few_events_is_no_certainty():
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.2).astype(int)
    amount, score = y * np.round(rng.lognormal(3, 1, 200), 2), np.round(rng.normal(size=200) + y, 1)
    exact = Exact.of(amount.tolist(), score.tolist())
    t = float(exact.of_ratio.estimate) / exact.of_ratio.se
    plain = 2 * stdtr(exact.of_ratio.df, -t)
    assert cap.summarize(cap.count_values(amount, score)).verdict.p_value >= plain * (1 - 1e-9)
    assert plain > 1e-6


@some.few
@given(some.rows(), st.sampled_from(list(ALL)))
def test_limits_widen_with_the_level(rows, metric):
    values = rows.count()
    assume(several_amounts(rows))
    found = [
        cap.confidence_interval(values, metric, level=level, **ALL[metric])
        for level in (0.5, 0.9, 0.999)
    ]
    lows, highs = [each.low for each in found], [each.high for each in found]
    assert lows == sorted(lows, reverse=True)
    assert highs == sorted(highs)


@some.few
@given(some.rows(some.whole))
def test_reversing_the_score_mirrors_the_limits(rows):
    assume(several_amounts(rows))
    for metric in ("accuracy_ratio", "concentration_index"):
        one = cap.confidence_interval(rows.count(), metric)
        other = cap.confidence_interval(rows.count(higher_is="negative"), metric)
        assert limits(other) == near((-one.high, -one.low), one.estimate)
        assert other.se == alike(one.se)


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_nothing_or_everything_captured(share):
    """Clopper and Pearson's limit stands where the logit has none."""
    amount, score = [0.0, 0.0, 5.0, 3.0, 9.0], [5, 4, 3, 2, 1]
    exact = Exact.of(amount, score)
    nothing = cap.confidence_interval(cap.count_values(amount, score), "captured_response", q=share)
    assert (nothing.estimate, nothing.low) == (0, 0)
    assert limits(nothing) == near(exact.captured_limits(share))
    turned = cap.count_values(amount, score, higher_is="negative")
    exact = Exact.of(amount, score, higher_is="negative")
    everything = cap.confidence_interval(turned, "captured_response", q=1 - share)
    assert (everything.estimate, everything.high) == (1, 1)
    assert limits(everything) == near(exact.captured_limits(1 - share))


def test_everything_selected_captures_everything():
    values = cap.count_values([3.0, 0.0, 5.0], [3, 2, 1])
    assert limits(cap.confidence_interval(values, "captured_response", q=1)) == (1, 1)
    assert limits(cap.confidence_interval(values, "lift", q=1)) == (1, 1)


@some.few
@given(
    some.rows(each=2, unlike=True), some.directions, levels, st.sampled_from([0.1, 0.25, 0.5, 1.0])
)
def test_the_mean_amount_of_the_top(rows, higher_is, level, q):
    exact = rows.exact(higher_is)
    values = rows.count(higher_is=higher_is)
    found = cap.confidence_interval(values, "mean_amount", q=q, level=level)
    spread, scale = exact.of_mean(q), float(exact.largest)
    assert found.estimate == cap.mean_amount(values, q)
    assert found.se == pytest.approx(spread.se, rel=1e-9, abs=1e-9 * scale)
    expected = exact.mean_limits(q, level)
    assert found.low == pytest.approx(expected[0], rel=1e-9, abs=1e-9 * scale)
    assert found.high == pytest.approx(expected[1], rel=1e-8)
    if q == 1:
        whole = cap.confidence_interval(values, "mean_amount", level=level)
        assert limits(whole) == pytest.approx(limits(found), rel=1e-12)


# The best profit


@some.few
@given(some.rows(), st.integers(1, 3), st.integers(1, 8))
def test_the_upper_limit_of_the_best_profit(rows, value, cost):
    exact = rows.exact()
    assume(several_amounts(rows))
    found = cap.confidence_interval(rows.count(), "profit", value=value, cost=cost)
    best = max(0, *(profit for profit, _ in exact.profits(value, cost)))
    scale = float(exact.amount * value + exact.exposure * cost)
    assert found.estimate == pytest.approx(float(best), rel=1e-9, abs=1e-9 * scale)
    assert found.high == pytest.approx(exact.highest_profit(value, cost), rel=1e-9)
    assert 0 <= found.low <= found.estimate


def test_the_lower_limit_of_the_best_profit():
    """The maximum of profits drawn around those seen, beside a simulation of our own."""
    rng = np.random.default_rng(11)
    amount = np.where(rng.random(400) < 0.3, np.round(rng.lognormal(3, 1, 400), 2), 0)
    score = np.round(np.log1p(amount) + rng.normal(size=400), 1)
    exact = Exact.of(amount.tolist(), score.tolist())
    profits, squares = np.array([[float(v) for v in row] for row in exact.profits(1, 15)]).T
    steps = np.sqrt(np.diff(squares, prepend=0))
    drawn = profits + np.cumsum(rng.normal(size=(40_000, len(steps))) * steps, axis=1)
    bias = np.maximum(drawn.max(axis=1), 0).mean() - profits.max()
    assert bias > 30
    best = profits.argmax()
    se = np.sqrt(400 / 399 * (squares[best] - profits[best] ** 2 / 400))
    t = stdtrit(float(exact.effective) - 1, 0.975)
    found = cap.confidence_interval(cap.count_values(amount, score), "profit", value=1, cost=15)
    assert found.se == pytest.approx(se, rel=1e-9)
    # A mean of 1,000 draws whose spread is about one standard error.
    assert found.low == pytest.approx(profits.max() - bias - t * se, abs=4 * se / 1000**0.5)
    again = cap.confidence_interval(cap.count_values(amount, score), "profit", value=1, cost=15)
    assert again == found


def test_a_cost_that_nothing_covers_has_no_profit():
    values = cap.count_values([10.0, 0.0, 5.0, 0.0], [4, 3, 2, 1])
    found = cap.confidence_interval(values, "profit", value=1, cost=100)
    assert (found.estimate, found.low) == (0, 0)
    assert found.high >= 0


# Comparing


@st.composite
def two_scores(draw, amounts=None):
    rows = draw(some.rows(amounts, each=2))
    other = draw(st.lists(some.scores, min_size=len(rows.amount), max_size=len(rows.amount)))
    return rows, rows._replace(score=np.array(other))


def joint(*rows, **rules):
    scores = {f"s{k}": each.score for k, each in enumerate(rows, start=1)}
    return cap.count_joint_values(rows[0].amount, scores, exposure=rows[0].exposure, **rules)


@some.few
@given(two_scores(), some.directions)
def test_the_difference_of_two_accuracy_ratios(pair, higher_is):
    exact = [each.exact(higher_is) for each in pair]
    assume(several_amounts(pair[0]))
    difference = Difference(*exact)
    assume(difference.spread.variance > 1e-12)
    comparison = cap.compare(joint(*pair, higher_is=higher_is))
    found = comparison.pairs[0]
    assert found.name == "s1 minus s2"
    assert found.estimate == pytest.approx(float(difference.estimate), abs=1e-13)
    assert found.se == pytest.approx(difference.spread.se, rel=1e-9)
    assert found.df == pytest.approx(difference.spread.df, rel=1e-8)
    assert (found.low, found.high) == near(difference.limits())
    assert found.p_value == pytest.approx(difference.p_value(), rel=1e-8, abs=1e-12)
    assert comparison.p_value == found.p_value
    assert comparison.estimates == (
        pytest.approx(float(exact[0].accuracy_ratio), abs=1e-13),
        pytest.approx(float(exact[1].accuracy_ratio), abs=1e-13),
    )
    assert comparison.metric == "accuracy_ratio"


@some.few
@given(two_scores(some.signed))
def test_the_difference_of_two_accuracy_ratios_of_signed_amounts(pair):
    exact = [each.exact() for each in pair]
    assume(exact[0].signed)
    assume(exact[0].best_theta != 0)
    difference = Difference(*exact)
    assume(difference.spread.variance > 1e-12)
    found = cap.compare(joint(*pair)).pairs[0]
    assert found.estimate == pytest.approx(float(difference.estimate), abs=1e-13)
    assert found.se == pytest.approx(difference.spread.se, rel=1e-9)
    assert (found.low, found.high) == near(difference.limits())


@some.few
@given(two_scores())
def test_the_order_of_two_scores_only_turns_the_sign(pair):
    one, other = (cap.compare(joint(*each)).pairs[0] for each in (pair, pair[::-1]))
    assert other.estimate == pytest.approx(-one.estimate, abs=1e-15)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    assert other.se == pytest.approx(one.se, rel=1e-12, abs=1e-15)


@some.few
@given(some.rows(each=2), some.directions)
def test_a_score_does_not_differ_from_itself(rows, higher_is):
    """Nor from one that ranks all rows alike."""
    for other in (rows.score, np.unique(rows.score, return_inverse=True)[1] * 7.0 + 1):
        found = cap.compare(joint(rows, rows._replace(score=other), higher_is=higher_is)).pairs[0]
        assert (found.estimate, found.se, found.p_value) == (0, 0, 1)
        assert (found.low, found.high) == (0, 0)
        assert any("identically" in note for note in found.notes)


def test_one_row_with_an_amount_compares_nothing():
    joint_values = cap.count_joint_values(
        [0, 9, 0], {"a": [1, 2, 2], "b": [1, 2, 3]}, exposure=[1, 2, 1]
    )
    with pytest.raises(ValueError, match=r"at least two rows with an amount; there is 1"):
        cap.compare(joint_values)


@some.few
@given(two_scores(), st.randoms(use_true_random=False))
def test_row_order_never_matters_to_a_comparison(pair, random):
    order = list(range(len(pair[0].amount)))
    random.shuffle(order)
    one, other = (cap.compare(joint(*each)) for each in (pair, [e.take(order) for e in pair]))
    assert one == other


# The first score and the order of the rows differ by 1 in every sample like this.
WITHOUT_SPREAD = tuple(
    some.Rows(np.array([1.0, 1, 0, 0]), np.array([0, 0, 0, last]), np.array([0.1, 0.25, 0.1, 0.1]))
    for last in (0.0, -0.25)
)


@some.few
@example(WITHOUT_SPREAD)
@given(two_scores())
def test_three_scores_are_three_pairs(pair):
    third = pair[0]._replace(score=np.arange(len(pair[0].score)) * 1.0)
    comparison = cap.compare(joint(*pair, third))
    assert [each.name for each in comparison.pairs] == ["s1 minus s2", "s1 minus s3", "s2 minus s3"]
    for each, two in zip(comparison.pairs, [pair, (pair[0], third), (pair[1], third)], strict=True):
        alone = cap.compare(joint(*two)).pairs[0]
        assert (each.estimate, each.se) == pytest.approx((alone.estimate, alone.se), abs=1e-12)
        assert each.p_value == pytest.approx(alone.p_value, rel=1e-9)
        assert each.p_adjusted >= each.p_value
    diagonal = [comparison.covariance[k][k] for k in range(3)]
    for variance, rows in zip(diagonal, [*pair, third], strict=True):
        alone = cap.confidence_interval(rows.count(), "accuracy_ratio")
        if several_amounts(rows) and rows.exact().m > 1:
            assert math.sqrt(variance) == pytest.approx(alone.se, rel=1e-9, abs=1e-9)


# Clusters


def groups_of(ids):
    return cluster_groups(as_column(np.asarray(ids), "id"))[1].tolist()


@st.composite
def clustered(draw, amounts=None):
    rows = draw(some.rows(amounts, min_size=6, max_size=12))
    ids = draw(st.lists(st.integers(0, 6), min_size=len(rows.amount), max_size=len(rows.amount)))
    return rows, np.array(ids)


NUMBERS = {
    "accuracy_ratio": lambda exact: exact.accuracy_ratio,
    "concentration_index": lambda exact: exact.concentration_index,
    "captured_response": lambda exact: exact.captured(0.25),
    "lift": lambda exact: exact.lift(0.25),
}


def defined_without_each_group(rows, groups):
    exact = rows.exact()
    for group in set(groups):
        left = exact.without({i for i, g in enumerate(groups) if g == group})
        if not left.n or left.amount == 0 or left.best_theta == 0:
            return False
    return len(set(groups)) > 1


@settings(max_examples=settings.default.max_examples // 2)
@given(clustered(), st.sampled_from(list(NUMBERS)), some.directions)
def test_clusters_are_left_out_group_by_group(data, metric, higher_is):
    rows, ids = data
    groups = groups_of(ids)
    assume(several_amounts(rows))
    assume(defined_without_each_group(rows, groups))
    values = rows.count(cluster=ids, higher_is=higher_is)
    found = cap.confidence_interval(values, metric, **ALL[metric])
    by_hand = rows.exact(higher_is).left_out(groups, NUMBERS[metric])
    if by_hand <= NO_ERROR:
        assert (found.se, *limits(found)) == (None, *WHOLE_RANGE[metric])
        return
    assert found.se == pytest.approx(by_hand, rel=1e-9, abs=1e-12)
    assert found.estimate == pytest.approx(float(NUMBERS[metric](rows.exact(higher_is))), abs=1e-12)
    assert found.method == "jackknife"
    assert found.low <= found.estimate <= found.high


@settings(max_examples=settings.default.max_examples // 2)
@given(clustered(), st.integers(0, 10**6))
def test_a_comparison_leaves_out_the_same_clusters_of_both_scores(data, seed):
    rows, ids = data
    groups = groups_of(ids)
    assume(several_amounts(rows))
    assume(defined_without_each_group(rows, groups))
    other = rows._replace(score=np.random.default_rng(seed).permutation(rows.score))
    found = cap.compare(joint(rows, other, cluster=ids)).pairs[0]
    one, two = rows.exact(), other.exact()
    names = sorted(set(groups))
    moved = []
    for name in names:
        left = {i for i, g in enumerate(groups) if g == name}
        difference = one.without(left).accuracy_ratio - two.without(left).accuracy_ratio
        moved.append(difference - (one.accuracy_ratio - two.accuracy_ratio))
    by_hand = math.sqrt(sum(d * d for d in moved) * (len(names) - 1) / len(names))
    # Of the AUC, up to 1e-12 is taken for rounding: of one group, and of the difference.
    if by_hand > 1e-11:
        assert found.se == pytest.approx(by_hand, rel=1e-9, abs=1e-11)
    assert found.estimate == pytest.approx(
        float(one.accuracy_ratio - two.accuracy_ratio), abs=1e-11
    )


def test_rows_of_one_cluster_are_one_case():
    """Each row ten times over, in its own cluster, tells no more than once."""
    rng = np.random.default_rng(3)
    amount = np.where(rng.random(300) < 0.3, rng.integers(1, 50, 300), 0)
    score = np.round(rng.normal(size=300) + (amount > 0), 1)
    tenfold = np.repeat(np.arange(300), 10)
    alone = cap.confidence_interval(cap.count_values(amount, score), "accuracy_ratio")
    naive = cap.confidence_interval(
        cap.count_values(amount[tenfold], score[tenfold]), "accuracy_ratio"
    )
    clustered = cap.confidence_interval(
        cap.count_values(amount[tenfold], score[tenfold], cluster=tenfold), "accuracy_ratio"
    )
    assert naive.se == pytest.approx(alone.se / math.sqrt(10), rel=0.02)
    assert clustered.se == pytest.approx(alone.se, rel=0.35)
    assert clustered.high - clustered.low > 2 * (naive.high - naive.low)


@pytest.mark.parametrize("sign", [1, -1])
def test_no_limit_is_nearer_to_1_than_with_a_kind_of_rows_that_is_not_in_the_sample(sign):
    amount, score = np.array([9.0, *[5.0] * 8, 1.0, *[0.0] * 90]), -np.arange(100.0)
    found = cap.confidence_interval(cap.count_values(amount, sign * score), "accuracy_ratio")
    # A perfect order gains 9·99 + 5·(97 + 95 + ... + 83) + 81 = 4,572, of which one more row with 9
    # at the wrong end takes 900 off; the share that 50²/282 effective events may lack takes more.
    one_more = (45.72 - 9) / (45.72 + 9)
    assert one_more > 2 * 0.025 ** (282 / 2500) - 1
    assert min(sign * found.low, sign * found.high) == pytest.approx(one_more, rel=1e-12)


def test_zero_is_within_the_limits_where_scores_at_random_get_as_far():
    """Two large rows that both happen to rank high show no spread, and are no evidence."""
    amount = np.array([60.0, 60.0, *np.linspace(1, 2, 58)])
    score = np.concatenate([[55.5, 46.5], np.random.default_rng(4).permutation(58)])
    values = cap.count_values(amount, score)
    exact = Exact.of(amount.tolist(), score.tolist())
    over = float(exact.theta) / exact.by_chance()
    found = cap.confidence_interval(values, "accuracy_ratio")
    level = float(stats.norm.cdf(over) * 2 - 1)
    below = cap.confidence_interval(values, "accuracy_ratio", level=level - 1e-6)
    above = cap.confidence_interval(values, "accuracy_ratio", level=level + 1e-6)
    assert above.low <= 0 < below.low
    assert found.low <= 0 < found.estimate
    index = cap.confidence_interval(values, "concentration_index")
    assert index.low <= 0


def test_limits_that_rest_on_few_large_amounts_say_so():
    amount = np.array([60.0] * 9 + [1.5] * 291)
    values = cap.count_values(amount, np.random.default_rng(1).permutation(300))
    for name, place in (("accuracy_ratio", {}), ("captured_response", {"q": 0.1})):
        found = cap.confidence_interval(values, name, **place)
        # (9·60² + 291·1.5²)²/(9·60⁴ + 291·1.5⁴) = 9.4
        assert any("depends on few rows, as if there were only 9.4" in note for note in found.notes)
    light = cap.count_values(np.linspace(1, 3, 300), np.arange(300))
    assert not cap.confidence_interval(light, "accuracy_ratio").notes
    few = cap.count_values([50.0, 3, 2, *[1.0] * 9], np.arange(12))
    mean = cap.confidence_interval(few, "mean_amount", q=0.5)
    assert any("next to nothing" in note for note in mean.notes)
