"""Gaps between groups, xAUC and ABROCA, as exact fractions, formulas and all dealings have them."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from oracle_files import DATA, oracle

import capcurve as cap

ORACLES = json.loads((DATA / "groups.json").read_text())
CASES = {case["data"]: case["expected"] for case in ORACLES["groups"]}
RATES = ("captured_response", "false_positive_rate")
each_case = pytest.mark.parametrize("name", CASES)


def segments_of(name):
    columns = oracle(f"{name}.csv")
    return cap.count_segments(columns["y"], columns["score"], by=columns["group"])


@pytest.fixture(scope="module")
def found_of():
    """Return the comparison of the groups of a case in AUC, each computed once."""
    return {
        name: cap.compare_groups(
            segments_of(name), threshold=expected["threshold"], metric="roc_auc"
        )
        for name, expected in CASES.items()
    }.__getitem__


def rows(table):
    values = table.values()
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def by_law(p_value, law):
    """Return G(p) between the points of the grid, in logarithms."""
    grid = np.log(np.array(sorted(law)))
    return float(np.exp(np.interp(np.log(p_value), grid[:, 0], grid[:, 1])))


def adjusted(value):
    return pytest.approx(value, rel=0, abs=0.0015 + 0.06 * value)


@each_case
def test_numbers_by_group(name, found_of):
    expected = CASES[name]["groups"]
    listed = rows(found_of(name).groups)
    assert [row["group"] for row in listed] == [row["group"] for row in expected]
    keys = ("prevalence", "roc_auc", "selected", "precision", *RATES)
    for row, right in zip(listed, expected, strict=True):
        assert (row["n"], row["positives"]) == (right["n"], right["positives"])
        assert {key: row[key] for key in keys} == pytest.approx(
            {key: right[key] for key in keys}, rel=0, abs=1e-10
        )
        counts = segments_of(name)[row["group"]]
        alone = cap.confidence_interval(counts, "roc_auc")
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high), rel=1e-12)


@each_case
def test_gaps_are_in_the_order_asked_and_pairs_inside(name, found_of):
    expected, found = CASES[name], found_of(name)
    assert [(pair.metric, pair.name) for pair in found.pairs] == [
        (pair["metric"], pair["name"]) for pair in expected["pairs"]
    ]
    assert [pair.estimate for pair in found.pairs] == pytest.approx(
        [pair["estimate"] for pair in expected["pairs"]], rel=0, abs=1e-10
    )
    assert 1 - found.pair_level == pytest.approx(1 - expected["pair_level"], rel=0.06)
    assert (found.level, found.threshold) == (0.95, expected["threshold"])


@each_case
def test_gaps_of_rates_have_newcombes_limits_for_all_gaps(name, found_of):
    for right, pair in zip(CASES[name]["pairs"], found_of(name).pairs, strict=True):
        if right["metric"] in RATES:
            half = (right["high"] - right["low"]) / 2
            near = pytest.approx((right["low"], right["high"]), rel=0, abs=0.02 * half)
            assert (pair.low, pair.high) == near
            assert pair.p_value == pytest.approx(right["p_value"], rel=1e-7, abs=1e-12)
            assert pair.p_adjusted == adjusted(right["p_adjusted"])


@each_case
def test_gaps_of_the_auc_are_those_of_independent_samples_at_the_level_of_all(name, found_of):
    segments, found, law = segments_of(name), found_of(name), CASES[name]["law"]
    variances = {row["group"]: row["variance_auc"] for row in CASES[name]["groups"]}
    for pair in found.pairs:
        if pair.metric == "roc_auc":
            first, second = pair.name.split(" minus ")
            alone = cap.compare_independent(
                segments[first], segments[second], metric="roc_auc", level=found.pair_level
            )
            assert (pair.estimate, pair.p_value, pair.low, pair.high) == pytest.approx(
                (alone.estimate, alone.p_value, alone.low, alone.high), rel=1e-9
            )
            assert pair.se**2 == pytest.approx(variances[first] + variances[second], rel=1e-9)
            assert pair.p_adjusted == adjusted(by_law(pair.p_value, law))


@each_case
def test_each_gap_is_adjusted_by_the_one_law(name, found_of):
    law = CASES[name]["law"]
    for pair in found_of(name).pairs:
        if 1e-4 < pair.p_value < 0.5:
            assert pair.p_adjusted == adjusted(by_law(pair.p_value, law))


@each_case
def test_gaps_of_accuracy_ratios_have_the_same_law(name, found_of):
    areas = found_of(name)
    ratios = cap.compare_groups(segments_of(name), threshold=CASES[name]["threshold"])
    assert ratios.pair_level == pytest.approx(areas.pair_level, rel=1e-12)
    for area, ratio in zip(areas.pairs, ratios.pairs, strict=True):
        twice = 1
        if area.metric == "roc_auc":
            assert ratio.metric == "accuracy_ratio"
            twice = 2
        assert (ratio.estimate, ratio.low, ratio.high) == pytest.approx(
            (twice * area.estimate, twice * area.low, twice * area.high), rel=1e-9
        )
        assert (ratio.p_value, ratio.p_adjusted) == pytest.approx(
            (area.p_value, area.p_adjusted), rel=1e-9
        )


@each_case
def test_xauc_of_each_two_groups(name, found_of):
    expected, segments = CASES[name]["xauc"], segments_of(name)
    keys = ("positives_of", "negatives_of", "roc_auc")
    listed = rows(found_of(name).xauc)
    assert [tuple(row) for row in listed] == [keys] * len(expected)
    assert [(row["positives_of"], row["negatives_of"]) for row in listed] == [
        (row["positives_of"], row["negatives_of"]) for row in expected
    ]
    for row, right in zip(listed, expected, strict=True):
        value = cap.xauc(segments[row["positives_of"]], segments[row["negatives_of"]])
        assert row["roc_auc"] == value == pytest.approx(right["roc_auc"], rel=0, abs=1e-10)


@each_case
def test_abroca_is_the_area_between_both_polygons(name, found_of):
    expected, segments = CASES[name]["abroca"], segments_of(name)
    listed = rows(found_of(name).abroca)
    assert [(row["first"], row["second"]) for row in listed] == [
        (row["first"], row["second"]) for row in expected
    ]
    for row, right in zip(listed, expected, strict=True):
        exact = float(Fraction(right["fraction"]))
        value = cap.abroca(segments[row["first"]], segments[row["second"]])
        assert row["abroca"] == value == pytest.approx(exact, rel=0, abs=1e-13)
        assert right["abroca"] == pytest.approx(exact, abs=1e-12)
        assert 0 < row["p_value"] <= 1
        assert row["by_chance"] > 0
        pairs = len(expected)
        if pairs > 1:
            assert row["p_adjusted"] == pytest.approx(min(1, pairs * row["p_value"]))
        else:
            assert "p_adjusted" not in row


DEALT = 20_000


@pytest.mark.parametrize("place", range(len(ORACLES["dealings"])))
def test_dealing_labels_finds_the_share_of_all_dealings(place):
    case = ORACLES["dealings"][place]
    segments = cap.count_segments(case["y"], case["score"], by=case["group"])
    found = cap.compare_groups(segments, replicates=DEALT, metric="roc_auc")
    (row,) = rows(found.abroca)
    exact = case["p_exact"]
    assert exact == pytest.approx(float(Fraction(case["p_fraction"])))
    assert row["abroca"] == pytest.approx(float(Fraction(case["abroca"])), rel=0, abs=1e-13)
    of_chance = 4 * np.sqrt(exact * (1 - exact) / DEALT) + 1 / (DEALT + 1)
    assert row["p_value"] == pytest.approx(exact, rel=0, abs=of_chance)
    assert row["by_chance"] == pytest.approx(case["expected_by_chance"], rel=0, abs=0.005)


def test_a_dealing_keeps_the_outcome_of_every_case():
    """Dealt over both outcomes together, groups of another prevalence would differ by that."""
    case = ORACLES["dealings"][2]
    y, score, group = map(np.array, (case["y"], case["score"], case["group"]))
    areas = []
    places = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    counts = [(group[place] == "a").sum() for place in places]
    for positives in itertools.combinations(places[0], counts[0]):
        for negatives in itertools.combinations(places[1], counts[1]):
            first = np.isin(np.arange(len(y)), positives + negatives)
            areas.append(
                cap.abroca(
                    cap.count_scores(y[first], score[first]),
                    cap.count_scores(y[~first], score[~first]),
                )
            )
    assert len(areas) == case["dealings"]
    seen = float(Fraction(case["abroca"]))
    assert np.mean(np.array(areas) >= seen - 1e-12) == pytest.approx(case["p_exact"])
    assert np.mean(areas) == pytest.approx(case["expected_by_chance"], rel=1e-9)
