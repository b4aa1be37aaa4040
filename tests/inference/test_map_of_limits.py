"""The map of limits in docs/internals.md says what finds, and has, limits in each cell."""

import csv
import re
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap
from capcurve import metrics
from capcurve.inference.influence_limits import influences_interval
from capcurve.inference.intervals import (
    OF_A_SELECTION,
    WAYS_OF_AMOUNTS,
    WAYS_OF_CLASSES,
    WAYS_OF_TRIALS,
)
from capcurve.inference.records import influenced

DOCS = Path(__file__).parents[2] / "docs"
HEADS = ("number", "rule", "weights", "clusters", "prevalence", "horizon", "amounts", "trial")
OPTIONS = {
    "partial_auc": {"max_fpr": 0.2},
    "profit": {"value": 4.0, "cost": 1.0},
    "net_benefit": {"threshold": 0.3},
    "kappa": {"threshold": 0.3},
    "partial_accuracy_ratio": {"max_q": 0.3},
    "selective_risk": {"coverage": 0.7},
    "uplift": {"q": 0.3},
}


def section(page, heading):
    """Return the text under a heading of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


@cache
def rows():
    """Return the cells of the map by head, one dictionary for each number and place of it."""
    lines = [
        line for line in section("internals.md", "The map of limits").split("\n") if "|" in line
    ]
    found = []
    for line in lines[2:]:
        number, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        place = number.partition(" at a ")[2]
        names = re.findall(r"`(\w+)`", number)
        found += [dict(zip(HEADS, (name, *cells), strict=True), place=place) for name in names]
    return found


def every(head):
    """Return the parameters of a test of one cell in each row."""
    return [
        pytest.param(row, id=f"{row['number']} {row['place']} {head}".strip()) for row in rows()
    ]


@cache
def sample(design):
    """Return counts of one design."""
    rng = np.random.default_rng(7)
    score = np.round(rng.random(300), 2).clip(0.01, 0.99)
    target = (rng.random(300) < score / 2).astype(int)
    if design == "weights":
        return cap.count_scores(
            target, score, weight=1.0 + target + (score > 0.5), weight_kind="sampling"
        )
    if design == "clusters":
        return cap.count_scores(target, score, cluster=np.arange(300) // 3)
    if design == "horizon":
        return cap.count_times(rng.exponential(1.5, 300) + 0.01, target, score).at(1.0)
    if design == "amounts":
        return cap.count_values(target * rng.gamma(2.0, size=300), score)
    if design == "trial":
        return cap.count_uplift(target, np.arange(300) % 2, score, treated_label=1)
    return cap.count_scores(target, score)


def answered(row, design):
    """Tell whether a number has limits in a design."""
    options = dict(OPTIONS.get(row["number"], {}))
    if row["place"]:
        options = {"q": 0.2} if row["place"] == "share" else {"threshold": 0.5}
    if design == "prevalence":
        options["prevalence"] = 0.1
    try:
        found = cap.confidence_interval(sample(design), row["number"], **options)
    except ValueError:
        return False
    assert found.low <= found.estimate <= found.high
    return True


def rule_of(way):
    """Return the name of the rule of a way, and of what it turns around."""
    if isinstance(way.find, partial):
        return f"`{way.find.func.__name__}` of `{way.find.args[0].__name__}`"
    return f"`{way.find.__name__}`"


def test_every_number_has_a_row():
    held = {(row["number"], row["place"]) for row in rows()}
    known = {tuple(name.partition(" at a ")[::2]) for name in WAYS_OF_CLASSES}
    known = {(name, place) for name, place in known if place != "horizon"}
    known |= {(name, "") for name in metrics.METRICS if influenced(name)}
    known |= {
        (name, "share" if name in OF_A_SELECTION else "")
        for name in (*WAYS_OF_AMOUNTS, *WAYS_OF_TRIALS)
    }
    assert held == known


@pytest.mark.parametrize("row", every("rule"))
def test_the_rule_is_the_one_that_finds_the_limits(row):
    what = f"{row['number']} at a {row['place']}" if row["place"] else row["number"]
    if row["rule"] == "–":
        assert what not in WAYS_OF_CLASSES
        assert not influenced(what)
    elif what in WAYS_OF_CLASSES:
        assert row["rule"] == rule_of(WAYS_OF_CLASSES[what])
    else:
        assert influenced(what)
        assert row["rule"] == f"`{influences_interval.__name__}`"


@pytest.mark.turns(3)
@pytest.mark.parametrize("row", every("design"))
@pytest.mark.parametrize("design", ["weights", "clusters", "prevalence", "horizon"])
def test_a_cell_answers_unless_it_is_a_dash(row, design):
    assert answered(row, design) is (row[design] != "–")


@pytest.mark.parametrize("row", every("amounts and trial"))
@pytest.mark.parametrize(
    ("head", "ways"), [("amounts", WAYS_OF_TRIALS | WAYS_OF_AMOUNTS), ("trial", WAYS_OF_TRIALS)]
)
def test_amounts_and_trials_have_their_own_rules(row, head, ways):
    expected = row["number"] in ways and row["place"] != "threshold"
    assert answered(row, head) is expected
    assert row[head] == (rule_of(ways[row["number"]]) if expected else "–")


def test_every_cell_has_its_coverage():
    [name] = re.findall(r":file: (.*)", section("coverage.md", "Every number and design"))
    with (DOCS / name).open(encoding="utf-8", newline="") as file:
        (_, *heads), *table = csv.reader(file)
    held = {
        (tuple(number.partition(" at a ")[::2]), head)
        for number, *cells in table
        for head, cell in zip(heads, cells, strict=True)
        if re.match(r"\**\d+", cell)
    }
    wanted = {
        ((row["number"], row["place"] if row["place"] == "threshold" else ""), head)
        for row in rows()
        for head, kind in zip(("independent", *HEADS[2:]), HEADS[1:], strict=True)
        if row[kind] != "–"
    }
    assert wanted == held
