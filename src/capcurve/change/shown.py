"""What a change, or a number split by segments, shows: sentences, numbers, picture and table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from capcurve.change.waterfall import waterfall
from capcurve.change.words import (
    LONG,
    SHORT,
    Words,
    plural,
    sentence,
    sentence_on_mix,
    words_of,
)
from capcurve.tables import Table
from capcurve.view.figures import Figure
from capcurve.view.format import capitalised, chance_text, number, percent, plain_names
from capcurve.view.presentation import Presentation

if TYPE_CHECKING:
    from capcurve.change.records import Decomposed, Explained

ADDS_UP = (
    "Mix is the change of the segments' shares of positives and of negatives, at the mean of "
    "their rankings before and after; ranking within and between segments is its change, at the "
    "mean of the shares. The parts add up to the change, swap their signs with the samples, and "
    "do not depend on the prevalence (Kitagawa 1955, on pairs of a positive and a negative)."
)
AT_A_DEPTH = (
    "Ranking is the change of the ROC at the mean of both prevalences, prevalence the change of "
    "the share of positives at the mean of both ROCs; they add up to the change."
)
BY_PDS = (
    "Portfolio is the change of the {name} that the PDs promise, model the change of what is "
    "realised less what is promised; they add up to the change."
)
OF_SEGMENTS = (
    "inside: {name} of the segment alone, undefined without both classes; mix, within and between: "
    "what the segment has in each part, which add up to the part"
)
OF_DECOMPOSITION = (
    "inside: {name} of the segment alone; its positives: they against all negatives; its "
    "negatives: all positives against them; without it: {name} of all other segments together"
)
OF_THE_SPLIT = (
    "The {name} of all is the mean over all pairs of a positive and a negative: the share of pairs "
    "within segments times the number within, and the rest times that between. Adjusted is the "
    "mean of the segments' own numbers, weighted by their positives (Janes & Pepe 2009)."
)


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
        charts=(waterfall(found),),
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
        Figure(key, f"{words.name}, {name}", f"{words.name}, {name}", words.value(value))
        for (key, name), value in zip(ends, values, strict=True)
    ]
    limits = "" if test.low is None or test.high is None else words.limits(test.low, test.high)
    known = not math.isnan(test.p_value)
    chance = chance_text(test.p_value) if known else ""
    return [
        *numbers,
        *_implied(found, words),
        Figure("change", "change", "change", words.signed(difference), limits, chance),
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
            words.value(implied.estimate),
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
            words.signed(part.estimate),
            words.limits(part.low, part.high),
        )
        for name, part in found.parts.items()
    ]


def _table(found: Explained, words: Words) -> Table:
    """Return what each segment has in the change, or without segments each part."""
    before, after = plain_names(found.labels)
    if found.segments is not None:
        name = f"Change of {words.name} by {found.by}, {before} to {after}"
        return replace(found.segments, name=name, note=OF_SEGMENTS.format(name=words.name))
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
    meaning = ADDS_UP
    if found.segments is None:
        meaning = AT_A_DEPTH if found.implied is None else BY_PDS
    meaning = meaning.format(name=words_of(found).name)
    return (meaning, *said, *(f"{capitalised(note)}." for note in told))


def presentation_of_decomposition(found: Decomposed) -> Presentation:
    """Return what a number split by segments shows."""
    name, of = SHORT[found.metric], plural(found.by)
    figures = (
        Figure("whole", f"{name} of all", f"{name} of all", number(found.whole)),
        Figure("within", f"within {of}", f"within {of}", _known(found.within)),
        Figure("pairs_within", "pairs within", "pairs within", percent(found.pairs_within)),
        Figure("between", f"between {of}", f"between {of}", _known(found.between)),
        Figure("adjusted", f"adjusted for {of}", f"adjusted for {of}", _known(found.adjusted)),
    )
    return Presentation(
        title=f"{capitalised(LONG[found.metric])} within and between {of}",
        sentences=(_split(found, name),),
        figures=figures,
        tables=(
            replace(
                found.segments,
                name=f"{name} by {found.by}",
                note=OF_DECOMPOSITION.format(name=name),
            ),
        ),
        notes=(OF_THE_SPLIT.format(name=name),),
    )


def _known(value: float) -> str:
    return "undefined" if math.isnan(value) else number(value)


def _split(found: Decomposed, name: str) -> str:
    """Return in one sentence how well a score ranks inside segments and between them."""
    within = f"Inside segments {name} is {_known(found.within)} ({percent(found.pairs_within)}"
    between = f"between segments {_known(found.between)}"
    return f"{within} of pairs), {between}; for all cases it is {number(found.whole)}."
