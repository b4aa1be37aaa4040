"""How a script runs in WebAssembly: by node, in Pyodide."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def ran(command, more=None):
    """Return what a command printed, which must end well."""
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(more or {})},
    )
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def run(script, *arguments, packages=()):
    """Return what a script prints in WebAssembly; `packages` are folders of pure Python."""
    more = {"CAPCURVE_PACKAGES": os.pathsep.join(map(str, packages)), "CAPCURVE_ROOT": str(ROOT)}
    return ran(["node", HERE / "run.mjs", script, *arguments], more)
