"""population_stability: how far a portfolio moved from one sample to another, or by period."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from capcurve.gate.given import Segmented, segments
from capcurve.gate.taking import CASES, as_given, resolving
from capcurve.inference.differences import holm
from capcurve.numbers.arguments import arg, as_name, as_open_share, spoken
from capcurve.numbers.periods import by_time
from capcurve.results.findings import MOST_PARTS_NAMED
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    Axis,
    Chart,
    Marker,
    ScoreTicks,
    across_periods,
    along_periods,
    dotted,
    marks,
    whiskers,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    amount,
    capitalised,
    counted,
    cutoff_text,
    listed,
    plain_names,
    stated_percent,
)
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.grades.scales import as_two_labels
from capcurve.studies.grades.stability import (
    CUSTOMARY,
    NO_VERDICT,
    PSI_MEANING,
    PSI_METHOD,
    WHOSE,
    Stability,
    WhichCases,
    binned,
    figures_of,
    sample_of,
    sentence_of,
    size_of,
    stability_of,
    unit_of,
)

if TYPE_CHECKING:
    from capcurve.counts import ScoreCounts
    from capcurve.gate.taking import ComparesShares

PERIODS_OF_CASES = Segmented(
    "population_stability compares two samples, or counts by period, got {kind}: write "
    "population_stability(p, by=month)",
    "there are no periods; count them with count_case_segments(p, by=month)",
    "there are the periods of several scores, {names}; pass those of one",
)
ROOM_ABOVE_INDEX = 1.08


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class StabilityByPeriod(Result):
    """The population stability index of every period against one sample, on the same bins.

    Attributes
    ----------
    largest
        The period with the largest index.
    moved
        The periods that moved more than chance explains, allowing for the number of periods.
    reference
        What the sample is called that all periods are compared with.
    table
        A row per period, in order of time: its cases, index, limits and p-values, of which
        `p_adjusted` is Holm's for all periods, and how large the index is by custom.
    periods
        The `Stability` of each period by its name, with the shares of every bin.
    cuts
        Where bins end: `bins=cuts` compares any two of the samples on the same bins.
    notes
        What a reader must know.
    """

    _as_rows = frozenset({"table"})

    largest: str
    moved: tuple[str, ...]
    reference: str
    table: Table
    periods: Mapping[str, Stability]
    cuts: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        (against,), top = plain_names([self.reference]), self.periods[self.largest]
        of = "" if top.of == "cases" else f" of the {top.of}"
        by, known = unit_of(self.table), top.p_value is not None
        name = f"PSI{of} by {by}, against {against}"
        method = [f"{PSI_METHOD}. P-values are adjusted for all {by}s (Holm)"] if known else []
        bins = f"every {by} has the same bins, which are those of {against}"
        notes = (*self.notes, bins, PSI_MEANING, *method, NO_VERDICT)
        return Presentation(
            title=name,
            sentences=tuple(_sentences(self, against)),
            figures=tuple(_figures(self)),
            level=top.level if known else None,
            charts=(_chart(self, against),),
            tables=(_shown(self, name),),
            notes=as_sentences(notes),
        )


def compares_shares(function: Callable[..., Any]) -> ComparesShares[Stability, StabilityByPeriod]:
    """Let a function of the cases of samples take columns, by period too, in their place."""
    found: ComparesShares[Stability, StabilityByPeriod] = resolving(function, as_given, CASES)
    return found


@compares_shares
def population_stability(
    before: Any,
    after: Any = None,
    *,
    bins: int | str | Sequence[Any] | None = None,
    of: WhichCases = "cases",
    level: float = 0.95,
    labels: tuple[str, str] = ("before", "after"),
    reference: object = None,
) -> Stability | StabilityByPeriod:
    """Return the population stability index (PSI) of two samples, with its limits and a test.

    With `by=` the last of the columns is split, and every period is compared with the first one,
    with `reference`, or with `before`. It passes no verdict: 0.10 and 0.25 take no account of
    sample sizes. Raises `ValueError` when a sample has no such cases, or when their scores do not
    mean the same.

    Parameters
    ----------
    before, after
        Counts of two samples on the same score or scale of grades; those of cases without outcome,
        from `count_cases`, too. In place of the last a dict of counts by period: `before` alone, or
        `after` to be compared with another sample.
    bins
        How many bins of about equal size in `before`, whose ties are never split; "score" for one
        per grade or distinct score; or cut points, as in `gains_table`. Left out: every grade of
        the scale, those without cases included; every score where both samples have at most 20,
        which cases share; else ten bins. A score that alone holds more than a bin and a half has
        its own.
    of
        "cases", "positives" or "negatives": whose shares are compared. Where those of one class
        moved within the grades, it is the ranking that changed and not the portfolio alone.
    level
        Confidence level of the two-sided limits.
    labels
        What the two samples are called; with periods the first one is that before them.
    reference
        The period that all others are compared with (default: the first in time). Segments that
        are no periods, such as products, need it, or another sample.

    Notes
    -----
    The p-value is that of Pearson's chi-square of the two samples: the index itself against
    (1/n + 1/m)·χ² (Yurdakul & Naranjo 2020, Journal of Risk Model Validation 14) rejects 5 to 50%
    at 5% where bins are sparse. The limits invert the noncentral chi-square law at `psi_half`. A
    bin with cases in one sample only makes the index infinite, whatever is filled in elsewhere; one
    that is empty in both adds nothing and counts for no degree of freedom. Of weighted rows there
    is the index alone; clustered ones are taken as independent, with a note.

    All periods have the same bins: quantiles are those of the sample that they are compared with,
    grades those of all of them, and a score that alone holds more than a bin and a half of all
    other periods together has its own. P-values are adjusted by Holm's method for all periods.

    With columns, `missing="bin"` makes the cases without a score a bin of their own, which is
    last and called "(missing)".

    Examples
    --------
    Shares of 1/2 and 1/2 become 3/4 and 1/4: (1/4)·ln(3/2) + (1/4)·ln 2 = (1/4)·ln 3.

    >>> from capcurve import ScoreCounts
    >>> before = ScoreCounts.from_counts([2, 1], [1, 1], [9, 9])
    >>> after = ScoreCounts.from_counts([2, 1], [2, 1], [13, 4])
    >>> found = population_stability(before, after, bins="score")
    >>> round(found.psi, 6), found.df, round(found.p_value, 3)
    (0.274653, 1, 0.102)
    """
    of = cast("WhichCases", as_name(of, "of", get_args(WhichCases), {}))
    level, labels = as_open_share(level, "level"), as_two_labels(labels)
    if after is None or isinstance(after, Mapping):
        periods = before if after is None else after
        parts = segments(periods, "population_stability", PERIODS_OF_CASES)
        if after is None and labels != ("before", "after"):
            raise ValueError("labels= names two samples, and periods have names; leave it out")
        whole = None if after is None else sample_of(before, of, labels[0])
        if whole is None or reference is None:
            return _by_period(parts, whole, bins, of, level, labels[0], reference)
    if reference is not None:
        raise ValueError(
            "reference= names the period to compare with, and the first sample is another one to "
            "compare with; leave one of the two out"
        )
    both = (sample_of(before, of, labels[0]), sample_of(after, of, labels[1]))
    found = binned(both, bins, of, labels)
    return stability_of(both, found, (found.counts[0], found.counts[1]), of, level, labels)


psi = population_stability


def _by_period(
    parts: Mapping[Any, Any],
    before: ScoreCounts | None,
    bins: int | str | Sequence[Any] | None,
    of: WhichCases,
    level: float,
    name: str,
    reference: object,
) -> StabilityByPeriod:
    """Compare every period with another sample, or with one period, the first unless named."""
    known = {key: part for key, part in parts.items() if key is not None}
    ordered, in_time = _in_order(known, sure=before is None and reference is None)
    texts = {key: cutoff_text(key) for key in ordered}
    samples = {text: sample_of(ordered[key], of, text) for key, text in texts.items()}
    if len(samples) < len(texts):
        named = listed(samples, MOST_PARTS_NAMED)
        raise ValueError(f"two of the segments {named} are written alike")
    if before is None:
        if len(samples) < 2:  # noqa: PLR2004 - a pair
            held = f"the only one is {next(iter(samples))}" if samples else "there is none"
            raise ValueError(f"a period is compared with another one, and {held}")
        name = next(iter(samples)) if reference is None else cutoff_text(reference)
        if name not in samples:
            held = listed(samples, MOST_PARTS_NAMED)
            raise ValueError(f"{arg(reference=name)} is not among the periods, which are {held}")
        before = samples.pop(name)
    full = {key: each for key, each in samples.items() if _cases(each, of) > 0}
    if not full:
        raise ValueError(f"no period has {of} to be compared with {name}")
    found = binned([before, *full.values()], bins, of, [name, *full])
    first, *others = found.counts
    pairs = {
        key: stability_of((before, each), found, (first, counts), of, level, (name, key))
        for (key, each), counts in zip(full.items(), others, strict=True)
    }
    empty = listed([key for key in samples if key not in full], MOST_PARTS_NAMED)
    notes = [f"without {of}, and left out: {empty}"] if empty else []
    if None in parts:
        notes.append(f"left out for lack of a period: {counted(parts[None].n, 'case')}")
    table = _table(pairs, "period" if in_time else "segment")
    p, names = table["p_adjusted"], table.columns["period" if in_time else "segment"]
    return StabilityByPeriod(
        largest=max(pairs, key=lambda key: (pairs[key].psi, pairs[key].psi_half or 0.0)),
        moved=tuple(names[p < 1 - level].tolist()),
        reference=name,
        table=table,
        periods=pairs,
        cuts=tuple(found.cuts),
        notes=(*notes, *_notes(pairs)),
    )


def _in_order(parts: Mapping[Any, Any], *, sure: bool) -> tuple[Mapping[Any, Any], bool]:
    """Return periods in order of time, and whether they have one: `sure` refuses others."""
    try:
        return by_time(parts), True
    except ValueError as error:
        if sure:
            raise ValueError(
                f"{error}, or name what to compare with: {spoken('reference=')}"
            ) from None
        return parts, False


def _cases(sample: ScoreCounts, of: WhichCases) -> float:
    """Return how many cases of a class there are, with or without a score."""
    held = {"cases": sample.n, "positives": sample.n1, "negatives": sample.n0}[of]
    return float(held + ((sample.dropped and sample.dropped.unscored) or 0))


def _table(pairs: Mapping[str, Stability], by: str) -> Table:
    """Return a row per period."""
    numbers = ("psi", "psi_half", "low", "high", "expected_if_unchanged", "p_value")
    adjusted = np.full(len(pairs), np.nan)
    known = [place for place, each in enumerate(pairs.values()) if each.p_value is not None]
    adjusted[known] = holm([each.p_value for each in pairs.values() if each.p_value is not None])
    columns = {
        by: np.array(list(pairs)),
        "n": np.array([each.n_after for each in pairs.values()]),
        **{
            name: np.array([getattr(each, name) for each in pairs.values()], dtype=np.float64)
            for name in numbers
        },
        "p_adjusted": adjusted,
        "size": np.array([size_of(each) for each in pairs.values()]),
    }
    return Table("population stability by period", _known(columns, fine="psi"))


def _known(columns: Mapping[str, Any], **names: str) -> dict[str, Any]:
    """Return columns of indices, with what is called alike in the table and as people read it."""
    psi = {"psi": "PSI", "psi_index": "PSI", "psi_half": "PSI + half a case"}
    ratios = "psi_index psi_half expected_if_unchanged low high"
    return formed(columns, {**psi, "expected_if_unchanged": "expected"}, ratio=ratios, **names)


def _notes(pairs: Mapping[str, Stability]) -> Iterator[str]:
    """Yield what a reader must know, and of which periods, unless it is of all."""
    about: dict[str, list[str]] = {}
    for name, each in pairs.items():
        usual = f" by {each.expected_if_unchanged or 0:.3f} on average"
        for note in each.notes:
            about.setdefault(note.replace(usual, " on average"), []).append(name)
    for note, of in about.items():
        whose = "" if len(of) == len(pairs) else f"{listed(plain_names(of), MOST_PARTS_NAMED)}: "
        yield f"{whose}{note}"


# What it shows


def _largest(found: StabilityByPeriod) -> Stability:
    """Return the period with the largest index, its p-value adjusted for all periods."""
    top = found.periods[found.largest]
    p = found.table["p_adjusted"][list(found.periods).index(found.largest)]
    return top if top.p_value is None else replace(top, p_value=float(p))


def _sentences(found: StabilityByPeriod, against: str) -> Iterator[str]:
    """Yield the largest index and whether chance explains it, then how many periods moved."""
    top, periods = _largest(found), counted(len(found.table), unit_of(found.table))
    (name,) = plain_names([found.largest])
    whose = f"{WHOSE[top.of].replace('PSI', 'largest PSI')} against {against} (in {name})"
    yield sentence_of(top, whose, f", adjusted for {periods}")
    if top.p_value is not None and len(found.table) > 1:
        which = f" ({listed(plain_names(found.moved), MOST_PARTS_NAMED)})" if found.moved else ""
        how_many = len(found.moved) or "None"
        yield f"{how_many} of {periods} moved more than chance explains{which}."


def _figures(found: StabilityByPeriod) -> Iterator[Figure]:
    top, (name,) = _largest(found), plain_names([found.largest])
    first, *others = figures_of(top)
    label = f"largest PSI, {name}"
    yield replace(first, label=label, short=label)
    yield from others
    if top.p_value is not None:
        many = f"{unit_of(found.table)}s moved more than chance"
        yield Figure("moved", many, many, len(found.moved), "count")


def _shown(found: StabilityByPeriod, name: str) -> Table:
    """Return the table of periods as people read it."""
    table, of = found.table, found.periods[found.largest].of
    by = unit_of(table)
    columns = {by: table[by], of: table["n"], "psi_index": table["psi"]}
    if not np.isnan(table["p_value"]).all():
        infinite = not np.isfinite(table["psi"]).all()
        columns |= {"psi_half": table["psi_half"]} if infinite else {}
        names = ("expected_if_unchanged", "low", "high", "p_adjusted")
        columns |= {name: table[name] for name in names}
    return Table(name, _known(columns | {"size": table["size"]}))


def _chart(found: StabilityByPeriod, against: str) -> Chart:
    """Return the index by period with its limits, the customary ones, and the cases below."""
    table, top, by = found.table, found.periods[found.largest], unit_of(found.table)
    psi, low, high = table["psi"], table["low"], table["high"]
    at = np.arange(len(psi), dtype=np.float64)
    heights = np.where(np.isfinite(psi), psi, table["psi_half"])
    drawn, limited = np.isfinite(heights), np.isfinite(high)
    infinite = drawn & ~np.isfinite(psi)
    label = f"PSI, {stated_percent(top.level)} interval" if limited.any() else "PSI"
    # A line joins what follows in time.
    points = dotted(at[drawn], heights[drawn], label)
    if by == "segment":
        points = [marks(at[drawn], heights[drawn], label, BLUE, Marker())]
    if infinite.any():
        sign, told = Marker("D", 0.9, hollow=True, edge=1.0), "Infinite; with half a case added"
        points.append(marks(at[infinite], heights[infinite], told, COLOURS[1], sign))
    names = zip(plain_names(list(found.periods)), table["n"].tolist(), strict=True)
    return Chart(
        title=f"PSI by {by}",
        x=replace(along_periods(len(at)), title=f"{capitalised(by)}, with its {top.of}"),
        y=Axis(
            f"PSI against {against}",
            "number",
            ends=(0.0, ROOM_ABOVE_INDEX * max(*heights[drawn], *high[limited], *CUSTOMARY)),
        ),
        lines=[
            *(across_periods(len(at), limit, f"{limit:.2f} by convention") for limit in CUSTOMARY),
            *whiskers(at[limited], low[limited], high[limited]),
            *points,
        ],
        scores=ScoreTicks(at, [f"{name}\n{amount(n)}" for name, n in names]),
        corner="upper left",
        rising=True,
        description=" ".join(_sentences(found, against)),
    )
