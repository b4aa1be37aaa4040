"""One suite through every how: the same data gives the same counts, to the last bit."""

import csv
import gzip
import json
import math
import random
import re
from collections import Counter
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import capcurve as cap

random_rows = random.Random(7)  # noqa: S311 - fixed data, not a secret
ROWS = 90
SCORES = [0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.75, 1.5, -2.5, 0.0, 1e-300]
DATA = {
    "y": [random_rows.randint(0, 1) for _ in range(ROWS)],
    "s": [random_rows.choice(SCORES) for _ in range(ROWS)],
    "t": [random_rows.choice(SCORES[:4]) for _ in range(ROWS)],
    # Weights in quarters: sums and squares are exact in any order.
    "w": [random_rows.choice([0.25, 0.5, 1.0, 1.75, 3.25]) for _ in range(ROWS)],
    "k": [random_rows.randint(0, 4) for _ in range(ROWS)],
    "month": [random_rows.choice(["jan", "feb", "mär"]) for _ in range(ROWS)],
}


def with_gaps(columns, **every):
    """Blank every n-th value of the named columns."""
    return columns | {
        name: [None if i % n == n - 1 else v for i, v in enumerate(columns[name])]
        for name, n in every.items()
    }


GAPPY = with_gaps(DATA, y=11, s=7, w=13)


def is_text(values):
    return any(isinstance(v, str) for v in values)


class Doors:
    """How each kind of data is handed over: (columns to name, data)."""

    def __init__(self, request):
        self.request = request

    @property
    def folder(self):
        return self.request.getfixturevalue("tmp_path")

    # Columns by themselves

    def lists(self, columns):
        return columns, None

    def numpy(self, columns):
        return {name: self._array(values) for name, values in columns.items()}, None

    def _array(self, values):
        if is_text(values):
            return np.array(values, dtype=object)
        if None in values:
            return np.array([math.nan if v is None else float(v) for v in values])
        return np.array(values)

    def numpy_objects(self, columns):
        return {k: np.array(v, dtype=object) for k, v in columns.items()}, None

    def torch(self, columns):
        import torch

        arrays = self.numpy(columns)[0]
        keep = {k for k, v in arrays.items() if v.dtype.kind != "O"}
        return {k: torch.from_numpy(v) if k in keep else v for k, v in arrays.items()}, None

    def torch_with_gradient(self, columns):
        import torch

        tensors = self.torch(columns)[0]
        return {
            k: v.requires_grad_() if torch.is_tensor(v) and v.is_floating_point() else v
            for k, v in tensors.items()
        }, None

    def pandas_series(self, columns):
        frame = pd.DataFrame(columns)
        index = list(range(len(frame)))[::-1]
        return {k: frame[k].set_axis(index) for k in columns}, None

    def polars_series(self, columns):
        return {k: pl.Series(k, v) for k, v in columns.items()}, None

    def arrow_arrays(self, columns):
        return {k: pa.array(v) for k, v in columns.items()}, None

    def arrow_chunks(self, columns):
        chunks = {
            k: pa.chunked_array([pa.array(v)[:31], pa.array(v)[31:]]) for k, v in columns.items()
        }
        return chunks, None

    # Frames

    def pandas(self, columns):
        return dict.fromkeys(columns), pd.DataFrame(columns)

    def pandas_shuffled_index(self, columns):
        frame = pd.DataFrame(columns)
        return dict.fromkeys(columns), frame.set_axis([5] * len(frame))

    def pandas_nullable(self, columns):
        frame = pd.DataFrame(columns).convert_dtypes(dtype_backend="numpy_nullable")
        return dict.fromkeys(columns), frame

    def pandas_arrow(self, columns):
        frame = pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")
        return dict.fromkeys(columns), frame

    def polars(self, columns):
        return dict.fromkeys(columns), pl.DataFrame(columns)

    def polars_lazy(self, columns):
        return dict.fromkeys(columns), pl.DataFrame(columns).lazy()

    def arrow_table(self, columns):
        return dict.fromkeys(columns), pa.table(columns)

    def duckdb(self, columns):
        connection = duckdb.connect()
        self.request.addfinalizer(connection.close)
        return dict.fromkeys(columns), connection.from_arrow(pa.table(columns))

    # Files

    def csv(self, columns, name="rows.csv", separator=",", opener=open):
        path = self.folder / name
        with opener(path, "wt", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        return dict.fromkeys(columns), str(path)

    def csv_gz(self, columns):
        return self.csv(columns, "rows.csv.gz", opener=gzip.open)

    def tsv(self, columns):
        return self.csv(columns, "rows.tsv", separator="\t")

    def json_lines(self, columns):
        path = self.folder / "rows.jsonl"
        lines = [
            json.dumps(dict(zip(columns, row, strict=True)))
            for row in zip(*columns.values(), strict=True)
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return dict.fromkeys(columns), str(path)

    def parquet(self, columns):
        path = self.folder / "rows.parquet"
        pyarrow.parquet.write_table(pa.table(columns), path)
        return dict.fromkeys(columns), path

    def several_files(self, columns):
        folder = self.folder / "parts"
        folder.mkdir(exist_ok=True)
        table = pa.table(columns)
        for i, start in enumerate(range(0, len(table), 40)):
            pyarrow.parquet.write_table(table.slice(start, 40), folder / f"part{i}.parquet")
        return dict.fromkeys(columns), str(folder / "*.parquet")


ARRAYS = ["lists", "numpy", "numpy_objects", "pandas_series", "polars_series"]
ARRAYS += ["arrow_arrays", "arrow_chunks", "torch", "torch_with_gradient"]
FRAMES = ["pandas", "pandas_shuffled_index", "pandas_nullable", "pandas_arrow"]
FRAMES += ["polars", "polars_lazy", "arrow_table", "duckdb"]
FILES = ["csv", "csv_gz", "tsv", "json_lines", "parquet", "several_files"]
TENSORS = {"torch", "torch_with_gradient"}
TEXT = [how for how in ARRAYS + FRAMES + FILES if how not in TENSORS]


@pytest.fixture
def hand_over(request):
    """Return a function: how, columns -> (what to pass for a column, data)."""
    inputs = Doors(request)

    def hand_over(how, columns):
        passed, data = getattr(inputs, how)(columns)
        return {k: k if v is None else v for k, v in passed.items()}, data

    return hand_over


@pytest.fixture
def count(hand_over):
    """Return a function that counts some columns through a how."""

    def count(how, columns, call=cap.count_scores, target="y", score="s", **keywords):
        passed, data = hand_over(how, columns)
        for key in ("weight", "by"):
            if key in keywords:
                keywords[key] = passed[keywords[key]]
        return call(passed[target], passed[score], data=data, **keywords)

    return count


def by_hand(columns, weight=None, higher_is="positive"):
    """Count complete rows with a dictionary."""
    needed = ["y", "s", weight] if weight else ["y", "s"]
    positives, negatives = Counter(), Counter()
    for i in range(ROWS):
        row = {name: values[i] for name, values in columns.items()}
        if all(row[name] is not None for name in needed):
            kind = positives if row["y"] == 1 else negatives
            kind[row["s"]] += row[weight] if weight else 1
    scores = sorted({*positives, *negatives}, reverse=higher_is == "positive")
    return scores, [positives[s] for s in scores], [negatives[s] for s in scores]


def cells(counts):
    return counts.score.tolist(), counts.positives.tolist(), counts.negatives.tolist()


def assert_same(counts, expected):
    assert counts == expected
    assert counts.digest() == expected.digest()
    assert counts.score.dtype == expected.score.dtype


EVERY = ARRAYS + FRAMES + FILES
# What is read as others are, once it is open, is read again where a merge is judged.
ALIKE = {"csv_gz", "tsv", "several_files", "torch_with_gradient"}


def later(value):
    """Leave a parameter to the merge, because another test has it beside the same others."""
    return pytest.param(value, marks=pytest.mark.merge)


def among(*hows, whole=False):
    """Return ways to hand over rows, with the marks of those that do not always run."""
    marks = {how: [pytest.mark.needs("torch")] if how in TENSORS else [] for how in hows}
    for how in ALIKE & marks.keys() if not whole else ():
        marks[how].append(pytest.mark.merge)
    return [pytest.param(how, marks=found) for how, found in marks.items()]


ALL = pytest.mark.parametrize("how", among(*EVERY))


@pytest.mark.turns(3)
@pytest.mark.parametrize("how", among(*EVERY, whole=True))
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_plain_rows(how, higher_is, count):
    counts = count(how, DATA, higher_is=higher_is)
    assert cells(counts) == by_hand(DATA, higher_is=higher_is)
    assert_same(counts, cap.count_scores(DATA["y"], DATA["s"], higher_is=higher_is))
    assert counts.score.dtype == np.float64


@ALL
@pytest.mark.parametrize("kind", ["sampling", later("exposure")])
def test_weighted_rows(how, kind, count):
    counts = count(how, DATA, weight="w", weight_kind=kind)
    assert cells(counts) == by_hand(DATA, weight="w")
    expected = cap.count_scores(DATA["y"], DATA["s"], weight=DATA["w"], weight_kind=kind)
    assert_same(counts, expected)


@ALL
def test_frequency_weights(how, count):
    counts = count(how, DATA, weight="k", weight_kind="frequency")
    scores, positives, negatives = by_hand(DATA, weight="k")
    kept = [i for i, pair in enumerate(zip(positives, negatives, strict=True)) if any(pair)]
    assert cells(counts) == tuple(
        [column[i] for i in kept] for column in (scores, positives, negatives)
    )
    expected = cap.count_scores(DATA["y"], DATA["s"], weight=DATA["k"], weight_kind="frequency")
    assert_same(counts, expected)


@ALL
def test_frequency_weights_beyond_2_to_53(how, count):
    weights = [2**53 + 1] + [1] * (ROWS - 1)
    counts = count(how, DATA | {"w": weights}, weight="w", weight_kind="frequency")
    assert cells(counts) == by_hand(DATA | {"w": weights}, weight="w")
    assert counts.n == 2**53 + ROWS


@ALL
@pytest.mark.parametrize("kind", [later("frequency"), "exposure"])
def test_rows_without_a_weight_are_in_the_account(how, kind, count):
    columns = with_gaps(DATA | {"w": [1.0, 2.0, 4.0] * 30}, w=13)
    counts = count(how, columns, weight="w", weight_kind=kind, missing="drop")
    assert cells(counts) == by_hand(columns, weight="w")
    assert re.search(r"\b6\b", repr(counts.dropped))


@ALL
def test_missing_values_are_refused_and_counted(how, count):
    lost = sum(score is None for score in GAPPY["s"])
    with pytest.raises(ValueError, match=rf"\b{lost}\b") as caught:
        count(how, with_gaps(DATA, s=7))
    assert "missing" in str(caught.value)
    assert "drop" in str(caught.value)


@ALL
def test_missing_rows_are_dropped_and_accounted(how, count):
    counts = count(how, GAPPY, weight="w", weight_kind="exposure", missing="drop")
    assert cells(counts) == by_hand(GAPPY, weight="w")
    said = f"{counts.dropped!r} {counts.to_dict()['dropped']!r}"
    for name in ("y", "s", "w"):
        lost = sum(v is None for v in GAPPY[name])
        assert re.search(rf"\b{lost}\b", said)
    unweighted = count(how, GAPPY, missing="drop") if how not in FILES else None
    if unweighted is not None:
        assert cells(unweighted) == by_hand(GAPPY)


@ALL
def test_unused_columns_do_not_matter(how, count):
    counts = count(how, with_gaps(DATA, w=2, t=3, month=4))
    assert cells(counts) == by_hand(DATA)


@ALL
def test_segments(how, count):
    segments = count(how, DATA, cap.count_segments, by="month")
    assert set(segments) == {"jan", "feb", "mär"}
    for month, counts in segments.items():
        rows = [i for i in range(ROWS) if DATA["month"][i] == month]
        expected = cap.count_scores([DATA["y"][i] for i in rows], [DATA["s"][i] for i in rows])
        assert_same(counts, expected)
    assert_same(cap.ScoreCounts.merge(segments.values()), cap.count_scores(DATA["y"], DATA["s"]))


@ALL
def test_a_missing_segment_is_one_of_its_own(how, count):
    columns = with_gaps(DATA, month=6)
    segments = count(how, columns, cap.count_segments, by="month")
    assert set(segments) == {"jan", "feb", "mär", None}
    for month, counts in segments.items():
        rows = [i for i in range(ROWS) if columns["month"][i] == month]
        expected = cap.count_scores([DATA["y"][i] for i in rows], [DATA["s"][i] for i in rows])
        assert_same(counts, expected)


@ALL
def test_weighted_segments_of_incomplete_rows(how, count):
    columns = with_gaps(GAPPY, month=6)
    keywords = {"weight": "w", "weight_kind": "exposure", "missing": "drop"}
    segments = count(how, columns, cap.count_segments, by="month", **keywords)
    assert set(segments) == {"jan", "feb", "mär", None}
    total = cap.ScoreCounts.merge(segments.values())
    assert cells(total) == by_hand(GAPPY, weight="w")


@ALL
def test_whole_number_segments_keep_their_type(how, count):
    segments = count(how, DATA, cap.count_segments, by="k")
    assert sorted(segments) == [0, 1, 2, 3, 4]
    assert sum(counts.n for counts in segments.values()) == ROWS


@ALL
@pytest.mark.parametrize("gappy", [later(False), True])
def test_joint_margins_are_the_counts(how, gappy, hand_over):
    columns = with_gaps(DATA, s=7, t=9) if gappy else DATA
    passed, data = hand_over(how, columns)
    scores = ["s", "t"] if data is not None else {"s": passed["s"], "t": passed["t"]}
    joint = cap.count_joint(passed["y"], scores, data=data, missing="drop")
    rows = [i for i in range(ROWS) if columns["s"][i] is not None and columns["t"][i] is not None]
    assert tuple(joint.names) == ("s", "t")
    for name in ("s", "t"):
        y, s = ([columns[k][i] for i in rows] for k in ("y", name))
        expected = cap.count_scores(y, s)
        assert cells(joint.margin(name)) == cells(expected)
        assert joint.margin(name).digest() == expected.digest()


@ALL
def test_a_resolution_rounds_alike(how, count):
    counts = count(how, DATA, resolution=0.25)
    assert_same(counts, cap.count_scores(DATA["y"], DATA["s"], resolution=0.25))
    whole = [math.floor(s / 0.25) for s in DATA["s"]]
    assert counts.positives.tolist() == by_hand(DATA | {"s": whole})[1]


@ALL
def test_boolean_targets(how, count):
    counts = count(how, DATA | {"y": [v == 1 for v in DATA["y"]]})
    assert_same(counts, cap.count_scores(DATA["y"], DATA["s"]))


@pytest.mark.parametrize("how", among(*(how for how in TEXT if how != "numpy")))
def test_boolean_targets_with_gaps(how, count):
    flags = [None if v is None else v == 1 for v in GAPPY["y"]]
    counts = count(how, DATA | {"y": flags}, missing="drop")
    assert cells(counts) == by_hand(DATA | {"y": GAPPY["y"]})


@ALL
def test_targets_of_plus_and_minus_one(how, count):
    counts = count(how, DATA | {"y": [2 * v - 1 for v in DATA["y"]]})
    assert_same(counts, cap.count_scores(DATA["y"], DATA["s"]))


WORDS = ["bad" if v else "good" for v in DATA["y"]]


@pytest.mark.parametrize("how", among(*TEXT))
def test_text_targets(how, count):
    counts = count(how, DATA | {"y": WORDS}, pos_label="bad")
    assert_same(counts, cap.count_scores(DATA["y"], DATA["s"]))
    with pytest.raises(ValueError, match="pos_label") as caught:
        cap.count_scores(WORDS, DATA["s"])
    assert str(WORDS.count("bad")) in str(caught.value)


@pytest.mark.parametrize("how", among(*TEXT))
def test_text_targets_with_gaps_need_a_pos_label_too(how, hand_over):
    words = [None if v is None else word for v, word in zip(GAPPY["y"], WORDS, strict=True)]
    passed, data = hand_over(how, DATA | {"y": words})
    with pytest.raises(ValueError, match="pos_label"):
        cap.count_scores(passed["y"], passed["s"], data=data, missing="drop")
    counts = cap.count_scores(passed["y"], passed["s"], data=data, missing="drop", pos_label="bad")
    assert cells(counts) == by_hand(DATA | {"y": GAPPY["y"]})


@pytest.mark.parametrize("how", ["lists", "numpy", "pandas", "polars_lazy", "duckdb", "csv"])
def test_three_labels_are_listed_with_counts(how, count):
    three = [0] * 20 + [1] * 30 + [2] * 40
    with pytest.raises(ValueError, match="20") as caught:
        count(how, DATA | {"y": three})
    for found in ("0", "1", "2", "30", "40"):
        assert found in str(caught.value)


# Whole-number scores


@ALL
def test_whole_scores_beyond_2_to_53(how, count):
    scores = [2**53 + int(s * 4) for s in DATA["s"]]
    assert len(set(scores)) > len({float(s) for s in scores})
    columns = DATA | {"s": scores}
    counts = count(how, columns)
    assert cells(counts) == by_hand(columns)
    assert_same(counts, cap.count_scores(np.array(DATA["y"]), np.array(scores)))
    assert counts.score.dtype == np.int64


NULLABLE = ["lists", "polars_series", "arrow_arrays", "pandas_nullable", "pandas_arrow", "polars"]
NULLABLE += ["polars_lazy", "arrow_table", "duckdb", "csv", "json_lines", "parquet"]


@pytest.mark.parametrize("how", NULLABLE)
def test_whole_scores_beyond_2_to_53_beside_nulls(how, hand_over):
    scores = [2**53 + int(s * 4) for s in DATA["s"]]
    columns = with_gaps(DATA | {"s": scores}, s=7)
    if how.startswith("pandas"):
        kind = "Int64" if how == "pandas_nullable" else pd.ArrowDtype(pa.int64())
        data = pd.DataFrame({"y": columns["y"], "s": pd.array(columns["s"], dtype=kind)})
        passed = {"y": "y", "s": "s"}
    else:
        passed, data = hand_over(how, columns)
    counts = cap.count_scores(passed["y"], passed["s"], data=data, missing="drop")
    assert cells(counts) == by_hand(columns)


TYPED = {
    "uint64": np.array(DATA["k"], dtype=np.uint64) + np.uint64(2**63 + 7),
    "float32": (np.array(DATA["k"]) / 3).astype(np.float32),
    "int8": (np.array(DATA["k"]) * 60 - 120).astype(np.int8),
    "bool": np.array(DATA["k"]) > 2,
}
HOLDS_TYPES = {
    "arrays": None,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars_lazy": pl.LazyFrame,
    "arrow_table": lambda columns: pa.table({k: pa.array(v) for k, v in columns.items()}),
}


@pytest.mark.parametrize("how", [*HOLDS_TYPES, "duckdb", "parquet"])
@pytest.mark.parametrize("dtype", TYPED)
def test_scores_keep_their_type(how, dtype, hand_over):
    y, s = np.array(DATA["y"]), TYPED[dtype]
    if how == "arrays":
        counts = cap.count_scores(y, s)
    elif how in HOLDS_TYPES:
        counts = cap.count_scores("y", "s", data=HOLDS_TYPES[how]({"y": y, "s": s}))
    else:
        data = hand_over(how, {"y": pa.array(y), "s": pa.array(s)})[1]
        counts = cap.count_scores("y", "s", data=data)
    assert counts.score.dtype == s.dtype
    assert cells(counts) == by_hand(DATA | {"s": s.tolist()})
    assert_same(counts, cap.count_scores(y, s))


@pytest.mark.parametrize("how", ["arrays", "table", "polars", "duckdb", "parquet"])
def test_decimals_convert_up_to_fifteen_digits_and_no_further(how, tmp_path, hand_over):
    def count(kind, values):
        column = pa.array([Decimal(v) for v in values], type=kind)
        table = pa.table({"y": [0, 1, 0, 1], "s": column})
        if how == "arrays":
            return cap.count_scores([0, 1, 0, 1], column)
        if how == "duckdb":
            passed, data = hand_over("duckdb", {"y": table["y"], "s": column})
            return cap.count_scores(passed["y"], passed["s"], data=data)
        path = tmp_path / "decimals.parquet"
        pyarrow.parquet.write_table(table, path)
        data = {"table": table, "polars": pl.from_arrow(table), "parquet": path}[how]
        return cap.count_scores("y", "s", data=data)

    counts = count(pa.decimal128(6, 2), ["0.10", "0.30", "0.30", "12.75"])
    assert cells(counts)[0] == [12.75, 0.3, 0.1]
    counts = count(pa.decimal128(38, 20), ["0.123456789012345", "0.3", "0.3", "12.75"])
    assert cells(counts)[0] == [12.75, 0.3, 0.123456789012345]
    whole = [123456789012345677, 123456789012345678]
    counts = count(pa.decimal128(38, 0), [*whole, 3, 2])
    assert cells(counts)[0] == [*whole[::-1], 3, 2]
    digits = ["0.12345678901234567890", "0.12345678901234567891", "0.5", "0.7"]
    with pytest.raises(ValueError, match=r"holds the decimal 0\.1234567890123456789\d? of"):
        count(pa.decimal128(30, 20), digits)


def test_decimals_beside_whole_numbers_are_exact_or_refused():
    counts = cap.count_scores([0, 1], [Decimal("2.0"), 2**53 + 1])
    assert counts.score.tolist() == [2**53 + 1, 2]
    with pytest.raises(ValueError, match="holds the decimal 9007199254740993 of 16 digits"):
        cap.count_scores([0, 1], [Decimal("0.5"), 2**53 + 1])


# Grades

GRADES = ["A", "B", "C", "D"]
RATED = [GRADES[k % 4] for k in DATA["k"]]
RISKIEST_FIRST = GRADES[::-1]


def graded_by_hand():
    return by_hand(DATA | {"s": [GRADES.index(g) for g in RATED]})[1:]


@pytest.mark.parametrize("how", among(*TEXT))
def test_levels_rank_text(how, count):
    counts = count(how, DATA | {"s": RATED}, levels=RISKIEST_FIRST)
    assert (counts.positives.tolist(), counts.negatives.tolist()) == graded_by_hand()
    assert list(counts.levels) == RISKIEST_FIRST
    assert_same(counts, cap.count_scores(DATA["y"], RATED, levels=RISKIEST_FIRST))


@pytest.mark.parametrize("how", among(*TEXT))
def test_text_without_levels_is_refused(how, count):
    with pytest.raises((ValueError, TypeError), match="levels"):
        count(how, DATA | {"s": RATED})


def ordered_grades():
    """Build each kind of column that carries an order of grades, lowest first."""
    dtype = pd.CategoricalDtype(GRADES, ordered=True)
    frame = pd.DataFrame({"y": DATA["y"], "s": pd.Categorical(RATED, dtype=dtype)})
    enum = pl.DataFrame({"y": DATA["y"], "s": pl.Series(RATED, dtype=pl.Enum(GRADES))})
    return {
        "pandas column": (DATA["y"], frame["s"], None),
        "pandas": ("y", "s", frame),
        "polars column": (DATA["y"], enum["s"], None),
        "polars": ("y", "s", enum),
        "polars lazy": ("y", "s", enum.lazy()),
    }


@pytest.mark.parametrize("kind", ordered_grades())
def test_ordered_categories_are_grades(kind):
    target, score, data = ordered_grades()[kind]
    counts = cap.count_scores(target, score, data=data)
    assert (counts.positives.tolist(), counts.negatives.tolist()) == graded_by_hand()
    assert set(counts.levels) == set(GRADES)
    plain = cap.count_scores(DATA["y"], [GRADES.index(g) for g in RATED])
    assert cap.accuracy_ratio(counts) == cap.accuracy_ratio(plain)
    down = cap.count_scores(target, score, data=data, higher_is="negative")
    assert cap.accuracy_ratio(down) == -cap.accuracy_ratio(plain)
    assert down.positives.tolist() == counts.positives.tolist()[::-1]
    first = cap.count_scores(*ordered_grades()["pandas"][:2], data=ordered_grades()["pandas"][2])
    assert_same(counts, first)


def test_declared_but_unseen_grades_and_an_order_unlike_the_alphabet():
    dtype = pd.CategoricalDtype(["low", "medium", "high", "never"], ordered=True)
    grades = pd.Series(pd.Categorical(["low", "high", "medium", "high"], dtype=dtype))
    counts = cap.count_scores([0, 1, 0, 1], grades)
    assert counts.positives.tolist() == [2, 0, 0]
    assert counts.negatives.tolist() == [0, 1, 1]


def test_categories_without_an_order_are_refused_as_scores():
    unordered = pd.DataFrame({"y": DATA["y"], "s": pd.Categorical(RATED)})
    polars = pl.DataFrame({"y": DATA["y"], "s": pl.Series(RATED, dtype=pl.Categorical)})
    dictionary = pa.table({"y": DATA["y"], "s": pa.array(RATED).dictionary_encode()})
    for frame in (unordered, polars, polars.lazy(), dictionary):
        with pytest.raises((ValueError, TypeError), match=r"levels|order"):
            cap.count_scores("y", "s", data=frame)
        counts = cap.count_scores("y", "s", data=frame, levels=RISKIEST_FIRST)
        assert (counts.positives.tolist(), counts.negatives.tolist()) == graded_by_hand()


def test_categories_may_be_targets_and_segments():
    plain = cap.count_scores(DATA["y"], DATA["s"])
    columns = {"y": WORDS, "s": DATA["s"], "month": DATA["month"]}
    frames = [
        pd.DataFrame(columns).astype({"y": "category", "month": "category"}),
        pl.DataFrame(columns).with_columns(pl.col("y", "month").cast(pl.Categorical)),
        pl.LazyFrame(columns).with_columns(pl.col("y").cast(pl.Enum(["good", "bad"]))),
        pa.table(columns | {k: pa.array(columns[k]).dictionary_encode() for k in ("y", "month")}),
    ]
    for frame in frames:
        assert_same(cap.count_scores("y", "s", data=frame, pos_label="bad"), plain)
        segments = cap.count_segments("y", "s", by="month", data=frame, pos_label="bad")
        assert set(segments) == {"jan", "feb", "mär"}
        assert_same(cap.ScoreCounts.merge(segments.values()), plain)


# Special scores

SOME = ["lists", "numpy", "torch", "pandas", "polars", "polars_lazy", "duckdb", "csv", "parquet"]
INSIDE = ["pandas", "polars", "polars_lazy", "arrow_table", "duckdb", "parquet"]


@pytest.mark.parametrize("how", among(*SOME))
def test_infinities_zeros_and_neighbours(how, count):
    special = [math.inf, -math.inf, 0.0, -0.0, 5e-324, 1.7976931348623157e308]
    special += [0.5, 0.5000000000000001]
    scores = [special[i % len(special)] for i in range(ROWS)]
    columns = DATA | {"s": scores}
    counts = count(how, columns)
    assert len(counts) == 7
    assert cells(counts) == by_hand(columns)
    assert_same(counts, cap.count_scores(np.array(DATA["y"]), np.array(scores)))


@pytest.mark.parametrize("how", INSIDE)
def test_nan_in_a_frame_is_missing(how, count):
    columns = DATA | {"s": [math.nan if i % 9 == 0 else s for i, s in enumerate(DATA["s"])]}
    with pytest.raises(ValueError, match=r"\b10\b"):
        count(how, columns)


@pytest.mark.parametrize("how", ["polars", "polars_lazy", "arrow_table", "duckdb", "parquet"])
def test_nan_and_null_are_dropped_alike(how, hand_over):
    columns = DATA | {
        "s": [(math.nan, None)[i // 9 % 2] if i % 9 == 0 else s for i, s in enumerate(DATA["s"])]
    }
    passed, data = hand_over(how, columns)
    counts = cap.count_scores(passed["y"], passed["s"], data=data, missing="drop")
    kept = [i for i in range(ROWS) if i % 9]
    expected = cap.count_scores([DATA["y"][i] for i in kept], [DATA["s"][i] for i in kept])
    assert cells(counts) == cells(expected)


@pytest.mark.parametrize("how", [*INSIDE, "csv"])
@pytest.mark.parametrize(("bad", "found"), [(-1.5, "-1.5"), (math.inf, "inf")])
def test_bad_weights_are_refused_everywhere(how, bad, found, count):
    columns = DATA | {"w": [bad, *DATA["w"][1:]]}
    with pytest.raises(ValueError, match="weight") as caught:
        count(how, columns, weight="w", weight_kind="exposure")
    assert found in str(caught.value)


@pytest.mark.parametrize("how", among(*FRAMES, *FILES))
def test_no_rows(how, hand_over):
    if how in {"csv", "csv_gz", "tsv", "json_lines", "several_files"}:
        pytest.skip("a text file without rows has no types; no parts match no file")
    kinds = {"y": pa.int64(), "s": pa.float64()}
    table = pa.table({k: pa.array([], type=v) for k, v in kinds.items()})
    data = {
        "arrow_table": lambda: table,
        "polars": lambda: pl.from_arrow(table),
        "polars_lazy": lambda: pl.from_arrow(table).lazy(),
    }.get(how, table.to_pandas)()
    if how in {"duckdb", "parquet"}:
        data = hand_over(how, {k: table[k] for k in kinds})[1]
    counts = cap.count_scores("y", "s", data=data)
    assert (counts.n, len(counts)) == (0, 0)
    assert counts + cap.count_scores(DATA["y"], DATA["s"]) == cap.count_scores(DATA["y"], DATA["s"])


# Names

NAMES = [
    "select",
    "a b",
    'a"b',
    "a'b",
    "x; drop table rows; --",
    "100%",
    "{curly}",
    "count(*)",
    "a.b",
    "*",
    "^.*$",
    "^o.*$",
    "back\\slash",
    "né",
    "n",
    "positives",
    "target",
    "weight",
    "$1",
    "_x",
    "1",
]


@pytest.mark.turns(3)
@pytest.mark.parametrize("how", FRAMES + FILES)
def test_awkward_names_are_only_names(how, hand_over):
    place = EVERY.index(how) % len(NAMES)
    target, *scores = NAMES[place:] + NAMES[:place]
    turned = {name: DATA["s"][k:] + DATA["s"][:k] for k, name in enumerate(scores)}
    passed, data = hand_over(how, {target: DATA["y"]} | turned)
    joint = cap.count_joint(passed[target], scores, data=data)
    for name, values in turned.items():
        assert cells(joint.margin(name)) == by_hand(DATA | {"s": values}), name


@pytest.mark.merge
@pytest.mark.parametrize("how", FRAMES + FILES)
def test_awkward_names_are_only_names_wherever_they_stand(how, count):
    for name in NAMES:
        columns = {"other": DATA["t"], name: DATA["s"], "y": DATA["y"], "month": DATA["month"]}
        assert cells(count(how, columns, score=name)) == by_hand(DATA), name
        columns = {"s": DATA["s"], name: DATA["y"]}
        assert cells(count(how, columns, target=name)) == by_hand(DATA), name


@pytest.mark.parametrize("how", among(*FRAMES, *FILES))
def test_target_and_score_may_have_each_others_names(how, count):
    columns = {"score": DATA["y"], "target": DATA["s"], "by": DATA["w"], "weight": DATA["month"]}
    keywords = {"weight": "by", "weight_kind": "exposure"}
    counts = count(how, columns, target="score", score="target", **keywords)
    assert cells(counts) == by_hand(DATA, weight="w")
    names = {"target": "score", "score": "target", "by": "weight"}
    segments = count(how, columns, cap.count_segments, **names)
    assert set(segments) == {"jan", "feb", "mär"}


@pytest.mark.parametrize(
    "how", among(*(how for how in FRAMES + FILES if how not in {"duckdb", "json_lines"}))
)
@pytest.mark.parametrize("order", [["Score", "score"], later(["score", "Score"])])
def test_names_that_differ_only_in_case(how, order, hand_over):
    values = {"score": DATA["s"], "Score": DATA["t"]}
    columns = {"Y": DATA["k"]} | {name: values[name] for name in order} | {"y": DATA["y"]}
    passed, data = hand_over(how, columns)
    assert set(passed) == {"Y", "y", "Score", "score"}
    small = cap.count_scores("y", "score", data=data)
    assert_same(small, cap.count_scores(DATA["y"], DATA["s"]))
    large = cap.count_scores("y", "Score", data=data)
    assert_same(large, cap.count_scores(DATA["y"], DATA["t"]))
    joint = cap.count_joint("y", ["score", "Score"], data=data)
    assert joint.margin("score").digest() == small.digest()
    assert joint.margin("Score").digest() == large.digest()


@pytest.mark.parametrize("how", among(*FRAMES, *FILES))
def test_a_name_in_the_wrong_case_is_not_found(how, hand_over):
    data = hand_over(how, DATA)[1]
    with pytest.raises((ValueError, KeyError), match="S") as caught:
        cap.count_scores("y", "S", data=data)
    assert "month" in str(caught.value)


def test_columns_named_n_and_capital_n_in_one_frame(count):
    columns = {"n": DATA["s"], "N": DATA["y"]}
    for how in ("pandas", "polars", "polars_lazy", "arrow_table", "csv", "parquet"):
        counts = count(how, columns, target="N", score="n")
        assert cells(counts) == by_hand(DATA)
    connection = duckdb.connect()
    relation = connection.sql("select unnest([0, 1, 1]) as y, unnest([0.5, 0.25, 0.75]) as n")
    counts = cap.count_scores("y", "n", data=relation)
    assert (counts.n1, counts.n0) == (2, 1)
    connection.close()


# Ways of naming files


@pytest.mark.merge
def test_a_path_a_list_and_a_glob_are_the_same_rows(tmp_path):
    table = pa.table(DATA)
    paths = [tmp_path / f"part {i}.parquet" for i in range(3)]
    for i, path in enumerate(paths):
        pyarrow.parquet.write_table(table.slice(i * 30, 30), path)
    expected = cap.count_scores(DATA["y"], DATA["s"])
    for data in (paths, [str(p) for p in paths], str(tmp_path / "part*.parquet")):
        assert_same(cap.count_scores("y", "s", data=data), expected)
    parts = [cap.count_scores("y", "s", data=path) for path in paths]
    assert_same(cap.ScoreCounts.merge(parts), expected)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises((ValueError, OSError), match="nowhere"):
        cap.count_scores("y", "s", data=str(tmp_path / "nowhere.csv"))
    with pytest.raises((ValueError, OSError), match="nowhere"):
        cap.count_scores("y", "s", data=str(tmp_path / "nowhere*.parquet"))


def test_inputs_stay_as_they_were():
    frame = pd.DataFrame(DATA)
    before = frame.copy(deep=True)
    cap.count_scores("y", "s", data=frame, weight="w", weight_kind="exposure")
    cap.count_segments("y", "s", data=frame, by="month")
    pd.testing.assert_frame_equal(frame, before)
    lazy = pl.LazyFrame(DATA)
    assert cap.count_scores("y", "s", data=lazy) == cap.count_scores("y", "s", data=lazy)


@pytest.mark.parametrize("kind", ["mapping", "pandas", "lazy", "csv", "parquet"])
def test_a_pattern_takes_the_columns_of_such_names_but_those_of_other_roles(kind, tmp_path):
    columns = {"s_id": [1, 2, 3, 4], "y": [1, 0, 1, 0], "s2": [3, 1, 2, 4], "s1": [1, 2, 3, 4]}
    columns |= {"old": [4, 3, 2, 1], "as": [1, 1, 2, 2]}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    data = {
        "mapping": columns,
        "pandas": frame,
        "lazy": pl.LazyFrame(columns),
        "csv": tmp_path / "rows.csv",
        "parquet": str(tmp_path / "rows.parquet"),
    }[kind]
    found = cap.count_joint("y", ["old", "s*"], data=data, cluster="s_id")
    assert found.names == ("old", "s2", "s1")
    assert found.margin("s2") == cap.count_scores("y", "s2", data=data, cluster="s_id")
    with pytest.raises(ValueError, match=r"^no column matches 'pd\*'; the data has 's_id', 'y', "):
        cap.count_joint("y", "pd*", data=data)
    with_star = cap.count_joint("y", ["s*", "s1"], data={**columns, "s*": [0, 1, 1, 1]})
    assert with_star.names == ("s*", "s1")  # a column of that very name is meant
