"""`capcurve bounds`: between which ends a number lies when some outcomes are unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from capcurve.cli.options import reads_scores, states_details_of_scores
from capcurve.cli.output import Destination, reader_may_leave, tell, waiting
from capcurve.cli.presenting import emit_result, shows_results
from capcurve.cli.reading import Counted, counted_partially, number_in
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from capcurve.cli.options import Request
    from capcurve.counts import PartialCounts
    from capcurve.studies.unknown import Bounds, TippingPoint

METRICS = {
    "ar": "accuracy_ratio",
    "auc": "roc_auc",
    "captured-response": "captured_response",
}
AT_DEPTH = "captured-response"
TWO = 2
POSITIVES = (
    "--positives must be LEAST:MOST, as shares of the unknown such as 0.05:0.2 or cases "
    "such as 10:40"
)
ODDS = "--odds must be LEAST:MOST, such as 1:3"


@click.command("bounds")
@reads_scores
@click.option(
    "--unknown-label",
    multiple=True,
    metavar="LABEL",
    help="Label of an unknown outcome, such as indeterminate; repeat for several. An empty outcome "
    "is always unknown.",
)
@click.option(
    "--unknown",
    metavar="COLUMN",
    help="With --counts: column of the unknown outcomes (default: unknown).",
)
@click.option(
    "--metric",
    type=click.Choice(list(METRICS)),
    default="ar",
    show_default=True,
    metavar="METRIC",
    help=f"Number to bound: {', '.join(METRICS)}.",
)
@click.option(
    "--at",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help=f"Share of all cases selected, for {AT_DEPTH}.",
)
@click.option(
    "--positives",
    metavar="LEAST:MOST",
    help="Positives among the unknown, as shares (0.05:0.2, 0.0:1.0) or cases (10:40).",
)
@click.option(
    "--odds",
    metavar="LEAST:MOST",
    help="Odds of being positive, as multiples of those of known cases with the same score; 1:1 "
    "takes the unknown to be like the known.",
)
@click.option(
    "--pooled/--no-pooled",
    default=None,
    help="Take odds of known cases pooled with neighbouring scores until rates fall, or as they "
    "stand at each score (the default up to 50 scores, and without --ordered).",
)
@click.option(
    "--ordered",
    is_flag=True,
    help="Take for granted that better scores have no higher rate of positives among the unknown.",
)
@click.option(
    "--minimum",
    type=float,
    metavar="NUMBER",
    help="Say how many positives among the unknown, placed worst, bring the number below this.",
)
@click.option(
    "--level",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Confidence level of the one-sided limits at either end.",
)
@shows_results
@click.option(
    "--counts",
    is_flag=True,
    help="FILE holds counts: score, positives, negatives, unknown. --score, --target and --unknown "
    "name these columns if they are called something else.",
)
@click.option(
    "--missing",
    type=click.Choice(["raise", "drop"]),
    help="Stop at rows without a score, weight or cluster (the default), or drop them and say how "
    "many.",
)
@states_details_of_scores
def bounds(
    request: Request,
    to: Destination,
    *,
    unknown_label: tuple[str, ...],
    unknown: str | None,
    metric: str,
    at: float | None,
    positives: str | None,
    odds: str | None,
    ordered: bool,
    pooled: bool | None,
    minimum: float | None,
    level: float,
) -> None:
    """Bound a number when some outcomes are unknown: rejected, indeterminate, too recent.

    The bounds hold whatever the unknown outcomes are, and both are reached. --positives, --odds
    and --ordered narrow them. With two scores the difference is bounded, first less second.
    """
    pooling = {True: "--pooled", False: "--no-pooled", None: ""}[pooled]
    _check(request, metric, at, {"--odds": odds, "--ordered": ordered or None, pooling: pooled})
    _check_inputs(request, unknown_label, unknown)
    how = {
        "positives": _pair(positives, POSITIVES),
        "odds": _pair(odds, ODDS),
        "ordered": ordered,
        "pooled": pooled,
        "level": level,
    }
    partial = counted_partially(request, unknown_label, unknown)
    with waiting("bounding"):
        found, tipping = _bounded(partial, metric, at, minimum, how)
    with reader_may_leave():
        _emit(found, tipping, request, to)
    tell_always(_known(partial, request))


def _known(partial: PartialCounts, request: Request) -> Counted:
    """Return the counts of known cases by score, with the rows left out of all."""
    names = partial.names or request.score[:1] or ("score",)
    parts = [partial.margin(name) for name in partial.names] or [partial]
    known: list[Any] = [part.known for part in parts]
    return Counted(
        {n: replace(part, dropped=partial.dropped) for n, part in zip(names, known, strict=True)}
    )


def _bounded(
    partial: PartialCounts,
    metric: str,
    at: float | None,
    minimum: float | None,
    how: dict[str, Any],
) -> tuple[Bounds, TippingPoint | None]:
    from capcurve.studies.unknown import tipping_point, unknown_bounds

    asked: Any = METRICS[metric]
    found = unknown_bounds(partial, asked, q=at, **how)
    if minimum is None:
        return found, None
    return found, tipping_point(partial, minimum, asked, q=at)


def _emit(found: Bounds, tipping: TippingPoint | None, request: Request, to: Destination) -> None:
    shown = replace(found.presentation(), source=request.source)
    if tipping is not None:
        shown = replace(shown, sentences=(*shown.sentences, tipping.sentence))
    if to.form == "json" and tipping is not None:
        from capcurve.show.columns import to_json

        to.emit(to_json({**found.to_dict(), "tipping_point": tipping.to_dict()}))
        tell({"": shown.findings})
    else:
        emit_result(found, shown, to)


def _check(
    request: Request, metric: str, at: float | None, of_one_score: dict[str, object]
) -> None:
    """Refuse what does not go together before anything is read."""
    if len(set(request.score)) > TWO:
        raise click.UsageError(
            "bounds are of one score, or of the difference of two; pass one or two of --score"
        )
    if metric == AT_DEPTH and at is None:
        raise click.UsageError(f"--metric {metric} is read at a depth; add --at, such as --at 0.1")
    if metric != AT_DEPTH and at is not None:
        raise click.UsageError(f"--at is for --metric {AT_DEPTH}, not {metric}")
    for flag, said in of_one_score.items():
        if said is not None and len(set(request.score)) == TWO:
            raise click.UsageError(
                f"{flag} is about the rates along one score, and a difference has two; use "
                "--positives, or pass one --score"
            )


def _check_inputs(request: Request, unknown_label: tuple[str, ...], unknown: str | None) -> None:
    """Refuse what is about rows with counts, and the other way round."""
    if request.counts and unknown_label:
        raise click.UsageError(
            "--unknown-label is for rows, and --counts reads counts; name their column with "
            "--unknown"
        )
    if unknown is not None and not request.counts:
        raise click.UsageError(
            "--unknown names a column of --counts; rows are unknown where --target is empty, or "
            "holds an --unknown-label"
        )


def _pair(said: str | None, rule: str) -> tuple[float, float] | None:
    """Return the two numbers of LEAST:MOST; one number alone is both."""
    if said is None:
        return None
    try:
        numbers = [number_in(word) for word in said.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, TWO):
        raise click.UsageError(f"{rule}; got {said!r}")
    return cast("tuple[float, float]", (numbers[0], numbers[-1]))
