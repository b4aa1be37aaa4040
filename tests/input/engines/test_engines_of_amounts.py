"""The same amounts in every engine give the same counts, to the digest and to the last digit."""

import datetime as dt
import math
import random
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import capcurve as cap

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

fixed = random.Random(13)  # noqa: S311 - fixed data, not a secret
ROWS = 300
SCORES = [0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, -0.0, 0.0, math.inf, -math.inf, 1e-300, -2.5]
AMOUNTS = [0.0, 0.0, 0.0, -0.0, 0.1, 0.2, 12.34, 99.99, 1e-3, 250.0, 1e16 + 2, 1e-300]
EXPOSURES = [0.1, 0.25, 1.0, 2.0, 1 / 3, 1e-300, 7.5]
DAY = dt.date(2024, 1, 31)


def picked(values, *, gaps=0, nans=0):
    drawn = [fixed.choice(values) for _ in range(ROWS)]
    drawn = [math.nan if nans and i % nans == 1 else v for i, v in enumerate(drawn)]
    return [None if gaps and i % gaps == 3 else v for i, v in enumerate(drawn)]


LOSS = picked(AMOUNTS, gaps=31, nans=37)
EXPOSED = [
    0.0 if a == 0 and i % 5 == 0 else e
    for i, (a, e) in enumerate(zip(LOSS, picked(EXPOSURES), strict=True))
]
ARROW = pa.table(
    {
        "loss": pa.array(LOSS, pa.float64()),
        "single": pa.array(picked([0.0, 0.1, 2.5]), pa.float32()),
        "gains": pa.array(picked([-9.3, -0.0, 0.1, 2.5]), pa.float32()),
        "claims": pa.array(picked([0, 0, 0, 1, 2, 17], gaps=41), pa.int64()),
        "small": pa.array(picked([0, 0, 3]), pa.int8()),
        "hit": pa.array(picked([True, False], gaps=19)),
        "price": pa.array(
            picked([Decimal(0), Decimal("12.34"), Decimal("0.10")]), pa.decimal128(10, 2)
        ),
        "profit": pa.array(picked([-12.5, 0.0, 30.0, -0.1]), pa.float64()),
        "years": pa.array(EXPOSED, pa.float64()),
        "whole": pa.array(picked([1, 2, 5]), pa.int64()),
        "score": pa.array(picked(SCORES, gaps=17, nans=23), pa.float64()),
        "other": pa.array(picked(range(-3, 4)), pa.int16()),
        "grade": pa.array(picked(["A", "B", "C"], gaps=29)),
        "day": pa.array(picked([DAY + dt.timedelta(30 * k) for k in range(3)]), pa.date32()),
        "region": pa.array(picked(["x", "y"])),
        'we`ird " n': pa.array(picked([0.0, 1.5])),
    }
)
# What is asked of one table: amount, score, rules.
ASKED = {
    "cases": ("loss", "score", {}),
    "exposure": ("loss", "score", {"exposure": "years"}),
    "whole amounts": ("claims", "other", {"exposure": "whole"}),
    "booleans": ("hit", "other", {}),
    "booleans on an exposure": ("hit", "other", {"exposure": "whole"}),
    "float32": ("single", "score", {}),
    "int8": ("small", "score", {"higher_is": "negative"}),
    "decimals": ("price", "other", {}),
    "below zero": ("profit", "score", {"exposure": "whole"}),
    "below zero, in single precision": ("gains", "other", {"exposure": "whole"}),
    "grades": ("loss", "grade", {"levels": ["C", "A", "B"], "exposure": "years"}),
    "a grid": ("loss", "score", {"resolution": 0.1, "exposure": "years"}),
    "whole numbers on a grid": ("claims", "other", {"resolution": 4}),
    "quotes in the name": ('we`ird " n', "other", {}),
    "the exposure as the score": ("claims", "whole", {"exposure": "whole"}),
}


EAGER = {
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "a mapping": lambda table: {name: table[name] for name in table.column_names},
}


def same(found, expected):
    assert found == expected
    assert found.digest() == expected.digest()
    assert (found.dropped, found.words) == (expected.dropped, expected.words)
    assert (found.amount, found.exposure, found.n) == (
        expected.amount,
        expected.exposure,
        expected.n,
    )
    return True


@pytest.mark.turns(5)
def test_every_engine_counts_alike(hand_over_everywhere):
    counts_alike(hand_over_everywhere(ARROW))


@pytest.mark.parametrize("frame", EAGER)
def test_every_frame_counts_alike(frame):
    counts_alike(EAGER[frame](ARROW))


def counts_alike(data):
    for told, (amount, score, rules) in ASKED.items():
        found = cap.count_values(amount, score, data=data, missing="drop", **rules)
        expected = cap.count_values(amount, score, data=ARROW, missing="drop", **rules)
        assert same(found, expected), told
        assert cap.accuracy_ratio(found) == cap.accuracy_ratio(expected), told
        intervals = [cap.confidence_interval(v, "accuracy_ratio") for v in (found, expected)]
        assert intervals[0] == intervals[1], told


def test_what_is_counted_is_what_the_rows_hold():
    """The table above, read by hand."""
    kept = [
        (a, s, e)
        for a, s, e in zip(LOSS, ARROW["score"].to_pylist(), EXPOSED, strict=True)
        if not any(v is None or math.isnan(v) for v in (a, s, e))
    ]
    held = [row for row in kept if row[2] > 0]
    found = cap.count_values("loss", "score", exposure="years", data=ARROW, missing="drop")
    amount, score, exposure = map(np.array, zip(*held, strict=True))
    assert found == cap.count_values(amount, score, exposure=exposure)
    assert found.n == len(held) < len(kept)
    assert found.dropped.rows == ROWS - len(held)


def test_every_engine_counts_segments_alike(hand_over):
    data = hand_over(ARROW)
    for by in ("day", "region", "whole"):
        found, expected = (
            cap.count_value_segments(
                "loss", "score", exposure="years", by=by, data=each, missing="drop"
            )
            for each in (data, ARROW)
        )
        assert [*map(plain, found)] == [*map(plain, expected)], by
        assert all(map(same, found.values(), expected.values())), by
    found, expected = (
        cap.count_values("claims", "other", data=each, cluster="region", missing="drop")
        for each in (data, ARROW)
    )
    assert same(found, expected)
    assert found.groups == expected.groups


def plain(key):
    """Return a date as one: pandas hands Dask's over with a time of day."""
    return key.date() if isinstance(key, dt.datetime) else key


def test_every_engine_counts_jointly_alike(hand_over):
    found, expected = (
        cap.count_joint_values(
            "loss", ["score", "other"], exposure="years", data=data, missing="drop"
        )
        for data in (hand_over(ARROW), ARROW)
    )
    assert found == expected
    assert found.dropped == expected.dropped
    for name in ("score", "other"):
        assert same(found.margin(name), expected.margin(name))
    assert cap.compare(found) == cap.compare(expected)


def test_every_engine_tells_of_missing_values(hand_over):
    missing = sum(v is None or math.isnan(v) for v in LOSS)
    told = (
        rf"loss is missing .* in {missing} of 300 rows; score is missing .* in [0-9]+ of 300 rows"
    )
    with pytest.raises(ValueError, match=told) as refused:
        cap.count_values("loss", "score", data=hand_over(ARROW))
    assert "\n" not in str(refused.value)


BAD = {
    "an amount on no exposure": ([5.0, 2.0, 3.0, 0.0], [1.0, 0.0, 0.0, 0.0], 2),
    "exposure below zero": ([5.0, 0.0, 3.0, 0.0], [1.0, -1.0, -2.5, -1e-300], 3),
    "infinite exposure": ([5.0, 0.0, 3.0, 0.0], [1.0, math.inf, 1.0, 1.0], 1),
    "infinite amount": ([math.inf, 0.0, -math.inf, 1.0], [1.0, 1.0, 1.0, 1.0], 2),
    "an amount that a float would round": ([2**53 + 1, 0, 1, 2], [1.0] * 4, 2**53 + 1),
}


def test_every_engine_refuses_what_cannot_be_counted_alike(hand_over):
    for case, (amount, exposure, many) in BAD.items():
        table = pa.table({"a": amount, "e": exposure, "s": [1.0, 2.0, 3.0, 3.0]})
        told = []
        for data in (hand_over(table), table):
            with pytest.raises(ValueError, match=rf"\b{many}\b") as refused:
                cap.count_values("a", "s", exposure="e", data=data)
            told.append(str(refused.value))
        # Engines know no first row, and hand the distinct ones over in an order of their own.
        known = [re.sub(r", first in row \d+|(?<=holds )\S+(?=:)", "", each) for each in told]
        assert known[0] == known[1], case
        assert "\n" not in told[0], case


def test_every_engine_leaves_out_rows_without_exposure(hand_over):
    table = pa.table(
        {"a": [5.0, 0.0, -0.0, 1.0], "e": [1.0, 0.0, -0.0, 2.0], "s": [4.0, 3.0, 2.0, 1.0]}
    )
    found = cap.count_values("a", "s", exposure="e", data=hand_over(table))
    assert found == cap.count_values([5.0, 1.0], [4.0, 1.0], exposure=[1.0, 2.0])
    assert found.dropped.rows == 2
