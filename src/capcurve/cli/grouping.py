"""`capcurve groups`: one score in several groups of cases, and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.notations import THRESHOLD
from capcurve.cli.options import (
    SHARE,
    level_option,
    metric_named,
    metric_words,
    of_classes,
    option,
    untimed,
)
from capcurve.cli.output import WITH_WORKBOOK, waiting
from capcurve.cli.reading import counted_to_show, label_of
from capcurve.numbers.arguments import renamed

RANKED_BY = metric_words("accuracy_ratio", "roc_auc")
# What a narrow terminal has no room for.
SPARE_OF_GROUPS = ("precision", "selected", "p alone", "positives")


@command(
    "groups",
    writes=WITH_WORKBOOK,
    refuses={
        "amount": of_classes("capcurve groups is", "name a --target"),
        "scores": "capcurve groups is for one score; pass one --score",
        "memory_limit": "capcurve groups needs every score; leave out --memory-limit",
        **untimed("gaps between groups are of outcomes that are known"),
    },
)
@dataclass(frozen=True, kw_only=True)
class CompareGroups(ShowsResult):
    """Compare groups: ranking, and rates at a cut-off.

    Shows the accuracy ratio of each group of --by; with --threshold or --at also its captured
    response and false positive rate; and every gap between two groups with limits and p-values
    that allow for all gaps. Beside these are the cross AUCs and ABROCA. Csv and workbooks contain
    the gaps.
    """

    threshold: Any = option(
        "Cut-off for all groups: a score or grade, whose side is selected.",
        "SCORE",
        type=THRESHOLD,
        excludes={"at": "--threshold and --at both name the cut-off; leave one out"},
    )
    at: float | None = option(
        "Share of all cases to select: the cut-off is the nearest one that ties allow.",
        "SHARE",
        type=SHARE,
    )
    against: str | None = option(
        "Group that each of the others is compared with (default: all pairs).", "GROUP"
    )
    metric: str = option(
        f"Ranking inside groups: {' or '.join(RANKED_BY)}.",
        "METRIC",
        type=click.Choice(RANKED_BY),
        default="ar",
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the gaps between all groups."""
        request = self.request
        if not (request.by or request.counts):
            raise click.UsageError("capcurve groups needs --by, the column of the groups")
        found = counted_to_show(request)
        ((name, counts),) = found.whole.items()
        groups = found.segments.get(name)
        if groups is None:
            raise Failure(f"{request.file[0]} holds counts without groups; name them with --by")
        threshold = self.threshold and self.threshold.one(counts.levels)
        named = None if self.against is None else label_of(groups, self.against)
        with waiting("comparing"), renamed(q="at"):
            from capcurve.results.groups import compare_groups

            compared = compare_groups(
                groups,
                threshold=threshold,
                q=self.at,
                metric=metric_named(self.metric),
                against=self.against if named is None else named,
                by=request.by_called or "group",
                level=self.level,
                all_segments=True,  # others were refused when they were counted
            )
        shown = request.about([name], compared.presentation())
        return of_result(
            compared.to_dict, shown, SPARE_OF_GROUPS, columns=compared.table.values, counted=[found]
        )
