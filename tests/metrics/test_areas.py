"""Laws of the weighted areas of the CAP: ties, weights, shards, edges, digits, clusters."""

import itertools
import json
import math

import numpy as np
import pytest

import capcurve as cap
from capcurve.metrics import METRICS
from cli_calls import call

RNG = np.random.default_rng(11)
Y = (RNG.random(300) < 0.3).astype(int)
S = np.round(RNG.normal(size=300) + Y, 1)
T = RNG.normal(size=300) + Y / 2
COUNTS = cap.count_scores(Y, S)
OF_ERRORS = ("aurc", "excess_aurc", "auarc", "augrc")
ASKED = {
    **{name: {} for name in OF_ERRORS},
    "selective_risk": {"coverage": 0.7},
    "rie": {"alpha": 8.0},
    "bedroc": {"alpha": 8.0},
    "partial_accuracy_ratio": {"max_q": 0.3},
    "work_saved_over_sampling": {"captured": 0.9},
}
NAMES = tuple(ASKED)
# Limits by resampling take longest.
SLOW_LATER = [
    pytest.param(n, marks=pytest.mark.merge if n == "work_saved_over_sampling" else ())
    for n in NAMES
]


def value(name, counts, **other):
    return getattr(cap, name)(counts, **ASKED[name], **other)


def of_order(labels):
    """AURC, RIE and the error rate of the surest 70% of rows, the least sure first."""
    labels = np.asarray(labels)
    n, rank = len(labels), np.arange(len(labels))
    aurc = np.mean(np.cumsum(labels[::-1]) / (rank + 1))
    weights = np.exp(-8 * rank / n) - np.exp(-8 * (rank + 1) / n)
    rie = (labels * weights).sum() / labels.sum() * n / (1 - math.exp(-8))
    return aurc, rie


def test_inside_ties_they_are_the_mean_over_all_orders():
    labels, score = [1, 0, 1, 0, 0, 1, 0], [3, 3, 3, 2, 2, 2, 1]
    orders = [
        [labels[place] for place in (*first, *second, 6)]
        for first in itertools.permutations(range(3))
        for second in itertools.permutations(range(3, 6))
    ]
    expected = np.mean([of_order(order) for order in orders], axis=0)
    counts = cap.count_scores(labels, score)
    assert [value("aurc", counts), value("rie", counts)] == pytest.approx(expected, rel=1e-13)


def test_a_constant_confidence_has_one_value():
    # By the order of the rows AUARC of 70 right and 30 wrong is 0.95, 0.34 or 0.68.
    constant = cap.count_scores([1] * 30 + [0] * 70, [1] * 100)
    assert cap.aurc(constant) == pytest.approx(0.3, rel=1e-14)
    assert cap.auarc(constant) == pytest.approx(0.7, rel=1e-14)
    assert cap.augrc(constant) == 0.15
    assert cap.selective_risk(constant, 0.2) == pytest.approx(0.3)
    assert cap.rie(constant) == 1
    assert cap.partial_accuracy_ratio(constant, 0.2) == pytest.approx(0, abs=1e-15)
    assert cap.work_saved_over_sampling(constant) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("name", SLOW_LATER)
def test_order_shards_and_transforms_change_no_bit(name):
    shuffled = RNG.permutation(300)
    others = [
        cap.count_scores(Y[shuffled], S[shuffled]),
        cap.count_scores(Y[:90], S[:90]) + cap.count_scores(Y[90:], S[90:]),
        cap.count_scores(Y, np.exp(S)),
        cap.count_scores(Y, -S, higher_is="negative"),
    ]
    assert {value(name, each) for each in others} == {value(name, COUNTS)}
    asked = (name, *ASKED[name].items())
    limits = {cap.confidence_interval(c, name, **ASKED[name]).limits for c in (COUNTS, *others)}
    assert len(limits) == 1, asked


@pytest.mark.parametrize("name", NAMES)
def test_weights(name):
    alike = cap.count_scores(Y, S, weight=np.full(300, 2.5), weight_kind="sampling")
    assert value(name, alike) == pytest.approx(value(name, COUNTS), rel=1e-11, abs=1e-13)
    times = RNG.integers(1, 4, 300)
    rows = cap.count_scores(np.repeat(Y, times), np.repeat(S, times))
    frequent = cap.count_scores(Y, S, weight=times, weight_kind="frequency")
    assert value(name, frequent) == value(name, rows)


@pytest.mark.parametrize("name", [*OF_ERRORS, "selective_risk"])
def test_right_answers_as_positives_swap_the_classes_and_the_order(name):
    right = cap.count_scores(1 - Y, -S)
    how = {"weight": RNG.exponential(size=300), "weight_kind": "sampling"}
    weighted = cap.count_scores(Y, S, **how), cap.count_scores(1 - Y, -S, **how)
    pairs = [(COUNTS, right), weighted]
    for errors, answers in pairs:
        found = value(name, answers, errors="negatives")
        assert found == pytest.approx(value(name, errors), rel=1e-12)
    with pytest.raises(ValueError, match='errors must be "positives" or "negatives", got'):
        value(name, COUNTS, errors="wrong")


def test_few_negatives_beside_very_many_positives_have_limits():
    # Their share is 1e-17, which one less the share of positives loses.
    weighed = cap.count_scores(
        [1, 0, 1, 0, 1, 0] * 4,
        [3, 3, 2, 2, 1, 1] * 4,
        weight=[1e9, 1e-8, 2e9, 2e-8, 3e9, 1e-8] * 4,
        weight_kind="sampling",
    )
    for name, alike in (("rie", 1.0), ("bedroc", cap.bedroc(weighed))):
        found = cap.confidence_interval(weighed, name)
        assert found.estimate == pytest.approx(alike, rel=1e-9)
        assert 0 <= found.low <= found.estimate <= found.high


@pytest.mark.merge
def test_laws():
    for counts in (COUNTS, cap.count_scores(Y, T)):
        rate, auc = counts.n1 / counts.n, cap.roc_auc(counts)
        assert cap.partial_accuracy_ratio(counts, 1) == cap.accuracy_ratio(counts)
        near = cap.partial_accuracy_ratio(counts, 1 - 1e-9)
        assert near == pytest.approx(cap.accuracy_ratio(counts), rel=1e-7)
        assert cap.augrc(counts) == pytest.approx(rate * (1 - rate) * (1 - auc) + rate**2 / 2)
        assert cap.auarc(counts) == 1 - cap.aurc(counts)
        assert cap.selective_risk(counts, 1) == pytest.approx(rate, rel=1e-15)
        captured = cap.captured_response(counts, 0.4)
        assert cap.selective_risk(counts, 0.6) == pytest.approx(rate * (1 - captured) / 0.6)
        all_cases = cap.selective_risk(counts, 0.6, generalised=True)
        assert all_cases == pytest.approx(rate * (1 - captured))
        assert cap.bedroc(counts, alpha=1e-9) == auc
        assert cap.bedroc(counts, alpha=1e-5) == pytest.approx(auc, abs=1e-4)
        grid = np.arange(1, 2001) / 2000
        areas = [cap.selective_risk(counts, c, generalised=True) for c in grid]
        assert np.mean(areas) == pytest.approx(cap.augrc(counts), abs=1e-3)


def test_the_best_and_the_worst_order():
    best = cap.count_scores([1] * 20 + [0] * 80, range(100, 0, -1))
    worst = cap.count_scores([0] * 80 + [1] * 20, range(100, 0, -1))
    harmonic = sum(1 / k for k in range(81, 101))
    assert cap.aurc(best) == pytest.approx((20 - 80 * harmonic) / 100, rel=1e-12)
    assert cap.excess_aurc(best) == 0
    assert cap.excess_aurc(worst) == pytest.approx(cap.aurc(worst) - cap.aurc(best))
    assert (cap.bedroc(best), cap.bedroc(worst)) == (pytest.approx(1), pytest.approx(0, abs=1e-12))
    assert cap.partial_accuracy_ratio(best, 0.3) == pytest.approx(1)
    assert cap.partial_accuracy_ratio(worst, 0.3) == pytest.approx(-0.045 / 0.155)
    assert cap.work_saved_over_sampling(best) == pytest.approx(0.95 - 0.19)


def test_one_class_alone():
    none, only = cap.count_scores([0, 0, 0], [1, 2, 2]), cap.count_scores([1, 1, 1], [1, 2, 2])
    assert [value(name, none) for name in OF_ERRORS] == [0, 0, 1, 0]
    assert [value(name, only) for name in OF_ERRORS] == [1, 0, 0, 0.5]
    assert (value("selective_risk", none), value("selective_risk", only)) == (0, 1)
    for name in ("rie", "bedroc", "partial_accuracy_ratio", "work_saved_over_sampling"):
        with pytest.raises(ValueError, match="no positives among the 3 cases"):
            value(name, none)
    for name in ("bedroc", "partial_accuracy_ratio"):
        with pytest.raises(ValueError, match="no negatives among the 3 cases"):
            value(name, only)
    for name in OF_ERRORS:
        with pytest.raises(ValueError, match="no positives"):
            cap.confidence_interval(none, name)
    found = cap.confidence_interval(none, "selective_risk", coverage=1)
    assert found.limits == (0, pytest.approx(1 - 0.025 ** (1 / 3)))


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("rie", {"alpha": 0}),
        ("bedroc", {"alpha": math.inf}),
        ("partial_accuracy_ratio", {"max_q": 1.2}),
        ("selective_risk", {"coverage": 0}),
        ("work_saved_over_sampling", {"captured": -1}),
    ],
)
def test_numbers_outside_their_range_are_refused_in_one_line(name, option):
    for ask in (getattr(cap, name), lambda *a, **k: cap.confidence_interval(a[0], name, **k)):
        with pytest.raises(ValueError, match=f"{next(iter(option))} must") as refused:
            ask(COUNTS, **option)
        assert "\n" not in str(refused.value)


def test_totals_of_a_ranking_tell_the_augrc_alone():
    score = np.arange(20_000)[::-1]
    totals = cap.count_sorted([(score, score % 2, 1 - score % 2)], n1=10_000, n0=10_000)
    rows = cap.count_scores(score % 2, score)
    assert cap.augrc(totals) == cap.augrc(rows)
    for name in set(NAMES) - {"augrc", "selective_risk"}:
        with pytest.raises(cap.NotHeldError, match="resolution="):
            value(name, totals)


def test_digits_at_a_trillion_cases():
    # The only error is in a tie of m after n right ones: the mean of j/(n + j) over m, by n + m.
    n, m = 10**12, 10
    counts = cap.ScoreCounts.from_counts([2, 1], [1, 0], [m - 1, n])
    exact = math.fsum(j / (n + j) for j in range(1, m + 1)) / m / (n + m)
    assert cap.aurc(counts) == pytest.approx(exact, rel=1e-12)
    few = cap.ScoreCounts.from_counts([3, 2, 1], [1, 1, 0], [1, 0, 3 * 10**6])
    ranks = 3 * 10**6 + np.arange(1, 4)
    exact = math.fsum([1 / ranks[0], (1 + 2) / 2 / ranks[1], 2 / ranks[2]]) / ranks[2]
    assert cap.aurc(few) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if METRICS[name].influence])
def test_the_influence_is_the_derivative_of_the_straight_line(name):
    metric = METRICS[name].given(**ASKED[name])
    columns = [COUNTS.positives + 1 / 3, COUNTS.negatives + 1 / 3]
    influences = metric.influence(cap.ScoreCounts.from_counts(COUNTS.score, *columns))
    step = 1e-4 * math.pi  # no whole number of cases
    for cell, which in itertools.product(range(0, len(COUNTS), 9), (0, 1)):
        ends = []
        for by in (step, -step):
            moved = [column.copy() for column in columns]
            moved[which][cell] += by
            ends.append(metric.value(cap.ScoreCounts.from_counts(COUNTS.score, *moved)))
        slope = (ends[0] - ends[1]) / 2 / step * columns[which].sum()
        if name == "excess_aurc":  # the best order has a limit of its own
            continue
        assert slope == pytest.approx(influences[which][cell], rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("name", SLOW_LATER)
def test_levels_nest_and_hold_the_estimate(name):
    for counts in (COUNTS, cap.count_scores(Y[:25], S[:25])):
        found = [
            cap.confidence_interval(counts, name, level=level, **ASKED[name])
            for level in (0.5, 0.8, 0.95, 0.999)
        ]
        for inner, outer in itertools.pairwise(found):
            assert outer.low <= inner.low <= inner.estimate <= inner.high <= outer.high


@pytest.mark.parametrize("name", SLOW_LATER)
def test_clusters(name):
    ids = RNG.integers(0, 60, 300)
    clustered = cap.count_scores(Y, S, cluster=ids)
    found = cap.confidence_interval(clustered, name, **ASKED[name])
    alone = cap.confidence_interval(COUNTS, name, **ASKED[name])
    assert found.estimate == alone.estimate
    assert found.low < found.estimate < found.high
    if name != "work_saved_over_sampling":
        assert found.method == "jackknife"
        assert found.se == pytest.approx(alone.se, rel=0.5)
    # Each row three times says no more than once.
    thrice = cap.count_scores(np.tile(Y, 3), np.tile(S, 3), cluster=np.tile(np.arange(300), 3))
    wide = cap.confidence_interval(thrice, name, **ASKED[name])
    once = cap.confidence_interval(
        cap.count_scores(Y, S, cluster=np.arange(300)), name, **ASKED[name]
    )
    assert wide.high - wide.low == pytest.approx(once.high - once.low, rel=0.05)


def test_comparisons_take_what_the_metric_takes():
    joint = cap.count_joint(Y, {"s": S, "t": T})
    for name in set(NAMES) - {"work_saved_over_sampling"}:
        found = cap.compare(joint, metric=name, **ASKED[name])
        expected = [value(name, joint.margin(each)) for each in ("s", "t")]
        assert found.estimates == pytest.approx(expected)
        alike = cap.count_joint(Y, {"s": S, "u": 2 * S})
        pair = cap.compare(alike, metric=name, **ASKED[name]).pairs[0]
        assert (pair.estimate, pair.p_value) == (0, 1)
    ids = RNG.integers(0, 60, 300)
    clustered = cap.count_joint(Y, {"s": S, "t": T}, cluster=ids)
    ordinary = cap.compare(joint, metric="aurc").pairs[0]
    assert cap.compare(clustered, metric="aurc").pairs[0].se == pytest.approx(ordinary.se, rel=0.5)
    right = cap.count_joint(1 - Y, {"s": -S, "t": -T})
    same = cap.compare(right, metric="aurc", errors="negatives").pairs[0]
    assert (same.estimate, same.p_value) == pytest.approx((ordinary.estimate, ordinary.p_value))
    with pytest.raises(ValueError, match='alpha= is not used by metric="aurc"'):
        cap.compare(joint, metric="aurc", alpha=3)
    with pytest.raises(ValueError, match="needs max_q="):
        cap.compare(joint, metric="partial_accuracy_ratio")
    better = cap.compare(joint, metric="aurc", alternative="superior").pairs[0]
    p_value = ordinary.p_value / 2
    assert better.p_value == pytest.approx(p_value if ordinary.estimate < 0 else 1 - p_value)


@pytest.mark.merge
def test_work_saved_is_limited_by_where_the_captured_response_is():
    found = cap.confidence_interval(COUNTS, "wss", captured=0.8)
    for limit, side in ((found.low, "high"), (found.high, "low")):
        needed = 0.8 - limit
        at = cap.confidence_interval(COUNTS, "captured_response", q=needed)
        # At the most that may be needed the lower limit of what is captured has come to 80%.
        reached = at.low if side == "high" else at.high
        assert reached == pytest.approx(0.8, abs=0.02)


def test_the_command_line_compares_by_them(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"{y},{s},{t}" for y, s, t in zip(Y, S, T, strict=True)]
    path.write_text("\n".join(["y,s,t", *rows]))
    asked = ("compare", str(path), "-t", "y", "-s", "s", "-s", "t")
    joint = cap.count_joint(Y, {"s": S, "t": T})
    for words, options in (
        (("bedroc", "--alpha", "8"), {"alpha": 8}),
        (("partial-accuracy-ratio", "--max-q", "0.3"), {"max_q": 0.3}),
        (("selective-risk", "--coverage", "0.7"), {"coverage": 0.7}),
        (("aurc", "--errors", "negatives"), {"errors": "negatives"}),
    ):
        found = json.loads(call(*asked, "--metric", *words, "-f", "json").stdout)
        expected = cap.compare(joint, metric=words[0].replace("-", "_"), **options).pairs[0]
        assert found["pairs"][0]["estimate"] == pytest.approx(expected.estimate)
        assert found["pairs"][0]["p_value"] == pytest.approx(expected.p_value)
    lacking = call(*asked, "--metric", "partial-accuracy-ratio")
    assert lacking.exit_code == 2
    assert "--metric partial-accuracy-ratio needs --max-q" in lacking.stderr


def test_an_interval_of_bedroc_says_where_it_tells_little():
    common = cap.confidence_interval(COUNTS, "bedroc", alpha=8)
    assert any("above 1, where BEDROC hardly tells" in note for note in common.notes)
    few = cap.confidence_interval(cap.count_scores(Y, S), "bedroc", alpha=100)
    assert any("rests on about 6 cases" in note for note in few.notes)
    rare = cap.count_scores([1] * 10 + [0] * 990, list(range(1000)))
    notes = cap.confidence_interval(rare, "bedroc").notes
    assert not any("alpha" in note for note in notes)
