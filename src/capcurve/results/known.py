"""What a summary reads of counts: cut-offs that stand for all, intervals, what totals lack."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capcurve.counts import Amounts, NotHeldError, Ranking
from capcurve.gate.given import is_amounts
from capcurve.inference import Interval, confidence_interval
from capcurve.metrics.selection import height
from capcurve.numbers.arguments import arg
from capcurve.numbers.kept_cutoffs import (
    FIRST_KEPT,
    GROUPS_OF_BOTH,
    SHARES_OF_CASES,
    Keeper,
    WantedValues,
    both_classes,
    kept_places,
)
from capcurve.numbers.threads import may_start_threads
from capcurve.numbers.totals import SMALL_CELL
from capcurve.show.format import stated_percent
from capcurve.show.presentation import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from capcurve.curves import Curve
    from capcurve.numbers.types import Floats

Value = TypeVar("Value")
SUMMARY_SHARES = (0.1, 0.2, 0.5)
LIFT_SHARE = SUMMARY_SHARES[0]
CAPTURED_SHARES = {f"captured_{round(100 * q)}": q for q in SUMMARY_SHARES}
LIFT_FIELD = f"lift_{round(100 * LIFT_SHARE)}"
MEAN_OF_TOP = f"mean_of_top_{round(100 * LIFT_SHARE)}"
# Counts with fewer cells are read as they are: an outline of them would take as long.
MANY_CELLS = 1 << 17
CUTOFFS_EACH_SIDE = 3  # so many cut-offs before and after each place that is asked for stay
# Leaving out a group of clusters moves every cut-off, and the place of KS: those that stay must
# lie so near each other that a curve between them is no other one, and limits differ after a few
# digits: only where there are even more cells.
STEPS_OF_CLUSTERS = 1 << 17
MANY_CLUSTERED_CELLS = 1 << 20


def interval_or_none(counts: Any, metric: Any, **options: Any) -> Interval | None:
    """Return the interval of a number; None where there is none, as of too few cases."""
    try:
        return confidence_interval(counts, metric, **options)
    except ValueError:
        return None


def outline(
    counts: Ranking, shares: Sequence[float], *, bins: int, prevalence: float | None = None
) -> Ranking:
    """Return counts with few cells that agree with these wherever a summary looks."""
    # Cells stay on their own about `shares` of cases, of the stated prevalence, about the ends of
    # `bins` of equal size, as counted, at the places of KS and at the corners of the CAP. Weighted
    # counts, and those with few cells, stay as they are.
    n1, n0 = counts.n1, counts.n0
    whole = counts.is_whole and counts.is_complete
    many = MANY_CELLS if counts.groups is None else MANY_CLUSTERED_CELLS
    if not whole or len(counts) < many or not n1 or not n0:
        return counts

    def cases(tp: Any, fp: Any) -> Any:
        if prevalence is None:
            return (tp + fp) / (n1 + n0)
        return prevalence * (tp / n1) + (1 - prevalence) * (fp / n0)

    steps = GROUPS_OF_BOTH if counts.groups is None else STEPS_OF_CLUSTERS
    grids = [
        WantedValues(cases, np.array(shares), CUTOFFS_EACH_SIDE),
        WantedValues(np.add, np.arange(1, bins) * (counts.n / bins), CUTOFFS_EACH_SIDE),
        # Limits at a share look at the cut-offs about it, between thousandths.
        WantedValues(np.add, np.arange(1, SHARES_OF_CASES) * (counts.n / SHARES_OF_CASES), 1),
        WantedValues(both_classes(n1, n0), np.arange(1, steps) * (2 / steps)),
    ]
    every = counts.every_score()
    return every.joined(kept_places(every, Keeper(n1, n0, grids, FIRST_KEPT)))


def begun(work: Callable[[], Value]) -> Callable[[], Value]:
    """Begin some work on a thread of its own; return a call that waits for what comes of it."""
    if not may_start_threads():
        value = work()
        return lambda: value
    pool = ThreadPoolExecutor(max_workers=1)
    result = pool.submit(work)
    pool.shutdown(wait=False)
    return result.result


def known(counts: Ranking | Amounts, number: Callable[..., Any], **options: Any) -> Any:
    """Return a number of these counts; None where they are totals that do not tell it."""
    try:
        return number(counts, **options)
    except NotHeldError:
        return None


def heights_at_shares(counts: Ranking | Amounts, curve: Curve) -> dict[float, float]:
    """Return a curve of these counts at the shares of a summary; totals may lack some of them."""
    if not is_amounts(counts) and counts.is_complete:
        heights: Floats = curve.at(np.array(SUMMARY_SHARES))  # type: ignore[assignment]
        return dict(zip(SUMMARY_SHARES, heights.tolist(), strict=True))
    told = {q: known(counts, height, curve=curve, q=q) for q in SUMMARY_SHARES}
    return {q: value for q, value in told.items() if value is not None}


def small_cells(counts: Ranking | Amounts) -> float | None:
    """Return the share of distinct scores with fewer than five cases; None when not known."""
    if not len(counts):
        return None
    if is_amounts(counts):
        return counts.small_scores(SMALL_CELL) / len(counts)
    if counts.is_whole:
        small = counts.totals().small_cells
        return None if small is None else small / len(counts)
    cells = counts.every_score()
    return int(np.count_nonzero(cells.positives + cells.negatives < SMALL_CELL)) / len(counts)


def _lacking(name: str, value: Any) -> str:
    """Say what a number lacks: all of it, some of the shares, or nothing."""
    words = name.replace("_", " ")
    if value is None or value == {}:
        return words
    if name not in {"captured", "lift"} or len(value) == len(SUMMARY_SHARES):
        return ""
    return f"{words} at {' and '.join(stated_percent(q) for q in SUMMARY_SHARES if q not in value)}"


def about_totals(counts: Ranking, numbers: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield that totals leave numbers out."""
    every = {name: value for name, value in numbers.items() if name != "others"}
    every |= numbers["others"]
    lacking = [text for name, value in every.items() if (text := _lacking(name, value))]
    if lacking and not counts.is_complete:
        said = f"only totals were kept for the {len(counts):,} distinct scores; they do not give "
        yield totals_only(said + ", ".join(lacking))


def totals_only(said: str) -> Finding:
    """Return the finding that there are totals, which lack something, and how to get it."""
    advice = f"count with {arg('resolution')}, such as 1e-6, to get these too"
    return Finding("totals_only", "info", said, advice)


def intervals_of(
    counts: Ranking | Amounts,
    near: Ranking | Amounts,
    names: Iterable[str],
    *,
    level: float,
    prevalence: float | None,
) -> tuple[dict[str, Interval], str | None]:
    """Return the interval of each headline number, or none and why there are none."""
    # `near` are counts with fewer cells that agree with them at the shares.
    found: dict[str, Interval] = {}
    for name in names:
        try:
            found[name] = _interval(counts, near, name, found, level=level, prevalence=prevalence)
        except NotHeldError:
            continue
        except ValueError as why:
            # Such as weights of which nobody said what they mean; the message says what to do.
            return {}, str(why)
    return found, None


def _interval(
    counts: Ranking | Amounts,
    near: Ranking | Amounts,
    name: str,
    found: dict[str, Interval],
    **asked: Any,
) -> Interval:
    if name in CAPTURED_SHARES:
        return confidence_interval(near, "captured_response", q=CAPTURED_SHARES[name], **asked)
    if name == LIFT_FIELD:
        first = next(iter(CAPTURED_SHARES))
        captured = found.get(first) or _interval(counts, near, first, found, **asked)
        return captured.over(LIFT_SHARE, captured.estimate / LIFT_SHARE)
    if name == MEAN_OF_TOP:
        return confidence_interval(counts, "mean_amount", q=LIFT_SHARE, level=asked["level"])
    # The order inside each class is the same whatever the prevalence.
    return confidence_interval(near if name == "ks" else counts, name, level=asked["level"])
