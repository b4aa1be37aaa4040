"""What users pass: converted to Python's own types, refused, and named as their side types it."""

from __future__ import annotations

import math
import numbers
import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from capcurve.numbers.types import Array

Known = TypeVar("Known")
# Nearer to 0 than this, squares and reciprocals of a share leave the range of floats.
LEAST_SHARE = 1e-100
LONGEST_QUOTED = 60


def as_number(value: Any, name: str) -> float:
    """Return a number of Python, numpy, fractions or decimals as a float; NaN is none."""
    found = _float_or_nan(value)
    if math.isnan(found):
        raise ValueError(f"{refused(name)} be a number, got {told(value)}")
    return found


def as_finite(value: Any, name: str) -> float:
    """Return a number that is not infinite as a float, else raise ValueError."""
    found = _float_or_nan(value)
    if not math.isfinite(found):
        raise ValueError(f"{refused(name)} be a finite number, got {told(value)}")
    return found


def _float_or_nan(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def as_whole(value: Any, name: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`, else raise ValueError."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(
            f"{refused(name)} be a whole number from {least:,} to {most:,}, got {told(value)}"
        )
    return int(value)


def as_name(value: object, name: str, known: Iterable[str], also: Mapping[str, str]) -> str:
    """Return which of the known names is meant; `also` has what else people call them."""
    known = list(known)
    if isinstance(value, str):
        plain = value.strip().lower().replace("-", "_").replace(" ", "_")
        meant = also.get(plain, plain)
        if meant in known:
            return meant
    raise ValueError(f"{refused(name)} be one of {', '.join(map(repr, known))}; got {told(value)}")


def as_word(
    value: object,
    name: str,
    known: Iterable[Known],
    *,
    either: bool = False,
    quote: str = '"',
    mark: str = ",",
) -> Known:
    """Return a word that is one of the known ones as it stands, else raise ValueError."""
    known = tuple(known)
    if value in known:
        return value
    words = [f"{quote}{word}{quote}" for word in known]
    listed = f"one of {', '.join(words)}"
    if either:
        listed = f"{', '.join(words[:-1])} or {words[-1]}"
    raise ValueError(f"{refused(name)} be {listed}{mark} got {told(value)}")


def check_one_dimension(values: Array, name: str) -> None:
    """Raise ValueError where a column is a table."""
    if values.ndim != 1:
        raise ValueError(f"{refused(name)} have one dimension, got shape {values.shape}")


def as_share(value: Any, name: str, *, some: bool = False) -> float:
    """Return a share from 0 to 1, and not 0 where `some` is asked for, else raise ValueError."""
    if np.ndim(value) and not isinstance(value, str):
        read = "; many are read off a curve, as lift_curve(counts).at(q)" if name == "q" else ""
        raise ValueError(f"{name} takes one number, got {told(value)}{read}")
    found = _float_or_nan(value)
    if not (LEAST_SHARE if some else 0) <= found <= 1:
        where = "in (0, 1]" if some else "between 0 and 1"
        raise ValueError(f"{refused(name)} be {where}{_too_near(found)}, got {told(value)}")
    return found


def _too_near(share: float) -> str:
    return f" and be {LEAST_SHARE:g} or more" if 0 < share < LEAST_SHARE else ""


def as_open_share(value: Any, name: str) -> float:
    """Return a share that is neither 0 nor 1, else raise ValueError."""
    found = _float_or_nan(value)
    if not LEAST_SHARE <= found < 1:
        near = _too_near(found)
        raise ValueError(f"{refused(name)} be between 0 and 1{near}, got {told(value)}")
    return found


def refuse_same_column(**roles: Any) -> None:
    """Raise ValueError where one column, by itself or by its name, is given in two roles."""
    (one, first), *others = roles.items()
    for other, second in others:
        same = isinstance(first, str) and isinstance(second, str) and first == second
        if first is not None and (first is second or same):
            called = f", {first!r}" if same else ""
            raise ValueError(f"the {one} and the {other} are the same column{called}; name two")


def told(value: Any) -> str:
    """Return what was found, short enough for one line."""
    if isinstance(value, int) and value.bit_length() > LONGEST_QUOTED:
        return f"a whole number of {value.bit_length()} bits"
    try:
        text = " ".join((str(value) if isinstance(value, numbers.Real) else repr(value)).split())
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to show"
    if len(text) <= LONGEST_QUOTED:
        return text
    closed = text[-1] if text[0] in "'\"" and text[-1] == text[0] else ""
    return f"{text[: LONGEST_QUOTED - 1 - len(closed)]}…{closed}"


def installing(extra: str) -> str:
    """Return what brings an extra, with and without a clone."""
    return f'pip install "capcurve[{extra}]", in a clone ".[{extra}]"'


# How messages name arguments


class Wording:
    """How Python names and passes arguments; another side says the same in words of its own."""

    def refused(self, name: str) -> str:
        """Begin a sentence on an argument whose value is refused."""
        return f"{name} must"

    def passed(self, arguments: Mapping[str, object]) -> str:
        """Write arguments with their values; `ALONE` is none of these."""
        return ", ".join(f"{name}={_as_source(value)}" for name, value in arguments.items())

    def of_file(self, arguments: Mapping[str, object]) -> str:
        """Write arguments about how a file is read."""
        return f"Files.of(path, {self.passed(arguments)})"

    def refused_of_amounts(self, name: str, instead: str) -> str:
        """Refuse counts of amounts for what is about two classes."""
        return (
            f"{name} is about two classes, and these are counts of amounts; for them use "
            f"{instead}, or count which rows have an amount: count_scores(amount > 0, p)"
        )

    def spoken(self, text: str) -> str:
        """Return words that only Python has, such as a call."""
        return text


class Word(str):
    """Text as it is to be seen, in the quotes that Python writes round it."""

    __slots__ = ("quote",)
    quote: str

    def __new__(cls, text: object, quote: str = '"') -> Self:
        """Return the text with its quote."""
        made = super().__new__(cls, text)
        made.quote = quote
        return made

    def __repr__(self) -> str:
        """Return the text in its quotes."""
        return f"{self.quote}{self}{self.quote}"


# Stands for the value of an argument that is named alone.
ALONE = Word("", "")


def _as_source(value: object) -> str:
    if isinstance(value, tuple):  # of words among which to choose
        return " or ".join(filter(None, (", ".join(map(repr, value[:-1])), repr(value[-1]))))
    return "[...]" if value is ... else repr(value)


_PYTHON = Wording()


@dataclass(frozen=True, slots=True)
class Mentions:
    """What messages that were made meanwhile say in words of Python, and what a side says there."""

    side: Wording
    words: dict[str, str] = field(default_factory=dict)

    def reworded(self, message: str) -> str:
        """Return a message in the words of the side."""
        for text in sorted(self.words, key=len, reverse=True):
            # Not within another name, nor before a value that nobody mentioned.
            start = r"(?<![\w-])" if text[0].isalnum() else ""
            end = r"(?![\w'\"\[(])" if text.endswith("=") else ""
            ours = self.words[text].replace("\\", r"\\")
            message = re.sub(start + re.escape(text) + end, ours, message)
        return message


_MENTIONS: ContextVar[Mentions | None] = ContextVar("_MENTIONS", default=None)
_RENAMED: ContextVar[Mapping[str, str] | None] = ContextVar("_RENAMED", default=None)


@contextmanager
def worded_by(side: Wording) -> Iterator[Mentions]:
    """Remember what one side says in place of what messages mention in words of Python."""
    token = _MENTIONS.set(made := Mentions(side))
    try:
        yield made
    finally:
        _MENTIONS.reset(token)


def reworded(message: str) -> str:
    """Return a message in the words of the side that asked; without one as it is."""
    mentions = _MENTIONS.get()
    return message if mentions is None else mentions.reworded(message)


@contextmanager
def renamed(**names: str) -> Iterator[None]:
    """Let messages that are made meanwhile call arguments by other names."""
    token = _RENAMED.set({**(_RENAMED.get() or {}), **names})
    try:
        yield
    finally:
        _RENAMED.reset(token)


def _mentioned(how: Callable[[Wording], Callable[[Any], str]], what: Any) -> str:
    """Return what Python says, and remember what the side that asked says in its place."""
    own = _RENAMED.get() or {}
    if isinstance(what, str):
        what = own.get(what, what)
    elif isinstance(what, dict):
        what = {own.get(name, name): value for name, value in what.items()}
    text, mentions = how(_PYTHON)(what), _MENTIONS.get()
    if mentions is not None:
        mentions.words[text] = how(mentions.side)(what)
    return text


def refused(name: str) -> str:
    """Return how a sentence begins on an argument whose value is refused.

    >>> refused("level")
    'level must'
    """
    return _mentioned(lambda side: side.refused, name)


def arg(*names: str, **values: object) -> str:
    """Return how an argument is named, or how values are passed; `...` is a list of one's own.

    >>> arg("resolution"), arg(event_label=2, censored_label="x"), arg(levels=...)
    ('resolution=', "event_label=2, censored_label='x'", 'levels=[...]')
    """
    return _mentioned(lambda side: side.passed, {**dict.fromkeys(names, ALONE), **values})


def word(**values: str | tuple[str, ...]) -> str:
    """Return how arguments are passed that take one of a few words.

    >>> word(missing="drop"), word(weight_kind=("frequency", "exposure"))
    ('missing="drop"', 'weight_kind="frequency" or "exposure"')
    """
    several = {name: (said,) if isinstance(said, str) else said for name, said in values.items()}
    return arg(**{name: tuple(map(Word, words)) for name, words in several.items()})


def as_typed(**values: object) -> str:
    """Return how arguments are passed whose values are text as it is to be seen.

    >>> as_typed(resolution="1e-06")
    'resolution=1e-06'
    """
    return arg(**{name: Word(value, "") for name, value in values.items()})


def of_file(**values: object) -> str:
    """Return how it is passed how a file is read.

    >>> of_file(skip_lines=3)
    'Files.of(path, skip_lines=3)'
    """
    return _mentioned(lambda side: side.of_file, values)


def spoken(text: str) -> str:
    """Return words of Python alone, for which another side may have words of its own."""
    return _mentioned(lambda side: side.spoken, text)


def refused_of_amounts(name: str, instead: str) -> str:
    """Return what is said of counts of amounts where a function is about two classes."""
    return _mentioned(lambda side: lambda said: side.refused_of_amounts(*said), (name, instead))
