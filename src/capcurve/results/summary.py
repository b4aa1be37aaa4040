"""Summary: every number of a report about one score, and how people read one and several."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from capcurve.counts.settings import CLASSES, Words
from capcurve.metrics import KS, METRICS
from capcurve.numbers.plain import plain
from capcurve.numbers.types import Crossing
from capcurve.results.findings import ALWAYS_TOLD, about_score, implied_sentence
from capcurve.results.known import CAPTURED_SHARES, LIFT_FIELD, LIFT_SHARE, MEAN_OF_TOP
from capcurve.show.chart import BLUE, Axis, Chart, Line, Marker, Style, reference
from capcurve.show.columns import USUAL_COLUMNS, ColumnName, known_columns
from capcurve.show.format import (
    MISSING,
    NO_SEGMENT,
    Form,
    capitalised,
    chance_text,
    counted,
    cut_off,
    limits,
    number,
    outward,
    percent,
    plain_names,
    printable,
    stated_percent,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation
from capcurve.show.result import OneRow
from capcurve.show.text import finding_text
from capcurve.show.wording import in_words
from capcurve.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from capcurve.inference import Interval, Test
    from capcurve.results.calibration import Calibration
    from capcurve.results.selective import SelectivePrediction
    from capcurve.results.verdict import Verdict
    from capcurve.show.table import Table

SUMMARY_SCHEMA = 1
# What a table over scores or segments shows of each; an interval follows the accuracy ratio.
# Where KS is reached stands beside it.
TABLED_WITH = {"ks": ("ks", "ks_q")}
# What of a selection by confidence there is room for beside other numbers.
OF_SELECTION = ("risk_80", "certified_coverage")
OF_EACH: dict[str, tuple[str, ...]] = {
    "classes": (
        *("n", "positives", "prevalence"),
        *(name for m in METRICS.headlines() for name in TABLED_WITH.get(m.name, (m.name,))),
        *("captured_10", "lift_10", "implied_accuracy_ratio", "implied_p"),
        *("aurc", *OF_SELECTION),
    ),
    "amounts": (
        *("n", "with_amount", "exposure", "amount", "mean_amount"),
        *(metric.name for metric in METRICS.headlines("amounts")),
        *("captured_10", "lift_10", "mean_of_top_10"),
    ),
}
# The columns of such tables, and of the rows that are written in full.
OF_ROWS = known_columns(
    {
        "n": "cases",
        **{f"captured_{share}": f"captured at {share}%" for share in (10, 20, 50)},
        **{f"risk_{share}": f"errors at {share}% answered" for share in (50, 80, 90)},
        "certified_coverage": "certified",
        "tie_mass": "tied",
        "ks_q": "KS at",
        "concentration_index": "index",
        "implied_accuracy_ratio": "implied AR",
        "lift_10": "lift at 10%",
        "mean_of_top_10": "mean top 10%",
    },
    count="n with_amount",
    share="captured_10 captured_20 captured_50 tie_mass ks_q risk_50 risk_80 risk_90 "
    "certified_coverage",
    ratio="accuracy_ratio_low accuracy_ratio_high accuracy_ratio_tie_low accuracy_ratio_tie_high "
    "concentration_index implied_accuracy_ratio",
    lift="lift_10",
    quantity="mean_of_top_10",
    p="implied_p",
)
# What of the findings on PDs comes before all else.
PDS_WRONG = ("below_implied", "pds_too_low", "pds_too_high", "pds_too_steep")
RATIO_SENTENCE = ". The accuracy ratio"  # where the second sentence of a summary begins
# The numbers that are read first, in this order; the first eight of them are tiles of a page.
FIRST_NUMBERS = (
    *("certified_coverage", "risk_80", "observed_to_expected", "accuracy_ratio", "captured_10"),
    *("implied_accuracy_ratio", "mean_of_top_10", "mean_amount", "n", "m", "exposure", "amount"),
    *("roc_auc", "ks"),
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _SummaryNumbers(OneRow):
    """What summaries of classes and of amounts have in common."""

    name: str
    n: float
    distinct_scores: int
    small_cells: float | None
    higher_is: str
    levels: tuple[object, ...] | None
    resolution: float | None
    dropped: dict[str, object] | None
    digest: str | None
    accuracy_ratio: float | None = None
    captured: Mapping[float, float] = field(default_factory=dict)
    lift: Mapping[float, float] = field(default_factory=dict)
    others: Mapping[str, float | None] = field(default_factory=dict)
    gains: Table | None = None
    level: float = 0.95
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    intervals_undefined: str | None = None
    verdict: Verdict | None = None
    undefined: str | None = None
    sentence: str = ""
    findings: tuple[Finding, ...] = ()
    schema_version: int = SUMMARY_SCHEMA
    version: str = __version__

    _left_out = frozenset({"others"})
    _added: ClassVar[tuple[str, ...]] = ("accuracy_ratio_low", "accuracy_ratio_high")

    def presentation(self) -> Presentation:
        """Return what the summary shows, in the order in which it is read."""
        summary = cast("AnySummary", self)
        parts = [part.presentation() for part in results_of(summary)]
        return Presentation(
            title=self.name,
            sentences=tuple(sentences(summary)),
            figures=tuple(few_figures(summary)),
            level=self.level if self.intervals else None,
            findings=self.findings,
            charts=(*_charts(summary), *(chart for part in parts for chart in part.charts)),
            tables=tuple(table for part in parts for table in part.tables),
            more=() if self.gains is None else (self.gains,),
        )

    def __repr__(self) -> str:
        said = [f"{printable(self.name)}: {self.sentence}", *must_know(self.findings)]
        return "\n".join(in_words(said, self.speaks))

    @abstractmethod
    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""

    def _row(self) -> dict[str, Any]:
        return self.to_row()

    @property
    def accuracy_ratio_low(self) -> float | None:
        """Return the lower limit of the accuracy ratio, at `level`; None without an interval."""
        found = self.intervals.get("accuracy_ratio")
        return None if found is None else found.low

    @property
    def accuracy_ratio_high(self) -> float | None:
        """Return the upper limit of the accuracy ratio, at `level`; None without an interval."""
        found = self.intervals.get("accuracy_ratio")
        return None if found is None else found.high

    def value(self, metric: str) -> float | None:
        """Return a number by the name of its metric; None where there is none."""
        found = self.others[metric] if metric in self.others else getattr(self, metric, None)
        return None if found is None else METRICS[metric].number(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as values that strict JSON can hold: no text stands for a number.

        What is infinite is None, and its name is in the list "infinite".
        """
        found = {**OneRow.to_dict(self), **plain(self.others)}
        if self.gains is not None:
            found["gains"] = plain({"note": self.gains.note, "rows": list(self.gains.rows())})
        infinite = [n for n, value in found.items() if n in METRICS and value == str(math.inf)]
        return {**found, **dict.fromkeys(infinite), "infinite": infinite}

    def _ratio_row(self) -> dict[str, Any]:
        return {
            "accuracy_ratio": self.accuracy_ratio,
            "accuracy_ratio_low": self.accuracy_ratio_low,
            "accuracy_ratio_high": self.accuracy_ratio_high,
        }

    def _top_row(self) -> dict[str, Any]:
        captured = {name: self.captured.get(q) for name, q in CAPTURED_SHARES.items()}
        return {**self.others, **captured, LIFT_FIELD: self.lift.get(LIFT_SHARE)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Summary(_SummaryNumbers):
    """Every number of a report about one score; None where a number is undefined.

    Attributes
    ----------
    name
        The score.
    n, n1, n0
        Cases, positives and negatives, or their weight.
    horizon, competing
        By when outcomes had to come, and what rows with a competing event are; else None.
    prevalence
        Share of positives, as counted or as stated.
    stated_prevalence
        The prevalence that was asked for, or None.
    distinct_scores, small_cells
        Number of distinct scores, and the share of them with fewer than five cases: with a
        continuous score each of these is a person.
    accuracy_ratio
        The accuracy ratio; `accuracy_ratio_low` and `accuracy_ratio_high` are the limits of its
        interval.
    accuracy_ratio_tie_low, accuracy_ratio_tie_high
        The range that tools which break ties by row order could show.
    roc_auc, ks, tie_mass, somers_d, kendall_tau_b, pietra_index, bayesian_error_rate
        The other measures of order and separation; ks is the full record.
    conditional_information_entropy_ratio, information_value
        The measures of information.
    captured
        Share of positives in the top 10%, 20% and 50%, by share.
    lift
        Cumulative lift there.
    gains
        The gains table in ten bins.
    level
        Confidence level of the intervals and of the verdict.
    intervals
        What chance leaves of the headline numbers: "accuracy_ratio", "roc_auc", "ks",
        "captured_10", "captured_20", "captured_50", "lift_10".
    intervals_undefined
        Why there are no intervals, or None when they are there.
    verdict
        Whether the score ranks better than chance; None where that cannot be said.
    implied
        The test of the accuracy ratio against the one that PDs promise, from
        `implied_accuracy_ratio`; None unless `pd` was given.
    calibration
        How right the PDs are, from `assess_calibration`; None unless `pd` was given.
    selective
        How many errors are left where only the surest are answered; None unless asked for.
    undefined
        Why numbers are None, or None when all are there.
    sentence
        The one plain sentence.
    findings
        What there is to know, the gravest first.
    digest
        Fingerprint of the counts.
    kind
        "classes": what is counted are positives and negatives.
    """

    kind: ClassVar[Literal["classes"]] = "classes"

    n1: float
    n0: float
    prevalence: float | None
    stated_prevalence: float | None
    weight_kind: str | None
    weighted: bool
    horizon: float | None = None
    competing: str | None = None
    accuracy_ratio_tie_low: float | None = None
    accuracy_ratio_tie_high: float | None = None
    roc_auc: float | None = None
    ks: KS | None = None
    tie_mass: float | None = None
    somers_d: float | None = None
    kendall_tau_b: float | None = None
    pietra_index: float | None = None
    bayesian_error_rate: float | None = None
    conditional_information_entropy_ratio: float | None = None
    information_value: float | None = None
    implied: Test | None = None
    calibration: Calibration | None = None
    selective: SelectivePrediction | None = None

    @property
    def parts(self) -> tuple[Calibration | SelectivePrediction, ...]:
        """Return the results about more than the order of the cases that were asked for."""
        return tuple(each for each in (self.calibration, self.selective) if each is not None)

    @property
    def words(self) -> Words:
        """Return what is selected and captured: cases and positives."""
        return CLASSES

    @property
    def share_at_ks(self) -> float | None:
        """Return the share of cases selected where KS is reached, at a stated prevalence if any."""
        if self.ks is None or self.stated_prevalence is None:
            return None if self.ks is None else self.ks.q
        # q = π·TPR + (1 - π)·FPR, and the gap between the two rates is the statistic.
        gap = self.ks.statistic if self.ks.side == "+" else -self.ks.statistic
        return self.ks.q + (self.stated_prevalence - self.n1 / self.n) * gap

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        implied = {}
        if self.implied is not None:
            implied = {
                "implied_accuracy_ratio": self.implied.estimates.get("implied"),
                "implied_p": None if self.implied.estimate is None else self.implied.p_value,
            }
        return {
            "score": self.name,
            "n": self.n,
            "positives": self.n1,
            "prevalence": self.prevalence,
            **self._ratio_row(),
            "roc_auc": self.roc_auc,
            "ks": None if self.ks is None else self.ks.statistic,
            "ks_q": self.share_at_ks,
            "ks_threshold": None if self.ks is None else self.ks.threshold,
            **self._top_row(),
            "tie_mass": self.tie_mass,
            **implied,
            **({} if self.selective is None else self.selective.to_row()),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ValueSummary(_SummaryNumbers):
    """Every number of a report about one score of amounts; None where a number is undefined.

    Attributes
    ----------
    n, m
        Cases, and those with an amount.
    exposure
        Total exposure; the number of cases when each counts one.
    has_exposure
        Whether an exposure was given.
    amount, mean_amount
        Total amount, and that per unit of exposure: a loss ratio when exposure is premium.
    largest
        The largest amount of one case, whatever its sign.
    signed
        Whether any amount is below 0.
    words
        What the axes are called: `words.selected` and `words.captured`.
    concentration_index
        Twice the area between the CAP and the diagonal.
    captured
        Share of the amount in the top 10%, 20% and 50% of the exposure, by share.
    lift, mean_of_top
        Cumulative lift, and mean amount per unit of exposure, there.
    intervals
        What chance leaves of the headline numbers: "accuracy_ratio", "concentration_index",
        "captured_10", "captured_20", "captured_50", "lift_10", "mean_of_top_10".
    undefined
        Why the accuracy ratio is None, or None when it is there.
    shares_undefined
        Why shares, lift and the concentration index are missing, or None when they are there.
    name, distinct_scores, small_cells, accuracy_ratio, gains, level, intervals_undefined, verdict
        As in `Summary`, and so are `sentence`, `findings` and `digest`.
    kind
        "amounts": what is captured is an amount.

    Examples
    --------
    Half of the cases, the riskier ones, hold all of the amount of 40:

    >>> from capcurve import count_values, summarize
    >>> found = summarize(count_values([0, 30, 0, 10], [1, 4, 2, 3]))
    >>> found.n, found.m, found.amount
    (4, 2, 40)
    >>> found.captured[0.5]
    1.0
    """

    kind: ClassVar[Literal["amounts"]] = "amounts"
    # The largest amount is that of one case, which may identify a person.
    _left_out = frozenset({"others", "largest"})
    _added = ("accuracy_ratio_low", "accuracy_ratio_high", "kind")

    n: int
    m: int
    exposure: float
    has_exposure: bool
    amount: float
    mean_amount: float | None
    largest: float
    signed: bool
    words: Words
    concentration_index: float | None = None
    mean_of_top: Mapping[float, float] = field(default_factory=dict)
    shares_undefined: str | None = None

    def to_row(self) -> dict[str, Any]:
        """Return the numbers of one line: what a table over scores or months shows."""
        return {
            "score": self.name,
            "n": self.n,
            "with_amount": self.m,
            **({"exposure": self.exposure} if self.has_exposure else {}),
            "amount": self.amount,
            "mean_amount": self.mean_amount,
            **self._ratio_row(),
            "concentration_index": self.concentration_index,
            **self._top_row(),
            MEAN_OF_TOP: self.mean_of_top.get(LIFT_SHARE),
        }


AnySummary: TypeAlias = Summary | ValueSummary


def results_of(summary: AnySummary) -> tuple[Calibration | SelectivePrediction, ...]:
    """Return the results about more than the order of the cases; none of amounts."""
    return summary.parts if summary.kind == "classes" else ()


def _charts(summary: AnySummary) -> tuple[Chart, ...]:
    """Return the CAP at the bins of the gains table; none where no share can be captured."""
    gains = summary.gains
    if gains is None or not np.isfinite(gains["captured"]).all():
        return ()
    if summary.kind == "amounts":
        selected = gains["selected"]
    else:  # q = π·TPR + (1 - π)·FPR, and KS is the first rate less the second
        selected = gains["captured"] - (1 - (summary.prevalence or 0.0)) * gains["ks"]
    words, (name,) = summary.words, plain_names([summary.name])
    points = [0.0, *selected.tolist()], [0.0, *gains["captured"].tolist()]
    cap = Line(*points, name, Style(BLUE), marker=Marker())
    drawn = Chart(
        title=f"CAP of {name} at the bins of the gains table",
        x=Axis(capitalised(words.share_selected), "percent", 1.0),
        y=Axis(capitalised(words.share_captured), "percent", 1.0),
        lines=[cap, reference([0, 1], [0, 1], "Random")],
        corner="lower right",
        description=summary.sentence,
    )
    return (drawn,)


def figures(summary: AnySummary) -> list[Figure]:
    """Return the headline numbers in the order in which they are read.

    >>> from capcurve import count_scores, summarize
    >>> found = figures(summarize(count_scores([1, 0, 1, 1, 0], [0.2, 0.6, 0.8, 0.7, 0.4])))
    >>> [f"{figure.label}: {figure.text}" for figure in found[:4]]
    ['cases: 5', 'positives: 3', 'prevalence: 60.0%', 'accuracy ratio (Gini): 0.333']
    """
    found = [*(_sums(summary) if summary.kind == "amounts" else _cases(summary))]
    for metric in METRICS.headlines(summary.kind):
        value, first = summary.value(metric.name), metric.name == "accuracy_ratio"
        if value is not None:
            note = _note(summary, metric.name) if summary.kind == "classes" else ""
            names = (metric.name, metric.headline, metric.label)
            found.append(_figure(summary, names, value, metric.form, note))
        elif first:
            found.append(Figure(metric.name, metric.label, metric.label, None, metric.form))
        if first and summary.kind == "classes":
            found += _implied(summary)
            if summary.calibration is not None:
                found += summary.calibration.presentation().figures[:3]
    if summary.kind == "classes" and summary.selective is not None:
        found = [*summary.selective.presentation().figures, *found]
        if not summary.selective.tells_captured:
            return found
    found += _at_shares(summary)
    if summary.kind == "amounts" and LIFT_SHARE in summary.mean_of_top:
        top, value = stated_percent(LIFT_SHARE), summary.mean_of_top[LIFT_SHARE]
        names = (MEAN_OF_TOP, f"mean of the top {top}", f"mean of top {top}")
        found.append(_figure(summary, names, value, "quantity"))
    return in_words(found, summary.speaks)


def _figure(
    summary: AnySummary, names: tuple[str, str, str], value: float, form: Form, note: str = ""
) -> Figure:
    """Return a number of a summary with its interval, if it has one."""
    low, high = summary.intervals.get(names[0]) or (None, None)
    return Figure(*names, value, form, low, high, note)


def _implied(summary: Summary) -> list[Figure]:
    """Return the accuracy ratio that PDs promise, if they were given."""
    found = summary.implied
    if found is None or "implied" not in found.estimates:
        return []
    names = ("implied_accuracy_ratio", "implied accuracy ratio", "implied AR")
    value = found.estimates["implied"]
    if found.estimate is None or found.low is None or found.high is None:
        return [Figure(*names, value, "ratio")]
    # The limits of the accuracy ratio if the PDs are right.
    half = (found.high - found.low) / 2
    low, high = max(value - half, -1.0), min(value + half, 1.0)
    note = f"if the PDs are right ({chance_text(found.p_value)})"
    return [Figure(*names, value, "ratio", low, high, note)]


def sentences(summary: AnySummary) -> list[str]:
    """Return what is found of a score in single sentences: what is wrong with PDs first."""
    if summary.kind == "amounts":
        return message(summary)
    codes = {found.code for found in summary.findings}
    # A score that looks reversed ranks neither better nor worse than its PDs imply.
    implied = None if "reversed" in codes else summary.implied
    of_pds = [] if implied is None else [implied_sentence(implied)]
    of_pds[:0] = [] if summary.calibration is None else [_of_level(summary.calibration)]
    wrong = bool(codes & set(PDS_WRONG)) and "reversed" not in codes
    first, others = (of_pds, message(summary)) if wrong else (message(summary), of_pds)
    return [*of_errors(summary), *first, *others]


def _of_level(found: Calibration) -> str:
    """Return by how much PDs are too high or too low, or that they are right."""
    ratio = found.observed_to_expected
    if ratio is None or ratio.low <= 1 <= ratio.high:
        return found.sentence
    times = f"{written('lift', ratio.estimate)} times what the PDs predict"
    return f"Positives are {times} {limits('lift', ratio.low, ratio.high)}."


def of_errors(summary: AnySummary) -> tuple[str, ...]:
    """Return what is said of errors among the surest cases, which comes before all else."""
    if summary.kind == "amounts" or summary.selective is None:
        return ()
    return summary.selective.presentation().sentences


def _sums(summary: ValueSummary) -> list[Figure]:
    """Return how many cases there are, what exposure and amount they add up to, and the mean."""
    words, per = summary.words, "per case"
    distinct = counted(summary.distinct_scores, "distinct score")
    found = [Figure("n", "cases", "cases", summary.n, "count", note=distinct)]
    if summary.m != summary.n:
        label, share = f"with {words.a_captured}", percent(summary.m / max(summary.n, 1))
        found.append(Figure("m", label, label, summary.m, "count", note=f"{share} of cases"))
    exposure, captured = words.selected, words.captured
    if summary.has_exposure:
        per = f"per unit of {exposure}"
        found.append(Figure("exposure", exposure, exposure, summary.exposure, "quantity"))
    found.append(Figure("amount", captured, captured, summary.amount, "quantity"))
    if summary.mean_amount is not None:
        mean, label = summary.mean_amount, f"mean {captured}"
        found.append(Figure("mean_amount", label, label, mean, "quantity", note=per))
    return found


def _cases(summary: Summary) -> list[Figure]:
    weight = " (weight)" if summary.weighted else ""
    distinct = counted(summary.distinct_scores, "distinct score")
    cases, positives, n, n1 = f"cases{weight}", f"positives{weight}", summary.n, summary.n1
    if summary.weighted and summary.horizon is not None:  # the weights stand for censored rows
        cases, positives, n, n1 = "cases", "estimated positives", round(n), round(n1)
    found = [
        Figure("n", cases, cases, n, "count", note=distinct),
        Figure("n1", positives, positives, n1, "count"),
    ]
    if summary.prevalence is not None:
        label = "prevalence" if summary.stated_prevalence is None else "prevalence, as stated"
        found.append(Figure("prevalence", label, label, summary.prevalence, "share"))
    return found


def _at_shares(summary: AnySummary) -> list[Figure]:
    """Return what the top shares capture, and their lift; totals may not tell them all."""
    found, forms = [], dict[str, Form](captured="share", lift="lift")
    for name, form in forms.items():
        for q, value in getattr(summary, name).items():
            top = stated_percent(q)
            names = f"{name}_{round(100 * q)}", f"{name} in the top {top}", f"{name} at {top}"
            found.append(_figure(summary, names, value, form))
    return found


def headlines(summary: AnySummary) -> list[Figure]:
    """Return the headline numbers with the lift, and the risk, of one share alone."""
    kept = {f"lift_{round(100 * LIFT_SHARE)}", *OF_SELECTION}
    left_out = ("lift_", "risk_", "excess_aurc", "auarc", "augrc")
    return [f for f in figures(summary) if f.metric in kept or not f.metric.startswith(left_out)]


def few_figures(summary: AnySummary) -> list[Figure]:
    """Return the figures of one score; some that say the same in other words are notes."""
    found = {each.metric: each for each in figures(summary)}
    for metric in [each for each in found if each.startswith("lift_")]:
        lift, captured = found.pop(metric), metric.replace("lift", "captured")
        if captured in found:
            found[captured] = replace(found[captured], note=f"lift {lift.text}")
    if "prevalence" in found:
        positives, rate = found.pop("n1"), found.pop("prevalence")
        stated = rate.label.removeprefix("prevalence, ")
        share = rate.text if stated == rate.label else f"prevalence {rate.text} {stated}"
        note = f"{positives.text} {positives.short} ({share}), {found['n'].note}"
        found["n"] = replace(found["n"], note=note)
    return first_numbers(found.values())


def first_numbers(shown: Iterable[Figure]) -> list[Figure]:
    """Return figures in the order in which they are read."""
    first = {metric: place for place, metric in enumerate(FIRST_NUMBERS)}
    return sorted(shown, key=lambda figure: first.get(figure.metric, len(first)))


def place_of_ks(summary: Summary, found: KS) -> str:
    """Return the cut-off at which KS is reached, and the share that it selects."""
    share = summary.share_at_ks
    if found.threshold is None or share is None:
        return "no cut-off separates the classes"
    graded = summary.levels is not None
    cut = cut_off(found.threshold, summary.higher_is, graded=graded)
    return f"{cut if graded else f'at {cut}'}, top {percent(share)}"


def _note(summary: Summary, metric: str) -> str:
    """Return what else there is to know of a headline number: its place, or its ties."""
    if metric == "ks" and summary.ks is not None:
        return place_of_ks(summary, summary.ks)
    if metric != "accuracy_ratio":
        return ""
    low, high = summary.accuracy_ratio_tie_low, summary.accuracy_ratio_tie_high
    if not summary.tie_mass or low is None or high is None or number(low) == number(high):
        return ""
    return f"{' to '.join(outward(low, high))} by row order"


def must_know(findings: Iterable[Finding], name: str = "") -> list[str]:
    """Return in words those findings that are said wherever there is a number."""
    told = (each for each in findings if each.code in ALWAYS_TOLD)
    return [finding_text(about_score(each, name) if name else each, name) for each in told]


def message(summary: AnySummary) -> list[str]:
    """Return what the top contains, and what the accuracy ratio is: whether by chance."""
    first, _, found = summary.sentence.partition(RATIO_SENTENCE)
    verdict = "" if summary.verdict is None else f", {summary.verdict.sentence}"
    second = f"{RATIO_SENTENCE.lstrip('. ')}{found.removesuffix('.')}{verdict}."
    return [f"{first}.", second] if found else [summary.sentence]


def comparison(
    summaries: Mapping[str, AnySummary], segments: Mapping[str, Mapping[object, AnySummary]]
) -> dict[str, list[object]]:
    """Return a row for each score, and for each of its segments before it."""
    # The segments perhaps only at a glance: their rows, without other intervals.
    lines: list[tuple[str, object, AnySummary]] = []
    for name, whole in summaries.items():
        lines += [(name, segment_name(key), s) for key, s in segments.get(name, {}).items()]
        lines.append((name, "all", whole))
    columns: dict[str, list[object]] = {}
    if len(summaries) > 1:
        columns["score"] = [name for name, _, _ in lines]
    if segments:
        columns["segment"] = [key for _, key, _ in lines]
    return columns | of_each([summary for _, _, summary in lines])


def rows_by_segment(segments: Mapping[object, AnySummary]) -> dict[str, list[object]]:
    """Return a row for each segment, with all that is known of it."""
    first = next(iter(segments.values()))
    told = {"score", "accuracy_ratio_low", "accuracy_ratio_high"}  # above, and as the interval
    names = [name for name in first.to_row() if name not in told]
    columns: dict[str, list[object]] = {"segment": [segment_name(key) for key in segments]}
    return columns | of_each(list(segments.values()), names)


def segment_name(key: object) -> object:
    """Return what a segment is called."""
    return NO_SEGMENT if key is None else str(key) if isinstance(key, Crossing) else key


def of_each(
    summaries: Sequence[AnySummary], names: Iterable[str] | None = None
) -> dict[str, list[object]]:
    """Return some numbers of each summary by column, the accuracy ratio with its interval."""
    rows = [_row(summary) for summary in summaries]
    if names is None:
        names = [name for name in OF_EACH[summaries[0].kind] if any(name in row for row in rows)]
    columns: dict[str, list[object]] = {}
    for name in names:
        head = OF_ROWS.get(name, name)
        if name not in OF_ROWS and name not in USUAL_COLUMNS and name in METRICS:
            head = ColumnName(METRICS[name].short, METRICS[name].form)
        # What PDs promise is there for scores that are said to be PDs.
        columns[head] = [row.get(name) for row in rows]
        if name == "accuracy_ratio" and any(summary.intervals for summary in summaries):
            form, found = METRICS[name].form, [each.intervals.get(name) for each in summaries]
            shown: list[object] = [limits(form, *each) if each else MISSING for each in found]
            columns[f"{stated_percent(summaries[0].level)} interval"] = shown
    return columns


def row_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows of summaries by column, in the forms that these have in every table of them."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {OF_ROWS.get(name, name): [row.get(name) for row in rows] for name in names}


def _row(summary: AnySummary) -> dict[str, object]:
    """Return a summary's row for people: a KS of 0 is reached at no cut-off."""
    row = summary.to_row()
    if summary.kind == "amounts":
        return row
    if summary.weighted and summary.horizon is not None:  # estimated, not counted
        row |= {name: round(row[name]) for name in ("n", "positives")}
    return row if row["ks_threshold"] is not None else {**row, "ks_q": None}
