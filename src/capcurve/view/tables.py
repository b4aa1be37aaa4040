"""Tables over scores and segments: which columns they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.view.figures import limits_of
from capcurve.view.format import MISSING, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.summary import Summary

NO_SEGMENT = "(none)"
WHOLE = "all"
# What a table over scores or segments shows of each; an interval follows the accuracy ratio.
OF_EACH = (
    *("n", "positives", "prevalence", "accuracy_ratio", "roc_auc", "ks", "ks_q"),
    *("captured_10", "lift_10"),
)


def comparison(
    summaries: Mapping[str, Summary],
    segments: Mapping[str, Mapping[object, Summary]],
    *,
    named: bool = False,
) -> dict[str, list[object]]:
    """Return a row for each score, and for each of its segments before it."""
    lines: list[tuple[str, object, Summary]] = []
    for name, whole in summaries.items():
        lines += [(name, segment_name(key), s) for key, s in segments.get(name, {}).items()]
        lines.append((name, WHOLE, whole))
    columns: dict[str, list[object]] = {}
    if named or len(summaries) > 1:
        columns["score"] = [name for name, _, _ in lines]
    if segments:
        columns["segment"] = [key for _, key, _ in lines]
    return columns | of_each([summary for _, _, summary in lines])


def by_segment(segments: Mapping[object, Summary]) -> dict[str, list[object]]:
    """Return a row for each segment, with all that is known of it."""
    first = next(iter(segments.values()))
    told = {"score", "accuracy_ratio_low", "accuracy_ratio_high"}  # above, and as the interval
    names = [name for name in first.to_row() if name not in told]
    return {
        "segment": [segment_name(key) for key in segments],
        **of_each(list(segments.values()), names),
    }


def segment_name(key: object) -> object:
    """Return what a segment is called."""
    return NO_SEGMENT if key is None else key


def of_each(
    summaries: Sequence[Summary], names: Iterable[str] = OF_EACH
) -> dict[str, list[object]]:
    """Return some numbers of each summary by column, the accuracy ratio with its interval."""
    rows = [_row(summary) for summary in summaries]
    columns: dict[str, list[object]] = {}
    for name in names:
        columns[name] = [row[name] for row in rows]
        if name == "accuracy_ratio" and any(summary.intervals for summary in summaries):
            found = [limits_of(summary, name) or MISSING for summary in summaries]
            columns[f"{percent(summaries[0].level)} interval"] = list(found)
    return columns


def _row(summary: Summary) -> dict[str, object]:
    """Return a summary's row for people: a KS of 0 is reached at no cut-off."""
    row = summary.to_row()
    return row if row["ks_threshold"] is not None else {**row, "ks_q": None}
