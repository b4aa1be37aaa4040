"""Every command does its work, and its numbers are those of the library."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

import capcurve as cap
from capcurve.input.files import Files, read_cells
from capcurve.show import PICTURES
from cli_calls import call, done, refused

RNG = np.random.default_rng(3)
N = 300
Y = (RNG.random(N) < 0.3).astype(int)
PD = np.round(RNG.random(N) * 0.6 + 0.2 * Y, 3)
OLD = RNG.integers(300, 850, N)
MONTH = np.array(["2024-01", "2024-02", "2024-03"])[RNG.integers(0, 3, N)]
GRADE = np.array(list("ABCD"))[np.minimum((PD * 5).astype(int), 3)]
ROWS = "default,pd,old,month,grade\n" + "".join(
    f"{y},{p},{o},{m},{g}\n" for y, p, o, m, g in zip(Y, PD, OLD, MONTH, GRADE, strict=True)
)
COUNTS = cap.count_scores(Y, PD)
PAIR = ("--target", "default", "--score", "pd")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loans.csv").write_text(ROWS)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def parsed(text):
    return json.loads(text, parse_constant=pytest.fail)


# summary


def test_gains_have_a_page_that_begins_with_the_finding_and_a_picture_of_the_rates(tmp_path):
    words = ("gains", "loans.csv", *PAIR, "--bins", "3")
    done(*words, "-o", "gains.html")
    page = (tmp_path / "gains.html").read_text("utf-8")
    first, *_, last = rows_of(done(*words, "-f", "csv").stdout)
    held, lift, rate = (float(first[name]) for name in ("captured", "lift", "rate"))
    said = f"Bin 1 of 3 contains {held:.1%} of all positives (lift {lift:.2f})."
    assert f'<p class="lead">{said}</p>' in page
    end = float(last["rate"])
    assert f"The rate of positives is {rate:.1%} in bin 1 and {end:.1%} in bin 3." in page
    assert f"All cases  {COUNTS.n1 / COUNTS.n:.1%}" in page
    assert "<h1>Gains table (pd for default)</h1>" in page
    assert page.index('class="lead"') < page.index("<figure") < page.index("<caption>")
    done(*words, "--by", "month", "-o", "gains.html")
    page = (tmp_path / "gains.html").read_text("utf-8")
    for month in set(MONTH):
        assert f"{month}: bin 1 of 3 contains" in page
        assert f"<caption>Gains table of <span class=whole>{month}</span></caption>" in page
    done(*words, "-o", "gains.svg")
    assert "<svg" in (tmp_path / "gains.svg").read_text("utf-8")


def test_the_summary_is_a_card_with_a_sentence():
    result = done("summary", "loans.csv", *PAIR)
    sentence = cap.summarize(COUNTS, name="pd").sentence
    first, second = sentence.split(". The")
    assert result.stdout.startswith(f"How well pd ranks default\n\n{first}.\nThe{second[:-1]}, ")
    assert ["cases", "300"] in [line.split()[:2] for line in result.stdout.splitlines()]
    assert "\x1b" not in result.stdout


def test_the_summary_in_json_is_that_of_the_library():
    found = parsed(done("summary", "loans.csv", *PAIR, "-f", "json").stdout)
    expected = cap.evaluate(Y, {"pd": PD}).to_dict()["scores"]
    assert found["schema_version"] == 1
    assert found["scores"] == expected


@pytest.mark.merge
def test_a_report_names_the_file_and_not_its_folder(tmp_path):
    for path in ("loans.csv", tmp_path / "loans.csv", "./loans.csv"):
        found = parsed(done("summary", path, *PAIR, "-f", "json").stdout)
        assert found["source"] == "loans.csv"
        assert str(tmp_path) not in done("summary", path, *PAIR).stdout
    assert cap.evaluate("default", "pd", data=tmp_path / "loans.csv").source == "loans.csv"
    found = parsed(done("summary", "-", *PAIR, "-f", "json", data=ROWS).stdout)
    assert found["source"] == "standard input"


@pytest.mark.merge
def test_the_summary_in_csv_has_one_line_per_score_and_segment():
    words = ("summary", "loans.csv", *PAIR, "-s", "old", "--higher-is", "old=negative", "-f", "csv")
    old, new = rows_of(done(*words).stdout)[::-1]
    assert float(new["accuracy_ratio"]) == cap.accuracy_ratio(COUNTS)
    turned = cap.count_scores(Y, OLD, higher_is="negative")
    assert float(old["accuracy_ratio"]) == cap.accuracy_ratio(turned)
    rows = rows_of(done(*words, "--by", "month").stdout)
    months = cap.count_segments(Y, PD, by=MONTH)
    assert [(row["score"], row["segment"]) for row in rows[:3]] == [("pd", m) for m in months]
    assert [float(row["roc_auc"]) for row in rows[:3]] == list(map(cap.roc_auc, months.values()))
    assert len(rows) == 6


@pytest.mark.merge
def test_the_summary_of_segments_ends_with_the_whole():
    lines = done("summary", "loans.csv", *PAIR, "--by", "month").stdout.splitlines()
    assert [line.split()[0] for line in lines[-5:]] == [
        "segment",
        "2024-01",
        "2024-02",
        "2024-03",
        "all",
    ]


def test_the_summary_in_markdown_is_a_table():
    lines = done("summary", "loans.csv", *PAIR, "-f", "md").stdout.splitlines()
    assert lines[0] == "# How well pd ranks default"
    assert "| number | value | 95% interval | note |" in lines
    assert any(line.startswith("| 10 | ") for line in lines)  # the last bin of the gains table
    ratio = cap.accuracy_ratio(COUNTS)
    assert any(line.startswith(f"| accuracy ratio (Gini) | {ratio:.3f} | [") for line in lines)


def test_segments_without_a_value_or_a_class_do_not_stop_the_summary(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("y,s,m\n1,3,a\n0,2,a\n0,1,b\n0,1,\n")
    result = done("summary", path, "-t", "y", "-s", "s", "--by", "m")
    assert [line.split()[0] for line in result.stdout.splitlines()[-4:]] == [
        "a",
        "b",
        "(none)",
        "all",
    ]
    assert "warning: 2 of 3 segments have only one class" in result.stderr
    found = parsed(done("summary", path, "-t", "y", "-s", "s", "--by", "m", "-f", "json").stdout)
    assert found["segments"]["s"][1]["accuracy_ratio"] is None


@pytest.mark.merge
def test_a_reversed_segment_is_told_on_stderr(tmp_path):
    path = tmp_path / "parts.csv"
    rows = [
        (m, i % 3 == 0, i % 7 + (-3 if m == "c" else 3) * (i % 3 == 0))
        for m in "abc"
        for i in range(60)
    ]
    path.write_text("m,y,s\n" + "".join(f"{m},{int(y)},{s}\n" for m, y, s in rows))
    result = done("summary", path, "-t", "y", "-s", "s", "--by", "m")
    assert "warning: segment c: the score looks reversed" in result.stderr
    assert "segments differ" not in result.stderr  # it is said with the numbers
    assert "The accuracy ratio differs by m more than chance explains (p < 0.001)" in result.stdout


def test_findings_go_to_stderr_in_the_words_of_the_command_line():
    result = done("summary", "loans.csv", "-t", "default", "-s", "pd", "--higher-is", "negative")
    assert re.search(
        r"^warning: the score looks reversed: .*; .*--higher-is positive", result.stderr
    )
    assert "reversed" not in result.stdout
    both = done("summary", "loans.csv", *PAIR, "-s", "old", "--higher-is", "pd=negative")
    assert "--higher-is pd=positive" in both.stderr


# report


def test_the_report_is_written_and_said(tmp_path):
    result = done("report", "loans.csv", *PAIR)
    page = (tmp_path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html")
    assert "How well pd ranks default" in page
    assert result.stdout == ""
    headline = cap.summarize(COUNTS, name="pd").sentence.partition(". The")[0]
    assert result.stderr.startswith(f"{headline}.\n")
    size = (tmp_path / "report.html").stat().st_size / 1000
    assert result.stderr.endswith(f"report.html ({size:,.0f} kB) written\n")
    said = done("report", "loans.csv", *PAIR, "--positive-word", "defaults").stderr
    assert said.startswith(f"{headline.replace('positives', 'defaults')}.\n")


@pytest.mark.merge
def test_the_report_takes_a_name_a_title_and_another_form(tmp_path):
    done("report", "loans.csv", *PAIR, "-o", "q3.html", "--title", "Loans <Q3>")
    assert "Loans &lt;Q3&gt;" in (tmp_path / "q3.html").read_text()
    done("report", "loans.csv", *PAIR, "--by", "month", "-o", "numbers.json")
    assert parsed((tmp_path / "numbers.json").read_text())["by"] == "month"


@pytest.mark.parametrize(
    "suffix", ["svg", *(pytest.param(form, marks=pytest.mark.merge) for form in ("png", "pdf"))]
)
def test_a_report_may_be_a_picture(tmp_path, suffix):
    done("report", "loans.csv", *PAIR, "-s", "old", "-o", f"cap.{suffix}")
    assert (tmp_path / f"cap.{suffix}").stat().st_size > 1000


def test_no_cases_are_told_once(tmp_path):
    (tmp_path / "heads.csv").write_text("y,s\n")
    line = refused("summary", "heads.csv", "-t", "y", "-s", "s")
    assert line == "there are no cases; check what was selected"


# tables


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["gains"], lambda: cap.gains_table(COUNTS)),
        (["gains", "--bins", "4"], lambda: cap.gains_table(COUNTS, bins=4)),
        (["gains", "--bins", "score"], lambda: cap.gains_table(COUNTS, bins="score")),
        (["gains", "--bins", "0.1,0.5"], lambda: cap.gains_table(COUNTS, bins=[0.1, 0.5])),
        (["gains", "--bins", "0.5"], lambda: cap.gains_table(COUNTS, bins=[0.5])),
        (["gains", "--prevalence", ".01"], lambda: cap.gains_table(COUNTS, prevalence=0.01)),
        (["thresholds"], lambda: cap.threshold_table(COUNTS)),
        (["steps"], lambda: cap.step_table(COUNTS)),
        (["steps", "--ideal"], lambda: cap.step_table(COUNTS, ideal=True)),
    ],
)
def test_tables_are_those_of_the_library(words, expected):
    table = expected()
    command, *options = words
    base = [command, "loans.csv", *PAIR, *options]
    found = parsed(done(*base, "-f", "json").stdout)
    assert found["parts"] == [{"note": table.note, "rows": list(table.rows())}]
    rows = rows_of(done(*base, "-f", "csv").stdout)
    shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in table.rows()]
    assert rows == shown
    assert len(done(*base).stdout.splitlines()) == len(table) + 1
    assert len(done(*base, "-f", "md").stdout.splitlines()) == len(table) + 2


def test_tables_of_segments_stand_under_each_other():
    rows = rows_of(done("gains", "loans.csv", *PAIR, "--by", "month", "-f", "csv").stdout)
    assert len(rows) == 30
    assert {row["segment"] for row in rows} == set(MONTH)
    words = ["steps", "loans.csv", *PAIR, "-s", "old", "-f", "csv"]
    assert {row["score_name"] for row in rows_of(done(*words).stdout)} == {"pd", "old"}


def test_grades_are_cut_at_grades():
    words = ["-t", "default", "-s", "grade", "--levels", "D, C,B,A"]
    rows = rows_of(
        done("gains", "loans.csv", *words, "--bins", "C,B", "-f", "csv").stdout,
    )
    assert [(row["score_from"], row["score_to"]) for row in rows] == [
        ("D", "C"),
        ("B", "B"),
        ("A", "A"),
    ]


def test_notes_go_to_stderr():
    result = done("gains", "loans.csv", "-t", "default", "-s", "grade", "--levels", "D,C,B,A")
    assert result.stderr == "note: 4 bins instead of 10: ties are never split between bins\n"


# curves and pictures


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("cap", cap.cap_curve),
        ("roc", cap.roc_curve),
        ("lift", cap.lift_curve),
        ("local-lift", cap.local_lift_curve),
        ("captured-response", cap.captured_response_curve),
        ("precision-recall", cap.precision_recall_curve),
        ("risk-coverage", cap.risk_coverage_curve),
        ("lorenz", cap.lorenz_curve),
        ("ks", cap.ks_curve),
    ],
)
def test_curves_are_those_of_the_library(kind, function):
    line = function(COUNTS)
    words = ["curve", "loans.csv", *PAIR, "--kind", kind]
    assert parsed(done(*words, "-f", "json").stdout)["parts"] == [line.to_dict()]
    rows = rows_of(done(*words, "-f", "csv").stdout)
    assert [float(row["x"]) for row in rows] == line.x.tolist()
    assert [float(row["y"]) for row in rows] == line.y.tolist()
    rows = rows_of(done(*words, "-f", "csv", "--points", "4").stdout)
    assert [float(row["y"]) for row in rows] == line.at([0, 0.25, 0.5, 0.75, 1]).tolist()
    fewer = rows_of(done(*words, "-f", "csv", "--tolerance", "0.05").stdout)
    assert len(fewer) == len(line.simplify(0.05))


def test_curves_take_a_class_a_prevalence_and_segments():
    words = ["curve", "loans.csv", *PAIR, "--kind", "captured-response", "--of", "negatives"]
    line = cap.captured_response_curve(COUNTS, of="negatives", prevalence=0.1)
    found = parsed(done(*words, "--prevalence", "0.1", "-f", "json").stdout)
    assert found["parts"][0]["y"] == line.to_dict()["y"]
    found = parsed(done(*words, "--by", "month", "--points", "2", "-f", "json").stdout)
    assert [part["segment"] for part in found["parts"]] == sorted(set(MONTH))
    assert found["parts"][0]["x"] == [0, 0.5, 1]


@pytest.mark.parametrize(
    "suffix", ["png", *(pytest.param(form, marks=pytest.mark.merge) for form in ("svg", "pdf"))]
)
def test_pictures_are_drawn(tmp_path, suffix):
    result = done("plot", "loans.csv", *PAIR, "--at", "0.1", "-o", f"cap.{suffix}")
    head = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert (tmp_path / f"cap.{suffix}").read_bytes().startswith(head)
    assert f"cap.{suffix}" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "words",
    [
        ["--kind", "lift", "--prevalence", "0.05"],
        ["--kind", "profit", "--value", "10", "--cost", "2"],
        ["-s", "old", "--by", "month"],
        *(
            pytest.param(["--kind", kind], marks=pytest.mark.merge)
            for kind in ("roc", "captured-response", "ks", "score-distributions")
        ),
    ],
)
def test_every_kind_of_picture_is_drawn(tmp_path, words):
    done("plot", "loans.csv", *PAIR, *words, "-o", "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 1000


@pytest.mark.merge
def test_a_picture_names_its_segments_as_prose(tmp_path):
    with_month = (tmp_path / "loans.csv").read_text("utf-8").replace("month", "loan_month", 1)
    (tmp_path / "loans.csv").write_text(with_month, "utf-8")
    words = ("--by", "loan_month", "--kind", "precision-recall", "-o", "picture.svg")
    done("plot", "loans.csv", *PAIR, *words)
    title = f"Precision and recall of {PAIR[-1]} by loan month</dc:title>"
    assert title in (tmp_path / "picture.svg").read_text("utf-8")


def test_a_picture_is_headed_by_what_it_shows(tmp_path):
    counts = cap.evaluate(PAIR[1], [PAIR[-1], "old"], data=tmp_path / "loans.csv").counts
    held = [f"{100 * cap.captured_response(each, 0.2):.1f}%" for each in counts.values()]
    done("plot", "loans.csv", *PAIR, "-s", "old", "--at", "0.2", "-o", "picture.svg")
    title = f"{PAIR[-1]} finds {held[0]} of positives in its top 20%, old {held[1]}</dc:title>"
    assert title in (tmp_path / "picture.svg").read_text("utf-8")


@pytest.mark.parametrize("kind", ["captured-response", "score-distributions"])
def test_pictures_of_one_score_are_drawn_beside_each_other_for_several(tmp_path, kind):
    done("plot", "loans.csv", *PAIR, "-s", "old", "--kind", kind, "-o", "picture.svg")
    done("plot", "loans.csv", *PAIR, "--by", "month", "--kind", kind, "-o", "months.svg")
    for name, panels in (("picture", 2), ("months", len(set(MONTH)))):
        drawn = (tmp_path / f"{name}.svg").read_text("utf-8")
        assert len(re.findall(r'id="axes_\d+"', drawn)) == panels


# counts


@pytest.mark.parametrize("suffix", ["json", pytest.param("parquet", marks=pytest.mark.merge)])
def test_counts_are_saved_and_read_in_any_command(tmp_path, suffix):
    file = f"cells.{suffix}"
    done("counts", "loans.csv", *PAIR, "--higher-is", "negative", "-o", file)
    saved = cap.count_scores(Y, PD, higher_is="negative")
    assert cap.read_counts(tmp_path / file) == saved
    for command in ("summary", "gains", "thresholds", "steps", "curve"):
        direct = done(command, "loans.csv", *PAIR, "--higher-is", "negative", "-f", "csv").stdout
        again = done(command, file, "--counts", "-f", "csv").stdout
        assert again.splitlines()[1:] == [
            re.sub(r"^pd,", "score,", line) for line in direct.splitlines()[1:]
        ]
    done("report", file, "--counts", "-o", "r.html")


@pytest.mark.merge
def test_counts_of_segments_and_grades_are_saved(tmp_path):
    words = ["-t", "default", "-s", "grade", "--levels", "D,C,B,A", "--by", "month"]
    done("counts", "loans.csv", *words, "-o", "cells.parquet")
    saved = read_cells(Files.of(tmp_path / "cells.parquet"))
    assert saved == cap.count_segments(Y, GRADE, by=MONTH, levels=["D", "C", "B", "A"])
    one = done("summary", "cells.parquet", "--counts").stdout
    # A table of counts does not tell what its segments are.
    rows = done("summary", "loans.csv", *words).stdout.replace("by month", "by segment")
    assert one == rows.replace("How well grade ranks default", "How well the score ranks")


def test_anybodys_table_of_counts_is_read(tmp_path):
    (tmp_path / "grades.csv").write_text("grade;obligors;bad\nA;1000;2\nB;500;9\nC;80;11\n")
    words = ["grades.csv", "--counts", "--levels", "C,B,A"]
    expected = cap.ScoreCounts.from_counts(
        ["A", "B", "C"], [2, 9, 11], [998, 491, 69], levels=["C", "B", "A"]
    )
    found = parsed(done("summary", *words, "-f", "json").stdout)
    assert found["scores"][0]["digest"] == expected.digest()


def test_near_persons_in_a_saved_table_are_told():
    assert "may identify people" in done("counts", "loans.csv", *PAIR, "-o", "c.csv").stderr
    words = ["-t", "default", "-s", "grade", "--levels", "D,C,B,A"]
    assert "people" not in done("counts", "loans.csv", *words, "-o", "c.csv").stderr


# files


@pytest.mark.parametrize("kind", ["csv", "gz", "parquet", "jsonl", "tsv"])
def test_every_kind_of_file_gives_the_same_numbers(tmp_path, kind):
    path = tmp_path / f"other.{kind}"
    if kind == "gz":
        path = tmp_path / "other.csv.gz"
        path.write_bytes(gzip.compress(ROWS.encode()))
    elif kind in {"csv", "tsv"}:
        path.write_text(ROWS.replace(",", "\t"))
    else:
        form = "parquet" if kind == "parquet" else "json"
        with duckdb.connect() as connection:
            connection.execute(f"COPY (FROM 'loans.csv') TO '{path}' (FORMAT {form})")
    assert done("gains", path, *PAIR).stdout == done("gains", "loans.csv", *PAIR).stdout


@pytest.mark.merge
def test_parts_globs_and_stdin_are_one_set_of_rows(tmp_path):
    head, *lines = ROWS.splitlines(keepends=True)
    for place in range(3):
        (tmp_path / f"part{place}.csv").write_text(head + "".join(lines[place::3]))
    expected = done("summary", "loans.csv", *PAIR).stdout
    assert done("summary", "part*.csv", *PAIR).stdout == expected
    assert done("summary", "part0.csv", "part1.csv", "part2.csv", *PAIR).stdout == expected
    assert done("summary", "-", *PAIR, data=ROWS).stdout == expected
    both = done("summary", "part0.csv", "part1.csv", "-", *PAIR, data=(head + "".join(lines[2::3])))
    assert both.stdout == expected


@pytest.mark.merge
def test_the_csv_of_other_countries_and_tools_is_read(tmp_path):
    german = ROWS.replace(",", ";").replace("0.", "0,")
    (tmp_path / "german.csv").write_bytes(b"\xef\xbb\xbf" + german.encode())
    expected = done("summary", "loans.csv", *PAIR).stdout
    assert done("summary", "german.csv", *PAIR).stdout == expected
    words = ["--delimiter", ";", "--decimal", ","]
    assert done("summary", "german.csv", *PAIR, *words).stdout == expected
    (tmp_path / "latin.csv").write_bytes(ROWS.replace("default", "défaut").encode("cp1252"))
    words = ["-t", "défaut", "-s", "pd", "--encoding", "cp1252"]
    named = expected.replace("default", "défaut")  # in the title
    assert done("summary", "latin.csv", *words).stdout == named


def test_words_for_no_value_are_dropped_and_told(tmp_path):
    (tmp_path / "sas.csv").write_text("y,s\n1,3\n0,.\n0,-99x\n0,1\n1,2\n")
    result = done("gains", "sas.csv", "-t", "y", "-s", "s", "--missing", "drop", "--na", "-99x")
    assert "warning: 2 rows without a value were left out (s in 2)" in result.stderr


# labels, grades and weights


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("labels", "word"),
    [
        (("bad", "good"), "bad"),
        (("1", "2"), "1"),
        (("2.5", "1"), "2.5"),
        (("1.0", "2.0"), "1"),
        (("true", "false"), "true"),
        (("True", "False"), "TRUE"),
        (("yes", "no"), "yes"),
        (("Charged Off", "Fully Paid"), "Charged Off"),
    ],
)
@pytest.mark.parametrize("stdin", [True, pytest.param(False, marks=pytest.mark.merge)])
def test_the_label_is_matched_by_value(tmp_path, labels, word, stdin):
    text = "y,s\n" + "".join(f"{labels[1 - y]},{p}\n" for y, p in zip(Y, PD, strict=True))
    (tmp_path / "labels.csv").write_text(text)
    words = ["-t", "y", "-s", "s", "--pos-label", word, "-f", "json"]
    data = {"data": text} if stdin else {}
    result = done("summary", "-" if stdin else "labels.csv", *words, **data)
    assert parsed(result.stdout)["scores"][0]["digest"] == COUNTS.digest()


def test_grades_that_are_numbers_take_levels_too(tmp_path):
    (tmp_path / "g.csv").write_text("y,s\n1,7\n0,3\n1,3\n0,10\n")
    found = done("steps", "g.csv", "-t", "y", "-s", "s", "--levels", "7,3,10", "-f", "csv")
    assert [row["score"] for row in rows_of(found.stdout)] == ["", "7", "3", "10"]


def test_levels_may_be_said_for_one_of_several_scores():
    words = ["-s", "pd", "-s", "grade", "--levels", "grade=D,C,B,A", "-f", "csv"]
    rows = rows_of(done("summary", "loans.csv", "-t", "default", *words).stdout)
    expected = cap.count_scores(Y, GRADE, levels=list("DCBA"))
    assert float(rows[1]["accuracy_ratio"]) == cap.accuracy_ratio(expected)


def test_weights_and_resolution_reach_the_counts():
    words = ["--weight", "old", "--weight-kind", "exposure", "--resolution", "0.1", "-f", "json"]
    found = parsed(done("summary", "loans.csv", *PAIR, *words).stdout)["scores"][0]
    counts = cap.count_scores(Y, PD, weight=OLD, weight_kind="exposure", resolution=0.1)
    assert found["digest"] == counts.digest()
    assert found["weight_kind"] == "exposure"


@pytest.mark.merge
def test_text_for_spreadsheets_is_defused_and_saved_counts_are_exact(tmp_path):
    grades = ["=1+1", "@A", "-5", "B"]
    rows = [f"{n // 4 % 2},{n},{grades[n % 4]}\n" for n in range(16)]
    (tmp_path / "odd.csv").write_text("y,s,grade\n" + "".join(rows))
    words = ("odd.csv", "-t", "y", "-s", "s", "--by", "grade")
    for command in ("gains", "summary", "steps"):
        found = rows_of(done(command, *words, "-f", "csv").stdout)
        assert {row["segment"] for row in found} == {"'=1+1", "'@A", "-5", "B"}
    found = parsed(done("gains", *words, "-f", "json").stdout)
    assert {part["segment"] for part in found["parts"]} == set(grades)
    done("counts", *words, "-o", "cells.csv")
    assert set(read_cells(Files.of(tmp_path / "cells.csv"))) == set(grades)


def test_names_of_scores_are_defused_too(tmp_path):
    (tmp_path / "odd.csv").write_text("y,s,=2*s\n1,2,4\n0,1,2\n1,3,6\n0,2,4\n")
    for command in ("summary", "compare"):
        words = (command, "odd.csv", "-t", "y", "-s", "=2*s", "-s", "s")
        assert "\n'=2*s" in done(*words, "-f", "csv").stdout


def test_rows_by_group_of_clusters_keep_to_the_smallest_cell(tmp_path):
    text = "y,s,id\n" + "".join(f"{n % 2},{n % 3},{n % 40}\n" for n in range(240))
    (tmp_path / "ids.csv").write_text(text)
    words = ("counts", "ids.csv", "-t", "y", "-s", "s", "--cluster", "id", "-o", "cells.parquet")
    done(*words)
    result = call(*words[:-1], "new.parquet", "--min-cell", "5")
    assert result.exit_code == 2
    assert "a row per score and group of clusters" in result.stderr
    assert "--min-cell is 5" in result.stderr
    assert not (tmp_path / "new.parquet").exists()
    again = call("counts", "cells.parquet", "--counts", "--min-cell", "5", "-o", "new.csv")
    assert again.exit_code == 2
    done(*words[:-1], "new.parquet", "--min-cell", "1")
    done(*words[:6], "-o", "new.csv", "--min-cell", "5")


# many segments


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", ["id", "day"])
@pytest.mark.parametrize(
    "words",
    [
        ("validate", "-o", "x.html"),
        ("validate", "--unknown", "-f", "json"),
        ("check", "--min-ar", "0"),
        ("curve",),
        ("steps",),
        ("gains", "-f", "csv"),
        ("thresholds",),
        ("plot", "-o", "x.png"),
        ("implied",),
        ("change",),
    ],
)
def test_no_command_lists_people_or_days_as_segments(tmp_path, words, kind):
    each = [f"2026-01-{i + 1:02d}" if kind == "day" else f"O{i}" for i in range(30)]
    rows = "".join(f"{r % 2},{(r % 7 + 1) / 9},{i}\n" for i in each for r in range(2))
    (tmp_path / "ids.csv").write_text(f"y,s,{kind}\n{rows}")
    files = ["ids.csv"] * (2 if words[0] == "change" else 1)
    asked = (words[0], *files, "-t", "y", "-s", "s", "--by", kind, *words[1:])
    result = call(*asked)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{kind} has 30 values" in " ".join(result.stderr.split())
    assert ("which are days" if kind == "day" else "looks like an id") in result.stderr
    assert "(--all-segments to insist)" in " ".join(result.stderr.split())
    assert not list(tmp_path.glob("x.*"))
    if kind == "id" and words[0] not in ("validate", "plot"):  # which take longer
        assert call(*asked, "--all-segments").exit_code in (0, 1)


def test_small_segments_that_are_put_together_are_no_list_of_people(tmp_path):
    rows = "".join(f"{r % 2},{r},O{i}\n" for i in range(30) for r in range(2))
    rows += "".join(f"{r % 2},{r},big\n" for r in range(40))
    (tmp_path / "ids.csv").write_text("y,s,id\n" + rows)
    words = ("change", "ids.csv", "ids.csv", "-t", "y", "-s", "s", "--by", "id", "--least", "5")
    assert "30 small segments" in done(*words).stdout


def test_counts_by_id_are_saved_and_used_as_a_whole(tmp_path):
    rows = "".join(f"{r % 2},{r},O{i}\n" for i in range(30) for r in range(2))
    (tmp_path / "ids.csv").write_text("y,s,id\n" + rows)
    done("counts", "ids.csv", "-t", "y", "-s", "s", "--by", "id", "-o", "cells.csv")
    assert refused("gains", "cells.csv", "--counts").startswith("segment has 30 values and looks")
    done("stability", "cells.csv", "cells.csv", "--counts")
    done("validate", "ids.csv", "-t", "y", "-s", "s", "--initial", "cells.csv", "-f", "json")


@pytest.mark.parametrize("command", [("summary",), ("report", "-o", "x.json")])
def test_a_column_of_ids_is_no_segment_unless_insisted_on(tmp_path, command):
    rows = "".join(f"{row % 2},{row},O{row:02d}\n" for row in range(40))
    (tmp_path / "ids.csv").write_text("y,s,obligor\n" + rows)
    words = (*command, "ids.csv", "-t", "y", "-s", "s", "--by", "obligor")
    assert refused(*words) == (
        "obligor has 40 values and looks like an id; for dependent rows use --cluster "
        "obligor; for segments pass fewer (--all-segments to insist)"
    )
    result = done(*words, "--all-segments")
    shown = result.stdout or (tmp_path / "x.json").read_text("utf-8")
    listed = dict.fromkeys(re.findall(r"\bO\d\d\b", shown))
    assert [*listed] == [f"O{row:02d}" for row in range(40)]


def test_few_of_many_segments_that_are_left_out_are_named(tmp_path):
    rows = "".join(f"{row % 2},{row},{row}\n" for row in range(20)) + "0,30,z\n1,31,z\n"
    (tmp_path / "ids.csv").write_text("y,s,obligor\n" + rows)
    said = done(
        "gains", "ids.csv", "-t", "y", "-s", "s", "--by", "obligor", "--all-segments"
    ).stderr
    assert said.count(" is left out: ") == 8
    assert "note: 12 more segments are left out" in said


def test_a_file_has_all_segments(tmp_path):
    rows = "".join(f"{row % 2},{row},O{row:02d}\n" for row in range(40))
    (tmp_path / "ids.csv").write_text("y,s,obligor\n" + rows)
    words = ("summary", "ids.csv", "-t", "y", "-s", "s", "--by", "obligor", "--all-segments")
    done(*words, "-o", "all.txt")
    assert (tmp_path / "all.txt").read_text().count("\nO") == 40
    assert len(rows_of(done(*words, "-f", "csv").stdout)) == 40


# without target or score


def test_columns_and_a_likely_pair_are_proposed():
    result = call("report", "loans.csv", "-o", "my report.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0] == "capcurve: name the target and score columns with --target and --score"
    assert [line.split()[0] for line in lines[5:10]] == ["default", "pd", "old", "month", "grade"]
    assert f"Likely: target 'default' (0/1, {np.mean(Y):.1%} ones); score 'pd'. Then run:" in lines
    command = "  capcurve report loans.csv -o 'my report.html' --target default --score pd"
    assert command in lines
    assert lines[-1] == "Other columns that may be scores: -s old"


def test_only_what_is_not_said_is_proposed():
    result = call("summary", "loans.csv", "--score", "old")
    assert result.stderr.splitlines()[0] == "capcurve: error: name the target column with --target"
    assert result.stderr.splitlines()[-1].endswith("loans.csv --score old --target default")


def test_nothing_is_proposed_that_is_a_guess(tmp_path):
    (tmp_path / "odd.csv").write_text("a,b\nx,1\ny,2\nz,3\n")
    result = call("summary", "odd.csv")
    assert result.exit_code == 2
    said = "No column looks like a target or a score; name them.\n\nColumns of numbers: -s b\n"
    assert result.stderr.endswith(said)


def proposed(*words):
    """Return the commands that are proposed, each as words."""
    found = call(*words).stderr.splitlines()
    return [shlex.split(line)[1:] for line in found if line.startswith("  capcurve ")]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("command", "said", "first"),
    [
        ("summary", (), "ja"),
        ("summary", ("-t", "Ausfall"), "nein"),
        ("gains", ("-s", "PD"), "ja"),
        ("curve", (), "nein"),
        ("check", ("-t", "Ausfall"), "ja"),
    ],
)
def test_the_proposed_command_names_the_class_that_is_an_event(tmp_path, command, said, first):
    other = {"ja": "nein", "nein": "ja"}[first]
    rows = "".join(f"{i};{(first, other)[i % 2]};0,{i}\n" for i in range(10, 20))
    (tmp_path / "loans.csv").write_text("\ufeffKunde;Ausfall;PD\n" + rows)
    words = (command, "loans.csv", *said, *(("--min-ar", "-1") if command == "check" else ()))
    (found,) = proposed(*words)
    assert found[-2:] == ["--pos-label", "ja"]
    done(*found)
    assert proposed(*words, "--pos-label", "nein") in (
        [],
        [[*words, "--pos-label", "nein", *found[len(words) : -2]]],
    )


@pytest.mark.merge
def test_either_class_is_proposed_where_neither_is_known_as_an_event(tmp_path):
    (tmp_path / "odd.csv").write_text("kind,score\nZ,1\nA,2\nZ,3\n")
    for said in ((), ("-t", "kind")):
        found = proposed("summary", "odd.csv", *said)
        assert [words[-2:] for words in found] == [["--pos-label", "A"], ["--pos-label", "Z"]]
        for words in found:
            done(*words)


@pytest.mark.parametrize("labels", [("0", "1"), ("0 %", "100 %")])
def test_a_score_with_per_cent_signs_is_proposed(tmp_path, labels):
    rows = "".join(f"{labels[i % 2]};{i},5 %;{i * 100}\n" for i in range(9))
    (tmp_path / "odd.csv").write_text("bad;pd;ead\n" + rows)
    (found,) = proposed("summary", "odd.csv")
    assert found[-4:] == ["--target", "bad", "--score", "pd"]
    done(*found)
    told = f"({'/'.join(labels)}, 44.4% {'ones' if labels[1] == '1' else labels[1]}); score 'pd'."
    assert f"Likely: target 'bad' {told}" in call("summary", "odd.csv").stderr


@pytest.mark.parametrize("pair", ["0 1", "-1 1", "true false", "1.0 0.0"])
def test_no_class_is_proposed_where_labels_speak_for_themselves(tmp_path, pair):
    rows = "".join(f"{pair.split()[i % 2]},{i}\n" for i in range(9))
    (tmp_path / "odd.csv").write_text("bad,score\n" + rows)
    (found,) = proposed("summary", "odd.csv")
    assert "--pos-label" not in found
    done(*found)


def test_columns_of_stdin_are_listed_too():
    result = call("summary", "-", data=ROWS)
    assert "The columns of standard input:" in result.stderr
    assert "  capcurve summary - --target default --score pd" in result.stderr.splitlines()


# output to files


@pytest.mark.parametrize("suffix", ["txt", "json", "csv", "md"])
def test_the_suffix_says_the_format(tmp_path, suffix):
    form = {"txt": "table"}.get(suffix, suffix)
    result = done("gains", "loans.csv", *PAIR, "-o", f"gains.{suffix}")
    assert result.stdout == ""
    expected = done("gains", "loans.csv", *PAIR, "-f", form).stdout
    assert (tmp_path / f"gains.{suffix}").read_text() == expected


def test_a_format_that_is_said_outdoes_the_suffix(tmp_path):
    done("gains", "loans.csv", *PAIR, "-f", "csv", "-o", "gains.dat")
    assert (tmp_path / "gains.dat").read_text().startswith("bin,score_from")


# unusable input


UNUSABLE_FILES = {
    "empty": "",
    "header": "y,s,m,p\n",
    "negatives": "y,s,m,p\n" + "".join(f"0,{row},a,0.{row}\n" for row in range(1, 6)),
    "positives": "y,s,m,p\n" + "".join(f"1,{row},a,0.{row}\n" for row in range(1, 6)),
    "missing": "y,s,m,p\n" + "".join(f",{row},a,0.{row}\n" for row in range(1, 6)),
}
WANTED = ("-t", "y", "-s", "s")
ASKED = {
    "summary": (),
    "report": ("-o", "out.html"),
    "plot": ("-o", "out.svg"),
    "compare": ("-s", "p"),
    "gains": (),
    "curve": ("--kind", "roc"),
    "thresholds": (),
    "change": ("--by", "m", "rows.csv"),
    "check": ("--min-ar", "0.1"),
    "validate": ("-o", "out.html"),
    "implied": (),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("kind", UNUSABLE_FILES)
@pytest.mark.parametrize("command", ASKED)
def test_no_command_succeeds_on_rows_that_say_nothing(tmp_path, command, kind):
    (tmp_path / "no.csv").write_text(UNUSABLE_FILES[kind])
    (tmp_path / "rows.csv").write_text("y,s,m,p\n1,2,a,0.2\n0,1,a,0.1\n")
    result = call(command, "no.csv", *ASKED[command], *WANTED)
    undefined = command == "check" and kind in {"negatives", "positives"}
    assert result.exit_code == (1 if undefined else 2), result.stderr
    assert undefined is bool(result.stdout)
    assert not list(tmp_path.glob("out.*"))
    if not undefined:
        assert result.stderr.startswith("capcurve: error: ")


EXTRAS = ("plot", "excel", "sql")


@pytest.mark.parametrize(("wanted", "part"), [
    ("matplotlib", "pictures need matplotlib: {plot}"),
    ("xlsxwriter", "a workbook needs XlsxWriter: {excel}"),
    ("sqlglot", "SQL needs sqlglot: {sql}"),
])  # fmt: skip
def test_what_is_not_installed_is_said_plainly(tmp_path, monkeypatch, wanted, part):
    for name in (wanted, "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "rows.csv").write_text("y,s\n1,2\n0,1\n")
    words = {
        "matplotlib": ("plot", "rows.csv", *WANTED, "-o", "x.svg"),
        "xlsxwriter": ("gains", "rows.csv", *WANTED, "-o", "x.xlsx"),
        "sqlglot": ("sql", "--dialect", "duckdb", "--table", "t", *WANTED),
    }
    both = {name: f'pip install "capcurve[{name}]", in a clone ".[{name}]"' for name in EXTRAS}
    assert refused(*words[wanted]) == part.format(**both)


TABLE = Path(__file__).parents[2] / "docs" / "howto" / "output.md"
KINDS = {"text": (".txt", ".md", ".tex"), "picture": (".png", ".svg", ".pdf")}
PLAIN = ("loans.csv", *PAIR)
WRITING = {
    "gains": PLAIN,
    "summary": PLAIN,
    "report": PLAIN,
    "plot": PLAIN,
    "curve": PLAIN,
    "steps": PLAIN,
    "thresholds": PLAIN,
    "implied": PLAIN,
    "compare": (*PLAIN, "-s", "old"),
    "check": (*PLAIN, "--baseline", "initial.csv", "--periods", "month"),
}


def files_written():
    """Return for each command of the documented table which suffixes it writes, and which not."""
    lines = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in TABLE.read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    (_, *heads), *rows = lines
    for name, *cells in rows:
        said = [
            (suffix, cell == "yes")
            for head, cell in zip(heads, cells, strict=True)
            for suffix in KINDS.get(head, (head,))
        ]
        yield name, said


def test_every_command_writes_the_files_of_the_documented_table():
    for name, said in files_written():
        _, option = done(name, "--help").stdout.split("-o, --output")
        declared = set(re.findall(r"\.[a-z]+\b", option.split("\n  -")[0]))
        assert {suffix for suffix, written in said if written} == declared - {".xml", ".sql"}, name


@pytest.mark.turns(4)
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize("name", WRITING)
def test_each_cell_of_the_documented_table_is_a_file_or_a_refusal(name, whole, tmp_path):
    done("counts", *PLAIN, "-o", "initial.csv")
    one_picture = PICTURES[[*WRITING].index(name) % len(PICTURES)]
    for suffix, written in dict(files_written())[name]:
        if written and suffix in PICTURES and suffix != one_picture and not whole:
            continue
        result = call(name, *WRITING[name], "-o", f"out{suffix}")
        assert (tmp_path / f"out{suffix}").is_file() is written, result.stderr
        assert (result.exit_code == 2) is not written


@pytest.mark.merge
def test_scores_are_named_by_a_pattern_or_by_what_is_none(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(
        "id,y,s1,s2,grade,old\n1,1,.9,3,a,1\n2,0,.1,1,b,2\n3,1,.8,1,a,3\n4,0,.2,2,b,1\n"
    )

    def scores(*words):
        said = done("summary", path, "-t", "y", "-f", "json", *words).stdout
        return [score["name"] for score in json.loads(said)["scores"]]

    assert scores("-s", "s*") == ["s1", "s2"]
    assert scores("-s", "*", "--by", "grade", "--cluster", "id") == ["s1", "s2", "old"]
    left = ["--scores-except", "id", "--scores-except", "old"]
    assert scores(*left) == ["s1", "s2"]
    said = done("summary", path, "-t", "y", *left).stderr
    assert "note: no scores, for they do not hold numbers: grade\n" in said
    for words, why in {
        ("--scores-except", "ids"): "no column 'ids'",
        ("--scores-except", "id", "-s", "old"): "leave one out",
        ("-s", "q*"): "no column matches 'q*'",
    }.items():
        assert why in refused("summary", path, "-t", "y", *words)
    piped = refused("summary", "-", "-t", "y", "-s", "s*", data=path.read_bytes())
    assert "standard input can be read only once" in piped


def test_scores_are_compared_at_the_share_that_can_be_contacted():
    words = ["compare", "loans.csv", *PAIR, "-s", "old"]
    joint = cap.count_joint(Y, {"pd": PD, "old": OLD})
    said = json.loads(
        done(*words, "--metric", "captured-response", "--at", ".3", "-f", "json").stdout
    )
    expected = cap.compare(joint, metric="captured_response", q=0.3)
    assert said["q"] == 0.3
    assert said["pairs"][0]["p_value"] == expected.p_value
    assert "--at" in refused(*words, "--metric", "lift")
    assert "--at goes with --metric" in refused(*words, "--at", ".3")
