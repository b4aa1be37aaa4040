"""Average precision: its ties, weights and edge cases, and every place where it shows."""

import itertools
import json
import math

import numpy as np
import openpyxl
import pytest
from scipy.special import ndtr

import capcurve as cap
from capcurve.inference.designs import equal_rows, freedom_of_squares, squared_masses
from capcurve.inference.influence_limits import CaseMoves
from capcurve.inference.variances import metric_estimates, moves_of
from capcurve.metrics import METRICS, retrieval
from capcurve.metrics.retrieval import influences, scales_of
from cli_calls import call

RNG = np.random.default_rng(3)
Y = (RNG.random(400) < 0.25).astype(int)
S = np.round(RNG.normal(size=400) + Y, 1)
T = RNG.normal(size=400) + Y / 2
COUNTS = cap.count_scores(Y, S)
NAME = "average_precision"


def of_order(labels):
    ranks = np.flatnonzero(labels) + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))


def test_it_is_the_mean_over_all_orders_inside_ties():
    labels = [1, 0, 1, 0, 0, 1, 0]
    score = [3, 3, 3, 2, 2, 2, 1]
    orders = [
        [labels[place] for place in (*first, *second, 6)]
        for first in itertools.permutations(range(3))
        for second in itertools.permutations(range(3, 6))
    ]
    expected = np.mean([of_order(order) for order in orders])
    assert cap.average_precision(cap.count_scores(labels, score)) == pytest.approx(expected)


def test_without_ties_it_is_the_textbook_sum():
    counts = cap.count_scores(Y, T)
    assert cap.average_precision(counts) == pytest.approx(of_order(Y[np.argsort(-T)]), rel=1e-13)
    assert cap.average_precision(counts, ties="threshold") == pytest.approx(
        cap.average_precision(counts), rel=1e-13
    )


def test_scikit_learn_has_the_precision_at_the_score():
    metrics = pytest.importorskip("sklearn.metrics")
    weight = RNG.exponential(size=400)
    weighted = cap.count_scores(Y, S, weight=weight, weight_kind="sampling")
    expected = metrics.average_precision_score(Y, S, sample_weight=weight)
    assert cap.average_precision(weighted, ties="threshold") == pytest.approx(expected)


def test_weights():
    alike = cap.count_scores(Y, S, weight=np.full(400, 2.5), weight_kind="sampling")
    assert cap.average_precision(alike) == pytest.approx(cap.average_precision(COUNTS), rel=1e-12)
    times = RNG.integers(1, 4, 400)
    rows = cap.count_scores(np.repeat(Y, times), np.repeat(S, times))
    frequent = cap.count_scores(Y, S, weight=times, weight_kind="frequency")
    assert cap.average_precision(frequent) == cap.average_precision(rows)
    # Of parts of cases, which no rows are known of, there is the straight line.
    halves = cap.ScoreCounts.from_counts(COUNTS.score, COUNTS.positives / 3, COUNTS.negatives / 3)
    assert cap.average_precision(halves) == pytest.approx(cap.average_precision(COUNTS), abs=0.02)


def test_a_stated_prevalence():
    known = COUNTS.n1 / COUNTS.n
    as_counted = cap.average_precision(COUNTS, prevalence=known)
    assert as_counted == pytest.approx(cap.average_precision(COUNTS), rel=1e-12)
    rarer = cap.average_precision(COUNTS, prevalence=0.01)
    assert 0.01 < rarer < as_counted
    with pytest.raises(ValueError, match="prevalence"):
        cap.average_precision(COUNTS, prevalence=1)


def test_edge_cases():
    only = cap.count_scores([1, 1, 1], [2, 2, 1])
    assert cap.average_precision(only) == cap.average_precision(only, ties="threshold") == 1
    with pytest.raises(ValueError, match="no positives"):
        cap.average_precision(cap.count_scores([0, 0], [2, 1]))
    constant = cap.count_scores([1, 0, 0, 0], [1] * 4)
    assert cap.average_precision(constant, ties="threshold") == 0.25
    assert cap.average_precision(constant) == pytest.approx(sum(1 / k for k in (1, 2, 3, 4)) / 4)
    with pytest.raises(ValueError, match='"expected" or "threshold"'):
        cap.average_precision(COUNTS, ties="row order")
    score = np.arange(20_000)[::-1]
    totals = cap.count_sorted([(score, score % 2, 1 - score % 2)], n1=10_000, n0=10_000)
    with pytest.raises(cap.NotHeldError, match="resolution="):
        cap.average_precision(totals)


def test_digits_at_a_trillion_cases():
    # One positive in a tie of m after n: the mean of 1/(n + j), which is 1/n to 12 digits.
    n, m = 10**12, 10
    counts = cap.ScoreCounts.from_counts([2, 1], [0, 1], [n, m - 1])
    exact = math.fsum(1 / (n + j) for j in range(1, m + 1)) / m
    assert cap.average_precision(counts) == pytest.approx(exact, rel=1e-12)


def test_the_influence_is_the_derivative_of_the_straight_line():
    p, n = COUNTS.positives.astype(float), COUNTS.negatives.astype(float)
    step = 1e-4 * math.pi  # no whole number of cases

    def slope(which, cell):
        ends = []
        for by in (step, -step):
            columns = [p + 1 / 3, n + 1 / 3]
            columns[which][cell] += by
            ends.append(cap.average_precision(cap.ScoreCounts.from_counts(COUNTS.score, *columns)))
        return (ends[0] - ends[1]) / 2 / step

    more = cap.ScoreCounts.from_counts(COUNTS.score, p + 1 / 3, n + 1 / 3)
    influences = moves_of(more, METRICS[NAME])
    for cell in range(0, len(COUNTS), 7):
        for which, column in enumerate((more.positives, more.negatives)):
            expected = influences[which][cell] / column.sum()
            assert slope(which, cell) == pytest.approx(expected, rel=1e-5)


def test_moves_of_very_many_scores_are_those_found_score_by_score(monkeypatch):
    monkeypatch.setattr(retrieval, "BLOCK", 1 << 16)
    rng = np.random.default_rng(8)
    positives, negatives = rng.random(200_001) < 0.02, rng.integers(0, 3, 200_001)
    positives[70_000:140_000] = False  # a block without any
    negatives[~positives & (negatives == 0)] = 1
    counts = cap.ScoreCounts.from_counts(np.arange(200_001), positives, negatives)
    scales = scales_of(counts)
    found, alone = influences(counts, scales), influences(counts, scales * (1, 1 + 1e-15))
    held = counts.positives > 0
    np.testing.assert_allclose(np.asarray(found[0])[held], alone[0][held], atol=1e-14)
    assert not np.asarray(found[0])[~held].any()
    np.testing.assert_allclose(np.asarray(found[1]), alone[1], atol=1e-14)
    for start, end in ((0, 5), (4095, 4097), (65_530, 135_001), (150_000, 150_000), (9, 200_001)):
        for each in found:
            assert np.array_equal(each[start:end], np.asarray(each)[start:end])


@pytest.mark.parametrize("method", ["envelope", "wald", "logit_t", "bootstrap"])
def test_intervals(method):
    drawn = {"replicates": 400, "seed": 1} if method == "bootstrap" else {}
    found = cap.confidence_interval(COUNTS, cap.average_precision, method=method, **drawn)
    assert found.method == method
    assert found.low < found.estimate < found.high
    assert found.se == pytest.approx(cap.confidence_interval(COUNTS, "ap").se, rel=0.1)


def test_limits_are_an_envelope_of_those_of_one_method():
    default, plain, scaled = (
        cap.confidence_interval(COUNTS, NAME, method=method) for method in (None, "wald", "logit_t")
    )
    assert default.method == "envelope"
    assert default.low < min(plain.low, scaled.low)  # also without the case itself
    assert default.high >= max(plain.high, scaled.high)


def test_limits_of_a_higher_level_hold_those_of_a_lower_one():
    for counts in (COUNTS, ordered(20, 80, swapped=True), cap.count_scores(Y[:30], S[:30])):
        found = [cap.confidence_interval(counts, NAME, level=x) for x in (0.5, 0.8, 0.95, 0.999)]
        for inner, outer in itertools.pairwise(found):
            assert outer.low <= inner.low <= inner.estimate <= inner.high <= outer.high


@pytest.mark.turns(2)
@pytest.mark.parametrize("options", [{"ties": "threshold"}, {"prevalence": 0.05}])
def test_limits_with_options(options):
    found = cap.confidence_interval(COUNTS, NAME, **options)
    assert found.estimate == cap.average_precision(COUNTS, **options)
    assert found.low < found.estimate < found.high
    drawn = cap.confidence_interval(COUNTS, NAME, method="bootstrap", seed=1, **options)
    assert found.se == pytest.approx(drawn.se, rel=0.1)
    assert drawn.estimate == found.estimate
    for metric in ("ks", "roc_auc"):
        with pytest.raises(ValueError, match="is not used by"):
            cap.confidence_interval(COUNTS, metric, **options)


def test_at_its_own_prevalence_only_the_ranking_is_left_to_chance():
    known = COUNTS.n1 / COUNTS.n
    found, stated = (
        cap.confidence_interval(COUNTS, NAME, prevalence=rate) for rate in (None, known)
    )
    assert stated.estimate == pytest.approx(found.estimate)
    assert stated.se < found.se


def test_the_influence_of_the_precision_at_the_score_is_its_derivative():
    more = cap.ScoreCounts.from_counts(COUNTS.score, COUNTS.positives + 1, COUNTS.negatives + 1)
    p, n = more.positives.astype(float), more.negatives.astype(float)
    influences = METRICS[NAME].given(ties="threshold").influence(more)
    for cell in range(0, len(COUNTS), 7):
        for which, column in enumerate((p, n)):
            ends = []
            for by in (1e-4, -1e-4):
                columns = [p.copy(), n.copy()]
                columns[which][cell] += by
                moved = cap.ScoreCounts.from_counts(COUNTS.score, *columns)
                ends.append(cap.average_precision(moved, ties="threshold"))
            slope = (ends[0] - ends[1]) / 2e-4 * column.sum()
            assert slope == pytest.approx(influences[which][cell], rel=1e-5)


def test_the_bootstrap_of_many_scores_is_around_the_estimate():
    y = RNG.random(4000) < 0.1
    counts = cap.count_scores(y, RNG.normal(size=4000) + y)
    found = cap.confidence_interval(counts, NAME, method="bootstrap", replicates=200)
    assert found.estimate == cap.average_precision(counts)
    assert found.low < found.estimate < found.high


def of_normal_scores(shift, ties="expected"):
    """The average precision of normal scores at 5% positives, from a fine table of their tails."""
    cuts = np.linspace(9, -6, 20_001)
    tails = [ndtr(-np.append(np.inf, cuts) + by) for by in (shift, 0.0)]
    columns = [share * np.diff(tail) for share, tail in zip((0.05, 0.95), tails, strict=True)]
    return cap.average_precision(cap.ScoreCounts.from_counts(cuts, *columns), ties=ties)


@pytest.mark.merge
@pytest.mark.parametrize("ties", ["expected", "threshold"])
def test_limits_hold_with_few_positives_of_weak_and_strong_scores(ties):
    rng = np.random.default_rng(44)
    for shift, runs in ((0.0, 400), (2.0, 400), (4.0, 400)):
        true = of_normal_scores(shift, ties=ties)
        held = 0
        for _ in range(runs):
            y = rng.random(300) < 0.05
            if y.sum() < 2:
                continue
            counts = cap.count_scores(y, rng.normal(size=300) + shift * y)
            found = cap.confidence_interval(counts, NAME, ties=ties)
            held += found.low <= true <= found.high
        assert held / runs > 0.92


@pytest.mark.merge
def test_limits_hold_at_a_stated_prevalence_that_is_rarer():
    # At 5% a negative of these samples weighs 19 times a positive, and few are at the top.
    rng, runs, held = np.random.default_rng(22), 200, 0
    true = of_normal_scores(1.2)
    for _ in range(runs):
        y = np.arange(100) < 50
        counts = cap.count_scores(y, rng.normal(size=100) + 1.2 * y)
        found = cap.confidence_interval(counts, NAME, prevalence=0.05)
        held += found.low <= true <= found.high
    assert held / runs > 0.93


@pytest.mark.merge
def test_limits_hold_where_weights_go_with_the_score():
    # Of negatives among the top third one in 25 is taken, of the next third one in four: without a
    # further heavy row lower limits miss the truth in more than a tenth of samples.
    rng, runs, held = np.random.default_rng(21), 200, 0
    true = of_normal_scores(1.2)
    for _ in range(runs):
        y = np.arange(1200) < 60
        s = rng.normal(size=1200) + 1.2 * y
        w = np.where(y | (s < -0.4), 1.0, np.where(s < 0.5, 4.0, 25.0))
        kept = rng.random(1200) * w < 1
        counts = cap.count_scores(y[kept], s[kept], weight=w[kept], weight_kind="sampling")
        found = cap.confidence_interval(counts, NAME)
        held += found.low <= true <= found.high
    assert held / runs > 0.93


@pytest.mark.turns(3)
@pytest.mark.parametrize("options", [{}, {"ties": "threshold"}, {"prevalence": 1e-9}])
def test_limits_of_weights_of_any_size_are_numbers(options):
    rng = np.random.default_rng(480)
    for _ in range(150):
        y = np.arange(12) < rng.integers(2, 10)
        weight = 10.0 ** rng.uniform(-40, 40, 12)
        counts = cap.count_scores(y, rng.integers(0, 9, 12), weight=weight, weight_kind="sampling")
        found = cap.confidence_interval(counts, NAME, **options)
        assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_clusters():
    ids = RNG.integers(0, 40, 400)
    found = cap.confidence_interval(cap.count_scores(Y, S, cluster=ids), NAME)
    assert found.method == "jackknife"
    assert found.se == pytest.approx(cap.confidence_interval(COUNTS, NAME).se, rel=0.5)


def test_comparisons():
    joint = cap.count_joint(Y, {"s": S, "t": T})
    known = [cap.average_precision(cap.count_scores(Y, each)) for each in (S, T)]
    assert cap.compare(joint, metric=NAME).estimates == pytest.approx(known)
    alike = cap.compare(cap.count_joint(Y, {"s": S, "u": 2 * S}), metric=NAME).pairs[0]
    assert (alike.estimate, alike.p_value) == (0, 1)
    first, second = cap.count_scores(Y[:200], S[:200]), cap.count_scores(Y[200:], S[200:])
    apart = cap.compare_independent(first, second, metric=NAME)
    assert apart.low < apart.estimate < apart.high
    with pytest.warns(UserWarning, match="rating grades"):
        fall = cap.test_against_initial(second, first, metric=NAME)
    assert fall.estimate == pytest.approx(apart.estimate)


@pytest.mark.parametrize("metric", ["ap", "AP", "Average precision", cap.average_precision])
def test_comparisons_take_every_name_of_it(metric):
    joint = cap.count_joint(Y, {"s": S, "t": T})
    found = cap.compare(joint, metric=metric)
    assert found.metric == found.pairs[0].metric == NAME
    assert found.pairs[0].estimate == cap.compare(joint, metric=NAME).pairs[0].estimate
    assert found.table.note.startswith("differences in average precision; ")
    few, more = ordered(20, 80, swapped=True), ordered(20, 80)
    assert cap.compare_independent(few, more, metric=metric).metric == NAME
    with pytest.warns(UserWarning, match="rating grades"):
        assert cap.test_against_initial(few, more, metric=metric).metric == NAME
    with pytest.raises(ValueError, match=r"initial must be the average precision, in \[0, 1\]"):
        cap.test_against_initial(few, 2, metric=metric)


def test_comparisons_list_what_they_take():
    counts = ordered(20, 80)
    known = "one of 'roc_auc', 'accuracy_ratio'"
    for ask in (cap.compare_independent, cap.test_against_initial):
        with pytest.raises(ValueError, match=f"{known}, 'average_precision', .*; got 'ks'"):
            ask(counts, counts, metric="ks")
    segments = {"a": counts, "b": counts}
    with pytest.raises(ValueError, match=f"{known}; got 'average_precision'"):
        cap.heterogeneity_test(segments, metric=NAME)
    alike = [cap.heterogeneity_test(segments, metric=each, seed=1) for each in ("gini", "auc")]
    assert [each.metric for each in alike] == ["accuracy_ratio", "roc_auc"]
    assert cap.discrimination_test(counts, metric="ar").metric == "accuracy_ratio"
    assert cap.power(0.4, 50, 50, metric="ar") == cap.power(0.4, 50, 50, metric="accuracy_ratio")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    lines = [f"{y},{s},{t}" for y, s, t in zip(Y, S, T, strict=True)]
    path.write_text("\n".join(["y,s,t", *lines]))
    return str(path)


@pytest.mark.merge
def test_every_place_where_it_shows(rows, tmp_path):
    value = cap.average_precision(COUNTS)
    text = f"{value:.3f}"
    summary = cap.summarize(COUNTS)
    assert summary.value(NAME) == summary.to_row()[NAME] == summary.to_dict()[NAME] == value
    assert summary.intervals[NAME] == cap.confidence_interval(COUNTS, NAME)
    found = cap.evaluate(COUNTS)
    assert found.to_dict()["scores"][0]["intervals"][NAME]["estimate"] == value
    assert f"average precision        {text}  [" in found.to_text()
    assert "average precision" in found.to_html()
    assert NAME in found.save(tmp_path / "x.csv").read_text()
    book = openpyxl.load_workbook(found.save(tmp_path / "x.xlsx"))
    lines = [line for sheet in book for line in sheet.iter_rows(values_only=True)]
    assert any("average precision" in line and value in line for line in lines)
    sheet = cap.validate(COUNTS, limits={NAME: {"green": 0.2, "red": 0.1}})
    assert sheet.tests["discrimination.average_precision"].light == "green"
    asked = [rows, "-t", "y", "-s", "s"]
    for bound, code in ((value - 0.2, 0), (value, 1)):
        gate = call("check", *asked, "--min-average-precision", str(bound), "-f", "json")
        check = json.loads(gate.stdout)["checks"][0]
        assert gate.exit_code == code
        assert (check["metric"], check["estimate"]) == (NAME, value)
    both = call("summary", *asked, "-s", "t", "-f", "md")
    assert "| AUC | KS | KS at | AP |" in both.stdout
    paired = call("compare", *asked, "-s", "t", "--metric", "average-precision")
    assert "in AP" in paired.stdout


def ordered(positives, negatives, *, swapped=False):
    """Count a perfect order, or one in which the last positive and the first negative swapped."""
    labels = [1] * positives + [0] * negatives
    if swapped:
        labels[positives - 1], labels[positives] = 0, 1
    return cap.count_scores(labels, list(range(len(labels), 0, -1)))


def test_limits_of_a_perfect_score_allow_for_cases_not_seen():
    perfect, swapped = ordered(100, 400), ordered(100, 400, swapped=True)
    found, near = (
        cap.confidence_interval(each, "average_precision", method="logit_t")
        for each in (perfect, swapped)
    )
    # 1 - 0.025^(1/100) of the positives may stand among the negatives, at the prevalence of 20%.
    assert found.low == pytest.approx(1 - (1 - 0.025**0.01) * 0.8)
    assert (found.estimate, found.high) == (1, 1)
    # Of a sample that is nearly perfect the others are as they were seen.
    assert near.low == pytest.approx(
        near.estimate - (1 - 0.025**0.01) * (near.estimate - 0.2), rel=1e-12
    )
    assert near.low < found.low < near.estimate < near.high <= 1
    # The envelope contains the limits of a rate too, which are nearer here.
    found, near = (
        cap.confidence_interval(each, "average_precision") for each in (perfect, swapped)
    )
    assert 0.0625**0.01 > found.low == pytest.approx(1 - (1 - 0.025**0.01) * 0.8)
    assert (found.estimate, found.high) == (1, 1)
    assert found.low - 0.001 < near.low < found.low < near.estimate < near.high <= 1


def test_a_perfect_score_differs_from_a_worthless_one():
    worthless = cap.count_scores([1, 0, 0, 0, 0] * 100, list(range(500)))
    found = cap.compare_independent(ordered(100, 400), worthless, metric="average_precision")
    assert found.p_value < 1e-6
    assert found.low > 0.5


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: cap.heterogeneity_test({"a": c, "b": c}, metric="average_precision"),
        lambda c: cap.discrimination_test(c, metric="average_precision"),
        lambda c: cap.power(0.7, c.n1, c.n0, metric="average_precision"),
        lambda c: cap.sample_size(0.7, prevalence=c.n1 / c.n, metric="average_precision"),
        lambda c: cap.detectable_drop(c.n1, c.n0, 0.8, metric="average_precision"),
    ],
)
def test_what_is_about_an_auc_refuses_it(ask):
    with pytest.raises(ValueError, match="metric must be"):
        ask(ordered(20, 80))


def test_many_scores_are_added_up_in_parts():
    rng = np.random.default_rng(8)
    p, n = rng.integers(0, 3, 150_001), rng.integers(1, 4, 150_001)
    counts = cap.ScoreCounts.from_counts(np.arange(150_001)[::-1], p, n)
    e0, m0, m = np.cumsum(p) - p, np.cumsum(p + n) - p - n, p + n
    held = (p > 0) & (m > 1)
    share = (p - 1)[held] / (m - 1)[held]
    # Of the case at place j of its score: itself, those above, and its share of the j before it.
    places = np.zeros(held.sum())
    for j in range(m.max()):
        inside = j < m[held]
        places += inside * (1 + e0[held] + share * j) / (m0[held] + j + 1) / m[held]
    alone = (p == 1) & (m == 1)
    total = (p[held] * places).sum() + ((e0 + 1) / (m0 + 1))[alone].sum()
    assert cap.average_precision(counts) == pytest.approx(total / p.sum(), rel=1e-12)
    estimates = metric_estimates(counts, METRICS[NAME])
    found = cap.confidence_interval(counts, NAME)
    assert found.se == pytest.approx(estimates.se(), rel=1e-13)
    moved, masses = (each[0] for each in estimates.moves), squared_masses(counts)
    squares = [mass * each**2 for mass, each in zip(masses, moved, strict=True)]
    df = freedom_of_squares(
        np.concatenate(squares), counts.n, p.sum() - 1, np.concatenate(equal_rows(counts))
    )
    assert CaseMoves.of(counts, METRICS[NAME]).se_and_freedom()[1] == pytest.approx(df, rel=1e-12)
