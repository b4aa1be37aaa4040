"""Attribution: a change and its parts, in sentences, findings, numbers, a table and a picture."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from capcurve.metrics import METRICS
from capcurve.numbers.arguments import arg, as_typed
from capcurve.results.findings import MOST_PARTS_NAMED
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    GUIDES,
    HAIRLINE,
    TEXT_INK,
    Axis,
    AxisKind,
    Bars,
    Chart,
    Line,
    ScoreTicks,
    Style,
    interval_chart,
)
from capcurve.show.columns import formed
from capcurve.show.format import (
    POINTS,
    Form,
    capitalised,
    chance_text,
    joined,
    limits,
    listed,
    percent,
    plain_names,
    shortened,
    stated_percent,
    written,
)
from capcurve.show.presentation import Figure, Finding, Presentation, as_sentences, gravest_first
from capcurve.show.result import Result
from capcurve.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from capcurve.inference.records import Interval, Test
    from capcurve.numbers.types import Array

ChangeMetric = Literal["accuracy_ratio", "roc_auc", "captured_response", "lift", "precision"]
# With fewer of a class in a segment, limits were seen to hold in as few as 84% of samples at 95%.
FEW_OF_A_CLASS_SHOWN = 10
# Why there is no test, with what to do about it.
TOO_FEW = "a class has fewer than two cases in a sample, or the rows behind weights are not known"
ENDS_LIKE_BOX = ("s", "x", "z", "ch", "sh")
# Parts that do not speak against a model: what to do if one is most of a change.
ADVICE_IF_MOST = {
    "mix": "the model may rank as well as before: compare the numbers inside segments before it is "
    "rebuilt",
    "prevalence": "compare the accuracy ratio, on which the prevalence has no effect",
    "portfolio": "PDs that are closer together, or further apart, imply another number; the model "
    "may rank as well as before",
}
NOTE_ON_MIX = (
    "Mix is the change of the segments' shares of positives and of negatives, at the mean of "
    "their rankings before and after; ranking within and between segments is its change, at the "
    "mean of the shares. The parts add up to the change, swap their signs with the samples, and "
    "do not depend on the prevalence (Kitagawa 1955, on pairs of a positive and a negative). Each "
    "number is rounded by itself."
)
NOTE_ON_DEPTH = (
    "Ranking is the change of the ROC at the mean of both prevalences, prevalence the change of "
    "the share of positives at the mean of both ROCs; they add up to the change."
)
NOTE_ON_PDS = (
    "Portfolio is the change of the {name} that the PDs imply, model the change of what is "
    "realised minus what is implied; they add up to the change."
)
NOTE_ON_SEGMENTS = (
    "own is the {name} of the segment alone, undefined without both classes; mix, within and "
    "between are what the segment contributes to each part"
)
# The width of a bar, where the next bar is 1 away.
PART_BAR_WIDTH = 0.64
HALF_BAR = PART_BAR_WIDTH / 2
# What y has beyond what is drawn, as shares of its length: above there are numbers too.
ROOM_BELOW, ROOM_ABOVE = 0.06, 0.12
LEAST_CHANGE_LENGTH = 1e-3
LONGEST_PART_NAME = 12
LOSSES = COLOURS[1]


class PartWords(NamedTuple):
    """How a part of a change is called; {of} are the segments, {mix} is their mix."""

    label: str  # beside its number
    bar: str = ""  # below its bar; nothing where it is half of another part


PARTS_IN_WORDS = {
    "mix": PartWords("{mix}", "{mix}"),
    "mix_positives": PartWords("mix of positives"),
    "mix_negatives": PartWords("mix of negatives"),
    "within": PartWords("ranking within {of}", "Within\n{of}"),
    "between": PartWords("ranking between {of}", "Between\n{of}"),
    "ranking": PartWords("ranking", "Ranking"),
    "prevalence": PartWords("prevalence", "Prevalence"),
    "portfolio": PartWords("portfolio", "Portfolio"),
    "model": PartWords("model against its PDs", "Model against\nits PDs"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Attribution(Result):
    """The attribution of a change between two samples: its parts, which add up to the change.

    Attributes
    ----------
    metric
        What changed: "accuracy_ratio", "roc_auc", or at a depth "captured_response", "lift" or
        "precision".
    q
        The depth; None without one.
    level
        Confidence level of all limits.
    before, after
        The number in each sample.
    intervals
        The confidence interval of each of these; None where there are too few cases.
    change
        The test of the change, after less before, with limits and p-value.
    parts
        By name, each with estimate, se, low and high: "mix", "mix_positives" and "mix_negatives"
        that add up to it, "within" and "between". At a depth
        "ranking" and "prevalence"; with `pd` "portfolio" and "model". Limits are NaN and se is
        None where there are too few cases. Limits alone are NaN, and notes say so, of "within"
        and "between" where a segment of both samples has fewer than two positives or negatives in
        one: se is then that of the others. Without segments there are no parts.
    segments
        A row per segment: cases, positives and the number itself before and after, and its part of
        each part; None at a depth, with `pd` and without segments.
    findings
        What a careful reader would notice.
    by
        What the segments are.
    labels
        What the two samples are called.
    implied
        With `pd`, the number that the PDs promise, before and after; else None.
    pooled
        The segments that were put together for having fewer cases than `least`.
    small
        The segments with fewer than 10 rows of a class in a sample, whose limits do not hold.
    """

    _as_rows = frozenset({"segments"})

    metric: ChangeMetric
    before: float
    after: float
    change: Test
    parts: Mapping[str, Interval]
    level: float
    q: float | None = None
    segments: Table | None = None
    findings: tuple[Finding, ...] = ()
    by: str = "segment"
    labels: tuple[str, str] = ("before", "after")
    intervals: tuple[Interval | None, Interval | None] = (None, None)
    implied: tuple[Interval, Interval] | None = None
    pooled: tuple[Any, ...] = ()
    small: tuple[Any, ...] = ()

    def presentation(self) -> Presentation:
        """Return what the result shows, in the order in which it is read."""
        words = change_words(self)
        before, after = plain_names(self.labels)
        verb = "fell" if self.after < self.before else "rose"
        if words.value(self.before) == words.value(self.after):
            verb = "stayed"
        said = (change_sentence(self), _reasons(self))
        name = METRICS[self.metric].label if self.q is None else words.name
        title = f"Why the {name} {verb}" if self.parts else f"Change of the {name}"
        return Presentation(
            title=f"{title}: {before} to {after}",
            sentences=tuple(each for each in said if each),
            figures=tuple(_figures(self, words)),
            level=self.level,
            findings=self.findings,
            charts=(_waterfall(self, words),) if self.parts else _both_numbers(self, words),
            tables=(_table(self, words),) if self.parts else (),
            notes=_notes(self),
        )

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the segments, else the parts, without a row that adds them up, else the change."""
        if not self.parts:
            return both_samples(self)
        table = self.presentation().tables[0] if self.segments is None else self.segments
        return table.values()


@dataclass(frozen=True, slots=True)
class ChangeWords:
    """How a metric is called, and its values and changes are written."""

    metric: str
    q: float | None = None  # the depth, or None

    @property
    def name(self) -> str:
        """What the metric is called in a sentence."""
        if self.q is None:
            return METRICS[self.metric].short
        return f"{METRICS[self.metric].label} at {stated_percent(self.q)}"

    @property
    def form(self) -> Form:
        """How the metric is written."""
        return METRICS[self.metric].form

    @property
    def form_of_change(self) -> Form:
        """How a change of the metric is written."""
        changes: dict[Form, Form] = {"share": "points", "lift": "signed lift", "ratio": "signed"}
        return changes[self.form]

    def value(self, value: float) -> str:
        """Return the metric itself."""
        return written(self.form, value)

    def size(self, change: float) -> str:
        """Return how large a change is, without its sign."""
        return self.signed(abs(change)).removeprefix("+")

    def signed(self, change: float) -> str:
        """Return a change with its sign."""
        return written(self.form_of_change, change)

    def direction(self, change: float) -> int:
        """Return -1, 0 or 1: 0 for a change of which no digit is shown."""
        shown = float(self.size(change).removesuffix(POINTS))
        return 0 if not shown else 1 if change > 0 else -1


def change_words(found: Attribution) -> ChangeWords:
    """Return how the metric of a change is called and written."""
    return ChangeWords(found.metric, found.q)


def change_sentence(found: Attribution) -> str:
    """Return in one sentence how far a number moved, why, and whether that is chance."""
    words, test = change_words(found), found.change
    before, after = words.value(found.before), words.value(found.after)
    way = words.direction(found.after - found.before) if before != after else 0
    verb, noun = {-1: ("fell", "fall"), 0: ("stayed", "difference"), 1: ("rose", "rise")}[way]
    numbers = f"from {before} to {after}" if way else f"at {before}"
    if math.isnan(test.p_value):
        chance = f"is not tested: {'; '.join(test.notes) or 'there are too few cases'}"
    else:
        word = "" if test.p_value <= 1 - found.level else "not "
        chance = f"is {word}statistically significant ({chance_text(test.p_value)})"
    name = f"the {METRICS[found.metric].label}" if found.q is None else words.name
    moved = f"{capitalised(name)} {verb} {numbers}{_by_how_much(found, way)}"
    return f"{moved}; the {noun} {chance}."


def _reasons(found: Attribution) -> str:
    """Return in one sentence what each part has in a change; nothing without parts."""
    if not found.parts:
        return ""
    words, change = change_words(found), found.after - found.before
    if found.segments is not None and len(found.segments) == 1 and words.direction(change):
        one = "small segments are put together" if found.pooled else "there is one segment"
        return f"All of the change is ranking, since {one}."
    names = shown_parts(found)
    if not any(words.direction(found.parts[name].estimate) for name in names):
        return "No part moved it."
    labels = [part_label(names[0], found.by) + " contributed"]
    labels += [part_label(name, found.by) for name in names[1:]]
    sizes = (words.signed(found.parts[name].estimate) for name in names)
    return capitalised(joined(map(" ".join, zip(labels, sizes, strict=True)))) + "."


def _by_how_much(found: Attribution, way: int) -> str:
    """Return the size of a change with its limits: of a fall, those of the fall."""
    words, test = change_words(found), found.change
    ends = sorted(-end if way < 0 else end for end in (test.low, test.high) if end is not None)
    between = limits("points" if words.form == "share" else words.form, *ends) if ends else ""
    change = found.after - found.before
    size = f"by {words.size(change)}" if way else f"with a difference of {words.signed(change)}"
    return f", {size} {between}".rstrip()


def part_label(name: str, by: str) -> str:
    """Return what a part of a change is called beside its number."""
    return PARTS_IN_WORDS[name].label.format(of=plural(by), mix=mix_of(by))


def shown_parts(found: Attribution) -> list[str]:
    """Return the names of the parts that add up to a change, the mix as one."""
    return [name for name, part in PARTS_IN_WORDS.items() if part.bar and name in found.parts]


def mix_of(by: str) -> str:
    """Return the mix of segments in words."""
    return f"{by} mix" if _is_word(by) else f"mix by {by.replace('_', ' ')}"


def plural(by: str) -> str:
    """Return what several segments are called; those of a column that is no word, segments."""
    if not _is_word(by):
        return "segments"
    if re.search("[^aeiou]y$", by):
        return f"{by[:-1]}ies"
    if by.endswith("s") and not by.endswith("ss"):
        return by
    return f"{by}es" if by.endswith(ENDS_LIKE_BOX) else f"{by}s"


def _is_word(by: str) -> bool:
    return re.fullmatch("[A-Za-z]?[a-z]+", by) is not None


def findings_of_change(found: Attribution) -> tuple[Finding, ...]:
    """Return what there is to know about a change, the gravest first."""
    every, segments = [*_about_chance(found)], found.segments
    if segments is None:
        return gravest_first([*every, *_about_most(found)])
    every += [
        *_about_nothing_shared(segments),
        *_about_pooled(found, segments),
        *_about_small(found, segments),
    ]
    if len(segments) > 1:
        every += [
            *_about_reversal(found, segments),
            *_about_most(found),
            *_about_opposite_mixes(found),
            *_about_coming(found, segments),
            *_about_lacking(segments),
        ]
    return gravest_first(every)


def _about_chance(found: Attribution) -> Iterator[Finding]:
    test, words = found.change, change_words(found)
    if math.isnan(test.p_value):
        why = "; ".join(test.notes) or "there are too few cases"
        advice = "each sample needs at least two cases of each class"
        yield Finding("not_tested", "warning", f"no intervals and no test: {why}", advice)
    elif test.p_value > 1 - found.level and words.direction(found.after - found.before):
        size, chance = words.signed(found.after - found.before), chance_text(test.p_value)
        message = f"the change of {size} is not statistically significant ({chance})"
        first = "read its parts with their intervals; " if found.parts else ""
        advice = f"{first}wait for more cases, or pool periods"
        yield Finding("within_chance", "info", message, advice)


def _about_reversal(found: Attribution, segments: Table) -> Iterator[Finding]:
    """Tell when all segments moved one way and the whole the other (Simpson's paradox)."""
    words = change_words(found)
    moves = segments["ratio_after"] - segments["ratio_before"]
    moves = moves[~np.isnan(moves)]
    whole = words.direction(found.after - found.before)
    ways = {words.direction(float(move)) for move in moves}
    if len(moves) < 2 or not whole or ways != {-whole}:  # noqa: PLR2004 - a whole of several
        return
    inside, all_in = ("rose", "fell") if whole < 0 else ("fell", "rose")
    yield Finding(
        "simpson",
        "warning",
        f"{words.name} {inside} inside each of {len(moves)} {plural(found.by)}, and {all_in} for "
        f"all together by {words.size(found.after - found.before)}",
        f"judge the model by its ranking inside segments; {mix_of(found.by)} and the ranking "
        "between segments reversed the sign (Simpson's paradox)",
    )


def _about_most(found: Attribution) -> Iterator[Finding]:
    """Tell when most of a change is no change of the ranking of a model."""
    words, change = change_words(found), found.after - found.before
    sizes = {name: found.parts[name].estimate for name in shown_parts(found)}
    for name, advice in ADVICE_IF_MOST.items():
        size = sizes.get(name, 0.0)
        others = sum(abs(other) for part, other in sizes.items() if part != name)
        moved = words.direction(size) and words.direction(change) and size * change > 0
        if moved and abs(size) > others:
            share = f"{words.signed(size)} of a change of {words.signed(change)}"
            message = f"the {part_label(name, found.by)} accounts for {share}"
            yield Finding(f"mostly_{name}", "info", message, advice)


def _about_opposite_mixes(found: Attribution) -> Iterator[Finding]:
    if "mix_positives" not in found.parts:
        return
    words, net = change_words(found), found.parts["mix"].estimate
    first, second = (found.parts[f"mix_{each}"].estimate for each in ("positives", "negatives"))
    smaller = min(abs(first), abs(second))
    if first * second < 0 and words.direction(smaller) and smaller >= abs(net):
        yield Finding(
            "opposite_mixes",
            "info",
            f"the net mix of {words.signed(net)} is the sum of two opposite parts: "
            f"{words.signed(first)} by positives and {words.signed(second)} by negatives",
            "report the net, since a segment that grows moves both",
        )


def _about_coming(found: Attribution, segments: Table) -> Iterator[Finding]:
    """Tell which segments are new, and which are gone."""
    sides = (("new", "before", "after"), ("gone", "after", "before"))
    for word, absent, present in sides:
        which = (segments[f"n_{absent}"] == 0) & (segments[f"n_{present}"] > 0)
        if which.any():
            cases = segments[f"n_{present}"]
            share = percent(float(cases[which].sum() / cases.sum()))
            of_cases = f"({share} of cases in {found.labels[present == 'after']})"
            message = f"{word} segments: {_listed(segments['segment'][which])} {of_cases}"
            yield Finding(f"{word}_segments", "info", message, "their effect counts as mix")


def _about_lacking(segments: Table) -> Iterator[Finding]:
    """Tell which segments are in both samples and lack a class in one."""
    lacks = np.zeros(len(segments), dtype=bool)
    for when in ("before", "after"):
        n, n1 = segments[f"n_{when}"], segments[f"n1_{when}"]
        lacks |= (n > 0) & ((n1 == 0) | (n1 == n))
    if lacks.any():
        yield Finding(
            "lacking_class",
            "info",
            f"without positives or negatives in a sample: {_listed(segments['segment'][lacks])}",
            "their ranking is taken from the other sample, or as that of the whole; "
            f"{arg(least=10)} puts small segments together",
        )


def _about_small(found: Attribution, segments: Table) -> Iterator[Finding]:
    """Tell which segments have so few cases of a class that limits do not hold."""
    if not found.small:
        return
    several, names = len(segments) > 1, _listed(found.small)
    where = f" in {len(found.small)} of {len(segments)} segments: {names}" if several else ""
    instead = "wait for more cases, or pool periods"
    if several and not found.pooled:
        instead = f"put them together with {as_typed(least=FEW_OF_A_CLASS_SHOWN)}"
    message = f"fewer than {FEW_OF_A_CLASS_SHOWN} positives or negatives in a sample{where}"
    advice = f"intervals are less reliable than stated; {instead}"
    yield Finding("small_segments", "warning", message, advice)


def _about_pooled(found: Attribution, segments: Table) -> Iterator[Finding]:
    """Tell which segments were put together, and that no mix is left when all were."""
    if not found.pooled:
        return
    if len(segments) == 1:
        yield Finding(
            "all_pooled",
            "warning",
            f"all {len(found.pooled)} segments are small and were put together: nothing is left "
            "of the mix",
            f"take a smaller {arg('least')}, or name segments that are larger",
        )
        return
    cases = segments["n_before"] + segments["n_after"]
    share = percent(float(cases[-1] / cases.sum()))
    message = f"{len(found.pooled)} small segments were put together ({share} of cases)"
    message += f": {_listed(found.pooled)}"
    advice = "changes of the mix among them count as ranking"
    yield Finding("pooled_segments", "info", message, advice)


def _about_nothing_shared(segments: Table) -> Iterator[Finding]:
    """Tell when no segment is in both samples, as when their names are written differently."""
    shared = (segments["n_before"] > 0) & (segments["n_after"] > 0)
    if not shared.any():
        message = "no segment is in both samples, so that all of the change is called mix"
        advice = "look at how the segments are named in each: numbers and text, capitals, blanks"
        yield Finding("nothing_shared", "warning", message, advice)


def _listed(keys: Iterable[object]) -> str:
    """Return the names of some segments, the first of many."""
    return listed(plain_names(list(keys)), MOST_PARTS_NAMED)


def _figures(found: Attribution, words: ChangeWords) -> Iterator[Figure]:
    """Yield the number before and after, what PDs promise, the change, and each part of it."""
    whens, test = [*zip(("before", "after"), plain_names(found.labels), strict=True)], found.change
    sides = zip(whens, (found.before, found.after), found.intervals, strict=True)
    for (when, label), value, interval in sides:
        name = f"{words.name}, {label}"
        yield Figure(when, name, name, value, words.form, *(interval or (None, None)))
    for (when, label), implied in zip(whens, found.implied or (), strict=False):
        name = f"implied {words.name}, {label}"
        yield Figure(f"implied_{when}", name, f"implied, {label}", implied.estimate, words.form)
    form, difference = words.form_of_change, found.after - found.before
    chance = "" if math.isnan(test.p_value) else chance_text(test.p_value)
    yield Figure("change", "change", "change", difference, form, test.low, test.high, chance)
    for name, part in found.parts.items():
        label = part_label(name, found.by)
        note = "" if found.implied is None else "given the cases"
        yield Figure(name, label, label, part.estimate, form, part.low, part.high, note)


def _table(found: Attribution, words: ChangeWords) -> Table:
    """Return what each segment has in the change, or without segments each part."""
    before, after = plain_names(found.labels)
    if found.segments is not None:
        name = f"Change of {words.name} by {found.by}, {before} to {after}"
        note = NOTE_ON_SEGMENTS.format(name=words.name)
        if (before, after) != ("before", "after"):
            note = f"before is {before}, after is {after}; {note}"
        return Table(name, _with_total(found, found.segments), note)
    parts = {**found.parts, "change": found.change}
    heads = {"change_se": "se", "change_low": "low", "change_high": "high"}
    columns = {"part": np.array(["all" if name == "change" else name for name in parts])}
    for name, key in {"change": "estimate", **heads}.items():
        columns[name] = np.array([getattr(part, key) for part in parts.values()], dtype=np.float64)
    known = formed(columns, heads, signed="change change_low change_high", ratio="change_se")
    return Table(f"Parts of the change of {words.name}", known)


def both_samples(found: Attribution) -> dict[str, list[Any]]:
    """Return the number of each sample and the change, each with its limits, by column."""
    whens, change = ("before", "after"), found.after - found.before
    values = zip(whens, (found.before, found.after), found.intervals, strict=True)
    rows = [(when, value, *_limits_of(limited)) for when, value, limited in values]
    rows.append(("change", change, *_limits_of(found.change)))
    names = ("sample", "estimate", "low", "high")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return formed(columns, ratio="estimate low high")


def _limits_of(found: Interval | Test | None) -> tuple[float, float]:
    low, high = (None, None) if found is None else (found.low, found.high)
    return (math.nan, math.nan) if low is None or high is None else (low, high)


def _both_numbers(found: Attribution, words: ChangeWords) -> tuple[Chart, ...]:
    """Return the picture of the number in both samples, where both have limits."""
    samples = zip(plain_names(found.labels, LONGEST_PART_NAME), found.intervals, strict=True)
    rows = {name: (each.low, each.estimate, each.high) for name, each in samples if each}
    label = f"{stated_percent(found.level)} intervals"
    title = f"{capitalised(words.name)} in both samples"
    return interval_chart(title, rows, label, words.name) if rows else ()


def _with_total(found: Attribution, segments: Table) -> dict[str, Array]:
    """Return the columns of segments with a last row for all of them; the mix has no halves."""
    of_all = {"segment": "all", "ratio_before": found.before, "ratio_after": found.after}
    columns = {}
    for name, column in segments.columns.items():
        if name.startswith("mix_"):
            continue
        last = of_all[name] if name in of_all else column.sum()
        columns[name] = np.array([*column.tolist(), last], dtype=object)
    return columns


def _notes(found: Attribution) -> tuple[str, ...]:
    methods = dict.fromkeys(part.method for part in found.parts.values() if part.se is not None)
    said = [f"Intervals of the parts: {'; '.join(methods)}."] if methods else []
    if found.change.method != "none":
        said.append(f"Test of the change: {found.change.method}.")
    told = dict.fromkeys(found.change.notes)
    told |= dict.fromkeys(note for part in found.parts.values() for note in part.notes)
    if found.parts:
        meaning = NOTE_ON_MIX
        if found.segments is None:
            meaning = NOTE_ON_DEPTH if found.implied is None else NOTE_ON_PDS
        said.insert(0, meaning.format(name=change_words(found).name))
    return (*said, *as_sentences(told))


def _waterfall(found: Attribution, words: ChangeWords) -> Chart:
    """Return the chart of a change: before, each part with its interval, and after."""
    names = shown_parts(found)
    parts = [found.parts[name] for name in names]
    starts = np.cumsum([found.before, *(part.estimate for part in parts)])
    bars = list(_bars(parts, starts[:-1], words))
    of = shortened(plural(found.by), LONGEST_PART_NAME)
    before, after = plain_names(found.labels, LONGEST_PART_NAME)
    mix = capitalised(mix_of(found.by)).replace(" ", "\n", 1)
    described = [f"{name} {words.signed(found.parts[name].estimate)}" for name in names]
    first, last = plain_names(found.labels)
    ends = (f"{first} {words.value(found.before)}", f"{last} {words.value(found.after)}")
    kind: AxisKind = "share" if words.form == "share" else "number"
    ticks = [before, *(PARTS_IN_WORDS[name].bar.format(of=of, mix=mix) for name in names), after]
    whiskers = f"Whiskers are {stated_percent(found.level)} intervals of each part"
    return Chart(
        title=f"What changed {words.name}",
        x=Axis("", "score", ends=(-0.6, len(parts) + 1.6)),
        y=Axis(words.name, kind, ends=_ends(bars, [found.before, found.after])),
        lines=_lines(found, starts),
        bars=bars,
        head="" if np.isnan([p.low for p in parts]).all() else whiskers,
        scores=ScoreTicks(np.arange(len(parts) + 2.0), ticks),
        above=_numbers_above(found, parts, starts, words),
        columns=2,
        description="; ".join([ends[0], *described, ends[1]]),
    )


def _bars(parts: Sequence[Interval], starts: np.ndarray, words: ChangeWords) -> Iterator[Bars]:
    """Yield what raises the number, what lowers it, and what does neither."""
    sizes = np.array([part.estimate for part in parts])
    limits = np.array([(part.low, part.high) for part in parts]) + starts[:, None]
    ways = np.array([words.direction(size) for size in sizes.tolist()])
    looks = (
        (ways > 0, f"raised {words.name}", Style(BLUE), ""),
        (ways < 0, f"lowered {words.name}", Style(LOSSES), "///"),
        (ways == 0, "", None, ""),
    )
    for which, label, style, hatch in looks:
        if which.any():
            at, (low, high) = np.flatnonzero(which).astype(np.float64) + 1, limits[which].T
            ends = {"base": starts[which], "low": low, "high": high}
            yield Bars(sizes[which], label, style, at=at, width=PART_BAR_WIDTH, hatch=hatch, **ends)


def _ends(bars: Sequence[Bars], numbers: Sequence[float]) -> tuple[float, float]:
    """Return where y begins and ends: it need not hold 0, since only bars have lengths."""
    drawn = [numbers, *(each for bar in bars for each in (bar.base, bar.low, bar.high))]
    heights = np.concatenate([each for each in drawn if each is not None])
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    length = max(high - low, LEAST_CHANGE_LENGTH)
    return low - ROOM_BELOW * length, high + ROOM_ABOVE * length


def _lines(found: Attribution, starts: np.ndarray) -> list[Line]:
    """Return the numbers before and after, and thin lines from each bar to the next."""
    ends = ((0.0, found.before), (float(len(starts)), found.after))
    levels = [
        Line([at - HALF_BAR, at + HALF_BAR], [value, value], width=1.6, level=GUIDES)
        for at, value in ends
    ]
    thin: Any = {"style": Style(TEXT_INK), "width": HAIRLINE, "opacity": 0.7, "level": GUIDES}
    links = [
        Line([place + HALF_BAR, place + 1 - HALF_BAR], [value, value], **thin)
        for place, value in enumerate(starts.tolist())
    ]
    return [*levels, *links]


def _numbers_above(
    found: Attribution, parts: Sequence[Interval], starts: np.ndarray, words: ChangeWords
) -> list[tuple[str, float, float]]:
    """Return each number above what it is the number of."""
    written = [(words.value(found.before), 0.0, found.before)]
    steps = zip(parts, pairwise(starts.tolist()), strict=True)
    for place, (part, (begin, end)) in enumerate(steps, 1):
        top = float(np.nanmax([begin, end, begin + part.high]))
        written.append((words.signed(part.estimate), float(place), top))
    return [*written, (words.value(found.after), len(parts) + 1.0, found.after)]
