"""What tests need beyond what `make test` installs; where it is missing they are left out."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

# Where a merge is judged nothing may be missing; elsewhere the tests that need it are left out.
REQUIRED = os.environ.get("CAPCURVE_REQUIRE_ALL") == "1"
ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
TRY = ROOT / "dist" / "try"  # the page that makes reports in a browser
DEBIAN = "sudo apt-get install --no-install-recommends"
BRINGS = {
    "Java": f"{DEBIAN} default-jre-headless",
    "Chromium": f"{DEBIAN} chromium",
    "PostgreSQL": f"{DEBIAN} postgresql",
    "MariaDB": f"{DEBIAN} mariadb-server-core mariadb-client-core",
    "LibreOffice": f"{DEBIAN} libreoffice-calc-nogui",
    "node": f"{DEBIAN} npm",
    "site": "make docs",
    "WebAssembly": "make try",
    "a release": ".ci/release",
}
# Missing even where a merge is judged: a release takes a command of its own, and wheels for
# WebAssembly come from a package that may vanish.
MAY_LACK = frozenset({"a release", "WebAssembly"})
PROGRAMS = {"Java": "java", "Chromium": "chromium", "LibreOffice": "soffice", "MariaDB": "mariadbd"}
PROGRAMS |= {"node": "node"}
# Of the fixtures that start something: what a test needs that uses one of them.
FIXTURES = {
    "browser": ("playwright", "Chromium"),
    "spark_classic": ("pyspark", "Java"),
    "spark_connect": ("pyspark", "Java"),
    "books": ("LibreOffice",),
    "built": ("site",),
    "hosted": ("WebAssembly",),
}
# Engines as parameters of tests.
IBIS = pytest.param("ibis_on_duckdb", marks=pytest.mark.needs("ibis"))
DASK = pytest.param("dask", marks=pytest.mark.needs("dask"))
SPARK = pytest.param("spark", marks=pytest.mark.needs("pyspark", "Java"))
CONNECT = pytest.param("spark_connect", marks=[*SPARK.marks, pytest.mark.merge])


def is_here(what):
    """Say whether something that tests need is on this machine: a program, or a module."""
    if what == "time":
        return REQUIRED
    if what == "a release":
        return os.environ.get("CAPCURVE_RELEASE") == "1"
    if what == "site":
        return SITE.exists()
    if what == "WebAssembly":
        return (TRY / "sw.js").exists()  # it is filled last
    if what == "PostgreSQL":  # Debian keeps its programs out of the path
        return bool(shutil.which("initdb") or [*Path("/usr/lib/postgresql").glob("*/bin")])
    if what in PROGRAMS:
        return shutil.which(PROGRAMS[what]) is not None
    return importlib.util.find_spec(what) is not None


def needed(item):
    """Return what a test needs, by its marks and by its fixtures."""
    marked = [what for mark in item.iter_markers("needs") for what in mark.args]
    started = [what for name in FIXTURES.keys() & {*item.fixturenames} for what in FIXTURES[name]]
    late = {"merge": "time", "release": "a release"}
    waiting = [what for mark, what in late.items() if item.get_closest_marker(mark)]
    return [*marked, *started, *waiting]


def left_out(counts):
    """Say how many tests were left out, for want of what, and what brings it."""
    wanting = {}
    for what, tests in sorted(counts.items()):
        wanting.setdefault(BRINGS.get(what, "make full"), []).append(f"{what} {tests:,}")
    return [
        f"left out, for want of {', '.join(names)}: {brings}" for brings, names in wanting.items()
    ]
