"""The help of every command: two examples that run, and the most used options first."""

import re
import shlex

import pytest

from capcurve.cli.examples import EXAMPLES
from capcurve.cli.program import JOBS, main
from cli_calls import call, done, with_examples

NAMES = [name for names in JOBS.values() for name in names]
TYPED = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return with_examples(tmp_path_factory.mktemp("examples"))


def test_the_list_of_commands_says_how_the_help_of_each_begins():
    beginnings = {name: main.commands[name].get_short_help_str(55) for name in NAMES}
    assert {n: said for made in JOBS.values() for n, (*_, said) in made.items()} == beginnings


def test_every_command_has_two_examples():
    assert [*EXAMPLES] == NAMES
    assert {len(lines) for lines in EXAMPLES.values()} == {2}


@pytest.mark.turns(4)
@pytest.mark.parametrize(("name", "line"), TYPED)
def test_an_example_runs_as_it_stands(name, line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    program, *words = shlex.split(re.split(r"[|>]", line)[0])
    assert (program, words[0]) == ("capcurve", name)
    done(*words)


@pytest.mark.parametrize("name", NAMES)
def test_help_begins_with_the_examples_and_the_most_used_options(name):
    shown = call(name, "--help").stdout
    sections = re.findall(r"^([A-Z][a-z ]+):$", shown, re.MULTILINE)
    assert sections[0] == "Examples"
    assert all(f"  {line}\n" in shown for line in EXAMPLES[name])
    assert sections == sorted(sections, key=ORDER.index)


ORDER = (
    *("Examples", "Most used", "What to compute", "Columns and rows", "Grades"),
    *("Censored outcomes", "Reading the file", "Output", "In detail"),
)


@pytest.mark.parametrize("name", NAMES)
def test_what_all_readers_need_fits_on_one_screen(name):
    shown = call(name, "--help").stdout.splitlines()
    groups = [number for number, line in enumerate(shown) if line.rstrip(":") in ORDER[2:]]
    assert (groups or [len(shown)])[0] <= 40
    assert all(len(line) <= 80 for line in shown if not line.startswith("  capcurve"))


def test_check_lists_its_options_by_what_they_are_for():
    first, *rest = re.split(
        r"^[A-Z][a-z ]+:\n", call("check", "--help").stdout, flags=re.MULTILINE
    )[2:]
    used, _, columns, grades, censored, read, written, detail = (
        re.findall(r"^  (?:-\w, )?(--[a-z-]+)", each, re.MULTILINE) for each in (first, *rest)
    )
    assert "--max-drop" in detail
    assert used[:6] == ["--target", "--score", "--higher-is", "--by", "--missing", "--output"]
    assert {"--min-ar", "--baseline", "--max-drop"} == {*used[6:]}
    assert {"--cluster", "--weight", "--pos-label"} < {*columns}
    assert {"--levels", "--cuts", "--grade-pd"} == {*grades}
    assert {"--time", "--event", "--horizon", "--censored-label"} < {*censored}
    assert {"--delimiter", "--encoding"} < {*read}
    assert "--format" in written
