"""A line on stderr that counts the seconds of work over a second, on a terminal only."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 1.0


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that work goes on, and for how long it has, once it takes over a second."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    clock = threading.Thread(target=_show, args=(what, sys.stderr, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


def _show(what: str, screen: TextIO, done: threading.Event) -> None:
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
