"""Means over segments as exact fractions and other tools have them."""

import json
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap

HERE = Path(__file__).parent / "means"
DATA = json.loads((HERE / "data.json").read_text(encoding="utf-8"))
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
OTHERS = [
    (tool, case)
    for tool in ("pytrec_eval", "ranx", "scikit-learn ndcg_score, segments of one row left out")
    for case in EXPECTED["others"][tool]
]
AMOUNTS = {"no positives": "no amount"}  # what a segment without any relevance lacks as amounts


def exactly(number):
    return pytest.approx(number, rel=0, abs=1e-12)


def named(case):
    asked = [f"{name}={value}" for name, value in case["options"].items()]
    return " ".join([case["data"], case.get("score", ""), case["metric"], *asked])


def tool_named(value):
    return value[:8] if isinstance(value, str) else named(value)


def columns_of(name, *, graded=False):
    """Return the columns of a data set, the target as classes or as the grade of relevance."""
    columns = dict(DATA[name])
    if not graded:
        columns["target"] = [int(grade > 0) for grade in columns["target"]]
    return columns


def asked_of(case):
    """Return the options of a case as the library takes them."""
    asked = dict(case["options"])
    if isinstance(asked.get("weights"), dict):
        asked["weights"] = {name: float(text) for name, text in asked["weights"].items()}
    if asked.get("k", 1) is None:
        del asked["k"]
    if case["metric"] == "ndcg":
        asked.setdefault("gain", "linear")
    return asked


def counted(case, *, score=None):
    graded = case["metric"] == "ndcg"
    columns = columns_of(case["data"], graded=graded)
    count = cap.count_value_segments if graded else cap.count_segments
    cluster = {"cluster": columns["cluster"]} if case["options"].get("cluster") else {}
    return count(
        columns["target"], columns[score or case["score"]], by=columns["segment"], **cluster
    )


def mean_of(case):
    asked = asked_of(case)
    asked.pop("cluster", None)
    return cap.mean_over(counted(case), metric=case["metric"], **asked)


def as_said(case):
    """Return why segments are left out, of amounts by their own name."""
    left_out = case["expected"]["left_out"]
    if case["metric"] != "ndcg":
        return left_out
    return {AMOUNTS.get(reason, reason): number for reason, number in left_out.items()}


@pytest.mark.parametrize("case", EXPECTED["means"], ids=named)
def test_means_are_those_of_fractions(case):
    found, expected = mean_of(case), case["expected"]
    assert found.estimate == exactly(expected["estimate"])
    assert found.se == pytest.approx(expected["se"], rel=0, abs=1e-10)
    assert found.df == pytest.approx(expected["df"], rel=1e-9)
    assert found.low == pytest.approx(expected["low"], rel=0, abs=1e-9)
    assert found.high == pytest.approx(expected["high"], rel=0, abs=1e-9)
    assert found.n_segments == expected["n_segments"]
    assert dict(found.left_out) == as_said(case)


OF_CLASSES = [case for case in EXPECTED["means"] if case["metric"] != "ndcg"]
SOME = OF_CLASSES[::7] + [case for case in OF_CLASSES if "cluster" in case["options"]]


@pytest.mark.parametrize("case", SOME, ids=named)
def test_columns_and_their_names_give_what_counts_give(case):
    asked, expected = asked_of(case), mean_of(case)
    data = columns_of(case["data"])
    if asked.pop("cluster", False):
        asked["cluster"] = "cluster"
    by_name = cap.mean_over(
        "target", case["score"], by="segment", data=data, metric=case["metric"], **asked
    )
    if "cluster" in asked:
        asked["cluster"] = data["cluster"]
    by_column = cap.mean_over(
        data["target"], data[case["score"]], by=data["segment"], metric=case["metric"], **asked
    )
    assert by_name.to_dict() == by_column.to_dict() == expected.to_dict()


@pytest.mark.parametrize("case", EXPECTED["pairs"], ids=named)
def test_pairs_are_those_of_fractions(case):
    columns, expected = columns_of(case["data"]), case["expected"]
    scores = {"a": columns["a"], "b": columns["b"]}
    found = cap.compare(
        columns["target"], scores, by=columns["segment"], metric=case["metric"], **case["options"]
    )
    (pair,) = found.pairs
    assert pair.name == "a minus b"
    assert pair.estimate == exactly(expected["estimate"])
    assert pair.se == pytest.approx(expected["se"], rel=0, abs=1e-10)
    assert pair.p_value == pytest.approx(expected["p_value"], rel=0, abs=1e-9)
    assert pair.low == pytest.approx(expected["low"], rel=0, abs=1e-9)
    assert pair.high == pytest.approx(expected["high"], rel=0, abs=1e-9)
    assert pair.df == pytest.approx(expected["df"], rel=1e-9)


@pytest.mark.parametrize("case", EXPECTED["pairs"], ids=named)
def test_a_pair_is_the_difference_of_two_means(case):
    asked = {"by": columns_of(case["data"])["segment"], "metric": case["metric"]} | case["options"]
    columns = columns_of(case["data"])
    a, b = (cap.mean_over(columns["target"], columns[name], **asked) for name in "ab")
    assert a.n_segments == b.n_segments == case["expected"]["n_segments"]
    assert a.estimate - b.estimate == exactly(case["expected"]["estimate"])


def single_of(counts, amounts, name):
    """Return a number of one segment, by the name that the fractions have it under."""
    metric, *words = name.split()
    k = next((int(word) for word in words if word.isdigit()), None)
    if metric == "average_precision":
        return cap.average_precision(counts)
    at = {} if k is None else {"k": k}
    if metric == "ndcg":
        return cap.ndcg(amounts, gain="exponential" if "exponential" in words else "linear", **at)
    return getattr(cap, metric)(counts, **at)


@pytest.mark.parametrize("case", EXPECTED["single"], ids=lambda case: case["segment"])
def test_numbers_of_one_query_are_those_of_fractions(case):
    rows = DATA["queries"]
    own = [place for place, name in enumerate(rows["segment"]) if name == case["segment"]]
    grades, score = ([rows[column][place] for place in own] for column in ("target", "a"))
    counts = cap.count_scores(np.array(grades) > 0, score)
    amounts = cap.count_values(grades, score)
    for name, expected in case["expected"].items():
        assert single_of(counts, amounts, name) == exactly(expected), name


@pytest.mark.parametrize(("tool", "case"), OTHERS, ids=tool_named)
def test_other_tools_have_the_same_where_they_are_right(tool, case):
    found = mean_of({"score": "a"} | case)
    estimate = found.estimate
    if tool.startswith("scikit-learn"):
        n, value = (np.array(found.table[name], dtype=float) for name in ("n", "value"))
        estimate = np.nanmean(value[n > 1])
    assert estimate == pytest.approx(case["estimate"], rel=0, abs=1e-6)


@pytest.mark.parametrize(
    "case", EXPECTED["others"]["cvAUC 1.1.4"], ids=lambda case: f"{case['data']} {case['score']}"
)
def test_the_mean_of_folds_is_that_of_cvauc(case):
    """Its standard error divides by the number of positives, so it is smaller than ours."""
    columns = columns_of(case["data"])
    found = cap.mean_over(
        columns["target"],
        columns[case["score"]],
        by=columns["segment"],
        metric="roc_auc",
        segments="fixed",
    )
    assert found.estimate == exactly(case["estimate"])
    assert case["se"] < found.se < 1.3 * case["se"]
    assert found.low < case["low"]
