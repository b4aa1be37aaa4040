"""`capcurve schema`: what the JSON of a command holds, as a JSON schema."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import click

from capcurve.cli.command import Command, command

SCHEMAS = ("summary", "gains", "curve", "compare", "mean", "check", "calibration", "uplift")


def schema_of(name: str) -> str:
    """Return the JSON schema of what a command writes with `--format json`.

    >>> '"schema_version"' in schema_of("summary")
    True
    """
    return (files(__name__) / f"{name}.json").read_text(encoding="utf-8")


@command("schema", files="NAME", columns=(), details=())
@dataclass(frozen=True, kw_only=True)
class ShowSchema(Command):
    """Print the JSON schema of what a command writes.

    NAME is summary, gains, curve, compare, mean, check, calibration or uplift: the schema says
    which fields these commands write with --format json. Those of summary and uplift are those of
    an evaluation in Python too, and capcurve validate --schema prints that of a validation sheet.
    """

    def run(self) -> int:
        """Print the schema to standard output."""
        name = self.request.file[0]
        if name not in SCHEMAS:
            raise click.UsageError(f"there is no schema {name!r}; there is {', '.join(SCHEMAS)}")
        click.echo(schema_of(name), nl=False)
        return 0
