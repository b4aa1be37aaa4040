"""What `import capcurve` offers, by module; each loads when it is first used."""

from . import (
    boosting as boosting,
    compat as compat,
    counts as counts,
    curves as curves,
    datasets as datasets,
    inference as inference,
    input as input,
    metrics as metrics,
    plots as plots,
    results as results,
    show as show,
    sklearn as sklearn,
    sql as sql,
    studies as studies,
    tables as tables,
)
from .counts import (
    CaseCounts as CaseCounts,
    JointCases as JointCases,
    JointCounts as JointCounts,
    JointValues as JointValues,
    MasterScale as MasterScale,
    NotHeldError as NotHeldError,
    OrdinalCounts as OrdinalCounts,
    PartialCounts as PartialCounts,
    Ranking as Ranking,
    RankTotals as RankTotals,
    ScoreCounts as ScoreCounts,
    ValueCounts as ValueCounts,
    ValueSums as ValueSums,
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
from .inference import (
    Band as Band,
    Comparison as Comparison,
    GeneralisedAUC as GeneralisedAUC,
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
    generalised_auc as generalised_auc,
    heterogeneity_test as heterogeneity_test,
    implied_accuracy_ratio as implied_accuracy_ratio,
    ks_test as ks_test,
    monotonicity_test as monotonicity_test,
    null_band as null_band,
    power as power,
    rate_interval as rate_interval,
    rate_table as rate_table,
    roc_band as roc_band,
    sample_size as sample_size,
    simulate_random_cap as simulate_random_cap,
    test_against_initial as test_against_initial,
)
from .input import (
    count_cases as count_cases,
    count_classes as count_classes,
    count_joint as count_joint,
    count_joint_cases as count_joint_cases,
    count_joint_values as count_joint_values,
    count_partial as count_partial,
    count_scores as count_scores,
    count_segments as count_segments,
    count_value_segments as count_value_segments,
    count_values as count_values,
)
from .input.files import (
    Files as Files,
)
from .input.scales import (
    master_scale as master_scale,
)
from .metrics import (
    KS as KS,
    AccuracyRatioBounds as AccuracyRatioBounds,
    KSPlace as KSPlace,
    accuracy_ratio as accuracy_ratio,
    accuracy_ratio_bounds as accuracy_ratio_bounds,
    average_precision as average_precision,
    bayesian_error_rate as bayesian_error_rate,
    captured_between as captured_between,
    captured_response as captured_response,
    concentration_index as concentration_index,
    conditional_information_entropy_ratio as conditional_information_entropy_ratio,
    false_positive_rate as false_positive_rate,
    gini as gini,
    information_value as information_value,
    kendall_tau_b as kendall_tau_b,
    ks as ks,
    lift as lift,
    local_lift as local_lift,
    mean_amount as mean_amount,
    partial_auc as partial_auc,
    pietra_index as pietra_index,
    precision as precision,
    prevalence as prevalence,
    roc_auc as roc_auc,
    somers_d as somers_d,
    specificity as specificity,
    tie_mass as tie_mass,
)
from .plots import (
    plot_cap as plot_cap,
    plot_captured_response as plot_captured_response,
    plot_ks as plot_ks,
    plot_lift as plot_lift,
    plot_lorenz as plot_lorenz,
    plot_mean_amount as plot_mean_amount,
    plot_precision_recall as plot_precision_recall,
    plot_profit as plot_profit,
    plot_roc as plot_roc,
    plot_score_distributions as plot_score_distributions,
)
from .results import (
    Finding as Finding,
    Summary as Summary,
    ValueSummary as ValueSummary,
    Verdict as Verdict,
    summarize as summarize,
)
from .show.table import (
    Table as Table,
)
from .studies import (
    audit as audit,
    change as change,
    evaluation as evaluation,
    grades as grades,
    monitoring as monitoring,
    unknown as unknown,
    validation as validation,
)
from .studies.audit import (
    Audit as Audit,
    BandingLoss as BandingLoss,
    Claim as Claim,
    Range as Range,
    audit_table as audit_table,
    banding_loss as banding_loss,
)
from .studies.change import (
    Attribution as Attribution,
    Decomposition as Decomposition,
    attribute_change as attribute_change,
    decompose as decompose,
)
from .studies.evaluation import (
    Evaluation as Evaluation,
    evaluate as evaluate,
)
from .studies.grades import (
    Concentration as Concentration,
    GradeHomogeneity as GradeHomogeneity,
    Migration as Migration,
    Stability as Stability,
    adjacent_grades as adjacent_grades,
    grade_concentration as grade_concentration,
    grade_homogeneity_test as grade_homogeneity_test,
    migration_table as migration_table,
    pool_periods as pool_periods,
    population_stability as population_stability,
    psi as psi,
)
from .studies.monitoring import ControlChart as ControlChart, control_chart as control_chart
from .studies.unknown import (
    Assumptions as Assumptions,
    Bounds as Bounds,
    TippingPoint as TippingPoint,
    tipping_point as tipping_point,
    unknown_bounds as unknown_bounds,
)
from .studies.validation import ValidationSheet as ValidationSheet, validate as validate
from .tables import (
    OperatingPoint as OperatingPoint,
    ValuePoint as ValuePoint,
    best_thresholds as best_thresholds,
    gains_table as gains_table,
    operating_point as operating_point,
    reading as reading,
    step_table as step_table,
    threshold_table as threshold_table,
)
from .version import __version__ as __version__
