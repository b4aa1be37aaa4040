"""`capcurve plot`: a picture in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.reading import Counted, counted
from capcurve.cli.request import reads_data, states_prevalence
from capcurve.cli.tables import by_part, tell_always

if TYPE_CHECKING:
    from pathlib import Path

    from capcurve.cli.request import Request
    from capcurve.counts import ScoreCounts

SUFFIXES = (".png", ".svg", ".pdf")
KINDS = ("cap", "roc", "lift", "captured-response", "ks", "score-distributions", "profit")
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
    "--kind", type=click.Choice(KINDS), default="cap", show_default=True, help="What to draw."
)
@click.option(
    "--at",
    type=float,
    multiple=True,
    metavar="SHARE",
    help="Guide lines at a share of cases, for cap.",
)
@click.option("--value", type=float, help="What a captured positive brings, for profit.")
@click.option("--cost", type=float, help="What a selected case costs, for profit.")
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="PATH",
    help=f"Where to draw it: {', '.join(SUFFIXES)}.",
)
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

    Several scores or segments go on one axis.
    """
    path = writing.check_output(output, request, SUFFIXES)
    given = {"at": at or None, "value": value, "cost": cost, "prevalence": prevalence}
    options = _options(kind, {name: said for name, said in given.items() if said is not None})
    found = counted(request)
    drawn = _drawable(found, kind)
    writing.save(path, lambda aside: _draw(kind, drawn, options, aside))
    tell_always(found)


def _options(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if kind not in FOR[name]:
            raise click.UsageError(f"--{name} is for --kind {', '.join(FOR[name])}, not {kind}")
    missing = [f"--{name}" for name in ("value", "cost") if kind == "profit" and name not in given]
    if missing:
        raise click.UsageError(f"--kind profit needs {' and '.join(missing)}")
    return {"q" if name == "at" else name: said for name, said in given.items()}


def _drawable(found: Counted, kind: str) -> dict[str, ScoreCounts]:
    """Return the counts to draw, by the name in the legend."""
    from capcurve.plots import FOR_SEVERAL

    drawn = dict(found.whole)
    if found.segments:
        drawn = {
            " ".join("(none)" if v is None else str(v) for v in whose.values()): counts
            for whose, counts in by_part(found)
        }
    if len(drawn) > 1 and kind not in FOR_SEVERAL:
        raise click.UsageError(f"--kind {kind} shows one score; name one --score, and no --by")
    return drawn


def _draw(kind: str, counts: dict[str, ScoreCounts], options: dict[str, Any], path: Path) -> None:
    from capcurve import plots

    plots.save_picture(plots.KINDS[kind](counts, **options), path)
