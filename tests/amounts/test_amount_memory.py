"""Numbers of amounts without sums at every distinct score: what they take, and that they agree."""

import itertools
import tracemalloc

import numpy as np
import pytest

import capcurve as cap
from capcurve.counts import Ranking
from capcurve.numbers import order

ROWS = 2_000_000


def rows(share, exposure=None):
    """Return amounts, of which a share is not 0, scores and exposures of many rows."""
    draw = np.random.default_rng(13)
    score, amount = draw.random(ROWS), draw.lognormal(size=ROWS)
    amount[draw.random(ROWS) >= share] = 0.0
    return amount, score, draw.random(ROWS) + 0.5 if exposure else None


def taken(work):
    """Return the most memory that some work takes, in columns of one float a row."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / (8 * ROWS)
    finally:
        tracemalloc.stop()


READ = {
    "ratio": lambda values: cap.confidence_interval(values, "accuracy_ratio"),
    "index": lambda values: cap.confidence_interval(values, "concentration_index"),
    "share": lambda values: cap.confidence_interval(values, "captured_response", q=0.1),
    "mean": lambda values: cap.confidence_interval(values, "mean_amount"),
    "summary": lambda values: str(cap.summarize(values)),
    "text": repr,
    "digest": lambda values: values.digest(),
}


@pytest.mark.parametrize("read", READ)
def test_what_is_read_off_few_amounts_takes_less_memory_than_the_scores(read):
    amount, score, _ = rows(0.01)
    values = cap.count_values(amount, score)
    READ[read](cap.count_values(amount[:1000], score[:1000]))  # what is loaded once
    assert taken(lambda: READ[read](values)) < 1


def test_counting_few_amounts_takes_the_memory_of_the_scores_and_little_more():
    amount, score, _ = rows(0.01)
    assert taken(lambda: cap.count_values(amount, score)) < 1.8


def test_an_interval_with_exposures_takes_few_columns_of_the_rows():
    amount, score, years = rows(0.01, exposure=True)
    values = cap.count_values(amount, score, exposure=years)
    assert taken(lambda: READ["ratio"](values)) < 10


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("exposed", [False, True])
def test_ties_are_counted_where_rows_stand_as_at_every_score(exposed, higher_is):
    draw = np.random.default_rng(7)
    for digits, share, often in itertools.product((0, 1, 2, 6), (0.0, 0.1, 0.6, 1.0), (1, 3)):
        score = np.repeat(np.round(draw.normal(size=120), digits), often)
        amount = np.repeat(np.where(draw.random(120) < share, draw.random(120), 0), often)
        exposure = draw.integers(1, 3, len(score)) if exposed else None
        values = cap.ValueCounts.from_rows(score, amount, exposure, higher_is=higher_is)
        ties = np.unique(score, return_counts=True)[1]
        assert len(values) == len(ties)
        assert values.over_scores(lambda rows: int((rows**3).sum())) == int((ties**3).sum())
        assert [values.small_scores(few) for few in (2, 5)] == [sum(ties < 2), sum(ties < 5)]


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_the_score_after_a_cutoff_is_the_next_distinct_one(higher_is):
    draw = np.random.default_rng(8)
    score, amount = np.round(draw.random(90), 2), np.where(draw.random(90) < 0.3, 5.0, 0.0)
    values = cap.ValueCounts.from_rows(score, amount, higher_is=higher_is)
    ordered = values.by_score().score.tolist()
    assert [values.score_after(each) for each in ordered] == [*ordered[1:], None]


def test_places_among_sorted_numbers_are_those_of_a_search(monkeypatch):
    monkeypatch.setattr(order, "BLOCK", 4)
    draw = np.random.default_rng(9)
    for size, wanted, side in itertools.product((0, 1, 4, 8, 23), (0, 1, 17), ("left", "right")):
        numbers, asked = (np.sort(draw.integers(0, 9, many)) for many in (size, wanted))
        found = order.places_among(numbers, asked, side)
        assert np.array_equal(found, np.searchsorted(numbers, asked, side=side))


def test_telling_kinds_of_counts_apart_computes_nothing():
    values = cap.ValueCounts.from_rows([2, 1], [5.0, 0.0])
    assert not isinstance(values, Ranking)
    assert isinstance(cap.count_scores([1, 0], [2, 1]), Ranking)
    assert not values.remembered
