"""What cells were counted with: direction, grades, grid, the rows lost, names of the axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.numbers.arguments import as_word, refused, spoken, told

if TYPE_CHECKING:
    from capcurve.numbers.types import Direction

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
            {n: mine[n] - its.get(n, 0) for n in mine if mine[n] != its.get(n, 0) or not mine[n]}
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
            f"{refused('resolution')} be a positive number such as 1e-4, got {told(resolution)}"
        )
    return step


def total_dropped(parts: Iterable[Any]) -> Dropped | None:
    """Return the rows that all parts of counts together left out."""
    losses = [part.dropped for part in parts if part.dropped is not None]
    return sum(losses[1:], start=losses[0]) if losses else None


def dropped_without(whole: Any, part: Any) -> Dropped | None:
    """Return the rows that counts without a part of them left out."""
    lost: Dropped | None = whole.dropped
    return lost if lost is None or part.dropped is None else lost - part.dropped


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
    def contain(self) -> str:
        """The verb of what is selected: cases contain, exposure contains."""
        plural = self.selected.endswith("s") and not self.selected.endswith("ss")
        return "contain" if plural else "contains"

    @property
    def a_captured(self) -> str:
        """What one case has of it: "an amount", or the amount by its name."""
        return "an amount" if self.captured == "amount" else self.captured


def _all(noun: str) -> str:
    return f"the {noun}" if noun in SINGULAR else f"all {noun}"


CLASSES = Words()
AMOUNTS = Words("cases", "amount")
OF_EXPOSURE = Words("exposure", "amount")


def check_levels(levels: object) -> tuple[object, ...] | None:
    """Return grade names as a tuple of distinct values, or None; else raise."""
    if levels is None:
        return None
    unordered = isinstance(levels, str | Mapping | set | frozenset)
    if unordered or not isinstance(levels, Iterable):
        raise TypeError(f"levels must list the grades, most-likely-positive first, got {levels!r}")
    names = tuple(item.item() if isinstance(item, np.generic) else item for item in levels)
    if not names:
        raise ValueError(
            f"{spoken('levels is empty')}; name the grades, most-likely-positive first"
        )
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{spoken('levels names')} {repeated!r} twice; name each grade once")
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
