"""Findings: what a careful reader would notice about the counts, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from capcurve.counts import ScoreCounts
from capcurve.counts.partial import PartialCounts
from capcurve.counts.settings import NO_EXPOSURE
from capcurve.counts.table import wide
from capcurve.counts.times import other_horizon
from capcurve.gate.given import is_amounts
from capcurve.inference import Interval, Test, confidence_interval, monotonicity_test
from capcurve.inference.designs import FEW_CASES
from capcurve.inference.discrimination import is_near_chance
from capcurve.inference.limits import UNSEEN_KIND
from capcurve.inference.monotone import MOST_GRADES, is_far_from_rising
from capcurve.inference.rates import TwoGroups, one_sided
from capcurve.metrics import accuracy_ratio, accuracy_ratio_bounds, tie_mass
from capcurve.numbers.arguments import Word, arg, spoken, told, word
from capcurve.numbers.periods import first_days
from capcurve.results.horizon import about_horizon
from capcurve.results.verdict import chance_among, ranks_of
from capcurve.show.format import chance_text, counted, cutoff_text, number, outward, percent, signed
from capcurve.show.presentation import Finding, gravest_first

if TYPE_CHECKING:
    from capcurve.counts import Amounts, Dropped, Ranking, ValueCounts

ScoresOfPDs: TypeAlias = bool | str | Collection[str] | Mapping[Any, Any] | None

# Real scores hardly reach the first; chance must leave at least the second, that few cases which
# happen to be in order are no reason to suspect the data.
SUSPICIOUS_RATIO, LEAST_SUSPICIOUS_RATIO = 0.98, 0.9
# In grades a leak through 98% of positives looks like a normal score that is not quite as good.
SUSPICIOUS_IN_GRADES = 0.97
# The share of positives above every negative, as a power of that above all but √n0 of them: 2 of a
# ROC that is a power law, more of normal scores of equal spread. Simulated, 1% of healthy scores
# have less than this and so low a chance at most; of those with the heaviest tails, up to 14% do.
LEAST_POWER, CHANCE_OF_A_RUN = 1.3, 0.001
HEAVY_TIES = 0.02
# One amount this large decides the numbers, and limits cannot tell how rare its like is.
LARGE_SHARE = 0.1
JUMP = 0.02  # from here on one amount is seen as a jump in a curve
MOST_OF_THE_CASES = 0.5  # more cases in one grade than in all others together
# What speaks of chance at 5% at most, whatever level the intervals have: a warning that is wrong
# more often is soon ignored.
CHANCE = 0.05
# Simulated, the test of falling rates rejects constant rates in up to 6% at 5% where grades are
# many and positives few, and nowhere in more than 5% at this.
CHANCE_OF_A_RISE = 0.04
# Named in a sentence: places on the scale; and segments, periods or grades.
MOST_NAMED, MOST_PARTS_NAMED = 3, 5
MOST_LABELS_NAMED = 8
# Segments of this many cases may be single people; a few small ones may be an example.
SMALL_SEGMENT = 5
MOST_SEGMENTS = 1000  # so many segments are ids, however many rows each has
SOME_SEGMENTS, MANY_SEGMENTS = 12, 60
NEGATIVE_AMOUNTS = "some amounts are below 0"
SIGNED_ADVICE = (
    "the accuracy ratio and curves in amounts remain valid; for shares of the losses alone, set "
    "amounts below 0 to 0"
)
RIGHT_COLUMN = "check that this is the right column"
LEAKS = "check that the score uses nothing that was known only after the outcome"
WHICH_KINDS = "ask which kinds of cases, such as fraud, this sample may lack"
ALWAYS_TOLD = ("dropped_rows", "dropped_labels", "no_exposure", "reversed", "censored_before")
TOO_GOOD = (
    "the risks are more spread out than the PDs, which are too low for the worst or too high for "
    "the best"
)
IF_INDEPENDENT = (
    " if defaults are independent, but not if one factor drives them all (asset correlation 12%)"
)
WIDENED = "; correlated defaults widen what chance explains"
TOO_BAD = (
    "the PDs are more spread out than the risks; look for inputs that no longer separate good from "
    "bad"
)


def findings_of_counts(
    counts: Ranking | Amounts, outline: Ranking | None = None, level: float = 0.95
) -> tuple[Finding, ...]:
    """Return what there is to know about counts, the gravest first."""
    # `outline` are counts with fewer cells that agree with them at the bins; `level` is that of the
    # verdict, which no finding contradicts.
    alpha = min(1 - level, CHANCE)
    if is_amounts(counts):
        found = [*_about_amounts(counts), *_about_the_order(counts, alpha)]
    else:
        found = [*_about_the_data(counts), *about_horizon(counts, level)]
        if counts.n1 > 0 and counts.n0 > 0:
            order = tuple(_about_the_order(counts, alpha, outline))
            found += [*order, *_about_ties(counts)]
            if all(each.code != "reversed" for each in order):  # whose rates rise all the way
                found += _about_rates(counts, outline or counts)
    return gravest_first(found)


def told_always(counts: Ranking | Amounts | PartialCounts) -> tuple[Finding, ...]:
    """Return what must be known whatever is asked for: rows left out, a reversed score."""
    if isinstance(counts, PartialCounts):
        counts = replace(cast("ScoreCounts", counts.known), dropped=counts.dropped)
    found = [*(_about_amounts(counts) if is_amounts(counts) else _about_the_data(counts))]
    found += about_horizon(counts)
    if has_accuracy_ratio(counts):
        found += _about_the_order(counts, CHANCE)
    return tuple(finding for finding in found if finding.code in ALWAYS_TOLD)


def looking_reversed(
    beside: Mapping[str, Ranking | Amounts], advice: str = ""
) -> tuple[Finding, ...]:
    """Return which of several scores or samples, by name, rank worse than chance."""
    found = []
    for name, counts in beside.items():
        for each in _about_the_order(counts, CHANCE) if has_accuracy_ratio(counts) else ():
            if each.code == "reversed":
                own = about_score(each, name)
                turn = advice or own.advice
                found.append(replace(own, message=f"{name}: {own.message}", advice=turn))
    return tuple(found)


def _about_the_data(counts: Ranking) -> Iterator[Finding]:
    if not len(counts):
        yield Finding("no_cases", "error", "there are no cases", "check what was selected")
        return
    positives, negatives = map(int, rows_of_classes(counts))
    for name, cases in (("positives", positives), ("negatives", negatives)):
        if cases == 0:
            said = f"there are no {name} among the {counted(counts.n, 'case')}"
            advice = "the accuracy ratio, AUC and KS need cases of both classes"
            yield Finding(f"no_{name}", "error", said, advice + other_horizon(counts, name))
        yield from few_cases(name, cases)
    yield from about_rows_left_out(counts.dropped, (negatives, positives))
    if _lacks_a_kind(counts):
        said = "the kind of the weights was not stated, so there are no intervals"
        advice = f"pass {word(weight_kind=('frequency', 'sampling', 'exposure'))}"
        yield Finding("weight_kind_unsaid", "info", said, advice)


def few_cases(name: str, cases: int) -> Iterator[Finding]:
    """Yield that a class, "positives" or "negatives", has too few cases for any number."""
    if 0 < cases < FEW_CASES:
        are = "is" if cases == 1 else "are"
        yield _too_few(name, f"there {are} only {counted(cases, name[:-1])}")


def _too_few(name: str, said: str) -> Finding:
    advice = f"wait for more cases, or pool periods; {FEW_CASES} is a usual minimum"
    return Finding(f"few_{name}", "warning", f"{said}, so every number is uncertain", advice)


def about_kinds(counts: Ranking, intervals: Mapping[str, Interval]) -> Iterator[Finding]:
    """Yield what the accuracy ratio of few cases could be, were a kind of them not seen."""
    if min(rows_of_classes(counts)) < FEW_CASES and "accuracy_ratio" in intervals:
        for note in intervals["accuracy_ratio"].notes:
            if note.startswith(UNSEEN_KIND):
                yield Finding("kind_unseen", "info", note, WHICH_KINDS)


def _about_amounts(values: Amounts) -> Iterator[Finding]:
    if not values.n:
        yield Finding("no_cases", "error", "there are no cases", "check what was selected")
        return
    if values.m == 0:
        said = f"none of the {counted(values.n, 'case')} has an amount"
        yield Finding("no_amount", "error", said, RIGHT_COLUMN)
    elif values.m < FEW_CASES:
        verb = "has" if values.m == 1 else "have"
        yield _too_few("amounts", f"only {counted(values.m, 'case')} {verb} an amount")
    if values.signed:
        message = f"{NEGATIVE_AMOUNTS}, so shares of the amount and lift are undefined"
        yield Finding("signed_amounts", "info", message, SIGNED_ADVICE)
    elif values.m:
        yield from _about_the_largest(values)
    yield from about_rows_left_out(values.dropped)


def _about_the_largest(values: Amounts) -> Iterator[Finding]:
    """Yield a finding where one amount decides limits, or is seen as a jump of the curves."""
    part = values.largest / values.amount
    said = f"one case makes up {percent(part)} of {values.words.all_captured}"
    if part > LARGE_SHARE:
        advice = "look at this case, and quote the numbers with their intervals"
        message = f"{said}, so all intervals rest on few cases"
        yield Finding("large_amount", "warning", message, advice)
    elif part > JUMP and values.m >= FEW_CASES:
        message = f"{said}, which shows as a jump in the curves"
        yield Finding("jump", "info", message, "read this jump as one case, not as ranking")


def about_rows_left_out(
    dropped: Dropped | None, kept: tuple[int, int] | None = None
) -> Iterator[Finding]:
    """Yield which rows were left out, and why; `kept` are the negatives and positives that stay."""
    if dropped is None:
        return
    without, by_label = dropped.columns.get(NO_EXPOSURE, 0), sum(dropped.labels.values())
    lacking = {name: rows for name, rows in dropped.columns.items() if name != NO_EXPOSURE}
    if (missing := dropped.rows - without - by_label) > 0:
        parts = ", ".join(f"{name} in {n:,}" for name, n in lacking.items())
        said = f"{counted(missing, 'row')} without a value {_were(missing)} left out ({parts})"
        said += _other_share(dropped.outcomes, kept, missing)
        advice = "find out why: values are rarely missing at random"
        yield Finding("dropped_rows", "warning", said, advice)
    if by_label:
        few = list(dropped.labels.items())[:MOST_LABELS_NAMED]
        which = " or ".join(name if len(few) == 1 else f"{name} ({n:,})" for name, n in few)
        said = f"{counted(by_label, 'row')} {_were(by_label)} left out because {which}"
        if more := len(dropped.labels) - len(few):
            said += f", or for {more:,} more labels"
        yield Finding("dropped_labels", "info", said, "the numbers describe the other rows only")
    if without:
        said = f"{counted(without, 'row')} without exposure and amount {_were(without)} left out"
        advice = "no action is needed if such rows are expected"
        yield Finding("no_exposure", "info", said, advice)


def _other_share(outcomes: tuple[int, int] | None, kept: tuple[int, int] | None, left: int) -> str:
    """Say how the share of positives differs among rows left out, where chance explains it not."""
    if outcomes is None or kept is None or not outcomes[0] or not sum(kept):
        return ""
    (lost, positives), rows = outcomes, sum(kept)
    if 2 * min(one_sided(TwoGroups(positives, lost, kept[1], rows))) > CHANCE:
        return ""
    left_out, others = percent(positives / lost), percent(kept[1] / rows)
    known = "of them" if lost == left else f"of the {lost:,} with an outcome"
    return f"; {left_out} {known} are positives, against {others} of the rows kept"


def _were(rows: int) -> str:
    return "was" if rows == 1 else "were"


def rows_of_classes(counts: Ranking) -> tuple[int, int]:
    """Return how many rows are positive and how many negative, whatever they weigh."""
    if counts.weights is not None:
        return counts.weights.positive_rows, counts.weights.negative_rows
    return counts.n1, counts.n0


def _about_the_order(
    counts: Ranking | Amounts, alpha: float, outline: Ranking | None = None, among: int = 1
) -> Iterator[Finding]:
    if len(counts) == 1:
        said = "all cases have the same score, so nothing is ranked"
        yield Finding("constant_score", "warning", said, RIGHT_COLUMN)
    ratio = ratio_or_none(counts)
    if ratio is not None and ratio < 0:
        yield from _about_reversal(counts, ratio, alpha, among)
    elif ratio is not None:
        good = tuple(_about_perfection(counts, ratio, alpha, among))
        yield from good or _about_the_top(outline or counts, among)


def ratio_or_none(counts: Ranking | Amounts) -> float | None:
    """Return the accuracy ratio; None of amounts that no order of the cases ranks better."""
    try:
        return accuracy_ratio(counts)
    except ValueError:
        if is_amounts(counts):
            return None
        raise


def _about_reversal(
    counts: Ranking | Amounts, ratio: float, alpha: float, among: int
) -> Iterator[Finding]:
    if among > MANY_SEGMENTS and isinstance(counts, ScoreCounts) and is_near_chance(counts):
        return
    ranks, chance = ranks_of(counts, alpha, among)
    if ranks != "worse":
        return
    other, side = ("negative", "low") if counts.higher_is == "positive" else ("positive", "high")
    what = "large amounts" if is_amounts(counts) else "likely positives"
    turn = f"if {side} scores mean {what}, pass {word(higher_is=other)}"
    if counts.levels is not None:
        turn = f"if the grades are listed the wrong way round, reverse {spoken('`levels`')}"
    said = f"the score looks reversed: its accuracy ratio is {number(ratio)}, below 0"
    said += f" by more than chance explains ({chance})"
    yield Finding("reversed", "warning", said, f"{turn} (capcurve never reverses a score itself)")


def about_score(finding: Finding, name: str) -> Finding:
    """Return a finding on one of several scores, with advice that changes this score alone."""
    advice = finding.advice
    for way in ("positive", "negative"):
        advice = advice.replace(word(higher_is=way), arg(higher_is={Word(name): Word(way)}))
    return replace(finding, advice=advice.replace("`levels`", f"`levels` of {name}"))


def _about_perfection(
    counts: Ranking | Amounts, ratio: float, alpha: float, among: int
) -> Iterator[Finding]:
    most = SUSPICIOUS_IN_GRADES if _is_graded(counts) else SUSPICIOUS_RATIO
    if ratio <= _as_tied(counts, most) or ranks_of(counts, alpha)[0] != "better":
        return
    # The default also allows for kinds of cases that the sample lacks; here the cases seen matter.
    method = None if is_amounts(counts) or counts.groups is not None else "newcombe"
    least = confidence_interval(counts, accuracy_ratio, level=1 - CHANCE / among, method=method).low
    if least <= _as_tied(counts, LEAST_SUSPICIOUS_RATIO):
        return
    said = f"the accuracy ratio of {number(ratio)} (at least {number(least)}, allowing for chance)"
    said += " is higher than real scores usually reach"
    said += " in such grades" if ratio <= SUSPICIOUS_RATIO else ""
    yield Finding("too_good", "warning", said, LEAKS)


def _is_graded(counts: Ranking | Amounts) -> bool:
    return not is_amounts(counts) and len(counts) <= MOST_GRADES and tie_mass(counts) >= HEAVY_TIES


def _as_tied(counts: Ranking | Amounts, ratio: float) -> float:
    """Return what normal scores of this accuracy ratio have left in the grades of these counts."""
    from scipy.special import ndtr, ndtri

    if is_amounts(counts) or not _is_graded(counts):
        return ratio
    wrong = np.cumsum(wide(counts.vertices.negatives)) / counts.n0
    right = ndtr(math.sqrt(2) * ndtri((1 + ratio) / 2) + ndtri(np.minimum(wrong, 1.0)))
    return 2 * float(np.trapezoid(np.append(0.0, right), np.append(0.0, wrong))) - 1


def _about_the_top(counts: Ranking | Amounts, among: int) -> Iterator[Finding]:
    """Tell of more positives above every negative than the order of those below would put there."""
    # Where the ROC is a power law, as of exponential scores, the share of all positives above all
    # but √n0 negatives is also the share of these above every one; of normal scores it is larger.
    if is_amounts(counts) or counts.weights is not None or counts.groups is not None:
        return
    held = counts.vertices
    right, wrong = (np.append(0, np.cumsum(wide(each))) for each in held.sums)
    top = int(right[np.flatnonzero(wrong == 0)[-1]])
    some = round(float(np.interp(math.sqrt(counts.n0), wrong, right)))
    if not 0 < top <= some < counts.n1 or top < counts.n1 * (some / counts.n1) ** LEAST_POWER:
        return
    p_value = among * one_sided(TwoGroups(top, some, some, int(counts.n1)))[0]
    if p_value <= CHANCE_OF_A_RUN:
        said = f"{percent(top / counts.n1)} of all positives ({top:,}) rank above every negative"
        more = f"more than the ranking of the others explains ({chance_among(p_value, among)})"
        yield Finding("pure_top", "warning", f"{said}, {more}", LEAKS)


def order_in_segment(counts: Ranking | Amounts, among: int) -> Iterator[Finding]:
    """Yield what there is to know about the order in one of several segments."""
    order = tuple(_about_the_order(counts, CHANCE, among=among))
    yield from order
    if not (order or is_amounts(counts)):
        yield from _about_rates(counts, counts, among)


def _about_ties(counts: Ranking) -> Iterator[Finding]:
    mass = tie_mass(counts)
    bounds = accuracy_ratio_bounds(counts)
    if counts.resolution is not None:
        said = f"scores were rounded down to a grid of {counts.resolution:g}, so the exact"
        said += f" accuracy ratio is between {' and '.join(outward(bounds.low, bounds.high))}"
        advice = "use a finer resolution for a narrower range"
        yield Finding("floored_scores", "info", said, advice)
    elif mass >= HEAVY_TIES and len(counts) > 1:
        crowded = _crowded(counts)
        said = f"{crowded or 'many cases share a score'} ({percent(mass)} of pairs are tied), so"
        said += " software that orders ties by row may show any accuracy ratio from "
        said += " to ".join(outward(bounds.low, bounds.high))
        advice = f"report {number(accuracy_ratio(counts))} and say that ties are grouped"
        advice += "; see whether the grade can be divided" if crowded else ""
        yield Finding("heavy_ties", "warning" if crowded else "info", said, advice)


def _crowded(counts: Ranking) -> str:
    """Say which of several scores most cases have, if they do; of a flag one of two must."""
    held = counts.vertices
    cases = held.positives + held.negatives
    place = int(np.argmax(cases))
    share = float(cases[place]) / counts.n
    if not counts.is_complete or len(counts) <= 2 or share <= MOST_OF_THE_CASES:  # noqa: PLR2004 - a flag
        return ""
    return f"{percent(share)} of cases have the score {cutoff_text(held.thresholds[place])}"


def _about_rates(counts: Ranking, outline: Ranking, among: int = 1) -> Iterator[Finding]:
    try:
        if among > MANY_SEGMENTS and is_far_from_rising(outline):
            return
        found = monotonicity_test(outline)
    except ValueError:  # weighted or clustered rows, or totals without the cut-offs of these bins
        return
    p_value = min(1.0, among * found.p_value)
    if p_value > CHANCE_OF_A_RISE:
        return
    kind, first = ("grades", "grade ") if len(counts) <= MOST_GRADES else ("bins", "")
    # The neighbours whose rates rise by more than chance, or those that come nearest.
    runs = list(found.estimates.items())
    sure = [run for run, p_value in runs if p_value * len(runs) <= CHANCE] or [runs[0][0]]
    left = len(sure) - MOST_NAMED
    where = ", ".join(sure[:MOST_NAMED]) + (f" and in {left} more places" if left > 0 else "")
    said = f"going down the {kind}, the rate of positives rises from {first}{where}"
    said += f" by more than chance explains ({chance_among(p_value, among)})"
    advice = "look at the rates there (up to 7 in 100 sound scores show such a rise by chance)"
    yield Finding("not_concave", "warning", said, advice)


def without_intervals(counts: Ranking | Amounts, why: str | None) -> Iterator[Finding]:
    """Yield that numbers have no intervals where no other finding says why."""
    if why is not None and not _lacks_a_kind(counts):
        yield Finding("no_intervals", "info", "there are no intervals", why)


def _lacks_a_kind(counts: Ranking | Amounts) -> bool:
    """Tell whether rows have weights of which nobody said what they mean."""
    return not is_amounts(counts) and counts.weights is not None and counts.weight_kind is None


def repeated_ids(rows: int, ids: int, sharing: int) -> Iterator[Finding]:
    """Yield that rows share their id with others."""
    if sharing:
        said = f"{counted(sharing, 'row')} of {rows:,} share an id with another row"
        said += f" ({ids:,} distinct ids), but the intervals treat all rows as independent"
        advice = f"pass {arg('cluster')} with the id, so that rows of one id stay together"
        yield Finding("repeated_ids", "warning", said, advice)


def refuse_many_segments(segments: Mapping[object, ScoreCounts | ValueCounts], by: str) -> None:
    """Raise ValueError for more segments than anybody reads, or so small that they are people."""
    typical = median(map(row_count, segments.values())) if segments else 0
    if len(segments) <= SOME_SEGMENTS:
        return
    if len(segments) <= MANY_SEGMENTS and typical >= SMALL_SEGMENT:
        return
    names = [key if isinstance(key, tuple) else (key,) for key in segments if key is not None]
    columns = ([each for each in column if each is not None] for column in zip(*names, strict=True))
    if any(first_days(column, "day") is not None for column in columns):
        what = f", which are days; for their months pass {word(period='month')}"
    elif typical < SMALL_SEGMENT or len(segments) > MOST_SEGMENTS:
        what = f" and looks like an id; for dependent rows use {arg(cluster=by)}"
        what += "; for segments pass fewer"
    else:
        what = f"; for segments pass fewer, up to {MANY_SEGMENTS}"
    insisted = arg(all_segments=True)
    raise ValueError(f"{by} has {len(segments):,} values{what} ({insisted} to insist)")


def row_count(counts: Ranking | Amounts) -> float:
    """Return how many rows were counted, whatever they weigh, and whether they were censored."""
    if is_amounts(counts) or counts.weights is None:
        return counts.n
    if counts.times is not None:
        return int(counts.times.n)
    return sum(rows_of_classes(counts))


def has_accuracy_ratio(counts: Ranking | Amounts) -> bool:
    """Tell whether the accuracy ratio of counts is defined."""
    if is_amounts(counts):
        return ratio_or_none(counts) is not None
    return bool(counts.n1 and counts.n0)


def implied_sentence(test: Test) -> str:
    """Return what the test of the implied accuracy ratio says, in one plain sentence.

    >>> from capcurve import count_scores, implied_accuracy_ratio
    >>> print(implied_sentence(implied_accuracy_ratio(count_scores([1, 0, 0], [0.5, 0.25, 0.1]))))
    The accuracy ratio of 1.000 does not differ significantly from the 0.615 that the PDs imply
    (+0.385, p = 0.433).
    """
    if "implied" not in test.estimates:
        return "The PDs imply no accuracy ratio for this portfolio."
    implied = number(test.estimates["implied"])
    if test.estimate is None:
        return f"The PDs imply an accuracy ratio of {implied}, but one class is missing to test it."
    realised, chance = number(test.estimates["realised"]), chance_text(test.p_value)
    if not float(number(abs(test.estimate))):
        return f"The accuracy ratio is {realised}, as the PDs imply ({chance})."
    about = f"({signed(test.estimate)}, {chance})"
    if test.p_value > _alpha(test):
        return (
            f"The accuracy ratio of {realised} does not differ significantly from the {implied} "
            f"that the PDs imply {about}."
        )
    way = "worse" if test.estimate < 0 else "better"
    found = f"accuracy ratio {realised}, not {implied} {about}"
    return f"The score ranks {way} than its PDs imply: {found}."


def _alpha(test: Test) -> float:
    """Return the p-value up to which more than chance is said."""
    return min(1 - (test.level or 0.95), CHANCE)


def about_pds(test: Test | None) -> Iterator[Finding]:
    """Yield that PDs promise nothing, or another ranking by more than chance."""
    if test is None:
        return
    if "implied" not in test.estimates:
        why = f"there is no implied accuracy ratio: {test.notes[-1]}"
        yield Finding("implied_undefined", "info", why, "look at the PDs and at the outcomes")
        return
    if test.estimate is None or not test.p_value <= _alpha(test):
        return
    if test.estimates["implied"] < 0:  # the score looks reversed, which is said of it
        return
    from scipy.special import ndtri

    below, chance = test.estimate < 0, chance_text(test.p_value)
    # Whether usual correlation of defaults would explain the difference.
    reach = -float(ndtri(_alpha(test) / 2)) * test.estimates.get("se_if_correlated", 0.0)
    correlated = abs(test.estimate) <= reach
    yield Finding(
        "below_implied" if below else "above_implied",
        "warning" if below and not correlated else "info",
        f"the accuracy ratio is {number(test.estimates['realised'])}, "
        f"{'below' if below else 'above'} the {number(test.estimates['implied'])} that the PDs "
        f"imply, by more than chance explains ({chance})" + (IF_INDEPENDENT if correlated else ""),
        (TOO_BAD if below else TOO_GOOD) + ("" if correlated else WIDENED),
    )


def scores_of_pds(asked: ScoresOfPDs, names: Collection[str]) -> dict[str, Any]:
    """Return for each score the `pd` of its summary: whether the score is one of PDs.

    >>> scores_of_pds("pd", ["pd", "rating"])
    {'pd': 'score', 'rating': None}
    >>> scores_of_pds({"rating": {"A": 0.01}}, ["pd", "rating"])
    {'pd': None, 'rating': {'A': 0.01}}
    """
    if asked is None or asked is False:
        return dict.fromkeys(names)
    if isinstance(asked, Mapping):
        if not asked or any(name not in names for name in asked):
            return dict.fromkeys(names, asked)
        meant, held = {True: "score", False: None}, ((name, asked.get(name)) for name in names)
        return {name: meant[pd] if isinstance(pd, bool) else pd for name, pd in held}
    if asked is True or (isinstance(asked, str) and asked == "score" and asked not in names):
        return dict.fromkeys(names, "score")
    several = isinstance(asked, Collection) and not isinstance(asked, str)
    chosen: list[Any] = list(asked) if several else [asked]
    for name in chosen:
        if not isinstance(name, str) or name not in names:
            raise ValueError(
                f"pd={told(name)} is none of the scores, {', '.join(map(repr, names))}; pd takes "
                "the name of a score, or where rows are counted a column of PDs"
            )
    return {name: "score" if name in chosen else None for name in names}
