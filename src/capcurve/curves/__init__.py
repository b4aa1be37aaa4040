"""Every curve that is read off counts."""

from capcurve.curves.caps import (
    cap_curve,
    captured_response_curve,
    lorenz_curve,
    perfect_cap,
    random_cap,
)
from capcurve.curves.curve import Curve
from capcurve.curves.distributions import ScoreDistributions, score_distributions
from capcurve.curves.rates import (
    ks_curve,
    lift_curve,
    local_lift_curve,
    precision_recall_curve,
    profit_curve,
    roc_curve,
)

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
    "random_cap",
    "roc_curve",
    "score_distributions",
]
