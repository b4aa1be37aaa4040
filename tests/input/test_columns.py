"""Columns: anything one-dimensional as numpy, exactly, with its nulls and categories."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import capcurve as cap
from capcurve.input.columns import as_column
from capcurve.sklearn import accuracy_ratio_score

DATES = ["2024-01-01", "2024-02-01"]


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (np.array([1, 2], np.int8), "int8"),
        (np.array([1, 2], np.float32), "float32"),
        (pd.Series([1, 2], dtype="Int16"), "int16"),
        (pd.Series([1.5, 2], dtype="float32[pyarrow]"), "float32"),
        (pd.Series([True, False], dtype="boolean"), "bool"),
        (pl.Series([1, 2], dtype=pl.UInt64), "uint64"),
        (pa.chunked_array([[1], [2]], pa.int32()), "int32"),
        (pa.array([True, False]), "bool"),
        ([1, 2], "int64"),
        ((1.5, 2), "float64"),
        (range(2), "int64"),
        ([True, False], "bool"),
        ([2**63, 2**64 - 1], "uint64"),
    ],
)
def test_numbers_keep_their_type(data, dtype):
    column = as_column(data, "x")
    assert column.values.dtype == dtype
    assert column.missing is None


@pytest.mark.parametrize(
    "data",
    [
        [1, None, 3],
        np.array([1, None, 3], dtype=object),
        np.ma.array([1, 2, 3], mask=[False, True, False]),
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1, pd.NA, 3], dtype=object),
        pl.Series([1, None, 3]),
        pa.array([1, None, 3]),
    ],
    ids=lambda data: type(data).__module__.split(".")[0],
)
def test_nulls_leave_whole_numbers_whole(data):
    column = as_column(data, "x")
    assert column.values.dtype == np.int64
    assert column.values[[0, 2]].tolist() == [1, 3]
    assert column.missing.tolist() == [False, True, False]


def test_big_whole_numbers_in_lists_do_not_pass_through_floats():
    assert as_column([2**63, -1], "x").values.tolist() == [2**63, -1]
    assert as_column([2**53 + 1, 0.5], "x").values.tolist() == [2**53 + 1, 0.5]


@pytest.mark.parametrize(
    ("data", "ordered"),
    [
        (pd.Series(pd.Categorical(["b", None, "a"], ["a", "b", "c"], ordered=True)), True),
        (pd.Series(pd.Categorical(["b", None, "a"], ["a", "b", "c"])), False),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b", "c"])), True),
    ],
)
def test_categories_keep_their_order_and_the_unused_ones(data, ordered):
    column = as_column(data, "grade")
    assert column.categories == ("a", "b", "c")
    assert column.stored[[0, 2]].tolist() == [1, 0]
    assert column.values[[0, 2]].tolist() == ["b", "a"]
    assert column.missing.tolist() == [False, True, False]
    assert column.ordered is ordered


def test_arrow_dictionaries_are_categories():
    column = as_column(pa.array(["b", "a", None, "b"]).dictionary_encode(), "grade")
    names = column.values[[0, 1, 3]].tolist()
    assert names == ["b", "a", "b"]
    assert column.missing.tolist() == [False, False, True, False]
    assert not column.ordered


@pytest.mark.parametrize(
    "data",
    [["a", None], pd.Series(["a", None]), pl.Series(["a", None]), pa.array(["a", None])],
    ids=["list", "pandas", "polars", "arrow"],
)
def test_text_is_objects(data):
    column = as_column(data, "name")
    assert column.values.dtype == object
    assert column.values[0] == "a"
    assert column.missing.tolist() == [False, True]


@pytest.mark.parametrize(
    "data",
    [
        pd.to_datetime(pd.Series(DATES)),
        pl.Series(DATES).str.to_date(),
        pa.array(np.array(DATES, "datetime64[D]")),
        np.array(DATES, "datetime64[D]"),
    ],
    ids=["pandas", "polars", "arrow", "numpy"],
)
def test_dates_stay_dates(data):
    column = as_column(data, "month")
    assert column.values.astype("datetime64[D]").astype(str).tolist() == DATES


def test_decimals_stay_decimals_until_they_are_scores():
    values = [decimal.Decimal("0.10"), None]
    for data in (values, pl.Series(values), pa.array(values), pd.Series(values)):
        column = as_column(data, "pd")
        assert column.values[0] == decimal.Decimal("0.10")
        assert column.missing.tolist() == [False, True]


@pytest.mark.parametrize(
    ("data", "found"),
    [("pd", "text 'pd'"), (7, "int"), ({"a": 1}, "dict"), (None, "NoneType")],
)
def test_what_is_not_a_column(data, found):
    with pytest.raises(TypeError, match=f"x must be a column of values, got {found}"):
        as_column(data, "x")


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="x has rows of different lengths"):
        as_column([[1, 2], [3]], "x")


def test_lists_in_rows():
    with pytest.raises(ValueError, match="take one element"):
        as_column(pl.Series([[0.1, 0.9], [0.2, 0.8]]), "pd")


@pytest.mark.needs("torch")
def test_tensors_of_every_kind_are_read_exactly_or_refused_in_one_line():
    import torch

    scores = torch.tensor([0.25, 0.5, 1.5, -2.0, 0.0])
    kinds = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn]
    readable = {str(kind): scores.to(kind) for kind in kinds}
    readable["gradient"] = scores.clone().requires_grad_()
    readable["negated view"] = torch._neg_view(-scores)
    for told, tensor in readable.items():
        assert as_column(tensor, "s").values.tolist() == [0.25, 0.5, 1.5, -2.0, 0.0], told
    close = torch.tensor([1.0, 1.0 + 2**-7, 1.0 + 2**-6], dtype=torch.bfloat16)
    assert as_column(close, "s").values.tolist() == [1, 1 + 2**-7, 1 + 2**-6]
    for tensor in (scores.to("meta"), scores.to_sparse()):
        with pytest.raises(TypeError, match=r"^s: this tensor has no numpy form \([^\n]*\)$"):
            as_column(tensor, "s")


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "dok_matrix", "coo_array"])
def test_sparse_matrices_are_named_as_such(kind):
    matrix = getattr(sparse, kind)([[1], [0], [1], [0]])
    calls = {
        "target": lambda: cap.count_scores(matrix, [4, 3, 2, 1]),
        "score": lambda: cap.count_scores([1, 0, 1, 0], matrix),
        "amount": lambda: cap.count_values(matrix, [4, 3, 2, 1]),
        "y_true": lambda: accuracy_ratio_score(matrix, [4, 3, 2, 1]),
        "sample_weight": lambda: accuracy_ratio_score([1, 0], [2, 1], sample_weight=matrix),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=rf"^{name} is a sparse matrix of shape \(4, 1\); pass"):
            call()
