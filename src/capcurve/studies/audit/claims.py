"""Whether numbers stated beside a table can be true, alone and together, or are something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from capcurve.metrics import METRICS
from capcurve.numbers.arguments import as_name, told
from capcurve.show.format import certain, form_of, number, percent
from capcurve.studies.audit.bins import (
    Bins,
    accuracy_ratio,
    auc,
    captured_cases,
    ks_side,
    pairs_won,
)
from capcurve.studies.audit.printed import Rounding, Window, window
from capcurve.studies.audit.ranges import AllowedRankings, least_gap
from capcurve.studies.audit.reading.texts import number_in
from capcurve.studies.audit.records import WHOLE_TABLE, Claim, Range, metric_in_words
from capcurve.studies.audit.tables import Problem, Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


AT_A_DEPTH = ("captured", "lift", "precision")
ALSO = {**METRICS.some(WHOLE_TABLE).aliases, "captured_response": "captured"}
NOTHING = Window(Fraction(1), Fraction(0))
DECIMALS, MOST_DECIMALS = 3, 12
MOST_TOTALS_OF_A_MISTAKE = 50
READ_OTHERWISE = "The table is read otherwise there than for its ranges."
# A claim to fewer digits meets most numbers by chance.
MOST_OF_A_DIGIT = Fraction(1, 100)
HALVINGS = 50
MOST_TOTALS_TRIED = 200


@dataclass(frozen=True, slots=True)
class Stated:
    """A number that somebody states beside a table."""

    metric: str  # what it is a number of
    q: Fraction | None  # at which share of cases, or None
    said: str  # the number as stated
    window: Window  # where the number behind it lies

    @property
    def name(self) -> str:
        """The metric with its depth, such as "captured@0.1"."""
        return self.metric if self.q is None else f"{self.metric}@{float(self.q):g}"

    @property
    def ratio(self) -> Window | None:
        """Where the accuracy ratio lies, if the number is that or the AUC."""
        if self.metric == "roc_auc":
            return Window(2 * self.window.low - 1, 2 * self.window.high - 1)
        return self.window if self.metric == "accuracy_ratio" else None

    @property
    def words(self) -> str:
        """The metric in words."""
        return metric_in_words(self.name)


def stated(claims: Any, rounding: Rounding) -> tuple[Stated, ...]:
    """Return claims as they were stated, else raise ValueError."""
    if claims is None:
        return ()
    if not isinstance(claims, Mapping):
        raise TypeError(
            f'claims must map metrics to numbers, as {{"ks": "0.37"}}, got {told(claims)}'
        )
    found: list[Stated] = []
    for name, said in claims.items():
        metric, q = _metric(name)
        every = said if isinstance(said, list | tuple) else [said]
        found += [Stated(metric, q, str(one), _window(metric, one, rounding)) for one in every]
    return tuple(found)


def _metric(name: Any) -> tuple[str, Fraction | None]:
    """Return a metric and its depth, of "ks", "captured@0.1" or ("captured", 0.1)."""
    parts = name if isinstance(name, tuple) else str(name).split("@")
    metric = as_name(parts[0], "what is claimed", (*WHOLE_TABLE, *AT_A_DEPTH), ALSO)
    if metric in WHOLE_TABLE and len(parts) == 1:
        return metric, None
    depth = number_in(parts[1]) if len(parts) == 2 else None  # noqa: PLR2004 - metric and depth
    if depth is None or metric in WHOLE_TABLE:
        raise ValueError(
            f"{told(name)} is not understood: write ks, accuracy_ratio or roc_auc, or captured, "
            "lift or precision with a share of cases, as captured@0.1"
        )
    q = depth.stated
    if not 0 < q <= 1:
        raise ValueError(f"the share of cases in {told(name)} must lie in (0, 1]")
    return metric, q


def _window(metric: str, said: Any, rounding: Rounding) -> Window:
    """Return where a claimed number lies; beyond 1 all but a lift is in per cent."""
    comma = isinstance(said, str) and "," in said and "." not in said
    found = number_in(said, "," if comma else ".")
    if found is None:
        raise ValueError(f"the claimed {metric} must be a number such as 0.37, got {told(said)}")
    in_percent = found.percent or (metric != "lift" and abs(found.value) > 1)
    signed = metric in {"accuracy_ratio", "ks"}
    return window(found, rounding, Fraction(1, 100 if in_percent else 1), signed=signed)


def judged(
    claims: Sequence[Stated], allowed: AllowedRankings, assumed: AllowedRankings | None = None
) -> tuple[Claim, ...]:
    """Return the claims judged by what a table allows, and beside what a population allows."""
    # What is assumed of the population a sample need not meet: that is mentioned, not refuted.
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
    allowed: AllowedRankings,
    assumed: AllowedRankings | None,
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


def _range_of(claim: Stated, allowed: AllowedRankings) -> Range:
    """Return the range of what a claim is about."""
    number_of = getattr(allowed, claim.metric)
    found: Range = number_of() if claim.q is None else number_of(claim.q)
    return found


def _ends_of(found: Range) -> Window:
    """Return the ends of a range, exactly where they are known so."""
    if found.exact is None:
        return Window(Fraction(found.low), Fraction(found.high))
    return Window(found.exact[0], found.exact[2])


def _meets(claim: Stated, ends: Window, allowed: AllowedRankings) -> bool:
    """Tell whether a claim meets a range and, of one table, holds a number that pairs give."""
    both = ends.cut(claim.window)
    if both.is_empty:
        return False
    step = _step_of(claim, allowed)
    return step is None or floor(both.high / step) >= ceil(both.low / step)


def _step_of(claim: Stated, allowed: AllowedRankings) -> Fraction | None:
    """Return what half a pair of one positive and one negative is worth, where it is known."""
    only = allowed.tables.only
    if only is None or claim.ratio is None or not only.counted:
        return None
    return Fraction(1, (1 if claim.metric == "accuracy_ratio" else 2) * only.n1 * only.n0)


def _beside(
    claim: Stated, claims: Sequence[Stated], ends: Window, allowed: AllowedRankings
) -> tuple[Window, str | None]:
    """Return what claims of other metrics leave of a range, and which of them leave no room."""
    # Several numbers stated of one metric are alternatives.
    against = None
    for name in dict.fromkeys(other.name for other in claims if other.name != claim.name):
        others = [other for other in claims if other.name == name]
        left = [ends.cut(_left(claim, other, ends, allowed)) for other in others]
        open_ = [each for each in left if not each.is_empty]
        if against is None and not any(_meets(claim, each, allowed) for each in open_):
            against = f"{others[0].words} of {' or '.join(other.said for other in others)}"
        ends = Window.around(open_) or ends
    return ends, against


def _left(claim: Stated, other: Stated, ends: Window, allowed: AllowedRankings) -> Window:
    """Return what one other claim leaves, all of `ends` where nothing is known of both."""
    ratio, said = claim.ratio, other.ratio
    if ratio is not None and said is not None:
        return _as(claim, said)
    if other.q is not None:
        return _given_share(claim, other, ends, allowed)
    if claim.q is not None:
        left = _given_share(other, claim, _ends_of(_range_of(other, allowed)), allowed)
        return ends if _meets(other, left, allowed) else NOTHING
    tables = allowed.tables
    few = len(tables) <= MOST_TOTALS_TRIED and allowed.problem.known
    if not (few and all(each.least == each.greatest for each in tables.each())):
        return ends
    if ratio is not None:
        found = ratio_given_ks(allowed, other.window)
        return NOTHING if found is None else _as(claim, found)
    gaps = None if said is None else ks_given_ratio(allowed, said)
    return NOTHING if gaps is None else gaps


def _given_share(claim: Stated, share: Stated, ends: Window, allowed: AllowedRankings) -> Window:
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


def _message(claim: Stated, found: Range, allowed: AllowedRankings, *, possible: bool) -> str:
    """Return the judgement in one sentence."""
    start = f"The claimed {claim.words} of {claim.said}"
    step, words = _step_of(claim, allowed), _allowed_words(found, claim)
    if possible:
        # Not every number inside a range need be that of some ranking.
        exact = step is not None or found.low == found.high
        verdict = "is possible: the table allows" if exact else "lies in what the table allows:"
        return f"{start} {verdict} {words}."
    if _ends_of(found).cut(claim.window).is_empty:
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
    """Return a range in words, with digits enough to tell its ends from a claim."""
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


def _of_population(claim: Stated, assumed: AllowedRankings) -> Iterator[str]:
    """Yield where a claim passes what the population allows, in a sentence."""
    found = _range_of(claim, assumed)
    if _ends_of(found).cut(claim.window).is_empty:
        yield (
            f"A population with a concave curve has {_allowed_words(found)}; chance inside the "
            "bins can take a sample beyond that."
        )


def cap_area(bins: Bins) -> Fraction:
    """Return the area under the CAP, straight between the table's points."""
    twice = sum((p + p0) * (p - p0 + m - m0) for p0, p, m0, m in bins.each())
    return Fraction(twice, 2 * bins.n * bins.n1)


def origin_left_out(bins: Bins) -> Fraction:
    """Return the accuracy ratio of a CAP that begins at the end of the first bin."""
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
    spans = (Window(right(low, "table"), right(high, "table")) for low, high in pairs)
    if not all(span.cut(window).is_empty for span in spans):
        return None
    if window.high - window.low > MOST_OF_A_DIGIT and possible:
        return None
    for low, high in pairs:
        for (words, first), (_, last) in zip(wrong(low), wrong(high), strict=True):
            if not Window(min(first, last), max(first, last)).cut(window).is_empty:
                return words
    return None


def highest_given(bins: Bins, gap: Fraction) -> Fraction | None:
    """Return a bound of the accuracy ratio of rankings with such a KS, or None if there is none.

    >>> highest_given(Bins((2, 3), (1, 3)), Fraction(1, 2))
    Fraction(13, 18)
    """
    # Curves of a KS of k stay between the lines on which the shares of positives and negatives
    # captured differ by k and -k, and touch one of them. This is the area under positives first in
    # every bin, cut at the line of the gap. Where that curve nowhere reaches the line it must come
    # down to the other one, in the bin where that costs least.
    n1, n0 = bins.n1, bins.n0
    if least_gap(bins, bins) > gap:
        return None
    area = Fraction(pairs_won(bins, "high"), 2)
    if ks_side(bins, "high") >= gap:
        for _, p, m0, m in bins.each():
            cut = min(n0 * (Fraction(p, n1) - gap), Fraction(m)) - m0
            area -= max(cut, Fraction(0)) ** 2 * n1 / n0 / 2
    else:
        losses = list(_losses(bins, gap))
        if not losses:
            return None
        area -= min(losses)
    return Fraction(2 * area, n1 * n0) - 1


def _losses(bins: Bins, gap: Fraction) -> Iterable[Fraction]:
    """Yield what it costs to come down to the line of the gap's other sign, bin by bin."""
    n1, n0 = bins.n1, bins.n0
    for p0, p, m0, m in bins.each():
        start = max(Fraction(m0), n0 * (Fraction(p0, n1) + gap))
        end = min(Fraction(m), n0 * (Fraction(p, n1) + gap))
        if start <= end:
            for x in (start, end):
                yield (x - m0) * (p - n1 * (x / n0 - gap))


def ratio_given_ks(allowed: AllowedRankings, window: Window) -> Window | None:
    """Return which accuracy ratios go together with a KS inside a window, or None."""
    tables = allowed.tables.each(MOST_TOTALS_TRIED)
    return Window.around(_ratio_of_one(allowed, each, window) for each in tables)


def _ratio_of_one(allowed: AllowedRankings, tables: Tables, window: Window) -> Window | None:
    problem = allowed.problem
    within = problem.within_gap(tables, window.high) if problem.known else tables
    if within is None:
        return None
    ends = _ks_ends(within)
    if window.low > ends.high:
        return None
    high = _highest_at(within.greatest, window, ends)
    # The bound from below is that of the classes exchanged, from above.
    low = _highest_at(within.least.swapped, window, ends)
    return None if low is None or high is None else Window(-low, high)


def _highest_at(bins: Bins, window: Window, ends: Window) -> Fraction | None:
    """Return the bound at the KS that leaves most room: of the free curve, or nearest to it."""
    free = min(ks_side(bins, "high"), window.high, ends.high)
    return highest_given(bins, max(least_gap(bins, bins), window.low, free))


def _ks_ends(tables: Tables) -> Window:
    """Return from where to where the two-sided KS lies at most."""
    high = max(ks_side(tables.greatest, "high"), ks_side(tables.least.swapped, "high"))
    return Window(least_gap(tables.least, tables.greatest), Fraction(high))


def ks_given_ratio(allowed: AllowedRankings, window: Window) -> Window | None:
    """Return which two-sided KS go together with an accuracy ratio inside a window, or None."""
    tables = allowed.tables.each(MOST_TOTALS_TRIED)
    return Window.around(_ks_of_one(each, window) for each in tables)


def _ks_of_one(tables: Tables, window: Window) -> Window | None:
    """Return the KS whose accuracy ratios meet the window, halving the way to its ends."""
    ends = _ks_ends(tables)
    above = _stretch(tables.greatest, window.low, ends)
    below = _stretch(tables.least.swapped, -window.high, ends)
    if above is None or below is None:
        return None
    span = above.cut(below)
    return None if span.is_empty else span


def _stretch(bins: Bins, ratio: Fraction, ends: Window) -> Window | None:
    """Return the stretch around the best KS on which the bound reaches an accuracy ratio."""

    def reaches(gap: Fraction) -> bool:
        found = highest_given(bins, max(gap, least_gap(bins, bins)))
        return found is not None and found >= ratio

    middle = min(max(ks_side(bins, "high"), ends.low), ends.high)
    if not reaches(middle):
        return None
    return Window(_edge(reaches, middle, ends.low), _edge(reaches, middle, ends.high))


def _edge(holds: Callable[[Fraction], bool], inside: Fraction, end: Fraction) -> Fraction:
    if holds(end):
        return end
    outside = end
    for _ in range(HALVINGS):
        # Short fractions, lest their digits grow.
        middle = Fraction(float(inside + outside) / 2)
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return outside


def given_share(allowed: AllowedRankings, claim: Stated) -> AllowedRankings | bool:
    """Return what is allowed where a share captured is as claimed, False if no ranking has it."""
    only, q = allowed.tables.only, claim.q
    if only is None or q is None or not only.counted or (q * only.n).denominator > 1:
        return True  # nothing is known: several tables fit, or the depth lies inside a case
    prevalence = Fraction(only.n1, only.n)
    factor = {"captured": Fraction(1), "lift": q, "precision": q / prevalence}[claim.metric]
    t, window = int(q * only.n), Window(claim.window.low * factor, claim.window.high * factor)
    # Not cut to whole positives: a score that cases on both sides share is split there.
    low = max(captured_cases(only, t, "low"), window.low * only.n1)
    high = min(captured_cases(only, t, "high"), window.high * only.n1)
    if low > high:
        return False
    # All rankings between two tables that differ at one point.
    least, greatest = _with_point(only, t, low), _with_point(only, t, high)
    cases = [p + m for p, m in zip(least.positives, least.negatives, strict=True)]
    sizes = tuple(b - a for a, b in pairwise([0, *cases]))
    problem = Problem.of_sizes(sizes, (), (least.n1,), whole=False)
    return AllowedRankings(problem, Tables(least, greatest, (0,) * len(sizes), sizes))


def _with_point(bins: Bins, t: int, positives: Fraction) -> Bins:
    """Return a table with one more point, so many positives among the first t cases."""
    ends = {p + m: p for p, m in zip(bins.positives, bins.negatives, strict=True)}
    running = dict(sorted((ends | {t: positives}).items()))
    return Bins.of(tuple(running), tuple(running.values()))
