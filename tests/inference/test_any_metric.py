"""A metric that tells how far each case moves it has limits and tests without more code."""

import dataclasses
import math

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference import variances
from capcurve.inference.rates import both_limits
from capcurve.inference.records import Confidence
from capcurve.metrics import METRICS, Metric
from capcurve.metrics.registry import MetricFrame

RNG = np.random.default_rng(11)
Y = (RNG.random(900) < 0.2).astype(int)
S = RNG.normal(size=900) + Y
T = S + RNG.normal(size=900)
CLUSTERS = RNG.integers(0, 60, 900)


def rates(counts):
    """Return the rates of both classes above a score of 0, and which cells lie there."""
    above = counts.thresholds >= 0
    return [
        float(column[above].sum() / column.sum()) for column in (counts.positives, counts.negatives)
    ], above


def youden(counts):
    (tpr, fpr), _ = rates(counts)
    return tpr - fpr


def youden_moves(counts):
    (tpr, fpr), above = rates(counts)
    return above - tpr, fpr - above


def false_positives(counts):
    return rates(counts)[0][1]


def false_positive_moves(counts):
    (_, fpr), above = rates(counts)
    return np.zeros(len(counts)), above - fpr


def tenfold(counts):
    return 10 * rates(counts)[0][0]


def tenfold_moves(counts):
    (tpr, _), above = rates(counts)
    return 10 * (above - tpr), np.zeros(len(counts))


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    several = (
        Metric(function=youden, label="Youden's J", ends=(-1.0, 1.0), influence=youden_moves),
        Metric(function=tenfold, label="tenfold", ends=(0, math.inf), influence=tenfold_moves),
        Metric(
            function=false_positives,
            label="false positive rate",
            worthless=1.0,
            frame=lambda _counts: MetricFrame(1.0, 0.0),
            influence=false_positive_moves,
        ),
        Metric(name="own_auc", function=cap.roc_auc, label="AUC", influence=variances.deviations),
    )
    for metric in several:
        monkeypatch.setitem(METRICS._metrics, metric.name, metric)


def test_the_standard_error_is_that_of_two_rates():
    counts = cap.count_scores(Y, S)
    (tpr, fpr), _ = rates(counts)
    se = math.sqrt(tpr * (1 - tpr) / (counts.n1 - 1) + fpr * (1 - fpr) / (counts.n0 - 1))
    found = cap.confidence_interval(counts, "youden")
    assert found.estimate == tpr - fpr
    assert found.method == "envelope"
    assert found.se == pytest.approx(se)
    plain = cap.confidence_interval(counts, youden, method="wald")
    assert (plain.low + plain.high) / 2 == pytest.approx(found.estimate)
    drawn = cap.confidence_interval(counts, "youden", method="bootstrap", replicates=400, seed=1)
    assert drawn.method == "bootstrap"
    assert drawn.se == pytest.approx(se, rel=0.1)


def test_limits_stay_in_the_range():
    few = cap.count_scores([1, 1, 1, 0, 0, 0], [2, 1, -1, -1, -2, -3])
    found = cap.confidence_interval(few, "youden", level=0.999)
    assert -1 <= found.low < found.estimate < found.high <= 1
    positive = cap.confidence_interval(few, "tenfold", level=0.999)
    assert 0 <= positive.low < positive.estimate < positive.high
    by_logarithm = cap.confidence_interval(few, "tenfold", level=0.999, method="logit_t")
    # Limits by the logarithm run away near 0; the envelope has those of 2.72 reaches at most.
    assert 0 < by_logarithm.low < positive.estimate < positive.high < by_logarithm.high / 1000
    one = cap.confidence_interval(cap.count_scores([1, 0, 0], [1, 0, -1]), "youden")
    assert (one.low, one.high, one.se) == (-1, 1, None)


def test_the_auc_by_its_influences_is_delongs():
    counts, joint = cap.count_scores(Y, S), cap.count_joint(Y, {"s": S, "t": T})
    own, known = (cap.confidence_interval(counts, name) for name in ("own_auc", "roc_auc"))
    assert own.se == pytest.approx(known.se, rel=1e-12)
    pairs = [cap.compare(joint, metric=name).pairs[0] for name in ("own_auc", "roc_auc")]
    for name in ("estimate", "se"):
        assert getattr(pairs[0], name) == pytest.approx(getattr(pairs[1], name), rel=1e-12)
    drawn = cap.confidence_interval(counts, "own_auc", method="bootstrap", replicates=400, seed=1)
    assert drawn.se == pytest.approx(known.se, rel=0.1)


def test_leaving_out_groups_is_near_that_of_the_auc():
    counts = cap.count_scores(Y, S, cluster=CLUSTERS)
    own, known = (cap.confidence_interval(counts, name) for name in ("own_auc", "roc_auc"))
    assert own.method == "jackknife"
    assert own.se == pytest.approx(known.se, rel=0.03)
    alone = cap.confidence_interval(counts, "own_auc", method="logit_t")
    assert "leaves out whole clusters" in alone.notes[-1]
    joint = cap.count_joint(Y, {"s": S, "t": T}, cluster=CLUSTERS)
    pairs = [cap.compare(joint, metric=name).pairs[0] for name in ("own_auc", "roc_auc")]
    assert pairs[0].se == pytest.approx(pairs[1].se, rel=0.05)


@pytest.mark.parametrize("law", ["mover", "welch", "normal"])
def test_two_samples_are_compared(law):
    first, second = cap.count_scores(Y[:400], S[:400]), cap.count_scores(Y[400:], T[400:])
    found = cap.compare_independent(first, second, metric="youden", law=law)
    assert found.metric == "youden"
    assert found.estimate == pytest.approx(youden(first) - youden(second))
    ses = [cap.confidence_interval(counts, "youden").se for counts in (first, second)]
    assert found.se == pytest.approx(math.hypot(*ses))
    assert found.low < found.estimate < found.high
    assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_todays_number_is_compared_with_the_first():
    initial, now = cap.count_scores(Y[:400], S[:400]), cap.count_scores(Y[400:], T[400:])
    with pytest.warns(UserWarning, match="rating grades"):
        known = cap.test_against_initial(now, youden(initial), metric="youden")
    with pytest.warns(UserWarning, match="rating grades"):
        two = cap.test_against_initial(now, initial, metric="youden")
    assert known.estimate == two.estimate == pytest.approx(youden(initial) - youden(now))
    assert known.p_value < two.p_value
    with pytest.raises(ValueError, match=r"in \[-1, 1\], got 2"):
        cap.test_against_initial(now, 2, metric="youden")


def test_what_no_case_was_seen_of_makes_it_worse_in_its_own_direction():
    none = cap.count_scores([1] * 20 + [0] * 40, [1] * 20 + [-1] * 40)
    found = cap.confidence_interval(none, "false_positives")
    assert (found.low, found.estimate) == (0, 0)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 20))
    one = cap.count_scores([1] * 20 + [0] * 40, [1] * 20 + [1] + [-1] * 39)
    found = cap.confidence_interval(one, "false_positives")
    assert 0 <= found.low < 1 / 40 < 1 - 0.025 ** (1 / 20) <= found.high


def test_a_metric_tells_a_cautious_estimate_and_how_many_cases_it_is_about(monkeypatch):
    counts = cap.count_scores(Y, S)
    plain = cap.confidence_interval(counts, "youden")

    def told(**fields):
        metric = dataclasses.replace(METRICS["youden"], name="told", **fields)
        monkeypatch.setitem(METRICS._metrics, "told", metric)
        return cap.confidence_interval(counts, "told")

    lower = told(cautious=lambda counts: youden(counts) - 0.1)
    assert (lower.low, lower.high) == (pytest.approx(plain.low - 0.1, abs=0.01), plain.high)
    few = told(looks_at=lambda: 5 / 900)
    # Of 5 cases the share won is about 2, so both limits are those of a rate, each of which may
    # miss 1.25 times as often as both limits may: in 6.25%.
    low, high = both_limits(5 * plain.estimate, 5, "clopper_pearson", Confidence(0.875))
    assert few.limits == pytest.approx((float(low), float(high)))


def test_equal_weights_change_no_limit():
    alike = cap.count_scores(Y, S, weight=np.full(900, 2.5), weight_kind="sampling")
    found = cap.confidence_interval(alike, "own_auc")
    assert found.limits == pytest.approx(
        cap.confidence_interval(cap.count_scores(Y, S), "own_auc").limits, rel=1e-9
    )
    assert "as heavy as the heaviest" in found.notes[0]


def test_other_options_are_refused():
    counts = cap.count_scores(Y, S)
    with pytest.raises(ValueError, match=r"q=0\.1 is not used by youden"):
        cap.confidence_interval(counts, "youden", q=0.1)
    with pytest.raises(
        ValueError, match="'envelope', 'logit_t', 'wald', 'bootstrap'; got 'newcombe'"
    ):
        cap.confidence_interval(counts, "youden", method="newcombe")
    with pytest.raises(ValueError, match="is a formula for AUCs"):
        cap.compare_independent(counts, counts, metric="youden", variance="ij", law="welch")


def test_without_a_spread_all_is_possible():
    perfect = cap.count_joint([1, 1, 0, 0], {"a": [1, 1, -1, -1], "b": [-1, -1, 1, 1]})
    found = cap.compare(perfect, metric="youden").pairs[0]
    assert (found.estimate, found.low, found.high) == (2, -2, 2)
    assert "largest that the metric's range" in found.notes[-2]
