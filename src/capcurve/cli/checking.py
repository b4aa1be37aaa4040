"""`capcurve check`: whether a score reaches what it must, for build servers and monitoring."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.calibrating import BY_ONE, grade_pd_option, pd_option, pds_of_scores, score_meant
from capcurve.cli.command import (
    Output,
    ShowsResult,
    command,
    headline_of,
    page_and_picture,
    with_rows_left_out,
)
from capcurve.cli.earlier import earlier_samples, has_cases, initial_of
from capcurve.cli.errors import Failure, code_of
from capcurve.cli.notations import CUTOFF, Cuts
from capcurve.cli.options import (
    OPEN_SHARE,
    WRITTEN,
    errors_option,
    labelled_option,
    not_with,
    of_classes,
    option,
    seed_option,
)
from capcurve.cli.output import (
    DOCUMENTS,
    SCHEMA_VERSION,
    Formats,
    Warned,
    check_output,
    save,
    tell_all,
    waiting,
)
from capcurve.cli.reading import (
    CountsByScore,
    counted_partially,
    counted_to_show,
    counts_of_each,
    part_called,
    tallied,
)
from capcurve.gate.alike import EVERY_SETTING, OUTCOME, RANKED_CLASSES, SCALE
from capcurve.gate.given import is_amounts
from capcurve.metrics import METRICS, Metric
from capcurve.numbers.arguments import renamed, reworded
from capcurve.numbers.periods import by_time, in_time
from capcurve.show import PICTURES
from capcurve.show.format import printable
from capcurve.show.text import MARKUPS, to_json, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.cli.options import Request
    from capcurve.cli.output import Destination, Told
    from capcurve.counts import Amounts, ScoreCounts
    from capcurve.metrics.registry import Of
    from capcurve.show.presentation import Light, Presentation
    from capcurve.studies.monitoring import ControlChart
    from capcurve.studies.validation.gates import Baseline, Gate, Ruling
    from capcurve.studies.validation.judgement import TestLimits

CHECKS = Formats(
    {".txt": "text", ".json": "json", ".xml": "junit", **DOCUMENTS, ".html": "html"}
    | {suffix: suffix[1:] for suffix in PICTURES},
    " A picture shows the control chart of --periods.",
)
PSI = "stability.psi"
ALL_PERIODS = "To test all periods together, use --periods."
# Between which values the largest drop and the largest PSI lie.
RANGES_OF_LARGEST = {"max_drop": (0.0, 2.0), "max_psi": (0.0, math.inf), "max_oe": (0.0, math.inf)}


@dataclass(frozen=True, slots=True)
class RequiredBound:
    """The option for the least, or the most, that a metric may be: --min- or --max- and its flag.

    Whether it is a minimum or a maximum says the direction of the metric.
    """

    metric: Metric
    help: str = ""
    example: str = ""  # at a share, as typed: "SHARE=MINIMUM"

    @property
    def word(self) -> str:
        """Which bound it is."""
        return "minimum" if self.metric.direction > 0 else "maximum"

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return f"--{self.word[:3]}-{self.metric.flag}"

    @property
    def name(self) -> str:
        """What the option is called among those of the command."""
        return self.flag[2:].replace("-", "_")

    @property
    def share(self) -> str:
        """What the metric calls the share that stands before the sign."""
        return self.metric.needs[0] if self.metric.needs else "q"

    @property
    def field(self) -> tuple[str, Any, Any]:
        """The field that holds it: its name, its type and its option."""
        if self.example:
            said = f"{self.help}, e.g. {self.example}; repeat for several."
            return self.name, tuple[str, ...], option(said, f"SHARE={self.word.upper()}")
        amounts = "" if "classes" in self.metric.of else ", with --amount"
        at, needs = "", None
        if "threshold" in self.metric.needs:
            at, needs = " at --cutoff", {"cutoff": "{flag} needs --cutoff, such as --cutoff 4"}
        said = f"{self.word.capitalize()} {self.metric.label}{amounts}{at}."
        return self.name, float | None, option(said, self.metric.flag.upper(), needs=needs)


HEADLINES = dict.fromkeys((*METRICS.headlines("classes"), *METRICS.headlines("amounts")))
BOUNDS = (
    *map(RequiredBound, HEADLINES),
    RequiredBound(
        METRICS["captured_response"],
        "Minimum share of positives, or of the amount, captured in the top SHARE of cases",
        "0.1=0.25",
    ),
    RequiredBound(METRICS["lift"], "Minimum lift in the top SHARE of cases", "0.1=2"),
    RequiredBound(
        METRICS["mean_amount"],
        "With --amount, minimum mean amount (per unit of exposure) in the top SHARE",
        "0.1=500",
    ),
    RequiredBound(METRICS["aurc"]),
    RequiredBound(
        METRICS["selective_risk"],
        "Maximum share of errors among the surest SHARE of cases",
        "0.8=0.05",
    ),
    RequiredBound(METRICS["kappa"]),
)

_NO_PERIODS = {"periods": "{flag} goes with --periods; name the column of the periods"}
_NO_RISK = {"max_aurc|max_selective_risk": "{flag} goes with --max-aurc and --max-selective-risk"}
_NO_OE = {"max_oe": "{flag} goes with --max-oe; name the maximum"}
UNTIMED = {
    "horizon": "{flag} simulates rows with known outcomes, and --horizon has others; leave it out"
}
_GIVEN_LIMIT = {"limit": "{flag} is for a new limit, and --limit gives one; leave it out"}
# What labels on some cases do not show.
JUDGED_BY_LABELS = ("min_ar", "min_auc", "min_captured", "min_lift", "min_kappa")
_WITHOUT_LABELS = not_with(
    *(each.name for each in BOUNDS if each.name not in JUDGED_BY_LABELS),
    *("baseline", "max_oe", "limits", "periods", "by", "amount", "horizon", "memory_limit"),
)
# What something is compared for; what goes with --periods says so itself.
_WITH_BASELINE = "max_drop|max_psi|limits|periods|drop|alarms|planned_periods|save_limit|limit|seed"
_TOGETHER = "--baseline and {} go together; give both or neither"
if TYPE_CHECKING:
    Minima = ShowsResult
else:  # an option for the minimum of each metric
    declared, parent = [each.field for each in BOUNDS], (ShowsResult,)
    Minima = make_dataclass("Minima", declared, bases=parent, frozen=True, kw_only=True)


@command("check", writes=CHECKS)
@dataclass(frozen=True, kw_only=True)
class Check(Minima):
    """Check a score against minimums or a baseline (for CI).

    Prints one line per rule, score and segment (--by), and at the end how many fail. Exit code 0
    if no rule fails, 1 if one does, 2 for wrong use or unusable input.

    In detail:

    A minimum such as --min-ar passes if the one-sided lower confidence limit, not the number
    itself, reaches it, so that a pass is unlikely to be luck. --max-aurc and --max-selective-risk
    pass if the upper limit does not exceed the maximum.

    --max-drop fails if the lower limit of the drop since --baseline exceeds it, and passes if the
    upper limit does not. Otherwise, or without cases of both classes, it is INCONCLUSIVE, and a
    warning gives the drop that the sample could show. --max-psi and --max-oe have the same three
    outcomes. Segments are compared with the baseline of the whole score.

    The drop that a sample can show depends on its positives. From an accuracy ratio of 0.60, well
    known, with 5% positives, --max-drop 0 fails in 80% of samples if the true drop is 0.25 with 30
    positives, 0.13 with 100, 0.09 with 200, 0.05 with 500, 0.04 with 1000; add the value of
    --max-drop to these.

    --periods makes a control chart: a CUSUM of the shortfall of the accuracy ratio against the
    baseline. It fails once the CUSUM exceeds a limit that an unchanged score exceeds in 5% of
    series of periods. Save the limit at the start with --planned-periods 24 --save-limit
    limit.json, and pass it with --limit in later months. Other rules then apply to all rows
    together.
    """

    baseline: str | None = option(
        "The earlier sample: rows with the same columns, counts saved by capcurve counts, summary "
        "JSON with its interval, or its accuracy ratio as a number, then taken as known.",
        "PATH|NUMBER",
        needs={_WITH_BASELINE: _TOGETHER.format("--max-drop")},
    )
    max_drop: float | None = option(
        "Maximum drop of the accuracy ratio since the baseline.",
        "AR",
        needs={"baseline": _TOGETHER.format("{flag}")},
    )
    max_psi: float | None = option(
        "Maximum population stability index since the baseline, whose counts it needs: over the "
        "grades, or ten bins of the baseline.",
        "PSI",
        needs={"baseline": _TOGETHER.format("{flag}")},
        excludes={
            "by": "{flag} compares whole portfolios; leave out --by",
            "horizon": "{flag} compares all rows, whatever became of them; leave it out, or use "
            "capcurve stability",
        },
    )
    max_oe: float | None = option(
        "Maximum ratio of observed to expected positives, for PDs or for grades with PDs.",
        "O/E",
        excludes={"amount": of_classes("{flag} is", "leave it out"), **BY_ONE},
    )
    pd: tuple[str, ...] = pd_option(
        "a score that --max-oe is about, or one column beside the scores; repeat for several "
        "scores (default: all scores).",
        needs=_NO_OE,
    )
    grade_pd: str | None = grade_pd_option(needs=_NO_OE)
    errors: Literal["positives", "negatives"] | None = errors_option(
        "With --max-aurc and --max-selective-risk", needs=_NO_RISK
    )
    cutoff: Cuts | None = option(
        "With --min-kappa: score, or grade, from which on better cases are judged positive.",
        "SCORE",
        type=CUTOFF,
        needs={"min_kappa": "{flag} goes with --min-kappa; name the minimum"},
    )
    labelled: str | None = labelled_option(
        "Some outcomes are empty: judge all cases by labels on some.", excludes=_WITHOUT_LABELS
    )
    limits: str | None = option(
        "Your limits as TOML, as for capcurve validate: green passes, red fails, and anything "
        "between is inconclusive.",
        "PATH",
    )
    inconclusive: Literal["warn", "fail"] = option(
        "What to do if --max-drop, --max-psi, --max-oe or a limit of --limits is inconclusive.",
        default="warn",
        needs={
            "max_drop|max_psi|max_oe|limits": "{flag} goes with --max-drop, --max-psi, --max-oe "
            "and --limits; name one"
        },
    )
    confidence: float = option(
        "Confidence level of the one-sided limits.", "LEVEL", type=OPEN_SHARE, default=0.95
    )
    periods: str | None = option(
        "Column of the periods, such as months: fail if a control chart shows that the accuracy "
        "ratio is below the baseline.",
        "COLUMN",
        excludes={
            "amount": of_classes("--periods is", "leave it out"),
            "by": "{flag} and --by do not go together; filter the rows instead",
            "scores": "{flag} is for one score; pass one --score",
            "memory_limit": "{flag} needs all rows in memory; leave out --memory-limit",
            **UNTIMED,
        },
        needs={"baseline": "{flag} needs --baseline, the initial sample to compare with"},
    )
    drop: float | None = option(
        "With --periods: fall of the accuracy ratio to look for (default: 0.05).",
        "AR",
        type=OPEN_SHARE,
        needs=_NO_PERIODS,
    )
    alarms: float | None = option(
        "With --periods: chance of a false alarm in all periods together if the score is unchanged "
        "(default: 0.05).",
        "SHARE",
        type=OPEN_SHARE,
        needs=_NO_PERIODS,
        excludes=_GIVEN_LIMIT,
    )
    planned_periods: int | None = option(
        "With --periods: number of periods the limit is for, later ones included (default: those "
        "given).",
        "N",
        type=click.IntRange(min=1),
        needs=_NO_PERIODS,
    )
    save_limit: str | None = option(
        "With --periods: save the limit as JSON, for --limit.",
        "PATH",
        section=WRITTEN,
        needs=_NO_PERIODS,
        excludes=_GIVEN_LIMIT,
    )
    limit: str | None = option(
        "With --periods: limit saved by --save-limit; verdicts on earlier periods then stay.",
        "PATH",
        needs=_NO_PERIODS,
    )
    seed: int | None = seed_option(
        "With --periods: seed of the simulation of the limit (default: always the same).",
        needs=_NO_PERIODS,
        excludes=_GIVEN_LIMIT,
    )

    def result(self) -> Output:
        """Return what the rules say; the exit code says whether one fails."""
        from capcurve.studies.validation.gates import outcome, presentation_of_rulings
        from capcurve.studies.validation.judgement import read_limits

        self._check()
        own, rules = read_limits(self.limits), [*self._rules()]
        if not (rules or own or self.baseline or self.max_oe is not None):
            raise click.UsageError(
                "no rule was given; name one, such as --min-ar 0.4 (--help lists them)"
            )
        request = self.request
        count = counted_to_show if self.periods is None else self._in_periods
        if self.labelled is not None:
            count = _counted_with_labels
        found = count(request, pd=[score_meant(name, request) for name in self.pd])
        if not all(counts.n for counts in found.whole.values()):
            raise Failure("there are no cases; check what was selected")
        if request.counts:
            self._refuse_others(amounts=any(map(is_amounts, found.whole.values())))
        baselines = self._baselines(found.whole)
        gates, notes = self._gates(found, baselines, own)
        with waiting("checking"), renamed(threshold="cutoff"):
            rulings = self._judged(found, gates)
        told: list[Told] = [*notes, *_warnings(rulings, baselines)]
        if self.labelled is not None:
            told.append(_on_labels(found, self.labelled))
        beside = None
        if self.periods is not None:
            chart = self._charted(found, baselines)
            rulings.append(_ruling(chart))
            told += _on_chart(chart)
            beside = chart.presentation()
        always, shown = found.always(), request.titled(presentation_of_rulings(rulings, beside))
        shown = with_rows_left_out(shown, [always])
        return Output(
            json=lambda: {
                "schema_version": SCHEMA_VERSION,
                "result": outcome(rulings),
                "checks": [ruling.to_dict() for ruling in rulings],
            },
            text=lambda to: _as_text(rulings, to),
            files=page_and_picture(lambda: shown),
            told=[*told, always],
            headline=_headline(rulings, shown),
            code=code_of([shown.light]),
        )

    def _baselines(self, whole: Mapping[str, Any]) -> dict[str, Baseline]:
        if self.baseline is None:
            return {}
        # A scale may have grown where shares alone are compared, and each gate asks for itself.
        drops = self.max_drop is not None or self.periods is not None
        about = EVERY_SETTING if drops else (*OUTCOME, *SCALE)
        found = earlier_samples("--baseline", self.baseline, self.request, whole, about=about)
        for each in found.values():
            if not min(getattr(each, name, 1) for name in ("n1", "n0")) > 0:
                raise Failure(f"--baseline {self.baseline} has no positives or no negatives")
        return found

    def _check(self) -> None:
        """Refuse what does not go together, and bounds that no number can be held against."""
        request = self.request
        if f".{self.to.form}" in PICTURES and self.periods is None:
            raise click.UsageError(
                f"--output {self.to.output} is the picture of a control chart; name the column of "
                "--periods, or write .html"
            )
        if not request.counts:
            self._refuse_others(amounts=request.amount is not None)
        if self.max_psi is not None and not has_cases(str(self.baseline)):
            raise click.UsageError(
                "--max-psi compares the shares of grades, which a summary or a number does not "
                "give; give --baseline rows, or counts saved by capcurve counts"
            )
        if self.save_limit is not None:
            check_output(self.save_limit, (".json",), "--save-limit")
        ends = {each.name: each.metric.ends for each in BOUNDS}
        if request.amount is not None:
            ends["max_aurc"] = (0.0, math.inf)
        for name, (low, high) in {**ends, **RANGES_OF_LARGEST}.items():
            said = getattr(self, name)
            if isinstance(said, float) and not low <= said <= high:  # NaN neither
                flag = "--" + name.replace("_", "-")
                bounded = f"between {low:g} and {high:g}"
                allowed = bounded if high < math.inf else f"a number of at least {low:g}"
                raise click.UsageError(f"{flag} must be {allowed}, got {said:g}")

    def _refuse_others(self, *, amounts: bool) -> None:
        """Refuse bounds of numbers that amounts, or positives and negatives, do not have."""
        other, given = (RANKED_CLASSES, "amounts") if amounts else ("amounts", RANKED_CLASSES)
        for each in BOUNDS:
            of_it = ("amounts" if amounts else "classes") in each.metric.of
            if not of_it and getattr(self, each.name) not in (None, ()):
                instead = "--min-lift" if each.example else "--min-ar"
                raise click.UsageError(
                    f"{each.flag} is for {other}, and these are {given}; give {instead}"
                )

    def _rules(self) -> Iterator[Gate]:
        from capcurve.studies.validation.gates import Gate

        for each in BOUNDS:
            said, most = getattr(self, each.name), each.metric.direction < 0
            told = {"errors": self.errors or "positives"} if most else {}
            asked: list[tuple[dict[str, Any], float]] = []
            if each.example:
                of_risk = most and self.request.amount is not None
                pairs = (_share_and_bound(each, word, amounts=of_risk) for word in said)
                asked = [({each.share: share}, bound) for share, bound in pairs]
            elif said is not None:
                asked = [({}, said)]
            for at, bound in asked:
                options = {**at, **told}
                if self.labelled is not None:
                    options["labelled"] = self.labelled
                if "threshold" in each.metric.needs:
                    options["threshold"] = self.cutoff
                gate = Gate(each.metric.name, bound, self.confidence, options.pop("q", None))
                yield replace(gate, most=most, strict=most, options=options)

    def _gates(
        self, found: CountsByScore, baselines: Mapping[str, Baseline], own: Mapping[str, TestLimits]
    ) -> tuple[dict[str, list[Gate]], list[str]]:
        """Return the rules of each score, and notes on limits of the file that make none."""
        notes = []
        if found.segments and self.periods is None and PSI in own:
            own = {name: limits for name, limits in own.items() if name != PSI}
            notes.append(
                f"nothing is held against the limits of {PSI}, which is about whole portfolios; "
                "check these without segments"
            )
        gates: dict[str, list[Gate]] = {}
        of_pds = self._of_pds(found)
        for name, counts in found.whole.items():
            against, left = self._against(baselines.get(name), counts, own)
            gates[name] = [*self._rules(), *of_pds.get(name, ()), *against]
            if left:
                of = ", ".join(left)
                notes.append(f"nothing is held against the limits of {of}; see capcurve validate")
        if self.periods is None and not any(gates.values()):
            tell_all(notes)
            raise Failure(f"--limits {self.limits} has no limits of what is checked here")
        return gates, list(dict.fromkeys(notes))

    def _of_pds(self, found: CountsByScore) -> dict[str, list[Gate]]:
        """Return the maximum of observed to expected, of each score that has PDs."""
        from capcurve.studies.validation.gates import Gate

        if self.max_oe is None:
            return {}
        if any(map(is_amounts, found.whole.values())):
            raise Failure(of_classes("--max-oe is", "leave it out"))
        named = [score_meant(name, self.request) for name in self.pd]
        named = named or ([] if self.grade_pd else list(found.whole))
        strict = self.inconclusive == "fail"
        gate = Gate("observed_to_expected", self.max_oe, self.confidence, strict=strict, most=True)
        held = pds_of_scores(named, self.grade_pd, found)
        return {name: [replace(gate, options={"pd": pd})] for name, pd in held.items()}

    def _against(
        self,
        baseline: Baseline | None,
        counts: ScoreCounts | Amounts,
        own: Mapping[str, TestLimits],
    ) -> tuple[list[Gate], list[str]]:
        """Return rules on what changed, and of limits; with the limits that make none."""
        from capcurve.studies.validation.gates import Gate, gates_of

        if self.max_psi is not None and is_amounts(baseline):
            raise Failure(f"--max-psi is for {RANKED_CLASSES}, and these are amounts; leave it out")
        strict = self.inconclusive == "fail"
        gates = [
            Gate(metric, bound, self.confidence, baseline=baseline, strict=strict)
            for metric, bound in (("accuracy_ratio", self.max_drop), ("psi", self.max_psi))
            if bound is not None
        ]
        kind: Of = "amounts" if is_amounts(counts) else "classes"
        more, left = gates_of(own, kind, self.confidence, baseline, strict=strict)
        return gates + more, left

    def _judged(self, found: CountsByScore, gates: Mapping[str, Sequence[Gate]]) -> list[Ruling]:
        """Return what each rule says of every part of its score; with periods of all rows."""
        from capcurve.studies.validation.gates import ruling_on

        parts = found.parts()
        if self.periods is not None:
            parts = (({}, counts) for counts in found.whole.values())
        rulings = []
        for whose, counts in parts:
            name = str(whose.get("score", next(iter(gates))))
            for gate in gates[name]:
                own = {"pd": found.pd_of(whose)} if found.pds and "pd" in gate.options else {}
                if "threshold" in gate.options:
                    own["threshold"] = gate.options["threshold"].one(counts.levels)
                asked = replace(gate, options={**gate.options, **own})
                ruling = ruling_on(counts, asked, part_called(whose))
                warning = reworded(ruling.warning)
                rulings.append(replace(ruling, said=reworded(ruling.said), warning=warning))
        return rulings

    def _in_periods(self, request: Request, pd: Sequence[str]) -> CountsByScore:
        found = tallied(replace(request, by=(str(self.periods),)), pd=pd)
        if len(found.whole) > 1:
            raise Failure("--periods is for one score, and there are several; pass one --score")
        if not found.segments:
            raise Failure(f"there are no periods: no column {self.periods} in the table")
        for periods in found.segments.values():
            by_time(periods, f"the periods in {self.periods!r}")
        return found

    def _charted(self, found: CountsByScore, baselines: Mapping[str, Baseline]) -> ControlChart:
        """Return the control chart, and save its limit where that is asked."""
        (name, periods), *_ = found.segments.items()
        limit = None if self.limit is None else _read(self.limit)
        with waiting("making the control chart"):
            from capcurve.studies.monitoring import control_chart

            with renamed(horizon="planned_periods"):
                asked = self.options("drop", "alarms", "seed") | {"horizon": self.planned_periods}
                chart = control_chart(periods, initial_of(baselines[name]), limit=limit, **asked)
        if self.save_limit is not None:
            text = to_json(dict(chart.saved_limit))
            save(Path(self.save_limit), lambda path: write_text(path, text))
        return chart


def _counted_with_labels(request: Request, **_: Any) -> CountsByScore:
    """Count rows of which some have a label, by score."""
    (found,) = counted_partially(request).values()
    return counts_of_each(found, request)


def _on_labels(found: CountsByScore, labelled: Any) -> Told:
    """Return what to know about labels on some cases, for each score."""
    from capcurve.studies.unknown import estimate_rate

    every = {name: estimate_rate(c, labelled=labelled).findings for name, c in found.whole.items()}
    return {name: [f for f in each if f.severity == "warning"] for name, each in every.items()}


def _warnings(rulings: Sequence[Ruling], baselines: Mapping[str, Baseline]) -> Iterator[Told]:
    """Yield which baselines are reversed or taken as exact, and which drops are inconclusive."""
    from capcurve.results.findings import looking_reversed
    from capcurve.studies.monitoring.chart import INITIAL, OTHER_SCORE
    from capcurve.studies.validation.gates import Earlier

    for name, baseline in baselines.items():
        if not isinstance(baseline, Earlier):
            yield {"": looking_reversed({INITIAL: baseline}, OTHER_SCORE)}
        elif baseline.interval is None:
            yield f"the baseline of {name} has no interval; its accuracy ratio is taken as exact"
    for ruling in rulings:
        if ruling.warning:
            yield Warned(f"inconclusive: {ruling.whose}{ruling.warning}")


def _share_and_bound(option: RequiredBound, said: str, *, amounts: bool) -> tuple[float, float]:
    form = f"{option.flag} must be SHARE={option.word.upper()}, such as {option.example}"
    share, _, word = said.partition("=")
    try:
        q, bound = float(share), float(word)
    except ValueError:
        raise click.UsageError(f"{form}; got {said!r}") from None
    most = math.inf if amounts else option.metric.ends[1]
    whole = q == 1 and option.share == "coverage"
    if not ((0 < q < 1 or whole) and 0 <= bound <= most and bound < math.inf):
        both = "both shares" if most == 1 else "the first a share"
        raise click.UsageError(f"{form}, {both}; got {said!r}")
    return q, bound


def _as_text(rulings: Sequence[Ruling], to: Destination) -> str:
    """Return a line for each rule, and how many of several failed."""
    from capcurve.studies.validation import gates

    if to.form == "junit":
        return gates.to_junit(rulings)
    rulings, parts = gates.worst_first(rulings), list({ruling.part for ruling in rulings})
    lines = [printable(ruling.line).split(" ", 1) for ruling in rulings]
    if to.form in MARKUPS:
        words, said = zip(*lines, strict=True)
        return MARKUPS[to.form].table({"result": list(words), "rule": list(said)})
    lights = (gates.LIGHT_OF[ruling.result] for ruling in rulings)
    shown = [
        to.wrap(f"{word} {said}").replace(word, to.lit(word, light), 1)
        for (word, said), light in zip(lines, lights, strict=True)
    ]
    few = [f"{said} {ALL_PERIODS}" if in_time(parts) else said for said in gates.too_few(rulings)]
    below = [gates.failed_rules(rulings), *map(to.wrap, few)] if len(rulings) > 1 else []
    return "\n".join([*shown, *below])


def _headline(rulings: Sequence[Ruling], shown: Presentation) -> list[tuple[str, Light | None]]:
    """Return the headline, and below it every rule that is not passed and not told there."""
    from capcurve.studies.validation.gates import LIGHT_OF, in_signs, worst_first

    lines = headline_of(shown)
    for each in worst_first(rulings):
        brief = in_signs(printable(each.brief)).lower()
        told = any(brief in said.lower() for said, _ in lines)
        if each.result != "pass" and not told:
            lines.append((printable(each.line), LIGHT_OF[each.result]))
    return lines


def _ruling(chart: ControlChart) -> Ruling:
    from capcurve.studies.monitoring.chart import alarm_text, verdict
    from capcurve.studies.validation.gates import Ruling

    said = verdict(chart).removesuffix(".")
    said = said if chart.alarmed else said[:1].lower() + said[1:]
    shown = chart.to_dict()
    return Ruling(
        rule=f"control chart of the accuracy ratio, drop {chart.drop:g}",
        result="fail" if chart.alarmed else "pass",
        said=f"control chart: {said}",
        brief=alarm_text(chart) if chart.alarmed else said,
        values={
            "metric": "accuracy_ratio",
            "rule": "control_chart",
            "bound": chart.limit,
            "estimate": max(each["cusum"] for each in shown["periods"]),
            "detectable_drop": chart.detectable,
            "chart": shown,
        },
    )


def _on_chart(chart: ControlChart) -> Iterator[Told]:
    """Yield what a control chart found, and what a single period shows."""
    yield {"": chart.presentation().findings}
    for told in chart.notes:
        yield told[:1].lower() + told[1:].removesuffix(".")
    if chart.detectable is not None:
        yield (
            f"a single period of mean size shows a true fall of {chart.detectable:.2f} with a "
            "probability of 80%"
        )


def _read(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise Failure(
            f"--limit {path} is not a limit; write one with capcurve check --save-limit"
        ) from None
