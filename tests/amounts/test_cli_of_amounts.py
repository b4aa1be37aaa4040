"""`--amount` and `--exposure` at the command line: results, refusals, and what is written."""

import csv
import io
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call, done, on_terminal, refused
from oracles.oracle_files import DATA, oracle

ANSWERS = json.loads((DATA / "amounts.json").read_text())
POLICIES = ("policies.csv", "--amount", "claims", "--exposure", "years")
ONE = (*POLICIES, "-s", "model_a")
TWO = (*ONE, "-s", "model_b")
SMALL = ("small.csv", "--amount", "amount", "--exposure", "exposure", "-s", "score")
SIGNED = ("lgd.csv", "--amount", "realised", "--exposure", "ead", "-s", "estimated")


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("policies", "small"):
        shutil.copy(DATA / f"amounts_{name}.csv", tmp_path / f"{name}.csv")
    shutil.copy(DATA / "lgd.csv", tmp_path / "lgd.csv")


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_summary_of_one_score_is_a_card_in_the_words_of_the_columns():
    said = done("summary", *ONE)
    lines = said.stdout.splitlines()
    (ratio,) = (line for line in lines if line.startswith("accuracy ratio"))
    assert ratio.split(maxsplit=3)[3:] == ["0.621  [0.363, 0.739]"]
    assert lines[2:4] == [
        "The top 10% of years contain 29.6% of all claims.",
        (
            "The accuracy ratio is 0.621 for 400 cases, 69 of them with claims, better than chance "
            "(p < 0.001)."
        ),
    ]
    assert "warning: one case makes up 17.5% of all claims" in said.stderr


def test_summary_of_several_scores_compares_them():
    said = done("summary", *TWO).stdout
    assert "model_a minus model_b  +0.109  [−0.038, +0.261]  0.136" in said
    assert "The data do not show which of model_a and model_b ranks better" in said
    rows = table(done("summary", *TWO, "-f", "csv").stdout)
    answers = [ANSWERS[f"policies, {row['score']}, years"] for row in rows]
    for row, answer in zip(rows, answers, strict=True):
        assert float(row["accuracy_ratio"]) == pytest.approx(answer["accuracy_ratio"], rel=1e-12)
        assert float(row["exposure"]) == pytest.approx(answer["exposure_total"], rel=1e-12)
        assert (row["n"], row["with_amount"]) == ("400", "69")


def test_summary_json_has_everything():
    (read,) = json.loads(done("summary", *ONE, "-f", "json").stdout)["scores"]
    assert read["kind"] == "amounts"
    assert read["words"] == {"selected": "years", "captured": "claims"}
    assert (
        read
        == cap.summarize(
            cap.count_values("claims", "model_a", exposure="years", data="policies.csv"),
            name="model_a",
        ).to_dict()
    )


def test_segments_show_their_sums(tmp_path):
    (tmp_path / "months.csv").write_text("m,s,a\n1,3,5\n1,2,0\n1,1,1\n2,3,0\n2,2,0\n3,2,4\n3,1,0\n")
    said = call("summary", "months.csv", "--amount", "a", "-s", "s", "--by", "m", "-f", "csv")
    rows = table(said.stdout)
    assert [row["amount"] for row in rows] == ["6", "0", "4"]
    assert [row["accuracy_ratio"] for row in rows] == ["0.8", "", "1.0"]
    assert "1 of 3 segments has no amounts that differ: 2" in said.stderr
    left = done("gains", "months.csv", "--amount", "a", "-s", "s", "--by", "m", "--bins", "1")
    assert "segment 2 is left out: none of the 2 rows holds an amount" in left.stderr


def test_gains_have_the_columns_of_amounts():
    rows = table(done("gains", *SMALL, "--bins", "score", "-f", "csv").stdout)
    assert list(rows[0]) == [
        *("bin", "score_from", "score_to", "n", "exposure", "amount", "mean_amount"),
        *("cum_amount", "selected", "captured", "lift", "cum_lift", "cum_mean_amount"),
    ]
    assert [row["amount"] for row in rows] == ["120", "280", "10", "0", "40", "5"]
    bare = done("gains", "small.csv", "--amount", "amount", "-s", "score").stdout
    assert "exposure" not in bare.splitlines()[0]


def test_curves_are_those_of_the_oracle():
    points = [[float(x), float(y)] for x, y in ANSWERS["small, exposure"]["points"]]
    rows = table(done("curve", *SMALL, "--absolute", "-f", "csv").stdout)
    assert [[float(row["x"]), float(row["y"])] for row in rows] == points
    lorenz = table(done("curve", *SMALL, "--kind", "lorenz", "-f", "csv").stdout)
    assert float(lorenz[1]["y"]) == pytest.approx(5 / 455)


@pytest.mark.merge
def test_amounts_below_zero_have_absolute_curves_and_say_so():
    assert "curves with --absolute and the accuracy ratio remain" in refused("curve", *SIGNED)
    rows = table(done("curve", *SIGNED, "--absolute", "-f", "csv").stdout)
    assert float(rows[-1]["y"]) == pytest.approx(oracle("lgd.csv")["realised"].sum())
    said = done("summary", *SIGNED)
    assert "Shares are undefined because some amounts are below 0" in said.stdout
    assert "captured" not in said.stdout
    done("plot", *SIGNED, "--absolute", "-o", "a.svg")


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["cap", "lorenz", "lift", "mean-amount"])
def test_every_picture_of_amounts_is_drawn(kind, tmp_path):
    done("plot", *TWO, "--kind", kind, "-o", "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314 - ours


def test_profit_is_drawn_of_one_score():
    done("plot", *ONE, "--kind", "profit", "--value", 0.2, "--cost", 100, "-o", "a.svg")
    assert "--kind profit needs --value and --cost" in refused(
        "plot", *ONE, "--kind", "profit", "-o", "a.svg"
    )


def test_compare_gives_the_test_of_the_oracle():
    (pair,) = json.loads(done("compare", *TWO, "-f", "json").stdout)["pairs"]
    answer = ANSWERS["policies, model_a - model_b, years"]
    assert pair["estimate"] == pytest.approx(answer["difference_ar"], rel=1e-12)
    assert pair["se"] == pytest.approx(answer["se"], rel=1e-12)
    assert pair["p_value"] == pytest.approx(answer["p_value"], rel=0.05)


# check


def lower(metric, **options):
    values = cap.count_values("claims", "model_a", exposure="years", data="policies.csv")
    return cap.confidence_interval(values, metric, level=0.95, side="lower", **options)


@pytest.mark.parametrize(
    ("option", "metric", "label"),
    [
        ("--min-ar", "accuracy_ratio", "accuracy ratio 0.621"),
        ("--min-index", "concentration_index", "concentration index 0.571"),
        ("--min-captured", "captured_response", "captured in the top 10% 0.296"),
        ("--min-lift", "lift", "lift in the top 10% 2.957"),
        ("--min-mean", "mean_amount", "mean amount in the top 10% 862.2"),
    ],
)
def test_a_minimum_is_held_against_the_lower_limit(option, metric, label):
    whole = metric in {"accuracy_ratio", "concentration_index"}
    limit = lower(metric, **({} if whole else {"q": 0.1})).low
    for bound, code, word in ((limit * 0.99, 0, "PASS"), (limit * 1.01, 1, "FAIL")):
        said = call("check", *ONE, option, bound if whole else f"0.1={bound}")
        assert said.exit_code == code
        assert said.stdout.startswith(f"{word} {label}, one-sided 95% lower limit ")


def test_the_lift_is_a_rule_for_classes_too():
    text = "y,s\n" + "\n".join(f"{int(i % 7 == 0 or i > 70)},{i}" for i in range(100))
    Path("y.csv").write_text(text)
    said = call("check", "y.csv", "-t", "y", "-s", "s", "--min-lift", "0.1=1")
    assert said.stdout.startswith("PASS lift in the top 10% 2.500")


def test_a_drop_is_seen_against_a_summary_and_against_counts():
    done("summary", *ONE, "-f", "json", "-o", "before.json")
    done("counts", *ONE, "-o", "before.csv")
    worse = (*POLICIES, "-s", "model_b")
    for before in ("before.json", "before.csv"):
        said = call("check", *worse, "--baseline", before, "--max-drop", "0.05")
        assert said.exit_code == 0
        assert said.stdout.startswith("INCONCLUSIVE drop of the accuracy ratio 0.109, one-sided")
        assert "neither shown nor excluded" in said.stderr
        assert "of samples" not in said.stderr  # how large a drop shows is not known of amounts
        same = call("check", *ONE, "--baseline", before, "--max-drop", "0.05")
        assert same.stdout == (
            "PASS drop of the accuracy ratio 0.000: the same counts as the baseline\n"
        )
    strict = call(
        "check", *worse, "--baseline", "before.csv", "--max-drop", 0.05, "--inconclusive", "fail"
    )
    assert strict.exit_code == 1


def test_limits_of_a_drop_join_those_of_both_samples():
    done("counts", *ONE, "-o", "before.csv")
    worse = (*POLICIES, "-s", "model_b", "--baseline", "before.csv", "--max-drop", "0.05")
    (found,) = json.loads(call("check", *worse, "-f", "json").stdout)["checks"]
    ends = []
    for name in ("model_a", "model_b"):
        values = cap.count_values("claims", name, exposure="years", data="policies.csv")
        ends.append(cap.confidence_interval(values, "accuracy_ratio", level=0.9))
    first, second = ends
    estimate = first.estimate - second.estimate
    down = np.hypot(first.estimate - first.low, second.high - second.estimate)
    up = np.hypot(first.high - first.estimate, second.estimate - second.low)
    assert found["low"] == pytest.approx(estimate - down, rel=1e-9)
    assert found["high"] == pytest.approx(estimate + up, rel=1e-9)


def test_a_baseline_of_another_kind_is_refused():
    done("counts", *ONE, "-o", "years.csv")
    done("summary", "policies.csv", "--amount", "claims", "-s", "model_a", "-o", "cases.json")
    Path("y.csv").write_text("y,s\n1,3\n0,2\n1,1\n0,1\n")
    drop = ("--max-drop", "0.1", "--baseline")
    said = refused("check", "y.csv", "-t", "y", "-s", "s", *drop, "years.csv")
    assert "is of amounts by exposure and this sample is of positives and negatives" in said
    said = refused("check", *ONE, *drop, "cases.json")
    assert "cases.json is of amounts by case and this sample is of amounts by exposure" in said


def test_outcomes_are_junit_and_markdown():
    text = call("check", *ONE, "--min-index", 0.9, "--min-mean", "0.1=1", "-f", "junit").stdout
    cases = ET.fromstring(text.encode()).findall(".//testcase")  # noqa: S314 - ours
    assert [case.get("name") for case in cases] == [
        "concentration index >= 0.9",
        "mean amount in the top 10% >= 1",
    ]
    assert [case.find("failure") is not None for case in cases] == [True, False]


def test_a_rule_on_undefined_shares_fails_with_the_reason():
    said = call("check", *SIGNED, "--min-captured", "0.1=0.1")
    assert said.exit_code == 1
    assert said.stdout.startswith(
        "FAIL captured in the top 10% is undefined: some amounts are below zero"
    )


# what is refused


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("summary", *ONE, "-t", "claims"), "--target does not go with --amount"),
        (("summary", *ONE, "--weight", "years"), "--weight does not go with --amount"),
        (("summary", *ONE, "--prevalence", 0.1), "amounts have no prevalence"),
        (("summary", *ONE, "-o", "a.xlsx"), "write .json, .csv or .md"),
        (("report", *ONE, "-o", "a.xlsx"), "write .html, .json or a picture"),
        (("summary", "policies.csv", "--exposure", "years", "-s", "model_a"), "--amount"),
        (("thresholds", *ONE), "use capcurve gains --bins score"),
        (("steps", *ONE), "use capcurve gains --bins score"),
        (("gains", *ONE, "--interval", "wilson"), "leave it out"),
        (("gains", *ONE, "--prevalence", 0.1), "leave it out"),
        (("curve", *ONE, "--kind", "roc"), "choose cap, lift, local-lift"),
        (("curve", *ONE, "--kind", "lift", "--absolute"), "--absolute is for --kind cap"),
        (("plot", *ONE, "--kind", "ks", "-o", "a.svg"), "choose cap, lorenz, lift, mean-amount"),
        (("compare", *TWO, "--metric", "auc"), "give ar"),
        (("check", *ONE, "--min-auc", 0.5), "--min-auc is for positives and negatives"),
        (("check", *ONE, "--min-ks", 0.5), "give --min-ar"),
        (("check", *ONE, "--min-mean", "0.1"), "--min-mean must be SHARE=MINIMUM"),
        (("check", *ONE, "--min-index", 2), "--min-index must be between -1 and 1"),
        (
            ("sql", "--amount", "a", "--dialect", "duckdb", "--table", "t", "-t", "y", "-s", "s"),
            "count_values(data=...)",
        ),
    ],
)
def test_what_amounts_do_not_have_is_refused_in_one_line(words, told):
    assert told in refused(*words)


def test_what_classes_do_not_have_is_refused_in_one_line():
    Path("y.csv").write_text("y,s\n1,3\n0,2\n1,1\n0,1\n")
    rows = ("y.csv", "-t", "y", "-s", "s")
    assert "these are positives and negatives" in refused("check", *rows, "--min-index", 0.1)
    assert "needs --amount" in refused("plot", *rows, "--kind", "mean-amount", "-o", "a.svg")


@pytest.mark.merge
def test_saved_amounts_are_read_by_every_command():
    done("counts", *ONE, "-o", "cells.parquet")
    cells = ("cells.parquet", "--counts")
    assert (
        done("summary", *cells).stdout.splitlines()[1:]
        == (done("summary", *ONE).stdout.splitlines()[1:])
    )
    assert done("gains", *cells).stdout == done("gains", *ONE).stdout
    assert done("curve", *cells, "-f", "csv").stdout == done("curve", *ONE, "-f", "csv").stdout
    done("plot", *cells, "--kind", "mean-amount", "-o", "a.svg")
    assert "use capcurve gains --bins score" in refused("thresholds", *cells)
    assert "workbook" in refused("summary", *cells, "-o", "a.xlsx")
    assert "give --min-ar" in refused("check", *cells, "--min-auc", 0.4)
    assert "of amounts draw cap" in refused("plot", *cells, "--kind", "ks", "-o", "b.svg")


def test_columns_are_listed_when_the_score_is_not_named():
    said = call("summary", *POLICIES)
    assert said.exit_code == 2
    assert "name the score column with --score" in said.stderr
    assert f"capcurve summary {' '.join(POLICIES)} --score " in said.stderr


def test_a_narrow_terminal_keeps_the_ratio_and_what_is_captured():
    shown, _ = on_terminal("summary", *TWO, columns=80, env={"NO_COLOR": "1"})
    text = shown.decode()
    assert max(map(len, text.splitlines())) <= 80
    assert "top" in text
    assert "not shown for lack of width: with amount" in text
