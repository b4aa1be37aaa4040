"""Files out of .zip and .zst, in the folder for temporary files."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.input.columns import quoted_names

if TYPE_CHECKING:
    from collections.abc import Callable

ZIP, ZST = b"PK\3\4", b"\x28\xb5\x2f\xfd"
# What is at the top of a spreadsheet, which is a zip too: Excel's, and LibreOffice's.
_OF_SPREADSHEETS = {"[Content_Types].xml", "mimetype"}


def unpacked(path: str, label: str, scratch: str) -> tuple[str, str, str]:
    """Return where the unpacked bytes of a file are, what to call it, and what they came out of."""
    packed = ""
    if _begins(path, ZIP) and not _is_spreadsheet(path, label):
        path, inside = _out_of_zip(path, label, scratch)
        label, packed = f"{label}/{inside}", ""
        if _begins(path, ZIP) and not _is_spreadsheet(path, label):
            raise ValueError(f"{label} is a zip inside a zip; unpack the outer one first")
    if _begins(path, ZST):
        path, packed = _out_of_zst(path, label, scratch), "zst"
    return path, label, packed


def _begins(path: str, sign: bytes) -> bool:
    with Path(path).open("rb") as file:
        return file.read(len(sign)) == sign


def _is_spreadsheet(path: str, label: str) -> bool:
    """Whether a zip is a workbook, or one that is damaged, of which only the name remains."""
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        return not _OF_SPREADSHEETS.isdisjoint(archive.namelist())
    return not label.lower().endswith(".zip")


def _out_of_zip(path: str, label: str, scratch: str) -> tuple[str, str]:
    """Unpack the one file of a zip; return where it is, and its name."""
    try:
        with zipfile.ZipFile(path) as archive:
            files = [each for each in archive.infolist() if not each.is_dir()]
            of_macos = ("__MACOSX/", ".DS_Store")
            found = [each for each in files if not each.filename.startswith(of_macos)]
            if len(found) != 1:
                named = f": {quoted_names([each.filename for each in found])}" if found else ""
                raise ValueError(
                    f"{label} has {len(found)} files{named}; a zip must have one, so unpack it "
                    "and name the files to read"
                )
            if found[0].flag_bits & 1:
                raise ValueError(f"{label} needs a password; unpack it first")
            with archive.open(found[0]) as inside:
                return _copied(inside, scratch), found[0].filename
    except (zipfile.BadZipFile, EOFError, zlib.error):
        raise ValueError(f"{label} is damaged or cut short; copy it again") from None
    except NotImplementedError:
        raise ValueError(f"{label} is packed in a way that Python cannot read; unpack it") from None


def _out_of_zst(path: str, label: str, scratch: str) -> str:
    """Unpack a file that zstd packed; return where it is."""
    opened, damage = _zst_reader()
    try:
        with opened(path) as inside:
            return _copied(inside, scratch)
    except damage:
        raise ValueError(
            f"{label} is damaged or cut short: its zstd stream does not end as it should; copy it "
            "again"
        ) from None


def _zst_reader() -> tuple[Callable[[str], Any], tuple[type[Exception], ...]]:
    """Return what opens .zst files, and what it raises of a damaged one."""
    for module in ("compression.zstd", "backports.zstd"):
        with suppress(ModuleNotFoundError):
            zstd = import_module(module)
            return zstd.open, (EOFError, zstd.ZstdError)
    with suppress(ModuleNotFoundError):
        arrow = import_module("pyarrow")
        return lambda path: arrow.input_stream(path, compression="zstd"), (OSError, ValueError)
    raise ModuleNotFoundError(
        "to read .zst files before Python 3.14: pip install backports.zstd, or pyarrow",
        name="backports.zstd",
    )


def _copied(inside: Any, scratch: str) -> str:
    with tempfile.NamedTemporaryFile(dir=scratch, delete=False) as copy:
        shutil.copyfileobj(inside, copy, 1 << 20)
    return copy.name
