"""`capcurve change` and `stability`: what became of a number, and of a portfolio."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import click
import numpy as np

from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.earlier import sample_in
from capcurve.cli.errors import Failure
from capcurve.cli.notations import Cuts, bins_among
from capcurve.cli.options import (
    LABEL_OPTIONS,
    OF_CASES,
    ONE_HORIZON,
    READ_FROM,
    ROWS_ONLY,
    Request,
    bins_option,
    depth_option,
    level_option,
    metric_named,
    metric_words,
    of_classes,
    option,
    refuse_without_depth,
    untimed,
)
from capcurve.cli.output import RESULTS, WITH_WORKBOOK, note, waiting
from capcurve.cli.reading import (
    MOST_SAID,
    CountsByScore,
    checked,
    counted_cases,
    label_of,
    labels_of,
    loaded,
    refuse_people,
    tallied,
)
from capcurve.counts import CaseCounts
from capcurve.gate.alike import refuse_unlike
from capcurve.gate.given import is_amounts
from capcurve.numbers.periods import by_time, first_days, in_time
from capcurve.show.format import counted as told, cutoff_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.input.columns import InputColumn

CHANGES_AT_DEPTH = metric_words("captured_response", "lift", "precision")
EXPLAINED = (*metric_words("accuracy_ratio", "roc_auc"), *CHANGES_AT_DEPTH)
SPARE_OF_CHANGES = ("n_before", "n_after", "n1_before", "n1_after", "ratio_before", "ratio_after")
SPARE_BY_PERIOD = ("expected_if_unchanged", "psi_half")
TWO = 2
BothPeriods: TypeAlias = "tuple[CountsByScore, CountsByScore]"

_OF_PERIODS = {"period": "{flag} goes with --period; name the column of the periods"}
_NO_SEGMENTS = (
    "--metric {metric} is split into ranking and prevalence, without segments; leave out {flag}"
)
_NOT_WITH_PD = {
    "pd": "--pd splits a change into portfolio and model, in place of segments; leave out {flag}"
}


@command(
    "change",
    writes=RESULTS,
    refuses={
        "amount": of_classes("capcurve change is", "leave it out"),
        "scores": "change explains one score; pass one --score",
        "memory_limit": "change needs all rows in memory; leave out --memory-limit",
        **ONE_HORIZON,
    },
)
@dataclass(frozen=True, kw_only=True)
class ExplainChange(ShowsResult):
    """Explain why a number changed between two samples.

    The samples are two files, BEFORE and AFTER, or with --period two periods of one data set.
    BEFORE may also be counts saved by capcurve counts.

    Shows the change with a 95% interval and a test. --by splits a change of the accuracy ratio
    into the mix of segments and the ranking within and between them, --pd into portfolio and model;
    changes of captured response, lift or precision are split into ranking and prevalence.
    """

    period: str | None = option(
        "Compare two periods of one data set: the column of the periods, such as months.",
        "COLUMN",
        excludes={"counts": ROWS_ONLY},
    )
    start: str | None = option(
        "The earlier period (default: first).", "PERIOD", flags=("--from",), needs=_OF_PERIODS
    )
    end: str | None = option(
        "The later period (default: last).", "PERIOD", flags=("--to",), needs=_OF_PERIODS
    )
    metric: str = option(
        f"Number whose change is explained: {', '.join(EXPLAINED)}.",
        "METRIC",
        type=click.Choice(EXPLAINED),
        default="ar",
    )
    at: float | None = depth_option(CHANGES_AT_DEPTH)
    least: int | None = option(
        "Merge segments that have fewer than N cases of a class in a sample.",
        "N",
        type=click.IntRange(min=1),
        excludes={f"metric={'|'.join(CHANGES_AT_DEPTH)}": _NO_SEGMENTS, **_NOT_WITH_PD},
        needs={"by|counts": "{flag} is for segments; name their column with --by"},
    )
    pd: str | None = option(
        "Score that is a PD, from 0 to 1: split the change into portfolio (what the PDs imply) and "
        "model (the rest), in place of segments.",
        "SCORE",
        excludes={
            **{name: _NOT_WITH_PD["pd"].replace("{flag}", f"--{name}") for name in ("by", "at")},
            "horizon": "{flag} has no test at a horizon yet; leave it out",
        },
    )
    calibration: Literal["matched", "stated"] | None = option(
        "With --pd: shift the log-odds of the PDs until they add up to the positives (matched, the "
        "default), or take them as they are (stated).",
        needs={"pd": "--calibration is for PDs; add --pd with the score that is one"},
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the change in its parts."""
        request = self.request
        self._check()
        if self.period is None:
            samples, labels = self._of_files(), request.before_and_after
        else:
            samples, labels = self._in_periods(self.period)
        # Counts that were saved by segment serve a change without any, too.
        by_segment = all(found.segments for found in samples)
        before, after = _alike([self._explained(found, by_segment) for found in samples])
        with waiting("explaining"):
            from capcurve.studies.change import attribute_change
            from capcurve.studies.change.shown import both_samples

            why = attribute_change(
                before,
                after,
                metric=metric_named(self.metric),
                q=self.at,
                level=self.level,
                least=self.least or 0,
                pd=None if self.pd is None else "score",
                calibration=self.calibration or "matched",
                by=self._of_segments.by_called or "segment",
                labels=labels,
            )
        rows: Any = None if why.parts else partial(both_samples, why)
        if why.segments is not None:
            rows = why.segments.values  # without their total
            for segments in (before, after):
                refuse_people(request, {k: segments[k] for k in segments if k not in why.pooled})
        shown = request.about(samples[1].whole, why.presentation())
        return of_result(why.to_dict, shown, SPARE_OF_CHANGES, columns=rows, counted=samples)

    @property
    def _of_segments(self) -> Request:
        """The request for segments, which dates have no part in where --period names these."""
        return self.request if self.period is None else replace(self.request, by_period=None)

    def _check(self) -> None:
        _refuse_role(self.request)
        refuse_without_depth(self.metric, self.at, CHANGES_AT_DEPTH)
        if self.metric in CHANGES_AT_DEPTH and self.request.by:
            raise click.UsageError(_NO_SEGMENTS.format(metric=self.metric, flag="--by"))

    def _of_files(self) -> BothPeriods:
        request = self.request
        if len(request.file) != TWO:
            raise click.UsageError(
                f"change compares two files, BEFORE and AFTER, and got {len(request.file)}; for "
                "two periods of one data set add --period"
            )
        before, after = request.file
        found = _counted_alike(replace(request, file=(after,)))
        earlier = sample_in("BEFORE", before, request, _counted_alike)
        # Saved counts have a direction of their own; other scales are a change like any other.
        both = [next(iter(each.whole.values())) for each in (earlier, found)]
        refuse_unlike(both, [f"BEFORE {before}", f"AFTER {after}"], ("higher_is",))
        return earlier, found

    def _in_periods(self, name: str) -> tuple[BothPeriods, tuple[str, str]]:
        """Count two periods, the first and last unless named, and return what they are called."""
        from capcurve.input.arrays.groups import segment_column

        with loaded(self._of_segments, name) as rows:
            column = segment_column([rows.columns[name]], self.request.by_period)
            chosen = _chosen(column, self.start, self.end)
            before, after = (
                checked(rows.counted(_rows_of(column, each)), self.request) for each in chosen
            )
        labels = (cutoff_text(chosen[0]), cutoff_text(chosen[1]))
        flags = [f for f, said in (("--from", self.start), ("--to", self.end)) if said is None]
        if flags:
            how = "name others" if len(flags) > 1 else "names another"
            note(f"{name}: from {labels[0]} to {labels[1]}; {' and '.join(flags)} {how}")
        if column.missing is not None and column.missing.any():
            note(f"left out for lack of a {name}: {told(int(column.missing.sum()), 'row')}")
        return (before, after), labels

    def _explained(self, found: CountsByScore, by_segment: bool) -> Any:
        """Return the counts of all rows, or for a number that segments explain by segment."""
        ((name, counts),) = found.whole.items()
        if is_amounts(counts):  # saved ones, which no option told of
            raise Failure(
                "change explains numbers of positives and negatives, and these are amounts; count "
                "the rows with --target"
            )
        if self.pd is not None and self.pd != name:
            raise Failure(f"--pd {self.pd} is not the score that is explained, which is {name!r}")
        if self.pd is not None or self.metric in CHANGES_AT_DEPTH:
            return counts
        return _in_order(found.segments[name]) if by_segment else counts


def _counted_alike(request: Request) -> CountsByScore:
    """Count a file by segments as its text has them: 01 in one file is 01 in the other."""
    if request.counts or not request.by:
        return tallied(request)
    with loaded(request, as_text=request.by) as rows:
        return checked(rows.counted(slice(None)), request)


def _in_order(segments: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return segments in the order of their numbers, where their names are numbers."""
    try:
        keys = sorted(segments, key=lambda key: (key is None, float(key or 0)))
    except (TypeError, ValueError):
        keys = list(segments)
    return {key: segments[key] for key in keys}


def _alike(samples: list[Any]) -> list[Any]:
    """Return segments under names of one type: one file may hold numbers, the other text."""
    if not all(isinstance(sample, Mapping) for sample in samples):
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


def _chosen(column: InputColumn, start: str | None, end: str | None) -> tuple[object, object]:
    asked = {"--from": start, "--to": end}
    labels = _in_time(column, [flag for flag, word in asked.items() if word is None])
    if len(labels) < TWO:
        held = "none" if not labels else f"one, {_listed(labels)}"
        raise Failure(f"--period {column.name} needs two periods, and the column holds {held}")
    first, last = (
        usual if word is None else _named(labels, word, flag, column.name)
        for usual, (flag, word) in zip((labels[0], labels[-1]), asked.items(), strict=True)
    )
    if first == last:
        raise Failure(f"--from and --to are the same period, {_listed([first])}; name two")
    return first, last


def _in_time(column: InputColumn, free: Sequence[str]) -> list[Any]:
    """Return the periods of a column in order, which that of time must be where flags are free."""
    found = cast("Any", labels_of(column))
    labels = sorted(found, key=lambda label: (isinstance(label, str), label))
    try:
        return list(by_time(dict.fromkeys(labels), f"the periods in {column.name!r}"))
    except ValueError as error:
        if not free:
            return labels
        raise Failure(f"{error}, or name them with {' and '.join(free)}") from None


def _named(labels: Sequence[object], word: str, flag: str, column: str) -> object:
    found = label_of(labels, word)
    if found is None:
        raise Failure(
            f"{flag} {shlex.quote(word)} is not in {column!r}, which holds {_listed(labels)}"
        )
    return found


def _listed(labels: Sequence[object]) -> str:
    """Return the names of periods, of many the first and the last."""
    texts = [cutoff_text(label) for label in labels]
    if len(texts) <= MOST_SAID:
        return ", ".join(texts)
    half = MOST_SAID // 2
    return f"{', '.join(texts[:half])}, ... {', '.join(texts[-half:])} ({len(texts)} in all)"


def _rows_of(periods: InputColumn, chosen: object) -> Any:
    rows = periods.values == np.array(chosen, dtype=periods.values.dtype)
    return rows if periods.missing is None else rows & ~periods.missing


@command(
    "stability",
    columns=("target", "score", "by", "by_period", "all_segments"),
    details=[each for each in OF_CASES if each != "missing"],
    texts={
        "by": "Column of the periods of FILE, such as months, of which each is compared; or of "
        "segments, with BEFORE or --from.",
        "counts": "FILE holds counts: score and n, or score, positives and negatives. --score, "
        "--target and --by name these columns if they are called something else.",
    },
    writes=WITH_WORKBOOK,
    refuses={
        "scores": "stability is for one score; pass one --score",
        **untimed("shares of all rows need no outcomes"),
    },
)
@dataclass(frozen=True, kw_only=True)
class CompareFiles(ShowsResult):
    """Compare score distributions of files or periods (PSI).

    The files are BEFORE and AFTER. With --by, every period of one file is compared with its first
    period, or with BEFORE. BEFORE may also be counts saved by capcurve counts.

    Shows the population stability index (PSI) with its interval, a test, and what to expect if
    nothing changed; then the shares of each grade or bin, or the PSI of each period. No outcomes
    are needed.
    """

    start: str | None = option(
        "With --by: the period that all others are compared with (default: first).",
        "PERIOD",
        flags=("--from",),
        needs={"by": "{flag} goes with --by; name the column of the periods"},
    )
    of: Literal["cases", "positives", "negatives"] = option(
        "Whose shares are compared: those of one class show whether the ranking moved, and "
        "need --target.",
        default="cases",
    )
    bins: int | str | Cuts | None = bins_option(
        " in the first file or period", " (default: every grade of --levels, else 10)"
    )
    missing: Literal["raise", "drop", "bin"] | None = option(
        "Stop at rows with a missing value (the default), drop them and say how many, or make "
        "those without a score a bin.",
        excludes={"counts": ROWS_ONLY},
        section=READ_FROM,
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the stability of the portfolio, or of every period."""
        request = replace(self.request, missing=cast("Any", self.missing))
        self._check()
        *earlier, last = request.file
        now, whole = self._counted(replace(request, file=(last,))), replace(request, by=())
        cases = self.of == "cases"
        before = [
            next(iter(sample_in("BEFORE", path, whole, self._counted, cases=cases).whole.values()))
            for path in earlier
        ]
        ((name, after),) = now.whole.items()
        parts = now.segments.get(name, {}) if request.by else {None: after}
        samples = _of_same_grades([*before, *parts.values()])
        last_ones = dict(zip(parts, samples[len(before) :], strict=True))
        if request.by:
            _refuse_people(request, last_ones)
        with waiting("comparing"):
            from capcurve.studies.grades import population_stability

            compare: Callable[..., Any] = population_stability
            found = compare(
                *samples[: len(before)],
                last_ones if request.by else last_ones[None],
                bins=bins_among(self.bins, _held(samples[0]).levels),
                of=self.of,
                level=self.level,
                **self._words(parts),
            )
        shown = request.about([name], found.presentation())
        names = request.before_and_after if before else (name,)
        told = dict(zip(names, map(_told, [*before, after]), strict=True))
        columns = found.table.values if request.by else None
        counts = [CountsByScore(told)]
        return of_result(found.to_dict, shown, SPARE_BY_PERIOD, columns=columns, counted=counts)

    def _words(self, parts: Mapping[Any, Any]) -> dict[str, Any]:
        """Return what the samples are called, or the period that is named."""
        if len(self.request.file) == TWO:
            return {"labels": self.request.before_and_after}
        if self.start is None:
            return {}
        by = self.request.by_called or "segment"
        return {"reference": _named([*parts], self.start, "--from", by)}

    def _check(self) -> None:
        request, of = self.request, self.of
        files = len(request.file)
        if files != TWO and not (request.by and files == 1):
            raise click.UsageError(
                f"stability compares two files, BEFORE and AFTER, and got {files}; for the periods "
                "of one file name their column with --by"
            )
        if self.start is not None and files == TWO:
            raise click.UsageError(
                "--from names the period to compare with, and BEFORE is another sample to compare "
                "with; leave one of the two out"
            )
        if self.missing == "bin" and of != "cases":
            raise click.UsageError(f"--missing bin is of all cases; leave out --of {of}")
        _refuse_role(request)
        if request.counts:
            return
        if not request.score:
            raise click.UsageError("name the score column with --score")
        if of != "cases" and request.target is None:
            raise click.UsageError(f"--of {of} needs outcomes; name their column with --target")
        if of == "cases" and (named := [name for name in LABEL_OPTIONS if getattr(request, name)]):
            raise click.UsageError(
                f"--{named[0].replace('_', '-')} is for outcomes; add --of positives or --of "
                "negatives"
            )
        if of == "cases" and request.target is not None:
            raise click.UsageError(
                "the shares of all cases need no --target; leave it out, or add --of positives or "
                "--of negatives"
            )

    def _counted(self, request: Request) -> CountsByScore:
        return counted_cases(request) if self.of == "cases" else tallied(request)


def _refuse_role(request: Request) -> None:
    """Refuse segments that are the outcome or the score."""
    for name in request.by:
        if name in (request.target, *request.score):
            raise click.UsageError(f"--by {name} is the target or the score; name a segment")


def _refuse_people(request: Request, parts: Mapping[Any, Any]) -> None:
    """Refuse segments that are too many, or people: months of many years are neither."""
    names = [key for key in parts if key is not None]
    if in_time(names) is None or first_days(names, "day") is not None:
        refuse_people(request, {key: _held(part) for key, part in parts.items()})


def _told(counts: ScoreCounts | CaseCounts) -> ScoreCounts:
    """Return counts as findings are made of them: rows that are a bin were not left out."""
    held = _held(counts)
    binned = held.dropped is not None and held.dropped.unscored is not None
    return replace(held, dropped=None) if binned else held


def _held(counts: ScoreCounts | CaseCounts) -> ScoreCounts:
    """Return counts of cases, or those behind cases without outcome."""
    return counts.held if isinstance(counts, CaseCounts) else counts


def _of_same_grades(samples: Sequence[ScoreCounts | CaseCounts]) -> list[ScoreCounts | CaseCounts]:
    """Return counts whose grades are of one type: the text "3" of one file is 3 in the other."""
    held = [_held(sample) for sample in samples]
    grades = [grade for each in held for grade in each.levels or () if not isinstance(grade, str)]
    known = {cutoff_text(grade): grade for grade in grades}
    same: list[Any] = []
    for sample, each in zip(samples, held, strict=True):
        levels = tuple(known.get(str(grade), grade) for grade in each.levels or ())
        named = replace(each, levels=levels) if levels else each
        same.append(CaseCounts(named) if isinstance(sample, CaseCounts) else named)
    return same
