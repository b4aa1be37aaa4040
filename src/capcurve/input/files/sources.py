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
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, Literal, Self
from urllib.parse import unquote

from capcurve.input.files.engine import name_encoding
from capcurve.input.files.unpacking import ZIP, unpacked
from capcurve.numbers.arguments import arg

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FileKind = Literal["csv", "json", "parquet", "arrow", "spreadsheet", "sqlite", "duckdb"]
_KINDS: dict[str, FileKind] = dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), "csv")
_KINDS |= dict.fromkeys((".json", ".jsonl", ".ndjson"), "json")
_KINDS |= dict.fromkeys((".parquet", ".pq"), "parquet")
_KINDS |= dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow")
_KINDS |= dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "spreadsheet")
_KINDS |= dict.fromkeys((".sqlite", ".sqlite3", ".db"), "sqlite")
_KINDS[".duckdb"] = "duckdb"
# What stands at which place of a file, whatever it is called; a .db may be of either database.
_SIGNS: tuple[tuple[bytes, int, FileKind], ...] = (
    (b"PAR1", 0, "parquet"),
    (b"ARROW1", 0, "arrow"),
    (b"\xff\xff\xff\xff", 0, "arrow"),  # a stream
    (ZIP, 0, "spreadsheet"),
    (b"\xd0\xcf\x11\xe0", 0, "spreadsheet"),  # of Excel before 2007
    (b"SQLite format 3\0", 0, "sqlite"),
    (b"DUCK", 8, "duckdb"),
)
KINDS_OF_FILES = {
    "parquet": "a parquet file",
    "arrow": "an Arrow file",
    "spreadsheet": "a spreadsheet",
    "sqlite": "an SQLite database",
    "duckdb": "a DuckDB database",
}
_PARTITION = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_NO_PARTITION = ("", "__HIVE_DEFAULT_PARTITION__")
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
        Files, globs, folders, or "-" for standard input; together they are one set of rows.
    delimiter
        The one character between the fields of a csv file; None finds it in the file. A blank
        stands for any number of blanks and tabs.
    decimal
        "." or ","; None reads the mark off the column, and asks where it could be either.
    encoding
        Any codec Python knows; a byte-order mark is obeyed whatever is said here.
    null_values
        Words that mean "no value" in the text of csv, json, spreadsheets and SQLite, also inside
        quotes. Parquet, Arrow and DuckDB have nulls of their own, so words are never nulls there.
    skip_lines
        How many lines, such as titles, stand before the column names of a csv file or a sheet.
        Excel's ``sep=;`` is obeyed and left out unasked.
    comment
        What lines of a csv file begin with that are comments, such as "#"; they are left out.
    sheet
        Which sheet of a spreadsheet to read; None reads the first that is not hidden.
    table
        Which table or view of a database to read; None reads the only one.
    """

    paths: tuple[str, ...]
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = NULL_VALUES
    skip_lines: int = 0
    comment: str | None = None
    sheet: str | None = None
    table: str | None = None

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
    origin: str  # where the file itself is, which may be packed
    state: tuple[int, ...]  # what `state_of` it was before it was read
    partitions: Mapping[str, str | None]  # what the folders in its path say, as Hive names them

    @property
    def is_whole(self) -> bool:
        """Whether the head is all there is."""
        return len(self.head) < SAMPLE

    @property
    def compression(self) -> str:
        """What DuckDB calls the way the bytes are packed."""
        return "gzip" if self.zipped else "uncompressed"

    def open(self) -> AbstractContextManager[IO[bytes]]:
        """Open the decompressed bytes; whatever is wrong with a gzip stream is a ValueError."""
        return open_bytes(self.path, self.label, zipped=self.zipped)

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
    """Every file that a path, a folder or a glob stands for; a path that exists is itself."""
    if path == "-" or os.path.lexists(path):
        return _inside(path) if path != "-" and Path(path).is_dir() else [path]
    home = str(Path(path).expanduser()) if path.startswith("~") else path
    found = sorted(glob.glob(home, recursive=True))  # noqa: PTH207 - takes absolute patterns
    if found:  # folders stand for what is inside, which ** finds as well
        return list(dict.fromkeys(inner for each in found for inner in _expand(each)))
    if glob.has_magic(path):
        raise FileNotFoundError(f"no file matches {path}")
    raise FileNotFoundError(f"{path}: no such file")


def _inside(folder: str) -> list[str]:
    """Every file of a folder, if all are of one kind; Spark marks what is no data by _ or a dot."""
    every = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]  # noqa: PTH118 - keep what was typed
    apart = len(folder.rstrip(os.sep))
    found = sorted(each for each in every if not re.search(r"[\\/][._]", each[apart:]))
    if found and len(kinds := {_kind_of_name(each) for each in found}) == 1 and None not in kinds:
        return found
    several = "files of several kinds" if found else "no files"
    example = os.path.join(folder, "**", "*.parquet")  # noqa: PTH118 - as above
    raise IsADirectoryError(
        f"{folder} is a directory with {several}; name those to read, such as '{example}'"
    )


def state_of(path: str) -> tuple[int, ...]:
    """Return what shows whether a file is still the same: which it is, its size and its time."""
    try:
        found = os.stat(path)  # noqa: PTH116 - the path is text
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _partitions(path: str) -> dict[str, str | None]:
    """Return the columns that the folders of a path name, such as month=2024-01; None: missing."""
    found = filter(None, map(_PARTITION.fullmatch, PurePath(path).parent.parts))
    said = {unquote(each[1]): unquote(each[2]) for each in found}
    return {name: None if value in _NO_PARTITION else value for name, value in said.items()}


def _examine(path: str, encoding: str, scratch: str) -> Source:
    """Look at the first bytes of a file and decide how to read it."""
    label = "standard input" if path == "-" else path
    partitions = _partitions(path)
    try:
        if path == "-" or not stat.S_ISREG(Path(path).stat().st_mode):
            path = _spool(path, scratch)
        origin, state = path, state_of(path)
        path, label, packed = unpacked(path, label, scratch)
        with Path(path).open("rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
        with open_bytes(path, label, zipped=zipped) as file:
            head = file.read(SAMPLE)
    except OSError as error:
        raise type(error)(f"{label}: {(error.strerror or str(error)).lower()}") from None
    if not head:
        raise ValueError(f"{label} is empty: it has no column names and no rows")
    kind = _kind(label, head)
    _refuse_unreadable(label, kind, head, encoding, "gzip" if zipped else packed)
    # DuckDB gives "~/" and "file:" a meaning of their own at the start of a path.
    path = os.path.abspath(path)  # noqa: PTH100 - no links resolved
    return Source(label, path, kind, zipped, head, origin, state, partitions)


def _spool(path: str, scratch: str) -> str:
    """Copy what can be read only once (a pipe, standard input) to a file."""
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
    """Read the kind off the first bytes, or off the name where they may be text."""
    of_text: FileKind = "json" if re.match(rb"(\xef\xbb\xbf)?\s*(\{|\[\s*\{)", head) else "csv"
    return _kind_of_bytes(head) or _kind_of_name(label) or of_text


def _kind_of_bytes(head: bytes) -> FileKind | None:
    found = (each for each in _SIGNS if head.startswith(each[0], each[1]))
    # Text may have any word after its first, but no zero byte.
    return next((kind for _, at, kind in found if not at or b"\0" in head[:20]), None)


def _kind_of_name(name: str) -> FileKind | None:
    plain = name.lower().removesuffix(".gz").removesuffix(".zst")
    return _KINDS.get(os.path.splitext(plain)[1])  # noqa: PTH122 - it may be no path


def _refuse_unreadable(label: str, kind: FileKind, head: bytes, encoding: str, packed: str) -> None:
    """Say early that a file cannot be read, before its bytes are taken for text."""
    if called := KINDS_OF_FILES.get(kind):
        if packed:
            raise ValueError(f"{label} is {called} inside {packed}; unpack it first")
        if _kind_of_bytes(head) != kind:
            raise ValueError(f"{label} is not {called}: it does not begin as one")
        return
    marked = head.startswith(tuple(BYTE_ORDER_MARKS))
    wide = marked or re.match(r"utf.?(16|32)", encoding, re.IGNORECASE)
    if b"\0" in head[:4096] and not wide:
        raise ValueError(
            f"{label} is neither text nor of another kind that can be read; save it as csv or "
            f"parquet"
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
                    f"{source.label} is not written in {encoding}: byte {offset} has no meaning "
                    f"there; give another {arg('encoding')}"
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
            f"{source.label} is not utf-8 (byte {error.start}, line {line}); {name_encoding()}"
        ) from None
