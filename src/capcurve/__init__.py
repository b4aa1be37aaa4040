"""How well does a score rank? The CAP curve and every number read off it, exactly."""

from importlib import import_module
from typing import TYPE_CHECKING

from capcurve.counts import JointCounts, ScoreCounts
from capcurve.curves import (
    Curve,
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
    roc_curve,
    score_distributions,
)
from capcurve.doors import count_joint, count_scores, count_segments
from capcurve.metrics import (
    KS,
    AccuracyRatioBounds,
    KSPlace,
    accuracy_ratio,
    accuracy_ratio_bounds,
    bayesian_error_rate,
    captured_between,
    captured_response,
    conditional_information_entropy_ratio,
    gini,
    information_value,
    kendall_tau_b,
    ks,
    lift,
    local_lift,
    partial_auc,
    pietra_index,
    precision,
    prevalence,
    roc_auc,
    somers_d,
    tie_mass,
)
from capcurve.version import __version__

if TYPE_CHECKING:
    from capcurve.evaluation import Evaluation, evaluate
    from capcurve.files import Files
    from capcurve.plots import (
        plot_cap,
        plot_captured_response,
        plot_ks,
        plot_lift,
        plot_profit,
        plot_roc,
        plot_score_distributions,
    )
    from capcurve.summary import Finding, Summary, summarize
    from capcurve.tables import (
        OperatingPoint,
        Table,
        best_thresholds,
        gains_table,
        operating_point,
        reading,
        step_table,
        threshold_table,
    )

__all__ = [
    "KS",
    "AccuracyRatioBounds",
    "Curve",
    "Evaluation",
    "Files",
    "Finding",
    "JointCounts",
    "KSPlace",
    "OperatingPoint",
    "ScoreCounts",
    "ScoreDistributions",
    "Summary",
    "Table",
    "__version__",
    "accuracy_ratio",
    "accuracy_ratio_bounds",
    "bayesian_error_rate",
    "best_thresholds",
    "cap_curve",
    "captured_between",
    "captured_response",
    "captured_response_curve",
    "conditional_information_entropy_ratio",
    "count_joint",
    "count_scores",
    "count_segments",
    "evaluate",
    "gains_table",
    "gini",
    "information_value",
    "kendall_tau_b",
    "ks",
    "ks_curve",
    "lift",
    "lift_curve",
    "local_lift",
    "local_lift_curve",
    "lorenz_curve",
    "operating_point",
    "partial_auc",
    "perfect_cap",
    "pietra_index",
    "plot_cap",
    "plot_captured_response",
    "plot_ks",
    "plot_lift",
    "plot_profit",
    "plot_roc",
    "plot_score_distributions",
    "precision",
    "precision_recall_curve",
    "prevalence",
    "profit_curve",
    "random_cap",
    "reading",
    "roc_auc",
    "roc_curve",
    "score_distributions",
    "somers_d",
    "step_table",
    "summarize",
    "threshold_table",
    "tie_mass",
]

# Loaded when first asked for: people who only count should not wait for reports and readers.
_LATER = {
    "Evaluation": "capcurve.evaluation",
    "evaluate": "capcurve.evaluation",
    "Files": "capcurve.files",
    "plot_cap": "capcurve.plots",
    "plot_captured_response": "capcurve.plots",
    "plot_ks": "capcurve.plots",
    "plot_lift": "capcurve.plots",
    "plot_profit": "capcurve.plots",
    "plot_roc": "capcurve.plots",
    "plot_score_distributions": "capcurve.plots",
    "Finding": "capcurve.summary",
    "Summary": "capcurve.summary",
    "summarize": "capcurve.summary",
    "OperatingPoint": "capcurve.tables",
    "Table": "capcurve.tables",
    "best_thresholds": "capcurve.tables",
    "gains_table": "capcurve.tables",
    "operating_point": "capcurve.tables",
    "reading": "capcurve.tables",
    "step_table": "capcurve.tables",
    "threshold_table": "capcurve.tables",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_LATER[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
