"""Pictures of counts: every function draws on the axes given, or new ones, and returns them.

A legend that would cover something goes below the axes; a figure of one picture then grows in
height, never in width, and axes among others shrink.
"""

from capcurve._lazy import attach

_OFFERED = {
    "horizons": "plot_horizons",
    "pictures": """
        plot_calibration plot_cap plot_captured_response plot_decision_curve plot_ks plot_lift
        plot_lorenz plot_mean_amount plot_precision_recall plot_profit plot_risk_coverage plot_roc
        plot_score_distributions
    """,
    "trials": "plot_qini plot_toc plot_uplift",
}
# What the package itself needs, and users may.
_WITHIN = {
    "panels": "draw_each",
    "pictures": "FOR_SEVERAL PICTURE_ALIASES PICTURE_KINDS",
    ".show.canvas": "plot_chart save_picture",
}

__getattr__, __dir__, __all__ = attach(__name__, _OFFERED, within=_WITHIN)
