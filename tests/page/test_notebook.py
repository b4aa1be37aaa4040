"""Files are read in a real Jupyter kernel, which has no ipywidgets."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.needs("ipykernel")


@pytest.fixture(scope="session")
def kernel():
    """Start one kernel; what is called with code returns what that printed."""
    from jupyter_client.manager import KernelManager

    manager = KernelManager()
    launched = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.kernel_spec.argv = launched
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def run(code):
        said = []
        reply = client.execute_interactive(code, timeout=120, output_hook=said.append)
        contents = [message["content"] for message in said]
        assert reply["content"]["status"] == "ok", reply["content"].get("evalue")
        assert not [c for c in contents if c.get("name") == "stderr"]
        return "".join(c["text"] for c in contents if c.get("name") == "stdout")

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_a_file_is_read(kernel, tmp_path, name):
    import duckdb

    kind = {"csv": "csv", "parquet": "parquet", "jsonl": "json"}[name.partition(".")[2]]
    path = tmp_path / name
    with duckdb.connect() as connection:
        rows = connection.sql("SELECT range % 2 AS y, range % 5 AS score FROM range(10)")
        rows.create_view("rows")
        connection.execute(f"COPY rows TO '{path}' (FORMAT {kind})")
    code = f"""
        import importlib.util
        assert importlib.util.find_spec("ipywidgets") is None
        import capcurve
        counts = capcurve.count_scores("y", "score", data={str(path)!r})
        print(counts.n, int(counts.n1))
    """
    assert kernel("\n".join(line[8:] for line in code.splitlines())) == "10 5\n"
