"""The types of the public face, as a user's type checker sees them; checked, never run."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import capcurve as cap

counts = cap.count_scores([1, 0], [0.2, 0.1])
assert_type(counts, cap.ScoreCounts)
assert_type(cap.count_scores("y", "p", data={"y": [1, 0], "p": [2, 1]}), cap.ScoreCounts)
held = cap.count_scores("y", "p", data="p.csv", missing="drop")
assert_type(held, cap.Ranking)
assert_type(cap.count_scores("y", "p", data="p.csv", resolution=1e-4), cap.ScoreCounts)
limited = cap.count_scores("y", "p", data="p.csv", resolution=1e-4, memory_limit="1GB")
assert_type(limited, cap.Ranking)
assert_type(cap.ks(held), cap.KS)
assert_type(cap.best_thresholds(held), tuple[cap.OperatingPoint, ...])
assert_type(cap.summarize(held), cap.Summary)
assert_type(held.n1, Any)
cap.ScoreCounts.merge([held])  # type: ignore[list-item]  # totals do not add
assert_type(cap.ScoreCounts.merge([counts, counts]), cap.ScoreCounts)
assert_type(counts + counts, cap.ScoreCounts)
assert_type(cap.count_segments("y", "p", data="p.csv", by="month"), cap.SegmentCounts)
joint = cap.count_joint("y", ["a", "b"], data="p.csv")
assert_type(joint.margin("a"), cap.ScoreCounts)
assert_type(joint + joint, cap.JointCounts)
assert_type(cap.JointCounts.merge([joint]), cap.JointCounts)
assert_type(joint.joined({"a": [1, 2]}), cap.JointCounts)
assert_type(counts.joined([1, 2]), cap.ScoreCounts)
assert_type(cap.inference.cap_band(counts), cap.Band)
assert_type(cap.sklearn.ks_score([1, 0], [0.2, 0.1]), float)
display = cap.sklearn.CAPCurveDisplay.from_counts(counts, despine=True)
assert_type(display, cap.sklearn.CAPCurveDisplay)
assert_type(display.plot(curve_kwargs={"color": "red"}), cap.sklearn.CAPCurveDisplay)
cap.sklearn.KSDisplay.from_counts(counts, drop=True)  # type: ignore[call-arg]
assert_type(cap.boosting.lightgbm_metric("ks")([1, 0], [2, 1]), tuple[str, float, bool])
cap.boosting.CatBoostMetric("auc")  # type: ignore[arg-type]
assert_type(cap.compat.capcurve([1, 0], [0.2, 0.1]).get_title(), str)

assert_type(cap.accuracy_ratio(counts), float)
assert_type(cap.gini(counts), float)
assert_type(cap.ks(counts), cap.KS)
assert_type(cap.ks(counts).statistic, float)
assert_type(cap.captured_response(counts, 0.1, of="negatives"), float)

losses = cap.count_classes("realised", "estimated", data="p.csv", classes=[0.1, 0.5])
assert_type(losses + losses, cap.OrdinalCounts)
assert_type(losses.table, NDArray[np.int64])
assert_type(cap.generalised_auc(losses, given="target"), cap.GeneralisedAUC)
assert_type(cap.generalised_auc([[80, 5], [10, 5]]).test(0.8), cap.Test)
assert_type(cap.somers_d(losses), float)
assert_type(cap.implied_accuracy_ratio(counts, pd=[0.1], calibration="stated"), cap.Test)
cap.implied_accuracy_ratio(counts, calibration="none")  # type: ignore[call-overload]  # must be refused
cap.generalised_auc(losses, given="outcome")  # type: ignore[call-overload]  # must be refused

moved = cap.migration_table(cap.count_joint("y", ["a", "b"], data="p.csv"), "a", "b")
assert_type(moved, cap.Migration)
assert_type(moved.up, cap.Interval | None)
assert_type(cap.pool_periods({2024: cap.count_scores([1, 0], [2, 1])}), cap.ScoreCounts)

cases = cap.count_cases("p", data="p.csv")
assert_type(cases + counts.cases, cap.CaseCounts)
assert_type(cases.score, NDArray[Any])
assert_type(cap.count_joint_cases(["a", "b"], data="p.csv").margin("a"), cap.CaseCounts)
assert_type(joint.cases, cap.JointCases)
partial = cap.count_partial("y", "p", data="p.csv", unknown_label="open")
assert_type(partial + partial, cap.PartialCounts)
assert_type(partial.completed("worst"), cap.ScoreCounts)
assert_type(cap.unknown_bounds(partial), cap.Bounds)
assert_type(cap.estimate_rate(partial, labelled="by score", of="cases"), cap.RateEstimate)
assert_type(cap.estimate_rate({"a": partial}, odds=(0.5, 2)), cap.RateEstimate)
assert_type(cap.confidence_interval(partial, "auc", labelled="at random"), cap.Interval)
assert_type(cap.kappa(counts, threshold=4), float)
cap.estimate_rate(partial, labelled="by hand")  # type: ignore[call-overload]  # must be refused
cap.PartialCounts(counts, counts)  # type: ignore[arg-type]  # must be refused

values = cap.count_values([9, 0], [0.2, 0.1], exposure=[1, 0.5])
assert_type(values, cap.ValueCounts)
assert_type(values + values, cap.ValueCounts)
held_values = cap.count_values("claims", "pd", data="p.csv", exposure="years")
assert_type(held_values, cap.ValueCounts | cap.ValueSums)
parts = cap.count_value_segments("claims", "pd", data="p.csv", by="month")
assert_type(parts, cap.SegmentCounts)
joint_values = cap.count_joint_values("claims", ["a", "b"], data="p.csv")
assert_type(joint_values.margin("a"), cap.ValueCounts)

curve = cap.cap_curve(counts, prevalence=0.02)
assert_type(curve, cap.Curve)
assert_type(curve.at(0.5), float)
assert_type(curve.x, NDArray[np.float64])
assert_type(curve.area, float)

assert_type(cap.gains_table(counts, bins=[0.5, 0.2]), cap.Table)
assert_type(cap.operating_point(counts, captured=0.8), cap.OperatingPoint)
best = cap.best_thresholds(counts, "cost", cost_fn=5, cost_fp=1)
assert_type(best, tuple[cap.OperatingPoint, ...])
assert_type(cap.reading((0.4, 0.6)), str)

assert_type(cap.summarize(counts), cap.Summary)
assert_type(cap.summarize(counts).findings, tuple[cap.Finding, ...])
evaluation = cap.evaluate("y", ["a", "b"], data="p.csv", by="month")
assert_type(evaluation, cap.Evaluation)
assert_type(cap.evaluate("y", "a", "p.csv", treatment="t"), cap.UpliftEvaluation)
assert_type(cap.evaluate(cap.count_uplift([1], [1], [2])), cap.UpliftEvaluation)
assert_type(evaluation.to_dict(), dict[str, Any])

partial = cap.count_partial([1, None], [2, 1])
assert_type(partial.completed("worst"), cap.ScoreCounts)
assert_type(cap.unknown_bounds(partial, positives=(0, 1)), cap.Bounds)
assert_type(cap.tipping_point(partial, 0.3), cap.TippingPoint)

cap.captured_response(counts, 0.1, of="bads")  # type: ignore[call-overload]  # must be refused
cap.count_scores([1], [2], higher_is="up")  # type: ignore[call-overload]  # must be refused

# Columns, or with data= their names, in place of counts.
y, p, ages = np.array([1, 0]), [0.2, 0.1], (20, 30)
assert_type(cap.accuracy_ratio(y, p), float)
assert_type(cap.gini("y", "p", data="p.csv"), float)
assert_type(cap.accuracy_ratio(y, p, exposure=ages), float)
assert_type(cap.accuracy_ratio(evaluation), float)
assert_type(cap.accuracy_ratio(counts=counts), float)
assert_type(cap.captured_response(y, p, 0.1, of="negatives"), float)
assert_type(cap.captured_response("y", "p", 0.1, data="p.csv", missing="drop"), float)
assert_type(cap.ks(y, p, higher_is="negative"), cap.KS)
assert_type(cap.confidence_interval(y, p, "ar", cluster=ages), cap.Interval)
assert_type(cap.cap_curve(y, p, pos_label=1), cap.Curve)
assert_type(cap.gains_table(y, p, bins=5), cap.Table)
assert_type(cap.summarize(y, p), cap.Summary)
assert_type(cap.summarize("y", "p", data="p.csv", level=0.9), cap.Summary)
assert_type(cap.best_thresholds(y, p, "closest"), tuple[cap.OperatingPoint, ...])
scores = {"a": p, "b": ages}
assert_type(cap.best_thresholds(y, scores), dict[str, tuple[cap.OperatingPoint, ...]])
paid = cap.best_thresholds(y, scores, "profit", value=3, cost=1, exposure=ages)
assert_type(paid, dict[str, tuple[cap.ValuePoint, ...]])
listed = cap.best_thresholds("y", ["a", "b"], "closest", data="p.csv")
assert_type(listed, dict[str, tuple[cap.OperatingPoint, ...]])
by_segment = cap.best_thresholds(cap.count_segments("y", "p", data="p.csv", by="month"))
assert_type(by_segment, dict[Any, tuple[cap.OperatingPoint, ...]])
assert_type(cap.best_thresholds({"a": values}), dict[Any, tuple[cap.ValuePoint, ...]])
assert_type(cap.operating_point("y", "p", q=0.1, data="p.csv"), cap.OperatingPoint)
assert_type(cap.compare(y, [p, ages]), cap.Comparison)
assert_type(cap.compare("y", ["a", "b"], data="p.csv"), cap.Comparison)
assert_type(cap.compare("y", ["a", "b"], data="p.csv", by="query"), cap.Comparison)
assert_type(cap.mean_over(y, p, by=["a", "b"], metric="recall@10"), cap.SegmentMean)
assert_type(cap.heterogeneity_test(y, p, by=["a", "b"]), cap.Test)
assert_type(cap.migration_table("a", "b", data="p.csv"), cap.Migration)
assert_type(cap.psi([1, 2], [2, 2], bins="score"), cap.Stability)
assert_type(cap.psi("p", data="p.csv", by="month"), cap.StabilityByPeriod)
by_month = cap.count_case_segments("p", data="p.csv", by="month", missing="bin")
assert_type(cap.psi(by_month, reference="2024-06"), cap.StabilityByPeriod)
assert_type(cap.psi(cases, cases), cap.Stability)
assert_type(cap.unknown_bounds("y", "p", data="p.csv"), cap.Bounds)
assert_type(cap.estimate_rate("y", "p", data="p.csv"), cap.RateEstimate)
assert_type(cap.kappa(y, p, threshold=0.5), float)
assert_type(cap.plot_cap(y, {"a": p, "b": ages}, linewidth=3).get_title(), str)
assert_type(cap.plot_cap(counts=counts, linewidth=3).get_title(), str)
assert_type(cap.plot_roc(evaluation, best="youden").get_title(), str)

cap.accuracy_ratio(y)  # type: ignore[call-overload]  # must be refused, as all below
cap.accuracy_ratio(y, 0.1)  # type: ignore[call-overload]
cap.accuracy_ratio(counts, counts)  # type: ignore[call-overload]
cap.captured_response(y, p, 0.1, of="bads")  # type: ignore[call-overload]
cap.captured_response(counts, 0.1, 0.2)  # type: ignore[call-overload]
cap.ks(y, p, higher_is="up")  # type: ignore[call-overload]
cap.ks(y, p, cut=3)  # type: ignore[call-overload]
cap.heterogeneity_test(y, p)  # type: ignore[call-overload]
cap.best_thresholds(y, p, "best")  # type: ignore[call-overload]
cap.summarize(y, p, level="high")  # type: ignore[call-overload]
cap.plot_cap(y)  # type: ignore[call-overload]
cap.plot_cap(counts, q="a")  # type: ignore[arg-type]
