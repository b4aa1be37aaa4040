"""Fetching columns: whatever holds the rows, the columns that were named come out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from capcurve.counts.settings import ORDER
from capcurve.input.arrays import (
    DROP,
    Lost,
    Rules,
    Sample,
    as_amount_sample,
    as_sample,
    cluster_groups,
    complete,
    groups,
    split_rows,
    unknown_rows,
)
from capcurve.input.arrays.labels import POSITIVE
from capcurve.input.columns import Column, as_column, check_same_rows
from capcurve.input.frames import (
    as_frame,
    check_names,
    count_combinations,
    eager_columns,
    grouped_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from capcurve.input.columns import ColumnLike, Data
    from capcurve.input.files import Files
    from capcurve.input.frames import Lazy


WEIGHT_INSTEAD = "a weight scales both, so multiply amount and exposure by it"


@dataclass(frozen=True, slots=True)
class Query:
    """What is to be counted: columns by their roles, or with `data` their names.

    `scores` are by what they are called; `rules` say how values are to be read. Where there is an
    `amount`, there is no target; cases `without_outcome` have neither.
    """

    target: ColumnLike
    scores: Mapping[str, ColumnLike]
    rules: Rules
    data: Data = None
    weight: ColumnLike = None
    by: ColumnLike = None
    cluster: ColumnLike = None
    memory_limit: str | int | None = None
    amount: ColumnLike = None
    exposure: ColumnLike = None
    without_outcome: bool = False

    def __post_init__(self) -> None:
        if self.data is not None:
            for role in ("target", "amount", "weight", "exposure", "by", "cluster"):
                if (given := getattr(self, role)) is not None:
                    refuse_unnamed(given, role)
        if self.amount is not None:
            self._refuse_what_classes_need()
        elif self.exposure is not None:
            raise ValueError("exposure= goes with amount=; rows of two classes take weight=")

    def _refuse_what_classes_need(self) -> None:
        for name, given, instead in (
            ("target", self.target, "pass one of the two"),
            ("pos_label", self.rules.pos_label, "it names one of two classes; leave it out"),
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
    def outcomes(self) -> list[Any]:
        """The column of what happened, or none for cases without outcome."""
        return [] if self.without_outcome else [self.outcome]

    @property
    def extra(self) -> list[str]:
        """The names of the columns other than the outcome and the scores."""
        named = (self.weight, self.exposure, self.by, self.cluster)
        return [name for name in named if name is not None]


def named_scores(scores: ColumnLike, data: Data) -> dict[str, ColumnLike]:
    """Return scores as a mapping of name to column, or to column name with `data`."""
    if isinstance(scores, Mapping):
        named = dict(scores) if data is not None else {str(k): v for k, v in scores.items()}
    elif data is None and not isinstance(scores, str) and hasattr(scores, "columns"):
        named = {str(name): scores[name] for name in scores.columns}
    elif data is not None:
        names = [scores] if isinstance(scores, str) else _items_of(scores)
        if not all(isinstance(name, str) for name in names):
            refuse_unnamed(scores, "score")
        named = {name: name for name in names}
    elif isinstance(scores, list | tuple) and scores and all(map(_is_column, scores)):
        named = dict(zip(_names_of(scores), scores, strict=True))
    else:
        named = {"score": scores}
    if not named:
        raise ValueError("no score was named; give at least one")
    return named


def _items_of(scores: ColumnLike) -> list[Any]:
    try:
        return list(scores)
    except TypeError:
        return [scores]


def refuse_unnamed(given: ColumnLike, role: str) -> None:
    """Raise TypeError when what is given beside `data` is no name of one column."""
    if isinstance(given, str):
        return
    if isinstance(given, list | tuple) and role != "score" and all(map(_is_text, given)):
        raise TypeError(
            f"{role} takes one column, got the names {list(given)!r}; put these into one column of "
            "the data, and name that"
        )
    raise TypeError(
        f"with data=, columns are given by name, got {type(given).__name__} for {role}; add it to "
        "the data under a name, or leave out data= and pass every column"
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_column(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _names_of(columns: Sequence[ColumnLike]) -> list[str]:
    """Return what the columns call themselves, as series do, or numbers where they do not."""
    own = [getattr(column, "name", None) for column in columns]
    if all(isinstance(name, str) for name in own) and len(set(own)) == len(own):
        return [str(name) for name in own]
    return [f"score {place}" for place in range(1, len(columns) + 1)]


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of one data set by their roles, whatever they are called.

    The outcome is the target, or with `amounts` the amount; None for cases without. `others` are
    scores that only have to be present, `ids` are of clusters, and `order` names all scores as they
    were asked for. `groups` is the number of the group of each row's cluster. `owned` columns were
    read for this count alone, which may write over the scores.
    """

    outcome: Column | None
    scores: tuple[Column, ...]
    weight: Column | None = None
    by: Column | None = None
    exposure: Column | None = None
    amounts: bool = False
    others: tuple[Column, ...] = ()
    ids: Column | None = None
    repeats: NDArray[np.int64] | None = None
    order: tuple[str, ...] = ()
    groups: NDArray[np.uint8] | None = None
    owned: bool = False

    @property
    def first(self) -> Column:
        """The column that the length of all others is compared with."""
        return self.scores[0] if self.outcome is None else self.outcome

    def _checked(
        self, rules: Rules, unknown: NDArray[np.bool_] | None = None
    ) -> tuple[Sample, Lost]:
        rest = (self.repeats, self.others, self.ids, self.order)
        if self.amounts and self.outcome is not None:
            found = as_amount_sample(self.outcome, self.exposure, self.scores, rules, *rest)
        else:
            found = as_sample(self.outcome, self.scores, rules, self.weight, *rest, unknown)
        return replace(found[0], groups=self.groups), found[1]

    def complete(self, rules: Rules) -> Sample:
        """Return the checked rows that lack nothing, or raise when some do and may not."""
        sample, lost = self._checked(rules)
        return replace(complete(sample, lost, rules), owned=self.owned)

    def partial(self, rules: Rules, unknown_label: object) -> tuple[Sample, Sample]:
        """Return the complete rows whose outcome is known, and those whose outcome is not.

        The latter are all negatives.
        """
        if self.outcome is None:
            raise ValueError("there is no outcome here to be known or not")
        unknown = unknown_rows(self.outcome, unknown_label, rules.pos_label)
        sample, lost = self._checked(rules, unknown)
        parts = (np.flatnonzero(rows) for rows in (~unknown, unknown))
        known, rest = (complete(sample.take(rows, None), lost.take(rows), rules) for rows in parts)
        return known, rest

    def segments(self, rules: Rules) -> Iterator[tuple[object, Sample]]:
        """Yield each segment with its complete rows."""
        sample, lost = self._checked(rules)
        by, first = self.by, self.first
        if by is None:
            raise ValueError(f"by has nothing and {first.name} has {len(first)} rows")
        for key, picked in split_rows(by):
            yield key, complete(sample.take(picked, None), lost.take(picked), rules)


def gather(query: Query, *, together: bool = False) -> list[Rows]:
    """Fetch the columns: all at once, or grouped score by score when an engine holds them.

    Scores that are counted together, and not floored to a grid, must not have too many
    combinations.
    """
    data, scores = query.data, query.scores
    if data is None:
        return [_rows(query, scores, as_column)]
    asked = [*query.outcomes, *scores.values(), *query.extra]
    alone = query.amount is not None and asked.count(query.amount) == 1
    found = columns_of(data, asked, [query.amount] if alone else [])
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
    query: Query,
    scores: Mapping[str, ColumnLike],
    column: Callable[[ColumnLike, str], Column],
) -> Rows:
    """Return columns by their roles; `column` finds one by what was given, and its role."""

    def optional(given: ColumnLike, role: str) -> Column | None:
        return None if given is None else column(given, role)

    role = "target" if query.amount is None else "amount"
    rows = Rows(
        None if query.without_outcome else column(query.outcome, role),
        tuple(replace(column(given, name), name=name) for name, given in scores.items()),
        optional(query.weight, "weight"),
        optional(query.by, "by"),
        optional(query.exposure, "exposure"),
        amounts=query.amount is not None,
    )
    cluster = optional(query.cluster, "cluster")
    every = (rows.outcome, *rows.scores, rows.weight, rows.exposure, rows.by, cluster)
    check_same_rows([each for each in every if each is not None])
    if cluster is None:
        return rows
    present, numbers = cluster_groups(cluster)
    return replace(rows, ids=present, groups=numbers)


def _grouped(query: Query, picked: Mapping[str, str], frame: Lazy) -> Rows:
    """Return the distinct rows of a lazy frame over some scores, with how often each occurs."""
    keys = [*query.outcomes, *picked.values(), *query.extra]
    others = {name: column for name, column in query.scores.items() if name not in picked}
    only_scores = [name for name in picked.values() if name not in {*query.outcomes, *query.extra}]
    step = query.rules.resolution
    grid = None if step is None else dict.fromkeys(only_scores, float(step))
    many = query.amount is not None
    columns, repeats = grouped_columns(frame, keys, list(others.values()), grid, many=many)
    present = tuple(replace(columns[column], name=name) for name, column in others.items())
    rows = _rows(query, picked, lambda name, _: columns[name])
    return replace(rows, others=present, order=tuple(query.scores), repeats=repeats)


def columns_of(
    data: Data, names: Sequence[str], amounts: Sequence[str] = ()
) -> dict[str, Column] | Lazy:
    """Return columns by name, of amounts perhaps what is not 0; or the lazy frame that has them."""
    if isinstance(data, Mapping):
        check_names(names, list(data))
        return {name: as_column(data[name], name) for name in names}
    frame = as_frame(data)
    if frame is not None:
        return eager_columns(frame, names) if isinstance(frame, nw.DataFrame) else frame
    files = files_of(data)
    if files is None:
        raise TypeError(
            f"data must be a data frame, a mapping of columns or a path, got {type(data).__name__}"
        )
    from capcurve.input.files import read_columns

    return read_columns(files, names, amounts=amounts)


def files_of(data: Data) -> Files | None:
    """Return data that is a path, a list of paths or `Files` as the last; None when it is not."""
    from capcurve.input.files import Files  # costs what only readers of files should pay

    if isinstance(data, str | Path) or (_are_paths(data) and len(data) > 0):
        return Files.of(data)
    return data if isinstance(data, Files) else None


def source_of(data: Data) -> str | None:
    """Return the names of the files that data comes from, or None when it is not from files."""
    paths = getattr(data, "paths", [data] if isinstance(data, str | Path) else data)
    return ", ".join(Path(path).name for path in paths) if _are_paths(paths) else None


def _are_paths(data: Data) -> bool:
    return isinstance(data, list | tuple) and all(isinstance(path, str | Path) for path in data)


@contextmanager
def advising_on_data(*, labels: bool = True) -> Iterator[None]:
    """Let what is refused be mended in the data, where a function takes no option for it.

    Of labels too, unless the function takes the positive one.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        advice = {DROP: "; leave such rows out", ORDER: "; pass numbers"}
        advice |= (
            {POSITIVE: "; pass 1 for the positive class and 0 for the other"} if labels else {}
        )
        for ending, instead in advice.items():
            said, found, _ = str(error).partition(ending)
            if found:
                raise type(error)(said + instead) from None
        raise
