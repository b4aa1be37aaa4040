"""Trials: every engine groups by score, treatment and outcome, and counts both arms alike."""

import pyarrow as pa
import pytest

import capcurve as cap

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

ROWS = range(300)
ARROW = pa.table(
    {
        "bought": pa.array([int(i * i % 7 == 2) for i in ROWS], pa.int64()),
        "spent": pa.array([i % 13 / 8 * (i * i % 7 == 2) for i in ROWS]),
        "arm": pa.array([["mail", "none", "mail", None][i * i % 11 % 4] for i in ROWS]),
        "score": pa.array([None if i % 31 == 3 else i * i % 17 / 8 for i in ROWS]),
        "other": pa.array([i % 5 for i in ROWS], pa.int64()),
        "id": pa.array([f"c{i // 3}" for i in ROWS]),
    }
)
SAID = {"treated_label": "mail", "missing": "drop"}


@pytest.mark.turns(5)
def test_every_engine_counts_both_arms_alike(hand_over):
    data = hand_over(ARROW)
    for count, outcome in ((cap.count_uplift, "bought"), (cap.count_uplift_values, "spent")):
        for more in ({}, {"resolution": 0.5}, {"cluster": "id"}):
            found = count(outcome, "arm", "score", data=data, **SAID, **more)
            expected = count(outcome, "arm", "score", data=ARROW, **SAID, **more)
            assert found == expected
            assert found.digest() == expected.digest()
            assert found.dropped == expected.dropped
            assert found.groups == expected.groups
    joint = cap.count_joint_uplift("bought", "arm", ["score", "other"], data=data, **SAID)
    alone = cap.count_uplift("bought", "arm", "score", data=data, **SAID)
    assert joint.margin("score") == alone
