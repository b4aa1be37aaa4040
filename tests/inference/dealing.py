"""Every way of dealing the labels, and small tied tables to deal them to."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

import capcurve as cap


def tables(largest=3, max_size=4, most=13):
    """Draw counts of at most so many cases, both classes present, likely positives first."""
    cell = st.tuples(st.integers(0, largest), st.integers(0, largest)).filter(any)
    both = st.lists(cell, min_size=1, max_size=max_size).filter(
        lambda t: sum(p for p, _ in t) and sum(n for _, n in t) and sum(map(sum, t)) <= most
    )
    return both.map(counted)


def counted(table):
    positives, negatives = zip(*table, strict=True)
    return cap.ScoreCounts.from_counts(
        np.arange(len(table), 0, -1), list(positives), list(negatives)
    )


def ties_of(counts):
    return (counts.positives.astype(int) + counts.negatives.astype(int)).tolist()


def dealings(ties, n1):
    """Yield positives and negatives per tie for every choice of positives among the cases."""
    cell = [k for k, tied in enumerate(ties) for _ in range(tied)]
    for chosen in combinations(range(len(cell)), n1):
        positives = [0] * len(ties)
        for case in chosen:
            positives[cell[case]] += 1
        yield positives, [t - p for t, p in zip(ties, positives, strict=True)]


def share_of(events):
    """Return the share of events that are true, as a fraction."""
    found = list(events)
    return Fraction(sum(found), len(found))


def gaps(positives, negatives):
    """List the differences of shares captured after every tie, and before the first."""
    n1, n0 = sum(positives), sum(negatives)
    found, p, n = [Fraction(0)], 0, 0
    for up, down in zip(positives, negatives, strict=True):
        p, n = p + up, n + down
        found.append(Fraction(p, n1) - Fraction(n, n0))
    return found


def auc(positives, negatives):
    """P(a positive stands before a negative) + P(they tie)/2."""
    twice = 0
    for i, p in enumerate(positives):
        twice += p * (negatives[i] + 2 * sum(negatives[i + 1 :]))
    return Fraction(twice, 2 * sum(positives) * sum(negatives))
