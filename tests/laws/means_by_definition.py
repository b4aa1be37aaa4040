"""Means over segments by their definitions, pair by pair and segment by segment."""

import numpy as np
from scipy import special, stats


def placements(y, s):
    """Return which share of the other class each positive, and each negative, wins against."""
    positives, negatives = s[y == 1][:, None], s[y == 0][None, :]
    won = (positives > negatives) + (positives == negatives) / 2
    return won.mean(axis=1), won.mean(axis=0)


def weighed(kind, sizes):
    """Return the weights of segments of (positives, negatives), which add up to 1."""
    p, n = np.array(sizes, dtype=float).T
    raw = {"equal": np.ones(len(p)), "cases": p + n, "positives": p, "pairs": p * n}[kind]
    return raw / raw.sum()


def drawn(values, weights):
    """Return the mean, its variance, the degrees of freedom and the effective segments."""
    values, weights = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    mean, heavy, size = weights @ values, weights @ weights, len(values)
    variance = size / (size - 1) * (weights**2 @ (values - mean) ** 2)
    return mean, variance, max(1.0, 1 / heavy - 1), 1 / heavy


def by_cluster(values, weights, clusters):
    """Return what `drawn` does, where a cluster holds whole segments."""
    values, weights = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    mean, names = weights @ values, sorted(set(clusters))
    own = [np.array([each == name for each in clusters]) for name in names]
    moves = np.array([weights[rows] @ (values[rows] - mean) for rows in own])
    heavy = sum(weights[rows].sum() ** 2 for rows in own)
    variance = len(names) / (len(names) - 1) * (moves @ moves)
    return mean, variance, max(1.0, 1 / heavy - 1), 1 / heavy


def parts_of_class(weights, moves):
    """Return the (variance, degrees of freedom) of one class, single cases borrowing together."""
    sums = [((each - each.mean()) ** 2).sum() for each in moves]
    sizes = [len(each) for each in moves]
    known = [g for g, size in enumerate(sizes) if size > 1]
    parts = [(weights[g] ** 2 * sums[g] / (sizes[g] * (sizes[g] - 1)), sizes[g] - 1) for g in known]
    if alone := [g for g, size in enumerate(sizes) if size == 1]:
        free = sum(sizes[g] - 1 for g in known)
        pooled = sum(sums[g] for g in known) / free
        parts.append((sum(weights[g] ** 2 for g in alone) * pooled, free))
    return parts


def spread_of_weights(kind, values, weights, sizes):
    """Return what counted weights add to the variance."""
    p, n = np.array(sizes, dtype=float).T
    off = values - weights @ values
    return {
        "equal": 0.0,
        "positives": (p * off**2).sum() / p.sum() ** 2,
        "cases": ((p + n) * off**2).sum() / (p + n).sum() ** 2,
        "pairs": (p * (n * off) ** 2 + n * (p * off) ** 2).sum() / (p * n).sum() ** 2,
    }[kind]


def fixed(moves, weights, kind="equal"):
    """Return mean, variance, degrees of freedom and effective cases, of placements by segment."""
    sizes = [(len(positives), len(negatives)) for positives, negatives in moves]
    values = np.array([positives.mean() for positives, _ in moves])
    parts = [part for each in zip(*moves, strict=True) for part in parts_of_class(weights, each)]
    inside = sum(part for part, _ in parts)
    variance = inside + spread_of_weights(kind, values, weights, sizes)
    below = sum(part**2 / free for part, free in parts)
    df = max(1.0, variance**2 / below) if below else None
    effective = 1 / sum(w**2 / min(size) for w, size in zip(weights, sizes, strict=True))
    return weights @ values, variance, df, effective


def limits(mean, variance, df, effective, ends=(0, 1), level=0.95, most=1.0, drawn=True):
    """Return the outer envelope of t, of t on the logit, and of Clopper and Pearson.

    Where all drawn segments are alike, as many others as so few may lack count too; and where a
    precision may be no more than `most`, below a half, few are those that are lost of that.
    """
    low, high = ends
    x, se = (mean - low) / (high - low), np.sqrt(variance) / (high - low)
    reach = stats.t.ppf((1 + level) / 2, df) * se
    lows, highs = [x - reach], [x + reach]
    if 0 < x < 1:
        lows.append(special.expit(special.logit(x) - reach / (x * (1 - x))))
        highs.append(special.expit(special.logit(x) + reach / (x * (1 - x))))
    won, lost, tail = effective * x, effective * (1 - x), (1 - level) / 2
    few = 4 - 1e-9  # exactly 4 is not below it, however it was rounded
    if won < few:
        highs.append(stats.beta.ppf(1 - tail, won + 1, lost) if lost > 0 else 1)
    if lost < few:
        lows.append(stats.beta.ppf(tail, won, lost + 1) if won > 0 else 0)
    if drawn and reach < 1e-9:
        lows.append(x * tail ** (1 / effective))
        highs.append(1 - (1 - x) * tail ** (1 / effective))
    if most < 0.5 and effective * (1 - x / most) < few:
        won, lost = effective * min(x / most, 1), effective * (1 - min(x / most, 1))
        lows.append(most * stats.beta.ppf(tail, won, lost + 1) if won > 0 else 0)
    return low + (high - low) * max(0, min(lows)), low + (high - low) * min(1, max(highs))
