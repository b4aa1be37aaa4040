"""How PDs would have to be moved to be right: logistic regression on their log-odds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import require
from capcurve.inference.designs import leave_out, require_two, squared_masses
from capcurve.inference.records import Confidence, Interval
from capcurve.metrics.calibration import cases_by_pd, pds
from capcurve.show.format import capitalised
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import OneRow
from capcurve.taking import takes_counts_or_joint

if TYPE_CHECKING:
    from capcurve.counts import JointCounts, Ranking, ScoreCounts
    from capcurve.counts.types import Floats

MOST_STEPS, CLOSE = 100, 1e-13
LABELS = {"intercept": "intercept", "slope": "slope", "in_the_large": "intercept at slope 1"}


@dataclass(frozen=True, slots=True, repr=False)
class Recalibration(OneRow):
    """How PDs would have to be moved to be right: log-odds times slope plus intercept.

    Attributes
    ----------
    intercept, slope
        Of the logistic regression of outcomes on the log-odds of the PDs; below a slope of 1 PDs
        lie further apart than rates, above it they lie nearer.
    in_the_large
        The intercept where the slope is 1: by how much all log-odds are too low.
    """

    intercept: Interval
    slope: Interval
    in_the_large: Interval

    def presentation(self) -> Presentation:
        """Return what the recalibration shows: slope and intercepts between their limits."""
        numbers = [getattr(self, name) for name in LABELS]
        notes = dict.fromkeys(note for each in numbers for note in each.notes)
        slope, added = self.slope.estimate, self.intercept.estimate
        said = f"To be right, log-odds of the PDs would have to be times {slope:.3f}, {added:+.3f}."
        return Presentation(
            title="Logistic recalibration",
            sentences=(said,),
            figures=tuple(
                Figure(name, capitalised(label), label, each.estimate, "ratio", *each)
                for (name, label), each in zip(LABELS.items(), numbers, strict=True)
            ),
            level=self.slope.level,
            notes=tuple(f"{capitalised(note)}." for note in notes),
        )


@takes_counts_or_joint
def logistic_recalibration(
    counts: Ranking | JointCounts, *, pd: Any = "score", level: float = 0.95
) -> Recalibration:
    """Return the intercept and slope that would make PDs right: their level, and how they spread.

    Raises `ValueError` as `brier_score`, with fewer than two cases in a class, for PDs of 0 or 1,
    for PDs that are all alike or separate the classes, and for weights without a `weight_kind`.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    level
        Confidence level of the Wald limits: of weighted rows by the sandwich variance, of clustered
        ones by leaving out groups of clusters.

    Notes
    -----
    Cox (1958), Biometrika 45; Steyerberg et al. (2010), Epidemiology 21.

    Examples
    --------
    Rates of 3/4 and 1/4 where the odds of the PDs are 9 and 1/9: half as far apart in log-odds.

    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([0.9, 0.1], [30, 10], [10, 30])
    >>> round(logistic_recalibration(counts).slope.estimate, 6)
    0.5
    """
    cells, confidence = cases_by_pd(counts, pd), Confidence(level)
    require_two(cells, "recalibration")
    fit = LogisticFit.of(cells)
    ses, reach, method = fit.errors(cells), confidence.z, "wald"
    notes: tuple[str, ...] = ()
    if cells.groups is not None:
        left = leave_out(cells, fit.of_samples)
        ses, reach = np.sqrt(left.variances()), confidence.t(left.most_freedom())
        method, notes = "jackknife", left.notes(left.most_freedom(), left.sizes.rarer)
    found, whole = [], (-math.inf, math.inf)
    for value, se in zip(fit.numbers(), ses.tolist(), strict=True):
        limits = value - reach * se, value + reach * se
        found.append(confidence.interval(value, limits, whole, method, se, notes))
    return Recalibration(*found)


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """The logistic regression of outcomes on log-odds of PDs."""

    x: Floats  # log-odds of each PD
    p: Floats  # positives and negatives there
    n: Floats
    line: Floats  # intercept and slope of the largest likelihood

    @classmethod
    def of(cls, cells: ScoreCounts) -> LogisticFit:
        """Return the fit, or raise ValueError where there is none."""
        from scipy.special import logit

        require(cells, "positives", "negatives")
        each = pds(cells)
        if not ((each > 0) & (each < 1)).all():
            raise ValueError("PDs of 0 or 1 have no log-odds; floor them, such as at 0.0003")
        if len(each) == 1:
            raise ValueError("all PDs are alike, so there is no slope")
        hit, missed = each[cells.positives > 0], each[cells.negatives > 0]
        if hit.min() >= missed.max() or hit.max() <= missed.min():
            raise ValueError("the PDs separate positives from negatives, so no slope is finite")
        p, n = (column.astype(np.float64) for column in (cells.positives, cells.negatives))
        return cls(logit(each), p, n, np.array([0.0, 1.0])).fitted()

    def fitted(self) -> LogisticFit:
        """Return the fit with the line of the largest likelihood."""
        return replace(self, line=self._climbed(self.line, slice(None)))

    def likelihood(self, line: Floats) -> float:
        """Return the logarithm of the likelihood at an intercept and a slope."""
        eta = line[0] + line[1] * self.x
        # The logarithm of 1 + e^|η|, less |η|, is that of either class at the likelier outcome.
        short, far = np.log1p(np.exp(-np.abs(eta))), np.where(eta > 0, self.n, -self.p) * eta
        return -float((self.p + self.n) @ short + far.sum())

    def _derivatives(self, line: Floats) -> tuple[Floats, Floats]:
        """Return the first derivatives of the log-likelihood, and less the second ones."""
        from scipy.special import expit

        cases, rate = self.p + self.n, expit(line[0] + line[1] * self.x)
        missed = self.p - cases * rate
        first = np.array([missed.sum(), missed @ self.x])
        return first, self._squares(cases * rate * (1 - rate))

    def _squares(self, weights: Floats) -> Floats:
        """Return the sums of weights, and of their products with x and with its square."""
        across = weights * self.x
        mixed = across.sum()
        return np.array([[weights.sum(), mixed], [mixed, across @ self.x]])

    def _climbed(self, start: Floats, free: slice) -> Floats:
        """Return the line of the largest likelihood by Newton's steps, in its free numbers."""
        line, now = start.copy(), self.likelihood(start)
        for _ in range(MOST_STEPS):
            first, second = self._derivatives(line)
            step = np.zeros(2)
            try:
                step[free] = np.linalg.solve(second[free, free], first[free])
            except np.linalg.LinAlgError as why:
                raise ValueError("these cases do not tell a slope of the PDs") from why
            while (then := self.likelihood(line + step)) < now * (1 + CLOSE):
                step /= 2
            line, now = line + step, then
            if np.abs(step).max() <= CLOSE * (1 + np.abs(line).max()):
                break
        return line

    @property
    def _in_the_large(self) -> Floats:
        return self._climbed(np.array([0.0, 1.0]), slice(0, 1))

    def numbers(self) -> list[float]:
        """Return intercept, slope, and the intercept at slope 1."""
        return [*self.line.tolist(), float(self._in_the_large[0])]

    def errors(self, cells: ScoreCounts) -> Floats:
        """Return the standard errors of these; of weights by the sandwich variance."""
        from scipy.special import expit

        large = self._in_the_large
        inverse = np.linalg.inv(self._derivatives(self.line)[1])
        alone = np.diag([1 / self._derivatives(large)[1][0, 0], 0.0])
        if cells.weights is not None:
            masses, sums = squared_masses(cells), (self.p.sum(), self.n.sum())
            of1, of0 = (mass * whole**2 for mass, whole in zip(masses, sums, strict=True))

            def between(bread: Any, line: Floats) -> Any:
                rate: Floats = expit(line[0] + line[1] * self.x)
                return bread @ self._squares(of1 * (1 - rate) ** 2 + of0 * rate**2) @ bread

            inverse, alone = between(inverse, self.line), between(alone, large)
        return np.sqrt([*np.diag(inverse), alone[0, 0]])

    def of_samples(self, p: Floats, n: Floats) -> Floats:
        """Return the same numbers of samples at the same PDs."""
        rows = zip(p, n, strict=True)
        return np.array([replace(self, p=a, n=b).fitted().numbers() for a, b in rows])
