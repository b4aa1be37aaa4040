"""`capcurve change`: why a number changed between two samples, or two periods of one data set."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import click

from capcurve.cli.errors import Failure
from capcurve.cli.options import reads_data, refuse_amounts, states_details, states_level
from capcurve.cli.output import Destination, note, waiting
from capcurve.cli.presenting import emit_result, shows_results
from capcurve.cli.reading import (
    SHOWN,
    Counted,
    counted,
    label_of,
    labels_of,
    picked,
    query_of,
    refuse_people,
)
from capcurve.cli.tables import tell_always

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.inference.implied import Calibration
    from capcurve.input import Query
    from capcurve.input.columns import Column
    from capcurve.input.files import Files
    from capcurve.studies.change import Attribution

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
# Text that sorts as time does: a year, and what follows it from large to small.
IN_TIME = re.compile(r"\d{4}([-/. ]?[QWHM]?\d{1,2}([-/. T].*|\d\d)?)?")
Both: TypeAlias = "tuple[Counted, Counted]"


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
    samples, labels = _both(request, period, start, end)
    before, after = _alike(
        [_whole(found, pd) if metric in AT_DEPTH or pd else _segments(found) for found in samples]
    )
    with waiting("explaining"):
        from capcurve.studies.change import attribute_change

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
    if why.segments is not None:
        for segments in (before, after):
            refuse_people(request, {k: segments[k] for k in segments if k not in why.pooled})
    _emit(why, request, to)
    for found in samples:
        tell_always(found)


def _both(
    request: Request, period: str | None, start: str | None, end: str | None
) -> tuple[Both, tuple[str, str]]:
    """Count two files or two periods, and return what they are called."""
    if period is not None:
        return counted_in_periods(request, period, start, end)
    for flag, said in (("--from", start), ("--to", end)):
        if said is not None:
            raise click.UsageError(f"{flag} goes with --period; name the column of the periods")
    return _of_files(request), request.before_and_after


def _emit(why: Attribution, request: Request, to: Destination) -> None:
    shown = replace(why.presentation(), source=request.source)
    emit_result(why, shown, to, SPARE)


def _check(request: Request, metric: str, given: dict[str, object], at: float | None) -> None:
    """Refuse what does not go together before anything is read."""
    refuse_amounts(request, "change explains numbers", "leave it out")
    if len(set(request.score)) > 1:
        raise click.UsageError("change explains one score; pass one --score")
    if request.by is not None and request.by in (request.target, *request.score):
        raise click.UsageError(f"--by {request.by} is the target or the score; name a segment")
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


def _of_files(request: Request) -> Both:
    """Count each of two files on its own."""
    if len(request.file) != TWO:
        raise click.UsageError(
            f"change compares two files, BEFORE and AFTER, and got {len(request.file)}; for two "
            "periods of one data set add --period"
        )
    count = counted if request.counts or request.by is None else _counted_by_text
    before, after = (count(replace(request, file=(file,))) for file in request.file)
    return before, after


def _counted_by_text(request: Request) -> Counted:
    """Count a file by segments as its text has them: 01 in one file is 01 in the other."""
    from capcurve.counts.ranking import refuse_small_cells

    with query_of(request) as query, waiting("counting"):
        from capcurve.input.files import read_columns

        names = [query.target, *query.scores.values(), *query.extra]
        columns = read_columns(cast("Files", query.data), names, as_text=[str(request.by)])
        found = _counted(query, columns, slice(None))
    if not found.whole:
        raise Failure(f"there are no rows in {request.file[0]}, and so no segments")
    refuse_small_cells(request.min_cell, found.whole, found.segments)
    return found


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
    return _in_order(next(iter(found.segments.values())))


def _in_order(segments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return segments in the order of their numbers, where their names are numbers."""
    try:
        keys = sorted(segments, key=lambda key: (key is None, float(key or 0)))
    except (TypeError, ValueError):
        keys = list(segments)
    return {key: segments[key] for key in keys}


def _alike(samples: list[Any]) -> list[Any]:
    """Return segments under names of one type: one file may hold numbers, the other text."""
    from capcurve.show.format import cutoff_text

    if not all(isinstance(sample, dict) for sample in samples):
        return samples
    if any(isinstance(key, bool) for sample in samples for key in sample):
        samples = [{_as_truth(key): counts for key, counts in each.items()} for each in samples]
    kinds = [{type(key) for key in sample if key is not None} for sample in samples]
    if kinds[0] == kinds[1] or not all(kinds):
        return samples
    return [
        {None if key is None else cutoff_text(key): counts for key, counts in sample.items()}
        for sample in samples
    ]


def _as_truth(key: object) -> object:
    """Return true and false as text has them, in whatever letters."""
    text = str(key).strip().lower()
    return text if text in ("true", "false") else key


def counted_in_periods(
    request: Request, name: str, start: str | None, end: str | None
) -> tuple[Both, tuple[str, str]]:
    """Count the rows of two periods, and return what the periods are called.

    They are named as the column holds them; left out, they are its first and its last.
    """
    from capcurve.counts.ranking import refuse_small_cells
    from capcurve.show.format import cutoff_text

    if request.counts:
        raise click.UsageError("--period is for rows, and --counts reads counts; leave one out")
    with query_of(request) as query, waiting("counting"):
        from capcurve.input.files import read_columns

        names = [query.target, *query.scores.values(), *query.extra, name]
        columns = read_columns(cast("Files", query.data), names)
        chosen = _chosen(columns[name], start, end)
        before, after = (_counted(query, columns, _rows_of(columns[name], each)) for each in chosen)
    for found in (before, after):
        refuse_small_cells(request.min_cell, found.whole, found.segments)
    labels = (cutoff_text(chosen[0]), cutoff_text(chosen[1]))
    _tell(columns[name], labels, start, end)
    return (before, after), labels


def _chosen(column: Column, start: str | None, end: str | None) -> tuple[object, object]:
    """Return the two periods that are asked for, as the column holds them."""
    labels = _ordered(labels_of(column))
    if len(labels) < 2:  # noqa: PLR2004 - before and after
        found = "none" if not labels else f"one, {_listed(labels)}"
        raise Failure(f"--period {column.name} needs two periods, and the column holds {found}")
    _refuse_to_guess(labels, column.name, {"--from": start, "--to": end})
    first = labels[0] if start is None else _named(labels, start, "--from", column.name)
    last = labels[-1] if end is None else _named(labels, end, "--to", column.name)
    if first == last:
        raise Failure(f"--from and --to are the same period, {_listed([first])}; name two")
    return first, last


def _refuse_to_guess(labels: Sequence[object], column: str, said: Mapping[str, str | None]) -> None:
    """Refuse to call periods first and last whose text does not sort as time does."""
    texts = [label for label in labels if isinstance(label, str)]
    flags = [flag for flag, word in said.items() if word is None]
    if flags and not all(IN_TIME.fullmatch(label) for label in texts):
        raise Failure(
            f"the periods of {column!r} ({_listed(labels)}) do not sort in time; name them with "
            f"{' and '.join(flags)}"
        )


def _tell(column: Column, labels: tuple[str, str], start: str | None, end: str | None) -> None:
    """Say which periods were taken where they were not named, and how many rows have none."""
    from capcurve.show.format import counted

    flags = [flag for flag, said in (("--from", start), ("--to", end)) if said is None]
    if flags:
        how = "name others" if len(flags) > 1 else "names another"
        note(f"{column.name}: from {labels[0]} to {labels[1]}; {' and '.join(flags)} {how}")
    if column.missing is not None and column.missing.any():
        rows = counted(int(column.missing.sum()), "row")
        note(f"left out for lack of a {column.name}: {rows}")


def _ordered(labels: Mapping[object, int]) -> list[Any]:
    """Return periods in their order: that of numbers, dates or text."""
    return sorted(cast("Any", labels), key=lambda label: (isinstance(label, str), label))


def _named(labels: Sequence[object], word: str, flag: str, column: str) -> object:
    """Return the period that a word stands for."""
    found = label_of(labels, word)
    if found is None:
        raise Failure(f"{flag} {word} is not in {column!r}, which holds {_listed(labels)}")
    return found


def _listed(labels: Sequence[object]) -> str:
    """Return the names of periods, of many the first and the last."""
    from capcurve.show.format import cutoff_text

    texts = [cutoff_text(label) for label in labels]
    if len(texts) <= SHOWN:
        return ", ".join(texts)
    half = SHOWN // 2
    return f"{', '.join(texts[:half])}, ... {', '.join(texts[-half:])} ({len(texts)} in all)"


def _counted(query: Query, columns: Mapping[str, Column], rows: Any) -> Counted:
    """Count some rows."""
    from capcurve.input import count_each

    data = {name: picked(column, rows) for name, column in columns.items()}
    return Counted(*count_each(replace(query, data=data)))


def _rows_of(periods: Column, chosen: object) -> Any:
    """Return which rows are of one period."""
    import numpy as np

    rows = periods.values == np.array(chosen, dtype=periods.values.dtype)
    return rows if periods.missing is None else rows & ~periods.missing
