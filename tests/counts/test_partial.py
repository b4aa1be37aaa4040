"""Counts of which some outcomes are not known: from rows, from tables, added up and saved."""

import copy
import json
import math
import pickle
from collections import Counter
from itertools import islice

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import capcurve as cap
from capcurve.input.files import Files
from needs import REQUIRED

ROWS = 90
TARGET = [None if i % 7 == 2 else int(i % 5 == 0) for i in range(ROWS)]
SCORE = [(i * i) % 11 / 8 for i in range(ROWS)]
OTHER = [(i * 7) % 4 for i in range(ROWS)]
COLUMNS = {
    "y": TARGET,
    "status": [
        None if i % 11 == 0 else ["good", "bad", "open", "left"][i * i % 4 + (i % 13 == 0)]
        for i in range(ROWS)
    ],
    "s": SCORE,
    "o": OTHER,
    "grade": ["ABC"[i % 3] for i in range(ROWS)],
    "w": [i % 3 / 4 + 0.25 for i in range(ROWS)],
    "times": [i % 4 for i in range(ROWS)],
    "id": [i // 3 for i in range(ROWS)],
}
LABELS = {"pos_label": "bad", "unknown_label": ["open", "left"]}
ASKED = {
    "nulls": ("y", "s", {}),
    "labels": ("status", "s", LABELS),
    "falling": ("y", "s", {"higher_is": "negative"}),
    "grades": ("y", "grade", {"levels": ["C", "A", "B"]}),
    "weights": ("y", "s", {"weight": "w", "weight_kind": "sampling"}),
    "frequencies": ("status", "s", {"weight": "times", "weight_kind": "frequency", **LABELS}),
    "a grid": ("y", "s", {"resolution": 0.25}),
    "clusters": ("status", "s", {"cluster": "id", **LABELS}),
}


def by_hand(target, score, said):
    """Split the rows with a list and count each part the ordinary way."""
    labels = {None, *said.get("unknown_label", ())}
    rules = {name: value for name, value in said.items() if name != "unknown_label"}
    known = [label not in labels for label in COLUMNS[target]]
    rows = {
        name: [v for v, kept in zip(values, known, strict=True) if kept]
        for name, values in COLUMNS.items()
    }
    rest = {
        name: [v for v, kept in zip(values, known, strict=True) if not kept]
        for name, values in COLUMNS.items()
    }
    counts = cap.count_scores(target, score, data=rows, **rules)
    rules.pop("pos_label", None)
    return cap.PartialCounts(counts, cap.count_cases(score, data=rest, **rules))


EXPECTED = {name: by_hand(*asked) for name, asked in ASKED.items()}


class Doors:
    """The same rows in everything that columns may come in."""

    def __init__(self, folder, cleanup):
        self.folder, self.cleanup = folder, cleanup

    def mapping(self):
        return COLUMNS

    def arrays(self):
        floats = {"y": np.array([math.nan if v is None else v for v in TARGET])}
        return {name: np.array(v, dtype=object) for name, v in COLUMNS.items()} | floats

    def pandas(self):
        return pd.DataFrame(COLUMNS)

    def pandas_nullable(self):
        return pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="numpy_nullable")

    def pandas_categories(self):
        return pd.DataFrame(COLUMNS).astype({"status": "category"})

    def polars(self):
        return pl.DataFrame(COLUMNS)

    def polars_lazy(self):
        return pl.DataFrame(COLUMNS).lazy()

    def arrow(self):
        return pa.table(COLUMNS)

    def duckdb(self):
        connection = duckdb.connect()
        self.cleanup(connection.close)
        return connection.from_arrow(pa.table(COLUMNS))

    def csv(self):
        pd.DataFrame(COLUMNS).convert_dtypes().to_csv(self.folder / "rows.csv", index=False)
        return str(self.folder / "rows.csv")

    def json_lines(self):
        pl.DataFrame(COLUMNS).write_ndjson(self.folder / "rows.jsonl")
        return self.folder / "rows.jsonl"

    def parquet_files(self):
        for place in range(3):
            part = pa.table(COLUMNS).slice(30 * place, 30)
            pyarrow.parquet.write_table(part, self.folder / f"part{place}.parquet")
        return Files.of(str(self.folder / "*.parquet"))


KINDS = [name for name in vars(Doors) if not name.startswith("_")]


@pytest.fixture
def rows(request, tmp_path):
    return lambda how: getattr(Doors(tmp_path, request.addfinalizer), how)()


def asked_of(how):
    """Return what is asked of an input: of files half of it, and all where a merge is judged."""
    if REQUIRED or how not in {"csv", "json_lines", "parquet_files"}:
        return ASKED
    return dict(islice(ASKED.items(), KINDS.index(how) % 2, None, 2))


@pytest.mark.turns(3)
@pytest.mark.parametrize("how", KINDS)
def test_every_input_counts_alike(how, rows):
    data = rows(how)
    for told, (target, score, said) in asked_of(how).items():
        found = cap.count_partial(target, score, data=data, **said)
        assert found == EXPECTED[told], told
        assert found.digest() == EXPECTED[told].digest(), told
        assert found.known.groups == EXPECTED[told].known.groups, told
        assert found.unknown.groups == EXPECTED[told].unknown.groups, told


@pytest.mark.parametrize("how", KINDS)
def test_every_input_counts_several_scores_alike(how, rows):
    data = rows(how)
    found = cap.count_partial("status", ["s", "o"], data=data, **LABELS)
    assert found.names == ("s", "o")
    for name in found.names:
        alone = cap.count_partial("status", name, data=COLUMNS, **LABELS)
        assert found.margin(name) == alone
        assert found.margin(name).digest() == alone.digest()
    assert (found.known.n1, found.unknown.n) == (EXPECTED["labels"].known.n1, found.unknown.n)


@pytest.mark.turns(3)
@pytest.mark.parametrize("how", KINDS)
def test_every_input_counts_cases_alike(how, rows):
    data = rows(how)
    for told, (_, score, said) in asked_of(how).items():
        rules = {name: value for name, value in said.items() if not name.endswith("label")}
        found = cap.count_cases(score, data=data, **rules)
        assert found.digest() == EXPECTED[told].cases.digest(), told
    joint = cap.count_joint_cases(["s", "o"], data=data)
    assert joint == cap.count_partial("y", ["s", "o"], data=COLUMNS).cases
    assert dict(zip(zip(*joint.scores, strict=True), joint.cases, strict=True)) == Counter(
        zip(SCORE, OTHER, strict=True)
    )


def test_columns_may_be_given_in_place_of_names():
    found = cap.count_partial(TARGET, SCORE)
    assert found == EXPECTED["nulls"]
    assert found.names == ()
    several = cap.count_partial(TARGET, {"s": SCORE, "o": OTHER})
    assert several.margin("s") == EXPECTED["nulls"]
    assert cap.count_partial(TARGET, [SCORE, OTHER]).names == ("score 1", "score 2")


def test_the_parts_are_what_they_are_called():
    found = EXPECTED["nulls"]
    unlabelled = [s for s, y in zip(SCORE, TARGET, strict=True) if y is None]
    assert found.unknown.n == len(unlabelled) == 13
    at = Counter(unlabelled)
    assert dict(zip(found.unknown.score, found.unknown.cases, strict=True)) == at
    assert (found.n, found.known.n1) == (ROWS, TARGET.count(1))
    assert found.cases == cap.count_cases(SCORE)
    assert repr(found) == "PartialCounts(known=77, positives=16, unknown=13, distinct scores=6)"


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_written_down_is_read_back(name):
    counts = EXPECTED[name]
    saved = json.loads(json.dumps(counts.to_dict(), allow_nan=False))
    back = cap.PartialCounts.from_dict(saved)
    assert back == counts
    assert back.digest() == counts.digest() == saved["digest"]
    assert back.known.groups == counts.known.groups
    for other in (copy.deepcopy(counts), pickle.loads(pickle.dumps(counts))):  # noqa: S301 - our own
        assert other == counts
        assert hash(other) == hash(counts)
    with pytest.raises(ValueError, match="changed after they were saved"):
        cap.PartialCounts.from_dict({**saved, "digest": "0" * 64})
    for part in ("known", "unknown"):
        swapped = {**saved, part: saved["unknown" if part == "known" else "known"]}
        with pytest.raises(ValueError, match="changed after they were saved"):
            cap.PartialCounts.from_dict(swapped)
        for damaged in (None, 3, [], {}):
            with pytest.raises(ValueError, match=r"damaged|expected format"):
                cap.PartialCounts.from_dict({**saved, part: damaged})
    with pytest.raises(ValueError, match="expected format"):
        cap.PartialCounts.from_dict(counts.known.to_dict())
    with pytest.raises(ValueError, match="expected format"):
        cap.PartialCounts.from_dict([])


def test_digests_tell_known_from_unknown():
    one = cap.PartialCounts.from_counts([1], [1], [2], [3])
    other = cap.PartialCounts.from_counts([1], [1], [3], [2])
    assert len({one.digest(), other.digest(), one.known.digest(), one.cases.digest()}) == 4
    assert one != other


def test_a_table_that_is_counted():
    found = cap.PartialCounts.from_counts(
        ["A", "B", "A"], [0, 3, 1], [4, 5, 0], [0, 7, 2], levels=["B", "A"]
    )
    assert found.known.positives.tolist() == [3, 1]
    assert found.unknown.cases.tolist() == [7, 2]
    assert found.levels == ("B", "A")
    one_shot = cap.PartialCounts.from_counts(
        ["A", "B"], [1, 3], [4, 5], [2, 7], levels=iter(["B", "A"])
    )
    assert one_shot == found


def test_all_or_none_may_be_unknown():
    none = cap.count_partial([1, 0], [2, 1])
    assert (none.unknown.n, len(none.unknown)) == (0, 0)
    assert none.known == cap.count_scores([1, 0], [2, 1])
    assert none.cases == cap.count_cases([2, 1])
    for target in ([None, None], [math.nan, math.nan]):
        every = cap.count_partial(target, [2, 1], higher_is="negative")
        assert (every.known.n, every.unknown.n) == (0, 2)
        assert every.higher_is == "negative"
    weighted = cap.count_partial([None, None], [2, 1], weight=[1.5, 2], cluster=[1, 2])
    assert (weighted.known.n, weighted.unknown.cases.tolist()) == (0, [1.5, 2])
    alone = cap.count_partial([1, None, 1], [2, 1, 2], unknown_label=0)
    assert (alone.known.n1, alone.known.n0, alone.unknown.n) == (2, 0, 1)


def test_nulls_and_listed_labels_are_both_unknown():
    found = cap.count_partial([1, 0, 9, None, math.nan, 8], [1] * 6, unknown_label=[8, 9.0])
    assert (found.known.n1, found.known.n0, found.unknown.n) == (1, 1, 4)
    several = [("open",), {"open"}, frozenset(["open"]), np.array(["open"]), "open", ["open", None]]
    for label in several:
        one = cap.count_partial(["bad", "open"], [1, 2], pos_label="bad", unknown_label=label)
        assert one.unknown.score.tolist() == [2]
    days = pd.to_datetime(["2024-01-31", "2024-02-29", "1900-01-01"])
    dated = cap.count_partial(
        days, [1, 2, 3], pos_label=days[0], unknown_label=pd.Timestamp("1900-01-01")
    )
    assert dated.unknown.score.tolist() == [3]


def test_a_missing_score_is_missing_also_where_the_outcome_is_unknown():
    target, score = [1, 0, None, None], [0.5, None, None, 0.25]
    with pytest.raises(ValueError, match=r"score is missing .* in 2 of 4 rows, first in row 1"):
        cap.count_partial(target, score)
    found = cap.count_partial(target, score, missing="drop")
    assert (found.known.n, found.unknown.n) == (1, 1)
    assert (found.dropped.rows, found.dropped.columns) == (2, {"score": 2})
    assert found.known.dropped.rows == found.unknown.dropped.rows == 1


def test_a_class_of_no_weight_is_refused_and_unknown_ones_are_not():
    with pytest.raises(ValueError, match="weight is zero for all 1 positives"):
        cap.count_partial([1, 0, None], [1, 2, 3], weight=[0, 1, 1])
    found = cap.count_partial([1, 0, None], [1, 2, 3], weight=[1, 1, 0])
    assert found.unknown.n == 0


def of_two():
    return cap.count_partial("y", ["s", "o"], data=COLUMNS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cap.count_partial(["a", "b", "c"], [1, 2, 3]),
            r"two classes.* holds 'a' \(1\), 'b' \(1\), 'c' \(1\);.*with unknown_label=",
        ),
        (
            lambda: cap.count_partial(["a", "b", "c"], [1, 2, 3], pos_label="a", unknown_label="d"),
            r"more than two classes: 'a' \(1\), .*; choose rest=.*; list labels.*unknown_label=",
        ),
        (
            lambda: cap.count_partial(["a", "b"], [1, 2], pos_label="a", unknown_label=["b", "a"]),
            "pos_label='a' is among the unknown labels too",
        ),
        (lambda: cap.count_partial(["a", "b"], [1, 2], unknown_label="c"), "pos_label='b'"),
        (
            lambda: cap.count_partial([1, 0], [1, 2], unknown_label=[["a"]]),
            "unknown_label takes one label or a list of labels, got",
        ),
        (
            lambda: cap.count_partial([1, 0], [1, 2], unknown_label={"a": 1}),
            "unknown_label takes one label or a list of labels, got",
        ),
        (lambda: cap.count_partial([1, 0, None], [1, 2]), "target has 3 rows and score has 2"),
        (lambda: cap.count_partial([1, 0], [1, 2], cluster=[1]), "target has 2 rows and cluster"),
        (lambda: cap.count_partial([[1, 0]], [1]), "target must have one dimension"),
        (lambda: cap.count_partial(None, [1]), "target must be a column of values, got NoneType"),
        (lambda: cap.count_partial("y", "S", data=COLUMNS), r"no column 'S'.*did you mean 's'"),
        (lambda: cap.count_partial("y", [], data=COLUMNS), "no score was named"),
        (lambda: cap.count_partial([1, None], [1, 2], missing="keep"), "missing must be"),
        (
            lambda: cap.PartialCounts.from_counts([1, 2], [1, 2], [1, 2], [1]),
            "score has 2 rows and unknown has 1",
        ),
        (lambda: cap.PartialCounts.from_counts([1], [1], [2], [-3]), "unknown holds -3"),
        (lambda: cap.PartialCounts.from_counts([1], [1], [2], ["x"]), "unknown holds text"),
        (lambda: cap.PartialCounts.from_counts([1], [-1], [2], [3]), "positives holds -1"),
        (lambda: cap.PartialCounts.merge([]), "no partial counts to add up"),
        (lambda: EXPECTED["nulls"] + EXPECTED["falling"], "higher_is='positive' and"),
        (
            lambda: cap.PartialCounts(EXPECTED["nulls"].known, EXPECTED["falling"].unknown),
            "higher_is='positive' and higher_is='negative' do not add",
        ),
        (
            lambda: cap.PartialCounts(EXPECTED["nulls"].known, EXPECTED["weights"].unknown),
            "weight_kind=None and weight_kind='sampling'",
        ),
        (
            lambda: cap.PartialCounts(EXPECTED["nulls"].known, EXPECTED["clusters"].unknown),
            "counts with clusters and counts without",
        ),
        (
            lambda: cap.PartialCounts(EXPECTED["nulls"].known, EXPECTED["nulls"].known),
            "known takes ScoreCounts and unknown CaseCounts",
        ),
        (lambda: of_two().digest(), r"several scores have no digest; .*margin\('s'\)"),
        (lambda: of_two().to_dict(), r"several scores have no saved form; .*margin\('s'\)"),
        (lambda: of_two().margin("x"), r"no score 'x' here; have \['s', 'o'\]"),
        (lambda: EXPECTED["nulls"].margin("s"), "no score 's' here: these are counts of one"),
        (lambda: of_two() + EXPECTED["nulls"], "with their like"),
        (
            lambda: cap.roc_auc(EXPECTED["nulls"]),
            r"roc_auc needs every outcome, and 13 of 90 .*unknown_bounds.*roc_auc\(partial.known\)",
        ),
        (lambda: cap.compare(of_two()), r"say how labels were chosen.*unknown_bounds\(partial\)"),
        (lambda: cap.evaluate(EXPECTED["nulls"]), "evaluate needs a target"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as refused:
        call()
    assert "\n" not in str(refused.value)
