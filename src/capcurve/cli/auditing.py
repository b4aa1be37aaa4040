"""`capcurve audit`: what somebody's binned table allows, and whether its numbers can be true."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import STDIN, states_level
from capcurve.cli.output import Destination, note, reader_may_leave, tell, waiting
from capcurve.cli.presenting import emit_result, shows_results
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.show.presentation import Presentation
    from capcurve.studies.audit import Audit

FAILED = 1
DRAWN = {suffix.removeprefix(".") for suffix in PICTURES}
# What a narrow terminal has no room for.
SPARE = ("printed", "mistake", "selected", "n")
SHARE = click.FloatRange(0, 1, min_open=True)
CLAIM = "--claim must be METRIC=NUMBER, such as ks=0.37 or captured@0.1=28%"
DECIMALS = "--decimals must be a number of decimals, or COLUMN=NUMBER"


@dataclass(frozen=True, slots=True)
class TableFile:
    """The file with the table, as what writes results knows its input."""

    file: tuple[str, ...]


def _reads_table(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command one file, which it gets as `TableFile`."""
    import functools

    @functools.wraps(command)
    def call(*, file: str, **options: Any) -> Any:
        return command(TableFile((file,)), **options)

    return click.argument("file", metavar="FILE")(call)


@click.command("audit")
@_reads_table
@click.option(
    "--positives", type=click.IntRange(min=0), metavar="N", help="Positives in the whole table."
)
@click.option("--cases", type=click.IntRange(min=0), metavar="N", help="Cases in the whole table.")
@click.option(
    "--prevalence",
    metavar="SHARE",
    help="Share of positives as printed, e.g. 5.2%, where only shares are known.",
)
@click.option(
    "--claim",
    "claims",
    multiple=True,
    metavar="METRIC=NUMBER",
    help="A number that somebody claims, as printed: ar, auc, ks or captured@SHARE, e.g. ks=0.37 "
    "or captured@0.1=28%; repeat for several.",
)
@click.option(
    "--assume",
    type=click.Choice(["concave", "random"]),
    help="concave: the rate never rises with the rank; random: no bin ranks worse than at random.",
)
@click.option(
    "--rounding",
    type=click.Choice(["half", "down", "any"]),
    default="half",
    show_default=True,
    help="How numbers were rounded: to the nearest, cut off, or one of the two.",
)
@click.option(
    "--order",
    type=click.Choice(["descending", "ascending"]),
    default="descending",
    show_default=True,
    help="descending: the most likely positives stand at the top.",
)
@click.option(
    "--decimals",
    multiple=True,
    metavar="[COLUMN=]N",
    help="Decimals that were printed, where the file has lost the last noughts; repeat by column.",
)
@click.option(
    "--at",
    multiple=True,
    type=SHARE,
    metavar="SHARE",
    help="Show captured response, lift and precision in the top SHARE of cases; repeat for "
    "several.",
)
@states_level
@shows_results
def audit(
    request: TableFile,
    to: Destination,
    *,
    claims: tuple[str, ...],
    decimals: tuple[str, ...],
    at: tuple[float, ...],
    assume: Literal["concave", "random"] | None,
    **how: Any,
) -> int:
    """Show what somebody's binned table allows, and whether its numbers can be true.

    FILE is a csv file, or - for standard input, with one row per bin. Its headings are those of the
    field: n or cases, positives or bads, rate, captured or cum % bads, lift, KS. Numbers are taken
    as printed: 0.50 says more than 0.5.

    From the table follow sharp ranges of the accuracy ratio, AUC, KS, captured response, lift and
    precision of the score behind it; or that its columns contradict each other, and which cell,
    put right, would make them agree.

    Exit code 0 if the table and all claims are possible, 1 if not, 2 for wrong use or unusable
    input.
    """
    how |= {"claims": _claims(claims), "decimals": _decimals(decimals), "assume": assume}
    with waiting("auditing"):
        from capcurve.studies.audit import audit_table
        from capcurve.studies.audit.shown import presentation_of

        found = audit_table(_table(request.file[0]), **how)
        shown = presentation_of(found, at)
    with reader_may_leave():
        _emit(found, shown, at, to)
    true = all(claim.possible and claim.together for claim in found.claims)
    return 0 if found.fits and true else FAILED


def _emit(found: Audit, shown: Presentation, at: Sequence[float], to: Destination) -> None:
    from capcurve.show.columns import to_json

    if to.form == "json":
        to.emit(to_json(_body(found, at)))
        tell({"": shown.findings})
    elif to.form in DRAWN and not shown.charts:
        note(f"there is nothing to draw: {' '.join(shown.sentences)}")
    else:
        emit_result(found, shown, to, SPARE)


def _table(file: str) -> Any:
    if file != STDIN:
        return file
    if sys.stdin is None:
        raise Failure("standard input is closed; name a file")
    return sys.stdin.buffer


def _claims(said: Sequence[str]) -> dict[str, list[str]]:
    """Return what is claimed by metric, as printed."""
    found: dict[str, list[str]] = {}
    for claim in said:
        metric, _, number = claim.partition("=")
        if not metric.strip() or not number.strip():
            raise click.UsageError(f"{CLAIM}; got {claim!r}")
        found.setdefault(metric.strip(), []).append(number.strip())
    return found


def _decimals(said: Sequence[str]) -> int | dict[str, int] | None:
    """Return how many decimals were printed, in all columns or by column."""
    by_column: dict[str, int] = {}
    for each in said:
        column, _, number = each.rpartition("=")
        try:
            by_column[column.strip()] = int(number)
        except ValueError:
            raise click.UsageError(f"{DECIMALS}; got {each!r}") from None
    if "" in by_column and len(said) > 1:
        raise click.UsageError(f"{DECIMALS}; give one number, or one for each column named")
    return by_column.get("", by_column or None)


def _body(found: Audit, at: Sequence[float]) -> Mapping[str, Any]:
    """Return what JSON has of an audit, with the numbers at the depths asked for."""
    if not at or not found.fits:
        return found.to_dict()
    numbers: dict[str, Callable[[float], Any]] = {
        "captured": found.captured,
        "lift": found.lift,
        "precision": found.precision,
    }
    depths = [
        {"q": q, **{name: number(q).to_dict() for name, number in numbers.items()}} for q in at
    ]
    return {**found.to_dict(), "at": depths}
