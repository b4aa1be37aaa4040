"""How far each case and chance move an AUC: influences, and its variance by several formulas."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from capcurve.counts import JointCounts, Ranking, ScoreCounts
from capcurve.curves.shares import require
from capcurve.inference import designs
from capcurve.inference.designs import Estimates, LeftOut
from capcurve.inference.samples import aucs
from capcurve.metrics import Metric, roc_auc
from capcurve.metrics.ranking import count_pairs
from capcurve.numbers.arguments import as_word
from capcurve.numbers.exact import (
    BLOCK,
    LARGEST_INT64,
    DoubleDouble,
    class_blocks,
    exponent_of,
    running,
    shifted,
    summed_parts,
)
from capcurve.numbers.order import picked, places_in
from capcurve.numbers.threads import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from capcurve.numbers.types import Array, Floats, Places


# Placements less the AUC at each score, positives first.
Deviations: TypeAlias = "tuple[Floats, Floats]"
# Which share of its class some cells hold.
SharesAt: TypeAlias = "Callable[[slice], Floats]"
# Is shown the counts of each score alone while they are at hand.
Seen: TypeAlias = "Callable[[ScoreCounts], object]"
# Sums of weights in another order differ by this much, and mean the same.
REORDERED = 1e-14
Variance = Literal["delong", "ij", "hanley_mcneil"]
# What they are called.
VARIANCES: Mapping[Variance, str] = {
    "delong": "DeLong",
    "ij": "infinitesimal jackknife",
    "hanley_mcneil": "Hanley-McNeil",
}


def deviations(counts: ScoreCounts) -> tuple[Floats, Floats]:
    """Return placements less the AUC, V10 - A and V01 - A per score, rounded once each."""
    # V10 is which share of negatives a positive at this score outranks, ties half, and V01 which
    # share of positives outranks a negative: the "structural components" of DeLong, DeLong &
    # Clarke-Pearson (1988), Biometrics 44, whose mean over either class is the AUC. Taken from
    # whole numbers of pairs, so that nothing cancels when the AUC is near 0 or 1.
    pairs = count_pairs(counts) if counts.is_whole else None
    if pairs is None or 2 * pairs.total > LARGEST_INT64:
        return _wide_deviations(counts)
    parts = list(_whole_deviations(counts, 2 * pairs.won + pairs.tied, pairs.total))
    return np.concatenate([d for d, _ in parts]), np.concatenate([d for _, d in parts])


def moves_of(counts: ScoreCounts, metric: Metric | None) -> tuple[Floats, Floats]:
    """Return how far each case moves a metric that tells it, or the AUC."""
    find = metric.influence if metric and metric.influence else deviations
    first, second = find(counts)
    return np.asarray(first), np.asarray(second)


def _whole_deviations(
    counts: ScoreCounts, won_twice: int, pairs: int
) -> Iterator[tuple[Floats, Floats]]:
    """Yield V10 - A and V01 - A of whole numbers block by block, `BLOCK` scores at a time."""
    n1, n0 = counts.n1, counts.n0
    captured, passed = 0, 0
    for p, n in class_blocks(counts):
        tp, fp = np.cumsum(p), np.cumsum(n)
        tp += captured
        fp += passed
        captured, passed = int(tp[-1]), int(fp[-1])
        # Twice the negatives below, ties once, times n1: pairs as if all positives stood here.
        v10 = n - 2 * fp
        v10 += 2 * n0
        v10 *= n1
        v10 -= won_twice
        v01 = 2 * tp - p
        v01 *= n0
        v01 -= won_twice
        yield v10 / (2 * pairs), v01 / (2 * pairs)


def _wide_deviations(counts: ScoreCounts) -> tuple[Floats, Floats]:
    """Return the same of weights, and of pairs too many for 64 bits."""
    p, n = _shares(counts.positives), _shares(counts.negatives)
    rows = len(counts)
    lost10, lost01 = at_once(lambda side: _half_way(rows, *side), ((n, 1), (p, -1)), rows)
    lost = _product_sum(p, lost10)
    if 2 * lost <= 1:
        for lost_there in (lost10, lost01):
            np.subtract(lost, lost_there, out=lost_there)
        return lost10, lost01
    # The smaller of won and lost keeps its digits: that side is subtracted.
    won10, won01 = at_once(lambda side: _half_way(rows, *side), ((n, -1), (p, 1)), rows)
    won = _product_sum(p, won10)
    for won_there in (won10, won01):
        np.subtract(won_there, won, out=won_there)
    return won10, won01


def _half_way(rows: int, shares: SharesAt, step: int) -> Floats:
    """Return the sum of all shares before each and half of it; from the end where `step` is -1."""
    found, before = np.empty(rows), DoubleDouble.of(0.0)
    turned = found[::step]
    for start in range(0, rows, BLOCK):
        end = min(start + BLOCK, rows)
        cells = slice(start, end) if step > 0 else slice(rows - end, rows - start)
        here = shares(cells)[::step]
        sums = running(here, before)
        np.subtract(sums.high[1:], here / 2, out=turned[start:end])
        before = sums[-1]
    return found


def _product_sum(p: SharesAt, moved: Floats) -> float:
    """Return the sum of shares times how far they are moved."""
    return float(
        summed_parts(len(moved), lambda start, end: (p(slice(start, end)) * moved[start:end]).sum())
    )


def _shares(column: Array) -> SharesAt:
    """Return which share of their sum some weights are, as a function of which ones."""
    exponent = -exponent_of(column)
    whole = summed_parts(len(column), lambda start, end: shifted(column[start:end], exponent).sum())
    return lambda cells: shifted(column[cells], exponent) / whole


def unseen(_: ScoreCounts) -> None:
    """Make nothing of the counts of one of several scores."""


def metric_estimates(
    counts: JointCounts | ScoreCounts, metric: Metric | None = None, seen: Seen = unseen
) -> Estimates:
    """Return a metric that tells its influences, or the AUC, of each score of the same rows."""
    # Independent rows move AUCs by their placements less the AUC: DeLong, DeLong & Clarke-Pearson
    # (1988), Biometrics 44, eq. 5; with sampling or exposure weights the robust infinitesimal
    # jackknife. Of clustered rows groups of clusters are left out.
    if counts.groups is not None:
        return groups_left_out(_each_alone(counts, seen), metric)
    what = "comparing scores on the same rows"
    designs.require_two(counts, what if isinstance(counts, JointCounts) else "a standard error")
    sizes, masses = designs.effective_sizes(counts), designs.squared_masses(counts)
    held: tuple[Places, ...] | None = None
    if isinstance(counts, JointCounts):
        held = tuple(np.flatnonzero(mass) for mass in masses)
        values, moves = _of_each_score(counts, metric, held, seen)
        masses = masses[0][held[0]], masses[1][held[1]]
    else:
        values, of_classes = [_value(counts, metric)], moves_of(counts, metric)
        moves = of_classes[0][None], of_classes[1][None]
    of_rows = partial(_of_rows, counts, masses, held) if metric else None
    if counts.weights is None or metric is not None:
        # DeLong divides by n - 1; weights of AUCs take the infinitesimal jackknife.
        first, second = (each / max(each - 1, designs.LEAST_BEYOND_ONE) for each in sizes)
        masses = (masses[0] * first, masses[1] * second)
    # Placements are whole numbers of half pairs: what is less than a part of one is rounding.
    part = 1 / (8 * sizes.positives * sizes.negatives)
    rounding = REORDERED if counts.weights is not None else min(REORDERED, part)
    return Estimates(
        np.array(values),
        moves,
        masses,
        sizes,
        rounding,
        "influences" if metric else "DeLong",
        width=metric.width if metric else None,
        of_rows=of_rows,
        cases=designs.effective_cases(counts) if metric else np.inf,
    )


def _of_rows(
    counts: JointCounts | ScoreCounts,
    masses: tuple[Floats, Floats],
    held: tuple[Places, ...] | None,
) -> tuple[tuple[Floats, Floats], ...]:
    """Return the masses of the cells of each class, and how many equal rows they are of."""
    alike = designs.equal_rows(counts)
    if held is not None:
        alike = alike[0][held[0]], alike[1][held[1]]
    return tuple(zip(masses, alike, strict=True))


def _each_alone(counts: JointCounts | ScoreCounts, seen: Seen) -> list[ScoreCounts]:
    """Return the counts of each score alone, which are shown to `seen` where there are several."""
    if isinstance(counts, ScoreCounts):
        return [counts]
    margins = [counts.margin(name) for name in counts.names]
    for margin in margins:
        seen(margin)
    return margins


def _of_each_score(
    joint: JointCounts, metric: Metric | None, held: Sequence[Places], seen: Seen
) -> tuple[list[float], tuple[Floats, Floats]]:
    """Return a metric, or the AUC, of each score, and how far the cells of each class move it."""
    values, many = [], len(joint.names)
    moves = np.empty((many, len(held[0]))), np.empty((many, len(held[1])))
    for number, name in enumerate(joint.names):
        margin, places = joint.margin_and_places(name)
        seen(margin)
        values.append(_value(margin, metric))
        for moved, by_place, at in zip(moves, moves_of(margin, metric), held, strict=True):
            moved[number] = picked(by_place, places[at])
    return values, moves


def _value(counts: ScoreCounts, metric: Metric | None) -> float:
    return metric.value(counts) if metric else roc_auc(counts)


def groups_left_out(several: Sequence[ScoreCounts], metric: Metric | None = None) -> LeftOut:
    """Return a metric, or the AUC, of several clustered counts, without each group in turn."""
    # A group of the same number holds the same clusters in all of them, so it is left out of all at
    # once: what they have in common, the same rows or the same obligors, is accounted for. Where
    # too few groups hold a class, none moves anything.
    found = designs.side_by_side([_without_groups(counts, metric) for counts in several])
    values = np.array([_value(counts, metric) for counts in several])
    return replace(found, values=values, width=metric.width if metric else None)


def _without_groups(counts: ScoreCounts, metric: Metric | None) -> LeftOut:
    """Return what each group left out does to a metric, or the AUC."""
    # A metric moves by the influences of the group, over what is left of each class.
    groups, held = counts.groups or (), designs.groups_per_class(counts)
    found, enough = np.zeros((len(groups), 1)), held.rarer >= designs.LEAST_GROUPS
    if enough and metric is None:
        return designs.leave_out(designs.in_few_cells(counts), aucs)
    influences = moves_of(counts, metric) if enough else ()
    for number, group in enumerate(groups if enough else ()):
        place = places_in(counts, group.score)
        sums = ((group.positives, counts.n1 - group.n1), (group.negatives, counts.n0 - group.n0))
        for (cases, left), influence in zip(sums, influences, strict=True):
            found[number] -= float((cases * influence[place]).sum()) / left if left else np.inf
    return designs.left_out(np.zeros(1), found, sum(len(group) > 0 for group in groups), held)


def auc_variance(counts: Ranking, variance: Variance = "delong") -> float:
    """Return the variance of the AUC over samples: how far another sample would move it."""
    # "delong" (DeLong 1988; the ECB's formula), "ij" (infinitesimal jackknife, as
    # survival::concordance), "hanley_mcneil" (1982, from the AUC alone, as exponential scores have
    # it).
    # With sampling or exposure weights "delong" and "ij" are both the robust infinitesimal
    # jackknife. That of the accuracy ratio is four times this.
    as_word(variance, "variance", get_args(Variance), quote="'")
    designs.require_rows(counts)
    require(counts, "positives", "negatives")
    if counts.weights is not None and variance not in {"delong", "ij"}:
        raise ValueError(f'variance="{variance}" has no weighted form; use "delong" or "ij"')
    if variance == "hanley_mcneil":
        return exponential_variance(roc_auc(counts), counts.n1, counts.n0)
    return sum(variance_parts(counts, variance))


def variance_parts(
    counts: Ranking, variance: Variance = "delong", placed: Deviations | None = None
) -> tuple[float, float]:
    """Return what drawing the positives, the negatives adds to the variance: "delong" or "ij"."""
    # With weights `placed` are the `deviations`, where they are known already.
    designs.require_two(counts, f'the variance "{variance}" of an AUC')
    require(counts, "positives", "negatives")
    positives, negatives = _mean_squares(counts, placed)
    if variance == "delong" and counts.weights is None:
        n1, n0 = counts.n1, counts.n0
        positives, negatives = positives * n1 / (n1 - 1), negatives * n0 / (n0 - 1)
    return positives, negatives


def _mean_squares(counts: Ranking, placed: Deviations | None = None) -> tuple[float, float]:
    """Return Σ(w(V - A))²/(Σw)² of each class: the infinitesimal jackknife."""
    if counts.weights is None:
        return _exact_mean_squares(counts)
    counts = counts.every_score()
    totals, moved = designs.class_totals(counts), placed or deviations(counts)

    def of_block(start: int) -> tuple[float, float]:
        cells = slice(start, start + BLOCK)
        masses = designs.squared_masses(counts, cells, totals)
        first, second = (
            float((deviation[cells] * deviation[cells] * mass).sum())
            for deviation, mass in zip(moved, masses, strict=True)
        )
        return first, second

    first = second = 0.0
    for of1, of0 in at_once(of_block, range(0, len(counts), BLOCK), len(counts)):
        first, second = first + of1, second + of0
    return first, second


def _exact_mean_squares(counts: Ranking) -> tuple[float, float]:
    """Return the same of whole counts: with V10 = v/(2·n0) and A = Σv/(2·n1·n0), in fractions."""
    n1, n0, pairs = counts.n1, counts.n0, count_pairs(counts)
    won = 2 * pairs.won + pairs.tied
    totals, size = counts.totals(), 4 * n1**2 * n0**2
    positives = Fraction(n1 * totals.positive_squares - won**2, size * n1)
    negatives = Fraction(n0 * totals.negative_squares - won**2, size * n0)
    return float(positives), float(negatives)


def degrees_of_freedom(
    counts: Ranking, parts: tuple[float, float] | None = None, placed: Deviations | None = None
) -> float:
    """Return Satterthwaite's degrees of freedom of DeLong's variance; it must not be zero."""
    # Each class has as many as cases less one. Weighted classes have those of the spread of their
    # squared influences, 2/(K - 1/n), K the share of fourth powers in the square of squares: a few
    # heavy rows in unusual places say little about the variance they cause.
    parts = parts or variance_parts(counts)
    freedom = [counts.n1 - 1.0, counts.n0 - 1.0]
    if isinstance(counts, ScoreCounts) and counts.weights is not None:
        freedom = _of_weights(counts, placed or deviations(counts), parts)
    scaled = [part / max(parts) for part in parts]
    known = sum(part**2 / most for part, most in zip(scaled, freedom, strict=True))
    return float(sum(scaled) ** 2 / known)


def _of_weights(counts: ScoreCounts, placed: Deviations, parts: tuple[float, float]) -> list[float]:
    """Return the degrees of freedom of each class, by how its cases share its part."""
    totals, sizes = designs.class_totals(counts), designs.effective_sizes(counts)

    def fourth(start: int, end: int) -> Floats:
        cells = slice(start, end)
        masses = designs.squared_masses(counts, cells, totals)
        alike = designs.equal_rows(counts, cells)
        found = np.zeros(2)
        for which, (mass, moved, most) in enumerate(zip(masses, placed, parts, strict=True)):
            if most > 0:
                found[which] = ((mass * moved[cells] ** 2 / most) ** 2 / alike[which]).sum()
        return found

    fourths = summed_parts(len(counts), fourth)
    both = zip(fourths, sizes, designs.rows_per_class(counts), strict=True)
    return [designs.freedom_of_share(float(share), size, rows - 1.0) for share, size, rows in both]


def exponential_variance(auc: float, n1: float, n0: float) -> float:
    """Return the variance of an AUC from its value and the class sizes alone."""
    # Hanley & McNeil (1982), Radiology 143, eq. 1: by how often two positives outrank a negative,
    # and one two negatives.
    two_positives, two_negatives = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = (n1 - 1) * (two_positives - auc**2) + (n0 - 1) * (two_negatives - auc**2)
    return float((auc * (1 - auc) + spread) / n1 / n0)


def careful_variance(auc: float, n1: float, n0: float) -> float:
    """Return a variance above zero, also for a score that separates the classes perfectly."""
    # The AUC is taken half a pair away from 0 and 1: a sample without a wrong pair does not show
    # that there are none.
    half_a_pair = 0.5 / n1 / n0
    return exponential_variance(min(max(auc, half_a_pair), 1 - half_a_pair), n1, n0)


def null_variance(counts: Ranking) -> float:
    """Return the variance of the AUC if the score told nothing: labels dealt at random."""
    # ((n + 1) - Σ(t³ - t)/(n(n - 1)))/(12·n1·n0), t the cases at each score, correctly rounded:
    # that of the Mann-Whitney statistic with ties (Lehmann 1975, Nonparametrics, 1.4).
    designs.require_rows(counts)
    require(counts, "positives", "negatives")
    if counts.weights is not None:
        raise ValueError("the variance under no discrimination is that of unweighted rows")
    n, cubes = counts.n, counts.totals().case_cubes
    if cubes is None:
        return null_variance(counts.every_score())
    tied = Fraction(cubes - n, n * (n - 1))
    return float((n + 1 - tied) / (12 * counts.n1 * counts.n0))
