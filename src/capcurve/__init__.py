"""How well does a score rank? The CAP curve and every number read off it, exactly."""

from capcurve.counts import JointCounts, ScoreCounts
from capcurve.curves import (
    Curve,
    ScoreDistributions,
    cap_curve,
    captured_response_curve,
    ks_curve,
    lift_curve,
    local_lift_curve,
    lorenz_curve,
    perfect_cap,
    precision_recall_curve,
    profit_curve,
    random_cap,
    roc_curve,
    score_distributions,
)
from capcurve.doors import count_joint, count_scores, count_segments
from capcurve.metrics import (
    KS,
    AccuracyRatioBounds,
    accuracy_ratio,
    accuracy_ratio_bounds,
    bayesian_error_rate,
    captured_between,
    captured_response,
    conditional_information_entropy_ratio,
    gini,
    information_value,
    kendall_tau_b,
    ks,
    lift,
    local_lift,
    partial_auc,
    pietra_index,
    precision,
    prevalence,
    roc_auc,
    somers_d,
    tie_mass,
)
from capcurve.tables import (
    OperatingPoint,
    Table,
    best_thresholds,
    gains_table,
    operating_point,
    reading,
    step_table,
    threshold_table,
)

__version__ = "0.1.0"
