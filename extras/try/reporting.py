"""What the page asks of the library: the columns of a file, and the report on some of them."""

import io
import json
import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from shlex import quote

import click

from capcurve.cli import main as program
from capcurve.cli.errors import one_line_errors
from capcurve.cli.flags import Flags
from capcurve.cli.proposing import list_columns, propose
from capcurve.input.files import Files
from capcurve.numbers.arguments import worded_by

PAGE = "/tmp/report.html"  # noqa: S108 - a file system that only this page has
ASKED = re.compile(r"--(pos-label|levels|missing)\b")
MEMORY = "Not enough memory for this file: use the command line, which reads files of any size"


def columns(name):
    """Return the columns of a file, and which of them are likely the outcome and the score."""
    with worded_by(Flags()), one_line_errors():
        listed = list_columns(Files.of(name))
    likely = {role: column.name for role, column in propose(listed).likely.items()}
    told = ("name", "type", "distinct", "examples", "labels")
    return {"columns": [{each: getattr(c, each) for each in told} for c in listed], **likely}


def report(name, target, scores, more):
    """Write the report as the command does; return where it is, and which scores look reversed."""
    words = ["report", "--target", target, "--output", PAGE, *more]
    words += [word for score in scores for word in ("--score", score)]
    Path(PAGE).unlink(missing_ok=True)
    program.main([*words, "--", name], standalone_mode=False)
    told = " ".join(sys.stderr.getvalue().split())  # where `asked` keeps it
    named = [f"{score}=negative" if len(scores) > 1 else "negative" for score in scores]
    pairs = zip(scores, named, strict=True)
    return {
        "path": PAGE,
        "reversed": [each for each, word in pairs if f"--higher-is {quote(word)} " in told],
    }


def asked(work, given):
    """Return, as JSON, what comes of some work, or the one line that says why nothing does."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            found = {"columns": columns, "report": report}[work](*json.loads(given))
        except click.ClickException as error:
            large = isinstance(error.__context__, MemoryError)
            said = MEMORY if large else error.format_message()
            found = {"error": said, "asks": ASKED.findall(said)}
    return json.dumps(found)


def prepared():
    """Return what answers, after a report of ten rows that loads all that one needs."""
    os.chdir("/home")
    rows = "\n".join(f"{row % 2},{row}" for row in range(10))
    Path("ten rows.csv").write_text(f"y,s\n{rows}\n", encoding="utf-8")
    asked("columns", '["ten rows.csv"]')
    asked("report", '["ten rows.csv", "y", ["s"], []]')
    Path("ten rows.csv").unlink()
    return asked
