"""ValueSummary: every number of a report about one score that ranks amounts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from capcurve import metrics
from capcurve.counts import ValueSums
from capcurve.counts.arguments import as_open_share
from capcurve.curves import cap_curve, lift_curve
from capcurve.curves.rates import mean_amount_curve
from capcurve.inference.monotone import BINS
from capcurve.results.chance import CAPTURED, LIFT, MEAN_OF_TOP, SHARES, TOP, intervals_of
from capcurve.results.findings import SIGNED, findings_of, ratio_or_none, without_intervals
from capcurve.results.known import heights, small_cells
from capcurve.results.verdict import verdict_of_amounts
from capcurve.results.written import SCHEMA_VERSION, Written
from capcurve.show.finding import Finding
from capcurve.show.format import amount, capitalised, counted, number
from capcurve.tables import gains_table
from capcurve.tables.steps import reading
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from capcurve.counts import Amounts
    from capcurve.counts.words import Words
    from capcurve.inference import Interval
    from capcurve.results.verdict import Verdict
    from capcurve.show.table import Table

RATIOS = ("accuracy_ratio", "concentration_index")
OF_AMOUNTS = (*RATIOS, *CAPTURED, LIFT, MEAN_OF_TOP)


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

    # The largest amount is that of one case, which may identify a person.
    _left_out = frozenset({"largest"})
    _added = ("accuracy_ratio_low", "accuracy_ratio_high", "kind")

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


def summary_of_amounts(
    values: Amounts, name: str, level: float, *, verdict: bool = True
) -> ValueSummary:
    """Return every number of a report about one score that ranks amounts."""
    level = as_open_share(level, "level")
    ratio, shares = _why_undefined(values)
    numbers = _estimates(values, ratio=ratio is None, shares=shares is None)
    wanted = [key for key in OF_AMOUNTS if _is_there(numbers, key)]
    intervals, why = intervals_of(values, values, wanted, level=level, prevalence=None)
    findings = findings_of(values, level=level)
    if why is None:
        findings += _about_sums(wanted, intervals)
    found = ValueSummary(
        **_base(values, name),
        **numbers,
        level=level,
        intervals=intervals,
        intervals_undefined=ratio if not wanted else why,
        verdict=verdict_of_amounts(values, level) if verdict and ratio is None else None,
        undefined=ratio,
        shares_undefined=shares,
        findings=(*findings, *without_intervals(values, why)),
    )
    return replace(found, sentence=_sentence(found))


def _is_there(numbers: Mapping[str, Any], key: str) -> bool:
    """Tell whether a headline number of which there may be an interval was found."""
    return key in numbers or ("captured" in numbers and key not in RATIOS)


def _base(values: Amounts, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "n": values.n,
        "m": values.m,
        "exposure": values.exposure,
        "has_exposure": values.has_exposure,
        "amount": values.amount,
        "mean_amount": metrics.mean_amount(values) if values.n else None,
        "largest": values.largest,
        "signed": values.signed,
        "words": values.words,
        "distinct_scores": len(values),
        "small_cells": small_cells(values),
        "higher_is": values.higher_is,
        "levels": values.levels,
        "resolution": values.resolution,
        "dropped": None if values.dropped is None else values.dropped.to_dict(),
        "digest": _digest(values),
    }


def _digest(values: Amounts) -> str | None:
    """Return the fingerprint of the rows; None where only their sums were kept."""
    return None if isinstance(values, ValueSums) else values.digest()


def _why_undefined(values: Amounts) -> tuple[str | None, str | None]:
    """Return why there is no accuracy ratio, and why there are no shares; None where they are."""
    if not values.n:
        return (why := "there are no cases"), why
    if not values.m:
        return (why := f"none of the {counted(values.n, 'case')} has an amount"), why
    return _why_no_ratio(values), SIGNED if values.signed else None


def _why_no_ratio(values: Amounts) -> str | None:
    if ratio_or_none(values) is not None:
        return None
    if isinstance(values, ValueSums) and values.rates is None:
        return "only sums per score were kept, and the perfect order needs every case"
    per = f"amount per unit of {values.words.selected}" if values.has_exposure else "amount"
    return f"every case has the same {per}, so that no order of them is better than another"


def _estimates(values: Amounts, *, ratio: bool, shares: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    near = values.about([*SHARES, *(place / BINS for place in range(1, BINS))])
    if ratio:
        found["accuracy_ratio"] = metrics.accuracy_ratio(values)
    if shares:
        found["concentration_index"] = metrics.concentration_index(values)
        found["captured"] = heights(near, cap_curve(near), SHARES)
        found["lift"] = heights(near, lift_curve(near), SHARES)
    if values.m:
        found["mean_of_top"] = heights(near, mean_amount_curve(near), SHARES)
        found["gains"] = gains_table(near, bins=BINS)
    return found


def _about_sums(wanted: Iterable[str], found: Mapping[str, Interval]) -> tuple[Finding, ...]:
    """Return a finding when only sums per score were kept, which lack some intervals."""
    lacking = [key.replace("_", " ") for key in wanted if key not in found]
    if not lacking:
        return ()
    return (
        Finding(
            "totals_only",
            "info",
            "only sums per score were kept, not the rows behind them; they do not give the "
            f"intervals of {', '.join(lacking)}",
            "count with resolution=, such as 1e-6, to get these too",
        ),
    )


def _sentence(found: ValueSummary) -> str:
    """Return what the top holds and what the accuracy ratio is, or why they are undefined."""
    if found.undefined is not None and found.shares_undefined == found.undefined:
        return f"The numbers are undefined: {found.undefined}."
    first = f"shares are undefined: {found.shares_undefined}"
    if found.shares_undefined is None:
        first = reading((TOP, found.captured[TOP]), words=found.words)
    ratio = f"the accuracy ratio is undefined: {found.undefined}"
    if found.accuracy_ratio is not None:
        ratio = f"the accuracy ratio is {number(found.accuracy_ratio)} on {_cases(found)}"
    return f"{capitalised(first)}; {ratio}."


def _cases(found: ValueSummary) -> str:
    cases = counted(found.n, "case")
    if found.m == found.n:
        return cases
    return f"{cases}, {amount(found.m)} of them with {found.words.a_captured}"
