"""What a sheet was made from: its data in words, its inputs and its settings as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.digest import DIGITS_OF_DIGEST
from capcurve.show.format import capitalised, counted, listed, percent, plain_text
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.studies.validation.given import Input

# What the first page has room for.
MOST_SUBJECTS, MOST_SEGMENTS_NAMED, LONGEST_VALUE = 6, 6, 56


def inputs_table(inputs: Sequence[Input]) -> Table:
    """Return what the sheet was made from, one row each."""
    columns = {
        "input": [each.role for each in inputs],
        "cases": [each.n for each in inputs],
        "positives": [each.n1 for each in inputs],
        "negatives": [each.n0 for each in inputs],
        "grades": [None if each.levels is None else len(each.levels) for each in inputs],
        "digest": [each.digest and each.digest[:DIGITS_OF_DIGEST] for each in inputs],
    }
    return Table("Inputs", {name: np.array(each, dtype=object) for name, each in columns.items()})


def data_of(
    subject: Mapping[str, str], inputs: Sequence[Input], settings: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Return what was validated on which data, in pairs that a reader of paper understands."""
    apart = {"model", "score"} if inputs else {"model"}
    pairs = ((name, value) for name, value in subject.items() if name not in apart)
    found = [(capitalised(name), value) for name, value in pairs][:MOST_SUBJECTS]
    if not inputs:
        return found
    named = {name.lower() for name, _ in found}
    groups: dict[str, list[Input]] = {}
    for each in inputs:
        groups.setdefault(each.role.partition(" ")[0], []).append(each)
    joint = groups.get("scores", [])
    if joint and joint[0].n == inputs[0].n:
        del groups["scores"]
    parts = [
        ("Score", _scale_of(subject, inputs, settings)),
        *(_of_group(*group) for group in groups.items()),
    ]
    if (left_out := inputs[0].left_out) is not None:
        parts.append(("Rows left out", f"{left_out:,}"))
    return [*found, *(part for part in parts if part[0].lower() not in named)]


def _scale_of(
    subject: Mapping[str, str], inputs: Sequence[Input], settings: Mapping[str, Any]
) -> str:
    """Return what the score is called and which of its values are the riskiest."""
    name = subject.get("score", settings.get("score", "score"))
    levels = inputs[0].levels
    if levels:
        first, *others = map(str, levels)
        found = f"{name}: {', '.join([f'{first} (most likely positive)', *others])}"
        return found if len(found) <= LONGEST_VALUE else f"{name}: {len(levels)} grades"
    return f"{name}: a higher score is more likely {settings.get('higher_is', 'positive')}"


# What parts of the data are called on paper, by the first word of their role.
SHEET_PARTS = {
    "now": "Sample",
    "initial": "Initial sample",
    "before": "Earlier portfolio",
    "period": "Periods",
    "segment": "Segments",
    "scores": "Rows with all scores",
    "with": "With unknown outcomes",
}


def _of_group(role: str, found: list[Input]) -> tuple[str, str]:
    """Return one part of the data: periods and segments by their names, all else by its size."""
    name = SHEET_PARTS.get(role, capitalised(role))
    if role in {"period", "segment"}:
        keys = [each.role.partition(" ")[2] for each in found]
        ends = f"{keys[0]} to {keys[-1]}" if len(keys) > 1 else keys[0]
        if role == "segment":
            ends = listed(keys, MOST_SEGMENTS_NAMED)
        return name, f"{len(keys)}: {ends}"
    only = found[0]
    if only.n is None:
        return name, "an accuracy ratio, taken as exact"
    positives = "" if only.n1 is None else f", {counted(only.n1, 'positive')}"
    rate = f" ({percent(only.n1 / only.n)})" if only.n1 is not None and only.n > 0 else ""
    return name, f"{counted(only.n, 'case')}{positives}{rate}"


def settings_table(given: Mapping[str, Any]) -> Table:
    """Return what the sheet was made with, one row each; parts of a setting have rows of theirs."""
    rows = [pair for name, value in given.items() for pair in _settings(str(name), value)]
    columns = {"setting": [name for name, _ in rows], "value": [value for _, value in rows]}
    return Table("Settings", {name: np.array(each, dtype=object) for name, each in columns.items()})


def _settings(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield a setting in words, of several together each."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _settings(f"{name}, {key}", each)
    elif value is not None:
        said = _setting(value)
        short = said[:DIGITS_OF_DIGEST] if "digest" in name else said
        yield capitalised(name.replace("_", " ")), short


def _setting(value: object) -> str:
    """Return a setting on one line."""
    if isinstance(value, float):
        return plain_text(value)
    return ", ".join(map(_setting, value)) if isinstance(value, list | tuple) else str(value)
