"""`capcurve check --periods` and `report --initial`: a control chart at the command line."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call, done, refused

CHECK = ("check", "months.csv", "-t", "y", "-s", "s", "--baseline", "initial.csv")
CHART = (*CHECK, "--periods", "month")


def rows(rng, n1, n0, apart, month):
    y = np.repeat([1, 0], [n1, n0])
    score = np.round(rng.normal(size=n1 + n0) + apart * y)  # few cells are drawn quickly
    return "".join(f"{a},{b},{month}\n" for a, b in zip(y, score, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(6)
    months = [rows(rng, 60, 900, 1.2 if m < 5 else 0.3, f"2024-{m + 1:02d}") for m in range(8)]
    (folder / "months.csv").write_text("y,s,month\n" + "".join(months))
    (folder / "first.csv").write_text("y,s,month\n" + "".join(months[:2]))
    (folder / "before.csv").write_text("y,s,month\n" + rows(rng, 400, 6000, 1.2, "x"))
    before = folder / "before.csv"
    done("counts", before, "-t", "y", "-s", "s", "-o", folder / "initial.csv")
    return folder


@pytest.fixture(scope="module")
def chart(folder):
    data = cap.count_scores("y", "s", data=folder / "before.csv")
    months = cap.count_segments("y", "s", by="month", data=folder / "months.csv")
    return cap.control_chart(months, data)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)


@pytest.mark.merge
def test_an_alarm_names_the_period_and_is_exit_code_1(chart):
    found = call(*CHART)
    assert chart.alarmed
    assert found.exit_code == 1
    assert found.stdout.startswith(f"FAIL control chart: ALARM since {chart.alarm}: accuracy ")
    assert found.stderr.count("exceeds the limit in 5% of series of 8 periods") == 1
    assert "alarm since" not in found.stderr  # it is on standard output
    assert f"shows a true fall of {chart.detectable:.2f} with" in found.stderr


@pytest.mark.merge
def test_the_page_has_verdict_and_pictures_of_the_chart_and_a_picture_is_its_sums(chart):
    said = call(*CHART, "-o", "check.html").stderr
    assert said.count("ALARM since") == 1
    page = Path("check.html").read_text("utf-8")
    head, below = page.split("<figure", 1)
    assert "</svg>FAIL: ALARM since " in head
    assert "<caption>Rules</caption>" in head  # above the pictures
    assert page.count("<figure") == len(chart.presentation().charts)
    assert "<caption>Accuracy ratio and control chart by period</caption>" in below
    call(*CHART, "-o", "check.svg")
    chart.save("chart.svg")
    sizes = [len(Path(name).read_text("utf-8")) for name in ("check.svg", "chart.svg")]
    assert 0.8 < sizes[0] / sizes[1] < 1.4  # beside the same drawing stand title and source


def test_months_that_rank_as_before_pass():
    found = done(*("check", "first.csv", *CHART[2:]))
    assert found.stdout.startswith("PASS control chart: no alarm in 2 periods: the CUSUM ")


def test_json_holds_the_whole_chart(chart):
    read = json.loads(call(*CHART, "-f", "json").stdout)
    assert read["result"] == "fail"
    (check,) = read["checks"]
    assert check["rule"] == "control_chart"
    assert check["chart"] == chart.to_dict()
    assert (check["bound"], check["line"][:4]) == (check["chart"]["limit"], "FAIL")


def test_other_rules_are_held_against_all_rows():
    found = call(*CHART, "--min-ar", "0.2", "--max-drop", "0.9", "-f", "junit")
    cases = list(ET.fromstring(found.stdout).iter("testcase"))  # noqa: S314 - ours
    assert [case.get("name") for case in cases] == [
        "accuracy ratio >= 0.2",
        "drop of the accuracy ratio <= 0.9",
        "control chart of the accuracy ratio, drop 0.05",
    ]
    assert [len(list(case.iter("failure"))) for case in cases] == [0, 0, 1]


@pytest.mark.merge
def test_a_saved_limit_is_used_again():
    done("check", "first.csv", *CHART[2:], "--planned-periods", "24", "--save-limit", "limit.json")
    saved = json.loads(Path("limit.json").read_text("utf-8"))
    assert saved["horizon"] == 24
    read = json.loads(call(*CHART, "--limit", "limit.json", "-f", "json").stdout)
    assert read["checks"][0]["chart"]["limit"] == saved["limit"]
    assert "is for --drop 0.05, and --drop 0.1 is" in refused(
        *CHART, "--limit", "limit.json", "--drop", "0.1"
    )


def test_the_summary_of_an_earlier_sample_is_a_baseline(chart):
    text = done("summary", "before.csv", "-t", "y", "-s", "s", "-f", "json").stdout
    Path("initial.json").write_text(text)
    words = [word.replace("initial.csv", "initial.json") for word in CHART]
    read = json.loads(call(*words, "-f", "json").stdout)["checks"][0]["chart"]
    assert read["initial_sizes"] == [400, 6000]
    # Drawn from the months, half of which rank worse and so vary more.
    assert read["limit"] == pytest.approx(chart.limit, rel=0.3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*CHECK, "--save-limit", "a.json"), "--save-limit goes with --periods"),
        (CHECK, "--baseline and --max-drop go together"),
        ((*CHART, "--memory-limit", "1GB"), "--periods needs all rows in memory"),
        ((*CHART, "--limit", "months.csv"), "--limit months.csv is not a limit"),
        ((*CHART, "--limit", "none.json"), "none.json: no such file"),
        ((*CHART, "--save-limit", "l.csv"), "--save-limit l.csv must end in .json"),
        ((*CHART, "--save-limit", "no/l.json"), "there is no folder no"),
        (
            (*CHART, "--planned-periods", "3"),
            "--planned-periods must be at least the 8 periods given",
        ),
        ((*CHECK, "--periods", "mont"), "no column 'mont'; did you mean 'month'?"),
        (
            ("check", "months.csv", "--amount", "y", "-s", "s", *CHART[6:]),
            "--periods is for positives and negatives",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(words, said):
    assert said in refused(*words)


def test_a_limit_does_not_replace_an_input():
    text = done("summary", "before.csv", "-t", "y", "-s", "s", "-f", "json").stdout
    Path("initial.json").write_text(text)
    words = [word.replace("initial.csv", "initial.json") for word in CHART]
    assert "is also an input" in refused(*words, "--save-limit", "initial.json")


@pytest.mark.merge
def test_a_report_shows_the_chart(chart):
    words = ("report", "months.csv", "-t", "y", "-s", "s", "--by", "month")
    found = call(*words, "--initial", "initial.csv", "-o", "r.html")
    assert found.exit_code == 1  # for an alarm
    assert found.stderr.startswith(chart.presentation().sentences[0])
    assert chart.presentation().sentences[0] in Path("r.html").read_text("utf-8")
    call(*words, "--initial", "0.6", "-o", "r.json")
    line = refused(*words, "--initial", "r.html")
    assert "r.html has neither the columns of FILE nor counts saved" in line
