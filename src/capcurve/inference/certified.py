"""How many of the surest cases can be answered with few enough errors, shown by the same cases."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.kinds import Errors, as_errors
from capcurve.curves.shares import require, shares
from capcurve.gate.taking import takes_counts
from capcurve.inference.rates import both_limits
from capcurve.inference.records import Confidence
from capcurve.numbers.arguments import arg, as_open_share, as_share
from capcurve.numbers.meeting import as_written
from capcurve.numbers.plain import plain
from capcurve.show.chart import BLUE, Axis, Chart, Line, Marker, Style, reference
from capcurve.show.columns import formed
from capcurve.show.format import counted, percent, stated_percent
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capcurve.counts import Ranking
    from capcurve.numbers.types import Floats, Ints

# More distinct scores than this are looked at in so many steps of equal size.
MOST_TESTED_CUTOFFS = 100
# With fewer errors to be expected at the risk asked for, one sequence finds more than several.
FEW_ERRORS = 25
ERRORS_AT_START, SHARES_AT_START = 3, (0.25, 0.5, 0.75)
# What is tested where every sequence starts beyond all cases.
NONE_TESTED = np.array([], np.int64), np.array([], np.int64), np.array([])


@dataclass(frozen=True, slots=True, repr=False)
class CertifiedCutoff(Result):
    """The deepest coverage whose risk is shown to be at most as high as asked.

    Attributes
    ----------
    coverage
        Share of cases that can be answered, the surest first; 0 where none is certified.
    threshold
        The riskiest score that is still answered, or None.
    next_score
        The next riskier one, or None.
    n, errors, risk
        Cases answered, errors among them and their share.
    upper
        Upper confidence limit of the risk, or None.
    max_risk, level
        What was asked: the risk is above `max_risk` in at most 1 - level of all samples.
    starts
        From how many cases on each sequence of cut-offs was tested; the level is split over them.
    needed
        Where none is certified, about how many cases would be enough if they were as these; None
        where the risk seen is not below the one asked for.
    tested
        Every cut-off that was tested: where its sequence starts, coverage, n, errors and upper.
    """

    coverage: float
    threshold: Any
    next_score: Any
    n: int
    errors: int
    risk: float | None
    upper: float | None
    max_risk: float
    level: float
    starts: tuple[int, ...]
    needed: int | None
    tested: Table

    def presentation(self) -> Presentation:
        """Return what is certified."""
        level, most = stated_percent(self.level), percent(self.max_risk)
        said = (
            f"At {level} confidence, the surest {percent(self.coverage)} of cases contain at most "
            f"{most} errors (the guarantee allows for choosing the cut-off on the same data)."
        )
        if self.upper is None:
            enough = "not even the surest cases contain fewer errors"
            if self.needed is not None:
                enough = f"about {counted(self.needed, 'case')} like these would be enough"
            said = f"No cut-off is certified at {most} errors and {level} confidence; {enough}."
        figures = [
            Figure("coverage", "coverage", "coverage", self.coverage, "share"),
            Figure("n", "cases answered", "n", self.n, "count"),
            Figure("errors", "errors among them", "errors", self.errors, "count"),
            Figure("risk", "risk", "risk", self.risk, "share"),
            Figure("upper", "upper limit of the risk", "upper limit", self.upper, "share"),
        ]
        return Presentation(
            title="Certified cut-off",
            sentences=(said,),
            figures=tuple(each for each in figures if each.value is not None),
            charts=self._charts(most),
            tables=(replace(self.tested, name="Cut-offs tested"),),
            notes=("This is valid for cases of the same population, drawn independently.",),
        )

    def _charts(self, most: str) -> tuple[Chart, ...]:
        """Return the picture of the limits at the cut-offs that were tested."""
        columns = self.tested.columns
        if not len(columns["n"]):
            return ()
        order = np.argsort(columns["coverage"], kind="stable")
        x = columns["coverage"][order]
        risk = (columns["errors"] / columns["n"])[order]
        lines = [
            Line(x, risk, "Errors among those answered", Style(BLUE)),
            Line(x, columns["upper"][order], "Upper limit", Style(BLUE), marker=Marker("o", 0.4)),
            reference([0, 1], [self.max_risk, self.max_risk], f"At most {most}"),
        ]
        x_axis = Axis("Share of cases answered, the surest first", whole=1)
        y_axis = Axis("Errors among them", "share", from_zero=True)
        return (Chart(title="Cut-offs tested", x=x_axis, y=y_axis, lines=lines, rising=True),)


@takes_counts
def certified_cutoff(
    counts: Ranking,
    max_risk: float,
    *,
    level: float = 0.95,
    start: float | Iterable[float] | None = None,
    errors: Errors = "positives",
) -> CertifiedCutoff:
    """Return the deepest cut-off whose error rate is at most `max_risk`, although it was chosen.

    Of all samples at most 1 - level certify a cut-off with a higher risk. The deepest cut-off whose
    own upper limit is low enough would be too risky far more often.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`; unweighted, independent rows.
    max_risk
        The highest error rate among the cases answered, in (0, 1).
    level
        How sure the certificate is, in (0, 1).
    start
        Share of cases at which tests start, or several over which the level is split, said before
        the outcomes are seen. Left out, the surest cases that can pass, and where errors are not
        few a quarter, half and three quarters of the cases.
    errors
        As in `risk_coverage_curve`.

    Raises
    ------
    ValueError
        For no cases, weights, clusters and numbers out of range.

    Notes
    -----
    Fixed-sequence testing, as in "Learn then test" (Angelopoulos et al. 2022): from each start
    on, cut-offs are tested in the order of the scores by the one-sided Clopper-Pearson limit of the
    errors above them, until one fails. More than 100 scores are tested in 100 steps.

    Examples
    --------
    Of 100 cases without an error 95% confidence leaves a risk of 1 - 0.05^(1/100), under 3%.

    >>> from capcurve import count_scores
    >>> found = certified_cutoff(count_scores([0] * 100 + [1] * 50, range(150)), 0.05)
    >>> found.coverage, found.errors, round(certified_cutoff([0] * 99, [1] * 99, 0.03).upper, 4)
    (0.6666666666666666, 0, 0.0298)
    """
    max_risk, level = as_open_share(max_risk, "max_risk"), as_open_share(level, "level")
    require(counts)
    if counts.weights is not None or counts.groups is not None or not counts.is_whole:
        raise ValueError(
            f"a certificate needs independent rows; count without {arg('weight')} and "
            f"{arg('cluster')}"
        )
    places = _TestedCutoffs.of(counts, errors)
    starts, tail = _starts(places.whole, max_risk, 1 - level, start)
    tested = [(at, *each) for at in starts for each in places.passed(at, max_risk, tail)]
    at, place, upper = map(np.array, zip(*tested, strict=True)) if tested else NONE_TESTED
    n, wrong = places.n[place], places.errors[place]
    columns = {"start": at, "coverage": n / places.whole, "n": n, "errors": wrong, "upper": upper}
    table = Table("certified_cutoff", formed(columns, share="coverage"))
    asked = (max_risk, level, starts)
    if not (passed := np.flatnonzero(upper <= max_risk)).size:
        # Of more cases the first sequence starts at a smaller share: at any place before.
        first = np.searchsorted(places.n, starts).tolist()
        could = {*first, *(range(min(first[0], len(places.n))) if start is None else ())}
        needed = [places.needed(at, max_risk, tail) for at in could if at < len(places.n)]
        least = min((each for each in needed if each and each > places.whole), default=None)
        return CertifiedCutoff(0.0, None, None, 0, 0, None, None, *asked, least, table)
    last = max(passed.tolist(), key=lambda each: (place[each], upper[each]))
    accepted, failed, end = int(n[last]), int(wrong[last]), int(places.ends[place[last]])
    own = counts.every_score().thresholds[:: -1 if errors == "positives" else 1][end : end + 2]
    score, after = [*plain(as_written(own)), None][:2]
    share, limit = accepted / places.whole, float(upper[last])
    found = (share, score, after, accepted, failed, failed / accepted, limit)
    return CertifiedCutoff(*found, *asked, None, table)


@dataclass(frozen=True, slots=True)
class _TestedCutoffs:
    """Cut-offs that are tested, from the surest cases on."""

    ends: Ints  # which score each ends at
    n: Ints
    errors: Ints
    whole: int

    @classmethod
    def of(cls, counts: Ranking, errors: Errors) -> _TestedCutoffs:
        sums = shares(as_errors(counts, errors).every_score())
        n, wrong = (axis.from_the_end.sums[1:] for axis in (sums.cases, sums.positives))
        whole = int(n[-1])
        ends = np.arange(len(n))
        if len(n) > MOST_TESTED_CUTOFFS:
            steps = [whole * k // MOST_TESTED_CUTOFFS for k in range(1, MOST_TESTED_CUTOFFS + 1)]
            ends = np.unique(np.searchsorted(n, steps, side="right") - 1)
            ends = ends[ends >= 0]
        return cls(ends, n[ends], wrong[ends], whole)

    def passed(self, start: int, most: float, tail: float) -> list[tuple[int, float]]:
        """Return the places from one with so many cases on, with limits, to the first too high."""
        first = int(np.searchsorted(self.n, start))
        limits = _upper(self.errors[first:], self.n[first:], tail)
        above = np.flatnonzero(limits > most)
        last = int(above[0]) + 1 if len(above) else len(limits)
        return [(first + place, float(limit)) for place, limit in enumerate(limits[:last])]

    def needed(self, place: int, most: float, tail: float) -> int | None:
        """Return of how many cases the same share would pass at this place."""
        risk = float(self.errors[place] / self.n[place])
        if risk >= most:
            return None
        return math.ceil(_fewest(risk, most, tail) * self.whole / int(self.n[place]))


def _starts(n: int, most: float, tail: float, asked: Any) -> tuple[tuple[int, ...], float]:
    """Return from how many cases each sequence is tested, and how often each may be wrong."""
    if asked is not None:
        several = np.atleast_1d(np.asarray(asked, dtype=object)).tolist()
        shares_asked = [as_share(each, "start", some=True) for each in several]
        return tuple(math.ceil(each * n) for each in shares_asked), tail / len(shares_asked)
    if n * most < FEW_ERRORS:
        return (_fewest(0, most, tail),), tail
    part = tail / (1 + len(SHARES_AT_START))
    later = (math.ceil(each * n) for each in SHARES_AT_START)
    return (_fewest(ERRORS_AT_START, most, part), *later), part


def _fewest(errors: float, most: float, tail: float) -> int:
    """Return the fewest cases with so many errors, or such a share of them, that pass."""

    def fails(n: int) -> bool:  # of cases that are all errors the limit is 1
        return bool(_upper(min(errors, n) if errors >= 1 else errors * n, n, tail) > most)

    low, high = 0, 8
    while fails(high):
        low, high = high, 2 * high
    return bisect_left(range(high), x=True, lo=low + 1, key=lambda n: not fails(n))


def _upper(errors: Any, n: Any, tail: float) -> Floats:
    """Return the one-sided Clopper-Pearson limit of an error rate."""
    return both_limits(errors, n, "clopper_pearson", Confidence(0.95, "upper", tail))[1]
