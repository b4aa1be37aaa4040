"""Metrics and scorers as scikit-learn calls them: labels, weights, pipelines, searches, folds."""

import pickle
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score, roc_curve
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import capcurve as cap
from capcurve.compat import cumulative_gain_curve
from capcurve.sklearn import (
    accuracy_ratio_score,
    accuracy_ratio_scorer,
    auarc_score,
    auarc_scorer,
    bedroc_score,
    bedroc_scorer,
    captured_response_score,
    captured_response_scorer,
    ks_score,
    ks_scorer,
    lift_score,
    lift_scorer,
    net_benefit_score,
)

SCORES = (accuracy_ratio_score, ks_score, captured_response_score, lift_score)
SCORES += (bedroc_score, auarc_score)
SCORERS = (accuracy_ratio_scorer, ks_scorer, captured_response_scorer, lift_scorer)
SCORERS += (bedroc_scorer, auarc_scorer)
X, Y = make_classification(400, weights=[0.8], flip_y=0.2, random_state=7)
BAD = np.array(["good", "bad"])[Y]  # the positive class is the smaller label
SCORE = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1].round(2)  # with ties
WEIGHT = np.random.default_rng(0).integers(0, 4, len(Y))


def ks_of_theirs(y, score, weight=None):
    fpr, tpr, _ = roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    return np.abs(tpr - fpr).max()


def captured_of_theirs(y, score, q, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    fpr, tpr, _ = roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    rate = np.average(y, weights=weight)
    return np.interp(q, rate * tpr + (1 - rate) * fpr, tpr)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_numbers_are_those_of_the_roc(weight):
    how = {"sample_weight": weight}
    auc = roc_auc_score(Y, SCORE, **how)
    assert accuracy_ratio_score(Y, SCORE, **how) == pytest.approx(2 * auc - 1, rel=1e-12)
    assert ks_score(Y, SCORE, **how) == pytest.approx(ks_of_theirs(Y, SCORE, weight), rel=1e-12)
    captured = captured_of_theirs(Y, SCORE, 0.25, weight)
    assert captured_response_score(Y, SCORE, q=0.25, **how) == pytest.approx(captured, rel=1e-12)
    assert lift_score(Y, SCORE, q=0.25, **how) == pytest.approx(captured / 0.25, rel=1e-12)


def test_they_are_those_of_the_library_to_the_digit():
    counts = cap.count_scores(Y, SCORE)
    assert accuracy_ratio_score(Y, SCORE) == cap.accuracy_ratio(counts)
    assert lift_score(Y, SCORE) == cap.lift(counts, 0.1)
    assert bedroc_score(Y, SCORE, alpha=5) == cap.bedroc(counts, alpha=5)
    assert auarc_score(Y, SCORE) == cap.auarc(counts, errors="negatives")
    assert net_benefit_score(Y, SCORE, threshold=0.2) == cap.net_benefit(counts, 0.2)


def test_net_benefit_judges_probabilities():
    selected = SCORE >= 0.25
    by_hand = (Y[selected] - (1 - Y[selected]) / 3).sum() / len(Y)
    assert net_benefit_score(BAD, SCORE, threshold=0.25, pos_label="bad") == pytest.approx(by_hand)
    weighted = net_benefit_score(Y, SCORE, threshold=0.25, sample_weight=WEIGHT)
    repeated = net_benefit_score(np.repeat(Y, WEIGHT), np.repeat(SCORE, WEIGHT), threshold=0.25)
    assert weighted == pytest.approx(repeated)
    judge = make_scorer(net_benefit_score, response_method="predict_proba", threshold=0.25)
    model = LogisticRegression().fit(X, Y)
    found = net_benefit_score(Y, model.predict_proba(X)[:, 1], threshold=0.25)
    assert judge(model, X, Y) == found
    with pytest.raises(ValueError, match="PD"):
        net_benefit_score(Y, SCORE * 3, threshold=0.25)


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [(BAD, "bad"), (BAD.astype(object), "bad"), (2 * Y - 1, None), (Y == 1, None), (Y + 4, 5)],
)
def test_labels_of_any_kind(metric, labels, pos_label):
    assert metric(labels, SCORE, pos_label=pos_label) == metric(Y, SCORE)


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series, lambda v: np.reshape(v, (-1, 1))])
def test_columns_of_any_kind(kind):
    found = accuracy_ratio_score(kind(Y), kind(SCORE), sample_weight=kind(WEIGHT))
    assert found == accuracy_ratio_score(Y, SCORE, sample_weight=WEIGHT)


@pytest.mark.parametrize("metric", SCORES)
@pytest.mark.parametrize(
    ("labels", "weight", "pos_label", "lacking"),
    [
        ([0, 0, 0], None, None, "No positive cases"),
        ([1, 1, 1], None, None, "No negative cases"),
        (["no", "no", "no"], None, "yes", "No positive cases"),
        (["yes", "yes", "yes"], None, "yes", "No negative cases"),
        ([0, 1, 0], [1, 0, 1], None, "No positive cases"),
        ([0, 1, 0], [0, 0, 0], None, "No positive cases"),
    ],
)
def test_without_a_class_they_warn_and_return_nan(metric, labels, weight, pos_label, lacking):
    with pytest.warns(UndefinedMetricWarning, match=lacking) as warned:
        assert np.isnan(metric(labels, [1, 2, 3], sample_weight=weight, pos_label=pos_label))
    assert warned[0].filename == __file__


def test_rows_are_taken_by_position_whatever_their_index():
    y, p = pd.Series([0, 1, 0, 1], index=[3, 2, 1, 0]), pd.Series([0.1, 0.4, 0.35, 0.8])
    assert accuracy_ratio_score(y, p) == accuracy_ratio_score(y.to_numpy(), p.to_numpy()) == 1
    assert (
        accuracy_ratio_score(y, p, sample_weight=pd.Series([1, 2, 1, 0], index=list("abcd"))) == 1
    )
    assert cumulative_gain_curve(y, p)[1].tolist() == [0, 0.5, 1, 1, 1]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"y_true": ["no", "yes", "no"]}, "y_true holds .* pos_label='yes' or pos_label='no'"),
        ({"y_true": [0, 1, 2]}, "y_true must have two classes"),
        ({"pos_label": 9}, "pos_label=9 is not among them"),
        ({"y_score": [1, 2]}, "y_true has 3 rows and y_score has 2"),
        ({"sample_weight": [1, 2]}, "y_true has 3 rows and sample_weight has 2"),
        ({"y_score": [1, np.nan, 2]}, "y_score is missing"),
        ({"sample_weight": [1, -1, 2]}, "sample_weight holds -1 in row 1"),
        ({"sample_weight": [0, -1, 2]}, "sample_weight holds -1"),
        ({"y_score": np.zeros((3, 2))}, r"shape \(3, 2\); pass .* y_score\[:, 1\]"),
        ({"y_score": np.zeros((3, 3))}, r"one value per row, got shape \(3, 3\)$"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(how, message):
    given = {"y_true": [0, 1, 0], "y_score": [1, 2, 3], **how}
    with pytest.raises(ValueError, match=message) as raised:
        accuracy_ratio_score(given.pop("y_true"), given.pop("y_score"), **given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("metric", [captured_response_score, lift_score])
def test_a_share_is_checked_before_the_labels(metric):
    with pytest.raises(ValueError, match="q must be between 0 and 1, got 10"):
        metric([0, 0], [1, 2], q=10)


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(max_depth=3)])
def test_scorers_ask_for_decision_values_or_probabilities(scorer, model):
    fitted = model.fit(X, BAD)
    proba = fitted.predict_proba(X)[:, list(fitted.classes_).index("good")]
    metric = dict(zip(SCORERS, SCORES, strict=True))[scorer]
    assert scorer(fitted, X, BAD) == pytest.approx(metric(BAD, proba, pos_label="good"), rel=1e-12)


def test_a_scorer_of_the_other_class_or_another_share_is_made_of_the_metric():
    how = {"response_method": ("decision_function", "predict_proba")}
    fitted = LogisticRegression().fit(X, BAD)
    scorer = make_scorer(lift_score, q=0.05, pos_label="bad", **how)
    expected = lift_score(BAD, fitted.decision_function(X) * -1, q=0.05, pos_label="bad")
    assert scorer(fitted, X, BAD) == expected


def test_scorers_say_what_they_are_and_survive_pickling():
    assert repr(ks_scorer).startswith("make_scorer(ks_score, ")
    again = pickle.loads(pickle.dumps(ks_scorer))  # noqa: S301 - our own
    fitted = LogisticRegression().fit(X, BAD)
    assert again(fitted, X, BAD) == ks_scorer(fitted, X, BAD)


@pytest.mark.merge
def test_a_search_over_a_pipeline_finds_what_the_roc_finds():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {"logisticregression__C": [0.001, 0.1, 10]}
    ours = GridSearchCV(pipeline, grid, scoring=accuracy_ratio_scorer, cv=3).fit(X, BAD)
    theirs = GridSearchCV(pipeline, grid, scoring="roc_auc", cv=3).fit(X, BAD)
    assert ours.best_params_ == theirs.best_params_
    expected = 2 * theirs.cv_results_["mean_test_score"] - 1
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], expected, rtol=1e-12)


def test_several_at_once():
    scoring = {"ar": accuracy_ratio_scorer, "ks": ks_scorer, "lift": lift_scorer}
    found = cross_validate(LinearSVC(), X, Y, scoring=scoring, cv=3, return_indices=True)
    assert found["test_ar"].shape == (3,)
    rows = found["indices"]["test"][0]
    fitted = LinearSVC().fit(np.delete(X, rows, 0), np.delete(Y, rows))
    assert found["test_ks"][0] == ks_score(Y[rows], fitted.decision_function(X[rows]))


def test_folds_with_one_class_are_nan_and_the_others_are_numbers():
    order = np.argsort(Y, kind="stable")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    with pytest.warns(UndefinedMetricWarning, match="Only one class in y_true, so lift_score"):
        found = cross_val_score(tree, X[order], BAD[order], cv=KFold(5), scoring=lift_scorer)
    assert np.isnan(found[:3]).all()
    assert np.isfinite(found).any()


def test_weights_are_routed_to_the_scorer_that_asks_for_them():
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        asking = cap.sklearn.accuracy_ratio_scorer.set_score_request(sample_weight=True)
        how = {"scoring": asking, "cv": 3, "params": {"sample_weight": WEIGHT}}
        found = cross_validate(model, X, Y, return_indices=True, return_estimator=True, **how)
        search = GridSearchCV(model, {"C": [1.0]}, scoring=asking, cv=3)
        searched = search.fit(X, Y, sample_weight=WEIGHT).cv_results_["mean_test_score"]
    for each, estimator, rows in zip(
        found["test_score"], found["estimator"], found["indices"]["test"], strict=True
    ):
        score = estimator.decision_function(X[rows])
        assert each == accuracy_ratio_score(Y[rows], score, sample_weight=WEIGHT[rows])
        assert each != accuracy_ratio_score(Y[rows], score)
    assert searched == pytest.approx(found["test_score"].mean(), rel=1e-12)


def test_asking_for_weights_changes_nobody_elses_scorer():
    with sklearn.config_context(enable_metadata_routing=True):
        cap.sklearn.ks_scorer.set_score_request(sample_weight=True)
        requested = cap.sklearn.ks_scorer.get_metadata_routing().score.requests
    assert not any(requested.values())


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same of everybody."""

    def fit(self, rows, labels):
        del rows
        self.classes_ = np.unique(labels)
        return self

    def predict_proba(self, rows):
        return np.full((len(rows), 2), 0.5)


def test_what_knows_nothing_scores_zero():
    assert accuracy_ratio_scorer(Constant().fit(X, BAD), X, BAD) == 0
    assert lift_scorer(Constant().fit(X, BAD), X, BAD) == 1


def test_a_calibrated_model_of_data_frames():
    frame = pd.DataFrame(X, columns=[f"x{n}" for n in range(X.shape[1])])
    model = CalibratedClassifierCV(LogisticRegression(), cv=3).fit(frame, pd.Series(BAD))
    expected = 2 * roc_auc_score(BAD, model.predict_proba(frame)[:, 1]) - 1
    assert accuracy_ratio_scorer(model, frame, pd.Series(BAD)) == pytest.approx(expected)


@pytest.mark.merge
def test_it_is_there_without_being_imported():
    code = "import sys, capcurve; print('sklearn' in sys.modules, capcurve.sklearn.__name__)"
    code += "; capcurve.sklearn.lift_score; print('sklearn' in sys.modules)"
    code += "; capcurve.sklearn.lift_scorer; print('sklearn' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "capcurve.sklearn", "False", "True"]


@pytest.mark.merge
def test_without_scikit_learn_one_line_says_what_to_install():
    code = "import sys; sys.modules['sklearn'] = None; import capcurve.sklearn as s; s.ks_scorer"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.stderr.splitlines()[-1] == (
        "ImportError: capcurve.sklearn needs scikit-learn: "
        'pip install "capcurve[sklearn]", in a clone ".[sklearn]"'
    )


def test_names_are_offered_and_others_are_not():
    offered = dir(cap.sklearn)
    assert {"lift_scorer", "CAPCurveDisplay", "ks_score"} <= set(offered)
    with warnings.catch_warnings():
        assert all(getattr(cap.sklearn, name) for name in offered)
    with pytest.raises(AttributeError, match="no attribute 'auc_scorer'"):
        _ = cap.sklearn.auc_scorer


# Probabilities of both classes

BOTH = np.column_stack([1 - SCORE, SCORE])


@pytest.mark.parametrize("metric", [*SCORES, partial(net_benefit_score, threshold=0.25)])
def test_probabilities_of_both_classes_are_taken_by_the_positive_one(metric):
    for both in (BOTH, BOTH.astype(np.float32).astype(float), pd.DataFrame(BOTH), BOTH.tolist()):
        expected = metric(Y, np.asarray(both)[:, 1], sample_weight=WEIGHT)
        assert metric(Y, both, sample_weight=WEIGHT) == expected
        assert metric(Y == 1, both, sample_weight=WEIGHT) == expected
        assert metric(2 * Y - 1, both, sample_weight=WEIGHT) == expected
    # Of "bad" and "good" classifiers have "bad" first.
    turned = BOTH[:, ::-1]
    assert metric(BAD, turned, pos_label="bad") == metric(Y, SCORE)
    assert metric(BAD, turned, pos_label="good") == metric(1 - Y, 1 - SCORE)
    assert metric(Y, BOTH, pos_label=np.int64(0)) == metric(1 - Y, 1 - SCORE)


@pytest.mark.merge
def test_a_scorer_that_is_handed_both_columns_is_right():
    def as_given(model, x, y):
        return accuracy_ratio_score(y, model.predict_proba(x), pos_label="bad")

    found = cross_val_score(LogisticRegression(), X, BAD, cv=3, scoring=as_given)
    assert (
        found == cross_val_score(LogisticRegression(), X, Y, scoring=accuracy_ratio_scorer, cv=3)
    ).all()


def test_of_one_class_the_columns_are_known_by_usual_labels_alone():
    ones, first = np.ones(2, int), BOTH[:2]
    metric = partial(net_benefit_score, threshold=0.2)
    assert metric(ones, first) == metric(ones, first[:, 1])
    assert metric(0 * ones, first) == metric(0 * ones, first[:, 1])
    with pytest.raises(ValueError, match=r"one value per row, got shape \(2, 2\)"):
        metric(["bad", "bad"], first, pos_label="bad")


@pytest.mark.parametrize("both", [2 * BOTH, BOTH[:, [1, 1]], np.column_stack([Y, 1 - Y])])
def test_two_columns_that_are_no_probabilities_of_two_classes_are_refused(both):
    with pytest.raises(ValueError, match=r"pass the column of the positive class, y_score\[:, 1\]"):
        accuracy_ratio_score(Y, both)
