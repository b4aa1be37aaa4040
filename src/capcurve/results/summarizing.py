"""summarize: every number of a report, read once off the counts, with what chance leaves of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from capcurve import metrics
from capcurve.counts import Amounts, Ranking, ValueSums
from capcurve.counts.times import HorizonCounts, taken_by
from capcurve.curves import cap_curve, lift_curve
from capcurve.curves.kinds import Errors, mean_amount_curve
from capcurve.curves.shares import refuse_prevalence, sample_rate
from capcurve.gate.given import is_amounts
from capcurve.gate.taking import takes_rankings
from capcurve.inference import Interval
from capcurve.inference.implied import implied_or_why_not
from capcurve.inference.monotone import USUAL_GRADE_BINS
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg, as_open_share
from capcurve.numbers.threads import shared_threads
from capcurve.results.findings import (
    NEGATIVE_AMOUNTS,
    about_kinds,
    about_pds,
    findings_of_counts,
    ratio_or_none,
    without_intervals,
)
from capcurve.results.horizon import censored
from capcurve.results.known import (
    CAPTURED_SHARES,
    LIFT_FIELD,
    LIFT_SHARE,
    MANY_CELLS,
    MEAN_OF_TOP,
    SUMMARY_SHARES,
    about_totals,
    begun,
    heights_at_shares,
    intervals_of,
    known,
    outline,
    small_cells,
    totals_only,
)
from capcurve.results.summary import Summary, ValueSummary
from capcurve.results.verdict import verdict_of
from capcurve.show.format import amount, capitalised, counted, joined, number, percent
from capcurve.show.presentation import Finding, gravest_first
from capcurve.tables import gains_table
from capcurve.tables.gains import reading
from capcurve.tables.thresholds import as_shown, with_cutoffs

TOO_FEW_CASES = 10  # of a class, or with an amount: so few say little about ranking

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.gate.taking import Column
    from capcurve.input.columns import ColumnLike

SLOW = ("ks",)  # that of KS takes resampling: for a score, not for each of ten thousand segments
NOT_OF_AMOUNTS = "is for positives and negatives, and these are amounts; leave it out"


@overload
def summarize(
    counts: Ranking,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
    selective: bool = ...,
    errors: Errors = ...,
    max_risk: float | None = ...,
) -> Summary: ...
@overload
def summarize(
    counts: Amounts,
    *,
    name: str = ...,
    prevalence: None = ...,
    level: float = ...,
    pd: None = ...,
    selective: Literal[False] = ...,
    errors: Literal["positives"] = ...,
    max_risk: None = ...,
) -> ValueSummary: ...
@overload
def summarize(
    counts: Ranking | Amounts,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
    selective: bool = ...,
    errors: Errors = ...,
    max_risk: float | None = ...,
) -> Summary | ValueSummary: ...
@overload
def summarize(
    amount: Column, score: Column, /, *, exposure: ColumnLike, **words: Any
) -> ValueSummary: ...
@overload
def summarize(
    target: Column,
    score: Column,
    /,
    *,
    name: str = ...,
    prevalence: float | None = ...,
    level: float = ...,
    pd: Any = ...,
    selective: bool = ...,
    errors: Errors = ...,
    max_risk: float | None = ...,
    **rows: Any,
) -> Summary: ...
@takes_rankings
@shared_threads()
def summarize(
    counts: Ranking | Amounts,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
    pd: Any = None,
    selective: bool = False,
    errors: Errors = "positives",
    max_risk: float | None = None,
) -> Summary | ValueSummary:
    """Return the summary of a score: every number of a report, with intervals and a test.

    Raises `ValueError` for a level outside (0, 1), a prevalence or PDs with amounts, or for PDs
    that are none.

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
        `implied_accuracy_ratio`: adds the accuracy ratio that they imply, its test, and their
        calibration. Nothing is guessed: left out, there is none.
    selective
        Whether to add how many errors are left where only the surest cases are answered.
    errors
        With `selective`: "negatives" where the positives are the right answers and the score is a
        confidence; else the positives are the errors and the score is an uncertainty.
    max_risk
        With `selective`: the share of errors up to which a cut-off is certified, as in
        `certified_cutoff`.

    Returns
    -------
    Summary or ValueSummary
        With counts that lack a class, the numbers that need it are None and `undefined` says
        why: a month without defaults does not stop a report. Where it is not known what one
        case is, as with weights without a `weight_kind`, there are no intervals, and
        `intervals_undefined` says why.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> found = summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4]))
    >>> found.roc_auc == 2 / 3, found.verdict.sentence
    (True, 'not distinguishable from a random score (p = 0.800)')
    """
    of_selection = {"errors": errors, "max_risk": max_risk} if selective else None
    if not selective and (max_risk is not None or errors != "positives"):
        raise ValueError(
            f"{arg('errors')} and {arg('max_risk')} are of {arg(selective=True)}; pass it, or "
            "leave them out"
        )
    if is_amounts(counts):
        if selective:
            raise ValueError(f"{arg('selective')} {NOT_OF_AMOUNTS}")
        return _of_amounts(counts, name, level, prevalence, pd, verdict=True)
    if selective and prevalence is not None:
        raise ValueError(f"{arg('selective')} shows risks as counted; leave out prevalence")
    found = _of_classes(counts, name, level, prevalence, pd, selective=of_selection)
    if found.undefined is not None:
        return found
    rising = any(finding.code == "not_concave" for finding in found.findings)
    return replace(found, verdict=verdict_of(counts, found.level, rising=rising))


def summarize_segment(
    counts: Ranking | Amounts,
    *,
    name: str = "score",
    prevalence: float | None = None,
    level: float = 0.95,
    pd: Any = None,
) -> Summary | ValueSummary:
    """Return the summary of one of many segments: without KS's interval and the verdict."""
    # These two resample or count orders, which for thousands of segments nobody waits for.
    if is_amounts(counts):
        return _of_amounts(counts, name, level, prevalence, pd, verdict=False)
    return _of_classes(counts, name, level, prevalence, pd, leaving_out=SLOW)


def glance(
    counts: ScoreCounts,
    name: str,
    level: float,
    limits: tuple[float, float],
    shares: Mapping[str, Sequence[float]],
) -> Summary:
    """Return a summary of whole counts with the numbers of its row alone, some of them known."""
    # `limits` are those of the AUC, `shares` the heights of curves at the shares of a summary.
    why = _why_undefined(counts)
    numbers: dict[str, Any] = {"undefined": why, "others": _others(counts, there=why is None)}
    if why is None:
        gap, auc = metrics.ks(counts), metrics.roc_auc(counts)
        about = Interval(limits[0], auc, limits[1], level, "envelope", None)
        ratio = metrics.accuracy_ratio(counts)
        numbers |= {
            **{n: dict(zip(SUMMARY_SHARES, found, strict=True)) for n, found in shares.items()},
            "accuracy_ratio": ratio,
            "roc_auc": auc,
            "ks": replace(gap, threshold=as_shown(counts, gap.threshold)),
            "tie_mass": metrics.tie_mass(counts),
            "intervals": {"accuracy_ratio": about.as_ratio(ratio), "roc_auc": about},
        }
    return Summary(
        **_base(counts, name),
        **numbers,
        n1=counts.n1,
        n0=counts.n0,
        prevalence=sample_rate(counts) if len(counts) else None,
        stated_prevalence=None,
        weight_kind=None,
        weighted=False,
        level=level,
        digest=None,
    )


def _of_classes(
    counts: Ranking,
    name: str,
    level: float,
    prevalence: float | None,
    pd: Any,
    *,
    leaving_out: tuple[str, ...] = (),
    selective: Mapping[str, Any] | None = None,
) -> Summary:
    """Return the summary without the verdict, and without some of its intervals."""
    level = as_open_share(level, "level")
    prevalence = None if prevalence is None else as_open_share(prevalence, "prevalence")
    digest = begun(counts.digest) if len(counts) >= MANY_CELLS else counts.digest
    near = outline(counts, SUMMARY_SHARES, bins=USUAL_GRADE_BINS, prevalence=prevalence)
    findings = findings_of_counts(counts, near, level)
    why = _why_undefined(counts)
    if why is None:
        numbers, about = _with_limits(counts, near, level, prevalence, leaving_out)
        findings += about
    else:
        sentence = f"The numbers are undefined: {why}."
        numbers = {"undefined": why, "intervals_undefined": why, "sentence": sentence}
        numbers["others"] = _others(counts, there=False)
    implied = calibration = surest = None
    if pd is not None and counts.times is None:
        implied = implied_or_why_not(counts, pd=pd, level=level)
        findings += tuple(about_pds(implied))
    if pd is not None and not leaving_out and len(counts):
        from capcurve.results.calibration import assess_calibration

        calibration = assess_calibration(counts, pd=pd, level=level)
        findings = tuple(dict.fromkeys([*findings, *calibration.findings]))
    if selective is not None and why is None:
        from capcurve.results.selective import selective_prediction

        surest = selective_prediction(counts, level=level, **selective)
        findings += surest.findings
        if not surest.tells_captured:
            numbers["sentence"] = _sentence(counts, {**numbers, "captured": {}})
    _, horizon, competing = taken_by(counts) or (None, None, None)
    return Summary(
        **_base(counts, name),
        **numbers,
        horizon=horizon,
        competing=competing,
        n1=counts.n1,
        n0=counts.n0,
        prevalence=sample_rate(counts, prevalence) if len(counts) else None,
        stated_prevalence=prevalence,
        weight_kind=counts.weight_kind,
        weighted=not counts.is_whole,
        level=level,
        implied=implied,
        calibration=calibration,
        selective=surest,
        findings=gravest_first(findings),
        digest=digest(),
    )


def _with_limits(
    counts: Ranking,
    near: Ranking,
    level: float,
    prevalence: float | None,
    leaving_out: tuple[str, ...],
) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    """Return the numbers with their intervals, and what there is to know of them."""
    numbers = _numbers_of_classes(counts, near, prevalence)
    wanted = [metric.name for metric in METRICS.headlines() if metric.name not in SLOW]
    wanted += [*CAPTURED_SHARES, LIFT_FIELD, *(each for each in SLOW if each not in leaving_out)]
    found, no_limits = intervals_of(counts, near, wanted, level=level, prevalence=prevalence)
    about = (*about_totals(counts, numbers), *without_intervals(counts, no_limits))
    numbers |= {"intervals": found, "intervals_undefined": no_limits}
    numbers["sentence"] = _sentence(counts, numbers)
    return numbers, (*about, *about_kinds(counts, found))


def _base(counts: Ranking | Amounts, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "n": counts.n,
        "distinct_scores": len(counts),
        "small_cells": small_cells(counts),
        "higher_is": counts.higher_is,
        "levels": counts.levels,
        "resolution": counts.resolution,
        "dropped": None if counts.dropped is None else counts.dropped.to_dict(),
    }


def _others(counts: Ranking | Amounts, *, there: bool = True) -> dict[str, float | None]:
    """Return the headline numbers that are no field of the summary; None where undefined."""
    kind = ValueSummary if is_amounts(counts) else Summary
    others = (m for m in METRICS.headlines(kind.kind) if m.name not in kind.__dataclass_fields__)
    return {each.name: known(counts, each.value) if there else None for each in others}


def _numbers_of_classes(counts: Ranking, near: Ranking, prevalence: float | None) -> dict[str, Any]:
    bounds = metrics.accuracy_ratio_bounds(counts)
    curves = (read(near, prevalence=prevalence) for read in (cap_curve, lift_curve))
    captured, lift = (heights_at_shares(near, curve) for curve in curves)
    gap = metrics.ks(near)
    gains = known(near, gains_table, bins=USUAL_GRADE_BINS, prevalence=prevalence)
    return {
        "accuracy_ratio": metrics.accuracy_ratio(counts),
        "accuracy_ratio_tie_low": bounds.low,
        "accuracy_ratio_tie_high": bounds.high,
        "roc_auc": metrics.roc_auc(counts),
        "ks": replace(gap, threshold=as_shown(counts, gap.threshold)),
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
        "others": _others(counts),
        "gains": None if gains is None else with_cutoffs(gains, counts),
    }


def _why_undefined(counts: Ranking) -> str | None:
    if not len(counts):
        return "there are no cases"
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return f"there are no {name} among the {counted(counts.n, 'case')}"
    return None


def _sentence(counts: Ranking, numbers: dict[str, Any]) -> str:
    captured, fewest = numbers["captured"].get(LIFT_SHARE), min(counts.n1, counts.n0)
    first = "" if captured is None else f"{capitalised(reading((LIFT_SHARE, captured)))}. "
    ratio = f"The accuracy ratio is {number(numbers['accuracy_ratio'])}"
    if isinstance(counts, HorizonCounts):
        by, rate = counts.by, percent(counts.n1 / counts.n)
        return (
            f"Within {by}, {first[:1].lower()}{first[1:]}{ratio} for "
            f"{counted(counts.times.n, 'row')} ({rate} positives by then, estimated; "
            f"{censored(counts)} censored before)."
        )
    if not counts.is_whole:
        weight = f"a weight of {amount(counts.n)}, {percent(counts.n1 / counts.n)} of it positives"
        return f"{first}{ratio} for {weight}."
    positives, cases = counted(counts.n1, "positive"), counted(counts.n, "case")
    if fewest < TOO_FEW_CASES:
        few = positives if fewest == counts.n1 else counted(counts.n0, "negative")
        are = "is" if fewest == 1 else "are"
        return f"{few} among {cases} {are} too few to show how well the score ranks. {ratio}."
    return f"{first}{ratio} for {cases} with {positives}."


def _of_amounts(
    values: Amounts, name: str, level: float, prevalence: float | None, pd: Any, *, verdict: bool
) -> ValueSummary:
    """Return the summary of one score that ranks amounts."""
    refuse_prevalence(prevalence)
    if pd is not None:
        raise ValueError(f"{arg('pd')} {NOT_OF_AMOUNTS}")
    level = as_open_share(level, "level")
    ratio, shares = _why_no_numbers(values)
    numbers = _numbers_of_amounts(values, ratio=ratio is None, shares=shares is None)
    there = {**numbers, **numbers["others"]}
    headlines = (each.name for each in METRICS.headlines("amounts"))
    wanted = [name for name in headlines if there.get(name) is not None]
    wanted += [*CAPTURED_SHARES, LIFT_FIELD, MEAN_OF_TOP] if "captured" in numbers else []
    intervals, why = intervals_of(values, values, wanted, level=level, prevalence=None)
    findings = findings_of_counts(values, level=level)
    if why is None:
        findings += tuple(_about_sums(wanted, intervals))
    found = ValueSummary(
        **_base(values, name),
        **numbers,
        m=values.m,
        exposure=values.exposure,
        has_exposure=values.has_exposure,
        amount=values.amount,
        mean_amount=metrics.mean_amount(values) if values.n else None,
        largest=values.largest,
        signed=values.signed,
        words=values.words,
        # Of sums alone the rows are not known, and so there is no fingerprint.
        digest=None if isinstance(values, ValueSums) else values.digest(),
        level=level,
        intervals=intervals,
        intervals_undefined=ratio if not wanted else why,
        verdict=verdict_of(values, level) if verdict and ratio is None else None,
        undefined=ratio,
        shares_undefined=shares,
        findings=(*findings, *without_intervals(values, why)),
    )
    return replace(found, sentence=_sentence_on_amounts(found))


def _why_no_numbers(values: Amounts) -> tuple[str | None, str | None]:
    """Return why there is no accuracy ratio, and why there are no shares; None where they are."""
    if not values.n:
        return (why := "there are no cases"), why
    if not values.m:
        return (why := f"none of the {counted(values.n, 'case')} has an amount"), why
    shares = NEGATIVE_AMOUNTS if values.signed else None
    if ratio_or_none(values) is not None:
        return None, shares
    if isinstance(values, ValueSums) and values.rates is None:
        return "only sums per score were kept, and the perfect order needs every case", shares
    per = f"amount per unit of {values.words.selected}" if values.has_exposure else "amount"
    why = f"every case has the same {per}, so that no order of them is better than another"
    return why, shares


def _numbers_of_amounts(values: Amounts, *, ratio: bool, shares: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"others": _others(values, there=ratio)}
    ends_of_bins = (place / USUAL_GRADE_BINS for place in range(1, USUAL_GRADE_BINS))
    near = values.about([*SUMMARY_SHARES, *ends_of_bins])
    if ratio:
        found["accuracy_ratio"] = metrics.accuracy_ratio(values)
    if shares:
        found["concentration_index"] = metrics.concentration_index(values)
        found["captured"] = heights_at_shares(near, cap_curve(near))
        found["lift"] = heights_at_shares(near, lift_curve(near))
    if values.m:
        found["mean_of_top"] = heights_at_shares(near, mean_amount_curve(near))
        found["gains"] = with_cutoffs(gains_table(near, bins=USUAL_GRADE_BINS), values)
    return found


def _about_sums(wanted: Iterable[str], found: Mapping[str, Interval]) -> Iterator[Finding]:
    """Yield that only sums per score were kept, which lack some intervals."""
    lacking = [key.replace("_", " ") for key in wanted if key not in found]
    if lacking:
        said = "only sums per score were kept, without the rows behind them"
        yield totals_only(f"{said}, so there is no interval of the {joined(lacking)}")


def _sentence_on_amounts(found: ValueSummary) -> str:
    """Return what the top contains and what the accuracy ratio is, or why they are undefined."""
    if found.undefined is not None and found.shares_undefined == found.undefined:
        return f"The numbers are undefined: {found.undefined}."
    cases, words = counted(found.n, "case"), found.words
    first = f"shares are undefined because {found.shares_undefined}"
    if found.shares_undefined is None:
        first = reading((LIFT_SHARE, found.captured[LIFT_SHARE]), words=words)
    if 0 < found.m < TOO_FEW_CASES:
        have = "has" if found.m == 1 else "have"
        first = f"only {amount(found.m)} of {cases} {have} {words.a_captured}, too few to show how "
        first += "well the score ranks"
    ratio = f"The accuracy ratio is undefined: {found.undefined}"
    if found.accuracy_ratio is not None:
        if found.m != found.n and found.m >= TOO_FEW_CASES:
            cases += f", {amount(found.m)} of them with {words.a_captured}"
        ratio = f"The accuracy ratio is {number(found.accuracy_ratio)} for {cases}"
    return f"{capitalised(first)}. {ratio}."
