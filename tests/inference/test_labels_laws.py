"""Laws of scores on all cases and labels on some, of random tables and any order of rows."""

import json
import math
import random
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, strategies as st

import capcurve as cap
import labels_reference as by_hand

CHOSEN = ("at random", "by score")
TARGETS = ("population", "cases")
AREAS = ("roc_auc", "accuracy_ratio")


def near(number):
    return pytest.approx(number, rel=0, abs=1e-9)


def level(labels, share, unknown, score):
    """Return cases, labels and positives at a score; a score has a case at least."""
    return (score, max(labels + unknown, 1), labels, round(share * labels))


@st.composite
def tables(draw, most=25, least=1, unknown=40):
    """Draw levels, few or many, of which some labels are known."""
    few = st.integers(least, min(most, 10))
    count = draw(few if most <= 10 else st.one_of(few, st.integers(max(least, 11), most)))
    rate = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    sizes = st.integers(0, 60 if count <= 10 else 20)
    drawn = [
        level(draw(sizes), draw(rate), draw(st.integers(0, unknown)), (count - place) / 2)
        for place in range(count)
    ]
    assume(sum(each[2] for each in drawn))
    return drawn


def random_table(seed):
    """Return levels as judges and people make them, with either direction of the score."""
    rng = np.random.default_rng(seed)
    count = int(rng.choice([1, 2, 3, 5, 10, 11, 14, 30]))
    labelled, found = rng.uniform(0.05, 0.9), []
    for place in range(count):
        cases = int(rng.integers(1, 1 + 900 // count))
        labels = int(rng.binomial(cases, labelled if seed % 3 else rng.uniform(0, 0.6)))
        rate = 1 / (1 + math.exp(rng.normal(3 * place / count, 1)))
        found.append(((count - place) / 4, cases, labels, int(rng.binomial(labels, rate))))
    return found


SEEDS = [seed for seed in range(48) if sum(each[2] for each in random_table(seed))]


def turned(levels):
    """Return the same levels of a score whose low values are likely positives."""
    return [(-score, *held) for score, *held in levels]


def partial_of(levels, higher_is="positive"):
    return cap.PartialCounts.from_counts(*by_hand.columns_of(levels), higher_is=higher_is)


def both_classes(levels):
    labels, positives = (sum(each[place] for each in levels) for place in (2, 3))
    return 0 < positives < labels


def numbers(found):
    """Return the numbers of a result, to the last bit."""
    return [found.estimate, found.low, found.high, found.se]


def cells_of(found):
    columns = [found.cells[name].tolist() for name in ("cases", "labels", "positives")]
    return [tuple(row) for row in zip(*columns, strict=True)]


def check_share(levels, labelled, higher_is="positive"):
    held = turned(levels) if higher_is == "negative" else levels
    cells = by_hand.cells_of(held, labelled)
    for of in TARGETS:
        found = cap.estimate_rate(partial_of(held, higher_is), labelled=labelled, of=of)
        assert cells_of(found) == [by_hand.summed(cell) for cell in cells]
        assert found.estimate == near(by_hand.share(cells))
        assert found.se == near(by_hand.se_of_share(cells, of))
        assert found.limits == near(by_hand.limits_of_share(cells, of))
        assert found.low <= found.estimate <= found.high
        ends = [{cell[0][0], cell[-1][0]} for cell in cells]
        columns = zip(found.cells["from"].tolist(), found.cells["to"].tolist(), strict=True)
        assert [set(each) for each in columns] == ends
        rates = [k / n for _, n, k in cells_of(found)]
        assert found.cells["rate"].tolist() == near(rates)
        assert (found.cells["low"] <= found.cells["rate"]).all()
        assert (found.cells["rate"] <= found.cells["high"]).all()


@given(tables(), st.sampled_from(CHOSEN), st.sampled_from(["positive", "negative"]))
def test_the_share_of_positives_is_that_of_the_definition(levels, labelled, higher_is):
    check_share(levels, labelled, higher_is)


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_random_tables(seed):
    for labelled in CHOSEN:
        check_share(random_table(seed), labelled, ["positive", "negative"][seed % 2])


@given(tables(), st.sampled_from([0.5, 0.8, 0.9, 0.99]), st.sampled_from(["lower", "upper"]))
def test_limits_of_one_side_and_other_levels(levels, confidence, side):
    cells, partial = by_hand.cells_of(levels), partial_of(levels)
    for asked in ({"level": confidence}, {"level": confidence, "side": side}):
        for of in TARGETS:
            found = cap.estimate_rate(partial, of=of, **asked)
            assert found.limits == near(by_hand.limits_of_share(cells, of, **asked))
            assert found.level == confidence


@given(tables(), st.sampled_from(CHOSEN))
def test_weighted_counts_let_each_label_stand_for_the_cases_of_its_cell(levels, labelled):
    assume(any(cases > labels for _, cases, labels, _ in levels))
    found = partial_of(levels).weighted(labelled=labelled)
    expected = by_hand.weighted_levels(by_hand.cells_of(levels, labelled))
    assert found.weight_kind == "sampling"
    at = {score: place for place, score in enumerate(found.score.tolist())}
    assert sorted(at) == sorted(score for score, _, _ in expected)
    for score, positives, negatives in expected:
        held = found.positives[at[score]], found.negatives[at[score]]
        assert held == pytest.approx((positives, negatives), rel=1e-12)


@given(tables(most=12), st.sampled_from(CHOSEN))
def test_weighted_counts_are_those_of_weighted_rows(levels, labelled):
    assume(any(cases > labels for _, cases, labels, _ in levels) and both_classes(levels))
    rows = by_hand.weighted(by_hand.cells_of(levels, labelled))
    score, label, weight, _ = zip(*rows, strict=True)
    counts = cap.count_scores(label, score, weight=weight, weight_kind="sampling")
    found = partial_of(levels).weighted(labelled=labelled)
    for metric, asked in (("roc_auc", {}), ("captured_response", {"q": 0.3})):
        ours = cap.confidence_interval(found, metric, **asked)
        theirs = cap.confidence_interval(counts, metric, **asked)
        # Where the CAP bends at a share, rounding decides between two standard errors.
        exact = slice(4 if metric == "roc_auc" else 3)
        assert numbers(ours)[exact] == near(numbers(theirs)[exact])


@given(tables(), st.sampled_from(CHOSEN))
def test_the_share_of_weighted_counts_is_the_estimate(levels, labelled):
    partial = partial_of(levels)
    found = cap.estimate_rate(partial, labelled=labelled)
    held = partial.weighted(labelled=labelled)
    assert held.prevalence == pytest.approx(found.estimate, abs=1e-12)
    assert held.n == pytest.approx(partial.n, rel=1e-12)
    interval = cap.confidence_interval(partial, "prevalence", labelled=labelled)
    assert numbers(interval) == numbers(found)


def drawn(limit, estimate, factor, ends=(0.0, 1.0)):
    """Draw a limit in towards the estimate in log odds."""
    places = [(each - ends[0]) / (ends[1] - ends[0]) for each in (limit, estimate)]
    if places[0] in {0.0, 1.0}:
        return limit
    wide, middle = (math.log(each / (1 - each)) for each in places)
    odds = middle + factor * (wide - middle)
    return ends[0] + (ends[1] - ends[0]) / (1 + math.exp(-odds))


def check_areas(levels, labelled, higher_is="positive", **asked):
    held = turned(levels) if higher_is == "negative" else levels
    partial, cells = partial_of(held, higher_is), by_hand.cells_of(held, labelled)
    if not partial.unknown.n:  # limits are those of all cases, by DeLong's variance
        return
    auc, psi = by_hand.auc_and_influence(by_hand.weighted(cells), higher_is)
    end = min(auc, 1 - auc) < 1e-12
    if max(map(abs, psi)) < 1e-12 and not end:  # of one score, nothing moves it
        return
    for of in TARGETS:
        factor = by_hand.drawn_in(psi, cells, of, at_an_end=end)
        se = math.sqrt(by_hand.variance(psi, cells, of))
        for metric, ends, times in (("roc_auc", (0, 1), 1), ("accuracy_ratio", (-1, 1), 2)):
            found = cap.confidence_interval(partial, metric, labelled=labelled, of=of, **asked)
            assert found.estimate == near(ends[0] + times * auc)
            assert found.se == near(times * se)
            if end:  # where log odds are infinite
                continue
            usual = cap.confidence_interval(partial.weighted(labelled=labelled), metric, **asked)
            expected = [drawn(limit, found.estimate, factor, ends) for limit in usual]
            assert [*found] == near(expected)
            assert found.low <= found.estimate <= found.high


@given(tables(), st.sampled_from(CHOSEN), st.sampled_from(["positive", "negative"]))
def test_areas_are_those_of_the_definition(levels, labelled, higher_is):
    assume(both_classes(levels))
    check_areas(levels, labelled, higher_is)


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if both_classes(random_table(seed))])
def test_areas_of_random_tables(seed):
    asked = [{}, {"side": "lower"}, {"side": "upper", "level": 0.9}][seed % 3]
    check_areas(random_table(seed), CHOSEN[seed % 2], **asked)


def sides_of(levels):
    """Return how many levels may be the better side: either side has labels."""
    cuts = range(1, len(levels))
    return [cut for cut in cuts if all(by_hand.summed(s)[1] for s in (levels[:cut], levels[cut:]))]


def check_cut(levels, cut, labelled):
    partial, cells = partial_of(levels), by_hand.cells_of(levels, labelled, cut)
    q = by_hand.summed(levels[:cut])[0] / by_hand.summed(levels)[0]
    asked = {"labelled": labelled, "q": q}
    expected = by_hand.captured(cells, q)
    psi = by_hand.captured_influence(cells, q, cut)
    usual = cap.confidence_interval(partial.weighted(**asked), "captured_response", q=q)
    for of in TARGETS:
        found = {
            metric: cap.confidence_interval(partial, metric, of=of, **asked)
            for metric in ("captured_response", "lift", "precision")
        }
        captured, lift = found["captured_response"], found["lift"]
        assert captured.estimate == near(expected)
        assert captured.se == near(math.sqrt(by_hand.variance(psi, cells, of)))
        assert (lift.estimate, lift.se) == near((expected / q, captured.se / q))
        share = by_hand.share(cells)
        assert found["precision"].estimate == near(expected / q * share)
        for each in found.values():
            assert each.low <= each.estimate <= each.high
        if not 1e-12 < expected < 1 - 1e-12:
            continue
        # At a share the cut-off moves with the cases, so only what is labelled draws limits in.
        cases, labels, _ = by_hand.summed(levels)
        factor = 1.0 if of == "population" else math.sqrt(1 - labels / cases)
        assert [*captured] == near([drawn(limit, captured.estimate, factor) for limit in usual])


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if both_classes(random_table(seed))])
def test_shares_at_a_cut_off(seed):
    levels = random_table(seed)
    for cut in sides_of(levels)[seed % 2 :: 3]:
        for labelled in CHOSEN:
            check_cut(levels, cut, labelled)


@given(tables(least=2), st.floats(0.02, 0.98), st.sampled_from(CHOSEN))
def test_a_score_that_the_share_cuts_is_on_the_other_side(levels, q, labelled):
    assume(both_classes(levels))
    cut = by_hand.inside_share(levels, q)
    assume(cut in sides_of(levels))
    partial, cells = partial_of(levels), by_hand.cells_of(levels, labelled, cut)
    expected = by_hand.captured(cells, q)
    held = partial.weighted(labelled=labelled, q=q)
    assert cap.captured_response(held, q) == near(expected)
    found = cap.confidence_interval(partial, "captured_response", labelled=labelled, q=q)
    assert found.estimate == near(expected)


def disagreeing(levels, cut):
    """Return how many labels are of the other class than the judge has it."""
    (_, n, k), (_, _, missed) = map(by_hand.summed, (levels[:cut], levels[cut:]))
    return n - k + missed


def check_kappa(levels, cut, labelled, higher_is="positive", **asked):
    held = turned(levels) if higher_is == "negative" else levels
    threshold, cells = held[cut - 1][0], by_hand.cells_of(held, labelled, cut)
    if not disagreeing(held, cut):  # its influences are 0, or rounding
        return
    partial = partial_of(held, higher_is)
    how = {"labelled": labelled, "threshold": threshold}
    for of in TARGETS:
        expected = by_hand.kappa(cells, cut, of, **asked)
        found = cap.confidence_interval(partial, "kappa", of=of, **how, **asked)
        for field in ("estimate", "low", "high", "se"):
            assert getattr(found, field) == near(expected[field]), field
    assert cap.kappa(partial.weighted(**how), threshold=threshold) == near(expected["estimate"])


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_is_that_of_the_definition(seed):
    levels, asked = random_table(seed), [{}, {"side": "lower"}, {"side": "upper", "level": 0.8}]
    for cut in sides_of(levels)[seed % 2 :: 3]:
        for labelled in CHOSEN:
            direction = ["positive", "negative"][seed // 2 % 2]
            check_kappa(levels, cut, labelled, direction, **asked[seed % 3])


@given(tables(most=10, least=2, unknown=0), st.data())
def test_kappa_of_counts_that_are_all_known(levels, data):
    cut = data.draw(st.integers(1, len(levels) - 1))
    assume(cut in sides_of(levels) and all(labels == cases for _, cases, labels, _ in levels))
    score, positives, negatives, _ = by_hand.columns_of(levels)
    counts = cap.ScoreCounts.from_counts(score, positives, negatives)
    expected = by_hand.kappa(by_hand.cells_of(levels, better=cut), cut)
    found = cap.confidence_interval(counts, "kappa", threshold=score[cut - 1])
    for field in ("estimate", "low", "high", "se"):
        assert getattr(found, field) == near(expected[field]), field


def check_threshold(levels, cut, labelled="at random", higher_is="positive", **asked):
    held = turned(levels) if higher_is == "negative" else levels
    partial, cells = partial_of(held, higher_is), by_hand.cells_of(held, labelled, cut)
    how = {"labelled": labelled, "threshold": held[cut - 1][0], **asked}
    for of in TARGETS:
        for metric in ("captured_response", "lift", "precision"):
            found = cap.confidence_interval(partial, metric, of=of, **how)
            expected = by_hand.limits_at_threshold(metric, cells, cut, of, **asked)
            assert [found.estimate, *found] == pytest.approx(expected, rel=1e-9, abs=1e-9), metric


def not_all_known(levels):
    return both_classes(levels) and any(cases > labels for _, cases, labels, _ in levels)


@pytest.mark.turns(3)
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if not_all_known(random_table(seed))])
def test_limits_at_a_threshold_of_random_tables(seed):
    levels, asked = random_table(seed), [{}, {"side": "lower"}, {"side": "upper", "level": 0.8}]
    direction = ["positive", "negative"][seed // 2 % 2]
    for cut in sides_of(levels)[seed % 2 :: 8]:
        check_threshold(levels, cut, CHOSEN[seed % 2], direction, **asked[seed % 3])


# Better and worse levels: cases, labels, positives.
SIDES = {
    "rates that differ": [(60, 12, 9), (100, 14, 7), (120, 20, 5), (80, 12, 2)],
    "the worse side has the higher rate": [(60, 12, 2), (100, 14, 4), (120, 20, 12), (80, 12, 9)],
    "the better side is all positive": [(60, 12, 12), (100, 14, 14), (120, 20, 7), (80, 12, 1)],
    "the worse side has no positive": [(60, 12, 10), (100, 14, 6), (120, 20, 0), (80, 12, 0)],
    "no label of the other class": [(60, 12, 12), (100, 14, 14), (120, 20, 0), (80, 12, 0)],
    "all better cases are labelled": [(12, 12, 10), (14, 14, 8), (120, 20, 7), (80, 12, 1)],
}


@pytest.mark.parametrize("higher_is", ["positive", "negative"])
@pytest.mark.parametrize("exchanged", [False, True], ids=["", "classes exchanged"])
@pytest.mark.parametrize("name", SIDES)
def test_limits_at_a_threshold_join_those_of_both_sides(name, exchanged, higher_is):
    rows = [(cases, n, n - k if exchanged else k) for cases, n, k in SIDES[name]]
    levels = [(4 - place, *held) for place, held in enumerate(rows)]
    for level in (0.8, 0.95):
        check_threshold(levels, 2, higher_is=higher_is, level=level)


def known_tables():
    return tables(unknown=0).map(lambda rows: [row for row in rows if row[2]])


@given(known_tables(), st.sampled_from(CHOSEN))
def test_nothing_is_estimated_where_nothing_is_unknown(levels, labelled):
    partial = partial_of(levels)
    share = partial.known.n1 / partial.n
    found = cap.estimate_rate(partial, labelled=labelled, of="cases")
    assert [found.estimate, *found] == near([share] * 3)
    assert found.se == 0
    assert found.bounds == near((share, share))
    held = partial.weighted(labelled=labelled)
    assert held == partial.known
    assert held.digest() == partial.known.digest()
    alone = cap.estimate_rate(partial, labelled=labelled).limits
    assert alone == near(by_hand.wilson(partial.known.n1, partial.n, by_hand.z_of()))


@given(known_tables(), st.sampled_from(CHOSEN), st.sampled_from([0.1, 0.35, 0.8]))
def test_limits_are_the_usual_ones_where_nothing_is_unknown(levels, labelled, q):
    assume(both_classes(levels) and len(levels) > 1)
    partial = partial_of(levels)
    asked = [(metric, {}) for metric in AREAS]
    if by_hand.inside_share(levels, q):
        asked += [(each, {"q": q}) for each in ("captured_response", "lift", "precision")]
    asked += [("kappa", {"threshold": levels[0][0]})]
    for metric, options in asked:
        usual = cap.confidence_interval(partial.known, metric, **options)
        found = cap.confidence_interval(partial, metric, labelled=labelled, **options)
        expected = [usual.estimate, *usual]
        assert [found.estimate, *found] == pytest.approx(expected, abs=1e-12), metric


@given(known_tables(), st.sampled_from(CHOSEN))
def test_rankings_of_these_cases_are_certain_where_nothing_is_unknown(levels, labelled):
    assume(both_classes(levels) and len(levels) > 1)
    partial = partial_of(levels)
    assume(0 < cap.roc_auc(partial.known) < 1)
    for metric in AREAS:
        found = cap.confidence_interval(partial, metric, labelled=labelled, of="cases")
        assert [*found] == near([found.estimate] * 2)
        assert found.se == near(0)


def sample(seed, rows=400, scores=5, digits=0):
    """Draw a score and a label for each row, three in four without label."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.normal(3, 1.2, rows), digits).clip(1, scores)
    label = np.where(rng.random(rows) < 1 / (1 + np.exp(3 - score)), 1.0, 0.0)
    return np.where(rng.random(rows) < 0.3, label, np.nan), score


def everything(partial, **how):
    """Return all numbers that partial counts have, to the last bit."""
    found = [cap.estimate_rate(partial, of=of, odds=(0.5, 2), **how).to_dict() for of in TARGETS]
    asked = [(metric, {}) for metric in AREAS]
    asked += [("captured_response", {"q": 0.4}), ("kappa", {"threshold": 3})]
    how = {"labelled": "at random", **how}
    found += [cap.confidence_interval(partial, m, **o, **how).to_dict() for m, o in asked]
    return json.dumps(found, allow_nan=False, default=str)


@given(st.integers(0, 10**6), st.sampled_from([0, 2]), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(seed, digits, random):
    label, score = sample(seed, digits=digits)
    order = list(range(len(label)))
    random.shuffle(order)
    expected = everything(cap.count_partial(label, score))
    assert everything(cap.count_partial(label[order], score[order])) == expected


@given(st.integers(0, 10**6), st.sampled_from([0, 2]), st.integers(1, 399))
def test_parts_that_are_added_up_change_no_bit(seed, digits, end):
    label, score = sample(seed, digits=digits)
    first = cap.count_partial(label[:end], score[:end])
    second = cap.count_partial(label[end:], score[end:])
    expected = everything(cap.count_partial(label, score))
    assert everything(first + second) == expected
    assert everything(cap.PartialCounts.merge([second, first])) == expected


def test_the_engine_changes_no_bit(tmp_path):
    label, score = sample(1)
    rows = pd.DataFrame({"y": pd.array(label, "Float64"), "s": score})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    rows.to_parquet(tmp_path / "rows.parquet")
    expected = everything(cap.count_partial(label, score))
    connection = duckdb.connect()
    inputs = [
        *(rows, pl.from_pandas(rows), pl.from_pandas(rows).lazy(), connection.from_df(rows)),
        *(str(tmp_path / f"rows.{suffix}") for suffix in ("csv", "parquet")),
    ]
    for data in inputs:
        assert everything(cap.count_partial("y", "s", data=data)) == expected
    connection.close()


@given(tables(), st.sampled_from(CHOSEN))
def test_classes_exchanged_turn_limits_over(levels, labelled):
    other = [(score, cases, n, n - k) for score, cases, n, k in levels]
    for of in TARGETS:
        how = {"of": of, "labelled": labelled}
        found = cap.estimate_rate(partial_of(levels), **how)
        exchanged = cap.estimate_rate(partial_of(other), **how)
        assert exchanged.estimate == near(1 - found.estimate)
        assert exchanged.limits == near((1 - found.high, 1 - found.low))
        assert exchanged.se == near(found.se)
        upper = cap.estimate_rate(partial_of(other), side="upper", **how)
        lower = cap.estimate_rate(partial_of(levels), side="lower", **how)
        assert upper.high == near(1 - lower.low)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)), min_size=2),
    st.integers(0, 3),
)
def test_cells_of_equal_rates_and_labelling_may_be_joined(sizes, place):
    # A score like the one above it: 10 labels a part, so that either is a cell of its own.
    levels = [
        (-turn, 10 * size + 15 * size * more, 10 * size, 2 * size * some)
        for turn, (size, more, some) in enumerate(sizes[:8])
    ]
    place = min(place, len(levels) - 1)
    score, cases, n, k = levels[place]
    apart = [*levels[: place + 1], (score - 0.5, cases, n, k), *levels[place + 1 :]]
    joined = [*levels[:place], (score, 2 * cases, 2 * n, 2 * k), *levels[place + 1 :]]
    one, two = (cap.estimate_rate(partial_of(each)) for each in (joined, apart))
    assert len(two.cells) == len(one.cells) + 1
    assert two.estimate == pytest.approx(one.estimate, abs=1e-12)


@given(
    st.lists(
        st.tuples(st.integers(10, 40), st.floats(0, 1), st.integers(1, 40)),
        min_size=1,
        max_size=8,
    )
)
def test_all_cases_and_labels_twice_halve_the_variance(drawn_levels):
    levels = [level(*each, place) for place, each in enumerate(reversed(drawn_levels))][::-1]
    twice = [(score, *(2 * each for each in held)) for score, *held in levels]
    one, two = (cap.estimate_rate(partial_of(each), of="cases") for each in (levels, twice))
    assert two.estimate == pytest.approx(one.estimate, abs=1e-12)
    least = min((n - 1) / (2 * n - 1) for _, _, n, _ in levels)
    assert math.sqrt(least) * one.se - 1e-12 <= two.se <= one.se / math.sqrt(2) + 1e-12


@given(st.integers(1, 90), st.floats(0, 1), st.integers(0, 400), st.floats(0.5, 0.999))
def test_one_cell_has_the_interval_of_wilson(labels, share, unknown, confidence):
    row = level(labels, share, unknown, 1)
    found = cap.estimate_rate(partial_of([row]), level=confidence)
    expected = by_hand.wilson(row[3], labels, by_hand.z_of(confidence))
    assert found.estimate == pytest.approx(row[3] / labels, abs=1e-12)
    assert found.limits == near(expected)
    assert found.labels_alone.limits == near(expected)


@given(tables(), st.sampled_from(CHOSEN))
def test_the_estimate_is_inside_the_bounds(levels, labelled):
    partial = partial_of(levels)
    found = cap.estimate_rate(partial, labelled=labelled, odds=(0.5, 2))
    known, unknown = partial.known, partial.unknown
    ends = (known.n1 / partial.n, (known.n1 + unknown.n) / partial.n)
    assert found.bounds == near(ends)
    assert ends[0] - 1e-12 <= found.at_odds[0] <= found.estimate + 1e-12
    assert found.estimate - 1e-12 <= found.at_odds[1] <= ends[1] + 1e-12
    of_cases = cap.estimate_rate(partial, labelled=labelled, of="cases")
    # Those of the population allow for more.
    assert found.low <= of_cases.low + 1e-9
    assert found.high >= of_cases.high - 1e-9
    assert found.se >= of_cases.se


@given(tables(), st.lists(st.floats(0.5, 0.9999), min_size=2, max_size=5, unique=True))
def test_a_higher_level_moves_limits_out(levels, confidence):
    partial = partial_of(levels)
    for of in TARGETS:
        found = [cap.estimate_rate(partial, of=of, level=each) for each in sorted(confidence)]
        for narrow, wide in pairwise(found):
            assert wide.low <= narrow.low + 1e-10
            assert wide.high >= narrow.high - 1e-10


@given(tables(), st.sampled_from(CHOSEN), st.data())
def test_cells_never_depend_on_outcomes(levels, labelled, data):
    other = [
        (score, cases, n, data.draw(st.integers(0, n)) if n else 0) for score, cases, n, _ in levels
    ]
    found, changed = (
        cap.estimate_rate(partial_of(each), labelled=labelled).cells for each in (levels, other)
    )
    for column in ("from", "to", "cases", "labels", "share"):
        assert found[column].tolist() == changed[column].tolist()


@given(tables(), st.sampled_from(CHOSEN))
def test_cells_hold_whole_scores_and_enough_labels(levels, labelled):
    found = cells_of(cap.estimate_rate(partial_of(levels), labelled=labelled))
    ends = np.cumsum([each[1:] for each in levels], axis=0).tolist()
    for row in np.cumsum(found, axis=0).tolist():
        assert row in ends
    assert tuple(map(sum, zip(*found, strict=True))) == tuple(ends[-1])
    fewest = 2 if labelled == "by score" and len(levels) <= 10 else 10
    assert len(found) == 1 or min(labels for _, labels, _ in found) >= fewest
    assert len(found) <= 10


@given(st.integers(0, 10**6), st.sampled_from([0, 2]))
def test_weights_of_frequency_are_rows(seed, digits):
    label, score = sample(seed, rows=150, digits=digits)
    times = np.random.default_rng(seed).integers(0, 4, len(label))
    how = {"weight": times, "weight_kind": "frequency"}
    weighted = cap.count_partial(label, score, **how)
    repeated = cap.count_partial(np.repeat(label, times), np.repeat(score, times))
    assert everything(weighted) == everything(repeated)


TRANSFORMS = {
    "exponential": lambda score: [math.exp(each) for each in score],
    "cube": lambda score: [each**3 + 7 for each in score],
    "ranks": lambda score: [sorted({*score}).index(each) for each in score],
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("seed", range(3))
def test_a_monotone_transform_of_scores_changes_no_bit(name, seed):
    label, score = sample(seed, digits=seed)
    moved = TRANSFORMS[name](score.tolist())
    one, two = cap.count_partial(label, score), cap.count_partial(label, moved)
    for labelled in CHOSEN:
        found, other = (cap.estimate_rate(each, labelled=labelled) for each in (one, two))
        assert numbers(other) == numbers(found)
        assert cells_of(other) == cells_of(found)
        for metric, asked in ((AREAS[0], {}), (AREAS[1], {}), ("captured_response", {"q": 0.3})):
            intervals = [
                cap.confidence_interval(each, metric, labelled=labelled, **asked)
                for each in (one, two)
            ]
            assert numbers(intervals[1]) == numbers(intervals[0])


@given(tables(most=9))
def test_grades_are_scores(levels):
    names = [f"grade {place}" for place in range(len(levels))]
    _, positives, negatives, unknown = by_hand.columns_of(levels)
    graded = cap.PartialCounts.from_counts(names, positives, negatives, unknown, levels=names)
    found = cap.estimate_rate(graded)
    assert numbers(found) == numbers(cap.estimate_rate(partial_of(levels)))
    assert {*found.cells["from"].tolist(), *found.cells["to"].tolist()} <= {*names}


@given(tables(most=10))
def test_either_direction_of_the_score_counts_the_same_cases(levels):
    down = partial_of(turned(levels), "negative")
    found, other = cap.estimate_rate(partial_of(levels)), cap.estimate_rate(down)
    assert numbers(other) == numbers(found)
    assert cells_of(other) == cells_of(found)


@given(st.lists(tables(most=12), min_size=1, max_size=4), st.sampled_from(CHOSEN))
def test_strata_have_cells_of_their_own_in_one_sum(strata, labelled):
    names = [f"batch {place}" for place in range(len(strata))]
    partials = dict(zip(names, map(partial_of, strata), strict=True))
    cells = [cell for levels in strata for cell in by_hand.cells_of(levels, labelled)]
    for of in TARGETS:
        found = cap.estimate_rate(partials, labelled=labelled, of=of)
        assert found.estimate == near(by_hand.share(cells))
        assert found.se == near(by_hand.se_of_share(cells, of))
        assert found.limits == near(by_hand.limits_of_share(cells, of))
        assert cells_of(found) == [by_hand.summed(cell) for cell in cells]
    assert next(iter(found.cells.columns)) == "stratum"
    assert [*dict.fromkeys(found.cells["stratum"].tolist())] == names


@given(tables())
def test_one_stratum_is_the_sample(levels):
    partial = partial_of(levels)
    assert numbers(cap.estimate_rate({"all": partial})) == numbers(cap.estimate_rate(partial))


@given(tables(), st.floats(0, 50), st.floats(0, 50))
def test_odds_are_those_of_the_labels_of_a_cell(levels, one, other):
    least, most = sorted((one, other))
    cells = by_hand.cells_of(levels)
    found = cap.estimate_rate(partial_of(levels), odds=(least, most)).at_odds
    # At odds of 0 what cells of positives alone have is not said.
    if least == 0 and any(0 < n == k for _, n, k in map(by_hand.summed, cells)):
        return
    expected = tuple(by_hand.share_at_odds(cells, each) for each in (least, most))
    assert found == near(expected)


def rows_of_two(label, first, second):
    known = [None if math.isnan(each) else int(each) for each in label]
    return list(zip(first.tolist(), second.tolist(), known, strict=True))


@given(st.integers(0, 10**6))
def test_two_scores_have_the_cells_of_the_first(seed):
    label, first = sample(seed)
    second = np.round(first + np.random.default_rng(seed).normal(size=len(first)))
    ratio, other, se = by_hand.difference_of_two(rows_of_two(label, first, second))
    partial = cap.count_partial(label, {"first": first, "second": second})
    found = cap.compare(partial, labelled="at random")
    assert [*found.estimates] == near([ratio, other])
    (pair,) = found.pairs
    assert (pair.estimate, pair.se) == near((ratio - other, se))
    assert pair.low <= pair.estimate <= pair.high
    assert 0 <= pair.p_value <= 1
    assert found.overall.p_value == pair.p_value
    # Limits and p-value agree.
    assert (pair.low <= 0 <= pair.high) == (pair.p_value >= 1 - pair.level)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("seed", range(6))
def test_limits_of_a_difference_count_two_labels_more_in_each_cell(seed, level):
    label, first = sample(seed, rows=200)
    if seed % 2:  # cells of one class, which show no spread of their own
        label[(label == 0) & (first >= 4)] = 1
        label[(label == 1) & (first <= 2)] = 0
    second = np.round(first + np.random.default_rng(seed).normal(size=len(first)))
    partial = cap.count_partial(label, {"first": first, "second": second})
    (pair,) = cap.compare(partial, labelled="at random", level=level).pairs
    expected = by_hand.limits_and_p_of_two(rows_of_two(label, first, second), level)
    assert (pair.low, pair.high, pair.p_value) == near(expected)


def test_a_score_is_never_better_than_itself():
    label, score = sample(5)
    partial = cap.count_partial(label, {"one": score, "again": score + 1})
    (pair,) = cap.compare(partial, labelled="at random").pairs
    assert pair.estimate == near(0)
    assert pair.se == near(0)
    assert pair.p_value == 1


@pytest.mark.parametrize("seed", range(4))
def test_strata_by_rates_of_labelling_are_right_where_pooled_labels_are_not(seed):
    # Of 900 likely positives 27 are labelled, of 900 others 300: pooled labels show the others.
    drawn_at = random.Random(seed)  # noqa: S311 - no secret
    rates = {"likely": (900, 27, 0.9), "unlikely": (900, 300, 0.1)}
    partials = {}
    for name, (cases, labels, rate) in rates.items():
        positives = sum(drawn_at.random() < rate for _ in range(labels))
        partials[name] = partial_of([(1, cases, labels, positives)])
    found = cap.estimate_rate(partials)
    assert found.low < 0.5 < found.high
    pooled = cap.estimate_rate(partials["likely"] + partials["unlikely"])
    assert pooled.high < 0.5
