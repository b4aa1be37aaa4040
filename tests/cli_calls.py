"""How the tests call the command: in this process, and as a real one."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

from click.testing import CliRunner

from capcurve.cli import main


def call(*words, data=None, env=None):
    """Run a command in this process; the result has exit_code, stdout and stderr."""
    result = CliRunner().invoke(
        main, [str(word) for word in words], data, env, prog_name="capcurve"
    )
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr
    return result


def done(*words, **options):
    result = call(*words, **options)
    assert result.exit_code == 0, result.stderr
    return result


def refused(*words, **options):
    """Run a command that must be refused in one line, and return that line."""
    result = call(*words, **options)
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0].startswith("capcurve: error: ")
    assert len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("Try 'capcurve"))
    return lines[0].removeprefix("capcurve: error: ")


def process(*words, **options):
    """Run the real command in a process of its own; a word may be bytes."""
    said = [word if isinstance(word, bytes) else str(word) for word in words]
    command = [sys.executable, "-m", "capcurve", *said]
    return subprocess.run(command, capture_output=True, check=False, timeout=60, **options)


def on_terminal(*words, stdout=True, env=None, columns=80):
    """Run the real command with stderr, and stdout too if asked, on a terminal.

    Returns what came on the terminal and, without it, on stdout, with plain line ends.
    """
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})}
    if not (env or {}).get("NO_COLOR"):
        environment.pop("NO_COLOR", None)
    running = subprocess.Popen(
        [sys.executable, "-m", "capcurve", *map(str, words)],
        stdout=theirs if stdout else subprocess.PIPE,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    piped = b"" if stdout else running.stdout.read()
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    if running.stdout is not None:
        running.stdout.close()
    running.wait(timeout=60)
    waited = rb"(\r[a-z ]+: \d+ s)+\r +\r"  # the line of slow work, which is removed again
    return re.sub(waited, b"", shown.replace(b"\r\n", b"\n")), piped
