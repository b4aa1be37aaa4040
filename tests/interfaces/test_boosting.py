"""Metrics of gradient boosters, in the real packages, with the traps of their early stopping."""

import copy
import importlib
import math
import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification

import capcurve as cap
from capcurve.boosting import CatBoostMetric, lightgbm_metric, xgboost_metric
from capcurve.compat import cumulative_gain_curve
from capcurve.sklearn import accuracy_ratio_score, accuracy_ratio_scorer
from howto import run

X, Y = make_classification(3000, n_features=12, n_informative=8, flip_y=0.2, random_state=1)
X_TRAIN, Y_TRAIN, X_TEST, Y_TEST = X[:2000], Y[:2000], X[2000:], Y[2000:]
WEIGHT = np.random.default_rng(0).random(len(Y_TEST))
METRICS = {
    "accuracy_ratio": ({}, cap.accuracy_ratio),
    "ks": ({}, lambda counts: cap.ks(counts).statistic),
    "captured_response_5": ({"q": 0.05}, lambda counts: cap.captured_response(counts, 0.05)),
    "lift_10": ({}, lambda counts: cap.lift(counts, 0.1)),
}


class Matrix:
    """What a DMatrix and a Dataset both have."""

    def __init__(self, labels, weights=None):
        self.labels, self.weights = labels, weights

    def get_label(self):
        return self.labels

    def get_weight(self):
        return self.weights


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_every_metric_in_every_form(name, weight):
    how, expected = METRICS[name]
    metric = name.rstrip("_0123456789")
    score = X_TEST[:, 0]
    value = expected(cap.count_scores(Y_TEST, score, weight=weight))
    matrix = Matrix(Y_TEST.astype(float), weight)
    assert xgboost_metric(metric, **how)(score, matrix) == (name, value)
    assert lightgbm_metric(metric, **how)(score, matrix) == (name, value, True)
    assert lightgbm_metric(metric, **how)(Y_TEST, score, weight) == (name, value, True)
    catboost = CatBoostMetric(metric, **how)
    error = catboost.evaluate([score], Y_TEST, weight)
    assert catboost.get_final_error(*error) == value
    assert catboost.is_max_optimal()


@pytest.mark.parametrize("make", [xgboost_metric, lightgbm_metric])
def test_metrics_survive_pickling_and_copying(make):
    metric, second = make("lift", q=0.25), Matrix([1, 0, 0, 1])
    scores = [4, 3, 2, 1]
    pickled = pickle.loads(pickle.dumps(metric))  # noqa: S301 - our own
    for same in (pickled, copy.copy(metric), copy.deepcopy(metric)):
        assert same == metric
        assert same(scores, second)[:2] == ("lift_25", 2.0)
        assert same.__name__ == "lift_25"


@pytest.mark.parametrize(
    "call",
    [
        lambda labels, scores: xgboost_metric()(scores, Matrix(labels)),
        lightgbm_metric(),
        lambda labels, scores: CatBoostMetric().evaluate([scores], labels, None),
        accuracy_ratio_score,
        cumulative_gain_curve,
    ],
)
def test_what_is_missing_is_to_be_left_out_of_the_data(call):
    """These functions have no option for it."""
    with pytest.raises(ValueError, match=r"missing .* in 1 of 3 rows, .*; leave such rows out$"):
        call([1, 0, 1], [math.nan, 1.0, 2.0])
    with pytest.raises(TypeError, match=r"has no order; pass numbers$"):
        call([1, 0, 1], ["a", "b", "c"])
    said = "pass 1 for the positive class and 0 for the other$"
    if call in (accuracy_ratio_score, cumulative_gain_curve):  # which have an option for labels
        said = "pos_label='a' or pos_label='b'$"
    with pytest.raises(ValueError, match=said):
        call(np.array(["a", "b", "a"]), np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("make", [xgboost_metric, lightgbm_metric, CatBoostMetric])
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"metric": "auc"}, "metric must be one of 'accuracy_ratio', 'ks'"),
        ({"metric": "ks", "q": 0.1}, "ks is of all cases; leave out q=0.1"),
        ({"metric": "lift", "q": 10}, "q must be between 0 and 1, got 10"),
    ],
)
def test_wrong_arguments_are_refused_at_once(make, how, message):
    with pytest.raises(ValueError, match=message):
        make(**how)


def test_other_names_of_the_accuracy_ratio():
    assert lightgbm_metric("Gini")([1, 0], [2, 1]) == ("accuracy_ratio", 1.0, True)


def test_rows_without_a_class_or_with_several_scores_are_refused():
    with pytest.raises(ValueError, match="no positives among the 2 cases"):
        lightgbm_metric()([0, 0], [1, 2])
    with pytest.raises(ValueError, match=r"two classes, got those of 3"):
        CatBoostMetric().evaluate([[1], [2], [3]], [0], None)
    with pytest.raises(ValueError, match="prediction must have one dimension"):
        xgboost_metric()(np.zeros((2, 3)), Matrix([0, 1]))
    assert xgboost_metric()(np.array([[1], [2]]), Matrix([0, 1])) == ("accuracy_ratio", 1.0)


def boosted(xgboost, **how):
    """Train and return the best round, and the metric of every round."""
    train = xgboost.DMatrix(X_TRAIN, Y_TRAIN)
    test = xgboost.DMatrix(X_TEST, Y_TEST, weight=WEIGHT)
    rounds = {}
    booster = xgboost.train(
        {"objective": "binary:logistic", "max_depth": 3, "nthread": 1},
        train,
        60,
        evals=[(test, "test")],
        custom_metric=xgboost_metric(),
        evals_result=rounds,
        verbose_eval=False,
        **how,
    )
    return booster, rounds["test"]["accuracy_ratio"]


@pytest.mark.merge
@pytest.mark.needs("xgboost")
def test_xgboost_keeps_the_best_round_when_it_is_told_to_maximise():
    import xgboost

    booster, ratios = boosted(xgboost, maximize=True, early_stopping_rounds=5)
    assert booster.best_iteration == np.argmax(ratios)
    best = booster[: booster.best_iteration + 1].predict(xgboost.DMatrix(X_TEST))
    assert max(ratios) == pytest.approx(
        accuracy_ratio_score(Y_TEST, best, sample_weight=WEIGHT), abs=1e-5
    )


@pytest.mark.merge
@pytest.mark.needs("xgboost")
def test_xgboost_keeps_the_worst_when_it_is_not():
    import xgboost

    booster, ratios = boosted(xgboost, early_stopping_rounds=5)
    assert booster.best_iteration == np.argmin(ratios)
    assert len(ratios) < len(boosted(xgboost)[1])


@pytest.mark.merge
@pytest.mark.needs("xgboost")
def test_the_classifier_of_xgboost_needs_the_callback_for_early_stopping():
    import xgboost

    how = {"n_estimators": 60, "max_depth": 3, "n_jobs": 1, "eval_metric": accuracy_ratio_score}
    stop = xgboost.callback.EarlyStopping(rounds=5, maximize=True)
    found = []
    for more in ({"callbacks": [stop]}, {"early_stopping_rounds": 5}):
        model = xgboost.XGBClassifier(**how, **more)
        model.fit(X_TRAIN, Y_TRAIN, eval_set=[(X_TEST, Y_TEST)], verbose=False)
        ratios = model.evals_result()["validation_0"]["accuracy_ratio_score"]
        found.append((model.best_iteration, int(np.argmax(ratios)), max(ratios)))
    (right, best, ratio), (wrong, _, smaller) = found
    assert right == best > 5
    assert wrong == 0  # the documented trap: it took the metric for an error
    assert ratio > smaller
    assert accuracy_ratio_scorer(model, X_TEST, Y_TEST) > 0.5


@pytest.mark.merge
@pytest.mark.needs("lightgbm")
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_the_classifier_of_lightgbm_stops_by_our_metric_alone_only_without_its_own():
    import lightgbm

    stop = lightgbm.early_stopping(5, verbose=False)
    rounds = {}
    for own in ("None", "binary_logloss"):
        model = lightgbm.LGBMClassifier(
            n_estimators=80, learning_rate=1.0, max_depth=4, n_jobs=1, verbose=-1, metric=own
        )
        model.fit(
            X_TRAIN,
            Y_TRAIN,
            eval_set=[(X_TEST, Y_TEST)],
            eval_metric=lightgbm_metric(),
            callbacks=[stop],
        )
        rounds[own] = model.best_iteration_ - 1, model.evals_result_["valid_0"]
    alone, seen = rounds["None"]
    assert list(seen) == ["accuracy_ratio"]
    assert alone == np.argmax(seen["accuracy_ratio"])
    both, seen = rounds["binary_logloss"]
    assert both == np.argmin(seen["binary_logloss"]) != alone


@pytest.mark.merge
@pytest.mark.needs("lightgbm")
def test_lightgbm_train_takes_it_too():
    import lightgbm

    rounds = {}
    booster = lightgbm.train(
        {"objective": "binary", "metric": "None", "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(X_TRAIN, Y_TRAIN),
        40,
        valid_sets=[lightgbm.Dataset(X_TEST, Y_TEST, weight=WEIGHT)],
        feval=lightgbm_metric("lift", q=0.2),
        callbacks=[
            lightgbm.early_stopping(5, verbose=False),
            lightgbm.record_evaluation(rounds),
        ],
    )
    lifts = rounds["valid_0"]["lift_20"]
    assert booster.best_iteration == np.argmax(lifts) + 1
    counts = cap.count_scores(Y_TEST, booster.predict(X_TEST), weight=WEIGHT.astype(np.float32))
    assert max(lifts) == pytest.approx(cap.lift(counts, 0.2), rel=1e-6)


@pytest.mark.merge
@pytest.mark.needs("catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_catboost_keeps_the_best_round():
    import catboost

    how = {"verbose": False, "allow_writing_files": False, "thread_count": 1, "random_seed": 0}
    model = catboost.CatBoostClassifier(
        iterations=60, eval_metric=CatBoostMetric(), early_stopping_rounds=5, **how
    )
    model.fit(X_TRAIN, Y_TRAIN, eval_set=catboost.Pool(X_TEST, Y_TEST, weight=WEIGHT))
    ratios = model.get_evals_result()["validation"]["CatBoostMetric"]
    assert model.best_iteration_ == np.argmax(ratios)
    assert len(ratios) <= model.best_iteration_ + 6
    score = model.predict_proba(X_TEST)[:, 1]
    expected = accuracy_ratio_score(Y_TEST, score, sample_weight=WEIGHT.astype(np.float32))
    assert max(ratios) == pytest.approx(expected, rel=1e-6)
    assert accuracy_ratio_scorer(model, X_TEST, Y_TEST) == pytest.approx(
        accuracy_ratio_score(Y_TEST, score)
    )


@pytest.mark.merge
@pytest.mark.needs("xgboost", "lightgbm")
@pytest.mark.parametrize("module", ["xgboost.XGBClassifier", "lightgbm.LGBMClassifier"])
def test_displays_of_boosters(module):
    package, _, name = module.partition(".")
    model = getattr(importlib.import_module(package), name)(n_estimators=5, n_jobs=1)
    display = cap.sklearn.CAPCurveDisplay.from_estimator(
        model.fit(X_TRAIN, Y_TRAIN), X_TEST, Y_TEST
    )
    assert display.name == name
    score = model.predict_proba(X_TEST)[:, 1]
    assert display.accuracy_ratio == accuracy_ratio_score(Y_TEST, score)


@pytest.mark.merge
@pytest.mark.needs("xgboost", "lightgbm", "catboost")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
def test_what_the_page_shows_keeps_the_best_round():
    space = run("boosting.md", 0, {})
    booster = run("boosting.md", 1, space)["booster"]
    assert booster.best_iteration > 2
    model = run("boosting.md", 2, space)["model"]
    ratios = model.evals_result()["validation_0"]["accuracy_ratio_score"]
    assert model.best_iteration == np.argmax(ratios) > 2
    booster = run("boosting.md", 3, space)["booster"]
    assert list(booster.best_score["valid_0"]) == ["accuracy_ratio"]
    model = run("boosting.md", 4, space)["model"]
    assert model.best_iteration_ == np.argmax(
        model.get_evals_result()["validation"]["CatBoostMetric"]
    )
