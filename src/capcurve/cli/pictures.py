"""`capcurve plot`: draw a curve into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from capcurve.cli.options import (
    reads_data,
    refuse_amounts,
    refuse_clusters,
    states_details,
    states_prevalence,
)
from capcurve.cli.output import check_output, save
from capcurve.cli.reading import Counted, called, counted_to_show, tell_left_out
from capcurve.cli.tables import tell_always
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from pathlib import Path

    from capcurve.cli.options import Request
    from capcurve.counts import ScoreCounts, ValueCounts

    Counts: TypeAlias = ScoreCounts | ValueCounts

KINDS = (
    *("cap", "roc", "lorenz", "lift", "mean-amount", "captured-response", "ks"),
    *("precision-recall", "score-distributions", "profit"),
)
OF_AMOUNTS = ("cap", "lorenz", "lift", "mean-amount", "profit")
# Which pictures an option is for.
FOR = {
    "at": ("cap",),
    "absolute": ("cap",),
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
    help=f"Curve to draw: {', '.join(KINDS)}; of amounts {', '.join(OF_AMOUNTS)}.",
)
@click.option(
    "--at",
    type=float,
    multiple=True,
    metavar="SHARE",
    help="Guide lines at this share of cases, for cap; repeat for several.",
)
@click.option(
    "--absolute",
    is_flag=True,
    help="Axes in cases and positives, or exposure and amount, instead of shares, for cap.",
)
@click.option(
    "--value", type=float, help="Gain per captured positive, or unit of the amount, for profit."
)
@click.option("--cost", type=float, help="Cost per selected case, or unit of exposure, for profit.")
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
    *,
    prevalence: float | None,
    kind: str,
    at: tuple[float, ...],
    absolute: bool,
    value: float | None,
    cost: float | None,
    output: str,
) -> None:
    """Draw a curve into a file.

    Several scores or segments share one pair of axes.
    """
    path = check_output(output, request.file, PICTURES)
    given = {"at": at or None, "value": value, "cost": cost, "prevalence": prevalence}
    given["absolute"] = absolute or None
    _refuse_others(request, kind, prevalence)
    if kind == "lift":
        refuse_clusters(request, "a picture of lift")
    options = _options(kind, {name: said for name, said in given.items() if said is not None})
    found = counted_to_show(request)
    _refuse_several(found, kind)
    left_out: dict[str, str] = {}
    drawn = dict(found.whole)
    if found.segments:
        parts, left_out = found.made(lambda counts: _drawable(kind, counts, options))
        drawn = {called(whose): counts for whose, counts in parts}
    save(path, lambda file: _draw(kind, drawn, options, file))
    tell_left_out(left_out)
    tell_always(found)


def _refuse_others(request: Request, kind: str, prevalence: float | None) -> None:
    """Refuse pictures of amounts without one, and with one those of two classes."""
    if kind not in OF_AMOUNTS:
        refuse_amounts(request, f"--kind {kind} is", f"choose {', '.join(OF_AMOUNTS)}")
    if prevalence is not None:
        refuse_amounts(request, "--prevalence is of rates", "leave it out")
    if kind == "mean-amount" and request.amount is None and not request.counts:
        raise click.UsageError("--kind mean-amount needs --amount; without one draw lift")


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


def _drawable(kind: str, counts: Counts, options: dict[str, object]) -> Counts:
    """Return counts that can be drawn; raise ValueError for others."""
    from capcurve import plots
    from capcurve.results.findings import is_defined

    if not is_defined(counts):
        plots.KINDS[kind](counts, **options)
    return counts


def _draw(kind: str, counts: dict[str, Any], options: dict[str, object], path: Path) -> None:
    from capcurve import plots

    plots.save_picture(plots.KINDS[kind](counts, **options), path)
