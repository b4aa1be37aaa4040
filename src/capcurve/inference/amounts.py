"""How far each row moves a number read off amounts, and how well the variance is then known."""

# Frees, Meyers & Cummings (2011), JASA 106, and Kakwani, Wagstaff & van Doorslaer (1997), J.
# Econometrics 77, give the influences of an index without ties; here each row stands in the middle
# of its score, which makes them exact under ties.

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import Amounts, JointValues, ValueCounts, ValueSums
from capcurve.counts.sums import Stretches, rates as rates_of_rows
from capcurve.inference.designs import ClassSizes, Estimates, left_out
from capcurve.inference.samples import Samples, without_groups
from capcurve.inference.top_share import majorant_slopes
from capcurve.metrics import accuracy_ratio, captured_response, concentration_index, mean_amount
from capcurve.metrics.ranking import advantages
from capcurve.metrics.risk import (
    GENERALISED,
    RUNNING_RISK,
    by_rising_rate,
    cells_of_amounts,
    mean_in_money,
)
from capcurve.numbers.exact import (
    BLOCK,
    cumulated,
    exact_dot,
    in_blocks,
    refuse_beyond,
    shifted,
    square_dot,
    summed_parts,
)
from capcurve.numbers.order import picked
from capcurve.numbers.threads import at_once, parts_for_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts.sums import ValueRows
    from capcurve.metrics.areas import WeightedArea
    from capcurve.numbers.types import Array, Floats

    Influences = Sequence[tuple[Floats, Floats]]

# A number that is as near to 0 or to an end is there, but for the rounding of sums.
SUM_ROUNDING = 1e-14
SMALLEST_SQUARES = 1e-150  # sums of squares below this have no squares of their own


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
        ends = [(moved[0].max(initial=0.0), moved[0].min(initial=0.0)) for moved in self.moves]
        largest, squares, fourth = float(np.abs(ends).max()) or 1.0, 0.0, 0.0
        for moved, alike, of_fourth in zip(self.moves, self.alike, self.fourth, strict=True):
            more = summed_parts(len(alike), partial(_powers, moved[0], largest, alike, of_fourth))
            squares, fourth = squares + float(more[0]), fourth + float(more[1])
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


def _powers(
    moved: Floats, largest: float, alike: Floats, fourth: Floats, start: int, end: int
) -> Floats:
    """Return sums of squares and of fourth powers of some moves that are divided by the largest."""
    square = (moved[start:end] / largest) ** 2
    found = (alike[start:end] * square).sum(), (fourth[start:end] * square * square).sum()
    return np.array(found)


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

        def powers(start: int, end: int) -> Floats:
            times, amounts = self.times[start:end], self.amounts[start:end]
            return np.array([(times * amounts).sum(), (times * amounts**2).sum()])

        total, squares = map(float, summed_parts(len(self.times), powers))
        return total**2 / squares if squares > 0 else 0.0

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
        held, rest = (_stacked([pair[place] for pair in moves]) for place in (0, 1))
        return OfAmounts(
            np.array(values),
            (held, rest),
            (_times(self.times, factors[0] / n**2), self.see * (factors[1] / n**2)),
            ClassSizes(events, n - events),
            0.0,
            "influences",
            n,
            max(most, 1.0),
            (self.times, self.see),
            (self.times, self.fourth),
        )

    def in_order(self, place: int, cells: slice) -> Floats:
        """Return what some rows add to the area of a score: a(E - 2X) - e(A - 2Y)."""
        # X and Y are the exposure and the amount before the middle of the row's score.
        x, y = (middle[cells] for middle in self.middles[place][0])
        a, e, total = self.amounts[cells], self.exposures[cells], self.total_amount
        return a * (self.total_exposure - 2 * x) - e * (total - 2 * y)

    def rest_in_order(self, place: int) -> Floats:
        """Return the same of all rows without an amount, per unit of exposure."""
        return -(self.total_amount - 2 * self.middles[place][1][1])


def _stacked(columns: Sequence[Floats]) -> Floats:
    return columns[0][None] if len(columns) == 1 else np.array(columns)


def _times(column: Floats, factor: float) -> Floats:
    """Return numbers times a factor; one number that stands for all stays one."""
    if len(column) and not column.strides[0]:
        return np.broadcast_to(column[0] * factor, len(column))
    return column * factor


def in_best_order(values: ValueCounts, rows: RankedRows, *, joint: bool) -> tuple[Floats, float]:
    """Return what each row adds to the area of the best order, where ties make no difference."""
    # `joint` rows are finer than those of the counts, and are found by their rate.
    rates, exponents = values.by_rate(), values.by_stretch().exponents
    columns = (
        (rates.exposure, -exponents[1], rows.total_exposure),
        (rates.amount, -exponents[0], rows.total_amount),
    )
    (width, across), (height, up) = at_once(
        lambda column: _left_beyond(*column), columns, len(rates.amount)
    )
    rest = 0.0 if rates.zero is None else -float(up[rates.zero])
    if joint:
        rate = rates_of_rows(rows.amounts, rows.exposures if values.has_exposure else None)
        place = np.minimum(np.searchsorted(-rates.rate, -rate), len(width) - 1)
        return rows.amounts * across[place] - rows.exposures * up[place], rest
    moved = in_blocks(len(up), lambda part: height[part] * across[part] - width[part] * up[part])
    if rates.zero is not None:
        moved = np.delete(moved, rates.zero)
    found, order = np.empty(len(moved)), np.asarray(rates.order)

    def put(part: slice) -> None:
        found[order[part]] = moved[part]

    at_once(put, parts_for_threads(len(moved), BLOCK))
    return found if values.holding.n is None else found / rows.times, rest


def _left_beyond(column: Array, exponent: int, total: float) -> tuple[Floats, Floats]:
    """Return scaled numbers, and the total less twice the sum up to the middle of each."""
    found = shifted(column, exponent)
    left = np.cumsum(found)
    for start in range(0, len(left), BLOCK):
        cells = slice(start, start + BLOCK)
        left[cells] = total - 2 * left[cells] + found[cells]
    return found, left


def _unbiased(rows: float) -> float:
    return rows / (rows - 1) if rows > 1 else 1.0


def ranked_rows(held: ValueCounts, sums: Stretches) -> RankedRows:
    """Return the rows of counts, those without an amount by stretch of scores."""
    ea, ee = sums.exponents
    columns = ((sums.exposures, -ee), (sums.amounts, -ea))
    (x, width), (y, height) = at_once(lambda column: _middles(*column), columns, len(sums))
    # Whether each row has a stretch of its own, as none is of rows without an amount.
    apart = not len(held.empty) and len(sums) == len(sums.place)
    of_rows = (x, y) if apart else (picked(x, sums.place), picked(y, sums.place))
    holding, rows = held.holding, len(held.holding)
    exposures = np.ones(1) if holding.exposure is None else holding.exposure
    return RankedRows(
        held.n,
        shifted(holding.amounts, -ea),
        np.broadcast_to(shifted(exposures, -ee), rows),
        np.broadcast_to(1.0, rows) if holding.n is None else holding.n.astype(np.float64),
        sums.see0,
        sums.see0_squared,
        ((of_rows, (x, y)),),
        height,
        width,
        held.signed,
    )


def _middles(column: Array, exponent: int) -> tuple[Floats, float]:
    """Return the middles of scaled numbers along their running sum, and their sum."""
    found = shifted(column, exponent)
    whole = summed_parts(len(found), lambda start, end: found[start:end].sum())
    sums = np.cumsum(found)
    for start in range(0, len(sums), BLOCK):
        sums[start : start + BLOCK] -= found[start : start + BLOCK] / 2
    return sums, float(whole)


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
        totals = (float(height.sum()), float(width.sum()))
        middles.append(((x[place][held], y[place][held]), (x[place][~held], y[place][~held])))
    e0, t0 = e[~held], t[~held]
    signed, see, fourth = bool((amounts < 0).any()), t0 * e0**2, t0 * e0**4
    holding = (a[held], e[held], t[held])
    return RankedRows(joint.rows, *holding, see, fourth, tuple(middles), *totals, signed)


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

        def held(cells: slice, place: int = place, ratio: float = ratio) -> Floats:
            return scale * (rows.in_order(place, cells) - ratio * held_best[cells])

        rest = scale * (rows.rest_in_order(place) - ratio * rest_best)
        moves.append((in_blocks(len(held_best), held), rest))
    found = rows.estimates(ratios, moves)
    if rows.signed or not joint:  # what follows is asked for in comparisons only
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
        return left_out((1 + np.array(ratios)) / 2, moved, parts[0].groups, parts[0].sizes)
    found = ratio_estimates(margins[0], joint_rows(joint), ratios, joint=True)
    still = SUM_ROUNDING * found.rows
    moves = tuple(np.where(np.abs(moved) > still, moved / 2, 0.0) for moved in found.moves)
    return replace(found, values=(1 + found.values) / 2, moves=moves)


def gain_over_chance(values: Amounts) -> float:
    """Return what the score's order gains, in standard errors of scores dealt over the rows."""
    # The scores are those seen, with their ties. The order gains Σ a_i e_j - a_j e_i over pairs in
    # which i has the better score: Wald & Wolfowitz (1944), Ann. Math. Stat. 15, for e = 1.
    n, (ea, ee) = values.n, values.by_stretch().exponents
    saa, sae, see = squared_amounts(values)[:3]
    amount, exposure = (
        float(np.ldexp(float(total), -shift))
        for total, shift in ((values.amount, ea), (values.exposure, ee))
    )
    pairs = 2 * (saa * see - sae * sae)
    rows = exposure**2 * saa - 2 * amount * exposure * sae + amount**2 * see
    # Ordered pairs of rows whose scores differ; and how often two such pairs share a row, those in
    # which it has the better score both times, or the worse one, less the others.
    apart = n * n - values.over_scores(lambda times: exact_dot(times, times))
    trios = (n**3 - values.over_scores(lambda times: square_dot(times, times))) // 3 - apart
    variance = apart / max(n * (n - 1), 1) * pairs / 2
    if n > 2:  # noqa: PLR2004 - two pairs that share a row
        variance += trios / (n * (n - 1) * (n - 2)) * (rows - pairs)
    gained = float(values.gained() / Fraction(2) ** (ea + ee))
    return gained / float(np.sqrt(variance)) if variance > 0 else 0.0


def squared_amounts(values: Amounts) -> Floats:
    """Return sums over rows of a², ae, e² and a⁴, scaled; the last where rows are held."""
    if isinstance(values, ValueSums):
        return np.array([values.saa.sum(), values.sae.sum(), values.see.sum(), np.nan])
    return values.known("squares", lambda: _squares_of_rows(values.holding, values.by_stretch()))


def _squares_of_rows(rows: ValueRows, sums: Stretches) -> Floats:
    """Return the same of rows with an amount and those without, of which only e² is not 0."""
    (ea, ee), times = sums.exponents, rows.times

    def part(start: int, end: int) -> Floats:
        cells = slice(start, end)
        a, e = shifted(rows.amounts[cells], -ea), shifted(rows.exposures[cells], -ee)
        squares = a**2
        columns = (squares, a * e, e**2, squares**2)
        return np.array([(times[cells] * column).sum() for column in columns])

    rest = np.array([0.0, 0.0, float(sums.see0.sum()), 0.0])
    return np.asarray(summed_parts(len(rows), part) + rest)


def amount_spread(values: Amounts, sums: ValueSums | Stretches, pairs: Influences) -> AmountSpread:
    """Return the spread of a number whose influence is linear in a row's amount and exposure."""
    # It is (a N/A)·u - (e N/E)·v with u and v of the row's stretch of scores, times the number of
    # rows N; of several pairs of u and v that with the larger variance counts.
    if isinstance(sums, ValueSums):
        return max((_of_sums(sums, *pair) for pair in pairs), key=lambda found: found.se)
    rows, place = ranked_rows(values.every_row(), sums), sums.place
    per_amount, per_exposure = rows.rows / rows.total_amount, rows.rows / rows.total_exposure
    moves = []
    for u, v in pairs:
        held = rows.amounts * (per_amount * u[place]) - rows.exposures * (per_exposure * v[place])
        moves.append((held, -per_exposure * v))
    return _widest(rows.estimates([0.0] * len(moves), moves))


def area_spread(values: Amounts, area: WeightedArea) -> AmountSpread:
    """Return the spread of an AURC or AUGRC."""
    sums = values.by_stretch()
    cells = cells_of_amounts(sums)
    own, place = (moved[::-1] for moved in area.moved(cells))
    pair = own * float(cells.events.sum()), -place
    return _in_units(amount_spread(values, sums, [pair]), sums)


def excess_spread(values: Amounts) -> AmountSpread:
    """Return the spread of the excess AURC, with that of the best order."""
    held = values.every_row()
    sums, (cells, _, at) = held.by_stretch(), by_rising_rate(held)
    rows, area = ranked_rows(held, sums), RUNNING_RISK()
    own, place = (moved[::-1] for moved in area.moved(cells_of_amounts(sums)))
    best, best_place = area.moved(cells)
    scale, where = rows.rows / rows.total_exposure, sums.place
    moved = rows.amounts * (own[where] - best[at])
    moved += rows.exposures * (place[where] - best_place[at])
    rest = scale * (place - best_place[0])
    return _in_units(_widest(rows.estimates([0.0], [(scale * moved, rest)])), sums)


def risk_spread(values: Amounts, coverage: float) -> AmountSpread:
    """Return the spread of the mean amount of the share that is surest to have little."""
    sums = values.by_stretch(1 - coverage)
    if coverage == 1:
        return _mean_of_all(values)
    captured, pairs = _captured(values, sums, 1 - coverage)
    left, rate = 1 - captured, float(cells_of_amounts(sums).events.sum())
    pairs = [((left - u) * rate / coverage, (left - v) * rate / coverage) for u, v in pairs]
    return _in_units(amount_spread(values, sums, pairs), sums)


def _in_units(found: AmountSpread, sums: ValueSums | Stretches) -> AmountSpread:
    return replace(found, se=mean_in_money(found.se, sums))


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
    n, events, most = sums.n, sums.m, float(sums.m - 1)
    if sums.signed:
        variance = (held + rest) * _unbiased(n)
    else:
        variance = held * _unbiased(events) + rest * _unbiased(n - events)
        total = float(np.ldexp(float(sums.amount), -sums.exponents[0]))
        most = min(most, total**2 / float(sums.saa.sum()) - 1)
    note = "rows are not held, so how far single ones spread the number is not known"
    return AmountSpread(float(np.sqrt(variance)), max(1.0, most), (note,))


def ratio_spread(values: Amounts) -> AmountSpread:
    """Return the spread of the accuracy ratio."""
    held = values.every_row()
    rows = ranked_rows(held, held.by_stretch())
    if not len(held.empty):
        # No row stands between these, and the ends of the curve tell how far one could move.
        (of_rows, (x, y)), none = rows.middles[0], np.zeros(2)
        ends = x[[0, -1]], np.array([y.min(), y.max()])
        rows = replace(rows, see=none, fourth=none, middles=((of_rows, ends),))
    return _widest(ratio_estimates(held, rows, [accuracy_ratio(held)]))


def index_spread(values: Amounts) -> AmountSpread:
    """Return the spread of the concentration index."""
    sums, index = values.by_stretch(), concentration_index(values)
    x, y = ((ends[1:] + ends[:-1]) / 2 for ends in _points(sums))
    return amount_spread(values, sums, [(1 - 2 * x - index, 1 - 2 * y + index)])


def captured_spread(values: Amounts, q: float) -> AmountSpread:
    """Return the spread of the share captured."""
    sums = values.by_stretch(q)
    return amount_spread(values, sums, _captured(values, sums, q)[1])


def mean_spread(values: Amounts, q: float | None = None) -> AmountSpread:
    """Return the spread of the mean amount of the top share q, or of all."""
    if q is None or q == 1:
        return _mean_of_all(values)
    if values.signed:
        raise ValueError(
            "the interval of mean_amount at a share needs amounts of zero or more; leave q out"
        )
    sums = values.by_stretch(q)
    captured, pairs = _captured(values, sums, q)
    pairs = [((u + captured) / q, (v + captured) / q) for u, v in pairs]
    found = amount_spread(values, sums, pairs)
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
        rows = ranked_rows(held_rows, held_rows.by_stretch())
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


def _captured(values: Amounts, sums: ValueSums | Stretches, q: float) -> tuple[float, Influences]:
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
    return captured, [(selected - captured, slope * (selected - q)) for slope in slopes]


def _points(sums: ValueSums | Stretches) -> tuple[Floats, Floats]:
    """Return the points of the CAP at the ends of stretches."""
    x, y = cumulated(sums.exposures), cumulated(sums.amounts)
    return x / x[-1], y / y[-1]


def _widest(found: OfAmounts) -> AmountSpread:
    """Return the spread of the estimate whose influences vary most."""
    variances = found.variances()
    place = int(variances.argmax())
    moves = tuple(moved[place : place + 1] for moved in found.moves)
    alone = replace(found, moves=moves, values=found.values[place : place + 1])
    return AmountSpread(float(np.sqrt(variances[place])), alone.freedom())


SPREADS: dict[str, Callable[..., AmountSpread]] = {
    "accuracy_ratio": ratio_spread,
    "concentration_index": index_spread,
    "captured_response": captured_spread,
    "mean_amount": mean_spread,
    "aurc": partial(area_spread, area=RUNNING_RISK()),
    "augrc": partial(area_spread, area=GENERALISED()),
    "excess_aurc": excess_spread,
    "selective_risk": risk_spread,
}
