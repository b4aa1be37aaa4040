"""Laws of a change taken from its definition: case by case, by resampling, and in other forms."""

import copy
import json
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import capcurve as cap
from needs import REQUIRED

PARTS = ("mix", "mix_positives", "mix_negatives", "within", "between")
ADD_UP = ("mix", "within", "between")


def won(positive, negative):
    return Fraction((positive > negative) + (positive >= negative), 2)


def mean_won(positives, negatives):
    if not positives or not negatives:
        return None
    wins = sum(won(s, t) for s, t in product(positives, negatives))
    return wins / (len(positives) * len(negatives))


class Cases:
    """Shares and chances of one sample, from its cases (segment, score, outcome)."""

    def __init__(self, rows, segments):
        scores = {
            (segment, outcome): [s for g, s, y in rows if g == segment and y == outcome]
            for segment in segments
            for outcome in (0, 1)
        }
        number = [sum(y == outcome for *_, y in rows) for outcome in (0, 1)]
        self.a = {i: Fraction(len(scores[i, 1]), number[1]) for i in segments}
        self.b = {i: Fraction(len(scores[i, 0]), number[0]) for i in segments}
        self.chance = {
            (i, j): mean_won(scores[i, 1], scores[j, 0]) for i in segments for j in segments
        }
        self.auc = mean_won(*([s for _, s, y in rows if y == outcome] for outcome in (1, 0)))


def chances(old, new, pair):
    """The chances of a pair before and after; what a sample lacks is that of the other."""
    found = [sample.chance[pair] for sample in (old, new)]
    if found == [None, None]:
        return [(old.auc + new.auc) / 2] * 2
    return [other if each is None else each for each, other in zip(found, found[::-1], strict=True)]


def defined(before, after):
    """The parts of the change of the AUC and of each segment, exactly as they are defined."""
    segments = sorted({row[0] for row in before + after})
    old, new = Cases(before, segments), Cases(after, segments)
    parts = dict.fromkeys(PARTS, Fraction(0))
    own = {i: {"within": Fraction(0), "between": Fraction(0)} for i in segments}
    for i, j in product(segments, repeat=2):
        first, second = chances(old, new, (i, j))
        mean = (first + second) / 2
        parts["mix_positives"] += (new.a[i] - old.a[i]) * mean * (old.b[j] + new.b[j]) / 2
        parts["mix_negatives"] += (old.a[i] + new.a[i]) / 2 * mean * (new.b[j] - old.b[j])
        moved = (old.a[i] * old.b[j] + new.a[i] * new.b[j]) / 2 * (second - first)
        name = "within" if i == j else "between"
        parts[name] += moved
        for segment in (i, j):
            own[segment][name] += moved / 2
    parts["mix"] = parts["mix_positives"] + parts["mix_negatives"]
    return parts, own, new.auc - old.auc


def drawn(random, scale=1.0):
    """Cases of some segments, of which some may hold one class only."""
    size, kinds = random.integers(6, 30), random.integers(1, 6)
    segments = random.integers(0, kinds, size) + random.integers(0, 3)
    outcomes = np.r_[0, 0, 1, 1, random.integers(0, 2, size - 4)]
    scores = random.integers(0, 8, size) + segments * random.integers(-1, 2)
    return [
        (int(segment), float(score) * scale, int(outcome))
        for segment, score, outcome in zip(segments, scores, outcomes, strict=True)
    ]


def counted(rows, **options):
    segments, scores, outcomes = zip(*rows, strict=True)
    return cap.count_segments(outcomes, scores, by=list(segments), **options)


SEEDS = range(25 if REQUIRED else 9)


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_those_of_the_definition_case_by_case(seed):
    random = np.random.default_rng(seed)
    before, after = drawn(random), drawn(random, scale=100.0)
    parts, own, change = defined(before, after)
    why = cap.attribute_change(counted(before), counted(after), metric="roc_auc")
    assert {name: part.estimate for name, part in why.parts.items()} == pytest.approx(
        {name: float(part) for name, part in parts.items()}, abs=1e-15
    )
    assert why.change.estimate == pytest.approx(float(change), abs=1e-15)
    for name in ("within", "between"):
        shown = dict(zip(why.segments["segment"], why.segments[name], strict=True))
        assert shown == pytest.approx({key: float(of[name]) for key, of in own.items()}, abs=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_swapped_samples_swap_every_sign_and_limit(seed):
    random = np.random.default_rng(seed)
    samples = counted(drawn(random)), counted(drawn(random))
    there = cap.attribute_change(*samples)
    back = cap.attribute_change(*samples[::-1])
    pairs = [(there.parts[name], back.parts[name]) for name in PARTS]
    for one, other in [*pairs, (there.change, back.change)]:
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (-other.estimate, -other.high, -other.low), abs=1e-12, nan_ok=True
        )
    assert there.change.p_value == pytest.approx(back.change.p_value, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_segments_cut_into_equal_halves_keep_the_mix(seed):
    random = np.random.default_rng(seed)
    samples = drawn(random), drawn(random)
    whole = cap.attribute_change(*map(counted, samples))
    halves = [
        counted([(f"{segment} {half}", *rest) for segment, *rest in rows for half in "ab"])
        for rows in samples
    ]
    cut = cap.attribute_change(*halves)
    assert cut.parts["mix"].estimate == pytest.approx(whole.parts["mix"].estimate, abs=1e-13)
    assert sum(cut.parts[name].estimate for name in ADD_UP) == pytest.approx(
        whole.change.estimate, abs=1e-14
    )


def test_the_order_of_segments_plays_no_part():
    random = np.random.default_rng(1)
    samples = counted(drawn(random)), counted(drawn(random))
    turned = [dict(reversed([*sample.items()])) for sample in samples]
    one, other = cap.attribute_change(*samples), cap.attribute_change(*turned)
    for name in PARTS:
        assert one.parts[name].estimate == pytest.approx(other.parts[name].estimate, abs=1e-15)
        assert one.parts[name].se == pytest.approx(other.parts[name].se, rel=1e-12)


def returning(random, obligors=250, rows=3):
    """Two periods with several rows per obligor, whose risk is the same in both."""
    risk = np.repeat(random.normal(size=obligors), rows)
    product_of = np.repeat(random.choice(3, obligors, p=[0.5, 0.3, 0.2]), rows)
    for noise, new in ((0.7, 0.0), (1.0, 0.2)):
        moved = np.repeat(random.random(obligors) < new, rows)
        outcome = (random.random(len(risk)) < 1 / (1 + np.exp(1.5 - 2 * risk))).astype(int)
        score = np.round(risk + random.normal(0, noise, len(risk)), 1)
        yield np.where(moved, 2, product_of), outcome, score


@pytest.mark.merge
def test_errors_with_clusters_in_both_periods_are_those_of_resampling():
    random = np.random.default_rng(12)
    obligors, rows = 250, 3
    periods = list(returning(random, obligors, rows))
    ids = np.repeat(np.arange(obligors), rows)

    def explained(chosen, **options):
        return cap.attribute_change(
            *(
                cap.count_segments(y[chosen], s[chosen], by=g[chosen], **options)
                for g, y, s in periods
            )
        )

    found = explained(slice(None), cluster=ids)
    drawn_again = [
        [part.estimate for part in explained(chosen).parts.values()]
        for chosen in (
            (random.integers(0, obligors, (obligors, 1)) * rows + np.arange(rows)).ravel()
            for _ in range(60)
        )
    ]
    spread = dict(zip(found.parts, np.std(drawn_again, axis=0, ddof=1), strict=True))
    for name, part in found.parts.items():
        assert part.se == pytest.approx(spread[name], rel=0.3), name


def test_clusters_are_the_same_whatever_type_their_ids_have():
    periods = list(returning(np.random.default_rng(3)))
    ids = np.repeat(np.arange(250), 3)
    before, *after = (
        cap.count_segments(y, s, by=g, cluster=kind)
        for (g, y, s), kind in zip(
            (periods[0], *[periods[1]] * 3), (ids, ids, ids.astype(str), ids * 1.0), strict=True
        )
    )
    errors = [
        [part.se for part in cap.attribute_change(before, each).parts.values()] for each in after
    ]
    assert errors[0] == errors[1] == errors[2]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_p_value_the_interval_and_the_sentence_agree(level):
    random = np.random.default_rng(5)
    for _ in range(14):
        size = int(random.integers(30, 200))
        samples = []
        for shift in (2.0, 1.2):
            outcome = np.r_[0, 0, 1, 1, random.random(size) < 0.3].astype(int)
            score = random.normal(size=size + 4) + shift * outcome
            samples.append(cap.count_segments(outcome, score, by=random.choice(2, size + 4)))
        why = cap.attribute_change(*samples, level=level)
        beyond = why.change.low > 0 or why.change.high < 0
        assert (why.change.p_value < 1 - level) == beyond
        assert ("is statistically" in why.presentation().sentences[0]) == beyond


def two_samples():
    random = np.random.default_rng(8)
    return [drawn(random) for _ in range(2)]


def pickled(given):
    return pickle.loads(pickle.dumps(given))  # noqa: S301 - what was dumped here


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_holds_the_same(again):
    why = cap.attribute_change(*map(counted, two_samples()))
    assert again(why).to_dict() == why.to_dict()
    assert again(why).to_html().split("capcurve")[-1] == why.to_html().split("capcurve")[-1]


def strict(given):
    return json.dumps(given, allow_nan=False)


@pytest.mark.parametrize(
    ("outcomes", "scores"),
    [
        ([1, 0, 0, 1], [1, 1, 1, 1]),
        ([1, 0, 0, 0], [1, 2, 3, 4]),
        ([1, 0, 1, 0], [2, 1, 2, 1]),
        ([1, 0, 1, 0], [1, 2, 1, np.inf]),
    ],
    ids=["constant", "one positive", "perfect", "infinite"],
)
def test_poor_samples_are_told_and_strict_json(outcomes, scores):
    poor = cap.count_segments(outcomes, scores, by=list("ABAB"))
    other = cap.count_segments([1, 0, 0, 1], [3, 2, 1, 2], by=list("ABAB"))
    for metric, options in (("accuracy_ratio", {}), ("lift", {"q": 0.3})):
        why = cap.attribute_change(poor, other, metric=metric, **options)
        assert strict(why.to_dict()) == strict(json.loads(strict(why.to_dict())))
        assert "nan" not in why.to_text().lower()


def test_names_are_text_on_the_page_and_none_loads():
    names = ["<script>alert(1)</script>", "a&b", "=1+1", "שלום", "x" * 300]
    random = np.random.default_rng(2)
    samples = []
    for _ in range(2):
        outcome = random.integers(0, 2, 200)
        by = [names[index] for index in random.integers(0, 5, 200)]
        samples.append(cap.count_segments(outcome, random.normal(size=200), by=by))
    why = cap.attribute_change(*samples, by="<b>kind</b>", labels=("<u>", "a" * 400))
    page = why.to_html()
    assert all(mark not in page for mark in ("<script", "<b>kind", "<u>", "src=", "@import"))
    assert "&lt;script&gt;alert(1)" in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_segments_that_cancel_are_still_shown_each():
    before = cap.count_segments([0, 1, 0, 1], [1, 2, 2, 1], by=list("AABB"))
    after = cap.count_segments([0, 1, 0, 1], [2, 1, 1, 2], by=list("AABB"))
    why = cap.attribute_change(before, after)
    by_segment = dict(zip(why.segments["segment"], why.segments["within"], strict=True))
    assert by_segment == {"A": -0.5, "B": 0.5}
    assert why.change.estimate == 0
