"""`capcurve`: the group of commands, and the one way in and out of all of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from capcurve.cli.commands import COMMANDS
from capcurve.cli.failing import INTERRUPTED, close_quietly, one_line_errors
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """How well does a score rank? Exact CAP curve, accuracy ratio, AUC, KS, lift and gains.

Start with `capcurve report FILE`: without --target and --score it lists the columns and
proposes the two. FILE is csv (also .gz), tsv, parquet or json lines; several files or a glob
are one set of rows; - is standard input.

Exit codes: 0 done, 2 wrong use or unusable input (1 is kept for checks that fail).
NO_COLOR=1 turns colours off, CAPCURVE_TRACEBACK=1 shows where an error comes from.
"""


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
        sys.exit(self._run(words, options))

    def _run(self, words: list[str], options: dict[str, Any]) -> int:
        try:
            code = super().main(words, **options)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            close_quietly()
            return 0
        except click.Abort:
            click.echo("capcurve: interrupted", err=True)
            return INTERRUPTED
        except click.ClickException as error:
            _say(error)
            return error.exit_code
        return code if isinstance(code, int) else 0

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order in which people meet them."""
        return list(self.commands)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments; help that nobody reads to its end is no error."""
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError:
            close_quietly()
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command named, with its errors said in one line."""
        try:
            with one_line_errors():
                return super().invoke(ctx)
        except BrokenPipeError:
            close_quietly()  # here, because click would make it exit code 1
            return 0


def _say(error: click.ClickException) -> None:
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    click.echo(f"capcurve: error: {error.format_message()}", err=True)
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(f"Try '{context.command_path} --help'.", err=True)


@click.group(
    cls=Program,
    help=HELP,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="capcurve", message="%(prog)s %(version)s")
def main() -> None:
    """Stand for the group; what to do is the command's."""
