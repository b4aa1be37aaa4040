"""Intervals: each method by its definition, where they have no answer, and who may ask what."""

import inspect
import itertools
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import optimize, stats
from scipy.special import expit

import capcurve as cap
from capcurve.inference.intervals import (
    DEFAULTS,
    RANKING_METHODS,
    WAYS_OF_AMOUNTS,
    WAYS_OF_CLASSES,
    WAYS_OF_TRIALS,
    confidence_interval,
)
from capcurve.inference.rates import rate_interval
from capcurve.inference.records import Confidence, IntervalRequest
from capcurve.inference.variances import auc_variance, degrees_of_freedom, variance_parts
from capcurve.metrics import METRICS
from laws import strategies as some

close = pytest.approx
CLOSED = tuple(method for method in RANKING_METHODS if "bootstrap" not in method)


def grades(positives, negatives):
    return cap.ScoreCounts.from_counts(np.arange(len(positives), 0, -1), positives, negatives)


TABLE = grades([6, 5, 3, 1], [4, 11, 20, 30])


def test_wald_and_logit_by_their_formulas():
    auc, se, z = cap.roc_auc(TABLE), math.sqrt(auc_variance(TABLE)), stats.norm.ppf(0.975)
    wald = confidence_interval(TABLE, "roc_auc", method="wald")
    assert (wald.low, wald.high) == (close(auc - z * se), close(auc + z * se))
    assert wald.se == close(se)
    logit = confidence_interval(TABLE, "roc_auc", method="logit")
    middle, reach = math.log(auc / (1 - auc)), z * se / (auc * (1 - auc))
    assert logit.low == close(1 / (1 + math.exp(reach - middle)), rel=1e-12)
    assert logit.high == close(1 / (1 + math.exp(-reach - middle)), rel=1e-12)


def test_logit_t_takes_satterthwaites_degrees_of_freedom():
    p, n = TABLE.positives.astype(float), TABLE.negatives.astype(float)
    above = np.cumsum(p) - p / 2
    below = n.sum() - np.cumsum(n) + n / 2
    parts = []
    for weight, placed in ((p, below / n.sum()), (n, above / p.sum())):
        size = weight.sum()
        spread = (weight * (placed - (weight * placed).sum() / size) ** 2).sum()
        parts.append((spread / (size - 1) / size, size - 1))
    variance = sum(v for v, _ in parts)
    df = variance**2 / sum(v**2 / f for v, f in parts)
    auc = cap.roc_auc(TABLE)
    reach = stats.t.ppf(0.975, df) * math.sqrt(variance) / (auc * (1 - auc))
    middle = math.log(auc / (1 - auc))
    found = confidence_interval(TABLE, "roc_auc", method="logit_t")
    assert found.low == close(1 / (1 + math.exp(reach - middle)), rel=1e-11)
    assert found.high == close(1 / (1 + math.exp(-reach - middle)), rel=1e-11)


@given(some.grade_tables())
def test_newcombes_limits_solve_his_equation(table):
    counts = grades(*table)
    auc, n1, n0 = cap.roc_auc(counts), counts.n1, counts.n0
    found = confidence_interval(counts, "roc_auc", method="newcombe")
    square, extra = stats.norm.ppf(0.975) ** 2, (n1 + n0) / 2 - 1
    for limit in (found.low, found.high):
        spread = 1 + extra * (1 - limit) / (2 - limit) + extra * limit / (1 + limit)
        distance = (auc - limit) ** 2 - square * limit * (1 - limit) / (n1 * n0) * spread
        assert distance == close(0, abs=1e-12)
    assert found.low < auc or auc == found.low == 0
    assert auc < found.high or auc == found.high == 1


def exponential_spreads(auc, positives_rarer):
    wide, narrow = (auc * (1 - auc) * a / (1 + a) for a in (max(auc, 1 - auc), min(auc, 1 - auc)))
    return (wide, narrow) if positives_rarer else (narrow, wide)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("side", ["both", "lower"])
def test_the_default_is_the_envelope_of_logit_score_and_unseen_limits(turned, side):
    counts = TABLE if not turned else grades([30, 20, 11, 4], [1, 3, 5, 6])
    auc, sizes, parts = cap.roc_auc(counts), (counts.n1, counts.n0), variance_parts(counts)
    tail = 0.025 if side == "both" else 0.05
    trust = (seen := 2 * min(auc, 1 - auc) * min(sizes)) / (seen + 5)
    expected = exponential_spreads(auc, not turned)
    shape = [
        1 - trust + trust * part * size / spread
        for part, size, spread in zip(parts, sizes, expected, strict=True)
    ]
    reach = math.sqrt(sum(parts)) / auc / (1 - auc)
    reach *= stats.t.isf(tail, degrees_of_freedom(counts, parts) + 1)
    # A kind that was not seen ranks at random, and in a certificate last.
    missing = 1 - max((tail if side == "both" else 1.5 * tail) ** (1 / min(sizes)), 0.8)
    unseen = auc + missing * ((0.5 if side == "both" else 0.0) - auc)
    found = confidence_interval(counts, "roc_auc", side=side)
    assert found.method == "envelope"

    def too_near(limit):
        own = [f * c for f, c in zip(exponential_spreads(limit, not turned), shape, strict=True)]
        variance = limit * (1 - limit) + (sizes[1] - 1) * own[0] + (sizes[0] - 1) * own[1]
        return math.sqrt(variance / sizes[0] / sizes[1]) * stats.norm.isf(tail) - abs(limit - auc)

    log_odds = math.log(auc / (1 - auc))
    low = min(expit(log_odds - reach), optimize.brentq(too_near, 1e-6, auc), unseen)
    assert found.low == close(low, rel=1e-9)
    if side == "both":
        high = max(expit(log_odds + reach), optimize.brentq(too_near, auc, 1 - 1e-6), unseen)
        assert found.high == close(high, rel=1e-9)


def perfect(n1, n0, **options):
    y = np.arange(n1 + n0) < n1
    return cap.count_scores(y, np.arange(n1 + n0, 0, -1), **options)


def at_quantiles(auc, n1, n0, **options):
    """Return normal scores at their quantiles, of about such an AUC."""
    places = [stats.norm.ppf((np.arange(n) + 0.5) / n) for n in (n1, n0)]
    scores = np.r_[places[0] + math.sqrt(2) * stats.norm.ppf(auc), places[1]]
    return cap.count_scores(np.arange(n1 + n0) < n1, scores, **options)


@pytest.mark.parametrize(
    ("auc", "n1", "n0", "width"), [(0.972, 30, 300, 0.087), (0.9, 20, 200, 0.165)]
)
def test_limits_of_two_sides_are_as_narrow_as_they_may_be(auc, n1, n0, width):
    for metric, factor in (("roc_auc", 1), ("accuracy_ratio", 2)):
        found = confidence_interval(at_quantiles(auc, n1, n0), metric)
        assert width - 0.002 < (found.high - found.low) / factor < width
        newcombe = confidence_interval(at_quantiles(auc, n1, n0), metric, method="newcombe")
        assert found.high - found.low < 1.3 * (newcombe.high - newcombe.low)


def test_a_certificate_allows_for_a_kind_of_positives_that_was_not_seen():
    # Of 5% of the positives, at the bottom, 30 lack every one in 21% of samples.
    strong = at_quantiles(0.972, 30, 300)
    auc = cap.roc_auc(strong)
    worst = confidence_interval(strong, "roc_auc", unseen="worst")
    assert worst.low == close(auc * 0.025 ** (1 / 30))
    lower = confidence_interval(strong, "roc_auc", side="lower")
    assert lower.low == close(auc * 0.075 ** (1 / 30))
    worst_lower = confidence_interval(strong, "roc_auc", side="lower", unseen="worst")
    assert worst_lower.low == close(auc * 0.05 ** (1 / 30))
    (note,) = lower.notes
    assert note == (
        "the lower limit is what the AUC would be if 1 in 12 positives were of a kind that "
        "none of these 30 is, ranked below all negatives"
    )
    none = confidence_interval(strong, "roc_auc", side="lower", unseen="none")
    assert none.low > 0.92
    assert none.notes == ()
    # No more than one positive in five is thought to be of such a kind, and by name none.
    few = perfect(9, 970)
    assert confidence_interval(few, "roc_auc", side="lower").low == close(0.8)
    assert confidence_interval(few, "roc_auc", side="lower", method="newcombe").low > 0.8
    mirrored = confidence_interval(perfect(970, 30), "roc_auc", side="lower")
    assert mirrored.low == close(0.075 ** (1 / 30))
    assert mirrored.notes[-1].endswith("none of these 30 is, ranked above all positives")


def test_limits_of_two_sides_say_what_the_number_could_be():
    # 1 - 0.025^(1/30) = 0.116 = 1/8.6, and 0.9737·0.884 = 0.861.
    strong = at_quantiles(0.972, 30, 300)
    kind = (
        "if 1 in 9 positives were of a kind that none of these 30 is, ranked below all "
        "negatives, the {} could be {}"
    )
    for metric, label, could in (("roc_auc", "AUC", "0.861"), ("ar", "accuracy ratio", "0.722")):
        assert confidence_interval(strong, metric).notes == (kind.format(label, could),)
        none = confidence_interval(strong, metric, unseen="none")
        assert none.limits == confidence_interval(strong, metric).limits
    # With many cases, and where many pairs are lost anyway, it decides nothing.
    assert confidence_interval(grades([100, 100], [100, 200]), "roc_auc").notes == ()


def test_what_was_not_seen_counts_at_a_horizon_with_weights_and_with_clusters():
    strong = at_quantiles(0.972, 30, 300)
    scores = np.repeat(strong.thresholds, strong.positives + strong.negatives)
    y = np.repeat(strong.positives > 0, strong.positives + strong.negatives)
    alike = [
        cap.count_scores(y, scores, cluster=np.arange(330)),
        cap.count_scores(y, scores, weight=np.ones(330), weight_kind="sampling"),
        cap.count_times(np.where(y, 1.0, 9.0), y, scores).at(5),
    ]
    plain = confidence_interval(strong, "roc_auc")
    for counts in alike:
        found = confidence_interval(counts, "roc_auc")
        assert found.high - found.low < 1.2 * (plain.high - plain.low)
        assert any("the AUC could be 0.86" in note for note in found.notes)
        worst = confidence_interval(counts, "roc_auc", unseen="worst")
        assert worst.low == close(found.estimate * 0.025 ** (1 / 30), rel=1e-3)


@pytest.mark.parametrize("options", [{}, {"side": "lower"}, {"unseen": "worst"}])
@pytest.mark.parametrize("metric", ["roc_auc", "partial_auc"])
def test_a_worse_sample_has_no_better_lower_limit(metric, options):
    # One positive after the other falls to the bottom of a perfect order.
    if metric == "partial_auc":
        options = {**options, "max_fpr": 0.1}
    for n1, n0 in ((20, 200), (60, 90)):
        lows = []
        for fallen in range(8):
            y = np.arange(n1 + n0) < n1 - fallen
            y[len(y) - fallen :] = True
            counts = cap.count_scores(y, np.arange(n1 + n0, 0, -1))
            lows.append(confidence_interval(counts, metric, **options).low)
        assert (np.diff(lows) < 0).all()


def test_partial_areas_allow_for_a_kind_of_positives_that_was_not_seen():
    found = confidence_interval(perfect(15, 600), "partial_auc", max_fpr=0.1)
    missing = 1 - max(0.025 ** (1 / 15), 0.8)
    # Such positives make the ROC a straight line, of mean height 0.05.
    assert found.low <= 0.1 * (1 - missing * 0.95) + 1e-12
    assert found.notes[-1].endswith("the partial AUC could be 0.080")
    worst = confidence_interval(perfect(15, 600), "partial_auc", max_fpr=0.1, unseen="worst")
    assert worst.low == close(0.1 * 0.8)


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        ("roc_auc", {"unseen": "last"}, 'unseen must be "worst" or "none", got \'last\''),
        ("roc_auc", {"unseen": "worst", "method": "wald"}, "roc_auc with method='wald'"),
        ("ks", {"unseen": "worst"}, "unseen='worst' is not used by ks"),
    ],
)
def test_what_was_not_seen_is_asked_for_where_limits_allow_for_it(metric, options, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        confidence_interval(TABLE, metric, **options)


def test_the_default_has_no_jump_where_a_class_grows():
    widths = []
    for positives in (198, 199, 200, 201):
        counts = grades([positives - 5, 5], [300, 3000])
        found = confidence_interval(counts, "accuracy_ratio")
        assert found.method == "envelope"
        widths.append(found.high - found.low)
    assert np.abs(np.diff(widths)).max() < 0.006 * widths[0]


def test_in_large_samples_the_variance_seen_decides():
    # The classes differ so that exponential scores of this AUC would vary twice as much.
    counts = grades([10**6, 10**6], [10**6, 9 * 10**6])
    default, by_logit = (
        confidence_interval(counts, "roc_auc", method=method) for method in (None, "logit_t")
    )
    assert (default.low, default.high) == close((by_logit.low, by_logit.high), abs=1e-6)


def test_a_sample_that_lacks_lost_pairs_does_not_prove_that_there_are_none():
    # 40 positives above nearly all of 4,000 negatives, one pair lost: exponential scores of the
    # AUC at the limit lose far more in one sample in twenty.
    counts = cap.count_scores(
        np.arange(4040) < 40, np.r_[np.arange(40) + 4000.0, np.arange(3999.0), 4000.5]
    )
    low = confidence_interval(counts, "roc_auc", side="lower").low
    assert confidence_interval(counts, "roc_auc", method="logit_t", side="lower").low > 0.997
    assert low < 0.99


@given(some.grade_tables(), st.sampled_from(CLOSED), st.sampled_from(["both", "lower", "upper"]))
def test_the_accuracy_ratio_has_twice_the_auc_less_one(table, method, side):
    counts = grades(*table)
    auc = confidence_interval(counts, "roc_auc", method=method, side=side)
    ar = confidence_interval(counts, cap.accuracy_ratio, method=method, side=side)
    assert (ar.low, ar.high) == (2 * auc.low - 1, 2 * auc.high - 1)
    assert ar.estimate == cap.accuracy_ratio(counts)
    assert (ar.se is None) == (auc.se is None)
    assert ar.se is None or ar.se == 2 * auc.se


@given(some.grade_tables(), st.sampled_from(CLOSED))
def test_a_reversed_score_has_the_mirrored_interval(table, method):
    counts, mirrored = grades(*table), grades(*(column[::-1] for column in table))
    found, other = (confidence_interval(c, "roc_auc", method=method) for c in (counts, mirrored))
    assert found.low == close(1 - other.high, abs=1e-12)
    assert found.high == close(1 - other.low, abs=1e-12)


@given(some.grade_tables(), st.sampled_from(CLOSED), st.sampled_from([0.8, 0.95, 0.99]))
def test_one_sided_limits_are_those_of_a_wider_interval(table, method, level):
    counts = grades(*table)
    unseen = {"unseen": "worst"} if method in {None, "envelope"} else {}
    both = confidence_interval(counts, "roc_auc", method=method, level=2 * level - 1, **unseen)
    lower, upper = (
        confidence_interval(counts, "roc_auc", method=method, level=level, side=side, **unseen)
        for side in ("lower", "upper")
    )
    assert (lower.low, lower.high) == (close(both.low, abs=1e-12), 1)
    assert (upper.low, upper.high) == (0, close(both.high, abs=1e-12))


def every_question():
    for metric in ("roc_auc", "accuracy_ratio"):
        yield from ((metric, {"method": method}) for method in (None, *RANKING_METHODS))
        for variance in ("ij", "hanley_mcneil"):
            yield from ((metric, {"variance": variance, "method": m}) for m in (None, "wald"))
    for metric in ("captured_response", "lift", "precision"):
        for method, q in itertools.product(
            WAYS_OF_CLASSES[f"{metric} at a share"].methods, (0.1, 0.5, 1)
        ):
            yield metric, {"q": q, "method": method}
        for method, cut in itertools.product(
            WAYS_OF_CLASSES[f"{metric} at a threshold"].methods, (3, 2, 1)
        ):
            yield metric, {"threshold": cut, "method": method}
    yield from (("ks", {"method": method}) for method in WAYS_OF_CLASSES["ks"].methods)
    for method in WAYS_OF_CLASSES["partial_auc"].methods:
        yield "partial_auc", {"max_fpr": 0.3, "method": method}
    yield "profit", {"value": 10, "cost": 2}


QUESTIONS = list(every_question())
TOP = {"profit": math.inf, "lift": math.inf, "partial_auc": 0.3}
SMALL = [
    (p, n)
    for p in itertools.product(range(3), repeat=3)
    for n in itertools.product(range(3), repeat=3)
    if sum(p) and sum(n)
]


@pytest.mark.merge
@pytest.mark.parametrize("side", ["both", "lower", "upper"])
def test_every_small_table_has_every_interval(side):
    for turn, (p, n) in enumerate(SMALL[:: 7 if side == "both" else 31]):
        counts = grades(p, n)
        for metric, options in QUESTIONS[turn % 3 :: 3]:
            resampled = options.get("method") or ""
            if metric in {"ks", "profit"} or "bootstrap" in resampled:
                options = {**options, "replicates": 10, "seed": 1}  # noqa: PLW2901 - no row changes
            try:
                found = confidence_interval(counts, metric, side=side, **options)
            except ValueError as error:
                assert "no case is selected" in str(error)  # noqa: PT017 - most tables have one
                continue
            case = (p, n, metric, options, found)
            least = -1 if metric == "accuracy_ratio" else 0
            assert least <= found.low <= found.high <= TOP.get(metric, 1), case
            if "bootstrap" not in resampled:  # few replicates may all lie to one side
                assert found.low <= found.estimate <= found.high, case
            assert found.se is None or found.se > 0 or found.method == "definition", case
            wide = found.low < found.high or found.method == "definition" or metric == "profit"
            assert wide, case


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (grades([5, 0], [0, 9]), "an AUC of 1"),
        (grades([0, 5], [9, 0]), "an AUC of 0"),
        (grades([0, 1, 0], [4, 2, 9]), "one positive"),
        (grades([2, 3, 2], [0, 1, 0]), "one negative"),
        (grades([5], [9]), "not above zero"),
    ],
)
@pytest.mark.parametrize("method", ["logit", "wald", "bootstrap", None])
def test_where_there_is_no_error_newcombe_stands_in_and_says_so(counts, words, method):
    found = confidence_interval(counts, "roc_auc", method=method)
    assert found.method == "newcombe"
    assert words in found.notes[0]
    assert "Newcombe interval instead of" in found.notes[0]
    assert found.high - found.low > 0.1


def test_tied_scores_have_the_spread_that_hanley_and_mcneil_see():
    # Q1 = Q2 = 1/3 at an AUC of 1/2, with 5 and 9 cases: (1/4 + (4 + 8)/12)/45.
    found = confidence_interval(grades([5], [9]), "roc_auc", variance="hanley_mcneil")
    variance = (1 / 4 + (4 + 8) * (1 / 3 - 1 / 4)) / 45
    reach = stats.norm.ppf(0.975) * math.sqrt(variance) / 0.25
    assert found.method == "logit"
    assert found.high == close(1 / (1 + math.exp(-reach)), rel=1e-12)


def test_weighted_limits_say_what_they_cannot_allow_for():
    for s in ([6, 5, 4, 3, 2, 1], [6, 4, 5, 3, 2, 1]):
        counts = cap.count_scores(
            [1, 1, 0, 0, 0, 0], s, weight=[1.0, 2, 1, 1, 1, 1], weight_kind="sampling"
        )
        assert "it is too narrow" in confidence_interval(counts, "accuracy_ratio").notes[-1]


def test_limits_that_were_cut_off_say_so():
    counts = grades([2, 1], [0, 3])
    wald = confidence_interval(counts, "roc_auc", method="wald")
    assert wald.high == 1
    assert any("cut off at 1" in note for note in wald.notes)
    assert any("fewer than 50" in note for note in wald.notes)
    logit = confidence_interval(counts, "roc_auc", method="logit")
    assert logit.high < 1
    assert not any("cut off" in note for note in logit.notes)


def test_at_a_threshold_rates_are_binomial():
    # At grade 2 and better 11 of 15 positives, 15 of 65 negatives are selected.
    for metric, hits, cases in (("captured_response", 11, 15), ("precision", 11, 26)):
        exact = stats.binomtest(hits, cases)
        for method, known in (("wilson", "wilson"), ("clopper_pearson", "exact")):
            found = confidence_interval(TABLE, metric, threshold=3, method=method)
            expected = exact.proportion_ci(0.95, known)
            assert (found.low, found.high) == (close(expected.low), close(expected.high))
            assert found.estimate == close(hits / cases, rel=1e-15)
    assert confidence_interval(TABLE, "precision", threshold=3).method == "envelope"


def test_the_default_at_a_threshold_is_the_envelope_of_wilson_and_mid_p():
    several = [
        confidence_interval(TABLE, "precision", threshold=3, method=method)
        for method in ("wilson", "mid_p")
    ]
    found = confidence_interval(TABLE, "precision", threshold=3)
    assert found.low == min(each.low for each in several)
    assert found.high == max(each.high for each in several)


def test_lift_at_a_threshold_is_a_multinomial_log_delta():
    tp, fp, fn, tn = 11, 15, 4, 50
    n = tp + fp + fn + tn
    found = confidence_interval(TABLE, "lift", threshold=3, method="log_delta")
    lift = (tp / (tp + fn)) / ((tp + fp) / n)
    shares = np.array([tp, fp, fn, tn]) / n

    def log_lift(p):
        return math.log(p[0]) - math.log(p[0] + p[2]) - math.log(p[0] + p[1])

    step = 1e-6
    slopes = np.array(
        [
            (log_lift(shares + step * e) - log_lift(shares - step * e)) / (2 * step)
            for e in np.eye(4)
        ]
    )
    variance = ((shares * slopes**2).sum() - (shares * slopes).sum() ** 2) / n
    reach = math.exp(stats.norm.ppf(0.975) * math.sqrt(variance))
    assert found.estimate == close(lift)
    assert (found.low, found.high) == (close(lift / reach, rel=1e-7), close(lift * reach, rel=1e-7))
    assert found.se == close(lift * math.sqrt(variance), rel=1e-7)


def test_a_cut_off_without_positives_still_bounds_the_lift():
    counts = grades([0, 3, 2], [4, 10, 30])
    found = confidence_interval(counts, "lift", threshold=3)
    # The rate of the 4 selected may be as high as p, that of the 45 others stays 1/9.
    p = confidence_interval(counts, "precision", threshold=3).high
    assert p == close(1 - 0.05 ** (1 / 4))  # of mid-P; by Wilson it is less
    assert (found.low, found.estimate, found.se) == (0, 0, None)
    assert found.high == close(p / (4 / 49 * p + 45 / 49 / 9))
    with pytest.raises(ValueError, match="no case is selected"):
        confidence_interval(counts, "lift", threshold=9)


def test_lift_at_a_threshold_joins_the_limits_of_three_rates():
    found = confidence_interval(TABLE, "lift", threshold=3)
    (p, p0, p1), (r, r0, r1), (s, s0, s1) = (
        (x / n, *limits_of_a_rate(x, n)) for x, n in ((11, 26), (4, 54), (26, 80))
    )

    def lift(p, r, s):
        return p / (s * p + (1 - s) * r)

    middle = lift(p, r, s)
    down = math.hypot(*(middle - x for x in (lift(p0, r, s), lift(p, r1, s), lift(p, r, s1))))
    up = math.hypot(*(middle - x for x in (lift(p1, r, s), lift(p, r0, s), lift(p, r, s0))))
    assert found.method == "mover"
    assert (found.low, found.high) == (close(max(middle - down, 0)), close(middle + up))


def limits_of_a_rate(x, n):
    both = [rate_interval(x, n, method) for method in ("wilson", "mid_p")]
    return min(each.low for each in both), max(each.high for each in both)


def test_grade_names_are_thresholds():
    counts = cap.ScoreCounts.from_counts(
        ["C", "B", "A"], [6, 3, 1], [4, 10, 30], levels=["C", "B", "A"]
    )
    found = confidence_interval(counts, "precision", threshold="B")
    assert found.estimate == close(9 / 23)


def test_intervals_ask_for_what_they_need():
    for options, words in (
        ({"metric": "lift"}, "q= .* or threshold="),
        ({"metric": "lift", "q": 0.1, "threshold": 2}, "not both"),
        ({"metric": "partial_auc"}, "needs max_fpr="),
        ({"metric": "profit", "value": 3}, "needs cost="),
        ({"metric": "brier"}, "metric must be one of 'accuracy_ratio', .*; got 'brier'"),
        ({"metric": cap.tie_mass}, "metric must be one of"),
        ({"metric": "roc_auc", "method": "exact"}, "must be one of"),
        ({"metric": "roc_auc", "variance": "bamber"}, "variance must be one of"),
        ({"metric": "lift", "threshold": 2, "method": "wilson"}, "lift at a threshold"),
        ({"metric": "roc_auc", "level": 95}, "between 0 and 1"),
        ({"metric": "roc_auc", "side": "left"}, "side must be"),
        ({"metric": "lift", "q": 0}, r"\(0, 1\]"),
        ({"metric": "ks", "replicates": 1}, "from 2 to"),
    ):
        with pytest.raises(ValueError, match=words):
            confidence_interval(TABLE, **options)
    with pytest.raises(
        TypeError, match="confidence_interval takes counts or two columns, got list"
    ):
        confidence_interval([1, 2], "roc_auc")


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("roc_auc", {"q": 0.1}),
        ("roc_auc", {"max_fpr": 0.1}),
        ("roc_auc", {"seed": 1}),
        ("roc_auc", {"method": "newcombe", "variance": "ij"}),
        ("roc_auc", {"method": "bootstrap", "variance": "ij"}),
        ("roc_auc", {"method": "logit_t", "variance": "hanley_mcneil"}),
        ("lift", {"q": 0.1, "variance": "ij"}),
        ("lift", {"q": 0.1, "replicates": 10}),
        ("ks", {"q": 0.1}),
        ("ks", {"variance": "ij"}),
        ("profit", {"value": 3, "cost": 1, "max_fpr": 0.1}),
    ],
)
def test_options_that_would_be_ignored_raise(metric, options):
    with pytest.raises(ValueError, match=r"not used|does not use|no degrees of freedom"):
        confidence_interval(TABLE, metric, **options)


def test_weights_must_say_what_they_mean():
    y, s, w = [1, 0, 1, 0], [4, 3, 2, 1], [1.0, 2.0, 1.0, 1.5]
    unsaid = cap.count_scores(y, s, weight=w)
    fractions = cap.ScoreCounts.from_counts([3, 2, 1], [1.5, 2.0, 1.0], [1.0, 2.5, 4.0])
    for metric, options in QUESTIONS:
        for counts, words in ((unsaid, "weight_kind="), (fractions, "needs the rows")):
            with pytest.raises(ValueError, match=words):
                confidence_interval(counts, metric, **options)


@pytest.mark.parametrize("metric", ["roc_auc", "ks", "captured_response", "precision", "lift"])
def test_unit_sampling_weights_hardly_differ_from_none(metric):
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 4000), rng.integers(0, 30, 4000)
    weighed = cap.count_scores(y, s + 9 * y, weight=np.ones(4000), weight_kind="sampling")
    plain = cap.count_scores(y, s + 9 * y)
    options = {"q": 0.2} if metric in {"captured_response", "precision", "lift"} else {}
    if metric == "ks":
        options = {"seed": 1, "replicates": 3000}
    found, expected = (confidence_interval(c, metric, **options) for c in (weighed, plain))
    assert found.estimate == close(expected.estimate, rel=1e-12)
    # Weights take a reach for what the sample may lack, which fades with the number of rows.
    rel = {"ks": 0.06, "roc_auc": 2e-3}.get(metric, 1e-3)
    assert found.high - found.low == close(expected.high - expected.low, rel=rel)


def test_heavier_weights_make_wider_intervals():
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 2000), rng.standard_normal(2000)
    widths = []
    for weight in (np.ones(2000), rng.exponential(1, 2000)):
        counts = cap.count_scores(y, s + y, weight=weight, weight_kind="sampling")
        found = confidence_interval(counts, "roc_auc")
        widths.append(found.high - found.low)
    # Exponential weights halve the effective size.
    assert widths[1] / widths[0] == close(math.sqrt(2), rel=0.1)


def test_weighted_degrees_of_freedom_count_the_rows_that_matter():
    rng = np.random.default_rng(8)
    y, s, w = rng.integers(0, 2, 60), rng.standard_normal(60), rng.exponential(1, 60)
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    won = s[y == 1][:, None] > s[y == 0]
    w1, w0 = w[y == 1], w[y == 0]
    placed = (won @ w0 / w0.sum(), w1 @ won / w1.sum())
    auc = w1 @ placed[0] / w1.sum()
    total, shares = 0.0, 0.0
    for weight, v in zip((w1, w0), placed, strict=True):
        squares = (weight * (v - auc)) ** 2 / weight.sum() ** 2
        crowded = (squares**2).sum() / squares.sum() ** 2 - (weight**2).sum() / weight.sum() ** 2
        total += squares.sum()
        shares += squares.sum() ** 2 / (2 / crowded)
    assert degrees_of_freedom(counts) == close(total**2 / shares, rel=1e-10)


def moved_out(counts, rows):
    """Limits of logit_t moved out by a further row of so much of each class's weight."""
    auc = cap.roc_auc(counts)
    t, z = stats.t.ppf(0.975, degrees_of_freedom(counts)), stats.norm.ppf(0.975)
    se = math.sqrt(auc_variance(counts))
    middle, reach = math.log(auc / (1 - auc)), t * se / auc / (1 - auc)
    limits = []
    for side, far in ((-1, auc), (1, 1 - auc)):
        plain = 1 / (1 + math.exp(-(middle + side * reach)))
        moves = [z * far * share / (1 + share) for share in rows[side]]
        limits.append(auc + side * math.hypot(plain - auc, *moves))
    return limits


def test_weighted_limits_reach_for_an_unseen_row_as_heavy_as_the_other_class_has_there():
    # One case in 4 was taken below 4.5, where no positive was seen.
    s = np.array([1, 2, 3, 4, 5, 7.5, 9.5, *range(6, 30)])
    y = np.arange(31) > 6
    w = np.where(s < 4.5, 4.0, 1.0)
    counts = cap.count_scores(y, s, weight=w, weight_kind="sampling")
    auc, rows = cap.roc_auc(counts), {-1: [], 1: []}
    wins = (s[:, None] > s) + (s[:, None] == s) / 2
    # What a positive, and what a negative, at the place of each row would win.
    for own, placed in ((y, wins @ (w * ~y) / w[~y].sum()), (~y, (w * y) @ wins / w[y].sum())):
        for side, found in rows.items():
            far = np.maximum(side * (placed - auc), 0)
            typical = [
                (w**2 * far)[of].sum() / max((w * far)[of].sum(), 1e-300) for of in (own, ~own)
            ]
            found.append(max(typical) / w[own].sum())
    assert rows[-1][0] > 3 / 24  # not 1/24, the share of a positive that was seen
    found = confidence_interval(counts, "roc_auc", method="logit_t")
    assert (found.low, found.high) == close(moved_out(counts, rows), rel=1e-10)


def test_weights_alike_within_each_class_say_nothing_of_heavier_rows():
    # Negatives stand for 10 cases each, positives for themselves, whatever the score.
    rng = np.random.default_rng(9)
    y = np.arange(60) < 20
    s = rng.normal(size=60) + y
    counts = cap.count_scores(y, s, weight=np.where(y, 1.0, 10.0), weight_kind="sampling")
    rows = dict.fromkeys((-1, 1), ())
    found = confidence_interval(counts, "roc_auc", method="logit_t")
    assert (found.low, found.high) == close(moved_out(counts, rows), rel=1e-10)
    # They are a stated prevalence, which does not move an AUC; nearly so hardly do others.
    plain = confidence_interval(cap.count_scores(y, s), "roc_auc")
    assert confidence_interval(counts, "roc_auc").limits == close(plain.limits, rel=0.02)
    uneven = np.where(y, 1.0, 10.0) * (1 + rng.uniform(-0.01, 0.01, 60))
    nearly = cap.count_scores(y, s, weight=uneven, weight_kind="sampling")
    assert confidence_interval(nearly, "roc_auc").limits == close(plain.limits, rel=0.02)


@pytest.mark.merge
def test_limits_hold_where_weights_depend_on_the_score():
    # Of the worst third one case in 25 is taken: most samples lack a positive of that weight.
    rng, runs, held = np.random.default_rng(20), 200, 0
    auc = stats.norm.cdf(0.75 / math.sqrt(2))
    for _ in range(runs):
        y = np.arange(1300) < 65
        s = rng.normal(size=1300) + 0.75 * y
        w = np.where(s > 0.45, 1.0, np.where(s > -0.4, 4.0, 25.0))
        kept = rng.random(1300) * w < 1
        counts = cap.count_scores(y[kept], s[kept], weight=w[kept], weight_kind="sampling")
        found = confidence_interval(counts, "roc_auc")
        held += found.low <= auc <= found.high
    assert held / runs > 0.93


def test_few_cases_are_noted_where_limits_then_fail():
    counts = grades([4, 3, 2], [3, 6, 40])
    for method in ("wald", "logit"):
        note = confidence_interval(counts, "roc_auc", method=method).notes[0]
        few = "with fewer than 50 effective cases of a class"
        assert note == f"{few}, {method} intervals are less reliable"
    assert confidence_interval(counts, "roc_auc").notes == ()


def test_weighted_shares_say_where_their_limits_fail():
    y, s = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    weighed = cap.count_scores(y, s, weight=[1.0, 2, 1, 1, 1, 1], weight_kind="sampling")
    for metric in ("captured_response", "lift", "precision"):
        notes = confidence_interval(weighed, metric, q=0.5).notes
        assert any("intervals are too narrow" in note for note in notes)
        plain = confidence_interval(cap.count_scores(y, s), metric, q=0.5).notes
        assert not any("intervals are too narrow" in note for note in plain)


@pytest.mark.merge
def test_intervals_do_without_the_slow_part_of_scipy():
    code = (
        "import sys, capcurve as cap; from capcurve.inference.intervals import *; "
        "c = cap.ScoreCounts.from_counts([3, 2, 1], [6, 3, 1], [4, 10, 30]); "
        "[confidence_interval(c, m, **o) for m, o in (('roc_auc', {}), ('ks', {}), "
        "('lift', {'q': 0.1}), ('precision', {'threshold': 2}))]; "
        "print('scipy.stats' in sys.modules, 'scipy.optimize' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_no_overflow_at_cells_of_a_million_million():
    n = 10**12
    counts = grades([3 * n, 2 * n, n], [n, 2 * n, 5 * n])
    small = grades([300, 200, 100], [100, 200, 500])
    for metric, options in (
        ("accuracy_ratio", {}),
        ("captured_response", {"q": 0.2}),
        ("precision", {"q": 0.2}),
        ("lift", {"threshold": 2}),
        ("roc_auc", {"method": "bootstrap", "seed": 1, "replicates": 200}),
    ):
        large, little = (confidence_interval(c, metric, **options) for c in (counts, small))
        assert large.estimate == close(little.estimate, rel=1e-12)
        assert large.se == close(little.se / 1e5, rel=0.15 if "seed" in options else 2e-3)


def test_the_record_goes_into_json():
    found = confidence_interval(TABLE, "lift", threshold=3, side="lower")
    written = found.to_dict()
    assert written["high"] == "inf"
    assert written["notes"] == []
    assert set(written) == {"low", "estimate", "high", "level", "method", "se", "notes"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        *(
            ("ar", "accuracy_ratio"),
            ("Gini", "accuracy_ratio"),
            ("accuracy ratio", cap.accuracy_ratio),
        ),
        *(("auc", "roc_auc"), ("AUROC", "roc_auc"), ("ROC-AUC", cap.roc_auc)),
    ],
)
def test_metrics_are_known_by_their_usual_names(said, meant):
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [3, 9, 18])
    assert confidence_interval(counts, said) == confidence_interval(counts, meant)


def test_the_signature_alone_declares_what_an_interval_may_be_told():
    """Each option reaches the limits by name, and each is used by some metric and method."""
    declared = inspect.signature(confidence_interval).parameters
    assert [*declared][:2] == ["counts", "metric"]
    assert {name: declared[name].default for name in DEFAULTS} == DEFAULTS
    request = IntervalRequest(TABLE, "lift", None, Confidence(), {**DEFAULTS, "q": 0.1})
    assert (request.q, request.place, request.ties) == (0.1, {"q": 0.1}, "expected")
    assert (request.told(q=0.2).q, request.q) == (0.2, 0.1)
    with pytest.raises(AttributeError, match="an interval is told no 'quantile'"):
        _ = request.quantile
    ways = [*WAYS_OF_CLASSES.values(), *WAYS_OF_AMOUNTS.values(), *WAYS_OF_TRIALS.values()]
    used = {option for way in ways for option in (*way.uses, *way.needs)}
    used |= {option for m in METRICS.values() for option in (*m.options, *m.needs)}
    assert set(DEFAULTS) - used == {"replicates", "seed"}
