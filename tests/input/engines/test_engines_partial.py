"""Cases whose outcome is not known: every engine counts them alike, and too many are refused."""

import pyarrow as pa
import pytest

import capcurve as cap
from needs import IBIS

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

ROWS = range(300)
ARROW = pa.table(
    {
        "y": pa.array([None if i % 7 == 2 else int(i % 5 == 0) for i in ROWS], pa.int64()),
        "flag": pa.array([None if i % 9 == 4 else i % 4 == 0 for i in ROWS]),
        "code": pa.array([[0.0, 1.0, 9.0, float("nan"), None][i * i % 5] for i in ROWS]),
        "status": pa.array([["good", "bad", "open", None][i * i % 11 % 4] for i in ROWS]),
        "score": pa.array([None if i % 31 == 3 else i * i % 17 / 8 for i in ROWS]),
        "whole": pa.array([2**53 + i % 5 for i in ROWS], pa.int64()),
        "grade": pa.array(["ABC"[i % 3] for i in ROWS]),
        "w": pa.array([[0.25, 0.5, 1.75][i % 3] for i in ROWS]),
        "times": pa.array([i % 4 for i in ROWS], pa.int64()),
        "id": pa.array([f"c{i // 3}" for i in ROWS]),
    }
)
ASKED = {
    "nulls": ("y", "score", {}),
    "booleans": ("flag", "whole", {"higher_is": "negative"}),
    "a number that means unknown, NaN and null": ("code", "score", {"unknown_label": 9}),
    "text": ("status", "grade", {"levels": ["C", "A", "B"], "pos_label": "bad"}),
    "weights": ("y", "score", {"weight": "w", "weight_kind": "sampling"}),
    "frequencies": ("y", "score", {"weight": "times", "weight_kind": "frequency"}),
    "a grid": ("y", "score", {"resolution": 0.5}),
    "clusters": ("flag", "score", {"cluster": "id"}),
}
ASKED["text"][2]["unknown_label"] = "open"


@pytest.mark.turns(5)
def test_every_engine_counts_unknown_outcomes_alike(hand_over_everywhere):
    data = hand_over_everywhere(ARROW)
    for told, (target, score, said) in ASKED.items():
        found = cap.count_partial(target, score, data=data, missing="drop", **said)
        expected = cap.count_partial(target, score, data=ARROW, missing="drop", **said)
        assert found == expected, told
        assert found.digest() == expected.digest(), told
        assert found.dropped == expected.dropped, told
        assert found.unknown.groups == expected.unknown.groups, told
        assert found.unknown.n > 0, told


def test_every_engine_counts_cases_and_several_scores_alike(hand_over):
    data = hand_over(ARROW)
    for score, said in (("score", {}), ("grade", {"levels": ["C", "A", "B"]}), ("whole", {})):
        found = cap.count_cases(score, data=data, missing="drop", **said)
        expected = cap.count_cases(score, data=ARROW, missing="drop", **said)
        assert found == expected
        assert (found.digest(), found.dropped) == (expected.digest(), expected.dropped)
    pair = {"data": data, "missing": "drop"}
    alike = {**pair, "data": ARROW}
    assert cap.count_joint_cases(["score", "whole"], **pair) == cap.count_joint_cases(
        ["score", "whole"], **alike
    )
    found, expected = (cap.count_partial("y", ["score", "whole"], **how) for how in (pair, alike))
    assert found == expected
    assert found.dropped == expected.dropped


@pytest.mark.parametrize("engine", ["duckdb", IBIS])
def test_more_scores_than_come_home_are_refused_with_advice(engine, engines, monkeypatch):
    monkeypatch.setattr("capcurve.input.engines.combinations.MOST_CELLS", 5)
    data = getattr(engines, engine)(ARROW)
    for call in (
        lambda **said: cap.count_partial("y", "score", data=data, missing="drop", **said),
        lambda **said: cap.count_cases("score", data=data, missing="drop", **said),
    ):
        with pytest.raises(ValueError, match=r"distinct combinations.*resolution=") as refused:
            call()
        assert "\n" not in str(refused.value)
        assert call(resolution=2.0).n == 290
