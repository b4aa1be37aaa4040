"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def write_whole(target: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and rename it, so that a half-written one is never seen."""
    # A file that was there hands on who may read it; a new one is as readable as any.
    named, target = target, Path(os.path.realpath(target))  # a link stays a link to what is written
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(named))
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder; name a file in it")
        write(target)  # a device or a pipe cannot be renamed over
        return
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder} to write {target.name} into")
    prefix = f".{target.stem[:40]}-"
    handle, name = tempfile.mkstemp(suffix=target.suffix, prefix=prefix, dir=folder)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        temporary.chmod(_mode_for(target))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _mode_for(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    if sys.platform == "emscripten":
        return 0o644  # its umask is 0o777, which no file there obeys
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
