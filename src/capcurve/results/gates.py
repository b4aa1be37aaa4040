"""Gates: what a score must show, with what confidence, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from capcurve.counts import NotHeldError, ScoreCounts, ValueSums
from capcurve.counts.given import is_amounts
from capcurve.inference import confidence_interval, detectable_drop
from capcurve.inference.comparing import difference_limits
from capcurve.inference.sizes import LEAST_FOR_A_VARIANCE, effective_sizes, rows_per_class
from capcurve.inference.stability import binned, is_sparse, shift_of
from capcurve.metrics import accuracy_ratio
from capcurve.show.format import number, quantity, stated_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from capcurve.counts import Amounts
    from capcurve.inference import Interval
    from capcurve.inference.sizes import ClassSizes

Result = Literal["pass", "fail", "inconclusive"]
LABELS = {"accuracy_ratio": "accuracy ratio", "roc_auc": "AUC", "ks": "KS"}
LABELS |= {"concentration_index": "concentration index"}
OF_THE_TOP = {"captured_response": "captured", "lift": "lift", "mean_amount": "mean amount"}
POWER = 0.8
WEIGHTED = "rows are weighted, and its limits take cases that count alike"
CLUSTERED = "rows of one cluster are not independent, and limits of the PSI do not allow for that"
SPARSE = "fewer than 5 cases for each bin are too few for an upper limit"
SAME = "the same counts as the baseline"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The accuracy ratio of an earlier sample, as a summary tells it."""

    value: float  # the accuracy ratio
    interval: Interval | None = None  # its two-sided interval; without one it is taken as exact
    digest: str | None = None  # fingerprint of the counts it comes from, or None
    sizes: tuple[int, int] | None = None  # positives and negatives, or None


Baseline: TypeAlias = "Earlier | ScoreCounts | Amounts"


@dataclass(frozen=True, slots=True)
class Gate:
    """One rule that every part has to meet."""

    # "accuracy_ratio", "roc_auc", "ks", "captured_response", "lift" or "psi"; of amounts
    # "accuracy_ratio", "concentration_index", "captured_response", "lift" or "mean_amount".
    metric: str
    # What the lower limit must reach; with a baseline how far the accuracy ratio may fall, or what
    # the population stability index may be.
    bound: float
    confidence: float  # of the one-sided limits
    q: float | None = None  # the share selected, for captured response, lift and mean amount
    baseline: Baseline | None = None  # the earlier sample, whose own chance is taken into account
    # Whether a drop that is not shown to keep the bound fails, as if shown to exceed it.
    strict: bool = False

    @property
    def unclear(self) -> Result:
        """What it is called where a bound is neither shown to be kept nor to be exceeded."""
        return "fail" if self.baseline is None or self.strict else "inconclusive"

    @property
    def rule(self) -> str:
        """Which kind of rule it is."""
        if self.metric == "psi":
            return "max_psi"
        return "min" if self.baseline is None else "max_drop"

    @property
    def label(self) -> str:
        """What is judged."""
        if self.metric == "psi":
            return "PSI"
        if self.baseline is not None:
            return f"drop of the {LABELS[self.metric]}"
        if self.metric in LABELS:
            return LABELS[self.metric]
        return f"{OF_THE_TOP[self.metric]} in the top {stated_percent(self.q or 0.0)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a gate says of one part."""

    part: str  # which score and segment; empty when there is one
    gate: Gate  # the rule
    # "pass" when the number is shown to keep the bound. Else "fail"; for a drop only when it is
    # shown to exceed the bound, and "inconclusive" when neither is shown.
    result: Result
    # Estimate, low, high: the number and its one-sided limits, the upper one for drops only; None
    # where undefined.
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None  # why the number is undefined, or why nothing needed to be estimated
    # The true drop that such a sample shows to exceed the bound in 80% of cases, or None.
    detectable: float | None = None

    @property
    def rule(self) -> str:
        """The rule with its bound."""
        sign = "<=" if self.gate.baseline is not None else ">="
        return f"{self.gate.label} {sign} {self.gate.bound:g}"

    @property
    def line(self) -> str:
        """The one line that says it."""
        whose = f"{self.part}: " if self.part else ""
        return f"{self.result.upper()} {whose}{self.gate.label} {self._said()}"

    def _said(self) -> str:
        if self.estimate is None or self.low is None:
            return f"is undefined: {self.reason}"
        if self.reason is not None:
            return f"{number(self.estimate)}: {self.reason}"
        bound, sure = self.gate.bound, f"one-sided {stated_percent(self.gate.confidence)}"
        mean = self.gate.metric == "mean_amount"
        write = quantity if mean else number
        low, high = (_apart(limit, bound, write) for limit in (self.low, self.high or 0.0))
        if self.gate.baseline is None:
            said = f"lower limit {low} {'>=' if self.result == 'pass' else '<'} {bound:g}"
        elif self.result == "inconclusive":
            said = f"limits {low} and {high}: {bound:g} lies between"
        elif self.low > bound:
            said = f"lower limit {low} > {bound:g}"
        else:
            said = f"upper limit {high} {'<=' if self.result == 'pass' else '>'} {bound:g}"
        return f"{write(self.estimate)}, {sure} {said}"

    @property
    def warning(self) -> str:
        """What to know of what is neither shown nor excluded; empty for other outcomes."""
        if self.result != "inconclusive":
            return ""
        whose = f"{self.part}: " if self.part else ""
        what = "a PSI above" if self.gate.metric == "psi" else "a drop of more than"
        said = f"{whose}{what} {self.gate.bound:g} is neither shown nor excluded"
        if self.estimate is None:
            return f"{said}, as {self.reason}"
        if self.detectable is None:
            return said
        return (
            f"{said}; {stated_percent(POWER)} of samples of this size show it if the true drop is "
            f"{self.detectable:.2f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values."""
        return {
            "part": self.part,
            "metric": self.gate.metric,
            "q": self.gate.q,
            "rule": self.gate.rule,
            "bound": self.gate.bound,
            "confidence": self.gate.confidence,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "detectable_drop": self.detectable,
            "result": self.result,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a rule that is not of a single number says, where outcomes of gates are listed."""

    rule: str  # the rule with its bound
    result: Result  # whether it is kept
    said: str  # what was found, as it stands in the line
    values: Mapping[str, Any]  # the same as plain values
    part: str = ""  # which score and segment; empty when there is one
    warning: str = ""  # what to know where the result is inconclusive; else empty

    @property
    def line(self) -> str:
        """The one line that says it."""
        whose = f"{self.part}: " if self.part else ""
        return f"{self.result.upper()} {whose}{self.said}"

    def to_dict(self) -> dict[str, Any]:
        """Return the ruling as plain values."""
        return {"part": self.part, **self.values, "result": self.result, "line": self.line}


def judged(counts: ScoreCounts | Amounts, gate: Gate, part: str = "") -> Outcome:
    """Return what a gate says of counts.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 20, 10], [30, 90, 180])
    >>> judged(counts, Gate("accuracy_ratio", 0.4, 0.95)).line
    'PASS accuracy ratio 0.600, one-sided 95% lower limit 0.494 >= 0.4'
    """
    if is_amounts(counts):
        return _of_amounts(counts, gate, part)
    if gate.metric == "psi":
        return _of_stability(counts, gate, part)
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return Outcome(part, gate, gate.unclear, reason=f"there are no {name}")
    if gate.baseline is not None:
        return _of_drop(counts, gate, gate.baseline, part)
    return _of_minimum(counts, gate, part)


def _of_minimum(counts: ScoreCounts | Amounts, gate: Gate, part: str) -> Outcome:
    """Return whether the lower limit of a number reaches the minimum."""
    found = confidence_interval(counts, gate.metric, level=gate.confidence, side="lower", q=gate.q)
    result: Result = "pass" if found.low >= gate.bound else "fail"
    return Outcome(part, gate, result, found.estimate, found.low)


def _of_amounts(values: Amounts, gate: Gate, part: str) -> Outcome:
    """Return what a gate says of amounts; where the number is undefined, why."""
    try:
        if gate.baseline is not None:
            return _of_drop(values, gate, gate.baseline, part)
        return _of_minimum(values, gate, part)
    except NotHeldError:
        raise
    except ValueError as error:
        return Outcome(part, gate, gate.unclear, reason=str(error))


def _of_drop(counts: ScoreCounts | Amounts, gate: Gate, before: Baseline, part: str) -> Outcome:
    """Return whether the accuracy ratio is shown to have fallen too far, or not to have."""
    digest = before.digest if isinstance(before, Earlier) else _digest(before)
    if digest is not None and digest == _digest(counts):
        return Outcome(part, gate, "pass", 0.0, 0.0, 0.0, reason=SAME)
    if isinstance(before, ScoreCounts) and isinstance(counts, ScoreCounts):
        for sample, whose in ((counts, "it"), (before, "the baseline")):
            if min(rows_per_class(sample)) < LEAST_FOR_A_VARIANCE:
                reason = f"{whose} has one case of a class, and a difference needs two"
                return Outcome(part, gate, gate.unclear, reason=reason)
    _require_limits(gate)
    earlier, now = (_known_by(each, gate.confidence) for each in (before, counts))
    found = difference_limits(earlier, now, gate.confidence)
    numbers = (found.estimate, found.low, found.high)
    if found.high <= gate.bound:
        return Outcome(part, gate, "pass", *numbers)
    if found.low > gate.bound:
        return Outcome(part, gate, "fail", *numbers)
    return Outcome(part, gate, gate.unclear, *numbers, detectable=_detectable(counts, gate))


def _of_stability(counts: ScoreCounts, gate: Gate, part: str) -> Outcome:
    """Return whether the shares of grades are shown to have moved too far, or not to have."""
    before = gate.baseline
    if not isinstance(before, ScoreCounts):
        raise TypeError("a population stability index needs the counts of the baseline")
    if before.digest() == counts.digest():
        return Outcome(part, gate, "pass", 0.0, 0.0, 0.0, reason=SAME)
    _require_limits(gate)
    both = before.every_score(), counts.every_score()
    bins = binned(*both, None, "cases", ("the baseline", "the sample")).counts
    found = shift_of(
        *bins,
        2 * gate.confidence - 1,
        whole=all(each.weights is None and each.is_whole for each in both),
    )
    if found.low is None or found.high is None:
        return Outcome(part, gate, gate.unclear, reason=WEIGHTED)
    numbers = (found.psi, found.low, found.high)
    if any(each.groups is not None for each in both):
        return Outcome(part, gate, gate.unclear, *numbers, reason=CLUSTERED)
    if found.low > gate.bound:
        return Outcome(part, gate, "fail", *numbers)
    if is_sparse(*bins):
        return Outcome(part, gate, gate.unclear, *numbers, reason=SPARSE)
    result = "pass" if found.high <= gate.bound else gate.unclear
    return Outcome(part, gate, result, *numbers)


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
        return confidence_interval(sample, "accuracy_ratio", level=2 * confidence - 1)
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
    if not max(-1, gate.bound - 1) < value < 1:
        return None
    n1, n0 = _whole(effective_sizes(counts))
    alpha = 1 - gate.confidence
    try:
        return detectable_drop(
            n1, n0, value, power=POWER, alpha=alpha, margin=gate.bound, initial=initial
        )
    except ValueError:  # no drop, however large
        return None


def _whole(sizes: ClassSizes) -> tuple[int, int]:
    return max(round(sizes.positives), 1), max(round(sizes.negatives), 1)


def _apart(limit: float, bound: float, write: Callable[[float], str] = number) -> str:
    """Return a limit with so many digits that it does not read like the bound it misses."""
    if float(write(limit).replace(",", "")) != bound:
        return write(limit)
    for digits in (4, 5, 6):
        shown = f"{limit:.{digits}f}"
        if float(shown) != bound:
            return shown
    return repr(limit)
