"""Curves of a trial: what treating the top of a score gains, at all and beyond the effect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Trial, UpliftCounts
from capcurve.curves.curve import SHARE_SELECTED, Curve, curve_of, under_ratio
from capcurve.curves.shares import NO_CASES, RunningSums
from capcurve.gate.taking import takes_arms, takes_trials
from capcurve.numbers.exact import refuse_beyond
from capcurve.numbers.types import Array, Floats, FrozenRecord, Ints, freeze

if TYPE_CHECKING:
    from capcurve.counts.trials import TrialRows

NEARER = "give amounts in units that are nearer to 1"


@dataclass(frozen=True, slots=True, eq=False)
class TrialPoints(FrozenRecord):
    """What treating the cases above each cut-off gains, as the uplift curve has it."""

    thresholds: Array  # scores that are cut-offs: from the first with both arms on, shape (K,)
    selected: Ints  # cases above each, 0 first, shape (K + 1,)
    gains: Floats  # gain per case of the list, 0 first, shape (K + 1,)
    n: int  # all cases
    first: int  # better scores of one arm alone, which are joined with the first cut-off
    # For each arm its cases and the sum of their outcomes above each cut-off, shape (K,) each; none
    # of effect scores.
    arms: tuple[tuple[Ints, Array], ...]

    shares: Floats = field(init=False)  # of all cases, 0 first, shape (K + 1,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", self.selected / self.n)
        freeze(self)

    @property
    def beyond(self) -> Floats:
        """Gains beyond those of treating as many at random; 0 at none and at all."""
        return self.gains - self.effect * self.shares

    @property
    def effect(self) -> float:
        """The effect on all cases."""
        return float(self.gains[-1])

    def uplift(self, q: float | None = None) -> float:
        """Return the uplift of the top share q, or of all cases."""
        return self.effect if q is None else float(curve_of_gains(self).at(q)) / q

    def qini(self) -> float:
        """Return the area between the uplift curve and its chord."""
        return float(np.trapezoid(self.beyond, self.shares))

    def auuc(self) -> float:
        """Return the area under the uplift curve."""
        return self.qini() + self.effect / 2

    def autoc(self) -> float:
        """Return the area under the TOC."""
        return under_ratio(self.shares, self.beyond, self.shares)

    def number(self, name: str, q: float | None = None) -> float:
        """Return one of these numbers by its name."""
        return self.uplift(q) if name == "uplift" else getattr(self, name)()


def uplift_points(trial: Trial) -> TrialPoints:
    """Return the points of the uplift curve of a trial, or of effect scores."""
    if not isinstance(trial, UpliftCounts):
        return _of_effects(trial)
    if "points" not in trial.remembered:
        trial.remembered["points"] = points_of_arms(trial.rows())
    found: TrialPoints = trial.remembered["points"]
    return found


def points_of_arms(rows: TrialRows) -> TrialPoints:
    """Return the points of the uplift curve of the rows of both arms."""
    for name, arm in zip(("treated", "control"), rows.arms, strict=True):
        if not len(arm.times):
            raise ValueError(f"no {name} cases: the effect is undefined")
    (n1, r1), (n0, r0) = sums = [(np.cumsum(arm.cases), np.cumsum(arm.totals)) for arm in rows.arms]
    first = int(np.searchsorted(np.minimum(n1, n0), 1))
    n1, r1, n0, r0 = (column[first:] for arm in sums for column in arm)
    selected = n1 + n0
    with np.errstate(over="ignore", invalid="ignore"):
        gains = (selected / selected[-1]) * _effects(n1, r1, n0, r0)
        # Areas and gains beyond the effect are sums of a few of these.
        refuse_beyond(4 * np.nan_to_num(gains, nan=np.inf), "the gain", NEARER)
    both, arms = (np.append(0, selected), np.append(0.0, gains)), ((n1, r1), (n0, r0))
    return TrialPoints(rows.thresholds[first:], *both, int(selected[-1]), first, arms)


def _effects(n1: Ints, r1: Array, n0: Ints, r0: Array) -> Floats:
    """Return differences of two rates, r1/n1 - r0/n0; of whole numbers by one division."""
    if r1.dtype.kind == "f":
        return np.asarray(r1 / n1 - r0 / n0)
    return np.asarray((r1 * n0 - r0 * n1) / (n1 * n0))


def _of_effects(values: Any) -> TrialPoints:
    if values.has_exposure:
        raise ValueError("effect scores are one per case and take no exposure; leave it out")
    sums = values.by_score()
    if not len(sums):
        raise ValueError(NO_CASES)
    gains = np.cumsum(sums.amounts) / values.n
    selected = np.cumsum(sums.rows.astype(np.int64))
    both = (np.append(0, selected), np.append(0.0, gains))
    return TrialPoints(sums.thresholds, *both, int(values.n), 0, ())


@takes_trials
def uplift_curve(trial: Trial) -> Curve:
    """Return the uplift curve: what treating each top share of cases gains, per case of the list.

    G(q) = q·(rate of the treated among the top q - rate of the control cases there), also called
    cumulative gain. One point per distinct score from the first on that both arms reach, straight
    in between, so that no order of tied rows matters; it ends at the effect of treating everybody.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.

    Notes
    -----
    Gutierrez & Gérardy (2016), "Causal inference and uplift modelling", JMLR W&CP 67. scikit-uplift
    draws the same, times the number of cases, on both axes.

    Examples
    --------
    Among the top half 3 of 4 treated buy, and 1 of 4 others.

    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> uplift_curve(trial).y
    array([0.  , 0.25, 0.25])
    """
    return curve_of_gains(uplift_points(trial))


def curve_of_gains(points: TrialPoints) -> Curve:
    """Return the uplift curve through its points."""
    return _curve("uplift", points, points.gains, "gain per case of the list")


def curve_of_profits(points: TrialPoints, value: float, cost: float) -> Curve:
    """Return the profit per case of the list of treating each top share."""
    profits = value * points.gains - cost * points.shares
    refuse_beyond(profits, "the profit", "scale the amounts or the money down")
    return _curve("profit", points, profits, "profit per case of the list")


def _curve(
    name: str, points: TrialPoints, heights: Floats, label: str, over: RunningSums | None = None
) -> Curve:
    """Return a curve along the share of cases, whose heights may be over some share."""
    x, y = RunningSums(points.selected, points.n), RunningSums(heights, 1.0)
    return curve_of(name, points.thresholds, x, y, (SHARE_SELECTED, label), over)


@takes_trials
def toc_curve(trial: Trial) -> Curve:
    """Return the targeting operator characteristic (TOC): the uplift of the top beyond the effect.

    TOC(q) is the uplift among the top q less the effect on all cases: above 0 where the score finds
    those whom the treatment moves more than others, and 0 at q = 1.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`, or of `count_values` on effect scores.

    Notes
    -----
    Yadlowsky, Fleming, Shah, Brunskill & Wager, arXiv 2111.07966.

    Examples
    --------
    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> toc_curve(trial).y
    array([0.25, 0.25, 0.  ])
    """
    points = uplift_points(trial)
    label, over = "uplift of the top less the effect", RunningSums(points.selected, points.n)
    return _curve("toc", points, points.beyond, label, over)


@takes_arms
def qini_curve(trial: UpliftCounts, *, absolute: bool = False) -> Curve:
    """Return Radcliffe's Qini curve: extra outcomes among the treated of each top share of cases.

    The positives of the treated less those of the control cases, scaled to as many cases, along the
    share of cases; over the number of treated cases. Its area is not `qini`, which is that of
    `uplift_curve` above its chord.

    Parameters
    ----------
    trial
        Result of `count_uplift` or `count_uplift_values`.
    absolute
        Leave the extra outcomes as they are, not divided by the number of treated cases.

    Notes
    -----
    Radcliffe (2007), "Using control groups to target on predicted lift".

    Examples
    --------
    Of 4 treated 3 buy where 1 of 4 others does: 2 extra buyers.

    >>> from capcurve import UpliftCounts
    >>> trial = UpliftCounts.from_counts([2, 1], [3, 1], [1, 3], [1, 1], [3, 3])
    >>> qini_curve(trial, absolute=True).y
    array([0., 2., 2.])
    """
    uplift_points(trial)  # which refuses an arm without cases
    rows = trial.rows()
    (n1, r1), (n0, r0) = ((np.cumsum(arm.cases), np.cumsum(arm.totals)) for arm in rows.arms)
    first = int(np.searchsorted(n0, 1))
    n1, r1, n0, r0 = (column[first:] for column in (n1, r1, n0, r0))
    extra = np.append(0.0, n1 * _effects(np.maximum(n1, 1), r1, n0, r0))
    selected, of_all = np.append(0, n1 + n0), 1.0 if absolute else float(n1[-1])
    x, ends = RunningSums(selected, int(selected[-1])), rows.thresholds[first:]
    label = "extra outcomes" if absolute else "extra outcomes per treated case"
    return curve_of("qini", ends, x, RunningSums(extra, of_all), (SHARE_SELECTED, label))
