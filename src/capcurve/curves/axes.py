"""How running sums become curves: which goes on which axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.curve import Curve
from capcurve.curves.shares import Axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts

SELECTED = "share of all cases selected"
CAPTURED = "share of all positives captured"


def check_absolute(absolute: bool, prevalence: float | None) -> None:
    """Raise ValueError when counts are asked for and a rate is stated as well."""
    if absolute and prevalence is not None:
        raise ValueError("absolute=True counts the cases there are; leave out prevalence")


def line(
    name: str, counts: ScoreCounts | None, cases: Axis, positives: Axis, *, absolute: bool
) -> Curve:
    """Return positives along cases, as shares or as they were counted."""
    if not absolute:
        return curve_of(name, counts, cases, positives, (SELECTED, CAPTURED))
    labels = ("cases selected", "positives captured")
    return curve_of(name, counts, Axis(cases.sums, 1), Axis(positives.sums, 1), labels)


def curve_of(
    name: str,
    counts: ScoreCounts | None,
    x: Axis,
    y: Axis,
    labels: tuple[str, str],
    over: Axis | None = None,
) -> Curve:
    """Return y along x, divided by `over` where given, with the scores of the counts."""
    return Curve(
        name,
        x.sums,
        x.total,
        y.sums,
        y.total,
        None if over is None else over.sums,
        1 if over is None else over.total,
        None if counts is None else counts.thresholds,
        x_label=labels[0],
        y_label=labels[1],
    )


def added_by_each(sums: NDArray[Any]) -> NDArray[Any]:
    """Return what each segment adds; the first point takes the value of the first segment."""
    added = np.diff(sums)
    return np.concatenate([added[:1], added])


def from_the_end(sums: NDArray[Any]) -> NDArray[Any]:
    """Return running sums taken from the other end."""
    reflected: NDArray[Any] = (sums[-1] - sums)[::-1]
    return reflected
