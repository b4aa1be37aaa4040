"""`capcurve validate`: the validation sheet of a score, as a page to sign, JSON, text or tables."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import STDIN, reads_data, refuse_amounts, states_details, states_level
from capcurve.cli.output import Destination, reader_may_leave, tell, waiting, writes_text
from capcurve.cli.presenting import RESULTS, emit_result
from capcurve.cli.samples import Roles, samples_of
from capcurve.cli.tables import tell_always
from capcurve.show import PICTURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.cli.options import Request
    from capcurve.studies.validation import TestLimits, ValidationSheet

FAILED = 1
# A .pdf would be the picture of a result, and people expect the page, which browsers print.
SUFFIXES = {suffix: form for suffix, form in RESULTS.items() if suffix not in PICTURES}
SUFFIXES |= {".xlsx": "xlsx"}


def _print_schema(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the JSON Schema, whatever else is asked for, and leave."""
    if not wanted or context.resilient_parsing:
        return
    from capcurve.show.columns import to_json
    from capcurve.studies.validation import schema

    click.echo(to_json(schema()))
    context.exit()


@click.command("validate")
@reads_data
@click.option(
    "--initial",
    metavar="PATH|NUMBER",
    help="The initial validation sample: rows with the same columns, counts saved by capcurve "
    "counts, or its accuracy ratio as a number, then taken as known.",
)
@click.option(
    "--period",
    metavar="COLUMN",
    help="Column of the periods, such as months, for the control chart against --initial.",
)
@click.option(
    "--start-grade",
    metavar="COLUMN",
    help="Column of the grade at the start of the period, for migration.",
)
@click.option(
    "--final-grade",
    metavar="COLUMN",
    help="Column of the grade after overrides, for their number and effect.",
)
@click.option(
    "--challenger",
    multiple=True,
    metavar="COLUMN",
    help="Column of another score of the same rows; repeat for several.",
)
@click.option(
    "--before",
    metavar="PATH",
    help="An earlier portfolio for stability and concentration: rows, with or without the target, "
    "or saved counts (default: the sample of --initial).",
)
@click.option(
    "--unknown",
    is_flag=True,
    help="Rows without an outcome are cases whose outcome is not known yet: bound their effect.",
)
@click.option(
    "--unknown-label",
    multiple=True,
    metavar="LABEL",
    help="Label of such an outcome, e.g. indeterminate; repeat for several. Implies --unknown.",
)
@click.option(
    "--chart",
    metavar="PATH",
    help="With --period: the control chart's limit of an earlier time, so that verdicts stay: the "
    "JSON of an earlier sheet, or a limit saved by capcurve check --save-limit.",
)
@click.option(
    "--limits",
    metavar="PATH",
    help="Your limits as TOML, such as [accuracy_ratio] green=0.45 red=0.35; without them there "
    "are no lights.",
)
@click.option(
    "--subject",
    multiple=True,
    metavar="KEY=VALUE",
    help="What is validated, e.g. model='SME 4.2'; repeat for version, period, validator, ...",
)
@click.option(
    "--fail-on",
    type=click.Choice(["red", "amber"]),
    help="red: exit with code 1 if a light is red (the default); amber: also if one is amber or "
    "grey, or if there are limits for a test that was not made.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Seed of what is drawn; the same seed gives the same sheet.",
)
@states_level
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of the sheet and exit.",
)
@writes_text(SUFFIXES, " csv is the tests with all digits, xlsx every table.")
@states_details
def validate(
    request: Request,
    to: Destination,
    *,
    chart: str | None,
    limits: str | None,
    subject: tuple[str, ...],
    fail_on: Literal["red", "amber"] | None,
    seed: int | None,
    level: float,
    **roles: Any,
) -> int:
    """Make the validation sheet of a score: every test of how it ranks, with your limits.

    FILE is the validation sample. Parts that nothing is given for are listed as not done:
    --initial and --period for the fall since the first validation and the control chart, --by for
    segments, --start-grade and --final-grade for migration and overrides.

    A light is green or red only when the confidence limits show it, else amber: not shown. There
    are no limits of our own. -o sheet.html writes one page to print and sign, with all tables
    behind.

    Exit code 0 if no light is red, 1 if one is (see --fail-on), 2 for wrong use or unusable input.
    """
    asked = Roles(**roles)
    _check(request, asked, limits=limits, fail_on=fail_on)
    about, own, stored = _subject(subject), _limits(limits), _chart(chart, asked)
    samples, found = samples_of(request, asked)
    with waiting("validating"):
        from capcurve.studies.validation import validate as validated

        samples["all_segments"] = True  # others were refused when they were counted
        if seed is not None:
            samples["seed"] = seed
        sheet = validated(**samples, chart=stored, limits=own, subject=about, level=level)
    for problem in sheet.findings:
        if problem.severity == "error":  # no cases of both classes
            raise Failure(f"{problem.message}; {problem.advice}")
    with reader_may_leave():
        _emit(sheet, to)
        tell_always(found)
    return FAILED if _fails(sheet, fail_on) else 0


def _limits(path: str | None) -> dict[str, TestLimits]:
    from capcurve.studies.validation import read_limits

    return read_limits(path)


def _chart(path: str | None, asked: Roles) -> Any:
    """Return the stored limit of a control chart, which a sheet holds among its settings."""
    if path is None:
        return None
    if asked.period is None or asked.initial is None:
        raise click.UsageError("--chart goes with --period and --initial; name them")
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        return read["settings"]["control_chart"] if "schema" in read else read
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failure(
            f"--chart {path} is neither the JSON of a sheet with a control chart nor a limit saved "
            "by capcurve check --save-limit"
        ) from None


def _fails(sheet: ValidationSheet, fail_on: str | None) -> bool:
    lights = ("red", "amber", "grey") if fail_on == "amber" else ("red",)
    # A limit that nothing was held against, such as that of a misspelt challenger, is not kept.
    unused = any(found.code == "limits_unused" for found in sheet.findings)
    return (unused and fail_on == "amber") or any(
        count for light, count in sheet.lights.items() if light in lights
    )


def _check(request: Request, asked: Roles, *, limits: str | None, fail_on: str | None) -> None:
    """Refuse what does not go together before anything is read."""
    refuse_amounts(request, "the validation sheet is", "name a --target")
    if len(set(request.score)) > 1:
        raise click.UsageError("validate takes one --score; name others with --challenger")
    if fail_on is not None and limits is None:
        raise click.UsageError("--fail-on is about lights, and there are none without --limits")
    given: dict[str, object] = {
        "--period": asked.period,
        "--start-grade": asked.start_grade,
        "--final-grade": asked.final_grade,
        "--challenger": asked.challenger,
        "--unknown": asked.partly_unknown,
    }
    rows = [flag for flag, said in given.items() if said]
    if rows and request.counts:
        raise click.UsageError(f"{rows[0]} is for rows, and --counts reads counts; leave one out")
    if rows and request.memory_limit is not None:
        raise click.UsageError(f"{rows[0]} needs all rows in memory; leave out --memory-limit")
    if rows and STDIN in request.file:
        raise click.UsageError(
            f"with {rows[0]} the rows are read several times, and standard input only once; "
            "name a file"
        )
    names = (*request.score, *asked.others)
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise click.UsageError(f"{twice[0]} is named twice as a score, grade or challenger")


def _subject(said: Sequence[str]) -> dict[str, str]:
    pairs = [word.partition("=") for word in said]
    for name, sign, value in pairs:
        if not (name.strip() and sign):
            raise click.UsageError(
                f"--subject must be KEY=VALUE, such as model='SME 4.2'; got {name + sign + value!r}"
            )
    found = {name.strip(): value for name, _, value in pairs}
    if len(found) < len(pairs):
        raise click.UsageError("--subject names a key twice; give each once")
    return found


def _emit(sheet: ValidationSheet, to: Destination) -> None:
    """Write the sheet; on a screen what its first page says."""
    if to.form == "xlsx":
        from capcurve.studies.validation.sheet import write_workbook

        to.save_workbook(partial(write_workbook, sheet))
    elif to.form == "html":
        to.emit(sheet.to_html())
    elif to.form == "csv":
        from capcurve.studies.validation.sheet import tests_in_full

        to.emit(to.as_csv(tests_in_full(sheet)))
    else:
        shown = sheet.presentation()
        if to.form == "table" and to.to_screen:
            shown = replace(shown, tables=shown.tables[:1])
        # What a narrow terminal has no room for.
        wide = [name for name in shown.tables[0].columns if name.endswith("interval")]
        emit_result(sheet, shown, to, ("green", *wide))
        return
    tell({"": sheet.findings})
