"""`capcurve implied`, and `--pd` of summaries: numbers of the library, errors in one line."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

import capcurve as cap
from cli_calls import done, on_terminal, refused

RNG = np.random.default_rng(11)
N = 400
PD = np.round(RNG.beta(1, 6, N), 3)
Y = (RNG.random(N) < PD).astype(int)
GRADE = np.digitize(PD, [0.05, 0.15, 0.3])
SCORE = np.round(PD + RNG.normal(0, 0.05, N), 2)
SEGMENT = np.array(["cars", "homes", "none"])[RNG.choice(3, N, p=[0.5, 0.45, 0.05])]
Y[SEGMENT == "none"] = 0
PAIR = ("implied", "loans.csv", "-t", "y")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = zip(Y, PD, GRADE, SCORE, SEGMENT, strict=True)
    rows = "".join(f"{y},{p},{g},{s},{k}\n" for y, p, g, s, k in columns)
    (tmp_path / "loans.csv").write_text("y,pd,grade,score,segment\n" + rows)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("calibration", ["matched", "stated"])
def test_json_has_the_test_and_the_sentence(calibration):
    asked = ("-s", "pd", "--calibration", calibration, "--level", "0.9", "-f", "json")
    found = json.loads(done(*PAIR, *asked).stdout)
    test = cap.implied_accuracy_ratio(cap.count_scores(Y, PD), calibration=calibration, level=0.9)
    assert (found["schema_version"], found["calibration"]) == (1, calibration)
    (part,) = found["parts"]
    assert part["test"] == test.to_dict()
    assert (part["n"], part["positives"]) == (N, Y.sum())
    implied, realised = (test.estimates[name] for name in ("implied", "realised"))
    assert f"the {implied:.3f} that the PDs imply" in part["sentence"]
    assert f"The accuracy ratio of {realised:.3f} does" in part["sentence"]


def test_correlated_defaults_are_allowed_for():
    test = cap.implied_accuracy_ratio(cap.count_scores(Y, PD), correlation=0.12)
    (row,) = rows_of(done(*PAIR, "-s", "pd", "--correlation", "0.12", "-f", "csv").stdout)
    assert float(row["p_value"]) == test.p_value
    assert float(row["low"]) == test.low


def test_pds_of_another_column_are_those_of_each_row():
    joint = cap.count_joint(Y, {"grade": GRADE, "score": SCORE, "pd": PD})
    (row,) = rows_of(done(*PAIR, "-s", "grade", "--pd", "pd", "-f", "csv").stdout)
    test = cap.implied_accuracy_ratio(joint, score="grade", pd="pd")
    assert float(row["implied_accuracy_ratio"]) == test.estimates["implied"]
    assert float(row["p_value"]) == test.p_value
    assert float(row["expected_positives"]) == pytest.approx(PD.sum())
    two = rows_of(done(*PAIR, "-s", "grade", "-s", "score", "--pd", "pd", "-f", "csv").stdout)
    assert [row["score"] for row in two] == ["grade", "score"]
    other = cap.implied_accuracy_ratio(joint, score="score", pd="pd")
    assert float(two[1]["difference"]) == other.estimate
    own = done(*PAIR, "-s", "pd", "--pd", "pd", "-f", "csv").stdout
    assert own == done(*PAIR, "-s", "pd", "-f", "csv").stdout
    assert own == done(*PAIR, "--pd", "pd", "-f", "csv").stdout


def test_a_segment_without_positives_stops_no_other():
    result = done(*PAIR, "-s", "pd", "--by", "segment", "-f", "csv")
    cars, homes, none = rows_of(result.stdout)
    alone = cap.implied_accuracy_ratio(
        cap.count_scores(Y[SEGMENT == "cars"], PD[SEGMENT == "cars"])
    )
    assert float(cars["difference"]) == alone.estimate
    assert homes["segment"] == "homes"
    assert (none["accuracy_ratio"], none["difference"], none["p_value"]) == ("", "", "")
    assert float(none["implied_accuracy_ratio"]) > 0
    assert "note: none: there are no positives, so nothing is realised" in result.stderr
    shown = done(*PAIR, "-s", "pd", "--by", "segment").stdout
    assert "none: The PDs imply an accuracy ratio of" in shown
    assert "but one class is missing to test it" in shown


def test_people_see_a_table_and_a_sentence():
    shown = done(*PAIR, "-s", "pd").stdout.splitlines()
    assert shown[0] == "Implied accuracy ratio"
    assert shown[2].startswith("The accuracy ratio of 0.")
    lines = shown[shown.index("Realised and implied") + 1 :]
    assert re.split(r"  +", lines[0].strip()) == [
        *("cases", "positives", "expected", "AR", "implied AR", "difference", "95% interval", "p")
    ]
    assert re.search(r"[+−]0\.\d{3} +\[[+−]?0\.\d{3}, [+−]?0\.\d{3}\]  +0\.\d{3}$", lines[1])
    assert "\n| cases | positives |" in done(*PAIR, "-s", "pd", "-f", "md").stdout
    done(*PAIR, "-s", "pd", "-o", "implied.svg")
    assert "<svg" in Path("implied.svg").read_text("utf-8")


@pytest.mark.merge
def test_a_picture_leaves_out_what_has_no_test_and_says_so():
    done(*PAIR, "-s", "pd", "--by", "segment", "-o", "some.html")
    page = Path("some.html").read_text("utf-8")
    assert "No test: none" in page
    assert "Implied by the PDs" in page
    assert re.search(r"In [0-2] of 2 segments the realised accuracy ratio is significantly", page)
    told = re.findall(r"[^.]* raises false alarms in [^.]* of portfolios like this", page)
    assert len(told) == 1
    assert "% (cars); " in told[0]
    assert "% (homes)" in told[0]
    assert "95% interval" in page
    told = done(*PAIR, "-s", "pd", "--by", "segment", "-o", "some.svg").stderr
    assert "note: none: there are no positives" in told
    header, *rows = Path("loans.csv").read_text().splitlines()
    Path("loans.csv").write_text("\n".join([header, *(f"0{row[1:]}" for row in rows)]))
    said = refused(*PAIR, "-s", "pd", "--by", "segment", "-o", "no.svg")
    assert "there is nothing to draw: cars: The PDs imply" in said
    assert "homes: The PDs" not in said
    assert not Path("no.svg").exists()


def test_the_only_name_in_a_picture_is_that_of_the_score():
    done(*PAIR, "-s", "pd", "-o", "one.html")
    assert "Implied accuracy ratio of pd<" in Path("one.html").read_text("utf-8")
    done(*PAIR, "-s", "grade", "--pd", "pd", "-o", "other.html")
    assert "Implied accuracy ratio of grade<" in Path("other.html").read_text("utf-8")


def test_a_workbook_holds_it():
    done(*PAIR, "-s", "pd", "-o", "implied.xlsx")
    assert openpyxl.load_workbook("implied.xlsx").active.max_row >= 2


def test_a_narrow_terminal_shows_all_of_it():
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(*PAIR, "-s", "pd", columns=80)[0].decode())
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search("implied .*\n.* AR ", shown)


GRADED = ("loans.csv", "-t", "y", "-s", "grade", "--pd", "pd")
OF_ROWS = pd.DataFrame({"y": Y, "pd": PD, "grade": GRADE, "segment": SEGMENT})


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", ["summary", "report", "calibration", "validate", "check"])
@pytest.mark.parametrize("piped", [False, True])
def test_pds_in_a_column_beside_the_score_are_those_of_its_rows(name, piped):
    more = {
        "report": ("-o", "r.json"),
        "check": ("--max-oe", "9", "-f", "json"),
    }.get(name, ("-f", "json"))
    data = Path("loans.csv").read_text() if piped else None
    words = ("-", *GRADED[1:]) if piped else GRADED
    text = done(name, *words, *more, data=data).stdout
    found = json.loads(Path("r.json").read_text() if name == "report" else text)
    ratio = Y.sum() / PD.sum()
    if name == "check":
        assert found["checks"][0]["estimate"] == pytest.approx(ratio, rel=1e-12)
        return
    if name == "validate":
        (test,) = [each for each in found["tests"] if each["id"] == "calibration.observed_expected"]
        assert test["estimate"] == pytest.approx(ratio, rel=1e-12)
        return
    found = found if name == "calibration" else found["scores"][0]["calibration"]
    assert found["observed_to_expected"]["estimate"] == pytest.approx(ratio, rel=1e-12)
    by_grade = OF_ROWS.groupby("grade").agg({"pd": "mean", "y": "sum"}).iloc[::-1]
    grades = found["grades"]["columns"]
    assert grades["pd"] == pytest.approx(by_grade["pd"].tolist())
    assert grades["positives"] == by_grade["y"].tolist()


@pytest.mark.merge
def test_pds_beside_scores_are_those_of_each_segment():
    asked = ("--by", "segment")
    found = json.loads(done("summary", *GRADED, "-s", "score", *asked, "-f", "json").stdout)
    implied = rows_of(done("implied", *GRADED, *asked, "-f", "csv").stdout)
    for segment, rows in OF_ROWS.groupby("segment"):
        joint = cap.count_joint(rows["y"], {"grade": rows["grade"], "pd": rows["pd"]})
        if not rows["y"].sum():
            continue
        test = cap.implied_accuracy_ratio(joint, score="grade", pd="pd")
        (part,) = [each for each in found["segments"]["grade"] if each["segment"] == segment]
        assert part["implied_p"] == test.p_value
        (row,) = [row for row in implied if row["segment"] == segment]
        assert float(row["p_value"]) == test.p_value
    assert [pair["name"] for pair in found["comparison"]["pairs"]] == ["grade minus score"]
    text = done("check", *GRADED, *asked, "--max-oe", "9", "-f", "json").stdout
    for segment, check in zip(sorted(set(SEGMENT)), json.loads(text)["checks"], strict=True):
        own = segment == SEGMENT
        assert check["estimate"] == pytest.approx(Y[own].sum() / PD[own].sum(), rel=1e-12)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--memory-limit", "1GB"), "--memory-limit is for one score, and the PDs are another"),
        (("--pd", "score"), "name scores that are PDs, or one column beside them"),
        (("--pd", "segment"), "name scores that are PDs"),
        (("--grade-pd", "0=0.1"), "--grade-pd has the PDs, and --pd names a column of them"),
        (("--resolution", "0.1"), "grid"),
    ],
)
def test_pds_beside_a_score_are_refused_in_one_line(asked, said):
    assert said in refused("summary", *GRADED, *asked)


def test_saved_counts_have_no_column_of_pds():
    done("counts", "loans.csv", "-t", "y", "-s", "grade", "-o", "c.csv")
    said = refused("summary", "c.csv", "--counts", "-s", "score", "--pd", "pd")
    assert said.startswith("--pd pd is none of the scores, score, and --counts reads counts")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("-s", "grade"), "a PD is in [0, 1], and that of score 3 is 3, outside"),
        (("-s", "pd", "--higher-is", "negative"), "name or pass the PDs with --pd"),
        (("-s", "grade", "--pd", "x"), "no column 'x'"),
        (("-s", "grade", "--pd", "pd", "--counts"), "--pd needs the rows"),
        (("-s", "pd", "--weight", "score", "--weight-kind", "sampling"), "weight"),
    ],
)
def test_what_makes_no_sense_is_one_line(asked, said):
    assert said in refused(*PAIR, *asked)
    assert "pd=" not in refused(*PAIR, *asked)


def test_no_shift_says_which_flag_helps():
    Path("sure.csv").write_text("y,pd\n1,0.5\n0,1\n0,1\n0,0.1\n")
    said = refused("implied", "sure.csv", "-t", "y", "-s", "pd")
    assert "pass --calibration stated" in said


@pytest.mark.merge
def test_a_summary_shows_what_is_promised_when_asked():
    asked = ("summary", "loans.csv", "-t", "y", "-s", "pd")
    plain, with_pd = done(*asked), done(*asked, "--pd", "pd")
    assert "implied" not in plain.stdout
    assert "implied accuracy ratio" in with_pd.stdout
    assert "that the PDs imply (" in with_pd.stdout
    (before,), (row,) = (
        rows_of(done(*asked, *more, "-f", "csv").stdout) for more in ((), ("--pd", "pd"))
    )
    assert set(row) - set(before) == {"implied_accuracy_ratio", "implied_p"}
    test = cap.implied_accuracy_ratio(cap.count_scores(Y, PD))
    assert float(row["implied_p"]) == test.p_value
    both = rows_of(done(*asked, "-s", "score", "--pd", "pd", "-f", "csv").stdout)
    assert [bool(row["implied_p"]) for row in both] == [True, False]
    found = json.loads(done(*asked, "--pd", "pd", "--by", "segment", "-f", "json").stdout)
    assert found["scores"][0]["implied"] == test.to_dict()
    segments = found["segments"]["pd"]
    assert [each["implied_p"] is None for each in segments] == [False, False, True]
    assert json.loads(done(*asked, "-f", "json").stdout)["scores"][0]["implied"] is None


def test_a_report_shows_what_is_promised_when_asked():
    done("report", "loans.csv", "-t", "y", "-s", "pd", "--pd", "pd", "-o", "r.html")
    page = Path("r.html").read_text("utf-8")
    assert "<dt>implied AR</dt>" in page
    assert "that the PDs imply" in page


@pytest.mark.merge
def test_the_word_score_says_that_the_score_itself_has_the_pds():
    words = ("loans.csv", "-t", "y", "-s", "pd")
    Path("named.csv").write_text(Path("loans.csv").read_text().replace(",score,", ",other,", 1))
    for command in (
        ("calibration", "--pd"),
        ("implied", "--pd"),
        ("summary", "--pd"),
        ("validate", "--pd"),
        ("check", "--max-oe", "1.5", "--pd"),
    ):
        name, *asked = command
        own = done(name, "named.csv", *words[1:], *asked, "pd", "-f", "json").stdout
        assert done(name, "named.csv", *words[1:], *asked, "score", "-f", "json").stdout == own
    # A column of this name is meant where there is one.
    assert "a PD is in [0, 1]" in refused("summary", *words, "--pd", "score")
    assert "a PD is in [0, 1]" in refused("calibration", *words, "--pd", "score")


SCALE = "0=0.02,1=0.1,2=0.2,3=0.4"


@pytest.mark.turns(2)
@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("calibration", ()),
        ("summary", ()),
        ("validate", ()),
        ("check", ("--max-oe", "2")),
    ],
)
def test_a_pd_of_no_grade_is_refused(command, asked):
    words = (command, "loans.csv", "-t", "y", *asked)
    # Grades of numbers may be more than this portfolio has.
    more = done(*words, "-s", "grade", "--grade-pd", SCALE + ",4=0.6", "-f", "json").stdout
    assert more == done(*words, "-s", "grade", "--grade-pd", SCALE, "-f", "json").stdout
    assert refused(*words, "-s", "grade", "--grade-pd", SCALE + ",C=0.6") == (
        "--grade-pd has a PD for 'C', which is none of the scores, '3', '2', '1', '0'"
    )
    levels = ("-s", "segment", "--levels", "cars,homes,none,boats", "--grade-pd")
    done(*words, *levels, "cars=0.2,homes=0.1,none=0.1,boats=0.3", "-f", "json")
    assert refused(*words, *levels, "cars=0.2,homes=0.1,none=0.1,boat=0.3") == (
        "--grade-pd has a PD for 'boat', which is none of the scores, 'cars', 'homes', 'none', "
        "'boats'"
    )


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("calibration", ("-s", "pd")),
        ("calibration", ("-s", "grade", "--pd", "pd")),
        ("implied", ("-s", "pd")),
        ("implied", ("-s", "score", "--pd", "pd")),
        ("summary", ("-s", "pd", "--pd", "pd")),
        ("report", ("-s", "pd", "--pd", "pd", "-o", "r.html")),
        ("validate", ("-s", "pd", "--pd", "pd")),
        ("check", ("-s", "pd", "--max-oe", "1.3")),
        ("plot", ("-s", "pd", "--kind", "calibration", "-o", "p.svg")),
        ("plot", ("-s", "pd", "--kind", "decision", "-o", "p.svg")),
        ("change", ("loans.csv", "-s", "pd", "--pd", "pd")),
        (
            "compare",
            ("-s", "pd", "-s", "score", "--metric", "net-benefit", "--threshold", "0.1"),
        ),
    ],
)
def test_pds_read_off_rounded_scores_are_refused(command, asked):
    said = refused(command, "loans.csv", *asked, "-t", "y", "--resolution", "0.1")
    assert said == (
        "the scores were rounded down to a grid of 0.1, so PDs read off them are too low; count "
        "without --resolution"
    )
    assert not {"r.html", "p.svg"} & {path.name for path in Path().iterdir()}


def test_saved_counts_of_rounded_scores_have_no_pds():
    done("counts", "loans.csv", "-t", "y", "-s", "pd", "--resolution", "0.1", "-o", "c.parquet")
    for words in (("check", "--max-oe", "1.3"), ("calibration",), ("implied",)):
        said = refused(words[0], "c.parquet", "--counts", *words[1:])
        assert "rounded down to a grid of 0.1, so PDs read off them are too low" in said
