"""`capcurve curve`: the points of a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import writing
from capcurve.cli.parts import made_by_part, tell_left_out
from capcurve.cli.reading import counted
from capcurve.cli.request import reads_data, refuse_clusters, states_details, states_prevalence
from capcurve.cli.tables import SCHEMA_VERSION, in_columns, stacked, tell_always

if TYPE_CHECKING:
    from capcurve.cli.request import Request
    from capcurve.counts import ScoreCounts
    from capcurve.curves import Curve
    from capcurve.tables import Table

KINDS = {
    "cap": "cap_curve",
    "roc": "roc_curve",
    "lift": "lift_curve",
    "local-lift": "local_lift_curve",
    "captured-response": "captured_response_curve",
    "precision-recall": "precision_recall_curve",
    "lorenz": "lorenz_curve",
    "ks": "ks_curve",
}
MOST_POINTS = 1_000_000
OF_A_CLASS = ("local-lift", "captured-response")


@click.command("curve")
@reads_data
@states_prevalence
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default="cap",
    show_default=True,
    metavar="KIND",
    help=f"Curve: {', '.join(KINDS)}.",
)
@click.option(
    "--of",
    "of_class",
    type=click.Choice(["positives", "negatives"]),
    help="Class of the response or lift, for captured-response and local-lift.",
)
@click.option(
    "--points",
    type=click.IntRange(1, MOST_POINTS),
    metavar="N",
    help="Evaluate the curve at N equal steps instead of at every score.",
)
@click.option(
    "--tolerance",
    type=float,
    metavar="HEIGHT",
    help="Drop points that change the curve by at most this much.",
)
@writing.writes_text
@states_details
def curve(
    request: Request,
    prevalence: float | None,
    kind: str,
    of_class: str | None,
    points: int | None,
    tolerance: float | None,
    form: str | None,
    output: str | None,
) -> None:
    """Write the points of a curve.

    Each point comes with the score at the end of the segment before it.
    """
    form = writing.format_of(form, output, request.file)
    refuse_clusters(request, "a curve")
    options = _options(kind, prevalence, of_class)
    if points is not None and tolerance is not None:
        raise click.UsageError("--points and --tolerance both thin the curve; give one")
    found = counted(request)
    lines, left_out = made_by_part(found, lambda c: _line(kind, c, options, tolerance))
    if form == "json" and points is None:
        from capcurve.text import to_json

        body = [{**whose, **line.to_dict()} for whose, line in lines]
        text = to_json({"schema_version": SCHEMA_VERSION, "curve": kind, "parts": body})
    else:
        text = _tabled(kind, [(w, _points(line, points)) for w, line in lines], form, output)
    writing.emit(text, form, output)
    tell_left_out(left_out)
    tell_always(found)


def _options(kind: str, prevalence: float | None, of_class: str | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if prevalence is not None:
        if kind == "roc":
            raise click.UsageError("a ROC does not depend on --prevalence; leave it out")
        options["prevalence"] = prevalence
    if of_class is not None:
        if kind not in OF_A_CLASS:
            raise click.UsageError(f"--of is for --kind {' and '.join(OF_A_CLASS)}")
        options["of"] = of_class
    return options


def _line(
    kind: str, counts: ScoreCounts, options: dict[str, Any], tolerance: float | None
) -> Curve:
    from capcurve import curves

    line: Curve = getattr(curves, KINDS[kind])(counts, **options)
    return line if tolerance is None else line.simplify(tolerance)


def _points(line: Curve, points: int | None) -> Table:
    import numpy as np

    from capcurve.tables import Table

    if points is not None:
        x = np.linspace(line.x[0], line.x[-1], points + 1)
        return Table(line.name, {"x": x, "y": np.asarray(line.at(x))})
    columns: dict[str, Any] = {"x": line.x, "y": line.y}
    if line.thresholds is not None:
        start = np.array([None], dtype=object)
        columns["threshold"] = np.concatenate([start, line.thresholds.astype(object)])
    return Table(line.name, columns)


def _tabled(
    kind: str, parts: list[tuple[dict[str, Any], Table]], form: str, output: str | None
) -> str:
    if form == "json":
        from capcurve.text import to_json

        body = [{**whose, **table.to_dict()["columns"]} for whose, table in parts]
        return to_json({"schema_version": SCHEMA_VERSION, "curve": kind, "parts": body})
    return in_columns(stacked(parts), form, to_screen=output is None)
