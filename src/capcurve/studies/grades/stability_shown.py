"""A population stability index: what is known of it, and what it shows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.show.chart import BLUE, GREY, Axis, Bars, Chart, ScoreTicks, Style
from capcurve.show.figure import Figure
from capcurve.show.format import (
    capitalised,
    chance_text,
    counted,
    joined,
    number,
    plain_names,
    stated_percent,
)
from capcurve.show.presentation import Presentation

if TYPE_CHECKING:
    from capcurve.inference.stability import Of
    from capcurve.show.chart import Values
    from capcurve.show.table import Table

WHOSE = {"cases": "The portfolio's PSI", "positives": "The PSI of the positives"}
WHOSE |= {"negatives": "The PSI of the negatives"}
MEANING = (
    "PSI is the sum of (a - b)·ln(a/b) over the bins, b and a their shares before and after. It "
    "depends on the bins, which are part of the result"
)
METHOD = (
    "p-value: Pearson's chi-square of both samples. Limits: noncentral chi-square law at the PSI "
    "with half a case added to every count"
)
NO_VERDICT = (
    "Limits such as 0.10 and 0.25 take no account of how many cases there are, so none is applied "
    "here"
)
BAR = 0.38
# So many letters have room along x.
ROOM = 60
LONGEST_NAME = 18
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stable:
    """How far a portfolio moved over the bins; `Stability` says what each attribute is."""

    psi: float
    psi_half: float | None
    low: float | None
    high: float | None
    expected_if_unchanged: float | None
    chi2: float | None
    df: int
    p_value: float | None
    of: Of
    level: float
    bins: tuple[str, ...]
    empty: tuple[str, ...]
    table: Table
    n_before: float
    n_after: float
    labels: tuple[str, str] = ("before", "after")
    notes: tuple[str, ...] = ()


def presentation_of_stability(found: Stable) -> Presentation:
    """Return what a population stability index shows."""
    before, after = plain_names(found.labels)
    of = "" if found.of == "cases" else f" of the {found.of}"
    name = f"Shares of {found.of} by {_unit(found)}, {before} and {after}"
    return Presentation(
        title=f"Population stability{of}: {before} to {after}",
        sentences=(_sentence(found),),
        figures=_figures(found),
        level=found.level if found.low is not None else None,
        charts=(_chart(found, name),),
        tables=(replace(found.table, name=name),),
        notes=tuple(f"{capitalised(note)}." for note in _notes(found)),
    )


def _unit(found: Stable) -> str:
    return next(iter(found.table.columns))


def _notes(found: Stable) -> list[str]:
    test = [METHOD] if found.p_value is not None else []
    return [*found.notes, MEANING, *test, NO_VERDICT]


def _sentence(found: Stable) -> str:
    """Return the index, its limits, and whether chance explains it."""
    whose = WHOSE[found.of]
    around = _around(found)
    verdict = "" if found.p_value is None else f": {_chance(found.p_value, found.level)}"
    if math.isfinite(found.psi):
        return f"{whose} is {number(found.psi)}{around}{verdict}."
    half = ""
    if found.psi_half is not None:
        index = number(found.psi_half)
        half = f"; with half a case added to every count it is {index}{around}{verdict}"
    return f"{whose} is infinite, because {_empty(found)} in one sample only{half}."


def _around(found: Stable) -> str:
    if found.low is None or found.high is None or found.expected_if_unchanged is None:
        return ""
    return (
        f" ({stated_percent(found.level)} limits {number(found.low)} to {number(found.high)}; "
        f"{number(found.expected_if_unchanged)} expected if nothing had changed)"
    )


def _chance(p_value: float, level: float) -> str:
    said = chance_text(p_value)
    return f"more than chance ({said})" if p_value < 1 - level else f"no more than chance ({said})"


def _empty(found: Stable) -> str:
    """Return which bins have cases in one sample only."""
    names = plain_names(found.empty)
    several = len(names) > MOST_NAMED
    listed = counted(len(names), _unit(found)) if several else joined(names)
    return f"{listed} {'has' if len(names) == 1 else 'have'} {found.of}"


def _figures(found: Stable) -> tuple[Figure, ...]:
    chance = "" if found.p_value is None else chance_text(found.p_value)
    low, high = found.low, found.high
    if math.isfinite(found.psi):
        shown = [Figure("psi", "PSI", "PSI", found.psi, "ratio", low, high, chance)]
    else:
        shown = [Figure("psi", "PSI", "PSI", found.psi, "ratio")]
        if found.psi_half is not None:
            label = "PSI with half a case added"
            half = found.psi_half
            shown.append(Figure("psi_half", label, label, half, "ratio", low, high, chance))
    if found.expected_if_unchanged is not None:
        label, value = "expected if unchanged", found.expected_if_unchanged
        shown.append(Figure("expected_if_unchanged", label, label, value, "ratio"))
    names = zip(("n_before", "n_after"), plain_names(found.labels), strict=True)
    sizes = (found.n_before, found.n_after)
    return (
        *shown,
        *(
            Figure(key, f"{found.of}, {name}", f"{found.of}, {name}", size, "count")
            for (key, name), size in zip(names, sizes, strict=True)
        ),
    )


def _chart(found: Stable, title: str) -> Chart:
    """Return the shares of each bin, before beside after."""
    at = np.arange(len(found.bins), dtype=np.float64)
    before, after = plain_names(found.labels)
    shares = [found.table[f"share_{each}"] for each in ("before", "after")]
    unit = _unit(found)
    return Chart(
        title=title,
        # Names of bins have two lines, which leave no room for a title.
        x=Axis("" if unit == "bin" else capitalised(unit), "score", ends=(-0.6, len(at) - 0.4)),
        y=Axis(f"Share of {found.of}", "share", from_zero=True),
        bars=[
            Bars(shares[0], before, Style(GREY), None, at - BAR / 2, BAR, "////"),
            Bars(shares[1], after, Style(BLUE), None, at + BAR / 2, BAR),
        ],
        rising=True,
        columns=2,
        scores=_ticks(found, at),
        description=(
            f"Shares of {found.of} in {counted(len(at), unit)}, {before} and {after}; "
            f"PSI {number(found.psi) if math.isfinite(found.psi) else 'infinite'}"
        ),
    )


def _ticks(found: Stable, at: Values) -> ScoreTicks:
    """Return the names of bins, or of every second, third, ... where there is room for no more."""
    names = plain_names(found.bins, LONGEST_NAME)
    if _unit(found) == "bin":
        names = [name.replace(", ", ",\n") for name in names]
    longest = max(len(line) for name in names for line in name.split("\n")) + 1
    each = math.ceil(len(names) * longest / ROOM)
    return ScoreTicks(at[::each], names[::each])
