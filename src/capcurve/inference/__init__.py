"""What chance can do to a number: variances, intervals, tests and bands, from counts alone."""

from capcurve.inference.bands import (
    cap_band,
    difference_band,
    null_band,
    roc_band,
    simulate_random_cap,
)
from capcurve.inference.comparing import compare, compare_independent, test_against_initial
from capcurve.inference.discrimination import discrimination_test, ks_test, smirnov_critical_value
from capcurve.inference.heterogeneity import heterogeneity_test
from capcurve.inference.implied import implied_accuracy_ratio
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.monotone import monotonicity_test
from capcurve.inference.ordinal import GeneralisedAUC, generalised_auc
from capcurve.inference.planning import SampleSize, detectable_drop, power, sample_size
from capcurve.inference.rates import rate_interval, rate_table
from capcurve.inference.records import Band, Comparison, Interval, Test

__all__ = [
    "Band",
    "Comparison",
    "GeneralisedAUC",
    "Interval",
    "SampleSize",
    "Test",
    "cap_band",
    "compare",
    "compare_independent",
    "confidence_interval",
    "detectable_drop",
    "difference_band",
    "discrimination_test",
    "generalised_auc",
    "heterogeneity_test",
    "implied_accuracy_ratio",
    "ks_test",
    "monotonicity_test",
    "null_band",
    "power",
    "rate_interval",
    "rate_table",
    "roc_band",
    "sample_size",
    "simulate_random_cap",
    "smirnov_critical_value",
    "test_against_initial",
]
