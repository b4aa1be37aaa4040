"""Gates: rules that a score must be shown to keep, as build servers ask, and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from xml.etree import ElementTree as ET

from capcurve.counts import Amounts, NotHeldError, PartialCounts, ScoreCounts, ValueSums
from capcurve.counts.times import other_horizon
from capcurve.gate.alike import EVERY_SETTING, SCALE, refuse_unlike
from capcurve.gate.given import is_amounts
from capcurve.inference import Interval, confidence_interval
from capcurve.inference.designs import (
    LEAST_FOR_A_VARIANCE,
    ClassSizes,
    effective_sizes,
    rows_per_class,
)
from capcurve.inference.independent import difference_limits
from capcurve.inference.planning import POWER, drop_if_detectable
from capcurve.metrics import METRICS, accuracy_ratio
from capcurve.show.format import (
    MINUS,
    capitalised,
    counted,
    number,
    plain_names,
    printable,
    quantity,
    stated_percent,
    written,
)
from capcurve.show.presentation import Light, Presentation
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.stability import INDEX_ABOVE_LIMIT, is_sparse, only_once
from capcurve.studies.grades.stability_by_period import population_stability
from capcurve.studies.validation.judgement import (
    HEADLINE_METRICS,
    RANKING,
    Better,
    By,
    TestLimits,
    light_between,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from capcurve.metrics.registry import Of

GateResult = Literal["pass", "fail", "inconclusive"]
MOST_IN_HEADLINE = 2
FEW_PARTS = 3
WORST_FIRST: tuple[GateResult, ...] = ("fail", "inconclusive", "pass")
LIGHT_OF: dict[GateResult, Light] = {"fail": "red", "inconclusive": "amber", "pass": "green"}
# What the ids of tests of the sheet are called as gates: whatever else ranks a score is a minimum.
OF_BASELINE = {"initial.drop": "accuracy_ratio", "stability.psi": "psi"}
PSI_OF_WEIGHTS = "rows are weighted, and its limits take cases that count alike"
PSI_OF_CLUSTERS = (
    "rows of one cluster are not independent, and limits of the PSI do not allow for that"
)
PSI_TOO_SPARSE = "fewer than 5 cases for each bin are too few for an upper limit"
WITHOUT_CLASSES = ("selective_risk", "kappa")  # which samples of one class may have
VALUES_TOLD = ("coverage", "errors", "threshold", "labelled")  # options that the plain values have
SAME_AS_BASELINE = "the same counts as the baseline"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The accuracy ratio of an earlier sample, as a summary tells it."""

    value: float  # the accuracy ratio
    interval: Interval | None = None  # its two-sided interval; without one it is taken as exact
    digest: str | None = None  # fingerprint of the counts it comes from, or None
    sizes: tuple[int, int] | None = None  # positives and negatives, or None
    counted: Mapping[str, object] = field(default_factory=dict)  # what and how, if that is known


Baseline: TypeAlias = "Earlier | ScoreCounts | Amounts"


@dataclass(frozen=True, slots=True)
class Gate:
    """One rule that every part has to meet."""

    metric: str  # the name of a metric, or "psi"
    # What the lower limit must reach; with a baseline how far the accuracy ratio may fall, or what
    # the population stability index may be.
    bound: float
    confidence: float  # of the one-sided limits
    q: float | None = None  # the share selected, for captured response, lift and mean amount
    baseline: Baseline | None = None  # the earlier sample, whose own chance is taken into account
    strict: bool = False  # whether what is not shown to keep the bound fails
    red: float | None = None  # from where on it fails; the bound itself if left out
    by: By = "limit"  # "estimate" judges the number itself
    most: bool = False  # whether the bound is the most that the number may be
    options: Mapping[str, Any] = field(default_factory=dict)  # of the metric besides q, such as pd

    @property
    def limits(self) -> TestLimits:
        """The limits between which nothing is shown."""
        return TestLimits(self.bound, self.bound if self.red is None else self.red, self.by)

    @property
    def better(self) -> Better:
        """Whether a higher or a lower number is better."""
        return "lower" if self.most or self.baseline is not None else "higher"

    @property
    def signs(self) -> tuple[str, str]:
        """How a number keeps the bound, and how it breaks it."""
        return (">=", "<") if self.better == "higher" else ("<=", ">")

    @property
    def is_minimum(self) -> bool:
        """Whether the lower limit alone decides."""
        return self.better == "higher" and self.red is None

    @property
    def unclear(self) -> GateResult:
        """What it is called where a bound is neither shown to be kept nor to be exceeded."""
        return "fail" if self.is_minimum or self.strict else "inconclusive"

    @property
    def rule(self) -> str:
        """Which kind of rule it is."""
        if self.metric == "psi":
            return "max_psi"
        return "max_drop" if self.baseline is not None else "max" if self.most else "min"

    @property
    def label(self) -> str:
        """What is judged."""
        if self.metric == "psi":
            return "PSI"
        metric = METRICS[self.metric]
        if self.baseline is not None:
            return f"drop of the {metric.label}"
        if "coverage" in self.options:
            return f"{metric.label} at {stated_percent(self.options['coverage'])} coverage"
        if "threshold" in self.options:
            return f"{metric.label} (cut-off {written('score', self.options['threshold'])})"
        if self.q is None:
            return metric.label
        return f"{metric.short} in the top {stated_percent(self.q)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a rule says of one part."""

    rule: str  # the rule with its bound
    # "pass" when the rule is shown to be kept. Else "fail"; where something is compared with a
    # baseline only when it is shown to be broken, and "inconclusive" when neither is shown.
    result: GateResult
    said: str  # what was found, as it stands in the line
    values: Mapping[str, Any]  # the same as plain values
    part: str = ""  # which score and segment; empty when there is one
    brief: str = ""  # what was found, in a headline
    positives: float = 0.0  # on which a minimum is judged by its lower limit, or 0
    warning: str = ""  # what to know where the result is inconclusive; else empty

    @property
    def whose(self) -> str:
        """What a line begins with that is about one of several parts."""
        return f"{self.part}: " if self.part else ""

    @property
    def line(self) -> str:
        """The one line that says it."""
        return f"{self.result.upper()} {self.whose}{self.said}"

    @property
    def found(self) -> str:
        """What was found, where the rule stands beside it."""
        label = self.rule.rsplit(" ", 2)[0]
        return self.said.removeprefix(f"{label} ").removeprefix("control chart: ")

    def to_dict(self) -> dict[str, Any]:
        """Return the ruling as plain values."""
        return {"part": self.part, **self.values, "result": self.result, "line": self.line}


@dataclass(frozen=True, slots=True)
class Measured:
    """The number that a gate judges."""

    estimate: float | None = None  # None where undefined
    low: float | None = None  # its one-sided limits, the upper one where a number may be too high
    high: float | None = None
    reason: str | None = None  # why it is undefined, or why its limits were not needed or not used
    ends: tuple[float, float] = (-math.inf, math.inf)  # between which it is shown to lie
    beside: str = ""  # what else to know of it; stands in the line


def ruling_on(counts: ScoreCounts | Amounts, gate: Gate, part: str = "") -> Ruling:
    """Return what a gate says of counts.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 20, 10], [30, 90, 180])
    >>> ruling_on(counts, Gate("accuracy_ratio", 0.4, 0.95)).line
    'PASS accuracy ratio 0.600, one-sided 95% lower limit 0.494 >= 0.4'
    """
    if gate.baseline is not None:
        before: Any = gate.baseline
        known = before.counted if isinstance(before, Earlier) else before
        about = SCALE if gate.metric == "psi" else EVERY_SETTING
        refuse_unlike([known, counts], ["the baseline", part or "the sample"], about)
    found = _measured(counts, gate)
    ends = found.ends if gate.by == "limit" else (found.estimate, found.estimate)
    light = light_between(*ends, gate.limits, gate.better)
    result: GateResult = "pass" if light == "green" else "fail" if light == "red" else gate.unclear
    said = f"{gate.label} {_said(gate, found, result, light)}"
    by_lower_limit = gate.is_minimum and gate.by == "limit"
    detectable = None
    if gate.rule == "max_drop" and light == "amber" and found.reason is None:
        detectable = _detectable(counts, gate)
    return Ruling(
        part=part,
        rule=f"{gate.label} {gate.signs[0]} {gate.bound:g}",
        result=result,
        said=f"{said}; {found.beside}" if found.beside else said,
        brief=_briefly(gate, found, light),
        positives=float(getattr(counts, "n1", 0.0)) if by_lower_limit else 0.0,
        warning=_warning(gate, found, detectable) if result == "inconclusive" else "",
        values={
            "metric": gate.metric,
            "q": gate.q,
            **{name: gate.options[name] for name in VALUES_TOLD if name in gate.options},
            "rule": gate.rule,
            "bound": gate.bound,
            **({} if gate.red is None else {"red": gate.red}),
            "confidence": gate.confidence,
            "estimate": found.estimate,
            "low": found.low,
            "high": found.high,
            "detectable_drop": detectable,
        },
    )


def gates_of(
    limits: Mapping[str, TestLimits],
    kind: Of,
    confidence: float,
    baseline: Baseline | None = None,
    *,
    strict: bool = False,
) -> tuple[list[Gate], list[str]]:
    """Return the gates that limits of a validation sheet make, and the ids that make none."""
    # `kind` says what the score ranks; limits of what changed need the baseline, those of the PSI
    # its counts.
    gates, left = [], []
    for test_id, own in limits.items():
        metric = OF_BASELINE.get(test_id)
        against = baseline if metric else None
        if metric == "psi" and not isinstance(baseline, ScoreCounts):
            against = None
        headline = HEADLINE_METRICS.get(test_id.removeprefix(RANKING))
        if against is None and (metric or headline is None or kind not in headline.of):
            left.append(test_id)
            continue
        name = metric or test_id.removeprefix(RANKING)
        gates.append(Gate(name, own.green, confidence, None, against, strict, own.red, own.by))
    return gates, left


def _said(gate: Gate, found: Measured, result: GateResult, light: Light) -> str:
    """Return the number, its limits, and the bound that they keep or break."""
    if found.estimate is None or found.low is None:
        return f"is undefined: {found.reason}"
    if found.reason is not None:
        return f"{number(found.estimate)}: {found.reason}"
    own, (keeps, breaks) = gate.limits, gate.signs
    write = quantity if gate.metric == "mean_amount" else number
    if result == "pass":
        kept = f"{keeps} {own.green:g}"
    else:
        kept = f"{breaks} {own.red if light == 'red' else own.green:g}"
    if gate.by == "estimate":
        return f"{_apart(found.estimate, own.green, write)} {kept}"
    low, high = (_apart(limit, own.green, write) for limit in (found.low, found.high or 0.0))
    if result == "inconclusive":
        said = f"limits {low} and {high} on both sides of {own.green:g}"
        if own.red != own.green:
            said = f"limits {low} and {high}: {_open_between(gate, found)}"
    elif (gate.better == "higher") == (light == "red"):
        said = f"upper limit {high} {kept}"
    else:
        said = f"lower limit {low} {kept}"
    return f"{write(found.estimate)}, one-sided {stated_percent(gate.confidence)} {said}"


def _briefly(gate: Gate, found: Measured, light: Light) -> str:
    """Return the number, what is asked of it, and the limit that decides."""
    if found.estimate is None or found.low is None:
        return f"{gate.label} is undefined: {found.reason}"
    write = quantity if gate.metric == "mean_amount" else number
    asked = gate.limits.red if light == "red" else gate.bound
    least = "at least" if gate.better == "higher" else "at most"
    shown = f"{gate.label} {write(found.estimate)}, {least} {asked:g} asked for"
    if gate.by == "estimate" or found.reason is not None:
        return shown
    # The limit that decides is the worse one, but for what is shown to be red.
    worse = light != "red" or gate.is_minimum
    is_low = worse is (gate.better == "higher")
    side, limit = ("lower", found.low) if is_low else ("upper", found.high)
    return shown if limit is None else f"{shown} ({side} limit {_apart(limit, asked, write)})"


def _open_between(gate: Gate, found: Measured) -> str:
    """Return which of two limits a number is shown to keep or to miss, and which is open."""
    own, (keeps, breaks) = gate.limits, gate.signs
    red = f"red {own.red:g}"
    safe = found.low >= own.red if gate.better == "higher" else found.high <= own.red  # type: ignore[operator]  # both are known here
    short = _misses_green(gate, found)
    if safe and short:
        return f"between the limits, {breaks} green {own.green:g} and {keeps} {red}"
    if safe:
        return f"{keeps} {red}; whether {keeps} green {own.green:g} is open"
    if short:
        return f"{breaks} green {own.green:g}; whether {keeps} {red} is open"
    return f"whether {keeps} green {own.green:g}, or {breaks} {red}, is open"


def _misses_green(gate: Gate, found: Measured) -> bool:
    """Tell whether the limits of a number show that it is not green."""
    if found.low is None or found.high is None:
        return False
    green = gate.limits.green
    return found.high < green if gate.better == "higher" else found.low > green


def _warning(gate: Gate, found: Measured, detectable: float | None) -> str:
    """Return what to know of what is neither shown nor excluded."""
    if _misses_green(gate, found):
        return ""
    what = {"max_psi": "a PSI above", "max_drop": "a drop of more than"}.get(
        gate.rule, f"{gate.label} of {'more' if gate.better == 'lower' else 'less'} than"
    )
    said = f"{what} {gate.bound:g} is neither shown nor excluded"
    if found.estimate is None:
        return f"{said}, as {found.reason}"
    if detectable is None:
        return said
    share = stated_percent(POWER)
    return f"{said}; {share} of samples of this size show it if the true drop is {detectable:.2f}"


def _measured(counts: ScoreCounts | Amounts, gate: Gate) -> Measured:
    """Return the number of a gate, or why there is none."""
    if is_amounts(counts):
        try:
            return _of_minimum(counts, gate) if gate.baseline is None else _of_drop(counts, gate)
        except NotHeldError:
            raise
        except ValueError as error:
            return Measured(reason=str(error))
    if gate.metric == "psi":
        return _of_stability(counts, gate)
    sample: Any = counts  # or partial counts, which are judged by labels on some cases
    known = sample.known if isinstance(sample, PartialCounts) else sample
    for cases, name in ((known.n1, "positives"), (known.n0, "negatives")):
        if not cases > 0 and gate.metric not in WITHOUT_CLASSES and not METRICS[gate.metric].of_pds:
            return Measured(reason=f"there are no {name}{other_horizon(counts, name)}")
    return _of_minimum(counts, gate) if gate.baseline is None else _of_drop(counts, gate)


def _of_minimum(counts: Any, gate: Gate) -> Measured:
    asked: dict[str, Any] = {"q": gate.q, **gate.options}
    # One-sided limits, which are certificates: a pass allows for cases that were not seen.
    limits = partial(confidence_interval, counts, gate.metric, level=gate.confidence, **asked)
    if gate.is_minimum:
        found = limits(side="lower")
        beside = ""
        if isinstance(counts, PartialCounts):
            labels = sum(rows_per_class(counts.known))
            beside = f"from {counted(labels, 'label')} {gate.options['labelled']}"
        return Measured(found.estimate, found.low, ends=(found.low, math.inf), beside=beside)
    _require_limits(gate)
    found, high = limits(side="lower"), limits(side="upper").high
    return Measured(found.estimate, found.low, high, ends=(found.low, high))


def _of_drop(counts: ScoreCounts | Amounts, gate: Gate) -> Measured:
    """Return how far the accuracy ratio fell, with limits."""
    before: Any = gate.baseline
    digest = before.digest if isinstance(before, Earlier) else _digest(before)
    if digest is not None and digest == _digest(counts):
        return Measured(0.0, 0.0, 0.0, SAME_AS_BASELINE, (0.0, 0.0))
    if isinstance(before, ScoreCounts) and isinstance(counts, ScoreCounts):
        for sample, whose in ((counts, "it"), (before, "the baseline")):
            if min(rows_per_class(sample)) < LEAST_FOR_A_VARIANCE:
                reason = f"{whose} has one case of a class, and a difference needs two"
                return Measured(reason=reason)
    _require_limits(gate)
    earlier, now = (_known_by(each, gate.confidence) for each in (before, counts))
    found = difference_limits(earlier, now, gate.confidence)
    return Measured(found.estimate, found.low, found.high, ends=(found.low, found.high))


def _of_stability(counts: ScoreCounts, gate: Gate) -> Measured:
    """Return how far the shares of grades moved, with limits if there are any to judge by."""
    before = gate.baseline
    if not isinstance(before, ScoreCounts):
        raise TypeError("a population stability index needs the counts of the baseline")
    if before.digest() == counts.digest():
        return Measured(0.0, 0.0, 0.0, SAME_AS_BASELINE, (0.0, 0.0))
    _require_limits(gate)
    labels = ("the baseline", "the sample")
    found = population_stability(before, counts, level=2 * gate.confidence - 1, labels=labels)
    if found.low is None or found.high is None:
        return Measured(reason=PSI_OF_WEIGHTS)
    numbers = (found.psi, found.low, found.high)
    if before.groups is not None or counts.groups is not None:
        return Measured(*numbers, PSI_OF_CLUSTERS)
    if found.empty:
        half = f"with half a case added to every count the PSI is {number(found.psi_half or 0.0)}"
        why = f"{only_once(found)}; {half}"
        if found.low > gate.limits.red:
            return Measured(*numbers, ends=(found.low, math.inf), beside=why)
        limits = f"limits {number(found.low)} and {number(found.high)}"
        return Measured(*numbers, f"{why}, {limits}", (found.low, math.inf))
    if is_sparse(found.table["before"], found.table["after"]):
        reason = None if found.low > gate.limits.red else PSI_TOO_SPARSE
        return Measured(*numbers, reason, (found.low, math.inf))
    is_above = 0 < found.high < found.psi
    above = INDEX_ABOVE_LIMIT.format(found.expected_if_unchanged) if is_above else ""
    return Measured(*numbers, ends=(found.low, found.high), beside=above)


def _require_limits(gate: Gate) -> None:
    """Raise ValueError for a confidence at which limits lie beyond the estimate."""
    if not gate.confidence > 0.5:  # noqa: PLR2004 - see above
        raise ValueError(f"confidence must be above 0.5, got {gate.confidence}")


def _digest(counts: ScoreCounts | Amounts) -> str | None:
    """Return the fingerprint of counts; None of sums, which do not have one."""
    return None if isinstance(counts, ValueSums) else counts.digest()


def _known_by(sample: Baseline, confidence: float) -> ScoreCounts | Interval | float:
    """Return what limits of a difference are made of: counts of classes, else an interval."""
    if isinstance(sample, Earlier):
        return sample.interval or sample.value
    if is_amounts(sample):
        return confidence_interval(sample, accuracy_ratio, level=2 * confidence - 1)
    return sample


def _detectable(counts: ScoreCounts | Amounts, gate: Gate) -> float | None:
    """Return the true drop that such a sample shows; None where a plan cannot tell."""
    before = gate.baseline
    if before is None or is_amounts(counts) or is_amounts(before) or counts.groups is not None:
        return None
    if isinstance(before, ScoreCounts):
        value = accuracy_ratio(before)
        initial: tuple[int, int] | None = _whole(effective_sizes(before))
    else:
        value, initial = before.value, before.sizes if before.interval is not None else None
    return drop_if_detectable(
        *_whole(effective_sizes(counts)),
        value,
        alpha=1 - gate.confidence,
        margin=gate.bound,
        initial=initial,
    )


def _whole(sizes: ClassSizes) -> tuple[int, int]:
    return max(round(sizes.positives), 1), max(round(sizes.negatives), 1)


def _apart(limit: float, bound: float, write: Callable[[float], str]) -> str:
    """Return a limit with so many digits that it does not read like the bound it misses."""
    for shown in (write(limit), *(number(limit, digits) for digits in (4, 5, 6))):
        if float(shown.replace(",", "").replace(MINUS, "-")) != bound:
            return shown
    return repr(limit)


def outcome(rulings: Sequence[Ruling]) -> GateResult:
    """Return the worst of the results."""
    return worst_first(rulings)[0].result


def failed_rules(rulings: Sequence[Ruling]) -> str:
    """Return how many rules failed.

    >>> rules = [Ruling(rule="", result=each, said="", values={}) for each in ("pass", "fail")]
    >>> failed_rules(rules), failed_rules(rules[:1])
    ('1 of 2 rules failed', '1 of 1 rule passed')
    """
    results = [ruling.result for ruling in rulings]
    failed, unclear = results.count("fail"), results.count("inconclusive")
    rules = counted(len(rulings), "rule")
    beside = f", {unclear} {'is' if unclear == 1 else 'are'} inconclusive" if unclear else ""
    if failed:
        return f"{failed} of {rules} failed{beside}"
    if unclear:
        return f"{unclear} of {rules} {'is' if unclear == 1 else 'are'} inconclusive"
    return f"{len(rulings)} of {rules} passed"


def worst_first(rulings: Sequence[Ruling]) -> list[Ruling]:
    """Return rulings in the order in which they are read: those that failed before all others."""
    return sorted(rulings, key=lambda ruling: WORST_FIRST.index(ruling.result))


def headline_of_rulings(rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Return what fails, else what is open, and how many of several rules failed."""
    worst, counts = outcome(rulings), failed_rules(rulings)
    deciding = [each for each in rulings if each.result == worst]
    if len(rulings) == 1 and deciding[0].values["rule"] == "control_chart":
        return (f"{worst.upper()}: {in_signs(printable(deciding[0].found))}.",)
    if len(deciding) > MOST_IN_HEADLINE or (worst == "pass" and len(rulings) > 1):
        return (f"{worst.upper()}: {counts}.",)
    told = "; ".join(in_signs(printable(f"{each.whose}{each.brief}")) for each in deciding)
    beside = (f"{capitalised(counts)}.",) if len(rulings) > 1 else ()
    return (f"{worst.upper()}: {told}.", *beside)


def presentation_of_rulings(
    rulings: Sequence[Ruling], beside: Presentation | None = None
) -> Presentation:
    """Return what rules say, and with a control chart `beside` them what it shows."""
    rulings = worst_first(rulings)
    columns: dict[str, list[str]] = {"result": [ruling.result.upper() for ruling in rulings]}
    if any(ruling.part for ruling in rulings):
        parts = list(dict.fromkeys(ruling.part for ruling in rulings))
        called = dict(zip(parts, plain_names(parts), strict=True))
        columns["of"] = [called[ruling.part] for ruling in rulings]
    columns["rule"] = [in_signs(ruling.rule) for ruling in rulings]
    columns["found"] = [in_signs(printable(ruling.found)) for ruling in rulings]
    table = Table("Rules", {name: label_column(cells) for name, cells in columns.items()})
    warnings = (capitalised(f"{r.whose}{r.warning}.") for r in rulings if r.warning)
    chart = beside or Presentation(title="", sentences=())
    return replace(
        chart,
        title="Check",
        # The table of rules has the verdict of the chart.
        sentences=(*headline_of_rulings(rulings), *chart.sentences[1:]),
        light=LIGHT_OF[rulings[0].result],
        tables=(table, *chart.tables),
        above=1,
        notes=(*warnings, *too_few(rulings), *chart.notes),
    )


def too_few(rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Say how many positives a minimum takes where parts miss it mainly for their size."""
    of_rule: dict[str, list[Ruling]] = {}
    for each in rulings:
        if each.part and each.positives and each.values["low"] is not None:
            of_rule.setdefault(each.rule, []).append(each)
    return tuple(filter(None, map(_size_needed, of_rule.values())))


def _size_needed(parts: Sequence[Ruling]) -> str:
    """Return how many positives would show a minimum that most failing parts reach, or nothing."""
    failed = [each for each in parts if each.result == "fail"]
    bound = parts[0].values["bound"]
    reached = [each for each in failed if each.values["estimate"] >= bound]
    typical = median(each.values["estimate"] for each in parts)
    if len(failed) < FEW_PARTS or 2 * len(reached) < len(failed) or typical <= bound:
        return ""
    # Limits are as wide as one over the square root of the positives.
    sizes = sorted(each.positives for each in parts)
    width = median(
        (each.values["estimate"] - each.values["low"]) * math.sqrt(each.positives) for each in parts
    )
    needed = (width / (typical - bound)) ** 2
    return (
        f"The lower limit must reach {bound:g}: at {number(typical)} that takes about "
        f"{float(f'{needed:.2g}'):,.0f} positives, and these parts have {sizes[0]:,.10g} to "
        f"{sizes[-1]:,.10g}."
    )


def in_signs(said: str) -> str:
    """Return a rule with the signs that people write."""
    return said.replace(">=", "≥").replace("<=", "≤")


def to_junit(rulings: Sequence[Ruling]) -> str:
    """Return JUnit XML, which build servers read: a test case for each part and rule."""
    # JUnit has no third outcome; what is inconclusive counts as skipped.
    results = [ruling.result for ruling in rulings]
    size = {"name": "capcurve check", "tests": str(len(rulings))}
    size |= {"failures": str(results.count("fail")), "errors": "0"}
    size |= {"skipped": str(results.count("inconclusive"))}
    root = ET.Element("testsuites", size)
    suite = ET.SubElement(root, "testsuite", {**size, "time": "0"})
    for ruling in rulings:
        names = {"classname": printable(ruling.part) or "all", "name": printable(ruling.rule)}
        case = ET.SubElement(suite, "testcase", {**names, "time": "0"})
        line = printable(ruling.line)
        if ruling.result == "pass":
            ET.SubElement(case, "system-out").text = line
        elif ruling.result == "inconclusive":
            ET.SubElement(case, "skipped", {"message": line})
        else:
            ET.SubElement(case, "failure", {"message": line, "type": "check"}).text = line
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")
