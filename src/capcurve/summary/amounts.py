"""ValueSummary: every number of a report about one score that ranks amounts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from capcurve import metrics
from capcurve.counts import NotHeldError
from capcurve.counts.arguments import as_open_share
from capcurve.inference import confidence_interval
from capcurve.inference.monotone import BINS
from capcurve.summary.chance import CAPTURED, LIFT, SHARES, TOP
from capcurve.summary.findings import findings_of, without_intervals
from capcurve.summary.known import small_cells
from capcurve.summary.verdict import verdict_of
from capcurve.summary.written import SCHEMA_VERSION, Written
from capcurve.tables import gains_table
from capcurve.tables.steps import reading
from capcurve.version import __version__
from capcurve.view.format import amount, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.counts.values import Amounts
    from capcurve.counts.words import Words
    from capcurve.inference import Interval
    from capcurve.summary.findings import Finding
    from capcurve.summary.verdict import Verdict
    from capcurve.tables import Table

MEAN_OF_TOP = f"mean_of_top_{round(100 * TOP)}"


@dataclass(frozen=True, slots=True)
class ValueSummary(Written):
    """Every number of a report about one score of amounts; None where a number is undefined.

    Attributes
    ----------
    name
        The score.
    n, m
        Cases, and those with an amount.
    exposure
        Total exposure; the number of cases when each counts one.
    has_exposure
        Whether an exposure was given.
    amount, mean_amount
        Total amount, and that per unit of exposure: a loss ratio when exposure is premium.
    largest
        The largest amount of one case, whatever its sign.
    signed
        Whether any amount is below 0.
    words
        What the axes are called: `words.selected` and `words.captured`.
    distinct_scores, small_cells
        Number of distinct scores, and the share of them with fewer than five cases.
    accuracy_ratio
        The accuracy ratio; `accuracy_ratio_low` and `accuracy_ratio_high` are the limits of its
        interval.
    concentration_index
        Twice the area between the CAP and the diagonal.
    captured
        Share of the amount in the top 10%, 20% and 50% of the exposure, by share.
    lift, mean_of_top
        Cumulative lift, and mean amount per unit of exposure, there.
    gains
        The gains table in ten bins.
    level
        Confidence level of the intervals and of the verdict.
    intervals
        What chance leaves of the headline numbers: "accuracy_ratio", "concentration_index",
        "captured_10", "captured_20", "captured_50", "lift_10", "mean_of_top_10".
    intervals_undefined
        Why there are no intervals, or None when they are there.
    verdict
        Whether the score ranks better than chance; None where that cannot be said.
    undefined
        Why the accuracy ratio is None, or None when it is there.
    shares_undefined
        Why shares, lift and the concentration index are missing, or None when they are there.
    sentence
        The one plain sentence.
    findings
        What there is to know, the gravest first.
    digest
        Fingerprint of the counts.
    kind
        "amounts": what is captured is an amount.
    """

    kind: ClassVar[Literal["amounts"]] = "amounts"

    name: str
    n: int
    m: int
    exposure: float
    has_exposure: bool
    amount: float
    mean_amount: float | None
    largest: float
    signed: bool
    words: Words
    distinct_scores: int
    small_cells: float | None
    higher_is: str
    levels: tuple[object, ...] | None
    resolution: float | None
    dropped: dict[str, object] | None
    digest: str | None
    accuracy_ratio: float | None = None
    concentration_index: float | None = None
    captured: Mapping[float, float] = field(default_factory=dict)
    lift: Mapping[float, float] = field(default_factory=dict)
    mean_of_top: Mapping[float, float] = field(default_factory=dict)
    gains: Table | None = None
    level: float = 0.95
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    intervals_undefined: str | None = None
    verdict: Verdict | None = None
    undefined: str | None = None
    shares_undefined: str | None = None
    sentence: str = ""
    findings: tuple[Finding, ...] = ()
    schema_version: int = SCHEMA_VERSION
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as values that strict JSON can hold."""
        return {**Written.to_dict(self), "kind": self.kind}

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        row = {
            "score": self.name,
            "n": self.n,
            "with_amount": self.m,
            "exposure": self.exposure,
            "amount": self.amount,
            "mean_amount": self.mean_amount,
            "accuracy_ratio": self.accuracy_ratio,
            "accuracy_ratio_low": self.accuracy_ratio_low,
            "accuracy_ratio_high": self.accuracy_ratio_high,
            "concentration_index": self.concentration_index,
            **{name: self.captured.get(q) for name, q in CAPTURED.items()},
            LIFT: self.lift.get(TOP),
            MEAN_OF_TOP: self.mean_of_top.get(TOP),
        }
        return row if self.has_exposure else {k: v for k, v in row.items() if k != "exposure"}
