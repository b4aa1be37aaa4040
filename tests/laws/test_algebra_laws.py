"""What counts of scores tell stays the same, in whatever order their rows came."""

import numpy as np
import pytest
import strategies as some
from hypothesis import given, strategies as st

import capcurve as cap


def bits(counts):
    """Every number here is compared to the last bit."""
    ks = cap.ks(counts)
    return (
        cap.accuracy_ratio(counts),
        cap.roc_auc(counts),
        cap.tie_mass(counts),
        (ks.statistic, ks.q, ks.threshold, ks.side),
        cap.captured_response(counts, 0.3),
        cap.bayesian_error_rate(counts),
        cap.cap_curve(counts).area,
    )


@given(some.rows(), st.randoms(use_true_random=False))
def test_row_order_never_matters(data, random):
    y, s = data
    order = list(range(len(y)))
    random.shuffle(order)
    straight, shuffled = cap.count_scores(y, s), cap.count_scores(y[order], s[order])
    assert straight == shuffled
    assert straight.digest() == shuffled.digest()
    assert bits(straight) == bits(shuffled)


@given(some.rows())
def test_counts_know_their_totals(data):
    y, s = data
    counts = cap.count_scores(y, s)
    assert (counts.n, counts.n1, counts.n0) == (len(y), sum(y), len(y) - sum(y))
    assert counts.prevalence == sum(y) / len(y)
    assert len(counts) == len(set(s.tolist()))
    assert counts.positives.sum() == counts.n1
    assert counts.negatives.sum() == counts.n0


@given(some.rows(), st.integers(0, 10**6))
def test_the_digest_sees_one_changed_label(data, where):
    y, s = data
    changed = y.copy()
    changed[where % len(y)] ^= 1
    assert cap.count_scores(y, s).digest() != cap.count_scores(changed, s).digest()
    assert cap.count_scores(y, s) != cap.count_scores(changed, s)


def test_fractional_counts_do_not_subtract():
    counts = cap.count_scores([0, 1], [0.25, 0.75], weight=[0.1, 0.7], weight_kind="exposure")
    with pytest.raises(ValueError, match=r"whole|weight"):
        counts - counts


@given(some.rows(), st.lists(st.sampled_from(["jan", "feb", "mar"]), min_size=27, max_size=27))
def test_segments_sum_to_the_whole(data, months):
    y, s = data
    by = np.array(months[: len(y)])
    segments = cap.count_segments(y, s, by=by)
    assert set(segments) == set(by.tolist())
    assert cap.ScoreCounts.merge(segments.values()) == cap.count_scores(y, s)
    for month, counts in segments.items():
        assert counts == cap.count_scores(y[by == month], s[by == month])


def test_joint_counts_of_other_names_do_not_add():
    joint = cap.count_joint([1, 0, 1], {"a": [1, 2, 3], "b": [3, 1, 2]})
    other = cap.count_joint([1, 0, 1], {"a": [1, 2, 3], "c": [3, 1, 2]})
    with pytest.raises(ValueError, match="names="):
        joint + other
