"""`capcurve generalised-auc`: how well estimates such as LGDs rank what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.command import ShowsResult, command, of_columns
from capcurve.cli.options import OF_FILES, level_option, option
from capcurve.cli.output import TABLES, note, waiting
from capcurve.cli.reading import files_of, listed, number_in

if TYPE_CHECKING:
    from capcurve.cli.command import Output
    from capcurve.cli.output import Columns
    from capcurve.counts import OrdinalCounts
    from capcurve.inference import GeneralisedAUC, Test

MOST_SHOWN = 30
CLASSES = "--classes must be ecb, values or edges such as 0.1,0.5,1"


@command("generalised-auc", columns=(), details=OF_FILES, writes=TABLES)
@dataclass(frozen=True, kw_only=True)
class RankOutcomes(ShowsResult):
    """Show how well estimates rank outcomes, as for LGD.

    The generalised AUC with standard error and interval, Somers' D, and the table of estimated
    (rows) against realised classes (columns) that both are computed from.
    """

    realised: str = option(
        "Column of what came out, e.g. LGD.", "COLUMN", flags=("--realised", "-r"), required=True
    )
    estimated: str = option(
        "Column of what was estimated.", "COLUMN", flags=("--estimated", "-e"), required=True
    )
    given: Literal["estimate", "target"] = option(
        "Pairs that count: those that differ in the estimate (ECB), or in the outcome (the AUC).",
        default="estimate",
    )
    initial: float | None = option(
        "Value at first validation; adds the one-sided test against it.", "GAUC"
    )
    classes: str = option(
        "Classes of both columns: those of the ECB (up to 20 grades, else 12 segments), every "
        "value its own, or the edges between them, e.g. 0.1,0.5,1.",
        "ecb|values|EDGES",
        default="ecb",
    )
    closed: Literal["left", "right"] | None = option(
        "For edges: which end belongs to a class (default: left)."
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the generalised AUC and the table of classes."""
        chosen = _edges(self.classes)
        with waiting("counting"):
            from capcurve import inference
            from capcurve.input import count_classes

            counts = count_classes(
                self.realised,
                self.estimated,
                data=files_of(self.request),
                classes=chosen,
                closed=self.closed,
                missing=self.request.missing or "raise",
            )
            found = inference.generalised_auc(counts, given=self.given, level=self.level)
        test = None if self.initial is None else found.test(self.initial)

        def body() -> dict[str, Any]:
            tested = None if test is None else test.to_dict()
            return {"generalised_auc": found.to_dict(), "test": tested, "counts": counts.to_dict()}

        def shown() -> list[Columns]:
            if len(counts.axes[1]) <= MOST_SHOWN:
                return [_table(counts), _numbers(found, test)]
            note("the table of classes is too wide to be shown; --format json has it")
            return [_numbers(found, test)]

        return of_columns(
            "generalised AUC",
            lambda: _numbers(found, test),
            shown=shown,
            json=body,
            told=[*_left_out(counts), *(found.notes if test is None else test.notes)],
        )


def _edges(said: str) -> Any:
    if said in ("ecb", "values"):
        return said
    try:
        return [number_in(word) for word in listed(said)]
    except ValueError:
        raise click.UsageError(f"{CLASSES}; got {said!r}") from None


def _numbers(found: GeneralisedAUC, test: Test | None) -> Columns:
    names = ("given", "n", "generalised_auc", "se", "low", "high", "somers_d")
    numbers = {
        name: getattr(found, "estimate" if name == "generalised_auc" else name) for name in names
    }
    if test is not None:
        numbers |= {"initial": test.estimates["initial"], "statistic": test.statistic}
        numbers |= {"p_value": test.p_value, "alternative": test.alternative}
    return {name: [value] for name, value in numbers.items()}


def _table(counts: OrdinalCounts) -> Columns:
    rows, columns = counts.axes
    cells = {n: c.tolist() for n, c in zip(columns.names(), counts.table.T, strict=True)}
    return {"estimated": list(rows.names()), **cells}


def _left_out(counts: OrdinalCounts) -> list[str]:
    dropped = counts.dropped
    if dropped is None or not dropped.rows:
        return []
    lacking = ", ".join(f"{name} in {rows}" for name, rows in dropped.columns.items())
    return [f"{dropped.rows} rows are left out because a value is missing: {lacking}"]
