"""Limits of numbers of all cases from labels on some: rates of cells, rankings, agreement."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from capcurve.counts.labels import LabelledCells, LabelPlan, check_threshold, roots_of, standing_for
from capcurve.inference import designs
from capcurve.inference.designs import ClassSizes, Estimates, LeftOut, left_out
from capcurve.inference.limits import UNSEEN_WEIGHTS, around
from capcurve.inference.rates import limits_of_rate
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits
from capcurve.inference.selections import HEAVY_ROWS
from capcurve.inference.variances import moves_of
from capcurve.metrics import METRICS
from capcurve.metrics.association import judged_at, kappa_of
from capcurve.numbers.arguments import arg, spoken
from capcurve.numbers.meeting import selected_at
from capcurve.numbers.order import places_in
from capcurve.show.format import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from capcurve.counts import PartialCounts, ScoreCounts
    from capcurve.numbers.types import Floats

Target: TypeAlias = Literal["population", "cases"]
POPULATION: Target = "population"
# Limits are drawn in only where the rarer class has so many labels, and kappa's take fewer labels
# for more only where so many agree and disagree.
ENOUGH_OF_RARER, ENOUGH_OF_EACH = 20, 5
# How many times the variance of as many labels at random that of kappa may be.
LEAST_EFFECT, MOST_EFFECT = 0.5, 20.0
# The powers of ten between which the multiplier is sought that fits rates to a share, and the
# least move of the share that is no rounding.
MULTIPLIERS, UNMOVED = (-10.0, 14.0), 1e-15
BY_CELLS, OF_KAPPA, OF_SIDES = "post_stratified", "fisher", "mover"
OF_HEAVY_ROWS = {HEAVY_ROWS, UNSEEN_WEIGHTS}
ALL_LABELLED = "all of these cases are labelled, so the number is known"
STANDING = (
    "each label stands for its share of the cases with such scores; that labels are random among "
    "cases with the same score cannot be tested"
)
TARGETS = {
    "population": "limits are for the cases that these are drawn from",
    "cases": "limits are for these very cases",
}
OF_AGREEMENT = "score and label agree on {} of cases, and kappa moves with the share of positives"
ONE_CLUSTER = "all labels are of one cluster, or one group of them, which shows nothing of others"


@dataclass(frozen=True, slots=True)
class CellRates:
    """Rates of positives in cells, of all strata one after another; sums have shape (H,)."""

    shares: Floats  # W of all cases
    rates: Floats
    labels: Floats
    left: Floats  # which share of its cases has no label
    n: float  # all cases, as if they weighed alike
    left_out: LeftOut | None = None  # the estimate without each group of clusters

    @classmethod
    def of(cls, strata: Sequence[LabelledCells]) -> CellRates:
        """Return the rates of the cells of each stratum, all in one sum."""
        cases, rates, labels, labelled = (
            np.concatenate([getattr(each, name) for each in strata])
            for name in ("cases", "rates", "labels", "labelled")
        )
        found = cls(
            cases / cases.sum(), rates, labels, 1 - labelled, sum(each.n for each in strata)
        )
        if len({each.groups.shape[1] for each in strata}) > 1:
            raise ValueError(
                "some strata have clusters and some have none; count all with "
                f"{arg('cluster')}, or none"
            )
        if not strata[0].groups.shape[1]:
            return found
        groups = np.concatenate([each.groups for each in strata], axis=2)
        held = groups[1].sum(axis=1) > 0
        if held.sum() < designs.LEAST_GROUPS:
            raise ValueError(ONE_CLUSTER)
        cases, weight, positives = np.concatenate(
            [each.without_groups(held) for each in strata], axis=2
        )
        without = (cases * positives / weight).sum(axis=1) / cases.sum(axis=1)
        return replace(found, left_out=_without(np.array([found.estimate]), without[:, None]))

    @property
    def estimate(self) -> float:
        """The share of positives."""
        return float(self.shares @ self.rates)

    def variance(self, of: Target, rates: Floats, labels: Floats) -> float:
        """Return the variance of the share at such rates, of these cases or of their population."""
        share, spread = float(self.shares @ rates), rates * (1 - rates) / labels
        drawn = max(share * (1 - share), 0.0) / self.n if of == "population" else 0.0
        return float((self.shares**2 * self.left * spread).sum()) + drawn

    def interval(self, of: Target, confidence: Confidence) -> Interval:
        """Return Wilson's interval for a weighted sum of rates, wider where clusters are alike."""
        notes = () if self.left_out is None else self.left_out.few()
        least = np.maximum(self.labels - 1, 1)
        own, se = (
            math.sqrt(self.variance(target, self.rates, least)) for target in (POPULATION, of)
        )
        effect = _effect(self.left_out, own)
        limits = self.over(effect).limits(of, _quantile(self.left_out, confidence))
        se = _se_of_clusters(self.left_out, se, effect, of)
        method = BY_CELLS if self.left_out is None else f"{BY_CELLS}, {self.left_out.method}"
        return confidence.interval(self.estimate, limits, (0.0, 1.0), method, se, notes)

    def over(self, effect: float) -> CellRates:
        """Return the rates of fewer rows, which vary as clusters with such a design effect do."""
        return replace(self, labels=self.labels / effect, n=self.n / effect)

    def freedom(self) -> float:
        """Return the degrees of freedom of the variance: few where a few labels decide it."""
        # Satterthwaite (1946), Biometrics Bulletin 2.
        spread = self.shares**2 * self.left / self.labels
        squares = float((spread**2 / np.maximum(self.labels - 1, 1)).sum())
        return max(float(spread.sum()) ** 2 / squares if squares > 0 else math.inf, 1.0)

    def part(self, chosen: slice) -> CellRates:
        """Return the rates of some cells alone."""
        share = float(self.shares[chosen].sum())
        rates, labels, left = (each[chosen] for each in (self.rates, self.labels, self.left))
        return CellRates(self.shares[chosen] / share, rates, labels, left, self.n * share)

    def limits(self, of: Target, quantile: float) -> Limits:
        """Return the least and greatest share that is within so many standard errors."""
        low, high = (self._limit(sign, of, quantile) for sign in (1, -1))
        if of == "cases":  # whatever those without a label are
            known = float((self.shares * (1 - self.left) * self.rates).sum())
            low, high = max(low, known), min(high, known + float((self.shares * self.left).sum()))
        return around((low, high), self.estimate)

    def _limit(self, sign: int, of: Target, quantile: float) -> float:
        """Return the limit that a multiplier of this sign finds."""
        from scipy.optimize import brentq

        estimate, free = self.estimate, self.left > 0
        labels = float(self.labels[free].sum())
        factor = labels / max(labels - free.sum() + 1, 1.0)

        def beyond(power: float) -> float:
            rates = self._fitted(sign * 10.0**power)
            theta = float(self.shares @ rates)
            if abs(estimate - theta) < UNMOVED:  # as yet, with rates of 0 and 1
                return -1.0
            variance = self.variance(of, rates, self.labels / factor)
            return abs(estimate - theta) - quantile * math.sqrt(variance)

        if not quantile:
            return estimate
        if beyond(MULTIPLIERS[1]) > 0:
            power = brentq(beyond, *MULTIPLIERS, xtol=1e-14, maxiter=200)
            return float(self.shares @ self._fitted(sign * 10.0**power))
        # Of wholly labelled cells no rate can move, so chance in drawing these cases is added.
        end = float(self.shares @ self._fitted(sign * 10.0 ** MULTIPLIERS[1]))
        if of == "cases":
            return end
        drawn = limits_of_rate(estimate, self.n, "wilson", Confidence.at(quantile))
        reach = math.hypot(estimate - end, estimate - drawn[0 if sign > 0 else 1])
        return min(max(estimate - sign * reach, 0.0), 1.0)

    def _fitted(self, multiplier: float) -> Floats:
        """Return the rates that fit the labels best among those with another share of positives."""
        free = self.left > 0
        rates, moved = self.rates.copy(), multiplier * self.shares[free]
        labels = self.labels[free] / self.left[free]
        positives = labels * rates[free]
        a = labels + moved
        d = np.sqrt(np.maximum(a * a - 4 * moved * positives, 0.0))
        rates[free] = np.where(
            a > 0, 2 * positives / np.where(a > 0, a + d, 1), (a - d) / (2 * moved)
        )
        return np.clip(rates, 0.0, 1.0)


def _effect(found: LeftOut | None, se: float) -> float:
    """Return by what factor clusters raise the variance over that of independent rows."""
    clustered = found is not None and se > designs.ERROR_ROUNDING
    return max((found.se() / se) ** 2, 1.0) if found and clustered else 1.0


def _se_of_clusters(found: LeftOut | None, se: float, effect: float, of: Target) -> float:
    """Return the standard error: of these cases, of which the jackknife says nothing, by effect."""
    return found.se() if found is not None and of == "population" else se * math.sqrt(effect)


def _quantile(found: LeftOut | None, confidence: Confidence, freedom: float = math.inf) -> float:
    """Return how many standard errors limits are away: of clusters by Student's t."""
    freedom = freedom if found is None else max(found.groups - 1, 1)
    return confidence.z if math.isinf(freedom) else confidence.t(freedom)


def _without(values: Floats, found: Floats) -> LeftOut:
    """Return numbers and how far they are from their mean without each group, shape (G, m)."""
    sizes = ClassSizes(len(found), len(found))
    return left_out(values, found - found.mean(axis=0), len(found), sizes)


@dataclass(frozen=True, slots=True)
class LabelledSample:
    """Labelled cases that stand for all, and the cells in which they do."""

    known: Any  # the labelled cases
    cells: LabelledCells
    counts: Any  # the labelled cases, weighted

    @classmethod
    def of(cls, partial: PartialCounts, plan: LabelPlan) -> LabelledSample:
        """Return the labelled cases, weighted."""
        designs.require_rows(partial.known)
        cells = plan.cells(partial)
        return cls(partial.known, cells, standing_for(partial.known, cells))

    def estimates(
        self, values: Floats, moves: Sequence[Floats], of: Target, added: float = 0.0
    ) -> Estimates:
        """Return numbers with their variance, of how far each positive and negative moves them.

        Moves have shape (m, K), 0 on average over all cases.
        """
        # Chance in which cases of a cell have a label, and that in drawing these cases.
        known, cells, at = self.known, self.cells, self.cells.of(self.known)
        inside = np.equal.outer(at, np.arange(len(cells.cases)))
        sums, roots = (known.positives, known.negatives), roots_of(known)
        # So many labels more in each cell, positive as often as all, give pure cells a spread.
        rate, alike = float(self.counts.n1 / self.counts.n), (added / cells.labels)[at]
        more = [of_class * alike * (sums[0] + sums[1]) for of_class in (rate, 1 - rate)]
        means = sum((m * (s + a)) @ inside for m, s, a in zip(moves, sums, more, strict=True))
        middle = (means / (cells.weight * (1 + added / cells.labels)))[:, at]
        part = cells.shares**2 * (1 - cells.labelled) * cells.labels
        part = (part / np.maximum(cells.labels + added - 1, 1))[at]
        each = [moved - middle for moved in moves]
        one = 1 / (cells.labels * cells.weight)[at]
        squares = ((root / cells.weight[at]) ** 2 for root in roots)
        masses = [(square + a * one) * part for square, a in zip(squares, more, strict=True)]
        if of == "population":
            each += moves
            masses += [(root / cells.cases.sum()) ** 2 * cells.factors[at] for root in roots]
        sizes = designs.effective_sizes(self.counts)
        return Estimates(values, tuple(each), tuple(masses), sizes, 0.0, "labels of cells")

    def without_groups(self, numbers: Callable[[Any], Any]) -> LeftOut | None:
        """Return numbers of the weighted cases without each group of clusters; None of rows."""
        known, cells = self.known, self.cells
        if known.groups is None:
            return None
        held = cells.groups[1].sum(axis=1) > 0
        others = _others([group for group, has in zip(known.groups, held, strict=True) if has])
        found = [
            np.atleast_1d(numbers(standing_for(rest, replace(cells, cases=cases, weight=weight))))
            for rest, cases, weight in zip(others, *cells.without_groups(held)[:2], strict=True)
        ]
        return _without(np.atleast_1d(numbers(self.counts)), np.array(found))


def _others(groups: Sequence[Any]) -> Iterator[Any]:
    """Yield the counts of all groups of clusters but each in turn."""
    if len(groups) < designs.LEAST_GROUPS:
        raise ValueError(ONE_CLUSTER)
    for place in range(len(groups)):
        yield type(groups[0]).merge([*groups[:place], *groups[place + 1 :]])


# Numbers at a cut-off, of the cases of each kind or of their shares.
OF_KINDS: Mapping[str, Callable[..., Any]] = {
    "captured_response": lambda tp, fn, *_: tp / (tp + fn),
    "precision": lambda tp, _, fp, __: tp / (tp + fp),
    "lift": lambda tp, fn, fp, tn: tp / (tp + fn) / (tp + fp) * (tp + fn + fp + tn),
    "kappa": kappa_of,
}
COMPLEX_STEP = 1e-30  # so small that its square adds nothing


def _slopes(name: str, shares: Sequence[float] | Floats) -> Floats:
    """Return how far a case of each kind (tp, fn, fp, tn) moves a number at a cut-off."""
    # A complex step gives derivatives without a difference in which digits cancel. They are 0 on
    # average over all cases, because numbers of shares and of cases are the same. Those of kappa
    # give the standard error of Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72.
    steps = np.array(shares)[:, None] + COMPLEX_STEP * 1j * np.eye(len(shares))
    return np.asarray(OF_KINDS[name](*steps).imag / COMPLEX_STEP)


@dataclass(frozen=True, slots=True)
class RankingAsked:
    """The AUC, or a number of the cases that a cut-off selects."""

    name: str
    q: float | None = None
    threshold: Any = None

    def value(self, counts: Any) -> float:
        """Return the number of counts."""
        if self.threshold is not None and self.name != "kappa":
            return self.of_kinds(each / counts.n for each in judged_at(counts, self.threshold))
        place = {"q": self.q, "threshold": self.threshold}
        needed = {name: each for name, each in place.items() if each is not None}
        return METRICS[self.name].value(counts, **needed)

    def of_sides(self, values: Sequence[float]) -> float:
        """Return the number from the rate of positives on each side, and the share selected."""
        better, worse, chosen = values
        tp, fn = chosen * better, (1 - chosen) * worse
        return self.of_kinds((tp, fn, chosen - tp, 1 - chosen - fn))

    def of_kinds(self, shares: Iterable[float]) -> float:
        """Return the number from the shares of true and false; NaN without what it is out of."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(OF_KINDS[self.name](*map(np.float64, shares)))

    def moves(self, counts: ScoreCounts) -> tuple[Floats, Floats]:
        """Return how far each positive and negative moves it, 0 on average over all cases."""
        n = float(counts.n)
        if self.name == "roc_auc":
            of_positives, of_negatives = moves_of(counts, None)
            return of_positives * (n / counts.n1), of_negatives * (n / counts.n0)
        p, f = counts.positives / n, counts.negatives / n
        # The cut-off stays where it is, and so does a share q of cases, over which lift is captured
        # response.
        name, over = self.name, 1.0
        if self.q is None:
            inside = (np.arange(len(counts)) < selected_at(counts, self.threshold)).astype(float)
        else:
            inside = np.clip((self.q - np.cumsum(p + f) + p + f) / (p + f), 0.0, 1.0)
            name, over = ("captured_response", self.q) if name == "lift" else (name, 1.0)
        shares = [float(side @ column) for column in (p, f) for side in (inside, 1 - inside)]
        tp, fn, fp, tn = _slopes(name, shares) / over
        return inside * tp + (1 - inside) * fn, inside * fp + (1 - inside) * tn


def compared_by_labels(partial: PartialCounts, plan: LabelPlan, added: float = 0.0) -> Estimates:
    """Return the AUCs of scores counted together, from the cells of the first."""
    asked, sample = RankingAsked("roc_auc"), LabelledSample.of(partial, plan)
    names, counts = partial.names, sample.counts

    def values(weighted: Any) -> list[float]:
        return [asked.value(weighted.margin(name)) for name in names]

    jackknife = sample.without_groups(values)
    if jackknife is not None:
        return jackknife
    margins = [counts.margin(name) for name in names]
    moves = []
    for side in zip(*map(asked.moves, margins), strict=True):
        places = map(places_in, margins, counts.scores)
        moves.append(np.array([moved[at] for moved, at in zip(side, places, strict=True)]))
    return sample.estimates(np.array(values(counts)), moves, "population", added)


def interval_of_labels(
    partial: PartialCounts,
    asked: RankingAsked,
    plan: LabelPlan,
    of: Target,
    confidence: Confidence,
    usual: Callable[[Any], Interval],
) -> Interval:
    """Return the interval of a number of all cases, from the `usual` one of weighted counts."""
    if asked.name == "prevalence":
        return CellRates.of([plan.cells(partial)]).interval(of, confidence)
    if not partial.unknown.n > 0:
        found = usual(partial.known)
        return found if of == "population" else confidence.certain(found.estimate, ALL_LABELLED)
    sample = LabelledSample.of(partial, plan)
    counts = sample.counts
    for needed, total in {"positives": counts.n1, "negatives": counts.n0}.items():
        if asked.name != "kappa" and not total > 0:
            raise ValueError(
                f"no {needed} among the labels, so the {METRICS[asked.name].label} has no limits; "
                f"the share of positives has some: {spoken('estimate_rate(partial)')}"
            )
    moves, jackknife = asked.moves(counts), sample.without_groups(asked.value)
    own, se = (
        sample.estimates(np.zeros(1), [each[None] for each in moves], target).se()
        for target in (POPULATION, of)
    )
    effect = _effect(jackknife, own)
    if asked.name == "kappa":
        found = _interval_of_kappa(asked, counts, partial.known, se, effect, confidence)
    elif asked.threshold is not None:
        found = _interval_of_sides(asked, sample, of, effect, jackknife, confidence)
    else:
        found, plain = usual(counts), _se_of_rows(counts, moves)
        part = min(se / plain, 1.0) if plain > 0 else 1.0
        found = _interval_drawn_in(found, asked, sample, of, part, confidence)
    se = _se_of_clusters(jackknife, se, effect, of)
    return replace(found, se=se).with_notes(STANDING, TARGETS[of])


def _interval_of_sides(
    asked: RankingAsked,
    sample: LabelledSample,
    of: Target,
    effect: float,
    jackknife: LeftOut | None,
    confidence: Confidence,
) -> Interval:
    """Return the interval of a number at a threshold, from the rates on either side."""
    estimate, rates = asked.value(sample.counts), CellRates.of([sample.cells])
    quantile = _quantile(jackknife, confidence, rates.freedom())
    limits = _limits_of_sides(asked, sample.cells, rates.over(effect), of, quantile)
    ends = METRICS[asked.name].ends
    return confidence.interval(estimate, around(limits, estimate), ends, OF_SIDES, None)


def _limits_of_sides(
    asked: RankingAsked, cells: LabelledCells, rates: CellRates, of: Target, quantile: float
) -> Limits:
    """Return limits from those of the rate on each side and of the share selected (MOVER)."""
    # Zou & Donner (2008), Statistics in Medicine 27. Rates of cells keep their width where all
    # labels are of one class, which the variance of the number does not.
    cut = int(cells.of_every[selected_at(cells.every, asked.threshold) - 1]) + 1
    sides = rates.part(slice(cut)), rates.part(slice(cut, None))
    chosen = float(rates.shares[:cut].sum())
    drawn = limits_of_rate(chosen, rates.n, "wilson", Confidence.at(quantile))
    values = [*(side.estimate for side in sides), chosen]
    limits = [side.limits(of, quantile) for side in sides]
    moved = np.zeros((3, 2))
    for place, ends in enumerate([*limits, drawn if of == "population" else (chosen, chosen)]):
        for end, limit in enumerate(ends):
            moved[place, end] = asked.of_sides([*values[:place], limit, *values[place + 1 :]])
    estimate = asked.of_sides(values)
    away = np.nan_to_num(moved - estimate)
    down, up = (float(np.linalg.norm((sign * away).max(axis=1, initial=0.0))) for sign in (-1, 1))
    least, most = METRICS[asked.name].ends
    return max(estimate - down, least), min(estimate + up, most)


def _interval_drawn_in(
    found: Interval,
    asked: RankingAsked,
    sample: LabelledSample,
    of: Target,
    part: float,
    confidence: Confidence,
) -> Interval:
    """Return the interval of weighted counts, drawn in to the part of it that cells leave."""
    known, cells, ends = sample.known, sample.cells, METRICS[asked.name].ends
    drawn = max(part, cells.left_to_chance()) if of == "cases" else part
    few = min(designs.rows_per_class(known)) < ENOUGH_OF_RARER
    # At a share the cut-off moves with the cases, and the variance has it stay.
    if few or found.estimate in ends or asked.q is not None:
        left = 1 - cells.weight.sum() / sample.counts.n
        drawn = 1.0 if of == "population" else math.sqrt(left)
    low, high = (_nearer(limit, found.estimate, drawn, ends) for limit in found)
    low, high = confidence.opened(around((low, high), found.estimate), found.limits)
    own_weights = known.weights is not None
    notes = tuple(n for n in found.notes if own_weights or n not in OF_HEAVY_ROWS)
    return replace(found, low=low, high=high, notes=notes)


def _nearer(limit: float, value: float, part: float, ends: Limits) -> float:
    """Return a limit drawn in to a part of its distance, in log odds between the ends."""
    least, most = ends
    if part in (0, 1):
        return limit if part else value
    if value in ends:
        return value + part * (limit - value)
    if math.isinf(most):
        return least + float((value - least) ** (1 - part) * (limit - least) ** part)
    if limit in ends:
        return limit
    odds, far = ((each - least) / (most - each) for each in (value, limit))
    between = float(odds ** (1 - part) * far**part)
    return least + (most - least) * between / (1 + between)


def _se_of_rows(counts: ScoreCounts, moves: Sequence[Floats]) -> float:
    """Return the standard error of a number of independent rows, weighted as they are."""
    pairs = zip(roots_of(counts), moves, strict=True)
    return math.sqrt(sum(float(((roots / counts.n * moved) ** 2).sum()) for roots, moved in pairs))


def kappa_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of kappa; "jackknife" leaves out groups of clusters."""
    counts, asked = request.counts.every_score(), RankingAsked("kappa", None, request.threshold)
    check_threshold(counts, request.threshold)
    own, jackknife = _se_of_rows(counts, asked.moves(counts)), None
    if method == "jackknife":
        found = [[asked.value(each)] for each in _others([g for g in counts.groups if len(g)])]
        jackknife = _without(np.array([asked.value(counts)]), np.array(found))
    effect = _effect(jackknife, own)
    interval = _interval_of_kappa(asked, counts, counts, own, effect, request.confidence)
    return replace(interval, se=_se_of_clusters(jackknife, own, effect, "population"))


def _interval_of_kappa(
    asked: RankingAsked,
    counts: ScoreCounts,
    known: Any,
    se: float,
    effect: float,
    confidence: Confidence,
) -> Interval:
    """Return the interval of kappa: half a label added to each kind, on the scale of artanh."""
    shares = np.array([float(each / counts.n) for each in judged_at(counts, asked.threshold)])
    agreed, labels = shares[0] + shares[3], float(sum(designs.rows_per_class(known)))
    held = [float(each / known.n) * labels for each in judged_at(known, asked.threshold)]
    plain, apart = float(shares @ _slopes("kappa", shares) ** 2) / labels, 1.0
    if plain * labels > designs.ERROR_ROUNDING**2:  # else nothing but rounding moves kappa
        few = min(held[0] + held[3], held[1] + held[2]) < ENOUGH_OF_EACH
        apart = min(max(se**2 / plain, 1.0 if few else LEAST_EFFECT), MOST_EFFECT)
    n = labels / (apart * effect)
    smoothed = (shares * n + 0.5) / (n + 2)
    value = float(kappa_of(*smoothed))
    spread = float(smoothed @ _slopes("kappa", smoothed) ** 2) / (n + 2)
    half = confidence.t(max(n - 1, 1.0)) * math.sqrt(spread) / (1 - value**2)
    estimate, middle = asked.value(counts), math.atanh(value)
    limits = around((math.tanh(middle - half), math.tanh(middle + half)), estimate)
    note = OF_AGREEMENT.format(percent(agreed))
    return confidence.interval(estimate, limits, (-1.0, 1.0), OF_KAPPA, se, (note,))
