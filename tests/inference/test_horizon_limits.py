"""Limits at a horizon: what has limits elsewhere has them there, and they are nearly the same."""

import numpy as np
import pytest

import capcurve as cap

ROWS = 300
# What `confidence_interval` takes of two classes, with what it is to be told.
NUMBERS = [
    ("ar", {}),
    ("roc_auc", {}),
    ("captured_response", {"q": 0.1}),
    ("captured_response", {"q": 0.3, "prevalence": 0.2}),
    ("lift", {"q": 0.1}),
    ("precision", {"q": 0.1}),
    ("specificity", {"q": 0.1}),
    ("fpr", {"q": 0.3}),
    ("captured_response", {"threshold": 0.7}),
    ("precision", {"threshold": 0.7}),
    ("lift", {"threshold": 0.7}),
    ("specificity", {"threshold": 0.7}),
    ("partial_auc", {"max_fpr": 0.2}),
    ("average_precision", {}),
    ("aurc", {}),
    ("excess_aurc", {}),
    ("augrc", {}),
    ("auarc", {}),
    ("selective_risk", {"coverage": 0.5}),
    ("rie", {}),
    ("bedroc", {}),
    ("partial_accuracy_ratio", {"max_q": 0.2}),
    ("work_saved_over_sampling", {}),
    ("profit", {"value": 10, "cost": 2}),
    ("prevalence", {}),
    ("ks", {}),
]


def sample(shift=1.8, share=0.15, decimals=8, seed=3):
    """Return scores, which rows are positive, and the times of their events."""
    generator = np.random.default_rng(seed)
    positive = generator.random(ROWS) < share
    score = np.round(generator.normal(size=ROWS) + shift * positive, decimals)
    return score, positive, np.where(positive, generator.uniform(0.1, 1, ROWS).round(3), 5.0)


@pytest.mark.parametrize(("name", "told"), NUMBERS, ids=str)
@pytest.mark.parametrize(
    ("decimals", "shift"),
    [
        *((0, 0.9), (8, 2.7)),
        *(pytest.param(*each, marks=pytest.mark.merge) for each in ((0, 2.7), (8, 0.9))),
    ],
)
def test_one_row_censored_of_300_moves_no_limit(name, told, decimals, shift):
    score, positive, time = sample(shift, decimals=decimals)
    gone = int(np.flatnonzero(~positive)[7])
    cut = time.copy()
    cut[gone] = 0.5  # so that later rows stand for a little more than earlier ones
    counts = cap.count_times(cut, positive.astype(int), score).at(3)
    assert 1 < counts.largest_weight < 1.01
    rest = np.arange(ROWS) != gone
    plain = cap.count_scores(positive[rest], score[rest])
    one, other = (cap.confidence_interval(each, name, **told) for each in (plain, counts))
    # The lower limit of KS is resampled.
    near = (0.08 if name == "ks" else 0.01) * (one.high - one.low)
    assert other.limits == pytest.approx(one.limits, abs=near)
    assert other.method == one.method


@pytest.mark.turns(3)
@pytest.mark.parametrize(("name", "told"), NUMBERS, ids=str)
def test_without_a_censored_row_limits_are_those_of_plain_counts(name, told):
    score, positive, time = sample()
    counts = cap.count_times(time, positive.astype(int), score).at(3)
    plain = cap.count_scores(positive, score)
    one, other = (cap.confidence_interval(each, name, **told) for each in (plain, counts))
    assert (one.limits, one.se, one.method) == (other.limits, other.se, other.method)


def censored(rows=400, seed=1, **words):
    """Return times of which about a third is censored before 2."""
    generator = np.random.default_rng(seed)
    score = generator.normal(size=rows).round(2)
    event = generator.exponential(5 / np.exp(score))
    left = generator.exponential(6, rows)
    time = np.minimum(event, left).round(2) + 0.01
    return cap.count_times(time, (event <= left).astype(int), score, **words)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("name", "told"), NUMBERS, ids=str)
def test_one_stratum_is_none_and_clusters_of_one_are_hardly_wider(name, told):
    plain = censored().at(2)
    alone = censored(stratum=["all"] * 400).at(2)
    one, other = (cap.confidence_interval(each, name, **told) for each in (plain, alone))
    assert one.low < one.estimate < one.high
    assert (one.limits, one.se) == (other.limits, other.se)
    if name == "work_saved_over_sampling":
        return
    clustered = cap.confidence_interval(censored(cluster=np.arange(400)).at(2), name, **told)
    assert clustered.method == "jackknife"
    if one.se is not None and name not in {"ks", "profit"}:
        assert clustered.se == pytest.approx(one.se, rel=0.35)


@pytest.mark.merge
def test_a_horizon_before_which_half_is_censored_has_wider_limits_than_all_rows_followed():
    generator = np.random.default_rng(6)
    score = generator.normal(size=2000)
    event = generator.exponential(4 / np.exp(1.2 * score))
    left = np.where(generator.random(2000) < 0.6, generator.uniform(0, 1, 2000), 9)
    time = np.minimum(event, left)
    counts = cap.count_times(time, (event <= left).astype(int), score).at(1)
    whole = cap.count_scores(event <= 1, score)
    for name, told in NUMBERS:
        if name == "profit":
            continue
        one, other = (cap.confidence_interval(each, name, **told) for each in (whole, counts))
        assert 1 < (other.high - other.low) / (one.high - one.low) < 3
        assert max(one.low, other.low) < min(one.high, other.high)


def joint(seed=3, **words):
    generator = np.random.default_rng(seed)
    score = generator.normal(size=400).round(2)
    event = generator.exponential(5 / np.exp(score))
    left = generator.exponential(6, 400)
    other = (0.6 * score + generator.normal(size=400)).round(2)
    rows = np.minimum(event, left).round(2) + 0.01, (event <= left).astype(int)
    return cap.count_joint_times(*rows, {"a": score, "b": other}, **words).at(2)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("average_precision", {}),
        ("captured_response", {"q": 0.2}),
        ("lift", {"q": 0.2}),
        ("aurc", {}),
        ("selective_risk", {"coverage": 0.6}),
    ],
)
@pytest.mark.parametrize("cluster", [None, np.arange(400) // 2])
def test_scores_are_compared_by_every_number_at_a_horizon(metric, told, cluster):
    words = {} if cluster is None else {"cluster": cluster}
    found = cap.compare(joint(**words), metric=metric, **told).pairs[0]
    turned = cap.compare(joint(**words), metric=metric, alternative="superior", **told).pairs[0]
    assert found.estimate == pytest.approx(found.estimates["a"] - found.estimates["b"])
    assert found.low < found.estimate < found.high
    lower_is_better = metric in {"aurc", "selective_risk"}
    better = (found.estimate < 0) is lower_is_better
    assert turned.p_value == pytest.approx(found.p_value / 2 if better else 1 - found.p_value / 2)


@pytest.mark.filterwarnings("ignore:there are 216 distinct scores")
@pytest.mark.parametrize("metric", ["ar", "average_precision", "aurc", "bedroc"])
def test_limits_of_a_difference_of_two_samples_join_those_of_each(metric):
    first, second = censored(seed=1).at(2), censored(seed=2).at(2)
    found = cap.compare_independent(first, second, metric=metric)
    one, other = (cap.confidence_interval(each, metric) for each in (first, second))
    low = found.estimate - np.hypot(one.estimate - one.low, other.high - other.estimate)
    high = found.estimate + np.hypot(one.high - one.estimate, other.estimate - other.low)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02)
    assert cap.test_against_initial(first, second, metric=metric).estimate == pytest.approx(
        -found.estimate
    )


@pytest.mark.merge
def test_bands_at_a_horizon_contain_their_curves_and_are_on_the_page():
    counts, both = censored().at(2), joint()
    for band in (cap.cap_band(counts, seed=1), cap.roc_band(counts, seed=1)):
        assert (band.low <= band.estimate).all()
        assert (band.estimate <= band.high).all()
        assert not [note for note in band.notes if "weigh" in note]
    found, turned = (
        cap.difference_band(both, scores, seed=1) for scores in (("a", "b"), ("b", "a"))
    )
    assert found.low == pytest.approx(-turned.high)
    alone = cap.roc_band(both.margin("a"), seed=1)
    assert 0.5 < np.mean(found.high - found.low) / np.mean(alone.high - alone.low) < 2
    page = cap.evaluate(counts).to_html()
    assert '"model":{' in page.replace(": ", ":")
    assert "so none is drawn" not in page


def test_the_band_of_weighted_rows_is_that_of_rows_repeated_where_all_weigh_alike():
    generator = np.random.default_rng(9)
    y = generator.integers(0, 2, 200)
    scores = {"a": generator.normal(size=200) + y, "b": generator.normal(size=200)}
    plain = cap.difference_band(cap.count_joint(y, scores), seed=1)
    words = {"weight": np.full(200, 3.0), "weight_kind": "sampling"}
    weighted = cap.difference_band(cap.count_joint(y, scores, **words), seed=1)
    assert weighted.estimate == pytest.approx(plain.estimate)
    assert np.mean(weighted.high - weighted.low) == pytest.approx(
        np.mean(plain.high - plain.low), rel=0.1
    )
    assert any("rows are weighted" in note for note in weighted.notes)


def test_uneven_weights_fade_in_what_limits_of_a_share_allow_for():
    generator = np.random.default_rng(4)
    y = generator.random(300) < 0.2
    score = generator.normal(size=300) + y
    plain = cap.confidence_interval(cap.count_scores(y, score), "captured", q=0.2)
    widths = []
    for heavy in (1.0, 1.001, 1.5, 3.0):
        weight = np.where(np.arange(300) % 3 == 0, heavy, 1.0)
        counts = cap.count_scores(y, score, weight=weight, weight_kind="sampling")
        found = cap.confidence_interval(counts, "captured", q=0.2)
        widths.append(found.high - found.low)
    assert widths[:2] == pytest.approx([plain.high - plain.low] * 2, rel=0.01)
    assert widths[1] < widths[2] < widths[3]


def test_the_largest_profit_does_not_depend_on_the_unit_of_weights():
    generator = np.random.default_rng(2)
    y = generator.random(300) < 0.2
    score = generator.normal(size=300) + y
    plain = cap.confidence_interval(cap.count_scores(y, score), "profit", value=10, cost=2)
    for unit in (1.0, 1024.0, 0.001):
        weight = np.full(300, unit)
        counts = cap.count_scores(y, score, weight=weight, weight_kind="sampling")
        found = cap.confidence_interval(counts, "profit", value=10, cost=2)
        assert found.high / unit == pytest.approx(plain.high, rel=0.01)
