"""Bounds and tipping points as records, and what they show: sentences, findings, curves, tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from capcurve.counts import JointCounts, PartialCounts, ScoreCounts, table
from capcurve.counts.completing import OutcomeCells, at_odds, known_rates
from capcurve.curves import cap_curve
from capcurve.inference import discrimination_test
from capcurve.metrics import METRICS, roc_auc
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    DASHES,
    Axis,
    Chart,
    ChartBand,
    Line,
    Style,
    reference,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    Form,
    amount,
    certain,
    chance_text,
    counted,
    number,
    percent,
    plain_names,
    shortened,
    stated_percent,
    true_minus,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences, gravest_first
from capcurve.show.result import OneRow, Record, Result
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capcurve.numbers.types import Array, Floats

BoundedMetric = Literal["accuracy_ratio", "roc_auc", "captured_response"]
# The unknown matter by their number beside that of the rarer class.
MANY_UNKNOWN = 0.1
# An AUC of unknown against known beyond this far from 1/2, and more than chance, is no accident.
ELSEWHERE, MOST_P = 0.05, 0.05
# How much further from 1/2 it must be along one of two scores.
MORE_SELECTED = 0.05
NARROWER_BOUNDS = "narrow the bounds by assuming how many are positives{}, or wait for outcomes"
# How many points a curve needs to the eye, and how far one may lie from the line between others.
MOST_BOUND_POINTS, BOUND_TOLERANCE = 400, 5e-4
MOST_SCORES_LISTED = 60
BOUNDS_MEANING = (
    "The bounds are exact: some outcomes of the unknown cases{fit} reach either end, and none go "
    "beyond."
)
WITH_CHANCE = (
    "Brackets also allow for chance, from the lower limit of the low end to the upper limit of the "
    "high end, each one-sided at {level}."
)
SAME_ODDS = (
    "At the same odds, unknown cases have the odds of known ones with the same score{which}."
)
POOLED = ", whose rates are pooled until they fall with the score (PAV)"
CHANCE_COLUMNS = {"captured_response": ("captured", "captured_with_chance")}
OUTCOME_LABELS = ("lowest", "known only", "same odds", "highest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions(Record):
    """What the bounds take for granted of the cases without outcome.

    Attributes
    ----------
    positives
        The fewest and the most positives among them, as numbers of cases; None if that is open.
    odds
        The least and the greatest odds of being positive at each score, as multiples of the odds
        of the known there; None if that is open.
    ordered
        Whether their rate of positives does not rise from better to worse ranks.
    pooled
        Whether odds of the known are those of rates pooled until they fall with the score (PAV);
        else those of each score as they stand.

    Examples
    --------
    Whatever the unknown cases are, between none and all of them:

    >>> from capcurve import count_partial, unknown_bounds
    >>> bounds = unknown_bounds(count_partial([1, 0, None, 0], [4, 3, 2, 1]), positives=(0, 1))
    >>> bounds.assumptions.positives
    (0, 1)
    """

    positives: tuple[Any, Any] | None = None
    odds: tuple[float, float] | None = None
    ordered: bool = False
    pooled: bool = True


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Bounds(Result):
    """The bounds of a number that unknown outcomes leave: lowest and highest, both reached.

    Attributes
    ----------
    metric, q
        What is bounded: "accuracy_ratio", "roc_auc" or "captured_response", and its depth.
    names
        With two scores, whose difference is bounded, first less second; else none.
    low, high
        The lowest and highest value. No outcomes of the unknown that fit the assumptions give a
        number beyond them.
    positives_at_low, positives_at_high
        How many of the unknown are positive there: whole numbers, except with odds or weights.
    low_counts, high_counts
        All cases with the outcomes of either end: `ScoreCounts`, or `JointCounts` of two scores.
    known_only
        The number of the known cases alone; None where it is undefined.
    same_odds
        The number if the unknown have the odds of the known at each score; None where that is
        undefined, and for two scores.
    low_limit, high_limit
        One-sided confidence limits of the number at the low and at the high end (DeLong): the
        bounds with chance; None where there are none.
    level
        Confidence level of either limit.
    n_known, n_unknown, known_positives
        Cases with and without outcome, and the positives among the former.
    assumptions
        What was taken for granted: `positives`, `odds`, `ordered` and `pooled`.
    findings
        What a careful reader would notice.
    notes
        What a reader must know: definitions and methods.
    partial
        The counts that the bounds are of.
    """

    _left_out = frozenset({"low_counts", "high_counts", "partial"})

    metric: BoundedMetric
    low: float
    high: float
    positives_at_low: Any
    positives_at_high: Any
    low_counts: ScoreCounts | JointCounts
    high_counts: ScoreCounts | JointCounts
    known_only: float | None
    same_odds: float | None
    low_limit: float | None
    high_limit: float | None
    level: float
    n_known: Any
    n_unknown: Any
    known_positives: Any
    partial: PartialCounts
    q: float | None = None
    names: tuple[str, ...] = ()
    assumptions: Assumptions = Assumptions()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """How much the unknown leave open."""
        return self.high - self.low

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        chance = self.low_limit is not None and self.high_limit is not None
        assumed = self.assumptions
        free = assumed.positives is None and assumed.odds is None and not assumed.ordered
        notes = [BOUNDS_MEANING.format(fit="" if free else " that fit what is assumed")]
        if chance:
            notes.append(WITH_CHANCE.format(level=stated_percent(self.level)))
        if self.same_odds is not None:
            notes.append(SAME_ODDS.format(which=POOLED if assumed.pooled else ""))
        return Presentation(
            title=f"Bounds of {_called(self)} with unknown outcomes",
            sentences=tuple(bounds_sentences(self)),
            figures=tuple(_figures(self, chance=chance)),
            level=self.level if chance else None,
            findings=self.findings,
            charts=(_chart(self),),
            tables=tuple(_tables(self)),
            notes=(*notes, *as_sentences(self.notes)),
        )


def metric_called(metric: str, q: float | None, names: tuple[str, ...] = ()) -> str:
    """Return what is bounded, as it stands in a sentence.

    >>> metric_called("captured_response", 0.1), metric_called("roc_auc", None, ("new", "old"))
    ('the share captured in the top 10%', 'the AUC of new minus that of old')
    """
    name = "share captured" if metric == "captured_response" else METRICS[metric].label
    name = f"the {name}" + ("" if q is None else f" in the top {stated_percent(q)}")
    return f"{name} of {names[0]} minus that of {names[1]}" if names else name


@dataclass(frozen=True, slots=True, kw_only=True)
class TippingPoint(OneRow):
    """The tipping point: how many of the unknown outcomes, placed worst, break a minimum.

    Attributes
    ----------
    positives
        The fewest positives among the unknown that bring the number below the minimum where they
        stand at the worst places and the other unknown are negatives; None if no number does.
    share
        The same as a share of the unknown; None likewise.
    minimum
        What the number should reach.
    metric, q
        Which number it is, and the depth of a captured response.
    known_only
        The number of the known cases alone; None where it is undefined.
    n_unknown
        The cases without outcome.
    names
        The two scores whose difference it is, first less second; none for the number of one.
    notes
        What a reader must know.
    """

    _added = ("sentence",)

    positives: Any
    share: float | None
    minimum: float
    metric: BoundedMetric
    known_only: float | None
    n_unknown: Any
    q: float | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in words."""
        name = metric_called(self.metric, self.q, self.names)
        known = ""
        if self.known_only is not None:
            known = f" It is {number(self.known_only)} on known outcomes only."
        of = f"the {counted(self.n_unknown, 'unknown outcome')}"
        if not self.n_unknown > 0:
            way = "at" if self.positives is None else "below"
            said = f"No outcome is unknown: {name} is {way} {self._least}"
            said += " or more." if self.positives is None else "."
        elif self.n_unknown == 1 and self.positives in (None, 0, 1):
            said = self._of_one(name)
        elif self.positives is None:
            said = f"Whatever {of} are, {name} stays at {self._least} or more."
        elif not self.positives:
            said = f"Even if none of {of} is a positive, {name} is below {self._least}."
        else:
            said = (
                f"In the worst case, {amount(self.positives)} of {of} "
                f"({percent(self.share or 0.0)}) turning out to be positives would push "
                f"{name} below {self._least}."
            )
        return said + known

    @property
    def _least(self) -> str:
        return true_minus(f"{self.minimum:g}")

    def _of_one(self, name: str) -> str:
        """Return the answer where one outcome is unknown."""
        if self.positives is None:
            return f"Whatever the 1 unknown outcome is, {name} stays at {self._least} or more."
        which = "a positive" if self.positives else "a negative"
        return f"If the 1 unknown outcome is {which}, {name} is below {self._least}."

    def presentation(self) -> Presentation:
        """Return what the tipping point shows: the answer, and the numbers in it."""
        name = _called(self)
        known = ("known_only", f"{name.removeprefix('the ')} on known outcomes only", "known only")
        unknown = ("n_unknown", "unknown outcomes", "unknown")
        placed = ("positives", "positives that break it", "positives")
        broken = "none" if self.positives is None else self.positives
        share = "" if self.share is None else f"{percent(self.share)} of the unknown"
        return Presentation(
            title=f"Tipping point of {name}",
            sentences=(self.sentence,),
            figures=(
                Figure("minimum", "minimum", "minimum", self.minimum, "plain"),
                Figure(*unknown, self.n_unknown, "count"),
                Figure(*placed, broken, "count", note=share),
                Figure(*known, self.known_only, _form(self)),
            ),
            notes=as_sentences(self.notes),
        )

    def __str__(self) -> str:
        return self.sentence


def findings_of_bounds(found: Bounds, cells: OutcomeCells) -> tuple[Finding, ...]:
    """Return what there is to know about bounds, the gravest first."""
    if not found.n_unknown > 0:
        return ()
    all_found = [*_of_size(found), *_of_use(found), *_of_odds(found, cells)]
    all_found += _of_one_outcome(found, cells)
    all_found += _of_selection(found) if found.names else _of_place(cells)
    return gravest_first(all_found)


def _of_size(found: Bounds) -> Iterator[Finding]:
    """Yield that the unknown weigh against the positives, or negatives where these are rarer."""
    positives, negatives = found.known_positives, found.n_known - found.known_positives
    rarer, name = min((positives, "positives"), (negatives, "negatives"), key=lambda each: each[0])
    if found.n_unknown < MANY_UNKNOWN * rarer:
        return
    share = percent(found.n_unknown / (found.n_known + found.n_unknown))
    yield Finding(
        "many_unknown",
        "info",
        f"the bounds depend on {counted(found.n_unknown, 'unknown outcome')} against "
        f"{amount(rarer)} known {name}, not on the {share} of cases that are unknown",
        "judge completeness by the bounds, not by that share",
    )


def _of_use(found: Bounds) -> Iterator[Finding]:
    """Yield that the bounds hold what a score without any information, or no difference, shows."""
    worthless = 0.0 if found.names else METRICS[found.metric].worthless
    nothing = found.q or 0.0 if worthless is None else worthless
    if not found.low < nothing < found.high:
        return
    more = "" if found.names else " or their odds"
    message = (
        "the missing outcomes decide which score is better: the difference could go either way"
    )
    if not found.names:
        if found.known_only is not None and found.known_only <= nothing:
            return
        name = metric_called(found.metric, found.q)
        message = f"the bounds are too wide to use, since {name} may be that of a random score"
    yield Finding("bounds_too_wide", "warning", message, NARROWER_BOUNDS.format(more))


def _of_odds(found: Bounds, cells: OutcomeCells) -> Iterator[Finding]:
    """Yield that odds of the known are carried beyond the scores that the known have."""
    beyond = 0 if found.names or not len(cells.known) else cells.beyond_known()
    if not beyond or (found.same_odds is None and found.assumptions.odds is None):
        return
    verb = "scores" if beyond == 1 else "score"
    yield Finding(
        "beyond_known_scores",
        "warning" if found.assumptions.odds is not None else "info",
        f"{amount(beyond)} of {counted(found.n_unknown, 'unknown case')} {verb} beyond all known "
        "cases, where the odds are taken from the nearest known scores",
        "no known case shows what such cases do; rely on bounds without assumed odds there",
    )


def _of_one_outcome(found: Bounds, cells: OutcomeCells) -> Iterator[Finding]:
    """Yield that no odds ratio moves the unknown where all known cases have one outcome."""
    odds, pooled = found.assumptions.odds, found.assumptions.pooled
    if odds is None or odds == (1, 1):
        return
    fixed = _fixed(cells, odds, pooled=pooled)
    if not fixed > 0:
        return
    helps = not pooled and _fixed(cells, odds, pooled=True) < fixed
    which, have = "pooled rate" if pooled else "rate", "has" if fixed == 1 else "have"
    yield Finding(
        "known_of_one_outcome",
        "warning",
        f"{amount(fixed)} of {counted(found.n_unknown, 'unknown case')} {have} scores at which the "
        f"{which} of positives among the known is 0 or 1, which no odds ratio changes",
        "pool rates with those of neighbouring scores"
        if helps
        else "a rate of 0 or 1 among few known cases is no certainty; rely on bounds without "
        "assumed odds",
    )


def _fixed(cells: OutcomeCells, odds: tuple[float, float], *, pooled: bool) -> Any:
    """Return how many unknown have a rate of 0 or 1 at all of these odds."""
    rates = known_rates(cells, pooled=pooled)
    still = np.full(len(cells), True)
    for each in odds:
        still &= at_odds(cells.unknown, rates, each) == cells.unknown * rates
    found = table.total(cells.unknown[still & ((rates == 0) | (rates == 1))])
    return found if cells.unit == 1 else found * cells.unit


def _of_place(cells: OutcomeCells) -> Iterator[Finding]:
    """Yield that the unknown stand at other scores than the known."""
    auc, chance = _placed(cells)
    if auc is None:
        return
    side = "worse" if auc > 1 / 2 else "better"
    yield Finding(
        "unknown_elsewhere",
        "warning",
        f"unknown cases score {side} than known ones (AUC {number(max(auc, 1 - auc), 2)}{chance}), "
        "so the known cases are not representative",
        "report the bounds",
    )


def _placed(cells: OutcomeCells) -> tuple[float | None, str]:
    """Return how often the unknown outrank the known, None if by chance, and the p-value."""
    if not (len(cells.known) and len(cells.held)):
        return None, ""
    apart = cells.told_apart()
    auc = roc_auc(apart)
    if abs(auc - 1 / 2) < ELSEWHERE:
        return None, ""
    if not apart.is_whole or cells.known.groups is not None:
        return auc, ""
    p_value = discrimination_test(apart, method="normal").p_value
    return (auc, f", {chance_text(p_value)}") if p_value <= MOST_P else (None, "")


def _of_selection(found: Bounds) -> Iterator[Finding]:
    """Yield that one of two scores decided more than the other whose outcomes are known."""
    margins = [found.partial.margin(name) for name in found.names]
    placed = [
        _placed(OutcomeCells.of(each.known, each.unknown.held))[0] or 1 / 2 for each in margins
    ]
    far = [abs(auc - 1 / 2) for auc in placed]
    if abs(far[0] - far[1]) < MORE_SELECTED:
        return
    selecting = 0 if far[0] > far[1] else 1
    by, favoured = (shortened(found.names[place]) for place in (selecting, 1 - selecting))
    aucs = (placed[place] for place in (selecting, 1 - selecting))
    rates = [number(max(auc, 1 - auc), 2) for auc in aucs]
    known = "" if found.known_only is None else f", {number(found.known_only)},"
    yield Finding(
        "selected_by_one",
        "warning",
        f"whether an outcome is known depends more on {by} (AUC {rates[0]}) than on {favoured} "
        f"(AUC {rates[1]}), so the difference on known outcomes only{known} favours {favoured}",
        "compare the scores on cases that neither selected, or report the bounds",
    )


def _called(found: Bounds | TippingPoint) -> str:
    return metric_called(found.metric, found.q, tuple(plain_names(found.names)))


def bounds_sentences(found: Bounds) -> Iterator[str]:
    """Yield the answer in words, and what the known outcomes give."""
    name, n = _called(found), found.n_unknown
    if not n > 0:
        yield f"No outcome is unknown: {name} is {_value(found, found.low)}."
        return
    low, high = _ends(found)
    between = f"between {low} and {high}" if found.low < found.high else low
    unknown = f"With {amount(n)} of {amount(found.n_known + n)} outcomes unknown"
    yield f"{unknown}, {name} is {between} {_assumed(found)}."
    if found.known_only is not None:
        yield f"It is {_value(found, found.known_only)} on known outcomes only."


def _assumed(found: Bounds) -> str:
    """Return under which assumptions the bounds hold."""
    assumed, one = found.assumptions, found.n_unknown == 1 and found.partial.is_whole
    its = "its" if one else "their"
    said = []
    if assumed.positives is not None:
        said.append(_positive(*assumed.positives, one=one))
    if assumed.odds is not None:
        least, most = ("infinitely many" if each == inf else f"{each:g}" for each in assumed.odds)
        times = least if least == most else f"{least} to {most}"
        multiple = "" if times == "1" else f"{times} times "
        said.append(f"{its} odds are {multiple}those of the known at each score")
    if assumed.ordered:
        said.append(f"{its} rate of positives does not rise with better scores")
    return f"if {' and '.join(said)}" if said else f"whatever {'it is' if one else 'they are'}"


def _positive(least: float, most: float, *, one: bool) -> str:
    """Return how many of the unknown, or of one, are positive.

    >>> _positive(1, 1, one=True), _positive(0, 0, one=False), _positive(2, 7, one=False)
    ('it is a positive', 'none of them is a positive', '2 to 7 of them are positives')
    """
    if one:
        if least < most:
            return "it is a positive or a negative"
        return "it is a positive" if least else "it is a negative"
    if most == 0:
        return "none of them is a positive"
    many = amount(least) if least == most else f"{amount(least)} to {amount(most)}"
    return f"{many} of them {'is a positive' if least == most == 1 else 'are positives'}"


def _form(found: Bounds | TippingPoint) -> Form:
    return "ratio" if found.names else METRICS[found.metric].form


def _value(found: Bounds, value: float) -> str:
    return written(_form(found), value)


def _ends(found: Bounds) -> list[str]:
    """Return the bounds as they are written everywhere."""
    return [_value(found, end) for end in certain(found.low, found.high)]


def _figures(found: Bounds, *, chance: bool) -> Iterator[Figure]:
    """Return the headline numbers."""
    n, form = found.n_known + found.n_unknown, _form(found)
    low, high = (found.low_limit, found.high_limit) if chance else (None, None)
    metric = METRICS[found.metric]
    name = metric.short if metric.needs else metric.label
    name = "difference" if found.names else name
    yield Figure(found.metric, name, name, (found.low, found.high), form, low, high)
    share = f"{percent(found.n_unknown / n)} of {amount(n)}"
    label = "unknown outcomes"
    yield Figure("n_unknown", label, label, found.n_unknown, "count", note=share)
    label = "known positives"
    yield Figure("known_positives", label, label, found.known_positives, "count")
    if not found.n_unknown > 0:
        return
    for key, label, value in (
        ("known_only", "on known outcomes only", found.known_only),
        ("same_odds", "if unknown have the same odds", found.same_odds),
    ):
        if value is not None:
            yield Figure(key, label, label, value, form)


def _tables(found: Bounds) -> Iterator[Table]:
    """Return the ends and what lies between them, and of few scores where the positives stand."""
    low, high = certain(found.low, found.high)
    values = (low, found.known_only, found.same_odds, high)
    like_known = None
    if found.same_odds is not None:
        like_known = _like_the_known(found).n1 - found.known_positives
    positives = (found.positives_at_low, None, like_known, found.positives_at_high)
    limits = (found.low_limit, None, None, found.high_limit)
    value, limit = CHANCE_COLUMNS.get(found.metric, (found.metric, "with_chance"))
    value = "difference" if found.names else value
    every = zip(OUTCOME_LABELS, values, positives, limits, strict=True)
    rows = [row for row in every if row[1] is not None]
    columns = {
        "case": np.array([row[0] for row in rows]),
        value: np.array([row[1] for row in rows], dtype=object),
        "positives_among_unknown": _column(row[2] for row in rows),
        limit: _column(row[3] for row in rows),
    }
    heads = {limit: f"one-sided {stated_percent(found.level)} limit"}
    forms = {"signed": "difference", "quantity": "positives_among_unknown"}
    forms |= {"ratio": "with_chance", "share": "captured_with_chance"}
    yield Table(f"Bounds of {_called(found)}", formed(columns, heads, **forms))
    if not found.names and 0 < len(found.partial.unknown) <= MOST_SCORES_LISTED:
        yield _by_score(found)


def _column(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values])


def _like_the_known(found: Bounds) -> ScoreCounts:
    """Return counts in which the unknown have the odds of the known."""
    return found.partial.completed(1.0, pooled=found.assumptions.pooled)


def _by_score(found: Bounds) -> Table:
    """Return where the positives stand at either end, of the scores with unknown outcomes."""
    partial = found.partial
    all_counts: tuple[Any, ...] = (partial.unknown.held, partial.known)
    held, known, low, high = map(_by_code, (*all_counts, found.low_counts, found.high_counts))
    codes = list(held)
    p, n = np.array([known.get(code, (0, 0)) for code in codes]).T
    columns = {
        "score": all_counts[0].thresholds,
        "known_positives": p,
        "known_negatives": n,
        "unknown": np.array([held[code][1] for code in codes]),
        "at_low": np.array([low[code][0] for code in codes]) - p,
        "at_high": np.array([high[code][0] for code in codes]) - p,
    }
    shown = formed(columns, count="known_positives known_negatives", quantity="at_low at_high")
    return Table("Scores with unknown outcomes, and the positives among these", shown)


def _by_code(counts: Any) -> dict[object, tuple[float, float]]:
    """Return the positives and negatives of each score."""
    cells = zip(counts.positives.tolist(), counts.negatives.tolist(), strict=True)
    return dict(zip(counts.score.tolist(), cells, strict=True))


def _chart(found: Bounds) -> Chart:
    """Return the CAPs of both ends, or of two scores how much more the first captures."""
    ends = [_curve(found, each) for each in (found.low_counts, found.high_counts)]
    short = f"{METRICS[found.metric].short}{' difference' if found.names else ''}"
    lowest, highest = _ends(found)
    lines = [
        Line(*ends[0], f"Lowest  {short} {lowest}", Style(COLOURS[1], DASHES[1])),
        Line(*ends[1], f"Highest  {short} {highest}", Style(COLOURS[2], DASHES[3])),
    ]
    if found.same_odds is not None and found.n_unknown > 0:
        label = f"Unknown at the same odds  {short} {_value(found, found.same_odds)}"
        like_known = _curve(found, _like_the_known(found))
        lines.append(Line(*like_known, label, Style(COLOURS[3], DASHES[2])))
    if found.known_only is not None:
        label = f"Known outcomes only  {short} {_value(found, found.known_only)}"
        lines.append(Line(*_curve(found, found.partial.known), label, Style(BLUE)))
    x, heights = _at_all_points(ends)
    low, high = np.minimum(*heights), np.maximum(*heights)
    chart = Chart(
        title="CAP with unknown outcomes",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        bands=[ChartBand(x, low, high, "Between both ends", BLUE)],
        head=f"{amount(found.n_unknown)} of {amount(found.n_known + found.n_unknown)} unknown",
        description=" ".join(bounds_sentences(found)),
    )
    if not found.names:
        usual = found.low + found.high >= (1 if found.metric == "roc_auc" else 0)
        return replace(chart, corner="lower right" if usual else "upper left")
    first, second = plain_names(found.names)
    return replace(
        chart,
        title=f"How much more {first} captures than {second}",
        y=Axis("Difference in positives captured", "points"),
        lines=[*lines, reference([0, 1], [0, 0], "No difference")],
        rising=True,
    )


def _cap(counts: Any) -> tuple[Floats, Floats]:
    """Return as many points of a CAP as the eye can use."""
    curve = cap_curve(counts)
    drawn = curve if len(curve) <= MOST_BOUND_POINTS else curve.simplify(BOUND_TOLERANCE)
    return drawn.x, drawn.y


def _at_all_points(curves: list[tuple[Floats, Floats]]) -> tuple[Array, list[Floats]]:
    x: Array = np.unique(np.concatenate([curve[0] for curve in curves]))
    return x, [np.interp(x, *curve) for curve in curves]


def _curve(found: Bounds, counts: Any) -> tuple[Floats, Floats]:
    """Return the CAP, or of two scores that of the first less that of the second."""
    if not found.names:
        return _cap(counts)
    x, heights = _at_all_points([_cap(counts.margin(name)) for name in found.names])
    return x, heights[0] - heights[1]
