"""Presentation: what a result shows, wherever it is shown: its figures, findings and lights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from capcurve.show.format import Form, capitalised, certain, limits, written

if TYPE_CHECKING:
    from capcurve.show.chart import Chart
    from capcurve.show.table import Table

Light = Literal["green", "amber", "red", "grey"]
LIGHTS: tuple[Light, ...] = get_args(Light)
# How a finding is headed, the gravest first.
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
    return tuple(sorted(findings, key=lambda finding: [*SEVERITY].index(finding.severity)))


UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number; `text` and `limits` are what people read."""

    metric: str  # a stable name: that of the metric, where it is one
    label: str  # what it is called
    short: str  # the same where there is little room
    # The number, or the lowest and the highest that it can be; None or NaN where it is undefined.
    value: float | str | tuple[float, float] | None
    form: Form = "text"  # how the number and its limits are written
    low: float | None = None  # low, high: its confidence limits, None or NaN where there are none
    high: float | None = None
    note: str = ""  # what else there is to know of it
    score: str = ""  # the score that it is of, where there are several

    @property
    def text(self) -> str:
        """The number as it is written."""
        value = self.value
        if isinstance(value, tuple):
            low, high = (written(self.form, end) for end in certain(*value))
            if value[0] == value[1]:
                return low
            # Beside a minus sign a dash would be lost.
            return f"{low}{'–' if value[0] >= 0 else ' to '}{high}"
        if value is None or value != value:  # noqa: PLR0124 - NaN
            return UNDEFINED
        return "infinite" if value == math.inf else written(self.form, value)

    @property
    def limits(self) -> str:
        """Its confidence limits, as "[low, high]"; empty where there are none."""
        return limits(self.form, self.low, self.high)


class DrawnLater(Sequence["Chart"]):
    """Charts that are drawn when they are first looked at, since text does without them."""

    def __init__(self, draw: Callable[[], Iterable[Chart]]) -> None:
        self._drawn = cache(lambda: tuple(draw()))

    def __len__(self) -> int:
        return len(self._drawn())

    def __getitem__(self, place: Any) -> Any:
        return self._drawn()[place]

    def __repr__(self) -> str:
        return repr(self._drawn())

    def __reduce__(self) -> tuple[type[tuple[Chart, ...]], tuple[tuple[Chart, ...]]]:
        return tuple, (self._drawn(),)  # copied and pickled as drawn


def as_sentences(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes as sentences, each with a capital letter and a full stop."""
    return tuple(f"{capitalised(note)}." for note in notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """What a result shows, in the order in which it is read."""

    title: str  # what the result is called
    sentences: tuple[str, ...]  # the answer in words; the first is the headline
    light: Light | None = None  # how grave the headline is; None where nothing is judged
    source: str | None = None  # where the data came from, or None
    figures: tuple[Figure, ...] = ()  # the headline numbers, each of one score or of all
    # The figures of several scores, as many as a line of text has room for.
    brief: Table | None = None
    # Confidence level of the intervals in the figures, or None without intervals.
    level: float | None = None
    findings: tuple[Finding, ...] = ()  # what there is to know about the result, the gravest first
    charts: Sequence[Chart] = ()  # the pictures; the first is the one that is drawn and saved
    # Their names are the captions; the first is the one that is saved as csv.
    tables: tuple[Table, ...] = ()
    above: int = 0  # how many of them a page has above its picture
    more: tuple[Table, ...] = ()  # tables of documents and pages, which a screen has no room for
    folded: tuple[Table, ...] = ()  # tables that a page has folded, and a workbook below the others
    on_card: int = 1  # how many of the charts and tables are on a notebook's card
    remarks: tuple[str, ...] = ()  # what is said of each score below the numbers
    notes: tuple[str, ...] = ()  # what a reader must know: definitions and methods
