"""Imports run downward only, and importing the library loads no heavy one."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "capcurve"

# From the lowest layer up: a file may import its own package and those of the layers below.
LAYERS = (
    {"_lazy", "version", "numbers"},
    {"counts"},
    {"input", "sql", "datasets"},
    {"gate"},
    {"curves"},
    {"show", "metrics"},
    {"tables"},
    {"inference"},
    {"results"},
    {"plots"},
    {"studies"},
    {"sklearn", "boosting", "compat", "cli"},
)
LAYER = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
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
    """Return what a file says of itself, its imports, its calls, and what it defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [*ast.walk(tree)]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return ast.get_docstring(tree), imports, calls, tree.body


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


def package_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


FILES = sorted(SOURCE.rglob("*.py"))
PATHS = {dotted(path): path for path in FILES}


# What is offered by name, the program that is started, and what freezes it stand above everything.
ENTRY_POINTS = {"__init__", "__main__", "__pyinstaller"}


@pytest.mark.xdist_group("sources")
def test_imports_run_downward():
    for path in FILES:
        package = package_of(path)
        if package in ENTRY_POINTS:
            continue
        imported = {package_of(each) for each in files_imported(path)} - {package, *ENTRY_POINTS}
        wrong = {each for each in imported if LAYER[each] >= LAYER[package]}
        assert not wrong, f"{path}: {package} must not import {sorted(wrong)}"


def test_every_package_has_a_layer():
    assert {package_of(path) for path in FILES} - ENTRY_POINTS == set(LAYER)


@pytest.mark.xdist_group("sources")
def test_no_file_imports_itself_by_way_of_others():
    waiting = {path: set(files_imported(path)) - {SOURCE / "__init__.py"} for path in FILES}
    while waiting:
        free = {path for path, below in waiting.items() if not below & waiting.keys()}
        assert free, f"a circle among {sorted(map(dotted, waiting))}"
        waiting = {path: below for path, below in waiting.items() if path not in free}


@pytest.mark.xdist_group("sources")
def test_files_are_small_and_open_with_a_sentence():
    for path in FILES:
        assert path.read_text(encoding="utf-8").count("\n") <= 800, path
        sentence = parsed(path)[0]
        assert sentence, f"{path} has no opening sentence"
        assert sentence.splitlines()[0].endswith("."), path


def test_importing_the_library_loads_nothing_heavy():
    code = f"import sys, capcurve; print([name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_asking_for_the_version_loads_neither_numbers_nor_commands():
    heavy = {*HEAVY, "numpy", "narwhals", "capcurve.cli.command"} - {"click"}
    code = "import sys; from capcurve.cli import main; main(['--version'], standalone_mode=False)"
    code += f"; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[1] == "[]"


# What a name of a class or a type alias looks like; constants are all capitals.
TYPE_NAME = re.compile(r"_?[A-Z]+[a-z]\w*")


def types_defined(path):
    """Yield the names of classes and type aliases of a file; a type variable is neither."""
    waiting = [*parsed(path)[3]]
    for node in waiting:
        names = []
        if isinstance(node, ast.If):
            waiting += [*node.body, *node.orelse]
        elif isinstance(node, ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.AnnAssign):
            names = [getattr(node.target, "id", "")]
        elif isinstance(node, ast.Assign) and "TypeVar" not in ast.unparse(node.value):
            names = [getattr(target, "id", "") for target in node.targets]
        yield from (name.lstrip("_") for name in filter(TYPE_NAME.fullmatch, names))


def test_a_name_of_a_type_stands_for_one_type():
    defined = {}
    for path in FILES:
        for name in types_defined(path):
            first = defined.setdefault(name, path)
            assert first == path, f"{name}: in {path} and in {first}"
    assert "Metric" in defined


CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
# Files may use one private name for what each of them means; more than these would puzzle a reader.
MOST_PRIVATE_CONSTANTS = 40


def constants_defined(path):
    """Yield the constants at the top of a file with their values, those of a tuple one by one."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in getattr(node, "targets", None) or [node.target]:
            names, values = [target], [node.value]
            if isinstance(target, ast.Tuple):
                names, values = target.elts, getattr(node.value, "elts", [])
            if len(names) != len(values):  # a name of what is unpacked has no value of its own
                values = [ast.Constant(f"{dotted(path)}.{name.id}") for name in names]
            for name, value in zip(names, values, strict=True):
                if CONSTANT.fullmatch(getattr(name, "id", "")):
                    yield name.id, ast.unparse(value)


def functions_defined(path):
    """Return the names of functions at the top of a file; overloads are one."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


@pytest.mark.xdist_group("sources")
def test_a_name_of_a_constant_or_function_stands_for_one_thing():
    values, places = {}, {}
    for path in FILES:
        if package_of(path) in ENTRY_POINTS:
            continue
        for name, value in constants_defined(path):
            values.setdefault(name, {}).setdefault(value, path)
        for name in functions_defined(path):
            places.setdefault(name, []).append(path)
    several = {name: found for name, found in values.items() if len(found) > 1}
    shared = {name: [*map(str, found.values())] for name, found in several.items()}
    public = {name: found for name, found in shared.items() if not name.startswith("_")}
    assert not public, f"each has several values: {public}"
    assert len(shared) <= MOST_PRIVATE_CONSTANTS, f"private, and of several values: {shared}"
    twice = {n: [*map(str, found)] for n, found in places.items() if len(found) > 1}
    assert not {name: found for name, found in twice.items() if not name.startswith("_")}
    assert {"SMALL_CELL", "_WORDS"} <= values.keys()
    assert {"accuracy_ratio", "quoted_names"} <= places.keys()


# What puts neighbouring cells together, or makes cells of its own, must carry weights and
# clusters along: only these may.
MAKE_CELLS = {
    "counts",
    "gate/pds.py",
    "input",
    "inference/bands.py",
    "inference/designs.py",
    "studies/grades/grading.py",
}
MAKERS = {"ScoreCounts", "JointCounts", "from_counts", "from_ascending"}
CELLS = {"positives", "negatives", "positive_roots", "negative_roots"}


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


@pytest.mark.xdist_group("sources")
def test_cells_are_put_together_in_one_way():
    for path in FILES:
        calls = parsed(path)[2]
        replaced = [n for n in calls if called(n) == "replace"]
        assert not [n for n in replaced if CELLS & {k.arg for k in n.keywords}], path
        if package_of(path) not in MAKE_CELLS and str(path.relative_to(SOURCE)) not in MAKE_CELLS:
            made = [n.lineno for n in calls if called(n) in MAKERS]
            assert not made, f"{path}, {made}: use ScoreCounts.joined"
