"""What amounts have no answer to says what to use; what they have one to gives it."""

import inspect
import re

import pytest

import capcurve as cap

AMOUNT, SCORE = [120.0, 0, 30, 0, 250, 0, 10], [9, 9, 7, 7, 5, 4, 1]
NEEDS = {
    "design_grades": {"grades": 3},
    "best_thresholds": {"rule": "profit", "value": 1, "cost": 10},
    "captured_between": {"q1": 0.1, "q2": 0.5},
    "confidence_interval": {"metric": "accuracy_ratio"},
    "operating_point": {"q": 0.5},
    "partial_accuracy_ratio": {"max_q": 0.5},
    "partial_auc": {"max_fpr": 0.5},
    "selective_risk": {"coverage": 0.5},
    "certified_cutoff": {"max_risk": 0.5},
    "plot_profit": {"value": 3, "cost": 1},
    "profit_curve": {"value": 3, "cost": 1},
    "test_against_initial": {"initial": 0.9},
    "cap_band": {"seed": 1},
    "roc_band": {"seed": 1},
    **{name: {"q": 0.5} for name in ("captured_response", "lift", "local_lift", "precision")},
    **{name: {"q": 0.5} for name in ("specificity", "false_positive_rate")},
}
# What functions that need two classes name instead.
REFUSED = {
    "accuracy_ratio_bounds": r"accuracy_ratio|perfect_cap",
    "adjacent_grades": r"gains_table",
    "banding_loss": r"\w",
    "bayesian_error_rate": r"\w",
    "cap_band": r"confidence_interval",
    "conditional_information_entropy_ratio": r"\w",
    "discrimination_test": r"confidence_interval",
    "false_positive_rate": r"captured_response",
    "implied_accuracy_ratio": r"two classes",
    "hit_rate": r"ndcg",
    "information_value": r"\w",
    "kappa": r"two classes",
    "kendall_tau_b": r"accuracy_ratio|concentration_index",
    "ks": r"\w",
    "ks_curve": r"cap_curve",
    "ks_test": r"\w",
    "monotonicity_test": r"\w",
    "null_band": r"\w",
    "partial_auc": r"captured_response|accuracy_ratio",
    "pietra_index": r"\w",
    "plot_captured_response": r"\bcap\b.*\blift\b",
    "plot_ks": r"\bcap\b.*\blift\b",
    "plot_precision_recall": r"\bcap\b.*\blift\b",
    "plot_risk_coverage": r"\bcap\b.*\blift\b",
    "risk_coverage_curve": r"lift_curve",
    "certified_cutoff": r"\w",
    "plot_roc": r"\bcap\b.*\blift\b",
    "plot_score_distributions": r"\bcap\b.*\blift\b",
    "precision": r"mean_amount",
    "precision_recall_curve": r"cap_curve|lift_curve",
    "prevalence": r"mean_amount",
    "rate_table": r"gains_table",
    **dict.fromkeys(
        (
            *("brier_score", "log_loss", "observed_to_expected", "score_decomposition"),
            *("net_benefit", "calibration_table", "pd_tests", "calibration_test"),
            *("logistic_recalibration", "decision_curve", "assess_calibration"),
            *("plot_calibration", "plot_decision_curve"),
        ),
        r"two classes",
    ),
    **dict.fromkeys(
        (
            *("average_precision", "rie", "bedroc", "partial_accuracy_ratio"),
            *("auarc", "work_saved_over_sampling"),
        ),
        r"accuracy_ratio|concentration_index|captured_response",
    ),
    "reciprocal_rank": r"ndcg",
    "roc_auc": r"accuracy_ratio|concentration_index",
    "roc_band": r"confidence_interval",
    "roc_curve": r"cap_curve",
    "score_distributions": r"\w",
    "somers_d": r"accuracy_ratio|concentration_index",
    "specificity": r"captured_response",
    "step_table": r"gains_table",
    "test_against_initial": r"\w",
    "threshold_table": r"gains_table",
    "tie_mass": r"\w",
}
ANSWERED = {
    *("accuracy_ratio", "gini", "concentration_index", "mean_amount"),
    *("captured_response", "captured_between", "lift", "local_lift", "ndcg"),
    *("aurc", "excess_aurc", "augrc", "selective_risk"),
    *("cap_curve", "perfect_cap", "random_cap", "lorenz_curve", "lift_curve", "local_lift_curve"),
    *("captured_response_curve", "profit_curve", "gains_table", "best_thresholds"),
    *("operating_point", "confidence_interval", "summarize", "design_grades"),
    *("plot_cap", "plot_lorenz", "plot_lift", "plot_mean_amount", "plot_profit"),
}


def functions_of_counts():
    for name in cap.__all__:
        function = getattr(cap, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters), None)
            of_segments = {"mean_over", "segment_table"}
            if first in {"counts", "values"} and name not in {"write_counts", *of_segments}:
                yield name


def takes_prevalence(name):
    return "prevalence" in inspect.signature(getattr(cap, name)).parameters


NAMES = sorted(functions_of_counts())


def refused(call, match, error=(TypeError, ValueError)):
    with pytest.raises(error, match=match) as raised:
        call()
    told = str(raised.value)
    assert "\n" not in told
    assert len(told) < 400
    return told


@pytest.fixture(params=["amounts", "amounts of 0 and 1", "amounts on exposure", "signed amounts"])
def values(request):
    amount = [float(a > 0) for a in AMOUNT] if "0 and 1" in request.param else AMOUNT
    amount = [a - 20 for a in AMOUNT] if "signed" in request.param else amount
    exposure = [1.0, 2, 1, 3, 1, 1, 1] if "exposure" in request.param else None
    return cap.count_values(amount, SCORE, exposure=exposure)


def test_every_function_is_known_to_answer_or_to_refuse():
    assert set(REFUSED) | ANSWERED == set(NAMES)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_function_of_two_classes_says_what_to_use(name, values):
    options = NEEDS.get(name, {})
    told = refused(lambda: getattr(cap, name)(values, **options), "amounts?")
    assert re.search(REFUSED[name], told)
    assert name in told or name.startswith("plot_")
    assert re.search(r"\b(use|draw|write|take|see|instead|for)\b", told)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", sorted(ANSWERED))
@pytest.mark.parametrize("exposure", [None, [1.0, 2, 1, 3, 1, 1, 1]])
def test_a_function_of_rankings_answers(name, exposure):
    found = cap.count_values(AMOUNT, SCORE, exposure=exposure)
    if name == "ndcg" and exposure:  # it is about places of rows that count alike
        refused(lambda: cap.ndcg(found), "ndcg counts rows, and these have an exposure")
        return
    assert getattr(cap, name)(found, **NEEDS.get(name, {})) is not None


@pytest.mark.parametrize("name", [name for name in sorted(ANSWERED) if takes_prevalence(name)])
def test_no_prevalence_of_amounts(name, values):
    function = getattr(cap, name)
    options = {**NEEDS.get(name, {}), "prevalence": 0.2}
    if name == "confidence_interval":
        options |= {"metric": "captured_response", "q": 0.2}
    told = refused(lambda: function(values, **options), "prevalence")
    assert "amount" in told


@pytest.mark.parametrize("metric", ["roc_auc", "precision", "ks", "partial_auc"])
def test_intervals_that_need_two_classes(metric, values):
    told = refused(lambda: cap.confidence_interval(values, metric), "amount")
    assert metric in told


@pytest.mark.parametrize("rule", ["youden", "closest", "cost", "f_beta"])
def test_cutoff_rules_that_need_two_classes(rule, values):
    told = refused(lambda: cap.best_thresholds(values, rule), "amount")
    assert "profit" in told


@pytest.mark.parametrize("option", [{"of": "negatives"}])
def test_the_other_class_has_no_amounts(option, values):
    for call in (
        lambda: cap.captured_response(values, 0.5, **option),
        lambda: cap.captured_between(values, 0.1, 0.5, **option),
        lambda: cap.local_lift(values, 0.5, **option),
    ):
        refused(call, "negatives|classes")


def test_yes_no_counts_have_no_index_of_concentration():
    counts = cap.count_scores([1, 0, 1], [3, 2, 1])
    for name in ("concentration_index", "mean_amount"):
        told = refused(lambda name=name: getattr(cap, name)(counts), name)
        assert f"write {name}(amount, p)" in told


@pytest.mark.parametrize("name", ["difference_band", "compare_independent", "heterogeneity_test"])
def test_functions_of_several_rankings(name, values):
    joint = cap.count_joint_values(AMOUNT, {"a": SCORE, "b": SCORE[::-1]})
    calls = {
        "difference_band": lambda: cap.difference_band(joint),
        "compare_independent": lambda: cap.compare_independent(values, values),
        "heterogeneity_test": lambda: cap.heterogeneity_test({"jan": values, "feb": values}),
    }
    refused(calls[name], "amount")


def test_comparing_in_auc_is_refused():
    joint = cap.count_joint_values(AMOUNT, {"a": SCORE, "b": SCORE[::-1]})
    refused(lambda: cap.compare(joint, metric="roc_auc"), "amount|accuracy_ratio")


@pytest.mark.parametrize(
    "wrong", [{"weight": [1] * 7}, {"weight_kind": "frequency"}, {"memory_limit": "1GB"}]
)
def test_options_that_amounts_lack(wrong):
    refused(lambda: cap.count_values(AMOUNT, SCORE, **wrong), next(iter(wrong)))


@pytest.mark.parametrize("name", ["accuracy_ratio", "cap_curve", "gains_table", "summarize"])
def test_joint_amounts_are_to_be_named(name):
    joint = cap.count_joint_values(AMOUNT, {"a": SCORE, "b": SCORE[::-1]})
    refused(lambda: getattr(cap, name)(joint), r"joint\.margin")


@pytest.mark.parametrize("name", sorted(ANSWERED))
@pytest.mark.parametrize("given", [AMOUNT, None, "amount"])
def test_anything_else_is_answered_with_the_call_to_make(name, given):
    refused(lambda: getattr(cap, name)(given, **NEEDS.get(name, {})), r"write \w+\((y|amount), p")
