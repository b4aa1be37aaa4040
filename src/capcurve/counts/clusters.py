"""Counts per group of clusters: rows that belong together stay together, and groups add too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import algebra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts.score_counts import ScoreCounts

    Groups = tuple[ScoreCounts, ...]

# Clusters are hashed into so many groups: enough for a t quantile near the normal one, few
# enough that leaving out each in turn stays cheap.
GROUPS = 64


def merged(parts: Sequence[ScoreCounts], merge: Callable[[list[Any]], Any]) -> Groups | None:
    """Return the groups of the sum of counts, each the sum of theirs.

    Raises
    ------
    ValueError
        When some counts have groups and some have none.
    """
    refuse_mixed(parts)
    grouped = [part.groups for part in parts if part.groups is not None]
    return tuple(merge(list(each)) for each in zip(*grouped, strict=True)) if grouped else None


def refuse_mixed(parts: Sequence[ScoreCounts]) -> None:
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


def checked(counts: ScoreCounts, groups: Sequence[ScoreCounts]) -> Groups:
    """Return groups that were saved beside counts.

    Raises
    ------
    ValueError
        Unless these are all the groups, and add up to the counts.
    """
    if len(groups) != GROUPS:
        raise ValueError(f"counts have {GROUPS} groups of clusters; these have {len(groups)}")
    if type(counts).merge(groups) != counts:
        raise ValueError("the groups of clusters do not add up to the counts they are saved with")
    return tuple(groups)
