"""What is known of a number whose outcomes are partly unknown, before it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from capcurve.show.format import amount, counted, number, percent, stated_percent
from capcurve.show.record import Record

if TYPE_CHECKING:
    from capcurve.counts import JointCounts, PartialCounts, ScoreCounts
    from capcurve.show.finding import Finding

BoundedMetric = Literal["accuracy_ratio", "roc_auc", "captured_response"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions(Record):
    """What the bounds take for granted of the cases without outcome.

    Attributes
    ----------
    positives
        The fewest and the most positives among them, as numbers of cases; None if that is open.
    odds
        The least and the greatest odds of being positive at each score, as multiples of the odds
        of the known there; None if that is open.
    ordered
        Whether their rate of positives does not rise from better to worse ranks.
    pooled
        Whether odds of the known are those of rates pooled until they fall with the score (PAV);
        else those of each score as they stand.
    """

    positives: tuple[Any, Any] | None = None
    odds: tuple[float, float] | None = None
    ordered: bool = False
    pooled: bool = True


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Bounded:
    """The bounds of a number; `Bounds` says what each attribute is."""

    metric: BoundedMetric
    low: float
    high: float
    positives_at_low: Any
    positives_at_high: Any
    low_counts: ScoreCounts | JointCounts
    high_counts: ScoreCounts | JointCounts
    known_only: float | None
    same_odds: float | None
    low_limit: float | None
    high_limit: float | None
    level: float
    n_known: Any
    n_unknown: Any
    known_positives: Any
    partial: PartialCounts
    q: float | None = None
    names: tuple[str, ...] = ()
    assumptions: Assumptions = Assumptions()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """How much the unknown leave open."""
        return self.high - self.low


def called(metric: BoundedMetric, q: float | None, names: tuple[str, ...] = ()) -> str:
    """Return what is bounded, as it stands in a sentence.

    >>> called("captured_response", 0.1), called("roc_auc", None, ("new", "old"))
    ('the share captured in the top 10%', 'the AUC of new less that of old')
    """
    plain_names = {
        "accuracy_ratio": "the accuracy ratio",
        "roc_auc": "the AUC",
        "captured_response": "the share captured"
        + ("" if q is None else f" in the top {stated_percent(q)}"),
    }
    name = plain_names[metric]
    return f"{name} of {names[0]} less that of {names[1]}" if names else name


@dataclass(frozen=True, slots=True, kw_only=True)
class TippingPoint(Record):
    """How many of the unknown outcomes, placed worst, break a minimum.

    Attributes
    ----------
    positives
        The fewest positives among the unknown that bring the number below the minimum where they
        stand at the worst places and the other unknown are negatives; None if no number does.
    share
        The same as a share of the unknown; None likewise.
    minimum
        What the number should reach.
    metric, q
        Which number it is, and the depth of a captured response.
    known_only
        The number of the known cases alone; None where it is undefined.
    n_unknown
        The cases without outcome.
    names
        The two scores whose difference it is, first less second; none for the number of one.
    notes
        What a reader must know.
    """

    _added = ("sentence",)

    positives: Any
    share: float | None
    minimum: float
    metric: BoundedMetric
    known_only: float | None
    n_unknown: Any
    q: float | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in words."""
        name = called(self.metric, self.q, self.names)
        known = (
            "" if self.known_only is None else f" The known alone show {number(self.known_only)}."
        )
        of = f"the {counted(self.n_unknown, 'unknown outcome')}"
        if not self.n_unknown > 0:
            way = "at" if self.positives is None else "below"
            said = f"No outcome is unknown: {name} is {way} {self.minimum:g}"
            said += " or more." if self.positives is None else "."
        elif self.n_unknown == 1 and self.positives in (None, 0, 1):
            said = self._of_one(name)
        elif self.positives is None:
            said = f"Whatever {of} are, {name} stays at {self.minimum:g} or more."
        elif not self.positives:
            said = f"With none of {of} positive, {name} is already below {self.minimum:g}."
        else:
            verb = "brings" if self.positives == 1 else "bring"
            said = (
                f"{amount(self.positives)} of {of} ({percent(self.share or 0.0)}), placed worst, "
                f"{verb} {name} below {self.minimum:g}; fewer cannot."
            )
        return said + known

    def _of_one(self, name: str) -> str:
        """Return the answer where one outcome is unknown."""
        if self.positives is None:
            return f"Whatever the 1 unknown outcome is, {name} stays at {self.minimum:g} or more."
        if not self.positives:
            return (
                f"If the 1 unknown outcome is negative, {name} is already below {self.minimum:g}."
            )
        return f"If the 1 unknown outcome is positive, {name} is below {self.minimum:g}."

    def __str__(self) -> str:
        return self.sentence
