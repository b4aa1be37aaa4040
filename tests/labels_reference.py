"""Numbers of scores on all cases and labels on some, slowly from their definitions and from rows.

A level is (score, cases, labels, positives). Levels and cells stand most likely positive first.
"""

import itertools
import math
from statistics import NormalDist

from scipy.special import stdtr, stdtrit

FEW_SCORES, FEWEST_LABELS, MOST_GROUPS, MOST_GROUPS_OF_A_SIDE = 10, 10, 10, 5


def levels_of(rows, higher_is="positive"):
    """Count the (score, label) rows at each score; a label that is None is unknown."""
    found = {}
    for score, label in rows:
        held = found.setdefault(score, [0, 0, 0])
        held[0] += 1
        held[1] += label is not None
        held[2] += label == 1
    order = sorted(found, reverse=higher_is == "positive")
    return [(score, *found[score]) for score in order]


def columns_of(levels):
    """Return scores, positives, negatives and unknown, as tables of counts have them."""
    rows = [(s, k, n - k, cases - n) for s, cases, n, k in levels]
    return tuple([*column] for column in zip(*rows, strict=True))


def rows_of(levels):
    """Return the (score, label) rows that are counted in levels."""
    return [
        (score, label)
        for score, cases, labels, positives in levels
        for label in [1] * positives + [0] * (labels - positives) + [None] * (cases - labels)
    ]


def summed(cell):
    """Return cases, labels and positives of the levels of a cell."""
    return tuple(sum(level[place] for level in cell) for place in (1, 2, 3))


def grouped(levels, most):
    """Cut levels into groups of equal numbers of cases, in whole numbers, ties together."""
    cases, labels, _ = summed(levels)
    groups = max(1, min(most, labels // 10))
    found, seen = {}, 0
    for level in levels:
        found.setdefault(groups * (2 * seen + level[1]) // (2 * cases), []).append(level)
        seen += level[1]
    return [*found.values()]


def joined(cells, fewest):
    """Join the cell of fewest labels to its neighbour of fewer, until each has enough."""
    cells = [list(cell) for cell in cells]
    labels = [summed(cell)[1] for cell in cells]
    while len(cells) > 1 and min(labels) < fewest:
        place = labels.index(min(labels))
        beside = [each for each in (place - 1, place + 1) if 0 <= each < len(cells)]
        first = min(place, min(beside, key=lambda each: (labels[each], each)))
        cells[first : first + 2] = [cells[first] + cells[first + 1]]
        labels[first : first + 2] = [labels[first] + labels[first + 1]]
    return cells


def cells_of(levels, labelled="at random", better=None):
    """Return the cells; of a number at a cut-off those of either side, apart."""
    few = len(levels) <= FEW_SCORES
    fewest = 2 if few and labelled == "by score" else FEWEST_LABELS
    sides = [levels] if better is None else [levels[:better], levels[better:]]
    most = MOST_GROUPS if better is None else MOST_GROUPS_OF_A_SIDE
    found = []
    for side in filter(None, sides):
        assert summed(side)[1], "a side without labels"
        found += joined([[level] for level in side] if few else grouped(side, most), fewest)
    return found


def inside_share(levels, q):
    """Return how many levels lie wholly inside the best share q of all cases."""
    room, seen, found = q * summed(levels)[0] * (1 + 1e-12), 0, 0
    for _, cases, _, _ in levels:
        seen += cases
        if seen > room:
            return found
        found += 1
    return found


def inside_threshold(levels, threshold, higher_is="positive"):
    """Return how many levels are at or better than a threshold."""
    sign = 1 if higher_is == "positive" else -1
    return sum(sign * level[0] >= sign * threshold for level in levels)


def z_of(level=0.95, side="both"):
    """Return the normal quantile of a confidence level."""
    tail = (1 - level) / 2 if side == "both" else 1 - level
    return -NormalDist().inv_cdf(tail)


def wilson(k, n, z):
    middle, width = k + z * z / 2, z * math.sqrt(k * (n - k) / n + z * z / 4)
    return (middle - width) / (n + z * z), (middle + width) / (n + z * z)


def share(cells):
    """Return the share of positives in which each label stands for the cases of its cell."""
    total = sum(summed(cell)[0] for cell in cells)
    return math.fsum(cases * k / n for cases, n, k in map(summed, cells)) / total


def se_of_share(cells, of="population"):
    total, found = sum(summed(cell)[0] for cell in cells), 0.0
    for cases, n, k in map(summed, cells):
        if cases > n > 1:
            found += (cases / total) ** 2 * (1 - n / cases) * k / n * (1 - k / n) / (n - 1)
    theta = share(cells)
    return math.sqrt(found + (theta * (1 - theta) / total if of == "population" else 0.0))


def fitted(lam, weight, n, k):
    """Return the rate of a cell that fits its labels best, at one multiplier of the constraint."""
    a = n + lam * weight
    d = math.sqrt(max(a * a - 4 * lam * weight * k, 0.0))
    rate = 2 * k / (a + d) if a > 0 else (a - d) / (2 * lam * weight)
    return min(max(rate, 0.0), 1.0)


def distance(lam, cells, of, deff=1.0):
    """Return the share at a multiplier, and how many standard errors the estimate is from it.

    Labels of clusters count as so many times fewer.
    """
    total = sum(summed(cell)[0] for cell in cells)
    theta, variance, labels, open_cells = 0.0, 0.0, 0, 0
    for cases, n, k in map(summed, cells):
        if n == cases:
            theta += k / total
            continue
        known = 1 - n / cases
        n, k = n / deff, k / deff  # noqa: PLW2901 - from here on
        rate = fitted(lam, cases / total, n / known, k / known)
        theta += cases / total * rate
        variance += (cases / total) ** 2 * rate * (1 - rate) * known / n
        labels, open_cells = labels + n, open_cells + 1
    if open_cells:
        variance *= labels / (labels - open_cells + 1)
    if of == "population":
        variance += theta * (1 - theta) / total
    gap = abs(share(cells) - theta)
    gap = 0.0 if gap < 1e-15 else gap  # rounding
    return theta, gap / math.sqrt(variance) if variance > 0 else math.inf * gap if gap else 0.0


def one_limit(cells, of, z, sign, deff=1.0):
    """Move the multiplier out until the estimate is z standard errors away."""
    low, high = -10.0, 14.0
    for _ in range(60):  # then they are a float apart
        middle = (low + high) / 2
        inside = distance(sign * 10**middle, cells, of, deff)[1] <= z
        low, high = (middle, high) if inside else (low, middle)
    end, reached = distance(sign * 10**high, cells, of, deff)
    if reached > z or of == "cases":
        return distance(sign * 10**low, cells, of, deff)[0]
    # Wholly labelled cells move no rate, so chance in drawing these cases is added.
    total = sum(summed(cell)[0] for cell in cells)
    theta = share(cells)
    drawn = wilson(theta * total, total, z)[0 if sign > 0 else 1]
    return min(max(theta - sign * math.hypot(theta - end, theta - drawn), 0.0), 1.0)


def limits_of_share(cells, of="population", level=0.95, side="both"):
    """Return Wilson's limits of a weighted sum of rates; of these cases within what is certain."""
    low, high = limits_within(cells, of, z_of(level, side))
    return (0.0 if side == "upper" else low), (1.0 if side == "lower" else high)


def limits_within(cells, of, z):
    """Return the limits that are at most so many standard errors away."""
    total, labels, positives = map(sum, zip(*map(summed, cells), strict=True))
    if all(cases == n for cases, n, _ in map(summed, cells)):
        theta = positives / total
        low, high = wilson(positives, total, z) if of == "population" else (theta, theta)
    else:
        low, high = one_limit(cells, of, z, 1), one_limit(cells, of, z, -1)
        if of == "cases":
            low = max(low, positives / total)
            high = min(high, (positives + total - labels) / total)
    return low, high


def limits_of_clusters(cells, se, groups, level=0.95):
    """Return the limits of these cases where labels are those of clusters, of this jackknife se."""
    deff = max(1.0, (se / se_of_share(cells, "cases")) ** 2)
    quantile = -stdtrit(groups - 1, (1 - level) / 2)
    return tuple(one_limit(cells, "cases", quantile, sign, deff) for sign in (1, -1))


def share_at_odds(cells, ratio):
    """Return the share if the unlabelled have this many times the odds of their cell's labels."""
    total = sum(summed(cell)[0] for cell in cells)
    found = 0.0
    for cases, n, k in map(summed, cells):
        if not 0 < k < n or ratio in {0, math.inf}:
            rate = float(k == n or (k > 0 and ratio == math.inf))
        else:
            rate = ratio * k / (n - k + ratio * k)
        found += k + (cases - n) * rate
    return found / total


def weighted(cells):
    """Return the labels as (score, outcome, weight, cell)."""
    return [
        (score, outcome, summed(cell)[0] / summed(cell)[1], place)
        for place, cell in enumerate(cells)
        for score, _, n, k in cell
        for outcome in [1] * k + [0] * (n - k)
    ]


def weighted_levels(cells):
    """Return score, positives and negatives, weighted, at each score that has labels."""
    return [
        (score, k * summed(cell)[0] / summed(cell)[1], (n - k) * summed(cell)[0] / summed(cell)[1])
        for cell in cells
        for score, _, n, k in cell
        if n
    ]


def variance(psi, cells, of="population", more=()):
    """Return V of a number from the influence of each label, in the order of `weighted`.

    Labels that are added to cells are (influence, cell, how many); they add to the spread alone.
    """
    labels, total = weighted(cells), sum(summed(cell)[0] for cell in cells)
    found = 0.0
    for place, cell in enumerate(cells):
        cases, n, _ = summed(cell)
        own = [(each, 1.0) for each, label in zip(psi, labels, strict=True) if label[3] == place]
        own += [(each, times) for each, at, times in more if at == place]
        held = math.fsum(times for _, times in own)
        if held > 1:
            mean = math.fsum(times * each for each, times in own) / held
            spread = math.fsum(times * (each - mean) ** 2 for each, times in own) / (held - 1)
            found += (cases / total) ** 2 * (1 - n / cases) * spread / n
    if of == "population":
        found += math.fsum(w * e * e for e, (_, _, w, _) in zip(psi, labels, strict=True)) / (
            total * total
        )
    return found


def drawn_in(psi, cells, of="population", *, at_an_end=False):
    """Return by how much limits of the weighted counts are drawn in."""
    labels, total = weighted(cells), sum(summed(cell)[0] for cell in cells)
    positives = sum(label[1] for label in labels)
    if min(positives, len(labels) - positives) < 20 or at_an_end:
        return 1.0 if of == "population" else math.sqrt(1 - len(labels) / total)
    usual = math.fsum((w * e) ** 2 for e, (_, _, w, _) in zip(psi, labels, strict=True))
    found = min(1.0, math.sqrt(variance(psi, cells, of) / (usual / (total * total))))
    return max(found, left_to_chance(cells)) if of == "cases" else found


def left_to_chance(cells):
    """Return the least factor of these cases where half of them lie in cells without a spread."""
    sums = [summed(cell) for cell in cells]
    total = sum(cases for cases, _, _ in sums)
    still = sum(cases for cases, labels, held in sums if held in {0, labels} and labels < cases)
    if still < total / 2:
        return 0.0
    spread = [(cases**2 / labels, 1 - labels / cases) for cases, labels, _ in sums]
    return math.sqrt(sum(s * left for s, left in spread) / sum(s for s, _ in spread))


def auc_and_influence(labels, higher_is="positive"):
    """Return the AUC of (score, outcome, weight) labels, and how far each of them moves it."""
    sign = 1 if higher_is == "positive" else -1
    scored = [(sign * label[0], *label[1:3]) for label in labels]
    totals = [sum(w for _, y, w in scored if y == outcome) for outcome in (0, 1)]
    share_1 = totals[1] / sum(totals)

    def worse(score, outcome):
        """Return the weighted share of a class that is worse than a score, ties by half."""
        held = ((s, w) for s, y, w in scored if y == outcome)
        return sum(w * ((s < score) + (s == score) / 2) for s, w in held) / totals[outcome]

    below = {(s, o): worse(s, o) for s in {each[0] for each in scored} for o in (0, 1)}
    auc = sum(w * below[s, 0] for s, y, w in scored if y) / totals[1]
    psi = [
        (below[s, 0] - auc) / share_1 if y else (1 - below[s, 1] - auc) / (1 - share_1)
        for s, y, _ in scored
    ]
    return auc, psi


def difference_of_two(rows, added=0):
    """Return the ARs of two scores, the first of which has the cells, and se of the difference.

    Each cell may have labels added, at the scores of its own ones and positive as often as all.
    """
    levels = levels_of([(first, label) for first, _, label in rows])
    cells = cells_of(levels)
    held = weighted(cells)
    # In the order of `weighted`: by the first score, positives before negatives.
    known = sorted((-first, -label, second) for first, second, label in rows if label is not None)
    beside = [(second, y, w) for (_, _, second), (_, y, w, _) in zip(known, held, strict=True)]
    # A label without weight moves nothing, and its influence is that of one label more there.
    either = [(label, y) for label in range(len(held)) for y in (1, 0) if added]
    (auc, psi), (other, moved) = (
        auc_and_influence([*labels, *((labels[label][0], y, 0.0) for label, y in either)])
        for labels in (held, beside)
    )
    apart = [2 * (first - second) for first, second in zip(psi, moved, strict=True)]
    theta, more = share(cells), []
    for (label, y), each in zip(either, apart[len(held) :], strict=True):
        place = held[label][3]
        times = added * (theta if y else 1 - theta) / summed(cells[place])[1]
        more.append((each, place, times))
    se = math.sqrt(variance(apart[: len(held)], cells, more=more))
    return 2 * auc - 1, 2 * other - 1, se


def limits_and_p_of_two(rows, level=0.95):
    """Return limits of the difference of two ARs by Student's t, and p: two labels are added."""
    first, second, se = difference_of_two(rows, added=2)
    held = weighted(cells_of(levels_of([(score, label) for score, _, label in rows])))
    weights = [[w for _, y, w, _ in held if y == outcome] for outcome in (0, 1)]
    df = max(min(sum(each) ** 2 / sum(w * w for w in each) for each in weights) - 1, 1.0)
    gap, width = first - second, -stdtrit(df, (1 - level) / 2) * se
    return gap - width, gap + width, 2 * stdtr(df, -abs(gap) / se)


def captured(cells, q):
    """Return the captured response of the weighted labels, by the line inside a score."""
    held = weighted_levels(cells)
    total, positives = sum(p + n for _, p, n in held), sum(p for _, p, _ in held)
    room, found = q * total, 0.0
    for _, p, n in held:
        part = min(1.0, room / (p + n)) if room > 0 else 0.0
        found, room = found + part * p, room - (p + n)
    return found / positives


def captured_influence(cells, q, better):
    """Return how far each label moves the captured response, at a cut-off between two scores."""
    theta, c = share(cells), captured(cells, q)
    best = {level[0] for level in list(itertools.chain(*cells))[:better]}
    return [y * ((score in best) - c) / theta for score, y, _, _ in weighted(cells)]


def at_threshold(name, better, worse, chosen):
    """Return a number at a threshold from the rates of both sides and the share selected."""
    if name == "precision":
        return better
    lift = better / (chosen * better + (1 - chosen) * worse)
    return lift if name == "lift" else chosen * lift


def t_of_cells(cells, tail):
    """Return Student's quantile, of fewer degrees of freedom where few labels decide the width."""
    total = sum(summed(cell)[0] for cell in cells)
    sums = [summed(cell) for cell in cells]
    parts = [((cases / total) ** 2 * (1 - n / cases) / n, n) for cases, n, _ in sums]
    squares = sum(part**2 / max(n - 1, 1) for part, n in parts)
    return -stdtrit(max(sum(part for part, _ in parts) ** 2 / squares, 1.0), tail)


def limits_at_threshold(name, cells, better, of="population", level=0.95, side="both"):
    """Return the limits of captured response, lift or precision from those of what it is made of.

    Moved to a limit one at a time, they move the number by lengths whose squares add up. It rises
    with the rate of the better side and falls with that of the worse one. With the share selected
    captured response rises, and lift falls if the better side has the higher rate.
    """
    best = {level[0] for level in list(itertools.chain(*cells))[:better]}
    sides = [[cell for cell in cells if (cell[0][0] in best) == inside] for inside in (True, False)]
    z = t_of_cells(cells, (1 - level) / 2 if side == "both" else 1 - level)
    (b, w), total = map(share, sides), sum(summed(cell)[0] for cell in cells)
    (b_low, b_high), (w_low, w_high) = (limits_within(each, of, z) for each in sides)
    selected = sum(summed(cell)[0] for cell in sides[0])
    c = selected / total
    c_limits = wilson(selected, total, z) if of == "population" else (c, c)
    c_down, c_up = c_limits[::-1] if name == "lift" and b > w else c_limits
    estimate = at_threshold(name, b, w, c)
    down, up = (
        math.hypot(*(at_threshold(name, *each) - estimate for each in moved))
        for moved in (
            [(b_low, w, c), (b, w_high, c), (b, w, c_down)],
            [(b_high, w, c), (b, w_low, c), (b, w, c_up)],
        )
    )
    most = math.inf if name == "lift" else 1.0
    low, high = max(estimate - down, 0.0), min(estimate + up, most)
    return estimate, (0.0 if side == "upper" else low), (most if side == "lower" else high)


def kappa_and_influence(table):
    """Return kappa, its agreement and the influence of each outcome (judge, label)."""
    total = sum(table.values())
    a, b, c, d = (table[cell] / total for cell in ((1, 1), (1, 0), (0, 1), (0, 0)))
    j, y, agree = a + b, a + c, a + d
    chance = j * y + (1 - j) * (1 - y)
    psi = {
        (J, Y): (
            (J * Y + (1 - J) * (1 - Y) - agree) * (1 - chance)
            - (1 - agree) * ((J - j) * (2 * y - 1) + (Y - y) * (2 * j - 1))
        )
        / (1 - chance) ** 2
        for J, Y in table
    }
    return (agree - chance) / (1 - chance), agree, psi


def kappa(cells, better, of="population", level=0.95, side="both"):
    """Return kappa of judge and labels: estimate, low, high, se, effective labels, agreement."""
    best = {level[0] for level in list(itertools.chain(*cells))[:better]}
    labels = [(int(score in best), y, w) for score, y, w, _ in weighted(cells)]
    table = {(j, y): 0.0 for j in (1, 0) for y in (1, 0)}
    for j, y, w in labels:
        table[j, y] += w
    estimate, agreement, psi = kappa_and_influence(table)
    n, total = len(labels), sum(table.values())
    found = variance([psi[j, y] for j, y, _ in labels], cells, of)
    usual = sum(w / total * psi[cell] ** 2 for cell, w in table.items()) / n
    effective = n / _deff(found, usual, labels)
    added = {cell: (w / total * effective + 0.5) / (effective + 2) for cell, w in table.items()}
    middle, _, moved = kappa_and_influence(added)
    v = sum(added[cell] * moved[cell] ** 2 for cell in added) / (effective + 2)
    tail = (1 - level) / 2 if side == "both" else 1 - level
    width = -stdtrit(max(1.0, effective - 1), tail) * math.sqrt(v) / (1 - middle**2)
    low, high = (math.tanh(math.atanh(middle) + sign * width) for sign in (-1, 1))
    low, high = min(low, estimate), max(high, estimate)  # half a label may move both beyond it
    return {
        "estimate": estimate,
        "low": -1.0 if side == "upper" else low,
        "high": 1.0 if side == "lower" else high,
        "se": math.sqrt(found),
        "effective_labels": effective,
        "agreement": agreement,
    }


def _deff(found, usual, labels):
    """Return how many labels stand for one that is drawn from all cases."""
    agreeing = sum(j == y for j, y, _ in labels)
    if len({y for _, y, _ in labels}) == 1:
        return 1.0
    least = 1.0 if min(agreeing, len(labels) - agreeing) < 5 else 0.5
    return min(20.0, max(least, found / usual if usual > 0 else 1.0))
