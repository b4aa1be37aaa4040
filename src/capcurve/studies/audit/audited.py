"""An audit before it is shown: what is known, its ranges at any depth, and how far chance goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

from capcurve.counts.arguments import as_name, as_share
from capcurve.inference.records import Confidence, Interval
from capcurve.studies.audit.bins import TIES_WON, accuracy_ratio, extreme

if TYPE_CHECKING:
    from capcurve.show.finding import Finding
    from capcurve.show.table import Table
    from capcurve.studies.audit.bins import Bins, End
    from capcurve.studies.audit.printed import PrintedTable, Rounding
    from capcurve.studies.audit.ranges import Allowed, Assumption
    from capcurve.studies.audit.records import CellFix, Claim, Range

METRICS = {"ar": "accuracy_ratio", "gini": "accuracy_ratio", "auc": "roc_auc"}
WITH_ERRORS = ("accuracy_ratio", "roc_auc")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Audited:
    """What is known of a table; `Audit` says what each attribute is."""

    fits: bool
    accuracy_ratio: Range | None = None
    roc_auc: Range | None = None
    ks: Range | None = None
    ks_positive: Range | None = None
    ks_negative: Range | None = None
    claims: tuple[Claim, ...] = ()
    conflicts: tuple[tuple[str, ...], ...] = ()
    impossible: tuple[str, ...] = ()
    cells: tuple[CellFix, ...] = ()
    least: Table | None = None
    greatest: Table | None = None
    within_sd: float | None = None
    table: PrintedTable
    assume: Assumption | None = None
    rounding: Rounding = "half"
    level: float = 0.95
    findings: tuple[Finding, ...] = ()
    allowed: Allowed | None = field(default=None, repr=False)
    bins: tuple[int, ...] = field(default=(), repr=False)

    def captured(self, q: float) -> Range:
        """Return the range of the share of positives among the share q of cases at the top.

        Parameters
        ----------
        q
            Share of cases selected, in (0, 1].

        Raises
        ------
        ValueError
            When nothing fits the table, or q lies elsewhere.

        Examples
        --------
        Of 3 positives, the better half holds the 2 of its own bin.

        >>> from capcurve import audit_table
        >>> found = audit_table({"n": [3, 3], "positives": [2, 1]}).captured(0.5)
        >>> found.low == found.high == 2 / 3
        True
        """
        return self._known.captured(_share(q))

    def lift(self, q: float) -> Range:
        """Return the range of the share captured over the share q selected, q in (0, 1]."""
        return self._known.lift(_share(q))

    def precision(self, q: float) -> Range:
        """Return the range of the rate of positives in the share q selected, q in (0, 1]."""
        return self._known.precision(_share(q))

    def tpr(self, fpr: float) -> Range:
        """Return the range of the share of positives at a false positive rate.

        Parameters
        ----------
        fpr
            False positive rate, in [0, 1].
        """
        return self._known.tpr(_share(fpr, least=0))

    @property
    def _known(self) -> Allowed:
        if self.allowed is None:
            raise ValueError(
                "the table contradicts itself, so that it has no range of anything: see conflicts"
            )
        return self.allowed

    def interval(self, metric: str = "accuracy_ratio") -> Interval:
        """Return the range with chance: where the true number of the population lies.

        From the low end less its error to the high end plus its error.

        Parameters
        ----------
        metric
            "accuracy_ratio" or "roc_auc".

        Raises
        ------
        ValueError
            When nothing fits, or where a table of shares does not tell how many cases there are.

        Notes
        -----
        DeLong, DeLong & Clarke-Pearson (1988), with all ties of a bin lost at the low end and won
        at the high end.

        Examples
        --------
        >>> from capcurve import audit_table
        >>> found = audit_table({"n": [50, 50], "positives": [20, 10]}).interval()
        >>> f"{found.low:.3f} {found.estimate:.3f} {found.high:.3f}"
        '-0.488 0.238 0.881'
        """
        metric = as_name(metric, "metric", WITH_ERRORS, METRICS)
        ratio = _interval(self._known, self.level)
        return ratio if metric == "accuracy_ratio" else ratio.as_auc()


def _share(q: Any, *, least: float = 1e-100) -> Fraction:
    """Return a share as the decimal number that people mean by a float."""
    found = as_share(q, "the share", some=least > 0)
    return Fraction(q) if isinstance(q, Fraction) else Fraction(repr(found))


def _interval(allowed: Allowed, level: float) -> Interval:
    """Return the range of the accuracy ratio with chance at both ends."""
    tables = allowed.tables
    low_end: End = "low" if allowed.assume is None else "table"
    high_end: End = "high"
    first = extreme(tables.least, lambda bins: accuracy_ratio(bins, low_end), lowest=True)[1]
    last = extreme(tables.greatest, lambda bins: accuracy_ratio(bins, high_end), lowest=False)[1]
    if not first.counted:
        raise ValueError(
            "an interval needs the numbers of cases, and the table has shares only: say "
            "cases= and positives="
        )
    z = Confidence(level).z
    found = allowed.accuracy_ratio()
    below = standard_error(first, low_end)
    above = standard_error(last, high_end)
    if allowed.curves:
        # A concave curve lies between straight lines and positives first.
        above = max(above, standard_error(last, "table"))
    notes = ["one class has a single case, so that chance is not known"] if isnan(below) else []
    return Interval(
        low=nan if isnan(below) else max(found.low - z * below, -1.0),
        estimate=sum(found.straight) / 2,
        high=nan if isnan(above) else min(found.high + z * above, 1.0),
        level=level,
        method="DeLong at both ends of what the table allows",
        se=None,
        notes=tuple(notes),
    )


def standard_error(bins: Bins, end: End) -> float:
    """Return the standard error of the accuracy ratio with ties lost, halved or won.

    DeLong, DeLong & Clarke-Pearson (1988) from the placements of each bin's cases. NaN where a
    class has one case only.

    >>> from capcurve.studies.audit.bins import Bins
    >>> round(standard_error(Bins((2, 3), (1, 3)), "high") ** 2, 6)
    0.098765
    """
    if bins.n1 < 2 or bins.n0 < 2:  # noqa: PLR2004 - no variance of one case
        return float("nan")
    halves = TIES_WON[end]
    of_positives, of_negatives = [], []
    for p0, p, m0, m in bins.each():
        of_positives.append((p - p0, 2 * (bins.n0 - m) + halves * (m - m0)))
        of_negatives.append((m - m0, 2 * p0 + halves * (p - p0)))
    variance = _variance(of_positives) / (bins.n1 * bins.n0**2)
    variance += _variance(of_negatives) / (bins.n0 * bins.n1**2)
    return sqrt(variance)


def _variance(placements: list[tuple[int, int]]) -> Fraction:
    """Return the variance of placements, counted in half cases: times 4."""
    count = sum(times for times, _ in placements)
    total = sum(times * place for times, place in placements)
    squares = sum(times * place * place for times, place in placements)
    return Fraction(squares * count - total * total, count * (count - 1))


def within_sd(bins: Bins) -> float:
    """Return how far the order inside bins moves the accuracy ratio if it is random.

    The standard deviation of a rank sum, of Wilcoxon, summed over bins.

    >>> from capcurve.studies.audit.bins import Bins
    >>> round(within_sd(Bins((2, 3), (1, 3))), 6)
    0.2566
    """
    pairs = sum((p - p0) * (m - m0) * (p - p0 + m - m0 + 1) for p0, p, m0, m in bins.each())
    return 2 / float(bins.n1 * bins.n0) * sqrt(Fraction(pairs, 12))
