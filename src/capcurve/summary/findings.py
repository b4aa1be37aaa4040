"""Findings: what a careful reader would notice about the counts, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from capcurve.counts import NotHeldError
from capcurve.curves.shares import bin_ends
from capcurve.metrics import (
    accuracy_ratio,
    accuracy_ratio_bounds,
    tie_mass,
)
from capcurve.view.format import counted, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from capcurve.counts import Ranking

# Basel WP14 asks for "at least around 50" defaults before an interval can be trusted.
FEW_CASES = 50
SUSPICIOUS_RATIO = 0.98
HEAVY_TIES = 0.02
# Up to so many distinct scores each counts as a grade; more are looked at in bins.
MOST_GRADES = 50
BINS = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to know about a score or its data.

    Attributes
    ----------
    code
        A stable name, for programs.
    severity
        "info", "warning" or "error".
    message
        What was found, with the numbers.
    advice
        What to do about it.
    """

    code: str
    severity: Literal["info", "warning", "error"]
    message: str
    advice: str

    def to_dict(self) -> dict[str, str]:
        """Return the finding as plain values."""
        return asdict(self)


def findings_of(counts: Ranking, outline: Ranking | None = None) -> tuple[Finding, ...]:
    """Return what there is to know about counts, the gravest first.

    `outline` are counts with fewer cells that agree with them at the bins.
    """
    found = list(_about_the_data(counts))
    if counts.n1 > 0 and counts.n0 > 0:
        found += [
            *_about_the_order(counts),
            *_about_ties(counts),
            *_about_concavity(counts, outline or counts),
        ]
    rank = {"error": 0, "warning": 1, "info": 2}
    return tuple(sorted(found, key=lambda finding: rank[finding.severity]))


def _about_the_data(counts: Ranking) -> Iterator[Finding]:
    if not len(counts):
        yield Finding("no_cases", "error", "there are no cases", "check what was selected")
        return
    for name, cases in (("positives", _cases(counts, 1)), ("negatives", _cases(counts, 0))):
        if cases == 0:
            yield Finding(
                f"no_{name}",
                "error",
                f"there are no {name} among the {counted(counts.n, 'case')}",
                "the accuracy ratio, AUC and KS need cases of both classes",
            )
        elif cases < FEW_CASES:
            yield Finding(
                f"few_{name}",
                "warning",
                f"only {counted(cases, name[:-1])}: every number below is uncertain",
                f"wait for more cases, or pool periods; {FEW_CASES} is a usual minimum",
            )
    yield from _about_the_rows(counts)


def _about_the_rows(counts: Ranking) -> Iterator[Finding]:
    if counts.dropped is not None and counts.dropped.rows:
        parts = ", ".join(f"{name} in {n}" for name, n in counts.dropped.columns.items())
        rows = counted(counts.dropped.rows, "row")
        verb = "was" if counts.dropped.rows == 1 else "were"
        yield Finding(
            "dropped_rows",
            "warning",
            f"{rows} without a value {verb} left out ({parts})",
            "find out why: values are rarely missing at random",
        )
    if counts.weights is not None and counts.weight_kind is None:
        yield Finding(
            "weight_kind_unsaid",
            "info",
            "the kind of the weights was not stated, so there are no intervals",
            'pass weight_kind="frequency", "sampling" or "exposure"',
        )


def _cases(counts: Ranking, which: int) -> int:
    """Return how many rows a class has, whatever they weigh."""
    if counts.weights is not None:
        return counts.weights.positive_rows if which else counts.weights.negative_rows
    return int(counts.n1 if which else counts.n0)


def _about_the_order(counts: Ranking) -> Iterator[Finding]:
    ratio = accuracy_ratio(counts)
    if len(counts) == 1:
        yield Finding(
            "constant_score",
            "error",
            "all cases have the same score, so nothing is ranked",
            "check that this is the right column",
        )
    if ratio < 0:
        turn = (
            "if the grades are listed the wrong way round, reverse `levels`"
            if counts.levels is not None
            else _other_direction(counts)
        )
        yield Finding(
            "reversed",
            "warning",
            f"the accuracy ratio is negative ({number(ratio)}): the score looks reversed",
            f"{turn} (capcurve never reverses a score itself)",
        )
    if ratio > SUSPICIOUS_RATIO:
        yield Finding(
            "too_good",
            "warning",
            f"the accuracy ratio is {number(ratio, 4)}, higher than real scores usually reach",
            "check that the score uses nothing that was known only after the outcome",
        )


def _other_direction(counts: Ranking) -> str:
    other = "negative" if counts.higher_is == "positive" else "positive"
    side = "low" if other == "negative" else "high"
    return f'if {side} scores mean likely positives, pass higher_is="{other}"'


def _about_ties(counts: Ranking) -> Iterator[Finding]:
    mass = tie_mass(counts)
    bounds = accuracy_ratio_bounds(counts)
    if counts.resolution is not None:
        yield Finding(
            "floored_scores",
            "info",
            f"scores were floored to a grid of {counts.resolution:g}: the exact accuracy ratio "
            f"lies between {number(bounds.low, 6)} and {number(bounds.high, 6)}",
            "use a finer resolution for a narrower range",
        )
    elif mass >= HEAVY_TIES and len(counts) > 1:
        yield Finding(
            "heavy_ties",
            "info",
            f"{percent(mass)} of all pairs are tied: tools that break ties by row order could "
            f"report any accuracy ratio from {number(bounds.low)} to {number(bounds.high)}",
            "quote this accuracy ratio and state that ties are grouped",
        )


def _about_concavity(counts: Ranking, outline: Ranking) -> Iterator[Finding]:
    graded = len(counts) <= MOST_GRADES
    try:
        ends = np.arange(1, len(counts) + 1) if graded else bin_ends(outline, BINS)
        outline = counts.every_score() if graded else outline.vertices
    except NotHeldError:  # totals that an engine gave without the cut-offs about these bins
        return
    starts = np.concatenate([[0], ends[:-1]])
    p = np.add.reduceat(outline.positives.astype(np.float64), starts)
    cases = p + np.add.reduceat(outline.negatives.astype(np.float64), starts)
    rates = p / cases
    rises = int((np.diff(rates) > 0).sum())
    above = np.sign(rates - counts.n1 / counts.n)
    above = above[above != 0]
    peaks = int(((above[:-1] > 0) & (above[1:] < 0)).sum())
    if not rises:
        return
    kind = "grades" if graded else "bins"
    what = kind if graded else f"{len(ends)} bins"
    many = peaks > 1
    yield Finding(
        "not_concave",
        "warning" if many else "info",
        f"the rate of positives is not monotone: going down the {what}, it rises at {rises} of "
        f"{len(ends) - 1} steps" + (f", and the KS gap has {peaks} local maxima" if many else ""),
        f"either the ranking is wrong there, or the {kind} are too small to tell",
    )


def without_intervals(counts: Ranking, why: str | None) -> tuple[Finding, ...]:
    """Return a finding when numbers have no intervals and no other finding says why."""
    if why is None or (counts.weights is not None and counts.weight_kind is None):
        return ()
    return (Finding("no_intervals", "info", "there are no intervals", why),)


def repeated_ids(rows: int, ids: int, sharing: int) -> tuple[Finding, ...]:
    """Return a finding when rows share their id with others."""
    if not sharing:
        return ()
    return (
        Finding(
            "repeated_ids",
            "warning",
            f"{counted(sharing, 'row')} of {rows:,} share an id with another row ({ids:,} distinct "
            "ids): they are not independent, but the intervals treat them as if they were",
            "pass cluster= with the id, so that rows of one id stay together",
        ),
    )


def undefined_segments(segments: Mapping[object, Ranking]) -> tuple[Finding, ...]:
    """Return a finding when some segments lack a class."""
    lacking = [str(key) for key, counts in segments.items() if not (counts.n1 and counts.n0)]
    if not lacking:
        return ()
    shown = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")  # noqa: PLR2004 - a short list
    return (
        Finding(
            "undefined_segments",
            "warning",
            f"{len(lacking)} of {len(segments)} segments have only one class: {shown}",
            "their accuracy ratio is undefined; their cases still count in the total",
        ),
    )
