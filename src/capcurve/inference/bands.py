"""Bands: how far a CAP or ROC, a difference, or a CAP without information could lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import JointCounts, Ranking, ScoreCounts
from capcurve.counts.table import place_of
from capcurve.curves import cap_curve, roc_curve
from capcurve.curves.shares import bin_ends, require
from capcurve.curves.simplify import group_ends
from capcurve.gate.given import as_joint_classes, as_ranking
from capcurve.gate.taking import SEVERAL, about_classes, taking_columns
from capcurve.inference import designs
from capcurve.inference.curve_band import Band, BandKind, check_kind
from capcurve.inference.designs import ClassSizes, LeftOut, OfSamples, Resampling, Seed
from capcurve.inference.discrimination import smirnov_reach
from capcurve.inference.rates import both_limits
from capcurve.inference.records import Confidence
from capcurve.inference.samples import caps, reachable
from capcurve.numbers.arguments import as_open_share, as_whole
from capcurve.numbers.order import LARGEST_TOTAL, places_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.numbers.types import Floats, Places

# Shares of cases at which a difference is looked at. A CAP of few positives rises, and one of few
# negatives ends, within the first and the last hundredth, so its band has shares there too.
BAND_SHARES = np.linspace(0, 1, 101)
OUTERMOST_SHARES = np.geomspace(1e-4, 5e-3, 7)
CAP_Q = np.unique(np.concatenate([BAND_SHARES, OUTERMOST_SHARES, 1 - OUTERMOST_SHARES]))
# More distinct scores than these are grouped before they are resampled: at most this many
# groups of equal size, finer than a line is thick.
MOST_BAND_CELLS = 1000
GROUPED = "the scores were grouped into {} bins of equal size before resampling"
# Cases that are drawn several times make the difference of two resampled CAPs more jagged than
# that of two samples; few groups smooth this away. Simulated: at 30 positives and AUC .8 against
# .7 power falls from 42% to 35% without them; where the top hundredth holds most positives, a band
# around the curve of all scores in place of the smoothed one leaves zero by chance in 11%.
GROUPS_OF_PAIRS = 25
# A band is nowhere narrower than this part of where it is widest: near 0 and 1 resampling shows
# less spread than there is, at the very ends none. A difference has no other guard there, so its
# band is equally wide everywhere, and so is that of a ROC.
LEAST_WIDTH, EQUALLY_WIDE = 0.7, 1.0
# The limits of the prevalence, from which follows what a CAP can reach at all, may miss by this
# part of what the band may.
PART_OF_MISSES = 0.1
LEAST_REPLICATES = 100
# Rates nearer than this are the same: a vertical limit has one false positive rate.
RATE_DECIMALS = 12
POINTWISE = "pointwise, so the true curve leaves such a band somewhere more often than stated"
BAND_OF_WEIGHTS = (
    "rows are weighted. Where few rows carry much of the weight, or cases that weigh much were not "
    "seen, the true curve leaves the band more often than stated"
)
RANDOM_POINTS = 400
BAND_OF_CLUSTERS = (
    "the rows are clustered, and this band treats them as independent, so a random score that "
    "follows clusters leaves it more often than stated"
)
TIED = "scores are tied, and a random score with such ties leaves the band even less often"
RANDOM_POINTWISE = (
    "pointwise, so a random score leaves such a band somewhere far more often than stated"
)
# Of more cases the hypergeometric law is the binomial one for a class of which there is one in
# a hundred at most, and else the normal one, to less than a pixel.
MOST_EXACT_CASES = 1_000_000
RARE = 100
# What memory and patience hold.
MOST_BAND_CASES = 10**9
MOST_CURVES = 10_000


@about_classes("confidence_interval")
def cap_band(
    counts: ScoreCounts,
    *,
    kind: BandKind = "simultaneous",
    level: float = 0.95,
    replicates: int = 2000,
    seed: Seed = None,
) -> Band:
    """Return the confidence band of a CAP: how far it could lie elsewhere by chance.

    Around the CAP, from 0 at none of the cases to 1 at all of them.

    Parameters
    ----------
    counts
        Result of `count_scores`, or `evaluate(...).counts[name]`.
    kind
        "simultaneous": the true CAP lies inside as a whole with about this frequency;
        "pointwise": at each share of cases taken by itself.
    level
        Confidence level of the band.
    replicates
        Bootstrap samples; at least 100, and 1/(1 - level).
    seed
        Anything `numpy.random.default_rng` takes.

    Raises
    ------
    ValueError
        With fewer than two positives, no negatives, too few replicates for the level, or
        weights of unknown kind.

    Notes
    -----
    Bootstrap: one multiple of max(standard error, 0.7 of the largest one), such that the largest
    distance between resampled CAPs and this one stays below it at the stated level, times
    Student's over the normal quantile. Never within the Clopper-Pearson limits of as many
    positives, as no resampling shows what no case showed. Unstratified: the number of positives is
    left to chance too. With clusters the covariance is that of leaving out groups of them, drawn
    as multivariate t.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 30, 10], [20, 60, 90])
    >>> band = cap_band(counts, seed=1)
    >>> bool(((band.low <= band.estimate) & (band.estimate <= band.high)).all())
    True
    """
    level = _check(kind, level, replicates)
    _require_positives(counts)
    estimate = np.asarray(cap_curve(counts).at(CAP_Q))
    moved = _moved(counts, partial(caps, q=CAP_Q), replicates, seed)
    limits = moved.around(estimate, kind, level)
    if counts.groups is None:
        hits, sure = estimate * moved.cases, Confidence(level)
        unseen = both_limits(hits, moved.cases, "clopper_pearson", sure)
        limits = np.minimum(limits[0], unseen[0]), np.maximum(limits[1], unseen[1])
    least, most = _possible(CAP_Q, counts, moved.cases, level)
    # A CAP never falls, so a limit at one share holds at all deeper, or less deep, ones.
    low = np.maximum.accumulate(np.maximum(limits[0], least))
    high = np.minimum.accumulate(np.minimum(limits[1], most)[::-1])[::-1]
    notes = _notes(counts, kind, moved)
    return Band("cap", kind, CAP_Q, low, estimate, high, level, moved.method, notes)


def _notes(
    counts: ScoreCounts | JointCounts, kind: BandKind, moved: _MovedCurve
) -> tuple[str, ...]:
    """Return what a reader of a band must know."""
    weighted = counts.weights is not None and counts.times is None
    pointwise = (POINTWISE,) if kind == "pointwise" else ()
    return (*pointwise, *((BAND_OF_WEIGHTS,) if weighted else ()), *moved.notes)


def _moved(
    counts: ScoreCounts, curve: OfSamples, replicates: int, seed: Seed, *, balanced: bool = False
) -> _MovedCurve:
    """Return how far chance moves the curve of samples; balanced, it takes both classes alike."""
    # Alike, each class keeps its size, and the band is equally wide everywhere.
    part = EQUALLY_WIDE if balanced else LEAST_WIDTH
    if counts.groups is not None:
        return _without_groups(designs.leave_out(counts, curve), replicates, seed, part)
    grouped = len(counts) > MOST_BAND_CELLS
    few = counts.joined(bin_ends(counts, MOST_BAND_CELLS)) if grouped else counts
    curves = Resampling(few, replicates, seed).draw(curve, stratified=balanced)
    scale, sizes = designs.unit(few), designs.effective_sizes(few)
    seen = curve(few.positives[None, :] / scale, few.negatives[None, :] / scale)[0]
    moved = _of_curves(curves, seen, sizes.rarer if balanced else sizes.positives, part)
    return replace(moved, notes=(GROUPED.format(len(few)),) if grouped else ())


@about_classes("confidence_interval")
def roc_band(
    counts: ScoreCounts,
    *,
    kind: BandKind = "simultaneous",
    level: float = 0.95,
    replicates: int = 2000,
    seed: Seed = None,
) -> Band:
    """Return the confidence band of a ROC: how far it could lie elsewhere by chance.

    Around the true positive rate at each false positive rate, from 0 to 1; where the ROC or a limit
    is vertical, the band holds all of it.

    Parameters
    ----------
    counts, level, replicates, seed
        As in `cap_band`.
    kind
        "simultaneous": the true ROC lies inside as a whole with about this frequency;
        "pointwise": each of its points taken by itself.

    Raises
    ------
    ValueError
        With fewer than two positives or two negatives, too few replicates for the level, or
        weights of unknown kind.

    Notes
    -----
    Both rates are uncertain, so distances are measured along lines of equal TPR + FPR, on which a
    ROC has one point however steep it is. Bootstrap within each class: a band of fixed width such
    that the largest distance between resampled ROCs and this one stays below it at the stated
    level, times Student's over the normal quantile, and half a case more. Never within the
    Clopper-Pearson limits of both rates together. With clusters as in `cap_band`. Campbell (1994),
    "Advances in statistical methodology for the evaluation of diagnostic and laboratory tests",
    Statistics in Medicine 13; Macskassy, Provost & Rosset (2005), "ROC confidence bands: an
    empirical evaluation", ICML.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> counts = ScoreCounts.from_counts([3, 2, 1], [40, 30, 10], [20, 60, 90])
    >>> band = roc_band(counts, seed=1)
    >>> bool(((band.low <= band.estimate) & (band.estimate <= band.high)).all())
    True
    """
    level = _check(kind, level, replicates)
    designs.require_two(counts, "a band around a ROC")
    if counts.groups is not None and designs.groups_per_class(counts).rarer < designs.LEAST_GROUPS:
        raise ValueError("a band of clustered rows needs each class in at least two groups")
    # The true positive rate where both rates have the mean q: a CAP at equal class weights.
    tpr = np.asarray(cap_curve(counts, prevalence=0.5).at(CAP_Q))
    moved = _moved(counts, partial(_balanced_caps, q=CAP_Q), replicates, seed, balanced=True)
    low, high = moved.around(tpr, kind, level)
    if counts.groups is None:
        sizes = designs.effective_sizes(counts)
        down, up = _least_reach(CAP_Q, tpr, sizes, level)
        half_a_case = (1 / sizes.positives + 1 / sizes.negatives) / 4
        low = np.minimum(low - half_a_case, tpr - down)
        high = np.maximum(high + half_a_case, tpr + up)
    q, low, high = _along_fpr(CAP_Q, low, high)
    estimate = np.clip(roc_curve(counts).at(q), low, high)
    notes = _notes(counts, kind, moved)
    return Band("roc", kind, q, low, estimate, high, level, moved.method, notes)


def _balanced_caps(p: Floats, n: Floats, q: Floats) -> Floats:
    """Return the CAP of each sample with both classes of equal weight."""
    return caps(p / p.sum(axis=1, keepdims=True), n / n.sum(axis=1, keepdims=True), q)


def _least_reach(q: Floats, tpr: Floats, sizes: ClassSizes, level: float) -> tuple[Floats, Floats]:
    """Return how far below and above the curve the exact limits of both rates together lie."""
    rates = np.clip([tpr, 2 * q - tpr], 0, 1)
    cases = np.array([[sizes.positives], [sizes.negatives]])
    low, high = both_limits(rates * cases, cases, "clopper_pearson", Confidence(level))
    one, other = rates - low, high - rates  # a higher ROC has more positives or fewer negatives
    down = np.hypot(one[0], other[1]) / 2
    up = np.hypot(other[0], one[1]) / 2
    # Where all or none of a class is selected the ROC runs along the axis, and only that counts.
    first, last = rates <= designs.SPREAD_ROUNDING, rates >= 1 - designs.SPREAD_ROUNDING
    down = np.maximum(down, np.maximum(last[0] * one[0], first[1] * other[1]))
    up = np.maximum(up, np.maximum(first[0] * other[0], last[1] * one[1]))
    return down, up


def _along_fpr(q: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return false positive rates and the limits there, of limits by the mean of both rates."""
    least, most = reachable(q, 0.5)
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    # Neither rate falls along a ROC, so a limit at one place also binds those before or after it.
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    right = np.minimum.accumulate((2 * q - low)[::-1])[::-1].round(RATE_DECIMALS)
    left = np.maximum.accumulate(2 * q - high).round(RATE_DECIMALS)
    fpr = np.unique(np.concatenate([right, left, q]))
    lowest = _at(fpr, right, 2 * q - right, "left")
    highest = _at(fpr, left, 2 * q - left, "right")
    return fpr, np.clip(lowest, 0, 1), np.clip(highest, 0, 1)


def _at(x: Floats, xs: Floats, ys: Floats, side: Literal["left", "right"]) -> Floats:
    """Return the height at x of a rising line: where it is vertical, of its lower or upper end."""
    place = np.searchsorted(xs, x, side) - (side == "right")
    return np.where(xs[place] == x, ys[place], np.interp(x, xs, ys))


def _check(kind: object, level: float, replicates: int) -> float:
    """Return the level as a plain number."""
    check_kind(kind)
    level = as_open_share(level, "level")
    least = max(LEAST_REPLICATES, round(1 / (1 - level)))
    if as_whole(replicates, "replicates", 1, designs.MOST_REPLICATES) < least:
        raise ValueError(
            f"a band at level {level:g} needs at least {least:,} replicates, got {replicates:,}"
        )
    return level


def _require_positives(counts: ScoreCounts) -> None:
    require(counts, "positives", "negatives")
    if designs.rows_per_class(counts)[0] < designs.LEAST_FOR_A_VARIANCE:
        raise ValueError("a band around a CAP needs at least two positives, and there is one")
    held = designs.groups_per_class(counts).positives
    if counts.groups is not None and held < designs.LEAST_GROUPS:
        raise ValueError("a band of clustered rows needs positives in at least two groups")


@dataclass(frozen=True, slots=True, eq=False)
class _MovedCurve:
    """How far chance moves a whole curve, and how that was found."""

    middle: Floats  # the curve that is seen in as fine groups as others were drawn in, shape (m,)
    away: Floats  # curves of other samples less that one, shape (replicates, m)
    spread: Floats  # its standard error, shape (m,)
    cases: float  # positives, as if equally weighted, or groups of clusters that hold them
    wider: bool  # whether `away` is normal, to be widened to Student's t
    method: str
    part: float  # of its largest spread that is the least at any share
    notes: tuple[str, ...] = ()

    def around(self, estimate: Floats, kind: BandKind, level: float) -> tuple[Floats, Floats]:
        """Return the limits at each share of cases; the estimate lies inside."""
        confidence = Confidence(level)
        student = confidence.t(max(self.cases - 1, 1.0))
        reach = student * self.spread
        if kind == "simultaneous":
            reach = self._whole(level) * (student / confidence.z if self.wider else 1.0)
        low, high = self.middle - reach, self.middle + reach
        return np.minimum(low, estimate), np.maximum(high, estimate)

    def _whole(self, level: float) -> Floats:
        """Return how far from this curve others stay as a whole, as often as the level says."""
        floor: Floats = np.maximum(self.spread, self.part * self.spread.max())
        if not floor.any():
            return floor
        furthest = np.abs(self.away / floor).max(axis=1)
        # The (r + 1)·level-th of r: one more sample lies within it with that chance.
        return np.asarray(floor * np.quantile(furthest, level, method="weibull"))


def _of_curves(curves: Floats, seen: Floats, cases: float, part: float) -> _MovedCurve:
    """Return how far resampled curves, shape (replicates, m), lie from the one seen."""
    known = curves[~np.isnan(curves).any(axis=1)]
    method = f"bootstrap, {len(curves)} samples"
    return _MovedCurve(seen, known - seen, known.std(axis=0, ddof=1), cases, True, method, part)


def _without_groups(left: LeftOut, replicates: int, seed: Seed, part: float) -> _MovedCurve:
    """Return what leaving out groups of clusters does to a whole curve."""
    # Other samples are multivariate t with the jackknife covariance, one normal number per group.
    moved, scale = left.moves[0], np.sqrt(left.masses[0])
    rng, freedom = np.random.default_rng(seed), max(left.sizes.positives - 1, 1.0)
    drawn = rng.normal(size=(replicates, moved.shape[1])) @ moved.T * scale
    drawn /= np.sqrt(rng.chisquare(freedom, (replicates, 1)) / freedom)
    spread, method = np.sqrt(left.variances()), f"{left.method}, t({freedom:g})"
    cases, notes = left.sizes.positives, left.few()
    return _MovedCurve(left.values, drawn, spread, cases, False, method, part, notes)


def _possible(q: Floats, counts: ScoreCounts, cases: float, level: float) -> tuple[Floats, Floats]:
    """Return what any CAP can be under the lowest prevalence that so many positives allow."""
    # That is the lower limit of a Poisson mean, Garwood (1936), Biometrika 28.
    from scipy.special import gammaincinv

    tail = PART_OF_MISSES * (1 - level)
    lowest = float(counts.n1 / counts.n) * float(gammaincinv(cases, tail)) / cases
    return reachable(q, lowest)


@taking_columns(partial(as_joint_classes, instead="compare"), SEVERAL)
def difference_band(
    joint: JointCounts,
    scores: Sequence[str] | None = None,
    *,
    kind: BandKind = "simultaneous",
    level: float = 0.95,
    replicates: int = 1000,
    seed: Seed = None,
) -> Band:
    """Return the confidence band of the difference between the CAPs of two scores.

    Parameters
    ----------
    joint
        The scores, counted on the same rows.
    scores
        The first and the second; the first two of `joint` when left out.
    kind, level, replicates, seed
        As in `cap_band`.

    Returns
    -------
    Band
        Around the first CAP less the second; where `low` is above 0 the first captures more.
        Simultaneous: of two equally good scores it leaves zero anywhere in at most 1 - level of
        samples.

    Raises
    ------
    ValueError
        When there are not two such scores, with fewer than two positives, no negatives or too
        few replicates for the level, or for weights of unknown kind.

    Notes
    -----
    As in `cap_band`, but equally wide at all shares up to what two CAPs can differ by. The
    resampled scores are in 25 groups, and so is the middle of the band.

    Examples
    --------
    >>> from capcurve import count_joint
    >>> joint = count_joint([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})
    >>> band = difference_band(joint, seed=1)
    >>> float(band.estimate[50])
    0.0
    """
    first, second = _two_names(joint, scores)
    level = _check(kind, level, replicates)
    margins = [joint.margin(name) for name in (first, second)]
    _require_positives(margins[0])
    one, other = (np.asarray(cap_curve(margin).at(BAND_SHARES)) for margin in margins)
    estimate = one - other
    if joint.groups is not None:
        left, rest = (designs.leave_out(each, partial(caps, q=BAND_SHARES)) for each in margins)
        values, moves = left.values - rest.values, left.moves[0] - rest.moves[0]
        left = replace(left, values=values, moves=(moves,))
        moved = _without_groups(left, replicates, seed, EQUALLY_WIDE)
    else:
        moved = _resampled_differences(joint, margins, (first, second), replicates, seed)
    low, high = moved.around(estimate, kind, level)
    least, most = _possible(BAND_SHARES, margins[0], moved.cases, level)
    low, high = np.maximum(low, least - most), np.minimum(high, most - least)
    name, notes = f"{first} less {second}", _notes(joint, kind, moved)
    return Band(name, kind, BAND_SHARES, low, estimate, high, level, moved.method, notes)


def _two_names(joint: JointCounts, scores: Sequence[str] | None) -> tuple[str, str]:
    names = tuple(joint.names[:2]) if scores is None else tuple(scores)
    if len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004 - a pair
        raise ValueError(f"a difference is between two scores, got {list(names)}")
    for name in names:
        place_of(joint.names, name)
    return names[0], names[1]


def _resampled_differences(
    joint: JointCounts,
    margins: Sequence[ScoreCounts],
    names: tuple[str, str],
    replicates: int,
    seed: Seed,
) -> _MovedCurve:
    """Resample rows, and take the CAPs of both scores, in few groups, on the same ones."""
    # By classes: groups of equal size would hide most of a CAP of rare positives.
    of_names = zip(names, margins, strict=True)
    ends = {name: group_ends(margin, GROUPS_OF_PAIRS) for name, margin in of_names}
    # In the order of the joint counts, so that the pair turned round has the same samples.
    few: Any = joint.joined({name: ends[name] for name in joint.names if name in ends})
    # In which cell of each score, best first, each joint cell lies.
    places = [places_in(few.margin(name), few.scores[few.names.index(name)]) for name in names]

    def differences(p: Floats, n: Floats) -> Floats:
        first, second = (caps(_summed(p, at), _summed(n, at), BAND_SHARES) for at in places)
        return first - second

    seen = differences(*(column[None, :].astype(np.float64) for column in few.sums))[0]
    found = Resampling(few, replicates, seed).draw(differences, stratified=False)
    return _of_curves(found, seen, designs.effective_sizes(few).positives, EQUALLY_WIDE)


def _summed(drawn: Floats, places: Places) -> Floats:
    """Return sums over the joint cells of each cell of one score, best first."""
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    return np.add.reduceat(drawn[:, order], starts, axis=1)


def _counts_or_sizes(given: Any, name: str, needed: str) -> object:
    """Return counts, or the pair (n, n1) as it is."""
    if isinstance(given, tuple | list):
        return given
    try:
        return as_ranking(given, name, needed, instead="confidence_interval")
    except TypeError as error:
        raise TypeError(f"{error}, or {name}((n, n1))") from None


@taking_columns(_counts_or_sizes)
def null_band(
    counts: Ranking | tuple[int, int], *, kind: BandKind = "simultaneous", level: float = 0.95
) -> Band:
    """Return the band of random CAPs: where the CAP of a score without information lies.

    Around the diagonal, clipped to what any CAP can reach. Raises `ValueError` when a class is
    missing or the rows carry weights, `TypeError` for a pair that is not of whole numbers.

    Parameters
    ----------
    counts
        Result of `count_scores`, or the pair (n, n1) of all cases and positives.
    kind
        "simultaneous": the whole random CAP stays in with at least this frequency;
        "pointwise": it does so at each share of cases taken by itself.
    level
        Confidence level of the band.

    Notes
    -----
    The CAP is away from the diagonal by (1 - π) times the gap between the classes, so the
    simultaneous half-width is n0/n times the widest gap below the critical value of Smirnov's exact
    two-sample law, from 10,001 cases on times the value of large samples. Without ties the CAP
    leaves it exactly where `ks_test` rejects. Pointwise,
    the positives among the first k of n cases are hypergeometric; of more than a million cases
    binomial where a class is rare and normal where none is, which the band's method names.

    Examples
    --------
    With 6 positives among 20 chance opens a gap of 9/14 or more in 3.7% of orders, the next
    smaller one, 13/21, in more than 5%: the half-width is 13/21 · 14/20 = 13/30.

    >>> band = null_band((20, 6))
    >>> round(float(np.interp(0.5, band.q, band.high)) - 0.5, 9), round(13 / 30, 9)
    (0.433333333, 0.433333333)
    """
    n, n1, tied = _sizes(counts)
    check_kind(kind)
    level = as_open_share(level, "level")
    q = np.unique(np.linspace(0, n, min(n, RANDOM_POINTS) + 1).round()) / n
    clustered = isinstance(counts, ScoreCounts) and counts.groups is not None
    notes = (*((BAND_OF_CLUSTERS,) if clustered else ()), *((TIED,) if tied else ()))
    if kind == "pointwise":
        low, high, law = _pointwise(n, n1, q, level)
        return Band("random", kind, q, low, q, high, level, law, (RANDOM_POINTWISE, *notes))
    gap = smirnov_reach(n, n1, 1 - level)
    if gap >= 1:
        why = f"no CAP of so few cases has a chance below {1 - level:g}, so all are inside"
        notes = (why, *notes)
    reach = gap * (n - n1) / n
    # Between its points a band is straight, and would cut off the bends where the edge meets what
    # any CAP can reach.
    bend, end = gap * n1 / n, 1 - gap * (n - n1) / n
    q = np.unique(np.concatenate([q, np.clip([bend, 1 - bend, end, 1 - end], 0, 1)]))
    # A CAP that reaches the edge lies inside, whatever its sums are rounded to.
    least, most = reachable(q, n1 / n / (1 + designs.SPREAD_ROUNDING))
    reach += designs.SPREAD_ROUNDING
    low, high = np.maximum(q - reach, least), np.minimum(q + reach, most)
    return Band("random", kind, q, low, q, high, level, "Smirnov", notes)


def _sizes(counts: Ranking | tuple[int, int]) -> tuple[int, int, bool]:
    if isinstance(counts, Ranking):
        if not counts.is_whole:
            raise ValueError("the null band deals labels to cases, and these carry weights")
        n, n1, tied = counts.n, counts.n1, len(counts) < counts.n
    else:
        pair = tuple(counts) if isinstance(counts, tuple | list) else ()
        whole = [isinstance(size, int | np.integer) for size in pair]
        if len(pair) != len(("n", "n1")) or not all(whole):
            raise TypeError(f"the null band takes counts or whole numbers (n, n1), got {counts!r}")
        n, n1 = as_whole(pair[0], "n", 2, LARGEST_TOTAL), as_whole(pair[1], "n1", 0, LARGEST_TOTAL)
        tied = False
    if not 0 < n1 < n:
        raise ValueError(f"the null band needs both classes, got {n1} positives among {n} cases")
    return n, n1, tied


def _pointwise(n: int, n1: int, q: Floats, level: float) -> tuple[Floats, Floats, str]:
    """Return the quantiles of the share captured at each share of cases, and their law."""
    tail, rarer = (1 - level) / 2, min(n1, n - n1)
    if n <= MOST_EXACT_CASES:
        from scipy.stats import hypergeom

        law = hypergeom(n, n1, np.rint(q * n).astype(np.int64))
        return law.ppf(tail) / n1, law.ppf(1 - tail) / n1, "hypergeometric"
    if rarer <= min(n // RARE, MOST_EXACT_CASES):
        from scipy.stats import binom

        few, many = (binom(rarer, q).ppf(at) for at in (tail, 1 - tail))
        ends = (few, many) if n1 == rarer else (q * n - many, q * n - few)
        low, high, name = ends[0] / n1, ends[1] / n1, "binomial"
    else:
        from scipy.special import ndtri

        reach = float(ndtri(1 - tail)) * np.sqrt(q * (1 - q) * ((n - n1) / (n - 1) / n1))
        low, high, name = q - reach, q + reach, "normal"
    least, most = reachable(q, n1 / n / (1 + designs.SPREAD_ROUNDING))
    return np.maximum(low, least), np.minimum(high, most), name


def simulate_random_cap(
    n: int, prevalence: float, *, curves: int = 1, seed: Seed = None
) -> tuple[ScoreCounts, ...]:
    """Simulate scores without information, to show what CAPs chance alone makes.

    They have no ties. Raises `ValueError` when a class would be empty or `curves` is below 1.

    Parameters
    ----------
    n
        Cases in each.
    prevalence
        Share of positives; their number is n times this, rounded, in every one.
    curves
        How many to simulate.
    seed
        Anything `numpy.random.default_rng` takes.

    Examples
    --------
    >>> [counts.n1 for counts in simulate_random_cap(500, 0.1, curves=2, seed=1)]
    [50, 50]
    """
    n, curves = as_whole(n, "n", 2, MOST_BAND_CASES), as_whole(curves, "curves", 1, MOST_CURVES)
    n1 = round(n * as_open_share(prevalence, "prevalence"))
    if not 0 < n1 < n:
        raise ValueError(f"{prevalence} of {n} cases leaves a class without cases")
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(curves):
        positive = np.zeros(n, dtype=np.int64)
        positive[rng.permutation(n)[:n1]] = 1
        found.append(ScoreCounts.from_counts(np.arange(n, dtype=np.int64), positive, 1 - positive))
    return tuple(found)
