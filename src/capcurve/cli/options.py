"""What every command is asked: which files, which columns, and how to read them."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")

STDIN = "-"
DIRECTIONS = ("positive", "negative")
WEIGHT_KINDS = ("frequency", "sampling", "exposure")
OPEN_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
ROW_OPTIONS = ("weight", "weight_kind", "cluster", "pos_label", "missing", "memory_limit")

# What goes with classes alone, and what to do instead.
SCALED = "a weight scales both, so multiply amount and exposure by it"
CLASS_OPTIONS = {
    "target": "name one of the two",
    "pos_label": "it names one of two classes; leave it out",
    "weight": SCALED,
    "weight_kind": SCALED,
    "memory_limit": "it is for two classes; pass --resolution instead",
}


def _option(*names: str, **how: Any) -> Any:
    """Declare a field that is an option of the command line, which some commands lack."""
    absent = () if how.get("multiple") else False if how.get("is_flag") else how.get("default")
    return field(default=absent, metadata={"option": click.option(*names, **how)})


@dataclass(frozen=True, slots=True)
class Request:
    """The files, globs or "-" of one call, their columns, and how to read them, as typed."""

    file: tuple[str, ...]
    target: str | None = _option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Column of the outcome: 1 for a positive, 0 for a negative.",
    )
    amount: str | None = _option(
        "--amount",
        metavar="COLUMN",
        help="Column of an amount in place of the outcome: losses, claim costs, revenue.",
    )
    exposure: str | None = _option(
        "--exposure",
        metavar="COLUMN",
        help="With --amount: column of what each row counts on the axis of cases, such as insured "
        "years, EAD or premium.",
    )
    score: tuple[str, ...] = _option(
        "--score",
        "-s",
        multiple=True,
        metavar="COLUMN",
        help="Column of the score; repeat for several.",
    )
    by: str | None = _option(
        "--by", metavar="COLUMN", help="Column of the segments, such as months or products."
    )
    all_segments: bool = _option(
        "--all-segments",
        is_flag=True,
        help="Show more than 60 segments, and many segments of few cases, which may be people.",
    )
    higher_is: tuple[str, ...] = _option(
        "--higher-is",
        multiple=True,
        metavar="|".join(DIRECTIONS),
        help="What a higher score means (default: positive); SCORE=negative for one of several "
        "scores.",
    )
    pos_label: str | None = _option(
        "--pos-label", metavar="LABEL", help="Label of the positives, if it is not 1 or true."
    )
    levels: tuple[str, ...] = _option(
        "--levels",
        multiple=True,
        metavar="G,F,E,...",
        help="Grades, most likely positive first; SCORE=G,F,E for one of several scores.",
    )
    missing: Literal["raise", "drop"] | None = _option(
        "--missing",
        type=click.Choice(["raise", "drop"]),
        help="Stop at rows with a missing value (the default), or drop them and say how many.",
    )
    cluster: str | None = _option(
        "--cluster",
        metavar="COLUMN",
        help="Column of the id shared by dependent rows, such as an obligor's months; intervals "
        "and tests then allow for the dependence.",
    )
    weight: str | None = _option("--weight", metavar="COLUMN", help="Column of the row weights.")
    weight_kind: Literal["frequency", "sampling", "exposure"] | None = _option(
        "--weight-kind", type=click.Choice(WEIGHT_KINDS), help="What the weights mean."
    )
    resolution: float | None = _option(
        "--resolution",
        type=float,
        metavar="WIDTH",
        help="Round scores down to a grid of this width.",
    )
    memory_limit: str | None = _option(
        "--memory-limit",
        metavar="SIZE",
        help="Approximate memory to use, e.g. 1GB; scores are then sorted on disk.",
    )
    min_cell: int | None = _option(
        "--min-cell",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop if any distinct score, in any segment, has fewer than N cases.",
    )
    counts: bool = _option(
        "--counts",
        is_flag=True,
        help="FILE holds counts: score, positives, negatives (or n), or of amounts score, amount, "
        "exposure, n; optionally segment. "
        "--score, --target and --by name these columns if they are called something else.",
    )
    delimiter: str | None = _option(
        "--delimiter", metavar="CHAR", help="CSV field separator (detected if omitted)."
    )
    decimal: str | None = _option(
        "--decimal", type=click.Choice([".", ","]), help="CSV decimal mark (detected if omitted)."
    )
    encoding: str = _option(
        "--encoding",
        default="utf-8",
        show_default=True,
        metavar="NAME",
        help="Text encoding, e.g. cp1252.",
    )
    na: tuple[str, ...] = _option(
        "--na",
        multiple=True,
        metavar="TEXT",
        help="Another text that means a missing value; repeat for several.",
    )

    def __post_init__(self) -> None:
        given = [name for name in ROW_OPTIONS if self.counts and getattr(self, name) is not None]
        if given:
            flag = "--" + given[0].replace("_", "-")
            raise click.UsageError(f"{flag} is for rows, and --counts reads counts; leave one out")
        if self.amount is not None:
            self._refuse_what_classes_need()
        elif self.exposure is not None:
            raise click.UsageError("--exposure goes with --amount; name the column of the amount")

    @property
    def source(self) -> str:
        """The names of the files without their folders, which are nobody's business in a report."""
        return ", ".join("standard input" if f == STDIN else Path(f).name for f in self.file)

    @property
    def before_and_after(self) -> tuple[str, str]:
        """What two files are called: before and after, where their names do not differ."""
        names = ["standard input" if f == STDIN else Path(f).stem for f in self.file]
        return (names[0], names[-1]) if len(set(names)) == len(names) else ("before", "after")

    def _refuse_what_classes_need(self) -> None:
        for name, instead in CLASS_OPTIONS.items():
            if getattr(self, name) is not None:
                flag = "--" + name.replace("_", "-")
                raise click.UsageError(f"{flag} does not go with --amount: {instead}")


_OPTIONS = {each.name: each.metadata["option"] for each in fields(Request)[1:]}
_COLUMNS = ("target", "amount", "exposure", "score", "by", "all_segments")
_OF_FILES = ("missing", "delimiter", "decimal", "encoding", "na")


def reads_files(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command its files; they come with all that is said of them as one `Request`."""

    @functools.wraps(command)
    def call(**values: Any) -> Result:
        said = [each.name for each in fields(Request) if each.name in values]
        return command(Request(**{name: values.pop(name) for name in said}), **values)

    return click.argument("file", nargs=-1, required=True, metavar="FILE...")(call)


def reads_data(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the files and their columns; all that is shared comes as one `Request`.

    The details of reading, `states_details`, go below the command's own options.
    """
    return _stating(_COLUMNS, reads_files(command))


def reads_scores(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the files, the target and the scores, and nothing else of `reads_data`."""
    return _stating(("target", "score"), reads_files(command))


def states_details_of_scores(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command of `reads_scores` those of `states_details` that do not depend on it.

    It keeps all rows in memory, and says itself which rows lack a value and what --counts reads.
    """
    left_out = {*_COLUMNS, "memory_limit", "missing", "counts"}
    return _stating([name for name in _OPTIONS if name not in left_out], command)


def states_details(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options that say how its files are read, at the end of its help."""
    return _stating([name for name in _OPTIONS if name not in _COLUMNS], command)


def states_files(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command without scores those of these options that are about files and rows."""
    return _stating(_OF_FILES, command)


def _stating(names: Sequence[str], command: Callable[..., Result]) -> Callable[..., Result]:
    for name in reversed(names):
        command = _OPTIONS[name](command)
    return command


looks_for_ids = click.option(
    "--id",
    "row_id",
    metavar="COLUMN",
    help="Warn if ids in this column repeat; if they do, pass the column to --cluster.",
)


def refuse_amounts(request: Request, shown: str, instead: str) -> None:
    """Refuse amounts where only positives and negatives can be shown."""
    if request.amount is not None:
        raise click.UsageError(f"{shown} of positives and negatives, not of --amount; {instead}")


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
    type=OPEN_SHARE,
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level of the intervals.",
)
