"""Writes a page of the reference for each command: what it is for, examples, options in groups.

All of it is what the command prints for `--help`. The page that lists the commands has the comment

    <!-- commands -->      every command by the job that it is for, each with a link to its page
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from capcurve.cli import main
from capcurve.cli.command import IN_DETAIL
from capcurve.cli.examples import EXAMPLES
from capcurve.cli.program import JOBS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LIST = "<!-- commands -->"
FOLDER = "reference/commands"


def page(name: str) -> str:
    """Return the page of a command."""
    command = main.commands[name]
    context = click.Context(command, info_name=name, parent=click.Context(main, None, "capcurve"))
    groups = [
        part
        for heading, records in command.groups(context).items()
        for part in (f"## {heading}", *(f"`{typed}`\n: {plain(said)}" for typed, said in records))
    ]
    return "\n\n".join(
        [
            f"# capcurve {name}",
            *paragraphs(command.help),
            "```console\n{}\n```".format("\n".join(f"$ {line}" for line in EXAMPLES[name])),
            *groups,
            *([f"## {IN_DETAIL}", *paragraphs(command.epilog)] if command.epilog else []),
            "",
        ]
    )


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each in one line of Markdown."""
    return [plain(" ".join(each.split())) for each in text.split("\n\n")]


def plain(text: str) -> str:
    """Return text as Markdown that reads the same, with options and what is quoted as code."""
    code, mark = r"(?<![\w'/.-])--?[a-z][\w-]*(?![\w'])|(?<!\w)'[^']+'(?!\w)", r"[\\`*_<>\[\]#|~$]"
    return re.sub(
        f"({code})|({mark})", lambda found: f"`{found[1]}`" if found[1] else f"\\{found[2]}", text
    )


def listed() -> str:
    """Return all commands by job, with links, and the hidden list that puts them in order."""
    jobs = [
        f"## {job}\n\n"
        + "\n".join(
            f"- [{name}](commands/{name}.md): {paragraphs(main.commands[name].help)[0]}"
            for name in names
        )
        for job, names in JOBS.items()
    ]
    order = "\n".join(f"commands/{name}" for names in JOBS.values() for name in names)
    return "\n\n".join([*jobs, f"```{{toctree}}\n:hidden:\n\n{order}\n```"])


def write(app: Sphinx) -> None:
    """Write the pages; one that is as it was stays, so that it is not built again."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for name in EXAMPLES:
        path, text = folder / f"{name}.md", page(name)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def show(_app: Sphinx, _name: str, source: list[str]) -> None:
    """List the commands where a page asks for it."""
    if LIST in source[0]:
        source[0] = source[0].replace(LIST, listed())


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before pages are looked for."""
    app.connect("builder-inited", write)
    app.connect("source-read", show)
    return {"parallel_read_safe": True}
