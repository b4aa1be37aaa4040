"""Commands on a csv file where DuckDB is missing: the same pages and proposals, or one line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from capcurve import datasets
from cli_calls import call

CODE = "import sys; {}from capcurve.__main__ import main; main()"
BLOCKED = 'sys.modules["duckdb"] = None; '
LOANS = datasets.path("loans")


def run(*words, blocked=True):
    code = CODE.format(BLOCKED if blocked else "")
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done


def test_a_summary_has_the_same_numbers():
    words = ("summary", LOANS, "-t", "y", "-s", "int_rate", "-f", "json")
    one, other = run(*words), run(*words, blocked=False)
    assert one.returncode == other.returncode == 0, one.stderr
    assert json.loads(one.stdout) == json.loads(other.stdout)


@pytest.mark.merge
def test_a_report_is_written(tmp_path):
    done = run("report", LOANS, "-t", "y", "-s", "int_rate", "-o", tmp_path / "a.html")
    assert done.returncode == 0, done.stderr
    again = run(
        "report", LOANS, "-t", "y", "-s", "int_rate", "-o", tmp_path / "b.html", blocked=False
    )
    assert again.returncode == 0
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


@pytest.mark.parametrize("words", [("summary", LOANS), ("summary", LOANS, "-s", "int_*")])
def test_the_columns_are_proposed_as_with_duckdb(words):
    one, other = run(*words), call(*words)
    assert (one.returncode, one.stdout, one.stderr) == (2, "", other.stderr)
    assert "int_rate" in one.stderr


def test_what_only_duckdb_reads_is_one_line(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and so on")
    done = run("summary", path, "-t", "y", "-s", "s")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"capcurve: error: {path} is a parquet file, and such files are read by DuckDB, which is "
        "not installed: pip install duckdb, or pass arrays or a data frame\n"
    )
