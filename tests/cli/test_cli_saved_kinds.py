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
        assert file in said
        assert said.endswith(": these are counts with unknown outcomes, which bounds reads")


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
    assert said.endswith("saved counts record what they contain; leave out --by")
    parts = saved(name, "json", by_segment=True)
    assert shares_of(parts) == of_cases
    assert "x" in done("stability", parts, parts, "--counts", "--by", "segment").stdout


def shares_of(file):
    """Return the cases in each bin of a file that is held against itself."""
    return json.loads(done("stability", file, file, "--counts", "-f", "json").stdout)["table"]


@pytest.mark.parametrize("name", ["trial", "revenue"])
@pytest.mark.parametrize("first", ["json", "parquet", "csv"])
def test_a_trial_that_is_saved_again_stays_a_trial(first, name):
    file = saved(name, first)
    for suffix in ("json", "csv"):
        done("counts", file, "--counts", "-o", f"again.{suffix}")
        assert (
            cap.read_counts(f"again.{suffix}") == cap.read_counts(file) == MADE[name](slice(None))
        )


def test_segments_that_are_called_as_arms_stay_segments():
    parts = {"treated": MADE["classes"](DAYS < 7), "control": MADE["classes"](DAYS > 2)}
    cap.write_counts(parts, "parts.csv")
    done("counts", "parts.csv", "--counts", "-o", "again.json")
    assert cap.read_counts("again.json") == parts


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_trials_by_segment_are_refused_by_every_command(suffix):
    file = saved("trial", suffix, by_segment=True)
    for words in (
        ("summary", file),
        ("gains", file),
        ("check", file, "--min-ar", "0"),
        ("curve", file),
        ("validate", file),
        ("counts", file, "-o", "again.json"),
        ("uplift", file),
        ("change", file, file),
    ):
        said = refused(*words, "--counts")
        assert said == (
            f"{file}: these are trials by segment; save each trial in a file of its own, which "
            "uplift reads"
        )


@pytest.mark.parametrize("name", ["amounts", "revenue"])
def test_amounts_by_segment_imply_no_accuracy_ratio(name):
    parts = saved(name, "json", by_segment=name == "amounts")
    assert "amounts" in refused("implied", parts, "--counts")


def test_bounds_are_of_all_segments_together():
    whole, parts = saved("unknown", "csv"), saved("unknown", "json", by_segment=True)
    one, other = (done("bounds", each, "--counts", "-f", "json").stdout for each in (whole, parts))
    assert json.loads(one)["low"] == json.loads(other)["low"]


@pytest.mark.parametrize("suffix", ["json", "parquet"])
@pytest.mark.parametrize("by_segment", [False, True])
def test_bounds_of_counts_without_unknown_outcomes_say_so(suffix, by_segment):
    file = saved("classes", suffix, by_segment=by_segment)
    assert refused("bounds", file, "--counts") == (
        f"{file}: these are counts without unknown outcomes, so there is nothing to bound; give "
        "the rows, in which unknown outcomes are empty, or counts of them"
    )


def test_a_table_without_unknown_outcomes_is_told_all_its_columns():
    said = refused("bounds", saved("classes", "csv"), "--counts")
    assert said.endswith("the columns are 'score', 'positives', 'negatives'")


def test_tables_of_several_kinds_do_not_add_up():
    files = saved("classes", "csv"), saved("unknown", "csv")
    assert refused("summary", *files, "--counts") == (
        "these tables have several kinds of counts, which do not add up"
    )
