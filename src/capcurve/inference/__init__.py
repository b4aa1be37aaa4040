"""What chance can do to a number: variances, intervals, tests and bands, from counts alone."""

from capcurve.inference.band import Band
from capcurve.inference.cap_bands import cap_band, difference_band
from capcurve.inference.comparing import compare
from capcurve.inference.comparison import Comparison
from capcurve.inference.discrimination import discrimination_test
from capcurve.inference.heterogeneity import heterogeneity_test
from capcurve.inference.independent import compare_independent
from capcurve.inference.initial import test_against_initial
from capcurve.inference.interval import Interval
from capcurve.inference.intervals import confidence_interval
from capcurve.inference.null_bands import null_band, simulate_random_cap
from capcurve.inference.planning import SampleSize, power, sample_size
from capcurve.inference.rate_tables import rate_table
from capcurve.inference.rates import rate_interval
from capcurve.inference.record import Test
from capcurve.inference.smirnov import ks_test, smirnov_critical_value

__all__ = [
    "Band",
    "Comparison",
    "Interval",
    "SampleSize",
    "Test",
    "cap_band",
    "compare",
    "compare_independent",
    "confidence_interval",
    "difference_band",
    "discrimination_test",
    "heterogeneity_test",
    "ks_test",
    "null_band",
    "power",
    "rate_interval",
    "rate_table",
    "sample_size",
    "simulate_random_cap",
    "smirnov_critical_value",
    "test_against_initial",
]
