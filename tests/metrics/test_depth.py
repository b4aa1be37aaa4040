"""Numbers of the first k cases: means over all orders inside ties, listed one by one."""

import json
import math
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

import capcurve as cap
from capcurve.counts import SegmentCounts
from capcurve.metrics import METRICS
from capcurve.metrics.depth import at_depth

ORACLES = Path(__file__).parents[1] / "oracles" / "means"
QUERIES = json.loads((ORACLES / "data.json").read_text())["queries"]
SINGLE = json.loads((ORACLES / "expected.json").read_text())["single"]
RNG = np.random.default_rng(7)
# Rankings of up to six rows, from all tied to none tied, with grades of relevance.
SMALL = [
    ([1, *RNG.integers(0, 4, n - 1).tolist()], RNG.integers(0, scores, n).tolist())
    for n, scores, _ in product((1, 2, 4, 6), (1, 2, 4, 50), range(2))
]
DEPTHS = (1, 2, 3, 5, 6, 9)


def orders(target, score):
    """Yield the target in every order in which rows of one score may come."""
    ties = [[y for y, s in zip(target, score, strict=True) if s == at] for at in sorted(set(score))]
    for parts in product(*map(permutations, ties[::-1])):
        yield [y for part in parts for y in part]


def mean(numbers):
    found = list(numbers)
    total = math.fsum(found) if isinstance(found[0], float) else sum(found)
    return total / len(found)


def discounted(gains, k):
    return math.fsum(gain / math.log2(i + 2) for i, gain in enumerate(gains[:k]))


def first_positive(order, k):
    return next((Fraction(1, i + 1) for i, y in enumerate(order[:k]) if y), Fraction(0))


def listed(target, score, k):
    """Return each number as its mean over all orders; k may be None where that is allowed."""
    every = [[int(y > 0) for y in order] for order in orders(target, score)]
    p = sum(y > 0 for y in target)
    found = {"reciprocal_rank": mean(first_positive(order, k) for order in every)}
    if k is not None:
        hits = mean(Fraction(sum(order[:k])) for order in every)
        found["hit_rate"] = mean(Fraction(any(order[:k])) for order in every)
        found["precision"], found["captured_response"] = hits / k, hits / p
        found["lift"] = hits / p / min(Fraction(k, len(target)), 1)
    found["ndcg"] = mean(discounted(order, k) for order in every) / discounted([1] * p, k)
    return found


def counted(target, score):
    return cap.count_scores([y > 0 for y in target], score)


@pytest.mark.parametrize("case", range(len(SMALL)))
def test_each_is_the_mean_over_all_orders_inside_ties(case):
    target, score = SMALL[case]
    for k in (*DEPTHS, None):
        for name, expected in listed(target, score, k).items():
            found = getattr(cap, name)(counted(target, score), k=k)
            assert found == pytest.approx(float(expected), abs=1e-14), (name, k)


@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.parametrize("case", range(len(SMALL)))
def test_ndcg_of_amounts_is_the_mean_over_all_orders_of_gains(case, gain):
    target, score = SMALL[case]
    gains = target if gain == "linear" else [2**r - 1 for r in target]
    for k in (*DEPTHS, None):
        own = mean(discounted(order, k) for order in orders(gains, score))
        best = discounted(sorted(gains, reverse=True), k)
        found = cap.ndcg(cap.count_values(target, score), k=k, gain=gain)
        assert found == pytest.approx(own / best, abs=1e-14), k


@pytest.mark.parametrize("case", range(len(SINGLE)))
def test_numbers_of_one_query_are_those_of_the_oracle(case):
    segment, expected = SINGLE[case]["segment"], SINGLE[case]["expected"]
    rows = zip(QUERIES["segment"], QUERIES["target"], QUERIES["a"], strict=True)
    target, score = zip(*((y, s) for name, y, s in rows if name == segment), strict=True)
    for number, value in expected.items():
        name, *words = number.split()
        options = dict(("k", int(w)) if w.isdigit() else ("gain", w) for w in words)
        counts = cap.count_values(target, score) if name == "ndcg" else counted(target, score)
        assert getattr(cap, name)(counts, **options) == pytest.approx(value, abs=1e-12), number


@pytest.mark.parametrize("k", [1, 3, 10, 400, None])
def test_ndcg_with_ties_is_that_of_scikit_learn(k):
    relevance, score = RNG.integers(0, 5, 200), RNG.integers(0, 12, 200)
    found = cap.ndcg(cap.count_values(relevance, score), k=k)
    assert found == pytest.approx(ndcg_score([relevance], [score], k=k), abs=1e-13)
    classes = cap.count_scores(relevance > 3, score)
    assert cap.ndcg(classes, k=k) == pytest.approx(ndcg_score([relevance > 3], [score], k=k))


NUMBERS = [
    *(("hit_rate", {"k": k}) for k in (1, 4, 60)),
    *(("reciprocal_rank", {"k": k}) for k in (1, 4, 60, None)),
    *(("ndcg", {"k": k, "gain": gain}) for k, gain in ((2, "linear"), (None, "exponential"))),
    *((name, {"k": k}) for name in ("captured_response", "lift", "precision") for k in (1, 7, 60)),
    *((name, {"q": q}) for name in ("captured_response", "lift", "precision") for q in (0, 0.3, 1)),
    *(("average_precision", {"ties": ties}) for ties in ("expected", "threshold")),
    ("average_precision", {"prevalence": 0.3}),
]


@pytest.mark.parametrize(("name", "options"), NUMBERS)
def test_numbers_of_all_segments_are_those_of_each(name, options):
    rng = np.random.default_rng(3)
    segment, score = rng.integers(0, 90, 1500), rng.integers(0, 6, 1500)
    y = rng.random(1500) < 0.15
    segments = cap.count_segments(y, score, by=segment)
    lack = [counts.n1 == 0 or counts.n0 == 0 for counts in segments.values()]
    assert any(lack)
    assert any(counts.n1 == 0 for counts in segments.values())
    metric = METRICS[name]
    given = {word: value for word, value in options.items() if value is not None}
    found = metric.given(**given).of_segments(SegmentCounts.of(segments))
    for number, counts in zip(found, segments.values(), strict=True):
        try:
            expected = metric.value(counts, **options)
        except ValueError:
            assert math.isnan(number)
        else:
            assert number == pytest.approx(expected, abs=2e-15, rel=2e-15)


def test_ndcg_of_amounts_of_all_segments_is_that_of_each():
    rng = np.random.default_rng(4)
    segment, score = rng.integers(0, 40, 300), rng.integers(0, 4, 300)
    relevance = rng.integers(0, 5, 300) * (rng.random(300) < 0.4)
    segments = cap.count_value_segments(relevance, score, by=segment)
    found = METRICS["ndcg"].of_segments(SegmentCounts.of(segments), k=3, gain="exponential")
    assert np.isnan(found).any()
    for number, values in zip(found, segments.values(), strict=True):
        expected = cap.ndcg(values, k=3, gain="exponential") if values.m else math.nan
        assert number == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_no_segments_have_no_numbers():
    none = SegmentCounts.of({})
    for name in ("hit_rate", "reciprocal_rank", "ndcg", "captured_response", "lift", "precision"):
        assert METRICS[name].of_segments(none, k=3).shape == (0,)
    assert METRICS["average_precision"].of_segments(none).shape == (0,)
    empty = SegmentCounts.of({"a": cap.count_values([], []), "b": cap.count_values([], [])})
    assert np.isnan(METRICS["ndcg"].of_segments(empty)).all()


@pytest.mark.parametrize(("name", "options"), NUMBERS[:18])
def test_order_of_rows_direction_and_transforms_change_no_bit(name, options):
    rng = np.random.default_rng(5)
    y, score = rng.random(80) < 0.2, rng.integers(0, 15, 80)
    number = getattr(cap, name)
    known = number(cap.count_scores(y, score), **options)
    mixed = rng.permutation(80)
    assert number(cap.count_scores(y[mixed], score[mixed]), **options) == known
    assert number(cap.count_scores(y, np.exp(score / 3)), **options) == known
    assert number(cap.count_scores(y, -score, higher_is="negative"), **options) == known
    assert number(y, score, **options) == known


@pytest.mark.parametrize(("name", "options"), NUMBERS[:18])
def test_frequency_weights_are_rows(name, options):
    rng = np.random.default_rng(6)
    y, score, times = rng.random(30) < 0.3, rng.integers(0, 9, 30), rng.integers(0, 4, 30)
    counts = cap.count_scores(y, score, weight=times, weight_kind="frequency")
    rows = cap.count_scores(np.repeat(y, times), np.repeat(score, times))
    assert getattr(cap, name)(counts, **options) == getattr(cap, name)(rows, **options)


def test_a_constant_score_has_pass_at_k():
    for n, p, k in ((10, 3, 4), (200, 17, 10), (50, 1, 49), (5, 5, 1)):
        counts = cap.ScoreCounts.from_counts([1], [p], [n - p])
        expected = 1 - Fraction(math.comb(n - p, k), math.comb(n, k))
        assert cap.hit_rate(counts, k) == pytest.approx(float(expected), rel=1e-13)


def exact_rank(above, m, e, k):
    """Return the reciprocal rank from fractions of binomial coefficients."""
    return sum(
        Fraction(math.comb(m - j, e - 1), math.comb(m, e)) / (above + j)
        for j in range(1, min(m - e + 1, k - above) + 1)
    )


@pytest.mark.parametrize(
    ("above", "m", "e", "k"),
    [(0, 900, 1, 900), (7, 500, 20, 10**6), (300, 40, 39, 320), (2, 2000, 1, 1500)],
)
def test_large_ties_are_exact(above, m, e, k):
    counts = cap.ScoreCounts.from_counts([2, 1], [0, e], [above, m - e])
    expected = exact_rank(above, m, e, k)
    assert cap.reciprocal_rank(counts, k) == pytest.approx(float(expected), rel=1e-12)


def test_very_large_ties_are_quick_and_right():
    harmonic = math.log(10**7) + np.euler_gamma + 1 / (2 * 10**7)
    alone = cap.ScoreCounts.from_counts([1], [1], [10**7 - 1])
    assert cap.reciprocal_rank(alone) == pytest.approx(harmonic / 10**7, rel=1e-8)
    # Of very many the first is as soon as of draws with replacement: 1/2 + 1/8 + 1/24 + ...
    halves = cap.ScoreCounts.from_counts([1], [10**14], [10**14])
    assert cap.reciprocal_rank(halves) == pytest.approx(math.log(2), rel=1e-10)
    assert cap.hit_rate(halves, 3) == pytest.approx(7 / 8, rel=1e-12)
    assert cap.hit_rate(halves, 10**15) == 1
    rare = cap.ScoreCounts.from_counts([2, 1], [0, 4], [1000, 10**12])
    few = 4 * math.log(10**9) / 10**12
    assert cap.reciprocal_rank(rare) == pytest.approx(few, rel=0.1)
    assert cap.hit_rate(rare, 10**11) == pytest.approx(1 - 0.9**4, rel=1e-7)
    total = math.fsum(1 / math.log2(place + 1) for place in range(1, 10**6 + 1))
    constant = cap.ScoreCounts.from_counts([1], [1], [10**6 - 1])
    assert cap.ndcg(constant) == pytest.approx(total / 10**6, rel=1e-13)
    deep = cap.ScoreCounts.from_counts([3, 2, 1], [0, 1, 2], [10**6 - 1, 0, 1])
    own = 1 / math.log2(10**6 + 1) + 2 / 3 * math.fsum(
        1 / math.log2(10**6 + place) for place in (2, 3, 4)
    )
    best = 1 + 1 / math.log2(3) + 1 / 2
    assert cap.ndcg(deep) == pytest.approx(own / best, rel=1e-8)


def test_depths_beyond_all_cases_select_them():
    counts = cap.count_scores([1, 0, 0, 1, 0], [1, 1, 2, 2, 2])
    assert (
        cap.captured_response(counts, k=9) == cap.hit_rate(counts, 9) == cap.lift(counts, k=9) == 1
    )
    assert cap.precision(counts, k=8) == 0.25
    for number in (cap.reciprocal_rank, cap.ndcg):
        assert number(counts, 9) == number(counts)


def test_gains_of_any_size_are_taken():
    small, large = ([r * unit for r in (2, 0, 1)] for unit in (1e-300, 1e300))
    known = cap.ndcg(cap.count_values([2, 0, 1], [1, 2, 3]))
    for gains in (small, large):
        assert cap.ndcg(cap.count_values(gains, [1, 2, 3])) == pytest.approx(known, rel=1e-14)
    # 2^2000 - 1 outweighs all else, and has no float.
    found = cap.ndcg(cap.count_values([3, 2000], [2, 1]), gain="exponential")
    assert found == pytest.approx(1 / math.log2(3), rel=1e-14)


@pytest.mark.parametrize("k", [0, -3, 2.5, True, "3", float("nan"), 10**30])
@pytest.mark.parametrize("name", ["hit_rate", "reciprocal_rank", "ndcg", "precision", "lift"])
def test_a_depth_is_a_whole_number_from_1(name, k):
    counts = cap.count_scores([1, 0], [2, 1])
    with pytest.raises(ValueError, match=r"^k must be a whole number from 1 to"):
        getattr(cap, name)(counts, k=k)


WEIGHTED = cap.count_scores([1, 0, 1], [3, 2, 1], weight=[1, 2, 1.5], weight_kind="sampling")
FRACTIONS = cap.ScoreCounts.from_counts([2, 1], [0.5, 1], [1, 2])
EXPOSED = cap.count_values([1, 0], [2, 1], exposure=[1, 2])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.captured_response(WEIGHTED, k=2), "k counts rows, and these are weighted; gi"),
        (lambda: cap.precision(FRACTIONS, k=2), "k counts rows, and these are weighted; give q="),
        (lambda: cap.captured_response(EXPOSED, k=2), "k counts rows, and these have an exposure;"),
        (lambda: cap.hit_rate(WEIGHTED, 2), "^hit_rate counts rows, and these are weighted$"),
        (lambda: cap.reciprocal_rank(FRACTIONS), "^reciprocal_rank counts rows, and these are we"),
        (lambda: cap.ndcg(EXPOSED), "^ndcg counts rows, and these have an exposure$"),
        (lambda: cap.ndcg(WEIGHTED, 3), "^ndcg counts rows, and these are weighted$"),
        (lambda: cap.ndcg([1, 2], [2, 1], exposure=[1, 1]), "^ndcg counts rows, and these have"),
        (lambda: cap.ndcg(cap.count_values([1, -1], [2, 1])), "ndcg takes gains of 0 or more"),
        (lambda: cap.ndcg(cap.count_values([0, 0], [2, 1])), "none of the 2 rows holds an amount"),
        (lambda: cap.ndcg([1, 0], [2, 1], gain="square"), 'gain must be "linear" or "exponential"'),
        (lambda: cap.lift([1, 0], [2, 1], 0.5, k=1), "give q= .* or k= .*; got both"),
        (lambda: cap.lift([1, 0], [2, 1]), "give q= .* or k= .*; got neither"),
        (lambda: cap.lift([1, 0], [2, 1], k=1, prevalence=0.5), "k counts rows, which prevalence="),
        (lambda: cap.hit_rate([0, 0], [2, 1], 1), "no positives among the 2 cases"),
        (lambda: cap.reciprocal_rank([0, 0], [2, 1]), "no positives among the 2 cases"),
        (lambda: cap.captured_response([0, 0], [2, 1], k=1), "no positives among the 2 cases"),
        (lambda: cap.precision([], [], k=1), "there are no cases to rank"),
    ],
)
def test_what_has_no_answer_is_refused_in_one_line(call, said):
    with pytest.raises((ValueError, TypeError), match=said) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_amounts_are_selected_by_number_where_rows_count_alike():
    values = cap.count_values([5, 0, 3, 2], [4, 3, 2, 1])
    assert cap.captured_response(values, k=3) == 0.8
    assert cap.lift(values, k=2) == cap.lift(values, 0.5) == 1


def test_names_say_depths():
    assert at_depth("recall@10") == ("recall", 10)
    assert at_depth("ndcg@5") == ("ndcg", 5)
    assert at_depth("P@5") == ("precision", 5)
    assert at_depth("mrr@10") == ("mrr", 10)
    assert at_depth("hit@1") == ("hit", 1)
    assert at_depth("average_precision") == ("average_precision", None)
    for name in ("recall@x", "recall@0", "recall@", "ndcg@1.5", "ndcg@-1", "ndcg@²"):
        with pytest.raises(ValueError, match=f"from 1, as in .*@10; got '{name}'"):
            at_depth(name)


GRADES = cap.ScoreCounts.from_counts([4, 3, 2, 1], [9, 5, 3, 1], [1, 4, 9, 20])


@pytest.mark.parametrize("name", ["captured_response", "precision", "lift"])
@pytest.mark.parametrize("method", [None, "logit", "bootstrap"])
def test_limits_at_a_number_of_cases_are_those_at_their_share(name, method):
    asked = {"method": method, "level": 0.9}
    at_share = cap.confidence_interval(GRADES, name, q=13 / 52, **asked)
    at_number = cap.confidence_interval(GRADES, name, k=13, **asked)
    assert at_number == at_share
    assert cap.confidence_interval(GRADES, f"{name}@13", **asked) == at_share
    assert at_number.estimate == getattr(cap, name)(GRADES, k=13)


def test_precision_of_more_cases_than_there_are_is_out_of_k():
    found = cap.confidence_interval(GRADES, "P@104")
    half = cap.confidence_interval(GRADES, "precision", q=1)
    assert found.estimate == cap.precision(GRADES, k=104) == 18 / 104
    assert (found.low, found.high) == (half.low / 2, half.high / 2)
    assert cap.confidence_interval(GRADES, "recall@104").low == 1


def test_limits_of_amounts_at_a_number_of_rows():
    values = cap.count_values([5, 0, 3, 2, 0, 1], [6, 5, 4, 3, 2, 1])
    at_share = cap.confidence_interval(values, "recall", q=0.5)
    assert cap.confidence_interval(values, "recall@3") == at_share


def test_a_number_of_cases_is_a_cutoff_that_selects_no_more():
    found = [cap.operating_point(GRADES, k=k) for k in (9, 10, 18, 19, 51, 10**6)]
    assert [point.tp + point.fp for point in found] == [0, 10, 10, 19, 31, 52]
    n = GRADES.n
    assert all(
        cap.operating_point(GRADES, k=k) == cap.operating_point(GRADES, q=k / n)
        for k in range(1, n)
    )
    values = cap.count_values([5, 0, 3, 2, 0], [5, 4, 4, 2, 1])
    assert [cap.operating_point(values, k=k).n for k in range(1, 6)] == [1, 1, 3, 4, 5]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.confidence_interval(GRADES, "auc", k=3), "^k=3 is not used by roc_auc$"),
        (lambda: cap.confidence_interval(GRADES, "map@3"), "^k=3 is not used by average_precision"),
        (lambda: cap.confidence_interval(GRADES, "ks@3"), "^k=3 is not used by ks$"),
        (lambda: cap.confidence_interval(GRADES, "tnr", k=3), "^k=3 is not used by specificity$"),
        (lambda: cap.confidence_interval(GRADES, "recall@3", k=3), "'recall@3' says how many case"),
        (lambda: cap.confidence_interval(GRADES, "recall@x"), "as in recall@10; got 'recall@x'"),
        (lambda: cap.confidence_interval(GRADES, "lift", k=3, q=0.1), "give q= .* got both"),
        (
            lambda: cap.confidence_interval(GRADES, "lift", k=3, threshold=2),
            "needs q= .* and not b",
        ),
        (lambda: cap.confidence_interval(GRADES, "lift", k=0.5), "^k must be a whole number from"),
        (lambda: cap.confidence_interval(WEIGHTED, "lift", k=1), "k counts rows, and these are we"),
        (lambda: cap.confidence_interval(GRADES, "mrr"), 'mean_over.segments, metric="reciprocal_'),
        (lambda: cap.confidence_interval(GRADES, cap.ndcg), "one ranking does not show how ndcg v"),
        (lambda: cap.confidence_interval(GRADES, "hit@3"), "does not show how hit_rate varies"),
        (lambda: cap.operating_point(GRADES, k=3, q=0.1), "give exactly one of q, k, .*; got q, k"),
        (lambda: cap.operating_point(GRADES, k=0), "^k must be a whole number from 1 to"),
        (lambda: cap.operating_point(EXPOSED, k=1), "k counts rows, and these have an exposure"),
    ],
)
def test_depths_that_make_no_sense_are_refused_in_one_line(call, said):
    with pytest.raises(ValueError, match=said) as refused:
        call()
    assert "\n" not in str(refused.value)
