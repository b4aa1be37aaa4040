"""More different amounts than should be fetched: engines add them up at each score."""

import numpy as np
import pyarrow as pa
import pytest

import capcurve as cap
from capcurve.input.engines import combinations
from needs import IBIS, SPARK

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of Spark's own client
]

ROWS = 3000
draw = np.random.default_rng(31)
CLAIMS = np.where(draw.random(ROWS) < 0.3, np.round(draw.lognormal(3, 1, ROWS), 2), 0.0)
CLAIMS[::97] = -0.0
YEARS = np.where(CLAIMS > 0, 1, draw.integers(0, 5, ROWS)) * 0.3
TABLE = pa.table(
    {
        "claims": pa.array(CLAIMS, mask=draw.random(ROWS) < 0.01),
        "with nan": np.where(draw.random(ROWS) < 0.01, np.nan, CLAIMS),
        "whole": np.where(CLAIMS > 0, draw.integers(1, 900, ROWS), 0),
        "gains": np.where(CLAIMS > 0, draw.integers(-9, 900, ROWS), -1).astype(np.float32),
        "years": YEARS,
        "full": np.round(YEARS + 0.3, 1),
        "score": pa.array(np.round(draw.normal(size=ROWS), 1), mask=draw.random(ROWS) < 0.01),
        "points": draw.integers(0, 40, ROWS),
        "grade": np.array(["A", "B", "C"])[draw.integers(0, 3, ROWS)],
        "month": draw.integers(1, 4, ROWS),
    }
)
DROP = {"missing": "drop"}


@pytest.fixture(autouse=True)
def _few_come_home(monkeypatch):
    monkeypatch.setattr(combinations, "MOST_CELLS", 1000)


@pytest.fixture(params=["duckdb", IBIS, SPARK])
def many(engines, request):
    return getattr(engines, request.param)


EXACT = ("score", "rows", "holding")
NEAR = ("exposures", "amounts", "saa", "sae", "see", "see0")
TOO_MANY = {
    "null and rows without exposure": ("claims", "score", {"exposure": "years", **DROP}),
    "whole numbers": ("whole", "points", {"exposure": "points 1", "higher_is": "negative"}),
    "below zero, in single precision": ("gains", "points", {"exposure": "full"}),
    "grades": ("claims", "grade", {"levels": ["C", "A", "B"], "exposure": "full", **DROP}),
    "on a grid": ("with nan", "score", {"exposure": "years", "resolution": 0.5, **DROP}),
}
WIDE = TABLE.append_column("points 1", pa.array(1 + np.arange(ROWS) % 700))


@pytest.mark.turns(3)
def test_sums_at_each_score_are_those_of_the_rows(many, monkeypatch):
    monkeypatch.setattr(combinations, "MOST_CELLS", 700)
    data = many(WIDE)
    for told, (amount, score, rules) in TOO_MANY.items():
        assert_sums(cap.count_values(amount, score, data=data, **rules), amount, score, rules, told)


def assert_sums(found, amount, score, rules, told):
    expected = cap.count_values(amount, score, data=WIDE, **rules)
    assert isinstance(found, cap.ValueSums), told
    sums = expected.by_score()
    for name in EXACT:
        assert np.array_equal(getattr(found, name), getattr(sums, name)), (told, name)
    for name in NEAR:
        assert getattr(found, name).dtype == getattr(sums, name).dtype, (told, name)
        close = np.allclose(getattr(found, name), getattr(sums, name), rtol=1e-14, atol=0)
        assert close, (told, name)
    for name in ("n", "m", "higher_is", "levels", "resolution", "dropped", "words", "exponents"):
        assert getattr(found, name) == getattr(sums, name), (told, name)
    assert (found.signed, found.largest) == (expected.signed, expected.largest)
    assert list(found.thresholds) == list(expected.thresholds)
    assert found.amount == pytest.approx(expected.amount, rel=1e-15)


def test_numbers_of_sums_are_those_of_the_rows(engines):
    found = cap.count_values(
        "claims", "score", data=engines.duckdb(TABLE), exposure="full", missing="drop"
    )
    rows = cap.count_values("claims", "score", data=TABLE, exposure="full", missing="drop")
    assert isinstance(found, cap.ValueSums)
    for number in (cap.accuracy_ratio, cap.concentration_index):
        assert number(found) == pytest.approx(number(rows), rel=1e-13)
    assert cap.captured_response(found, 0.1) == pytest.approx(
        cap.captured_response(rows, 0.1), rel=1e-13
    )


@pytest.mark.turns(3)
def test_sums_do_not_depend_on_the_order_of_the_rows(many):
    rules = {"exposure": "full", "missing": "drop"}
    one = cap.count_values("claims", "score", data=many(TABLE), **rules)
    shuffled = TABLE.take(np.random.default_rng(2).permutation(ROWS))
    other = cap.count_values("claims", "score", data=many(shuffled), **rules)
    for name in (*EXACT, *NEAR):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert cap.accuracy_ratio(one) == cap.accuracy_ratio(other)


def test_what_sums_cannot_give_says_so(engines):
    data = engines.duckdb(TABLE)
    found = cap.count_values("claims", "score", data=data, exposure="full", missing="drop")
    with pytest.raises(cap.NotHeldError, match="resolution="):
        found.every_row()
    with pytest.raises(
        ValueError, match=r"distinct combinations, more than the 1,000 .*resolution"
    ):
        cap.count_value_segments(
            "claims", "score", data=data, by="month", exposure="full", missing="drop"
        )


@pytest.mark.turns(3)
def test_sums_refuse_what_counts_do(many, monkeypatch):
    monkeypatch.setattr(combinations, "MOST_CELLS", 3)
    data = many(
        pa.table(
            {
                "a": [1.0, 0.0, 3.0, 0.0, 4.0],
                "inf": [1.0, 0.0, float("inf"), 0.0, 5.0],
                "none": [1.0, None, 3.0, None, 2.0],
                "e": [0.0, 0.0, 1.0, 0.0, 3.0],
                "below": [1.0, 1.0, -2.0, 1.0, 1.0],
                "big": [2**53 + 1, 0, 1, 2, 3],
                "text": list("abcde"),
                "s": [1, 1, 2, 2, 3],
            }
        )
    )
    for amount, exposure, told in (
        ("inf", None, "inf is infinite in 1 of 5 rows; amounts are finite numbers"),
        ("none", None, 'none is missing .* in 2 of 5 rows; pass missing="drop"'),
        ("a", "e", "e is 0 where a is not in 1 of 5 rows; what has an amount needs an exposure"),
        ("a", "below", "below is negative or infinite in 1 of 5 rows"),
        ("big", None, "big hold.* 2.53 in 1 of 5 rows"),
        ("text", None, "text must be numbers"),
    ):
        with pytest.raises((ValueError, TypeError), match=told) as refused:
            cap.count_values(amount, "s", data=data, exposure=exposure)
        assert "\n" not in str(refused.value)
