"""What docs/howto/mlflow.md shows, in a real tracking store."""

import json
import math

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import capcurve as cap
from needs import need

mpl.use("Agg")
pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("ignore")]  # MLflow's own are many
X, Y = make_classification(600, flip_y=0.3, random_state=2)
MODEL = LogisticRegression().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    module = need("mlflow")
    need("mlflow.metrics")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    module.set_tracking_uri((tmp_path / "runs").as_uri())
    yield module
    module.set_tracking_uri(None)


def numbers(evaluation):
    (summary,) = evaluation.summaries.values()
    row = summary.to_row()
    return {name: value for name, value in row.items() if isinstance(value, int | float)}


def test_numbers_picture_and_report_of_a_run(mlflow):
    evaluation = cap.evaluate(Y, SCORE)
    with mlflow.start_run() as run:
        mlflow.log_metrics(numbers(evaluation))
        mlflow.log_figure(cap.plot_cap(evaluation.counts).figure, "cap.png")
        mlflow.log_text(evaluation.to_html(), "report.html")
        mlflow.log_dict(evaluation.to_dict(), "report.json")
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept["accuracy_ratio"] == cap.accuracy_ratio(cap.count_scores(Y, SCORE))
    assert {"ks", "lift_10", "captured_10", "accuracy_ratio_low"} <= set(kept)
    page = mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/report.html")
    assert page == evaluation.to_html()
    found = mlflow.artifacts.load_dict(f"runs:/{run.info.run_id}/report.json")
    assert found == json.loads(json.dumps(evaluation.to_dict()))
    assert mlflow.artifacts.load_image(f"runs:/{run.info.run_id}/cap.png").width > 300


def test_numbers_that_are_undefined_are_left_out(mlflow):
    evaluation = cap.evaluate([1, 1, 1], [1, 2, 3])
    with mlflow.start_run() as run:
        mlflow.log_metrics(numbers(evaluation))
    kept = mlflow.get_run(run.info.run_id).data.metrics
    assert kept["n"] == 3
    assert "accuracy_ratio" not in kept


def as_metric():
    """Return the accuracy ratio as a metric of `mlflow.models.evaluate`."""
    from mlflow.metrics import MetricValue, make_metric

    def accuracy_ratio(predictions, targets):
        counts = cap.count_scores(targets, predictions)
        defined = counts.n1 and counts.n0  # MLflow tries a metric on one row first
        value = cap.accuracy_ratio(counts) if defined else math.nan
        return MetricValue(aggregate_results={"accuracy_ratio": value})

    return make_metric(eval_fn=accuracy_ratio, greater_is_better=True)


def test_a_metric_of_mlflows_own_evaluation(mlflow):
    frame = pd.DataFrame({"y": Y, "pd": SCORE})
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=frame, targets="y", predictions="pd", extra_metrics=[as_metric()]
        )
    assert found.metrics["accuracy_ratio"] == cap.accuracy_ratio(cap.count_scores(Y, SCORE))


def test_the_trap_labels_in_place_of_probabilities(mlflow):
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    frame["y"] = Y
    predict = MODEL.predict
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            lambda rows: predict(np.asarray(rows)),
            data=frame,
            targets="y",
            extra_metrics=[as_metric()],
        )
    of_labels = found.metrics["accuracy_ratio"]
    assert of_labels < cap.accuracy_ratio(cap.count_scores(Y, SCORE)) - 0.05
