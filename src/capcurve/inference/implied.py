"""The accuracy ratio that PDs promise for a portfolio, and whether the realised one keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from capcurve.counts import JointCounts, Ranking, ScoreCounts
from capcurve.counts.joint import PdColumn
from capcurve.counts.table import wide
from capcurve.gate.given import as_counted, as_ranking
from capcurve.gate.pds import checked_pds, numbers_of, pds_of, refuse_unknown_grades
from capcurve.gate.taking import takes_counts_or_joint
from capcurve.inference.designs import require_rows
from capcurve.inference.differences import Question, Spread, difference_test
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.metrics import accuracy_ratio, roc_auc
from capcurve.numbers.arguments import as_name, as_number, as_open_share, refused, told, word
from capcurve.numbers.order import places_in
from capcurve.show.format import counted, stated_percent

if TYPE_CHECKING:
    from capcurve.numbers.types import Array, Floats

FACTOR_GROUPS = 40  # by place and by PD; a factor moves as many groups as it moves cells
# Of all pairs: where no more than this part can hold one case of each class, none can.
LEAST_MIXED_PAIRS = 1e-13
IMPLIED_OF_CLUSTERS = (
    "the rows are clustered, and this test treats them as independent: the p-value is too small"
)
Matching = Literal["matched", "stated"]
CALIBRATIONS: tuple[Matching, ...] = ("matched", "stated")
REALISED_LESS_IMPLIED = "realised - implied"
# Below this part of its possible size a difference or a spread is what rounding left.
IMPLIED_ROUNDING = 1e-13
INDEPENDENT_GIVEN_PDS = "this assumes independent defaults. Correlated ones leave more to chance"
IF_CORRELATED = (
    "with an asset correlation of {:.0%}, this test raises false alarms in {:.0%} of portfolios "
    "like this instead of {}. If defaults move together, pass an asset correlation"
)
ERROR_WITH_FACTOR = (
    "the standard error allows for an asset correlation of {:g}. With independent defaults it "
    "would be {:.3g}"
)
USUAL_CORRELATION = 0.12  # about the middle of those in Basel's formula
# Factors that are looked at, and how many equally likely ones are read off between them.
FACTOR_STEPS, LIKELY = tuple(0.5 * step for step in range(-7, 8)), 400
ONE_CLASS = (
    "there are no {}, so nothing is realised to test, and the implied accuracy ratio is that of "
    "the PDs as stated"
)
CERTAIN = "nothing is left to chance, because all cases rank alike or the PDs are 0 or 1"
GIVEN_CASES = (
    "this takes the cases as given. Unlike the interval of the whole change, it does not allow for "
    "which cases are in the portfolio"
)


@dataclass(frozen=True, slots=True, eq=False)
class PdCells:
    """Cases with PDs, by the score that ranks them."""

    place: Array  # of each cell's score, 0 the likeliest positive, shape (K,); cells may share one
    pd: Floats  # pD of the cases of each cell, shape (K,)
    cases: Floats  # how many cases there are in each cell, shape (K,)

    @property
    def total(self) -> float:
        """How many positives the PDs add up to."""
        return float((self.cases * self.pd).sum())

    def below(self, values: Floats) -> Floats:
        """Return for each cell the sum of values over all scores below, its own half."""
        sums = np.bincount(self.place.astype(np.intp, copy=False), values)
        return (sums[::-1].cumsum()[::-1] - sums / 2)[self.place]


@dataclass(frozen=True, slots=True, eq=False)
class Promise:
    """What PDs promise of a ranking."""

    cases: float  # how many cases there are
    auc: float  # the implied AUC: expected pairs won over expected pairs, of different cases
    auc_with_self_pairs: float  # the same with each case compared with itself too, half won
    highest: float  # the implied AUC if the PDs themselves ranked
    variance: float  # of the pairs won less auc·n1·n0, over all outcomes
    # The same of its part that is uncorrelated with the number of positives, to first order.
    variance_given_total: float
    variance_of_total: float  # of the number of positives
    se_by_total: float  # how far matching PDs to one standard deviation more moves the implied AUC


def promise_of(cells: PdCells) -> Promise:
    """Return what PDs promise of a ranking."""
    # g = L - (E - p) - θ(n - 1 - 2(E - p)) is what a case moves pairs won less θ·n1·n0 by when it
    # becomes positive, L the cases below it (ties half); and of the derivative of θ by the shift of
    # all log-odds, Σ pq·g over the pairs that are expected.
    p, cases = cells.pd, cells.cases
    spread = cases * p * (1 - p)
    n, expected, self_pairs = float(cases.sum()), cells.total, float(spread.sum())
    won, pairs = _won(cells), expected * float((cases * (1 - p)).sum())
    possible = pairs - self_pairs
    if not possible > LEAST_MIXED_PAIRS * pairs:
        raise ValueError(
            "the PDs leave no pair of a positive and a negative possible: they are all 0, all 1, "
            "or of one case"
        )
    auc = min(max((won - self_pairs / 2) / possible, 0.0), 1.0)
    others = expected - p
    moves = cells.below(cases) - 0.5 - others - auc * (n - 1 - 2 * others)
    mean = float((spread * moves).sum()) / self_pairs if self_pairs else 0.0
    both = max(self_pairs**2 - float((spread * p * (1 - p)).sum()), 0.0) / 2
    return Promise(
        cases=n,
        auc=auc,
        auc_with_self_pairs=won / pairs,
        highest=(_won(_by_pd(cells)) - self_pairs / 2) / possible,
        variance=float((spread * moves**2).sum()) + (2 * auc - 1) ** 2 * both,
        variance_given_total=float((spread * (moves - mean) ** 2).sum()),
        variance_of_total=self_pairs,
        se_by_total=abs(mean) * math.sqrt(self_pairs) / possible,
    )


def _won(cells: PdCells) -> float:
    """Return the pairs that a score is expected to win, self pairs half."""
    below = cells.below(cells.cases * (1 - cells.pd))
    return float((cells.cases * cells.pd * below).sum())


def _by_pd(cells: PdCells) -> PdCells:
    """Return the cells ranked by their PDs."""
    distinct, place = np.unique(cells.pd, return_inverse=True)
    return replace(cells, place=len(distinct) - 1 - place.reshape(-1))


def pds_under(p: Floats, correlation: float, factor: float) -> Floats:
    """Return the PDs that there are where one factor stands so high.

    Φ((Φ⁻¹(p) - √ρ·z)/√(1 - ρ)), with ρ the correlation of assets: Vasicek (2002), Risk 15.

    >>> pds_under(np.array([0.5]), 0.5, 1.0).round(6)  # Φ(-1)
    array([0.158655])
    """
    from scipy.special import ndtr, ndtri

    moved = ndtri(p) - math.sqrt(correlation) * factor
    return np.asarray(ndtr(moved / math.sqrt(1 - correlation)))


def pd_groups(cells: PdCells) -> PdCells:
    """Return nearly the same cells, few of them: by place and by PD, with their mean PD."""
    if len(cells.pd) <= FACTOR_GROUPS:
        return cells
    mass = cells.cases * (1 / float(cells.cases.sum()) + cells.pd / (cells.total or 1.0)) / 2
    shares = [np.bincount(at, mass).cumsum()[at] for at in (cells.place, _by_pd(cells).place)]
    labels = [np.minimum(FACTOR_GROUPS * s, FACTOR_GROUPS - 1).astype(np.int64) for s in shares]
    found, group = np.unique(FACTOR_GROUPS * labels[0] + labels[1], return_inverse=True)
    sums = [np.bincount(group, of) for of in (cells.cases, cells.cases * cells.pd)]
    cases, positives = (np.asarray(column, dtype=np.float64) for column in sums)
    return PdCells(found // FACTOR_GROUPS, np.minimum(positives / cases, 1.0), cases)


def at_total(cells: PdCells, positives: float) -> tuple[PdCells, float]:
    """Return the cells with all log-odds shifted so that the PDs add up to the positives.

    PDs of 0 and 1 stay as they are. Also returns the shift.

    Odds of 1 to 3 become odds of 1: a shift by ln 3.

    >>> matched, shift = at_total(PdCells(np.arange(1), np.array([0.25]), np.array([4.0])), 2)
    >>> matched.pd.round(12).tolist(), round(math.exp(shift), 12)
    ([0.5], 3.0)
    """
    from scipy.optimize import brentq
    from scipy.special import expit, logit

    inside = (cells.pd > 0) & (cells.pd < 1)
    sure = float(cells.cases[cells.pd == 1].sum())
    wanted, cases = positives - sure, cells.cases[inside]
    open_cases = float(cases.sum())
    if not open_cases and not wanted:
        return cells, 0.0
    if not 0 < wanted < open_cases:
        raise ValueError(
            f"no shift of the log-odds makes the PDs add up to the {positives:,} positives: "
            f"{sure:,.0f} cases have a PD of 1 and {open_cases:,.0f} one between 0 and 1; pass "
            f"{word(calibration='stated')}"
        )
    odds, middle = logit(cells.pd[inside]), float(logit(wanted / open_cases))
    # At these ends every PD lies below, above, the share that is wanted.
    ends = middle - float(odds.max()) - 1, middle - float(odds.min()) + 1
    shift = float(brentq(lambda by: (cases * expit(odds + by)).sum() - wanted, *ends, xtol=1e-14))
    matched = cells.pd.copy()
    matched[inside] = expit(odds + shift)
    return replace(cells, pd=matched), shift


@dataclass(frozen=True, slots=True, eq=False)
class PdSample:
    """Cases with PDs, in the order of a score, and how they came out."""

    ranking: ScoreCounts
    cells: PdCells
    notes: tuple[str, ...]

    @property
    def one_class(self) -> str | None:
        """The class that there are no cases of, or None."""
        sizes = {"positives": self.ranking.n1, "negatives": self.ranking.n0}
        return next((name for name, cases in sizes.items() if not cases), None)


def pd_sample(
    counts: Ranking | JointCounts, pd: Any, score: str | None, *, tested: bool = True
) -> PdSample:
    """Return the cases with their PDs, or raise ValueError where they are none."""
    require_rows(counts)
    if tested:
        refuse_weights(counts)
    held: ScoreCounts | JointCounts
    if isinstance(pd, PdColumn):
        counts, pd, score = pd.joint, pd.name, score or pd.score
    if isinstance(counts, JointCounts):
        held, ranking, cells = _of_joint(counts, pd, score)
    else:
        if score is not None:
            raise ValueError(f"score={told(score)} is for joint counts; these rank by one score")
        held = ranking = counts.every_score()
        cells = PdCells(np.arange(len(ranking)), pds_of(ranking, pd), cases_of_cells(ranking))
    return PdSample(ranking, cells, said_of_pds(held, cells.pd))


def refuse_weights(counts: Ranking | JointCounts) -> None:
    """Raise ValueError for weighted cases, whose number PDs do not tell the chances of."""
    if counts.times is not None:
        raise ValueError(
            "the test of PDs does not allow for censored rows; observed to expected does: "
            "assess_calibration"
        )
    if counts.weights is not None:
        raise ValueError(
            f"these cases are weighted by {counts.weights.kind} weights, and the test of PDs needs "
            f"whole cases: count them without weights, or with {word(weight_kind='frequency')}"
        )


def said_of_pds(counts: ScoreCounts | JointCounts, pds: Floats) -> tuple[str, ...]:
    """Return what to say of cases with PDs: clusters, and outcomes that PDs rule out."""
    notes = [] if counts.groups is None else [IMPLIED_OF_CLUSTERS]
    ruled_out = {
        "0 came out positive": int(wide(counts.positives[pds == 0]).sum()),
        "1 came out negative": int(wide(counts.negatives[pds == 1]).sum()),
    }
    notes += [
        f"{counted(cases, 'case')} with a PD of {how}, which such a PD rules out"
        for how, cases in ruled_out.items()
        if cases
    ]
    return tuple(notes)


def _of_joint(joint: JointCounts, pd: Any, score: Any) -> tuple[JointCounts, ScoreCounts, PdCells]:
    """Return the cells of the score that ranks and of the PDs, and the counts of that score."""
    for said, given in (("score", score), ("pd", pd)):
        if not isinstance(given, str) or given not in joint.names:
            raise ValueError(
                "of joint counts name the score that ranks and the one that holds the PDs, score= "
                f"and pd=, out of {', '.join(map(repr, joint.names))}; got {said}={told(given)}"
            )
    ranking, held = joint.margin(score), joint.margin(pd)
    values = checked_pds(numbers_of(held), held.thresholds)
    kept = {score: ranking, pd: held}  # other scores would split cells, and move the last digit
    two = joint.joined({name: np.arange(1, len(each) + 1) for name, each in kept.items()})
    columns = dict(zip(two.names, two.scores, strict=True))
    place, of_pd = (places_in(kept[name], columns[name]) for name in (score, pd))
    return two, ranking, PdCells(place, values[of_pd], cases_of_cells(two))


def cases_of_cells(counts: ScoreCounts | JointCounts) -> Floats:
    """Return the cases of both classes at each score."""
    return counts.positives.astype(np.float64) + counts.negatives.astype(np.float64)


@takes_counts_or_joint
def implied_accuracy_ratio(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    calibration: Matching = "matched",
    correlation: float | None = None,
    level: float = 0.95,
) -> Test:
    """Test the realised accuracy ratio against the one implied by the PDs.

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
        grade to PD. Of joint counts: the name of the score that holds the PDs. With columns: a
        column of PDs, or with `data=` its name, which is counted beside the score.
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
    sample, question = pd_sample(counts, pd, score), _question(level)
    return _tested(sample, _as_calibration(calibration), question, as_correlation(correlation))


def implied_or_why_not(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    calibration: Matching = "matched",
    correlation: float | None = None,
    level: float = 0.95,
) -> Test:
    """Return the same for one of many segments: where it is undefined, the notes say why."""
    # What is no PD is refused all the same, and so are amounts.
    counts = as_counted(counts, "implied_accuracy_ratio")
    sample, question = pd_sample(counts, pd, None), _question(level)
    calibration, correlation = _as_calibration(calibration), as_correlation(correlation)
    try:
        return _tested(sample, calibration, question, correlation)
    except ValueError as why:
        return _untested(question, {}, (str(why),))


def _question(level: float) -> Question:
    return Question("two-sided", metric="accuracy_ratio", level=as_open_share(level, "level"))


def _tested(sample: PdSample, calibration: Matching, asked: Question, correlation: float) -> Test:
    if not len(sample.ranking):
        raise ValueError("there are no cases, so PDs imply nothing")
    if sample.one_class:
        promise = promise_of(sample.cells)
        found = _Expected(sample.cells, promise, math.nan, 0.0, None)
        implied = {"implied": 2 * promise.auc - 1, **_further(sample, found)}
        return _untested(asked, implied, (*sample.notes, ONE_CLASS.format(sample.one_class)))
    found = _expected(sample, calibration)
    spread, more = _allowing(found, asked, correlation)
    spread = replace(spread, notes=(*sample.notes, *spread.notes))
    aucs = {"realised": found.realised, "implied": found.promise.auc}
    method = f"PDs as {calibration}, {spread.method}normal"
    test = difference_test(REALISED_LESS_IMPLIED, aucs, found.surplus, spread, asked, method)
    own = {"realised": accuracy_ratio(sample.ranking)}  # rounded once, as `accuracy_ratio` gives it
    test = replace(test, estimates={**test.estimates, **own, **_further(sample, found), **more})
    if found.variance == 0 and found.surplus:
        return replace(test, statistic=math.copysign(math.inf, found.surplus), p_value=0.0)
    return test


def _allowing(
    found: _Expected, question: Question, correlation: float
) -> tuple[Spread, dict[str, float]]:
    """Return the spread with what a factor adds; without correlation, what one would do."""
    if not found.variance > 0:
        return Spread(0.0, None, "", (CERTAIN, INDEPENDENT_GIVEN_PDS)), {}
    if correlation:
        variance = found.variance + _moved_by_factor(found, correlation).added
        notes = (ERROR_WITH_FACTOR.format(correlation, 2 * found.se),)
        return Spread(variance, None, f"asset correlation {correlation:g}, ", notes), {}
    moved, level = _moved_by_factor(found, USUAL_CORRELATION), question.level or 0.0
    often = moved.rejected(Confidence(level).z)
    note = IF_CORRELATED.format(USUAL_CORRELATION, often, stated_percent(1 - level))
    more = {"se_if_correlated": 2 * math.sqrt(found.variance + moved.added)}
    return Spread(found.variance, None, "", (note,)), more


@dataclass(frozen=True, slots=True, eq=False)
class _UnderFactor:
    """What a factor does to a test that takes defaults as independent, at equally likely values."""

    # How far the AUC is moved from the promise, its standard error, and that which the test takes.

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


def _moved_by_factor(found: _Expected, correlation: float) -> _UnderFactor:
    """Return what a factor does to the test, read off between some values of it."""
    from scipy.special import ndtri

    cells, rows, shift = pd_groups(found.cells), {}, found.shift
    for factor in FACTOR_STEPS:
        # A factor that leaves no pair of both classes leaves no test either.
        with suppress(ValueError, ZeroDivisionError):
            moved = replace(cells, pd=pds_under(cells.pd, correlation, factor))
            there = promise_of(moved)
            taken = promise_of(cells if shift is None else at_total(cells, moved.total)[0])
            pairs = moved.total * (there.cases - moved.total)
            ses = [math.sqrt(_variance(each, shift)) / pairs for each in (there, taken)]
            rows[factor] = (there.auc - taken.auc, *ses)
    if not rows:
        rows[0.0] = (0.0, found.se, found.se)
    likely = ndtri((np.arange(LIKELY) + 0.5) / LIKELY)
    columns = zip(*rows.values(), strict=True)
    return _UnderFactor(*(np.interp(likely, list(rows), column) for column in columns))


def _variance(promise: Promise, shift: float | None) -> float:
    """Return the variance of the pairs won beyond the promise, stated or matched."""
    return promise.variance if shift is None else promise.variance_given_total


def _untested(question: Question, estimates: dict[str, float], notes: tuple[str, ...]) -> Test:
    """Return what is known where there is nothing to test."""
    return Test(
        name=REALISED_LESS_IMPLIED,
        statistic=math.nan,
        p_value=math.nan,
        method="none",
        level=question.level,
        metric="accuracy_ratio",
        estimates=estimates,
        notes=notes,
    )


def implied_parts(
    before: Ranking,
    after: Ranking,
    *,
    pd: Any = "score",
    calibration: Matching = "matched",
    level: float = 0.95,
) -> dict[str, Interval]:
    """Return how much of a change of the accuracy ratio the portfolio makes, how much the model."""
    # As stated, what PDs promise of given cases has no standard error. Matched, it moves with the
    # number of positives, by the delta method; that is uncorrelated with the difference of realised
    # and implied, from whose g the mean was taken. The samples are independent.
    confidence, calibration = Confidence(level), _as_calibration(calibration)
    if not isinstance(pd, str | Mapping):
        raise TypeError(
            f'pd must be "score", or a mapping of score to PD, got {told(pd)}: an array fits the '
            "scores of one period only"
        )
    several = {
        name: as_ranking(given, "implied_parts").every_score()
        for name, given in {"before": before, "after": after}.items()
    }
    if isinstance(pd, Mapping):
        refuse_unknown_grades(pd, *several.values())
    samples = []
    for name, given in several.items():
        own = pd
        if isinstance(pd, Mapping) and given.levels is not None:
            own = {score: pd[score] for score in given.thresholds.tolist() if score in pd}
        samples.append(pd_sample(given, own, None))
        if samples[-1].one_class:
            raise ValueError(f"there are no {samples[-1].one_class} {name}, so nothing is realised")
    first, second = (_expected(sample, calibration) for sample in samples)
    of_samples = dict.fromkeys(note for sample in samples for note in sample.notes)
    method = f"PDs as {calibration}, delta method"

    def interval(estimate: float, *spreads: float) -> Interval:
        se = 2 * math.hypot(*spreads)
        limits = 2 * estimate - confidence.z * se, 2 * estimate + confidence.z * se
        notes = (GIVEN_CASES, *of_samples, INDEPENDENT_GIVEN_PDS)
        return confidence.interval(2 * estimate, limits, (-2.0, 2.0), method, se, notes)

    portfolio = second.promise.auc - first.promise.auc
    moved = [0.0 if each.shift is None else each.promise.se_by_total for each in (first, second)]
    return {
        "portfolio": interval(portfolio, *moved),
        "model": interval(second.surplus - first.surplus, first.se, second.se),
        "implied_before": interval(first.promise.auc - 1 / 2, moved[0]),
        "implied_after": interval(second.promise.auc - 1 / 2, moved[1]),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """What the PDs, calibrated as asked, promise of a sample, beside what is realised."""

    cells: PdCells
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


def _as_calibration(given: object) -> Matching:
    return cast("Matching", as_name(given, "calibration", CALIBRATIONS, {"as_stated": "stated"}))


def as_correlation(given: float | None, name: str = "correlation") -> float:
    """Return a correlation, none if left out, else raise ValueError."""
    found = 0.0 if given is None else as_number(given, name)
    if not 0 <= found < 1:
        raise ValueError(f"{refused(name)} be at least 0 and below 1, got {found:g}")
    return found


def _expected(sample: PdSample, calibration: Matching) -> _Expected:
    """Return what the PDs promise; the sample has both classes."""
    cells, shift = sample.cells, None
    if calibration == "matched":
        cells, shift = at_total(cells, sample.ranking.n1)
    promise = promise_of(cells)
    pairs = float(sample.ranking.n1) * float(sample.ranking.n0)
    spread = _variance(promise, shift)
    # Where all cases have one score nothing is ranked, and rounding must not look like it.
    least = (IMPLIED_ROUNDING * promise.cases) ** 2 * promise.variance_of_total
    variance = spread / pairs**2 if spread > least else 0.0
    realised = roc_auc(sample.ranking)
    if variance == 0 and abs(realised - promise.auc) < IMPLIED_ROUNDING:
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
