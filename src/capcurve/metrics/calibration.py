"""How far PDs are from outcomes: mean scores, their decomposition, levels and net benefit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts.times import taken_by
from capcurve.curves.shares import require, sample_rate
from capcurve.gate.pds import counts_by_pd, pds_of
from capcurve.gate.taking import takes_counts_or_joint
from capcurve.metrics.registry import Metric
from capcurve.numbers.arguments import as_number, as_word, refused, told, word
from capcurve.numbers.meeting import rounded_to

if TYPE_CHECKING:
    from capcurve.counts import JointCounts, Ranking, ScoreCounts
    from capcurve.numbers.types import Array, Bools, Floats

MeanScore = Literal["brier", "log"]
Versus = Literal["none", "all"]


@takes_counts_or_joint
def brier_score(counts: Ranking | JointCounts, *, pd: Any = "score") -> float:
    """Return the Brier score: the mean squared distance of PDs from outcomes; 0 is perfect.

    Raises `ValueError` without cases, and for PDs outside [0, 1] or that fit no score.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`; or of `count_joint`.
    pd
        As in `implied_accuracy_ratio`: "score", one PD per distinct score as an array or a
        mapping, of joint counts the name of the score that holds the PDs, or with columns the
        column of the PDs.

    Examples
    --------
    (0.2² + 0.5²)/2:

    >>> from capcurve import count_scores
    >>> round(brier_score(count_scores([1, 0], [0.8, 0.5])), 12)
    0.145
    """
    return _mean_loss(cases_by_pd(counts, pd), "brier")


@takes_counts_or_joint
def log_loss(counts: Ranking | JointCounts, *, pd: Any = "score") -> float:
    """Return the log loss: the mean of -ln of the probability that PDs gave to what happened.

    Infinite where a PD of 0 came out positive, or one of 1 negative: nothing is clipped. Raises
    `ValueError` as `brier_score`.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.

    Examples
    --------
    -(ln 0.8 + ln 0.5)/2:

    >>> from capcurve import count_scores
    >>> round(log_loss(count_scores([1, 0], [0.8, 0.5])), 6)
    0.458145
    """
    return _mean_loss(cases_by_pd(counts, pd), "log")


@takes_counts_or_joint
def observed_to_expected(counts: Ranking | JointCounts, *, pd: Any = "score") -> float:
    """Return the positives that there are over those that the PDs add up to; above 1, too low.

    Raises `ValueError` as `brier_score`, and where all PDs are 0.

    Parameters
    ----------
    counts, pd
        As in `brier_score`. At a horizon (`TimeCounts.at`) the PDs are those of the event by then.

    Notes
    -----
    At a horizon the rate is the incidence by then (Kaplan & Meier, with competing events Aalen &
    Johansen), over the mean PD of all rows, whether censored or not: Crowson, Atkinson & Therneau
    (2016), Stat. Methods Med. Res. 25; McLernon et al. (2023), Ann. Intern. Med. 176.

    Examples
    --------
    One positive where 0.5 + 0.3 were expected:

    >>> from capcurve import count_scores
    >>> round(observed_to_expected(count_scores([1, 0], [0.5, 0.3])), 12)
    1.25
    """
    taken = taken_by(counts)
    if taken and taken[2] == "excluded" and taken[0].ended(taken[1])["competing"]:
        raise ValueError(
            f"PDs are of all rows, and {word(competing='excluded')} leaves out those with a "
            f"competing event; count these as negatives: {word(competing='negative')}"
        )
    cells = cases_by_pd(counts, pd)
    expected = mean_pd(cells)
    if not expected > 0:
        raise ValueError("all PDs are 0, so no positives are expected and there is no ratio")
    return sample_rate(cells) / expected


def mean_pd(cells: ScoreCounts) -> float:
    """Return the mean PD of all cases, at a horizon also of those that were censored before."""
    if (times := cells.times) is not None:
        rows: int = times.n
        return float(times.score.astype(np.float64) @ times.cases.astype(np.float64)) / rows
    return float((sum(shares_of_all(cells)) * pds(cells)).sum())


@dataclass(frozen=True, slots=True)
class ScoreDecomposition:
    """A mean score in its parts: mean_score = miscalibration - discrimination + uncertainty.

    Attributes
    ----------
    score
        "brier" or "log".
    mean_score
        The Brier score or the log loss.
    miscalibration
        By how much it would fall if the PDs were recalibrated in their order; 0 or more.
    discrimination
        By how much recalibrated PDs beat one PD for all; 0 or more.
    uncertainty
        The score of one PD for all, the share of positives.
    skill
        1 - mean_score/uncertainty: the share of the uncertainty that the PDs take away; None where
        all cases are of one class.
    """

    score: MeanScore
    mean_score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    skill: float | None


@takes_counts_or_joint
def score_decomposition(
    counts: Ranking | JointCounts, *, score: MeanScore = "brier", pd: Any = "score"
) -> ScoreDecomposition:
    """Split a mean score of PDs into miscalibration, discrimination and uncertainty.

    Raises `ValueError` as `brier_score`.

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    score
        "brier" or "log".

    Notes
    -----
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118: PDs are recalibrated by pooling adjacent
    violators; these rates are π times the slopes of the concave majorant of the CAP.

    Examples
    --------
    PDs of 0.5 and 0.5 against rates of 1 and 0 of pooled PDs 0.8 and 0.4:

    >>> from capcurve import count_scores
    >>> found = score_decomposition(count_scores([1, 0], [0.8, 0.4]))
    >>> round(found.miscalibration, 12), found.discrimination, found.uncertainty
    (0.1, 0.25, 0.25)
    """
    kind = as_word(score, "score", get_args(MeanScore), either=True)
    cells = cases_by_pd(counts, pd)
    mean = _mean_loss(cells, kind)
    pooled = _mean_loss(cells, kind, recalibrated(cells))
    base = _mean_loss(cells, kind, np.full(len(cells), sample_rate(cells)))
    return ScoreDecomposition(
        score=kind,
        mean_score=mean,
        miscalibration=max(mean - pooled, 0.0),
        discrimination=max(base - pooled, 0.0),
        uncertainty=base,
        skill=1 - mean / base if base > 0 else None,
    )


@takes_counts_or_joint
def net_benefit(
    counts: Ranking | JointCounts,
    threshold: float,
    *,
    pd: Any = "score",
    versus: Versus = "none",
    standardized: bool = False,
    prevalence: float | None = None,
) -> float:
    """Return the net benefit of acting at PDs from a threshold on, in positives per case.

    Whoever acts at a PD of 20% takes four false alarms for one positive: TP/n - w·FP/n with
    w = t/(1 - t).

    Parameters
    ----------
    counts, pd
        As in `brier_score`.
    threshold
        The lowest PD at which one acts, in [0, 1).
    versus
        "none": beyond acting on nobody; "all": beyond acting on everybody.
    standardized
        Over the share of positives: 1 is the best that there can be.
    prevalence
        Re-weight the classes to a population in which this share is positive.

    Raises
    ------
    ValueError
        As `brier_score`, for a threshold outside [0, 1), and where a class is missing that
        `standardized` or `prevalence` need.

    Notes
    -----
    Vickers & Elkin (2006), Medical Decision Making 26; standardized: Kerr et al. (2016), J.
    Clinical Oncology 34.

    Examples
    --------
    At 0.5 one positive and one negative of four are acted on: 1/4 - 1/4.

    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [0.9, 0.6, 0.3, 0.1])
    >>> net_benefit(counts, 0.5), net_benefit(counts, 0.2)
    (0.0, 0.4375)
    """
    as_word(versus, "versus", get_args(Versus), either=True)
    cells, cut = cases_by_pd(counts, pd), as_threshold(threshold)
    if standardized or prevalence is not None:
        require(cells, *(("positives", "negatives") if prevalence is not None else ("positives",)))
    rate = sample_rate(cells, prevalence)
    acted = are_acted_on(cells, cut)
    chosen = acted if versus == "none" else ~acted
    rates = [float(each[chosen].sum()) for each in shares_of_all(cells)]
    if prevalence is not None:
        of1, of0 = cells.positives / cells.n1, cells.negatives / cells.n0
        rates = [rate * float(of1[chosen].sum()), (1 - rate) * float(of0[chosen].sum())]
    odds = cut / (1 - cut)
    found = rates[0] - odds * rates[1] if versus == "none" else odds * rates[1] - rates[0]
    return found / rate if standardized else found


def as_threshold(threshold: Any) -> float:
    """Return a threshold of PDs, in [0, 1), else raise ValueError."""
    found = as_number(threshold, "threshold")
    if not 0 <= found < 1:
        raise ValueError(
            f"{refused('threshold')} be a PD, at least 0 and below 1, got {told(threshold)}"
        )
    return found


def are_acted_on(cells: ScoreCounts, threshold: Any) -> Bools:
    """Return which PDs reach a threshold, which is rounded to their type."""
    return np.asarray(pds(cells) >= rounded_to(threshold, cells.thresholds.dtype))


def cases_by_pd(counts: Ranking | JointCounts, pd: Any) -> ScoreCounts:
    """Return the cases by PD; there must be some."""
    cells = counts_by_pd(counts, pd)
    require(cells)
    return cells


def pds(cells: ScoreCounts) -> Floats:
    """Return the PDs of counts by PD, the highest first; what is none is refused."""
    return pds_of(cells, "score")


def shares_of_all(cells: ScoreCounts) -> tuple[Floats, Floats]:
    """Return the positives and the negatives at each PD, over all cases."""
    largest = float(max(cells.n1, cells.n0))
    columns = [column / largest for column in (cells.positives, cells.negatives)]
    whole = float(sum(column.sum() for column in columns))
    return columns[0] / whole, columns[1] / whole


def recalibrated(cells: ScoreCounts) -> Floats:
    """Return the rates that do not fall as PDs rise and are nearest to those that there are."""
    from scipy.optimize import isotonic_regression

    of1, of0 = shares_of_all(cells)
    weight = of1 + of0
    found = isotonic_regression(of1 / weight, weights=weight, increasing=False).x
    return np.asarray(np.clip(found, 0.0, 1.0))


def _losses(p: Floats, kind: MeanScore) -> tuple[Floats, Floats]:
    """Return what a positive and a negative add at each PD."""
    if kind == "brier":
        return (1 - p) ** 2, p**2
    with np.errstate(divide="ignore"):
        return -np.log(p), -np.log1p(-p)


def _mean_loss(cells: ScoreCounts, kind: MeanScore, p: Floats | None = None) -> float:
    """Return the mean over all cases; what no case has counts for nothing, also if infinite."""
    losses = _losses(pds(cells) if p is None else p, kind)
    sides = zip(shares_of_all(cells), losses, strict=True)
    return sum(float((share[share > 0] * loss[share > 0]).sum()) for share, loss in sides)


def loss_influences(cells: ScoreCounts, *, kind: MeanScore) -> tuple[Floats, Floats]:
    """Return how far each positive and each negative moves the mean loss, over its class."""
    losses, mean, rate = _losses(pds(cells), kind), _mean_loss(cells, kind), sample_rate(cells)
    if not math.isfinite(mean):
        raise ValueError(
            "a PD of 0 came out positive or one of 1 negative, so the log loss is infinite and has "
            "no standard error"
        )

    def moved(column: Array, share: float, loss: Floats) -> Floats:
        return np.where(column > 0, share * (np.where(column > 0, loss, 0.0) - mean), 0.0)

    return moved(cells.positives, rate, losses[0]), moved(cells.negatives, 1 - rate, losses[1])


CALIBRATION_METRICS = (
    Metric(
        function=brier_score,
        label="Brier score",
        short="Brier",
        form="fine",
        worthless=None,
        perfect=0.0,
        influence=partial(loss_influences, kind="brier"),
        moved_by_prevalence=True,
        of_pds=True,
        requires=(),
    ),
    Metric(
        function=log_loss,
        label="log loss",
        aliases=("log_score",),
        form="fine",
        ends=(0.0, math.inf),
        worthless=None,
        perfect=0.0,
        influence=partial(loss_influences, kind="log"),
        moved_by_prevalence=True,
        of_pds=True,
        requires=(),
    ),
    Metric(
        function=observed_to_expected,
        label="observed to expected",
        short="O/E",
        aliases=("oe", "o_e"),
        form="lift",
        ends=(0.0, math.inf),
        worthless=None,
        perfect=1.0,
        of_pds=True,
        requires=(),
    ),
    Metric(
        function=net_benefit,
        label="net benefit",
        form="fine",
        needs=("threshold",),
        compared_at="threshold",
        ends=(-math.inf, 1.0),
        of_pds=True,
        requires=(),
    ),
)
