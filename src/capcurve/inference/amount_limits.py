"""Intervals of numbers read off amounts: limits that hold with few events of very unequal size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import ValueSums
from capcurve.counts.exact import shifted
from capcurve.curves import profit_curve
from capcurve.curves.shares import require_amount
from capcurve.inference.amount_samples import Samples, drawn, without_groups
from capcurve.inference.amounts import (
    Spread,
    captured_spread,
    index_spread,
    mean_spread,
    ratio_spread,
)
from capcurve.inference.designs import NOTHING, standard_error
from capcurve.inference.limits import (
    Chance,
    around,
    cut_off,
    envelope,
    logarithmic,
    logit,
    percentiles,
)
from capcurve.inference.rates import rate_limits
from capcurve.metrics import (
    accuracy_ratio,
    captured_response,
    concentration_index,
    lift,
    mean_amount,
)
from capcurve.view.format import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from capcurve.counts import Amounts, ValueCounts
    from capcurve.counts.types import Floats, Places
    from capcurve.inference.amount_samples import Times
    from capcurve.inference.designs import Seed
    from capcurve.inference.records import Confidence, Interval, Limits

SIGNED_ENDS = (-1.0, 1.0)
SHARE_ENDS = (0.0, 1.0)
ONE_EVENT = "one row holds all of the amount, so the limits are the whole range"
# Limits rest on one row that holds more of the amount than this.
LARGE_SHARE = 0.1
# Of so many exponential amounts the largest holds (ln m + 0.577)/m on average.
SMALL_SHARE, FEW_EVENTS = 0.01, 50
HEAVY = (
    "most rows hold an amount, and some are large: of heavy-tailed amounts such limits hold less "
    "often than they say, 70 to 92% in simulations of 20 to 1,000 rows, as samples do not show the "
    "tail"
)
# Cut-offs at which the profit is looked at.
MOST_PLACES = 300
# Squares of profits beyond two to this power, or its inverse, may be no floats.
LARGEST_EXPONENT = 250
ESTIMATES: dict[str, Callable[..., float]] = {
    "accuracy_ratio": accuracy_ratio,
    "concentration_index": concentration_index,
    "captured_response": captured_response,
    "mean_amount": mean_amount,
}
SPREADS: dict[str, Callable[..., Spread]] = {
    "accuracy_ratio": ratio_spread,
    "concentration_index": index_spread,
    "captured_response": captured_spread,
    "mean_amount": mean_spread,
}


def amounts_interval(
    values: Amounts,
    name: str,
    confidence: Confidence,
    method: str,
    place: dict[str, Any],
    *,
    replicates: int = 2,
    seed: Seed = None,
) -> Interval:
    """Return the interval of a number read off amounts; `place` holds the share q, if any.

    "wald" limits are symmetric about the number, "fisher" ones on the scale of its inverse
    hyperbolic tangent, "logit" ones on that of ln(c/(1 - c)), "log" ones on that of the logarithm,
    all with Student's t; the envelope of both, moved out by one unseen row as large as the largest,
    covers best. "jackknife" leaves out groups of clusters.
    """
    require_amount(values, absolute=name in {"accuracy_ratio", "mean_amount"})
    if name == "lift":
        q = place["q"]
        found = amounts_interval(
            values, "captured_response", confidence, method, place, replicates=replicates, seed=seed
        )
        return found.over(q, lift(values, q))
    if place.get("q") == 1 and name == "captured_response":
        return confidence.certain(1.0, "all rows are selected, so this holds in any sample")
    estimate = ESTIMATES[name](values, **place)
    if method == "bootstrap":
        held = values.every_row()
        return _resampled(held, name, estimate, confidence, place, replicates, seed)
    if values.m == 1 and not values.signed:
        ends = _ends(name, signed=values.signed)
        return confidence.interval(estimate, ends, ends, "definition", None, (ONE_EVENT,))
    if method == "jackknife":
        return _without_groups(values.every_row(), name, estimate, confidence, place)
    return _limited(values, name, confidence, method, place, SPREADS[name](values, **place))


def _ends(name: str, *, signed: bool = False) -> Limits:
    if name == "mean_amount":
        return (-np.inf if signed else 0.0, np.inf)
    return SHARE_ENDS if name == "captured_response" else SIGNED_ENDS


def _number(samples: Samples, times: Times, *, name: str, place: dict[str, Any]) -> float:
    found: float = getattr(samples, name)(times, **place)
    return found


def _without_groups(
    values: ValueCounts,
    name: str,
    estimate: float,
    confidence: Confidence,
    place: dict[str, Any],
) -> Interval:
    left = without_groups(values, partial(_number, name=name, place=_with_share(name, place)))
    if name == "mean_amount" and left.values[0]:
        scale = estimate / float(left.values[0])
        left = replace(left, values=left.values * scale, moves=(left.moves[0] * scale,))
    if left.too_few or left.se() <= NOTHING:
        ends = _ends(name, signed=values.signed)
        note = "leaving out groups of clusters shows no spread, so the limits are the whole range"
        return confidence.interval(estimate, ends, ends, "definition", None, (note,))
    df = max(1.0, min(left.freedom(left.sizes.positives), effective_events(values) - 1))
    found = Spread(left.se(), df, left.notes(df, left.sizes.positives))
    return _limited(values, name, confidence, "jackknife", place, found)


def _with_share(name: str, place: dict[str, Any]) -> dict[str, Any]:
    return {"q": None, **place} if name == "mean_amount" else place


def effective_events(values: Amounts) -> float:
    """Return how many equal amounts vary as much as these, (Σa)²/Σa².

    All rows with an amount where some are below zero.
    """
    if values.signed:
        return float(values.m)
    if isinstance(values, ValueSums):
        scale, squares = -values.exponents[0], float(values.saa.sum())
    else:
        scale, holding = -values.by_stretch().exponents[0], values.holding
        squares = float((holding.times * shifted(holding.amounts, scale) ** 2).sum())
    if not squares > 0:
        return 1.0
    return float(np.ldexp(float(values.amount), scale) ** 2 / squares)


@dataclass(frozen=True, slots=True)
class _Found:
    """A number, its standard error, and which limits are asked for."""

    name: str
    values: Amounts
    estimate: float
    se: float
    t: float
    method: str
    confidence: Confidence
    q: float | None

    @property
    def plain(self) -> Limits:
        """Limits symmetric about the number."""
        return self.estimate - self.t * self.se, self.estimate + self.t * self.se


def _limited(
    values: Amounts,
    name: str,
    confidence: Confidence,
    method: str,
    place: dict[str, Any],
    spread: Spread,
) -> Interval:
    estimate, t = ESTIMATES[name](values, **place), confidence.t(spread.df)
    ends = _ends(name, signed=values.signed)
    found = _Found(name, values, estimate, spread.se, t, method, confidence, place.get("q"))
    limits = {"captured_response": _of_share, "mean_amount": _of_mean}.get(name, _of_ratio)(found)
    limits, cut = cut_off(limits, ends, name.replace("_", " "))
    notes = (*spread.notes, *_on_largest(values, name), *cut)
    return confidence.interval(estimate, around(limits, estimate), ends, method, spread.se, notes)


def _of_ratio(found: _Found) -> Limits:
    """Return limits of an accuracy ratio or a concentration index.

    No limit of the envelope is nearer to a perfect ranking of these rows than that ranking's own:
    samples of a good ranking often lack the few large amounts that it misses.
    """
    if found.method == "wald":
        return found.plain
    if abs(found.estimate) == 1:
        reach = _ratio_after_one_more(found.values)
        return (reach, 1.0) if found.estimate > 0 else (-1.0, -reach)
    middle = np.arctanh(found.estimate)
    half = found.t * found.se / (1 - found.estimate**2)
    fisher = float(np.tanh(middle - half)), float(np.tanh(middle + half))
    if found.method == "fisher":
        return fisher
    low, high = envelope(found.plain, (fisher[0] + 0.0, fisher[1] + 0.0))  # 0.0 for -0.0
    if found.values.signed or found.estimate == 0:
        return low, high
    after = {"accuracy_ratio": _ratio_after_one_more}.get(found.name, _index_after_one_more)
    reach = after(found.values)
    return (min(low, reach), high) if found.estimate > 0 else (low, max(high, -reach))


def _ratio_after_one_more(values: Amounts) -> float:
    """Return a perfect accuracy ratio after one more row, as large as the largest, at its end."""
    gained = float(Fraction(values.areas()[1]) / Fraction(values.exposure))
    return (gained - values.largest) / (gained + values.largest)


def _index_after_one_more(values: Amounts) -> float:
    """Return the least index of the best order after one more row, like one of these, at its end.

    Where rows are not held, it is like the largest amount with as little exposure as may be.
    """
    total = Fraction(values.amount) * Fraction(values.exposure)
    index = float(Fraction(values.areas()[1]) / total)
    amounts, exposures = np.array([values.largest]), np.array([0.0 if values.has_exposure else 1.0])
    if not isinstance(values, ValueSums):
        amounts, exposures = values.holding.amounts, values.holding.exposures
    held, selected = amounts / float(values.amount), exposures / float(values.exposure)
    return float(((index - held + selected) / (1 + held) / (1 + selected)).min())


def _of_share(found: _Found) -> Limits:
    """Return limits of a captured response.

    The envelope allows for one unseen row as large as the largest, outside or inside the top.
    """
    share, values = found.estimate, found.values
    if found.method == "wald":
        return found.plain
    if 0 < share < 1 and found.se > 0:
        by_logit = logit(Chance.of(share), found.se, found.t)
    else:
        cases = effective_events(values)
        low, high = rate_limits(share * cases, cases, "clopper_pearson", found.confidence)
        by_logit = float(low), float(high)
    if found.method == "logit":
        return by_logit
    whole = 1 + values.largest / float(values.amount)
    return envelope(found.plain, by_logit, (share / whole, (share + whole - 1) / whole))


def _of_mean(found: _Found) -> Limits:
    """Return limits of the mean amount of the top, or of all; one unseen row may be in it."""
    mean, values = found.estimate, found.values
    if found.method == "wald" or values.signed:
        return found.plain
    one = values.largest / ((found.q or 1.0) * float(values.exposure))
    if not mean > 0:  # -ln of what a limit may miss: as many rows may be expected and none seen
        return (0.0, -float(np.log(found.confidence.tail)) * one)
    by_log = logarithmic(mean, found.se / mean, found.t)
    if found.method == "log":
        return by_log
    return envelope((max(found.plain[0], 0.0), found.plain[1]), by_log, (mean, mean + one))


def _on_largest(values: Amounts, name: str) -> tuple[str, ...]:
    """Return a warning where limits rest on few rows, or miss a tail that samples do not show.

    Limits of the accuracy ratio hold in 92% and more of such samples.
    """
    if values.signed:
        return ()
    share, notes = values.largest / float(values.amount), []
    if share > LARGE_SHARE:
        notes.append(f"one row holds {percent(share)} of the amount: the limits rest on few rows")
    m, rest = values.m, values.n - values.m
    heavy = m < FEW_EVENTS or share > (np.log(m) + np.euler_gamma) / m
    if name != "accuracy_ratio" and m > rest and share >= SMALL_SHARE and heavy:
        notes.append(HEAVY)
    return tuple(notes)


def _resampled(
    values: ValueCounts,
    name: str,
    estimate: float,
    confidence: Confidence,
    place: dict[str, Any],
    replicates: int,
    seed: Seed,
) -> Interval:
    found = drawn(
        values, partial(_number, name=name, place=_with_share(name, place)), replicates, seed
    )
    defined = found[np.isfinite(found)]
    ends = _ends(name, signed=values.signed)
    if not len(defined):
        note = ("no replicate has an amount, so the limits are the whole range",)
        return confidence.interval(estimate, ends, ends, "definition", None, note)
    if name == "mean_amount":
        ea, ee = values.by_stretch().exponents
        defined = np.ldexp(defined, ea - ee)
    notes = [f"{replicates} replicates; quantiles of type 7"]
    if len(defined) < len(found):
        notes.append(f"{len(found) - len(defined)} replicates without an amount were left out")
    limits = around(percentiles(defined, confidence), estimate)
    return confidence.interval(
        estimate, limits, ends, "bootstrap", standard_error(defined), tuple(notes)
    )


def best_profit_interval(
    values: Amounts,
    confidence: Confidence,
    method: str,
    value: float,
    cost: float,
    *,
    replicates: int,
    seed: Seed,
) -> Interval:
    """Return the interval of the profit of the best cut-off, which may select nobody.

    The best cut-off is found in the same rows, so samples exaggerate its profit: the lower limit
    moves down by how far maxima drawn around the profits seen lie above theirs on average. The
    upper one is the highest upper limit at any cut-off, with one more row as large as the largest.
    "jackknife" leaves out groups of clusters.
    """
    unit = _unit_of_money(profit_curve(values, value=value, cost=cost).y)
    value, cost = value / unit, cost / unit
    curve = profit_curve(values, value=value, cost=cost).y
    best = int(curve.argmax())
    evenly = np.linspace(1, len(curve) - 1, MOST_PLACES).astype(np.intp)
    places = np.union1d(evenly, max(best, 1))
    here = int(np.searchsorted(places, max(best, 1)))
    if method == "jackknife":
        se, bias, df, notes = _without_groups_at(values.every_row(), value, cost, places, here)
    else:
        squares = np.cumsum(_squared_profits(values, value, cost))[places - 1]
        n, notes = values.n, ()
        se = np.sqrt(np.maximum(squares - curve[places] ** 2 / n, 0.0) * (n / max(n - 1, 1)))
        bias, df = _exaggerated(curve[places], squares, replicates, seed), np.inf
    estimate = max(0.0, float(curve[best]))
    t = confidence.t(max(min(df, effective_events(values) - 1), 1.0))
    at_best = float(se[here]) if estimate > 0 else 0.0
    highest = max(float((curve[places] + t * se).max()), 0.0)
    low, high = estimate - bias - t * at_best, highest + max(value, 0.0) * values.largest
    note = (
        f"a maximum: samples exaggerate it by {unit * bias:.4g}, and the lower limit is moved down "
        "by it; the upper one is the highest at any cut-off, with one more row as large as the "
        "largest"
    )
    low, estimate, high, se_of_best = (
        unit * float(each) for each in (max(low, 0.0), estimate, high, at_best)
    )
    ends, limits = (0.0, np.inf), around((low, high), estimate)
    return confidence.interval(estimate, limits, ends, method, se_of_best, (*notes, note))


def _unit_of_money(profits: Floats) -> float:
    """Return the power of two in which profits are reckoned so that their squares are floats."""
    exponent = int(np.frexp(np.abs(profits).max(initial=0.0))[1])
    return float(np.ldexp(1.0, exponent)) if abs(exponent) > LARGEST_EXPONENT else 1.0


def _without_groups_at(
    values: ValueCounts, value: float, cost: float, places: Places, here: int
) -> tuple[Floats, float, float, tuple[str, ...]]:
    """Return standard errors of profits at some places, how far their largest is exaggerated."""
    ea, ee = values.by_score().exponents
    at = partial(
        Samples.profits, value=np.ldexp(value, ea), cost=np.ldexp(cost, ee), places=places - 1
    )
    left = without_groups(values, at)
    n, held = values.n, left.sizes.positives
    lifted = np.maximum(left.drawn(), 0.0).max(axis=1).mean() - max(float(left.values.max()), 0.0)
    df = left.along(np.eye(len(places))[[here]]).freedom(held)
    return n * np.sqrt(left.variances()), n * max(float(lifted), 0.0), df, left.notes(df, held)


def _exaggerated(profits: Floats, spread: Floats, replicates: int, seed: Seed) -> float:
    """Return by how much the largest of profits drawn around those seen lies above theirs."""
    rng = np.random.default_rng(0 if seed is None else seed)
    steps = np.sqrt(np.diff(spread, prepend=0.0))
    normal = rng.normal(size=(replicates, len(profits)))
    maxima = (profits + np.cumsum(normal * steps, axis=1)).max(axis=1)
    seen = max(float(profits.max()), 0.0)
    return max(float(np.maximum(maxima, 0.0).mean()) - seen, 0.0)


def _squared_profits(values: Amounts, value: float, cost: float) -> Floats:
    """Return the sum of squared profits of rows at each distinct score."""
    sums = values.by_score()
    ea, ee = sums.exponents
    amount, exposure = np.ldexp(value, ea), np.ldexp(cost, ee)
    found: Floats = amount**2 * sums.saa - 2 * amount * exposure * sums.sae
    found += exposure**2 * sums.see
    return np.maximum(found, 0.0)
