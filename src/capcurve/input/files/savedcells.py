"""Saved tables of counts: Parquet with all that its columns cannot say beside them, plain csv."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capcurve.counts import (
    CaseCounts,
    PartialCounts,
    RankTotals,
    ScoreCounts,
    SegmentCounts,
    TimeCounts,
    UpliftCounts,
    ValueCounts,
    ValueSums,
)
from capcurve.counts.digest import is_sealed, sealed
from capcurve.counts.saved import (
    GROUP,
    VERSION,
    WEIGHED,
    Node,
    SavedCounts,
    bare,
    check_header,
    check_seal,
    from_json,
    leaves,
    parts_of,
    refuse_twins,
    restored,
    saved_form,
)
from capcurve.counts.table import wide
from capcurve.input.columns import InputColumn, Values, objects_of, python_values
from capcurve.input.files.engine import connect, text
from capcurve.input.files.sources import NULL_VALUES
from capcurve.input.files.textvalues import ANY_NUMBER, DIGIT_GROUPS
from capcurve.numbers.arguments import arg
from capcurve.numbers.exact import LARGEST_INT64
from capcurve.numbers.plain import plain

if TYPE_CHECKING:
    from pathlib import Path


# Counts that a table of classes or amounts has; by segment.
Held: TypeAlias = ScoreCounts | ValueCounts
Counted: TypeAlias = Held | dict[Any, Held]

HEADER_KEY = "capcurve"  # under which the metadata of a parquet file has the header
PART = "part"  # whose cells these are, of counts made of several
KINDS = (ScoreCounts, ValueCounts, CaseCounts, TimeCounts, PartialCounts, UpliftCounts)
TIMES_BY = "counts of times, which are read with --horizon, such as --horizon 365"
READ_BY: dict[type, str] = {
    TimeCounts: TIMES_BY,
    CaseCounts: "cases without outcomes, which stability compares",
    PartialCounts: "counts with unknown outcomes, which bounds reads",
    UpliftCounts: "trials by segment; save each trial in a file of its own, which uplift reads",
}
_LARGEST_UINT64 = 2**64 - 1
# By the type of segments: what SQL calls it, and what reads the text of one.
_KEYS: dict[type, tuple[str, Callable[[str], object]]] = {
    bool: ("BOOLEAN", lambda word: word == "true"),
    int: ("BIGINT", int),
    float: ("DOUBLE", float),
    date: ("DATE", date.fromisoformat),
    datetime: ("TIMESTAMP", datetime.fromisoformat),
    str: ("VARCHAR", str),
}
_PARSERS: dict[str, Callable[[str], object]] = {**dict(_KEYS.values()), "UBIGINT": int}


class Arms(dict[str, Held]):
    """Counts of both arms of a trial, which are read like segments."""


class SavedSegments:
    """Counts by segment, as a saved form has them."""

    FORMAT = "capcurve/segments"


# What is written


def node_of(counts: Any) -> Node:
    """Return the saved form of counts of any kind, or of counts by segment."""
    if not isinstance(counts, Mapping):
        return saved_form(_saveable(counts))
    parts = {python_value(key): _saveable(part) for key, part in counts.items()}
    _refuse_segments(parts)
    pairs = ({"segment": key_text(key), "counts": saved_form(part)} for key, part in parts.items())
    found = {"format": SavedSegments.FORMAT, "version": VERSION, "segment_type": _key_kind(parts)}
    found["segments"] = list(pairs)
    if isinstance(counts, SegmentCounts):  # a table, which knows the clusters of its segments
        found["owners"] = [list(map(str, ends.tolist())) for ends in counts.owners]
    return found


def _saveable(counts: Any) -> Any:
    """Return counts of a kind that is saved, else raise saying what is."""
    if isinstance(counts, RankTotals):
        return counts.every_score()
    if isinstance(counts, ValueSums):
        return counts.every_row()  # which says that it cannot
    if not isinstance(counts, SavedCounts):
        raise TypeError(
            f"{type(counts).__name__} are not saved; save counts of one score, such as those of "
            "count_scores, or these by segment"
        )
    return counts


def write_parquet(node: Node, path: Path) -> None:
    """Write a saved form as a parquet file, with its header in the metadata."""
    columns = cells_below_each_other(node)
    header = json.dumps(sealed(plain(bare(node))), allow_nan=False)
    typed = {"segment": f"CAST(segment AS {node.get('segment_type')}) AS segment"}
    fields = ", ".join(typed.get(name, name) for name in columns)
    with connect() as connection:
        connection.register("cells", columns)
        connection.execute(
            # A path of its own: DuckDB gives "~/" and "file:" at the start of one a meaning, and an
            # older one leaves a temporary file of its own beside the path when it fails.
            f"COPY (SELECT {fields} FROM cells) TO {text(str(path.absolute()))} "  # noqa: S608 - own names only
            f"(FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{HEADER_KEY}: {text(header)}}})"
        )


def cells_below_each_other(node: Node) -> dict[str, Values]:
    """Return the cells of a saved form below each other, beside columns that say whose they are."""
    pairs = list(leaves(node))
    _refuse_mixed_kinds(node, pairs)
    _refuse_mixed([leaf["cells"] for _, leaf in pairs])
    columns = _places(pairs)
    for name in dict.fromkeys(name for _, leaf in pairs for name in leaf["cells"]):
        # What only others have is 0 here: the header names the columns of each.
        known = next(leaf["cells"][name].dtype for _, leaf in pairs if name in leaf["cells"])
        found = [leaf["cells"].get(name, np.zeros(leaf["size"], known)) for _, leaf in pairs]
        full = [_stored(name, column) for column in found if len(column)]
        columns[name] = np.concatenate(full) if full else found[0]
    return columns


def _places(pairs: Sequence[tuple[Mapping[str, Any], Node]]) -> dict[str, Values]:
    """Return of which segment, part and group of clusters each cell is."""
    sizes = [leaf["size"] for _, leaf in pairs]
    found = {}
    for name in pairs[0][0]:
        values = [place[name] for place, _ in pairs]
        column = np.array(values, dtype=np.uint8) if name == GROUP else objects_of(values)
        found[name] = np.repeat(column, sizes)
    return found


def _stored(name: str, column: Values) -> Values:
    """Return a column in a type that tables have, grades as text."""
    if column.dtype == object:
        return objects_of([str(item) for item in column.tolist()])
    if name == "score":
        return column.astype(np.float32) if column.dtype == np.float16 else column
    return wide(column)


def _refuse_mixed_kinds(node: Node, pairs: Sequence[tuple[Mapping[str, Any], Node]]) -> None:
    """Refuse segments whose cells do not have the same columns, which one table would mix up."""
    if len({each["counts"]["format"] for each in node.get("segments", ())}) > 1:
        raise ValueError("the segments have several kinds of counts; save as .json")
    of_type = [
        {name: column.dtype.kind for name, column in leaf["cells"].items() if name in WEIGHED}
        for _, leaf in pairs
    ]
    mixed = {
        "clusters": {GROUP in place for place, _ in pairs},
        # Tallies of weights are floats, and all others whole numbers.
        "weights": {kinds[name] == "f" for kinds in of_type for name in kinds},
    }
    for what, found in mixed.items():
        if "segments" in node and len(found) > 1:
            raise ValueError(f"some segments have {what} and some have none; save as .json")


def _refuse_mixed(columns: Sequence[Mapping[str, Values]]) -> None:
    """Refuse counts whose cells no one table gives back as they are."""
    for name, what in (("amount", "amounts"), ("exposure", "an exposure")):
        if len({name in each for each in columns}) > 1:
            raise ValueError(f"some segments have {what} and some have none; save them one by one")
    scores = [each["score"] for each in columns if len(each["score"])]
    if len({score.dtype == object for score in (each["score"] for each in columns)}) > 1:
        raise ValueError("some segments have grades and some have numbers; save them one by one")
    numbers = [score for score in scores if score.dtype != object]
    kind = np.result_type(*numbers) if numbers else np.dtype(np.float64)
    with np.errstate(invalid="ignore"):  # 2^64, which a float makes of 2^64 - 1, is no uint64
        lost = any((score.astype(kind).astype(score.dtype) != score).any() for score in numbers)
    if lost:
        raise ValueError(
            "the segments hold whole scores beyond 2^53 beside others, which no single column can "
            "store exactly; save them one by one"
        )


# What is written as csv


def write_csv(counts: Any, path: Path) -> None:
    """Write counts as plain numbers, or refuse to where these would be read as other counts."""
    node, segmented = node_of(counts), isinstance(counts, Mapping)
    words = [key for key in counts if isinstance(key, str)] if segmented else []
    if words and all(map(_looks_typed, words)):
        raise ValueError(
            f"the segment {words[0]!r} would be read back from csv as a number or truth; save as "
            ".parquet or .json"
        )
    for part in counts.values() if segmented else [counts]:
        _refuse_lost(_saveable(part), by_segment=segmented)
    partial = isinstance(counts, PartialCounts)
    columns = counts.readable_columns() if partial else cells_below_each_other(node)
    for name, column in columns.items():
        if column.dtype == object:
            _refuse_lost_words(name, column.tolist())
    lists = [_surely_written(column.tolist()) for column in columns.values()]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("treatment" if name == PART else name for name in columns)
        writer.writerows(zip(*lists, strict=True))


def _refuse_lost(counts: Any, *, by_segment: bool) -> None:
    """Refuse counts of which a table of plain numbers lacks what changes numbers."""
    parts = [getattr(counts, name) for name in counts.PARTS]
    if parts and by_segment:
        raise ValueError("a csv file has no room for parts of segments; save as .parquet or .json")
    for part in parts:
        _refuse_lost(part, by_segment=by_segment)
    if parts:
        return
    names = [] if counts.levels is None else list(map(str, counts.columns()["score"]))
    beside = {
        "a segment without cases": by_segment and not len(counts),
        "a direction": counts.higher_is != "positive",
        "the order of grades that look like numbers": names and all(map(_looks_typed, names)),
        "scores of fewer than 64 bits": counts.keys[0].dtype in (np.float16, np.float32),
        "the width of a grid": counts.resolution is not None,
        "weights": getattr(counts, "weights", None) is not None,
        "clusters": counts.groups is not None,
        "labels of competing events": getattr(counts, "competing_labels", None),
        "the latest horizon": getattr(counts, "until", None) is not None,
        "the grid of times": getattr(counts, "time_resolution", None) is not None,
        "cases without a score": counts.dropped is not None and counts.dropped.unscored is not None,
    }
    if lost := [name for name, given in beside.items() if given]:
        raise ValueError(
            f"a csv file has no room for {' or '.join(lost)}; save as .parquet or .json"
        )


def _surely_written(values: list[Any]) -> list[Any]:
    """Return values of which one has a further 0 where all points could stand between thousands."""
    floats = [each for each in values if isinstance(each, float) and isfinite(each)]
    if not floats or not all(re.fullmatch(DIGIT_GROUPS, repr(each)) for each in floats):
        return values
    place = values.index(floats[0])
    return [*values[:place], f"{floats[0]}0", *values[place + 1 :]]


def _refuse_lost_words(name: str, values: list[str | None]) -> None:
    for value in dict.fromkeys(values):
        if value is not None and "\r" in value:
            raise ValueError(
                f"csv readers take the \\r in {name} {value!r} for a line end; save as .parquet"
            )
        if value is not None and value.strip() in NULL_VALUES:
            raise ValueError(
                f"the {name} {value!r} would be read back from csv as missing; save as .parquet"
            )


# Segments


def _key_kind(keys: Mapping[Any, Any]) -> str:
    """Name the SQL type that holds every segment."""
    kinds = {type(key) for key in keys if key is not None}
    if kinds == {int} and max(k for k in keys if k is not None) > LARGEST_INT64:
        return "UBIGINT"
    return _KEYS.get(kinds.pop(), _KEYS[str])[0] if len(kinds) == 1 else _KEYS[str][0]


def python_value(value: object) -> object:
    """Return a NumPy number, yes/no or text as the Python value that it equals."""
    if isinstance(value, np.bool_ | np.integer | np.floating | np.str_):
        return value.item()
    return value


def key_text(key: object) -> str | None:
    """Write a segment as text that reads back as itself."""
    if key is None:
        return None
    return str(key).lower() if isinstance(key, bool) else str(key)


def _looks_typed(word: str) -> bool:
    """Whether a reader of csv may take a text for a number or a yes/no."""
    plain_word = word.strip()
    return plain_word.lower() in {"true", "false"} or bool(re.fullmatch(ANY_NUMBER, plain_word))


def _refuse_segments(keys: Mapping[Any, Any]) -> None:
    if not keys:
        raise ValueError("there are no segments to save")
    kinds = sorted({type(key).__name__ for key in keys if key is not None})
    known = [key for key in keys if key is not None]
    first = known[0] if known else None
    if len(kinds) > 1:
        raise ValueError(
            f"the segments are of several types ({', '.join(kinds)}), which a saved table does "
            f"not tell apart; make them one type, such as text"
        )
    if first is not None and (type(first) not in _KEYS or getattr(first, "tzinfo", None)):
        zone = " with a time zone" if getattr(first, "tzinfo", None) else ""
        raise ValueError(
            f"the segment {first!r} is {kinds[0]}{zone}, which a saved table does not give back; "
            f"make the segments text, numbers or dates"
        )
    if kinds == ["int"]:
        least = 0 if max(known) > LARGEST_INT64 else -LARGEST_INT64 - 1
        if max(known) > _LARGEST_UINT64 or min(known) < least:
            raise ValueError("the segments are whole numbers beyond 64 bits; make them text")
    refuse_twins("segments", keys, key_text)


# What is read


def changed() -> ValueError:
    """Say that a saved table is not as it was saved."""
    return ValueError(
        "the table was changed after it was saved; to read it as it is now, leave out the "
        "metadata of the parquet file"
    )


def header_in(said: str) -> Node:
    """Return a header that is of this version and as it was written, or raise ValueError."""
    try:
        found: Node = json.loads(said)
    except (ValueError, RecursionError):
        raise changed() from None
    if not isinstance(found, dict):
        raise changed()
    check_header(found, [*KINDS, SavedSegments])
    if not is_sealed(found):
        raise changed()
    return found


def columns_of(header: Node) -> list[str]:
    """Name the columns that a table with this header has."""
    pairs = list(leaves(header))
    places = (name for place, _ in pairs for name in place)
    return list(dict.fromkeys([*places, *(name for _, leaf in pairs for name in leaf["cells"])]))


def counts_in(header: Node, columns: Mapping[str, InputColumn], asked: Node) -> Any:
    """Put counts together again from their header and columns."""
    _refuse_other_settings(header, asked)
    try:
        with np.errstate(all="ignore"):  # of numbers that are not the saved ones
            return _counts(_filled(header, columns))
    except (ValueError, TypeError, ArithmeticError, LookupError):
        raise changed() from None


def counts_of(saved: Any, asked: Node) -> Any:
    """Return the counts of any kind, or by segment, that a .json file has."""
    kinds = [*KINDS, SavedSegments]
    check_seal(saved, kinds)  # of what is damaged nothing else is known
    _refuse_other_settings(saved, asked)
    return from_json(saved, kinds, _counts)


def _counts(node: Node, kinds: Sequence[Any] = KINDS) -> Any:
    """Return the counts of a node, by segment where it has segments."""
    if node["format"] != SavedSegments.FORMAT:
        return restored(node, kinds)
    parse = _PARSERS[node["segment_type"]]
    pairs = ((each["segment"], restored(each["counts"], kinds)) for each in node["segments"])
    found = {None if key is None else parse(key): counts for key, counts in pairs}
    if "owners" not in node:
        return found
    owners = tuple(np.array(list(map(int, ends)), dtype=np.uint64) for ends in node["owners"])
    return replace(SegmentCounts.of(found), owners=owners)


def _refuse_other_settings(node: Any, asked: Node) -> None:
    def words(value: object) -> list[str]:
        return [str(item) for item in (value if isinstance(value, list) else [value])]

    for name, value in asked.items():
        given = plain(value)
        if name in node and words(node[name]) != words(given):
            was = f"without {arg(name)}"
            if node[name] is not None:
                was = f"with {arg(**{name: node[name]})}, not {arg(**{name: given})}"
            raise ValueError(f"the table was saved {was}")
    for part in parts_of(node):
        _refuse_other_settings(part, asked)


def _filled(header: Node, columns: Mapping[str, InputColumn]) -> Node:
    """Return a header with the cells of each of its parts in place of their names."""
    pairs = list(leaves(header))
    if any(columns[name].missing is not None for name in columns.keys() - {"segment"}):
        raise changed()
    ends = np.cumsum([leaf["size"] for _, leaf in pairs])
    if ends[-1] != len(columns["score"]):
        raise changed()
    for (place, leaf), end in zip(pairs, ends.tolist(), strict=True):
        rows = slice(end - leaf["size"], end)
        leaf["cells"] = {name: columns[name].values[rows] for name in leaf["cells"]}
        for name, value in place.items():
            ends_of = rows.start, max(rows.stop - 1, rows.start)
            found = [_shown_at(columns[name], row) for row in ends_of if leaf["size"]]
            if {_as_shown(value)} < {_as_shown(value), *found}:
                raise changed()
    return header


def _shown_at(column: InputColumn, row: int) -> str:
    absent = column.missing is not None and column.missing[row]
    return _as_shown(None if absent else python_values(column.values[[row]])[0])


def _as_shown(value: object) -> str:
    """Return a segment, or the number of a group, as text; midnight goes without a time of day."""
    return str(key_text(python_value(value))).removesuffix(" 00:00:00")


def as_cells(counts: Any) -> Counted:
    """Return counts of classes or amounts, by arm those of a trial, or raise for other kinds."""
    if isinstance(counts, UpliftCounts):
        return Arms({arm: getattr(counts, arm) for arm in counts.PARTS})
    parts = counts.values() if isinstance(counts, Mapping) else [counts]
    for part in parts:
        if type(part) in READ_BY:
            raise ValueError(f"these are {READ_BY[type(part)]}")
    found: Counted = counts
    return found


def merged(parts: Sequence[Any]) -> Any:
    """Return the sum of counts of one kind."""
    kinds = {type(part) for part in parts}
    if kinds == {ScoreCounts, ValueCounts}:
        raise ValueError("some of these tables hold classes and some amounts")
    if len(kinds) > 1:
        raise ValueError("these tables have several kinds of counts, which do not add up")
    return kinds.pop().merge(parts)
