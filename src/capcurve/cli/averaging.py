"""`capcurve mean`: the mean of a number over segments, such as folds, bands or queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.errors import Failure
from capcurve.cli.notations import LACKING, SEGMENT_WEIGHTS
from capcurve.cli.options import (
    OPEN_SHARE,
    MetricChoice,
    errors_option,
    level_option,
    metric_named,
    metric_words,
    of_classes,
    option,
    untimed,
)
from capcurve.cli.output import SCHEMA_VERSION, WITH_WORKBOOK, waiting
from capcurve.cli.reading import label_of, tallied
from capcurve.metrics import METRICS
from capcurve.metrics.depth import at_depth
from capcurve.numbers.arguments import renamed
from capcurve.results.summary import segment_name
from capcurve.show.chart import interval_chart
from capcurve.show.columns import formed
from capcurve.show.format import limits, stated_percent, written
from capcurve.show.presentation import Finding, Presentation, gravest_first
from capcurve.show.table import labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from capcurve.results.means import SegmentMean

# What options tell a metric.
TELLING = ("alpha", "max_q", "coverage", "errors", "threshold")
# The metrics of one score that need nothing else.
AVERAGED = metric_words(
    *(
        name
        for name, metric in METRICS.items()
        if "trials" not in metric.of and {*metric.needs} <= {"q", "k", *TELLING}
    )
)
AT_SHARE = metric_words(*(name for name in METRICS if "q" in METRICS[name].needs))
AT_DEPTH = metric_words(
    *(name for name in METRICS if "k" in METRICS[name].needs + METRICS[name].options)
)
NAMES_SEGMENTS = {"by|counts": "{flag} is about a mean over segments; name their column with --by"}
ALL_TAKEN = "a mean takes every segment; leave out --all-segments"
# What stands beside each of several scores, and what a narrow terminal has no room for.
OF_MEANS = ("estimate", "low", "high", "se", "df", "n_segments", "pooled")
SPARE_OF_MEANS = ("df", "se", "pooled")
DIFFERENCES = "Use capcurve compare with --by to test differences between the scores."


@dataclass(frozen=True, kw_only=True)
class OverSegments(ShowsResult):
    """A command that may average a metric over segments."""

    metric: str = option(
        "Number inside each segment: any of one score, such as ar, auc, ks or average-precision; "
        "at so many cases recall@10, P@5, hit@1, mrr@10 or ndcg@10.",
        "METRIC",
        type=MetricChoice(AVERAGED),
        default="ar",
    )
    at: float | None = option(
        f"For {', '.join(AT_SHARE)}: the share of cases that each score selects.",
        "SHARE",
        type=OPEN_SHARE,
        needs={
            f"metric={'|'.join(AT_SHARE)}": "{flag} goes with --metric "
            f"{', '.join(AT_SHARE[:-1])} or {AT_SHARE[-1]}"
        },
    )
    alpha: float | None = option("For rie and bedroc: how steeply weights fall.", "STEEPNESS")
    max_q: float | None = option(
        "For partial-accuracy-ratio: the share of cases at which to stop.", "SHARE"
    )
    coverage: float | None = option("For selective-risk: the share of cases answered.", "SHARE")
    errors: Literal["positives", "negatives"] | None = errors_option("For aurc and its relatives")
    threshold: float | None = option(
        "For net-benefit: the PD cut-off. For kappa: the score from which on better cases are "
        "judged positive.",
        "PD|SCORE",
        needs={"metric=net-benefit|kappa": "--threshold goes with --metric net-benefit and kappa"},
    )
    segments: Literal["drawn", "fixed"] | None = option(
        "Whether another sample has other segments, as queries (drawn, the default), or the same "
        "ones, as folds or bands (fixed).",
        needs=NAMES_SEGMENTS,
    )
    weights: Any = option(
        "What segments weigh: equal (the default), cases, positives or pairs of both classes; or "
        "the weight of each, as A=0.4,B=0.6.",
        "WORD|WEIGHTS",
        type=SEGMENT_WEIGHTS,
        needs=NAMES_SEGMENTS,
    )
    lacking: Any = option(
        "Segments without the positives, or negatives, that the number needs: leave-out (the "
        "default), raise, or the number that they count, such as 0.",
        "leave-out|raise|NUMBER",
        type=LACKING,
        needs=NAMES_SEGMENTS,
    )
    k: int | None = option(
        f"For {', '.join(AT_DEPTH)}: how many cases of each segment are selected.",
        "N",
        type=click.IntRange(min=1),
        needs=NAMES_SEGMENTS,
    )
    gain: Literal["linear", "exponential"] | None = option(
        "For ndcg: the gain of a relevance r (--amount), r (linear, the default) or 2^r - 1.",
        needs=NAMES_SEGMENTS,
    )

    def refuse_by_segment(self) -> None:
        """Raise UsageError for a metric of the other kind, and segments that are no others."""
        of, request = METRICS[metric_named(at_depth(self.metric)[0])].of, self.request
        for name in {*request.by}.intersection([request.target, request.amount, *request.score]):
            raise click.UsageError(f"--by {name} is the target or the score; name a segment")
        if request.amount is not None and "amounts" not in of:
            raise click.UsageError(of_classes(f"--metric {self.metric} is", "name a --target"))
        if request.target is not None and "classes" not in of:
            raise click.UsageError(f"--metric {self.metric} is for amounts; name the --amount")

    def asked(self, segments: Iterable[object] = ()) -> dict[str, Any]:
        """Return what is asked of each metric, and of a mean over such segments."""
        weights = self.weights
        if isinstance(weights, dict):
            names = {segment_name(key): key for key in segments}
            weights = {names.get(label_of(names, name), name): w for name, w in weights.items()}
        told = self.options(*TELLING, "segments", "lacking", "k", "gain")
        metric = self.metric if "@" in self.metric else metric_named(self.metric)
        told |= {"metric": metric, "q": self.at, "weights": weights}
        return {name: value for name, value in told.items() if value is not None}


@command(
    "mean",
    writes=WITH_WORKBOOK,
    refuses={
        "all_segments": ALL_TAKEN,
        "memory_limit": "capcurve mean needs every score; leave out --memory-limit",
        **untimed("means over segments are of known outcomes"),
    },
)
@dataclass(frozen=True, kw_only=True)
class AverageSegments(OverSegments):
    """Average a number over folds, bands or queries.

    Shows the mean of one number inside each segment of --by, with limits, which segments are left
    out and why, and the number of all rows together. For folds and bands add --segments fixed.
    With several scores there is a row for each; capcurve compare --by tests their differences.
    """

    level: float = level_option()

    def result(self) -> Output:
        """Return the mean of each score."""
        request = self.request
        if not (request.by or request.counts):
            raise click.UsageError("capcurve mean needs --by, the column of the segments")
        self.refuse_by_segment()
        found = tallied(request)
        if not found.segments:
            raise Failure(f"{request.file[0]} holds counts without segments; name them with --by")
        with waiting("averaging"), renamed(q="at"):
            from capcurve.results.means import mean_over

            means = {
                name: mean_over(parts, level=self.level, **self.asked(parts))
                for name, parts in found.segments.items()
            }
        first, *others = means.values()
        if others:
            records = [{"score": name, **mean.to_dict()} for name, mean in means.items()]
            json, shown, columns = {"means": records}, _side_by_side(means), None
        else:
            json, shown, columns = first.to_dict(), first.presentation(), first.table.values
        return of_result(
            lambda: {"schema_version": SCHEMA_VERSION, **json},
            request.about(means, shown),
            SPARE_OF_MEANS,
            columns=columns,
            counted=[found],
        )


def _side_by_side(means: Mapping[str, SegmentMean]) -> Presentation:
    """Return the means of several scores, of which each has the same segments."""
    first = next(iter(means.values()))
    metric, title = METRICS[first.metric], f"Mean {first.called}"
    form, side = metric.form, "highest" if metric.direction > 0 else "lowest"
    best = max(means, key=lambda name: metric.direction * means[name].estimate)
    value = f"{written(form, means[best].estimate)} {limits(form, *means[best].limits)}"
    around = {name: (each.low, each.estimate, each.high) for name, each in means.items()}
    columns = {name: [getattr(each, name) for each in means.values()] for name in OF_MEANS}
    heads = {"estimate": f"mean {first.called}", "n_segments": "segments", "pooled": "all rows"}
    forms = {form: "estimate low high pooled", "fine": "se", "statistic": "df"}
    return Presentation(
        title=title,
        sentences=(f"{title} is {side} for {best}: {value}.", f"{first.how}."),
        findings=gravest_first(_findings(means)),
        charts=interval_chart(title, around, f"{stated_percent(first.level)} interval", title),
        tables=(labelled("Scores", formed({"score": [*means], **columns}, heads, **forms)),),
        notes=(*first.presentation().notes, DIFFERENCES),
    )


def _findings(means: Mapping[str, SegmentMean]) -> Iterator[Finding]:
    """Yield what is found of the means: once of all scores, or with the names of some."""
    whose: dict[Finding, list[str]] = {}
    for name, mean in means.items():
        for finding in mean.presentation().findings:
            whose.setdefault(finding, []).append(name)
    for finding, names in whose.items():
        some = "" if len(names) == len(means) else f"{', '.join(names)}: "
        yield replace(finding, message=f"{some}{finding.message}")
