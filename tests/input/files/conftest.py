"""Real files to read, and a check that reading leaves nothing behind."""

from __future__ import annotations

import io
import sys
import tempfile

import duckdb
import pytest

from cli_calls import one_engine


@pytest.fixture(autouse=True)
def engine():
    """Start DuckDB once for most of these tests."""
    with one_engine():
        yield


@pytest.fixture(autouse=True)
def _leave_nothing(tmp_path, monkeypatch, capfd):
    """Every test: nothing printed, no temporary file left, nothing written to the directory."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.chdir(tmp_path)
    yield
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / ".tmp").exists()
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    return write


@pytest.fixture
def stored(tmp_path):
    def stored(name, select):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = "parquet" if name.endswith(("parquet", "pq")) else "json"
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({select}) TO '{path}' (FORMAT {kind})")
        return str(path)

    return stored


@pytest.fixture
def stdin(monkeypatch):
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
