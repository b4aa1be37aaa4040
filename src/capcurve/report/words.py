"""Names and sentences made safe to stand in a document."""

from __future__ import annotations

import re
from html import escape as escape_markup

# Neither HTML nor the XML of pictures can hold these, not even escaped.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def escape(words: str) -> str:
    """Return text as it stands in HTML and SVG.

    Examples
    --------
    >>> escape('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape_markup(_UNWRITABLE.sub("\ufffd", words), quote=True)
