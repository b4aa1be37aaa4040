"""What chance can do to a number: variances, intervals, tests and bands, from counts alone."""

from capcurve._lazy import attach

_OFFERED = {
    "bands": "cap_band difference_band null_band roc_band simulate_random_cap",
    "calibration": """
        Recalibration calibration_table calibration_test logistic_recalibration pd_tests
    """,
    "certified": "CertifiedCutoff certified_cutoff",
    "comparing": "compare",
    "curve_band": "Band",
    "discrimination": "discrimination_test ks_test smirnov_critical_value",
    "heterogeneity": "heterogeneity_test",
    "horizons": "censoring_test horizon_table integrated_accuracy_ratio",
    "implied": "implied_accuracy_ratio",
    "independent": "compare_independent test_against_initial",
    "intervals": "confidence_interval",
    "monotone": "monotonicity_test",
    "net_benefit": "decision_curve",
    "ordinal": "GeneralisedAUC generalised_auc",
    "paired": "Comparison",
    "planning": "SampleSize detectable_drop power sample_size",
    "rates": "rate_interval rate_table",
    "records": "Interval Test",
    "targeting": "BestShare balance_test best_share qini_test uplift_table",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED)
