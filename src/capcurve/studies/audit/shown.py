"""Audit: what a binned table allows, and how that is shown: sentences, ranges, band, findings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg, as_name, as_share, word
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Marker, Style, reference
from capcurve.show.columns import form_of, formed
from capcurve.show.format import (
    Worded,
    capitalised,
    certain,
    counted,
    joined,
    listed,
    number,
    shortened,
    stated_percent,
)
from capcurve.show.presentation import Figure, Finding, Presentation
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.audit.concave import rises
from capcurve.studies.audit.printed import COUNTERPARTS, DOWN, PrintedTable, Rounding
from capcurve.studies.audit.records import (
    WHOLE_TABLE,
    CellFix,
    Claim,
    Range,
    RangeInWords,
    metric_in_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.inference.records import Interval
    from capcurve.numbers.types import Array, Floats
    from capcurve.studies.audit.ranges import AllowedRankings, Assumption
    from capcurve.studies.audit.tables import Tables

STRAIGHT = {
    "straight_lines": "linear interpolation",
    "straight_low": "straight, least",
    "straight_high": "straight, most",
}
RANGE_COLUMNS = ("lowest", "straight_low", "straight_high", "highest")
DEPTHS = (0.05, 0.1, 0.2)
# What is assumed, in a sentence and in a legend.
ASSUMED_IN_WORDS: dict[str | None, tuple[str, str]] = {
    None: ("", ""),
    "concave": ("if the rate never rises with the rank, ", ", rates falling"),
    "random": ("if no bin ranks worse than at random, ", ", no bin worse than random"),
}
RANGE_NAMES = {name: METRICS[name].label for name in WHOLE_TABLE}
RANGE_NAMES |= {"ks_positive": "KS, positives ahead", "ks_negative": "KS, negatives ahead"}
FACTS = (
    "The ranges cover every score that gives this table, since the order inside the bins is open"
    "{digits}. Linear interpolation gives all cases of a bin one score."
)
DIGITS_ARE_OPEN = ", and so are the digits that were not printed"
ONLY = "these counts are the only ones that fit the printed figures"
CHANCE_AT_BOTH_ENDS = (
    "Brackets also allow for chance, from the lower limit of the low end to the upper limit of the "
    "high end (DeLong), at {level}."
)
NOT_SHARP = "sharp: both ends are reached by some cases; else the true range may be narrower"
MOST_IN_A_FINDING = 3
# Up to so many units of the last digit are what adding up rounded numbers does.
FEW_UNITS = 2
TWO_WAYS = ("lift", "ks")
EXTENTS = {True: "of each bin", False: "down to the end of each bin"}
SAID_IN_SENTENCES = {"contradiction", "misprint", "impossible_claim", "mistaken_claim"}
# How many points of the band are computed inside each bin, and how many at most in all.
POINTS_IN_A_BIN, MOST_IN_THE_BAND = 6, 400


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Audit(Result):
    """The audit of a binned table: what it allows, and whether its numbers and claims can be true.

    Attributes
    ----------
    fits
        Whether some cases give all that is printed.
    accuracy_ratio, roc_auc, ks, ks_positive, ks_negative
        Their ranges; KS two-sided, with positives ahead, with negatives ahead. None where
        nothing fits, nor the counts alone.
    claims
        The numbers stated beside the table, judged.
    conflicts
        Every set of columns, by heading, that contradict each other while fewer do not.
    impossible
        The columns that are impossible by themselves.
    cells
        Each number that alone keeps the table from fitting, with what would fit.
    counted
        Where nothing fits, the columns of counts that all numbers, ranges and claims are then from;
        empty where they do not fit each other either.
    disagreeing, units_off
        The cells that these counts do not give, with what they give, the furthest off first; and
        by how many units of the last digit they are off at most.
    least, greatest
        The tables with the lowest and the highest accuracy ratio among those that fit; None where
        none does.
    within_sd
        How far a random order inside bins moves the accuracy ratio, as a standard deviation; None
        where the numbers of cases are not known.
    table
        The table as it was printed.
    assume, rounding, level
        What was asked: see `audit_table`.
    findings
        What a reader must know, the gravest first.
    """

    _left_out = frozenset({"table", "allowed", "bins"})
    _added = ("_source", "_interval")
    _renamed = (("_source", "source"), ("_interval", "interval"))

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
    counted: tuple[str, ...] = ()
    disagreeing: tuple[CellFix, ...] = ()
    units_off: int = 0
    least: Table | None = None
    greatest: Table | None = None
    within_sd: float | None = None
    table: PrintedTable
    assume: Assumption | None = None
    rounding: Rounding = "half"
    level: float = 0.95
    findings: tuple[Finding, ...] = ()
    allowed: AllowedRankings | None = field(default=None, repr=False)
    bins: tuple[int, ...] = field(default=(), repr=False)

    def presentation(self) -> Presentation:
        """Return what the audit shows, in the order in which it is read."""
        return audit_presentation(self)

    @property
    def _source(self) -> str | None:
        return self.table.source

    @property
    def _interval(self) -> Interval | None:
        return None if self.within_sd is None else self.interval()

    def captured(self, q: float) -> Range:
        """Return the range of the share of positives among the share q of cases at the top.

        Raises `ValueError` when nothing fits the table, or q lies elsewhere.

        Parameters
        ----------
        q
            Share of cases selected, in (0, 1].

        Examples
        --------
        Of 3 positives, the better half holds the 2 of its own bin.

        >>> from capcurve import audit_table
        >>> found = audit_table({"n": [3, 3], "positives": [2, 1]}).captured(0.5)
        >>> found.low == found.high == 2 / 3
        True
        """
        return self._known.captured(_share_meant(q))

    def lift(self, q: float) -> Range:
        """Return the range of the share captured over the share q selected, q in (0, 1]."""
        return self._known.lift(_share_meant(q))

    def precision(self, q: float) -> Range:
        """Return the range of the rate of positives in the share q selected, q in (0, 1]."""
        return self._known.precision(_share_meant(q))

    def tpr(self, fpr: float) -> Range:
        """Return the range of the share of positives at a false positive rate.

        Parameters
        ----------
        fpr
            False positive rate, in [0, 1].
        """
        return self._known.tpr(_share_meant(fpr, some=False))

    @property
    def _known(self) -> AllowedRankings:
        if self.allowed is None:
            raise ValueError(
                "the table contradicts itself, so that it has no range of anything: see conflicts"
            )
        return self.allowed

    def interval(self, metric: str = "accuracy_ratio") -> Interval:
        """Return the range with chance: where the true number of the population lies.

        From the low end less its error to the high end plus its error. Raises `ValueError` when
        nothing fits, or where a table of shares does not tell how many cases there are.

        Parameters
        ----------
        metric
            "accuracy_ratio" or "roc_auc".

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
        metric = as_name(metric, "metric", ("accuracy_ratio", "roc_auc"), METRICS.aliases)
        ratio = self._known.interval(self.level)
        return ratio if metric == "accuracy_ratio" else ratio.as_auc()


def _share_meant(q: Any, *, some: bool = True) -> Fraction:
    """Return a share as the decimal number that people mean by a float."""
    found = as_share(q, "the share", some=some)
    return Fraction(q) if isinstance(q, Fraction) else Fraction(repr(found))


def audit_presentation(audit: Audit, at: Sequence[float] = ()) -> Presentation:
    """Return what an audit shows, with the shares captured at some depths."""
    title = "Audit of " + (audit.table.source or "a table of bins")
    findings = tuple(each for each in audit.findings if each.code not in SAID_IN_SENTENCES)
    ratio, least, greatest = audit.accuracy_ratio, audit.least, audit.greatest
    if ratio is None or least is None or greatest is None:  # where nothing fits
        return Presentation(
            title=title,
            sentences=tuple(_contradiction_in_words(audit)),
            light="red",
            source=audit.table.source,
            findings=findings,
            tables=tuple(_tables_of_conflicts(audit)),
        )
    figures = tuple(_figures_of_ranges(audit, at or DEPTHS[1:2]))
    chance = any(figure.limits for figure in figures)
    said = [CHANCE_AT_BOTH_ENDS.format(level=stated_percent(audit.level))] if chance else []
    cells = [cell for column in audit.table.columns for cell in column.cells]
    rounded = audit.fits and any(cell is not None and cell.unit for cell in cells)
    # What is wrong comes first.
    wrong, right = (
        [each.message for each in audit.claims if (each.possible and not each.mistake) is fine]
        for fine in (False, True)
    )
    bins = _table_of_bins(audit, least, greatest, ONLY if rounded else None)
    shown = Presentation(
        title=title,
        sentences=(*wrong, _answer(audit, ratio), *right),
        source=audit.table.source,
        figures=figures,
        level=audit.level if chance else None,
        findings=findings,
        charts=(_picture(audit, ratio, least, greatest),),
        tables=(_table_of_ranges(audit, tuple(at) or DEPTHS), bins),
        notes=(FACTS.format(digits=DIGITS_ARE_OPEN if rounded else ""), *said),
    )
    return shown if audit.fits else _beside_contradiction(audit, shown)


def _answer(audit: Audit, ratio: Range) -> str:
    """Say what the table allows, or where it contradicts itself its counts."""
    who = "the table allows" if audit.fits else f"{_headings_listed(audit.counted)} alone allow"
    assumed = capitalised(f"{ASSUMED_IN_WORDS[audit.assume][0]}{who}")
    words = RangeInWords.of(ratio)
    if ratio.low == ratio.high:
        return f"{assumed} one accuracy ratio only, {words.low}."
    about = "" if ratio.sharp else "about "
    open_ = ", as its digits allow" if len(set(words.straight)) > 1 else ""
    return (
        f"{assumed} an accuracy ratio between {about}{words.low} and {words.high} (linear "
        f"interpolation {words.between}{open_})."
    )


def _contradiction_in_words(audit: Audit) -> Iterator[str]:
    """Say that the table is impossible, and what is wrong with it."""
    if audit.impossible:
        yield f"The table is impossible: no whole counts give {_headings_listed(audit.impossible)}."
    else:
        yield "The table is inconsistent: no set of counts reproduces all columns."
    if audit.disagreeing:
        yield from _disagreement(audit)
        return
    for columns in audit.conflicts[:MOST_IN_A_FINDING]:
        if len(columns) > 1:
            yield f"{capitalised(_headings_listed(columns))} cannot be true together."
    if audit.cells:
        some = "; or ".join(cell.message.rstrip(".") for cell in audit.cells[:MOST_IN_A_FINDING])
        yield f"Correcting one number makes all fit: {some}."


def _disagreement(audit: Audit) -> Iterator[str]:
    """Say which cells the counts do not give, and why that may be."""
    off, units = audit.disagreeing, audit.units_off
    cells = counted(len(off), "cell") + (" disagrees" if len(off) == 1 else " disagree")
    size = "one unit" if units <= 1 else f"up to {units:,} units"
    why = ", probably because rounded numbers were added up" if units <= FEW_UNITS else ""
    basis = _headings_listed(audit.counted)
    yield f"Recomputed from {basis}, {cells} by {size} in the last digit{why}."
    yield f"{capitalised(off[0].message)}{' (the furthest off)' if len(off) > 1 else ''}."
    if audit.cells:
        yield f"Correcting one number makes all fit: {audit.cells[0].message}."


def _beside_contradiction(audit: Audit, shown: Presentation) -> Presentation:
    """Return what is shown of the counts alone, below what is wrong with the table."""
    alone = f"from {_headings_listed(audit.counted)} alone"
    ok = audit.units_off <= FEW_UNITS and not audit.impossible
    ok = ok and all(claim.possible for claim in audit.claims)
    tables = [replace(each, name=f"{each.name}, {alone}") for each in shown.tables]
    return replace(
        shown,
        sentences=(*_contradiction_in_words(audit), *shown.sentences),
        light="amber" if ok else "red",
        charts=tuple(replace(each, head=capitalised(alone)) for each in shown.charts),
        tables=(*_tables_of_conflicts(audit), *tables),
    )


def _headings_listed(names: Sequence[str]) -> str:
    return joined(map(shortened, names))


def _figures_of_ranges(audit: Audit, depths: Sequence[float]) -> Iterator[Figure]:
    """Return the headline numbers: ranges, with chance where it is known."""
    for metric in WHOLE_TABLE:
        found: Range = getattr(audit, metric)
        known = metric != "ks" and audit.within_sd is not None
        low, high = audit.interval(metric) if known else (None, None)
        note, name = f"linear interpolation {RangeInWords.of(found).between}", RANGE_NAMES[metric]
        yield Figure(metric, name, name, (found.low, found.high), "ratio", low, high, note)
    for q in depths:
        name = f"captured at {stated_percent(q)}"
        found = audit.captured(q)
        yield Figure(f"captured_{100 * q:g}", name, name, (found.low, found.high), "share")


def _table_of_ranges(audit: Audit, depths: Sequence[float]) -> Table:
    """Return every range, a row each."""
    held: list[tuple[str, Range]] = [(name, getattr(audit, k)) for k, name in RANGE_NAMES.items()]
    held += [
        (f"{name} at {stated_percent(q)}", getattr(audit, name)(q))
        for name in ("captured", "lift", "precision")
        for q in depths
    ]
    columns: dict[str, Array] = {
        "number": np.array([name for name, _ in held]),
        **_in_columns((found, name.partition(" ")[0]) for name, found in held),
    }
    if all(found.sharp for _, found in held):
        return Table("What the table allows", columns)
    columns["sharp"] = np.array(["yes" if found.sharp else "no" for _, found in held])
    return Table("What the table allows", columns, NOT_SHARP)


def _in_columns(ranges: Iterable[tuple[Range, str]]) -> dict[str, Array]:
    """Return ranges by column, each end with the words that it has everywhere."""
    columns: dict[str, list[Worded]] = {name: [] for name in RANGE_COLUMNS}
    for found, metric in ranges:
        words = RangeInWords.of(found, share=form_of(metric) == "share")
        numbers = (found.low, *found.straight, found.high)
        texts = (words.low, *words.straight, words.high)
        for column, each, text in zip(columns.values(), numbers, texts, strict=True):
            column.append(Worded(each, text))
    if columns["straight_low"] == columns["straight_high"]:
        lowest, straight, _, highest = columns.values()
        columns = {"lowest": lowest, "straight_lines": straight, "highest": highest}
    arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
    return formed(arrays, STRAIGHT, count=" ".join(STRAIGHT))


def _table_of_bins(audit: Audit, least: Table, greatest: Table, only: str | None) -> Table:
    """Return of each bin what the least and the greatest table that fit have down to its end."""
    names = ("bin", "n", "selected", "positives", "rate", "captured")
    low, high = least["captured"], greatest["captured"]
    if (low == high).all():
        columns = {name: least[name] for name in names if name in least.columns}
        return Table("The bins", columns, only)
    columns = {name: least[name] for name in names[:3] if name in least.columns}
    ends = [certain(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    columns["captured_low"] = np.array([first for first, _ in ends], dtype=object)
    said_so = (c for c in audit.table.columns if c.quantity == "captured" and not c.from_below)
    printed = next(said_so, None)
    if printed is not None:
        cells = (printed.cells[b] for b in audit.bins)
        said = ["" if cell is None else cell.text for cell in cells]
        columns["printed"] = np.array(said, dtype=np.str_)
    columns["captured_high"] = np.array([last for _, last in ends], dtype=object)
    heads = {"captured_low": "captured, least", "captured_high": "captured, most"}
    columns = formed(columns, heads, share=" ".join(heads))
    return Table("The bins", columns, "captured: between the least and the most of all that fit")


def _tables_of_conflicts(audit: Audit) -> Iterator[Table]:
    if audit.disagreeing:
        columns = {"bin": "bin", "column": "column", "printed": "text", "recomputed": "would_fit"}
        name = f"Cells that disagree with {_headings_listed(audit.counted)}, the furthest off first"
        yield Table(name, _of_cells(audit.disagreeing, columns))
        return
    alone = [(name,) for name in audit.impossible]
    sets = list(dict.fromkeys([*alone, *audit.conflicts]))
    if audit.cells:
        columns = {"column": "column", "bin": "bin", "printed": "text", "would_fit": "would_fit"}
        known = formed(_of_cells(audit.cells, columns), count="would_fit")
        yield Table("Corrections that make all numbers fit", known)
    if sets:
        said = np.array([_headings_listed(each) for each in sets])
        yield Table("Columns that cannot all be true", {"columns": said})


def _of_cells(cells: Sequence[CellFix], columns: Mapping[str, str]) -> dict[str, Array]:
    """Return cells as columns, each of one of their fields."""
    return {name: np.array([getattr(c, of) for c in cells]) for name, of in columns.items()}


def _picture(audit: Audit, ratio: Range, least: Table, greatest: Table) -> Chart:
    """Return the band between the lowest and the highest CAP that fit."""
    edges = _floats_of(least, "selected")
    depths = _depths(edges, least, greatest)
    found = [audit.captured(float(q)) for q in depths]
    own = [sum(audit.captured(float(q)).straight) / 2 for q in edges]
    x, low, high = (
        np.array([0.0, *values])
        for values in (depths, [each.low for each in found], [each.high for each in found])
    )
    words = RangeInWords.of(ratio)
    assumed = ASSUMED_IN_WORDS[audit.assume][1]
    label = f"Curves that fit{assumed}  AR {words.low} to {words.high}"
    straight = Line(
        np.array([0.0, *edges]),
        np.array([0.0, *own]),
        f"Linear interpolation  AR {words.between}",
        Style(BLUE),
        marker=Marker("o", 0.5) if len(edges) <= MOST_IN_THE_BAND / POINTS_IN_A_BIN else None,
    )
    positives = float(np.nansum(_floats_of(least, "rate") * np.diff(edges, prepend=0)))
    perfect = reference([0, positives, 1], [0, 1, 1], "Perfect", dashed=False)
    return Chart(
        title="CAP curves that the table allows",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[straight, perfect, reference([0, 1], [0, 1], "Random")],
        bands=[ChartBand(x, low, high, label, BLUE)],
        corner="upper left" if ratio.high < 0 else "lower right",
    )


def _floats_of(table: Table, name: str) -> Floats:
    return np.array(table[name].tolist(), dtype=np.float64)


def _depths(edges: Floats, least: Table, greatest: Table) -> Floats:
    """Return where the band is computed: at the ends of bins, its corners inside, and between."""
    starts = np.concatenate([[0.0], edges[:-1]])
    width = edges - starts
    found = [edges]
    for table in (least, greatest):
        positives = np.nan_to_num(_floats_of(table, "rate")) * width
        found += [starts + positives, edges - positives]
    if POINTS_IN_A_BIN * len(edges) <= MOST_IN_THE_BAND:
        found += [starts + width * each / POINTS_IN_A_BIN for each in range(1, POINTS_IN_A_BIN)]
    depths = np.unique(np.concatenate(found))
    return depths[(depths > 0) & (depths <= 1)]


def of_bins(printed: PrintedTable, kept: Sequence[int]) -> Iterator[Finding]:
    """Yield which bins hold no cases, and whether bins share scores."""
    empty = [name for b, name in enumerate(printed.names) if b not in kept]
    if empty:
        message = f"bins without cases are left out: {', '.join(empty)}"
        yield Finding("empty_bins", "info", message, "they change nothing")
    edges = [printed.edges[b] for b in kept] if printed.edges else []
    shared: list[str] = []
    for upper, lower in pairwise(edges):
        shared += [str(score) for score in upper if score is not None and score in lower][:1]
    if shared:
        said = ", ".join(shared)
        message = f"bins share scores ({said}), so the ranges may not apply to the score"
        advice = "cut bins between scores; if no case has these cut points, all is well"
        yield Finding("shared_scores", "warning", message, advice)


def of_contradiction(
    conflicts: Sequence[Sequence[str]], cells: Sequence[CellFix], *, cut_off: bool
) -> Iterator[Finding]:
    """Yield what there is to know of a table that contradicts itself."""
    sets = [" and ".join(each) for each in conflicts[:MOST_IN_A_FINDING]]
    more = len(conflicts) - len(sets)
    rest = f"; and {more} more" if more else ""
    alone = all(len(each) == 1 for each in conflicts)
    words = "cannot be true by itself" if alone and len(conflicts) == 1 else "cannot all be true"
    message = f"no numbers of cases give what is printed: {'; '.join(sets)}{rest} {words}"
    advice = "ask for the counts behind the table; until then use none of its numbers"
    yield Finding("contradiction", "error", message, advice)
    for cell in cells[:MOST_IN_A_FINDING]:
        advice = "if this number is misprinted, all else fits"
        yield Finding("misprint", "warning", cell.message, advice)
    if cut_off:
        message = "all numbers fit if their digits were cut off instead of rounded"
        advice = f"audit the table with {word(rounding='down')}"
        yield Finding("cut_off", "warning", message, advice)


def of_meanings(printed: PrintedTable, conflicts: Sequence[Sequence[str]]) -> Iterator[Finding]:
    """Yield as what columns that cannot be true are read, and how to say that they are not."""
    wrong = {heading for each in conflicts for heading in each}
    found = [column for column in printed.columns if column.heading in wrong]
    if not found:
        return
    # Those first that tools mean in two ways by one heading.
    found = sorted(found, key=lambda column: column.quantity not in TWO_WAYS)[:MOST_IN_A_FINDING]
    said = [f"{c.heading!r} as {c.quantity} {EXTENTS[c.quantity in DOWN]}" for c in found]
    first, other = found[0], COUNTERPARTS.get(found[0].quantity, "ks")
    advice = f"if one is something else, state it as in {arg(columns={first.heading: other})}"
    yield Finding("columns_read", "info", f"the audit reads {joined(said)}", advice)


def of_rounding(disagreeing: Mapping[Rounding, int], asked: Rounding) -> Iterator[Finding]:
    """Yield with which rounding fewer cells disagree with the counts."""
    least = min(disagreeing, key=lambda each: disagreeing[each])
    if disagreeing[least] < disagreeing[asked]:
        how = {"half": "rounded to the nearest", "down": "cut off", "any": "rounded or cut off"}
        yield Finding(
            "other_rounding",
            "info",
            f"if digits may be {how[least]}, {disagreeing[least]:,} instead of "
            f"{disagreeing[asked]:,} cells disagree with the counts",
            f"audit the table with {word(rounding=least)}",
        )


def of_claims(claims: Sequence[Claim]) -> Iterator[Finding]:
    """Yield the claims that cannot be true, and those that are something else."""
    for claim in claims:
        words = f"the claimed {metric_in_words(claim.metric)} of {claim.said}"
        if not claim.possible:
            advice = "ask how it was computed, and from which cases"
            yield Finding("impossible_claim", "error", f"{words} is impossible", advice)
        if claim.mistake is not None:
            message, advice = f"{words} is {claim.mistake}", "ask which definition was used"
            yield Finding("mistaken_claim", "warning", message, advice)


def of_rates(tables: Tables, ratio: Range, bins: Sequence[str]) -> Iterator[Finding]:
    """Yield whether the rate of positives rises from bin to bin, or over the whole table."""
    if ratio.straight[1] < 0:
        yield Finding(
            "reversed",
            "warning",
            "rates of positives rise from top to bottom: the accuracy ratio of the table is "
            f"{RangeInWords.of(ratio).straight[1]}",
            f"if the most likely positives are at the bottom, use {word(order='ascending')}",
        )
        return
    only = tables.only
    where = [] if only is None else rises(only)
    if where:
        names = [f"{bins[b]} to {bins[b + 1]}" for b in where]
        message = f"the rate of positives rises from bin {listed(names, MOST_IN_A_FINDING)}"
        advice = "either the score ranks wrongly there, or the bins are too small to show it"
        yield Finding("rates_rise", "info", message, advice)


def of_ks(ks: Range, printed: PrintedTable, claims: Sequence[Claim]) -> Iterator[Finding]:
    """Yield that the KS of a table is the smallest that its cases can have."""
    told = any(c.quantity in {"ks", "ks_absolute"} for c in printed.columns)
    words = RangeInWords.of(ks)
    if ks.high > ks.low and (told or any(claim.metric == "ks" for claim in claims)):
        yield Finding(
            "ks_at_bin_ends",
            "info",
            f"the table's KS of {words.straight[0]} is a gap at the end of a bin; inside a bin it "
            f"may reach {words.high}",
            "compare it only with another KS from bins",
        )


def of_population(sd: float | None, ratio: Range) -> Iterator[Finding]:
    """Yield that a concave curve speaks of the population and not of these cases."""
    moved = "" if sd is None else f" by about {number(sd)} (one standard deviation)"
    yield Finding(
        "population",
        "info",
        f"the ranges up to {RangeInWords.of(ratio).high} are those of a population whose curve is "
        f"concave; chance inside the bins moves the accuracy ratio of these cases{moved}, and "
        "their KS may exceed its range",
        "judge a sample's own numbers by the ranges without an assumption",
    )


def of_precision(tables: Tables) -> Iterator[Finding]:
    """Yield that ranges are wider, or found on a grid, where they are not sharp."""
    if not tables.sharp:
        yield Finding(
            "not_sharp",
            "info",
            "the ends of the ranges are approximate: sizes of bins are rounded, the prevalence was "
            "scanned, or gaps were printed without a sign",
            "give the number of cases in each bin and the positives",
        )
    if len(tables) > 1 and tables.at(0).least.counted:
        totals = [tables.at(0).least.n1, tables.at(len(tables) - 1).least.n1]
        yield Finding(
            "positives_unknown",
            "info",
            f"the table fits with {len(tables):,} numbers of positives, from {totals[0]:,} to "
            f"{totals[1]:,}; the ranges cover them all",
            f"state how many there are with {arg('positives')}",
        )
