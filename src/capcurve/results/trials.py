"""All that is said of a trial: the uplift of the top, the Qini, balance, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from capcurve.counts import JointUplift, JointValues, Trial, UpliftCounts
from capcurve.curves.trials import curve_of_gains, curve_of_profits, toc_curve, uplift_points
from capcurve.inference import (
    Comparison,
    balance_test,
    best_share,
    compare,
    confidence_interval,
    qini_test,
    uplift_table,
)
from capcurve.inference.paired import ranking_sentences
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.inference.targeting import (
    UNBALANCED,
    BestShare,
    limits_of_arm,
    profits_at,
    uplift_columns,
)
from capcurve.inference.trials import limits_along
from capcurve.numbers.arguments import spoken
from capcurve.numbers.plain import plain
from capcurve.results.findings import about_rows_left_out
from capcurve.results.summary import must_know
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    Axis,
    Bars,
    Chart,
    ChartBand,
    Line,
    Marker,
    ScoreTicks,
    Style,
    marks,
    model_style,
    reference,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    Form,
    Worded,
    amount,
    capitalised,
    chance_text,
    joined,
    limits,
    money,
    percent,
    plain_names,
    plain_text,
    stated_percent,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from capcurve.curves import Curve

Said = TypeVar("Said")
CURVE_SHARES = np.linspace(0.02, 1, 50)  # where limits of curves are looked at
ARM_BINS = 10
MOST_BANDS = 2  # so many curves have limits beside each other
SHARE_TREATED = "Share of customers treated, best scores first"


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
        The profit curve, where there are a value and a cost, the uplift curve, and both arms.

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
            advice = f"use known or fitted propensities ({spoken('effect_scores')})"
            said = capitalised(self.balance.notes[-1].partition(";")[0])
            found.append(Finding("treatment_follows_score", "warning", said, advice))
        few = [note for note in self.effect.notes if "of the rarer outcome" in note]
        if few:
            said = capitalised(few[0])
            found.append(Finding("few_in_arm", "warning", said, "wait for more cases"))
        if self.qini.high is not None and self.qini.high < 0:
            chance = chance_text(self.test.p_value)
            said = f"the score looks reversed: its Qini is below 0 by more than chance ({chance})"
            turn = "check its direction: low values may mean a large uplift"
            found.append(Finding("reversed", "warning", said, turn))
        return tuple(found)

    def presentation(self) -> Presentation:
        """Return what is said of the trial."""
        table, balance = "Uplift from the top down", " of known propensities."
        if self.balance is not None:
            chance = chance_text(self.balance.p_value)
            table = "Uplift by bin"
            balance = f". A test that treatment does not depend on the score gives {chance}."
        return Presentation(
            title=f"Uplift by {self.name}",
            sentences=self.sentences,
            figures=(*self.profit, *_figures(self).values()),
            level=self.effect.level,
            findings=self.findings,
            charts=self.charts,
            tables=(replace(self.table, name=table),),
            notes=(f"{capitalised(self.cases)}{balance}", *self.notes),
        )

    @property
    def cases(self) -> str:
        """How many cases there are of each arm, in words."""
        return f"{amount(self.treated)} treated and {amount(self.control)} control customers"

    @property
    def profit(self) -> tuple[Figure, ...]:
        """The profit of the best share, per 100 customers and of the list; none without money."""
        if self.best is None:
            return ()
        n, (each, share) = self.treated + self.control, self.best.figures()
        label = f"Profit for the list of {amount(n)}"
        found, ends = self.best.profit, (self.best.profit_low, self.best.profit_high)
        value, low, high = (Worded(n * part, money(n * part)) for part in (found, *ends))
        return each, Figure("total_profit", label, label, value, "quantity", low, high), share

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many to treat at a cost, and what treating the top gains against everybody."""
        unit = "extra positives per 100 treated" if self.yes_no else "per treated customer"
        (value, form, *around), (everybody, *_) = map(self.scaled, (self.top, self.effect))
        gain = (
            f"Treating the top {stated_percent(self.q)} by {self.name} gains "
            f"{written(form, value)} {unit} {limits(form, *around)}, against "
            f"{written(form, everybody)} for everybody."
        )
        best = () if self.best is None else self.best.sentences_on(self.name)
        return *best, *self._on_ranking, gain

    @property
    def _on_ranking(self) -> tuple[str, ...]:
        """What is wrong with the ranking, if anything is."""
        chance = f"({chance_text(self.test.p_value)})"
        if self.test.p_value > 1 - self.effect.level:
            said = f"This trial does not show that {self.name} ranks whom the treatment moves"
            return (f"{said} {chance}.",)
        if self.qini.estimate < 0:
            return (f"{self.name} ranks those first whom the treatment moves least {chance}.",)
        return ()

    def scaled(self, found: Interval) -> tuple[float, Form, float, float]:
        """Return a number, its form and limits, per 100 customers where outcomes are positives."""
        if not self.yes_no:
            return found.estimate, "plain", found.low, found.high
        return 100 * found.estimate, "tenths", 100 * found.low, 100 * found.high

    @property
    def notes(self) -> tuple[str, ...]:
        """What uplift is, and what there is to know about its limits."""
        limited = {f"uplift of the top {stated_percent(self.q)}": self.top, "AUTOC": self.autoc}
        found = _once({name: each.notes for name, each in limited.items()})
        notes = (f"{name}: {note}" if name else note for name, note in found)
        number = "rate of positives" if self.yes_no else "mean amount"
        said = f"Uplift is the {number} of treated less that of control customers"
        said += "." if self.balance is not None else ", each weighted by its inverse propensity."
        return (said, *as_sentences(notes))


def _figures(found: UpliftSummary) -> dict[str, Figure]:
    """Return the headline numbers of a score with their limits."""
    extra = "Extra positives per 100" if found.yes_no else "Gain per customer"
    top, every = f"{extra}, top {stated_percent(found.q)}", f"{extra}, all"
    qini, autoc = found.qini, found.autoc
    said = f"mean gain over treating at random, {chance_text(found.test.p_value)}"
    above = "mean uplift of the top over that of all"
    figures = (
        Figure("uplift", top, top, *found.scaled(found.top)),
        Figure("effect", every, every, *found.scaled(found.effect)),
        Figure("qini", "Qini", "Qini", qini.estimate, "fine", qini.low, qini.high, said),
        Figure("autoc", "AUTOC", "AUTOC", autoc.estimate, "fine", autoc.low, autoc.high, above),
    )
    return {figure.metric: figure for figure in figures}


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
    limited = partial(confidence_interval, trial, level=level)
    best, charts = None, list[Chart]()
    if value is not None and cost is not None:
        best = best_share(trial, value=value, cost=cost, level=level)
        charts.append(profit_chart(trial, best))
    charts.append(uplift_chart(trial, level, yes_no=yes_no))
    balance, table = None, None
    if isinstance(trial, UpliftCounts):
        arms, yes_no = (trial.treated.n, trial.control.n), trial.rows().yes_no
        balance, table = balance_test(trial), uplift_table(trial, bins=ARM_BINS, level=level)
        alone = yes_no and trial.groups is None  # else limits of a rate are not Wilson's
        charts.append(arms_chart(table, level if alone else None, yes_no=yes_no))
    return UpliftSummary(
        name=name,
        treated=arms[0],
        control=arms[1],
        yes_no=yes_no,
        q=q,
        effect=limited("uplift"),
        top=limited("uplift", q=q),
        qini=limited("qini"),
        autoc=limited("autoc"),
        test=qini_test(trial),
        balance=balance,
        best=best,
        table=_from_the_top(trial, level, yes_no=yes_no) if table is None else table,
        charts=tuple(charts),
    )


def _from_the_top(trial: Trial, level: float, *, yes_no: bool) -> Table:
    """Return the uplift of several top shares with limits."""
    shares = np.arange(1, ARM_BINS + 1) / ARM_BINS
    gain: Any = curve_of_gains(uplift_points(trial)).at(shares)
    low, high = limits_along(trial, shares, Confidence(level))
    limits = {"cum_uplift": gain / shares, "cum_low": low, "cum_high": high}
    columns = {"selected": shares, **limits, "gain": gain}
    return uplift_columns(columns, level, yes_no=yes_no)


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
        names = [self.comparison.names[place] for place in self.comparison.best_first]
        ordered = [self.summaries[name] for name in names]
        said = (sentence for each in ordered for sentence in each.sentences)
        headline = ([*each.profit, _figures(each)["uplift"]][0] for each in ordered)
        figures = [
            replace(each, label=f"{each.label}, {n}", short=f"{each.short}, {n}")
            for n, each in zip(names, headline, strict=True)
        ]
        figures.append(_figures(first)["effect"])  # which is the same whatever the score
        return replace(
            shown,
            sentences=(*ranking_sentences(self.comparison), *said),
            figures=tuple(figures),
            charts=tuple(self._charts()),
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
        every, columns = list(self.summaries.values()), {"score": label_column(self.summaries)}
        for name, which in (("uplift", "top"), ("qini", "qini"), ("autoc", "autoc")):
            limited = [getattr(each, which) for each in every]
            found = [(each.estimate, *each) for each in limited]
            names = name, f"{name}_low", f"{name}_high"
            columns |= dict(zip(names, np.array(found).T, strict=True))
        columns["p_qini"] = np.array([each.test.p_value for each in every])
        tests = [each.balance for each in every if each.balance is not None]
        if tests:
            columns["p_balance"] = np.array([each.p_value for each in tests])
        words = {"qini": "Qini", "qini_low": "Qini low", "qini_high": "Qini high"}
        words |= {"autoc": "AUTOC", "autoc_low": "AUTOC low", "autoc_high": "AUTOC high"}
        own, form = "uplift uplift_low uplift_high", "share" if every[0].yes_no else "fine"
        forms = {"fine": " ".join(words)}
        forms[form] = f"{forms.get(form, '')} {own}"
        return Table(
            f"Uplift of the top {stated_percent(every[0].q)}, Qini coefficient and AUTOC",
            formed(columns, words | {"p_qini": "p Qini"}, **forms, p="p_qini p_balance"),
            f"{stated_percent(every[0].effect.level)} intervals; p Qini tests whether a score ranks"
            " whom the treatment moves at all"
            + (", p balance whether treatment depends on the score" if tests else ""),
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
        usual = super(UpliftEvaluation, self)._writers()
        return {**usual, ".xlsx": partial(write_uplift_workbook, self)}

    def _charts(self) -> Iterator[Chart]:
        """Yield each kind of curve with the scores beside each other, and both arms by each."""
        for charts in zip(*(each.charts for each in self.summaries.values()), strict=True):
            by_score = dict(zip(self.summaries, charts, strict=True))
            if charts[0].bars:
                for name, chart in by_score.items():
                    yield replace(chart, title=f"{chart.title}, by {name}")
                continue
            lines, bands = [], []
            for place, (name, chart) in enumerate(by_score.items()):
                style = model_style(place)
                curve, *others = (line for line in chart.lines if not line.shared)
                lines.append(replace(curve, label=name, style=style))
                lines += [_alike(line, style, place, name) for line in others]
                bands += [_alike(band, style, place, name) for band in chart.bands]
            lines += [line for line in charts[0].lines if line.shared]
            told = (f"{name}: {chart.description}" for name, chart in by_score.items())
            few = bands if len(charts) <= MOST_BANDS else ()
            yield replace(charts[0], lines=lines, bands=few, description=" ".join(told))


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


def uplift_chart(trial: Trial, level: float, *, yes_no: bool = False) -> Chart:
    """Return the uplift curve with limits, beside treating as many at random."""
    curve = curve_of_gains(uplift_points(trial))
    yes_no = trial.rows().yes_no if isinstance(trial, UpliftCounts) else yes_no
    named = replace(curve, y_label=f"{'extra positives' if yes_no else 'gain'} per 100 customers")
    return curve_chart("Uplift curve", named, "Treated at random", _bands(trial, level), 100)


def toc_chart(trial: Trial, level: float) -> Chart:
    """Return how far the uplift of each top share lies above the effect, with limits."""
    bands = _bands(trial, level, beyond=True)
    return curve_chart("TOC", toc_curve(trial), "A random score", bands)


def profit_chart(trial: Trial, best: BestShare) -> Chart:
    """Return the profit of treating each top share with limits, and the best share."""
    points = uplift_points(trial)
    curve = curve_of_profits(points, best.value, best.cost)
    found = profits_at(trial, best.value, best.cost)
    low, high = (100 * each for each in found.limits(Confidence(best.level)))
    at, label = points.shares[found.places], f"{stated_percent(best.level)} interval at each share"
    top, orange, share = 100 * best.profit, COLOURS[1], percent(best.estimate)
    return Chart(
        title="Profit curve",
        x=Axis(SHARE_TREATED, "percent", 1.0),
        y=Axis("Profit per 100 customers", "number"),
        lines=[
            Line(curve.x, 100 * curve.y, "Treated by score", Style(BLUE)),
            Line([best.low, best.high], [top, top], "Shares that may be best", Style(orange)),
            marks([best.estimate], [top], f"Best share, {share}", orange, Marker()),
            reference([0, 1], [0, 0], "Nobody treated"),
        ],
        bands=[ChartBand(at, low, high, label, BLUE)] if found.known else [],
        rising=True,
        corner="lower left",
        description=" ".join(best.sentences_on("score")),
    )


def arms_chart(table: Table, level: float | None, *, yes_no: bool) -> Chart:
    """Return the rates, or mean amounts, of treated beside control customers by bin."""
    at, bars = np.arange(len(table), dtype=np.float64), []
    for place, arm in enumerate(("treated", "control")):
        ends = (None, None) if level is None else limits_of_arm(table, arm, level)
        style, hatch = Style(COLOURS[place]), "///" if place else ""
        where, heights = at + 0.38 * place - 0.19, np.nan_to_num(table[f"rate_{arm}"])
        about: dict[str, Any] = {"at": where, "width": 0.36, "hatch": hatch}
        bars.append(Bars(heights, capitalised(arm), style, **about, low=ends[0], high=ends[1]))
    rates = zip(at + 1, bars[0].shares, bars[1].shares, strict=True)
    write = percent if yes_no else plain_text
    return Chart(
        title="Treated beside control",
        x=Axis("Bin, best scores first", "score", ends=(-0.6, len(at) - 0.4)),
        y=Axis("Rate of positives" if yes_no else "Mean amount", "percent" if yes_no else "number"),
        bars=bars,
        head="" if level is None else f"whiskers: {stated_percent(level)} interval",
        scores=ScoreTicks(at, [f"{place:g}" for place in table["bin"]]),
        description="; ".join(f"{n:g}: {write(a)} and {write(b)}" for n, a, b in rates),
    )


def _alike(drawn: Any, style: Style, place: int, name: str) -> Any:
    """Return a line or band in the colour of a score; only a label with a number is each one's."""
    what, comma, found = drawn.label.partition(",")
    label = f"{what} by {name},{found}" if comma else "" if place else what
    if isinstance(drawn, ChartBand):
        return replace(drawn, colour=style.colour, label=label)
    return replace(drawn, style=replace(drawn.style, colour=style.colour), label=label)


def _bands(trial: Trial, level: float, *, beyond: bool = False) -> list[ChartBand]:
    """Return the limits of gains, or of what is beyond the effect, but no whole ranges."""
    low, high = limits_along(trial, CURVE_SHARES, Confidence(level), beyond=beyond)
    x, label = CURVE_SHARES, f"{stated_percent(level)} interval at each share"
    if not beyond:
        x, low, high = (
            np.append(0, each) for each in (CURVE_SHARES, CURVE_SHARES * low, CURVE_SHARES * high)
        )
    return [ChartBand(x, low, high, label, BLUE)] if np.isfinite(high).all() else []


def curve_chart(
    title: str, curve: Curve, random: str, bands: Sequence[ChartBand] = (), times: int = 1
) -> Chart:
    """Return a curve of a trial beside a score that orders nothing, whose end it shares."""
    x, y = curve.x, times * curve.y
    if curve.name == "toc":  # of few cases at the very top it is mostly chance
        x, y = x[x >= CURVE_SHARES[0]], y[x >= CURVE_SHARES[0]]
    shares = (0.1, 0.3, 0.5, 1.0)
    told = ", ".join(f"{plain_text(times * curve.at(q))} at {percent(q)}" for q in shares)
    return Chart(
        title=title,
        x=Axis(SHARE_TREATED, "percent", 1.0),
        y=Axis(capitalised(curve.y_label), "number"),
        lines=[
            Line(x, y, "Treated by score", Style(BLUE)),
            reference([0, 1], [0, float(y[-1])], random),
        ],
        bands=[replace(each, low=times * each.low, high=times * each.high) for each in bands],
        rising=True,
        corner="upper left",
        description=f"{capitalised(curve.y_label)}: {told}.",
    )


def write_uplift_workbook(found: UpliftEvaluation, path: Path) -> None:
    """Write the numbers of all scores, their differences and both arms by bin as a workbook."""
    from capcurve.show.workbook import Book, write_columns

    book, taken = Book.begun(found.title, speaks=found.speaks), set[str]()
    tables = {"Scores": found.table}
    if found.comparison is not None:
        tables["Differences"] = found.comparison.table
    tables |= {f"Bins of {name}": each.table for name, each in found.summaries.items()}
    for name, table in tables.items():
        write_columns(book, name, table.values(), taken, table.note, f"{found.title}: {name}")
    path.write_bytes(book.finished())
