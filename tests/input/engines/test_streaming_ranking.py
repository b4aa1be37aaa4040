"""More distinct scores than should be fetched from DuckDB or Ibis: sorted cells stream."""

from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import capcurve as cap
from capcurve.input import engine_totals
from capcurve.input.engines import combinations

ROWS = 20_000
draw = np.random.default_rng(2)
Y = draw.integers(0, 2, ROWS)
SCORE = np.round(draw.normal(size=ROWS) + 0.5 * Y, 2)
SCORE[::37], SCORE[::41], SCORE[::43] = -0.0, np.inf, -np.inf
TABLE = pa.table(
    {
        "y": Y,
        "label": [["good", "bad"][v] for v in Y],
        "score": pa.array(SCORE, mask=draw.random(ROWS) < 0.02),
        "with nan": np.where(draw.random(ROWS) < 0.02, np.nan, SCORE),
        "price": pa.array([Decimal(k % 977).scaleb(-2) for k in range(ROWS)], pa.decimal128(10, 2)),
        "whole": 2**60 + np.arange(ROWS) % 997,
        "wide": pa.array([Decimal(10**17 + k) for k in range(ROWS)], pa.decimal128(38, 0)),
        "long": pa.array(
            [Decimal(k).scaleb(-12) + k % 400 for k in range(ROWS)], pa.decimal128(38, 18)
        ),
        "lost": pa.array([Decimal(k).scaleb(-16) + 1 for k in range(ROWS)], pa.decimal128(38, 18)),
        "name": [f"{k:05}" for k in range(ROWS)],
    }
)
ASKED = {
    "nulls, infinities, both zeros": ("y", "score", {"missing": "drop"}),
    "names as labels, NaN": ("label", "with nan", {"missing": "drop", "pos_label": "bad"}),
    "decimals, reversed": ("y", "price", {"higher_is": "negative"}),
    "integers beyond 2^53": ("y", "whole", {}),
    "whole decimals of 18 digits": ("y", "wide", {}),
    "decimals of 15 digits in a type of 38": ("y", "long", {}),
}


@pytest.fixture(params=["duckdb", pytest.param("ibis", marks=pytest.mark.needs("ibis"))])
def data(request, monkeypatch):
    monkeypatch.setattr(combinations, "MOST_CELLS", 100)
    monkeypatch.setattr(engine_totals, "BATCH", 300)
    if request.param == "ibis":
        import ibis

        yield ibis.memtable(TABLE)
    else:
        with duckdb.connect() as connection:
            yield connection.from_arrow(TABLE)


@pytest.mark.turns(4)
@pytest.mark.parametrize("asked", ASKED)
def test_sorted_cells_give_the_same_totals(data, asked):
    target, score, rules = ASKED[asked]
    found = cap.count_scores(target, score, data=data, **rules)
    expected = cap.count_scores(target, score, data=TABLE, **rules)
    assert isinstance(found, cap.RankTotals)
    assert found.digest() == expected.digest()
    assert found.dropped == expected.dropped
    assert cap.accuracy_ratio(found) == cap.accuracy_ratio(expected)
    assert cap.ks(found) == cap.ks(expected)


def test_what_cannot_be_streamed_says_what_to_do(data):
    with pytest.raises(ValueError, match=r"score is missing .*pass missing="):
        cap.count_scores("y", "score", data=data)
    with pytest.raises(ValueError, match=r"floor the scores with resolution="):
        cap.count_joint("y", ["whole", "price"], data=data)
    with pytest.raises(ValueError, match=r"lost holds the decimal 1\.0\d+ of 17 digits"):
        cap.count_scores("y", "lost", data=data)
    with pytest.raises(ValueError, match=r"distinct values and they are String, not numbers"):
        cap.count_scores("y", "name", data=data)
    with pytest.raises(ValueError, match="whole must have two classes"):
        cap.count_scores("whole", "price", data=data)


@pytest.mark.merge
def test_a_report_is_made_of_totals(data):
    found = cap.evaluate("y", "whole", data=data)
    expected = cap.evaluate("y", "whole", data=TABLE)
    assert [s.accuracy_ratio for s in found.summaries.values()] == [
        s.accuracy_ratio for s in expected.summaries.values()
    ]


@pytest.mark.merge
def test_a_report_of_several_scores_ranks_each_where_it_is_held(data):
    asked = {"higher_is": {"price": "negative", "whole": "positive"}}
    found = cap.evaluate("y", ["whole", "price"], data=data, **asked)
    expected = cap.evaluate("y", ["whole", "price"], data=TABLE, **asked)
    assert all(isinstance(counts, cap.RankTotals) for counts in found.counts.values())
    for name, summary in expected.summaries.items():
        assert found.summaries[name].accuracy_ratio == summary.accuracy_ratio
        assert found.counts[name].digest() == summary.digest
    assert any("each is ranked on its own" in finding.message for finding in found.findings)
    with pytest.raises(ValueError, match=r"score is missing"):
        cap.evaluate("y", ["whole", "score"], data=data)
    with pytest.raises(ValueError, match=r"floor the scores with resolution="):
        cap.evaluate("y", ["whole", "score"], data=data, missing="drop")
