"""Outcomes that take time at the command line: the library's numbers, or one line of refusal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

import capcurve as cap
from cli_calls import call, done, on_terminal, refused
from oracles.oracle_files import DATA, oracle

ROWS = oracle("horizon_followup.csv")
EXPECTED = json.loads((DATA / "horizon.json").read_text(encoding="utf-8"))
CASES = [case for case in EXPECTED["cases"] if case["file"] == "horizon_followup.csv"]
LABELS = {0: "open", 1: "default", 2: "repaid"}
TIMED = ("--time", "time", "--event", "status")
ASKED = ("rows.csv", *TIMED, "-s", "s1", "--horizon", "400")
LABELLED = ("labels.csv", *ASKED[1:], "--event-label", "default", "--censored-label", "open")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("rows.csv", ROWS)
    write("labels.csv", {**ROWS, "status": [LABELS[status] for status in ROWS["status"]]})


def write(name, columns):
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])


def changed(column, value):
    """Write the rows with another value in the fifth line."""
    values = list(ROWS[column])
    values[3] = value
    write("rows.csv", {**ROWS, column: values})


def summary(*words, **options):
    return json.loads(done("summary", *words, "-f", "json", **options).stdout)["scores"]


def evaluated(horizon=400, score="s1", **how):
    found = cap.evaluate(
        time="time", event="status", score=score, horizon=horizon, data=ROWS, **how
    )
    return json.loads(json.dumps(found.to_dict()))["scores"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['score']} {case['horizon']}")
def test_numbers_and_limits_are_those_of_the_reference(case):
    if case["competing_as_censored"]:
        write("rows.csv", {**ROWS, "status": [int(status == 1) for status in ROWS["status"]]})
    stratum = [] if case["stratum"] is None else ["--stratum", case["stratum"]]
    (found,) = summary(
        *("rows.csv", *TIMED, "-s", case["score"], "--horizon", case["horizon"], *stratum),
        *("--competing", case["competing"], "--higher-is", case["higher_is"]),
    )
    expected = case["expected"]
    assert found["name"] == case["score"]
    assert found["accuracy_ratio"] == pytest.approx(expected["accuracy_ratio"], rel=1e-12)
    limits = found["intervals"]["accuracy_ratio"]
    assert [limits["low"], limits["high"]] == pytest.approx(expected["accuracy_ratio_interval95"])


@pytest.mark.parametrize(
    "words",
    [
        ASKED,
        (*ASKED, "--event-label", "1", "--censored-label", "0.0"),
        (*ASKED, "--event-label", "1.0", "--censored-label", "0"),
        LABELLED,
        ("rows.parquet", *ASKED[1:]),
        ("labels.parquet", *LABELLED[1:]),
    ],
)
def test_numbers_and_labels_of_every_file_have_the_counts_of_the_library(words):
    for name in ("rows", "labels"):
        duckdb.sql(f"COPY (FROM '{name}.csv') TO '{name}.parquet'")
    assert summary(*words) == evaluated()


def test_standard_input_may_hold_labels_to_look_at():
    data = Path("labels.csv").read_text(encoding="utf-8")
    assert summary("-", *LABELLED[1:], data=data) == evaluated()


def test_several_horizons_stand_side_by_side_with_limits():
    words = (*ASKED, "--horizon", "200", "--stratum", "vintage", "--cluster", "vintage")
    expected = evaluated([400, 200], stratum="vintage", cluster="vintage")
    assert summary(*words) == expected
    rows = list(csv.DictReader(io.StringIO(done("summary", *words, "-f", "csv").stdout)))
    assert [row["score"] for row in rows] == ["s1 within 400", "s1 within 200"]
    assert float(rows[1]["accuracy_ratio_low"]) == expected[1]["intervals"]["accuracy_ratio"]["low"]


def test_only_several_scores_are_said_not_to_be_compared_by_several_horizons():
    apart = "numbers by several horizons are not compared"
    assert apart not in done("summary", *ASKED, "--horizon", "200").stderr
    assert apart not in done("summary", *ASKED, "--horizon", "1").stderr
    assert apart in done("summary", *ASKED, "-s", "s2", "--horizon", "200").stderr


def test_a_stated_prevalence_leaves_the_limits_of_what_does_not_depend_on_it():
    (stated,), (plain,) = summary(*ASKED, "--prevalence", "0.1"), summary(*ASKED)
    for name in ("accuracy_ratio", "roc_auc"):
        assert stated["intervals"][name] == plain["intervals"][name]
    assert not [name for name in stated["intervals"] if "captured" in name or "lift" in name]
    assert stated["captured"] != plain["captured"]


def test_one_of_something_and_equal_numbers_read_well():
    write("tied.csv", {"t": [5, 6, 7, 8], "e": [1, 0, 0, 1], "s": [1, 1, 1, 1]})
    words = ("tied.csv", "--time", "t", "--event", "e", "-s", "s", "--horizon", "6")
    shown = done("summary", *words, "--horizon", "7").stdout
    assert "Within 6 to 7 the accuracy ratio of s is 0.000; 0.0% of the rows are" in shown
    assert "on 4 cases with 1 positive." in shown
    assert "note: 1 bin instead of 10: " in done("gains", *words).stderr


def test_the_screen_says_the_horizon_the_censored_and_the_limits():
    shown = on_terminal("summary", *ASKED, "--horizon", "200", columns=120)[0].decode()
    assert "s1 within 400  300" in shown
    assert "0.639  [0.528, 0.739]" in shown
    assert "0.536  [0.416, 0.647]" in shown
    assert "12.0% of the rows are censored before 400" in shown
    assert "nothing assumed" in shown


def test_a_narrow_screen_keeps_the_share_censored_and_the_bounds():
    words = ("--horizon", "200", "--horizon", "600")
    shown = on_terminal("summary", *ASKED, *words, columns=80)[0].decode()
    assert "not shown for lack of width: events" in shown
    assert max(map(len, shown.splitlines())) <= 100  # with the marks of bold text
    (row,) = [line for line in shown.splitlines() if line.startswith("600 ")]
    assert "[0.392, 0.661]" in row
    assert "47 (15.7%)" in row


def test_a_report_has_all_horizons():
    done("report", *ASKED, "--horizon", "200", "-o", "out.json")
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert saved["scores"] == evaluated([400, 200])
    done("report", *ASKED, "-o", "out.html")
    page = Path("out.html").read_text(encoding="utf-8")
    assert "<h1>How well s1 ranks within 400</h1>" in page
    assert "AR if followed rows stand for the censored ones" in page


def test_scores_are_compared_by_one_horizon():
    words = (*ASKED, "-s", "s2", "--stratum", "vintage")
    found = json.loads(done("compare", *words, "-f", "json").stdout)
    joint = cap.count_joint_times("time", "status", ["s1", "s2"], data=ROWS, stratum="vintage")
    expected = json.loads(json.dumps(cap.compare(joint.at(400)).to_dict()))
    assert found["horizon"] == 400
    assert {name: found[name] for name in expected} == expected
    assert refused("compare", *words, "--horizon", "200") == (
        "this command is by one horizon; pass one --horizon"
    )


def test_tables_and_curves_are_those_of_the_library():
    times = cap.count_times("time", "status", "s1", data=ROWS)
    found = json.loads(done("gains", *ASKED, "--bins", "4", "-f", "json").stdout)
    expected = [row["captured"] for row in cap.gains_table(times.at(400), bins=4).rows()]
    assert [row["captured"] for row in found["parts"][0]["rows"]] == expected
    words = ("--horizon", "200", "--points", "3", "-f", "json")
    parts = json.loads(done("curve", *ASKED, *words).stdout)["parts"]
    assert [part["score"] for part in parts] == ["s1 within 400", "s1 within 200"]
    for part, horizon in zip(parts, (400, 200), strict=True):
        assert part["y"] == cap.cap_curve(times.at(horizon)).at([0, 1 / 3, 2 / 3, 1]).tolist()


def test_pages_say_the_horizon_in_their_titles():
    for command, more, title in (
        ("compare", ["-s", "s2"], "Comparison of s1, s2 within 400"),
        ("gains", ["--horizon", "200"], "Gains table within 400 and 200"),
        ("bounds", [], "Bounds of the accuracy ratio with unknown outcomes within 400"),
        ("summary", [], "How well s1 ranks within 400"),
    ):
        done(command, *ASKED, *more, "-o", "page.html")
        assert f"<title>{title}</title>" in Path("page.html").read_text(encoding="utf-8")
    done("counts", *COUNTED, "-o", "times.csv")
    done("summary", "times.csv", "--counts", "--horizon", "400", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>How well the score ranks within 400</title>" in page


def test_bounds_take_censored_rows_to_be_anything():
    found = json.loads(done("bounds", *ASKED, "-f", "json").stdout)
    partial = cap.count_times("time", "status", "s1", data=ROWS).known_at(400)
    assert found == json.loads(json.dumps(cap.unknown_bounds(partial).to_dict()))


def test_rows_without_a_value_stop_or_are_left_out():
    changed("time", "")
    assert refused("summary", *ASKED) == (
        "time is missing in 1 of 300 rows; pass --missing drop to leave such rows out"
    )
    assert (
        "1 row without a value was left out" in done("summary", *ASKED, "--missing", "drop").stderr
    )


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("time", "soon", "time holds text such as 'soon'; pass numbers"),
        (
            "time",
            -3,
            "time is negative in 1 of 300 rows, first in line 5 (-3); a time is zero or more",
        ),
        (
            "status",
            0.5,
            (
                "status holds 0.5; a status is 0 for censored, 1 for the event, 2 or more, up to "
                "255, for another one that keeps it from coming"
            ),
        ),
    ],
)
def test_a_bad_value_is_named_with_its_line(column, value, said):
    changed(column, value)
    assert refused("summary", *ASKED) == said


def test_rows_that_are_all_censored_cannot_be_ranked():
    write("rows.csv", {**ROWS, "status": [0] * len(ROWS["status"])})
    assert refused("summary", *ASKED).startswith("there are no positives among the 300 cases;")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            (*ASKED, "--horizon", "4000"),
            "the last row was censored at 1040, before the horizon 4000; choose at most 1040",
        ),
        (
            (*ASKED, "--horizon", "0"),
            "--horizon must be a number above 0, in the unit of the times, got 0.0",
        ),
        (
            (*ASKED[:-1], "12m"),
            "Invalid value for '--horizon': '12m' is not a valid float.",
        ),
        (
            ("rows.csv", "--time", "days", *ASKED[3:]),
            (
                "rows.csv has no column 'days'; its columns are 'time', 'status', 's1', 's2', "
                "'points', 'vintage'"
            ),
        ),
        (
            ("labels.csv", *ASKED[1:]),
            (
                "status holds 'default' (168), 'open' (62), 'repaid' (70); say which is the event "
                "and which is a censored row with --event-label and --censored-label"
            ),
        ),
        (
            (*LABELLED, "--event-label", "defalt"),
            (
                "--event-label defalt is not a label of 'status', which holds 'default' (168), "
                "'open' (62), 'repaid' (70)"
            ),
        ),
        (
            (*LABELLED, "--censored-label", "opn"),
            (
                "--censored-label opn is not a label of 'status', which holds 'default' (168), "
                "'open' (62), 'repaid' (70)"
            ),
        ),
        (
            (*ASKED, "--event-label", "1", "--censored-label", "1.0"),
            "--event-label and --censored-label are both 1",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(words, said):
    assert refused("summary", *words) == said


def test_whoever_has_named_no_score_sees_the_columns():
    result = call("summary", "rows.csv", *TIMED, "--horizon", "400")
    assert result.exit_code == 2
    assert result.stderr.startswith("capcurve: error: name the score column with --score")
    assert "capcurve summary rows.csv --time time" in result.stderr.splitlines()[-1]


COUNTED = ("rows.csv", *TIMED, "-s", "s1", "--stratum", "vintage")


@pytest.mark.parametrize("name", ["times.csv", "times.parquet", "times.json"])
def test_saved_counts_of_times_have_every_horizon(name):
    result = done("counts", *COUNTED, "-o", name)
    assert "rows by score, time and status" in result.stderr
    found = summary(name, "--counts", "--horizon", "400", "--horizon", "200")
    expected = evaluated([400, 200], stratum="vintage")
    for each, direct, horizon in zip(found, expected, (400, 200), strict=True):
        assert each == {**direct, "name": f"score within {horizon}"}
    bounds = done("bounds", name, "--counts", "--horizon", "400", "-f", "json").stdout
    partial = cap.count_times("time", "status", "s1", data=ROWS).known_at(400)
    assert json.loads(bounds) == json.loads(json.dumps(cap.unknown_bounds(partial).to_dict()))


def test_bounds_leave_out_competing_events_if_asked():
    found = json.loads(done("bounds", *ASKED, "--competing", "excluded", "-f", "json").stdout)
    times = cap.count_times("time", "status", "s1", data=ROWS)
    partial = times.known_at(400, competing="excluded")
    assert partial.known.n0 < times.known_at(400).known.n0
    assert found == json.loads(json.dumps(cap.unknown_bounds(partial).to_dict()))


def test_only_json_keeps_what_a_table_has_no_column_for():
    changed("time", "")
    words = (*COUNTED, "--cluster", "points", "--higher-is", "negative", "--missing", "drop")
    done("counts", *words, "-o", "times.json")
    kept = cap.TimeCounts.from_dict(json.loads(Path("times.json").read_text(encoding="utf-8")))
    assert kept.groups is not None
    assert (kept.n, kept.dropped.rows, kept.higher_is) == (299, 1, "negative")
    assert refused("counts", *words, "-o", "times.csv") == (
        "a .csv file has no room for a direction, rows that were left out, clusters; save as .json"
    )
    shown = done("summary", "times.json", "--counts", "--horizon", "400")
    direct = done("summary", *words, "--horizon", "400")
    assert shown.stdout.splitlines()[1:] == direct.stdout.splitlines()[1:]
    assert shown.stderr == direct.stderr


def test_tables_and_files_of_times_add():
    ends = {"a": slice(0, 120), "b": slice(120, None)}
    for name, rows in ends.items():
        write(f"{name}.csv", {column: values[rows] for column, values in ROWS.items()})
        for suffix in ("csv", "json"):
            done("counts", f"{name}.csv", *COUNTED[1:], "-o", f"times_{name}.{suffix}")
    for suffix in ("csv", "json"):
        words = (f"times_a.{suffix}", f"times_b.{suffix}", "--counts", "--horizon", "400")
        (found,) = summary(*words)
        assert found["digest"] == evaluated(stratum="vintage")[0]["digest"]


def test_what_is_no_table_of_times_is_refused_in_one_line():
    done("counts", *COUNTED, "-o", "times.json")
    done("counts", *COUNTED, "-o", "times.csv")
    at = ("--counts", "--horizon", "400")
    read = "which are read with --horizon, such as --horizon 365"
    for command in (["summary"], ["check", "--min-ar", "0.2"]):
        said = refused(*command, "times.csv", "--counts")
        assert said == f"times.csv: these are counts of times, {read}"
    said = refused("summary", "times.json", "--counts")
    assert said == f"times.json may hold counts of times, {read}"
    assert refused("summary", "times.json", *at, "--levels", "a,b") == (
        "times.json says by itself what it holds; leave out --levels"
    )
    assert refused("summary", "times.json", "times.json", *at).startswith("times.json stands besi")
    assert refused("summary", "rows.csv", *at).startswith("rows.csv has no column 'event'")
    table = Path("times.csv").read_text(encoding="utf-8")
    Path("times.csv").write_text(table.replace("4.0,90,1,v0,1", ",90,1,v0,1"), encoding="utf-8")
    assert "column 'score' has no value in 1 rows" in refused("summary", "times.csv", *at)
    saved = Path("times.json").read_text(encoding="utf-8").replace('"n": [1', '"n": [2')
    Path("times.json").write_text(saved, encoding="utf-8")
    assert refused("summary", "times.json", *at).startswith("times.json holds no counts of times:")
