"""csv, json and parquet files as they are found in the world: exact names, exact values."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from dataclasses import dataclass, replace
from itertools import filterfalse, islice
from typing import TYPE_CHECKING

import numpy as np

from capcurve.input.files.arrow import PLAIN_TYPES
from capcurve.input.files.engine import (
    FileTable,
    Relation,
    file_in_one_line,
    literal_path,
    mixed_line_ends,
    one_of,
    reads_as_number,
    select,
    text,
)
from capcurve.input.files.sources import Files, Source, decode_head
from capcurve.input.files.textvalues import (
    PLAIN_GRAMMAR,
    TextKind,
    TextMeaning,
    lost_range,
    matches,
    refuse_lost_digits,
    whole_kind,
)
from capcurve.numbers.arguments import arg, of_file
from capcurve.numbers.decimals import EXACT_DIGITS, LongDecimals

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import duckdb

    from capcurve.input.columns import InputColumn

_CALLED = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_DELIMITERS = tuple(_CALLED)  # where two fit equally, a comma may also be a decimal mark
_ROWS = 200
_LONGEST = 40  # letters that a message shows of a line
_WORD = re.compile(r'"[^"]*"|\S+')  # between blanks, of which quoted text may hold some
_SEPARATOR = re.compile(r'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)  # Excel's first line
_COMMENTS = ("#", "//", "%", "--")
_NO_WORD = "\x1fnone\x1f"  # DuckDB must be given one; this is in no file
# A digit other than 0, and after it an exponent of three digits; or very many noughts first.
_MAY_BE_TINY = "[1-9][0-9.]*[eE]-0*[1-9][0-9]{2}|0{300}"
_JSON_TYPES = {"ARRAY": "a list", "VARCHAR": "a text", "NULL": "null", "BOOLEAN": "a boolean"}
_DECIMAL_DIGITS = 38  # as many as DuckDB reads
HALF_FLOAT = "HALF FLOAT"  # a float of 16 bits, which DuckDB hands over in 32
_AS_STORED = {*PLAIN_TYPES, HALF_FLOAT, "VARCHAR", "DATE"}
_AS_STORED |= {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}
_AS_TEXT = {"UUID", "JSON", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "BIT"}


@dataclass(frozen=True, slots=True)
class CsvHeader:
    """The first line with names: where it stands, what it holds, how it ends, what follows."""

    skip: int
    names: tuple[str, ...]
    delimiter: str
    line_end: str
    more: bool
    advice: str = ""  # what to pass where it looks as if it held no names


def open_csv(connection: duckdb.DuckDBPyConnection, source: Source, files: Files) -> FileTable:
    """Open a csv file in UTF-8, to be read by position, all its fields as text."""
    header = read_header(source, files)
    return FileTable(
        connection,
        source.label,
        _csv_relation(source, header, files.null_values),
        "csv",
        header.names,
        delimiter=header.delimiter,
        more=header.more,
        path=source.path,
        head=source.head,
        advice=header.advice,
    )


def read_header(source: Source, files: Files) -> CsvHeader:
    """Read the exact names of a file in UTF-8, with the delimiter that was said or fits best."""
    whole = decode_head(source)
    lines = list(io.StringIO(whole, newline=""))
    before = files.skip_lines
    said = _SEPARATOR.fullmatch("".join(lines[before : before + 1]))
    before += said is not None
    sample = "".join(lines[before:])
    mark = files.delimiter or (said and said[1]) or _find_delimiter(sample, source)
    header = _first_names(sample, source, mark)
    for word in files.null_values if len(header.names) > 1 else ():
        if mark in word or '"' in word:
            raise ValueError(
                f"{source.label} cannot be read with {arg(null_values=[word])}: it holds "
                f"{mark if mark in word else chr(34)!r}, by which its fields are told apart"
            )
    header = replace(header, skip=before + header.skip)
    return replace(header, advice=_advice(whole, header))


def _first_names(sample: str, source: Source, mark: str) -> CsvHeader:
    """Read the first line that is not blank, and refuse a line of dashes below it."""
    skip = 0
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=mark)
    try:
        for row in reader:
            if not _is_blank(row):
                lines = io.StringIO(sample, newline="")
                start = list(islice(lines, reader.line_num))
                lines_read = [*start[:skip], start[-1]]
                ends = {line[len(line.rstrip("\r\n")) :] for line in lines_read} - {""}
                if len(ends) > 1:
                    raise ValueError(mixed_line_ends(source.label))
                rest = lines.read().strip()
                _refuse_dashes(rest.splitlines()[:1], source, mark)
                _refuse_unnamed(row, rest, source, mark)
                return CsvHeader(skip, tuple(row), mark, next(iter(ends), "\n"), bool(rest))
            skip = reader.line_num
    except csv.Error:
        raise ValueError(
            f"{source.label}, line {skip + 1}: the column names cannot be read; "
            f"is a quote left open?"
        ) from None
    raise ValueError(f"{source.label} is empty: it has no column names and no rows")


def _refuse_dashes(first: Sequence[str], source: Source, mark: str) -> None:
    """Refuse a first line that only draws a rule under the names, as SQL clients write one."""
    line = "".join(first)
    if "---" in line and not line.strip("-=+|: " + mark):
        raise ValueError(
            f"{source.label} has the line {line[:_LONGEST]!r} under its column names, which is no "
            f"row; leave such lines out with {of_file(comment=line[:3])}"
        )


def _refuse_unnamed(names: Sequence[str], rest: str, source: Source, mark: str) -> None:
    """Refuse row names without a name: where a last field is missing, all names would move."""
    try:
        first = next(csv.reader(io.StringIO(rest, newline=""), delimiter=mark), [])
    except csv.Error:
        return  # it is told by its line when it is read
    numbers = any(map(reads_as_number, first))  # or the first line is a title, and the names follow
    if 1 < len(names) == len(first) - 1 and first[-1].strip() and numbers:
        raise ValueError(
            f"{source.label} has {len(first)} fields in its first row and {len(names)} names; "
            "name every field, or leave out row names: in R with row.names=FALSE"
        )


def _advice(sample: str, header: CsvHeader) -> str:
    """Say what to pass where the first line looks as if it did not hold the column names."""
    first = header.names[0].strip()
    sign = next((each for each in _COMMENTS if first.startswith(each)), None)
    if sign is not None:
        return f"; if lines with {sign} are comments, pass {of_file(comment=sign)}"
    found = {mark: _names_after(sample, mark) for mark in _DELIMITERS}
    mark, (above, width) = max(found.items(), key=lambda each: each[1][1])
    if width > len(header.names):
        if above == header.skip:
            typed = mark.replace("\t", r"\t")
            return f"; if {_CALLED[mark]} separate its fields, pass {of_file(delimiter=typed)}"
        return f"; if its column names are in line {above + 1}, pass {of_file(skip_lines=above)}"
    rows = [len(_WORD.findall(line)) for line in sample.splitlines()[:_ROWS] if line.strip()]
    more = {each - rows[0] for each in rows[1:-1] or rows[1:]}  # one where row names have no name
    if len(header.names) == 1 and rows[0] > 1 and (more <= {0} or more == {1}):
        return f"; if blanks separate its fields, pass {of_file(delimiter=' ')}"
    return ""


def _names_after(sample: str, mark: str) -> tuple[int, int]:
    """Return after how many lines rows of one width start that go on to the end, and the width."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=mark)
    start, width, end = 0, 0, 0
    try:
        for row in islice(reader, _ROWS):
            if not _is_blank(row) and len(row) != width:
                start, width = end, len(row)
            end = reader.line_num
    except csv.Error:
        return 0, 0
    return start, width


def _is_blank(row: Sequence[str]) -> bool:
    return len(row) <= 1 and not "".join(row).strip()


def _find_delimiter(sample: str, source: Source) -> str:
    """Find the delimiter under which the most rows have as many fields as the first."""
    fits: dict[str, tuple[float, int]] = {}
    for mark in _DELIMITERS:
        widths = _widths(sample, mark, whole=source.is_whole)
        if widths and widths[0] > 1:
            body = widths[1:] or widths
            fits[mark] = (body.count(widths[0]) / len(body), widths[0])
    name = source.label.lower().removesuffix(".gz").removesuffix(".zst")
    if "\t" in fits and name.endswith((".tsv", ".tab")):
        return "\t"
    if fits:
        return max(fits, key=lambda mark: fits[mark])
    unused = (mark for mark in (";", "\t", "|", "\x1f") if mark not in sample)
    return next(unused, ",")  # one column: nothing may be taken for a delimiter


def _widths(sample: str, mark: str, *, whole: bool) -> list[int]:
    """Count the fields of the first rows that are not blank."""
    widths: list[int] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=mark)
    try:
        for row in islice(filterfalse(_is_blank, reader), _ROWS):
            widths.append(len(row))  # noqa: PERF401 - what stands before a bad row counts
    except csv.Error:
        return widths
    return widths if whole or len(widths) == _ROWS else widths[:-1] or widths


def _csv_relation(source: Source, header: CsvHeader, null_values: tuple[str, ...]) -> str:
    """Write the SQL that reads the fields by position, as text, with their nulls."""
    alone = len(header.names) == 1
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header.names)))
    words = ", ".join(map(text, null_values))
    # In a file of one column a blank line is not a row, as it is not in any other file: only
    # an unquoted blank is null here, and is left out; quoted blanks are rows without a value.
    nulls = "[''], allow_quoted_nulls = false" if alone else f"[{words or text(_NO_WORD)}]"
    call = (
        f"read_csv({literal_path(source.path)}, auto_detect = false, header = true, "
        f"skip = {header.skip}, delim = {text(header.delimiter)}, quote = '\"', escape = '\"', "
        # Left to itself, DuckDB takes the first break it meets, which may stand in quotes.
        f"new_line = {text(header.line_end.encode('unicode_escape').decode())}, "
        f"compression = '{source.compression}', "
        f"columns = {{{columns}}}, nullstr = {nulls})"
    )
    if not alone:
        return call
    value = f"CASE WHEN NOT {one_of('c0', null_values)} THEN c0 END"
    return f"({select([f'{value} AS c0'], call, 'WHERE c0 IS NOT NULL')})"


def open_json(connection: duckdb.DuckDBPyConnection, source: Source) -> FileTable:
    """Open a json file: ci holds the text of key i, and ti its json type, null without the key."""
    decode_head(source)
    start = source.head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if start == b"[" and source.last_byte() != b"]":  # DuckDB would read up to the last comma
        raise ValueError(
            f"{source.label} is cut short: it begins with [ and does not end with ]; copy it again"
        )
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
                f"{source.label} holds a record that is {_JSON_TYPES.get(shape, 'a number')}; "
                f'every record must be an object such as {{"target": 1, "score": 0.5}}'
            )
    if not shapes:
        raise ValueError(f"{source.label} is empty: it has no records")
    # A key that some record holds twice stands twice here, so that asking for it is refused.
    names: list[str] = []
    for _, keys in shapes:
        names += [key for i, key in enumerate(keys) if keys[: i + 1].count(key) > names.count(key)]
    fields = []
    for i, name in enumerate(names):  # every key by an exact pointer
        pointer = text("/" + name.replace("~", "~0").replace("/", "~1"))
        fields.append(f"json_extract_string(json, {pointer}) AS c{i}")
        fields.append(f"json_type(json, {pointer}) AS t{i}")
    relation = f"({select([*fields, 'json AS record'], records)})"
    keys = tuple(names)
    return FileTable(connection, source.label, relation, "json", keys, path=source.path)


def survey_json(table: FileTable, names: Sequence[str], files: Files) -> dict[str, TextMeaning]:
    """Judge what keys hold, over every record, by the types json itself gives."""
    meanings = {}
    for name in names:
        place = table.position(name)
        field = f"c{place}"
        word = f"t{place} = 'VARCHAR' AND {one_of(field, files.null_values)}"
        raw = f"CASE WHEN NOT ({word}) THEN {field} END"
        kind = _json_kind(table, name, raw)
        meanings[name] = TextMeaning(kind, raw, f"({raw})")
        if kind == "number":
            refuse_lost_digits(table, name, meanings[name])
            _refuse_lost_to_nought(table, name)
    return meanings


def _refuse_lost_to_nought(table: FileTable, name: str) -> None:
    """Refuse numbers such as 1e-400, of which DuckDB's reader of json leaves only 0.0."""
    place = table.position(name)
    nought = f"t{place} = 'DOUBLE' AND c{place} IN ('0.0', '-0.0')"
    tiny = f"{nought} AND regexp_matches(record, {text(_MAY_BE_TINY)})"
    with file_in_one_line(table.label):
        found = table.connection.execute(select(["record"], table.relation, f"WHERE {tiny}"))
        while rows := found.fetchmany(1000):
            for (record,) in rows:
                word = json.loads(record, parse_float=str)[name]
                if re.search("[1-9]", word.lower().partition("e")[0]):
                    raise ValueError(lost_range(name, table.label, word, "0"))


def _json_kind(table: FileTable, name: str, raw: str) -> TextKind:
    column, shape = f"column {name!r} of {table.label}", f"t{table.position(name)}"
    number = f"{shape} IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
    whole = f"{number} AND {matches(raw, PLAIN_GRAMMAR.whole)}"
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
        word = table.row([f"min({raw}) FILTER ({shape} = 'VARCHAR')"])[0]
        if word is None:
            raise ValueError(f"{column} mixes {found}; write all its values as one type")
        raise ValueError(
            f"{column} mixes {found} and text such as {word!r}; write all its values as one type, "
            f"or pass {arg(null_values=[word])} where it means no value"
        )
    return "text"


def open_parquet(connection: duckdb.DuckDBPyConnection, source: Source) -> FileTable:
    """Open a parquet file, or say in one line that it is damaged."""
    path = literal_path(source.path)
    schema = Relation(connection, source.label, f"parquet_schema({path})")
    names, kinds, inside = [], [], 0  # depth first, past what lies inside a column
    fields = ["name", "num_children", "precision", "scale", "logical_type"]
    for name, children, digits, scale, meant in schema.rows(fields)[1:]:
        if inside:
            inside -= 1
        else:
            names.append(name)
            # DuckDB calls those a DOUBLE, and rounds them.
            wide = (digits or 0) > _DECIMAL_DIGITS
            half = HALF_FLOAT if meant == "Float16Type()" else None
            kinds.append(f"DECIMAL({digits},{scale})" if wide else half)
        inside += children or 0
    aliases = ", ".join(f"c{i}" for i in range(len(names)))
    # `with_partitions` adds what folders such as month=2024 say, for files of every kind.
    relation = f"read_parquet({path}, hive_partitioning = false) AS t({aliases})"
    types = Relation(connection, source.label, relation).types_of(["*"])
    types = tuple(kind or found for kind, found in zip(kinds, types, strict=True))
    found = ("parquet", tuple(names), types)
    return FileTable(connection, source.label, relation, *found, path=source.path)


def with_partitions(
    table: FileTable, said: Mapping[str, str | None], whole: Collection[str]
) -> FileTable:
    """Add columns that the folders of a file name, of which some are `whole` numbers."""
    said = {name: value for name, value in said.items() if name not in table.names}
    if not said:
        return table
    fields, types = ["*"], list(table.types)
    for place, (name, value) in enumerate(said.items(), len(table.names)):
        kind = "BIGINT" if name in whole and table.is_typed else "VARCHAR"
        types += [kind] if table.is_typed else []
        fields.append(f"CAST({'NULL' if value is None else text(value)} AS {kind}) AS c{place}")
        if table.kind == "json":
            fields.append(f"'{'BIGINT' if name in whole else 'VARCHAR'}' AS t{place}")
    relation = f"({select(fields, table.relation)})"
    return replace(table, relation=relation, names=(*table.names, *said), types=tuple(types))


def read_typed(
    table: FileTable, names: Sequence[str], amounts: Sequence[str] = ()
) -> dict[str, InputColumn]:
    """Read columns that carry a type of their own; of `amounts` what is not 0."""
    fields = {name: typed_value(table, table.position(name)) for name in names}
    found = table.plain_columns(fields, amounts) or table.columns(fields)
    for name, column in found.items():
        place = table.position(name)
        if is_moment(table.types[place]):
            found[name] = replace(column, stored=column.stored.view("datetime64[us]"))
        elif table.types[place] == HALF_FLOAT:
            found[name] = replace(column, stored=column.stored.astype(np.float16))
        elif is_category(table.types[place]):
            categories = tuple(table.row([f"enum_range(any_value(c{place}))"])[0])
            found[name] = replace(column, categories=categories, ordered=True)
    return found


def typed_value(table: FileTable, place: int) -> str:
    """Write the SQL that brings a column into a type NumPy has, without losing a digit."""
    kind, field = table.types[place], f"c{place}"
    digits = re.fullmatch(r"DECIMAL\((\d+),\d+\)", kind)
    if digits:
        return _decimal_value(table, place, int(digits[1]))
    if kind in {"HUGEINT", "UHUGEINT"}:
        return f"CAST({field} AS {_whole_type(table, place)})"
    forms = [
        (kind in _AS_STORED, field),
        (kind in _AS_TEXT, f"CAST({field} AS VARCHAR)"),
        (is_moment(kind), f"epoch_us({field})"),
        (is_category(kind), f"enum_code({field})"),
        (kind == '"NULL"', "CAST(NULL AS DOUBLE)"),
    ]
    for fits, form in forms:
        if fits:
            return form
    column = f"column {table.names[place]!r} of {table.label}"
    if kind.endswith("]"):
        low, high = table.row([f"min(len({field}))", f"max(len({field}))"])
        lists = "lists" if low is None or low != high else f"lists of {low}"
        raise ValueError(
            f"{column} holds {lists}; take one element of each, "
            f"such as the probability of the positive class"
        )
    raise ValueError(f"{column} is {kind.split('(')[0].lower()}; numbers, text or dates are needed")


def _decimal_value(table: FileTable, place: int, digits: int) -> str:
    """Write the SQL of decimals as floats or whole numbers, whichever hold their values."""
    field, column = f"c{place}", f"column {table.names[place]!r} of {table.label}"
    if digits > _DECIMAL_DIGITS:
        raise ValueError(
            f"{column} is {table.types[place]}, which DuckDB reads only as exactly as a float; "
            f"cast it to a decimal of at most {_DECIMAL_DIGITS} digits, or to double"
        )
    if digits <= EXACT_DIGITS:
        return f"CAST({field} AS DOUBLE)"
    words = f"CAST({field} AS VARCHAR)"
    is_long = f"length(trim(translate({words}, '-.', ''), '0')) > {EXACT_DIGITS}"
    is_part = f"{field} <> floor({field})"
    fields = [
        f"min({field}) FILTER ({is_long})",
        f"max({field}) FILTER ({is_long})",
        f"min({field}) FILTER ({is_long} AND {is_part})",
        f"count_if({is_part}) = 0",
    ]
    dtype = LongDecimals(*table.row(fields)).dtype(column)
    if dtype.kind == "f":
        # A cast of the decimal itself divides by a power of ten, and so rounds twice.
        return f"CAST({words} AS DOUBLE)"
    return f"CAST({field} AS {'BIGINT' if dtype.kind == 'i' else 'UBIGINT'})"


def is_category(kind: str) -> bool:
    """Whether this is what DuckDB calls a type of declared categories."""
    return kind.startswith("ENUM(") and kind.endswith(")")


def is_moment(kind: str) -> bool:
    """Whether this is what DuckDB calls a moment in time, which `typed_value` makes a number."""
    return kind in {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"}


def _whole_type(table: FileTable, place: int) -> str:
    """Find the 64-bit type that holds every whole number of a wider column."""
    low, high = table.row([f"min(c{place})", f"max(c{place})"])
    if low is None or (low >= -(2**63) and high < 2**63):
        return "BIGINT"
    if low >= 0 and high < 2**64:
        return "UBIGINT"
    raise ValueError(
        f"column {table.names[place]!r} of {table.label} holds whole numbers beyond 64 bits "
        f"({low} to {high}); cast it to double if digits may be lost"
    )
