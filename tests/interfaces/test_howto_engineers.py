"""What docs/howto/for-data-engineers.md shows, on fewer rows."""

import re
import shlex
from pathlib import Path

import polars as pl
import pytest

import capcurve as cap
from cli_calls import call
from howto import HOWTO, run

PAGE = (HOWTO / "for-data-engineers.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ capcurve (.*)$", PAGE, re.MULTILINE)
ROWS = 20_000


@pytest.fixture(autouse=True)
def _months(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("for-data-engineers.md", 0, {"ROWS": ROWS})


def typed(command):
    """Run a command of the page as a shell would, and return what it prints."""
    words = [
        found
        for word in shlex.split(command)
        for found in (sorted(map(str, Path().glob(word))) if "*" in word else [word])
    ]
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_months_it_writes_have_all_rows_and_rank_by_chance():
    counts = cap.count_scores("bad", "pd", data="2025-01.parquet")
    assert counts.n == ROWS
    assert counts.n1 == pytest.approx(0.03 * ROWS, rel=0.15)
    interval = cap.confidence_interval(counts, "accuracy_ratio")
    assert interval.low < 0 < interval.high


def test_the_counts_of_its_months_add_to_those_of_both_files():
    said = [typed(command) for command in COMMANDS]
    together, limited, added = said[1], said[2], said[-1]
    assert len(said) == 6
    assert f"{2 * ROWS:,}" in together
    numbers = [text[text.index("accuracy ratio") :].split("\n\n")[0] for text in (together, added)]
    assert numbers[0] == numbers[1]
    assert f"{2 * ROWS:,}" in limited


def test_a_score_is_another_one_in_another_type():
    rows = pl.DataFrame({"bad": [1, 0], "pd": [0.1, 0.2]})
    single = cap.count_scores("bad", "pd", data=rows.cast({"pd": pl.Float32}))
    double = cap.count_scores("bad", "pd", data=rows)
    assert single.digest() != double.digest()
