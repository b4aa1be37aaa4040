"""Slow and exact answers about amounts, straight from the definitions: sums over pairs of rows."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from math import atanh, exp, log, sqrt, tanh

from scipy.special import betaincinv, expit, logit, ndtri, stdtr, stdtrit

# What is as near to 0, to an end, to having no error or to a point of a curve is there, but for the
# rounding of sums.
ROUNDED, NO_ERROR, AT_POINT = 1e-14, 1e-12, Fraction(1, 10**12)


def sign(number):
    return (number > 0) - (number < 0)


def precedence(amounts, exposures, keys):
    """Return h: for each row the sum over j of (a_i e_j - e_i a_j)·sgn(key_i - key_j)."""
    rows = list(zip(amounts, exposures, keys, strict=True))
    return [sum((a * f - e * b) * sign(s - t) for b, f, t in rows) for a, e, s in rows]


def concentration(amounts, exposures, keys):
    """Return θ: the sum over all pairs of a_i e_j·sgn(key_i - key_j)."""
    rows = list(zip(amounts, exposures, keys, strict=True))
    return sum(a * f * sign(s - t) for a, _, s in rows for _, f, t in rows)


def vertices(amounts, exposures, keys):
    """Return the curve in sums, one straight segment per tied key, largest key first."""
    rows = sorted(zip(keys, exposures, amounts, strict=True), key=lambda row: -row[0])
    points = [(Fraction(0), Fraction(0))]
    for _, tied in groupby(rows, key=lambda row: row[0]):
        x, y = points[-1]
        for _, e, a in tied:
            x, y = x + e, y + a
        points.append((x, y))
    return points


def at(points, x):
    """Read a broken line."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise AssertionError(x)


def area(points):
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points))


def concave_majorant(points):
    """Return the corners of the smallest concave curve above the points."""
    hull = []
    for x, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull


@dataclass(frozen=True)
class Spread:
    """What limits are made of: the estimate, its standard error, and the degrees of freedom."""

    estimate: Fraction
    influences: tuple
    variance: Fraction
    df: float

    @property
    def se(self):
        return sqrt(self.variance)

    @property
    def se_ij(self):
        n = len(self.influences)
        return sqrt(sum(psi**2 for psi in self.influences) / Fraction(n) ** 2)


@dataclass(frozen=True)
class Exact:
    """A ranking of amounts in exact fractions; the higher score is expected to hold more."""

    amounts: tuple
    scores: tuple
    exposures: tuple

    @classmethod
    def of(cls, amounts, scores, exposures=None, *, higher_is="positive"):
        exposures = [1] * len(amounts) if exposures is None else exposures
        turned = 1 if higher_is == "positive" else -1
        columns = (
            map(Fraction, amounts),
            (turned * Fraction(s) for s in scores),
            map(Fraction, exposures),
        )
        return cls(*map(tuple, columns))

    def without(self, left_out):
        kept = [i for i in range(self.n) if i not in left_out]
        columns = (self.amounts, self.scores, self.exposures)
        return Exact(*(tuple(column[i] for i in kept) for column in columns))

    @property
    def n(self):
        return len(self.amounts)

    @property
    def m(self):
        return sum(a != 0 for a in self.amounts)

    @cached_property
    def amount(self):
        return sum(self.amounts)

    @cached_property
    def exposure(self):
        return sum(self.exposures)

    @cached_property
    def rates(self):
        return tuple(a / e for a, e in zip(self.amounts, self.exposures, strict=True))

    @property
    def signed(self):
        return min(self.amounts) < 0

    @property
    def largest(self):
        return max(map(abs, self.amounts))

    @cached_property
    def theta(self):
        return concentration(self.amounts, self.exposures, self.scores)

    @cached_property
    def best_theta(self):
        return concentration(self.amounts, self.exposures, self.rates)

    @property
    def concentration_index(self):
        return self.theta / (self.amount * self.exposure)

    @property
    def perfect_index(self):
        return self.best_theta / (self.amount * self.exposure)

    @property
    def accuracy_ratio(self):
        return self.theta / self.best_theta

    @cached_property
    def points(self):
        return vertices(self.amounts, self.exposures, self.scores)

    @cached_property
    def perfect_points(self):
        return vertices(self.amounts, self.exposures, self.rates)

    def share_points(self, points):
        return [(x / self.exposure, y / self.amount) for x, y in points]

    def captured(self, q):
        return at(self.share_points(self.points), Fraction(q))

    def lift(self, q):
        return self.captured(q) / Fraction(q)

    def mean_amount(self, q):
        return self.captured(q) * self.amount / (Fraction(q) * self.exposure)

    # How far each row moves a number

    def index_influences(self):
        """ψ of G: N(h/(AE) - G·a/A - G·e/E)."""
        h = precedence(self.amounts, self.exposures, self.scores)
        a, e, g = self.amount, self.exposure, self.concentration_index
        return [
            self.n * (here / (a * e) - g * amount / a - g * exposure / e)
            for here, amount, exposure in zip(h, self.amounts, self.exposures, strict=True)
        ]

    def ratio_influences(self):
        """ψ of AR: N(h - AR·h*)/θ*, which needs no total."""
        own = precedence(self.amounts, self.exposures, self.scores)
        best = precedence(self.amounts, self.exposures, self.rates)
        ar, theta = self.accuracy_ratio, self.best_theta
        return [self.n * (h - ar * b) / theta for h, b in zip(own, best, strict=True)]

    def selected(self, q):
        """Return how much of each row the top share q of the exposure takes."""
        ends = {}
        start = Fraction(0)
        for score in sorted(set(self.scores), reverse=True):
            width = sum(e for e, s in zip(self.exposures, self.scores, strict=True) if s == score)
            ends[score] = min(max((q * self.exposure - start) / width, Fraction(0)), Fraction(1))
            start += width
        return [ends[s] for s in self.scores]

    def slopes(self, q):
        """Return the slopes of the curve's concave majorant just before and after q."""
        hull = concave_majorant(self.share_points(self.points))
        edges = [((x0, x1), (y1 - y0) / (x1 - x0)) for (x0, y0), (x1, y1) in pairwise(hull)]
        return {slope for (x0, x1), slope in edges if x0 - AT_POINT <= q <= x1 + AT_POINT}

    def captured_influences(self, q, slope):
        """ψ of captured(q): (aN/A)(w - c) - (eN/E)λ(w - q)."""
        c = self.captured(q)
        return [
            a * self.n / self.amount * (w - c) - e * self.n / self.exposure * slope * (w - q)
            for a, e, w in zip(self.amounts, self.exposures, self.selected(q), strict=True)
        ]

    def variance(self, influences):
        squares = [(psi**2, a) for psi, a in zip(influences, self.amounts, strict=True)]
        if self.signed:
            return sum(psi for psi, _ in squares) * unbiased(self.n) / self.n**2
        m = self.m
        holding = sum(psi for psi, a in squares if a != 0) * unbiased(m)
        empty = sum(psi for psi, a in squares if a == 0) * unbiased(self.n - m)
        return Fraction(holding + empty) / self.n**2

    @property
    def effective(self):
        """Return κ, the effective number of events."""
        return self.amount**2 / sum(a * a for a in self.amounts)

    def freedom(self, influences):
        of = [] if self.signed else [self.effective - 1]
        squares = sum(psi**2 for psi in influences)
        if squares:
            crowded = sum(psi**4 for psi in influences) / squares**2 - Fraction(1, self.n)
            of += [2 / crowded] if crowded > 0 else []
        return float(max(1, min([*of, self.m - 1])))

    def _spread(self, estimate, influences):
        variance, df = self.variance(influences), self.freedom(influences)
        return Spread(estimate, tuple(influences), variance, df)

    @cached_property
    def of_index(self):
        return self._spread(self.concentration_index, self.index_influences())

    @cached_property
    def of_ratio(self):
        return self._spread(self.accuracy_ratio, self.ratio_influences())

    def of_captured(self, q):
        """Return the spread with that slope of the majorant which gives the larger variance."""
        q = Fraction(q)
        found = [
            self._spread(self.captured(q), self.captured_influences(q, slope))
            for slope in self.slopes(q)
        ]
        return max(found, key=lambda spread: spread.variance)

    # Limits

    def by_chance(self):
        """Return the standard error of θ over all ways to deal the scores over the rows."""
        moves = [
            [a * f - e * b for b, f in zip(self.amounts, self.exposures, strict=True)]
            for a, e in zip(self.amounts, self.exposures, strict=True)
        ]
        signs = [[sign(s - t) for t in self.scores] for s in self.scores]
        n, squares = self.n, sum(move**2 for row in moves for move in row)
        apart = Fraction(sum(s**2 for row in signs for s in row), n * (n - 1))
        found = apart * squares / 2
        if n > 2:
            twice = sum(sum(row) ** 2 - sum(s**2 for s in row) for row in signs)
            sharing = sum(sum(row) ** 2 for row in moves) - squares
            found += Fraction(twice, n * (n - 1) * (n - 2)) * sharing
        return sqrt(found)

    def ratio_limits(self, level=0.95):
        size, gained = abs(self.accuracy_ratio), self.best_theta / self.exposure
        one_more = (size * gained - self.largest) / (gained + self.largest)
        events = self.m if self.signed else self.effective
        share = ((1 - level) / 2) ** (1 / float(events))
        worst = max(float(one_more), float(1 + size) * share - 1)
        return self._index_limits(self.of_ratio, level, worst)

    def index_limits(self, level=0.95):
        after = [
            (self.best_theta - a * self.exposure + e * self.amount)
            / ((self.amount + a) * (self.exposure + e))
            for a, e in zip(self.amounts, self.exposures, strict=True)
            if a
        ]
        return self._index_limits(self.of_index, level, float(min(after)))

    def _index_limits(self, spread, level, worst):
        """Return the envelope, no nearer to 1 than with unseen rows, and with 0 if by chance."""
        if self.m == 1:
            return -1.0, 1.0
        estimate, moved = float(spread.estimate), quantile(level, spread.df) * spread.se
        found = [estimate - moved, estimate + moved]
        if 1 - abs(spread.estimate) > ROUNDED:
            along = moved / float(1 - spread.estimate**2)
            found += [tanh(atanh(estimate) + turned * along) for turned in (-1, 1)]
        low, high = max(min(found), -1.0), min(max(found), 1.0)
        if abs(spread.estimate) <= ROUNDED:
            return low, high
        if abs(self.theta) <= float(ndtri((1 + level) / 2)) * self.by_chance():
            worst = min(worst, 0.0)
        return (min(low, worst), high) if spread.estimate > 0 else (low, max(high, -worst))

    def captured_limits(self, q, level=0.95):
        if self.m == 1:
            return 0.0, 1.0
        spread = self.of_captured(q)
        c, moved = spread.estimate, quantile(level, spread.df) * spread.se
        found = [float(c) - moved, float(c) + moved]
        if ROUNDED < c < 1 - ROUNDED and spread.se > NO_ERROR:
            along = moved / float(c * (1 - c))
            found += [float(expit(logit(float(c)) + turned * along)) for turned in (-1, 1)]
        else:  # Clopper and Pearson's limits of so many among κ cases
            held, rest = (float(share * self.effective) for share in (c, 1 - c))
            tail = (1 - level) / 2
            found.append(float(betaincinv(held, rest + 1, tail)) if c > ROUNDED else 0.0)
            found.append(float(betaincinv(held + 1, rest, 1 - tail)) if c < 1 - ROUNDED else 1.0)
        inside = c * self.amount
        with_one = self.amount + self.largest
        found += [float(inside / with_one), float((inside + self.largest) / with_one)]
        return max(min(found), 0.0), min(max(found), 1.0)

    # Money: the mean amount of the top, and the best profit

    def of_mean(self, q):
        """ψ of M = captured·A/(qE): N/(qE)·(a·w - e·λ(A/E)(w - q) - e·M·q)."""
        q = Fraction(q)
        mean, rate = self.mean_amount(q), self.amount / self.exposure
        found = []
        for slope in self.slopes(q):
            rows = zip(self.amounts, self.exposures, self.selected(q), strict=True)
            moves = [
                self.n / (q * self.exposure) * (a * w - e * slope * rate * (w - q) - e * mean * q)
                for a, e, w in rows
            ]
            found.append(self._spread(mean, moves))
        return max(found, key=lambda spread: spread.variance)

    def mean_limits(self, q, level=0.95):
        """Return the envelope with the limits of the logarithm, one unseen largest case inside.

        The upper one is no farther off than a mean as large as its reach would have it.
        """
        spread = self.of_mean(q)
        mean, moved = float(spread.estimate), quantile(level, spread.df) * spread.se
        one = float(self.largest / (Fraction(q) * self.exposure))
        if mean <= ROUNDED * one:
            return 0.0, -log((1 - level) / 2) * one
        low = mean * exp(-moved / mean)
        high = mean * exp(moved / mean) if moved < mean else moved * exp(1)
        return max(min(mean - moved, low), 0.0), max(mean + moved, high, mean + one)

    def profits(self, value, cost):
        """Return the profit at each cut-off, and the sum of squared profits of the rows above."""
        pi = [value * a - cost * e for a, e in zip(self.amounts, self.exposures, strict=True)]
        found = []
        for score in sorted(set(self.scores), reverse=True):
            above = [p for p, s in zip(pi, self.scores, strict=True) if s >= score]
            found.append((sum(above), sum(p * p for p in above)))
        return found

    def highest_profit(self, value, cost, level=0.95):
        """Return the upper limit of the best profit: the largest at any cut-off, and one case."""
        t = quantile(level, float(max(1, self.effective - 1)))
        above = []
        for profit, squares in self.profits(value, cost):
            spread = Fraction(self.n, self.n - 1) * (squares - profit**2 / self.n)
            above.append(float(profit) + t * sqrt(max(spread, 0)))
        return max(*above, 0.0) + value * float(self.largest)

    # Without groups of rows in turn

    def left_out(self, groups, statistic):
        """Return the delete-a-group standard error; groups name the group of each row."""
        whole, names = statistic(self), sorted(set(groups))
        rows = {name: {i for i, g in enumerate(groups) if g == name} for name in names}
        moved = [statistic(self.without(rows[name])) - whole for name in names]
        return sqrt(sum(d * d for d in moved) * Fraction(len(names) - 1, len(names)))


def unbiased(rows):
    return Fraction(rows, rows - 1) if rows > 1 else Fraction(1)


def quantile(level, df):
    return float(stdtrit(df, (1 + level) / 2))


@dataclass(frozen=True)
class Difference:
    """The accuracy ratio of one score less that of another, of the same rows."""

    first: Exact
    second: Exact

    @property
    def estimate(self):
        return self.first.accuracy_ratio - self.second.accuracy_ratio

    def influences(self):
        """ψ = N(h₁ - h₂ - ΔAR·h*)/θ*."""
        one, best = self.first, self.first.best_theta
        own = [precedence(e.amounts, e.exposures, e.scores) for e in (one, self.second)]
        perfect = precedence(one.amounts, one.exposures, one.rates)
        return [
            one.n * (h1 - h2 - self.estimate * h) / best
            for h1, h2, h in zip(*own, perfect, strict=True)
        ]

    @property
    def spread(self):
        return self.first._spread(self.estimate, self.influences())

    def terms(self):
        """Return the variance at a value that lies d below, as 1, 2d and d² have it."""
        one, moved = self.first, self.influences()
        best = [Fraction(0)] * one.n
        if not one.signed:
            perfect = precedence(one.amounts, one.exposures, one.rates)
            rows = zip(perfect, one.amounts, one.exposures, strict=True)
            best = [
                one.n * (h / one.best_theta - a / one.amount - e / one.exposure) for h, a, e in rows
            ]
        both = one.variance([x + y for x, y in zip(moved, best, strict=True)])
        whole, relative = one.variance(moved), one.variance(best)
        return float(whole), float(both - whole - relative) / 2, float(relative)

    def limits(self, level=0.95):
        """Solve d² = t²(V + 2dC + d²W)."""
        whole, shared, relative = self.terms()
        square, value = quantile(level, self.spread.df) ** 2, float(self.estimate)
        left = 1 - square * relative
        if left <= 0:
            return -2.0, 2.0
        root = sqrt((square * shared) ** 2 + left * square * whole)
        ends = [value - (square * shared + turned * root) / left for turned in (1, -1)]
        return max(ends[0], -2.0), min(ends[1], 2.0)

    def p_value(self):
        if self.spread.variance == 0:
            return 1.0 if self.estimate == 0 else 0.0
        (whole, shared, relative), away = self.terms(), float(self.estimate)
        t = abs(away) / sqrt(whole + 2 * away * shared + away**2 * relative)
        return 2 * float(stdtr(self.spread.df, -t))
