"""How well does a score rank? The CAP curve and every number read off it, exactly."""

from importlib import import_module
from typing import TYPE_CHECKING

from capcurve.version import __version__

if TYPE_CHECKING:
    from capcurve import (
        compat as compat,
        counts as counts,
        curves as curves,
        evaluation as evaluation,
        files as files,
        inference as inference,
        metrics as metrics,
        plots as plots,
        summary as summary,
        tables as tables,
    )
    from capcurve.counts import JointCounts, NotHeldError, RankTotals, ScoreCounts, count_sorted
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
    from capcurve.evaluation import Evaluation, evaluate
    from capcurve.files import Files
    from capcurve.inference import (
        Band,
        Comparison,
        Interval,
        SampleSize,
        Test,
        cap_band,
        compare,
        compare_independent,
        confidence_interval,
        difference_band,
        discrimination_test,
        heterogeneity_test,
        ks_test,
        null_band,
        power,
        rate_interval,
        rate_table,
        sample_size,
        simulate_random_cap,
        test_against_initial,
    )
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
    from capcurve.plots import (
        plot_cap,
        plot_captured_response,
        plot_ks,
        plot_lift,
        plot_precision_recall,
        plot_profit,
        plot_roc,
        plot_score_distributions,
    )
    from capcurve.summary import Finding, Summary, Verdict, summarize
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
    "Band",
    "Comparison",
    "Curve",
    "Evaluation",
    "Files",
    "Finding",
    "Interval",
    "JointCounts",
    "KSPlace",
    "NotHeldError",
    "OperatingPoint",
    "RankTotals",
    "SampleSize",
    "ScoreCounts",
    "ScoreDistributions",
    "Summary",
    "Table",
    "Test",
    "Verdict",
    "__version__",
    "accuracy_ratio",
    "accuracy_ratio_bounds",
    "bayesian_error_rate",
    "best_thresholds",
    "cap_band",
    "cap_curve",
    "captured_between",
    "captured_response",
    "captured_response_curve",
    "compare",
    "compare_independent",
    "conditional_information_entropy_ratio",
    "confidence_interval",
    "count_joint",
    "count_scores",
    "count_segments",
    "count_sorted",
    "difference_band",
    "discrimination_test",
    "evaluate",
    "gains_table",
    "gini",
    "heterogeneity_test",
    "information_value",
    "kendall_tau_b",
    "ks",
    "ks_curve",
    "ks_test",
    "lift",
    "lift_curve",
    "local_lift",
    "local_lift_curve",
    "lorenz_curve",
    "null_band",
    "operating_point",
    "partial_auc",
    "perfect_cap",
    "pietra_index",
    "plot_cap",
    "plot_captured_response",
    "plot_ks",
    "plot_lift",
    "plot_precision_recall",
    "plot_profit",
    "plot_roc",
    "plot_score_distributions",
    "power",
    "precision",
    "precision_recall_curve",
    "prevalence",
    "profit_curve",
    "random_cap",
    "rate_interval",
    "rate_table",
    "reading",
    "roc_auc",
    "roc_curve",
    "sample_size",
    "score_distributions",
    "simulate_random_cap",
    "somers_d",
    "step_table",
    "summarize",
    "test_against_initial",
    "threshold_table",
    "tie_mass",
]

# Loaded when first asked for: nobody waits for what is not used, and the command line can
# arrange to be stopped before anything large is read.
_MODULES = {
    "compat": "",
    "counts": "JointCounts NotHeldError RankTotals ScoreCounts count_sorted",
    "curves": (
        "Curve ScoreDistributions cap_curve captured_response_curve ks_curve lift_curve "
        "local_lift_curve lorenz_curve perfect_cap precision_recall_curve profit_curve "
        "random_cap roc_curve score_distributions"
    ),
    "doors": "count_joint count_scores count_segments",
    "metrics": (
        "KS AccuracyRatioBounds KSPlace accuracy_ratio accuracy_ratio_bounds "
        "bayesian_error_rate captured_between captured_response "
        "conditional_information_entropy_ratio gini information_value kendall_tau_b ks "
        "lift local_lift partial_auc pietra_index precision prevalence roc_auc somers_d "
        "tie_mass"
    ),
    "evaluation": "Evaluation evaluate",
    "files": "Files",
    "inference": (
        "Band Comparison Interval SampleSize Test cap_band compare compare_independent "
        "confidence_interval difference_band discrimination_test heterogeneity_test "
        "ks_test null_band power rate_interval rate_table sample_size simulate_random_cap "
        "test_against_initial"
    ),
    "plots": (
        "plot_cap plot_captured_response plot_ks plot_lift plot_precision_recall "
        "plot_profit plot_roc plot_score_distributions"
    ),
    "summary": "Finding Summary Verdict summarize",
    "tables": (
        "OperatingPoint Table best_thresholds gains_table operating_point reading "
        "step_table threshold_table"
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES])
