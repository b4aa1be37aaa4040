"""Where results go: data to stdout or a file, everything else to stderr."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from capcurve.cli.failing import Failure, in_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from capcurve.cli.request import Request
    from capcurve.summary import Finding

FORMATS = ("table", "json", "csv", "md")
SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "md"}
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def writes_text(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --format and --output."""
    options = [
        click.option(
            "--format",
            "-f",
            "form",
            type=click.Choice(FORMATS),
            help="How to write it (default: table, or what the suffix of --output says).",
        ),
        click.option(
            "--output",
            "-o",
            metavar="PATH",
            help=f"Write to a file ({', '.join(SUFFIXES)}) instead of standard output.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def format_of(form: str | None, output: str | None, request: Request) -> str:
    """Return the format that is asked for, after checking that the output can be written."""
    if output is None:
        if sys.stdout is None:
            raise Failure("standard output is closed; name a file with --output")
        return form or "table"
    check_output(output, request, () if form else tuple(SUFFIXES))
    return form or SUFFIXES[Path(output).suffix.lower()]


def check_output(output: str, request: Request, suffixes: Sequence[str]) -> Path:
    """Refuse early what cannot be written: an unknown suffix, no folder, one of the inputs."""
    path = Path(output)
    if suffixes and path.suffix.lower() not in suffixes:
        raise click.UsageError(f"--output {output} must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise click.UsageError(f"--output {output} is a folder; name a file")
    if path.exists() and not path.is_file():
        return path  # a device or a pipe, which is written straight into
    folder = (path.resolve() if path.is_symlink() else path).parent
    if not folder.is_dir():
        raise click.UsageError(f"--output {output}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"--output {output}: the folder {folder} cannot be written to")
    if path.exists() and any(_is_same(path, name) for name in _inputs(request)):
        raise click.UsageError(f"--output {output} is also an input; it would be overwritten")
    return path


def _inputs(request: Request) -> Iterable[str]:
    import glob

    for name in request.file:
        if name != "-":
            yield from [name] if Path(name).exists() else glob.glob(name, recursive=True)  # noqa: PTH207 - as the reader expands them


def _is_same(path: Path, name: str) -> bool:
    return Path(name).exists() and path.samefile(name)


def emit(text: str, form: str, output: str | None = None) -> None:
    """Write a result: UTF-8 with plain line ends, the same bytes on a terminal and in a pipe."""
    data = (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
    if output is not None:
        save(Path(output), partial(_write_bytes, data))
        return
    if form == "table" and is_terminal(sys.stdout):
        click.echo(data.decode("utf-8"), nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _write_bytes(data: bytes, path: Path) -> None:
    path.write_bytes(data)


def save(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file aside, put it in its place, and say so."""
    from capcurve.files.aside import write_aside

    write_aside(path, write)
    confirm(path)


def confirm(path: Path) -> None:
    """Say on stderr what was written."""
    if not path.is_file():
        click.echo(f"{path} written", err=True)
        return
    size = path.stat().st_size
    kilobytes = f"{size / 1000:,.0f} kB" if size >= 1000 else f"{size} bytes"  # noqa: PLR2004 - units
    click.echo(f"{path} ({kilobytes}) written", err=True)


def width_of(*, err: bool = False) -> int | None:
    """Return how wide the terminal is, or None when lines may be as long as they like."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


def wrapped(text: str, *, err: bool = False) -> str:
    """Return a sentence broken between words where the terminal ends."""
    width = width_of(err=err)
    return text if width is None else "\n".join(textwrap.wrap(text, width) or [""])


def bold(text: str, *, err: bool = False) -> str:
    """Return text that stands out, on a terminal with colours."""
    return click.style(text, bold=True) if has_colours(err=err) else text


def has_colours(*, err: bool) -> bool:
    """Whether a stream is a terminal on which colours are wanted."""
    stream = sys.stderr if err else sys.stdout
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return is_terminal(stream) and wanted


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; one that the caller closed is None."""
    return stream is not None and stream.isatty()


def note(text: str) -> None:
    """Say on stderr what a reader of the result must know."""
    click.echo(f"note: {text}", err=True)


def tell(findings: Mapping[str, Iterable[Finding]]) -> None:
    """Say on stderr what was found, under each score's name when there are several."""
    width = min(shutil.get_terminal_size().columns, 100) if is_terminal(sys.stderr) else None
    for name, found in findings.items():
        for finding in {f.message: f for f in found}.values():
            whose = f"{name}: " if len(findings) > 1 and name else ""
            text = in_flags(f"{whose}{finding.message}; {finding.advice}")
            if whose:
                text = text.replace("--higher-is ", f"--higher-is {name}=")
            severity = finding.severity
            if has_colours(err=True):
                severity = click.style(severity, fg=COLOURS[severity], bold=True)  # type: ignore[assignment]  # text all the same
            lines = [text] if width is None else textwrap.wrap(text, width - 9) or [""]
            click.echo(f"{severity}: " + "\n  ".join(lines), err=True)
