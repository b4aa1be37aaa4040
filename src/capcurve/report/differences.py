"""Where one CAP lies above another beyond chance: bands for the pairs that a page has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.shares import bin_ends
from capcurve.inference import difference_band
from capcurve.report.bands import band_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.report.content import Content

# Finer groups would not be seen, and take long to resample; clusters are not resampled.
MOST_GROUPS, MOST_GROUPS_OF_CLUSTERED = 60, 400
MOST_PAIRS = 4
REPLICATES = 300
SEED = 1


def drawn_differences(content: Content) -> list[dict[str, Any]]:
    """Return the bands of the first score against the others; none for weights."""
    joint = content.joint
    if joint is None or joint.weights is not None or content.prevalence is not None:
        return []
    defined = [n for n in joint.names if content.summaries[n].accuracy_ratio is not None]
    if not defined:
        return []
    pairs = [(defined[0], other) for other in defined[1 : 1 + MOST_PAIRS]]
    level = content.summaries[defined[0]].level
    return [
        band_values(
            difference_band(grouped(joint, pair), level=level, replicates=REPLICATES, seed=SEED)
        )
        for pair in pairs
    ]


def grouped(joint: JointCounts, pair: tuple[str, str]) -> JointCounts:
    """Return the joint counts of two scores, each in no more groups than can be seen."""
    most = MOST_GROUPS if joint.groups is None else MOST_GROUPS_OF_CLUSTERED
    return joint.joined({name: _ends(joint.margin(name), most) for name in pair})


def _ends(counts: ScoreCounts, most: int) -> NDArray[np.intp]:
    return bin_ends(counts, most) if len(counts) > most else np.arange(len(counts)) + 1
