"""The one saved form of counts: columns as people read them, and a header of all else.

JSON has the columns in their places in the header; a table has them below each other, and the
header beside them. A seal finds what was changed in the header, digests what was in the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from capcurve.counts.digest import sealed
from capcurve.counts.settings import Dropped, Words, check_direction, check_levels, check_resolution
from capcurve.counts.table import BOTH_CLASSES
from capcurve.numbers.arguments import told
from capcurve.numbers.order import grid_index
from capcurve.numbers.plain import number_from_plain, plain
from capcurve.numbers.rankable import codes_of
from capcurve.numbers.types import array_of

if TYPE_CHECKING:
    from capcurve.numbers.types import Array

# What a node of a saved form says: counts, or several of these by name.
Node: TypeAlias = dict[str, Any]
# Of counts that are made of others: by name, which kinds each may be of.
Parts: TypeAlias = Mapping[str, tuple[Any, ...]]
VERSION = 2  # 1 had codes of grades and numbers of grid cells, and settings inside csv
FORMATS = "capcurve/"  # what every format begins with
ROOTS = ("positive_roots", "negative_roots")
ROW_COLUMNS = ("positive_rows", "negative_rows")
GROUP = "cluster_group"
# Columns whose numbers are floats, whether or not all are whole: always, and with weights.
REAL = ("amount", "exposure", *ROOTS)
WEIGHED = (*BOTH_CLASSES, "cases")
TEXTS = ("stratum",)
# Where a setting is read otherwise than as it is.
READ_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "higher_is": check_direction,
    "levels": check_levels,
    "resolution": check_resolution,
    "dropped": lambda said: None if said is None else _dropped(said),
    "words": lambda said: Words(**said),
    "strata": tuple,
    "until": lambda said: None if said is None else float(said),
    "time_resolution": lambda said: None if said is None else float(said),
    "competing_labels": lambda said: {name: number_from_plain(said[name]) for name in said},
}


class SavedCounts:
    """Counts that are written down, and taken back as they were."""

    __slots__ = ()
    FORMAT: ClassVar[str]
    HEADER: ClassVar[tuple[str, ...]] = ("higher_is", "levels", "resolution", "dropped")
    PARTS: ClassVar[Parts] = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as values that strict JSON can hold."""
        return as_json(saved_form(self))

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Take counts back from `to_dict`.

        Raises
        ------
        ValueError
            When the format is another, something is missing or of another type than it was saved
            as, or the counts are not those of their digest.
        """
        found: Self = from_json(saved, [cls])
        return found

    def with_groups(self, groups: tuple[Any, ...], **fields: Any) -> Self:
        """Return the same counts with groups of clusters, which must add up to them."""
        return replace(self, groups=groups, **fields)  # type: ignore[type-var]  # of dataclasses


# What is written


def saved_form(counts: Any) -> Node:
    """Return counts as a header with their columns in it, those of parts and groups likewise."""
    found = {"format": counts.FORMAT, "version": VERSION, "digest": counts.digest()}
    if counts.PARTS:
        return {**found, **{name: saved_form(getattr(counts, name)) for name in counts.PARTS}}
    found |= _said(counts)
    if counts.groups is None:
        return {**found, **_columns(counts)}
    # The groups add up to the whole; each says what is otherwise in it.
    own = ({"digest": group.digest(), **_said(group)} for group in counts.groups)
    differing = [{name: each[name] for name in each if each[name] != found[name]} for each in own]
    pairs = zip(differing, counts.groups, strict=True)
    return {**found, "groups": [{**each, **_columns(group)} for each, group in pairs]}


def _said(counts: Any) -> Node:
    """Return what the columns of counts do not say."""
    _refuse_grades(getattr(counts, "levels", None) or ())
    weights = getattr(counts, "weights", None)
    rows = weights and {name: getattr(weights, name) for name in ("kind", *ROW_COLUMNS)}
    said: Node = plain({**{name: getattr(counts, name) for name in counts.HEADER}, "weights": rows})
    return said


def _columns(counts: Any) -> Node:
    """Return the columns of counts, how many cells these have, and the type of their scores."""
    columns = {name: _numbers(column) for name, column in counts.columns().items()}
    first = next(iter(columns.values()))
    return {"size": len(first), "dtype": first.dtype.name, "cells": columns}


def _numbers(column: Array) -> Array:
    """Return whole numbers of any size in a type that tables have; text as it is."""
    if column.dtype.kind != "O" or not len(column) or isinstance(column[0], str):
        return column
    items = array_of(column.tolist())
    return items.astype(np.float64) if items.dtype == object else items


def _refuse_grades(levels: tuple[object, ...]) -> None:
    for level in levels:
        if type(plain(level)) is not type(level) or plain(level) != level:
            raise ValueError(
                f"the grade {level!r} is {type(level).__name__}, which saved counts do not give "
                "back; name the grades as text"
            )
    refuse_twins("grades", levels, str)


def refuse_twins(what: str, values: Iterable[Any], text: Callable[[Any], str | None]) -> None:
    """Raise ValueError when two grades or segments would be written as the same text."""
    seen: dict[str | None, Any] = {}
    for value in values:
        word = text(value)
        if word in seen:
            raise ValueError(
                f"the {what} {seen[word]!r} and {value!r} would both be written as {word}; "
                "rename one"
            )
        seen[word] = value


def as_json(node: Node) -> Node:
    """Return a saved form as values that strict JSON can hold, under its seal."""
    found: Node = plain(node)
    return {**found, "seal": sealed(bare(found))["seal"]}


def bare(node: Mapping[str, Any]) -> Node:
    """Return a saved form with the names of its columns in place of these, and without its seal."""
    found = {name: item for name, item in node.items() if name != "seal"}
    if "cells" in found:
        found["cells"] = sorted(found["cells"])
    for name in {"groups", "segments"} & found.keys():
        found[name] = [bare(each) for each in found[name]]
    return {**found, **{name: bare(found[name]) for name in _named(found)}}


def leaves(node: Node, **place: Any) -> Iterator[tuple[dict[str, Any], Node]]:
    """Yield every node that has cells, and of which segment, part and group it is."""
    if "cells" in node:
        yield place, node
    for at, each in enumerate(node.get("groups", ())):
        yield from leaves(each, **place, **{GROUP: at})
    for each in node.get("segments", ()):
        yield from leaves(each["counts"], segment=each["segment"])
    for name in _named(node):
        yield from leaves(node[name], **place, part=name)


def parts_of(node: Node) -> list[Node]:
    """Return the counts that a node is made of: segments, or others by name."""
    segments = [each["counts"] for each in node.get("segments", ())]
    return segments + [node[name] for name in _named(node)]


def _named(node: Mapping[str, Any]) -> list[str]:
    """Return the names under which a node has others, such as those of the arms of a trial."""
    return [
        name
        for name, item in node.items()
        if isinstance(item, Mapping) and str(item.get("format")).startswith(FORMATS)
    ]


# What is read


def damaged() -> ValueError:
    """Say that saved counts are not as they were saved."""
    return ValueError(
        "the counts are damaged or were changed after they were saved; take a copy that was "
        "not, or count the rows again"
    )


def from_json(saved: Any, kinds: Sequence[Any], read: Callable[..., Any] | None = None) -> Any:
    """Return counts of one of several kinds, or raise ValueError unless they are as saved."""
    check_seal(saved, kinds)
    with _damage_told():
        return (read or restored)(saved, kinds)


def check_seal(saved: Any, kinds: Sequence[Any]) -> None:
    """Raise ValueError unless these are counts of some kinds, with the header that was saved."""
    check_header(saved, kinds)
    with _damage_told():
        if saved["seal"] != sealed(bare(saved))["seal"]:
            raise damaged()


@contextmanager
def _damage_told() -> Iterator[None]:
    """Say of whatever goes wrong that the counts are damaged."""
    try:
        yield
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError):
        raise damaged() from None


def check_header(saved: Any, kinds: Sequence[Any]) -> None:
    """Raise ValueError unless these are counts of some kinds, in the version of today."""
    said = (saved.get(name) for name in ("format", "version")) if isinstance(saved, Mapping) else ()
    found = [each for each in said if isinstance(each, str | int)]
    if found[1:] and found[1] != VERSION and str(found[0]).startswith(FORMATS):
        raise ValueError(
            f"the counts are of version {told(found[1])} of the saved form, and this version of "
            f"capcurve reads version {VERSION}; count the rows again, and save them"
        )
    formats = [kind.FORMAT for kind in kinds]
    if not found[1:] or found[0] not in formats or found[1] != VERSION:
        got = " version ".join(map(told, found)) or "what has no format"
        expected = repr(formats[0]) if len(formats) == 1 else "of counts"
        raise ValueError(f"expected format {expected} version {VERSION}, got {got}")


def restored(node: Node, kinds: Sequence[Any]) -> Any:
    """Return the counts of a node, which is of one of several kinds."""
    kind = next(kind for kind in kinds if node["format"] == kind.FORMAT)
    if kind.PARTS:
        parts = [restored(node[name], of) for name, of in kind.PARTS.items()]
        counts = kind(*parts)
    elif "groups" in node:
        alike = {name: item for name, item in node.items() if name != "groups"}
        groups = tuple(restored({**alike, **own}, [kind]) for own in node["groups"])
        counts = kind.merge(groups).with_groups(groups, **_fields(node, kind))
    else:
        counts = _cells(node, kind)
    if counts.digest() != node["digest"]:
        raise damaged()
    return counts


def _fields(node: Node, kind: Any) -> dict[str, Any]:
    """Return the settings of counts of a kind."""
    names = (name for name in kind.HEADER if name != "time_unit" or name in node)  # it is younger
    fields = {name: node[name] for name in names}
    return fields | {
        name: READ_SETTINGS[name](fields[name]) for name in READ_SETTINGS.keys() & fields.keys()
    }


def _cells(node: Node, kind: Any) -> Any:
    """Return counts of a kind from the columns of a node."""
    fields, weights = _fields(node, kind), node["weights"]
    real = {*REAL, *(() if weights is None else WEIGHED)}
    columns = {
        name: _ranks(given, node["dtype"], fields)
        if name == "score"
        else _objects(given)
        if name in TEXTS
        else _column(given, "float64" if name in real else None)
        for name, given in node["cells"].items()
    }
    if {len(column) for column in columns.values()} != {node["size"]}:
        raise damaged()
    if weights is not None:
        rows = (number_from_plain(weights[name]) for name in ROW_COLUMNS)
        fields["weights"] = [weights["kind"], *rows]
    return kind.from_columns(columns, **fields)


def _ranks(given: Any, dtype: str, fields: Mapping[str, Any]) -> Array:
    """Return what counts hold for scores: codes of grades, numbers of grid cells, or scores."""
    if fields["levels"] is not None:
        names = {str(name): name for name in fields["levels"]}  # which a table has as text
        found = [names[str(word)] for word in given]
        return codes_of(_objects(found), fields["levels"], "score")
    score = _column(given, dtype)
    return score if fields["resolution"] is None else grid_index(score, fields["resolution"])


def _objects(given: Any) -> Array:
    """Return values as an array of objects."""
    found = np.empty(len(given), dtype=object)
    found[:] = list(given)
    return found


def _column(given: Any, dtype: str | None) -> Array:
    """Return numbers in a type, or whole ones if all are; large ones were saved as text."""
    if isinstance(given, np.ndarray):
        column = given if dtype is None else given.astype(dtype)
        same = given.dtype.kind in "biuf" and bool((column == given).all())
    else:
        few = set(map(type, given))
        items = list(map(number_from_plain, given)) if str in few else given
        column = np.array(items, dtype=dtype or ("int64" if float not in few else "float64"))
        same = column.ndim == 1 and plain(column) == given and few <= _TYPES[column.dtype.kind]
    if not same:
        raise damaged()
    return column


_TYPES: Mapping[str, set[type]] = {"b": {bool}, **{kind: {int, float, str} for kind in "iuf"}}


def _dropped(said: Mapping[str, Any]) -> Dropped:
    columns, labels = (
        {name: number_from_plain(rows) for name, rows in each.items()}
        for each in (said["columns"], said.get("labels", {}))
    )
    unscored = None if "unscored" not in said else number_from_plain(said["unscored"])
    return Dropped(number_from_plain(said["rows"]), columns, None, labels, unscored)
