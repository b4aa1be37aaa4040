"""What options take that is more than one word or number: read, or refused, as it is typed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Made = TypeVar("Made")
MOST_INTEGER_DIGITS = 300  # beyond, no score of any type is a whole number
FEWEST_GRADES, LARGEST_SCALE = 2, 1000
WAYS_TO_WEIGH = ("equal", "cases", "positives", "pairs")
# The words of a list, each before its comma: in quotes, what is inside them, without quotes.
_WORDS = re.compile(r'\s*(?:("((?:[^"]|"")*)")|([^,]*?))\s*,')


def number_in(word: str) -> int | float:
    """Return the number that a word stands for; a whole one keeps all its digits.

    >>> number_in("9007199254740993"), number_in("0.5")
    (9007199254740993, 0.5)
    """
    word = word.replace("−", "-")  # as results print it
    if re.fullmatch(r"\s*[+-]?[0-9]+\s*", word) and len(word) <= MOST_INTEGER_DIGITS:
        return int(word)
    number = float(word)
    if math.isinf(number) and "inf" not in word.lower():
        raise ValueError(f"{word} is beyond the range of a float")
    return number


def number_or(word: str, read: Callable[[str], Made]) -> float | Made:
    """Return the number that a word stands for, or what is read from the file of that name."""
    try:
        return float(word)
    except ValueError:
        return read(word)


def words_in(said: str) -> list[str]:
    """Return the words of a list with commas; one in double quotes is taken as it stands.

    >>> words_in('A, B ,"C,D","E ","5"" pipe"')
    ['A', 'B', 'C,D', 'E ', '5" pipe']
    """
    words = _WORDS.findall(f"{said}," if said else "")
    return [inside.replace('""', '"') if quoted else word for quoted, inside, word in words]


class Notation(click.types.StringParamType):
    """How an option is read; where that raises ValueError, it is refused in one sentence."""

    def __init__(self, read: Callable[[str], Any], refusal: str) -> None:
        self.read: Callable[[str], Any] = read
        self.refusal: str = refusal

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ARG002 - refusals name it
        """Return what was typed, or refuse it."""
        try:
            return self.read(value)
        except ValueError:
            raise click.UsageError(self.refusal.format(value), ctx) from None


def _noun(said: str) -> Any:
    from capcurve.numbers.nouns import Noun  # most calls do without

    return Noun.of(said)


PLURAL = Notation(
    _noun,
    "--positive-word {} must be a plural such as defaults, or one and several as "
    "person/people, and no word for other cases",
)


class Time(click.types.FloatParamType):
    """A number whose digits all count."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number that was typed, or refuse one that a float would round."""
        found: float = super().convert(value, param, ctx)
        if found.is_integer() and str(value).isdecimal() and int(value) != int(found):
            self.fail(f"{value}, which a float would round; scale it and the times.")
        return found


@dataclass(frozen=True, slots=True)
class Cuts:
    """Scores at which something ends: numbers, or the grades of a score that has these."""

    typed: str
    refusal: str

    def among(self, levels: Iterable[Any] | None) -> list[Any]:
        """Return them as the score has them."""
        words = words_in(self.typed)
        if levels is not None:
            from capcurve.input.files import match_levels

            return list(match_levels(words, list(levels)))
        try:
            return [number_in(word) for word in words]
        except ValueError:
            raise click.UsageError(self.refusal.format(self.typed)) from None

    def one(self, levels: Iterable[Any] | None) -> Any:
        """Return the only one, as the score has it."""
        found = self.among(levels)
        if len(found) != 1:
            raise click.UsageError(self.refusal.format(self.typed))
        return found[0]


def bins_among(said: int | str | Cuts | None, levels: Iterable[Any] | None) -> Any:
    """Return bins as the score has them."""
    return said.among(levels) if isinstance(said, Cuts) else said


def _least_and_most(said: str) -> tuple[float, float]:
    """Return the two numbers of LEAST:MOST; one number alone is both."""
    least, *more = map(number_in, said.split(":"))
    (most,) = more or [least]
    return least, most


def _grades(said: str) -> int | tuple[int, int]:
    """Return the most grades, or the fewest and the most.

    >>> _grades("7"), _grades("3:12")
    (7, (3, 12))
    """
    numbers = [int(word) for word in said.split(":") if re.fullmatch("[0-9]{1,9}", word)]
    if len(numbers) != said.count(":") + 1 or numbers[2:] or numbers != sorted(numbers):
        raise ValueError(said)
    if numbers[0] < FEWEST_GRADES or numbers[-1] > LARGEST_SCALE:
        raise click.UsageError(f"--design is of 2 to {LARGEST_SCALE:,} grades, got {said}")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _bins(said: str) -> int | str | Cuts:
    """Return a number of bins, "score", or where bins end."""
    if said == "score" or re.fullmatch(f"[+-]?[0-9]{{1,{MOST_INTEGER_DIGITS}}}", said):
        return said if said == "score" else int(said)
    if not all(words_in(said) or [""]):
        raise ValueError(said)
    return Cuts(said, BINS.refusal)


def _named(said: str) -> tuple[str, str]:
    """Return a name, which may have a sign of equality, and what is said of it."""
    name, _, value = map(str.strip, said.rpartition("="))
    if not name or not value:
        raise ValueError(said)
    return name, value


def _segment_weights(said: str) -> str | dict[str, int | float]:
    """Return how segments are weighed, or the weight of each by its name.

    >>> _segment_weights("cases"), _segment_weights("A=0.4,B=0.6")
    ('cases', {'A': 0.4, 'B': 0.6})
    """
    if said in WAYS_TO_WEIGH:
        return said
    pairs = [_named(word) for word in words_in(said)]
    found = {name: number_in(weight) for name, weight in pairs}
    if len(found) < max(len(pairs), 1):
        raise ValueError(said)
    return found


def _of_lacking(said: str) -> str | float:
    """Return what becomes of segments that lack a class, or the number that they count."""
    word = said.replace("-", "_")
    return word if word in ("leave_out", "raise") else number_in(said)


def _decimals(said: str) -> tuple[str, int]:
    """Return a column, "" for all of them, and a number of decimals."""
    column, _, number = said.rpartition("=")
    return column.strip(), int(number)


def _outside(said: str) -> tuple[str, str]:
    """Return a label of the grades at the end, and what became of its cases."""
    from capcurve.studies.validation.ecb_lines import STATUSES

    label, _, status = said.rpartition("=")
    known = {each.replace(" ", "-"): each for each in STATUSES}
    if not label or status not in known:
        raise ValueError(said)
    return label, known[status]


def _dates(said: str) -> tuple[date, date]:
    start, end = map(date.fromisoformat, said.split(":"))
    if start > end:
        raise ValueError(said)
    return start, end


def _subject(said: str) -> tuple[str, str]:
    """Return a word, and what is said of a model under it, with its blanks."""
    key, value = said.split("=", 1)
    if not key.strip():
        raise ValueError(said)
    return key.strip(), value


POSITIVES_RANGE = Notation(
    _least_and_most,
    "--positives must be LEAST:MOST, as shares of the unknown such as 0.05:0.2 or cases such as "
    "10:40; got {!r}",
)
ODDS = Notation(_least_and_most, "--odds must be LEAST:MOST, such as 1:3; got {!r}")
DESIGN = Notation(
    _grades,
    "--design must be a number of grades such as 7, or the fewest and the most such as 3:12; "
    "got {!r}",
)
ONE_CUT_OFF = "--threshold must be a score such as 620, or with --levels a grade; got {!r}"
THRESHOLD = Notation(partial(Cuts, refusal=ONE_CUT_OFF), ONE_CUT_OFF)
CUTOFF_REFUSAL = ONE_CUT_OFF.replace("--threshold", "--cutoff")
CUTOFF = Notation(partial(Cuts, refusal=CUTOFF_REFUSAL), CUTOFF_REFUSAL)
FIXED_REFUSAL = "--fixed must be scores such as 620,580, or with --levels grades; got {!r}"
FIXED = Notation(partial(Cuts, refusal=FIXED_REFUSAL), FIXED_REFUSAL)
BINS = Notation(
    _bins, "--bins must be a number of bins, score, or scores such as 0.1,0.2; got {!r}"
)
CLASS_EDGES = Notation(
    lambda said: said if said in ("ecb", "values") else list(map(number_in, words_in(said))),
    "--classes must be ecb, values or edges such as 0.1,0.5,1; got {!r}",
)
ACTED_UPON = Notation(
    lambda said: list(map(float, said.split(","))), "--at takes PDs such as 0.1,0.2; got {}"
)
CLAIM = Notation(
    _named, "--claim must be METRIC=NUMBER, such as ks=0.37 or captured@0.1=28%; got {!r}"
)
SEGMENT_WEIGHTS = Notation(
    _segment_weights,
    f"--weights must be {', '.join(WAYS_TO_WEIGH)}, or one weight for each segment such as "
    "A=0.4,B=0.6; got {!r}",
)
LACKING = Notation(
    _of_lacking, "--lacking must be leave-out, raise or a number such as 0; got {!r}"
)
HEADING = Notation(_named, "--column must be HEADING=NAME, such as 'Bad %=rate'; got {!r}")
DECIMALS = Notation(
    _decimals, "--decimals must be a number of decimals, or COLUMN=NUMBER; got {!r}"
)
OUTSIDE = Notation(
    _outside,
    "--outside must be LABEL=default, LABEL=other-model or LABEL=terminated, which says what "
    "became of these cases; got {!r}",
)
DATES = Notation(
    _dates,
    "--initial-dates must be the first and the last day, such as 2021-01-01:2021-12-31; got {!r}",
)
SUBJECT = Notation(_subject, "--subject must be KEY=VALUE, such as model='SME 4.2'; got {!r}")
LISTED = Notation(words_in, "{!r}")
