"""Gates: what a score must show, with what confidence, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from capcurve.counts import ScoreCounts
from capcurve.inference import compare_independent, confidence_interval
from capcurve.inference.sizes import LEAST_FOR_A_VARIANCE, rows_per_class
from capcurve.view.format import number, percent

LABELS = {"accuracy_ratio": "accuracy ratio", "roc_auc": "AUC", "ks": "KS"}


@dataclass(frozen=True, slots=True)
class Gate:
    """One rule that every part has to meet.

    Attributes
    ----------
    metric
        "accuracy_ratio", "roc_auc", "ks" or "captured_response".
    bound
        What the lower limit must reach; with a baseline how much the upper limit of the drop
        may be.
    confidence
        Of the one-sided limit.
    q
        The share selected, for captured response.
    baseline
        The accuracy ratio before: a number is taken as known, counts bring their own chance.
    """

    metric: str
    bound: float
    confidence: float
    q: float | None = None
    baseline: float | ScoreCounts | None = None

    @property
    def label(self) -> str:
        """What is judged."""
        if self.baseline is not None:
            return f"drop of the {LABELS[self.metric]}"
        return LABELS.get(self.metric) or f"captured in the top {percent(self.q or 0.0)}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a gate says of one part.

    Attributes
    ----------
    part
        Which score and segment; empty when there is one.
    gate
        The rule.
    estimate, limit
        The number and its one-sided limit; None where it is undefined.
    passed
        Whether the limit keeps the bound. What cannot be shown does not pass.
    reason
        Why the number is undefined, or None.
    """

    part: str
    gate: Gate
    estimate: float | None
    limit: float | None
    passed: bool
    reason: str | None = None

    @property
    def line(self) -> str:
        """The one line that says it."""
        gate, word = self.gate, "PASS" if self.passed else "FAIL"
        whose = f"{self.part}: " if self.part else ""
        if self.estimate is None or self.limit is None:
            return f"{word} {whose}{gate.label} is undefined: {self.reason}"
        upper = gate.baseline is not None
        sign = ("<=" if self.passed else ">") if upper else (">=" if self.passed else "<")
        side, sure = "upper" if upper else "lower", percent(gate.confidence)
        limit = _apart(self.limit, gate.bound)
        numbers = f"{number(self.estimate)}, {sure} {side} limit {limit} {sign} {gate.bound:g}"
        return f"{word} {whose}{gate.label} {numbers}"

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values."""
        return {
            "part": self.part,
            "metric": self.gate.metric,
            "q": self.gate.q,
            "rule": "max_drop" if self.gate.baseline is not None else "min",
            "bound": self.gate.bound,
            "confidence": self.gate.confidence,
            "estimate": self.estimate,
            "limit": self.limit,
            "passed": self.passed,
            "line": self.line,
        }


def judged(counts: ScoreCounts, gate: Gate, part: str = "") -> Outcome:
    """Return whether counts pass a gate.

    Raises
    ------
    ValueError
        When it is not known what one case is, as with weights without a kind.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 20, 10], [30, 90, 180])
    >>> judged(counts, Gate("accuracy_ratio", 0.4, 0.95)).line
    'PASS accuracy ratio 0.600, 95% lower limit 0.493 >= 0.4'
    """
    for cases, name in ((counts.n1, "positives"), (counts.n0, "negatives")):
        if not cases > 0:
            return Outcome(part, gate, None, None, passed=False, reason=f"there are no {name}")
    if isinstance(gate.baseline, ScoreCounts):
        for sample, whose in ((counts, "it"), (gate.baseline, "the baseline")):
            if min(rows_per_class(sample)) < LEAST_FOR_A_VARIANCE:
                reason = f"{whose} has one case of a class, and a difference needs two"
                return Outcome(part, gate, None, None, passed=False, reason=reason)
    estimate, limit = _drop(counts, gate) if gate.baseline is not None else _lowest(counts, gate)
    passed = limit >= gate.bound if gate.baseline is None else limit <= gate.bound
    return Outcome(part, gate, estimate, limit, passed)


def _lowest(counts: ScoreCounts, gate: Gate) -> tuple[float, float]:
    found = confidence_interval(counts, gate.metric, level=gate.confidence, side="lower", q=gate.q)
    return found.estimate, found.low


def _drop(counts: ScoreCounts, gate: Gate) -> tuple[float, float]:
    """Return how far the accuracy ratio fell, and the upper limit of that."""
    before = gate.baseline
    if isinstance(before, float):
        estimate, low = _lowest(counts, gate)
        return before - estimate, before - low
    assert before is not None  # noqa: S101 - asked for by the caller
    both = max(round(2 * gate.confidence - 1, 15), 0.0)  # 0.9, not 0.8999…
    if not both > 0:
        raise ValueError(f"confidence must be above 0.5, got {gate.confidence}")
    test = compare_independent(before, counts, metric="accuracy_ratio", level=both)
    assert test.estimate is not None and test.high is not None  # noqa: S101, PT018 - a difference
    return test.estimate, test.high


def _apart(limit: float, bound: float) -> str:
    """Return a limit with so many digits that it does not read like the bound it misses."""
    for digits in (3, 4, 5, 6):
        shown = f"{limit:.{digits}f}"
        if float(shown) != bound:
            return shown
    return repr(limit)
