"""`capcurve plot`: draw a curve into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from capcurve.cli.options import reads_data, refuse_clusters, states_details, states_prevalence
from capcurve.cli.output import check_output, save
from capcurve.cli.reading import Counted, called, counted, tell_left_out
from capcurve.cli.tables import tell_always
from capcurve.view import PICTURES

if TYPE_CHECKING:
    from pathlib import Path

    from capcurve.cli.options import Request
    from capcurve.counts import ScoreCounts

KINDS = (
    *("cap", "roc", "lift", "captured-response", "ks", "precision-recall"),
    *("score-distributions", "profit"),
)
# Which pictures an option is for.
FOR = {
    "at": ("cap",),
    "value": ("profit",),
    "cost": ("profit",),
    "prevalence": ("cap", "lift", "captured-response"),
}


@click.command("plot")
@reads_data
@states_prevalence
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="cap",
    show_default=True,
    metavar="KIND",
    help=f"Curve to draw: {', '.join(KINDS)}.",
)
@click.option(
    "--at",
    type=float,
    multiple=True,
    metavar="SHARE",
    help="Guide lines at this share of cases, for cap; repeat for several.",
)
@click.option("--value", type=float, help="Gain per captured positive, for profit.")
@click.option("--cost", type=float, help="Cost per selected case, for profit.")
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="PATH",
    help=f"File to write: {', '.join(PICTURES)}.",
)
@states_details
def plot(
    request: Request,
    prevalence: float | None,
    kind: str,
    at: tuple[float, ...],
    value: float | None,
    cost: float | None,
    output: str,
) -> None:
    """Draw a curve into a file.

    Several scores or segments share one pair of axes.
    """
    path = check_output(output, request.file, PICTURES)
    given = {"at": at or None, "value": value, "cost": cost, "prevalence": prevalence}
    if kind == "lift":
        refuse_clusters(request, "a picture of lift")
    options = _options(kind, {name: said for name, said in given.items() if said is not None})
    found = counted(request)
    _refuse_several(found, kind)
    left_out: dict[str, str] = {}
    drawn = dict(found.whole)
    if found.segments:
        parts, left_out = found.made(lambda counts: _drawable(kind, counts, options))
        drawn = {called(whose): counts for whose, counts in parts}
    save(path, lambda file: _draw(kind, drawn, options, file))
    tell_left_out(left_out)
    tell_always(found)


def _options(kind: str, given: dict[str, object]) -> dict[str, object]:
    for name in given:
        if kind not in FOR[name]:
            raise click.UsageError(f"--{name} is for --kind {', '.join(FOR[name])}, not {kind}")
    missing = [f"--{name}" for name in ("value", "cost") if kind == "profit" and name not in given]
    if missing:
        raise click.UsageError(f"--kind profit needs {' and '.join(missing)}")
    return {"q" if name == "at" else name: said for name, said in given.items()}


def _refuse_several(found: Counted, kind: str) -> None:
    from capcurve.plots import FOR_SEVERAL

    if kind not in FOR_SEVERAL and sum(1 for _ in found.parts()) > 1:
        raise click.UsageError(f"--kind {kind} shows one score; pass one --score, and no --by")


def _drawable(kind: str, counts: ScoreCounts, options: dict[str, object]) -> ScoreCounts:
    """Return counts that can be drawn; raise ValueError for others."""
    from capcurve import plots

    if not (counts.n1 > 0 and counts.n0 > 0):
        plots.KINDS[kind](counts, **options)
    return counts


def _draw(
    kind: str, counts: dict[str, ScoreCounts], options: dict[str, object], path: Path
) -> None:
    from capcurve import plots

    plots.save_picture(plots.KINDS[kind](counts, **options), path)
