"""Several labels as positives, and arms of a trial by name: every engine counts them alike."""

import pyarrow as pa
import pytest

import capcurve as cap
from capcurve.counts import Dropped
from capcurve.input.engines import combinations

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

ROWS = range(400)
WORDS = ["paid", "open", "default", "late", None]
STATUS = [WORDS[i * i % 13 % 5] for i in ROWS]
ARROW = pa.table(
    {
        "status": pa.array(STATUS),
        "number": pa.array([None if word is None else WORDS.index(word) for word in STATUS]),
        "score": pa.array([None if i % 37 == 5 else i * i % 29 / 8 for i in ROWS]),
        "other": pa.array([i % 5 for i in ROWS], pa.int64()),
        "month": pa.array([f"2024-0{1 + i % 3}" for i in ROWS]),
        "arm": pa.array([("mail", "call", "none")[i * 3 % 7 % 3] for i in ROWS]),
        "bought": pa.array([int(i * i % 7 == 2) for i in ROWS], pa.int64()),
    }
)
WORDED = {"pos_label": ["default", "late"], "rest": "negative", "drop_label": "open"}
NUMBERED = {"pos_label": [2, 3.0], "neg_label": [0, 77], "drop_label": [1]}
# By hand: 1 where it went wrong, and no row that is open.
BY_HAND = [
    (int(word in ("default", "late")) if word else None, score)
    for word, score in zip(STATUS, ARROW["score"].to_pylist(), strict=True)
    if word != "open"
]
EXPECTED = cap.count_scores(*zip(*BY_HAND, strict=True), missing="drop")
OPEN = STATUS.count("open")
GONE = EXPECTED.dropped.rows + OPEN
UNSCORED = EXPECTED.dropped.columns["score"]


def test_every_engine_takes_several_labels(hand_over):
    data = hand_over(ARROW)
    for column, said in (("status", WORDED), ("number", NUMBERED)):
        found = cap.count_scores(column, "score", data=data, missing="drop", **said)
        assert found == EXPECTED
        ((which, rows),) = found.dropped.labels.items()
        assert which.startswith("status is 'open'" if column == "status" else "number is 1")
        assert rows == OPEN
        assert found.dropped.rows == GONE
        assert found.dropped.outcomes == EXPECTED.dropped.outcomes
    how = {"missing": "drop", **WORDED}
    months = cap.count_segments("status", "score", by="month", data=data, **how)
    assert months == cap.count_segments("status", "score", by="month", data=ARROW, **how)
    joint = cap.count_joint("status", ["score", "other"], data=data, **how)
    assert joint == cap.count_joint("status", ["score", "other"], data=ARROW, **how)
    with pytest.raises(ValueError, match=rf"'open' \({OPEN}\).*; choose rest=\"negative\", or neg"):
        cap.count_scores("status", "score", data=data, pos_label="late", missing="drop")


def test_every_engine_leaves_out_other_arms(hand_over):
    data, arms = hand_over(ARROW), {"treated_label": "mail", "control_label": "none"}
    how = {**arms, "missing": "drop"}
    found = cap.count_uplift("bought", "arm", "score", data=data, **how)
    kept = ARROW.filter(pa.compute.not_equal(ARROW["arm"], "call"))
    by_hand = cap.count_uplift(
        "bought", "arm", "score", data=kept, treated_label="mail", missing="drop"
    )
    assert found == by_hand
    calls = ARROW["arm"].to_pylist().count("call")
    assert found.dropped.labels == {"arm is 'call'": calls}
    assert found.dropped.rows == by_hand.dropped.rows + calls


def test_labels_are_left_out_where_scores_are_too_many_to_fetch(hand_over, monkeypatch):
    data = hand_over(ARROW)
    monkeypatch.setattr(combinations, "MOST_CELLS", 5)
    found = cap.count_scores("status", "score", data=data, missing="drop", **WORDED)
    assert (found.n1, found.n0) == (EXPECTED.n1, EXPECTED.n0)
    assert cap.accuracy_ratio(found) == cap.accuracy_ratio(EXPECTED)
    lacking = {"status": EXPECTED.dropped.columns["target"], "score": UNSCORED}
    assert found.dropped == Dropped(GONE, lacking, None, {"status is 'open'": OPEN})
