"""The PSI of every period against one sample, and of cases without a score as a bin."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from cli_calls import call, done, refused

MONTHS = [f"2024-{month:02d}" for month in range(1, 7)]


def loans():
    """Return rows of six months, in which the score drifts and is missing more and more often."""
    rng = np.random.default_rng(5)
    month = rng.integers(0, 6, 3000)
    score = (rng.normal(size=3000) + 0.15 * month).round(2)
    frame = pd.DataFrame({"score": score, "month": [MONTHS[place] for place in month]})
    frame["y"] = (rng.random(3000) < 0.2).astype(int)
    frame["w"] = rng.integers(1, 4, 3000)
    frame["id"] = rng.integers(0, 90, 3000)
    frame["grade"] = np.select([score > 1, score > 0, score > -1], ["D", "C", "B"], "A")
    frame["day"] = frame.month + np.where(rng.random(3000) < 0.5, "-03", "-28")
    frame["gaps"] = frame.score.mask(rng.random(3000) < 0.02 + 0.02 * month)
    return frame


LOANS = loans()


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LOANS.to_csv("loans.csv", index=False)
    LOANS[LOANS.month <= "2024-02"].to_csv("before.csv", index=False)


def by_hand(before, after, cuts, *, missing=False):
    """Return the PSI of two columns of scores by a loop over bins, each from a cut upwards."""
    ends = [np.inf, *cuts, -np.inf]

    def shares(scores):
        held = [((scores < ends[k]) & (scores >= ends[k + 1])).sum() for k in range(len(ends) - 1)]
        held += [scores.isna().sum()] if missing else []
        return np.array(held) / sum(held)

    b, a = shares(before), shares(after)
    return float(((a - b) * np.log(a / b)).sum())


def months_of(column, frame=LOANS):
    return {month: rows[column] for month, rows in frame.groupby("month")}


# The numbers


def test_each_period_is_what_a_loop_over_groups_gives():
    found = cap.population_stability("score", data=LOANS, by="month")
    groups = months_of("score")
    assert found.reference == "2024-01"
    assert found.table["period"].tolist() == MONTHS[1:]
    assert found.table["n"].tolist() == [len(groups[month]) for month in MONTHS[1:]]
    assert len(found.cuts) == 9
    expected = [by_hand(groups["2024-01"], groups[month], found.cuts) for month in MONTHS[1:]]
    assert found.table["psi"] == pytest.approx(expected, rel=1e-12)
    assert found.largest == "2024-06" == MONTHS[1:][int(np.argmax(expected))]


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_a_pair_alone_on_the_same_bins_gives_the_same(higher_is):
    words = {"data": LOANS, "higher_is": higher_is}
    found = cap.population_stability("score", by="month", reference="2024-03", **words)
    parts = cap.count_case_segments("score", by="month", **words)
    assert list(found.periods) == [month for month in MONTHS if month != "2024-03"]
    for row in found.table.rows():
        pair = cap.population_stability(parts["2024-03"], parts[row["period"]], bins=found.cuts)
        for name in ("psi", "psi_half", "low", "high", "p_value", "expected_if_unchanged"):
            assert row[name] == pytest.approx(getattr(pair, name), rel=1e-12), name
        assert found.periods[row["period"]].table["after"].tolist() == pair.table["after"].tolist()


@pytest.mark.parametrize("kind", ["float32", "int64"])
def test_bins_of_narrow_and_whole_scores_are_typed_back(kind):
    rows = LOANS.assign(score=(LOANS.score * 3).round(0 if kind == "int64" else 1).astype(kind))
    found = cap.population_stability("score", data=rows, by="month")
    parts = cap.count_case_segments("score", data=rows, by="month")
    cuts = json.loads(json.dumps(found.to_dict()))["cuts"]
    for month, pair in found.periods.items():
        alone = cap.population_stability(parts["2024-01"], parts[month], bins=cuts)
        assert alone.psi == pytest.approx(pair.psi, rel=1e-12)
        assert alone.df == pair.df


def test_two_periods_are_two_samples():
    parts = cap.count_case_segments("score", data=LOANS, by="month")
    two = {month: parts[month] for month in MONTHS[:2]}
    pair = cap.population_stability(*two.values(), labels=tuple(two))
    assert cap.population_stability(two).periods["2024-02"].to_dict() == pair.to_dict()


def test_p_values_are_adjusted_for_the_number_of_periods():
    found = cap.population_stability("score", data=LOANS, by="month")
    plain = found.table["p_value"]
    least, adjusted = 0.0, {}
    for rank, place in enumerate(np.argsort(plain, kind="stable").tolist()):  # Holm's steps
        least = max(least, min(1.0, (len(plain) - rank) * plain[place]))
        adjusted[place] = least
    assert found.table["p_adjusted"] == pytest.approx([adjusted[k] for k in range(len(plain))])
    moved = [
        month for month, p in zip(MONTHS[1:], found.table["p_adjusted"], strict=True) if p < 0.05
    ]
    assert list(found.moved) == moved
    assert 0 < len(moved) < 5


def test_grades_are_all_bins_also_one_that_a_later_month_has_alone():
    grades = ["C", "B", "A"]
    parts = {
        when: cap.CaseCounts.from_counts(held, cases, levels=grades)
        for when, held, cases in (
            ("2024-01", ["B", "A"], [40, 60]),
            ("2024-02", ["B", "A"], [60, 40]),
            ("2024-03", grades, [5, 35, 60]),
        )
    }
    found = cap.population_stability(parts)
    # (0.6 - 0.4)·ln(0.6/0.4) twice.
    assert found.table["psi"].tolist() == [pytest.approx(0.4 * np.log(1.5)), np.inf]
    assert found.periods["2024-02"].bins == ("C", "B", "A")
    assert (found.largest, found.cuts) == ("2024-03", ("C", "B"))
    # 5.5/101.5 for 0.5/101.5 ..., of 1.5 cases more on each side.
    b, a = np.array([0.5, 40.5, 60.5]) / 101.5, np.array([5.5, 35.5, 60.5]) / 101.5
    half = float(((a - b) * np.log(a / b)).sum())
    assert found.table["psi_half"][1] == pytest.approx(half)
    assert found.table["size"].tolist() == ["moderate", "moderate"]  # half is 0.120
    assert 0.10 < half < 0.25
    first = found.presentation().sentences[0]
    assert first.startswith(
        "The portfolio's largest PSI against 2024-01 (in 2024-03) is infinite, because C has cases "
        f"in one sample only. With half a case added to every count it is {half:.3f} ["
    )
    assert found.plot().get_legend_handles_labels()[1][-1] == "Infinite; with half a case added"


def test_a_score_that_many_cases_share_later_has_a_bin_of_its_own():
    spread = pd.DataFrame({"s": np.arange(100.0), "m": "2024-01"})
    lump = pd.DataFrame({"s": [*np.arange(80.0), *[33.0] * 60], "m": "2024-02"})
    third = pd.DataFrame({"s": np.arange(100.0), "m": "2024-03"})
    found = cap.population_stability("s", data=pd.concat([spread, lump, third]), by="m")
    assert "33" in found.periods["2024-03"].bins
    counts = dict(
        zip(
            found.periods["2024-02"].bins,
            found.periods["2024-02"].table["after"].tolist(),
            strict=True,
        )
    )
    assert counts["33"] == 61
    assert found.table["psi"][1] == 0


def test_another_sample_segments_without_an_order_and_positives():
    before = LOANS[LOANS.month <= "2024-02"]
    found = cap.population_stability(
        before.score, LOANS.score, by=LOANS.month, labels=("old", "new")
    )
    groups = months_of("score")
    expected = [by_hand(before.score, groups[month], found.cuts) for month in MONTHS]
    assert found.table["psi"] == pytest.approx(expected)
    assert found.reference == "old"

    segments = cap.count_segments("y", "score", data=LOANS, by="grade")
    found = cap.population_stability(segments, reference="C", of="positives", bins=[1.5, 0.5, -0.5])
    assert next(iter(found.table.columns)) == "segment"
    assert found.table["segment"].tolist() == ["A", "B", "D"]
    assert found.table["n"].tolist() == [int(segments[grade].n1) for grade in "ABD"]
    assert found.presentation().title == "PSI of the positives by segment, against C"


def test_periods_of_dates_and_rows_without_one():
    rows = LOANS.assign(day=LOANS.day.mask(np.arange(3000) % 500 == 0))
    found = cap.population_stability("score", data=rows, by="day", period="quarter")
    assert (found.reference, list(found.periods)) == ("2024-Q1", ["2024-Q2"])
    assert found.notes[0] == "left out for lack of a period: 6 cases"
    assert found.periods["2024-Q2"].n_after == int((rows.day >= "2024-04").sum())


def test_a_period_without_positives_is_left_out_aloud():
    parts = dict(cap.count_segments("y", "score", data=LOANS, by="month"))
    parts["2024-04"] = cap.ScoreCounts.from_counts([1.0, 0.0], [0, 0], [4, 5])
    found = cap.population_stability(parts, of="positives", bins=4)
    assert "2024-04" not in found.periods
    assert found.notes[0] == "without positives, and left out: 2024-04"


def test_weights_and_clusters():
    weighted = {"weight": "w", "by": "month", "data": LOANS}
    twice = LOANS.loc[LOANS.index.repeat(LOANS.w)]
    counted = cap.population_stability("score", weight_kind="frequency", **weighted)
    assert counted.to_dict() == cap.population_stability("score", data=twice, by="month").to_dict()
    sampled = cap.population_stability("score", weight_kind="sampling", **weighted)
    assert sampled.table["psi"] == pytest.approx(counted.table["psi"])
    assert np.isnan(sampled.table["p_adjusted"]).all()
    assert (sampled.moved, len(sampled.presentation().sentences)) == ((), 1)
    clustered = cap.population_stability("score", cluster="id", by="month", data=LOANS)
    assert clustered.notes[0].startswith("the rows are clustered")


# Cases without a score


def doors(**words):
    """Return the same columns from every kind of data."""
    LOANS.to_parquet("loans.parquet")
    table = duckdb.sql("SELECT * FROM 'loans.parquet'")
    for data in (LOANS, pl.from_pandas(LOANS), pl.from_pandas(LOANS).lazy(), table, "loans.csv"):
        yield cap.population_stability("gaps", data=data, by="month", missing="bin", **words)


def test_missing_scores_are_the_last_bin_whatever_holds_the_rows():
    found, *others = doors()
    groups = months_of("gaps")
    expected = [
        by_hand(groups["2024-01"], groups[month], found.cuts, missing=True) for month in MONTHS[1:]
    ]
    assert found.table["psi"] == pytest.approx(expected, rel=1e-12)
    last = found.periods["2024-06"]
    assert last.bins[-1] == "(missing)"
    assert last.table["after"][-1] == int(groups["2024-06"].isna().sum())
    assert last.df == len(last.bins) - 1 == 10
    assert [other.to_dict() for other in others] == [found.to_dict()] * len(others)
    assert "cases without a score are a bin of their own, (missing)" in found.notes
    columns = cap.population_stability(LOANS.gaps, by=LOANS.month, missing="bin")
    assert columns.to_dict() == found.to_dict()


@pytest.mark.parametrize("kind", ["frequency", "sampling"])
def test_missing_scores_keep_their_weights(kind):
    found, *others = doors(weight="w", weight_kind=kind)
    assert {json.dumps(each.to_dict()) for each in others} == {json.dumps(found.to_dict())}
    lost = LOANS[LOANS.gaps.isna()].groupby("month").w.sum()
    for month, pair in found.periods.items():
        assert pair.table["before"][-1] == lost["2024-01"]
        assert pair.table["after"][-1] == lost[month]


def test_fractional_weights_of_missing_scores_add_up_alike():
    rows = LOANS.assign(w=np.where(LOANS.id % 2, 0.1, 0.7))
    words = {"by": "month", "missing": "bin", "weight": "w", "weight_kind": "sampling"}
    rows.to_parquet("fractions.parquet")
    table = duckdb.sql("SELECT * FROM 'fractions.parquet'")
    one, other = (cap.population_stability("gaps", data=data, **words) for data in (rows, table))
    assert one.to_dict() == other.to_dict()


def test_a_month_without_any_score_and_samples_with_none_missing():
    rows = LOANS.assign(gaps=LOANS.gaps.mask(LOANS.month == "2024-05"))
    found = cap.population_stability("gaps", data=rows, by="month", missing="bin")
    assert found.largest == "2024-05"
    assert found.periods["2024-05"].table["share_after"].tolist() == [0.0] * 10 + [1.0]
    pair = cap.population_stability(LOANS.score, LOANS.score, missing="bin", bins=2)
    assert pair.table["before"].tolist()[-1] == 0
    assert (pair.psi, pair.df) == (0, 1)
    first = rows.assign(gaps=LOANS.gaps.mask(LOANS.month == "2024-01"))
    with pytest.raises(
        ValueError, match="no case of 2024-01 has a score, so that there are no bins"
    ):
        cap.population_stability("gaps", data=first, by="month", missing="bin")


def test_counts_of_cases_keep_how_many_have_no_score():
    counts = cap.count_cases("gaps", data=LOANS, missing="bin")
    saved = cap.CaseCounts.from_dict(json.loads(json.dumps(counts.to_dict())))
    assert saved.held.dropped.unscored == int(LOANS.gaps.isna().sum())
    found = cap.population_stability(saved, "gaps", data=LOANS, by="month", missing="bin")
    assert found.periods["2024-01"].table["before"][-1] == int(LOANS.gaps.isna().sum())
    parts = cap.count_case_segments("gaps", data=LOANS, by="month", missing="bin")
    merged = cap.CaseCounts.merge(parts.values())
    assert merged.held.dropped.unscored == counts.held.dropped.unscored
    assert (merged.held - parts["2024-01"].held).dropped.unscored == int(
        LOANS.gaps[LOANS.month > "2024-01"].isna().sum()
    )


# What is refused, in one line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"by": "grade"}, "do not sort in time: .* or name what to compare with: reference="),
        ({"by": "month", "reference": "2023"}, "reference='2023' is not among the periods"),
        ({"by": "month", "of": "positives"}, "cases without outcome, and so no positives"),
        ({"by": "month", "labels": ("a", "b")}, "labels= names two samples"),
        ({"period": "month"}, "period= goes with by="),
        ({}, "compares two samples, or counts by period, got CaseCounts"),
        ({"by": "month", "missing": "other"}, 'missing must be "raise", "drop" or "bin"'),
        ({"after": "score", "reference": "2024-01"}, "leave one of the two out"),
        ({"after": "score", "by": "month", "reference": "2024-01"}, "leave one of the two out"),
    ],
)
def test_what_has_no_answer_says_why(words, said):
    after = words.pop("after", None)
    with pytest.raises((ValueError, TypeError), match=said):
        cap.population_stability("score", after, data=LOANS, **words)


def test_counts_are_not_split_again_and_need_two_periods():
    counts = cap.count_cases("score", data=LOANS)
    with pytest.raises(TypeError, match="by= splits the last sample, which is counted already"):
        cap.population_stability("score", counts, data=LOANS, by="month")
    with pytest.raises(ValueError, match="there are no periods; count them with"):
        cap.population_stability({})
    with pytest.raises(ValueError, match="two of the segments north, 1 are written alike"):
        cap.population_stability({"north": counts, 1: counts, "1": counts}, reference="north")
    with pytest.raises(ValueError, match="the only one is 2024-01"):
        cap.population_stability({"2024-01": counts})
    with pytest.raises(ValueError, match=r"before does not say how many cases have no score"):
        cap.population_stability(counts, "gaps", data=LOANS, by="month", missing="bin")


@pytest.mark.parametrize(
    "call_of",
    [
        lambda words: cap.accuracy_ratio("y", "gaps", **words),
        lambda words: cap.count_segments("y", "gaps", by="month", **words),
        lambda words: cap.evaluate("y", "gaps", **words),
        lambda words: cap.grade_concentration("gaps", **words),
        lambda words: cap.count_joint_cases(["gaps", "score"], **words),
        lambda words: cap.count_classes("y", "gaps", **words),
    ],
)
def test_no_other_function_makes_missing_scores_a_bin(call_of):
    with pytest.raises(ValueError, match=r'missing="bin".* is for population_stability'):
        call_of({"data": LOANS, "missing": "bin"})


# At the command line


def in_json(*words):
    return json.loads(done("stability", *words, "--format", "json").stdout)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("-s", "score", "--by", "month"), {"by": "month"}),
        (
            ("-s", "score", "--by", "day", "--by-period", "quarter", "--from", "2024-Q2"),
            {"by": "day", "period": "quarter", "reference": "2024-Q2"},
        ),
        (
            ("-s", "score", "--by", "month", "--bins", "4", "--level", "0.9", "--cluster", "id"),
            {"by": "month", "bins": 4, "level": 0.9, "cluster": "id"},
        ),
        (
            ("-s", "score", "--by", "month", "--resolution", "0.5", "--bins", "score"),
            {"by": "month", "resolution": 0.5, "bins": "score"},
        ),
    ],
)
def test_the_command_gives_the_numbers_of_the_library(words, asked):
    expected = cap.population_stability("score", data="loans.csv", **asked)
    assert in_json("loans.csv", *words) == expected.to_dict()
    rows = Path("loans.csv").read_bytes()
    found = call("stability", "-", *words, "--format", "json", data=rows)
    assert json.loads(found.stdout)["periods"] == expected.to_dict()["periods"]


@pytest.mark.merge
def test_grades_weights_cuts_and_missing_scores():
    grades = ("loans.csv", "-s", "grade", "--levels", "D,C,B,A", "--by", "month", "--weight", "w")
    words = {"data": "loans.csv", "by": "month"}
    expected = cap.population_stability("grade", levels=list("DCBA"), weight="w", **words)
    assert in_json(*grades) == expected.to_dict()
    cut = in_json("loans.csv", "-s", "score", "--cuts", "0,1", "--by", "month")
    groups = months_of("score")
    loop = [by_hand(groups["2024-01"], groups[month], (1, 0)) for month in MONTHS[1:]]
    assert [row["psi"] for row in cut["table"]] == pytest.approx(loop)
    gaps = in_json("loans.csv", "-s", "gaps", "--by", "month", "--missing", "bin")
    assert gaps == cap.population_stability("gaps", missing="bin", **words).to_dict()
    two = done("stability", "before.csv", "loans.csv", "-s", "gaps", "--missing", "bin")
    assert "(missing)" in two.stdout
    assert "left out" not in two.stderr
    dropped = done("stability", "loans.csv", "-s", "gaps", "--by", "month", "--missing", "drop")
    assert f"{int(LOANS.gaps.isna().sum())} rows without a value were left out" in dropped.stderr


@pytest.mark.merge
def test_positives_and_tables_of_counts_by_period():
    asked = ("-s", "score", "--by", "month", "--bins", "4")
    found = in_json("loans.csv", "-t", "y", *asked, "--of", "positives")
    parts = cap.count_segments("y", "score", data=LOANS, by="month")
    assert found == cap.population_stability(parts, of="positives", bins=4).to_dict()
    whole = in_json("loans.csv", *asked)
    done("counts", "loans.csv", "-t", "y", "-s", "score", "--by", "month", "-o", "saved.csv")
    assert in_json("saved.csv", "--counts", "--by", "segment", "--bins", "4") == whole
    LOANS.groupby(["month", "score"]).size().rename("n").reset_index().to_csv("n.csv", index=False)
    assert in_json("n.csv", "--counts", "--by", "month", "--bins", "4") == whole
    against = in_json("saved.csv", "loans.csv", *asked)
    assert against["reference"] == "saved"
    assert against["periods"]["2024-01"]["n_before"] == len(LOANS)


def test_many_months_are_periods_and_people_are_not():
    years = [f"{2010 + k // 12}-{k % 12 + 1:02d}" for k in range(120)]
    rows = pd.DataFrame({"s": np.tile([1, 2, 3], 120), "m": np.repeat(years, 3), "id": range(360)})
    rows.to_csv("many.csv", index=False)
    assert len(in_json("many.csv", "-s", "s", "--by", "m")["table"]) == 119
    assert "id has 360 values" in refused("stability", "many.csv", "-s", "s", "--by", "id")
    days = ("stability", "many.csv", "-s", "s", "--by", "day")
    rows.assign(day=pd.date_range("2024-01-01", periods=360).astype(str)).to_csv("many.csv")
    assert "which are days; for their months pass --by-period month" in refused(*days)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("loans.csv", "-s", "score"), "for the periods of one file name their column with --by"),
        (("loans.csv", "-s", "score", "--from", "2024-01"), "--from goes with --by"),
        (("loans.csv", "-s", "score", "--by", "grade"), "or name what to compare with: BEFORE or"),
        (("loans.csv", "-s", "score", "--by", "score"), "is the target or the score"),
        (
            ("loans.csv", "-s", "score", "--by", "month", "--from", "2023"),
            "--from 2023 is not in 'month'",
        ),
        (
            ("before.csv", "loans.csv", "-s", "score", "--by", "month", "--from", "2024-01"),
            "--from names the period to compare with, and BEFORE is another sample",
        ),
        (
            (
                "loans.csv",
                "-s",
                "gaps",
                "-t",
                "y",
                "--of",
                "positives",
                "--missing",
                "bin",
                "--by",
                "w",
            ),
            "--missing bin is of all cases",
        ),
        (("loans.csv", "--counts", "--missing", "bin"), "--missing is for rows"),
        (("loans.csv", "-s", "gaps", "--by", "month"), "gaps is missing in"),
    ],
)
def test_the_command_refuses_in_one_line(words, said):
    assert said in refused("stability", *words)


@pytest.mark.turns(4)
@pytest.mark.parametrize("form", ["html", "png", "svg", "xlsx", "md", "csv", "tex", "pdf", "txt"])
def test_every_format_is_written(form, tmp_path):
    done("stability", "loans.csv", "-s", "score", "--by", "month", "-o", f"psi.{form}")
    written = (tmp_path / f"psi.{form}").read_bytes()
    if form in ("html", "md", "txt"):
        assert b"PSI by period, against 2024-01" in written
    if form == "csv":
        read = pd.read_csv("psi.csv")
        assert read.psi.to_numpy() == pytest.approx(
            cap.population_stability("score", data=LOANS, by="month").table["psi"]
        )
        assert read.p_adjusted.between(0, 1).all()


def test_the_picture_has_both_customary_limits_and_the_cases():
    chart = cap.population_stability("score", data=LOANS, by="month").presentation().charts[0]
    heights = {line.label: set(np.asarray(line.y)) for line in chart.lines if line.label}
    assert heights["0.10 by convention"] == {0.10}
    assert heights["0.25 by convention"] == {0.25}
    n = len(months_of("score")["2024-02"])
    assert chart.scores.names[0] == f"2024-02\n{n}"
    whiskers = [line for line in chart.lines if not line.label and len(line.x) == 2]
    assert len(whiskers) == 5
