"""The picture of how scores are spread."""

import numpy as np
import pytest
from matplotlib.patches import StepPatch
from reading import head, legend, ticks

from capcurve import ScoreCounts, count_scores, score_distributions
from capcurve.plots import plot_score_distributions


def test_few_grades_are_bars_beside_each_other(grades, ax):
    plot_score_distributions(grades, ax=ax)
    assert legend(ax) == ["Positives", "Negatives", "All cases"]
    assert ticks(ax.xaxis) == ["A", "B", "C", "D", "E"]
    spread = score_distributions(grades)
    heights = [[bar.get_height() for bar in group] for group in ax.containers]
    assert np.allclose(heights, [spread.population, spread.positives, spread.negatives])
    assert ax.containers[2][0].get_hatch()
    assert ax.get_xlabel() == "Grade"


def test_more_grades_are_steps(ax):
    names = [f"G{i:02d}" for i in range(20)]
    counts = ScoreCounts.from_counts(names, range(1, 21), range(20, 0, -1), levels=names)
    plot_score_distributions(counts, ax=ax)
    steps = _steps(ax)
    assert np.allclose(steps["Positives"].get_data().values, score_distributions(counts).positives)
    assert ticks(ax.xaxis)[0] == "G19"
    styles = [steps[name].get_linestyle() for name in ("Positives", "Negatives")]
    assert styles[0] != styles[1]


def test_many_scores_are_binned(continuous, ax):
    plot_score_distributions({"pd": continuous}, ax=ax, bins=25)
    for name in ("All cases", "Positives", "Negatives"):
        values = _steps(ax)[name].get_data().values
        assert len(values) == 25
        assert values.sum() == pytest.approx(1)
    assert ax.get_ylabel() == "Share in each bin"
    assert ax.get_xlabel() == "pd"
    assert head(ax)[0].startswith("n = 30,000")


def test_bins_must_be_positive(five):
    with pytest.raises(ValueError, match="bins must be 1 or more, got 0"):
        plot_score_distributions(five, bins=0)


def test_names_that_do_not_fit_are_turned_and_thinned(ax):
    names = [f"a long grade name {i:02d}" for i in range(150)]
    counts = ScoreCounts.from_counts(names, [1] * 150, [2] * 150, levels=names)
    plot_score_distributions(counts, ax=ax)
    labels = ax.get_xticklabels()
    assert len(labels) < 60
    assert labels[0].get_rotation() == 90


def test_huge_scores_stay_apart_and_short(ax):
    scores = np.array([5, 2**53 + 1, 2**63 + 1, 2**63 + 2, 2**64 - 1], dtype=np.uint64)
    plot_score_distributions(count_scores([0, 1, 0, 1, 1], scores), ax=ax)
    assert ticks(ax.xaxis) == ["5", "…740993", "…775809", "…775810", "…551615"]


def test_infinite_scores_have_their_own_bins(ax):
    scores = [-np.inf] * 10 + np.linspace(0, 1, 60).tolist()
    plot_score_distributions(count_scores([0, 1] * 35, scores), ax=ax)
    values = _steps(ax)["All cases"].get_data().values
    assert values[0] == pytest.approx(10 / 70)
    assert values[1] == 0
    assert "−∞" in ticks(ax.xaxis)


@pytest.mark.parametrize("bins", [3, 40, 200])
def test_no_bin_mixes_infinite_scores_with_others(bins, ax):
    finite = np.linspace(0, 1, 85)
    scores = np.concatenate([[-np.inf] * 10, [np.inf] * 5, finite])
    plot_score_distributions(count_scores([0, 1] * 50, scores), ax=ax, bins=bins)
    values, edges, _ = _steps(ax)["All cases"].get_data()
    assert (np.diff(edges) > 0).all()
    assert (values[0], values[1], values[-2], values[-1]) == (0.1, 0, 0, 0.05)
    assert (edges[2], edges[-3]) == (0, 1)
    expected = np.histogram(finite, bins)[0] / 100
    assert np.allclose(values[2:-2], expected)
    marked = [place for place in ax.get_xticks() if not 0 <= place <= 1]
    assert edges[0] < marked[0] < edges[1]
    assert edges[-2] < marked[1] < edges[-1]


def test_a_long_tail_of_few_cases_has_a_bin_of_its_own_that_says_so(ax):
    rng = np.random.default_rng(2)
    pd = rng.beta(1, 30, size=20_000)
    counts = count_scores(rng.random(20_000) < pd, pd)
    plot_score_distributions(counts, ax=ax)
    values, edges, _ = _steps(ax)["All cases"].get_data()
    assert edges[0] <= pd.min() < edges[1]
    last = edges[-3]  # then a gap, and the bin of the tail
    assert ticks(ax.xaxis)[-1] == f"> {last:g}"
    assert (values[-2], values[-1]) == (0, pytest.approx((pd > last).mean()))
    assert 0 < values[-1] < 0.01
    assert values.sum() == pytest.approx(1)


def test_the_ends_of_scores_without_a_long_tail_are_drawn_where_they_are(ax):
    score = np.random.default_rng(2).normal(size=20_000)
    plot_score_distributions(count_scores(score > 0.5, score), ax=ax)
    values, edges, _ = _steps(ax)["All cases"].get_data()
    assert edges[0] <= score.min() < edges[1]
    assert edges[-2] <= score.max() < edges[-1]
    assert values[-1] == pytest.approx((score >= edges[-2]).mean())


def test_bins_of_few_distinct_scores_are_round_so_that_none_is_empty(ax):
    rates = np.repeat(np.arange(5, 29, 1 / 3), 20).round(2)
    plot_score_distributions(count_scores(np.arange(len(rates)) % 3 == 0, rates), ax=ax)
    values, edges, _ = _steps(ax)["All cases"].get_data()
    assert edges.tolist() == list(range(5, 30))
    assert values.min() > 0


def _steps(ax):
    return {patch.get_label(): patch for patch in ax.patches if isinstance(patch, StepPatch)}
