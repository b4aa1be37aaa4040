"""The public face: every name is there, documented, and shown by an example that runs."""

import ast
import importlib
import inspect
import operator
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import capcurve as cap
from cli_calls import call

ROOT = Path(__file__).parents[2]
FUNCTIONS = sorted(
    name for name in cap.__all__ if inspect.isfunction(getattr(cap, name)) and name != "gini"
)
NEED_NO_EXAMPLE = {name for name in FUNCTIONS if name.startswith("plot_")}  # they return pictures


def test_every_public_name_says_what_it_is():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", cap.__version__)
    for name in set(cap.__all__) - {"__version__"}:
        sentence = inspect.getdoc(getattr(cap, name)).splitlines()[0]
        assert sentence.endswith("."), name
        assert len(sentence) > 20, name


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("confidence_interval", "confidence interval of a metric"),
        ("inference.smirnov_critical_value", "critical value of KS"),
        ("detectable_drop", "detectable drop"),
        ("lift_curve", "lift curve"),
        ("migration_table", "migration matrix"),
        ("control_chart", "CUSUM control chart"),
        ("TippingPoint", "tipping point"),
    ],
)
def test_the_first_sentence_names_the_term(name, term):
    sentence = inspect.getdoc(operator.attrgetter(name)(cap)).splitlines()[0]
    assert term in sentence.partition(":")[0]


def test_every_public_function_documents_its_use():
    for name in FUNCTIONS:
        function = getattr(cap, name)
        words = inspect.getdoc(function)
        assert name in NEED_NO_EXAMPLE or ">>> " in words, name
        if len(inspect.signature(function).parameters) > 1:
            assert "Parameters" in words, name


def test_every_public_function_is_in_the_glossary_or_the_readme():
    texts = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    words = {word for path in texts for word in re.findall(r"\w+", path.read_text("utf-8"))}
    assert {*FUNCTIONS} <= words


def test_the_face_is_complete_and_nothing_else():
    assert sorted(cap.__all__) == sorted(set(cap.__all__))
    assert dir(cap) == sorted(cap.__all__)
    with pytest.raises(AttributeError, match="module 'capcurve' has no attribute 'accuracy'"):
        _ = cap.accuracy


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("capcurve", "plot_cap, or compat.capcurve"),
        ("cumulative_gain_curve", "cap_curve, or compat.cumulative_gain_curve"),
        ("lift_chart", "plot_lift"),
        ("gini_coefficient", "accuracy_ratio"),
        ("ks_statistic", "ks"),
        ("plot_gains", "plot_cap"),
        ("roc_test", "compare"),
        ("perf_eva", "evaluate"),
        ("decile_table", "gains_table"),
    ],
)
def test_a_name_from_elsewhere_is_answered_with_ours(theirs, ours):
    said = f"module 'capcurve' has no attribute '{theirs}'; here it is called {ours}"
    with pytest.raises(AttributeError) as error:
        getattr(cap, theirs)
    assert str(error.value) == said
    assert not hasattr(cap, theirs)


def test_names_from_elsewhere_are_no_names_of_ours_and_point_to_some():
    theirs = [name for names in cap._ELSEWHERE.values() for name in names.split()]
    assert len(theirs) == len({*theirs})
    assert not {*theirs} & {name for names in cap._OFFERED.values() for name in names.split()}
    for ours in cap._ELSEWHERE:
        for name in ours.split(", or "):
            assert callable(operator.attrgetter(name)(cap))


def _all_of(module):
    return importlib.import_module(module).__all__


# The packages whose modules load when they are first asked for.
LAZY = sorted(path.parent for path in Path(cap.__file__).parent.rglob("__init__.pyi"))


@pytest.mark.parametrize("folder", LAZY, ids=lambda folder: folder.name)
def test_type_checkers_and_users_see_the_same_names(folder):
    package = ".".join(folder.relative_to(Path(cap.__file__).parents[1]).parts)
    module = importlib.import_module(package)
    stub = ast.parse((folder / "__init__.pyi").read_text(encoding="utf-8"))
    typed = [
        (place, name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for place in [(node.module or "").removeprefix("capcurve")]
        for alias in node.names
        for name in (_all_of(f"{package}.{place}") if alias.name == "*" else [alias.name])
    ]
    tables = module._OFFERED, getattr(module, "_WITHIN", {})
    offered = [
        (place.rstrip("."), name)
        for table in tables
        for place, row in table.items()
        for name in row.split()
    ]
    assert sorted(typed) == sorted(offered)
    written = [ast.literal_eval(n.value) for n in stub.body if isinstance(n, ast.Assign)]
    assert written == ([sorted(module.__all__)] if tables[1] else [])
    assert all(getattr(module, name) is not None for _, name in offered)


FROM_A_ZIP = """
import sys
sys.path.insert(0, sys.argv[1])
import capcurve as cap
print(cap.__file__)
print(cap.accuracy_ratio(cap.count_scores([1, 0, 1, 0], [4, 3, 2, 1])))
print("</html>" in cap.evaluate([1, 0, 1, 0], {"s": [4, 3, 2, 1]}).to_html())
print(cap.studies.validation.schema()["title"])
"""


@pytest.mark.merge
def test_the_library_works_from_a_zip(tmp_path):
    # As Spark ships it to its workers; a frozen program has no files beside its modules either.
    path = tmp_path / "capcurve.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted((ROOT / "src").rglob("*.*")):
            if file.suffix != ".pyc":
                packed.write(file, file.relative_to(ROOT / "src"))
    command = [sys.executable, "-W", "error", "-c", FROM_A_ZIP, path]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    place, ratio, page, title = found.stdout.splitlines()
    assert (place, ratio, page) == (str(path / "capcurve" / "__init__.py"), "0.5", "True")
    assert title == "Validation sheet of capcurve"


def test_modules_are_there_without_being_imported():
    modules = [name for key in ("", "studies.") for name in cap._OFFERED[key].split()]
    assert {"compat", "inference", "input", "plots", "validation"} <= {*modules}
    code = "import capcurve as cap; print(cap.compat.__name__, cap.inference.cap_band.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["capcurve.compat", "cap_band"]


@pytest.mark.parametrize("module", ["capcurve", "capcurve.counts", "capcurve.cli"])
def test_a_python_of_32_bits_is_refused_in_one_line(module):
    code = f"import sys; sys.maxsize = 2**31 - 1; import {module}"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1] == (
        "ImportError: capcurve counts in 64 bits and this Python has 32: use a 64-bit one"
    )


def test_webassembly_has_32_bits_and_is_let_in():
    code = "import sys; sys.maxsize, sys.platform = 2**31 - 1, 'emscripten'; import capcurve"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_is_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [version, told] = re.search(r"^## ([\w.]+), (.+)$", changes, re.MULTILINE).groups()
    assert version == cap.__version__
    assert f"\nversion: {version}\n" in citation
    # Until its day is known, a version is not cited with one.
    day = re.search(r"^date-released: (.+)$", citation, re.MULTILINE)
    assert told == (f"released {day[1]}" if day else "not yet released")


def commands_shown():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for shown in re.split(r"^\$ capcurve ", block, flags=re.MULTILINE)[1:]:
            words, _, said = shown.partition("\n")
            yield words, re.sub(r"(?m)^note: .*\n", "", said).strip()


@pytest.mark.parametrize(("words", "said"), list(commands_shown()))
def test_the_readme_shows_what_its_commands_print(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call("example", "loans")
    found = call(*words.split())
    assert found.exit_code == 0
    assert found.stdout.strip() == said


def documented(docstring, section):
    """Return the names that a section of a NumPy docstring lists, or None without it."""
    parts = re.split(r"^(\w[\w ]*)\n-+$", inspect.cleandoc(docstring), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if section not in sections:
        return None
    lines = [line for line in sections[section].splitlines() if line and not line[0].isspace()]
    return [name.strip().lstrip("*") for line in lines for name in line.split(" : ")[0].split(",")]


def test_every_parameter_is_documented_as_numpydoc_reads_it():
    for name in FUNCTIONS:
        function = getattr(cap, name)
        signature = inspect.signature(function)
        parameters = documented(function.__doc__, "Parameters")
        assert sorted(parameters) == sorted(signature.parameters), name
        # A section on the result says more than its type, which stands in the signature.
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert documented(function.__doc__, "Returns") != [], name
