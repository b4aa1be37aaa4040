"""Every metric has a mean over segments, inside its range, or is refused in one line."""

import math

import numpy as np
import pytest

import capcurve as cap
from capcurve.metrics import METRICS

NEEDED = {"q": 0.3, "max_fpr": 0.3, "value": 5, "cost": 1, "threshold": 0.3}
NEEDED |= {"coverage": 0.7, "max_q": 0.4, "k": 3}
RNG = np.random.default_rng(1)
BY = np.repeat(list("abcde"), 30)
Y = (RNG.random(150) < 0.4).astype(int)
# Coarse PDs, so that each occurs with both outcomes in every segment.
PD = np.clip(np.round((0.3 + 0.2 * Y + RNG.normal(0, 0.2, 150)) * 4) / 4, 0.25, 0.5)
AMOUNT = Y * RNG.integers(1, 9, 150)
COUNTS = {
    "classes": cap.count_segments(Y, PD, by=BY),
    "amounts": cap.count_value_segments(AMOUNT, PD, by=BY),
}
ASKED = [(name, kind) for name, metric in METRICS.items() for kind in COUNTS if kind in metric.of]


def asked(name):
    return {word: NEEDED[word] for word in METRICS[name].needs}


def plain(name, kind):
    return [METRICS[name].value(counts, **asked(name)) for counts in COUNTS[kind].values()]


@pytest.mark.parametrize(("name", "kind"), ASKED)
def test_drawn_segments_have_the_mean_of_the_plain_numbers(name, kind):
    values = plain(name, kind)
    found = cap.mean_over(COUNTS[kind], metric=name, **asked(name))
    assert found.estimate == pytest.approx(np.mean(values), rel=1e-12, abs=1e-14)
    assert found.se == pytest.approx(np.std(values, ddof=1) / np.sqrt(5), rel=1e-9, abs=1e-12)
    assert found.low <= found.estimate <= found.high
    assert found.low >= METRICS[name].ends[0]
    assert not math.isnan(found.low + found.high)
    if kind == "classes":
        assert found.high <= METRICS[name].ends[1]
    moved = cap.mean_over(
        {word: COUNTS[kind][word] for word in "edcba"}, metric=name, **asked(name)
    )
    assert (moved.low, moved.high) == pytest.approx((found.low, found.high), rel=1e-9, abs=1e-12)


def fixed(name, kind):
    """Return the mean over fixed segments, or the line that refuses it."""
    try:
        return cap.mean_over(COUNTS[kind], metric=name, segments="fixed", **asked(name))
    except (ValueError, TypeError) as refused:
        return str(refused)


@pytest.mark.parametrize(("name", "kind"), ASKED)
def test_fixed_segments_have_the_same_mean_or_are_refused(name, kind):
    found = fixed(name, kind)
    if isinstance(found, str):
        assert "drawn" in found
        assert "\n" not in found
        assert name not in ("roc_auc", "average_precision") or kind == "amounts"
        return
    assert kind == "classes"  # amounts are for drawn segments
    assert found.estimate == pytest.approx(np.mean(plain(name, kind)), rel=1e-12)
    assert found.se > 0
    assert METRICS[name].ends[0] <= found.low <= found.estimate <= found.high


@pytest.mark.parametrize("name", [name for name in METRICS if "classes" in METRICS[name].of])
def test_segments_that_lack_a_class_are_left_out_where_the_number_needs_it(name):
    """Without positives, without negatives: what the plain function refuses has no number."""
    y = np.where(BY == "a", 0, np.where(BY == "b", 1, Y))
    counts = cap.count_segments(y, PD, by=BY)
    lost, values = {}, []
    for each, reason in (("a", "no positives"), ("b", "no negatives"), *((g, "") for g in "cde")):
        try:
            values.append(METRICS[name].value(counts[each], **asked(name)))
        except ValueError:
            lost[reason] = 1
    found = cap.mean_over(counts, metric=name, **asked(name))
    assert dict(found.left_out) == lost
    assert found.n_segments == len(values)
    assert found.estimate == pytest.approx(np.mean(values), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("metric", ["lift", "observed_to_expected", "rie"])
def test_limits_of_numbers_without_an_upper_end_are_not_below_the_lower_one(metric):
    y = [1, 0, 0, 0, 1, 0, 0, 1]
    pd = [0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9, 0.1]
    options = {"q": 0.25} if metric == "lift" else {}
    found = cap.mean_over(y, pd, by=[1, 1, 1, 1, 2, 2, 2, 2], metric=metric, **options)
    assert 0 <= found.low < found.estimate < found.high


def test_amounts_above_1_have_limits_above_1():
    counts = cap.count_value_segments(100.0 * AMOUNT, PD, by=BY)
    for metric in ("aurc", "excess_aurc", "augrc"):
        small = cap.mean_over(COUNTS["amounts"], metric=metric)
        large = cap.mean_over(counts, metric=metric)
        assert large.low <= large.estimate <= large.high
        assert large.estimate == pytest.approx(100 * small.estimate)
        assert large.high == pytest.approx(100 * small.high)


def test_what_is_wrong_in_one_segment_is_refused_and_no_segment_left_out():
    """A score that is no PD, or a gain below zero, is an error and not a class that is lacking."""
    y, by = [1, 0, 1, 0], ["a", "a", "b", "b"]
    with pytest.raises(ValueError, match="PD"):
        cap.mean_over(y, [0.5, 0.2, 3, 0.1], by=by, metric="brier_score")
    with pytest.raises(ValueError, match="below zero"):
        cap.mean_over(cap.count_value_segments([1, 2, -1, 4], range(4), by=by), metric="ndcg")
    with pytest.raises(ValueError, match="threshold"):
        cap.mean_over(y, [0.5, 0.2, 0.3, 0.1], by=by, metric="net_benefit", threshold=2)
