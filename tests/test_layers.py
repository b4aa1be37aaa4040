"""Imports run downward only, and importing the library loads no heavy one."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "capcurve"

COUNTING = ("input", "input/arrays", "input/files")
INPUT = ("input/columns", "input/arrays", "input/frames", "input/files")
NUMBERS = ("counts", "curves", "metrics", "tables")

# From the bottom up: each module may import those named here, never what stands above it.
MAY_IMPORT = {
    "version": (),
    "view/format": (),
    "view/markup": ("view/format",),
    "counts": (),
    "sql": ("counts",),
    "input/columns": (),
    "input/arrays": ("counts", "input/columns"),
    "input/engines": ("counts", "input/columns", "input/arrays"),
    "input/frames": ("counts", "input/columns", "input/engines"),
    "input/files": ("counts", "input/columns", "input/arrays"),
    "input": ("counts", "input/engines", *INPUT),
    "curves": ("counts",),
    "metrics": ("counts", "curves"),
    "tables": ("counts", "curves", "metrics", "view/format", "view/markup"),
    "inference": ("counts", "curves", "metrics", "tables", "view/format"),
    "summary": (*NUMBERS, "inference", "version", "view/format"),
    "text": ("counts", "summary", "tables", "view", "view/format", "view/markup"),
    "view": (*NUMBERS, "inference", "summary", "view/format"),
    "plots": ("counts", "inference", "view", "view/format"),
    "report": (
        *("counts", "curves", "tables", "inference", "summary", "version"),
        *("view", "view/format", "view/markup"),
    ),
    "excel": (
        *("counts", "inference", "summary"),
        *("report", "view", "view/format", "view/markup"),
    ),
    "presented": ("counts", "input/files", "report", "plots", "text", "view"),
    "audit": (
        *("counts", "curves", "input/frames", "tables", "inference", "summary"),
        *("presented", "view", "view/format"),
    ),
    "evaluation": (
        "counts",
        *COUNTING,
        "input/columns",
        "tables",
        "inference",
        "summary",
        "monitoring",
        "report",
        "plots",
        "excel",
        "view",
    ),
    "change": (
        *("counts", "curves", "metrics", "tables", "inference", "summary"),
        *("presented", "view", "view/format"),
    ),
    "grades": (
        *("counts", "curves", "tables", "inference"),
        *("presented", "view", "view/format"),
    ),
    "unknown": (
        *("counts", "curves", "metrics", "tables", "inference", "summary"),
        *("presented", "view", "view/format"),
    ),
    "monitoring": (
        *("counts", "curves", "metrics", "tables", "inference", "summary"),
        *("presented", "view", "view/format"),
    ),
    "validation": (
        *("counts", "excel", "grades", "inference", "metrics", "monitoring"),
        *(
            "presented",
            "report",
            "summary",
            "tables",
            "text",
            "unknown",
            "version",
            "view",
            "view/format",
        ),
    ),
    "sklearn": (
        *("counts", "curves", "input", "input/arrays", "input/columns", "metrics"),
        *("plots", "view"),
    ),
    "boosting": ("counts", "input", "metrics"),
    "compat": ("counts", "input", "input/arrays", "input/columns", "curves", "metrics", "plots"),
}
HEAVY = (
    "scipy",
    "duckdb",
    "matplotlib",
    "click",
    "pandas",
    "polars",
    "pyarrow",
    "torch",
    "xlsxwriter",
    "sklearn",
    "sqlglot",
)


def dotted(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path):
    """Return what a file says of itself, its imports and its calls."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [*ast.walk(tree)]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return ast.get_docstring(tree), imports, calls


def files_imported(path):
    for node in parsed(path)[1]:
        names = []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative imports hide where an arrow points"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in PATHS else node.module for name in names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (PATHS[name] for name in names if name in PATHS and PATHS[name] != path)


def module_of(path):
    place = path.relative_to(SOURCE).with_suffix("").as_posix()
    above = [place, *(parent.as_posix() for parent in Path(place).parents)]
    return next((each for each in above if each in MAY_IMPORT), Path(place).parts[0])


FILES = sorted(SOURCE.rglob("*.py"))
PATHS = {dotted(path): path for path in FILES}


# The face and the command line stand above everything.
FACES = {"__init__", "__main__", "cli"}


def test_imports_run_downward():
    for path in FILES:
        module = module_of(path)
        if module in FACES:
            continue
        below = {module, *MAY_IMPORT[module]}
        wrong = {each for each in map(module_of, files_imported(path)) if each not in below | FACES}
        assert not wrong, f"{path}: {module} must not import {sorted(wrong)}"


def test_every_module_is_in_the_table_and_every_permission_is_used():
    used = {}
    for path in FILES:
        module = module_of(path)
        used.setdefault(module, set()).update(map(module_of, files_imported(path)))
    assert set(used) - FACES == set(MAY_IMPORT)
    for module, below in MAY_IMPORT.items():
        assert set(below) - used[module] == set(), f"{module} needs no permission for these"


def test_no_file_imports_itself_by_way_of_others():
    waiting = {path: set(files_imported(path)) - {SOURCE / "__init__.py"} for path in FILES}
    while waiting:
        free = {path for path, below in waiting.items() if not below & waiting.keys()}
        assert free, f"a circle among {sorted(map(dotted, waiting))}"
        waiting = {path: below for path, below in waiting.items() if path not in free}


def test_the_table_has_no_circle():
    placed = set()
    while len(placed) < len(MAY_IMPORT):
        free = {r for r, below in MAY_IMPORT.items() if r not in placed and set(below) <= placed}
        assert free, f"a circle among {set(MAY_IMPORT) - placed}"
        placed |= free


def test_files_are_small_and_open_with_a_sentence():
    for path in FILES:
        assert path.read_text(encoding="utf-8").count("\n") <= 500, path
        sentence = parsed(path)[0]
        assert sentence, f"{path} has no opening sentence"
        assert sentence.splitlines()[0].endswith("."), path


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
MAKE_CELLS = {"counts", "input/arrays", "input/files", "inference/random_caps.py"}
MAKERS = {"ScoreCounts", "JointCounts", "from_counts", "from_ascending"}
CELLS = {"positives", "negatives", "positive_roots", "negative_roots"}


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def test_cells_are_put_together_in_one_way():
    for path in FILES:
        calls = parsed(path)[2]
        replaced = [n for n in calls if called(n) == "replace"]
        assert not [n for n in replaced if CELLS & {k.arg for k in n.keywords}], path
        if module_of(path) not in MAKE_CELLS and str(path.relative_to(SOURCE)) not in MAKE_CELLS:
            made = [n.lineno for n in calls if called(n) in MAKERS]
            assert not made, f"{path}, {made}: use ScoreCounts.joined"
