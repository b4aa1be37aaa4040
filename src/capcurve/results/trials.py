"""All that is said of a trial: the uplift of the top, the Qini, balance, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capcurve.counts import JointUplift, JointValues, Trial, UpliftCounts
from capcurve.curves.trials import curve_of_gains, toc_curve, uplift_points
from capcurve.inference import (
    Comparison,
    balance_test,
    best_share,
    compare,
    confidence_interval,
    qini_test,
    uplift_table,
)
from capcurve.inference.records import Confidence, Interval, Test, best_sentence
from capcurve.inference.targeting import UNBALANCED, BestShare, uplift_columns
from capcurve.inference.trials import limits_along
from capcurve.numbers.arguments import spoken
from capcurve.numbers.plain import plain
from capcurve.results.findings import about_rows_left_out
from capcurve.results.summary import must_know
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Style, model_style, reference
from capcurve.show.columns import formed
from capcurve.show.format import (
    amount,
    capitalised,
    chance_text,
    joined,
    number,
    percent,
    plain_names,
    plain_text,
    stated_percent,
)
from capcurve.show.presentation import Figure, Finding, Presentation, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from capcurve.curves import Curve

Said = TypeVar("Said")
CURVE_SHARES = np.linspace(0.02, 1, 50)  # where limits of curves are looked at
ARM_BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UpliftSummary(Result):
    """What a score tells of whom a treatment moves, with limits, tests and findings.

    Attributes
    ----------
    name
        The score.
    treated, control
        How many cases each arm has.
    yes_no
        Whether outcomes are positives and negatives, and not amounts.
    q
        The share of all cases whose uplift is told.
    effect, top, qini, autoc
        The uplift of all cases and of the top `q`, the Qini coefficient and the AUTOC, each an
        `Interval`.
    test
        The test that the Qini coefficient is 0.
    balance
        The test that treated cases rank no higher than control cases; None where propensities are
        known, of which treatment may follow the score.
    best
        How many to treat, where a value and a cost are given, else None.
    table
        Both arms by bin, as in `uplift_table`; of known propensities the uplift from the top down.
    charts
        The uplift curve and the TOC.

    Examples
    --------
    Of the cases with the better score three in four treated ones respond and half of the others:

    >>> from capcurve import evaluate
    >>> response = [1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0]
    >>> score = [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 1, 1]
    >>> (found,) = evaluate(response, score, treatment=[1] * 8 + [0] * 4).summaries.values()
    >>> found.treated, found.control, found.effect.estimate, found.q, found.top.estimate
    (8, 4, 0.0, 0.3, 0.25)
    """

    _left_out = frozenset({"charts"})

    name: str
    treated: int
    control: int
    yes_no: bool
    q: float
    effect: Interval
    top: Interval
    qini: Interval
    autoc: Interval
    test: Test
    balance: Test | None
    best: BestShare | None
    table: Table
    charts: tuple[Chart, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know, the gravest first."""
        found = []
        if self.balance is not None and self.balance.p_value < UNBALANCED:
            advice = f"take known or fitted propensities: {spoken('effect_scores')}"
            said = capitalised(self.balance.notes[-1].partition(";")[0])
            found.append(Finding("treatment_follows_score", "warning", said, advice))
        few = [note for note in self.effect.notes if "of the rarer outcome" in note]
        if few:
            advice = "wait for more cases; limits are rough"
            found.append(Finding("few_in_arm", "warning", capitalised(few[0]), advice))
        if self.qini.high is not None and self.qini.high < 0:
            chance = chance_text(self.test.p_value)
            said = f"the Qini is below 0 by more than chance explains ({chance})"
            turn = "check its direction: low values may mean a large uplift"
            found.append(Finding("reversed", "warning", f"{said}: the score looks reversed", turn))
        return tuple(found)

    def presentation(self) -> Presentation:
        """Return what is said of the trial."""
        table, balance = "Uplift from the top down", " of known propensities"
        if self.balance is not None:
            chance = chance_text(self.balance.p_value)
            table = "Uplift by bin"
            balance = f"; a test that treatment is balanced along the score has {chance}"
        return Presentation(
            title=f"Uplift by {self.name}",
            sentences=self.sentences,
            figures=tuple(_figures(self).values()),
            level=self.effect.level,
            findings=self.findings,
            charts=self.charts,
            tables=(replace(self.table, name=table),),
            notes=(f"{capitalised(self.cases)}{balance}.", *self.notes),
        )

    @property
    def cases(self) -> str:
        """How many cases there are of each arm, in words."""
        return f"{amount(self.treated)} treated and {amount(self.control)} control cases"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What treating the top gains against everybody, and how many to treat at a cost."""
        unit, scale = (
            ("extra positives per 100 treated", 100) if self.yes_no else ("per treated case", 1)
        )
        top, low, high, everybody = (
            number(scale * each, 1) if self.yes_no else plain_text(each)
            for each in (self.top.estimate, *self.top, self.effect.estimate)
        )
        said = (
            f"Treating the top {percent(self.q)} gains {top} {unit} [{low}, {high}], against "
            f"{everybody} for everybody; the Qini is {plain_text(self.qini.estimate)} per case "
            f"({chance_text(self.test.p_value)})."
        )
        return (said,) if self.best is None else (said, self.best.sentence)

    @property
    def notes(self) -> tuple[str, ...]:
        """What uplift is, and what there is to know about its limits."""
        limited = {f"uplift of the top {percent(self.q)}": self.top, "AUTOC": self.autoc}
        found = _once({name: each.notes for name, each in limited.items()})
        notes = (f"{name}: {note}" if name else note for name, note in found)
        said = "Uplift is the rate, or mean amount, of the treated less that of control cases"
        said += "." if self.balance is not None else ", each weighted by its inverse propensity."
        return (said, *(f"{capitalised(note)}." for note in notes))


def _figures(found: UpliftSummary) -> dict[str, Figure]:
    """Return the headline numbers of a score with their limits."""
    every = {
        "effect": ("uplift of all", found.effect),
        "uplift": (f"uplift of the top {percent(found.q)}", found.top),
        "qini": ("Qini coefficient", found.qini),
        "autoc": ("AUTOC", found.autoc),
    }
    return {
        name: Figure(name, label, label, each.estimate, "plain", each.low, each.high)
        for name, (label, each) in every.items()
    }


def summarize_trial(
    trial: Trial,
    *,
    name: str = "score",
    q: float = 0.3,
    level: float = 0.95,
    value: float | None = None,
    cost: float | None = None,
    arms: tuple[int, int] = (0, 0),
    yes_no: bool = False,
) -> UpliftSummary:
    """Return all that is said of a trial; with a value and a cost also how many to treat."""
    # Of effect scores, whose arms are not known, `arms` are the cases of both.
    if (value is None) != (cost is None):
        raise ValueError("value= and cost= go together; pass both")
    limits = partial(confidence_interval, trial, level=level)
    best = None
    if value is not None and cost is not None:
        best = best_share(trial, value=value, cost=cost, level=level)
    balance, table = None, None
    if isinstance(trial, UpliftCounts):
        arms, yes_no = (trial.treated.n, trial.control.n), trial.rows().yes_no
        balance, table = balance_test(trial), uplift_table(trial, bins=ARM_BINS, level=level)
    return UpliftSummary(
        name=name,
        treated=arms[0],
        control=arms[1],
        yes_no=yes_no,
        q=q,
        effect=limits("uplift"),
        top=limits("uplift", q=q),
        qini=limits("qini"),
        autoc=limits("autoc"),
        test=qini_test(trial),
        balance=balance,
        best=best,
        table=_from_the_top(trial, level) if table is None else table,
        charts=(uplift_chart(trial, level), toc_chart(trial, level)),
    )


def _from_the_top(trial: Trial, level: float) -> Table:
    """Return the uplift of several top shares with limits."""
    shares = np.arange(1, ARM_BINS + 1) / ARM_BINS
    gain: Any = curve_of_gains(uplift_points(trial)).at(shares)
    low, high = limits_along(trial, shares, Confidence(level))
    limits = {"cum_uplift": gain / shares, "cum_low": low, "cum_high": high}
    columns = {"selected": shares, **limits, "gain": gain}
    return uplift_columns(columns, level)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UpliftEvaluation(Result):
    """What one or several scores of one trial tell of whom a treatment moves, and which tells more.

    `evaluate(outcome, score, treatment=...)` returns it. Several scores stand beside each other,
    and are compared; each of `summaries` shows and saves itself as one score alone.

    Attributes
    ----------
    title, source
        What it is called, and where the data came from, or None.
    summaries
        `UpliftSummary` by score.
    comparison
        The paired tests that several scores have the same Qini coefficient; None for one score.
    about_rows
        The finding that rows were left out, if any were.
    """

    title: str
    source: str | None
    summaries: Mapping[str, UpliftSummary]
    comparison: Comparison | None
    about_rows: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *must_know(self.about_rows)])

    def presentation(self) -> Presentation:
        """Return what the evaluation shows: one score, or several beside each other."""
        first = next(iter(self.summaries.values()))
        about: Any = {"title": self.title, "source": self.source, "findings": self.findings}
        shown = replace(first.presentation(), **about)
        if self.comparison is None:
            return shown
        of_pairs = self.comparison.presentation()
        notes = {name: each.notes for name, each in self.summaries.items()}
        own = (f"{name}: {note}" if name else note for name, note in _once(notes))
        of_each = (f"{n}: {said}" for n, each in self.summaries.items() for said in each.sentences)
        return replace(
            shown,
            sentences=(f"{best_sentence(self.comparison)}.", *of_each),
            figures=shown.figures[:1],  # the effect, which is the same whatever the score
            charts=(*self._charts(), *of_pairs.charts),
            tables=(self.table, *of_pairs.tables),
            notes=(f"{capitalised(first.cases)}.", *own, *of_pairs.notes),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know, the gravest first; what holds for every score is said once."""
        found = {name: each.findings for name, each in self.summaries.items()}
        of_each = (
            replace(finding, message=f"{name}: {finding.message}") if name else finding
            for name, finding in _once(found)
        )
        return gravest_first((*self.about_rows, *of_each))

    @property
    def table(self) -> Table:
        """The numbers of each score, with limits and tests."""
        every = list(self.summaries.values())
        figures, columns = list(map(_figures, every)), {"score": label_column(self.summaries)}
        for name in ("uplift", "qini", "autoc"):
            found = [(each[name].value, each[name].low, each[name].high) for each in figures]
            names = name, f"{name}_low", f"{name}_high"
            columns |= dict(zip(names, np.array(found).T, strict=True))
        columns["p_qini"] = np.array([each.test.p_value for each in every])
        tests = [each.balance for each in every if each.balance is not None]
        if tests:
            columns["p_balance"] = np.array([each.p_value for each in tests])
        words = {"qini": "Qini", "qini_low": "Qini low", "qini_high": "Qini high"}
        words |= {"autoc": "AUTOC", "autoc_low": "AUTOC low", "autoc_high": "AUTOC high"}
        fine = " ".join([*words, "uplift uplift_low uplift_high"])
        return Table(
            f"Uplift of the top {percent(every[0].q)}, Qini coefficient and AUTOC",
            formed(columns, words | {"p_qini": "p Qini"}, fine=fine, p="p_qini p_balance"),
            f"{stated_percent(every[0].effect.level)} limits; p Qini is of a Qini of 0"
            + (", p balance of treatment that is balanced along the score" if tests else ""),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of all scores as values that strict JSON can hold."""
        names = ("title", "source", "sentence", "findings")
        written: dict[str, Any] = {"schema_version": self._schema_version}
        written |= {name: plain(getattr(self, name)) for name in names}
        written["scores"] = plain(list(self.summaries.values()))
        return {**written, "comparison": plain(self.comparison)}

    def _writers(self) -> dict[str, Callable[[Path], None]]:
        # A class with slots is made anew, and a bare super() knows the first one only.
        return {
            **super(UpliftEvaluation, self)._writers(),
            ".xlsx": partial(write_uplift_workbook, self),
        }

    def _charts(self) -> Iterator[Chart]:
        """Yield each kind of curve with the scores beside each other, without limits."""
        for charts in zip(*(each.charts for each in self.summaries.values()), strict=True):
            curves = [
                replace(chart.lines[0], label=name, style=model_style(place))
                for place, (name, chart) in enumerate(zip(self.summaries, charts, strict=True))
            ]
            told = (f"{n}: {c.description}" for n, c in zip(self.summaries, charts, strict=True))
            lines = [*curves, *charts[0].lines[1:]]
            yield replace(charts[0], lines=lines, bands=(), description=" ".join(told))


def evaluate_trial(
    trial: Trial | JointUplift | JointValues,
    *,
    name: str = "score",
    title: str | None = None,
    source: str | None = None,
    told: Sequence[Finding] = (),
    **options: Any,
) -> UpliftEvaluation:
    """Return the evaluation of one score, which has a name, or of several with their comparison."""
    # Findings that are already known are told too; the options are those of `summarize_trial`.
    comparison = None
    if isinstance(trial, JointUplift | JointValues):
        of_each: dict[str, Any] = {each: trial.margin(each) for each in trial.names}
        if len(of_each) > 1:
            comparison = compare(trial, metric="qini", level=options.get("level", 0.95))
    else:
        of_each = {name: trial}
    summaries = {n: summarize_trial(each, name=n, **options) for n, each in of_each.items()}
    title = title or f"Uplift by {joined(plain_names(list(summaries)))}"
    return UpliftEvaluation(
        title=title,
        source=source,
        summaries=summaries,
        comparison=comparison,
        about_rows=(*about_rows_left_out(trial.dropped), *told),
    )


def _once(of_each: Mapping[str, Sequence[Said]]) -> Iterator[tuple[str, Said]]:
    """Yield what is said of each score with its name, or without one what is said of all alike."""
    first, *others = of_each.values()
    alike = [said for said in first if all(said in other for other in others)]
    yield from (("", said) for said in alike)
    for name, found in of_each.items():
        yield from ((name, said) for said in found if said not in alike)


def uplift_chart(trial: Trial, level: float) -> Chart:
    """Return the uplift curve with limits, beside treating as many at random."""
    curve = curve_of_gains(uplift_points(trial))
    return curve_chart("Uplift curve", curve, "Treated at random", _bands(trial, level))


def toc_chart(trial: Trial, level: float) -> Chart:
    """Return how far the uplift of each top share lies above the effect, with limits."""
    bands = _bands(trial, level, beyond=True)
    return curve_chart("TOC", toc_curve(trial), "A score that tells nothing", bands)


def _bands(trial: Trial, level: float, *, beyond: bool = False) -> list[ChartBand]:
    """Return the limits of gains, or of what is beyond the effect, but no whole ranges."""
    low, high = limits_along(trial, CURVE_SHARES, Confidence(level), beyond=beyond)
    x, label = CURVE_SHARES, f"{stated_percent(level)} limits at each share"
    if not beyond:
        x, low, high = (
            np.append(0, each) for each in (CURVE_SHARES, CURVE_SHARES * low, CURVE_SHARES * high)
        )
    return [ChartBand(x, low, high, label, BLUE)] if np.isfinite(high).all() else []


def curve_chart(title: str, curve: Curve, random: str, bands: Sequence[ChartBand] = ()) -> Chart:
    """Return a curve of a trial beside a score that orders nothing, whose end it shares."""
    x, y = curve.x, curve.y
    if curve.name == "toc":  # of few cases at the very top it is mostly chance
        x, y = x[x >= CURVE_SHARES[0]], y[x >= CURVE_SHARES[0]]
    told = ", ".join(f"{plain_text(curve.at(q))} at {percent(q)}" for q in (0.1, 0.3, 0.5, 1.0))
    return Chart(
        title=title,
        x=Axis("Share of cases treated, best scores first", "percent", 1.0),
        y=Axis(capitalised(curve.y_label), "number"),
        lines=[
            Line(x, y, "Treated by score", Style(BLUE)),
            reference([0, 1], [0, float(y[-1])], random),
        ],
        bands=bands,
        rising=True,
        corner="upper left",
        description=f"{capitalised(curve.y_label)}: {told}.",
    )


def write_uplift_workbook(found: UpliftEvaluation, path: Path) -> None:
    """Write the numbers of all scores, their differences and both arms by bin as a workbook."""
    from capcurve.show.workbook import Book, write_columns

    book, taken = Book.begun(found.title), set[str]()
    tables = {"Scores": found.table}
    if found.comparison is not None:
        tables["Differences"] = found.comparison.table
    tables |= {f"Bins of {name}": each.table for name, each in found.summaries.items()}
    for name, table in tables.items():
        write_columns(book, name, table.values(), taken, table.note, f"{found.title}: {name}")
    path.write_bytes(book.finished())
