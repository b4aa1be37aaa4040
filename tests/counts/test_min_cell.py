"""Cells of few cases are refused where that is asked, and nothing is written then."""

import json
import re

import numpy as np
import pytest

import capcurve as cap
from capcurve.counts.rank_totals import refuse_small_cells
from cli_calls import call

COUNTS = cap.ScoreCounts.from_counts([3, 2, 1], [4, 2, 1], [1, 2, 9])
ROWS = "y,score,month\n" + "".join(
    f"{y},{score},{month}\n"
    for score, (p, n) in {3: (4, 1), 2: (2, 2), 1: (1, 9)}.items()
    for y, month in [*[(1, 5)] * p, *[(0, 6)] * n]
)


def test_the_smallest_cell_decides():
    assert cap.evaluate(COUNTS, min_cell=4).counts["score"] == COUNTS
    with pytest.raises(ValueError, match=r"smallest of 3 cells of score has 4 cases.*min_cell=5"):
        cap.evaluate(COUNTS, min_cell=5)


def test_segments_are_judged_each():
    by = {"a": COUNTS, "b": cap.ScoreCounts.from_counts([1, 0], [1, 5], [0, 5])}
    whole = cap.ScoreCounts.merge(by.values())
    refuse_small_cells(4, {"score": whole}, {})
    with pytest.raises(ValueError, match=r"5 cells of score by segment has 1 case.*fewer segments"):
        refuse_small_cells(2, {"score": whole}, {"score": by})


def test_totals_know_their_smallest_cell():
    totals = cap.count_sorted([(COUNTS.score, COUNTS.positives, COUNTS.negatives)], n1=7, n0=12)
    refuse_small_cells(4, {"score": totals}, {})
    with pytest.raises(ValueError, match=r"has 4 cases"):
        refuse_small_cells(5, {"score": totals}, {})


@pytest.mark.parametrize("least", [0, -1, 2.5, True, "5"])
def test_other_limits_make_no_sense(least):
    with pytest.raises(ValueError, match=r"min_cell must be a whole number from 1"):
        refuse_small_cells(least, {"score": COUNTS}, {})


def test_weights_are_no_cases():
    weighted = cap.count_scores([1, 0], [2, 1], weight=[2.0, 9.5], weight_kind="sampling")
    with pytest.raises(ValueError, match=r"each cell holds a weight"):
        refuse_small_cells(1, {"score": weighted}, {})


@pytest.mark.parametrize(
    "command",
    [["summary"], ["report", "-o", "out.html"], ["counts", "-o", "out.csv"]],
    ids=lambda command: command[0],
)
def test_commands_refuse_in_one_line_and_write_nothing(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    words = [command[0], "rows.csv", "-t", "y", "-s", "score", *command[1:], "--min-cell"]
    refused = call(*words, "5")
    assert refused.exit_code == 2
    assert refused.stdout == ""
    assert "has 4 cases, and --min-cell 5 allows no smaller ones" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
    assert call(*words, "4").exit_code == 0
    assert call(*words, "2", "--by", "month").exit_code == 2


def test_the_best_order_of_amounts_shows_no_single_one():
    rng = np.random.default_rng(5)
    amount = np.where(np.arange(60) < 10, np.round(rng.lognormal(6, 1, 60), 2), 0.0)
    shown = cap.evaluate(amount=amount, score=np.arange(60) % 2, min_cell=5).to_html()
    (perfect,) = re.findall(r'"perfect":\[(\[.*?\]),(\[.*?\])\]', shown)
    rises = [round(rise, 6) for rise in json.loads(perfect[1])]
    largest = sorted(amount[:10].tolist(), reverse=True)
    assert rises[1] == pytest.approx(sum(largest[:5]))
    assert not set(rises) & {round(each, 6) for each in largest}
