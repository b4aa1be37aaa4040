"""At the edges: empty files, segments without a class, huge numbers, closed and odd outputs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import duckdb
import numpy as np
import pytest

from capcurve.cli.naming import label_in, labels_of
from capcurve.columns import Column
from cli_calls import done, process, refused

PAIR = ("-t", "y", "-s", "s")
BY = (*PAIR, "--by", "g")
SEGMENTS = "y,s,g\n1,0.9,a\n0,0.4,a\n1,0.5,b\n0,0.1,b\n0,0.3,c\n0,0.2,c\n"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(SEGMENTS)
    (tmp_path / "heads.csv").write_text("y,s,g\n")
    (tmp_path / "pure.csv").write_text("y,s,g\n1,0.9,a\n1,0.4,a\n0,0.5,b\n0,0.1,b\n")
    (tmp_path / "const.csv").write_text("y,s\n1,5\n0,5\n1,5\n")
    with duckdb.connect() as connection:
        connection.execute("COPY (FROM 'rows.csv') TO 'rows.parquet' (FORMAT parquet)")


# Cut points


def test_whole_cut_points_keep_every_digit(tmp_path):
    (tmp_path / "huge.csv").write_text(f"y,s\n1,{2**53}\n0,{2**53 + 1}\n1,{2**63 - 1}\n")
    found = done("gains", "huge.csv", *PAIR, "--bins", f"{2**53 + 1},5", "--format", "csv").stdout
    assert [line.split(",")[3] for line in found.splitlines()[1:]] == ["2", "1", "0"]


@pytest.mark.parametrize("bins", ["", ",", "0.1,,0.2", "0.1,", "²", "+-3", "1e400", "few"])
def test_bins_that_say_nothing_are_refused(bins):
    line = refused("gains", "rows.csv", *PAIR, "--bins", bins)
    assert line.startswith("--bins must be a number of bins, score, or scores such as 0.1,0.2")


# Segments


@pytest.mark.parametrize("words", [
    ("summary",), ("summary", "--format", "csv"), ("gains",), ("gains", "--format", "json"),
    ("curve",), ("thresholds",), ("steps",), ("counts", "-o", "c.csv"), ("plot", "-o", "c.png"),
    ("report", "-o", "c.html"),
])  # fmt: skip
def test_no_rows_have_no_segments(tmp_path, words):
    command, *options = words
    assert "no rows in heads.csv" in refused(command, "heads.csv", *BY, *options)
    assert not list(tmp_path.glob("c.*"))


def test_counts_without_rows_have_no_segments(tmp_path):
    (tmp_path / "own.csv").write_text("segment,score,positives,negatives\n")
    assert "no rows in own.csv" in refused("gains", "own.csv", "--counts")


@pytest.mark.parametrize("words", [
    ("gains",), ("curve", "--kind", "roc"), ("curve", "--format", "json"), ("thresholds",),
])  # fmt: skip
def test_a_segment_without_a_class_is_left_out_and_named(words):
    result = done(words[0], "rows.csv", *BY, *words[1:])
    assert "note: segment c is left out: no positives among the 2 cases" in result.stderr
    assert "a" in result.stdout


def test_a_picture_leaves_out_a_segment_without_a_class(tmp_path):
    result = done("plot", "rows.csv", *BY, "-o", "c.svg")
    assert "note: segment c is left out" in result.stderr
    assert (tmp_path / "c.svg").exists()


@pytest.mark.parametrize("words", [("gains",), ("curve", "--kind", "roc"), ("plot", "-o", "c.png")])
def test_when_no_segment_has_both_classes_that_is_said(words):
    line = refused(words[0], "pure.csv", *BY, *words[1:])
    assert line.startswith("no segment can be shown; a: ")


# Options that would be ignored


@pytest.mark.parametrize(("words", "part"), [
    (("report", "rows.csv", *PAIR, "-o", "x.png", "--title", "foo"), "has no --title"),
    (("report", "rows.csv", *BY, "-o", "x.svg"), "shows no segments"),
    (("summary", "rows.parquet", *PAIR, "--delimiter", ";"), "rows.parquet is parquet"),
    (("summary", "rows.parquet", *PAIR, "--decimal", ","), "rows.parquet is parquet"),
    (("summary", "rows.parquet", *PAIR, "--na", "-9"), "is parquet; leave it out"),
    (("summary", "rows.parquet", "--counts", "--decimal", ","), "rows.parquet is parquet"),
])  # fmt: skip
def test_an_option_that_would_be_ignored_is_refused(tmp_path, words, part):
    assert part in refused(*words)
    assert not list(tmp_path.glob("x.*"))


def test_an_option_for_one_of_several_files_is_taken():
    done("summary", "rows.csv", "rows.parquet", *PAIR, "--delimiter", ",", "--na", "-9")


# Numbers


def test_a_constant_score_has_no_cut_off():
    shown = done("summary", "const.csv", *PAIR).stdout
    assert "no cut-off separates the classes" in shown
    assert "None" not in shown
    table = done("summary", "const.csv", *PAIR, "--format", "md").stdout
    assert "None" not in table
    assert "| 0.000 | - |" in table


def test_labels_are_counted_in_one_pass():
    items = np.array([f"label {i}" for i in range(60_000)], dtype=object)
    column = Column("y", items)
    start = time.perf_counter()
    assert len(labels_of(column)) == len(items)
    assert label_in(column, "label 59999") == "label 59999"
    assert time.perf_counter() - start < 3


# Outputs


@pytest.mark.skipif(os.name == "nt", reason="a shell closes descriptors")
def test_a_closed_standard_output_is_said():
    command = f"{sys.executable} -m capcurve summary rows.csv -t y -s s"
    closed = subprocess.run(
        ["/bin/sh", "-c", f"exec {command} >&-"], capture_output=True, check=False, timeout=60
    )
    assert closed.returncode == 2
    line = "capcurve: error: standard output is closed; name a file with --output\n"
    assert closed.stderr.decode() == line
    silent = subprocess.run(
        ["/bin/sh", "-c", f"exec {command} 2>&-"], capture_output=True, check=False, timeout=60
    )
    assert silent.returncode == 0
    assert b"accuracy ratio" in silent.stdout


def test_a_link_stays_a_link(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(folder / "real.csv")
    done("gains", "rows.csv", *PAIR, "-o", "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (folder / "real.csv").read_text().startswith("bin,")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    result = process("gains", "rows.csv", *PAIR, "-o", "pipe.csv")
    reader.join(timeout=30)
    assert result.returncode == 0
    assert read[0].startswith("bin,")
    assert b"pipe.csv written" in result.stderr
