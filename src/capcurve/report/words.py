"""Names and sentences made safe to stand in a document."""

from __future__ import annotations

import re
from html import escape as escape_markup
from typing import Any

# Neither HTML nor the XML of pictures can hold these, not even escaped.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def escape(words: str) -> str:
    """Return text as it stands in HTML and SVG.

    Examples
    --------
    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape_markup(writable(words), quote=True)


def writable(words: str) -> str:
    r"""Return text without what no document can hold.

    Examples
    --------
    >>> writable("a\x00b") == "a\ufffdb"
    True
    """
    return _UNWRITABLE.sub("\ufffd", words)


def title_of(target: Any, names: list[str]) -> str:
    """Return the heading of a report on these scores."""
    scores = ", ".join(names)
    if isinstance(target, str):
        return f"How well {scores} ranks {target}" if len(names) == 1 else f"{target}: {scores}"
    return "How well the score ranks" if names == ["score"] else f"How {scores} rank"
