"""What every command is asked: which files, which columns, and how to read them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

STDIN = "-"
DIRECTIONS = ("positive", "negative")
WEIGHT_KINDS = ("frequency", "sampling", "exposure")
ROW_OPTIONS = ("weight", "weight_kind", "cluster", "pos_label", "missing", "memory_limit")


@dataclass(frozen=True, slots=True)
class Request:
    """The shared options of one call.

    Attributes
    ----------
    file
        Files, globs, or "-".
    target, score, weight, by, cluster
        Column names; several scores are judged side by side.
    weight_kind, pos_label, higher_is, levels, missing, resolution
        As in `count_scores`, still as typed; higher_is and levels may be SCORE=VALUE.
    memory_limit
        How much memory to use, as typed.
    min_cell
        The fewest cases that a cell may hold.
    counts
        Whether the files hold counts instead of rows.
    delimiter, decimal, encoding, na
        How csv text is written.
    """

    file: tuple[str, ...]
    target: str | None
    score: tuple[str, ...]
    weight: str | None
    weight_kind: Any
    pos_label: str | None
    higher_is: tuple[str, ...]
    levels: tuple[str, ...]
    missing: Any
    resolution: float | None
    memory_limit: str | None
    min_cell: int | None
    by: str | None
    cluster: str | None
    counts: bool
    delimiter: str | None
    decimal: str | None
    encoding: str
    na: tuple[str, ...]

    def __post_init__(self) -> None:
        given = [name for name in ROW_OPTIONS if self.counts and getattr(self, name) is not None]
        if given:
            flag = "--" + given[0].replace("_", "-")
            raise click.UsageError(f"{flag} is for rows, and --counts reads counts; leave one out")


HELP = {
    "target": "Column of the outcome: 1 for a positive, 0 for a negative.",
    "score": "Column of the score; repeat for several.",
    "by": "Column of the segments, such as months or products.",
    "cluster": "Column of the id shared by dependent rows, such as an obligor's months; intervals "
    "and tests then allow for the dependence.",
    "weight": "Column of the row weights.",
    "weight-kind": "What the weights mean.",
    "pos-label": "Label of the positives, if it is not 1 or true.",
    "higher-is": "What a higher score means (default: positive); SCORE=negative for one of "
    "several scores.",
    "levels": "Grades, most likely positive first; SCORE=G,F,E for one of several scores.",
    "missing": "Stop at rows with a missing value (the default), or drop them and say how many.",
    "resolution": "Round scores down to a grid of this width.",
    "memory-limit": "Approximate memory to use, e.g. 1GB; scores are then sorted on disk.",
    "min-cell": "Stop if any distinct score, in any segment, has fewer than N cases.",
    "counts": "FILE holds counts: score, positives, negatives (or n), optionally segment. "
    "--score, --target and --by name these columns if they are called something else.",
    "delimiter": "CSV field separator (detected if omitted).",
    "decimal": "CSV decimal mark (detected if omitted).",
    "encoding": "Text encoding, e.g. cp1252.",
    "na": "Another text that means a missing value; repeat for several.",
}


def _option(name: str, *more: str, **how: Any) -> Callable[..., Any]:
    return click.option(f"--{name}", *more, help=HELP[name], **how)


COLUMNS = [
    _option("target", "-t", metavar="COLUMN"),
    _option("score", "-s", multiple=True, metavar="COLUMN"),
    _option("by", metavar="COLUMN"),
]
DETAILS = [
    _option("higher-is", multiple=True, metavar="|".join(DIRECTIONS)),
    _option("pos-label", metavar="LABEL"),
    _option("levels", multiple=True, metavar="G,F,E,..."),
    _option("missing", type=click.Choice(["raise", "drop"])),
    _option("cluster", metavar="COLUMN"),
    _option("weight", metavar="COLUMN"),
    _option("weight-kind", type=click.Choice(WEIGHT_KINDS)),
    _option("resolution", type=float, metavar="WIDTH"),
    _option("memory-limit", metavar="SIZE"),
    _option("min-cell", type=click.IntRange(min=1), metavar="N"),
    _option("counts", is_flag=True),
    _option("delimiter", metavar="CHAR"),
    _option("decimal", type=click.Choice([".", ","])),
    _option("encoding", default="utf-8", show_default=True, metavar="NAME"),
    _option("na", multiple=True, metavar="TEXT"),
]


def reads_data(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the files and their columns; all that is shared comes as one `Request`.

    The details of reading, `states_details`, go below the command's own options.
    """
    names = [field.name for field in fields(Request)]

    @functools.wraps(command)
    def call(**values: Any) -> Any:
        request = Request(**{name: values.pop(name) for name in names})
        return command(request, **values)

    wrapped: Callable[..., Any] = call
    for option in reversed(COLUMNS):
        wrapped = option(wrapped)
    return click.argument("file", nargs=-1, required=True, metavar="FILE...")(wrapped)


def states_details(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how its files are read, at the end of its help."""
    for option in reversed(DETAILS):
        command = option(command)
    return command


looks_for_ids = click.option(
    "--id",
    "row_id",
    metavar="COLUMN",
    help="Warn if ids in this column repeat; if they do, pass the column to --cluster.",
)


def refuse_clusters(request: Request, shown: str) -> None:
    """Refuse clusters where nothing that is shown depends on them."""
    if request.cluster is not None:
        raise click.UsageError(
            f"--cluster affects only intervals and tests, and {shown} has none; leave it out"
        )


states_prevalence = click.option(
    "--prevalence",
    type=float,
    metavar="SHARE",
    help="Show the numbers for a population with this share of positives.",
)

states_level = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level of the intervals.",
)
