"""Every public number, of every kind of counts, with arguments nobody means: in range or refused.

Each call gives numbers within their range, none of them NaN, or raises ValueError or TypeError
with one line of the package's own.
"""

import dataclasses
import inspect
import json
import math
import traceback
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import capcurve as cap

PACKAGE = str(Path(cap.__file__).parent)
Y, S = np.array([1, 0] * 20), np.arange(40) % 7
EIGHT = [1, 1, 1, 0, 0, 0, 1, 0]


def table(positives, negatives):
    return cap.ScoreCounts.from_counts(range(len(positives), 0, -1), positives, negatives)


def weighted(of_positives, of_negatives, **more):
    weights = np.where(Y == 1, of_positives, of_negatives)
    return cap.count_scores(Y, S, weight=weights, weight_kind="sampling", **more)


KINDS = {
    "plain": table([5, 3, 2, 1], [1, 4, 9, 20]),
    "empty": cap.count_scores([], []),
    "one positive": table([0, 1, 0, 0], [3, 0, 4, 9]),
    "positives only": table([1, 2], [0, 0]),
    "negatives only": table([0, 0], [3, 2]),
    "one score": table([3], [5]),
    "one of each": table([1, 0], [0, 1]),
    "reversed": table([0, 1], [1, 0]),
    "fractions": table([0.5, 0.25], [1.5, 2.25]),
    "grades": cap.count_scores(Y, [["a", "b", "c"][k] for k in S % 3], levels=["c", "b", "a"]),
    "tiny weights": weighted(1e-300, 1e-300),
    "huge weights": weighted(1e300, 1e300),
    "uneven weights": weighted(1e9, 1e-8),
    "positives outweigh": weighted(1e300, 1e-300),
    "negatives outweigh": weighted(1e-300, 1e300),
    "unsaid weights": cap.count_scores(Y, S, weight=np.arange(1, 41) / 7),
    "clusters": cap.count_scores(Y, S, cluster=np.arange(40) % 9),
    "weighted clusters": weighted(1e9, 1e-8, cluster=np.arange(40) % 9),
    "one cluster": cap.count_scores(Y, S, cluster=[1] * 40),
    "negatives in one cluster": cap.count_scores(
        EIGHT, [5, 4, 3, 2, 1, 3, 2, 2], cluster=[1, 2, 3, 4, 4, 4, 5, 4]
    ),
}
JOINT = {
    "plain": cap.count_joint(Y, {"a": S, "b": S[::-1], "c": np.arange(40)}),
    "alike": cap.count_joint(Y, {"a": S, "b": S}),
    "opposite": cap.count_joint(Y, {"a": Y, "b": 1 - Y}),
    "one positive": cap.count_joint([1, 0, 0], {"a": [1, 2, 3], "b": [3, 2, 1]}),
    "positives only": cap.count_joint([1, 1, 1], {"a": [1, 2, 3], "b": [3, 2, 1]}),
    "empty": cap.count_joint([], {"a": [], "b": []}),
    "clusters": cap.count_joint(Y, {"a": S, "b": S[::-1]}, cluster=np.arange(40) % 9),
    "one cluster": cap.count_joint(Y, {"a": S, "b": S[::-1]}, cluster=[1] * 40),
    "negatives in one cluster": cap.count_joint(
        EIGHT,
        {"a": [5, 4, 3, 2, 1, 3, 2, 2], "b": [1, 5, 4, 3, 2, 1, 3, 2]},
        cluster=[1, 2, 3, 4, 4, 4, 5, 4],
    ),
}
TABLES = {
    "plain": [[9, 4, 1], [3, 5, 3], [0, 2, 8]],
    "no cases": [[0, 0], [0, 0]],
    "one case": [[1]],
    "one of each": [[1, 0], [0, 1]],
    "one estimate": [[3, 4, 5]],
    "one outcome": [[3], [4]],
    "reversed": [[0, 5], [5, 0]],
    "huge": [[2**59, 1], [2**58, 2**59]],
    "lopsided": [[10**15, 1], [0, 1]],
    "counts": cap.count_classes(S / 7, np.arange(40) / 30),
    "no rows": cap.count_classes([], []),
}
VALUES = {
    "plain": cap.count_values(S * Y, S, exposure=S + 1),
    "cases": cap.count_values(S * Y, S),
    "signed": cap.count_values(S - 3, S, exposure=S + 1),
    "nothing": cap.count_values(0 * S, S),
    "one amount": cap.count_values([0, 5, 0], [1, 2, 3]),
    "alike": cap.count_values([5, 5, 5], [1, 2, 3]),
    "empty": cap.count_values([], []),
    "huge": cap.count_values([1e300, 0, 1e299], [3, 2, 1], exposure=[1e-300, 1, 2]),
    "clusters": cap.count_values(S * Y, S, cluster=np.arange(40) % 9),
}
UNKNOWN = [None if k % 3 == 0 else y for k, y in enumerate(Y.tolist())]
PARTIAL = {
    "plain": cap.PartialCounts.from_counts([4, 3, 2, 1], [5, 3, 2, 1], [1, 4, 9, 20], [3, 1, 0, 2]),
    "empty": cap.count_partial([], []),
    "none unknown": cap.count_partial(Y, S),
    "none known": cap.count_partial([None, None], [1, 2]),
    "one case": cap.count_partial([None], [1]),
    "positives known": cap.count_partial([1, 1, None, None], [1, 2, 3, 1]),
    "negatives known": cap.count_partial([0, 0, None, None], [1, 2, 3, 1]),
    "fractions": cap.PartialCounts.from_counts([2, 1], [0.5, 0.25], [1.5, 2.25], [0.5, 3]),
    "weights": cap.count_partial(UNKNOWN, S, weight=[1e9] * 40, weight_kind="sampling"),
    "huge weights": cap.count_partial(UNKNOWN, S, weight=[1e300] * 40, weight_kind="sampling"),
    "tiny weights": cap.count_partial(UNKNOWN, S, weight=[1e-300] * 40, weight_kind="sampling"),
    "unsaid weights": cap.count_partial(UNKNOWN, S, weight=[0.3] * 40),
    "huge": cap.PartialCounts.from_counts([2, 1], [2**58, 1], [1, 2**59], [2**60, 2**58]),
    "clusters": cap.count_partial(UNKNOWN, S, cluster=np.arange(40) % 9),
    "two scores": cap.count_partial(UNKNOWN, {"a": S, "b": S[::-1]}),
    "three scores": cap.count_partial(UNKNOWN, {"a": S, "b": S[::-1], "c": S}),
}
TIMES = {
    "plain": cap.count_times(S + 1, np.arange(40) % 3, S[::-1]),
    "clusters": cap.count_times(S + 1, np.arange(40) % 3, S[::-1], cluster=np.arange(40) % 9),
    "empty": cap.count_times([], [], []),
    "one row": cap.count_times([1], [1], [1]),
    "all censored": cap.count_times([9, 9], [0, 0], [1, 2]),
    "nothing censored": cap.count_times(S + 1, Y, S).at_resolution(2),
    "huge": cap.count_times([1e300, 1, 2], [0, 1, 0], [1e300, 2, 3]),
}
ARM = np.arange(40) % 3 % 2
TRIALS = {
    "plain": cap.count_uplift(Y, ARM, S),
    "amounts": cap.count_uplift_values(S * Y, ARM, S),
    "signed": cap.count_uplift_values(S - 3.5, ARM, S),
    "huge": cap.count_uplift_values([1e300, 0, 1e299, 5], [1, 0, 0, 1], [3, 2, 1, 1]),
    "tiny": cap.count_uplift_values([1e-300, 0, 1e-299, 0], [1, 0, 0, 1], [3, 2, 1, 1]),
    "clusters": cap.count_uplift(Y, ARM, S, cluster=np.arange(40) % 9),
    "one cluster": cap.count_uplift(Y, ARM, S, cluster=[1] * 40),
    "one score": cap.count_uplift(Y, ARM, 0 * S),
    "one of each": cap.count_uplift([1, 0], [0, 1], [1, 2]),
    "one arm": cap.count_uplift([1, 0], [1, 1], [1, 2]),
    "one arm on top": cap.count_uplift([1, 0, 1, 0], [1, 1, 0, 0], [4, 3, 2, 1]),
    "no positives": cap.count_uplift(0 * Y, ARM, S),
    "empty": cap.count_uplift([], [], []),
}
# What stands first, by its name.
KINDS_OF = {
    "counts": (KINDS, VALUES),
    "joint": (JOINT,),
    "values": (VALUES,),
    "partial": (PARTIAL,),
    "times": (TIMES,),
    "trial": (TRIALS, VALUES),
}
ODD = [
    *(10**400, 10**30, 1e300, math.inf, -math.inf, math.nan, -1, -0.0, 0, 1, 2, 0.5),
    *(5e-324, 1e-300, 1 - 2**-53, 1 + 2**-52, True, False, "0.5", "x", b"1", None, 1j, [0.5]),
    *(np.float64(0.5), np.float32(0.3), np.int64(1), np.float64("nan"), np.bool_(True)),
    *(np.array([0.5]), np.array(0.5), Fraction(1, 3), Decimal("0.5"), object()),
]
PDS = {**{k: min(k, 7) / 7 for k in range(40)}, "a": 0.01, "b": 0.1, "c": 1}
SELECTIONS = ("captured_response", "lift", "precision")
# What each function is called with; each number among these is replaced by each odd one.
CALLS = {
    "uplift": [{}, {"q": 0.3}],
    "best_share": [{"value": 5, "cost": 1, "level": 0.9}],
    "uplift_table": [{"bins": 3, "level": 0.9}],
    "horizon_table": [{"horizons": [1, 3], "level": 0.9}, {"horizons": 2}],
    "integrated_accuracy_ratio": [{"horizons": [2, 3], "level": 0.9}, {"horizons": 2}],
    "censoring_test": [{}, {"horizon": 3}],
    "captured_response": [
        {"q": 0.3},
        {"q": 0.3, "prevalence": 0.99},
        {"q": 0.3, "of": "negatives"},
        {"k": 3},
    ],
    "captured_between": [{"q1": 0.1, "q2": 0.4, "prevalence": 0.5}],
    "lift": [{"q": 0.3, "prevalence": 0.5}, {"k": 3}],
    "hit_rate": [{"k": 3}, {"k": 10**6}],
    "reciprocal_rank": [{}, {"k": 3}],
    "ndcg": [{}, {"k": 3}, {"k": 3, "gain": "exponential"}],
    "local_lift": [{"q": 0.3, "prevalence": 0.5}],
    "precision": [{"q": 0.3}, {"q": 1e-6, "prevalence": 0.99}, {"k": 3}],
    "specificity": [{"q": 0.3}, {"q": 0.3, "prevalence": 0.5}],
    "kappa": [{"threshold": 2}],
    "false_positive_rate": [{"q": 0.3}, {"q": 0.3, "prevalence": 0.5}],
    "partial_auc": [{"max_fpr": 0.3}, {"max_fpr": 0.3, "standardized": True}],
    "bayesian_error_rate": [{}, {"prior": 0.3}],
    "information_value": [{"bins": 3}],
    "somers_d": [{}, {"given": "score"}],
    "gains_table": [{"bins": 3, "prevalence": 0.5}, {"bins": "score", "prevalence": 0.99}],
    "operating_point": [
        {"q": 0.3},
        {"k": 3},
        {"captured": 0.3},
        {"precision": 0.1},
        {"fpr": 0.3},
        {"mean_amount": 0.3},
    ],
    "average_precision": [{}, {"prevalence": 0.5}],
    **{name: [{}, {"errors": "negatives"}] for name in ("aurc", "auarc", "augrc", "excess_aurc")},
    "selective_risk": [{"coverage": 0.3}, {"coverage": 0.3, "errors": "negatives"}],
    "certified_cutoff": [{"max_risk": 0.3}, {"max_risk": 0.3, "level": 0.9, "start": 0.2}],
    "rie": [{}, {"alpha": 5.0}],
    "bedroc": [{}, {"alpha": 5.0}],
    "partial_accuracy_ratio": [{"max_q": 0.3}],
    "work_saved_over_sampling": [{"captured": 0.9}],
    "mean_amount": [{}, {"q": 0.3}],
    "profit_curve": [{"value": 10, "cost": 1, "prevalence": 0.5}],
    **{
        name: [{"prevalence": 0.5}]
        for name in (
            *("cap_curve", "captured_response_curve", "lift_curve", "local_lift_curve"),
            *("ks_curve", "precision_recall_curve", "perfect_cap", "random_cap", "lorenz_curve"),
        )
    },
    "best_thresholds": [
        {"rule": "closest"},
        {"rule": "cost", "cost_fn": 5, "cost_fp": 1},
        {"rule": "f_beta", "beta": 1},
        {"rule": "f_beta", "beta": 1e-200},
        {"rule": "profit", "value": 5, "cost": 1},
    ],
    "confidence_interval": [
        *({"metric": name, "level": 0.9} for name in ("accuracy_ratio", "roc_auc")),
        {"metric": "ks", "replicates": 10},
        *({"metric": name, "q": 0.3} for name in SELECTIONS),
        *({"metric": name, "q": 0.5, "prevalence": 0.5} for name in SELECTIONS),
        *({"metric": name, "threshold": 2} for name in (*SELECTIONS, "kappa")),
        *({"metric": name, "k": 9} for name in SELECTIONS),
        {"metric": "aurc", "errors": "negatives"},
        {"metric": "selective_risk", "coverage": 0.5},
        {"metric": "bedroc", "alpha": 5.0},
        {"metric": "partial_accuracy_ratio", "max_q": 0.3},
        {"metric": "work_saved_over_sampling", "captured": 0.9},
        {"metric": "partial_auc", "max_fpr": 0.3, "replicates": 10},
        {"metric": "profit", "value": 5, "cost": 1, "replicates": 10},
    ],
    "cap_band": [{"level": 0.9, "replicates": 100}, {"kind": "pointwise", "replicates": 100}],
    "roc_band": [{"level": 0.9, "replicates": 100}, {"kind": "pointwise", "replicates": 100}],
    "null_band": [{"level": 0.9}, {"kind": "pointwise"}],
    "rate_table": [{"level": 0.9, "bins": 3}],
    "summarize": [{"prevalence": 0.5, "level": 0.9}, {"selective": True, "max_risk": 0.3}],
    "test_against_initial": [{"initial": 0.6}],
    "migration_table": [{"start": "a", "end": "b", "level": 0.9}],
    "compare": [
        {"level": 0.9},
        {"alternative": "superior", "margin": 0.5},
        {"metric": "lift", "q": 0.3},
        {"metric": "profit", "q": 0.3, "value": 30, "cost": 2},
        {"metric": "net_benefit", "threshold": 0.3},
        {"metric": "selective_risk", "coverage": 0.3},
        {"metric": "rie", "alpha": 5.0},
        {"metric": "partial_accuracy_ratio", "max_q": 0.3},
    ],
    "difference_band": [
        {"level": 0.9, "replicates": 100},
        {"kind": "pointwise", "replicates": 100},
    ],
    "power": [
        {"value": 0.7, "n1": 50, "n0": 40, "spread": 2, "alpha": 0.1},
        {"value": 0.7, "n1": 50, "n0": 40, "versus": 0.6, "design": "paired", "correlation": 0.5},
    ],
    "sample_size": [
        {"value": 0.7, "prevalence": 0.3, "power": 0.9, "alpha": 0.1},
        {"value": 0.6, "prevalence": 0.3, "metric": "accuracy_ratio", "spread": 2, "versus": 0.3},
    ],
    "adjacent_grades": [{"level": 0.9}, {"method": "z"}, {"method": "fisher"}],
    "design_grades": [
        {"grades": 3, "min_share": 0.1, "max_share": 0.6, "min_positives": 1, "falling": False},
        {"fixed": [2], "rounded": 1, "splits": 2, "distinct": 0.4},
    ],
    "generalised_auc": [{"level": 0.9}, {"given": "target"}],
    **{
        name: [{"pd": PDS}]
        for name in ("brier_score", "log_loss", "observed_to_expected", "score_decomposition")
    },
    "net_benefit": [
        {"pd": PDS, "threshold": 0.3},
        {"pd": PDS, "threshold": 0.3, "prevalence": 0.5},
    ],
    "decision_curve": [
        {"pd": PDS, "level": 0.9},
        {"pd": PDS, "prevalence": 0.5, "thresholds": [0.2]},
    ],
    "calibration_table": [{"pd": PDS, "bins": 3, "level": 0.9}],
    "assess_calibration": [
        {"pd": PDS, "thresholds": [0.2], "asset_correlation": 0.1, "level": 0.9}
    ],
    "pd_tests": [{"pd": PDS}, {"pd": PDS, "asset_correlation": 0.1}],
    "calibration_test": [
        {"pd": PDS, "method": "mid_p", "asset_correlation": 0.1},
        {"pd": PDS, "method": "hosmer_lemeshow"},
    ],
    "logistic_recalibration": [{"pd": PDS, "level": 0.9}],
    "implied_accuracy_ratio": [
        {"level": 0.9, "pd": PDS},
        {"level": 0.9, "pd": PDS, "calibration": "stated"},
        {"pd": dict.fromkeys(PDS, 0)},
    ],
    "detectable_drop": [
        {"n1": 50, "n0": 40, "versus": 0.6, "power": 0.9, "alpha": 0.1, "margin": 0.05},
        {"n1": 50, "n0": 40, "versus": 0.8, "metric": "roc_auc", "spread": 2},
    ],
    "rate_interval": [
        {"successes": 3, "trials": 9, "level": 0.9},
        {"successes": 3, "trials": 9, "method": "wilson"},
    ],
    "unknown_bounds": [
        {"level": 0.9},
        {"metric": "captured_response", "q": 0.3},
        {"metric": "roc_auc", "positives": 2},
        {"odds": 2, "ordered": True},
    ],
    "estimate_rate": [{"level": 0.9}, {"of": "cases", "labelled": "by score"}, {"odds": (0.5, 2)}],
    "tipping_point": [{"minimum": 0.4}, {"minimum": 0.4, "metric": "captured", "q": 0.3}],
    "simulate_random_cap": [{"n": 50, "prevalence": 0.3, "curves": 1}],
}
# Arguments that are no numbers are named here, and functions of which another test takes care.
ELSEWHERE = {
    "abroca",
    "compare_groups",
    "compare_independent",
    "xauc",
    "count_cases",
    "count_case_segments",
    "count_classes",
    "count_joint",
    "count_joint_cases",
    "count_partial",
    "count_scores",
    "count_segments",
    "count_sorted",
}
ELSEWHERE |= {"count_values", "count_value_segments", "count_joint_values"}
ELSEWHERE |= {"count_times", "count_time_segments", "count_joint_times"}
ELSEWHERE |= {"count_uplift", "count_joint_uplift", "effect_scores"}
ELSEWHERE |= {"count_uplift_values", "count_joint_uplift_values"}
ELSEWHERE |= {"evaluate", "heterogeneity_test", "reading", "attribute_change", "decompose"}
ELSEWHERE |= {"read_counts", "write_counts", "audit_table", "pool_periods", "control_chart"}
ELSEWHERE |= {"validate", "ecb_lgd", "master_scale", "mean_over"}
ELSEWHERE |= {"segment_table"}
ELSEWHERE |= {"population_stability", "psi", "grade_concentration", "grade_homogeneity_test"}
UNIT = {
    "accuracy_ratio": -1.0,
    "gini": -1.0,
    "kappa": -1.0,
    "somers_d": -1.0,
    "kendall_tau_b": -1.0,
}
UNIT |= dict.fromkeys(("roc_auc", "tie_mass", "prevalence", "captured_response", "precision"), 0.0)
UNIT |= dict.fromkeys(("captured_between", "partial_auc", "bayesian_error_rate", "power"), 0.0)
UNIT |= dict.fromkeys(("aurc", "auarc", "augrc", "excess_aurc", "selective_risk", "bedroc"), 0.0)
UNIT |= dict.fromkeys(("hit_rate", "reciprocal_rank", "ndcg"), 0.0)
UNIT |= {"work_saved_over_sampling": -1.0}
UNIT |= {
    "average_precision": 0.0,
    "pietra_index": 0.0,
    "conditional_information_entropy_ratio": 0.0,
}
SHARES = {"captured", "fpr", "precision", "p_value", "p_adjusted", "positive_side"}


def functions():
    public = {name: getattr(cap, name) for name in cap.__all__}
    return {
        name: function
        for name, function in public.items()
        if inspect.isfunction(function) and not name.startswith("plot_") and name not in ELSEWHERE
    }


# With all their odd numbers these take seconds, which only a merge waits for.
SLOW = ("assess_calibration", "confidence_interval", "decision_curve", "summarize")


def slow_later(name):
    return pytest.param(name, marks=pytest.mark.merge if name in SLOW else ())


def first_arguments(function):
    first = next(iter(inspect.signature(function).parameters))
    if first in KINDS_OF:
        return [(kind,) for kinds in KINDS_OF[first] for kind in kinds.values()]
    if first == "table":
        return [(table,) for table in TABLES.values()]
    return [()]


def calls(name, function, whole):
    """Every kind of counts as the calls are, and usual ones with each number replaced by odd ones.

    Where a merge is judged every call is of all kinds of counts, and every number is replaced by
    every odd one, of half of the usual kinds each; elsewhere they take turns.
    """
    plain = CALLS.get(name, [{}])
    firsts = first_arguments(function)
    for turn, keywords in enumerate(plain):
        step = 1 if whole else min(len(plain), 3)
        yield from ((first, keywords) for first in firsts[turn % step :: step])
    usual = [kinds["plain"] for kinds in (KINDS, TABLES, VALUES, PARTIAL, TIMES, TRIALS)] + [
        KINDS["clusters"]
    ]
    some = [first for first in firsts if not first or first[0] in usual] or firsts[:1]
    numbers = [
        (keywords, option)
        for keywords in plain
        for option, value in keywords.items()
        if isinstance(value, int | float)
    ]
    step = 1 if whole or len(numbers) == 1 else 2
    for turn, (keywords, option) in enumerate(numbers):
        for place, odd in enumerate(ODD[turn % step :: step]):
            for first in some[place % 2 :: 2] if whole else [some[place % len(some)]]:
                yield first, {**keywords, option: odd}


def refused_or(function, *args, **keywords):
    """Return what a function returns, or None when it refuses in one line of its own."""
    try:
        return function(*args, **keywords)
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        refusal = error
    last = traceback.extract_tb(refusal.__traceback__)[-1]
    said = f"{keywords}: {refusal!r} at {last.filename}:{last.lineno}"
    own = type(refusal).__module__.startswith("capcurve") and isinstance(refusal, ValueError)
    assert own or type(refusal) in {ValueError, TypeError}, said
    assert last.filename.startswith(PACKAGE), said
    assert "raise" in Path(last.filename).read_text("utf-8").splitlines()[last.lineno - 1], said
    assert "\n" not in str(refusal), said
    assert len(str(refusal)) < 400, said
    return None


OF_ERRORS = {"aurc", "excess_aurc", "augrc", "selective_risk"}


def numbers_in(found, name=""):
    """Yield every number of a result, with the name it goes by."""
    if isinstance(found, cap.Curve):
        parts = [("x", found.x.tolist()), (found.name, found.y.tolist())]
    elif isinstance(found, cap.Table | cap.ScoreCounts):
        parts = []
    elif dataclasses.is_dataclass(found):
        parts = [(field.name, getattr(found, field.name)) for field in dataclasses.fields(found)]
    elif isinstance(found, dict):
        parts = [(name, value) for value in found.values()]
    elif isinstance(found, tuple | list | np.ndarray):
        parts = [(name, value) for value in found]
    else:
        if isinstance(found, int | float):
            yield name, found
        return
    for called, part in parts:
        yield from numbers_in(part, called)


@pytest.mark.turns(3)
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize("name", [*map(slow_later, functions())])
def test_numbers_are_in_range_or_refused_in_one_line(name, whole):
    function = functions()[name]
    for first, keywords in calls(name, function, whole):
        found = refused_or(function, *first, **keywords)
        said = f"{name}({first}, {keywords})"
        if isinstance(found, cap.Test) and found.method == "none":
            continue  # of one class there is nothing to test, and it says so
        # The errors of amounts are means, in their own units.
        means = name in OF_ERRORS and isinstance(first[0], cap.ValueCounts | cap.ValueSums)
        for called, number in numbers_in(found, name):
            assert not math.isnan(number), f"{called} of {said}"
            if called in UNIT and not means:
                assert UNIT[called] <= number <= 1, f"{number} of {said}"
            if called in SHARES:
                assert 0 <= number <= 1, f"{called} is {number} of {said}"
        if isinstance(found, cap.Interval):
            assert found.low <= found.estimate <= found.high, said
        if isinstance(found, cap.Band):
            assert (found.low <= found.high).all(), said
        if isinstance(found, cap.Table):
            rates = np.concatenate([found.columns.get(of, [0]) for of in ("rate", "precision")])
            known = rates[~np.isnan(rates)]
            assert ((known >= 0) & (known <= 1)).all(), said


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.merge)])
@pytest.mark.parametrize("first", KINDS)
def test_two_samples_compare_or_are_refused_in_one_line(first, whole):
    start, step = (0, 1) if whole else ([*KINDS].index(first) % 3, 3)
    for second in list(KINDS.values())[start::step]:
        found = [
            refused_or(cap.compare_independent, KINDS[first], second),
            refused_or(cap.heterogeneity_test, {"a": KINDS[first], "b": second}, replicates=20),
            *(refused_or(cap.psi, KINDS[first], second, of=of) for of in ("cases", "positives")),
            refused_or(cap.grade_concentration, KINDS[first], second),
            refused_or(cap.grade_homogeneity_test, {"a": KINDS[first], "b": second}),
        ]
        for number in dict(numbers_in(found)).values():
            assert not math.isnan(number)


def written_or_refused(counts, **given):
    found = refused_or(cap.validate, counts, **given)
    if found is not None:
        json.loads(found.to_json())
        assert found.digest()[:16] in found.to_html()
        assert found.digest()[:16] in found.to_text()


@pytest.mark.turns(3)
@pytest.mark.parametrize(("first", "initial"), [*zip(KINDS, [*KINDS][::-1], strict=True)])
def test_a_sheet_is_written_or_refused_in_one_line(first, initial):
    written_or_refused(KINDS[first], segments={"a": KINDS[first], "b": KINDS["plain"]})
    written_or_refused(KINDS[first], initial=KINDS[initial])


@pytest.mark.turns(3)
@pytest.mark.parametrize("joint", JOINT)
def test_a_sheet_of_two_scores_is_written_or_refused_in_one_line(joint):
    written_or_refused(KINDS["plain"], joint=JOINT[joint])


@pytest.mark.merge
@pytest.mark.parametrize("first", KINDS)
def test_a_sheet_is_written_whatever_is_beside_it(first):
    written_or_refused(KINDS[first])
    turn = [*KINDS].index(first)  # pairs of samples are compared by each function elsewhere
    for joint in [*JOINT.values()][turn % 3 :: 3]:
        written_or_refused(KINDS[first], joint=joint)
    for initial in [*KINDS.values()][turn % 5 :: 5]:
        written_or_refused(KINDS[first], initial=initial)


@pytest.mark.merge
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:20])
def test_odd_options_of_a_sheet(odd):
    plain = KINDS["plain"]
    for option in ("level", "seed", "initial", "subject", "periods", "before", "partial", "chart"):
        refused_or(cap.validate, plain, **{option: odd})
    if not isinstance(odd, str):  # the name of a file
        refused_or(cap.validate, plain, limits=odd)
    for key in ("green", "red"):
        limits = {"psi": {"green": 0.1, "red": 0.2, key: odd}}
        refused_or(cap.validate, plain, limits=limits)


@pytest.mark.parametrize("first", KINDS)
def test_periods_are_charted_or_refused_in_one_line(first):
    for second in KINDS.values():
        found = refused_or(cap.control_chart, {"a": second}, KINDS[first], limit=1.0)
        if found is not None:
            assert math.isfinite(found.table["cusum"][0])
    found = refused_or(cap.control_chart, {"a": KINDS[first]}, KINDS[first])
    assert found is None or 0 <= found.limit < math.inf


@pytest.mark.turns(3)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:20])
@pytest.mark.parametrize(
    "option", ["drop", "alarms", "horizon", "limit", "seed", "level", "initial"]
)
def test_odd_options_of_a_control_chart(option, odd):
    options = {"initial": KINDS["plain"], "limit": 1.0, option: odd}
    if option in {"alarms", "horizon", "seed"}:
        del options["limit"]
    refused_or(cap.control_chart, {"a": KINDS["plain"]}, **options)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:20])
def test_odd_options_of_two_samples_and_of_curves(odd):
    plain, grades = KINDS["plain"], KINDS["grades"]
    refused_or(cap.compare_independent, plain, grades, level=odd)
    refused_or(cap.compare_independent, plain, grades, alternative="superior", margin=odd)
    for how in ({"level": odd}, {"bins": odd}, {"of": odd}, {"labels": odd}):
        refused_or(cap.population_stability, plain, plain, **how)
        refused_or(cap.population_stability, grades, grades, **how)
    refused_or(cap.grade_concentration, grades, plain, level=odd)
    refused_or(cap.grade_concentration, odd)
    refused_or(cap.grade_homogeneity_test, {"a": plain, "b": plain}, level=odd)
    two = {"a": plain, "b": grades}
    fewer = min(odd, 20) if type(odd) is int else odd
    refused_or(cap.heterogeneity_test, two, replicates=fewer)
    for size in (50, 10**6 + 1, 2**62):
        refused_or(cap.null_band, (size, odd), kind="pointwise")
        refused_or(cap.null_band, (odd, size))
    for curve in (cap.cap_curve(plain), cap.lift_curve(plain), cap.local_lift_curve(plain)):
        refused_or(curve.at, odd)
        refused_or(curve.simplify, odd)


def test_every_public_number_is_among_these():
    for name, function in functions().items():
        options = inspect.signature(function).parameters
        called = {option for keywords in CALLS.get(name, [{}]) for option in keywords}
        numeric = {o for o, p in options.items() if "float" in str(p.annotation)}
        assert not numeric - called - {"margin", "versus", "correlation", "spread", "weights"}, name
