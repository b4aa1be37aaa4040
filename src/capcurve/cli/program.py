"""`capcurve`: the group of commands, and the one way in and out of all of them."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections import UserDict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.errors import (
    BY_A_SIGNAL,
    TRACEBACK,
    UNUSABLE,
    about_file,
    close_quietly,
    name_of_signal,
    on_screen,
    one_line_errors,
    say,
    stoppable,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

# What people come for, each with its commands, in the order in which they meet them: where each is
# made, a module and a name in it, and the sentence that its help begins with, for which a list of
# commands loads none of them.
JOBS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Look": {
        "report": ("evaluating", "Report", "Write an HTML report on a score."),
        "summary": ("evaluating", "Summarise", "Show all numbers of a score."),
        "gains": ("tables", "Gains", "Show the gains table: cases, rates and lift by bin."),
        "curve": ("tables", "Points", "Export curve points."),
        "plot": ("tables", "Plot", "Save a chart."),
        "thresholds": ("tables", "Thresholds", "List every cut-off with its confusion matrix."),
        "steps": ("tables", "Steps", "Show how the CAP is built, step by step."),
        "grades": ("grading", "DesignGrades", "Design the grade scale that ranks best."),
        "generalised-auc": (
            "ordinal",
            "RankOutcomes",
            "Show how well estimates rank outcomes, as for LGD.",
        ),
        "uplift": (
            "targeting",
            "ShowUplift",
            "Show whom a treatment moves, in a randomised trial.",
        ),
    },
    "Compare": {
        "compare": ("comparing", "Compare", "Test which of several scores ranks best."),
        "mean": ("averaging", "AverageSegments", "Average a number over folds, bands or queries."),
        "groups": ("grouping", "CompareGroups", "Compare groups: ranking, and rates at a cut-off."),
        "change": (
            "changing",
            "ExplainChange",
            "Explain why a number changed between two samples.",
        ),
    },
    "Monitor": {
        "check": ("checking", "Check", "Check a score against minimums or a baseline (for CI)."),
        "stability": (
            "changing",
            "CompareFiles",
            "Compare score distributions of files or periods (PSI).",
        ),
    },
    "Validate": {
        "validate": ("validating", "Validate", "Run all validation tests against your limits."),
        "implied": ("comparing", "Implied", "Test the accuracy ratio implied by the PDs."),
        "calibration": ("calibrating", "CalibrationOfPds", "Test whether PDs are right."),
        "bounds": ("bounding", "BoundNumber", "Bound a number when some outcomes are unknown."),
    },
    "Check others": {
        "audit": ("auditing", "AuditTable", "Check whether a published gains table can be true."),
    },
    "Export": {
        "counts": ("saving", "SaveCounts", "Save the per-score counts behind every number."),
        "sql": ("saving", "WriteQuery", "Print a SQL query that counts inside a database."),
        "schema": ("schemas", "ShowSchema", "Print the JSON schema of what a command writes."),
    },
    "Try": {
        "example": (
            "saving",
            "WriteExample",
            "Write a file to try commands on, such as loans.csv.",
        ),
    },
}
ERROR = "capcurve: error:"
HELP = """How well does a score rank yes/no outcomes, or with --amount losses, claims or revenue?

Exact CAP curve, accuracy ratio, AUC, KS, lift and gains, with intervals and tests.

Start with `capcurve FILE`: it lists the columns and suggests a command, and with --target and
--score it writes the report. FILE is CSV (also .gz), TSV, Parquet, JSON lines, a spreadsheet or a
database; several files or a glob are read as one data set; - is standard input. `capcurve example
loans` writes a file to try.

Exit codes: 0 success, 1 a check failed or alarmed, 2 wrong use or unusable input, 130 interrupted.
Set NO_COLOR=1 to turn colours off, CAPCURVE_PROGRESS=1 to say what goes on where there is no
terminal too, CAPCURVE_TRACEBACK=1 to see where an error comes from.
"""


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


class Commands(UserDict[str, Any]):
    """The commands by name, each loaded when it is asked for: one need not wait for the others."""

    def __getitem__(self, name: str) -> Any:
        module, made, _ = super().__getitem__(name)
        return getattr(import_module(f"capcurve.cli.{module}"), made)


class Program(click.Group):
    """The group; every failure leaves it as one line on stderr and an exit code."""

    def main(  # type: ignore[override]  # always of the one form that the tests need too
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **options: Any
    ) -> Any:
        """Run a command and exit with its code."""
        words = list(sys.argv[1:] if args is None else args)
        exits = options.pop("standalone_mode", True)
        options |= {"prog_name": prog_name or "capcurve", "standalone_mode": False, "obj": words}
        if not exits:
            return super().main(words, **options)
        try:
            code = self._run(words, options)
        except KeyboardInterrupt:  # came when all was done, or before anything was begun
            say(f"capcurve: {name_of_signal(signal.SIGINT)}")
            code = BY_A_SIGNAL + signal.SIGINT
        sys.exit(code)

    def _run(self, words: list[str], options: dict[str, Any]) -> int:
        with stoppable() as came:
            try:
                code = super().main(words, **options)
                _flush()
            except BrokenPipeError:
                close_quietly(sys.stdout)
                return 0
            except (click.Abort, KeyboardInterrupt):
                came.append(signal.SIGINT)
            except click.ClickException as error:
                _drop_unwritten()
                if not came:  # else it only says in what the signal interrupted it
                    _say_error(error)
                    return error.exit_code
            except OSError as error:  # from writing help; commands say what they fail over
                if os.environ.get(TRACEBACK):
                    raise
                say(_as_error(f"{ERROR} {on_screen(about_file(error))}"))
                close_quietly(sys.stdout)
                return UNUSABLE
            except Exception:
                if not came:  # else a library made this of the signal
                    raise
            if not came:
                return code if isinstance(code, int) else 0
            say(f"capcurve: {name_of_signal(came[0])}")
            return BY_A_SIGNAL + came[0]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order in which people meet them."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands by the job that they are for."""
        width = max(map(len, self.commands))
        for job, commands in JOBS.items():
            with formatter.section(job):
                formatter.write_dl(
                    [(name.ljust(width), said) for name, (*_, said) in commands.items()]
                )

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments; help that nobody reads to its end is no error."""
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError:
            close_quietly(sys.stdout)
            raise click.exceptions.Exit(0) from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command named first; a file in its place is one to report on."""
        if args[0] not in self.commands and _is_file(args[0]):
            args = ctx.obj = ["report", *args]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command named, with its errors said in one line."""
        try:
            from capcurve.cli.flags import Flags
            from capcurve.numbers.arguments import worded_by

            with worded_by(Flags()), one_line_errors():
                return super().invoke(ctx)
        except BrokenPipeError:
            close_quietly(sys.stdout)  # here, because click would make it exit code 1
            return 0


def _is_file(word: str) -> bool:
    """Whether a word means files: no command has a dot, a folder or a pattern in its name."""
    return word == "-" or bool(re.search(r"[./\\*?\[]", word)) or Path(word).exists()


def _drop_unwritten() -> None:
    """Forget what could not be written: at its end Python would try again and fail once more."""
    try:
        _flush()
    except OSError:
        close_quietly(sys.stdout)


def _as_error(line: str) -> str:
    """Return a line whose first words stand out as an error, on a terminal with colours."""
    from capcurve.cli.output import styled

    return styled(ERROR, "red", err=True) + line.removeprefix(ERROR)


def _with_number(message: str) -> str:
    """Return a message on a number that was refused, with how to write it.

    >>> _with_number("'35%' is not a valid float."), _with_number("'0,5' is not a valid float.")
    ("'35%' is not a valid float; write 0.35", "'0,5' is not a valid float; write 0.5")
    """
    found = re.search(r"'(\d+)(?:[.,](\d+))? ?(%?)' is not a valid float( range)?", message)
    if found is None:
        return message
    number = float(f"{found[1]}.{found[2] or 0}") / (100 if found[3] else 1)
    return f"{message.rstrip('.')}; write {number:.12g}"


def _meant(name: str, options: Collection[str]) -> str:
    """Say which option there is of what others, or Python, call otherwise; nothing if none."""
    word = "at" if name.strip("-") == "q" else name.strip("-").replace("gini", "ar")
    found = [each for each in (f"--{word}", f"--min-{word}") if each in options]
    if found or word != "ar":
        return f"Did you mean {found[0]!r}?" if found else ""
    if "--metric" in options:
        return "The accuracy ratio (Gini) is '--metric ar', the default."
    return "The accuracy ratio (Gini) needs no option: capcurve summary and report show it."


def _say_error(error: click.ClickException) -> None:
    from capcurve.cli.output import wrapped

    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        say(error.format_message())
        return
    if isinstance(error, click.NoSuchOption) and context is not None:
        name, said = error.option_name, f"No such option {error.option_name!r}."
        options = {each for option in context.command.params for each in option.opts}
        if meant := _meant(name, options):
            error = click.NoSuchOption(error.option_name, f"{said} {meant}", ctx=context)
    say(_as_error(wrapped(f"{ERROR} {on_screen(_with_number(error.format_message()))}", err=True)))
    if isinstance(error, click.UsageError) and context is not None:
        say(f"Try '{context.command_path} --help'.")


@click.group(
    cls=Program,
    help=HELP,
    subcommand_metavar="FILE|COMMAND [ARGS]...",
    commands=Commands({name: at for names in JOBS.values() for name, at in names.items()}),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="capcurve", message="%(prog)s %(version)s")
def main() -> None:
    """Stand for the group; what to do is the command's."""
