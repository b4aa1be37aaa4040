"""`capcurve mean` and `compare --by`: their numbers are those of the library, errors one line."""

import csv
import io
import json
import re
import shlex
import zipfile

import numpy as np
import pytest

import capcurve as cap
from cli_calls import done, refused

RNG = np.random.default_rng(31)
# Twelve queries of three to nine documents, of which two have none that is relevant.
QUERY = np.repeat(np.arange(1, 13), RNG.integers(3, 10, 12))
GRADE = RNG.integers(0, 4, len(QUERY)) * (RNG.random(len(QUERY)) < 0.6) * ~np.isin(QUERY, [4, 9])
Y = (GRADE > 0).astype(int)
NEW, OLD = ((GRADE * pull + RNG.normal(size=len(GRADE))).round(1) for pull in (1.0, 0.4))
# Four folds of thirty cases, and a month and an owner of each.
FOLD, SIZE = np.repeat(["A", "B", "C", "D"], 30), 120
BAD = (RNG.random(SIZE) < 0.3).astype(int)
PD, POINTS = ((BAD * pull + RNG.normal(size=SIZE)).round(2) for pull in (1.0, 0.5))
OWNER, DAY = np.arange(SIZE) // 2, [f"2024-{1 + row % 3:02d}-05" for row in range(SIZE)]
TIMES = RNG.integers(1, 4, SIZE)
DOCUMENTS = ("documents.csv", "-s", "new", "--by", "query")
FOLDS = ("folds.csv", "-t", "bad", "-s", "pd")


def write(path, **columns):
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "documents.csv", query=QUERY, y=Y, grade=GRADE, new=NEW, old=OLD)
    rows = {"fold": FOLD, "bad": BAD, "pd": PD, "points": POINTS}
    write(tmp_path / "folds.csv", **rows, owner=OWNER, day=DAY, times=TIMES)


def plain(found):
    return json.loads(json.dumps(found.to_dict()))


def in_json(*words):
    found = json.loads(done(*words, "-f", "json").stdout)
    assert found.pop("schema_version") == 1
    return found


def queries(**more):
    return cap.count_segments(Y, NEW, by=QUERY, **more)


def folds(**more):
    return cap.count_segments(BAD, PD, by=FOLD, **more)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), {}),
        (("--metric", "recall@3"), {"metric": "captured_response", "k": 3}),
        (("--metric", "captured", "--k", "3", "--lacking", "0"),
         {"metric": "recall@3", "lacking": 0}),
        (("--metric", "P@2", "--level", ".8"), {"metric": "precision", "k": 2, "level": 0.8}),
        (("--metric", "mrr"), {"metric": "reciprocal_rank"}),
        (("--metric", "hit-rate@1"), {"metric": "hit_rate", "k": 1}),
        (("--metric", "ap", "--weights", "positives"),
         {"metric": "average_precision", "weights": "positives"}),
        (("--metric", "lift", "--at", ".25", "--lacking", "leave-out"),
         {"metric": "lift", "q": 0.25}),
        (("--metric", "bedroc", "--alpha", "5"), {"metric": "bedroc", "alpha": 5.0}),
        (("--metric", "ndcg", "--gain", "exponential"), {"metric": "ndcg", "gain": "exponential"}),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)  # fmt: skip
def test_json_of_one_score_is_the_record_of_the_library(words, asked):
    found = in_json("mean", *DOCUMENTS, "-t", "y", *words)
    assert found == plain(cap.mean_over(queries(), **asked))
    assert len(found["table"]) == 12


def test_relevance_of_more_than_two_grades_is_an_amount():
    words = ("--amount", "grade", "--metric", "ndcg@3", "--gain", "exponential")
    counts = cap.count_value_segments(GRADE, NEW, by=QUERY)
    expected = cap.mean_over(counts, metric="ndcg", k=3, gain="exponential")
    assert in_json("mean", *DOCUMENTS, *words) == plain(expected)
    linear = in_json("mean", *DOCUMENTS, *words[:4])
    assert linear["estimate"] == cap.mean_over(counts, metric="ndcg@3").estimate
    assert linear["estimate"] != expected.estimate


def test_rows_are_read_as_by_other_commands():
    fixed = ("--segments", "fixed", "--metric", "auc")
    known = {"segments": "fixed", "metric": "auc"}
    for words, counts in [
        (("--by", "fold"), folds()),
        (("--by", "fold", "--higher-is", "negative"), folds(higher_is="negative")),
        (("--by", "fold", "--cluster", "owner"), folds(cluster=OWNER)),
        (
            ("--by", "fold", "--weight", "times", "--weight-kind", "frequency"),
            folds(weight=TIMES, weight_kind="frequency"),
        ),
        (
            ("--by", "day", "--by-period", "month"),
            cap.count_segments(BAD, PD, by=DAY, period="month"),
        ),
        (("--by", "fold", "--by", "day"), cap.count_segments(BAD, PD, by=[FOLD, DAY])),
        (("--by", "fold", "--pos-label", "0"), cap.count_segments(BAD, PD, by=FOLD, pos_label=0)),
    ]:
        assert in_json("mean", *FOLDS, *words, *fixed) == plain(cap.mean_over(counts, **known))


def test_rows_without_an_outcome_are_dropped_and_counted(tmp_path):
    path = tmp_path / "folds.csv"
    path.write_text(path.read_text().replace("A,0,", "A,,", 1))
    assert "bad is missing in 1 of 120 rows" in refused("mean", *FOLDS, "--by", "fold")
    said = done("mean", *FOLDS, "--by", "fold", "--missing", "drop", "--segments", "fixed")
    assert "1 row without a value was left out (bad in 1)" in said.stderr
    assert re.search(r"^A +29 ", said.stdout, re.MULTILINE)


def test_each_segment_may_have_a_weight_of_its_own():
    own = {"A": 4, "B": 0, "C": 1.5, "D": 0.5}
    found = in_json("mean", *FOLDS, "--by", "fold", "--weights", "A=4,B=0, C=1.5 ,D=.5")
    assert found == plain(cap.mean_over(folds(), weights=own))
    numbered = ",".join(f"{query}={query}" for query in range(1, 13))
    expected = cap.mean_over(queries(), weights={query: query for query in range(1, 13)})
    assert in_json("mean", *DOCUMENTS, "-t", "y", "--weights", numbered) == plain(expected)


def test_a_crossed_segment_is_named_as_it_is_shown():
    every = [f'"{fold}, 2024-0{month}-05={month}"' for fold in "ABCD" for month in (1, 2, 3)]
    words = ("--by", "fold", "--by", "day", "--weights", ",".join(every))
    counts = cap.count_segments(BAD, PD, by=[FOLD, DAY])
    weights = {key: int(str(key)[-4]) for key in counts}
    assert [str(key) for key in counts][:1] == ["A, 2024-01-05"]
    assert in_json("mean", *FOLDS, *words) == plain(cap.mean_over(counts, weights=weights))


@pytest.mark.parametrize("name", ["saved.json", "saved.parquet", "saved.csv"])
def test_saved_counts_by_segment_are_averaged(name):
    done("counts", *FOLDS, "--by", "fold", "-o", name)
    found = in_json("mean", name, "--counts", "--segments", "fixed")
    assert found == plain(cap.mean_over(folds(), segments="fixed"))


def test_csv_and_workbook_of_one_score_have_a_row_for_each_segment(tmp_path):
    said = done("mean", *DOCUMENTS, "-t", "y", "-f", "csv")
    rows = [*csv.DictReader(io.StringIO(said.stdout))]
    assert [*rows[0]] == ["segment", "n", "positives", "value", "weight"]
    for row, (query, counts) in zip(rows, queries().items(), strict=True):
        assert (row["segment"], row["n"], row["positives"]) == (
            f"{query}",
            f"{counts.n}",
            f"{counts.n1}",
        )
        if counts.n1 and counts.n0:
            assert float(row["value"]) == cap.accuracy_ratio(counts)
        else:
            assert row["value"] == row["weight"] == ""
    assert {"4", "9"} <= {row["segment"] for row in rows if not row["value"]}
    done("mean", *DOCUMENTS, "-t", "y", "-o", "x.xlsx")
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert sheet.count("<row ") >= 13


def test_several_scores_have_a_row_each():
    words = ("mean", *FOLDS, "-s", "points", "--by", "fold", "--segments", "fixed")
    expected = {
        name: cap.mean_over(cap.count_segments(BAD, column, by=FOLD), segments="fixed")
        for name, column in (("pd", PD), ("points", POINTS))
    }
    rows = [*csv.DictReader(io.StringIO(done(*words, "-f", "csv").stdout))]
    assert [row.pop("score") for row in rows] == ["pd", "points"]
    for row, mean in zip(rows, expected.values(), strict=True):
        assert {name: float(value) for name, value in row.items()} == {
            name: getattr(mean, name)
            for name in ("estimate", "low", "high", "se", "df", "n_segments", "pooled")
        }
    assert in_json(*words)["means"] == [
        {"score": name, **plain(mean)} for name, mean in expected.items()
    ]
    shown = done(*words).stdout
    best = max(expected, key=lambda name: expected[name].estimate)
    assert f"Mean accuracy ratio is highest for {best}: " in shown
    assert "Segments are taken as fixed and count alike." in shown
    assert "capcurve compare with --by" in shown


def test_what_is_found_of_some_scores_names_them(tmp_path):
    # Of one score each fold has a level of its own, the other has the same in all.
    level = 20 * (ord("D") - np.array([ord(fold) for fold in FOLD]))
    write(tmp_path / "folds.csv", fold=FOLD, bad=BAD, pd=PD, points=PD + level)
    words = ("mean", *FOLDS, "-s", "points", "--by", "fold", "--metric", "auc")
    told = done(*words, "--segments", "fixed").stderr
    assert told.startswith("warning: points: all rows together have ")
    assert told.count("warning") == 1
    drawn = done(*words, "-o", "x.html").stderr
    assert drawn.count("the mean is over 4 segments") == 1


@pytest.mark.parametrize("form", ["html", "md", "tex", "txt", "xlsx", "png", "svg", "csv", "json"])
def test_every_format_is_written(tmp_path, form):
    for place, more in enumerate([(), ("-s", "points")]):
        done("mean", *FOLDS, *more, "--by", "fold", "--segments", "fixed", "-o", f"{place}.{form}")
        assert (tmp_path / f"{place}.{form}").stat().st_size > 100


def test_people_read_the_mean_what_is_left_out_and_the_worst():
    said = done("mean", *DOCUMENTS, "-t", "y", "--metric", "mrr")
    mean = cap.mean_over(queries(), metric="mrr")
    assert said.stdout.startswith("Mean reciprocal rank (new for y)\n")
    assert f"{mean.sentence}\n2 segments are left out: no positives. " in said.stdout
    assert "Lowest: " in said.stdout


# Several scores that are compared


def test_scores_are_compared_by_their_means():
    joint = cap.count_segments(Y, {"new": NEW, "old": OLD}, by=QUERY)
    for words, asked in [
        (("--metric", "mrr"), {"metric": "mrr"}),
        (("--metric", "ndcg@3", "--lacking", "0"), {"metric": "ndcg", "k": 3, "lacking": 0}),
        (("--weights", "pairs", "--segments", "fixed"), {"weights": "pairs", "segments": "fixed"}),
        (("--metric", "precision", "--at", ".5"), {"metric": "precision", "q": 0.5}),
    ]:
        expected = cap.compare(joint, **asked)
        found = in_json("compare", *DOCUMENTS, "-s", "old", "-t", "y", *words)
        del found["sentences"]
        assert found.pop("margin") is None
        assert found.pop("q", None) == asked.get("q")
        assert found == plain(expected)


def test_amounts_are_compared_by_their_means():
    joint = cap.count_value_segments(GRADE, {"new": NEW, "old": OLD}, by=QUERY)
    expected = cap.compare(joint, metric="ndcg", k=3, gain="exponential")
    words = ("--amount", "grade", "-s", "old", "--metric", "ndcg@3", "--gain", "exponential")
    found = in_json("compare", *DOCUMENTS, *words)
    assert found["pairs"] == plain(expected)["pairs"]


def test_months_and_crossed_segments_are_compared():
    scores = {"pd": PD, "points": POINTS}
    joint = cap.count_segments(BAD, scores, by=DAY, period="month")
    words = ("compare", *FOLDS, "-s", "points", "--segments", "fixed")
    found = in_json(*words, "--by", "day", "--by-period", "month")
    assert found["pairs"] == plain(cap.compare(joint, segments="fixed"))["pairs"]
    found = in_json(*words, "--by", "day", "--by", "fold")
    crossed = cap.compare(cap.count_segments(BAD, scores, by=[DAY, FOLD]), segments="fixed")
    assert found["pairs"] == plain(crossed)["pairs"]
    assert found["means"] == plain(crossed)["means"]


def test_comparing_of_all_rows_is_as_it_was():
    found = in_json("compare", *FOLDS, "-s", "points")
    assert "means" not in found
    assert found["pairs"] == plain(cap.compare(BAD, {"pd": PD, "points": POINTS}))["pairs"]


# What is refused


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--metric nope", "'nope' is not one of 'ar', 'auc', "),
        ("--metric qini", "'qini' is not one of 'ar', 'auc', "),
        ("--metric recall@x", "a whole number of cases from 1, as in recall@10; got 'recall@x'"),
        ("--metric recall", "--metric captured-response needs --at or --k"),
        ("--metric hit", "--metric hit-rate needs --k"),
        ("--metric recall@5 --k 6", "'recall@5' names its depth; leave --k out"),
        ("--metric recall --k 5 --at .1", "--at and --k say the same; give one of them"),
        ("--metric auc@5", "--k is not used by --metric auc; leave it out"),
        ("--metric net-benefit", "--metric net-benefit needs --threshold"),
        ("--gain linear", "--gain is not used by --metric ar; leave it out"),
        ("--k 0", "'--k': 0 is not in the range x>=1."),
        ("--segments random", "'random' is not one of 'drawn', 'fixed'."),
        ("--metric mrr --segments fixed", "take --segments drawn"),
        ("--lacking 5", "--lacking must be "),
        ("--lacking nan", "--lacking must be "),
        ("--weights A=1,B=1,C=1", "--weights names no weight for segment 'D'"),
        ("--weights E=1", "--weights names 'E', which is no segment"),
        ("--weights A=1,B=1,C=1,D=-1", "the weight of 'D' must be zero or more, got -1"),
        ("--weights A=0,B=0,C=0,D=0", "all segments weigh 0, so there is no mean"),
        ("--weights ''", "--weights must be equal, cases, positives, pairs, or one weight"),
        ("--level 1", "'--level': 1.0 is not in the range 0<x<1."),
        ("--cluster owner", "count without --cluster, or take --segments fixed"),
        ("--min-cell 2", "--min-cell 2 allows no smaller ones"),
    ],
)
def test_bad_input_is_refused_in_one_line(words, said):
    for command in (("mean",), ("compare", "-s", "points")):
        line = refused(*command, *FOLDS, "--by", "fold", *shlex.split(words))
        assert said in line
        for python in ("lacking=", "weights=", "segments=", "k=", "metric=", "by="):
            assert python not in line.replace("k=0.4", "")


def test_a_segment_that_lacks_a_class_is_named_where_that_is_asked_for():
    line = refused("mean", *DOCUMENTS, "-t", "y", "--lacking", "raise")
    assert line == ("segment 4 has no positives; --lacking leave-out leaves such segments out")


def test_counts_without_segments_and_files_without_rows_are_refused(tmp_path):
    done("counts", *FOLDS, "-o", "all.json")
    assert refused("mean", "all.json", "--counts") == (
        "all.json holds counts without segments; name them with --by"
    )
    (tmp_path / "none.csv").write_text("fold,bad,pd,points\n")
    none = ("none.csv", *FOLDS[1:], "--by", "fold")
    for command in (("mean",), ("compare", "-s", "points")):
        said = refused(*command, *none)
        assert said == "there are no rows in none.csv, and so no segments"
