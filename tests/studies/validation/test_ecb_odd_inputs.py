"""The ECB's table of odd but honest inputs: grades named like a status, days of any kind, LGDs."""

import datetime as dt
import math
import re

import numpy as np
import pytest

import capcurve as cap
from ecb_samples import DATES, GRADES, counts, ecb, jointly, lgd, lines, numbers

END = {"gone": "default", "sold": "other model", "paid": "terminated"}


def rows_of(grades):
    """Return the grades at the beginning and at the end of the rows of a book."""
    start = [grades[row % 3] for row in range(120)]
    end = [grades[(row + row % 5 // 4) % 3] for row in range(120)]
    end[::10] = [list(END)[row % 3] for row in range(12)]
    return start, end


def made_of(grades):
    """Return the sheet of a book whose grades are called so."""
    start, end = rows_of(grades)
    data = {"y": [int(word == "gone") for word in end], "start": start, "end": end}
    levels = {"start": list(grades), "end": [*grades, *END]}
    joint = cap.count_joint("y", ["start", "end"], data=data, levels=levels)
    now = cap.count_scores("y", "start", data=data, levels=list(grades))
    pds = dict.fromkeys(grades, 0.1)
    return cap.validate(now, joint=joint, end="end", outside=list(END), pd=pds)


@pytest.mark.parametrize(
    "grades", [("default", "other model", "A"), ("1", 1, 2), ("", "B", "A"), ("a,b", '"', "=1+1")]
)
def test_each_line_has_a_key_of_its_own(grades):
    """`lines` asserts it; a grade called default is not the status."""
    found, (start, end) = lines(made_of(grades).ecb(statuses=END)), rows_of(grades)
    names = [key[2] for key in found if key[:2] == ("2.5.3.1", "n")]
    assert len(set(names)) == 4
    for name, grade in zip(names[:-1], grades, strict=True):
        rows = [row for row, each in enumerate(start) if each == grade]
        assert found["2.5.3.1", "n", name, ""]["value"] == len(rows)
        gone = sum(end[row] == "gone" for row in rows) / len(rows)
        assert found["2.5.5.2", "share", name, "default"]["value"] == pytest.approx(gone)
        kept = sum(end[row] == grade for row in rows) / len(rows)
        assert found["2.5.5.2", "share", name, name]["value"] == pytest.approx(kept)


def test_grades_called_as_columns_are(tmp_path):
    """In tables of cells a grade has its own name, in any words; "n" is no number of cases."""
    made = made_of(("positives", "n", "a_b")).ecb(statuses=END)
    (shares,) = [each for each in made.presentation().more if "share" in each.name]
    heads = [getattr(head, "heading", head) for head in shares.columns]
    assert heads[1:4] == ["positives", "n", "a_b"]
    made.in_words("defaults").save(tmp_path / "t.csv")
    made.save(tmp_path / "plain.csv")
    said, plain = ((tmp_path / name).read_text("utf-8") for name in ("t.csv", "plain.csv"))
    assert said.count("positives") == plain.count("positives")


@pytest.mark.parametrize(
    "days",
    [
        ("2019-01-01T00:00:00", "2019-12-31 23:59"),
        (dt.datetime(2019, 1, 1, 5, tzinfo=dt.UTC), dt.date(2019, 12, 31)),
        np.array(DATES, dtype="datetime64[D]"),
        (np.datetime64("2019-01-01T05", "ns"), np.datetime64("2019-12-31")),
    ],
    ids=repr,
)
def test_days_of_any_kind(days):
    found = lines(ecb(initial_dates=days))
    said = [found["2.5.4.1", f"initial_{end}", "", ""]["text"] for end in ("start", "end")]
    assert tuple(said) == DATES


@pytest.mark.parametrize("day", [dt.time(3), np.datetime64("NaT"), None], ids=repr)
def test_what_is_no_day(day):
    with pytest.raises(ValueError, match="initial_dates= must be"):
        ecb(initial_dates=(day, "2021-12-31"))


def test_exposures_beyond_any_sum():
    with pytest.raises(ValueError, match="sum of exposure must be a finite number"):
        ecb(exposure=dict.fromkeys(GRADES, 1.7e308))


def test_an_exposure_by_grade_of_a_score_without_grades():
    score = np.arange(200) / 200
    made = cap.validate(cap.count_scores((np.arange(200) % 7 == 0).astype(int), score))
    with pytest.raises(ValueError, match=r"200 distinct values.*levels=master_scale"):
        made.ecb(exposure={0.5: 1.0})


@pytest.mark.parametrize("outside", [np.array([97, 98]), [np.int64(97), 98.0]], ids=repr)
def test_labels_as_numpy_has_them(outside):
    start, end = [1, 1, 2, 2] * 20, [1, 97, 2, 98] * 20
    joint = cap.count_joint(
        [0, 1, 0, 0] * 20, {"a": start, "b": end}, levels={"a": [2, 1], "b": [2, 1, 97, 98]}
    )
    made = cap.validate(joint.margin("a"), joint=joint, end="b", outside=outside)
    found = lines(made.ecb(statuses={97: "default", 98: "terminated"}))
    assert found["2.5.5.2", "share", "1", "default"]["value"] == 0.5
    assert cap.migration_table(joint, "a", "b", outside=outside).without_end[98].sum() == 20


@pytest.mark.parametrize("outside", [97, None, {"default": "default"}, b"x"], ids=repr)
def test_labels_outside_are_a_list(outside):
    with pytest.raises(TypeError, match="outside must list labels"):
        cap.validate(counts(), joint=jointly(), end="end", outside=outside)


# LGDs


def test_a_portfolio_from_a_generator():
    begin = numbers("lgd_begin")["estimated"].tolist()
    found, expected = lines(lgd(begin=iter(begin))), lines(lgd(begin=begin))
    for key, row in expected.items():
        assert found[key]["value"] == pytest.approx(row["value"], nan_ok=True), key


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([], "end has no facilities"),
        ([0.1, math.nan], "end has 1 row without an estimate"),
        ([10.0, 50.0], "most estimates of end are above 150%"),
    ],
)
def test_what_is_no_portfolio(wrong, said):
    with pytest.raises(ValueError, match=said):
        cap.ecb_lgd([0.1, 0.4, 0.2], [0.1, 0.5, 0.5], end=wrong)


def test_percentages_are_refused_of_grades_too():
    with pytest.raises(ValueError, match=r"divide percentages by 100$"):
        cap.ecb_lgd([10.0, 40.0], [20.0, 50.0])


def test_counts_have_their_estimates():
    counts = cap.count_classes([0.1, 0.4], [0.1, 0.5])
    with pytest.raises(ValueError, match="estimated is about rows"):
        cap.ecb_lgd(counts, [0.1, 0.5])


def test_the_initial_sample_is_in_the_classes_of_the_instructions():
    data = numbers("lgd_initial")
    other = cap.count_classes(data["realised"], data["estimated"], classes=[0.5])
    key = ("2.6.3.1", "gauc_initial", "", "")
    assert lines(lgd(initial=other))[key] == lines(lgd())[key]
    assert cap.generalised_auc(other).estimate != lines(lgd())[key]["value"]


def test_an_initial_sample_of_one_class_leaves_its_lines_empty():
    found = lines(lgd(initial=cap.count_classes([0.1, 0.2], [0.1, 0.1])))
    of = {item: row for (section, item, *_), row in found.items() if section == "2.6.3.1"}
    assert of["initial_n"]["value"] == 2
    assert of["gauc_current"]["value"] > 0.5
    for item in ("gauc_initial", "statistic", "p_value", "initial_variance"):
        assert math.isnan(of[item]["value"])
        assert "one class" in of[item]["text"]
        assert of[item]["missing"] == ""


def test_an_infinite_psi_says_why():
    found = cap.ecb_lgd([0.1, 0.4, 0.2], [0.1, 0.5, 0.5], begin=[0.1, 0.1], end=[0.1, 0.5])
    assert lines(found)["2.6.4.2", "psi", "", ""]["value"] == math.inf
    (said,) = [each.message for each in found.findings]
    half = (1.5 / 3 - 2.5 / 3) * math.log(1.5 / 2.5) + (1.5 / 3 - 0.5 / 3) * math.log(1.5 / 0.5)
    assert "because 0.5 has facilities at one end" in said
    assert f"it is {half:.3f}" in said


# The picture of migrations


def test_what_is_said_of_each_bar_adds_up():
    """A reader who cannot see the picture is told of all who left, too."""
    found = cap.migration_table(jointly(), "grade", "end", outside=["default", "other", "left"])
    (chart,) = found.presentation().charts
    for said in chart.description.split("; "):
        shares = [float(each) for each in re.findall(r"([\d.]+)% ", said)]
        assert len(shares) == 4
        assert sum(shares) == pytest.approx(100, abs=0.21)
    assert sum(bars.shares for bars in chart.bars) == pytest.approx(1.0)
