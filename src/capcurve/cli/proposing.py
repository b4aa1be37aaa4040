"""For someone who has not said which columns to read: the columns, and the likely pair."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, NoReturn

import click

from capcurve.cli.failing import UNUSABLE, on_screen
from capcurve.cli.request import STDIN
from capcurve.cli.writing import width_of, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.cli.request import Request
    from capcurve.input.files import ColumnInfo, Files

ASKED = {
    "--target and --score": "name the target and score columns with --target and --score",
    "--target": "name the target column with --target",
    "--score": "name the score column with --score",
}


def propose_columns(request: Request, files: Files) -> NoReturn:
    """List the columns on stderr, propose the command to run, and end with exit code 2."""
    from capcurve.input.files import list_columns
    from capcurve.text import to_text

    columns = list_columns(files)
    width = width_of(err=True)
    asked = [flag for flag, said in _said(request).items() if not said]
    where = "standard input" if request.file == (STDIN,) else ", ".join(request.file)
    asks = " and ".join(asked)
    click.echo(f"capcurve: error: {ASKED[asks]}", err=True)
    click.echo("\n" + on_screen(f"The columns of {where}:") + "\n", err=True)
    click.echo(to_text(_listing(columns, width), width=width), err=True)
    rows = columns[0].first_rows if columns else None
    if rows:
        click.echo(f"\nDistinct and missing values are of the first {rows:,} rows.", err=True)
    click.echo("\n" + _proposal(request, columns), err=True)
    click.get_current_context().exit(UNUSABLE)


def _said(request: Request) -> dict[str, bool]:
    return {"--target": request.target is not None, "--score": bool(request.score)}


def _listing(columns: Sequence[ColumnInfo], width: int | None) -> dict[str, list[object]]:
    from capcurve.text import printable

    listing: dict[str, list[object]] = {
        "column": [printable(column.name) for column in columns],
        "type": [column.type for column in columns],
        "distinct": [column.distinct for column in columns],
        "missing": [column.nulls for column in columns],
    }
    taken = 30 + max((len(column.name) for column in columns), default=0)
    room = max(20, (width or 100) - taken - 8)
    listing["examples"] = [_short(", ".join(map(printable, c.examples)), room) for c in columns]
    return listing


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"


def _proposal(request: Request, columns: Sequence[ColumnInfo]) -> str:
    from capcurve.input.files import propose

    fixed = {request.target, *request.score}
    found = propose([column for column in columns if column.name not in fixed] or columns)
    if request.target is not None or request.score:
        found = propose(columns) or found
    flags, reasons = [], []
    if request.target is None:
        flags += ["--target", "COLUMN" if found is None else found.target]
        reasons += [] if found is None else [f"{found.target!r} {found.target_reason}"]
    if not request.score:
        flags += ["--score", "COLUMN" if found is None else found.score]
        reasons += [] if found is None else [f"{found.score!r} {found.score_reason}"]
    words = list(click.get_current_context().find_root().obj or [])
    command = " ".join(["capcurve", *map(quoted, [*words, *flags])])
    if found is None:
        return f"Could not guess the target and score; name them:\n\n  {command}"
    why = wrapped(on_screen(f"Likely: {'; '.join(reasons)}. Then run:"), err=True)
    return f"{why}\n\n  {command}"


def quoted(word: str) -> str:
    r"""Return a word as a shell takes it, also one that would act on a terminal.

    Examples
    --------
    >>> print(quoted("pd"), quoted("it is"), quoted("a\x1b[2J"))
    pd 'it is' $'a\x1b[2J'
    """
    if word.isprintable():
        return shlex.quote(word)
    inside = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(c if c.isprintable() else _escaped(c) for c in inside)}'"


def _escaped(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(letter))
