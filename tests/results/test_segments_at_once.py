"""Numbers of very many segments found at once are those of each alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import capcurve as cap
from capcurve.counts import SegmentCounts
from capcurve.curves.segmented import SegmentCells, captured_at
from capcurve.inference import discrimination
from capcurve.inference.discrimination import is_near_chance
from capcurve.inference.monotone import is_far_from_rising
from capcurve.inference.records import Confidence
from capcurve.inference.segmented import auc_limits
from capcurve.results.segments import SegmentSummaries
from capcurve.results.summarizing import summarize_segment


def population(seed, digits=None, dtype=float, rate=0.2, segments=12, rows=600):
    """Rows of segments of uneven size, some of them without a class."""
    rng = np.random.default_rng(seed)
    segment = rng.integers(0, segments, rows) * rng.integers(0, 2, rows)
    y = (rng.random(rows) < rate).astype(int)
    score = rng.standard_normal(rows) + rng.choice([-1.5, 0.5, 4.0], segments)[segment] * y
    score = score if digits is None else np.round(score, digits)
    return y, (100 * score).astype(dtype) if dtype is int else score.astype(dtype), segment


POPULATIONS = [
    {},
    {"digits": 0},
    {"digits": 1, "rate": 0.9},
    {"dtype": np.float32, "rate": 0.03},
    {"dtype": int, "segments": 90},
    {"rows": 4000, "segments": 3},
]


@pytest.mark.parametrize("of", POPULATIONS)
@pytest.mark.parametrize(("higher_is", "level"), [("positive", 0.5), ("negative", 0.999)])
def test_limits_of_all_segments_are_those_of_each(of, higher_is, level):
    y, score, segment = population(1, **of)
    counts = cap.count_segments(y, score, by=segment, higher_is=higher_is)
    found = np.array(auc_limits(counts, Confidence(level))).T
    for each, (low, high) in zip(counts.values(), found, strict=True):
        if each.n1 and each.n0:
            wanted = cap.confidence_interval(each, "roc_auc", level=level)
            assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=1e-14)
        else:
            assert np.isnan([low, high]).all()


def test_limits_of_more_pairs_than_whole_numbers_hold_are_those_of_each():
    shapes = {"large": 60_000, "small": 3}
    parts = {
        name: cap.ScoreCounts.from_counts([3, 2, 1], [n, n, 1], [2, n, n])
        for name, n in shapes.items()
    }
    low, high = auc_limits(SegmentCounts.of(parts), Confidence())
    wanted = [cap.confidence_interval(each, "roc_auc") for each in parts.values()]
    assert low.tolist() == pytest.approx([each.low for each in wanted], abs=1e-14)
    assert high.tolist() == pytest.approx([each.high for each in wanted], abs=1e-14)


@pytest.mark.parametrize("of", POPULATIONS)
@pytest.mark.parametrize("higher_is", ["positive", "negative"])
def test_rows_found_at_once_have_every_digit_of_a_summary(of, higher_is):
    y, score, segment = population(2, **of)
    counts = cap.count_segments(y, score, by=segment, higher_is=higher_is)
    seen = SegmentSummaries(counts, "s", 0.9).glances()
    for key, each in counts.items():
        wanted = summarize_segment(each, name="s", level=0.9)
        row, other = seen[key].to_row(), wanted.to_row()
        ends = [f"accuracy_ratio_{end}" for end in ("low", "high")]
        limits = [[part.pop(end) for end in ends] for part in (row, other)]
        assert [*row.items()] == [*other.items()]
        assert seen[key].undefined == wanted.undefined
        if wanted.undefined is None:
            assert limits[0] == pytest.approx(limits[1], abs=1e-14)
        else:
            assert limits == [[None, None]] * 2


@pytest.mark.parametrize("q", [0.07, 0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("of", POPULATIONS[:3])
def test_shares_captured_are_read_off_all_curves_as_off_one(of, q):
    y, score, segment = population(3, **of)
    counts = cap.count_segments(y, score, by=segment)
    captured, lift = captured_at(SegmentCells.of(counts), np.full(len(counts), q))
    for at, each in enumerate(counts.values()):
        if not each.n1:
            assert np.isnan(captured[at])
            continue
        assert captured[at] == cap.captured_response(each, q)
        assert lift[at] == cap.lift(each, q)


def test_an_evaluation_makes_the_summary_of_a_segment_when_it_is_looked_at(monkeypatch):
    y, score, segment = population(4, segments=80, rows=4000)
    made = []

    def counted(*given, **words):
        made.append(words["name"])
        return summarize_segment(*given, **words)

    monkeypatch.setattr("capcurve.results.segments.summarize_segment", counted)
    found = cap.evaluate(y, score, by=segment, all_segments=True)
    assert len(found.to_frame("pandas")) == len(found.to_dict()["segments"]["score"]) == 80
    assert "score by segment" in found.to_html()
    assert len(found.presentation().tables[0]) == 81
    assert made == []
    parts = found.segment_summaries["score"]
    wanted = summarize_segment(found.segments["score"][7], name="score")
    assert parts[7].to_dict() == wanted.to_dict()
    assert parts[7] is parts[7]
    assert made == ["score"]
    assert [*parts] == [*range(80)]


@pytest.mark.parametrize("words", [{"prevalence": 0.3}, {"weight": "w", "weight_kind": "sampling"},
                                   {"cluster": "c"}, {"pd": True}])  # fmt: skip
def test_summaries_of_other_rows_are_those_of_each(words):
    y, score, segment = population(5, segments=3)
    rng = np.random.default_rng(6)
    more = {"w": rng.random(len(y)) + 0.5, "c": rng.integers(0, 60, len(y))}
    chance = 1 / (1 + np.exp(-score))
    frame = pd.DataFrame({"y": y, "s": chance, "by": segment, **more})
    found = cap.evaluate("y", "s", frame, by="by", **words)
    asked = {"name": "s", "prevalence": words.get("prevalence")}
    asked["pd"] = "score" if "pd" in words else None
    for key, each in found.segments["s"].items():
        wanted = summarize_segment(each, **asked)
        assert found.segment_summaries["s"][key].to_dict() == wanted.to_dict()
    rows = found.to_frame("pandas")
    ratios = [each.accuracy_ratio for each in found.segment_summaries["s"].values()]
    assert rows["accuracy_ratio"].tolist() == ratios


@pytest.mark.parametrize("seed", range(6))
def test_what_is_far_from_rising_is_never_found_to_rise(seed):
    # A p-value of 1/500 is far above what 60 and more segments ask for.
    rng = np.random.default_rng(seed)
    far = 0
    for _ in range(150):
        grades = int(rng.integers(2, 13))
        cases = (10 ** rng.uniform(0.5, 3.5, grades)).astype(int)
        rates = 10 ** rng.uniform(-2.5, -0.1, grades)
        rates = np.sort(rates)[::-1] if rng.random() < 0.6 else rates
        positives = rng.binomial(cases, rates)
        if not 0 < positives.sum() < cases.sum():
            continue
        scores = np.arange(grades)[::-1]
        counts = cap.ScoreCounts.from_counts(scores, positives, cases - positives)
        if is_far_from_rising(counts):
            far += 1
            assert cap.monotonicity_test(counts).p_value > 0.002
    assert far > 15


@pytest.mark.parametrize("seed", range(6))
def test_what_is_near_chance_is_never_found_to_rank_worse(seed):
    rng = np.random.default_rng(seed)
    near = 0
    for _ in range(60):
        cells = int(rng.integers(2, 60))
        positives = rng.multinomial(rng.integers(1, 15), rng.dirichlet(np.full(cells, 0.4)))
        negatives = rng.multinomial(rng.integers(5, 120), rng.dirichlet(np.full(cells, 0.4)))
        if rng.random() < 0.5:
            positives, negatives = negatives, positives
        kept = positives + negatives > 0
        counts = cap.ScoreCounts.from_counts(
            np.arange(kept.sum())[::-1], positives[kept], negatives[kept]
        )
        if is_near_chance(counts):
            near += 1
            assert cap.discrimination_test(counts, method="exact").p_value > 0.005
    assert near > 5


def test_segments_without_order_take_no_exact_laws(monkeypatch):
    rng = np.random.default_rng(2)
    y, by = rng.random(70 * 200) < 0.05, np.repeat(np.arange(70), 200)
    asked = []
    law = discrimination.rank_sum_chance
    monkeypatch.setattr(discrimination, "rank_sum_chance", lambda *a: asked.append(a) or law(*a))
    found = cap.evaluate(y, rng.random(len(y)), by=by, all_segments=True)
    assert len(asked) < 15
    ratios = [cap.accuracy_ratio(each) for each in found.segments["score"].values()]
    assert sum(each < 0 for each in ratios) > 20
    assert "segment_reversed" not in [each.code for each in found.about_segments]


# Positives by place, and negatives, of many small grades, one of which holds most positives.
HIDDEN = [
    (
        {0: 2, 2: 1, 8: 2, 12: 7, 49: 1},
        (
            "0 1 1 1 2 2 1 2 0 6 7 9 1 4 3 4 1 7 5 6 1 6 1 2 5 10 3 3 7 4 1 5 2 6 "
            "3 7 6 2 9 2 12 2 3 4 1 6 4 6 8 8"
        ),
    ),
    (
        {1: 1, 4: 2, 12: 4, 22: 1, 35: 1},
        "2 1 1 2 1 8 3 2 3 3 4 2 1 2 1 3 1 2 2 1 2 1 4 1 3 2 2 4 2 3 3 4 3 2 1 4",
    ),
]


@pytest.mark.parametrize(("positives", "negatives"), HIDDEN)
def test_one_grade_out_of_line_is_found_among_many_small_ones(positives, negatives):
    n = [*map(int, negatives.split())]
    p, scores = [positives.get(place, 0) for place in range(len(n))], range(len(n), 0, -1)
    counts = cap.ScoreCounts.from_counts(scores, p, n)
    assert cap.monotonicity_test(counts).p_value * 61 < 0.04
    assert not is_far_from_rising(counts)
    first = np.arange(len(n)) < 12
    perfect = cap.ScoreCounts.from_counts(scores, first.astype(int), (~first).astype(int))
    parts = [(*_rows_of(counts if key == 0 else perfect), key) for key in range(61)]
    y, score = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    by = np.repeat(np.arange(61), [len(labels) for labels, _, _ in parts])
    found = cap.evaluate(y, score, by=by, all_segments=True)
    assert [each.code for each in found.about_segments] == ["segment_not_concave"]


def _rows_of(counts):
    """Return labels and scores of the cases of counts."""
    sums = [each.astype(int) for each in (counts.positives, counts.negatives)]
    labels = np.repeat([1, 0], [each.sum() for each in sums])
    return labels, np.concatenate([np.repeat(counts.score, each) for each in sums])


def test_a_table_of_amounts_has_their_accuracy_ratios():
    rng = np.random.default_rng(3)
    amount, score, by = rng.lognormal(size=60), rng.random(60), rng.integers(0, 3, 60)
    counts = cap.count_value_segments(amount, score, by=by)
    table = cap.segment_table(counts)
    assert [*table["accuracy_ratio"]] == [cap.accuracy_ratio(each) for each in counts.values()]
    assert "ks" not in table.columns


def test_a_table_of_segments_has_the_numbers_of_each():
    y, score, segment = population(7, segments=9)
    counts = cap.count_segments(y, score, by=segment)
    names = ["auc", cap.accuracy_ratio, "ks", "recall@5", "average_precision"]
    table = cap.segment_table(counts, metrics=names, level=0.8)
    assert [*table.columns] == [
        *("segment", "n", "positives", "roc_auc", "roc_auc_low", "roc_auc_high"),
        *("accuracy_ratio", "accuracy_ratio_low", "accuracy_ratio_high", "ks"),
        *("captured_response@5", "average_precision"),
    ]
    assert table == cap.segment_table(y, score, by=segment, metrics=names, level=0.8)
    for row, (key, each) in zip(table.rows(), counts.items(), strict=True):
        assert (row["segment"], row["n"], row["positives"]) == (key, each.n, each.n1)
        interval = cap.confidence_interval(each, "accuracy_ratio", level=0.8)
        assert row["accuracy_ratio"] == cap.accuracy_ratio(each)
        assert row["ks"] == cap.ks(each).statistic
        assert row["captured_response@5"] == cap.captured_response(each, k=5)
        assert row["accuracy_ratio_low"] == pytest.approx(interval.low, abs=1e-13)
        assert row["roc_auc_high"] == pytest.approx((1 + interval.high) / 2, abs=1e-13)


@pytest.mark.parametrize("words", [{"weight_kind": "sampling"}, {"cluster": True}])
def test_a_table_of_weighted_or_clustered_segments_has_the_limits_of_each(words):
    y, score, segment = population(8, segments=3)
    rng = np.random.default_rng(9)
    if "cluster" in words:
        words = {"cluster": rng.integers(0, 80, len(y))}
    else:
        words |= {"weight": rng.random(len(y)) + 0.5}
    counts = cap.count_segments(y, score, by=segment, **words)
    table = cap.segment_table(counts)
    for row, each in zip(table.rows(), counts.values(), strict=True):
        wanted = cap.confidence_interval(each, "accuracy_ratio")
        assert (row["accuracy_ratio_low"], row["accuracy_ratio_high"]) == (wanted.low, wanted.high)


def test_a_table_of_segments_without_a_class_or_a_name_has_gaps():
    counts = cap.count_segments([1, 0, 0, 0, 1], [2, 1, 1, 2, 3], by=["a", "a", "b", "b", None])
    rows = list(cap.segment_table(counts, metrics=["auc", "precision@1"]).rows())
    assert [row["segment"] for row in rows] == ["a", "b", "(none)"]
    assert [row["roc_auc"] for row in rows] == [1.0, None, None]
    assert [row["roc_auc_high"] for row in rows] == [1.0, None, None]
    assert [row["precision@1"] for row in rows] == [1.0, None, 1.0]


def test_a_table_of_amounts_by_segment():
    counts = cap.count_value_segments([9, 0, 1, 5, 0], [3, 2, 1, 2, 1], by=["a"] * 3 + ["b"] * 2)
    (first, second) = cap.segment_table(counts, metrics=["ndcg@2"]).rows()
    parts = [cap.ndcg(each, k=2) for each in counts.values()]
    assert [first["ndcg@2"], second["ndcg@2"]] == pytest.approx(parts)
    assert [first["positives"], second["n"]] == [2, 2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"metrics": ["speed"]}, "speed"),
        ({"metrics": ["captured_response"]}, "needs"),
        ({"metrics": []}, "no metric"),
        ({"metrics": "ks"}, None),
        ({"level": 1.5}, "level"),
    ],
)
def test_a_table_of_segments_says_what_it_cannot_show(words, said):
    counts = cap.count_segments([1, 0, 1], [2, 1, 3], by=["a", "a", "b"])
    if said is None:
        assert [*cap.segment_table(counts, **words).columns][3:] == ["ks"]
        return
    with pytest.raises((ValueError, TypeError), match=said):
        cap.segment_table(counts, **words)


def test_a_table_of_several_scores_is_refused():
    counts = cap.count_segments([1, 0, 1], {"a": [2, 1, 3], "b": [1, 2, 3]}, by=[1, 1, 2])
    with pytest.raises(TypeError, match="takes one score"):
        cap.segment_table(counts)
