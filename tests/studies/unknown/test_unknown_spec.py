"""Bounds of unknown outcomes against their definition, tried out on small populations."""

import copy
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import capcurve as cap
from needs import REQUIRED

FEWER = 1 if REQUIRED else 4  # the whole of what is tried takes long
NEAR = {"rel": 1e-12, "abs": 1e-12}


def ar(p, n):
    """Return pairs in order less pairs in reverse, best scores first, over all pairs; or None."""
    n1, n0 = sum(p), sum(n)
    if not (n1 and n0):
        return None
    after = list(itertools.accumulate(reversed(n), initial=0))[::-1]
    won = sum(a * (after[i + 1] - (n0 - after[i])) for i, a in enumerate(p))
    return Fraction(won) / (Fraction(n1) * Fraction(n0))


def captured(p, n, q):
    """Return the share of positives among the best q of cases; of a tied score its part."""
    if not sum(p):
        return None
    left, found = Fraction(q) * (sum(p) + sum(n)), Fraction(0)
    for a, b in zip(p, n, strict=True):
        if a + b:
            part = min(Fraction(1), left / (a + b))
            found, left = found + part * a, left - part * (a + b)
    return found / sum(p)


def assignments(p, n, u, number):
    """Return the numbers of all outcomes by how many of the unknown are positive."""
    found = {}
    for x in itertools.product(*(range(each + 1) for each in u)):
        value = number(
            [a + b for a, b in zip(p, x, strict=True)],
            [a + c - b for a, b, c in zip(n, x, u, strict=True)],
        )
        if value is not None:
            found.setdefault(sum(x), []).append(value)
    return {m: (min(values), max(values)) for m, values in sorted(found.items())}


def ends(by_number, least=0, most=math.inf):
    inside = [both for m, both in by_number.items() if least <= m <= most]
    return (min(x[0] for x in inside), max(x[1] for x in inside)) if inside else None


def populations(seed, times, scores=5, **most):
    """Return columns of small populations; classes and the unknown are missing in some."""
    rng = np.random.default_rng(seed)
    most = {"positives": 4, "negatives": 6, "unknown": 3} | most
    for turn in range(times):
        k = int(rng.integers(1, scores + 1))
        columns = [rng.integers(0, top + 1, k) * (rng.random(k) < 0.7) for top in most.values()]
        for lacking in (0, 1):
            if turn % 6 == lacking or turn % 6 == 5:
                columns[lacking] *= 0
        yield tuple(column.tolist() for column in columns)


def table(p, n, u, **how):
    """Return partial counts of a table whose best score comes first."""
    scores = how.pop("scores", list(range(len(p), 0, -1)))
    return cap.PartialCounts.from_counts(scores, p, n, u, **how)


def rows(p, n, u):
    """Return targets and scores of single cases, in an order that says nothing."""
    cases = [
        (label, len(p) - i)
        for i, counted in enumerate(zip(p, n, u, strict=True))
        for label, times in zip((1, 0, None), counted, strict=True)
        for _ in range(times)
    ]
    order = np.random.default_rng(len(cases)).permutation(len(cases))
    return [[cases[i][part] for i in order] for part in (0, 1)]


def both(found):
    return found.low, found.high


@pytest.mark.merge
def test_both_ends_are_the_extremes_of_all_assignments():
    tried, empty = 0, 0
    for p, n, u in populations(1, 240 // FEWER):
        if not sum(p) + sum(n) + sum(u):
            continue
        partial, by_number = table(p, n, u), assignments(p, n, u, ar)
        if not by_number:
            empty += 1
            with pytest.raises(ValueError, match=r"no (positives|negatives) among the"):
                cap.unknown_bounds(partial)
            continue
        tried += 1
        low, high = ends(by_number)
        found = cap.unknown_bounds(partial)
        assert both(found) == pytest.approx((float(low), float(high)), **NEAR)
        assert by_number[found.positives_at_low][0] == low
        assert by_number[found.positives_at_high][1] == high
        auc = cap.unknown_bounds(partial, "roc_auc")
        assert both(auc) == pytest.approx(tuple(float((1 + x) / 2) for x in (low, high)), **NEAR)
        known = ar(p, n)
        assert found.known_only == (None if known is None else pytest.approx(float(known), **NEAR))
        for counts, value in ((found.low_counts, low), (found.high_counts, high)):
            assert cap.accuracy_ratio(counts) == pytest.approx(float(value), **NEAR)
            assert counts.n == sum(p) + sum(n) + sum(u)
            assert counts.cases == partial.cases
            assert counts.n1 >= sum(p)
            assert counts.n0 >= sum(n)
        assert partial.completed("worst") == found.low_counts
        assert partial.completed("best") == found.high_counts
    assert tried * FEWER > 150
    assert empty * FEWER > 10


@pytest.mark.merge
def test_counted_rows_of_any_kind_have_the_same_bounds():
    names = ["F", "E", "D", "C", "B", "A"]
    for p, n, u in populations(2, 40 // FEWER):
        if not (sum(p) and sum(n) and sum(u)):
            continue
        expected = cap.unknown_bounds(table(p, n, u))
        target, score = rows(p, n, u)
        several = list(range(len(score)))
        ways = [
            cap.count_partial(target, score),
            cap.count_partial(target, [-s for s in score], higher_is="negative"),
            cap.count_partial(target, [names[len(p) - s] for s in score], levels=names[: len(p)]),
            cap.count_partial(target, score, cluster=several),
            cap.count_partial(
                [{1: "bad", 0: "good", None: "open"}[y] for y in target],
                score,
                pos_label="bad",
                unknown_label="open",
            ),
            table(p, n, u, scores=[f"{name}" for name in names[: len(p)]], levels=names[: len(p)]),
            table(p, n, u, scores=list(range(len(p))), higher_is="negative"),
        ]
        for partial in ways:
            found = cap.unknown_bounds(partial)
            assert both(found) == both(expected)
            assert found.positives_at_low == expected.positives_at_low
            assert found.low_counts.positives.tolist() == expected.low_counts.positives.tolist()
        thrice = cap.unknown_bounds(
            cap.count_partial(target, score, weight=[3.0] * len(score), weight_kind="frequency")
        )
        tripled = cap.unknown_bounds(
            table(*([3 * each for each in column] for column in (p, n, u)))
        )
        assert both(thrice) == pytest.approx(both(tripled), rel=1e-9, abs=1e-9)


@pytest.mark.merge
def test_numbers_and_shares_of_positives_limit_them():
    tried, refused = 0, 0
    for p, n, u in populations(3, 40 // FEWER):
        total = sum(u)
        if not total:
            continue
        partial, by_number = table(p, n, u), assignments(p, n, u, ar)
        for least, most in itertools.combinations_with_replacement(range(total + 1), 2):
            expected = ends(by_number, least, most)
            if expected is None:
                refused += 1
                with pytest.raises(ValueError, match=r"positives=|among the"):
                    cap.unknown_bounds(partial, positives=(least, most))
                continue
            tried += 1
            found = cap.unknown_bounds(partial, positives=(least, most))
            assert both(found) == pytest.approx(tuple(map(float, expected)), **NEAR)
            assert least <= found.positives_at_low <= most
            assert least <= found.positives_at_high <= most
            shares = cap.unknown_bounds(partial, positives=(least / total, most / total))
            assert both(shares) == both(found)
    assert tried * FEWER > 300
    assert refused > (20 if REQUIRED else 3)


@pytest.mark.parametrize(
    "q", [1e-9, 1 / 3, 1.0, *(pytest.param(q, marks=pytest.mark.merge) for q in (0.05, 0.5, 0.99))]
)
def test_captured_shares_are_the_extremes_of_all_assignments(q):
    for p, n, u in populations(4, 12 if REQUIRED else 7):  # each of six shares
        by_number = assignments(p, n, u, lambda a, b: captured(a, b, q))
        if not by_number:
            continue
        partial = table(p, n, u)
        found = cap.unknown_bounds(partial, "captured_response", q=q)
        low, high = ends(by_number)
        assert both(found) == pytest.approx((float(low), float(high)), rel=1e-9, abs=1e-12)
        total = sum(u)
        for least, most in ((0, total // 2), (total // 2, total), (total, total)):
            expected = ends(by_number, least, most)
            if expected is not None:
                some = cap.unknown_bounds(
                    partial, "captured_response", q=q, positives=(least, most)
                )
                assert both(some) == pytest.approx(tuple(map(float, expected)), rel=1e-9, abs=1e-12)


def pickled(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written right here


def joint_rows(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    first, second = rng.integers(0, 4, k), rng.integers(0, 4, k)
    return first.tolist(), second.tolist(), *(rng.integers(0, top, k).tolist() for top in (4, 4, 3))


def margin(score, column):
    return [
        sum(c for s, c in zip(score, column, strict=True) if s == at)
        for at in sorted(set(score), reverse=True)
    ]


@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc", "captured_response"])
def test_differences_of_two_scores_are_the_extremes_of_all_assignments(metric):
    q = 0.3 if metric == "captured_response" else None
    tried = 0
    for seed in range(30 // FEWER):
        first, second, p, n, u = joint_rows(seed)

        def number(a, b, scores=(first, second)):
            of = [(margin(s, a), margin(s, b)) for s in scores]
            values = [ar(*x) if q is None else captured(*x, q) for x in of]
            if None in values:
                return None
            return (values[0] - values[1]) / (2 if metric == "roc_auc" else 1)

        by_number = assignments(p, n, u, number)
        cells = zip(first, second, p, n, u, strict=True)
        cases = [
            (y, a, b)
            for a, b, *counted in cells
            for y, times in zip((1, 0, None), counted, strict=True)
            for _ in range(times)
        ]
        if not (by_number and cases):
            continue
        y, a, b = zip(*cases, strict=True)
        partial = cap.count_partial(list(y), {"new": list(a), "old": list(b)})
        for least, most in ((0, sum(u)), (0, sum(u) // 2), (sum(u) // 2, sum(u))):
            expected = ends(by_number, least, most)
            if expected is None:
                continue
            tried += 1
            found = cap.unknown_bounds(partial, metric, q=q, positives=(least, most))
            assert both(found) == pytest.approx(tuple(map(float, expected)), rel=1e-9, abs=1e-12)
            for counts, value in zip(
                (found.low_counts, found.high_counts), both(found), strict=True
            ):
                at = dict(zip(("new", "old"), map(counts.margin, ("new", "old")), strict=True))
                of = {"q": q} if q else {}
                values = [getattr(cap, metric)(at[name], **of) for name in ("new", "old")]
                assert values[0] - values[1] == pytest.approx(value, **NEAR)
    assert tried * FEWER > 50


def steps(u, m):
    """Return all vertices of rates that do not rise, best scores first, with m positives in all."""
    for i in range(len(u) + 1):
        for j in range(i, len(u) + 1):
            top, middle = sum(u[:i]), sum(u[i:j])
            if middle and top <= m <= top + middle:
                rate = Fraction(m - top, middle)
                yield [*u[:i], *(rate * each for each in u[i:j]), *(0 for _ in u[j:])]


def in_order(p, n, u, number):
    """Return the numbers of all rates that do not rise, by positives among the unknown."""
    found = {}
    for m in range(sum(u) + 1):
        for x in steps(u, m) if sum(u) else [[0] * len(u)]:
            value = number(
                [a + b for a, b in zip(p, x, strict=True)],
                [a + c - b for a, b, c in zip(n, x, u, strict=True)],
            )
            if value is not None:
                found.setdefault(m, []).append(value)
    return {m: (min(values), max(values)) for m, values in found.items()}


@pytest.mark.merge
def test_rates_in_order_are_the_extremes_of_rates_that_do_not_rise():
    tried = 0
    for p, n, u in populations(5, 80 // FEWER, scores=6, unknown=5):
        by_number = in_order(p, n, u, ar)
        if not (by_number and sum(u)):
            continue
        partial = table(p, n, u)
        for limits in ((0, sum(u)), (1, max(1, sum(u) // 2))):
            expected = ends(by_number, *limits)
            if expected is None:
                continue
            tried += 1
            found = cap.unknown_bounds(partial, ordered=True, positives=limits)
            assert both(found) == pytest.approx(tuple(map(float, expected)), **NEAR)
            free = cap.unknown_bounds(partial, positives=limits)
            assert free.low <= found.low + 1e-12
            assert found.high <= free.high + 1e-12
    assert tried * FEWER > 80


@pytest.mark.merge
def test_captured_shares_of_rates_in_order():
    for p, n, u in populations(6, 60 // FEWER, unknown=4):
        by_number = in_order(p, n, u, lambda a, b: captured(a, b, 0.25))
        if by_number and sum(u):
            found = cap.unknown_bounds(table(p, n, u), "captured_response", q=0.25, ordered=True)
            assert both(found) == pytest.approx(
                tuple(map(float, ends(by_number))), rel=1e-9, abs=1e-12
            )


def boxes(p, n, u, odds):
    """Return the fewest and most positives at each score with known cases at multiples of odds."""
    found = []
    for multiple in odds:
        rates = [multiple * a / (multiple * a + b) for a, b in zip(p, n, strict=True)]
        found.append([rate * each for rate, each in zip(rates, u, strict=True)])
    return found


def known_everywhere(seed, times):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.integers(1, 6))
        yield tuple(rng.integers(low, 7, k).tolist() for low in (1, 1, 0))


def costs(n_all):
    """Return of each score, best first, the cases below it less those above."""
    total, above, found = sum(n_all), 0, []
    for each in n_all:
        found.append(total - above - each - above)
        above += each
    return found


@pytest.mark.merge
def test_boxes_of_odds_against_a_linear_programme_at_each_number():
    """AR = sum of (p + x)·w/(n1·n0): linear in x at a given number of positives."""
    for (p, n, u), odds in zip(
        known_everywhere(7, 40 // FEWER), itertools.cycle([(0.5, 2), (1, 3), (0.1, 10), (0.2, 0.9)])
    ):
        lower, upper = boxes(p, n, u, odds)
        found = cap.unknown_bounds(table(p, n, u), odds=odds, pooled=False)
        at = [found.positives_at_low, found.positives_at_high]
        assert all(sum(lower) - 1e-9 <= m <= sum(upper) + 1e-9 for m in at)
        w = costs([sum(each) for each in zip(p, n, u, strict=True)])
        lows, highs = [], []
        for m in [*np.linspace(sum(lower), sum(upper), 7), *at]:
            inside = min(max(m, sum(lower)), sum(upper))
            for sign, values in ((1, lows), (-1, highs)):
                solved = linprog(
                    [sign * c for c in w],
                    A_eq=[[1.0] * len(u)],
                    b_eq=[inside],
                    bounds=list(zip(lower, upper, strict=True)),
                )
                if solved.success:
                    n1 = sum(p) + inside
                    value = sum(a * c for a, c in zip(p, w, strict=True)) + sign * solved.fun
                    values.append(value / (n1 * (sum(p) + sum(n) + sum(u) - n1)))
        assert found.low == pytest.approx(min(lows), abs=1e-8)
        assert found.high == pytest.approx(max(highs), abs=1e-8)


@pytest.mark.merge
def test_captured_shares_at_odds_against_one_linear_programme():
    """A share captured is linear over linear: one programme in x·t and t = 1/n1."""
    for p, n, u in known_everywhere(8, 40 // FEWER):
        q, odds = 0.3, (0.5, 4)
        left, parts = q * sum(map(sum, (p, n, u))), []
        for each in map(sum, zip(p, n, u, strict=True)):
            parts.append(min(1.0, left / each))
            left -= parts[-1] * each
        lower, upper = boxes(p, n, u, odds)
        k = len(p)
        known = sum(part * a for part, a in zip(parts, p, strict=True))
        limits = [[*(-np.eye(k)[i]), lower[i]] for i in range(k)]
        limits += [[*np.eye(k)[i], -upper[i]] for i in range(k)]
        extremes = []
        for sign in (1, -1):
            solved = linprog(
                [sign * each for each in (*parts, known)],
                A_ub=limits,
                b_ub=[0.0] * (2 * k),
                A_eq=[[1.0] * k + [sum(p)]],
                b_eq=[1.0],
                bounds=[(0, None)] * (k + 1),
            )
            extremes.append(sign * solved.fun)
        found = cap.unknown_bounds(
            table(p, n, u), "captured_response", q=q, odds=odds, pooled=False
        )
        assert both(found) == pytest.approx(tuple(extremes), abs=1e-8)


def test_odds_of_one_are_the_rates_of_the_known():
    for p, n, u in known_everywhere(9, 40 // FEWER):
        exact = [Fraction(a * c, a + b) for a, b, c in zip(p, n, u, strict=True)]
        expected = ar(
            [a + x for a, x in zip(p, exact, strict=True)],
            [b + c - x for b, c, x in zip(n, u, exact, strict=True)],
        )
        partial = table(p, n, u)
        found = cap.unknown_bounds(partial, odds=1)
        for value in (*both(found), found.same_odds, cap.accuracy_ratio(partial.completed(1))):
            assert value == pytest.approx(float(expected), **NEAR)
        free = cap.unknown_bounds(partial)
        assert free.low <= found.low + 1e-12
        assert found.high <= free.high + 1e-12


@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc", "captured_response"])
def test_tipping_points_are_the_fewest_that_break_a_minimum(metric):
    q, none, some = (0.25 if metric == "captured_response" else None), 0, 0
    numbers = {
        "accuracy_ratio": ar,
        "roc_auc": lambda p, n: None if ar(p, n) is None else (1 + ar(p, n)) / 2,
        "captured_response": lambda p, n: captured(p, n, q),
    }
    for p, n, u in populations(10, 60 // FEWER):
        by_number = assignments(p, n, u, numbers[metric])
        if not by_number:
            continue
        for minimum in ("-1.5", "0", "0.25", "0.4", "0.5", "0.8", "1"):
            expected = [m for m, (low, _) in by_number.items() if low < Fraction(minimum)]
            found = cap.tipping_point(table(p, n, u), float(minimum), metric, q=q)
            assert found.positives == (expected[0] if expected else None)
            if expected:
                some += 1
                assert found.share == expected[0] / (sum(u) or 1)
            else:
                none += 1
                assert found.share is None
    assert some * FEWER > 50
    assert none * FEWER > 50


def test_parts_add_up_and_a_grid_comes_before_the_bounds():
    rng = np.random.default_rng(11)
    score = rng.integers(0, 1000, 400) / 1000
    target = [
        None if r < 0.1 else int(r < 0.1 + 0.6 * s)
        for r, s in zip(rng.random(400), score, strict=True)
    ]
    whole = cap.count_partial(target, score)
    parts = [cap.count_partial(target[i::7], score[i::7]) for i in range(7)]
    assert sum(parts) == whole == cap.PartialCounts.merge(reversed(parts))
    assert both(cap.unknown_bounds(sum(parts))) == both(cap.unknown_bounds(whole))
    coarse = whole.at_resolution(0.05)
    counted = cap.count_partial(target, score, resolution=0.05)
    assert coarse == counted
    assert both(cap.unknown_bounds(coarse)) == both(cap.unknown_bounds(counted))
    assert both(cap.unknown_bounds(coarse)) != both(cap.unknown_bounds(whole))
    for again in (pickled(whole), copy.deepcopy(whole), copy.copy(whole)):
        assert again == whole
        assert both(cap.unknown_bounds(again)) == both(cap.unknown_bounds(whole))
    assert cap.PartialCounts.from_dict(whole.to_dict()) == whole
    found = cap.unknown_bounds(whole)
    again = pickled(found)
    assert again.to_dict() == found.to_dict()
    assert copy.deepcopy(found).low_counts == found.low_counts


def test_clusters_stay_with_the_counts_of_both_ends():
    rng = np.random.default_rng(12)
    score, cluster = rng.integers(0, 9, 300), np.arange(300) // 3
    target = [
        None if r < 0.15 else int(r > 0.75 - s / 30)
        for r, s in zip(rng.random(300), score, strict=True)
    ]
    partial = cap.count_partial(target, score, cluster=cluster)
    found = cap.unknown_bounds(partial)
    plain = cap.unknown_bounds(cap.count_partial(target, score))
    assert both(found) == both(plain)
    for counts, other in (
        (found.low_counts, plain.low_counts),
        (found.high_counts, plain.high_counts),
    ):
        assert counts.groups is not None
        assert sum(group.n1 for group in counts.groups) == counts.n1 == other.n1
        assert sum(group.n0 for group in counts.groups) == counts.n0
        assert counts.positives.tolist() == other.positives.tolist()
    assert found.low_limit < found.low
    assert found.high_limit > found.high


@pytest.mark.parametrize("factor", [10**12, 10**15])
def test_large_counts_are_exact(factor):
    p, n, u = (
        [factor * each + extra for each in column]
        for column, extra in (([5, 3, 1], 1), ([2, 9, 30], 7), ([4, 0, 2], 3))
    )
    found = cap.unknown_bounds(table(p, n, u))
    for end, m in ((0, found.positives_at_low), (1, found.positives_at_high)):
        values = []
        for at in (m - 1, m, m + 1):
            left, x = at, [0] * 3
            for i in range(3)[::-1] if end == 0 else range(3):
                x[i] = min(left, u[i])
                left -= x[i]
            if left or at < 0:
                continue
            values.append(
                ar(
                    [a + b for a, b in zip(p, x, strict=True)],
                    [a + c - b for a, b, c in zip(n, x, u, strict=True)],
                )
            )
            if at == m:
                own = values[-1]
        assert own == (min(values) if end == 0 else max(values))
        assert float(own) == pytest.approx(both(found)[end], **NEAR)


@pytest.mark.parametrize("options", [{"ordered": True}, {"odds": (0, 0)}, {"odds": (1, 2)}])
def test_expected_numbers_that_are_whole_are_counts(options):
    """Whole numbers of cases have the limits of whole cases however they came about."""
    certain = cap.unknown_bounds(table([3, 1], [1, 4], [0, 0]))
    found = cap.unknown_bounds(table([3, 1], [1, 4], [0, 0]), **options)
    assert found.low_counts == found.high_counts == certain.low_counts
    assert (found.low_limit, found.high_limit) == (certain.low_limit, certain.high_limit)
    if options != {"odds": (1, 2)}:
        found = cap.unknown_bounds(table([3, 1], [1, 4], [2, 5]), **options)
        whole = cap.unknown_bounds(table([3, 1], [1, 4], [2, 5]), positives=(0, 7))
        assert found.low_counts.is_whole
        assert found.low_counts.n == whole.low_counts.n


def test_weights_with_both_classes_known_say_nothing_of_a_missing_class():
    rng = np.random.default_rng(15)
    weight, score = rng.random(900) + 0.1, rng.integers(0, 40, 900)
    target = [None if each % 9 == 0 else int(each % 4 == 0) for each in range(900)]
    partial = cap.count_partial(target, score, weight=weight, weight_kind="sampling")
    for found in (cap.unknown_bounds(partial), cap.tipping_point(partial, 0.2)):
        assert not any("at least one" in note for note in found.notes)


def test_whole_unknown_beside_fractions_of_known_cases_may_be_divided():
    """Half of all cases have the same pairs, and any weight of them may be positive."""
    p, n = [7, 2, 3, 0, 5, 8, 2, 4, 3], [26, 37, 34, 25, 20, 2, 8, 2, 28]
    u = [0, 0, 0, 8, 0, 0, 0, 0, 0]
    whole = cap.unknown_bounds(table(p, n, u))
    halves = ([each / 2 for each in column] for column in (p, n, u))
    for found in (
        cap.unknown_bounds(table(*halves)),
        cap.unknown_bounds(
            cap.count_partial(*rows(p, n, u), weight=[0.5] * sum(p + n + u), weight_kind="sampling")
        ),
    ):
        assert found.low <= whole.low + 1e-12
        assert found.high >= whole.high - 1e-12
        m = Fraction(found.positives_at_high)
        assert 0 < m < 4
        expected = ar(
            [a + 2 * m * (c > 0) for a, c in zip(p, u, strict=True)],
            [b + c - 2 * m * (c > 0) for b, c in zip(n, u, strict=True)],
        )
        assert found.high == pytest.approx(float(expected), **NEAR)
        assert found.high_counts.n1 == pytest.approx(sum(p) / 2 + float(m))
