"""Counted tables that somebody else wrote: score, n, bad; grade, positives, negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.input.arrays import split_rows
from capcurve.input.files.cellsettings import key_text
from capcurve.input.files.reading import read_columns
from capcurve.input.files.table import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.input.columns import Column, Values
    from capcurve.input.files.cellsettings import Counted
    from capcurve.input.files.sources import Files

SCORES = ("score", "grade", "rating", "class")
POSITIVES = ("positives", "positive", "bad", "bads", "defaults", "events", "n1")
NEGATIVES = ("negatives", "negative", "good", "goods", "nondefaults", "nonevents", "n0")
CASES = ("n", "cases", "total", "count", "obligors", "accounts")
SEGMENTS = ("segment",)


def counts_of_table(
    files: Files,
    found: Sequence[str],
    names: Mapping[str, str | None],
    asked: Mapping[str, Any],
) -> Counted:
    """Read one counted table: a score, its positives, and its negatives or all its cases."""
    score = names["score"] or _must(found, SCORES, "the score", "--score")
    positives = names["positives"] or _must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    negatives = _perhaps(rest, NEGATIVES)
    cases = None if negatives else _perhaps(rest, CASES)
    other = negatives or cases
    if other is None:
        raise ValueError(
            f"beside {positives!r} there must be a column negatives, or n for all cases; "
            f"the columns are {listed(found)}"
        )
    by = names["by"] or _perhaps(rest, SEGMENTS)
    wanted = [score, positives, other, *([] if by is None else [by])]
    columns = read_columns(files, wanted)
    for name in wanted[:3]:
        _refuse_missing(columns[name])
    scores, n1 = columns[score].values, columns[positives].values
    n0 = columns[other].values if cases is None else _rest(columns[other], columns[positives])
    if "levels" in asked:
        asked = {**asked, "levels": match_levels(asked["levels"], scores.tolist())}
    if by is None:
        return ScoreCounts.from_counts(scores, n1, n0, **asked)
    return {
        key: ScoreCounts.from_counts(scores[rows], n1[rows], n0[rows], **asked)
        for key, rows in split_rows(columns[by])
    }


def _must(found: Sequence[str], known: Sequence[str], what: str, flag: str) -> str:
    """Return the one column of a known name, or raise naming the flag that says which."""
    name = _perhaps(found, known, what, flag)
    if name is None:
        raise ValueError(
            f"no column is named like {what}; name it with {flag}; the columns are {listed(found)}"
        )
    return name


def _perhaps(
    found: Sequence[str], known: Sequence[str], what: str = "it", flag: str = "--score, --target"
) -> str | None:
    """Return the one column of a known name, or None; several leave no choice but to ask."""
    named = [name for name in found if name.strip().lower().replace("_", "") in known]
    exact = [name for name in named if name == known[0]]
    if exact or len(named) <= 1:
        return next(iter(exact or named), None)
    raise ValueError(
        f"{listed(named)} could all be {what}; name it with {flag}; the columns are {listed(found)}"
    )


def _refuse_missing(column: Column) -> None:
    absent = column.missing
    if column.values.dtype.kind == "f":
        nan = np.isnan(column.values)
        absent = nan if absent is None else absent | nan
    if absent is not None and absent.any():
        raise ValueError(
            f"column {column.name!r} has no value in {int(absent.sum())} rows; fill them in"
        )


def _rest(cases: Column, positives: Column) -> Values:
    for column in (cases, positives):
        if column.values.dtype.kind not in "iuf":
            raise TypeError(f"column {column.name!r} must hold counts, got {column.values[0]!r}")
    left: Values = _signed(cases.values) - _signed(positives.values)
    if (left < 0).any():
        row = int(np.flatnonzero(left < 0)[0])
        raise ValueError(
            f"{positives.name} is larger than {cases.name} in row {row}: "
            f"{positives.values[row]} of {cases.values[row]}"
        )
    return left


def _signed(values: Values) -> Values:
    return values if values.dtype.kind == "f" else values.astype(np.int64)


def match_levels(levels: Iterable[object], found: Sequence[object]) -> tuple[object, ...]:
    """Return grade names as the values found: the text "3" stands for the number 3.

    Examples
    --------
    >>> match_levels(["3", "2", "B"], [2, 3])
    (3, 2, 'B')
    """
    here = {key_text(value): value for value in found}
    return tuple(
        level if level in found else here.get(_alike(str(level), here), level) for level in levels
    )


def _alike(word: str, here: Mapping[str | None, object]) -> str:
    """Find what was found that a word stands for: the number 1 for "01", true for "TRUE"."""
    if word in here:
        return word
    if word.strip().lower() in {"true", "false"}:
        return word.strip().lower()
    number = _number(word)
    same = [] if number is None else [o for o in here if o is not None and _number(o) == number]
    return same[0] if len(same) == 1 else word


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
