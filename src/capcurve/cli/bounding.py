"""`capcurve bounds`: what a number is when some outcomes are unknown: its ends, or from labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.notations import CUTOFF, ODDS, POSITIVES_RANGE, Cuts
from capcurve.cli.options import (
    OF_CASES,
    ONE_HORIZON,
    TIMED,
    depth_option,
    labelled_option,
    level_option,
    metric_named,
    metric_words,
    option,
    refuse_without_depth,
    untimed,
)
from capcurve.cli.output import RESULTS, SCHEMA_VERSION, waiting
from capcurve.cli.reading import counted_partially, counts_of_each, part_called
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import renamed
from capcurve.show.columns import formed
from capcurve.show.format import capitalised, counted, plain_names, written
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import PartialCounts
    from capcurve.studies.unknown import RateEstimate

BOUNDED = metric_words("accuracy_ratio", "roc_auc", "captured_response")
UNBOUNDED = metric_words("prevalence", "lift", "precision", "kappa")
BOUNDS_AT_DEPTH = (*BOUNDED[-1:], *UNBOUNDED[1:3])
AT_CUTOFF = (*BOUNDS_AT_DEPTH, *UNBOUNDED[3:])
OF_CSV = ("estimate", "low", "high", "se", "labels", "cases")

_LABELLED = {"labelled": "{flag} goes with --labelled; say how labels were chosen"}
_NO_BOUNDS = "{flag} narrows bounds, and --metric {metric} has none; leave it out"
_AT_CUTOFF = {"cutoff": "{flag} narrows bounds, and there are none at a --cutoff; leave one out"}
_OF_BOUNDS = {f"metric={'|'.join(UNBOUNDED)}": _NO_BOUNDS, **_AT_CUTOFF}
_OF_ODDS = {f"metric={'|'.join(UNBOUNDED[1:])}": _NO_BOUNDS, **_AT_CUTOFF}
_OF_ONE_SCORE = {
    "scores": "{flag} is about the rates along one score, and a difference has two; use "
    "--positives, or pass one --score"
}


@command(
    "bounds",
    columns=("target", "score", "by", "by_period", *TIMED),
    details=OF_CASES,
    texts={
        "counts": "FILE holds counts: score, positives, negatives, unknown. --score, --target and "
        "--unknown name these columns if they are called something else.",
        "missing": "Stop at rows without a score, weight or cluster (the default), or drop them "
        "and say how many.",
        "by": "With --labelled and --metric prevalence: column of batches that were labelled at "
        "rates of their own, which the share adds up.",
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

    If a sample of cases was labelled, --labelled estimates the number of all cases from it.
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
        f"Number to bound: {', '.join(BOUNDED)}; or with --labelled {', '.join(UNBOUNDED)}.",
        "METRIC",
        type=click.Choice((*BOUNDED, *UNBOUNDED)),
        default="ar",
    )
    labelled: str | None = labelled_option(
        "Estimate the number of all cases from labels on some.",
        excludes=untimed("{flag} is for labels, which do not take time"),
    )
    of: Literal["population", "cases"] = option(
        "With --labelled: what the interval is for, these cases or the population that they are "
        "drawn from.",
        default="population",
        needs=_LABELLED,
        excludes={"scores": "{flag} is for one score; leave it out, or pass one --score"},
    )
    at: float | None = depth_option(BOUNDS_AT_DEPTH)
    cutoff: Cuts | None = option(
        f"With --labelled: cut-off in place of --at, for {', '.join(AT_CUTOFF)}. Cases at or "
        "better than this score or grade are selected.",
        "SCORE",
        type=CUTOFF,
        needs={
            **_LABELLED,
            f"metric={'|'.join(AT_CUTOFF)}": f"{{flag}} is for --metric {', '.join(AT_CUTOFF)}, "
            "not {metric}",
        },
        excludes={"at": "--at and --cutoff both say what is selected; give one"},
    )
    positives: tuple[float, float] | None = option(
        "Positives among the unknown, as shares (0.05:0.2, 0.0:1.0) or cases (10:40).",
        "LEAST:MOST",
        type=POSITIVES_RANGE,
        excludes=_OF_BOUNDS,
    )
    odds: tuple[float, float] | None = option(
        "Odds of the unknown, as multiples of those of known cases with the same score; 1:1 "
        "assumes that they are alike.",
        "LEAST:MOST",
        type=ODDS,
        excludes={**_OF_ONE_SCORE, **_OF_ODDS},
    )
    pooled: bool | None = option(
        "Pool the odds of known cases with neighbouring scores until rates fall, or take them as "
        "they are at each score (the default up to 50 scores, and without --ordered).",
        flags=("--pooled/--no-pooled",),
        default=None,
        excludes={**_OF_ONE_SCORE, **_OF_BOUNDS},
    )
    ordered: bool = option(
        "Assume that among the unknown, the rate of positives never rises as the score improves.",
        excludes={**_OF_ONE_SCORE, **_OF_BOUNDS},
    )
    minimum: float | None = option(
        "Show how many positives among the unknown, placed worst, bring the number below this.",
        "NUMBER",
        excludes=_OF_BOUNDS,
    )
    level: float = level_option(0.5, "one-sided limits at either end, and of --labelled")

    def result(self) -> Output:
        """Return the bounds, and from labels on some cases what the number of all is."""
        request, metric = self.request, metric_named(self.metric)
        self._check()
        strata = counted_partially(request, self.unknown_label, self.unknown)
        first, *others = strata.values()
        partial = type(first).merge([first, *others]) if others else first
        body: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "metric": metric}
        body |= {"n_known": partial.known.n, "n_unknown": partial.unknown.n}
        shown, columns = Presentation(title="", sentences=()), None
        with waiting("computing"), renamed(q="at", threshold="cutoff"):
            if self.metric in BOUNDED and self.cutoff is None:
                shown, body = self._bounds(partial, metric)
            if self.metric == "prevalence":
                shown = self._share(strata, body)
            elif self.labelled is not None:
                shown, found = self._number(partial, shown, body), body["labelled"]
                columns = lambda: {name: [found[name]] for name in OF_CSV}  # noqa: E731
        shown = request.about(() if partial.names else request.score, shown)
        of_each = [counts_of_each(partial, request)]
        return of_result(lambda: body, shown, columns=columns, counted=of_each)

    def _bounds(self, partial: PartialCounts, metric: Any) -> tuple[Presentation, dict[str, Any]]:
        """Return the bounds, and how many positives bring the number below a minimum."""
        from capcurve.studies.unknown import tipping_point, unknown_bounds

        asked = self.options("positives", "odds", "ordered", "pooled", "level")
        found = unknown_bounds(partial, metric, q=self.at, **asked)
        shown, body = found.presentation(), found.to_dict()
        if self.minimum is not None:
            tipping = tipping_point(partial, self.minimum, metric, q=self.at)
            answer = replace(tipping, known_only=None).sentence  # the bounds show what is known
            shown = replace(shown, sentences=(*shown.sentences, answer))
            body["tipping_point"] = tipping.to_dict()
        return shown, body

    def _plain(self, found: Any, share: RateEstimate) -> dict[str, Any]:
        """Return an estimate as JSON has it, from the labels and cases that the share has."""
        body = {k: v for k, v in found.to_dict().items() if k not in {"labelled", "n", "bounds"}}
        about = {"of": self.of, "assumption": self.labelled}
        return {**body, **about, "labels": share.labels, "cases": share.n}

    def _share(self, strata: Mapping[Any, PartialCounts], body: dict[str, Any]) -> Presentation:
        """Return the share of positives, and that of each stratum."""
        from capcurve.studies.unknown import estimate_rate

        by, asked = self.request.by_called, self.options("labelled", "level", "of", "odds")
        found = estimate_rate(strata if by else strata[None], **asked)
        shown = found.presentation()
        body["low"], body["high"] = found.bounds
        body["labelled"] = self._plain(found, found)
        if by is None:
            return shown
        each = {part_called({by: key}): estimate_rate(c, **asked) for key, c in strata.items()}
        body["strata"] = [{"stratum": name, **self._plain(own, own)} for name, own in each.items()]
        names = {"n": "cases", "labels": "labels", "estimate": "rate", "low": "low", "high": "high"}
        columns: dict[str, Any] = {by: label_column(each)}
        for old, new in names.items():
            columns[new] = np.array([getattr(own, old) for own in each.values()])
        stated = formed(columns, None, count="cases labels", share="rate low high")
        table = Table(f"Share of positives by {by}", stated)
        return replace(shown, tables=(table, *shown.tables))

    def _number(
        self, partial: PartialCounts, bounds: Presentation, body: dict[str, Any]
    ) -> Presentation:
        """Return another number of all cases, and behind it its bounds."""
        from capcurve.inference import compare, confidence_interval
        from capcurve.studies.unknown import estimate_rate

        name, how = metric_named(self.metric), self.options("labelled", "level")
        cutoff = None if self.cutoff is None else self.cutoff.one(partial.levels)
        found: Any
        if partial.names:
            found = compare(partial, metric=name, **how).overall
        else:
            place: Any = {"of": self.of, "q": self.at, "threshold": cutoff}
            found = confidence_interval(partial, name, **place, **how)
        share = estimate_rate(partial.margin(partial.names[0]) if partial.names else partial, **how)
        # Notes of the share are about its own cells, which end at no cut-off.
        findings = tuple(each for each in share.findings if each.severity == "warning")
        told = {"findings": [each.to_dict() for each in findings]}
        body["labelled"] = self._plain(found, share) | told
        shown = self._behind(found, share, tuple(plain_names(partial.names)), bounds, cutoff)
        return replace(shown, findings=findings)

    def _behind(
        self, found: Any, share: RateEstimate, names: Any, bounds: Presentation, cutoff: Any
    ) -> Presentation:
        """Return what is shown of a number, and behind it of its bounds."""
        from capcurve.studies.unknown.shown import metric_called

        metric = METRICS[metric_named(self.metric)]
        called = metric_called(metric.name, self.at, names)
        label = "difference" if names else metric.short if metric.needs else metric.label
        form: Any = "ratio" if names else metric.form
        own = Figure(metric.name, label, label, found.estimate, form, found.low, found.high)
        where = f"{'for' if names else 'of'} all {counted(share.n, 'case')}"
        where += "" if cutoff is None else f" at a cut-off of {written('score', cutoff)}"
        labels = f"{counted(share.labels, 'label')} {self.labelled}"
        said = [f"{capitalised(called)} {where} is {own.text} {own.limits}, from {labels}."]
        behind = [replace(each, label="bounds", short="bounds") for each in bounds.figures[:1]]
        notes = as_sentences((*found.notes, f"method: {found.method}"))
        if metric.name == "kappa":  # whose first note is how many cases agree
            said, notes = [*said, notes[0]], notes[1:]
        return replace(
            bounds,
            title=f"{capitalised(called.removeprefix('the '))}, from labels on some cases",
            sentences=(*said, *bounds.sentences),
            figures=(own, *behind, *bounds.figures[1:]),
            level=self.level,
            notes=(*notes, *bounds.notes),
        )

    def _check(self) -> None:
        metric, n, said = self.metric, len(set(self.request.score)), self.labelled is not None
        needs, pass_one = f"--metric {metric} needs", "is for one score; pass one --score"
        refusals = {
            "bounds are for one score, or the difference of two; pass --score once or twice": n > 2,  # noqa: PLR2004 - a pair
            f"{needs} --labelled at-random or by-score; bounds are for {', '.join(BOUNDED)}": (
                not said and metric in UNBOUNDED
            ),
            "--by is for --labelled with --metric prevalence; leave it out": (
                self.request.by and not (said and metric == "prevalence")
            ),
            f"--metric {metric} with --labelled {pass_one}": (
                n > 1 and said and metric not in BOUNDED[:2]
            ),
            f"{needs} --cutoff, such as --cutoff 4": metric == "kappa" and self.cutoff is None,
        }
        for message in (message for message, wrong in refusals.items() if wrong):
            raise click.UsageError(message)
        if self.cutoff is None:
            refuse_without_depth(metric, self.at, BOUNDS_AT_DEPTH)
