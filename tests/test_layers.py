"""Imports run downward only, and importing the library loads no heavy one."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "capcurve"

# Each module may import those named here and what they may import, never what stands above it.
MAY_IMPORT = {
    "version": (),
    "counts": (),
    "columns": (),
    "arrays": ("counts", "columns"),
    "engines": ("arrays", "counts", "columns"),
    "frames": ("columns", "counts", "engines"),
    "files": ("arrays", "counts", "columns", "frames"),
    "doors": ("arrays", "counts", "columns", "engines", "frames", "files"),
    "curves": ("counts",),
    "metrics": ("counts", "curves"),
    "tables": ("counts", "curves", "metrics"),
    "inference": ("counts", "curves", "metrics", "tables"),
    "summary": ("counts", "curves", "metrics", "tables", "inference", "version"),
    "text": ("counts", "curves", "metrics", "tables", "inference", "summary", "version"),
    "plots": ("counts", "curves", "metrics", "tables", "inference", "summary"),
    "report": ("counts", "curves", "metrics", "tables", "inference", "summary", "version"),
    "evaluation": (
        *("arrays", "counts", "columns", "doors", "files"),
        *("curves", "metrics", "tables", "inference", "summary", "report", "plots"),
    ),
    "compat": ("arrays", "columns", "counts", "curves", "doors", "metrics", "plots"),
}
HEAVY = ("scipy", "duckdb", "matplotlib", "click", "pandas", "polars", "pyarrow", "torch")


def modules_imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative imports hide where an arrow points"
            names = [node.module or ""]
            if node.module == "capcurve":
                names = [f"capcurve.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.startswith("capcurve."):
                yield name.split(".")[1]


def module_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_run_downward(path):
    module = module_of(path)
    if module in {"__init__", "__main__", "cli"}:
        return  # the face and the command line stand above everything
    wrong = {
        other for other in modules_imported(path) if other not in {module, *MAY_IMPORT[module]}
    }
    assert not wrong, f"{module} must not import {sorted(wrong)}"


def test_every_module_is_in_the_table():
    modules = {module_of(path) for path in FILES} - {"__init__", "__main__", "cli"}
    assert modules == set(MAY_IMPORT)


def test_the_table_has_no_circle():
    placed = set()
    while len(placed) < len(MAY_IMPORT):
        free = {r for r, below in MAY_IMPORT.items() if r not in placed and set(below) <= placed}
        assert free, f"a circle among {set(MAY_IMPORT) - placed}"
        placed |= free


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_are_small_and_open_with_a_sentence(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 500
    sentence = ast.get_docstring(ast.parse(text))
    assert sentence, f"{path} has no opening sentence"
    assert sentence.splitlines()[0].endswith(".")


def test_importing_the_library_loads_nothing_heavy():
    code = f"import sys, capcurve; print([name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_no_library_reads_outside_its_own_folder():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert "../shared" not in text


# What puts neighbouring cells together, or makes cells of its own, must carry weights and
# clusters along: only these may.
MAKE_CELLS = {"counts", "arrays", "files", "inference/null_bands.py"}
MAKERS = {"ScoreCounts", "JointCounts", "from_counts", "from_ascending"}
CELLS = {"positives", "negatives", "positive_roots", "negative_roots"}


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_cells_are_put_together_in_one_way(path):
    calls = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]
    replaced = [n for n in calls if called(n) == "replace"]
    assert not [n for n in replaced if CELLS & {k.arg for k in n.keywords}]
    if module_of(path) not in MAKE_CELLS and str(path.relative_to(SOURCE)) not in MAKE_CELLS:
        assert not [n.lineno for n in calls if called(n) in MAKERS], "use ScoreCounts.joined"
