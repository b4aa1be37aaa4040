"""Being stopped from outside: the command ends in order, and its temporary files go."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

# Ctrl-C, `kill` and build servers that give up, a closed terminal (unknown on Windows).
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
BY_A_SIGNAL = 128  # a shell's exit code for a command that a signal ended, plus its number
USUAL = (signal.SIG_DFL, signal.default_int_handler)


@contextmanager
def stoppable() -> Iterator[list[int]]:
    """Let signals end the command by KeyboardInterrupt, so that everything is cleaned up.

    Yields the signal that came, if any. One that the caller ignores, as `nohup` does, stays
    ignored. While the command cleans up, further ones wait in vain.
    """
    came: list[int] = []
    before: dict[int, Any] = {}

    def stop(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        before = {each: signal.getsignal(each) for each in numbers}
        before = {each: usual for each, usual in before.items() if usual in USUAL}
    for each in before:
        signal.signal(each, stop)
    try:
        yield came
    finally:
        for each, usual in before.items():
            signal.signal(each, usual)


def said_of(number: int) -> str:
    """Return what ended the command, in one word or two.

    Examples
    --------
    >>> said_of(signal.SIGINT), said_of(signal.SIGTERM)
    ('interrupted', 'stopped by SIGTERM')
    """
    return "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
