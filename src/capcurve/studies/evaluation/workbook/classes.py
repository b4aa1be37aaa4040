"""What a workbook is made of: an evaluation of scores that rank positives and negatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.results import Summary
    from capcurve.studies.evaluation.content import Content

    class OfClasses(Content):
        """An evaluation of positives and negatives."""

        counts: Mapping[str, Ranking]
        segments: Mapping[str, Mapping[Any, ScoreCounts]]
        summaries: Mapping[str, Summary]
        segment_summaries: Mapping[str, Mapping[Any, Summary]]


def of_classes(content: Content) -> OfClasses:
    """Return an evaluation of positives and negatives, or raise ValueError for amounts."""
    if any(summary.kind == "amounts" for summary in content.summaries.values()):
        raise ValueError(
            "the formulas of a workbook are of positives and negatives; of amounts save .html, "
            ".json or a picture, or a table such as the gains"
        )
    return cast("OfClasses", content)
