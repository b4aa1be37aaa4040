"""Bad input: refused in one line that says what was found; nothing dropped, flipped or cast."""

import functools
import math
import re
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap

NAN = math.nan
Y, S = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]


def refusal(call, *args, error=(ValueError, TypeError), **keywords):
    """Return the one line with which a call is refused."""
    with pytest.raises(error) as caught:
        call(*args, **keywords)
    message = str(caught.value)
    assert message
    assert "\n" not in message.strip()
    return message


def refused(*args, **keywords):
    return refusal(cap.count_scores, *args, **keywords)


# Missing values


@pytest.mark.parametrize(
    ("column", "gaps"),
    [
        ("score", {"score": [0.1, NAN, 0.35, NAN]}),
        ("score", {"score": [0.1, None, 0.35, None]}),
        ("score", {"score": np.array([0.1, NAN, 0.35, NAN], dtype=np.float32)}),
        ("target", {"target": [0, NAN, 1, NAN]}),
        ("target", {"target": [0, None, 1, None]}),
        ("target", {"target": [False, None, True, None]}),
        ("weight", {"weight": [1.0, NAN, 2.0, NAN]}),
        ("weight", {"weight": [1, None, 2, None]}),
    ],
)
def test_missing_values_are_counted_and_named(column, gaps):
    arguments = {"target": Y, "score": S, **gaps}
    message = refused(**arguments)
    assert column in message
    assert "2" in message
    assert "missing" in message
    assert "drop" in message


def test_the_message_says_where_the_first_missing_value_is():
    scores = np.arange(1000.0)
    scores[[537, 801]] = NAN
    message = refused(np.arange(1000) % 2, scores)
    assert "537" in message


@pytest.mark.parametrize("kind", ["frequency", "sampling", "exposure"])
def test_dropped_rows_are_accounted_for_by_column(kind):
    n = 60
    y, s, w = np.arange(n) % 2 * 1.0, np.arange(n) / 7, np.ones(n)
    y[:7], s[5:18], w[17:28] = NAN, NAN, NAN
    counts = cap.count_scores(y, s, weight=w, weight_kind=kind, missing="drop")
    assert counts.n == n - 28
    kept = cap.count_scores(y[28:], s[28:])
    assert counts.positives.tolist() == kept.positives.tolist()
    said = f"{counts.dropped!r} {counts.to_dict()['dropped']!r}"
    for lost in (7, 13, 11, 28):
        assert re.search(rf"\b{lost}\b", said)


def test_dropping_with_nothing_missing_changes_nothing():
    plain, dropping = cap.count_scores(Y, S), cap.count_scores(Y, S, missing="drop")
    assert plain.positives.tolist() == dropping.positives.tolist()
    assert plain.digest() == dropping.digest()


def test_everything_missing_leaves_empty_counts_that_metrics_refuse():
    counts = cap.count_scores(Y, [NAN] * 4, missing="drop")
    assert counts.n == 0
    refusal(cap.roc_auc, counts, error=ValueError)


# Weights


@pytest.mark.parametrize(
    ("weight", "found"),
    [
        ([1, -1.5, 1, 1], "-1.5"),
        ([1, 1, -2, 1], "-2"),
        ([1, 1, math.inf, 1], "inf"),
        ([1, 1, -math.inf, 1], "inf"),
    ],
)
@pytest.mark.parametrize("kind", [None, "sampling", "exposure", "frequency"])
def test_weights_below_zero_or_infinite(weight, found, kind):
    message = refused(Y, S, weight=weight, weight_kind=kind)
    assert "weight" in message
    assert found in message


def test_frequency_weights_are_whole():
    message = refused(Y, S, weight=[1, 2.5, 1, 1], weight_kind="frequency")
    assert "2.5" in message
    assert "whole" in message or "frequency" in message


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("kind", ["sampling", "exposure", "frequency"])
def test_a_class_without_weight(label, kind):
    weight = [0 if y == label else 3 for y in Y]

    def rank():
        return cap.roc_auc(cap.count_scores(Y, S, weight=weight, weight_kind=kind))

    message = refusal(rank, error=ValueError)
    assert ("positives" if label else "negatives") in message


def test_all_weights_zero():
    def rank():
        return cap.roc_auc(cap.count_scores(Y, S, weight=[0, 0, 0, 0], weight_kind="sampling"))

    refusal(rank, error=ValueError)


@pytest.mark.merge
def test_a_value_that_is_nested_too_deeply_is_refused_by_its_type():
    nested = functools.reduce(lambda inner, _: [inner], range(100_000), [])
    for word in ("higher_is", "missing", "resolution", "pos_label"):
        line = refused(Y, S, **{word: nested})
        assert line.endswith("got a list nested too deeply to show")


@pytest.mark.parametrize("weight", [["a", "b", "c", "d"], [1j, 1, 1, 1]])
def test_weights_are_numbers(weight):
    assert "weight" in refused(Y, S, weight=weight)


def test_weights_that_sum_past_the_largest_float():
    def rank():
        return cap.roc_auc(cap.count_scores(Y, S, weight=[1.7e308] * 4, weight_kind="sampling"))

    # Either answer the question, as weights count in proportion only, or refuse; never nan.
    try:
        assert rank() == 0.75
    except ValueError as error:
        message = str(error)
    else:
        message = "weight"
    assert "weight" in message


# Classes

METRICS = {
    "accuracy_ratio": cap.accuracy_ratio,
    "gini": cap.gini,
    "accuracy_ratio_bounds": cap.accuracy_ratio_bounds,
    "roc_auc": cap.roc_auc,
    "partial_auc": lambda counts: cap.partial_auc(counts, 0.2),
    "ks": cap.ks,
    "pietra_index": cap.pietra_index,
    "bayesian_error_rate": lambda counts: cap.bayesian_error_rate(counts, prior=0.3),
    "information_value": cap.information_value,
    "entropy_ratio": cap.conditional_information_entropy_ratio,
    "somers_d": cap.somers_d,
    "tie_mass": cap.tie_mass,
    "roc_curve": cap.roc_curve,
    "ks_curve": cap.ks_curve,
}
NEEDS_POSITIVES = {
    "captured_response": lambda counts: cap.captured_response(counts, 0.2),
    "lift": lambda counts: cap.lift(counts, 0.2),
    "local_lift": lambda counts: cap.local_lift(counts, 0.2),
    "cap_curve": cap.cap_curve,
    "lift_curve": cap.lift_curve,
    "lorenz_curve": cap.lorenz_curve,
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("labels", "lacking"), [([1, 1], "negatives"), ([0, 0], "positives")])
def test_one_class_has_counts_but_no_metric(name, labels, lacking):
    counts = cap.count_scores(labels, [0.1, 0.2])
    assert counts.n == 2
    assert lacking in refusal(METRICS[name], counts, error=ValueError)


@pytest.mark.parametrize("name", NEEDS_POSITIVES)
def test_nothing_is_captured_where_there_are_no_positives(name):
    counts = cap.count_scores([0, 0], [0.1, 0.2])
    assert "positives" in refusal(NEEDS_POSITIVES[name], counts, error=ValueError)


@pytest.mark.parametrize("name", METRICS | NEEDS_POSITIVES)
def test_empty_counts_have_no_metric(name):
    counts = cap.count_scores(np.array([], dtype=int), np.array([], dtype=float))
    assert (counts.n, len(counts)) == (0, 0)
    message = refusal((METRICS | NEEDS_POSITIVES)[name], counts, error=ValueError)
    assert any(word in message for word in ("empty", "positives", "no cases", "no rows"))


def test_empty_counts_have_no_prevalence():
    counts = cap.count_scores(np.array([], dtype=int), np.array([], dtype=float))
    refusal(cap.prevalence, counts, error=ValueError)


# Labels


def test_three_labels_are_listed_with_their_counts():
    message = refused([0] * 5 + [1] * 4 + [2] * 3, list(range(12)))
    for found in ("0", "1", "2", "5", "4", "3"):
        assert found in message


def test_a_pos_label_does_not_make_three_labels_two():
    message = refused([0] * 50 + [1] * 40 + [2] * 30, list(range(120)), pos_label=2)
    for found in ("50", "40", "30"):
        assert found in message


@pytest.mark.parametrize("labels", [[1, 2, 1, 2], [0, 2, 0, 2], [-1, 0, -1, 0], [5, 5, 5, 5]])
def test_other_pairs_of_labels_need_a_pos_label(labels):
    message = refused(labels, S)
    assert "pos_label" in message
    assert all(str(label) in message for label in labels)


@pytest.mark.parametrize("labels", [[0, 0.5, 1, 1], [0.1, 0.9, 0.1, 0.9], [0, 1, 1e-9, 1]])
def test_fractional_labels_are_named(labels):
    message = refused(labels, S)
    assert str(next(label for label in labels if label not in {0, 1})) in message


def test_a_target_in_the_place_of_the_score_is_asked_for():
    message = refused([0.1, 0.4, 0.35, 0.8], [0, 1, 0, 1])
    assert message.endswith("; score holds 0 and 1: are target and score swapped?")
    assert "swapped" not in refused(["a", "b", "c", "a"], S)
    many = refused([each / 10 for each in range(20)], [0, 1] * 10)
    assert "holds 0.0 (1), 0.1 (1), 0.2 (1), and 17 more labels; keep two" in many


def test_cuts_in_the_place_of_levels_lead_to_a_master_scale():
    message = refused(Y, S, levels=[0.3, 0.6])
    assert message.endswith("or pass levels=master_scale(...) if these are cuts of a score")
    assert "master_scale" not in refused(Y, ["A", "B", "C", "A"], levels=["A", "B"])


@pytest.mark.parametrize("label", [math.inf, 256, 2**64, -(2**32)])
def test_labels_are_not_cast_to_fit(label):
    refused([0, label, 0, label], S)


def test_text_labels_need_a_pos_label():
    message = refused(["no", "yes", "no", "yes", "no"], [1, 2, 3, 4, 5])
    for found in ("no", "yes", "3", "2", "pos_label"):
        assert found in message


CHOICES = [
    (["no", "yes"], "pos_label='yes' or pos_label='no'"),
    (["0", "1"], "pos_label='1' or pos_label='0'"),
    (["bad", "good"], "pos_label='bad' or pos_label='good'"),
    (["Charged Off", "Fully Paid"], "pos_label='Charged Off' or pos_label='Fully Paid'"),
    (["JA", "nein"], "pos_label='JA' or pos_label='nein'"),
    (["churned", "not churned"], "pos_label='churned' or pos_label='not churned'"),
    (["N", "Y"], "pos_label='Y' or pos_label='N'"),
    (["good", "zzz"], "pos_label='zzz' or pos_label='good'"),
    (["A", "B"], "pos_label='A' or pos_label='B'"),
    ([10, 9], "pos_label=9 or pos_label=10"),
    ([0, 5], "pos_label=5 or pos_label=0"),
    ([1, "no"], "pos_label=1 or pos_label='no'"),
]


@pytest.mark.parametrize(("pair", "choices"), CHOICES)
@pytest.mark.parametrize(
    "column", [list, pd.Series, lambda rows: pd.Categorical(rows, rows[:1] + rows[-1:])]
)
def test_both_labels_are_offered_whatever_the_order_of_rows(pair, choices, column):
    said = set()
    for rows in sorted(set(permutations([*pair, *pair])), key=repr):
        if rows[0] != rows[-1]:
            said.add(refused(column(list(rows)), S))
    (line,) = said
    assert line.endswith(f"say which one is the positive class with {choices}")


@pytest.mark.parametrize("order", list(permutations("abcd")))
def test_no_order_of_rows_changes_what_is_listed(order):
    rows = [*order, *order[:2]] if order[:2] == ("a", "b") else [*order, "a", "b"]
    counts = "'a' (2), 'b' (2), 'c' (1), 'd' (1)"
    assert counts in refused(rows, range(6))
    assert counts in refused(rows, range(6), pos_label="a")
    assert "score holds 'b', 'c', 'd'," in refused([0, 1] * 3, rows, levels=["a"])


def test_a_pos_label_says_which_is_positive():
    plain = cap.count_scores(Y, S)
    words = ["good" if y == 0 else "bad" for y in Y]
    assert cap.count_scores(words, S, pos_label="bad").positives.tolist() == [1, 1, 0, 0]
    assert cap.count_scores(words, S, pos_label="bad").digest() == plain.digest()
    flipped = cap.count_scores(words, S, pos_label="good")
    assert flipped.positives.tolist() == plain.negatives.tolist()
    assert cap.count_scores(Y, S, pos_label=0).positives.tolist() == plain.negatives.tolist()
    twos = [y + 1 for y in Y]
    assert cap.count_scores(twos, S, pos_label=2).digest() == plain.digest()
    assert cap.count_scores([2 * y - 1 for y in Y], S).digest() == plain.digest()
    assert cap.count_scores([bool(y) for y in Y], S).digest() == plain.digest()
    assert cap.count_scores([float(y) for y in Y], S).digest() == plain.digest()


@pytest.mark.parametrize("misspelled", ["Bad", "bad ", "BAD", "defaulted", 1, True])
def test_a_misspelled_pos_label_meets_the_labels_found(misspelled):
    message = refused(["bad", "good", "bad", "good"], S, pos_label=misspelled)
    for found in (repr(misspelled), "bad", "good"):
        assert found in message


@pytest.mark.parametrize(
    ("labels", "wrong"), [(["0", "1"], 1), ([0, 1], "1"), ([False, True], "True")]
)
def test_labels_are_equal_by_value_not_by_their_text(labels, wrong):
    message = refused(labels * 2, S, pos_label=wrong)
    assert repr(wrong) in message


def test_an_absent_pos_label_of_numbers():
    message = refused(Y, S, pos_label=2)
    assert "2" in message
    assert "pos_label" in message


class Column:
    """A column as Spark has it: every attribute is another one, and none holds rows."""

    __module__ = "pyspark.sql.column"

    def __getattr__(self, name):
        return Column()

    def __iter__(self):
        raise TypeError("Column is not iterable")


EXPRESSIONS = {
    "spark": Column,
    "polars": lambda: pl.col("y"),
    "duckdb": lambda: duckdb.ColumnExpression("y"),
    "narwhals": lambda: nw.col("y"),
}


@pytest.mark.parametrize("engine", EXPRESSIONS)
def test_an_expression_is_no_column(engine):
    message = refused(EXPRESSIONS[engine](), S)
    assert re.fullmatch(
        r"target is an expression of (pyspark|polars|duckdb|narwhals), which holds no rows; name "
        r"the column, and pass what holds the rows as data=",
        message,
    )
    with pytest.raises(TypeError, match="which holds no rows; name the column"):
        cap.evaluate(EXPRESSIONS[engine](), EXPRESSIONS[engine]())
    with pytest.raises(TypeError, match="which holds no rows; name the column"):
        cap.ks(EXPRESSIONS[engine](), EXPRESSIONS[engine]())


def test_per_cent_signs_stand_in_all_rows_and_with_one_decimal_mark():
    assert refused(Y, ["1,2 %", "3 %", "4", "5%"]) == (
        "score holds '1,2 %' and '4'; write all as numbers with a per cent sign, or all without"
    )
    for unclear in (["1,2 %", "3.1 %", "4%", "5%"], ["1,234%", "2%", "3%", "4,500%"]):
        assert "the decimal mark is not clear; write a decimal point" in refused(Y, unclear)
    assert "levels=" in refused(Y, ["0-10% LTV", "a", "b", "c"])


# Shapes

ROLES = {
    "score": (cap.count_scores, {"target": Y, "score": S}),
    "weight": (cap.count_scores, {"target": Y, "score": S, "weight": [1, 2, 3, 4]}),
    "cluster": (cap.count_scores, {"target": Y, "score": S, "cluster": list("aabb")}),
    "by": (cap.count_segments, {"target": Y, "score": S, "by": list("abab")}),
    "new": (cap.count_joint, {"target": Y, "scores": {"old": S, "new": S}}),
    "b": (cap.count_joint, {"target": "a", "scores": ["s", "b"], "data": {"a": Y, "s": S, "b": S}}),
    "exposure": (cap.count_values, {"amount": Y, "score": S, "exposure": [1, 2, 3, 4]}),
    "amount": (cap.count_value_segments, {"amount": Y, "score": S, "by": list("abab")}),
    "estimated": (cap.count_classes, {"realised": Y, "estimated": S}),
    "target": (cap.count_partial, {"target": [0, 1, None, 1], "score": S}),
}
INDEXES = {
    "in another order": ["d", "a", "b", "c"],
    "of other rows": ["a", "b", "c", "e"],
    "of numbers": range(4),
    "of days": pd.date_range("2024-01-01", periods=4),
}


def indexed(arguments, role, index):
    """Return the arguments as series of one index, and that of a role as one of another."""

    def series(name, given):
        if isinstance(given, dict):
            return {key: series(key, each) for key, each in given.items()}
        named = isinstance(given, str) or name == "scores"
        return given if named else pd.Series(given, index=index if name == role else list("abcd"))

    return {name: series(name, given) for name, given in arguments.items()}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("index", INDEXES)
def test_series_of_other_indexes_are_not_taken_by_position(role, index):
    count, arguments = ROLES[role]
    wrong = indexed(arguments, role, INDEXES[index])
    message = refusal(count, **wrong)
    assert re.fullmatch(
        r"(\w+) and (\w+) have different indexes; pass them from one frame, or \.to_numpy\(\) to "
        r"take them by position",
        message,
    )
    assert role in message.split(" have ")[0].split(" and ")
    right = count(**indexed(arguments, role, list("abcd")))
    assert right == count(**arguments) or right.digest() == count(**arguments).digest()


@pytest.mark.parametrize("target", [pd.Series, np.array, pl.Series, list])
@pytest.mark.parametrize("score", [np.array, pl.Series, list, lambda s: pd.Series(s).array])
def test_what_has_no_index_is_taken_by_position(target, score):
    rows = pd.Series(Y, index=[7, 3, 5, 1]) if target is pd.Series else target(Y)
    assert cap.count_scores(rows, score(S)).digest() == cap.count_scores(Y, S).digest()


def test_lengths_come_before_indexes():
    assert "5 rows" in refused(pd.Series([0, 1, 0, 1, 0]), pd.Series(S, index=list("abcd")))


def test_lengths_differ():
    message = refused([0, 1, 0, 1, 0], S)
    assert "5" in message
    assert "4" in message
    message = refused(Y, S, weight=[1, 2, 3])
    assert "4" in message
    assert "3" in message
    assert "weight" in message


def test_two_columns_of_probabilities_say_to_take_the_second():
    message = refused([0, 1, 0], np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]))
    assert "[:, 1]" in message
    assert "(3, 2)" in message
    assert "[:, 1]" in refused([0, 1], [[0.9, 0.1], [0.4, 0.6]])


def test_other_shapes_are_named():
    assert "(2, 2, 2)" in refused([0, 1], np.zeros((2, 2, 2)))
    assert "(2, 2)" in refused(np.zeros((2, 2), dtype=int), [0.5, 0.6])
    assert "(2, 3)" in refused([0, 1], [0.5, 0.6], weight=np.ones((2, 3)))
    refused([0, 1], [[0.1, 0.2], [0.3]])


@pytest.mark.parametrize("score", [0.5, "pd", None, {"a": 1}])
def test_a_score_is_a_column(score):
    refused([0, 1], score)


# Types of scores


def test_complex_scores():
    assert "complex" in refused(Y, np.array(S) + 0j)
    assert "complex" in refused(Y, [0.1, 0.2, 0.3, 1j])


@pytest.mark.parametrize("scores", [["A", "B", "C", "A"], ["0.1", "0.2", "10", "9"]])
def test_text_scores_say_how_to_rank_them(scores):
    for given in (scores, np.array(scores), np.array(scores, dtype=object), pd.Series(scores)):
        message = refused(Y, given)
        assert "levels" in message
        assert scores[0] in message


def test_bytes_mixtures_and_dates_are_not_ranked():
    refused(Y, np.array([b"a", b"b", b"c", b"d"]))
    refused(Y, [0.1, "high", 0.3, 0.4])
    refused(Y, np.array(["2020-01-01", "2020-01-02"] * 2, dtype="datetime64[D]"))


def test_fractions_and_decimals_are_exact_or_refused():
    scores = [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), Fraction(2), Fraction(3)]
    try:
        counts = cap.count_scores(Y, scores)
    except (ValueError, TypeError):
        return
    assert len(counts) == 4


def test_an_unordered_categorical_is_not_ranked():
    grades = pd.Series(pd.Categorical(["A", "B", "C", "A"]))
    message = refused(Y, grades)
    assert "levels" in message or "order" in message


def test_levels_name_every_grade_once():
    message = refused(Y, ["A", "B", "C", "A"], levels=["B", "A"])
    assert "C" in message
    assert "A" in refused(Y, ["A", "B", "B", "A"], levels=["A", "B", "A"])


# Keywords


def test_levels_have_an_order_and_are_not_empty():
    by_score = MappingProxyType({"grade": ["x", "y"]})
    scores = {"grade": ["x", "y"], "other": [1, 2]}
    assert cap.count_joint([1, 0], scores, levels=by_score).levels == (("x", "y"), None)
    for unordered in ({"x": 1, "y": 2}, {"x", "y"}):
        with pytest.raises(TypeError, match="must list the grades"):
            cap.ScoreCounts.from_counts(["x", "y"], [1, 2], [2, 1], levels=unordered)
    with pytest.raises(ValueError, match="levels is empty"):
        cap.count_scores([1, 0], [None, "x"], levels=[])


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("categories", [[], ["a", "b"]])
def test_categories_without_a_value(categories, ordered):
    grades = pd.CategoricalDtype(categories, ordered=ordered)
    with pytest.raises(ValueError, match=r"score is missing .* in 2 of 2 rows"):
        cap.count_scores([1, 0], pd.Series([None, None], dtype=grades))
    found = cap.count_scores([1, 0], pd.Series([None, None], dtype=grades), missing="drop")
    assert (found.n, found.dropped.columns) == (0, {"score": 2})
    with pytest.raises(ValueError, match="weight is missing"):
        cap.count_scores([1, 0], [1, 2], weight=pd.Series([None, None], dtype=grades))
    assert cap.count_scores([], pd.Series([], dtype=grades)).n == 0


def test_an_index_of_several_levels_is_no_score():
    index = pd.MultiIndex.from_tuples([(1, 2), (3, 4)])
    with pytest.raises(ValueError, match=r"MultiIndex.*get_level_values"):
        cap.count_scores([1, 0], index)


def test_a_label_of_another_type_than_the_only_one_is_refused():
    with pytest.raises(ValueError, match="of another type"):
        cap.count_scores(["1", "1"], [1, 2], pos_label=1)
    assert cap.count_scores([1, 1], [1, 2], pos_label=2.0).n1 == 0


@pytest.mark.parametrize("value", ["up", "Positive", None, 1, True, ""])
def test_the_direction_is_one_of_two_words(value):
    message = refused(Y, S, higher_is=value)
    for found in (repr(value), "positive", "negative", "higher_is"):
        assert found in message


@pytest.mark.parametrize("value", ["ignore", "Drop", None, True])
def test_missing_is_raise_or_drop(value):
    message = refused(Y, S, missing=value)
    for found in (repr(value), "raise", "drop", "missing"):
        assert found in message


@pytest.mark.parametrize("value", ["foo", "freq", 1])
def test_the_kind_of_weight_is_one_of_three_words(value):
    message = refused(Y, S, weight=[1, 1, 1, 1], weight_kind=value)
    for found in (repr(value), "frequency", "sampling", "exposure"):
        assert found in message


@pytest.mark.parametrize("value", [0, -0.1, NAN, math.inf, "fine"])
def test_a_resolution_is_above_zero(value):
    assert "resolution" in refused(Y, S, resolution=value)
    assert "resolution" in refusal(cap.count_scores(Y, S).at_resolution, value)


def test_names_without_data_say_so():
    message = refused("default", "pd")
    assert "data" in message


def test_an_absent_column_meets_the_columns_found():
    frame = pd.DataFrame({"default": Y, "pd": S})
    message = refusal(
        cap.count_scores, "default", "Pd", data=frame, error=(ValueError, TypeError, KeyError)
    )
    assert "Pd" in message
    assert "default" in message
    assert "pd" in message


def test_data_that_is_no_data():
    refused("default", "pd", data=42)
    refused("default", "pd", data=None)


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="wieght"):
        cap.count_scores(Y, S, wieght=[1, 1, 1, 1])


@pytest.mark.parametrize("q", [-0.1, 1.1, NAN, math.inf, 20])
def test_shares_lie_between_zero_and_one(q):
    counts = cap.count_scores(Y, S)
    for call in (
        cap.captured_response,
        cap.lift,
        cap.local_lift,
        cap.precision,
        lambda counts, q: cap.captured_between(counts, q, 0.5),
        lambda counts, q: cap.captured_between(counts, 0.5, q),
        lambda counts, q: cap.cap_curve(counts).at(q),
        lambda counts, q: cap.roc_curve(counts).at(q),
        lambda counts, q: cap.operating_point(counts, q=q),
        cap.partial_auc,
    ):
        message = refusal(call, counts, q, error=ValueError)
        assert str(q) in message


@pytest.mark.parametrize("prevalence", [-0.1, 0, 1, 1.1, NAN, 30])
def test_a_prevalence_lies_inside_zero_and_one(prevalence):
    counts = cap.count_scores(Y, S)
    for call in (
        lambda: cap.cap_curve(counts, prevalence=prevalence),
        lambda: cap.lift(counts, 0.2, prevalence=prevalence),
        lambda: cap.captured_response(counts, 0.2, prevalence=prevalence),
        lambda: cap.precision(counts, 0.2, prevalence=prevalence),
    ):
        message = refusal(call, error=ValueError)
        assert "prevalence" in message
        assert str(prevalence) in message


def test_unknown_words_meet_the_known_ones():
    counts = cap.count_scores(Y, S)
    calls = [
        (lambda: cap.captured_response(counts, 0.2, of="both"), "positives"),
        (lambda: cap.local_lift_curve(counts, of="all"), "negatives"),
        (lambda: cap.pietra_index(counts, convention="wp15"), "wp14"),
        (lambda: cap.somers_d(counts, given="rank"), "target"),
        (lambda: cap.best_thresholds(counts, "best"), "youden"),
    ]
    for call, known in calls:
        assert known in refusal(call)


@pytest.mark.parametrize("prior", [-0.1, 1.5, NAN])
def test_a_prior_is_a_probability(prior):
    assert "prior" in refusal(cap.bayesian_error_rate, cap.count_scores(Y, S), prior=prior)


def test_rules_ask_for_their_costs():
    counts = cap.count_scores(Y, S)
    assert "cost" in refusal(cap.best_thresholds, counts, "cost")
    assert "value" in refusal(cap.best_thresholds, counts, "profit")


def test_an_operating_point_has_one_coordinate():
    counts = cap.count_scores(Y, S)
    assert "captured" in refusal(cap.operating_point, counts)
    assert "captured" in refusal(cap.operating_point, counts, q=0.5, captured=0.8)


@pytest.mark.parametrize("bins", [0, -3, 2.5, NAN])
def test_bins_are_a_whole_number_or_cut_points(bins):
    assert "bins" in refusal(cap.gains_table, cap.count_scores(Y, S), bins=bins)


# Tables of counts


def test_tables_of_counts_are_checked():
    build = cap.ScoreCounts.from_counts
    message = refusal(build, [3, 2, 1], [1, 2, 3], [1, 2])
    assert "3" in message
    assert "2" in message
    assert "-4" in refusal(build, [2, 1], [1, -4], [1, 1])
    assert "nan" in refusal(build, [2, 1], [1, NAN], [1, 1]).lower()
    assert "nan" in refusal(build, [2, NAN], [1, 1], [1, 1]).lower()
    assert "inf" in refusal(build, [2, 1], [1, math.inf], [1, 1])
    assert "levels" in refusal(build, ["B", "A"], [1, 2], [2, 1])


def test_only_counts_add():
    counts = cap.count_scores(Y, S)
    with pytest.raises(TypeError):
        counts + 1
    with pytest.raises(TypeError):
        counts - [1]


def test_what_was_taken_away_must_have_been_there():
    counts, other = cap.count_scores(Y, S), cap.count_scores([1], [0.77])
    refusal(lambda: counts - other, error=ValueError)


def test_counts_of_one_score_are_not_compared():
    counts = cap.count_scores(Y, S)
    for of_several in (cap.compare, cap.difference_band):
        assert "got ScoreCounts: write " in refusal(of_several, counts)
        assert "(y, [p1, p2])" in refusal(of_several, counts)
    assert "heterogeneity_test(y, p, by=" in refusal(cap.heterogeneity_test, counts)


def test_damaged_dictionaries_are_refused():
    good = cap.count_scores(Y, S).to_dict()
    refusal(cap.ScoreCounts.from_dict, {}, error=(ValueError, TypeError, KeyError))
    cells = good["cells"]
    shortened = {**good, "cells": {**cells, "positives": list(cells["positives"])[:-1]}}
    refusal(cap.ScoreCounts.from_dict, shortened)


def relations():
    """What engines refuse only when they are asked for rows, or for the names of columns."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS y, 2.0 AS s")
    dropped = connection.table("t")
    connection.execute("DROP TABLE t")
    text = pl.LazyFrame({"y": [1, 0], "s": ["1", "x"]})
    yield "DuckDB", dropped
    yield (
        "DuckDB",
        duckdb.sql("SELECT i % 2 AS y, IF(i = 5, 'x', '1')::DOUBLE AS s FROM range(9) t(i)"),
    )
    yield "Polars", text.with_columns(pl.col("s").cast(pl.Float64))
    yield "Polars", text.with_columns(pl.col("gone").alias("s"))


def test_what_an_engine_refuses_is_one_line():
    for engine, data in relations():
        for count in (cap.count_scores, cap.count_values, cap.count_partial, cap.evaluate):
            with pytest.raises(ValueError, match=rf"^{engine} could not count: [^\n]+$") as refused:
                count("y", "s", data=data)
            assert type(refused.value) is ValueError
        with pytest.raises(ValueError, match=rf"^{engine} could not hand over the table: [^\n]+$"):
            cap.audit_table(data)


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_are_refused_by_the_first_that_is_there(unit):
    dates = np.array(["NaT", "2020-01-31", "2020-02-29"], dtype=f"M8[{unit}]")
    shown = "2020-01-31" + {"D": "", "ns": "T00:00:00.000000000"}[unit]
    with pytest.raises(TypeError, match=rf"^score holds dates or durations \(such as {shown}\);"):
        cap.count_scores([1, 0, 1], dates)
    with pytest.raises(TypeError, match=r"^score holds dates or durations; pass a number$"):
        cap.count_scores([1, 0, 1], dates[[0, 0, 0]])


def test_one_case_is_said_in_the_singular():
    with pytest.raises(ValueError, match=r"^no negatives among the only case, so this is"):
        cap.accuracy_ratio(cap.count_scores([1], [3]))
