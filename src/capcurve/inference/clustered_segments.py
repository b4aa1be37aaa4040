"""Whether segments of clustered rows rank alike: groups are left out of all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.inference.clustered_tests import (
    NO_SPREAD,
    aucs_left_out,
    careful,
    quadratic_law,
    rows_along,
)
from capcurve.inference.contrasts import as_contrast, quadratic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts


@dataclass(frozen=True, slots=True)
class Found:
    """Q with its p-value, and the AUCs it is about."""

    aucs: NDArray[np.float64]
    q: float
    middle: float
    se: float
    p_value: float


def equal_aucs(segments: Sequence[ScoreCounts]) -> tuple[Found, str, str]:
    """Return the test that all AUCs are equal, its method and a note.

    Raises
    ------
    ValueError
        When there are not more groups of clusters than segments.
    """
    left = aucs_left_out(segments)
    if left.rarer <= len(segments):
        raise ValueError(
            f"{len(segments)} segments need more than {left.rarer} groups of clusters with both "
            "classes in each; put segments together"
        )
    rows = as_contrast(None, len(segments))
    moved = rows_along(left, rows)
    q, rank, seen = quadratic(moved.whole, moved.covariance())
    note = "groups of clusters were left out of all segments at once"
    if not seen:
        each = np.array([careful(left, row.tolist()) for row in np.eye(len(segments))])
        q, rank, _ = quadratic(moved.whole, (rows * each) @ rows.T)
        note = NO_SPREAD
    p_value, rest = quadratic_law(q, rank, left)
    mean = left.along(np.full((1, len(segments)), 1 / len(segments)))
    name = f"jackknife over {left.groups} groups of clusters, Hotelling F({rank}, {rest:g})"
    return Found(left.whole, q, float(mean.whole[0]), mean.se(), p_value), name, note
