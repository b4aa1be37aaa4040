"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def write_aside(target: Path, write: Callable[[Path], None]) -> None:
    """Write a file beside its place and rename it, so that a half-written one is never seen."""
    target = Path(os.path.realpath(target))  # a link stays a link to what is written
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder; name a file in it")
        write(target)  # a device or a pipe cannot be renamed over
        return
    folder = target.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder} to write {target.name} into")
    handle, name = tempfile.mkstemp(
        suffix=target.suffix, prefix=f".{target.stem[:40]}-", dir=folder
    )
    os.close(handle)
    aside = Path(name)
    try:
        write(aside)
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
