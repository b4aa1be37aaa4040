"""Selective prediction as one result: how many errors are left where the surest are answered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves.kinds import Errors, as_errors, risk_coverage_curve
from capcurve.curves.shares import sample_rate
from capcurve.curves.simplify import few_cells
from capcurve.inference import CertifiedCutoff, Interval, certified_cutoff, confidence_interval
from capcurve.metrics import METRICS, selective_risk
from capcurve.numbers.arguments import as_open_share
from capcurve.show.chart import BLUE, Axis, Chart, ChartBand, Line, Marker, Style, guide, reference
from capcurve.show.columns import formed
from capcurve.show.format import limits, percent, stated_percent
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences
from capcurve.show.result import Result
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from capcurve.counts import Ranking, ScoreCounts
    from capcurve.curves import Curve
    from capcurve.numbers.types import Floats

RISK_AREAS = ("aurc", "excess_aurc", "auarc", "augrc")
COVERAGES, COVERAGE_SAID = (0.5, 0.8, 0.9), 0.8
# Of the table, and how many points a curve is drawn through.
COVERAGE_STEPS, SHOWN_STEPS, COVERAGE_POINTS = 40, 4, 200
TITLE = "Risk and coverage"
CERTIFIED_NOTE = "none is certified", "the surest cases"
AREA_NOTES = {"aurc": "errors, averaged over all shares answered"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectivePrediction(Result):
    """How many errors are left where only the surest cases are answered.

    Attributes
    ----------
    errors
        Which class the errors are.
    rate
        Share of errors among all cases.
    aurc, excess_aurc, auarc, augrc
        As the functions of these names.
    risks
        The share of errors among the surest 50%, 80% and 90%, by coverage.
    intervals
        Limits of these, by name: "aurc" and so on, "risk_50", "risk_80", "risk_90".
    certified
        As `certified_cutoff`; None unless `max_risk` was given, and of weights or clusters.
    table
        Coverage, risk and its limits, from 2.5% to all of the cases.
    curve
        The risk-coverage curve.
    level
        Confidence level of all limits.
    notes
        Why there are no limits, or no certificate.

    Examples
    --------
    Of 100 cases 40 are errors, of the surest 50 only 10.

    >>> from capcurve import ScoreCounts, summarize
    >>> counts = ScoreCounts.from_counts([0.9, 0.1], [30, 10], [20, 40])
    >>> found = summarize(counts, selective=True).selective
    >>> found.rate, found.risks[0.5]
    (0.4, 0.2)
    """

    _left_out = frozenset({"curve"})

    errors: Errors
    rate: float
    aurc: float
    excess_aurc: float
    auarc: float
    augrc: float
    risks: Mapping[float, float]
    intervals: Mapping[str, Interval]
    certified: CertifiedCutoff | None
    table: Table
    curve: Curve
    level: float
    notes: tuple[str, ...] = field(default=())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know: that no cut-off is certified."""
        sure = self.certified
        if sure is None:  # not asked for, or a note says why there is none
            said = (each.partition("; ") for each in self.notes if "certificate" in each)
            none = "no cut-off is certified: "
            return tuple(Finding("no_certificate", "info", none + why, do) for why, _, do in said)
        if sure.upper is not None:
            return ()
        message = sure.sentence.removesuffix(".")
        advice = "collect more cases, ask for a higher risk, or improve the score"
        return (Finding("no_certificate", "info", f"{message[:1].lower()}{message[1:]}", advice),)

    def presentation(self) -> Presentation:
        """Return how many errors are left: sentences, numbers, the curve and a table."""
        every = slice(SHOWN_STEPS - 1, None, SHOWN_STEPS)
        columns = {name: column[every] for name, column in self.table.columns.items()}
        lines = [Line(*coverage_points(self.curve), "Errors among those answered", Style(BLUE))]
        if self.certified is not None:
            lines += certified_mark(self.certified, BLUE)
        bands = [risk_band(self.table, self.level)] if "risk_low" in columns else []
        return Presentation(
            title=TITLE,
            sentences=tuple(self._sentences()),
            figures=tuple(self._figures()),
            level=self.level,
            findings=self.findings,
            charts=(risk_chart(lines, bands, self.rate),),
            tables=(replace(self.table, columns=columns),),
            notes=as_sentences(self.notes),
        )

    def to_row(self) -> dict[str, float | None]:
        """Return the numbers of one line."""
        risks = {key_of(coverage): risk for coverage, risk in self.risks.items()}
        sure = {} if self.certified is None else {"certified_coverage": self.certified.coverage}
        return {**{name: getattr(self, name) for name in RISK_AREAS}, **risks, **sure}

    @property
    def tells_captured(self) -> bool:
        """Whether what the top captures says anything: not where most cases are positives."""
        positives = self.rate if self.errors == "positives" else 1 - self.rate
        return positives <= 0.5  # noqa: PLR2004 - half of the cases

    def _sentences(self) -> Iterator[str]:
        if self.certified is not None:
            yield self.certified.sentence
        found = self.intervals.get(key_of(COVERAGE_SAID))
        around = "" if found is None else f" {limits('share', *found)}"
        yield (
            f"Answering the surest {stated_percent(COVERAGE_SAID)} of cases leaves "
            f"{percent(self.risks[COVERAGE_SAID])} errors{around}, and answering all "
            f"{percent(self.rate)}."
        )

    def _figures(self) -> Iterator[Figure]:
        if self.certified is not None:
            label = f"answered at ≤ {percent(self.certified.max_risk)} errors"
            value, note = self.certified.coverage, CERTIFIED_NOTE[self.certified.upper is not None]
            yield Figure("certified_coverage", label, label, value, "share", note=note)
        for coverage, risk in sorted(self.risks.items(), key=lambda each: each[0] != COVERAGE_SAID):
            key, label = key_of(coverage), f"errors at {stated_percent(coverage)} answered"
            yield Figure(key, label, label, risk, "share", *self.intervals.get(key, ()))
        for metric in map(METRICS.__getitem__, RISK_AREAS):
            names, value = (metric.name, metric.short, metric.short), getattr(self, metric.name)
            low, high = self.intervals.get(metric.name, (None, None))
            yield Figure(*names, value, metric.form, low, high, AREA_NOTES.get(metric.name, ""))


def key_of(coverage: float) -> str:
    """Return how the risk at a coverage is called."""
    return f"risk_{round(100 * coverage)}"


def selective_prediction(
    counts: Ranking, *, errors: Errors, max_risk: float | None, level: float
) -> SelectivePrediction:
    """Return how many errors are left where only the surest cases are answered."""
    # What is asked for is checked here: below, what counts do not have is left out with a note.
    max_risk = None if max_risk is None else as_open_share(max_risk, "max_risk")
    cells, notes = counts.every_score(), []

    def tried(make: Any, *args: Any, **more: Any) -> Any:
        try:
            return make(*args, errors=errors, level=level, **more)
        except ValueError as why:
            notes.append(str(why))
            return None

    intervals = {name: tried(confidence_interval, cells, name) for name in RISK_AREAS}
    for coverage in COVERAGES:
        asked = {"coverage": coverage}
        intervals[key_of(coverage)] = tried(confidence_interval, cells, "selective_risk", **asked)
    few = few_cells(cells)
    areas: dict[str, Any] = {name: METRICS[name].value(cells, errors=errors) for name in RISK_AREAS}
    return SelectivePrediction(
        errors=errors,
        rate=sample_rate(as_errors(cells, errors)),
        **areas,
        risks={coverage: selective_risk(cells, coverage, errors=errors) for coverage in COVERAGES},
        intervals={name: found for name, found in intervals.items() if found is not None},
        certified=None if max_risk is None else tried(certified_cutoff, cells, max_risk),
        table=risk_table(few, errors, level if intervals["aurc"] else None),
        curve=risk_coverage_curve(few, errors=errors),
        level=level,
        notes=tuple(dict.fromkeys(notes)),
    )


def risk_table(counts: ScoreCounts, errors: Errors, level: float | None) -> Table:
    """Return the risk at each coverage, with limits where there is a level."""
    coverage = np.arange(1, COVERAGE_STEPS + 1) / COVERAGE_STEPS
    asked = [{"coverage": each, "errors": errors} for each in coverage.tolist()]
    columns = {"coverage": coverage}
    if level is None:
        columns["risk"] = np.array([selective_risk(counts, **each) for each in asked])
        return Table(TITLE, formed(columns, share="coverage risk"))
    found = [confidence_interval(counts, "selective_risk", level=level, **each) for each in asked]
    parts = {"risk": "estimate", "risk_low": "low", "risk_high": "high"}
    columns |= {name: np.array([getattr(f, part) for f in found]) for name, part in parts.items()}
    columns = formed(columns, share="coverage risk risk_low risk_high")
    return Table(TITLE, columns, f"{stated_percent(level)} interval at each coverage")


def certified_share(summary: Any) -> float | None:
    """Return the share of cases that a summary certifies, or None."""
    found = getattr(summary, "selective", None)
    return (found.certified.coverage or None) if found and found.certified else None


def coverage_points(curve: Curve) -> tuple[Floats, Floats]:
    """Return the coverages at which a risk-coverage curve is drawn, and the risk there."""
    x = np.linspace(0, 1, COVERAGE_POINTS + 1)[1:]
    if len(curve.x) <= COVERAGE_POINTS:
        x = np.union1d(x, curve.x[1:])
    return x, np.asarray(curve.at(x))


def risk_band(table: Table, level: float, colour: str = BLUE) -> ChartBand:
    """Return the limits of a table of risks; those of the first few cases would hide the rest."""
    x, low, high = (table[name][1:] for name in ("coverage", "risk_low", "risk_high"))
    return ChartBand(x, low, high, f"{stated_percent(level)} interval at each coverage", colour)


def certified_mark(sure: CertifiedCutoff, colour: str) -> list[Line]:
    """Return a mark at the deepest coverage that is certified, if any is."""
    if sure.risk is None:
        return []
    said = f"At most {percent(sure.max_risk)} errors, certified: {percent(sure.coverage)}"
    place = [sure.coverage, sure.coverage], [0, sure.risk]
    return [guide(*place, said, colour, Marker("o", 0.6, (1,)))]


def risk_chart(lines: Sequence[Line], bands: Sequence[ChartBand], rate: float) -> Chart:
    """Return curves of risk beside that of the best order and of a random one."""
    x = np.linspace(1 - rate, 1, 101)
    best = 1 - (1 - rate) / np.maximum(x, 1 - rate or 1.0)
    return Chart(
        title=TITLE,
        x=Axis("Share of cases answered, the surest first", whole=1),
        y=Axis("Errors among them", "share", from_zero=True),
        lines=[
            *lines,
            reference([0, *x], [0, *best], "Perfect order: all errors last", dashed=False),
            reference([0, 1], [rate, rate], f"Random: {percent(rate)} errors"),
        ],
        bands=bands,
        rising=True,
    )
