"""What a reader of an audit must know: contradictions, mistakes, what a range does not say."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from capcurve.show.finding import Finding
from capcurve.show.format import listed, number
from capcurve.studies.audit.concave import rises
from capcurve.studies.audit.records import RangeInWords, metric_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.studies.audit.printed import PrintedTable
    from capcurve.studies.audit.records import CellFix, Claim, Range
    from capcurve.studies.audit.tables import Tables

MOST_NAMED = 3


def read_otherwise(chosen: PrintedTable, others: Sequence[PrintedTable]) -> dict[str, list[str]]:
    """Return the headings that have several meanings in readings of a table, and these in words."""
    found = {}
    for column in chosen.columns:
        same = (c for table in others for c in table.columns if c.heading == column.heading)
        words = list(dict.fromkeys([column.words, *(each.words for each in same)]))
        if len(words) > 1:
            found[column.heading] = words
    return found


def of_headings(several: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Yield which columns may be read otherwise, so that all fits as well."""
    for heading, words in several.items():
        yield Finding(
            "heading_open",
            "warning",
            f"the column {heading!r} is read as the {words[0]}; it fits as well as the "
            f"{' or the '.join(words[1:])}",
            "the ranges are those of this reading; add a column that tells which is meant",
        )


def of_last_row(printed: PrintedTable) -> Finding:
    """Return that the last row of a table, taken for its totals, may be a bin as well."""
    name, total = ("cases", printed.cases) if printed.cases else ("positives", printed.positives)
    return Finding(
        "last_row",
        "warning",
        "the last row may hold the totals of the others or be a bin: all fits in both cases",
        f"if it holds totals, say {name}={total or 0}; if it is a bin, {name}={2 * (total or 0)}",
    )


def of_bins(printed: PrintedTable, kept: Sequence[int]) -> Iterator[Finding]:
    """Yield which bins hold no cases, and whether bins share scores."""
    empty = [name for b, name in enumerate(printed.names) if b not in kept]
    if empty:
        message = f"bins without cases are left out: {', '.join(empty)}"
        yield Finding("empty_bins", "info", message, "they change nothing")
    shared = _shared_scores([printed.edges[b] for b in kept] if printed.edges else [])
    if shared:
        yield Finding(
            "shared_scores",
            "warning",
            f"bins share scores ({', '.join(shared)}): cases of one score stand on both sides of "
            f"an edge, so the ranges say nothing about the score",
            "bins must be cut between scores; if these are cut points that no case has, all is "
            "well",
        )


def _shared_scores(edges: Sequence[tuple[object, object]]) -> list[str]:
    """Return the scores at which one bin ends and the next begins."""
    found = []
    for upper, lower in pairwise(edges):
        for score in upper:
            if score is not None and score in lower:
                found.append(str(score))
                break
    return found


def of_contradiction(
    conflicts: Sequence[Sequence[str]], cells: Sequence[CellFix], *, cut_off: bool
) -> Iterator[Finding]:
    """Yield what there is to know of a table that contradicts itself."""
    sets = [" and ".join(each) for each in conflicts[:MOST_NAMED]]
    more = len(conflicts) - len(sets)
    rest = f"; and {more} more" if more else ""
    alone = all(len(each) == 1 for each in conflicts)
    words = "cannot be true by itself" if alone and len(conflicts) == 1 else "cannot all be true"
    yield Finding(
        "contradiction",
        "error",
        f"no numbers of cases give what is printed: {'; '.join(sets)}{rest} {words}",
        "ask for the counts behind the table; until then quote none of its numbers",
    )
    for cell in cells[:MOST_NAMED]:
        advice = "if this number is misprinted, all else fits"
        yield Finding("misprint", "warning", cell.message, advice)
    if cut_off:
        message = "all numbers fit if their digits were cut off instead of rounded"
        yield Finding("cut_off", "warning", message, 'audit the table with rounding="down"')


def of_claims(claims: Sequence[Claim]) -> Iterator[Finding]:
    """Yield the claims that cannot be true, and those that are something else."""
    for claim in claims:
        words = f"the claimed {metric_in_words(claim.metric)} of {claim.said}"
        if not claim.possible:
            advice = "ask how it was computed, and from which cases"
            yield Finding("impossible_claim", "error", f"{words} is impossible", advice)
        elif not claim.together:
            message = f"{words} fits the table, but not together with the other claims"
            advice = "ask whether all were computed from the same cases and score"
            yield Finding("claims_conflict", "error", message, advice)
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
            'if the most likely positives stand at the bottom, say order="ascending"',
        )
        return
    only = tables.only
    where = [] if only is None else rises(only)
    if where:
        names = [f"{bins[b]} to {bins[b + 1]}" for b in where]
        yield Finding(
            "rates_rise",
            "info",
            f"the rate of positives rises from bin {listed(names, MOST_NAMED)}",
            "either the score ranks wrongly there, or the bins are too small to tell",
        )


def of_ks(ks: Range, printed: PrintedTable, claims: Sequence[Claim]) -> Iterator[Finding]:
    """Yield that the KS of a table is the smallest that its cases can have."""
    told = any(c.quantity in {"ks", "ks_absolute"} for c in printed.columns)
    words = RangeInWords.of(ks)
    if ks.high > ks.low and (told or any(claim.metric == "ks" for claim in claims)):
        yield Finding(
            "ks_at_bin_ends",
            "info",
            f"the KS of the table, {words.straight[0]}, is the gap at the end of a bin; "
            f"inside a bin it may reach {words.high}",
            "compare it only with a KS from bins as well",
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
            f"{totals[1]:,}; the ranges hold them all",
            "say how many there are with positives=",
        )
