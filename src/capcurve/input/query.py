"""What is to be counted, and its counts: each score alone, by segment, and all together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts import (
    Amounts,
    CaseCounts,
    JointCases,
    JointCounts,
    JointValues,
    PartialCounts,
    Ranking,
    RankTotals,
    ScoreCounts,
    SegmentCounts,
    ValueCounts,
    ValueSums,
)
from capcurve.counts.joint import PdColumn
from capcurve.input.arrays import Rules, cluster_groups, count_clustered, count_jointly, groups
from capcurve.input.arrays.checks import ColumnsByRole, drop_them
from capcurve.input.arrays.groups import Period, count_segmented, segment_codes, segment_column
from capcurve.input.arrays.labels import CHOOSE, KEEP_TWO, LABEL_KINDS, WHICH_POSITIVE, name_them
from capcurve.input.columns import ColumnLike, Data, InputColumn, as_column, check_same_rows
from capcurve.input.connections import SqliteTable, connected_table, is_connection
from capcurve.input.engines.combinations import TooManyCellsError
from capcurve.input.files import Files, read_columns
from capcurve.input.files.reading import column_names
from capcurve.input.frames import (
    Lazy,
    as_frame,
    check_names,
    count_combinations,
    eager_columns,
    engine_errors,
    grouped_columns,
    named_columns,
)
from capcurve.numbers.arguments import arg, as_word, refuse_same_column, spoken, word
from capcurve.numbers.rankable import order_them
from capcurve.numbers.threads import each_at_once

if TYPE_CHECKING:
    from capcurve.numbers.types import Ints

CountsBySegment: TypeAlias = "Any"  # counts of classes, or of amounts

WEIGHT_INSTEAD = "a weight scales both, so multiply amount and exposure by it"
# Joint cells times scores that a report compares without being asked: a second or two.
MOST_JOINT = 4_000_000
NOT_TOGETHER = "the scores are not compared: within a memory limit each is counted on its own"
NOT_HELD = "the scores are not compared: they have so many values that each is ranked on its own"


@dataclass(frozen=True, slots=True)
class Query:
    """What is to be counted: columns by their roles, or with `data` their names."""

    target: ColumnLike
    scores: Mapping[str, ColumnLike]  # by what they are called
    rules: Rules  # how values are to be read
    data: Data = None
    weight: ColumnLike = None
    by: ColumnLike = None
    cluster: ColumnLike = None
    memory_limit: str | int | None = None
    amount: ColumnLike = None  # then there is no target
    exposure: ColumnLike = None
    time: ColumnLike = None  # how long each row was followed; the target is how that ended
    stratum: ColumnLike = None  # what censoring depends on
    without_outcome: bool = False  # then there is neither
    period: Any = None  # what of a date in `by` is the segment: its month, ...
    # What scores go through as they are counted, which may show how many are done.
    through: Callable[[Iterable[Any]], Iterable[Any]] = iter

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", of_table(self.data))  # a connection with one table
        if self.period is not None:
            as_word(self.period, "period", get_args(Period))
        if self.data is not None:
            others = ("weight", "exposure", "time", "stratum", "by", "cluster")
            roles = {self.role: self.outcome, **{role: getattr(self, role) for role in others}}
            for role, given in roles.items():
                if given is not None:
                    refuse_unnamed(given, role)
        refuse_same_column(**{self.role: self.outcome}, exposure=self.exposure, time=self.time)
        if self.amount is None:
            if self.exposure is not None:
                raise ValueError("exposure= goes with amount=; rows of two classes take weight=")
            if self.weight is None and (kind := self.rules.weight_kind) is not None:
                raise ValueError(f"{arg(weight_kind=kind)} was given {spoken('without weight')}")
            return
        for name, given, instead in (
            ("target", self.target, "pass one of the two"),
            *(
                (name, getattr(self.rules, name), "it names one of two classes; leave it out")
                for name in LABEL_KINDS
            ),
            ("weight", self.weight, WEIGHT_INSTEAD),
            ("weight_kind", self.rules.weight_kind, WEIGHT_INSTEAD),
            ("memory_limit", self.memory_limit, "it is for two classes; pass resolution= instead"),
        ):
            if given is not None:
                raise ValueError(f"{name}= does not go with amount=: {instead}")

    @property
    def outcome(self) -> ColumnLike:
        """The column of what happened: the amount, or the target of two classes."""
        return self.target if self.amount is None else self.amount

    @property
    def role(self) -> str:
        """What the column of what happened is called."""
        if self.amount is not None:
            return "amount"
        return "target" if self.time is None else "event"

    @property
    def outcomes(self) -> list[Any]:
        """The column of what happened, or none for cases without outcome."""
        return [] if self.without_outcome else [self.outcome]

    @property
    def segments(self) -> dict[str, ColumnLike]:
        """The columns that make the segments, by what they are called; several are crossed."""
        return {} if self.by is None else columns_by_name(self.by, self.data)

    @property
    def segments_by_period(self) -> dict[str, str]:
        """The period that dates of the segments are cut to, by the name of their column."""
        extra = (self.weight, self.exposure, self.time, self.stratum, self.cluster)
        others = (*self.outcomes, *self.scores.values(), *extra)
        names = (name for name in self.segments.values() if name not in others)
        return {} if self.period is None else dict.fromkeys(names, self.period)

    @property
    def extra(self) -> list[str]:
        """The names of the columns other than the outcome and the scores."""
        others = (self.weight, self.exposure, self.time, self.stratum, self.cluster)
        named = (*others, *self.segments.values())
        return [name for name in named if name is not None]


def columns_by_name(by: ColumnLike, data: Data) -> dict[str, ColumnLike]:
    """Return columns of segments by name: one, or several in a list, a mapping or a frame."""
    if isinstance(by, Mapping):
        return {str(name): column for name, column in by.items()}
    if data is not None:
        return {name: name for name in ([by] if isinstance(by, str) else by)}
    if not isinstance(by, str) and hasattr(by, "columns"):
        return {str(name): by[name] for name in by.columns}
    # A list of tuples has a tuple for each row.
    several = isinstance(by, list | tuple) and len(by) > 0
    if several and all(_is_column(each) and not isinstance(each, tuple) for each in by):
        return dict(zip(_names_of(by, "segment"), by, strict=True))
    return {"by": by}


def crossed_names(by: ColumnLike, data: Data) -> tuple[str, ...]:
    """Return what the columns are called that are crossed; none where there is one, or none."""
    names = () if by is None else tuple(columns_by_name(by, data))
    return names if len(names) > 1 else ()


def named_scores(scores: ColumnLike, data: Data, *others: ColumnLike) -> dict[str, ColumnLike]:
    """Return scores as a mapping of name to column, or to column name with `data`."""
    # Patterns such as "s*" mean the columns of data that they match, but for the `others`.
    if isinstance(scores, Mapping):
        named = dict(scores) if data is not None else {str(k): v for k, v in scores.items()}
    elif data is None and hasattr(type(scores), "columns"):  # a column of Spark has any attribute
        named = {str(name): scores[name] for name in scores.columns}
    elif data is not None:
        names = [scores] if isinstance(scores, str) else _items_of(scores)
        if not all(isinstance(name, str) for name in names):
            refuse_unnamed(scores, "score")
        if any("*" in name for name in names):
            names = matching(names, names_in(data), others)
        named = {name: name for name in names}
    elif isinstance(scores, list | tuple) and scores and all(map(_is_column, scores)):
        named = dict(zip(_names_of(scores), scores, strict=True))
    else:
        named = {name_of(scores) or "score": scores}
    if not named:
        raise ValueError("no score was named; give at least one")
    return named


def matching(
    names: Sequence[str], columns: Sequence[str], others: Sequence[ColumnLike] = ()
) -> list[str]:
    """Return column names with each pattern replaced by what it matches; * is any text.

    >>> matching(["old", "s*"], ["s1", "status", "s2", "old"], others=["status"])
    ['old', 's1', 's2']
    """
    found: list[str] = []
    for name in names:
        if "*" not in name or name in columns:
            found.append(name)
            continue
        alike = re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)
        free = [each for each in columns if each not in others and alike.fullmatch(each)]
        if not free:
            there = ", ".join(map(repr, columns))
            raise ValueError(f"no column matches {name!r}; the data has {there}")
        found += free
    return list(dict.fromkeys(found))


def names_in(data: Data) -> list[str]:
    """Return the names of the columns of data."""
    data = of_table(data)
    if isinstance(data, SqliteTable):
        return data.names
    if isinstance(data, Mapping):
        return [str(name) for name in data]
    frame = as_frame(data)
    if frame is not None:
        return list(frame.collect_schema().names())
    files = as_files(data)
    return [] if files is None else column_names(files)  # whoever reads it says so


def _items_of(scores: ColumnLike) -> list[Any]:
    try:
        return list(scores)
    except TypeError:
        return [scores]


def refuse_none(**columns: ColumnLike) -> None:
    """Raise TypeError where a column that is needed is None."""
    for role, given in columns.items():
        if given is None:
            raise TypeError(f"{role} must be a column of values, got NoneType")


def refuse_unnamed(given: ColumnLike, role: str) -> None:
    """Raise TypeError when what is given beside `data` is no name of one column."""
    if isinstance(given, str):
        return
    named = isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
    if named and role == "by" and given:
        return
    if named and role != "score":
        raise TypeError(
            f"{role} takes one column, got the names {list(given)!r}; put these into one column of "
            "the data, and name that"
        )
    months = '; for the months of a date pass its name and period="month"'
    raise TypeError(
        f"with data=, columns are given by name, got {type(given).__name__} for {role}; add it to "
        "the data under a name, or leave out data= and pass every column"
        f"{months if role == 'by' else ''}"
    )


def _is_column(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _names_of(columns: Sequence[ColumnLike], role: str = "score") -> list[str]:
    """Return what the columns call themselves, as series do, or numbers where they do not."""
    own = [name for name in map(name_of, columns) if name is not None]
    if len(set(own)) == len(columns):
        return own
    return [f"{role} {place}" for place in range(1, len(columns) + 1)]


def name_of(column: ColumnLike) -> str | None:
    """Return the name of a column, or what it calls itself, as series do; None without one."""
    name = column if isinstance(column, str) else getattr(column, "name", None)
    return name if isinstance(name, str) and name else None


def gather(query: Query, *, together: bool = False) -> list[ColumnsByRole]:
    """Fetch the columns: all at once, or grouped score by score when an engine holds them."""
    data, scores = query.data, query.scores
    if data is None:
        return [_rows(query, scores, as_column)]
    asked = [*query.outcomes, *scores.values(), *query.extra]
    alone = query.amount is not None and asked.count(query.amount) == 1
    found = queried_columns(data, asked, [query.amount] if alone else [], list(scores.values()))
    if not isinstance(found, nw.LazyFrame):
        columns = found
        once = len(set(scores.values())) == len(scores)
        owned = once and not isinstance(data, Mapping) and as_frame(data) is None
        return [replace(_rows(query, scores, lambda name, _: columns[name]), owned=owned)]
    if together and query.rules.resolution is None:
        together_named, most = list(scores.values()), groups.MOST_COMBINATIONS
        groups.refuse_combinations(count_combinations(found, together_named, most), together_named)
    sets = [scores] if together else [{name: scores[name]} for name in scores]
    return [_grouped(query, picked, found) for picked in sets]


def _rows(
    query: Query, scores: Mapping[str, ColumnLike], column: Callable[[ColumnLike, str], InputColumn]
) -> ColumnsByRole:
    """Return columns by their roles; `column` finds one by what was given, and its role."""

    def optional(given: ColumnLike, role: str) -> InputColumn | None:
        return None if given is None else column(given, role)

    by = [column(given, name) for name, given in query.segments.items()]
    rows = ColumnsByRole(
        None if query.without_outcome else column(query.outcome, query.role),
        tuple(replace(column(given, name), name=name) for name, given in scores.items()),
        optional(query.weight, "weight"),
        segment_column(by, query.period) if by else None,
        optional(query.exposure, "exposure"),
        amounts=query.amount is not None,
        time=optional(query.time, "time"),
        stratum=optional(query.stratum, "stratum"),
    )
    cluster = optional(query.cluster, "cluster")
    others = (rows.weight, rows.exposure, rows.stratum, rows.by, cluster)
    every = (rows.time, rows.outcome, *rows.scores, *others)
    check_same_rows([each for each in every if each is not None])
    if cluster is None:
        return rows
    present, numbers, hashes = cluster_groups(cluster)
    return replace(rows, ids=present, groups=numbers, hashes=hashes if by else None)


def _grouped(query: Query, picked: Mapping[str, str], frame: Lazy) -> ColumnsByRole:
    """Return the distinct rows of a lazy frame over some scores, with how often each occurs."""
    keys = [*query.outcomes, *picked.values(), *query.extra]
    others = {name: column for name, column in query.scores.items() if name not in picked}
    only_scores = [name for name in picked.values() if name not in {*query.outcomes, *query.extra}]
    step = query.rules.resolution
    grid = None if step is None else dict.fromkeys(only_scores, float(step))
    many = query.amount is not None or query.time is not None
    columns, repeats = grouped_columns(
        frame, keys, list(others.values()), grid, many=many, periods=query.segments_by_period
    )
    present = tuple(replace(columns[column], name=name) for name, column in others.items())
    rows = _rows(query, picked, lambda name, _: columns[name])
    return replace(rows, others=present, order=tuple(query.scores), repeats=repeats)


def queried_columns(
    data: Data, names: Sequence[str], amounts: Sequence[str] = (), scores: Sequence[str] = ()
) -> dict[str, InputColumn] | Lazy:
    """Return columns by name, of amounts perhaps what is not 0; or the lazy frame that has them."""
    data = of_table(data)
    if isinstance(data, SqliteTable):
        check_names(names, data.names)
        return data.columns(names)
    if isinstance(data, Mapping):
        check_names(names, list(data))
        return {name: as_column(data[name], name) for name in names}
    frame = as_frame(data)
    if frame is not None:
        return eager_columns(frame, names) if isinstance(frame, nw.DataFrame) else frame
    files = as_files(data)
    if files is None:
        raise TypeError(
            f"data must be a data frame, a mapping of columns or a path, got {type(data).__name__}"
        )
    return read_columns(files, names, amounts=amounts, scores=scores)


def columns_of_roles(
    given: Mapping[str, ColumnLike], data: Data
) -> tuple[list[InputColumn], Ints | None]:
    """Return columns by what they are, or with `data` by name; and how often each row occurs."""
    if data is None:
        return [as_column(column, role) for role, column in given.items()], None
    names, repeats = list(given.values()), None
    found = queried_columns(data, names)
    if isinstance(found, nw.LazyFrame):
        found, repeats = grouped_columns(found, names)
    return [found[name] for name in names], repeats


def as_files(data: Data) -> Files | None:
    """Return data that is a path, a list of paths or `Files` as the last; None when it is not."""
    if isinstance(data, str | Path) or (_are_paths(data) and len(data) > 0):
        return Files.of(data)
    return data if isinstance(data, Files) else None


def of_table(data: Data, table: str | None = None) -> Data:
    """Return the table of a connection that is named, or that is alone; other data as it is."""
    if is_connection(data):
        return connected_table(data, table)
    if table is None:
        return data
    files = None if isinstance(data, Mapping) else as_files(data)
    if files is None:
        raise TypeError(
            "table= names a table of a database, which data= gives as a connection or a file; "
            "leave it out"
        )
    return replace(files, table=table)


def source_of(data: Data) -> str | None:
    """Return the names of the files that data comes from, or None when it is not from files."""
    paths = getattr(data, "paths", [data] if isinstance(data, str | Path) else data)
    return ", ".join(Path(path).name for path in paths) if _are_paths(paths) else None


def _are_paths(data: Data) -> bool:
    return isinstance(data, list | tuple) and all(isinstance(path, str | Path) for path in data)


def count_each(query: Query) -> tuple[Mapping[str, Ranking | Amounts], dict[str, CountsBySegment]]:
    """Count scores, each alone, over rows complete for all; with `by` also by score and segment."""
    # Within a memory limit, and where an engine holds too many cells, there may be totals instead.
    if query.memory_limit is not None:
        return _within_memory(query), {}
    if (streamed := _streamed(query)) is not None:
        return streamed, {}
    try:
        gathered = gather(query)
    except TooManyCellsError as refused:
        return _ranked(query, refused), {}
    return _each(gathered, query)


def count_by_segment(query: Query) -> CountsBySegment:
    """Count each segment on its own, of one score or of several together."""
    several = len(query.scores) > 1
    found = _segments(gather(query, together=several), query.rules, together=several)
    return next(iter(found.values()), SegmentCounts.of_none())


def count_all_together(query: Query) -> JointCounts | JointValues:
    """Count the combinations of all scores."""
    (rows,) = gather(replace(query, by=None), together=True)
    return count_jointly(rows.complete(query.rules))


def count_together(
    query: Query,
) -> tuple[
    Mapping[str, Ranking | Amounts],
    dict[str, CountsBySegment],
    JointCounts | JointValues | str | None,
]:
    """Return what `count_each` does, and joint counts or why there are none (None: one score)."""
    if len(query.scores) < 2:  # noqa: PLR2004 - a pair
        return *count_each(query), None
    if query.memory_limit is not None:
        return _within_memory(query), {}, NOT_TOGETHER
    try:
        gathered = gather(query)
    except TooManyCellsError as refused:
        return _ranked(query, refused), {}, NOT_HELD
    gathered = [replace(rows, owned=False) for rows in gathered]  # they are counted twice
    whole, parts = _each(list(gathered), query)
    if not whole:
        return whole, parts, None
    if (why := _too_long(whole)) is not None:
        return whole, parts, why
    if len(gathered) > 1:  # an engine holds the rows and grouped them by each score alone
        return whole, parts, count_all_together(query)
    return whole, parts, count_jointly(gathered[0].complete(query.rules))


def count_with_pds(
    query: Query, pd: ColumnLike
) -> tuple[dict[str, Any], dict[str, Any], JointCounts | str | None, dict[str, PdColumn]]:
    """Return what `count_together` does, and for each score the PDs in a column beside it."""
    if query.memory_limit is not None:
        raise ValueError(
            f"{arg('memory_limit')} is for one score, and the PDs are another; leave it out"
        )
    if query.amount is not None:
        raise ValueError("pd= is for two classes, and these are amounts; leave it out")
    names = list(query.scores)
    own, rules = pds_beside(names, query.rules, pd)
    asked = replace(query, scores={**query.scores, own: pd}, rules=rules)
    (rows,) = gather(asked, together=True)
    rows = replace(rows, owned=False)  # they are counted twice
    joint: Any = count_jointly(rows.complete(rules))
    segments = {} if query.by is None else dict(rows.segments(rules))
    parts: dict[Any, Any] = {key: count_jointly(sample) for key, sample in segments.items()}
    whole = {name: joint.margin(name) for name in names}
    return (
        whole,
        {name: {key: each.margin(name) for key, each in parts.items()} for name in names if parts},
        _compared_scores(joint, whole),
        {name: PdColumn(joint, name, own, parts) for name in names},
    )


def pds_beside(scores: Sequence[str], rules: Any, pd: ColumnLike) -> tuple[str, Any]:
    """Return what PDs beside scores are called, and rules of which none is said of the PDs."""
    own = pd if isinstance(pd, str) else next(each for each in ("pd", "pd=") if each not in scores)
    said = {word: getattr(rules, word) for word in ("higher_is", "levels")}
    said = {
        word: given if isinstance(given, Mapping) else dict.fromkeys(scores, given)
        for word, given in said.items()
        if given is not None
    }
    return own, replace(rules, **said)


def _compared_scores(joint: JointCounts, whole: Mapping[str, Any]) -> JointCounts | str | None:
    """Return the joint counts of the scores alone, or why they are not compared."""
    if len(whole) < 2:  # noqa: PLR2004 - a pair
        return None
    if (why := _too_long(whole)) is not None:
        return why
    return joint.joined({name: np.arange(1, len(each) + 1) for name, each in whole.items()})


def _too_long(whole: Mapping[str, Any]) -> str | None:
    """Return why scores are not compared that have too many values together, or None."""
    first, most = next(iter(whole.values())), prod(map(len, whole.values()))
    if isinstance(first, ValueCounts):
        most = int(first.n if first.has_exposure else min(first.n, most + first.m))
    else:
        weights = first.weights
        rows = first.n if weights is None else weights.positive_rows + weights.negative_rows
        most = int(min(rows, most))
    if most * len(whole) <= MOST_JOINT:
        return None
    return (
        f"the scores are not compared: together they may have {most:,} different values, which "
        "takes long"
    )


def _each(
    gathered: list[ColumnsByRole], query: Query
) -> tuple[dict[str, ScoreCounts | ValueCounts], dict[str, CountsBySegment]]:
    if query.by is None:
        return _whole(gathered, query), {}
    parts = _segments(gathered, query.rules)
    whole = {
        name: segments.whole()
        if isinstance(segments, SegmentCounts)
        else type(next(iter(segments.values()))).merge(segments.values())
        for name, segments in parts.items()
    }
    return whole, parts


def _whole(gathered: list[ColumnsByRole], query: Query) -> dict[str, ScoreCounts | ValueCounts]:
    """Count scores by what they are called; the rows are taken out of the list that holds them."""
    whole: dict[str, ScoreCounts | ValueCounts] = {}
    while gathered:
        # No name holds on to the rows: the outcome's column is free before scores are sorted.
        sample = gathered.pop(0).complete(query.rules)
        counted = each_at_once(
            partial(count_clustered, sample), sample.scores, len(sample.positive), query.through
        )
        whole |= {score.name: counts for score, counts in zip(sample.scores, counted, strict=True)}
    return whole


def _segments(
    gathered: list[ColumnsByRole], rules: Rules, *, together: bool = False
) -> dict[str, CountsBySegment]:
    parts: dict[str, CountsBySegment] = {}
    while gathered:
        rows = gathered.pop(0)
        if rows.outcome is None or rows.time is not None:
            for key, sample in rows.segments(rules):
                for score in sample.scores:
                    parts.setdefault(score.name, {})[key] = count_clustered(sample, score)
            continue
        sample, codes, segments = rows.by_segment(rules)
        for scores in [sample.scores] if together else [(score,) for score in sample.scores]:
            of_scores = replace(sample, scores=scores)
            parts[scores[0].name] = count_segmented(of_scores, codes, **segments)
    return parts


def _streamed(query: Query) -> dict[str, ScoreCounts] | None:
    """Count the one score of files while they are read; None where that cannot be."""
    if len(query.scores) > 1 or query.extra or query.amount is not None or query.without_outcome:
        return None
    files = None if query.data is None or isinstance(query.data, Mapping) else as_files(query.data)
    if files is None:
        return None
    from capcurve.input.files.streamed import count_streamed

    ((name, column),) = query.scores.items()
    counts = count_streamed(files, query.target, name, column, query.rules)
    return None if counts is None else {name: counts}


def _within_memory(query: Query) -> dict[str, Ranking]:
    """Count each score of files in about so much memory, over rows complete for all."""
    from capcurve.input.files.spilling import memory_bytes, rank_files

    if query.by is not None:
        raise ValueError(
            f"{arg('memory_limit')} counts all rows together; leave it out, or {arg('by')}"
        )
    if query.cluster is not None:
        raise ValueError(
            f"{arg('memory_limit')} keeps no clusters; leave out {arg('cluster')} or "
            f"{arg('memory_limit')}"
        )
    if query.weight is not None and query.rules.weight_kind != "frequency":
        raise ValueError(
            f"with {arg('memory_limit')}, weights must be frequencies: "
            f"{word(weight_kind='frequency')}; other weights need every score in memory"
        )
    limit = memory_bytes(query.memory_limit or 0)
    files = as_files(query.data)
    if files is None:
        raise TypeError(
            "memory_limit= is for files, given as data= and a path; other rows are in memory "
            "already, or in an engine with a limit of its own: leave it out"
        )
    return {
        name: rank_files(
            files, query.target, query.scores, name, query.rules, limit=limit, weight=query.weight
        )
        for name in query.through(query.scores)
    }


def _ranked(query: Query, refused: TooManyCellsError) -> Mapping[str, Ranking | Amounts]:
    """Rank each score where it is held, or raise what was refused."""
    # Several are ranked over all rows or not at all: those complete for one may lack another.
    several = len(query.scores) > 1
    unranked = query.without_outcome or query.by is not None or query.time is not None
    if unranked or (several and query.rules.missing == "drop"):
        raise refused
    found: dict[str, Ranking | Amounts] = {}
    for name, column in query.scores.items():
        direction, levels = query.rules.of_score(name, list(query.scores))
        rules = replace(query.rules, higher_is=direction, levels=levels)
        alone = replace(query, scores={name: column}, rules=rules)
        if not several:
            return {name: _ranked_where_held(alone, refused)}
        found |= count_each(alone)[0]
    return found


def _ranked_where_held(query: Query, refused: TooManyCellsError) -> RankTotals | ValueSums:
    """Return totals of one score's ranking, or sums of its amounts, or raise what was refused."""
    ((name, score),), rules = query.scores.items(), query.rules
    frame, given = as_frame(query.data), [query.cluster]
    if query.amount is None:
        given += [query.weight, rules.levels, rules.resolution]
    if not isinstance(frame, nw.LazyFrame) or any(each is not None for each in given):
        raise refused
    from capcurve.input.engine_totals import rank_where_held, sum_amounts

    columns = {"t": query.target, "a": query.amount, "s": score, "e": query.exposure}
    named = {role: column for role, column in columns.items() if column is not None}
    with engine_errors(frame):
        rows = named_columns(frame, named)
        if query.amount is None:
            return rank_where_held(rows, named, name, rules)
        return sum_amounts(rows, named, name, rules)


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often ids occur: rows with an id, different ids, rows whose id another row has too."""

    rows: int
    ids: int
    sharing: int


def count_repeats(row_id: ColumnLike, *, data: Data = None) -> Repeats:
    """Count rows, different ids and the rows that share theirs; rows without an id do not count.

    >>> count_repeats(["a", "b", "a", None])
    Repeats(rows=3, ids=2, sharing=2)
    """
    (column,), times = columns_of_roles({"id": row_id}, data)
    keys, codes = segment_codes(column)
    sizes = np.bincount(codes, weights=times, minlength=len(keys)).astype(np.int64)
    known = sizes[[key is not None for key in keys]]
    known = known[known > 0]
    return Repeats(int(known.sum()), len(known), int(known[known > 1].sum()))


def count_partially(query: Query, unknown_label: object) -> PartialCounts:
    """Count what a query asks for, of one score or of several together, with unknown outcomes."""
    (found,) = partial_by_segment(replace(query, by=None), unknown_label).values()
    return found


def partial_by_segment(query: Query, unknown_label: object) -> dict[Any, PartialCounts]:
    """Count each segment with unknown outcomes; without segments all rows, under None."""
    several, found = len(query.scores) > 1, {}
    (rows,) = gather(query, together=several)
    for key, *samples in rows.partial(query.rules, unknown_label):
        of_known, of_unknown = (
            cast("Any", count_jointly(each) if several else count_clustered(each, each.scores[0]))
            for each in samples
        )
        unknown = (JointCases if several else CaseCounts)(of_unknown)
        found[key] = PartialCounts(of_known, unknown)
    return found


@contextmanager
def advising_on_data(*, labels: bool = True) -> Iterator[None]:
    """Advise to mend the data, with its labels, where a function has no option that would help."""
    try:
        yield
    except (ValueError, TypeError) as error:
        advice = {drop_them(): "; leave such rows out", order_them(): "; pass numbers"}
        advice |= dict.fromkeys((name_them(), CHOOSE), KEEP_TWO)
        if labels:
            advice[WHICH_POSITIVE] = "; pass 1 for the positive class and 0 for the other"
        for ending, instead in advice.items():
            said, found, _ = str(error).partition(ending)
            if found:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(said + instead) from None
        raise
