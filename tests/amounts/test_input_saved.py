"""Counts of amounts saved as tables, also by the command: taken back as they were, or refused."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import capcurve as cap
from capcurve import write_counts
from capcurve.input.files import Files, read_cells
from cli_calls import call, done, refused

draw = np.random.default_rng(12)
ROWS = 300
FRAME = pd.DataFrame(
    {
        "claims": np.where(draw.random(ROWS) < 0.2, draw.lognormal(size=ROWS), 0.0),
        "years": draw.integers(1, 5, ROWS) / 4,
        "pd": np.round(draw.random(ROWS), 1),
        "points": 2**60 + draw.integers(0, 9, ROWS),
        "grade": np.array(["A", "B"])[draw.integers(0, 2, ROWS)],
        "month": draw.integers(1, 4, ROWS),
    }
)


def counted(score="pd", **rules):
    return cap.count_values("claims", score, data=FRAME, **rules)


MADE = {
    "arrays": lambda: cap.count_values(FRAME.claims.array, FRAME["pd"].array),
    "named": counted,
    "with exposure": lambda: counted(exposure="years"),
    "dropped rows": lambda: counted(missing="drop"),
    "reversed": lambda: counted(higher_is="negative"),
    "on a grid": lambda: counted(resolution=0.2),
    "integers beyond 2^53": lambda: counted("points"),
    "grades": lambda: counted("grade", levels=["A", "B"]),
    "clusters": lambda: counted(cluster="month", exposure="years"),
    "losses and gains": lambda: cap.count_values(FRAME.claims - 0.5, FRAME["pd"]),
    "no amounts": lambda: cap.count_values([0, 0], [1, 2]),
    "tiny and huge": lambda: cap.count_values([5e-324, 1e308, 0, 0.1], [1, 2, 3, 4]),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("case", MADE)
def test_counts_come_back_as_they_were(tmp_path, case, suffix):
    counts = MADE[case]()
    path = tmp_path / f"cells{suffix}"
    write_counts(counts, path)
    found = cap.read_counts(path)
    assert found == counts
    assert found.digest() == counts.digest()
    assert (found.dropped, found.words) == (counts.dropped, counts.words)
    assert found.groups == counts.groups


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_segments_come_back_as_they_were(tmp_path, suffix):
    parts = cap.count_value_segments("claims", "pd", data=FRAME, by="month", exposure="years")
    path = tmp_path / f"cells{suffix}"
    write_counts(parts, path)
    assert read_cells(Files.of(path)) == parts


def test_a_table_of_plain_counts_needs_no_settings(tmp_path):
    path = tmp_path / "cells.csv"
    write_counts(cap.count_values([3, 0, 0, 3], [2, 1, 1, 2], exposure=[0.5, 1, 1, 0.5]), path)
    assert path.read_text() == "score,amount,exposure,n\n2,3.0,0.5,2\n1,0.0,1.0,2\n"


def test_tables_of_months_add_up(tmp_path):
    for month, rows in FRAME.groupby("month"):
        part = cap.count_values("claims", "pd", data=rows, exposure="years")
        write_counts(part, tmp_path / f"{month}.csv")
    found = read_cells(Files.of(str(tmp_path / "*.csv")))
    assert found == counted(exposure="years")


def test_tables_of_both_kinds_do_not_add_up(tmp_path):
    write_counts(counted(), tmp_path / "a.csv")
    write_counts(cap.count_scores([1, 0], [2, 1]), tmp_path / "b.csv")
    with pytest.raises(ValueError, match="some of these tables hold classes and some amounts"):
        read_cells(Files.of(str(tmp_path / "*.csv")))


def test_a_table_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "cells.parquet"
    write_counts(counted(exposure="years"), path)
    kept = pq.read_table(path)
    for name in ("score", "amount", "exposure", "n"):
        column = kept[name].to_pylist()
        column[0] += 7
        more = pa.array(column, kept.field(name).type)
        place = kept.column_names.index(name)
        pq.write_table(kept.set_column(place, kept.field(name), more), path)
        with pytest.raises(ValueError, match="the table was changed after it was saved"):
            read_cells(Files.of(path))


def test_a_table_of_ones_own_is_read_by_its_columns(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("grade,loss,ead,n\nB,100,2.5,1\nB,0,1,20\nA,0,1,30\n")
    found = read_cells(Files.of(path), amount="loss", exposure="ead", levels=["B", "A"])
    expected = cap.count_values(
        [100, *[0] * 50],
        ["B"] * 21 + ["A"] * 30,
        exposure=[2.5, *[1] * 50],
        levels=["B", "A"],
    )
    assert found == expected
    path.write_text("score,amount,n\n1,2,0.5\n")
    with pytest.raises(ValueError, match="n says how often a row occurs: whole numbers from 1"):
        read_cells(Files.of(path))


def test_sums_are_not_saved(tmp_path):
    sums = counted().by_score()
    with pytest.raises(cap.NotHeldError, match="resolution="):
        write_counts(sums, tmp_path / "cells.csv")


# On the command line


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def words():
    FRAME.to_csv("rows.csv", index=False)
    return ["counts", "rows.csv", "--amount", "claims", "--score", "pd"]


def test_counts_are_saved_and_read_again(words):
    done(*words, "--exposure", "years", "--output", "cells.parquet")
    assert read_cells(Files.of("cells.parquet")) == counted(exposure="years")
    done("counts", "cells.parquet", "--counts", "--output", "again.csv")
    assert read_cells(Files.of("again.csv")) == counted(exposure="years")


def test_segments_are_saved_with_the_counts(words):
    done(*words, "--by", "month", "--output", "cells.csv")
    expected = cap.count_value_segments("claims", "pd", data=FRAME, by="month")
    assert read_cells(Files.of("cells.csv")) == expected
    assert [*pd.read_csv("cells.csv")] == ["segment", "score", "amount", "n"]


def test_a_table_whose_rows_are_single_cases_says_so(words, here):
    told = done(*words, "--output", "cells.csv").stderr
    assert "of the rows by score and amount in cells.csv have fewer than 5 cases" in told
    why = refused(*words, "--min-cell", "5", "--output", "none.csv")
    assert "round the amounts, or group scores with --resolution" in why
    assert not (here / "none.csv").exists()


WRONG = {
    "a target too": (["--target", "month"], "--target does not go with --amount"),
    "weights": (["--weight", "years"], "--weight does not go with --amount: a weight scales both"),
    "a memory limit": (["--memory-limit", "1GB"], "--memory-limit does not go with --amount"),
    "a label": (["--pos-label", "1"], "--pos-label does not go with --amount"),
    "a name with a slip": (["--exposure", "yaers"], "no column 'yaers'; did you mean 'years'"),
    "text as exposure": (["--exposure", "grade"], "grade holds text such as"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_go_with_amounts_is_one_line(words, case):
    more, told = WRONG[case]
    assert told in refused(*words, *more, "--output", "cells.csv")


@pytest.mark.usefixtures("words")
def test_exposure_goes_with_an_amount():
    asked = ("counts", "rows.csv", "-t", "month", "-s", "pd", "--exposure", "years", "-o", "c.csv")
    assert "--exposure goes with --amount" in refused(*asked)


def test_without_a_score_the_columns_are_listed(words):
    asked = call(*words[:4], "--output", "cells.csv")
    assert asked.exit_code == 2
    assert "name the score column with --score" in asked.stderr
    assert "--amount claims --output cells.csv --score pd" in asked.stderr


def test_counts_of_two_classes_are_no_amounts(tmp_path):
    path = tmp_path / "classes.csv"
    path.write_text("score,positives,negatives\n2,5,1\n1,1,9\n")
    with pytest.raises(ValueError, match=r"counts of two classes, and 'positives' is no amount"):
        read_cells(Files.of(path), amount="positives")
