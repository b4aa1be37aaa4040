"""The textbook construction of a CAP, row by row, and what each of its points says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.arguments import told
from capcurve.counts.settings import CLASSES, Words
from capcurve.curves.shares import require
from capcurve.show.format import counted, percent, quantity, stated_percent
from capcurve.show.table import Table, score_column
from capcurve.taking import takes_counts

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Array


@takes_counts
def step_table(counts: ScoreCounts, *, ideal: bool = False) -> Table:
    """Return the CAP step by step: sort, number the cases, add up the target.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    ideal
        Order all positives before all negatives, as a perfect score would.

    Returns
    -------
    Table
        One row per distinct score (per class and score when ideal), after a row for no case
        at all: rank (cases so far), score, target (1 for a positive and 0 for a negative; of
        tied cases, how many are positive), positives (so far), q, captured.

    Raises
    ------
    ValueError
        When there are no positives.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> step_table(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    rank  score  target  positives    q  captured
       0      -       0          0    0         0
       1    0.8       1          1  0.2    0.3333
       2    0.7       1          2  0.4    0.6667
       3    0.6       0          2  0.6    0.6667
       4    0.4       0          2  0.8    0.6667
       5    0.2       1          3    1         1
    """
    require(counts, "positives")
    found, rows_p, rows_n = counts.thresholds, counts.positives, counts.negatives
    if ideal:
        first, second = counts.positives > 0, counts.negatives > 0
        found = np.concatenate([found[first], found[second]])
        rows_p = np.concatenate([rows_p[first], np.zeros_like(rows_p[second])])
        rows_n = np.concatenate([np.zeros_like(rows_n[first]), rows_n[second]])
    positives = _from_zero(rows_p)
    rank = positives + _from_zero(rows_n)
    columns = {
        "rank": rank,
        "score": score_column(found, np.arange(len(rank)) > 0),
        "target": np.concatenate([np.zeros_like(positives[:1]), rows_p.astype(positives.dtype)]),
        "positives": positives,
        "q": rank / rank[-1],
        "captured": positives / positives[-1],
    }
    return Table("steps of the perfect ordering" if ideal else "steps", columns)


def _from_zero(column: Array) -> Array:
    wide = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
    return np.concatenate([np.zeros(1, wide.dtype), np.cumsum(wide)])


def reading(point: Any, *, words: Words | None = None, absolute: bool = False) -> str:
    """Return a point of the CAP as a sentence.

    It has no full stop. Raises `ValueError` for a point without numbers of cases when `absolute`.

    Parameters
    ----------
    point
        Anything with `q` and `captured`, such as an `OperatingPoint` or a `ValuePoint`, or a row
        of `step_table`, or the pair (q, captured).
    words
        What is selected and captured, as `counts.words` of amounts says; left out, what the point
        says itself, and else cases and positives.
    absolute
        Numbers of cases and positives in place of shares: of a row of `step_table`, an
        `OperatingPoint` or a `ValuePoint`.

    Examples
    --------
    >>> reading((0.4, 2 / 3))
    'the top 40% of cases hold 66.7% of all positives'
    >>> reading((0.1, 0.38), words=Words("policies", "claim cost"))
    'the top 10% of policies hold 38.0% of all claim cost'
    >>> from capcurve import count_scores
    >>> steps = step_table(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    >>> for row in list(steps.rows())[1:]:
    ...     print(reading(row, absolute=True))
    the top 1 case holds 1 positive
    the top 2 cases hold 2 positives
    the top 3 cases hold 2 positives
    the top 4 cases hold 2 positives
    the top 5 cases hold 3 positives
    """
    said: Words = getattr(point, "words", CLASSES) if words is None else words
    if absolute:
        return _in_numbers(*_numbers_of(point), said)
    if isinstance(point, dict):
        q, captured = point["q"], point["captured"]
    elif hasattr(point, "captured"):
        q, captured = point.q, point.captured
    else:
        q, captured = point
    first = f"the top {stated_percent(q)} of {said.selected} {said.hold}"
    return f"{first} {percent(captured)} of {said.all_captured}"


def _numbers_of(point: Any) -> tuple[float, float]:
    """Return how much a point selects and captures, or raise ValueError."""
    if isinstance(point, dict) and {"rank", "positives"} <= point.keys():
        return point["rank"], point["positives"]
    if hasattr(point, "tp"):
        return point.tp + point.fp, point.tp
    if hasattr(point, "exposure"):
        return point.exposure, point.amount
    raise ValueError(
        "absolute=True takes a row of step_table, an OperatingPoint or a ValuePoint, "
        f"got {told(point)}, which has no numbers of cases"
    )


def _in_numbers(selected: float, captured: float, words: Words) -> str:
    """Return the sentence in numbers of cases and positives, or in units and amount."""
    if words != CLASSES:
        top = f"the top {quantity(selected)} {words.selected} {words.hold}"
        return f"{top} {quantity(captured)} of {words.all_captured}"
    hold = "holds" if selected == 1 else "hold"
    return f"the top {counted(selected, 'case')} {hold} {counted(captured, 'positive')}"
