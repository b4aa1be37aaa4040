"""What a change, or a number split by segments, shows: sentences, numbers, picture and table."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from capcurve.show.chart import (
    BLUE,
    COLOURS,
    GUIDES,
    HAIRLINE,
    INK,
    Axis,
    Bars,
    Chart,
    Line,
    ScoreTicks,
    Style,
)
from capcurve.show.figure import Figure
from capcurve.show.format import (
    capitalised,
    chance_text,
    number,
    percent,
    plain_names,
    shortened,
    stated_percent,
)
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.studies.change.words import (
    LONG,
    SHARES,
    SHORT,
    Words,
    plural,
    sentence,
    sentence_on_mix,
    shown_parts,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.inference.records import Interval
    from capcurve.studies.change.records import Decomposed, Explained

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
    "Portfolio is the change of the {name} that the PDs promise, model the change of what is "
    "realised less what is promised; they add up to the change."
)
NOTE_ON_SEGMENTS = (
    "inside: {name} of the segment alone, undefined without both classes; mix, within and between: "
    "what the segment has in each part, which add up to the part"
)
NOTE_ON_DECOMPOSITION = (
    "inside: {name} of the segment alone; its positives: they against all negatives; its "
    "negatives: all positives against them; without it: {name} of all other segments together"
)
NOTE_ON_SPLIT = (
    "The {name} of all is the mean over all pairs of a positive and a negative: the share of pairs "
    "within segments times the number within, and the rest times that between. Adjusted is the "
    "mean of the segments' own numbers, weighted by their positives (Janes & Pepe 2009)."
)
# The width of a bar, where the next bar is 1 away.
BAR_WIDTH = 0.64
HALF_BAR = BAR_WIDTH / 2
# What y has beyond what is drawn, as shares of its length: above there are numbers too.
BELOW, ABOVE = 0.06, 0.12
LEAST_LENGTH = 1e-3
LONGEST_NAME = 12
LOSSES = COLOURS[1]
MINUS = "−"


def presentation_of(found: Explained) -> Presentation:
    """Return what a change shows."""
    words = words_of(found)
    before, after = plain_names(found.labels)
    said = (sentence(found), sentence_on_mix(found))
    return Presentation(
        title=f"Why the {words.title} {_verb(found, words)}: {before} to {after}",
        sentences=tuple(each for each in said if each),
        figures=(*_numbers(found, words), *_parts(found, words)),
        level=found.level,
        findings=found.findings,
        charts=(_waterfall(found),),
        tables=(_table(found, words),),
        notes=_notes(found),
    )


def _verb(found: Explained, words: Words) -> str:
    if words.value(found.before) == words.value(found.after):
        return "stayed"
    return "fell" if found.after < found.before else "rose"


def _numbers(found: Explained, words: Words) -> list[Figure]:
    """Return the number before and after, and the change with its interval."""
    test, difference = found.change, found.after - found.before
    ends = zip(("before", "after"), plain_names(found.labels), strict=True)
    values = (found.before, found.after)
    numbers = [
        Figure(key, f"{words.name}, {name}", f"{words.name}, {name}", value, words.form)
        for (key, name), value in zip(ends, values, strict=True)
    ]
    chance = "" if math.isnan(test.p_value) else chance_text(test.p_value)
    form, low, high = words.form_of_change, test.low, test.high
    return [
        *numbers,
        *_implied(found, words),
        Figure("change", "change", "change", difference, form, low, high, chance),
    ]


def _implied(found: Explained, words: Words) -> list[Figure]:
    """Return what the PDs promise, before and after."""
    if found.implied is None:
        return []
    return [
        Figure(
            f"implied_{when}",
            f"implied {words.name}, {label}",
            f"implied, {label}",
            implied.estimate,
            words.form,
        )
        for when, label, implied in zip(
            ("before", "after"), plain_names(found.labels), found.implied, strict=True
        )
    ]


def _parts(found: Explained, words: Words) -> list[Figure]:
    """Return each part of the change with its interval."""
    of = plural(found.by)
    called = {
        "mix": f"mix of {of}",
        "mix_positives": "mix of positives",
        "mix_negatives": "mix of negatives",
        "mix_cases": "shares of cases",
        "mix_rates": "rates of positives",
        "within": f"within {of}",
        "between": f"between {of}",
        "ranking": "ranking",
        "prevalence": "prevalence",
        "portfolio": "portfolio",
        "model": "model",
    }
    return [
        Figure(
            name,
            called[name],
            called[name],
            part.estimate,
            words.form_of_change,
            part.low,
            part.high,
            "" if found.implied is None else "given the cases",
        )
        for name, part in found.parts.items()
    ]


def _table(found: Explained, words: Words) -> Table:
    """Return what each segment has in the change, or without segments each part."""
    before, after = plain_names(found.labels)
    if found.segments is not None:
        name = f"Change of {words.name} by {found.by}, {before} to {after}"
        return replace(found.segments, name=name, note=NOTE_ON_SEGMENTS.format(name=words.name))
    parts = {**found.parts, "change": found.change}
    kept = {"change": "estimate", "change_se": "se", "change_low": "low", "change_high": "high"}
    columns = {
        "part": np.array(["all" if name == "change" else name for name in parts]),
        **{
            name: np.array([getattr(part, key) for part in parts.values()], dtype=np.float64)
            for name, key in kept.items()
        },
    }
    return Table(f"Parts of the change of {words.name}", columns)


def _notes(found: Explained) -> tuple[str, ...]:
    methods = dict.fromkeys(part.method for part in found.parts.values() if part.se is not None)
    said = [f"Intervals of the parts: {'; '.join(methods)}."] if methods else []
    if found.change.method != "none":
        said.append(f"Test of the change: {found.change.method}.")
    told = dict.fromkeys(note for note in found.change.notes)
    told |= dict.fromkeys(note for part in found.parts.values() for note in part.notes)
    meaning = NOTE_ON_MIX
    if found.segments is None:
        meaning = NOTE_ON_DEPTH if found.implied is None else NOTE_ON_PDS
    meaning = meaning.format(name=words_of(found).name)
    return (meaning, *said, *(f"{capitalised(note)}." for note in told))


def presentation_of_decomposition(found: Decomposed) -> Presentation:
    """Return what a number split by segments shows."""
    name, of = SHORT[found.metric], plural(found.by)
    figures = (
        Figure("whole", f"{name} of all", f"{name} of all", found.whole, "ratio"),
        Figure("within", f"within {of}", f"within {of}", found.within, "ratio"),
        Figure("pairs_within", "pairs within", "pairs within", found.pairs_within, "share"),
        Figure("between", f"between {of}", f"between {of}", found.between, "ratio"),
        Figure("adjusted", f"adjusted for {of}", f"adjusted for {of}", found.adjusted, "ratio"),
    )
    return Presentation(
        title=f"{capitalised(LONG[found.metric])} within and between {of}",
        sentences=(_split(found, name),),
        figures=figures,
        tables=(
            replace(
                found.segments,
                name=f"{name} by {found.by}",
                note=NOTE_ON_DECOMPOSITION.format(name=name),
            ),
        ),
        notes=(NOTE_ON_SPLIT.format(name=name),),
    )


def _known(value: float) -> str:
    return "undefined" if math.isnan(value) else number(value)


def _split(found: Decomposed, name: str) -> str:
    """Return in one sentence how well a score ranks inside segments and between them."""
    within = f"Inside segments {name} is {_known(found.within)} ({percent(found.pairs_within)}"
    between = f"between segments {_known(found.between)}"
    return f"{within} of pairs), {between}; for all cases it is {number(found.whole)}."


def _waterfall(found: Explained) -> Chart:
    """Return the chart of a change: before, each part with its interval, and after."""
    words, names = words_of(found), shown_parts(found)
    parts = [found.parts[name] for name in names]
    starts = np.cumsum([found.before, *(part.estimate for part in parts)])
    bars = list(_bars(parts, starts[:-1], words))
    ends = _ends(bars, [found.before, found.after])
    return Chart(
        title=f"Change of {words.name}",
        x=Axis("", "score", ends=(-0.6, len(parts) + 1.6)),
        y=Axis(words.name, "share" if words.metric in SHARES else "number", ends=ends),
        lines=[*_levels(found, len(parts)), *_links(starts)],
        bars=bars,
        head="" if np.isnan([p.low for p in parts]).all() else _whiskers(found.level),
        scores=ScoreTicks(np.arange(len(parts) + 2.0), _names(found, names)),
        above=_numbers_above(found, parts, starts, words),
        columns=2,
        description=_described(found, names, words),
    )


def _whiskers(level: float) -> str:
    return f"Whiskers: {stated_percent(level)} intervals of each part"


def _bars(parts: Sequence[Interval], starts: np.ndarray, words: Words) -> Iterator[Bars]:
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
            yield Bars(
                sizes[which],
                label,
                style,
                at=at,
                width=BAR_WIDTH,
                hatch=hatch,
                base=starts[which],
                low=low,
                high=high,
            )


def _ends(bars: Sequence[Bars], numbers: Sequence[float]) -> tuple[float, float]:
    """Return where y begins and ends: it need not hold 0, since only bars have lengths."""
    drawn = [numbers, *(each for bar in bars for each in (bar.base, bar.low, bar.high))]
    heights = np.concatenate([each for each in drawn if each is not None])
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    length = max(high - low, LEAST_LENGTH)
    return low - BELOW * length, high + ABOVE * length


def _levels(found: Explained, parts: int) -> list[Line]:
    """Return the numbers before and after, as lines: the bars between them have lengths."""
    numbers = ((0.0, found.before), (parts + 1.0, found.after))
    return [
        Line([at - HALF_BAR, at + HALF_BAR], [value, value], width=1.6, level=GUIDES)
        for at, value in numbers
    ]


def _links(starts: np.ndarray) -> list[Line]:
    """Return thin lines that lead from where each bar ends to where the next begins."""
    return [
        Line(
            [place + HALF_BAR, place + 1 - HALF_BAR],
            [value, value],
            style=Style(INK),
            width=HAIRLINE,
            opacity=0.7,
            level=GUIDES,
        )
        for place, value in enumerate(starts.tolist())
    ]


def _numbers_above(
    found: Explained, parts: Sequence[Interval], starts: np.ndarray, words: Words
) -> list[tuple[str, float, float]]:
    """Return each number above what it is the number of."""
    written = [(words.value(found.before), 0.0, found.before)]
    for place, (part, (begin, end)) in enumerate(
        zip(parts, pairwise(starts.tolist()), strict=True)
    ):
        top = float(np.nanmax([begin, end, begin + part.high]))
        written.append((words.signed(part.estimate).replace("-", MINUS), place + 1.0, top))
    return [*written, (words.value(found.after), len(parts) + 1.0, found.after)]


def _names(found: Explained, names: Sequence[str]) -> list[str]:
    """Return what stands below each bar, in lines."""
    of = shortened(plural(found.by), LONGEST_NAME)
    called = {
        "mix": f"Mix of\n{of}",
        "within": f"Within\n{of}",
        "between": f"Between\n{of}",
        "ranking": "Ranking",
        "prevalence": "Prevalence",
        "portfolio": "Portfolio",
        "model": "Model",
    }
    before, after = plain_names(found.labels, LONGEST_NAME)
    return [before, *(called[name] for name in names), after]


def _described(found: Explained, names: Sequence[str], words: Words) -> str:
    """Return what the picture shows in words."""
    before, after = plain_names(found.labels)
    parts = [f"{name} {words.signed(found.parts[name].estimate)}" for name in names]
    ends = (f"{before} {words.value(found.before)}", f"{after} {words.value(found.after)}")
    return "; ".join([ends[0], *parts, ends[1]])
