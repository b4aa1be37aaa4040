"""What weights hide: how far heavy cases that the sample happens to lack could move an AUC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts.algebra import total
from capcurve.inference.placements import deviations
from capcurve.inference.sizes import squared_masses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts
    from capcurve.inference.auc_limits import Chance, Limits


def beyond_unseen(limits: Limits, counts: ScoreCounts, auc: Chance, z: float) -> Limits:
    """Return limits of a weighted AUC, moved out by what one unseen case of each class could do.

    Where heavy weights go with rare scores, most samples miss the few rows that would lower, or
    raise, the AUC most, and their standard errors miss them too. So one further row of each class
    is put at the far end of the scores, as heavy as the rows on that side of the AUC are, and the
    distances it moves the AUC by are squared and added, z times, to that of the limit (as Zou &
    Donner 2008 join limits, Stat. Med. 27). It fades with 1/n; the limit's own reach with 1/√n.
    """
    down, up = _shares_of_one_row(counts)
    low = auc.won - np.hypot(auc.won - limits[0], z * auc.won * down)
    lost = auc.lost - np.hypot(limits[1] - auc.won, z * auc.lost * up)
    return max(float(low), 0.0), 1 - max(float(lost), 0.0)


def _shares_of_one_row(counts: ScoreCounts) -> tuple[float, float]:
    """Return the share of a class's weight that one row has, below and above the AUC.

    Of both classes, squared and added. Rows count by how far they lie from the AUC.
    """
    down, up = 0.0, 0.0
    for sums, masses, deviation in zip(
        (counts.positives, counts.negatives),
        squared_masses(counts),
        deviations(counts),
        strict=True,
    ):
        shares = sums / total(sums)
        down = np.hypot(down, _typical(shares, masses, np.maximum(-deviation, 0)))
        up = np.hypot(up, _typical(shares, masses, np.maximum(deviation, 0)))
    return float(down), float(up)


def _typical(shares: NDArray[Any], masses: NDArray[Any], distance: NDArray[np.float64]) -> float:
    """Return the mean weight of rows, by weight and distance; by weight where there are none."""
    reach = (shares * distance).sum()
    return float((masses * distance).sum() / reach if reach > 0 else masses.sum())
