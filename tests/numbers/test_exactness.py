"""Right to the last digit: huge counts, awkward scores, and weights of any size."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import capcurve as cap
import reference as exact
from capcurve.numbers.exact import DoubleDouble, exact_share, running

TINY = 5e-324


def auc(y, s, **keywords):
    return cap.roc_auc(cap.count_scores(np.asarray(y), s, **keywords))


def from_grades(positives, negatives):
    """Count grades that are listed most likely positive first."""
    scores = np.arange(len(positives), 0, -1)
    return cap.ScoreCounts.from_counts(scores, positives, negatives)


def exactly(table):
    """Sum in whole numbers: twice the wins of positives over negatives, and all pairs."""
    n0, below, twice = sum(n for _, n in table), 0, 0
    below = n0
    for p, n in table:
        below -= n
        twice += p * (2 * below + n)
    return twice, sum(p for p, _ in table) * n0


def assert_rounded_once(counts, table):
    twice, pairs = exactly(table)
    assert cap.roc_auc(counts) == float(Fraction(twice, 2 * pairs))
    assert cap.accuracy_ratio(counts) == float(Fraction(twice - pairs, pairs))


# Huge counts


huge = st.integers(0, 10**12 + 10**6)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(st.tuples(huge, huge).filter(any), min_size=1, max_size=12))
def test_cells_of_a_million_million(table):
    table = [*table, (10**12 + 1, 10**12 - 1)]
    assert_rounded_once(from_grades(*map(list, zip(*table, strict=True))), table)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(st.tuples(*[st.integers(1, 2**57)] * 2), min_size=1, max_size=10))
@example([(2**53 + 1, 2**53 + 3), (2**53 + 5, 1)])
@example([(2**31, 2**31), (1, 1)])
@example([(2**32 - 1, 2**31), (3, 2**32 + 1)])
@example([(3037000500, 3037000500)])
@example([(2**57, 1), (1, 2**57)])
def test_totals_beyond_2_to_53_and_pairs_beyond_2_to_64(table):
    counts = from_grades(*map(list, zip(*table, strict=True)))
    assert counts.n == sum(p + n for p, n in table)
    assert_rounded_once(counts, table)
    largest = max(
        abs(gap) for gap in exact.gaps([(None, Fraction(p), Fraction(n)) for p, n in table])
    )
    assert cap.ks(counts).statistic == pytest.approx(float(largest), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("power", [31, 32, 33, 40, 50, 58])
@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_pairs_at_the_edges_of_the_machine_word(power, offset):
    table = [(2**power + offset, 2 ** (power - 1)), (7, 2**power - offset), (2 ** (power - 1), 3)]
    assert_rounded_once(from_grades(*map(list, zip(*table, strict=True))), table)


def test_a_near_random_score_of_huge_counts_keeps_its_tiny_ratio():
    # Twice the wins exceed the pairs by one part in 10^24: only whole numbers can see it.
    table = [(10**12, 10**12), (10**12, 10**12 - 1)]
    counts = from_grades([10**12, 10**12], [10**12, 10**12 - 1])
    assert_rounded_once(counts, table)
    assert cap.accuracy_ratio(counts) < 0
    assert cap.roc_auc(counts) < 0.5


def test_merging_many_shards_beyond_2_to_53_loses_no_case():
    shard = from_grades([10**12 + 1, 3, 10**11], [10**12 - 7, 10**12, 1])
    total = cap.ScoreCounts.merge([shard] * 5000)
    assert total.n1 == 5000 * (10**12 + 1 + 3 + 10**11)
    assert total.n == 5000 * (3 * 10**12 + 10**11 - 2)
    assert total.n > 2**53
    cells = [(10**12 + 1, 10**12 - 7), (3, 10**12), (10**11, 1)]
    assert_rounded_once(total, [(p * 5000, n * 5000) for p, n in cells])
    assert total - shard + shard == total


def test_one_case_more_than_2_to_53_is_one_case_more():
    big = from_grades([2**53], [2**53])
    one = cap.ScoreCounts.from_counts([1], [1], [0])
    assert (big + one).n1 == 2**53 + 1
    assert (big + one).positives.tolist() == [2**53 + 1]
    assert (big + one) != big
    assert (big + one).digest() != big.digest()


def test_small_cells_that_add_up_past_their_width():
    for width in (2**8, 2**16, 2**32):
        half = from_grades([width - 1, 1], [1, width - 1])
        total = half + half + half
        assert total.positives.tolist() == [3 * (width - 1), 3]
        assert total.negatives.tolist() == [3, 3 * (width - 1)]


def test_totals_past_2_to_62_are_refused():
    with pytest.raises((ValueError, OverflowError), match=r"2\^62|2\*\*62|large|many|total"):
        from_grades([2**61, 2**61], [2**61, 2**61])
    half = from_grades([2**61], [2**60])
    with pytest.raises((ValueError, OverflowError), match=r"2\^62|2\*\*62|large|many|total"):
        half + half


def test_unsorted_tables_are_sorted():
    counts = cap.ScoreCounts.from_counts([2, 9, 4], [1, 5, 3], [7, 2, 4])
    assert counts.score.tolist() == [9, 4, 2]
    assert counts.positives.tolist() == [5, 3, 1]
    down = cap.ScoreCounts.from_counts([2, 9, 4], [1, 5, 3], [7, 2, 4], higher_is="negative")
    assert down.score.tolist() == [2, 4, 9]
    assert down.negatives.tolist() == [7, 4, 2]


def test_cells_of_zero_are_dropped():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [1, 0, 2], [1, 0, 0])
    assert counts.score.tolist() == [3, 1]
    assert counts == cap.ScoreCounts.from_counts([3, 1], [1, 2], [1, 0])


# Awkward scores

up = math.nextafter


def narrow(dtype, value):
    """Return a value and the next one up in a narrow type."""
    first = dtype(value)
    return np.array([first, np.nextafter(first, dtype(1))], dtype=dtype)


NEIGHBOURS = {
    "one ulp at a half": [0.5, up(0.5, 1)],
    "one ulp at a third": [1 / 3, up(1 / 3, 1)],
    "one ulp at 1e300": [1e300, up(1e300, math.inf)],
    "one ulp below zero": [up(-2.0, -3), -2.0],
    "subnormals": [0.0, TINY],
    "two subnormals": [TINY, 2 * TINY],
    "about zero": [-TINY, TINY],
    "a sum of tenths": [0.3, 0.1 + 0.2],
    "below infinity": [1.7976931348623157e308, math.inf],
    "minus infinity": [-math.inf, -1.7976931348623157e308],
    "both infinities": [-math.inf, math.inf],
    "int64 above 2^53": np.array([2**53, 2**53 + 1]),
    "int64 top": np.array([2**63 - 2, 2**63 - 1]),
    "int64 bottom": np.array([-(2**63), -(2**63) + 1]),
    "int64 ends": np.array([-(2**63), 2**63 - 1]),
    "uint64 above 2^63": np.array([2**63, 2**63 + 1], dtype=np.uint64),
    "uint64 top": np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64),
    "uint64 ends": np.array([0, 2**64 - 1], dtype=np.uint64),
    "lists of int above 2^53": [2**53, 2**53 + 1],
    "lists of int above 2^63": [2**63, 2**63 + 1],
    "bool": np.array([False, True]),
    "int8 ends": np.array([-128, 127], dtype=np.int8),
    "uint8": np.array([0, 255], dtype=np.uint8),
    "float32 one ulp": np.array(
        [0.1, np.nextafter(np.float32(0.1), np.float32(1))], dtype=np.float32
    ),
    "float32 subnormal": np.array([0, 1e-45], dtype=np.float32),
    "float16 one ulp": np.array(
        [0.5, np.nextafter(np.float16(0.5), np.float16(1))], dtype=np.float16
    ),
    "float16 infinity": np.array([65504, np.inf], dtype=np.float16),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbouring_scores_are_two_grades_in_the_right_order(name):
    pair = NEIGHBOURS[name]
    counts = cap.count_scores([0, 1], pair)
    assert len(counts) == 2
    assert cap.roc_auc(counts) == 1
    assert auc([1, 0], pair) == 0
    assert auc([1, 0], pair, higher_is="negative") == 1
    assert auc([0, 1], pair, higher_is="negative") == 0
    low, high = (v.item() if isinstance(v, np.generic) else v for v in pair)
    assert counts.score.tolist() == [high, low]
    if isinstance(pair, np.ndarray):
        assert counts.score.dtype == pair.dtype


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbouring_scores_do_not_mix_with_their_ties(name):
    low, high = NEIGHBOURS[name]
    pair = NEIGHBOURS[name]
    dtype = {"dtype": pair.dtype} if isinstance(pair, np.ndarray) else {}
    s = np.array([low, high, low, high, high], **dtype)
    # Positives: one low, two high. Negatives: one of each.
    counts = cap.count_scores([1, 1, 0, 1, 0], s)
    assert counts.positives.tolist() == [2, 1]
    assert counts.negatives.tolist() == [1, 1]
    assert cap.roc_auc(counts) == 7 / 12


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_two_zeros_are_one_score(dtype):
    y = [0, 1, 1]
    counts = cap.count_scores(y, np.array([-0.0, 0.0, -0.0], dtype=dtype))
    plain = cap.count_scores(y, np.array([0.0, 0.0, 0.0], dtype=dtype))
    assert len(counts) == 1
    assert cap.roc_auc(counts) == 0.5
    assert counts == plain
    assert counts.digest() == plain.digest()
    parts = cap.count_scores([0], np.array([-0.0], dtype=dtype)) + cap.count_scores(
        [1, 1], np.array([0.0, -0.0], dtype=dtype)
    )
    assert parts == plain
    assert parts.digest() == plain.digest()


def test_the_two_zeros_are_one_score_beside_another():
    y, other = [1, 0, 1], [2, 2, 1]
    joint = cap.count_joint(y, {"a": [0.0, -0.0, -0.0], "b": other})
    turned = cap.count_joint([0, 1, 1], {"a": [-0.0, 0.0, -0.0], "b": other})
    plain = cap.count_joint(y, {"a": [0.0, 0.0, 0.0], "b": other})
    assert len(joint) == 2
    assert joint == turned == plain
    assert joint.digest() == turned.digest() == plain.digest()
    parts = cap.count_joint([1], {"a": [-0.0], "b": [1]}) + cap.count_joint(
        [0, 1], {"a": [-0.0, 0.0], "b": [2, 2]}
    )
    assert parts.digest() == plain.digest()


def test_infinities_tie_with_themselves_only():
    s = [math.inf, math.inf, -math.inf, -math.inf, 0.0, 1e308]
    counts = cap.count_scores([1, 0, 1, 0, 1, 0], s)
    assert counts.score.tolist() == [math.inf, 1e308, 0.0, -math.inf]
    assert cap.roc_auc(counts) == float(exact.auc(exact.cells([1, 0, 1, 0, 1, 0], s)))
    assert cap.ks(counts).statistic == pytest.approx(1 / 3)


def test_the_smallest_int64_can_be_the_most_likely():
    s = np.array([-(2**63), 0, 2**63 - 1, -(2**63)])
    counts = cap.count_scores([1, 0, 0, 1], s, higher_is="negative")
    assert cap.accuracy_ratio(counts) == 1
    assert counts.score.tolist() == [-(2**63), 0, 2**63 - 1]
    assert cap.ks(counts).threshold == -(2**63)


def exact_or_refused(y, s):
    """Return the AUC, or None where the scores are refused."""
    try:
        return cap.roc_auc(cap.count_scores(y, s))
    except (ValueError, TypeError):
        return None


@pytest.mark.parametrize(
    "scores",
    [
        [-1, 2**63, 2**63 + 1],
        [0.5, 2**53, 2**53 + 1],
        [0, 2**64, 2**64 + 1],
        [False, 2**53, 2**53 + 1],
        [None, 2**53, 2**53 + 1],
        np.array([0, 1, 1 + np.finfo(np.longdouble).eps], dtype=np.longdouble),
        np.array([0, 2**53, 2**53 + 1], dtype=object),
    ],
    ids=str,
)
def test_scores_that_no_one_type_holds_are_exact_or_refused(scores):
    assert exact_or_refused([0, 0, 1], scores) in (1, None)


def test_float32_scores_tie_as_float32():
    s = np.array([0.1, 0.1 + 1e-9, 0.2], dtype=np.float32)
    counts = cap.count_scores([0, 1, 1], s)
    assert len(counts) == 2
    assert counts.score.dtype == np.float32


def test_strided_and_reversed_views_and_big_endian_are_read_right():
    base = np.arange(20.0)
    y = np.tile([0, 1], 10)
    expected = cap.count_scores(y[::-2].copy(), base[::-2].copy())
    assert cap.count_scores(y[::-2], base[::-2]) == expected
    swapped = cap.count_scores(y, base.astype(">f8"))
    assert swapped == cap.count_scores(y, base)
    assert swapped.digest() == cap.count_scores(y, base).digest()


# Merging unlike types


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.array([0.5, 0.25], dtype=np.float32), np.array([0.75, 0.5])),
        (np.array([1, 2], dtype=np.int32), np.array([2, 2**40])),
        (np.array([1, 2], dtype=np.int32), np.array([2.0, 0.5])),
        (np.array([1, 2], dtype=np.uint8), np.array([2, -5], dtype=np.int8)),
        (np.array([1, 2], dtype=np.uint32), np.array([2, -5], dtype=np.int64)),
        (np.array([0.5, 2], dtype=np.float16), np.array([2, 0.25], dtype=np.float32)),
    ],
    ids=lambda a: str(a.dtype),
)
def test_types_with_a_lossless_common_type_add(first, second):
    total = cap.count_scores([0, 1], first) + cap.count_scores([0, 1], second)
    table = exact.cells([0, 1, 0, 1], first.tolist() + second.tolist())
    assert total.score.tolist() == [score for score, _, _ in table]
    assert total.positives.tolist() == [p for _, p, _ in table]
    assert cap.roc_auc(total) == float(exact.auc(table))


def sum_or_refusal(a, b):
    """Return the sum, or what the refusal says."""
    try:
        return a + b
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.array([2**53, 2**53 + 1]), np.array([0.5, 2.0**53])),
        (np.array([-(2**63), 5]), np.array([0.5, -(2.0**63)])),
        (np.array([1, 2]), np.array([0.5, 2.0])),
        (np.array([-1, 2**53 + 1]), np.array([2**53, 2**63 + 1], dtype=np.uint64)),
        (np.array([1, 2]), np.array([2, 3], dtype=np.uint64)),
        (np.array([5, 6]), np.array([2**63 + 1, 2**63 + 2], dtype=np.uint64)),
        (np.array([0.5, 2.0**63]), np.array([2**63, 2**63 + 1], dtype=np.uint64)),
        (np.array([2**24, 2**24 + 1], dtype=np.int32), np.array([0.5, 2**24], dtype=np.float32)),
        (np.array([True, False]), np.array([1, 2**53 + 1])),
    ],
    ids=lambda a: f"{a.dtype} {a.tolist()}" if isinstance(a, np.ndarray) else str(a),
)
def test_types_without_one_add_exactly_or_are_refused(first, second, swap):
    first, second = (second, first) if swap else (first, second)
    total = sum_or_refusal(cap.count_scores([0, 1], first), cap.count_scores([0, 1], second))
    if isinstance(total, str):
        assert str(first.dtype) in total
        assert str(second.dtype) in total
        return
    table = exact.cells([0, 1, 0, 1], first.tolist() + second.tolist())
    assert total.score.tolist() == [score for score, _, _ in table]
    assert total.positives.tolist() == [p for _, p, _ in table]
    assert total.negatives.tolist() == [n for _, _, n in table]


def test_a_lossy_merge_is_refused():
    odd = cap.count_scores([0, 1], np.array([2**53, 2**53 + 1]))
    half = cap.count_scores([0, 1], np.array([0.5, 0.75]))
    with pytest.raises(ValueError, match=r"int64.*float64|float64.*int64"):
        odd + half
    with pytest.raises(ValueError, match=r"int64.*float64|float64.*int64"):
        cap.ScoreCounts.merge([half, odd])


# Weights of any size


def close(value):
    return pytest.approx(float(value), rel=1e-12, abs=0)


Y = [1, 0, 1, 0, 1, 0, 0, 1]
S = [5, 5, 4, 3, 3, 2, 1, 2]
W = [0.1, 0.7, 1.3, 0.2, 2.9, 0.05, 1.1, 0.33]
SIZES = [1.0, 1e300, 1e-300, 1e150, 1e-150, 1e-9, 1e15]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["sampling", "exposure"])
def test_fractional_weights_of_any_size(size, kind):
    weights = [w * size for w in W]
    counts = cap.count_scores(Y, S, weight=weights, weight_kind=kind)
    table = exact.cells(Y, S, weights)
    n1, n0 = exact.totals(table)
    assert cap.roc_auc(counts) == close(exact.auc(table))
    assert cap.accuracy_ratio(counts) == close(exact.accuracy_ratio(table))
    assert cap.ks(counts).statistic == close(exact.ks(table))
    assert cap.tie_mass(counts) == close(exact.ties(table))
    assert counts.prevalence == close(n1 / (n1 + n0))
    assert cap.cap_curve(counts).area == close(exact.area(exact.cap(table)))
    for q in (0.05, 0.3, 0.8):
        assert cap.captured_response(counts, q) == close(exact.at(exact.cap(table), q))
        assert cap.lift(counts, q) == close(exact.at(exact.cap(table), q) / Fraction(q))
    bounds = cap.accuracy_ratio_bounds(counts)
    assert bounds.high == close(exact.accuracy_ratio(table) + exact.ties(table))
    assert cap.partial_auc(counts, 0.25) == close(exact.area(exact.roc(table), 0.25))


@pytest.mark.parametrize(("ones", "zeros"), [(1e300, 1e-300), (1e-300, 1e300), (1e200, 1.0)])
def test_classes_weighted_six_hundred_decades_apart(ones, zeros):
    weights = [w * (ones if y else zeros) for w, y in zip(W, Y, strict=True)]
    counts = cap.count_scores(Y, S, weight=weights, weight_kind="sampling")
    table = exact.cells(Y, S, weights)
    assert cap.roc_auc(counts) == close(exact.auc(table))
    assert cap.accuracy_ratio(counts) == close(exact.accuracy_ratio(table))
    assert cap.ks(counts).statistic == close(exact.ks(table))


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9, 1e13])
def test_entropy_is_as_exact_for_rare_negatives_as_for_rare_positives(size):
    weights = [w * (size if y else 1.0) for w, y in zip(W, Y, strict=True)]
    keywords = {"weight": weights, "weight_kind": "exposure"}
    common = cap.count_scores(Y, S, **keywords)
    rare = cap.count_scores([1 - y for y in Y], S, **keywords)
    ratio = cap.conditional_information_entropy_ratio(rare)
    assert cap.conditional_information_entropy_ratio(common) == close(ratio)


def test_weights_of_many_sizes_at_once():
    weights = [1e-300, 1e300, 1.0, 1e-5, 1e299, 1e-200, 3e300, 1e300]
    counts = cap.count_scores(Y, S, weight=weights, weight_kind="sampling")
    table = exact.cells(Y, S, weights)
    assert cap.roc_auc(counts) == close(exact.auc(table))
    assert cap.ks(counts).statistic == close(exact.ks(table))


@given(
    st.lists(st.tuples(st.integers(0, 6), *[st.floats(0.01, 100)] * 2), min_size=1, max_size=20),
    st.sampled_from(SIZES),
)
def test_random_fractional_weights_of_any_size(cells, size):
    scores = [score for score, _, _ in cells] * 2
    weights = [w * size for _, w, _ in cells] + [w * size for _, _, w in cells]
    labels = [1] * len(cells) + [0] * len(cells)
    counts = cap.count_scores(labels, scores, weight=weights, weight_kind="exposure")
    table = exact.cells(labels, scores, weights)
    assert cap.roc_auc(counts) == close(exact.auc(table))
    ratio = pytest.approx(float(exact.accuracy_ratio(table)), rel=1e-12, abs=1e-13)
    assert cap.accuracy_ratio(counts) == ratio
    captured = exact.at(exact.cap(table), 0.4)
    assert cap.captured_response(counts, 0.4) == close(captured)


def test_merging_weighted_shards_of_any_size():
    for size in SIZES:
        weights = np.array(W) * size
        parts = [
            cap.count_scores(
                Y[i : i + 3], S[i : i + 3], weight=weights[i : i + 3], weight_kind="exposure"
            )
            for i in (0, 3, 6)
        ]
        table = exact.cells(Y, S, weights.tolist())
        assert cap.roc_auc(cap.ScoreCounts.merge(parts)) == close(exact.auc(table))


def test_many_small_weights_beside_one_large_lose_nothing():
    n = 100_000
    y = np.r_[1, np.zeros(n, dtype=int), np.ones(n, dtype=int)]
    s = np.r_[2, np.full(n, 1), np.full(n, 0)]
    w = np.r_[1.0, np.full(2 * n, 1e-5)]
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    small = Fraction(1e-5) * n
    assert cap.roc_auc(counts) == close(1 / (1 + small))


def test_large_frequency_weights_are_whole_and_exact():
    w = np.array([2**53 + 1, 10**12, 3, 2**54 + 1])
    counts = cap.count_scores([1, 0, 1, 0], [4, 3, 3, 1], weight=w, weight_kind="frequency")
    assert counts.positives.tolist() == [2**53 + 1, 3, 0]
    assert counts.negatives.tolist() == [0, 10**12, 2**54 + 1]
    assert_rounded_once(counts, [(2**53 + 1, 0), (3, 10**12), (0, 2**54 + 1)])


def test_frequency_weights_may_be_written_as_floats():
    counts = cap.count_scores([1, 0], [2, 1], weight=[3.0, 2.0], weight_kind="frequency")
    assert (counts.n1, counts.n0) == (3, 2)
    assert counts.positives.dtype.kind in "iu"


def test_small_integer_weights_do_not_overflow_their_type():
    w = np.full(1000, 200, dtype=np.uint8)
    y = np.arange(1000) % 2
    counts = cap.count_scores(y, np.zeros(1000), weight=w, weight_kind="frequency")
    assert (counts.n1, counts.n0) == (100_000, 100_000)
    exposure = cap.count_scores(y, y, weight=w, weight_kind="exposure")
    assert exposure.prevalence == 0.5
    assert exposure.positives.tolist() == [100_000, 0]


def test_rows_of_weight_zero_do_not_make_a_cell():
    counts = cap.count_scores([1, 0, 1], [3, 2, 1], weight=[0.0, 0.5, 0.5], weight_kind="sampling")
    assert counts.score.tolist() == [2, 1]
    assert cap.roc_auc(counts) == 0


# Many rows


def test_a_hundred_thousand_rows_agree_with_whole_number_sums():
    rng = np.random.default_rng(20)
    y = (rng.random(100_000) < 0.1).astype(np.int8)
    s = np.round(rng.normal(size=100_000) + y, 3)
    found, where = np.unique(-s, return_inverse=True)
    p = np.bincount(where, weights=y, minlength=len(found)).astype(int).tolist()
    n = np.bincount(where, weights=1 - y, minlength=len(found)).astype(int).tolist()
    assert_rounded_once(cap.count_scores(y, s), list(zip(p, n, strict=True)))
    assert cap.count_scores(y, s).positives.tolist() == p
    assert cap.count_scores(y, s).negatives.tolist() == n


# The same digits on every machine

SOURCE = Path(cap.__file__).parent
NUMBER = st.floats(-1e60, 1e60).filter(lambda x: x == 0 or abs(x) > 1e-60)
WHOLE = st.integers(-(2**63), 2**63 - 1)


def test_no_number_is_computed_in_the_widest_float_which_machines_differ_in():
    used = {
        path.name for path in SOURCE.rglob("*.py") if "np.longdouble" in path.read_text("utf-8")
    }
    assert used == {"rankable.py"}  # where scores of that type are refused


@given(st.one_of(NUMBER, WHOLE), st.one_of(NUMBER, WHOLE))
def test_double_double_holds_twice_the_digits(a, b):
    first, second = DoubleDouble.of(a), DoubleDouble.of(b)
    x, y = Fraction(a), Fraction(b)
    assert first.exact() == x
    found = {
        "+": (first + second, x + y),
        "-": (first - second, x - y),
        "*": (first * second, x * y),
    }
    if y:
        found["/"] = (first / second, x / y)
    for got, expected in found.values():
        assert abs(got.exact() - expected) <= abs(expected) * Fraction(2) ** -98
        assert got.high == float(expected)


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=50), st.floats(0, 1e10))
def test_running_sums_hold_twice_the_digits(column, before):
    found = running(np.array(column), DoubleDouble.of(before))
    total = Fraction(before)
    for place, value in enumerate([0.0, *column]):
        total += Fraction(value)
        assert abs(found[place].exact() - total) <= total * Fraction(2) ** -98


@pytest.mark.parametrize("size", [TINY, 1e-310, 1e-300, 1.0, 1e300, 1.7e308])
def test_shares_of_totals_of_any_size(size):
    assert exact_share(np.array([0.0, size]), size).high.tolist() == [0, 1]
    assert exact_share(np.array([size / 4]), size).high[0] == (size / 4) / size


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 1e9, 1e300])
def test_a_perfect_weighted_score_leaves_nothing_over(size):
    w = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.1]) * size
    counts = cap.count_scores([1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1], weight=w)
    assert cap.accuracy_ratio(counts) == cap.roc_auc(counts) == cap.ks(counts).statistic == 1
    assert cap.tie_mass(counts) == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=2))
def test_kendalls_tau_is_rounded_once(table):
    table = [(1, 0), *table, (0, 1)]
    counts = from_grades(*zip(*table, strict=True))
    twice, pairs = exactly(table)
    n = sum(map(sum, table))
    differing = (n**2 - sum(sum(cell) ** 2 for cell in table)) // 2
    squared = Fraction((twice - pairs) ** 2, pairs * differing)
    tau = cap.kendall_tau_b(counts)
    half = Fraction(float(np.spacing(abs(tau)))) / 2
    assert (tau > 0) == (twice > pairs)
    assert max(abs(Fraction(tau)) - half, 0) ** 2 <= squared <= (abs(Fraction(tau)) + half) ** 2
