"""The ECB's table of an LGD model: grades or segments, laws, and what is missing."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import capcurve as cap
from ecb_samples import initial_classes, lgd, lines, missing, numbers, values, why, written

WHOLE = lgd()
OF_END = {"n_end", "mean_estimated_end"}
OF_BEGIN = {"n_begin", "mean_estimated_begin"}
# The ECB's twelve segments, by the end that does not belong to them.
EDGES = [0.05, *np.arange(1, 11) / 10]


def items_of(keys, section):
    return {item for each, item, *_ in keys if each == section}


@pytest.mark.parametrize(
    ("changes", "section", "left", "said"),
    [
        (
            {"initial": None, "initial_dates": None},
            "2.6.3.1",
            {
                *("gauc_initial", "statistic", "p_value", "initial_n", "initial_variance"),
                *("initial_start", "initial_end"),
            },
            "initial",
        ),
        (
            {"initial": 0.85, "initial_dates": None},
            "2.6.3.1",
            {"initial_n", "initial_variance", "initial_start", "initial_end"},
            "initial",
        ),
        ({"initial_dates": None}, "2.6.3.1", {"initial_start", "initial_end"}, "initial_dates="),
        ({"begin": None}, "2.6.4.2", {*OF_BEGIN, "psi"}, "begin="),
        ({"end": None}, "2.6.4.2", {*OF_END, "psi"}, "end="),
        ({"begin": None, "end": None}, "2.6.4.2", {*OF_BEGIN, *OF_END, "psi"}, "="),
    ],
)
def test_what_is_left_out_empties_its_lines_and_no_others(changes, section, left, said):
    found = lgd(**changes)
    new = missing(found) - missing(WHOLE)
    assert items_of(new, section) == left
    assert {key[0] for key in new} == {section}
    for key in new:
        assert said in lines(found)[key]["missing"]
    assert set(lines(found)) == set(lines(WHOLE))
    kept = set(lines(WHOLE)) - new
    if not isinstance(changes.get("initial"), float):
        for key in kept:
            one, other = values(found)[key], values(WHOLE)[key]
            assert one == other or (math.isnan(one) and math.isnan(other)), key


def test_an_initial_number_is_its_gauc():
    data = numbers("lgd")
    found = values(lgd(initial=0.85))
    now = cap.generalised_auc(cap.count_classes(data["realised"], data["estimated"]))
    test = now.test(0.85)
    assert found["2.6.3.1", "gauc_initial", "", ""] == 0.85
    assert found["2.6.3.1", "statistic", "", ""] == test.statistic
    assert found["2.6.3.1", "p_value", "", ""] == test.p_value


@pytest.mark.parametrize("kind", ["shuffled", "lists", "pandas", "polars", "names"])
def test_neither_the_order_of_facilities_nor_what_holds_them_changes_a_bit(kind):
    order = np.random.default_rng(3).permutation(160)
    columns = {name: numbers("lgd")[name] for name in ("realised", "estimated")}
    begin = numbers("lgd_begin")["estimated"]
    if kind == "names":
        again = cap.ecb_lgd(
            "realised",
            "estimated",
            data=columns,
            initial=initial_classes(),
            initial_dates=("2019-01-01", "2019-12-31"),
            begin=begin,
            end=numbers("lgd_end")["estimated"],
        )
    else:
        made = {
            "shuffled": lambda column: column[order] if len(column) == 160 else column[::-1],
            "lists": np.ndarray.tolist,
            "pandas": pd.Series,
            "polars": pl.Series,
        }[kind]
        again = lgd(**{name: made(each) for name, each in columns.items()}, begin=made(begin))
    assert written(again) == written(WHOLE)


def test_the_rows_of_sums_are_those_of_the_whole():
    found, rows = values(WHOLE), lines(WHOLE)
    names = [key[2] for key in rows if key[:2] == ("2.6.2.1", "n") and key[2]]
    assert names == ["0.05", "0.1", "0.2", "0.35", "0.5", "0.72", "0.9"]
    assert found["2.6.2.1", "n", "", ""] == sum(found["2.6.2.1", "n", name, ""] for name in names)
    for name in names:
        cells = [found["2.6.2.1", "frequency", name, to] for to in (*names, "above")]
        assert sum(cells) == found["2.6.2.1", "n", name, ""]
    data = numbers("lgd")
    table = cap.count_classes(data["realised"], data["estimated"]).table
    for row, name in zip(table.tolist(), names, strict=True):
        cells = [found["2.6.2.1", "frequency", name, to] for to in (*names, "above")]
        assert cells == row
    for side, sample in (("begin", 300), ("end", 340)):
        assert sum(found["2.6.4.2", f"n_{side}", name, ""] for name in names) == sample


def test_lines_have_their_level_and_unit():
    for (_section, item, grade, to), row in lines(WHOLE).items():
        assert row["level"] == ("cell" if to else "grade" if grade else "portfolio")
        assert row["unit"] in {"count", "share", "amount", "ratio", "p", "date"}
        if item in ("n", "frequency", "n_begin", "n_end", "initial_n", "m", "m_miss"):
            assert row["unit"] == "count", item
        if item == "p_value":
            assert row["unit"] == "p"
        if item in ("initial_start", "initial_end"):
            assert row["unit"] == "date"
        assert row["what"]


def test_more_than_twenty_estimates_are_put_into_the_segments():
    rng = np.random.default_rng(7)
    estimated = np.round(rng.uniform(0, 1.1, 400), 3)
    realised = np.clip(estimated + rng.normal(0, 0.15, 400), 0, 1.3)
    begin, end = (np.round(rng.uniform(0, 1.2, size), 4) for size in (200, 250))
    found = cap.ecb_lgd(realised, estimated, begin=begin, end=end)
    by_key, names = values(found), [str(place) for place in range(1, 13)]
    place, came = (np.digitize(each, EDGES) for each in (estimated, realised))
    for row, name in enumerate(names):
        own = place == row
        assert by_key["2.6.2.1", "n", name, ""] == own.sum()
        for column, to in enumerate(names):
            assert by_key["2.6.2.1", "frequency", name, to] == (own & (came == column)).sum()
        if own.sum() > 1:
            surplus = realised[own] - estimated[own]
            test = stats.ttest_1samp(surplus, 0, alternative="greater")
            key = ("2.6.2.1", "statistic", name, "")
            assert by_key[key] == pytest.approx(test.statistic, rel=1e-9)
            assert by_key["2.6.2.1", "p_value", name, ""] == pytest.approx(test.pvalue, rel=1e-8)
            mean = by_key["2.6.2.1", "mean_estimated", name, ""]
            assert mean == pytest.approx(estimated[own].mean(), rel=1e-12)
    rows = lines(found)
    assert {key[3] for key in rows if key[1] == "frequency"} == set(names)
    shares = [np.bincount(np.digitize(each, EDGES), minlength=12) for each in (begin, end)]
    for name, side in (("n_begin", 0), ("n_end", 1)):
        counts = [by_key["2.6.4.2", name, grade, ""] for grade in names]
        assert counts == shares[side].tolist()
    if all((each > 0).all() for each in shares):
        one, two = (each / each.sum() for each in shares)
        psi = ((two - one) * np.log(two / one)).sum()
        assert by_key["2.6.4.2", "psi", "", ""] == pytest.approx(psi, rel=1e-10)
    assert found.filled + found.missing == len(found.table)


def test_exactly_twenty_estimates_are_grades():
    grades = np.arange(1, 21) / 20
    estimated = np.repeat(grades, 3)
    realised = estimated + np.tile([-0.02, 0, 0.04], 20)
    rows = lines(cap.ecb_lgd(realised, estimated))
    assert ("2.6.2.1", "frequency", "0.05", "above") in rows
    assert rows["2.6.2.1", "n", "1.0", ""]["value"] == 3
    more = lines(cap.ecb_lgd([*realised, 0.5, 0.6], [*estimated, 0.51, 0.52]))
    assert {key[2] for key in more if key[1] == "frequency"} == {str(k) for k in range(1, 13)}


def test_a_grade_that_one_side_lacks_makes_the_index_infinite(tmp_path):
    begin = numbers("lgd_begin")["estimated"]
    found = lgd(begin=begin[begin != 0.9])
    row = lines(found)["2.6.4.2", "psi", "", ""]
    assert (row["value"], row["missing"]) == (math.inf, "")
    assert lines(found)["2.6.4.2", "n_begin", "0.9", ""]["value"] == 0
    assert math.isnan(lines(found)["2.6.4.2", "mean_estimated_begin", "0.9", ""]["value"])
    saved = json.loads(found.save(tmp_path / "t.json").read_text())
    (line,) = (each for each in saved["lines"] if each["item"] == "psi")
    assert line["value"] == "inf"
    text = found.save(tmp_path / "t.csv").read_text()
    (line,) = (each for each in text.splitlines() if each.startswith("2.6.4.2,psi,"))
    assert ",inf," in line
    assert "0.9" in found.to_text() + found.to_html()


@pytest.mark.parametrize(
    ("realised", "estimated"), [([0.3], [0.2]), ([0.3, 0.3, 0.3], [0.2, 0.2, 0.2])]
)
def test_one_facility_or_no_spread_has_no_test(realised, estimated):
    rows = lines(cap.ecb_lgd(realised, estimated))
    for grade in ("", "0.2"):
        assert rows["2.6.2.1", "n", grade, ""]["value"] == len(realised)
        assert rows["2.6.2.1", "mean_realised", grade, ""]["value"] == pytest.approx(0.3)
        for item in ("statistic", "p_value"):
            row = rows["2.6.2.1", item, grade, ""]
            assert math.isnan(row["value"])
            assert "not well defined" in why(row)
    # All estimates are in one grade, so that no pair differs.
    row = rows["2.6.3.1", "gauc_current", "", ""]
    assert math.isnan(row["value"])
    assert why(row).strip()


lgds = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1.0, 1.2])
facilities = st.lists(st.tuples(lgds, st.sampled_from([0.1, 0.2, 0.5])), min_size=3, max_size=40)


@given(facilities)
def test_every_book_has_the_numbers_of_the_formulas(drawn):
    # Of each estimate two that differ.
    drawn = [*drawn, *((each, own) for own in (0.1, 0.2, 0.5) for each in (0.0, 0.75))]
    realised, estimated = np.array(drawn).T
    found = values(cap.ecb_lgd(realised, estimated))
    for grade in ("", "0.1", "0.2", "0.5"):
        own = estimated == float(grade) if grade else np.ones(len(estimated), dtype=bool)
        surplus = realised[own] - estimated[own]
        test = stats.ttest_1samp(surplus, 0, alternative="greater")
        for item, value in (
            ("n", own.sum()),
            ("mean_estimated", estimated[own].mean()),
            ("mean_realised", realised[own].mean()),
            ("variance", surplus.var(ddof=1)),
            ("statistic", test.statistic),
            ("p_value", test.pvalue),
        ):
            key = ("2.6.2.1", item, grade, "")
            assert found[key] == pytest.approx(value, rel=1e-9, abs=1e-11), item
    order = np.argsort(realised, kind="stable")[::-1]
    again = cap.ecb_lgd(realised[order], estimated[order])
    assert written(again) == written(cap.ecb_lgd(realised, estimated))
