"""Adds types of parameters to pages of the reference, and to a record the example that makes one.

A parameter has in its docstring what it means, and in the signature its type; readers want both in
one place. A record without an example of its own shows that of the function which returns it.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import capcurve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

MODULES = ("capcurve", "capcurve.inference", "capcurve.boosting", "capcurve.studies.validation")
TYPES = Path(__file__).parents[1] / "reference" / "types.md"
TERMS = re.findall(r"^   (\w+)\n      \S", TYPES.read_text(encoding="utf-8"), re.MULTILINE)
# Parameters that take one thing for all scores or one for each, and the term that explains them.
BY_SCORE = {"higher_is": "HigherIs", "levels": "LevelNames", "score": "OneOrSeveral"}
WORD = re.compile(r"(?<![\"'.])\b[A-Za-z_]\w*\b(?![\"'])")


def complete(
    _app: Sphinx, kind: str, name: str, thing: Any, _options: Any, lines: list[str]
) -> None:
    """Complete a docstring before numpydoc reads it."""
    if kind in ("function", "method"):
        add_types(thing, lines)
        add_result(thing, lines)
    elif kind in ("class", "exception") and "Examples" not in lines:
        lines += example_of(name.rpartition(".")[2])


def add_types(function: Any, lines: list[str]) -> None:
    """Write the type of each parameter beside its name."""
    try:
        known = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    place = section(lines, "Parameters")
    for number in place:
        line = lines[number]
        names = [each.strip().lstrip("*") for each in line.split(",")]
        if line and not line[0].isspace() and all(each in known for each in names):
            types = dict.fromkeys(typed(each, known[each].annotation) for each in names)
            lines[number] = f"{line} : {'; '.join(filter(None, types))}".removesuffix(" : ")


def add_result(function: Any, lines: list[str]) -> None:
    """Write the type of the result, where the docstring says nothing else of it."""
    if section(lines, "Returns"):
        return
    try:
        kind = returned(function)
    except (TypeError, ValueError):
        return
    if kind not in ("", "None", "Any", "Self"):
        after = section(lines, "Parameters").stop
        place = after - 1 if 0 < after < len(lines) else len(lines)
        lines[place:place] = ["", "Returns", "-------", spelled(kind), ""]


def section(lines: list[str], heading: str) -> range:
    """Return where a section of a docstring is, without its heading."""
    heads = [i - 1 for i, line in enumerate(lines) if i and re.fullmatch(r"-{3,}", line)]
    start = next((i for i in heads if lines[i] == heading), None)
    if start is None:
        return range(0)
    return range(start + 2, next((i for i in heads if i > start), len(lines)))


def typed(parameter: str, annotation: Any) -> str:
    """Return the type of a parameter, and for one that may differ by score the term for it."""
    if annotation in (Any, "Any") and parameter in BY_SCORE:
        return words(BY_SCORE[parameter])
    return spelled(annotation)


def spelled(annotation: Any) -> str:
    """Return a type as readers write it, where a choice of words is shown as these words."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"Literal\[(.*?)\]", r"{\1}", text)
    return WORD.sub(lambda found: words(found[0]), text)


@cache
def words(alias: str) -> str:
    """Return the words that an alias stands for, a link to what it means, or the name itself."""
    if alias in TERMS:
        return f":term:`{alias}`"
    if inspect.isclass(getattr(capcurve, alias, None)):
        return f":obj:`{alias}`"
    for name, module in list(sys.modules.items()):
        meant = getattr(module, alias, None) if name.startswith("capcurve.") else None
        if get_origin(meant) is Literal:
            return "{" + ", ".join(f'"{word}"' for word in get_args(meant)) + "}"
    return alias


def example_of(record: str) -> list[str]:
    """Return the example of the function that returns a record, and least else."""
    makers = [each for each in functions() if re.search(rf"\b{record}\b", returned(each[1]))]
    for name, function in sorted(makers, key=lambda each: len(returned(each[1]))):
        docstring = (inspect.getdoc(function) or "").splitlines()
        if place := section(docstring, "Examples"):
            example = [docstring[number] for number in place]
            return ["", "Examples", "--------", f"As `{name}` returns it:", "", *example]
    return []


def returned(function: Any) -> str:
    """Return the type of a result, as it is written."""
    annotation = inspect.signature(function).return_annotation
    if annotation is inspect.Signature.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


@cache
def functions() -> list[tuple[str, Any]]:
    """Return the public functions, then the methods of public types."""
    found = [*public()]
    return [
        *(each for each in found if inspect.isfunction(each[1])),
        *(
            (f"{name}.{each}", method)
            for name, kind in found
            if inspect.isclass(kind)
            for each, method in vars(kind).items()
            if inspect.isfunction(method) and not each.startswith("_")
        ),
    ]


def public() -> Iterator[tuple[str, Any]]:
    """Yield everything that the modules of the reference offer."""
    for name in MODULES:
        module = importlib.import_module(name)
        for each in getattr(module, "__all__", vars(module)):
            if not each.startswith("_"):
                yield each, getattr(module, each)


def setup(app: Sphinx) -> dict[str, bool]:
    """Come before numpydoc, which rewrites docstrings at 500."""
    app.connect("autodoc-process-docstring", complete, priority=400)
    return {"parallel_read_safe": True}
