"""`capcurve generalised-auc`: how well estimates such as LGDs rank what came out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.notations import CLASS_EDGES
from capcurve.cli.options import OF_FILES, level_option, option, untimed
from capcurve.cli.output import SCHEMA_VERSION, WITH_WORKBOOK, waiting
from capcurve.cli.reading import files_of
from capcurve.show.columns import formed
from capcurve.show.format import chance_text, number
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from capcurve.cli.output import Columns
    from capcurve.counts import OrdinalCounts
    from capcurve.inference import GeneralisedAUC, Test
    from capcurve.show.presentation import Presentation

TOO_WIDE = "The table of classes is too wide to be shown; --format json has it."
MOST_CELLS_SHOWN = 30


@command(
    "generalised-auc",
    columns=(),
    details=OF_FILES,
    writes=WITH_WORKBOOK,
    refuses=untimed("realised values are numbers, which are never censored"),
)
@dataclass(frozen=True, kw_only=True)
class RankOutcomes(ShowsResult):
    """Show how well estimates rank outcomes, as for LGD.

    Shows the generalised AUC with its standard error and interval, Somers' D, and the table behind
    both, of estimated classes (rows) by realised classes (columns).
    """

    realised: str = option(
        "Column of the realised values, e.g. LGD.",
        "COLUMN",
        flags=("--realised", "-r"),
        required=True,
    )
    estimated: str = option(
        "Column of the estimates.", "COLUMN", flags=("--estimated", "-e"), required=True
    )
    given: Literal["estimate", "target"] = option(
        "Pairs that count: those that differ in the estimate (ECB), or in the outcome (the AUC).",
        default="estimate",
    )
    initial: float | None = option(
        "Value at first validation; adds the one-sided test against it.", "GAUC"
    )
    classes: Any = option(
        "Classes of both columns: those of the ECB (up to 20 grades, else 12 segments), every "
        "value its own, or the edges between them, e.g. 0.1,0.5,1.",
        "ecb|values|EDGES",
        type=CLASS_EDGES,
        default="ecb",
    )
    closed: Literal["left", "right"] | None = option(
        "For edges: which end belongs to a class (default: left)."
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the generalised AUC and the table of classes."""
        with waiting("counting"):
            from capcurve import inference
            from capcurve.input import count_classes

            counts = count_classes(
                self.realised,
                self.estimated,
                data=files_of(self.request),
                classes=self.classes,
                closed=self.closed,
                missing=self.request.missing or "raise",
            )
            found = inference.generalised_auc(counts, given=self.given, level=self.level)
        test = None if self.initial is None else found.test(self.initial)

        def body() -> dict[str, Any]:
            return {
                "schema_version": SCHEMA_VERSION,
                "generalised_auc": found.to_dict(),
                "test": None if test is None else test.to_dict(),
                "counts": counts.to_dict(),
            }

        return of_result(
            body,
            replace(_shown(found, counts, test), source=self.request.source),
            columns=lambda: _numbers(found, test),
            told=_left_out(counts),
            notes=found.notes if test is None else test.notes,
        )


def _shown(found: GeneralisedAUC, counts: OrdinalCounts, test: Test | None) -> Presentation:
    """Return the generalised AUC with its classes, where they are few, and the test of its fall."""
    own, fits = found.presentation(), len(counts.axes[1]) <= MOST_CELLS_SHOWN
    wide = () if fits else (TOO_WIDE,)
    shown = replace(own, tables=(_table(counts),) if fits else (), notes=(*own.notes, *wide))
    if test is None:
        return shown
    from capcurve.inference.ordinal import generalised_auc_chart

    before, chance = number(test.estimates["initial"]), chance_text(test.p_value)
    fell, low = found.estimate < test.estimates["initial"], test.p_value < 1 - found.level
    verdict = f"the fall is {'' if low else 'not '}significant" if fell else "the data show no fall"
    said = f"It was {before} initially, and {verdict} (one-sided {chance})."
    return replace(
        shown,
        sentences=(*own.sentences, said),
        charts=generalised_auc_chart(found, test.estimates["initial"]),
        notes=(own.notes[0], *wide, *test.presentation().notes),
    )


def _numbers(found: GeneralisedAUC, test: Test | None) -> Columns:
    names = {"given": "given", "n": "n", "generalised_auc": "estimate"}
    names |= {name: name for name in ("se", "low", "high", "somers_d")}
    numbers = {name: getattr(found, of) for name, of in names.items()}
    if test is not None:
        numbers |= {"initial": test.estimates["initial"], "statistic": test.statistic}
        numbers |= {"p_value": test.p_value, "alternative": test.alternative}
    columns = {name: [value] for name, value in numbers.items()}
    ratios = "generalised_auc low high somers_d initial"
    return formed(columns, ratio=ratios, fine="se", statistic="statistic")


def _table(counts: OrdinalCounts) -> Table:
    rows, columns = (
        [name.replace(">=", "≥").replace("<=", "≤") for name in axis.names()]
        for axis in counts.axes
    )
    cells = dict(zip(columns, counts.table.T, strict=True))
    name = "Cases by estimated class (rows) and realised class (columns)"
    table = {"estimated": label_column(rows), **cells}
    return Table(name, table, square=rows == columns)


def _left_out(counts: OrdinalCounts) -> list[str]:
    dropped = counts.dropped
    if dropped is None or not dropped.rows:
        return []
    lacking = ", ".join(f"{name} in {rows}" for name, rows in dropped.columns.items())
    return [f"{dropped.rows} rows are left out because a value is missing: {lacking}"]
