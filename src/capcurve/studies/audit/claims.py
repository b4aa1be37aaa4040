"""Whether numbers stated beside a table can be true, alone and together, or are something else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from capcurve.show.format import certain, form_of, number, percent
from capcurve.studies.audit.bins import accuracy_ratio, auc
from capcurve.studies.audit.given import (
    MOST_TOTALS_TRIED,
    given_share,
    ks_given_ratio,
    ratio_given_ks,
)
from capcurve.studies.audit.known_sizes import KnownSizes
from capcurve.studies.audit.printed import Window
from capcurve.studies.audit.records import Claim, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.studies.audit.bins import Bins
    from capcurve.studies.audit.ranges import Allowed
    from capcurve.studies.audit.stated import Stated
    from capcurve.studies.audit.tables import Tables

NOTHING = Window(Fraction(1), Fraction(0))
DECIMALS, MOST_DECIMALS = 3, 12
MOST_TOTALS_OF_A_MISTAKE = 50
READ_OTHERWISE = "The table is read otherwise there than for its ranges."
# A claim to fewer digits meets most numbers by chance.
MOST_OF_A_DIGIT = Fraction(1, 100)


def judged(
    claims: Sequence[Stated], allowed: Allowed, assumed: Allowed | None = None
) -> tuple[Claim, ...]:
    """Return the claims judged by what a table allows.

    `assumed` is what is allowed under an assumption about the population, which a sample need not
    meet: it is mentioned, and refutes nothing.
    """
    ranges = [_range_of(claim, allowed) for claim in claims]
    possible = [
        _meets(claim, _ends_of(found), allowed) for claim, found in zip(claims, ranges, strict=True)
    ]
    likely = [claim for claim, can_be in zip(claims, possible, strict=True) if can_be]
    return tuple(
        _judged(claim, found, likely if can_be else [], allowed, assumed, possible=can_be)
        for claim, found, can_be in zip(claims, ranges, possible, strict=True)
    )


def over_readings(read: Sequence[tuple[Claim, ...]]) -> tuple[Claim, ...]:
    """Return each claim as judged in the first of several readings in which it can be true."""
    found = []
    for judgements in zip(*read, strict=True):
        best = max(judgements, key=lambda claim: (claim.possible, claim.together))
        if best is not judgements[0]:
            best = replace(best, message=f"{best.message} {READ_OTHERWISE}")
        found.append(best)
    return tuple(found)


def _judged(
    claim: Stated,
    found: Range,
    others: Sequence[Stated],
    allowed: Allowed,
    assumed: Allowed | None,
    *,
    possible: bool,
) -> Claim:
    """Return one claim judged, by itself and beside others that are possible."""
    given, against = _beside(claim, others, _ends_of(found), allowed)
    wrong = mistake(claim.metric, claim.window, allowed.tables, possible=possible)
    words = [_message(claim, found, allowed, possible=possible)]
    if against is not None:
        words.append(f"It cannot be true together with the claimed {against}.")
    if assumed is not None and possible:
        words += _of_population(claim, assumed)
    if wrong is not None:
        words.append(f"It is {wrong}.")
    return Claim(
        metric=claim.name,
        said=claim.said,
        low=float(claim.window.low),
        high=float(claim.window.high),
        possible=possible,
        together=against is None,
        range=found,
        given=_narrowed(found, given),
        mistake=wrong,
        message=" ".join(words),
    )


def _range_of(claim: Stated, allowed: Allowed) -> Range:
    """Return the range of what a claim is about."""
    number_of = getattr(allowed, claim.metric)
    found: Range = number_of() if claim.q is None else number_of(claim.q)
    return found


def _ends_of(found: Range) -> Window:
    """Return the ends of a range, exactly where they are known so."""
    if found.exact is None:
        return Window(Fraction(found.low), Fraction(found.high))
    return Window(found.exact[0], found.exact[2])


def _meets(claim: Stated, ends: Window, allowed: Allowed) -> bool:
    """Tell whether a claim meets a range and, of one table, holds a number that pairs give."""
    both = _cut(ends, claim.window)
    if both.low > both.high:
        return False
    step = _step_of(claim, allowed)
    return step is None or floor(both.high / step) >= ceil(both.low / step)


def _cut(one: Window, other: Window) -> Window:
    return Window(max(one.low, other.low), min(one.high, other.high))


def _step_of(claim: Stated, allowed: Allowed) -> Fraction | None:
    """Return what half a pair of one positive and one negative is worth, where it is known."""
    only = allowed.tables.only
    if only is None or claim.ratio is None or not only.counted:
        return None
    return Fraction(1, (1 if claim.metric == "accuracy_ratio" else 2) * only.n1 * only.n0)


def _beside(
    claim: Stated, claims: Sequence[Stated], ends: Window, allowed: Allowed
) -> tuple[Window, str | None]:
    """Return what claims of other metrics leave of a range, and which of them leave no room.

    Several numbers stated of one metric are alternatives.
    """
    against = None
    for name in dict.fromkeys(other.name for other in claims if other.name != claim.name):
        others = [other for other in claims if other.name == name]
        left = [_cut(ends, _left(claim, other, ends, allowed)) for other in others]
        open_ = [each for each in left if each.low <= each.high]
        if against is None and not any(_meets(claim, each, allowed) for each in open_):
            against = f"{others[0].words} of {' or '.join(other.said for other in others)}"
        if open_:
            ends = Window(min(each.low for each in open_), max(each.high for each in open_))
    return ends, against


def _left(claim: Stated, other: Stated, ends: Window, allowed: Allowed) -> Window:
    """Return what one other claim leaves, all of `ends` where nothing is known of both."""
    ratio, said = claim.ratio, other.ratio
    if ratio is not None and said is not None:
        return _as(claim, said)
    if other.q is not None:
        return _given_share(claim, other, ends, allowed)
    if claim.q is not None:
        left = _given_share(other, claim, _ends_of(_range_of(other, allowed)), allowed)
        return ends if _meets(other, left, allowed) else NOTHING
    if not _each_alone(allowed):
        return ends
    if ratio is not None:
        found = ratio_given_ks(allowed, other.window)
        return NOTHING if found is None else _as(claim, found)
    gaps = None if said is None else ks_given_ratio(allowed, said)
    return NOTHING if gaps is None else gaps


def _each_alone(allowed: Allowed) -> bool:
    """Tell whether a single table fits with each number of positives, of which there are few."""
    tables = allowed.tables
    if len(tables) > MOST_TOTALS_TRIED or not isinstance(allowed.problem, KnownSizes):
        return False
    return all(each.least == each.greatest for each in tables.each())


def _given_share(claim: Stated, share: Stated, ends: Window, allowed: Allowed) -> Window:
    """Return what a share captured leaves of another number."""
    left = given_share(allowed, share)
    if isinstance(left, bool):
        return ends if left else NOTHING
    return _ends_of(_range_of(claim, left))


def _as(claim: Stated, ratio: Window) -> Window:
    """Return a window of accuracy ratios in the metric of a claim."""
    if claim.metric == "accuracy_ratio":
        return ratio
    return Window((1 + ratio.low) / 2, (1 + ratio.high) / 2)


def _narrowed(found: Range, ends: Window) -> Range | None:
    """Return a range cut by other claims, or None where these add nothing."""
    if ends == _ends_of(found):
        return None
    low, high = map(float, ends)
    straight = [min(max(each, low), high) for each in found.straight]
    table = found.table if found.table is not None and low <= found.table <= high else None
    return Range(low, table, high, sharp=False, straight=(straight[0], straight[1]))


def _message(claim: Stated, found: Range, allowed: Allowed, *, possible: bool) -> str:
    """Return the judgement in one sentence."""
    start = f"The claimed {claim.words} of {claim.said}"
    step, words = _step_of(claim, allowed), _allowed_words(found, claim)
    if possible:
        # Not every number inside a range need be that of some ranking.
        exact = step is not None or found.low == found.high
        verdict = "is possible: the table allows" if exact else "lies in what the table allows:"
        return f"{start} {verdict} {words}."
    if _cut(_ends_of(found), claim.window).low > _cut(_ends_of(found), claim.window).high:
        return f"{start} is impossible: the table allows {words}."
    least = allowed.tables.at(0).least
    return (
        f"{start} is impossible: with {least.n1:,} positives and {least.n0:,} negatives it moves "
        f"in steps of {_step_in_words(step or Fraction(0))}, and none falls there."
    )


def _step_in_words(step: Fraction) -> str:
    """Return a step in full where few digits hold it.

    >>> _step_in_words(Fraction(1, 16)), _step_in_words(Fraction(1, 9))
    ('0.0625', 'about 0.11')
    """
    text = f"{float(step):.4g}"
    return text if Fraction(text) == step else f"about {float(step):.2g}"


def _allowed_words(found: Range, claim: Stated | None = None) -> str:
    """Return a range in words, its ends rounded away from each other.

    Digits enough to tell them from a claim.
    """
    ends, digits = _ends_of(found), DECIMALS
    if claim is not None:
        digits = max(
            digits, *(_decimals(abs(a - b)) for a, b in zip(ends, claim.window[::-1], strict=True))
        )
    share = claim is not None and form_of(claim.metric) == "share"
    low, high = (
        percent(end, digits - 2) if share else number(end, digits)
        for end in certain(found.low, found.high)
    )
    return f"{low} alone" if ends.low == ends.high else f"{low} to {high}"


def _decimals(gap: Fraction) -> int:
    """Return how many decimals show a gap, 12 at most."""
    return next((d for d in range(MOST_DECIMALS) if gap * 10**d >= 1), 0)


def _of_population(claim: Stated, assumed: Allowed) -> Iterator[str]:
    """Yield where a claim passes what the population allows, in a sentence."""
    found = _range_of(claim, assumed)
    both = _cut(_ends_of(found), claim.window)
    if both.low > both.high:
        yield (
            f"A population with a concave curve has {_allowed_words(found)}; chance inside the "
            "bins can take a sample beyond that."
        )


def cap_area(bins: Bins) -> Fraction:
    """Return the area under the CAP, straight between the table's points.

    >>> from capcurve.studies.audit.bins import Bins
    >>> cap_area(Bins((2, 3), (1, 3)))
    Fraction(7, 12)
    """
    twice = sum((p + p0) * (p - p0 + m - m0) for p0, p, m0, m in bins.each())
    return Fraction(twice, 2 * bins.n * bins.n1)


def origin_left_out(bins: Bins) -> Fraction:
    """Return the accuracy ratio of a CAP that begins at the end of the first bin.

    >>> from capcurve.studies.audit.bins import Bins
    >>> origin_left_out(Bins((2, 3), (1, 3)))
    Fraction(-1, 3)
    """
    first = bins.positives[0] * (bins.positives[0] + bins.negatives[0])
    area = cap_area(bins) - Fraction(first, 2 * bins.n * bins.n1)
    return Fraction((2 * area - 1) * bins.n, bins.n0)


def of_the_ratio(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the accuracy ratio of a table, in words and as a number."""
    prevalence = Fraction(bins.n1, bins.n)
    straight = accuracy_ratio(bins, "table")
    area = cap_area(bins)
    yield "the AUC of the table", auc(bins, "table")
    lorenz = "the Gini coefficient of the table's Lorenz curve, (1 - prevalence)·AR"
    yield lorenz, (1 - prevalence) * straight
    yield "the area under the CAP over that under the perfect CAP", area / (1 - prevalence / 2)
    yield "the area under the CAP", area
    yield "the accuracy ratio with the curve's start at the origin left out", origin_left_out(bins)
    yield "what positives first in every bin give", accuracy_ratio(bins, "high")
    yield "what negatives first in every bin give", accuracy_ratio(bins, "low")


def of_the_auc(bins: Bins) -> Iterator[tuple[str, Fraction]]:
    """Yield what passes for the AUC of a table, in words and as a number."""
    yield "the accuracy ratio of the table", accuracy_ratio(bins, "table")
    yield "the area under the CAP", cap_area(bins)
    yield "what positives first in every bin give", auc(bins, "high")
    yield "what negatives first in every bin give", auc(bins, "low")


def mistake(metric: str, window: Window, tables: Tables, *, possible: bool) -> str | None:
    """Return what a claimed accuracy ratio or AUC is instead, in words, or None."""
    if metric not in {"accuracy_ratio", "roc_auc"}:
        return None
    right, wrong = (
        (accuracy_ratio, of_the_ratio) if metric == "accuracy_ratio" else (auc, of_the_auc)
    )
    pairs = [(each.least, each.greatest) for each in tables.each(MOST_TOTALS_OF_A_MISTAKE)]
    if any(
        right(low, "table") <= window.high and window.low <= right(high, "table")
        for low, high in pairs
    ):
        return None
    if window.high - window.low > MOST_OF_A_DIGIT and possible:
        return None
    for low, high in pairs:
        for (words, first), (_, last) in zip(wrong(low), wrong(high), strict=True):
            if min(first, last) <= window.high and window.low <= max(first, last):
                return words
    return None
