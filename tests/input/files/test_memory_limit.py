"""Files within a memory limit: the digits of the whole, little memory, and nothing left behind."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import capcurve as cap
from capcurve.counts import Dropped
from capcurve.input.files import Files, reading, spilling
from capcurve.input.files.engine import connect
from capcurve.input.files.spilling import memory_bytes
from cli_calls import call

LIMIT = "250MB"
SAMPLE = """
    SELECT CAST(hash(i) % 2 = 0 AS TINYINT) AS y,
           CAST((hash(i + 7) % 1000003) / 1000 + 40 * (hash(i) % 2) AS FLOAT) AS score,
           CAST(hash(i + 13) % 5 AS INTEGER) AS weight, i AS row
    FROM range(30000) t(i)
"""

HUNDRED_MILLION = """
    SELECT s, (hash(i + 7) % 1000 < 200 * s)::TINYINT AS y
    FROM (SELECT i, (hash(i) / 18446744073709551615.0)::FLOAT AS s FROM range(100000000) t(i))
"""


@pytest.fixture(autouse=True)
def engine():
    """Limit the memory of a DuckDB of its own in every test."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Sort on disk in many small runs, and hold few scores."""
    monkeypatch.setattr(spilling, "BYTES_PER_ROW", 5000)
    monkeypatch.setattr(spilling, "MOST_HELD", 5000)


def write(path, sql, options="FORMAT parquet"):
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE VIEW sample AS {SAMPLE}")
        connection.execute(f"COPY ({sql}) TO '{path}' ({options})")
    return path


@pytest.fixture
def parquet(tmp_path):
    return write(tmp_path / "rows.parquet", "FROM sample", "FORMAT parquet, ROW_GROUP_SIZE 4096")


def same(path, **options):
    options = {"data": path, **options}
    expected = cap.count_scores("y", "score", **options)
    found = cap.count_scores("y", "score", memory_limit=LIMIT, **options)
    assert found.digest() == expected.digest()
    assert cap.accuracy_ratio(found) == cap.accuracy_ratio(expected)
    assert cap.ks(found) == cap.ks(expected)
    assert found.dropped == expected.dropped
    assert found.higher_is == expected.higher_is
    return found, expected


@pytest.mark.turns(2)
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_parquet_gives_the_digits_of_the_whole(parquet, higher_is):
    found, expected = same(parquet, higher_is=higher_is)
    assert isinstance(found, cap.RankTotals)
    assert len(found) == len(expected) > 20_000
    # Totals tell every number of a row but the average precision.
    lacking = {"average_precision": None}
    assert cap.summarize(found).to_row() == cap.summarize(expected).to_row() | lacking
    assert repr(cap.gains_table(found)) == repr(cap.gains_table(expected))


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "csv.gz"])
def test_text_files_too(tmp_path, kind):
    options = {"csv": "FORMAT csv", "jsonl": "FORMAT json", "csv.gz": "FORMAT csv"}[kind]
    same(write(tmp_path / f"rows.{kind}", "FROM sample", options))


def test_few_distinct_scores_come_back_as_counts(parquet):
    found, expected = same(parquet, resolution=1.0)
    assert isinstance(found, cap.ScoreCounts)
    assert found == expected


SHAPES = {
    "few": ("hash(i) % 7", "TINYINT"),
    "uint64": ("hash(i)", "UBIGINT"),
    "int64": ("hash(i)::HUGEINT - 9223372036854775808", "BIGINT"),
    "yes/no": ("hash(i) % 2 = 0", "BOOLEAN"),
    "one value holds 90%": ("CASE WHEN i % 10 < 9 THEN 0.5 ELSE hash(i) / 1e15 END", "DOUBLE"),
    "infinities": (
        "CASE i % 4 WHEN 0 THEN '-0.0' WHEN 1 THEN '0' WHEN 2 THEN 'inf' ELSE '-inf' END",
        "FLOAT",
    ),
    "decimal": ("(hash(i) % 100000) / 1000", "DECIMAL(9,3)"),
    "one": ("3.5", "DOUBLE"),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("shape", "higher_is"),
    [
        # Every shape in one direction; in the other before a merge.
        pytest.param(shape, way, marks=[] if (place + turned) % 2 == 0 else pytest.mark.merge)
        for place, shape in enumerate(SHAPES)
        for turned, way in enumerate(["positive", "negative"])
    ],
)
def test_scores_of_every_type_and_shape(tmp_path, shape, higher_is):
    score, kind = SHAPES[shape]
    sql = f"SELECT i % 3 = 0 AS y, CAST({score} AS {kind}) AS score"
    path = write(tmp_path / "rows.parquet", f"{sql} FROM range(30000) t(i)")
    found, expected = same(path, higher_is=higher_is)
    assert isinstance(found, cap.RankTotals) == (len(expected) > spilling.MOST_HELD)
    assert isinstance(found, cap.RankTotals) or found == expected


def test_frequency_weights_are_repetition(parquet):
    same(parquet, weight="weight", weight_kind="frequency")


@pytest.mark.parametrize("missing", ["NULL", "'nan'"])
def test_rows_without_a_value_are_refused_or_left_out_with_an_account(tmp_path, missing):
    score = f"CASE WHEN row % 100 = 3 THEN {missing} ELSE score END AS score"
    y = "CASE WHEN row % 500 = 3 THEN NULL ELSE y END AS y"
    path = write(tmp_path / "rows.parquet", f"FROM sample SELECT * REPLACE ({score}, {y})")
    found, expected = same(path, missing="drop")
    assert found.dropped == Dropped(300, {"y": 60, "score": 300})
    assert found.dropped.outcomes == expected.dropped.outcomes
    assert expected.dropped.outcomes[0] == 240
    message = r"y is missing \(null or NaN\) in 60 of 30,000 rows; score is missing .* in 300 of"
    with pytest.raises(ValueError, match=message):
        cap.count_scores("y", "score", data=path, memory_limit=LIMIT)


def test_what_is_missing_is_told_by_the_name_of_its_column(tmp_path):
    path = write(tmp_path / "rows.parquet", "SELECT y, nullif(score, 40.5) AS p FROM sample")
    asked = {"data": path, "missing": "drop"}
    expected = cap.count_scores("y", "p", **asked)
    assert expected.dropped.columns == {"p": expected.dropped.rows}
    assert cap.count_scores("y", "p", memory_limit=LIMIT, **asked).dropped == expected.dropped


@pytest.mark.merge
def test_files_without_rows_have_counts_without_cases(tmp_path):
    empty = write(tmp_path / "empty.parquet", "FROM sample LIMIT 0")
    for asked in ({}, {"missing": "drop"}, {"weight": "weight", "weight_kind": "frequency"}):
        found = cap.count_scores("y", "score", data=empty, memory_limit=LIMIT, **asked)
        assert found == cap.count_scores("y", "score", data=empty, **asked)
        assert found.n == 0
    some = write(tmp_path / "some.parquet", "FROM sample LIMIT 100")
    assert same([empty, some])[0].n == 100


def test_floats_of_16_bits_are_refused(tmp_path):
    path = tmp_path / "half.parquet"
    score = pa.array(np.array([0.7, 0.1], np.float16))
    pq.write_table(pa.table({"y": [1, 0], "score": score}), path)
    with pytest.raises(ValueError, match="score has floats of 16 bits, which memory_limit= widens"):
        cap.count_scores("y", "score", data=path, memory_limit=LIMIT)


@pytest.mark.merge
def test_several_files_and_globs_of_one_type_or_of_several(tmp_path):
    for part in range(3):
        write(tmp_path / f"part{part}.parquet", f"FROM sample WHERE row % 3 = {part}")
    same(str(tmp_path / "part*.parquet"))
    wide = "SELECT * REPLACE (CAST(score AS DOUBLE) / 3 AS score) FROM sample"
    mixed = [tmp_path / "part0.parquet", write(tmp_path / "wide.parquet", wide)]
    with pytest.raises(ValueError, match="'score' is double in one file and float in another"):
        cap.count_scores("y", "score", data=mixed, memory_limit=LIMIT)
    frequency = {"weight": "weight", "weight_kind": "frequency"}
    single = "SELECT * REPLACE (CAST(weight AS FLOAT) AS weight) FROM sample"
    double = "SELECT * REPLACE (CAST(weight AS DOUBLE) AS weight) FROM sample"
    pair = [write(tmp_path / "single.parquet", single), write(tmp_path / "double.parquet", double)]
    same(pair, **frequency)
    whole = "SELECT * REPLACE (row AS score) FROM sample"
    write(tmp_path / "whole.parquet", whole)
    both = [tmp_path / "part0.parquet", tmp_path / "whole.parquet"]
    with pytest.raises(ValueError, match="'score' is bigint in one file and float in another"):
        cap.count_scores("y", "score", data=both, memory_limit=LIMIT)
    truth = write(tmp_path / "truth.parquet", "SELECT * REPLACE (row % 2 = 0 AS score) FROM sample")
    for limit in (None, LIMIT):  # a yes is no 1 where other files hold numbers
        with pytest.raises(ValueError, match=r"column 'score' (is|holds) "):
            cap.count_scores("y", "score", data=[both[1], truth], memory_limit=limit)


@pytest.mark.parametrize(
    ("label", "pos_label"),
    [
        ("CASE WHEN y = 1 THEN 'it''s bad' ELSE 'good' END", "it's bad"),
        ("CASE WHEN y = 1 THEN 2.5 ELSE -1 END", 2.5),
        ("y = 1", None),
        ("2 * y - 1", None),
    ],
    ids=["words", "numbers", "yes/no", "signs"],
)
def test_labels_are_compared_by_value(tmp_path, label, pos_label):
    path = write(tmp_path / "rows.parquet", f"FROM sample SELECT * REPLACE ({label} AS y)")
    same(path, pos_label=pos_label)


REFUSED = {
    "labels": ({"pos_label": None}, "holds 'a' (10,000), 'b' (10,000), 'c' (10,000)"),
    "levels": ({"levels": ["A", "B"]}, "leave it out"),
    "weights": ({"weight": "weight", "weight_kind": "sampling"}, "must be frequencies"),
    "unsaid": ({"weight": "weight"}, "must be frequencies"),
    "broken": ({"weight": "score", "weight_kind": "frequency"}, "whole numbers, zero or more"),
    "kind": ({"weight_kind": "frequency"}, "without weight"),
    "column": ({"weight": "nope", "weight_kind": "frequency"}, "no column 'nope'"),
    "size": ({"memory_limit": "lots"}, "such as 1GB or 500MB, got 'lots'"),
    "little": ({"memory_limit": "1MB"}, "at least 200MB"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_done_is_said_in_a_line(tmp_path, what):
    options, message = REFUSED[what]
    letter = "chr(CAST(97 + row % 3 AS INTEGER))" if what == "labels" else "y"
    path = write(tmp_path / "rows.parquet", f"FROM sample SELECT * REPLACE ({letter} AS y)")
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        cap.count_scores("y", "score", **{"data": path, "memory_limit": LIMIT, **options})
    assert message in str(error.value)


def test_rows_that_are_no_files_and_segments_are_refused(parquet):
    with pytest.raises(TypeError, match="leave it out"):
        cap.count_scores([1, 0], [2, 1], memory_limit=LIMIT)
    with pytest.raises(ValueError, match="leave it out, or by="):
        cap.evaluate("y", "score", data=parquet, by="weight", memory_limit=LIMIT)


@pytest.mark.merge
def test_several_scores_are_judged_over_the_rows_complete_for_all(tmp_path):
    sql = "SELECT *, CASE WHEN row % 7 = 0 THEN NULL ELSE -row END AS other FROM sample"
    path = write(tmp_path / "rows.parquet", sql)
    options = {"data": path, "missing": "drop", "higher_is": {"other": "negative"}}
    found = cap.evaluate("y", ["score", "other"], memory_limit=LIMIT, **options)
    expected = cap.evaluate("y", ["score", "other"], **options)
    for name in ("score", "other"):
        assert found.summaries[name].digest == expected.summaries[name].digest
        assert found.counts[name].dropped.rows == expected.counts[name].dropped.rows
    assert "<svg" in found.to_html()


def test_sizes_are_read_as_people_write_them():
    assert memory_bytes("1GB") == memory_bytes(10**9) == memory_bytes("1000 mb") == 10**9
    assert memory_bytes("0.5GiB") == 2**29
    for wrong in ("GB", "1 XB", "-1GB", "1e3", True, None):
        with pytest.raises(ValueError, match="memory_limit"):
            memory_bytes(wrong)


def test_a_full_disk_is_one_line_and_leaves_nothing(parquet):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with pytest.raises(OSError, match=r"temporary files .*scratch is full; make room"):
            cap.count_scores("y", "score", data=parquet, memory_limit=LIMIT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.turns(4)
@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_damage_in_the_middle_is_found_or_harmless(parquet, share, limited):
    expected = cap.count_scores("y", "score", data=parquet)
    data = bytearray(parquet.read_bytes())
    place = int(len(data) * share)
    data[place : place + 40] = bytes(byte ^ 0x5A for byte in data[place : place + 40])
    parquet.write_bytes(data)
    limit = {"memory_limit": LIMIT} if limited else {}
    try:
        found = cap.count_scores("y", "score", data=parquet, missing="drop", **limit)
    except ValueError as error:
        said = str(error)
        assert "\n" not in said
        assert "rows.parquet" in said
    else:
        assert found.n1 + found.n0 + found.dropped.rows == expected.n


@pytest.mark.parametrize("keep", [0.999, 0.5, 0.01])
def test_a_file_cut_short_is_one_line(parquet, keep):
    data = parquet.read_bytes()
    parquet.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(ValueError, match="not a whole file"):
        cap.count_scores("y", "score", data=parquet, memory_limit=LIMIT)


@pytest.mark.parametrize("limited", [True, False])
def test_a_file_that_changes_while_it_is_read_is_refused(parquet, monkeypatch, limited):
    other = write(parquet.with_name("other.parquet"), "FROM sample WHERE row < 20000")

    def changed(step):
        def then(*given, **options):
            found = step(*given, **options)
            shutil.copyfile(other, parquet)
            return found

        return then

    monkeypatch.setattr(spilling, "first_look", changed(spilling.first_look))
    monkeypatch.setattr(reading, "read_typed", changed(reading.read_typed))
    limit = {"memory_limit": LIMIT} if limited else {}
    with pytest.raises(ValueError, match=r"rows\.parquet.* changed while it was read"):
        cap.count_scores("y", "score", data=parquet, **limit)


def test_a_file_that_vanishes_while_it_is_read_is_one_line(parquet, monkeypatch):
    real = spilling.first_look

    def then_gone(*given, **options):
        found = real(*given, **options)
        parquet.unlink()
        return found

    monkeypatch.setattr(spilling, "first_look", then_gone)
    with pytest.raises((ValueError, OSError), match=r"^[^\n]*rows.parquet[^\n]*$"):
        cap.count_scores("y", "score", data=parquet, memory_limit=LIMIT)


@pytest.mark.merge
def test_ctrl_c_ends_the_command_at_once_and_leaves_nothing(tmp_path):
    sql = "SELECT CAST(i % 2 AS TINYINT) AS y, random() AS score FROM range(12000000) t(i)"
    path = write(tmp_path / "many.parquet", sql)
    output = tmp_path / "out.json"
    source = Path(cap.__file__).parents[1]
    command = [sys.executable, "-m", "capcurve", "summary", str(path), "-t", "y", "-s", "score"]
    process = subprocess.Popen(
        [*command, "--memory-limit", "300MB", "-o", str(output)],
        env={**os.environ, "PYTHONPATH": str(source), "TMPDIR": tempfile.gettempdir()},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not _spills(process.pid) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None, "it was over before it could be interrupted"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert not output.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["many.parquet", "scratch"]


def _spills(pid):
    """Whether a process has written to a file that has no name."""
    for entry in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            if "(deleted)" in str(entry.readlink()) and entry.stat().st_size:
                return True
        except OSError:
            continue
    return False


@pytest.mark.merge
def test_the_command_line_prints_the_same_with_and_without(parquet):
    def said(*more):
        found = call("summary", parquet, "-t", "y", "-s", "score", *more)
        return found.exit_code, found.stdout, found.stderr

    code, out, err = said("--memory-limit", LIMIT)
    lines = [line for line in said()[1].splitlines() if not line.startswith("average precision")]
    assert (code, out.splitlines()) == (0, lines)
    assert "they do not give average precision" in err
    code, out, err = said("--memory-limit", "lots")
    assert (code, out) == (2, "")
    assert "--memory-limit must be a size such as 1GB" in err


def test_a_run_is_found_again_wherever_it_is_cut():
    rng = np.random.default_rng(3)
    from capcurve.input.files.spilling import spilled

    parts = [
        cap.count_scores(rng.random(n) < 0.3, rng.integers(0, top, n))
        for n, top in ((5000, 10**6), (9000, 40), (1, 5), (7000, 3000))
    ]
    with_all = cap.ScoreCounts.merge(parts)
    for rows in (1024, 3000, 10**6):
        spill = spilled(parts, rows)
        blocks = list(spill.blocks("positive"))
        spill.close()
        score, positives, negatives = (np.concatenate(c) for c in zip(*blocks, strict=True))
        assert np.array_equal(score, with_all.score)
        assert np.array_equal(positives, with_all.positives)
        assert np.array_equal(negatives, with_all.negatives)


def test_files_are_the_same_as_paths(parquet):
    found = cap.count_scores("y", "score", data=Files.of(parquet), memory_limit=LIMIT)
    assert found.digest() == cap.count_scores("y", "score", data=parquet).digest()


def test_many_files_are_surveyed_once_each(tmp_path, monkeypatch):
    surveyed = []

    def survey(table, *rest):
        surveyed.append(table.label)
        return real(table, *rest)

    real = reading.survey
    monkeypatch.setattr(reading, "survey", survey)
    paths = [str(tmp_path / f"{month}.csv") for month in range(16)]
    for place, path in enumerate(paths):
        Path(path).write_text(f"y,score\n1,{place}\n0,{place / 2}\n", encoding="utf-8")
    found = cap.count_scores("y", "score", data=paths, memory_limit=LIMIT)
    assert sorted(surveyed) == sorted(paths)
    assert found.n == 32


def test_sorting_on_disk_needs_nothing_that_only_posix_has(parquet, monkeypatch):
    for name in ("pwrite", "preadv"):
        monkeypatch.delattr(os, name)
    monkeypatch.delattr(errno, "EDQUOT")
    same(parquet)


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMPTZ", "DATE"])
def test_moments_are_no_scores(tmp_path, kind):
    moment = f"CAST(TIMESTAMP '2024-01-01' + INTERVAL (row % 2) DAY AS {kind}) AS score"
    path = write(tmp_path / "rows.parquet", "FROM sample SELECT y, " + moment)
    for options, match in (({}, "dates"), ({"memory_limit": LIMIT}, "it is (timestamp|date)$")):
        with pytest.raises((ValueError, TypeError), match=match):
            cap.count_scores("y", "score", data=path, **options)


COUNTED = r"""
import re
from capcurve.input.files.spilling import fetch_batches
from capcurve.input.files.engine import connect
with connect() as connection:
    sql = "SELECT range AS a FROM range(40000000)"
    print(sum(len(batch[0]) for batch in fetch_batches(connection, sql, "rows")))
print(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1])
"""


def test_rows_come_batch_by_batch():
    with connect() as connection:
        sql = "SELECT range AS a FROM range(1000000)"
        sizes = [len(batch[0]) for batch in spilling.fetch_batches(connection, sql, "rows")]
    assert sum(sizes) == 1_000_000
    assert max(sizes) < 300_000


@pytest.mark.merge
def test_rows_that_come_batch_by_batch_take_little_memory():
    command = [sys.executable, "-c", COUNTED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows, kilobytes = map(int, done.stdout.split())
    assert rows == 40_000_000
    assert kilobytes < 250_000  # all of them are 320 MB


@pytest.mark.release
def test_memory_of_a_hundred_million_rows_is_less_than_twice_that_of_their_columns(tmp_path):
    path = tmp_path / "rows.parquet"
    with duckdb.connect() as connection:
        connection.sql("SET enable_progress_bar = false")
        connection.sql(HUNDRED_MILLION).write_parquet(str(path))
    told = tmp_path / "told"
    asked = [str(path), "--target", "y", "--score", "s"]
    page = [*asked, "-o", str(tmp_path / "page.html")]
    columns = 100_000_000 * (4 + 1)
    assert peak(told, "summary", *asked) < 1.7 * columns
    assert peak(told, "summary", *asked, "--memory-limit", "500MB") < columns
    assert peak(told, "report", *page, "--memory-limit", "500MB") < columns


# The system's own sum of a command that has ended holds what its parent took before, too.
COMMAND = r"""
import pathlib, re, sys
from capcurve.__main__ import main
told = pathlib.Path(sys.argv.pop(1))
try:
    main()
finally:
    told.write_text(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1])
"""


def peak(told, *words):
    """Return the most memory that a command takes, in bytes."""
    subprocess.run(
        [sys.executable, "-c", COMMAND, str(told), *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return int(told.read_text("utf-8")) * 1024
