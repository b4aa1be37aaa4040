"""Summary: every number of a report, read once off the counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from capcurve import metrics
from capcurve.counts.plain import plain
from capcurve.curves import cap_curve, lift_curve
from capcurve.curves.shares import sample_rate
from capcurve.summary.findings import Finding, findings_of
from capcurve.summary.known import about_totals, heights, known, small_cells
from capcurve.tables import Table, gains_table
from capcurve.tables.steps import percent, reading
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Ranked

SCHEMA_VERSION = 1
SHARES = (0.1, 0.2, 0.5)
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
    undefined
        Why numbers are None, or None when all are there.
    sentence
        The one plain sentence.
    findings
        What there is to know, the gravest first.
    digest
        Fingerprint of the counts; None for totals of an engine that cannot tell it.
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
        kept["findings"] = [finding.to_dict() for finding in self.findings]
        written: dict[str, Any] = plain(kept)
        return {"schema_version": SCHEMA_VERSION, **written}

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        found = self.ks
        return {
            "score": self.name,
            "n": self.n,
            "positives": self.n1,
            "prevalence": self.prevalence,
            "accuracy_ratio": self.accuracy_ratio,
            "roc_auc": self.roc_auc,
            "ks": None if found is None else found.statistic,
            "ks_q": None if found is None else found.q,
            "ks_threshold": None if found is None else found.threshold,
            **{f"captured_{round(100 * q)}": self.captured.get(q) for q in SHARES},
            "lift_10": self.lift.get(SHARES[0]),
            "tie_mass": self.tie_mass,
        }


def summarize(counts: Ranked, *, name: str = "score", prevalence: float | None = None) -> Summary:
    """Return every number of a report about one score.

    Parameters
    ----------
    counts
        What was counted.
    name
        What to call the score.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Returns
    -------
    Summary
        With counts that lack a class, the numbers that need it are None and `undefined` says
        why: a month without defaults does not stop a report.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])).roc_auc == 2 / 3
    True
    """
    base = _base(counts, name, prevalence)
    undefined = _why_undefined(counts)
    if undefined is not None:
        sentence = f"The numbers are undefined: {undefined}."
        return Summary(**base, undefined=undefined, sentence=sentence)
    numbers = _numbers(counts, prevalence)
    base["findings"] += about_totals(counts, numbers)
    return Summary(**base, **numbers, sentence=_sentence(counts, numbers))


def _numbers(counts: Ranked, prevalence: float | None) -> dict[str, Any]:
    bounds = metrics.accuracy_ratio_bounds(counts)
    captured, lift = (
        heights(counts, curve, SHARES)
        for curve in (cap_curve(counts, prevalence=prevalence), _lift(counts, prevalence))
    )
    return {
        "accuracy_ratio": metrics.accuracy_ratio(counts),
        "accuracy_ratio_low": bounds.low,
        "accuracy_ratio_high": bounds.high,
        "roc_auc": metrics.roc_auc(counts),
        "ks": metrics.ks(counts),
        "tie_mass": metrics.tie_mass(counts),
        "somers_d": metrics.somers_d(counts),
        "kendall_tau_b": known(counts, metrics.kendall_tau_b) if len(counts) > 1 else None,
        "pietra_index": metrics.pietra_index(counts),
        "bayesian_error_rate": known(counts, metrics.bayesian_error_rate, prior=prevalence),
        "conditional_information_entropy_ratio": known(
            counts, metrics.conditional_information_entropy_ratio
        ),
        "information_value": known(counts, metrics.information_value),
        "captured": captured,
        "lift": lift,
        "gains": known(counts, gains_table, prevalence=prevalence),
    }


def _lift(counts: Ranked, prevalence: float | None) -> Any:
    return lift_curve(counts, prevalence=prevalence)


def _base(counts: Ranked, name: str, prevalence: float | None) -> dict[str, Any]:
    return {
        "name": name,
        "n": counts.n,
        "n1": counts.n1,
        "n0": counts.n0,
        "prevalence": sample_rate(counts, prevalence) if len(counts) else None,
        "stated_prevalence": prevalence,
        "distinct_scores": len(counts),
        "small_cells": small_cells(counts),
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "weight_kind": counts.weight_kind,
        "weighted": not counts.is_whole,
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
        "digest": counts.digest(),
        "findings": findings_of(counts),
    }


def _why_undefined(counts: Ranked) -> str | None:
    if not len(counts):
        return "there are no cases"
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return f"there are no {name} among the {counts.n:,} cases"
    return None


def weight_text(weight: float) -> str:
    """Return a total weight as people read it.

    Examples
    --------
    >>> weight_text(791718400.0), weight_text(12.5), weight_text(1e300)
    ('791,718,400', '12.5', '1e+300')
    """
    plain = LEAST_WHOLE_WEIGHT <= weight < LARGEST_PLAIN_WEIGHT
    return f"{weight:,.0f}" if plain else f"{weight:.6g}"


def _sentence(counts: Ranked, numbers: dict[str, Any]) -> str:
    top = SHARES[0]
    captured = numbers["captured"].get(top)
    first = None if captured is None else reading((top, captured))
    cases = (
        f"{counts.n:,} cases with {counts.n1:,} positives"
        if counts.is_whole
        else f"a weight of {weight_text(counts.n)}, {percent(counts.n1 / counts.n)} of it positive"
    )
    said = f"{first}; the" if first else "the"
    return (
        f"{said[0].upper()}{said[1:]} accuracy ratio is {numbers['accuracy_ratio']:.3f} on {cases}."
    )
