"""json lines, and json files that hold one list of records: exact keys, exact numbers."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING

from capcurve.input.files.engine import literal_path, one_line, one_of, select, text
from capcurve.input.files.sources import decode_head
from capcurve.input.files.table import Relation, Table
from capcurve.input.files.textvalues import (
    PLAIN,
    Kind,
    Meaning,
    lost_range,
    matches,
    refuse_lost_digits,
    whole_kind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from capcurve.input.files.sources import Files, Source

# A digit other than 0, and after it an exponent of three digits; or very many noughts first.
_MAY_BE_TINY = "[1-9][0-9.]*[eE]-0*[1-9][0-9]{2}|0{300}"


def open_json(connection: duckdb.DuckDBPyConnection, source: Source) -> Table:
    """Open a json file: one column per key, as text beside the type it was written in.

    Column ci holds the text of key i, and ti its json type, null where the record lacks the key.
    """
    decode_head(source)
    _refuse_cut_list(source)
    records = (
        f"read_json_objects({literal_path(source.path)}, format = 'auto', "
        f"compression = '{source.compression}')"
    )
    found = Relation(connection, source.label, records)
    rows = found.rows(["DISTINCT json_type(json)", "json_keys(json)"])
    shapes = sorted(((shape, keys or []) for shape, keys in rows), key=lambda s: (-len(s[1]), s[1]))
    for shape, _ in shapes:
        if shape != "OBJECT":
            raise ValueError(
                f"{source.label} holds a record that is {_a(shape)}; "
                f'every record must be an object such as {{"target": 1, "score": 0.5}}'
            )
    if not shapes:
        raise ValueError(f"{source.label} is empty: it has no records")
    # A key that some record holds twice stands twice here, so that asking for it is refused.
    names: list[str] = []
    for _, keys in shapes:
        names += [key for i, key in enumerate(keys) if keys[: i + 1].count(key) > names.count(key)]
    return Table(connection, source.label, _relation(records, names), "json", tuple(names))


def _refuse_cut_list(source: Source) -> None:
    """Raise ValueError for a list without an end, which DuckDB reads up to its last comma."""
    if (
        source.head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["
        and source.last_byte() != b"]"
    ):
        raise ValueError(
            f"{source.label} is cut short: it begins with [ and does not end with ]; copy it again"
        )


def survey_json(table: Table, names: Sequence[str], files: Files) -> dict[str, Meaning]:
    """Judge what keys hold, over every record, by the types json itself gives."""
    meanings = {}
    for name in names:
        place = table.position(name)
        field = f"c{place}"
        word = f"t{place} = 'VARCHAR' AND {one_of(field, files.null_values)}"
        raw = f"CASE WHEN NOT ({word}) THEN {field} END"
        kind = _kind(table, name, raw)
        meanings[name] = Meaning(kind, raw, f"({raw})")
        if kind == "number":
            refuse_lost_digits(table, name, meanings[name])
            _refuse_lost_to_nought(table, name)
    return meanings


def _refuse_lost_to_nought(table: Table, name: str) -> None:
    """Refuse numbers such as 1e-400, of which DuckDB's reader of json leaves only 0.0."""
    place = table.position(name)
    nought = f"t{place} = 'DOUBLE' AND c{place} IN ('0.0', '-0.0')"
    tiny = f"{nought} AND regexp_matches(record, {text(_MAY_BE_TINY)})"
    with one_line(table.label):
        found = table.connection.execute(select(["record"], table.relation, f"WHERE {tiny}"))
        while rows := found.fetchmany(1000):
            for (record,) in rows:
                word = json.loads(record, parse_float=str)[name]
                if re.search("[1-9]", word.lower().partition("e")[0]):
                    raise ValueError(lost_range(name, table.label, word, "0"))


def _kind(table: Table, name: str, raw: str) -> Kind:
    column, shape = f"column {name!r} of {table.label}", f"t{table.position(name)}"
    number = f"{shape} IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
    whole = f"{number} AND {matches(raw, PLAIN.whole)}"
    counted = [number, whole, f"{shape} = 'BOOLEAN'", f"{shape} = 'ARRAY'", f"{shape} = 'OBJECT'"]
    fields = [f"count({raw})", *(f"count_if(({raw}) IS NOT NULL AND {c})" for c in counted)]
    fits = [f"count(TRY_CAST(({raw}) AS {t}))" for t in ("BIGINT", "UBIGINT")]
    n, numbers, wholes, truths, lists, objects, signed, unsigned = table.row(fields + fits)
    if lists or objects:
        found = "lists; take one element of each" if lists else "objects; take one field of each"
        raise ValueError(f"{column} holds {found} and write it as a key of its own")
    if n == wholes:
        return whole_kind((n, signed, unsigned), column) if n else "empty"
    if n in (numbers, truths):
        return "number" if n == numbers else "boolean"
    if numbers or truths:
        found = " and ".join(w for w, c in (("numbers", numbers), ("true/false", truths)) if c)
        texts = " and text" if numbers + truths < n else ""
        raise ValueError(f"{column} mixes {found}{texts}; write all its values as one type")
    return "text"


def _a(shape: str) -> str:
    words = {"ARRAY": "a list", "VARCHAR": "a text", "NULL": "null", "BOOLEAN": "a boolean"}
    return words.get(shape, "a number")


def _relation(records: str, names: list[str]) -> str:
    """Write the SQL that takes every key out by an exact pointer."""
    fields = []
    for i, name in enumerate(names):
        pointer = text("/" + name.replace("~", "~0").replace("/", "~1"))
        fields.append(f"json_extract_string(json, {pointer}) AS c{i}")
        fields.append(f"json_type(json, {pointer}) AS t{i}")
    return f"({select([*fields, 'json AS record'], records)})"
