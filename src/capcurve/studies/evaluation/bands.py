"""What chance could draw on a page: bands about each CAP, and about the differences of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from capcurve.counts import JointCounts
from capcurve.counts.given import is_amounts
from capcurve.curves.shares import bin_ends
from capcurve.inference import cap_band, difference_band, null_band

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from capcurve.counts import ScoreCounts, ValueSums
    from capcurve.inference import Band
    from capcurve.studies.evaluation.content import Content
    from capcurve.studies.evaluation.stops import Stops

# Enough for levels up to .998; above them the page says that there is no band.
REPLICATES = 500
SEED = 1
# More groups of scores would not be seen, and take long to leave clusters out of.
MOST_GROUPS = 400
MOST_PAIRS = 4
EVERY = 4
DIGITS = 4
OTHER_POPULATION = "bands are for the prevalence as counted, so none is drawn"
OF_AMOUNTS = "bands are for classes, and these are amounts, so none is drawn"
WEIGHTED = "bands are for whole cases, and these carry weights, so none is drawn"


@dataclass(frozen=True, slots=True)
class Bands:
    """What is resampled for a page: once, as it does not depend on how fine the curves are."""

    # Null band and own band by score, or why there is none.
    of_scores: Mapping[str, dict[str, object]]
    of_differences: list[dict[str, object]]  # the bands of the differences of two CAPs


def bands_of(evaluation: Content, stops: Mapping[str, Stops]) -> Bands:
    """Return the bands of all scores and of their differences."""
    own = {
        name: _of_score(
            evaluation, evaluation.held(name), found.counts, evaluation.summaries[name].level
        )
        for name, found in stops.items()
    }
    return Bands(own, differences(evaluation))


def _of_score(
    evaluation: Content,
    counts: ScoreCounts | ValueSums,
    few: ScoreCounts | ValueSums,
    level: float,
) -> dict[str, object]:
    """Return the null band and the model's own, or why there is none.

    `few` are the same cases in fewer cells.
    """
    if is_amounts(counts) or is_amounts(few):
        return {"why": OF_AMOUNTS}
    if evaluation.prevalence is not None:
        return {"why": OTHER_POPULATION}
    if not counts.is_whole:
        return {"why": WEIGHTED}
    try:
        own = cap_band(few, level=level, replicates=REPLICATES, seed=SEED)
    except ValueError as error:
        return {"why": str(error)}
    chance = null_band((counts.n, counts.n1), level=level)
    return {"chance": _values(chance), "model": _values(own)}


def _values(band: Band) -> dict[str, object]:
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


def differences(evaluation: Content) -> list[dict[str, object]]:
    """Return the bands of the first score against the others; none for weights."""
    joint = evaluation.joint
    if (
        not isinstance(joint, JointCounts)
        or joint.weights is not None
        or evaluation.prevalence is not None
    ):
        return []
    defined = [n for n in joint.names if evaluation.summaries[n].accuracy_ratio is not None]
    if not defined:
        return []
    pairs = [(defined[0], other) for other in defined[1 : 1 + MOST_PAIRS]]
    level = evaluation.summaries[defined[0]].level
    groups = (joined_groups(joint, pair) for pair in pairs)
    try:
        found = [
            difference_band(each, level=level, replicates=REPLICATES, seed=SEED) for each in groups
        ]
    except ValueError:  # the band of each CAP says why
        return []
    return [_values(band) for band in found]


def joined_groups(joint: JointCounts, pair: tuple[str, str]) -> JointCounts:
    """Return the joint counts of two scores, each in no more groups than can be seen."""
    return joint.joined({name: _ends(joint.margin(name)) for name in pair})


def _ends(counts: ScoreCounts) -> NDArray[np.intp]:
    few = len(counts) <= MOST_GROUPS
    return np.arange(len(counts)) + 1 if few else bin_ends(counts, MOST_GROUPS)
