"""How many to treat at a cost: profits, the best share, the uplift table, and pictures."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

import capcurve as cap
from capcurve.curves.trials import uplift_points
from capcurve.inference.targeting import profits_at
from capcurve.inference.trials import moves_of_rows, trial_rows

RNG = np.random.default_rng(4)
N = 800
SCORE = RNG.normal(size=N).round(1)
ARM = (RNG.random(N) < 0.5).astype(int)
BOUGHT = (RNG.random(N) < 0.15 + 0.2 * ARM * (SCORE > 0)).astype(int)
SPENT = BOUGHT * RNG.lognormal(3, 1, N).round(2)
TRIAL = cap.count_uplift(BOUGHT, ARM, SCORE)
AMOUNTS = cap.count_uplift_values(SPENT, ARM, SCORE)
EFFECTS = cap.count_values(cap.effect_scores(BOUGHT, ARM, 0.5), SCORE)
MONEY = {"value": 40, "cost": 3}


def test_the_profit_is_value_times_gain_less_cost_times_share():
    gains, profits = cap.uplift_curve(TRIAL), cap.profit_curve(TRIAL, **MONEY)
    assert profits.x.tolist() == gains.x.tolist()
    assert profits.y == pytest.approx(40 * gains.y - 3 * gains.x)
    found = cap.best_share(TRIAL, **MONEY)
    assert found.profit == pytest.approx(profits.y.max())
    assert profits.at(found.estimate) == pytest.approx(found.profit)
    with pytest.raises(ValueError, match="prevalence"):
        cap.profit_curve(TRIAL, **MONEY, prevalence=0.5)
    with pytest.raises(ValueError, match="value"):
        cap.best_share(TRIAL, value=np.nan, cost=1)


@pytest.mark.parametrize("trial", [TRIAL, AMOUNTS, EFFECTS], ids=["rates", "amounts", "effects"])
def test_profits_vary_together_as_their_influences_say(trial):
    found, points, rows = profits_at(trial, 40, 3, 30), uplift_points(trial), trial_rows(trial)
    moved = []
    for place in found.places[1:]:
        slopes = np.zeros((2, len(points.thresholds)))
        slopes[:, place - 1] = 40, -3
        moved.append(moves_of_rows(points, rows, (slopes[0], slopes[1])))
    expected = 0
    for arm, held in enumerate(rows.arms):
        each = np.array([of_one[arm] for of_one in moved])
        expected = expected + each * held.times @ each.T * (held.n / (held.n - 1) / points.n**2)
    assert found.covariance[1:, 1:] == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert not found.covariance[0].any()


def test_the_best_share_says_how_many_to_treat():
    found = cap.best_share(TRIAL, **MONEY)
    low, high = found
    assert 0 <= low <= found.estimate <= high <= 1
    assert found.profit_low <= found.profit <= found.profit_high
    interval = cap.confidence_interval(TRIAL, "profit", **MONEY)
    assert (interval.low, interval.high) == (found.profit_low, found.profit_high)
    assert found.profit_low == 0
    assert found.sentence.startswith(
        "This trial does not show that treating by score pays at value 40"
    )
    paying = cap.best_share(TRIAL, value=40, cost=1)
    said, depth = paying.presentation().sentences
    rule = f"≥ {paying.threshold}".replace("-", "−")
    assert said.startswith(f"Treating the top {paying.estimate:.1%} (score {rule}) ")
    assert said.endswith("], at value 40 and cost 1.")
    assert f"{100 * paying.profit:.0f} per 100 customers [{100 * paying.profit_low:.0f}, " in said
    assert depth.endswith(f" to {paying.high:.0%} may be best.")
    assert json.loads(json.dumps(found.to_dict()))["profit"] == found.profit
    dear = cap.best_share(TRIAL, value=1, cost=100)
    assert (dear.estimate, dear.threshold, dear.profit) == (0, None, 0)
    assert dear.high < 0.02
    assert (
        dear.sentence
        == "In this trial no share of the list brings a profit at value 1 and cost 100."
    )
    free = cap.best_share(cap.count_uplift(ARM, ARM.copy(), SCORE), value=1, cost=0.1)
    assert free.low > 0.98
    assert free.estimate == 1


def test_every_cut_off_with_the_largest_profit_is_listed():
    # Uplift is 1/2, 1/4 and 0: at a cost of 1/4 the middle third brings what it costs.
    trial = cap.UpliftCounts.from_counts([3, 2, 1], [3, 2, 1], [1, 2, 3], [1, 1, 1], [3, 3, 3])
    found = cap.best_thresholds(trial, "profit", value=1, cost=0.25)
    curve = cap.profit_curve(trial, value=1, cost=0.25)
    best = cap.best_thresholds(TRIAL, "profit", **MONEY)
    assert [point.profit for point in found] == pytest.approx([curve.y.max()] * len(found))
    assert [point.threshold for point in found] == [3, 2]
    assert (found[0].uplift, found[0].next_score) == (0.5, 2)
    assert found[0].gain == pytest.approx(0.5 / 3)
    both = cap.best_thresholds(trial, "profit", value=2, cost=0)
    assert [point.threshold for point in both] == [2, 1]
    assert [point.q for point in both] == pytest.approx([2 / 3, 1])
    assert best[-1].q == cap.best_share(TRIAL, **MONEY).estimate
    (nobody,) = cap.best_thresholds(AMOUNTS, "profit", value=1, cost=1000)
    assert (nobody.threshold, nobody.uplift, nobody.profit) == (None, None, 0)
    assert nobody.next_score == SCORE.max()
    with pytest.raises(ValueError, match='of a trial ask "profit"'):
        cap.best_thresholds(TRIAL)
    columns = cap.best_thresholds(BOUGHT, SCORE, "profit", treatment=ARM, **MONEY)
    assert columns == best


@pytest.mark.merge
def test_amounts_and_effect_scores_and_clusters_have_a_best_share():
    for trial in (AMOUNTS, EFFECTS):
        found = cap.best_share(trial, value=1, cost=0.1)
        assert 0 <= found.low <= found.estimate <= found.high <= 1
    twice = [np.repeat(column, 2) for column in (BOUGHT, ARM, SCORE)]
    clustered = cap.count_uplift(*twice, cluster=np.repeat(np.arange(N), 2))
    alone, found = cap.best_share(TRIAL, **MONEY), cap.best_share(clustered, **MONEY)
    assert found.estimate == alone.estimate
    assert found.profit_high - found.profit_low == pytest.approx(
        alone.profit_high - alone.profit_low, rel=0.4
    )


def test_the_lower_limit_of_the_best_profit_holds_at_all_cut_offs_together():
    found = profits_at(TRIAL, 40, 0.1, 300)
    se = np.sqrt(np.diag(found.covariance))
    points = uplift_points(TRIAL)
    fewest = np.append(0, np.min([cases for cases, _ in points.arms], axis=0))[found.places]
    kept = (fewest >= 10) & (se > 0)
    random = np.random.default_rng(99)
    errors = random.multivariate_normal(0 * se, found.covariance, 20_000)[:, kept] / se[kept]
    heavy = errors.max(axis=1) / np.sqrt(random.chisquare(found.df, 20_000) / found.df)
    expected = (found.values[kept] - np.quantile(heavy, 0.975) * se[kept]).max()
    interval = cap.confidence_interval(TRIAL, "profit", value=40, cost=0.1)
    assert 0 < interval.low < interval.estimate
    assert interval.low == pytest.approx(expected, abs=0.1 * se.max())
    assert "the lower end of the interval allows for this" in interval.notes[0]


def test_a_few_cases_at_the_top_give_the_best_profit_no_lower_limit():
    # Nine control cases in the top half; below it the treatment moves nobody.
    trial = cap.UpliftCounts.from_counts([2, 1], [90, 20], [10, 80], [1, 20], [8, 80])
    money = {"value": 1, "cost": 0.3}
    assert cap.best_share(trial, **money).profit > 0.05
    assert cap.best_share(trial, **money).profit_low == 0
    one_more = cap.UpliftCounts.from_counts([2, 1], [90, 20], [10, 80], [1, 20], [9, 80])
    assert cap.best_share(one_more, **money).profit_low > 0
    by_cluster = np.repeat([1, 0, 1, 0], [100, 100, 100, 100])
    score = np.repeat([2, 2, 1, 1], 100)
    bought = np.concatenate([np.arange(100) < each for each in (90, 10, 20, 20)])
    ids = np.arange(400) // 20
    clustered = cap.count_uplift(bought, by_cluster, score, cluster=ids)
    assert cap.best_share(clustered, **money).profit_low == 0


@pytest.mark.merge
def test_the_limits_of_the_best_share_hold_the_true_one():
    """Effects fall from .3 to -.1 along the score; treating costs .1, so half should be."""
    held = beyond = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        u, arm = rng.random(1500), rng.random(1500) < 0.5
        won = rng.random(1500) < 0.2 + arm * (0.3 - 0.4 * u)
        found = cap.best_share(cap.count_uplift(won, arm, -u), value=1, cost=0.1)
        held += found.low <= 0.5 <= found.high
        beyond += not found.profit_low <= 0.3 * 0.5 - 0.2 * 0.25 - 0.05 <= found.profit_high
    assert held >= 19
    assert beyond <= 3


def test_the_uplift_table_adds_up():
    table = cap.uplift_table(TRIAL, bins=5)
    assert table["n"].sum() == N
    assert (table["treated"] + table["control"] == table["n"]).all()
    differences = table["rate_treated"] - table["rate_control"]
    assert table["uplift"] == pytest.approx(differences)
    for name in ("uplift", "cum_uplift"):
        ends = ("uplift_low", "uplift_high") if name == "uplift" else ("cum_low", "cum_high")
        assert (table[ends[0]] <= table[name]).all()
        assert (table[name] <= table[ends[1]]).all()
    shares = table["selected"]
    tops = [cap.uplift(TRIAL, share) for share in shares]
    assert table["cum_uplift"] == pytest.approx(tops)
    assert table["gain"] == pytest.approx(cap.uplift_curve(TRIAL).at(shares))
    last = cap.confidence_interval(TRIAL, "uplift")
    assert [table["cum_low"][-1], table["cum_high"][-1]] == pytest.approx(list(last))
    means = cap.uplift_table(AMOUNTS, bins=[0.0])
    top = SCORE >= 0
    assert means["rate_treated"][0] == pytest.approx(SPENT[top & (ARM == 1)].mean())
    assert means["rate_control"][1] == pytest.approx(SPENT[~top & (ARM == 0)].mean())


@pytest.mark.turns(2)
@pytest.mark.parametrize("spent", [BOUGHT, SPENT + 1e6], ids=["rates", "amounts"])
def test_the_uplift_table_of_clusters_leaves_out_groups_of_them(spent):
    count = cap.count_uplift if spent is BOUGHT else cap.count_uplift_values
    ids = np.arange(N) % 30
    trial = count(spent, ARM, SCORE, cluster=ids)
    table = cap.uplift_table(trial, bins=[0.0])
    # Of clusters that fall into the same group the first names it.
    names = {group.digest(): place for place, group in enumerate(trial.groups) if group.n}
    hashed = {}
    for each in range(30):
        rows = ids == each
        parts = count(spent[rows], ARM[rows], SCORE[rows], cluster=ids[rows]).groups
        hashed[each] = next(place for place, part in enumerate(parts) if part.n)
    group = np.array([hashed[each] for each in ids])
    assert set(group) == set(names.values())
    for place, inside in enumerate([SCORE >= 0, SCORE < 0]):
        without = []
        for each in set(group):
            kept = inside & (group != each)
            means = [spent[kept & (arm == ARM)].mean() for arm in (0, 1)]
            without.append(means[1] - means[0])
        moved = np.array(without) - table["uplift"][place]
        se = np.sqrt((moved**2).sum() * (len(moved) - 1) / len(moved))
        reach = (table["uplift_high"] - table["uplift_low"])[place] / 2
        assert 1.9 < reach / se < 2.3
    empty = cap.uplift_table(trial, bins=[99.0, 0.0])
    assert np.isnan([empty[name][0] for name in ("uplift_low", "cum_uplift", "cum_low")]).all()
    assert empty["cum_low"][1:].tolist() == table["cum_low"].tolist()
    whole = cap.confidence_interval(trial, "uplift")
    assert table["cum_high"][-1] - whole.estimate == pytest.approx(
        whole.high - whole.estimate, rel=0.2
    )
    assert table["cum_low"][0] > cap.uplift_table(trial, bins=[0.0], level=0.99)["cum_low"][0]


def test_bins_of_one_arm_have_no_uplift():
    trial = cap.count_uplift([1, 1, 0, 1, 0, 0], [1, 1, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])
    table = cap.uplift_table(trial, bins="score")
    assert np.isnan(table["uplift"]).all()
    assert np.isnan(table["cum_uplift"][:3]).all()
    assert table["cum_uplift"][3] == pytest.approx(2 / 3 - 1)


@pytest.mark.parametrize("trial", [TRIAL, AMOUNTS, EFFECTS], ids=["rates", "amounts", "effects"])
@pytest.mark.parametrize("draw", [cap.plot_uplift, cap.plot_toc])
def test_pictures_show_the_curve_its_limits_and_what_chance_has(draw, trial):
    ax = draw(trial, level=0.9, title="Spring")
    curve, chance = ax.lines[:2]
    read = cap.uplift_curve(trial) if draw is cap.plot_uplift else cap.toc_curve(trial)
    last = read.y[-1] * (100 if draw is cap.plot_uplift else 1)
    assert curve.get_ydata()[-1] == pytest.approx(last, abs=1e-10)
    assert chance.get_ydata()[-1] == pytest.approx(last, abs=1e-10)
    assert "90% interval at each share" in ax.get_legend_handles_labels()[1]
    assert len(ax.collections) == 1
    plt.close(ax.figure)


def test_limits_in_the_picture_are_those_of_the_number():
    band = cap.plot_uplift(TRIAL).collections[0].get_paths()[0].vertices
    q = 0.5
    found = cap.confidence_interval(TRIAL, "uplift", q=q, method="wald")
    at = band[np.isclose(band[:, 0], q)][:, 1]
    assert [at.min(), at.max()] == pytest.approx([100 * q * found.low, 100 * q * found.high])
    plt.close("all")


def test_the_qini_curve_is_drawn_to_the_extra_outcomes_of_all():
    ax = cap.plot_qini(TRIAL)
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(cap.uplift(TRIAL))
    plt.close(ax.figure)
