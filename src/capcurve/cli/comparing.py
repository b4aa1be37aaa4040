"""`capcurve compare` and `implied`: scores tested against each other and against their PDs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click

from capcurve.cli.averaging import ALL_TAKEN, AVERAGED, OverSegments
from capcurve.cli.calibrating import UNTIMED_PDS, counted_with_pds
from capcurve.cli.command import Output, ShowsResult, command, of_result, workbook
from capcurve.cli.options import (
    ONE_HORIZON,
    MetricChoice,
    level_option,
    metric_words,
    of_classes,
    option,
)
from capcurve.cli.output import SCHEMA_VERSION, WITH_WORKBOOK, waiting
from capcurve.cli.reading import CountsByScore, counted_jointly, part_called
from capcurve.metrics import METRICS
from capcurve.numbers.arguments import renamed, reworded
from capcurve.show.chart import Chart, interval_chart
from capcurve.show.columns import formed
from capcurve.show.format import capitalised, listed, plain_names, stated_percent
from capcurve.show.presentation import Presentation
from capcurve.show.table import labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capcurve.inference import Comparison, Test

    PartTests = list[tuple[dict[str, object], Any, Test]]

# The metrics that scores of the same rows are compared by: that tell how far each case moves them.
SHARE_COMPARED = metric_words(*METRICS.compared("q"))
COMPARED = (
    *metric_words("accuracy_ratio", "roc_auc"),
    *metric_words(*(name for name, metric in METRICS.items() if metric.influence)),
    *metric_words(*METRICS.compared("coverage", "threshold")),
    *SHARE_COMPARED,
)
ALTERNATIVES = ("two-sided", "superior", "inferior", "non-inferior", "equivalent")
# What a note says with numbers of its own for each part.
_RATES = re.compile(r"(.* raises false alarms in )(.*)( of portfolios like this .*)")
# So many names stand in a picture.
MOST_NAMES_DRAWN = 3


@command(
    "compare",
    writes=WITH_WORKBOOK,
    refuses={
        "all_segments": ALL_TAKEN,
        **ONE_HORIZON,
    },
)
@dataclass(frozen=True, kw_only=True)
class Compare(OverSegments):
    """Test which of several scores ranks best.

    All are scores of the same rows. Shows for every pair of scores, first minus second: difference,
    interval and p-value. With more than two scores these are valid for all pairs at once, and with
    more than five the ranks that they leave open are shown instead. Identical rankings have p = 1.
    """

    alternative: Literal["two-sided", "superior", "inferior", "non-inferior", "equivalent"] = (
        option(
            "Alternative hypothesis for the first score of a pair against the second: "
            f"{', '.join(ALTERNATIVES)}.",
            "HYPOTHESIS",
            default="two-sided",
        )
    )
    margin: float | None = option(
        "Margin, in units of the metric; required for non-inferior and equivalent.",
        "DIFFERENCE",
        type=click.FloatRange(min=0),
    )
    metric: str = option(
        f"Metric of the differences and the margin: {', '.join(COMPARED)}; with --by the mean of "
        "any that capcurve mean takes, such as recall@10.",
        "METRIC",
        type=MetricChoice(dict.fromkeys([*COMPARED, *AVERAGED])),
        default="ar",
    )
    against: str | None = option(
        "Score that each of the others is compared with; other pairs are left out.", "SCORE"
    )
    each_alone: bool = option(
        "Test each pair as if it were the only one: for a pair that was named beforehand."
    )
    ranks: bool = option(
        "Show which ranks each score may have, also in csv, instead of the pairs.",
        excludes={
            "against": "--ranks needs all pairs of scores; leave --against out",
            "each_alone": "--ranks needs limits that hold together; leave --each-alone out",
        },
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the tests of all pairs."""
        if len(set(self.request.score)) < 2:  # noqa: PLR2004 - a pair
            raise click.UsageError("compare needs at least two scores; name each with --score")
        if self.request.by:
            self.refuse_by_segment()
        else:
            self._refuse_of_all_rows()
        found = counted_jointly(self.request)
        with waiting("comparing"), renamed(q="at"):
            from capcurve import inference

            tests = inference.compare(
                found.joint,
                together=not self.each_alone,
                **self.options("level", "margin", "alternative", "against"),
                **self.asked(found.joint if self.request.by else ()),
            )
        return self._written(tests, found)

    def _refuse_of_all_rows(self) -> None:
        """Raise UsageError for what is not compared of all rows together."""
        metric = self.metric
        if metric not in COMPARED:
            instead = f"or take one of {', '.join(COMPARED)}"
            raise click.UsageError(f"--metric {metric} is compared by segment: add --by, {instead}")
        if self.request.amount is not None and metric != "ar":
            raise click.UsageError(
                f"--metric {metric} is for positives and negatives; with --amount give ar"
            )
        if metric in SHARE_COMPARED and self.at is None:
            raise click.UsageError(f"--metric {metric} needs --at, such as --at 0.1")
        if metric == "net-benefit" and self.threshold is None:
            raise click.UsageError("--metric net-benefit needs --threshold, such as 0.1")

    def _written(self, tests: Comparison, counted: CountsByScore) -> Output:
        from capcurve.inference.paired import RANKS_LEFT_OPEN, ranks_as_read
        from capcurve.show.format import printable

        of_csv: Any = tests.ranks if self.ranks else tests.table
        shown = self.request.titled(tests.presentation())
        if self.ranks:
            notes = shown.notes if tests.many else (RANKS_LEFT_OPEN, *shown.notes)
            shown = replace(shown, tables=(ranks_as_read(tests),), notes=notes)
        shown = replace(shown, notes=tuple(map(reworded, shown.notes)))
        sentences = [printable(said) for said in tests.sentences_on_pairs]
        found = of_result(
            lambda: {
                "schema_version": SCHEMA_VERSION,
                "margin": self.margin,
                **({} if self.at is None else {"q": self.at}),
                **({"horizon": self.request.horizon[0]} if self.request.horizon else {}),
                **tests.to_dict(),
                "sentences": sentences,
            },
            shown,
            columns=of_csv.values,
            counted=[counted],
            notes=list(dict.fromkeys(each for test in tests.pairs for each in test.notes)),
        )
        if tests.ranks is None or not tests.many:
            return found
        pairs = {"Pairs": tests.table.values()}
        ranked = workbook(shown.title, tests.ranks.values, shown.source, more=pairs)
        return replace(found, files={**found.files, "xlsx": ranked})


@command(
    "implied",
    writes=WITH_WORKBOOK,
    refuses={
        "amount": of_classes("PDs are", "name a --target"),
        "cluster": "--cluster would change nothing, since the test assumes independent rows; leave "
        "it out",
        **UNTIMED_PDS,
    },
)
@dataclass(frozen=True, kw_only=True)
class Implied(ShowsResult):
    """Test the accuracy ratio implied by the PDs.

    The implied accuracy ratio is what to expect if every PD is right: a portfolio with similar PDs
    cannot be ranked well. The realised one is tested against it.
    """

    pd: str | None = option("Column of the PDs, from 0 to 1 (default: the score itself).", "COLUMN")
    calibration: Literal["matched", "stated"] = option(
        "Shift the log-odds of the PDs until they add up to the positives (matched), or take them "
        "as they are (stated).",
        default="matched",
    )
    correlation: float | None = option(
        "Asset correlation of the defaults that the test allows for (default: independent "
        "defaults).",
        "RHO",
        type=click.FloatRange(0, 1, max_open=True),
    )
    level: float = level_option()

    def result(self) -> Output:
        """Return the test of every score, or of every segment."""
        found = counted_with_pds(self.request, self.pd)
        with waiting("testing the PDs"):
            parts = self._tested(found)
        sentences, notes = _sentences(parts), [*_notes(parts)]
        title = "Implied accuracy ratio"
        return of_result(
            lambda: {
                "schema_version": SCHEMA_VERSION,
                "calibration": self.calibration,
                "parts": [
                    {
                        **whose,
                        "n": counts.n,
                        "positives": counts.n1,
                        "test": test.to_dict(),
                        "sentence": said,
                    }
                    for (whose, counts, test), said in zip(parts, sentences, strict=True)
                ],
            },
            Presentation(
                title=title,
                sentences=(*_overall(parts), *sentences),
                source=self.request.source,
                charts=_chart(title, parts, next(iter(found.whole))),
                tables=(labelled("Realised and implied", _columns(parts, _for_people)),),
                notes=tuple(f"{capitalised(told)}." for told in notes),
            ),
            ("expected_positives", "n", "positives"),
            columns=lambda: _columns(parts, _in_full),
            counted=[found],
            notes=notes,
        )

    def _tested(self, found: CountsByScore) -> PartTests:
        """Return whose each test is, the counts and the test; a segment without one says why."""
        from capcurve.inference import implied_accuracy_ratio
        from capcurve.inference.implied import implied_or_why_not

        asked = self.options("calibration", "correlation", "level")
        make: dict[bool, Callable[..., Any]] = {
            True: implied_or_why_not,
            False: implied_accuracy_ratio,
        }
        return [
            (whose, counts, make["segment" in whose](counts, pd=found.pd_of(whose), **asked))
            for whose, counts in found.parts()
        ]


def _chart(title: str, parts: PartTests, score: str) -> tuple[Chart, ...]:
    """Return how far accuracy ratios are from the implied ones, and name those without limits."""
    # `score` names the only part if nothing else does.
    names = plain_names([part_called(whose) if whose else score for whose, _, _ in parts])
    tests = dict(zip(names, (test for _, _, test in parts), strict=True))
    found = {
        name: (test.low, test.estimate, test.high)
        for name, test in tests.items()
        if test.low is not None and test.high is not None
    }
    if not found:
        return ()
    level = next(tests[name].level for name in found) or 0.95
    label, of = f"{stated_percent(level)} interval", "Accuracy ratio"
    implied = [tests[name].estimates["implied"] for name in found]
    around = {
        name: tuple(value + (each or 0.0) for each in found[name])
        for name, value in zip(found, implied, strict=True)
    }
    without = [name for name in names if name not in found]
    head = f"No test: {listed(without, MOST_NAMES_DRAWN)}" if without else ""
    beside = ("Implied by the PDs", implied)
    named = f"{title} of {score}" if len(found) == 1 else title
    charts = interval_chart(named, around, label, of, whole=(0.0, 1.0), beside=beside)
    return tuple(replace(chart, head=head) for chart in charts)


def _columns(
    parts: PartTests, difference: Callable[[Test], dict[str, object]]
) -> dict[str, list[object]]:
    """Return a row for each test; empty where there is none."""
    rows = [
        {
            **whose,
            "n": counts.n,
            "positives": counts.n1,
            "expected_positives": test.estimates.get("expected_positives"),
            "accuracy_ratio": test.estimates.get("realised"),
            "implied_accuracy_ratio": test.estimates.get("implied"),
            **difference(test),
        }
        for whose, counts, test in parts
    ]
    return formed(
        {name: [row[name] for row in rows] for name in rows[0]},
        {"expected_positives": "expected", "implied_accuracy_ratio": "implied AR"},
        quantity="expected_positives",
        ratio="implied_accuracy_ratio low high",
        signed="difference",
    )


def _in_full(test: Test) -> dict[str, object]:
    p_value = None if test.estimate is None else test.p_value
    return {"difference": test.estimate, "low": test.low, "high": test.high, "p_value": p_value}


def _for_people(test: Test) -> dict[str, object]:
    """Return the difference with its sign, and its limits as a column of their own."""
    from capcurve.show.format import MISSING, bare_chance, signed

    interval = f"{stated_percent(test.level or 0.95)} interval"
    if test.estimate is None or test.low is None or test.high is None:
        return {"difference": MISSING, interval: MISSING, "p": MISSING}
    around = f"[{signed(test.low)}, {signed(test.high)}]"
    return {"difference": signed(test.estimate), interval: around, "p": bare_chance(test.p_value)}


def _notes(parts: PartTests) -> Iterator[str]:
    """Yield what must be known of all tests once, and of some of them with their names."""
    of: dict[tuple[str, str], dict[str, list[str]]] = {}
    for whose, _, test in parts:
        for told in test.notes:
            own = _RATES.fullmatch(told)
            before, rate, behind = (told, "", "") if own is None else own.groups()
            of.setdefault((before, behind), {}).setdefault(rate, []).append(part_called(whose))
    for (before, behind), rates in of.items():
        if len(rates) > 1:
            listed_rates = (f"{rate} ({', '.join(names)})" for rate, names in rates.items())
            yield f"{before}{'; '.join(listed_rates)}{behind}"
            continue
        ((rate, names),) = rates.items()
        some = "" if len(names) == len(parts) else f"{', '.join(names)}: "
        yield f"{some}{before}{rate}{behind}"


def _overall(parts: PartTests) -> tuple[str, ...]:
    """Return in how many of several parts the realised accuracy ratio is below the implied one."""
    found = [(test.estimate, test.p_value, test.level or 0.95) for _, _, test in parts]
    told = [
        (value < 0 and chance < 1 - level) for value, chance, level in found if value is not None
    ]
    if len(told) < 2:  # noqa: PLR2004 - several
        return ()
    what = "segments" if "segment" in parts[0][0] else "scores"
    said = f"In {sum(told)} of {len(told)} {what} the realised accuracy ratio is significantly"
    return (f"{said} below the one that the PDs imply.",)


def _sentences(parts: PartTests) -> list[str]:
    from capcurve.results.findings import implied_sentence
    from capcurve.show.format import printable

    return [
        f"{printable(f'{part_called(whose)}: ' if whose else '')}{implied_sentence(test)}"
        for whose, _, test in parts
    ]
