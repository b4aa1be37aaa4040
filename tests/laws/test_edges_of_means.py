"""Means over segments compared, shown and refused."""

import copy
import itertools
import json
import math
import pickle
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st
from means_by_definition import drawn, fixed, placements, weighed
from scipy import stats

import capcurve as cap

seeds = st.integers(0, 2**32)
KINDS = ("equal", "cases", "positives", "pairs")
DATA = Path(__file__).parents[1] / "oracles" / "means" / "data.json"
QUERIES = json.loads(DATA.read_text("utf-8"))["queries"]
RELEVANT = [int(grade > 0) for grade in QUERIES["target"]]
Y, A, BY = RELEVANT, QUERIES["a"], QUERIES["segment"]


def close(value, abs=1e-12):  # noqa: A002 - as pytest calls it
    return pytest.approx(value, rel=1e-9, abs=abs)


def rows_of(seed, groups=6, least=1):
    """Return labels, two tied scores and segments with cases of both classes."""
    rng = np.random.default_rng(seed)
    by = np.repeat([f"g{g}" for g in range(groups)], 10)
    shares = np.clip(rng.integers(1, 9, groups), least, 10 - least)
    y = np.concatenate([np.repeat([1, 0], (share, 10 - share)) for share in shares])
    a, b = (np.round(rng.normal(size=len(y)) + y * rng.uniform(0, 2), 1) for _ in "ab")
    order = rng.permutation(len(y))
    return y[order], a[order], b[order], by[order]


def segments_of(by, *columns):
    return {name: [each[by == name] for each in columns] for name in sorted(set(by.tolist()))}


def refusal(function, *args, **kwargs):
    """Return the one line that an error says."""
    with pytest.raises((ValueError, TypeError)) as caught:
        function(*args, **kwargs)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) > 10
    return text


def pair_of(y, a, b, by, **asked):
    (pair,) = cap.compare(y, {"new": a, "old": b}, by=by, **asked).pairs
    return pair


# Two scores on the same segments


OF_PAIRS = {
    "roc_auc": {},
    "accuracy_ratio": {},
    "average_precision": {},
    "reciprocal_rank": {},
    "ndcg": {"k": 3},
    "captured_response": {"k": 2},
    "precision": {"k": 3},
    "hit_rate": {"k": 2},
}


@pytest.mark.parametrize("metric", OF_PAIRS)
@pytest.mark.parametrize("weights", KINDS)
@given(seed=seeds)
def test_drawn_differences_are_those_of_the_segments(metric, weights, seed):
    y, a, b, by = rows_of(seed)
    options, value = OF_PAIRS[metric], getattr(cap, metric)
    parts = segments_of(by, y, a, b).values()
    ours = [(value(t, p, **options), value(t, q, **options)) for t, p, q in parts]
    off = [one - other for one, other in ours]
    sizes = [(t.sum(), (1 - t).sum()) for t, _, _ in parts]
    mean, variance, df, _ = drawn(off, weighed(weights, sizes))
    if variance < 1e-12:
        return
    found = pair_of(y, a, b, by, metric=metric, weights=weights, **options)
    se = np.sqrt(variance)
    widest = 2 if metric == "accuracy_ratio" else 1
    reach = stats.t.ppf(0.975, df) * se
    assert (found.estimate, found.se) == close((mean, se), 1e-9)
    assert found.df == close(df)
    assert found.p_value == close(2 * stats.t.sf(abs(mean) / se, df), 1e-8)
    assert found.low == close(max(-widest, mean - reach), 1e-8)
    assert found.high == close(min(widest, mean + reach), 1e-8)


@pytest.mark.parametrize("weights", KINDS)
@given(seed=seeds)
def test_fixed_differences_are_those_of_paired_placements(weights, seed):
    y, a, b, by = rows_of(seed, groups=5, least=2)
    parts = segments_of(by, y, a, b).values()
    moves = [
        tuple(one - other for one, other in zip(placements(t, p), placements(t, q), strict=True))
        for t, p, q in parts
    ]
    shares = weighed(weights, [(t.sum(), (1 - t).sum()) for t, _, _ in parts])
    mean, variance, df, _ = fixed(moves, shares, weights)
    if not variance:
        return
    found = pair_of(y, a, b, by, metric="roc_auc", segments="fixed", weights=weights)
    twice = pair_of(y, a, b, by, segments="fixed", weights=weights)
    assert (found.estimate, found.se) == close((mean, np.sqrt(variance)), 1e-9)
    assert (twice.estimate, twice.se) == close((2 * mean, 2 * np.sqrt(variance)), 1e-9)
    assert found.df == close(df)
    assert twice.metric == "accuracy_ratio"
    assert twice.p_value == close(found.p_value)


def test_the_estimates_of_a_comparison_are_the_means():
    y, a, b, by = rows_of(1)
    scores = {"new": a, "old": b}
    found = cap.compare(y, scores, by=by, metric="average_precision")
    means = [cap.mean_over(y, s, by=by, metric="average_precision") for s in (a, b)]
    assert list(found.estimates) == close([each.estimate for each in means])
    turned = pair_of(y, b, a, by, metric="average_precision")
    (pair,) = found.pairs
    assert (turned.estimate, turned.p_value) == close((-pair.estimate, pair.p_value))
    counted = cap.compare(cap.count_segments(y, scores, by=by), metric="average_precision")
    named = {"y": y, "new": a, "old": b, "part": by}
    of_names = cap.compare("y", ["new", "old"], data=named, by="part", metric="average_precision")
    assert counted.to_dict() == found.to_dict() == of_names.to_dict()


def test_one_segment_compares_as_without_segments():
    y, a, b, _ = rows_of(2, groups=3)
    scores = {"new": a, "old": b}
    (whole,) = cap.compare(y, scores, metric="roc_auc").pairs
    found = pair_of(y, a, b, np.full(len(y), "one"), metric="roc_auc", segments="fixed")
    assert (found.estimate, found.se) == close((whole.estimate, whole.se))


@pytest.mark.parametrize("segments", ["drawn", "fixed"])
def test_equal_rankings_differ_by_0(segments):
    y, a, _, by = rows_of(3, least=2)
    found = pair_of(y, a, np.exp(a), by, metric="roc_auc", segments=segments)
    assert (found.estimate, found.p_value) == (0, 1)
    assert found.low <= 0 <= found.high


@pytest.mark.parametrize("groups", [2, 5, 9])
def test_differences_that_are_all_the_same_have_the_p_value_of_signs(groups):
    by = np.repeat(np.arange(groups), 3)
    y = np.tile([1, 0, 0], groups)
    new, old = np.tile([3, 2, 1], groups), np.tile([2, 3, 1], groups)
    found = pair_of(y, new, old, by, metric="roc_auc")
    assert found.estimate == 0.5
    assert found.p_value == close(2.0 ** (1 - groups))
    assert all(limit is None or math.isnan(limit) for limit in (found.low, found.high))
    assert found.notes


def test_more_than_two_scores_have_the_law_of_the_smallest_p_value():
    y, a, b, by = rows_of(4, groups=12)
    c = np.round(a + b, 1)
    found = cap.compare(y, {"a": a, "b": b, "c": c}, by=by, metric="roc_auc")
    alone = {
        pair: pair_of(y, *({"a": a, "b": b, "c": c}[name] for name in pair), by, metric="roc_auc")
        for pair in itertools.combinations("abc", 2)
    }
    raw = [alone[pair].p_value for pair in alone]
    assert [pair.p_value for pair in found.pairs] == close(raw)
    for pair, own in zip(found.pairs, raw, strict=True):
        assert own <= pair.p_adjusted <= min(1, 3 * own)
        assert (pair.low > 0 or pair.high < 0) == (pair.p_adjusted <= 0.05)
    assert found.pair_level > 0.95


@pytest.mark.parametrize(
    "asked",
    [{"segments": "fixed"}, {"segments": "drawn"}, {"weights": "cases"}, {"lacking": 0}],
)
def test_words_about_segments_need_segments(asked):
    y, a, b, _ = rows_of(1)
    assert "by" in refusal(cap.compare, y, {"new": a, "old": b}, **asked)


def test_segments_that_lack_a_class_are_left_out_of_both_scores():
    y, a, b, by = rows_of(1)
    y = np.where(by == "g0", 0, y)
    own = by != "g0"
    found = pair_of(y, a, b, by, metric="roc_auc")
    expected = pair_of(y[own], a[own], b[own], by[own], metric="roc_auc")
    assert (found.estimate, found.se, found.df) == (expected.estimate, expected.se, expected.df)
    with_halves = pair_of(y, a, b, by, metric="roc_auc", lacking=0.5)
    assert with_halves.estimate == close(found.estimate * 5 / 6)


# The record


def mean(**asked):
    return cap.mean_over(Y, A, by=BY, **{"metric": "reciprocal_rank", **asked})


def test_the_record_is_an_interval_that_knows_its_segments():
    found = mean()
    assert isinstance(found, cap.SegmentMean)
    low, high = found
    assert (low, high) == (found.low, found.high)
    assert low <= found.estimate <= high
    assert (found.metric, found.segments, found.weights) == ("reciprocal_rank", "drawn", "equal")
    assert (found.level, found.n_segments, found.df) == (0.95, 11, 10)
    assert dict(found.left_out) == {"no positives": 1}
    assert mean(k=3).pooled is None
    assert cap.mean_over(Y, A, by=BY, metric="recall@3").pooled is None


def test_the_pooled_number_is_that_of_all_rows_those_left_out_too():
    found = cap.mean_over(Y, A, by=BY, metric="roc_auc")
    assert found.n_segments == 9
    assert found.pooled == close(cap.roc_auc(Y, A))
    weighted = cap.mean_over(Y, A, by=BY, metric="average_precision", weights="positives")
    assert weighted.pooled == close(cap.average_precision(Y, A))


def test_the_table_has_a_row_for_each_segment():
    values = cap.mean_over(Y, A, by=BY, metric="roc_auc", weights="cases").table.values()
    assert list(values) == ["segment", "n", "positives", "value", "weight"]
    rows = list(zip(*(list(column) for column in values.values()), strict=True))
    assert len(rows) == 12
    known = dict(cap.count_segments(Y, A, by=BY))
    used = 0
    for name, n, positives, value, weight in rows:
        counts = known[name]
        assert (n, positives) == (counts.n, counts.n1)
        if 0 < positives < n:
            assert value == close(cap.roc_auc(counts))
            used += weight
        else:
            assert value is None or math.isnan(value)
            assert not weight
    assert used == close(1)


def test_it_shows_itself_as_the_field_says_it():
    text = mean().to_text()
    for part in (
        "Mean reciprocal rank over 11 of 12 segments",
        "0.928 [0.611, 1.000]",
        "1 segment is left out: no positives.",
        "Segments are taken as drawn and count alike",
        "standard error 0.050",
        "10 degrees of freedom",
        "q9 0.500 (7 cases), q5 0.705 (10 cases)",
    ):
        assert part in " ".join(text.split()), part


def test_it_shows_itself_everywhere(tmp_path):
    found = mean()
    for text in (found.to_markdown(), found.to_latex(), found.to_html(), found.to_text()):
        assert "0.928" in text
        assert "nan" not in text.lower().replace("nance", "")
    for suffix in ("html", "json", "md", "tex", "txt", "csv"):
        found.save(tmp_path / f"mean.{suffix}")
        assert (tmp_path / f"mean.{suffix}").stat().st_size > 0
    saved = json.loads((tmp_path / "mean.json").read_text("utf-8"))
    assert saved["estimate"] == found.estimate


def test_it_is_drawn_pickled_and_laid_out_in_columns():
    found = mean()
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - written here
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert copy.copy(found) == found
    assert found.plot().lines or found.plot().collections
    assert len(found.to_frame()) in (1, 12)
    with pytest.raises((AttributeError, TypeError)):
        found.estimate = 1
    many = np.repeat(np.arange(70), 2)
    page = cap.mean_over(np.tile([1, 0], 70), np.arange(140) % 9, by=many).to_html()
    assert "<svg" in page
    assert "<svg" in found.to_html()


@pytest.mark.parametrize("home", ["pandas", "polars", "polars, lazy", "duckdb", "parquet"])
def test_rows_anywhere_have_the_same_mean_and_comparison(home, tmp_path):
    rows = pl.DataFrame({"y": Y, "a": A, "b": QUERIES["b"], "query": BY})
    rows.write_parquet(tmp_path / "rows.parquet")
    data = {
        "pandas": rows.to_pandas(),
        "polars": rows,
        "polars, lazy": rows.lazy(),
        "duckdb": duckdb.from_arrow(rows.to_arrow()),
        "parquet": tmp_path / "rows.parquet",
    }[home]
    for asked in ({"metric": "ndcg@3"}, {"metric": "roc_auc", "segments": "fixed"}):
        found = cap.mean_over("y", "a", by="query", data=data, **asked)
        assert found.to_dict() == cap.mean_over(Y, A, by=BY, **asked).to_dict()
        pair = cap.compare("y", ["a", "b"], by="query", data=data, **asked)
        of_columns = cap.compare(Y, {"a": A, "b": QUERIES["b"]}, by=BY, **asked)
        assert pair.to_dict() == of_columns.to_dict()


@pytest.mark.parametrize("asked", [{}, {"metric": "roc_auc", "segments": "fixed"}, {"k": 2}])
def test_its_dict_is_the_record(asked):
    data, by = np.array(Y), np.array(BY)
    if "segments" in asked:
        data, by = np.tile([1, 0, 1, 0], 25), np.repeat(["a", "b", "c", "d"], 25)
    found = cap.mean_over(data, A, by=by, **{"metric": "reciprocal_rank", **asked})
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    names = ("low", "estimate", "high", "level", "se", "df", "n_segments", "metric", "segments")
    for name in names:
        assert told[name] == getattr(found, name), name
    assert told["left_out"] == dict(found.left_out)
    assert told["weights"] == "equal"
    assert len(told["table"]) in (12, 4, 5)


@pytest.mark.parametrize(("groups", "held"), [(60, True), (61, False)])
def test_its_dict_holds_rows_of_at_most_sixty_segments(groups, held):
    by = np.repeat(np.arange(groups), 2)
    found = cap.mean_over(np.tile([1, 0], groups), np.arange(2 * groups) % 5, by=by)
    told = json.dumps(found.to_dict())
    assert ('"value"' in told) == held
    assert len(list(found.table.values()["segment"])) == groups


def codes(found):
    return {finding.code for finding in found.presentation().findings}


def test_what_is_striking_is_a_finding():
    y, a, _, by = rows_of(5, groups=12, least=3)
    usual = cap.mean_over(y, a, by=by, metric="roc_auc")
    assert not codes(usual) & {"few_segments", "many_left_out", "one_heavy_segment"}
    few = by < "g3"
    assert "few_segments" in codes(cap.mean_over(y[few], a[few], by=by[few], metric="roc_auc"))
    fixed_few = cap.mean_over(y[few], a[few], by=by[few], metric="roc_auc", segments="fixed")
    assert "few_segments" not in codes(fixed_few)
    weights = {f"g{g}": 20 if g == 1 else 1 for g in range(12)}
    heavy = cap.mean_over(y, a, by=by, metric="roc_auc", weights=weights)
    assert "one_heavy_segment" in codes(heavy)
    lost = np.where(np.isin(by, ["g1", "g2", "g3"]), 0, y)
    assert "many_left_out" in codes(cap.mean_over(lost, a, by=by, metric="roc_auc"))


def test_scores_that_are_on_another_scale_in_each_segment_are_found():
    by = np.repeat(np.arange(10), 20)
    y = np.tile([1, 0], 100)
    rng = np.random.default_rng(1)
    s = rng.normal(size=200) + 3 * y
    shifted = s + 40 * (by % 5) * np.where(by % 2, 1, -1)
    found = cap.mean_over(y, shifted, by=by, metric="roc_auc", segments="fixed")
    assert found.pooled < found.low
    assert "pooled_differs" in codes(found)
    assert "pooled_differs" not in codes(cap.mean_over(y, s, by=by, metric="roc_auc"))


def test_fixed_segments_are_named_where_they_are_the_answer():
    """Of at most 20 drawn segments with at least 20 positives each."""
    rng = np.random.default_rng(3)
    for groups, size, said in ((10, 50, True), (21, 50, False), (10, 20, False)):
        by = np.repeat(np.arange(groups), size)
        y = np.tile([1, 0], groups * size // 2)
        found = cap.mean_over(y, rng.normal(size=len(y)), by=by, metric="roc_auc")
        assert any("fixed" in note for note in found.notes) == said, (groups, size)


# What is refused


def asked_for(**asked):
    return refusal(cap.mean_over, Y, A, **{"by": BY, "metric": "roc_auc", **asked})


WRONG = {
    "metric": ({"metric": "rocauc"}, ["rocauc"]),
    "weights": ({"weights": "sizes"}, ["equal", "cases", "positives", "pairs"]),
    "segments": ({"segments": "random"}, ["drawn", "fixed"]),
    "gain": ({"metric": "ndcg", "gain": "log"}, ["linear", "exponential"]),
    "lacking": ({"lacking": "zero"}, ["leave_out", "raise"]),
    "lacking below": ({"lacking": -0.1}, ["0", "1"]),
    "lacking above": ({"metric": "average_precision", "lacking": 2}, ["0", "1"]),
    "lacking of AR": ({"metric": "accuracy_ratio", "lacking": -1.5}, ["-1", "1"]),
    "level 0": ({"level": 0}, ["level"]),
    "level 1": ({"level": 1}, ["level"]),
    "level 95": ({"level": 95}, ["level", "95"]),
    "k 0": ({"metric": "precision", "k": 0}, ["k"]),
    "k -1": ({"metric": "hit_rate", "k": -1}, ["k"]),
    "k 2.5": ({"metric": "captured_response", "k": 2.5}, ["k", "2.5"]),
    "k of text": ({"metric": "ndcg", "k": "5"}, ["k"]),
    "k true": ({"metric": "ndcg", "k": True}, ["k"]),
    "k twice": ({"metric": "recall@5", "k": 5}, ["k"]),
    "k and q": ({"metric": "captured_response", "k": 5, "q": 0.1}, ["k", "q"]),
    "k in the name and q": ({"metric": "P@5", "q": 0.1}, ["q"]),
    "neither k nor q": ({"metric": "captured_response"}, ["k", "q"]),
    "k of an AUC": ({"metric": "roc_auc", "k": 5}, ["k"]),
    "k of AP": ({"metric": "average_precision", "k": 5}, ["k"]),
    "k of KS": ({"metric": "ks", "k": 5}, ["k"]),
    "AUC@5": ({"metric": "auc@5"}, ["auc"]),
    "map@5": ({"metric": "map@5"}, []),
    "recall@x": ({"metric": "recall@x"}, ["recall@x"]),
    "recall@0": ({"metric": "recall@0"}, ["recall@0"]),
    "recall@2.5": ({"metric": "recall@2.5"}, ["recall@2.5"]),
    "recall@": ({"metric": "recall@"}, ["recall@"]),
    "@5": ({"metric": "@5"}, ["@5"]),
    "hits without k": ({"metric": "hit_rate"}, ["k"]),
    "gain of an AUC": ({"metric": "roc_auc", "gain": "linear"}, ["gain"]),
    "gain of a recall": ({"metric": "recall@5", "gain": "linear"}, ["gain"]),
    "an option that no metric has": ({"depth": 5}, ["depth"]),
    "an option of another": ({"alpha": 20}, ["alpha"]),
    "weights in a list": ({"weights": [1, 2, 3]}, ["weights"]),
    "weights in an array": ({"weights": np.ones(12)}, ["weights"]),
    "lacking a nothing": ({"lacking": None}, ["lacking"]),
    "lacking NaN": ({"lacking": float("nan")}, ["lacking"]),
    "no segments": ({"by": None}, ["by"]),
    "another length": ({"by": BY[:-1]}, ["99", "100"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_computed_is_refused_in_one_line(wrong):
    asked, words = WRONG[wrong]
    text = asked_for(**asked)
    for word in words:
        assert word in text, text


FOUR = {"y": [1, 0] * 4, "s": list(range(8)), "part": list("aabbccdd")}


@pytest.mark.parametrize(
    ("weights", "word"),
    [
        ({"a": 1, "b": 1, "c": 1}, "d"),
        ({"a": 1, "b": 1, "c": 1, "d": -1}, "d"),
        ({"a": 0, "b": 0, "c": 0, "d": 0}, "0"),
        ({"a": 1, "b": 1, "c": 1, "d": float("nan")}, "d"),
        ({"a": 1, "b": 1, "c": 1, "d": float("inf")}, "d"),
        ({"a": 1, "b": 1, "c": 1, "d": "1"}, "d"),
        ({}, "a"),
    ],
    ids=["lacks one", "below 0", "all 0", "NaN", "infinite", "text", "empty"],
)
def test_weights_that_fit_no_population_are_refused(weights, word):
    text = refusal(cap.mean_over, "y", "s", by="part", data=FOUR, metric="roc_auc", weights=weights)
    assert word in text


def test_no_segment_with_a_number_is_refused():
    for y, by in (([1, 1], [1, 2]), ([1, 0], [None, None]), ([1, 0], [1, 2])):
        assert "segment" in refusal(cap.mean_over, y, [1, 2], by=by, metric="roc_auc")
    assert refusal(cap.mean_over, [], [], by=[], metric="roc_auc")
    assert refusal(cap.mean_over, {}, metric="roc_auc")


def test_counts_of_all_rows_have_no_segments():
    text = refusal(cap.mean_over, cap.count_scores(Y, A), metric="roc_auc")
    assert "segment" in text


def test_what_holds_no_counts_is_refused():
    counts = cap.count_scores(Y, A)
    assert "counts" in refusal(cap.mean_over, {"a": 3, "b": counts})
    assert refusal(cap.mean_over, cap.count_joint(Y, {"a": A, "b": A}))
    assert "ValueCounts" in refusal(cap.mean_over, {"a": counts, "b": cap.count_values(Y, A)})
    turned = cap.count_scores(Y, A, higher_is="negative")
    assert "higher_is" in refusal(cap.mean_over, {"a": counts, "b": turned})


@pytest.mark.parametrize("metric", ["accuracy_ratio", "lift", "ndcg", "aurc"])
def test_amounts_are_for_drawn_segments(metric):
    counts = cap.count_value_segments(QUERIES["target"], A, by=BY)
    options = {"q": 0.2} if metric == "lift" else {}
    text = refusal(cap.mean_over, counts, metric=metric, segments="fixed", **options)
    assert "drawn" in text


def test_a_depth_and_an_exposure_are_refused():
    counts = cap.count_value_segments(
        QUERIES["target"], A, by=BY, exposure=[1 + place % 2 for place in range(100)]
    )
    for metric in ("recall@2", "ndcg@2"):
        text = refusal(cap.mean_over, counts, metric=metric)
        assert "exposure" in text or "weighted" in text, text


def test_a_law_that_stands_in_for_another_is_the_one_that_is_said():
    """With one positive in every segment the fixed segments are taken as drawn."""
    by = np.repeat(np.arange(12), 3)
    found = cap.mean_over(
        np.tile([1, 0, 0], 12), np.arange(36) % 5, by=by, metric="roc_auc", segments="fixed"
    )
    assert "taken as fixed" not in found.to_text()


def test_one_degree_of_freedom_is_one():
    y, a, _, by = rows_of(2, groups=2)
    text = cap.mean_over(y, a, by=by, metric="roc_auc").to_text()
    assert "1 degree of freedom" in text
    assert "1 degrees" not in text


def test_several_scores_are_compared_and_not_averaged():
    several = cap.count_segments(Y, {"a": A, "b": QUERIES["b"]}, by=BY)
    assert refusal(cap.mean_over, several, metric="roc_auc")


def test_missing_scores_are_refused_or_left_out_as_counts_are():
    holes = [*map(float, A[:-1]), float("nan")]
    assert "missing" in refusal(cap.mean_over, Y, holes, by=BY, metric="roc_auc")
    found = cap.mean_over(Y, holes, by=BY, metric="roc_auc", missing="drop")
    expected = cap.mean_over(Y[:-1], A[:-1], by=BY[:-1], metric="roc_auc")
    assert (found.estimate, found.low) == (expected.estimate, expected.low)


@pytest.mark.parametrize("metric", ["reciprocal_rank", "hit_rate", "ndcg", "mrr@3", "ndcg@5"])
def test_one_ranking_has_no_limits_of_these_and_is_told_where_they_are(metric):
    counts = cap.count_scores(Y, A)
    options = {"k": 2} if metric == "hit_rate" else {}
    assert "mean_over" in refusal(cap.confidence_interval, counts, metric, **options)


def test_depths_of_one_ranking():
    counts = cap.count_scores(Y, A)
    for metric in ("captured_response", "precision", "lift"):
        at_k = cap.confidence_interval(counts, metric, k=50)
        at_q = cap.confidence_interval(counts, metric, q=50 / counts.n)
        assert at_k == at_q
        assert getattr(cap, metric)(counts, k=50) == close(getattr(cap, metric)(counts, 0.5))
        assert refusal(getattr(cap, metric), counts, 0.5, k=50)
        assert refusal(getattr(cap, metric), counts)
    assert cap.precision(counts, k=1000) == close(sum(Y) / 1000)
    assert cap.captured_response(counts, k=1000) == 1
    point = cap.operating_point(counts, k=50)
    selected = np.array([sum(a >= cut for a in A) for cut in sorted(set(A))])
    assert point.tp + point.fp == max(n for n in selected if n <= 50)


def test_several_columns_and_periods_name_segments():
    y, a, _, by = rows_of(2)
    half = np.arange(len(y)) % 2
    pair = [by, half]
    crossed = [f"{name}{part}" for name, part in zip(by, half, strict=True)]
    two, one = (
        cap.mean_over(y, a, by=each, metric="average_precision") for each in (pair, crossed)
    )
    assert two.estimate == close(one.estimate)
    assert two.n_segments == one.n_segments
    days = [f"2024-{1 + int(name[1:]):02}-{1 + place % 28:02}" for place, name in enumerate(by)]
    monthly = cap.mean_over(y, a, by=days, period="month", metric="roc_auc")
    assert monthly.estimate == close(cap.mean_over(y, a, by=by, metric="roc_auc").estimate)
    assert monthly.n_segments == 6
    assert next(iter(monthly.table.values()["segment"])) == "2024-01"


@pytest.mark.parametrize("plot", [cap.plot_cap, cap.plot_roc])
def test_mean_curves_name_the_number_with_limits(plot):
    assert "mean_over" in plot.__doc__


def test_precision_of_few_relevant_documents_is_out_of_what_they_allow():
    # Of one relevant document among five a precision of .2 is all: nine of ten queries win it, and
    # Clopper & Pearson's lower limit of nine of ten is taken of that.
    places = [0, 1, 2, 3, 4, 0, 1, 2, 3, 7]
    y = [int(rank == place) for place in places for rank in range(10)]
    by = np.repeat(np.arange(10), 10)
    found = cap.mean_over(y, [10 - rank for rank in range(10)] * 10, by=by, metric="precision@5")
    assert found.estimate == close(0.18)
    assert found.low == close(0.2 * stats.beta.ppf(0.025, 9, 2))


def test_segments_that_count_as_a_number_borrow_no_spread():
    y, a, b, by = rows_of(5, groups=3, least=2)
    lacks = ([0] * 8, np.arange(8.0), np.arange(8.0)[::-1], ["none"] * 8)
    y4, a4, b4, by4 = (np.concatenate(each) for each in zip((y, a, b, by), lacks, strict=True))
    three = pair_of(y, a, b, by, segments="fixed")
    four = pair_of(y4, a4, b4, by4, segments="fixed", lacking=0.5)
    assert four.se == close(0.75 * three.se)
    assert four.estimate == close(0.75 * three.estimate)
