"""Pictures of counts: every function draws on the axes given, or new ones, and returns them.

A legend that would cover something goes below the axes; a figure of one picture then grows in
height, never in width, and axes among others shrink.
"""

from capcurve.plots.horizons import plot_horizons
from capcurve.plots.panels import draw_each as draw_each
from capcurve.plots.pictures import (
    FOR_SEVERAL as FOR_SEVERAL,
    PICTURE_ALIASES as PICTURE_ALIASES,
    PICTURE_KINDS as PICTURE_KINDS,
    plot_calibration,
    plot_cap,
    plot_captured_response,
    plot_decision_curve,
    plot_ks,
    plot_lift,
    plot_lorenz,
    plot_mean_amount,
    plot_precision_recall,
    plot_profit,
    plot_risk_coverage,
    plot_roc,
    plot_score_distributions,
)
from capcurve.plots.trials import plot_qini, plot_toc, plot_uplift
from capcurve.show.canvas import plot_chart as plot_chart, save_picture as save_picture

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
