"""Saved counts that were damaged anywhere come back as they were, or are refused in one line."""

from __future__ import annotations

import json
from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from capcurve import (
    ScoreCounts,
    count_scores,
    count_segments,
    count_values,
    read_counts,
    write_counts,
)
from capcurve.input.files import Files, read_cells
from capcurve.input.files.cells import AskedOfTable, OpenTable, header_of
from capcurve.input.files.reading import open_files
from capcurve.input.files.savedcells import columns_of, counts_in, header_in

DEEP, DEEP_RECORDS = "[" * 100_000, '{"a":' * 50_000
# What stands in for a value of the settings: other types, other sizes, nothing at all.
OTHERS = (True, 10**6, -1, 2**70, 1.5, "x", "", [], [1], {}, {"x": 1}, float("nan"), [{}])


def saved_cases():
    rng = np.random.default_rng(11)
    y, score = rng.random(60) < 0.4, rng.integers(1, 4, 60)
    ids, weight = rng.integers(0, 9, 60), rng.random(60)
    grades = np.array(["A", "B", "C"])[score - 1]
    gaps = np.where(score == 2, np.nan, score)
    months = np.array([2024, 2025])[ids % 2]
    parts = {"1": count_scores(y, score), "02": count_scores(y, gaps, missing="drop")}
    return {
        "direction": count_scores(y, score, higher_is="negative"),
        "grades": count_scores(y, grades, levels=["C", "B", "A"]),
        "resolution": count_scores(y, score / 7, resolution=0.25),
        "weights": count_scores(y, score, weight=weight, weight_kind="sampling"),
        "clusters": count_scores(y, score, cluster=ids, weight=weight),
        "dropped": count_scores(y, gaps, missing="drop"),
        "segments": parts,
        "amounts": count_values(
            np.where(y, weight, 0), gaps, exposure=weight, higher_is="negative", missing="drop"
        ),
        "none": count_scores([], [], cluster=[], levels=["C", "B", "A"]),
        "no weights": {
            "a": count_scores([], [], cluster=[], weight=[], resolution=0.25),
            "b": count_scores([], [], cluster=[], weight=[], resolution=0.25, missing="drop"),
        },
        "no amounts": count_values([], [], exposure=[], cluster=[]),
        "months": count_segments(y, score, by=months, higher_is="negative"),
    }


CASES = saved_cases()


def told(counts):
    """Return everything that counts hold, comparable by ==."""
    if isinstance(counts, Mapping):
        return {(type(key), key): told(part) for key, part in counts.items()}
    return json.dumps(counts.to_dict())


def refused_or_same(path, expected):
    """Read a table; return whether it was refused, which is one line that names it."""
    try:
        found = read_counts(path)
    except ValueError as error:
        message, kind = str(error), type(error)
    else:
        assert told(found) == expected
        return False
    assert kind is ValueError
    assert "\n" not in message
    assert len(message) < 500
    assert path.name in message
    return True


def places_in(value, place=()):
    """Yield where every value of nested settings stands."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items)[:4] if isinstance(value, list) else items:
        yield (*place, key)
        if isinstance(item, dict | list):
            yield from places_in(item, (*place, key))


def changed_at(settings, place, value):
    found = json.loads(json.dumps(settings))
    inside = found
    for key in place[:-1]:
        inside = inside[key]
    if value is Ellipsis:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return found


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("name", CASES)
def test_a_table_is_read_back_as_it_was(tmp_path, name, suffix):
    path = tmp_path / f"cells.{suffix}"
    write_counts(CASES[name], path)
    assert told(read_counts(path)) == told(CASES[name])


def header_and_columns(path):
    with open_files(Files.of(path)) as tables:
        header = header_of(tables[0])
        table = OpenTable(tables[0], Files.of(path), AskedOfTable())
        return json.loads(header), table.read(columns_of(json.loads(header)))


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", CASES)
def test_headers_damaged_at_any_key(tmp_path, name):
    path = tmp_path / "cells.parquet"
    write_counts(CASES[name], path)
    header, columns = header_and_columns(path)
    places = list(places_in(header))
    damaged = [changed_at(header, place, other) for place in places for other in OTHERS]
    damaged += [changed_at(header, place, Ellipsis) for place in places]
    for text in {json.dumps(found) for found in damaged} - {json.dumps(header)}:
        with pytest.raises(ValueError, match=r"was changed|expected format|of version") as caught:
            counts_in(header_in(text), columns, {})
        assert "\n" not in str(caught.value)
    found = counts_in(header_in(json.dumps(header)), columns, {})
    assert told(found) == told(CASES[name])


@pytest.mark.parametrize("asked", [{}, {"higher_is": "negative"}])
@pytest.mark.parametrize("name", ["segments", "dropped"])
def test_json_damaged_at_any_key(tmp_path, name, asked):
    path = tmp_path / "cells.json"
    write_counts(CASES[name], path)
    saved = json.loads(path.read_text(encoding="utf-8"))
    for place in places_in(saved):
        others = () if "cells" in place else (None, 5, "x", [], {}, Ellipsis)
        for changed in (changed_at(saved, place, other) for other in others):
            if changed == saved:
                continue
            path.write_text(json.dumps(changed), encoding="utf-8")
            with pytest.raises(ValueError, match=r"cells.json: (the counts are|expected format)"):
                read_counts(path, **asked)


@pytest.mark.parametrize("text", ["{", "null", "[]", "", "{}", "5", "\xff", DEEP, DEEP_RECORDS])
def test_headers_that_are_none(tmp_path, text):
    path = tmp_path / "cells.parquet"
    write_counts(CASES["months"], path)
    pq.write_table(pq.read_table(path).replace_schema_metadata({"capcurve": text}), path)
    assert refused_or_same(path, None)
    path = tmp_path / "cells.json"
    path.write_text(text, encoding="utf-8")
    assert refused_or_same(path, None)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["weights", "clusters", "months"])
def test_cells_damaged_anywhere(tmp_path, name):
    path = tmp_path / "cells.parquet"
    write_counts(CASES[name], path)
    expected, kept = told(read_counts(path)), pq.read_table(path)
    refused = 0
    for place, column in enumerate(kept.columns):
        for row, other in ((0, column[-1]), (1, column[-1]), (0, None), (1, None)):
            cells = column.to_pylist()
            cells[row] = None if other is None else other.as_py()
            changed = pa.array(cells, column.type)
            pq.write_table(kept.set_column(place, kept.field(place), changed), path)
            refused += refused_or_same(path, expected)
    assert refused > 2 * len(kept.columns)


def test_bytes_damaged_anywhere_in_parquet(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts(CASES["weights"], path)
    data = path.read_bytes()
    with duckdb.connect() as connection:
        notes = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?)", [str(path)]
        ).fetchall()[0][0]
    expected = told(read_counts(path))
    start = data.index(bytes(notes))
    for place in range(start, start + len(notes), 97):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x15]) + data[place + 1 :])
        assert refused_or_same(path, expected)


@pytest.mark.parametrize("name", CASES)
def test_a_table_that_lost_rows_of_its_header_is_refused(tmp_path, name):
    path = tmp_path / "cells.parquet"
    write_counts(CASES[name], path)
    kept = pq.read_table(path)
    for table in (kept.slice(0, 0), kept.slice(1), kept.drop_columns(["score"])):
        pq.write_table(table, path)
        assert len(kept) == 0 or refused_or_same(path, None)


@pytest.mark.parametrize("place", range(8))
@pytest.mark.parametrize("name", ["none", "dropped", "segments"])
def test_a_damaged_name_of_the_settings_in_parquet(tmp_path, name, place):
    path = tmp_path / "cells.parquet"
    write_counts(CASES[name], path)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"\x08capcurve") + 1 + place] ^= 0x15
    path.write_bytes(data)
    assert refused_or_same(path, None)


def test_a_table_without_its_settings_is_read_as_it_stands(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts(CASES["direction"], path)
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    assert read_cells(Files.of(path), higher_is="negative") == CASES["direction"]


def test_a_column_of_settings_in_another_table_is_its_own(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("score,n,bad,settings\n3,5,4,a\n2,10,1,{b\n", encoding="utf-8")
    assert read_cells(Files.of(path)) == ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_names_that_a_spreadsheet_takes_for_formulas_stay_as_they_are(tmp_path, suffix):
    names = ["=1+1", "@SUM(A1:A9)", "+2", "-3", "'=4"]
    counts = ScoreCounts.from_counts(names, [1, 2, 3, 4, 5], [5, 4, 3, 2, 1], levels=names)
    write_counts({"=a": counts, "-b": counts}, tmp_path / f"cells.{suffix}")
    found = read_counts(tmp_path / f"cells.{suffix}", levels=names)
    assert found == {"=a": counts, "-b": counts}
    assert found["=a"].levels == tuple(names)
