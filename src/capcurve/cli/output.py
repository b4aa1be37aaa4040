"""Where results go: data to stdout or a file, everything else to stderr."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import textwrap
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import click

from capcurve.cli.errors import (
    Failure,
    about_file,
    close_quietly,
    in_flags,
    on_screen,
    reason_of,
)
from capcurve.cli.options import STDIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.show.finding import Finding

Result = TypeVar("Result")

SUFFIXES = {".txt": "table", ".json": "json", ".csv": "csv", ".md": "md", ".xlsx": "xlsx"}
PATIENCE = 1.0  # seconds of work before a line says that it goes on
# Options that name further files to read.
OTHER_INPUTS = ("baseline", "initial", "before", "chart", "limits")
# Formats that only a file can have.
PICTURED = ("html", "png", "svg", "pdf")
COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and in which format: standard output where no file is named.

    `decimal` is the decimal mark of csv.
    """

    form: str
    output: str | None = None
    decimal: str = "."

    @property
    def to_screen(self) -> bool:
        """Whether the result may go to a terminal."""
        return self.output is None

    @property
    def path(self) -> Path:
        """The file to write, for which a name was given."""
        return Path(self.output or "")

    def as_csv(self, columns: Mapping[str, Sequence[object]]) -> str:
        """Return columns as csv that a spreadsheet opens without running anything."""
        from capcurve.show.columns import defused, to_csv

        return to_csv(defused(columns), decimal=self.decimal)

    def save_workbook(self, write: Callable[[Path], None]) -> None:
        """Write a workbook, for which a file was named."""
        save(self.path, write)

    def emit(self, text: str) -> None:
        """Write a result: UTF-8 with plain line ends, the same bytes on a terminal as in a pipe."""
        data = (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
        if self.output is not None:
            save(Path(self.output), partial(_write_bytes, data))
            return
        with failing_at("standard output"):
            if self.form == "table" and is_terminal(sys.stdout):
                click.echo(data.decode("utf-8"), nl=False)
                return
            sys.stdout.flush()
            rest = memoryview(data)
            while rest:  # an unbuffered stream (PYTHONUNBUFFERED) may take less than it is given
                rest = rest[sys.stdout.buffer.write(rest) or 0 :]
            sys.stdout.buffer.flush()


def writes_text(
    suffixes: Mapping[str, str], more: str = ""
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command --format and --output; they come as one `Destination`.

    `suffixes` are the formats by suffix, the first of them that of standard output.
    """

    def give(command: Callable[..., Result]) -> Callable[..., Result]:
        @functools.wraps(command)
        def call(
            request: Request,
            *given: object,
            form: str | None,
            output: str | None,
            csv_decimal: str | None = None,
            **options: object,
        ) -> Result:
            others = (options.get(name) for name in OTHER_INPUTS)
            inputs = [*request.file, *(str(path) for path in others if path is not None)]
            found = _format_of(form, output, inputs, suffixes)
            if csv_decimal is not None and found != "csv":
                raise click.UsageError("--csv-decimal is for csv; add --format csv")
            to = Destination(found, output, csv_decimal or ".")
            return command(request, *given, to, **options)

        wrapped: Callable[..., Result] = call
        for option in reversed(_options_of(suffixes, more)):
            wrapped = option(wrapped)
        return wrapped

    return give


def _options_of(suffixes: Mapping[str, str], more: str) -> list[Callable[..., Any]]:
    """Return --format and --output, and with csv among the formats its decimal mark."""
    formats = [form for form in suffixes.values() if form not in PICTURED]
    found = [
        click.option(
            "--format",
            "-f",
            "form",
            type=click.Choice(formats),
            help=f"Output format (default: {formats[0]}, or as the suffix of --output).{more}",
        ),
        click.option(
            "--output",
            "-o",
            metavar="PATH",
            help=f"Write to this file ({', '.join(suffixes)}) instead of standard output.",
        ),
    ]
    return [*found, states_csv_decimal] if "csv" in formats else found


states_csv_decimal = click.option(
    "--csv-decimal",
    type=click.Choice([".", ","]),
    help="Decimal mark of csv output (default: .). With a comma, fields are separated by "
    "semicolons, as spreadsheets expect where 0.5 is written 0,5.",
)
writes_tables = writes_text(
    SUFFIXES,
    " csv puts ' before text that a spreadsheet would take for a formula.",
)


def _format_of(
    form: str | None, output: str | None, inputs: Iterable[str], suffixes: Mapping[str, str]
) -> str:
    """Return the format that is asked for, after checking that the output can be written."""
    if output is None:
        if form == "xlsx":
            raise click.UsageError("--format xlsx is a file; name one with --output")
        if sys.stdout is None:
            raise Failure("standard output is closed; name a file with --output")
        return form or next(iter(suffixes.values()))
    path = check_output(output, inputs, () if form else tuple(suffixes))
    found = form or suffixes[path.suffix.lower()]
    if found == "xlsx":
        require_workbooks()
    return found


def require_workbooks() -> None:
    """Say at once, and not after counting, that what writes workbooks is not installed."""
    from capcurve.show.workbook import require_writer

    require_writer()


def check_output(output: str, inputs: Iterable[str], suffixes: Sequence[str]) -> Path:
    """Refuse early what cannot be written: an unknown suffix, no folder, one of the inputs."""
    path = Path(output)
    if not _is_utf8(output):
        raise click.UsageError(f"--output {output}: the name is not UTF-8; give it another")
    if suffixes and path.suffix.lower() not in suffixes:
        raise click.UsageError(f"--output {output} must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise click.UsageError(f"--output {output} is a folder; name a file")
    if path.exists() and not path.is_file():
        return path  # a device or a pipe, which is written straight into
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise click.UsageError(f"--output {output} is a link that leads back to itself")
    if not real.parent.is_dir():
        raise click.UsageError(f"--output {output}: there is no folder {path.parent}")
    if not os.access(real.parent, os.W_OK):
        raise click.UsageError(f"--output {output}: the folder {path.parent} cannot be written to")
    if path.exists() and any(_is_same(path, name) for name in inputs):
        raise click.UsageError(f"--output {output} is also an input; it would be overwritten")
    return path


def _is_utf8(name: str) -> bool:
    return name.encode("utf-8", "ignore").decode() == name


def _is_same(path: Path, name: str) -> bool:
    """Whether an input is the very file, under whatever name, as a link or as standard input."""
    import glob

    if name == STDIN:
        return sys.stdin is not None and _is_file_of(path, sys.stdin)
    names = [name] if Path(name).exists() else glob.glob(str(Path(name).expanduser()))  # noqa: PTH207 - as the reader expands them
    return any(path.samefile(each) for each in names if Path(each).exists())


def _is_file_of(path: Path, stream: TextIO) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except (OSError, ValueError):
        return False  # a stream without a file, as in tests


def _write_bytes(data: bytes, path: Path) -> None:
    path.write_bytes(data)


def save(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file whole or not at all, and say so."""
    from capcurve.show.atomic import write_whole

    with failing_at(path):
        write_whole(path, write)
    confirm(path)


@contextmanager
def failing_at(place: Path | str) -> Iterator[None]:
    """Name what is written where writing fails: the error may name nothing, or a temporary file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(about_file(error, place)) from None
    except Exception as error:
        reason = reason_of(error)
        if reason is None:
            raise
        raise Failure(f"{place}: {reason}") from None


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Go on where nobody reads standard output to its end: the exit code still has to be right."""
    try:
        yield
    except BrokenPipeError:
        close_quietly(sys.stdout)


def confirm(path: Path) -> None:
    """Say on stderr what was written."""
    if not path.is_file():
        click.echo(on_screen(f"{path} written"), err=True)
        return
    size = path.stat().st_size
    kilobytes = f"{size / 1000:,.0f} kB" if size >= 1000 else f"{size} bytes"  # noqa: PLR2004 - units
    click.echo(on_screen(f"{path} ({kilobytes}) written"), err=True)


def width_of(*, err: bool = False) -> int | None:
    """Return how wide the terminal is, or None when lines may be as long as they like."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


def fitted(
    columns: Mapping[str, list[object]], width: int | None, spare: Iterable[str]
) -> Mapping[str, list[object]]:
    """Leave out columns, and say so, while a table is wider than the terminal."""
    from capcurve.show.columns import to_text, width_of
    from capcurve.show.format import heading

    if width is None:
        return columns
    left_out: list[str] = []
    for name in filter(columns.__contains__, spare):
        table = to_text(columns, width=width)
        if max(map(width_of, table.splitlines())) <= width:
            break
        columns = {each: column for each, column in columns.items() if each != name}
        left_out.append(heading(name))
    if left_out:
        note(f"not shown for lack of width: {', '.join(left_out)}")
    return columns


def wrapped(text: str, *, err: bool = False) -> str:
    """Return a sentence broken between words where the terminal ends."""
    width = width_of(err=err)
    return text if width is None else "\n".join(_lines(text, width))


def _lines(text: str, width: int) -> list[str]:
    """Break a text between words, never inside a path or an option."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


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


def note(text: str, kind: Literal["note", "warning"] = "note") -> None:
    """Say on stderr what a reader of the result must know."""
    click.echo(wrapped(on_screen(f"{kind}: {text}"), err=True), err=True)


def tell(findings: Mapping[str, Iterable[Finding]]) -> None:
    """Say on stderr what was found, under each score's name when there are several."""
    width = min(shutil.get_terminal_size().columns, 100) if is_terminal(sys.stderr) else None
    for name, found in findings.items():
        for finding in {f.message: f for f in found}.values():
            whose = f"{name}: " if len(findings) > 1 and name else ""
            text = on_screen(in_flags(f"{whose}{finding.message}; {finding.advice}"))
            if whose:
                text = text.replace("--higher-is ", f"--higher-is {name}=")
            severity = finding.severity
            if has_colours(err=True):
                severity = click.style(severity, fg=COLOURS[severity], bold=True)  # type: ignore[assignment]  # text all the same
            lines = [text] if width is None else _lines(text, width - 9)
            click.echo(f"{severity}: " + "\n  ".join(lines), err=True)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that work goes on, and for how long it has, once it takes over a second."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    clock = threading.Thread(target=_count_seconds, args=(what, sys.stderr, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


def _count_seconds(what: str, screen: TextIO, done: threading.Event) -> None:
    """Write the line anew every second, and remove it at the end."""
    start, line = time.monotonic(), ""
    with suppress(OSError, ValueError):  # a terminal that is closed meanwhile
        while not done.wait(PATIENCE):
            line = f"{what}: {time.monotonic() - start:.0f} s"
            screen.write(f"\r{line}")
            screen.flush()
        if line:
            screen.write(f"\r{' ' * len(line)}\r")
            screen.flush()
