"""Net benefit with limits: of one score, of all thresholds, and of two scores on the same rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from capcurve.curves.shares import require, sample_rate
from capcurve.gate.pds import counts_by_pd
from capcurve.gate.taking import takes_counts_or_joint
from capcurve.inference.designs import effective_cases, groups_per_class, leave_out, require_rows
from capcurve.inference.differences import ByLimits, Spread
from capcurve.inference.limits import around
from capcurve.inference.rates import limits_of_rates
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
from capcurve.inference.selections import Cutoff
from capcurve.metrics.calibration import are_acted_on, as_threshold, net_benefit, pds, shares_of_all
from capcurve.numbers.arguments import told
from capcurve.numbers.meeting import rounded_to
from capcurve.show.columns import formed
from capcurve.show.format import stated_percent
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.counts import JointCounts, Ranking, ScoreCounts
    from capcurve.numbers.types import Bools, Floats

USUAL_THRESHOLDS = range(1, 100)  # in percent, the thresholds that are shown unless asked
# As far as this share of the cases is acted on: beyond, curves are those of a few cases.
LEAST_SELECTED = 0.01
NEARLY_ALL = 1e-12  # what a share that is all of the cases is taken to lack
NET_BENEFIT_COLUMNS = (
    *("threshold", "selected", "net_benefit", "low", "high", "treat_all"),
    *("over_all", "over_all_low", "over_all_high", "standardized"),
)
BENEFIT_HEADINGS = {
    "treat_all": "act on everyone",
    "over_all": "over everyone",
    "over_all_low": "over everyone low",
    "over_all_high": "over everyone high",
}


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """A share of cases, of how many, and what it counts for in a sum."""

    share: float
    cases: float
    factor: float


def limits_of_shares(
    sums: Sequence[Sequence[WeightedShare]], confidence: Confidence
) -> Iterator[tuple[tuple[WeightedShare, Limits], ...]]:
    """Yield the shares of each sum with their limits, which are found all at once."""
    every = [each for shares in sums for each in shares]
    columns = [each.share for each in every], [each.cases for each in every]
    found = limits_of_rates(*columns, "envelope", Confidence.at(confidence.z))
    limits = zip(*(ends.tolist() for ends in found), strict=True)
    for shares in sums:
        yield tuple(zip(shares, limits, strict=False))


def joined_limits(limited: Sequence[tuple[WeightedShare, Limits]], *, exclusive: bool) -> Limits:
    """Return limits of a weighted sum of shares from those of each (MOVER)."""
    # Zou & Donner (2008), Stat. Med. 27. Shares that exclude each other are correlated by -√(pq/((1
    # - p)(1 - q))); others are independent.
    shares, terms = [each for each, _ in limited], np.empty((2, len(limited)))
    found = sum(each.factor * each.share for each in shares)
    for place, (each, (low, high)) in enumerate(limited):
        moved = each.factor * (each.share - low), each.factor * (high - each.share)
        terms[:, place] = moved if each.factor > 0 else moved[::-1]
    correlation = np.eye(len(shares))
    if exclusive:
        odds = np.array([each.share / max(1 - each.share, NEARLY_ALL) for each in shares])
        correlation -= np.sqrt(np.outer(odds, odds)) * (1 - correlation)
    down, up = (math.sqrt(max(float(row @ correlation @ row), 0.0)) for row in terms)
    return found - down, found + up


def net_benefit_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the net benefit; of clustered rows by leaving out groups of them."""
    cells, confidence = request.counts, request.confidence
    require(cells)
    named = ("threshold", "versus", "standardized", "prevalence")
    asked = {name: getattr(request, name) for name in named}
    estimate = net_benefit(cells, **asked)
    if method == "jackknife":
        left = leave_out(cells, partial(_of_samples, are_acted_on(cells, request.threshold), asked))
        df = left.most_freedom()
        reach = confidence.t(df) * left.se()
        notes = left.notes(df, groups_per_class(cells).rarer)
        limits = estimate - reach, estimate + reach
        whole = -math.inf, math.inf
        return confidence.interval(estimate, limits, whole, method, left.se(), notes)
    shares, exclusive = _shares(cells, **asked)
    limited = next(limits_of_shares([shares], confidence))
    return _joined(estimate, limited, confidence, exclusive=exclusive)


def _joined(estimate: float, limited: Any, confidence: Confidence, *, exclusive: bool) -> Interval:
    """Return a net benefit between the limits that those of its shares make."""
    limits = around(joined_limits(limited, exclusive=exclusive), estimate)
    return confidence.interval(estimate, limits, (-math.inf, math.inf), "mover", None)


def _shares(
    cells: ScoreCounts, threshold: float, versus: str, standardized: bool, prevalence: float | None
) -> tuple[list[WeightedShare], bool]:
    """Return the shares that make the net benefit, and whether they exclude each other."""
    odds = as_threshold(threshold) / (1 - threshold)
    factors = (1.0, -odds) if versus == "none" else (-1.0, odds)
    if not standardized and prevalence is None:
        acted, cases = are_acted_on(cells, threshold) == (versus == "none"), effective_cases(cells)
        held = [min(float(column[acted].sum()), 1.0) for column in shares_of_all(cells)]
        pairs = zip(held, factors, strict=True)
        return [WeightedShare(share, cases, factor) for share, factor in pairs], True
    require(cells, "positives", "negatives")
    rate = sample_rate(cells, prevalence)
    weights = (1.0, (1 - rate) / rate) if standardized else (rate, 1 - rate)
    chosen = Cutoff.at(cells, threshold)
    found = []
    for which, (factor, weight) in enumerate(zip(factors, weights, strict=True)):
        share, size = chosen.of_side(which)
        part = share if versus == "none" else 1 - share
        found.append(WeightedShare(part, size, factor * weight))
    return found, False


def _of_samples(acted: Bools, asked: dict[str, Any], p: Floats, n: Floats) -> Floats:
    """Return the net benefit of samples at the same PDs, of which some are acted on."""
    chosen = acted if asked["versus"] == "none" else ~acted
    hit, passed = (column[:, chosen].sum(axis=1) for column in (p, n))
    of1, of0 = p.sum(axis=1), n.sum(axis=1)
    rate = of1 / (of1 + of0) if asked["prevalence"] is None else float(asked["prevalence"])
    odds = asked["threshold"] / (1 - asked["threshold"])
    # A class that a sample lacks has no part.
    gains, losses = (
        np.divide(part, of, out=np.zeros_like(part), where=of > 0)
        for part, of in ((rate * hit, of1), (odds * (1 - rate) * passed, of0))
    )
    found = gains - losses
    found = found if asked["versus"] == "none" else -found
    return np.asarray(found / rate if asked["standardized"] else found)


def as_thresholds(thresholds: Sequence[float]) -> list[float]:
    """Return thresholds of PDs, at least one, or raise ValueError."""
    if not np.iterable(thresholds):
        raise TypeError(f"thresholds must be several PDs, such as [0.1], got {told(thresholds)}")
    if not len(thresholds):
        raise ValueError("thresholds is empty; give one, or leave it out")
    return [as_threshold(cut) for cut in thresholds]


@takes_counts_or_joint
def decision_curve(
    counts: Ranking | JointCounts,
    thresholds: Sequence[float] | None = None,
    *,
    pd: Any = "score",
    prevalence: float | None = None,
    level: float = 0.95,
) -> Table:
    """Return the net benefit of acting on PDs from each of many thresholds on, with limits.

    Raises `ValueError` as `net_benefit`, and for weights without a `weight_kind`.

    Parameters
    ----------
    counts, pd, prevalence
        As in `net_benefit`.
    thresholds
        PDs from which on one acts, in [0, 1). Left out, 1% to 99% in whole percent, as far as there
        are PDs, and up to that which 1% of the cases have or exceed.
    level
        Confidence level of the limits at each threshold.

    Returns
    -------
    Table
        Columns threshold, selected (share acted on), net_benefit, low, high, treat_all (net benefit
        of acting on everybody), over_all (beyond it), over_all_low, over_all_high, standardized.

    Notes
    -----
    Vickers & Elkin (2006), Medical Decision Making 26; limits join those of two shares: Zou &
    Donner (2008), Stat. Med. 27. Of clustered rows groups of clusters are left out.

    Examples
    --------
    >>> from capcurve import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [0.9, 0.6, 0.3, 0.1])
    >>> decision_curve(counts, [0.2, 0.5])["net_benefit"].tolist()
    [0.4375, 0.0]
    """
    cells, confidence = counts_by_pd(counts, pd), Confidence(level)
    require(cells, *(() if prevalence is None else ("positives", "negatives")))
    require_rows(cells)
    each = pds(cells)
    if thresholds is None:
        cases = np.cumsum(cells.positives + cells.negatives, dtype=np.float64)
        highest = each[np.searchsorted(cases, LEAST_SELECTED * cases[-1])]
        usual = np.array(USUAL_THRESHOLDS) / 100
        met = rounded_to(usual, cells.thresholds.dtype)
        usual = usual[(each[-1] <= met) & (met <= highest)]
        thresholds = usual.tolist() or [min(float(each[0]), USUAL_THRESHOLDS[-1] / 100)]
    cuts = as_thresholds(thresholds)
    # What lies between two thresholds is one cell.
    ends = np.array([np.count_nonzero(are_acted_on(cells, cut)) for cut in cuts])
    cells = cells.joined(np.unique([*ends[ends > 0], len(cells)]))
    of_all = cells.positives.astype(np.float64) + cells.negatives
    own, over = (_limited(cells, cuts, to, prevalence, confidence) for to in ("none", "all"))
    selected = np.array([of_all[are_acted_on(cells, cut)].sum() for cut in cuts])
    columns = {
        "threshold": np.array(cuts),
        "selected": selected / of_all.sum(),
        **dict(zip(("low", "net_benefit", "high"), own.T, strict=True)),
        "treat_all": own[:, 1] - over[:, 1],
        **dict(zip(("over_all_low", "over_all", "over_all_high"), over.T, strict=True)),
        # Without positives there is no largest net benefit to divide by.
        "standardized": own[:, 1] / (sample_rate(cells, prevalence) or math.nan),
    }
    note = f"{stated_percent(confidence.level)} interval at each PD cut-off"
    columns, fine = {name: columns[name] for name in NET_BENEFIT_COLUMNS}, NET_BENEFIT_COLUMNS[2:]
    return Table("Decision curve", formed(columns, BENEFIT_HEADINGS, fine=" ".join(fine)), note)


def _limited(
    cells: ScoreCounts,
    cuts: Sequence[float],
    versus: Any,
    prevalence: float | None,
    confidence: Confidence,
) -> Floats:
    """Return the net benefit at each cut-off, between its limits, shape (cuts, 3)."""
    options = {"versus": versus, "prevalence": prevalence, "standardized": False}
    asked = [{"threshold": cut, **options} for cut in cuts]
    if cells.groups is not None:
        requests = (IntervalRequest(cells, "net_benefit", None, confidence, each) for each in asked)
        found = [net_benefit_interval(request, "jackknife") for request in requests]
    else:
        sums = [_shares(cells, **each) for each in asked]
        limited = limits_of_shares([shares for shares, _ in sums], confidence)
        found = [
            _joined(net_benefit(cells, **each), shares, confidence, exclusive=exclusive)
            for each, shares, (_, exclusive) in zip(asked, limited, sums, strict=True)
        ]
    return np.array([(each.low, each.estimate, each.high) for each in found])


@dataclass(frozen=True, slots=True, kw_only=True)
class OfDiscordant(ByLimits):
    """How the difference of two net benefits varies, by the cases that only one score acts on."""

    shares: tuple[WeightedShare, ...]

    def limits(self, difference: float, confidence: Confidence) -> Limits:
        """Return limits that join those of the shares."""
        limited = next(limits_of_shares([self.shares], confidence))
        return around(joined_limits(limited, exclusive=True), difference)


@dataclass(frozen=True, slots=True)
class ActedOn:
    """Which cells of joint counts each of several scores acts on, and its net benefit."""

    joint: JointCounts
    cells: Mapping[str, Bools]
    values: Mapping[str, float]

    @classmethod
    def at(cls, joint: JointCounts, threshold: float, *, groups: bool = False) -> Self:
        """Return it at a cut-off; of `groups`, whose net benefits are not asked for, the cells."""
        cells, values = {}, {}
        for name in joint.names:
            margin, places = joint.margin_and_places(name)
            cells[name] = are_acted_on(margin, threshold)[places]
            if not groups:
                values[name] = net_benefit(margin, threshold)
        return cls(joint, cells, values)

    def alone(self, names: tuple[str, str]) -> Floats:
        """Return positives that the first score alone acts on, the second, and negatives."""
        first, second = (self.cells[name] for name in names)
        each = (first & ~second, second & ~first)
        sums = [column[one].sum(dtype=np.float64) for column in self.joint.sums for one in each]
        return np.array(sums)


def benefit_difference(
    acted: ActedOn, groups: Sequence[ActedOn], names: tuple[str, str], threshold: float
) -> tuple[dict[str, float], float, Spread]:
    """Return two net benefits of the same rows, their difference, and how it varies."""
    joint = acted.joint
    odds, n = threshold / (1 - threshold), float(joint.n)
    factors = np.array([1.0, -1.0, -odds, odds])
    values = {name: acted.values[name] for name in names}
    alone = acted.alone(names)
    difference = float(factors @ alone) / n
    if groups:
        gone = [float(factors @ group.alone(names)) for group in groups]
        left = (difference * n - np.array(gone)) / (
            n - np.array([float(group.joint.n) for group in groups])
        )
        variance = (len(groups) - 1) / len(groups) * float(((left - difference) ** 2).sum())
        law = f"jackknife over {len(groups)} groups of clusters"
        return values, difference, Spread(variance, max(len(groups) - 1.0, 1.0), law, ())
    cases = effective_cases(joint)
    pairs = zip((alone / n).tolist(), factors.tolist(), strict=True)
    shares = tuple(WeightedShare(share, cases, factor) for share, factor in pairs)
    variance = max(float(factors**2 @ alone) / n - difference**2, 0.0) / cases
    return values, difference, OfDiscordant(variance, None, "discordant cases", (), shares=shares)


def distinct_pairs(acted: ActedOn, pairs: Sequence[tuple[str, str]]) -> int:
    """Return how many pairs of scores differ in whom they act on, copies of a score once."""
    kept = {name: cells.tobytes() for name, cells in acted.cells.items()}
    ends = {frozenset((kept[first], kept[second])) for first, second in pairs}
    return sum(len(each) > 1 for each in ends)
