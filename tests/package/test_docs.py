"""The documentation site: every name and picture is there, and no page loads anything outside."""

import builtins
import importlib
import inspect
import re
import runpy
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

import capcurve as cap
from capcurve.cli import main
from needs import SITE as BUILT

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PARTS = (
    "capcurve.compat",
    "capcurve.inference",
    "capcurve.sklearn",
    "capcurve.boosting",
    "capcurve.sql",
    "capcurve.datasets",
)
# What loads something when a page is opened; a link that is clicked is not one.
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def documented():
    """Return the full names that the pages of the reference list."""
    found = set()
    for path in (DOCS / "reference").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for module in re.findall(r"automodule:: (\S+)\n   :members:", text):
            found |= {f"{module}.{name}" for name in public(module)}
        for block in re.findall(r"\.\. currentmodule:: (.*?)```", text, re.DOTALL):
            module, *lines = block.splitlines()
            names = [line.strip() for line in lines if line.startswith("   ") and ":" not in line]
            found |= {f"{module}.{name.removeprefix('~')}" for name in names}
    return found


def public(name):
    """Return the public functions and types of a module."""
    module = importlib.import_module(name)
    own = getattr(module, "__all__", None) or [
        each for each, what in vars(module).items() if getattr(what, "__module__", "") == name
    ]
    return {each for each in own if not each.startswith("_")}


def test_every_public_name_is_in_the_reference():
    names = {f"capcurve.{name}" for name in cap.__all__ if name != "__version__"}
    names |= {f"capcurve.inference.{name}" for name in cap.inference.__all__}
    listed = documented()
    # What stands in `capcurve` itself is the same thing as in its module.
    listed |= {f"capcurve.inference.{name.rpartition('.')[2]}" for name in listed}
    assert names - listed == set()


@pytest.mark.parametrize("part", PARTS)
def test_every_name_of_a_part_is_in_the_reference(part):
    known = {name.rpartition(".")[2] for name in documented()}
    scorers = (DOCS / "reference" / "scikit-learn.md").read_text(encoding="utf-8")
    known |= set(re.findall(r"`(\w+)`", scorers))
    assert public(part) - known == set()


def test_the_reference_lists_nothing_that_is_not_there():
    for name in documented():
        module, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(module), last), name


def test_the_gallery_shows_every_picture():
    scripts = "".join(p.read_text("utf-8") for p in (ROOT / "examples" / "pictures").glob("*.py"))
    functions = {name for name in cap.__all__ if name.startswith("plot_")}
    assert len(functions) >= 8
    functions |= {"control_chart", "attribute_change", "population_stability", "migration_table"}
    functions |= {"audit_table", "unknown_bounds", "implied_accuracy_ratio", "difference_band"}
    functions |= {"evaluate", "validate"}
    assert {name for name in functions if f"cap.{name}(" not in scripts} == set()
    displays = importlib.import_module("capcurve.sklearn")
    assert {name for name in public(displays.__name__) if name.endswith("Display")} <= {
        *re.findall(r"\w+", scripts)
    }


@pytest.mark.parametrize("part", ["howto", "reference"])
def test_an_index_says_of_every_page_what_it_is_for(part):
    pages = {path.stem for path in (DOCS / part).glob("*.md")} - {"index"}
    index = (DOCS / part / "index.md").read_text(encoding="utf-8")
    assert {page for page in pages if not re.search(rf"\({page}\.md\): \w", index)} == set()
    assert index.count("\n## ") >= 4


@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        ("cap", ["0.4 instead of 0.667", "1, 2, 3, 3, 3", "0.785"]),
        ("model", ["−∞", "1.5", "116.7%", "0.6481", "62.5%"]),
        ("roc", ["−0.667", "2.5 instead of 0.4", "0.7333", "0.875"]),
        ("ks", ["1.857", "KS 0.5 at 70%", "KS 0.471"]),
        ("gains", ["curve of 4 points", "1 or −1", "TPR − FPR"]),
        ("amounts", ["a constant score gets 1", "−.67", ".31", "−.356 for −.4", "57.09 and 47.05"]),
    ],
)
def test_each_tutorial_names_the_errors_of_its_source(page, numbers):
    text = (DOCS / "tutorials" / f"{page}.md").read_text(encoding="utf-8")
    assert text.count("<!-- picture: ") >= 1
    for number in numbers:
        assert number in text


def test_every_table_of_simulations_is_on_a_page():
    """The tables of coverage are read by the pages from the files beside what made them."""
    pages = "".join(path.read_text("utf-8") for path in DOCS.glob("coverage*.md"))
    named = re.findall(r"```\{csv-table\}\n:file: \.\./benchmarks/results/(.*)\n", pages)
    there = {path.name for path in (ROOT / "benchmarks" / "results").iterdir()}
    assert sorted(named) == sorted(there)


@pytest.mark.parametrize("repository", [None, "https://example.org/capcurve"])
def test_the_readme_of_the_package_needs_no_file_of_ours(repository):
    for_index = runpy.run_path(str(ROOT / "hatch_build.py"))["for_index"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = for_index(readme, repository, "0.1.0")
    ours = r"\]\((?!https?:|#)[^)]*\)|src=\"(?!https?:)"
    assert len(re.findall(ours, readme)) > 10
    assert re.findall(ours, shown) == []
    linked = "[pitfalls](https://example.org/capcurve/blob/v0.1.0/docs/pitfalls.md)" in shown
    drawn = 'src="https://example.org/capcurve/raw/v0.1.0/docs/pictures/report.png"' in shown
    assert (linked, drawn) == (repository is not None, repository is not None)
    assert ">>> import capcurve as cap" in shown


def test_the_readme_shows_what_matters_first_and_leads_to_the_rest():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = readme.split("\n## ")[0]
    assert len(readme.splitlines()) <= 160
    assert first.index("report.png") < first.index("pip install")
    assert "$ capcurve report" in readme
    links = re.findall(r"\]\((?!https?:)([^)#]+)", readme) + re.findall(r'src="([^"]+)"', readme)
    assert {link for link in links if not (ROOT / link).is_file()} == set()
    answers = readme.split("## What it answers")[1].split("\n## ")[0]
    named = re.findall(r"`(\w+)`", " ".join(re.findall(r"\[([^\]]*)\]\(", answers)))
    assert len(named) > 12
    assert {name for name in named if name not in cap.__all__} == set()


class Loaded(HTMLParser):
    """Collects the addresses that opening a page loads."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "link" and given.get("rel") not in {"stylesheet", "icon", "preload"}:
            return
        address = given.get(LOADS.get(tag))
        if address:
            self.addresses.append(address)


def outside(address):
    return re.match(r"(https?:)?//", address) is not None


@pytest.fixture
def built():
    """Return the pages that `make docs` made."""
    return sorted(BUILT.rglob("*.html"))


@pytest.mark.merge
def test_no_page_names_anything_outside_to_load(built):
    assert len(built) > 100
    found = {}
    for path in built:
        page = Loaded()
        page.feed(path.read_text(encoding="utf-8"))
        found[path.name] = [address for address in page.addresses if outside(address)]
    assert {name: addresses for name, addresses in found.items() if addresses} == {}
    for path in BUILT.rglob("*.css"):
        named = re.findall(r"(?:url\(|@import )['\"]?([^'\")\s]+)", path.read_text("utf-8"))
        assert [address for address in named if outside(address)] == [], path.name


@pytest.mark.parametrize("name", ["architecture.md", "internals.md"])
def test_files_that_are_named_are_there(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    found = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+)(?:\.py)?`", text))
    assert len(found) > 10
    folders = (ROOT / "src" / "capcurve", ROOT)
    for each in found:
        ends = (each, f"{each}.py")
        assert any((folder / end).exists() for folder in folders for end in ends), each


def modules_promised():
    """Return the modules that the page on stability calls public."""
    text = (DOCS / "stability.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE))


def test_public_is_what_the_reference_lists():
    assert modules_promised() == {name.rpartition(".")[0] for name in documented()}
    for name in documented():
        module, _, thing = name.rpartition(".")
        assert hasattr(importlib.import_module(module), thing), name


def test_examples_import_public_modules_alone():
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    shown = [path for path in pages if "_build" not in path.parts]
    words = r"^(?:>>> |\.\.\. )?(?:from|import) (capcurve[\w.]*)"
    used = {
        (module, path.name)
        for path in shown
        for module in re.findall(words, path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(used) > 20
    assert {each for each in used if each[0] not in modules_promised()} == set()


@pytest.mark.merge
def test_every_page_of_the_reference_has_an_example_and_a_link_to_its_source(built):
    pages = {path.name: path.read_text("utf-8") for path in built if path.parent.name == "api"}
    assert len(pages) > 150
    assert {name for name, text in pages.items() if "&gt;&gt;&gt;" not in text} == set()
    other_names = {"capcurve.gini.html", "capcurve.psi.html"}
    assert {name for name, text in pages.items() if "viewcode-link" not in text} == other_names
    chart = pages["capcurve.control_chart.html"]
    assert "Examples in the gallery" in chart
    assert 'class="classifier">float | None' in chart
    assert "copybutton.js" in chart


def test_every_command_has_a_page_with_all_its_options_in_groups():
    shown = runpy.run_path(str(DOCS / "_ext" / "commands.py"))
    listed = shown["listed"]()
    for name, command in main.commands.items():
        text = shown["page"](name)
        heads = [line for line in text.splitlines() if line.startswith("#")]
        assert heads[0] == f"# capcurve {name}"
        assert heads[1] in ("## Most used", "## Output")
        typed = re.findall(r"^`((?:-\w, )?--[a-z-]+)[^`]*`\n: ", text, re.MULTILINE)
        options = [each for each in command.params if isinstance(each, click.Option)]
        flags = {max(each.opts, key=len) for each in options if not each.hidden}
        assert flags | {"--help"} == {each.rpartition(" ")[2] for each in typed}
        assert len(typed) == len(set(typed))
        assert f"- [{name}](commands/{name}.md): " in listed
        assert f"\ncommands/{name}\n" in listed
    assert "a pattern such as `'s*'`." in shown["page"]("summary")
    assert "\n: With `--amount`: column" in shown["page"]("summary")
    assert "Somers' D" in shown["page"]("generalised-auc")


def test_every_word_in_a_signature_is_explained():
    shown = runpy.run_path(str(DOCS / "_ext" / "reference.py"))
    builtin = {*dir(builtins), "Any", "Callable", "Mapping", "Iterable", "Sequence", "os"}
    unknown = set()
    for _, function in shown["functions"]():
        for parameter in inspect.signature(function).parameters.values():
            text = re.sub(r"\{.*?\}|:\w+:`\w+`", "", shown["spelled"](parameter.annotation))
            unknown |= {*re.findall(r"\b[A-Za-z_]\w*", text)} - builtin
    # In which words a result speaks is said by `in_words`, not to its constructor.
    assert unknown == {"PathLike", "str", "Speaks"} - builtin
    assert {"ColumnLike", "Data", "Drawable"} <= {*shown["TERMS"]}
    assert shown["example_of"]("Interval")[3] == "As `confidence_interval` returns it:"


def test_signatures_say_which_values_directions_grades_and_scores_take():
    shown = runpy.run_path(str(DOCS / "_ext" / "reference.py"))
    asked = {"higher_is", "levels", "score", "scores"}
    said = {
        (name, parameter.name): shown["spelled"](parameter.annotation)
        for name, function in shown["functions"]()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name in asked and "." not in name
    }
    assert said["count_scores", "higher_is"] == '{"positive", "negative"}'
    assert said["count_joint", "scores"] == ":term:`ScoreLike`"
    assert [said["evaluate", each] for each in ("score", "higher_is", "levels")] == [
        ":term:`ScoreLike`",
        ":term:`Directions`",
        ":term:`Levels`",
    ]
    assert {where for where, kind in said.items() if kind == "Any"} == set()


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("groupby", "howto/frame-by-month"),
        ("github actions", "howto/github-actions"),
        ("hosmer", "glossary"),
        ("brier", "glossary"),
        ("isotonic", "glossary"),
        ("jeffreys", "glossary"),
        ("herfindahl", "glossary"),
        ("ai act", "howto/clauses"),
        ("sr 11-7", "howto/clauses"),
        ("change colours", "howto/look"),
        ("conda", "howto/install"),
        ("windows", "howto/install"),
    ],
)
def test_what_people_search_for_is_on_a_page(asked, page):
    found = [
        path.relative_to(DOCS).with_suffix("").as_posix()
        for path in DOCS.rglob("*.md")
        if "_build" not in path.parts
        and all(word in path.read_text(encoding="utf-8").lower() for word in asked.split())
    ]
    assert [name for name in found if name.startswith(page)], found
