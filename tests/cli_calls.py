"""How the tests call the command: in this process, which is quick, and as a real one."""

from __future__ import annotations

import atexit
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import cache
from unittest import mock

import duckdb
import pytest
from click.testing import CliRunner

from capcurve import datasets
from capcurve.cli import main


@cache
def _engine(open_engine, config):
    return open_engine(":memory:", config=dict(config))


atexit.register(_engine.cache_clear)


@contextmanager
def one_engine():
    """Let all that reads files share one DuckDB: to start it takes longer than to read a file."""
    real = duckdb.connect

    def connect(database=":memory:", config=()):
        if database != ":memory:":
            return real(database, config=dict(config))
        connection = _engine(real, tuple(dict(config).items())).cursor()
        for name in ("memory_limit", "preserve_insertion_order", "threads"):
            connection.execute(f"RESET {name}")  # as it is for a DuckDB of one's own
        left = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL"
        for (name,) in connection.execute(left).fetchall():
            connection.execute(f"DETACH {name}")
        return connection

    with mock.patch.object(duckdb, "connect", connect):
        yield


def call(*words, data=None, env=None):
    """Run a command in this process; the result has exit_code, stdout and stderr."""
    with one_engine():
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


def ended(*words, **streams):
    """Run a command in this process on streams of its own, and return its exit code.

    What is unwritten when a process ends is written then, or its exit code is 120.
    """
    with one_engine(), mock.patch.multiple(sys, **streams):
        try:
            main([str(word) for word in words], prog_name="capcurve")
        except SystemExit as end:
            code = end.code
    try:
        for name in {"stdout", "stderr"} & {name for name in streams if streams[name]}:
            streams[name].flush()
    except OSError:
        code = 120
    return code


@contextmanager
def small_files(size):
    """Let no file grow larger than so many bytes, which fails where a full disk would."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A module that is imported meanwhile would be compiled into a file that ends too early.
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = compiles


def on_terminal(*words, stdout=True, env=None, columns=80, real=False):
    """Run a command with stderr, and stdout too if asked, on a terminal.

    Returns what came on the terminal and, without it, on stdout, with plain line ends. It runs in
    this process, or if asked in one of its own.
    """
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})}
    if not (env or {}).get("NO_COLOR"):
        environment.pop("NO_COLOR", None)
    shown = []
    reader = threading.Thread(target=lambda: shown.extend(_arriving(ours)))
    reader.start()
    try:
        run = _as_process if real else _here
        piped = run(words, theirs, environment, stdout)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    waited = rb"(\r[a-z ]+: \d+ s)+\r +\r"  # the line of slow work, which is removed again
    return re.sub(waited, b"", b"".join(shown).replace(b"\r\n", b"\n")), piped


def _as_process(words, terminal, environment, stdout):
    command = [sys.executable, "-m", "capcurve", *map(str, words)]
    out = terminal if stdout else subprocess.PIPE
    found = subprocess.run(
        command, stdout=out, stderr=terminal, env=environment, check=False, timeout=60
    )
    return found.stdout or b""


def _here(words, terminal, environment, stdout):
    piped = io.BytesIO()
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        open(os.dup(terminal), "w", encoding="utf-8") as err,  # noqa: PTH123 - a descriptor
        open(os.dup(terminal), "w", encoding="utf-8") as screen,  # noqa: PTH123 - as above
    ):
        out = screen if stdout else io.TextIOWrapper(piped, encoding="utf-8")
        ended(*words, stdout=out, stderr=err)
        return piped.getvalue()


def _arriving(terminal):
    """Read what is written to a terminal, until the last that writes to it closes it."""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # it is closed
            return
        if not part:
            return
        yield part


def with_examples(folder):
    """Write the files that the examples of help read into a folder, and return it."""
    for name in ("loans", "claims", "lgd", "applicants", "deciles", "followup", "judge"):
        shutil.copy(datasets.path(name), folder / f"{name}.csv")
    heading, *rows = (folder / "loans.csv").read_text("utf-8").splitlines()
    for name, part in (("before", rows[::2]), ("after", rows[1::2])):
        (folder / f"{name}.csv").write_text("\n".join([heading, *part]), "utf-8")
    cases = [f"{int(n % 3 == 0 or n % 7 == 0)},{n % 2},{n % 11}" for n in range(400)]
    trial = ["bought,mailed,propensity", "1,1,0", *cases]
    (folder / "trial.csv").write_text("\n".join(trial), "utf-8")
    return folder
