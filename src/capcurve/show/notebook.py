"""A page in a notebook, in a frame of its own, or in the browser."""

from __future__ import annotations

import sys
import tempfile
from html import escape as quoted
from pathlib import Path

CARD = (
    "font:14px/1.45 system-ui,sans-serif;display:flex;flex-wrap:wrap;gap:1.2em;"
    "align-items:flex-start;max-width:860px"
)
FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
    'title="{title}" style="width:100%;height:820px;border:0" srcdoc="{document}"></iframe>'
)
# Notebooks that are not trusted, and sites that show saved ones, drop frames.
WITHOUT_FRAMES = (
    '<p style="font-size:.85em">No report here? Frames are shown in trusted notebooks only; '
    '<code>save("report.html")</code> writes it to a file.</p>'
)


def show_page(document: str, title: str) -> None:
    """Show a page inside the notebook, or in the browser when there is none."""
    # In a notebook its script runs in a frame of its own, which can neither read the notebook nor
    # load anything.
    if _in_marimo():
        import marimo

        marimo.output.append(marimo.Html(framed(document, title)))
    elif _in_jupyter():
        from IPython.display import HTML, display

        display(HTML(framed(document, title)))
    else:
        import webbrowser

        path = Path(tempfile.mkdtemp(prefix="capcurve-")) / "report.html"
        path.write_text(document, encoding="utf-8")
        webbrowser.open(path.as_uri())


def framed(document: str, title: str) -> str:
    """Return a page as a frame to stand in another one, and what to do where it is dropped.

    >>> 'sandbox="allow-scripts allow-downloads"' in framed("<p>", "title")
    True
    """
    frame = FRAME.format(title=quoted(title, quote=True), document=quoted(document, quote=True))
    return f"<div>{frame}{WITHOUT_FRAMES}</div>"


def _in_jupyter() -> bool:
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def _in_marimo() -> bool:
    """Tell whether a marimo notebook runs this: its browser may be on another machine."""
    marimo = sys.modules.get("marimo")
    return marimo is not None and bool(marimo.running_in_notebook())
