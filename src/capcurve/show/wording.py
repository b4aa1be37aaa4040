"""What is shown in other words: with the target's own noun, or as the command line says it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from capcurve.show.columns import ColumnName
from capcurve.show.presentation import DrawnLater
from capcurve.show.table import Speaks, Table

Shown = TypeVar("Shown")
# The names of things that programs know, and what users call theirs.
_NAMES = frozenset({"code", "corner", "form", "kind", "metric", "score", "severity", "source"})


def in_words(shown: Shown, speaks: Speaks | None) -> Shown:
    """Return what is shown with all its sentences, labels and headings in other words."""
    return shown if speaks is None else _said(shown, speaks)


def _said(shown: Any, speaks: Speaks) -> Any:
    if isinstance(shown, ColumnName):
        return ColumnName(str(shown), shown.form, speaks.said(shown.heading))
    if isinstance(shown, str):
        return speaks.said(shown)
    if isinstance(shown, DrawnLater):
        return DrawnLater(lambda: (_said(chart, speaks) for chart in shown))
    if isinstance(shown, list | tuple):
        return type(shown)([_said(each, speaks) for each in shown])
    if isinstance(shown, Table):
        return shown.said_by(speaks)
    if not is_dataclass(shown) or isinstance(shown, type):
        return shown
    words = {each.name: getattr(shown, each.name) for each in fields(shown) if each.init}
    spoken = {name: _said(held, speaks) for name, held in words.items() if name not in _NAMES}
    return replace(shown, **{n: held for n, held in spoken.items() if held is not words[n]})
