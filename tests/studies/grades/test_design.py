"""Grade scales: the best under what is asked, and the same cases wherever they are used."""

import itertools
import json
from fractions import Fraction

import duckdb
import numpy as np
import pytest

import capcurve as cap
from capcurve.datasets import load_loans
from capcurve.show.columns import heading

COUNTS = cap.ScoreCounts.from_counts([5, 4, 3, 2, 1], [9, 7, 5, 3, 1], [2, 4, 6, 8, 20])


@pytest.fixture(scope="module")
def loans():
    return load_loans()


@pytest.fixture(scope="module")
def counts(loans):
    return cap.count_scores(loans.y, loans.int_rate)


def drawn(rng, scores):
    """Return counts of a few scores that rank somewhat."""
    positives = rng.integers(0, 6, scores) + rng.integers(0, 4, scores)
    negatives = rng.integers(0, 9, scores) + np.arange(scores) // 2
    positives[0] += 1
    negatives[-1] += 1
    score = np.cumsum(rng.integers(1, 5, scores))[::-1]
    return cap.ScoreCounts.from_counts(score, positives, negatives)


def enumerated(counts, grades, *, min_share=0, max_share=1, min_positives=0, falling=False):
    """Return the best accuracy ratio of all choices of cut-offs, as a fraction."""
    p, n = counts.positives.astype(int), counts.negatives.astype(int)
    total, best = int(counts.n), None
    for size in range(2, grades + 1):
        for cuts in itertools.combinations(range(1, len(p)), size - 1):
            ends = [0, *cuts, len(p)]
            cells = [(int(p[a:b].sum()), int(n[a:b].sum())) for a, b in itertools.pairwise(ends)]
            sizes = [Fraction(sum(cell), total) for cell in cells]
            if not all(min_share <= size <= max_share for size in sizes):
                continue
            if min(cell[0] for cell in cells) < min_positives:
                continue
            rates = [Fraction(a, a + b) for a, b in cells]
            if falling and any(a <= b for a, b in itertools.pairwise(rates)):
                continue
            won = sum(a * d - b * c for (a, b), (c, d) in itertools.combinations(cells, 2))
            best = max(won, best) if best is not None else won
    return None if best is None else Fraction(best, int(counts.n1 * counts.n0))


@pytest.mark.parametrize("seed", range(40))
def test_no_choice_of_cutoffs_ranks_better(seed):
    rng = np.random.default_rng(seed)
    counts, grades = drawn(rng, int(rng.integers(4, 10))), int(rng.integers(2, 6))
    grades = min(grades, len(counts))
    asked = [
        {},
        {"min_share": Fraction(1, 10)},
        {"max_share": Fraction(1, 2), "falling": True},
        {"min_positives": 4, "falling": True},
        {"min_share": Fraction(3, 20), "max_share": Fraction(9, 20), "falling": True},
    ][seed % 5]
    best = enumerated(counts, grades, **asked)
    said = {name: float(x) if isinstance(x, Fraction) else x for name, x in asked.items()}
    said = {"falling": False, **said}
    if best is None or best <= 0:
        with pytest.raises(ValueError, match=r"no scale|no cut-off|no better|takes at least"):
            cap.design_grades(counts, grades, splits=0, **said)
        return
    scale = cap.design_grades(counts, grades, splits=0, **said)
    assert scale.accuracy_ratio == float(best)
    assert scale.loss_at_most == 0
    lost = cap.banding_loss(counts, bins=list(scale.cutoffs)).loss
    assert lost == pytest.approx(scale.ungrouped - scale.accuracy_ratio, abs=1e-12)


def test_more_grades_and_looser_demands_rank_no_worse(counts):
    ratios = [cap.design_grades(counts, k, splits=0).accuracy_ratio for k in range(2, 12)]
    assert ratios == sorted(ratios)
    assert max(ratios) <= cap.design_grades(counts, 2, splits=0).ceiling
    tight, loose = (
        cap.design_grades(counts, 6, min_share=share, splits=0).accuracy_ratio
        for share in (0.12, 0.05)
    )
    assert tight <= loose <= ratios[4]


def test_demands_that_the_free_optimum_fulfils_change_nothing():
    rng = np.random.default_rng(5)
    score = rng.normal(size=6000)
    counts = cap.count_scores(rng.random(6000) < 1 / (1 + np.exp(2 - score)), score)
    free = cap.design_grades(counts, 4, splits=0)
    asked = {"min_share": 0.02, "max_share": 0.95, "min_positives": 5, "distinct": 0.2}
    same = cap.design_grades(counts, 4, splits=0, **asked)
    assert same.cutoffs == free.cutoffs
    assert same.loss_at_most == 0
    bound = cap.design_grades(counts, 4, min_share=0.2, splits=0)
    assert bound.cutoffs != free.cutoffs


def test_counting_every_row_twice_changes_no_cutoff(counts):
    once, twice = (cap.design_grades(each, 5, splits=0) for each in (counts, counts + counts))
    assert once.cutoffs == twice.cutoffs
    assert once.accuracy_ratio == twice.accuracy_ratio


def test_many_cutoffs_under_demands_are_within_the_bound():
    rng = np.random.default_rng(3)
    score = rng.normal(size=20_000)
    y = rng.random(20_000) < 1 / (1 + np.exp(3 - 1.5 * score))
    counts = cap.count_scores(y, score)
    found = cap.design_grades(counts, 5, min_share=0.1, splits=0)
    assert 0 < found.loss_at_most < 0.003
    free = cap.design_grades(counts, 5, splits=0)
    assert found.accuracy_ratio <= free.accuracy_ratio
    assert found.accuracy_ratio + found.loss_at_most <= free.accuracy_ratio + 1e-12
    assert found.table["share"].min() >= 0.1
    # Some 1,400 equal steps are few enough for an exact answer, which is no better than the bound.
    grid = cap.count_scores(y, np.floor(score * 200) / 200)
    exact = cap.design_grades(grid, 5, min_share=0.1, splits=0)
    assert exact.loss_at_most == 0
    assert exact.accuracy_ratio <= found.accuracy_ratio + found.loss_at_most
    assert found.accuracy_ratio >= exact.accuracy_ratio - 1e-4


def test_held_out_on_the_loans(counts):
    scale = cap.design_grades(counts, 7)
    assert scale.accuracy_ratio == pytest.approx(0.4812, abs=1e-4)
    assert scale.held_out == pytest.approx(0.466, abs=0.004)
    assert scale.optimism == scale.accuracy_ratio - scale.held_out
    assert scale.sentence == (
        f"7 grades have an accuracy ratio of {scale.held_out:.3f} on data not used to design them "
        "(the score itself 0.484)."
    )
    said = {finding.code: finding.message for finding in scale.findings}
    assert said["no_gain"].endswith(f"grades rank just as well ({scale.equal_sized:.3f})")
    shown = {figure.label: figure.text for figure in scale.presentation().figures}
    assert next(iter(shown.items())) == ("AR on held-out data", f"{scale.held_out:.3f}")
    assert shown["AR on the design data"] == "0.481"
    assert scale.chosen["grades"].tolist() == [2, 3, 4, 5, 6, 7]
    few = cap.design_grades(counts, 2)
    assert few.held_out > few.equal_sized + 0.02


def test_the_number_of_grades_is_chosen_held_out(counts):
    careful, best = (
        cap.design_grades(counts, (3, 12), choose=choose) for choose in ("one_se", "best")
    )
    held = dict(zip(best.chosen["grades"].tolist(), best.chosen["held_out"].tolist(), strict=True))
    assert len(best.labels) == max((k for k in held if k >= 3), key=held.get)
    assert 3 <= len(careful.labels) < len(best.labels)
    assert f"; {len(best.labels)} rank best there" in careful.sentence


def test_tests_and_limits_of_clustered_rows_are_said_to_take_them_as_independent(loans, counts):
    rows = cap.count_scores(loans.y, loans.int_rate, cluster=loans.sub_grade)
    said = "the rows are clustered, and tests and intervals treat them as independent"
    assert any(said in note for note in cap.design_grades(rows, 3, splits=0).notes)
    assert not any(said in note for note in cap.design_grades(counts, 3, splits=0).notes)


def test_clusters_are_dealt_whole():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(150), 8)
    score = rng.normal(size=150)[group]
    y = (rng.random(150) < 1 / (1 + np.exp(1 - score[::8])))[group]
    # All rows of a cluster are alike, so that halves which part clusters look too good.
    apart = cap.design_grades(cap.count_scores(y, score), 7)
    whole = cap.design_grades(cap.count_scores(y, score, cluster=group), 7)
    assert whole.accuracy_ratio == apart.accuracy_ratio
    assert whole.held_out < apart.held_out


CASES = {
    "numbers": {},
    "low scores are bad": {"higher_is": "negative"},
    "a grid": {"resolution": 0.5},
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("words", CASES.values(), ids=CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_cutoffs_select_the_same_cases_everywhere(words, dtype, tmp_path):
    rng = np.random.default_rng(7)
    score = (rng.normal(size=600) * 40 + 600).round(1)
    risk = (score - 600) / 40 * (-1 if words.get("higher_is") == "negative" else 1)
    y = rng.random(600) < 1 / (1 + np.exp(1 - risk))
    score = score.astype(dtype)
    counts = cap.count_scores(y, score, **words)
    scale = cap.design_grades(counts, 5, labels="EDCBA", splits=0)
    assert scale.table["n"].tolist() == (scale.counts.positives + scale.counts.negatives).tolist()
    floored = np.floor(score / 0.5) * 0.5 if "resolution" in words else score
    grades = scale.apply(floored)
    sizes = [int((grades == label).sum()) for label in scale.labels]
    assert sizes == scale.table["n"].tolist()
    assert cap.accuracy_ratio(scale.apply(counts)) == scale.accuracy_ratio
    typed = dict(zip(scale.labels, np.cumsum(sizes), strict=True))
    for label, cut in zip(scale.labels, scale.cutoffs, strict=False):
        assert round(cap.operating_point(counts, threshold=cut).q * 600) == typed[label]
    rows = duckdb.sql(
        f"SELECT {scale.sql('score', 'duckdb')} AS grade FROM "  # noqa: S608 - the scale's own text
        "(SELECT UNNEST(?) AS score)",
        params=[floored.tolist()],
    ).fetchall()
    assert [grade for (grade,) in rows] == grades.tolist()
    way = {name: value for name, value in words.items() if name == "higher_is"}
    by_scale = cap.count_scores(y, floored, levels=scale.master_scale(), **way)
    assert by_scale.levels == scale.labels
    assert by_scale.positives.tolist() == scale.counts.positives.tolist()
    path = scale.save(tmp_path / "scale.csv")
    by_file = cap.count_scores(y, floored, levels=cap.master_scale(path), **way)
    assert by_file == by_scale


def test_beyond_the_scores_are_the_end_grades_and_missing_stays_missing():
    scale = cap.design_grades(COUNTS, 3, splits=0)
    found = scale.apply([99, None, float("nan"), -99, float("inf")])
    assert found.tolist() == ["1", None, None, "3", "1"]
    newer = cap.ScoreCounts.from_counts([9, 3, -4], [2, 1, 0], [0, 1, 4])
    assert scale.apply(newer).levels == ("1", "2", "3")
    assert cap.accuracy_ratio(scale.apply(newer)) == 14 / 15
    with pytest.raises(ValueError, match="higher_is"):
        scale.apply(newer.turned())
    with pytest.raises(TypeError, match="numbers"):
        scale.apply(["a", "b"])


@pytest.mark.parametrize("kind", ["UTINYINT", "UBIGINT", "UHUGEINT", "HUGEINT", "FLOAT", "DOUBLE"])
def test_sql_without_a_dialect_grades_every_type_as_apply_does(kind):
    scale = cap.design_grades(COUNTS, 3, splits=0)
    values = ["0", "9", "100", None, *(["nan", "inf", "-inf"] if kind in "FLOAT DOUBLE" else [])]
    query = f"SELECT {scale.sql('s')} FROM (SELECT UNNEST(?::{kind}[]) AS s)"  # noqa: S608 - as above
    found = duckdb.execute(query, [values]).fetchall()
    numbers = [None if value is None else float(value) for value in values]
    assert [grade for (grade,) in found] == scale.apply(numbers).tolist()


def test_grades_of_grades(loans):
    levels = sorted(set(loans.sub_grade), reverse=True)
    counts = cap.count_scores(loans.y, loans.sub_grade, levels=levels)
    scale = cap.design_grades(counts, 5, splits=0)
    ranks = cap.design_grades(cap.count_scores(loans.y, loans.grade_rank), 5, splits=0)
    assert scale.accuracy_ratio == ranks.accuracy_ratio
    assert scale.cutoffs == ("D4", "C3", "B3", "A4")
    assert scale.apply(loans.sub_grade).tolist() == ranks.apply(loans.grade_rank).tolist()
    assert scale.apply(counts) == scale.counts
    query = f"SELECT {scale.sql('sub_grade', 'duckdb')} FROM loans"  # noqa: S608 - as above
    assert [grade for (grade,) in duckdb.query_df(loans, "loans", query).fetchall()] == [
        *scale.apply(loans.sub_grade)
    ]
    begins_there = cap.design_grades(counts, 5, fixed=["C1"], splits=0)
    assert "C1" in begins_there.cutoffs
    with pytest.raises(ValueError, match="grades"):
        scale.master_scale()
    with pytest.raises(ValueError, match="not among the levels"):
        scale.apply(["Z9"])
    with pytest.raises(ValueError, match="rounded is about numbers"):
        cap.design_grades(counts, 5, rounded=5)


def test_a_fixed_level_that_no_case_has_begins_its_grade():
    levels = ["D", "C", "B", "A"]
    counts = cap.ScoreCounts.from_counts(["D", "C", "A"], [9, 5, 1], [5, 6, 9], levels=levels)
    scale = cap.design_grades(counts, 2, fixed=["B"], splits=0)
    assert scale.cutoffs == ("B",)
    assert scale.apply(levels).tolist() == ["1", "1", "2", "2"]
    assert scale.table["n"].tolist() == [25, 10]


def test_fixed_cutoffs_of_a_reversed_score_are_kept():
    counts = cap.ScoreCounts.from_counts([3, 2, 1], [1, 0, 2], [1, 1, 1])
    with pytest.raises(ValueError, match="falling=True allows no scale"):
        cap.design_grades(counts, 3, fixed=[2])
    scale = cap.design_grades(counts, 3, fixed=[2], falling=False, splits=0)
    assert 2 in scale.cutoffs
    assert scale.accuracy_ratio == max(
        cap.accuracy_ratio(counts.joined(ends)) for ends in ([2, 3], [1, 2, 3])
    )


def test_it_is_said_why_nothing_is_held_out():
    scale = cap.design_grades(COUNTS, 2, distinct=1e-4, splits=3)
    assert scale.notes[-1] == "nothing is held out: no half of the cases allows such a scale"


def test_fixed_and_rounded_cutoffs_are_kept(counts):
    scale = cap.design_grades(counts, 5, fixed=[12, 17.5], splits=0)
    assert {12, 17.5} < {*scale.cutoffs}
    halves = cap.design_grades(counts, 5, rounded=0.5, splits=0)
    assert all(cut % 0.5 == 0 for cut in halves.cutoffs)
    assert halves.accuracy_ratio < cap.design_grades(counts, 5, splits=0).accuracy_ratio


def test_multiples_of_the_smallest_step_lie_between_all_scores():
    counts = cap.count_scores([1, 1, 0, 1, 0, 0], [np.inf, 3.0, 2.2, 1.9, 0.2, -np.inf])
    free = cap.design_grades(counts, 3, splits=0).table["n"].tolist()
    for step in (5e-324, 1e-300, 1e-9):
        assert cap.design_grades(counts, 3, rounded=step, splits=0).table["n"].tolist() == free
    assert cap.design_grades(counts, 3, rounded=1, splits=0).cutoffs == (3, 1)


def test_neighbours_that_must_differ_do(counts):
    scale = cap.design_grades(counts, 9, distinct=0.001, splits=0)
    assert np.nanmax(scale.table["p_value"]) <= 0.001
    assert "neighbours_alike" not in {finding.code for finding in scale.findings}
    assert "fewer_grades" in {finding.code for finding in scale.findings}


def test_neighbours_that_are_named_as_alike_are_those_of_the_adjusted_column(counts):
    scale = cap.design_grades(counts, 12, splits=0)
    adjusted, single = (scale.table[name][:-1] for name in ("p_adjusted", "p_value"))
    named = adjusted > 0.05
    assert (named & (single <= 0.05)).any()  # which single p-values would not name
    pairs = [f"{place + 1} and {place + 2}" for place in np.flatnonzero(named).tolist()]
    (found,) = (each for each in scale.findings if each.code == "neighbours_alike")
    assert found.message.endswith(f" between grades {', '.join(pairs)} (adjusted p above 0.05)")
    assert found.advice == "ask for distinct=0.05 or fewer grades"
    stricter = cap.design_grades(counts, 12, distinct=0.05, splits=0)
    advice = [each.advice for each in stricter.findings if each.code == "neighbours_alike"]
    assert advice == ["ask for fewer grades"]
    (grades, _) = scale.presentation().tables
    heads = [heading(name) for name in grades.columns][-3:]
    assert heads == ["p, next grade", "adjusted for 11", "p, reversed"]


def test_a_scale_is_read_back_as_it_was_written(counts, tmp_path):
    for scale in (
        cap.design_grades(counts, 5, min_share=0.05, fixed=[12]),
        cap.design_grades(COUNTS, 3, splits=0),
    ):
        path = scale.save(tmp_path / "scale.json")
        read = cap.GradeScale.from_dict(json.loads(path.read_text()))
        assert read.to_dict() == scale.to_dict()
        assert (str(read), read.to_html()) == (str(scale), scale.to_html())
        assert read.apply(counts) == scale.apply(counts)
        assert read.counts == scale.counts
    for odd in ({}, {"schema_version": 1}, []):
        with pytest.raises(ValueError, match="grade scale"):
            cap.GradeScale.from_dict(odd)


def test_grades_that_rank_above_the_score_are_not_said_to_keep_some_of_it():
    counts = cap.count_scores([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1])
    scale = cap.design_grades(counts, 2, splits=0)
    assert scale.sentence == "2 grades have an accuracy ratio of 0.667 (the score itself 0.556)."


def test_what_is_asked_is_said_as_it_was_given_and_few_positives_in_the_plural(counts):
    with pytest.raises(ValueError, match=r"^min_positives=9000 allows no scale of 2 grades"):
        cap.design_grades(counts, 2, min_positives=9000)
    few = cap.ScoreCounts.from_counts([3, 2, 1], [20, 5, 1], [5, 10, 30])
    for grades, said in ((2, "grade 2 has"), (3, "grades 2, 3 have")):
        scale = cap.design_grades(few, grades, splits=0)
        (found,) = (each for each in scale.findings if each.code == "few_positives")
        assert found.message == f"{said} fewer than 10 positives"


def test_weights_and_amounts_are_cut_without_halves(loans):
    weight = np.random.default_rng(1).integers(1, 9, len(loans)) / 4
    words = {"weight": weight, "weight_kind": "sampling"}
    weighted = cap.count_scores(loans.y, loans.int_rate, **words)
    scale = cap.design_grades(weighted, 5, min_share=0.1)
    assert scale.held_out is None
    assert "weighted" in scale.notes[-1]
    assert scale.counts.weight_kind == "sampling"
    assert cap.accuracy_ratio(scale.counts) == scale.accuracy_ratio
    # Quarters times four are whole counts.
    sums = (
        np.asarray(column * 4).astype(int) for column in (weighted.positives, weighted.negatives)
    )
    whole = cap.ScoreCounts.from_counts(weighted.score, *sums)
    assert scale.cutoffs == cap.design_grades(whole, 5, min_share=0.1, splits=0).cutoffs
    assert scale.table["share"].min() >= 0.1
    with pytest.raises(ValueError, match="distinct"):
        cap.design_grades(weighted, 5, distinct=0.05)
    with pytest.raises(ValueError, match="weighted"):
        cap.design_grades(weighted, (3, 5))
    values = cap.count_values(
        loans.y * loans.funded_amnt, loans.int_rate, exposure=loans.funded_amnt
    )
    of_amounts = cap.design_grades(values, 5)
    assert of_amounts.accuracy_ratio == cap.accuracy_ratio(of_amounts.apply(values))
    assert of_amounts.table["share"].sum() == pytest.approx(1)
    assert "mean_amount" in of_amounts.table.columns


CONTRADICTIONS = {
    "min_share=0.6 allows no scale": {"min_share": 0.6},
    "min_positives=14 allows no scale of 2 to 4 grades": {"min_positives": 14},
    "max_share=0.2 takes at least 5 grades": {"max_share": 0.2},
    "distinct=1e-07 allows no scale": {"distinct": 1e-7},
    "max_share=0.4, min_positives=8 and falling=True together allow no scale of 2 to 4 grades; "
    "without max_share=0.4, 2 grades fit; without min_positives=8, 4 grades fit": {
        "max_share": 0.4,
        "min_positives": 8,
    },
    "fixed cut-off 0 has all cases on one side": {"fixed": [0]},
    "fixed cut-off 2.6 selects the same cases as 3": {"fixed": [3, 2.6]},
    "fixed cut-off 3 is no multiple of rounded=2": {"fixed": [3], "rounded": 2},
    "3 fixed cut-offs make 4 grades": {"fixed": [4, 3, 2], "grades": 3},
}


@pytest.mark.parametrize("lacking", [0, 1])
def test_amounts_below_zero_may_add_up_to_nothing(lacking):
    amounts = np.array([7, -2, 9, 4, 1, -6, 3, -8])
    amounts[0] -= lacking * amounts.sum()
    scale = cap.design_grades(cap.count_values(amounts, range(8, 0, -1)), 3, falling=False)
    all_cuts = itertools.combinations(range(1, 8), 2)
    grades = [np.searchsorted(cuts, range(8), "right") for cuts in all_cuts]
    ratios = [cap.accuracy_ratio(cap.count_values(amounts, -grade)) for grade in grades]
    assert scale.accuracy_ratio == pytest.approx(max(ratios), rel=1e-12)
    assert scale.curves["score"][1][-1] == amounts.sum()
    assert "share of" not in scale.presentation().charts[0].y.title.lower()


@pytest.mark.parametrize(("said", "asked"), CONTRADICTIONS.items())
def test_contradictions_are_named(said, asked):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as raised:
        cap.design_grades(COUNTS, **{"grades": 4, **asked})
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"grades": True}, "grades must be a whole number"),
        ({"grades": (5, 3)}, "fewest and the most"),
        ({"grades": (1, 3)}, "whole number from 2"),
        ({"labels": "AB"}, "labels must be 4 different names"),
        ({"labels": "AABC"}, "labels must be 4 different names"),
        ({"rounded": 0}, "rounded must be above 0"),
        ({"distinct": 1}, "distinct must be"),
        ({"choose": "all"}, "choose must be"),
        ({"splits": -1}, "splits must be"),
        ({"falling": None}, "falling must be"),
        ({"fixed": ["x"]}, "must be a score"),
        ({"grades": (2, 4), "splits": 0}, "splits is 0"),
    ],
)
def test_wrong_arguments_are_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        cap.design_grades(COUNTS, **{"grades": 4, **asked})


def test_more_grades_than_scores_are_refused():
    with pytest.raises(ValueError, match="5 distinct scores cannot make 6 grades; ask for fewer"):
        cap.design_grades(COUNTS, 6)
    chosen = cap.design_grades(COUNTS, (2, 12), splits=2)
    assert chosen.chosen["grades"].max() <= len(COUNTS)


def test_scores_that_no_cutoff_helps_are_refused():
    with pytest.raises(ValueError, match="is higher_is right"):
        cap.design_grades(COUNTS.turned().exchanged(), 3)
    with pytest.raises(ValueError, match="is higher_is right"):
        cap.design_grades([1, 0, 1], [2, 2, 2], 3)
    with pytest.raises(ValueError, match="no positives"):
        cap.design_grades([0, 0], [1, 2], 3)
    few = cap.design_grades([1, 1, 0, 0, 0], [5, 4, 3, 2, 1], 5, labels="ABCDE")
    assert few.labels == ("A", "E")
    assert few.counts.n == 5


def test_infinite_scores_and_ties_have_cutoffs():
    score = [np.inf, np.inf, 3, 3, -np.inf, -np.inf]
    scale = cap.design_grades([1, 1, 1, 0, 0, 0], score, 3, splits=0)
    assert scale.apply(score).tolist() == ["1", "1", "2", "2", "3", "3"]
    assert all(np.isfinite(scale.cutoffs))


@pytest.mark.parametrize(
    ("scores", "higher_is"),
    [
        ([2**62, 2**62 + 1, 2**62 + 2], "positive"),
        (np.array([2**63 + 1, 2**63 + 2, 2**63 + 3], dtype=np.uint64), "negative"),
        ([2.0**53 + 6, 2.0**53 + 8, 1e300], "negative"),
        ([2.0**62, 2.0**62 + 1024, 2.0**62 + 2048], "positive"),
        ([1.0, np.finfo(float).max, np.inf], "positive"),
        ([-np.inf, -np.finfo(float).max, 1.0], "negative"),
        (np.nextafter(np.float32(0.3), np.float32([0, 1])), "positive"),
    ],
)
def test_cutoffs_between_scores_at_the_ends_of_their_type(scores, higher_is):
    ranked = np.sort(np.asarray(scores))[:: -1 if higher_is == "positive" else 1]
    rows = np.repeat(ranked, 20)
    target = np.arange(len(rows)) % 20 < np.repeat([19, 8, 1][: len(ranked)], 20)
    counts = cap.count_scores(target, rows, higher_is=higher_is)
    scale = cap.design_grades(counts, len(ranked), splits=0)
    grades = ["1", "2", "3"][: len(ranked)]
    assert scale.apply(ranked).tolist() == grades
    assert scale.apply(counts).positives.tolist() == counts.positives.tolist()
    back = cap.GradeScale.from_dict(json.loads(json.dumps(scale.to_dict(), allow_nan=False)))
    assert back.cutoffs == scale.cutoffs
    assert back.apply(ranked).tolist() == grades
    assert back.table["score_from"].tolist() == pytest.approx(
        scale.table["score_from"].tolist(), nan_ok=True
    )
