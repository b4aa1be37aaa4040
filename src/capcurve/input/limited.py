"""Counting files within a memory limit, score by score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.input.gathering import is_path_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.input.arrays import Rules


def within_memory(
    target: str,
    scores: Mapping[str, str],
    data: Any,
    weight: str | None,
    cluster: str | None,
    rules: Rules,
    memory_limit: str | int,
) -> dict[str, Any]:
    """Count each score of files in about so much memory, over rows complete for all.

    Raises
    ------
    ValueError, TypeError
        When the limit is no size, or the rows are no files: those are in memory already, or in
        an engine that minds its own.
    """
    from capcurve.input.files import Files
    from capcurve.input.files.spilling import memory_bytes, rank_files

    if cluster is not None:
        raise ValueError("memory_limit= keeps no clusters; leave out cluster= or memory_limit=")
    limit = memory_bytes(memory_limit)
    if isinstance(data, str | Path) or is_path_list(data):
        data = Files.of(data)
    if not isinstance(data, Files):
        raise TypeError(
            "memory_limit= is for files, given as data= and a path; other rows are in memory "
            "already, or in an engine with a limit of its own: leave it out"
        )
    return {
        name: rank_files(
            data,
            target,
            column,
            rules,
            limit=limit,
            weight=weight,
            scores=scores,
            name=name,
        )
        for name, column in scores.items()
    }
