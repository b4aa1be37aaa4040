"""How commands end: one clear line on stderr and a documented exit code, no traceback."""

from __future__ import annotations

import _thread
import errno
import os
import re
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import CodeType, FrameType

    from capcurve.show.presentation import Light

FAILED = 1  # gates that fail, red lights, claims that cannot be
UNUSABLE = 2  # wrong use or unusable input
# With which lights a command ends with code 1, by what is asked of it.
FAILING: Mapping[str, tuple[Light, ...]] = {"red": ("red",), "amber": ("red", "amber", "grey")}
REFUSALS = [os.strerror(each).lower() for each in (errno.ENOSPC, errno.EFBIG, errno.EIO)]
TRACEBACK = "CAPCURVE_TRACEBACK"
# Ctrl-C, `kill` and build servers that give up, a closed terminal (unknown on Windows).
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
BY_A_SIGNAL = 128  # a shell's exit code for a command that a signal ended, plus its number
# Seconds until a callback that swallowed a signal has returned.
SIGNAL_DELAY = 0.01
USUAL_HANDLERS = (signal.SIG_DFL, signal.default_int_handler)


def code_of(lights: Iterable[Light | None], fail_on: str = "red") -> int:
    """Return the exit code of a result with these lights."""
    return FAILED if any(light in FAILING[fail_on] for light in lights) else 0


class Failure(click.ClickException):
    """Something the user can act on, said in one line."""

    exit_code = UNUSABLE

    def __init__(self, message: str) -> None:
        from capcurve.numbers.arguments import reworded

        super().__init__(" ".join(reworded(message).split()))


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what goes wrong in a command into one line; click's own errors pass."""
    if os.environ.get(TRACEBACK):
        yield
        return
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except ImportError as error:
        raise Failure(_missing_module(error)) from None
    except MemoryError as error:
        said = str(error) or "the data does not fit into memory"
        raise Failure(f"{said}; --resolution 1e-4 needs less") from None
    except (ValueError, TypeError) as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(about_file(error)) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, a user gets one line
        found = f"unexpected {type(error).__name__}: {error} (set {TRACEBACK}=1 to see where)"
        raise Failure(reason_of(error) or found) from None


def _missing_module(error: ImportError) -> str:
    from capcurve.numbers.arguments import installing

    if not isinstance(error, ModuleNotFoundError) or "pip install" in str(error):
        return str(error)
    if (error.name or "").partition(".")[0] == "matplotlib":
        return f"pictures need matplotlib: {installing('plot')}"
    return f"the module {error.name} is not installed: {installing('all')}"


def about_file(error: OSError, path: object = None) -> str:
    """Return what is wrong with a file, under the name that the user knows it by."""
    if error.strerror is None:
        return str(error)
    name = error.filename if path is None else path
    return f"{name}: {error.strerror.lower()}" if name else error.strerror.lower()


def reason_of(error: BaseException | None) -> str | None:
    """Return why the system refused to write, where that is behind an error of a library."""
    # DuckDB raises an error of its own; matplotlib fails once more while it closes the file.
    while error is not None:
        said = str(error).lower()
        for reason in REFUSALS:
            if reason in said:
                return reason
        error = error.__context__
    return None


def on_screen(text: str) -> str:
    r"""Return text in one line without characters that would act on a terminal.

    >>> print(on_screen("two\nlines"), on_screen("\x1b[2J"), on_screen("caf\udce9.csv"))
    two lines \x1b[2J caf\xe9.csv
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    from capcurve.show.format import printable

    # Bytes of a file name that are not UTF-8 arrive as the lone surrogates U+DC80 to U+DCFF.
    return printable(re.sub("[\udc80-\udcff]", lambda b: f"\\x{ord(b[0]) - 0xDC00:02x}", line))


def say(line: str) -> None:
    """Write a last line on stderr; where that cannot be done the exit code must suffice."""
    try:
        click.echo(line, err=True)
    except OSError:
        close_quietly(sys.stderr)


def close_quietly(stream: TextIO | None) -> None:
    """Let nothing more be written to where nothing can be: a full disk, a pipe nobody reads."""
    if stream is None:
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):  # the stream is no file, as in tests
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def stoppable() -> Iterator[list[int]]:
    """Let signals end the command by KeyboardInterrupt, so that everything is cleaned up."""
    # Yields the signal that came, if any. One that the caller ignores, as `nohup` does, stays
    # ignored. While the command cleans up, further ones wait in vain. Where Python cannot raise, as
    # in callbacks of imports, it would print a traceback and go on: there, and where that is told,
    # the signal is raised again after.
    came: list[int] = []
    names = NAMES if threading.current_thread() is threading.main_thread() else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {each: signal.getsignal(each) for each in numbers}
    before = {each: usual for each, usual in before.items() if usual in USUAL_HANDLERS}

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if _runs(lost_one.__code__, frame):
            # No thread of `threading`, which this may have interrupted while it held its lock.
            _thread.start_new_thread(after, ())
            return
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    def after() -> None:
        time.sleep(SIGNAL_DELAY)
        if signal.getsignal(came[0]) is stop:
            _thread.interrupt_main(signal.Signals(came[0]))

    shown = sys.unraisablehook

    def lost_one(lost: sys.UnraisableHookArgs) -> None:
        if not (came and isinstance(lost.exc_value, KeyboardInterrupt)):
            shown(lost)
            return
        signal.signal(came[0], stop)
        _thread.start_new_thread(after, ())

    for each in before:
        signal.signal(each, stop)
    sys.unraisablehook = lost_one
    try:
        yield came
    finally:
        sys.unraisablehook = shown
        for each, usual in before.items():
            signal.signal(each, usual)


def _runs(code: CodeType, frame: FrameType | None) -> bool:
    """Whether a frame, or one that called it, is of some code."""
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def name_of_signal(number: int) -> str:
    """Return what ended the command, in one word or two.

    >>> name_of_signal(signal.SIGINT), name_of_signal(signal.SIGTERM)
    ('interrupted', 'stopped by SIGTERM')
    """
    return "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
