"""Run some files of tests: what `run.mjs` is given to find differences that their laws tell."""

import os
import sys
from importlib.metadata import version

# As pyproject.toml has it, less what needs processes: nothing there is seen from here.
MARKERS = "merge", "release", "turns(n)", "needs(*names)", "more", "timeout(n)", "xdist_group(name)"


def main():
    """Run the files that are named, and leave with what pytest says of them."""
    os.chdir("/capcurve/tests")
    sys.path[:0] = ["/capcurve/tests", "/capcurve/tests/wasm"]
    sys.dont_write_bytecode = True
    __import__("native_of_hypothesis").install(version("hypothesis"))
    pytest = __import__("pytest")
    options = [
        *("--config-file=/dev/null", "--rootdir=/capcurve/tests", "--strict-markers"),
        *("-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:faulthandler"),
        *("-o", "markers=" + "\n".join(MARKERS)),
        *("-W", "error", "-W", "ignore::pytest.PytestConfigWarning"),
    ]
    sys.exit(pytest.main([*options, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
