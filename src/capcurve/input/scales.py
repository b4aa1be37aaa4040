"""master_scale: cut values, or a table of grades and their bounds, become a scale."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.master_scale import MasterScale
from capcurve.input.query import columns_of_roles, names_in

if TYPE_CHECKING:
    from capcurve.input.columns import Data, InputColumn
    from capcurve.numbers.types import Array

_LOWER = {"lower", "low", "from", "min", "minimum", "lowest"}
_UPPER = {"upper", "high", "to", "max", "maximum", "highest"}
_NAMES = {"grade", "rating", "class", "pool", "name", "bucket", "band"}
NEEDED = "a master scale has a column of grades, and one of lower or upper bounds"


def master_scale(scale: Any) -> MasterScale:
    """Return grades for a continuous PD or score: from cut values, or the table of a master scale.

    Whatever takes `levels` takes the result, and each score becomes the grade that it falls in:
    counts, tests and tables of grades then work for scores without grades of their own. A grade
    holds its lower bound: lower <= score < upper.

    Parameters
    ----------
    scale
        Cut values, ascending, between the grades, which are then named by them; a mapping of
        each grade to its lower bound; or a table with a column of grades and a column whose name
        says that it holds lower bounds (lower, from, min) or upper ones (upper, to, max), or both:
        a data frame, a mapping of columns or the path of a file. The lowest bound and the highest
        may be missing: that end of the scale is open.

    Raises
    ------
    ValueError
        For bounds that are missing, equal or no numbers, grades named twice, and a table without
        such columns. Later, where scores lie beyond a bound that the scale ends with.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> scale = master_scale([0.01, 0.05])
    >>> scale.grades
    ('< 0.01', '[0.01, 0.05)', '>= 0.05')
    >>> counts = count_scores([0, 0, 1, 1], [0.002, 0.01, 0.03, 0.2], levels=scale)
    >>> counts.levels, counts.positives.tolist(), counts.negatives.tolist()
    (('>= 0.05', '[0.01, 0.05)', '< 0.01'), [1, 1, 0], [0, 1, 1])
    >>> master_scale({"A": 0, "B": 0.01, "C": 0.05}).bounds
    (0.01, 0.05)
    """
    if isinstance(scale, MasterScale):
        return scale
    if _are_cuts(scale):
        cuts = _numbers(np.asarray(scale), "the cut values")
        if not cuts:
            raise ValueError("a master scale needs at least one cut value")
        return MasterScale.of_cuts(cuts)
    if isinstance(scale, Mapping) and all(map(np.isscalar, scale.values())):
        return _from_bounds(list(map(str, scale)), _numbers(np.array([*scale.values()]), "bounds"))
    return _from_table(scale)


def _are_cuts(scale: Any) -> bool:
    listed = isinstance(scale, list | tuple) and not any(isinstance(each, str) for each in scale)
    return listed or isinstance(scale, np.ndarray)


def _numbers(values: Array, what: str) -> list[float]:
    """Return numbers as floats, or raise for what is none."""
    if values.ndim != 1 or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise ValueError(f"{what} must be finite numbers, got {values.tolist()!r:.60}")
    return [float(value) for value in values]


def _from_table(data: Data) -> MasterScale:
    names = names_in(data)
    lower, upper = _named(names, _LOWER), _named(names, _UPPER)
    others = [name for name in names if name not in (lower, upper)]
    if not others or (lower is None and upper is None):
        there = ", ".join(map(repr, names)) or "none"
        raise ValueError(f"{NEEDED}; the columns are {there}")
    roles = {"grade": _named(others, _NAMES) or others[0], "lower": lower, "upper": upper}
    asked = {role: name for role, name in roles.items() if name is not None}
    found = dict(zip(asked, columns_of_roles(asked, data)[0], strict=True))
    for role, column in found.items():
        lacking = 0 if column.missing is None else int(column.missing.sum())
        if lacking > (role != "grade"):
            raise ValueError(f"the {role} column {column.name!r} of the scale lacks a value")
    grades = [str(each) for each in found["grade"].values.tolist()]
    bounds = {role: _bounds(column, role) for role, column in found.items() if role != "grade"}
    return _from_bounds(grades, bounds.get("lower"), bounds.get("upper"))


def _bounds(column: InputColumn, role: str) -> list[float]:
    """Return the bounds of a column, the one that is not there as an open end."""
    there = np.ones(len(column), bool) if column.missing is None else ~column.missing
    bounds = np.full(len(column), -np.inf if role == "lower" else np.inf)
    bounds[there] = _numbers(column.values[there], f"the {role} bounds of the scale")
    return [float(bound) for bound in bounds]


def _named(names: Sequence[str], known: set[str]) -> str | None:
    """Return the first name with a word that is known."""
    words = {name: set(re.findall(r"[^\W\d_]+", name.lower())) for name in names}
    return next((name for name in names if words[name] & known), None)


def _from_bounds(
    grades: Sequence[str], lower: Sequence[float] | None, upper: Sequence[float] | None = None
) -> MasterScale:
    """Return the scale of grades in any order, each with its lower bound, upper bound or both."""
    known = lower if lower is not None else upper or []
    order = sorted(range(len(grades)), key=known.__getitem__)
    if not order:
        raise ValueError(f"{NEEDED}; this one has no rows")
    names = tuple(grades[place] for place in order)
    lows = None if lower is None else [lower[place] for place in order]
    highs = None if upper is None else [upper[place] for place in order]
    if lows and highs:
        for (a, b), high, low in zip(pairwise(names), highs, lows[1:], strict=False):
            if high != low:
                raise ValueError(
                    f"grade {a} of the scale ends at {high:g} and {b} begins at {low:g}; bounds "
                    "must meet"
                )
    ends = {} if lows is None else {"low": lows[0]}
    ends |= {} if highs is None else {"high": highs[-1]}
    return MasterScale(names, tuple(lows[1:] if lows else (highs or [])[:-1]), **ends)
