"""`capcurve counts`: save the counts, to be read again with --counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from capcurve.cli.options import reads_data, states_details
from capcurve.cli.output import check_output, note, save
from capcurve.cli.reading import ONE_SCORE, counted
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from capcurve.cli.options import Request
    from capcurve.counts import ScoreCounts

SUFFIXES = (".csv", ".parquet")
SMALL_CELL = 5
MOSTLY = 0.5


@click.command("counts")
@reads_data
@click.option(
    "--output", "-o", required=True, metavar="PATH", help="File to write: .csv or .parquet."
)
@states_details
def counts(request: Request, output: str) -> None:
    """Save the per-score counts every number is computed from.

    The table has the positives and negatives at each distinct score, with --by per segment.
    Every other command reads it with --counts. It contains no rows, but if nearly every case
    has its own score, each count is one case: --resolution groups scores. The table is written
    exactly, so that text a spreadsheet would take for a formula stays as it is.
    """
    from capcurve.input.files import write_cells

    path = check_output(output, request.file, SUFFIXES)
    if len(set(request.score)) > 1:
        raise click.UsageError(ONE_SCORE)
    found = counted(request)
    name, whole = next(iter(found.whole.items()))
    cells = found.segments.get(name, whole)
    _refuse_small_groups(request.min_cell, [whole] if cells is whole else list(cells.values()))
    save(path, lambda file: write_cells(cells, file))
    tell_always(found)
    _tell_small_cells(request, path.name, whole)


def _refuse_small_groups(least: int | None, parts: list[ScoreCounts]) -> None:
    """Refuse a table whose rows, per score and group of clusters, are smaller than its cells."""
    groups = [group for part in parts for group in part.groups or ()]
    smallest = min((_smallest(group) for group in groups if len(group)), default=None)
    if least is not None and smallest is not None and smallest < least:
        raise click.UsageError(
            f"with clusters the table has a row per score and group of clusters, the smallest with "
            f"{smallest} {'case' if smallest == 1 else 'cases'}, and --min-cell is {least}; "
            f"leave out --cluster, or group scores with --resolution"
        )


def _smallest(group: ScoreCounts) -> int:
    from capcurve.counts.algebra import wide

    return int((wide(group.positives) + wide(group.negatives)).min())


def _tell_small_cells(request: Request, file: str, whole: ScoreCounts) -> None:
    from capcurve.summary import summarize

    share, what = summarize(whole).small_cells, "scores"
    if whole.groups is not None:
        share, what = _in_groups(whole.groups), "scores and groups of clusters"
    if not request.counts and share is not None and share > MOSTLY:
        note(
            f"{share:.0%} of the {what} in {file} have fewer than {SMALL_CELL} cases, which "
            "may identify people; --resolution groups scores"
        )


def _in_groups(groups: tuple[ScoreCounts, ...]) -> float | None:
    """Return which share of the cells that are written group by group is small."""
    from capcurve.counts.algebra import wide

    cells = sum(len(group) for group in groups)
    small = sum(int((wide(g.positives) + wide(g.negatives) < SMALL_CELL).sum()) for g in groups)
    return small / cells if cells else None
