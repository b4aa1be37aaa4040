"""At the edges: empty files, segments without a class, huge numbers, closed and odd outputs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import numpy as np
import pytest

import capcurve as cap
from capcurve.cli import main
from capcurve.cli.errors import stoppable
from capcurve.cli.reading import label_among, labels_of
from capcurve.input.columns import InputColumn
from capcurve.input.files import Files, read_cells
from capcurve.numbers.whole import write_whole
from cli_calls import call, done, ended, one_engine, process, refused, small_files

PAIR = ("-t", "y", "-s", "s")
BY = (*PAIR, "--by", "g")
SEGMENTS = "y,s,g\n1,0.9,a\n0,0.4,a\n1,0.5,b\n0,0.1,b\n0,0.3,c\n0,0.2,c\n"


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(SEGMENTS)
    (tmp_path / "heads.csv").write_text("y,s,g\n")
    (tmp_path / "pure.csv").write_text("y,s,g\n1,0.9,a\n1,0.4,a\n0,0.5,b\n0,0.1,b\n")
    turned = "".join(f"{int(score < 5)},{score}\n" for score in range(10))
    (tmp_path / "turned.csv").write_text(f"y,s\n{turned}")
    (tmp_path / "const.csv").write_text("y,s\n1,5\n0,5\n1,5\n")
    with one_engine(), duckdb.connect() as connection:
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


# Words of a list


@pytest.mark.merge
def test_grades_are_named_by_what_stands_in_quotes(tmp_path):
    rows = [(1, "A"), (0, "A "), (0, "A "), (1, "B, C"), (0, "B, C"), (1, 'D"')]
    with (tmp_path / "grades.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("y", "a=s"), *rows])
    words = ("grades.csv", "-t", "y", "-s", "a=s")
    levels = '"D""" , "B, C",A,"A "'
    saved = tmp_path / "counts.csv"
    done("counts", *words, "--levels", f"a=s={levels}", "-o", saved)
    found = cap.count_scores(*zip(*rows, strict=True), levels=['D"', "B, C", "A", "A "])
    assert read_cells(Files.of(saved), levels=found.levels) == found
    for levels in ("B,A", '"B, C",A,"A ",B'):  # blanks are kept where they are quoted alone
        assert "not among the levels" in refused("summary", *words, "--levels", levels)
    pds = '"B, C=0.5","D""=0.6",A=0.4,"A =0.1"'
    calibrated = ("calibration", *words, "--levels", '"D""","B, C",A,"A "', "--grade-pd")
    by_words = done(*calibrated, pds, "-f", "json").stdout
    expected = 0.6 + 2 * 0.5 + 0.4 + 2 * 0.1
    ratio = json.loads(by_words)["observed_to_expected"]["estimate"]
    assert ratio == pytest.approx(3 / expected)
    with (tmp_path / "pds.csv").open("w", newline="") as file:
        csv.writer(file).writerows([('D"', 0.6), ("A ", 0.1), ("B, C", 0.5), (" A", 0.4)])
    assert done(*calibrated, "pds.csv", "-f", "json").stdout == by_words


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
    assert "| KS | 0.000 | [0.000, 0.980] | no cut-off separates the classes |" in table


def test_labels_are_counted_in_one_pass():
    items = np.array([f"label {i}" for i in range(60_000)], dtype=object)
    column = InputColumn("y", items)
    start = time.perf_counter()
    labels = labels_of(column)
    assert len(labels) == len(items)
    assert label_among(labels, column.name, "label 59999", "--pos-label") == "label 59999"
    assert time.perf_counter() - start < 3


# Outputs


def shell(command, **options):
    """Run a command line in a shell, where `capcurve` is the real command; buffered, as usual."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(
        ["/bin/sh", "-c", command.replace("capcurve", f"{sys.executable} -m capcurve")],
        capture_output=True,
        check=False,
        timeout=60,
        env={**env, **options.pop("env", {})},
        **options,
    )


IN_A_SHELL = pytest.mark.skipif(os.name == "nt", reason="a shell closes descriptors")
ON_FULL_DISKS = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is full")


WRITING = pytest.mark.parametrize("words", ["summary", "check --min-ar -1", "gains --format json"])


@WRITING
def test_a_closed_standard_output_is_said(words):
    command, *options = words.split()
    said = io.StringIO()
    assert ended(command, "rows.csv", *PAIR, *options, stdout=None, stderr=said) == 2
    line = "capcurve: error: standard output is closed; name a file with --output\n"
    assert said.getvalue() == line


@IN_A_SHELL
@pytest.mark.merge
@WRITING
def test_a_closed_standard_output_of_the_real_command_is_said(words):
    command, *options = words.split()
    closed = shell(f"capcurve {command} rows.csv -t y -s s {' '.join(options)} >&-")
    assert closed.returncode == 2
    line = "capcurve: error: standard output is closed; name a file with --output\n"
    assert closed.stderr.decode() == line


def test_a_closed_standard_input_is_no_trouble():
    for words in (("--pos-label", "1"), ()):
        said = io.StringIO()
        assert ended("summary", "-", *PAIR, *words, stdin=None, stderr=said) == 2
        assert said.getvalue().startswith("capcurve: error: standard input")


@IN_A_SHELL
@pytest.mark.merge
def test_other_closed_streams_are_no_trouble():
    silent = shell("capcurve summary rows.csv -t y -s s 2>&-")
    assert silent.returncode == 0
    assert b"accuracy ratio" in silent.stdout
    for words in ("--pos-label 1", ""):
        closed = shell(f"capcurve summary - -t y -s s {words} <&-")
        assert closed.returncode == 2
        assert closed.stderr.startswith(b"capcurve: error: standard input")


FULL = pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        ("gains rows.csv -t y -s s > /dev/full", 2, "standard output: no space left on device"),
        ("gains rows.csv -t y -s s -f csv -o /dev/full", 2, "/dev/full: no space left on device"),
        ("--help > /dev/full", 2, "no space left on device"),
        # Where nothing can be said the exit code has to be right: 1 is for checks that fail.
        ("check turned.csv -t y -s s --min-ar -1 2> /dev/full", 2, None),
        ("check rows.csv -t y -s s --min-ar -1 2> /dev/full", 0, None),
        ("check rows.csv -t y -s s --min-ar 1 2> /dev/full", 1, None),
        ("summary nope.csv -t y -s s 2> /dev/full", 2, None),
        ("--help > /dev/full 2>&1", 2, None),
    ],
)


@ON_FULL_DISKS
@FULL
def test_what_cannot_be_written_is_one_line_and_an_exit_code(command, code, line):
    words, *_ = re.split(r" 2?> ", command)
    with full_disk() as out, full_disk() as err:
        said = err if "2>" in command else io.StringIO()
        shown = out if " > " in command else io.TextIOWrapper(io.BytesIO())
        assert ended(*words.split(), stdout=shown, stderr=said) == code
    if said is not err:
        assert said.getvalue() == (f"capcurve: error: {line}\n" if line else "")


@contextmanager
def full_disk():
    stream = open("/dev/full", "w", encoding="utf-8")  # noqa: PTH123, SIM115 - closing it may fail
    try:
        yield stream
    finally:
        with suppress(OSError):
            stream.close()


@ON_FULL_DISKS
@pytest.mark.merge
@FULL
def test_what_the_real_command_cannot_write_is_one_line_and_an_exit_code(command, code, line):
    found = shell(f"capcurve {command}")
    assert found.returncode == code
    assert found.stderr.decode() == (f"capcurve: error: {line}\n" if line else "")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "pdf"])
def test_a_full_disk_is_told_with_the_file_that_is_wanted(tmp_path, suffix):
    command = "counts" if suffix in {"csv", "parquet"} else "report"
    lines = "".join(f"{n % 3 // 2},{n}\n" for n in range(200))
    (tmp_path / "many.csv").write_text(f"y,s\n{lines}")
    with small_files(512):
        line = refused(command, "many.csv", *PAIR, "-o", f"made.{suffix}")
    assert line == f"made.{suffix}: file too large"
    assert not list(tmp_path.glob("*made*"))


def test_an_unbuffered_output_is_written_whole_or_not_at_all(tmp_path):
    many_rows(tmp_path)
    # A write that hits the limit takes what fits: without buffers Python leaves it at that.
    said = io.StringIO()
    with open("made.csv", "wb", buffering=0) as made, small_files(512):  # noqa: PTH123 - no buffers
        stdout = io.TextIOWrapper(made, encoding="utf-8", write_through=True)
        assert ended("steps", "many.csv", *PAIR, "-f", "csv", stdout=stdout, stderr=said) == 2
    assert said.getvalue() == "capcurve: error: standard output: file too large\n"


def many_rows(folder):
    rows = "".join(f"{n % 2},{n}\n" for n in range(900))
    (folder / "many.csv").write_text(f"y,s\n{rows}")


@IN_A_SHELL
@pytest.mark.merge
def test_a_real_unbuffered_output_is_written_whole_or_not_at_all(tmp_path):
    many_rows(tmp_path)
    found = shell(
        "ulimit -f 1; capcurve steps many.csv -t y -s s -f csv > made.csv",
        env={"PYTHONUNBUFFERED": "1"},
    )
    assert found.returncode == 2
    assert found.stderr == b"capcurve: error: standard output: file too large\n"


def test_a_result_that_nobody_reads_keeps_its_exit_code():
    inner, outer = os.pipe()
    os.close(inner)
    with open(outer, "w", encoding="utf-8") as nobody:  # noqa: PTH123 - a descriptor
        assert ended("check", "rows.csv", *PAIR, "--min-ar", "1", stdout=nobody) == 1


@IN_A_SHELL
@pytest.mark.merge
def test_a_real_result_that_nobody_reads_keeps_its_exit_code():
    command = "capcurve check rows.csv -t y -s s --min-ar 1; echo $? >&2"
    found = shell(f"({command}) | true")
    assert found.stderr == b"1\n"


def odd_file(tmp_path):
    """Write a file whose name is not UTF-8."""
    odd = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    try:
        with open(odd, "wb") as file:  # noqa: PTH123 - a name in bytes
            file.write(SEGMENTS.encode())
    except OSError:
        pytest.skip("file names are UTF-8 here")
    return odd


def test_a_name_that_is_not_utf8_is_one_line(tmp_path):
    odd = os.fsdecode(odd_file(tmp_path))
    for words in (["summary", odd], ["summary", "caf*.csv"], ["check", odd, "--min-ar", "-1"]):
        assert refused(*words, *PAIR).endswith(
            "caf\\xe9.csv: the name is not UTF-8; give it another"
        )
    line = refused("counts", "rows.csv", *PAIR, "-o", os.fsdecode(b"caf\xe9.parquet"))
    assert line.startswith("--output caf\\xe9.parquet: the name is not UTF-8")


@pytest.mark.merge
def test_a_name_of_a_real_argument_that_is_not_utf8_is_one_line(tmp_path):
    found = process("summary", odd_file(tmp_path), *PAIR)
    assert found.returncode == 2
    assert found.stderr.endswith(b"caf\\xe9.csv: the name is not UTF-8; give it another\n")
    assert found.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="links need a right")
def test_a_link_that_leads_back_to_itself_is_refused(tmp_path):
    (tmp_path / "one.csv").symlink_to("two.csv")
    (tmp_path / "two.csv").symlink_to("one.csv")
    assert "leads back to itself" in refused("gains", "rows.csv", *PAIR, "-o", "one.csv")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "one.csv", Path.touch)
    assert (tmp_path / "one.csv").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="links need a right")
@pytest.mark.parametrize("output", ["base.json", "./base.json", "hard.json", "soft.json"])
def test_a_baseline_is_never_overwritten(tmp_path, output):
    done("summary", "rows.csv", *PAIR, "-o", "base.json")
    before = (tmp_path / "base.json").read_bytes()
    (tmp_path / "hard.json").hardlink_to("base.json")
    (tmp_path / "soft.json").symlink_to("base.json")
    words = ("check", "rows.csv", *PAIR, "--baseline", "base.json", "--max-drop", "2")
    assert "is also an input" in refused(*words, "-o", output)
    assert (tmp_path / "base.json").read_bytes() == before


NEEDED = {"dialect": "duckdb", "table": "t", "score": "s", "realised": "r", "estimated": "e"}


def files_of(command):
    """Return the flags of a command that name files to read, "" for FILE, and files to write."""
    named = {
        "" if each.param_type_name == "argument" else each.opts[0]: getattr(each, "section", "")
        for each in command.params
        if re.search("PATH|FILE", each.metavar or "")
    }
    written = [flag for flag, section in named.items() if section == "Output"]
    return [flag for flag in named if flag not in written], written


@pytest.mark.parametrize("name", main.commands)
def test_no_output_overwrites_an_input_or_another_output(tmp_path, name):
    command = main.commands[name]
    read, written = files_of(command)
    (tmp_path / "same.x").write_text("kept")
    needed = [
        word
        for each in command.params
        if each.required and each.name in NEEDED
        for word in (each.opts[0], NEEDED[each.name])
    ]
    for flag in written:
        others = [word for each in written if each != flag for word in (each, f"o{each}.x")]
        for other in read:
            given = ["same.x"] if other == "" else ["rows.csv", other, "./same.x"]
            said = refused(name, *needed, *given, flag, "same.x", *others)
            assert said == f"{flag} same.x is also an input; it would be overwritten"
        for other in {*written} - {flag}:
            both = (flag, "new.x", other, f"{tmp_path}/new.x")
            assert " both write " in refused(name, *needed, "rows.csv", *both)
    assert (tmp_path / "same.x").read_text() == "kept"


def test_every_file_is_known_to_what_keeps_it_from_being_overwritten():
    found = {name: files_of(command) for name, command in main.commands.items()}
    assert {name for name, (read, _) in found.items() if "--cuts" in read} >= {"gains", "compare"}
    assert found["check"][1] == ["--save-limit", "--output"]
    assert {flag for read, _ in found.values() for flag in read} == {
        *("", "--cuts", "--grade-pd", "--baseline", "--limits", "--limit", "--initial"),
        *("--before", "--chart"),
    }


def test_a_master_scale_of_one_score_is_never_overwritten(tmp_path):
    (tmp_path / "cuts.csv").write_text("grade,lower\nA,0\nB,0.35\n")
    words = ("summary", "rows.csv", *PAIR, "--cuts", "s=cuts.csv")
    assert "is also an input" in refused(*words, "-o", "cuts.csv")
    done(*words, "-o", "summary.csv")


def test_a_file_on_standard_input_is_never_overwritten(tmp_path):
    said = io.StringIO()
    with (tmp_path / "rows.csv").open() as rows:
        assert ended("counts", "-", *PAIR, "-o", "rows.csv", stdin=rows, stderr=said) == 2
    assert "is also an input" in said.getvalue()
    assert (tmp_path / "rows.csv").read_text() == SEGMENTS


@IN_A_SHELL
@pytest.mark.merge
def test_a_file_on_real_standard_input_is_never_overwritten(tmp_path):
    found = shell("capcurve counts - -t y -s s -o rows.csv < rows.csv")
    assert found.returncode == 2
    assert b"is also an input" in found.stderr
    assert (tmp_path / "rows.csv").read_text() == SEGMENTS


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
@pytest.mark.parametrize("words", [("gains", "-o", "o.csv"), ("report", "-o", "o.html")])
def test_a_file_that_is_written_again_keeps_its_mode(tmp_path, words):
    command, *options = words
    path = tmp_path / options[-1]
    done(command, "rows.csv", *PAIR, *options)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o600)
    done(command, "rows.csv", *PAIR, *options)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# Signals


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SIGTERM", ()),
        *(
            pytest.param(*each, marks=pytest.mark.merge)
            for each in (("SIGTERM", ("--pos-label", "1")), ("SIGHUP", ()), ("SIGINT", ()))
        ),
    ],
)
def test_a_signal_leaves_nothing_behind(tmp_path, name, words):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    number = getattr(signal, name)
    running = subprocess.Popen(
        [sys.executable, "-m", "capcurve", "summary", "-", *PAIR, *words],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    running.stdin.write(SEGMENTS.encode())
    running.stdin.flush()
    for _ in range(3000):  # standard input stays open: the command waits for more
        if list(scratch.glob("*/*")):
            break
        time.sleep(0.01)
    assert list(scratch.iterdir())
    running.send_signal(number)
    said = running.stderr.read().decode().split("\n")
    running.stdin.close()
    running.stderr.close()
    assert running.wait(timeout=60) == 128 + number
    ended = "interrupted" if name == "SIGINT" else f"stopped by {name}"
    assert said == ["", f"capcurve: {ended}", ""]
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signal")
def test_a_signal_that_the_caller_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stoppable() as came:
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert came == []
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows ends processes otherwise")
def test_an_interruption_while_the_command_loads_shows_no_traceback():
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'capcurve.cli':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from capcurve.__main__ import main\n"
        "assert 'numpy' not in sys.modules and 'click' not in sys.modules\n"
        "main()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert (found.returncode, found.stderr) == (-signal.SIGINT, b"")


# Names that would act on a terminal


def test_names_never_act_on_a_terminal(tmp_path):
    name = "\x1b[31mpd\x9b2J"
    (tmp_path / "odd.csv").write_text(f"y,{name}\n1,0.9\n0,0.4\n1,0.5\n0,0.1\n")
    for words in (
        ("summary", "odd.csv"),
        ("summary", "odd.csv", "-t", "y", "-s", name, "--min-cell", "5"),
        ("summary", "odd.csv", "-t", "y", "-s", name),
        ("summary", "odd.csv", "-t", name, "-s", "y"),
        ("summary", "odd.csv", "-t", "y", "-s", f"{name}2"),
        ("gains", "odd.csv", "-t", "y", "-s", name, "--bins", "3"),
        ("check", "odd.csv", "-t", "y", "-s", name, "--min-ar", "1"),
        ("counts", "odd.csv", "-t", "y", "-s", name, "-o", f"{name}.csv"),
        (f"{name}",),
        ("summary", f"--{name}"),
        ("summary", f"{name}.parquet", "-t", "y", "-s", "s"),
    ):
        found = call(*words)
        assert "\x1b" not in found.stdout + found.stderr
        assert "\x9b" not in found.stdout + found.stderr


def test_a_proposed_command_can_be_run_whatever_the_name(tmp_path):
    (tmp_path / "odd.csv").write_text("bad,it's\x1b pd é\n1,0.9\n0,0.4\n1,0.5\n0,0.1\n")
    proposed = call("gains", "odd.csv").stderr.splitlines()[-1].strip()
    assert proposed == "capcurve gains odd.csv --target bad --score $'it\\'s\\x1b pd é'"
    split = proposed.replace("capcurve", "printf '%s\\0'", 1)  # the words as a shell hands them on
    words = subprocess.run(["bash", "-c", split], capture_output=True, check=True, timeout=60)
    done(*os.fsdecode(words.stdout).split("\0")[:-1])


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
    result = done("gains", "rows.csv", *PAIR, "-o", "pipe.csv")
    reader.join(timeout=30)
    assert read[0].startswith("bin,")
    assert "pipe.csv written" in result.stderr
