"""The control chart: its path, its limit, stored limits, and what it refuses."""

import json

import numpy as np
import pytest
from scipy.stats import norm

import capcurve as cap
from capcurve.inference.planning import binormal_variance
from capcurve.studies.monitoring.control_limit import (
    CellShares,
    _aucs,
    _placed,
    as_initial,
    as_periods,
    quiet_cells,
)

INITIAL = cap.ScoreCounts.from_counts([4, 3, 2, 1], [200, 150, 100, 50], [500, 1500, 3000, 4500])


def month(*positives, negatives=(40, 150, 310, 470)):
    return cap.ScoreCounts.from_counts([4, 3, 2, 1], positives, negatives)


SAME = month(12, 9, 6, 3)
WORSE = month(6, 8, 9, 7)
BEST = month(30, 0, 0, 0)
NO_POSITIVES = month(0, 0, 0, 0)


def months(*counts):
    return {f"2024-{place + 1:02d}": each for place, each in enumerate(counts)}


def test_the_path_by_hand():
    """C goes up by drop·(initial - AR - drop/2)/v, not below 0; without a class it stays."""
    periods = months(WORSE, NO_POSITIVES, WORSE, month(30, 0, 0, 0), WORSE)
    chart = cap.control_chart(periods, INITIAL, drop=0.1, limit=1.0)
    parts = cap.inference.variances.variance_parts(INITIAL)
    v = 4 * (parts[0] * 500 / 30 + parts[1] * 9500 / 970)
    first = 0.1 * (cap.accuracy_ratio(INITIAL) - cap.accuracy_ratio(WORSE) - 0.05) / v
    assert first > 0.3
    cusum = chart.table["cusum"]
    assert cusum[:3] == pytest.approx([first, first, 2 * first], rel=1e-12)
    assert (cusum[3], cusum[4]) == (0, pytest.approx(first))
    assert np.isnan(chart.table["accuracy_ratio"]).tolist() == [False, True, False, False, False]
    assert "without_a_class" in {found.code for found in chart.findings}


def test_an_alarm_stands_from_where_its_rise_began():
    rising = [WORSE] * 4
    chart = cap.control_chart(
        months(SAME, BEST, *rising, *[BEST] * 4), INITIAL, drop=0.1, limit=1.0
    )
    assert chart.table["cusum"][1] == 0
    above = np.flatnonzero(chart.table["cusum"] > 1.0)
    assert chart.alarmed
    assert chart.alarm == f"2024-{above[0] + 1:02d}"
    assert chart.run_start == "2024-03"
    assert chart.run_mean == pytest.approx(cap.accuracy_ratio(WORSE))
    assert chart.table["alarm"].tolist() == (chart.table["cusum"] > 1.0).tolist()
    assert not chart.table["alarm"][-1]  # C fell, and the alarm stands
    assert chart.presentation().sentences[0].startswith(f"ALARM in {chart.alarm}: ")
    assert "below the limit again" in chart.presentation().sentences[1]


def test_a_fall_most_likely_began_where_the_ratio_is_most_standard_errors_too_low():
    """A month that is a little low lifts C above 0, and the fall begins with the month after."""
    low = month(10, 9, 7, 4)
    chart = cap.control_chart(months(SAME, low, WORSE, WORSE), INITIAL, drop=0.1, limit=4)
    assert 0 < chart.table["cusum"][1] < chart.table["cusum"][2] / 2
    assert (chart.run_start, chart.alarm) == ("2024-03", "2024-04")
    assert chart.run_mean == pytest.approx(cap.accuracy_ratio(WORSE))


def test_the_mean_of_a_run_is_weighted_by_precision():
    """A month of ten times the cases has ten times the weight."""
    large = month(100, 90, 70, 40, negatives=(400, 1500, 3100, 4700))
    chart = cap.control_chart(months(WORSE, large), INITIAL, drop=0.1, limit=3)
    small, big = (cap.accuracy_ratio(each) for each in (WORSE, large))
    assert chart.run_start == "2024-01"
    assert chart.alarm == "2024-02"
    assert chart.run_mean == pytest.approx((small + 10 * big) / 11)


def test_a_fall_is_seen_and_an_unchanged_score_is_not():
    quiet = cap.control_chart(months(*[SAME] * 12), INITIAL)
    assert not quiet.alarmed
    assert (quiet.alarm, quiet.run_start, quiet.run_mean) == (None, None, None)
    assert (
        quiet.presentation().sentences[0].startswith("No alarm in 12 periods: the CUSUM reached ")
    )
    fallen = cap.control_chart(months(*[SAME] * 4, *[WORSE] * 8), INITIAL)
    assert fallen.alarmed
    assert fallen.alarm > "2024-05"
    assert fallen.findings[0].code == "alarm"


def test_the_limit_grows_with_what_it_must_hold_for():
    periods = months(*[SAME] * 6)
    usual = cap.control_chart(periods, INITIAL).limit
    assert cap.control_chart(periods, INITIAL, horizon=24).limit > usual
    assert cap.control_chart(periods, INITIAL, alarms=0.2).limit < usual
    known = cap.control_chart(periods, cap.accuracy_ratio(INITIAL)).limit
    estimated = cap.control_chart(periods, (cap.accuracy_ratio(INITIAL), 30, 970)).limit
    assert max(known, usual) < estimated


def test_a_share_of_unchanged_series_is_above_the_limit_in_some_period_or_other():
    """Series are drawn anew and followed period by period, beside the simulation of the limit."""
    initial, drop, alarms = cap.accuracy_ratio(SAME), 0.05, 0.2
    chart = cap.control_chart(months(*[SAME] * 12), initial, drop=drop, alarms=alarms)
    variance, alarmed, series = as_initial(initial).variance(30, 970), 0, 600
    rng = np.random.default_rng(20)
    for _ in range(series):
        positives = rng.multinomial(30, SAME.positives / 30, size=12)
        negatives = rng.multinomial(970, SAME.negatives / 970, size=12)
        climbed = highest = 0.0
        for p, n in zip(positives, negatives, strict=True):
            lead = sum(p[i] * (n[i + 1 :].sum() - n[:i].sum()) for i in range(4))
            climbed = max(0.0, climbed + drop * (initial - lead / (30 * 970) - drop / 2) / variance)
            highest = max(highest, climbed)
        alarmed += highest > chart.limit
    assert alarmed / series == pytest.approx(alarms, abs=0.06)


def test_months_to_come_have_the_mean_size():
    periods = months(SAME, month(36, 27, 18, 9, negatives=(120, 450, 930, 1410)))
    longer = cap.control_chart(periods, INITIAL, horizon=3)
    mean = month(24, 18, 12, 6, negatives=(80, 300, 620, 940))
    given = cap.control_chart(months(*periods.values(), mean), INITIAL)
    assert longer.limit == given.limit


def test_the_same_counts_give_the_same_limit_again():
    periods = months(*[SAME] * 3)
    first, again = (cap.control_chart(periods, INITIAL) for _ in range(2))
    assert first.limit == again.limit
    assert first.saved_limit["seed"] == 1
    assert cap.control_chart(periods, INITIAL, seed=7).limit != first.limit


def test_a_stored_limit_keeps_past_verdicts():
    periods = months(*[WORSE] * 3)
    first = cap.control_chart(periods, INITIAL, drop=0.1, horizon=12)
    stored = json.loads(json.dumps(first.saved_limit))
    later = cap.control_chart(months(*[WORSE] * 5), INITIAL, limit=stored)
    assert (later.limit, later.drop, later.horizon) == (first.limit, 0.1, 12)
    assert later.table["cusum"][:3].tolist() == first.table["cusum"].tolist()
    assert dict(later.saved_limit) == dict(first.saved_limit)
    assert "horizon_used_up" not in {found.code for found in later.findings}
    longest = cap.control_chart(months(*[SAME] * 12) | {"2025-01": SAME}, INITIAL, limit=stored)
    assert "horizon_used_up" in {found.code for found in longest.findings}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"drop": 0.05}, r"stored limit is for drop=0\.1, and drop=0\.05 is asked for"),
        ({"alarms": 0.1}, r"stored limit is for alarms=0\.05"),
        ({"horizon": 24}, r"stored limit is for horizon=12"),
        ({"seed": 1}, "seed makes a limit"),
        ({"initial": SAME}, r"another initial sample of accuracy ratio 0\.6000, and this one has"),
    ],
)
def test_a_stored_limit_goes_with_what_it_was_made_for(options, said):
    stored = cap.control_chart(months(SAME), INITIAL, drop=0.1, horizon=12).saved_limit
    initial = options.pop("initial", INITIAL)
    with pytest.raises(ValueError, match=said):
        cap.control_chart(months(SAME), initial, limit=stored, **options)


@pytest.mark.parametrize(
    ("limit", "error", "said"),
    [
        ("3", TypeError, "limit must be a number, or what saved_limit"),
        ({"limit": 3}, ValueError, "it has no 'drop'"),
        (-1, ValueError, "limit must be 0 or more"),
        (float("nan"), TypeError, "limit must be a number"),
    ],
)
def test_limits_that_are_none(limit, error, said):
    with pytest.raises(error, match=said):
        cap.control_chart(months(SAME), INITIAL, limit=limit)


def test_periods_so_large_that_chance_never_climbs_have_a_limit_of_0():
    large = cap.ScoreCounts.from_counts([4, 3, 2, 1], [10**7] * 4, [10**7, 10**7, 10**8, 10**8])
    found = cap.control_chart({"a": large}, large)
    assert (found.limit, found.alarmed) == (0, False)
    assert cap.control_chart({"a": large}, large, limit=found.saved_limit).limit == 0
    worse = cap.ScoreCounts.from_counts([4, 3, 2, 1], [10**7] * 4, [10**7, 10**8, 10**8, 10**8])
    assert cap.control_chart({"a": worse}, large).alarmed


def test_a_number_for_a_limit_promises_nothing():
    chart = cap.control_chart(months(SAME), INITIAL, limit=3, horizon=2)
    assert (chart.limit, chart.alarms, chart.horizon) == (3.0, None, 2)
    assert "limit as given" in chart.to_markdown()
    with pytest.raises(ValueError, match="alarms makes a limit"):
        cap.control_chart(months(SAME), INITIAL, limit=3, alarms=0.05)


WEIGHTED = cap.count_scores(
    [1, 0, 1, 0], [4, 3, 2, 1], weight=[1.5, 2, 1, 1], weight_kind="sampling"
)


@pytest.mark.parametrize(
    ("periods", "initial", "options", "error", "said"),
    [
        ([SAME], INITIAL, {}, TypeError, r"write control_chart\(y, p, initial, by="),
        ({}, INITIAL, {}, ValueError, "there are no periods"),
        (months(NO_POSITIVES), INITIAL, {}, ValueError, "with positives and negatives; none has"),
        ({"a": [1, 0]}, INITIAL, {}, TypeError, r"periods\['a'\]: control_chart takes counts"),
        ({"a": WEIGHTED}, INITIAL, {}, ValueError, "period a has weights"),
        (months(SAME), WEIGHTED, {}, ValueError, "the initial sample has weights"),
        (months(SAME), "0.6", {}, TypeError, "initial must be the counts of the initial sample"),
        (months(SAME), (0.6, 500), {}, TypeError, r"\(accuracy ratio, positives, negatives\); got"),
        (months(SAME), (0.6, 0, 5), {}, ValueError, "the positives of initial must be a whole"),
        (months(SAME), 1.0, {}, ValueError, "an accuracy ratio from -0.9999 to 0.9999, got 1"),
        (months(SAME), month(30, 0, 0, 0, negatives=(0, 0, 0, 9)), {}, ValueError, "every pair"),
        (months(SAME), month(1, 0, 0, 0), {}, ValueError, "at least two positives; there is 1"),
        (months(SAME), NO_POSITIVES, {}, ValueError, "no positives"),
        (months(month(1, 0, 0, 0)), 0.5, {}, ValueError, "initial sample needs at least two posi"),
        (months(SAME, SAME), INITIAL, {"horizon": 1}, ValueError, "at least the 2 periods given"),
        (months(SAME), INITIAL, {"drop": 0}, ValueError, "drop must be a fall"),
        (months(SAME), INITIAL, {"drop": 1}, ValueError, "drop must be a fall"),
        (months(SAME), INITIAL, {"alarms": 1}, ValueError, "alarms must be between 0 and 1"),
        (months(SAME), INITIAL, {"seed": -1}, ValueError, "seed must be a whole number"),
        (
            {"a": cap.ScoreCounts.from_counts([1, 2], [3, 1], [1, 9], higher_is="negative")},
            INITIAL,
            {},
            ValueError,
            "the initial sample has higher_is='positive' and period a has higher_is='negative'",
        ),
        (
            {"a": cap.ScoreCounts.from_counts(["A", "B"], [1, 3], [9, 4], levels=["B", "A"])},
            INITIAL,
            {},
            ValueError,
            "the initial sample has numbers and period a has grades; count both",
        ),
    ],
)
def test_what_does_not_go_is_refused_in_one_line(periods, initial, options, error, said):
    with pytest.raises(error, match=said) as raised:
        cap.control_chart(periods, initial, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.merge
def test_an_evaluation_stands_for_its_periods():
    rng = np.random.default_rng(2)
    y, by = rng.random(3000) < 0.1, rng.integers(202401, 202404, 3000)
    score = rng.normal(size=3000) + y
    evaluation = cap.evaluate(y, score, by=by)
    initial = cap.count_scores(y[:1000], score[:1000])
    one = cap.control_chart(evaluation, initial)
    other = cap.control_chart(evaluation.segments["score"], initial)
    assert one.to_dict() == other.to_dict()
    assert one.table["period"].tolist() == [202401, 202402, 202403]
    two = cap.evaluate(y, {"new": score, "old": -score}, by=by)
    with pytest.raises(ValueError, match=r"of several scores, 'new', 'old'; pass evaluation"):
        cap.control_chart(two, initial)


@pytest.mark.merge
def test_totals_of_a_ranking_do_where_every_score_would():
    score = np.linspace(0, 1, 20000)
    y = (np.arange(20000) % 7 == 0) | (score > 0.97)
    blocks = [(score[::-1], y[::-1].astype(int), (~y[::-1]).astype(int))]
    totals = cap.count_sorted(blocks, n1=int(y.sum()), n0=int((~y).sum()))
    assert len(totals.vertices) < len(totals)
    held = cap.count_scores(y, score)
    of_totals, of_counts = (
        cap.control_chart(months(SAME), each, limit=2).initial_ar for each in (totals, held)
    )
    assert of_totals == of_counts
    assert cap.control_chart(months(totals), held).limit > 0


# A normal score has these moments in closed form.
@pytest.mark.parametrize(("n1", "n0"), [(30, 300), (200, 970), (5000, 20000)])
def test_simulated_samples_vary_as_they_should(n1, n0):
    """Cases are drawn one by one, cell by cell, or by the normal law: each gives these moments."""
    cuts = np.append(np.linspace(7, -6, 400), -np.inf)
    apart = np.sqrt(2) * norm.ppf(0.8)
    shares = (np.diff(norm.sf(cuts - centre), prepend=0) for centre in (apart, 0))
    cells = CellShares(*shares)
    aucs = _aucs(np.random.default_rng(1), cells, n1, n0)
    se = np.sqrt(binormal_variance(0.8, n1, n0))
    assert aucs.mean() == pytest.approx(cells.auc, abs=4 * se / np.sqrt(4000))
    assert aucs.std() == pytest.approx(se, rel=0.05)


def test_simulated_placements_vary_as_those_of_the_sample():
    initial = as_initial(INITIAL)
    cells = quiet_cells(initial, as_periods(months(SAME), initial))
    aucs, *spreads = _placed(np.random.default_rng(1), cells, 500, 9500)
    assert 2 * aucs.mean() - 1 == pytest.approx(initial.ratio, abs=0.003)
    assert np.mean(spreads, axis=1) == pytest.approx(initial.spreads, rel=0.02)


def panel(seed, months_seen=6, obligors=400, fallen=0):
    """Obligors who are seen every month, with scores that hardly change."""
    rng = np.random.default_rng(seed)
    y, base = rng.random(obligors) < 0.1, rng.normal(size=obligors)
    times = np.repeat(np.arange(months_seen), obligors)
    own = np.tile(base, months_seen) + 0.3 * rng.normal(size=len(times))
    score = own + np.tile(1.2 * y, months_seen) * (times < months_seen - fallen)
    ids = np.tile(np.arange(obligors), months_seen)
    return np.tile(y, months_seen), np.round(score, 2), times, ids


@pytest.mark.merge
def test_clusters_widen_the_limit():
    """The same obligors every month: what one month shows by chance all of them show."""
    y, score, times, ids = panel(1)
    together = cap.count_segments(y, score, by=times, cluster=ids)
    alone = cap.count_segments(y, score, by=times)
    initial = cap.count_scores(*panel(9, months_seen=1, obligors=8000)[:2])
    clustered, plain = (cap.control_chart(each, initial) for each in (together, alone))
    assert clustered.table["cusum"].tolist() == plain.table["cusum"].tolist()
    assert clustered.limit > 1.2 * plain.limit
    assert "jackknife" in clustered.method
    assert clustered.detectable is None


def test_clusters_of_one_row_leave_the_limit():
    rng = np.random.default_rng(3)
    times = np.repeat(np.arange(6), 1000)
    y = rng.random(6000) < 0.2
    score = np.round(rng.normal(size=6000) + y, 2)
    single = cap.count_segments(y, score, by=times, cluster=np.arange(6000))
    plain = cap.count_segments(y, score, by=times)
    one, other = (cap.control_chart(each, INITIAL).limit for each in (single, plain))
    assert one == pytest.approx(other, rel=0.35)


def test_what_clusters_do_not_allow():
    y, score, times, ids = panel(2, months_seen=21)
    periods = cap.count_segments(y, score, by=times, cluster=ids)
    initial = cap.count_scores(y[:400], score[:400], cluster=ids[:400])
    with pytest.raises(ValueError, match="how clustered periods vary together"):
        cap.control_chart(periods, initial)
    assert cap.control_chart(periods, initial, limit=5.0).limit == 5
    few = {key: periods[key] for key in range(3)}
    with pytest.raises(ValueError, match="leave out horizon"):
        cap.control_chart(few, initial, horizon=4)
    with pytest.raises(ValueError, match="the initial sample has clusters and the periods have no"):
        cap.control_chart(months(SAME), initial)
    with pytest.raises(ValueError, match="some periods have clusters and some have none"):
        cap.control_chart({**few, 30: cap.count_scores(y[:400], score[:400])}, INITIAL)


def test_obligors_in_the_initial_sample_too():
    """With the initial sample among the clusters its chance and that of the periods go together."""
    y, score, times, ids = panel(4, months_seen=5)
    counted = dict(cap.count_segments(y, score, by=times, cluster=ids))
    first = counted.pop(0)
    apart = cap.count_scores(y[:400], score[:400])
    assert cap.control_chart(counted, first).limit < cap.control_chart(counted, apart).limit


# A fifth of the positives stand below nearly all negatives: more chance than in normal scores.
TWO_KINDS = month(24, 0, 0, 6, negatives=(10, 100, 800, 60))


def times(counts, factor):
    positives, negatives = (
        (side.astype(np.int64) * factor)[::-1] for side in (counts.positives, counts.negatives)
    )
    return cap.ScoreCounts.from_counts([1, 2, 3, 4], positives, negatives)


def test_of_a_value_alone_the_periods_tell_how_chance_moves_it():
    """The limit times v is that of a large initial sample with the same shares in each cell."""
    periods = months(*[TWO_KINDS] * 12)
    large = times(TWO_KINDS, 10**6)
    value, sample = (as_initial(each) for each in (cap.accuracy_ratio(large), large))
    of_value, of_sample = (cap.control_chart(periods, each).limit for each in (value.ratio, large))
    assert sample.variance(30, 970) > 1.5 * value.variance(30, 970)
    assert of_value * value.variance(30, 970) == pytest.approx(
        of_sample * sample.variance(30, 970), rel=0.1
    )


def test_periods_that_rank_better_than_the_value_lack_positives_that_rank_badly():
    better, perfect = 0.5, month(30, 0, 0, 0, negatives=(0, 100, 300, 570))
    for counts in (SAME, perfect):
        initial = as_initial(better)
        cells = quiet_cells(initial, as_periods(months(counts), initial))
        missing = 1 - initial.auc / cap.roc_auc(counts)
        assert cells.auc == pytest.approx(initial.auc)
        assert (cells.positives[-1], cells.negatives[-1]) == (pytest.approx(missing), 0)
    alike = as_initial(0.9)
    cells = quiet_cells(alike, as_periods(months(SAME), alike))
    assert 2 * cells.auc - 1 == pytest.approx(cap.accuracy_ratio(SAME))


def test_where_negatives_are_rarer_some_of_them_are_placed_worst():
    few = month(400, 300, 200, 100, negatives=(0, 2, 8, 20))
    initial = as_initial(0.2)
    cells = quiet_cells(initial, as_periods(months(few), initial))
    assert cells.negatives[0] == pytest.approx(1 - 0.6 / cap.roc_auc(few))
    assert cells.positives[-1] == 0


def test_a_stored_limit_of_a_value_alone_keeps_past_verdicts():
    """C takes nothing from later months; a limit that is made anew does."""
    ratio = cap.accuracy_ratio(INITIAL)
    first = cap.control_chart(months(SAME, WORSE), ratio, horizon=6)
    more = months(SAME, WORSE, *[TWO_KINDS] * 4)
    later = cap.control_chart(more, ratio, limit=first.saved_limit)
    assert later.limit == first.limit
    assert later.table["cusum"][:2].tolist() == first.table["cusum"].tolist()
    assert cap.control_chart(more, ratio).limit > 1.1 * first.limit


@pytest.mark.parametrize(
    "initial",
    [
        (0.9, 50, 500),
        pytest.param((0.97, 500, 5000), marks=pytest.mark.merge),
        pytest.param((0.8, 50, 500), marks=pytest.mark.merge),
    ],
)
def test_months_that_fell_far_below_a_value_with_its_sizes_alarm(initial):
    rng = np.random.default_rng(20261130)
    y = np.repeat([1, 0], [30, 300])
    months = {k: cap.count_scores(y, rng.normal(size=330) + 0.9 * y) for k in range(12)}
    assert cap.control_chart(months, initial=initial, seed=1).alarmed
