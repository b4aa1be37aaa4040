"""Summary: every number of a report, read once off the counts, and what chance leaves of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from capcurve import metrics
from capcurve.counts.arguments import as_open_share
from capcurve.counts.given import is_amounts, takes_rankings
from capcurve.counts.settings import CLASSES, Words
from capcurve.curves import cap_curve, lift_curve
from capcurve.curves.shares import refuse_prevalence, sample_rate
from capcurve.inference.implied import implied_or_why_not
from capcurve.inference.monotone import BINS
from capcurve.results.amounts import summary_of_amounts
from capcurve.results.chance import HEADLINES, QUICK, SHARES, intervals_of
from capcurve.results.findings import findings_of, without_intervals
from capcurve.results.implied import about_pds
from capcurve.results.known import (
    MANY_CELLS,
    about_totals,
    begun,
    heights,
    known,
    outline,
    small_cells,
)
from capcurve.results.verdict import verdict_of
from capcurve.results.written import SCHEMA_VERSION, Written
from capcurve.show.finding import gravest_first
from capcurve.show.format import amount, counted, number, percent
from capcurve.tables import gains_table
from capcurve.tables.steps import reading
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Amounts, Ranking
    from capcurve.inference import Interval, Test
    from capcurve.results.amounts import ValueSummary
    from capcurve.results.verdict import Verdict
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table


@dataclass(frozen=True, slots=True)
class Summary(Written):
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
    accuracy_ratio
        The accuracy ratio; `accuracy_ratio_low` and `accuracy_ratio_high` are the limits of its
        interval.
    accuracy_ratio_tie_low, accuracy_ratio_tie_high
        The range that tools which break ties by row order could show.
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
    implied
        The test of the accuracy ratio against the one that PDs promise, from
        `implied_accuracy_ratio`; None unless `pd` was given.
    undefined
        Why numbers are None, or None when all are there.
    sentence
        The one plain sentence.
    findings
        What there is to know, the gravest first.
    digest
        Fingerprint of the counts.
    kind
        "classes": what is counted are positives and negatives.
    """

    kind: ClassVar[Literal["classes"]] = "classes"

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
    accuracy_ratio_tie_low: float | None = None
    accuracy_ratio_tie_high: float | None = None
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
    implied: Test | None = None
    undefined: str | None = None
    sentence: str = ""
    findings: tuple[Finding, ...] = ()
    schema_version: int = SCHEMA_VERSION
    version: str = __version__

    @property
    def words(self) -> Words:
        """Return what is selected and captured: cases and positives."""
        return CLASSES

    @property
    def share_at_ks(self) -> float | None:
        """Return the share of cases selected where KS is reached, at a stated prevalence if any."""
        if self.ks is None or self.stated_prevalence is None:
            return None if self.ks is None else self.ks.q
        # q = π·TPR + (1 - π)·FPR, and the gap between the two rates is the statistic.
        gap = self.ks.statistic if self.ks.side == "+" else -self.ks.statistic
        return self.ks.q + (self.stated_prevalence - self.n1 / self.n) * gap

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        found = self.ks
        return {
            "score": self.name,
            "n": self.n,
            "positives": self.n1,
            "prevalence": self.prevalence,
            "accuracy_ratio": self.accuracy_ratio,
            "accuracy_ratio_low": self.accuracy_ratio_low,
            "accuracy_ratio_high": self.accuracy_ratio_high,
            "roc_auc": self.roc_auc,
            "ks": None if found is None else found.statistic,
            "ks_q": self.share_at_ks,
            "ks_threshold": None if found is None else found.threshold,
            **{f"captured_{round(100 * q)}": self.captured.get(q) for q in SHARES},
            "lift_10": self.lift.get(SHARES[0]),
            "tie_mass": self.tie_mass,
            **self._implied_row(),
        }

    def _implied_row(self) -> dict[str, float | None]:
        """Return what PDs promise and the p-value of the test, if PDs were given."""
        found = self.implied
        if found is None:
            return {}
        tested = found.estimate is not None
        return {
            "implied_accuracy_ratio": found.estimates.get("implied"),
            "implied_p": found.p_value if tested else None,
        }


@overload
def summarize(
    counts: Ranking,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
) -> Summary: ...


@overload
def summarize(
    counts: Amounts,
    *,
    name: str = ...,
    prevalence: None = ...,
    level: float = ...,
    pd: None = ...,
) -> ValueSummary: ...


@overload
def summarize(
    counts: Ranking | Amounts,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
) -> Summary | ValueSummary: ...
@takes_rankings
def summarize(
    counts: Ranking | Amounts,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
    pd: Any = None,
) -> Summary | ValueSummary:
    """Return every number of a report about one score, with what chance leaves of it.

    Parameters
    ----------
    counts
        Result of `count_scores` or `count_values`, or `evaluate(...).counts[name]`.
    name
        What to call the score.
    prevalence
        Re-weight the classes to a population in which this share is positive; not for amounts.
    level
        Confidence level of the intervals, in (0, 1).
    pd
        "score" if the scores are PDs, or one PD per distinct score, as in
        `implied_accuracy_ratio`: adds the accuracy ratio that they promise, and its test. Nothing
        is guessed: left out, there is none.

    Returns
    -------
    Summary or ValueSummary
        With counts that lack a class, the numbers that need it are None and `undefined` says
        why: a month without defaults does not stop a report. Where it is not known what one
        case is, as with weights without a `weight_kind`, there are no intervals, and
        `intervals_undefined` says why.

    Raises
    ------
    ValueError
        For a level outside (0, 1), a prevalence or PDs with amounts, or for PDs that are none.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> found = summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    >>> found.roc_auc == 2 / 3, found.verdict.sentence
    (True, 'not distinguishable from a random score (p = 0.800)')
    """
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        _refuse_pds(pd)
        return summary_of_amounts(counts, name, level)
    found = _with_pds(_numbers(counts, name, prevalence, HEADLINES, level), counts, pd)
    if found.undefined is not None:
        return found
    rising = any(finding.code == "not_concave" for finding in found.findings)
    return replace(found, verdict=verdict_of(counts, found.level, rising=rising))


@overload
def summarize_segment(
    counts: Ranking,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
) -> Summary: ...


@overload
def summarize_segment(
    counts: Amounts,
    *,
    name: str = ...,
    prevalence: None = ...,
    level: float = ...,
    pd: None = ...,
) -> ValueSummary: ...


@overload
def summarize_segment(
    counts: Ranking | Amounts,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
) -> Summary | ValueSummary: ...
def summarize_segment(
    counts: Ranking | Amounts,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
    pd: Any = None,
) -> Summary | ValueSummary:
    """Return the summary of one of many segments: without KS's interval and the verdict.

    These two resample or count orders, which for thousands of segments nobody waits for.
    """
    if is_amounts(counts):
        refuse_prevalence(prevalence)
        _refuse_pds(pd)
        return summary_of_amounts(counts, name, level, verdict=False)
    return _with_pds(_numbers(counts, name, prevalence, QUICK, level), counts, pd)


def _refuse_pds(pd: Any) -> None:
    if pd is not None:
        raise ValueError("pd= is of positives and negatives, and these are amounts; leave it out")


def _with_pds(summary: Summary, counts: Ranking, pd: Any) -> Summary:
    """Return the summary with what PDs promise, if there are any."""
    if pd is None:
        return summary
    test = implied_or_why_not(counts, pd=pd, level=summary.level)
    findings = gravest_first((*summary.findings, *about_pds(test)))
    return replace(summary, implied=test, findings=findings)


def _numbers(
    counts: Ranking,
    name: str,
    prevalence: float | None,
    intervals: tuple[str, ...],
    level: float,
) -> Summary:
    level = as_open_share(level, "level")
    prevalence = None if prevalence is None else as_open_share(prevalence, "prevalence")
    digest = begun(counts.digest) if len(counts) >= MANY_CELLS else counts.digest
    near = outline(counts, SHARES, bins=BINS, prevalence=prevalence)
    base = {**_base(counts, name, prevalence), "level": level}
    base["findings"] = findings_of(counts, near, level)
    undefined = _why_undefined(counts)
    if undefined is not None:
        sentence = f"The numbers are undefined: {undefined}."
        return Summary(
            **base,
            digest=digest(),
            undefined=undefined,
            intervals_undefined=undefined,
            sentence=sentence,
        )
    numbers = _estimates(counts, near, prevalence)
    base["findings"] += about_totals(counts, numbers)
    found, why = intervals_of(counts, near, intervals, level=level, prevalence=prevalence)
    base["findings"] += without_intervals(counts, why)
    return Summary(
        **base,
        **numbers,
        digest=digest(),
        intervals=found,
        intervals_undefined=why,
        sentence=_sentence(counts, numbers),
    )


def _estimates(counts: Ranking, near: Ranking, prevalence: float | None) -> dict[str, Any]:
    bounds = metrics.accuracy_ratio_bounds(counts)
    curves = (read(near, prevalence=prevalence) for read in (cap_curve, lift_curve))
    captured, lift = (heights(near, curve, SHARES) for curve in curves)
    return {
        "accuracy_ratio": metrics.accuracy_ratio(counts),
        "accuracy_ratio_tie_low": bounds.low,
        "accuracy_ratio_tie_high": bounds.high,
        "roc_auc": metrics.roc_auc(counts),
        "ks": metrics.ks(near),
        "tie_mass": metrics.tie_mass(counts),
        "somers_d": metrics.somers_d(counts),
        "kendall_tau_b": known(counts, metrics.kendall_tau_b) if len(counts) > 1 else None,
        "pietra_index": metrics.pietra_index(near),
        "bayesian_error_rate": known(near, metrics.bayesian_error_rate, prior=prevalence),
        "conditional_information_entropy_ratio": known(
            counts, metrics.conditional_information_entropy_ratio
        ),
        "information_value": known(counts, metrics.information_value),
        "captured": captured,
        "lift": lift,
        "gains": known(near, gains_table, bins=BINS, prevalence=prevalence),
    }


def _base(counts: Ranking, name: str, prevalence: float | None) -> dict[str, Any]:
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
    }


def _why_undefined(counts: Ranking) -> str | None:
    if not len(counts):
        return "there are no cases"
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return f"there are no {name} among the {counted(counts.n, 'case')}"
    return None


def _sentence(counts: Ranking, numbers: dict[str, Any]) -> str:
    top = SHARES[0]
    captured = numbers["captured"].get(top)
    first = None if captured is None else reading((top, captured))
    cases = (
        f"{amount(counts.n)} cases with {amount(counts.n1)} positives"
        if counts.is_whole
        else f"a weight of {amount(counts.n)}, {percent(counts.n1 / counts.n)} of it positive"
    )
    said, ratio = f"{first}; the" if first else "the", number(numbers["accuracy_ratio"])
    return f"{said[0].upper()}{said[1:]} accuracy ratio is {ratio} on {cases}."
