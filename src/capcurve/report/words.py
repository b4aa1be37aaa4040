"""Names and sentences made safe to stand in a document."""

from __future__ import annotations

import re
from html import escape as escape_markup
from typing import Any

from capcurve.tables.shown import writable


def escape(words: str) -> str:
    """Return text as it stands in HTML and SVG.

    Examples
    --------
    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape_markup(writable(words), quote=True)


def file_names(source: str) -> str:
    """Return what data was called, without the folders in which its files are.

    Examples
    --------
    >>> file_names("/data/scores/may.csv, june.csv")
    'may.csv, june.csv'
    """
    return ", ".join(re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in source.split(", "))


def title_of(target: Any, names: list[str]) -> str:
    """Return the heading of a report on these scores."""
    scores = ", ".join(names)
    if isinstance(target, str):
        return f"How well {scores} ranks {target}" if len(names) == 1 else f"{target}: {scores}"
    if len(names) > 1:
        return f"How well {scores} rank"
    return f"How well {'the score' if scores == 'score' else scores} ranks"
