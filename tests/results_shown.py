"""One result of each kind, and what results say, which `make golden` writes into `golden`."""

import functools
import re

import numpy as np

import capcurve
from capcurve import ScoreCounts

RNG = np.random.default_rng(1)
POSITIVE = RNG.random(300) < 0.3
SCORES = {name: POSITIVE + RNG.normal(size=300).round(1) for name in ("new", "old")}
SCALE = ["C", "B", "A"]


def one_score():
    return capcurve.count_scores(POSITIVE, SCORES["new"])


def jointly():
    return capcurve.count_joint(POSITIVE, SCORES)


def by_region():
    region = np.repeat(["north", "south"], 150)
    return capcurve.count_segments(POSITIVE, SCORES["new"], by=region)


def of_pds():
    return capcurve.count_scores(POSITIVE, np.clip(SCORES["new"] / 6 + 0.3, 0.01, 0.9).round(2))


def graded(*positives):
    return ScoreCounts.from_counts(SCALE, positives, [10, 20, 70], levels=SCALE)


def regraded():
    start, end = np.repeat(SCALE, 10), np.tile(SCALE, 10)
    outcomes = np.arange(30) % 7 == 0
    return capcurve.count_joint(outcomes, {"start": start, "end": end}, levels=SCALE)


def partly_known():
    return capcurve.count_partial([1, 0, None, 1, 0, 0, None], [7, 6, 5, 4, 3, 2, 1])


def rated():
    return capcurve.PartialCounts.from_counts(
        [5, 4, 3, 2], [12, 9, 1, 0], [1, 8, 11, 3], [80, 60, 40, 2]
    )


def of_amounts():
    amounts = np.where(POSITIVE, np.random.default_rng(2).integers(1, 50, 300), 0)
    return capcurve.summarize(capcurve.count_values(amounts, SCORES["new"]))


def in_arms():
    return capcurve.count_uplift(POSITIVE, np.arange(300) % 2, SCORES["new"])


EXAMPLES = {
    "Attribution": lambda: capcurve.attribute_change(by_region(), by_region()),
    "Audit": lambda: capcurve.audit_table({"n": [3, 3], "positives": [2, 1]}),
    "Band": lambda: capcurve.null_band((100, 50)),
    "BandingLoss": lambda: capcurve.banding_loss(one_score(), bins=5),
    "BestShare": lambda: capcurve.best_share(in_arms(), value=5, cost=1),
    "Bounds": lambda: capcurve.unknown_bounds(partly_known()),
    "Calibration": lambda: capcurve.assess_calibration(of_pds()),
    "CertifiedCutoff": lambda: capcurve.certified_cutoff(one_score(), 0.6),
    "Comparison": lambda: capcurve.compare(jointly()),
    "Concentration": lambda: capcurve.grade_concentration(graded(5, 4, 3), graded(3, 3, 3)),
    "ControlChart": lambda: capcurve.control_chart(
        {"2024": one_score()}, one_score(), drop=0.1, limit=2.5
    ),
    "Decomposition": lambda: capcurve.decompose(by_region()),
    "EcbTable": lambda: capcurve.validate(graded(5, 4, 3)).ecb(),
    "Evaluation": lambda: capcurve.evaluate(POSITIVE, SCORES),
    "GeneralisedAUC": lambda: capcurve.generalised_auc([[80, 5], [10, 5]]),
    "GradeHomogeneity": lambda: capcurve.grade_homogeneity_test(
        {"new": graded(5, 4, 3), "old": graded(3, 3, 3)}
    ),
    "GradeScale": lambda: capcurve.design_grades(one_score(), 4),
    "GroupComparison": lambda: capcurve.compare_groups(by_region(), threshold=1.0, by="region"),
    "Interval": lambda: capcurve.confidence_interval(one_score(), "accuracy_ratio"),
    "Migration": lambda: capcurve.migration_table(regraded(), "start", "end"),
    "RateEstimate": lambda: capcurve.estimate_rate(rated(), odds=(0.5, 2)),
    "Recalibration": lambda: capcurve.logistic_recalibration(of_pds()),
    "SampleSize": lambda: capcurve.sample_size(0.7, prevalence=0.5),
    "StabilityByPeriod": lambda: capcurve.population_stability(
        {"2024-01": graded(5, 4, 3), "2024-02": graded(3, 3, 3), "2024-03": graded(1, 0, 9)}
    ),
    "Stability": lambda: capcurve.population_stability(graded(5, 4, 3), graded(3, 3, 3)),
    "SegmentMean": lambda: capcurve.mean_over(by_region(), metric="auc", segments="fixed"),
    "SelectivePrediction": lambda: (
        capcurve.summarize(one_score(), selective=True, max_risk=0.2).selective
    ),
    "Summary": lambda: capcurve.summarize(one_score()),
    "Test": lambda: capcurve.discrimination_test(one_score()),
    "TippingPoint": lambda: capcurve.tipping_point(partly_known(), 0.5),
    "UpliftEvaluation": lambda: capcurve.evaluate(in_arms()),
    "UpliftSummary": lambda: capcurve.evaluate(in_arms()).summaries["score"],
    "ValidationSheet": lambda: capcurve.validate(one_score()),
    "ValueSummary": of_amounts,
}


@functools.cache
def example(name):
    """Return the example of a result, which is made once, as nothing changes it."""
    return EXAMPLES[name]()


def said(name):
    """Return what a result says; the digest of a sheet is of all digits, here and elsewhere."""
    return re.sub(r"(?<=Digest of the sheet: )\w+", "(of all digits)", example(name).to_text())


def in_words(cases):
    """Return what results say beside their tables; a note that was said before is its number."""
    lines, notes = [], {}
    for name, result in cases.items():
        shown = result.presentation()
        lines += ["", f"# {name}", shown.title, *shown.sentences, *shown.remarks]
        lines += [f"({shown.light})"] if shown.light else []
        for figure in shown.figures:
            parts = (figure.label, figure.text, figure.limits, figure.note)
            lines.append("| " + " | ".join(filter(None, parts)))
        lines += [f"{f.severity} {f.code}: {f.message}; {f.advice}" for f in shown.findings]
        for note in shown.notes:
            known = note in notes
            number = notes.setdefault(note, len(notes) + 1)
            lines.append(f"note {number}" if known else f"note {number}: {note}")
    return "\n".join(lines[1:]) + "\n"
