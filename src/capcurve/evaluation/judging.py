"""From counts to an evaluation: every number, the paired tests, and what rows may hide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capcurve.counts import JointCounts, ScoreCounts
from capcurve.evaluation.evaluation import Evaluation
from capcurve.input import count_repeats
from capcurve.summary import Finding, summarize, summarize_segment
from capcurve.summary.comparing import compared
from capcurve.summary.findings import repeated_ids

if TYPE_CHECKING:
    from collections.abc import Mapping


def judge(
    whole: Mapping[str, ScoreCounts],
    parts: Mapping[str, Mapping[Any, ScoreCounts]],
    joint: JointCounts | str | None,
    *,
    prevalence: float | None,
    level: float,
    **said: Any,
) -> Evaluation:
    """Return the evaluation of what was counted; `joint` may say why it is not there."""
    asked: dict[str, Any] = {"prevalence": prevalence, "level": level}
    tests, not_compared = compared(list(whole), joint, level)
    return Evaluation(
        counts=whole,
        segments=parts,
        summaries={name: summarize(counts, name=name, **asked) for name, counts in whole.items()},
        segment_summaries={
            name: {key: summarize_segment(c, name=name, **asked) for key, c in segments.items()}
            for name, segments in parts.items()
        },
        comparison=tests,
        not_compared=not_compared,
        joint=joint if isinstance(joint, JointCounts) else None,
        prevalence=prevalence,
        **said,
    )


def rows_sharing(row_id: Any, cluster: Any, data: Any) -> tuple[Finding, ...]:
    """Return a finding when ids repeat and nothing says which rows belong together."""
    if row_id is None:
        return ()
    if cluster is not None:
        raise ValueError("id= only looks for repeated ids, cluster= uses them; leave out id=")
    found = count_repeats(row_id, data=data)
    return repeated_ids(found.rows, found.ids, found.sharing)
