"""Text of the command line as the values that the columns hold: labels, grades, directions."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.request import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.columns import Column

SHOWN = 8


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
    return {
        name: [level.strip() for level in next(csv.reader([word], skipinitialspace=True), [])]
        for name, word in said.items()
    }


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

    values = column.values if column.missing is None else column.values[~column.missing]
    if values.dtype.kind == "O":
        items = values.tolist()
        return {item: items.count(item) for item in dict.fromkeys(items)}
    distinct, counts = np.unique(values, return_counts=True)
    labels: list[Any] = distinct.tolist()
    if column.categories is not None:
        labels = [column.categories[code] for code in labels]
    return dict(zip(labels, counts.tolist(), strict=True))


def _same_number(label: object, word: str) -> bool:
    if isinstance(label, str) or not isinstance(label, int | float):
        return False
    try:
        return label == (int(word) if word.strip("+-").isdigit() else float(word))
    except ValueError:
        return False


def _same_truth(label: object, word: str) -> bool:
    return isinstance(label, bool) and str(label).lower() == word.lower()
