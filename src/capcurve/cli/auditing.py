"""`capcurve audit`: what somebody's binned table allows, and whether its numbers can be true."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure, code_of
from capcurve.cli.notations import CLAIM, DECIMALS, HEADING
from capcurve.cli.options import SHARE, STDIN, level_option, option, untimed
from capcurve.cli.output import RESULTS, note, waiting
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.studies.audit import Audit

SPARE_IN_AUDITS = ("printed", "mistake", "selected", "n")


@command(
    "audit",
    files="FILE",
    columns=(),
    details=(),
    writes=RESULTS,
    refuses=untimed("a published table has no times"),
)
@dataclass(frozen=True, kw_only=True)
class AuditTable(ShowsResult):
    """Check whether a published gains table can be true.

    FILE is a csv file, or - for standard input, with one row per bin. Its headings are names (n,
    positives, rate, captured, lift, ks) or those of well-known tools (cases, # bads, bad rate,
    cum % bads); others are named with --column. Numbers are taken as printed: 0.50 says more than
    0.5.

    From the table follow sharp ranges of the accuracy ratio, AUC, KS, captured response, lift and
    precision of the score behind it; or that its columns contradict each other, and which cell,
    put right, would make them agree.

    Exit code 0 if the table and all claims are possible, 1 if not, 2 for wrong use or unusable
    input.
    """

    headings: tuple[tuple[str, str], ...] = option(
        "What a column with another heading contains, e.g. 'Bad %=rate'; repeat for several.",
        "HEADING=NAME",
        type=HEADING,
        flags=("--column",),
    )
    positives: int | None = option("Positives in the whole table.", "N", type=click.IntRange(min=0))
    cases: int | None = option("Cases in the whole table.", "N", type=click.IntRange(min=0))
    prevalence: str | None = option(
        "Share of positives as printed, e.g. 5.2%, where only shares are known.", "SHARE"
    )
    claims: tuple[tuple[str, str], ...] = option(
        "A claimed number, as printed: ar, auc, ks or captured@SHARE, e.g. "
        "ks=0.37 or captured@0.1=28%; repeat for several.",
        "METRIC=NUMBER",
        type=CLAIM,
        flags=("--claim",),
    )
    assume: Literal["concave", "random"] | None = option(
        "concave: the rate never rises with the rank; random: no bin ranks worse than at random."
    )
    rounding: Literal["half", "down", "any"] = option(
        "How numbers were rounded: to the nearest, cut off, or one of the two.", default="half"
    )
    order: Literal["descending", "ascending"] = option(
        "descending: the most likely positives are at the top.", default="descending"
    )
    decimals: tuple[tuple[str, int], ...] = option(
        "Number of decimals printed, where the file has lost trailing zeros; repeat by column.",
        "[COLUMN=]N",
        type=DECIMALS,
    )
    at: tuple[float, ...] = option(
        "Show captured response, lift and precision in the top SHARE of cases; repeat for several.",
        "SHARE",
        type=SHARE,
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return what the table allows; the exit code says whether all is possible."""
        claims, decimals = _claims_by_metric(self.claims), _decimals_by_column(self.decimals)
        with waiting("auditing"):
            from capcurve.studies.audit import audit_table
            from capcurve.studies.audit.shown import audit_presentation

            found = audit_table(
                _file_or_input(self.request.file[0]),
                columns=dict(self.headings),
                claims=claims,
                decimals=decimals,
                **self.options("positives", "cases", "prevalence", "assume"),
                **self.options("rounding", "order", "level"),
            )
            shown = audit_presentation(found, self.at)
        true = all(claim.possible for claim in found.claims)
        code = code_of([None if found.fits and true else "red"])
        if f".{self.to.form}" in PICTURES and not shown.charts:
            note(f"there is nothing to draw: {' '.join(shown.sentences)}")
            raise click.exceptions.Exit(code)
        return of_result(lambda: _json_of_audit(found, self.at), shown, SPARE_IN_AUDITS, code=code)


def _file_or_input(file: str) -> Any:
    if file != STDIN:
        return file
    if sys.stdin is None:
        raise Failure("standard input is closed; name a file")
    return sys.stdin.buffer


def _claims_by_metric(said: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for metric, number in said:
        found.setdefault(metric, []).append(number)
    return found


def _decimals_by_column(said: Sequence[tuple[str, int]]) -> int | dict[str, int] | None:
    """Return how many decimals were printed, in all columns or by column."""
    by_column = dict(said)
    if "" in by_column and len(said) > 1:
        raise click.UsageError(
            "--decimals must be a number of decimals, or COLUMN=NUMBER; give one number, or one "
            "for each column named"
        )
    return by_column.get("", by_column or None)


def _json_of_audit(found: Audit, at: Sequence[float]) -> Mapping[str, Any]:
    if not at or not found.fits:
        return found.to_dict()
    numbers = {"captured": found.captured, "lift": found.lift, "precision": found.precision}
    depths = [{"q": q, **{name: of(q).to_dict() for name, of in numbers.items()}} for q in at]
    return {**found.to_dict(), "at": depths}
