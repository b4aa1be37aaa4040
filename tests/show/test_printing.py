"""What `print` shows is what the command line shows, and a `repr` is a few lines."""

import re

import numpy as np
import pandas as pd
import pytest

import capcurve as cap
from cli_calls import done

RNG = np.random.default_rng(7)
N = 1200
Y = (RNG.random(N) < 0.3).astype(int)
ROWS = pd.DataFrame(
    {
        "y": Y,
        "new": (Y + RNG.normal(size=N)).round(2),
        "old": (Y + 2 * RNG.normal(size=N)).round(2),
        "few": np.arange(N) % 3,
        "many": np.arange(N) % 40,
    }
)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    ROWS.to_csv(path, index=False)
    return path


def words(text):
    """Return text without blanks and with the keywords of Python as options."""
    plain = re.sub(r"(\w+)=\"?(\w+)\"?", r"--\1 \2", text.lower()).replace("_", "-")
    return " ".join(plain.replace("warning:", "").replace("note:", "").rstrip(".").split())


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (["new"], {}),
        (["new"], {"by": "few"}),
        pytest.param(["new"], {"by": "many"}, marks=pytest.mark.merge),
        pytest.param(["new", "old"], {"by": "few"}, marks=pytest.mark.merge),
        (["new"], {"higher_is": "negative"}),
    ],
)
def test_print_shows_what_the_command_line_shows(rows, scores, options):
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    flags = [word.replace("_", "-") if word.startswith("--") else word for word in flags]
    named = [word for score in scores for word in ("-s", score)]
    shown = done("summary", rows, "-t", "y", *named, *flags)
    printed = str(cap.evaluate("y", scores, ROWS, **options)) + "\n"
    assert printed.startswith(shown.stdout)
    below = [words(line) for line in printed.removeprefix(shown.stdout).splitlines() if line]
    said = [words(line) for line in shown.stderr.splitlines()]
    assert below == said


@pytest.mark.merge
def test_of_many_segments_a_hundred_rows_are_printed_and_saved_and_csv_has_all(tmp_path):
    rows = ROWS.assign(many=np.arange(N) % 120)
    found = cap.evaluate("y", "new", rows, by="many", all_segments=True)
    assert len(re.findall(r"(?m)^ +\d+ +10 ", str(found))) == 100
    assert "... 21 more rows" in str(found)
    assert found.save(tmp_path / "all.txt").read_text("utf-8") == f"{found.to_text()}\n"
    assert len(found.to_frame()) == 120


def test_a_summary_prints_its_numbers_with_intervals_and_findings():
    summary = cap.summarize(cap.count_scores("y", "new", data=ROWS), name="new")
    said = " ".join(str(summary).splitlines()[2:4])
    assert said == f"{summary.sentence[:-1]}, better than chance (p < 0.001)."
    low, high = summary.intervals["accuracy_ratio"]
    assert f"{summary.accuracy_ratio:.3f}  [{low:.3f}, {high:.3f}]" in str(summary)


@pytest.mark.parametrize("shown", [repr, str])
def test_a_reversed_score_is_never_silent(shown):
    of_rows = cap.evaluate("y", ["new", "old"], ROWS, higher_is={"old": "negative"})
    assert re.search(r"Warning: old: the score looks reversed: ", shown(of_rows))
    assert "Warning: new" not in shown(of_rows)
    alone = cap.summarize(cap.count_scores(Y, -ROWS["new"]))
    assert "the score looks reversed" in shown(alone)


@pytest.mark.merge
def test_many_scores_have_a_short_repr_too():
    scores = {f"s{place}": ROWS["new"] for place in range(30)}
    found = cap.evaluate(ROWS["y"], scores)
    lines = repr(found).splitlines()
    assert lines[-1] == "and 20 more scores"
    assert [line.partition(":")[0] for line in lines[-11:-1]] == list(scores)[:10]


def test_curves_and_distributions_have_one_line():
    counts = cap.count_scores("y", "new", data=ROWS)
    assert len(repr(cap.cap_curve(counts)).splitlines()) == 1
    found = cap.score_distributions(counts)
    assert repr(found) == f"ScoreDistributions(distinct scores={len(counts)})"


def test_an_interval_unpacks_and_formats():
    interval = cap.Interval(0.25, 0.5, 0.75, 0.95, "logit", 0.1)
    low, high = interval
    assert (low, high) == (0.25, 0.75)
    assert f"{interval:.3f}" == "0.500 [0.250, 0.750]"
    assert f"{interval:.0%}" == "50% [25%, 75%]"
    assert f"{interval}" == str(interval) == repr(interval)
