"""How far a portfolio moved over its grades or bins, and whether by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import CaseCounts, ScoreCounts
from capcurve.counts.master_scale import MOST_GRADES_OF_SCALE
from capcurve.gate.alike import OUTCOME, SCALE, refuse_unlike
from capcurve.gate.given import counts_alike
from capcurve.inference.designs import chi_square
from capcurve.inference.records import Confidence
from capcurve.numbers.arguments import refused, told, word
from capcurve.numbers.meeting import as_written, met, selected_at
from capcurve.results.findings import MOST_NAMED
from capcurve.show.chart import BLUE, GREY, Axis, Bars, Chart, ScoreTicks, Style
from capcurve.show.columns import formed
from capcurve.show.format import (
    capitalised,
    chance_text,
    counted,
    cutoff_text,
    joined,
    limits,
    number,
    plain_names,
    shortest_cutoff,
)
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.grades.scales import (
    GRADES_OF_CLUSTERS,
    CommonScale,
    cases_of,
    in_one_type,
    on_one_scale,
    shares_of,
)
from capcurve.tables.gains import ends_of_bins, sum_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.numbers.types import Array, Floats, Places

WhichCases = Literal["cases", "positives", "negatives"]
STABILITY_BINS = 10
# What the bin of cases without a score is called.
MISSING_BIN = "(missing)"
UNSCORED = f"cases without a score are a bin of their own, {MISSING_BIN}"
HALF_CASE = 0.5
# With fewer cases for each bin an upper limit of 95% is too low in up to half of all samples.
FEW_PER_BIN = 5
# So few numbers are grades; one that holds more than so many bins is a lump.
MOST_VALUES, LUMP = 20, 1.5
INDEX_OF_WEIGHTS = (
    "rows are weighted, so there is no interval and no test: both need cases that count alike"
)
BINS_TOO_SPARSE = (
    "there are fewer than 5 cases for each bin, so the interval ends too low; take fewer bins"
)
SAMPLES_TOO_ALIKE = (
    "the samples are more alike than two of one portfolio usually are, so the interval is 0 to 0; "
    "see whether they share cases"
)
INDEX_ABOVE_LIMIT = (
    "the PSI is above its interval, because chance alone adds {:.3f} to it on average, and the "
    "interval allows for that"
)
WHOSE = {"cases": "The portfolio's PSI", "positives": "The PSI of the positives"}
WHOSE |= {"negatives": "The PSI of the negatives"}
PSI_MEANING = (
    "PSI is the sum of (a − b)·ln(a/b) over the bins, b and a their shares before and after. It "
    "depends on the bins, which are part of the result"
)
PSI_METHOD = (
    "p-value: Pearson's chi-square of both samples. Interval: noncentral chi-square law at the PSI "
    "with half a case added to every count"
)
NO_VERDICT = (
    "By convention a PSI below 0.10 is small and one of 0.25 or more is large, whatever the number "
    "of cases. This is not a test"
)
CUSTOMARY = (0.10, 0.25)
BEFORE_AFTER_BAR = 0.38
LETTERS_ALONG_X = 60
LONGEST_BIN_NAME = 18
# So many bins are numbered where their names have no room.
MOST_NUMBERED_BINS = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Shift:
    """How far shares moved between two samples; `Stability` says what each attribute is."""

    psi: float
    psi_half: float | None = None
    low: float | None = None
    high: float | None = None
    expected_if_unchanged: float | None = None
    chi2: float | None = None
    df: int
    p_value: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stability(Result, Shift):
    """The population stability index of two samples, with test, limits and every bin.

    Attributes
    ----------
    psi
        Σ(a − b)·ln(a/b) over the bins, b and a their shares before and after; infinite where a bin
        has cases in one sample only.
    psi_half
        The same with half a case added to every count, which is finite; None of weighted rows.
    low, high, level
        Two-sided limits of the population's index and their confidence level; None of weighted
        rows.
    expected_if_unchanged
        What the index is on average if nothing changed: df·(1/n_before + 1/n_after).
    chi2, df, p_value
        Pearson's chi-square of both samples, its degrees of freedom (bins with cases, less one),
        and how often chance alone reaches it.
    of
        "cases", "positives" or "negatives".
    bins
        What each bin is called, riskiest first. They are part of the result.
    empty
        The bins with cases in one sample only.
    table
        A row per bin: cases and shares before and after, and what it adds to the index.
    n_before, n_after
        All cases, or positives or negatives, of each sample.
    labels
        What the two samples are called.
    notes
        What a reader must know.
    """

    _as_rows = frozenset({"table"})

    of: WhichCases
    level: float
    bins: tuple[str, ...]
    empty: tuple[str, ...]
    table: Table
    n_before: float
    n_after: float
    labels: tuple[str, str] = ("before", "after")
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        before, after = plain_names(self.labels)
        of = "" if self.of == "cases" else f" of the {self.of}"
        name = f"Shares of {self.of} by {unit_of(self.table)}, {before} and {after}"
        test = [PSI_METHOD] if self.p_value is not None else []
        notes = (*self.notes, PSI_MEANING, *test, NO_VERDICT)
        return Presentation(
            title=f"Population stability{of}: {before} to {after}",
            sentences=(sentence_of(self, WHOSE[self.of]),),
            figures=tuple(figures_of(self)),
            level=self.level if self.low is not None else None,
            charts=(_chart(self, name),),
            tables=(_numbered(self, name),),
            notes=as_sentences(notes),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """The bins of several samples, riskiest first, and how many cases of each are in them."""

    unit: str  # what a bin is: a "bin", a "score" or a "grade"
    names: list[str]
    cuts: list[Any]  # where bins end, as bins= takes them
    counts: list[Array]


def stability_of(
    both: tuple[ScoreCounts, ScoreCounts],
    found: Binned,
    counts: tuple[Array, Array],
    of: WhichCases,
    level: float,
    labels: tuple[str, str],
) -> Stability:
    """Return the index of two samples, whose cases are in the bins of these and perhaps others."""
    names, (first, second) = found.names, counts
    shift = shift_of(first, second, level, whole=all(map(counts_alike, both)))
    columns = {
        found.unit: np.array(names),
        "before": first,
        "after": second,
        "share_before": shares_of(first),
        "share_after": shares_of(second),
        "psi": psi_parts(first, second),
    }
    known = formed(columns, {"psi": "PSI"}, share="share_before share_after", fine="psi")
    sides = zip(names, first, second, strict=True)
    return Stability(
        **{each.name: getattr(shift, each.name) for each in fields(shift)},
        of=of,
        level=level,
        bins=tuple(names),
        empty=tuple(name for name, b, a in sides if (b > 0) != (a > 0)),
        table=Table("population stability", known),
        n_before=sum(first.tolist()),
        n_after=sum(second.tolist()),
        labels=labels,
        notes=tuple(_notes(both, counts, shift)),
    )


def sample_of(given: Any, of: WhichCases, label: str) -> ScoreCounts:
    """Return counts of every score, else raise TypeError or ValueError."""
    if isinstance(given, CaseCounts) and of != "cases":
        raise ValueError(f"{label} holds cases without outcome, and so no {of}; leave of= out")
    return cases_of(given, "population_stability")


def _notes(both: Sequence[ScoreCounts], counts: tuple[Array, Array], shift: Shift) -> Iterator[str]:
    """Yield what a reader must know, and why the index is not between its limits if it is not."""
    half, high, usual = shift.psi_half, shift.high, shift.expected_if_unchanged
    if half is None:
        yield INDEX_OF_WEIGHTS
    if any(sample.groups is not None for sample in both):
        yield GRADES_OF_CLUSTERS
    if half is not None and is_sparse(*counts):
        yield BINS_TOO_SPARSE
    if len(counts[0]) == 1:
        yield "there is a single bin, whose share is 100% in both samples"
    if _unscored(both, ("", "")) is not None:
        yield UNSCORED
    if half is None or high is None or not shift.df:
        return
    if not high > 0:
        yield SAMPLES_TOO_ALIKE
    elif high < half:
        yield INDEX_ABOVE_LIMIT.format(usual)


# The numbers


def binned(
    samples: Sequence[ScoreCounts], bins: Any, of: WhichCases, labels: Sequence[str]
) -> Binned:
    """Return the bins of samples: quantiles of the first one, or all of their grades."""
    columns = [cells_of_class(sample, of) for sample in samples]
    unscored = _unscored(samples, labels)
    for column, more, label in zip(columns, unscored or [0] * len(columns), labels, strict=True):
        if not column.sum() + more > 0:
            raise ValueError(f"there are no {of} in {label}, so its shares are undefined")
    if not len(samples[0]):
        raise ValueError(f"no case of {labels[0]} has a score, so that there are no bins")
    refuse_unlike(samples, labels, SCALE if of == "cases" else (*OUTCOME, *SCALE))
    if isinstance(bins, str) and bins != "score":
        raise ValueError(f'{refused("bins")} be a number, "score" or cut points, got {bins!r}')
    graded = samples[0].levels is not None
    if bins is None:
        bins = "score" if graded or _are_grades(samples, columns) else STABILITY_BINS
    each_grade = isinstance(bins, str)
    if graded or each_grade:
        names, cuts, ends = _of_grades(samples, bins, labels)
    else:
        names, cuts, ends = _of_numbers(samples, columns, bins)
    sums = [
        sum_of_each(column, np.append(0, end[:-1]), end)
        for column, end in zip(columns, ends, strict=True)
    ]
    if unscored is not None:
        if MISSING_BIN in names:
            raise ValueError(f"a grade is called {MISSING_BIN}, as the bin of missing scores is")
        names = [*names, MISSING_BIN]
        sums = [np.append(each, more) for each, more in zip(sums, unscored, strict=True)]
    unit = "bin" if not each_grade else "grade" if graded else "score"
    return Binned(unit, names, cuts, sums)


def _unscored(samples: Sequence[ScoreCounts], labels: Sequence[str]) -> list[float] | None:
    """Return the cases without a score of each sample, or None where nobody asked for them."""
    found = [None if each.dropped is None else each.dropped.unscored for each in samples]
    known = [each for each in found if each is not None]
    if 0 < len(known) < len(found):
        raise ValueError(
            f"{labels[found.index(None)]} does not say how many cases have no score, which are to "
            f"be a bin; give its rows, with {word(missing='bin')}"
        )
    return known or None


def cells_of_class(sample: ScoreCounts, of: WhichCases) -> Array:
    """Return cases, positives or negatives of each cell, in numbers wide enough to add."""
    kind = np.int64 if sample.is_whole else np.float64
    if of == "cases":
        return np.add(sample.positives, sample.negatives, dtype=kind)
    column = sample.positives if of == "positives" else sample.negatives
    return column.astype(kind)


def _of_grades(
    samples: Sequence[ScoreCounts], bins: int | str | Sequence[Any], labels: Sequence[str]
) -> tuple[list[str], list[Any], list[Places]]:
    """Return bins of a scale of grades: every one, or neighbours taken together."""
    scale = on_one_scale(samples, labels)
    last = len(scale.grades) - 1
    if isinstance(bins, str):
        cuts = np.arange(last + 1)
    elif isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        cuts = scale.places[0][ends_of_bins(samples[0], bins)[0] - 1]
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
    return names, [scale.grades[cut] for cut in cuts[:-1].tolist()], ends


def _grade_cuts(scale: CommonScale, bins: Any) -> list[int]:
    """Return the places of the grades at which bins end."""
    if not np.iterable(bins):
        raise ValueError(
            f'{refused("bins")} be a whole number, "score" or cut points, got {told(bins)}'
        )
    for cut in bins:
        if isinstance(cut, np.ndarray) or cut not in scale.grades:
            raise ValueError(f"cut point {told(cut)} is not among the grades {list(scale.grades)}")
    return [scale.grades.index(cut) for cut in bins]


def _are_grades(samples: Sequence[ScoreCounts], columns: Sequence[Array]) -> bool:
    """Return whether numbers are grades: few of all samples together, that many cases share."""
    if max(map(len, samples)) > MOST_VALUES:
        return False
    values = len(np.unique(np.concatenate(met([sample.thresholds for sample in samples]))))
    shared = sum(int(column.sum()) for column in columns) >= 2 * values
    return values <= MOST_VALUES and (shared or not all(sample.is_whole for sample in samples))


def _of_numbers(
    samples: Sequence[ScoreCounts], columns: Sequence[Array], bins: int | Sequence[Any]
) -> tuple[list[str], list[Any], list[Places]]:
    """Return bins of numbers: quantiles of the first sample, and every lump, or cut points."""
    falling, samples = samples[0].higher_is == "positive", in_one_type(samples)
    asked = ends_of_bins(samples[0], bins)[1]
    lumps: dict[Any, Any] = {}
    worst = (min if falling else max)(each.thresholds[-1] for each in samples if len(each))
    if asked is None:
        given: list[Any] = np.asarray(bins, dtype=object).tolist()
        plain_cuts = [cut.item() if isinstance(cut, np.generic) else cut for cut in given]
        cuts = sorted(plain_cuts, reverse=falling)
    else:
        lumps = _lumps(samples, columns, asked)
        around = {*lumps, *lumps.values()} - {None}
        cuts = sorted({*around, *_quantiles(samples[0], around, asked)} - {worst}, reverse=falling)
    if len(cuts) >= MOST_GRADES_OF_SCALE:
        raise ValueError(
            f"{len(cuts) + 1:,} bins are too many; take {MOST_GRADES_OF_SCALE:,} at most"
        )
    places = [
        np.array([*(selected_at(sample, cut, "cut point") for cut in cuts), len(sample)])
        for sample in samples
    ]
    text = [cutoff_text(cut) for cut in cuts]
    if asked is not None:
        selected = zip(*(place.tolist() for place in places), strict=True)
        text = [_shortest(cut, samples, at) for cut, at in zip(cuts, selected, strict=False)]
    names = _intervals(text, falling=falling)
    pairs = zip([*cuts, worst], names, strict=True)
    written = as_written(np.array(cuts)).tolist() if asked is not None else cuts
    return [cutoff_text(cut) if cut in lumps else name for cut, name in pairs], written, places


def _quantiles(sample: ScoreCounts, around: set[Any], bins: int) -> Array:
    """Return the scores with which bins of equal size end, but those half a bin from a lump."""
    ends = ends_of_bins(sample, bins)[0][:-1]
    if around:
        upto = np.append(0, np.cumsum(cells_of_class(sample, "cases")))
        lumps = upto[[selected_at(sample, cut) for cut in around]]
        apart = np.abs(upto[ends][:, None] - lumps).min(axis=1)
        ends = ends[2 * bins * apart >= upto[-1]]
    found: Array = sample.thresholds[ends - 1]
    return found


def _lumps(samples: Sequence[ScoreCounts], columns: Sequence[Array], bins: int) -> dict[Any, Any]:
    """Return the scores that alone hold more than a bin and a half, with the next better one."""
    # They are those of the first sample, and of all others together.
    found: set[Any] = set()
    for some in (slice(1), slice(1, None)):
        held = np.concatenate([sample.thresholds for sample in samples[some]])
        scores, place = np.unique(held, return_inverse=True)
        cases = np.bincount(place, np.concatenate(columns[some]))
        many = cases * bins > LUMP * cases.sum()
        if all(sample.is_whole for sample in samples[some]):
            many &= cases >= FEW_PER_BIN
        found.update(scores[many])
    if not found:
        return {}
    every = np.unique(np.concatenate([sample.thresholds for sample in samples]))
    step = 1 if samples[0].higher_is == "positive" else -1
    places = {score: int(np.searchsorted(every, score)) + step for score in found}
    return {
        score: every[place] if 0 <= place < len(every) else None for score, place in places.items()
    }


def _shortest(cut: Any, samples: Sequence[ScoreCounts], selected: Sequence[int]) -> str:
    """Return the cut point in the fewest digits that select the same cases of all samples."""
    if not isinstance(cut, float):
        return cutoff_text(cut)
    falls = samples[0].higher_is == "positive"
    pairs = zip(samples, selected, strict=True)
    following = [float(each.thresholds[at]) for each, at in pairs if at < len(each)]
    nearest = (max if falls else min)(following, default=None)
    return shortest_cutoff(cut, nearest, falls=falls)


def _intervals(text: Sequence[str], *, falling: bool) -> list[str]:
    """Return bins as intervals, of which a round bracket leaves the end out."""
    if not text:
        return ["all"]
    first, last = ("≥", "<") if falling else ("≤", ">")
    between = [
        f"[{low}, {high})" if falling else f"({high}, {low}]" for high, low in pairwise(text)
    ]
    return [f"{first} {text[0]}", *between, f"{last} {text[-1]}"]


def is_sparse(before: Array, after: Array) -> bool:
    """Return whether a sample has too few cases for its bins for an upper limit to hold.

    >>> is_sparse(np.array([40, 60]), np.array([3, 6])), is_sparse(np.array([9]), np.array([3]))
    (True, False)
    """
    return len(before) > 1 and bool(min(before.sum(), after.sum()) < FEW_PER_BIN * len(before))


def shift_of(before: Array, after: Array, level: float, *, whole: bool = True) -> Shift:
    """Return the population stability index of two rows of counts, with test and limits.

    >>> found = shift_of(np.array([20, 60, 20]), np.array([25, 55, 20]), 0.95)
    >>> round(found.psi, 6), found.df, round(found.p_value, 4)
    (0.015508, 2, 0.6794)
    """
    confidence = Confidence(level)
    used = (before > 0) | (after > 0)
    psi, df = math.fsum(psi_parts(before, after)), int(used.sum()) - 1
    if not whole:
        return Shift(psi=psi, df=df)
    b, a = before[used].astype(np.float64), after[used].astype(np.float64)
    n, m = float(b.sum()), float(a.sum())
    half = math.fsum(psi_parts(b + HALF_CASE, a + HALF_CASE))
    unit = 1 / n + 1 / m
    # Σ(a·n - b·m)²/(n·m·(a + b)): differences of products of whole numbers come first.
    chi2 = float((((a * n - b * m) / n) ** 2 / (b + a)).sum() * (n / m))
    low, high = noncentral_limits(half / unit, df, confidence)
    return Shift(
        psi=psi,
        psi_half=half,
        low=low * unit,
        high=high * unit,
        expected_if_unchanged=df * unit,
        chi2=chi2,
        df=df,
        p_value=chi_square(chi2, df)[0],
    )


def psi_parts(before: Array, after: Array) -> Floats:
    """Return what each bin adds to the index: infinity where one side alone is empty."""
    used = (before > 0) | (after > 0)
    b, a = shares_of(before)[used], shares_of(after)[used]
    found = np.zeros(len(before))
    with np.errstate(divide="ignore"):
        found[used] = (a - b) * (np.log(a) - np.log(b))
    return found


def noncentral_limits(statistic: float, df: int, confidence: Confidence) -> tuple[float, float]:
    """Return between which noncentralities a chi-square statistic is likely.

    The lower limit is 0 where the statistic is within chance; at the upper one so small a
    statistic has a chance of 5%.

    >>> low, high = noncentral_limits(3.0, 2, Confidence(0.9))
    >>> low, round(high, 3)
    (0.0, 9.977)
    """
    from scipy.special import chndtr, chndtrinc

    low, high = (
        float(chndtrinc(statistic, df, chance)) if df and chndtr(statistic, df, 0) > chance else 0.0
        for chance in (1 - confidence.tail, confidence.tail)
    )
    return low, high


# What it shows


def unit_of(table: Table) -> str:
    """Return what a row of the table is: a bin, a score or a grade, a period or a segment."""
    return next(iter(table.columns))


def size_of(shift: Shift) -> str:
    """Return how large an index is by custom, with half a case added where it is infinite."""
    psi = shift.psi
    if math.isinf(psi) and shift.psi_half is not None:
        psi = shift.psi_half
    return "small" if psi < CUSTOMARY[0] else "moderate" if psi < CUSTOMARY[1] else "large"


def sentence_of(found: Stability, whose: str, allowing: str = "") -> str:
    """Return the index, its limits, and whether chance explains it, allowing for other tests."""
    around, verdict, half = "", "", ""
    if found.low is not None and found.high is not None:
        around = f" {limits('ratio', found.low, found.high)}"
    if found.p_value is not None:
        more = "more" if found.p_value < 1 - found.level else "no more"
        link = "but" if size_of(found) == "small" and more == "more" else "and"
        chance = f"{chance_text(found.p_value)}{allowing}"
        verdict = f", {size_of(found)} by convention {link} {more} than chance explains ({chance})"
    if math.isfinite(found.psi):
        return f"{whose} is {number(found.psi)}{around}{verdict}."
    if found.psi_half is not None:
        index = number(found.psi_half)
        half = f". With half a case added to every count it is {index}{around}{verdict}"
    return f"{whose} is infinite, because {only_once(found)}{half}."


def only_once(found: Stability) -> str:
    """Return which bins have cases in one sample only, as a sentence says it."""
    names, unit = plain_names(found.empty), unit_of(found.table)
    listed = joined(names) if len(names) <= MOST_NAMED else counted(len(names), unit)
    return f"{listed} {'has' if len(names) == 1 else 'have'} {found.of} in one sample only"


def figures_of(found: Stability) -> Iterator[Figure]:
    """Yield the index with its limits, what to expect, and the cases of both samples."""
    chance = "" if found.p_value is None else chance_text(found.p_value)
    limits, finite = (found.low, found.high, chance), math.isfinite(found.psi)
    yield Figure("psi", "PSI", "PSI", found.psi, "ratio", *(limits if finite else ()))
    if not finite and found.psi_half is not None:
        label = "PSI with half a case added"
        yield Figure("psi_half", label, label, found.psi_half, "ratio", *limits)
    if found.expected_if_unchanged is not None:
        label, value = "expected by chance alone", found.expected_if_unchanged
        yield Figure("expected_if_unchanged", label, label, value, "ratio")
    sizes = {"n_before": found.n_before, "n_after": found.n_after}
    for (key, size), name in zip(sizes.items(), plain_names(found.labels), strict=True):
        yield Figure(key, f"{found.of}, {name}", f"{found.of}, {name}", size, "count")


def _chart(found: Stability, title: str) -> Chart:
    """Return the shares of each bin, before beside after."""
    before, after = plain_names(found.labels)
    unit, ticks = unit_of(found.table), _ticks(found)
    # Names of bins have two lines, which leave no room for a title.
    named = unit == "bin" and any("\n" in name for name in ticks.names or ())
    return chart_of_shares(
        [(before, found.table["share_before"]), (after, found.table["share_after"])],
        ticks,
        BEFORE_AFTER_BAR,
        title=title,
        along="" if named else f"{capitalised(unit)}, most likely positives first",
        share=f"Share of {found.of}",
        description=(
            f"Shares of {found.of} in {counted(len(found.bins), unit)}, {before} and {after}; "
            f"PSI {number(found.psi) if math.isfinite(found.psi) else 'infinite'}"
        ),
    )


def chart_of_shares(
    samples: Sequence[tuple[str, Floats]],
    ticks: ScoreTicks,
    width: float,
    *,
    title: str,
    along: str,
    share: str,
    description: str,
) -> Chart:
    """Return bars of the shares of a sample, with those of an earlier one before them."""
    *earlier, (name, shares) = samples
    at, aside = np.arange(len(shares), dtype=np.float64), width / 2 if earlier else 0.0
    bars = [
        Bars(each, label, Style(GREY), None, at - aside, width, "////") for label, each in earlier
    ]
    own = Bars(shares, name, Style(BLUE), at=at + aside, width=width if earlier else 2 * width)
    return Chart(
        title=title,
        x=Axis(along, "score", ends=(-0.6, len(at) - 0.4)),
        y=Axis(share, "share", from_zero=True),
        bars=[*bars, own],
        rising=True,
        columns=len(samples),
        scores=ticks,
        description=description,
    )


def _numbered(found: Stability, name: str) -> Table:
    """Return the table of bins, with their numbers where the chart has these."""
    columns = dict(found.table.columns)
    if unit_of(found.table) == "bin":
        numbers = np.arange(1, len(found.bins) + 1).astype(str)
        columns = {"bin": numbers, "scores": columns.pop("bin"), **columns}
    before, after = plain_names(found.labels)
    said = f"before is {before}, after is {after}"
    return Table(name, columns, None if (before, after) == ("before", "after") else said)


def _ticks(found: Stability) -> ScoreTicks:
    """Return the names of as many bins as there is room for."""
    names = plain_names(found.bins, LONGEST_BIN_NAME)
    at = np.arange(len(names), dtype=np.float64)
    if unit_of(found.table) == "bin":
        names = [name.replace(", ", ",\n") for name in names]
    longest = max(len(line) for name in names for line in name.split("\n")) + 1
    each = math.ceil(len(names) * longest / LETTERS_ALONG_X)
    if each > 1 and unit_of(found.table) == "bin" and len(names) <= MOST_NUMBERED_BINS:
        return ScoreTicks(at, [str(place + 1) for place in range(len(names))])
    return ScoreTicks(at[::each], names[::each])
