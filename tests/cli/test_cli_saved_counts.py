"""Saved counts of every kind, at every command: read as what they are, or refused in one line."""

import json

import numpy as np
import pytest

import capcurve as cap
from cli_calls import done, refused

draw = np.random.default_rng(5)
ROWS = 200
SCORE, SEGMENT = draw.integers(1, 9, ROWS), draw.choice(["x", "y"], ROWS)
BAD, TREATED = draw.integers(0, 2, ROWS), draw.integers(0, 2, ROWS)
KNOWN = np.where(draw.random(ROWS) < 0.2, np.nan, BAD)
DAYS = draw.integers(1, 9, ROWS)
MADE = {
    "classes": lambda at: cap.count_scores(BAD[at], SCORE[at]),
    "amounts": lambda at: cap.count_values(BAD[at] * 2.5, SCORE[at] / 10),
    "cases": lambda at: cap.count_cases(SCORE[at]),
    "times": lambda at: cap.count_times(DAYS[at], BAD[at], SCORE[at]),
    "unknown": lambda at: cap.count_partial(KNOWN[at], SCORE[at]),
    "trial": lambda at: cap.count_uplift(BAD[at], TREATED[at], SCORE[at]),
    "revenue": lambda at: cap.count_uplift_values(BAD[at] * 2.5, TREATED[at], SCORE[at]),
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def saved(name, suffix, *, by_segment=False):
    """Save counts of a kind, by segment or of all rows, and return what the file is called."""
    file = f"{name}.{suffix}"
    every = {key: MADE[name](key == SEGMENT) for key in ("x", "y")}
    cap.write_counts(every if by_segment else MADE[name](slice(None)), file)
    return file


@pytest.mark.parametrize("suffix", ["json", "parquet", "csv"])
def test_unknown_outcomes_are_not_left_out_without_a_word(suffix):
    file = saved("unknown", suffix)
    classes = saved("classes", "json")
    for words in (
        ("summary", file),
        ("counts", file, "-o", "again.json"),
        ("check", classes, "--baseline", file, "--max-drop", "0.1"),
    ):
        said = refused(*words, "--counts")
        assert said.endswith(f"{file}: these are counts with unknown outcomes, which bounds reads")


@pytest.mark.parametrize("suffix", ["json", "parquet", "csv"])
def test_times_by_segment_are_not_pooled_at_a_horizon(suffix):
    file = saved("times", suffix, by_segment=True)
    said = refused("summary", file, "--counts", "--horizon", "5")
    assert said.startswith(f"{file} has counts of times by segment")


@pytest.mark.parametrize("name", ["classes", "cases", "unknown", "trial"])
def test_shares_of_cases_are_the_same_from_any_file_with_segments_or_without(name):
    of_cases = shares_of(saved("cases", "json"))
    for suffix in ("json", "parquet", "csv"):
        assert shares_of(saved(name, suffix)) == of_cases
    said = refused("stability", f"{name}.json", "--counts", "--by", "segment")
    assert said == f"{name}.json holds counts without segments"
    parts = saved(name, "json", by_segment=True)
    assert shares_of(parts) == of_cases
    assert "x" in done("stability", parts, parts, "--counts", "--by", "segment").stdout


def shares_of(file):
    """Return the cases in each bin of a file that is held against itself."""
    return json.loads(done("stability", file, file, "--counts", "-f", "json").stdout)["table"]
