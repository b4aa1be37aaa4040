"""Intervals and the test of numbers read off amounts: limits that hold with few unequal events."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Amounts, Ranking, ScoreCounts, ValueCounts, ValueSums
from capcurve.curves import profit_curve
from capcurve.curves.shares import require, require_amount
from capcurve.inference import designs
from capcurve.inference.amounts import (
    SPREADS,
    SUM_ROUNDING,
    AmountSpread,
    gain_over_chance,
    squared_amounts,
)
from capcurve.inference.differences import distance_by_limits
from capcurve.inference.discrimination import discrimination_test
from capcurve.inference.limits import ByError, around, cut_at_ends, envelope, percentiles
from capcurve.inference.records import Confidence, Interval, IntervalRequest, Limits, Test
from capcurve.inference.samples import Samples, Times, drawn, profits_per_case, without_groups
from capcurve.metrics import METRICS, lift
from capcurve.numbers.exact import refuse_beyond
from capcurve.show.format import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.numbers.types import Floats, Places

SUREST = (
    "the upper limit allows for rows with {} of the amount that rank first of all, although none "
    "of these does. Without them it is {}"
)
ONE_EVENT = "one row has all of the amount, so the interval is the whole range"
NO_SPREAD_OF_AMOUNTS = (
    "leaving out groups of clusters shows no spread, so the interval is the whole range"
)
# Simulated: with fewer equal large amounts limits of AR held in 84 to 91%, with more in 91% and
# more; of the mean amount in 83 to 92%, and then in 91% (log-normal 1.5, Weibull 0.4, two sizes).
FEW_LARGE_AMOUNTS, FEW_LARGE_OF_MEAN = 10, 20
WIDEST_MEAN = 3  # a mean of which the upper limit is so many times the estimate is not known
# Of so many exponential amounts the largest holds (ln m + 0.577)/m on average.
SMALL_SHARE, FEW_EVENTS = 0.01, 50
HEAVY_AMOUNTS = (
    "most rows have an amount, and some are large. Such intervals then contain the true value less "
    "often than stated (70 to 92% in simulations of 20 to 1,000 rows), because samples do not show "
    "the tail"
)
MOST_PROFIT_CUTOFFS = 300  # cut-offs at which the profit is looked at
RISKS = ("aurc", "augrc", "excess_aurc", "selective_risk")


def amounts_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of a number read off amounts."""
    # "wald" limits are symmetric about the number, "fisher" ones on the scale of its inverse
    # hyperbolic tangent, "logit" ones on that of ln(c/(1 - c)), "log" ones on that of the
    # logarithm, all with Student's t; the envelope of both, moved out by what unseen rows could do,
    # covers best. "jackknife" leaves out groups of clusters.
    values, name, q, confidence = request.counts, request.name, request.q, request.confidence
    place = request.place | ({"coverage": request.coverage} if name == "selective_risk" else {})
    signed_mean = name == "mean_amount" and values.signed
    require_amount(values, absolute=name == "accuracy_ratio" or signed_mean)
    if name == "lift":
        found = amounts_interval(replace(request, name="captured_response"), method)
        return found.over(q, lift(values, q))
    if q == 1 and name == "captured_response":
        return confidence.certain(1.0, "all rows are selected, so this holds in any sample")
    if method == "bootstrap":
        return _resampled(request, values.every_row())
    return limited(values, name, method, place)(confidence)


def limited(
    values: Amounts, name: str, method: str, place: dict[str, Any]
) -> Callable[[Confidence], Interval]:
    """Return the interval of a number at any confidence; what takes the rows is done once."""
    estimate, ends = METRICS[name].value(values, **place), _ends(name, signed=values.signed)
    spread: AmountSpread | None = None
    one = values.m == 1 and not values.signed
    if method == "jackknife" and not one:
        spread = _without_groups(values.every_row(), name, estimate, place)
    if one or (method == "jackknife" and spread is None):
        note = ONE_EVENT if one else NO_SPREAD_OF_AMOUNTS
        return lambda sure: sure.interval(estimate, ends, ends, "definition", None, (note,))
    found = _Found(
        name,
        values,
        estimate,
        spread or SPREADS[name](values, **place),
        method,
        place.get("q", place.get("coverage")),
        effective_events(values),
        gain_over_chance(values) if name in ("accuracy_ratio", "concentration_index") else 0.0,
    )
    return partial(_limits_at, found, ends)


def _ends(name: str, *, signed: bool) -> Limits:
    """Return between which values a number lies; a mean of unsigned amounts is not negative."""
    low, high = METRICS[name].ends
    if name in RISKS:
        return 0.0, math.inf
    return (0.0 if name == "mean_amount" and not signed else low), high


def _without_groups(
    values: ValueCounts, name: str, estimate: float, place: dict[str, Any]
) -> AmountSpread | None:
    """Return the spread that leaving out groups of clusters shows, or None without any."""
    left = without_groups(values, _of_samples(name, place))
    if left.too_few or left.se() <= designs.ERROR_ROUNDING:
        return None
    df = max(1.0, min(left.freedom(left.sizes.positives), effective_events(values) - 1))
    # Samples have scaled means, whose squares are floats.
    in_units = name in ("mean_amount", *RISKS) and left.values[0]
    scale = estimate / float(left.values[0]) if in_units else 1.0
    return AmountSpread(left.se() * abs(scale), df, left.notes(df, left.sizes.positives))


def _of_samples(name: str, place: dict[str, Any]) -> Callable[[Samples, Times], float]:
    """Return the number as a function of samples."""
    asked = {"q": None, **place} if name == "mean_amount" else place
    return lambda samples, times: getattr(samples, name)(times, **asked)


def effective_events(values: Amounts) -> float:
    """Return how many equal amounts vary as much as these, (Σa)²/Σa²."""
    # All rows with an amount where some are below zero.
    if values.signed:
        return float(values.m)
    scale, squares = -values.by_stretch().exponents[0], float(squared_amounts(values)[0])
    if not squares > 0:
        return 1.0
    return float(np.ldexp(float(values.amount), scale) ** 2 / squares)


@dataclass(frozen=True, slots=True)
class _Found:
    """A number, its spread, and which limits are asked for."""

    name: str
    values: Amounts
    estimate: float
    spread: AmountSpread
    method: str
    q: float | None
    events: float  # the effective number
    over_chance: float  # standard errors by which the order gains over random ones

    def by_error(self, confidence: Confidence, ends: Limits) -> ByError:
        """Return limits by the standard error, with Student's t."""
        ended = (end for end in ends if abs(self.estimate - end) <= SUM_ROUNDING)
        value = next(ended, self.estimate)
        return ByError(value, self.spread.se, confidence.t(self.spread.df), ends)


def _limits_at(found: _Found, ends: Limits, confidence: Confidence) -> Interval:
    by_name = {"captured_response": _of_share, **dict.fromkeys(("mean_amount", *RISKS), _of_mean)}
    limits = by_name.get(found.name, _of_ratio)(found, confidence)
    limits, surest = _with_surest(found, limits, confidence)
    limits, cut = cut_at_ends(limits, ends, found.name.replace("_", " "))
    notes = (*found.spread.notes, *_on_few(found, limits[1]), *surest, *cut)
    limits = around(limits, found.estimate)
    return confidence.interval(found.estimate, limits, ends, found.method, found.spread.se, notes)


def _of_ratio(found: _Found, confidence: Confidence) -> Limits:
    """Return limits of an accuracy ratio or a concentration index."""
    # Neither is nearer to a perfect ranking than if a kind of rows stood at the wrong end that the
    # sample lacks, as samples of a good ranking do; and 0 is within the limits where scores dealt
    # at random over the rows get as far: few large rows that rank alike show no spread.
    by_error = found.by_error(confidence, (-1.0, 1.0))
    low, high = by_error.plain
    if found.method == "wald":
        return low, high
    if fisher := by_error.scaled:
        if found.method == "fisher":
            return fisher
        low, high = envelope((low, high), fisher)
    if abs(found.estimate) <= SUM_ROUNDING:
        return low, high
    of_ratio = found.name == "accuracy_ratio"
    reach = _ratio_at_worst(found, confidence) if of_ratio else _index_at_worst(found.values)
    if abs(found.over_chance) <= confidence.z:
        reach = min(reach, 0.0)
    return (min(low, reach), high) if found.estimate > 0 else (low, max(high, -reach))


def _ratio_at_worst(found: _Found, confidence: Confidence) -> float:
    """Return the size of an accuracy ratio if rows that the sample lacks stood at the wrong end."""
    # Another one as large as the largest; or, where that is less, the share 1 - α^(1/κ) of the
    # amount: Clopper & Pearson (1934) at none of κ, the effective number of events.
    size, values = abs(found.estimate), found.values
    gained = float(Fraction(values.areas()[1]) / Fraction(values.exposure))
    one_more = (size * gained - values.largest) / (gained + values.largest)
    return max(one_more, (1 + size) * float(confidence.tail ** (1 / found.events)) - 1)


def _index_at_worst(values: Amounts) -> float:
    """Return the least index of the best order after one more row like one of these at its end."""
    # Where rows are not held, it is like the largest amount with as little exposure as may be.
    total = Fraction(values.amount) * Fraction(values.exposure)
    index = float(Fraction(values.areas()[1]) / total)
    amounts, exposures = np.array([values.largest]), np.array([0.0 if values.has_exposure else 1.0])
    if not isinstance(values, ValueSums):
        amounts, exposures = values.holding.amounts, values.holding.exposures
    held, selected = amounts / float(values.amount), exposures / float(values.exposure)
    return float(((index - held + selected) / (1 + held) / (1 + selected)).min())


def _of_share(found: _Found, confidence: Confidence) -> Limits:
    """Return limits of a captured response."""
    # The envelope allows for one unseen row as large as the largest, outside or inside the top.
    share, values = found.estimate, found.values
    by_error = found.by_error(confidence, (0.0, 1.0))
    if found.method == "wald":
        return by_error.plain
    if found.method == "logit" and by_error.scaled and by_error.se > 0:
        return by_error.scaled
    whole = 1 + values.largest / float(values.amount)
    joined = by_error.joined(found.events, confidence)
    return envelope(joined, (share / whole, (share + whole - 1) / whole))


def _of_mean(found: _Found, confidence: Confidence) -> Limits:
    """Return limits of the mean amount of the top, or of all; one unseen row may be in it."""
    values, numbers = found.values, np.array([found.estimate, found.spread.se])
    (largest, exposure), (ea, ee) = np.frexp([values.largest, float(values.exposure)])
    exponent = int(max(*np.frexp(numbers)[1], ea - ee))
    one = float(np.ldexp(largest / exposure, ea - ee - exponent)) / (found.q or 1.0)
    mean, se = np.ldexp(numbers, -exponent).tolist()
    low, high = _unscaled(_of_scaled_mean(found, confidence, mean, se, one), exponent).tolist()
    return low, high


def _with_surest(found: _Found, limits: Limits, sure: Confidence) -> tuple[Limits, tuple[str, ...]]:
    """Return limits of an AURC that allow for unseen rows with an amount, surest of all."""
    # Clopper & Pearson (1934) at none of κ, the effective number; at x a case weighs -ln x.
    if found.name not in ("aurc", "excess_aurc") or found.method in ("wald", "log"):
        return limits, ()
    values, share = found.values, 1 - float(sure.for_one().tail ** (1 / found.events))
    surest = 1 - math.log(share * values.m / values.n)
    moved = METRICS["mean_amount"].value(values) * surest - METRICS["aurc"].value(values)
    if not limits[1] < (most := found.estimate + share * moved) < math.inf:
        return limits, ()
    return (limits[0], most), (SUREST.format(percent(share), f"{limits[1]:.4g}"),)


def _of_scaled_mean(
    found: _Found, confidence: Confidence, mean: float, se: float, one: float
) -> Limits:
    """Return limits of a mean up to about 1; `one` is what one more row would add to it."""
    by_error = ByError(mean, se, confidence.t(found.spread.df), (0.0, np.inf))
    plain = by_error.plain
    if found.method == "wald" or found.values.signed:
        return plain
    if mean <= SUM_ROUNDING * one:
        # -ln of what a limit may miss: as many rows may be expected and none seen.
        return (0.0, -float(np.log(confidence.tail)) * one)
    if found.method == "log":
        return by_error.scaled or plain
    return envelope((max(plain[0], 0.0), plain[1]), by_error.steady, (mean, mean + one))


def _unscaled(limits: Any, exponent: int) -> Any:
    """Return limits, or samples, of a mean times a power of two; refuse what no float holds."""
    with np.errstate(over="ignore"):
        found = np.ldexp(limits, exponent)
    known = found[np.isfinite(limits)]
    refuse_beyond(known, "a limit of the mean amount", "scale the amounts down")
    return found


def _on_few(found: _Found, high: float) -> tuple[str, ...]:
    """Return warnings where limits rest on few rows, or miss a tail that samples do not show."""
    # Of the accuracy ratio they hold in 92% and more of samples with a tail.
    values, of_mean = found.values, found.name == "mean_amount"
    if values.signed:
        return ()
    share, notes = values.largest / float(values.amount), []
    # How many equal large amounts have squares that vary as much, (Σa²)²/Σa⁴.
    exponent = values.by_stretch().exponents[0]
    if isinstance(values, ValueSums):  # at least Σa² over the largest square
        large = float(values.saa.sum()) / float(np.ldexp(values.largest, -exponent)) ** 2
    else:
        squares, _, _, fourth = squared_amounts(values).tolist()
        large = squares**2 / fourth
    if large < (FEW_LARGE_OF_MEAN if of_mean else FEW_LARGE_AMOUNTS):
        notes.append(
            f"the interval depends on few rows, as if there were only {large:.2g}. The largest has "
            f"{percent(share)} of all"
        )
    if of_mean and high > WIDEST_MEAN * found.estimate:
        notes.append(
            f"the upper limit is {high / found.estimate:.2g} times the mean itself, so these rows "
            "show next to nothing about it"
            if found.estimate > 0
            else "no amount is in this mean, so the rows show next to nothing about it"
        )
    m, rest = values.m, values.n - values.m
    heavy = m < FEW_EVENTS or share > (np.log(m) + np.euler_gamma) / m
    if found.name != "accuracy_ratio" and m > rest and share >= SMALL_SHARE and heavy:
        notes.append(HEAVY_AMOUNTS)
    return tuple(notes)


def _resampled(request: IntervalRequest, values: ValueCounts) -> Interval:
    name, place, confidence = request.name, request.place, request.confidence
    estimate = METRICS[name].value(request.counts, **place)
    found = drawn(values, _of_samples(name, place), request.samples(), request.fixed_seed)
    defined = found[np.isfinite(found)]
    ends = _ends(name, signed=values.signed)
    if not len(defined):
        note = ("no replicate has an amount, so the interval is the whole range",)
        return confidence.interval(estimate, ends, ends, "definition", None, note)
    spread, shift = designs.standard_error(defined), 0
    if name == "mean_amount":  # samples have scaled ones, whose squares are floats
        ea, ee = values.by_stretch().exponents
        shift = ea - ee
    notes = [f"{len(found)} replicates; quantiles of type 7"]
    if len(defined) < len(found):
        notes.append(f"{len(found) - len(defined)} replicates without an amount were left out")
    known = _unscaled(defined, shift)
    limits = around(percentiles(known, confidence), estimate)
    se = None if spread is None else float(np.ldexp(spread, shift))
    return confidence.interval(estimate, limits, ends, "bootstrap", se, notes, known)


def best_profit_interval(request: IntervalRequest, method: str) -> Interval:
    """Return the interval of the profit of the best cut-off, which may select nobody."""
    # The best cut-off is found in the same rows, so samples exaggerate its profit: the lower limit
    # moves down by how far maxima drawn around the profits seen lie above theirs on average. The
    # upper one is the highest upper limit at any cut-off, with one more row as large as the
    # largest. "jackknife" leaves out groups of clusters. Of classes each positive has amount 1, and
    # half of one more is enough: simulated, 93.8% and more with 15 to 300 positives.
    values, value, cost = request.counts, request.value, request.cost
    classes = isinstance(values, Ranking)
    held: Any = values.every_score() if classes else values.by_score()
    ea, ee = (_exponent(held),) * 2 if classes else held.exponents
    if classes:
        require(held, "positives", "negatives")
    curve = profit_curve(held if classes else values, value=value, cost=cost).y
    unit = designs.unit_of_money(value, cost, (ea, ee))
    curve = np.ldexp(curve, -unit)
    # Of amounts and exposures as they are scaled.
    gain, loss = float(np.ldexp(value, ea - unit)), float(np.ldexp(cost, ee - unit))
    best = int(curve.argmax())
    estimate, confidence = max(0.0, float(curve[best])), request.confidence
    evenly = np.linspace(1, len(curve) - 1, MOST_PROFIT_CUTOFFS).astype(np.intp)
    places = np.union1d(evenly, max(best, 1))
    here = int(np.searchsorted(places, max(best, 1)))
    events = designs.effective_sizes(held).positives if classes else effective_events(values)
    each_most = (max(gain, 0.0) - loss) if classes else np.inf  # what one case brings at most
    most = float(np.ldexp(float(values.n), -ea)) * each_most
    if certain := _without_choice(request, method, most, (estimate, unit)):
        return certain
    if method == "jackknife":
        se, bias, df, notes = _without_groups_at(values, (gain, loss), places, here, ea)
    else:
        n, saa, sae, see = _squares_of(held)
        each = gain * gain * saa - 2 * gain * loss * sae + loss * loss * see
        squares = np.cumsum(np.maximum(each, 0.0))[places - 1]
        notes, whole = (), curve[places] ** 2 / n
        se = np.sqrt(np.maximum(squares - whole, 0.0) * (n / max(n - 1, 1)))
        bias, df = _exaggerated(curve[places], squares, request), np.inf
    t = confidence.t(max(min(df, events - 1), 1.0))
    at_best = float(se[here]) if estimate > 0 else 0.0
    highest = max(float((curve[places] + t * se).max()), 0.0)
    low = estimate - bias - t * at_best
    if classes:  # half of one that weighs as much as the positives do, as if all weighed alike
        one_more = each_most * float(np.ldexp(float(held.n1), -ea)) / events / 2
    else:
        one_more = max(gain, 0.0) * float(np.ldexp(values.largest, -ea))
    high = min(highest + one_more, max(most, estimate))
    note = (
        f"samples exaggerate a maximum, here by {np.ldexp(bias, unit):.4g}, and the lower limit is "
        "moved down by that. The upper one is the highest at any cut-off, with "
        f"{'half a positive more' if classes else 'one more row as large as the largest'}"
    )
    scaled = [max(low, 0.0), estimate, high, at_best]
    low, estimate, high, se_of_best = designs.profits_in_money(scaled, unit)
    ends, limits = (0.0, np.inf), around((low, high), estimate)
    # Selecting nobody brings nothing in any sample, and has no standard error.
    return confidence.interval(estimate, limits, ends, method, se_of_best or None, (*notes, note))


def _without_choice(
    request: IntervalRequest, method: str, most: float, found: tuple[float, int]
) -> Interval | None:
    """Return the interval of classes where no case pays, or one cluster has all of a class."""
    counts, (estimate, unit) = request.counts, found
    if most <= 0:
        note = "no case brings more than it costs, so none is selected in any sample"
        return request.confidence.certain(0.0, note)
    if not isinstance(counts, Ranking) or method != "jackknife":
        return None
    if designs.groups_per_class(counts.every_score()).rarer >= designs.LEAST_GROUPS:
        return None
    note = (
        "one group of clusters has all of the rarer class, so the interval is all that is possible"
    )
    value, low, high = designs.profits_in_money([estimate, 0.0, most], unit)
    ends, sure = (0.0, np.inf), request.confidence
    return sure.interval(value, (low, high), ends, "definition", None, (note,))


def _squares_of(held: Any) -> tuple[float, Floats, Floats, Floats]:
    """Return rows, and at each score sums of a², ae and e²; of classes positives have a = 1."""
    if not isinstance(held, ScoreCounts):
        return held.n, held.saa, held.sae, held.see
    roots = held.weights and (held.weights.positive_roots, held.weights.negative_roots)
    first, second = [np.ldexp(r, -_exponent(held)) ** 2 for r in roots] if roots else held.sums
    return designs.effective_cases(held), first, first, first + second


def _exponent(held: ScoreCounts) -> int:
    """Return by which power of two to divide weights, so that their squares are floats."""
    return int(np.frexp(designs.unit(held))[1]) if held.weights else 0


def _without_groups_at(
    values: Any, money: tuple[float, float], places: Places, here: int, exponent: int
) -> tuple[Floats, float, float, tuple[str, ...]]:
    """Return standard errors of profits at some places, how far their largest is exaggerated."""
    gain, loss = money
    if isinstance(values, Ranking):
        at = partial(profits_per_case, value=gain, cost=loss, cells=places - 1)
        left = designs.leave_out(values.every_score(), at)
    else:
        own = partial(Samples.profits, value=gain, cost=loss, places=places - 1)
        left = without_groups(values.every_row(), own)
    n, held = float(np.ldexp(float(values.n), -exponent)), left.sizes.positives
    lifted = designs.exaggeration(np.maximum(left.drawn(), 0.0), np.maximum(left.values, 0.0))
    df = left.along(np.eye(len(places))[[here]]).freedom(held)
    return n * np.sqrt(left.variances()), n * lifted, df, left.notes(df, held)


def _exaggerated(profits: Floats, spread: Floats, request: IntervalRequest) -> float:
    """Return by how much the largest of profits drawn around those seen lies above theirs."""
    rng = np.random.default_rng(request.fixed_seed)
    steps = np.sqrt(np.diff(spread, prepend=0.0))
    normal = rng.normal(size=(request.samples(), len(profits)))
    drawn = profits + np.cumsum(normal * steps, axis=1)
    return designs.exaggeration(np.maximum(drawn, 0.0), np.maximum(profits, 0.0))


def ratio_test(values: Amounts) -> Test:
    """Return the test that the accuracy ratio of amounts is 0, two-sided."""
    # It rejects where the interval of the same level leaves out 0: the p-value is that of the level
    # at which a limit just reaches it. Of a perfect order, which shows no spread, it is not below
    # the chance that some order of these rows is perfect. Of amounts that are all alike it is that
    # of the two classes which they stand for.
    from scipy.special import gammaln

    classes = values.as_classes()
    if classes is not None:
        return discrimination_test(classes, metric="accuracy_ratio")
    method = "envelope" if values.groups is None else "jackknife"
    interval = limited(values, "accuracy_ratio", method, {})
    usual = interval(Confidence())
    z = distance_by_limits(lambda sure: interval(sure).limits, usual.estimate, 0.0)
    p_value = math.erfc(abs(z) / math.sqrt(2))
    if abs(usual.estimate) == 1:
        # Of all orders of rows, so many at each score, two are perfect.
        rows = values.by_score().rows
        ways = float(gammaln(rows.sum() + 1.0) - gammaln(rows + 1.0).sum())
        p_value = max(p_value, min(1.0, 2 * float(np.exp(-ways))))
    return Test(
        name="accuracy ratio against 0",
        statistic=z,
        p_value=min(p_value, 1.0),
        method="level at which the limits of the accuracy ratio reach 0",
        estimate=usual.estimate,
        se=usual.se,
        metric="accuracy_ratio",
        notes=usual.notes,
    )
