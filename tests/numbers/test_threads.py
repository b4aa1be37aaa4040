"""Work on several scores at once: the same digits, in the same order, and nothing left behind."""

import json
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

import capcurve as cap
from capcurve.input import Query, count_each
from capcurve.input.arrays import Rules
from capcurve.numbers import threads
from capcurve.numbers.meeting import selected_at
from capcurve.numbers.threads import each_at_once
from capcurve.results.known import begun
from capcurve.tables.thresholds import selected_at_each

LARGE = 1 << 20  # numbers of an item that are worth a thread


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch):
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


def _no_threads_of_ours():
    return not [each for each in threading.enumerate() if each.name.startswith(threads.OURS)]


def test_where_no_thread_can_be_started_all_is_done_in_this_one(monkeypatch):
    monkeypatch.setattr(sys, "_emscripten_info", SimpleNamespace(pthreads=False), raising=False)
    me = threading.get_ident()
    assert threads.processors() == 1
    assert {*each_at_once(lambda _: threading.get_ident(), range(9), LARGE)} == {me}
    assert begun(threading.get_ident)() == me
    monkeypatch.setattr(sys, "_emscripten_info", SimpleNamespace(pthreads=True))
    assert begun(threading.get_ident)() != me


def test_items_come_back_in_their_order_from_other_threads():
    def work(number):
        time.sleep(0.02 if number == 0 else 0.0)
        return number, threading.get_ident()

    found = list(each_at_once(work, range(9), LARGE))
    assert [number for number, _ in found] == list(range(9))
    assert threading.get_ident() not in {thread for _, thread in found}
    assert _no_threads_of_ours()


@pytest.mark.parametrize(
    ("items", "size"), [(range(1), LARGE), (range(5), 100), (range(5), 1 << 25)]
)
def test_one_item_and_few_or_very_many_numbers_take_no_thread(items, size):
    found = set(each_at_once(lambda _: threading.get_ident(), items, size))
    assert found == {threading.get_ident()}


def test_no_more_are_begun_than_threads_and_one_that_waits():
    begun = []
    for taken, _ in enumerate(each_at_once(begun.append, range(20), LARGE), 1):
        time.sleep(0.005)
        assert len(begun) <= taken + 2
    assert sorted(begun) == list(range(20))


def test_what_one_raises_arrives_as_of_the_first_in_order_and_ends_the_others():
    begun = []

    def work(number):
        begun.append(number)
        if number in {2, 3}:
            time.sleep(0.02 if number == 2 else 0.0)
            raise ValueError(f"score {number}")
        return number

    with pytest.raises(ValueError, match=r"^score 2$"):
        list(each_at_once(work, range(50), LARGE))
    assert max(begun) < 10
    assert _no_threads_of_ours()


def test_inside_a_thread_no_others_begin_and_settings_of_the_caller_hold():
    inside = list(each_at_once(lambda _: threads.processors(), range(4), LARGE))
    assert inside == [1] * 4
    with np.errstate(divide="raise"):
        modes = list(each_at_once(lambda _: np.geterr()["divide"], range(3), LARGE))
    assert modes == ["raise"] * 3


def _rows(scores, rows, kind=np.float64):
    rng = np.random.default_rng(4)
    y = rng.random(rows) < 0.1
    columns = (y * 0.5 + rng.standard_normal(rows) for _ in range(scores))
    return y, {f"score {place}": each.astype(kind) for place, each in enumerate(columns)}


def _shown(evaluation):
    return json.dumps(evaluation.to_dict()), evaluation.to_html(), evaluation.to_text()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        *(
            pytest.param(each, marks=pytest.mark.merge)
            for each in (
                {"prevalence": 0.02},
                {"value": 100.0, "cost": 5.0},
                {
                    "weight": np.random.default_rng(5).exponential(1, 40_000),
                    "weight_kind": "sampling",
                },
                {"cluster": np.arange(40_000) // 7},
            )
        ),
    ],
)
def test_threads_change_no_digit_of_an_evaluation_and_its_page(monkeypatch, asked):
    y, scores = _rows(3, 40_000)
    found = []
    for fewest in (1, 1 << 40):
        monkeypatch.setattr(threads, "FEWEST_AN_ITEM", fewest)
        found.append(_shown(cap.evaluate(y, scores, **asked)))
    assert found[0] == found[1]


@pytest.mark.merge
def test_several_scores_say_the_same_of_each_as_one_at_a_time():
    y, scores = _rows(3, 40_000, np.float32)
    together = cap.evaluate(y, scores)
    for name, score in scores.items():
        alone = cap.evaluate(y, {name: score})
        assert alone.summaries[name].to_dict() == together.summaries[name].to_dict()
        assert alone.counts[name] == together.counts[name]


def test_what_scores_go_through_sees_each_as_it_is_counted(monkeypatch):
    y, scores = _rows(5, 5000)
    for fewest in (1, 1 << 40):
        monkeypatch.setattr(threads, "FEWEST_AN_ITEM", fewest)
        seen = []

        def through(items, seen=seen):
            for item in items:
                seen.append(item.name)
                yield item

        count_each(Query(y, scores, Rules(), through=through))
        assert seen == list(scores)


@pytest.mark.merge
def test_amounts_are_counted_and_judged_the_same_in_threads(monkeypatch):
    rng = np.random.default_rng(6)
    amount = rng.exponential(100, 40_000) * (rng.random(40_000) < 0.2)
    scores = {name: rng.standard_normal(40_000) for name in ("a", "b")}
    found = []
    for fewest in (1, 1 << 40):
        monkeypatch.setattr(threads, "FEWEST_AN_ITEM", fewest)
        found.append(_shown(cap.evaluate(amount=amount, score=scores)))
    assert found[0] == found[1]


@pytest.mark.merge
def test_what_is_wrong_with_one_score_is_said_in_one_line_with_its_name(monkeypatch):
    y, scores = _rows(3, 40_000)
    with pytest.raises(ValueError, match=r"^a PD is in ") as alone:
        cap.evaluate(y, {"score 1": scores["score 1"]}, pd=True)
    for fewest in (1, 1 << 40):
        monkeypatch.setattr(threads, "FEWEST_AN_ITEM", fewest)
        with pytest.raises(ValueError, match=r"^score 1: a PD is in [^\n]*$") as several:
            cap.evaluate(y, scores, pd=["score 1"])
        assert str(several.value) == f"score 1: {alone.value}"
    assert _no_threads_of_ours()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("direction", ["positive", "negative"])
def test_several_cutoffs_select_what_each_does(kind, direction):
    rng = np.random.default_rng(7)
    score = (100 * rng.random(2000)).astype(kind)
    counts = cap.count_scores(rng.random(2000) < 0.3, score, higher_is=direction)
    cuts = [*np.linspace(-1, 101, 511), *score[:50].astype(float), 0.1, 33.3, 1 / 3]
    assert selected_at_each(counts, cuts).tolist() == [selected_at(counts, cut) for cut in cuts]
