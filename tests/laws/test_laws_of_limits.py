"""Limits of one sample beside those of a worse one, and of one design beside another's."""

import numpy as np
import pytest

import capcurve as cap
from capcurve.inference.limits import ByError

AREAS = [
    ("average_precision", {}),
    ("roc_auc", {}),
    ("bedroc", {}),
    ("partial_accuracy_ratio", {"max_q": 0.1}),
    ("auarc", {}),
]


def with_last(positives, negatives, last):
    """Return positives above all negatives, but for the last few, below all of them."""
    labels = [1] * (positives - last) + [0] * negatives + [1] * last
    return cap.count_scores(labels, -np.arange(float(positives + negatives)))


@pytest.mark.parametrize(("metric", "options"), AREAS)
@pytest.mark.parametrize(("positives", "negatives"), [(8, 12), (30, 70), (200, 1800)])
def test_positives_moved_to_the_bottom_never_raise_a_lower_limit(
    metric, options, positives, negatives
):
    moved = [each for each in (0, 1, 2, 3, 5, 10) if each < positives]
    for side in ("both", "lower"):
        found = [
            cap.confidence_interval(
                with_last(positives, negatives, last), metric, side=side, **options
            )
            for last in moved
        ]
        lows = [each.low for each in found]
        assert lows == sorted(lows, reverse=True)
        assert all(each.low <= each.estimate <= each.high for each in found)


def test_one_odd_positive_of_many_does_not_blow_limits_up():
    found = cap.confidence_interval(with_last(200, 1800, 1), "average_precision")
    # 5 degrees of freedom: the limit of log odds is that of the number 2.57 errors away from 1.
    reach = 2.570582 * found.se
    turning = (1 - 2 * reach + np.sqrt(1 + 4 * reach**2)) / 2
    odds = np.log(turning / (1 - turning)) - reach / turning / (1 - turning)
    assert found.low == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)
    assert found.low == pytest.approx(0.9688, abs=1e-4)


def test_limits_by_log_odds_do_not_run_away_near_an_end():
    lows = [ByError(value, 0.01, 2.0).steady[0] for value in (0.9, 0.95, 0.99, 0.9999, 1.0)]
    assert lows == sorted(lows)
    assert ByError(0.9999, 0.01, 2.0).scaled[0] < 1e-50
    # Above 0 alone they are e times the reach, which x·exp(reach/x) is at least.
    assert ByError(1e-9, 0.01, 2.0, (0.0, np.inf)).steady[1] == pytest.approx(0.02 * np.e)
    for value in (0.3, 0.6):  # far from the ends they are the same
        found = ByError(value, 0.01, 2.0)
        assert found.steady == found.scaled


@pytest.mark.parametrize(("cases", "coverage"), [(20, 0.5), (200, 0.5), (1000, 0.9)])
def test_errors_among_the_answered_never_narrow_the_upper_limit_of_a_risk(cases, coverage):
    answered = round(cases * coverage)
    limits = []
    for errors in range(min(answered, 12)):
        labels = np.zeros(cases, dtype=int)
        labels[answered + 1 :: 2] = 1  # half of those that are not answered
        labels[np.linspace(0, answered - 1, errors).astype(int)] = 1
        counts = cap.count_scores(labels, np.arange(float(cases)))
        limits.append(cap.confidence_interval(counts, "selective_risk", coverage=coverage).high)
    assert limits == sorted(limits)


def test_a_risk_of_one_error_in_a_hundred_has_the_limits_of_a_rate():
    labels = np.zeros(200, dtype=int)
    labels[50], labels[160:] = 1, 1
    counts = cap.count_scores(labels, np.arange(200.0))
    found = cap.confidence_interval(counts, "selective_risk", coverage=0.5)
    # Clopper-Pearson of 1 in 100: the 97.5% quantile of a beta (2, 99).
    assert (found.estimate, found.high) == pytest.approx((0.01, 0.054459), abs=3e-5)


@pytest.mark.parametrize("errors", ["positives", "negatives"])
def test_risk_coverage_areas_allow_for_errors_among_the_surest(errors):
    perfect = [0] * 180 + [1] * 20
    scores = np.arange(200.0)
    if errors == "negatives":
        perfect, scores = [1 - each for each in perfect], -scores
    counts = cap.count_scores(perfect, scores)
    by_rule = {
        rule: cap.confidence_interval(counts, "aurc", errors=errors, unseen=rule)
        for rule in (None, "worst", "none")
    }
    # The share 1 - (1.25·0.05)^(1/20) of 20 errors has the weights -ln x of the first 2.59 cases.
    share = 1 - 0.0625**0.05
    assert 20 * share == pytest.approx(2.5890, abs=1e-4)
    found = by_rule[None]
    assert found.high == pytest.approx(
        found.estimate + 0.1 * share * (1 - np.log(share * 0.1)), rel=0.1
    )
    assert by_rule["none"].high < found.high < by_rule["worst"].high
    rarer, others = (
        ("positives", "negatives")
        if errors == "positives"
        else (
            "negatives",
            "positives",
        )
    )
    place = f"{'below' if errors == 'positives' else 'above'} all {others}"
    assert (
        f"the upper limit is what the number would be if 1 in 8 {rarer} were of a kind that "
        f"none of these 20 is, "
        f'ranked {place}; without such a kind (unseen="none") it is '
        f"{by_rule['none'].high:.3f}"
    ) in found.notes
    assert not any("kind" in note for note in by_rule["none"].notes)
    mirrored = cap.confidence_interval(counts, "auarc", errors=errors)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-12)


@pytest.mark.parametrize("ties", ["expected", "threshold"])
@pytest.mark.parametrize("times", [1.5, 20.0])
def test_weights_alike_in_each_class_have_the_limits_of_a_stated_prevalence(ties, times):
    rng = np.random.default_rng(5)
    labels = np.repeat([1, 0], [40, 60])
    scores = (rng.normal(size=100) + 1.2 * labels).round(1)
    weighted = cap.count_scores(
        labels, scores, weight=np.where(labels == 1, 1.0, times), weight_kind="sampling"
    )
    own = cap.confidence_interval(weighted, "average_precision", ties=ties)
    stated = cap.confidence_interval(
        cap.count_scores(labels, scores),
        "average_precision",
        ties=ties,
        prevalence=40 / (40 + 60 * times),
    )
    assert own.limits == pytest.approx(stated.limits, abs=1e-12)
    # The standard error is that of the weighted rows, whose prevalence is estimated.
    wald = cap.confidence_interval(weighted, "average_precision", ties=ties, method="wald")
    assert own.se == wald.se > stated.se
    assert own.notes[-1] == (
        "rows of each class weigh alike, so intervals are those of the prevalence their weights "
        "state"
    )


@pytest.mark.parametrize("weights", [(3.0, 3.0), (1.0, 7.0)])
@pytest.mark.parametrize("kind", ["sampling", "exposure"])
def test_weights_that_are_all_alike_have_the_limits_of_plain_rows(weights, kind):
    labels, scores = [1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    weighted = cap.count_scores(
        labels, scores, weight=[weights[label] for label in labels], weight_kind=kind
    )
    plain = cap.count_scores(labels, scores)
    # What each class weighs moves the average precision, and not the AUC.
    metrics = ("roc_auc", "accuracy_ratio", "average_precision")
    for metric in metrics if weights[0] == weights[1] else metrics[:2]:
        for asked in ({}, {"side": "lower"}, {"unseen": "worst", "level": 0.8}):
            found = cap.confidence_interval(weighted, metric, **asked)
            limits = cap.confidence_interval(plain, metric, **asked).limits
            assert found.limits == pytest.approx(limits, abs=1e-12)
            wald = cap.confidence_interval(weighted, metric, method="wald")
            assert (found.estimate, found.se) == (wald.estimate, wald.se)


def test_one_weight_that_hardly_differs_states_no_prevalence():
    rng = np.random.default_rng(6)
    labels = np.repeat([1, 0], [22, 32])
    scores = rng.normal(size=54) + labels
    weight = np.where(np.arange(54) == 30, 1.0001, 1.0)
    nearly = cap.count_scores(labels, scores, weight=weight, weight_kind="sampling")
    found = cap.confidence_interval(nearly, "average_precision")
    plain = cap.confidence_interval(cap.count_scores(labels, scores), "average_precision")
    assert found.limits == pytest.approx(plain.limits, abs=1e-4)
    assert not any("prevalence" in note for note in found.notes)


def test_the_risk_of_all_cases_has_the_limits_of_their_rate():
    counts = cap.count_scores([1] * 15 + [0] * 4, list(range(19, 0, -1)))
    found = cap.confidence_interval(counts, "selective_risk", coverage=1.0)
    rate = cap.confidence_interval(counts, "prevalence", method="clopper_pearson")
    assert found.limits == pytest.approx(rate.limits, abs=1e-7)


def test_areas_that_rounding_puts_beyond_an_end_have_limits():
    grades = cap.ScoreCounts.from_counts([4, 3, 2, 1], [14, 15, 9, 5], [2, 16, 8, 25])
    whole = cap.confidence_interval(grades, "partial_auc", max_fpr=1.0, level=0.8)
    area = cap.confidence_interval(grades, "roc_auc", level=0.8)
    assert whole.limits == pytest.approx(area.limits, abs=0.01)
    perfect = cap.count_scores([1] * 29 + [0] * 7, list(range(36, 0, -1)))
    assert cap.confidence_interval(perfect, "partial_auc", max_fpr=1.0).low > 0.6
    scores = np.append(np.linspace(0.1, 0.3, 10), np.linspace(0.5, 0.9, 40))
    wrong = cap.count_scores([1] * 10 + [0] * 40, scores)
    found = cap.confidence_interval(
        wrong, "partial_accuracy_ratio", max_q=0.3, side="upper", level=0.5
    )
    assert found.low <= found.estimate <= found.high


@pytest.mark.parametrize("max_q", [0.05, 0.1, 0.3])
@pytest.mark.parametrize(("positives", "negatives"), [(50, 500), (7, 90), (33, 61)])
def test_perfect_scores_have_limits_though_they_are_rounded(positives, negatives, max_q):
    counts = with_last(positives, negatives, 0)
    for metric, options in (("partial_accuracy_ratio", {"max_q": max_q}), ("bedroc", {})):
        found = cap.confidence_interval(counts, metric, **options)
        assert found.estimate == pytest.approx(1)
        assert 0.3 < found.low < 1
        assert found.high == pytest.approx(1)


@pytest.mark.parametrize("errors", [(), (5,), (5, 20), (5, 12, 20, 31, 40)])
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_clusters_never_make_the_limits_of_a_selective_risk_narrower(errors, side):
    # Of few errors the groups show hardly a spread: without any the upper limit of 50 answered was
    # 0.031, and that of Clopper and Pearson is 1 - 0.025^(1/50) = 0.071.
    labels = np.zeros(100, dtype=int)
    labels[[*errors, *range(50, 60)]] = 1
    asked = {"coverage": 0.5, "side": side}
    alone, joined = (
        cap.confidence_interval(
            cap.count_scores(labels, range(100), **more), "selective_risk", **asked
        )
        for more in ({}, {"cluster": np.arange(100) % 50})
    )
    assert joined.method == "jackknife"
    assert joined.low <= alone.low <= alone.estimate == joined.estimate
    assert joined.high >= alone.high
    assert side == "lower" or joined.high > 1 - 0.05 ** (1 / 50)


@pytest.mark.parametrize(("n", "of"), [(1500, "1,500"), (20, "20")])
def test_notes_on_a_kind_that_was_not_seen_give_whole_numbers_whole(n, of):
    labels = [*[1] * (n - 1), 0, 1, *[0] * (2 * n)]
    (note,) = cap.confidence_interval(
        cap.count_scores(labels, range(3 * n + 1, 0, -1)), "auc"
    ).notes
    assert f"none of these {of} is" in note
