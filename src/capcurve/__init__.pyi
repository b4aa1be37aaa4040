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
from .counts import *
from .curves import *
from .inference import (
    Band as Band,
    BestShare as BestShare,
    CertifiedCutoff as CertifiedCutoff,
    Comparison as Comparison,
    GeneralisedAUC as GeneralisedAUC,
    Interval as Interval,
    Recalibration as Recalibration,
    SampleSize as SampleSize,
    Test as Test,
    balance_test as balance_test,
    best_share as best_share,
    calibration_table as calibration_table,
    calibration_test as calibration_test,
    cap_band as cap_band,
    censoring_test as censoring_test,
    certified_cutoff as certified_cutoff,
    compare as compare,
    compare_independent as compare_independent,
    confidence_interval as confidence_interval,
    decision_curve as decision_curve,
    detectable_drop as detectable_drop,
    difference_band as difference_band,
    discrimination_test as discrimination_test,
    generalised_auc as generalised_auc,
    heterogeneity_test as heterogeneity_test,
    horizon_table as horizon_table,
    implied_accuracy_ratio as implied_accuracy_ratio,
    integrated_accuracy_ratio as integrated_accuracy_ratio,
    ks_test as ks_test,
    logistic_recalibration as logistic_recalibration,
    monotonicity_test as monotonicity_test,
    null_band as null_band,
    pd_tests as pd_tests,
    power as power,
    qini_test as qini_test,
    rate_interval as rate_interval,
    rate_table as rate_table,
    roc_band as roc_band,
    sample_size as sample_size,
    simulate_random_cap as simulate_random_cap,
    test_against_initial as test_against_initial,
    uplift_table as uplift_table,
)
from .input import *
from .input.files import (
    Files as Files,
)
from .input.scales import (
    master_scale as master_scale,
)
from .metrics import *
from .plots import *
from .results import *
from .results.groups import (
    GroupComparison as GroupComparison,
    compare_groups as compare_groups,
)
from .results.means import (
    SegmentMean as SegmentMean,
    mean_over as mean_over,
)
from .results.segments import (
    segment_table as segment_table,
)
from .results.trials import (
    UpliftEvaluation as UpliftEvaluation,
    UpliftSummary as UpliftSummary,
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
from .studies.audit import *
from .studies.change import *
from .studies.evaluation import (
    Evaluation as Evaluation,
    evaluate as evaluate,
)
from .studies.grades import *
from .studies.monitoring import ControlChart as ControlChart, control_chart as control_chart
from .studies.unknown import *
from .studies.validation import (
    EcbTable as EcbTable,
    ValidationSheet as ValidationSheet,
    ecb_lgd as ecb_lgd,
    validate as validate,
)
from .tables import *
from .version import __version__ as __version__
