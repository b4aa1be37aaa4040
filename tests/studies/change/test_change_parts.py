"""Parts of a change: against sums over every pair of segments, and the laws that they obey."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pair_sums import Reference, variances

import capcurve as cap
from capcurve.inference.variances import auc_variance
from capcurve.studies.change.pairs import SegmentPairs, parts_of_change, spread_of
from capcurve.studies.change.sample import SegmentedSample

PARTS = ("mix", "mix_positives", "mix_negatives", "within", "between")
ADD_UP = ("mix", "within", "between")


def both_classes(sample):
    cells = [cell for segment in sample.values() for cell in segment.values()]
    return min(sum(cell[which] for cell in cells) for which in (0, 1)) >= 2


cell = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any)
segment = st.dictionaries(st.integers(0, 4), cell, min_size=1, max_size=4)
sample = st.dictionaries(st.sampled_from("ABCD"), segment, min_size=1, max_size=4).filter(
    both_classes
)


def counted(sample, scale=lambda score: score):
    return {
        key: cap.ScoreCounts.from_counts(
            [scale(score) for score in cells],
            [p for p, _ in cells.values()],
            [n for _, n in cells.values()],
        )
        for key, cells in sample.items()
    }


def estimates(why):
    return {name: part.estimate for name, part in why.parts.items()}


@settings(max_examples=settings.default.max_examples // 2)
@given(sample, sample)
def test_parts_are_the_sums_over_pairs_of_segments(before, after):
    reference = Reference(before, after).of_classes()
    by_class = estimates(cap.attribute_change(counted(before), counted(after), metric="roc_auc"))
    for name, value in by_class.items():
        assert value == pytest.approx(float(reference[name]), abs=3e-15)


@settings(max_examples=settings.default.max_examples // 2)
@given(sample, sample)
def test_parts_add_up_and_change_sign_with_the_samples(before, after):
    there = cap.attribute_change(counted(before), counted(after))
    back = cap.attribute_change(counted(after), counted(before))
    assert sum(estimates(there)[name] for name in ADD_UP) == pytest.approx(
        there.change.estimate, abs=4e-15
    )
    for name, part in there.parts.items():
        assert part.estimate == pytest.approx(-back.parts[name].estimate, abs=4e-15)
        assert part.se == pytest.approx(back.parts[name].se, rel=1e-9, abs=1e-12)
    for name in (*PARTS, "total"):
        of_all = there.change.estimate if name == "total" else there.parts[name].estimate
        assert there.segments[name].sum() == pytest.approx(of_all, abs=4e-15)


@settings(max_examples=settings.default.max_examples // 3)
@given(sample, sample, st.integers(2, 5), st.integers(2, 5))
def test_prevalence_scale_and_size_play_no_part(before, after, times, more):
    plain = estimates(cap.attribute_change(counted(before), counted(after)))
    many = {
        key: {score: (times * p, more * n) for score, (p, n) in cells.items()}
        for key, cells in before.items()
    }
    changed = cap.attribute_change(counted(many, lambda score: np.exp(score) - 7), counted(after))
    assert estimates(changed) == pytest.approx(plain, abs=4e-15)


@settings(max_examples=settings.default.max_examples // 3)
@given(segment, segment)
def test_one_segment_is_all_within(before, after):
    if not (both_classes({"A": before}) and both_classes({"A": after})):
        return
    why = cap.attribute_change(counted({"A": before}), counted({"A": after}))
    assert why.parts["within"].estimate == pytest.approx(why.change.estimate, abs=2e-15)
    for name in ("mix", "mix_positives", "mix_negatives", "between"):
        assert why.parts[name].estimate == 0


FEW = {
    "every segment in both": (
        {"A": {3: (1, 0), 2: (2, 2)}, "B": {2: (0, 1), 1: (1, 2)}},
        {"A": {3: (4, 1), 2: (1, 1)}, "B": {3: (1, 1), 1: (5, 3)}},
    ),
    "one comes and one goes": (
        {"A": {3: (2, 0), 2: (2, 2), 0: (1, 3)}, "B": {2: (3, 1), 1: (1, 2)}},
        {"A": {4: (4, 1), 2: (1, 1)}, "N": {3: (1, 1), 1: (5, 3)}},
    ),
    "classes are missing": (
        {"A": {3: (2, 1), 2: (1, 2)}, "B": {2: (2, 0), 1: (1, 0)}, "C": {1: (0, 4), 3: (0, 1)}},
        {"A": {3: (3, 2), 1: (1, 4)}, "B": {2: (0, 3), 4: (1, 1)}, "C": {2: (2, 3), 3: (1, 0)}},
    ),
    "some never meet": (
        {"A": {3: (2, 1), 2: (1, 2)}, "P": {3: (2, 0), 1: (1, 0)}},
        {"A": {3: (3, 2), 1: (1, 4)}, "Q": {2: (0, 3), 4: (0, 1)}},
    ),
}


@pytest.mark.parametrize("name", FEW)
def test_standard_errors_are_those_of_small_moves_of_each_case(name):
    before, after = FEW[name]
    wanted = variances(before, after, PARTS)
    found = cap.attribute_change(counted(before), counted(after), metric="roc_auc").parts
    for part, variance in wanted.items():
        assert found[part].se ** 2 == pytest.approx(variance, rel=1e-7, abs=1e-14)


@settings(max_examples=settings.default.max_examples // 3)
@given(sample, sample)
def test_the_error_of_all_parts_together_is_that_of_independent_samples(before, after):
    keys = list(dict.fromkeys([*before, *after]))
    both = [SegmentedSample.of(counted(each), keys) for each in (before, after)]
    pairs = SegmentPairs.of(*both)
    parts = parts_of_change()
    whole = parts["mix"] + parts["within"] + parts["between"]
    (found,) = spread_of(pairs, [whole]).variance
    delong = sum(auc_variance(each.whole, "delong") for each in both)
    assert found == pytest.approx(delong, rel=1e-9, abs=1e-15)


def test_coming_and_going_is_mix():
    """A new segment takes its ranking from the sample that has it."""
    old = {"A": {3: (2, 1), 2: (1, 2)}}
    new = old | {"N": {5: (3, 1), 1: (0, 4)}}
    why = cap.attribute_change(counted(old), counted(new))
    assert why.parts["mix"].estimate == pytest.approx(why.change.estimate, abs=1e-15)
    assert why.parts["within"].estimate == why.parts["between"].estimate == 0


def test_both_segments_better_and_the_whole_worse():
    before = {"A": {3: (1, 0), 2: (2, 2)}, "B": {2: (0, 1), 1: (1, 2)}}
    after = {"A": {3: (9, 1), 2: (1, 1)}, "B": {3: (1, 1), 1: (9, 9)}}
    why = cap.attribute_change(counted(before), counted(after))
    assert (why.segments["ratio_after"] > why.segments["ratio_before"]).all()
    assert why.parts["within"].estimate > 0 > why.parts["mix"].estimate


def test_small_segments_are_put_together():
    big = {3: (40, 30), 2: (20, 60)}
    before = {"A": big, "B": {3: (2, 30)}, "C": {1: (3, 40)}}
    after = {"A": big, "B": {3: (25, 30)}, "C": {1: (30, 40)}}
    why = cap.attribute_change(counted(before), counted(after), least=10)
    assert list(why.segments["segment"]) == ["A", "2 small segments"]
    assert why.segments["n1_before"].tolist() == [60, 5]
    alone = cap.attribute_change(counted(before), counted(after), least=3)
    assert list(alone.segments["segment"]) == ["A", "B", "C"]


def test_clusters_in_both_samples_move_together():
    """The same obligors twice: what they have in common does not add to the error."""
    rng = np.random.default_rng(20261122)
    size = 400
    who, product = np.arange(size), rng.integers(0, 3, size)
    lasting = rng.normal(size=size)
    samples = []
    for _ in range(2):
        y = (lasting + rng.normal(size=size) > 1).astype(int)
        score = lasting + 0.1 * rng.normal(size=size)
        samples.append(cap.count_segments(y, score, by=product, cluster=who))
    # The same rows again are no change at all, and nothing moves it.
    same = cap.attribute_change(samples[0], samples[0])
    assert max(part.se for part in same.parts.values()) < 1e-12
    together = cap.attribute_change(*samples)
    whole = cap.compare_independent(
        *(cap.ScoreCounts.merge(each.values()) for each in reversed(samples))
    )
    assert together.change.se == whole.se


def test_clusters_of_single_rows_are_rows():
    """Groups of unrelated rows vary about as the rows do."""
    rng = np.random.default_rng(5)
    size = 3000
    rows = []
    for start in (0, size):
        product, y = rng.integers(0, 3, size), rng.integers(0, 2, size)
        score = y + product + rng.normal(size=size)
        rows.append((y, score, product, np.arange(start, start + size)))
    plain = cap.attribute_change(*(cap.count_segments(y, s, by=b) for y, s, b, _ in rows))
    grouped = cap.attribute_change(
        *(cap.count_segments(y, s, by=b, cluster=who) for y, s, b, who in rows)
    )
    for name, part in plain.parts.items():
        assert grouped.parts[name].estimate == pytest.approx(part.estimate, abs=1e-14)
        assert grouped.parts[name].se == pytest.approx(part.se, rel=0.25)


def test_sampling_weights_count_as_their_rows():
    """Weights of one are no weights but for DeLong's n - 1; a doubled weight widens."""
    rng = np.random.default_rng(8)
    size = 500
    y, product = rng.integers(0, 2, size), rng.integers(0, 2, size)
    score = y + rng.normal(size=size)
    ones, uneven = np.ones(size), rng.choice([0.2, 3.0], size)
    found = {}
    for name, weight in (("none", None), ("ones", ones), ("uneven", uneven)):
        how = {} if weight is None else {"weight": weight, "weight_kind": "sampling"}
        half = np.arange(size) < size // 2
        samples = [
            cap.count_segments(
                y[part],
                score[part],
                by=product[part],
                **{key: v if isinstance(v, str) else v[part] for key, v in how.items()},
            )
            for part in (half, ~half)
        ]
        found[name] = cap.attribute_change(*samples)
    for part in PARTS:
        assert found["ones"].parts[part].estimate == pytest.approx(
            found["none"].parts[part].estimate, abs=1e-14
        )
        assert found["ones"].parts[part].se == pytest.approx(found["none"].parts[part].se, rel=0.02)
    assert found["uneven"].parts["between"].se > 1.1 * found["none"].parts["between"].se


@pytest.mark.parametrize(
    ("positives", "without"),
    [(2, ()), (1, ("within", "between")), (0, ("within", "between"))],
)
def test_rankings_that_a_sample_does_not_show_have_no_limits(positives, without):
    rng = np.random.default_rng(5)

    def sample(of_small):
        y = np.array([1] * 20 + [0] * 60 + [1] * of_small + [0] * 20)
        by = np.repeat(["large", "small"], [80, 20 + of_small])
        return cap.count_segments(y, y + rng.normal(size=len(y)), by=by)

    why = cap.attribute_change(sample(12), sample(positives))
    for part in PARTS:
        limits = (why.parts[part].low, why.parts[part].high)
        assert np.isnan(limits).all() == (part in without)
        assert np.isfinite(why.parts[part].estimate)
        assert any("no intervals" in note for note in why.parts[part].notes) == (part in without)
    text, saved = why.to_text(), json.dumps(why.to_dict(), allow_nan=False)
    assert "nan" not in text.lower()
    assert json.loads(saved)["parts"]["between"]["low"] == (
        None if without else why.parts["between"].low
    )
    if without:
        assert "No intervals of the ranking within and between segments: of those in both" in text
    new = {**sample(12), "new": cap.ScoreCounts.from_counts([1], [1], [5])}
    assert np.isfinite(cap.attribute_change(sample(12), new).parts["between"].low)


def test_weights_of_unknown_kind_have_no_errors():
    counts = cap.count_segments([1, 0, 1, 0], [4, 3, 2, 1], by=list("aabb"), weight=[1, 2, 1, 2.5])
    why = cap.attribute_change(counts, counts)
    assert why.parts["mix"].se is None
    assert np.isnan(why.change.p_value)
    assert why.change.notes


def test_evaluations_are_taken_with_their_segments():
    y, score, by = [1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]
    found = cap.evaluate(y, score, by=by)
    why = cap.attribute_change(found, cap.count_segments(y, score[::-1], by=by))
    assert why.before == 0.5
    assert why.change.estimate == -1


def pds(spread, seed, size=2000):
    rng = np.random.default_rng(seed)
    odds = rng.normal(-2, spread, size)
    pd = np.round(1 / (1 + np.exp(-odds)), 3)
    return cap.count_scores((rng.random(size) < pd).astype(int), pd)


@pytest.mark.parametrize("metric", ["accuracy_ratio", "roc_auc"])
@pytest.mark.parametrize("calibration", ["matched", "stated"])
def test_portfolio_and_model_add_up_to_the_change(metric, calibration):
    before, after = pds(1.5, 1), pds(0.7, 2)
    why = cap.attribute_change(before, after, metric=metric, pd="score", calibration=calibration)
    portfolio, model = (why.parts[name] for name in ("portfolio", "model"))
    assert portfolio.estimate + model.estimate == pytest.approx(why.change.estimate, abs=1e-14)
    implied = [
        cap.implied_accuracy_ratio(each, calibration=calibration).estimates["implied"]
        for each in (before, after)
    ]
    factor = 1 if metric == "accuracy_ratio" else 2
    assert factor * portfolio.estimate == pytest.approx(implied[1] - implied[0], abs=1e-14)
    assert [each.estimate for each in why.implied] == pytest.approx(
        implied if factor == 1 else [(1 + each) / 2 for each in implied]
    )
    # The PDs are those that the outcomes were drawn with: nothing is the model's.
    assert model.low <= 0 <= model.high
    assert portfolio.high < 0


def test_numbers_of_any_size_are_explained():
    many = {"A": {3: (10**12, 3), 2: (2, 10**13)}, "B": {3: (5, 7), 1: (10**9, 10**11)}}
    few = {"A": {3: (1, 3), 2: (2, 1)}, "B": {3: (5, 7), 1: (1, 1)}}
    why = cap.attribute_change(counted(many), counted(few))
    wanted = Reference(many, few).of_classes()
    for name, part in why.parts.items():
        assert part.estimate == pytest.approx(2 * float(wanted[name]), abs=1e-14)
        assert np.isfinite([part.low, part.high]).all()


@pytest.mark.merge
def test_at_a_depth_limits_change_sign_with_the_samples():
    samples = pds(1.5, 1), pds(0.7, 2)
    there = cap.attribute_change(*samples, metric="lift", q=0.1)
    back = cap.attribute_change(*reversed(samples), metric="lift", q=0.1)
    for name in ("ranking", "prevalence"):
        assert there.parts[name].low == pytest.approx(-back.parts[name].high, abs=1e-12)
    assert there.change.p_value == pytest.approx(back.change.p_value)


@pytest.mark.parametrize("weight", [1.0, 1000.0])
def test_segments_are_small_by_their_rows_and_not_by_their_weights(weight):
    y, by = [1, 0, 0] * 8, ["a"] * 12 + ["b"] * 12
    how = {"weight": [weight] * 24, "weight_kind": "sampling"}
    counts = cap.count_segments(y, list(range(24)), by=by, **how)
    why = cap.attribute_change(counts, counts)
    assert why.small == ("a", "b")
    assert cap.attribute_change(counts, counts, least=10).pooled == ("a", "b")


SEGMENTS = cap.count_segments([1, 0, 1, 0], [4, 3, 2, 1], by=list("aabb"))
NO_POSITIVES = cap.count_segments([0, 0], [2, 1], by=list("ab"), pos_label=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: cap.attribute_change(SEGMENTS, [1, 0]), r"after must be counts by segment, got l"),
        (lambda: cap.attribute_change({}, SEGMENTS), "before has no segments"),
        (lambda: cap.attribute_change(SEGMENTS, NO_POSITIVES), "after: no positives"),
        (lambda: cap.attribute_change(SEGMENTS, {"a": 3}), r"after\['a'\] must be ScoreCounts"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, metric="ks"), "metric must be one of"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, metric="lift"), "pass q="),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, q=0.1), "has no depth"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, metric="lift", q=0), "q must be"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, level=1), "level must be"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, least=-1), "least must be"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, pd="score"), "PD"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, pd="score", least=3), "leave out least"),
        (
            lambda: cap.attribute_change(SEGMENTS, SEGMENTS, metric="lift", q=0.1, pd="score"),
            "not of lift",
        ),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, labels="ab"), "labels must be two names"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, by=""), "by must say what"),
        (lambda: cap.attribute_change(SEGMENTS, SEGMENTS, calibration="stated"), "pass pd"),
        (
            lambda: cap.attribute_change(SEGMENTS, SEGMENTS, metric="lift", q=0.1, least=3),
            "without segments; leave out least",
        ),
        (lambda: cap.decompose(3), "segments must be counts by segment, got int"),
    ],
)
def test_bad_input_is_answered_in_one_line(given, said):
    with pytest.raises((ValueError, TypeError), match=said) as raised:
        given()
    assert "\n" not in str(raised.value)


def test_amounts_are_refused():
    values = cap.count_value_segments([1.0, 0, 2, 0], [4, 3, 2, 1], by=list("aabb"))
    with pytest.raises(TypeError, match="ranks amounts"):
        cap.attribute_change(values, values)


@pytest.mark.merge
def test_errors_at_a_depth_hold_what_resampling_both_samples_gives():
    rng = np.random.default_rng(3)
    samples = []
    for size, rate in ((3000, 0.2), (2500, 0.3)):
        y = (rng.random(size) < rate).astype(int)
        samples.append(cap.count_scores(y, np.round(y + rng.normal(size=size), 1)))
    why = cap.attribute_change(*samples, metric="precision", q=0.2)
    draws = []
    for _ in range(400):
        drawn = []
        for counts in samples:
            cases = np.concatenate([counts.positives, counts.negatives]).astype(int)
            cells = rng.multinomial(cases.sum(), cases / cases.sum())
            half = len(cells) // 2
            drawn.append(cap.ScoreCounts.from_counts(counts.score, cells[:half], cells[half:]))
        again = {
            (u, v): cap.precision(drawn[u], 0.2, prevalence=cap.prevalence(drawn[v]))
            for u in (0, 1)
            for v in (0, 1)
        }
        ranking = (again[1, 0] - again[0, 0] + again[1, 1] - again[0, 1]) / 2
        draws.append((ranking, again[1, 1] - again[0, 0] - ranking))
    errors = np.std(draws, axis=0)
    for name, error in zip(("ranking", "prevalence"), errors, strict=True):
        assert why.parts[name].se == pytest.approx(error, rel=0.15)
