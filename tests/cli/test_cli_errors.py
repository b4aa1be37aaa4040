"""Wrong use and unusable input: one clear line on stderr, exit code 2, and nothing written."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import time

import pytest

from capcurve.cli.errors import stoppable
from capcurve.cli.flags import Flags
from capcurve.cli.program import Program
from capcurve.numbers.arguments import (
    Word,
    arg,
    as_typed,
    of_file,
    refused as begins,
    renamed,
    reworded,
    spoken,
    word,
    worded_by,
)
from cli_calls import call, refused

BOTH_QUOTES = 'o\'k "q"'
PAIR = ("-t", "y", "-s", "s")
ROWS = "y,s,word,lab\n1,0.9,x,a\n0,0.4,z,b\n1,0.5,x,a\n0,0.1,x,a\n"


@pytest.fixture(autouse=True)
def _nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "heads.csv").write_text("y,s\n")
    (tmp_path / "miss.csv").write_text("y,s\n1,0.5\n0,\n1,0.2\n")
    (tmp_path / "swap.csv").write_text("y,pd\n0,0.1\n1,0.2\n1,0.3\n")
    (tmp_path / "three.csv").write_text("y,s\n0,1\n1,2\n2,3\n")
    (tmp_path / "data.xyz").write_bytes(b"\x00\x01\x02\x03" * 50)
    before = sorted(path.name for path in tmp_path.iterdir())
    yield
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["summary", "nope.csv", *PAIR], ["nope.csv: no such file"]),
        (["summary", "no*.csv", *PAIR], ["no file matches no*.csv"]),
        (["summary", "."], ["is a directory"]),
        (["summary", "empty.csv", *PAIR], ["empty.csv is empty"]),
        (["summary", "empty.csv"], ["empty.csv is empty"]),
        (["summary", "data.xyz", *PAIR], ["data.xyz", "neither text nor"]),
        (["summary", "rows.csv", "-t", "Y", "-s", "s"], ["no column 'Y'", "did you mean 'y'"]),
        (["summary", "rows.csv", "-t", "y", "-s", "t"], ["no column 't'", "'word'"]),
        (["check", "rows.csv", *PAIR, "--min-gini", "1"], ["Did you mean '--min-ar'?"]),
        (["check", "rows.csv", *PAIR, "--gini", "1"], ["'--gini'. Did you mean '--min-ar'?"]),
        (["compare", "rows.csv", "--gini"], ["'--metric ar', the default"]),
        (["report", "rows.csv", "--gini"], ["needs no option: capcurve summary and report"]),
        (["summary", "rows.csv", "--auc"], ["No such option '--auc'."]),
        (["reprot", "rows.csv"], ["No such command 'reprot'", "'report'"]),
        (["nope.csv"], ["nope.csv: no such file"]),
        (["no*.csv", *PAIR], ["no file matches no*.csv"]),
        (["check", "rows.csv", *PAIR, "--min-ar", "35%"], ["'35%' is not a", "; write 0.35"]),
        (["plot", "rows.csv", *PAIR, "--at", "0,125", "-o", "a.svg"], ["; write 0.125"]),
        (
            ["compare", "rows.csv", *PAIR, "-q", "0.3"],
            ["No such option '-q'. Did you mean '--at'?"],
        ),
        (
            ["summary", "rows.csv", "-t", "y", "-s", "s,word"],
            ["name each by itself: 's', 'word'; its"],
        ),
        (
            ["summary", "rows.csv", "-t", "y", "--scores-except", "word,lab"],
            ["name each by itself: 'word', 'lab'"],
        ),
        (
            ["summary", "rows.csv", "-t", "y", "-s", "heads.csv", "rows.csv"],
            ["named more than once", "--score heads.csv is a file: quote a pattern of columns"],
        ),
        (
            ["summary", "swap.csv", "-t", "pd", "-s", "y"],
            ["target and score swapped?"],
        ),
        (["summary", "rows.csv", "-t", "y", "-s", "word"], ["holds text", "--levels"]),
        (["summary", "rows.csv", "-t", "lab", "-s", "s"], ["'a' (3), 'b' (1)", "--pos-label b"]),
        (
            ["summary", "rows.csv", "-t", "lab", "-s", "s", "--pos-label", "c"],
            ["--pos-label c is not a label of 'lab'", "'a' (3), 'b' (1)"],
        ),
        (
            ["summary", "three.csv", *PAIR, "--pos-label", "2"],
            ["0 (1), 1 (1), 2 (1); run capcurve summary three.csv", "--neg-label 0 --neg"],
        ),
        (["summary", "rows.csv", *PAIR, "--pos-label", "x"], ["holds 0 (2), 1 (2)"]),
        (["summary", "three.csv", *PAIR], ["two classes", "2 (1)"]),
        (["summary", "miss.csv", *PAIR], ["s is missing", "1 of 3 rows", "--missing drop"]),
        (["summary", "rows.csv", *PAIR, "--levels", "0.9,0.5"], ["not among the levels"]),
        (["summary", "rows.csv", *PAIR, "--higher-is", "up"], ["positive or negative", "'up'"]),
        (["summary", "rows.csv", *PAIR, "--resolution", "-1"], ["--resolution", "positive number"]),
        (["summary", "rows.csv", *PAIR, "--prevalence", "2"], ["prevalence", "2"]),
        (
            ["summary", "rows.csv", *PAIR, "--weight-kind", "sampling"],
            ["--weight-kind sampling", "without --weight"],
        ),
        (["summary", "rows.csv", *PAIR, "--weight", "word"], ["word"]),
        (["summary", "rows.csv", *PAIR, "--by", "month"], ["no column 'month'"]),
        (["summary", "rows.csv", "rows.csv", *PAIR], ["named more than once"]),
        (["summary", "-", "-", *PAIR], ["named more than once"]),
        (["summary", "rows.csv", *PAIR, "--encoding", "klingon"], ["'klingon' is not known"]),
        (["summary", "rows.csv", *PAIR, "--delimiter", ";;"], ["one character"]),
        (["gains", "heads.csv", *PAIR], ["no"]),
        (["gains", "rows.csv", *PAIR, "--bins", "0"], ["bins", "0"]),
        (["gains", "rows.csv", *PAIR, "--bins", "few"], ["--bins", "'few'"]),
        (["gains", "rows.csv", *PAIR, "--bins", "0.1,0.1"], ["cut point is given twice"]),
        (["curve", "rows.csv", *PAIR, "--tolerance", "-1"], ["tolerance"]),
        (["plot", "rows.csv", *PAIR, "-o", "a.gif"], ["a.gif must end in .png, .svg, .pdf"]),
        (["curve", "rows.csv", *PAIR, "--points", "0"], ["--points"]),
        (["report", "rows.csv", *PAIR, "-o", "."], ["must end in"]),
        (["summary", "rows.csv", *PAIR, "-o", "."], ["must end in .txt, .json, .csv, .md"]),
        (["summary", "rows.csv", *PAIR, "-f", "csv", "-o", "."], ["is a folder"]),
        (["summary", "rows.csv", *PAIR, "-f", "xml"], ["'xml'", "'md'"]),
        (["counts", "rows.csv", *PAIR], ["--output"]),
        (["counts", "rows.csv", *PAIR, "-o", "rows.csv"], ["also an input"]),
        (["counts", "r*.csv", *PAIR, "-o", "./rows.csv"], ["also an input"]),
        (["summary", "rows.csv", "--counts", "-s", "s", "-s", "y"], ["contains one score"]),
        (["summary", "rows.csv", "--counts"], ["named like the score", "--score"]),
        (["summary", "rows.csv", "--bins", "3"], ["--bins"]),
        (["counts", "rows.csv", *PAIR, "--prevalence", "0.1"], ["--prevalence"]),
        (["thresholds", "rows.csv", *PAIR, "--prevalence", "0.1"], ["--prevalence"]),
        (["report", "rows.csv", *PAIR, "--format", "md"], ["--format"]),
    ],
)
def test_one_line_says_what_was_found_and_what_to_do(words, parts):
    line = refused(*words)
    for part in parts:
        assert part in line


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "cannot be written to" in refused("report", "rows.csv", *PAIR, "-o", "locked/r.html")
    (tmp_path / "locked").rmdir()


def test_a_column_named_like_an_option_keeps_its_name():
    assert refused("summary", "swap.csv", "-t", "pd", "-s", "y").startswith("pd must have two")


def test_a_folder_that_refuses_is_told_before_the_work(monkeypatch):
    monkeypatch.setattr("capcurve.cli.output.os.access", lambda *_: False)
    assert "cannot be written to" in refused("report", "rows.csv", *PAIR, "-o", "r.html")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), "does not fit into memory"),
        (RecursionError("deep"), "unexpected RecursionError: deep (set CAPCURVE_TRACEBACK=1"),
        (OSError(28, "No space left on device", "r.html"), "r.html: no space left on device"),
        (ModuleNotFoundError("x", name="matplotlib.pyplot"), 'pip install "capcurve[plot]"'),
        (ValueError("two\nlines"), "two lines"),
    ],
)
def test_whatever_happens_is_one_line(monkeypatch, error, line):
    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr("capcurve.input.count_together", fail)
    assert line in refused("summary", "rows.csv", *PAIR)


def test_an_interrupted_command_exits_130(monkeypatch):
    def fail(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("capcurve.input.count_together", fail)
    result = call("summary", "rows.csv", *PAIR)
    assert result.exit_code == 130
    assert result.stderr.split() == ["capcurve:", "interrupted"]


def test_the_traceback_is_there_for_those_who_ask(monkeypatch):
    from click.testing import CliRunner

    from capcurve.cli import main

    monkeypatch.setenv("CAPCURVE_TRACEBACK", "1")
    result = CliRunner().invoke(main, ["summary", "nope.csv", *PAIR])
    assert isinstance(result.exception, FileNotFoundError)


def test_stdin_is_called_so_in_messages():
    line = refused("summary", "-", *PAIR, "--pos-label", "1", data="a,b\n1,2\n")
    assert line.startswith("standard input has no column 'y'")


@pytest.mark.parametrize(
    ("made", "in_python", "in_flags"),
    [
        (lambda: word(missing="drop"), 'missing="drop"', "--missing drop"),
        (lambda: arg(weight_kind="sampling"), "weight_kind='sampling'", "--weight-kind sampling"),
        (
            lambda: word(weight_kind=("frequency", "sampling", "exposure")),
            'weight_kind="frequency", "sampling" or "exposure"',
            "--weight-kind frequency, sampling or exposure",
        ),
        (lambda: of_file(decimal=","), "Files.of(path, decimal=',')", "--decimal ,"),
        (lambda: arg("null_values"), "null_values=", "--na"),
        (lambda: arg(null_values=["n/a"]), "null_values=['n/a']", "--na n/a"),
        (lambda: arg(all_segments=True), "all_segments=True", "--all-segments"),
        (lambda: arg(least=10), "least=10", "--least 10"),
        (lambda: as_typed(resolution="1e-06"), "resolution=1e-06", "--resolution 1e-06"),
        (
            lambda: arg(pos_label=BOTH_QUOTES),
            f"pos_label={BOTH_QUOTES!r}",
            f"--pos-label {shlex.quote(BOTH_QUOTES)}",
        ),
        (
            lambda: arg(pos_label=["bad", "x y"], rest=Word("negative")),
            "pos_label=['bad', 'x y'], rest=\"negative\"",
            "--pos-label bad --pos-label 'x y' --rest-negative",
        ),
        (
            lambda: arg(event_label=2, censored_label=1),
            "event_label=2, censored_label=1",
            "--event-label 2 --censored-label 1",
        ),
        (
            lambda: arg(levels=["A", "A ", "b,c"]),
            "levels=['A', 'A ', 'b,c']",
            '--levels \'A,"A ","b,c"\'',
        ),
        (
            lambda: arg(columns={"% bads": "rate"}),
            "columns={'% bads': 'rate'}",
            "--column '% bads=rate'",
        ),
        (lambda: arg(levels=...), "levels=[...]", "--levels"),
        (lambda: spoken("gains_table"), "gains_table", "capcurve gains"),
        (lambda: spoken("another"), "another", "another"),
        (lambda: begins("resolution"), "resolution must", "resolution must"),  # no command runs
    ],
)
def test_each_side_names_arguments_in_its_own_words(made, in_python, in_flags):
    assert made() == reworded(made()) == in_python
    with worded_by(Flags()):
        assert made() == in_python  # which is what records keep
        assert reworded(f"so {made()}; {made()}") == f"so {in_flags}; {in_flags}"
        assert reworded(f"x_{made()}") == f"x_{made() if made()[0].isalnum() else in_flags}"


def test_arguments_that_another_function_took_over_have_its_names():
    with renamed(pos_label="treated_label"):
        assert arg(pos_label="mail") == "treated_label='mail'"
        with worded_by(Flags()), renamed(horizon="planned_periods"):
            assert arg("horizon") == "planned_periods="
            assert reworded("planned_periods= is wrong") == "--planned-periods is wrong"
    assert arg("pos_label") == "pos_label="


def test_a_value_is_refused_by_its_flag_where_the_command_has_one():
    line = refused("summary", "-", *PAIR, "--resolution", "-1", data="y,s\n1,2\n0,1\n")
    assert line == "--resolution must be a positive number such as 1e-4, got -1.0"


def test_the_label_that_is_advised_can_be_passed_as_it_is_printed():
    rows = f"""y,s\n"{BOTH_QUOTES.replace('"', '""')}",1\nB,2\n"""
    line = refused("summary", "-", *PAIR, data=rows)
    words = shlex.split(line[line.index("--pos-label") :])
    assert words == ["--pos-label", "B", "or", "--pos-label", BOTH_QUOTES]


@pytest.mark.parametrize("words", [("--max-drop", "0.1", "--baseline", "b.csv"), ("--min-ar", "0")])
@pytest.mark.parametrize("rows", ["y,s\n", "y,s\n1,\n0,\n"])
def test_no_cases_pass_no_gate(tmp_path, monkeypatch, words, rows):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "b.csv").write_text("score,positives,negatives\n1,3,1\n0,1,3\n")
    (tmp_path / "elsewhere" / "none.csv").write_text(rows)
    line = refused("check", "none.csv", *PAIR, "--missing", "drop", *words)
    assert line == "there are no cases; check what was selected"
    (tmp_path / "elsewhere" / "b.csv").unlink()
    (tmp_path / "elsewhere" / "none.csv").unlink()
    (tmp_path / "elsewhere").rmdir()


@pytest.mark.parametrize("command", ["validate", "summary", "report"])
@pytest.mark.parametrize("rows", ["1,1\n1,2\n", "1,1\n"])
def test_one_class_is_refused_and_nothing_is_written(command, rows):
    output = () if command == "summary" else ("-o", "out.html")
    line = refused(command, "-", *PAIR, *output, data="y,s\n" + rows)
    assert line.startswith("there are no negatives among the ")


@pytest.mark.parametrize("command", ["validate", "summary"])
def test_a_constant_score_is_a_warning(command):
    result = call(command, "-", *PAIR, "-f", "json", data="y,s\n1,3\n0,3\n1,3\n")
    assert result.exit_code == 0
    assert "warning: all cases have the same score" in result.stderr
    assert "error" not in result.stderr


@pytest.mark.parametrize("command", ["validate", "summary"])
def test_a_finding_is_told_once(command):
    rows = "".join(f"{i % 3 == 0:d},{-(i % 3) if i else 5}\n" for i in range(120))
    told = " ".join(
        call(command, "-", *PAIR, data="y,s\n" + rows.replace("1,0", "1,-9")).stderr.split()
    )
    assert told.count("the score looks reversed") == 1


# Signals


class Interrupting:
    """What Python calls where it may not raise, as it does while it imports."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


class Failing:
    """What fails where Python may not raise, of which it only tells."""

    def __del__(self):
        raise ValueError("told")


def _told(_lost):
    signal.raise_signal(signal.SIGINT)


def _interrupted(made):
    made()
    for _ in range(6000):  # ends long before, with the signal
        time.sleep(0.01)


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(),
    reason="only the main thread receives signals",
)
@pytest.mark.parametrize("made", [Interrupting, Failing])  # in a callback, and where one is told of
def test_a_signal_that_python_swallowed_ends_the_command_all_the_same(monkeypatch, capsys, made):
    # Spark, once it runs in this process, has put a handler of its own in the place of Python's.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(sys, "unraisablehook", _told)
    try:
        with stoppable() as came, pytest.raises(KeyboardInterrupt):
            _interrupted(made)
    finally:
        signal.signal(signal.SIGINT, before)
    assert set(came) == {signal.SIGINT}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_signal_at_either_end_of_a_command_is_one_line(monkeypatch, capsys, error):
    def interrupted(*_given):
        raise error("late")

    monkeypatch.setattr(Program, "_run", interrupted)
    expected = SystemExit if error is KeyboardInterrupt else RuntimeError
    with pytest.raises(expected) as ended:
        Program("capcurve").main(["--version"])
    if error is KeyboardInterrupt:
        assert ended.value.code == 130
        assert capsys.readouterr().err == "capcurve: interrupted\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("gains no.csv -s x --bins 0.1,,", "--bins must be a number of bins, score, or"),
        ("stability no.csv no.csv -s x --bins ,", "--bins must be a number of bins, score, or"),
        ("bounds no.csv -s x --positives 1:2:3", "--positives must be LEAST:MOST, as shares of"),
        ("bounds no.csv -s x --odds :", "--odds must be LEAST:MOST, such as 1:3; got ':'"),
        ("grades no.csv -s x --design 12:3", "--design must be a number of grades such as 7, or"),
        ("generalised-auc no.csv -r a -e b --classes 1,x", "--classes must be ecb, values or"),
        ("calibration no.csv -s x --at 0.1,x", "--at takes PDs such as 0.1,0.2; got 0.1,x"),
        ("audit no.csv --claim ks=", "--claim must be METRIC=NUMBER, such as ks=0.37 or"),
        ("audit no.csv --column =n", "--column must be HEADING=NAME, such as 'Bad %=rate'"),
        ("audit no.csv --decimals a=b", "--decimals must be a number of decimals, or COLUMN="),
        ("validate no.csv -s x --subject =4", "--subject must be KEY=VALUE, such as model='SME"),
        ("check no.csv -s x --min-lift 0.1", "--min-lift must be SHARE=MINIMUM, such as 0.1=2"),
    ],
)
def test_what_is_typed_wrongly_is_refused_before_a_file_is_read(words, said):
    assert said in refused(*words.split())
