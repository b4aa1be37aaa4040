"""What chance can do to a number: variances, intervals, tests and bands, from counts alone."""

from capcurve.inference.bands import (
    cap_band,
    difference_band,
    null_band,
    roc_band,
    simulate_random_cap,
)
from capcurve.inference.calibration import (
    Recalibration,
    calibration_table,
    calibration_test,
    logistic_recalibration,
    pd_tests,
)
from capcurve.inference.certified import CertifiedCutoff, certified_cutoff
from capcurve.inference.comparing import compare
from capcurve.inference.curve_band import Band
from capcurve.inference.discrimination import discrimination_test, ks_test, smirnov_critical_value
from capcurve.inference.heterogeneity import heterogeneity_test
from capcurve.inference.horizons import censoring_test, horizon_table, integrated_accuracy_ratio
from capcurve.inference.implied import implied_accuracy_ratio
from capcurve.inference.independent import compare_independent, test_against_initial
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.monotone import monotonicity_test
from capcurve.inference.net_benefit import decision_curve
from capcurve.inference.ordinal import GeneralisedAUC, generalised_auc
from capcurve.inference.paired import Comparison
from capcurve.inference.planning import SampleSize, detectable_drop, power, sample_size
from capcurve.inference.rates import rate_interval, rate_table
from capcurve.inference.records import Interval, Test
from capcurve.inference.targeting import (
    BestShare,
    balance_test,
    best_share,
    qini_test,
    uplift_table,
)

__all__ = [
    "Band",
    "BestShare",
    "CertifiedCutoff",
    "Comparison",
    "GeneralisedAUC",
    "Interval",
    "Recalibration",
    "SampleSize",
    "Test",
    "balance_test",
    "best_share",
    "calibration_table",
    "calibration_test",
    "cap_band",
    "censoring_test",
    "certified_cutoff",
    "compare",
    "compare_independent",
    "confidence_interval",
    "decision_curve",
    "detectable_drop",
    "difference_band",
    "discrimination_test",
    "generalised_auc",
    "heterogeneity_test",
    "horizon_table",
    "implied_accuracy_ratio",
    "integrated_accuracy_ratio",
    "ks_test",
    "logistic_recalibration",
    "monotonicity_test",
    "null_band",
    "pd_tests",
    "power",
    "qini_test",
    "rate_interval",
    "rate_table",
    "roc_band",
    "sample_size",
    "simulate_random_cap",
    "smirnov_critical_value",
    "test_against_initial",
    "uplift_table",
]
