"""How commands end: one clear line on stderr and a documented exit code, no traceback."""

from __future__ import annotations

import _thread
import errno
import os
import re
import shlex
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

FAILED = 1  # gates that fail, red lights, claims that cannot be
UNUSABLE = 2  # wrong use or unusable input
REFUSALS = [os.strerror(each).lower() for each in (errno.ENOSPC, errno.EFBIG, errno.EIO)]
TRACEBACK = "CAPCURVE_TRACEBACK"
_KEYWORDS = "pos_label|higher_is|levels|missing|resolution|weight_kind|weight|prevalence|score"
_KEYWORDS += "|target|by|bins|value|cost|memory_limit|min_cell|cluster|alternative|margin|level"
_KEYWORDS += "|dialect|table|where|neg_label|amount|exposure|given|initial|classes|closed|least"
_KEYWORDS += (
    "|drop_label|treated_label|control_label|positives|cases|decimals|rounding|order|assume"
)
_KEYWORDS += "|pd|calibration|unknown_label|odds|ordered|pooled|minimum|metric"
_KEYWORDS += "|delimiter|decimal|encoding|null_values|skip_lines|comment|sheet"
_KEYWORDS += "|alpha|max_q|coverage|captured|errors|max_risk"
_KEYWORDS += "|drop|alarms|horizon|limit|seed|period|event_label|censored_label|stratum"
_KEYWORDS += "|competing_labels|competing"
_KEYWORDS += "|min_share|max_share|min_positives|distinct|rounded|fixed|splits"
_FILES = re.compile(r"Files\.of\(path, (\w+=(?:'[^']*'|\d+))\)")
_REST = re.compile(r"\brest=\"negative\"")
_FLAG = re.compile(r"\b(absolute|all_segments|falling|ordered|pooled)=True\b")
# As Python writes text: in other quotes than it holds, or with some behind a backslash.
_TEXT = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
# What is copied from a message has no comma between the labels.
_PASSED = re.compile(
    rf"\b({_KEYWORDS})=(?:({_TEXT}|\[(?:{_TEXT}|[^\]'\"])*\]|[^\s,;:)]+)"
    r"(?:,(?= \w+_labels?=| --rest-negative))?)?"
)
# What the columns of a printed table hold, by their headings.
_NAMED = re.compile(rf"\bcolumns=\{{({_TEXT}): ({_TEXT})\}}")
_OPENING = re.compile(rf"^({_KEYWORDS}|tolerance)(?= must (?!have two classes))")
# Keywords that take a list, whose flags are given once for each item.
REPEATED = ("pos_label", "neg_label", "drop_label", "treated_label", "control_label")
# What only Python has, in the words of a terminal.
WORDS = {
    "name what to compare with: reference=": "name what to compare with: BEFORE or --from",
    "--null-values": "--na",
    " for a file, or None in a column": "",
    " (null or NaN)": "",
    " most-likely-positive first": ", most likely positive first",
    "is higher_is right": "is --higher-is right",
    ", or pass --levels 'master_scale(...') if these are cuts of a score": "",
    "attribute_change": "capcurve change",
    "pd has no PD for": "--grade-pd has no PD for",
    "pd has a PD for": "--grade-pd has a PD for",
    "; count without --resolution, or pass a PD per score": "; count without --resolution",
    "pass --period month": "pass --by-period month",
    "--period is for dates": "--by-period is for dates",
    "; leave out --period": "; leave out --by-period",
    "gains_table": "capcurve gains",
    "unknown_bounds(times.known_at(horizon))": "capcurve bounds --time",
    "unknown_bounds": "capcurve bounds",
}
_CALLED = re.compile(r"\b(capcurve \w+)\(\w+, ([^)]*)\)")
_CHOICES = re.compile(r"(--[a-z-]+ [a-z]+), \"([a-z]+)\" or \"([a-z]+)\"")
# Ctrl-C, `kill` and build servers that give up, a closed terminal (unknown on Windows).
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
BY_A_SIGNAL = 128  # a shell's exit code for a command that a signal ended, plus its number
# Seconds until a callback that swallowed a signal has returned.
AFTER = 0.01
USUAL = (signal.SIG_DFL, signal.default_int_handler)


class Failure(click.ClickException):
    """Something the user can act on, said in one line."""

    exit_code = UNUSABLE

    def __init__(self, message: str) -> None:
        super().__init__(in_flags(message))


def in_flags(message: str) -> str:
    """Return a message of the library in the words of the command line.

    >>> in_flags('if so by design, pass higher_is="negative"; never flipped')
    'if so by design, pass --higher-is negative; never flipped'
    >>> in_flags("the positive class with pos_label='Charged Off' or pos_label='Fully Paid'")
    "the positive class with --pos-label 'Charged Off' or --pos-label 'Fully Paid'"
    >>> in_flags("pass event_label=2, censored_label=1; or levels=['x y', 'z']")
    "pass --event-label 2 --censored-label 1; or --levels 'x y,z'"
    >>> in_flags('pos_label=["bad", "x y"], rest="negative", or neg_label=[2, 3]')
    "--pos-label bad --pos-label 'x y' --rest-negative, or --neg-label 2 --neg-label 3"
    >>> in_flags("say what it is, as columns={'% bads': 'rate'}")
    "say what it is, as --column '% bads=rate'"
    >>> in_flags("pass levels=[...] naming the grades most-likely-positive first")
    'pass --levels naming the grades, most likely positive first'
    >>> in_flags("pd is missing (null or NaN) in 2 of 9 rows; of cases, gains_table makes a table")
    'pd is missing in 2 of 9 rows; of cases, capcurve gains makes a table'
    """
    one_line = " ".join(message.split())
    one_line = _FILES.sub(r"\1", one_line)
    one_line = _NAMED.sub(_as_column, one_line)
    one_line = _REST.sub("--rest-negative", one_line)
    one_line = _FLAG.sub(lambda found: "--" + found[1].replace("_", "-"), one_line)
    opened = _OPENING.sub(lambda found: "--" + found[1].replace("_", "-"), one_line)
    flagged = _PASSED.sub(_as_flag, opened).replace("reverse `levels`", "reverse --levels")
    flagged = flagged.replace(", an ordered categorical, or numbers", ", or a column of numbers")
    for word, said in WORDS.items():
        flagged = flagged.replace(word, said)
    flagged = _CALLED.sub(r"\1 \2", flagged)
    return _CHOICES.sub(r"\1, \2 or \3", flagged)


def _as_flag(found: re.Match[str]) -> str:
    flag, value = "--" + found[1].replace("_", "-"), found[2] or ""
    if value == "[...]":
        return flag
    if value.startswith("["):
        if found[1] in REPEATED:
            words = re.findall(rf"{_TEXT}|[^\s,\[\]]+", value)
            return " ".join(f"{flag} {shlex.quote(_unquoted(word))}" for word in words)
        texts = ",".join(_in_list(_unquoted(text)) for text in re.findall(_TEXT, value))
        word = texts or value[1:-1].replace(", ", ",")
    else:
        word = _unquoted(value)
    return f"{flag} {shlex.quote(word)}" if word else flag


def _as_column(found: re.Match[str]) -> str:
    return f"--column {shlex.quote(f'{_unquoted(found[1])}={_unquoted(found[2])}')}"


def _unquoted(value: str) -> str:
    """Return text without the quotes that Python writes around it."""
    if value[:1] not in ("'", '"'):
        return value
    return re.sub(r"\\(['\"\\])", r"\1", value[1:-1])


def _in_list(word: str) -> str:
    """Return a word as a list with commas takes it."""
    plain = word == word.strip() and "," not in word and not word.startswith('"')
    return word if plain else '"{}"'.format(word.replace('"', '""'))


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
    if not isinstance(error, ModuleNotFoundError) or "pip install" in str(error):
        return str(error)
    if (error.name or "").partition(".")[0] == "matplotlib":
        return 'pictures need matplotlib: pip install "capcurve[plot]", in a clone ".[plot]"'
    return f"the module {error.name} is not installed; install capcurve[all]"


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
    before = {each: usual for each, usual in before.items() if usual in USUAL}

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
        time.sleep(AFTER)
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


def said_of(number: int) -> str:
    """Return what ended the command, in one word or two.

    >>> said_of(signal.SIGINT), said_of(signal.SIGTERM)
    ('interrupted', 'stopped by SIGTERM')
    """
    return "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
