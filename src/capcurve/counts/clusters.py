"""Counts per group of clusters: rows that belong together stay together, and groups add too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.counts import algebra
from capcurve.counts.codec import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts.joint import JointCounts
    from capcurve.counts.score_counts import ScoreCounts

    Groups = tuple[ScoreCounts, ...]

# Clusters are hashed into so many groups: enough for a t quantile near the normal one, few
# enough that leaving out each in turn stays cheap.
GROUPS = 64
# Groups of up to so many cells are added up whenever counts are made of them: a tenth of a second.
CELLS_COMPARED = 1 << 20
# Weights add up to the last digit in one order only.
ROUNDING = 1e-9


def merged(parts: Sequence[Any], merge: Callable[[list[Any]], Any]) -> tuple[Any, ...] | None:
    """Return the groups of the sum of counts, each the sum of theirs.

    Raises
    ------
    ValueError
        When some counts have groups and some have none.
    """
    refuse_mixed(parts)
    grouped = [part.groups for part in parts if part.groups is not None]
    return tuple(merge(list(each)) for each in zip(*grouped, strict=True)) if grouped else None


def refuse_mixed(parts: Sequence[ScoreCounts] | Sequence[JointCounts]) -> None:
    """Raise ValueError when some counts have groups of clusters and some have none."""
    if len({part.groups is None for part in parts}) > 1:
        raise ValueError(
            "counts with clusters and counts without do not add; count all parts with "
            "cluster=, or none"
        )


def difference(whole: ScoreCounts, part: ScoreCounts) -> Groups | None:
    """Return the groups that are left when counts are taken away."""
    if not len(part):
        return whole.groups
    refuse_mixed([whole, part])
    if whole.groups is None or part.groups is None:
        return None
    return tuple(w - p for w, p in zip(whole.groups, part.groups, strict=True))


def whole_of(arguments: dict[str, Any], groups: Groups | None) -> dict[str, Any]:
    """Return the arguments of counts with these groups, which add up to them exactly.

    Whole counts are what they are however they are added; weights are added group by group.
    """
    if groups is None:
        return arguments
    if arguments["positives"].dtype.kind == "f" or arguments["negatives"].dtype.kind == "f":
        full = [group for group in groups if len(group)] or list(groups[:1])
        arguments = {**algebra.merged(full), "dropped": arguments.get("dropped")}
    return {**arguments, "groups": groups}


def check(whole: ScoreCounts | JointCounts, *, every: bool = False) -> None:
    """Raise ValueError unless the groups of counts are all there, and add up to them.

    Parameters
    ----------
    whole
        Counts with groups.
    every
        Compare every cell however many there are; otherwise of very many the totals suffice.
    """
    groups: Sequence[Any] = whole.groups or ()
    if len(groups) != GROUPS:
        raise ValueError(f"counts have {GROUPS} groups of clusters; these have {len(groups)}")
    if any(not isinstance(group, type(whole)) or group.groups is not None for group in groups):
        raise TypeError(
            f"groups of clusters are {type(whole).__name__} without groups of their own"
        )
    full = [group for group in groups if len(group)]
    algebra.check_same_settings([whole, *full])
    totals = [sum(getattr(group, name) for group in full) for name in ("n1", "n0")]
    same = _near(totals, [whole.n1, whole.n0])
    if full and same and (every or sum(map(len, full)) <= CELLS_COMPARED):
        same = _same_cells(whole, full)
    if not same:
        raise ValueError("the groups of clusters do not add up to the counts they are part of")


def _same_cells(whole: Any, groups: Sequence[Any]) -> bool:
    keys, sums = algebra.merged_cells(groups)
    falls = getattr(whole, "higher_is", None) == "positive"  # joint cells ascend
    order = slice(None, None, -1 if falls else 1)
    if len(keys[0]) != len(whole):
        return False
    return all(
        np.array_equal(canonical(found), canonical(own[order]))
        for found, own in zip(keys, whole.keys, strict=True)
    ) and all(_near(sums[name], getattr(whole, name)[order]) for name in algebra.CLASSES)


def _near(found: Any, known: Any) -> bool:
    one, other = np.asarray(found), np.asarray(known)
    if one.dtype.kind != "f" and other.dtype.kind != "f":
        return np.array_equal(one, other)
    return bool(np.allclose(one, other, rtol=ROUNDING, atol=0))
