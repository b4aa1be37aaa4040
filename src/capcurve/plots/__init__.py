"""Pictures of counts: every function draws on the axes given, or new ones, and returns them.

A legend that would cover something goes below the axes; a figure of one picture then grows in
height, never in width, and axes among others shrink.
"""

from capcurve.plots.cap import plot_cap
from capcurve.plots.captured import plot_captured_response
from capcurve.plots.distributions import plot_score_distributions
from capcurve.plots.kinds import FOR_SEVERAL, KINDS
from capcurve.plots.ks import plot_ks
from capcurve.plots.lift import plot_lift
from capcurve.plots.precision import plot_precision_recall
from capcurve.plots.profit import plot_profit
from capcurve.plots.roc import plot_roc
from capcurve.plots.saving import save_picture

__all__ = [
    "FOR_SEVERAL",
    "KINDS",
    "plot_cap",
    "plot_captured_response",
    "plot_ks",
    "plot_lift",
    "plot_precision_recall",
    "plot_profit",
    "plot_roc",
    "plot_score_distributions",
    "save_picture",
]
