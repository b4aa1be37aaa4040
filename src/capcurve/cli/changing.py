"""`capcurve change`: why a number changed between two samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import STDIN, reads_data, refuse_amounts, states_details, states_level
from capcurve.cli.output import Destination, waiting
from capcurve.cli.periods import counted_in_periods
from capcurve.cli.presenting import emit_result, shows_results
from capcurve.cli.reading import Counted, counted
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from capcurve.change import Attribution
    from capcurve.cli.options import Request
    from capcurve.inference.implied import Calibration

METRICS = {
    "ar": "accuracy_ratio",
    "auc": "roc_auc",
    "captured-response": "captured_response",
    "lift": "lift",
    "precision": "precision",
}
AT_DEPTH = ("captured-response", "lift", "precision")
# What a narrow terminal has no room for.
SPARE = (
    *("mix_positives", "mix_negatives", "mix_cases", "mix_rates"),
    *("n1_before", "n1_after", "n_before", "n_after", "ratio_before", "ratio_after"),
)
TWO = 2


@click.command("change")
@reads_data
@click.option(
    "--period",
    metavar="COLUMN",
    help="Compare two periods of one data set: the column that tells them, such as a month.",
)
@click.option("--from", "start", metavar="PERIOD", help="With --period: before (default: first).")
@click.option("--to", "end", metavar="PERIOD", help="With --period: after (default: last).")
@click.option(
    "--metric",
    type=click.Choice(list(METRICS)),
    default="ar",
    show_default=True,
    metavar="METRIC",
    help=f"Number whose change is explained: {', '.join(METRICS)}.",
)
@click.option(
    "--at",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help=f"Share of cases selected, for {', '.join(AT_DEPTH)}.",
)
@click.option(
    "--mix",
    type=click.Choice(["classes", "cases"]),
    help="Split the mix by segments' shares of each class (the default), or by their shares of "
    "the cases and their rates of positives.",
)
@click.option(
    "--least",
    type=click.IntRange(min=1),
    metavar="N",
    help="Put segments together that have fewer than N cases of a class in a sample.",
)
@click.option(
    "--pd",
    metavar="SCORE",
    help="Score that is a PD, from 0 to 1: split the change into what the PDs promise of the "
    "portfolio and what the model does beside it, in place of segments.",
)
@click.option(
    "--calibration",
    type=click.Choice(["matched", "stated"]),
    help="With --pd: shift the log-odds of the PDs so that they add up to the positives (the "
    "default), or take them as they are.",
)
@states_level
@shows_results
@states_details
def change(
    request: Request,
    to: Destination,
    *,
    period: str | None,
    start: str | None,
    end: str | None,
    metric: str,
    at: float | None,
    mix: Literal["classes", "cases"] | None,
    least: int | None,
    pd: str | None,
    calibration: Calibration | None,
    level: float,
) -> None:
    """Explain why a number changed: two files, before and after.

    Or one data set with --period. A change of the accuracy ratio is split into the mix of segments
    (--by), ranking within segments and ranking between them, or with --pd into portfolio and
    model; that of captured response, lift or precision into ranking and prevalence. The parts add
    up to the change.
    """
    _check(request, metric, {"--mix": mix, "--least": least}, at)
    _check_pds(request, pd, calibration, {"--mix": mix, "--least": least, "--at": at})
    if period is None:
        _refuse_periods(start, end)
        samples, labels = _of_files(request), _names_of(request.file)
    else:
        samples, labels = counted_in_periods(request, period, start, end)
    before, after = _alike(
        [_whole(found, pd) if metric in AT_DEPTH or pd else _segments(found) for found in samples]
    )
    with waiting("explaining"):
        from capcurve.change import attribute_change

        why = attribute_change(
            before,
            after,
            metric=cast("Any", METRICS[metric]),
            q=at,
            mix=mix or "classes",
            level=level,
            least=least or 0,
            pd=None if pd is None else "score",
            calibration=calibration or "matched",
            by=request.by or "segment",
            labels=labels,
        )
    _emit(why, request, to)
    for found in samples:
        tell_always(found)


def _emit(why: Attribution, request: Request, to: Destination) -> None:
    files = ("standard input" if file == STDIN else Path(file).name for file in request.file)
    shown = replace(why.presentation(), source=", ".join(files))
    emit_result(why, shown, to, SPARE)


def _check(request: Request, metric: str, given: dict[str, object], at: float | None) -> None:
    """Refuse what does not go together before anything is read."""
    refuse_amounts(request, "change explains numbers", "leave it out")
    if len(set(request.score)) > 1:
        raise click.UsageError("change explains one score; pass one --score")
    if request.memory_limit is not None:
        raise click.UsageError("change needs all rows in memory; leave out --memory-limit")
    if metric not in AT_DEPTH:
        if at is not None:
            raise click.UsageError(f"--at is for --metric {', '.join(AT_DEPTH)}, not {metric}")
        return
    if at is None:
        raise click.UsageError(f"--metric {metric} is read at a depth; add --at, such as --at 0.1")
    of_segments = {"--by": request.by, **given}
    for flag, said in of_segments.items():
        if said is not None:
            raise click.UsageError(
                f"--metric {metric} is split into ranking and prevalence, without segments; leave "
                f"out {flag}"
            )


def _check_pds(
    request: Request, pd: str | None, calibration: str | None, given: dict[str, object]
) -> None:
    """Refuse what does not go with --pd, and what goes only with it."""
    if pd is None:
        if calibration is not None:
            raise click.UsageError("--calibration is of PDs; add --pd with the score that is one")
        return
    for flag, said in {"--by": request.by, **given}.items():
        if said is not None:
            raise click.UsageError(
                f"--pd splits a change into portfolio and model, in place of segments; leave out "
                f"{flag}"
            )


def _refuse_periods(start: str | None, end: str | None) -> None:
    for flag, said in (("--from", start), ("--to", end)):
        if said is not None:
            raise click.UsageError(f"{flag} goes with --period; name the column of the periods")


def _of_files(request: Request) -> tuple[Counted, Counted]:
    """Count each of two files on its own."""
    if len(request.file) != TWO:
        raise click.UsageError(
            f"change compares two files, BEFORE and AFTER, and got {len(request.file)}; for two "
            "periods of one data set add --period"
        )
    before, after = (counted(replace(request, file=(file,))) for file in request.file)
    return before, after


def _names_of(files: tuple[str, ...]) -> tuple[str, str]:
    """Return what two files are called: before and after, where their names do not differ."""
    names = ["standard input" if file == STDIN else Path(file).stem for file in files]
    return (names[0], names[-1]) if len(set(names)) == len(names) else ("before", "after")


def _whole(found: Counted, pd: str | None) -> Any:
    """Return the counts of all rows, for a number at a depth and for PDs."""
    ((name, counts),) = found.whole.items()
    if pd is not None and pd != name:
        raise Failure(f"--pd {pd} is not the score that is explained, which is {name!r}")
    return counts


def _segments(found: Counted) -> Any:
    """Return the counts by segment."""
    if not found.segments:
        raise Failure(
            "name the column of the segments with --by, such as a product; without segments a "
            "change is all ranking"
        )
    return next(iter(found.segments.values()))


def _alike(samples: list[Any]) -> list[Any]:
    """Return segments under names of one type: one file may hold numbers, the other text."""
    from capcurve.view.format import cutoff_text

    if not all(isinstance(sample, dict) for sample in samples):
        return samples
    kinds = [{type(key) for key in sample if key is not None} for sample in samples]
    if kinds[0] == kinds[1] or not all(kinds):
        return samples
    return [
        {None if key is None else cutoff_text(key): counts for key, counts in sample.items()}
        for sample in samples
    ]
