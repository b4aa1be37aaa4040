"""What an audit finds: ranges of numbers, claims judged, cells that do not fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from capcurve.metrics import METRICS
from capcurve.show.format import certain, number, percent, stated_percent
from capcurve.show.result import Record

if TYPE_CHECKING:
    from fractions import Fraction

# What the ranges of a table are of, and claims without a depth.
WHOLE_TABLE = ("accuracy_ratio", "roc_auc", "ks")


@dataclass(frozen=True, slots=True)
class Range(Record):
    """The range of a number that a binned table leaves open.

    Attributes
    ----------
    low, high
        The least and greatest number among all rankings of cases that show this table.
    table
        The number with straight lines between the table's points, as if all cases of a bin had
        one score; None where several tables fit the printed numbers.
    sharp
        Whether both ends are reached; if not, the true range may be narrower.
    straight
        The least and greatest `table` among the tables that fit.
    exact
        Low, table and high as fractions; None where `low` or `high` is no fraction.

    Examples
    --------
    >>> from capcurve import audit_table
    >>> audit = audit_table({"n": [3, 3], "positives": [2, 1]})
    >>> audit.roc_auc.low == 4 / 9, audit.roc_auc.table == 2 / 3, audit.roc_auc.high == 8 / 9
    (True, True, True)
    """

    low: float
    table: float | None
    high: float
    sharp: bool
    straight: tuple[float, float]
    exact: tuple[Fraction, Fraction | None, Fraction] | None = field(default=None, repr=False)

    @property
    def width(self) -> float:
        """How much the table leaves open."""
        return self.high - self.low


class RangeInWords(NamedTuple):
    """A range as it reads everywhere, its ends rounded away from each other."""

    low: str
    straight: tuple[str, str]
    high: str

    @classmethod
    def of(cls, found: Range, *, share: bool = False) -> RangeInWords:
        """Return a range in words, shares in per cent."""
        say = percent if share else number
        low, high = certain(found.low, found.high)
        # Straight lines at an end read as that end.
        ends = {found.low: low, found.high: high}
        first, last = (say(ends.get(each, each)) for each in found.straight)
        return cls(say(low), (first, last), say(high))

    @property
    def between(self) -> str:
        """The straight lines: one number, or from which to which they give."""
        return " to ".join(dict.fromkeys(self.straight))


def metric_in_words(name: str) -> str:
    """Return a metric with its depth as a reader knows it.

    >>> metric_in_words("captured@0.1")
    'captured share at 10%'
    """
    metric, _, q = name.partition("@")
    words = METRICS[metric].label if metric in METRICS else "captured share"
    return f"{words} at {stated_percent(float(q))}" if q else words


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """A number that somebody states beside the table, and whether it can be true.

    Attributes
    ----------
    metric
        What it is a number of, such as "roc_auc" or "captured@0.1".
    said
        The number as it was stated.
    low, high
        From where to where the number behind it lies.
    possible
        Whether the number lies in the range of what the table allows; an accuracy ratio or AUC
        beside a table of which all cases are known also whether some ranking has it, to half a
        pair. If not, no ranking has it.
    range
        What the table allows.
    mistake
        What the number is if it is not what it is said to be, in words; or None.
    message
        The judgement in one sentence.

    Examples
    --------
    >>> from capcurve import audit_table
    >>> audit = audit_table({"n": [3, 3], "positives": [2, 1]}, claims={"gini": "0.90"})
    >>> claim = audit.claims[0]
    >>> claim.metric, claim.said, claim.possible
    ('accuracy_ratio', '0.90', False)
    """

    metric: str
    said: str
    low: float
    high: float
    possible: bool
    range: Range
    mistake: str | None
    message: str


@dataclass(frozen=True, slots=True)
class CellFix(Record):
    """A printed number that alone keeps the table from fitting, and what would fit."""

    column: str  # column, bin: the heading of its column, and what its bin is called
    bin: str
    place: int  # where its bin stands, 0 at the top
    text: str  # the number as printed
    # Low, high: from where to where the number would fit the rest, in the column's own unit.
    low: Fraction = field(repr=False)
    high: Fraction = field(repr=False)
    would_fit: str  # the same in words, with the digits of the column
    message: str  # what is wrong in one sentence
