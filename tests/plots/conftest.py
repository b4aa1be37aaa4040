"""Samples that the pictures are drawn of, and a check that every test leaves nothing behind."""

import matplotlib as mpl
import numpy as np
import pytest

from capcurve import ScoreCounts, count_scores

mpl.use("Agg")

import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch):
    """Settings stay as they were, nothing is shown, and figures are closed afterwards."""

    def shown(*_, **__):
        pytest.fail("show() was called")

    monkeypatch.setattr(plt, "show", shown)
    monkeypatch.setattr(mpl.figure.Figure, "show", shown)
    plt.close("all")  # what tests elsewhere left open
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots(figsize=(7, 5))[1]


@pytest.fixture
def five():
    return count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])


@pytest.fixture
def grades():
    names = ["E", "D", "C", "B", "A"]
    return ScoreCounts.from_counts(
        names, [30, 40, 30, 20, 5], [40, 100, 200, 300, 250], levels=names
    )


@pytest.fixture
def reversed_score():
    return count_scores([0, 0, 1, 0, 1, 1], [6, 5, 4, 3, 2, 1])


@pytest.fixture
def several_maxima():
    return count_scores([1, 0, 0, 1], [4, 3, 2, 1])


@pytest.fixture
def one_grade():
    return count_scores([1, 0, 0, 1, 0], [3, 3, 3, 3, 3])


@pytest.fixture
def perfect():
    return count_scores([1, 1, 0, 0, 0], [5, 4, 3, 2, 1])


@pytest.fixture(scope="session")
def continuous():
    rng = np.random.default_rng(7)
    target = (rng.random(30_000) < 0.2).astype(int)
    return count_scores(target, rng.normal(size=30_000) + target)
