"""The implied accuracy ratio against all outcomes of small cases, and what it refuses."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given as drawn, strategies as st
from scipy.special import expit, logit, ndtr, ndtri

import capcurve as cap
from capcurve.inference import implied as study
from capcurve.inference.implied import PdCells, implied_parts, promise_of

implied = cap.implied_accuracy_ratio
CALIBRATIONS = ("matched", "stated")
Y, P = [1, 0, 1, 0, 0, 0, 1, 0], [0.6, 0.5, 0.3, 0.3, 0.2, 0.1, 0.1, 0.05]
COUNTS = cap.count_scores(Y, P)
Z95 = 1.959963984540054


@st.composite
def portfolios(draw, most=6):
    """Draw (place of the score, PD in twentieths), with ties and several PDs inside a score."""
    cases = draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=2, max_size=most)
    )
    return [(place, Fraction(pd, 20)) for place, pd in cases]


def beats(one, other):
    return Fraction(1, 2) if one == other else Fraction(int(one < other))


def pairs_of(cases):
    return [
        (i, j, beats(cases[i][0], cases[j][0]))
        for i, j in itertools.permutations(range(len(cases)), 2)
    ]


def moments(cases):
    """Return the implied AUC, and mean and variance of D over every outcome, in fractions."""
    pairs, p = pairs_of(cases), [pd for _, pd in cases]
    won = sum(p[i] * (1 - p[j]) * kappa for i, j, kappa in pairs)
    auc = won / sum(p[i] * (1 - p[j]) for i, j, _ in pairs)
    mean = square = Fraction(0)
    for y in itertools.product((0, 1), repeat=len(cases)):
        chance = math.prod(pd if out else 1 - pd for pd, out in zip(p, y, strict=True))
        d = sum((kappa - auc) for i, j, kappa in pairs if y[i] > y[j])
        mean, square = mean + chance * d, square + chance * d * d
    return auc, mean, square - mean**2


def possible(cases):
    return any(p > 0 and q < 1 for (_, p), (_, q) in itertools.permutations(cases, 2))


def cells_of(cases):
    place = np.unique([place for place, _ in cases], return_inverse=True)[1]
    return PdCells(place.reshape(-1), np.array([float(p) for _, p in cases]), np.ones(len(cases)))


@drawn(cases=portfolios().filter(possible))
def test_over_all_outcomes_the_mean_is_zero_and_the_variance_as_said(cases):
    auc, mean, variance = moments(cases)
    assert mean == 0
    found = promise_of(cells_of(cases))
    assert found.auc == pytest.approx(float(auc), abs=1e-13)
    assert found.variance == pytest.approx(float(variance), rel=1e-11, abs=1e-12)
    assert found.highest >= found.auc - 1e-13
    best = [(20 - int(20 * p), p) for _, p in cases]
    assert found.highest == pytest.approx(float(moments(best)[0]), abs=1e-13)


@drawn(cases=portfolios(most=8).filter(possible))
def test_with_self_pairs_pds_that_rank_promise_their_gini_over_one_less_their_mean(cases):
    p = np.array([float(pd) for _, pd in cases])
    if not 0 < p.mean() < 1:
        return
    gini = np.abs(p[:, None] - p).sum() / (2 * len(p) ** 2 * p.mean())
    place = np.unique(-p, return_inverse=True)[1].reshape(-1)
    found = promise_of(PdCells(place, p, np.ones(len(p))))
    assert 2 * found.auc_with_self_pairs - 1 == pytest.approx(gini / (1 - p.mean()), abs=1e-12)
    assert found.highest == pytest.approx(found.auc, abs=1e-13)


MASTER = 0.002 * 1.5 ** np.arange(12)[::-1]


def drawn_with_a_factor(rng, cases, correlation):
    """Draw a portfolio of 12 grades, as Vasicek's one factor moves their PDs."""
    factor = rng.standard_normal()
    pds = ndtr((ndtri(MASTER) - math.sqrt(correlation) * factor) / math.sqrt(1 - correlation))
    positives = rng.binomial(cases // 12, pds)
    return cap.ScoreCounts.from_counts(MASTER, positives, cases // 12 - positives)


@pytest.mark.turns(2)
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_correlated_defaults_reject_as_often_as_the_note_says_and_rarely_if_allowed_for(
    calibration,
):
    rng, runs, hits = np.random.default_rng(31), 100, np.zeros(2)
    expected = np.rint(5000 / 12 * MASTER).astype(int)
    as_planned = cap.ScoreCounts.from_counts(MASTER, expected, 5000 // 12 - expected)
    (note,) = implied(as_planned, calibration=calibration).notes
    said = float(re.search(r" (\d+)% of portfolios", note)[1]) / 100
    for _ in range(runs):
        counts = drawn_with_a_factor(rng, 5000, 0.12)
        plain = implied(counts, calibration=calibration, correlation=1e-9)
        wide = implied(counts, calibration=calibration, correlation=0.12)
        hits += [plain.p_value < 0.05, wide.p_value < 0.05]
    assert 0.1 < said == pytest.approx(hits[0] / runs, abs=0.12)
    assert hits[1] / runs < 0.06


def test_correlation_widens_the_standard_error_and_moves_nothing_else():
    expected = np.rint(400 * MASTER).astype(int)
    counts = cap.ScoreCounts.from_counts(MASTER, expected, 400 - expected)
    none, some, more = (implied(counts, correlation=rho) for rho in (None, 0.12, 0.24))
    assert none == implied(counts, correlation=0)
    assert none.se < some.se == none.estimates["se_if_correlated"] < more.se
    assert some.estimate == none.estimate
    assert some.method == "PDs as matched, asset correlation 0.12, normal"
    assert implied(counts, correlation=1e-12).se == pytest.approx(none.se, rel=1e-6)
    for wrong in (-0.1, 1.0, math.nan):
        with pytest.raises(ValueError, match="correlation must be"):
            implied(counts, correlation=wrong)


def test_many_scores_are_moved_by_a_factor_as_their_grades_are(monkeypatch):
    rng = np.random.default_rng(2)
    pds = np.repeat(MASTER, 400) * np.exp(rng.uniform(-0.2, 0.2, 4800))
    counts = cap.count_scores(rng.random(4800) < pds, pds)
    said = implied(counts).estimates["se_if_correlated"]
    monkeypatch.setattr(study, "FACTOR_GROUPS", 10_000)
    assert said == pytest.approx(implied(counts).estimates["se_if_correlated"], rel=0.02)


def test_the_test_is_made_of_these():
    cases = [
        (place, Fraction(p).limit_denominator(20))
        for place, p in zip((0, 1, 2, 2, 3, 4, 4, 5), P, strict=True)
    ]
    auc, _, variance = moments(cases)
    found = implied(COUNTS, calibration="stated", level=0.9)
    pairs = COUNTS.n1 * COUNTS.n0
    assert found.estimates["implied"] == pytest.approx(float(2 * auc - 1))
    assert found.estimates["realised"] == cap.accuracy_ratio(COUNTS)
    difference = found.estimates["realised"] - found.estimates["implied"]
    assert found.estimate == pytest.approx(difference, abs=1e-15)
    assert found.se == pytest.approx(2 * math.sqrt(variance) / pairs)
    assert found.statistic == pytest.approx(found.estimate / found.se)
    assert found.p_value == pytest.approx(math.erfc(abs(found.statistic) / math.sqrt(2)))
    assert found.high - found.estimate == pytest.approx(1.6448536269514722 * found.se)
    assert found.estimates["expected_positives"] == pytest.approx(sum(P))
    assert (found.level, found.metric) == (0.9, "accuracy_ratio")


def test_matched_is_stated_with_shifted_pds_and_without_the_spread_of_the_total():
    found = implied(COUNTS)
    shift = found.estimates["shift_of_log_odds"]
    scale = {p: float(expit(logit(p) + shift)) for p in P}
    assert sum(scale[p] for p in P) == pytest.approx(COUNTS.n1, abs=1e-12)
    stated = implied(COUNTS, pd=scale, calibration="stated")
    assert found.estimates["implied"] == pytest.approx(stated.estimates["implied"], abs=1e-14)
    assert found.se < stated.se
    again = implied(COUNTS, pd=scale)
    assert again.estimates["shift_of_log_odds"] == pytest.approx(0, abs=1e-12)
    assert again.statistic == pytest.approx(found.statistic)
    doubled = {p: 2 * p / (1 + p) for p in P}
    assert implied(COUNTS, pd=doubled).statistic == pytest.approx(found.statistic)
    assert implied(COUNTS, pd=doubled, calibration="stated").statistic != pytest.approx(
        stated.statistic
    )


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_cases_counted_often_are_cases_many_times(calibration):
    once = implied(COUNTS, calibration=calibration)
    many = implied(cap.ScoreCounts.merge([COUNTS] * 50), calibration=calibration)
    weighted = cap.count_scores(Y, P, weight=[50] * len(Y), weight_kind="frequency")
    assert implied(weighted, calibration=calibration) == many
    rows = implied(cap.count_scores(Y * 50, P * 50), calibration=calibration)
    assert rows.statistic == many.statistic
    assert many.estimates["implied_with_self_pairs"] == pytest.approx(
        once.estimates["implied_with_self_pairs"]
    )


def test_pds_of_grades_by_name_by_place_and_by_row_are_the_same():
    grades = ["C", "C", "B", "B", "B", "A", "A", "A"]
    scale = {"A": 0.01, "B": 0.05, "C": 0.3}
    counts = cap.count_scores(Y, grades, levels=["C", "B", "A"])
    by_name = implied(counts, pd=scale)
    assert implied(counts, pd=[0.3, 0.05, 0.01]) == by_name
    assert implied(counts, pd=np.array([0.3, 0.05, 0.01])) == by_name
    assert implied(counts, pd=[Fraction(3, 10), 0.05, 0.01]) == by_name
    joint = cap.count_joint(
        Y, {"grade": grades, "pd": [scale[g] for g in grades]}, levels={"grade": ["C", "B", "A"]}
    )
    assert implied(joint, score="grade", pd="pd") == by_name
    turned = cap.count_joint(
        Y,
        {"grade": grades, "pd": [scale[g] for g in grades]},
        levels={"grade": ["C", "B", "A"]},
        higher_is={"pd": "negative"},
    )
    assert implied(turned, score="grade", pd="pd") == by_name


def test_pds_of_grades_that_have_no_cases_are_those_of_the_scale():
    grades, scale = ["C", "C", "B", "B", "B", "C", "C", "C"], {"A": 0.01, "B": 0.05, "C": 0.3}
    few = cap.count_scores(Y, grades, levels=["C", "B", "A"])
    assert implied(few, pd=scale) == implied(few, pd={"B": 0.05, "C": 0.3})
    with pytest.raises(
        ValueError, match=r"a PD for 'D', which is none of the scores, 'C', 'B', 'A"
    ):
        implied(few, pd={**scale, "D": 0.9})
    with pytest.raises(ValueError, match=r"a PD for 'A', which is none of the scores, 0.6, 0.5, "):
        implied(COUNTS, pd={**dict.fromkeys(P, 0.1), "A": 0.2})
    # Numbers have no scale that says which there are: the grades of another portfolio are more.
    more = {**{p: p for p in P}, 0.99: 0.99}
    assert implied(COUNTS, pd=more) == implied(COUNTS)


def test_an_index_that_names_the_scores_says_which_pd_is_whose():
    counts = cap.count_scores(Y, ["C", "C", "B", "B", "B", "A", "A", "A"], levels=["C", "B", "A"])
    right = implied(counts, pd={"C": 0.3, "B": 0.05, "A": 0.01})
    for order in (["C", "B", "A"], ["A", "B", "C"], ["B", "A", "C"]):
        assert implied(counts, pd=pd.Series({"C": 0.3, "B": 0.05, "A": 0.01})[order]) == right
    assert implied(counts, pd=pd.Series([0.3, 0.05, 0.01])) == right
    assert implied(counts, pd=pl.Series([0.3, 0.05, 0.01])) == right
    numbered = cap.count_scores(Y, [2, 2, 1, 1, 1, 0, 0, 0])
    for unclear in (pd.Series([0.3, 0.05, 0.01]), pd.Series([0.3, 0.05, 0.01], index=[2, 1, 1])):
        with pytest.raises(ValueError, match="does not show which PD belongs to which score"):
            implied(numbered, pd=unclear)
    assert implied(numbered, pd=pd.Series([0.3, 0.05, 0.01], index=[2, 1, 0])) == implied(
        numbered, pd=[0.3, 0.05, 0.01]
    )


def test_a_score_where_low_means_bad_is_ranked_as_it_is():
    up = cap.count_scores(Y, [-p for p in P], higher_is="negative")
    assert implied(up, pd={-p: p for p in P}).statistic == implied(COUNTS).statistic
    with pytest.raises(ValueError, match="a higher one is less likely positive"):
        implied(up)


def test_an_evaluation_of_one_score_will_do():
    assert implied(cap.evaluate(Y, P)) == implied(COUNTS)


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0]])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_one_class_has_an_implied_one_and_no_test(y, calibration):
    found = implied(cap.count_scores(y, [0.5, 0.25, 0.1]), calibration=calibration)
    assert found.estimates["implied"] == pytest.approx(8 / 13)
    assert "realised" not in found.estimates
    assert (found.estimate, found.se, found.low) == (None, None, None)
    assert math.isnan(found.p_value)
    assert found.to_dict()["p_value"] is None
    assert any(note.startswith("there are no") for note in found.notes)


def test_nothing_left_to_chance():
    right = implied(cap.count_scores([1, 0, 0], [1, 0, 0]), calibration="stated")
    assert (right.estimate, right.statistic, right.p_value) == (0, 0, 1)
    wrong = implied(cap.count_scores([0, 1, 0], [1, 0, 0]), calibration="stated")
    assert (wrong.statistic, wrong.p_value) == (-math.inf, 0)
    assert any(note.startswith("1 case with a PD of 0 came out positive") for note in wrong.notes)
    within = cap.count_joint([1, 0, 0, 1], {"s": [1] * 4, "pd": [0.1, 0.2, 0.7, 0.35]})
    for calibration in CALIBRATIONS:
        tied = implied(within, score="s", pd="pd", calibration=calibration)
        assert (tied.estimate, tied.se, tied.p_value) == (0, 0, 1)
        assert any(note.startswith("nothing is left to chance") for note in tied.notes)


def test_clusters_are_said_and_grids_refused():
    clusters = implied(cap.count_scores(Y, P, cluster=list("aabbccdd")))
    assert any("clustered" in note for note in clusters.notes)
    assert clusters.statistic == implied(COUNTS).statistic
    grid = cap.count_scores(Y, P, resolution=0.25)
    with pytest.raises(ValueError, match=r"rounded down to a grid of 0\.25, so PDs read off them"):
        implied(grid)
    of_grid = implied(grid, pd={0.5: 0.55, 0.25: 0.3, 0.0: 0.1})
    assert not any("grid" in note for note in of_grid.notes)


@pytest.mark.parametrize(
    ("counts", "options", "said"),
    [
        (cap.count_scores(Y, range(8)), {}, "that of score 7 is 7, outside, as are 5 others; if"),
        (COUNTS, {"pd": [0.1]}, "one PD per distinct score, 6 in the order"),
        (COUNTS, {"pd": "pd"}, "count both: count_joint"),
        (COUNTS, {"pd": ["a"] * 6}, "must hold numbers"),
        (COUNTS, {"pd": [True] * 6}, "must hold numbers"),
        (COUNTS, {"pd": [[0.1] * 6]}, "one PD per distinct score"),
        (COUNTS, {"pd": 0.5}, "one PD per distinct score"),
        (COUNTS, {"pd": None}, "must hold numbers"),
        (COUNTS, {"pd": [0.1, 0.1, 0.1, math.nan, 0.1, 0.1]}, "a PD is in"),
        (COUNTS, {"pd": {0.6: 0.6, 0.5: 0.5}}, "no PD for score 0.3 and 3 others"),
        (COUNTS, {"pd": [0] * 6, "calibration": "stated"}, "no pair of a positive"),
        (COUNTS, {"pd": [0] * 6}, "no shift of the log-odds"),
        (COUNTS, {"pd": [1, 1, 1, 0.5, 0.1, 0.1]}, "4 cases have a PD of 1 and 4 one between"),
        (COUNTS, {"calibration": "both"}, "calibration must be one of 'matched', 'stated'"),
        (COUNTS, {"level": 1}, "level must be between"),
        (COUNTS, {"score": "pd"}, "is for joint counts"),
        (cap.count_scores([], []), {}, "there are no cases"),
        (cap.count_scores(Y, P, weight=[0.5] * 8, weight_kind="sampling"), {}, "sampling weights"),
        (cap.count_scores(Y, P, weight=[0.5] * 8), {}, "what the weights mean"),
        (cap.count_scores(Y, list("abababab"), levels=["b", "a"]), {}, "no numbers, as PDs are"),
        (cap.count_joint(Y, {"s": P, "pd": P}), {}, "name the score that ranks"),
        (cap.count_joint(Y, {"s": P, "pd": P}), {"score": "s", "pd": "p"}, "got pd='p'"),
        (
            cap.count_joint(Y, {"s": P, "pd": range(8)}),
            {"score": "s", "pd": "pd"},
            "a PD is in",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(counts, options, said):
    with pytest.raises(ValueError, match=r"\w") as raised:
        implied(counts, **options)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_large_counts():
    big = cap.ScoreCounts.from_counts(
        [0.5, 0.1, 0.01], [5 * 10**11, 10**11, 10**10], [5 * 10**11, 9 * 10**11, 99 * 10**10]
    )
    found = implied(big)
    assert found.estimates["shift_of_log_odds"] == pytest.approx(0, abs=1e-12)
    assert abs(found.estimate) < 1e-11


@pytest.mark.merge
def test_a_million_scores_have_a_small_error():
    rng = np.random.default_rng(3)
    p = rng.beta(1, 30, 1_000_000)
    counts = cap.ScoreCounts.from_counts(p, rng.binomial(100, p), 100 - rng.binomial(100, p))
    assert implied(counts).se < 1e-3


def second_sample():
    scores = [0.7, 0.6, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02]
    return cap.count_scores([1, 1, 0, 0, 1, 0, 0, 0, 0], scores)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_parts_of_a_change_add_up_and_change_sign(calibration):
    before, after = COUNTS, second_sample()
    found = implied_parts(before, after, calibration=calibration)
    change = cap.accuracy_ratio(after) - cap.accuracy_ratio(before)
    portfolio, model = found["portfolio"], found["model"]
    assert portfolio.estimate + model.estimate == pytest.approx(change, abs=1e-15)
    tests = [implied(each, calibration=calibration) for each in (before, after)]
    assert model.se == pytest.approx(math.hypot(*(test.se for test in tests)))
    assert model.estimate == pytest.approx(tests[1].estimate - tests[0].estimate, abs=1e-15)
    assert model.high - model.estimate == pytest.approx(Z95 * model.se)
    assert found["implied_after"].estimate == pytest.approx(tests[1].estimates["implied"])
    back = implied_parts(after, before, calibration=calibration)
    assert back["model"].estimate == -model.estimate
    assert back["portfolio"].estimate == -portfolio.estimate
    assert (portfolio.se == 0) == (calibration == "stated")


def test_the_portfolios_error_is_that_of_the_shift():
    """If matched, the implied ratio moves with the positives: their spread times its slope."""
    found = implied_parts(COUNTS, COUNTS)["implied_before"]
    shift = implied(COUNTS).estimates["shift_of_log_odds"]

    def at(more):
        scale = {p: float(expit(logit(p) + shift + more)) for p in P}
        test = implied(COUNTS, pd=scale, calibration="stated")
        return test.estimates["implied"], test.estimates["expected_positives"]

    (low, few), (high, many) = at(-1e-5), at(1e-5)
    spread = math.sqrt((many - few) / 2e-5)
    assert found.se == pytest.approx(abs((high - low) / (many - few)) * spread, rel=1e-6)


def test_parts_are_refused_in_one_line():
    with pytest.raises(TypeError, match="an array fits the scores of one period only"):
        implied_parts(COUNTS, COUNTS, pd=[0.1] * 6)
    with pytest.raises(ValueError, match="there are no positives after"):
        implied_parts(COUNTS, cap.count_scores([0, 0], [0.1, 0.2]))
    with pytest.raises(TypeError, match="implied_parts takes counts, got list"):
        implied_parts(COUNTS, [1, 0])
