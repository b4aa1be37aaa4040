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
from capcurve.show.format import capitalised, counted, limits, plain_names, written
from capcurve.show.presentation import Figure, Presentation, as_sentences
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capcurve.counts import PartialCounts

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
    labelled: Literal["at-random", "by-score"] | None = option(
        "Estimate the number of all cases from labels on some. Any case was as likely to get one "
        "(at-random), or any other case of its score (by-score).",
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

    @property
    def _how(self) -> dict[str, Any]:
        """How labels were chosen, as functions of the library take it, and the level."""
        return {"labelled": str(self.labelled).replace("-", " "), "level": self.level}

    def _plain(self, found: Any, labels: Any, cases: Any) -> dict[str, Any]:
        """Return an estimate as JSON has it."""
        body = {k: v for k, v in found.to_dict().items() if k not in {"labelled", "n", "bounds"}}
        about = {"of": self.of, "assumption": self._how["labelled"]}
        return {**body, **about, "labels": labels, "cases": cases}

    def _share(self, strata: Mapping[Any, PartialCounts], body: dict[str, Any]) -> Presentation:
        """Return the share of positives, and that of each stratum."""
        from capcurve.studies.unknown import estimate_rate

        by, own = self.request.by_called, {}
        asked: Any = {**self._how, **self.options("of", "odds")}
        for key, part in strata.items() if by else ():
            name = part_called({"stratum": key})
            try:
                each = estimate_rate(part, **asked)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            own[name] = self._plain(each, each.labels, each.n)
        found = estimate_rate(strata if by else strata[None], **asked)
        body["low"], body["high"] = found.bounds
        body["labelled"] = self._plain(found, found.labels, found.n)
        shown = found.presentation()
        if by is None:
            return shown
        body["strata"] = [{"stratum": name, **each} for name, each in own.items()]
        return replace(shown, tables=(_of_strata(by, own), *shown.tables))

    def _number(
        self, partial: PartialCounts, bounds: Presentation, body: dict[str, Any]
    ) -> Presentation:
        """Return another number of all cases, and behind it its bounds."""
        from capcurve.inference import compare, confidence_interval
        from capcurve.studies.unknown import estimate_rate

        cutoff = None if self.cutoff is None else self.cutoff.one(partial.levels)
        metric = metric_named(self.metric)
        found: Any
        place: Any = {"q": self.at, "threshold": cutoff}
        one = partial.margin(partial.names[0]) if partial.names else partial
        if partial.names:
            found = compare(partial, metric=metric, **self._how).overall
        else:
            found = confidence_interval(partial, metric, of=self.of, **self._how, **place)
        every = estimate_rate(one, **self._how).findings  # of which notes are about its own cells
        findings = tuple(each for each in every if each.severity == "warning")
        labelled = self._plain(found, partial.known.n, partial.n)
        body["labelled"] = labelled | {"findings": [each.to_dict() for each in findings]}
        return replace(self._behind(found, partial, bounds, cutoff), findings=findings)

    def _behind(
        self, found: Any, partial: PartialCounts, bounds: Presentation, cutoff: Any
    ) -> Presentation:
        """Return what is shown of a number, and behind it of its bounds."""
        from capcurve.studies.unknown.shown import metric_called

        metric, names = METRICS[metric_named(self.metric)], tuple(plain_names(partial.names))
        form: Any = "ratio" if names else metric.form
        called = metric_called(metric.name, self.at, names)
        where = f"{'for' if names else 'of'} all {counted(partial.n, 'case')}"
        where += "" if cutoff is None else f" at a cut-off of {written('score', cutoff)}"
        value = f"{written(form, found.estimate)} {limits(form, found.low, found.high)}"
        labels = f"{counted(partial.known.n, 'label')} {self._how['labelled']}"
        label = "difference" if names else metric.short if metric.needs else metric.label
        own = Figure(metric.name, label, label, found.estimate, form, found.low, found.high)
        behind = [replace(each, label="bounds", short="bounds") for each in bounds.figures[:1]]
        notes = as_sentences((*found.notes, f"method: {found.method}"))
        said = [f"{capitalised(called)} {where} is {value}, from {labels}."]
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
        of_pair = "bounds are for one score, or the difference of two; pass --score once or twice"
        to_label = f"--metric {metric} needs --labelled at-random or by-score; bounds are"
        of_share = "--by is for --labelled with --metric prevalence; leave it out"
        of_one = f"--metric {metric} with --labelled is for one score; pass one --score"
        to_cut = f"--metric {metric} needs --cutoff, such as --cutoff 4"
        refusals = {
            of_pair: n > 2,  # noqa: PLR2004 - a pair
            f"{to_label} for {', '.join(BOUNDED)}": not said and metric in UNBOUNDED,
            of_share: self.request.by and not (said and metric == "prevalence"),
            of_one: n > 1 and said and metric not in BOUNDED[:2],
            to_cut: metric == "kappa" and self.cutoff is None,
        }
        for message, wrong in refusals.items():
            if wrong:
                raise click.UsageError(message)
        if self.cutoff is None:
            refuse_without_depth(metric, self.at, BOUNDS_AT_DEPTH)


def _of_strata(by: str, own: Mapping[str, Any]) -> Table:
    """Return the share of each stratum as a table."""
    names = {"cases": "cases", "labels": "labels", "rate": "estimate", "low": "low", "high": "high"}
    columns = {new: np.array([each[old] for each in own.values()]) for new, old in names.items()}
    forms = {"count": "cases labels", "share": "rate low high"}
    stated = formed({by: label_column(own), **columns}, None, **forms)
    return Table(f"Share of positives by {by}", stated)
