"""Counted tables that somebody else wrote: score, n, bad; grade, positives, negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.input.arrays import split_rows
from capcurve.input.files.cellkeys import match_levels
from capcurve.input.files.opened import show
from capcurve.input.files.reading import read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from capcurve.input.columns import Column
    from capcurve.input.files.request import Files

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
) -> ScoreCounts | dict[Any, ScoreCounts]:
    """Read one counted table: a score, its positives, and its negatives or all its cases.

    Raises
    ------
    ValueError
        When a column is missing or its counts are impossible.
    """
    score = names["score"] or _must(found, SCORES, "the score", "--score")
    positives = names["positives"] or _must(found, POSITIVES, "the positives", "--target")
    rest = [name for name in found if name not in (score, positives)]
    negatives = _perhaps(rest, NEGATIVES)
    cases = None if negatives else _perhaps(rest, CASES)
    other = negatives or cases
    if other is None:
        raise ValueError(
            f"beside {positives!r} there must be a column negatives, or n for all cases; "
            f"the columns are {show(found)}"
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
            f"no column is named like {what}; name it with {flag}; the columns are {show(found)}"
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
        f"{show(named)} could all be {what}; name it with {flag}; the columns are {show(found)}"
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


def _rest(cases: Column, positives: Column) -> NDArray[Any]:
    for column in (cases, positives):
        if column.values.dtype.kind not in "iuf":
            raise TypeError(f"column {column.name!r} must hold counts, got {column.values[0]!r}")
    left: NDArray[Any] = _signed(cases.values) - _signed(positives.values)
    if (left < 0).any():
        row = int(np.flatnonzero(left < 0)[0])
        raise ValueError(
            f"{positives.name} is larger than {cases.name} in row {row}: "
            f"{positives.values[row]} of {cases.values[row]}"
        )
    return left


def _signed(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.kind == "f" else values.astype(np.int64)
