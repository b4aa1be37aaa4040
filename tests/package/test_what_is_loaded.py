"""What a command loads, counted: whoever waits for it waits for nothing else."""

import subprocess
import sys


def loaded_by(*words):
    """Return the names of all modules there are once a command has run."""
    code = (
        "import sys\nfrom capcurve.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    run = [sys.executable, "-c", code, *map(str, words)]
    found = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    return set(found.stderr.splitlines()[-1].split())


def own(names):
    return {name for name in names if name.partition(".")[0] == "capcurve"}


def test_help_loads_no_command_and_no_numbers():
    loaded = loaded_by("--help")
    assert loaded.isdisjoint({"numpy", "narwhals", "duckdb", "scipy"})
    assert len(own(loaded)) <= 8, sorted(own(loaded))
