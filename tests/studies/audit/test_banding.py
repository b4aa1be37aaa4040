"""What binning costs: the parts add up to the accuracy ratio of the score, exactly."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as some

import capcurve as cap
from capcurve.studies.audit.banding import banding_loss

LOANS = cap.count_scores("y", "int_rate", data="src/capcurve/datasets/loans.csv")
CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
(CASE,) = [case for case in CASES if case["kind"] == "banding"]


def number(text):
    return float(Fraction(text))


def test_the_loss_of_the_loans_is_that_of_the_oracle():
    found, expected = banding_loss(LOANS, bins=CASE["input"]["bins"]), CASE["expected"]
    assert found.accuracy_ratio == number(expected["accuracy_ratio"])
    assert found.of_bins == number(expected["banded"])
    assert found.loss == number(expected["lost"])
    for place, each in enumerate(expected["bins"]):
        row = {name: column[place] for name, column in found.table.columns.items()}
        assert row["positives"] == each["positives"]
        assert row["n"] == each["positives"] + each["negatives"]
        assert row["weight"] == number(each["weight"])
        assert row["accuracy_ratio"] == number(each["accuracy_ratio_inside"])
        assert row["loss"] == number(each["lost"])


SCORED = some.lists(some.tuples(some.booleans(), some.integers(0, 9)), min_size=2, max_size=40)


@given(SCORED.filter(lambda rows: len({y for y, _ in rows}) == 2), some.integers(1, 5))
def test_the_parts_add_up_for_any_bins(rows, bins):
    counts = cap.count_scores([y for y, _ in rows], [score for _, score in rows])
    found = banding_loss(counts, bins=bins)
    table = cap.gains_table(counts, bins=bins)
    banded = counts.joined(np.searchsorted(-counts.thresholds, -table["score_to"], "right"))
    assert found.accuracy_ratio == cap.accuracy_ratio(counts)
    assert found.of_bins == cap.accuracy_ratio(banded)
    assert found.loss == pytest.approx(found.accuracy_ratio - found.of_bins, abs=1e-15)
    assert found.table["loss"].sum() == pytest.approx(found.loss, abs=1e-14)
    for place, weight in enumerate(found.table["weight"]):
        ratio = found.table["accuracy_ratio"][place]
        assert np.isnan(ratio) == (weight == 0)
        if weight:
            assert found.table["loss"][place] == pytest.approx(weight * ratio, abs=1e-15)


def test_nothing_is_lost_with_one_bin_for_each_score_and_all_with_one_bin():
    every = banding_loss(LOANS, bins="score")
    assert every.loss == 0
    assert every.of_bins == every.accuracy_ratio
    assert "Binning loses nothing of the accuracy ratio" in repr(every)
    one = banding_loss(LOANS, bins=1)
    assert (one.of_bins, one.loss) == (0, one.accuracy_ratio)
    assert one.table["weight"].tolist() == [1]


def test_cut_points_and_large_counts_are_taken():
    cuts = banding_loss(LOANS, bins=[20.0, 12.0])
    assert len(cuts.table) == 3
    table = {"score": [4, 3, 2, 1], "positives": [5, 4, 3, 1], "negatives": [1, 2, 5, 9]}
    small = cap.ScoreCounts.from_counts(*table.values())
    many = cap.ScoreCounts.from_counts(
        table["score"], *(np.array(table[k]) * 10**12 for k in ("positives", "negatives"))
    )
    for name in ("accuracy_ratio", "of_bins", "loss"):
        assert getattr(banding_loss(many, bins=2), name) == getattr(
            banding_loss(small, bins=2), name
        )


def test_weights_count_as_cases_do():
    y, score, times = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], np.array([1, 2, 3, 5, 1])
    weighted = cap.count_scores(y, score, weight=times / 8, weight_kind="sampling")
    rows = cap.count_scores(np.repeat(y, times), np.repeat(score, times))
    cuts = [4, 2]
    assert banding_loss(weighted, bins=cuts).loss == banding_loss(rows, bins=cuts).loss
    tiny = cap.count_scores(y, score, weight=[0.1, 0.2, 1e-300, 0.3, 5.0], weight_kind="sampling")
    found = banding_loss(tiny, bins=cuts)
    assert found.accuracy_ratio == pytest.approx(cap.accuracy_ratio(tiny), abs=1e-15)


def test_it_is_written_as_json_text_and_html():
    found = banding_loss(LOANS)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["schema_version"] == 1
    assert written["loss"] == found.loss
    assert len(written["table"]["columns"]["loss"]) == 10
    assert repr(found).startswith(
        "Binning loses 0.0084 of the accuracy ratio (0.484, and 0.476 with 10 bins)."
    )
    assert "<table" in found._repr_html_()
    finer = banding_loss(cap.count_scores([0, 1, 0, 1], [4, 3, 2, 1]), bins=2)
    assert "Binning gains 0.5000 of" in repr(finer)


@pytest.mark.parametrize("bins", [0, 2.5, "many"])
def test_bins_that_make_no_sense_are_refused(bins):
    with pytest.raises(ValueError, match="bins must be"):
        banding_loss(LOANS, bins=bins)


def test_both_classes_are_needed():
    with pytest.raises(ValueError, match="positives"):
        banding_loss(cap.count_scores([0, 0], [1, 2]))
