"""Where results go, and in which format: data to stdout or a file, everything else to stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import click

from capcurve.cli.errors import Failure, about_file, close_quietly, on_screen, reason_of
from capcurve.cli.notations import PLURAL
from capcurve.cli.options import STDIN, WRITTEN, ListedOption
from capcurve.numbers.arguments import reworded
from capcurve.numbers.threads import may_start_threads
from capcurve.show import PICTURES
from capcurve.show.columns import heading
from capcurve.show.text import MARKUPS, as_bytes, broken_lines, to_text, width_of, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from threading import Event

    from capcurve.numbers.nouns import Noun
    from capcurve.show.presentation import Finding, Light

    Columns = Mapping[str, list[Any]]
    Headline = Iterable[tuple[str, Light | None]]  # sentences with their lights
    Told = str | Mapping[str, Sequence[Finding]]  # a note or warning, or findings by score

Item = TypeVar("Item")
Shown = TypeVar("Shown")
# Where a command keeps what positives are called, in the context of its call.
POSITIVE_WORD = "capcurve.positive_word"

SCHEMA_VERSION = 1
PATIENCE = 2.0  # seconds that a command may take before a line says what goes on
PROGRESS = "CAPCURVE_PROGRESS"
# A p-value in a sentence, and what holds it together.
_CHANCE = re.compile(r"\bp [=<] [\d.]+")
NO_BREAK = "\N{NO-BREAK SPACE}"
SPARE_OF_TABLES = ("cum_n", "cum_positives", "cum_amount", "cum_mean_amount", "cum_lift")
FILES_ALONE = ("html", "png", "svg", "pdf")
# What findings are headed by, in which colour: nobody could tell info from a note.
FINDING_HEADS = {
    "error": ("error", "red"),
    "warning": ("warning", "yellow"),
    "info": ("note", "blue"),
}
LIT: Mapping[Light, str | None] = {"red": "red", "amber": "yellow", "green": "green", "grey": None}


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and in which format: standard output where no file is named."""

    form: str
    output: str | None = None
    decimal: str = "."  # the decimal mark of csv

    @property
    def path(self) -> Path:
        """The file to write, for which a name was given."""
        return Path(self.output or "")

    @property
    def width(self) -> int | None:
        """How wide the terminal is that the result goes to, or None where it goes elsewhere."""
        return terminal_width() if self.output is None else None

    def strong(self, text: str) -> str:
        """Return text that stands out, on a terminal."""
        return styled(text) if self.output is None else text

    def lit(self, text: str, light: Light) -> str:
        """Return text in the colour of a light, on a terminal with colours."""
        return styled(text, LIT[light]) if self.output is None else text

    def wrap(self, text: str) -> str:
        """Return a sentence broken where the terminal ends."""
        return wrapped(text) if self.output is None else text

    def as_csv(self, columns: Columns) -> str:
        """Return columns as csv that a spreadsheet opens without running anything."""
        from capcurve.show.text import defused, to_csv

        return to_csv(defused(columns), decimal=self.decimal)

    def in_columns(self, columns: Columns) -> str:
        """Return columns as an aligned table, or as one of another document."""
        from capcurve.show.table import columns_in_words

        if self.form in MARKUPS:
            columns = columns_in_words(columns, AsTyped.asked())
            return MARKUPS[self.form].table(columns).rstrip("\n")
        columns = columns_in_words(fitted(columns, self.width, SPARE_OF_TABLES), AsTyped.asked())
        return to_text(columns, width=self.width, emphasis=self.strong).rstrip("\n")

    def emit(self, text: str, headline: Headline = ()) -> None:
        """Write a result: UTF-8 with plain line ends, the same bytes on a terminal as in a pipe."""
        if self.output is not None:
            save(self.path, lambda path: write_text(path, text), headline)
            return
        data = as_bytes(text)
        with failing_at("standard output"):
            if self.form == "table" and is_terminal(sys.stdout):
                click.echo(data.decode("utf-8"), nl=False)
                return
            sys.stdout.flush()
            rest = memoryview(data)
            while rest:  # an unbuffered stream (PYTHONUNBUFFERED) may take less than it is given
                rest = rest[sys.stdout.buffer.write(rest) or 0 :]
            sys.stdout.buffer.flush()


def _option(*flags: str, **how: Any) -> ListedOption:
    return ListedOption(list(flags), section=WRITTEN, **how)


def positive_word() -> click.Parameter:
    """Return --positive-word, which every command has whose words people read."""
    text = "What to call positives in all that people read, such as defaults or person/people."
    return _option("--positive-word", metavar="NOUN", type=PLURAL, help=text)


@dataclass(frozen=True, slots=True)
class Formats:
    """The formats of a command by suffix, the first of them that of standard output."""

    suffixes: Mapping[str, str]
    more: str = ""  # what the help says of them besides

    def options(self) -> list[click.Parameter]:
        """Return --format and --output, and with csv among the formats its decimal mark."""
        formats = [form for form in self.suffixes.values() if form not in FILES_ALONE]
        said = f"Output format (default: {formats[0]}, or as the suffix of --output).{self.more}"
        named = f"Write to this file ({', '.join(self.suffixes)}) instead of standard output."
        mark = "Decimal mark of csv output (default: .). With a comma, fields are separated by "
        mark += "semicolons, as spreadsheets expect where 0.5 is written 0,5."
        found: list[click.Parameter] = [
            _option("--format", "-f", "form", type=click.Choice(formats), help=said),
            _option("--output", "-o", metavar="PATH", help=named),
        ]
        if "csv" in formats:
            marks = click.Choice([".", ","])
            found.append(_option("--csv-decimal", type=marks, help=mark))
        return found

    def destination(self, options: dict[str, Any]) -> Destination:
        """Take these options out of all, after checking that the output can be written."""
        form, output = options.pop("form"), options.pop("output")
        decimal = options.pop("csv_decimal", None)
        found = self._format_of(form, output)
        beside = str(options.get("ecb") or "")  # a table beside the result
        if decimal is not None and found != "csv" and Path(beside).suffix.lower() != ".csv":
            raise click.UsageError("--csv-decimal is for csv; add --format csv")
        return Destination(found, output, decimal or ".")

    def _format_of(self, form: str | None, output: str | None) -> str:
        if output is None:
            if form == "xlsx":
                raise click.UsageError("--format xlsx is a file; name one with --output")
            if sys.stdout is None:
                raise Failure("standard output is closed; name a file with --output")
            return form or next(iter(self.suffixes.values()))
        path = check_output(output, () if form else tuple(self.suffixes))
        found = form or self.suffixes[path.suffix.lower()]
        if found == "xlsx":  # said at once, and not after counting
            from capcurve.show.workbook import require_writer

            require_writer()
        return found


DOCUMENTS = {f".{form}": form for form in MARKUPS}
TABLES = Formats(
    {".txt": "table", ".json": "json", ".csv": "csv", **DOCUMENTS, ".xlsx": "xlsx"},
    " csv puts ' before text that a spreadsheet would take for a formula.",
)
_TEXTS = {suffix: form for suffix, form in TABLES.suffixes.items() if form != "xlsx"}
RESULTS = Formats(
    _TEXTS | {".html": "html"} | {suffix: suffix[1:] for suffix in PICTURES},
    " csv is the table, with ' before text that a spreadsheet would take for a formula.",
)
WITH_WORKBOOK = Formats({**RESULTS.suffixes, ".xlsx": "xlsx"}, RESULTS.more)


def refuse_overwriting(params: Iterable[click.Parameter], values: Mapping[str, Any]) -> None:
    """Refuse to write a file that is also read, under whatever name, or written twice."""
    # A parameter is of a file where help calls it PATH or FILE.
    files = [each for each in params if re.search("PATH|FILE", each.metavar or "")]
    said = [(each, values[each.name or ""]) for each in files if values[each.name or ""]]
    written = {each.opts[0]: to for each, to in said if getattr(each, "section", "") == WRITTEN}
    read = [word for each, words in said if each.opts[0] not in written for word in _words(words)]
    flags: dict[str, str] = {}
    for flag, output in written.items():
        path = Path(output)
        if path.is_file() and any(_is_same(path, name) for name in read):
            raise click.UsageError(f"{flag} {output} is also an input; it would be overwritten")
        if (first := flags.setdefault(os.path.realpath(path), flag)) != flag:
            raise click.UsageError(f"{first} and {flag} both write {output}; name two files")


def _words(said: str | Sequence[str]) -> list[str]:
    """Return the names of files that may be meant: of SCORE=PATH the last too."""
    words = [said] if isinstance(said, str) else said
    return [name for word in words for name in (word, word.partition("=")[2]) if name]


def check_output(output: str, suffixes: Sequence[str], flag: str = "--output") -> Path:
    """Refuse early what cannot be written: an unknown suffix, no folder."""
    path = Path(output)
    if output.encode("utf-8", "ignore").decode() != output:
        raise click.UsageError(f"{flag} {output}: the name is not UTF-8; give it another")
    if suffixes and path.suffix.lower() not in suffixes:
        raise click.UsageError(f"{flag} {output} must end in {', '.join(suffixes)}")
    if path.is_dir():
        raise click.UsageError(f"{flag} {output} is a folder; name a file")
    if path.exists() and not path.is_file():
        return path  # a device or a pipe, which is written straight into
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise click.UsageError(f"{flag} {output} is a link that leads back to itself")
    if not real.parent.is_dir():
        raise click.UsageError(f"{flag} {output}: there is no folder {path.parent}")
    if not os.access(real.parent, os.W_OK):
        raise click.UsageError(f"{flag} {output}: the folder {path.parent} cannot be written to")
    return path


def _is_same(path: Path, name: str) -> bool:
    """Whether an input is the very file, under whatever name, as a link or as standard input."""
    import glob

    if name == STDIN:
        with suppress(OSError, ValueError, AttributeError):  # a stream without a file, or none
            return os.path.samestat(os.fstat(sys.stdin.fileno()), path.stat())
        return False
    if Path(name).is_dir():  # every file inside is read
        return path.resolve().is_relative_to(Path(name).resolve())
    names = [name] if Path(name).exists() else glob.glob(str(Path(name).expanduser()))  # noqa: PTH207 - as the reader expands them
    return any(path.samefile(each) for each in names if Path(each).exists())


def save(path: Path, write: Callable[[Path], None], headline: Headline = ()) -> None:
    """Write a file whole or not at all, and say so below what it begins with."""
    from capcurve.numbers.whole import write_whole

    with failing_at(path), waiting("writing"):
        write_whole(path, write)
    tell_headline(headline)
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
    said = str(path)
    if path.is_file():
        size = path.stat().st_size
        said += f" ({size / 1000:,.0f} kB)" if size >= 1000 else f" ({size} bytes)"  # noqa: PLR2004 - units
    click.echo(on_screen(f"{said} written"), err=True)


def terminal_width(*, err: bool = False) -> int | None:
    """Return how wide the terminal is, or None when lines may be as long as they like."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if is_terminal(stream) else None


def fitted(columns: Columns, width: int | None, spare: Iterable[str]) -> Columns:
    """Leave out columns, and say so, while a table is wider than the terminal."""
    if width is None:
        return columns
    left_out: list[str] = []
    for name in filter(columns.__contains__, spare):
        table = to_text(columns, width=width)
        if max(map(width_of, table.splitlines())) <= width:
            break
        # What was before and after stay together.
        pair = [each for each in columns if each in (name, name.replace("_before", "_after"))]
        columns = {each: column for each, column in columns.items() if each not in pair}
        left_out += dict.fromkeys(map(heading, pair))
    if left_out:
        note(f"not shown for lack of width: {', '.join(left_out)}")
    return columns


def wrapped(text: str, *, err: bool = False) -> str:
    """Return a sentence broken between words where the terminal ends."""
    width = terminal_width(err=err)
    return text if width is None else "\n".join(_lines(text, width))


def _lines(text: str, width: int, below: str = "") -> list[str]:
    """Break a text between words, never inside a path, an option or a p-value."""
    # Where a line may not break stands a blank that textwrap takes for a letter.
    whole = _CHANCE.sub(lambda found: found[0].replace(" ", NO_BREAK), text)
    return [line.replace(NO_BREAK, " ") for line in broken_lines(whole, width, below)]


def styled(text: str, colour: str | None = None, *, err: bool = False) -> str:
    """Return text in bold and in a colour, on a terminal where colours are wanted."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    shown = wanted and is_terminal(sys.stderr if err else sys.stdout)
    return click.style(text, fg=colour, bold=True) if shown else text


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; one that the caller closed is None."""
    return stream is not None and stream.isatty()


@dataclass(frozen=True, slots=True)
class AsTyped:
    """Says what people read as the command line does, with the noun that was asked for."""

    noun: Noun | None = None

    @classmethod
    def asked(cls) -> AsTyped:
        """Return the words of the command that runs."""
        context = click.get_current_context(silent=True)
        return cls(context.meta.get(POSITIVE_WORD) if context else None)

    def said(self, text: str) -> str:
        """Return a text with options for arguments, and the noun for positives."""
        text = reworded(text)
        return text if self.noun is None else self.noun.said(text)


def in_typed_words(shown: Shown) -> Shown:
    """Return what is shown in the words of the command that runs."""
    from capcurve.show.wording import in_words

    return in_words(shown, AsTyped.asked())


def note(text: str, kind: Literal["note", "warning"] = "note") -> None:
    """Say on stderr what a reader of the result must know."""
    text, width = on_screen(f"{kind}: {AsTyped.asked().said(text)}"), terminal_width(err=True)
    said = text if width is None else "\n".join(_lines(text, width, "  "))
    head = styled(kind, FINDING_HEADS["warning" if kind == "warning" else "info"][1], err=True)
    click.echo(head + said.removeprefix(kind), err=True)


def tell_headline(lines: Headline) -> None:
    """Say on stderr what a file begins with, in the colour of its light."""
    for said, light in lines:
        text = wrapped(on_screen(AsTyped.asked().said(said)), err=True)
        click.echo(text if light is None else styled(text, LIT[light], err=True), err=True)


class Warned(str):
    """A note that is a warning."""

    __slots__ = ()


def tell_all(told: Iterable[Told]) -> None:
    """Say notes, warnings and findings on stderr, each once."""
    said: set[str] = set()
    for each in told:
        if isinstance(each, str):
            note(each, "warning" if isinstance(each, Warned) else "note")
        else:
            tell(each, said)


def tell(findings: Mapping[str, Iterable[Finding]], before: set[str]) -> None:
    """Say on stderr what was found and not said before, with each score's name if several."""
    from capcurve.results.findings import about_score

    width = min(shutil.get_terminal_size().columns, 100) if is_terminal(sys.stderr) else None
    for name, found in findings.items():
        for finding in {f.message: f for f in found}.values():
            whose = f"{name}: " if len(findings) > 1 and name else ""
            about = about_score(finding, name) if whose else finding
            text = on_screen(AsTyped.asked().said(f"{whose}{finding.message}; {about.advice}"))
            if text in before:
                continue
            before.add(text)
            head, colour = FINDING_HEADS[finding.severity]
            text = f"{head}: {text}"
            lines = [text] if width is None else _lines(text, width, "  ")
            said = "\n".join(lines).removeprefix(head)
            click.echo(styled(head, colour, err=True) + said, err=True)


@contextmanager
def waiting(what: str) -> Iterator[Callable[[Iterable[Item]], Iterator[Item]]]:
    """Show what goes on, and for how long it has, once a command takes over two seconds."""
    # It yields what goes through items and shows how many are done. Within work that is shown
    # already, the line changes to what goes on inside.
    context = click.get_current_context(silent=True)
    known = context.meta if context else {}
    doing: list[str] = known.setdefault("capcurve.doing", [])
    start: float = known.setdefault("capcurve.start", time.monotonic())
    doing.append(what)

    def through(items: Iterable[Item]) -> Iterator[Item]:
        every = list(items)
        for place, item in enumerate(every, 1):
            doing[-1] = f"{what}, {place:,} of {len(every):,}" if len(every) > 1 else what
            yield item

    try:
        with nullcontext() if len(doing) > 1 else _line_of(doing, start):
            yield through
    finally:
        doing.pop()


@contextmanager
def _line_of(doing: Sequence[str], start: float) -> Iterator[None]:
    """Keep the line, on a terminal; with CAPCURVE_PROGRESS set elsewhere too, line below line."""
    screen = sys.stderr
    shown = screen is not None and (screen.isatty() or os.environ.get(PROGRESS))
    if not shown or not may_start_threads():
        yield
        return
    done = threading.Event()
    write = _rewrite_line if screen.isatty() else _write_lines
    clock = threading.Thread(target=write, args=(doing, start, screen, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


def _seconds(doing: Sequence[str], start: float) -> str:
    return f"{doing[-1]}: {time.monotonic() - start:.0f} s"


def _until_late(start: float) -> float:
    """Return how long to wait until a command has taken so long that a line is shown."""
    return max(PATIENCE - (time.monotonic() - start), PATIENCE / 10)


def _rewrite_line(doing: Sequence[str], start: float, screen: TextIO, done: Event) -> None:
    """Write the line anew every second, and remove it at the end."""
    line, pause = "", _until_late(start)
    with suppress(OSError, ValueError):  # a terminal that is closed meanwhile
        while not done.wait(pause):
            blank, line = " " * len(line), _seconds(doing, start)
            # What is said meanwhile begins where the line does, and so replaces it.
            screen.write(f"\r{blank}\r{line}\r")
            screen.flush()
            pause = 1.0
        if line:
            screen.write(f"\r{' ' * len(line)}\r")
            screen.flush()


def _write_lines(doing: Sequence[str], start: float, screen: TextIO, done: Event) -> None:
    """Write one line below the other, less often."""
    pause = _until_late(start)
    with suppress(OSError, ValueError):
        while not done.wait(pause):
            screen.write(f"{_seconds(doing, start)}\n")
            screen.flush()
            pause = 10.0
