"""The bands of the page: what chance alone draws, and how far the model's CAP could move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import bin_ends
from capcurve.inference import cap_band, null_band

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference import Band
    from capcurve.report.content import Content

REPLICATES = 500
MOST_CELLS = 200
EVERY = 4
DIGITS = 4
SEED = 1
GROUPED = "scores in {} groups of equal size"
OTHER_POPULATION = "bands are for the prevalence as counted, so none is drawn"
WEIGHTED = "bands are for whole cases, and these carry weights, so none is drawn"


def drawn_bands(
    content: Content, counts: ScoreCounts, kept: ScoreCounts, level: float
) -> dict[str, Any]:
    """Return the null band and the model's own, or why there is none.

    `kept` are the same cases in fewer cells; the CAP is resampled in still fewer.
    """
    if content.prevalence is not None:
        return {"why": OTHER_POPULATION}
    if not counts.is_whole:
        return {"why": WEIGHTED}
    grouped = _grouped(kept)
    own = cap_band(grouped, level=level, replicates=REPLICATES, seed=SEED)
    notes = [] if grouped is kept else [GROUPED.format(len(grouped))]
    chance = null_band((counts.n, counts.n1), level=level)
    return {
        "chance": band_values(chance),
        "model": {**band_values(own), "notes": [*own.notes, *notes]},
    }


def band_values(band: Band) -> dict[str, Any]:
    """Return a band at every few shares, to as many digits as a picture has."""
    kept = np.unique(np.append(np.arange(0, len(band.q), _step(band)), len(band.q) - 1))
    return {
        "name": band.name,
        "kind": band.kind,
        "level": band.level,
        "method": band.method,
        "notes": list(band.notes),
        "q": _short(band.q[kept]),
        "low": _short(band.low[kept]),
        "estimate": _short(band.estimate[kept]),
        "high": _short(band.high[kept]),
    }


def _step(band: Band) -> int:
    return EVERY if len(band.q) > 2 * 101 else 1


def _short(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(values, DIGITS)


def _grouped(counts: ScoreCounts) -> ScoreCounts:
    """Return counts that are quick to resample; clusters are left out in turn instead."""
    if len(counts) <= MOST_CELLS or counts.groups is not None:
        return counts
    return counts.joined(bin_ends(counts, MOST_CELLS))
