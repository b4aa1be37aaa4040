"""Shows in a page what its examples draw, where a comment asks for it.

    <!-- picture: alternative text -->      the figure that the examples above it have drawn
    <!-- card: name -->                     what a notebook shows of a variable
    <!-- page: name file.html title -->     the page of an evaluation, in a frame
    <!-- link: name file.html words -->     a link to such a page
    <!-- console: capcurve ... -->          a command and what it prints

The examples are those that pytest runs as doctests; here they only run to be looked at.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.datasets import path

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ASKED = re.compile(r"^<!-- (picture|card|page|link|console): (.+?) -->$", re.MULTILINE)
ROOT = Path(__file__).parents[2]
PICTURES = "_build/shown"
PAGES = "pages"
THUMBS = "_build/thumbs"


def show(app: Sphinx, name: str, source: list[str]) -> None:
    """Replace every comment that asks for something, and the empty line at the end of examples."""
    text = source[0] = re.sub(r"\n\n```$", r"\n```", source[0], flags=re.MULTILINE)
    if not ASKED.search(text):
        return
    known: dict[str, Any] = {"__name__": "__main__"}
    done, pages = 0, []
    for number, asked in enumerate(ASKED.finditer(text), start=1):
        run(text[done : asked.start()], known)
        shown = SHOWN[asked[1]](app, f"{name}-{number}", asked[2], known)
        pages += [text[done : asked.start()], shown]
        done = asked.end()
    source[0] = "".join([*pages, text[done:]])


def run(text: str, known: dict[str, Any]) -> None:
    """Run the examples of a text, from the folder in which tests run them."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with redirect_stdout(io.StringIO()):
            for example in doctest.DocTestParser().get_examples(text):
                # One that shows an error has nothing to look at.
                if example.exc_msg is None and doctest.SKIP not in example.options:
                    exec(compile(example.source, "<page>", "single"), known)  # noqa: S102
    finally:
        os.chdir(before)


def picture(app: Sphinx, name: str, words: str, _known: dict[str, Any]) -> str:
    """Return the figures drawn since the last one, of which there is at least one."""
    import matplotlib.pyplot as plt

    drawn = [plt.figure(number) for number in plt.get_fignums()]
    if not drawn:
        raise ValueError(f"no example above {words!r} has drawn a figure")
    target = made(Path(app.srcdir) / PICTURES) / f"{name.replace('/', '-')}.svg"
    drawn[-1].savefig(target, metadata={"Date": None})
    plt.close("all")
    return f"```{{image}} /{PICTURES}/{target.name}\n:alt: {words}\n:class: drawn\n```"


def card(_app: Sphinx, _name: str, words: str, known: dict[str, Any]) -> str:
    """Return what a notebook shows of a variable."""
    return f'```{{raw}} html\n<div class="card-shown">{known[words]._repr_html_()}</div>\n```'


def page(app: Sphinx, name: str, words: str, known: dict[str, Any]) -> str:
    """Return a frame with the page of an evaluation, and a link to it."""
    there, title = saved(app, name, words, known)
    frame = f'<iframe class="page-shown" loading="lazy" src="{there}" title="{title}"></iframe>'
    return f'```{{raw}} html\n{frame}\n<p><a href="{there}">Open this page by itself</a></p>\n```'


def link(app: Sphinx, name: str, words: str, known: dict[str, Any]) -> str:
    """Return a link to the page of an evaluation."""
    there, title = saved(app, name, words, known)
    return f'```{{raw}} html\n<p><a href="{there}">{title}</a></p>\n```'


def saved(app: Sphinx, name: str, words: str, known: dict[str, Any]) -> tuple[str, str]:
    """Save the page of an evaluation, and return its address and its title."""
    variable, file, title = words.split(maxsplit=2)
    known[variable].save(made(Path(app.outdir) / PAGES) / file)
    return f"{'../' * name.count('/')}{PAGES}/{file}", title


def console(_app: Sphinx, _name: str, words: str, _known: dict[str, Any]) -> str:
    """Return a command as it is typed, and what it prints."""
    command = [sys.executable, "-m", *shlex.split(words)]
    seen = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder:
        for file in path("loans").parent.glob("*.csv"):  # as `capcurve example` writes them
            shutil.copy(file, folder)
        done = subprocess.run(  # noqa: S603 - our own command line
            command, cwd=folder, env=seen, capture_output=True, text=True, check=False
        )
    if "Traceback" in done.stderr:
        raise ValueError(f"{words!r} failed: {done.stderr}")
    return f"```console\n$ {words}\n{done.stdout}{done.stderr}```"


def made(folder: Path) -> Path:
    """Return a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


SHOWN = {"picture": picture, "card": card, "page": page, "link": link, "console": console}


def drawn(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the pictures of a script of the gallery, and the last of them small, without legends."""
    import matplotlib.pyplot as plt
    from sphinx_gallery.scrapers import matplotlib_scraper

    for number in plt.get_fignums():
        figure = plt.figure(number)
        size, legends = figure.get_size_inches(), [*figure.legends]
        legends += [ax.get_legend() for ax in figure.axes if ax.get_legend()]
        for legend in legends:
            legend.set_visible(False)
        if len(figure.axes) == 1:
            figure.set_size_inches(4.4, 3.08)
        thumbs = made(Path(gallery_conf["src_dir"]) / THUMBS)
        figure.savefig(thumbs / f"{Path(block_vars['src_file']).stem}.png", dpi=100)
        figure.set_size_inches(size)
        for legend in legends:
            legend.set_visible(True)
    return matplotlib_scraper(block, block_vars, gallery_conf)


def lay_thumbs(app: Sphinx) -> None:
    """Put the small pictures where the gallery shows them."""
    for each in (Path(app.srcdir) / THUMBS).glob("*.png"):
        folder = made(Path(app.srcdir) / "gallery/images/thumb")
        shutil.copy(each, folder / f"sphx_glr_{each.stem}_thumb.png")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page as it is read."""
    app.connect("source-read", show)
    app.connect("builder-inited", lay_thumbs, priority=900)  # after the gallery
    return {"parallel_read_safe": False}
