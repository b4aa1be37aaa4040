"""What is released: a wheel that says what it holds, and a source archive that tests itself."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import capcurve as cap

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ASSETS = ROOT / "src" / "capcurve" / "show" / "assets"
BUNDLED = json.loads((ROOT / "report" / "page.cdx.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Return the source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("released")
    command = [sys.executable, "-m", "build", "--quiet", "--no-isolation", "--outdir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


@pytest.mark.release
def test_the_wheel_says_what_it_holds(released):
    with zipfile.ZipFile(released[1]) as wheel:
        names = wheel.namelist()
        about = f"capcurve-{cap.__version__}.dist-info"
        told = message_from_bytes(wheel.read(f"{about}/METADATA"))
        assert json.loads(wheel.read(f"{about}/sboms/page.cdx.json")) == BUNDLED
    assert told["License-Expression"] == "MIT AND ISC AND CC0-1.0"
    licences = {f"{about}/licenses/{name}" for name in told.get_all("License-File")}
    assert licences == {name for name in names if "licen" in name.lower()}
    assert len({Path(name).name for name in licences}) == len(licences) == 3
    assert {"capcurve/py.typed", "capcurve/__pyinstaller/hook-capcurve.py"} <= {*names}
    sought = ("lift chart", "cumulative gains", "gains table", "Gini", "KS")
    assert [word for word in sought if word not in told["Summary"]] == []
    assert {*sought} <= {*told["Keywords"].split(",")}


def test_the_bill_of_materials_names_what_the_page_bundles():
    script = (ASSETS / "page.js").read_text(encoding="utf-8")
    banner = (ROOT / "report" / "LICENSES.txt").read_text(encoding="utf-8").strip()
    assert banner in script
    locked = json.loads((ROOT / "report" / "package-lock.json").read_text(encoding="utf-8"))
    parts = {part["name"]: part for part in BUNDLED["components"]}
    assert [*parts] == re.findall(r"^([\w-]+): Copyright", banner, re.MULTILINE)
    for name, part in parts.items():
        assert part["version"] == locked["packages"][f"node_modules/{name}"]["version"]
        assert part["licenses"] == [{"license": {"id": "ISC"}}]


def test_every_address_comes_from_one_line():
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    repository = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"].get("repository")
    assert hook["addresses"](None) == {}
    urls = hook["addresses"]("https://example.org/capcurve")
    assert urls["Issues"] == "https://example.org/capcurve/issues"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.findall(r"^(?:url|repository-code): \"?([^\"\n]+)", citation, re.MULTILINE)
    assert cited == ([repository] * 2 if repository else [])


@pytest.mark.release
def test_the_source_archive_holds_what_is_committed(released):
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("there is no repository here")
    told = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    with tarfile.open(released[0]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {*told.split("\n")} - {""} <= held


@pytest.mark.release
def test_the_source_archive_builds_lints_and_tests_itself(released, tmp_path):
    with tarfile.open(released[0]) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = next(tmp_path.iterdir())
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}

    def run(*command):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
        return done.stdout

    run("ruff", "check", ".")
    run("ruff", "format", "--check", ".")
    run("build", "--quiet", "--no-isolation", "--wheel")
    [wheel] = (folder / "dist").glob("*.whl")
    assert wheel.read_bytes() == released[1].read_bytes()
    some = [
        "tests/curves/test_curves.py",
        "tests/package/test_face.py",
        "tests/package/test_requirements.py",
    ]
    told = run("pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *some)
    assert re.search(r"\d+ passed", told)


def test_the_conda_recipe_asks_for_the_same():
    recipe = (ROOT / "extras" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    lists = dict(re.findall(r"^  (\w+):\n((?:    - .+\n)+)", recipe, re.MULTILINE))
    asked = {name: {*re.findall("- (.+)", lines)} for name, lines in lists.items()}
    called = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}

    def names(lines):
        found = (re.match(r"([\w.-]+)>=([^; ]+)", line).groups() for line in lines)
        return {f"{called.get(name, name).lower()} >={least}" for name, least in found}

    project = PROJECT["project"]
    python = project["requires-python"]
    assert asked["run"] == names(project["dependencies"]) | {"python >=${{ python_min }}"}
    extras = project["optional-dependencies"]
    brought = (line for name in extras if name != "all" for line in extras[name])
    assert asked["run_constraints"] == names(brought)
    assert asked["license_file"] == {*project["license-files"]}
    assert f'python_min: "{python.removeprefix(">=")}"' in recipe
    assert f"version: {cap.__version__}\n" in recipe
    assert f"license: {project['license']}\n" in recipe
    assert names(PROJECT["build-system"]["requires"]) <= asked["host"]


def test_the_release_pins_what_it_uses_and_runs_nothing_where_it_publishes():
    text = (ROOT / "extras" / "release.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action, _ in used)
    assert all(re.fullmatch(r" # v[\d.]+", version) for _, version in used)
    before, publishes = text.split("\n  publish:\n")
    assert "write" not in before
    assert "run:" not in publishes
    tested = re.search(r"python: \[(.*)\]", before)[1].replace('"', "").split(", ")
    named = [line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"]]
    assert tested == [version for version in named if re.fullmatch(r"3\.\d+", version)]
