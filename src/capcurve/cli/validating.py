"""`capcurve validate`: the validation sheet of a score, as a page to sign, JSON, text or tables."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from capcurve.cli.calibrating import (
    correlation_option,
    grade_pd_option,
    pd_option,
    pds_of_grades,
    score_meant,
)
from capcurve.cli.command import Output, ShowsResult, command, of_result
from capcurve.cli.earlier import earlier_samples, sample_in, tell_rows_left_out
from capcurve.cli.errors import Failure, code_of
from capcurve.cli.flags import in_list
from capcurve.cli.notations import DATES, OUTSIDE, SUBJECT, number_or, words_in
from capcurve.cli.options import (
    OF_GRADES,
    ONE_HORIZON,
    ROWS_ONLY,
    WRITTEN,
    Request,
    level_option,
    of_classes,
    option,
    seed_option,
)
from capcurve.cli.output import (
    RESULTS,
    AsTyped,
    Formats,
    check_output,
    note,
    save,
    waiting,
)
from capcurve.cli.reading import (
    CountsByScore,
    checked,
    counted_jointly,
    counted_to_show,
    labels_told,
    loaded,
    query_of,
    refuse_people,
    tallied,
    unknown_labels,
)
from capcurve.input import count_partially
from capcurve.input.files import match_levels
from capcurve.numbers.order import places_in
from capcurve.numbers.periods import by_time
from capcurve.show import PICTURES
from capcurve.show.format import counted as told
from capcurve.show.text import to_json, write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capcurve.counts import JointCounts, ScoreCounts
    from capcurve.studies.validation.ecb import EcbTable
    from capcurve.studies.validation.sheet import ValidationSheet

# A .pdf would be the picture of a result, and people expect the page, which browsers print.
SHEET_FORMATS = Formats(
    {suffix: form for suffix, form in RESULTS.suffixes.items() if suffix not in PICTURES}
    | {".xlsx": "xlsx"},
    " csv is the tests with all digits, xlsx every table.",
)

_OF_ROWS = {
    "counts": ROWS_ONLY,
    "memory_limit": "{flag} needs all rows in memory; leave out --memory-limit",
    "stdin": "with {flag} the rows are read several times, and standard input only once; "
    "name a file",
}
_NO_HORIZON = {"horizon": "{flag} has no tests at a horizon yet; leave it out"}
_PDS_UNTESTED = {
    "horizon": "{flag} adds tests of PDs, which do not allow for censored rows; capcurve "
    "calibration has observed to expected by --horizon"
}
_OF_UNKNOWN = {name: said.replace("{flag}", "--unknown") for name, said in _OF_ROWS.items()}
# A narrower terminal has no room for columns of limits and lights.
WIDE_TERMINAL = 140
_WITH_ECB = {"ecb": "{flag} is for the ECB's table; add --ecb FILE"}
_CHART_ALONE = "--chart goes with --period and --initial; name them"


@dataclass(frozen=True, kw_only=True)
class SheetSamples(ShowsResult):
    """Which columns and files play which part beside the score."""

    initial: str | None = option(
        "The initial validation sample: rows with the same columns, counts saved by capcurve "
        "counts, or its accuracy ratio as a number or in summary JSON, then taken as known.",
        "PATH|NUMBER",
    )
    period: str | None = option(
        "Column of the periods, such as months, for the control chart against --initial.",
        "COLUMN",
        excludes=_OF_ROWS | _NO_HORIZON,
    )
    start_grade: str | None = option(
        "Column of the grade at the start of the period, for migration.",
        "COLUMN",
        excludes=_OF_ROWS | _NO_HORIZON,
    )
    end_grade: str | None = option(
        "Column of the grade at the end of the period, for migration: the score is then the grade "
        "at its beginning, before the outcomes were known.",
        "COLUMN",
        excludes={
            **_OF_ROWS,
            **_NO_HORIZON,
            "start_grade": "with --start-grade the score has the grades at the end of the period, "
            "with --end-grade those at its beginning; leave one out",
        },
    )
    outside: tuple[tuple[str, str], ...] = option(
        "Label of --end-grade that is not a grade, with what became of these cases: default, "
        "other-model or terminated; repeat for several.",
        "LABEL=STATUS",
        type=OUTSIDE,
        section=OF_GRADES,
        needs={"end_grade": "--outside is for labels of --end-grade; name that column too"},
    )
    final_grade: str | None = option(
        "Column of the grade after overrides, for their share and effect.",
        "COLUMN",
        excludes=_OF_ROWS | _NO_HORIZON,
    )
    challenger: tuple[str, ...] = option(
        "Column of another score of the same rows; repeat for several.", "COLUMN", excludes=_OF_ROWS
    )
    before: str | None = option(
        "An earlier portfolio for stability and concentration: rows, with or without the "
        "target, or saved counts (default: the sample of --initial).",
        "PATH",
        excludes={
            "horizon": "{flag} compares all rows, whatever became of them; leave it out, or use "
            "capcurve stability"
        },
    )
    unknown: bool = option(
        "Rows without an outcome are cases with an outcome not known yet: bound their effect.",
        excludes=_OF_UNKNOWN,
    )
    unknown_label: tuple[str, ...] = option(
        "Label of an unknown outcome, e.g. indeterminate; repeat for several. Implies --unknown.",
        "LABEL",
        excludes=_OF_UNKNOWN,
    )

    pd: str | None = pd_option(
        "the score itself, or one beside it; adds the calibration.", excludes=_PDS_UNTESTED
    )
    grade_pd: str | None = grade_pd_option(excludes=_PDS_UNTESTED)

    @property
    def grades(self) -> tuple[str, ...]:
        """The columns on the scale of the score."""
        names = (self.start_grade, self.end_grade, self.final_grade)
        return tuple(name for name in names if name is not None)

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are counted together with the score."""
        request = self.request
        alone = self.pd is None or request.counts or score_meant(self.pd, request) in request.score
        return (*self.grades, *self.challenger, *(() if alone else (str(self.pd),)))

    @property
    def partly_unknown(self) -> bool:
        """Whether there are outcomes that are not known."""
        return self.unknown or bool(self.unknown_label)

    def counted(self) -> tuple[dict[str, Any], CountsByScore]:
        """Return the samples by their parts, and what was counted first."""
        base = self._of_scores(self.request.score)
        if self.period is not None:  # the periods alone are cut out of dates
            base = replace(base, by_period=None)
        samples, found = (self._with_unknown if self.partly_unknown else self._known)(base)
        samples |= {"start": self.start_grade, "end": self.end_grade, "final": self.final_grade}
        if self.end_grade is not None:
            samples["joint"] = self._with_grades_of_score(samples["joint"])
        if self.outside:
            samples["outside"] = list(self._statuses(samples["joint"]))
        if self.initial is not None:
            read = earlier_samples("--initial", self.initial, base, found.whole, self._earlier)
            before = _of_one(read)
            samples["initial"] = getattr(before, "value", before)  # of a summary, or counts
        if self.before is not None:
            whole = replace(base, by=(), by_period=None)
            before = sample_in("--before", self.before, whole, self._earlier, cases=True)
            tell_rows_left_out(f"--before {self.before}", before.whole)
            samples["before"] = _of_one(before.whole)
        return samples, found

    def _with_grades_of_score(self, joint: JointCounts) -> JointCounts:
        """Return counts whose end has the grades of the score: with labels, numbers are text."""
        at, own = joint.names.index(str(self.end_grade)), joint.levels[0]
        last = joint.levels[at]
        if own is None or last is None:
            return joint
        found = match_levels(last, own)
        if len(set(found)) < len(found):
            return joint
        return replace(joint, levels=(*joint.levels[:at], found, *joint.levels[at + 1 :]))

    def _statuses(self, joint: JointCounts) -> dict[object, str]:
        """Return what became of cases by their label, as the grades at the end have it."""
        end = joint.margin(str(self.end_grade))
        labels = [label for label, _ in self.outside]
        found = match_levels(labels, list(end.levels or end.thresholds.tolist()))
        return dict(zip(found, (status for _, status in self.outside), strict=True))

    def _known(self, base: Request) -> tuple[dict[str, Any], CountsByScore]:
        """Count rows that all have an outcome."""
        pds = self.others if self.others == (self.pd,) else ()  # counted at once, as a pipe is read
        found = counted_to_show(base, pd=pds)
        samples: dict[str, Any] = {"now": _of_one(found.whole)}
        # Saved counts have segments of their own, which are the periods where these are named.
        if base.by or (found.segments and self.period is None):
            samples["segments"] = _of_one(found.segments)
        if self.period is not None:
            parts = tallied(self._by_period(base)).segments
            samples["periods"] = _in_time(_of_one(parts), self.period)
        if self.others and not pds:
            together = self._of_scores((*base.score, *self.others))
            try:
                samples["joint"] = counted_jointly(replace(together, by=())).joint
            except ValueError as error:
                self._tell_of_labels(str(error))
                raise
        return samples, found

    def _tell_of_labels(self, error: str) -> None:
        """Refuse what the end holds beside grades, saying what becomes of such cases."""
        how = "say with --outside LABEL=STATUS what became of cases whose label is not a grade"
        if self.end_grade is not None and "not among the levels" in error:
            raise Failure(f"{error.rpartition(';')[0]}; {how}") from None
        if error.startswith(f"{self.end_grade} holds") and "which is no number" in error:
            raise Failure(
                f"{error.partition(' (')[0]}; name the grades with --levels, and {how}"
            ) from None

    def _with_unknown(self, base: Request) -> tuple[dict[str, Any], CountsByScore]:
        """Count rows of which some have no outcome yet; all else is of those that have one."""
        together = self._of_scores((*base.score, *self.others))
        with query_of(replace(together, by=())) as query:
            known = unknown_labels(query, self.unknown_label)
            if idle := [word for word in self.unknown_label if word not in known]:
                raise Failure(
                    f"--unknown-label {shlex.quote(idle[0])} is not a label of {query.target!r}"
                )
            labels = list(known.values())
            both = count_partially(query, labels)
        samples: dict[str, Any] = {"partial": both}
        if self.others:
            samples = {"joint": both.known, "partial": both.margin(base.score[0])}
        samples["now"] = samples["partial"].known
        found = CountsByScore({base.score[0]: samples["now"]})
        margins = {each: both.margin(each) for each in both.names} or {base.score[0]: both}
        checked(CountsByScore({each: part.known for each, part in margins.items()}), base)
        checked(CountsByScore({each: part.cases.held for each, part in margins.items()}), base)
        if base.by:
            samples["segments"] = _known_by(base, labels)
            refuse_people(base, samples["segments"])
        if self.period is not None:
            parts = _known_by(self._by_period(base), labels)
            samples["periods"] = _in_time(parts, self.period)
        return samples, found

    def _earlier(self, request: Request) -> CountsByScore:
        """Count the rows of an earlier sample; those whose outcome is not known are left out."""
        if not self.partly_unknown:
            return tallied(request)
        with query_of(request) as query:
            labels = unknown_labels(query, self.unknown_label)
            known = count_partially(query, list(labels.values())).known
            return CountsByScore({request.name: known})

    def _by_period(self, base: Request) -> Request:
        return replace(base, by=(str(self.period),), by_period=self.request.by_period)

    def _of_scores(self, scores: Sequence[str]) -> Request:
        """Return the request for these scores alone, with what is said of them."""
        known = (*self.request.score, *self.others)
        # What is said of no score by name is said of the score and of the grades beside it.
        own = (*self.request.score, *self.grades)

        def said(words: Sequence[str], of: Sequence[str]) -> tuple[str, ...]:
            found: list[str] = []
            for word in words:
                name, sign, _ = word.partition("=")
                if sign and name in known:
                    found += [word] if name in scores else []
                else:
                    found += [f"{each}={word}" for each in of if each in scores] or [word]
            return tuple(found)

        ranking = [name for name in known if name != self.pd or name in self.request.score]
        levels = tuple(map(self._with_outside, said(self.request.levels, own)))
        higher_is = said(self.request.higher_is, ranking)
        graded = {word.partition("=")[0] for word in self.request.levels}
        cuts = said(self.request.cuts, [each for each in own if each not in graded])
        return replace(
            self.request, score=tuple(scores), levels=levels, higher_is=higher_is, cuts=cuts
        )

    def _with_outside(self, levels: str) -> str:
        """Return the grades of a score, those of the end with the labels that are none."""
        name, _, words = levels.partition("=")
        labels = [label for label, _ in self.outside if name == self.end_grade]
        more = (in_list(label) for label in labels if label not in words_in(words))
        return ",".join([levels, *more])


def _of_one(by_score: Mapping[str, Any]) -> Any:
    if len(by_score) > 1:
        raise Failure(f"validate takes one score, and there are {', '.join(by_score)}; name it")
    return next(iter(by_score.values()), {})


def _known_by(request: Request, labels: Sequence[object]) -> Any:
    """Count the rows that have an outcome, by segment."""
    with loaded(request) as rows:
        target = rows.columns[str(request.target)]
        known = np.array([value not in labels for value in target.values.tolist()], dtype=bool)
        if target.missing is not None:
            known &= ~target.missing
        return _of_one(checked(rows.counted(known), request).segments)


def _in_time(periods: Mapping[Any, Any], column: str) -> dict[Any, Any]:
    """Return periods in order of time; rows without one are left out."""
    found = by_time(periods, f"the periods in {column!r}")
    if (without := found.pop(None, None)) is not None:
        note(f"left out for lack of a {column}: {told(without.n, 'row')}")
    return found


def _print_schema(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the JSON Schema and leave; refuse whatever else is asked for, which would be lost."""
    if not wanted or context.resilient_parsing:
        return
    if len(context.find_root().obj) > len(["validate", "--schema"]):
        raise click.UsageError(
            "--schema stands alone and prints to standard output; leave out the rest, and write "
            "capcurve validate --schema > FILE to save it"
        )
    from capcurve.studies.validation.sheet import schema

    click.echo(to_json(schema()))
    context.exit()


@command(
    "validate",
    writes=SHEET_FORMATS,
    refuses={
        "amount": of_classes("the validation sheet is", "name a --target"),
        "scores": "validate takes one --score; name others with --challenger",
        **ONE_HORIZON,
    },
)
@dataclass(frozen=True, kw_only=True)
class Validate(SheetSamples):
    """Run all validation tests against your limits.

    FILE is the validation sample, and the result its validation sheet. -o sheet.html writes a page
    to print and sign, with all tables behind it.

    A light is green or red only when the whole confidence interval is on that side of your limit,
    else amber. There are no limits of our own, but an alarm of the control chart is red whatever
    your limits.

    Exit code 0 if no light is red and there is no alarm, 1 if there is one (see --fail-on), 2 for
    wrong use or unusable input.

    In detail:

    Tests without their data are listed as not performed: --initial and --period are for the fall
    since the first validation and the control chart, --by for segments, --start-grade and
    --final-grade for migration and overrides.
    """

    chart: str | None = option(
        "With --period: the limit of an earlier control chart, so that verdicts stay: "
        "the JSON of an earlier sheet, or a limit saved by capcurve check --save-limit.",
        "PATH",
        needs={"period": _CHART_ALONE, "initial": _CHART_ALONE},
    )
    asset_correlation: float = correlation_option(
        needs={"pd|grade_pd": "--asset-correlation is for PDs; add --pd or --grade-pd"}
    )
    limits: str | None = option(
        "Your limits as TOML, such as [accuracy_ratio] green=0.45 red=0.35; without them "
        "there are no lights.",
        "PATH",
    )
    subject: tuple[tuple[str, str], ...] = option(
        "What is validated, e.g. model='SME 4.2'; repeat for version, period, validator, ...",
        "KEY=VALUE",
        type=SUBJECT,
    )
    fail_on: Literal["red", "amber", "alarm"] | None = option(
        "red: exit with code 1 if a light is red or the control chart alarms (the default); amber: "
        "also if a light is amber or grey, or if there are limits for a test that was not made; "
        "alarm: only if the control chart alarms.",
        needs={
            "limits|period": "--fail-on is about lights and alarms; add --limits, or --period and "
            "--initial"
        },
    )
    ecb: str | None = option(
        "Also write the numbers that the ECB asks for yearly (2019, section 2.5): .csv or .xlsx.",
        "FILE",
        section=WRITTEN,
        excludes={"horizon": "--ecb covers one year, which is its horizon; leave out --horizon"},
    )
    ecb_exposure: str | None = option(
        "With --ecb: column of the original exposure at the beginning of the period.",
        "COLUMN",
        needs=_WITH_ECB,
        excludes={
            **_OF_ROWS,
            "unknown|unknown_label": "{flag} needs the outcome of every case; leave out --unknown",
        },
    )
    best_first: bool = option(
        "With --ecb: number the grades from the best one; the two bandwidths change places.",
        needs=_WITH_ECB,
    )
    initial_dates: tuple[object, object] | None = option(
        "With --ecb: first and last day of the initial sample.",
        "START:END",
        type=DATES,
        needs=_WITH_ECB,
    )
    seed: int | None = seed_option(
        "Seed of the random numbers; the same seed gives the same sheet."
    )
    level: float = level_option()
    schema: bool = option(
        "Print the JSON Schema of the sheet and exit.",
        section=WRITTEN,
        is_eager=True,
        expose_value=False,
        callback=_print_schema,
    )

    def result(self) -> Output:
        """Return the sheet; the exit code says whether a light is red."""
        from capcurve.studies.validation.judgement import read_limits

        self._refuse_twice()
        if self.ecb is not None:
            check_output(self.ecb, (".csv", ".xlsx"), "--ecb")
        limits, chart = read_limits(self.limits), self._chart()
        samples, found = self.counted()
        with waiting("validating"):
            from capcurve.studies.validation.validating import validate

            samples |= self.options("level", "asset_correlation")
            samples["all_segments"] = True  # others were refused when they were counted
            if self.seed is not None:
                samples["seed"] = self.seed
            if self.pd is not None:
                named = self.pd if self.pd in self.others else "score"
                samples["pd"] = next(iter(found.pds.values()), named)
            elif self.grade_pd is not None:
                samples["pd"] = pds_of_grades(self.grade_pd, samples["now"])
            subject = self._data(found) | dict(self.subject)
            sheet = validate(**samples, chart=chart, limits=limits, subject=subject)
        for problem in sheet.findings:
            if problem.severity == "error":  # no cases of both classes
                raise Failure(f"{problem.message}; {problem.advice}")
        if self.ecb is not None:
            lines = sheet.ecb(
                exposure=self._exposures(samples["now"]),
                statuses=self._statuses(samples["joint"]) if self.outside else None,
                best_first=self.best_first,
                initial_dates=self.initial_dates,
            )
            sheet = replace(sheet, ecb_table=lines)
        return self._written(sheet, found)

    def _refuse_twice(self) -> None:
        names = (*self.request.score, *self.others)
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise click.UsageError(f"{twice[0]} is named twice as a score, grade or challenger")
        pairs = ((self.subject, "--subject", "key"), (self.outside, "--outside", "label"))
        for given, flag, what in pairs:
            if len(dict(given)) < len(given):
                raise click.UsageError(f"{flag} names a {what} twice; give each once")
        if self.ecb_exposure in (*self.request.score, *self.grades):
            raise click.UsageError(
                f"--ecb-exposure {self.ecb_exposure} has grades; name the column of the amounts"
            )

    def _exposures(self, now: ScoreCounts) -> dict[object, float] | None:
        """Return the exposure of each grade, counted beside the score."""
        if self.ecb_exposure is None:
            return None
        name, score = self.ecb_exposure, self.request.score[0]
        both = replace(self._of_scores((score, name)), by=(), missing="drop")
        try:
            joint = counted_jointly(both).joint
        except (TypeError, ValueError) as error:
            if "holds text" not in str(error):
                raise
            text = str(error).partition(", which")[0]
            raise Failure(f"{text}; --ecb-exposure names a column of amounts") from None
        grades, exposures = joint.margin(score), joint.margin(name)
        if not math.isclose(joint.n, now.n):
            raise Failure(
                f"only {joint.n:,} of {now.n:,} rows have an exposure in {name!r}; fill in the rest"
            )
        place, of_cell = map(places_in, (grades, exposures), joint.scores)
        amounts = np.asarray(exposures.thresholds, dtype=np.float64)
        if amounts.min() < 0:
            raise Failure(f"an exposure in {name!r} is {amounts.min():g}, below 0")
        sums = np.bincount(place, (joint.positives + joint.negatives) * amounts[of_cell])
        return dict(zip(grades.thresholds.tolist(), sums.tolist(), strict=True))

    def _data(self, found: CountsByScore) -> dict[str, str]:
        """Return what the data are called, which counts do not know; what is given goes before."""
        request, initial = self.request, number_or(self.initial or "", lambda path: Path(path).name)
        target, label = request.target, labels_told(request)
        if request.event:
            target, label = request.event + request.within, f"positive: {request.event_label or 1}"
        known = {
            "file": request.source,
            "target": "" if request.counts else target and f"{target} ({label})",
            "score": next(iter(found.whole), ""),
            "initial file": "" if isinstance(initial, float) else initial,
        }
        return {name: str(value) for name, value in known.items() if value}

    def _chart(self) -> Any:
        """Return the stored limit of a control chart, which a sheet holds among its settings."""
        if self.chart is None:
            return None
        try:
            read = json.loads(Path(self.chart).read_text(encoding="utf-8"))
            return read["settings"]["control_chart"] if "schema" in read else read
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Failure(
                f"--chart {self.chart} is neither the JSON of a sheet with a control chart nor a "
                "limit saved by capcurve check --save-limit"
            ) from None

    def _written(self, sheet: ValidationSheet, found: CountsByScore) -> Output:
        """Return the sheet in every format; on a screen what its first page says."""
        from capcurve.studies.validation.sheet import (
            ecb_shown,
            table_of_tests,
            tests_in_full,
            write_as_workbook,
        )

        sheet = replace(sheet, speaks=AsTyped.asked().noun)
        if (lines := ecb_shown(sheet)) is not None:
            lines = replace(lines, speaks=AsTyped.asked())
            sheet = replace(sheet, ecb_table=lines)
            if self.ecb is not None:
                self._save_ecb(lines)
        shown = sheet.presentation()
        if self.to.form == "table" and self.to.output is None:
            width = self.to.width
            narrow = width is not None and width < WIDE_TERMINAL
            shown = replace(shown, tables=(table_of_tests(sheet, narrow=narrow),))
        return of_result(
            sheet.to_dict,
            shown,
            columns=partial(tests_in_full, sheet),
            files={
                "html": lambda path: write_text(path, sheet.to_html()),
                "xlsx": partial(write_as_workbook, sheet),
            },
            counted=[found],
            code=self._code(sheet),
        )

    def _save_ecb(self, found: EcbTable) -> None:
        """Write the ECB's lines beside the sheet, with what they lack in flags."""
        from capcurve.studies.validation.ecb import write_ecb_workbook

        path = Path(str(self.ecb))
        write = partial(write_ecb_workbook, found)
        if path.suffix.lower() == ".csv":
            write = partial(write_text, text=self.to.as_csv(found.in_columns()))
        save(path, write, [(found.sentence, None)])

    def _code(self, sheet: ValidationSheet) -> int:
        """Return the exit code: of all lights, an alarm among them, or of the alarm alone."""
        from capcurve.studies.validation.judgement import light_of
        from capcurve.studies.validation.sheet import tests_of

        if self.fail_on == "alarm":
            return code_of("red" for test in tests_of(sheet) if test.alarm is not None)
        lights = [light_of(test) for test in tests_of(sheet)]
        # A limit that nothing was held against, such as that of a misspelt challenger, is not kept.
        if any(found.code == "limits_unused" for found in sheet.findings):
            lights.append("grey")
        return code_of(lights, self.fail_on or "red")
