"""`capcurve gains`, `thresholds`, `steps` and `curve`: the tables of a score."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.options import (
    reads_data,
    refuse_amounts,
    refuse_clusters,
    states_details,
    states_level,
    states_prevalence,
)
from capcurve.cli.output import Destination, bold, fitted, note, tell, width_of, writes_tables
from capcurve.cli.reading import counted_to_show, listed, number_in, tell_left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.cli.options import Request
    from capcurve.cli.reading import Counted
    from capcurve.counts import ScoreCounts
    from capcurve.curves import Curve
    from capcurve.input.columns import Values
    from capcurve.show.table import Table

    Parts = list[tuple[dict[str, object], Table]]

SCHEMA_VERSION = 1
# What a narrow terminal has no room for.
SPARE = ("cum_n", "cum_positives", "cum_amount", "cum_mean_amount", "cum_lift")
BINS = "--bins must be a number of bins, score, or scores such as 0.1,0.2"
# What must be known also by someone who only asks for a table or a curve.
CURVES = {
    "cap": "cap_curve",
    "roc": "roc_curve",
    "lift": "lift_curve",
    "local-lift": "local_lift_curve",
    "captured-response": "captured_response_curve",
    "precision-recall": "precision_recall_curve",
    "lorenz": "lorenz_curve",
    "ks": "ks_curve",
}
OF_AMOUNTS = ("cap", "lift", "local-lift", "captured-response", "lorenz")
MOST_POINTS = 1_000_000
OF_A_CLASS = ("local-lift", "captured-response")


@click.command("gains")
@reads_data
@states_prevalence
@click.option(
    "--bins",
    default="10",
    show_default=True,
    metavar="N|score|CUTS",
    help="Number of bins of about equal size; score for one bin per distinct score; or the "
    "scores at which bins end, e.g. 0.1,0.2.",
)
@click.option(
    "--interval",
    type=click.Choice(["jeffreys", "clopper-pearson", "wilson"]),
    help="Add the confidence interval of each rate, by this method.",
)
@states_level
@writes_tables
@states_details
def gains(
    request: Request,
    to: Destination,
    *,
    prevalence: float | None,
    bins: str,
    interval: str | None,
    level: float,
) -> None:
    """Show the gains table: cases, rates and lift by bin.

    From the most likely positive down: cases, positives, share captured, lift and KS. With
    --amount: cases, exposure, amount, its mean per unit of exposure, share captured and lift.
    Ties are never split between bins.
    """
    _refuse_prevalence(request, prevalence)
    if interval is not None:
        refuse_amounts(request, "--interval is of rates", "leave it out")
    if interval is not None and prevalence is not None:
        raise click.UsageError("--interval is for the observed rates; leave out --prevalence")
    _refuse_level(interval)
    if interval is None:
        refuse_clusters(request, "a gains table without --interval")

    def table(counts: ScoreCounts) -> Table:
        from capcurve.tables import gains_table

        if interval is not None:
            from capcurve.inference import rate_table

            method = interval.replace("-", "_")
            return rate_table(counts, bins=bins_in(bins, counts), method=method, level=level)  # type: ignore[arg-type]  # one of the choices
        return gains_table(counts, bins=bins_in(bins, counts), prevalence=prevalence)

    _write(request, table, to)


def _refuse_prevalence(request: Request, prevalence: float | None) -> None:
    if prevalence is not None:
        refuse_amounts(request, "--prevalence is of rates", "leave it out")


def _refuse_level(interval: str | None) -> None:
    """Refuse a --level that nothing would use."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source("level")
    if interval is None and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--level is for --interval; add one, e.g. --interval jeffreys")


@click.command("thresholds")
@reads_data
@writes_tables
@states_details
def thresholds(request: Request, to: Destination) -> None:
    """Show all cut-offs.

    Each with its confusion matrix (tp, fp, tn, fn), rates, precision and lift.
    """
    refuse_amounts(request, "this table is", "use capcurve gains --bins score")
    refuse_clusters(request, "a threshold table")

    from capcurve.tables import threshold_table

    _write(request, threshold_table, to)


@click.command("steps")
@reads_data
@click.option("--ideal", is_flag=True, help="Rank all positives before all negatives.")
@writes_tables
@states_details
def steps(request: Request, to: Destination, *, ideal: bool) -> None:
    """Show how the CAP is built, step by step.

    One row per distinct score: sort by score, number the cases, add up the positives.
    """
    refuse_amounts(request, "this table is", "use capcurve gains --bins score")
    refuse_clusters(request, "a step table")

    from capcurve.tables import step_table

    _write(request, partial(step_table, ideal=ideal), to)


def bins_in(said: str, counts: ScoreCounts) -> Any:
    """Return bins as typed: a number of them, "score", or cut points as the scores are."""
    if said == "score" or re.fullmatch(r"[+-]?[0-9]{1,300}", said):
        return said if said == "score" else int(said)
    words = listed(said)
    if not words or not all(words):
        raise click.UsageError(f"{BINS}; got {said!r}")
    if counts.levels is not None:
        from capcurve.input.files import match_levels

        return list(match_levels(words, list(counts.levels)))
    try:
        return [number_in(word) for word in words]
    except ValueError:
        raise click.UsageError(f"{BINS}; got {said!r}") from None


@click.command("curve")
@reads_data
@states_prevalence
@click.option(
    "--kind",
    type=click.Choice(list(CURVES)),
    default="cap",
    show_default=True,
    metavar="KIND",
    help=f"Curve: {', '.join(CURVES)}; of amounts {', '.join(OF_AMOUNTS)}.",
)
@click.option(
    "--of",
    "of_class",
    type=click.Choice(["positives", "negatives"]),
    help="Class of the response or lift, for captured-response and local-lift.",
)
@click.option(
    "--absolute",
    is_flag=True,
    help="Cases and positives, or exposure and amount, instead of shares, for cap.",
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
@writes_tables
@states_details
def curve(
    request: Request,
    to: Destination,
    *,
    prevalence: float | None,
    kind: str,
    of_class: str | None,
    absolute: bool,
    points: int | None,
    tolerance: float | None,
) -> None:
    """Write the points of a curve.

    Each point comes with the score at the end of the segment before it.
    """
    refuse_clusters(request, "a curve")
    _refuse_curve(request, kind, prevalence, of_class)
    options = _curve_options(kind, prevalence, of_class, absolute=absolute)
    if points is not None and tolerance is not None:
        raise click.UsageError("--points and --tolerance both thin the curve; give one")
    found = counted_to_show(request)
    lines, left_out = found.made(lambda counts: _line(kind, counts, options, tolerance))
    if to.form == "json":
        body = [
            {
                **whose,
                **(
                    line.to_dict() if points is None else _points(line, points).to_dict()["columns"]
                ),
            }
            for whose, line in lines
        ]
        to.emit(_as_json({"curve": kind}, body))
    else:
        columns = _stacked([(w, _points(line, points)) for w, line in lines])
        emit_columns(kind, columns, to)
    tell_left_out(left_out)
    tell_always(found)


def _refuse_curve(
    request: Request, kind: str, prevalence: float | None, of_class: str | None
) -> None:
    """Refuse with an amount what is of two classes."""
    _refuse_prevalence(request, prevalence)
    if of_class is not None:
        refuse_amounts(request, "--of is", "leave it out")
    if kind not in OF_AMOUNTS:
        refuse_amounts(request, f"--kind {kind} is", f"choose {', '.join(OF_AMOUNTS)}")


def _curve_options(
    kind: str, prevalence: float | None, of_class: str | None, *, absolute: bool
) -> dict[str, object]:
    options: dict[str, object] = {}
    if absolute:
        if kind != "cap":
            raise click.UsageError(f"--absolute is for --kind cap, not {kind}")
        options["absolute"] = True
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
    kind: str, counts: ScoreCounts, options: dict[str, object], tolerance: float | None
) -> Curve:
    from capcurve import curves

    line: Curve = getattr(curves, CURVES[kind])(counts, **options)
    return line if tolerance is None else line.simplify(tolerance)


def _points(line: Curve, points: int | None) -> Table:
    import numpy as np

    from capcurve.show.table import Table

    if points is not None:
        x = np.linspace(line.x[0], line.x[-1], points + 1)
        return Table(line.name, {"x": x, "y": np.asarray(line.at(x))})
    columns: dict[str, Values] = {"x": line.x, "y": line.y}
    if line.thresholds is not None:
        start = np.array([None], dtype=object)
        columns["threshold"] = np.concatenate([start, line.thresholds.astype(object)])
    return Table(line.name, columns)


def tell_always(found: Counted) -> None:
    """Say what must be known whatever is asked for: rows left out, a reversed score."""
    from capcurve.results.findings import told_always

    tell({name: told_always(counts) for name, counts in found.whole.items()})


def _write(request: Request, make: Callable[[ScoreCounts], Table], to: Destination) -> None:
    found = counted_to_show(request)
    parts, left_out = found.made(make)
    if to.form == "json":
        body = [{**whose, "note": t.note, "rows": list(t.rows())} for whose, t in parts]
        to.emit(_as_json({"table": parts[0][1].name}, body))
    else:
        emit_columns(parts[0][1].name, _stacked(parts), to)
    for told in dict.fromkeys(table.note for _, table in parts if table.note):
        note(told)
    tell_left_out(left_out)
    tell_always(found)


def _as_json(what: dict[str, str], parts: list[dict[str, object]]) -> str:
    from capcurve.show.columns import to_json

    return to_json({"schema_version": SCHEMA_VERSION, **what, "parts": parts})


def _stacked(parts: Parts) -> dict[str, list[object]]:
    """Put tables under each other, with columns that say whose rows they are."""
    columns: dict[str, list[object]] = {}
    for whose, table in parts:
        for name, value in whose.items():
            free = "score_name" if name in table.columns else name
            columns.setdefault(free, []).extend([value] * len(table))
        rows = list(table.rows())
        for name in table.columns:
            columns.setdefault(name, []).extend(row[name] for row in rows)
    return columns


def emit_columns(title: str, columns: Mapping[str, list[object]], to: Destination) -> None:
    """Write columns in any format but JSON."""
    if to.form == "xlsx":
        from capcurve.show.workbook import write_table

        to.save_workbook(partial(write_table, title, columns))
    else:
        to.emit(in_columns(columns, to))


def in_columns(columns: Mapping[str, list[object]], to: Destination) -> str:
    """Write columns as csv, Markdown or an aligned table."""
    from capcurve.show.columns import to_text
    from capcurve.show.markup import to_markdown

    if to.form == "csv":
        return to.as_csv(columns)
    if to.form == "md":
        return to_markdown(columns)
    width = width_of() if to.to_screen else None
    columns = fitted(columns, width, SPARE)
    return to_text(columns, width=width, emphasis=bold if to.to_screen else str)
