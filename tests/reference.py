"""Slow and exact answers, straight from the definitions, for the tests to agree with."""

from fractions import Fraction
from itertools import pairwise


def cells(y, s, w=None, higher_is="positive"):
    """List (score, positives, negatives) per distinct score, most likely positive first."""
    found = {}
    weights = [1] * len(y) if w is None else [Fraction(v) for v in w]
    for label, score, weight in zip(y, s, weights, strict=True):
        found.setdefault(score, [Fraction(0), Fraction(0)])[0 if label == 1 else 1] += weight
    order = sorted(found, reverse=higher_is == "positive")
    return [(score, *found[score]) for score in order if sum(found[score]) > 0]


def grades(positives, negatives):
    """Make the cells of a table of grades, listed most likely positive first."""
    return [
        (-k, Fraction(p), Fraction(n))
        for k, (p, n) in enumerate(zip(positives, negatives, strict=True))
    ]


def totals(table):
    return sum(p for _, p, _ in table), sum(n for _, _, n in table)


def auc(table):
    """P(a positive stands before a negative) + P(they tie)/2, over all pairs of cells."""
    n1, n0 = totals(table)
    wins = sum(
        p * n * (Fraction(1, 2) if i == j else int(i < j))
        for i, (_, p, _) in enumerate(table)
        for j, (_, _, n) in enumerate(table)
    )
    return wins / (n1 * n0)


def accuracy_ratio(table):
    return 2 * auc(table) - 1


def ties(table):
    """P(a random positive and a random negative have the same score)."""
    n1, n0 = totals(table)
    return sum(p * n for _, p, n in table) / (n1 * n0)


def shares(table):
    """Vertices (share of cases, of positives, of negatives), from (0, 0, 0)."""
    n1, n0 = totals(table)
    vertices, tp, fp = [(Fraction(0),) * 3], Fraction(0), Fraction(0)
    for _, p, n in table:
        tp, fp = tp + p, fp + n
        vertices.append(((tp + fp) / (n1 + n0), tp / n1, fp / n0))
    return vertices


def cap(table):
    return [(q, captured) for q, captured, _ in shares(table)]


def roc(table):
    return [(fpr, tpr) for _, tpr, fpr in shares(table)]


def at(vertices, x):
    """Read a polyline whose x increases strictly."""
    x = Fraction(x)
    for (x0, y0), (x1, y1) in pairwise(vertices):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise AssertionError(x)


def area(vertices, upto=1):
    """Area under a polyline from 0 to upto, by trapezoids, cut inside the last one."""
    upto, total = Fraction(upto), Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(vertices):
        end = min(x1, upto)
        if end > x0:
            total += (end - x0) * (y0 + y0 + (y1 - y0) * (end - x0) / (x1 - x0)) / 2
    return total


def gaps(table):
    """Differences, captured positives less captured negatives, at every vertex."""
    return [tpr - fpr for _, tpr, fpr in shares(table)]


def ks(table):
    return max(abs(gap) for gap in gaps(table))
