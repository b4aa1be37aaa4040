"""How well does a score rank? The CAP curve and every number read off it, exactly.

Each name is loaded when it is first asked for: nobody waits for what is not used, and the command
line can arrange to be stopped before anything large is read. `__init__.pyi` tells type checkers
the same; no file is read for it, so that the package works from a zip and in a frozen program.
"""

import sys

from capcurve._lazy import attach

# Numpy's whole numbers of no stated type have 32 bits there. What is held to the rule for these, in
# numbers/types.py, is WebAssembly; nobody knows what would overflow elsewhere, without a word.
if sys.maxsize < 2**32 and sys.platform != "emscripten":
    raise ImportError("capcurve counts in 64 bits and this Python has 32: use a 64-bit one")

_OFFERED = {
    "": """
        boosting compat counts curves datasets inference input metrics plots results show sklearn
        sql studies tables
    """,
    "counts": """
        CaseCounts HorizonCounts JointCases JointCounts JointTimes JointUplift JointValues
        MasterScale NotHeldError OrdinalCounts PartialCounts RankTotals Ranking ScoreCounts
        SegmentCounts TimeCounts UpliftCounts ValueCounts ValueSums count_sorted
    """,
    "curves": """
        Curve ScoreDistributions cap_curve captured_response_curve ks_curve lift_curve
        local_lift_curve lorenz_curve perfect_cap precision_recall_curve profit_curve qini_curve
        random_cap risk_coverage_curve roc_curve score_distributions toc_curve uplift_curve
    """,
    "inference": """
        Band BestShare CertifiedCutoff Comparison GeneralisedAUC Interval Recalibration SampleSize
        Test balance_test best_share calibration_table calibration_test cap_band censoring_test
        certified_cutoff compare compare_independent confidence_interval decision_curve
        detectable_drop difference_band discrimination_test generalised_auc heterogeneity_test
        horizon_table implied_accuracy_ratio integrated_accuracy_ratio ks_test
        logistic_recalibration monotonicity_test null_band pd_tests power qini_test rate_interval
        rate_table roc_band sample_size simulate_random_cap test_against_initial uplift_table
    """,
    "input": """
        count_case_segments count_cases count_classes count_joint count_joint_cases
        count_joint_times count_joint_uplift count_joint_uplift_values count_joint_values
        count_partial count_scores count_segments count_time_segments count_times count_uplift
        count_uplift_values count_value_segments count_values effect_scores read_counts write_counts
    """,
    "input.files": "Files",
    "input.scales": "master_scale",
    "metrics": """
        KS AccuracyRatioBounds KSPlace ScoreDecomposition abroca accuracy_ratio
        accuracy_ratio_bounds auarc augrc aurc autoc auuc average_precision bayesian_error_rate
        bedroc brier_score captured_between captured_response concentration_index
        conditional_information_entropy_ratio excess_aurc false_positive_rate gini hit_rate
        information_value kappa kendall_tau_b ks lift local_lift log_loss mean_amount ndcg
        net_benefit observed_to_expected partial_accuracy_ratio partial_auc pietra_index precision
        prevalence qini reciprocal_rank rie roc_auc score_decomposition selective_risk somers_d
        specificity tie_mass uplift work_saved_over_sampling xauc
    """,
    "plots": """
        plot_calibration plot_cap plot_captured_response plot_decision_curve plot_horizons plot_ks
        plot_lift plot_lorenz plot_mean_amount plot_precision_recall plot_profit plot_qini
        plot_risk_coverage plot_roc plot_score_distributions plot_toc plot_uplift
    """,
    "results": """
        Calibration Finding SelectivePrediction Summary ValueSummary Verdict assess_calibration
        summarize
    """,
    "results.groups": "GroupComparison compare_groups",
    "results.means": "SegmentMean mean_over",
    "results.segments": "segment_table",
    "results.trials": "UpliftEvaluation UpliftSummary",
    "show.table": "Table",
    "studies.": "audit change evaluation grades monitoring unknown validation",
    "studies.audit": "Audit BandingLoss Claim Range audit_table banding_loss",
    "studies.change": "Attribution Decomposition attribute_change decompose",
    "studies.evaluation": "Evaluation evaluate",
    "studies.grades": """
        Concentration GradeHomogeneity GradeScale Migration Stability StabilityByPeriod
        adjacent_grades design_grades grade_concentration grade_homogeneity_test migration_table
        pool_periods population_stability psi
    """,
    "studies.monitoring": "ControlChart control_chart",
    "studies.unknown": """
        Assumptions Bounds RateEstimate TippingPoint estimate_rate tipping_point unknown_bounds
    """,
    "studies.validation": "EcbTable ValidationSheet ecb_lgd validate",
    "tables": """
        OperatingPoint UpliftPoint ValuePoint best_thresholds gains_table operating_point reading
        step_table threshold_table
    """,
    "version": "__version__",
}

# Ours, and what other libraries and languages call it.
_ELSEWHERE = {
    "accuracy_ratio": """
        gini_coefficient gini_coef gini_score gini_normalized normalized_gini NormalizedGini
        gain_capture accuracy_ratio_score
    """,
    "average_precision": "average_precision_score",
    "best_thresholds": "coords optimal_threshold",
    "brier_score": "brier_score_loss",
    "calibration_table": "calibration_curve",
    "cap_curve": "gain_curve gains_curve cumulative_gains",
    "cap_curve, or compat.cumulative_gain_curve": "cumulative_gain_curve",
    "compare": "roc_test delong_test delong_roc_test",
    "confidence_interval": "ci_auc",
    "decision_curve": "dca",
    "estimate_rate": "ppi_mean_ci",
    "evaluate": "perf_eva report",
    "gains_table": "decile_table gains lift_table gain_table decile_analysis plot_response",
    "information_value": "iv",
    "kappa": "cohen_kappa_score cohens_kappa",
    "ks": "ks_statistic ks_stat ks_score ks_2samp",
    "plot_calibration": "plot_calibration_curve plot_reliability_diagram CalibrationDisplay",
    "plot_cap": "plot_gains plot_gain plot_cumgains plot_cap_curve gains_chart gain_chart",
    "plot_cap, or compat.capcurve": "capcurve",
    "plot_cap, or compat.plot_cumulative_gain": "plot_cumulative_gain",
    "plot_decision_curve": "plot_decision",
    "plot_ks": "ks_chart ks_plot",
    "plot_ks, or compat.plot_ks_statistic": "plot_ks_statistic",
    "plot_lift": "lift_chart plot_cumlift",
    "plot_lift, or compat.plot_lift_curve": "plot_lift_curve",
    "plot_precision_recall": "plot_precision_recall_curve PrecisionRecallDisplay",
    "plot_roc": "plot_roc_curve plot_auc_roc RocCurveDisplay",
    "population_stability, or psi": "perf_psi population_stability_index",
    "roc_auc": "auc AUC auroc roc_auc_score",
    "roc_curve": "roc",
    "somers_d": "somers2 somersd",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, _ELSEWHERE)
