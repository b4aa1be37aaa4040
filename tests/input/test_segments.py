"""Segments of dates by period, and of several columns crossed."""

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from cli_calls import call, done

N = 720
RNG = np.random.default_rng(11)
Y = (RNG.random(N) < 0.4).astype(int)
DAYS = pd.Series(pd.date_range("2023-12-25", periods=N // 2).repeat(2))
ROWS = pd.DataFrame(
    {
        "y": Y,
        "s": (Y + RNG.normal(size=N)).round(1),
        "old": RNG.normal(size=N).round(1),
        "region": np.where(np.arange(N) % 2, "south", "north"),
        "day": DAYS,
        "amount": Y * RNG.integers(1, 50, N),
    }
)
CALLED = {
    "day": DAYS.dt.strftime("%Y-%m-%d"),
    "week": DAYS.dt.strftime("%G-W%V"),
    "month": DAYS.dt.strftime("%Y-%m"),
    "quarter": DAYS.dt.year.astype(str) + "-Q" + DAYS.dt.quarter.astype(str),
    "year": DAYS.dt.strftime("%Y"),
}
# The same days as every library and file may hold them.
HELD = {
    "times": DAYS,
    "dates": DAYS.dt.date,
    "text": DAYS.dt.strftime("%Y-%m-%d"),
    "moments in text": DAYS.dt.strftime("%Y-%m-%dT08:00:00"),
    "Polars": pl.Series(DAYS.dt.date),
    "categories": DAYS.dt.strftime("%Y-%m-%d").astype("category"),
    "with a zone": DAYS.dt.tz_localize("America/New_York"),
}


@pytest.mark.parametrize("period", CALLED)
def test_segments_are_the_periods_of_dates(period):
    expected = cap.count_segments(Y, ROWS["s"], by=CALLED[period])
    assert cap.count_segments("y", "s", data=ROWS, by="day", period=period) == expected
    found = cap.count_segments("y", "s", data=ROWS, by="day", period=period)
    assert list(found) == sorted(set(CALLED[period]))


@pytest.mark.parametrize("held", HELD)
def test_however_dates_are_held_their_months_have_one_name(held):
    expected = cap.count_segments(Y, ROWS["s"].to_numpy(), by=CALLED["month"].to_numpy())
    by = HELD[held]
    by = by if held == "Polars" else by.to_numpy() if held == "dates" else by.reset_index(drop=True)
    score = pl.Series(ROWS["s"]) if held == "Polars" else ROWS["s"]
    assert cap.count_segments(Y, score, by=by, period="month") == expected


def segments_of(summary):
    """The lines of the table of segments that a summary prints."""
    return summary.stdout.partition("\nSegments\n")[2].splitlines()[1:]


@pytest.mark.merge
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_and_the_command_line_have_the_same_months(tmp_path, suffix):
    path = tmp_path / f"rows{suffix}"
    (ROWS.to_csv(path, index=False) if suffix == ".csv" else ROWS.to_parquet(path))
    expected = cap.count_segments("y", "s", data=ROWS, by="day", period="month")
    assert cap.count_segments("y", "s", data=path, by="day", period="month") == expected
    words = ("summary", path, "-t", "y", "-s", "s", "--by", "day", "--by-period", "month")
    assert [row.split()[0] for row in segments_of(done(*words))] == [*expected, "all"]
    found = cap.evaluate("y", "s", path, by="day", period="month")
    assert done(*words, "-f", "csv").stdout == found.save(tmp_path / "x.csv").read_text("utf-8")
    assert found.by == "month of day"


def test_rows_without_a_date_are_a_segment():
    by = [dt.date(2024, 1, 5), None, "2024-01-31", "2024-02-01"]
    found = cap.count_segments([1, 0, 1, 0], [1, 2, 3, 4], by=by[:2] * 2, period="month")
    assert {key: part.n for key, part in found.items()} == {"2024-01": 2, None: 2}


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (["A", "B"], "by holds 'A', which is not read as a period; leave out period="),
        (["13.13.2024", "14.05.2024"], "by holds '13.13.2024'"),
        (["2024-05-13", "2024-13-45"], "by holds '2024-13-45'"),
        ([1, 2], "by holds 1"),
    ],
)
def test_what_is_no_date_has_no_period(by, said):
    with pytest.raises(
        ValueError, match="period= is for dates, or text such as 2024-05-13"
    ) as told:
        cap.count_segments([1, 0], [1, 2], by=by, period="month")
    assert said in str(told.value)


def test_a_period_needs_segments_and_has_a_known_name():
    with pytest.raises(ValueError, match=r"^period= goes with by=; name the column of the dates$"):
        cap.evaluate("y", "s", ROWS, period="month")
    with pytest.raises(ValueError, match="period must be"):
        cap.evaluate("y", "s", ROWS, by="day", period="decade")
    with pytest.raises(TypeError, match='pass its name and period="month"'):
        cap.evaluate("y", "s", ROWS, by=DAYS.dt.to_period("M"))


def test_the_command_line_says_how_days_become_months(tmp_path):
    path = tmp_path / "rows.csv"
    ROWS.to_csv(path, index=False)
    words = ("summary", path, "-t", "y", "-s", "s")
    told = " ".join(call(*words, "--by", "day").stderr.split())
    assert "day has 360 values, which are days; for their months pass --by-period month" in told
    told = call(*words, "--by-period", "month").stderr
    assert "--by-period goes with --by; name the column of the dates" in told
    told = " ".join(call(*words, "--by", "region", "--by-period", "month").stderr.split())
    assert "--by-period is for dates" in told
    assert "leave out --by-period" in told


CROSSED = ("-t", "y", "-s", "s", "--by", "re,gion", "--by", "day", "--by-period", "quarter")


@pytest.mark.merge
def test_the_command_line_crosses_the_columns_of_repeated_by(tmp_path):
    path, saved = tmp_path / "rows.csv", tmp_path / "counts.csv"
    ROWS.rename(columns={"region": "re,gion"}).to_csv(path, index=False)
    found = cap.evaluate("y", "s", path, by=["re,gion", "day"], period="quarter")
    as_csv = done("summary", path, *CROSSED, "-f", "csv").stdout
    assert as_csv == found.save(tmp_path / "x.csv").read_text("utf-8")
    names = [", ".join(key) for key in found.segments["s"]]
    assert names[0] == "north, 2023-Q4"
    done("counts", path, *CROSSED, "-o", saved)
    again = segments_of(done("summary", saved, "--counts"))
    assert [row.partition("  ")[0] for row in again] == [*names, "all"]
    told = done("change", path, path, *CROSSED).stdout
    assert "mix by quarter of re,gion and day" in told
    assert all(f"\n{name} " in told for name in names)
    sheet = done("validate", path, *CROSSED, "-f", "json").stdout
    assert all(f'"segment {name}"' in sheet for name in names)
    assert "no column 're,gion,day'" in call("summary", path, *CROSSED[:5], "re,gion,day").stderr


def test_segments_that_read_alike_are_not_saved_as_one(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('y,s,a,b\n1,2,"x, y",z\n0,1,x,"y, z"\n')
    words = ("counts", path, "-t", "y", "-s", "s", "--by", "a", "--by", "b")
    assert "read alike" in call(*words, "-o", tmp_path / "c.csv").stderr
    told = call("summary", path, "--counts", "--by", "a", "--by", "b").stderr
    assert "--counts reads segments from one column, and --by names a, b" in " ".join(told.split())


def test_columns_are_crossed():
    found = cap.count_segments("y", "s", data=ROWS, by=["region", "day"], period="quarter")
    regions, quarters = ROWS["region"], CALLED["quarter"]
    expected = {
        (region, quarter): cap.count_scores(Y[rows], ROWS["s"].to_numpy()[rows])
        for region in ("north", "south")
        for quarter in sorted(set(quarters))
        if (rows := ((regions == region) & (quarters == quarter)).to_numpy()).any()
    }
    assert found == expected
    assert list(found) == list(expected)
    assert str(next(iter(found))) == "north, 2023-Q4"


@pytest.mark.parametrize(
    "by",
    [
        [ROWS["region"], DAYS.reset_index(drop=True)],
        [ROWS["region"].to_list(), DAYS.to_list()],
        {"region": ROWS["region"], "day": DAYS.reset_index(drop=True)},
        ROWS[["region", "day"]],
    ],
    ids=["series", "lists", "a mapping", "a frame"],
)
def test_columns_are_crossed_however_they_are_given(by):
    expected = cap.count_segments("y", "s", data=ROWS, by=["region", "day"], period="month")
    assert cap.count_segments(Y, ROWS["s"], by=by, period="month") == expected


def test_a_list_of_tuples_is_a_segment_for_each_row():
    pairs = list(zip(ROWS["region"], CALLED["month"], strict=True))
    expected = cap.count_segments("y", "s", data=ROWS, by=["region", "day"], period="month")
    assert cap.count_segments(Y, ROWS["s"], by=pairs) == expected


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="720 rows and b has 3; they must be of the same rows"):
        cap.count_segments(Y, ROWS["s"], by={"a": ROWS["region"].to_list(), "b": [1, 2, 3]})


@pytest.mark.merge
def test_a_frame_has_a_column_for_each_crossed_one(tmp_path):
    found = cap.evaluate("y", ["s", "old"], ROWS, by=["region", "day"], period="year")
    frame = found.to_frame()
    assert list(frame.columns[:4]) == ["score", "region", "day", "n"]
    wide = frame[frame["score"] == "s"].pivot(
        index="day", columns="region", values="accuracy_ratio"
    )
    rows = ((ROWS["region"] == "south") & (CALLED["year"] == "2024")).to_numpy()
    counts = cap.count_scores(Y[rows], ROWS["s"].to_numpy()[rows])
    assert wide.loc["2024", "south"] == cap.accuracy_ratio(counts)
    head = found.save(tmp_path / "x.csv").read_text("utf-8").splitlines()[0]
    assert head.split(",") == list(frame.columns)


@pytest.mark.merge
def test_a_pattern_of_scores_means_no_column_that_is_crossed():
    rows = ROWS.rename(columns={"region": "s region", "day": "s day"})
    found = cap.evaluate("y", "s*", rows, by=["s region", "s day"], period="year")
    assert list(found) == ["s"]


@pytest.mark.merge
def test_a_crossed_column_may_have_the_name_of_a_number():
    rows = ROWS.rename(columns={"region": "n", "day": "score"})
    found = cap.evaluate("y", "s", rows, by=["n", "score"], period="year").to_frame()
    assert list(found.columns[:4]) == ["score", "by n", "by score", "n"]
    assert found["score"].tolist() == ["s"] * 4


@pytest.mark.merge
def test_crossed_segments_are_shown_in_every_form(tmp_path):
    found = cap.evaluate("y", "s", ROWS, by=["region", "day"], period="year")
    assert found.to_dict()["segments"]["s"][0]["segment"] == ["north", "2023"]
    for shown in (str(found), found.to_html(), found.to_markdown(), found._repr_html_()):
        assert "north, 2024" in shown
    assert "by year of region and day" in repr(found)
    assert found.save(tmp_path / "x.xlsx").stat().st_size
    assert "<polyline" not in found.to_html().partition("By region")[2]


def test_amounts_have_periods_and_crossed_segments_too():
    found = cap.count_value_segments("amount", "s", data=ROWS, by=["region", "day"], period="year")
    rows = ((ROWS["region"] == "south") & (CALLED["year"] == "2024")).to_numpy()
    assert found["south", "2024"].amount == ROWS["amount"][rows].sum()
    shown = cap.evaluate(amount="amount", score="s", data=ROWS, by="day", period="year")
    assert list(shown.segments["s"]) == ["2023", "2024"]


@pytest.fixture
def folder(tmp_path):
    """Return files of rows, with and without the months of their dates, and an initial sample."""
    rows = ROWS.assign(month=CALLED["month"], open=ROWS["y"].where(ROWS.index % 9 > 0))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done("counts", tmp_path / "rows.csv", "-t", "y", "-s", "s", "-o", tmp_path / "initial.csv")
    return tmp_path


MONTHS = {"day": ("day", "--by-period", "month"), "month": ("month",)}


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "words",
    [
        ("change", "--by", "region", "--period"),
        ("change", "--metric", "lift", "--at", "0.2", "--to", "2024-05", "--period"),
        ("validate", "--initial", "initial.csv", "--by", "region", "--period"),
        ("check", "--baseline", "initial.csv", "--max-drop", "0.3", "--periods"),
    ],
)
def test_periods_of_dates_are_those_that_a_column_names(folder, words, monkeypatch):
    monkeypatch.chdir(folder)
    name, *more = words
    asked = (name, "rows.csv", "-t", "y", "-s", "s", *more)
    of_days, of_months = (
        done(*asked, *period, "-f", "json").stdout.replace(f'"{column}"', "PERIOD")
        for column, period in MONTHS.items()
    )
    assert of_days == of_months
    told = call(*asked, "region", "--by-period", "month").stderr
    assert "--by-period is for dates" in " ".join(told.split())


@pytest.mark.merge
def test_periods_of_rows_without_an_outcome_may_be_dates(folder, monkeypatch):
    monkeypatch.chdir(folder)
    asked = ("validate", "rows.csv", "-t", "open", "-s", "s", "--unknown", "--initial", "0.5")
    of_days, of_months = (
        done(*asked, "--period", *period, "-f", "json").stdout for period in MONTHS.values()
    )
    assert of_days == of_months
    assert "2024-05" in of_days


@pytest.mark.parametrize(("held", "kind"), [("map([i], [i])", "dict"), ("'ab'::BLOB", "bytearray")])
def test_segments_that_no_two_rows_share_are_refused_in_one_line(held, kind):
    rows = duckdb.sql(f"SELECT i % 2 AS y, i AS s, {held} AS x FROM range(8) t(i)")  # noqa: S608 - as above
    with pytest.raises(TypeError, match=f"^x holds a {kind}; segments are numbers, text or dates$"):
        cap.count_segments("y", "s", data=rows, by="x")
