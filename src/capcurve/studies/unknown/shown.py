"""What bounds show: a sentence, the ends with chance, the CAPs of both ends, and a table."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from capcurve.curves import cap_curve
from capcurve.show.chart import (
    BLUE,
    COLOURS,
    DASHES,
    Axis,
    Band,
    Chart,
    Line,
    Style,
    reference,
)
from capcurve.show.figure import Figure
from capcurve.show.format import (
    amount,
    capitalised,
    certain,
    percent,
    plain_names,
    quantity,
    stated_percent,
    written,
)
from capcurve.show.presentation import Presentation
from capcurve.show.table import Table
from capcurve.studies.unknown.records import called

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from capcurve.counts import ScoreCounts
    from capcurve.counts.types import Array, Floats
    from capcurve.show.format import Form
    from capcurve.studies.unknown.records import Bounded

SHORT = {"accuracy_ratio": "AR", "roc_auc": "AUC", "captured_response": "captured"}
NAMES = {"accuracy_ratio": "accuracy ratio", "roc_auc": "AUC", "captured_response": "captured"}
# How many points a curve needs to the eye, and how far one may lie from the line between others.
MOST_POINTS, TOLERANCE = 400, 5e-4
# So many scores are listed.
MOST_LISTED = 60
MEANING = (
    "The bounds are exact: both ends are reached by outcomes of the unknown cases{fit}, and none "
    "give a number beyond them."
)
CHANCE = (
    "In brackets: with chance, from the lower limit at the low end to the upper limit at the high "
    "end, each one-sided at {level}."
)
SAME_ODDS = "Same odds: as if the unknown had the odds of the known at the same score{which}."
POOLED = ", whose rates are pooled until they fall with the score (PAV)"
COLUMNS = {"captured_response": ("captured", "captured_with_chance")}
LABELS = ("lowest", "known alone", "same odds", "highest")


def presentation_of(found: Bounded) -> Presentation:
    """Return what bounds show."""
    chance = found.low_limit is not None and found.high_limit is not None
    assumed = found.assumptions
    free = assumed.positives is None and assumed.odds is None and not assumed.ordered
    notes = [MEANING.format(fit="" if free else " that fit what is assumed")]
    if chance:
        notes.append(CHANCE.format(level=stated_percent(found.level)))
    if found.same_odds is not None:
        notes.append(SAME_ODDS.format(which=POOLED if assumed.pooled else ""))
    name = called(found.metric, found.q, tuple(plain_names(found.names)))
    return Presentation(
        title=f"Bounds of {name} with unknown outcomes",
        sentences=(sentence(found),),
        figures=tuple(_figures(found, chance=chance)),
        level=found.level if chance else None,
        findings=found.findings,
        charts=(_chart(found),),
        tables=tuple(_tables(found)),
        notes=(*notes, *(f"{capitalised(note)}." for note in found.notes)),
    )


def sentence(found: Bounded) -> str:
    """Return the answer in words.

    "12 of 40 outcomes are unknown: the accuracy ratio lies between 0.21 and 0.60 whatever they are;
    the known alone show 0.45."
    """
    name, n = called(found.metric, found.q, tuple(plain_names(found.names))), found.n_unknown
    if not n > 0:
        return f"No outcome is unknown: {name} is {_value(found, found.low)}."
    verb = "is" if n == 1 else "are"
    known = (
        ""
        if found.known_only is None
        else (f"; the known alone show {_value(found, found.known_only)}")
    )
    low, high = _ends(found)
    lies = f"lies between {low} and {high}" if found.low < found.high else f"is {low}"
    return (
        f"{amount(n)} of {amount(found.n_known + n)} outcomes {verb} unknown: {name} {lies} "
        f"{_assumed(found)}{known}."
    )


def _assumed(found: Bounded) -> str:
    """Return under which assumptions the bounds hold."""
    assumed, one = found.assumptions, found.n_unknown == 1 and found.partial.is_whole
    its = "its" if one else "their"
    said = []
    if assumed.positives is not None:
        said.append(_positive(*assumed.positives, one=one))
    if assumed.odds is not None:
        least, most = ("infinitely many" if each == inf else f"{each:g}" for each in assumed.odds)
        times = least if least == most else f"{least} to {most}"
        said.append(
            f"{its} odds are those of the known at each score"
            if times == "1"
            else f"{its} odds are {times} times those of the known at each score"
        )
    if assumed.ordered:
        said.append(f"{its} rate of positives does not rise with better scores")
    return f"if {' and '.join(said)}" if said else f"whatever {'it is' if one else 'they are'}"


def _positive(least: float, most: float, *, one: bool) -> str:
    """Return how many of the unknown, or of one, are positive.

    >>> _positive(1, 1, one=True), _positive(0, 0, one=False), _positive(2, 7, one=False)
    ('it is positive', 'none of them is positive', '2 to 7 of them are positive')
    """
    if one:
        if least < most:
            return "it is positive or negative"
        return "it is positive" if least else "it is negative"
    if most == 0:
        return "none of them is positive"
    many = amount(least) if least == most else f"{amount(least)} to {amount(most)}"
    return f"{many} of them {'is' if least == most == 1 else 'are'} positive"


def _form(found: Bounded) -> Form:
    return "share" if found.metric == "captured_response" and not found.names else "ratio"


def _value(found: Bounded, value: float) -> str:
    return written(_form(found), value)


def _short(found: Bounded) -> str:
    return f"{SHORT[found.metric]}{' difference' if found.names else ''}"


def _ends(found: Bounded) -> list[str]:
    """Return the bounds as they are written everywhere."""
    return [_value(found, end) for end in certain(found.low, found.high)]


def _figures(found: Bounded, *, chance: bool) -> Iterator[Figure]:
    """Return the headline numbers."""
    n, form = found.n_known + found.n_unknown, _form(found)
    share = f"{percent(found.n_unknown / n)} of {amount(n)}"
    yield Figure("n_unknown", "unknown", "unknown", found.n_unknown, "count", note=share)
    known = ("known positives", "known positives")
    yield Figure("known_positives", *known, found.known_positives, "count")
    low, high = (found.low_limit, found.high_limit) if chance else (None, None)
    name = "difference" if found.names else NAMES[found.metric]
    yield Figure(found.metric, name, name, (found.low, found.high), form, low, high)
    if not found.n_unknown > 0:
        return
    for key, label, value in (
        ("known_only", "of the known alone", found.known_only),
        ("same_odds", "at the same odds", found.same_odds),
    ):
        if value is not None:
            yield Figure(key, label, label, value, form)
    at = [quantity(each) for each in (found.positives_at_low, found.positives_at_high)]
    of = f"of {amount(found.n_unknown)}, at either end"
    yield Figure("positives", "positives", "positives", " and ".join(dict.fromkeys(at)), note=of)


def _tables(found: Bounded) -> Iterator[Table]:
    """Return the ends and what lies between them, and of few scores where the positives stand."""
    low, high = certain(found.low, found.high)
    values = (low, found.known_only, found.same_odds, high)
    positives = (found.positives_at_low, None, _at_same_odds(found), found.positives_at_high)
    limits = (found.low_limit, None, None, found.high_limit)
    value, limit = COLUMNS.get(found.metric, (found.metric, "with_chance"))
    rows = [
        row for row in zip(LABELS, values, positives, limits, strict=True) if row[1] is not None
    ]
    yield Table(
        f"Bounds of {called(found.metric, found.q, tuple(plain_names(found.names)))}",
        {
            "case": np.array([row[0] for row in rows]),
            value: np.array([row[1] for row in rows], dtype=object),
            "positives_among_unknown": _column(row[2] for row in rows),
            limit: _column(row[3] for row in rows),
        },
        f"with chance: one-sided limit, at {stated_percent(found.level)}, below lowest and above "
        "highest",
    )
    if not found.names and 0 < len(found.partial.unknown) <= MOST_LISTED:
        yield _by_score(found)


def _column(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values])


def _at_same_odds(found: Bounded) -> float | None:
    if found.same_odds is None:
        return None
    return float(_like_the_known(found).n1 - found.known_positives)


def _like_the_known(found: Bounded) -> ScoreCounts:
    """Return counts in which the unknown have the odds of the known."""
    return found.partial.completed(1.0, pooled=found.assumptions.pooled)


def _by_score(found: Bounded) -> Table:
    """Return where the positives stand at either end, of the scores with unknown outcomes."""
    partial = found.partial
    all_counts: tuple[Any, ...] = (partial.unknown.held, partial.known)
    held, known, low, high = map(_by_code, (*all_counts, found.low_counts, found.high_counts))
    codes = list(held)
    p = np.array([known.get(code, (0, 0))[0] for code in codes])
    n = np.array([known.get(code, (0, 0))[1] for code in codes])
    return Table(
        "Scores with unknown outcomes, and the positives among these",
        {
            "score": all_counts[0].thresholds,
            "known_positives": p,
            "known_negatives": n,
            "unknown": np.array([held[code][1] for code in codes]),
            "at_low": np.array([low[code][0] for code in codes]) - p,
            "at_high": np.array([high[code][0] for code in codes]) - p,
        },
    )


def _by_code(counts: Any) -> dict[object, tuple[float, float]]:
    """Return the positives and negatives of each score."""
    cells = zip(counts.positives.tolist(), counts.negatives.tolist(), strict=True)
    return dict(zip(counts.score.tolist(), cells, strict=True))


def _chart(found: Bounded) -> Chart:
    """Return the CAPs of both ends, or of two scores how much more the first captures."""
    return _difference(found) if found.names else _caps(found)


def _caps(found: Bounded) -> Chart:
    ends = [_cap(each) for each in (found.low_counts, found.high_counts)]
    x, low, high = _between(ends)
    lines = _lines(found, ends)
    if found.same_odds is not None and found.n_unknown > 0:
        label = f"Unknown at the same odds  {_short(found)} {_value(found, found.same_odds)}"
        lines.append(Line(*_cap(_like_the_known(found)), label, Style(COLOURS[3], DASHES[2])))
    if found.known_only is not None:
        label = f"Known alone  {_short(found)} {_value(found, found.known_only)}"
        lines.append(Line(*_cap(found.partial.known), label, Style(BLUE)))
    usual = found.low + found.high >= (1 if found.metric == "roc_auc" else 0)
    return Chart(
        title="CAP with unknown outcomes",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Share of positives captured", "percent", 1.0),
        lines=[*lines, reference([0, 1], [0, 1], "Random")],
        bands=[Band(x, low, high, "Between both ends", BLUE)],
        head=f"{amount(found.n_unknown)} of {amount(found.n_known + found.n_unknown)} unknown",
        corner="lower right" if usual else "upper left",
        description=sentence(found),
    )


def _lines(found: Bounded, ends: Sequence[tuple[Floats, Floats]]) -> list[Line]:
    """Return the lines of both ends."""
    styles = (Style(COLOURS[1], DASHES[1]), Style(COLOURS[2], DASHES[3]))
    labels = [
        f"{name}  {_short(found)} {value}"
        for name, value in zip(("Lowest", "Highest"), _ends(found), strict=True)
    ]
    return [
        Line(*end, label, style) for end, label, style in zip(ends, labels, styles, strict=True)
    ]


def _cap(counts: Any) -> tuple[Floats, Floats]:
    """Return as many points of a CAP as the eye can use."""
    curve = cap_curve(counts)
    drawn = curve if len(curve) <= MOST_POINTS else curve.simplify(TOLERANCE)
    return drawn.x, drawn.y


def _between(ends: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats, Floats]:
    """Return a band between two lines: x, and the lower and upper of both there."""
    x: Array = np.unique(np.concatenate([end[0] for end in ends]))
    heights = [np.interp(x, *end) for end in ends]
    return x, np.minimum(*heights), np.maximum(*heights)


def _difference(found: Bounded) -> Chart:
    first, second = plain_names(found.names)
    ends = [_gap(found, counts) for counts in (found.low_counts, found.high_counts)]
    x, low, high = _between(ends)
    lines = _lines(found, ends)
    if found.known_only is not None:
        label = f"Known alone  {_short(found)} {_value(found, found.known_only)}"
        lines.append(Line(*_gap(found, found.partial.known), label, Style(BLUE)))
    return Chart(
        title=f"How much more {first} captures than {second}",
        x=Axis("Share of cases", "percent", 1.0),
        y=Axis("Difference in positives captured", "percent"),
        lines=[*lines, reference([0, 1], [0, 0], "No difference")],
        bands=[Band(x, low, high, "Between both ends", BLUE)],
        head=f"{amount(found.n_unknown)} of {amount(found.n_known + found.n_unknown)} unknown",
        rising=True,
        description=sentence(found),
    )


def _gap(found: Bounded, counts: Any) -> tuple[Floats, Floats]:
    """Return the CAP of the first score less that of the second."""
    curves = [_cap(counts.margin(name)) for name in found.names]
    x: Array = np.unique(np.concatenate([curve[0] for curve in curves]))
    heights = [np.interp(x, *curve) for curve in curves]
    return x, heights[0] - heights[1]
