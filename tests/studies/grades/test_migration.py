"""Moves between grades: against numbers of R, laws of the matrix, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau

import capcurve as cap

DATA = Path(__file__).parents[2] / "oracles" / "data" / "validation.json"
EXPECTED = json.loads(DATA.read_text())["migration"]
LETTERS = list("GFEDCBA")


def joint_of(matrix, levels=None, positives=None, **options):
    """Count cases that moved as the matrix says; the first of each cell are positives."""
    matrix = np.array(matrix)
    names = LETTERS[: len(matrix)] if levels is None else levels
    target, start, end = [], [], []
    for i, j in zip(*np.nonzero(matrix), strict=True):
        some = 0 if positives is None else positives[i][j]
        target += [1] * some + [0] * (matrix[i, j] - some)
        start += [names[i]] * matrix[i, j]
        end += [names[j]] * matrix[i, j]
    return cap.count_joint(target, {"start": start, "end": end}, levels=names, **options)


def migration(matrix, **options):
    return cap.migration_table(joint_of(matrix, **options), "start", "end")


def off_diagonal(rows):
    square = np.array(rows, dtype=float)
    return square[~np.eye(len(square), dtype=bool)]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_numbers_of_r(name):
    expected = EXPECTED[name]
    found = migration(expected["matrix"])
    assert found.matrix.tolist() == expected["matrix"]
    for key in ("mwb_upper", "mwb_lower", "unchanged", "within_one", "tau_b"):
        if expected[key] is None:
            assert getattr(found, key) is None
        else:
            assert getattr(found, key) == pytest.approx(expected[key], rel=1e-10)
    for column, key in (("z", "z"), ("p_value", "p")):
        np.testing.assert_allclose(found.cells[column], off_diagonal(expected[key]), rtol=1e-10)


def test_a_matrix_that_is_checked_by_hand():
    found = migration(
        [[6, 3, 1], [2, 5, 3], [0, 1, 9]], positives=[[3, 1, 1], [1, 1, 0], [0, 0, 1]]
    )
    assert (found.unchanged, found.within_one) == (20 / 30, 29 / 30)
    assert (found.upgraded, found.downgraded) == (7 / 30, 3 / 30)
    # Up: 3 moves of one and 1 of two grades from G, which can move two; 3 of one from F.
    assert found.mwb_upper == (3 + 2 + 3) / (2 * 4 + 1 * 3)
    assert found.mwb_lower == (2 + 1) / (1 * 2 + 2 * 1)
    assert found.moves["n"].tolist() == [7, 20, 3]
    assert found.moves["positives"].tolist() == [2, 5, 1]
    assert found.positives_down == cap.rate_interval(1, 3)
    assert (found.up, found.down) == (cap.rate_interval(7, 30), cap.rate_interval(3, 30))
    assert found.moved == cap.rate_interval(10, 30)
    # From G: .1 moved two grades, .3 one.
    row = dict(
        zip(found.cells.columns, next(zip(*found.cells.columns.values(), strict=True)), strict=True)
    )
    assert (row["from"], row["to"], row["share"]) == ("G", "F", 0.3)
    z = (0.3 - 0.1) / np.sqrt((0.3 + 0.1 - 0.04) / 10)
    assert found.cells["z"][1] == pytest.approx(z, rel=1e-14)


def test_holm_is_over_all_cells_that_have_a_test():
    found = migration(EXPECTED["printed_5x5"]["matrix"])
    p, adjusted = found.cells["p_value"], found.cells["p_adjusted"]
    known = ~np.isnan(p)
    assert known.sum() == 17
    assert np.array_equal(np.isnan(adjusted), ~known)
    assert adjusted[known].min() == pytest.approx(min(1, 17 * p[known].min()))
    assert (
        "significantly more cases move to a farther grade than to the nearer one ("
        in found.to_text()
    )
    moved = migration(EXPECTED["lending_letter_to_rate_band"]["matrix"])
    assert "In 4 of 12 cells, significantly more cases moved " in moved.to_text()


matrices = st.integers(2, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size
    ).filter(lambda rows: any(map(any, rows)))
)


@given(matrices)
def test_laws(rows):
    found, matrix = migration(rows), np.array(rows)
    swapped = migration(matrix.T)
    assert (swapped.mwb_upper is None) == (not np.tril(matrix, -1).any())
    turned = migration(matrix[::-1, ::-1])
    assert (turned.mwb_upper, turned.mwb_lower) == (found.mwb_lower, found.mwb_upper)
    assert (turned.upgraded, turned.downgraded) == (found.downgraded, found.upgraded)
    assert (swapped.upgraded, swapped.downgraded) == (found.downgraded, found.upgraded)
    assert (turned.unchanged, turned.within_one) == (found.unchanged, found.within_one)
    np.testing.assert_array_equal(np.sort(turned.cells["z"]), np.sort(found.cells["z"]))
    i, j = np.nonzero(matrix)
    assert (found.tau_b is None) == (len(set(i)) == 1 or len(set(j)) == 1)
    if found.tau_b is not None:
        expected = kendalltau(np.repeat(i, matrix[i, j]), np.repeat(j, matrix[i, j])).statistic
        assert found.tau_b == pytest.approx(expected, abs=1e-12)
        assert swapped.tau_b == pytest.approx(found.tau_b, abs=1e-12)
        assert turned.tau_b == pytest.approx(found.tau_b, abs=1e-12)
    for mwb in (found.mwb_upper, found.mwb_lower):
        assert mwb is None or 0 < mwb <= 1


def test_upper_and_lower_swap_in_the_transpose_where_all_can_move_as_far():
    matrix = np.array([[4, 2, 3], [0, 5, 0], [1, 1, 6]])
    found, swapped = migration(matrix), migration(matrix.T)
    assert found.mwb_upper == (2 + 2 * 3) / (2 * 5)
    assert found.mwb_lower == (2 * 1 + 1) / (2 * 2)
    assert swapped.mwb_upper == (2 * 1 + 1) / (2 * 1 + 1 * 1)
    assert swapped.mwb_lower == (2 * 3 + 2) / (2 * 3 + 1 * 2)


def test_neither_the_order_of_rows_nor_how_they_were_added_changes_a_bit():
    rows = np.random.default_rng(3).integers(0, 5, (400, 2))
    target, names = rows[:, 0] % 2, [f"grade {k}" for k in range(5)]

    def counted(which):
        grades = {c: [names[k] for k in rows[which, n]] for n, c in enumerate(("start", "end"))}
        return cap.count_joint(target[which], grades, levels=names)

    found = cap.migration_table(counted(slice(None)), "start", "end")
    other = counted(slice(300, None)) + counted(slice(0, 300))
    again = cap.migration_table(other, "start", "end")
    mixed = cap.migration_table(counted(np.random.default_rng(4).permutation(400)), "start", "end")
    assert found.to_dict() == again.to_dict() == mixed.to_dict()
    assert found.to_html() == again.to_html()


def test_an_empty_grade_is_part_of_the_scale():
    levels = ["C", "B", "A"]
    joint = cap.count_joint([0, 0], {"a": ["C", "A"], "b": ["A", "A"]}, levels=levels)
    found = cap.migration_table(joint, "a", "b")
    assert found.grades == ("C", "B", "A")
    assert found.mwb_upper == 1.0
    assert found.tau_b is None  # all end in one grade
    assert np.isnan(found.cells["share"]).sum() == 2  # nobody begins in B


def test_numbers_are_put_on_the_scale_of_those_seen_riskiest_first():
    scores = {"a": [1, 1, 3], "b": [3, 1, 1]}
    better_is_higher = cap.migration_table(
        cap.count_joint([0, 1, 0], scores, higher_is="negative"), "a", "b"
    )
    assert better_is_higher.grades == (1, 3)
    assert better_is_higher.matrix.tolist() == [[1, 1], [1, 0]]
    assert any("grades seen" in note for note in better_is_higher.notes)
    riskier_is_higher = cap.migration_table(cap.count_joint([0, 1, 0], scores), "a", "b")
    assert riskier_is_higher.grades == (3, 1)
    assert riskier_is_higher.mwb_upper == better_is_higher.mwb_lower
    floored = cap.count_joint([0, 1], {"a": [0.11, 0.32], "b": [0.19, 0.11]}, resolution=0.1)
    assert cap.migration_table(floored, "a", "b").grades == (0.3, 0.1)


def test_labels_that_are_no_grade_are_counted_beside():
    levels = ["C", "B", "A", "default", "left"]
    start = ["C", "C", "B", "A", "A", "A"]
    end = ["default", "B", "B", "left", "A", "left"]
    joint = cap.count_joint([1, 0, 0, 0, 0, 0], {"g0": start, "g1": end}, levels=levels)
    found = cap.migration_table(joint, "g0", "g1", outside=["default", "left"])
    assert found.grades == ("C", "B", "A")
    assert found.matrix.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert found.without_end["default"].tolist() == [1, 0, 0]
    assert found.without_end["left"].tolist() == [0, 0, 2]
    assert found.unchanged == 2 / 3
    assert list(found.table.columns)[-3:] == ["to default", "to left", "n"]
    assert found.table["n"].tolist() == [2, 1, 3]
    assert "leave out cases without a grade at the end (1 default, 2 left); the" in found.to_text()
    # Levels of the start need not hold them.
    apart = cap.count_joint(
        [1, 0, 0, 0, 0, 0],
        {"g0": start, "g1": end},
        levels={"g0": levels[:3], "g1": levels},
    )
    alike = cap.migration_table(apart, "g0", "g1", outside=["left", "default"])
    assert alike.unchanged == found.unchanged
    one = [label if label in "CBA" else "left" for label in end]
    only = cap.count_joint([0] * 6, {"g0": start, "g1": one}, levels=[*levels[:3], "left"])
    assert cap.migration_table(only, "g0", "g1", outside="left").without_end["left"].sum() == 3


def test_rows_left_out_are_told():
    scores = {"a": ["B", "A", None, "A"], "b": ["B", None, "A", "A"]}
    joint = cap.count_joint([1, 0, 0, 0], scores, levels=["B", "A"], missing="drop")
    found = cap.migration_table(joint, "a", "b")
    assert found.notes == ("1 row without a left out", "1 row without b left out")


def test_weights_have_shares_and_no_tests():
    scores = {"a": ["B", "A", "A"], "b": ["B", "A", "B"]}
    joint = cap.count_joint(
        [1, 0, 0], scores, levels=["B", "A"], weight=[2.5, 0.5, 1], weight_kind="exposure"
    )
    found = cap.migration_table(joint, "a", "b")
    assert (found.unchanged, found.downgraded) == (0.75, 0.25)
    assert found.mwb_lower == 1.0
    assert (found.moved, found.up, found.positives_down) == (None, None, None)
    assert np.isnan(found.cells["z"]).all()
    assert "no intervals and no tests" in found.to_text()
    assert "limits of the" not in found.to_text()
    tiny = cap.count_joint(
        [1, 0, 0], scores, levels=["B", "A"], weight=[1e-300] * 3, weight_kind="sampling"
    )
    assert cap.migration_table(tiny, "a", "b").unchanged == pytest.approx(2 / 3)


def test_clusters_are_told():
    scores = {"a": ["B", "A", "A"], "b": ["B", "A", "B"]}
    joint = cap.count_joint([1, 0, 0], scores, levels=["B", "A"], cluster=[1, 1, 2])
    assert any("clustered" in note for note in cap.migration_table(joint, "a", "b").notes)


def test_an_override_that_ranks_better_is_shown_by_comparing():
    """The model's B hides two bad cases that were moved down."""
    target = [1, 1, 1, 0, 0, 0, 0, 0]
    model = ["C", "B", "B", "B", "B", "A", "A", "A"]
    final = ["C", "C", "C", "B", "B", "A", "A", "A"]
    joint = cap.count_joint(target, {"final": final, "model": model}, levels=["C", "B", "A"])
    found = cap.migration_table(joint, "model", "final")
    assert (found.moved.estimate, found.up.estimate, found.down.estimate) == (0.25, 0, 0.25)
    assert found.positives_down.estimate == 1
    assert found.positives_up is None
    assert cap.compare(joint).pairs[0].estimate > 0


@pytest.mark.parametrize(
    ("scores", "options", "arguments", "said"),
    [
        ({"a": [2, 1], "b": [2, 1]}, {}, {"end": "c"}, r"no score 'c' here; have \['a', 'b'\]"),
        ({"a": [2, 1], "b": [2, 1]}, {}, {"end": "a"}, "both 'a'"),
        (
            {"a": [2, 1], "b": [2, 1]},
            {"higher_is": {"b": "negative", "a": "positive"}},
            {},
            "one scale",
        ),
        (
            {"a": ["x", "y"], "b": ["x", "y"]},
            {"levels": {"a": ["x", "y"], "b": ["y", "x"]}},
            {},
            "same grades in the same order",
        ),
        (
            {"a": ["x", "y"], "b": [1, 2]},
            {"levels": {"a": ["x", "y"], "b": None}},
            {},
            "same grades in the same order",
        ),
        (
            {"a": ["x", "y"], "b": ["x", "y"]},
            {"levels": ["x", "y"]},
            {"outside": ["z"]},
            "'z', which is no label of b",
        ),
        (
            {"a": ["x", "y"], "b": ["x", "y"]},
            {"levels": ["x", "y"]},
            {"outside": ["y"]},
            "a has cases at 'y'",
        ),
        (
            {"a": ["x", "x"], "b": ["y", "y"]},
            {"levels": ["x", "y"]},
            {"outside": ["y"]},
            "no case has a grade both in a and in b",
        ),
        ({"a": [], "b": []}, {}, {}, "no case has a grade"),
        ({"a": range(101), "b": range(101)}, {}, {}, "101 different values.*resolution="),
        ({"a": [2, 1], "b": [2, 1]}, {}, {"outside": 3}, "outside must list labels"),
        ({"a": [2, 1], "b": [2, 1]}, {}, {"outside": [[3]]}, "outside must list labels"),
        ({"a": [2, 1], "b": [2, 1]}, {}, {"level": 95}, "level must be between 0 and 1"),
    ],
)
def test_what_is_refused(scores, options, arguments, said):
    target = np.arange(len(scores["a"])) % 2
    joint = cap.count_joint(target, scores, **options)
    with pytest.raises((ValueError, TypeError), match=said) as raised:
        cap.migration_table(joint, **{"start": "a", "end": "b", **arguments})
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def test_anything_but_joint_counts_is_answered_with_the_call():
    with pytest.raises(TypeError, match=r"write count_joint\(y, \[p1, p2\]\)"):
        cap.migration_table([[1, 2], [3, 4]], "a", "b")
    values = cap.count_joint_values([5.0, 0], {"a": [1, 2], "b": [2, 1]})
    with pytest.raises(TypeError, match="counts cases, and these are counts of amounts"):
        cap.migration_table(values, "a", "b")
    evaluation = cap.evaluate([1, 0], {"a": [1, 2], "b": [2, 1]})
    assert cap.migration_table(evaluation, "a", "b").unchanged == 0


def test_cases_without_outcome_move_too():
    joint = joint_of(EXPECTED["printed_5x5"]["matrix"])
    known, cases = (cap.migration_table(each, "start", "end") for each in (joint, joint.cases))
    assert cases.positives is None
    assert cases.positives_down is None
    assert "rate" not in cases.moves.columns
    for name in ("mwb_upper", "mwb_lower", "tau_b", "unchanged", "up", "down", "moved"):
        assert getattr(cases, name) == getattr(known, name)
    assert cases.matrix.tolist() == known.matrix.tolist()
    assert "positives" not in cases.to_text()
    assert cases.to_dict()["positives"] is None
    partly = cap.PartialCounts(joint, joint.cases)
    assert cap.migration_table(partly, "start", "end").matrix.sum() == 2 * known.matrix.sum()


def test_it_is_saved_and_shown(tmp_path):
    found = migration(
        [[6, 3, 1], [2, 5, 3], [0, 1, 9]], positives=[[3, 1, 1], [1, 1, 0], [0, 0, 1]]
    )
    assert (
        "66.7% [48.9%, 81.4%] of 30 cases kept their grade, and 96.7% moved at most one notch"
        in repr(found)
    )
    for suffix in (".html", ".json", ".md", ".txt", ".csv", ".svg"):
        assert found.save(tmp_path / f"migration{suffix}").stat().st_size > 50
    saved = json.loads((tmp_path / "migration.json").read_text())
    assert saved["matrix"] == [[6, 3, 1], [2, 5, 3], [0, 1, 9]]
    assert saved["cells"][0] == {
        "from": "G", "to": "F", "n": 3, "share": 0.3,
        **{key: found.cells[key][0] for key in ("z", "p_value", "p_adjusted")},
    }  # fmt: skip
    assert (tmp_path / "migration.csv").read_text().splitlines()[1] == "G,6,3,1,10"


def test_names_of_many_grades_do_not_overlap():
    names = [f"{letter}{k}" for letter in "GFEDCBA" for k in range(5, 0, -1)]
    joint = cap.count_joint([0] * 35, {"a": names, "b": names[::-1]}, levels=names)
    (chart,) = cap.migration_table(joint, "a", "b").presentation().charts
    assert chart.scores.names == names[::3]
    assert chart.scores.at.tolist() == list(range(0, 35, 3))
    (chart,) = migration(EXPECTED["printed_5x5"]["matrix"]).presentation().charts
    assert chart.scores.names == list("GFEDC")


def test_names_are_escaped_and_told_apart():
    levels = ["<i>", 1, "1"]
    joint = cap.count_joint([0, 1, 0], {"a": levels, "b": levels[::-1]}, levels=levels)
    found = cap.migration_table(joint, "a", "b")
    assert list(found.table.columns) == ["from", "to '<i>'", "to 1", "to '1'", "n"]
    assert "<i>" not in found.to_html()
    assert "&lt;i&gt;" in found.to_html()


def test_a_matrix_of_a_hundred_grades_and_huge_counts():
    names = list(range(100))
    start = np.repeat(names, 100)
    end = np.tile(names, 100)
    joint = cap.count_joint(np.arange(10000) % 2, {"a": start, "b": end}, levels=names)
    huge = sum([joint] * 3)
    for _ in range(30):
        huge = huge + huge
    found, same = (cap.migration_table(each, "a", "b") for each in (joint, huge))
    assert found.mwb_upper == same.mwb_upper
    assert same.unchanged == 0.01
    assert same.tau_b == 0
    assert same.matrix.sum() == 10000 * 3 * 2**30


def test_the_page_shades_the_matrix_and_names_moves_that_go_too_far():
    """Of 100 cases of B more fell to C than stayed; no case rose."""
    cells = [("B", "B", 30), ("B", "C", 60), ("B", "A", 0), ("A", "A", 40), ("C", "C", 25)]
    start, end = ([cell[side] for cell in cells for _ in range(cell[2])] for side in (0, 1))
    scores = {"start": start, "end": end}
    joint = cap.count_joint([1, *[0] * (len(start) - 1)], scores, levels=["C", "B", "A"])
    found = cap.migration_table(joint, "start", "end")
    assert found.presentation().sentences[2] == (
        "In 1 of 2 cells, significantly more cases moved to a farther grade than to the nearer "
        "one: B to C (5%, Holm)."
    )
    page = found.to_html()
    row = "<td class=left>B</td>"
    assert f'{row}<td class="h3">60</td><td class="h2 same">30</td><td class="h0">0</td>' in page
    assert f'{row}<td class="h3">66.7%</td><td class="h2 same">33.3%</td>' in page
