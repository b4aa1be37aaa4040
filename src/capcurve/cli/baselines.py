"""The baseline of a check: the accuracy ratio of an earlier summary, or saved counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capcurve.cli.failing import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import ScoreCounts

COUNTS = (".csv", ".parquet")


def baselines_of(path: str, scores: Sequence[str]) -> dict[str, float | ScoreCounts]:
    """Return the baseline of each score; a single one serves a single score of any name.

    Raises
    ------
    Failure
        For a file that is no baseline, or that lacks a score.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        found: dict[str, Any] = _of_summaries(path)
    elif suffix in COUNTS:
        found = {scores[0]: _of_counts(path)}
    else:
        raise Failure(f"--baseline {path} must end in .json, {', '.join(COUNTS)}")
    if len(found) == 1 and len(scores) == 1:
        return dict(zip(scores, found.values(), strict=True))
    for name in scores:
        if name not in found:
            raise Failure(f"--baseline {path} has {', '.join(found)}, but not {name}")
    return {name: found[name] for name in scores}


def _of_summaries(path: str) -> dict[str, float]:
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        ratios = {each["name"]: each["accuracy_ratio"] for each in read["scores"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Failure(
            f"--baseline {path} is not a summary; write one with capcurve summary --format json"
        ) from None
    for name, ratio in ratios.items():
        if not isinstance(ratio, int | float) or isinstance(ratio, bool) or not -1 <= ratio <= 1:
            raise Failure(f"--baseline {path} gives {ratio!r} as the accuracy ratio of {name}")
    if not ratios:
        raise Failure(f"--baseline {path} has no scores")
    return {name: float(ratio) for name, ratio in ratios.items()}


def _of_counts(path: str) -> ScoreCounts:
    from capcurve.counts import ScoreCounts
    from capcurve.input.files import Files, read_cells

    try:
        found = read_cells(Files.of(path))
    except (ValueError, TypeError) as error:
        why = str(error).removeprefix(f"{path}: ").removeprefix(path).strip()
        raise Failure(f"--baseline {path} is not a table saved by capcurve counts: {why}") from None
    counts = found if isinstance(found, ScoreCounts) else ScoreCounts.merge(found.values())
    if not (counts.n1 > 0 and counts.n0 > 0):
        raise Failure(f"--baseline {path} has no positives or no negatives")
    return counts
