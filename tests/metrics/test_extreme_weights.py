"""Weights of very unequal size: each number is that of fractions, and summaries are made."""

import itertools
import json
import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import capcurve as cap

WEIGHTS, SCORES = (1e9, 1e-8, 1e9, 1e-8, 1.0), (4, 3, 2, 1, 1)
LABELS = [labels for labels in itertools.product((0, 1), repeat=5) if 0 < sum(labels) < 5]
NEAR = Fraction(1, 10**12)
rows = st.lists(
    st.tuples(
        st.sampled_from([0, 1]),
        st.integers(1, 4),
        st.sampled_from([1e-8, 1e-3, 0.1, 1.0, 3.0, 1e9, 1e-150, 1e150]),
    ),
    min_size=2,
    max_size=6,
).filter(lambda drawn: len({label for label, _, _ in drawn}) == 2)


def sums_of(labels, scores, weights):
    """Return positives and negatives at each score from the top, as fractions."""
    held = list(zip(labels, scores, map(Fraction, weights), strict=True))
    order = sorted(set(scores), reverse=True)
    return [
        [sum(w for label, s, w in held if label == of and s == score) for score in order]
        for of in (1, 0)
    ]


def near(found, expected, within=0):
    allowed = NEAR * abs(expected) + within
    return math.isfinite(found) and abs(Fraction(float(found)) - expected) <= allowed


def check_tables(counts, positives, negatives):
    """Compare what stands at each score and down to it with fractions."""
    n1, n0 = sum(positives), sum(negatives)
    gains, cuts = cap.gains_table(counts, bins="score"), cap.threshold_table(counts)
    local, lift = cap.local_lift_curve(counts).y[1:], cap.lift_curve(counts).y[1:]
    rest1, rest0 = n1, n0
    above = zip(accumulate(positives), accumulate(negatives), strict=True)
    for k, (p, n, (tp, fp)) in enumerate(zip(positives, negatives, above, strict=True)):
        rest1, rest0 = rest1 - p, rest0 - n
        here, down = p / n1 * (n1 + n0) / (p + n), tp / n1 * (n1 + n0) / (tp + fp)
        expected = {
            ("rate", gains["rate"][k]): p / (p + n),
            ("n", gains["n"][k]): p + n,
            ("lift", gains["lift"][k]): here,
            ("local", local[k]): here,
            ("cum_lift", gains["cum_lift"][k]): down,
            ("lift curve", lift[k]): down,
            ("lift at", cuts["lift"][k + 1]): down,
            ("precision", cuts["precision"][k + 1]): tp / (tp + fp),
            ("fpr", cuts["fpr"][k + 1]): fp / n0,
            ("fn", cuts["fn"][k + 1]): rest1,
            ("tn", cuts["tn"][k + 1]): rest0,
        }
        for (name, found), value in expected.items():
            assert near(found, value), (name, k, found, float(value))


LARGE = [1e308, 1.0]
BOTH = {"new": [2, 1], "old": [1, 2]}
BEYOND = "the weights add up to more than a float can hold; scale them down"
# Calls that make counts of every kind whose total no float holds.
OVERFLOWING = {
    "rows": lambda: cap.count_scores([1, 0], [2, 1], weight=[1e308] * 2),
    "rows of one score": lambda: cap.count_scores([1, 1, 0], [2, 2, 1], weight=[1e308, 1e308, 1]),
    "cases": lambda: cap.count_cases([2, 1], weight=[1e308] * 2),
    "joint": lambda: cap.count_joint([1, 0], BOTH, weight=[1e308] * 2),
    "a table": lambda: cap.ScoreCounts.from_counts([2, 1], [1.2e308, 0.5], [1e308, 0.5]),
    "a table of ties": lambda: cap.ScoreCounts.from_counts([2, 2, 1], [1e308, 1e308, 0.5], [1] * 3),
    "a table of cases": lambda: cap.CaseCounts.from_counts([2, 2, 1], [1e308, 1e308, 0.5]),
    "known and unknown": lambda: cap.PartialCounts.from_counts(
        [2, 1], [1e308, 0.5], [1, 1], [1e308, 0.5]
    ),
    "partial rows": lambda: cap.count_partial([1, 0, None], [2, 1, 1], weight=[1e308, 1, 1e308]),
    "clusters": lambda: cap.count_scores(
        [1, 0, 1], [2, 1, 3], weight=[1e308, 1, 1e308], cluster=list("abc")
    ),
    "segments": lambda: cap.evaluate(
        [1, 0] * 2, [2, 1] * 2, weight=[1e308, 1] * 2, by=list("aabb")
    ),
    "a change": lambda: cap.attribute_change(
        *2 * [dict.fromkeys("ab", cap.count_scores([1, 0], [2, 1], weight=LARGE))]
    ),
}
ADDED = {
    "ScoreCounts": cap.count_scores([1, 0], [2, 1], weight=LARGE),
    "CaseCounts": cap.count_cases([2, 1], weight=LARGE),
    "JointCounts": cap.count_joint([1, 0], BOTH, weight=LARGE),
    "JointCases": cap.count_joint([1, 0], BOTH, weight=LARGE).cases,
    "PartialCounts": cap.count_partial([1, 0, None], [2, 1, 1], weight=[1e308, 1, 1]),
}


@pytest.mark.parametrize("call", OVERFLOWING.values(), ids=OVERFLOWING)
def test_weights_without_a_sum_are_refused_wherever_counts_are_made(call):
    with pytest.raises(ValueError, match=f"^{BEYOND}$"):
        call()


@pytest.mark.parametrize("kind", ADDED)
def test_weights_without_a_sum_are_refused_where_counts_add(kind):
    counts = ADDED[kind]
    assert type(counts).__name__ == kind
    assert math.isfinite(counts.n)
    for call in (
        lambda: counts + counts,
        lambda: sum([counts] * 3),
        lambda: type(counts).merge([counts, counts]),
    ):
        with pytest.raises(ValueError, match=f"^{BEYOND}$"):
            call()


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: cap.ScoreCounts.from_counts([2, 1], [1e308, 1e308], [1, 1]), "2e+308"),
        (lambda: cap.CaseCounts.from_counts([2, 1], [3 * 2**61, 0]), str(3 * 2**61)),
        (
            lambda: cap.count_scores([1, 0], [2, 1], weight=[1e307] * 2, weight_kind="frequency"),
            "2e+307",
        ),
    ],
)
def test_too_many_cases_are_one_short_number(call, shown):
    with pytest.raises(ValueError, match="cases are more than") as refused:
        call()
    assert str(refused.value) == f"{shown} cases are more than the 2^62 that counts can hold"


@pytest.mark.turns(4)
@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: "".join(map(str, labels)))
def test_weights_far_apart_have_a_summary(labels):
    for kind in ("sampling", "exposure", None) if sum(labels) == 1 else ("sampling",):
        check_summary(labels, kind)


def check_summary(labels, kind):
    counts = cap.count_scores(labels, SCORES, weight=WEIGHTS, weight_kind=kind)
    summary = cap.summarize(counts)
    json.dumps(summary.to_dict(), allow_nan=False)
    positives, negatives = sums_of(labels, SCORES, WEIGHTS)
    check_tables(counts, positives, negatives)
    for interval in summary.intervals.values():
        assert interval.low <= interval.estimate <= interval.high
        assert interval.se is None or math.isfinite(interval.se)


def test_what_lies_below_a_cut_off_is_no_difference_of_large_sums():
    """1e-8 is lost beside 1e9: the negatives that are not selected seemed to weigh nothing."""
    counts = cap.count_scores(
        [1, 0, 0, 0], [2, 2, 2, 1], weight=[1.0, 1e9, 1.0, 1e-8], weight_kind="sampling"
    )
    assert cap.operating_point(counts, threshold=2).tn == 1e-8
    found = cap.confidence_interval(counts, "lift", threshold=2)
    assert 0 <= found.low <= found.estimate <= found.high


def test_lift_of_a_small_bin_after_a_large_one_keeps_its_digits():
    counts = cap.count_scores(
        [1, 0, 1, 0], [2, 2, 1, 1], weight=[1.0, 1.0, 1e-8, 3e-8], weight_kind="sampling"
    )
    rate = 1e-8 / (1e-8 + 3e-8)
    expected = rate / (float(counts.n1) / float(counts.n))
    assert cap.gains_table(counts, bins="score")["lift"][1] == pytest.approx(expected, rel=1e-14)
    assert cap.local_lift(counts, 1) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("weight", [[1e300, 1.0, 1e-300, 1.0], [1.0, 1e300, 1.0, 1e-300]])
def test_cases_next_to_nothing_have_no_interval(weight):
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1], weight=weight, weight_kind="sampling")
    with pytest.raises(ValueError, match="no sample tells"):
        cap.confidence_interval(counts, "captured_response", q=0.3)
    summary = cap.summarize(counts)
    assert summary.intervals == {}
    # ln(c/d) of shares of 1e-300 and 1e-600 is a number, their quotient none.
    assert math.isfinite(summary.information_value) or summary.information_value == math.inf


def check_any(drawn):
    labels, scores, weights = zip(*drawn, strict=True)
    counts = cap.count_scores(labels, scores, weight=weights, weight_kind="sampling")
    positives, negatives = sums_of(labels, scores, weights)
    for call in (
        lambda: check_tables(counts, positives, negatives),
        lambda: cap.summarize(counts).to_dict(),
        lambda: cap.confidence_interval(counts, "lift", q=0.3),
        lambda: cap.confidence_interval(counts, "precision", threshold=2),
        lambda: cap.best_thresholds(counts, rule="profit", value=3, cost=1),
    ):
        try:
            call()
        except ValueError as refused:
            assert type(refused) is ValueError  # noqa: PT017
            assert "\n" not in str(refused)  # noqa: PT017
    ratio = sum(
        p * (sum(negatives[k + 1 :]) - sum(negatives[:k])) for k, p in enumerate(positives)
    ) / (sum(positives) * sum(negatives))
    assert near(cap.accuracy_ratio(counts), ratio, Fraction(1, 10**15))


@settings(max_examples=25)
@given(rows)
def test_weights_of_any_size(drawn):
    check_any(drawn)


@pytest.mark.merge
@settings(max_examples=200)
@given(rows)
def test_many_weights_of_any_size(drawn):
    check_any(drawn)


@pytest.mark.parametrize("scale", [1e90, 1e-90])
def test_the_interval_of_a_profit_moves_with_the_money(scale):
    values = cap.count_values([4.0, 0.0, 3.0, 1.0, 0.0, 2.0], [6, 5, 4, 3, 2, 1])
    plain = cap.confidence_interval(values, "profit", value=2.0, cost=1.0)
    large = cap.count_values(np.array([4.0, 0, 3, 1, 0, 2]) * scale, [6, 5, 4, 3, 2, 1])
    found = cap.confidence_interval(large, "profit", value=2.0, cost=scale)
    for name in ("low", "estimate", "high", "se"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name) * scale, rel=1e-9)
    counts = cap.count_scores([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    money = [{"value": 2.0 * unit, "cost": unit, "replicates": 50} for unit in (1.0, scale)]
    one, other = (cap.confidence_interval(counts, "profit", seed=1, **each) for each in money)
    for name in ("low", "estimate", "high", "se"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * scale, rel=1e-9)


PERIODS = [
    ("aaaabbbb", [1, 0, 1, 0, 1, 0, 0, 1], [4, 3, 2, 1, 4, 3, 2, 2], [3.0, 1, 2, 5, 1, 4, 2, 3]),
    ("aabbbaab", [1, 0, 0, 1, 1, 0, 1, 0], [3, 3, 2, 4, 1, 1, 2, 3], [2.0, 2, 1, 3, 4, 1, 5, 2]),
]


def change_of(scale, cluster=None):
    """Attribute the change between two periods whose weights are in some unit."""
    periods = [
        cap.count_segments(
            labels,
            scores,
            by=list(by),
            weight=np.array(weights) * scale,
            weight_kind="sampling",
            cluster=cluster,
        )
        for by, labels, scores, weights in PERIODS
    ]
    return cap.attribute_change(*periods)


@pytest.mark.parametrize("cluster", [None, [1, 1, 2, 2, 3, 3, 4, 4]])
@pytest.mark.parametrize("scale", [5e-324, 2.0**-1030, 2.0**-1000, 2.0**1000])
def test_a_change_is_explained_alike_in_any_unit_of_weight(scale, cluster):
    plain = change_of(1.0, cluster)
    found = change_of(scale, cluster)
    assert plain.parts["within"].low < plain.parts["within"].high
    for name, part in plain.parts.items():
        other = found.parts[name]
        numbers = (part.estimate, part.low, part.high)
        assert (other.estimate, other.low, other.high) == pytest.approx(numbers, abs=1e-12), name
    sizes = [np.array(each.segments["n_before"]) for each in (plain, found)]
    assert (sizes[1] == sizes[0] * scale).all()


@pytest.mark.parametrize("scale", [1e-200, 1e-310])
def test_a_segment_next_to_nothing_has_no_limits(scale):
    labels, scores = [1, 0, 1, 0, 0, 1], [3, 3, 2, 2, 1, 1]  # segment b holds cases everywhere
    periods = [
        cap.count_segments(
            labels * 2,
            scores * 2,
            by=["a"] * 6 + ["b"] * 6,
            weight=[light * times for times in range(1, 7)] + [1.0] * 6,
            weight_kind="sampling",
        )
        for light in (scale, 1.0)
    ]
    with pytest.raises(ValueError, match="weights differ by too much: a segment weighs too little"):
        cap.attribute_change(*periods)


def test_segments_of_any_weight_decompose():
    by, labels, scores, weights = PERIODS[0]
    tables = [
        cap.decompose(
            cap.count_segments(labels, scores, by=list(by), weight=np.array(weights) * scale)
        ).segments
        for scale in (1.0, 2.0**-1050, 2.0**1010)
    ]
    for other in tables[1:]:
        assert list(other["without"]) == pytest.approx(list(tables[0]["without"]), abs=1e-12)


@pytest.mark.parametrize("weight", [1e-310, 1e-160, 1e160, 1e306])
def test_tests_of_independent_samples_do_not_depend_on_the_unit_of_weight(weight):
    rng = np.random.default_rng(2)
    rows = [(rng.integers(0, 2, 40), rng.integers(0, 9, 40), rng.integers(1, 4, 40)) for _ in "ab"]

    def samples(unit):
        return [cap.count_scores(y, p, weight=w * unit, weight_kind="sampling") for y, p, w in rows]

    plain, found = samples(1.0), samples(weight)
    for call in (
        cap.compare_independent,
        lambda a, b: cap.heterogeneity_test({"a": a, "b": b}, method="chi2"),
    ):
        one, other = call(*plain), call(*found)
        assert 0 < one.p_value < 1
        assert (other.statistic, other.p_value) == pytest.approx(
            (one.statistic, one.p_value), rel=1e-9
        )


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**-1030, 2.0**300])
def test_a_profit_without_groups_moves_with_the_money(scale):
    rng = np.random.default_rng(3)
    score = rng.integers(0, 9, 40)
    counts = cap.count_scores(score + rng.integers(0, 6, 40) > 6, score, cluster=range(40))
    plain, found = (
        cap.confidence_interval(counts, "profit", value=3.0 * unit, cost=unit, method="jackknife")
        for unit in (1.0, scale)
    )
    assert 0 < plain.low < plain.estimate < plain.high
    for name in ("low", "estimate", "high", "se"):
        assert getattr(found, name) / scale == pytest.approx(getattr(plain, name), rel=1e-9)


@pytest.mark.parametrize(("value", "prevalence"), [(0.5 + 1e-15, 0.1), (0.7, 1 - 1e-16)])
def test_more_cases_than_there_are_are_not_said_to_show_nothing(value, prevalence):
    with pytest.raises(ValueError, match=r"or too near it, or a class is too rare$"):
        cap.sample_size(value, prevalence=prevalence)
