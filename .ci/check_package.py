"""Install a wheel or a source archive into a clean environment and use it as a stranger would."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "demo.txt"
ACCURACY_RATIO = 0.48561479297048116
FORBIDDEN = ("matplotlib", "scipy", "duckdb", "click", "pandas", "polars", "pyarrow")


def run(*command: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command that must end with `code`."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603 - our own package
    if done.returncode != code:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def locked_versions(folder: Path) -> str:
    """Write what is locked without its hashes, since what is installed has none there."""
    versions = re.findall(r"^\S+==[^\\\n]+", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    path = folder / "versions.txt"
    path.write_text("\n".join(versions), encoding="utf-8")
    return str(path)


def main(package: Path) -> None:
    """Check the package: base install, imports, command line, and the plot extra."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env")
        python, capcurve = (str(folder / "env" / "bin" / n) for n in ("python", "capcurve"))
        pip = (sys.executable, "-m", "pip", "--python", python, "--quiet")
        install = (*pip, "install", "--constraint", locked_versions(folder))
        run(*install, str(package), cwd=folder)
        loaded = f"import sys, capcurve; print([m for m in {FORBIDDEN!r} if m in sys.modules])"
        found = run(python, "-W", "error", "-c", loaded, cwd=folder).stdout.strip()
        if found != "[]":
            raise SystemExit(f"import capcurve loads {found}")
        run(capcurve, "example", "loans", cwd=folder)
        ask = ("loans.csv", "--target", "y", "--score", "grade_rank")
        told = run(capcurve, "summary", *ask, "--format", "json", cwd=folder).stdout
        ratio = json.loads(told)["scores"][0]["accuracy_ratio"]
        if ratio != ACCURACY_RATIO:
            raise SystemExit(f"the accuracy ratio is {ratio}, not {ACCURACY_RATIO}")
        run(capcurve, "report", *ask, cwd=folder)
        refused = run(capcurve, "plot", *ask, "-o", "cap.png", cwd=folder, code=2)
        if "capcurve[plot]" not in refused.stderr or "Traceback" in refused.stderr:
            raise SystemExit(f"plot without matplotlib says: {refused.stderr}")
        run(*install, f"{package}[plot]", cwd=folder)
        run(capcurve, "plot", *ask, "-o", "cap.png", cwd=folder)
    print(f"{package.name}: installs and works on its own")  # noqa: T201 - a script


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
