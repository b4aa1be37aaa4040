"""`capcurve gains`, `thresholds` and `steps`: the tables of a score."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli import naming, writing
from capcurve.cli.parts import made_by_part, tell_left_out
from capcurve.cli.reading import Counted, counted
from capcurve.cli.request import (
    reads_data,
    refuse_clusters,
    states_details,
    states_level,
    states_prevalence,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.cli.request import Request
    from capcurve.counts import ScoreCounts
    from capcurve.tables import Table

SCHEMA_VERSION = 1
SPARE = ("cum_n", "cum_positives")  # what a narrow terminal has no room for
BINS = "--bins must be a number of bins, score, or scores such as 0.1,0.2"
# What must be known also by someone who only asks for a table or a curve.
ALWAYS_TOLD = ("dropped_rows", "reversed")


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
@writing.writes_text
@states_details
def gains(
    request: Request,
    prevalence: float | None,
    bins: str,
    interval: str | None,
    level: float,
    form: str | None,
    output: str | None,
) -> None:
    """Show the gains table: cases, rates and lift by bin.

    From the most likely positive down: cases, positives, share captured, lift and KS. Ties
    are never split between bins.
    """
    form = writing.format_of(form, output, request.file)
    if interval is not None and prevalence is not None:
        raise click.UsageError("--interval is for the observed rates; leave out --prevalence")
    _refuse_level(interval)
    if interval is None:
        refuse_clusters(request, "a gains table without --interval")

    def table(counts: ScoreCounts) -> Table:
        from capcurve.tables import gains_table

        if interval is not None:
            from capcurve.inference import rate_table

            method: Any = interval.replace("-", "_")
            return rate_table(counts, bins=_bins(bins, counts), method=method, level=level)
        return gains_table(counts, bins=_bins(bins, counts), prevalence=prevalence)

    _write(request, table, form, output)


def _refuse_level(interval: str | None) -> None:
    """Refuse a --level that nothing would use."""
    from click.core import ParameterSource

    source = click.get_current_context().get_parameter_source("level")
    if interval is None and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--level is for --interval; add one, e.g. --interval jeffreys")


@click.command("thresholds")
@reads_data
@writing.writes_text
@states_details
def thresholds(request: Request, form: str | None, output: str | None) -> None:
    """Show all cut-offs.

    Each with its confusion matrix (tp, fp, tn, fn), rates, precision and lift.
    """
    refuse_clusters(request, "a threshold table")
    form = writing.format_of(form, output, request.file)

    def table(counts: ScoreCounts) -> Table:
        from capcurve.tables import threshold_table

        return threshold_table(counts)

    _write(request, table, form, output)


@click.command("steps")
@reads_data
@click.option("--ideal", is_flag=True, help="Rank all positives before all negatives.")
@writing.writes_text
@states_details
def steps(request: Request, ideal: bool, form: str | None, output: str | None) -> None:
    """Show how the CAP is built, step by step.

    One row per distinct score: sort by score, number the cases, add up the positives.
    """
    refuse_clusters(request, "a step table")
    form = writing.format_of(form, output, request.file)

    def table(counts: ScoreCounts) -> Table:
        from capcurve.tables import step_table

        return step_table(counts, ideal=ideal)

    _write(request, table, form, output)


def _bins(said: str, counts: ScoreCounts) -> Any:
    if said == "score" or re.fullmatch(r"[+-]?[0-9]{1,300}", said):
        return said if said == "score" else int(said)
    words = naming.listed(said)
    if not words or not all(words):
        raise click.UsageError(f"{BINS}; got {said!r}")
    if counts.levels is not None:
        from capcurve.input.files.celltables import match_levels

        return list(match_levels(words, list(counts.levels)))
    try:
        return [naming.number_in(word) for word in words]
    except ValueError:
        raise click.UsageError(f"{BINS}; got {said!r}") from None


def tell_always(found: Counted) -> None:
    """Say what must be known whatever is asked for: rows left out, a reversed score."""
    from capcurve.summary.findings import findings_of

    writing.tell(
        {
            name: [f for f in findings_of(counts) if f.code in ALWAYS_TOLD]
            for name, counts in found.whole.items()
        }
    )


def _write(
    request: Request, make: Callable[[ScoreCounts], Table], form: str, output: str | None
) -> None:
    found = counted(request)
    parts, left_out = made_by_part(found, make)
    if form == "json":
        body = [{**whose, **_rowwise(table)} for whose, table in parts]
        writing.emit(_json(parts[0][1].name, body), form, output)
    else:
        writing.emit(in_columns(stacked(parts), form, to_screen=output is None), form, output)
    for told in dict.fromkeys(table.note for _, table in parts if table.note):
        writing.note(told)
    tell_left_out(left_out)
    tell_always(found)


def _json(name: str, body: list[dict[str, Any]]) -> str:
    from capcurve.text import to_json

    return to_json({"schema_version": SCHEMA_VERSION, "table": name, "parts": body})


def _rowwise(table: Table) -> dict[str, Any]:
    return {"note": table.note, "rows": list(table.rows())}


def stacked(parts: list[tuple[dict[str, Any], Table]]) -> dict[str, list[Any]]:
    """Put tables under each other, with columns that say whose rows they are."""
    columns: dict[str, list[Any]] = {}
    for whose, table in parts:
        for name, value in whose.items():
            columns.setdefault(_free(name, table), []).extend([value] * len(table))
        rows = list(table.rows())
        for name in table.columns:
            columns.setdefault(name, []).extend(row[name] for row in rows)
    return columns


def _free(name: str, table: Table) -> str:
    return "score_name" if name in table.columns else name


def in_columns(columns: dict[str, list[Any]], form: str, *, to_screen: bool) -> str:
    """Write columns as csv, Markdown or an aligned table."""
    from capcurve import text

    if form == "csv":
        return text.to_csv(text.defused(columns))
    if form == "md":
        return text.to_markdown(columns)
    width = writing.width_of() if to_screen else None
    columns = writing.fitted(columns, width, SPARE)
    return text.to_text(columns, width=width, emphasis=writing.bold if to_screen else str)
