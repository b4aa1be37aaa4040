"""Functions of counts take an evaluation too, and answer two arrays with the call to make."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capcurve as cap

Y = np.array([1, 0, 1, 0, 1, 0, 0, 0])
P = np.array([0.9, 0.2, 0.4, 0.5, 0.7, 0.7, 0.1, 0.3])
WORSE = P[::-1].copy()


def of_counts():
    for name in cap.__all__:
        function = getattr(cap, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters))
            if first == "counts":
                yield name


NAMES = sorted(of_counts())
NEEDS = {
    "best_thresholds": {},
    "captured_between": {"q1": 0.1, "q2": 0.5},
    "confidence_interval": {"metric": "roc_auc"},
    "operating_point": {"q": 0.5},
    "partial_auc": {"max_fpr": 0.5},
    "plot_profit": {"value": 3, "cost": 1},
    "profit_curve": {"value": 3, "cost": 1},
    "test_against_initial": {"initial": 0.9},
    "cap_band": {"seed": 1},
    **{name: {"q": 0.5} for name in ("captured_response", "lift", "local_lift", "precision")},
}


EVALUATION = cap.evaluate(Y, P)


def test_there_are_such_functions():
    assert len(NAMES) > 40


@pytest.mark.parametrize("given", [(Y, P), (Y,), (pd.DataFrame({"y": Y}),), (None,)])
def test_anything_else_is_answered_with_the_call_to_make(given):
    for name in NAMES:
        function = getattr(cap, name)
        with pytest.raises(TypeError) as raised:
            function(*given)
        said = str(raised.value)
        own = "accuracy_ratio" if name == "gini" else name
        assert f"{own}(count_scores(y, p)" in said, name
        parameters = inspect.signature(function).parameters
        for option in NEEDS.get(name, {}):
            if parameters[option].default is inspect.Parameter.empty:
                assert f", {option}=..." in said, name
        assert type(given[0]).__name__ in said, name
        assert "\n" not in said, name


def test_an_evaluation_of_one_score_stands_for_its_counts():
    for name in NAMES:
        function, options = getattr(cap, name), NEEDS.get(name, {})
        one = function(EVALUATION, **options)
        if name.startswith("plot_"):
            assert one.has_data(), name
            plt.close()
        else:
            assert repr(one) == repr(function(EVALUATION["score"], **options)), name


@pytest.mark.parametrize("name", ["roc_auc", "cap_curve", "gains_table", "summarize"])
def test_one_of_several_scores_is_to_be_named(name):
    evaluation = cap.evaluate(Y, [P, WORSE])
    with pytest.raises(TypeError, match=rf"write {name}\(evaluation\['score 1'\]\)"):
        getattr(cap, name)(evaluation)
    with pytest.raises(TypeError, match=r"joint\.margin"):
        getattr(cap, name)(evaluation.joint)


def test_a_picture_takes_evaluations_by_name():
    evaluation = cap.evaluate(Y, P)
    legends = cap.plot_roc({"a": evaluation, "b": evaluation["score"]}).get_legend_handles_labels()
    assert sum(label.startswith(("a ", "b ")) for label in legends[1]) == 2
    with pytest.raises(TypeError, match=r"picture of 'a' takes counts, got ndarray"):
        cap.plot_cap({"a": P})


def test_an_evaluation_is_a_collection_of_scores():
    evaluation = cap.evaluate(Y, {"new": P, "old": WORSE})
    assert (list(evaluation), len(evaluation), "old" in evaluation) == (["new", "old"], 2, True)
    assert 0 not in evaluation
    assert evaluation.plot("captured-response", score="old") is not None


def test_scores_may_be_a_list_of_columns():
    joint = cap.count_joint(Y, [P, WORSE])
    assert joint == cap.count_joint(Y, {"score 1": P, "score 2": WORSE})
    both = cap.evaluate(Y, [pd.Series(P, name="new"), pl.Series("old", WORSE)])
    assert list(both.counts) == ["new", "old"]
    for frame in (pd.DataFrame({"new": P, "old": WORSE}), pl.DataFrame({"new": P, "old": WORSE})):
        assert cap.evaluate(Y, frame).counts == both.counts
        assert cap.count_joint(Y, frame) == both.joint
    assert list(cap.evaluate(Y, {0: P, 1: WORSE}).counts) == ["0", "1"]
    assert both["old"] == cap.count_scores(Y, WORSE)
    assert cap.evaluate(Y.tolist(), P.tolist())["score"] == cap.count_scores(Y, P)


def test_comparing_takes_an_evaluation_of_several_scores():
    evaluation = cap.evaluate(Y, [P, WORSE])
    assert repr(cap.compare(evaluation)) == repr(cap.compare(evaluation.joint))
    for given in (cap.evaluate(Y, P), Y, (Y, P)):
        with pytest.raises(TypeError, match=r"write compare\(count_joint\(y, \[p1, p2\]\)\)"):
            cap.compare(given)


def test_an_evaluation_answers_the_next_questions():
    one = cap.evaluate(Y, P, by=["a", "b"] * 4)
    assert one.gains(bins=2).to_dict() == cap.gains_table(one["score"], bins=2).to_dict()
    assert set(one.segments["score"]) == {"a", "b"}
    two = cap.evaluate(Y, {"new": P, "old": WORSE}, level=0.9)
    assert two.gains("old").to_dict() == cap.gains_table(two["old"]).to_dict()
    found = two.compare(alternative="superior")
    assert found.pairs[0].name == "new minus old"
    assert (found.pairs[0].level, found.pairs[0].alternative) == (0.9, "superior")
    assert {"gains", "compare", "plot", "segments"} <= set(dir(two))
    assert two._ipython_key_completions_() == ["new", "old"]
    labels = two.plot("roc").get_legend_handles_labels()[1]
    assert any("new" in label for label in labels)
    assert any("old" in label for label in labels)
    assert two.plot("Precision recall") is not None


def test_an_evaluation_says_what_it_lacks():
    one, two = cap.evaluate(Y, P), cap.evaluate(Y, [P, WORSE])
    with pytest.raises(ValueError, match="one of 'score 1', 'score 2'"):
        two.gains()
    with pytest.raises(KeyError, match="there is no score 'x'"):
        two["x"]
    with pytest.raises(ValueError, match="there is one score"):
        one.compare()
    with pytest.raises(ValueError, match="kind must be one of 'cap', 'roc'"):
        one.plot("capp")
    apart = cap.evaluate({"a": one["score"], "b": one["score"]})
    with pytest.raises(ValueError, match="counted apart"):
        apart.compare()


@pytest.mark.parametrize(
    "function",
    [
        cap.pool_periods,
        cap.grade_homogeneity_test,
        cap.heterogeneity_test,
        lambda given: cap.control_chart(given, 0.2),
    ],
)
def test_segments_are_those_of_one_score(function):
    y, score = [1, 1, 0, 1, 0, 0] * 8, [3, 2, 3, 1, 1, 2] * 8
    by = ["a", "b"] * 24
    one = cap.evaluate(y, score, by=by)
    two = cap.evaluate(y, {"new": score, "old": score[::-1]}, by=by)
    assert repr(function(one)) == repr(function(one.segments["score"]))
    for given in (two, two.segments):
        with pytest.raises(ValueError, match=r"'new', 'old'[:;] pass evaluation.segments\[score\]"):
            function(given)
