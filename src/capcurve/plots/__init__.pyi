from capcurve.show.canvas import plot_chart as plot_chart, save_picture as save_picture

from .horizons import plot_horizons as plot_horizons
from .panels import draw_each as draw_each
from .pictures import (
    FOR_SEVERAL as FOR_SEVERAL,
    PICTURE_ALIASES as PICTURE_ALIASES,
    PICTURE_KINDS as PICTURE_KINDS,
    plot_calibration as plot_calibration,
    plot_cap as plot_cap,
    plot_captured_response as plot_captured_response,
    plot_decision_curve as plot_decision_curve,
    plot_ks as plot_ks,
    plot_lift as plot_lift,
    plot_lorenz as plot_lorenz,
    plot_mean_amount as plot_mean_amount,
    plot_precision_recall as plot_precision_recall,
    plot_profit as plot_profit,
    plot_risk_coverage as plot_risk_coverage,
    plot_roc as plot_roc,
    plot_score_distributions as plot_score_distributions,
)
from .trials import plot_qini as plot_qini, plot_toc as plot_toc, plot_uplift as plot_uplift

__all__ = [
    "plot_calibration",
    "plot_cap",
    "plot_captured_response",
    "plot_decision_curve",
    "plot_horizons",
    "plot_ks",
    "plot_lift",
    "plot_lorenz",
    "plot_mean_amount",
    "plot_precision_recall",
    "plot_profit",
    "plot_qini",
    "plot_risk_coverage",
    "plot_roc",
    "plot_score_distributions",
    "plot_toc",
    "plot_uplift",
]
