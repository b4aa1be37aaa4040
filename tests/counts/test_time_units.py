"""What times are counted in: known from the option or the column, kept, and said with horizons."""

import json

import pandas as pd
import pytest

import capcurve as cap
from cli_calls import done

TIME = [3, 5, 8, 8, 9, 12]
ROWS = {"event": [1, 0, 1, 0, 0, 1], "score": [9, 5, 7, 2, 1, 3]}


def counted(name="time", **words):
    data = {name: TIME, "ended": ROWS["event"], "pd": ROWS["score"]}
    return cap.count_times(name, "ended", "pd", data=data, **words)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("days", "days"),
        ("days_to_default", "days"),
        ("time_months", "months"),
        ("Time (weeks)", "weeks"),
        ("YEAR", "years"),
        ("hour-of-failure", "hours"),
        ("quarters", "quarters"),
        ("time", None),
        ("holidays", None),
        ("monthly_time", None),
        ("days_of_the_year", None),
    ],
)
def test_a_unit_is_a_word_in_the_name_of_the_column_and_else_not_guessed(name, unit):
    assert counted(name).time_unit == unit
    assert cap.count_times(pd.Series(TIME, name=name), **ROWS).time_unit == unit


def test_the_unit_that_is_named_counts_more_than_the_name_of_the_column():
    assert counted("days", time_unit="trading days").time_unit == "trading days"
    assert cap.count_times(TIME, **ROWS).time_unit is None
    with pytest.raises(ValueError, match="time_unit= is empty; name a unit, such as days"):
        counted(time_unit=" ")
    scores = {"new": ROWS["score"], "old": ROWS["score"][::-1]}
    joint = cap.count_joint_times(TIME, ROWS["event"], scores, time_unit="weeks")
    assert joint.margin("old").time_unit == "weeks"
    months = cap.count_time_segments(TIME, **ROWS, by=list("aabbbb"), time_unit="weeks")
    assert {month.time_unit for month in months.values()} == {"weeks"}


def test_counts_of_different_units_do_not_add_and_one_unit_serves_counts_without():
    days, months, plain = counted("days"), counted("months"), counted()
    with pytest.raises(ValueError, match=r"time_unit=.days. and time_unit=.months. do not add"):
        days + months
    assert (days + plain).time_unit == (plain + days).time_unit == "days"
    assert (plain + plain).time_unit is None


def test_a_unit_changes_no_number():
    assert counted("days") == counted()
    assert counted("days").digest() == counted().digest()


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_saved_counts_keep_their_unit(tmp_path, suffix):
    path = tmp_path / f"times{suffix}"
    cap.write_counts(counted("days"), path)
    assert cap.read_counts(path).time_unit == "days"
    cap.write_counts(counted(), path)
    assert cap.read_counts(path).time_unit is None


def test_counts_that_were_saved_before_units_were_known_are_read():
    saved = counted().to_dict()
    del saved["time_unit"], saved["seal"]
    saved = cap.counts.digest.sealed(cap.counts.saved.bare(saved)) | saved
    assert cap.TimeCounts.from_dict(saved) == counted()


def write_rows(path, name):
    rows = {name: TIME, "status": ROWS["event"], "pd": ROWS["score"], "old": ROWS["score"][::-1]}
    pd.DataFrame(rows).to_csv(path, index=False)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows("rows.csv", "days")
    write_rows("plain.csv", "t")
    return ("--event", "status", "-s", "pd")


def test_a_csv_file_does_not_keep_the_unit_and_the_note_says_how_to_name_it(rows):
    result = done("counts", "rows.csv", "--time", "days", *rows, "-o", "times.csv")
    said = "times.csv does not say what times are counted in; read it with --time-unit days"
    assert said in " ".join(result.stderr.split())
    at = ("times.csv", "--counts", "--horizon", "8")
    assert done("summary", *at).stdout.startswith("How well the score ranks within 8\n")
    named = done("summary", *at, "--time-unit", "days").stdout
    assert named.startswith("How well the score ranks within 8 days\n")
    assert "Within 8 days, the top 10% of cases" in named


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_a_report_of_saved_counts_knows_their_unit(rows, suffix):
    done("counts", "rows.csv", "--time", "days", *rows, "-o", f"times{suffix}")
    shown = done("summary", f"times{suffix}", "--counts", "--horizon", "8").stdout
    assert shown.startswith("How well the score ranks within 8 days\n")


def test_the_query_for_a_database_says_the_unit_to_read_it_with(rows):
    asked = ("--dialect", "sqlite", "--table", "t", "--time", "days", *rows)
    result = done("sql", *asked)
    assert "cells.csv --counts --horizon TIME --time-unit days" in " ".join(result.stderr.split())


def test_titles_ascend_and_name_the_unit_or_else_the_column(rows):
    at = ("--horizon", "8", "--horizon", "3.5")
    shown = done("summary", "rows.csv", "--time", "days", *rows, *at).stdout
    assert shown.startswith("How well pd ranks status within 3.5 and 8 days\n")
    assert shown.index("pd within 3.5 days") < shown.index("pd within 8 days")
    shown = done("summary", "plain.csv", "--time", "t", *rows, *at).stdout
    assert shown.startswith("How well pd ranks status within 3.5 and 8 (t)\n")
    shown = done("gains", "plain.csv", "--time", "t", "--time-unit", "weeks", *rows, *at)
    assert "\npd within 3.5 weeks    1 " in shown.stdout
    found = cap.evaluate(time="days", event="status", score="pd", horizon=[8, 3.5], data="rows.csv")
    assert [*found.counts] == ["pd within 3.5 days", "pd within 8 days"]
    assert found.title == "How well pd ranks status within 3.5 and 8 days"


@pytest.mark.usefixtures("rows")
def test_one_score_at_two_horizons_is_not_said_to_be_uncompared_and_has_a_sentence_each():
    found = cap.evaluate(time="days", event="status", score="pd", horizon=[8, 3.5], data="rows.csv")
    assert found.not_compared == ()
    shown = found.presentation()
    ratios = [summary.accuracy_ratio for summary in found.summaries.values()]
    said = "The accuracy ratio of pd is {:.3f} within 3.5 days and {:.3f} within 8 days."
    assert shown.sentences[0].replace("\N{MINUS SIGN}", "-") == said.format(*ratios)
    assert shown.sentences[1].startswith("Of the rows, 0.0% are censored before 3.5 days and 16.7%")
    page = found.to_html()
    assert "Accuracy ratio by horizon" in page
    table = page.partition("nothing assumed")[2]
    assert "3.5 days" in table


@pytest.mark.usefixtures("rows")
def test_two_scores_at_one_horizon_have_no_chart_of_horizons_and_whole_estimates():
    scores = ["pd", "old"]
    found = cap.evaluate(time="days", event="status", score=scores, horizon=8, data="rows.csv")
    page = found.to_html()
    assert "incidence, share censored before" not in page
    expected = found.counts["pd"].n1
    assert expected % 1
    figures = [each for each in found.presentation().figures if each.metric == "n1"]
    assert {(each.short, each.text) for each in figures} == {
        ("estimated positives", f"{expected:.0f}")
    }
    assert json.loads(json.dumps(found.to_dict()))["scores"][0]["n1"] == expected
