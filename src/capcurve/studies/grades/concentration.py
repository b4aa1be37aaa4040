"""grade_concentration: over how many grades a portfolio is spread, and whether that changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import Amounts, CaseCounts, ScoreCounts, ValueSums
from capcurve.gate.given import as_ranked, counts_alike, is_amounts
from capcurve.gate.taking import GRADES, of_two_columns
from capcurve.inference.records import Confidence
from capcurve.numbers.arguments import arg
from capcurve.show.chart import Chart, ScoreTicks
from capcurve.show.columns import formed
from capcurve.show.format import chance_text, counted, number, plain_names
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column
from capcurve.studies.grades.scales import GRADES_OF_CLUSTERS, cases_of, on_one_scale, shares_of
from capcurve.studies.grades.stability import cells_of_class, chart_of_shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capcurve.numbers.types import Array, Floats

SCALE_OF_GRADES_SEEN = (
    "the scale is taken to be the grades seen; count with {} to include those without cases"
)
NOT_CASES = "shares are of an amount or of weighted rows, so there are no intervals and no p-value"
GRADES_ARE_THE_SAMPLE = (
    "the ECB's p-value treats the {} grades as the sample, however many cases they contain; use "
    "the p-value of the rise, which is based on the cases"
)
# A bar of one of two samples, where grades stand one apart.
SAMPLE_BAR = 0.4
INDICES = {
    "hhi": "Herfindahl-Hirschman index",
    "cv": "coefficient of variation",
    "herfindahl_index": "the ECB's index",
}
EQUAL_SHARES = "every grade has the same share, so that the ECB's p-value is 0/0"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Concentration(Result):
    """The concentration of a portfolio over its grades, now and at the initial validation.

    Attributes
    ----------
    grades
        Grades of the scale, those without cases included where `levels` are known.
    hhi
        Herfindahl-Hirschman index, the sum of the squared shares.
    effective_grades
        1/HHI: so many grades of equal size are as concentrated.
    effective_low, effective_high, level
        Two-sided limits of `effective_grades` and their confidence level; None without cases.
    cv
        Coefficient of variation of the shares: CV² = K·HHI - 1.
    herfindahl_index
        The ECB's 1 + ln(HHI)/ln(K), 0 for equal shares and 1 for one grade; None for one grade.
    initial_hhi, initial_effective_grades, initial_cv, initial_herfindahl_index
        The same of the initial sample, or None.
    ecb_p
        The ECB's p-value that concentration rose; None without an initial sample or for CV = 0.
    statistic, p_value
        The rise of HHI, each without the bias of its sample, over its standard error under
        multinomial sampling of both samples, and how often chance alone reaches it; None where
        there is no initial sample, one case in a sample, or no spread.
    table
        A row per grade: cases and their share, and those of the initial sample.
    notes
        What a reader must know.
    """

    _schema_version = None
    _added = ()
    _as_rows = frozenset({"table"})

    grades: int
    hhi: float
    effective_grades: float
    effective_low: float | None
    effective_high: float | None
    level: float
    cv: float
    herfindahl_index: float | None
    initial_hhi: float | None = None
    initial_effective_grades: float | None = None
    initial_cv: float | None = None
    initial_herfindahl_index: float | None = None
    ecb_p: float | None = None
    statistic: float | None = None
    p_value: float | None = None
    table: Table = field(repr=False, compare=False)
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the concentration shows: how many equal grades it is like, and the shares."""
        even = f"{number(self.effective_grades, 2)} of its {counted(self.grades, 'grade')}"
        hhi = f"HHI {number(self.hhi)}"
        said = [f"The portfolio is as concentrated as one spread evenly over {even} ({hhi})."]
        if self.initial_hhi is not None and self.initial_effective_grades is not None:
            before = number(self.initial_effective_grades, 2)
            chance = "" if self.p_value is None else f", {chance_text(self.p_value)} for a rise"
            said.append(f"Initially it was {before} (HHI {number(self.initial_hhi)}{chance}).")
        return Presentation(
            title="Concentration over grades",
            sentences=tuple(said),
            figures=tuple(_figures(self)),
            level=None if self.effective_low is None else self.level,
            charts=(_chart(self, said[0]),),
            tables=(replace(self.table, name="Cases by grade"),),
            notes=as_sentences(self.notes),
        )


@of_two_columns(GRADES)
def grade_concentration(
    now: ScoreCounts | CaseCounts | Amounts,
    initial: ScoreCounts | CaseCounts | Amounts | None = None,
    *,
    level: float = 0.95,
) -> Concentration:
    """Return the concentration of a portfolio over its grades, tested against the initial one.

    Raises `ValueError` without cases, for amounts below 0, when grades are not on one scale, and
    for more than 1,000 distinct scores.

    Parameters
    ----------
    now, initial
        Counts of today's portfolio and of that of the initial validation, by grade; whatever the
        outcomes. Of amounts, from `count_values`, it is the shares of the exposure, or of the
        amount without one; the index is then all there is.
    level
        Confidence level of the limits of `effective_grades`.

    Notes
    -----
    ECB (2019), Instructions for reporting the validation results of internal models, 2.5.5.3:
    p = 1 - Φ(√(K-1)·(CV - CV₀)/√(CV²·(1/2 + CV²))). It takes the K grades for the sample, so that
    a rise from 25% to 85% of the cases in one of seven grades has p = 0.20: report it, and judge
    by `effective_grades` and `p_value`. These take the cases: HHI of a sample is too high by
    (1 - HHI)/N on average, without which it is the share of pairs of cases in one grade, of
    variance (4·(N - 2)·(ΣR³ - HHI²) + 2·HHI·(1 - HHI))/(N·(N - 1)) (Hoeffding 1948, Ann. Math.
    Stat. 19). Each one-sided 95% limit holds in 93 to 100% of samples, and in 87% where 95 of 100
    cases share a grade.

    Examples
    --------
    Shares of 1/2, 1/2 and none are as concentrated as two equal grades.

    >>> from capcurve import ScoreCounts
    >>> scale = ["C", "B", "A"]
    >>> now = ScoreCounts.from_counts(["C", "B"], [1, 1], [9, 9], levels=scale)
    >>> found = grade_concentration(now)
    >>> found.grades, found.hhi, found.effective_grades, round(found.cv**2, 12)
    (3, 0.5, 2.0, 0.5)
    """
    confidence = Confidence(level)
    samples = [_held(now, "now"), *([] if initial is None else [_held(initial, "initial")])]
    if len({is_amounts(each) for each in samples}) > 1:
        raise ValueError("now and initial must both be counts of cases, or both of amounts")
    scale = on_one_scale(samples, ["now", "initial"][: len(samples)])
    columns = [scale.spread(place, _column(each)) for place, each in enumerate(samples)]
    shares = [shares_of(column) for column in columns]
    counted = all(isinstance(each, ScoreCounts) and counts_alike(each) for each in samples)
    measures, *before = map(measures_of_shares, shares)
    sizes = [int(column.sum()) for column in columns] if counted else []
    low, high = _limits(shares[0], sizes[0], confidence) if counted else (None, None)
    statistic, p_value = _rise(shares, sizes)
    table = {"grade": label_column(scale.grades), "now": columns[0], "share": shares[0]}
    if before:
        table |= {"initial": columns[1], "share_initial": shares[1]}
        measures |= {f"initial_{name}": value for name, value in before[0].items()}
        measures["ecb_p"] = ecb_p_value(measures["cv"], before[0]["cv"], len(scale.grades))
    return Concentration(
        grades=len(scale.grades),
        effective_low=low,
        effective_high=high,
        level=confidence.level,
        statistic=statistic,
        p_value=p_value,
        table=Table("concentration over grades", formed(table, share="share_initial")),
        notes=tuple(_notes(samples, measures["cv"], len(scale.grades), counted=counted)),
        **measures,
    )


def _figures(found: Concentration) -> Iterator[Figure]:
    """Yield the indices of both samples, and the tests of their rise."""
    grades = ("effective_grades", "effective number of grades", "effective grades")
    yield Figure(*grades, found.effective_grades, "lift", found.effective_low, found.effective_high)
    for name, label in INDICES.items():
        value, before = getattr(found, name), getattr(found, f"initial_{name}")
        note = "" if before is None else f"initially {number(before)}"
        if value is not None:
            yield Figure(name, label, label, value, "ratio", note=note)
    for name, label in {"p_value": "p-value of the rise", "ecb_p": "the ECB's p-value"}.items():
        if (value := getattr(found, name)) is not None:
            yield Figure(name, label, label, value, "p")


def _chart(found: Concentration, said: str) -> Chart:
    """Return the share of each grade, beside that in the initial sample."""
    columns = {"initial": "share_initial", "now": "share"}
    grades = plain_names(found.table["grade"].tolist())
    return chart_of_shares(
        [(k, found.table[name]) for k, name in columns.items() if name in found.table.columns],
        ScoreTicks(np.arange(len(grades), dtype=np.float64), grades),
        SAMPLE_BAR,
        title="Shares of the grades",
        along="Grade",
        share="Share",
        description=said,
    )


def _held(given: Any, name: str) -> ScoreCounts | ValueSums:
    """Return counts of every score, or sums of amounts by score."""
    found = given if isinstance(given, CaseCounts) else as_ranked(given, "grade_concentration")
    held = found.by_score() if is_amounts(found) else cases_of(found, "grade_concentration")
    total = _column(held).sum() if len(held) else 0
    if not 0 < total < math.inf:
        raise ValueError(f"{name} adds up to {total:g}, so that its grades have no shares")
    return held


def _column(held: ScoreCounts | ValueSums) -> Array:
    """Return cases at each score; of amounts the exposure, or the amount without one."""
    if not isinstance(held, ValueSums):
        return cells_of_class(held, "cases")
    column = np.asarray(held.exposures if held.has_exposure else held.amounts, dtype=np.float64)
    if (column < 0).any():
        raise ValueError(
            "some amounts are below 0, so that shares of them mean nothing; count the exposure"
        )
    return column


def measures_of_shares(shares: Floats) -> dict[str, Any]:
    """Return the indices of concentration of some shares."""
    grades, hhi = len(shares), math.fsum(shares**2)
    return {
        "hhi": hhi,
        "effective_grades": 1 / hhi,
        # K·HHI - 1 as a sum of squares, which loses no digits where it is small.
        "cv": math.sqrt(grades * math.fsum((shares - 1 / grades) ** 2)),
        "herfindahl_index": max(0.0, 1 + math.log(hhi) / math.log(grades)) if grades > 1 else None,
    }


def _moments(shares: Floats, size: int) -> tuple[float, float, float]:
    """Return HHI without its bias, and both terms of its variance."""
    # Without bias it is how often two cases drawn without replacement share a grade.
    hhi = math.fsum(shares**2)
    # ΣR³ - HHI² is the variance of R over cases.
    by_case = 4 * math.fsum(shares * (shares - hhi) ** 2)
    return (size * hhi - 1) / (size - 1), by_case, 2 * hhi * (1 - hhi)


def _variance(size: int, by_case: float, by_pair: float) -> float:
    """Return the variance of HHI under multinomial sampling."""
    return ((size - 2) * by_case + by_pair) / (size * (size - 1))


def _limits(shares: Floats, size: int, confidence: Confidence) -> tuple[float, float]:
    """Return limits of the effective number of grades: those of HHI, turned round."""
    hhi, grades = math.fsum(shares**2), len(shares)
    if (shares > 0).sum() == 1:
        # The least share that lets all cases fall into this grade, the others being equal.
        share = max(((1 - confidence.level) / 2) ** (1 / size), 1 / grades)
        low, high = share**2 + (1 - share) ** 2 / max(grades - 1, 1), 1.0
    else:
        found, *terms = _moments(shares, size)
        # The bias exceeds the standard error where shares are nearly equal; no HHI is below theirs.
        unbiased = max(found, 1 / grades)
        # On the scale of the logarithm.
        ratio = confidence.z * math.sqrt(_variance(size, *terms)) / unbiased
        # Above 1 all limits are the same, and a float ends at exp(709).
        low, high = unbiased * math.exp(-ratio), unbiased * math.exp(min(ratio, 700.0))
    most = 1 / low if low * grades > 1 else grades
    return min(1 / min(high, 1.0), 1 / hhi), max(min(most, grades), 1 / hhi)


def ecb_p_value(cv: float, before: float, grades: int) -> float | None:
    """Return the ECB's p-value that concentration rose; None where it is 0/0."""
    from scipy.special import ndtr

    if not cv > 0:
        return None
    z = math.sqrt(grades - 1) * (cv - before) / math.sqrt(cv**2 * (0.5 + cv**2))
    return float(ndtr(-z))


def _rise(shares: list[Floats], sizes: list[int]) -> tuple[float | None, float | None]:
    """Return the rise of HHI over its standard error, and its p-value; None without spread."""
    # Both samples take their variance from the shares of both, as they are alike where nothing
    # changed: a sample that has all its cases in one grade shows no spread of its own.
    from scipy.special import ndtr

    if len(sizes) < 2 or min(sizes) < 2:  # noqa: PLR2004 - two samples, of two cases each
        return None, None
    (now, *own), (initial, *other) = map(_moments, shares, sizes)
    each = list(zip(sizes, (own, other), strict=True))
    # Samples of equal shares differ by chance, which adds twice the second term over N.
    by_case = sum(n * max(first - 2 * second / n, 0.0) for n, (first, second) in each) / sum(sizes)
    by_pair = sum(n * second for n, (_, second) in each) / sum(sizes)
    variance = sum(_variance(n, by_case, by_pair) for n in sizes)
    if not variance > 0:
        return None, None
    statistic = (now - initial) / math.sqrt(variance)
    return statistic, float(ndtr(-statistic))


def _notes(samples: list[Any], cv: float, grades: int, *, counted: bool) -> Iterator[str]:
    if samples[0].levels is None:
        yield SCALE_OF_GRADES_SEEN.format(arg(levels=...))
    if not counted:
        yield NOT_CASES
    elif any(each.groups is not None for each in samples):
        yield GRADES_OF_CLUSTERS
    if len(samples) > 1:
        yield GRADES_ARE_THE_SAMPLE.format(grades) if cv > 0 else EQUAL_SHARES
