"""Text in any encoding becomes UTF-8, which is all that the readers are asked to know."""

from __future__ import annotations

import codecs
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from capcurve.input.files.sources import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.input.files.sources import Source


# After a byte-order mark DuckDB overlooks a quote, and so ends the names at a break inside it.
_UNSEEN_QUOTE = re.compile(codecs.BOM_UTF8 + rb'"([^"\r\n]|"")*[\r\n]')


def in_utf8(source: Source, encoding: str, scratch: str) -> Source:
    """Copy a file of text into plain UTF-8, unless it is written so already.

    Parameters
    ----------
    source
        The file.
    encoding
        How it is said to be written; a byte-order mark says more.
    scratch
        A directory for the copy.

    Returns
    -------
    Source
        The file, or its copy.

    Raises
    ------
    ValueError
        When the bytes are not in that encoding.
    """
    encoding = source.marked or encoding
    if codecs.lookup(encoding).name in {"utf-8", "utf-8-sig"}:
        if not _UNSEEN_QUOTE.match(source.head):
            return source
        encoding = "utf-8-sig"
    with tempfile.NamedTemporaryFile(dir=scratch, delete=False) as copy:
        for part in _decoded(source, encoding):
            copy.write(part.encode("utf-8"))
    with Path(copy.name).open("rb") as file:
        return replace(source, path=copy.name, zipped=False, head=file.read(SAMPLE))


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
                    f"meaning there; give another --encoding"
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
            f"{source.label} is not utf-8 (byte {error.start}, line {line}); "
            f"say how it is written, for example with --encoding cp1252"
        ) from None
