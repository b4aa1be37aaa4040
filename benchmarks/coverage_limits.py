"""The default and other limits of many samples at once, as capcurve finds them one by one.

A sample is a row of cells, most likely positives first: weight of positives and negatives, and
the sums of their squared weights. coverage.py compares some samples of every cell with
`confidence_interval` itself, to nine digits; this is only quicker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainccinv, betaincinv, expit, ndtri, stdtrit

Z = float(ndtri(0.975))
ENOUGH_FOR_LOGIT = 200
HALVINGS = 60


@dataclass(frozen=True)
class Samples:
    """Cells of many samples, shape (samples, cells) each; squares is None without weights."""

    p: np.ndarray
    n: np.ndarray
    weighted: bool

    def masses(self):
        """Return Σw² per cell over (Σw)² of the class."""
        found = []
        for column in (self.p, self.n):
            total = column.sum(axis=1, keepdims=True)
            found.append((column / total) ** 2 if self.weighted else column / total / total)
        return found

    def sizes(self):
        """Return the effective cases of both classes."""
        if self.weighted:
            return [1 / mass.sum(axis=1) for mass in self.masses()]
        return [self.p.sum(axis=1), self.n.sum(axis=1)]

    def rows(self):
        """Return the rows of both classes."""
        if self.weighted:
            return [(column > 0).sum(axis=1) for column in (self.p, self.n)]
        return self.sizes()


def student(degrees):
    """Return the quantile of Student's t."""
    return -stdtrit(degrees, 0.025)


def ranking_limits(samples):
    """Return the limits of the AUC by method, each (low, high)."""
    p, n = (column / column.sum(axis=1, keepdims=True) for column in (samples.p, samples.n))
    v10 = 1 - np.cumsum(n, axis=1) + n / 2
    v01 = np.cumsum(p, axis=1) - p / 2
    # Won and lost pairs are summed apart, so that no pair lost means exactly none.
    lost = (p * (np.cumsum(n, axis=1) - n / 2)).sum(axis=1)
    auc = 1 - lost
    spread = (v10 - auc[:, None], v01 - auc[:, None])
    masses, rows, sizes = samples.masses(), samples.rows(), samples.sizes()
    parts = [(mass * d * d).sum(axis=1) for mass, d in zip(masses, spread, strict=True)]
    if samples.weighted:
        freedom = [
            crowding(m * d * d, size, count)
            for m, d, size, count in zip(masses, spread, sizes, rows, strict=True)
        ]
    else:
        freedom = [count - 1 for count in rows]
        parts = [part * count / (count - 1) for part, count in zip(parts, rows, strict=True)]
    variance = parts[0] + parts[1]
    known = (variance > 1e-30) & (lost > 1e-15) & (auc > 0)
    with np.errstate(all="ignore"):
        degrees = variance**2 / sum(v**2 / f for v, f in zip(parts, freedom, strict=True))
        t = np.where(known, student(degrees), Z)
        by_t = logit(auc, lost, np.sqrt(variance), t)
        if samples.weighted:
            by_t = beyond_unseen(by_t, auc, lost, (p, n), masses, spread)
        found = {
            "logit_t": by_t,
            "logit": logit(auc, lost, np.sqrt(variance), Z),
            "wald": wald(auc, np.sqrt(variance), Z),
        }
    plain = newcombe(auc, lost, sizes, np.full(len(auc), Z))
    wider = newcombe(auc, lost, sizes, t) if samples.weighted else plain
    found["envelope"] = (np.minimum(by_t[0], wider[0]), np.maximum(by_t[1], wider[1]))
    many = np.minimum(*sizes) >= ENOUGH_FOR_LOGIT
    found["default"] = tuple(
        np.where(many, a, b) for a, b in zip(by_t, found["envelope"], strict=True)
    )
    found = {name: tuple(np.where(known, x, y) for x, y in zip(limits, plain, strict=True))
             for name, limits in found.items()}  # fmt: skip
    return found | {"newcombe": plain}


def crowding(squares, size, rows):
    """Return the degrees of freedom of a weighted class."""
    most = rows - 1.0
    total = squares.sum(axis=1)
    with np.errstate(all="ignore"):
        crowded = ((squares / total[:, None]) ** 2).sum(axis=1) - 1 / size
        found = np.minimum(2 / crowded, most)
    return np.where((total > 0) & (crowded > 0), found, most)


def logit(auc, lost, se, quantile):
    """Return limits symmetric on the logit scale."""
    middle, reach = np.log(auc) - np.log(lost), quantile * se / auc / lost
    return expit(middle - reach), expit(middle + reach)


def wald(auc, se, quantile):
    """Return symmetric limits, cut off at 0 and 1."""
    return np.clip(auc - quantile * se, 0, 1), np.clip(auc + quantile * se, 0, 1)


def beyond_unseen(limits, auc, lost, shares, masses, spread):
    """Return limits moved out by one unseen case of each class."""
    found = []
    for side, far, limit in ((-1, auc, limits[0]), (1, lost, limits[1])):
        squares = (limit - auc) ** 2
        for share, mass, d in zip(shares, masses, spread, strict=True):
            distance = np.maximum(side * d, 0)
            reach = (share * distance).sum(axis=1)
            typical = np.where(reach > 0, (mass * distance).sum(axis=1) / reach, mass.sum(axis=1))
            squares = squares + (Z * far * typical) ** 2
        found.append(np.clip(auc + side * np.sqrt(squares), 0, 1))
    return found


def newcombe(auc, lost, sizes, z):
    """Return Newcombe's limits, each bisected from the end of the scale."""
    n1, n0 = sizes

    def crossing(near, own):
        low, high = np.zeros_like(near), near.copy()
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            won, missed = (middle, 1 - middle) if own else (1 - middle, middle)
            extra = missed / (1 + missed) + won / (1 + won)
            variance = won * missed / n1 / n0 * (1 + ((n1 + n0) / 2 - 1) * extra)
            far = (near - middle) ** 2 > z**2 * variance
            low, high = np.where(far, middle, low), np.where(far, high, middle)
        return low

    return crossing(auc, own=True), 1 - crossing(lost, own=False)


def share_limits(samples, shares):
    """Return the default limits of captured response and precision at each share."""
    cases = samples.p + samples.n
    total, all1 = cases.sum(axis=1), samples.p.sum(axis=1)
    ends = np.cumsum(cases, axis=1)
    x, y = corners(samples, ends)
    t = student(np.maximum(np.minimum(*samples.sizes()) - 1, 1))
    pi, masses, found = all1 / total, samples.masses(), {}
    for q in shares:
        start = ends - cases
        with np.errstate(all="ignore"):
            selected = np.clip((q * total[:, None] - start) / cases, 0, 1)
        selected = np.where(cases > 0, selected, 0)
        captured = (samples.p * selected).sum(axis=1)
        missed = (samples.p * (1 - selected)).sum(axis=1)
        wrong = (samples.n * selected).sum(axis=1)
        slopes = local_lifts(x, y, q)
        for name, estimate, lack in (
            ("captured_response", captured / all1, missed / all1),
            ("precision", captured / total / q, wrong / total / q),
        ):
            se = standard_error(name, selected, captured / all1, pi, q, masses, slopes)
            size = samples.sizes()[0]
            if name == "precision":
                of_cases = (masses[0] * pi[:, None] ** 2).sum(axis=1)
                of_cases += (masses[1] * (1 - pi[:, None]) ** 2).sum(axis=1)
                size = q / of_cases
            found[f"{name}({q})"] = rate_limits(estimate, lack, se, size, t)
    return found


def corners(samples, ends):
    """Return the ends of the cells that hold positives: all that a concave majorant can touch."""
    row, cell = np.nonzero(samples.p)
    place = np.arange(len(row)) - np.searchsorted(row, row) + 1
    shape = (len(ends), int(place.max()) + 2)
    x, y = np.ones(shape), np.ones(shape)
    x[:, 0] = y[:, 0] = 0
    x[row, place] = ends[row, cell] / ends[row, -1]
    y[row, place] = np.cumsum(samples.p, axis=1)[row, cell] / samples.p.sum(axis=1)[row]
    return x, y


def standard_error(name, selected, captured, pi, q, masses, slopes):
    """Return the larger standard error of two local lifts: influences are a + b·lift."""
    pi, captured, beyond = pi[:, None], captured[:, None], selected - q
    if name == "precision":
        fixed1, fixed0, moved = (selected - pi * captured) / q, -pi * captured / q, pi * beyond / q
    else:
        fixed1, fixed0, moved = (selected - captured) / pi, 0.0, beyond
    m1, m0 = masses[0] * pi**2, masses[1] * (1 - pi) ** 2
    const = (m1 * fixed1**2 + m0 * fixed0**2).sum(axis=1)
    cross = (moved * (m1 * fixed1 + m0 * fixed0)).sum(axis=1)
    square = ((m1 + m0) * moved**2).sum(axis=1)
    found = np.maximum(*(const - 2 * s * cross + s**2 * square for s in slopes))
    return np.sqrt(np.where(found > 1e-13 * const, found, 0))


def rate_limits(estimate, lack, se, size, quantile):
    """Return the envelope of logit and Wald limits, and Clopper-Pearson's where there is no se."""
    none, every = estimate <= 1e-14, lack <= 1e-14
    known = ~none & ~every & (se > 1e-12 * np.minimum(estimate, lack))
    with np.errstate(all="ignore"):
        by_logit = logit(estimate, lack, se, quantile)
        by_wald = wald(estimate, se, quantile)
    hits = np.where(every, size, np.where(none, 0, estimate * size))
    low = betaincinv(np.where(hits > 0, hits, 1), size - hits + 1, 0.025)
    high = betainccinv(hits + 1, np.where(hits < size, size - hits, 1), 0.025)
    low, high = np.where(none, 0, low), np.where(every, 1, high)
    return (
        np.where(known, np.minimum(by_logit[0], by_wald[0]), low),
        np.where(known, np.maximum(by_logit[1], by_wald[1]), high),
    )


def local_lifts(x, y, q):
    """Return the slopes of the concave majorant just before and just after q."""
    last = x.shape[1] - 1
    before = (x < q).sum(axis=1) - 1
    after = (x <= q).sum(axis=1)
    one = bridge(x, y, np.maximum(before, 0), np.minimum(before + 1, last))
    other, edge = one.copy(), np.flatnonzero(after > before + 1)
    if len(edge):
        end = after[edge]
        other[edge] = bridge(x[edge], y[edge], np.minimum(end - 1, last - 1), np.minimum(end, last))
    return one, other


def bridge(x, y, left, right):
    """Return the slope of the upper hull over each chord, lifted until no point is above."""
    split, found = left.copy(), np.empty(len(x))
    todo = np.arange(len(x))
    while len(todo):
        xs, ys = x[todo], y[todo]
        row = np.arange(len(todo))
        a, b = left[todo], right[todo]
        slope = (ys[row, b] - ys[row, a]) / (xs[row, b] - xs[row, a])
        above = ys - slope[:, None] * xs
        top = above.argmax(axis=1)
        reached = np.maximum(above[row, a], above[row, b]) + 1e-15 * (1 + np.abs(slope))
        done = above[row, top] <= reached
        found[todo[done]] = slope[done]
        first = top <= split[todo]
        left[todo[first]], right[todo[~first]] = top[first], top[~first]
        todo = todo[~done]
    return found
