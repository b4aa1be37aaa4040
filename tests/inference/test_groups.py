"""Gaps between groups: oracles of other tools, laws, and groups in which something is missing."""

import json
import math

import numpy as np
import pytest

import capcurve as cap
from capcurve import ScoreCounts
from oracles.oracle_files import DATA, oracle

EXPECTED = json.loads((DATA / "groups.json").read_text())
RATES = ("captured_response", "false_positive_rate")


def of_file(name):
    rows = oracle(f"{name}.csv")
    return cap.count_segments(rows["y"], rows["score"], by=rows["group"].tolist())


TWO, FOUR = of_file("groups_two"), of_file("groups_four")
RNG = np.random.default_rng(4)
SIZE = 500
GROUP = RNG.choice(["a", "b", "c"], SIZE)
Y = RNG.random(SIZE) < 0.3
SCORE = (RNG.normal(size=SIZE) + Y).round(1)
SEGMENTS = cap.count_segments(Y, SCORE, by=GROUP)


def numbers(found):
    """Return all digits of what is not a text."""
    return {
        name: found.to_dict()[name] for name in ("groups", "pairs", "pair_level", "xauc", "abroca")
    }


@pytest.mark.parametrize("case", EXPECTED["groups"], ids=lambda case: case["data"])
def test_numbers_are_those_of_other_tools(case):
    expected = case["expected"]
    asked = {"threshold": expected["threshold"], "metric": "auc", "replicates": 20}
    found = cap.compare_groups(of_file(case["data"]), **asked)
    for row, other in zip(found.groups.rows(), expected["groups"], strict=True):
        for name in ("n", "positives", "prevalence", "roc_auc", "selected", "precision", *RATES):
            assert row[name] == pytest.approx(other[name], abs=1e-10)
    assert 1 - found.pair_level == pytest.approx(1 - expected["pair_level"], rel=0.06)
    grid, law = np.log(np.array(expected["law"][::-1])).T
    for test, other in zip(found.pairs, expected["pairs"], strict=True):
        assert (test.metric, test.name) == (other["metric"], other["name"])
        assert test.estimate == pytest.approx(other["estimate"], abs=1e-10)
        if grid[0] < math.log(test.p_value) < grid[-1]:
            adjusted = math.exp(np.interp(math.log(test.p_value), grid, law))
            assert test.p_adjusted == pytest.approx(adjusted, rel=0.06, abs=0.0015)
        if "low" in other:
            assert test.p_value == pytest.approx(other["p_value"], abs=1e-9)
            half = (other["high"] - other["low"]) / 2
            assert test.low == pytest.approx(other["low"], abs=0.02 * half)
            assert test.high == pytest.approx(other["high"], abs=0.02 * half)
    for row, other in zip(found.xauc.rows(), expected["xauc"], strict=True):
        assert row == {**other, "roc_auc": pytest.approx(other["roc_auc"], abs=1e-10)}
    for row, other in zip(found.abroca.rows(), expected["abroca"], strict=True):
        assert row["abroca"] == pytest.approx(other["abroca"], abs=1e-12)


@pytest.mark.parametrize("case", EXPECTED["dealings"], ids=lambda case: case["p_fraction"])
def test_dealing_labels_comes_near_all_ways_to_deal_them(case):
    segments = cap.count_segments(case["y"], case["score"], by=case["group"])
    (row,) = cap.compare_groups(segments, replicates=4000).abroca.rows()
    chance = math.sqrt(case["p_exact"] * (1 - case["p_exact"]) / 4000)
    assert row["p_value"] == pytest.approx(case["p_exact"], abs=4 * chance + 1 / 4000)
    assert row["by_chance"] == pytest.approx(case["expected_by_chance"], abs=0.01)


@pytest.mark.parametrize("numbers_", [None, ("auc", "xauc"), ("tpr", "fpr", "ar", "xauc")])
@pytest.mark.parametrize("against", [None, "north"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_leave_out_0_where_the_adjusted_p_value_is_small(numbers_, against, level):
    asked = {"threshold": 0.8, "numbers": numbers_, "against": against, "replicates": 20}
    found = cap.compare_groups(FOUR, level=level, **asked)
    assert found.pair_level > level
    for test in found.pairs:
        outside = test.low > 0 or test.high < 0
        assert outside == (test.p_adjusted <= 1 - level), test
        assert test.p_value <= test.p_adjusted <= len(found.pairs) * test.p_value
        assert test.low < test.estimate < test.high


def test_each_gap_is_that_of_two_samples_at_the_level_of_all():
    found = cap.compare_groups(FOUR, metric="auc", numbers=["auc", "xauc"], replicates=20)
    for test in found.pairs:
        first, second = (FOUR[name] for name in test.estimates)
        if test.metric == "roc_auc":
            alone = cap.compare_independent(first, second, metric="auc", level=found.pair_level)
            for name in ("estimate", "p_value", "se", "low", "high"):
                assert getattr(test, name) == pytest.approx(getattr(alone, name), abs=1e-9)
        else:
            gap = cap.xauc(first, second) - cap.xauc(second, first)
            assert test.estimate == pytest.approx(gap, abs=1e-12)


def test_two_groups_and_one_number_are_two_samples():
    found = cap.compare_groups(TWO, replicates=20)
    (test,) = found.pairs
    alone = cap.compare_independent(TWO["men"], TWO["women"])
    for name in ("estimate", "p_value", "se", "low", "high"):
        assert getattr(test, name) == getattr(alone, name)
    assert test.p_adjusted is None
    assert found.pair_level == 0.95


def test_accuracy_ratios_have_twice_the_gap_of_aucs_and_are_the_same_question():
    both = cap.compare_groups(FOUR, numbers=["auc", "ar"], replicates=20)
    alone = cap.compare_groups(FOUR, numbers="auc", replicates=20)
    assert both.pair_level == alone.pair_level
    for auc, ratio in zip(both.pairs[:6], both.pairs[6:], strict=True):
        assert ratio.estimate == pytest.approx(2 * auc.estimate, abs=1e-14)
        assert (ratio.p_value, ratio.p_adjusted) == (auc.p_value, auc.p_adjusted)


def test_fewer_gaps_have_narrower_limits():
    every = cap.compare_groups(FOUR, threshold=0.8, replicates=20)
    some = cap.compare_groups(FOUR, threshold=0.8, against="north", replicates=20)
    assert [test.name for test in some.pairs[:3]] == [
        f"{g} minus north" for g in ("east", "south", "west")
    ]
    assert some.pair_level < every.pair_level
    wide = {
        test.name: test.high - test.low for test in every.pairs if test.metric == "accuracy_ratio"
    }
    for test in some.pairs[:3]:
        names = test.name, " minus ".join(reversed(test.name.split(" minus ")))
        assert test.high - test.low < next(wide[name] for name in names if name in wide)


def test_the_same_call_has_the_same_digits_whatever_was_drawn_before():
    np.random.seed(1)
    first = numbers(cap.compare_groups(SEGMENTS, threshold=1, replicates=200))
    np.random.random(9)
    order = np.random.default_rng(5).permutation(SIZE)
    moved = cap.count_segments(Y[order], SCORE[order], by=GROUP[order])
    assert numbers(cap.compare_groups(moved, threshold=1, replicates=200)) == first
    half = slice(0, SIZE, 2), slice(1, SIZE, 2)
    parts = [cap.count_segments(Y[h], SCORE[h], by=GROUP[h]) for h in half]
    whole = {key: parts[0][key] + parts[1][key] for key in parts[0]}
    assert numbers(cap.compare_groups(whole, threshold=1, replicates=200)) == first


def test_other_names_of_groups_only_turn_gaps_round():
    found = cap.compare_groups(SEGMENTS, threshold=1, replicates=100)
    names = {"a": "z", "b": "y", "c": "x"}
    other = cap.compare_groups(
        {names[key]: SEGMENTS[key] for key in reversed([*SEGMENTS])}, threshold=1, replicates=100
    )
    ends = {frozenset(test.estimates) | {test.metric}: test for test in other.pairs}
    assert other.pair_level == pytest.approx(found.pair_level, abs=1e-12)
    for test in found.pairs:
        turned = ends[frozenset(names[name] for name in test.estimates) | {test.metric}]
        assert turned.estimate == pytest.approx(-test.estimate, abs=1e-14)
        assert (turned.low, turned.high) == pytest.approx((-test.high, -test.low), abs=1e-9)
        assert turned.p_adjusted == pytest.approx(test.p_adjusted, abs=1e-9)
    areas = {frozenset((r["first"], r["second"])): r["p_value"] for r in other.abroca.rows()}
    for row in found.abroca.rows():
        assert areas[frozenset((names[row["first"]], names[row["second"]]))] == row["p_value"]


def test_groups_put_together_are_counted_together():
    merged = {"ab": SEGMENTS["a"] + SEGMENTS["b"], "c": SEGMENTS["c"]}
    counted = cap.count_segments(Y, SCORE, by=np.where(GROUP == "c", "c", "ab"))
    one, other = (
        cap.compare_groups(each, threshold=1, replicates=50) for each in (merged, counted)
    )
    assert numbers(one) == numbers(other)


def test_a_cut_off_selects_on_its_side_whatever_the_direction():
    found = cap.compare_groups(SEGMENTS, threshold=1, replicates=20)
    selected = [(group == GROUP) & (SCORE >= 1) for group in "abc"]
    assert found.groups["selected"].tolist() == [
        float(each.sum() / (group == GROUP).sum())
        for each, group in zip(selected, "abc", strict=True)
    ]
    turned = cap.count_segments(Y, -SCORE, by=GROUP, higher_is="negative")
    other = cap.compare_groups(turned, threshold=-1, replicates=20)
    assert numbers(other)["groups"] == numbers(found)["groups"]
    assert "At -1 and below" in other.to_text() or "At −1 and below" in other.to_text()


def test_a_share_gives_the_nearest_cut_off_of_all_cases():
    found = cap.compare_groups(SEGMENTS, q=0.3, replicates=20)
    shares = {score: float((score <= SCORE).mean()) for score in np.unique(SCORE)}
    assert found.threshold == min(shares, key=lambda score: abs(shares[score] - 0.3))
    cut = cap.compare_groups(SEGMENTS, threshold=found.threshold, replicates=20)
    assert numbers(cut) == numbers(found)
    (said,) = (note for note in found.notes if "selects" in note)
    assert f"{100 * shares[found.threshold]:.1f}% of all cases" in said
    assert any("taken as fixed" in note for note in found.notes)


def test_grades_are_cut_at_a_grade():
    grades = np.array(["C", "B", "A"])[np.digitize(-SCORE, [-1, 0])]
    segments = cap.count_segments(Y, grades, by=GROUP, levels=["C", "B", "A"])
    found = cap.compare_groups(segments, threshold="B", replicates=20)
    chosen = np.isin(grades, ["C", "B"])
    assert found.groups["selected"][0] == (chosen & (GROUP == "a")).sum() / (GROUP == "a").sum()
    assert "Down to grade B, " in found.to_text()
    assert found.to_dict()["threshold"] == "B"


def test_a_group_without_positives_keeps_its_other_numbers():
    segments = {**SEGMENTS, "none": ScoreCounts.from_counts([2, 1, 0], [0, 0, 0], [3, 9, 20])}
    found = cap.compare_groups(segments, threshold=1, replicates=20)
    row = list(found.groups.rows())[-1]
    assert (row["accuracy_ratio"], row["captured_response"]) == (None, None)
    assert row["false_positive_rate"] == pytest.approx(12 / 32)
    with_it = [(test.metric, test.name) for test in found.pairs if "none" in test.name]
    assert with_it == [("false_positive_rate", f"{group} minus none") for group in "abc"]
    (finding,) = (each for each in found.findings if each.code == "lacks_class")
    assert (finding.severity, finding.message) == ("warning", "none has no positives")
    (note,) = (note for note in found.notes if note.startswith("Gaps in captured response"))
    assert "no positives in none" in note
    assert "none" not in set(found.abroca["first"]) | set(found.abroca["second"])
    cross = {(r["positives_of"], r["negatives_of"]): r["roc_auc"] for r in found.xauc.rows()}
    assert cross["none", "a"] is None
    assert cross["a", "none"] == cap.xauc(SEGMENTS["a"], segments["none"])


def test_one_positive_has_a_captured_response_and_no_gap_in_ranking():
    segments = {**SEGMENTS, "one": ScoreCounts.from_counts([2, 1, 0], [0, 1, 0], [3, 9, 20])}
    found = cap.compare_groups(segments, threshold=1, replicates=20)
    with_it = {test.metric for test in found.pairs if "one" in test.name}
    assert with_it == set(RATES)
    assert any("fewer than two cases of a class in one" in note for note in found.notes)
    codes = [(each.code, each.message) for each in found.findings]
    assert ("few_cases", "one has 1 positive") in codes


@pytest.mark.parametrize("rate", [0, 1])
def test_rates_without_spread_have_newcombes_limits(rate):
    cells = [[5, 9], [7, 30]]
    segments = {name: ScoreCounts.from_counts([2, 1], *cells) for name in "xy"}
    found = cap.compare_groups(segments, threshold=3 if not rate else 0, replicates=20)
    assert [test.estimate for test in found.pairs] == [0, 0, 0]
    for test in found.pairs[1:]:
        assert (test.p_value, test.p_adjusted) == (1, 1)
        assert test.low < 0 < test.high
        assert test.se > 0
    assert 0.95 < found.pair_level < 1 - 0.05 / 3 + 1e-3


def test_opposite_rates_without_spread_differ():
    high = ScoreCounts.from_counts([2, 1], [20, 0], [10, 10])
    low = ScoreCounts.from_counts([2, 1], [0, 20], [10, 10])
    found = cap.compare_groups({"high": high, "low": low}, threshold=2, numbers="tpr")
    assert found.pairs[0].estimate == 1
    assert found.pairs[0].low > 0.5
    assert found.pairs[0].p_value < 1e-6


def test_a_constant_score_in_a_group_is_worth_half():
    segments = {**SEGMENTS, "flat": ScoreCounts.from_counts([1], [20], [80])}
    found = cap.compare_groups(segments, metric="auc", replicates=20)
    assert found.groups["roc_auc"][-1] == 0.5
    tests = [test for test in found.pairs if "flat" in test.name]
    assert len(tests) == 3
    assert all(math.isfinite(test.low) and math.isfinite(test.high) for test in tests)


def test_clusters_are_left_out_of_all_groups_at_once():
    obligor = np.arange(SIZE) // 4
    segments = cap.count_segments(Y, SCORE, by=GROUP, cluster=obligor)
    found = cap.compare_groups(
        segments, threshold=1, metric="auc", numbers=["auc", "tpr", "fpr", "xauc"]
    )
    for test in found.pairs:
        assert test.df is not None
        assert (test.low > 0 or test.high < 0) == (test.p_adjusted <= 0.05)
    alone = cap.compare_independent(
        segments["a"], segments["b"], metric="auc", level=found.pair_level
    )
    assert found.pairs[0].low == pytest.approx(alone.low, abs=1e-9)
    assert (
        found.abroca["abroca"].tolist()
        == cap.compare_groups(SEGMENTS, replicates=20).abroca["abroca"].tolist()
    )
    assert np.isnan(found.abroca["p_value"]).all()
    assert any("rows are clustered; labels cannot be dealt" in note for note in found.notes)
    assert "chance alone" not in found.to_text()


def test_rows_of_clusters_that_move_together_are_not_independent():
    """Every row three times: clusters of equal rows have about the spread of the single rows."""
    rows = np.repeat(np.arange(SIZE), 3)
    clustered = cap.count_segments(Y[rows], SCORE[rows], by=GROUP[rows], cluster=rows)
    found, single = (
        cap.compare_groups(each, threshold=1, replicates=20) for each in (clustered, SEGMENTS)
    )
    ratios = [a.se / b.se for a, b in zip(found.pairs, single.pairs, strict=True)]
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)
    assert min(ratios) > 0.7


def test_frequency_weights_are_rows_and_others_have_effective_sizes():
    weights = RNG.integers(1, 4, SIZE)
    rows = np.repeat(np.arange(SIZE), weights)
    frequent = cap.count_segments(Y, SCORE, by=GROUP, weight=weights, weight_kind="frequency")
    repeated = cap.count_segments(Y[rows], SCORE[rows], by=GROUP[rows])
    asked = {"threshold": 1, "replicates": 50}
    assert numbers(cap.compare_groups(frequent, **asked)) == numbers(
        cap.compare_groups(repeated, **asked)
    )
    sampled = cap.count_segments(Y, SCORE, by=GROUP, weight=weights, weight_kind="sampling")
    found = cap.compare_groups(sampled, **asked)
    for test, other in zip(found.pairs, cap.compare_groups(repeated, **asked).pairs, strict=True):
        assert test.estimate == pytest.approx(other.estimate, abs=1e-12)
        assert test.se > other.se
        assert (test.low > 0 or test.high < 0) == (test.p_adjusted <= 0.05)
    assert np.isnan(found.abroca["by_chance"]).all()
    assert any("rows are weighted" in note for note in found.notes)


def test_rows_without_a_group_are_one_of_their_own():
    some = [None if place < 40 else group for place, group in enumerate(GROUP.tolist())]
    found = cap.compare_groups(cap.count_segments(Y, SCORE, by=some), replicates=20)
    (finding,) = (each for each in found.findings if each.code == "no_group")
    assert finding.message.startswith("40 rows")
    assert len(found.groups) == 4


def test_names_of_groups_are_those_of_the_segments():
    years = cap.count_segments(Y, SCORE, by=np.where(GROUP == "a", 2024, 2025))
    found = cap.compare_groups(years, against=2025, replicates=20)
    assert found.groups["group"].tolist() == [2024, 2025]
    assert [test.name for test in found.pairs] == ["2024 minus 2025"]
    crossing = cap.count_segments(Y, SCORE, by=[GROUP, Y.astype(int) * 0 + np.arange(SIZE) % 2])
    names = cap.compare_groups(crossing, replicates=20).groups["group"].tolist()
    assert names == [str(key) for key in crossing]


def test_levels_that_differ_are_told_from_ranking():
    raised = {name: cap.count_scores(Y, SCORE + shift) for name, shift in (("x", 0), ("y", 1))}
    found = cap.compare_groups(raised, numbers=["auc", "xauc"], replicates=200)
    assert found.pairs[0].estimate == 0
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("levels_differ", "info")
    assert "scores of x rank lower" in finding.message
    (row,) = found.abroca.rows()
    assert row["abroca"] == 0


def test_of_many_groups_the_largest_gaps_are_shown():
    part = np.arange(2600) % 13
    y, score = RNG.random(2600) < 0.4, RNG.normal(size=2600).round(1)
    segments = cap.count_segments(y, score, by=part)
    found = cap.compare_groups(segments, threshold=1, replicates=5)
    assert len(found.pairs) == 3 * 78
    table = found.presentation().tables[0]
    assert len(table) == 15
    assert "of 234 gaps" in table.note
    many = dict.fromkeys(range(61), SEGMENTS["a"])
    with pytest.raises(ValueError, match="61 values"):
        cap.compare_groups(many)
    assert len(cap.compare_groups(many, all_segments=True, against=3, replicates=2).pairs) == 60


@pytest.mark.parametrize(
    ("segments", "asked", "said"),
    [
        ({"all": SEGMENTS["a"]}, {}, r"at least two groups; there is 1 \(all\)"),
        ({}, {}, "there are 0"),
        (SEGMENTS, {"threshold": 1, "q": 0.1}, "threshold= and q= both"),
        (SEGMENTS, {"numbers": ["tpr"]}, "give threshold= or q="),
        (SEGMENTS, {"against": "d"}, "against must be one of a, b, c, got 'd'"),
        (SEGMENTS, {"numbers": ["ks"]}, "numbers must be one of"),
        (SEGMENTS, {"numbers": []}, "numbers"),
        (SEGMENTS, {"metric": "ks"}, "metric must be one of"),
        (SEGMENTS, {"q": 0}, "q must"),
        (SEGMENTS, {"level": 1}, "level must"),
        (SEGMENTS, {"threshold": "x"}, "threshold must be a score"),
        (SEGMENTS, {"replicates": 1}, "replicates must"),
    ],
)
def test_what_does_not_go_is_said_in_one_line(segments, asked, said):
    with pytest.raises(ValueError, match=said) as error:
        cap.compare_groups(segments, **asked)
    assert "\n" not in str(error.value)


def test_other_kinds_of_counts_are_refused():
    amounts = cap.count_value_segments(SCORE + 9, SCORE, by=GROUP)
    times = cap.count_times(np.arange(SIZE) + 1, Y.astype(int), SCORE)
    arms = cap.count_uplift(Y, np.arange(SIZE) % 2, SCORE)
    for other in (amounts["a"], times.at(300), times, arms):
        with pytest.raises(TypeError, match="of positives and negatives only"):
            cap.compare_groups({"a": other, "b": other})


def test_totals_do_not_tell_the_scores():
    score = np.arange(20_000)[::-1]
    y = RNG.random(20_000) < 0.5
    totals = cap.count_sorted([(score, y * 1, ~y * 1)], n1=int(y.sum()), n0=int((~y).sum()))
    with pytest.raises(ValueError, match="resolution="):
        cap.compare_groups({"a": totals, "b": totals})


def test_no_word_judges():
    found = cap.compare_groups(TWO, threshold=0.9, numbers=["auc", "tpr", "fpr", "xauc"])
    said = (
        f"{found.to_text()} {found.to_html()} {cap.compare_groups.__doc__} {found.__doc__}".lower()
    )
    for word in ("fair", "bias", "discriminat", "passes", "four-fifths", "harm"):
        assert word not in said, word
    assert found.presentation().light is None
