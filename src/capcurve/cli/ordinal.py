"""`capcurve generalised-auc`: how well estimates such as LGDs rank what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.options import reads_files, states_files, states_level
from capcurve.cli.output import Destination, note, waiting, writes_tables
from capcurve.cli.reading import files_of, listed, number_in
from capcurve.cli.tables import SCHEMA_VERSION, emit_columns, in_columns

if TYPE_CHECKING:
    from capcurve.cli.options import Request
    from capcurve.counts import Dropped, OrdinalCounts
    from capcurve.inference import GeneralisedAUC, Test

    Columns = dict[str, list[object]]

MOST_SHOWN = 30
CLASSES = "--classes must be ecb, values or edges such as 0.1,0.5,1"


@click.command("generalised-auc")
@reads_files
@click.option(
    "--realised", "-r", required=True, metavar="COLUMN", help="Column of what came out, e.g. LGD."
)
@click.option(
    "--estimated", "-e", required=True, metavar="COLUMN", help="Column of what was estimated."
)
@click.option(
    "--given",
    type=click.Choice(["estimate", "target"]),
    default="estimate",
    show_default=True,
    help="Pairs that count: those that differ in the estimate (ECB), or in the outcome (the AUC).",
)
@click.option(
    "--initial",
    type=float,
    metavar="GAUC",
    help="Value at first validation; adds the one-sided test against it.",
)
@click.option(
    "--classes",
    default="ecb",
    show_default=True,
    metavar="ecb|values|EDGES",
    help="Classes of both columns: those of the ECB (up to 20 grades, else 12 segments), every "
    "value its own, or the edges between them, e.g. 0.1,0.5,1.",
)
@click.option(
    "--closed",
    type=click.Choice(["left", "right"]),
    help="For edges: which end belongs to a class (default: left).",
)
@states_level
@writes_tables
@states_files
def generalised_auc(
    request: Request,
    to: Destination,
    *,
    realised: str,
    estimated: str,
    given: Literal["estimate", "target"],
    initial: float | None,
    classes: str,
    closed: Literal["left", "right"] | None,
    level: float,
) -> None:
    """Show how well estimates rank outcomes, as for LGD.

    The generalised AUC with standard error and interval, Somers' D, and the table of estimated
    (rows) against realised classes (columns) that both are computed from.
    """
    chosen = _edges(classes)
    with waiting("counting"):
        from capcurve import inference
        from capcurve.input import count_classes

        counts = count_classes(
            realised,
            estimated,
            data=files_of(request),
            classes=chosen,
            closed=closed,
            missing=request.missing or "raise",
        )
        found = inference.generalised_auc(counts, given=given, level=level)
    test = None if initial is None else found.test(initial)
    _emit(counts, found, test, to)
    _tell_dropped(counts.dropped)
    for told in found.notes if test is None else test.notes:
        note(told)


def _edges(said: str) -> Any:
    if said in ("ecb", "values"):
        return said
    try:
        return [number_in(word) for word in listed(said)]
    except ValueError:
        raise click.UsageError(f"{CLASSES}; got {said!r}") from None


def _emit(counts: OrdinalCounts, found: GeneralisedAUC, test: Test | None, to: Destination) -> None:
    if to.form == "json":
        from capcurve.show.columns import to_json

        tested = None if test is None else test.to_dict()
        body = {"generalised_auc": found.to_dict(), "test": tested, "counts": counts.to_dict()}
        to.emit(to_json({"schema_version": SCHEMA_VERSION, **body}))
    elif to.form in ("csv", "xlsx"):
        emit_columns("generalised AUC", _numbers(found, test), to)
    else:
        parts = [_numbers(found, test)]
        if len(counts.axes[1]) <= MOST_SHOWN:
            parts.insert(0, _table(counts))
        else:
            note("the table of classes is too wide to be shown; --format json has it")
        to.emit("\n\n".join(in_columns(columns, to).rstrip("\n") for columns in parts))


def _numbers(found: GeneralisedAUC, test: Test | None) -> Columns:
    numbers: dict[str, object] = {
        "given": found.given,
        "n": found.n,
        "generalised_auc": found.estimate,
        "se": found.se,
        "low": found.low,
        "high": found.high,
        "somers_d": found.somers_d,
    }
    if test is not None:
        numbers |= {"initial": test.estimates["initial"], "statistic": test.statistic}
        numbers |= {"p_value": test.p_value, "alternative": test.alternative}
    return {name: [value] for name, value in numbers.items()}


def _table(counts: OrdinalCounts) -> Columns:
    rows, columns = counts.axes
    cells = {n: c.tolist() for n, c in zip(columns.names(), counts.table.T, strict=True)}
    return {"estimated": list(rows.names()), **cells}


def _tell_dropped(dropped: Dropped | None) -> None:
    if dropped is not None and dropped.rows:
        lacking = ", ".join(f"{name} in {rows}" for name, rows in dropped.columns.items())
        note(f"{dropped.rows} rows are left out because a value is missing: {lacking}")
