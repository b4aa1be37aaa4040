"""What is shown in other words: with the target's own noun, or as the command line says it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from capcurve.show.columns import ColumnName, form_of, heading
from capcurve.show.presentation import DrawnLater
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Mapping

Shown = TypeVar("Shown")
# The names of things that programs know, and what users call theirs.
_NAMES = frozenset({"code", "corner", "form", "kind", "metric", "score", "severity", "source"})
# Columns whose cells are such names.
_NAMED = frozenset({"score", "segment", "grade", "period", "threshold"})


class Speaks(Protocol):
    """Says a text in other words: with the target's own noun, or as the command line does."""

    def said(self, text: str) -> str:
        """Return the text in these words."""


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
        columns = columns_in_words(shown.columns, speaks)
        note = shown.note and speaks.said(shown.note)
        return replace(shown, name=speaks.said(shown.name), columns=columns, note=note)
    if not is_dataclass(shown) or isinstance(shown, type):
        return shown
    words = {each.name: getattr(shown, each.name) for each in fields(shown) if each.init}
    spoken = {name: _said(held, speaks) for name, held in words.items() if name not in _NAMES}
    return replace(shown, **{n: held for n, held in spoken.items() if held is not words[n]})


def columns_in_words(columns: Mapping[str, Shown], speaks: Speaks | None) -> dict[str, Shown]:
    """Return the columns of a table with headings in other words, and their names as they are."""
    if speaks is None:
        return dict(columns)
    return {
        ColumnName(str(name), form_of(name), speaks.said(heading(name))): held
        if str(name) in _NAMED
        else _cells(held, speaks)
        for name, held in columns.items()
    }


def _cells(column: Any, speaks: Speaks) -> Any:
    """Return a column whose cells of text are in other words."""
    if isinstance(column, list):
        return [speaks.said(cell) if type(cell) is str else cell for cell in column]
    if getattr(column, "dtype", np.dtype(float)).kind not in "OU":
        return column
    return label_column(_cells(column.tolist(), speaks))
