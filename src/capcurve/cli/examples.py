"""`capcurve example`: a file to try every other command on."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

import click

from capcurve.cli.command import Command, command
from capcurve.cli.options import WRITTEN, option
from capcurve.cli.output import check_output, note, save, write_text
from capcurve.datasets import path

# What to try on each, with the name of the file.
TRIED = {
    "loans": "report {} -t y -s grade_rank",
    "claims": "report {} --amount claims --exposure years -s model_a -s model_b",
    "visits": "summary {} --amount mdvis -s disea",
    "lgd": "generalised-auc {} --realised realised --estimated estimated",
    "applicants": "bounds {} --counts --positives 0.1:0.4",
    "deciles": "audit {} --claim ks=0.37",
}


@command("example", files="NAME", columns=(), details=())
@dataclass(frozen=True, kw_only=True)
class WriteExample(Command):
    """Write a file to try commands on, such as loans.csv.

    NAME is loans (9,857 real loans), claims (400 simulated policies), visits (3,000 people and
    their visits to a doctor), lgd (150 losses given default), applicants (the loans counted by
    grade, some outcomes hidden) or deciles (a printed table).

    \b
    capcurve example loans
    capcurve report loans.csv -t y -s grade_rank
    """  # noqa: D301 - \b keeps click from joining lines

    output: str | None = option(
        "File to write (default: NAME.csv in this folder).",
        "PATH",
        flags=("--output", "-o"),
        section=WRITTEN,
    )

    def run(self) -> int:
        """Copy the file, unless something else has its name, and say what to do with it."""
        try:
            file = path(self.request.file[0])
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        written = check_output(self.output or file.name, (), (".csv",))
        if written.exists() and written.read_bytes() != file.read_bytes():
            raise click.UsageError(f"{written} is already there; name another file with --output")
        save(written, lambda to: write_text(to, file.read_text("utf-8")))
        note(f"try it with: capcurve {TRIED[file.stem].format(shlex.quote(str(written)))}")
        return 0
