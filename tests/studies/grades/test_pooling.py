"""Periods as one sample: against R, by hand, and what stays with the cases."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import capcurve as cap

DATA = Path(__file__).parents[2] / "oracles" / "data" / "validation.json"
THIRDS = json.loads(DATA.read_text())["pooled_periods"]["lending_thirds"]


def thirds(**options):
    """Counts by third of the loans, by quality: a higher one is better."""
    found = {}
    for cell in THIRDS["cells"]:
        found.setdefault(cell["period"], []).append(
            (cell["quality"], cell["bad"], cell["n"] - cell["bad"])
        )
    return {
        period: cap.ScoreCounts.from_counts(
            *zip(*cells, strict=True), **{"higher_is": "negative", **options}
        )
        for period, cells in found.items()
    }


def test_the_pooled_auc_and_its_variance_of_r():
    pooled = cap.pool_periods(thirds())
    assert sum(map(len, thirds().values())) == 21
    assert len(pooled) == 19  # the best grade of all three ends at 1
    assert cap.roc_auc(pooled) == pytest.approx(THIRDS["auc"], rel=1e-10)
    se = cap.confidence_interval(pooled, metric="roc_auc").se
    assert se**2 == pytest.approx(THIRDS["delong_var"], rel=1e-10)
    expected = THIRDS["cells_of_pooled"]
    np.testing.assert_allclose(pooled.score, [cell["rt"] for cell in expected], rtol=1e-14)
    assert pooled.positives.tolist() == [cell["bad"] for cell in expected]
    assert (pooled.positives + pooled.negatives.astype(int)).tolist() == [c["n"] for c in expected]


def test_ranks_are_shares_of_cases_rated_no_better():
    periods = {
        "riskier is higher": cap.count_scores([1, 0, 0, 0], [700, 700, 500, 2]),
        "better is higher": cap.count_scores([1, 0], [0.1, 0.7], higher_is="negative"),
        "grades": cap.count_scores([1, 1], ["C", "A"], levels=["C", "B", "A"]),
        "grid": cap.count_scores([0, 0], [0.11, 0.32], resolution=0.1),
    }
    found = cap.pool_periods(periods)
    assert found.score.tolist() == [0.5, 0.75, 1.0]
    assert found.positives.tolist() == [3, 0, 1]
    assert found.negatives.tolist() == [2, 1, 3]
    assert (found.higher_is, found.levels, found.resolution) == ("negative", None, None)


rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=12)


@given(st.lists(rows, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_laws(samples, random):
    periods = {
        name: cap.count_scores([y for y, _ in sample], [s for _, s in sample])
        for name, sample in enumerate(samples)
    }
    found = cap.pool_periods(periods)
    names = list(periods)
    random.shuffle(names)
    assert cap.pool_periods({name: periods[name] for name in names}) == found
    assert found.n == sum(each.n for each in periods.values())
    assert found.n1 == sum(each.n1 for each in periods.values())
    # Another scale in each period changes nothing, and ranks pooled once more are what they were.
    stretched = {
        name: cap.count_scores([y for y, _ in each], [(s + 1.0) ** (name + 1) for _, s in each])
        for name, each in enumerate(samples)
    }
    assert cap.pool_periods(stretched) == found
    once = cap.pool_periods({0: periods[0]})
    assert cap.pool_periods({0: once}) == once
    assert once.positives.tolist() == periods[0].positives.tolist()
    if once.n1 and once.n0:
        assert cap.roc_auc(once) == cap.roc_auc(periods[0])


def test_clusters_stay_together_over_periods():
    """One obligor in both periods is one cluster of the pooled sample."""
    generator = np.random.default_rng(5)
    ids = np.arange(60)
    periods, together = {}, []
    for period in range(2):
        y, s = generator.integers(0, 2, 60), generator.integers(0, 9, 60)
        periods[period] = cap.count_scores(y, s, cluster=ids)
        rank = np.array([(s >= own).mean() for own in s])
        together.append((y, rank))
    y, rank = np.concatenate(together, axis=1)
    expected = cap.count_scores(
        y.astype(int), rank, higher_is="negative", cluster=np.concatenate([ids, ids])
    )
    found = cap.pool_periods(periods)
    assert found == expected
    assert found.groups == expected.groups
    assert cap.confidence_interval(found, metric="roc_auc") == cap.confidence_interval(
        expected, metric="roc_auc"
    )


def test_weights_and_lost_rows_go_along():
    first = cap.count_scores(
        [1, 0, 1], [3, 2, 1], weight=[1.0, 2.5, 0.5], weight_kind="sampling", missing="drop"
    )
    second = cap.count_scores(
        [1, 0, 0], [3, 2, None], weight=[1.0, 3.0, 1.0], weight_kind="sampling", missing="drop"
    )
    found = cap.pool_periods({1: first, 2: second})
    assert found.score.tolist() == [0.25, 0.875, 1.0]
    assert found.positives.tolist() == [2, 0, 0.5]
    assert (found.weight_kind, found.dropped.rows) == ("sampling", 1)
    assert found.weights.positive_rows == 3


def test_weights_too_small_to_change_a_sum_share_a_rank():
    counts = cap.count_scores(
        [1, 0, 0, 1], [4, 3, 2, 1], weight=[1e-30, 1.0, 1e-30, 1e-30], weight_kind="sampling"
    )
    found = cap.pool_periods({1: counts})
    assert len(found) == 2
    assert found.score.tolist() == [1e-30, 1.0]
    assert found.n1 == counts.n1


def test_equal_shares_of_large_periods_are_equal_and_near_ones_are_not():
    third = cap.ScoreCounts.from_counts([2, 1], [10**7, 0], [0, 2 * 10**7])
    same = cap.ScoreCounts.from_counts([2, 1], [1, 0], [0, 2])
    near = cap.ScoreCounts.from_counts([2, 1], [10**7, 0], [0, 2 * 10**7 - 1])
    assert len(cap.pool_periods({1: third, 2: same})) == 2
    assert len(cap.pool_periods({1: third, 2: near})) == 3


def test_an_empty_period_adds_nothing():
    some = cap.count_scores([1, 0], [2, 1])
    empty = cap.count_scores([], [])
    assert cap.pool_periods({1: some, 2: empty}) == cap.pool_periods({1: some})
    assert cap.pool_periods({1: empty}).n == 0


@pytest.mark.parametrize(
    ("periods", "said"),
    [
        ({}, "there are no periods"),
        (cap.count_scores([1, 0], [2, 1]), "takes counts by period, got ScoreCounts"),
        ([1, 2], r"got list: write pool_periods\(y, p, by=period\)"),
        ({2024: [1, 2]}, r"period 2024 must be ScoreCounts, got list"),
        (
            {"a": cap.count_values([1.5, 0], [2, 1])},
            "period 'a' must be ScoreCounts, got ValueCounts",
        ),
        (
            {
                1: cap.count_scores([1, 0], [2, 1]),
                2: cap.count_scores([1, 0], [2, 1], cluster=[1, 2]),
            },
            "count all parts with cluster=, or none",
        ),
    ],
)
def test_what_is_refused(periods, said):
    with pytest.raises((ValueError, TypeError), match=said) as raised:
        cap.pool_periods(periods)
    assert "\n" not in str(raised.value)


def test_totals_answer_where_they_hold_every_score_and_are_refused_elsewhere():
    few, many = (
        cap.count_scores(np.arange(n) % 3 == 0, np.arange(n), missing="drop") for n in (9, 40_000)
    )

    def totals_of(counts):
        blocks = [(counts.score, counts.positives, counts.negatives)]
        return cap.count_sorted(blocks, n1=counts.n1, n0=counts.n0)

    assert totals_of(few).is_complete
    assert cap.pool_periods({1: totals_of(few)}) == cap.pool_periods({1: few})
    assert not totals_of(many).is_complete
    with pytest.raises(cap.NotHeldError, match="resolution="):
        cap.pool_periods({1: totals_of(many)})
