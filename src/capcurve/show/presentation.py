"""What a result of a whole question shows, whether as text, picture, page or notebook card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capcurve.show.chart import Chart
    from capcurve.show.figure import Figure
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What a result shows, in the order in which it is read."""

    title: str  # what the result is called
    sentences: tuple[str, ...]  # the answer in words; the first is the headline
    source: str | None = None  # where the data came from, or None
    figures: tuple[Figure, ...] = ()  # the headline numbers
    # Confidence level of the intervals in the figures, or None without intervals.
    level: float | None = None
    findings: tuple[Finding, ...] = ()  # what there is to know about the result, the gravest first
    charts: tuple[Chart, ...] = ()  # the pictures; the first is the one that is drawn and saved
    # Their names are the captions; the first is the one that is saved as csv.
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()  # what a reader must know: definitions and methods
