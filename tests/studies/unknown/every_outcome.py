"""Bounds found by trying every outcome of the unknown, pair by pair, in exact fractions."""

from fractions import Fraction
from itertools import product

import numpy as np

import capcurve as cap


def partial_of(positives, negatives, unknown, **settings):
    """Return partial counts with scores that fall from the first cell on."""
    scores = range(len(positives), 0, -1)
    return cap.PartialCounts.from_counts(scores, positives, negatives, unknown, **settings)


def ratio(cells):
    """Return the accuracy ratio of cells (score, positives, negatives), or None without a class."""
    n1, n0 = sum(cell[1] for cell in cells), sum(cell[2] for cell in cells)
    if not (n1 and n0):
        return None
    won = sum(
        p * n * ((score > other) - (score < other))
        for score, p, _ in cells
        for other, _, n in cells
    )
    return Fraction(won) / (n1 * n0)


def captured(cells, q):
    """Return the share of positives in the top q of all cases, or None without positives."""
    left, found = q * sum(p + n for _, p, n in cells), Fraction(0)
    n1 = sum(cell[1] for cell in cells)
    for _, p, n in sorted(cells, reverse=True):
        part = min(Fraction(1), left / (p + n)) if p + n else Fraction(0)
        found, left = found + part * p, left - part * (p + n)
    return found / n1 if n1 else None


def of_all(number, positives, negatives, unknown, least=0, most=None):
    """Return (number, positives among the unknown) of every outcome with that many of them."""
    found = []
    for added in product(*(range(each + 1) for each in unknown)):
        if not least <= sum(added) <= (sum(unknown) if most is None else most):
            continue
        p = [a + b for a, b in zip(positives, added, strict=True)]
        n = [a + u - b for a, u, b in zip(negatives, unknown, added, strict=True)]
        value = number(p, n)
        if value is not None:
            found.append((value, sum(added)))
    return found


def of_one_score(positives, negatives, unknown, q=None, **limits):
    """Return the same of the accuracy ratio, or of the captured share, of one score."""

    def number(p, n):
        cells = list(zip(range(len(p), 0, -1), p, n, strict=True))
        return ratio(cells) if q is None else captured(cells, q)

    return of_all(number, positives, negatives, unknown, **limits)


def of_two_scores(first, second, positives, negatives, unknown, **limits):
    """Return the same of the difference of the accuracy ratios of two scores."""

    def number(p, n):
        ratios = [ratio(list(zip(score, p, n, strict=True))) for score in (first, second)]
        return None if None in ratios else ratios[0] - ratios[1]

    return of_all(number, positives, negatives, unknown, **limits)


def joint_of(first, second, positives, negatives, unknown, names=("new", "old")):
    """Return partial counts of two scores, one cell after the other."""

    def counts(p, n):
        cells = [np.repeat(np.array(score), np.array(p) + np.array(n)) for score in (first, second)]
        y = np.concatenate([[1] * a + [0] * b for a, b in zip(p, n, strict=True)] or [[]])
        return y.astype(int), dict(zip(names, cells, strict=True))

    y, scores = counts(positives, negatives)
    _, others = counts([0] * len(unknown), unknown)
    everyone = {name: np.concatenate([scores[name], others[name]]) for name in names}
    target = [*map(float, y), *[None] * sum(unknown)]
    return cap.count_partial(target, everyone)
