"""The population stability index of two samples, its test and its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from capcurve.counts.arguments import told
from capcurve.inference.records import Confidence
from capcurve.inference.scales import MOST_GRADES, Scale, on_one_scale, refuse_unlike
from capcurve.show.format import cutoff_text
from capcurve.tables.cutoffs import selected_at
from capcurve.tables.gains import ends_of_bins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Array, Floats, Places

Of = Literal["cases", "positives", "negatives"]
BINS = 10
HALF = 0.5
# With fewer cases for each bin an upper limit of 95% is too low in up to half of all samples.
FEW_PER_BIN = 5
# Beyond so large a noncentrality the root of a chi-square variable is as good as normal.
LARGE = 1e6
# Terms of the series for the noncentral law: standard deviations around the likeliest, and terms.
TERMS = (12.0, 40)
# How near limits are found: a float has no more digits.
SMALLEST, NEAR = 1e-12, 1e-15


@dataclass(frozen=True, slots=True)
class Binned:
    """Two samples in the same bins."""

    names: tuple[str, ...]  # what each bin is called, riskiest first
    # Cases in each bin before and after, or their weight; shape (B,) each.
    counts: tuple[Array, Array]
    unit: str  # what one of them is: "grade", "score" or "bin"


@dataclass(frozen=True, slots=True)
class Shift:
    """How far shares moved between two samples; `Stability` says what each attribute is."""

    parts: Floats
    psi: float
    psi_half: float | None
    low: float | None
    high: float | None
    expected: float | None
    chi2: float | None
    df: int
    p_value: float | None


def binned(
    before: ScoreCounts,
    after: ScoreCounts,
    bins: int | str | Sequence[Any] | None,
    of: Of,
    labels: tuple[str, str] = ("before", "after"),
) -> Binned:
    """Return how many cases of two samples are in each bin."""
    if of not in get_args(Of):
        raise ValueError(f'of must be "cases", "positives" or "negatives", got {of!r}')
    both = (before, after)
    columns = tuple(column_of(sample, of) for sample in both)
    for column, label in zip(columns, labels, strict=True):
        if not column.sum() > 0:
            raise ValueError(f"there are no {of} in {label}, so its shares are undefined")
    refuse_unlike(both, labels)
    if isinstance(bins, str) and bins != "score":
        raise ValueError(f'bins must be a number, "score" or cut points, got {bins!r}')
    each_grade = before.levels is not None if bins is None else isinstance(bins, str)
    asked = "score" if each_grade else BINS if bins is None else bins
    if before.levels is not None or each_grade:
        names, ends = _of_grades(both, asked, labels)
    else:
        names, ends = _of_numbers(both, asked)
    first, second = (_sums(column, end) for column, end in zip(columns, ends, strict=True))
    unit = "bin" if not each_grade else "score" if before.levels is None else "grade"
    return Binned(tuple(names), (first, second), unit)


def column_of(sample: ScoreCounts, of: Of) -> Array:
    """Return cases, positives or negatives of each cell, in numbers wide enough to add."""
    kind = np.int64 if sample.is_whole else np.float64
    if of == "cases":
        return np.add(sample.positives, sample.negatives, dtype=kind)
    column = sample.positives if of == "positives" else sample.negatives
    return column.astype(kind)


def _sums(column: Array, ends: Places) -> Array:
    """Return the sum of the cells of each bin; 0 for a bin without cells."""
    starts = np.append(0, ends[:-1])
    found = np.zeros(len(ends), dtype=column.dtype)
    full = ends > starts
    if full.any():
        # The last cells after all bins there are none of: the last bin is open.
        found[full] = np.add.reduceat(column, starts[full])
    return found


def _of_grades(
    both: tuple[ScoreCounts, ScoreCounts],
    bins: int | str | Sequence[Any],
    labels: tuple[str, str],
) -> tuple[list[str], list[Places]]:
    """Return bins of a scale of grades: every one, or neighbours taken together."""
    scale = on_one_scale(both, labels)
    last = len(scale.grades) - 1
    if isinstance(bins, str):
        cuts = np.arange(last + 1)
    elif isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        cuts = scale.places[0][ends_of_bins(both[0], bins)[0] - 1]
    else:
        cuts = np.array(_grade_cuts(scale, bins), dtype=np.intp)
    cuts = np.unique(np.append(cuts[cuts < last], last))
    ends = [np.searchsorted(places, cuts, side="right") for places in scale.places]
    grades = [cutoff_text(grade) for grade in scale.grades]
    starts = np.append(0, cuts[:-1] + 1)
    names = [
        grades[start] if start == end else f"{grades[start]} to {grades[end]}"
        for start, end in zip(starts.tolist(), cuts.tolist(), strict=True)
    ]
    return names, ends


def _grade_cuts(scale: Scale, bins: Any) -> list[int]:
    """Return the places of the grades at which bins end."""
    if not np.iterable(bins):
        raise ValueError(f'bins must be a whole number, "score" or cut points, got {told(bins)}')
    for cut in bins:
        if isinstance(cut, np.ndarray) or cut not in scale.grades:
            raise ValueError(f"cut point {told(cut)} is not among the grades {list(scale.grades)}")
    return [scale.grades.index(cut) for cut in bins]


def _of_numbers(
    both: tuple[ScoreCounts, ScoreCounts], bins: int | Sequence[Any]
) -> tuple[list[str], list[Places]]:
    """Return bins of numbers: quantiles of the first sample, or cut points."""
    ends, asked = ends_of_bins(both[0], bins)
    if asked is None:
        cuts = _in_order(bins, both[0].higher_is == "positive")  # type: ignore[arg-type]  # no number: cut points
    else:
        cuts = both[0].thresholds[ends[:-1] - 1].tolist()
    if len(cuts) >= MOST_GRADES:
        raise ValueError(f"{len(cuts) + 1:,} bins are too many; take {MOST_GRADES:,} at most")
    places = [
        np.array([*(selected_at(sample, cut, "cut point") for cut in cuts), len(sample)])
        for sample in both
    ]
    return _named(cuts, both[0].higher_is == "positive"), places


def _in_order(cuts: Sequence[Any], falling: bool) -> list[Any]:
    found: list[Any] = np.asarray(cuts, dtype=object).tolist()
    plain = [cut.item() if isinstance(cut, np.generic) else cut for cut in found]
    return sorted(plain, reverse=falling)


def _named(cuts: Sequence[Any], falling: bool) -> list[str]:
    """Return bins as intervals, of which a round bracket leaves the end out."""
    if not cuts:
        return ["all"]
    text = [cutoff_text(cut) for cut in cuts]
    first, last = ("≥", "<") if falling else ("≤", ">")
    between = [
        f"[{low}, {high})" if falling else f"({high}, {low}]" for high, low in pairwise(text)
    ]
    return [f"{first} {text[0]}", *between, f"{last} {text[-1]}"]


def is_sparse(before: Array, after: Array) -> bool:
    """Return whether a sample has too few cases for its bins for an upper limit to hold.

    Examples
    --------
    >>> is_sparse(np.array([40, 60]), np.array([3, 6])), is_sparse(np.array([9]), np.array([3]))
    (True, False)
    """
    return len(before) > 1 and bool(min(before.sum(), after.sum()) < FEW_PER_BIN * len(before))


def shift_of(before: Array, after: Array, level: float, *, whole: bool = True) -> Shift:
    """Return the population stability index of two rows of counts, with test and limits.

    Examples
    --------
    >>> found = shift_of(np.array([20, 60, 20]), np.array([25, 55, 20]), 0.95)
    >>> round(found.psi, 6), found.df, round(found.p_value, 4)
    (0.015508, 2, 0.6794)
    """
    confidence = Confidence(level)
    used = (before > 0) | (after > 0)
    parts = np.zeros(len(before))
    parts[used] = _parts(before[used] / before.sum(), after[used] / after.sum())
    psi, df = math.fsum(parts), int(used.sum()) - 1
    if not whole:
        return Shift(parts, psi, None, None, None, None, None, df, None)
    b, a = before[used].astype(np.float64), after[used].astype(np.float64)
    n, m = float(b.sum()), float(a.sum())
    half = math.fsum(_parts((b + HALF) / (n + HALF * len(b)), (a + HALF) / (m + HALF * len(a))))
    unit = 1 / n + 1 / m
    chi2 = _pearson(b, a)
    low, high = noncentral_limits(half / unit, df, confidence)
    p_value = _upper_tail(chi2, df)
    return Shift(parts, psi, half, low * unit, high * unit, df * unit, chi2, df, p_value)


def _parts(before: Floats, after: Floats) -> Floats:
    """Return what each bin adds to the index: infinity where one side is empty."""
    with np.errstate(divide="ignore"):
        found: Floats = (after - before) * (np.log(after) - np.log(before))
    return found


def _pearson(before: Floats, after: Floats) -> float:
    """Return Pearson's chi-square of the table of two rows."""
    n, m = before.sum(), after.sum()
    # Σ(a·n - b·m)²/(n·m·(a + b)): differences of products of whole numbers come first.
    return float((((after * n - before * m) / n) ** 2 / (before + after)).sum() * (n / m))


def _upper_tail(chi2: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, chi2)) if df else 1.0


def noncentral_limits(statistic: float, df: int, confidence: Confidence) -> tuple[float, float]:
    """Return between which noncentralities a chi-square statistic is likely.

    Examples
    --------
    The lower limit is 0 where the statistic is within chance; at the upper one so small a
    statistic has a chance of 5%.

    >>> low, high = noncentral_limits(3.0, 2, Confidence(0.9))
    >>> low, round(noncentral_tail(3.0, 2, high, upper=False), 12)
    (0.0, 0.05)
    """
    if not df:
        return 0.0, 0.0
    tail = confidence.tail
    return (
        _noncentrality(statistic, df, upper=True, tail=tail),
        _noncentrality(statistic, df, upper=False, tail=tail),
    )


def _noncentrality(statistic: float, df: int, *, upper: bool, tail: float) -> float:
    """Return at which noncentrality one tail beyond the statistic has this chance, 0 if at none."""
    from scipy.optimize import brentq

    def surplus(noncentrality: float) -> float:
        # The upper tail grows with the noncentrality, the lower one shrinks.
        chance = noncentral_tail(statistic, df, noncentrality, upper=upper)
        return chance - tail if upper else tail - chance

    if surplus(0.0) >= 0:
        return 0.0
    reach = 2 * abs(math.log(tail)) + 8
    most = statistic + 2 * math.sqrt(statistic * reach) + reach * (df + 2)
    return float(brentq(surplus, 0.0, most, xtol=SMALLEST, rtol=NEAR))


def noncentral_tail(statistic: float, df: int, noncentrality: float, *, upper: bool) -> float:
    """Return the chance of one tail of the noncentral chi-square law.

    A Poisson mixture of central laws (Patnaik 1949, Biometrika 36); where that has very many terms
    √X is normal around √(λ + df - 1).
    """
    from scipy.special import gammainc, gammaincc, gammaln, ndtr

    if noncentrality > LARGE:
        z = math.sqrt(statistic) - math.sqrt(noncentrality + df - 1)
        return float(ndtr(-z if upper else z))
    mean = noncentrality / 2
    deviations, beside = TERMS
    reach = deviations * math.sqrt(mean) + beside
    j = np.arange(max(0, math.floor(mean - reach)), math.ceil(mean + reach) + 1, dtype=np.float64)
    logs = -mean - gammaln(j + 1) + (j * math.log(mean) if mean > 0 else np.where(j, -np.inf, 0))
    chances = np.exp(logs - logs.max())
    tails = (gammaincc if upper else gammainc)(df / 2 + j, statistic / 2)
    return float((chances * tails).sum() / chances.sum())
