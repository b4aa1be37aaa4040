"""What every command is asked: which files, which columns, and how to read them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

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
            raise click.UsageError(f"{flag} is about rows, and --counts reads what is counted")


HELP = {
    "target": "What happened: 1 for a positive.",
    "score": "The score to judge; repeat for several.",
    "by": "Segments, such as months or products.",
    "cluster": "Rows that belong together, such as the obligor of each month: intervals and tests "
    "then take the dependence into account.",
    "weight": "Weight of each row.",
    "weight-kind": "What the weights mean.",
    "pos-label": "Label of the positives, unless 1 or true.",
    "higher-is": "What a higher score makes likelier (default: positive); SCORE=negative for "
    "one of several scores.",
    "levels": "Grades, most-likely-positive first; SCORE=G,F,E for one of several scores.",
    "missing": "Stop at rows without a value (the default), or leave them out and say so.",
    "resolution": "Floor scores to a grid of this width.",
    "memory-limit": "About how much memory to use, such as 1GB; scores are then sorted on disk.",
    "min-cell": "Stop when any distinct score, of any segment, has fewer than N cases.",
    "counts": "FILE holds counts: score, positives, negatives (or n), perhaps segment. --score, "
    "--target and --by then name these columns where they are called otherwise.",
    "delimiter": "What separates the fields of a csv file, when it is not found.",
    "decimal": "Decimal mark of a csv file, when it is not clear.",
    "encoding": "How a text file is written, such as cp1252.",
    "na": "Another text that means no value; repeat for several.",
}


def _option(name: str, *more: str, **how: Any) -> Callable[..., Any]:
    return click.option(f"--{name}", *more, help=HELP[name], **how)


OPTIONS = [
    _option("target", "-t", metavar="COLUMN"),
    _option("score", "-s", multiple=True, metavar="COLUMN"),
    _option("by", metavar="COLUMN"),
    _option("cluster", metavar="COLUMN"),
    _option("weight", metavar="COLUMN"),
    _option("weight-kind", type=click.Choice(WEIGHT_KINDS)),
    _option("pos-label", metavar="LABEL"),
    _option("higher-is", multiple=True, metavar="|".join(DIRECTIONS)),
    _option("levels", multiple=True, metavar="G,F,E,..."),
    _option("missing", type=click.Choice(["raise", "drop"])),
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
    """Give a command the files and the shared options; it receives them as one `Request`."""
    names = [field.name for field in fields(Request)]

    @functools.wraps(command)
    def call(**values: Any) -> Any:
        request = Request(**{name: values.pop(name) for name in names})
        return command(request, **values)

    wrapped: Callable[..., Any] = call
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return click.argument("file", nargs=-1, required=True, metavar="FILE...")(wrapped)


looks_for_ids = click.option(
    "--id",
    "row_id",
    metavar="COLUMN",
    help="Say when rows share an id: they then belong into --cluster.",
)


def refuse_clusters(request: Request, shown: str) -> None:
    """Refuse clusters where nothing that is shown depends on them."""
    if request.cluster is not None:
        raise click.UsageError(
            f"--cluster is for intervals and tests, and {shown} has none; leave it out"
        )


states_prevalence = click.option(
    "--prevalence",
    type=float,
    metavar="SHARE",
    help="Show the numbers for a population in which this share is positive.",
)

states_level = click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="How often the intervals hold the true value.",
)
