"""Whether numbers that somebody states beside a table can be true, alone and together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from capcurve.audit.given_ks import MOST_TOTALS, ks_given_ratio, ratio_given_ks
from capcurve.audit.mistakes import mistake
from capcurve.audit.records import Claim, Range
from capcurve.audit.windows import Window
from capcurve.view.format import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capcurve.audit.ranges import Allowed
    from capcurve.audit.stated import Stated

NOTHING = Window(Fraction(1), Fraction(0))


def judged(
    claims: Sequence[Stated], allowed: Allowed, assumed: Allowed | None = None
) -> tuple[Claim, ...]:
    """Return the claims judged by what a table allows.

    `assumed` is what is allowed under an assumption about the population, which a sample need not
    meet: it is told of, and refutes nothing.
    """
    ranges = [range_of(claim, allowed) for claim in claims]
    alone = [
        _meets(claim, _ends(found), allowed) for claim, found in zip(claims, ranges, strict=True)
    ]
    results = []
    for i, (claim, found) in enumerate(zip(claims, ranges, strict=True)):
        others = [other for j, other in enumerate(claims) if j != i and alone[j]]
        ends = _given(claim, others, _ends(found), allowed)
        together = alone[i] and _meets(claim, ends, allowed)
        wrong = mistake(claim.metric, claim.window, allowed.tables, possible=together)
        words = _message(claim, found, allowed, alone=alone[i], together=together)
        words += _of_others(others, ends, together=together) if ends != _ends(found) else ""
        words += "" if assumed is None or not together else _of_population(claim, assumed)
        words += "" if wrong is None else f" It is {wrong}."
        given = None if ends == _ends(found) else _narrowed(found, ends)
        low, high = map(float, claim.window)
        results.append(
            Claim(claim.name, claim.said, low, high, together, found, given, wrong, words)
        )
    return tuple(results)


def range_of(claim: Stated, allowed: Allowed) -> Range:
    """Return the range of what a claim is about."""
    number_of = getattr(allowed, claim.metric)
    found: Range = number_of() if claim.q is None else number_of(claim.q)
    return found


def _ends(found: Range) -> Window:
    if found.exact is None:
        return Window(Fraction(found.low), Fraction(found.high))
    return Window(found.exact[0], found.exact[2])


def _meets(claim: Stated, ends: Window, allowed: Allowed) -> bool:
    """Tell whether a claim meets a range and, of one table, holds a number that pairs give."""
    both = _cut(ends, claim.window)
    if both.low > both.high:
        return False
    step = step_of(claim, allowed)
    return step is None or floor(both.high / step) >= ceil(both.low / step)


def _cut(one: Window, other: Window) -> Window:
    return Window(max(one.low, other.low), min(one.high, other.high))


def step_of(claim: Stated, allowed: Allowed) -> Fraction | None:
    """Return what half a pair of one positive and one negative is worth, where it is known."""
    only = allowed.tables.only
    if only is None or claim.ratio is None or not only.counted:
        return None
    return Fraction(1, (1 if claim.metric == "accuracy_ratio" else 2) * only.n1 * only.n0)


def _given(claim: Stated, others: Sequence[Stated], ends: Window, allowed: Allowed) -> Window:
    """Return what other claims leave of a range; from high to low where they leave nothing."""
    for other in others:
        ends = _cut(ends, _left(claim, other, ends, allowed))
    return ends


def _left(claim: Stated, other: Stated, ends: Window, allowed: Allowed) -> Window:
    """Return what one other claim leaves, all of `ends` where nothing is known of both."""
    if claim.name == other.name:
        return other.window
    ratio, said = claim.ratio, other.ratio
    if ratio is not None and said is not None:
        return _as(claim, said)
    if len(allowed.tables) > MOST_TOTALS or "ks" not in {claim.metric, other.metric}:
        return ends
    if ratio is not None:
        found = ratio_given_ks(allowed, other.window)
        return NOTHING if found is None else _as(claim, found)
    if said is not None:
        gaps = ks_given_ratio(allowed, said)
        return NOTHING if gaps is None else gaps
    return ends


def _as(claim: Stated, ratio: Window) -> Window:
    """Return a window of accuracy ratios in the metric of a claim."""
    if claim.metric == "accuracy_ratio":
        return ratio
    return Window((1 + ratio.low) / 2, (1 + ratio.high) / 2)


def _narrowed(found: Range, ends: Window) -> Range | None:
    """Return a range cut by other claims, or None where nothing is left of it."""
    if ends.low > ends.high:
        return None
    low, high = map(float, ends)
    straight = tuple(min(max(each, low), high) for each in found.straight)
    table = found.table if found.table is not None and low <= found.table <= high else None
    return replace(
        found,
        low=low,
        high=high,
        table=table,
        sharp=False,
        straight=(straight[0], straight[1]),
        exact=None,
    )


def _message(claim: Stated, found: Range, allowed: Allowed, *, alone: bool, together: bool) -> str:
    """Return the judgement in one sentence."""
    start = f"The claimed {claim.words} of {claim.said} is "
    low, high = number(found.low), number(found.high)
    allows = f"the table allows {low} to {high}" if low != high else f"the table allows {low} alone"
    if together:
        return f"{start}possible: {allows}."
    if alone:
        return f"{start}possible by itself, but not together with the other claims."
    window, ends = claim.window, _ends(found)
    if window.low <= ends.high and ends.low <= window.high:
        step = step_of(claim, allowed) or Fraction(1)
        return (
            f"{start}impossible: with {allowed.tables.least.n1:,} positives and "
            f"{allowed.tables.least.n0:,} negatives it moves in steps of {number(float(step))}, "
            "and none falls there."
        )
    return f"{start}impossible: {allows}."


def _of_others(others: Sequence[Stated], ends: Window, *, together: bool) -> str:
    """Return what the other claims leave, in a sentence."""
    said = " and ".join(f"{other.words} of {other.said}" for other in others)
    if ends.low > ends.high or not together:
        return f" Stated beside it: {said}."
    return f" With the {said} it is {number(float(ends.low))} to {number(float(ends.high))}."


def _of_population(claim: Stated, assumed: Allowed) -> str:
    """Return where a claim passes what the population allows, in a sentence."""
    found = range_of(claim, assumed)
    if _cut(_ends(found), claim.window).low <= _cut(_ends(found), claim.window).high:
        return ""
    return (
        f" A population with a concave curve has {number(found.low)} to {number(found.high)}; "
        "chance inside the bins can take a sample beyond that."
    )
