"""Functions of counts take columns in their place, and an evaluation that holds them."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import isroutine, signature
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from capcurve.counts.joint import PdColumn
from capcurve.gate.given import (
    as_amounts,
    as_counted,
    as_drawable,
    as_joint_or_trial,
    as_ranked,
    as_ranked_by_name,
    as_ranked_or_labelled,
    as_ranked_or_trial,
    as_ranking,
    as_trial,
    as_uplift,
    refuse_word_of_amounts,
)
from capcurve.numbers.arguments import arg
from capcurve.numbers.nouns import Noun

if TYPE_CHECKING:
    from typing import TypeAlias

    from capcurve.counts import Direction
    from capcurve.input.arrays import Missing
    from capcurve.input.columns import ColumnLike, Data

    CallKeywords: TypeAlias = dict[str, Any]  # keywords of a call
    # A column of any library, several of them, or with data= a name.
    Column: TypeAlias = Iterable[Any] | str

P = ParamSpec("P")
Counts = TypeVar("Counts")
Result = TypeVar("Result")
Counts_contra = TypeVar("Counts_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
OfPeriods_co = TypeVar("OfPeriods_co", covariant=True)


class HoldsCounts(Protocol):
    """An evaluation, whose counts stand for it."""

    @property
    def counts(self) -> Mapping[str, Any]:
        """Counts by score."""


class OfColumns(Protocol[Counts_contra, P, Result_co]):
    """A function of counts that takes a target and a score, or several, in their place.

    Its own arguments are checked, except in a call that says how to count, or what positives are
    called.
    """

    @overload
    def __call__(
        self, counts: Counts_contra | HoldsCounts, *args: P.args, **kwargs: P.kwargs
    ) -> Result_co: ...
    @overload
    def __call__(self, *args: Any, positive_word: str, **kwargs: Any) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: P.args, **kwargs: P.kwargs
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, data: Data, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, pos_label: object, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, drop_label: object, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, higher_is: Direction, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, weight: ColumnLike, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, exposure: ColumnLike, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, treatment: ColumnLike, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, missing: Missing, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self,
        target: Column,
        score: Column,
        /,
        *args: Any,
        levels: Iterable[object] | None,
        **kwargs: Any,
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, resolution: float | None, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, cluster: ColumnLike, **kwargs: Any
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, by: ColumnLike, **kwargs: Any
    ) -> Result_co: ...


class BySegment(Protocol[Counts_contra, P, Result_co]):
    """A function of counts by segment that takes a target, a score and `by` in their place."""

    @overload
    def __call__(
        self, segments: Counts_contra | HoldsCounts, *args: P.args, **kwargs: P.kwargs
    ) -> Result_co: ...
    @overload
    def __call__(
        self, target: Column, score: Column, /, *args: Any, by: ColumnLike, **kwargs: Any
    ) -> Result_co: ...


class OfTwoColumns(Protocol[Counts_contra, P, Result_co]):
    """A function of other counts that takes two columns in their place."""

    @overload
    def __call__(
        self, counts: Counts_contra | HoldsCounts, *args: P.args, **kwargs: P.kwargs
    ) -> Result_co: ...
    @overload
    def __call__(
        self, first: Column, second: Column | None = None, /, *args: Any, **kwargs: Any
    ) -> Result_co: ...


class ComparesShares(Protocol[Result_co, OfPeriods_co]):
    """A function of the cases of two samples, or of one by period, that takes columns too."""

    @overload
    def __call__(
        self, before: Mapping[Any, Any] | HoldsCounts, after: None = None, **kwargs: Any
    ) -> OfPeriods_co: ...
    @overload
    def __call__(self, before: Any, after: Mapping[Any, Any], **kwargs: Any) -> OfPeriods_co: ...
    @overload
    def __call__(
        self, before: Any, after: Any = None, *, by: ColumnLike, **kwargs: Any
    ) -> OfPeriods_co: ...
    @overload
    def __call__(self, before: Any, after: Any, **kwargs: Any) -> Result_co: ...


class DrawsColumns(Protocol[P, Result_co]):
    """A picture of counts that takes a target and one or several scores in their place.

    Keywords of matplotlib's lines follow, which no type checker knows.
    """

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result_co: ...
    @overload
    def __call__(self, counts: HoldsCounts, /, **kwargs: Any) -> Result_co: ...
    @overload
    def __call__(self, target: Column, score: Column, /, **kwargs: Any) -> Result_co: ...


class TakesColumns(Protocol):
    """A decorator of functions of counts."""

    def __call__(
        self, function: Callable[Concatenate[Counts, P], Result], /
    ) -> OfColumns[Counts, P, Result]:
        """Return the function that takes columns too."""


@functools.cache
def _counting(name: str) -> tuple[Callable[..., Any], frozenset[str]]:
    """Return the function that counts rows, and its keywords."""
    from capcurve.input import count, trials  # costs what only a call with columns should pay

    function = getattr(trials if name in FOR_TRIALS.values() else count, name)
    parameters = signature(function).parameters.values()
    keywords = frozenset(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
    if name not in FOR_TRIALS.values():
        return function, keywords

    def counted(outcome: Any, score: Any, *, treatment: Any, **words: Any) -> Any:
        return function(outcome, treatment, score, **words)

    return counted, keywords | {"treatment"}


# Of functions that count classes, those that count amounts.
FOR_AMOUNTS = {
    "count_scores": "count_values",
    "count_joint": "count_joint_values",
    "count_segments": "count_value_segments",
}


# Of the same, those that count the arms of a trial.
FOR_TRIALS = {"count_scores": "count_uplift", "count_joint": "count_joint_uplift"}


# Of functions that count one score, those that count several of the same rows.
JOINT = {"count_scores": "count_joint"} | {
    kind["count_scores"]: kind["count_joint"] for kind in (FOR_AMOUNTS, FOR_TRIALS)
}


# Of those that count several scores of the same rows, those that count them by segment.
BY_SEGMENT = {"count_joint": "count_segments", "count_joint_values": "count_value_segments"}


# What holds a value per row beside an outcome and a score.
PER_ROW = ("weight", "exposure", "cluster", "by")


def _is_column(given: object) -> bool:
    """Tell whether a value per row is given, rather than counts, an option or a whole frame."""
    kind = type(given)
    return not (
        kind.__module__.startswith("capcurve.")
        or given is None
        or isinstance(given, str | numbers.Number | np.generic | Mapping)
        or isroutine(given)
        or hasattr(kind, "columns")
        or hasattr(kind, "n1")  # of the type, for a column of Spark has any attribute
    )


def _is_frame(given: object) -> bool:
    """Tell whether a frame of any library is given, and no counts, which have columns too."""
    kind = type(given)
    return hasattr(kind, "columns") and not kind.__module__.startswith("capcurve.")


def _are_columns(args: Sequence[Any], *, named: bool) -> bool:
    """Tell whether a call begins with two columns, or with their names."""
    if len(args) < 2:  # noqa: PLR2004 - an outcome and a score
        return False
    outcome, scores = args[:2]
    if isinstance(outcome, str):
        return isinstance(scores, str | Mapping) or _is_column(scores)
    several = isinstance(scores, Mapping) or _is_frame(scores)
    name = named and isinstance(scores, str)
    return _is_column(outcome) and (_is_column(scores) or several or name)


def _counted(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    return (_counting(count)[0](*args[:2], **words), *args[2:])


def _both_counted(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    """Count the columns of a first sample, and those of a second where they follow."""
    if "by" in _counting(count)[1] and words.get("by") is None:
        count = count.replace("value_segments", "values").replace("segments", "scores")
        words = {word: value for word, value in words.items() if word not in ("by", "period")}
    others = args[2:]
    if _is_pair("data", words.get("data")):
        others = others or args[:2]  # names are the same in both samples, unless others follow
    if len(others) < 2:  # noqa: PLR2004 - no outcome and score of a second sample
        return (*_counted(count, args[:2], words if others else _parted(words)[0]), *others)
    first, second = _of_each(words)
    return (*_counted(count, args[:2], first), *_counted(count, others, second))


def _of_each(words: CallKeywords) -> tuple[CallKeywords, CallKeywords]:
    """Return the keywords of each of two samples; a column of rows is of one of them alone."""
    for word in PER_ROW if words.get("data") is None else ():
        value = words.get(word)
        if _is_column(value) and not _is_pair(word, value):
            raise TypeError(
                f"{word}= is one column, and there are two samples; pass one for each: "
                f"{word}=({word}1, {word}2)"
            )
    return _parted(words)


def _parted(words: CallKeywords) -> tuple[CallKeywords, CallKeywords]:
    pairs = {word: value for word, value in words.items() if _is_pair(word, value)}
    first, second = (words | {word: pair[i] for word, pair in pairs.items()} for i in (0, 1))
    return first, second


def _is_pair(word: str, value: object) -> bool:
    """Tell whether a keyword is given for each of two samples."""
    if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004 - two samples
        return False
    return word == "data" or all(map(_is_column, value))


def _of_tables(data: Any, table: Any, *, pair: bool) -> Any:
    """Return data, or the table of it that is named; two samples may have one each."""
    from capcurve.input import of_table

    if not (pair and _is_pair("data", data)):
        return of_table(data, table)
    names = table if isinstance(table, list | tuple) else (table, table)
    return [of_table(each, name) for each, name in zip(data, names, strict=True)]


def _drawn(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    """Count one score, or several by what they are called."""
    if not _are_several(args[1], words) or count in FOR_TRIALS.values():
        return _joint_if_several(count, args, words)
    from capcurve.input.count import count_apart

    found = count_apart(*args[:2], amounts=count in FOR_AMOUNTS.values(), **words)
    return (found, *args[2:])


def _by_name(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    """Count one score, or several that are named: in a mapping, or with data= in a list."""
    # A list of columns without names looks to a type checker like one column.
    listed = words.get("data") is not None and isinstance(args[1], list | tuple)
    several = listed or isinstance(args[1], Mapping)
    return (_drawn if several else _counted)(count, args, words)


def _joint_if_several(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    if not _are_several(args[1], words):
        return _counted(count, args, words)
    if words.pop("memory_limit", None) is not None:
        raise ValueError("memory_limit= is for one score, and these are several; leave it out")
    return _counted(JOINT[count], args, words)


def _are_several(scores: Any, words: CallKeywords) -> bool:
    from capcurve.input import named_scores

    named = named_scores(scores, words.get("data"))
    return next(iter(named.values())) is not scores


def _are_beside(pd: Any, args: Sequence[Any], words: CallKeywords) -> bool:
    """Tell whether PDs are in a column of their own, and not a score by its name."""
    if isinstance(pd, str) and pd != "score" and words.get("data") is not None:
        from capcurve.input import named_scores

        return pd not in named_scores(args[1], words["data"])
    return _is_column(pd)


def _with_pds(args: Sequence[Any], words: CallKeywords, pd: Any) -> tuple[Any, Any]:
    """Return the counts of one or several scores with PDs in a column of their own, and these."""
    from capcurve.input.count import count_joint
    from capcurve.input.query import named_scores, refuse_unnamed

    if words.pop("memory_limit", None) is not None:
        raise ValueError("memory_limit= is for one score, and the PDs are another; leave it out")
    if words.get("data") is not None:
        refuse_unnamed(pd, "pd")
    elif len({len(each) for each in (args[0], pd) if hasattr(type(each), "__len__")}) > 1:
        raise ValueError(
            f"pd has {len(pd):,} values for {len(args[0]):,} rows; pass a PD per row, or by score: "
            "{score: pd}"
        )
    several = _are_several(args[1], words)
    scores = named_scores(args[1], words.get("data")) if several else {"score": args[1]}
    name = next(each for each in ("pd", "pd=") if each not in scores)
    if several and isinstance(pd, str):
        name = pd
    # What is said of the score, or of all scores, is not said of the PDs.
    for word in ("higher_is", "levels"):
        if word in words and not isinstance(words[word], Mapping):
            words = words | {word: dict.fromkeys(scores, words[word])}
    joint = count_joint(args[0], {**scores, name: pd}, **words)
    return (joint, name) if several else (joint.margin("score"), PdColumn(joint, "score", name))


def _each_counted(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    """Count each of two columns on its own, the last one of them by segment with `by`."""
    named = words.get("data") is not None
    parts = {word: words[word] for word in ("by", "period") if words.get(word) is not None}
    words = {word: value for word, value in words.items() if word not in ("by", "period")}
    given = args[:1] if len(args) > 1 and args[1] is None else args[:2]
    of_rows = [_is_column(each) or (named and isinstance(each, str)) for each in given]
    if parts and ("by" not in parts or not of_rows[-1]):
        raise TypeError(
            "by= splits the last sample, which is counted already; pass its column, or a dict of "
            "counts by period"
            if "by" in parts
            else "period= goes with by=; name the column of the dates"
        )
    both = _of_each(words) if sum(of_rows) > 1 else (words, words)
    of_parts: list[CallKeywords] = [{}] * (len(given) - 1) + [parts]
    found = (
        _counting(count if split else count.replace("_segments", "s"))[0](each, **own, **split)
        if counted
        else each
        for each, counted, own, split in zip(given, of_rows, both, of_parts, strict=False)
    )
    return (*found, *args[len(given) :])


def _moved(count: str, args: Sequence[Any], words: CallKeywords) -> tuple[Any, ...]:
    """Count two grades of the same cases together, and name both."""
    counts = _counting(count)[0](list(args[:2]), **words)
    return (counts, *counts.names, *args[2:])


@dataclass(frozen=True, slots=True)
class Rows:
    """How a function of counts takes columns."""

    count: str = "count_scores"  # what counts them
    columns: str = "y, p"  # what to write
    # Returns the arguments that they become.
    become: Callable[[str, Sequence[Any], CallKeywords], tuple[Any, ...]] = _counted
    fill: tuple[str, ...] = ()  # the function's other arguments among these


ONE_SCORE = Rows()
SEVERAL = Rows("count_joint", "y, [p1, p2]")
DRAWN = Rows(become=_drawn)
INDEPENDENT = Rows("count_scores", "y1, p1, y2, p2", _both_counted, ("second",))
CHANGED = Rows("count_segments", "y1, p1, y2, p2, by=(part1, part2)", _both_counted, ("after",))
SEGMENTS = Rows("count_segments", "y, p, by=...")
CASES = Rows("count_case_segments", "before, after", _each_counted, ("after",))
GRADES = Rows("count_cases", "now, initial", _each_counted)
MOVES = Rows("count_joint_cases", "start, end", _moved, ("start", "end"))
TREATED = Rows("count_uplift", "y, p, treatment=t")
PARTIAL = Rows("count_partial")
ORDINAL_CLASSES = Rows("count_classes", "realised, estimated")


@dataclass(frozen=True, slots=True)
class CountsFunction:
    """What a call of one function is given, and what the function gets in its place."""

    name: str
    first: str  # what its first argument is called, and the others
    own: tuple[str, ...]
    places: int  # how many of the others may be given without their names
    closed: bool  # whether it takes no other keywords
    needed: tuple[str, ...]  # the arguments that it cannot do without
    resolve: Callable[[Any, str, str], object]
    rows: Rows

    def admitted(
        self, args: tuple[Any, ...], kwargs: CallKeywords
    ) -> tuple[tuple[Any, ...], CallKeywords]:
        """Return the arguments with counts first, or raise TypeError."""
        if not args and self.first in kwargs:
            args = (kwargs.pop(self.first),)
        if self._has_rows(args, kwargs):
            args, kwargs = self._of_rows(args, kwargs)
        else:
            self._check_words(args, kwargs)
        if args:
            args = (self._resolved(args[0]), *args[1:])
        return args, kwargs

    def _has_rows(self, args: tuple[Any, ...], kwargs: CallKeywords) -> bool:
        named = kwargs.get("data") is not None
        if self.rows.become is _each_counted:
            return any(_is_column(each) or (named and isinstance(each, str)) for each in args[:2])
        return _are_columns(args, named=named)

    def _of_rows(
        self, args: tuple[Any, ...], kwargs: CallKeywords
    ) -> tuple[tuple[Any, ...], CallKeywords]:
        """Count columns with the keywords that are about them; the others stay."""
        self._refuse_more(args)
        count = self.rows.count
        if "exposure" in kwargs:
            count = FOR_AMOUNTS.get(count, count)
        if "treatment" in kwargs:
            count = FOR_TRIALS.get(count, count)
        if kwargs.get("by") is not None:
            count = BY_SEGMENT.get(count, count)
        if kwargs.get("labelled") is not None:  # on some cases alone
            count = "count_partial"
        known = _counting(count)[1]
        self._refuse_unknown([word for word in kwargs if word not in known | {*self.own}], count)
        both = self.rows.become in (_both_counted, _each_counted)
        if "by" in known and kwargs.get("by") is None and not both:
            raise TypeError(f"{self.name} needs the segment of each row: write {self.call}")
        if "treatment" in known and kwargs.get("treatment") is None:
            raise TypeError(f"{self.name} needs the treatment of each row: write {self.call}")
        about_rows = {word: value for word, value in kwargs.items() if word in known}
        if "data" in about_rows:
            table = about_rows.pop("table", None)
            about_rows["data"] = _of_tables(about_rows["data"], table, pair=both)
        rest = {word: value for word, value in kwargs.items() if self._is_own(word, value, known)}
        pd = rest.get("pd")
        if isinstance(pd, str) and isinstance(args[1], str) and pd == args[1]:
            rest["pd"] = "score"
        of_joint = isinstance(pd, str) and rest.get("joint") is not None
        beside = "pd" in self.own and count == "count_scores" and not of_joint
        if beside and _are_beside(pd, args, about_rows):
            counts, rest["pd"] = _with_pds(args, about_rows, pd)
            return (counts, *args[2:]), rest
        return self.rows.become(count, args, about_rows), rest

    def _refuse_more(self, args: Sequence[Any]) -> None:
        """Raise TypeError for data without its name, and for more columns than there are roles."""
        more = args[2:]
        if more and isinstance(args[0], str) and _is_frame(more[0]):
            raise TypeError(f"{self.name} takes data by its name: write {self.name}(..., data=...)")
        if not self.rows.fill and len(more) > self.places:
            raise TypeError(f"{self.name} got {len(args)} arguments by place: write {self.call}")

    def _is_own(self, word: str, value: object, known: frozenset[str]) -> bool:
        # A name by which rows are counted is also what the function may call them.
        return word not in known or (word in self.own and isinstance(value, str))

    def _check_words(self, args: tuple[Any, ...], kwargs: CallKeywords) -> None:
        others = [word for word in kwargs if word not in {self.first, *self.own}]
        if not others:
            return
        about_rows = {"exposure", "treatment"} | _counting(self.rows.count)[1]
        self._refuse_unknown([word for word in others if word not in about_rows], self.rows.count)
        word = next((word for word in others if word in about_rows), None)
        if word is None:
            return
        if args and not _is_column(args[0]) and not isinstance(args[0], str):
            self._resolved(args[0])
            raise TypeError(f"{word} is about rows, and these are counts already")
        raise TypeError(f"{word}= goes with columns: write {self.call}")

    def _refuse_unknown(self, unknown: Sequence[str], count: str) -> None:
        """Raise TypeError for words that neither the function nor counting takes."""
        if not unknown or not self.closed:
            return
        takes = f"takes {', '.join(self.own)}" if self.own else "takes counts alone"
        raise TypeError(
            f"{self.name}() got an unexpected keyword argument {unknown[0]!r}; it {takes}, and "
            f"with columns what {count} takes"
        )

    @property
    def call(self) -> str:
        """The call to make with columns."""
        others = (f", {word}=..." for word in self.needed if word not in self.rows.fill)
        return f"{self.name}({self.rows.columns}{''.join(others)})"

    def _resolved(self, given: Any) -> object:
        return self.resolve(given, self.name, "".join(f", {word}=..." for word in self.needed))

    def described(self, docstring: str | None) -> str | None:
        """Return what is said of the function, with a sentence on columns before its parameters."""
        before, heading, after = (docstring or "").partition("Parameters\n")
        if not heading:
            return docstring
        indent = before[before.rindex("\n") + 1 :]
        both = self.rows.become in (_both_counted, _each_counted)
        data = "data=(data1, data2)" if both else "data="
        said = (
            f"Columns do as well: `{self.call}`,\n{indent}or with `{data}` their names, and the "
            f"keywords of `{self.rows.count}`.\n\n{indent}"
        )
        return f"{before}{said}{heading}{after}"


def resolving(
    function: Callable[..., Any], resolve: Callable[[Any, str, str], object], rows: Rows
) -> Any:
    """Return a function whose first argument is counted and resolved before it is called.

    `resolve` also takes the name of the function and the other arguments that it needs.
    """
    name, (first, *others) = function.__name__, signature(function).parameters.values()
    closed = all(other.kind is not other.VAR_KEYWORD for other in others)
    others = others if closed else others[:-1]
    own = tuple(other.name for other in others)
    needed = tuple(other.name for other in others if other.default is other.empty)
    places = sum(other.kind is other.POSITIONAL_OR_KEYWORD for other in others)
    if first.name == "values":
        columns = rows.columns.replace("y", "amount")
        rows = replace(rows, count=FOR_AMOUNTS[rows.count], columns=columns)
    taker = CountsFunction(name, first.name, own, places, closed, needed, resolve, rows)

    # What stands here has the names of another module.
    noun_of, refuse_word, said = Noun.of, refuse_word_of_amounts, _said

    def asked(*args: Any, **kwargs: Any) -> Any:
        word = kwargs.pop("positive_word", None)
        noun = None if word is None else noun_of(word)
        args, kwargs = taker.admitted(args, kwargs)
        if noun is not None and args:
            refuse_word(args[0])
        return said(function(*args, **kwargs), noun, name)

    # Of the module that it stands in, so that its example is found and run.
    found = FunctionType(asked.__code__, function.__globals__, name, None, asked.__closure__)
    wrapped: Any = functools.wraps(function)(found)
    wrapped.__doc__ = taker.described(function.__doc__)
    return wrapped


def _said(found: Any, noun: Noun | None, name: str) -> Any:
    """Return a result, table or picture that calls positives by a noun."""
    if noun is None:
        return found
    if hasattr(found, "in_words"):
        return found.in_words(f"{noun.one}/{noun.several}")
    if not hasattr(found, "findobj"):
        raise TypeError(f"{name} returns nothing with words; leave out {arg('positive_word')}")
    for text in found.findobj(lambda each: hasattr(each, "set_text") and hasattr(each, "get_text")):
        text.set_text(noun.said(text.get_text()))
    return found


def as_given(given: Any, name: str, needed: str) -> object:  # noqa: ARG001 - as others are called
    """Return what is given, for functions that look at it themselves."""
    return given


def taking_columns(
    resolve: Callable[[Any, str, str], object], rows: Rows = ONE_SCORE
) -> TakesColumns:
    """Return a decorator of functions of counts, which then take columns in their place."""
    return functools.partial(resolving, resolve=resolve, rows=rows)


def about_classes(instead: str) -> TakesColumns:
    """Return a decorator of functions of two classes, which name what to use for amounts."""
    return taking_columns(functools.partial(as_ranking, instead=instead))


def of_two_columns(
    rows: Rows, resolve: Callable[[Any, str, str], object] = as_given
) -> Callable[[Callable[Concatenate[Counts, P], Result]], OfTwoColumns[Counts, P, Result]]:
    """Return a decorator of functions of two scores or grades without outcome."""
    return functools.partial(resolving, resolve=resolve, rows=rows)


def taking_segments(
    function: Callable[Concatenate[Counts, P], Result],
) -> BySegment[Counts, P, Result]:
    """Let a function of counts by segment take columns, with `by`, in their place."""
    found: BySegment[Counts, P, Result] = resolving(function, as_given, SEGMENTS)
    return found


def draws_counts(function: Callable[P, Result]) -> DrawsColumns[P, Result]:
    """Let a picture of counts, of one score or several by name, take columns in their place."""
    found: DrawsColumns[P, Result] = resolving(function, as_drawable, DRAWN)
    return found


# Functions of one outcome or of a trial; of a trial or effect scores; and of the arms alone.
takes_rankings_or_trials: TakesColumns = taking_columns(as_ranked_or_trial)
takes_rankings_or_labels: TakesColumns = taking_columns(as_ranked_or_labelled)
takes_trials: TakesColumns = taking_columns(as_trial, TREATED)
takes_arms: TakesColumns = taking_columns(as_uplift, TREATED)
# Functions of counts of two classes, of one score; of one or several; of classes or amounts, of
# one score or also of several by name; of amounts; and of several scores.
takes_counts: TakesColumns = taking_columns(as_ranking)
takes_counts_or_joint: TakesColumns = taking_columns(as_counted, Rows(become=_joint_if_several))
takes_rankings: TakesColumns = taking_columns(as_ranked)
takes_rankings_by_name: TakesColumns = taking_columns(as_ranked_by_name, Rows(become=_by_name))
takes_amounts: TakesColumns = taking_columns(as_amounts)
takes_joint_rankings: TakesColumns = taking_columns(as_joint_or_trial, SEVERAL)
