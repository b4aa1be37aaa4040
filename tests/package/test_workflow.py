"""The workflow to copy: its steps run in a shell as on GitHub, and fail when they should."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / "examples" / "ci" / "check-score.yml").read_text(encoding="utf-8")
# How GitHub starts bash for a step.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")


def steps(workflow):
    """Return the scripts of a workflow, in order."""
    found = re.findall(r"^( +)run: (?:\|\n((?:\1  .*\n)+)|(.+)\n)", workflow, re.MULTILINE)
    return [textwrap.dedent(block) or line for _, block, line in found]


def ran(workflow, folder):
    """Run all scripts but the first, which installs; return how the last ended, and the summary."""
    programs = folder / "bin"
    programs.mkdir()
    program = programs / "capcurve"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m capcurve "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    summary = folder / "summary.md"
    place = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    seen = {**os.environ, **place, "GITHUB_STEP_SUMMARY": str(summary)}
    for script in steps(workflow)[1:]:
        done = subprocess.run(
            [*BASH, script], cwd=folder, env=seen, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in done.stderr
    return done.returncode, summary.read_text(encoding="utf-8")


def test_it_installs_what_there_is_and_no_version_that_is_not_released():
    assert steps(WORKFLOW)[0] == "pip install --find-links wheels capcurve"
    shown = (ROOT / "docs" / "howto" / "github-actions.md").read_text(encoding="utf-8")
    assert steps(WORKFLOW)[0] in shown
    assert "capcurve==" not in WORKFLOW + shown


def test_it_checks_once():
    assert " ".join(steps(WORKFLOW)).count("capcurve check") == 1


def test_every_action_has_a_version():
    assert len(steps(WORKFLOW)) == 3
    actions = re.findall(r"uses: (\S+)", WORKFLOW)
    assert len(actions) == 3
    assert [action for action in actions if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


@pytest.mark.merge
def test_a_score_that_reaches_its_minimums_passes(tmp_path):
    code, summary = ran(WORKFLOW, tmp_path)
    assert code == 0
    assert "PASS: 2 of 2 rules passed." in summary
    suite = ET.parse(tmp_path / "checks.xml").getroot()  # noqa: S314 - a file of our own
    assert [len(suite.findall(f".//{what}")) for what in ("testcase", "failure")] == [2, 0]
    assert (tmp_path / "score.html").stat().st_size > 100_000


@pytest.mark.merge
def test_a_score_that_does_not_reach_them_fails_and_everything_is_told(tmp_path):
    code, summary = ran(WORKFLOW.replace("--min-ar 0.45", "--min-ar 0.5"), tmp_path)
    assert code == 1
    assert re.search(r"FAIL: accuracy ratio 0\.\d+, at least 0\.5 asked for \(lower limit", summary)
    suite = ET.parse(tmp_path / "checks.xml").getroot()  # noqa: S314 - as above
    assert len(suite.findall(".//failure")) == 1
    assert (tmp_path / "score.html").is_file()
