"""Every public function once, on distinct scores: which calls take longer than anyone should wait.

python benchmarks/sweep.py [rows] [part of a name]
"""

from __future__ import annotations

import inspect
import sys
import time
import warnings
from functools import partial

import numpy as np

import capcurve as cap

WARM = 2_000  # rows with which a call loads what is loaded once
# Processor seconds that no call should take on an idle machine, by the most rows there may be.
BOUNDS = {100_000: 1.0, 1_000_000: 3.0}
SHARE, YEAR, YEARS = 0.1, 365, (90, 365, 730)
# Functions that take no rows, or rows of a few grades or a file at most.
WITHOUT_ROWS = {
    "audit_table",  # a printed table
    "detectable_drop",
    "ecb_lgd",  # counts of classes
    "master_scale",
    "power",
    "rate_interval",
    "read_counts",  # a file
    "reading",
    "sample_size",
    "write_counts",
}


class Rows:
    """Columns of so many rows; and of counts of them, by the names of `KINDS`."""

    def __init__(self, rows):
        rng = np.random.default_rng(5)
        x = rng.standard_normal(rows)
        self.rows, self.s = rows, 1 / (1 + np.exp(2.5 - x))
        self.y = (rng.random(rows) < self.s).astype(np.int8)
        self.other, self.third = (
            np.clip(self.s * np.exp(spread * rng.standard_normal(rows)), 1e-6, 1 - 1e-6)
            for spread in (0.4, 0.8)
        )
        self.weight = rng.random(rows) + 0.5
        self.part, self.month = rng.integers(0, 5, rows), rng.integers(0, 24, rows)
        self.group, self.treated = (
            rng.integers(0, max(rows // 10, 2), rows),
            rng.integers(0, 2, rows),
        )
        self.all_amounts = rng.lognormal(size=rows)
        self.amount = np.where(rng.random(rows) < 0.05, self.all_amounts, 0.0)
        self.time = np.minimum(np.ceil(rng.exponential(900 * np.exp(-x))), 1000.0)
        self.event = (self.time < 1000) & (rng.random(rows) < 0.6)
        self.better = (rng.random(rows) < self.s + 0.1 * self.treated * (x > 0)).astype(np.int8)
        self.grade = np.digitize(self.s, [0.01, 0.03, 0.06, 0.12, 0.25, 0.5])
        self.moved = np.clip(self.grade + self.group % 3 - 1, 0, 6)
        self.known = np.where(self.group % 7 == 0, 2, self.y)
        self.of_two = {"a": self.s, "b": self.other}
        self.of_three = {**self.of_two, "c": self.third}

    def __getattr__(self, kind):
        """Count rows when a kind of counts is asked for, once."""
        if kind not in KINDS:
            raise AttributeError(kind)
        setattr(self, kind, found := KINDS[kind](self))
        return found


# How each kind of counts is counted.
KINDS = {
    "counts": lambda r: cap.count_scores(r.y, r.s),
    "initial": lambda r: cap.count_scores(r.y[::2], r.other[::2]),
    "weighted": lambda r: cap.count_scores(r.y, r.s, weight=r.weight, weight_kind="sampling"),
    "clustered": lambda r: cap.count_scores(r.y, r.s, cluster=r.group),
    "grades": lambda r: cap.count_scores(r.y, r.grade),
    "joint": lambda r: cap.count_joint(r.y, r.of_two),
    "three": lambda r: cap.count_joint(r.y, r.of_three),
    "parts": lambda r: cap.count_segments(r.y, r.s, by=r.part),
    "months": lambda r: cap.count_segments(r.y, r.s, by=r.month),
    "graded_parts": lambda r: cap.count_segments(r.y, r.grade, by=r.part),
    "values": lambda r: cap.count_values(r.amount, r.s),
    "all_values": lambda r: cap.count_values(r.all_amounts, r.s),
    "exposed": lambda r: cap.count_values(r.amount, r.s, exposure=r.weight),
    "times": lambda r: cap.count_times(r.time, r.event, r.s, until=1000),
    "trial": lambda r: cap.count_uplift(r.better, r.treated, r.s),
    "value_trial": lambda r: cap.count_uplift_values(r.all_amounts, r.treated, r.s),
    "partial": lambda r: cap.count_partial(r.known, r.s, unknown_label=2),
    "classes": lambda r: cap.count_classes(
        np.clip(r.grade / 7 + 0.1 * (r.y - 0.1), 0, 1), r.grade / 7
    ),
}


def alone(names):
    """Return names that nothing more is said of."""
    return {name: {} for name in names.split()}


COUNTED = {
    "count_scores": lambda r: r.counts,
    "count_scores with weights": lambda r: r.weighted,
    "count_scores with clusters": lambda r: r.clustered,
    "count_cases": lambda r: cap.count_cases(r.s),
    "count_case_segments": lambda r: cap.count_case_segments(r.s, by=r.part),
    "count_joint": lambda r: r.joint,
    "count_joint_cases": lambda r: cap.count_joint_cases(r.of_two),
    "count_segments": lambda r: r.parts,
    "count_segments by month": lambda r: r.months,
    "count_sorted": lambda r: cap.count_sorted(
        [(c.score, c.positives, c.negatives) for c in [r.counts]], n1=r.counts.n1, n0=r.counts.n0
    ),
    "count_values": lambda r: r.values,
    "count_values of all": lambda r: r.all_values,
    "count_values with exposure": lambda r: r.exposed,
    "count_value_segments": lambda r: cap.count_value_segments(r.amount, r.s, by=r.part),
    "count_joint_values": lambda r: cap.count_joint_values(r.amount, r.of_two),
    "count_times": lambda r: r.times,
    "count_time_segments": lambda r: cap.count_time_segments(
        r.time, r.event, r.s, by=r.part, until=1000
    ),
    "count_joint_times": lambda r: cap.count_joint_times(r.time, r.event, r.of_two, until=1000),
    "count_uplift": lambda r: r.trial,
    "count_uplift_values": lambda r: r.value_trial,
    "count_joint_uplift": lambda r: cap.count_joint_uplift(r.better, r.treated, r.of_two),
    "count_joint_uplift_values": lambda r: cap.count_joint_uplift_values(
        r.all_amounts, r.treated, r.of_two
    ),
    "count_partial": lambda r: r.partial,
    "count_classes": lambda r: r.classes,
    "effect_scores": lambda r: cap.effect_scores(r.better, r.treated, 0.5),
}

# By which counts they take: functions, some with words that tell one call from another, and what
# else these are given.
TAKEN = {
    "counts": {
        **alone("""accuracy_ratio accuracy_ratio_bounds assess_calibration auarc augrc aurc
            average_precision banding_loss bayesian_error_rate bedroc best_thresholds brier_score
            calibration_table calibration_test cap_band cap_curve captured_response_curve
            conditional_information_entropy_ratio decision_curve design_grades discrimination_test
            excess_aurc gains_table gini implied_accuracy_ratio information_value kendall_tau_b ks
            ks_curve ks_test lift_curve local_lift_curve log_loss logistic_recalibration
            lorenz_curve monotonicity_test ndcg null_band observed_to_expected perfect_cap
            pietra_index plot_calibration plot_cap plot_captured_response plot_decision_curve
            plot_ks plot_lift plot_lorenz plot_precision_recall plot_risk_coverage plot_roc
            plot_score_distributions precision_recall_curve prevalence random_cap rate_table
            reciprocal_rank rie risk_coverage_curve roc_auc roc_band roc_curve score_decomposition
            score_distributions somers_d step_table summarize threshold_table tie_mass validate
            work_saved_over_sampling"""),
        **{f"calibration_test {method}": {"method": method} for method in
           ("spiegelhalter", "hosmer_lemeshow", "cox", "miscalibration", "mid_p", "normal")},
        **{name: {"q": SHARE} for name in
           ("captured_response", "lift", "local_lift", "precision", "specificity",
            "false_positive_rate", "operating_point")},
        **{name: {"value": 3, "cost": 1} for name in ("plot_profit", "profit_curve")},
        "calibration_table by score": {"bins": "score"},
        "cap_band pointwise": {"kind": "pointwise"},
        "roc_band pointwise": {"kind": "pointwise"},
        "plot_cap with a band": {"band": True},
        "captured_between": {"q1": SHARE, "q2": 2 * SHARE},
        "certified_cutoff": {"max_risk": 0.05},
        "design_grades 5 to 9": {"grades": (5, 9)},
        "gains_table by score": {"bins": "score"},
        "hit_rate": {"k": 50},
        "kappa": {"threshold": SHARE},
        "net_benefit": {"threshold": SHARE},
        "partial_accuracy_ratio": {"max_q": SHARE},
        "partial_auc": {"max_fpr": SHARE},
        "selective_risk": {"coverage": 0.8},
        "summarize pd": {"pd": "score"},
        "summarize selective": {"selective": True},
        "test_against_initial": {"initial": 0.7},
    },
    "weighted": {"summarize with weights": {}, "cap_band with weights": {}, "ks with weights": {}},
    "clustered": {"summarize with clusters": {}, "cap_band with clusters": {}},
    "grades": {
        **alone("adjacent_grades grade_concentration"),
        "pd_tests": {"pd": [0.005, 0.02, 0.045, 0.09, 0.18, 0.36, 0.7]},
    },
    "months": {
        "control_chart": {"initial": 0.6},
        "heterogeneity_test by month": {},
        "mean_over": {},
        "segment_table": {},
        "pool_periods": {},
    },
    "parts": {
        "compare_groups": {"q": SHARE},
        "heterogeneity_test": {},
        **alone("decompose"),
    },
    "graded_parts": {"grade_homogeneity_test": {}},
    "joint": {"difference_band": {}},
    "partial": {
        "estimate_rate": {"labelled": "by score"},
        "tipping_point": {"minimum": 0.3},
        "unknown_bounds": {},
        "unknown_bounds with odds": {"odds": (0.5, 3)},
        "unknown_bounds captured": {"metric": "captured_response", "q": SHARE},
    },
    "classes": {"generalised_auc": {}},
    "trial": {
        **alone("""autoc auuc balance_test plot_qini plot_toc plot_uplift qini qini_curve qini_test
            toc_curve uplift_curve uplift_table"""),
        "best_share": {"value": 1.0, "cost": 0.05},
        "uplift": {"q": SHARE},
    },
    "value_trial": {"uplift_table of amounts": {}, "qini of amounts": {}},
    "times": {
        "censoring_test": {},
        "horizon_table": {"horizons": YEARS},
        "integrated_accuracy_ratio": {"horizons": YEARS},
        "plot_horizons": {"horizons": YEARS},
    },
    **{
        kind: {
            f"{name} of {kind}": options
            for name, options in {
                "concentration_index": {},
                "design_grades": {},
                "gains_table": {},
                "mean_amount": {},
                "plot_mean_amount": {},
                "summarize": {},
                "best_thresholds": {"rule": "profit", "value": 1.0, "cost": 0.1},
            }.items()
        }
        for kind in ("values", "all_values", "exposed")
    },
}  # fmt: skip
AT_A_SHARE = ("captured_response", "lift", "precision", "specificity", "false_positive_rate")
# Of intervals: which metric, of which counts, and what it is given.
INTERVALS = {
    "counts": {
        **alone("""accuracy_ratio roc_auc ks average_precision brier_score log_loss bedroc rie aurc
            augrc auarc excess_aurc observed_to_expected prevalence
            work_saved_over_sampling"""),
        **{name: {"q": SHARE} for name in AT_A_SHARE},
        "partial_auc": {"max_fpr": SHARE},
        "partial_accuracy_ratio": {"max_q": SHARE},
        "net_benefit": {"threshold": SHARE},
        "profit": {"value": 3, "cost": 1},
        "selective_risk": {"coverage": 0.8},
    },
    **{
        kind: {"accuracy_ratio": {}, "captured_response": {"q": SHARE}}
        for kind in ("clustered", "values", "all_values", "exposed")
    },
    "trial": {**alone("qini autoc auuc"), "uplift": {"q": SHARE}},
    "value_trial": {"qini": {}},
}
RESAMPLED = ("accuracy_ratio", "roc_auc", "ks", "average_precision", "partial_auc", *AT_A_SHARE)
COMPARED = {
    **alone("accuracy_ratio average_precision brier_score log_loss aurc rie"),
    **{name: {"q": SHARE} for name in ("captured_response", "lift")},
    "partial_accuracy_ratio": {"max_q": SHARE},
    "net_benefit": {"threshold": SHARE},
}
SEVERAL = {
    "abroca": lambda r: cap.abroca(r.counts, r.initial),
    "attribute_change": lambda r: cap.attribute_change(
        r.parts, cap.count_segments(r.y[::2], r.other[::2], by=r.part[::2])
    ),
    "compare of amounts": lambda r: cap.compare(cap.count_joint_values(r.amount, r.of_two)),
    "compare at a horizon": lambda r: cap.compare(
        cap.count_joint_times(r.time, r.event, r.of_two, until=1000).at(YEAR)
    ),
    "compare qini": lambda r: cap.compare(
        cap.count_joint_uplift(r.better, r.treated, r.of_two), metric="qini"
    ),
    "compare_independent": lambda r: cap.compare_independent(r.counts, r.initial),
    "control_chart of months": lambda r: cap.control_chart(
        {month: r.months[month] for month in range(4, 24)},
        cap.ScoreCounts.merge([r.months[month] for month in range(4)]),
    ),
    "evaluate": lambda r: cap.evaluate(r.y, r.s),
    "evaluate, page": lambda r: cap.evaluate(r.y, r.s).to_html(),
    "evaluate of three": lambda r: cap.evaluate(r.y, r.of_three),
    "evaluate of three, page": lambda r: cap.evaluate(r.y, r.of_three).to_html(),
    "evaluate by segments": lambda r: cap.evaluate(r.y, r.s, by=r.part),
    "evaluate of amounts": lambda r: cap.evaluate(None, r.s, amount=r.amount),
    "evaluate with weights": lambda r: cap.evaluate(
        r.y, r.s, weight=r.weight, weight_kind="sampling"
    ),
    "evaluate with clusters": lambda r: cap.evaluate(r.y, r.s, cluster=r.group),
    "horizon": lambda r: cap.summarize(r.times.at(YEAR)),
    "migration_table": lambda r: cap.migration_table(
        cap.count_joint(r.y, {"a": r.grade, "b": r.moved}), "a", "b"
    ),
    "population_stability": lambda r: cap.population_stability(r.counts, r.initial),
    "psi": lambda r: cap.psi(cap.count_cases(r.s), cap.count_cases(r.other)),
    "simulate_random_cap": lambda r: cap.simulate_random_cap(r.rows, 0.1, curves=5, seed=1),
    "validate of all": lambda r: cap.validate(
        r.counts, initial=r.initial, periods=r.months, segments=r.parts, joint=r.joint
    ),
    "xauc": lambda r: cap.xauc(r.counts, r.initial),
    "ScoreCounts, saved": lambda r: cap.ScoreCounts.from_dict(r.counts.to_dict()),
    "ScoreCounts, merged": lambda r: cap.ScoreCounts.merge([r.counts, r.initial]),
}


def taking(kind, name, options, rows):
    """Call a function by name, on counts of a kind."""
    return getattr(cap, name)(getattr(rows, kind), **options)


def shown(made):
    """Draw what is a picture."""
    if figure := getattr(made, "figure", None):
        figure.savefig("/dev/null", format="png")
        sys.modules["matplotlib.pyplot"].close(figure)


def every_call():
    """Return what each call does with rows; its name begins with that of its function."""
    calls = {**COUNTED, **SEVERAL}
    for kind, several in TAKEN.items():
        for name, options in several.items():
            calls[f"{name} ({kind})"] = partial(taking, kind, name.split()[0], options)
    ask = "confidence_interval"
    for kind, several in INTERVALS.items():
        for metric, options in several.items():
            asked = {"metric": metric, **options}
            calls[f"{ask} {metric} ({kind})"] = partial(taking, kind, ask, asked)
            if kind == "counts" and metric in RESAMPLED:
                asked = {**asked, "method": "bootstrap"}
                calls[f"{ask} {metric}, bootstrap"] = partial(taking, kind, ask, asked)
    for kind in ("joint", "three"):
        for metric, options in COMPARED.items():
            asked = {"metric": metric, **options}
            calls[f"compare {metric} ({kind})"] = partial(taking, kind, "compare", asked)
    return calls


CALLS = every_call()


def forgotten():
    """Return the public functions that are neither called nor said to take no rows."""
    called = {name.replace(",", " ").split()[0] for name in CALLS}
    functions = {name for name in cap.__all__ if inspect.isfunction(getattr(cap, name))}
    return sorted(functions - called - WITHOUT_ROWS)


def main():
    from timing import machine  # here, as tests take the calls from elsewhere

    rows = int(float(sys.argv[1])) if sys.argv[1:] else max(BOUNDS)
    bound = next((seconds for most, seconds in BOUNDS.items() if rows <= most), np.inf)
    part = sys.argv[2] if sys.argv[2:] else ""
    warnings.simplefilter("ignore")
    print(f"{machine()}\n{rows:,} rows, processor seconds with counting; bound {bound:g} s")
    spent = {}
    for name, call in CALLS.items():
        if part in name:
            shown(call(Rows(WARM)))
            given = Rows(rows)
            start = time.process_time()
            shown(call(given))
            spent[name] = time.process_time() - start
    for name, seconds in sorted(spent.items(), key=lambda each: -each[1]):
        print(f"{name:56}{seconds:9.3f} s{'  over the bound' if seconds > bound else ''}")
    over = sum(seconds > bound for seconds in spent.values())
    print(f"{over} of {len(spent)} calls are over the bound")


if __name__ == "__main__":
    main()
