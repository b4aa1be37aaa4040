"""`capcurve counts`: save the counts, to be read again with --counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.options import reads_data, states_details
from capcurve.cli.output import check_output, note, save
from capcurve.cli.reading import ONE_SCORE, counted
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from capcurve.cli.options import Request
    from capcurve.counts.types import Array

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
    has its own score, each count is one case: --resolution groups scores. With --amount it has
    every different score, amount and exposure, so nearly every amount is that of one case. The
    table is written exactly, so that text a spreadsheet would take for a formula stays as it is.
    """
    from capcurve.input.files import write_cells

    path = check_output(output, request.file, SUFFIXES)
    if len(set(request.score)) > 1:
        raise click.UsageError(ONE_SCORE)
    if request.all_segments:
        raise click.UsageError("counts saves all segments; leave out --all-segments")
    found = counted(request)
    name, whole = next(iter(found.whole.items()))
    cells = found.segments.get(name, whole)
    parts = [whole] if cells is whole else list(cells.values())
    _refuse_small_rows(request.min_cell, parts)
    save(path, lambda file: write_cells(cells, file))
    tell_always(found)
    _tell_small_rows(request, path.name, whole)


def _refuse_small_rows(least: int | None, parts: list[Any]) -> None:
    """Refuse a table whose rows, finer than its scores, have too few cases."""
    if least is None:
        return
    finer = next((each for part in parts if (each := _finer_than_scores(part))), None)
    smallest = min((int(cases.min()) for cases in map(_cases, parts) if len(cases)), default=least)
    if finer is not None and smallest < least:
        what, remedy = finer
        raise click.UsageError(
            f"the table has a row per {what}, the smallest with {smallest} "
            f"{'case' if smallest == 1 else 'cases'}, and --min-cell is {least}; {remedy}, or "
            "group scores with --resolution"
        )


def _finer_than_scores(part: Any) -> tuple[str, str] | None:
    """Return what tells the rows of a table apart beside the score, and what to do about it."""
    from capcurve.counts.given import is_amounts

    if is_amounts(part):
        return "score and amount", "round the amounts"
    if part.groups is not None:
        return "score and group of clusters", "leave out --cluster"
    return None


def _cases(part: Any) -> Array:
    """Return the cases of each row that is written."""
    import numpy as np

    from capcurve.counts import ValueCounts
    from capcurve.counts.table import wide

    if part.groups is not None:
        return np.concatenate([_cases(group) for group in part.groups])
    if isinstance(part, ValueCounts):
        return np.concatenate([part.holding.times, part.empty.times])
    return wide(part.positives) + wide(part.negatives)


def _tell_small_rows(request: Request, file: str, whole: Any) -> None:
    cases = _cases(whole)
    if request.counts or getattr(whole, "weights", None) is not None or not len(cases):
        return
    share = float((cases < SMALL_CELL).mean())
    finer = _finer_than_scores(whole)
    rows = "scores" if finer is None else f"rows by {finer[0]}"
    if share > MOSTLY:
        note(
            f"{share:.0%} of the {rows} in {file} have fewer than {SMALL_CELL} cases, which "
            "may identify people; --resolution groups scores"
        )
