"""Intervals of sensitivity, specificity and the false positive rate."""

import numpy as np
import pytest

import capcurve as cap
from capcurve import confidence_interval, rate_interval

TABLE = cap.ScoreCounts.from_counts([4, 3, 2, 1], [30, 20, 12, 8], [10, 40, 90, 160])


def close(expected):
    return pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["wilson", "mid_p", "clopper_pearson", "jeffreys"])
def test_at_a_cut_off_they_are_the_limits_of_a_rate(method):
    of_all = {"sensitivity": (50, 70), "specificity": (250, 300), "fpr": (50, 300)}
    for metric, (hits, cases) in of_all.items():
        found = confidence_interval(TABLE, metric, threshold=3, method=method)
        expected = rate_interval(hits, cases, method)
        assert [found.low, found.estimate, found.high] == pytest.approx(
            [expected.low, hits / cases, expected.high], rel=1e-9
        )


@pytest.mark.parametrize("how", [{"threshold": 3}, {"q": 0.2}, {"q": 0.2, "prevalence": 0.05}])
def test_what_is_left_is_what_is_not_captured(how):
    left, passed = (confidence_interval(TABLE, name, **how) for name in ("specificity", "fpr"))
    assert [left.low, left.high] == close([1 - passed.high, 1 - passed.low])
    lower = confidence_interval(TABLE, "tnr", side="lower", **how)
    upper = confidence_interval(TABLE, "fpr", side="upper", **how)
    assert (lower.high, upper.low) == (1, 0)
    assert lower.low == close(1 - upper.high)
    if "q" in how:
        value = cap.specificity(TABLE, **how)
        assert left.estimate == close(value)
        assert value == close(1 - cap.false_positive_rate(TABLE, **how))


def test_a_share_of_negatives_is_that_of_positives_with_the_classes_exchanged():
    turned = cap.ScoreCounts.from_counts([4, 3, 2, 1], TABLE.negatives, TABLE.positives)
    for method in ("profile", "logit", "wald", "bootstrap"):
        ours = confidence_interval(TABLE, "fpr", q=0.2, method=method)
        theirs = confidence_interval(turned, "captured_response", q=0.2, method=method)
        assert ours.limits == theirs.limits
    left = confidence_interval(TABLE, "specificity", q=0.2, method="bootstrap", replicates=200)
    drawn = np.quantile(left.replicates, [0.025, 0.975])
    assert drawn == pytest.approx([*left.limits], rel=1e-9)


def test_all_and_none_of_the_cases():
    everybody = confidence_interval(TABLE, "specificity", q=1)
    assert [everybody.low, everybody.estimate, everybody.high] == [0, 0, 0]
    none = confidence_interval(TABLE, "specificity", threshold=9)
    assert none.estimate == none.high == 1
    perfect = cap.ScoreCounts.from_counts([2, 1], [4, 0], [0, 9])
    found = confidence_interval(perfect, "specificity", q=0.2)
    assert found.estimate == found.high == 1 > found.low
    assert not any("positive" in note for note in found.notes)


def test_clustered_and_weighted_rows():
    rng = np.random.default_rng(1)
    y, score, cluster = rng.random(300) < 0.3, rng.normal(size=300), np.arange(300) // 3
    counts = cap.count_scores(y, score + y, cluster=cluster)
    turned = cap.count_scores(~y, score + y, cluster=cluster)
    for how in ({"q": 0.2}, {"threshold": 1.0}):
        ours = confidence_interval(counts, "fpr", **how)
        theirs = confidence_interval(turned, "captured_response", **how)
        assert ours.method == theirs.method == "jackknife"
        assert ours.limits == theirs.limits
    weight = rng.integers(1, 4, 300).astype(float)
    rows = {"weight": weight, "weight_kind": "sampling"}
    ours = confidence_interval(cap.count_scores(y, score, **rows), "fpr", threshold=0.5)
    theirs = confidence_interval(cap.count_scores(~y, score, **rows), "tpr", threshold=0.5)
    assert ours.limits == theirs.limits


def test_what_they_need_is_said():
    with pytest.raises(ValueError, match=r"the interval of specificity needs q= .*\s.*threshold="):
        confidence_interval(TABLE, "specificity")
    with pytest.raises(ValueError, match="of two classes"):
        confidence_interval(cap.count_values([1, 0, 3], [3, 2, 1]), "specificity", q=0.5)
