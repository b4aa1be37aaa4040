"""Text of the command line as the values that the columns hold: labels, grades, directions."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.request import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.input.columns import Column

SHOWN = 8
LONGEST = 300  # digits; beyond, no score of any type is a whole number


def by_score(given: Sequence[str], scores: Sequence[str], flag: str) -> dict[str, str]:
    """Return what is said for each score: `VALUE` for all of them, `SCORE=VALUE` for one."""
    said: dict[str, str] = {}
    for word in given:
        name, sign, value = word.partition("=")
        named = {name: value} if sign and name in scores else dict.fromkeys(scores, word)
        if said.keys() & named.keys():
            raise click.UsageError(f"{flag} is given twice for {next(iter(named))!r}")
        said |= named
    return said


def directions(given: Sequence[str], scores: Sequence[str]) -> dict[str, str]:
    """Return the direction of each score that one is said for."""
    said = by_score(given, scores, "--higher-is")
    for value in said.values():
        if value not in DIRECTIONS:
            raise click.UsageError(
                f"--higher-is must be positive or negative, or SCORE=negative with one of the "
                f"scores {', '.join(scores)}; got {value!r}"
            )
    return said


def grade_names(given: Sequence[str], scores: Sequence[str]) -> dict[str, list[str]]:
    """Return the grades of each score that they are said for, as typed."""
    said = by_score(given, scores, "--levels")
    return {name: listed(word) for name, word in said.items()}


def label_in(column: Column, word: str) -> object:
    """Return the label of a column that a word stands for.

    Raises
    ------
    ValueError
        When no label reads so; the message lists the labels found.
    """
    labels = labels_of(column)
    for label in labels:
        if str(label) == word or _same_number(label, word) or _same_truth(label, word):
            return label
    found = [f"{label!r} ({count})" for label, count in labels.items()]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise ValueError(
        f"--pos-label {word} is not a label of {column.name!r}, which holds "
        f"{', '.join(found[:SHOWN])}{more}"
    )


def labels_of(column: Column) -> dict[object, int]:
    """Return the distinct values of a column, with how many rows hold each."""
    import numpy as np

    from capcurve.input.columns import python_values

    values = column.values if column.missing is None else column.values[~column.missing]
    if values.dtype.kind == "O":
        return dict(Counter(values.tolist()))
    distinct, counts = np.unique(values, return_counts=True)
    labels: list[Any] = python_values(distinct)
    return dict(zip(labels, counts.tolist(), strict=True))


def _same_number(label: object, word: str) -> bool:
    if isinstance(label, str) or not isinstance(label, int | float):
        return False
    try:
        return label == number_in(word)
    except ValueError:
        return False


def number_in(word: str) -> int | float:
    """Return the number that a word stands for; a whole one keeps all its digits.

    Raises
    ------
    ValueError
        When the word is no number, or one that a float does not reach.

    Examples
    --------
    >>> number_in("9007199254740993"), number_in("0.5")
    (9007199254740993, 0.5)
    """
    if re.fullmatch(r"\s*[+-]?[0-9]+\s*", word) and len(word) <= LONGEST:
        return int(word)
    number = float(word)
    if math.isinf(number) and "inf" not in word.lower():
        raise ValueError(f"{word} is beyond the range of a float")
    return number


def listed(said: str) -> list[str]:
    """Return the words of a list with commas; a word with a comma stands in quotes."""
    return [word.strip() for word in next(csv.reader([said], skipinitialspace=True), [])]


def _same_truth(label: object, word: str) -> bool:
    return isinstance(label, bool) and str(label).lower() == word.lower()
