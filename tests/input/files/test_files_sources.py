"""Paths, globs, standard input and pipes become single files of a known kind."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from files_reading import ROWS, fails, listed, read

from capcurve import ScoreCounts, write_counts
from capcurve.input.files import Files, read_cells

WITHOUT_DUCKDB = """
import sys
sys.modules["duckdb"] = None
import capcurve as cap
print(cap.accuracy_ratio(cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1])))
print(len(cap.evaluate([1, 0, 1, 0], {"s": [4, 3, 2, 1]}).to_html()) > 100_000)
try:
    cap.count_scores("y", "s", data=sys.argv[1])
except ModuleNotFoundError as error:
    print(error, error.name)
from capcurve.cli import main
main(["summary", sys.argv[1], "--target", "y", "--score", "s"])
"""


@pytest.mark.merge
def test_only_files_need_duckdb_and_one_line_says_so(stored):
    # Who repacks capcurve may leave it out: not every system has it.
    path = stored("a.parquet", "SELECT 1 AS y, 2 AS s UNION ALL SELECT 0, 1")
    command = [sys.executable, "-c", WITHOUT_DUCKDB, path]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    wanted = f"{path} is a parquet file, and such files are read by DuckDB, which is not "
    wanted += "installed: pip install duckdb, or pass arrays or a data frame"
    assert found.stdout.splitlines() == ["0.5", "True", f"{wanted} duckdb"]
    assert (found.returncode, found.stderr) == (2, f"capcurve: error: {wanted}\n")


@pytest.mark.parametrize(
    "name", ["a.csv", "a.CSV", "a.txt", "a.dat", "noext", "a b.csv", "ü'a.csv"]
)
def test_csv_is_read_whatever_its_name(write, name):
    default, pd = read(write(name, ROWS), "default", "pd")
    assert default.values.dtype == np.int64
    assert listed(default) == [0, 1]
    assert pd.values.dtype == np.float64
    assert listed(pd) == [0.1, 0.75]


@pytest.mark.parametrize("name", ["a.csv.gz", "a.CSV.GZ", "a.csv", "-"])
def test_gzip_is_seen_by_its_content(write, name, monkeypatch):
    data = gzip.compress(ROWS.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert listed(read("-" if name == "-" else write(name, data), "pd")) == [0.1, 0.75]


def test_gzip_of_several_members(write):
    data = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
    assert listed(read(write("a.csv.gz", data), "b")) == [2, 4]


@pytest.mark.parametrize("name", ["a.tsv", "a.TSV.gz", "a.tab"])
def test_tsv(write, name):
    data = b"a\tb,c\n1\t2,5\n3\t4,0\n"
    path = write(name, gzip.compress(data) if name.endswith("gz") else data)
    assert listed(read(path, "b,c")) == [2.5, 4.0]


@pytest.mark.parametrize("name", ["a.parquet", "a.PARQUET", "a.pq", "a.bin", "a.csv"])
def test_parquet_is_seen_by_its_content(stored, name, tmp_path):
    made = Path(stored("made.parquet", "SELECT 7 AS x"))
    path = made.rename(tmp_path / name)
    assert listed(read(path, "x")) == [7]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson", "a.JSONL.gz", "a.other"])
def test_json_lines(write, name):
    data = b'{"x": 1, "y": 0.5}\n{"x": 2}\n\n{"y": null, "x": 3}\n'
    x, y = read(write(name, gzip.compress(data) if name.endswith("gz") else data), "x", "y")
    assert listed(x) == [1, 2, 3]
    assert listed(y) == [0.5, None, None]


def test_json_that_is_one_list(write):
    path = write("a.json", '[\n {"x": 1,\n "y": "a"},\n {"x": 2, "y": "b"} ]\n')
    assert listed(read(path, "y")) == ["a", "b"]


def test_a_path_object_and_a_list_of_paths(write):
    one, two = write("1.csv", ROWS), write("2.csv", "pd,default\n0.5,1\n")
    assert Files.of(Path(one)).paths == (one,)
    default, pd = read([Path(one), two], "default", "pd")
    assert listed(default) == [0, 1, 1]
    assert listed(pd) == [0.1, 0.75, 0.5]


def test_globs_are_sorted(write, tmp_path):
    for i in (3, 1, 2):
        write(f"part{i}.csv", f"x,y\n{i},0\n")
    write("deep/down/part4.csv", "x,y\n4,0\n")
    assert listed(read(str(tmp_path / "part*.csv"), "x")) == [1, 2, 3]
    assert listed(read(str(tmp_path / "**" / "*.csv"), "x")) == [4, 1, 2, 3]


@pytest.mark.parametrize("name", ["st*r.csv", "br[1].csv", "wh?.csv", "st*r.parquet", "br[1].json"])
def test_a_file_whose_name_looks_like_a_glob_is_one_file(write, stored, name):
    for other in ("star", "br1", "who"):
        write(f"{other}.csv", "x,y\n9,9\n")
        stored(f"{other}.parquet", "SELECT 9 AS x")
        write(f"{other}.json", '{"x": 9}')
    if name.endswith("csv"):
        path = write(name, "x,y\n1,2\n")
    else:
        made = Path(
            stored("made.parquet" if name.endswith("parquet") else "made.json", "SELECT 1 AS x")
        )
        path = made.rename(made.with_name(name))
    assert listed(read(path, "x")) == [1]


def test_a_home_directory(write, monkeypatch, tmp_path):
    write("a.csv", ROWS)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert listed(read("~/a.csv", "default")) == [0, 1]


def test_no_file(tmp_path):
    fails(str(tmp_path / "no.csv"), "x", match=r"no\.csv: no such file", error=FileNotFoundError)
    fails(str(tmp_path / "*.csv"), "x", match=r"no file matches .*\*\.csv", error=FileNotFoundError)
    with pytest.raises(ValueError, match="no file is named"):
        Files.of([])


def test_a_directory(tmp_path):
    fails(tmp_path, "x", match="is a directory with no files", error=IsADirectoryError)
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".a.csv.crc").touch()
    assert listed(read(tmp_path, "x")) == [1]
    (tmp_path / "b.parquet").touch()
    told = fails(tmp_path, "x", match="with files of several kinds", error=IsADirectoryError)
    assert told.endswith(f"name those to read, such as '{tmp_path}/**/*.parquet'")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_no_permission(write):
    path = Path(write("a.csv", ROWS))
    path.chmod(0)
    fails(path, "pd", match=r"a\.csv: permission denied", error=PermissionError)


def test_a_refused_permission_is_one_line(write, monkeypatch):
    path = write("a.csv", ROWS)

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(Path, "open", refuse)
    fails(path, "pd", match=r"a\.csv: permission denied$", error=PermissionError)


def test_the_same_file_twice_is_refused(write, tmp_path):
    path = write("a.csv", ROWS)
    fails([path, str(tmp_path / "*.csv")], "pd", match="named more than once")
    with pytest.raises(ValueError, match="'-' is named more than once"):
        Files.of(["-", "-"])


def test_a_broken_link(tmp_path):
    (tmp_path / "a.csv").symlink_to("nowhere.csv")
    fails(tmp_path / "a.csv", "x", match="no such file", error=FileNotFoundError)


def test_stdin_csv_json_and_parquet(stdin, stored):
    stdin(ROWS.encode())
    assert listed(read("-", "pd")) == [0.1, 0.75]
    stdin(b'\n {"x": 5}\n')
    assert listed(read("-", "x")) == [5]
    stdin(b'[{"x": 6}]')
    assert listed(read("-", "x")) == [6]
    stdin(Path(stored("a.parquet", "SELECT 8 AS x")).read_bytes())
    assert listed(read("-", "x")) == [8]


def test_stdin_beside_files(stdin, write):
    stdin(b"pd,other\n0.9,1\n")
    assert listed(read([write("a.csv", ROWS), "-"], "pd")) == [0.1, 0.75, 0.9]


def test_stdin_that_fails_leaves_nothing(stdin, monkeypatch):
    stdin(b"")
    fails("-", "x", match="standard input is empty")
    stdin(b"PAR1 but no more")
    fails("-", "x", match="standard input is not a whole file")
    stdin(b"x,y\n1\n")
    fails("-", "x", match="standard input, line 2: 1 field where the first line names 2")
    monkeypatch.setattr(sys, "stdin", None)
    fails("-", "x", match="standard input: there is nothing to read", error=OSError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_named_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(ROWS.encode(),))
    writer.start()
    assert listed(read(pipe, "pd")) == [0.1, 0.75]
    writer.join()


@pytest.mark.parametrize("folder", ["~", "file:", "s3:", "a[1]"])
def test_a_path_is_one_file_for_every_reader(folder):
    path = Path(folder, "x.csv")  # below the working directory, which is the test's own
    path.parent.mkdir(parents=True)
    path.write_text("y,s\n1,2\n", encoding="utf-8")
    assert listed(read(str(path), "s")) == [2]
    counts = ScoreCounts.from_counts([3, 2], [4, 1], [1, 9])
    write_counts(counts, path.with_suffix(".parquet"))
    assert path.with_suffix(".parquet").is_file()
    assert read_cells(Files.of(path.with_suffix(".parquet"))) == counts
