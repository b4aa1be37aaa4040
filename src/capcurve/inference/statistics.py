"""The numbers that chance moves: their values of many samples at once, their scale and range.

Positives and negatives come as (samples, scores), most likely positive first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.inference.designs import LEAST_GROUPS, NOTHING, leave_out
from capcurve.inference.limits import Chance, around, logit
from capcurve.inference.rates import rate_limits

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Floats, Places
    from capcurve.inference.designs import LeftOut, OfSamples
    from capcurve.inference.records import Confidence, Interval

OfShare = Literal["captured_response", "lift", "precision"]
Rate = Literal["captured_response", "precision"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number between 0 and `top`, and how samples have it."""

    estimate: float
    of_samples: OfSamples
    groups: float  # how many groups of clusters hold the cases it is about
    top: float = 1.0  # limits are symmetric in ln(a/(1 - a)) of a = number/top


def jackknife_interval(
    counts: ScoreCounts, statistic: Statistic, confidence: Confidence
) -> Interval:
    """Return limits by leaving out groups of clusters, on the logit scale, with Student's t.

    Where leaving out a group shows no spread they are the Clopper-Pearson limits of as many cases
    as there are groups.
    """
    enough = statistic.groups >= LEAST_GROUPS
    left = leave_out(counts, statistic.of_samples) if enough else None
    return interval_left_out(left, statistic, confidence)


def interval_left_out(
    left: LeftOut | None, statistic: Statistic, confidence: Confidence
) -> Interval:
    """Return the same of what leaving out each group did; None where too few groups are left."""
    share, top = statistic.estimate / statistic.top, statistic.top
    if left is None or not 0 < share < 1 or left.se() <= NOTHING * top:
        return without_spread(statistic, share, confidence)
    df = left.freedom(statistic.groups)
    low, high = logit(Chance.of(share), left.se() / top, confidence.t(df))
    return confidence.interval(
        statistic.estimate,
        around((low * top, high * top), statistic.estimate),
        (0.0, top),
        "jackknife",
        left.se(),
        left.notes(df, statistic.groups),
    )


def without_spread(statistic: Statistic, share: float, confidence: Confidence) -> Interval:
    """Return Clopper-Pearson limits for one case per group."""
    cases, top = max(statistic.groups, 1), statistic.top
    share = min(max(share, 0.0), 1.0)
    low, high = rate_limits(share * cases, cases, "clopper_pearson", confidence)
    note = (
        f"leaving out groups of clusters shows no spread: Clopper-Pearson limits for {cases:g} "
        "cases, one per group"
    )
    limits = around((float(low) * top, float(high) * top), statistic.estimate)
    return confidence.interval(
        statistic.estimate, limits, (0.0, top), "clopper_pearson", None, (note,)
    )


def aucs(p: Floats, n: Floats) -> Floats:
    """Return the AUC of each sample."""
    all1, all0 = p.sum(axis=1), n.sum(axis=1)
    below = np.cumsum(n, axis=1)
    np.subtract(all0[:, None], below, out=below)
    below += n / 2
    found: Floats = np.einsum("ij,ij->i", p, below) / all1 / all0
    return found


def gaps(p: Floats, n: Floats, cells: Places | slice = slice(None)) -> Floats:
    """Return how far positives lead negatives after some cells, shape (samples, cells)."""
    found = p / p.sum(axis=1, keepdims=True)
    found -= n / n.sum(axis=1, keepdims=True)
    np.cumsum(found, axis=1, out=found)
    picked: Floats = found[:, cells]
    return picked


def ks_statistics(p: Floats, n: Floats) -> Floats:
    """Return the two-sided KS statistic of each sample."""
    found: Floats = np.abs(gaps(p, n)).max(axis=1)
    return found


def partial_aucs(p: Floats, n: Floats, max_fpr: float) -> Floats:
    """Return the area under the ROC of each sample up to a false positive rate."""
    rise = p / p.sum(axis=1, keepdims=True)
    width = n / n.sum(axis=1, keepdims=True)
    end, top = np.cumsum(width, axis=1), np.cumsum(rise, axis=1)
    inside = np.clip(max_fpr - (end - width), 0, width)
    part = np.divide(inside, width, out=np.zeros_like(width), where=width > 0)
    # The height in the middle of what lies inside: the start of the segment and half its rise.
    height = top - rise + rise * part / 2
    found: Floats = np.minimum((inside * height).sum(axis=1), max_fpr)
    return found


def at_share(
    p: Floats, n: Floats, q: float, which: Rate, prevalence: Floats | float | None = None
) -> Floats:
    """Return a rate of the top share q of each sample; NaN without positives.

    Cases of the score in which the share ends are taken in proportion. With a prevalence the
    classes are re-weighted to it in each sample, or each to its own, shape (samples, 1).
    """
    if prevalence is not None:
        p = p * (prevalence / p.sum(axis=1, keepdims=True))
        n = n * ((1 - prevalence) / n.sum(axis=1, keepdims=True))
    cases = p + n
    total = cases.sum(axis=1)
    end = np.cumsum(cases, axis=1)
    inside = np.clip(q * total[:, None] - (end - cases), 0, cases)
    part = np.divide(inside, cases, out=np.zeros_like(cases), where=cases > 0)
    captured: Floats = (p * part).sum(axis=1)
    if which == "precision":
        captured /= q * total
        return captured
    all1 = p.sum(axis=1)
    share: Floats = np.full(len(all1), np.nan)
    np.divide(captured, all1, out=share, where=all1 > 0)
    return share


def at_cutoff(p: Floats, n: Floats, cells: int, which: OfShare) -> Floats:
    """Return a metric of the first cells of each sample."""
    hit = p[:, :cells].sum(axis=1)
    if which == "captured_response":
        captured: Floats = hit / p.sum(axis=1)
        return captured
    precision: Floats = hit / (p + n)[:, :cells].sum(axis=1)
    if which == "lift":
        precision *= (p + n).sum(axis=1) / p.sum(axis=1)
    return precision


def profits(p: Floats, n: Floats, value: float, cost: float) -> Floats:
    """Return the profit of selecting down to each cell, shape (samples, cells)."""
    found: Floats = np.cumsum((value - cost) * p - cost * n, axis=1)
    return found


def profits_per_case(p: Floats, n: Floats, value: float, cost: float, cells: Places) -> Floats:
    """Return the profit per case of selecting down to some cells, shape (samples, cells)."""
    found = profits(p, n, value, cost)[:, cells]
    found /= (p.sum(axis=1) + n.sum(axis=1))[:, None]
    return found


def best_profits(
    p: Floats, n: Floats, value: float, cost: float, cells: Places | slice = slice(None)
) -> Floats:
    """Return the profit of the best cut-off of each sample: zero when that selects nobody.

    Of all cut-offs, or of those after some cells.
    """
    found: Floats = np.maximum(profits(p, n, value, cost)[:, cells].max(axis=1), 0.0)
    return found


def caps(p: Floats, n: Floats, q: Floats) -> Floats:
    """Return the CAP of each sample at shares q; NaN without positives."""
    captured, selected = np.cumsum(p, axis=1), np.cumsum(p + n, axis=1)
    found = np.full((len(p), len(q)), np.nan)
    for row, x, y in zip(found, selected, captured, strict=True):
        if y[-1] > 0:
            row[:] = np.interp(q, np.append(0.0, x / x[-1]), np.append(0.0, y / y[-1]))
    return found


def reachable(q: Floats, prevalence: float) -> tuple[Floats, Floats]:
    """Return the lowest and the highest that any CAP can be at shares of cases.

    A share q of all cases holds at most q/π of the positives, and at least 1 - (1 - q)/π.
    """
    return np.maximum(1 - (1 - q) / prevalence, 0.0), np.minimum(q / prevalence, 1.0)
