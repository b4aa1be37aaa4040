"""`capcurve counts`: save what was counted, to be read again with --counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from capcurve.cli import writing
from capcurve.cli.reading import counted
from capcurve.cli.request import reads_data
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from capcurve.cli.request import Request
    from capcurve.counts import ScoreCounts

SUFFIXES = (".csv", ".parquet")
SMALL_CELL = 5
MOSTLY = 0.5


@click.command("counts")
@reads_data
@click.option(
    "--output", "-o", required=True, metavar="PATH", help="Where to save them: .csv or .parquet."
)
def counts(request: Request, output: str) -> None:
    """Save the counts that all numbers are read off.

    The table holds positives and negatives at each distinct score, with --by in each segment.
    Every other command reads it with --counts. It holds no rows, but where nearly every case
    has a score of its own, a cell is a case: --resolution makes cells coarser.
    """
    from capcurve.files import write_cells

    path = writing.check_output(output, request, SUFFIXES)
    if len(set(request.score)) > 1:
        raise click.UsageError("a table of counts holds one score; name one --score")
    found = counted(request)
    name, whole = next(iter(found.whole.items()))
    cells = found.segments.get(name, whole)
    writing.save(path, lambda aside: write_cells(cells, aside))
    tell_always(found)
    _tell_small_cells(request, path.name, whole)


def _tell_small_cells(request: Request, file: str, whole: ScoreCounts) -> None:
    from capcurve.summary import summarize

    share, what = summarize(whole).small_cells, "scores"
    if whole.groups is not None:
        share, what = _in_groups(whole.groups), "scores and groups of clusters"
    if not request.counts and share is not None and share > MOSTLY:
        writing.note(
            f"{share:.0%} of the {what} in {file} have fewer than {SMALL_CELL} cases: each is "
            "nearly a person; --resolution makes them coarser"
        )


def _in_groups(groups: tuple[ScoreCounts, ...]) -> float | None:
    """Return which share of the cells that are written group by group is small."""
    from capcurve.counts.algebra import wide

    cells = sum(len(group) for group in groups)
    small = sum(int((wide(g.positives) + wide(g.negatives) < SMALL_CELL).sum()) for g in groups)
    return small / cells if cells else None
