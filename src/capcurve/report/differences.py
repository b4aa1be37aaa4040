"""Where one CAP lies above another beyond chance: bands for the pairs that a page has room for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.inference import difference_band
from capcurve.metrics.binning import bin_ends
from capcurve.report.bands import band_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import JointCounts
    from capcurve.report.content import Content

# Finer groups would not be seen, and take long to resample.
MOST_GROUPS = 60
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
    """Return the joint counts of two scores, each in no more groups than can be seen.

    Groups of a score are of equal size and numbered from 1 for the most likely positive.
    """
    codes = [_group_of_each_cell(joint, name) for name in pair]
    width = int(codes[1].max()) + 1
    cells, place = np.unique(codes[0] * width + codes[1], return_inverse=True)

    def total(cases: NDArray[Any]) -> NDArray[np.int64]:
        sums = np.zeros(len(cells), dtype=np.int64)
        np.add.at(sums, place, cases.astype(np.int64))
        return sums

    return replace(
        joint,
        names=pair,
        scores=(cells // width, cells % width),
        positives=total(joint.positives),
        negatives=total(joint.negatives),
        higher_is=("negative", "negative"),
        levels=(None, None),
        resolution=None,
    )


def _group_of_each_cell(joint: JointCounts, name: str) -> NDArray[np.intp]:
    counts = joint.margin(name)
    values = joint.scores[joint.names.index(name)]
    _, rank = np.unique(values, return_inverse=True)
    if counts.higher_is == "positive":
        rank = len(counts) - 1 - rank
    if len(counts) <= MOST_GROUPS:
        return np.asarray(rank + 1, dtype=np.intp)
    return np.searchsorted(bin_ends(counts, MOST_GROUPS), rank, side="right") + 1
