"""Limits of numbers of amounts for many samples at once; coverage_values.py checks them.

The formulas are those of the package, written for arrays of shape (samples, rows).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
NEAR = 1e-9


def taken(x, places):
    """Return x at places, per sample."""
    return np.take_along_axis(x, places, 1)


def whole(x):
    """Return the sum of each sample, shape (samples, 1)."""
    return x.sum(axis=1, keepdims=True)


def before(x):
    """Return sums of all rows before each, and of all at last: shape (samples, rows + 1)."""
    sums = np.zeros((x.shape[0], x.shape[1] + 1))
    np.cumsum(x, axis=1, out=sums[:, 1:])
    return sums


class Curve:
    """Rows of many samples in some order, tied where `key` is equal; n = how often each occurs."""

    def __init__(self, amount, exposure, n, key=None):
        runs, rows = amount.shape
        self.x, self.y = before(exposure * n), before(amount)
        self.total_x, self.total_y = self.x[:, -1:], self.y[:, -1:]
        self.first = np.broadcast_to(np.arange(rows), (runs, rows))
        self.last = self.first + 1
        if key is not None:
            new = np.ones((runs, rows), dtype=bool)
            new[:, 1:] = key[:, 1:] != key[:, :-1]
            self.first = np.maximum.accumulate(np.where(new, self.first, 0), axis=1)
            ends = np.where(np.roll(new, -1, axis=1), self.last, rows)
            ends[:, -1] = rows
            self.last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
        self.left = taken(self.x, self.first) / self.total_x
        self.right = taken(self.x, self.last) / self.total_x
        middle_y = (taken(self.y, self.first) + taken(self.y, self.last)) / 2 / self.total_y
        u = 1 - self.left - self.right
        self.index = whole(amount * u) / self.total_y
        size = whole(n)
        self.influence = amount * size / self.total_y * (u - self.index)
        self.influence -= exposure * size / self.total_x * (1 - 2 * middle_y + self.index)

    def slopes(self, q):
        """Return the slope of the least concave curve above, left and right of q."""
        x, y = self.x / self.total_x, self.y / self.total_y
        ends = np.zeros(x.shape, dtype=bool)
        ends[:, 0] = True
        np.put_along_axis(ends, self.last, values=True, axis=1)
        height = np.where(ends, y, -np.inf)
        return [self._slope(x, height, at) for at in (q - NEAR, q + NEAR)]

    def _slope(self, x, y, q):
        left = np.zeros((len(x), 1), dtype=int)
        right = np.full((len(x), 1), x.shape[1] - 1)
        while True:
            slope = (taken(y, right) - taken(y, left)) / (taken(x, right) - taken(x, left))
            over = y - slope * x
            best = over.argmax(axis=1)[:, None]
            better = taken(over, best) > taken(over, left) + 1e-13
            if not better.any():
                return slope
            inside = taken(x, best) <= q
            left = np.where(better & inside, best, left)
            right = np.where(better & ~inside, best, right)


class Batch:
    """Samples and all that limits are made from."""

    def __init__(self, samples):
        self.amount = samples.amount
        ones = np.ones_like(self.amount)
        self.exposure = ones if samples.exposure is None else samples.exposure
        self.n = ones if samples.n is None else samples.n
        self.curve = Curve(self.amount, self.exposure, self.n, samples.score)
        self.size = whole(self.n)
        held = self.amount != 0
        self.m, z = whole(held), whole(self.n * ~held)
        corrected = np.where(z > 1, z / np.maximum(z - 1, 1), 1.0)
        self.factor = np.where(held, self.m / np.maximum(self.m - 1, 1), corrected)
        self.empty_factor = corrected
        self.total, self.total_exposure = self.curve.total_y, self.curve.total_x
        self.kish = self.total**2 / whole(self.amount**2)
        self.largest = self.amount.max(axis=1, keepdims=True)

    @cached_property
    def perfect(self):
        """Index of the perfect curve and its influences, rows in the order of the score."""
        rate = self.amount / self.exposure
        order = np.argsort(-rate, axis=1, kind="stable")
        rows = (taken(x, order) for x in (self.amount, self.exposure, self.n, rate))
        curve = Curve(*rows)
        influence = np.empty_like(self.amount)
        np.put_along_axis(influence, order, curve.influence, 1)
        return curve.index, influence

    @cached_property
    def accuracy_ratio(self):
        """Accuracy ratio and its influences."""
        index, influence = self.perfect
        ratio = self.curve.index / index
        return ratio, (self.curve.influence - ratio * influence) / index

    def spread(self, influence, split=None):
        """Return standard error and degrees of freedom; `split`: sums of the row at the cut-off."""
        square = influence**2
        variance = whole(self.n * self.factor * square)
        second, fourth = whole(self.n * square), whole(self.n * square**2)
        if split is not None:
            variance = variance + self.empty_factor * split[0]
            second, fourth = second + split[0], fourth + split[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            nu = 2 / (fourth / second**2 - 1 / self.size)
        nu = np.where(np.isfinite(nu) & (nu > 0), nu, np.inf)
        df = np.maximum(1, np.minimum(np.minimum(self.kish - 1, nu), self.m - 1))
        return np.sqrt(variance) / self.size, df

    def ranking(self, name):
        """Return limits of the accuracy ratio or the concentration index."""
        pair = {"accuracy_ratio": self.accuracy_ratio}
        estimate, influence = pair.get(name, (self.curve.index, self.curve.influence))
        se, df = self.spread(influence)
        far = stdtrit(df, 1 - TAIL) * se
        with np.errstate(divide="ignore", invalid="ignore"):
            z, step = np.arctanh(estimate), far / (1 - estimate**2)
            low, high = np.fmin(np.tanh(z - step), estimate - far), np.tanh(z + step)
        high = np.fmax(high, estimate + far)
        low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
        reach = self.at_worst(name, estimate)
        reach = np.where(np.abs(self.over_chance) <= ndtri(1 - TAIL), np.minimum(reach, 0), reach)
        low = np.where(estimate > 0, np.minimum(low, reach), low)
        return low, np.where(estimate < 0, np.maximum(high, -reach), high)

    @cached_property
    def over_chance(self):
        """Return what the order gains, in standard errors of scores dealt over the rows."""
        curve, n = self.curve, self.size
        rates = self.amount * self.total_exposure - self.exposure * self.total
        rows = whole(self.n * rates**2)
        squares = whole(self.amount**2), whole(self.n * self.exposure**2)
        pairs = 2 * (squares[0] * squares[1] - whole(self.amount * self.exposure) ** 2)
        count = before(self.n)
        first, last = taken(count, curve.first), taken(count, curve.last)
        # A row that stands for many stands for as many different scores.
        alone = (curve.last - curve.first == 1) & (self.n > 1)
        tied = np.where(alone, 1, last - first)
        apart = n * n - whole(self.n * tied)
        outranks = self.n * (n - first - last) ** 2 + np.where(alone, self.n**3 - self.n, 0) / 3
        trios = whole(outranks) - apart
        variance = apart * pairs / 2 / (n * (n - 1))
        variance += trios * (rows - pairs) / (n * (n - 1) * (n - 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return curve.index * self.total * self.total_exposure / np.sqrt(variance)

    def at_worst(self, name, estimate):
        """Return the number if rows that the sample lacks stood at the wrong end."""
        index, held = self.perfect[0], self.amount / self.total
        if name == "accuracy_ratio":
            size, largest = np.abs(estimate), held.max(axis=1, keepdims=True)
            one_more = (size * index - largest) / (index + largest)
            return np.maximum(one_more, (1 + size) * TAIL ** (1 / self.kish) - 1)
        there = self.exposure / self.total_exposure
        left = np.where(held > 0, (index - held + there) / (1 + held) / (1 + there), np.inf)
        return left.min(axis=1, keepdims=True)

    def selected(self, q):
        """Return how much of each row is selected, and the same of rows that stand for many."""
        left, right = self.curve.left, self.curve.right
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.clip((q - left) / (right - left), 0, 1)
        part = np.where(right > left, part, 0.0)
        return np.where(part > 1 - NEAR, 1.0, np.where(part < NEAR, 0.0, part))

    def of_share(self, q, influence_of):
        """Return selected parts and (se, df) of the slope that leaves the larger variance.

        `influence_of` takes selected parts and a slope. A row that stands for many without an
        amount is selected row by row: of n rows, a share w, whole ones but for the last.
        """
        part = self.selected(q)
        many = (part > 0) & (part < 1) & (self.n > 1)
        at = many.argmax(axis=1)[:, None]
        n = np.where(many.any(axis=1)[:, None], taken(self.n, at), 0)
        inside = np.round(taken(part, at) * n, 6)
        full = np.floor(inside)
        counts = np.concatenate([full, (inside > full) * 1.0, n - np.ceil(inside)], axis=1)
        parts = np.concatenate([np.ones_like(full), inside - full, np.zeros_like(full)], axis=1)
        found = []
        for slope in self.curve.slopes(q):
            influence = np.where(many, 0.0, influence_of(part, slope, self.amount, self.exposure))
            split = influence_of(parts, slope, 0.0, 1.0) ** 2
            sums = whole(counts * split), whole(counts * split**2)
            found.append(self.spread(influence, sums))
        (se, df), (other, other_df) = found
        return part, np.maximum(se, other), np.where(se >= other, df, other_df)

    def captured(self, q):
        """Return limits of the captured share of the amount."""
        share = whole(self.amount * self.selected(q)) / self.total

        def influence(part, slope, amount, exposure):
            first = amount * self.size / self.total * (part - share)
            return first - exposure * self.size / self.total_exposure * slope * (part - q)

        _, se, df = self.of_share(q, influence)
        far = stdtrit(df, 1 - TAIL) * se
        with np.errstate(divide="ignore", invalid="ignore"):
            step = far / (share * (1 - share))
            low, high = expit(logit(share) - step), expit(logit(share) + step)
        none, all_ = share < 1e-12, share > 1 - 1e-12
        low = np.where(none, 0.0, np.where(all_, TAIL ** (1 / self.kish), low))
        high = np.where(all_, 1.0, np.where(none, 1 - TAIL ** (1 / self.kish), high))
        more = self.total + self.largest
        low = np.minimum(np.fmin(low, share - far), share * self.total / more)
        high = np.maximum(np.fmax(high, share + far), (share * self.total + self.largest) / more)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def mean_amount(self, q):
        """Return limits of the mean amount of the top q."""
        rate = self.total / self.total_exposure
        mean = whole(self.amount * self.selected(q)) / (q * self.total_exposure)

        def influence(part, slope, amount, exposure):
            moved = slope * rate * (part - q) + mean * q
            return self.size / (q * self.total_exposure) * (amount * part - exposure * moved)

        _, se, df = self.of_share(q, influence)
        far = stdtrit(df, 1 - TAIL) * se
        one = self.largest / (q * self.total_exposure)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            high = np.where(mean > 0, mean * np.exp(far / mean), -np.log(TAIL) * one)
        high = np.maximum(high, np.where(mean > 0, mean + np.maximum(far, one), 0.0))
        return np.maximum(mean - far, 0), high


def difference(scores, amount, samples_of):
    """Return limits of the difference of two accuracy ratios on the same rows, by Fieller."""
    ratios, influences = [], []
    for score in scores:
        order = np.argsort(-score, axis=1, kind="stable")
        batch = Batch(samples_of(taken(amount, order), taken(score, order)))
        found = batch.perfect[1] / batch.perfect[0]
        for kept, influence in ((influences, batch.accuracy_ratio[1]), (relative := [], found)):
            kept.append(np.empty_like(amount))
            np.put_along_axis(kept[-1], order, influence, 1)
        ratios.append(batch.accuracy_ratio[0])
    rows = Batch(samples_of(amount))  # for what does not depend on the order
    gap, moved, best = ratios[0] - ratios[1], influences[0] - influences[1], relative[-1]
    se, df = rows.spread(moved)
    square, mass = stdtrit(df, 1 - TAIL) ** 2, rows.n * rows.factor / rows.size**2
    left = 1 - square * whole(mass * best**2)
    shared = square * whole(mass * moved * best)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.sqrt(square * left * se**2 + shared**2) / left
        low, high = gap - shared / left - half, gap - shared / left + half
    low, high = np.where(left > 0, low, -2), np.where(left > 0, high, 2)
    return np.maximum(low, -2), np.minimum(high, 2)
