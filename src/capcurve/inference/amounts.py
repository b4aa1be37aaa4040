"""How far each row moves a number read off amounts, and how well the variance is then known.

Frees, Meyers & Cummings (2011), JASA 106, and Kakwani, Wagstaff & van Doorslaer (1997), J.
Econometrics 77, give the influences of an index without ties; here each row stands in the middle
of its score, which makes them exact under ties.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import ValueSums
from capcurve.counts.exact import cumulated, refuse_beyond, shifted
from capcurve.counts.sums import rates as rates_of_rows
from capcurve.inference.designs import ClassSizes, Estimates, left_out
from capcurve.inference.samples import Samples, twice_area, without_groups
from capcurve.inference.top_share import majorant_slopes
from capcurve.metrics import (
    accuracy_ratio,
    captured_response,
    concentration_index,
    mean_amount,
)
from capcurve.metrics.ranking import advantages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Amounts, JointValues, ValueCounts
    from capcurve.counts.sums import Stretches
    from capcurve.counts.types import Floats


# Sums of squares below this have no squares of their own.
SMALLEST_SQUARES = 1e-150


@dataclass(frozen=True, slots=True, eq=False)
class OfAmounts(Estimates):
    """Estimates from counts of amounts, and how well their variance is known."""

    # The first moves are those of rows with an amount; the second ones, per unit of exposure, those
    # of rows without.

    rows: int  # all rows
    most: float  # the largest number of degrees of freedom
    alike: tuple[Floats, Floats]  # rows, or squared exposures, at each move
    fourth: tuple[Floats, Floats]  # the same of fourth powers
    best: tuple[Floats | float, ...] = (0.0, 0.0)  # relative moves of what the best order gains

    def freedom(self) -> float:
        """Return the degrees of freedom of the variance of the only number (Satterthwaite)."""
        # At most one less than the rows with an amount, and than their effective number (Σa)²/Σa²:
        # few heavy rows say little about the variance they cause.
        largest = max(float(np.abs(moved[0]).max(initial=0.0)) for moved in self.moves)
        squares = fourth = 0.0
        for moved, alike, of_fourth in zip(self.moves, self.alike, self.fourth, strict=True):
            square = (moved[0] / (largest or 1.0)) ** 2
            squares += float((alike * square).sum())
            fourth += float((of_fourth * square * square).sum())
        if not squares > SMALLEST_SQUARES:
            return max(1.0, self.most)
        crowded = fourth / squares**2 - 1 / self.rows
        return max(1.0, min(self.most, 2 / crowded if crowded > 0 else np.inf))

    def off_centre(self) -> tuple[float, float]:
        """Return how the only number varies with what the best order gains, and that alone."""
        # A difference θ/θ* has the value d where θ - d·θ* is zero, whose variance changes with d:
        # few large rows that rank alike show no spread of θ/θ*, but of this (Fieller 1954).
        shared = relative = 0.0
        for moved, best, mass in zip(self.moves, self.best, self.masses, strict=True):
            shared += float((mass * moved[0] * best).sum())
            relative += float(np.sum(mass * best**2))
        return shared, relative

    def few(self) -> tuple[str, ...]:
        """Return no warning: Student's t takes care of few events."""
        return ()

    def most_freedom(self) -> float:
        """Return the degrees of freedom of the covariance."""
        return self.most


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """Rows, and where each stands on the curve of each score; scaled by powers of two."""

    rows: int
    amounts: Floats  # amounts, exposures, times: rows with an amount
    exposures: Floats
    times: Floats
    # See, fourth: squared exposures, and their squares, of rows without one, where they stand.
    see: Floats
    fourth: Floats
    # For each score the middle of each row's score on both axes, of rows with and without.
    middles: tuple[tuple[tuple[Floats, Floats], tuple[Floats, Floats]], ...]
    total_amount: float  # total_amount, total_exposure: what the scaled rows add up to
    total_exposure: float
    signed: bool

    @property
    def events(self) -> float:
        """How many rows have an amount."""
        return float(self.times.sum())

    @property
    def effective_events(self) -> float:
        """How many equal amounts vary as much as these: (Σa)²/Σa²."""
        squares = float((self.times * self.amounts**2).sum())
        return float((self.times * self.amounts).sum()) ** 2 / squares if squares > 0 else 0.0

    def estimates(
        self, values: Sequence[float], moves: Sequence[tuple[Floats, Floats]]
    ) -> OfAmounts:
        """Return numbers of these rows with the influence of each, times the number of rows."""
        events, n = self.events, self.rows
        if self.signed:
            factors, most = [_unbiased(n)] * 2, events - 1
        else:
            factors = [_unbiased(events), _unbiased(n - events)]
            most = min(events, self.effective_events) - 1
        held, rest = (np.array([pair[place] for pair in moves]) for place in (0, 1))
        return OfAmounts(
            np.array(values),
            (held, rest),
            (self.times * (factors[0] / n**2), self.see * (factors[1] / n**2)),
            ClassSizes(events, n - events),
            0.0,
            "influences",
            n,
            max(most, 1.0),
            (self.times, self.see),
            (self.times, self.fourth),
        )

    def in_order(self, place: int) -> tuple[Floats, Floats]:
        """Return what each row adds to the area of a score: a(E - 2X) - e(A - 2Y)."""
        # X and Y are the exposure and the amount before the middle of the row's score. Of rows
        # without an amount, per unit of exposure.
        (x, y), (_, y0) = self.middles[place]
        a, e, total = self.amounts, self.exposures, self.total_amount
        return a * (self.total_exposure - 2 * x) - e * (total - 2 * y), -(total - 2 * y0)


def in_best_order(values: ValueCounts, rows: RankedRows, *, joint: bool) -> tuple[Floats, float]:
    """Return what each row adds to the area of the best order, where ties make no difference."""
    # `joint` rows are finer than those of the counts, and are found by their rate.
    rates, exponents = values.by_rate(), values.by_stretch().exponents
    width, height = shifted(rates.exposure, -exponents[1]), shifted(rates.amount, -exponents[0])
    across = rows.total_exposure - 2 * np.cumsum(width) + width
    up = rows.total_amount - 2 * np.cumsum(height) + height
    rest = 0.0 if rates.zero is None else -float(up[rates.zero])
    if joint:
        rate = rates_of_rows(rows.amounts, rows.exposures if values.has_exposure else None)
        place = np.minimum(np.searchsorted(-rates.rate, -rate), len(width) - 1)
        return rows.amounts * across[place] - rows.exposures * up[place], rest
    moved = height * across - width * up
    if rates.zero is not None:
        moved = np.delete(moved, rates.zero)
    found = np.empty(len(moved))
    found[rates.order] = moved
    return found if values.holding.n is None else found / rows.times, rest


def _unbiased(rows: float) -> float:
    return rows / (rows - 1) if rows > 1 else 1.0


def rows_of(held: ValueCounts, sums: Stretches) -> RankedRows:
    """Return the rows of counts, those without an amount by stretch of scores."""
    ea, ee = sums.exponents
    x, y = shifted(sums.exposures, -ee), shifted(sums.amounts, -ea)
    totals = float(x.sum()), float(y.sum())
    middles = np.cumsum(x) - x / 2, np.cumsum(y) - y / 2
    of_rows = tuple(middle[sums.place] for middle in middles)
    return RankedRows(
        held.n,
        shifted(held.holding.amounts, -ea),
        shifted(held.holding.exposures, -ee),
        held.holding.times.astype(np.float64),
        sums.see0,
        sums.see0_squared,
        (((of_rows[0], of_rows[1]), (middles[0], middles[1])),),
        totals[1],
        totals[0],
        held.signed,
    )


def joint_rows(joint: JointValues) -> RankedRows:
    """Return the rows of joint counts, each on the curve of every score."""
    amounts = joint.amount
    exposures = np.ones(len(joint)) if joint.exposure is None else joint.exposure
    scales = [int(np.frexp(np.abs(column).max())[1]) for column in (amounts, exposures)]
    a, e = (shifted(c, -s) for c, s in zip((amounts, exposures), scales, strict=True))
    t, held = joint.n.astype(np.float64), amounts != 0
    middles, totals = [], (0.0, 0.0)
    for score, direction in zip(joint.scores, joint.higher_is, strict=True):
        place = np.unique(score, return_inverse=True)[1]
        if direction == "positive":
            place = place.max() - place
        width, height = (np.bincount(place, weights=t * column) for column in (e, a))
        x, y = (np.cumsum(column) - column / 2 for column in (width, height))
        totals = (float(width.sum()), float(height.sum()))
        middles.append(((x[place][held], y[place][held]), (x[place][~held], y[place][~held])))
    e0, t0 = e[~held], t[~held]
    signed = bool((amounts < 0).any())
    see, fourth = t0 * e0**2, t0 * e0**4
    rows = joint.rows
    return RankedRows(
        rows, a[held], e[held], t[held], see, fourth, tuple(middles), totals[1], totals[0], signed
    )


def ratio_estimates(
    values: ValueCounts, rows: RankedRows, ratios: Sequence[float], *, joint: bool = False
) -> OfAmounts:
    """Return accuracy ratios with their influences, (h - AR·h*)/θ*, times the number of rows."""
    # θ* is what the best order gains. The total amount cancels, so that signed amounts have them
    # too.
    held_best, rest_best = in_best_order(values, rows, joint=joint)
    best = float(advantages(values)[1] / Fraction(2) ** sum(values.by_stretch().exponents))
    moves, scale = [], rows.rows / best
    for place, ratio in enumerate(ratios):
        held, rest = rows.in_order(place)
        moves.append((scale * (held - ratio * held_best), scale * (rest - ratio * rest_best)))
    found = rows.estimates(ratios, moves)
    if rows.signed:
        return found
    # Of the best order's concentration index, from which amount and exposure cancel.
    each, unit = rows.rows / rows.total_amount, rows.rows / rows.total_exposure
    relative = scale * held_best - each * rows.amounts - unit * rows.exposures
    return replace(found, best=(relative, scale * rest_best - unit))


def compared_ratios(joint: JointValues) -> Estimates:
    """Return (1 + AR)/2 of each score, as an AUC is to two classes, and how they vary together."""
    margins = [joint.margin(name) for name in joint.names]
    ratios = [accuracy_ratio(margin) for margin in margins]
    if joint.groups is not None:
        parts = [without_groups(margin, Samples.accuracy_ratio) for margin in margins]
        moved = np.hstack([part.moves[0].T for part in parts]) / 2
        alike = (1 + np.array(ratios)) / 2
        return left_out(alike, moved, parts[0].groups, parts[0].sizes)
    found = ratio_estimates(margins[0], joint_rows(joint), ratios, joint=True)
    moves = tuple(moved / 2 for moved in found.moves)
    return replace(found, values=(1 + found.values) / 2, moves=moves)


def gain_over_chance(values: Amounts) -> float:
    """Return what the score's order gains, in standard errors of scores dealt over the rows."""
    if isinstance(values, ValueSums):
        return _gain_over_chance(values)
    return values.known("gain over chance", lambda: _gain_over_chance(values.by_score()))


def _gain_over_chance(sums: ValueSums) -> float:
    # The scores are those seen, with their ties. The order gains Σ a_i e_j - a_j e_i over pairs in
    # which i has the better score: Wald & Wolfowitz (1944), Ann. Math. Stat. 15, for e = 1.
    n, times, (ea, ee) = float(sums.n), sums.rows.astype(np.float64), sums.exponents
    y, x = shifted(sums.amounts, -ea), shifted(sums.exposures, -ee)
    amount, exposure = float(y.sum()), float(x.sum())
    saa, sae, see = (float(column.sum()) for column in (sums.saa, sums.sae, sums.see))
    pairs = 2 * (saa * see - sae * sae)
    rows = exposure**2 * saa - 2 * amount * exposure * sae + amount**2 * see
    apart = n * n - float((times**2).sum())  # ordered pairs of rows whose scores differ
    outranks = n - 2 * np.cumsum(times) + times
    variance = apart * pairs / 2 / max(n * (n - 1), 1.0)
    if n > 2:  # noqa: PLR2004 - two pairs that share a row
        trios = float((times * outranks**2).sum()) - apart
        variance += trios * (rows - pairs) / (n * (n - 1) * (n - 2))
    return twice_area(x, y) / float(np.sqrt(variance)) if variance > 0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class LinearInfluence:
    """A number read off the curve, whose influence is linear in a row's amount and exposure."""

    # It is (a N/A)·u - (e N/E)·v with u and v of the row's stretch of scores, times the number of
    # rows N; there may be several pairs of u and v, of which that with the larger variance counts.

    value: float
    pairs: tuple[tuple[Floats, Floats], ...]


def estimates_of(
    values: Amounts, sums: ValueSums | Stretches, linear: LinearInfluence
) -> AmountSpread:
    """Return the number with the spread that its influences on each stretch give."""
    if isinstance(sums, ValueSums):
        return max((_of_sums(sums, *pair) for pair in linear.pairs), key=lambda found: found.se)
    rows, place = rows_of(values.every_row(), sums), sums.place
    per_amount, per_exposure = rows.rows / rows.total_amount, rows.rows / rows.total_exposure
    moves = [
        (
            rows.amounts * (per_amount * u[place]) - rows.exposures * (per_exposure * v[place]),
            -per_exposure * v,
        )
        for u, v in linear.pairs
    ]
    return _widest(rows.estimates([linear.value] * len(moves), moves))


@dataclass(frozen=True, slots=True)
class AmountSpread:
    """A standard error, and the degrees of freedom of its square."""

    se: float
    df: float
    notes: tuple[str, ...] = ()


def _of_sums(sums: ValueSums, u: Floats, v: Floats) -> AmountSpread:
    """Return the spread from sums at each score, which tell no fourth powers."""
    ea, ee = sums.exponents
    amount = float(np.ldexp(float(sums.amount), -ea))
    exposure = float(np.ldexp(float(sums.exposure), -ee))
    rest = float((sums.see0 * v**2).sum()) / exposure**2
    held = float((sums.saa * u**2).sum()) / amount**2
    held -= 2 * float((sums.sae * u * v).sum()) / (amount * exposure)
    held += float((sums.see * v**2).sum()) / exposure**2 - rest
    return _of_squares(sums, max(held, 0.0), rest)


def _of_squares(sums: ValueSums, held: float, rest: float) -> AmountSpread:
    """Return the spread from summed squared influences of rows with and without an amount."""
    n, events = sums.n, sums.m
    variance = held * _unbiased(events) + rest * _unbiased(n - events)
    if sums.signed:
        variance = (held + rest) * _unbiased(n)
    most = float(events - 1)
    if not sums.signed:
        total = float(np.ldexp(float(sums.amount), -sums.exponents[0]))
        most = min(most, total**2 / float(sums.saa.sum()) - 1)
    note = "rows are not held, so how far single ones spread the number is not known"
    return AmountSpread(float(np.sqrt(variance)), max(1.0, most), (note,))


def ratio_spread(values: Amounts) -> AmountSpread:
    """Return the spread of the accuracy ratio."""
    held = values.every_row()
    rows = rows_of(held, held.by_stretch())
    return _widest(ratio_estimates(held, rows, [accuracy_ratio(held)]))


def index_spread(values: Amounts) -> AmountSpread:
    """Return the spread of the concentration index."""
    sums, index = values.by_stretch(), concentration_index(values)
    x, y = ((ends[1:] + ends[:-1]) / 2 for ends in _points(sums))
    moved = LinearInfluence(index, ((1 - 2 * x - index, 1 - 2 * y + index),))
    return estimates_of(values, sums, moved)


def captured_spread(values: Amounts, q: float) -> AmountSpread:
    """Return the spread of the share captured."""
    sums = values.by_stretch(q)
    return estimates_of(values, sums, _captured(values, sums, q))


def mean_spread(values: Amounts, q: float | None = None) -> AmountSpread:
    """Return the spread of the mean amount of the top share q, or of all."""
    if q is None or q == 1:
        return _mean_of_all(values)
    if values.signed:
        raise ValueError(
            "the interval of mean_amount at a share needs amounts of zero or more; leave q out"
        )
    sums = values.by_stretch(q)
    captured = _captured(values, sums, q)
    c = captured.value
    pairs = tuple(((u + c) / q, (v + c) / q) for u, v in captured.pairs)
    found = estimates_of(values, sums, LinearInfluence(c / q, pairs))
    # In means of all, so that amounts of any size have squares.
    return _in_money(found, found.se * abs(mean_amount(values)))


def _mean_of_all(values: Amounts) -> AmountSpread:
    """Return the spread of A/E, whose influence is (a - e·A/E)N/E; A may be zero."""
    ea, ee = values.by_stretch().exponents
    exposure = float(np.ldexp(float(values.exposure), -ee))
    mean = float(np.ldexp(float(values.amount), -ea)) / exposure
    if isinstance(values, ValueSums):
        rest = float(values.see0.sum()) * mean**2
        whole = float((values.saa - 2 * mean * values.sae + mean**2 * values.see).sum())
        found = _of_squares(values, max(whole - rest, 0.0) / exposure**2, rest / exposure**2)
    else:
        held_rows = values.every_row()
        rows = rows_of(held_rows, held_rows.by_stretch())
        scale = rows.rows / exposure
        held = scale * (rows.amounts - mean * rows.exposures)
        rest_moves = np.full(len(rows.see), -scale * mean)
        found = _widest(rows.estimates([mean], [(held, rest_moves)]))
    with np.errstate(over="ignore"):
        return _in_money(found, float(np.ldexp(found.se, ea - ee)))


def _in_money(found: AmountSpread, se: float) -> AmountSpread:
    """Return the spread of a mean in its own units, or raise ValueError where that has no float."""
    refuse_beyond(se, "the standard error of the mean amount", "scale the amounts down")
    return replace(found, se=se)


def _captured(values: Amounts, sums: ValueSums | Stretches, q: float) -> LinearInfluence:
    """Return the share captured with its influences, by each slope of the CAP at q."""
    # A row moves the share by what it holds of the selected amount, and by the exposure that it
    # pushes out at q, where the curve has that slope: that of its concave majorant.
    x, y = _points(sums)
    captured = captured_response(values, q)
    width = np.diff(x)
    # What is too narrow to have a width is selected or not.
    selected = (x[:-1] < q).astype(np.float64)
    np.divide(np.clip(q - x[:-1], 0.0, width), width, out=selected, where=width > 0)
    slopes = sorted(set(majorant_slopes(x, y, q)))
    moved = tuple((selected - captured, slope * (selected - q)) for slope in slopes)
    return LinearInfluence(captured, moved)


def _points(sums: ValueSums | Stretches) -> tuple[Floats, Floats]:
    """Return the points of the CAP at the ends of stretches."""
    x, y = cumulated(sums.exposures), cumulated(sums.amounts)
    return x / x[-1], y / y[-1]


def _widest(found: OfAmounts) -> AmountSpread:
    """Return the spread of the estimate whose influences vary most."""
    place = [int(found.variances().argmax())]
    moves = tuple(moved[place] for moved in found.moves)
    alone = replace(found, moves=moves, values=found.values[place])
    return AmountSpread(alone.se(), alone.freedom())
