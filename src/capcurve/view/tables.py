"""Tables as they are shown: which columns, under which headings, each cell as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from capcurve.view.figures import limits_of
from capcurve.view.format import AS_IT_IS, COORDINATES, MISSING, percent, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.summary import Summary
    from capcurve.tables import Table

HEADINGS = {
    "cum_n": "cum n",
    "cum_positives": "cum positives",
    "cum_lift": "cum lift",
    "captured_10": "top 10%",
    "captured_20": "top 20%",
    "captured_50": "top 50%",
    "prevalence": "rate",
    "accuracy_ratio": "AR",
    "roc_auc": "AUC",
    "ks": "KS",
    "ks_q": "KS at",
    "ks_threshold": "KS cut-off",
    "rate_low": "rate low",
    "rate_high": "rate high",
    "lift_10": "lift",
    "tie_mass": "tied",
}
NO_SEGMENT = "(none)"
WHOLE = "all"
# What a table over scores or segments shows of each; an interval follows the accuracy ratio.
OF_EACH = (
    *("n", "positives", "prevalence", "accuracy_ratio", "roc_auc", "ks", "ks_q"),
    *("captured_10", "lift_10"),
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text.

    Attributes
    ----------
    heads
        What stands above each column.
    columns
        The cells, column by column.
    right
        Which columns are numbers, aligned to the right.
    """

    heads: list[str]
    columns: list[list[str]]
    right: list[bool]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*self.columns, strict=True))


def grid(columns: Mapping[str, Sequence[object]]) -> Grid:
    """Return columns as they are shown.

    Examples
    --------
    >>> grid({"score_from": [0.1, None], "rate": [0.25, 1.0]}).rows
    [('0.1', '25.0%'), ('-', '100.0%')]
    """
    return Grid(
        [heading(name) for name in columns],
        [[show(name, value) for value in column] for name, column in columns.items()],
        [_is_right(column) for column in columns.values()],
    )


def columns_of(table: Table) -> dict[str, list[object]]:
    """Return a table's columns as plain values, None where a number is undefined."""
    rows = list(table.rows())
    return {name: [row[name] for row in rows] for name in table.columns}


def heading(name: str) -> str:
    """Return what stands above a column."""
    plain = name in AS_IT_IS or name in COORDINATES
    return HEADINGS.get(name) or (name.replace("_", " ") if plain else name)


def _is_right(column: Sequence[object]) -> bool:
    return any(isinstance(value, int | float) for value in column) or all(
        value is None for value in column
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
