"""Outcomes that take time at the command line: the library's numbers, or one line of refusal."""

from __future__ import annotations

import csv
import io
import json
import math
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


@pytest.mark.turns(3)
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
    assert limits["se"] == pytest.approx(expected["accuracy_ratio_se"], rel=1e-9)
    # The rule of the AUC is about as wide as the reference, which has Student's t alone.
    low, high = expected["accuracy_ratio_interval95"]
    assert [limits["low"], limits["high"]] == pytest.approx([low, high], abs=0.1 * (high - low))


@pytest.mark.turns(3)
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


# As in R: 1 for a censored row, 2 for the event.
CODED = (
    "holds 1 (132), 2 (168) and no 0 for a censored row; if 1 is censored and 2 the event, as in "
    "R, pass --event-label 2 --censored-label 1; if no row is censored, pass --event-label 1 "
    "--censored-label 0 --competing-labels 2"
)


@pytest.mark.merge
def test_statuses_coded_as_in_r_are_asked_about_and_read_by_what_to_type():
    write("rows.csv", {**ROWS, "status": [int(s == 1) for s in ROWS["status"]]})
    expected = summary(*ASKED)
    write("rows.csv", {**ROWS, "status": [1 + (s == 1) for s in ROWS["status"]]})
    assert refused("summary", *ASKED) == f"status {CODED}"
    named, at = ("--event-label", "2", "--censored-label", "1"), ("--counts", "--horizon", "400")
    assert summary(*ASKED, *named) == expected
    all_named = ("--event-label", "1", "--censored-label", "0", "--competing-labels", "2")
    by_then = [time <= 400 for time in ROWS["time"]]
    target = [t and s != 1 for t, s in zip(by_then, ROWS["status"], strict=True)]
    expected_too = cap.accuracy_ratio(target, ROWS["s1"])
    assert summary(*ASKED, *all_named)[0]["accuracy_ratio"] == expected_too
    duckdb.sql(
        "COPY (SELECT s1 AS score, time, status AS EVENT, COUNT(*) AS n FROM 'rows.csv' GROUP BY "
        "ALL) TO 'times.csv'"
    )
    assert refused("summary", "times.csv", *at) == f"EVENT {CODED}"
    assert summary("times.csv", *at, *named)[0]["digest"] == expected[0]["digest"]
    done("counts", *ASKED[:-2], *named, "-o", "times.json")
    assert summary("times.json", *at)[0]["digest"] == expected[0]["digest"]
    assert refused("summary", "times.json", *at, *named) == (
        "times.json says by itself what it holds; leave out --event-label"
    )


@pytest.mark.parametrize("positive", [1, 0])
def test_a_column_called_as_censoring_is_read_by_what_to_type(positive):
    # In one file 1 is the event, in another a censored row.
    write("rows.csv", {**ROWS, "status": [int(s == 1) for s in ROWS["status"]]})
    expected = summary(*ASKED)
    write("rows.csv", {**ROWS, "cens": [int((s == 1) == positive) for s in ROWS["status"]]})
    words = ["cens" if word == "status" else word for word in ASKED]
    ones = 168 if positive else 132
    said = refused("summary", *words)
    assert said == (
        f"cens holds 1 ({ones}), 0 ({300 - ones}); if 1 is the event, pass --event-label 1 "
        "--censored-label 0; if 1 is a censored row, pass --event-label 0 --censored-label 1"
    )
    named = ("--event-label", str(positive), "--censored-label", str(1 - positive))
    assert " ".join(named) in said
    assert summary(*words, *named) == expected


def test_a_shard_may_lack_a_label_where_all_are_named():
    kept = [i for i, status in enumerate(ROWS["status"]) if status != 0]
    write("part.csv", {name: [column[i] for i in kept] for name, column in ROWS.items()})
    named = ("--event-label", "1", "--censored-label", "0")
    assert refused("summary", "part.csv", *ASKED[1:], *named) == (
        "--censored-label 0 is not a label of 'status', which holds 1 (168), 2 (70)"
    )
    (found,) = summary("part.csv", *ASKED[1:], *named, "--competing-labels", "2,3")
    assert found["n"] == 238
    assert refused("summary", "part.csv", *ASKED[1:], *named, "--competing-labels", "") == (
        "status holds 1 (168), 2 (70), and 2 is not among --competing-labels; add it"
    )
    assert refused("summary", "part.csv", *ASKED[1:], "--competing-labels", "2") == (
        "--competing-labels needs --event-label; name both"
    )


@pytest.mark.merge
def test_several_horizons_stand_side_by_side_with_limits():
    words = (*ASKED, "--horizon", "200", "--stratum", "vintage", "--cluster", "vintage")
    expected = evaluated([400, 200], stratum="vintage", cluster="vintage")
    assert summary(*words) == expected
    rows = list(csv.DictReader(io.StringIO(done("summary", *words, "-f", "csv").stdout)))
    assert [row["score"] for row in rows] == ["s1 within 200", "s1 within 400"]
    assert float(rows[1]["accuracy_ratio_low"]) == expected[1]["intervals"]["accuracy_ratio"]["low"]


@pytest.mark.merge
def test_only_several_scores_are_said_not_to_be_compared_by_several_horizons():
    apart = "numbers by several horizons are not compared"
    assert apart not in done("summary", *ASKED, "--horizon", "200").stderr
    assert apart not in done("summary", *ASKED, "--horizon", "1").stderr
    assert apart in done("summary", *ASKED, "-s", "s2", "--horizon", "200").stderr


def test_a_stated_prevalence_leaves_the_limits_of_what_does_not_depend_on_it():
    (stated,), (plain,) = summary(*ASKED, "--prevalence", "0.1"), summary(*ASKED)
    for name in ("accuracy_ratio", "roc_auc"):
        assert stated["intervals"][name] == plain["intervals"][name]
    assert stated["captured"] != plain["captured"]
    first, second = (found["intervals"]["captured_10"] for found in (stated, plain))
    assert first["low"] < stated["captured"]["0.1"] < first["high"] != second["high"]


def test_one_of_something_and_equal_numbers_read_well():
    write("tied.csv", {"t": [5, 6, 7, 8], "e": [1, 0, 0, 1], "s": [1, 1, 1, 1]})
    words = ("tied.csv", "--time", "t", "--event", "e", "-s", "s", "--horizon", "6")
    shown = done("summary", *words, "--horizon", "7").stdout
    assert "The accuracy ratio of s is 0.000 within 6 and 0.000 within 7." in shown
    assert "Of the rows, 0.0% are censored before 6 and 25.0% are censored before 7." in shown
    assert "for 4 rows (25.0% positives by then, estimated; 25.0% censored before)" in shown
    assert "note: 1 bin instead of 10: " in done("gains", *words).stderr


def test_the_screen_says_the_horizon_the_censored_and_the_limits():
    shown = on_terminal("summary", *ASKED, "--horizon", "200", columns=120)[0].decode()
    assert "s1 within 400    300" in shown
    for horizon, ratio in (("200", "0.536"), ("400", "0.639")):
        times = cap.count_times("time", "status", "s1", data=ROWS)
        low, high = cap.confidence_interval(times.at(float(horizon)), "ar").limits
        assert f"{ratio}  [{low:.3f}, {high:.3f}]" in shown
    assert "12.0% are censored before 400." in shown
    assert "nothing assumed" in shown


def test_a_narrow_screen_keeps_the_share_censored_and_the_bounds():
    words = ("--horizon", "200", "--horizon", "600")
    shown = on_terminal("summary", *ASKED, *words, columns=80)[0].decode()
    assert "nothing assumed  events  competing" in shown  # also the last columns have room
    assert max(map(len, shown.splitlines())) <= 100  # with the marks of bold text
    (row,) = [line for line in shown.splitlines() if line.startswith("600 ")]
    assert "[0.392, 0.661]" in row
    assert "47 (15.7%)" in row


@pytest.mark.merge
def test_a_report_has_all_horizons():
    done("report", *ASKED, "--horizon", "200", "-o", "out.json")
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert saved["scores"] == evaluated([400, 200])
    done("report", *ASKED, "-o", "out.html")
    page = Path("out.html").read_text(encoding="utf-8")
    assert "<h1>How well s1 ranks status within 400 (time)</h1>" in page
    assert "Rows followed for longer also count in the place of those" in page


def test_scores_are_compared_by_one_horizon():
    words = (*ASKED, "-s", "s2", "--stratum", "vintage")
    found = json.loads(done("compare", *words, "-f", "json").stdout)
    joint = cap.count_joint_times("time", "status", ["s1", "s2"], data=ROWS, stratum="vintage")
    expected = json.loads(json.dumps(cap.compare(joint.at(400)).to_dict()))
    assert found["horizon"] == 400
    assert {name: found[name] for name in expected} == expected
    assert refused("compare", *words, "--horizon", "200") == (
        "this command is for one horizon; pass one --horizon"
    )


def test_tables_and_curves_are_those_of_the_library():
    times = cap.count_times("time", "status", "s1", data=ROWS)
    found = json.loads(done("gains", *ASKED, "--bins", "4", "-f", "json").stdout)
    expected = [row["captured"] for row in cap.gains_table(times.at(400), bins=4).rows()]
    assert [row["captured"] for row in found["parts"][0]["rows"]] == expected
    words = ("--horizon", "200", "--points", "3", "-f", "json")
    parts = json.loads(done("curve", *ASKED, *words).stdout)["parts"]
    assert [part["score"] for part in parts] == ["s1 within 200", "s1 within 400"]
    for part, horizon in zip(parts, (200, 400), strict=True):
        assert part["y"] == cap.cap_curve(times.at(horizon)).at([0, 1 / 3, 2 / 3, 1]).tolist()


OF_BOUNDS = "Bounds of the accuracy ratio with unknown outcomes"


@pytest.mark.merge
def test_pages_say_the_horizon_in_their_titles():
    for command, more, title in (
        ("compare", ["-s", "s2"], "Comparison of s1, s2 within 400 (time)"),
        ("gains", ["--horizon", "200"], "Gains table (s1 for status) within 200 and 400 (time)"),
        ("bounds", [], f"{OF_BOUNDS} (s1 for status) within 400 (time)"),
        ("summary", [], "How well s1 ranks status within 400 (time)"),
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
        "time is missing in 1 of 300 rows, first in line 5; pass --missing drop to leave such rows "
        "out"
    )
    assert (
        "1 row without a value was left out" in done("summary", *ASKED, "--missing", "drop").stderr
    )


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (
            "time",
            2**53 + 1,
            (
                "time holds 9007199254740993, which a float would round (1 such row); scale it to "
                "whole numbers up to 2^53"
            ),
        ),
        (
            "time",
            "soon",
            (
                "time holds 'soon' in line 5, which is no number (1 of 300 rows); where it means "
                "no value, pass --na soon"
            ),
        ),
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
                "255, for a competing event"
            ),
        ),
    ],
)
def test_a_bad_value_is_named_with_its_line(column, value, said):
    changed(column, value)
    assert refused("summary", *ASKED) == said


@pytest.mark.parametrize(
    ("horizon", "said"),
    [
        (9, "negatives{}; choose a horizon below 8"),
        (2, "positives{}; choose a horizon of at least 3"),
    ],
)
def test_a_horizon_that_leaves_no_class_names_one_that_does(horizon, said):
    write("rows.csv", {"t": [3, 5, 8, 2], "e": [1, 1, 1, 0], "s": [1, 2, 3, 1]})
    words = ("rows.csv", "--time", "t", "--event", "e", "-s", "s", "--horizon", horizon)
    among = said.format(" among the 4 cases, so this is undefined")
    assert refused("gains", *words) == f"no {among}"
    need = "; the accuracy ratio, AUC and KS need cases of both classes"
    found = refused("summary", *words)
    assert found == f"there are no {said.format(' among the 4 cases' + need)}"
    checked = call("check", *words, "--min-ar", "0.1").stdout
    assert checked.startswith(f"FAIL accuracy ratio is undefined: there are no {said.format('')}")


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
            (*ASKED[:-1], "9007199254740993"),
            (
                "Invalid value for '--horizon': 9007199254740993, which a float would round; scale "
                "it and the times."
            ),
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
    assert "capcurve summary rows.csv --time time" in result.stderr


COUNTED = ("rows.csv", *TIMED, "-s", "s1", "--stratum", "vintage")


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", ["times.csv", "times.parquet", "times.json"])
def test_saved_counts_of_times_have_every_horizon(name):
    result = done("counts", *COUNTED, "-o", name)
    assert "rows by score, time and status" in result.stderr
    found = summary(name, "--counts", "--horizon", "400", "--horizon", "200")
    expected = evaluated([400, 200], stratum="vintage")
    for each, direct, horizon in zip(found, expected, (200, 400), strict=True):
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


@pytest.mark.merge
def test_csv_refuses_what_a_table_has_no_column_for():
    changed("time", "")
    words = (*COUNTED, "--cluster", "points", "--higher-is", "negative", "--missing", "drop")
    done("counts", *words, "-o", "times.json")
    kept = cap.TimeCounts.from_dict(json.loads(Path("times.json").read_text(encoding="utf-8")))
    assert kept.groups is not None
    assert (kept.n, kept.dropped.rows, kept.higher_is) == (299, 1, "negative")
    assert refused("counts", *words, "-o", "times.csv") == (
        "a csv file has no room for a direction or clusters; save as .parquet or .json"
    )
    done("counts", *words, "-o", "times.parquet")
    assert cap.read_counts("times.parquet").groups == kept.groups
    shown = done("summary", "times.json", "--counts", "--horizon", "400")
    direct = done("summary", *words, "--horizon", "400")
    # Counts do not say what their clusters were called.
    told = direct.stdout.replace(" (points)", "")
    assert "299 rows of clusters; " in told
    assert shown.stdout.splitlines()[1:] == told.splitlines()[1:]
    assert shown.stderr == direct.stderr


@pytest.mark.merge
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
    assert said == f"times.json: these are counts of times, {read}"
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
    assert refused("summary", "times.json", *at).startswith("times.json: the counts are damaged")


# The commands of one score, on the data that are installed

LOANS = ("--time", "days", "--event", "status", "-s", "pd")
AT = {"rows": ("followup.csv", *LOANS), "counts": ("times.json", "--counts")}
OF_LOANS = cap.count_times("days", "status", "pd", data=cap.datasets.path("followup"))


@pytest.fixture(params=AT)
def loans(request):
    """Return how the loans are named: as rows, or as counts of times."""
    done("example", "followup")
    done("counts", "followup.csv", *LOANS, "-o", "times.json")
    return AT[request.param]


def plain(result):
    return json.loads(json.dumps(result))


@pytest.mark.parametrize(
    ("command", "make"), [("thresholds", cap.threshold_table), ("steps", cap.step_table)]
)
def test_tables_of_cut_offs_are_those_of_the_library_at_each_horizon(loans, command, make):
    words = ("--horizon", "180", "--horizon", "365")
    parts = json.loads(done(command, *loans, *words, "-f", "json").stdout)["parts"]
    for part, horizon in zip(parts, (180, 365), strict=True):
        assert part["score"].endswith(f" within {horizon} days")
        table = make(OF_LOANS.at(horizon))
        for name in ("positives", "q") if command == "steps" else ("tp", "fn", "precision", "q"):
            values = [row[name] for row in part["rows"] if row[name] is not None]
            assert values == [value for value in table[name].tolist() if not math.isnan(value)]


@pytest.mark.turns(2)
def test_a_picture_is_of_the_counts_by_the_horizon(loans):
    done("plot", *loans, "--horizon", "365", "-o", "cap.svg")
    drawn = Path("cap.svg").read_text(encoding="utf-8")
    assert f"digest {OF_LOANS.at(365).digest()[:16]}" in drawn
    named, unit = ("", "") if "--counts" in loans else (" of pd", " days")
    assert f"<dc:title>CAP{named} within 365{unit}</dc:title>" in drawn
    done("plot", *loans, "--horizon", "365", "--horizon", "180", "--kind", "roc", "-o", "roc.svg")
    title = f"<dc:title>ROC{named} within 180 and 365{unit}</dc:title>"
    assert title in Path("roc.svg").read_text(encoding="utf-8")


def test_gates_take_the_limits_that_allow_for_estimated_censoring(loans):
    rules = ("--min-ar", "0.42", "--min-captured", "0.1=0.25", "--min-auc", "0.6")
    result = call("check", *loans, *rules, "--horizon", "365", "--horizon", "180", "-f", "json")
    checks = json.loads(result.stdout)["checks"]
    assert result.exit_code == 1
    assert {check["result"] for check in checks if check["part"].endswith("180 days")} == {"pass"}
    for check in checks:
        counts, q = OF_LOANS.at(float(check["part"].split()[-2])), check["q"]
        limited = cap.confidence_interval(counts, check["metric"], side="lower", q=q)
        assert (check["estimate"], check["low"]) == (limited.estimate, limited.low)
        assert check["result"] == ("pass" if limited.low >= check["bound"] else "fail")
    Path("own.toml").write_text("[accuracy_ratio]\ngreen = 0.4\nred = 0.3\n", encoding="utf-8")
    judged = ("--limits", "own.toml", "--horizon", "365")
    (found,) = json.loads(done("check", *loans, *judged, "-f", "json").stdout)["checks"]
    limited = cap.confidence_interval(OF_LOANS.at(365), "accuracy_ratio", level=0.9)
    assert (found["low"], found["high"]) == pytest.approx((limited.low, limited.high))
    assert found["result"] == "inconclusive"
    done("check", *loans, *judged, "-o", "page.html")
    title = f"<title>Check within 365{'' if '--counts' in loans else ' days'}</title>"
    assert title in Path("page.html").read_text(encoding="utf-8")


def test_the_sheet_is_that_of_the_library_and_says_the_horizon(loans):
    Path("own.toml").write_text("[accuracy_ratio]\ngreen = 0.4\nred = 0.3\n", encoding="utf-8")
    words = ("--horizon", "365", "--limits", "own.toml")
    result = done("validate", *loans, *words, "-f", "json")
    expected = cap.validate(OF_LOANS.at(365), limits="own.toml")
    found = json.loads(result.stdout)
    expected = plain(expected.to_dict())
    assert [found[each] for each in ("tests", "tables")] == [
        expected[x] for x in ("tests", "tables")
    ]
    tests = {test["id"]: test for test in found["tests"]}
    limited = cap.confidence_interval(OF_LOANS.at(365), "accuracy_ratio")
    ratio = tests["discrimination.accuracy_ratio"]
    assert (ratio["low"], ratio["high"], ratio["light"]) == (limited.low, limited.high, "amber")
    # Those censored before the horizon are no other cases.
    assert "has other cases" not in result.stderr
    if "--counts" not in loans:
        assert found["subject"]["target"] == "status within 365 days (positive: 1)"


def test_a_grade_scale_is_that_of_the_library(loans):
    result = done("grades", *loans, "--horizon", "365", "--design", "4", "-f", "json")
    assert json.loads(result.stdout) == plain(cap.design_grades(OF_LOANS.at(365), 4).to_dict())


def test_a_change_between_two_files_is_that_of_the_library():
    halves = {"a.csv": slice(0, 150), "b.csv": slice(150, None)}
    for name, rows in halves.items():
        write(name, {column: values[rows] for column, values in ROWS.items()})
    words = ("--horizon", "300", "--metric", "lift", "--at", "0.2", "-f", "json")
    found = json.loads(done("change", *halves, *TIMED, "-s", "s1", *words).stdout)
    both = (cap.count_times("time", "status", "s1", data=name).at(300) for name in halves)
    expected = cap.attribute_change(*both, metric="lift", q=0.2, labels=("a", "b"))
    assert found == plain(expected.to_dict())


@pytest.mark.turns(3)
@pytest.mark.parametrize("saved", ["before.csv", "before.json", "summary.json"])
def test_a_fall_since_a_baseline_is_that_of_two_samples_at_the_horizon(saved):
    for name, rows in {"before": slice(0, 150), "now": slice(150, None)}.items():
        write(f"{name}.csv", {column: values[rows] for column, values in ROWS.items()})
    times = [cap.count_times("time", "status", "s1", data=f"{x}.csv") for x in ("before", "now")]
    before, now = (each.at(300) for each in times)
    words = (*TIMED, "-s", "s1")
    done("summary", "before.csv", *words, "--horizon", "300", "-o", "summary.json")
    done("counts", "before.csv", *words, "-o", f"saved_{saved}")
    saved = saved if saved == "summary.json" else f"saved_{saved}"
    asked = ("now.csv", *words, "--horizon", "300", "-f", "json")
    found = json.loads(done("check", *asked, "--baseline", saved, "--max-drop", "0.6").stdout)
    expected = cap.compare_independent(before, now, level=0.9)
    (check,) = found["checks"]
    assert check["result"] == "pass"
    limits = [check[name] for name in ("estimate", "low", "high")]
    assert limits == pytest.approx([expected.estimate, expected.low, expected.high], abs=5e-3)
    if saved != "summary.json":  # which has limits at another level
        assert limits == pytest.approx([expected.estimate, expected.low, expected.high])
        sheet = json.loads(done("validate", *asked, "--initial", saved).stdout)
        (fall,) = [test for test in sheet["tests"] if test["id"] == "initial.drop"]
        expected = cap.compare_independent(before, now)
        assert (fall["low"], fall["high"]) == pytest.approx((expected.low, expected.high))
    assert sum(
        cap.confidence_interval(each, "accuracy_ratio").se ** 2 for each in (before, now)
    ) == (pytest.approx(expected.se**2))


def test_a_challenger_is_compared_at_the_horizon():
    words = (*ASKED, "--challenger", "s2", "--challenger", "points", "-f", "json")
    sheet = json.loads(done("validate", *words).stdout)
    tests = {test["id"]: test for test in sheet["tests"]}
    for name in ("s2", "points"):
        joint = cap.count_joint_times("time", "status", ["s1", name], data=ROWS)
        (pair,) = cap.compare(joint.at(400)).pairs
        found = tests[f"challenger.{name}"]
        assert found["estimate"] == pytest.approx(pair.estimate)
        # Limits of two challengers hold for both at once.
        assert found["low"] < pair.low < pair.high < found["high"]


BAD = {
    "no horizon": ((), "--time needs --horizon, such as --horizon 365"),
    "a horizon beyond the last row": (
        ("--horizon", "4000"),
        "the last row was censored at 1186, before the horizon 4000; choose at most 1186",
    ),
    "an unknown status": (("--event", "half", "--horizon", "365"), "half holds 0.5; a status is 0"),
    "negative times": (
        ("--time", "negative", "--horizon", "365"),
        "negative is negative in 600 of 600 rows, first in line 2 (-3); a time is zero or more",
    ),
    "a wrong label": (
        ("--horizon", "365", "--event-label", "3", "--censored-label", "0"),
        "--event-label 3 is not a label of 'status', which holds 0 (",
    ),
}
FILES = {
    "thresholds": ("-o", "out.csv"),
    "steps": ("-o", "out.csv"),
    "plot": ("-o", "out.png"),
    "check": ("--min-ar", "0.1", "-o", "out.json"),
    "validate": ("-o", "out.html"),
    "grades": ("-o", "out.html"),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("command", FILES)
def test_bad_input_is_one_line_and_leaves_no_file(command, bad):
    (words, said), lines = BAD[bad], cap.datasets.path("followup").read_text("utf-8").splitlines()
    more = ["half,negative", *["0.5,-3"] * (len(lines) - 1)]
    both = (f"{line},{end}" for line, end in zip(lines, more, strict=True))
    Path("followup.csv").write_text("\n".join(both), encoding="utf-8")
    before = set(Path().iterdir())
    assert refused(command, "followup.csv", *LOANS, *words, *FILES[command]).startswith(said)
    assert set(Path().iterdir()) == before
