"""Halves of the cases, which design grades and measure them: every half is as likely."""

from itertools import combinations

import numpy as np
import pytest

import capcurve as cap
from capcurve.numbers.order import places_in
from capcurve.studies.grades.grading import dealt_halves

DEALT = 6000


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("each", [(1, 1, 1, 1, 1), (2, 1, 0, 1, 3), (9, 1, 30, 2, 5)])
def test_halves_have_their_size_and_their_places(each, higher_is):
    counts = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], each, [*each[::-1]], higher_is=higher_is)
    rng = np.random.default_rng(1)
    for _ in range(20):
        halves = dealt_halves(counts, rng)
        whole = cap.ScoreCounts.merge([half for half, _ in halves])
        assert whole.positives.tolist() == counts.positives.tolist()
        assert whole.negatives.tolist() == counts.negatives.tolist()
        assert halves[0][0].n1 == halves[0][0].n0 == -(-sum(each) // 2)
        for half, places in halves:
            assert places.tolist() == places_in(counts, half.score).tolist()


@pytest.mark.parametrize("each", [(1, 1, 1, 1, 1), (2, 1, 0, 1, 1)])
def test_every_half_of_few_cases_is_as_likely(each):
    rng, seen = np.random.default_rng(3), {}
    counts = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], each, [1] * 5)
    for _ in range(DEALT):
        half, places = dealt_halves(counts, rng)[0]
        held = np.zeros(5, dtype=int)
        held[places] = half.positives
        seen[tuple(held.tolist())] = seen.get(tuple(held.tolist()), 0) + 1
    rows = np.repeat(np.arange(5), each)
    subsets = [tuple(np.bincount(rows[[*some]], minlength=5).tolist())
               for some in combinations(range(5), 3)]  # fmt: skip
    assert seen.keys() == set(subsets)
    for subset, often in seen.items():
        chance = subsets.count(subset) / len(subsets)
        assert abs(often / DEALT - chance) < 4.5 * (chance * (1 - chance) / DEALT) ** 0.5
