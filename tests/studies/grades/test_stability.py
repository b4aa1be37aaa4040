"""Population stability: its laws, its bins, and what it refuses."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as some
from scipy import stats

import capcurve as cap
from capcurve.inference.records import Confidence
from capcurve.show.format import cutoff_text
from capcurve.studies.grades.stability import noncentral_limits, shift_of
from results_shown import in_words

RNG = np.random.default_rng(5)
LEVELS = ["D", "C", "B", "A"]
COUNTS = some.lists(some.integers(0, 60), min_size=2, max_size=6).filter(any)


def portfolio(cases, levels=None, **options):
    grades = levels or LEVELS[: len(cases)]
    return cap.CaseCounts.from_counts(grades, cases, levels=grades, **options)


def sample(size, shift=0.0, seed=1, **options):
    rng = np.random.default_rng(seed)
    score = rng.normal(shift, 1, size).round(2)
    return cap.count_scores(rng.random(size) < 0.2, score, **options)


def by_hand(before, after):
    pairs = zip(before, after, strict=True)
    shares = [(b / sum(before), a / sum(after)) for b, a in pairs if b or a]
    return sum((a - b) * math.log(a / b) for b, a in shares)


@given(COUNTS, COUNTS)
def test_the_index_is_symmetric_and_zero_for_equal_shares_only(before, after):
    size = max(len(before), len(after))
    before, after = (each + [0] * (size - len(each)) for each in (before, after))
    levels = [f"g{k}" for k in range(size)]
    one, other = portfolio(before, levels), portfolio(after, levels)
    found, back = cap.population_stability(one, other), cap.population_stability(other, one)
    assert found.psi == back.psi
    assert found.psi >= 0
    equal = all(a * sum(before) == b * sum(after) for a, b in zip(after, before, strict=True))
    assert (found.psi == 0) == equal
    assert math.isinf(found.psi) == bool(found.empty)
    both_empty = sum(not a and not b for a, b in zip(after, before, strict=True))
    assert found.df == size - both_empty - 1
    assert found.low <= found.high
    assert len(found.bins) == size
    if not found.empty:
        assert found.psi == pytest.approx(by_hand(before, after), rel=1e-9, abs=1e-12)


@given(some.lists(some.tuples(some.integers(1, 50), some.integers(1, 50)), min_size=3, max_size=7))
def test_merging_bins_never_raises_the_index(cells):
    before, after = (np.array(each) for each in zip(*cells, strict=True))
    fine = shift_of(before, after, 0.95).psi
    for place in range(len(cells) - 1):
        ends = [place, *range(place + 2, len(cells))]
        starts = sorted({0, *ends})
        coarse = shift_of(np.add.reduceat(before, starts), np.add.reduceat(after, starts), 0.95).psi
        assert coarse <= fine + 1e-12


def test_a_bin_empty_on_both_sides_adds_nothing():
    found = cap.population_stability(portfolio([5, 0, 7, 8]), portfolio([6, 0, 9, 4]))
    alone = shift_of(np.array([5, 7, 8]), np.array([6, 9, 4]), 0.95)
    assert (found.df, found.psi, found.psi_half) == (2, alone.psi, alone.psi_half)
    assert found.table["psi"].tolist()[1] == 0
    assert found.bins == ("D", "C", "B", "A")


def test_a_grade_that_was_added_stands_where_it_was_declared():
    before = portfolio([5, 7, 8], ["C", "B", "A"])
    after = portfolio([2, 5, 7, 8, 1], ["C-", "C", "B", "A", "AA"])
    found = cap.population_stability(before, after)
    assert found.bins == ("C-", "C", "B", "A", "AA")
    assert found.empty == ("C-", "AA")
    assert math.isinf(found.psi)
    assert cap.population_stability(after, before).bins == found.bins


def test_quantiles_of_the_first_sample_are_the_bins_of_both():
    before, after = sample(1000), sample(700, 0.3, seed=2)
    found = cap.population_stability(before, after)
    gains = cap.gains_table(before, bins=10)
    assert found.table["before"].tolist() == gains["n"].tolist()
    cuts = gains["score_to"].tolist()[:-1]
    assert found.table["after"].tolist() == cap.gains_table(after, bins=cuts)["n"].tolist()
    asked = cap.population_stability(before, after, bins=cuts)
    assert (asked.psi, asked.bins) == (found.psi, found.bins)
    assert found.psi == pytest.approx(
        by_hand(found.table["before"], found.table["after"]), rel=1e-12
    )


def test_cases_beyond_the_first_sample_fall_into_the_outer_bins():
    before = cap.CaseCounts.from_counts([3, 2, 1], [5, 5, 5])
    after = cap.CaseCounts.from_counts([9, 2.5, 0], [4, 5, 6])
    found = cap.population_stability(before, after, bins=3)
    assert found.bins == ("≥ 3", "[2, 3)", "< 2")
    assert found.table["after"].tolist() == [4, 5, 6]


def test_where_low_scores_are_risky_bins_run_upwards():
    options = {"higher_is": "negative"}
    before = cap.CaseCounts.from_counts([1, 2, 3], [5, 6, 7], **options)
    after = cap.CaseCounts.from_counts([0, 1.5, 4], [4, 5, 6], **options)
    found = cap.population_stability(before, after, bins=3)
    assert found.bins == ("≤ 1", "(1, 2]", "> 2")
    assert found.table["after"].tolist() == [4, 5, 6]
    turned = [cap.CaseCounts.from_counts(-each.score, each.cases) for each in (before, after)]
    assert cap.population_stability(*turned, bins=3).psi == found.psi


def test_bins_of_scores_and_of_grades():
    before, after = (cap.count_scores([1, 0, 0, 1], each) for each in ([3, 2, 1, 1], [3, 3, 2, 4]))
    found = cap.population_stability(before, after, bins="score")
    assert found.bins == ("4", "3", "2", "1")
    assert found.table["before"].tolist() == [0, 1, 1, 2]
    assert found.table["after"].tolist() == [1, 2, 1, 0]
    one, two = portfolio([5, 6, 7, 8]), portfolio([9, 8, 7, 6])
    assert cap.population_stability(one, two, bins=["C"]).bins == ("D to C", "B to A")
    assert cap.population_stability(one, two, bins=2).table["before"].tolist() == [11, 15]
    assert cap.population_stability(one, two, bins=1).p_value == 1


def test_positives_and_negatives_tell_mix_from_ranking():
    before = cap.ScoreCounts.from_counts(["B", "A"], [30, 10], [70, 190], levels=["B", "A"])
    after = cap.ScoreCounts.from_counts(["B", "A"], [20, 20], [80, 180], levels=["B", "A"])
    whole = cap.population_stability(before, after)
    assert (whole.psi, whole.p_value) == (0, 1)
    found = cap.population_stability(before, after, of="positives")
    assert (found.n_before, found.n_after) == (40, 40)
    # From 3/4 to 1/2: 1/4·ln(3/2) + 1/4·ln 2.
    assert found.psi == pytest.approx(math.log(3) / 4)
    assert cap.population_stability(before, after, of="negatives").psi < 0.01


def test_weighted_rows_have_the_index_alone():
    rows = {"weight": np.linspace(0.5, 2, 300), "weight_kind": "sampling"}
    found = cap.population_stability(sample(300, **rows), sample(400, 0.5, seed=3), bins=4)
    assert found.psi > 0
    parts = (found.psi_half, found.low, found.high, found.chi2, found.p_value)
    assert parts == (None,) * 5


def test_what_a_stability_says(golden):
    rows = {"weight": np.linspace(0.5, 2, 300), "weight_kind": "sampling"}
    before = cap.ScoreCounts.from_counts(["B", "A"], [30, 10], [70, 190], levels=["B", "A"])
    after = cap.ScoreCounts.from_counts(["B", "A"], [20, 20], [80, 180], levels=["B", "A"])
    old, new = (
        portfolio([5, 7, 8], ["C", "B", "A"]),
        portfolio([2, 5, 7, 8, 1], ["C-", *"CBA", "+"]),
    )
    kept, gone = portfolio([10, 40, 50, 0]), portfolio([12, 35, 48, 5])
    constant = [cap.count_cases([each] * size) for each, size in ((600, 50), (700, 20))]
    asked = {
        "grades added": ([old, new], {}),
        "a grade that was empty": ([kept, gone], {"labels": ("2023", "2024 <b>")}),
        "grades emptied": ([portfolio([50, 0, 0]), portfolio([0, 9, 8])], {}),
        "positives": ([before, after], {"of": "positives"}),
        "alike": ([before, before], {}),
        "weights": ([sample(300, **rows), sample(400, 0.5, seed=3)], {"bins": 4}),
        "clusters": ([sample(300, cluster=np.arange(300) % 40), sample(300)], {}),
        "sparse bins": ([sample(30), sample(300)], {"bins": 10}),
        "few cases": ([sample(50), sample(300)], {"bins": 10}),
        "a constant score that changes": (constant, {}),
    }
    cases = {name: cap.population_stability(*two, **how) for name, (two, how) in asked.items()}
    golden("Stability, in cases", in_words(cases))


def test_an_evaluation_stands_for_its_counts():
    y, p = RNG.random(200) < 0.3, RNG.normal(size=200)
    one = cap.evaluate(y, p)
    assert cap.psi(one, one["score"]).psi == 0


def test_the_alias_is_the_function():
    assert cap.psi is cap.population_stability


@pytest.mark.parametrize(
    ("after", "options", "said"),
    [
        (portfolio([1, 2]), {"of": "positives"}, "before holds cases without outcome"),
        (portfolio([1, 2]), {"of": "bad"}, "of must be one of"),
        (portfolio([1, 2], ["X", "Y"]), {}, "no grade in common: D, C and X, Y"),
        (
            portfolio([1, 2], ["C", "D"]),
            {},
            "ranks grade 'D' before 'C', after the other way round",
        ),
        (cap.CaseCounts.from_counts([1], [3]), {}, "before has grades and after has numbers"),
        (portfolio([1, 2]), {"bins": ["Z"]}, "'Z' is not among the grades"),
        (portfolio([1, 2]), {"bins": "grade"}, "\"score\" or cut points, got 'grade'"),
        (portfolio([1, 2]), {"bins": 2.5}, "bins must be a whole number"),
        (portfolio([1, 2]), {"bins": 0}, "bins must be a whole number"),
        (portfolio([0, 0]), {}, "no cases in after"),
        (portfolio([1, 2]), {"level": 1}, "level must be between 0 and 1"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(after, options, said):
    with pytest.raises(ValueError, match=said) as raised:
        cap.population_stability(portfolio([3, 4]), after, **options)
    assert "\n" not in str(raised.value)


def test_scores_that_do_not_mean_the_same_are_refused():
    up, down = sample(50), sample(50, higher_is="negative")
    with pytest.raises(ValueError, match="count both with the same higher_is="):
        cap.population_stability(up, down)
    with pytest.raises(ValueError, match=r"no resolution and after has resolution=0\.1"):
        cap.population_stability(up, up.at_resolution(0.1))
    with pytest.raises(TypeError, match="population_stability takes counts, got int: write count_"):
        cap.population_stability(1, up)
    with pytest.raises(TypeError, match="about two classes"):
        cap.population_stability(cap.count_values([1.0, 2], [1, 2]), up)
    many = cap.CaseCounts.from_counts(range(1500), [1] * 1500)
    with pytest.raises(ValueError, match="1,500 distinct scores"):
        cap.population_stability(many, many, bins="score")
    assert cap.population_stability(many, many).psi == 0


@pytest.mark.parametrize("df", [1, 4, 30, 200])
@pytest.mark.parametrize("statistic", [0.0, 0.01, 2.0, 60.0, 3e4, 1e6])
def test_limits_of_the_noncentral_law_miss_as_often_as_stated(statistic, df):
    low, high = noncentral_limits(statistic, df, Confidence(0.9))
    # 0 where even equal samples are as likely to differ so much, or so little.
    assert (low == 0) == (stats.chi2.sf(statistic, df) >= 0.05)
    assert (high == 0) == (stats.chi2.cdf(statistic, df) <= 0.05)
    for limit, chance in ((low, stats.ncx2.sf), (high, stats.ncx2.cdf)):
        assert not limit or chance(statistic, df, limit) == pytest.approx(0.05, rel=1e-6)


def test_counts_of_a_hundred_million_rows_are_quick_and_large_numbers_hold():
    before = portfolio([10**9, 3 * 10**9, 10**9])
    after = portfolio([10**9, 3 * 10**9, 10**9 + 10**6])
    found = cap.population_stability(before, after)
    assert found.p_value < 1e-9
    assert found.low < found.psi < found.high < 1e-6


def test_the_result_is_saved_and_shown(tmp_path):
    found = cap.population_stability(
        portfolio([10, 40, 50, 0]), portfolio([12, 35, 48, 5]), labels=("2023", "2024 <b>")
    )
    saved = json.loads(found.save(tmp_path / "psi.json").read_text())
    assert (saved["psi"], saved["df"], saved["empty"]) == ("inf", 3, ["A"])
    assert saved["table"][3] == {
        "grade": "A",
        "before": 0,
        "after": 5,
        "share_before": 0.0,
        "share_after": 0.05,
        "psi": "inf",
    }
    page = found.to_html()
    assert "2024 &lt;b&gt;" in page
    assert "<b>" not in page
    heights = {tuple(bar.shares.tolist()) for bar in found.presentation().charts[0].bars}
    assert heights == {(0.1, 0.4, 0.5, 0.0), (0.12, 0.35, 0.48, 0.05)}
    assert found.plot().get_ylabel() == "Share of cases"
    with pytest.raises(TypeError, match="labels must be two names"):
        cap.population_stability(portfolio([1]), portfolio([1]), labels=("a",))


def test_an_index_that_is_not_between_its_limits():
    same = portfolio([50, 90, 80])
    found = cap.population_stability(same, same)
    assert (found.low, found.high) == (0, 0)
    found = cap.population_stability(sample(50), sample(300), bins=10)
    assert 0 < found.high < found.psi_half
    assert not cap.population_stability(portfolio([50, 90]), portfolio([60, 80])).notes


def test_samples_keep_their_names():
    found = cap.population_stability(
        portfolio([50, 0, 0]), portfolio([0, 9, 8]), labels=("iphone", "iPad_b")
    )
    (chart,) = found.presentation().charts
    assert [bars.label for bars in chart.bars] == ["iphone", "iPad_b"]


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_bins_have_the_fewest_digits_that_select_the_same_cases(higher_is):
    rng = np.random.default_rng(12)
    y = rng.random(3000) < 0.2
    samples = [cap.count_scores(y, rng.random(3000), higher_is=higher_is) for _ in range(2)]
    found = cap.population_stability(*samples)
    names = [str(name) for name in found.table["bin"]]
    assert max(map(len, names)) < 20
    firsts = [name.strip("≥≤ ") for name in names[:1]]
    inner = [name.strip("[]()").split(", ") for name in names[1:-1]]
    cuts = firsts + [pair[0 if higher_is == "positive" else 1] for pair in inner]
    again = cap.population_stability(*samples, bins=[float(cut) for cut in cuts])
    assert again.psi == found.psi
    assert [str(name) for name in again.table["bin"]] == names


def test_a_grade_that_was_empty_before_is_a_bin_of_its_own():
    before = [1] * 94 + [2] * 123 + [4] * 82 + [5] * 101
    after = [1] * 94 + [3] * 123 + [4] * 82 + [5] * 101
    found = cap.population_stability(cap.count_cases(before), cap.count_cases(after))
    assert found.bins == ("5", "4", "3", "2", "1")
    assert (found.psi, found.empty) == (math.inf, ("3", "2"))
    words = [list(map(str, each)) for each in (before, after)]
    named = cap.population_stability(
        *(cap.count_cases(each, levels=list("54321")) for each in words)
    )
    for name in ("psi", "psi_half", "low", "high", "p_value", "bins"):
        assert getattr(named, name) == getattr(found, name)


def test_a_constant_score_that_changes_is_shown():
    found = cap.population_stability(cap.count_cases([600] * 50), cap.count_cases([700] * 20))
    assert (found.bins, found.psi) == (("700", "600"), math.inf)
    # Shares of 50.5/51 and 0.5/51 against 0.5/21 and 20.5/21.
    expected = by_hand(np.array([0.5, 50.5]), np.array([20.5, 0.5]))
    assert found.psi_half == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("bins", [None, 10, 4])
@pytest.mark.parametrize(("lump", "moved"), [(1.0, 0.0), (0.5, 0.45), (0.0, 1.0)])
def test_a_lump_shares_no_bin_with_what_it_moves_to(higher_is, bins, lump, moved):
    rng = np.random.default_rng(6)
    scores = [np.where(rng.random(800) < 0.9, each, rng.random(800)) for each in (lump, moved)]
    before, after = (cap.count_cases(each, higher_is=higher_is) for each in scores)
    found = cap.population_stability(before, after, bins=bins)
    assert set(found.empty) == {cutoff_text(lump), cutoff_text(moved)}
    assert found.table["before"].sum() == found.table["after"].sum() == 800
    half = by_hand(found.table["before"] + 0.5, found.table["after"] + 0.5)
    assert found.psi_half == pytest.approx(half, rel=1e-9)


def test_scores_of_few_rows_are_no_grades_and_hold_no_lumps():
    before, after = cap.count_cases([1.5, 2.5, 3.5, 4.5]), cap.count_cases([1.4, 2.6, 3.3, 4.9])
    assert cap.population_stability(before, after).bins == (
        "≥ 4.5",
        "[3.5, 4.5)",
        "[2.5, 3.5)",
        "< 2.5",
    )
