"""Every single number that is read off counts."""

from capcurve.metrics.association import (
    conditional_information_entropy_ratio,
    information_value,
    kendall_tau_b,
    somers_d,
)
from capcurve.metrics.ranking import (
    AccuracyRatioBounds,
    accuracy_ratio,
    accuracy_ratio_bounds,
    concentration_index,
    gini,
    partial_auc,
    roc_auc,
    tie_mass,
)
from capcurve.metrics.selection import (
    captured_between,
    captured_response,
    lift,
    local_lift,
    mean_amount,
    precision,
    prevalence,
)
from capcurve.metrics.separation import KS, KSPlace, bayesian_error_rate, ks, pietra_index

__all__ = [
    "KS",
    "AccuracyRatioBounds",
    "KSPlace",
    "accuracy_ratio",
    "accuracy_ratio_bounds",
    "bayesian_error_rate",
    "captured_between",
    "captured_response",
    "concentration_index",
    "conditional_information_entropy_ratio",
    "gini",
    "information_value",
    "kendall_tau_b",
    "ks",
    "lift",
    "local_lift",
    "mean_amount",
    "partial_auc",
    "pietra_index",
    "precision",
    "prevalence",
    "roc_auc",
    "somers_d",
    "tie_mass",
]
