"""`capcurve stability` and `check --max-psi`: the library's numbers, or one line of refusal."""

import csv
import io
import json

import numpy as np
import pytest

import capcurve as cap
from cli_calls import call, done, on_terminal, refused

SCALE = ["C", "B", "A"]
CASES = {"before": (30, 60, 110), "after": (15, 45, 140)}


def rows(when):
    rng = np.random.default_rng(len(when))
    for grade, n in zip(SCALE, CASES[when], strict=True):
        for _ in range(n):
            yield (
                grade,
                round(0.3 - 0.1 * SCALE.index(grade) + 0.05 * rng.random(), 3),
                int(rng.random() < 0.4 - 0.1 * SCALE.index(grade)),
            )


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for when, cases in CASES.items():
        text = "".join(f"{g},{pd},{y}\n" for g, pd, y in rows(when))
        (tmp_path / f"{when}.csv").write_text("grade,pd,y\n" + text)
        pairs = zip(SCALE, cases, strict=True)
        (tmp_path / f"{when}_n.csv").write_text(
            "grade,n\n" + "".join(f"{grade},{n}\n" for grade, n in pairs)
        )


def counted(when, **options):
    return cap.count_cases("grade", data=f"{when}.csv", levels=SCALE, **options)


GRADES = ("-s", "grade", "--levels", "C,B,A")


def test_it_is_the_number_of_the_library():
    found = json.loads(
        done("stability", "before.csv", "after.csv", *GRADES, "--format", "json").stdout
    )
    expected = cap.population_stability(counted("before"), counted("after"))
    assert found == expected.to_dict()
    assert found["labels"] == ["before", "after"]
    assert found["n_before"] == 200


def test_tables_of_cases_are_counts():
    words = ("--counts", "--levels", "C,B,A", "--format", "csv")
    table = done("stability", "before_n.csv", "after_n.csv", *words).stdout
    read = list(csv.DictReader(io.StringIO(table)))
    assert [row["grade"] for row in read] == SCALE
    assert [int(row["after"]) for row in read] == [15, 45, 140]
    # Saved counts of classes are counts of cases, too.
    done("counts", "before.csv", "-t", "y", *GRADES, "-o", "saved.parquet")
    done("counts", "after.csv", "-t", "y", *GRADES, "-o", "saved.json")
    saved = done("stability", "saved.parquet", "saved.json", "--counts", "--format", "csv").stdout
    assert saved == table


def test_grades_that_are_numbers_in_one_file_and_text_in_the_other(tmp_path):
    (tmp_path / "one.csv").write_text("g\n1\n2\n2\n")
    (tmp_path / "two.csv").write_text("g\n1\n2\nx\n")
    words = ("-s", "g", "--levels", "x,2,1", "--format", "json")
    found = json.loads(done("stability", "one.csv", "two.csv", *words).stdout)
    assert (found["bins"], found["empty"]) == (["x", "2", "1"], ["x"])


def test_positives_need_outcomes():
    words = ("before.csv", "after.csv", "-s", "pd", "--bins", "0.3,0.2", "--of", "positives")
    found = json.loads(done("stability", *words, "-t", "y", "--format", "json").stdout)
    one, two = (cap.count_scores("y", "pd", data=f"{when}.csv") for when in CASES)
    assert found["psi"] == cap.psi(one, two, bins=[0.3, 0.2], of="positives").psi
    assert "needs outcomes" in refused("stability", *words)


@pytest.mark.merge
def test_it_shows_itself(tmp_path):
    words = ("stability", "before.csv", "after.csv", *GRADES)
    shown, _ = on_terminal(*words, columns=80)
    lines = shown.decode().splitlines()
    assert "The portfolio's PSI is 0.110 [0.011, 0.262], " in "".join(lines)
    assert max(map(len, lines)) <= 90  # with marks for bold
    done(*words, "-o", "psi.html")
    page = (tmp_path / "psi.html").read_text()
    assert "before.csv, after.csv" in page
    assert "<script" not in page
    done(*words, "-o", "psi.svg")
    assert (tmp_path / "psi.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("before.csv", *GRADES), "two files, BEFORE and AFTER, and got 1"),
        (("before.csv", "after.csv"), "name the score column with --score"),
        (("before.csv", "after.csv", "-s", "pd", "-s", "grade"), "pass one --score"),
        (("before.csv", "after.csv", "-s", "pd", "-t", "y"), "need no --target"),
        (
            ("before.csv", "after.csv", "-s", "pd", "--pos-label", "1"),
            "--pos-label is for outcomes",
        ),
        (("before.csv", "after.csv", "-s", "grade"), "pass --levels"),
        (("before.csv", "after.csv", "-s", "pd", "--bins", "x"), "--bins must be"),
        (("before.csv", "none.csv", "-s", "pd"), "none.csv"),
        (("before.csv", "after_n.csv", "-s", "pd"), "pd"),
        (("before_n.csv", "after_n.csv", "--counts", "--weight", "n"), "--weight is for rows"),
        (("before.csv", "after.csv", "-s", "pd", "--level", "1"), "--level"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(words, said):
    assert said in refused("stability", *words)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grade,m\nA,3\n", "named like the cases"),
        ("x,n\n1,3\n", "named like the score"),
        ("grade,n\nA,3\nB,\n", "has no value in 1 rows"),
        ("grade,n\nA,-3\n", "n"),
    ],
)
def test_tables_that_hold_no_cases_are_refused_in_one_line(text, said, tmp_path):
    (tmp_path / "table.csv").write_text(text)
    assert said in refused(
        "stability", "table.csv", "before_n.csv", "--counts", "--levels", "C,B,A"
    )


def test_saved_counts_of_amounts_are_refused(tmp_path):
    (tmp_path / "losses.csv").write_text("grade,loss\nC,10\nB,0\n")
    done("counts", "losses.csv", "--amount", "loss", *GRADES, "-o", "amounts.parquet")
    said = refused("stability", "amounts.parquet", "amounts.parquet", "--counts")
    assert "holds amounts, and shares of cases need cases" in said


ASK = ("check", "after.csv", "-t", "y", *GRADES, "--baseline", "saved.csv")


def saved(*words):
    done("counts", "before.csv", "-t", "y", *GRADES, "-o", "saved.csv", *words)


@pytest.mark.parametrize(
    ("bound", "result", "exit_code"), [(0.5, "pass", 0), (0, "fail", 1), (0.04, "inconclusive", 0)]
)
def test_a_check_holds_the_limits_of_the_index_against_a_bound(bound, result, exit_code):
    saved()
    found = call(*ASK, "--max-psi", bound, "--format", "json")
    (outcome,) = json.loads(found.stdout)["checks"]
    limits = cap.psi(counted("before"), counted("after"), level=0.9)
    assert outcome["estimate"] == limits.psi
    assert (outcome["low"], outcome["high"]) == pytest.approx((limits.low, limits.high))
    assert (outcome["result"], outcome["rule"], found.exit_code) == (result, "max_psi", exit_code)
    if result == "inconclusive":
        assert "a PSI above 0.04 is neither shown nor excluded" in found.stderr
        assert call(*ASK, "--max-psi", bound, "--inconclusive", "fail").exit_code == 1


def test_the_same_counts_pass_and_an_infinite_index_never_does(tmp_path):
    saved()
    same = ("check", "before.csv", *ASK[2:], "--max-psi", "0")
    assert "the same counts" in done(*same).stdout
    (tmp_path / "after.csv").write_text(
        "grade,y\n" + "C,1\nC,0\n" * 20 + "B,0\n" * 60 + "A,0\n" * 100 + "D,0\n"
    )
    ask = ("check", "after.csv", "-t", "y", "-s", "grade", "--levels", "D,C,B,A")
    line = done(*ask, "--baseline", "saved.csv", "--max-psi", "0.2").stdout
    assert line == (
        "INCONCLUSIVE PSI inf: D has cases in one sample only; with half a case added to every "
        "count the PSI is 0.024, limits 0.000 and 0.072\n"
    )
    strict = ("--max-psi", "9", "--inconclusive", "fail")
    assert call(*ask, "--baseline", "saved.csv", *strict).exit_code == 1


def test_rows_of_clusters_are_neither_shown_to_be_stable_nor_not():
    saved()
    ask = (*ASK, "--cluster", "pd", "--max-psi", "0.5")
    line = done(*ask).stdout
    assert line.startswith("INCONCLUSIVE PSI 0.")
    assert "rows of one cluster are not independent" in line
    assert call(*ask, "--inconclusive", "fail").exit_code == 1


def test_few_cases_for_each_bin_pass_no_check_of_stability(tmp_path):
    scale = [f"g{k:02}" for k in range(20)]
    rows = [f"{name},{k % 2}\n" for name in scale for k in range(200)]
    (tmp_path / "many.csv").write_text("grade,y\n" + "".join(rows))
    few = [f"{name},{k % 2}\n" for name in scale for k in range(2)]
    (tmp_path / "few.csv").write_text("grade,y\n" + "".join(few))
    levels = ("-t", "y", "-s", "grade", "--levels", ",".join(scale))
    done("counts", "many.csv", *levels, "-o", "many_counts.csv")
    ask = ("check", "few.csv", *levels, "--baseline", "many_counts.csv", "--max-psi", "0.1")
    line = done(*ask).stdout
    assert line.startswith("INCONCLUSIVE PSI 0.000: fewer than 5 cases for each bin")
    assert call(*ask, "--inconclusive", "fail").exit_code == 1


def test_a_check_of_stability_needs_counts_of_cases():
    saved()
    done("summary", "before.csv", "-t", "y", "-s", "pd", "-o", "saved.json")
    assert "go together" in refused("check", "after.csv", "-t", "y", "-s", "pd", "--max-psi", "0.1")
    assert "which a summary or a number does not give" in refused(
        "check", "after.csv", "-t", "y", "-s", "pd", "--baseline", "saved.json", "--max-psi", "0.1"
    )
    assert "leave out --by" in refused(*ASK, "--max-psi", "0.1", "--by", "grade")
    assert "--max-psi must be a number of at least 0, got -1" in refused(*ASK, "--max-psi", "-1")
    assert "--max-psi must be a number of at least 0, got nan" in refused(*ASK, "--max-psi", "nan")


def test_a_check_says_why_an_index_above_its_upper_limit_passes(tmp_path):
    for name, size, seed in (("old", 300, 9), ("new", 60, 109)):
        score = np.random.default_rng(seed).normal(size=size).round(2)
        lines = "".join(f"{k % 5 == 0:d},{each}\n" for k, each in enumerate(score))
        (tmp_path / f"{name}.csv").write_text("y,s\n" + lines)
    columns = ("-t", "y", "-s", "s")
    done("counts", "old.csv", *columns, "-o", "old_counts.csv")
    ask = ("check", "new.csv", *columns, "--baseline", "old_counts.csv", "--max-psi", "0.1")
    line = done(*ask).stdout.strip()
    found = json.loads(done(*ask, "--format", "json").stdout)["checks"][0]
    assert found["high"] < found["estimate"]
    usual = 9 * (1 / 300 + 1 / 60)
    assert line.startswith(f"PASS PSI {found['estimate']:.3f}, one-sided 95% upper limit")
    assert line.endswith(
        "; the PSI is above its interval, because chance alone adds "
        f"{usual:.3f} to it on average, and the interval allows for that"
    )
    assert found["line"] == line
    done(*ask, "-o", "junit.xml")
    assert line.replace("<=", "&lt;=") in (tmp_path / "junit.xml").read_text()


def test_a_check_shows_an_infinite_index_with_half_a_case_added(tmp_path):
    for name, cases in {"old": "1223445", "new": "1333445"}.items():
        lines = [f"{k % 2},{grade}\n" for grade in cases for k in range(30)]
        (tmp_path / f"{name}.csv").write_text("y,s\n" + "".join(lines))
    columns = ("-t", "y", "-s", "s")
    done("counts", "old.csv", *columns, "-o", "old_counts.csv")
    said = call("check", "new.csv", *columns, "--baseline", "old_counts.csv", "--max-psi", "0.1")
    assert said.exit_code == 1
    assert said.stdout.startswith("FAIL PSI inf, one-sided 95% lower limit ")
    assert said.stdout.strip().endswith(
        "; 2 has cases in one sample only; with half a case added to every count the PSI is 1.661"
    )
