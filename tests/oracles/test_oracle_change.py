"""Parts of changes and decompositions against independent answers in exact fractions."""

import csv
import json
import math
from collections import defaultdict
from fractions import Fraction

import pytest
from oracle_files import DATA

import capcurve as cap

EXPECTED = json.loads((DATA / "attribution.json").read_text())
METRICS = ("captured_response", "lift", "precision")


def cells_of_cases():
    found = defaultdict(lambda: {"before": defaultdict(list), "after": defaultdict(list)})
    with (DATA / "attribution_cells.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            cell = (float(Fraction(row["score"])), int(row["positives"]), int(row["negatives"]))
            found[row["case"]][row["sample"]][row["segment"]].append(cell)
    return found


CELLS = cells_of_cases()


def close(value):
    return pytest.approx(float(Fraction(value)), abs=2e-15, rel=1e-14)


def number(value):
    return math.nan if value is None else float(Fraction(value))


@pytest.fixture(params=EXPECTED, ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def samples(case):
    both = CELLS[case["name"]]
    return [
        {
            segment: cap.ScoreCounts.from_counts(*zip(*cells, strict=True))
            for segment, cells in both[when].items()
        }
        for when in ("before", "after")
    ]


@pytest.fixture
def expected(case):
    return case["expected"]


def test_parts(samples, expected):
    why = cap.attribute_change(*samples)
    assert why.before == close(expected["accuracy_ratio_before"])
    assert why.after == close(expected["accuracy_ratio_after"])
    wanted = expected["parts_of_accuracy_ratio"]
    assert list(why.parts) == list(wanted)
    for name, value in wanted.items():
        assert why.parts[name].estimate == close(value)
    sums = sum(why.parts[name].estimate for name in ("mix", "within", "between"))
    assert sums == pytest.approx(why.change.estimate, abs=1e-15)


def test_segments(samples, expected):
    rows = {row["segment"]: row for row in cap.attribute_change(*samples).segments.rows()}
    assert set(rows) == set(expected["segments"])
    for key, wanted in expected["segments"].items():
        for name in ("mix_positives", "mix_negatives", "within"):
            assert rows[key][name] == close(wanted[name])
        halves = [Fraction(wanted[f"between_{side}"]) / 2 for side in ("positives", "negatives")]
        assert rows[key]["between"] == close(sum(halves))


def test_standard_errors(samples, expected):
    why = cap.attribute_change(*samples)
    if "standard_errors" not in expected:
        assert {part.se for part in why.parts.values()} == {None}
        return
    for name, value in expected["standard_errors"].items():
        assert why.parts[name].se == pytest.approx(value, rel=1e-12, abs=1e-12)
    # A constant score shows no spread; the test takes a careful one.
    if expected["standard_error_of_change"]:
        assert why.change.se == pytest.approx(expected["standard_error_of_change"], rel=1e-12)


def test_decompositions(samples, expected):
    for segments, when in zip(samples, ("before", "after"), strict=True):
        found = cap.decompose(segments, metric="roc_auc")
        wanted = expected[f"decomposition_{when}"]
        assert found.whole == close(wanted["auc"])
        assert found.pairs_within == close(wanted["pairs_within"])
        for name in ("within", "between", "adjusted"):
            value = number(wanted[f"auc_{name}"])
            assert getattr(found, name) == pytest.approx(value, abs=2e-15, nan_ok=True)
        for row in found.segments.rows():
            each = wanted["segments"][row["segment"]]
            assert (row["n"], row["positives"]) == (each["n"], each["positives"])
            for name, key in (
                ("ratio", "auc"),
                ("of_positives", "auc_positives"),
                ("of_negatives", "auc_negatives"),
                ("without", "auc_without"),
            ):
                assert row[name] == (None if each[key] is None else close(each[key]))


@pytest.mark.turns(3)
@pytest.mark.parametrize("metric", METRICS)
def test_at_a_depth(samples, expected, metric):
    for q, wanted in expected["at_depth"].items():
        why = cap.attribute_change(*samples, metric=metric, q=float(Fraction(q)))
        assert why.before == close(wanted[metric]["before"])
        assert why.after == close(wanted[metric]["after"])
        for name in ("ranking", "prevalence"):
            assert why.parts[name].estimate == close(wanted[metric][name])
