"""Names of periods are read in time by every door: one notation for all, or a refusal."""

import datetime as dt
import itertools
import json
import re
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap
from capcurve.numbers.periods import by_time, in_time, readings
from cli_calls import call, done, refused

# Two months that sort before those of the year before, and a fall of the ranking from March on.
STARTS = [dt.date(2017 + month // 12, month % 12 + 1, 1) for month in range(9, 18)]
SIZE = 40
DAYS = [day for day in STARTS for _ in range(SIZE)]
RNG = np.random.default_rng(5)
Y = np.tile(np.arange(SIZE) % 4 == 0, len(STARTS)).astype(int)
RANKS = np.repeat([day < dt.date(2018, 3, 1) for day in STARTS], SIZE)
S = np.round(RNG.normal(size=len(Y)) + 2 * Y * RANKS, 1)
INITIAL = cap.count_scores(Y[RANKS], S[RANKS])
MONTH, QUARTER, WEEK, DAY = "%Y-%m", "{0:%Y}-Q{1}", "%G-W%V", "%Y-%m-%d"
# Each notation with that of ISO 8601 for the same periods.
NOTATIONS = {
    "Oct-2017": ("%b-%Y", MONTH),
    "October 2017": ("%B %Y", MONTH),
    "oct2017": ("%b%Y", MONTH),
    "2017 Oct": ("%Y %b", MONTH),
    "Oct-17": ("%b-%y", MONTH),
    "OCT17": ("%b%y", MONTH),
    "Oct '17": ("%b '%y", MONTH),
    "10/2017": ("%m/%Y", MONTH),
    "10.2017": ("%m. %Y".replace(" ", ""), MONTH),
    "201710": ("%Y%m", MONTH),
    "2017M10": ("%YM%m", MONTH),
    "01.10.2017": ("%d.%m.%Y", DAY),
    "01.10.2017 00:00": ("%d.%m.%Y 00:00", DAY),
    "28/10/2017": ("28/%m/%Y", "%Y-%m-28"),
    "10/28/2017": ("%m/28/%Y", "%Y-%m-28"),
    "10/28/17": ("%m/28/%y", "%Y-%m-28"),
    "20171001": ("%Y%m%d", DAY),
    "01OCT2017": ("%d%b%Y", DAY),
    "01-OCT-17": ("%d-%b-%y", DAY),
    "Oct 1, 2017": ("%b %d, %Y", DAY),
    "2017Q4": ("{0:%Y}Q{1}", QUARTER),
    "Q4 2017": ("Q{1} {0:%Y}", QUARTER),
    "4Q17": ("{1}Q{0:%y}", QUARTER),
    "W39 2017": ("W%V %G", WEEK),
    "2017W39": ("%GW%V", WEEK),
}


def named(form, days=DAYS):
    """Return days as a notation writes them."""
    if "{" in form:
        return [form.format(day, (day.month + 2) // 3) for day in days]
    return [day.strftime(form) for day in days]


def rows(form, kind=str):
    return pd.DataFrame({"y": Y, "s": S, "m": [kind(name) for name in named(form)]})


def parts(form, **options):
    return cap.count_segments(Y, S, by=named(form), **options)


def paired(notation):
    """Return counts by period of a notation, and of ISO's under the same names."""
    form, iso = NOTATIONS[notation]
    called = dict(zip(named(iso), named(form), strict=True))
    return parts(form), {called[name]: part for name, part in parts(iso).items()}


def same_chart(found, expected):
    assert found.alarm == expected.alarm
    assert found.run_start == expected.run_start
    assert found.limit == expected.limit
    assert found.table["cusum"].tolist() == expected.table["cusum"].tolist()
    assert found.table["accuracy_ratio"].tolist() == expected.table["accuracy_ratio"].tolist()


@pytest.mark.turns(3)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_has_the_segments_and_the_chart_of_iso_names(notation):
    found, expected = paired(notation)
    assert list(found.items()) == list(expected.items())
    charts = [cap.control_chart(each, INITIAL, limit=2.0) for each in (found, expected)]
    same_chart(*charts)
    assert charts[0].alarmed


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_notation_is_cut_to_longer_periods(notation):
    form, iso = NOTATIONS[notation]
    period = "week" if iso == WEEK else "quarter"
    expected = cap.count_segments(Y, S, by=DAYS, period=period)
    assert parts(form, period=period) == expected
    assert list(parts(form, period=period)) == sorted(expected)


@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("form", ["%Y%m", "%m%Y", "%Y%m%d", "28%m%Y"])
def test_whole_numbers_are_dates_where_their_digits_are(form, number):
    data = rows(form, lambda name: number(int(name)))
    found = cap.count_segments("y", "s", data=data, by="m")
    assert list(found.values()) == list(parts(MONTH).values())
    found = cap.count_segments("y", "s", data=data, by="m", period="quarter")
    assert found == parts(QUARTER)
    beside = data.assign(day=DAYS)
    found = cap.count_segments("y", "s", data=beside, by=["m", "day"], period="year")
    assert {type(key[0]) for key in found} == {number}


@pytest.mark.merge
def test_a_simulated_limit_does_not_depend_on_the_notation():
    found, expected = paired("Oct-2017")
    same_chart(*(cap.control_chart(each, INITIAL) for each in (found, expected)))


@pytest.mark.parametrize("form", ["%b-%Y", "%d.%m.%Y", "%m/%Y"])
def test_whatever_holds_the_rows(form, tmp_path):
    data = rows(form)
    data.loc[:4, "m"] = None  # which settle nothing
    data.to_csv(tmp_path / "rows.csv", index=False)
    data.to_parquet(tmp_path / "rows.parquet")
    data.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    held = [
        data,
        pl.from_pandas(data),
        pl.from_pandas(data).lazy(),
        duckdb.sql("FROM data"),
        data.assign(m=data.m.astype("category")),
        *(tmp_path / f"rows.{suffix}" for suffix in ("csv", "parquet", "jsonl")),
    ]
    names = [*named(form, STARTS), None]
    for each in held:
        found = cap.count_segments("y", "s", data=each, by="m")
        assert list(found) == names
        assert found[None].n == 5


def test_amounts_and_horizons_have_segments_in_time():
    names = named("%b-%Y", STARTS)
    by = named("%b-%Y")
    assert list(cap.count_value_segments(Y * 3.5, S, by=by)) == names
    times = RNG.integers(1, 30, len(Y))
    found = cap.count_time_segments(times, Y, S, by=by)
    expected = cap.count_time_segments(times, Y, S, by=named(MONTH))
    assert list(found.items()) == list(zip(names, expected.values(), strict=True))
    quarters = cap.count_time_segments(times, Y, S, by=by, period="quarter")
    assert list(quarters) == ["2017-Q4", "2018-Q1", "2018-Q2"]


def test_crossed_columns_are_each_in_time():
    region = np.where(np.arange(len(Y)) // 4 % 2, "south", "north")
    found = cap.count_segments(Y, S, by=[region, named("%b-%Y")])
    assert list(found) == [*itertools.product(["north", "south"], named("%b-%Y", STARTS))]
    with pytest.raises(ValueError, match=r"\('north', 'Oct-2017'\) is not read as a period"):
        cap.control_chart(found, INITIAL, limit=2)
    crossed = cap.count_segments(Y, S, by=[[day.year for day in DAYS], named("%b")])
    same_chart(
        cap.control_chart(dict(zip(parts(MONTH), crossed.values(), strict=True)), INITIAL, limit=2),
        cap.control_chart(parts(MONTH), INITIAL, limit=2),
    )


@pytest.mark.merge
def test_validations_and_pages_read_periods_in_time():
    found, expected = paired("Oct-2017")
    shuffled = dict(sorted(found.items()))
    now = cap.count_scores(Y, S)
    sheets = [
        cap.validate(now, initial=INITIAL, periods=each, chart=2.0) for each in (shuffled, expected)
    ]
    assert sheets[0].to_dict()["tests"] == sheets[1].to_dict()["tests"]
    pages = [
        cap.evaluate(Y, S, by=named(form)).monitored(INITIAL, limit=2) for form in ("%b-%Y", MONTH)
    ]
    assert [page.control_charts["score"].alarm for page in pages] == ["Mar-2018", "2018-03"]
    drawn = [page.to_html().count("<polyline") for page in pages]
    assert drawn[0] == drawn[1]
    with pytest.raises(
        ValueError, match="the periods in 'segment' do not sort in time: 'north' is not"
    ):
        cap.evaluate(Y, S, by=np.where(Y | RANKS, "north", "south")).monitored(INITIAL)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["03/04/2018", "04/03/2018"], "'03/04/2018' may be day/month/year or month/day/year"),
        (["03-04-2018", "04-04-2018"], "'03-04-2018' may be day/month/year or month/day/year"),
        (["Mar", "Apr"], "'Mar' has no year"),
        (["Q1", "Q2"], "'Q1' has no year"),
        (["2018-03", "Apr-2018"], "'2018-03' and 'Apr-2018' are not written alike"),
        (["13/04/2018", "04/13/2018"], "'13/04/2018' and '04/13/2018' are not written alike"),
        (["2018", "2018-04"], "'2018' and '2018-04' are not written alike"),
        (["2018-03", "2018-13"], "'2018-13' is not read as a period"),
        (["2018-02-28", "2018-02-30"], "'2018-02-30' is not read as a period"),
        (["30.02.2018", "01.03.2018"], "'30.02.2018' is not read as a period"),
        (["03/18", "04/18"], "'03/18' is not read as a period"),
        (["Mär 2018", "Apr 2018"], "'Mär 2018' is not read as a period"),
        (["18-Mar", "18-Apr"], "'18-Mar' may be year of two digits and month or day and month wi"),
        (["Mar 18", "Apr 18"], "'Mar 18' may be month and year of two digits or month and day wi"),
        (["01.02.18", "01.03.18"], "'01.02.18' may be year-month-day with two digits each or day"),
        (["Mar-2018", "March 2018"], "'Mar-2018' and 'March 2018' are one period"),
        ([2018.03, 2018.1], "2018.03 is not read as a period"),
        (["2024-01", 7], "7 is not read as a period"),
        ([False, True], "False is not read as a period"),
    ],
)
def test_what_is_not_certain_is_refused_where_time_decides(names, why):
    given = dict(zip(names, [INITIAL, INITIAL], strict=True))
    for call_it in (
        lambda: cap.control_chart(given, INITIAL, limit=2),
        lambda: cap.validate(INITIAL, initial=INITIAL, periods=given, chart=2),
    ):
        with pytest.raises(ValueError, match="the periods do not sort in time: ") as told:
            call_it()
        assert why in str(told.value)
        assert str(told.value).endswith("; write them like 2024-03, 2024-Q1 or 2024-03-31")


def test_one_name_needs_no_order_and_plain_numbers_have_theirs():
    for names in (["pilot"], [3, 1, 2], ["3", "1"], [None, "pilot"]):
        assert list(by_time(dict.fromkeys(names, 0))) == sorted(
            names, key=lambda name: name is None
        )


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["03/04/2018", "02/05/2018", "31/01/2018"], ["31/01/2018", "03/04/2018", "02/05/2018"]),
        (["03/04/2018", "02/05/2018", "01/31/2018"], ["01/31/2018", "02/05/2018", "03/04/2018"]),
        (["Apr", "Aug", "Dec", "Feb"], ["Feb", "Apr", "Aug", "Dec"]),
        (["2018-10", "2018-9"], ["2018-9", "2018-10"]),
        (["2018-W10", "2018-W9"], ["2018-W9", "2018-W10"]),
        (["99-Dec", "18-Mar"], ["99-Dec", "18-Mar"]),
        (["2010/11", "2009/10", "2012/13"], ["2009/10", "2010/11", "2012/13"]),
        (["H2 2017", "1H18"], ["H2 2017", "1H18"]),
        (["2018-03-01 10:00", "2018-03-01 09:00"], ["2018-03-01 09:00", "2018-03-01 10:00"]),
    ],
)
def test_other_names_settle_what_one_leaves_open(names, expected):
    assert in_time(names) == expected
    assert list(cap.count_segments([1, 0] * len(names), [2] * 2 * len(names), by=names * 2)) == (
        expected
    )


@pytest.mark.parametrize(
    "names",
    [
        ["03/04/2018", "04/03/2018"],
        ["north", "south", "Mar-2018"],
        ["Apr-2018", "2018-03"],
        ["1", "10", "2"],
        ["april fools", "may"],
    ],
)
def test_other_text_keeps_its_order(names):
    assert in_time(names) is None
    found = cap.count_segments([1] * len(names), [2] * len(names), by=names)
    assert list(found) == sorted(names)


def test_many_days_in_text_are_told_as_days():
    days = [(dt.date(2018, 1, 1) + dt.timedelta(day)).strftime("%d/%m/%Y") for day in range(90)]
    with pytest.raises(
        ValueError, match=r'segment has 90 values, which are days; .*period="month"'
    ):
        cap.evaluate([0, 1] * 90, [1] * 180, by=days * 2)


@pytest.mark.parametrize(
    ("by", "period", "said"),
    [
        (["2018Q1", "2018Q2"], "month", "by holds '2018Q1', which does not lie within one month"),
        (["2018-W09", "2018-W10"], "month", "'2018-W09', which does not lie within one month"),
        (["Jan-2018", "Feb-2018"], "week", "'Jan-2018', which does not lie within one week"),
        (["2018/19", "2019/20"], "year", "'2018/19', which does not lie within one year"),
        (["03/04/2018", "04/03/2018"], "year", "which may be day/month/year or month/day/year"),
        (["Jan", "Feb"], "quarter", "by holds 'Jan', which has no year; leave out period="),
        (["Jan-2018", "2018-02"], "quarter", "'2018-02' and 'Jan-2018', which are not written al"),
        ([None, None], "quarter", "by holds no value; leave out period="),
    ],
)
def test_what_lies_in_no_one_period_is_refused(by, period, said):
    with pytest.raises(ValueError, match=r"^period= is for dates, or text such as") as told:
        cap.count_segments([1, 0], [1, 2], by=by, period=period)
    assert said in str(told.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("periods")
    rows(MONTH)[RANKS].to_csv(folder / "first.csv", index=False)
    done("counts", folder / "first.csv", *ASK, "-o", folder / "initial.csv")
    for name, form in {"iso": MONTH, **COMMAND_LINE}.items():
        rows(form).to_csv(folder / f"{name}.csv", index=False)
    region = np.where(np.arange(len(Y)) % 3, "north", "south")
    rows(MONTH).assign(m=region).to_csv(folder / "region.csv", index=False)
    rows("03/%m/2018").to_csv(folder / "open.csv", index=False)
    return folder


COMMAND_LINE = {"words": "%b-%Y", "dots": "%d.%m.%Y", "slash": "%m/%Y", "number": "%Y%m"}
ASK = ("-t", "y", "-s", "s")


@pytest.fixture(autouse=True)
def _in_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def alike(text, form):
    """Return text of a command with the names of ISO in place of a notation's."""
    for name, iso in zip(named(form, STARTS), named(MONTH, STARTS), strict=True):
        text = text.replace(name, iso)
    return text


def checked(name):
    found = call("check", f"{name}.csv", *ASK, "--baseline", "initial.csv", "--periods", "m")
    assert found.exit_code == 1
    return found.stdout


def summarized(name, *by):
    return done("summary", f"{name}.csv", *ASK, "--by", "m", *by, "-f", "csv").stdout


def in_quarters(name):
    return summarized(name, "--by-period", "quarter")


def change_between(name):
    words = (*ASK, "--period", "m", "--metric", "captured-response", "--at", "0.2", "-f", "json")
    found = json.loads(done("change", f"{name}.csv", *words).stdout)
    form = {**COMMAND_LINE, "iso": MONTH}[name]
    assert found.pop("labels") == [named(form, STARTS)[place] for place in (0, -1)]
    return json.dumps(found)


def validated(name):
    words = (*ASK, "--initial", "initial.csv", "--period", "m", "-f", "json")
    return json.dumps(json.loads(call("validate", f"{name}.csv", *words).stdout)["tests"])


def alarms(name):
    asked = ("--by", "m", "--initial", "initial.csv", "-o", "page.html")
    assert call("report", f"{name}.csv", *ASK, *asked).exit_code == 1  # for an alarm
    words = re.sub("<[^>]*>", "", Path("page.html").read_text("utf-8"))
    return re.search("ALARM (?:in|since) .*? initially", words)[0]


READING = (
    *(checked, summarized, in_quarters),
    *(change_between, validated, alarms),
)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize("turn", range(len(READING)))
def test_every_command_reads_periods_in_time(turn, whole):
    said, names = READING[turn], [*COMMAND_LINE]
    expected = said("iso")
    for name in names if whole else [names[turn % len(names)]]:
        assert alike(said(name), COMMAND_LINE[name]) == expected


@pytest.mark.turns(2)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_counts_saved_by_period_are_charted_in_time(suffix, tmp_path):
    said = []
    for name in ("words", "iso"):
        saved = tmp_path / f"{name}.{suffix}"
        done("counts", f"{name}.csv", *ASK, "--by", "m", "-o", saved)
        words = ("check", saved, "--counts", "--baseline", "initial.csv", "--periods", "segment")
        said.append(alike(call(*words).stdout, COMMAND_LINE["words"]))
    assert said[0] == said[1]
    assert re.search("ALARM (in|since) 2018-0", said[0])


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("check", *ASK, "--baseline", "initial.csv", "--periods", "m"), ""),
        (("report", *ASK, "--initial", "initial.csv", "--by", "m", "-o", "x.html"), ""),
        (("validate", *ASK, "--initial", "initial.csv", "--period", "m"), ""),
        (
            ("change", *ASK, "--metric", "lift", "--at", "0.2", "--period", "m"),
            ", or name them with --from and --to",
        ),
    ],
)
def test_commands_refuse_what_is_not_certain_in_one_line(words, told):
    ending = f"; write them like 2024-03, 2024-Q1 or 2024-03-31{told}"
    command, *options = words
    assert refused(command, "region.csv", *options) == (
        f"the periods in 'm' do not sort in time: 'north' is not read as a period{ending}"
    )
    assert refused(command, "open.csv", *options) == (
        "the periods in 'm' do not sort in time: '03/01/2018' may be day/month/year or "
        f"month/day/year{ending}"
    )


def test_every_reading_is_of_all_names():
    assert readings([]) == {}
    assert list(readings(["201803", "201712"])) == ["year-month"]
    assert list(readings([dt.date(2018, 3, 1), pd.Timestamp(2018, 3, 1, 8)])) == ["year-month-day"]
