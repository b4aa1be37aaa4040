"""Limits, tests and comparisons of trials: clusters, few cases, one side, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import capcurve as cap

RNG = np.random.default_rng(12)
N = 600
SCORE = RNG.normal(size=N).round(1)
OLD = (SCORE + RNG.normal(size=N)).round(1)
ARM = (RNG.random(N) < 0.4).astype(int)
BOUGHT = (RNG.random(N) < 0.25 + 0.15 * ARM * (SCORE > 0)).astype(int)
SPENT = BOUGHT * RNG.lognormal(3, 1, N).round(2)
TRIAL = cap.count_uplift(BOUGHT, ARM, SCORE)
AMOUNTS = cap.count_uplift_values(SPENT, ARM, SCORE)
METRICS = ("qini", "auuc", "autoc", "uplift")


def moved_by_one_more_row(metric, q):
    """Return the standard error by central differences in how often each row occurs."""
    squares = {0: 0.0, 1: 0.0}
    sizes = {arm: int((arm == ARM).sum()) for arm in (0, 1)}
    rows, times = np.unique(np.column_stack([SCORE, ARM, BOUGHT]), axis=0, return_counts=True)
    for place, (_, arm, _) in enumerate(rows):
        values = []
        for step in (20, 18):  # of every row 19, and of this one one more or less
            often = 19 * times
            often[place] += (step - 19) * times[place]
            every = np.repeat(rows, often, axis=0)
            trial = cap.count_uplift(every[:, 2], every[:, 1], every[:, 0])
            share = {} if q is None else {"q": q}
            values.append(getattr(cap, metric)(trial, **share))
        psi = (values[0] - values[1]) / 2 * 19 * N / times[place]
        squares[int(arm)] += times[place] * psi**2
    return np.sqrt(sum(s * sizes[a] / (sizes[a] - 1) for a, s in squares.items())) / N


@pytest.mark.turns(4)
@pytest.mark.parametrize("metric", METRICS)
def test_standard_errors_are_those_of_one_row_more_or_less(metric):
    found = cap.confidence_interval(TRIAL, metric)
    own = found.se
    expected = moved_by_one_more_row(metric, None)
    if metric == "autoc":
        assert own >= expected * 0.99
    else:
        assert own == pytest.approx(expected, rel=0.01)


def test_limits_of_amounts_do_not_depend_on_their_unit():
    for metric in METRICS:
        one = cap.confidence_interval(AMOUNTS, metric)
        for unit in (1e-6, 1e9):
            scaled = cap.count_uplift_values(SPENT * unit, ARM, SCORE)
            found = cap.confidence_interval(scaled, metric)
            ends = [one.low * unit, one.high * unit]
            assert [found.low, found.high] == pytest.approx(ends, rel=1e-6)
    with pytest.raises(ValueError, match="beyond what a float holds; give amounts"):
        cap.confidence_interval(cap.count_uplift_values(SPENT * 1e300, ARM, SCORE), "qini")


def test_one_sided_limits_leave_all_of_the_tail_on_one_side():
    both = cap.confidence_interval(TRIAL, "qini", level=0.9)
    low = cap.confidence_interval(TRIAL, "qini", side="lower")
    high = cap.confidence_interval(TRIAL, "qini", side="upper")
    assert low.low == pytest.approx(both.low)
    assert high.high == pytest.approx(both.high)
    assert (low.high, high.low) == (np.inf, -np.inf)
    top = cap.confidence_interval(TRIAL, "uplift", q=0.2, side="lower")
    assert top.high == 1


def test_clusters_are_left_out_as_groups():
    twice = [np.repeat(column, 2) for column in (BOUGHT, ARM, SCORE, OLD)]
    ids = np.repeat(np.arange(N), 2)
    clustered = cap.count_uplift(*twice[:3], cluster=ids)
    for metric in ("qini", "auuc", "uplift"):
        alone = cap.confidence_interval(TRIAL, metric)
        found = cap.confidence_interval(clustered, metric)
        assert found.method == "jackknife"
        assert found.estimate == pytest.approx(alone.estimate)
        assert found.se == pytest.approx(alone.se, rel=0.3)
        ignored = cap.confidence_interval(clustered, metric, method="wald")
        assert ignored.se < 0.8 * found.se
        assert "clustered" in " ".join(ignored.notes)
    assert 0.3 < cap.qini_test(clustered).p_value / cap.qini_test(TRIAL).p_value < 3
    joint = cap.count_joint_uplift(*twice[:2], {"new": twice[2], "old": twice[3]}, cluster=ids)
    apart = cap.count_joint_uplift(BOUGHT, ARM, {"new": SCORE, "old": OLD})
    pair, alone = (cap.compare(each, metric="qini").pairs[0] for each in (joint, apart))
    assert pair.estimate == pytest.approx(alone.estimate)
    assert pair.se == pytest.approx(alone.se, rel=0.3)
    one = cap.confidence_interval(cap.count_uplift(BOUGHT, ARM, SCORE, cluster=[1] * N), "qini")
    assert (one.low, one.high) == (-np.inf, np.inf)


def test_an_arm_of_one_cluster_shows_no_spread():
    trial = cap.count_uplift(BOUGHT, ARM, SCORE, cluster=np.where(ARM == 1, 0, np.arange(N)))
    for metric, share in (("qini", {}), ("uplift", {"q": 0.3})):
        found = cap.confidence_interval(trial, metric, **share)
        assert (found.low, found.high) == (-np.inf, np.inf)
        assert "one group of clusters" in found.notes[0]
    assert cap.qini_test(trial).p_value == 1
    best = cap.best_share(trial, value=40, cost=3)
    assert (best.low, best.high) == (0, 1)
    assert (best.profit_low, best.profit_high) == (0, np.inf)
    table = cap.uplift_table(trial, bins=4)
    for name in ("uplift_low", "uplift_high", "cum_low", "cum_high"):
        assert np.isnan(table[name]).all()
    for draw in (cap.plot_uplift, cap.plot_toc):
        ax = draw(trial)
        assert not ax.collections
        plt.close(ax.figure)


def test_the_test_of_the_qini_goes_with_its_limits():
    for trial in (TRIAL, AMOUNTS):
        found = cap.qini_test(trial)
        at = cap.confidence_interval(trial, "qini", level=1 - found.p_value)
        assert min(abs(at.low), abs(at.high)) == pytest.approx(0, abs=1e-9)
        one_sided = cap.qini_test(trial, alternative="greater").p_value
        other = cap.qini_test(trial, alternative="less").p_value
        assert one_sided + other == pytest.approx(1)
        assert 2 * min(one_sided, other) == pytest.approx(found.p_value)
    constant = cap.qini_test(cap.count_uplift(BOUGHT, ARM, np.ones(N)))
    assert (constant.estimate, constant.p_value) == (0, 1)
    nothing = cap.qini_test(cap.count_uplift(0 * BOUGHT, ARM, SCORE))
    assert (nothing.estimate, nothing.p_value) == (0, 1)
    assert "no spread" in nothing.notes[-1]


def test_three_scores_are_compared_pair_by_pair_and_together():
    scores = {"new": SCORE, "old": OLD, "same": SCORE}
    joint = cap.count_joint_uplift(BOUGHT, ARM, scores)
    for metric in ("qini", "autoc"):
        found = cap.compare(joint, metric=metric)
        assert [pair.name for pair in found.pairs][1] == "new minus same"
        assert (found.pairs[1].estimate, found.pairs[1].p_value) == (0, 1)
        assert found.pairs[0].p_adjusted >= found.pairs[0].p_value
        assert found.estimates == pytest.approx(
            [getattr(cap, metric)(joint.margin(n)) for n in scores]
        )
        alone = cap.confidence_interval(joint.margin("old"), metric)
        assert np.sqrt(found.covariance[1][1]) == pytest.approx(alone.se)
        assert "new" in found.to_text()
    by_columns = cap.compare(BOUGHT, [SCORE, OLD, SCORE], treatment=ARM, metric="qini")
    assert by_columns.pairs[0].p_value == cap.compare(joint, metric="qini").pairs[0].p_value


def test_treatment_that_goes_with_the_score_is_warned_of():
    fair = cap.balance_test(TRIAL)
    assert fair.p_value == cap.discrimination_test(TRIAL.arms).p_value > 0.01
    assert not fair.notes
    found = cap.balance_test(cap.count_uplift(BOUGHT, (SCORE > 0).astype(int), SCORE))
    assert "treated cases rank higher than controls (AUC" in found.notes[-1]
    assert cap.balance_test(BOUGHT, SCORE, treatment=ARM) == fair


def test_few_cases_of_an_arm_and_on_top_are_told():
    trial = cap.count_uplift([1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    notes = " ".join(cap.confidence_interval(trial, "autoc").notes)
    assert "the control cases have only 1 of the rarer outcome, so intervals are rough" in notes
    assert (
        "the 3 highest-ranked customers were all in one group, so the curve starts below them"
        in notes
    )
    assert "the smaller group has only 2 cases, so few are at the very top" in notes


def test_effect_scores_of_even_propensities_have_the_effect_of_the_arms():
    effects = cap.effect_scores(BOUGHT, ARM, ARM.mean())
    values = cap.count_values(effects, SCORE)
    assert cap.uplift(values) == pytest.approx(cap.uplift(TRIAL))
    moved = cap.effect_scores(BOUGHT + 7, ARM, ARM.mean())
    assert moved == pytest.approx(effects)
    labels = np.where(ARM == 1, "mail", "none")
    named = cap.effect_scores(BOUGHT, labels, np.full(N, ARM.mean()), treated_label="mail")
    assert named == pytest.approx(effects)
    robust = cap.effect_scores(BOUGHT, ARM, 0.5, if_treated=0 * SCORE + 0.4, if_control=0 * SCORE)
    assert robust[ARM == 1] == pytest.approx(0.4 + 2 * (BOUGHT[ARM == 1] - 0.4))
    assert robust[ARM == 0] == pytest.approx(0.4 - 2 * BOUGHT[ARM == 0])
    joint = cap.count_joint_values(effects, {"new": SCORE, "old": OLD})
    found = cap.compare(joint, metric="qini").pairs[0]
    assert found.estimate == pytest.approx(
        cap.qini(values) - cap.qini(cap.count_values(effects, OLD))
    )
    assert found.se > 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cap.effect_scores([1, 0], [1, 0], [0.5, 1]), "propensity is 1 in 1 of 2 rows"),
        (lambda: cap.effect_scores([1, 0], [1, 0], 0), "propensity is 0 in 2 of 2 rows"),
        (
            lambda: cap.effect_scores([1, 0], [1, 0], [0.5, np.nan]),
            "propensity is missing .* in 1 of 2 rows, first in row 1; leave such rows out of all",
        ),
        (lambda: cap.effect_scores([1e308, -1e308], [1, 0], 0.01), "beyond what a float holds"),
        (lambda: cap.effect_scores([1, 0], [1, 1], 0.5), "no control cases"),
        (lambda: cap.effect_scores([1, 0], [1, 2], 0.5), "treatment holds 1"),
        (lambda: cap.effect_scores([1, 0], [1, None], 0.5), "treatment is missing"),
        (lambda: cap.effect_scores([1, 0], [1, 0], 0.5, [1, 1]), "go together; pass both"),
        (lambda: cap.effect_scores([1, 0, 1], [1, 0], 0.5), "3 rows"),
        (lambda: cap.effect_scores(["a", "b"], [1, 0], 0.5), "outcome holds text"),
        (lambda: cap.confidence_interval(TRIAL, "accuracy_ratio"), "metric must be one of"),
        (lambda: cap.confidence_interval(TRIAL, "qini", q=0.5), "q=0.5 is not used by qini"),
        (lambda: cap.confidence_interval(TRIAL, "qini", method="logit"), "method for qini of a"),
        (lambda: cap.confidence_interval(TRIAL, "qini", method="jackknife"), "with cluster="),
        (
            lambda: cap.confidence_interval(cap.count_scores(BOUGHT, SCORE), "qini"),
            "metric must be one of",
        ),
        (
            lambda: cap.compare(cap.count_joint(BOUGHT, {"a": SCORE, "b": OLD}), metric="qini"),
            r"qini is of a trial: count_joint_uplift\(y, treatment, scores\)",
        ),
        (
            lambda: cap.compare(cap.count_joint_uplift(BOUGHT, ARM, {"a": SCORE, "b": OLD})),
            'scores of a trial are compared by metric="qini" or "autoc"',
        ),
        (lambda: cap.balance_test(cap.count_values(SPENT, SCORE)), "takes counts of a trial"),
        (lambda: cap.balance_test(cap.count_uplift([1, 0], [1, 1], [2, 1])), "no control cases"),
        (lambda: cap.qini_test(TRIAL, alternative="up"), "alternative"),
    ],
)
def test_what_has_no_answer_is_told_in_one_line(call, said):
    with pytest.raises((TypeError, ValueError), match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_extreme_propensities_are_warned_of():
    with pytest.warns(UserWarning, match=r"propensity is below 0.01 or above 0.99 in 1 of 4 rows"):
        cap.effect_scores([1, 0, 1, 0], [1, 0, 1, 0], [0.001, 0.5, 0.5, 0.5])


def test_a_single_case_of_one_arm_is_told_as_one():
    trial = cap.UpliftCounts.from_counts([3, 2, 1], [0, 3, 1], [1, 2, 3], [0, 1, 1], [0, 3, 3])
    (note,) = [each for each in cap.confidence_interval(trial, "qini").notes if "group" in each]
    assert note == "the highest-ranked customer was in one group, so the curve starts below it"
    (note,) = [
        each for each in cap.confidence_interval(trial + trial, "qini").notes if "group" in each
    ]
    assert note.startswith("the 2 highest-ranked customers were all in one group, so the curve")
