"""All pairs of up to 20 scores, as pairwise comparisons, 400,000 directions and R have them."""

import json

import pytest
from oracle_files import DATA, oracle

import capcurve as cap


def named(case):
    """Return the data and what was asked, in a line."""
    asked = [f"{key}={value}" for key, value in case["asked"].items()]
    return " ".join([case["data"], *case.get("columns", ()), *asked])


CASES = {named(case): case for case in json.loads((DATA / "many.json").read_text())["many"]}
RANKED = {name: case for name, case in CASES.items() if "ranks" in case["expected"]}
ALL_PAIRS = {name: case for name, case in RANKED.items() if len(case["expected"]["ranks"]) > 2}


def compared(name):
    case = CASES[name]
    columns = dict(oracle(f"many_{case['data']}.csv"))
    y, weight = columns.pop("y"), columns.pop("w", None)
    kind = "frequency" if case["weights"] else None
    scores = {each: columns[each] for each in case.get("columns", columns)}
    joint = cap.count_joint(y, scores, weight=weight, weight_kind=kind)
    return cap.compare(joint, **case["asked"])


@pytest.fixture(scope="module")
def found_of():
    """Return the comparison of a case, each computed once."""
    return {name: compared(name) for name in CASES}.__getitem__


def pairs_of(name, found):
    """Return the pairs that the oracle lists, each beside the pair found."""
    expected = CASES[name]["expected"]
    shown = found.pairs[:: expected.get("every", 1)]
    return list(zip(expected["pairs"], shown, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_estimates_are_those_of_all_pairs_of_cases(name, found_of):
    found = found_of(name)
    expected = CASES[name]["expected"]["estimates"]
    assert dict(zip(found.names, found.estimates, strict=True)) == pytest.approx(
        expected, rel=0, abs=1e-10
    )
    assert list(found.names) == list(expected)


@pytest.mark.parametrize("name", CASES)
def test_a_pair_alone_has_its_own_error_and_p_value(name, found_of):
    law = CASES[name]["asked"].get("law", "t")
    for expected, pair in pairs_of(name, found_of(name)):
        assert pair.name == expected["name"]
        assert pair.estimate == pytest.approx(expected["estimate"], rel=0, abs=1e-10)
        assert pair.se == pytest.approx(expected["se"], rel=1e-9, abs=1e-12)
        assert pair.p_value == pytest.approx(expected["p_value"], rel=1e-9, abs=1e-12)
        if pair.se:
            assert pair.df == (CASES[name]["expected"]["df"] if law == "t" else None)


@pytest.mark.parametrize("name", CASES)
def test_adjusted_p_values_are_those_of_the_smallest_p_value(name, found_of):
    distinct = CASES[name]["expected"]["distinct_pairs"]
    for expected, pair in pairs_of(name, found_of(name)):
        if expected["p_adjusted"] is None:
            assert pair.p_adjusted is None
            continue
        assert pair.p_adjusted == pytest.approx(
            expected["p_adjusted"], rel=0, abs=0.0015 + 0.06 * expected["p_adjusted"]
        )
        assert pair.p_value <= pair.p_adjusted <= min(1, distinct * pair.p_value * (1 + 1e-9))


@pytest.mark.parametrize("name", CASES)
def test_each_pair_has_the_limits_that_hold_for_all(name, found_of):
    found, expected = found_of(name), CASES[name]["expected"]
    assert 1 - found.pair_level == pytest.approx(1 - expected["pair_level"], rel=0.06)
    for listed, pair in pairs_of(name, found):
        near = pytest.approx((listed["low"], listed["high"]), rel=0, abs=0.03 * pair.se + 1e-12)
        assert (pair.low, pair.high) == near
        if pair.se:
            quantile = (pair.high - pair.low) / 2 / pair.se
            assert quantile == pytest.approx(expected["quantile"], rel=0, abs=0.03)


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_a_small_p_value_of_many_is_adjusted_alike_whatever_its_size(name, found_of):
    """The tolerance above says little of small ones; far out few directions count."""
    for expected, pair in pairs_of(name, found_of(name)):
        if 1e-6 < expected["p_adjusted"] < 0.02:
            assert pair.p_adjusted == pytest.approx(expected["p_adjusted"], rel=0.06)


@pytest.mark.parametrize("name", RANKED)
def test_ranks_and_tiers_are_exact(name, found_of):
    ranks = found_of(name).ranks
    assert list(ranks.columns) == ["score", "estimate", "rank_from", "rank_to", "tier"]
    listed = [
        dict(zip(ranks.columns, row, strict=True))
        for row in zip(*ranks.values().values(), strict=True)
    ]
    expected = CASES[name]["expected"]["ranks"]
    for key in ("score", "rank_from", "rank_to", "tier"):
        assert [row[key] for row in listed] == [row[key] for row in expected]
    assert [row["estimate"] for row in listed] == pytest.approx(
        [row["estimate"] for row in expected], rel=0, abs=1e-10
    )


@pytest.mark.parametrize("name", [name for name in CASES if name not in RANKED])
def test_scores_against_one_are_not_ranked(name, found_of):
    found, against = found_of(name), CASES[name]["asked"]["against"]
    assert found.ranks is None
    others = [each for each in found.names if each != against]
    assert [pair.name for pair in found.pairs] == [f"{each} minus {against}" for each in others]


def test_rows_with_weights_are_rows_repeated():
    columns = oracle("many_weighted3.csv")
    names = ("a", "b", "c")
    weighted = cap.count_joint(
        columns["y"],
        {name: columns[name] for name in names},
        weight=columns["w"],
        weight_kind="frequency",
    )
    often = columns["w"]
    repeated = cap.count_joint(
        columns["y"].repeat(often), {name: columns[name].repeat(often) for name in names}
    )
    one, other = cap.compare(weighted), cap.compare(repeated)
    assert one.pair_level == pytest.approx(other.pair_level, rel=1e-12)
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert (a.low, a.high, a.p_value, a.p_adjusted) == pytest.approx(
            (b.low, b.high, b.p_value, b.p_adjusted), rel=1e-9
        )
    assert one.ranks == other.ranks
