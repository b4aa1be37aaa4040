"""A change of AUC, summed over every pair of segments as its definition says: exact, and slow.

A sample is {segment: {score: (positives, negatives)}}; any numbers do, fractions stay exact.
"""

from collections import defaultdict
from fractions import Fraction


def total(sample, which):
    return sum(cell[which] for cells in sample.values() for cell in cells.values())


def inside(cells, which):
    return sum(cell[which] for cell in cells.values())


def shares(sample, keys, which):
    return {
        key: inside(sample.get(key, {}), which) / Fraction(1) / total(sample, which) for key in keys
    }


def chance(positives, negatives):
    """How often a positive of some cells outranks a negative of others; None without both."""
    n1, n0 = inside(positives, 0), inside(negatives, 1)
    if not n1 or not n0:
        return None
    won = 0
    for s, (p, _) in positives.items():
        for t, (_, n) in negatives.items():
            won += p * n * (1 if s > t else Fraction(1, 2) if s == t else 0)
    return Fraction(won) / (n1 * n0)


def auc(sample):
    whole = defaultdict(lambda: [0, 0])
    for cells in sample.values():
        for score, (p, n) in cells.items():
            whole[score][0] += p
            whole[score][1] += n
    return chance(whole, whole)


class Reference:
    """All sums over pairs of segments of two samples.

    Positive rates of the samples may be held fixed, as they are while one case is moved.
    """

    def __init__(self, before, after, prevalences=None):
        self.samples = (before, after)
        self.keys = list(dict.fromkeys([*before, *after]))
        self.a = [shares(sample, self.keys, 0) for sample in self.samples]
        self.b = [shares(sample, self.keys, 1) for sample in self.samples]
        self.aucs = [auc(sample) for sample in self.samples]
        self.pi = prevalences or [
            total(each, 0) / Fraction(1) / (total(each, 0) + total(each, 1))
            for each in self.samples
        ]
        self.chances = [{}, {}]
        for i in self.keys:
            for j in self.keys:
                found = [chance(each.get(i, {}), each.get(j, {})) for each in self.samples]
                for z in (0, 1):
                    own, other = found[z], found[1 - z]
                    middle = (self.aucs[0] + self.aucs[1]) / 2
                    self.chances[z][i, j] = (
                        own if own is not None else other if other is not None else middle
                    )

    def mean_chance(self, i, j):
        return (self.chances[0][i, j] + self.chances[1][i, j]) / 2

    def pairs(self):
        return [(i, j) for i in self.keys for j in self.keys]

    def weight(self, i, j):
        return (self.a[0][i] * self.b[0][j] + self.a[1][i] * self.b[1][j]) / 2

    def of_classes(self):
        a, b, mean = self.a, self.b, self.mean_chance
        moved = {pair: self.chances[1][pair] - self.chances[0][pair] for pair in self.pairs()}
        found = {
            "mix_positives": sum(
                (a[1][i] - a[0][i]) * mean(i, j) * (b[0][j] + b[1][j]) / 2 for i, j in self.pairs()
            ),
            "mix_negatives": sum(
                (b[1][j] - b[0][j]) * mean(i, j) * (a[0][i] + a[1][i]) / 2 for i, j in self.pairs()
            ),
            "within": sum(self.weight(i, i) * moved[i, i] for i in self.keys),
            "between": sum(self.weight(i, j) * moved[i, j] for i, j in self.pairs() if i != j),
        }
        found["mix"] = found["mix_positives"] + found["mix_negatives"]
        return found


def moved(sample, segment, score, which, step):
    """The sample with a little more of one class at one score of a segment."""
    cells = dict(sample[segment])
    p, n = cells[score]
    cells[score] = (p + step, n) if which == 0 else (p, n + step)
    return {**sample, segment: cells}


def variances(before, after, names):
    """The variances of parts, from what a little of each case does to each part.

    The step is so small, and the numbers fractions, that the slope is exact to many digits.
    """
    step = Fraction(1, 10**9)
    fixed = Reference(before, after).pi
    both = [before, after]
    found = dict.fromkeys(names, 0.0)
    for u, which in ((0, 0), (0, 1), (1, 0), (1, 1)):
        size = total(both[u], which)
        for segment, cells in both[u].items():
            for score, cell in cells.items():
                if not cell[which]:
                    continue
                ends = []
                for sign in (1, -1):
                    other = list(both)
                    other[u] = moved(both[u], segment, score, which, sign * step)
                    ends.append(Reference(*other, fixed).of_classes())
                for name in names:
                    slope = (ends[0][name] - ends[1][name]) / (2 * step)
                    influence = float(slope * size)
                    found[name] += cell[which] * influence**2 / (size * (size - 1))
    return found
