"""How many to select for the largest profit, and between which shares it is hardly lower."""

import json

import jsonschema
import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

import capcurve as cap
from capcurve.cli.schemas import schema_of
from cli_calls import call

VALUE, COST = 30, 4


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    y = (rng.random(600) < 0.15).astype(int)
    return y, np.round(rng.normal(size=600) + y, 1)


def best_of(found, name="score"):
    return found.to_dict()["best_profits"][name]


def test_the_best_cut_off_and_those_as_good_are_found_row_by_row(rows):
    y, score = rows
    found = cap.evaluate(y, score, value=VALUE, cost=COST)
    cuts = np.unique(score)[::-1]
    picked = [np.zeros(600, bool), *(score >= cut for cut in cuts)]
    profits = [VALUE * y[rows].sum() - COST * rows.sum() for rows in picked]
    best = int(np.argmax(profits))
    as_good = []
    for place, mine in enumerate(picked):
        between = mine ^ picked[best]
        side = "less" if place > best else "greater"
        n, k = int(between.sum()), int(y[between].sum())
        if n == 0 or binomtest(k, n, COST / VALUE, alternative=side).pvalue > 0.025:
            as_good.append(mine.mean())
    told = best_of(found)
    assert told["threshold"] == cuts[best - 1]
    assert (told["selected"], told["total"]) == (picked[best].sum(), 600)
    assert told["profit"] == max(profits)
    assert (told["q_low"], told["q_high"]) == (min(as_good), max(as_good))
    assert told["q_low"] < told["q"] < told["q_high"]
    limits = cap.confidence_interval(found["score"], "profit", value=VALUE, cost=COST)
    assert (told["low"], told["high"]) == (limits.low, limits.high)
    jsonschema.validate(json.loads(json.dumps(found.to_dict())), json.loads(schema_of("summary")))


def test_a_higher_level_leaves_more_cut_offs_as_good(rows):
    levels = (0.8, 0.95, 0.999)
    found = [best_of(cap.evaluate(*rows, value=VALUE, cost=COST, level=each)) for each in levels]
    assert found[0]["q_low"] > found[1]["q_low"] > found[2]["q_low"]
    assert found[0]["q_high"] < found[1]["q_high"] < found[2]["q_high"]


@pytest.mark.merge
def test_the_report_says_how_many_before_all_else(tmp_path):
    path = tmp_path / "loans.html"
    loans = (cap.datasets.path("loans"), "-t", "y", "-s", "int_rate")
    done = call("report", *loans, "--value", "1000", "--cost", "60", "-o", path)
    told = " ".join(done.stderr.split())
    said = (
        "Profit is highest if you select the top 32.8% of cases, int_rate ≥ 13.99 (159,720, 95% "
        "interval 123,633 to 195,368, at 1,000 per positive found and 60 per case)."
    )
    nearly = "Anything from the top 26.3% to the top 38.1% does about as well."
    assert told.startswith(said)
    page = path.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert page.index(said) < page.index(nearly) < page.index("<h2>")


def test_of_several_scores_the_most_profitable_is_named(rows):
    y, score = rows
    found = cap.evaluate(y, {"poor": score % 1, "good": score}, value=VALUE, cost=COST)
    told = found.about_profit
    assert all(each.startswith("good: ") for each in told)
    assert told[0].startswith("good: Profit is highest if you select the top")
    assert best_of(found, "poor")["profit"] < best_of(found, "good")["profit"]


def test_where_nothing_pays_nobody_is_selected_and_where_all_do_everybody(rows):
    nobody = cap.evaluate(*rows, value=1, cost=2)
    (told,) = nobody.about_profit
    assert told == "Selecting anybody loses money at 1 per positive found and 2 per case."
    told = cap.evaluate(*rows, value=1, cost=-2).about_profit[0]
    assert told.startswith("Profit is highest if you select all cases, score ≥ ")


def test_large_profits_are_said_in_millions_and_their_limits_are_rather_too_wide(rows):
    found = cap.evaluate(*rows, value=300_000, cost=40_000)
    best = best_of(found)
    low, high = (round(best[end] / 1e6, 2) for end in ("low", "high"))
    low, high = low - 0.01 * (low > best["low"] / 1e6), high + 0.01 * (high < best["high"] / 1e6)
    told = found.about_profit[0]
    ends = f"{low:.2f} million to {high:.2f} million"
    assert f"({best['profit'] / 1e6:.2f} million, 95% interval {ends}, at 300,000 per" in told


def test_money_of_amounts_is_per_unit_of_what_they_are_called(rows):
    y, score = rows
    data = {"score": score, "claim": y * 2.5, "years": np.full(600, 0.5)}
    asked = {"score": "score", "amount": "claim", "exposure": "years", "data": data}
    told = cap.evaluate(**asked, value=1, cost=0.001).about_profit[0]
    assert "at 1 per unit of claim and 0.001 per unit of years" in told


@pytest.mark.merge
def test_no_shares_are_said_where_they_were_not_checked(rows):
    y, score = rows
    terms = {"value": VALUE, "cost": COST}
    money = {"value": 1, "cost": 0.1}
    weighted = best_of(cap.evaluate(y, score, weight=np.full(600, 1.5), **terms))
    assert {weighted[each] for each in ("low", "high", "q_low", "q_high")} == {None}
    for found in (
        cap.evaluate(y, score, cluster=np.arange(600) // 3, **terms),
        cap.evaluate(score=score, amount=y * 2.5, **money),
    ):
        told = best_of(found)
        assert told["q_low"] is told["q_high"] is None
        assert told["low"] <= told["profit"] <= told["high"]
    assert cap.evaluate(y, score, prevalence=0.5, **terms).to_dict()["best_profits"] == {}
    assert cap.evaluate(y, score).to_dict()["best_profits"] == {}


def test_a_cut_off_carries_the_profit_that_it_was_found_by(rows):
    y, score = rows
    both = cap.best_thresholds(y, {"new": score, "old": -score}, "profit", value=VALUE, cost=COST)
    for name, sign in (("new", 1), ("old", -1)):
        (best, *_) = both[name]
        picked = sign * score >= (np.inf if best.threshold is None else best.threshold)
        profit = VALUE * y[picked].sum() - COST * picked.sum()
        assert (best.value, best.cost, best.profit) == (VALUE, COST, profit)
        assert repr(best).endswith(f", value=30.0, cost=4.0, profit={float(profit)})")
        row = best.to_frame("polars").row(0, named=True)
        assert (row["threshold"], row["q"], row["profit"]) == (best.threshold, best.q, profit)
    none = cap.best_thresholds(y, score, "profit", value=1, cost=2)[0]
    assert (none.threshold, none.profit) == (None, 0.0)
    assert none.to_frame("pandas")["threshold"].isna().all()
    weighted = cap.count_scores([1, 0, 1], [3, 2, 1], weight=[0.5, 2, 1], weight_kind="sampling")
    assert cap.best_thresholds(weighted, "profit", value=3, cost=1)[0].profit == 1.0


def test_a_cut_off_of_amounts_carries_its_profit():
    amounts = cap.count_values([9, 0, 4], [3, 2, 1], exposure=[1, 2, 1])
    (best,) = cap.best_thresholds(amounts, "profit", value=0.5, cost=1)
    assert (best.threshold, best.value, best.cost, best.profit) == (3, 0.5, 1.0, 3.5)
    assert "words" not in best.to_frame("polars").columns
    large = cap.count_values([1e300, 0], [2, 1])
    (best,) = cap.best_thresholds(large, "profit", value=1e100, cost=1)
    assert (best.threshold, best.profit) == (2, float("inf"))


def test_other_cut_offs_show_no_profit(rows):
    for point in (cap.operating_point(*rows, q=0.2), *cap.best_thresholds(*rows)):
        assert point.profit is None
        assert "profit" not in repr(point)
        assert "profit" not in point.to_frame("polars").columns


def test_the_upper_limit_of_the_best_profit_is_the_highest_of_all_cut_offs():
    """Of 3 grades, value 10 and cost 3, by squares of what each case adds."""
    positives, negatives = np.array([6, 7, 4]), np.array([4, 11, 27])
    counts = cap.ScoreCounts.from_counts([3, 2, 1], positives, negatives)
    found = cap.confidence_interval(counts, "profit", value=10, cost=3)
    profits = np.cumsum(7 * positives - 3 * negatives)
    n, squares = 59, np.cumsum(49 * positives + 9 * negatives)
    se = np.sqrt((squares - profits**2 / n) * n / (n - 1))
    assert profits.tolist() == [30, 46, -7]
    t = stats.t.ppf(0.975, 16)  # one degree of freedom less than positives
    assert found.estimate == 46
    assert found.se == pytest.approx(se[1], rel=1e-12)
    # Half a positive more, of 7 each.
    assert found.high == pytest.approx((profits + t * se).max() + 3.5, rel=1e-12)
    exaggerated = 46 - t * se[1] - found.low
    assert 0 < exaggerated < 0.5 * se[1] or found.low == 0
    assert "half a positive more" in found.notes[-1]


@pytest.mark.parametrize("weights", [3.0, 1e-200, 1e200])
def test_the_limits_of_the_best_profit_go_with_the_unit_of_weights(weights):
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.2
    score, w = rng.normal(size=300) + y, rng.integers(1, 4, 300).astype(float)
    several = [
        cap.confidence_interval(
            cap.count_scores(y, score, weight=w * unit, weight_kind="sampling"),
            "profit",
            value=10,
            cost=1,
        )
        for unit in (1.0, weights)
    ]
    one, other = ([each.low, each.estimate, each.high, each.se] for each in several)
    assert np.array(other) / weights == pytest.approx(one, rel=1e-9)


def test_the_best_profit_of_equal_weights_has_the_limits_of_the_rows():
    rng = np.random.default_rng(4)
    y = rng.random(200) < 0.2
    grade, asked = rng.integers(0, 5, 200) + 2 * y, {"value": 10, "cost": 1}
    plain = cap.confidence_interval(cap.count_scores(y, grade), "profit", **asked)
    twos = cap.count_scores(y, grade, weight=np.full(200, 2.0), weight_kind="sampling")
    found = cap.confidence_interval(twos, "profit", **asked)
    for name in ("low", "estimate", "high", "se"):
        assert getattr(found, name) == pytest.approx(2 * getattr(plain, name), rel=1e-9)


def test_no_best_profit_is_above_what_all_cases_could_bring():
    counts = cap.ScoreCounts.from_counts([2, 1], [5, 0], [0, 2])
    found = cap.confidence_interval(counts, "profit", value=3, cost=1)
    assert (found.estimate, found.high) == (10, 14)
    for value, cost in ((1, 1), (1, 2), (-1, 0)):
        none = cap.confidence_interval(counts, "profit", value=value, cost=cost)
        assert (none.low, none.estimate, none.high, none.method) == (0, 0, 0, "definition")
        assert "no case brings more than it costs" in none.notes[0]


@pytest.mark.merge
@pytest.mark.parametrize("cost", [0.06, 0.2, 0.5])
def test_limits_of_the_best_profit_of_grades_hold(cost):
    """Five grades, 15% positives, 60 of them: selecting pays for nearly all, for few, for none."""
    rng = np.random.default_rng(12)
    p = 0.15 * np.array([0.35, 0.28, 0.18, 0.12, 0.07])
    n = 0.85 * np.array([0.08, 0.14, 0.2, 0.26, 0.32])
    true = max(float(np.cumsum(p - cost * (p + n)).max()), 0.0) * 400
    held = 0
    for _ in range(150):
        drawn = rng.multinomial(400, np.append(p, n))
        counts = cap.ScoreCounts.from_counts(range(5, 0, -1), drawn[:5], drawn[5:])
        found = cap.confidence_interval(counts, "profit", value=1, cost=cost)
        held += found.low <= true <= found.high
    assert held >= 138
