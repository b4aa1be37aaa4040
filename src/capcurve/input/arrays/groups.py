"""Rows by segment, by cluster, and by the scores they hold jointly; and what segments are called.

The same id falls into the same group of clusters whatever engine, type or machine held it. Whole
numbers are mixed with splitmix64 (Steele, Lea & Flood 2014), text is hashed by its UTF-8 bytes with
BLAKE2b; the six highest bits are the group. Neither depends on the process.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from capcurve.counts import (
    Dropped,
    JointCounts,
    JointTimes,
    JointValues,
    ScoreCounts,
    SegmentCounts,
    TimeCounts,
    ValueCounts,
    Weights,
)
from capcurve.counts.table import GROUPS
from capcurve.input.arrays.counting import Sample, Score, class_sums, count_amounts, count_sample
from capcurve.input.arrays.keys import distinct_codes
from capcurve.input.columns import InputColumn, absent_rows, check_same_rows, python_values
from capcurve.numbers.arguments import arg, check_one_dimension
from capcurve.numbers.exact import LARGEST_INT64
from capcurve.numbers.order import add_up, grid_index, narrow, picked, sorted_runs
from capcurve.numbers.periods import first_days, in_order, readings, unread
from capcurve.numbers.types import Array, Bools, Crossing, Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


Period = Literal["day", "week", "month", "quarter", "year"]
# What a period is called; names sort as the periods follow each other.
PERIOD_NAMES: Mapping[Period, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "week": lambda day: "{:04d}-W{:02d}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
}


def segment_column(columns: Sequence[InputColumn], period: Period | None = None) -> InputColumn:
    """Return the segment of each row: its period, where dates are there, and columns crossed.

    >>> days = InputColumn("day", np.array(["2024-05-13", "2024-06-01"], dtype="M8[D]"))
    >>> segment_column([days], "month").values.tolist()
    ['2024-05', '2024-06']
    """
    if period is not None:
        columns = _cut_to(period, columns)
    return columns[0] if len(columns) == 1 else crossed(columns)


def _cut_to(period: Period, columns: Sequence[InputColumn]) -> list[InputColumn]:
    """Return columns with the period of each date, or raise ValueError where there is none."""
    named = {place: in_periods(column, period) for place, column in enumerate(columns)}
    cut = {place: new for place, new in named.items() if new is not None}
    if not cut:
        raise ValueError(_no_dates(columns, period))
    # Numbers such as 201803 are dates where nothing else is.
    others = {place: new for place, new in cut.items() if not _is_number(columns[place])}
    return [(others or cut).get(place, column) for place, column in enumerate(columns)]


def _is_number(column: InputColumn) -> bool:
    return column.categories is None and column.stored.dtype.kind in "iuf"


def _no_dates(columns: Sequence[InputColumn], period: Period) -> str:
    """Say what stands where dates are needed, of several columns in the likeliest one."""
    held = {column.name: segment_codes(column)[0] for column in columns}
    known = {name: [key for key in keys if key is not None] for name, keys in held.items()}
    name = next((name for name, keys in known.items() if readings(keys)), columns[0].name)
    shown = ", which ".join(unread(known[name], period) or ()) if known[name] else "no value"
    return (
        f"{arg('period')} is for dates, or text such as 2024-05-13, and {name} holds {shown}; "
        f"leave out {arg('period')}, or write dates like that"
    )


def in_periods(column: InputColumn, period: Period) -> InputColumn | None:
    """Return the period of each date, or None where a column holds anything else than dates."""
    keys, codes = segment_codes(column)
    days = first_days([key for key in keys if key is not None], period)
    if days is None:
        return None
    called = [PERIOD_NAMES[period](day) for day in days]
    names = tuple(sorted(set(called)))
    place = {name: number for number, name in enumerate(names)}
    stored = np.array([*(place[name] for name in called), -1], dtype=np.int64)[codes]
    missing = stored < 0
    return replace(
        column,
        stored=np.maximum(stored, 0),
        missing=missing if missing.any() else None,
        categories=names,
        ordered=True,
    )


def crossed(columns: Sequence[InputColumn]) -> InputColumn:
    """Return the combination of the values that each row has in several columns.

    >>> two = [InputColumn("a", np.array([1, 0, 1])), InputColumn("b", np.array([5, 5, 5]))]
    >>> segment_codes(crossed(two))
    ([(0, 5), (1, 5)], array([1, 0, 1]))
    """
    check_same_rows(columns)
    parts = [segment_codes(column) for column in columns]
    sizes = tuple(max(len(keys), 1) for keys, _ in parts)
    if math.prod(sizes) > LARGEST_INT64:
        raise ValueError(f"the columns of {arg('by')} have too many values to be combined")
    flat = np.zeros(len(columns[0]), dtype=np.int64)
    for (_, codes), size in zip(parts, sizes, strict=True):
        flat = flat * size + codes
    left, stored = np.unique(flat, return_inverse=True)
    places = list[Array]()
    for size in reversed(sizes):
        left, place = np.divmod(left, size)
        places.insert(0, place)
    pairs = zip(parts, places, strict=True)
    values = ([keys[each] for each in at.tolist()] for (keys, _), at in pairs)
    found = tuple(Crossing(each) for each in zip(*values, strict=True))
    name = " and ".join(column.name for column in columns)
    return InputColumn(name, stored.ravel(), None, found, ordered=True, index=columns[0].index)


Found = TypeVar("Found")
# Scores with many values have about as many combinations as rows, and each takes memory.
MOST_COMBINATIONS = 10_000_000
# The highest bits of a 64-bit hash are the group.
SHIFT = 64 - (GROUPS - 1).bit_length()
LARGEST_UINT64 = 2**64
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")


def split_rows(by: InputColumn) -> Iterator[tuple[object, Places]]:
    """Yield each segment with its rows, in the order of the segments; nulls last, under None."""
    keys, codes = segment_codes(by)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(keys)), side="right")
    start = 0
    for key, end in zip(keys, ends, strict=True):
        if end > start:
            yield key, order[start:end]
        start = end


def segment_codes(by: InputColumn) -> tuple[list[object], Places]:
    """Return the segments in order, of time too, and the number of each row's segment."""
    values = by.stored
    check_one_dimension(values, by.name)
    absent = absent_rows(by, values)
    kept = values if absent is None else values[~absent]
    if by.categories is not None and by.ordered:
        keys, found = list(by.categories), kept.astype(np.intp)
    elif by.categories is not None:
        distinct, found = distinct_codes(kept)
        keys, places = _object_codes([by.categories[code] for code in distinct.tolist()], by.name)
        found = places[found]
    elif values.dtype.kind == "O":
        keys, found = _object_codes(kept.tolist(), by.name)
    else:
        distinct, found = distinct_codes(kept)
        moments = python_values(distinct)  # as text where Python has no type for them
        keys = [str(key) if isinstance(key, np.datetime64) else key for key in moments]
    ordered = keys if by.ordered else in_order(keys)
    if ordered != keys:
        place = {key: number for number, key in enumerate(ordered)}
        keys, found = ordered, np.array([place[key] for key in keys], dtype=np.intp)[found]
    if absent is None:
        return keys, found
    codes = np.full(len(values), len(keys), dtype=np.intp)
    codes[~absent] = found
    return [*keys, None], codes


def _object_codes(items: list[Any], name: str) -> tuple[list[object], Places]:
    try:
        distinct = list(dict.fromkeys(items))
    except TypeError:
        raise _unusable(items, name, "segments") from None
    place = {key: position for position, key in enumerate(distinct)}
    codes = np.fromiter((place[item] for item in items), np.intp, len(items))
    midnights = all(isinstance(key, datetime) and key.time() == time() for key in distinct)
    return [key.date() for key in distinct] if midnights else distinct, codes


def refuse_combinations(found: int, names: Sequence[str]) -> None:
    """Raise ValueError for more combinations of scores than are counted together."""
    if found > MOST_COMBINATIONS:
        raise ValueError(
            f"{' and '.join(names)} have {found:,} different combinations, more than the "
            f"{MOST_COMBINATIONS:,} that are counted together; floor the scores to a grid with "
            f"{arg('resolution')}, such as 1e-4"
        )


def _count_cells_jointly(sample: Sample) -> JointCounts:
    """Count positives and negatives at each distinct combination of scores."""
    keys = [_key(score) for score in sample.scores]
    order, starts = sorted_runs(keys)
    refuse_combinations(len(starts), [score.name for score in sample.scores])
    sums, weights = class_sums(sample, order, starts)
    full = (sums[0] > 0) | (sums[1] > 0)
    kept = order[starts][full]
    return JointCounts(
        names=tuple(score.name for score in sample.scores),
        scores=tuple(picked(key, kept) for key in keys),
        positives=narrow(sums[0][full]),
        negatives=narrow(sums[1][full]),
        weights=weights and weights.take(full),
        **_settings(sample),
    )


def _count_amounts_jointly(sample: Sample) -> JointValues:
    """Count the amounts at each distinct combination of scores."""
    amount = np.zeros(len(sample.positive))
    amount[sample.positive] = sample.amount
    joint = JointValues.from_rows(
        [score.name for score in sample.scores],
        [_key(score) for score in sample.scores],
        amount,
        sample.exposure,
        sample.repeats,
        words=sample.words,
        **_settings(sample),
    )
    refuse_combinations(len(joint), joint.names)
    return joint


def _count_times(sample: Sample, score: Score) -> TimeCounts:
    """Count rows by one score, and by when and how they ended."""
    fields = {name: getattr(score, name) for name in ("higher_is", "levels", "resolution")}
    return TimeCounts.of_rows(**_ended(sample), **fields, dropped=sample.dropped)


def _count_times_jointly(sample: Sample) -> JointTimes:
    """Count rows by several scores, and by when and how they ended."""
    names = tuple(score.name for score in sample.scores)
    return JointTimes.of_rows(**_ended(sample), names=names, **_settings(sample))


def _ended(sample: Sample) -> dict[str, Any]:
    """Return what counts of times are made of, whatever their scores."""
    ended: Any = sample.ended
    return {
        "keys": [*map(_key, sample.scores), ended.time, ended.status, ended.stratum],
        "cases": sample.repeats,
        "competing_labels": ended.competing(sample.repeats),
        **ended.settings,
    }


def _settings(sample: Sample) -> dict[str, Any]:
    """Return what joint counts say of the scores and of the rows that were left out."""
    return {
        "higher_is": tuple(score.higher_is for score in sample.scores),
        "levels": tuple(score.levels for score in sample.scores),
        "resolution": sample.scores[0].resolution,
        "dropped": sample.dropped,
    }


def _key(score: Score) -> Array:
    """Return what tells the cells of a score apart: itself, or the number in its grid."""
    return score.values if score.resolution is None else grid_index(score.values, score.resolution)


def cluster_groups(
    column: InputColumn,
) -> tuple[InputColumn, NDArray[np.uint8], NDArray[np.uint64]]:
    """Return the column with every missing id marked, the group of each row, and its id's hash."""
    values = column.stored
    check_one_dimension(values, column.name)
    missing = absent_rows(column, values)
    if column.categories is not None:
        named = [_hash_of(item) for item in column.categories]
        table = np.array([*named, 0], dtype=np.uint64)
        hashes = table[values.astype(np.intp)]
    elif values.dtype.kind in "biuf":
        hashes = _hashes_of_numbers(values)
    else:
        hashes = _hashes_of_objects(values, missing, column.name)
    marked = InputColumn(column.name, np.zeros(len(values), dtype=np.uint8), missing)
    return marked, (hashes >> np.uint64(SHIFT)).astype(np.uint8), hashes


def _hashes_of_numbers(values: Array) -> NDArray[np.uint64]:
    """Hash numbers by value: 5, 5.0 and an int8 of 5 are the same id."""
    if values.dtype.kind in "iu":
        return _mixed(values.astype(np.int64 if values.dtype.kind == "i" else np.uint64))
    wide = values.astype(np.float64)
    whole = (wide == np.floor(wide)) & (np.abs(wide) < 2.0**63)
    bits = wide.view(np.int64).copy()
    bits[whole] = wide[whole].astype(np.int64)
    above = (wide >= 2.0**63) & (wide < 2.0**64)
    bits[above] = wide[above].astype(np.uint64).view(np.int64)
    return _mixed(bits)


def _mixed(whole: Array) -> NDArray[np.uint64]:
    """Return splitmix64 of 64-bit integers."""
    z = whole.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _hashes_of_objects(values: Array, missing: Bools | None, name: str) -> NDArray[np.uint64]:
    if values.dtype.kind != "O":
        distinct, place = np.unique(values, return_inverse=True)
        items = distinct.astype("M8[us]").tolist() if values.dtype.kind == "M" else distinct
        table = np.array([_hash_of(item) for item in items], dtype=np.uint64)
        return table[place]
    items = values.tolist()
    if missing is not None:
        items = [None if gone else item for item, gone in zip(items, missing, strict=True)]
    try:
        known = {item: _hash_of(item) for item in set(items)}
    except TypeError:
        raise _unusable(items, name, "ids") from None
    return np.fromiter((known[item] for item in items), dtype=np.uint64, count=len(items))


def _unusable(items: Sequence[object], name: str, what: str) -> TypeError:
    """Say what a column holds of which no two are known to be equal."""
    kind = next(type(item).__name__ for item in items if _unhashable(item))
    return TypeError(f"{name} holds a {kind}; {what} are numbers, text or dates")


def _unhashable(item: object) -> bool:
    try:
        hash(item)
    except TypeError:
        return True
    return False


def _hash_of(item: Any) -> int:
    """Return the hash of one id; text that spells a whole number is that number."""
    if item is None:
        return 0
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, str) and WHOLE_NUMBER.fullmatch(item):
        item = int(item)
    if isinstance(item, Decimal) and item.is_finite() and item == item.to_integral_value():
        item = int(item)
    if isinstance(item, int) and -(2**63) <= item < LARGEST_UINT64:
        one = np.array([item % LARGEST_UINT64], dtype=np.uint64)
        return int(_mixed(one)[0])
    if isinstance(item, float):
        return int(_hashes_of_numbers(np.array([item]))[0])
    text = item if isinstance(item, bytes) else _text_of(item).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def _text_of(item: Any) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Decimal):
        return str(item.normalize())
    if isinstance(item, datetime):
        moment = item.replace(tzinfo=None)
        return moment.isoformat(timespec="microseconds")
    if isinstance(item, date):
        return datetime(item.year, item.month, item.day).isoformat(timespec="microseconds")  # noqa: DTZ001 - a day
    return str(item)


def count_clustered(sample: Sample, score: Score) -> ScoreCounts | ValueCounts:
    """Count one score of the sample; with clusters also in each group of them."""
    count: Callable[[Sample, Score], Any] = count_sample
    if sample.ended is not None:
        count = _count_times
    elif sample.amount is not None:
        count = count_amounts
    alone = replace(sample, scores=(score,))
    found: ScoreCounts | ValueCounts = _with_groups(alone, lambda part: count(part, part.scores[0]))
    return found


def count_jointly(sample: Sample) -> JointCounts | JointValues:
    """Count several scores of the sample together; with clusters also in each group of them."""
    count: Callable[[Sample], Any] = _count_cells_jointly
    if sample.ended is not None:
        count = _count_times_jointly
    elif sample.amount is not None:
        count = _count_amounts_jointly
    found: JointCounts | JointValues = _with_groups(sample, count)
    return found


def count_segmented(
    sample: Sample,
    codes: Places,
    *,
    names: tuple[Any, ...],
    lost: tuple[Dropped, ...],
    owners: tuple[Array, ...],
) -> SegmentCounts:
    """Count every segment, of one score or several together; with clusters also in each group."""
    if sample.groups is None:
        return replace(_table_of(sample, codes, names), lost=lost)
    groups = [
        _table_of(sample.take(rows, None), codes[rows], names) for rows in _rows_of_groups(sample)
    ]
    by_group = sample.weight is not None
    whole = SegmentCounts.merge(groups) if by_group else _table_of(sample, codes, names)
    return replace(whole, lost=lost, groups=tuple(groups), owners=owners)


def _table_of(sample: Sample, codes: Places, names: tuple[Any, ...]) -> SegmentCounts:
    """Count every segment of rows, whatever their clusters."""
    keys, settings = [_key(score) for score in sample.scores], _settings(sample)
    del settings["dropped"]
    if len(keys) == 1:
        settings |= {word: settings[word][0] for word in ("higher_is", "levels")}
    else:
        settings["names"] = tuple(score.name for score in sample.scores)
    if sample.amount is not None:
        amount = np.zeros(len(codes))
        amount[sample.positive] = sample.amount
        keys += [amount, *([] if sample.exposure is None else [sample.exposure])]
        settings["words"] = sample.words
    kinds = (ScoreCounts, JointCounts) if sample.amount is None else (ValueCounts, JointValues)
    return SegmentCounts.of_rows(
        codes,
        keys,
        partial(_sums_of_runs, sample),
        names=names,
        kind=kinds[len(sample.scores) > 1],
        settings=settings,
        rows=_rows_with_weight(sample, codes, len(names)),
    )


def _sums_of_runs(
    sample: Sample, order: Places, starts: Places
) -> tuple[list[Array], Weights | None]:
    """Return what adds up over runs of ordered rows, and what weights say of these."""
    if sample.amount is None and (sample.weight is not None or sample.repeats is not None):
        return class_sums(sample, order, starts)
    if sample.repeats is not None:
        return [add_up(sample.times(order), starts)], None
    cases = np.diff(starts, append=len(order))
    if sample.amount is not None:
        return [cases], None
    positives = add_up(sample.positive[order].view(np.uint8), starts)
    return [positives, cases - positives], None


def _rows_with_weight(sample: Sample, codes: Places, segments: int) -> tuple[Array, ...]:
    """Return how many rows of each class carry weight in each segment."""
    if sample.weight is None:
        return ()
    times = np.where(np.asarray(sample.weight) > 0, sample.times(slice(None)), 0)
    found = np.zeros((2, segments), dtype=np.int64)
    np.add.at(found, (np.where(sample.positive, 0, 1), codes), times)
    return tuple(found)


def _with_groups(sample: Sample, count: Callable[[Sample], Found]) -> Found:
    """Count a sample; with clusters also each group of them."""
    if sample.groups is None:
        return count(sample)
    groups: Any = tuple(map(count, _groups_of(sample)))
    # Weights add up to the last digit in one order only: that of the groups.
    whole: Any = count(sample) if sample.weight is None else type(groups[0]).merge(groups)
    found: Found = replace(whole, dropped=sample.dropped, groups=groups)
    return found


def _groups_of(sample: Sample) -> Iterator[Sample]:
    """Yield the rows of each group, which need no group any more."""
    for rows in _rows_of_groups(sample):
        yield replace(sample.take(rows, None), groups=None)


def _rows_of_groups(sample: Sample) -> list[Places]:
    """Return the rows of each group of clusters."""
    groups: Any = sample.groups
    ends = np.cumsum(np.bincount(groups, minlength=GROUPS))
    return np.split(np.argsort(groups, kind="stable"), ends[:-1])
