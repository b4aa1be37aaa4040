"""The data that are installed with the library: every file, its licence, and a command to try."""

import re
import shlex
import subprocess
import sys
from importlib import util
from pathlib import Path
from typing import get_args

import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.cli.saving import TRIED
from capcurve.datasets import DatasetName, load_claims, load_loans, path
from cli_calls import call

NAMES = get_args(DatasetName)


def test_every_file_is_named_and_its_source_and_licence_are_told():
    folder = path("loans").parent
    assert {file.stem for file in folder.glob("*.csv")} == {*NAMES}
    notice = (folder / "NOTICE.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\w+)\.csv`", notice)) == {*NAMES}
    assert "Copyright (c) 2022 modeldata authors" in notice
    assert sum(file.stat().st_size for file in folder.glob("*.csv")) < 350_000


def test_the_notice_is_among_the_licences_of_the_package():
    root = Path(__file__).parents[2]
    assert '"src/capcurve/datasets/NOTICE.md"' in (root / "pyproject.toml").read_text("utf-8")


def test_the_loans_are_those_of_the_oracles():
    loans = load_loans()
    assert isinstance(loans, pd.DataFrame)
    given = pd.read_csv(Path(__file__).parents[1] / "oracles" / "data" / "lending_club_scores.csv")
    same = [name for name in given.columns if name in loans.columns]
    assert {"y", "grade_rank", "int_rate"} <= {*same}
    pd.testing.assert_frame_equal(loans[same], given[same])


@pytest.mark.parametrize(
    ("missing", "kind"),
    [((), pd.DataFrame), (("pandas",), pl.DataFrame), (("pandas", "polars"), dict)],
)
def test_loaders_use_the_frames_that_are_installed(missing, kind, monkeypatch):
    found = util.find_spec
    finds = lambda name, *more: None if name in missing else found(name, *more)  # noqa: E731
    monkeypatch.setattr(sys.modules["capcurve.datasets"], "find_spec", finds)
    loans, claims = load_loans(), load_claims()
    assert type(loans) is kind
    assert type(claims) is kind
    assert (len(loans["y"]), int(loans["y"].sum())) == (9857, 517)
    assert cap.count_scores("y", "sub_grade", data=loans, levels=grades()) == cap.count_scores(
        "y", "sub_grade", data=path("loans"), levels=grades()
    )
    assert cap.count_values("claims", "model_a", data=claims) == cap.count_values(
        "claims", "model_a", data=path("claims")
    )


# Pages that begin with what a plain installation has, and those that load data without pandas.
WITHOUT_FRAMES = (
    "README.md",
    "docs/getting-started.md",
    "docs/tour.md",
    "docs/howto/for-marketing.md",
    "docs/howto/output.md",
)
RUN = """
import doctest, sys
sys.modules |= dict.fromkeys(("pandas", "polars", "pyarrow"))
how = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
sys.exit(sum(doctest.testfile(f, module_relative=False, optionflags=how)[0] for f in sys.argv[1:]))
"""


@pytest.mark.merge
def test_whoever_has_no_pandas_can_follow_the_first_pages():
    root = Path(__file__).parents[2]
    pages = [str(root / name) for name in WITHOUT_FRAMES]
    run = [sys.executable, "-c", RUN, *pages]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_other_pages_that_load_data_import_pandas():
    root = Path(__file__).parents[2]
    files = [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.py")]
    texts = {str(file.relative_to(root)): file.read_text("utf-8") for file in files}
    loading = {name for name, text in texts.items() if "datasets.load_" in text}
    frames = {name for name in loading if re.search("import .*pandas as pd", texts[name])}
    assert loading - frames == {*WITHOUT_FRAMES}


def grades():
    """Return all grades, riskiest first."""
    return [f"{letter}{number}" for letter in "GFEDCBA" for number in (5, 4, 3, 2, 1)]


def test_another_name_is_refused():
    with pytest.raises(ValueError, match=r"name must be one of 'loans', 'claims'.*got 'loan'"):
        path("loan")


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_written_and_the_command_that_is_proposed_works(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("example", name)
    assert done.exit_code == 0
    assert (tmp_path / f"{name}.csv").read_bytes() == path(name).read_bytes()
    proposed = done.stderr.splitlines()[-1].removeprefix("note: try it with: capcurve ")
    assert proposed == TRIED[name].format(f"{name}.csv")
    assert call(*shlex.split(proposed)).exit_code == 0
    assert name in call("example", "--help").stdout


def test_what_is_there_already_is_not_overwritten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_text("mine\n", encoding="utf-8")
    done = call("example", "loans")
    assert done.exit_code == 2
    assert "loans.csv is already there; name another file with --output" in done.stderr
    assert Path("loans.csv").read_text(encoding="utf-8") == "mine\n"
    for _ in range(2):  # the same file once more is no harm
        assert call("example", "loans", "-o", "my loans.csv").exit_code == 0
    assert (
        "capcurve report 'my loans.csv' -t y"
        in call("example", "loans", "-o", "my loans.csv").stderr
    )


def test_an_unknown_name_lists_those_there_are():
    done = call("example", "titanic")
    assert done.exit_code == 2
    assert "'judge'; got 'titanic'" in done.stderr
    assert "Traceback" not in done.stderr
