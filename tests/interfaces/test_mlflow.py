"""What docs/howto/mlflow.md shows, in a real tracking store."""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import capcurve as cap
from howto import run

mpl.use("Agg")
pytestmark = [
    pytest.mark.merge,
    pytest.mark.needs("mlflow"),
    pytest.mark.filterwarnings("ignore"),  # MLflow's own are many
]
X, Y = make_classification(600, flip_y=0.3, random_state=2)
MODEL = LogisticRegression().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]
TRUTH = cap.accuracy_ratio(cap.count_scores(Y, SCORE))


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow
    mlflow.set_tracking_uri(None)


def test_the_page_keeps_numbers_picture_and_report_of_a_run(mlflow):
    space = run("mlflow.md", 0, {"y": Y, "p": SCORE})
    (kept,) = mlflow.search_runs(output_format="list")
    assert kept.data.metrics["accuracy_ratio"] == TRUTH
    assert {"ks", "lift_10", "captured_10", "accuracy_ratio_low"} <= set(kept.data.metrics)
    page = mlflow.artifacts.load_text(f"runs:/{kept.info.run_id}/report.html")
    assert page == space["evaluation"].to_html()
    found = mlflow.artifacts.load_dict(f"runs:/{kept.info.run_id}/report.json")
    assert found == json.loads(json.dumps(space["evaluation"].to_dict()))
    assert mlflow.artifacts.load_image(f"runs:/{kept.info.run_id}/cap.png").width > 300


def test_what_is_undefined_would_be_refused(mlflow):
    (summary,) = cap.evaluate([1, 1, 1], [1, 2, 3]).summaries.values()
    undefined = summary.to_row()["accuracy_ratio"]
    assert undefined is None
    with mlflow.start_run(), pytest.raises((TypeError, mlflow.exceptions.MlflowException)):
        mlflow.log_metrics({"accuracy_ratio": undefined})


def test_the_page_measures_in_mlflows_own_evaluation(mlflow):
    space = run("mlflow.md", 1, {"y": Y, "p": SCORE, "mlflow": mlflow, "cap": cap})
    assert space["found"].metrics["accuracy_ratio"] == TRUTH


def test_the_trap_labels_in_place_of_probabilities(mlflow):
    space = run("mlflow.md", 1, {"y": Y, "p": SCORE, "mlflow": mlflow, "cap": cap})
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    metric = mlflow.metrics.make_metric(eval_fn=space["accuracy_ratio"], greater_is_better=True)
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            lambda rows: MODEL.predict(np.asarray(rows)),
            data=frame.assign(y=Y),
            targets="y",
            extra_metrics=[metric],
        )
    assert found.metrics["accuracy_ratio"] < TRUTH - 0.05
