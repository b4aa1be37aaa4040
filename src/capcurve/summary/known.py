"""What totals of a ranking tell of a summary: the numbers they hold, and those they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import RankTotals
from capcurve.counts.exact import BLOCK
from capcurve.metrics.selection import height
from capcurve.summary.chance import SHARES
from capcurve.summary.findings import Finding
from capcurve.view.format import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from capcurve.counts import Ranked
    from capcurve.curves import Curve

SMALL_CELL = 5


def known(counts: Ranked, number: Callable[..., Any], **options: Any) -> Any:
    """Return a number of these counts; None where they are totals that do not tell it."""
    if not isinstance(counts, RankTotals):
        return number(counts, **options)
    try:
        return number(counts, **options)
    except ValueError:
        return None


def heights(counts: Ranked, curve: Curve, shares: Iterable[float]) -> dict[float, float]:
    """Return a curve of these counts at some shares; totals may lack some of them."""
    if not isinstance(counts, RankTotals):
        found: Any = curve.at(list(shares))
        return dict(zip(shares, found.tolist(), strict=True))
    told = {q: known(counts, height, curve=curve, q=q) for q in shares}
    return {q: value for q, value in told.items() if value is not None}


def small_cells(counts: Ranked) -> float | None:
    """Return the share of distinct scores with fewer than five cases; None when not known."""
    if not len(counts):
        return None
    if isinstance(counts, RankTotals):
        return None if counts.small_cells is None else counts.small_cells / len(counts)
    small = 0
    for start in range(0, len(counts), BLOCK):
        cells = slice(start, start + BLOCK)
        cases = counts.positives[cells].astype(np.float64) + counts.negatives[cells]
        small += int(np.count_nonzero(cases < SMALL_CELL))
    return small / len(counts)


def _lacking(name: str, value: Any) -> str:
    """Say what a number lacks: all of it, some of the shares, or nothing."""
    words = name.replace("_", " ")
    if value is None or value == {}:
        return words
    if name not in {"captured", "lift"} or len(value) == len(SHARES):
        return ""
    return f"{words} at {' and '.join(percent(q) for q in SHARES if q not in value)}"


def about_totals(counts: Ranked, numbers: Mapping[str, Any]) -> tuple[Finding, ...]:
    """Return a finding when totals leave numbers out."""
    lacking = [text for name, value in numbers.items() if (text := _lacking(name, value))]
    if not isinstance(counts, RankTotals) or not lacking:
        return ()
    return (
        Finding(
            "totals_only",
            "info",
            f"only totals were kept for the {len(counts):,} distinct scores; they do not give "
            + ", ".join(lacking),
            "count with resolution=, such as 1e-6, to get these too",
        ),
    )
