"""What a result of a whole question shows, whether as text, picture, page or notebook card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from capcurve.summary import Finding
    from capcurve.tables import Table
    from capcurve.view.chart import Chart
    from capcurve.view.figures import Figure

# How a finding is headed.
SEVERITY = {"error": "Problem", "warning": "Warning", "info": "Note"}


class Shows(Protocol):
    """A result that says what it shows."""

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that strict JSON can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What a result shows, in the order in which it is read.

    Attributes
    ----------
    title
        What the result is called.
    sentences
        The answer in words; the first is the headline.
    source
        Where the data came from, or None.
    figures
        The headline numbers.
    level
        Confidence level of the intervals in the figures, or None without intervals.
    findings
        What there is to know about the result, the gravest first.
    charts
        The pictures; the first is the one that is drawn and saved.
    tables
        Their names are the captions; the first is the one that is saved as csv.
    notes
        What a reader must know: definitions and methods.
    """

    title: str
    sentences: tuple[str, ...]
    source: str | None = None
    figures: tuple[Figure, ...] = ()
    level: float | None = None
    findings: tuple[Finding, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
