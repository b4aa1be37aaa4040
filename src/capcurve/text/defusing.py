"""Text that a spreadsheet would run as a formula, made harmless."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What spreadsheets take for the beginning of a formula, as OWASP lists it.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def defused(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return columns for a spreadsheet: text that begins like a formula has a ' before it.

    Numbers, and text that is a number, stay as they are.

    Examples
    --------
    >>> defused({"grade": ["=1+1", "A+", "-5", -5]})
    {'grade': ["'=1+1", 'A+', '-5', -5]}
    """
    return {
        _defused(name): [_defused(value) for value in column] for name, column in columns.items()
    }


def _defused(value: Any) -> Any:
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
