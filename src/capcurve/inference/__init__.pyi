from .bands import (
    cap_band as cap_band,
    difference_band as difference_band,
    null_band as null_band,
    roc_band as roc_band,
    simulate_random_cap as simulate_random_cap,
)
from .calibration import (
    Recalibration as Recalibration,
    calibration_table as calibration_table,
    calibration_test as calibration_test,
    logistic_recalibration as logistic_recalibration,
    pd_tests as pd_tests,
)
from .certified import CertifiedCutoff as CertifiedCutoff, certified_cutoff as certified_cutoff
from .comparing import compare as compare
from .curve_band import Band as Band
from .discrimination import (
    discrimination_test as discrimination_test,
    ks_test as ks_test,
    smirnov_critical_value as smirnov_critical_value,
)
from .heterogeneity import heterogeneity_test as heterogeneity_test
from .horizons import (
    censoring_test as censoring_test,
    horizon_table as horizon_table,
    integrated_accuracy_ratio as integrated_accuracy_ratio,
)
from .implied import implied_accuracy_ratio as implied_accuracy_ratio
from .independent import (
    compare_independent as compare_independent,
    test_against_initial as test_against_initial,
)
from .intervals import confidence_interval as confidence_interval
from .monotone import monotonicity_test as monotonicity_test
from .net_benefit import decision_curve as decision_curve
from .ordinal import GeneralisedAUC as GeneralisedAUC, generalised_auc as generalised_auc
from .paired import Comparison as Comparison
from .planning import (
    SampleSize as SampleSize,
    detectable_drop as detectable_drop,
    power as power,
    sample_size as sample_size,
)
from .rates import rate_interval as rate_interval, rate_table as rate_table
from .records import Interval as Interval, Test as Test
from .targeting import (
    BestShare as BestShare,
    balance_test as balance_test,
    best_share as best_share,
    qini_test as qini_test,
    uplift_table as uplift_table,
)
