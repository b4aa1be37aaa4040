"""Every single number that is read off counts."""

from capcurve.metrics.areas import (
    AREA_METRICS,
    bedroc,
    partial_accuracy_ratio,
    rie,
    work_saved_over_sampling,
)
from capcurve.metrics.association import (
    ASSOCIATION_METRICS,
    conditional_information_entropy_ratio,
    information_value,
    kappa,
    kendall_tau_b,
    somers_d,
)
from capcurve.metrics.between import abroca, xauc
from capcurve.metrics.calibration import (
    CALIBRATION_METRICS,
    ScoreDecomposition,
    brier_score,
    log_loss,
    net_benefit,
    observed_to_expected,
    score_decomposition,
)
from capcurve.metrics.depth import DEPTH_METRICS, hit_rate, ndcg, reciprocal_rank
from capcurve.metrics.ranking import (
    RANKING_METRICS,
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
from capcurve.metrics.retrieval import RETRIEVAL_METRICS, average_precision
from capcurve.metrics.risk import RISK_METRICS, auarc, augrc, aurc, excess_aurc, selective_risk
from capcurve.metrics.selection import (
    SELECTION_METRICS,
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
from capcurve.metrics.separation import (
    KS,
    SEPARATION_METRICS,
    KSPlace,
    bayesian_error_rate,
    ks,
    pietra_index,
)
from capcurve.metrics.trials import TRIAL_METRICS, autoc, auuc, qini, uplift

__all__ = [
    "KS",
    "AccuracyRatioBounds",
    "KSPlace",
    "ScoreDecomposition",
    "abroca",
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
    "hit_rate",
    "information_value",
    "kappa",
    "kendall_tau_b",
    "ks",
    "lift",
    "local_lift",
    "log_loss",
    "mean_amount",
    "ndcg",
    "net_benefit",
    "observed_to_expected",
    "partial_accuracy_ratio",
    "partial_auc",
    "pietra_index",
    "precision",
    "prevalence",
    "qini",
    "reciprocal_rank",
    "rie",
    "roc_auc",
    "score_decomposition",
    "selective_risk",
    "somers_d",
    "specificity",
    "tie_mass",
    "uplift",
    "work_saved_over_sampling",
    "xauc",
]

# Every metric by name. One that is added here stands wherever metrics are named.
METRICS = Metrics(
    (
        *(*RANKING_METRICS, *SEPARATION_METRICS, *RETRIEVAL_METRICS, *AREA_METRICS),
        *(*RISK_METRICS, *SELECTION_METRICS, *ASSOCIATION_METRICS, *CALIBRATION_METRICS),
        *(*DEPTH_METRICS, *TRIAL_METRICS),
    )
)
