"""What there is to know about counts at a horizon: the rows censored, and what the weights ask."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from capcurve import inference
from capcurve.counts.times import HorizonCounts, as_text, taken_by, within
from capcurve.metrics import accuracy_ratio
from capcurve.numbers.arguments import arg, spoken
from capcurve.show.format import (
    MISSING,
    Worded,
    amount,
    certain,
    chance_text,
    counted,
    joined,
    limits,
    number,
    percent,
)
from capcurve.show.presentation import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A score by one horizon: rows by what became of them, and accuracy ratios.
HorizonRow: TypeAlias = "dict[str, Any]"
CAPTION = "Accuracy ratio by horizon"
# Of the test of censoring: one report in a hundred has a warning without cause.
CENSORING_CHANCE = 0.01
# With fewer rows, or one that stands for more, chance decides who is followed so far.
FEW_FOLLOWED, LARGEST_ROW_WEIGHT = 10, 10.0
WIDE_BOUNDS = 2.0  # bounds so many times as wide as the interval are wider than chance


def about_horizon(counts: object, level: float = 0.95) -> Iterator[Finding]:
    """Yield what to know of counts at a horizon; nothing of others."""
    if not isinstance(counts, HorizonCounts):
        return
    times, horizon = counts.times, counts.by
    said = f"{censored(counts)} of the rows are censored before {horizon}; rows that were followed"
    bounds = spoken("unknown_bounds(times.known_at(horizon))")
    advice = f"look at the bounds without this assumption: {bounds}"
    yield Finding("censored_before", "info", f"{said} for longer count in their place", advice)
    followed = times.time >= counts.horizon
    strata = enumerate(times.strata or ("",))
    held = {name: times.rows(followed & (times.stratum == place)) for place, name in strata}
    name, rows = min(held.items(), key=itemgetter(1))
    few, of = rows < FEW_FOLLOWED, f" of stratum {name}" if name else ""
    if few or counts.largest_weight > LARGEST_ROW_WEIGHT:
        who = f"only {counted(rows, 'row')}{of}" if few else counted(sum(held.values()), "row")
        are, most = "is" if rows == 1 else "are", f"{counts.largest_weight:.3g}"
        said = f"{who} {are} followed to {horizon}, and one row counts as up to {most}"
        yield Finding("few_followed", "warning", said, "choose an earlier horizon")
    if counts.n1 > 0 and counts.n0 > 0:
        yield from _about_assumption(counts, level)


def _about_assumption(counts: HorizonCounts, level: float) -> Iterator[Finding]:
    """Yield whether censoring goes with the score, and whether the assumption decides."""
    try:
        found = inference.censoring_test(counts.times, counts.horizon)
    except ValueError:  # all scores are tied
        return
    if found.p_value < CENSORING_CHANCE:
        when = "earlier" if (found.statistic > 0) == (counts.higher_is == "positive") else "later"
        said = f"rows with higher scores are censored {when} ({chance_text(found.p_value)}), so"
        said += " that the accuracy ratio may be wrong"
        stratum = f"pass {arg('stratum')} if vintages or products differ in censoring"
        advice = f"{stratum}, and look at the bounds"
        yield Finding("censoring_follows_score", "warning", said, advice)
    low, high = certain(*_bounds(counts))
    interval = inference.confidence_interval(counts, "accuracy_ratio", level=level)
    if high - low > WIDE_BOUNDS * (interval.high - interval.low):
        said = f"{censored(counts)} of the rows are censored before {counts.by}; if they differ"
        said += " from the others, the accuracy ratio may be anything from "
        said += f"{number(low)} to {number(high)}"
        advice = "find out what became of these rows, or choose an earlier horizon"
        yield Finding("assumption_decides", "warning", said, advice)


def censored(counts: HorizonCounts) -> str:
    """Return the share of rows that are censored before the horizon."""
    return percent(counts.unknown / counts.times.n)


def _bounds(counts: HorizonCounts) -> tuple[float, float]:
    """Return the least and the largest accuracy ratio if each censored row may be of any class."""

    def found() -> tuple[float, float]:
        known = counts.times.known_at(counts.horizon, competing=counts.competing)
        return accuracy_ratio(known.completed("worst")), accuracy_ratio(known.completed("best"))

    return counts.known("bounds", found)


def horizon_rows(counts: Mapping[str, Any], summaries: Mapping[str, Any]) -> tuple[HorizonRow, ...]:
    """Return what there is to know of each score by each horizon; nothing where all is known."""
    # Beside the accuracy ratio stand what it may be without an assumption, and what is found where
    # the censored rows are left out, or counted as negatives.
    taken = {name: found for name, each in counts.items() if (found := taken_by(each))}
    ended = [times.ended(horizon) for times, horizon, _ in taken.values()]
    if not any(each["unknown"] or each["competing"] for each in ended):
        return ()
    rows = [_row(name, counts[name], summaries[name], *found) for name, found in taken.items()]
    scores = list(dict.fromkeys(row["score"] for row in rows))
    return tuple(sorted(rows, key=lambda row: (scores.index(row["score"]), row["horizon"])))


def _row(
    name: str, counts: Any, summary: Any, times: Any, horizon: float, competing: Any
) -> HorizonRow:
    known, ratio = times.known_at(horizon, competing=competing), summary.accuracy_ratio
    interval = summary.intervals.get("accuracy_ratio")
    row: HorizonRow = {
        "score": name_alone(name, (times, horizon, competing)),
        "horizon": horizon,
        "at_risk": times.rows(times.time >= horizon),
        **times.ended(horizon),
        "rows": times.n,
        "incidence": counts.prevalence,
        "accuracy_ratio": ratio,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }
    if ratio is None:
        return row
    if counts.times is None:
        return row | dict.fromkeys(("least", "most", "left_out", "as_negatives"), ratio)
    low, high = _bounds(counts)
    left_out, negative = (
        accuracy_ratio(naive) if naive.n1 and naive.n0 else None
        for naive in (known.known, known.known + known.unknown.held)
    )
    return row | {"least": low, "most": high, "left_out": left_out, "as_negatives": negative}


def horizon_columns(rows: Sequence[HorizonRow], unit: str | None) -> dict[str, list[object]]:
    """Return such rows as a table to read."""
    found: dict[str, list[object]] = {}
    several = len({row["score"] for row in rows}) > 1
    competing = any(row["competing"] for row in rows)
    for row in rows:
        ratio, least, most = (row.get(name) for name in ("accuracy_ratio", "least", "most"))
        shown = {
            **({"score": row["score"]} if several else {}),
            "horizon": as_text(row["horizon"], unit),
            "AR": MISSING if ratio is None else Worded(ratio, number(ratio)),
            "nothing assumed": MISSING
            if least is None or most is None
            else limits("ratio", *certain(least, most)),
            "events": row["positives"],
            **({"competing": row["competing"]} if competing else {}),
            "censored": Worded(row["unknown"], f"{amount(row['unknown'])} ({_gone(row)})"),
        }
        for name, value in shown.items():
            found.setdefault(name, []).append(value)
    return found


def over_horizons(rows: Sequence[HorizonRow], unit: str | None) -> Iterator[str]:
    """Yield how each score ranks by the first and last of several horizons, and what is known."""
    # Those between are in the picture and the table.

    def said(row: HorizonRow, before: str) -> str:
        return f"{before} {as_text(row['horizon'], unit)}"

    for name in dict.fromkeys(row["score"] for row in rows):
        own = [row for row in rows if row["score"] == name and row["accuracy_ratio"] is not None]
        if len(own) > 1:
            ends = (
                said(row, f"{number(row['accuracy_ratio'])} within") for row in (own[0], own[-1])
            )
            yield f"The accuracy ratio of {name} is {joined(ends)}."
    gone = dict.fromkeys(said(row, f"{_gone(row)} are censored before") for row in rows)
    if len(gone) > 1:
        first, *_, last = gone
        yield f"Of the rows, {first} and {last}."


def _gone(row: HorizonRow) -> str:
    """Return the share of rows that are censored before a horizon."""
    return percent(row["unknown"] / row["rows"])


def horizons_said(horizons: Iterable[float], unit: str | None, column: str | None = None) -> str:
    """Return horizons in ascending order with their unit, or with the column of the times.

    >>> horizons_said([365, 180], "days"), horizons_said([365], None, "time")
    ('180 and 365 days', '365 (time)')
    """
    *most, last = sorted(set(horizons))
    said = as_text(last, unit) + (f" ({column})" if column and unit is None else "")
    return joined([*map(as_text, most), said])


def name_alone(name: str, taken: tuple[Any, float, Any] | None) -> str:
    """Return the name of a score without the horizon that it was given."""
    return name.removesuffix(within("", taken[1], taken[0].time_unit)) if taken else name
