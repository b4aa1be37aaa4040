"""A moving bar on stderr for work over a second, on a terminal only."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 1.0


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show that work goes on, and for how long it has, once it takes over a second."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    shown: list[Any] = []
    lock = threading.Lock()
    timer = threading.Timer(PATIENCE, _show, (what, shown, lock))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            finished = shown[:]
            shown[:] = [None]  # tells a timer that only now wakes up that it is too late
        for bar in finished:
            bar.stop()


def _show(what: str, shown: list[Any], lock: threading.Lock) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with lock:
        if shown:
            return
        bar.add_task(what, total=None)
        bar.start()
        shown.append(bar)
