"""Summary: every number of a report, read once off the counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from capcurve.counts.plain import plain
from capcurve.summary.chance import SHARES
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve import metrics
    from capcurve.inference import Interval
    from capcurve.summary.findings import Finding
    from capcurve.summary.verdict import Verdict
    from capcurve.tables import Table

SCHEMA_VERSION = 1
# Between these a weight is written as a whole number.
LEAST_WHOLE_WEIGHT, LARGEST_PLAIN_WEIGHT = 1000, 1e15


@dataclass(frozen=True, slots=True)
class Summary:
    """Every number of a report about one score; None where a number is undefined.

    Attributes
    ----------
    name
        The score.
    n, n1, n0
        Cases, positives and negatives, or their weight.
    prevalence
        Share of positives, as counted or as stated.
    stated_prevalence
        The prevalence that was asked for, or None.
    distinct_scores, small_cells
        Number of distinct scores, and the share of them with fewer than five cases: with a
        continuous score each of these is a person.
    accuracy_ratio, accuracy_ratio_low, accuracy_ratio_high
        The accuracy ratio and the range that breaking ties by row order could show.
    roc_auc, ks, tie_mass, somers_d, kendall_tau_b, pietra_index, bayesian_error_rate
        The other measures of order and separation; ks is the full record.
    conditional_information_entropy_ratio, information_value
        The measures of information.
    captured
        Share of positives in the top 10%, 20% and 50%, by share.
    lift
        Cumulative lift there.
    gains
        The gains table in ten bins.
    level
        Confidence level of the intervals and of the verdict.
    intervals
        What chance leaves of the headline numbers: "accuracy_ratio", "roc_auc", "ks",
        "captured_10", "captured_20", "captured_50", "lift_10".
    intervals_undefined
        Why there are no intervals, or None when they are there.
    verdict
        Whether the score ranks better than chance; None where that cannot be said.
    undefined
        Why numbers are None, or None when all are there.
    sentence
        The one plain sentence.
    findings
        What there is to know, the gravest first.
    digest
        Fingerprint of the counts.
    """

    name: str
    n: float
    n1: float
    n0: float
    prevalence: float | None
    stated_prevalence: float | None
    distinct_scores: int
    small_cells: float | None
    higher_is: str
    levels: tuple[object, ...] | None
    resolution: float | None
    weight_kind: str | None
    weighted: bool
    dropped: dict[str, object] | None
    digest: str | None
    accuracy_ratio: float | None = None
    accuracy_ratio_low: float | None = None
    accuracy_ratio_high: float | None = None
    roc_auc: float | None = None
    ks: metrics.KS | None = None
    tie_mass: float | None = None
    somers_d: float | None = None
    kendall_tau_b: float | None = None
    pietra_index: float | None = None
    bayesian_error_rate: float | None = None
    conditional_information_entropy_ratio: float | None = None
    information_value: float | None = None
    captured: Mapping[float, float] = field(default_factory=dict)
    lift: Mapping[float, float] = field(default_factory=dict)
    gains: Table | None = None
    level: float = 0.95
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    intervals_undefined: str | None = None
    verdict: Verdict | None = None
    undefined: str | None = None
    sentence: str = ""
    findings: tuple[Finding, ...] = ()
    schema_version: int = SCHEMA_VERSION
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as values that strict JSON can hold."""
        kept = {name: getattr(self, name) for name in self.__slots__}
        kept["ks"] = None if self.ks is None else asdict(self.ks)
        kept["gains"] = None if self.gains is None else self.gains.to_dict()
        kept["intervals"] = {name: found.to_dict() for name, found in self.intervals.items()}
        kept["verdict"] = None if self.verdict is None else self.verdict.to_dict()
        kept["findings"] = [finding.to_dict() for finding in self.findings]
        written: dict[str, Any] = plain(kept)
        return {"schema_version": SCHEMA_VERSION, **written}

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        found, chance = self.ks, self.intervals.get("accuracy_ratio")
        return {
            "score": self.name,
            "n": self.n,
            "positives": self.n1,
            "prevalence": self.prevalence,
            "accuracy_ratio": self.accuracy_ratio,
            "accuracy_ratio_ci_low": None if chance is None else chance.low,
            "accuracy_ratio_ci_high": None if chance is None else chance.high,
            "roc_auc": self.roc_auc,
            "ks": None if found is None else found.statistic,
            "ks_q": None if found is None else found.q,
            "ks_threshold": None if found is None else found.threshold,
            **{f"captured_{round(100 * q)}": self.captured.get(q) for q in SHARES},
            "lift_10": self.lift.get(SHARES[0]),
            "tie_mass": self.tie_mass,
        }


def weight_text(weight: float) -> str:
    """Return a total weight as people read it.

    Examples
    --------
    >>> weight_text(791718400.0), weight_text(12.5), weight_text(1e300)
    ('791,718,400', '12.5', '1e+300')
    """
    plain = LEAST_WHOLE_WEIGHT <= weight < LARGEST_PLAIN_WEIGHT
    return f"{weight:,.0f}" if plain else f"{weight:.6g}"
