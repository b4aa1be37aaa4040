"""The pictures by the names that the command line and reports call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.plots.cap import plot_cap
from capcurve.plots.captured import plot_captured_response
from capcurve.plots.distributions import plot_score_distributions
from capcurve.plots.ks import plot_ks
from capcurve.plots.lift import plot_lift
from capcurve.plots.precision import plot_precision_recall
from capcurve.plots.profit import plot_profit
from capcurve.plots.roc import plot_roc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

KINDS: Mapping[str, Callable[..., Axes]] = {
    "cap": plot_cap,
    "roc": plot_roc,
    "lift": plot_lift,
    "captured-response": plot_captured_response,
    "ks": plot_ks,
    "precision-recall": plot_precision_recall,
    "score-distributions": plot_score_distributions,
    "profit": plot_profit,
}

# These draw several scores on one axis; the others draw one.
FOR_SEVERAL = frozenset({"cap", "roc", "lift", "ks", "precision-recall"})
