"""How commands fail: one clear line on stderr and a documented exit code, no traceback."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

UNUSABLE = 2  # wrong use or unusable input; 1 is kept for gates that fail
INTERRUPTED = 130
TRACEBACK = "CAPCURVE_TRACEBACK"
_KEYWORDS = "pos_label|higher_is|levels|missing|resolution|weight_kind|weight|prevalence|score"
_KEYWORDS += "|target|by|bins|value|cost|memory_limit|min_cell|cluster|alternative|margin|level"
_PASSED = re.compile(rf"\b({_KEYWORDS})=(\"[^\"]*\"|'[^']*'|\[[^\]]*\]|[^\s,;:)]+)?")
_OPENING = re.compile(rf"^({_KEYWORDS}|tolerance)(?= must )")
_CHOICES = re.compile(r"(--[a-z-]+ [a-z]+), \"([a-z]+)\" or \"([a-z]+)\"")


class Failure(click.ClickException):
    """Something the user can act on, said in one line."""

    exit_code = UNUSABLE

    def __init__(self, message: str) -> None:
        super().__init__(in_flags(message))


def in_flags(message: str) -> str:
    """Return a message of the library in the words of the command line.

    Examples
    --------
    >>> in_flags('if so by design, pass higher_is="negative"; never flipped')
    'if so by design, pass --higher-is negative; never flipped'
    >>> in_flags("say which one is the positive class with pos_label='bad'")
    'say which one is the positive class with --pos-label bad'
    >>> in_flags("pass levels=[...] naming the grades most-likely-positive first")
    'pass --levels naming the grades most-likely-positive first'
    """
    one_line = " ".join(message.split())
    opened = _OPENING.sub(lambda found: "--" + found[1].replace("_", "-"), one_line)
    flagged = _PASSED.sub(_as_flag, opened).replace("reverse `levels`", "reverse --levels")
    return _CHOICES.sub(r"\1, \2 or \3", flagged)


def _as_flag(found: re.Match[str]) -> str:
    flag, value = "--" + found[1].replace("_", "-"), found[2] or ""
    if value == "[...]":
        return flag
    if value.startswith("["):
        value = ",".join(re.findall(r"'([^']*)'", value)) or value[1:-1]
    word = value[1:-1] if value[:1] in ("'", '"') else value
    return f"{flag} {shlex.quote(word)}" if word else flag


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
    except ModuleNotFoundError as error:
        raise Failure(_missing_module(error)) from None
    except MemoryError as error:
        said = str(error) or "the data does not fit into memory"
        raise Failure(f"{said}; --resolution 1e-4 needs less") from None
    except (ValueError, TypeError) as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(_about_file(error)) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, a user gets one line
        raise Failure(
            f"unexpected {type(error).__name__}: {error} (set {TRACEBACK}=1 to see where)"
        ) from None


def _missing_module(error: ModuleNotFoundError) -> str:
    if (error.name or "").partition(".")[0] == "matplotlib":
        return "pictures need matplotlib; install it with: pip install 'capcurve[plot]'"
    return f"the module {error.name} is not installed; install capcurve[all]"


def _about_file(error: OSError) -> str:
    if error.strerror is None:
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror.lower()}"


def close_quietly() -> None:
    """Let nothing more be written to a pipe that nobody reads any longer."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # standard output is no file, as in tests
    finally:
        os.close(nowhere)
