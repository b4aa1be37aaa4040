"""What the script of the page is given: counts at cut-offs, numbers and names, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain
from capcurve.report.bands import drawn_bands
from capcurve.report.differences import drawn_differences
from capcurve.report.scores import score_values
from capcurve.report.segments import are_ordered, segment_values
from capcurve.report.svg import shortened
from capcurve.report.words import file_names
from capcurve.summary.comparing import difference_columns
from capcurve.tables.shown import writable
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.inference import Comparison
    from capcurve.report.content import Content
    from capcurve.report.kept import Kept

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each curve is written.

    Attributes
    ----------
    tolerance
        How far a drawn curve may lie from the full one.
    steps
        How many steps of the share selected have a cut-off of their own.
    segment_tolerance
        The same distance for the curves of segments; None to leave these curves out.
    segments
        How many segments are listed at most.
    """

    tolerance: float
    steps: int
    segment_tolerance: float | None
    segments: int


@dataclass(frozen=True, slots=True)
class Bands:
    """What is resampled for a page: once, as it does not depend on how fine the curves are.

    Attributes
    ----------
    of_scores
        Null band and own band by score, or why there is none.
    of_differences
        The bands of the differences of two CAPs.
    """

    of_scores: Mapping[str, dict[str, Any]]
    of_differences: list[dict[str, Any]]


def drawn_by_chance(content: Content, kept: Mapping[str, Kept]) -> Bands:
    """Return the bands of all scores and of their differences."""
    own = {
        name: drawn_bands(
            content, content.counts[name], found.counts, content.summaries[name].level
        )
        for name, found in kept.items()
    }
    return Bands(own, drawn_differences(content))


def payload(
    content: Content, kept: Mapping[str, Kept], detail: Detail, bands: Bands, today: str
) -> dict[str, Any]:
    """Return all that the pictures and tables of a page are drawn from."""
    money = content.money
    values = {
        "title": content.title,
        "source": None if content.source is None else file_names(content.source),
        "date": today,
        "version": __version__,
        "prevalence": content.prevalence,
        "money": None if money is None else {"value": money.value, "cost": money.cost},
        "by": content.by,
        "ordered": are_ordered(content),
        "tolerance": detail.tolerance,
        "models": [
            {
                **score_values(content, name, found),
                "bands": bands.of_scores[name],
                "segments": segment_values(content, name, detail),
            }
            for name, found in kept.items()
        ],
        "comparison": None if content.comparison is None else _tests(content.comparison),
        "differences": [_with_names(band, list(kept)) for band in bands.of_differences],
    }
    cleaned: dict[str, Any] = _clean(plain(values))
    return cleaned


def _tests(comparison: Comparison) -> dict[str, Any]:
    """Return the paired tests as texts, the same as in a terminal."""
    columns = difference_columns(comparison)
    return {
        "method": comparison.overall.method,
        "names": list(columns),
        "rows": [list(row) for row in zip(*columns.values(), strict=True)],
    }


def _with_names(band: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the band of a difference with the scores that it is of."""
    pairs = ((first, second) for first in names for second in names)
    found = next(pair for pair in pairs if band["name"] == f"{pair[0]} less {pair[1]}")
    return {**band, "first": found[0], "second": found[1]}


def _clean(value: Any) -> Any:
    """Return the values with names cut to a length that a screen has use for."""
    if isinstance(value, str):
        return shortened(writable(value), LONGEST_NAME)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    return value
