"""Totals of a ranking: every digit that the counts would give, and a plain no to all else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import capcurve as cap
from capcurve import write_counts
from capcurve.inference import confidence_interval
from capcurve.inference.variances import null_variance

SCALARS = (
    cap.accuracy_ratio,
    cap.roc_auc,
    cap.accuracy_ratio_bounds,
    cap.tie_mass,
    cap.somers_d,
    cap.kendall_tau_b,
    cap.ks,
    cap.pietra_index,
    cap.bayesian_error_rate,
    cap.information_value,
    cap.prevalence,
    null_variance,
)


def blocks_of(counts, size):
    for start in range(0, len(counts), size):
        cells = slice(start, start + size)
        yield counts.score[cells], counts.positives[cells], counts.negatives[cells]


def totals_of(counts, size=1000, **fields):
    fields = {"higher_is": counts.higher_is, "resolution": counts.resolution, **fields}
    return cap.count_sorted(blocks_of(counts, size), n1=counts.n1, n0=counts.n0, **fields)


def sample(n, *, rate=0.1, digits=None, dtype=np.float64):
    rng = np.random.default_rng(7)
    y = rng.random(n) < rate
    score = rng.normal(size=n) + y
    return y, (score if digits is None else np.round(score, digits)).astype(dtype)


@cache
def many():
    return cap.count_scores(*sample(50_000))


@cache
def totals_of_many():
    return totals_of(many())


CASES = {
    "continuous": (20_000, {}),
    "tied": (20_000, {"digits": 3}),
    "float32": (20_000, {"dtype": np.float32}),
    "rare": (20_000, {"rate": 0.0015}),
    "few": (300, {"digits": 1}),
}


TURNS = ("positive", "negative") * len(CASES)


@pytest.fixture(
    scope="module",
    params=[
        *zip(CASES, TURNS, strict=False),
        *(
            pytest.param(each, marks=pytest.mark.merge)
            for each in zip(CASES, TURNS[1:], strict=False)
        ),
    ],
    ids=str,
)
def pair(request):
    n, options = CASES[request.param[0]]
    counts = cap.count_scores(*sample(n, **options), higher_is=request.param[1])
    return counts, totals_of(counts, 777)


def test_every_number_is_that_of_the_counts(pair):
    counts, totals = pair
    for number in SCALARS:
        assert number(totals) == number(counts), number.__name__
    assert (len(totals), totals.n1, totals.n0) == (len(counts), counts.n1, counts.n0)
    assert totals.digest() == counts.digest()
    cells = counts.positives.astype(int) + counts.negatives
    assert totals.small_cells == (cells < 5).sum()
    assert totals.smallest_cell == cells.min()
    by_entropy = cap.conditional_information_entropy_ratio
    assert by_entropy(totals) == pytest.approx(by_entropy(counts), rel=1e-14)
    assert cap.bayesian_error_rate(totals, prior=0.3) == cap.bayesian_error_rate(counts, prior=0.3)


def test_selections_at_every_thousandth_and_gains_are_those_of_the_counts(pair):
    counts, totals = pair
    for q in (0.001, 0.01, *(np.arange(3, 100, 6) / 100), 0.333, 0.99, 0.999):
        for number in (cap.captured_response, cap.lift, cap.precision):
            assert number(totals, q) == number(counts, q), (number.__name__, q)
    assert cap.gains_table(totals).values() == cap.gains_table(counts).values()
    assert cap.gains_table(totals, bins=100).values() == cap.gains_table(counts, bins=100).values()


@pytest.mark.parametrize("variance", ["delong", "ij", "hanley_mcneil"])
def test_limits_of_the_auc_are_those_of_the_counts(pair, variance):
    counts, totals = pair
    for metric in ("accuracy_ratio", "roc_auc"):
        expected = confidence_interval(counts, metric, variance=variance)
        found = confidence_interval(totals, metric, variance=variance)
        assert found.method == expected.method
        limits = (found.low, found.estimate, found.high, found.se)
        assert limits == (expected.low, expected.estimate, expected.high, expected.se)


@pytest.mark.turns(3)
def test_limits_at_a_share_are_those_of_the_counts(pair):
    counts, totals = pair
    for metric in ("captured_response", "lift", "precision"):
        for q in (0.1, 0.5):
            assert limits_of(totals, metric, q=q) == limits_of(counts, metric, q=q)


def limits_of(counts, metric, **options):
    found = confidence_interval(counts, metric, **options)
    return found.low, found.estimate, found.high, found.se


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", [3, 17, 20, 26, 31, 37])
def test_limits_have_the_last_digit_of_the_counts(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(20_000) < (0.5, 0.1, 0.01)[seed % 3]
    counts = cap.count_scores(y, rng.normal(size=20_000) + y)
    totals = totals_of(counts)
    assert limits_of(totals, "ks") == limits_of(counts, "ks")
    for q in (0.1, 0.2, 0.5):
        for metric in ("captured_response", "lift", "precision"):
            assert limits_of(totals, metric, q=q) == limits_of(counts, metric, q=q), (metric, q)


RULES = {
    "youden": {},
    "cost": {"cost_fn": 7, "cost_fp": 1},
    "f_beta": {"beta": 2},
    "profit": {"value": 10.5, "cost": 1},
}


@pytest.mark.parametrize("rule", RULES)
def test_every_best_cutoff_is_held(pair, rule):
    counts, totals = pair
    expected = cap.best_thresholds(counts, rule, **RULES[rule])
    found = cap.best_thresholds(totals, rule, **RULES[rule])
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.threshold, one.tp, one.fp, one.q) == (
            *(other.threshold, other.tp, other.fp),
            other.q,
        )
        assert one.next_score in (other.next_score, None)


def test_best_cutoffs_that_may_not_be_held_are_refused():
    totals = totals_of_many()
    with pytest.raises(cap.NotHeldError, match="resolution="):
        cap.best_thresholds(totals, "closest")
    with pytest.raises(cap.NotHeldError, match="resolution="):
        cap.best_thresholds(totals, "cost", cost_fn=0, cost_fp=0)
    small = cap.count_scores(*sample(500))
    for rule, options in {**RULES, "closest": {}}.items():
        held = cap.best_thresholds(totals_of(small), rule, **options)
        assert held == cap.best_thresholds(small, rule, **options)


def test_totals_have_no_columns_and_say_why():
    totals = totals_of_many()
    for name in ("score", "positives", "negatives", "thresholds", "joined", "at_resolution"):
        assert not hasattr(totals, name)
        with pytest.raises(cap.NotHeldError, match="resolution=") as error:
            getattr(totals, name)
        assert isinstance(error.value, ValueError)
        assert isinstance(error.value, AttributeError)
    assert hasattr(totals, "n1")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = totals.nothing


def test_curves_run_through_true_points_and_stay_within_a_thousandth():
    counts = cap.count_scores(*sample(80_000))
    totals = totals_of(counts)
    for curve in (cap.cap_curve, cap.ks_curve, cap.lorenz_curve):
        exact, held = curve(counts), curve(totals)
        assert len(held) < len(exact) / 4
        assert np.abs(exact.at(held.x) - held.y).max() < 1e-12
        assert np.abs(held.at(exact.x) - exact.y).max() < 1e-3
    exact, held = cap.roc_curve(counts), cap.roc_curve(totals)
    assert set(zip(held.x, held.y, strict=True)) <= set(zip(exact.x, exact.y, strict=True))
    assert set(cap.cap_curve(totals).thresholds) <= set(counts.score)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 4096])
def test_blocks_may_end_anywhere_also_inside_ties(size):
    y, score = sample(3000, digits=1)
    order = np.argsort(-score, kind="stable")
    y, score = y[order], score[order]
    blocks = [
        (score[s : s + size], y[s : s + size].astype(int), 1 - y[s : s + size])
        for s in range(0, len(y), size)
    ]
    totals = cap.count_sorted(blocks, n1=int(y.sum()), n0=int((~y).sum()))
    counts = cap.count_scores(y, score)
    assert totals.digest() == counts.digest()
    assert cap.accuracy_ratio(totals) == cap.accuracy_ratio(counts)
    assert cap.ks(totals) == cap.ks(counts)
    assert totals.every_score() == counts


@pytest.mark.parametrize(
    "score",
    [
        np.array([np.inf, 1.5, 0.0, -0.0, -np.inf]),
        np.array([2**63 - 1, 2**53 + 1, 2**53, 0, -(2**63)], dtype=np.int64),
        np.array([2**64 - 1, 2**64 - 2, 3, 1, 0], dtype=np.uint64),
        np.array([2.0**60, 2.0**55, 4.0, 3.0, -1.0]),
        np.array([2.0**70, 2.0**55, 4.0, 3.0, -1.0]),
        np.array([9, 5, 3, 2, 1], dtype=np.uint8),
    ],
    ids=["infinities", "int64", "uint64", "whole floats", "vast floats", "uint8"],
)
def test_scores_at_the_edges_of_their_types(score):
    p, n = np.array([3, 1, 1, 2, 0]), np.array([0, 1, 1, 0, 4])
    counts = cap.ScoreCounts.from_counts(score, p, n)
    totals = cap.count_sorted([(score[:3], p[:3], n[:3]), (score[3:], p[3:], n[3:])], n1=7, n0=6)
    assert totals.digest() == counts.digest()
    assert totals.every_score() == counts
    assert totals.every_score().score.dtype == counts.score.dtype
    assert cap.ks(totals) == cap.ks(counts)


def test_cells_of_a_million_million_do_not_overflow():
    score, big = np.array([4, 3, 2, 1]), 10**12
    p, n = np.array([5 * big, 2 * big, 1, 7]), np.array([1, big, 4 * big + 3, 9 * big])
    counts = cap.ScoreCounts.from_counts(score, p, n)
    totals = totals_of(counts, 2)
    assert cap.accuracy_ratio(totals) == cap.accuracy_ratio(counts)
    assert cap.kendall_tau_b(totals) == cap.kendall_tau_b(counts)
    assert null_variance(totals) == null_variance(counts)
    found, expected = (confidence_interval(c, "roc_auc") for c in (totals, counts))
    assert found.se == pytest.approx(expected.se, rel=1e-12)


@pytest.mark.parametrize(("n1", "n0"), [(0, 5), (5, 0), (0, 0)])
def test_a_missing_class_is_said_as_for_counts(n1, n0):
    score = np.arange(n1 + n0)[::-1]
    p = np.full(n1 + n0, int(n1 > 0))
    totals = cap.count_sorted([(score, p, 1 - p)], n1=n1, n0=n0)
    counts = cap.ScoreCounts.from_counts(score, p, 1 - p)
    with pytest.raises(ValueError, match="no ") as expected:
        cap.accuracy_ratio(counts)
    with pytest.raises(ValueError, match="no ") as found:
        cap.accuracy_ratio(totals)
    assert str(found.value) == str(expected.value)


REFUSED = {
    "partial_auc": lambda totals: cap.partial_auc(totals, 0.1),
    "local_lift": lambda totals: cap.local_lift(totals, 0.1),
    "threshold_table": cap.threshold_table,
    "step_table": cap.step_table,
    "operating_point": lambda totals: cap.operating_point(totals, q=0.1),
    "score_distributions": cap.score_distributions,
    "ks percentiles": lambda totals: confidence_interval(totals, "ks", method="bootstrap"),
    "bootstrap": lambda totals: confidence_interval(totals, "roc_auc", method="bootstrap"),
    "at a cut-off": lambda totals: confidence_interval(totals, "lift", threshold=0.5),
    "uneven share": lambda totals: cap.captured_response(totals, 0.123456),
    "cut points": lambda totals: cap.gains_table(totals, bins=[0.5]),
    "by score": lambda totals: cap.gains_table(totals, bins="score"),
    "too many bins": lambda totals: cap.gains_table(totals, bins=7777),
    "score": lambda totals: totals.score,
    "adding": lambda totals: totals + totals,
    "sum": lambda totals: sum([totals, totals]),
    "cap_band": cap.cap_band,
    "roc_band": cap.roc_band,
}


@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_what_needs_every_score_names_the_way_out(asked):
    totals = totals_of_many()
    with pytest.raises((ValueError, TypeError), match="resolution=") as error:
        REFUSED[asked](totals)
    assert "\n" not in str(error.value)


@pytest.mark.merge
def test_pictures_page_and_evaluation_take_totals():
    counts, totals = many(), totals_of_many()
    found, expected = cap.evaluate(totals), cap.evaluate(counts)
    assert found.to_dict()["scores"][0]["accuracy_ratio"] == cap.accuracy_ratio(counts)
    assert len(found.to_html()) == pytest.approx(len(expected.to_html()), rel=0.2)
    for plot in (cap.plot_cap, cap.plot_roc, cap.plot_ks, cap.plot_lift):
        assert plot({"a": totals}) is not None
    assert repr(cap.null_band(totals)) == repr(cap.null_band(counts))


def test_tests_of_the_whole_ranking_take_totals():
    counts, totals = many(), totals_of_many()
    for test in (cap.discrimination_test, cap.ks_test):
        assert test(totals).p_value == test(counts).p_value
        assert test(totals).statistic == pytest.approx(test(counts).statistic, rel=1e-12)
    other = cap.count_scores(*sample(3000))
    found, expected = (cap.compare_independent(c, other) for c in (totals, counts))
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    few = cap.count_scores(*sample(3000, digits=0))
    found, expected = (cap.test_against_initial(few, c) for c in (totals, counts))
    assert found.method == expected.method
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-9)


def test_cells_that_are_not_held_cannot_be_saved(tmp_path):
    counts = many()
    with pytest.raises(ValueError, match="resolution="):
        write_counts(totals_of(counts), tmp_path / "cells.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.merge
def test_a_stated_prevalence_leaves_out_what_was_not_kept_and_says_so():
    totals = totals_of(cap.count_scores(*sample(200_000)))
    tried = ((p / 100, cap.summarize(totals, prevalence=p / 100)) for p in range(20, 60))
    prevalence, summary = next((p, found) for p, found in tried if not found.captured)
    assert summary.gains is not None
    said = next(finding for finding in summary.findings if finding.code == "totals_only")
    assert "captured, lift" in said.message
    assert "<svg" in cap.evaluate(totals, prevalence=prevalence).to_html()


@pytest.mark.merge
def test_a_card_shows_the_shares_that_totals_tell_and_names_the_others():
    totals = totals_of(cap.count_scores(*sample(20_000)))
    kept = {len(cap.summarize(totals, prevalence=p / 100).captured): p for p in range(2, 60, 4)}
    assert len(kept) > 1
    for told, prevalence in kept.items():
        evaluation = cap.evaluate(totals, prevalence=prevalence / 100)
        (summary,) = evaluation.summaries.values()
        assert str(summary).count("captured in the top") == told
        lost = [q for q in (0.1, 0.2, 0.5) if q not in summary.captured]
        said = " ".join(f.message for f in summary.findings if f.code == "totals_only")
        assert all(f"{q:.0%}" in said or not summary.captured for q in lost)
        assert bool(lost) == ("captured" in said)


def test_a_stream_out_of_order_or_short_is_refused():
    cells = ([2, 1], [1, 0], [0, 1])
    with pytest.raises(ValueError, match="sorted, most-likely-positive first"):
        cap.count_sorted([([1, 2], [1, 0], [0, 1])], n1=1, n0=1)
    with pytest.raises(ValueError, match="sorted, most-likely-positive first"):
        cap.count_sorted([cells, ([3], [1], [0])], n1=2, n0=1)
    with pytest.raises(ValueError, match="sorted, most-likely-positive first"):
        cap.count_sorted([([np.nan], [1], [0])], n1=1, n0=0)
    with pytest.raises(ValueError, match="1 positives and 1 negatives where 2 and 1"):
        cap.count_sorted([cells], n1=2, n0=1)
    with pytest.raises(ValueError, match="whole counts"):
        cap.count_sorted([([1.0], [0.5], [0.5])], n1=1, n0=1)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (np.array([2**60], np.int64), np.array([1.5])),
        (np.array([2**31 - 1], np.int32), np.array([-(2**60)], np.int64)),
        (np.array([2.0**54]), np.array([2**53 + 1])),
        (np.array([2**64 - 1], np.uint64), np.array([-5], np.int64)),
    ],
    ids=["fraction", "wider", "rounded", "unsigned"],
)
def test_a_stream_of_several_types_is_refused_where_it_would_be_rounded(first, then):
    message = f"of types {first.dtype} and {then.dtype}, and the first does not hold all of them"
    with pytest.raises(ValueError, match=message):
        cap.count_sorted([(first, [1], [0]), (then, [0], [1])], n1=1, n0=1)


def test_a_stream_of_several_types_is_exact_where_it_can_be():
    blocks = [([2.5, 2.0], [1, 0], [0, 1]), ([1, 0], [1, 0], [0, 1])]
    totals = cap.count_sorted(blocks, n1=2, n0=2)
    expected = cap.ScoreCounts.from_counts([2.5, 2, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1])
    assert totals.digest() == expected.digest()
    assert totals.every_score() == expected


def test_totals_of_an_engine_must_agree_with_themselves():
    with pytest.raises(ValueError, match="9 pairs won and 0 tied are not among the 4 pairs"):
        cap.RankTotals.from_vertices(
            [2, 1], [1, 2], [1, 2], [1, 2], won=9, tied=0, positive_squares=1, negative_squares=1
        )
    with pytest.raises(ValueError, match="ever more"):
        cap.RankTotals.from_vertices(
            [2, 1], [2, 1], [1, 2], [1, 2], won=1, tied=0, positive_squares=1, negative_squares=1
        )


@pytest.mark.turns(3)
def test_the_summary_is_that_of_the_counts(pair):
    counts, totals = pair
    found, expected = cap.summarize(totals).to_dict(), cap.summarize(counts).to_dict()
    ratio = "conditional_information_entropy_ratio"
    assert found.pop(ratio) == pytest.approx(expected.pop(ratio), rel=1e-14)
    limits, known = found.pop("intervals"), expected.pop("intervals")
    if not totals.is_complete:  # and then it does not tell the average precision, and says so
        del known["average_precision"], expected["average_precision"]
        assert found.pop("average_precision") is None
        (lacking,) = (each for each in found["findings"] if each["code"] == "totals_only")
        assert "do not give average precision" in lacking["message"]
        found["findings"].remove(lacking)
    assert limits.keys() == known.keys()
    for name, interval in limits.items():
        for key, value in interval.items():
            same = value == known[name][key]
            assert same or value == pytest.approx(known[name][key], rel=1e-13), (name, key)
    assert found == expected


def test_a_summary_says_which_numbers_an_engine_did_not_send():
    counts = cap.count_scores(*sample(2000))
    full = totals_of(counts)
    ends = np.array([0, 700, 1300, 1999])
    sums = [np.cumsum(column, dtype=int)[ends] for column in (counts.positives, counts.negatives)]
    totals = cap.RankTotals.from_vertices(
        counts.score[ends],
        *sums,
        ends + 1,
        won=full.won,
        tied=full.tied,
        positive_squares=full.positive_squares,
        negative_squares=full.negative_squares,
    )
    summary = cap.summarize(totals)
    assert summary.accuracy_ratio == cap.accuracy_ratio(counts)
    assert (summary.gains, summary.captured, summary.digest) == (None, {}, None)
    assert summary.bayesian_error_rate is None
    told = next(finding for finding in summary.findings if finding.code == "totals_only")
    assert "gains" in told.message
    assert "bayesian error rate" in told.message
    assert summary.sentence.startswith("The accuracy ratio is 0.")


@pytest.mark.parametrize("positives", [[-2, 1], [1, -2]])
def test_negative_counts_in_a_stream_are_one_clear_line(positives):
    with pytest.raises(ValueError, match="a cell holds -2 cases; counts are zero or more"):
        cap.count_sorted([([9, 7], positives, [0, 3])], n1=4, n0=3)


def test_totals_of_few_positives_among_many_take_the_laws_of_large_samples():
    y = np.arange(60_000) < 12
    totals = totals_of(cap.count_scores(y, np.random.default_rng(3).normal(size=60_000) + y))
    assert not totals.is_complete
    assert cap.discrimination_test(totals).method == "normal"
    assert cap.ks_test(totals).method == "asymptotic"
