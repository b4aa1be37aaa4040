"""Audit of a binned table: what it allows, whether it can be true, and whether claims fit it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from capcurve.numbers.arguments import as_open_share, as_word, told
from capcurve.numbers.order import LARGEST_TOTAL
from capcurve.show.presentation import gravest_first
from capcurve.show.table import Table
from capcurve.studies.audit import shown
from capcurve.studies.audit.bins import Bins, extreme, ratio_of_bins, within_sd
from capcurve.studies.audit.claims import Stated, judged, stated
from capcurve.studies.audit.printed import COUNTED, PrintedTable, Rounding
from capcurve.studies.audit.problems import (
    ReadProblem,
    counts_alone,
    disagreements,
    minimal_conflicts,
    misprints,
    problem_of,
)
from capcurve.studies.audit.ranges import (
    AllowedRankings,
    Assumption,
    allowed_under,
    auc_range,
)
from capcurve.studies.audit.reading import other_readings, read_table
from capcurve.studies.audit.shown import Audit
from capcurve.studies.audit.tables import how_many

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.numbers.types import Array
    from capcurve.studies.audit.reading.table import Order
    from capcurve.studies.audit.tables import Tables

# With more possible numbers of positives nobody is told that digits may have been cut off.
MOST_TOTALS_CUT_OFF = 20_000


def audit_table(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    positives: int | None = None,
    cases: int | None = None,
    prevalence: Any = None,
    claims: Mapping[Any, Any] | None = None,
    assume: Assumption | None = None,
    rounding: Rounding = "half",
    order: Order = "descending",
    decimals: int | Mapping[str, int] | None = None,
    level: float = 0.95,
) -> Audit:
    """Audit a binned table: what its printed figures allow, and whether they can be true.

    From a table of cases and positives per bin, exact or printed to some digits: from where to
    where accuracy ratio, AUC, KS and shares captured lie, whatever the order inside the bins;
    whether its columns contradict each other, and which number would put that right; and whether
    numbers stated beside it are possible, impossible, or something else than they are said to be.

    Raises `ValueError` when the table does not say enough, with what is missing; for
    `assume="concave"` where rates rise.

    Parameters
    ----------
    table
        Columns by name, a `Table`, a data frame, or the path of a csv file or an open one, which
        is read as text, since 0.50 says more than 0.5. It has the cases of each bin, or the share
        selected, and one or more of: positives, negatives, rate, captured, lift, cum_lift, ks, fpr.
    columns
        What columns with other headings hold, as {"Bad %": "rate"}: a name as above, or one of
        cum_n, cum_positives, cum_negatives, share_of_cases, selected, share_of_positives,
        share_of_negatives, cum_rate, negative_rate, cum_negative_rate, ks_absolute (a KS without
        its sign), bin (their names), score_from and score_to.
    positives, cases
        How many there are in all, where columns do not say so.
    prevalence
        Share of positives, as 0.052 or "5.2%", or from which to which, for tables of shares.
    claims
        Numbers stated beside the table, as text, by metric: accuracy_ratio, roc_auc, ks, and
        captured, lift or precision at a share of cases, as {"ks": "0.37", "captured@0.1": "29%"}.
        Several of one metric as a list.
    assume
        What is assumed inside bins: None, nothing; "random", none ranks worse than at random;
        "concave", the rate of positives never rises as the score falls, which speaks of the
        population and not of these cases.
    rounding
        How printed numbers were rounded: "half", to the nearest; "down", digits cut off; "any".
    order
        "descending" if the most likely positives stand at the top, "ascending" if at the bottom.
    decimals
        How many decimals the numbers were printed with, or so many by column, where floats have
        lost their last noughts.
    level
        Confidence level of `interval`, in (0, 1).

    Notes
    -----
    Bins must separate scores: where two bins share a score, nothing is bounded, and a finding
    says so. Rounded numbers become windows, cut to whole cases, and the least and greatest table
    inside them follow from difference constraints. Gastwirth (1972), "The estimation of the
    Lorenz curve and Gini index", for grouped incomes.

    Examples
    --------
    Two bins of 3 cases with 2 and 1 positives: of the 9 pairs the bins decide 4, and 4 are open.

    >>> from capcurve import audit_table
    >>> audit = audit_table({"n": [3, 3], "positives": [2, 1]}, claims={"gini": "0.90"})
    >>> audit.roc_auc.exact
    (Fraction(4, 9), Fraction(2, 3), Fraction(8, 9))
    >>> audit.claims[0].message
    'The claimed accuracy ratio of 0.90 is impossible (the table allows −0.112 to 0.778).'
    """
    rounding = as_word(rounding, "rounding", get_args(Rounding), quote="'")
    if assume not in (None, *get_args(Assumption)):
        raise ValueError(f'assume must be "random", "concave" or None, got {told(assume)}')
    level = as_open_share(level, "level")
    said = stated(claims, rounding)
    printed = read_table(table, columns, positives, cases, prevalence, order, decimals, rounding)
    return audit_printed(printed, said, assume=assume, rounding=rounding, level=level)


def audit_printed(
    printed: PrintedTable,
    claims: tuple[Stated, ...] = (),
    *,
    assume: Assumption | None = None,
    rounding: Rounding = "half",
    level: float = 0.95,
) -> Audit:
    """Return the audit of a table as it was printed."""
    asked = _problem_read(printed, rounding)
    if asked.tables is None:
        contradictory = _audit_of_contradictory(asked, printed, rounding)
        found = _audit_of_counts(contradictory, claims, assume, rounding)
    else:
        found = _audit_of_fitting(asked, asked.tables, claims, assume)
    return replace(found, assume=assume, rounding=rounding, level=level)


def _problem_read(printed: PrintedTable, rounding: Rounding) -> ReadProblem:
    """Return the problem of a table as usual; if nothing fits, as tools print it otherwise."""
    asked = problem_of(printed, rounding)
    if asked.tables is None:
        others = (problem_of(each, rounding) for each in other_readings(printed))
        return next((each for each in others if each.tables is not None), asked)
    return asked


def _audit_of_fitting(
    asked: ReadProblem, tables: Tables, claims: tuple[Stated, ...], assume: Assumption | None
) -> Audit:
    """Return the audit of a table that some cases give."""
    printed, kept = asked.printed, asked.bins
    names = [printed.names[b] for b in kept]
    # In bins without cases nothing is open: once their numbers fit they are left out.
    problem, tables = asked.problem.of_bins(kept), tables.of_bins(kept)
    allowed = allowed_under(problem, tables, assume, names)
    concave = assume == "concave"
    facts = AllowedRankings(problem, tables) if concave else allowed
    assumed = allowed if concave else None
    judgements = tuple(judged(claim, facts, assumed) for claim in claims)
    ratio, ks, first = allowed.accuracy_ratio(), allowed.ks(), tables.at(0)
    sd = max(map(within_sd, (first.least, first.greatest))) if first.least.counted else None
    low = extreme(tables.least, lambda bins: ratio_of_bins(bins, "low"), lowest=True)[1]
    high = extreme(tables.greatest, lambda bins: ratio_of_bins(bins, "high"), lowest=False)[1]
    noticed = [
        *printed.remarks,
        *shown.of_bins(printed, kept),
        *shown.of_rates(tables, ratio, names),
        *shown.of_ks(ks, printed, judgements),
        *(shown.of_population(sd, ratio) if concave else ()),
        *shown.of_precision(tables),
        *shown.of_claims(judgements),
    ]
    return Audit(
        fits=True,
        accuracy_ratio=ratio,
        roc_auc=auc_range(ratio),
        ks=ks,
        ks_positive=allowed.ks_positive(),
        ks_negative=allowed.ks_negative(),
        claims=judgements,
        least=_end_table("least", low, names),
        greatest=_end_table("greatest", high, names),
        within_sd=sd,
        table=printed,
        bins=kept,
        findings=gravest_first(noticed),
        allowed=allowed,
    )


def _audit_of_contradictory(asked: ReadProblem, given: PrintedTable, rounding: Rounding) -> Audit:
    """Return the audit of a table that no cases give, `given` before its columns were read."""
    printed = asked.printed
    headings = [column.heading for column in asked.problem.columns]
    found = minimal_conflicts(asked.problem)
    conflicts = tuple(tuple(headings[i] for i in sorted(each)) for each in found)
    cells = misprints(asked)
    # Windows of cut-off digits take much more time than others.
    counted = any(column.quantity in COUNTED for column in asked.problem.columns)
    few = counted or how_many(asked.problem.totals) <= MOST_TOTALS_CUT_OFF
    cut_off = False
    if rounding == "half" and few:
        with suppress(ValueError):
            cut_off = _problem_read(given, "down").tables is not None
    noticed = [
        *printed.remarks,
        *shown.of_contradiction(conflicts, cells, cut_off=cut_off),
        *(() if cells else shown.of_meanings(printed, conflicts)),
    ]
    return Audit(
        fits=False,
        conflicts=conflicts,
        impossible=tuple(each[0] for each in conflicts if len(each) == 1),
        cells=cells,
        table=printed,
        findings=gravest_first(noticed),
    )


def _audit_of_counts(
    found: Audit, claims: tuple[Stated, ...], assume: Assumption | None, rounding: Rounding
) -> Audit:
    """Return the audit with what the printed counts allow by themselves, where they fit."""
    printed, basis = found.table, counts_alone(found.table)
    if basis is None or {cell.column for cell in found.cells} & {c.heading for c in basis.columns}:
        return found
    try:
        asked = problem_of(basis, rounding)
        if asked.tables is None or (counts := asked.tables.of_bins(asked.bins).only) is None:
            return found
        alone = _audit_of_fitting(asked, asked.tables, claims, assume)
    except ValueError:
        return found
    off = disagreements(printed, counts, asked.bins, rounding)
    others = {
        each: len(disagreements(printed, counts, asked.bins, each)) for each in get_args(Rounding)
    }
    noticed = [*found.findings, *alone.findings, *shown.of_rounding(others, rounding)]
    return replace(
        alone,
        fits=False,
        conflicts=found.conflicts,
        impossible=found.impossible,
        cells=found.cells,
        counted=tuple(column.heading for column in basis.columns),
        disagreeing=tuple(cell for _, cell in off),
        units_off=max((round(units) for units, _ in off), default=0),
        claims=tuple(
            replace(each, message=each.message.replace("the table allows", "the counts allow"))
            for each in alone.claims
        ),
        table=printed,
        findings=gravest_first(dict.fromkeys(noticed)),
    )


def _end_table(name: str, bins: Bins, names: Sequence[str]) -> Table:
    """Return the table with the lowest or the highest accuracy ratio."""
    p, m = (np.array(sums, dtype=object) for sums in bins)
    positives, cases = (np.diff(each, prepend=0) for each in (p, p + m))
    columns: dict[str, Array] = {"bin": np.array(names, dtype=np.str_)}
    if bins.counted:
        columns |= {
            "n": _counts_column(cases),
            "positives": _counts_column(positives),
            "cum_n": _counts_column(p + m),
            "cum_positives": _counts_column(p),
        }
    rates = [some / n if n else np.nan for some, n in zip(positives, cases, strict=True)]
    columns |= {
        "rate": np.array(rates, dtype=np.float64),
        "selected": ((p + m) / bins.n).astype(np.float64),
        "captured": (p / bins.n1).astype(np.float64),
        "fpr": (m / bins.n0).astype(np.float64),
    }
    return Table(name, columns)


def _counts_column(counts: Array) -> Array:
    return counts.astype(np.int64) if (abs(counts) < LARGEST_TOTAL).all() else counts
