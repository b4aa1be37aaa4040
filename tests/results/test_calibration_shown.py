"""Calibration where people meet it: the result, summaries, the sheet, and the command line."""

import json
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
from scipy.special import expit, logit

import capcurve as cap
from capcurve.show.columns import heading
from cli_calls import call, done, refused

RNG = np.random.default_rng(7)
N = 4000
PD = np.round(expit(RNG.normal(-2.5, 1, N)), 3)
LOW = (RNG.random(N) < expit(0.5 + logit(PD))).astype(int)  # PDs are too low
RIGHT = (RNG.random(N) < PD).astype(int)
GRADE = np.array(list("ABCD"))[np.digitize(PD, [0.05, 0.1, 0.2])]
LEVELS = list("DCBA")
OF_GRADES = {grade: float(np.round(PD[grade == GRADE].mean(), 4)) for grade in "ABCD"}
SAID = ",".join(f"{grade}={pd}" for grade, pd in OF_GRADES.items())


@pytest.fixture(scope="module")
def found():
    return cap.assess_calibration(LOW, PD)


def codes(result):
    return {finding.code for finding in result.findings}


def test_few_cases_are_a_finding_of_calibrations_too(found):
    few = cap.assess_calibration([1] * 5 + [0] * 95, [0.1, 0.02] * 50)
    summary = cap.summarize([1] * 5 + [0] * 95, [0.1, 0.02] * 50, pd="score")
    (own,) = (each for each in few.findings if each.code == "few_positives")
    assert own.message == "there are only 5 positives, so every number is uncertain"
    assert own in few.presentation().findings
    assert [each for each in summary.findings if each.code == "few_positives"] == [own]
    assert not codes(found) & {"few_positives", "few_negatives"}
    assert "few_negatives" in codes(cap.assess_calibration([0] * 5 + [1] * 95, [0.9, 0.8] * 50))
    sampled = {"weight": [0.5] * 100, "weight_kind": "sampling"}
    weighted = cap.assess_calibration([1] * 5 + [0] * 95, [0.1, 0.02] * 50, **sampled)
    assert not codes(weighted) & {"few_positives", "few_negatives"}


def test_everything_is_that_of_the_functions(found):
    counts = cap.count_scores(LOW, PD)
    for name in ("brier_score", "log_loss", "observed_to_expected"):
        assert getattr(found, name) == cap.confidence_interval(counts, name)
    assert found.decomposition == cap.score_decomposition(counts)
    assert found.recalibration == cap.logistic_recalibration(counts)
    assert repr(found.table) == repr(cap.calibration_table(counts))
    assert repr(found.net_benefit) == repr(cap.decision_curve(counts))
    assert found.tests["spiegelhalter"] == cap.calibration_test(counts)
    assert found.grades is None  # of so many distinct PDs


@pytest.mark.merge
def test_sentences_say_what_came_and_what_it_brings(found):
    positives, expected = LOW.sum(), PD.sum()
    said = found.presentation().sentences
    assert said[0].startswith(
        f"There were {positives} positives; the PDs predicted {expected:.0f}."
    )
    assert "more than chance explains (p < 0.001, assuming independent defaults)" in said[0]
    at = found.net_benefit["threshold"]
    near = float(at[np.abs(found.net_benefit["treat_all"]).argmin()])
    own = cap.net_benefit(LOW, PD, near)
    assert f"At a PD cut-off of {near:.0%}, using the PDs " in said[-1]
    assert f"It beats acting on no one by {100 * own:.1f} [" in said[-1]
    assert {"pds_too_low", "correlated_defaults"} <= codes(found)
    right = cap.assess_calibration(RIGHT, PD)
    assert "within what chance explains" in right.sentence
    assert not codes(right) & {"pds_too_low", "pds_too_steep", "pds_too_flat", "pds_too_high"}
    assert "pds_too_high" in codes(cap.assess_calibration(RIGHT, np.minimum(2 * PD, 0.99)))
    assert "pds_too_steep" in codes(cap.assess_calibration(RIGHT, expit(2 * logit(PD) + 2)))


def test_grades_out_of_order_and_sparse_ones_are_found():
    counts = cap.count_scores(RIGHT, GRADE, levels=LEVELS)
    fine = cap.assess_calibration(counts, pd=OF_GRADES)
    assert fine.grades["score"].tolist() == LEVELS
    assert not codes(fine) & {"pd_order", "sparse_grades"}
    odd = cap.assess_calibration(counts, pd=OF_GRADES | {"A": 0.3})
    assert odd.out_of_order == 1
    assert "at 1 pair of neighbouring scores" in " ".join(f.message for f in odd.findings)
    assert "sparse_grades" in codes(cap.assess_calibration(counts, pd=OF_GRADES | {"A": 1e-4}))


@pytest.mark.merge
def test_weights_clusters_and_joint_counts():
    weights = RNG.random(N) + 0.5
    found = cap.assess_calibration(LOW, PD, weight=weights, weight_kind="sampling")
    assert found.tests == {}
    assert found.grades is None
    assert any("weighted by sampling weights" in note for note in found.notes)
    assert found.brier_score.low < found.brier_score.estimate < found.brier_score.high
    clustered = cap.assess_calibration(LOW, PD, cluster=np.arange(N) // 2)
    assert clustered.recalibration.slope.method == "jackknife"
    assert any("the rows are clustered" in note for note in clustered.notes)
    joint = cap.count_joint(LOW, {"grade": GRADE, "p": PD}, levels={"grade": LEVELS})
    both = cap.assess_calibration(joint, pd="p", score="grade")
    assert both.grades["score"].tolist() == LEVELS
    assert both.brier_score == cap.assess_calibration(LOW, PD).brier_score


def test_a_correlation_is_allowed_for():
    counts = cap.count_scores(LOW, PD)
    found = cap.assess_calibration(counts, asset_correlation=0.1)
    assert "jeffreys" not in found.tests
    assert found.tests["mid_p"].p_value > 0.01
    assert "independent" not in found.sentence
    assert found.sentence.endswith(", assuming the asset correlation given).")
    assert "correlated_defaults" not in codes(found)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"asset_correlation": 2}, "asset_correlation must be at least 0 and below 1, got 2"),
        ({"thresholds": [0.1, 2]}, "threshold must be a PD, at least 0 and below 1, got 2"),
        ({"thresholds": []}, "thresholds is empty; give one, or leave it out"),
        ({"thresholds": 0.2}, "thresholds must be several PDs, such as \\[0.1\\], got 0.2"),
        ({"level": 2}, "level must be between 0 and 1, got 2"),
    ],
)
def test_what_is_asked_for_is_refused_not_left_out(asked, said):
    with pytest.raises((ValueError, TypeError), match=said):
        cap.assess_calibration(LOW, PD, **asked)


@pytest.mark.merge
def test_a_summary_has_it_with_pds_only():
    counts = cap.count_scores(LOW, PD)
    assert cap.summarize(counts).calibration is None
    found = cap.summarize(counts, pd="score")
    assert found.calibration.brier_score == cap.confidence_interval(counts, "brier_score")
    assert "pds_too_low" in codes(found)
    assert found.to_dict()["calibration"]["brier_score"]["estimate"] == cap.brier_score(counts)
    text = str(found)
    assert "Brier score" in text
    assert re.search(r"Positives are 1\.\d+ times what the PDs predict \[", text)
    page = cap.evaluate(LOW, {"p": PD}, pd="p").to_html()
    assert "<h2>Calibration of p</h2>" in page
    assert page.count("Decision curve") >= 1
    assert "Calibration of" not in cap.evaluate(LOW, {"p": PD}).to_html()


@pytest.mark.parametrize("pd", [0, 1])
def test_pds_that_are_all_alike_and_certain_are_drawn(pd):
    counts = cap.count_scores(LOW, GRADE, levels=LEVELS)
    page = cap.evaluate(counts, pd=dict.fromkeys("ABCD", pd)).to_html()
    assert f"There were {LOW.sum()} positives; the PDs predicted {pd * N:,}." in page


@pytest.mark.merge
def test_the_page_of_many_pds_stays_small():
    scores = {f"p{i}": np.clip(PD * (1 + i / 20), 0, 1) for i in range(6)}
    page = cap.evaluate(LOW, scores, pd=True).to_html()
    assert len(page.encode()) < 500_000
    assert page.count("<h2>Calibration of") == 4
    assert "Those of the other 2 scores are in its workbook and JSON" in page


def test_the_sheet_has_a_section_after_grades():
    counts = cap.count_scores(LOW, GRADE, levels=LEVELS)
    limits = {
        "calibration.portfolio": {"green": 0.05, "red": 0.01},
        "calibration.observed_expected": {"green": 1.1, "red": 1.2, "by": "estimate"},
    }
    sheet = cap.validate(counts, pd=OF_GRADES, limits=limits)
    titles = [section.title for section in sheet.sections]
    assert titles[titles.index("Grades") + 1] == "Calibration"
    tests = sheet.tests
    assert tests["calibration.portfolio"].light == "red"
    assert tests["calibration.observed_expected"].light == "red"
    table = cap.pd_tests(counts, pd=OF_GRADES)
    assert tests["calibration.grades"].p_value == table["p_adjusted"].min()
    slope = cap.logistic_recalibration(counts, pd=OF_GRADES).slope
    assert tests["calibration.slope"].estimate == slope.estimate
    parts = cap.score_decomposition(counts, pd=OF_GRADES)
    assert tests["calibration.miscalibration"].estimate == parts.miscalibration / parts.uncertainty
    assert not any("calibration" in what for what, _ in sheet.not_done)
    assert not any("calibration" in what for what in sheet.not_covered)
    with pytest.raises(ValueError, match=r"^asset_correlation= is for PDs; pass pd="):
        cap.validate(counts, asset_correlation=0.1)
    allowed = cap.validate(counts, pd=OF_GRADES, asset_correlation=0.1).tests
    assert allowed["calibration.portfolio"].p_value > tests["calibration.portfolio"].p_value
    without = cap.validate(counts)
    assert ("calibration of PDs", "needs the PDs") in without.not_done
    assert not any(name.startswith("calibration.") for name in without.tests)
    assert "Calibration" in sheet.to_html()


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{y},{p},{g}\n" for y, p, g in zip(LOW, PD, GRADE, strict=True))
    (tmp_path / "loans.csv").write_text("y,pd,grade\n" + rows)
    return "loans.csv"


@pytest.mark.merge
def test_the_command(file, tmp_path):
    text = done("calibration", file, "-t", "y", "-s", "pd", "--at", "0.1,0.2").stdout
    assert f"There were {LOW.sum()} positives; the PDs predicted" in text
    written = done("calibration", file, "-t", "y", "-s", "pd", "--format", "json").stdout
    known = cap.assess_calibration(LOW, PD)
    assert json.loads(written)["brier_score"]["estimate"] == known.brier_score.estimate
    graded = ("calibration", file, "-t", "y", "-s", "grade", "--levels", "D,C,B,A")
    found = json.loads(done(*graded, "--grade-pd", SAID, "--format", "json").stdout)
    assert found["grades"]["columns"]["score"] == LEVELS
    (tmp_path / "pds.csv").write_text("grade,pd\n" + SAID.replace(",", "\n").replace("=", ","))
    assert json.loads(done(*graded, "--grade-pd", "pds.csv", "--format", "json").stdout) == found
    table = pd.read_csv("pds.csv")
    table.to_excel("pds.xlsx", index=False)
    table.to_csv("comma.csv", index=False, sep=";", decimal=",")
    for name in ("pds.xlsx", "comma.csv"):
        assert json.loads(done(*graded, "--grade-pd", name, "--format", "json").stdout) == found
    table.assign(pd=[*table.pd[:-1], None]).to_excel("lacks.xlsx", index=False)
    failed = refused(*graded, "--grade-pd", "lacks.xlsx")
    assert f"the PD of {table.grade.iloc[-1]} is no number" in failed
    exact = done(*graded, "--grade-pd", SAID, "--method", "binomial", "--format", "json").stdout
    expected = cap.pd_tests(LOW, GRADE, levels=LEVELS, pd=OF_GRADES, method="binomial")[
        "p_value"
    ].tolist()
    assert json.loads(exact)["grades"]["columns"]["p_value"] == pytest.approx(expected)
    for name in ("c.html", "c.xlsx", "c.md"):
        done(*graded, "--grade-pd", SAID, "-o", name)
        assert (tmp_path / name).stat().st_size > 1000
    for kind in ("calibration", "decision"):
        done("plot", file, "-t", "y", "-s", "pd", "--kind", kind, "-o", f"{kind}.png")
        assert (tmp_path / f"{kind}.png").stat().st_size > 10_000


@pytest.mark.merge
def test_the_sheet_and_the_report_on_the_command_line(file):
    words = ("validate", file, "-t", "y", "-s", "grade", "--levels", "D,C,B,A")
    sheet = json.loads(done(*words, "--grade-pd", SAID, "--format", "json").stdout)
    assert sheet["schema_version"] == 2
    assert "calibration.grades" in {test["id"] for test in sheet["tests"]}
    without = json.loads(done(*words, "--format", "json").stdout)
    assert not any(test["id"].startswith("calibration") for test in without["tests"])
    of_pds = ("validate", file, "-t", "y", "-s", "pd", "--pd", "pd", "--format", "json")
    assert "calibration.slope" in {test["id"] for test in json.loads(done(*of_pds).stdout)["tests"]}


OF_GRADE = ("-t", "y", "-s", "grade", "--levels", "D,C,B,A")


@pytest.mark.merge
def test_pds_are_named_alike_in_every_command(file):
    known = cap.count_joint(LOW, {"grade": GRADE, "pd": PD}, levels={"grade": LEVELS})
    ratio = cap.observed_to_expected(known, pd="pd")
    beside = ("calibration", file, *OF_GRADE, "--pd", "pd", "--format", "json")
    assert json.loads(done(*beside).stdout)["observed_to_expected"]["estimate"] == ratio
    for words in ((*OF_GRADE, "--pd", "pd"), ("-t", "y", "-s", "pd", "--pd", "pd")):
        sheet = json.loads(done("validate", file, *words, "--format", "json").stdout)
        tests = {test["id"]: test for test in sheet["tests"]}
        assert tests["calibration.observed_expected"]["estimate"] == ratio
        assert not any(name.startswith("challenger") for name in tests)
    both = ("-t", "y", "-s", "pd", "-s", "grade", "--levels", "grade=D,C,B,A")
    ratios = {}
    for said in (("--pd", "pd"), ("--grade-pd", SAID)):
        found = json.loads(done("summary", file, *both, *said, "--format", "json").stdout)
        for each in found["scores"]:
            if each["calibration"] is not None:
                ratios[each["name"]] = each["calibration"]["observed_to_expected"]["estimate"]
    of_grades = cap.observed_to_expected(LOW, GRADE, levels=LEVELS, pd=OF_GRADES)
    assert ratios == {"pd": ratio, "grade": of_grades}


@pytest.mark.merge
def test_pds_of_grades_are_given_to_an_evaluation_by_grade_or_by_score():
    scores = {"grade": GRADE, "p": PD}
    found = cap.evaluate(
        LOW, scores, levels={"grade": LEVELS}, pd={"grade": OF_GRADES, "p": True}, by=GRADE > "B"
    ).summaries
    assert found["p"].calibration == cap.assess_calibration(LOW, PD)
    counts = cap.count_scores(LOW, GRADE, levels=LEVELS)
    alone = cap.evaluate(counts, pd=OF_GRADES).summaries["score"]
    assert found["grade"].calibration.tests == alone.calibration.tests
    assert alone.implied.p_value == cap.implied_accuracy_ratio(counts, pd=OF_GRADES).p_value
    one = cap.evaluate(LOW, scores, levels={"grade": LEVELS}, pd={"grade": OF_GRADES}).summaries
    assert one["p"].calibration is None


@pytest.mark.parametrize(
    ("most", "result", "said"),
    [
        ("1.05", "fail", "lower limit {low} > 1.05"),
        ("{estimate}", "inconclusive", "on both sides of"),
        ("9", "pass", "upper limit {high} <= 9"),
    ],
)
def test_a_check_of_observed_to_expected_has_three_outcomes(file, most, result, said):
    known = cap.confidence_interval(LOW, PD, "observed_to_expected", level=0.9)
    words = (
        "check",
        file,
        "-t",
        "y",
        "-s",
        "pd",
        "--max-oe",
        most.format(estimate=f"{known.estimate:.2f}"),
    )
    shown = call(*words, "--format", "json")
    (found,) = json.loads(shown.stdout)["checks"]
    assert (found["result"], shown.exit_code) == (result, int(result == "fail"))
    assert [found["low"], found["high"]] == pytest.approx([*known])
    assert said.format(low=f"{known.low:.3f}", high=f"{known.high:.3f}") in found["line"]
    if result == "inconclusive":
        strict = call(*words, "--inconclusive", "fail")
        assert strict.exit_code == 1
        assert "of more than" in shown.stderr


def test_a_check_of_grades_and_of_cases_without_positives(file, tmp_path):
    words = ("check", file, *OF_GRADE, "--max-oe", "9", "--grade-pd", SAID, "--format", "json")
    (found,) = json.loads(done(*words).stdout)["checks"]
    expected = cap.observed_to_expected(LOW, GRADE, levels=LEVELS, pd=OF_GRADES)
    assert found["estimate"] == expected
    (tmp_path / "none.csv").write_text("y,pd\n0,0.5\n0,0.5\n0,0.4\n0,0.3\n0,0.5\n0,0.9\n")
    (none,) = json.loads(
        done(
            "check", "none.csv", "-t", "y", "-s", "pd", "--max-oe", "1.5", "--format", "json"
        ).stdout
    )["checks"]
    assert (none["result"], none["estimate"]) == ("pass", 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--grade-pd", "A=0.1,B=0.2,A=0.3"), "--grade-pd has two PDs of A; leave one out"),
        (
            ("--grade-pd", SAID, "--method", "binomial", "--asset-correlation", "0.1"),
            "--asset-correlation goes with --method mid_p",
        ),
        (("--grade-pd", "A=x"), "the PD of A is no number: x"),
        (("--grade-pd", "A=0.1"), "--grade-pd has no PD for score 'D' and 2 others"),
        (("--grade-pd", "none.csv"), "--grade-pd none.csv: No such file"),
        (("--grade-pd", "bytes.csv"), "bytes.csv is not written in utf-16: byte 2"),
        (
            ("--grade-pd", SAID, "--at", "0.1,nan"),
            "--at must be a number, got nan",
        ),
        (("--grade-pd", SAID, "--at", "1"), "--at must be a PD, at least 0 and below 1, got 1.0"),
        (("--grade-pd", SAID, "--by", "grade"), "leave out --by"),
        (("--grade-pd", SAID, "--at", "x"), "--at"),
        ((), "these scores are no numbers"),
    ],
)
def test_mistakes_on_the_command_line(file, tmp_path, words, said):
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    graded = ("calibration", file, "-t", "y", "-s", "grade", "--levels", "D,C,B,A")
    assert said in refused(*graded, *words)


def test_comparing_scores_that_are_no_pds_names_them_and_only_options_it_has(tmp_path):
    rows = "".join(f"{i % 2},{i / 40},{i},{'BA'[i % 2]}\n" for i in range(40))
    (path := tmp_path / "rows.csv").write_text("y,pd,z,g\n" + rows)
    asked = ("compare", str(path), "-t", "y", "-s", "pd", "--metric", "brier-score")
    for other in (("z",), ("z", "--higher-is", "z=negative"), ("g", "--levels", "g=B,A")):
        said = refused(*asked, "-s", *other)
        assert f"leave '{other[0]}' out, or give --metric auc" in said
        assert "--pd" not in said


def test_a_picture_of_pds_needs_pds_as_its_score(file, tmp_path):
    for kind in ("calibration", "decision"):
        asked = ("plot", file, *OF_GRADE, "--kind", kind, "-o", str(tmp_path / "x.png"))
        assert refused(*asked).endswith("but 'D'; make the PDs the --score")


def test_one_threshold_worse_than_acting_on_everybody_is_no_range():
    counts = cap.ScoreCounts.from_counts([0.2, 0.1], [10, 40], [90, 60])
    for cuts, said in (([0.15], "cut-off of 15%, acting"), ([0.12, 0.15], "of 12% to 15%, acting")):
        found = cap.assess_calibration(counts, thresholds=cuts).findings
        (told,) = (each for each in found if each.code == "worse_than_treating_all")
        assert said in told.message


@pytest.mark.merge
def test_a_sheet_of_clusters_says_that_many_scores_are_no_grades():
    sheet = cap.validate(LOW, PD, pd="score", cluster=np.arange(len(PD)) // 2)
    test = sheet.tests["calibration.grades"]
    assert test.notes == ("the scores are too many to be grades",)


def test_grades_too_low_in_a_portfolio_too_high_are_both_said():
    # A PD of 0 with 10 positives of 20, and a PD of 1 with none.
    found = cap.assess_calibration(cap.ScoreCounts.from_counts([1.0, 0.0], [0, 10], [20, 10]))
    said = {each.code: each for each in found.findings}
    assert said["pds_too_low"].advice == "raise these PDs"
    assert "(observed to expected 0.50" in said["pds_too_high"].message
    low = {each.code: each for each in cap.assess_calibration(LOW, PD).findings}
    assert low["pds_too_low"].advice == "raise the level of the PDs"
    assert "pds_too_high" not in low


def test_one_class_has_a_brier_score_and_no_limits():
    found = cap.assess_calibration([1], [0.3])
    text = found.presentation()
    (score,) = (each for each in text.figures if each.metric == "brier_score")
    assert (score.value, score.low) == (pytest.approx(0.49), None)
    assert text.sentences[0].startswith("There was 1 positive; the PDs predicted 0.3")
    assert "intervals of the Brier score" in text.notes[-2]


def test_saved_amounts_have_no_pds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "amounts.csv").write_text("score,amount,exposure,n\n2,10,5,3\n1,3,4,5\n")
    for command in ("summary", "calibration", "validate"):
        said = refused(command, "amounts.csv", "--counts", "--grade-pd", "1=.1,2=.2")
        assert "for positives and negatives" in said


def test_a_method_without_grades_to_test_is_refused(file):
    said = refused("calibration", file, "-t", "y", "-s", "pd", "--method", "binomial")
    assert said.startswith("--method tests each grade, and there are none")


@pytest.mark.merge
def test_the_workbook_has_rates_and_net_benefits(tmp_path):
    levels, pds = {"grade": LEVELS}, {"grade": OF_GRADES, "p": True}
    found = cap.evaluate(LOW, {"grade": GRADE, "p": PD}, levels=levels, pd=pds)
    found.save(path := tmp_path / "pds.xlsx")
    sheet = openpyxl.load_workbook(path)["Calibration"]
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    places = (place for place, row in enumerate(rows, 1) if row[0] in ("PD", "threshold"))
    for summary in found.summaries.values():
        rates, curve = summary.calibration.table, summary.calibration.presentation().tables[-1]
        first = next(places)
        assert rows[first - 1][: len(rates.columns)] == list(map(heading, rates.columns))
        assert_rows(rows[first : first + len(rates)], rates)
        total, ratio = rows[first + len(rates) :][:2]
        expected = rates["expected"].sum()
        assert total[:5] == pytest.approx(["all", N, LOW.sum(), expected, LOW.mean()])
        assert ratio[0] == "observed to expected"
        assert ratio[2] == pytest.approx(LOW.sum() / expected)
        first = next(places)
        shown = [*curve.columns]
        assert rows[first - 1][: len(shown) + 1] == list(
            map(heading, [*shown[:2], "positives", *shown[2:]])
        )
        acted = [row.pop(2) for row in rows[first : first + len(curve)]]
        assert_rows(rows[first : first + len(curve)], curve)
        if summary.name == "p":
            assert acted == [LOW[t <= PD].sum() for t in curve["threshold"]]
    assert next(places, None) is None


def assert_rows(rows, table):
    for row, known in zip(rows, table.rows(), strict=True):
        assert row[: len(known)] == pytest.approx(list(known.values()), rel=1e-10, abs=1e-12)


def test_the_command_line_compares_two_pds_at_a_threshold(tmp_path):
    path = tmp_path / "two.csv"
    rows = [f"{y},{p},{q}" for y, p, q in zip(LOW, PD, np.round(PD**0.8, 4), strict=True)]
    path.write_text("\n".join(["y,p,q", *rows]))
    asked = ("compare", str(path), "-t", "y", "-s", "p", "-s", "q", "--metric", "net-benefit")
    found = json.loads(done(*asked, "--threshold", "0.1", "-f", "json").stdout)
    two = {"p": PD, "q": np.round(PD**0.8, 4)}
    expected = cap.compare(LOW, two, metric="net_benefit", threshold=0.1)
    assert found["estimates"] == list(expected.estimates)
    assert found["pairs"][0]["p_value"] == expected.pairs[0].p_value
