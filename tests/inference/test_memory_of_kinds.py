"""What counting and limits of times, and of weights, need of memory for each row."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import capcurve as cap

ROWS = 300_000


def bytes_a_row(work):
    work()  # what is loaded and kept once is no cost of rows
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / ROWS
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(1)


def test_a_horizon_needs_few_columns_of_cells(random):
    score = random.random(ROWS)
    event, gone = random.exponential(2000 / (0.5 + score)), random.uniform(200, 900, ROWS)
    time, status = np.ceil(np.minimum(event, gone)), event <= gone

    def interval():
        counts = cap.count_times(time, status, score).at(365)
        cap.confidence_interval(counts, "ar")

    assert bytes_a_row(interval) < 145


def test_weights_are_added_up_in_few_columns(random):
    score, weight = random.random(ROWS), random.uniform(0.5, 2, ROWS)
    positive = random.random(ROWS) < 0.2 * score

    def interval():
        counts = cap.count_scores(positive, score, weight=weight, weight_kind="sampling")
        cap.ks(counts)
        cap.confidence_interval(counts, "ar")

    assert bytes_a_row(interval) < 66


def test_where_each_row_is_alone_its_weight_is_its_root(random):
    score = np.arange(50.0)
    time, status = random.integers(1, 9, 50), random.integers(0, 2, 50)
    times = cap.count_times(time, status, score)
    counts, doubled = times.at(5), (times + times).at(5)
    both = counts.positives + counts.negatives
    assert (counts.weights.positive_roots + counts.weights.negative_roots == both).all()
    # Of two rows each the roots are √2 of one weight, and the sums two.
    roots = doubled.weights.positive_roots + doubled.weights.negative_roots
    np.testing.assert_allclose(roots, np.sqrt(2) * both, rtol=1e-14)
    np.testing.assert_array_equal(doubled.positives + doubled.negatives, 2 * both)
