"""Findings about a change: what a careful reader would notice before the parts are quoted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from capcurve.show.finding import Finding, gravest_first
from capcurve.show.format import chance_text, listed, percent, plain_names
from capcurve.studies.change.words import mix_of, plural, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capcurve.show.table import Table
    from capcurve.studies.change.records import Explained

# With fewer of a class in a segment, limits were seen to hold in as few as 84% of samples at 95%.
FEW = 10
MOST_NAMED = 5
# Of all that moved, the mix has most from here on.
MOSTLY = 0.5


def findings_of(found: Explained) -> tuple[Finding, ...]:
    """Return what there is to know about a change, the gravest first."""
    every = [*_about_chance(found)]
    if found.segments is not None:
        every += [
            *_about_nothing_shared(found.segments),
            *_about_pooled(found, found.segments),
            *_about_small(found, found.segments),
        ]
    if found.segments is not None and len(found.segments) > 1:
        every += [
            *_about_reversal(found, found.segments),
            *_about_mix(found),
            *_about_coming(found, found.segments),
            *_about_lacking(found.segments),
        ]
    elif found.implied is not None:
        every += _about_portfolio(found)
    elif found.segments is None:
        every += _about_prevalence(found)
    return gravest_first(every)


def _about_chance(found: Explained) -> Iterator[Finding]:
    test, words = found.change, words_of(found)
    if math.isnan(test.p_value):
        yield Finding(
            "not_tested",
            "warning",
            f"no limits and no test: {'; '.join(test.notes) or 'there are too few cases'}",
            "each sample needs at least two cases of each class",
        )
    elif test.p_value > 1 - found.level and words.direction(found.after - found.before):
        size = words.signed(found.after - found.before)
        yield Finding(
            "within_chance",
            "info",
            f"the change of {size} is within chance ({chance_text(test.p_value)})",
            "do not explain it by its parts; wait for more cases, or pool periods",
        )


def _about_reversal(found: Explained, segments: Table) -> Iterator[Finding]:
    """Tell when all segments moved one way and the whole the other (Simpson's paradox)."""
    words = words_of(found)
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
        "judge the model by its ranking inside segments; what turned the sign is "
        f"{mix_of(found.by)} and the ranking between segments (Simpson's paradox)",
    )


def _about_mix(found: Explained) -> Iterator[Finding]:
    words, net = words_of(found), found.parts["mix"].estimate
    sizes = [abs(found.parts[name].estimate) for name in ("mix", "within", "between")]
    change = found.after - found.before
    if words.direction(net) and net * change > 0 and abs(net) > MOSTLY * sum(sizes):
        yield Finding(
            "mostly_mix",
            "info",
            f"{mix_of(found.by)} accounts for {words.signed(net)} of a change of "
            f"{words.signed(change)}",
            "the model may rank as well as before: compare the numbers inside segments before "
            "it is rebuilt",
        )
    if "mix_positives" in found.parts:
        first, second = (found.parts[f"mix_{each}"].estimate for each in ("positives", "negatives"))
        smaller = min(abs(first), abs(second))
        if first * second < 0 and words.direction(smaller) and smaller >= abs(net):
            yield Finding(
                "opposite_mixes",
                "info",
                f"the net mix of {words.signed(net)} is the sum of two opposite parts: "
                f"{words.signed(first)} by positives and {words.signed(second)} by negatives",
                "quote the net: a segment that grows moves both; mix='cases' splits it by "
                "segments' shares of cases and rates of positives instead",
            )


def _about_prevalence(found: Explained) -> Iterator[Finding]:
    words, part = words_of(found), found.parts["prevalence"].estimate
    change = found.after - found.before
    ranking = abs(found.parts["ranking"].estimate)
    if words.direction(part) and part * change > 0 and abs(part) > ranking:
        yield Finding(
            "mostly_prevalence",
            "info",
            f"the prevalence accounts for {words.signed(part)} of a change of "
            f"{words.signed(change)}",
            "compare the accuracy ratio, on which the prevalence has no effect",
        )


def _about_portfolio(found: Explained) -> Iterator[Finding]:
    words, part = words_of(found), found.parts["portfolio"].estimate
    change = found.after - found.before
    if (
        words.direction(part)
        and part * change > 0
        and abs(part) > abs(found.parts["model"].estimate)
    ):
        yield Finding(
            "mostly_portfolio",
            "info",
            f"the portfolio accounts for {words.signed(part)} of a change of "
            f"{words.signed(change)}",
            "PDs that lie closer together, or further apart, promise another number; the model "
            "may rank as well as before",
        )


def _about_coming(found: Explained, segments: Table) -> Iterator[Finding]:
    """Tell which segments are new, and which are gone."""
    sides = (("new", "before", "after"), ("gone", "after", "before"))
    for word, absent, present in sides:
        which = (segments[f"n_{absent}"] == 0) & (segments[f"n_{present}"] > 0)
        if which.any():
            cases = segments[f"n_{present}"]
            share = percent(float(cases[which].sum() / cases.sum()))
            label = found.labels[present == "after"]
            yield Finding(
                f"{word}_segments",
                "info",
                f"{word}: {_named(segments, which)} ({share} of cases in {label})",
                "what they changed is counted as mix, at the ranking they have where they are",
            )


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
            f"without positives or negatives in a sample: {_named(segments, lacks)}",
            "their ranking is taken from the other sample, or as that of the whole; least=10 puts "
            "small segments together",
        )


def _about_small(found: Explained, segments: Table) -> Iterator[Finding]:
    """Tell which segments have so few cases of a class that limits do not hold."""
    if not found.small:
        return
    several, names = len(segments) > 1, _listed(found.small)
    where = f" in {len(found.small)} of {len(segments)} segments: {names}" if several else ""
    instead = f"put them together with least={FEW}" if several and not found.pooled else ""
    yield Finding(
        "small_segments",
        "warning",
        f"fewer than {FEW} positives or negatives in a sample{where}",
        f"limits hold less often than stated; {instead or 'wait for more cases, or pool periods'}",
    )


def _about_pooled(found: Explained, segments: Table) -> Iterator[Finding]:
    """Tell which segments were put together, and that no mix is left when all were."""
    if not found.pooled:
        return
    if len(segments) == 1:
        yield Finding(
            "all_pooled",
            "warning",
            f"all {len(found.pooled)} segments are small and were put together: nothing is left "
            "of the mix",
            "take a smaller least=, or name segments that are larger",
        )
        return
    cases = segments["n_before"] + segments["n_after"]
    share = percent(float(cases[-1] / cases.sum()))
    yield Finding(
        "pooled_segments",
        "info",
        f"{len(found.pooled)} small segments were put together ({share} of cases): "
        f"{_listed(found.pooled)}",
        "changes of the mix among them count as ranking",
    )


def _about_nothing_shared(segments: Table) -> Iterator[Finding]:
    """Tell when no segment is in both samples, as when their names are written differently."""
    shared = (segments["n_before"] > 0) & (segments["n_after"] > 0)
    if not shared.any():
        yield Finding(
            "nothing_shared",
            "warning",
            "no segment is in both samples, so that all of the change is called mix",
            "look at how the segments are named in each: numbers and text, capitals, blanks",
        )


def _named(segments: Table, which: np.ndarray) -> str:
    """Return the names of some segments, the first of many."""
    return _listed(segments["segment"][which].tolist())


def _listed(keys: Sequence[object]) -> str:
    return listed(plain_names(list(keys)), MOST_NAMED)
