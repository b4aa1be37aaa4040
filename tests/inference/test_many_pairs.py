"""Many scores compared at once: the same numbers as pair by pair, in few passes over the rows."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from capcurve import compare, count_joint
from capcurve.inference.designs import ClassSizes, Estimates
from capcurve.inference.family import symmetric_root
from capcurve.numbers import order


def _scores(rows, many, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.2).astype(np.int8)
    return y, {f"s{i}": y + rng.normal(size=rows) * (1 + i / many) for i in range(many)}


def _count_calls(monkeypatch, holder, name):
    calls, real = [], getattr(holder, name)

    def counted(*args, **kwargs):
        calls.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(holder, name, counted)
    return calls


@pytest.mark.parametrize("metric", ["accuracy_ratio", "captured_response", "average_precision"])
def test_each_pair_is_as_of_two_scores_alone(metric):
    y, scores = _scores(600, 5)
    asked = {"metric": metric, "together": False}
    asked |= {"q": 0.2} if metric == "captured_response" else {}
    found = compare(count_joint(y, scores), **asked).pairs
    for pair, names in zip(found, combinations(scores, 2), strict=True):
        alone = compare(count_joint(y, {each: scores[each] for each in names}), **asked).pairs[0]
        assert pair.name == alone.name
        assert pair.estimate == alone.estimate
        for number in ("se", "low", "high", "statistic", "p_value", "df"):
            assert getattr(pair, number) == pytest.approx(getattr(alone, number), rel=1e-10)


def test_variances_of_pairs_are_taken_from_covariances_only_where_they_have_the_digits():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 5000))
    moves = np.array([first, first + 1e-7 * second, second])
    found = Estimates(np.zeros(3), (moves,), (1 / 5000**2,), ClassSizes(50, 50), 0.0, "known")
    pairs = found.pair_variances(found.covariance())
    assert np.isnan(pairs[0, 1])
    assert np.isnan(np.diag(pairs)).all()
    for one, other in ((0, 2), (1, 2)):
        direct = float(((moves[one] - moves[other]) ** 2).sum()) / 5000**2
        assert pairs[one, other] == pytest.approx(direct, rel=1e-13)


def test_rows_are_not_subtracted_pair_by_pair(monkeypatch):
    y, scores = _scores(400, 12)
    joint = count_joint(y, scores)
    calls = _count_calls(monkeypatch, Estimates, "along")
    assert len(compare(joint).pairs) == 66
    assert len(calls) <= 3


def test_each_score_is_sorted_once(monkeypatch):
    y, scores = _scores(400, 6)
    calls = _count_calls(monkeypatch, order, "order_of")
    joint = count_joint(y, scores)
    assert len(calls) == 1
    calls.clear()
    assert len(compare(joint).alone) == 6
    assert len(calls) == 6


def test_memory_of_many_scores():
    y, scores = _scores(200_000, 8)
    joint = count_joint(y, scores)
    compare(count_joint(y[:100], {name: each[:100] for name, each in scores.items()}))
    tracemalloc.start()
    try:
        compare(joint)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # How far each row moves each score takes 8 bytes, and as much again less the first score.
    assert peak < 200_000 * 8 * 30


@pytest.mark.parametrize("kind", ["grades", "some ties", "no ties", "zeros", "float32"])
def test_rows_in_order_of_several_keys(kind):
    rng = np.random.default_rng(3)
    several = rng.normal(size=(3, 500))
    if kind == "grades":
        several = np.round(several)
    if kind == "some ties":
        several[0] = np.where(rng.random(500) < 0.5, np.round(several[0], 1), several[0])
        several[1] = np.round(several[1])
    if kind == "zeros":
        several[0] = np.where(rng.random(500) < 0.5, -0.0, 0.0)
    keys = list(several.astype(np.float32) if kind == "float32" else several)
    rows = sorted(range(500), key=lambda row: (*(float(key[row]) for key in keys), row))
    places, starts = order.sorted_runs(keys)
    assert places.tolist() == rows
    cells = [tuple(float(key[row]) for key in keys) for row in rows]
    new = [at for at in range(500) if at == 0 or cells[at] != cells[at - 1]]
    assert starts.tolist() == new


@pytest.mark.parametrize("seed", range(4))
def test_the_root_of_a_covariance_hangs_on_no_rounding(seed):
    # Of numbers less their mean it has no inverse, and a root turns 1e-16 into 1e-8.
    rng = np.random.default_rng(seed)
    moves = rng.standard_normal((6, 40))
    covariance = np.cov(moves - moves.mean(axis=0))
    rounded = rng.standard_normal((6, 6)) * 2e-16
    root, other = (symmetric_root(each) for each in (covariance, covariance + rounded + rounded.T))
    assert np.abs(root - other).max() < 1e-13
    assert root @ root == pytest.approx(covariance, abs=1e-13)
