"""`capcurve compare` and `capcurve check`: what chance leaves of scores, at the command line."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.special import expit, logit, ndtri

import capcurve as cap
from capcurve.show.format import signed
from cli_calls import call, done, on_terminal, process, refused

TWO = ("two.csv", "-t", "y", "-s", "new", "-s", "old")
ONE = ("two.csv", "-t", "y", "-s", "new")


@pytest.fixture(autouse=True)
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [80, 720])
    shared = rng.normal(size=800)
    columns = {
        "y": y,
        "new": (shared + rng.normal(size=800) * 0.5 + 1.6 * y).round(3),
        "old": (shared + rng.normal(size=800) * 0.5 + 0.9 * y).round(3),
        "month": np.tile(["Jan", "Feb"], 400),
        "same": np.zeros(800),
    }
    columns["same"] = 2 * columns["new"] + 1
    with (tmp_path / "two.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return columns


def joint(rows, *names):
    return cap.count_joint(rows["y"], {name: rows[name] for name in names})


# compare


@pytest.mark.merge
def test_compare_says_what_the_paired_test_says(rows):
    test = cap.compare(joint(rows, "new", "old"), metric="accuracy_ratio").pairs[0]
    said = done("compare", *TWO).stdout
    assert f"{test.estimate:+.3f}  [{signed(test.low)}, {signed(test.high)}]" in said
    assert said.splitlines()[2] == (
        f"new ranks better than old by {test.estimate:.3f} AR "
        f"[{test.low:.3f}, {test.high:.3f}] (p < 0.001)."
    )
    read = json.loads(done("compare", *TWO, "-f", "json").stdout)
    assert read["pairs"][0]["p_value"] == test.p_value
    line = next(csv.DictReader(io.StringIO(done("compare", *TWO, "-f", "csv").stdout)))
    assert float(line["estimate"]) == test.estimate
    assert "| new minus old | " in done("compare", *TWO, "-f", "md").stdout
    done("compare", *TWO, "-o", "compared.html")
    assert f"{test.estimate:+.3f}" in Path("compared.html").read_text("utf-8")
    done("compare", *TWO, "-o", "compared.svg")
    assert "<svg" in Path("compared.svg").read_text("utf-8")


def test_compare_turns_the_interval_with_the_sentence(rows):
    test = cap.compare(joint(rows, "old", "new"), metric="accuracy_ratio", level=0.9).pairs[0]
    said = done("compare", "two.csv", "-t", "y", "-s", "old", "-s", "new", "--level", 0.9).stdout
    assert test.high < 0
    assert f"new ranks better than old by {-test.estimate:.3f} AR [{-test.high:.3f}, " in said
    assert "90% interval" in said


def test_identical_rankings_have_a_p_value_of_one():
    said = done("compare", "two.csv", "-t", "y", "-s", "new", "-s", "same").stdout
    assert "new and same rank all cases identically (p = 1.000)." in said


def test_three_scores_are_adjusted_and_tested_together(rows):
    tests = cap.compare(joint(rows, "new", "old", "same"), metric="accuracy_ratio")
    said = done("compare", *TWO, "-s", "same").stdout
    assert "p (all pairs)" in said
    assert "95% interval (all pairs)" in said
    assert "The data show that the AR differs between the scores (p < 0.001)." in said
    assert f"Overall test: {tests.overall.method}." in said
    read = json.loads(done("compare", *TWO, "-s", "same", "-f", "json").stdout)
    assert read["overall"]["p_value"] == tests.p_value
    assert [pair["p_adjusted"] for pair in read["pairs"]] == [p.p_adjusted for p in tests.pairs]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("superior", 0), "The data show that new ranks better than old (difference +"),
        (
            ("superior", 0.5),
            "The data do not show that new ranks better than old by more than 0.5 AR (difference +",
        ),
        (
            ("non-inferior", 0.02),
            "The data show that new is not worse than old by more than 0.02 AR (difference +",
        ),
        (("inferior", 0), "The data do not show that new ranks worse than old (difference +"),
        (
            ("equivalent", 0.01),
            "The data do not show that new and old differ by less than 0.01 AR (difference +",
        ),
    ],
)
def test_compare_answers_the_question_that_was_asked(words, said):
    alternative, margin = words
    found = done("compare", *TWO, "--alternative", alternative, "--margin", margin).stdout
    assert said in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TWO, "--margin", "0.1"), "a margin needs a direction: --alternative superior"),
        ((*TWO, "--margin", "nan"), "--margin must be a number, got nan"),
        ((*TWO, "--level", "nan"), "level must be between 0 and 1, got nan"),
        (("two.csv", "-t", "y", "-s", "new", "-s", "none"), "none"),
    ],
)
def test_compare_refuses_what_it_cannot_answer(words, said):
    assert said in refused("compare", *words)


# summary


@pytest.mark.merge
def test_a_summary_of_two_scores_compares_them(rows):
    test = cap.compare(joint(rows, "new", "old"), metric="accuracy_ratio").pairs[0]
    said = done("summary", *TWO).stdout
    assert "new ranks better than old by " in said
    read = json.loads(done("summary", *TWO, "-f", "json").stdout)
    assert read["comparison"]["pairs"][0]["p_value"] == test.p_value
    assert read["scores"][0]["intervals"]["roc_auc"]["method"] == "envelope"
    assert "ranks better than old" in done("summary", *TWO, "-f", "md").stdout


@pytest.mark.merge
def test_a_table_of_segments_has_an_interval_each():
    found = done("summary", *ONE, "--by", "month", "--level", 0.8)
    _, _, after = found.stdout.partition("\nsegment")
    heading, *lines = after.splitlines()
    assert "80% interval" in heading
    assert all("[0." in line for line in lines[:3])
    first = next(csv.DictReader(io.StringIO(done("summary", *ONE, "-f", "csv").stdout)))
    low, value, high = (float(first[f"accuracy_ratio{end}"]) for end in ("_low", "", "_high"))
    assert low < value < high


def test_a_card_fits_a_terminal_of_80_columns():
    shown = on_terminal("summary", *ONE, env={"NO_COLOR": "1"})[0].decode()
    assert "95% interval" in shown
    assert max(map(len, shown.splitlines())) <= 80


# check


def lowest(rows, metric, confidence=0.95, **options):
    counts = cap.count_scores(rows["y"], rows["new"])
    return cap.confidence_interval(counts, metric, level=confidence, side="lower", **options).low


def test_check_holds_the_lower_limit_against_the_minimum(rows):
    low = lowest(rows, "accuracy_ratio")
    found = call("check", *ONE, "--min-ar", round(low - 0.001, 4))
    assert found.exit_code == 0
    assert found.stdout.startswith("PASS accuracy ratio 0.")
    found = call("check", *ONE, "--min-ar", round(low + 0.001, 4))
    assert found.exit_code == 1
    assert found.stdout.startswith("FAIL accuracy ratio 0.")
    assert f"one-sided 95% lower limit {low:.3f} < " in found.stdout
    # Surer limits lie lower.
    assert call("check", *ONE, "--min-ar", round(low - 0.001, 4), "--confidence", 0.99).exit_code


def check_of(limits, *words):
    Path("limits.toml").write_text(limits)
    return call("check", *ONE, "--limits", "limits.toml", *words)


def test_check_holds_a_score_against_the_limits_of_a_validation_sheet(rows):
    counts = cap.count_scores(rows["y"], rows["new"])
    low, high = (
        cap.confidence_interval(counts, "accuracy_ratio", level=0.95, side=side)
        for side in ("lower", "upper")
    )
    middle = (low.low + high.high) / 2
    for green, red, code, said in (
        (low.low - 0.01, low.low - 0.02, 0, "PASS"),
        (middle, low.low - 0.01, 0, "INCONCLUSIVE"),
        (high.high + 0.02, high.high + 0.01, 1, "FAIL"),
    ):
        found = check_of(f"[accuracy_ratio]\ngreen = {green}\nred = {red}\n")
        assert (found.exit_code, found.stdout.split()[0]) == (code, said)
    assert f"upper limit {high.high:.3f} < " in found.stdout
    judged_by = f'by = "estimate"\ngreen = {low.estimate - 0.001}\nred = 0\n'
    found = check_of(f"[accuracy_ratio]\n{judged_by}")
    assert f"PASS accuracy ratio {low.estimate:.3f} >= " in found.stdout
    unclear = f"[accuracy_ratio]\ngreen = {middle}\nred = {low.low - 0.01}\n"
    assert check_of(unclear, "--inconclusive", "fail").exit_code == 1


@pytest.mark.merge
def test_check_says_which_limits_it_holds_nothing_against():
    own = "[ks]\ngreen = 0\nred = 0\n[drop]\ngreen = 0.5\nred = 0.9\n[psi]\ngreen = 1\nred = 2\n"
    found = check_of(own)
    assert found.exit_code == 0
    assert found.stdout.startswith("PASS KS ")
    assert "the limits of initial.drop, stability.psi; see capcurve validate" in found.stderr
    done("counts", *ONE, "-o", "now.csv")
    found = check_of(own, "--baseline", "now.csv", "-f", "json")
    assert [each["rule"] for each in json.loads(found.stdout)["checks"]] == [
        *("min", "max_drop", "max_psi")
    ]
    assert "see capcurve validate" not in found.stderr
    # Of whole portfolios, so that no segment is held against it.
    for words, code in (("[ks]\ngreen = 0\nred = 0\n", 0), ("", 2)):
        by = ("--by", "same", "--all-segments", "--baseline", "now.csv")
        found = check_of(f"{words}[psi]\ngreen = 1\nred = 2\n", *by)
        assert found.exit_code == code
        assert "stability.psi" not in found.stdout
        assert "the limits of stability.psi, which is about whole portfolios" in found.stderr
    assert "limits.toml has no limits of what is checked here" in found.stderr
    found = check_of("[grades.monotone]\ngreen = 0.05\nred = 0.01\n")
    assert found.exit_code == 2
    assert "has no limits of what is checked here" in found.stderr


@pytest.mark.merge
def test_check_has_a_line_for_each_rule_and_part(rows):
    words = ("--min-auc", 0.5, "--min-ks", 0.99, "--min-captured", "0.1=0.05")
    found = call("check", *TWO, "--by", "month", *words)
    *lines, last = found.stdout.splitlines()
    assert found.exit_code == 1
    assert len(lines) == 2 * 2 * 3
    assert last == "4 of 12 rules failed"
    call("check", *TWO, "--by", "month", *words, "-o", "rules.html")
    page = Path("rules.html").read_text("utf-8")
    assert '<p class="lead red">' in page
    assert page.index("FAIL: 4 of 12 rules failed.") < page.index(">FAIL</td>")
    assert page.rindex(">FAIL</td>") < page.index(">PASS</td>")
    refused = call("check", *ONE, "--min-ar", 0.1, "-o", "rules.png")
    assert refused.exit_code == 2
    assert "name the column of --periods, or write .html" in refused.stderr
    # What fails comes first, the rest below it, both by score and part.
    assert [line.split(":")[0] for line in lines[:5]] == [
        *("FAIL new Jan", "FAIL new Feb", "FAIL old Jan", "FAIL old Feb", "PASS new Jan")
    ]
    read = json.loads(call("check", *ONE, *words, "-f", "json").stdout)
    assert read["result"] == "fail"
    by_metric = {each["metric"]: each for each in read["checks"]}
    assert by_metric["captured_response"]["low"] == lowest(rows, "captured_response", q=0.1)
    assert by_metric["ks"]["low"] == lowest(rows, "ks")


def test_a_drop_passes_fails_or_is_inconclusive(rows):
    done("counts", "two.csv", "-t", "y", "-s", "new", "-o", "before.parquet")
    words = ("check", "two.csv", "-t", "y", "-s", "old", "--baseline", "before.parquet")
    before, now = (cap.count_scores(rows["y"], rows[name]) for name in ("new", "old"))
    test = cap.compare_independent(before, now, metric="accuracy_ratio", level=0.9)
    low, high = round(test.low, 4), round(test.high, 4)
    assert 0.01 < low < high

    def said(bound, *more):
        found = call(*words, "--max-drop", bound, *more)
        return found.exit_code, found.stdout, found.stderr

    code, line, _ = said(high + 0.001)
    assert (code, line.split()[0]) == (0, "PASS")
    assert f"one-sided 95% upper limit {test.high:.3f} <= " in line
    code, line, _ = said(low - 0.001)
    assert (code, line.split()[0]) == (1, "FAIL")
    assert f"one-sided 95% lower limit {test.low:.3f} > " in line
    middle = round((low + high) / 2, 4)
    code, line, warning = said(middle)
    assert (code, line.split()[0]) == (0, "INCONCLUSIVE")
    assert (
        f"one-sided 95% limits {test.low:.3f} and {test.high:.3f} on both sides of {middle:g}"
        in line
    )
    shows = cap.detectable_drop(
        *(before.n1, before.n0, cap.accuracy_ratio(before)),
        margin=middle,
        initial=(now.n1, now.n0),
    )
    assert warning.startswith("warning: inconclusive: a drop of more than ")
    assert f"80% of samples of this size show it if the true drop is {shows:.2f}" in warning
    code, line, warning = said(middle, "--inconclusive", "fail")
    assert (code, line.split()[0], warning) == (1, "FAIL", "")
    assert f"one-sided 95% upper limit {test.high:.3f} > {middle:g}" in line


@pytest.mark.merge
def test_a_sample_passes_against_itself():
    done("summary", *TWO, "-o", "last.json")
    done("counts", *ONE, "-o", "last.csv")
    for baseline in ("last.json", "last.csv"):
        found = call("check", *ONE, "--baseline", baseline, "--max-drop", 0)
        assert found.exit_code == 0
        assert found.stdout == (
            "PASS drop of the accuracy ratio 0.000: the same counts as the baseline\n"
        )


def test_a_baseline_summary_brings_its_own_chance(rows):
    done("summary", *TWO, "-o", "last.json")
    words = ("check", "two.csv", "-t", "y", "-s", "new", "--max-drop", 0.02, "--by", "month")
    judged = json.loads(call(*words, "--baseline", "last.json", "-f", "json").stdout)["checks"]
    _, read = judged  # of January and February
    saved = json.loads(Path("last.json").read_text())["scores"][0]
    within = saved["intervals"]["accuracy_ratio"]
    month = cap.count_segments(rows["y"], rows["new"], by=rows["month"])["Feb"]
    now = cap.confidence_interval(month, "accuracy_ratio", level=0.9)
    # The limits of its 95% interval, moved on the scale ln(AUC/(1 - AUC)) to one-sided ones.
    middle = logit((1 + saved["accuracy_ratio"]) / 2)
    part = ndtri(0.95) / ndtri(0.975)
    earlier = [
        2 * expit(middle + part * (logit((1 + within[end]) / 2) - middle)) - 1
        for end in ("low", "high")
    ]
    assert read["estimate"] == pytest.approx(saved["accuracy_ratio"] - now.estimate)
    assert read["estimate"] - read["low"] == pytest.approx(
        math.hypot(saved["accuracy_ratio"] - earlier[0], now.high - now.estimate)
    )
    assert read["high"] - read["estimate"] == pytest.approx(
        math.hypot(earlier[1] - saved["accuracy_ratio"], now.estimate - now.low)
    )


def test_a_baseline_without_an_interval_is_taken_as_exact(rows):
    ratio = cap.accuracy_ratio(cap.count_scores(rows["y"], rows["new"]))
    written = {"scores": [{"name": "any", "accuracy_ratio": ratio}]}
    Path("hand.json").write_text(json.dumps(written))
    found = call("check", *ONE, "--baseline", "hand.json", "--max-drop", 0.001, "-f", "json")
    outcome = json.loads(found.stdout)["checks"][0]
    assert outcome["high"] == pytest.approx(ratio - lowest(rows, "accuracy_ratio"), rel=1e-12)
    assert (
        "the baseline of new has no interval; its accuracy ratio is taken as exact" in found.stderr
    )


def test_a_segment_that_cannot_be_judged_fails_a_minimum_and_leaves_a_drop_open(tmp_path):
    (tmp_path / "lone.csv").write_text("y,s,g\n1,0.9,a\n0,0.4,a\n1,0.5,a\n0,0.1,a\n0,0.3,c\n")
    done("counts", *ONE, "-o", "last.csv")
    words = ("check", "lone.csv", "-t", "y", "-s", "s", "--by", "g")
    found = call(*words, "--min-ar", -1)
    assert found.exit_code == 1
    undefined = "c: {}accuracy ratio is undefined: there are no positives"
    assert found.stdout.splitlines()[0] == f"FAIL {undefined.format('')}"
    found = call(*words, "--baseline", "last.csv", "--max-drop", 2)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0] == f"INCONCLUSIVE {undefined.format('drop of the ')}"


def test_a_finding_names_the_flag_for_clusters(tmp_path):
    (tmp_path / "ids.csv").write_text("y,s,who\n1,4,1\n0,3,1\n1,2,2\n0,1,2\n")
    said = call("summary", "ids.csv", "-t", "y", "-s", "s", "--id", "who").stderr
    assert "pass --cluster with the id" in said


def test_junit_is_xml_whatever_the_names(tmp_path):
    text = (tmp_path / "two.csv").read_text().replace("Jan", 'J<&"\x07]]>')
    (tmp_path / "odd.csv").write_text(text)
    words = ("odd.csv", "-t", "y", "-s", "new", "--by", "month", "--min-ar", 0.1, "--min-ks", 0.99)
    found = call("check", *words, "-o", "result.xml")
    assert found.exit_code == 1
    root = ET.parse(tmp_path / "result.xml").getroot()  # noqa: S314 - our own
    suite = root.find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    cases = suite.findall("testcase")
    assert [case.find("failure") is not None for case in cases] == [False, True, False, True]
    assert 'J<&"\\x07]]>' in {case.get("classname") for case in cases}
    assert cases[1].get("name") == "KS >= 0.99"
    assert cases[1].find("failure").get("message").startswith("FAIL ")


def test_junit_counts_what_is_inconclusive_as_skipped(tmp_path, rows):
    done("counts", "two.csv", "-t", "y", "-s", "old", "-o", "last.csv")
    estimate = cap.accuracy_ratio(cap.count_scores(rows["y"], rows["old"]))
    bound = max(estimate - cap.accuracy_ratio(cap.count_scores(rows["y"], rows["new"])), 0)
    words = ("check", *ONE, "--by", "month", "--baseline", "last.csv", "--max-drop", bound)
    done(*words, "-o", "result.xml")
    suite = ET.parse(tmp_path / "result.xml").getroot().find("testsuite")  # noqa: S314 - our own
    skipped = [case.find("skipped") for case in suite.findall("testcase")]
    assert suite.get("skipped") == str(sum(each is not None for each in skipped))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--max-drop", "0.1"), "--baseline and --max-drop go together"),
        (("--baseline", "two.csv"), "--baseline and --max-drop go together"),
        (("--baseline", "none.json", "--max-drop", "0.1"), "none.json"),
        (("--baseline", "two.txt", "--max-drop", "0.1"), "two.txt: no such file"),
        (("--min-captured", "0.1"), "must be SHARE=MINIMUM"),
        (("--min-captured", "2=0.1"), "both shares"),
        (("--min-ar", "0.1", "--confidence", "95"), "confidence"),
        (("--min-ar", "0.1", "-o", "result.csv"), "must end in"),
        (("--min-ar", "nan"), "--min-ar must be between -1 and 1, got nan"),
        (("--min-auc", "75"), "--min-auc must be between 0 and 1, got 75"),
        (("--min-ks", "-1"), "--min-ks must be between 0 and 1, got -1"),
        (("--baseline", "two.csv", "--max-drop", "nan"), "--max-drop must be between 0 and 2"),
    ],
)
def test_check_refuses_what_is_no_rule(words, said):
    assert said in refused("check", *ONE, *words)


@pytest.mark.merge
def test_a_baseline_that_is_no_summary_is_refused(tmp_path):
    done("summary", *TWO, "-o", "last.json")
    for text in (
        "{",
        "[" * 100_000,
        "[]",
        '{"scores": []}',
        '{"scores": [{"name": "new", "accuracy_ratio": null}]}',
    ):
        (tmp_path / "bad.json").write_text(text)
        assert "bad.json" in refused("check", *ONE, "--baseline", "bad.json", "--max-drop", 0.1)
    line = refused(
        *("check", "two.csv", "-t", "y", "-s", "same", "-s", "new"),
        *("--baseline", "last.json", "--max-drop", 0.1),
    )
    assert "has new, old, but not same" in line


@pytest.mark.merge
def test_the_exit_code_is_that_of_the_process():
    assert process("check", *ONE, "--min-ar", 0.1).returncode == 0
    assert process("check", *ONE, "--min-ar", 0.99).returncode == 1
    assert process("check", *ONE).returncode == 2


# gains


def test_gains_adds_the_interval_of_each_rate(rows):
    table = cap.rate_table(cap.count_scores(rows["y"], rows["new"]), bins=4, method="wilson")
    words = ("gains", *ONE, "--bins", 4, "--interval", "wilson")
    found = list(csv.DictReader(io.StringIO(done(*words, "-f", "csv").stdout)))
    assert [float(line["rate_low"]) for line in found] == table["rate_low"].tolist()
    assert "rate low" in done(*words).stdout
    assert "rate_low" not in done("gains", *ONE, "-f", "csv").stdout
