"""`capcurve bounds`: between which ends a number lies when some outcomes are unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.notations import ODDS, POSITIVES_RANGE
from capcurve.cli.options import (
    OF_CASES,
    ONE_HORIZON,
    TIMED,
    depth_option,
    level_option,
    metric_named,
    metric_words,
    option,
    refuse_without_depth,
)
from capcurve.cli.output import RESULTS, waiting
from capcurve.cli.reading import CountsByScore, counted_partially

if TYPE_CHECKING:
    from capcurve.counts import PartialCounts

BOUNDED = metric_words("accuracy_ratio", "roc_auc", "captured_response")
BOUNDS_AT_DEPTH = BOUNDED[-1:]

_OF_ONE_SCORE = {
    "scores": "{flag} is about the rates along one score, and a difference has two; use "
    "--positives, or pass one --score"
}


@command(
    "bounds",
    columns=("target", "score", *TIMED),
    details=OF_CASES,
    texts={
        "counts": "FILE holds counts: score, positives, negatives, unknown. --score, --target and "
        "--unknown name these columns if they are called something else.",
        "missing": "Stop at rows without a score, weight or cluster (the default), or drop them "
        "and say how many.",
    },
    writes=RESULTS,
    refuses={
        "stratum": "--stratum is for weights, which bounds do without; leave it out",
        **ONE_HORIZON,
    },
)
@dataclass(frozen=True, kw_only=True)
class BoundNumber(ShowsResult):
    """Bound a number when some outcomes are unknown.

    Outcomes are unknown if cases were rejected, are indeterminate or too recent. The bounds are
    sharp, and valid whatever the unknown outcomes are. --positives, --odds and --ordered narrow
    them. With two scores the difference is bounded, first minus second.
    """

    unknown_label: tuple[str, ...] = option(
        "Label of an unknown outcome, such as indeterminate; repeat for several. An empty "
        "outcome is always unknown.",
        "LABEL",
        excludes={
            "counts": "--unknown-label is for rows, and --counts reads counts; name their column "
            "with --unknown"
        },
    )
    unknown: str | None = option(
        "With --counts: column of the unknown outcomes (default: unknown).",
        "COLUMN",
        needs={
            "counts": "--unknown names a column of --counts; rows are unknown where --target is "
            "empty, or contains an --unknown-label"
        },
    )
    metric: str = option(
        f"Number to bound: {', '.join(BOUNDED)}.",
        "METRIC",
        type=click.Choice(BOUNDED),
        default="ar",
    )
    at: float | None = depth_option(BOUNDS_AT_DEPTH)
    positives: tuple[float, float] | None = option(
        "Positives among the unknown, as shares (0.05:0.2, 0.0:1.0) or cases (10:40).",
        "LEAST:MOST",
        type=POSITIVES_RANGE,
    )
    odds: tuple[float, float] | None = option(
        "Odds of the unknown, as multiples of those of known cases with the same score; 1:1 "
        "assumes that they are alike.",
        "LEAST:MOST",
        type=ODDS,
        excludes=_OF_ONE_SCORE,
    )
    pooled: bool | None = option(
        "Pool the odds of known cases with neighbouring scores until rates fall, or take them as "
        "they are at each score (the default up to 50 scores, and without --ordered).",
        flags=("--pooled/--no-pooled",),
        default=None,
        excludes=_OF_ONE_SCORE,
    )
    ordered: bool = option(
        "Assume that among the unknown, the rate of positives never rises as the score improves.",
        excludes=_OF_ONE_SCORE,
    )
    minimum: float | None = option(
        "Show how many positives among the unknown, placed worst, bring the number below this.",
        "NUMBER",
    )
    level: float = level_option(0.5, "one-sided limits at either end")

    def result(self) -> Output:
        """Return the bounds, and how many positives bring the number below a minimum."""
        request, metric = self.request, metric_named(self.metric)
        self._check()
        partial = counted_partially(request, self.unknown_label, self.unknown)
        tipping = None
        with waiting("bounding"):
            from capcurve.studies.unknown import tipping_point, unknown_bounds

            asked = self.options("positives", "odds", "ordered", "pooled", "level")
            found = unknown_bounds(partial, metric, q=self.at, **asked)
            if self.minimum is not None:
                tipping = tipping_point(partial, self.minimum, metric, q=self.at)
        shown = request.about(() if found.names else request.score, found.presentation())
        body = found.to_dict()
        if tipping is not None:
            answer = replace(tipping, known_only=None).sentence  # the bounds show what is known
            shown = replace(shown, sentences=(*shown.sentences, answer))
            body["tipping_point"] = tipping.to_dict()
        return of_result(lambda: body, shown, counted=[_known(partial, request.name)])

    def _check(self) -> None:
        if len(set(self.request.score)) > 2:  # noqa: PLR2004 - a pair
            raise click.UsageError(
                "bounds are for one score, or the difference of two; pass --score once or twice"
            )
        refuse_without_depth(self.metric, self.at, BOUNDS_AT_DEPTH)


def _known(partial: PartialCounts, name: str) -> CountsByScore:
    """Return the counts of known cases by score, with the rows left out of all."""
    parts = {each: partial.margin(each) for each in partial.names} or {name: partial}
    known = {each: replace(part.known, dropped=partial.dropped) for each, part in parts.items()}
    return CountsByScore(known)
