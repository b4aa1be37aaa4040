"""What there is to know about counts at a horizon: the rows censored, and what the weights ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capcurve.counts.times import HorizonCounts, as_text
from capcurve.inference import censoring_test, confidence_interval
from capcurve.metrics import accuracy_ratio
from capcurve.show.finding import Finding
from capcurve.show.format import chance_text, counted, number, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of the test of censoring: one report in a hundred has a warning without cause.
CHANCE = 0.01
# With fewer rows, or one that stands for more, chance decides who is followed so far.
FEW_FOLLOWED, LARGEST_WEIGHT = 10, 10.0
# Bounds so many times as wide as the interval are wider than chance.
WIDE = 2.0


def about_horizon(counts: object, level: float = 0.95) -> Iterator[Finding]:
    """Yield what to know of counts at a horizon; nothing of others."""
    if not isinstance(counts, HorizonCounts):
        return
    times, horizon = counts.times, as_text(counts.horizon)
    yield Finding(
        "censored_before",
        "info",
        f"{censored(counts)} of the rows are censored before {horizon}; rows that were followed "
        "stand for them",
        "look at the bounds without that assumption: unknown_bounds(times.known_at(horizon))",
    )
    followed = times.time >= counts.horizon
    for place, name in enumerate(times.strata or ("",)):
        rows = times.rows(followed & (times.stratum == place))
        if rows < FEW_FOLLOWED or counts.largest_weight > LARGEST_WEIGHT:
            of = f" of stratum {name}" if name and rows < FEW_FOLLOWED else ""
            yield Finding(
                "few_followed",
                "warning",
                f"only {counted(rows, 'row')}{of} are followed to {horizon}; one row counts as up "
                f"to {counts.largest_weight:.3g}",
                "choose an earlier horizon",
            )
            break
    if counts.n1 > 0 and counts.n0 > 0:
        yield from _about_assumption(counts, level)


def _about_assumption(counts: HorizonCounts, level: float) -> Iterator[Finding]:
    """Yield whether censoring goes with the score, and whether the assumption decides."""
    try:
        found = censoring_test(counts.times, counts.horizon)
    except ValueError:  # all scores are tied
        return
    if found.p_value < CHANCE:
        when = "earlier" if (found.statistic > 0) == (counts.higher_is == "positive") else "later"
        yield Finding(
            "censoring_follows_score",
            "warning",
            f"rows with higher scores leave {when} ({chance_text(found.p_value)}): the weights may "
            "be wrong",
            "pass stratum= if this goes with the vintage or the product, and look at the bounds",
        )
    partial = counts.times.known_at(counts.horizon)
    low, high = (accuracy_ratio(partial.completed(how)) for how in ("worst", "best"))
    interval = confidence_interval(counts, "accuracy_ratio", level=level)
    if high - low > WIDE * (interval.high - interval.low):
        yield Finding(
            "assumption_decides",
            "warning",
            "without the assumption that followed rows stand for the censored ones, the accuracy "
            f"ratio may be anything from {number(low)} to {number(high)}",
            "find out what became of the censored rows, or choose an earlier horizon",
        )


def censored(counts: HorizonCounts) -> str:
    """Return the share of rows that are censored before the horizon."""
    return percent(counts.unknown / counts.times.n)
