"""What the top share holds: its standard error in closed form, and the concave majorant."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, stats

import capcurve as cap
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.top_share import TopShare, majorant_slopes, own_slopes
from laws import strategies as some

close = pytest.approx


def pooled_slopes(counts, q):
    curve = cap.cap_curve(counts)
    return majorant_slopes(curve.x, curve.y, q)


def grades(positives, negatives):
    return cap.ScoreCounts.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


def graded_variance(counts, q, lift):
    """[(C2 - C²)(1/π - 2L) + L²(Q2 - q²)]/n, for q inside a grade."""
    x, y = cap.cap_curve(counts).x, cap.cap_curve(counts).y
    k = int(np.searchsorted(x, q)) - 1
    t = (q - x[k]) / (x[k + 1] - x[k])
    c, c2 = y[k] + t * (y[k + 1] - y[k]), y[k] + t**2 * (y[k + 1] - y[k])
    q2 = x[k] + t**2 * (x[k + 1] - x[k])
    pi = counts.prevalence
    return ((c2 - c**2) * (1 / pi - 2 * lift) + lift**2 * (q2 - q**2)) / counts.n


@given(some.grade_tables(), some.inner_shares)
def test_the_error_is_the_graded_formula(table, q):
    counts = grades(*table)
    slopes = [*pooled_slopes(counts, q), *own_slopes(counts, q)]
    expected = max(graded_variance(counts, q, lift) for lift in slopes)
    found = TopShare.of(counts, q).se("captured_response")
    assert found**2 == close(expected, rel=1e-8, abs=1e-15)
    lift = confidence_interval(counts, "lift", q=q)
    assert lift.se is None or lift.se == close(found / q, rel=1e-12, abs=1e-15)


def hull_slopes(x, y, q):
    """Slopes of the upper hull before and after q, from all its edges."""
    hull = []
    for point in zip(x, y, strict=True):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (point[0] - x0) > (point[1] - y0) * (x1 - x0) + 1e-12:
                break
            hull.pop()
        hull.append(point)
    edges = [(a[0], b[0], (b[1] - a[1]) / (b[0] - a[0])) for a, b in itertools.pairwise(hull)]
    before = next(s for start, end, s in edges if start < q <= end)
    return before, next((s for start, end, s in edges if start <= q < end), before)


@given(some.grade_tables(), st.floats(0.01, 0.99))
def test_slopes_are_those_of_the_concave_majorant(table, q):
    counts = grades(*table)
    curve = cap.cap_curve(counts)
    if np.abs(curve.x - q).min() < 1e-9:
        return
    assert pooled_slopes(counts, q) == close(hull_slopes(curve.x, curve.y, q), rel=1e-9, abs=1e-9)


def test_at_a_bend_both_slopes_are_given():
    assert pooled_slopes(grades([3, 1], [1, 3]), 0.5) == (1.5, 0.5)


def test_the_last_row_does_not_decide_the_error():
    rng = np.random.default_rng(1)
    y = (rng.random(1000) < 0.1).astype(int)
    s = rng.standard_normal(1000) + 1.8 * y
    order = np.argsort(-s)
    errors = []
    for label in (0, 1):
        y[order[99]] = label  # the last row that is selected at q = 0.1
        errors.append(TopShare.of(cap.count_scores(y, s), 0.1).se("captured_response"))
    assert errors[0] == close(errors[1], rel=0.1)
    assert errors[0] == close(0.043, rel=0.15)


@pytest.mark.merge
def test_the_error_is_what_other_samples_show():
    rng = np.random.default_rng(7)
    metrics = (cap.captured_response, cap.precision, cap.lift)
    found, errors = [], []
    for turn in range(1500):
        y = (rng.random(500) < 0.2).astype(int)
        counts = cap.count_scores(y, np.floor(2 * (rng.standard_normal(500) + 1.2 * y)))
        found.append([metric(counts, 0.13) for metric in metrics])
        if turn % 5 == 0:  # an error varies far less than the number it is of
            errors.append([confidence_interval(counts, m.__name__, q=0.13).se for m in metrics])
    assert np.mean(errors, axis=0) == close(np.std(found, axis=0), rel=0.08)


def test_the_bootstrap_agrees_and_draws_all_cases_together():
    counts = grades([30, 25, 20, 15, 10], [10, 40, 100, 250, 500])
    for metric in ("captured_response", "precision", "lift"):
        drawn = confidence_interval(
            counts, metric, q=0.1, method="bootstrap", seed=3, replicates=6000
        )
        assert drawn.se == close(confidence_interval(counts, metric, q=0.1).se, rel=0.05)
        assert "all cases together" in drawn.notes[0]


def test_precision_varies_with_the_number_of_positives_too():
    # All 200 positives lie in the top 30%: what varies is only how many there are.
    counts = grades([200, 0, 0], [50, 50, 700])
    found = confidence_interval(counts, "precision", q=0.5)
    assert found.se == close(math.sqrt(0.2 * 0.8 / 1000) / 0.5, rel=1e-12)


def test_estimates_are_the_metrics():
    counts = grades([7, 5, 3, 2], [3, 11, 31, 77])
    for q in (0.05, 0.1, 1 / 3, 0.77, 1):
        for metric in (cap.captured_response, cap.lift, cap.precision):
            assert confidence_interval(counts, metric, q=q).estimate == metric(counts, q)


def test_nothing_or_everything_captured_has_limits_all_the_same():
    asked = {"metric": "captured_response", "method": "logit"}
    none = confidence_interval(grades([0, 0, 4], [10, 10, 10]), q=0.2, **asked)
    assert (none.low, none.estimate, none.se) == (0, 0, None)
    assert none.high == close(1 - 0.025 ** (1 / 4))
    everything = confidence_interval(grades([5, 0, 0], [1, 10, 10]), q=0.9, **asked)
    assert everything.low == close(0.025 ** (1 / 5))
    assert everything.high == 1
    assert everything.method == "clopper_pearson"
    assert "all of 5 positives" in everything.notes[0]


def test_all_cases_are_a_definition():
    counts = grades([3, 2], [4, 9])
    for metric in ("captured_response", "lift"):
        found = confidence_interval(counts, metric, q=1)
        assert (found.low, found.estimate, found.high) == (1, 1, 1)
        assert found.method == "definition"
    assert confidence_interval(counts, "precision", q=1).se == close(
        math.sqrt(5 / 18 * 13 / 18 / 18)
    )


@pytest.mark.parametrize("prevalence", [None, 0.05])
@pytest.mark.parametrize("metric", ["captured_response", "precision"])
def test_of_many_cases_the_default_limits_are_those_of_the_standard_error(metric, prevalence):
    rng = np.random.default_rng(3)
    y = rng.random(60_000) < 0.1
    counts = cap.count_scores(y, rng.normal(size=len(y)) + 1.5 * y)
    options = {"q": 0.1, "prevalence": prevalence}
    found = confidence_interval(counts, metric, **options)
    wald = confidence_interval(counts, metric, method="wald", **options)
    assert found.method == "profile"
    assert found.se == wald.se
    for side in ("low", "high"):
        assert getattr(found, side) == close(getattr(wald, side), abs=0.06 * (wald.high - wald.low))


@pytest.mark.merge
def test_the_true_cut_off_may_lie_elsewhere():
    # 5 positives lead 45 negatives, q = .1. At the cut-off that selects k cases, min(k, 5) of them
    # positive, k is binomial of 50 with .1, and the positives are binomial of k with the precision.
    counts = cap.count_scores([1] * 5 + [0] * 45, np.arange(50, 0, -1))
    low = confidence_interval(counts, "precision", q=0.1).low

    def square(x, n, rate):
        # The chance of more than x and half that of x, as the beta function has parts of a case.
        some = stats.beta.cdf(rate, x, n - x + 1) if x > 0 else 1.0
        more = stats.beta.cdf(rate, x + 1, n - x) if x < n else 0.0
        return stats.norm.ppf((some + more) / 2) ** 2

    def least(rate):
        k = np.linspace(1, 12, 500)
        return min(square(x, 50, 0.1) + square(min(x, 5.0), x, rate) for x in k)

    z = stats.norm.ppf(0.975) ** 2
    assert least(low + 0.01) < z < least(low - 0.01)
    # The five that were seen need not be all that fit: were 5 of 5 binomial, .025^(1/5) = .48.
    assert low < 0.48


@pytest.mark.merge
def test_limits_hold_where_the_cap_bends_at_the_share():
    # A block of 9.5% of the cases, with half the usual rate, ends just before q = .1. Limits by the
    # standard error hold in 85 of 100 such samples.
    def beyond(cut):
        return 0.095 * stats.norm.sf(cut - 1.2), 0.81 * stats.norm.sf(cut)

    cut = optimize.brentq(lambda cut: sum(beyond(cut)) - 0.005, 0, 5)
    truth = 0.05 + beyond(cut)[0] / 0.1
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(40):
        y = np.arange(1500) < rng.binomial(1500, 0.1)
        s = np.where(rng.random(1500) < np.where(y, 0.05, 0.1), 9.0, rng.normal(1.2 * y))
        found = confidence_interval(cap.count_scores(y, s), "captured_response", q=0.1)
        held += found.low < truth < found.high
    assert held >= 37


def test_a_grade_of_ten_cases_shows_its_own_slope():
    # Rates .2, .8, .1: the majorant pools the first two grades, 10 of 20 cases positive.
    counts = grades([2, 8, 3], [8, 2, 27])
    assert own_slopes(counts, 0.1) == [close(2 / 13 / 0.2)]
    assert own_slopes(counts, 0.2) == [close(2 / 13 / 0.2), close(8 / 13 / 0.2)]
    assert pooled_slopes(counts, 0.1) == close((10 / 13 / 0.4, 10 / 13 / 0.4))
    assert own_slopes(grades([2, 8, 3], [7, 2, 27]), 0.1) == []


def test_less_than_a_case_selected_says_next_to_nothing():
    # 0.76 of a case is selected and positive; the true cut-off may select a negative alone.
    counts = grades([1, 7, 7], [0, 11, 12])
    precision, lift = (confidence_interval(counts, m, q=0.02) for m in ("precision", "lift"))
    assert precision.low < 0.025 ** (1 / 0.76)
    assert lift.low < 1
    lower = confidence_interval(counts, "lift", q=0.02, level=0.975, side="lower")
    assert lower.low == close(lift.low, rel=1e-9)


def test_weights_that_are_all_alike_change_no_limit():
    y, s = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0], np.arange(12, 0, -1)
    plain = cap.count_scores(y, s)
    heavy = cap.count_scores(y, s, weight=np.full(12, 3.0), weight_kind="sampling")
    for metric in ("captured_response", "precision"):
        for asked in ({"q": 0.3}, {"q": 0.3, "prevalence": 0.2}):
            one, other = (confidence_interval(c, metric, **asked) for c in (plain, heavy))
            assert (one.low, one.high) == close((other.low, other.high), abs=1e-8)


def test_under_a_stated_prevalence_the_cut_off_may_lie_elsewhere():
    # All 10 positives lead all 10 negatives. With 2.5% and q = .05 half of each case is told by
    # few: if C are captured, f = (.05 - .05 C)/.95 of the negatives are selected too, and both of
    # "10 of 10" and "none of 10", counted half, are as unlikely as the limit allows.
    counts = cap.count_scores([1] * 10 + [0] * 10, np.arange(20, 0, -1))
    low = confidence_interval(counts, "captured_response", q=0.05, prevalence=0.05).low
    assert low < 0.1

    def square(tail):
        return stats.norm.ppf(tail) ** 2

    def least(captured):
        passed = (0.05 - 0.05 * captured) / 0.95
        found = []
        for hits, false in [(k, 0) for k in range(11)] + [(10, k) for k in range(1, 11)]:
            tails = [
                stats.binom.sf(x, 10, rate) + stats.binom.pmf(x, 10, rate) / 2
                for x, rate in ((hits, captured), (false, passed))
            ]
            found.append(square(tails[0]) + square(tails[1]))
        return min(found)

    z = stats.norm.ppf(0.975) ** 2
    assert least(low + 1e-4) <= z
    assert low < 1e-8 or least(low - 1e-4) > z


def test_a_heavy_case_that_was_not_drawn_lowers_the_limit():
    weight = np.array([1, 1, 1, 1, 9, 1, 1, 1, 1, 9.0])
    positive = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    counts = cap.count_scores(positive, np.arange(10, 0, -1), weight=weight, weight_kind="sampling")
    top = TopShare.of(counts, 4 / 26)
    # Beyond the four positives: one positive of weight 9, and negatives of Σw²/Σw = 85/13.
    assert top.typical_weight(best=False) == close(9 / 26)
    assert top.typical_weight(best=True) == close(1 / 26)
    found = confidence_interval(counts, "captured_response", q=4 / 26)
    mean, variance = 18, 2 * 81
    most = variance / (2 * mean) * stats.chi2.ppf(0.975, 2 * mean**2 / variance)
    assert found.low <= 4 / (4 + most) + 1e-12
    assert any("intervals are too narrow" in note for note in found.notes)


def test_limits_of_few_cases_reach_as_far_as_nothing_excludes():
    # Of few cases some shares are excluded, and shares beyond them are not.
    heavy = cap.count_scores(
        [1, 0, 0, 0, 1, 0, 1, 1],
        [6, 0, 7, 3, 2, 1, 5, 4],
        weight=[8, 4, 8, 1, 8, 8, 8, 8],
        weight_kind="sampling",
    )
    assert confidence_interval(heavy, "captured_response", q=0.2).high == 1.0
    alike = cap.count_scores([1, 1, 1, 0, 1, 0], [0, 4, 3, 1, 2, 5])
    found = confidence_interval(alike, "captured_response", q=0.2)
    assert (found.low, found.high) == (0.0, pytest.approx(0.84712671, abs=1e-8))


@pytest.mark.parametrize("metric", ["captured_response", "lift", "precision"])
@pytest.mark.parametrize("place", [{"q": 0.3}, {"threshold": 3}, {"q": 0.3, "prevalence": 0.2}])
def test_one_sided_limits_are_those_of_an_interval_that_misses_as_often_on_each_side(metric, place):
    counts = cap.ScoreCounts.from_counts([4, 3, 2, 1], [6, 5, 4, 1], [4, 9, 14, 30])
    both = cap.confidence_interval(counts, metric, level=0.95, **place)
    lower = cap.confidence_interval(counts, metric, level=0.975, side="lower", **place)
    upper = cap.confidence_interval(counts, metric, level=0.975, side="upper", **place)
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high), rel=1e-9)
    assert np.isfinite(upper.high)


@pytest.mark.parametrize("metric", ["captured_response", "precision"])
@pytest.mark.parametrize("cells", [5, 60])
def test_under_a_stated_prevalence_more_negatives_do_not_end_the_limits(metric, cells):
    """Of negatives as many as one likes the positives are as few as before."""
    places = np.linspace(-4, 4, cells + 1)
    shares = [np.diff(stats.norm(mean).cdf(places))[::-1] for mean in (1.0, 0.0)]
    positives = np.round(40 * shares[0]).astype(int)
    found = []
    for n0 in (10**5, 10**8, 10**15):
        negatives = np.round(n0 * shares[1]).astype(np.int64)
        counts = cap.ScoreCounts.from_counts(np.arange(cells, 0, -1), positives, negatives)
        interval = confidence_interval(counts, metric, q=0.1, prevalence=0.05)
        found.append((interval.low, interval.high))
    assert found[0][1] - found[0][0] > 0.08
    assert found[1] == pytest.approx(found[0], abs=0.01)
    assert found[2] == pytest.approx(found[1], abs=0.001)


@pytest.mark.parametrize("metric", ["captured_response", "precision"])
def test_inside_a_grade_the_limits_are_those_of_the_grade(metric):
    """A tenth or a half of the first grade: the rate among them is that of the whole grade."""
    counts = grades([60, 50, 40], [540, 550, 560])
    narrow, wide = (confidence_interval(counts, metric, q=q) for q in (1 / 30, 1 / 6))
    scale = 1 if metric == "precision" else 5
    assert (scale * narrow.low, scale * narrow.high) == pytest.approx(
        (wide.low, wide.high), rel=0.1
    )
    straight = confidence_interval(counts, metric, q=1 / 6, method="wald")
    assert wide.high - wide.low == pytest.approx(straight.high - straight.low, rel=0.1)
