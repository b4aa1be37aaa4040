"""How cut-offs and names are written: what is read back is what was meant."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any

import numpy as np

# The columns and numbers that hold a score or grade.
SCORES = {"score", "score_from", "score_to", "threshold", "next_score", "ks_threshold"}

# Neither fonts, nor HTML, nor the XML of pictures can hold these, not even escaped.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def cutoff_text(value: Any) -> str:
    """Return a score or grade as text that selects the same cases when it is typed back.

    Parameters
    ----------
    value
        A score or a grade, of Python or numpy.

    Returns
    -------
    str
        For a number the shortest decimal that is read back as the same value, whole numbers
        without a decimal point; for a date or moment its ISO form; for all else its `str`.

    Examples
    --------
    >>> cutoff_text(0.12346), cutoff_text(600.0), cutoff_text(2**60 + 1), cutoff_text("BB+")
    ('0.12346', '600', '1152921504606846977', 'BB+')
    >>> import numpy as np
    >>> cutoff_text(np.float32(0.1))
    '0.10000000149011612'
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime) and value.time() == time() and value.tzinfo is None:
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def writable(words: str) -> str:
    r"""Return text without what no document or picture can hold.

    Examples
    --------
    >>> writable("a\x00b") == "a\ufffdb"
    True
    """
    return _UNWRITABLE.sub("\ufffd", words)
