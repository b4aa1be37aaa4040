"""What cells were counted with: direction, grades, grid, the rows lost, names of the axes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts.arguments import as_word, told
from capcurve.counts.meeting import rounded_to
from capcurve.counts.strays import reads_as_number, text_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts.types import Array, Bools, Floats, Ints

Direction = Literal["positive", "negative"]
# What the account of rows calls those that have neither an exposure nor an amount.
NO_EXPOSURE = "no exposure"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Rows left out because a named column had no value, or by the label that they have."""

    rows: int  # how many rows were left out
    # How many of them lacked each column; a row lacking two counts in both.
    columns: Mapping[str, int] = field(default_factory=dict)
    # Of those with an outcome all and the positives, where rows were counted one by one.
    outcomes: tuple[int, int] | None = field(default=None, compare=False)
    # How many were left out by name, such as "status is 'Current'"; these lack nothing.
    labels: Mapping[str, int] = field(default_factory=dict)
    # The cases without a score, whatever they weigh, where these are to be a bin of their own.
    unscored: float | None = None

    def __add__(self, other: Dropped) -> Dropped:
        columns, labels = (
            {name: mine.get(name, 0) + its.get(name, 0) for name in dict.fromkeys([*mine, *its])}
            for mine, its in ((self.columns, other.columns), (self.labels, other.labels))
        )
        outcomes = None
        if self.outcomes is not None and other.outcomes is not None:
            outcomes = (self.outcomes[0] + other.outcomes[0], self.outcomes[1] + other.outcomes[1])
        unscored = self._unscored_with(other, 1)
        return Dropped(self.rows + other.rows, columns, outcomes, labels, unscored)

    def __sub__(self, other: Dropped) -> Dropped:
        both = ((self.columns, other.columns), (self.labels, other.labels))
        short = any(n > mine.get(name, 0) for mine, its in both for name, n in its.items())
        if short or other.rows > self.rows:
            raise ValueError(
                "more rows were left out of the second counts than of the first; "
                "they are not a part of them"
            )
        columns, labels = (
            {
                n: rows - its.get(n, 0)
                for n, rows in mine.items()
                if rows != its.get(n, 0) or not rows
            }
            for mine, its in both
        )
        unscored = self._unscored_with(other, -1)
        return Dropped(self.rows - other.rows, columns, None, labels, unscored)

    def _unscored_with(self, other: Dropped, sign: int) -> float | None:
        """Return the cases without a score of both, or of one without the other's."""
        if self.unscored is None or other.unscored is None:
            return None
        return self.unscored + sign * other.unscored

    def to_dict(self) -> dict[str, object]:
        """Return the loss as plain values."""
        found: dict[str, object] = {"rows": self.rows, "columns": dict(self.columns)}
        found |= {"labels": dict(self.labels)} if self.labels else {}
        return found | ({} if self.unscored is None else {"unscored": self.unscored})


def check_direction(higher_is: object) -> Direction:
    """Return `higher_is` when it names a direction, else raise ValueError."""
    return as_word(higher_is, "higher_is", ("positive", "negative"), either=True)


def check_resolution(resolution: object) -> float | None:
    """Return `resolution` as a positive finite number or None, else raise ValueError."""
    if resolution is None:
        return None
    number = isinstance(resolution, int | float | np.integer | np.floating)
    try:
        step = float(resolution) if number and not isinstance(resolution, bool) else 0.0  # type: ignore[arg-type]  # a number
    except OverflowError:  # a whole number beyond every float
        step = math.inf
    if not 0 < step < math.inf:
        raise ValueError(
            f"resolution must be a positive number such as 1e-4, got {told(resolution)}"
        )
    return step


def total_dropped(parts: Iterable[Any]) -> Dropped | None:
    """Return the rows that all parts of counts together left out."""
    losses = [part.dropped for part in parts if part.dropped is not None]
    return sum(losses[1:], start=losses[0]) if losses else None


def dropped_without(whole: Any, part: Any) -> Dropped | None:
    """Return the rows that counts without a part of them left out."""
    if whole.dropped is None or part.dropped is None:
        lost: Dropped | None = whole.dropped
        return lost
    left: Dropped = whole.dropped - part.dropped
    return left


def settings_of(counts: Any) -> dict[str, object]:
    """Return what must be equal for counts of any kind to add or to be compared."""
    names = getattr(counts, "names", None)
    found = {} if names is None else {"names": names}
    found |= {name: getattr(counts, name) for name in ("higher_is", "levels", "resolution")}
    if hasattr(counts, "has_exposure"):
        return {**found, "exposure": counts.has_exposure}
    return {**found, "weight_kind": counts.weight_kind, "weighted": counts.weights is not None}


# Nouns that are no plural: "all positives", but "the amount".
SINGULAR = ("amount", "exposure")


def as_words(name: str) -> str:
    """Return the name of a column as it stands in a sentence.

    >>> as_words("reporting_month")
    'reporting month'
    """
    return " ".join(name.replace("_", " ").split()) or name


@dataclass(frozen=True, slots=True)
class Words:
    """What is selected and what is captured, as sentences and axes name them.

    >>> Words("years", "claims").share_captured
    'share of all claims captured'
    >>> Words("cases", "amount").share_captured
    'share of the amount captured'
    >>> Words("earned_years", "claim_cost").share_captured
    'share of all claim cost captured'
    """

    # What a share is selected of: "cases", or the exposure by its name, such as "years".
    selected: str = "cases"
    # What is captured: "positives", or the amount by its name, such as "claims".
    captured: str = "positives"

    def __post_init__(self) -> None:
        for name in ("selected", "captured"):
            object.__setattr__(self, name, as_words(getattr(self, name)))

    @property
    def all_selected(self) -> str:
        """All of what is selected from: "all cases"."""
        return _all(self.selected)

    @property
    def all_captured(self) -> str:
        """All of what can be captured: "all positives"."""
        return _all(self.captured)

    @property
    def share_selected(self) -> str:
        """The label of the axis of what is selected, as a share."""
        return f"share of {self.all_selected} selected"

    @property
    def share_captured(self) -> str:
        """The label of the axis of what is captured, as a share."""
        return f"share of {self.all_captured} captured"

    @property
    def hold(self) -> str:
        """The verb of what is selected: cases hold, exposure holds."""
        plural = self.selected.endswith("s") and not self.selected.endswith("ss")
        return "hold" if plural else "holds"

    @property
    def a_captured(self) -> str:
        """What one case has of it: "an amount", or the amount by its name."""
        return "an amount" if self.captured == "amount" else self.captured


def _all(noun: str) -> str:
    return f"the {noun}" if noun in SINGULAR else f"all {noun}"


CLASSES = Words()
AMOUNTS = Words("cases", "amount")
OF_EXPOSURE = Words("exposure", "amount")

# A number without exponent, with a per cent sign.
PERCENTAGE = re.compile(r"\s*([+-]?(?:\d+[.,]?\d*|[.,]\d+))\s*%\s*")
# How to tell the order of text, where the function takes levels=.
ORDER = (
    "; pass levels=[...] naming the grades most-likely-positive first, an ordered categorical, or "
    "numbers"
)


def check_levels(levels: object) -> tuple[object, ...] | None:
    """Return grade names as a tuple of distinct values, or None; else raise."""
    if levels is None:
        return None
    unordered = isinstance(levels, str | Mapping | set | frozenset)
    if unordered or not isinstance(levels, Iterable):
        raise TypeError(f"levels must list the grades, most-likely-positive first, got {levels!r}")
    names = tuple(item.item() if isinstance(item, np.generic) else item for item in levels)
    if not names:
        raise ValueError("levels is empty; name the grades, most-likely-positive first")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"levels names {repeated!r} twice; name each grade once")
    return names


def written_levels(levels: tuple[object, ...] | None) -> tuple[object, ...] | None:
    """Return grade names as they are kept: text and plain numbers, all else as text."""
    if levels is None:
        return None
    return tuple(
        item
        if isinstance(item, str | int) or (isinstance(item, float) and np.isfinite(item))
        else str(item)
        for item in levels
    )


def as_rankable(
    values: Array,
    name: str,
    levels: tuple[object, ...] | None,
    higher_is: Direction,
    missing: Bools | None = None,
    repeats: Ints | None = None,
) -> Array:
    """Return one-dimensional scores that can be ranked exactly, or raise saying what was found."""
    # Rows marked missing are not looked at. NaN is left for the caller to judge.
    if values.ndim != 1:
        raise ValueError(_shape_message(values, name))
    if levels is not None:
        if higher_is == "negative":
            raise ValueError(
                "levels already runs most-likely-positive first; reverse it instead of "
                'passing higher_is="negative"'
            )
        return values
    kind = values.dtype.kind
    if kind == "c":
        raise TypeError(f"{name} is complex ({values.dtype}); pass its real part or its modulus")
    if kind == "O":
        values = _from_objects(values, name, missing, repeats)
    elif kind not in "biuf":
        raise TypeError(_not_numbers(values, name, missing, repeats))
    if values.dtype.kind == "f" and values.dtype.itemsize > np.dtype(np.float64).itemsize:
        values = _from_long(values, name)
    return values


def refuse_nan(values: Array, name: str) -> None:
    """Raise ValueError when a score is NaN: it has no rank."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        rows = np.flatnonzero(np.isnan(values))
        raise ValueError(f"{name} is NaN in {len(rows)} of {len(values)} rows, first in {rows[0]}")


def codes_of(values: Array, levels: tuple[object, ...], name: str, dtype: Any = None) -> Array:
    """Return grade codes, larger for the more likely positive, for grade names."""
    # `dtype` is that of the scores, where objects stand for them.
    last, kind = len(levels) - 1, np.dtype(dtype or values.dtype)
    names = [rounded_to(level, kind).item() for level in levels] if kind.kind == "f" else levels
    code = {level: last - position for position, level in enumerate(names)}
    items = values.tolist()
    unknown = set(items).difference(code)
    if unknown:
        shown = ", ".join(sorted(map(repr, unknown))[:5])
        numbers = all(isinstance(each, float) for each in unknown)
        advice = (
            ", or pass levels=master_scale(...) if these are cuts of a score" if numbers else ""
        )
        raise ValueError(
            f"{name} holds {shown}, not among the levels {list(levels)!r}; add what is "
            f"missing{advice}"
        )
    smallest = np.min_scalar_type(max(last, 0))
    return np.fromiter((code[item] for item in items), dtype=smallest, count=len(items))


def names_of(codes: Array, levels: tuple[object, ...]) -> Array:
    """Return the name of each code; the largest code is the first name."""
    names = np.empty(len(levels), dtype=object)
    names[:] = levels
    found: Array = names[len(names) - 1 - codes.astype(np.intp)]
    return found


def _shape_message(values: Array, name: str) -> str:
    if values.ndim == 2 and values.shape[1] == 2:  # noqa: PLR2004 - one column per class
        return f"{name} has 2 columns (shape {values.shape}); take the second one: {name}[:, 1]"
    return f"{name} must have one dimension, got shape {values.shape}; pass one column"


def _not_numbers(
    values: Array, name: str, missing: Bools | None, repeats: Ints | None = None
) -> str:
    if values.dtype.kind in "mM":
        shown = [f" (such as {item})" for item in values[~np.isnat(values)][:1]]
        return f"{name} holds dates or durations{''.join(shown)}; pass a number"
    if not len(values):
        return f"{name} holds text empty, which has no order{ORDER}"
    return text_message(
        values.astype(object), name, missing, f", which has no order{ORDER}", repeats
    )


def _from_objects(values: Array, name: str, missing: Bools | None, repeats: Ints | None) -> Array:
    kept = values if missing is None else values[~missing]
    items = kept.tolist()
    words = [item for item in items if isinstance(item, str)]
    read = len(words) == len(items) and all(map(reads_as_number, words))
    shares = read and any(PERCENTAGE.fullmatch(word) for word in words)
    if not shares and any(isinstance(item, str | bytes) for item in items):
        raise TypeError(_not_numbers(values, name, missing, repeats))
    numbers = from_percentages(words, name) if shares else _as_numbers(items, name)
    if missing is None:
        return numbers
    filled = np.zeros(len(values), dtype=numbers.dtype)
    filled[~missing] = numbers
    return filled


def _as_numbers(items: list[Any], name: str) -> Array:
    from decimal import Decimal

    from capcurve.counts.decimals import from_decimals

    for item in items:
        if not isinstance(item, int | float | Decimal | np.number | np.bool_):
            raise _not_a_number(item, name)
        if isinstance(item, complex | np.complexfloating):
            raise TypeError(f"{name} is complex, such as {item!r}; pass its real part")
    if any(isinstance(item, Decimal) for item in items):
        return from_decimals(items, name)
    whole = [item for item in items if isinstance(item, int | np.integer)]
    low, high = (int(min(whole)), int(max(whole))) if whole else (0, 0)
    if any(isinstance(i, np.longdouble) and float(i) != i for i in items):
        raise ValueError(f"{name} holds numbers with more digits than float64; round them")
    if len(whole) < len(items):
        if any(int(float(item)) != item for item in whole):
            raise ValueError(f"{name} mixes fractions with integers beyond 2^53; use one type")
        return np.array(items, dtype=np.float64)
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return np.array(items, dtype=dtype)
    raise ValueError(f"{name} holds {max(-low, high)}, beyond 64-bit integers; scale it down")


def from_percentages(items: Sequence[str], name: str) -> Floats:
    """Return hundredths where every text is a number with a per cent sign, else raise."""
    found = [PERCENTAGE.fullmatch(item) for item in items]
    signed = next((item for item, match in zip(items, found, strict=True) if match), None)
    other = next((item for item, match in zip(items, found, strict=True) if not match), None)
    if other is not None:
        raise TypeError(
            f"{name} holds {signed!r} and {other!r}; write all as numbers with a per cent sign, "
            "or all without"
        )
    numbers = [match[1] for match in found if match]
    marks = {mark for mark in ".," if any(mark in number for number in numbers)}
    grouped = all(re.search(r",\d{3}$", number) for number in numbers if "," in number)
    if len(marks) > 1 or ("," in marks and grouped):
        raise TypeError(
            f"{name} holds {signed!r}, where the decimal mark is not clear; write a decimal point"
        )
    # As decimals, rounded once: 6.56 % is the same number as 0.0656.
    return np.array([float(number.replace(",", ".") + "e-2") for number in numbers])


def _not_a_number(item: Any, name: str) -> Exception:
    if isinstance(item, complex):
        return TypeError(f"{name} is complex, such as {item!r}; pass its real part")
    if hasattr(item, "__len__") and not isinstance(item, str | bytes):
        return ValueError(
            f"{name} holds a sequence in each row, such as {item!r}; "
            f"take one element, such as column 1: {name}[:, 1]"
        )
    return TypeError(f"{name} holds {item!r}, which is no plain number; convert it to float")


def _from_long(values: Array, name: str) -> Array:
    short = values.astype(np.float64)
    if not ((short == values) | np.isnan(values)).all():
        raise ValueError(f"{name} is {values.dtype} with values that float64 cannot hold; round it")
    return short
