"""What `import capcurve` offers, by module; each loads when it is first used."""

from . import (
    boosting as boosting,
    compat as compat,
    counts as counts,
    curves as curves,
    evaluation as evaluation,
    inference as inference,
    input as input,
    metrics as metrics,
    plots as plots,
    sklearn as sklearn,
    summary as summary,
    tables as tables,
)
from .counts import (
    JointCounts as JointCounts,
    NotHeldError as NotHeldError,
    Ranking as Ranking,
    RankTotals as RankTotals,
    ScoreCounts as ScoreCounts,
    count_sorted as count_sorted,
)
from .curves import (
    Curve as Curve,
    ScoreDistributions as ScoreDistributions,
    cap_curve as cap_curve,
    captured_response_curve as captured_response_curve,
    ks_curve as ks_curve,
    lift_curve as lift_curve,
    local_lift_curve as local_lift_curve,
    lorenz_curve as lorenz_curve,
    perfect_cap as perfect_cap,
    precision_recall_curve as precision_recall_curve,
    profit_curve as profit_curve,
    random_cap as random_cap,
    roc_curve as roc_curve,
    score_distributions as score_distributions,
)
from .evaluation import (
    Evaluation as Evaluation,
    evaluate as evaluate,
)
from .inference import (
    Band as Band,
    Comparison as Comparison,
    Interval as Interval,
    SampleSize as SampleSize,
    Test as Test,
    cap_band as cap_band,
    compare as compare,
    compare_independent as compare_independent,
    confidence_interval as confidence_interval,
    detectable_drop as detectable_drop,
    difference_band as difference_band,
    discrimination_test as discrimination_test,
    heterogeneity_test as heterogeneity_test,
    ks_test as ks_test,
    monotonicity_test as monotonicity_test,
    null_band as null_band,
    power as power,
    rate_interval as rate_interval,
    rate_table as rate_table,
    sample_size as sample_size,
    simulate_random_cap as simulate_random_cap,
    test_against_initial as test_against_initial,
)
from .input import (
    count_joint as count_joint,
    count_scores as count_scores,
    count_segments as count_segments,
)
from .input.files import (
    Files as Files,
)
from .metrics import (
    KS as KS,
    AccuracyRatioBounds as AccuracyRatioBounds,
    KSPlace as KSPlace,
    accuracy_ratio as accuracy_ratio,
    accuracy_ratio_bounds as accuracy_ratio_bounds,
    bayesian_error_rate as bayesian_error_rate,
    captured_between as captured_between,
    captured_response as captured_response,
    conditional_information_entropy_ratio as conditional_information_entropy_ratio,
    gini as gini,
    information_value as information_value,
    kendall_tau_b as kendall_tau_b,
    ks as ks,
    lift as lift,
    local_lift as local_lift,
    partial_auc as partial_auc,
    pietra_index as pietra_index,
    precision as precision,
    prevalence as prevalence,
    roc_auc as roc_auc,
    somers_d as somers_d,
    tie_mass as tie_mass,
)
from .plots import (
    plot_cap as plot_cap,
    plot_captured_response as plot_captured_response,
    plot_ks as plot_ks,
    plot_lift as plot_lift,
    plot_precision_recall as plot_precision_recall,
    plot_profit as plot_profit,
    plot_roc as plot_roc,
    plot_score_distributions as plot_score_distributions,
)
from .summary import (
    Finding as Finding,
    Summary as Summary,
    Verdict as Verdict,
    summarize as summarize,
)
from .tables import (
    OperatingPoint as OperatingPoint,
    Table as Table,
    best_thresholds as best_thresholds,
    gains_table as gains_table,
    operating_point as operating_point,
    reading as reading,
    step_table as step_table,
    threshold_table as threshold_table,
)
from .version import __version__ as __version__
