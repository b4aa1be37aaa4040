"""What a validation sheet holds: its tests with their limits and lights, inputs and sections."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.show.chart import Chart
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table

Light = Literal["green", "amber", "red", "grey"]
Better = Literal["higher", "lower"]
By = Literal["limit", "estimate", "p_value"]
Form = Literal["ratio", "share", "number"]

CHALLENGER = "challenger."
# Between which values numbers lie: ratios, shares, differences of ratios, and all others.
RATIO, SHARE, DIFFERENCE = (-1.0, 1.0), (0.0, 1.0), (-2.0, 2.0)
ANY, GRADES = (0.0, math.inf), (1.0, math.inf)


@dataclass(frozen=True, slots=True)
class Kind:
    """What is the same of a test in every sheet."""

    section: int  # number of the section in which it stands
    name: str  # what the test is called
    better: Better  # whether a higher or a lower value of the judged number is better
    by_p: bool = False  # whether the number that limits judge is the p-value, and not the estimate
    ends: tuple[float, float] = RATIO  # between which values the estimate lies
    # How the estimate is written: "ratio" with three decimals, "share" in percent, "number" with
    # two decimals.
    form: Form = "ratio"


# In the order of the sheet. Of p-values, "higher" is better where a low one shows a fault.
KINDS: Mapping[str, Kind] = {
    "discrimination.accuracy_ratio": Kind(4, "Accuracy ratio", "higher"),
    "discrimination.roc_auc": Kind(4, "ROC AUC", "higher", ends=SHARE),
    "discrimination.ks": Kind(4, "KS", "higher", ends=SHARE),
    "initial.drop": Kind(5, "Fall of AR since the initial sample", "lower", ends=DIFFERENCE),
    "initial.ecb": Kind(5, "Fall of AUC since the initial, ECB 2.5.4", "higher", by_p=True),
    "monitoring.chart": Kind(
        5, "Control chart: highest C over limit", "lower", ends=ANY, form="number"
    ),
    "grades.neighbours": Kind(6, "All neighbouring grades differ (low p good)", "lower", by_p=True),
    "grades.reversed": Kind(6, "No neighbouring grades reversed", "higher", by_p=True),
    "grades.monotone": Kind(6, "Rates fall with better grades", "higher", by_p=True),
    "homogeneity.grades": Kind(7, "Homogeneity within grades", "higher", by_p=True),
    "segments.accuracy_ratio": Kind(7, "AR alike in all segments", "higher", by_p=True),
    "stability.psi": Kind(8, "PSI of all cases", "lower", ends=ANY),
    "stability.psi_positives": Kind(8, "PSI of positives", "lower", ends=ANY),
    "stability.psi_negatives": Kind(8, "PSI of negatives", "lower", ends=ANY),
    "concentration.effective_grades": Kind(
        8, "Effective number of grades", "higher", ends=GRADES, form="number"
    ),
    "concentration.change": Kind(8, "Concentration has not grown", "higher", by_p=True),
    "migration.upper": Kind(8, "Migration, upper MWB", "lower", ends=SHARE),
    "migration.lower": Kind(8, "Migration, lower MWB", "lower", ends=SHARE),
    "migration.unchanged": Kind(
        8, "Share that keeps its grade", "higher", ends=SHARE, form="share"
    ),
    "overrides.rate": Kind(9, "Overrides", "lower", ends=SHARE, form="share"),
    "overrides.up": Kind(9, "Overrides to a better grade", "lower", ends=SHARE, form="share"),
    "overrides.down": Kind(9, "Overrides to a worse grade", "lower", ends=SHARE, form="share"),
    "overrides.ranking": Kind(9, "Change of AR by overrides", "higher", ends=DIFFERENCE),
    "power.detectable_drop": Kind(10, "Detectable fall of AR", "lower", ends=DIFFERENCE),
    "unknown.accuracy_ratio": Kind(10, "AR with unknown outcomes", "higher"),
}


def kind_of(test_id: str) -> Kind | None:
    """Return what is known of a test of this id, or None where there is no such test.

    Examples
    --------
    >>> kind_of("stability.psi").better, kind_of("challenger.gbm").name, kind_of("psi")
    ('lower', 'AR less that of gbm', None)
    """
    name = test_id.removeprefix(CHALLENGER)
    if name and name != test_id:
        return Kind(9, f"AR less that of {name}", "higher", ends=DIFFERENCE)
    return KINDS.get(test_id)


@dataclass(frozen=True, slots=True)
class TestLimits:
    """The limits that a user sets for a test.

    Attributes
    ----------
    green, red
        Where the judged number is good, and from where on it is bad.
    by
        "limit" judges the confidence limits, "estimate" the number itself, "p_value" the p-value.
    """

    __test__: ClassVar[bool] = False  # pytest would take the class for a test

    green: float
    red: float
    by: By = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetTest:
    """One test of the sheet.

    Attributes
    ----------
    id
        A stable name, such as "grades.monotone".
    section
        Number of the section in which it stands.
    name
        What the test is called.
    estimate, low, high, level
        The number, its confidence limits and their level; None where there is none.
    statistic, df, p_value, p_adjusted
        The test statistic, its degrees of freedom, the p-value, and the p-value adjusted for
        several comparisons; None where there is none.
    alternative
        What the p-value looks for: "two-sided", or in words the one direction that it asks about;
        None without a p-value. It does not speak of the confidence limits, which are two-sided
        unless `method` says otherwise.
    method
        How it was found.
    reference
        What it is compared with, or the source of the formula.
    limits, light
        The user's limits and what follows from them; None without limits.
    notes
        What a reader must know.
    better
        Whether a higher or a lower value of the judged number is better; None where no limit
        makes sense.
    by_p
        Whether the number that limits judge is the p-value, and not the estimate.
    """

    id: str
    section: int
    name: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    statistic: float | None = None
    df: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    alternative: str | None = None
    method: str = ""
    reference: str = ""
    limits: TestLimits | None = None
    light: Light | None = None
    notes: tuple[str, ...] = ()
    better: Better | None = None
    by_p: bool = False

    @property
    def one_sided(self) -> bool:
        """Whether the p-value asks about one direction alone."""
        return self.p_value is not None and self.alternative not in {None, "two-sided"}

    @classmethod
    def of(cls, test_id: str, **numbers: Any) -> SheetTest:
        """Return a test of a known id, with the section, name and direction of its kind.

        Examples
        --------
        >>> SheetTest.of("stability.psi", estimate=0.04).section
        8
        """
        kind = kind_of(test_id)
        if kind is None:
            raise ValueError(f"there is no test {test_id!r} in the sheet")
        known = {"section": kind.section, "name": kind.name}
        return cls(id=test_id, **{**known, "better": kind.better, "by_p": kind.by_p, **numbers})


@dataclass(frozen=True, slots=True)
class Input:
    """Counts that the sheet was made from.

    Attributes
    ----------
    role
        What they were used as: "now", "initial", "period 2026-01" and so on.
    digest
        Fingerprint of the counts; None of a plain number.
    n, n1, n0
        Cases, positives and negatives; None where unknown.
    levels
        The grades in order, or None for numbers.
    """

    role: str
    digest: str | None
    n: float | None = None
    n1: float | None = None
    n0: float | None = None
    levels: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the sheet.

    Attributes
    ----------
    number, title
        Its place and heading.
    tests
        Its tests in order.
    sentences
        What it says in words.
    tables, charts
        What stands on the pages behind the first.
    front
        The charts, small, on the first page.
    """

    number: int
    title: str
    tests: tuple[SheetTest, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    sentences: tuple[str, ...] = ()
    front: tuple[Chart, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Sheet:
    """All that a validation sheet says; `ValidationSheet` says what each attribute is."""

    subject: Mapping[str, str]
    inputs: tuple[Input, ...]
    sections: tuple[Section, ...]
    findings: tuple[Finding, ...] = ()
    not_done: tuple[tuple[str, str], ...] = ()
    not_covered: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95
    seed: int | None = None
    limits: Mapping[str, TestLimits] = field(default_factory=dict)
