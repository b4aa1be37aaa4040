"""Finding: one thing to know about a result; and lights, which say how grave it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Light = Literal["green", "amber", "red", "grey"]
LIGHTS: tuple[Light, ...] = get_args(Light)
# How a finding is headed.
SEVERITY = {"error": "Problem", "warning": "Warning", "info": "Note"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a score or its data.

    Attributes
    ----------
    code
        A stable name, for programs.
    severity
        "info", "warning" or "error".
    message
        What was found, with the numbers.
    advice
        What to do about it.

    Examples
    --------
    >>> from capcurve import count_scores, summarize
    >>> finding = summarize(count_scores([1, 1, 0, 0], [4, 3, 2, 1])).findings[0]
    >>> finding.code, finding.severity
    ('few_positives', 'warning')
    >>> finding.advice
    'wait for more cases, or pool periods; 50 is a usual minimum'
    """

    code: str
    severity: Literal["info", "warning", "error"]
    message: str
    advice: str

    def to_dict(self) -> dict[str, str]:
        """Return the finding as plain values."""
        return asdict(self)


def gravest_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by how grave they are, those alike in the order in which they came."""
    rank = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(findings, key=lambda finding: rank[finding.severity]))
