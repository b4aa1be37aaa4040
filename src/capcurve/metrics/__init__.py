"""Every single number that is read off counts."""

from capcurve.metrics import (
    areas,
    association,
    calibration,
    ranking,
    retrieval,
    risk,
    selection,
    separation,
    trials,
)
from capcurve.metrics.areas import bedroc, partial_accuracy_ratio, rie, work_saved_over_sampling
from capcurve.metrics.association import (
    conditional_information_entropy_ratio,
    information_value,
    kendall_tau_b,
    somers_d,
)
from capcurve.metrics.calibration import (
    ScoreDecomposition,
    brier_score,
    log_loss,
    net_benefit,
    observed_to_expected,
    score_decomposition,
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
from capcurve.metrics.registry import Metric as Metric, Metrics
from capcurve.metrics.retrieval import average_precision
from capcurve.metrics.risk import auarc, augrc, aurc, excess_aurc, selective_risk
from capcurve.metrics.selection import (
    captured_between,
    captured_response,
    false_positive_rate,
    lift,
    local_lift,
    mean_amount,
    precision,
    prevalence,
    specificity,
)
from capcurve.metrics.separation import KS, KSPlace, bayesian_error_rate, ks, pietra_index
from capcurve.metrics.trials import autoc, auuc, qini, uplift

__all__ = [
    "KS",
    "AccuracyRatioBounds",
    "KSPlace",
    "ScoreDecomposition",
    "accuracy_ratio",
    "accuracy_ratio_bounds",
    "auarc",
    "augrc",
    "aurc",
    "autoc",
    "auuc",
    "average_precision",
    "bayesian_error_rate",
    "bedroc",
    "brier_score",
    "captured_between",
    "captured_response",
    "concentration_index",
    "conditional_information_entropy_ratio",
    "excess_aurc",
    "false_positive_rate",
    "gini",
    "information_value",
    "kendall_tau_b",
    "ks",
    "lift",
    "local_lift",
    "log_loss",
    "mean_amount",
    "net_benefit",
    "observed_to_expected",
    "partial_accuracy_ratio",
    "partial_auc",
    "pietra_index",
    "precision",
    "prevalence",
    "qini",
    "rie",
    "roc_auc",
    "score_decomposition",
    "selective_risk",
    "somers_d",
    "specificity",
    "tie_mass",
    "uplift",
    "work_saved_over_sampling",
]

# Every metric by name. One that is added here stands wherever metrics are named.
FILES = (ranking, separation, retrieval, areas, risk, selection, association, calibration, trials)
METRICS = Metrics(metric for file in FILES for metric in file.METRICS)
