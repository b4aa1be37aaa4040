"""Which files to read: paths, globs and standard input become single files of a known kind."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self

from capcurve.input.files.engine import ENCODING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FileKind = Literal["csv", "json", "parquet"]
_KINDS: dict[str, FileKind] = dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), "csv")
_KINDS |= dict.fromkeys((".json", ".jsonl", ".ndjson"), "json")
_KINDS |= dict.fromkeys((".parquet", ".pq"), "parquet")
SAMPLE = 1 << 20  # bytes looked at to learn how a file is written
# What byte-order marks say; one of UTF-32 begins like one of UTF-16, and so comes first.
BYTE_ORDER_MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# After a byte-order mark DuckDB overlooks a quote, and so ends a name at what it stands around.
_UNSEEN_QUOTE = re.compile(codecs.BOM_UTF8 + rb'"([^"]|"")*?[^"\w \x80-\xff]')
# One set for every text file, because the writer is rarely known: nothing at all (pandas,
# spreadsheets), "." (SAS), NA (R), NULL (SQL clients), NaN (Python), N/A and #N/A (spreadsheets).
# Words that also name things ("None", "nil", "-", "?") are values.
NULL_VALUES = ("", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan")


@dataclass(frozen=True, slots=True)
class Files:
    """Which files to read, and how their text is written.

    Attributes
    ----------
    paths
        Files, globs, or "-" for standard input; together they are one set of rows.
    delimiter
        The one character between the fields of a csv file; None finds it in the file. A blank
        stands for any number of blanks and tabs.
    decimal
        "." or ","; None reads the mark off the column, and asks where it could be either.
    encoding
        Any codec Python knows; a byte-order mark is obeyed whatever is said here.
    null_values
        Words that mean "no value" in csv and json text, also inside quotes. Parquet has
        nulls of its own, so words are never nulls there.
    skip_lines
        How many lines, such as titles, stand before the column names of a csv file. Excel's
        ``sep=;`` is obeyed and left out unasked.
    comment
        What lines of a csv file begin with that are comments, such as "#"; they are left out.
    """

    paths: tuple[str, ...]
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = NULL_VALUES
    skip_lines: int = 0
    comment: str | None = None

    def __post_init__(self) -> None:
        if not self.paths:
            raise ValueError("no file is named; give a path, a glob, or '-' for standard input")
        if self.paths.count("-") > 1:
            raise ValueError("'-' is named more than once; standard input can be read only once")
        if self.delimiter == r"\t":  # what a shell passes for a quoted "\t"
            object.__setattr__(self, "delimiter", "\t")
        mark, decimal = self.delimiter, self.decimal
        if mark is not None and (len(mark) != 1 or mark in '"\r\n'):
            raise ValueError(f"the delimiter is {mark!r}; it must be one character such as ';'")
        if decimal not in (None, ".", ","):
            raise ValueError(f"the decimal mark is {decimal!r}; it must be '.' or ','")
        if decimal is not None and decimal == mark:
            raise ValueError(f"{mark!r} cannot be both the delimiter and the decimal mark")
        lines = self.skip_lines
        if not isinstance(lines, int) or isinstance(lines, bool) or lines < 0:
            raise ValueError(f"skip_lines must be a number of lines, 0 or more, got {lines!r}")
        if self.comment is not None and (not self.comment.strip() or '"' in self.comment):
            raise ValueError(f"comment is {self.comment!r}; it must be a text such as '#'")
        try:
            codecs.getincrementaldecoder(self.encoding)
            "a".encode(self.encoding)  # refuses codecs between bytes and bytes, such as base64
        except (LookupError, UnicodeError):
            raise ValueError(
                f"the encoding {self.encoding!r} is not known; try utf-8, cp1252 or utf-16"
            ) from None

    @classmethod
    def of(
        cls, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
    ) -> Self:
        """Make the request from one path or many; options are the other attributes.

        Examples
        --------
        >>> Files.of("loans.csv", decimal=",").paths
        ('loans.csv',)
        """
        many = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        return cls(tuple(os.fspath(path) for path in many), **options)


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read."""

    label: str  # what to call it in messages: its path, or "standard input"
    path: str  # where its bytes are
    kind: FileKind  # how they are to be read
    zipped: bool  # whether they are gzip-compressed
    head: bytes  # its first bytes, decompressed

    @property
    def is_whole(self) -> bool:
        """Whether the head is all there is."""
        return len(self.head) < SAMPLE

    @property
    def compression(self) -> str:
        """What DuckDB calls the way the bytes are packed."""
        return "gzip" if self.zipped else "uncompressed"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the decompressed bytes; whatever is wrong with a gzip stream is a ValueError."""
        with open_bytes(self.path, self.label, zipped=self.zipped) as file:
            yield file

    def last_byte(self) -> bytes:
        """Return the last byte that is no blank, after checking all of a gzip stream."""
        # DuckDB does not look at its checksums, and DuckDB 1 takes one that is cut short as whole.
        last = b""
        with self.open() as file:
            if not self.zipped:
                file.seek(max(0, file.seek(0, os.SEEK_END) - SAMPLE))
            while part := file.read(SAMPLE):
                last = part.rstrip()[-1:] or last
        return last


@contextmanager
def open_bytes(path: str, label: str, *, zipped: bool) -> Iterator[IO[bytes]]:
    """Open a file, decompressed; whatever is wrong with a gzip stream is a ValueError."""
    try:
        with gzip.open(path) if zipped else Path(path).open("rb") as file:
            yield file  # type: ignore[misc]  # typeshed knows a GzipFile as no IO[bytes]
    except EOFError:
        raise ValueError(
            f"{label} is damaged or cut short: its gzip stream does not end; copy it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error):
        raise ValueError(
            f"{label} is damaged: its gzip stream does not agree with its checksum, or other "
            f"bytes follow it; copy it again"
        ) from None


def find_sources(files: Files, scratch: str) -> list[Source]:
    """Find every file asked for, sorted inside each glob; a pipe is copied to `scratch`."""
    paths = [found for path in files.paths for found in _expand(path)]
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if path != "-" and real in seen:
            raise ValueError(f"{path} is named more than once; its rows would count twice")
        seen.add(real)
    return [_examine(path, files.encoding, scratch) for path in paths]


def _expand(path: str) -> list[str]:
    """Every file that a path or a glob stands for; a path that exists is itself."""
    if path == "-" or os.path.lexists(path):
        return [path]
    home = str(Path(path).expanduser()) if path.startswith("~") else path
    found = sorted(glob.glob(home, recursive=True))  # noqa: PTH207 - takes absolute patterns
    if found:
        return found
    if glob.has_magic(path):
        raise FileNotFoundError(f"no file matches {path}")
    raise FileNotFoundError(f"{path}: no such file")


def _examine(path: str, encoding: str, scratch: str) -> Source:
    """Look at the first bytes of a file and decide how to read it."""
    label = "standard input" if path == "-" else path
    try:
        if path == "-" or not stat.S_ISREG(Path(path).stat().st_mode):
            path = _spool(path, scratch)
        with Path(path).open("rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
        with open_bytes(path, label, zipped=zipped) as file:
            head = file.read(SAMPLE)
    except IsADirectoryError:
        inside = os.path.join(label, "*.parquet")  # noqa: PTH118 - keep what was typed
        raise IsADirectoryError(f"{label} is a directory; name its files: '{inside}'") from None
    except OSError as error:
        raise type(error)(f"{label}: {(error.strerror or str(error)).lower()}") from None
    if not head:
        raise ValueError(f"{label} is empty: it has no column names and no rows")
    kind = _kind(label, head)
    _refuse_unreadable(label, kind, head, encoding, zipped=zipped)
    # DuckDB gives "~/" and "file:" a meaning of their own at the start of a path.
    return Source(label, os.path.abspath(path), kind, zipped, head)  # noqa: PTH100 - no links resolved


def _spool(path: str, scratch: str) -> str:
    """Copy what can be read only once (a pipe, standard input) to a file."""
    if path != "-" and Path(path).is_dir():
        raise IsADirectoryError(path)
    stdin = getattr(sys.stdin, "buffer", sys.stdin)
    if path == "-" and stdin is None:
        raise OSError("there is nothing to read")
    with tempfile.NamedTemporaryFile(dir=scratch, delete=False) as copy:
        if path == "-":
            shutil.copyfileobj(stdin, copy)
        else:
            with Path(path).open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    return copy.name


def _kind(label: str, head: bytes) -> FileKind:
    """Read the kind off the name, or off the first bytes where the name does not say."""
    if head.startswith(b"PAR1"):
        return "parquet"
    parts = label.lower().removesuffix(".gz")
    kind = _KINDS.get(os.path.splitext(parts)[1])  # noqa: PTH122 - the label may not be a path
    if kind:
        return kind
    return "json" if re.match(rb"(\xef\xbb\xbf)?\s*(\{|\[\s*\{)", head) else "csv"


def _refuse_unreadable(
    label: str, kind: FileKind, head: bytes, encoding: str, *, zipped: bool
) -> None:
    """Say early that a file cannot be read, before its bytes are taken for text."""
    if kind == "parquet":
        if zipped:
            raise ValueError(f"{label} is parquet inside gzip; unpack it first with gunzip")
        if not head.startswith(b"PAR1"):
            raise ValueError(f"{label} is not a parquet file: it does not begin with PAR1")
        return
    marked = head.startswith(tuple(BYTE_ORDER_MARKS))
    wide = marked or re.match(r"utf.?(16|32)", encoding, re.IGNORECASE)
    if b"\0" in head[:4096] and not wide:
        raise ValueError(
            f"{label} is neither text nor parquet (a spreadsheet, another compression?); "
            f"save it as csv or parquet"
        )


def in_utf8(source: Source, encoding: str, scratch: str) -> Source:
    """Copy a file of text into plain UTF-8, unless it is written so already."""
    marks = BYTE_ORDER_MARKS.items()  # which count for more than what is said of the encoding
    encoding = next((name for mark, name in marks if source.head.startswith(mark)), encoding)
    if codecs.lookup(encoding).name in {"utf-8", "utf-8-sig"}:
        if not _UNSEEN_QUOTE.match(source.head):
            return source
        encoding = "utf-8-sig"
    with tempfile.NamedTemporaryFile(dir=scratch, delete=False) as copy:
        for part in _decoded(source, encoding):
            copy.write(part.encode("utf-8"))
    with Path(copy.name).open("rb") as file:
        return replace(source, path=copy.name, zipped=False, head=file.read(SAMPLE))


def tidied(source: Source, files: Files, scratch: str) -> Source:
    """Copy a csv file in UTF-8 with comments blank, and one blank between fields, where asked."""
    blanks = files.delimiter == " "
    if files.comment is None and not blanks:
        return source
    decode_head(source)  # so that what is no UTF-8 is named by its place in the file itself
    quoted = False
    with source.open() as file, tempfile.NamedTemporaryFile(dir=scratch, delete=False) as copy:
        # Further on it passes through, for the reader to name its line.
        lines = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
        for number, line in enumerate(lines):
            kept = line
            if number >= files.skip_lines:
                if files.comment and not quoted and line.startswith(files.comment):
                    kept = line[len(line.rstrip("\r\n")) :]
                elif blanks:
                    kept = _by_one_blank(line, quoted=quoted)
                quoted ^= kept.count('"') % 2 == 1
            copy.write(kept.encode("utf-8", "surrogateescape"))
    with Path(copy.name).open("rb") as file:
        return replace(source, path=copy.name, zipped=False, head=file.read(SAMPLE))


def _by_one_blank(line: str, *, quoted: bool) -> str:
    """Return a line with one blank for every run outside quotes, and none at its ends."""
    end = line[len(line.rstrip("\r\n")) :]
    parts = line.removesuffix(end).split('"')
    outside = parts[quoted::2]
    parts[quoted::2] = [re.sub(r"[ \t]+", " ", part) for part in outside]
    if not quoted:
        parts[0] = parts[0].lstrip()
    if len(parts) % 2 != quoted:  # the line ends outside quotes
        parts[-1] = parts[-1].rstrip()
    return '"'.join(parts) + end


def _decoded(source: Source, encoding: str) -> Iterator[str]:
    """Decode a file piece by piece, naming the byte where that fails."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done = 0
    with source.open() as file:
        while True:
            chunk = file.read(SAMPLE)
            begun = done - len(decoder.getstate()[0])  # bytes of a character cut in two
            try:
                yield decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                offset = begun + getattr(error, "start", 0)
                raise ValueError(
                    f"{source.label} is not written in {encoding}: byte {offset} has no "
                    f"meaning there; give another encoding="
                ) from None
            done += len(chunk)
            if not chunk:
                return


def decode_head(source: Source) -> str:
    """Decode the first bytes of a UTF-8 file, or say that it is not one."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(source.head, final=source.is_whole).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = 1 + len(source.head[: error.start].splitlines())
        line -= not source.head[: error.start].endswith((b"\n", b"\r")) and error.start > 0
        raise ValueError(
            f"{source.label} is not utf-8 (byte {error.start}, line {line}); {ENCODING}"
        ) from None
