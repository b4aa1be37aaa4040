"""What tests need beyond Python: without it they are left out, and the end of a run names it."""

import collections
import importlib
import os
import re

import pytest

# Where a merge is judged nothing may be missing; elsewhere its tests are skipped.
REQUIRED = os.environ.get("CAPCURVE_REQUIRE_ALL") == "1"
BRINGS = {
    "Java": "sudo apt-get install default-jre-headless",
    "Chromium": "sudo apt-get install chromium",
    "PostgreSQL": "sudo apt-get install postgresql",
    "MariaDB": "sudo apt-get install mariadb-server-core mariadb-client-core",
    "dbt": "pip install 'dbt-core<1.12' dbt-duckdb, in an environment of its own",
    "LibreOffice": "sudo apt-get install --no-install-recommends libreoffice-calc-nogui",
    "site": "make docs",
    "time": "CAPCURVE_REQUIRE_ALL=1 make test, as .ci/run does",
}


def need(module):
    """Import a module; without it skip, or fail where nothing may be missing."""
    try:
        return importlib.import_module(module)
    except ImportError:
        leave_out(module.partition(".")[0])


def leave_out(what):
    """Skip a test that needs something, or fail where nothing may be missing."""
    if REQUIRED:
        pytest.fail(f"needs {what}, and CAPCURVE_REQUIRE_ALL asks for every test")
    pytest.skip(f"needs {what}")


def left_out(reasons):
    """Say how many of the reasons for skipping name something missing, and what brings it."""
    found = collections.Counter(
        named[1] for reason in reasons if (named := re.search(r"needs (\S+)$", reason))
    )
    return [
        f"{tests} tests were left out, which need {what}: {BRINGS.get(what, 'make merge')}"
        for what, tests in sorted(found.items())
    ]
