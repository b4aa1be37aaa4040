"""Showing a page: in a frame of the notebook that may run nothing else, or in the browser."""

from __future__ import annotations

import sys
import tempfile
from html import escape
from pathlib import Path

FRAME = (
    '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
    'title="{title}" style="width:100%;height:820px;border:0" srcdoc="{document}"></iframe>'
)


def show_page(document: str, title: str) -> None:
    """Show a page inside the notebook, or in the browser when there is none.

    In a notebook its script runs in a frame of its own, which can neither read the notebook
    nor load anything.
    """
    if _in_notebook():
        from IPython.display import HTML, display  # type: ignore[import-not-found]  # in a notebook it is there

        display(HTML(framed(document, title)))
        return
    import webbrowser

    path = Path(tempfile.mkdtemp(prefix="capcurve-")) / "report.html"
    path.write_text(document, encoding="utf-8")
    webbrowser.open(path.as_uri())


def framed(document: str, title: str) -> str:
    """Return a page as a frame to stand in another one.

    Examples
    --------
    >>> 'sandbox="allow-scripts allow-downloads"' in framed("<p>", "title")
    True
    """
    return FRAME.format(title=escape(title, quote=True), document=escape(document, quote=True))


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and hasattr(running, "kernel")
