"""The lines of the ECB's table: formulas, laws, the functions they equal, and what is missing."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy.special import betainc
from scipy.stats import norm

import capcurve as cap
from ecb_samples import (
    DATE_ITEMS,
    DATES,
    GRADES,
    NO_SAMPLE_HOLDS,
    PDS,
    STATUSES,
    book,
    counts,
    ecb,
    exposure,
    initial_rows,
    jointly,
    keys_of,
    lines,
    missing,
    sheet,
    values,
    whole_sheet,
    written,
)

WHOLE = ecb()
NEVER_FILLED = {
    (section, item, "", "") for section, each in NO_SAMPLE_HOLDS.items() for item in each
}
ENDS = ("default", "other model", "terminated")


def keys(section, *items, level=None):
    """Return the keys of some items of a section, of one level where that is named."""
    return {
        key
        for key, row in lines(WHOLE).items()
        if key[0] == section and (not items or key[1] in items) and level in (None, row["level"])
    }


DATES_OF_INITIAL = keys("2.5.4.1", *DATE_ITEMS) | keys("2.5.5.3", *DATE_ITEMS)
OF_INITIAL_SAMPLE = keys("2.5.4.1", "initial_n", "initial_variance") | keys(
    "2.5.5.3", "cv_initial", "hi_initial", "p_value", "initial_n", "initial_grades"
)
TO_STATUSES = {key for key in keys("2.5.5.2", "share") if key[3] in ENDS}


# What a line is


def test_lines_have_their_level_and_unit():
    levels = {
        key: "cell" if key[3] else "grade" if key[2] else "portfolio" for key in keys_of(GRADES)
    }
    rows = lines(WHOLE)
    assert {key: row["level"] for key, row in rows.items()} == levels
    units = {
        "n": "count",
        "grades": "count",
        "defaults": "count",
        "overrides": "count",
        "initial_n": "count",
        "initial_grades": "count",
        "p_value": "p",
        "share": "share",
        "original_exposure": "amount",
        "rwea_begin": "amount",
        "ead_end": "amount",
        "initial_start": "date",
        "initial_end": "date",
    }
    for (section, item, *_), row in rows.items():
        assert row["unit"] in {"count", "share", "amount", "ratio", "p", "date"}
        assert row["unit"] == units.get(item, row["unit"]), (section, item)
        assert row["what"]
        assert row["source"] or row["missing"]


def test_sections_come_in_the_order_of_the_ecb():
    sections = WHOLE.table["section"].tolist()
    assert sections == sorted(sections)
    assert set(sections) == {key[0] for key in keys_of(GRADES)}


def test_filled_and_missing_are_numbers_of_lines():
    found = ecb(exposure=None, statuses=None)
    assert len(found.table) == found.filled + found.missing
    assert found.missing == sum(bool(text) for text in found.table["missing"].tolist())
    for row in lines(found).values():
        if row["missing"]:
            assert math.isnan(row["value"])
        else:
            assert row["text"] or not math.isnan(row["value"])
    assert found.sentence.startswith(f"{found.filled} of {len(found.table)} lines filled")
    assert "exposure=" in found.sentence
    assert "statuses=" in found.sentence
    assert "final=" not in found.sentence
    assert "11 that no sample holds" in found.sentence


def test_dates_are_texts():
    for said in (DATES, tuple(pd.Timestamp(each).date() for each in DATES)):
        rows = lines(ecb(initial_dates=said))
        for section in ("2.5.4.1", "2.5.5.3"):
            for item, date in zip(DATE_ITEMS, DATES, strict=True):
                row = rows[section, item, "", ""]
                assert (row["text"], row["missing"], row["unit"]) == (date, "", "date")
                assert math.isnan(row["value"])


def test_overrides_are_customers_whose_final_grade_differs():
    data = book()
    differ = sum(a != b for a, b in zip(data["grade"], data["final"], strict=True))
    assert differ > 10
    assert values(WHOLE)["2.5.2.2", "overrides", "", ""] == differ


# The same numbers by other ways


def test_numbers_are_those_of_the_functions_bit_for_bit():
    found, now, initial = values(WHOLE), counts(), counts(initial_rows())
    tests = cap.pd_tests(now, pd=PDS)
    for row in tests.rows():
        grade = row["score"]
        for item, name in (("pd", "pd"), ("n", "n"), ("defaults", "positives")):
            assert found["2.5.3.1", item, grade, ""] == row[name]
        assert found["2.5.3.1", "p_value", grade, ""] == row["p_value"]
    before = cap.roc_auc(initial)
    test = cap.test_against_initial(now, before, variance="delong")
    assert found["2.5.4.1", "auc_initial", "", ""] == before
    assert found["2.5.4.1", "auc_current", "", ""] == cap.roc_auc(now)
    assert found["2.5.4.1", "statistic", "", ""] == test.statistic
    assert found["2.5.4.1", "p_value", "", ""] == test.p_value
    assert found["2.5.4.1", "variance", "", ""] == pytest.approx(test.se**2, rel=1e-14)
    moved = cap.migration_table(jointly(), "grade", "end", outside=list(STATUSES))
    assert found["2.5.5.1", "mwb_upper", "", ""] == moved.mwb_upper
    assert found["2.5.5.1", "mwb_lower", "", ""] == moved.mwb_lower
    spread = cap.grade_concentration(now, initial)
    for item, value in (
        ("cv_current", spread.cv),
        ("cv_initial", spread.initial_cv),
        ("hi_current", spread.herfindahl_index),
        ("hi_initial", spread.initial_herfindahl_index),
        ("p_value", spread.ecb_p),
    ):
        assert found["2.5.5.3", item, "", ""] == value, item


def test_pds_in_a_column_beside_the_grades_are_those_of_pd_tests():
    data = book()
    data["own"] = [PDS[grade] * (1 + row % 3 / 10) for row, grade in enumerate(data["grade"])]
    joint = jointly(data, ("grade", "end", "final", "own"))
    found = values(ecb(sheet(joint=joint, pd="own")))
    for row in cap.pd_tests(joint, pd="own", score="grade").rows():
        for item in ("pd", "n", "p_value"):
            assert found["2.5.3.1", item, row["score"], ""] == row[item]
    mean = math.fsum(data["own"]) / len(data["own"])
    assert found["2.5.3.1", "pd", "", ""] == pytest.approx(mean, rel=1e-12)


def test_scores_that_are_pds_are_grades_that_are_called_as_they_are_written():
    data = book()
    as_pds = cap.count_scores(data["default"], [PDS[grade] for grade in data["grade"]])
    found = values(cap.validate(as_pds, pd="score").ecb())
    for grade, own in PDS.items():
        for item in ("pd", "n", "defaults", "p_value"):
            key = ("2.5.3.1", item, grade, "")
            assert found["2.5.3.1", item, str(own), ""] == values(WHOLE)[key]


def test_the_exposure_counts_in_its_own_index_alone():
    amounts = exposure()
    shares = np.array(list(amounts.values())) / math.fsum(amounts.values())
    expected = 1 + math.log(math.fsum(shares**2)) / math.log(len(shares))
    found = values(WHOLE)
    assert found["2.5.5.3", "hi_exposure", "", ""] == pytest.approx(expected, rel=1e-12)
    assert found["2.5.3.1", "original_exposure", "", ""] == pytest.approx(
        math.fsum(amounts.values()), rel=1e-14
    )
    doubled = ecb(exposure={grade: 2 * amount for grade, amount in amounts.items()})
    differ = {key for key, value in values(doubled).items() if value != found[key] == found[key]}
    assert differ == keys("2.5.3.1", "original_exposure")


# Laws


@pytest.mark.parametrize("kind", ["shuffled", "pandas", "polars"])
def test_neither_the_order_of_rows_nor_what_holds_them_changes_a_bit(kind):
    data, before = book(), initial_rows()
    if kind == "shuffled":
        order = np.random.default_rng(5).permutation(len(data["grade"])).tolist()
        data = {name: [column[row] for row in order] for name, column in data.items()}
        before = {name: column[::-1] for name, column in before.items()}
    else:
        frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind]
        data, before = frame(data), frame(before)
    again = ecb(sheet(counts(data), initial=counts(before), joint=jointly(data)))
    assert written(again) == written(WHOLE)


def test_shards_add_up_to_the_whole():
    data, parts = book(), []
    for which in (slice(600, None), slice(0, 250), slice(250, 600)):
        part = {name: column[which] for name, column in data.items()}
        parts.append((counts(part), jointly(part)))
    now, joint = (sum(each[1:], start=each[0]) for each in zip(*parts, strict=True))
    assert written(ecb(sheet(now, joint=joint))) == written(WHOLE)


def test_numbered_from_the_best_the_bandwidths_change_places_and_no_cell_does():
    first, turned = lines(WHOLE), lines(ecb(best_first=True))
    assert set(first) == set(turned)
    upper, lower = (("2.5.5.1", f"mwb_{side}", "", "") for side in ("upper", "lower"))
    assert (turned[upper]["value"], turned[lower]["value"]) == (
        first[lower]["value"],
        first[upper]["value"],
    )
    for key in set(first) - {upper, lower}:
        one, other = (found[key]["value"] for found in (first, turned))
        assert one == other or (math.isnan(one) and math.isnan(other)), key


def test_in_a_transposed_matrix_of_two_grades_the_bandwidths_change_places():
    """Of more grades they need not: how far a case can move depends on where it begins."""
    begun = [*"BBBBBAAAAAAA"]
    ended = [*"BBBAABBBAAAA"]
    target = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    found = {}
    for name, (one, other) in {"as": (begun, ended), "turned": (ended, begun)}.items():
        joint = cap.count_joint(target, {"a": one, "b": other}, levels=["B", "A"])
        found[name] = values(cap.validate(joint.margin("a"), joint=joint, end="b").ecb())
    sides = [("2.5.5.1", f"mwb_{side}", "", "") for side in ("upper", "lower")]
    assert [found["as"][side] for side in sides] == [found["turned"][side] for side in sides[::-1]]


def portfolios(size):
    """Draw customers by grade at the start, where they end, and whether they default."""
    row = st.tuples(st.integers(0, size - 1), st.integers(0, size + 2), st.booleans())
    return st.tuples(st.just(size), st.lists(row, min_size=6, max_size=40))


def sheet_of_rows(size, rows, names="DCBA", **given):
    names = list(names[:size])
    # Two of each class, which a variance needs, and two that stay, which a migration needs.
    rows = [(0, 0, True), (0, 0, False), (1, 1, True), (1, 1, False), *rows]
    labels = [*names, *STATUSES]
    scores = {
        "start": [names[start] for start, _, _ in rows],
        "end": [labels[end] for _, end, _ in rows],
    }
    target = [int(default) for *_, default in rows]
    levels = {"start": names, "end": labels}
    joint = cap.count_joint(target, scores, levels=levels)
    now = cap.count_scores(target, scores["start"], levels=names)
    made = cap.validate(now, joint=joint, end="end", outside=list(STATUSES), **given)
    return made, np.array(rows, dtype=int), names


def row_z(shares, start, end, cases):
    """Return z of a cell against its neighbour one nearer to the diagonal; NaN where undefined."""
    near = shares[start, end + 1 if end < start else end - 1]
    far = shares[start, end]
    spread = far * (1 - far) + near * (1 - near) + 2 * far * near
    return (near - far) / math.sqrt(spread / cases) if cases and spread > 0 else math.nan


@given(st.integers(2, 4).flatmap(portfolios))
def test_every_portfolio_has_the_numbers_of_the_formulas(drawn):
    pds = {"D": 0.2, "C": 0.1, "B": 0.05, "A": 0.01}
    own = {name: pds[name] for name in "DCBA"[: drawn[0]]}
    made, rows, names = sheet_of_rows(*drawn, pd=own, initial=0.5)
    table = made.ecb(statuses=STATUSES)
    found, size = values(table), len(names)
    assert set(found) == keys_of(names)
    cases, ends = np.zeros(size), np.zeros((size, size + 3))
    np.add.at(cases, rows[:, 0], 1)
    np.add.at(ends, (rows[:, 0], rows[:, 1]), 1)
    defaults = np.bincount(rows[:, 0], rows[:, 2], size)
    # Grades and the portfolio
    n = np.array([found["2.5.3.1", "n", grade, ""] for grade in names])
    assert n.tolist() == cases.tolist()
    assert found["2.5.3.1", "n", "", ""] == found["2.4.3", "n", "", ""] == n.sum() == len(rows)
    bad = [found["2.5.3.1", "defaults", grade, ""] for grade in names]
    assert bad == defaults.tolist()
    assert found["2.5.3.1", "defaults", "", ""] == found["2.4.3", "defaults", "", ""] == sum(bad)
    assert found["2.4.3", "grades", "", ""] == size
    mean = math.fsum(own[grade] * k for grade, k in zip(names, n, strict=True)) / n.sum()
    assert found["2.5.3.1", "pd", "", ""] == pytest.approx(mean, rel=1e-12)
    for grade, p, d, k in (
        *zip(names, own.values(), bad, n, strict=True),
        ("", mean, sum(bad), n.sum()),
    ):
        value = found["2.5.3.1", "p_value", grade, ""]
        if k:
            assert value == pytest.approx(betainc(d + 0.5, k - d + 0.5, p), rel=1e-10)
    # Shares, z and p of the matrix
    shares = ends / np.where(cases > 0, cases, np.nan)[:, None]
    for start, grade in enumerate(names):
        row = [found["2.5.5.2", "share", grade, to] for to in (*names, *ENDS)]
        np.testing.assert_allclose(row, shares[start], rtol=1e-14)
        if cases[start]:
            assert math.fsum(row) == pytest.approx(1, abs=1e-12)
        for end, to in enumerate(names):
            if end == start:
                continue
            z = row_z(shares, start, end, cases[start])
            key = ("2.5.5.2", "z", grade, to)
            assert found[key] == pytest.approx(z, rel=1e-10, abs=1e-12, nan_ok=True)
            p = found["2.5.5.2", "p_value", grade, to]
            assert p == pytest.approx(norm.cdf(z), rel=1e-9, abs=1e-12, nan_ok=True)
            if math.isnan(z):
                said = lines(table)[key]
                assert (said["text"], said["missing"]) == ("not well defined", "")
    # Bandwidths
    square = ends[:, :size]
    steps = np.subtract.outer(np.arange(size), np.arange(size))
    reach = np.maximum(np.arange(size), size - 1 - np.arange(size))
    for side, way in (("upper", steps < 0), ("lower", steps > 0)):
        moves = np.where(way, square, 0)
        most = (reach * moves.sum(axis=1)).sum()
        expected = (abs(steps) * moves).sum() / most if most else math.nan
        value = found["2.5.5.1", f"mwb_{side}", "", ""]
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)
    # Concentration, and nothing of an initial sample that is a number
    cv = math.sqrt(size * math.fsum((n / n.sum() - 1 / size) ** 2))
    assert found["2.5.5.3", "cv_current", "", ""] == pytest.approx(cv, rel=1e-12, abs=1e-15)
    hi = 1 + math.log((cv**2 + 1) / size) / math.log(size)
    assert found["2.5.5.3", "hi_current", "", ""] == pytest.approx(hi, rel=1e-12, abs=1e-12)
    assert found["2.5.4.1", "auc_initial", "", ""] == 0.75


@given(st.integers(2, 4).flatmap(portfolios), st.randoms(use_true_random=False))
def test_order_and_numbering_are_no_part_of_any_portfolio(drawn, chance):
    size, rows = drawn
    mixed = rows.copy()
    chance.shuffle(mixed)
    (made, *_), (again, *_) = (sheet_of_rows(size, each) for each in (rows, mixed))
    assert written(made.ecb(statuses=STATUSES)) == written(again.ecb(statuses=STATUSES))
    first, turned = (values(made.ecb(best_first=each)) for each in (False, True))
    for side, other in (("upper", "lower"), ("lower", "upper")):
        one, two = (
            first["2.5.5.1", f"mwb_{side}", "", ""],
            turned["2.5.5.1", f"mwb_{other}", "", ""],
        )
        assert one == two or (math.isnan(one) and math.isnan(two))


@given(st.integers(2, 4).flatmap(portfolios))
def test_the_test_of_the_auc_is_delongs_of_the_current_sample(drawn):
    size, rows = drawn
    made, rows, _ = sheet_of_rows(size, rows, initial=0.6)
    found = values(made.ecb())
    bad, good = (rows[rows[:, 2] == each, 0] for each in (1, 0))
    wins = (bad[:, None] < good[None, :]) + 0.5 * (bad[:, None] == good[None, :])
    auc = wins.mean()
    assert found["2.5.4.1", "auc_current", "", ""] == pytest.approx(auc, rel=1e-12)
    variance = wins.mean(axis=1).var(ddof=1) / len(bad) + wins.mean(axis=0).var(ddof=1) / len(good)
    if variance < 1e-9:  # of a sample that shows no spread the functions say what they do
        return
    assert found["2.5.4.1", "variance", "", ""] == pytest.approx(variance, rel=1e-10)
    statistic = (0.8 - auc) / math.sqrt(variance)
    assert found["2.5.4.1", "statistic", "", ""] == pytest.approx(statistic, rel=1e-9, abs=1e-10)
    p = found["2.5.4.1", "p_value", "", ""]
    assert p == pytest.approx(norm.sf(statistic), rel=1e-8, abs=1e-12)


def test_an_empty_grade_is_a_grade_of_the_scale():
    data = book()
    kept = [row for row, grade in enumerate(data["grade"]) if grade != "R7"]
    data = {name: [column[row] for row in kept] for name, column in data.items()}
    amounts = {grade: amount for grade, amount in exposure().items() if grade != "R7"}
    rows = lines(ecb(sheet(counts(data), joint=jointly(data)), exposure=amounts))
    assert set(rows) == keys_of(GRADES)
    assert rows["2.4.3", "grades", "", ""]["value"] == 7
    for item in ("n", "defaults", "original_exposure"):
        assert rows["2.5.3.1", item, "R7", ""]["value"] == 0
    assert rows["2.5.3.1", "pd", "R7", ""]["value"] == PDS["R7"]
    p = rows["2.5.3.1", "p_value", "R7", ""]["value"]
    # The formula of no customers, or none: the ECB does not say.
    assert math.isnan(p) or p == pytest.approx(betainc(0.5, 0.5, PDS["R7"]), rel=1e-12)
    for key in keys("2.5.5.2"):
        if key[2] == "R7":
            assert math.isnan(rows[key]["value"])
            assert (rows[key]["text"], rows[key]["missing"]) == ("not well defined", "")
    shares = [sum(grade == each for each in data["grade"]) / len(kept) for grade in GRADES]
    cv = math.sqrt(7 * math.fsum((share - 1 / 7) ** 2 for share in shares))
    assert rows["2.5.5.3", "cv_current", "", ""]["value"] == pytest.approx(cv, rel=1e-12)


# What is missing, and what fills it


@pytest.mark.parametrize(
    ("of_sheet", "of_table", "left", "said"),
    [
        (
            {},
            {"exposure": None},
            keys("2.5.3.1", "original_exposure") | keys("2.5.5.3", "hi_exposure"),
            "exposure=",
        ),
        ({}, {"statuses": None}, TO_STATUSES, "statuses="),
        ({}, {"initial_dates": None}, DATES_OF_INITIAL, "initial_dates="),
        ({"pd": None}, {}, keys("2.5.3.1", "pd", "p_value"), "pd="),
        (
            {"initial": None},
            {"initial_dates": None},
            OF_INITIAL_SAMPLE
            | keys("2.5.4.1", "auc_initial", "statistic", "p_value")
            | DATES_OF_INITIAL,
            "initial",
        ),
        (
            {"initial": 0.4},
            {"initial_dates": None},
            OF_INITIAL_SAMPLE | DATES_OF_INITIAL,
            "initial",
        ),
        ({"final": None, "joint": ("grade", "end")}, {}, keys("2.5.2.2"), "final="),
        (
            {"end": None, "outside": None, "joint": ("grade", "final")},
            {"statuses": None},
            keys("2.5.5.1") | keys("2.5.5.2"),
            "end=",
        ),
    ],
    ids=["exposure", "statuses", "dates", "pd", "initial", "number", "final", "end"],
)
def test_what_is_left_out_empties_its_lines_and_no_others(of_sheet, of_table, left, said):
    changes = dict(of_sheet)
    if "joint" in changes:
        changes["joint"] = jointly(names=changes["joint"])
    found = ecb(sheet(**changes), **of_table)
    assert missing(found) == left | NEVER_FILLED
    rows, whole = lines(found), lines(WHOLE)
    assert set(rows) == set(whole)
    for key in left:
        assert math.isnan(rows[key]["value"])
        assert said in rows[key]["missing"], key
    of_another_value = keys("2.5.4.1", "auc_initial", "statistic", "p_value")
    for key in set(whole) - left - (of_another_value if of_sheet.get("initial") else set()):
        one, other = rows[key]["value"], whole[key]["value"]
        assert one == other or (math.isnan(one) and math.isnan(other)), key


def test_lines_of_the_initial_sample_name_their_argument():
    rows = lines(ecb(sheet(initial=None), initial_dates=None))
    for key in OF_INITIAL_SAMPLE | keys("2.5.4.1", "auc_initial", "statistic", "p_value"):
        assert "initial=" in rows[key]["missing"], key
    of_number = lines(ecb(sheet(initial=0.4), initial_dates=None))
    assert of_number["2.5.4.1", "auc_initial", "", ""]["value"] == 0.7
    test = cap.test_against_initial(counts(), 0.7)
    assert of_number["2.5.4.1", "statistic", "", ""]["value"] == pytest.approx(test.statistic)
    assert of_number["2.5.4.1", "p_value", "", ""]["value"] == pytest.approx(test.p_value)
    for key in OF_INITIAL_SAMPLE:
        assert "initial=" in of_number[key]["missing"], key


def test_what_no_sample_holds_is_yours_to_add():
    rows = lines(WHOLE)
    assert missing(WHOLE) == NEVER_FILLED
    for key in NEVER_FILLED:
        assert "yours to add" in rows[key]["missing"]
        assert math.isnan(rows[key]["value"])


def test_a_sheet_of_counts_alone_says_what_to_pass():
    found = cap.validate(counts()).ecb()
    rows = lines(found)
    assert set(rows) == keys_of(GRADES)
    said = " ".join(row["missing"] for row in rows.values())
    for name in ("pd", "exposure", "initial", "initial_dates", "end", "final"):
        assert re.search(rf"\b{name}=", said), name
    filled = {key[:2] for key, row in rows.items() if not row["missing"]}
    assert {("2.4.3", "n"), ("2.5.3.1", "n"), ("2.5.4.1", "auc_current")} < filled
    assert {("2.5.5.3", "cv_current"), ("2.5.5.3", "hi_current")} < filled
    assert not {section for section, _ in filled} & {"2.5.5.1", "2.5.5.2", "2.5.2.2"}


def test_a_label_without_a_status_leaves_the_shares_of_all_three_open():
    some = {label: status for label, status in STATUSES.items() if label != "left"}
    found = ecb(statuses=some)
    assert missing(found) == TO_STATUSES | NEVER_FILLED
    assert missing(found, "statuses=") == TO_STATUSES
    both = ecb(statuses={**STATUSES, "left": "other model"})
    shares, apart = values(both), values(WHOLE)
    for grade in GRADES:
        key = ("2.5.5.2", "share", grade)
        assert shares[*key, "terminated"] == 0
        together = apart[*key, "other model"] + apart[*key, "terminated"]
        assert shares[*key, "other model"] == pytest.approx(together, rel=1e-12)


def those_who_end_in_a_grade():
    data = book()
    kept = [row for row, end in enumerate(data["end"]) if end in GRADES]
    data = {name: [column[row] for row in kept] for name, column in data.items()}
    # Among those who stay there are few defaults; some are needed for an AUC.
    return {**data, "default": [int(row % 17 == 0) for row in range(len(kept))]}


def joint_of(data, *names):
    levels = dict.fromkeys(names, GRADES)
    return cap.count_joint("default", list(names), data=data, levels=levels)


def test_without_labels_outside_the_grades_no_customer_has_left():
    data = those_who_end_in_a_grade()
    made = cap.validate(counts(data), joint=joint_of(data, "grade", "end"), end="end")
    rows = lines(made.ecb())
    for key in TO_STATUSES:
        assert (rows[key]["value"], rows[key]["missing"]) == (0, ""), key
    for grade in GRADES:
        row = [rows["2.5.5.2", "share", grade, to]["value"] for to in GRADES]
        assert math.fsum(row) == pytest.approx(1, abs=1e-12)


def test_of_fewer_customers_than_the_sample_has_the_shares_are_not_known():
    kept = those_who_end_in_a_grade()
    left_out = [row for row, end in enumerate(book()["end"]) if end not in GRADES]
    data = book()
    data["end"] = [None if row in set(left_out) else end for row, end in enumerate(data["end"])]
    joint = cap.count_joint(
        "default",
        ["grade", "end"],
        data=data,
        levels=dict.fromkeys(("grade", "end"), GRADES),
        missing="drop",
    )
    assert joint.margin("grade").n == len(kept["grade"]) == 900 - len(left_out)
    found = cap.validate(counts(), joint=joint, end="end").ecb()
    rows = lines(found)
    for key in keys("2.5.5.2"):
        assert math.isnan(rows[key]["value"])
        assert rows[key]["missing"]
        said = f"{rows[key]['missing']} {rows[key]['text']}"
        assert re.search(rf"\b({len(kept['grade'])}|{len(left_out)})\b", said)
    for side in ("upper", "lower"):
        key = ("2.5.5.1", f"mwb_{side}", "", "")
        assert rows[key]["value"] == values(WHOLE)[key]
        assert rows[key]["missing"] == ""


def test_grades_at_the_end_leave_what_is_of_the_beginning_empty():
    data = those_who_end_in_a_grade()
    joint = joint_of(data, "end", "grade")
    now = cap.count_scores("default", "end", data=data, levels=GRADES)
    made = cap.validate(now, joint=joint, start="grade", pd=PDS, initial=counts(initial_rows()))
    rows = lines(made.ecb(exposure=exposure(), initial_dates=DATES))
    for section, items in (
        ("2.5.3.1", ("n", "defaults", "p_value")),
        ("2.5.4.1", ("auc_current", "variance", "statistic", "p_value")),
        ("2.5.5.3", ("cv_current", "hi_current", "p_value")),
    ):
        for key in keys(section, *items):
            assert math.isnan(rows[key]["value"]), key
            assert "end=" in f"{rows[key]['missing']} {rows[key]['text']}"
            said = f"{rows[key]['missing']} {rows[key]['text']}"
            assert "now holds grades at the end of the period" in said, key
            assert rows[key]["missing"], key
    for side in ("upper", "lower"):
        key = ("2.5.5.1", f"mwb_{side}", "", "")
        assert rows[key]["value"] == values(WHOLE)[key]


def continuous():
    rng = np.random.default_rng(8)
    data = book()
    steps = np.array([GRADES.index(grade) for grade in data["grade"]])
    return np.array(data["default"]), np.exp(-1.5 - 0.6 * steps + rng.normal(0, 0.2, len(steps)))


def test_the_auc_is_never_of_a_raw_score():
    target, score = continuous()
    made = cap.validate(cap.count_scores(target, score))
    rows = lines(made.ecb())
    for item in ("auc_current", "variance", "statistic", "p_value"):
        row = rows["2.5.4.1", item, "", ""]
        assert math.isnan(row["value"])
        assert "levels=master_scale(" in f"{row['missing']} {row['text']}", item
        assert row["missing"]
    assert made.tests["discrimination.roc_auc"].estimate is not None
    graded = cap.count_scores(target, score, levels=cap.master_scale([0.02, 0.05, 0.1, 0.2]))
    found = values(cap.validate(graded).ecb())
    assert found["2.5.4.1", "auc_current", "", ""] == cap.roc_auc(graded)
    assert found["2.4.3", "grades", "", ""] == 5


# The other kinds of counts


def test_frequencies_are_customers():
    data, before = book(), initial_rows()
    data["times"] = [1 + row % 3 for row in range(900)]
    before["times"] = [1 + row % 2 for row in range(len(before["grade"]))]
    often = {"weight": "times", "weight_kind": "frequency"}
    weighted = sheet(
        counts(data, **often), initial=counts(before, **often), joint=jointly(data, **often)
    )
    long, earlier = (
        {
            name: [each for each, k in zip(column, rows["times"], strict=True) for _ in range(k)]
            for name, column in rows.items()
        }
        for rows in (data, before)
    )
    repeated = sheet(counts(long), initial=counts(earlier), joint=jointly(long))
    assert written(ecb(weighted)) == written(ecb(repeated))


def test_clusters_change_no_number():
    data, before = book(), initial_rows()
    for rows in (data, before):
        rows["who"] = [row // 3 for row in range(len(rows["grade"]))]
    held = {"cluster": "who"}
    clustered = sheet(
        counts(data, **held), initial=counts(before, **held), joint=jointly(data, **held)
    )
    alike = ("source", "text", "what")
    assert written(ecb(clustered), alike) == written(WHOLE, alike)


def test_tests_of_weighted_customers_are_empty_and_shares_are_not():
    data, before = book(), initial_rows()
    data["size"] = [1.5 + row % 4 for row in range(900)]
    before["size"] = [1.0] * len(before["grade"])
    sized = {"weight": "size", "weight_kind": "sampling"}
    now, initial = counts(data, **sized), counts(before, **sized)
    made = sheet(now, initial=initial, joint=jointly(data, **sized))
    found = ecb(made)
    rows = lines(found)
    for key, row in rows.items():
        if key[1] == "p_value":
            assert math.isnan(row["value"]), key
            assert row["text"] == "not well defined" or "of whole customers" in (
                f"{row['missing']} {row['text']}"
            ), key
    for grade in ("", *GRADES):
        said = rows["2.5.3.1", "p_value", grade, ""]
        assert "of whole customers" in f"{said['missing']} {said['text']}"
    spread = cap.grade_concentration(now, initial)
    for section, item, value in (
        ("2.5.4.1", "auc_current", cap.roc_auc(now)),
        ("2.5.4.1", "auc_initial", cap.roc_auc(initial)),
        ("2.5.5.3", "hi_current", spread.herfindahl_index),
        ("2.5.5.3", "hi_initial", spread.initial_herfindahl_index),
        ("2.5.5.3", "cv_current", spread.cv),
    ):
        assert rows[section, item, "", ""]["value"] == pytest.approx(value, rel=1e-12), item


def test_a_sample_of_one_class_has_no_auc_and_all_else():
    data = {**book(), "default": [0] * 900}
    made = sheet(counts(data), initial=None, joint=jointly(data))
    rows = lines(ecb(made, initial_dates=None))
    for item in ("auc_current", "variance"):
        row = rows["2.5.4.1", item, "", ""]
        assert math.isnan(row["value"])
        assert row["missing"] or row["text"]
    assert rows["2.5.3.1", "defaults", "", ""]["value"] == 0
    p = rows["2.5.3.1", "p_value", "R3", ""]["value"]
    assert p == pytest.approx(betainc(0.5, 167.5, PDS["R3"]), rel=1e-12)
    for key in keys("2.5.5.1") | keys("2.5.5.2"):
        one, other = rows[key]["value"], values(WHOLE)[key]
        assert one == other or (math.isnan(one) and math.isnan(other)), key


# Several periods, other grades


def by_year(years):
    data = book()
    data["year"] = [2017 + row % years for row in range(900)]
    return cap.count_segments("default", "grade", data=data, by="year", levels=GRADES)


def test_three_periods_are_pooled():
    periods = by_year(3)
    found = values(ecb(sheet(periods=periods), periods=3))
    pooled = cap.pool_periods(periods)
    test = cap.test_against_initial(pooled, cap.roc_auc(counts(initial_rows())))
    expected = {
        "periods": 3,
        "auc_initial": cap.roc_auc(counts(initial_rows())),
        "auc_current": cap.roc_auc(pooled),
        "statistic": test.statistic,
        "p_value": test.p_value,
    }
    for item, value in expected.items():
        assert found["2.5.4.1", item, "", ""] == value, item
    assert found["2.5.4.1", "variance", "", ""] == pytest.approx(test.se**2, rel=1e-14)
    whole = values(WHOLE)
    changed = {key[:2] for key in whole if found[key] != whole[key] == whole[key]}
    assert changed == {("2.5.4.1", item) for item in expected if item != "auc_initial"} | {
        ("2.5.4.1", "variance")
    }


def test_of_one_year_periods_of_the_sheet_are_its_control_chart_alone():
    assert written(ecb(sheet(periods=by_year(3)))) == written(WHOLE)


def test_without_periods_a_sample_of_three_years_is_pooled_already():
    found, whole = values(ecb(periods=3)), values(WHOLE)
    changed = {key[:2] for key in whole if found[key] != whole[key] == whole[key]}
    assert changed == {("2.5.4.1", "periods")}
    assert found["2.5.4.1", "periods", "", ""] == 3


def test_an_initial_sample_of_other_grades_has_its_own_number_of_grades():
    now = cap.ScoreCounts.from_counts([3, 2, 1], [5, 4, 1], [20, 50, 90])
    initial = cap.ScoreCounts.from_counts([4, 3, 2, 1], [9, 5, 4, 1], [5, 20, 50, 90])
    found = values(cap.validate(now, initial=initial).ecb())
    own, before = cap.grade_concentration(now), cap.grade_concentration(initial)
    assert found["2.5.5.3", "initial_grades", "", ""] == 4
    assert found["2.5.5.3", "initial_n", "", ""] == 184
    assert found["2.4.3", "grades", "", ""] == 3
    assert found["2.5.5.3", "cv_current", "", ""] == own.cv
    assert found["2.5.5.3", "hi_current", "", ""] == own.herfindahl_index
    assert found["2.5.5.3", "cv_initial", "", ""] == before.cv
    assert found["2.5.5.3", "hi_initial", "", ""] == before.herfindahl_index
    z = math.sqrt(2) * (own.cv - before.cv) / math.sqrt(own.cv**2 * (0.5 + own.cv**2))
    assert found["2.5.5.3", "p_value", "", ""] == pytest.approx(norm.sf(z), rel=1e-10)


def test_what_the_migration_table_divides_by_is_what_it_says():
    """The ECB's shares are of all customers; those of customers who end in a grade must say so."""
    data = book()
    start, end = (np.array(data[name]) for name in ("grade", "end"))
    found = cap.migration_table(jointly(), "grade", "end", outside=list(STATUSES))
    cell = next(row for row in found.cells.rows() if (row["from"], row["to"]) == ("R3", "R4"))
    begun, moved = start == "R3", end == "R4"
    of_all = (begun & moved).sum() / begun.sum()
    of_graded = (begun & moved).sum() / (begun & np.isin(end, GRADES)).sum()
    assert cell["share"] in (pytest.approx(of_all), pytest.approx(of_graded))
    if cell["share"] == pytest.approx(of_all):
        assert cell["z"] == pytest.approx(values(WHOLE)["2.5.5.2", "z", "R3", "R4"], rel=1e-12)
    else:
        assert "share is of the cases that began in the grade;" not in found.to_text()
        assert re.search(r"grade at the end|ended? in a grade|both grades", found.to_text())


def test_the_sheet_keeps_its_own_auc_and_tests():
    alone = cap.validate(counts(), initial=counts(initial_rows()), pd=PDS)
    for name, test in alone.tests.items():
        if not name.startswith(("initial", "concentration", "stability")):
            assert whole_sheet().tests[name].estimate == test.estimate, name
    assert "challenger.end" not in whole_sheet().tests
    moved = cap.migration_table(jointly(), "grade", "end", outside=list(STATUSES))
    assert whole_sheet().tests["migration.upper"].estimate == moved.mwb_upper
    assert whole_sheet().tests["migration.lower"].estimate == moved.mwb_lower
    assert "migration" not in dict(whole_sheet().not_done)
