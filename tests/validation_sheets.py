"""A validation sheet with tests, lights, tables and charts of real counts, as tests need it."""

import numpy as np

import capcurve as cap
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, ScoreTicks, Style
from capcurve.show.presentation import Finding
from capcurve.studies.validation.given import Input
from capcurve.studies.validation.judgement import SheetTest, lit, read_limits
from capcurve.studies.validation.sections import Section
from capcurve.studies.validation.sheet import ValidationSheet

LIMITS = {
    "accuracy_ratio": {"green": 0.45, "red": 0.35},
    "drop": {"green": 0.05, "red": 0.10},
    "psi": {"green": 0.10, "red": 0.25},
    "effective_grades": {"green": 6, "red": 4},
    "override_rate": {"green": 0.05, "red": 0.10},
    "grades": {
        "monotone": {"green": 0.05, "red": 0.01},
        "reversed": {"green": 0.05, "red": 0.01},
        "neighbours": {"green": 0.05, "red": 0.10},
    },
    "migration.upper": {"green": 0.10, "red": 0.20, "by": "estimate"},
    "challenger": {"gbm": {"green": -0.02, "red": -0.05}},
    "unknown.accuracy_ratio": {"green": 0.35, "red": 0.25},
}
# Of each test: estimate, low, high, p-value, adjusted p-value.
NUMBERS = {
    "discrimination.accuracy_ratio": (0.486, 0.451, 0.521),
    "discrimination.roc_auc": (0.743, 0.7255, 0.7605),
    "discrimination.ks": (0.371,),
    "initial.drop": (0.069, 0.021, 0.117, 0.005),
    "initial.ecb": (-0.0345, None, -0.012, 0.006),
    "monitoring.chart": (0.62,),
    "grades.neighbours": (None, None, None, 0.21),
    "grades.reversed": (None, None, None, 0.4, 1.0),
    "grades.monotone": (None, None, None, 0.73),
    "homogeneity.grades": (None, None, None, 0.031),
    "segments.accuracy_ratio": (0.081, None, None, 0.22),
    "stability.psi": (float("inf"), 0.09, 0.16, 0.0004),
    "stability.psi_positives": (0.041, 0.0, 0.13, 0.41),
    "stability.psi_negatives": (0.118, 0.08, 0.15, 0.0004),
    "concentration.effective_grades": (7.31,),
    "concentration.change": (0.012, None, None, 0.34),
    "migration.upper": (0.231,),
    "migration.lower": (None,),
    "migration.unchanged": (0.713, 0.702, 0.724),
    "overrides.rate": (0.041, 0.037, 0.045),
    "overrides.up": (0.012, 0.010, 0.014),
    "overrides.down": (0.029, 0.026, 0.032),
    "overrides.ranking": (0.008, -0.004, 0.02, 0.19),
    "challenger.gbm": (-0.031, -0.052, -0.01, 0.004, 0.008),
    "power.detectable_drop": (0.055,),
    "unknown.accuracy_ratio": (0.486, 0.375, 0.504),
}
ONE_SIDED = {
    "initial.drop": "the current one is lower",
    "initial.ecb": "the current one is lower",
    "grades.neighbours": "the riskier grade has the higher rate",
    "grades.reversed": "the riskier grade has the lower rate",
    "grades.monotone": "some rate rises",
    "concentration.change": "concentration has grown",
}
TITLES = {
    4: "Discrimination",
    5: "Against the initial validation",
    6: "Grades",
    8: "Homogeneity and segments",
    9: "Stability, concentration, migration",
    10: "Overrides and challengers",
    11: "Power and unknown outcomes",
}
SUBJECT = {
    "model": "SME rating 4.2",
    "version": "4.2.1",
    "period": "2025-01 to 2025-12",
    "positive": "90 days past due or unlikely to pay within 12 months",
    "validator": "Model validation unit",
}


def counts():
    rng = np.random.default_rng(3)
    grade = rng.integers(1, 11, 4000)
    outcome = rng.random(4000) < 0.002 * 1.5**grade
    return cap.count_scores(outcome, grade)


def cap_chart(found):
    curve = cap.cap_curve(found)
    ratio = cap.accuracy_ratio(found)
    return Chart(
        title="CAP",
        x=Axis("Share of cases selected", whole=1),
        y=Axis("Share of positives captured", whole=1),
        lines=[Line(curve.x, curve.y, f"now  AR {ratio:.3f}", Style(BLUE))],
    )


def trend_chart():
    at = np.arange(12.0)
    value = 0.5 - 0.004 * at
    return Chart(
        title="Accuracy ratio by month",
        x=Axis("", ends=(-0.5, 11.5)),
        y=Axis("Accuracy ratio", "number", from_zero=True),
        lines=[Line(at, value, "accuracy ratio", Style(BLUE))],
        bands=[ChartBand(at, value - 0.08, value + 0.08, "95% interval", BLUE)],
        scores=ScoreTicks(at[::3], [f"2025-{month + 1:02}" for month in range(0, 12, 3)]),
    )


def tests_of(section, limits):
    for test_id, given in NUMBERS.items():
        estimate, low, high, p_value, p_adjusted = (*given, *[None] * (5 - len(given)))
        test = SheetTest.of(
            test_id,
            estimate=estimate,
            low=low,
            high=high,
            level=0.95 if low is not None or high is not None else None,
            statistic=None if p_value is None else 2.5,
            df=9.0 if test_id == "homogeneity.grades" else None,
            p_value=p_value,
            p_adjusted=p_adjusted,
            alternative=None if p_value is None else ONE_SIDED.get(test_id, "two-sided"),
            method="DeLong" if "ratio" in test_id else "exact",
            reference="ECB 2019, 2.5.4" if test_id == "initial.ecb" else "",
            notes=("a bin is empty on one side",) if test_id == "stability.psi" else (),
        )
        if test.section == section:
            yield lit(test, limits)


def sections(limits):
    found = counts()
    charts = {4: (cap_chart(found),), 5: (trend_chart(),)}
    tables = {6: (cap.gains_table(found, bins="score"),)}
    return tuple(
        Section(
            number=number,
            title=title,
            tests=tuple(tests_of(number, limits)),
            sentences=(f"What there is to say about {title.lower()}.",),
            tables=tables.get(number, ()),
            front=charts.get(number, ()),
        )
        for number, title in TITLES.items()
    )


def sheet(*, limits=LIMITS, **changes):
    """Return a sheet of many tests; `changes` are attributes that differ."""
    found, own = counts(), read_limits(limits)
    parts = {
        "subject": SUBJECT,
        "inputs": (
            Input("now", found.digest(), found.n, found.n1, found.n0, tuple(range(10, 0, -1))),
            Input("initial", "ab" * 32, 6000, 410, 5590, None),
            *(Input(f"period 2025-{month:02}", "cd" * 32, 330, 30, 300) for month in range(1, 13)),
        ),
        "sections": sections(own),
        "findings": (
            Finding(
                "psi_infinite",
                "warning",
                "Grade 10 is empty in the initial sample, so the PSI is infinite",
                "read the variant with half a case added to every grade beside it",
            ),
            Finding(
                "few", "info", "12 months have 30 positives each", "do not judge one by itself"
            ),
        ),
        "not_done": (("pooled periods", "pass periods"), ("bounds by segment", "pass partial")),
        "not_covered": ("calibration of PDs", "LGD and CCF", "data quality", "reject inference"),
        "settings": {"bins": 10, "alarms": 0.05},
        "seed": 1,
        "limits": own,
    }
    return ValidationSheet(**parts | changes)
