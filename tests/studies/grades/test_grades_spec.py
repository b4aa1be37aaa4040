"""Stability, grades, migration and pooling against references that share no code with them."""

import json
import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import capcurve as cap

DATA = Path(__file__).parents[2] / "oracles" / "data" / "validation.json"
EXPECTED = json.loads(DATA.read_text())
TABLES = ["german_under_33_vs_rest", "lending_low_vs_high_income", "with_an_empty_bin", "small"]
TABLES += ["psi_inference_readme"]
SMALL = st.integers(0, 9)


def names(size):
    return [f"g{k:04}" for k in range(size)]


def portfolio(cases, **options):
    return cap.CaseCounts.from_counts(names(len(cases)), cases, levels=names(len(cases)), **options)


def graded(positives, negatives):
    levels = names(len(positives))
    return cap.ScoreCounts.from_counts(levels, positives, negatives, levels=levels)


def holm(chances):
    """Adjust what is a number, leave out what is not."""
    chances = np.asarray(chances, dtype=float)
    adjusted = np.full(len(chances), np.nan)
    tested = [k for k in np.argsort(chances, kind="stable") if not np.isnan(chances[k])]
    largest = 0.0
    for place, k in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - place) * chances[k]))
        adjusted[k] = largest
    return adjusted


# Stability


@pytest.mark.parametrize("name", TABLES)
def test_the_index_its_test_and_its_limits_are_those_of_r(name):
    known = EXPECTED["psi"][name]
    found = cap.population_stability(
        portfolio(known["base"]), portfolio(known["current"]), level=0.90
    )
    assert found.psi == pytest.approx(float(known["psi"]), rel=1e-10)
    for field, key in [
        ("psi_half", "psi_half"),
        ("expected_if_unchanged", "expected_if_unchanged"),
        ("chi2", "chi2"),
        ("p_value", "chi2_p"),
    ]:
        assert getattr(found, field) == pytest.approx(known[key], rel=1e-10)
    assert found.df == known["df"]
    assert found.low == pytest.approx(known["psi_half_lower_95_one_sided"], abs=1e-8)
    assert found.high == pytest.approx(known["psi_half_upper_95_one_sided"], abs=1e-8)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=8))
def test_pearsons_test_and_the_limits_are_those_of_scipy(cells):
    before, after = map(list, zip(*cells, strict=True))
    if not sum(before) or not sum(after):
        return
    found = cap.population_stability(portfolio(before), portfolio(after))
    seen = [cell for cell in cells if any(cell)]
    assert found.df == len(seen) - 1
    if len(seen) == 1:
        return
    known = stats.chi2_contingency(np.array(seen).T, correction=False)
    assert found.chi2 == pytest.approx(known.statistic, rel=1e-10, abs=1e-12)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-9)
    scale = 1 / sum(before) + 1 / sum(after)
    reached = found.psi_half / scale
    if found.low > 0:
        above = stats.ncx2.sf(reached, found.df, found.low / scale)
        assert above == pytest.approx(0.025, rel=1e-5)
    else:
        assert stats.chi2.sf(reached, found.df) >= 0.025 - 1e-9
    if found.high > 0:
        below = stats.ncx2.cdf(reached, found.df, found.high / scale)
        assert below == pytest.approx(0.025, rel=1e-5)
    else:
        assert stats.chi2.cdf(reached, found.df) <= 0.025 + 1e-9


@given(st.lists(st.tuples(SMALL, SMALL, SMALL, SMALL), min_size=2, max_size=6))
def test_the_index_of_a_class_is_that_of_its_cases_alone(cells):
    columns = list(map(list, zip(*cells, strict=True)))
    if not all(map(any, columns)):
        return
    before, after = graded(*columns[:2]), graded(*columns[2:])
    for of, one, other in [("positives", 0, 2), ("negatives", 1, 3)]:
        alone = cap.population_stability(portfolio(columns[one]), portfolio(columns[other]))
        found = cap.population_stability(before, after, of=of)
        fields = ("psi", "psi_half", "low", "high", "chi2", "p_value", "df", "empty")
        for field in fields:
            assert getattr(found, field) == getattr(alone, field)


def test_neither_rows_nor_parts_nor_what_holds_them_change_a_bit():
    rng = np.random.default_rng(3)
    before, after = rng.integers(0, 40, 500) / 8, rng.integers(0, 44, 700) / 8
    usual = cap.population_stability(cap.count_cases(before), cap.count_cases(after))
    parts = cap.count_cases(after[::-1][:123]) + cap.count_cases(after[::-1][123:])
    for rows in (rng.permutation(before), before.astype(np.float32), before.tolist()):
        again = cap.population_stability(cap.count_cases(rows), parts)
        assert again.to_dict() == usual.to_dict()


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_bins_are_the_same_for_whole_numbers_and_for_floats(higher_is):
    rng = np.random.default_rng(8)
    before, after = rng.integers(0, 30, 300), rng.integers(0, 30, 300)
    count = cap.count_cases
    whole = cap.population_stability(
        count(before, higher_is=higher_is), count(after, higher_is=higher_is)
    )
    mixed = cap.population_stability(
        count(before, higher_is=higher_is), count(after.astype(float), higher_is=higher_is)
    )
    assert whole.psi == mixed.psi
    assert len(whole.table["before"]) <= 10


@pytest.mark.parametrize("bins", [2, 3, 5, 10, 40, "score", [1, 2, 4]])
def test_bins_partition_both_samples_at_scores_of_the_first(bins):
    rng = np.random.default_rng(1)
    before, after = rng.poisson(2, 400), rng.poisson(2.5, 300)
    found = cap.population_stability(cap.count_cases(before), cap.count_cases(after), bins=bins)
    table = found.table
    assert table["before"].sum() == 400
    assert table["after"].sum() == 300
    # Ties stay together: every sum from the top is a number of cases at or above some score.
    reachable = {int((before >= score).sum()) for score in range(12)}
    assert set(np.cumsum(table["before"]).tolist()) <= reachable
    shares = np.array([table["before"] / 400, table["after"] / 300])
    if (shares > 0).all():
        by_hand = ((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum()
        assert found.psi == pytest.approx(by_hand, rel=1e-12)


def test_cut_points_part_scores_where_they_say():
    before, after = np.arange(1, 9), np.array([1, 1, 1, 5, 6, 7, 8, 8])
    found = cap.population_stability(cap.count_cases(before), cap.count_cases(after), bins=[3, 6])
    assert found.table["before"].tolist() == [3, 3, 2]
    assert found.table["after"].tolist() == [4, 1, 3]
    assert found.df == 2


def test_large_samples_keep_their_digits():
    cases, later = [10**12, 3 * 10**12, 10**12], [10**12 + 10**6, 3 * 10**12, 10**12 - 10**6]
    found = cap.population_stability(portfolio(cases), portfolio(later))
    exact = 2e6 / 5e12 * 1e-6 * (1 + 0)  # (a - b)·ln(a/b) twice, 1e6/5e12 times about 1e-6
    assert found.psi == pytest.approx(exact, rel=1e-6)
    assert found.chi2 == pytest.approx(1.0, rel=1e-5)
    assert found.low == 0.0 < found.high < 1e-10


# Neighbours


@pytest.mark.parametrize("name", EXPECTED["grades"])
def test_neighbours_have_the_chances_of_r(name):
    known = EXPECTED["grades"][name]
    bad = np.array(known["counts"]["bad"])
    counts = cap.ScoreCounts.from_counts(
        known["counts"]["grade"],
        bad,
        np.array(known["counts"]["n"]) - bad,
        levels=known["counts"]["grade"],
    )
    columns = {"mid_p": "midp_p", "z": "z_pooled_p", "fisher": "fisher_p"}
    for method, column in columns.items():
        table = cap.adjacent_grades(counts, method=method)
        exact = [row[column] for row in known["adjacent"]]
        assert table["p_value"] == pytest.approx(exact, rel=1e-10)
    table = cap.adjacent_grades(counts)
    reversed_p = [row["midp_p_reversed"] for row in known["adjacent"]]
    assert table["p_reversed"] == pytest.approx(reversed_p, rel=1e-10)
    adjusted = [row["midp_p_reversed_holm"] for row in known["adjacent"]]
    assert table["p_reversed_adjusted"] == pytest.approx(adjusted, rel=1e-10)
    adjusted = [row["midp_p_holm"] for row in known["adjacent"]]
    assert table["p_adjusted"] == pytest.approx(adjusted, rel=1e-10)


def mid_p(a, b, c, d):
    """Chance of more positives in the first row than a, and half of as many, in fractions."""
    n, m, k = a + b, c + d, a + c
    ways = math.comb(n + m, k)
    more = sum(math.comb(n, x) * math.comb(m, k - x) for x in range(a + 1, min(n, k) + 1))
    return Fraction(2 * more + math.comb(n, a) * math.comb(m, c), 2 * ways)


def newcombe(x, n, y, m, z=1.959963984540054):
    """Limits of x/n - y/m from the Wilson limits of both (method 10)."""

    def wilson(k, size):
        middle, half = k + z * z / 2, z * math.sqrt(k * (size - k) / size + z * z / 4)
        return (middle - half) / (size + z * z), (middle + half) / (size + z * z)

    (l1, u1), (l2, u2) = wilson(x, n), wilson(y, m)
    gap = x / n - y / m
    return (
        gap - math.hypot(x / n - l1, u2 - y / m),
        gap + math.hypot(u1 - x / n, y / m - l2),
    )


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=6))
def test_neighbours_are_those_with_cases_and_all_dealings_are_counted(cells):
    seen = [cell for cell in cells if any(cell)]
    if len(seen) < 2:
        return
    table = cap.adjacent_grades(graded(*zip(*cells, strict=True)))
    pairs = list(pairwise(seen))
    exact = [mid_p(*one, *other) for one, other in pairs]
    assert table["p_value"] == pytest.approx([float(p) for p in exact], rel=1e-10)
    assert table["p_reversed"] == pytest.approx([float(1 - p) for p in exact], rel=1e-10)
    assert table["p_adjusted"] == pytest.approx(holm(exact), rel=1e-10)
    backwards = holm([1 - p for p in exact])
    assert table["p_reversed_adjusted"] == pytest.approx(backwards, rel=1e-10)
    for row, ((a, b), (c, d)) in enumerate(pairs):
        low, high = newcombe(a, a + b, c, c + d)
        assert table["low"][row] == pytest.approx(low, abs=1e-12)
        assert table["high"][row] == pytest.approx(high, abs=1e-12)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=4))
def test_other_methods_are_those_of_scipy(cells):
    cells = [cell for cell in cells if any(cell)]
    if len(cells) < 2:
        return
    counts = graded(*zip(*cells, strict=True))
    exact = cap.adjacent_grades(counts, method="fisher")
    pooled = cap.adjacent_grades(counts, method="z")
    for row, (one, other) in enumerate(pairwise(cells)):
        for column, side in [("p_value", "greater"), ("p_reversed", "less")]:
            known = stats.fisher_exact([one, other], alternative=side).pvalue
            assert exact[column][row] == pytest.approx(known, rel=1e-9)
        n, m, rate = sum(one), sum(other), (one[0] + other[0]) / (sum(one) + sum(other))
        if 0 < rate < 1:
            gap = one[0] / n - other[0] / m
            z = gap / math.sqrt(rate * (1 - rate) * (1 / n + 1 / m))
            assert pooled["p_value"][row] == pytest.approx(stats.norm.sf(z), rel=1e-9)


def test_the_direction_is_declared_and_not_read_off_the_sample():
    rising = cap.ScoreCounts.from_counts([1, 2, 3], [1, 5, 9], [9, 5, 1])
    falling = cap.ScoreCounts.from_counts([1, 2, 3], [1, 5, 9], [9, 5, 1], higher_is="negative")
    one, other = cap.adjacent_grades(rising), cap.adjacent_grades(falling)
    assert one["riskier"].tolist() == [3, 2]
    assert other["riskier"].tolist() == [1, 2]
    assert one["p_value"].max() < 0.1
    assert other["p_value"].min() > 0.9


# Segments within grades


def landis_heyman_koch(tables):
    """Statistic and degrees of freedom of tables of (positives, negatives) by segment."""
    size = tables.shape[1]
    surplus, spread = np.zeros(size), np.zeros((size, size))
    for table in tables:
        rows, (bad, good), total = table.sum(axis=1), table.sum(axis=0), table.sum()
        if total > 1:
            surplus += table[:, 0] - rows * bad / total
            shape = np.diag(rows) / total - np.outer(rows, rows) / total**2
            spread += bad * good / (total - 1) * shape
    rank = np.linalg.matrix_rank(spread, tol=1e-9)
    return surplus @ np.linalg.pinv(spread, rcond=1e-9, hermitian=True) @ surplus, rank


@given(st.integers(2, 4), st.integers(1, 5), st.randoms(use_true_random=False))
def test_segments_within_grades_are_the_generalised_cmh(segments, grades, random):
    cells = [
        [[random.choice([0, 0, 1, 2, 5]) for _ in "pn"] for _ in range(segments)]
        for _ in range(grades)
    ]
    tables = np.array(cells)
    named = {f"s{s}": graded(tables[:, s, 0], tables[:, s, 1]) for s in range(segments)}
    known, df = landis_heyman_koch(tables)
    if not df:
        return
    found = cap.grade_homogeneity_test(named)
    assert found.df == df
    assert found.statistic == pytest.approx(known, rel=1e-7, abs=1e-9)
    assert found.p_value == pytest.approx(stats.chi2.sf(known, df), rel=1e-6, abs=1e-12)
    table = found.table
    assert table["p_adjusted"] == pytest.approx(holm(table["p_value"]), rel=1e-9, nan_ok=True)
    for row in range(len(table["n"])):
        grade = names(grades).index(table["grade"][row])
        own = tables[grade, int(str(table["segment"][row])[1:])]
        rest = tables[grade].sum(axis=0) - own
        assert table["n"][row] == own.sum()
        if not (own.sum() and rest.sum()):
            continue
        upper = mid_p(*map(int, own), *map(int, rest))
        known_p = min(1, 2 * min(upper, 1 - upper))
        assert table["p_value"][row] == pytest.approx(float(known_p), rel=1e-9)


@pytest.mark.parametrize("name", EXPECTED["homogeneity"])
def test_segments_within_grades_have_the_statistic_of_r(name):
    known = EXPECTED["homogeneity"][name]
    rows = known["cells"]
    grades = sorted({row["grade"] for row in rows}, reverse=True)
    segments = {}
    for segment in dict.fromkeys(row["segment"] for row in rows):
        own = [row for row in rows if row["segment"] == segment]
        bad = [row["bad"] for row in own]
        good = [row["n"] - row["bad"] for row in own]
        segments[segment] = cap.ScoreCounts.from_counts(
            [row["grade"] for row in own], bad, good, levels=grades
        )
    found = cap.grade_homogeneity_test(segments)
    assert found.statistic == pytest.approx(known["statistic"], rel=1e-10)
    assert found.p_value == pytest.approx(known["p"], rel=1e-10)
    assert found.df == known["df"]


# Concentration


@pytest.mark.parametrize("name", EXPECTED["concentration"])
def test_concentration_is_that_of_r_over_all_grades_of_the_scale(name):
    known = EXPECTED["concentration"][name]
    found = cap.grade_concentration(portfolio(known["current"]), portfolio(known["initial"]))
    assert found.grades == 7
    for prefix, block in [("", "now"), ("initial_", "at_start")]:
        for field, key in [
            ("hhi", "hhi"),
            ("effective_grades", "effective"),
            ("cv", "cv"),
            ("herfindahl_index", "hi"),
        ]:
            number = getattr(found, prefix + field)
            assert number == pytest.approx(known[block][key], rel=1e-10)
    assert found.ecb_p == pytest.approx(known["ecb_p"], rel=1e-10)
    assert found.statistic == pytest.approx(_rise_of_pairs(known), rel=1e-10)
    assert found.p_value == pytest.approx(stats.norm.sf(found.statistic), rel=1e-9)


def _rise_of_pairs(known):
    """Return the rise of the share of pairs in one grade over its error, in whole numbers."""
    samples = [known["current"], known["initial"]]
    pairs, by_case, by_pair = [], 0, 0
    every = sum(map(sum, samples))
    for cases in samples:
        n = sum(cases)
        pairs.append(Fraction(sum(k * (k - 1) for k in cases), n * (n - 1)))
        squares, cubes = (Fraction(sum(k**power for k in cases), n**power) for power in (2, 3))
        second = 2 * squares * (1 - squares)
        by_case += Fraction(n, every) * max(4 * (cubes - squares**2) - 2 * second / n, 0)
        by_pair += Fraction(n, every) * second
    sizes = [sum(cases) for cases in samples]
    variance = sum(((n - 2) * by_case + by_pair) / (n * (n - 1)) for n in sizes)
    return float(pairs[0] - pairs[1]) / float(variance) ** 0.5


@given(st.lists(SMALL, min_size=2, max_size=7).filter(any))
def test_grades_without_cases_count_for_the_spread(cases):
    found = cap.grade_concentration(portfolio(cases))
    shares = [Fraction(n, sum(cases)) for n in cases]
    exact = sum(share**2 for share in shares)
    assert found.grades == len(cases)
    assert found.hhi == pytest.approx(float(exact), rel=1e-14)
    assert found.effective_grades == pytest.approx(float(1 / exact), rel=1e-14)
    assert found.cv**2 == pytest.approx(float(len(cases) * exact - 1), abs=1e-12)
    index = 1 + math.log(exact) / math.log(len(cases))
    assert found.herfindahl_index == pytest.approx(index, abs=1e-12)


# Migration


def moved(rows, levels):
    start, end = zip(*rows, strict=True)
    grades = [levels[i] for i in start], [levels[j] for j in end]
    joint = cap.count_joint(
        [k % 2 for k in range(len(rows))],
        {"then": list(grades[0]), "now": list(grades[1])},
        levels=levels,
    )
    return cap.migration_table(joint, "then", "now")


def bandwidth(rows, size, up):
    going = [(i, j) for i, j in rows if (j > i if up else j < i)]
    if not going:
        return None
    far = sum(max(size - 1 - i, i) for i, _ in going)
    return sum(abs(i - j) for i, j in going) / far


def tau_b(rows):
    """Sum the signs of all pairs of cases."""
    pairs = [(np.sign(i - a), np.sign(j - b)) for i, j in rows for a, b in rows]
    spread = sum(abs(one) for one, _ in pairs) * sum(abs(other) for _, other in pairs)
    return sum(one * other for one, other in pairs) / math.sqrt(spread) if spread else None


PLACES = st.integers(2, 5).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), min_size=1, max_size=40
        ),
    )
)


@given(PLACES)
def test_moves_are_counted_case_by_case(drawn):
    size, rows = drawn
    found = moved(rows, names(size))
    assert found.unchanged == pytest.approx(sum(i == j for i, j in rows) / len(rows))
    assert found.within_one == pytest.approx(sum(abs(i - j) < 2 for i, j in rows) / len(rows))
    assert found.upgraded == pytest.approx(sum(j > i for i, j in rows) / len(rows))
    assert found.downgraded == pytest.approx(sum(j < i for i, j in rows) / len(rows))
    for number, up in [(found.mwb_upper, True), (found.mwb_lower, False)]:
        assert number == (None if (b := bandwidth(rows, size, up)) is None else pytest.approx(b))
    tau = tau_b(rows)
    if tau is None:
        assert found.tau_b is None
    else:
        assert found.tau_b == pytest.approx(tau, abs=1e-12)


@given(PLACES)
def test_each_cell_is_held_against_its_neighbour_nearer_to_the_diagonal(drawn):
    size, rows = drawn
    cells = moved(rows, names(size)).cells
    start, end = cells["from"], cells["to"]
    chances = []
    for row, (one, other) in enumerate(zip(start, end, strict=True)):
        i, j = names(size).index(one), names(size).index(other)
        nearer = j - 1 if j > i else j + 1
        from_here = [b for a, b in rows if a == i]
        n = len(from_here)
        p, q = (from_here.count(k) / n if n else 0 for k in (j, nearer))
        spread = p * (1 - p) + q * (1 - q) + 2 * p * q
        if n and spread > 0:
            z = (q - p) / math.sqrt(spread / n)
            assert cells["z"][row] == pytest.approx(z, rel=1e-10, abs=1e-12)
            assert cells["p_value"][row] == pytest.approx(stats.norm.cdf(z), rel=1e-9)
        chances.append(cells["p_value"][row])
    assert cells["p_adjusted"] == pytest.approx(holm(chances), rel=1e-9, nan_ok=True)


@given(PLACES)
def test_upgrades_are_downgrades_of_the_way_back(drawn):
    size, rows = drawn
    there = moved(rows, names(size))
    back = moved([(j, i) for i, j in rows], names(size))
    flipped = moved([(size - 1 - i, size - 1 - j) for i, j in rows], names(size))
    assert (there.upgraded, there.downgraded) == (back.downgraded, back.upgraded)
    assert there.tau_b == pytest.approx(back.tau_b) if there.tau_b is not None else not back.tau_b
    assert (there.mwb_upper, there.mwb_lower) == (flipped.mwb_lower, flipped.mwb_upper)


# Pooling


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=12),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=40)
def test_pooled_cases_rank_by_their_share_of_those_rated_no_better(periods):
    # Cases rated no better have a score as high or higher: a high score is risky here.
    ranked = [
        (target, Fraction(sum(other >= score for _, other in rows), len(rows)))
        for rows in periods
        for target, score in rows
    ]
    pooled = cap.pool_periods(
        {k: cap.count_scores(*map(list, zip(*rows, strict=True))) for k, rows in enumerate(periods)}
    )
    ranks = sorted({rank for _, rank in ranked})
    assert sorted(pooled.score.tolist()) == [float(rank) for rank in ranks]
    bad = [rank for target, rank in ranked if target]
    good = [rank for target, rank in ranked if not target]
    if not bad or not good:
        return
    won = sum((b < g) + Fraction(b == g, 2) for b in bad for g in good)
    assert cap.roc_auc(pooled) == pytest.approx(float(won / (len(bad) * len(good))), abs=1e-14)
