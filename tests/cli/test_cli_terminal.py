"""On a terminal and in a pipe: the same data, colours only where they are wanted."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
import time

import click
import numpy as np
import pytest

from cli_calls import call, done, ended, on_terminal, process

RNG = np.random.default_rng(11)
Y = (RNG.random(200) < 0.3).astype(int)
ROWS = "y,s,o\n" + "".join(
    f"{y},{s:.3f},{s:.1f}\n" for y, s in zip(Y, RNG.random(200) + Y, strict=True)
)
PAIR = ("-t", "y", "-s", "s")
# A command in this process, and as a real one, which takes long to start.
HERE_AND_REAL = pytest.mark.parametrize(
    "real", [False, pytest.param(True, marks=pytest.mark.merge)], ids=["here", "real"]
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    (tmp_path / "rows.csv").write_text(ROWS)


@pytest.mark.turns(3)
@HERE_AND_REAL
@pytest.mark.parametrize(
    ("command", "form"), [("summary", "json"), ("summary", "md"), ("gains", "csv")]
)
def test_data_is_the_same_on_a_terminal_and_in_a_pipe(command, form, real):
    words = [command, "rows.csv", *PAIR, "-s", "o", "-f", form]
    chatter, data = on_terminal(*words, stdout=False, real=real)
    assert data == done(*words).stdout_bytes
    assert data not in chatter
    # A slow machine shows progress first, which the command wipes away.
    shown = on_terminal(*words, real=real)[0].rpartition(b"\r")[2]
    assert shown.startswith(data)
    assert b"\x1b" not in shown[: len(data)]


@pytest.mark.merge
@HERE_AND_REAL
def test_colours_are_for_terminals_that_want_them(real):
    words = ["summary", "rows.csv", *PAIR, "-s", "o"]
    assert b"\x1b[1m" in on_terminal(*words, real=real)[0]
    assert b"\x1b" not in on_terminal(*words, env={"NO_COLOR": "1"}, real=real)[0]
    assert b"\x1b" not in on_terminal(*words, env={"TERM": "dumb"}, real=real)[0]
    piped = (process if real else call)(*words)
    assert "\x1b" not in str(piped.stdout) + str(piped.stderr)


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(tmp_path, columns):
    (tmp_path / "named.csv").write_text(ROWS.replace("y,s,o", "y,challenger_gbm,o"))
    for words in (
        ["gains", "rows.csv", *PAIR],
        ["gains", "rows.csv", *PAIR, "--interval", "wilson"],
        ["summary", "named.csv", "-t", "y", "-s", "challenger_gbm", "-s", "o"],
        ["summary", "rows.csv"],
    ):
        env = {"NO_COLOR": "1"}
        shown = on_terminal(*words, env=env, columns=columns)[0].decode()
        assert max(map(len, shown.splitlines())) <= columns


@pytest.mark.merge
def test_a_narrow_terminal_keeps_the_intervals(tmp_path):
    rows = "y,behavioural_pd,gbm_challenger,product\n" + "".join(
        f"{y},{s:.3f},{1 - s:.3f},{name}\n"
        for y, s, name in zip(
            Y, RNG.random(200), ["Consumer loan", "SME term loan"] * 100, strict=True
        )
    )
    (tmp_path / "long.csv").write_text(rows)
    scores = ("-s", "behavioural_pd", "-s", "gbm_challenger", "--by", "product")
    for command in ("summary", "implied"):
        shown, _ = on_terminal(command, "long.csv", "-t", "y", *scores, env={"NO_COLOR": "1"})
        lines = shown.decode().splitlines()
        assert max(map(len, lines)) <= 80
        (row,) = [line for line in lines if line.startswith("gbm_challenger SME term loan ")]
        assert "[" in row
        assert "not shown for lack of width" in shown.decode()


def test_verdicts_have_their_colours_on_a_terminal(tmp_path):
    rules = ("--min-ar", "0.2", "--min-ks", "0.99")
    shown = on_terminal("check", "rows.csv", *PAIR, *rules)[0].decode()
    assert shown.startswith("\x1b[31m\x1b[1mFAIL\x1b[0m KS")  # what fails comes first
    assert "\n\x1b[32m\x1b[1mPASS\x1b[0m accuracy ratio" in shown
    assert shown.endswith("\n1 of 2 rules failed\n")
    plain = on_terminal("check", "rows.csv", *PAIR, *rules, env={"NO_COLOR": "1"})[0].decode()
    assert plain.startswith("FAIL KS")
    refused = on_terminal("summary", "nope.csv", *PAIR)[0].decode()
    assert refused == "\x1b[31m\x1b[1mcapcurve: error:\x1b[0m nope.csv: no such file\n"
    (tmp_path / "limits.toml").write_text("[accuracy_ratio]\ngreen = 0.2\nred = 0.1\n")
    sheet = on_terminal("validate", "rows.csv", *PAIR, "--limits", "limits.toml", columns=140)[
        0
    ].decode()
    assert "\x1b[32m\x1b[1mgreen\x1b[0m" in sheet
    narrow = on_terminal("validate", "rows.csv", *PAIR, "--limits", "limits.toml")[0].decode()
    assert "Accuracy ratio: \x1b[32m\x1b[1mgreen\x1b[0m; green ≥ 0.2" in narrow
    assert "\x1b[1mgreen\x1b[0m ≥" not in narrow


@pytest.mark.turns(3)
@pytest.mark.parametrize("columns", range(60, 80))
def test_no_line_ends_inside_a_p_value(columns):
    words = ("compare", "rows.csv", *PAIR, "-s", "o", "--higher-is", "o=negative")
    shown = on_terminal(*words, columns=columns)[0].decode().splitlines()
    assert any("p < 0.001" in line for line in shown)
    assert not any(line.endswith((" p", " p <")) for line in shown)


def test_findings_have_two_levels_on_a_terminal_and_all_in_json(tmp_path):
    (tmp_path / "tied.csv").write_text("y,s\n1,1\n1,2\n0,1\n0,2\n0,1\n1,2\n")
    told = call("summary", "tied.csv", *PAIR)
    heads = {line.split(":")[0] for line in told.stderr.splitlines() if line[:1].isalpha()}
    assert heads <= {"note", "warning"}
    assert "note" in heads
    found = json.loads(done("summary", "tied.csv", *PAIR, "-f", "json").stdout)
    assert "info" in {each["severity"] for each in found["scores"][0]["findings"]}


@pytest.mark.merge
def test_the_real_command_answers():
    refused = process("summary", "nope.csv", *PAIR)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr == b"capcurve: error: nope.csv: no such file\n"


def test_it_says_what_it_is_and_can_do():
    assert done("--version").stdout.startswith("capcurve 0.")
    assert "Usage: capcurve" in done("-h").stdout
    nothing = call()
    assert nothing.exit_code == 2
    assert "Usage: capcurve" in nothing.stderr
    assert nothing.stdout == ""


@pytest.mark.merge
def test_the_real_command_says_what_it_is_and_can_do():
    assert process("--version").stdout.startswith(b"capcurve 0.")
    assert b"Usage: capcurve" in process("-h").stdout
    nothing = process()
    assert nothing.returncode == 2
    assert b"Usage: capcurve" in nothing.stderr
    assert nothing.stdout == b""


def test_a_pipe_reads_stdin_and_gives_json():
    result = done("summary", "-", *PAIR, "-f", "json", data=ROWS)
    assert json.loads(result.stdout)["scores"][0]["n"] == 200


@pytest.mark.merge
def test_a_real_pipe_reads_stdin_and_gives_json():
    result = process("summary", "-", *PAIR, "-f", "json", input=ROWS.encode())
    assert json.loads(result.stdout)["scores"][0]["n"] == 200


@pytest.mark.parametrize("words", [["curve", "rows.csv", *PAIR, "-f", "csv"], ["--help"]])
def test_a_reader_that_stops_early_is_no_error(words):
    inner, outer = os.pipe()
    os.close(inner)
    with open(outer, "w", encoding="utf-8") as stdout:  # noqa: PTH123 - a descriptor
        stderr = io.StringIO()
        assert ended(*words, stdout=stdout, stderr=stderr) == 0
    assert stderr.getvalue() in {"", "note: bins differ"}


@pytest.mark.merge
@pytest.mark.parametrize("words", [["curve", "rows.csv", *PAIR, "-f", "csv"], ["--help"]])
def test_a_reader_that_stops_the_real_command_early_is_no_error(words):
    inner, outer = os.pipe()
    os.close(inner)
    command = [sys.executable, "-m", "capcurve", *words]
    result = subprocess.run(command, stdout=outer, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(outer)
    assert result.stderr in {b"", b"note: bins differ"}
    assert result.returncode == 0


@pytest.mark.parametrize(
    "form", ["csv", *(pytest.param(form, marks=pytest.mark.merge) for form in ("table", "json"))]
)
def test_data_is_utf8_whatever_the_locale(tmp_path, form):
    (tmp_path / "names.csv").write_text("y,é\n1,2\n0,1\n")
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = process("summary", "names.csv", "-t", "y", "-s", "é", "-f", form, env=env)
    assert result.returncode == 0
    assert "é".encode() in result.stdout


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (["--help"], {"scipy", "matplotlib", "duckdb", "pandas"}),
        (["gains", "rows.csv", *PAIR], {"scipy.stats", "matplotlib", "pandas", "pyarrow"}),
        *(
            pytest.param([command, "rows.csv", *PAIR, *more], unwanted, marks=pytest.mark.merge)
            for command, more, unwanted in (
                ("summary", [], {"scipy.stats", "matplotlib", "pandas"}),
                ("report", ["-o", "r.html"], {"scipy.stats", "matplotlib"}),
            )
        ),
    ],
)
def test_only_what_is_needed_is_loaded(words, unwanted):
    code = (
        "import sys\nfrom capcurve.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, check=True, timeout=60
    )
    assert unwanted.isdisjoint(result.stderr.decode().splitlines()[-1].split())


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.merge
def test_long_work_shows_that_it_goes_on(monkeypatch):
    from capcurve.cli import output

    screen = Screen()
    written = threading.Event()
    monkeypatch.setattr(screen, "flush", written.set)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(output, "PATIENCE", 0.01)
    with click.Context(click.Command("summary")), output.waiting("counting"):
        assert written.wait(30)
        assert screen.getvalue().startswith("\r\rcounting: 0 s\r")
        with output.waiting("judging") as through:
            for _ in through("ab"):
                written.clear()
                assert written.wait(30)
    assert re.search(r"\rjudging, [12] of 2: [0-9]+ s\r", screen.getvalue())
    assert re.search(r"s\r\r +\r$", screen.getvalue())
    monkeypatch.setattr(output, "PATIENCE", 30)
    before = screen.getvalue()
    with output.waiting("quick"):
        pass
    assert screen.getvalue() == before


def test_the_line_of_long_work_is_for_a_terminal_only(monkeypatch):
    from capcurve.cli import output

    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr(output, "PATIENCE", 0.001)
    with output.waiting("counting"):
        time.sleep(0.05)
    assert pipe.getvalue() == ""
    monkeypatch.setenv("CAPCURVE_PROGRESS", "1")
    with output.waiting("counting"):
        time.sleep(0.05)
    assert pipe.getvalue() == "counting: 0 s\n"


def test_every_command_has_help():
    from capcurve.cli import main

    for name, command in main.commands.items():
        assert command.name == name
        text = done(name, "-h").stdout
        alone = name in ("example", "schema")
        assert "FILE" in text or "--table NAME" in text or alone
        named = ("--target", "--realised", "--positives", "-t y")
        assert any(option in text for option in named) or alone
        silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help]
        assert silent == []


def test_help_groups_commands_and_options_and_cuts_nothing():
    from capcurve.cli.program import JOBS

    shown = done("--help").stdout
    assert "..." not in shown.split("Look:")[1]
    assert "\n\nMonitor:\n  check            Check a score against minimums" in shown
    assert [shown.index(f"\n{job}:") for job in JOBS] == sorted(
        shown.index(f"\n{job}:") for job in JOBS
    )
    assert "\nCommands:" not in shown
    text = done("report", "--help").stdout
    heads = ["Most used", "What to compute", "Columns and rows", "Reading the file", "Output"]
    places = [text.index(f"\n{head}:") for head in heads]
    assert places == sorted(places)
    used, computed, columns, read, written = (
        text[start:end] for start, end in zip(places, [*places[1:], None], strict=True)
    )
    assert "--target" in used
    assert "--pos-label" in columns
    assert "--level " in computed
    assert "--delimiter" in read
    assert "--output" in used
    assert "--help" in written


def test_missing_outcomes_lead_to_bounds_and_name_the_line(tmp_path):
    (tmp_path / "young.csv").write_text("y,s\n" + "1,1\n0,2\n" * 600 + ",3\n")
    told = " ".join(call("summary", "young.csv", *PAIR).stderr.split())
    assert told == (
        "capcurve: error: y is missing in 1 of 1,201 rows, first in line 1,202; for outcomes that "
        "are not known yet use capcurve bounds, else pass --missing drop to leave such rows out"
    )
    # A field of two lines moves the lines below it, so the row is named.
    (tmp_path / "quoted.csv").write_text('y,s,word\n1,1,"a\nb"\n0,,c\n')
    told = call("summary", "quoted.csv", *PAIR).stderr
    assert "first in row 2;" in " ".join(told.split())


def test_an_amount_named_as_the_target_leads_to_the_option_for_amounts(tmp_path):
    rows = "".join(f"{i * 1.5},{i}\n" for i in range(20))
    (tmp_path / "loss.csv").write_text("loss,s\n" + rows)
    told = call("summary", "loss.csv", "-t", "loss", "-s", "s").stderr
    assert "pass --amount loss in place of --target" in " ".join(told.split())


def test_words_that_mean_an_event_come_first(tmp_path):
    (tmp_path / "bad.csv").write_text("bad,s\nyes,1\nno,2\nno,3\n")
    told = " ".join(call("summary", "bad.csv", "-t", "bad", "-s", "s").stderr.split())
    assert "bad holds 'yes' (1), 'no' (2)" in told
    assert told.endswith("with --pos-label yes or --pos-label no")


def test_all_likely_scores_and_amounts_are_proposed(tmp_path):
    rows = "".join(f"{i % 2},{i},{i * 2},{i * 1.5}\n" for i in range(20))
    (tmp_path / "many.csv").write_text("default,pd,challenger,loss\n" + rows)
    told = call("summary", "many.csv").stderr
    assert "--target default --score pd\n" in told
    assert "\nOther columns that may be scores: -s challenger\n" in told
    assert told.endswith("\nTo rank an amount in place of a target: --amount loss\n")
    (tmp_path / "claims.csv").write_text("pd,ead,loss\n0.1,10,2\n0.2,20,0\n0.3,15,4\n")
    told = call("summary", "claims.csv").stderr
    assert told.endswith(
        "\n  capcurve summary claims.csv --amount loss --exposure ead --score pd\n"
    )
    assert "Likely: amount 'loss'; exposure 'ead'; score 'pd'. Then run:" in told
    (tmp_path / "two.csv").write_text("pd,ead,years,loss\n0.1,10,1,2\n0.2,20,2,0\n0.3,15,3,4\n")
    told = call("summary", "two.csv").stderr
    assert "\n  capcurve summary two.csv --amount loss --score pd\n" in told
    assert told.endswith("\nThe size of each row may be --exposure ead or --exposure years\n")
    (tmp_path / "both.csv").write_text("default,pd,ead,loss\n0,0.1,10,2\n1,0.2,20,0\n1,0.3,15,4\n")
    told = call("summary", "both.csv").stderr
    assert told.endswith(" target: --amount loss, perhaps with --exposure ead\n")


def test_ids_as_segments_lead_to_clusters(tmp_path):
    rows = "".join(f"{i % 2},{i},p{i // 6}\n" for i in range(6600))
    (tmp_path / "people.csv").write_text("y,s,person\n" + rows)
    told = " ".join(call("summary", "people.csv", *PAIR, "--by", "person").stderr.split())
    assert "person has 1,100 values and looks like an id" in told
    assert "for dependent rows use --cluster person; for segments pass fewer" in told
