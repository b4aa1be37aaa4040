"""Every curve that is read off counts."""

from capcurve.curves.curve import Curve
from capcurve.curves.kinds import (
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
    risk_coverage_curve,
    roc_curve,
    score_distributions,
)
from capcurve.curves.trials import qini_curve, toc_curve, uplift_curve

__all__ = [
    "Curve",
    "ScoreDistributions",
    "cap_curve",
    "captured_response_curve",
    "ks_curve",
    "lift_curve",
    "local_lift_curve",
    "lorenz_curve",
    "perfect_cap",
    "precision_recall_curve",
    "profit_curve",
    "qini_curve",
    "random_cap",
    "risk_coverage_curve",
    "roc_curve",
    "score_distributions",
    "toc_curve",
    "uplift_curve",
]
