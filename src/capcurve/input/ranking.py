"""Ranking where the rows are held, when there are more distinct scores than should come home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from capcurve.input.engines.spark import rank_in_spark
from capcurve.input.engines.streaming import rank_by_streaming
from capcurve.input.frames import as_frame, engine_errors, target_and_score

if TYPE_CHECKING:
    from capcurve.counts import RankTotals
    from capcurve.input.arrays import Rules
    from capcurve.input.engines import TooManyCellsError


def rank_where_held(
    refused: TooManyCellsError,
    target: str,
    name: str,
    score: str,
    data: Any,
    weight: Any,
    cluster: Any,
    rules: Rules,
) -> RankTotals:
    """Return the exact totals of a ranking, or raise `refused` where they cannot be had.

    `score` is the column of the score, and `name` what it is called.
    """
    kept = weight is not None or cluster is not None
    if kept or rules.levels is not None or rules.resolution is not None:
        raise refused
    frame = as_frame(data)
    if refused.engine == "Spark":
        return rank_in_spark(data, target, name, score, rules)
    if not isinstance(frame, nw.LazyFrame) or refused.engine not in {"DuckDB", "Ibis"}:
        raise refused
    with engine_errors(frame):
        return rank_by_streaming(target_and_score(frame, target, score), target, name, rules)
