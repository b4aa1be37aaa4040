"""Amounts of arrays, frames and files: the same counts, and one line for what is wrong."""

from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import capcurve as cap

draw = np.random.default_rng(8)
ROWS = 500
CLAIMS = np.where(draw.random(ROWS) < 0.15, np.round(draw.lognormal(3, 1, ROWS), 2), 0.0)
ROWS_OF = {
    "claims": CLAIMS,
    "years": draw.integers(1, 5, ROWS) / 4,
    "pd": np.round(draw.random(ROWS), 2),
    "points": draw.integers(0, 40, ROWS),
    "grade": np.array(["A", "B", "C"])[draw.integers(0, 3, ROWS)],
    "month": draw.integers(1, 4, ROWS),
    "holder": draw.integers(0, 90, ROWS),
}
FRAME = pd.DataFrame(ROWS_OF)
ASKED = {
    "alone": ("pd", {}),
    "with exposure": ("pd", {"exposure": "years"}),
    "reversed": ("points", {"exposure": "years", "higher_is": "negative"}),
    "grades": ("grade", {"levels": ["B", "A", "C"]}),
    "on a grid": ("pd", {"exposure": "years", "resolution": 0.1}),
    "clusters": ("pd", {"cluster": "holder"}),
    "incomplete rows may go": ("pd", {"missing": "drop"}),
}


def held(values):
    """Return every different row as a mapping to how often it occurs, from the definition."""
    score, amount, exposure, n = values.cells()
    exposure = np.ones(len(amount)) if exposure is None else exposure
    keys = zip(score.tolist(), amount.tolist(), exposure.tolist(), strict=True)
    return dict(zip(keys, n.tolist(), strict=True))


def test_every_row_is_held_as_often_as_it_occurs():
    values = cap.count_values("claims", "pd", data=FRAME, exposure="years")
    expected = FRAME.value_counts(["pd", "claims", "years"]).to_dict()
    assert held(values) == {key: int(n) for key, n in expected.items()}
    assert values.n == ROWS
    assert values.m == int((CLAIMS > 0).sum())


HOLDERS = {
    "mapping": dict,
    "mapping of lists": lambda rows: {name: list(column) for name, column in rows.items()},
    "pandas with its own nulls": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "Polars": pl.DataFrame,
    "Polars, lazy": pl.LazyFrame,
    "Arrow": pa.table,
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_rows_the_counts_are_the_same(holder, asked):
    score, rules = ASKED[asked]
    found = cap.count_values("claims", score, data=HOLDERS[holder](ROWS_OF), **rules)
    expected = cap.count_values("claims", score, data=FRAME, **rules)
    assert found == expected
    assert found.digest() == expected.digest()
    assert found.groups == expected.groups
    assert found.dropped == expected.dropped


def written(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")
    return path


# Files differ in how they are opened, and all that is asked of rows is asked of csv and parquet.
@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("suffix", "asked"),
    [
        *product([".csv", ".parquet"], ASKED),
        *zip([".json", ".jsonl"] * len(ASKED), ASKED, strict=False),
        *(
            pytest.param(*each, marks=pytest.mark.merge)
            for each in zip([".jsonl", ".json"] * len(ASKED), ASKED, strict=False)
        ),
    ],
)
def test_files_give_the_counts_of_their_rows(tmp_path, suffix, asked):
    score, rules = ASKED[asked]
    path = written(FRAME, tmp_path / f"rows{suffix}")
    found = cap.count_values("claims", score, data=path, **rules)
    assert found == cap.count_values("claims", score, data=FRAME, **rules)


def test_shards_in_several_files_are_one_data_set(tmp_path):
    for place, rows in enumerate(np.array_split(np.arange(ROWS), 3)):
        written(FRAME.iloc[rows], tmp_path / f"part{place}.parquet")
    found = cap.count_values("claims", "pd", data=str(tmp_path / "*.parquet"), exposure="years")
    assert found == cap.count_values("claims", "pd", data=FRAME, exposure="years")


def test_segments_add_up_to_the_whole():
    parts = cap.count_value_segments("claims", "pd", data=FRAME, by="month", exposure="years")
    assert list(parts) == [1, 2, 3]
    for month, part in parts.items():
        rows = FRAME[FRAME.month == month]
        assert part == cap.count_values("claims", "pd", data=rows, exposure="years")
    whole = cap.count_values("claims", "pd", data=FRAME, exposure="years")
    assert sum(parts.values()) == whole


def test_scores_together_have_the_counts_of_each_as_margins():
    joint = cap.count_joint_values("claims", ["pd", "points"], data=FRAME, exposure="years")
    for name in ("pd", "points"):
        assert joint.margin(name) == cap.count_values("claims", name, data=FRAME, exposure="years")


def test_counts_are_named_by_their_columns():
    values = cap.count_values("claims", "pd", data=FRAME, exposure="years")
    assert (values.words.selected, values.words.captured) == ("years", "claims")
    alone = cap.count_values(CLAIMS, ROWS_OF["pd"])
    assert (alone.words.selected, alone.words.captured) == ("cases", "amount")
    joint = cap.count_joint_values("claims", ["pd", "points"], data=FRAME)
    assert (joint.words.selected, joint.words.captured) == ("cases", "claims")


def test_amounts_of_any_type_are_their_values():
    expected = cap.count_values([0.0, 2.0, 5.0], [1, 2, 3])
    for amounts in (
        [0, 2, 5],
        np.array([0, 2, 5], np.int8),
        np.array([0, 2, 5], np.float32),
        [Decimal(0), Decimal("2.0"), Decimal(5)],
        pd.Series([0, 2, 5], dtype="category"),
    ):
        assert cap.count_values(amounts, [1, 2, 3]) == expected
    yes = cap.count_values([False, True, True], [1, 2, 3])
    assert yes == cap.count_values([0, 1, 1], [1, 2, 3])
    assert cap.count_values([-0.0, 2.0, 5.0], [1, 2, 3]).digest() == expected.digest()


def test_users_arrays_stay_as_they_are():
    amount, exposure, score = (np.array(x, float) for x in ([0, 3, 0], [1, 2, 1], [2, 1, 3]))
    copies = amount.copy(), exposure.copy(), score.copy()
    cap.count_values(amount, score, exposure=exposure)
    for array, copy in zip((amount, exposure, score), copies, strict=True):
        assert (array == copy).all()


# What is left out


def test_rows_that_lack_something_are_left_out_with_an_account():
    nan = np.nan
    values = cap.count_values(
        [nan, 4, 0, 0, 7],
        [1, nan, 2, 3, 4],
        exposure=[1, 1, nan, 2, 1],
        missing="drop",
    )
    assert held(values) == {(3.0, 0.0, 2.0): 1, (4.0, 7.0, 1.0): 1}
    assert values.dropped.rows == 3
    assert values.dropped.columns == {"amount": 1, "score": 1, "exposure": 1}


def test_rows_with_neither_exposure_nor_amount_are_left_out_with_an_account():
    values = cap.count_values([0, 4, 0], [1, 2, 3], exposure=[0, 1, 0])
    assert held(values) == {(2, 4.0, 1.0): 1}
    assert (values.dropped.rows, values.dropped.columns) == (2, {"no exposure": 2})
    dropped = cap.count_values([0, 4, 0], [1, np.nan, 3], exposure=[0, 1, 2], missing="drop")
    assert (dropped.dropped.rows, dropped.dropped.columns) == (2, {"score": 1, "no exposure": 1})
    assert cap.count_values([0, 4], [1, 2], exposure=[1, 1]).dropped is None


def test_parts_and_groups_leave_out_what_the_whole_does():
    rows = FRAME.assign(years=np.where((FRAME.claims == 0) & (FRAME.month == 2), 0, FRAME.years))
    whole = cap.count_values("claims", "pd", data=rows, exposure="years", cluster="holder")
    lost = int(((rows.claims == 0) & (rows.month == 2)).sum())
    assert whole.dropped.columns == {"no exposure": lost}
    assert sum(group.n for group in whole.groups) == ROWS - lost
    parts = cap.count_value_segments("claims", "pd", data=rows, exposure="years", by="month")
    assert parts[2].dropped.rows == lost
    assert sum(parts.values()).dropped == whole.dropped


# What is refused

WRONG = {
    "NaN": ({"amount": [1, np.nan, np.nan]}, "amount is missing .* in 2 of 3 rows, first in row 1"),
    "None": ({"amount": [None, 1, 0]}, 'amount is missing .* in 1 of 3 rows.*missing="drop"'),
    "infinite": (
        {"amount": [0, np.inf, -np.inf]},
        "amount is infinite in 2 of 3 rows, first in row 1",
    ),
    "no exposure known": ({"exposure": [1, np.nan, 1]}, "exposure is missing .* in 1 of 3 rows"),
    "below zero": (
        {"exposure": [1, -2, -1]},
        "exposure holds -2: .* in 2 of 3 rows, first in row 1",
    ),
    "infinite exposure": ({"exposure": [np.inf, 1, 1]}, "exposure holds inf: .* in 1 of 3 rows"),
    "amount without exposure": (
        {"exposure": [0, 1, 0]},
        "exposure is 0 where amount is not in 1 of 3 rows, first in row 0; .*above 0",
    ),
    "text": (
        {"amount": ["1,5", "2", "0"]},
        "amount holds numbers as text, such as '1,5'; .*a point",
    ),
    "currency": (
        {"amount": ["€ 5", "0", "0"]},
        "amount holds '€ 5' in row 0, .*; take the currency",
    ),
    "rounded by a float": (
        {"amount": [2**53 + 1, 0, 2**60]},
        r"amount holds 9007199254740993, which a float would round \(1 such row\)",
    ),
    "a long decimal": (
        {"amount": [Decimal("0.12345678901234567"), 0, 0]},
        "amount holds the decimal .* of 17 digits",
    ),
    "dates": (
        {"amount": np.array(["2024-01-01"] * 3, "M8[D]")},
        "amount must be numbers, got date",
    ),
    "complex": ({"amount": [1j, 0, 0]}, "amount must be numbers, got complex"),
    "two columns": ({"amount": np.zeros((3, 2))}, "amount must have one dimension"),
    "other lengths": ({"exposure": [1, 1]}, "amount has 3 rows and exposure has 2"),
    "a single number": ({"amount": 3.0}, "amount must be a column of values, got float"),
    "nothing": ({"amount": None}, "amount must be a column of values, got NoneType"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_counted_is_one_line(case):
    wrong, told = WRONG[case]
    given = {"amount": [5, 0, 0], "exposure": None, **wrong}
    with pytest.raises((ValueError, TypeError), match=told) as e:
        cap.count_values(given["amount"], [1, 2, 3], exposure=given["exposure"])
    assert "\n" not in str(e.value)


def test_whole_numbers_that_floats_hold_pass_whatever_their_size():
    values = cap.count_values([2**60, 0, 2**53 + 2], [1, 2, 3])
    assert sorted(values.holding.amounts.tolist()) == [2.0**53 + 2, 2.0**60]


def test_csv_with_other_marks(tmp_path):
    comma = tmp_path / "comma.csv"
    FRAME.to_csv(comma, index=False, sep=";", decimal=",")
    found = cap.count_values("claims", "pd", data=comma)
    assert found == cap.count_values("claims", "pd", data=FRAME)
    euro = tmp_path / "euro.csv"
    euro.write_text("claims,pd\n€ 12.50,1\n0,2\n", encoding="utf-8")
    with pytest.raises(TypeError, match=r"claims holds '€ 12\.50' in row 0, .*; take the currency"):
        cap.count_values("claims", "pd", data=euro)
    grouped = tmp_path / "grouped.csv"
    grouped.write_text('claims,pd\n"1,250.75",1\n0,2\n')
    files = cap.Files.of(grouped, decimal=".")
    assert cap.count_values("claims", "pd", data=files).largest == 1250.75


def test_what_goes_with_classes_alone_is_refused():
    from capcurve.input import Query
    from capcurve.input.arrays import Rules

    for wrong, told in (
        ({"target": "y"}, "target= does not go with amount=: pass one of the two"),
        ({"weight": "w"}, "weight= does not go with amount=: .* multiply amount and exposure"),
        ({"memory_limit": "1GB"}, "memory_limit= does not go with amount=.*resolution="),
    ):
        given = {"target": None, "scores": {"pd": "pd"}, "rules": Rules(), "amount": "claims"}
        with pytest.raises(ValueError, match=told):
            Query(**{**given, **wrong}, data=FRAME)
    with pytest.raises(ValueError, match="exposure= goes with amount="):
        Query("y", {"pd": "pd"}, Rules(), FRAME, exposure="years")
