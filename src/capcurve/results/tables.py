"""Tables over scores and segments: which columns they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from capcurve.results.figures import limits_of
from capcurve.show.format import MISSING, NO_SEGMENT, stated_percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.results import Summary, ValueSummary

    AnySummary: TypeAlias = Summary | ValueSummary

WHOLE = "all"
# What a table over scores or segments shows of each; an interval follows the accuracy ratio.
OF_EACH = (
    *("n", "positives", "prevalence", "accuracy_ratio", "roc_auc", "ks", "ks_q"),
    *("captured_10", "lift_10", "implied_accuracy_ratio", "implied_p"),
)
OF_EACH_AMOUNT = (
    *("n", "with_amount", "exposure", "amount", "mean_amount", "accuracy_ratio"),
    *("concentration_index", "captured_10", "lift_10", "mean_of_top_10"),
)


def comparison(
    summaries: Mapping[str, AnySummary],
    segments: Mapping[str, Mapping[object, AnySummary]],
    *,
    named: bool = False,
) -> dict[str, list[object]]:
    """Return a row for each score, and for each of its segments before it."""
    lines: list[tuple[str, object, AnySummary]] = []
    for name, whole in summaries.items():
        lines += [(name, segment_name(key), s) for key, s in segments.get(name, {}).items()]
        lines.append((name, WHOLE, whole))
    columns: dict[str, list[object]] = {}
    if named or len(summaries) > 1:
        columns["score"] = [name for name, _, _ in lines]
    if segments:
        columns["segment"] = [key for _, key, _ in lines]
    return columns | of_each([summary for _, _, summary in lines])


def by_segment(segments: Mapping[object, AnySummary]) -> dict[str, list[object]]:
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
    summaries: Sequence[AnySummary], names: Iterable[str] | None = None
) -> dict[str, list[object]]:
    """Return some numbers of each summary by column, the accuracy ratio with its interval."""
    rows = [_row(summary) for summary in summaries]
    if names is None:
        names = OF_EACH if summaries[0].kind == "classes" else OF_EACH_AMOUNT
        names = [name for name in names if any(name in row for row in rows)]
    columns: dict[str, list[object]] = {}
    for name in names:
        # What PDs promise is there for scores that are said to be PDs.
        columns[name] = [row.get(name) for row in rows]
        if name == "accuracy_ratio" and any(summary.intervals for summary in summaries):
            found = [limits_of(summary, name) or MISSING for summary in summaries]
            columns[f"{stated_percent(summaries[0].level)} interval"] = list(found)
    return columns


def _row(summary: AnySummary) -> dict[str, object]:
    """Return a summary's row for people: a KS of 0 is reached at no cut-off."""
    row = summary.to_row()
    if summary.kind == "amounts":
        return row
    return row if row["ks_threshold"] is not None else {**row, "ks_q": None}
