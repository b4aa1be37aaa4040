"""The accuracy ratio that PDs promise for a portfolio, and whether the realised one keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import numpy as np

from capcurve.counts import JointCounts
from capcurve.counts.arguments import as_name, as_number, as_open_share, told
from capcurve.counts.given import as_counted, takes_counts_or_joint
from capcurve.inference.differences import Question, Spread, difference_test
from capcurve.inference.promises import Cells, at_total, promise_of
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.inference.sizes import require_rows
from capcurve.metrics import accuracy_ratio, roc_auc
from capcurve.view.format import counted

if TYPE_CHECKING:
    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.counts.types import Array, Floats
    from capcurve.inference.promises import Promise

Calibration = Literal["matched", "stated"]
CALIBRATIONS: tuple[Calibration, ...] = ("matched", "stated")
# Below this part of its possible size a difference or a spread is what rounding left.
ROUNDING = 1e-13
INDEPENDENT = (
    "defaults are taken as independent given the PDs: with asset correlations of 5% and 15% a "
    "true level of 5% is 9% and 12%"
)
CLUSTERED = (
    "the rows are clustered, and this test treats them as independent: the p-value is too small"
)
ONE_CLASS = (
    "there are no {}, so nothing is realised to test, and the implied accuracy ratio is that of "
    "the PDs as stated"
)
CERTAIN = "the PDs leave nothing to chance, so there is no spread"
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
    level
        Confidence level of the two-sided limits of the difference.

    Returns
    -------
    Test
        `estimate` is the difference, realised less implied accuracy ratio. `estimates` holds both,
        `highest` (the implied one if the PDs themselves ranked the cases),
        `implied_with_self_pairs` (a case compared with itself counts too: of PDs that rank, their
        Gini over 1 - mean PD), `expected_positives` (the sum of the PDs as stated) and, if
        matched, `shift_of_log_odds`. With one class only there is no test: the p-value is NaN.

    Raises
    ------
    ValueError, TypeError
        For PDs outside [0, 1], PDs that do not fit the scores, weights other than frequencies,
        PDs that no shift makes add up to the positives, and PDs that leave no pair of a positive
        and a negative possible.

    Notes
    -----
    With PDs p, the implied AUC is θ = Σ p_i(1 - p_j)κ_ij / Σ p_i(1 - p_j) over pairs of different
    cases, κ = 1 if i outranks j and 1/2 if they tie; van Klaveren (2016); without the test,
    Tasche (2009), arXiv 0905.3928. D = pairs won - θ·n1·n0 has mean 0 exactly and variance
    Σ p_i q_i g_i² + (2θ - 1)²·Σ_{i<j} p_i q_i p_j q_j, g_i what case i moves; if matched, g is
    taken less its pq-weighted mean, and the second sum left out.

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
    question = Question("two-sided", metric="accuracy_ratio", level=as_open_share(level, "level"))
    calibration = _as_calibration(calibration)
    sample = _sample_of(counts, pd, score)
    if sample.one_class:
        return _without_test(sample, question)
    found = _expected(sample, calibration)
    spread = Spread(found.variance, None, "PDs", _notes(sample, found))
    aucs = {"realised": found.realised, "implied": found.promise.auc}
    difference = found.realised - found.promise.auc
    test = difference_test(
        "realised - implied", aucs, difference, spread, question, f"PDs as {calibration}, normal"
    )
    # Rounded once, as `accuracy_ratio` gives it.
    own = {"realised": accuracy_ratio(sample.ranking)}
    test = replace(test, estimates={**test.estimates, **own, **_further(sample, found)})
    if found.variance == 0 and difference:
        return replace(test, statistic=math.copysign(math.inf, difference), p_value=0.0)
    return test


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

    Parameters
    ----------
    before, after
        What was counted of different cases in two periods.
    pd, score, calibration, level
        As in `implied_accuracy_ratio`; the PDs "score", a mapping of score to PD, or the name of a
        score of joint counts.

    Returns
    -------
    dict
        "portfolio", the change of the implied accuracy ratio, and "model", the change of realised
        less implied, which add up to the change of the accuracy ratio; and both levels of the
        implied one, "implied_before" and "implied_after".

    Raises
    ------
    ValueError, TypeError
        As `implied_accuracy_ratio`, and when a sample lacks a class.

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
    several = []
    for name, given in {"before": before, "after": after}.items():
        sample = _sample_of(as_counted(given, "implied_parts"), pd, score)
        if sample.one_class:
            raise ValueError(f"there are no {sample.one_class} {name}, so nothing is realised")
        several.append(_expected(sample, calibration))
    implied = [2 * found.promise.auc - 1 for found in several]
    realised = [2 * found.realised - 1 for found in several]
    left = [r - i for r, i in zip(realised, implied, strict=True)]
    moved, kept = (
        [2 * getattr(each, name) for each in several] for name in ("se_of_implied", "se")
    )
    method = f"PDs as {calibration}, delta method"

    def interval(estimate: float, se: float) -> Interval:
        low, high = estimate - confidence.z * se, estimate + confidence.z * se
        notes = (INDEPENDENT, GIVEN_CASES)
        return confidence.interval(estimate, (low, high), (-2.0, 2.0), method, se, notes)

    return {
        "portfolio": interval(implied[1] - implied[0], math.hypot(*moved)),
        "model": interval(left[1] - left[0], math.hypot(*kept)),
        "implied_before": interval(implied[0], moved[0]),
        "implied_after": interval(implied[1], moved[1]),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Cases with PDs, in the order of a score, and how they came out."""

    ranking: ScoreCounts
    cells: Cells
    notes: tuple[str, ...]

    @property
    def one_class(self) -> str | None:
        """The class that there are no cases of, or None."""
        sizes = {"positives": self.ranking.n1, "negatives": self.ranking.n0}
        return next((name for name, cases in sizes.items() if not cases), None)


@dataclass(frozen=True, slots=True, eq=False)
class _Expected:
    """What the PDs, calibrated as asked, promise of a sample, beside what is realised."""

    promise: Promise
    realised: float  # AUC
    variance: float  # of the realised AUC if the PDs hold
    shift: float | None  # of the log-odds

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


def _expected(sample: _Sample, calibration: Calibration) -> _Expected:
    """Return what the PDs promise; the sample has both classes."""
    cells, shift = sample.cells, None
    if calibration == "matched":
        cells, shift = at_total(cells, sample.ranking.n1)
    promise = promise_of(cells)
    pairs = float(sample.ranking.n1) * float(sample.ranking.n0)
    spread = promise.variance if shift is None else promise.variance_given_total
    # Where all cases have one score nothing is ranked, and rounding must not look like it.
    least = (ROUNDING * promise.cases) ** 2 * promise.variance_of_total
    variance = spread / pairs**2 if spread > least else 0.0
    realised = roc_auc(sample.ranking)
    if variance == 0 and abs(realised - promise.auc) < ROUNDING:
        realised = promise.auc
    return _Expected(promise, realised, variance, shift)


def _further(sample: _Sample, found: _Expected) -> dict[str, float]:
    """Return what else there is to know of the PDs, by name."""
    promise = found.promise
    more = {
        "highest": 2 * promise.highest - 1,
        "implied_with_self_pairs": 2 * promise.auc_with_self_pairs - 1,
        "expected_positives": sample.cells.total,
    }
    return more if found.shift is None else {**more, "shift_of_log_odds": found.shift}


def _without_test(sample: _Sample, question: Question) -> Test:
    """Return what the PDs promise as stated, where there is nothing to test."""
    promise = promise_of(sample.cells)
    found = _Expected(promise, math.nan, 0.0, None)
    return Test(
        name="realised - implied",
        statistic=math.nan,
        p_value=math.nan,
        method="none",
        level=question.level,
        metric="accuracy_ratio",
        estimates={"implied": 2 * promise.auc - 1, **_further(sample, found)},
        notes=(*sample.notes, ONE_CLASS.format(sample.one_class)),
    )


def _notes(sample: _Sample, found: _Expected) -> tuple[str, ...]:
    spread = () if found.variance > 0 else (CERTAIN,)
    return (*sample.notes, *spread, INDEPENDENT)


# What is given: counts and their PDs


def _sample_of(counts: Ranking | JointCounts, pd: Any, score: str | None) -> _Sample:
    """Return the cases with their PDs, or raise ValueError where they are none."""
    require_rows(counts)
    if not len(counts):
        raise ValueError("there are no cases, so PDs promise nothing")
    if counts.weights is not None:
        raise ValueError(
            f"these cases are weighted by {counts.weights.kind} weights, and the test of PDs "
            'needs whole cases: count them without weights, or with weight_kind="frequency"'
        )
    if isinstance(counts, JointCounts):
        ranking, cells, column = _of_joint(counts, pd, score)
    else:
        if score is not None:
            raise ValueError(f"score={told(score)} is for joint counts; these rank by one score")
        ranking = column = counts.every_score()
        cells = Cells(np.arange(len(ranking)), _pds_of(ranking, pd), _cases(ranking))
    notes = (*_about(ranking), *_about_the_grid(column), *_ruled_out(counts, cells))
    return _Sample(ranking, cells, notes)


def _of_joint(
    joint: JointCounts, pd: Any, score: str | None
) -> tuple[ScoreCounts, Cells, ScoreCounts]:
    """Return the counts of the score that ranks, all cells with their PDs, and those of the PDs."""
    names = ", ".join(map(repr, joint.names))
    for said, given in (("score", score), ("pd", pd)):
        if not isinstance(given, str) or given not in joint.names:
            raise ValueError(
                f"of joint counts name the score that ranks and the one that holds the PDs, "
                f"score= and pd=, out of {names}; got {said}={told(given)}"
            )
    ranking, held = joint.margin(cast("str", score)), joint.margin(pd)
    values = _checked(_numbers_of(held, pd), held.thresholds)
    place = _places(ranking.score, joint.scores[joint.names.index(cast("str", score))])
    return (
        ranking,
        Cells(
            place, values[_places(held.score, joint.scores[joint.names.index(pd)])], _cases(joint)
        ),
        held,
    )


def _places(distinct: Array, values: Array) -> Array:
    """Return the place of each value among distinct ones in any order."""
    order = np.argsort(distinct, kind="stable")
    return cast("Array", order[np.searchsorted(distinct[order], values)])


def _cases(counts: ScoreCounts | JointCounts) -> Floats:
    return counts.positives.astype(np.float64) + counts.negatives.astype(np.float64)


def _pds_of(counts: ScoreCounts, pd: Any) -> Floats:
    """Return one PD per distinct score."""
    if isinstance(pd, str):
        if pd != "score":
            raise ValueError(
                f'pd must be "score", or one PD per distinct score; got {told(pd)}. For PDs from '
                'another column count both: count_joint(y, {"score": s, "pd": p}), with score= '
                "and pd="
            )
        if counts.higher_is != "positive":
            raise ValueError(
                "the scores are no PDs: a higher one is less likely positive; pass one PD per "
                "distinct score with pd="
            )
        return _checked(_numbers_of(counts, pd), counts.thresholds)
    names = counts.thresholds.tolist()
    if isinstance(pd, Mapping):
        lacking = [name for name in names if name not in pd]
        if lacking:
            raise ValueError(
                f"pd has no PD for score {told(lacking[0])}"
                + (f" and {len(lacking) - 1} others" if len(lacking) > 1 else "")
            )
        pd = [pd[name] for name in names]
    found = _as_floats(pd)
    if found.shape != (len(names),):
        raise ValueError(
            f"pd must hold one PD per distinct score, {len(names)} in the order of "
            f"counts.thresholds; got {told(pd) if found.ndim != 1 else len(found)}"
        )
    return _checked(found, names)


def _numbers_of(counts: ScoreCounts, name: object) -> Floats:
    """Return distinct scores as numbers."""
    if counts.levels is not None or counts.thresholds.dtype.kind not in "iuf":
        found = told(counts.thresholds.tolist()[0]) if len(counts) else "none"
        raise ValueError(
            f"pd={told(name)}: these scores are no numbers, as PDs are, but {found}; pass one PD "
            "per distinct score with pd="
        )
    return counts.thresholds.astype(np.float64)


def _as_floats(pd: Any) -> Floats:
    """Return what is given as floats; words and truth values are none."""
    try:
        found = np.asarray(pd)
        if found.dtype.kind in "iuf":
            return found.astype(np.float64)
        if found.dtype.kind == "O" and found.ndim == 1:
            return np.array([as_number(each, "a PD") for each in found], dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"pd must hold numbers in [0, 1], one per distinct score; got {told(pd)}")


def _checked(pds: Floats, scores: Any) -> Floats:
    """Return PDs that all lie in [0, 1], else raise ValueError."""
    wrong = np.flatnonzero(~((pds >= 0) & (pds <= 1)))
    if len(wrong):
        _refuse(float(pds[wrong[0]]), list(scores)[wrong[0]], len(wrong))
    return pds


def _refuse(found: float, score: object, wrong: int) -> NoReturn:
    more = f", as are {counted(wrong - 1, 'other')}" if wrong > 1 else ""
    raise ValueError(
        f"a PD lies in [0, 1], and that of score {told(score)} is {found:g}, outside{more}: name "
        "the column or pass the values that hold the PDs with pd="
    )


def _about(counts: ScoreCounts) -> tuple[str, ...]:
    return () if counts.groups is None else (CLUSTERED,)


def _about_the_grid(pds: ScoreCounts) -> tuple[str, ...]:
    if pds.resolution is None:
        return ()
    return (f"scores were rounded down to a grid of {pds.resolution:g}, and so were the PDs",)


def _ruled_out(counts: Any, cells: Cells) -> tuple[str, ...]:
    """Say how many cases came out as their PD of 0 or 1 does not allow."""
    held = counts if isinstance(counts, JointCounts) else counts.every_score()
    positives, negatives = held.positives[cells.pd == 0].sum(), held.negatives[cells.pd == 1].sum()
    wrong = {"0 came out positive": int(positives), "1 came out negative": int(negatives)}
    return tuple(
        f"{counted(cases, 'case')} with a PD of {how}, which such a PD rules out"
        for how, cases in wrong.items()
        if cases
    )
