"""Calibration of PDs as one result: level, parts of the scores, tests, grades and net benefit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from capcurve.counts import JointCounts, Ranking, ScoreCounts
from capcurve.counts.joint import PdColumn
from capcurve.counts.times import as_text, taken_by
from capcurve.gate.pds import counts_by_pd, pds_of
from capcurve.gate.taking import takes_counts_or_joint
from capcurve.inference import (
    Interval,
    Recalibration,
    Test,
    calibration_table,
    calibration_test,
    confidence_interval,
    decision_curve,
    logistic_recalibration,
    pd_tests,
)
from capcurve.inference.implied import as_correlation
from capcurve.inference.monotone import MOST_GRADES
from capcurve.inference.net_benefit import as_thresholds
from capcurve.metrics import METRICS, ScoreDecomposition, score_decomposition
from capcurve.metrics.calibration import mean_pd
from capcurve.results.findings import CHANCE, few_cases
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    DASHES,
    GREY,
    Axis,
    Bars,
    Chart,
    ChartBand,
    Line,
    Marker,
    Style,
    marks,
    model_style,
    reference,
    whiskers,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    amount,
    capitalised,
    chance_text,
    counted,
    cutoff_text,
    joined,
    limits,
    number,
    percent,
    quantity,
    stated_percent,
)
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table, label_column

SHAPE_TESTS = ("spiegelhalter", "hosmer_lemeshow", "cox", "miscalibration")
FEW_ROWS_SHOWN, USUAL_BINS = 25, 10
AT_HORIZON = (
    "where rows are censored, only observed to expected is shown: tests of PDs, the Brier score, "
    "the calibration slope and net benefit do not allow for censoring"
)
INTERVALS = ("observed_to_expected", "brier_score", "log_loss")
OF_ONE_CLASS = (
    "intervals of the Brier score and the log loss, Cox's test, the slope and the decision curve "
    "are left out where they need both classes"
)
IN_SENTENCES = ("pds_too_high", "pds_too_steep", "pds_too_flat", "correlated_defaults")
USING = "Using the PDs"
WHOLE_FROM = 10  # from so many on, positives that are predicted are whole
# Where one bin has so many times the cases of another, the picture shows how many each has.
UNEVEN = 1.5


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Calibration(Result):
    """How far PDs are from what came out, and whether that is more than chance.

    Attributes
    ----------
    brier_score, log_loss, observed_to_expected
        Each with its limits; None where it has none.
    decomposition
        The Brier score in miscalibration, discrimination and uncertainty; None at a horizon.
    recalibration
        Intercept and slope that would make the PDs right; None where there are none.
    tests
        Of the portfolio, by method: "jeffreys", "spiegelhalter" and so on; none with weights.
    grades
        The test of each PD, as in `pd_tests`; None beyond 50 distinct scores, and with weights.
    table
        PDs beside rates, as in `calibration_table`; at a horizon one row, of all cases.
    net_benefit
        As in `decision_curve`; None without positives.
    out_of_order
        How many neighbouring scores have PDs in another order.
    level
        Confidence level of all limits.
    notes
        What a reader must know.
    """

    brier_score: Interval | None = None
    log_loss: Interval | None = None
    observed_to_expected: Interval | None
    decomposition: ScoreDecomposition | None = None
    recalibration: Recalibration | None = None
    tests: Mapping[str, Test] = field(default_factory=dict)
    grades: Table | None = None
    table: Table
    net_benefit: Table | None = None
    out_of_order: int = 0
    level: float
    notes: tuple[str, ...] = ()

    @property
    def of_level(self) -> Test | None:
        """The test of the mean PD."""
        return self.tests.get("jeffreys") or self.tests.get("mid_p")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to know, the gravest first."""
        return gravest_first(_findings(self))

    def presentation(self) -> Presentation:
        """Return what the calibration shows: sentences, numbers, both pictures and tables."""
        curve = () if self.net_benefit is None else (_at_some(self.net_benefit),)
        # What a sentence or a note says is no finding again.
        said = (*IN_SENTENCES, *(() if _low_grades(self) else ("pds_too_low",)))
        return Presentation(
            title="Calibration",
            sentences=tuple(_sentences(self)),
            figures=tuple(self._figures()),
            level=self.level,
            findings=tuple(each for each in self.findings if each.code not in said),
            charts=self.charts,
            tables=(*self.of_tests, self.table, *curve),
            notes=as_sentences(self.notes),
        )

    def _figures(self) -> Iterator[Figure]:
        for name in INTERVALS:
            interval, metric = getattr(self, name), METRICS[name]
            label, parts = capitalised(metric.label), self.decomposition
            if interval is not None:
                yield Figure(name, label, label, interval.estimate, metric.form, *interval)
            elif name == "brier_score" and parts:  # a mean, which one class has, too
                yield Figure(name, label, label, parts.mean_score, metric.form)
            if name == "observed_to_expected" and self.recalibration is not None:
                yield from self.recalibration.presentation().figures[1:]

    @property
    def of_tests(self) -> tuple[Table, ...]:
        """The tests of grades, and those of all PDs."""
        tests = self.tests.values()
        columns = {
            "test": label_column([capitalised(each.name) for each in tests]),
            "p_value": np.array([each.p_value for each in tests]),
            "method": label_column([capitalised(each.method) for each in tests]),
        }
        of_all = (Table("Tests of all PDs", columns),) if self.tests else ()
        return of_all if self.grades is None else (self.grades, *of_all)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The reliability of the PDs, and the decision curve; none at a horizon."""
        if self.decomposition is None:
            return ()
        found = reliability_chart(self.table, self.level)
        if self.net_benefit is None:
            return (found,)
        return found, decision_chart(self.net_benefit, self.level)


@takes_counts_or_joint
def assess_calibration(
    counts: Ranking | JointCounts,
    *,
    pd: Any = "score",
    score: str | None = None,
    bins: int | str | Sequence[Any] = 10,
    thresholds: Sequence[float] | None = None,
    asset_correlation: float = 0.0,
    level: float = 0.95,
) -> Calibration:
    """Return the calibration of PDs: every number, test, table and picture of it in one result.

    Raises `ValueError` as `brier_score`; parts that the counts do not have are None, and `notes`
    say why. At a horizon (`TimeCounts.at`) that is all but observed to expected.

    Parameters
    ----------
    counts, pd, score
        As in `implied_accuracy_ratio`.
    bins
        Of the table, as in `calibration_table`; one per grade up to 50 where 10 are asked for.
    thresholds
        Of the decision curve, as there.
    asset_correlation
        Of the assets behind defaults, which tests of grades and of the level then allow for.
    level
        Confidence level of all limits.

    Examples
    --------
    >>> from capcurve import ScoreCounts
    >>> found = assess_calibration(ScoreCounts.from_counts([0.5, 0.1], [60, 15], [40, 85]))
    >>> print(found.sentence.partition(" That")[0])
    There were 75 positives; the PDs predicted 60.
    """
    # What is asked for is checked here: below, what counts do not have is left out with a note.
    as_correlation(asset_correlation, "asset_correlation")
    thresholds = None if thresholds is None else as_thresholds(thresholds)
    if isinstance(pd, PdColumn):
        counts, pd, score = pd.joint, pd.name, score or pd.score
    cells, notes = counts_by_pd(counts, pd), []
    if (taken := taken_by(cells)) and cells.times is not None:
        if asset_correlation or thresholds is not None or bins != USUAL_BINS:
            raise ValueError(f"{AT_HORIZON}; leave out bins, thresholds and asset_correlation")
        return _at_horizon(cells, taken[1], level)
    decomposition = score_decomposition(cells)

    def tried(make: Any, *args: Any, **options: Any) -> Any:
        try:
            return make(*args, **options)
        except ValueError as why:
            notes.append(str(why).replace("this is undefined", OF_ONE_CLASS))
            return None

    rho: dict[str, Any] = {"asset_correlation": asset_correlation}
    tests = {name: tried(calibration_test, cells, method=name) for name in SHAPE_TESTS}
    level_test = "mid_p" if asset_correlation else "jeffreys"
    tests = {level_test: tried(calibration_test, cells, method=level_test, **rho), **tests}
    if isinstance(counts, JointCounts):
        score, order = score or pd, np.zeros(0)
        ranked = counts.margin(score)
    else:
        ranked = counts.every_score()
        order = pds_of(ranked, pd)
    few = len(ranked) <= MOST_GRADES
    grades = tried(pd_tests, counts, pd=pd, score=score, **rho) if few else None
    own = bins == USUAL_BINS and len(cells) <= MOST_GRADES
    return Calibration(
        **{name: tried(confidence_interval, cells, name, level=level) for name in INTERVALS},
        decomposition=decomposition,
        recalibration=tried(logistic_recalibration, cells, level=level),
        tests={method: test for method, test in tests.items() if test is not None},
        grades=grades,
        table=calibration_table(cells, bins="score" if own else bins, level=level),
        net_benefit=tried(decision_curve, cells, thresholds, level=level),
        out_of_order=int((np.diff(order if grades is None else grades["pd"]) > 0).sum()),
        level=float(level),
        notes=tuple(dict.fromkeys([*notes, *(n for t in tests.values() if t for n in t.notes)])),
    )


def _at_horizon(cells: ScoreCounts, horizon: float, level: float) -> Calibration:
    """Return what is known of PDs where rows are censored: observed to expected, of all rows."""
    ratio = confidence_interval(cells, "observed_to_expected", level=level)
    rate = confidence_interval(cells, "prevalence", level=level)
    n, mean = cells.times.n, mean_pd(cells)
    row = {"pd": mean, "n": n, "positives": n * rate.estimate, "expected": n * mean}
    row |= {"rate": rate.estimate, "rate_low": rate.low, "rate_high": rate.high}
    one = {name: np.array([value]) for name, value in row.items()}
    columns = formed(one, share="rate_low rate_high")
    return Calibration(
        observed_to_expected=ratio,
        table=Table(f"PDs and incidence by {as_text(horizon, cells.times.time_unit)}", columns),
        level=float(level),
        notes=(*ratio.notes, "the expected positives are those of all rows, censored or not"),
    )


def level_sentence(found: Calibration) -> str:
    """Return how many positives came, and how many the PDs imply."""
    ratio, test = found.observed_to_expected, found.of_level
    positives, expected = (float(found.table[name].sum()) for name in ("positives", "expected"))
    many = "" if ratio is None else f"{ratio.estimate:.2f} times as many {limits('lift', *ratio)}"
    if found.decomposition is None and ratio is not None:
        shown = "which does not show that PDs are wrong" if ratio.low <= 1 <= ratio.high else ""
        shown = shown or f"{'more' if ratio.low > 1 else 'fewer'} than chance explains"
        return (
            f"By the horizon {quantity(positives)} positives are estimated, and the PDs predict "
            f"{quantity(expected)}. That is {many}, {shown}."
        )
    were = "was 1 positive" if positives == 1 else f"were {quantity(positives)} positives"
    rounded = amount(round(expected)) if expected >= WHOLE_FROM else quantity(expected)
    said = f"There {were}; the PDs predicted {rounded}."
    if ratio is None or test is None:
        return said if ratio is None else f"{said} That is {many}."
    higher = positives > expected
    chance = test.p_value if higher else 1 - test.p_value
    verdict = "within what chance explains"
    if chance < CHANCE:
        verdict = f"{'more' if higher else 'fewer'} than chance explains"
    supposed = "the asset correlation given" if "mid_p" in found.tests else "independent defaults"
    return f"{said} That is {many}, {verdict} ({chance_text(chance)}, assuming {supposed})."


def _between(found: Interval) -> str:
    """Return a ratio with its limits."""
    return f"{found.estimate:.2f} {limits('lift', *found)}"


def _sentences(found: Calibration) -> Iterator[str]:
    yield level_sentence(found)
    if found.recalibration is not None:
        slope = found.recalibration.slope
        said = "The spread of the PDs is right, as far as the data show"
        if not slope.low <= 1 <= slope.high:
            said = f"The PDs are {_apart(slope)}"
        yield f"{said} (calibration slope {_between(slope)}, ideal 1)."
    parts = found.decomposition
    if parts is not None and parts.skill is not None:
        least = number(parts.mean_score - parts.miscalibration, 4)
        yield (
            f"The Brier score is {number(parts.mean_score, 4)}. Perfectly recalibrated PDs would "
            f"score {least}, the same PD for every case {number(parts.uncertainty, 4)}."
        )
    if found.net_benefit is not None:
        yield benefit_sentence(found.net_benefit)


def _apart(slope: Interval) -> str:
    if slope.high < 1:
        return "too spread out: high ones too high, low ones too low"
    return "too close together: high ones too low, low ones too high"


def _at_some(table: Table) -> Table:
    """Return a decision curve at few of many thresholds."""
    twentieths = table["threshold"] * 20
    some = np.flatnonzero(np.isclose(twentieths, np.rint(twentieths)))
    if len(table) <= FEW_ROWS_SHOWN or not len(some):
        some = np.unique(np.linspace(0, len(table) - 1, FEW_ROWS_SHOWN).round().astype(int))
    return replace(table, columns={name: column[some] for name, column in table.columns.items()})


def benefit_sentence(table: Table) -> str:
    """Return what using the PDs brings at the cut-off nearest to the share of positives."""
    place = int(np.abs(table["treat_all"]).argmin())  # where acting on everyone brings nothing

    def against(whom: str, unit: str, *names: str) -> str:
        value, low, high = (100 * float(table[name][place]) for name in names)
        limits = f"[{number(low, 1)}, {number(high, 1)}]"
        if low > 0:
            return f"beats acting on {whom} by {number(value, 1)}{unit} {limits}"
        if high < 0:
            limits = f"[{number(-high, 1)}, {number(-low, 1)}]"
            return f"is worse than acting on {whom} by {number(-value, 1)}{unit} {limits}"
        return f"is not shown to beat acting on {whom} ({number(value, 1)}{unit} {limits})"

    per = " net positives per 100 cases"
    everyone = against("everyone", per, "over_all", "over_all_low", "over_all_high")
    nobody = against("no one", "", "net_benefit", "low", "high")
    at = stated_percent(float(table["threshold"][place]))
    return f"At a PD cut-off of {at}, using the PDs {everyone}. It {nobody}."


def _findings(found: Calibration) -> Iterator[Finding]:
    if found.tests:  # of whole cases alone
        n, positives = (int(found.table[name].sum()) for name in ("n", "positives"))
        yield from few_cases("positives", positives)
        yield from few_cases("negatives", n - positives)
    yield from _on_levels(found)
    if found.decomposition is None:
        advice = "for the others choose a horizon by which every row was followed"
        yield Finding("pds_and_censoring", "info", AT_HORIZON, advice)
    slope = None if found.recalibration is None else found.recalibration.slope
    if slope is not None and not slope.low <= 1 <= slope.high:
        steep = slope.high < 1
        yield Finding(
            "pds_too_steep" if steep else "pds_too_flat",
            "warning" if steep else "info",
            f"the PDs are {_apart(slope)} (calibration slope {_between(slope)}, ideal 1)",
            "recalibrate them by the calibration slope and intercept",
        )
    if found.out_of_order:
        where = f"{counted(found.out_of_order, 'pair')} of neighbouring scores"
        advice = "check the PDs of these scores; the accuracy ratio is that of the score"
        yield Finding("pd_order", "warning", f"PDs rise where the score falls, at {where}", advice)
    curve = found.net_benefit
    if curve is not None and (curve["over_all_high"] < 0).any():
        worse = curve["threshold"][curve["over_all_high"] < 0]
        least, most = stated_percent(worse.min()), stated_percent(worse.max())
        where = f"{least} to {most}" if least != most else most
        said = f"with a PD cut-off of {where}, acting on everyone does better than using the PDs"
        advice = "recalibrate the PDs before deciding by them"
        yield Finding("worse_than_treating_all", "warning", said, advice)


def _on_levels(found: Calibration) -> Iterator[Finding]:
    """Yield whether PDs are too low or too high, all together or those of grades."""
    grades, names = found.grades, _low_grades(found)
    ratio = found.observed_to_expected
    said = "" if ratio is None else f" (observed to expected {_between(ratio)})"
    too_low, too_high = _wrong_level(found)
    if names or too_low:
        message = f"PDs are too low{said}" if too_low else "PDs are too low"
        if names:
            several = f"p < {CHANCE} after allowing for {len(grades or ())} grades"
            message += f"{', and' * too_low} in {joined(names[:5])} ({several})"
        todo = "raise the level of the PDs" if too_low else "raise these PDs"
        yield Finding("pds_too_low", "warning", message, todo)
        if "jeffreys" in found.tests:
            told = "these tests assume independent defaults; in a bad year defaults rise together"
            todo = "repeat the tests with an asset correlation (for example 0.05) or over several"
            yield Finding("correlated_defaults", "info", told, f"{todo} years")
    if too_high:
        yield Finding("pds_too_high", "info", f"PDs are too high{said}", "lower the PDs")
    few = 0 if grades is None else int((grades["expected"] < 1).sum())
    if grades is not None and few:
        message = f"the PDs of {few} of {len(grades)} grades predict less than one positive"
        yield Finding("sparse_grades", "info", message, "pool grades or years to test their PDs")


def _low_grades(found: Calibration) -> list[str]:
    """Return the grades whose PDs are too low, by tests that allow for each other."""
    if (grades := found.grades) is None:
        return []
    low = np.flatnonzero(grades["p_adjusted"] < CHANCE).tolist()
    return [cutoff_text(grades["score"][place]) for place in low]


def _wrong_level(found: Calibration) -> tuple[bool, bool]:
    """Return whether PDs are too low, and too high: by their test, at a horizon by the limits."""
    level, ratio = found.of_level, found.observed_to_expected
    if level is not None:
        return level.p_value < CHANCE, level.p_value > 1 - CHANCE
    if ratio is None or found.decomposition is not None:
        return False, False
    return ratio.low > 1, ratio.high < 1


def reliability_chart(table: Table, level: float) -> Chart:
    """Return rates against PDs: bins with limits, recalibrated steps, perfect calibration."""
    x, rate, low, high, even_low, even_high, steps, n = (
        np.asarray(table[name][::-1], dtype=np.float64)
        for name in ("pd", "rate", "rate_low", "rate_high", "consistent_low", "consistent_high",
                     "recalibrated", "n")
    )  # fmt: skip
    right, top = (1.05 * float(each) or 1.0 for each in (x.max(), max(x.max(), high.max())))
    bars, bottom, sure = [], 0.0, stated_percent(level)
    if n.max() > UNEVEN * n.min():  # below the axis, where they hide neither rates nor steps
        heights, bottom = 0.06 * top * n / n.max(), -0.07 * top
        base, width = np.full(len(n), bottom), 0.012 * right
        bars = [Bars(heights, "Cases", Style(GREY), at=x, width=width, base=base)]
    told = (f"PD {percent(at)}: rate {percent(seen)}" for at, seen in zip(x, rate, strict=True))
    return Chart(
        title="Reliability",
        x=Axis("PD", "percent", ends=(0.0, right)),
        y=Axis("Rate of positives", "percent", ends=(bottom, top)),
        lines=[
            *whiskers(x, low, high),
            marks(x, rate, f"Observed rate with {sure} interval", BLUE, Marker("o", 0.8)),
            Line(np.repeat(x, 2)[1:], np.repeat(steps, 2)[:-1], "Recalibrated", Style(COLOURS[1])),
            reference([0.0, right], [0.0, right], "Perfect calibration"),
        ],
        bands=[ChartBand(x, even_low, even_high, f"{sure} range if the PDs are correct", GREY)],
        bars=bars,
        corner="upper left",
        description="; ".join(told),
    )


def decision_chart(curves: Table | Mapping[str, Table], level: float) -> Chart:
    """Return net benefit against the threshold, of one score or several, of all and of none."""
    several = curves if isinstance(curves, Mapping) else {USING: curves}
    first = next(iter(several.values()))
    x = first["threshold"]
    best = max(float(table["net_benefit"].max()) for table in several.values())
    top = max(float(first["high"].max()), best, 1e-9)
    low = -0.3 * top
    lines = [
        Line(table["threshold"], np.maximum(table["net_benefit"], low), name, model_style(place))
        for place, (name, table) in enumerate(several.items())
    ]
    # Acting on all falls out of the picture, where its line ends.
    kept, style = first["treat_all"] >= low, Style(COLOURS[1], DASHES[1])
    if kept.any():
        lines.append(Line(x[kept], first["treat_all"][kept], "Act on everyone", style))
    lines.append(reference([float(x.min()), float(x.max())], [0.0, 0.0], "Act on no one"))
    bands = []
    if len(several) == 1:
        below, above = (np.maximum(first[name], low) for name in ("low", "high"))
        label = f"{stated_percent(level)} interval at each cut-off"
        bands = [ChartBand(x, below, above, label, BLUE)]
    return Chart(
        title="Decision curve",
        x=Axis("PD cut-off", "percent", ends=(0.0, float(x.max()) or 1.0)),
        y=Axis("Net benefit per case", "number", ends=(low, 1.15 * top)),
        lines=lines,
        bands=bands,
        description=benefit_sentence(first),
    )
