"""The accuracy ratio that PDs promise for a portfolio, and whether the realised one keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts.arguments import as_name, as_number, as_open_share, told
from capcurve.counts.given import as_counted, takes_counts_or_joint
from capcurve.inference.differences import Question, Spread, difference_test
from capcurve.inference.pds import sample_of
from capcurve.inference.promises import at_total, grouped, promise_of, under_factor
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.metrics import accuracy_ratio, roc_auc
from capcurve.show.format import joined

if TYPE_CHECKING:
    from capcurve.counts import JointCounts, Ranking
    from capcurve.counts.types import Floats
    from capcurve.inference.pds import PdSample
    from capcurve.inference.promises import Cells, Promise

Calibration = Literal["matched", "stated"]
CALIBRATIONS: tuple[Calibration, ...] = ("matched", "stated")
NAME = "realised - implied"
# Below this part of its possible size a difference or a spread is what rounding left.
ROUNDING = 1e-13
INDEPENDENT = (
    "defaults are taken as independent given the PDs; correlated ones leave more to chance"
)
IF_CORRELATED = (
    "defaults are taken as independent given the PDs; if one factor moves them all, such a test of "
    "PDs that hold rejects {} of portfolios like this with asset correlations of {} respectively; "
    "a correlation given to the test makes it allow for that"
)
ALLOWED = (
    "the standard error allows for one factor that moves all defaults, asset correlation {:g}; "
    "it would be {:.3g} if they were independent"
)
# From low to high in Basel's formula, and the one that findings go by.
CORRELATIONS, USUAL = (0.05, 0.12, 0.24), 0.12
# Factors that are looked at, and how many equally likely ones are read off between them.
FACTORS, LIKELY = tuple(0.5 * step for step in range(-7, 8)), 400
ONE_CLASS = (
    "there are no {}, so nothing is realised to test, and the implied accuracy ratio is that of "
    "the PDs as stated"
)
CERTAIN = (
    "there is no spread: all cases rank alike, or the PDs are 0 or 1 and leave nothing to chance"
)
GIVEN_CASES = (
    "given the cases: it does not allow for which cases come into the portfolio, as the interval "
    "of the whole change does"
)


@takes_counts_or_joint
def implied_accuracy_ratio(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    calibration: Calibration = "matched",
    correlation: float | None = None,
    level: float = 0.95,
) -> Test:
    """Test whether the accuracy ratio is the one that the PDs promise for this portfolio.

    A portfolio whose PDs are all alike cannot be ranked well, however good the model is; one
    whose PDs differ widely can. The implied accuracy ratio is what to expect if every PD is
    right, and the test says whether the realised one differs from it by more than chance.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`. Or result of `count_joint`
        with a score that ranks and one that holds the PDs, which may then differ inside a score.
    pd
        "score": the scores are PDs, in [0, 1], where a higher one is worse. Or one PD per
        distinct score: an array in the order of `counts.thresholds`, or a mapping of score or
        grade to PD. Of joint counts: the name of the score that holds the PDs.
    score
        Of joint counts: the name of the score that ranks.
    calibration
        "matched": all log-odds are shifted by one number, so that the PDs add up to the positives
        that there are; only the spread of the PDs is then tested. "stated": as they are.
    correlation
        Of the assets behind defaults that one factor moves, in [0, 1); independent when left out.
        The test then allows for any correlation up to this.
    level
        Confidence level of the two-sided limits of the difference.

    Returns
    -------
    Test
        `estimate` is the difference, realised less implied accuracy ratio. `estimates` holds both,
        `highest` (the implied one if the PDs themselves ranked the cases),
        `implied_with_self_pairs` (a case compared with itself counts too: of PDs that rank, their
        Gini over 1 - mean PD), `expected_positives` (the sum of the PDs as stated), if matched
        `shift_of_log_odds`, and, for defaults taken as independent, `se_if_correlated` (the
        standard error that an asset correlation of 12% would give). With one class only there is
        no test: the p-value is NaN.

    Raises
    ------
    ValueError, TypeError
        For PDs outside [0, 1], a correlation outside [0, 1), PDs that do not fit the scores,
        weights other than frequencies, PDs that no shift makes add up to the positives, and PDs
        that leave no pair of a positive and a negative possible.

    Notes
    -----
    With PDs p, the implied AUC is θ = Σ p_i(1 - p_j)κ_ij / Σ p_i(1 - p_j) over pairs of different
    cases, κ = 1 if i outranks j and 1/2 if they tie; van Klaveren (2016); without the test,
    Tasche (2009), arXiv 0905.3928. D = pairs won - θ·n1·n0 has mean 0 exactly and variance
    Σ p_i q_i g_i² + (2θ - 1)²·Σ_{i<j} p_i q_i p_j q_j, g_i what case i moves; if matched, g is
    taken less its pq-weighted mean, and the second sum left out. A factor z makes PDs
    Φ((Φ⁻¹(p) - √ρ·z)/√(1 - ρ)), Vasicek (2002), Risk 15; with `correlation` the variance has the
    mean over z of the squared difference of what these and the PDs, calibrated as asked, promise.

    Examples
    --------
    Of three cases, the pairs in order have the chances .5·.75 + .5·.9 + .25·.9 = 1.05, those out
    of order .25·.5 + .1·.5 + .1·.75 = .25: an AUC of 1.05/1.3, an accuracy ratio of 0.8/1.3.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 0], [0.5, 0.25, 0.1])
    >>> found = implied_accuracy_ratio(counts, calibration="stated")
    >>> round(found.estimates["implied"], 6), found.estimates["realised"]
    (0.615385, 1.0)
    >>> round(found.p_value, 4)
    0.4452
    """
    sample, question = sample_of(counts, pd, score), _question(level)
    return _tested(sample, _as_calibration(calibration), question, _as_correlation(correlation))


def implied_or_why_not(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    calibration: Calibration = "matched",
    correlation: float | None = None,
    level: float = 0.95,
) -> Test:
    """Return the same for one of many segments: where it is undefined, the notes say why.

    What is no PD is refused all the same.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> implied_or_why_not(count_scores([0], [0.25])).notes[0][:31]
    'the PDs leave no pair of a posi'
    """
    sample, question = sample_of(counts, pd, score), _question(level)
    calibration, correlation = _as_calibration(calibration), _as_correlation(correlation)
    try:
        return _tested(sample, calibration, question, correlation)
    except ValueError as why:
        return _untested(question, {}, (str(why),))


def _question(level: float) -> Question:
    return Question("two-sided", metric="accuracy_ratio", level=as_open_share(level, "level"))


def _tested(
    sample: PdSample, calibration: Calibration, question: Question, correlation: float
) -> Test:
    if not len(sample.ranking):
        raise ValueError("there are no cases, so PDs promise nothing")
    if sample.one_class:
        promise = promise_of(sample.cells)
        found = _Expected(sample.cells, promise, math.nan, 0.0, None)
        implied = {"implied": 2 * promise.auc - 1, **_further(sample, found)}
        return _untested(question, implied, (*sample.notes, ONE_CLASS.format(sample.one_class)))
    found = _expected(sample, calibration)
    spread, more = _allowing(found, question, correlation)
    spread = replace(spread, notes=(*sample.notes, *spread.notes))
    aucs = {"realised": found.realised, "implied": found.promise.auc}
    method = f"PDs as {calibration}, {spread.method}normal"
    test = difference_test(NAME, aucs, found.surplus, spread, question, method)
    # Rounded once, as `accuracy_ratio` gives it.
    own = {"realised": accuracy_ratio(sample.ranking)}
    test = replace(test, estimates={**test.estimates, **own, **_further(sample, found), **more})
    if found.variance == 0 and found.surplus:
        return replace(test, statistic=math.copysign(math.inf, found.surplus), p_value=0.0)
    return test


def _allowing(
    found: _Expected, question: Question, correlation: float
) -> tuple[Spread, dict[str, float]]:
    """Return the spread with what a factor adds; without correlation, what one would do."""
    if not found.variance > 0:
        return Spread(0.0, None, "", (CERTAIN, INDEPENDENT)), {}
    if correlation:
        variance = found.variance + _moved_by_factor(found, correlation).added
        notes = (ALLOWED.format(correlation, 2 * found.se),)
        return Spread(variance, None, f"asset correlation {correlation:g}, ", notes), {}
    moved = {rho: _moved_by_factor(found, rho) for rho in CORRELATIONS}
    limit = Confidence(question.level or 0.0).z
    said = [f"{each.rejected(limit):.0%}" for each in moved.values()]
    note = IF_CORRELATED.format(joined(said), joined([f"{rho:.0%}" for rho in CORRELATIONS]))
    more = {"se_if_correlated": 2 * math.sqrt(found.variance + moved[USUAL].added)}
    return Spread(found.variance, None, "", (note,)), more


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """What a factor does to a test that takes defaults as independent, at equally likely values.

    How far the AUC is moved from the promise, its standard error, and that which the test takes.
    """

    bias: Floats
    se: Floats
    taken: Floats

    @property
    def added(self) -> float:
        """The variance that the factor adds."""
        return float((self.bias**2).mean())

    def rejected(self, limit: float) -> float:
        """Return how often the test rejects, beyond so many of its standard errors."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ends = [ndtr((sign * self.bias - limit * self.taken) / self.se) for sign in (-1, 1)]
        return float(np.nan_to_num(ends[0] + ends[1]).mean())


def _moved_by_factor(found: _Expected, correlation: float) -> _Moved:
    """Return what a factor does to the test, read off between some values of it."""
    from scipy.special import ndtri

    cells, rows = grouped(found.cells), {}
    for factor in FACTORS:
        # A factor that leaves no pair of both classes leaves no test either.
        with suppress(ValueError, ZeroDivisionError):
            rows[factor] = _moved_by(factor, cells, correlation, found.shift)
    if not rows:
        rows[0.0] = (0.0, found.se, found.se)
    likely = ndtri((np.arange(LIKELY) + 0.5) / LIKELY)
    columns = zip(*rows.values(), strict=True)
    return _Moved(*(np.interp(likely, list(rows), column) for column in columns))


def _moved_by(
    factor: float, cells: Cells, correlation: float, shift: float | None
) -> tuple[float, float, float]:
    """Return how far a value of the factor moves the AUC, its error, and that which is taken."""
    moved = under_factor(cells, correlation, factor)
    there = promise_of(moved)
    taken = promise_of(cells if shift is None else at_total(cells, moved.total)[0])
    pairs = moved.total * (there.cases - moved.total)
    ses = [math.sqrt(_variance(each, shift)) / pairs for each in (there, taken)]
    return there.auc - taken.auc, ses[0], ses[1]


def _variance(promise: Promise, shift: float | None) -> float:
    """Return the variance of the pairs won beyond the promise, stated or matched."""
    return promise.variance if shift is None else promise.variance_given_total


def _untested(question: Question, estimates: dict[str, float], notes: tuple[str, ...]) -> Test:
    """Return what is known where there is nothing to test."""
    return Test(
        name=NAME,
        statistic=math.nan,
        p_value=math.nan,
        method="none",
        level=question.level,
        metric="accuracy_ratio",
        estimates=estimates,
        notes=notes,
    )


def implied_parts(
    before: Ranking | JointCounts,
    after: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    calibration: Calibration = "matched",
    level: float = 0.95,
) -> dict[str, Interval]:
    """Return how much of a change of the accuracy ratio the portfolio makes, how much the model.

    Notes
    -----
    As stated, what PDs promise of given cases has no standard error. Matched, it moves with the
    number of positives, by the delta method; that is uncorrelated with the difference of realised
    and implied, from whose g the mean was taken. The samples are independent.

    Examples
    --------
    The same PDs promise the same: all of the change is the model's.

    >>> from capcurve import count_scores
    >>> first = count_scores([1, 0, 0], [0.5, 0.25, 0.1])
    >>> second = count_scores([0, 1, 0], [0.5, 0.25, 0.1])
    >>> found = implied_parts(first, second, calibration="stated")
    >>> found["portfolio"].estimate, found["model"].estimate
    (0.0, -1.0)
    """
    confidence, calibration = Confidence(level), _as_calibration(calibration)
    if not isinstance(pd, str | Mapping):
        raise TypeError(
            f'pd must be "score", a mapping of score to PD, or a name in joint counts, got '
            f"{told(pd)}: an array fits the scores of one period only"
        )
    several = {"before": before, "after": after}
    samples = [
        _sample_in(as_counted(given, "implied_parts"), name, pd, score)
        for name, given in several.items()
    ]
    first, second = (_expected(sample, calibration) for sample in samples)
    of_samples = dict.fromkeys(note for sample in samples for note in sample.notes)
    method = f"PDs as {calibration}, delta method"

    def interval(estimate: float, *spreads: float) -> Interval:
        se = 2 * math.hypot(*spreads)
        limits = 2 * estimate - confidence.z * se, 2 * estimate + confidence.z * se
        notes = (GIVEN_CASES, *of_samples, INDEPENDENT)
        return confidence.interval(2 * estimate, limits, (-2.0, 2.0), method, se, notes)

    portfolio = second.promise.auc - first.promise.auc
    moved = first.se_of_implied, second.se_of_implied
    return {
        "portfolio": interval(portfolio, *moved),
        "model": interval(second.surplus - first.surplus, first.se, second.se),
        "implied_before": interval(first.promise.auc - 1 / 2, moved[0]),
        "implied_after": interval(second.promise.auc - 1 / 2, moved[1]),
    }


def _sample_in(counts: Ranking | JointCounts, name: str, pd: Any, score: str | None) -> PdSample:
    """Return the cases and PDs of one of two periods, which must have both classes."""
    sample = sample_of(counts, pd, score)
    if sample.one_class:
        raise ValueError(f"there are no {sample.one_class} {name}, so nothing is realised")
    return sample


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """What the PDs, calibrated as asked, promise of a sample, beside what is realised."""

    cells: Cells
    promise: Promise
    realised: float  # AUC
    variance: float  # of the realised AUC if the PDs hold
    shift: float | None  # of the log-odds

    @property
    def surplus(self) -> float:
        """The realised less the implied AUC."""
        return self.realised - self.promise.auc

    @property
    def se(self) -> float:
        """Standard error of the realised less the implied AUC."""
        return math.sqrt(self.variance)

    @property
    def se_of_implied(self) -> float:
        """Standard error of the implied AUC, which moves with the positives if matched."""
        return 0.0 if self.shift is None else self.promise.se_by_total


def _as_calibration(given: object) -> Calibration:
    found = as_name(given, "calibration", CALIBRATIONS, {"as_stated": "stated"})
    return cast("Calibration", found)


def _as_correlation(given: float | None) -> float:
    found = 0.0 if given is None else as_number(given, "correlation")
    if not 0 <= found < 1:
        raise ValueError(f"correlation must be at least 0 and below 1, got {found:g}")
    return found


def _expected(sample: PdSample, calibration: Calibration) -> _Expected:
    """Return what the PDs promise; the sample has both classes."""
    cells, shift = sample.cells, None
    if calibration == "matched":
        cells, shift = at_total(cells, sample.ranking.n1)
    promise = promise_of(cells)
    pairs = float(sample.ranking.n1) * float(sample.ranking.n0)
    spread = _variance(promise, shift)
    # Where all cases have one score nothing is ranked, and rounding must not look like it.
    least = (ROUNDING * promise.cases) ** 2 * promise.variance_of_total
    variance = spread / pairs**2 if spread > least else 0.0
    realised = roc_auc(sample.ranking)
    if variance == 0 and abs(realised - promise.auc) < ROUNDING:
        realised = promise.auc
    return _Expected(cells, promise, realised, variance, shift)


def _further(sample: PdSample, found: _Expected) -> dict[str, float]:
    """Return what else there is to know of the PDs, by name."""
    promise = found.promise
    more = {
        "highest": 2 * promise.highest - 1,
        "implied_with_self_pairs": 2 * promise.auc_with_self_pairs - 1,
        "expected_positives": sample.cells.total,
    }
    return more if found.shift is None else {**more, "shift_of_log_odds": found.shift}
