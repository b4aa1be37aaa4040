"""population_stability: how far a portfolio moved over its grades, and whether by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from capcurve.counts import CaseCounts
from capcurve.counts.arguments import as_name, as_open_share, told
from capcurve.inference.scales import cases_of, shares_of
from capcurve.inference.stability import Of, binned, is_sparse, shift_of
from capcurve.show.result import Result
from capcurve.show.table import Table
from capcurve.studies.grades.adjacent import CLUSTERED
from capcurve.studies.grades.stability_shown import Stable, presentation_of_stability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.inference.stability import Binned, Shift
    from capcurve.show.presentation import Presentation

WEIGHTED = (
    "rows are weighted: there is the index alone, since its law is known for cases that count alike"
)
SPARSE = (
    "there are fewer than 5 cases for each bin, for which the upper limit is too low; take fewer "
    "bins"
)
ALIKE = (
    "the samples are more alike than two of one portfolio usually are, so that both limits are 0; "
    "see whether they share cases"
)
ABOVE = (
    "the index is above its upper limit, since chance alone raises that of a sample by {:.3f} on "
    "average, which the limits allow for"
)
ONE_BIN = "there is a single bin, whose share is 100% in both samples"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stability(Stable, Result):
    """The population stability index of two samples, with test, limits and every bin.

    Attributes
    ----------
    psi
        Σ(a - b)·ln(a/b) over the bins, b and a their shares before and after; infinite where a bin
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

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        return presentation_of_stability(self)


def population_stability(
    before: ScoreCounts | CaseCounts,
    after: ScoreCounts | CaseCounts,
    *,
    bins: int | str | Sequence[Any] | None = None,
    of: Of = "cases",
    level: float = 0.95,
    labels: tuple[str, str] = ("before", "after"),
) -> Stability:
    """Say how far a portfolio moved over its grades, and whether by more than chance.

    Parameters
    ----------
    before, after
        Counts of two samples on the same score or scale of grades; those of cases without outcome,
        from `count_cases`, too.
    bins
        How many bins of about equal size in `before`, whose ties are never split; "score" for one
        per grade or distinct score; or cut points, as in `gains_table`. Left out: every grade of
        the scale, those without cases included, or ten bins of a score without `levels`.
    of
        "cases", "positives" or "negatives": whose shares are compared. Where those of one class
        moved within the grades, it is the ranking that changed and not the portfolio alone.
    level
        Confidence level of the two-sided limits.
    labels
        What the two samples are called.

    Returns
    -------
    Stability
        The index with its limits, the test, and the table of bins; it shows itself as text,
        picture and page. It passes no verdict: 0.10 and 0.25 take no account of sample sizes.

    Raises
    ------
    ValueError, TypeError
        When a sample has no such cases, when their scores do not mean the same, or when something
        other than counts is given.

    Notes
    -----
    The p-value is that of Pearson's chi-square of the two samples: the index itself against
    (1/n + 1/m)·χ² (Yurdakul & Naranjo 2020, Journal of Risk Model Validation 14) rejects 5 to 50%
    at 5% where bins are sparse. The limits invert the noncentral chi-square law at `psi_half`. A
    bin with cases in one sample only makes the index infinite, whatever is filled in elsewhere; one
    that is empty in both adds nothing and counts for no degree of freedom. Of weighted rows there
    is the index alone; clustered ones are taken as independent, with a note.

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
    of = cast("Of", as_name(of, "of", get_args(Of), {}))
    level, labels = as_open_share(level, "level"), _named(labels)
    both = (_counts(before, of, labels[0]), _counts(after, of, labels[1]))
    found = binned(*both, bins, of, labels)
    whole = all(sample.weights is None and sample.is_whole for sample in both)
    shift = shift_of(*found.counts, level, whole=whole)
    columns = [counts.tolist() for counts in found.counts]
    return Stability(
        psi=shift.psi,
        psi_half=shift.psi_half,
        low=shift.low,
        high=shift.high,
        expected_if_unchanged=shift.expected,
        chi2=shift.chi2,
        df=shift.df,
        p_value=shift.p_value,
        of=of,
        level=level,
        bins=found.names,
        empty=tuple(
            name for name, b, a in zip(found.names, *columns, strict=True) if (b > 0) != (a > 0)
        ),
        table=_table(found, shift),
        n_before=sum(columns[0]),
        n_after=sum(columns[1]),
        labels=labels,
        notes=(*_notes(both, found, whole=whole), *_notes_on_limits(shift)),
    )


psi = population_stability


def _counts(given: Any, of: Of, label: str) -> ScoreCounts:
    """Return counts of every score, else raise TypeError or ValueError."""
    if isinstance(given, CaseCounts) and of != "cases":
        raise ValueError(f"{label} holds cases without outcome, and so no {of}; leave of= out")
    return cases_of(given, "population_stability")


def _named(labels: Any) -> tuple[str, str]:
    """Return what the samples are called, else raise TypeError."""
    named = isinstance(labels, tuple | list) and all(isinstance(each, str) for each in labels)
    if not named or len(labels) != 2:  # noqa: PLR2004 - before and after
        raise TypeError(f"labels must be two names, of before and after, got {told(labels)}")
    return labels[0], labels[1]


def _table(found: Binned, shift: Shift) -> Table:
    before, after = found.counts
    columns = {
        found.unit: np.array(found.names),
        "before": before,
        "after": after,
        "share_before": shares_of(before),
        "share_after": shares_of(after),
        "psi": shift.parts,
    }
    return Table("population stability", columns)


def _notes(both: Sequence[ScoreCounts], found: Binned, *, whole: bool) -> list[str]:
    notes = [] if whole else [WEIGHTED]
    if any(sample.groups is not None for sample in both):
        notes.append(CLUSTERED)
    if whole and is_sparse(*found.counts):
        notes.append(SPARSE)
    if len(found.names) == 1:
        notes.append(ONE_BIN)
    return notes


def _notes_on_limits(shift: Shift) -> list[str]:
    """Return why the index is not between its limits, if it is not."""
    if shift.high is None or shift.psi_half is None or shift.expected is None or not shift.df:
        return []
    if not shift.high > 0:
        return [ALIKE]
    return [ABOVE.format(shift.expected)] if shift.high < shift.psi_half else []
