"""How the lines of a display look and what its legend says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Keywords = Mapping[str, Any]
SAME_LENGTH = "should all be lists of the same length"


@dataclass(frozen=True, slots=True)
class Entries:
    """What is known of each curve: its name and its number, either of which may be left out.

    `called` is what the number is called in the legend.
    """

    size: int
    names: list[str] | None
    values: list[float] | None
    called: str


def as_list(value: Any) -> Any:
    """Return a list of one or more, or None."""
    return value if value is None or isinstance(value, list) else [value]


def as_curves(value: Any) -> list[Any]:
    """Return a list of arrays, of one array or of several in a list.

    Examples
    --------
    >>> as_curves([0, 1, 2])
    [array([0, 1, 2])]
    """
    several = isinstance(value, list) and all(np.ndim(each) for each in value)
    return [np.asarray(each) for each in (value if several else [value])]


def check_same_length(owner: str, required: Mapping[str, Any], optional: Mapping[str, Any]) -> None:
    """Raise ValueError when lists are not of one length; those left out are None."""
    lists = {**required, **{name: each for name, each in optional.items() if each is not None}}
    if len({len(each) for each in lists.values()}) == 1:
        return
    *first, last = lists
    found = ", ".join(f"{name}: {len(each)}" for name, each in lists.items())
    raise ValueError(
        f"{', '.join(first)} and {last} from `{owner}` initialization, {SAME_LENGTH}. Got: {found}"
    )


def legend_label(name: str | None, called: str, value: float | None, spread: float | None) -> Any:
    """Return what the legend says of a curve, or None where there is nothing to say.

    Examples
    --------
    >>> legend_label("model", "AR", 0.5, None), legend_label(None, "AR", 0.5, 0.125)
    ('model (AR = 0.50)', 'AR = 0.50 +/- 0.12')
    """
    if value is None:
        return name
    number = f"{called} = {value:.2f}" + ("" if spread is None else f" +/- {spread:.2f}")
    return number if name is None else f"{name} ({number})"


def labels(entries: Entries, *, each: bool) -> list[str | None]:
    """Return a label for each curve, or one for all of them with mean and spread."""
    names: Sequence[str | None] = [None] if entries.names is None else entries.names
    names = list(names) * entries.size if len(names) == 1 else names
    values: Sequence[float | None] = entries.values or [None] * entries.size
    if each or entries.size == 1:
        pairs = zip(names, values, strict=True)
        return [legend_label(name, entries.called, value, None) for name, value in pairs]
    mean = None if entries.values is None else float(np.mean(entries.values))
    spread = None if entries.values is None else float(np.std(entries.values))
    return [legend_label(names[0], entries.called, mean, spread), *[None] * (entries.size - 1)]


def curve_keywords(entries: Entries, given: Keywords | list[Any] | None) -> list[dict[str, Any]]:
    """Return what to draw each curve with: our defaults under what was given.

    One dictionary is for all curves, which then share one entry in the legend; a list has one for
    each.
    """
    each = isinstance(given, list)
    if isinstance(given, list) and len(given) != entries.size:
        raise ValueError(
            f"`curve_kwargs` must be None, a dictionary or a list of length {entries.size}. "
            f"Got: {given}."
        )
    if entries.names is not None and len(entries.names) > 1 and not each:
        raise ValueError(
            "To avoid labeling individual curves that have the same appearance, `curve_kwargs` "
            f"should be a list of {entries.size} dictionaries. Alternatively, set `name` to `None` "
            "or a single string to label a single legend entry for all curves."
        )
    folds = {"alpha": 0.5, "linestyle": "--", "color": "blue"} if entries.size > 1 else {}
    wanted = given if isinstance(given, list) else [given] * entries.size
    named = zip(labels(entries, each=each), wanted, strict=True)
    return [line_keywords({"label": label, **folds}, mine) for label, mine in named]


def line_keywords(usual: Keywords, given: Keywords | None) -> dict[str, Any]:
    """Return the keywords of a line, each by its full name: "c" and "color" are one."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    try:
        return {**usual, **normalize_kwargs(dict(given or {}), Line2D)}
    except TypeError as error:
        raise TypeError(str(error).replace("'", "")) from None
