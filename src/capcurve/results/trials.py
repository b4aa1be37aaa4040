"""All that is said of a trial: the uplift of the top, the Qini, balance, and how many to treat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.curves.trials import curve_of_gains, points_of, toc_curve
from capcurve.inference import (
    balance_test,
    best_share,
    confidence_interval,
    qini_test,
    uplift_table,
)
from capcurve.inference.records import Confidence, Interval, Test
from capcurve.inference.targeting import UNBALANCED, BestShare
from capcurve.inference.trials import limits_along
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Style, reference
from capcurve.show.finding import Finding
from capcurve.show.format import (
    amount,
    capitalised,
    chance_text,
    number,
    percent,
    plain_text,
    stated_percent,
)
from capcurve.show.presentation import Figure, Presentation
from capcurve.show.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.counts import Trial
    from capcurve.counts.trials import UpliftCounts
    from capcurve.counts.types import Floats
    from capcurve.curves import Curve
    from capcurve.show.table import Table

SHARES = np.linspace(0.02, 1, 50)  # where limits of curves are looked at
BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UpliftSummary(Result):
    """What a score tells of whom a treatment moves, with limits, tests and findings."""

    _left_out = frozenset({"charts"})

    name: str  # of the score
    treated: int
    control: int
    yes_no: bool  # whether outcomes are positives and negatives
    q: float  # the share whose uplift is told
    effect: Interval
    top: Interval  # the uplift of the top q
    qini: Interval
    autoc: Interval
    test: Test  # that the Qini is 0
    balance: Test
    best: BestShare | None  # where a value and a cost are given
    table: Table
    charts: tuple[Chart, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know, the gravest first."""
        found = []
        if self.balance.p_value < UNBALANCED:
            advice = "take known or fitted propensities: effect_scores"
            said = capitalised(f"{self.balance.notes[-1].partition(';')[0]}.")
            found.append(Finding("treatment_follows_score", "warning", said, advice))
        few = [note for note in self.effect.notes if "of the rarer outcome" in note]
        if few:
            advice = "wait for more cases; limits are rough"
            found.append(Finding("few_in_arm", "warning", f"{capitalised(few[0])}.", advice))
        return tuple(found)

    def presentation(self) -> Presentation:
        """Return what is said of the trial."""
        cases = f"{amount(self.treated)} treated and {amount(self.control)} control cases"
        said = (self._sentence, *(() if self.best is None else (self.best.sentence,)))
        found = {
            "effect": ("uplift of all", self.effect),
            "uplift": (f"uplift of the top {percent(self.q)}", self.top),
            "qini": ("Qini coefficient", self.qini),
            "autoc": ("AUTOC", self.autoc),
        }
        notes = dict.fromkeys(note for each in (self.top, self.autoc) for note in each.notes)
        return Presentation(
            title=f"Uplift by {self.name}",
            sentences=said,
            figures=tuple(
                Figure(key, label, label, each.estimate, "plain", each.low, each.high)
                for key, (label, each) in found.items()
            ),
            level=self.effect.level,
            findings=self.findings,
            charts=self.charts,
            tables=(replace(self.table, name="Uplift by bin"),),
            notes=(
                (
                    f"{capitalised(cases)}; a test that treatment is balanced along the score has "
                    f"{chance_text(self.balance.p_value)}."
                ),
                "Uplift is the rate, or mean amount, of the treated less that of control cases.",
                *(f"{capitalised(note)}." for note in notes),
            ),
        )

    @property
    def _sentence(self) -> str:
        """What treating the top gains, against everybody, and the Qini."""
        unit, scale = (
            ("extra positives per 100 treated", 100) if self.yes_no else ("per treated case", 1)
        )
        top, low, high, everybody = (
            number(scale * each, 1) if self.yes_no else plain_text(each)
            for each in (self.top.estimate, *self.top.limits, self.effect.estimate)
        )
        return (
            f"Treating the top {percent(self.q)} gains {top} {unit} [{low}, {high}], against "
            f"{everybody} for everybody; the Qini is {plain_text(self.qini.estimate)} per case "
            f"({chance_text(self.test.p_value)})."
        )


def summarize_trial(
    trial: UpliftCounts,
    *,
    name: str = "score",
    q: float = 0.3,
    level: float = 0.95,
    value: float | None = None,
    cost: float | None = None,
) -> UpliftSummary:
    """Return all that is said of a trial; with a value and a cost also how many to treat."""
    if (value is None) != (cost is None):
        raise ValueError("value= and cost= go together; pass both")
    effect, top = (
        confidence_interval(trial, "uplift", q=share, level=level) for share in (None, q)
    )
    best = None
    if value is not None and cost is not None:
        best = best_share(trial, value=value, cost=cost, level=level)
    qini, autoc = (confidence_interval(trial, each, level=level) for each in ("qini", "autoc"))
    return UpliftSummary(
        name=name,
        treated=trial.treated.n,
        control=trial.control.n,
        yes_no=trial.rows().yes_no,
        q=q,
        effect=effect,
        top=top,
        qini=qini,
        autoc=autoc,
        test=qini_test(trial),
        balance=balance_test(trial),
        best=best,
        table=uplift_table(trial, bins=BINS, level=level),
        charts=(uplift_chart(trial, level), toc_chart(trial, level)),
    )


def uplift_chart(trial: Trial, level: float) -> Chart:
    """Return the uplift curve with limits, beside treating as many at random."""
    low, high = limits_along(trial, SHARES, Confidence(level))
    x, bottom, top = (np.append(0, each) for each in (SHARES, SHARES * low, SHARES * high))
    bands = _bands(x, bottom, top, level)
    return curve_chart("Uplift curve", curve_of_gains(points_of(trial)), "Treated at random", bands)


def toc_chart(trial: Trial, level: float) -> Chart:
    """Return how far the uplift of each top share lies above the effect, with limits."""
    low, high = limits_along(trial, SHARES, Confidence(level), beyond=True)
    bands = _bands(SHARES, low, high, level)
    return curve_chart("TOC", toc_curve(trial), "A score that tells nothing", bands)


def _bands(x: Floats, low: Floats, high: Floats, level: float) -> list[ChartBand]:
    """Return the limits along a curve, unless they are the whole range."""
    label = f"{stated_percent(level)} limits at each share"
    return [ChartBand(x, low, high, label, BLUE)] if np.isfinite(high).all() else []


def curve_chart(title: str, curve: Curve, random: str, bands: Sequence[ChartBand] = ()) -> Chart:
    """Return a curve of a trial beside a score that orders nothing, whose end it shares."""
    x, y = curve.x, curve.y
    if curve.name == "toc":  # of few cases at the very top it is mostly chance
        x, y = x[x >= SHARES[0]], y[x >= SHARES[0]]
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
